#!/usr/bin/env bash
# Each public header compiles alone, as C17 and as C++17, with gcc and clang, without a warning.
#     headers.sh INCLUDE_DIR
set -euo pipefail
include=$1
flags=(-fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$include")
bad=0
count=0
for header in "$include"/stiction/*.h; do
    name=stiction/$(basename "$header")
    for compiler in 'gcc -std=c17 -x c' 'clang -std=c17 -x c' 'g++ -std=c++17 -x c++' 'clang++ -std=c++17 -x c++'; do
        # twice: a header must also stand being included again
        if ! printf '#include <%s>\n#include <%s>\n' "$name" "$name" | $compiler "${flags[@]}" -; then
            echo "FAILED: $compiler <$name>"
            bad=1
        fi
        count=$((count + 1))
    done
done
echo "$count compilations"
[ $count -gt 0 ] && exit $bad
