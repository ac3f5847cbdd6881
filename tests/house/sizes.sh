#!/usr/bin/env bash
# sizes.sh LINT BUILD: `tools/lint sizes` reports every raw size of sizes/raw.c, each at its line, and nothing in
# sizes/checked.c.
set -u
lint=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)/sizes

if ! out=$("$lint" sizes "$build" "$here/checked.c"); then
    echo "checked.c: nothing should be reported:" && echo "$out" && exit 1
fi
if out=$("$lint" sizes "$build" "$here/raw.c"); then
    echo "raw.c: it should fail" && exit 1
fi
expected=$(grep -n '// raw$' "$here/raw.c" | cut -d: -f1 | sort -n)
reported=$(sed -n 's/^[^:]*raw\.c:\([0-9]*\):.*/\1/p' <<<"$out" | sort -nu)
if [ -z "$expected" ] || [ "$expected" != "$reported" ]; then
    echo "lines that should be reported, and those that are:" && diff <(echo "$expected") <(echo "$reported")
    exit 1
fi
# nothing to look at is not a success
empty=$(mktemp --suffix=.c) && trap 'rm -f "$empty"' EXIT
echo 'int nothing;' >"$empty"
if "$lint" sizes "$build" "$empty" >/dev/null; then
    echo "a file without products should not pass as checked" && exit 1
fi
