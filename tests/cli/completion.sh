#!/usr/bin/env bash
# completion.sh COMMAND: what shells and man are told is what --help says.
set -u
source "$(dirname "$0")/lib/tools.sh"

"$command" completion bash >words.bash || not_ok "the script for bash is written"
source words.bash
complete_words() { # WORDS..: what the last of them may become, a line each
    COMP_WORDS=(stiction "$@")
    COMP_CWORD=$#
    _stiction 2>/dev/null
    printf '%s\n' "${COMPREPLY[@]}"
}
same() { # NAME, two files
    if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1" "$(diff "$2" "$3" | head -5)"; fi
}

"$command" help | sed -n 's/^    stiction \([a-z]*\) .*/\1/p' | sort -u >verbs
complete_words "" | sort -u >got
same "every verb of the overview is completed" verbs got
"$command" analyze --help | sed -n 's/^    stiction analyze \([a-z]*\) .*/\1/p' | sort -u >questions
complete_words analyze "" | sort -u >got
same "every question of analyze is completed" questions got

options_of() { # WORDS..: the options that --help lists
    "$command" "$@" --help | sed -n 's/^    \(--[a-z-]*\).*/\1/p' | sort -u
}
each() { # WORDS.. of a verb
    options_of "$@" >want
    [ -s want ] || not_ok "$*: options" "there are none"
    complete_words "$@" -- | sort -u >got
    same "$*: every option of --help is completed" want got
    "$command" help --man "$@" | sed -n 's/^\\fB\(\\-\\-[^ ]*\)\\fR.*/\1/p' | tr -d '\\' | sort -u >got
    same "$*: every option of --help is in the man page" want got
}
for verb in $(grep -v -e '^analyze$' -e '^help$' -e '^version$' verbs); do each "$verb"; done
while read -r question; do each analyze "$question"; done <questions

complete_words run arc >got
grep -qx arch got && ok "a built-in scene is completed" || not_ok "a built-in scene is completed" "$(cat got)"
for shell in zsh fish; do
    "$command" completion "$shell" >"words.$shell" || not_ok "the script for $shell is written"
    if ! command -v "$shell" >/dev/null; then
        echo "# $shell is not installed: its script is not read"
    elif "$shell" -n "words.$shell" 2>err; then
        ok "$shell reads its script"
    else
        not_ok "$shell reads its script" "$(cat err)"
    fi
done
run completion tcsh
refused "a shell that is none" "tcsh: no such shell; there are bash, zsh and fish"
finish
