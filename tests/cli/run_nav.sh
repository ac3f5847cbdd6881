#!/usr/bin/env bash
# run_nav.sh COMMAND: stiction run with vehicles in cages: the reference case, deadlocks, fleets, files, wrong requests.
set -u
source "$(dirname "$0")/lib/tools.sh"

run run nav-wall --csv nav.csv --contacts forces.csv --out nav --picture --json
expect "a vehicle along a wall" 0 '"outcome": "time"'
if python3 - out "$reference_dir/thesis" <<'P'
import csv, json, os, sys
got = json.load(open(sys.argv[1]))
steps = [(s["step"], s["before"], s["after"]) for s in got["switches"]]
wall, obstacle = ["cart on wall"], ["cart on obstacle"]
assert steps == [(164, [], wall), (187, wall, obstacle), (286, obstacle, []), (418, [], wall)], steps
path = os.path.join(sys.argv[2], "data", "NAV-01_trajectory.csv")
if os.path.exists(path):
    mine, theirs = list(csv.reader(open("nav.csv"))), list(csv.reader(open(path)))
    names = theirs[0]
    x, y = [k for k, n in enumerate(names) if n in ("x", "qx", "q_x", "q0")][0], [k for k, n in enumerate(names) if n in ("y", "qy", "q_y", "q1")][0]
    worst = max(max(abs(float(a[1]) - float(b[x])), abs(float(a[2]) - float(b[y]))) for a, b in zip(mine[1:], theirs[1:]))
    assert worst < 1e-8, worst
    pressed = {(int(r["step"]), r["with"]): float(r["impulse"]) for r in csv.DictReader(open("forces.csv"))}
    for row in csv.DictReader(open(path)):
        for name, key in (("wall", "c_wall"), ("obstacle", "c_obstacle")):
            got = pressed.get((int(row["l"]), name), 0)
            assert abs(got - float(row[key] or 0)) < 1e-8, (row, got)
P
then ok "NAV-01"; else not_ok "NAV-01" "$(head -c 300 out)"; fi
for file in trajectory.h5 summary.json scene.svg; do
    if [ -s "nav/$file" ]; then ok "nav/$file"; else not_ok "nav/$file" "missing or empty"; fi
done
run inspect nav-wall
expect "what there is" 0 "1 vehicle, 1 wall, 1 obstacle"
run run nav-deadlock
expect "a deadlock" 1 "deadlock: nothing moves"
run run nav-crossing
expect "50 swap places" 0 "50 of 50 are at their goals"
run run nav-crossing --set bias=0
expect "without a bias they meet in a ring" 1 "deadlock"

# ---- other vehicles, walls and obstacles, against an enumeration of all sets of contacts
if python3 "$source_dir/tests/cli/lib/nav_study.py" "$command" 3 12 >out; then
    ok "$(tail -n 1 out)"
else
    not_ok "random vehicles" "$(head -c 400 out)"
fi

# ---- wrong requests
run run nav-wall --scheme alpha
refused "an option of systems" "--scheme: not for vehicles"
run run nav-wall --step 0.1
refused "a step" "--step: not for vehicles in cages"
run run nav-wall --set w=1
refused "a parameter that is not there" "w: no such parameter"
run run nav-crossing --set cage=1
refused "cages that overlap" "starts inside of"

# ---- on from a checkpoint: the same bits, the same events
run run nav-wall --csv part.csv --out part --picture --time 3 --quiet
run run --resume part --csv part.csv --time 12 --picture --json
expect "a run goes on" 0 '"outcome": "time"'
if cmp -s part.csv nav.csv; then ok "bit for bit"; else not_ok "bit for bit" "$(diff part.csv nav.csv | head -n 3)"; fi
if cmp -s part/scene.svg nav/scene.svg; then ok "the same picture"; else not_ok "the same picture" "differs"; fi
if command -v h5diff >/dev/null; then
    if h5diff -q nav/trajectory.h5 part/trajectory.h5; then ok "the same trajectory"; else not_ok "the same trajectory" "differs"; fi
fi
if python3 - <<'P'
import json
a, b = json.load(open("nav/summary.json")), json.load(open("part/summary.json"))
for k in ("switches", "switch_count", "least_gap", "residual", "steps", "vehicles"): assert a[k] == b[k], k
P
then ok "the same summary"; else not_ok "the same summary" ""; fi
run verify part
expect "checked by who did not make it" 0 "accepted: 8 checks hold"
run run nav-deadlock --out jam --quiet
run verify jam
expect "what a deadlock claims" 0 "forces are balanced by contacts"
run run --resume part
expect "nothing is left to do" 0 "already at t = "
run run --resume part --solver gs
refused "another solver" "--solver: not together with --resume"
head -c 2000 part/checkpoint.h5 >half && mv half part/checkpoint.h5
run run --resume part
refused "half a checkpoint" "part/checkpoint.h5"
finish
