#!/usr/bin/env bash
# events.sh COMMAND: stiction run --events with scenes of bodies: events, checks, checkpoints, threads, wrong requests.
set -u
source "$(dirname "$0")/lib/tools.sh"

cat >ball.json <<'J'
{"kind": "scene", "dimension": 2, "gravity": [0, -10], "step": {"h": 0.02}, "time": 2,
 "materials": {"m": {"mu": 0.2, "restitution": 0.5}},
 "bodies": [{"name": "floor", "material": "m", "fixed": true, "shape": {"type": "halfspace", "normal": [0, 1]}},
            {"name": "ball", "material": "m", "position": [0, 1.5], "velocity": [0.5, 0],
             "shape": {"type": "sphere", "radius": 0.5}}]}
J
run run ball.json --events auto --out ball --picture --csv ball.csv
expect "impacts at sqrt(1/5) and after 1/2, 1/4, .. of the flights" 0 "t = 0.4472135955: ball:floor impact"
expect "bounces accumulate" 0 "of the time was stepped"
run verify ball
expect "a run of bodies by events is verified" 0 "accepted"
run run ball.json --events auto --time 1 --out begun --quiet
run run --resume begun --time 2 --json
cp out resumed
run run ball.json --events auto --json --threads 1
if python3 -c "
import json
a, b = json.load(open('resumed')), json.load(open('out'))
assert a['q'] == b['q'] and a['v'] == b['v'] and a['located'] == b['located'], (a['located'], b['located'])
assert abs(b['q'][1] - 0.5) < 1e-11 and b['located']['impact'] > 8
e = b['energy']
assert abs(e['end'] - e['start'] - e['work'] - e['friction'] - e['collisions']) < 1e-7 * e['start'], e
"; then ok "a resumed run has the same bits, and its energy adds up"; else not_ok "a resumed run" "differs"; fi
run run newton-cradle --events auto --time 0.3 --out cradle
expect "the blow goes from ball to ball" 0 "impact 4"
run verify cradle
expect "and is verified" 0 "accepted"
run run motor-crank --events auto --time 0.2
expect "a motor that reaches its speed" 0 "shaft motor sticks"
run run ball.json --events off --time 0.1
expect "by steps" 0 "5 steps"
run run ball.json --events auto --step 0.1 --impact poisson --json
expect "options of systems" 0 '"h": 0.1'
expect "and the law of impacts" 0 '"impact": "poisson"'

run run box-stack --events auto
refused "faces on faces" "a box against a box: by events"
run run arch --events auto
refused "many bodies" "corners and limits that may touch"
run run ball.json --events always
refused "another way of events" "--events: always: auto or off expected"
run run ball.json --events auto --impact lzb
refused "springs of materials" "--impact: lzb"
run run ball.json --events auto --impact "[[1]]"
refused "a matrix of restitution" "--impact: a matrix"
run run ball.json --events auto --stiffness 1
refused "stiffness of contacts" "--stiffness: for systems by formulas"
run run ball.json --events auto --problem step.hdf5
refused "steps as contact problems" "--problem: not together with --events auto"
run run ball.json --events auto --index 3
refused "another level of joints" "--index: joints at the level of positions"

finish
