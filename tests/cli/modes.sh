#!/usr/bin/env bash
# modes.sh COMMAND: stiction analyze modes as a person uses it.
set -u
source "$(dirname "$0")/lib/tools.sh"
problems=$source_dir/problems
modes() { run analyze modes "$@"; }

modes --help
expect "--help has an example" 0 "example"
modes "$problems/s2_fixture.json"
expect "a part at rest stays" 0 "nnn strict"
modes "$problems/s2_fixture.json" --wrench -25,-40,5
expect "pushed away from the wall it slides left" 0 "lls strict"
modes "$problems/s2_fixture.json" --wrench 43,-13,-49
expect "wedged, it has several motions" 0 "several motions"
modes "$problems/s2_rod_slides.json"
expect "no mode is exit code 1" 1 "no solution"
modes "$problems/s2_rod_slides.json" --json
expect "with a certificate" 1 '"cases"'
modes "$problems/s2_rod_slides.json" --wrench 0,12,0
expect "pulled up there are two" 0 "2 strictly consistent"
modes "$problems/s2_disc.json" --mode la
expect "the wrench cone of a mode" 0 "(5, -2, -2)"
modes "$problems/s2_disc.json" --wrench 1,-3/5,-2/5 --json
expect "a wrench of fractions" 0 '"strict": ["la"]'
modes "$problems/s2_rod.json" --lcp
expect "the LCP" 0 "size 3"
modes "$problems/s2_point3d.json" --sides 4
expect "a contact in space" 0 "d1-2 strict"
modes "$problems/s2_fixture.json" --contacts-only
expect "touching or separating only" 0 "kinematically feasible"
modes --count
expect "counts of one contact" 0 "32 choices, 10 feasible"
modes --count --sides 5 --json
expect "counts of five sides" 0 '"feasible": 12'
modes "$problems/s2_fixture.json" --path "$problems/s2_path.csv"
expect "transitions along a path" 0 "nnn -> lls, first at t = 3"
printf "t,x,y,x',y',kinetic\n0,3,0,0,0,0\n0.1,3,0,0.5,1e-15,0\n1,3,0,-1e-9,0,0\n3.1,3,0,0,0,0\n4,3,0,0,-1,0\n" >run.csv
modes stick-slip --trajectory run.csv
expect "transitions along a run" 0 "l -> n, first at t = 1, 1 time"
expect "an impact on the way" 0 "r -> impact, first at t = 4"
modes belt-block
expect "a foot on a belt slides" 0 "ln strict"
modes "$problems/s2_fixture.json" "$problems/s2_rod.json"
expect "several instants" 0 "2 samples"
modes "$problems/s2_fixture.json" --picture cones.svg --quiet
expect "a picture" 0
grep -q "<svg" cones.svg && ok "is an SVG" || not_ok "is an SVG" "$(head -c 100 cones.svg)"
modes "$problems/s2_fixture.json" --output answer.json --quiet
expect "an answer into a file" 0
grep -q '"kind": "modes"' answer.json && ok "is the JSON answer" || not_ok "is the JSON answer" "$(head -c 100 answer.json)"

run verify "$problems/s2_fixture.json" answer.json
expect "stiction verify accepts it" 0 "accepted"
sed 's/"fit": "strict"/"fit": "limit"/; s/"choice": \[1, 1, 1\]/"choice": [0, 1, 1]/' answer.json >wrong.json
run verify "$problems/s2_fixture.json" wrong.json
expect "and not a changed one" 1 "not accepted"
modes "$problems/s2_rod_slides.json" --output none.json --quiet
run verify "$problems/s2_rod_slides.json" none.json --json
expect "and a proof that there is none" 0 '"claim": "no_solution"'

modes
refused "no file" "FILE is missing"
modes nowhere.json
refused "a file that is not there" "nowhere.json"
modes arch --time-limit 0.2 --json
# what the search knows by then; or, on a machine so busy that an exact step outlasts it, that the limit was reached
expect "out of time nothing is claimed" 1 $'"outcome": "unknown"\ntime limit reached'
expect "and the answer says so" 1 $'"all_consistent": false\ntime limit reached'
modes arch --set count=3 --consistent
expect "an arch of three stones rests" 0 "nnnnnnnn strict"
expect "and can do nothing else" 0 "1 strictly consistent, 0 limit; "
modes arch --set count=3 --max-modes 7
expect "a list that is cut says so" 0 "at least 8 kinematically feasible"
modes "$problems/s2_fixture.json" --consistent --contacts-only
refused "a wrench without friction" "--consistent"
modes "$problems/pyramid.json"
refused "a cone is no instant" "pyramid.json" "instant"
modes "$problems/s2_fixture.json" --wrench 1,2
refused "a short wrench" "--wrench: 2 numbers" "3 velocities"
modes "$problems/s2_fixture.json" --wrench 1,2,x
refused "a wrench that is no number" "--wrench: x"
modes "$problems/s2_fixture.json" --mode nnl
refused "a mode that cannot be" "--mode: nnl"
modes "$problems/s2_fixture.json" --model cone
refused "another model" "--model: cone"
modes "$problems/s2_fixture.json" --sides 2
refused "two sides" "--sides: 2"
modes "$problems/s2_fixture.json" --cones some
refused "some cones" "--cones: some"
modes "$problems/s2_fixture.json" --axes 0,0 --picture x.svg
refused "one axis twice" "--axes"
modes "$problems/s2_fixture.json" --velocity 0,-1,0
refused "an impact" "impact"
printf '0,0,-40,0\n1,oh,0,0\n' >bad.csv
modes "$problems/s2_fixture.json" --path bad.csv
refused "a path with a bad line" "bad.csv: line 2"
modes "$problems/s2_fixture.json" --path nowhere.csv
refused "a path that is not there" "nowhere.csv"
modes "$problems/s2_fixture.json" --trajectory run.csv
refused "a run of an instant" "a system expected"
modes rocking-block --trajectory run.csv
refused "a run of another system" "run.csv: line 2"
modes --count "$problems/s2_fixture.json"
refused "--count with a file" "--count takes no FILE"
run analyze modes "$source_dir/problems/s2_fixture.json" --infeasible
expect "infeasible combinations on request" 0 "54 infeasible, each with a reason"
run analyze modes "$source_dir/problems/s2_fixture.json" --infeasible --mode lll
expect "the wrenches of one of them" 0 "mode lll is infeasible: what follows is its closed set"
run analyze modes "$source_dir/problems/s0_rates_contradict.json" --infeasible --json
expect "rates that contradict each other" 1 '"all_infeasible": true'
run analyze modes rocking-block --infeasible --consistent
refused "--consistent leaves too much open" "--infeasible: --consistent leaves feasible modes out"
run analyze modes rocking-block --actuators x=-20:20,theta=-8:8
expect "modes that actuators bring about" 0 "ns can be, margin 6.8062485 by x = 7.1143727, theta = -8; limited by theta"
run analyze modes rocking-block --actuators x=-20:20,theta=-8:8
expect "and those that they cannot" 0 "ss cannot be, short of it by 6.280209"
modes rocking-block --actuators x=2:1
refused "actuators with crossed bounds" "--actuators: 2:1: the lower bound is above the upper one"
modes rocking-block --actuators nobody=1:2
refused "an actuator of no velocity" "--actuators: nobody=1:2"
finish
