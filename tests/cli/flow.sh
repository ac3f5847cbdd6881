#!/usr/bin/env bash
# flow.sh COMMAND: optical flow: pictures in, .flo and PNG out, and real pairs with known flow where they are there.
set -u
source "$(dirname "$0")/lib/tools.sh"

python3 - <<'P'
import math
def grey(x, y): return round(255 * (.5 + .25 * math.sin(.5 * x + .3 * y) + .25 * math.cos(.2 * x - .45 * y)))
def pgm(name, u, v, size=24):
    with open(name, "wb") as f:
        f.write(b"P5\n# a wave\n%d %d\n255\n" % (size, size))
        f.write(bytes(grey(x - u, y - v) for y in range(size) for x in range(size)))
pgm("a.pgm", 0, 0)
pgm("b.pgm", .6, -.4)
pgm("small.pgm", 0, 0, 20)
pgm("tiny.pgm", 0, 0, 4)
with open("plain.pgm", "w") as f:
    f.write("P2 24 24 255\n" + "\n".join(str(grey(x, y)) for y in range(24) for x in range(24)))
P

run flow a.pgm b.pgm --out f.flo --picture f.png --arrows 6
expect "a flow" 0 "proved and checked"
[ "$(head -c 4 f.flo)" = PIEH ] && [ "$(wc -c <f.flo)" = $((12 + 8 * 24 * 24)) ] && ok "as a .flo file" || not_ok "as a .flo file" "$(wc -c <f.flo)"
[ "$(head -c 4 f.png | tail -c 3)" = PNG ] && ok "and a picture" || not_ok "and a picture" "no PNG"
python3 - <<'P' && ok "which is the motion" || not_ok "which is the motion" "far from it"
import struct
d = open("f.flo", "rb").read()
n = 24 * 24
v = struct.unpack("<%df" % (2 * n), d[12:])
assert abs(sorted(v[0::2])[n // 2] - .6) < .05 and abs(sorted(v[1::2])[n // 2] + .4) < .05
P
run flow a.pgm b.pgm --threads 2 --out two.flo
cmp -s f.flo two.flo && ok "two threads, the same bits" || not_ok "two threads, the same bits" "two.flo differs"
run flow a.pgm b.pgm --truth f.flo --json
expect "compared with a known flow" 0 '"pixel_count": 576'
python3 -c 'import json; assert json.load(open("out"))["error"]["mean"] < 1e-6' && ok "which is itself" || not_ok "which is itself" "$(cut -c1-300 out)"
run flow plain.pgm b.pgm --levels 1 --tol 1e-8 --json
expect "a plain PGM, the one program" 0 '"verified": true'
cp out one.json
run flow a.pgm b.pgm --levels 1 --tol 1e-8 --problem lp.h5 --json
expect "its program in a file" 0 '"outcome": "solved"'
run solve lp.h5 --json
python3 -c 'import json; a, b = (json.load(open(n)) for n in ("one.json", "out")); assert abs(a["levels"][0]["objective"] / b["objective"] - 1) < 3e-8' &&
    ok "has the same value" || not_ok "has the same value" "$(cut -c1-200 out)"
run flow a.pgm b.pgm --time-limit 1e-6 --problem late.json --out late.flo
expect "a limit that is over at once leaves a flow" 1 "the time limit was reached"
[ -s late.flo ] && ok "which is written" || not_ok "which is written" "$(ls)"
run inspect late.json
expect "the program is written before a time limit comes" 0 "n = 1152 unknowns, m = 2880 rows"
run flow a.pgm small.pgm --problem none.json
refused "no program of frames of different sizes" "a.pgm, small.pgm: the frames have different sizes"
[ ! -e none.json ] && ok "is written" || not_ok "is written" "none.json is there"
run flow f.png f.png --levels 1
expect "PNG in; nothing moves" 0 "objective 0"

run flow a.pgm small.pgm
refused "frames of different sizes" "a.pgm, small.pgm: the frames have different sizes: 24 x 24 and 20 x 20"
run flow tiny.pgm tiny.pgm
refused "frames too small" "4 x 4"
run flow a.pgm missing.pgm
refused "a frame that is not there" "missing.pgm"
echo text >text.pgm
run flow a.pgm text.pgm
refused "no picture" "text.pgm: neither a PNG nor a PGM or PPM picture"
head -c 300 f.png >cut.png
run flow cut.png cut.png
refused "half a PNG" "cut.png: a PNG file that cannot be read"
head -c 100 a.pgm >cut.pgm
run flow cut.pgm a.pgm
refused "half a PGM" "cut.pgm: pixel"
run flow a.pgm b.pgm --truth a.pgm
refused "no flow" "a.pgm: not a .flo file"
run flow a.pgm b.pgm --truth <(printf 'PIEH\x02\x00\x00\x00\x01\x00\x00\x00') 2>/dev/null
[ "$code" = 2 ] && ok "a flow cut short" || not_ok "a flow cut short" "exit code $code"
run flow a.pgm b.pgm --out /nowhere/f.flo
[ "$code" = 2 ] || [ "$code" = 3 ] && ok "a place that is not there" || not_ok "a place that is not there" "exit code $code"
run flow a.pgm b.pgm --tol 2
refused "a tolerance that is none" "--tol: 2"

data=$shared_dir/data/flow
if [ -d "$data" ]; then
    # mean endpoint errors of OpenCV's DualTVL1, the same model by a first-order method: 0.134, 0.085, 0.167
    for item in RubberWhale:0.134 Dimetrodon:0.085 Venus:0.167; do
        name=${item%:*}
        run flow "$data/$name/c64_10.pgm" "$data/$name/c64_11.pgm" --truth "$data/$name/c64.flo" --json
        expect "$name, 64 x 64" 0 '"outcome": "solved"'
        python3 -c 'import json, sys; a = json.load(open("out")); sys.exit(a["error"]["mean"] > float(sys.argv[1]))' "${item#*:}" &&
            ok "$name: the error is below ${item#*:}" || not_ok "$name: the error is below ${item#*:}" "$(grep -o '"error.*' out | cut -c1-100)"
    done
    run flow "$data/RubberWhale/c64_10.pgm" "$data/RubberWhale/c64_11.pgm" --levels 1 --tol 1e-8 --json
    python3 -c 'import json; v = json.load(open("out"))["levels"][0]; assert v["bound"] <= 28.68697471 and v["objective"] >= 28.68697462 and v["gap"] <= 1e-8' &&
        ok "RubberWhale: the value of the one program" || not_ok "RubberWhale: the value of the one program" "$(cut -c1-300 out)"
else
    echo "skip  real pairs: they are not there"
fi
finish
