# SPDX-License-Identifier: GPL-2.0-only
#
# Completion of lfs for fish: commands, the options that "lfs help COMMAND" lists, and files.

function __lfs_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    if test (count $before) -eq 1
        command $before[1] --list-commands 2>/dev/null
        printf '%s\n' help --help --version
    else if test $before[2] = help
        command $before[1] --list-commands 2>/dev/null
    else if string match -q -- '-*' $word
        set -l options (command $before[1] help $before[2] 2>/dev/null |
            string match -rg -- '^ +(?:-[A-Za-z0-9], )?(--[a-z0-9-]+)')
        # find(1) has them with one '-'.
        if test $before[2] = find; and not string match -q -- '--*' $word
            set options (string replace -- -- - $options)
        end
        printf '%s\n' $options
    else if test $before[2] = check; and test (count $before) -eq 2
        printf '%s\n' servers osts mdts all
    else
        __fish_complete_path $word
    end
end

complete -c lfs -f -a '(__lfs_complete)'
