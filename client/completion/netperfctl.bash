# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion of netperfctl for bash, by bash-completion. netperfctl itself knows the words, and quotes them.

_netperfctl() {
  local cur words cword line kind='' broken
  _get_comp_words_by_ref -n := cur words cword || return
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $kind ]]; then COMPREPLY+=("$line"); else kind=$line; fi
  done < <(netperfctl __complete bash "${words[@]:1:cword-1}" "$cur" 2>/dev/null)
  # Readline replaces what stands behind the last `:` or `=`, where these break words.
  broken=${cur%"${cur##*[:=]}"}
  if [[ $broken && $COMP_WORDBREAKS == *"${broken: -1}"* && $cur != [\'\"]* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"$broken"}")
  fi
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]]; then compopt -o nospace; fi
  if [[ $kind == files ]]; then
    compopt -o default
    if ((${#COMPREPLY[@]} == 0)) || [[ $cur == */* ]]; then _filedir; fi
  fi
} && complete -F _netperfctl netperfctl
