#!/usr/bin/env bash
# The shared library exports what the public headers declare, and nothing else; inside, everything with external
# linkage carries sti_ too, so that the static library keeps out of its users' way.
#     symbols.sh INCLUDE_DIR SHARED STATIC
set -euo pipefail
include=$1 shared=$2 static=$3
bad=0

declared=$(sed -n '/^STI_API/,/;/p' "$include"/stiction/*.h | tr '\n' ' ' | sed 's/;/;\n/g' |
    grep -oE '\bsti_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)
exported=$(nm -D --defined-only "$shared" | awk '{print $NF}' | sed 's/@.*//' | sort -u)

compare() { # TEXT FLAG: lines only in one of the two lists
    local only
    only=$(comm "$2" <(echo "$declared") <(echo "$exported"))
    if [ -n "$only" ]; then
        echo "$1:"
        sed 's/^/    /' <<<"$only"
        bad=1
    fi
}
compare 'declared in a public header, not in the library' -23
compare 'exported, but not declared in a public header' -13

foreign=$(nm -g --defined-only "$static" | awk 'NF == 3 {print $3}' | grep -vE '^(sti_|__asan|__ubsan)' | sort -u || true)
if [ -n "$foreign" ]; then
    echo "external linkage without sti_:"
    sed 's/^/    /' <<<"$foreign"
    bad=1
fi
echo "$(wc -l <<<"$exported") symbols exported"
exit $bad
