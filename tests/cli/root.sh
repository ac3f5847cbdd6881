#!/usr/bin/env bash
# root.sh COMMAND: roots with proofs.
set -u
source "$(dirname "$0")/lib/tools.sh"

echo '{"kind": "root", "variables": {"x": [-10, 10.1]}, "equations": ["sin(10*x) + x/2 = 1"], "start": [-5.6]}' >wave.json
echo '{"kind": "root", "variables": {"x": [-10, 10]}, "equations": ["x^2 + 1"]}' >none.json
echo '{"kind": "root", "variables": {"x": [-10, 10]}, "equations": ["(3*x - 1)^2"]}' >double.json
echo '{"kind": "root", "variables": {"x": [-1, 1]}, "equations": ["1/x"]}' >pole.json
echo '{"kind": "root", "variables": {"x": null}, "equations": ["atan(x)"], "start": [3], "method": "newton-mc"}' >atan.json
echo '{"kind": "root", "variables": {"x": null}, "equations": ["x^2 - 2"], "start": [1], "method": "newton-mc", "digits": 300}' >order.json
echo '{"kind": "root", "variables": {"x": [-2, 2], "y": [-2, 2]}, "equations": ["x^2 + y^2 = 1", "y = x^3"], "method": "all"}' >two.json

run root wave.json --verify
expect "one root" 0 "x in [" && expect "is checked" 0 "accepted: 1 root"
run root wave.json --method all --verify
expect "all roots" 0 "13 roots: proved, and there is no other one in the box"
expect "are checked" 0 "accepted: 13 roots"
run root wave.json --method all --json
expect "as JSON" 0 '"complete": true'
run root none.json --verify
expect "no root is proved" 1 "no root in the box" && expect "and checked" 1 "accepted: 0 roots and 1 box"
run root double.json --method all
expect "a double root is open" 1 "it may be a multiple one"
run root pole.json --method all
expect "a pole is open, with the reason" 1 "division by a number in"
run root atan.json --json
expect "runs of the method as printed" 0 '"success_count": 8'
run root atan.json --runs 1000 --seed 3
expect "other runs" 0 "of 1000 runs ended at a root"
run root order.json
expect "orders" 0 "order of convergence with gamma = 0.5: 2.7277 2.768 2.3092"
run root two.json --verify
expect "systems" 0 "2 roots: proved" && expect "are checked too" 0 "accepted: 2 roots"

echo '{"kind": "root", "variables": {"x": [0, 1]}, "equations": ["sn(x)"]}' >bad.json
run root bad.json
refused "a wrong formula" "bad.json: equations[0]: column 1: \"sn\": no such name; did you mean sin?"
echo '{"kind": "root", "variables": {"x": [0, 1]}, "equations": ["x - t"]}' >bad.json
run root bad.json
refused "time" "bad.json: equations[0]: t: no such name"
echo '{"kind": "root", "variables": {"x": [2, 1]}, "equations": ["x"]}' >bad.json
run root bad.json
refused "a box upside down" "bad.json: variables.x: [2, 1]"
echo '{"kind": "root", "variables": {"x": [1e-7, 1]}, "equations": ["sin(1/x)"], "method": "all", "max_boxes": 100000000}' >many.json
run root many.json --time-limit 0.5
expect "a time limit leaves the rest open" 1 "the time limit came after"
run root wave.json --method quick
refused "no such method" "--method: quick: no such method"
echo '{"kind": "lcp", "M": [[1]], "q": [1]}' >lcp.json
run root lcp.json
refused "another kind" 'lcp.json: kind: lcp: root takes "root"; this is for stiction solve, inspect or verify'
run bound wave.json
refused "and the other way" 'wave.json: kind: root: bound takes "bound"; this is for stiction root'
finish
