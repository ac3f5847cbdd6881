#!/usr/bin/env bash
# run_bed.sh COMMAND: stiction run with beds of grains: scenes, options, the files of a run, stopping and going on.
set -u
source "$(dirname "$0")/lib/tools.sh"

# number FIELD FILE: the value of a field of a JSON object on one line
number() { sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p" "$2"; }
# holds NAME EXPRESSION: an awk expression is true
holds() { if awk "BEGIN { exit !($2) }"; then ok "$1"; else not_ok "$1" "$2"; fi; }
same() { if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1" "$2 and $3 differ"; fi; }
there() { for file in "${@:2}"; do [ -s "$file" ] || { not_ok "$1" "no $file"; return; }; done; ok "$1"; }

# ---- a run without files
run run pebble-bed --set count=60,kinetic_mean=0 --time 0.6
expect "a short run" 0 "60 grains, 60 steps of 0.01, finished at t = 0.6"
run run pebble-bed --set count=60,kinetic_mean=0 --time 0.6 --json
expect "--json" 0 '"kind": "run"'
cp out json
[ "$(wc -l <out)" = 1 ] && ok "--json is one line" || not_ok "--json is one line" "it is not"
for field in solver outcome residual iterations time_s; do grep -q "\"$field\": " out && ok "--json has $field" || not_ok "--json has $field" "no"; done
holds "every step is solved" "$(number residual json) <= 3e-5 && $(number unsolved_steps json) == 0"
holds "energy never grows" "$(number end json) <= $(number start json)"
run run pebble-bed --set count=60 --time 0.1 --quiet
[ ! -s out ] && [ ! -s err ] && ok "--quiet" || not_ok "--quiet" "it says something"
run run pebble-bed --set count=20,until.kinetic_mean=1 --time 30
expect "until rest" 0 ", at rest at t ="
run run settle --set count=50 --time 0.05
expect "settle" 0 "50 grains, 25 steps of 0.002"

# ---- laws and solvers
for pair in coulomb:gs cone:gs cone:apgd cone:bb facets:gs facets:apgd facets:bb facets:blmvm facets:tron facets:ipm cone:ipm; do
    run run pebble-bed --set count=40,kinetic_mean=0 --time 0.7 --step 0.02 --law ${pair%:*} --solver ${pair#*:} --tol 1e-7 --json
    expect "law ${pair%:*} by ${pair#*:}" 0 "\"solver\": \"${pair#*:}\""
done
run run pebble-bed --set count=40,max_iterations=1 --time 0.8 --tol 1e-12
expect "steps that are not solved" 1 "steps not solved"

# ---- options that add up
run run pebble-bed --set count=60 --set kinetic_mean=0 --set=mu=0.4 --time 0.1 --json
expect "--set again and again" 0 '"grain_count": 60'
holds "all of them act" "$(number mu out) == 0.4"
run run pebble-bed --set count=60 --set
refused "--set without a value" "--set: NAME=X,.. is missing"

# ---- the last step as a problem, and jamming
run run pebble-bed --set count=60,kinetic_mean=0 --time 1.5 --problem step.hdf5 --json
expect "--problem" 0 '"problem": "step.hdf5"'
holds "with its residual" "$(number problem_residual out) <= 2e-5"
run verify step.hdf5 step.hdf5 --tol 2e-5
expect "the verifier accepts the step" 0 "accepted: solved"
run inspect step.hdf5
expect "inspect reads it" 0 "global form, dimension 3"
run solve step.hdf5 --tol 1e-6
expect "solve reads it" 0 "solved by"
run run pebble-bed --set count=60,kinetic_mean=0 --time 1 --law cone --problem lifted.hdf5 --quiet
expect "--problem under a convex law" 0
run verify lifted.hdf5 lifted.hdf5
refused "which claims nothing" "this file holds no solution"
run run pebble-bed --set count=60,kinetic_mean=0 --time 2 --jamming
expect "--jamming" 0 "not jammed: no self-stress"
run run pebble-bed --set count=60,kinetic_mean=0 --time 2 --jamming --jamming-limit 30 --json
expect "--jamming --json" 0 '"jamming": {"pointed": "holds"'
holds "with a margin" "$(number margin out) > 0"
run run pebble-bed --set count=60,kinetic_mean=0 --time 2 --jamming --jamming-every 0.1 --json --out jam --threads 2
expect "--jamming-every" 0 '"jamming_tests": {"count": 20, "holds": 20, "fails": 0, "first_fails": null}'
run run pebble-bed --set count=60,kinetic_mean=0 --time 0.9 --frame 0.07 --jamming --jamming-every 0.1 --quiet --out jam2
run run --resume jam2 --time 2 --jamming --jamming-every 0.1 --json
expect "and resumed" 0 '"jamming_tests": {"count": 20, '
run run pebble-bed --set count=20 --time 0.02 --jamming-every 0.1
refused "--jamming-every alone" "--jamming-every: needs --jamming"
run run pebble-flow --set count=60,cylinder=2.5,opening=1.8 --time 1.5 --problem flow.hdf5 --jamming --quiet
expect "of a flow" 0
there "the problem of a flow" flow.hdf5
run run pebble-bed --set count=20 --time 0.02 --problem step.json
refused "--problem with another ending" "step.json: a name that ends in .hdf5"
run run pebble-bed --set count=20 --time 0.02 --problem no/such/step.hdf5 --out kept
refused "--problem that cannot be written" "no/such/step.hdf5: cannot be written"
[ ! -e kept ] && ok "and no step was made for it" || not_ok "and no step was made for it" "$(ls kept)"
run run pebble-bed --set count=20 --time 0.02 --out kept --quiet
run run pebble-bed --set count=21 --time 0.02 --out kept --force --csv no/such/table.csv
refused "--force with a table that cannot be written" "no/such/table.csv: cannot be written"
run run --resume kept --json
expect "leaves the old run" 0 '"grain_count": 20'
echo mine >keep.csv
run run --resume kept --csv keep.csv --quiet
[ "$(cat keep.csv)" = mine ] && ok "a run that is over has no table" || not_ok "a run that is over has no table" "$(cat keep.csv)"
run run pebble-bed --set count=20 --time 0.02 --out ./made/ --csv made//steps.csv --problem made/last.h5 --quiet
expect "a table in the folder that is made" 0
there "beside the run" made/steps.csv made/last.h5 made/checkpoint.h5
mkdir foreign
(cd foreign && echo hi >memory.h5 && "$command" run pebble-bed --set count=30,kinetic_mean=0 --time 1 --problem step.h5 --quiet && "$command" verify step.h5 step.h5 --tol 1e-3 >../out 2>../err)
code=$?
expect "a file of that name does not matter" 0 "accepted"
cp kept/trajectory.h5 before.h5
run run --resume kept --picture --colour force
refused "a picture of forces of a run that was over" "--colour: force: the run was over"
cmp -s kept/trajectory.h5 before.h5 && ok "and its trajectory stays as it is" || not_ok "and its trajectory stays as it is" "$(ls -l kept/trajectory.h5 before.h5)"
: >kept/checkpoint.h5.4711.0.tmp
: >kept/mine.tmp
run run --resume kept --time 0.03 --quiet
[ ! -e kept/checkpoint.h5.4711.0.tmp ] && [ -e kept/mine.tmp ] && ok "what a killed process left is removed" || not_ok "what a killed process left is removed" "$(ls kept)"
run run --resume kept --jamming
refused "no step to ask about" "--jamming: a bed that has not made a step"
run run stick-slip --time 0.1 --jamming
refused "--jamming of a system" "--jamming: not for systems"

# ---- a table of contacts: those that carry, with their lifts
run run pebble-bed --set count=60,kinetic_mean=0 --time 1 --law cone --csv steps.csv --contacts contacts.csv --quiet
expect "a table of contacts" 0
head -n 1 contacts.csv >out
expect "its columns" 0 "t,a,b,gap,nx,ny,nz,impulse_n,impulse_tx,impulse_ty,impulse_tz,lift"
# of every step: as many lines as the table of steps counts, and the largest lift is the one told there
awk -F, 'NR == FNR { if (FNR > 1) { lines[$1]++; if ($12 > lift[$1]) lift[$1] = $12 } next }
         FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
         $at["touching"] != lines[$1] + 0 || $at["lift"] - lift[$1] > 1e-12 || lift[$1] - $at["lift"] > 1e-12 { wrong++ }
         lift[$1] > 0 { lifted++ }
         END { print wrong + 0, (lifted > 20) }' contacts.csv steps.csv >out
expect "as the table of steps says" 0 "0 1"
run run pebble-bed --set count=60,kinetic_mean=0 --time 0.8 --law cone --contacts half.csv --out two-tables --quiet
run run --resume two-tables --time 1 --contacts half.csv --quiet
cmp -s contacts.csv half.csv && ok "and it goes on" || not_ok "and it goes on" "differs"
run run stick-slip --time 0.1 --contacts none.csv
refused "--contacts of a system" "--contacts: not for systems"

# ---- grains that meet fast
run run pebble-bed --set count=100,kinetic_mean=0 --step 0.05 --time 2 --json
holds "long steps do not overlook fast pairs" "$code == 0 && $(number penetration_over_radius out) < 0.05"
run run granular-box --set radius=0.005,count=100 --time 0.5 --json
holds "the step follows the radius" "$code == 0 && $(number h out) == 0.001 && $(number penetration_over_radius out) < 0.05"
run run granular-box --set radius=0.005,count=100,h=0.01 --time 0.5 --json
holds "unless it is given" "$(number h out) == 0.01 && $(number penetration_over_radius out) < 0.1"
run run granular-box --set count=100,eps=1e-9 --step 0.05 --time 1
expect "grains deep in each other are not called solved" 1 "grains overlap by more than a tenth of a radius"
run run pebble-bed --set count=20,mu=0.1,mu=0.2
refused "a setting twice" "--set: mu: given twice, 0.1 and 0.2"
run run pebble-bed --set count=20,time=3 --time 2
refused "a setting and an option" "--time: given twice, --set has time too"
run run pebble-bed --set count=20 --no-check
refused "--no-check of grains" "--no-check: not for grains"

# ---- rest, and on from there
run run pebble-bed --set count=2 --json
expect "two grains come to rest" 0 '"outcome": "rest"'
holds "and not where they turn" "$(number kinetic out) < 2e-4 && $(number balance out) > 0.999 && $(number balance out) < 1.001"
run run settle --set count=1 --time 0.2 --json
expect "one grain has a place" 0 '"contact_count": '
run run pebble-bed --set count=30 --out rested --quiet
expect "a run to rest" 0
run run --resume rested --json
expect "which is over" 0 '"outcome": "rest"'
steps=$(number steps out)
run run --resume rested --time 15 --json
expect "goes on to a later time" 0 '"outcome": "time"'
holds "by steps" "$(number steps out) == 1500 && $steps < 1500"
expect "and knows its scene" 0 '"scene": "pebble-bed"'

# ---- grains of another size, gravity, a drum that stands still
run run pebble-bed --set count=40,radius=0.005,kinetic_mean=0 --step 0.001 --time 0.1 --json
cp out small
run run pebble-bed --set count=40,radius=0.5,gravity=0.0981,kinetic_mean=0 --step 0.1 --time 10 --json
holds "lengths scale" "($(number mean_height small) * 100 / $(number mean_height out) - 1)^2 < 1e-12 && $(number steps small) == 100 && $(number steps out) == 100"
holds "and energies with mass, gravity and length" "($(number end small) * 1e6 / $(number end out) - 1)^2 < 1e-12"
run run pebble-bed --set count=40,radius=0.005 --step 0.001 --json
expect "small grains rest" 0 '"outcome": "rest"'
holds "when they do" "$(number balance out) > 0.999 && $(number balance out) < 1.001 && $(number kinetic out) < 40 * 1e-12"
run run drum --set count=60,spin=0 --time 0.3 --csv still.csv --quiet
expect "a drum that stands" 0
run run drum --set count=60 --time 0.3 --csv turning.csv --quiet
expect "a drum that turns" 0
cmp -s still.csv turning.csv && not_ok "a drum may stand still" "it turns" || ok "a drum may stand still"
run run hopper --set slope=0 --time 0.1
refused "a slope of nothing" "slope: 0"

# ---- files, and the same run from a scene as a file
run scenes pebble-bed
cp out mine.json
run run mine.json --set count=60,kinetic_mean=0 --time 0.6 --frame 0.1 --out a --csv a.csv --picture --threads 2 --quiet
expect "a run with files" 0
there "files of a run" a/trajectory.h5 a/trajectory.xdmf a/summary.json a/checkpoint.h5 a/bed.png a/energy.svg a.csv
[ "$(ls a | wc -l)" = 6 ] && ok "and no others" || not_ok "and no others" "$(ls a)"
[ "$(head -c 4 a/bed.png | tail -c 3)" = PNG ] && ok "bed.png" || not_ok "bed.png" "no PNG"
[ "$(wc -l <a.csv)" = 61 ] && ok "one line a step" || not_ok "one line a step" "$(wc -l <a.csv)"
[ "$(awk -F, '{print NF}' a.csv | sort -u)" = $((1 + 9 * 60 + 14)) ] && ok "coordinates of a small bed" || not_ok "coordinates of a small bed" "$(awk -F, '{print NF}' a.csv | sort -u)"
[ "$(number frames a/summary.json)" = 7 ] && ok "frames" || not_ok "frames" "$(number frames a/summary.json)"
run run pebble-bed --set count=150,kinetic_mean=0 --time 0.05 --csv big.csv --quiet
[ "$(head -1 big.csv | cut -c 1-20)" = "t,kinetic,potential," ] && ok "energies of a large bed" || not_ok "energies of a large bed" "$(head -1 big.csv)"

# ---- going on: the same bits, also with other threads
run run pebble-bed --set count=60,kinetic_mean=0 --time 0.37 --frame 0.1 --out b --csv b.csv --threads 1 --quiet
expect "the first half" 0
run run --resume b --time 0.6 --csv b.csv --threads 2 --quiet
expect "and the second" 0
same "a resumed table is the same" a.csv b.csv
same "a resumed description is the same" a/trajectory.xdmf b/trajectory.xdmf
for field in residual penetration kinetic end balance iterations contacts steps frames; do
    [ "$(number $field a/summary.json)" = "$(number $field b/summary.json)" ] && ok "resumed: the same $field" || not_ok "resumed: the same $field" "$(number $field a/summary.json) $(number $field b/summary.json)"
done
if command -v h5diff >/dev/null; then
    for group in /steps /frames /contacts /grains /walls; do
        h5diff a/trajectory.h5 b/trajectory.h5 $group >diff 2>&1 && ok "resumed: the same $group" || not_ok "resumed: the same $group" "$(head -c 300 diff)"
    done
fi
run run --resume b
expect "a run that is over" 0 "60 steps of 0.01, finished"

# ---- a bed that flows
run run pebble-flow --set count=60,cylinder=2.5,opening=1.8 --time 3 --out g --csv g.csv --threads 2
expect "a flow" 0 "grains left below"
there "the profile of a flow" g/profile.csv
grep -q '"flow": {"left": [1-9]' g/summary.json && ok "grains left" || not_ok "grains left" "$(cat g/summary.json)"
run run pebble-flow --set count=60,cylinder=2.5,opening=1.8 --time 1.7 --out h --csv h.csv --threads 1 --quiet
run run --resume h --time 3 --csv h.csv --quiet
expect "a flow goes on" 0
same "with the same table" g.csv h.csv
same "and the same profile" g/profile.csv h/profile.csv

# ---- a run that is stopped, and one that is killed
"$command" run pebble-bed --set count=100,kinetic_mean=0 --time 1000 --out c >out 2>err &
appears c/checkpoint.h5
kill -INT $!
wait $!
code=$?
expect "Ctrl-C" 1 "stopped early at t ="
there "files of a stopped run" c/trajectory.h5 c/summary.json c/checkpoint.h5
"$command" run pebble-bed --set count=100,kinetic_mean=0 --time 1000 --checkpoint 0.2 --out d >out 2>err &
appears d/checkpoint.h5
kill -KILL $!
wait $! 2>/dev/null
if command -v h5ls >/dev/null; then
    h5ls -r d/trajectory.h5 >list 2>&1 && grep -q 'frames/x' list && ok "the file of a killed run" || not_ok "the file of a killed run" "$(head -c 300 list)"
fi
run run --resume d --time 0.01
expect "a killed run goes on" 0 "steps of 0.01, finished"

# ---- a disk that is full: one line, and what was there
(ulimit -f 400; "$command" run pebble-bed --set count=100,kinetic_mean=0 --time 5 --frame 0.01 --checkpoint 0.01 --out e >out 2>err; echo $? >code)
[ "$(cat code)" = 3 ] && [ "$(wc -l <err)" = 1 ] && grep -q "cannot be written" err && ok "a full disk" || not_ok "a full disk" "$(cat code) $(head -c 300 err)"
run run --resume e --time 0.05 --quiet
expect "goes on when there is room" 0

# ---- bad usage and input
run run
refused "no scene" "a scene is missing"
run run pebble-bad
refused "no such scene" "pebble-bad: neither a file nor a built-in scene; did you mean pebble-bed"
echo '{"kind": "lcp", "M": [[1]], "q": [1]}' >lcp.json
run run lcp.json
refused "not a scene" "lcp.json: kind: lcp"
for set in count=0 count=x counts=3 mu=-1 law=wet h=0 count =3 seed=1.5 warm=2; do
    run run pebble-bed --set "$set"
    refused "--set $set" "--set: "
done
run run settle --set cylinder=1
refused "a parameter of another layout" "cylinder: no such parameter of settle"
run run pebble-bed --law wet
refused "--law" "--law: law: wet: one of coulomb, cone, facets"
run run pebble-bed --solver tron
refused "a solver that does not take the law" "pebble-bed: solver: tron does not take the law coulomb"
run run pebble-bed --set cylinder=0.2
refused "a vessel that is too small" "vessel: cylinder 0.2"
run run pebble-bed --out a
refused "a folder that holds a run" "--out: a: holds a run"
run run pebble-bed --set count=20 --time 0.05 --out a --force --quiet
expect "--force" 0
run run pebble-bed --out mine.json
refused "a folder that is a file" "mine.json: is not a folder"
run run pebble-bed --out no/such/place
refused "a folder that cannot be made" "no/such/place: cannot be made"
run run pebble-bed --picture
refused "a picture without a folder" "--picture: needs --out"
run run pebble-bed --out x --colour blue --picture
refused "--colour" "--colour: blue: layer, force or speed expected"
[ ! -e x ] && ok "nothing was made" || not_ok "nothing was made" "x is there"
run run pebble-bed --csv no/such/table.csv
refused "--csv" "no/such/table.csv: cannot be written"
run run pebble-bed --resume b
refused "--resume and a scene" "pebble-bed: not together with --resume"
run run --resume b --law cone
refused "--resume and a law" "--law: not together with --resume"
run run --resume nowhere
refused "--resume of nothing" "--resume: nowhere: No such file"
cp -r b f
head -c 3000 b/checkpoint.h5 >f/checkpoint.h5
run run --resume f
refused "--resume from half a checkpoint" "f/checkpoint.h5: "
cp b/checkpoint.h5 f/checkpoint.h5
head -c 3000 b/trajectory.h5 >f/trajectory.h5
run run --resume f --time 0.7
refused "--resume of half a trajectory" "f/trajectory.h5: not the recording"
cp a/checkpoint.h5 f/checkpoint.h5
cp b/trajectory.h5 f/trajectory.h5
run run --resume f --time 1
refused "--resume with the checkpoint of another run" "f/trajectory.h5: not the recording"
printf '{"kind":"scene","bed":{"layout":"pebble-bed","count":-3},"time":1}' >bad.json
run run bad.json
refused "a bad scene" "bad.json: bed.count: -3: a whole number from 1"

# ---- a run of grains is verified from its recording
run run pebble-bed --set count=60,kinetic_mean=0 --time 1 --frame 0.01 --out watched --quiet
run verify watched
expect "every step of a run of grains" 0 "accepted: 10 checks hold"
run verify watched --json
expect "as JSON" 0 '"of": "bed"'
run verify watched --tol 1e-300
expect "to no tolerance at all" 1 "not accepted"
run run pebble-bed --set count=20 --time 0.5 --frame 0.1 --out seldom --quiet
run verify seldom
expect "frames that are far apart" 0 "--frame H, with H the length of a step"

# ---- friction of walls that is no disc
run run brushed-box --step 0.01 --set count=40,tol=1e-7 --time 1 --frame 0.01 --out brushed --problem brushed.hdf5 --csv one.csv
expect "walls with an ellipse" 0 "the last step as a contact problem"
run verify brushed
expect "are looked at by the check of the run" 0 "accepted: 10 checks hold"
run inspect brushed.hdf5
expect "and are part of the posed step" 0 "not in discs but ellipses or polygons"
for solver in auto gs newton ipm lemke; do
    run solve brushed.hdf5 --solver $solver --output brushed-$solver.json
    run verify brushed.hdf5 brushed-$solver.json
    expect "which $solver solves" 0 "accepted"
done
run run brushed-box --step 0.01 --set count=40,tol=1e-7 --time 0.6 --frame 0.01 --out half --quiet
run run --resume half --time 1 --csv two.csv --quiet
run verify half
expect "a run that was resumed" 0 "accepted: 10 checks hold"
for table in one two; do tail -1 $table.csv >$table.last; done
same "has the bits of one that was not" one.last two.last
cat >normal.json <<'E'
{"kind": "scene", "bed": {"layout": "box", "count": 5}, "time": 1,
 "walls": {"along": [0, 0, 1], "polygon": [[1, 0], [0, 1], [-1, -1]]}}
E
run run normal.json
refused "a direction normal to a wall" "normal.json: wall 0: along: (0, 0, 1) is normal to the wall"
run run brushed-box --set law=cone
refused "another law" "law: cone: friction of walls that is no disc is for the law coulomb"

run run brushed-box --out wedge --quiet
run verify wedge
expect "the built-in scene is solved at every step" 0 "accepted"

run run --help
expect "--help" 0 "stiction run pebble-bed"
finish
