#!/usr/bin/env bash
# qp.sh COMMAND: quadratic programs: solve and verify.
set -u
source "$(dirname "$0")/lib/tools.sh"

echo '{"kind": "qp", "P": [[2, 0], [0, 2]], "c": [-2, -6], "A": [[1, 1]], "u": [1], "lb": [0, null]}' >solved.json
echo '{"kind": "qp", "c": [1, 1], "A": [[1, 1]], "l": [3], "lb": [0, 0], "ub": [1, 1]}' >empty.json
echo '{"kind": "qp", "c": [1, 1], "lb": [0, 2], "ub": [1, 1]}' >crossed.json
echo '{"kind": "qp", "c": [-1, 0], "lb": [0, 0]}' >open.json
echo '{"kind": "qp", "P": [[-1]], "c": [1]}' >concave.json
echo '{"kind": "qp", "P": [[1, 2], [0, 1]], "c": [1, 1]}' >skew.json

# ---- solve and verify
run solve solved.json
expect "a program with a solution" 0 "x = (0, 1)"
run solve solved.json --output answer.json
expect "its answer in a file" 0 "solved by ipm"
run verify solved.json answer.json
expect "the file is accepted" 0 "accepted"
run solve solved.json --json
expect "as JSON" 0 '"kind": "qp"'
expect "with its outcome" 0 '"outcome": "solved"'
cp out answer.json
run verify solved.json answer.json --json
expect "JSON output is an answer too" 0 '"accepted": true'
sed -i 's/"x": \[[^]]*\]/"x": [0.5, 0.5]/' answer.json
run verify solved.json answer.json
expect "another point is not accepted" 1 "not accepted"

run solve empty.json --output empty_answer.json
expect "contradicting rows and bounds" 1 "infeasible by ipm"
run verify empty.json empty_answer.json
expect "their Farkas vector is accepted" 0 "accepted"
run verify solved.json empty_answer.json
expect "and proves nothing elsewhere" 1 "not accepted"
run solve crossed.json --output crossed_answer.json
expect "bounds that cross" 1 "lb[1] > ub[1]"
run verify crossed.json crossed_answer.json
expect "are accepted" 0 "lb[1] > ub[1]"
run solve open.json --output open_answer.json
expect "an objective without end" 1 "unbounded by ipm"
run verify open.json open_answer.json
expect "its direction is accepted" 0 "accepted"

# ---- refused
run solve concave.json
refused "a concave objective" "concave.json" "P is not positive semidefinite"
run solve skew.json
refused "an objective that is not symmetric" "skew.json" "P is not symmetric"
run solve solved.json --solver lemke
refused "a solver of LCPs" "--solver: lemke: no such solver of quadratic programs" "auto and ipm"
run solve solved.json --all
refused "all solutions" "--all"
run solve solved.json --covering 1,1
refused "a covering vector" "--covering"
run solve solved.json --omega 1
refused "relaxation" "--omega"
run verify solved.json solved.json
expect "a program is no answer" 1 "nothing is claimed"
run inspect solved.json
refused "inspection" "kind: qp"
finish
