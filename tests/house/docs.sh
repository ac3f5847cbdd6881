#!/usr/bin/env bash
# make docs: every page is made, every link leads somewhere, names in texts stay texts; a link that leads nowhere is
# named.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

tools/docs "$work/site" >/dev/null 2>"$work/faults" || fail "$(cat "$work/faults")"
for page in docs/*.md; do
    name=$(basename "$page" .md)
    [ -s "$work/site/$name.html" ] || fail "no page of $page"
    grep -q "\"page\": \"$name.html\"" "$work/site/search.js" || fail "$page cannot be found"
done
for header in include/stiction/*.h; do [ -s "$work/site/c/$(basename "$header" .h).html" ] || fail "no page of $header"; done
grep -q '<img src="files/docs/images/bed.png"' "$work/site/index.html" && [ -s "$work/site/files/docs/images/bed.png" ] || fail "pictures"
grep -rlE '(src|href)="(https?:)?//' "$work/site" --include=*.html | grep -q . && fail "the site asks a network"

mkdir -p "$work/tree/tools" "$work/tree/docs"
cp tools/docs "$work/tree/tools/"
printf '# T\n\n<script>alert(1)</script> [a](docs/a.md#there) [b](docs/a.md#not-there) [c](none.md) `docs/gone.md` ![d](d.png)\n' >"$work/tree/README.md"
printf '# A\n\n## There\n\n- one `x|y`\n- two\n\n| a | `b|c` |\n| - | - |\n| 1 | 2 |\n' >"$work/tree/docs/a.md"
"$work/tree/tools/docs" "$work/other" >/dev/null 2>"$work/faults" && fail "links that lead nowhere are taken"
[ "$(sort "$work/faults" | tr '\n' ';')" = 'README.md: d.png: leads nowhere;README.md: docs/a.md#not-there: leads nowhere;README.md: docs/gone.md: leads nowhere;README.md: none.md: leads nowhere;' ] ||
    fail "faults: $(cat "$work/faults")"
grep -q '<script>alert' "$work/other/index.html" && fail "a text became a script"
grep -q '<li>one <code>x|y</code></li>' "$work/other/a.html" && grep -q '<th><code>b|c</code></th>' "$work/other/a.html" || fail "lists and tables"
[ $failures -eq 0 ]
