# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of netperfctl for fish. netperfctl itself knows the words; fish quotes them.

function __netperfctl_complete
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l current (commandline -ct)
    set -l lines (netperfctl __complete fish $typed "$current" 2>/dev/null)
    if test "$lines[1]" = files
        __fish_complete_path "$current"
    end
    set -e lines[1]
    for line in $lines
        echo $line
    end
end

complete -c netperfctl -f -a '(__netperfctl_complete)'
