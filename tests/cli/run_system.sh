#!/usr/bin/env bash
# run_system.sh COMMAND: stiction run with systems: trajectories, tables, resumed runs, wrong requests.
set -u
source "$(dirname "$0")/lib/tools.sh"

# ---- a run and its files
run run stick-slip --out slip --csv slip.csv --picture
expect "stick-slip runs" 0 "1000 steps"
for file in trajectory.h5 summary.json checkpoint.h5 positions.svg velocities.svg energy.svg; do
    if [ -s "slip/$file" ]; then ok "slip/$file"; else not_ok "slip/$file" "missing or empty"; fi
done
if [ "$(wc -l <slip.csv)" = 1002 ]; then ok "a line for each step"; else not_ok "a line for each step" "$(wc -l <slip.csv)"; fi
head -n 1 slip.csv >out
code=0
expect "names in the table" 0 "t,x,y,x',y',x'_alpha,y'_alpha,kinetic,potential,residual"
# while the block sticks the weighted velocity is 0 and the other one is not (S3 figure 2.2)
if awk -F, '$1 > 1.5 && $1 < 2.5 && ($6 > 1e-12 || $6 < -1e-12 || $4 == 0) { bad = 1 } END { exit bad }' slip.csv; then
    ok "figure 2.2"
else
    not_ok "figure 2.2" "$(awk -F, '$1 > 2 && $1 < 2.05' slip.csv | head -n 2)"
fi
# energy = its start + work + friction, line by line
if awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { sum += $at["work"] + $at["friction"]; d = $at["kinetic"] + $at["potential"] - sum; if (d > 1e-12 || d < -1e-12) bad = 1 }
    END { exit bad }' slip.csv; then ok "the account of energy closes"; else not_ok "the account of energy closes" "it does not"; fi
run run stick-slip --out slip
refused "a folder that holds a run" "holds a run"

# ---- on from a checkpoint: the same bits
run run stick-slip --out part --csv part.csv --time 4 --quiet
expect "the first part" 0
run run --resume part --csv part.csv --time 10 --quiet
expect "the rest" 0
if cmp -s slip.csv part.csv; then ok "a resumed run has the same table"; else not_ok "a resumed run has the same table" "differs"; fi
if command -v h5diff >/dev/null; then
    if h5diff -q slip/trajectory.h5 part/trajectory.h5; then ok "and the same trajectory"; else not_ok "and the same trajectory" "differs"; fi
fi
run run --resume part --alpha 1
refused "--resume takes no new options" "--alpha"
run run --resume nothing
refused "--resume of nothing" "nothing"

# ---- as a measure: S3 figure 2.2 in numbers, and impacts with their times
expect_measure() { # NAME PYTHON-CONDITION over m
    if python3 -c "import json; m = json.load(open('slip/summary.json'))['measure']; raise SystemExit(not ($2))"; then ok "$1"; else not_ok "$1" "$(cut -c 1-300 slip/summary.json)"; fi
}
expect_measure "the weighted velocity varies less" "m['variation'] > 4 * m['weighted_variation'] > 0"
expect_measure "normal impulses are weight times time" "abs(m['impulses'] - 98.1) < 1e-9"
expect_measure "hypotheses are told" "[h['found'] for h in m['hypotheses']][2:4] == ['seen', 'seen'] and len(m['hypotheses']) == 9"
run run bouncing-ball --time 3
expect "impacts are summed up" 0 "6 impacts of 29.41 in all; friction cone pointed by 1"

# ---- and is verified, whatever scheme it was made by
run verify slip
expect "a run of a system is verified" 0 "accepted: 8 checks hold"
expect "with the constant of its overlaps" 0 "gaps at least -C h^2 with C ="
run verify part --json
expect "as JSON" 0 '"of": "system"'
for options in "--scheme convex" "--law cone" "--printed" "--alpha 1 --geometry old" "--settle" "--impact moreau"; do
    # shellcheck disable=SC2086
    run run tilted-block --time 0.5 $options --out checked --force --quiet
    run verify checked
    expect "tilted-block $options is verified" 0 "accepted"
done
run run slider-crank --time 0.4 --out checked --force --quiet
run verify checked
expect "steps of many pieces are told" 0 "more than 8 pieces"
cp -r slip forged
printf 'broken' | dd of=forged/trajectory.h5 bs=1 seek=0 conv=notrunc status=none
rm -rf still && run run slope-block --scheme convex --time 0.3 --out still && run verify still
expect "a system at rest is measured by what its forces would do" 0 "accepted"
run verify forged
refused "a damaged recording" "forged/trajectory.h5"

# ---- JSON, parameters, schemes
run run bouncing-ball --set e=1,height=2 --time 3 --json
expect "JSON" 0 '"outcome": "time"'
run run slope-block --time 1 --step 0.002 --json
expect "a block that sticks does not move" 0 '"q": [0, 0]'
run run slope-block --set mu=0.3 --time 0.1 --json
expect "and slides where friction is less" 0 '"mode": "slide"'
for options in "--scheme convex" "--law cone" "--printed" "--alpha 1 --geometry old" "--impact moreau" "--facets 16" "--settle"; do
    # shellcheck disable=SC2086
    run run painleve-rod --time 0.2 $options
    expect "painleve-rod $options" 0 "finished at t ="
done

# ---- impact laws: chains of balls
run run balls-3 --impact newton --time 1 --json
expect "Newton: the balls go on together" 0 '"impact": "newton"'
if grep -q '"v": \[-0.33333333333333[0-9]*, 0.66666666666666[0-9]*, 0.66666666666666[0-9]*\]' out; then ok "1/3 and 2/3"; else not_ok "1/3 and 2/3" "$(grep -o '"v": [^]]*]' out)"; fi
run run balls-3 --impact '[[0, 1], [1, 0]]' --time 1 --out cradle --json
expect "a matrix that passes the velocity on" 0 '"impact": "general"'
if grep -q '"v": \[0, 0, 1\]' out || grep -q '"v": \[[-0-9.e]*e-1[67], [-0-9.e]*e-1[67], \(1\|0.99999999999999[0-9]*\)\]' out; then
    ok "the last ball goes alone"
else
    not_ok "the last ball goes alone" "$(grep -o '"v": [^]]*]' out)"
fi
run run --resume cradle --time 2 --json
expect "a resumed run keeps its matrix" 0 '"impact": "general"'

# ---- energy
run run slider-crank --time 1 --json
expect "a crank that is too fast for its steps runs in pieces" 0 '"outcome": "time"'
for scene in block-pendulum four-bar slider-crank particles-on-rod planar-box tilted-block painleve-rod stick-slip belt-block; do
    run run $scene --time 3 --json
    rise=$(grep -o '"largest_rise": [^,}]*' out | cut -d' ' -f2)
    if [ "$code" = 0 ] && awk -v r="$rise" 'BEGIN { exit !(r < 1e-11) }'; then ok "$scene gains no energy"; else not_ok "$scene gains no energy" "$rise"; fi
done
run run stick-slip --time 3
expect "work of forces is told" 0 "work 0."

# ---- a step without solution is an answer, not a failure
cat >squeeze.json <<'END'
{"kind": "system", "coordinates": ["x"], "kinetic": "x'^2/2",
 "contacts": [{"name": "left", "gap": "x + 0.5 - t"}, {"name": "right", "gap": "0.5 - x - t"}]}
END
run run squeeze.json --scheme convex --time 2
expect "walls that meet" 1 "a step failed at t ="
run run squeeze.json --scheme convex --time 2 --json
expect "walls that meet, as JSON" 1 '"outcome": "failed"'

# ---- wrong requests
run run stick-slip --scheme beta
refused "no such scheme" "--scheme: beta" "quasistatic"
run run stick-slip --alpha 2
refused "alpha beyond 1" "alpha 2"
run run stick-slip --facets 5
refused "an odd number of facets" "facets 5"
run run stick-slip --law round
refused "no such law" "--law: round"
run run stick-slip --impact euler
refused "no such impact law" "--impact: euler"
run run balls-3 --impact '[[0, 1], [1]]'
refused "a matrix of another size" "--impact: 3 numbers" "2 x 2"
run run balls-3 --impact '[[0, 1], [1, x]]'
refused "a matrix with a letter" "--impact: x"
run run balls-3 --impact '[[0, 1], [1, 0]'
refused "a matrix that does not end" "--impact: [[0, 1], [1, 0]: its brackets do not close"
run run stick-slip --geometry new
refused "no such geometry" "--geometry: new"
run run stick-slip --solver gs
refused "solvers are for beds" "--solver"
run run stick-slip --frame 0.1
refused "frames are for beds" "--frame"
run run stick-slip --set nothing=1
refused "no such parameter" "nothing"
run run settle --alpha 1
refused "alpha is for systems" "--alpha"
cat >broken.json <<'END'
{"kind": "system", "coordinates": ["y"], "kinetic": "y'^2/2",
 "joints": [{"name": "low", "constraint": "y"}, {"name": "high", "constraint": "y - 1"}]}
END
run run broken.json
refused "joints that contradict each other" "cannot be closed"

# ---- what a scheme does not know is refused, and energies are booked where they go
run run bouncing-ball --scheme convex --impact newton --time 1
refused "no impact law in the convex scheme" "--impact: scheme convex has inelastic impacts alone"
run run bouncing-ball --scheme quasistatic --impact newton --time 1
refused "no impacts without inertia" "--impact: scheme quasistatic has no impacts"
run run bouncing-ball --scheme convex --time 1
refused "no restitution in the convex scheme" 'contact "table" has restitution 0.8'
run run stick-slip --scheme convex --time 1 --json  # it starts at rest, where both values are rounding
apart=$(sed -n 's/.*"duality_gap": \([^,}]*\).*/\1/p' out)
if awk -v x="$apart" 'BEGIN { exit !(x != "" && x < 1e-12) }'; then ok "a program and its dual agree, at rest too"; else not_ok "a program and its dual agree, at rest too" "$apart"; fi
run run bouncing-ball --scheme convex --set e=0 --time 1
expect "an inelastic impact is no friction" 0 "friction 0, largest rise beyond work 0.0e+00; 1 collisions changed it by -9.81"

# ---- one truth about the start
cat >inside.json <<'END'
{"kind": "system", "coordinates": ["y"], "kinetic": "y'^2/2", "potential": "9.81*y",
 "contacts": [{"name": "lower", "gap": "y"}], "state": {"q": ["-8.8e-7"], "v": [0]}}
END
run run inside.json --time 0.1
expect "a start in the ground" 0 'start: overlapping: position and velocity satisfy all joints; contact "lower" overlaps'
if grep -q consistent out; then not_ok "is not consistent" "$(grep consistent out)"; else ok "is not consistent"; fi

# ---- contacts in tables and summaries
run run bouncing-ball --time 1 --csv bounce.csv --json
expect "collisions of a contact" 0 '"collisions": 1, "first_collision": 0.4515236409857'
head -n 1 bounce.csv >out
expect "columns of a contact" 0 "collision_time,collision_energy,gap:table,impulse_n:table,collision:table"
run run stick-slip --time 0.1 --csv slip.csv
head -n 1 slip.csv >out
expect "with slip" 0 "gap:ground,impulse_n:ground,impulse_t:ground,slip:ground,collision:ground"
run run bouncing-ball --time 0.3 --out two --csv two.csv --quiet
run run --resume two --time 1 --csv two.csv --json
expect "collisions are counted on" 0 '"collisions": 1, "first_collision": 0.4515236409857'
if cmp -s bounce.csv two.csv; then ok "and the table goes on"; else not_ok "and the table goes on" "differs"; fi
# ---- by events, and joints at the level of positions
run run stick-slip --events auto --time 5 --out located --picture
expect "events are listed" 0 ": ground slips"
run verify located
expect "a run by events is verified" 0 "accepted"
run run stick-slip --events auto --time 2 --out begun --quiet
run run --resume begun --time 5 --json
cp out resumed
run run stick-slip --events auto --time 5 --json
if python3 -c "
import json
a, b = json.load(open('resumed')), json.load(open('out'))
assert a['q'] == b['q'] and a['located'] == b['located'] and b['located']['slips'] == 1, (a['located'], b['located'])
"; then ok "a resumed run by events"; else not_ok "a resumed run by events" "differs"; fi
run run bouncing-ball --events auto --time 5
expect "bounces accumulate" 0 "of the time was stepped"
run run four-bar --index 3 --time 1
expect "joints at the level of positions" 0 "level of positions (index 3)"
run run four-bar --events auto --time 1 --tol 1e-6
expect "and of accelerations" 0 "level of accelerations (index 1)"
run run stick-slip --events always
refused "another way of events" "--events: always: auto or off expected"
run run stick-slip --scheme convex --events auto
refused "events of the convex scheme" "--events: scheme convex does not locate events"
run run four-bar --index 1
refused "another index" "--index: 1: 2 or 3 expected"
run run four-bar --index 3 --events auto
refused "two levels" "--index: joints at the level of positions"
run run stick-slip --tol 1e-6
refused "a tolerance without events" "--tol: for grains, bodies and --events"
run run box-stack --events always
refused "another way of events, of bodies" "--events: always"
run run bouncing-ball --set e=0.5,e=0.6
refused "a setting twice" "--set: e: given twice, 0.5 and 0.6"
finish
