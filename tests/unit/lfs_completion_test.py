#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Completion of lfs in bash. Usage: lfs_bash_test.py LFS COMPLETION"""

import subprocess
import sys

# Words of the line, the last one incomplete; and some of what it may become.
TABLE = [
    (["lfs", "set"], ["setstripe"]),
    (["lfs", "get"], ["getstripe", "getname"]),
    (["lfs", "help", "pa"], ["path2fid"]),
    (["lfs", "setstripe", "--stripe-c"], ["--stripe-count"]),
    (["lfs", "getstripe", "--j"], ["--json"]),
    (["lfs", "find", "/mnt", "-na"], ["-name"]),
    (["lfs", "check", "os"], ["osts"]),
    (["lfs", "df", "/"], []),
]

SCRIPT = """
. "$1"
COMP_WORDS=("${@:3}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_lfs "$2" "${COMP_WORDS[COMP_CWORD]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(lfs, completion, words):
    done = subprocess.run(["bash", "-c", SCRIPT, "bash", completion, lfs] + words, check=True,
                          capture_output=True, text=True)
    return done.stdout.split()


def main():
    _, lfs, completion = sys.argv
    for words, wanted in TABLE:
        got = completed(lfs, completion, words)
        if got != wanted:
            sys.exit(f"{' '.join(words)}: {got}, not {wanted}")
    print(f"{len(TABLE)} lines are completed")


if __name__ == "__main__":
    main()
