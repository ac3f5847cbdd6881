#!/usr/bin/env bash
# stiction serve: what is refused; in Chromium, a live run that is paused, asked and pulled at, and hostile input that
# does nothing.
set -u
stiction=$1
web=${STI_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/web
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

code=0
"$stiction" serve --time-limit 0.2 >out 2>said || code=$?
if grep -q 'built without' said; then
    [ $code -eq 3 ] || fail "built without: exit code $code"
    echo "skipped: the command was built without libwebsockets or its page (docs/page.md)"
    [ $failures -eq 0 ] && exit 77
    exit 1
fi
[ $code -eq 0 ] || fail "serve: exit code $code: $(cat said)"
grep -qE '^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$' out || fail "no address: $(cat out)"
"$stiction" serve --time-limit 0.2 >again 2>said
[ "$(sed -n 's|.*/\([0-9a-f]*\)/$|\1|p' out)" != "$(sed -n 's|.*/\([0-9a-f]*\)/$|\1|p' again)" ] || fail "the same secret twice"

refused() { # CODE WORD ARGUMENT...
    local expected=$1 word=$2
    shift 2
    code=0
    timeout 20 "$stiction" serve "$@" >out 2>said || code=$?
    [ $code -eq "$expected" ] || fail "serve $*: exit code $code"
    [ "$(wc -l <said)" -eq 1 ] && grep -q -- "$word" said || fail "serve $*: $(cat said)"
}
echo '{"kind": "lcp", "M": [[1]], "q": [1]}' >lcp.json
refused 2 'a scene is expected' lcp.json
refused 2 'nothing.json' nothing.json
refused 2 'is not a folder' --folder none
refused 2 '65535' --port 70000
refused 2 '--ground: for robots' arch --ground
[ $failures -eq 0 ] || exit 1

chromium=$(command -v chromium || command -v chromium-browser)
if [ -z "$chromium" ] || ! [ -d "$web/node_modules/puppeteer-core" ]; then
    echo "skipped: chromium or puppeteer-core are missing; nothing was looked at in a browser"
    exit 77
fi
mkdir scenes
cat >'scenes/<img src=x onerror=window.hacked=1>.json' <<'J'
{"kind": "scene", "dimension": 2, "gravity": [0, -9.81], "step": {"h": 0.01}, "time": 0.1, "bodies": [
    {"name": "ground", "fixed": true, "shape": {"type": "halfspace", "normal": [0, 1], "offset": 0}},
    {"name": "box", "shape": {"type": "box", "half": [0.5, 0.5]}, "position": [0, 0.5], "velocity": [1, 0]}]}
J
cp "${web%/web}/scenes/arm.urdf" scenes/
cat >scenes/hit.json <<'J'
{"kind": "scene", "dimension": 2, "gravity": [0, -9.81], "step": {"h": 0.01}, "time": 0.1, "bodies": [
    {"name": "ground", "fixed": true, "shape": {"type": "halfspace", "normal": [0, 1], "offset": 0}},
    {"name": "box", "shape": {"type": "box", "half": [0.5, 0.5]}, "position": [0, 0.5], "velocity": [1, -1]}]}
J
mkdir tmp
export TMPDIR=$work/tmp
timeout 250 node "$web/live.mjs" "$chromium" "$stiction" "$work/scenes" ${PICTURES:+"$PICTURES/serve.png"} || fail "in Chromium"
# what was saved is what other verbs take
"$stiction" run scenes/mine.json --time 0.02 --quiet || fail "the scene that was saved"
"$stiction" view scenes/pulled --out pulled.html --quiet || fail "the run that was saved"
"$stiction" inspect scenes/posed.hdf5 --quiet || fail "the problem that was saved"
"$stiction" view scenes/grains --out grains.html --quiet || fail "the run of grains that was saved"
"$stiction" inspect scenes/grains-step.hdf5 --quiet || fail "the step of grains that was saved"
[ -z "$(ls tmp | grep stiction)" ] || fail "recordings are left behind: $(ls tmp)"
[ $failures -eq 0 ]
