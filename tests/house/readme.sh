#!/usr/bin/env bash
# What a page shows is what the command prints: every "$ stiction ..." in it is run again and compared, times apart.
# Commands run where README.md is.
#     readme.sh STICTION PAGE
set -euo pipefail
command=$(realpath "$1")
page=$(realpath "$2")
cd "$(dirname "$0")/../.."
mask() {
    sed -E 's/[0-9][0-9.e+-]* s\b/TIME s/g; s/\((steps|search) [^()]*\)/(TIMES)/; s/[0-9.]+ ms a step, [0-9]+ MiB/TIME/; s/: [0-9]+ steps a second/: TIME/'
}

shown= words= count=0 bad=0
check() {
    [ -n "$words" ] || return 0
    count=$((count + 1))
    eval "set -- $words" # quotes as the page has them
    if ! diff <(mask <<<"${shown%$'\n'}") <("$command" "$@" 2>&1 | mask); then
        echo "FAILED: $(basename "$page") shows < where the command prints >: stiction $words"
        bad=1
    fi
    words= shown=
}
while IFS= read -r line; do
    case $line in
        '    $ stiction '*) check; words=${line#'    $ stiction '} ;;
        '    '*) [ -z "$words" ] || shown+=${line#'    '}$'\n' ;;
        *) check ;;
    esac
done < "$page"
check
echo "$count commands of $(basename "$page")"
[ $count -gt 0 ] && exit $bad
