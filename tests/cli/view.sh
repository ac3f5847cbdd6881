#!/usr/bin/env bash
# stiction view: pages that are written, what is refused; in Chromium, that they show what was computed and that names
# do nothing.
set -u
stiction=$1
web=${STI_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/web
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

code=0
"$stiction" view arch --time 0.02 --out arch.html >/dev/null 2>said || code=$?
if grep -q 'built without its page' said; then
    echo "skipped: the command was built without its page (node and npm: docs/page.md)"
    exit 77
fi
[ $code -eq 0 ] || fail "view arch: exit code $code: $(cat said)"
[ "$(ls | tr '\n' ' ')" = "arch.html said " ] || fail "left behind: $(ls)"

refused() { # CODE WORD ARGUMENT...
    local expected=$1 word=$2
    shift 2
    code=0
    "$stiction" view "$@" >out 2>said || code=$?
    [ $code -eq "$expected" ] || fail "view $*: exit code $code"
    [ "$(wc -l <said)" -eq 1 ] && grep -q -- "$word" said || fail "view $*: $(cat said)"
}
mkdir empty
refused 2 'no trajectory.h5' empty
refused 2 'nothing' nothing.json
refused 2 'none/page.html' arch --time 0.02 --out none/page.html
refused 2 'are for scenes' empty --time 1
refused 2 'only one by one' arch pebble-bed
refused 2 'more titles' arch --time 0.02 --title one --title two
refused 2 'cannot be read' arch --time 0.02 --text nothing.txt

# a hostile name, of a body and of the run itself
evil='<img src=x onerror="window.hacked=1">'
cat >evil.json <<J
{"kind": "scene", "dimension": 2, "gravity": [0, -9.81], "step": {"h": 0.01}, "time": 0.1, "bodies": [
    {"name": "ground", "fixed": true, "shape": {"type": "halfspace", "normal": [0, 1], "offset": 0}},
    {"name": "</script><img src=x onerror=window.hacked=1>", "shape": {"type": "box", "half": [0.5, 0.5]}, "position": [0, 0.5], "velocity": [1, 0]}]}
J
"$stiction" run evil.json --out "$evil" --csv evil.csv >said 2>&1 || fail "run: $(cat said)"
"$stiction" view "$evil" --out evil.html >said 2>&1 || fail "view: $(cat said)"
grep -q '<img' evil.html && fail "a name stands in the page as it is"
"$stiction" run pebble-bed --set count=40 --time 0.3 --out bed >said 2>&1
"$stiction" view bed --out bed.html >said 2>&1 || fail "view bed: $(cat said)"
"$stiction" view stick-slip --time 1 --out slip.html >said 2>&1 || fail "view stick-slip: $(cat said)"
"$stiction" run peg-in-hole --time 9 --out peg >said 2>&1
"$stiction" view peg --out peg.html >said 2>&1 || fail "view peg: $(cat said)"
"$stiction" run nav-wall --time 3 --out nav >said 2>&1
echo 'what was <b>said</b>' >said.txt
"$stiction" view nav peg bed --title '<b>fleet</b>' --title peg --text said.txt --out three.html >said 2>&1 || fail "view of three: $(cat said)"
"$stiction" analyze painleve painleve-rod --page map.html >said 2>&1 || fail "analyze painleve --page: $(cat said)"
code=0
"$stiction" analyze painleve painleve-rod --instant --page no.html >said 2>&1 || code=$?
[ $code -eq 2 ] && [ ! -e no.html ] || fail "--instant leaves a map for --page"
"$stiction" analyze sticking arch --page sticks.html >/dev/null 2>said || fail "analyze sticking --page: $(cat said)"
"$stiction" analyze sticking arch --json >sticks.json
"$stiction" analyze sticking arch --set mu=0.25 --page falls.html >/dev/null 2>said
"$stiction" analyze modes rocking-block --wrench 3,-10,0 --page modes.html >/dev/null 2>said || fail "analyze modes --page: $(cat said)"
"$stiction" analyze modes rocking-block --wrench 3,-10,0 --json >modes.json
"$stiction" analyze closure gripper --object box --page grasp.html >/dev/null 2>said || fail "analyze closure --page: $(cat said)"
# by numbers: one velocity, so no place of anything is known; and a name that is hostile
cat >bare.json <<J
{"kind": "instant", "M": [[1]], "F": [1], "contacts": [
    {"name": "</script><img src=x onerror=window.hacked=1>", "type": "unilateral", "mu": 0, "n": [1], "t": []}]}
J
"$stiction" analyze sticking bare.json --page bare.html >/dev/null 2>said || fail "analyze sticking of numbers --page: $(cat said)"
"$stiction" analyze modes bare.json --page bare-modes.html >/dev/null 2>said || fail "analyze modes of one velocity --page: $(cat said)"
grep -q '<img' bare.html bare-modes.html && fail "a name of a contact stands in the page as it is"
code=0
"$stiction" analyze sticking arch --page none/page.html >/dev/null 2>said || code=$?
[ $code -eq 2 ] && grep -q 'none/page.html' said || fail "a page that cannot be written: exit code $code: $(cat said)"
code=0
"$stiction" analyze modes rocking-block rocking-block --page no.html >/dev/null 2>said || code=$?
[ $code -eq 2 ] && [ ! -e no.html ] || fail "--page of two instants: exit code $code: $(cat said)"
[ -z "$(find . -name 'stiction-page-*')" ] || fail "left behind: $(ls)"
printf 'x' | dd of=peg/checkpoint.h5 bs=1 seek=900 conv=notrunc 2>/dev/null
refused 2 'checkpoint.h5' peg --out broken.html
[ -e broken.html ] && fail "a page of a damaged run"
[ $failures -eq 0 ] || exit 1

chromium=$(command -v chromium || command -v chromium-browser)
if [ -z "$chromium" ] || ! [ -d "$web/node_modules/puppeteer-core" ]; then
    echo "skipped: chromium or puppeteer-core are missing; pages were written and not opened"
    exit 77
fi
python3 - <<'P'
import csv, json
rows = list(csv.DictReader(open("evil.csv")))[1:]  # without the start

series = {n: [float(r[n]) for r in rows] for n in ("kinetic", "potential", "residual")}
json.dump({"time": 0.1, "bodies": 2, "contacts": 2, "series": series,
           "texts": ["</script><img src=x onerror=window.hacked=1>", '<img src=x onerror="window.hacked=1">']}, open("evil.want", "w"))
json.dump({"time": 0.3, "bodies": 40, "video": True}, open("bed.want", "w"))
json.dump({"time": 0.5}, open("slip.want", "w"))
# at t = 9 the peg is between the walls, pushed by both tips: part, slot, two tips
json.dump({"time": 9, "bodies": 4, "contacts": 4, "texts": ["fork tip 1", "dissipation of each step"]}, open("peg.want", "w"))
# in the middle of the map theta = pi/4, where the friction of a uniform rod is critical at (1/3 + cos^2) / (sin cos) =
# 5/3
json.dump({"time": 0, "texts": ["theta = 0.7854, mu = 1.333: unique, whatever the load; critical friction 1.667"]}, open("map.want", "w"))
# the tightest contact of the arch stands first, with what is left of its cone
contacts = json.load(open("sticks.json"))["contacts"]
left = min(1 - abs(c["lambda_t"][0]) / (c["mu"] * c["lambda_n"]) for c in contacts)
json.dump({"time": 0, "bodies": 14, "drawn": 24, "texts": ["%.3g %% left" % (100 * left)],
           "answers": [{"question": "sticking", "verdict": "all contacts can stick", "rows": 24}]}, open("sticks.want", "w"))
json.dump({"time": 0, "bodies": 14, "drawn": 24, "moving": 11, "answers": [{"question": "sticking", "verdict": "they cannot all stick", "rows": 24}]}, open("falls.want", "w"))
modes = json.load(open("modes.json"))["modes"]
json.dump({"time": 0, "bodies": 1, "drawn": 2, "answers": [{"question": "modes", "verdict": "1 mode can happen", "rows": len(modes)}]}, open("modes.want", "w"))
json.dump({"time": 0, "bodies": 3, "drawn": 8, "answers": [{"question": "closure", "verdict": "the contacts balance every load", "rows": 8}]}, open("grasp.want", "w"))
evil = ["</script><img src=x onerror=window.hacked=1>"]
json.dump({"time": 0, "texts": evil, "answers": [{"question": "sticking", "verdict": "all contacts can stick", "rows": 1}]}, open("bare.want", "w"))
json.dump({"time": 0, "answers": [{"question": "modes", "verdict": "1 mode can happen", "rows": 2}]}, open("bare-modes.want", "w"))
json.dump({"time": 3, "bodies": 3, "texts": ["what was <b>said</b>", "<b>fleet</b>", "least gap"], "tabs": [3, 4, 40]}, open("three.want", "w"))
P
timeout 300 node "$web/test.mjs" "$chromium" evil bed slip peg map three sticks falls modes grasp bare bare-modes || fail "in Chromium"
[ $failures -eq 0 ]
