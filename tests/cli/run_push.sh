#!/usr/bin/env bash
# run_push.sh COMMAND: stiction run with parts and probes: reference cases, tables, pictures, resumed runs, jams, wrong
# requests.
set -u
source "$(dirname "$0")/lib/tools.sh"

# ---- the reference cases
if [ -f "$reference_dir/thesis/cases.json" ]; then
    if python3 "$source_dir/tests/cli/lib/peg_cases.py" "$command" "$reference_dir/thesis/cases.json" >out; then
        ok "the PEG cases: $(tail -n 1 out)"
    else
        not_ok "the PEG cases" "$(head -c 400 out)"
    fi
else
    echo "skipped: no reference values at tests/reference"
fi

# ---- other shapes, supports, frictions and tips, against an enumeration of all modes
if python3 "$source_dir/tests/cli/lib/push_study.py" "$command" 7 12 >out; then
    ok "$(tail -n 1 out)"
else
    not_ok "random scenes" "$(head -c 400 out)"
fi

# ---- a run and its files
run run peg-in-hole --out hole --csv hole.csv --contacts contacts.csv --picture
expect "a peg finds its slot" 0 "every step checked"
for file in trajectory.h5 summary.json checkpoint.h5 scene.svg; do
    if [ -s "hole/$file" ]; then ok "hole/$file"; else not_ok "hole/$file" "missing or empty"; fi
done
if [ "$(wc -l <hole.csv)" = 382 ]; then ok "a line for each step"; else not_ok "a line for each step" "$(wc -l <hole.csv)"; fi
if grep -qiE "accelerat|kinetic|inertia" out hole/summary.json hole.csv; then
    not_ok "nothing about accelerations" "$(grep -oiE "accelerat|kinetic|inertia" out | head -n 1)"
else
    ok "nothing about accelerations"
fi
awk -F, 'END { exit !($2 > 1.8 && $3 < 0.0200001 && $4 * $4 < 1e-12) }' hole.csv && ok "it is in" || not_ok "it is in" "$(tail -n 1 hole.csv)"
head -n 1 contacts.csv >out
code=0
expect "names in the table of contacts" 0 "step,t,part,with,mode,x,y,n_x,n_y,mu,gap,opening,lambda_n,lambda_t,slip"
if python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' hole/scene.svg; then ok "the picture is XML"; else not_ok "the picture is XML" ""; fi

# ---- on from a checkpoint: the same bits
run run peg-in-hole --out part --csv part.csv --contacts part-contacts.csv --picture --time 5 --quiet
run run --resume part --time 19 --csv part.csv --contacts part-contacts.csv --picture --quiet
expect "a run goes on" 0
for pair in part-contacts.csv:contacts.csv part/scene.svg:hole/scene.svg; do
    if cmp -s "${pair%:*}" "${pair#*:}"; then ok "the same $pair"; else not_ok "the same $pair" "differs"; fi
done
if command -v h5diff >/dev/null; then
    if h5diff -q hole/trajectory.h5 part/trajectory.h5; then ok "the same trajectory"; else not_ok "the same trajectory" "differs"; fi
fi
if python3 - <<'P'
import json
a, b = json.load(open("hole/summary.json")), json.load(open("part/summary.json"))
for k in ("phases", "check", "residual", "penetration", "dissipation", "steps", "parts", "most_contacts"): assert a[k] == b[k], k
P
then ok "the same summary"; else not_ok "the same summary" ""; fi
run run --resume part
expect "nothing is left to do" 0 "already at t = "
run run --resume part --jamming
refused "an option of grains, going on" "--jamming: not for parts and probes"
if cmp -s part.csv hole.csv; then ok "bit for bit"; else not_ok "bit for bit" "$(diff part.csv hole.csv | head -n 3)"; fi

# ---- steps without a solution
run run peg-stuck --json
expect "stuck" 1 '"outcome": "stuck"'
expect "with the forces that show it" 1 '"wrenches": [{"contact": 0'
run run peg-damage
expect "damage" 1 "damage: upper and lower press against each other"
run run peg-damage --set d=0.13 --time 0.05
expect "errata S3-E15: apart by more than mu times the width, the peg turns" 0 "1 steps"
run run peg-damage --set d=0.3,mu=0.8
expect "and by less it does not" 1 "damage"

# ---- what there is at the start, and the problem of a step as a file
run inspect peg-push
expect "inspect: the damping" 0 "eigenvalues 0.48, 3, 3; centre of friction (0, 0) of the part"
expect "inspect: one contact" 0 "friction cone of what touches: pointed"
run inspect peg-damage
expect "inspect: two that oppose each other" 0 "not pointed"
run run peg-push --time 0.5 --problem last.json
run solve last.json --solver lemke
expect "the last step as a problem" 0 "solved by lemke"
run run peg-stuck --problem none.json --quiet
run solve none.json
expect "the step that there is not" 1 "no solution"
run run peg-push --problem step.txt
refused "a problem of another name" "--problem: step.txt: a name that ends in .json, .hdf5 or .h5 is expected"

# ---- wrong requests
run run peg-push --scheme alpha
refused "an option of systems" "--scheme: not for pushes"
run run peg-push --tol 1e-3
refused "an option of grains" "--tol: not for parts and probes"
run run peg-push --set nu=1
refused "a parameter that is not there" "nu: no such parameter"
run run peg-push --set rho=0
refused "a support that holds nothing" "parts[0].support: the damping matrix is not positive definite"
run run peg-push --set y0=0.2,speed=x
refused "a value that is no number" "speed: x: a number is expected"
run run peg-in-hole --set clearance=-0.1,y0=0
expect "a slot that is too narrow" 1 "stuck: fork tip"
sed 's/"pose": \[0, 0, 0\]/"pose": [0, -0.1, 0]/' "$source_dir/scenes/peg-stuck.json" >low.json
run run low.json --out low
refused "a part that overlaps its fixture" "low.json: parts[0].pose: \"peg\" overlaps fixture \"floor\" by 0.1"
if [ -e low ]; then not_ok "nothing is written" "low is there"; else ok "nothing is written"; fi
sed 's/"pose": \[0, 0, 0\]/"pose": [0, 0.1, 0]/' "$source_dir/scenes/peg-stuck.json" >high.json
run run high.json
refused "a tip inside the part" "high.json: probes[0].tips[0]: [0, 0.4]: inside \"peg\", by 0.1"
sed 's/"kind": "manipulation"/"kind": "manipulations"/' "$source_dir/scenes/peg-push.json" >other.json
run run other.json
refused "another kind" "no such kind"
run analyze velocities peg-push
refused "an analysis of an instant" "peg-push"
finish
