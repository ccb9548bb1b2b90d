#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""lctl at a terminal. Usage: shell_prompt_test.py LCTL"""

import os
import sys
import tempfile

from terminal import Terminal, run

PROMPT = r"(?:^|\n|\r)> "


def ready(lctl, **environment):
    terminal = Terminal([lctl], **environment)
    terminal.expect(PROMPT)
    return terminal


def commands_run_and_failures_do_not_end_it(lctl):
    with ready(lctl) as terminal:
        terminal.type("get_param version\r")
        terminal.expect(r"version=1\r\n> ")
        terminal.type("get_param nosuch\r")
        terminal.expect(r"\nerror: get_param: param_path 'nosuch': No such file.*\r\n")
        terminal.expect(PROMPT)
        terminal.type("bogus\r")
        terminal.expect(r"\nlctl: 'bogus' is not a valid command.*\r\n> ")
        terminal.type("get_param 'x\r")
        terminal.expect(r"\nerror: column 11: the quote ' is not closed.*\r\n> ")
        terminal.type("quit\r")
        assert terminal.end() == 0, terminal.seen


def end_of_input_ends_it(lctl):
    with ready(lctl) as terminal:
        terminal.type("\x04")
        assert terminal.end() == 0, terminal.seen


def abbreviations_are_taken(lctl):
    with ready(lctl) as terminal:
        terminal.type("get version\r")
        terminal.expect(r"version=1\r\n> ")
        terminal.type("debug\r")
        terminal.expect(r"\nerror: debug: ambiguous: debug_kernel, debug_file, debug_list\r\n> ")
        terminal.type("ex\r")
        assert terminal.end() == 0, terminal.seen


def tab_completes_step_by_step(lctl):
    with ready(lctl) as terminal:
        terminal.type("get_p\to\t")
        terminal.expect(r"get_param osc\.")
        terminal.type("l\t")
        terminal.expect(r"lustre-OST000")
        terminal.type("\t")
        terminal.expect(r"lustre-OST0000\.\s+lustre-OST0001\.\s+lustre-OST0002\.")
        terminal.type("1\t")
        terminal.type("act\t\r")
        terminal.expect(r"\nosc\.lustre-OST0001\.active=1\r\n> ")


def tab_completes_values(lctl):
    with ready(lctl) as terminal:
        terminal.type("set_param osc.lustre-OST0000.checksum_type=ad\t\r")
        terminal.expect(r"\nosc\.lustre-OST0000\.checksum_type=adler\r\n> ")


def interrupt_drops_the_line_only(lctl):
    with ready(lctl) as terminal:
        terminal.type("get_param nosu")
        terminal.expect("nosu")
        terminal.type("\x03")
        terminal.expect(PROMPT)
        terminal.type("get_param version\r")
        terminal.expect(r"version=1\r\n> ")


def lines_are_joined(lctl):
    with ready(lctl) as terminal:
        terminal.type("get_param \\\r")
        terminal.expect(r"\.\.\. ")
        terminal.type("version\r")
        terminal.expect(r"version=1\r\n> ")


def history_brings_lines_back(lctl):
    with ready(lctl, TERM="xterm") as terminal:
        terminal.type("get_param version\r")
        terminal.expect(r"version=1\r\n")
        terminal.expect(PROMPT)
        terminal.type("\x10\r")  # control-P
        terminal.expect(r"version=1\r\n")


def history_outlives_it_where_there_is_a_file(lctl):
    with tempfile.TemporaryDirectory() as home:
        path = os.path.join(home, ".lctl_history")
        with ready(lctl, HOME=home) as terminal:
            terminal.type("help clear\rquit\r")
            terminal.end()
        assert not os.path.exists(path)
        with open(path, "w", encoding="utf-8"):
            pass
        with ready(lctl, HOME=home) as terminal:
            terminal.type("help clear\rquit\r")
            terminal.end()
        with ready(lctl, HOME=home) as terminal:
            terminal.type("\x10\x10\r")
            terminal.expect("usage: lctl clear")


def unknown_terminals_work_too(lctl):
    with Terminal([lctl], TERM="no-such-terminal") as terminal:
        terminal.expect("> ")
        terminal.type("get_param version\r")
        terminal.expect(r"version=1\r\n")
        terminal.type("quit\r")
        assert terminal.end() == 0, terminal.seen


TESTS = [
    commands_run_and_failures_do_not_end_it,
    end_of_input_ends_it,
    abbreviations_are_taken,
    tab_completes_step_by_step,
    tab_completes_values,
    interrupt_drops_the_line_only,
    lines_are_joined,
    history_brings_lines_back,
    history_outlives_it_where_there_is_a_file,
    unknown_terminals_work_too,
]

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    run(TESTS, os.path.abspath(sys.argv[1]))
