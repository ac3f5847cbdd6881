#!/usr/bin/env bash
# fit.sh COMMAND: stiction fit: reference cases, what is not determined, systems, wrong requests and wrong data.
set -u
source "$(dirname "$0")/lib/tools.sh"

if [ -f "$reference_dir/thesis/cases.json" ]; then
    if python3 "$source_dir/tests/cli/lib/fit_cases.py" "$command" "$reference_dir/thesis/cases.json" peg-push >out; then
        ok "the NMF cases: $(tail -n 1 out)"
    else
        not_ok "the NMF cases" "$(head -c 400 out)"
    fi
    if [ -s fit.svg ]; then ok "a picture"; else not_ok "a picture" "missing"; fi
else
    echo "skipped: no reference values at tests/reference"
fi

# ---- what a run wrote is found again, and what it cannot say is told
run run peg-push --csv push.csv --time 0.5 --set mu=0.15 --quiet
run fit peg-push push.csv --parameters mu --step 0.05
expect "friction from a table of a run that slides" 0 "mu = 0.15"
run fit peg-push push.csv --parameters mu,rho --start 0.4,0.5 --step 0.05
expect "from where the tip sticks friction is left open" 1 "not determined"
run fit peg-push push.csv --parameters mu,rho --start 0.4,0.5 --step 0.05 --bounds mu=0:1,rho=0.1:1
expect "with bounds other starts are tried" 0 "mu = 0.15"
expect "and the support is found too" 0 "rho = 0.4"
sed 's/, 1\]/, "c"]/g; s/"mu": 0.3,/"mu": 0.15, "c": 2,/' "$source_dir/scenes/peg-push.json" >factor.json
run fit factor.json push.csv --parameters c
expect "an overall factor on E is not determined" 1 "not determined"
cat >fall.json <<'J'
{"kind": "system", "parameters": {"g": 5}, "coordinates": ["y"], "kinetic": "y'^2/2", "potential": "g*y"}
J
printf 't,y\n0.1,-0.04905\n0.2,-0.1962\n0.35,-0.6008625\n' >fall.csv
run fit fall.json fall.csv --parameters g --norm squares
expect "gravity from a fall" 0 "g = 9.81"
run fit fall.json fall.csv --parameters g --bounds g=0:8
expect "at its bound" 0 "g = 8, at its bound"

# ---- bodies and beds
run run slope --set mu=0.2 --time 0.5 --csv slope.csv --quiet
cut -d, -f1-4 slope.csv >box.csv
run fit slope box.csv --parameters mu,half --start 0.3,0.6 --bounds mu=0:1,half=0.4:0.8
expect "friction of a box on a slope" 0 "mu = 0.2"
expect "and its size" 0 "half = 0.5"
run fit slope slope.csv --parameters mu --start 0.3 --json
expect "every column of its table that has a name" 0 '"name": "potential"'
run fit slope box.csv --parameters mass
refused "a parameter that bodies have not" "--parameters: mass: slope has no such parameter"
sed 's/"count": 1600/"count": 12/' "$source_dir/scenes/settle.json" >bed.json
run run bed.json --time 0.1 --csv bed.csv --quiet
python3 - <<'P'
import csv
rows = list(csv.DictReader(open("bed.csv")))[::5]
with open("grain.csv", "w") as f:
    f.write("t,z3,kinetic\n" + "".join("%s,%s,%s\n" % (r["t"], r["z3"], r["kinetic"]) for r in rows))
P
run fit bed.json grain.csv --parameters gravity --start 8
expect "gravity from a bed" 0 "gravity = 9.81"
run fit bed.json grain.csv --parameters friction
refused "a parameter that beds have not" "--parameters: friction: bed.json has no such parameter"

# ---- wrong requests and data
run fit fall.json fall.csv
refused "no parameters" "--parameters: missing"
run fit fall.json fall.csv --parameters k
refused "a parameter that is not there" "--parameters: k: fall.json has no such parameter"
run fit fall.json fall.csv --parameters g,g
refused "twice" "--parameters: g: given twice"
run fit fall.json fall.csv --parameters g --bounds g=1
refused "bounds" "--bounds: g=1: NAME=LOW:HIGH is expected"
run fit fall.json fall.csv --parameters g --bounds g=3:1
refused "bounds the wrong way" "--bounds: g: 3 is not below 1"
run fit fall.json fall.csv --parameters g --start 1,2
refused "a start of another size" "--start: 2 numbers for 1 parameters"
run fit fall.json fall.csv --parameters g --norm l7
refused "a norm" "--norm: l7: largest or squares expected"
run fit nav-wall fall.csv --parameters mu
refused "another kind" "fit takes"
printf 't,y\n0.1,\n' >gap.csv
run fit fall.json gap.csv --parameters g
refused "a gap in the data" "gap.csv: line 2: y: \"\": a number is expected; data may not have gaps"
printf 't,y\n0.1\n' >short.csv
run fit fall.json short.csv --parameters g
refused "a short line" "short.csv: line 2: 1 columns, 2 are expected"
printf 't,y\n0.1,1,2\n' >long.csv
run fit fall.json long.csv --parameters g
refused "a long line" "long.csv: line 2: more than 2 columns"
printf 'time,y\n0.1,1\n' >time.csv
run fit fall.json time.csv --parameters g
refused "no time" "time.csv: no column t"
printf 't,z\n0.1,1\n' >other.csv
run fit fall.json other.csv --parameters g
refused "nothing to compare" "other.csv: no column to compare: y, y' are expected"
printf 't,y\n' >none.csv
run fit fall.json none.csv --parameters g
refused "no rows" "none.csv: no numbers below the names"
printf 't,x,theta\n1,0.1,-9\n2,0.2,-17\n' >degrees.csv
run fit peg-push degrees.csv --parameters mu
refused "other units of angles" "degrees.csv: line 3: theta: 17: other units? Radians are expected"
printf 't,x\n1,100\n2,200\n' >millimetres.csv
run fit peg-push millimetres.csv --parameters mu
refused "other units of lengths" "millimetres.csv: line 3: x: 200: other units? The parts are 0.8 in size"
printf 't,x [mm],y\n0,0,0\n0.05,1,0\n' >unit.csv
run fit peg-push unit.csv --parameters mu
refused "a unit in a name" "unit.csv: column x [mm]: numbers in the units of the scene, named x, are expected"
printf 't,x,theta_deg\n0,0,0\n0.05,0,0\n' >unit.csv
run fit peg-push unit.csv --parameters mu
refused "a unit behind a name" "unit.csv: column theta_deg: "
run fit peg-push missing.csv --parameters mu
refused "no such table" "missing.csv"
printf 't,y,g\n0.1,1,2\n' >given.csv
run fit fall.json given.csv --parameters g
refused "a parameter that is given" "given.csv: column g: is to be fitted"
finish
