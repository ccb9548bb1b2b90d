#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Completion of lctl in bash. Usage: shell_bash_test.py LCTL COMPLETION"""

import os
import re
import sys
import tempfile

from terminal import Terminal, run

# What is typed before Tab, and what the command is given as its last words then.
TABLE = [
    ("lctl get_p\tversion", "[get_param] [version]"),
    ("lctl get_param os\tf\tact\t", "[get_param] [osc.first.active]"),
    ("X=1 lctl get_param osc.f\tx", "[get_param] [osc.first.x]"),
    ("true; lctl get_param osc.f\tx", "[get_param] [osc.first.x]"),
    ("lctl get_param 'osc.*.chec\t", "[get_param] [osc.*.checksum_type]"),
    ("lctl get_param \"osc.f\tact\t", "[get_param] [osc.first.active]"),
    ("lctl get_param osc.\\*.chec\t", "[get_param] [osc.*.checksum_type]"),
    ("lctl get_param exports.10.0.0.1\tv\t", "[get_param] [exports.10.0.0.1@tcp.value]"),
    ("lctl get_param exports.10.0.0.1@t\tv\t", "[get_param] [exports.10.0.0.1@tcp.value]"),
    ("lctl get_param peers.10\t1\tv\t", r"[get_param] [peers.10\.0\.0\.1@tcp.value]"),
    ("lctl get_param 'peers.10\t1\tv\t", r"[get_param] [peers.10\.0\.0\.1@tcp.value]"),
    ("lctl set_param osc.first.chec\tad\t", "[set_param] [osc.first.checksum_type=adler]"),
    ("lctl set_param osc.first.act\t1", "[set_param] [osc.first.active=1]"),
    ("lctl set_param debug=+inf\t", "[set_param] [debug=+info]"),
    ("lctl set_param 'debug=+info -tr\t'", "[set_param] [debug=+info -trace]"),
    ("lctl save_params --out\t/tmp/x", "[save_params] [--output=/tmp/x]"),
    ("lctl get_param --color=alw\tx", "[get_param] [--color=always] [x]"),
    ("lctl debug_list su\t", "[debug_list] [subs]"),
    ("lctl --batch=/etc/host\tname", "[--batch=/etc/hostname]"),
    ("lctl help deb\tli\t", "[help] [debug_list]"),
]


def start(lctl, completion, directory):
    # Completion asks lctl; the command itself shows what it was given.
    shown = os.path.join(directory, "lctl")
    with open(shown, "w", encoding="utf-8") as script:
        script.write("#!/bin/bash\n"
                     f"[[ $1 == --complete ]] && exec {lctl} \"$@\"\n"
                     "printf '<'; printf '[%s] ' \"$@\"; printf '>\\n'\n")
    os.chmod(shown, 0o755)
    terminal = Terminal(["/bin/bash", "--norc", "--noprofile", "-i"],
                        PATH=directory + ":" + os.environ["PATH"], HISTFILE="/dev/null",
                        INPUTRC="/dev/null")
    # In two pieces: what is typed comes back, and is not the prompt.
    terminal.type("PS1='rea''dy: '; bind 'set bell-style none'; "
                  f"bind 'set enable-bracketed-paste off'; . {completion}\r")
    terminal.expect("ready: $")
    return terminal


def case(typed, given):
    def test(lctl, completion):
        with tempfile.TemporaryDirectory() as directory, \
                start(lctl, completion, directory) as terminal:
            for part in re.split("(?<=\t)", typed):
                terminal.type(part)
                # bash answers a Tab before it takes the next key: nothing to wait for.
            terminal.type("\r")
            terminal.expect(r"<")
            shown = terminal.expect(r" >\r\n")
            assert shown == given, f"{typed!r} gave {shown!r}, not {given!r}"
    test.__name__ = "bash_" + re.sub(r"\W+", "_", typed).strip("_")
    return test


def several_are_listed(lctl, completion):
    with tempfile.TemporaryDirectory() as directory, start(lctl, completion, directory) as terminal:
        terminal.type("lctl get_param osc.lustre-OST000\t\t")
        terminal.expect(r"osc\.lustre-OST0000\.\s+osc\.lustre-OST0001\.\s+osc\.lustre-OST0002\.")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    run([case(*row) for row in TABLE] + [several_are_listed],
        *(os.path.abspath(path) for path in sys.argv[1:]))
