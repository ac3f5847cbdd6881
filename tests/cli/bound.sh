#!/usr/bin/env bash
# bound.sh COMMAND: inequalities with both sides enclosed.
set -u
source "$(dirname "$0")/lib/tools.sh"

echo '{"kind": "bound", "what": "hadamard", "interval": [1, 3], "f": "x^3", "weight": "1/2"}' >cube.json
echo '{"kind": "bound", "what": "gruess", "interval": [0, 1], "f": "x^2", "g": "sqrt(x)", "A": "1", "B": "6*x*(1-x)"}' >two.json
echo '{"kind": "bound", "what": "gruess", "interval": [0, 1], "f": "x", "g": "x", "weight": {"atoms": [[0, "1/2"], [1, "1/2"]]}}' >ends.json
echo '{"kind": "bound", "what": "gruess", "interval": [0, 1], "f": "sin(2*pi*u)", "g": "sqrt(v)", "joint": "1 - (1-2*u)*(1-2*v)"}' >joint.json
echo '{"kind": "bound", "what": "modulus", "interval": [0, 1], "f": {"points": [[0, 0], [0.4, 0], [0.5, 1], [0.9, 1], [1, 2]]}, "t": [0.25, 0.5]}' >line.json

run bound cube.json --verify --picture cube.svg
expect "Hermite-Hadamard" 0 "proved: |int w f - f(a1)| <= 7.5" && expect "is checked" 0 "accepted"
grep -q "</svg>" cube.svg && ok "its picture" || not_ok "its picture" "not whole"
run bound two.json --verify --picture two.svg
expect "Chebyshev-Gruess" 0 "proved: |D(f, g)| <= 0.360730112" && expect "is checked" 0 "accepted"
grep -q "omega~, least concave" two.svg && ok "its picture" || not_ok "its picture" "no majorant in it"
run bound ends.json
expect "equality" 0 "equality in (2.5.16) too"
run bound joint.json --verify
expect "covariance" 0 "proved: |cov(f(U), g(V))| <= 0.759835685" && expect "is checked" 0 "accepted"
run bound line.json --verify
expect "modulus of a broken line" 0 "omega~ in [1.29999999" && expect "is checked" 0 "accepted"
run bound line.json --json
expect "as JSON" 0 '"omega_tilde": [['

echo '{"kind": "bound", "what": "hadamard", "interval": [0, 3], "f": "sin(x)", "weight": "1/3"}' >sine.json
run bound sine.json
expect "slopes that are not convex" 1 "|f'| is not convex"
echo '{"kind": "bound", "what": "hadamard", "interval": [0, 1], "f": "x^2", "weight": "2"}' >bad.json
run bound bad.json
refused "a density that is none" "bad.json: weight: its integral is 2: 1 is expected of a density"
echo '{"kind": "bound", "what": "hadamard", "interval": [0, 1], "f": "x^2", "weight": "3 - 4*x"}' >bad.json
run bound bad.json
refused "a density that is negative" "bad.json: weight: " "a density is not negative"
echo '{"kind": "bound", "what": "modulus", "interval": [-1, 1], "f": "log(x)", "t": [1]}' >bad.json
run bound bad.json
refused "a formula without a value" "bad.json: f: not known to be bounded and continuous near -1: log of a number in"
echo '{"kind": "bound", "what": "modulus", "interval": [-1, 1], "f": "1/x", "t": [1]}' >bad.json
run bound bad.json
refused "division by 0" "bad.json: f: " "division by a number in"
echo '{"kind": "bound", "what": "gruess", "interval": [0, 1], "f": "x", "g": "1/x"}' >bad.json
run bound bad.json
refused "a g that is not bounded is called g" "bad.json: g: " "division by a number in"
echo '{"kind": "bound", "what": "hadamard", "interval": [0, 1], "f": "1/x", "weight": "2*x"}' >bad.json
run bound bad.json
refused "an f that is not bounded is called f" "bad.json: f: " "division by a number in"
echo '{"kind": "bound", "what": "hadamard", "interval": [0, 1], "f": "x", "weight": "1/x"}' >bad.json
run bound bad.json
refused "and a weight that is not is the weight" "bad.json: weight: " "division by a number in"
finish
