# SPDX-License-Identifier: GPL-2.0-only
"""A program at a terminal, for tests, and a way to run them as CMocka does."""

import os
import pty
import re
import select
import sys
import time

LEAKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lsan.supp")
PATIENCE = 20  # seconds until a test that waits for a text has failed


class Terminal:
    """A child process with a terminal of its own."""

    def __init__(self, argv, **environment):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(argv[0], argv,
                      {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": "/nonexistent",
                       "LSAN_OPTIONS": f"suppressions={LEAKS}:print_suppressions=0",
                       **environment})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.pid:
            os.kill(self.pid, 9)
            self.end()

    def type(self, text):
        os.write(self.fd, text.encode())

    def read(self, seconds):
        """Take in what there is; False at the end of the output."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.fd, 4096)
        except OSError:  # how Linux says that nobody has the other side open
            return False
        self.seen += data.decode(errors="replace")
        return bool(data)

    def expect(self, pattern):
        """Wait for a text that matches; what comes before it is returned and gone."""
        deadline = time.monotonic() + PATIENCE
        while True:
            found = re.search(pattern, self.seen)
            if found:
                before, self.seen = self.seen[:found.start()], self.seen[found.end():]
                return before
            if time.monotonic() > deadline:
                raise AssertionError(f"waited for {pattern!r}, there is {self.seen!r}")
            if not self.read(0.1) and not re.search(pattern, self.seen):
                raise AssertionError(f"ended before {pattern!r}, with {self.seen!r}")

    def end(self):
        """Wait for the end; the exit status."""
        deadline = time.monotonic() + PATIENCE
        while self.read(0.1):
            if time.monotonic() > deadline:
                raise AssertionError(f"does not end, there is {self.seen!r}")
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def run(tests, *arguments):
    """Run functions that take @arguments; the process ends with a status."""
    failed = 0
    for test in tests:
        name = test.__name__
        print(f"[ RUN      ] {name}", flush=True)
        try:
            test(*arguments)
        except AssertionError as error:
            failed += 1
            print(f"{error}\n[  FAILED  ] {name}", flush=True)
        else:
            print(f"[       OK ] {name}", flush=True)
    sys.exit(1 if failed else 0)
