# SPDX-License-Identifier: GPL-2.0-only
#
# Completion of lctl for fish. lctl itself knows what may follow; fish appends no
# blank to an answer that ends with one of = / . and so on.

function __lctl_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    command $before[1] --complete $before[2..-1] "$word" 2>/dev/null | string trim --right
end

complete -c lctl -f -a '(__lctl_complete)'
