# SPDX-License-Identifier: Apache-2.0
# bash completion for execz; the command itself says what fits.
_execz() {
    local IFS=$'\n'
    COMPREPLY=($(compgen -W "$(execz complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
    [[ ${COMPREPLY[0]} == *: ]] && compopt -o nospace
}
complete -o bashdefault -o default -F _execz execz
