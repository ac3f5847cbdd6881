#!/usr/bin/env bash
# inspect.sh COMMAND: what inspect says about matrices and problems whose answers are known.
set -u
source "$(dirname "$0")/lib/tools.sh"
problems=$source_dir/problems

# says NAME WORDS...: after run: exit code 0 and every one of these on stdout
says() {
    local name=$1 why= words
    shift
    [ "$code" = 0 ] || why="exit code $code; $(head -c 300 err)"
    for words in "$@"; do
        grep -qF -- "$words" out || why="${why:-no \"$words\" in $(head -c 1500 out)}"
    done
    [ ! -s err ] || why="${why:-something on stderr: $(head -c 300 err)}"
    if [ -z "$why" ]; then ok "$name"; else not_ok "$name" "$why"; fi
}

# ---- readable
run inspect "$problems/horn_no_solution.json"
says "the Horn matrix" "lcp, 5 pairs" "the minor of {0, 1} is 0" \
    "min x'Mx on the simplex: 0 at x = (1/2, 1/2, 0, 0, 0)" \
    "least q'v is -1 at v = (1/2, 1/2, 0, 0, 0)" "q is in no complementary cone: there is no solution"
run inspect "$problems/no_basis.json"
says "a solution without a basis" "alpha = {0}          singular" "alpha = {0, 1}       singular"
run inspect "$problems/joint_redundant.json"
says "the same joint twice" "mlcp, 5 free variables, 4 pairs" "rank of A: 4" "there is a solution" \
    "x = {0, 1, 2}, y = {3, 4}, rank of F: 1"
run inspect "$problems/rod_four_solutions.json"
says "fractions" "x'Mx = -2500" "the minor of {0, 1, 3} is -0.8" "q is in 6 complementary cones"
run inspect "$problems/horn_no_solution.json" --quiet
says "--quiet"
[ ! -s out ] && ok "--quiet says nothing" || not_ok "--quiet says nothing" "$(head -c 100 out)"

# ---- JSON
echo '{"kind": "lcp", "M": [["1/3", -1], [-1, 3]], "q": [0, 0]}' >singular.json
run inspect singular.json --json
says "singular by fractions" '"kind": "lcp"' \
    '"positive_semidefinite": true' '"positive_definite": false' '"P0": true' \
    '"x_exact": ["3", "1"]' '"in_K": true' '"solvable": true'
[ "$(wc -l <out)" = 1 ] && ok "one line" || not_ok "one line" "$(wc -l <out) lines"
echo '{"kind": "lcp", "M": [[0.3333333333333333, -1], [-1, 3]], "q": [0, 0]}' >rounded.json
run inspect rounded.json --json
says "and not by the nearest double" '"positive_semidefinite": false' '"copositive": false'
echo '{"kind": "mlcp", "A": [[1]], "C": [["-1/3"]], "D": [["1/3"]], "B": [["1/3"]], "a": [1], "b": [0]}' >m.json
run inspect m.json --json
says "an exact block" '"theorem_1_2_10": {"matches": true' '"rank_A": 1' '"classes_of": "B"' '"value_exact": "1/3"'
echo '{"kind": "lcp", "M": [[1, -1, 1, 1, -1], [-1, 1, -1, 1, 1], [1, -1, 1, -1, 1], [1, 1, -1, 1, -1],
       [-1, 1, 1, -1, 1]], "q": [0, 0, 0, 0, 0]}' >horn.json
run inspect horn.json --json --exact-limit 3
says "a limit leaves questions open" '"copositive": null' '"simplex_minimum": null'
run inspect horn.json --json --max-cones 1
says "a limit on cones" '"complete": false' '"in_K": true'

# ---- instants, also of systems and scenes
run inspect "$problems/s0_table.json"
says "a table" "an instant by numbers, 6 velocities, 4 contacts, every number as written" \
    "0 joints of rank 0 leave 6 degrees of freedom" "6 constraints are redundant (1 without friction)" "friction cone: pointed, margin 1"
run inspect "$problems/s0_groove.json" --json
says "a groove" '"degrees_of_freedom": 6' '"redundancy": 1' '"c_FC_is_least": true' '"bound_checked": true'
echo '{"kind": "instant", "M": [[1, 0], [0, 1]], "contacts": [{"n": [0, 1], "t": [1, 0], "mu": 0.5}]}' >one.json
run inspect one.json
says "one contact: c_FC = sqrt(1 + mu^2 / 2)" "c_FC = 1.06066017" "in contact 1 degree of freedom are left, sticking 0"
run inspect painleve-rod
says "a system at its state" "a system by formulas" "1 contact touches, 0 apart; 1 slides" "c_FC = "
run inspect gripper --json
says "bodies at their start" '"kind": "scene"' '"instant": {"velocity_count": 18' '"degrees_of_freedom": 8'
echo '{"kind": "grasp", "dimension": 2, "mu": 1, "contacts": [{"point": [1, 0], "normal": [-1, 0]}, {"point": [-1, 0], "normal": [1, 0]}]}' >grasp.json
run inspect grasp.json
says "a grasp squeezes" "a grasp, 3 velocities" "friction cone: not pointed"
run inspect "$problems/box_on_corners.hdf5"
says "a contact problem's constant" "c_FC between " "Euclidean metric"

# ---- refused
run inspect "$problems/pinch.json"
refused "a cone is not inspected" '"manipulation" or "navigation"; this is for stiction cone'
run inspect horn.json --exact-limit 0
refused "--exact-limit 0" "--exact-limit: 0"
run inspect
refused "inspect without a file" "is missing"

# ---- what moves
run inspect painleve-rod --set mu=2
expect "a system" 0 "3 coordinates, 1 contact, 0 joints"
expect "its parameters" 0 "mu = 2"
run inspect stick-slip --json
expect "a system as JSON" 0 '"mass_rank": 2'
run inspect drum
expect "a bed" 0 "walls: cylinder, plane, plane"
run inspect pebble-bed --json
expect "a bed as JSON" 0 '"grain_count": 1600'
finish
