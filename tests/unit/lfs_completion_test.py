#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Completion of lfs in bash, zsh and fish. Usage: lfs_completion_test.py LFS DIRECTORY"""

import os
import subprocess
import sys

# Words of the line, the last one incomplete; and all of what it may become.
TABLE = [
    (["lfs", "set"], ["setstripe"]),
    (["lfs", "get"], ["getname", "getstripe"]),
    (["lfs", "--v"], ["--version"]),
    (["lfs", "help", "pa"], ["path2fid"]),
    (["lfs", "setstripe", "--stripe-c"], ["--stripe-count"]),
    (["lfs", "getstripe", "--j"], ["--json"]),
    (["lfs", "fid2path", "--print0"], ["--print0"]),
    (["lfs", "pool"], ["pool_list"]),
    (["lfs", "find", "/mnt", "-na"], ["-name"]),
    (["lfs", "find", "/mnt", "!", "-m"], ["-maxdepth", "-mtime"]),
    (["lfs", "find", "/mnt", "--na"], ["--name"]),
    (["lfs", "check", "os"], ["osts"]),
    (["lfs", "df", "/no/such/"], []),
]

BASH = """
. "$1/lfs"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_lfs "$2" "${COMP_WORDS[COMP_CWORD]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""

ZSH = """
compadd() { shift; for word; do [[ $word != $PREFIX* ]] || print -r -- $word; done }
_files() { }
words=("${@:2}") CURRENT=$(($# - 1)) PREFIX=$words[-1]
eval "$(<$1/_lfs)"
"""

FISH = 'source $argv[1]/lfs.fish; complete -C "$argv[2..-1]"'


def commands(directory, words):
    """The command line of each shell."""
    yield ["bash", "-c", BASH, "bash", directory] + words
    yield ["zsh", "-f", "-c", ZSH, "zsh", directory] + words
    yield ["fish", "--no-config", "-c", FISH, directory] + words


def main():
    _, lfs, directory = sys.argv
    path = os.path.dirname(os.path.abspath(lfs)) + ":" + os.environ["PATH"]
    for words, wanted in TABLE:
        for command in commands(directory, words):
            done = subprocess.run(command, check=True, capture_output=True, text=True,
                                  env={**os.environ, "PATH": path})
            got = sorted(line.split("\t")[0] for line in done.stdout.split("\n") if line)
            if got != wanted or done.stderr:
                sys.exit(f"{command[0]}: {' '.join(words)}: {got}, not {wanted}; {done.stderr}")
    print(f"{len(TABLE)} lines are completed in three shells")


if __name__ == "__main__":
    main()
