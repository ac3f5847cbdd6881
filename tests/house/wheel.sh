#!/usr/bin/env bash
# make python, as far as it is ours: the wheel is packed, an environment is made where there is none, and README's first
# robot moves there.
#     wheel.sh SOURCE BUILD
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

if ! /usr/bin/python3 -c 'import venv, ensurepip, numpy, cffi, wheel' 2>/dev/null; then
    echo "skipped: venv, NumPy, cffi or wheel of Debian's Python are missing"
    exit 77
fi
cp -r "$build/python" "$work/python"
(cd "$work/python" && /usr/bin/python3 setup.py -q bdist_wheel -d "$work/wheel" 2>"$work/log") || fail "no wheel: $(cat "$work/log")"
"$source/tools/python-env" "$work/env" "$work"/wheel/*.whl >"$work/said" || fail "exit code $?: $(cat "$work/said")"
grep -q "in $work/env/" "$work/said" || fail "not installed there: $(cat "$work/said")"
cd "$work"
awk '/^```python/ { on = 1; next } /^```/ { on = 0 } on' "$source/README.md" >first.py
env -u PYTHONPATH env/bin/python first.py >said || fail "README's lines: $(cat said)"
grep -q 'left_finger' said || fail "README's lines said $(cat said)"
env/bin/stiction --version | grep -q '^stiction ' || fail "the command is not there"

# what is no environment is left alone
mkdir taken && touch taken/file
code=0
"$source/tools/python-env" taken wheel/*.whl 2>said || code=$?
[ $code -eq 2 ] && grep -q 'neither' said && [ "$(ls taken)" = file ] || fail "a folder with files: $code, $(cat said)"
echo ok
