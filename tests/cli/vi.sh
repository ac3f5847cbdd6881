#!/usr/bin/env bash
# vi.sh COMMAND: variational inequalities, with matrices and with formulas: solve, verify, inspect.
set -u
source "$(dirname "$0")/lib/tools.sh"

echo '{"kind": "avi", "M": [[2, 1], [0, 2]], "q": [-8, "-6"], "A": [[-1, -1]], "b": [-3], "lb": [0, null]}' >avi.json
echo '{"kind": "avi", "M": [[1]], "q": [0], "A": [[1], [-1]], "b": [1, 0]}' >empty.json
echo '{"kind": "relay", "M": [[2, 1], [-1, 2]], "q": [0.5, -5]}' >relay.json
echo '{"kind": "ncp", "variables": ["x", "y"], "F": ["x^2 - 2", "y - 3 + x"]}' >ncp.json
echo '{"kind": "ncp", "variables": ["x"], "F": ["-1 - x^2"]}' >open.json
echo '{"kind": "vi", "variables": {"x": [0, 1], "y": null}, "F": ["x - y - 1", "y - cos(x)"]}' >vi.json

run solve avi.json --output avi_answer.json
expect "an affine inequality" 0 "x = (5/3, 4/3)" && expect "is proved" 0 "confirmed without rounding"
run verify avi.json avi_answer.json
expect "and checked" 0 "accepted: solution"
sed 's/"u": \[[^]]*\]/"u": [1, 1]/; s/"x": \[[^]]*\]/"x": [1, 1]/; s/"u_exact": \[[^]]*\], "v_exact": \[[^]]*\], //' avi_answer.json >wrong.json
run verify avi.json wrong.json
expect "another point is refused" 1
sed 's/"x": \[[^]]*\]/"x": [1, 1]/' avi_answer.json >torn.json
run verify avi.json torn.json
refused "an x that is not u" "x[0]: 1: u[0] is expected"
run solve avi.json --all
expect "all of its solutions" 0 "1 extreme solution"
run solve empty.json --output empty_answer.json
expect "an empty polyhedron" 1 "no solution"
run verify empty.json empty_answer.json
expect "has a certificate" 0 "accepted"
run solve relay.json
expect "a relay" 0 "solved"
run inspect relay.json
expect "the classes of its matrix" 0 "positive definite"
run solve avi.json --covering 1,1
refused "no covering vector" "--covering: avi.json: kind: avi"

for kind in ncp vi; do
    run solve $kind.json --output ${kind}_answer.json
    expect "$kind" 0 "proved: a solution lies in the intervals"
    run verify $kind.json ${kind}_answer.json
    expect "$kind is checked" 0 "accepted: a solution lies in the intervals"
done
sed 's/\[1\.41421356237309[0-9]*, 1\.41421356237309[0-9]*\]/[1.4142, 1.41421]/' ncp_answer.json >wrong.json
run verify ncp.json wrong.json
expect "other intervals are refused" 1 "not shown to hold a solution"
run solve open.json
expect "nothing found is unknown" 1 "unknown"
run inspect vi.json
expect "the derivative at the start" 0 "the derivative of F there"
echo '{"kind": "lcp", "M": [[1, 2], [2, 1]], "q": [-1, -2]}' >several.json
echo '{"kind": "lcp", "M": [[0, 1], [0, 0]], "q": [-1, -1]}' >flat.json
run solve several.json --cross-check
expect "two solvers, two solutions" 0 "cross-check: another solution, by newton: solved"
run solve avi.json --cross-check --json
expect "two solvers, one solution" 0 '"verdict": "same"'
run solve "$source_dir/problems/box_on_corners.hdf5" --cross-check
expect "two solvers of contact" 0 "cross-check: same"
run solve several.json --cross-check --all
refused "all and two" "--cross-check"
run solve ncp.json --cross-check
refused "formulas have one solver" "--cross-check: ncp.json: kind: ncp"
run inspect several.json --picture cones.svg
expect "Q is decided" 0 "the complementary cones cover the space" && expect "neighbours" 0 "2 on the same side"
expect "the path" 0 "which solves" && grep -q "<svg" cones.svg && ok "a picture" || not_ok "a picture" "none"
run inspect flat.json
expect "Q0 is not" 0 "is feasible and not solvable"
echo '{"kind": "lcp", "M": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]], "q": [1, 1, 1, 1]}' >four.json
run inspect four.json --picture cones.svg
refused "four dimensions are not drawn" "--picture: four.json: cones of order 4"
run inspect avi.json --picture cones.svg
refused "only of an LCP" "--picture: avi.json: kind: avi"

run solve ncp.json --solver lemke
refused "other solvers" "--solver: lemke: no such solver of formulas"
echo '{"kind": "vi", "variables": {"x": [0]}, "F": ["x"]}' >bad.json
run solve bad.json
refused "half a box" "bad.json: variables.x"
echo '{"kind": "avi", "M": [[1]], "q": [0], "A": [[1]]}' >bad.json
run solve bad.json
refused "rows without a side" "A is given without b"
finish
