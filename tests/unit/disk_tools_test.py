#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The programs of targets and mounts, run.

Usage: disk_tools_test.py MKFS TUNEFS MOUNT COMPLETION
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from terminal import run

MKFS, TUNEFS, MOUNT, COMPLETION = sys.argv[1:5] if len(sys.argv) == 5 else ("",) * 4


def call(*words, status=0, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, **more)
    assert done.returncode == status, f"{words}: {done}"
    return done


def mountdata(directory):
    with open(os.path.join(directory, "CONFIGS", "mountdata"), "rb") as file:
        return file.read()


def a_target_is_made_tuned_and_checked(directory):
    target = os.path.join(directory, "ost")
    made = call(MKFS, "--ost", "--fsname=lustre", "--index=3", "--mgsnode=[fd78::1]", target)
    assert "Target:     lustre-OST0003\n" in made.stdout and not made.stderr
    assert len(mountdata(target)) == 12288
    call(TUNEFS, "--param=a.b=1", "--writeconf", target)
    printed = call(TUNEFS, target).stdout
    assert "Parameters: mgsnode=fd78::1@tcp a.b=1\n" in printed
    assert "(OST first_time writeconf param )\n" in printed
    checked = call(MOUNT, target, directory, "-f", "-v", "-o", "ro,_netdev")
    assert "ost is the target lustre-OST0003\n" in checked.stdout
    call(MOUNT, os.path.join(directory), directory, "-f", status=32)


def statuses_are_those_of_the_manuals(directory):
    assert "--bogus" in call(MKFS, "--bogus", directory, status=2).stderr
    assert "error: mkfs.lustre-lite: " in call(MKFS, "--mgs", "/proc/self", status=1).stderr
    assert call(TUNEFS, directory, status=1).stderr.startswith("error: tunefs.lustre-lite: ")
    call(TUNEFS, "--index=1", directory, status=2)
    call(MOUNT, "10.0.0.1:/fs", status=1)
    call(MOUNT, "server:/fs", directory, status=1)
    call(MOUNT, "10.0.0.1:/fs", os.path.join(directory, "none"), status=32)
    assert os.listdir(directory) == []


def a_full_disk_is_told(directory):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([MKFS, "--mgs", "-n", directory], stdout=full, stderr=subprocess.PIPE,
                              text=True, timeout=60, check=False)
    assert done.returncode == 1 and "No space left on device" in done.stderr, done


def a_write_has_all_or_nothing(directory):
    """Killed before, while and after it writes, mountdata is the old one or the new one."""
    target = os.path.join(directory, "mgs")
    call(MKFS, "--mgs", "--comment=0", target)
    seen = {"old": 0, "new": 0}
    for number in range(1, 40):
        # What a program that is not killed writes, in a copy of it all.
        old, copy = mountdata(target), f"{target}{number}"
        shutil.copytree(target, copy)
        begin = time.monotonic()
        call(TUNEFS, "-q", f"--comment={number}", copy)
        duration = time.monotonic() - begin
        new = mountdata(copy)
        assert len(new) == 12288 and new != old
        with subprocess.Popen([TUNEFS, "-q", f"--comment={number}", target]) as process:
            time.sleep(duration * number / 20)
            process.send_signal(signal.SIGKILL)
        left = mountdata(target)
        assert left in (old, new), f"--comment={number}, killed"
        seen["new" if left == new else "old"] += 1
        call(TUNEFS, target)
    assert seen["old"] and seen["new"], seen
    call(TUNEFS, "-q", "--comment=end", target)
    assert "Comment:    end\n" in call(TUNEFS, target).stdout


def two_at_once_do_not_mix(directory):
    """Each change is there, or its program said that another one was at work."""
    target = os.path.join(directory, "mgs")
    call(MKFS, "--mgs", target)
    running = [subprocess.Popen([TUNEFS, "-q", f"--param=p{n}=1", target], stderr=subprocess.PIPE,
                                text=True) for n in range(16)]
    printed = []
    for number, process in enumerate(running):
        complaint = process.communicate(timeout=60)[1]
        printed.append((number, process.returncode, complaint))
    text = call(TUNEFS, target).stdout
    for number, status, complaint in printed:
        assert (f"p{number}=1" in text) == (status == 0), (printed, text)
        assert status == 0 or "is being changed by another tool" in complaint, complaint
    assert any(status == 0 for _, status, _ in printed)


def options_are_completed(directory):
    os.mkdir(os.path.join(directory, "inner"))
    script = """
        . "$1"; tool=$2; COMPREPLY=()
        try() { _lustre_lite_disk "$tool" "$1" ""; printf '%s|' "${COMPREPLY[@]}"; echo; }
        try --mg; try --fs; try --dry; try in
    """
    done = call("bash", "--norc", "-c", script, "bash", COMPLETION, MKFS, cwd=directory)
    assert done.stdout == "--mgs|--mgsnode=|\n--fsname=|\n--dryrun|\ninner|\n", done


def in_a_directory(test):
    def on_its_own():
        with tempfile.TemporaryDirectory() as directory:
            try:
                test(directory)
            except (subprocess.SubprocessError, OSError) as error:
                raise AssertionError(repr(error)) from error
    on_its_own.__name__ = test.__name__
    return on_its_own


if __name__ == "__main__":
    if not MKFS:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    run([in_a_directory(test) for test in (
        a_target_is_made_tuned_and_checked, statuses_are_those_of_the_manuals,
        a_full_disk_is_told, a_write_has_all_or_nothing, two_at_once_do_not_mix,
        options_are_completed)])
