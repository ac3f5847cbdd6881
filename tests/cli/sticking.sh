#!/usr/bin/env bash
# sticking.sh COMMAND: analyze sticking and analyze closure, their exit codes, their answers as files, and the check of
# those.
set -u
source "$(dirname "$0")/lib/tools.sh"
problems=$source_dir/problems

# ---- answers
run analyze sticking "$problems/s0_two_feet.json"
expect "two feet stick" 0 "all contacts stick: yes, proved without rounding"
run analyze sticking "$problems/s0_tipping.json"
expect "a tipping block does not" 1 "opens: left"
run analyze sticking "$problems/s0_tipping.json" --steps
expect "the algorithm ends in help" 1 "what would make it stick"
run analyze sticking "$problems/s0_two_feet.json" --propositions
expect "the table of propositions" 0 "C2      holds"
run analyze sticking "$problems/s0_two_feet.json" --proposition P11
expect "one proposition" 0 "least common coefficient 0.3058103976"
run analyze sticking "$problems/s0_two_feet.json" --force-direction 1,0,0
expect "forces along a line" 0 "sticks under F + tau d for tau from"
run analyze sticking "$problems/s0_two_feet.json" --forces
expect "the set of forces" 0 "4 faces"
run analyze sticking "$problems/s0_groove.json" --forces
expect "discs: extents instead of faces" 0 "extent along each velocity"
run analyze sticking "$problems/s0_tipping.json" --force-bounds 0,0,-1,1,0,0
expect "no force within the bounds" 1 "no change of F within the bounds"
run analyze sticking tilted-block --set mu=0.05
expect "a block on a corner slips and stays" 1 "contacts free to open (S0 (60)): no"
run analyze sticking painleve-rod --velocity 0,0,0 --set theta0=0.9,mu=0.1
expect "a rod at rest slips and stays" 1 "contacts free to open (S0 (60)): no"
run analyze sticking planar-box --velocity 0,0,0
expect "a box at rest slips and stays" 1 "contacts free to open (S0 (60)): no"
run analyze sticking rocking-block --proposition P12
expect "a bound that is zero is no rounding" 0 "5.76 against 0;"
run analyze closure "$problems/s0_squeezed.json"
expect "closure of a squeezed block" 0 "form closure"
run analyze closure "$problems/s0_two_feet.json"
expect "feet push only up" 1 "force closure: no, proved without rounding"

# ---- files and their check
for name in s0_two_feet s0_tipping s0_rates_contradict s0_object_finger s0_groove s0_squeezed s0_plank s0_table; do
    run analyze sticking "$problems/$name.json" --output answer.json
    run verify "$problems/$name.json" answer.json
    expect "$name: the answer is accepted" 0 "accepted"
    run analyze sticking "$problems/$name.json" --facets 4 --json
    cp out answer.json
    run verify "$problems/$name.json" answer.json
    expect "$name: pyramids, from --json" 0 "proved: the claim, without rounding"
done
run analyze sticking "$problems/s0_tipping.json" --output answer.json
run verify "$problems/s0_two_feet.json" answer.json
expect "an answer to another question is not" 1 "not accepted"
run verify "$problems/s0_two_feet.json" "$problems/s0_two_feet.json"
refused "a file that is no answer" "facets"

# ---- the same at once, down to the numbers of the propositions
for name in arch balls-3 balls-4 belt-block block-pendulum bouncing-ball box-on-belt disk disk-in-angle four-bar guided-mass kane-pendulum \
    ladder motor-crank particle-in-angle pendulum planar-box rocking-block slider-crank slope slope-block spinning-top three-fingers \
    tilted-block tumbling-tee; do
    run analyze sticking $name --verify
    expect "$name: accepted" 0 "  accepted: "
done
for name in painleve-rod particles-on-rod stick-slip; do
    run analyze sticking $name --verify
    expect "$name: accepted" 1 "  accepted: "
done
run analyze sticking tilted-block --set mu=0.05 --verify
expect "tilted-block, smooth: accepted" 1 "contacts free to open (S0 (60)): no"
run analyze sticking "$problems/s0_object_finger.json" --facets 4 --proposition P11
expect "the least friction of a pyramid is not that of the disc" 1 "0.723174"
run analyze sticking "$problems/s0_two_feet.json" --json
sed 's/"rank_D": 3/"rank_D": 5/g' out >answer.json
if ! cmp -s out answer.json; then ok "a rank to change"; else not_ok "a rank to change" "$(grep -o '"rank_[A-Z]*": .' out)"; fi
run verify "$problems/s0_two_feet.json" answer.json
expect "a number of a proposition, changed in both places" 1 "L1: rank_D"
run analyze sticking "$problems/s0_two_feet.json" --json
sed 's/"rank_D": 3/"rank_D": 5/' out >answer.json
run verify "$problems/s0_two_feet.json" answer.json
refused "a number changed beside the certificate" "what the certificate says is expected"

# ---- JSON and usage
run analyze sticking "$problems/s0_tipping.json" --json
if [ "$code" = 1 ] && [ "$(wc -l <out)" = 1 ] && grep -qF '"outcome": "does_not"' out && grep -qF '"id": "P11"' out
then ok "json"; else not_ok "json" "$(head -c 300 out)"; fi
run analyze sticking "$problems/s0_two_feet.json" --quiet
expect "quiet" 0
[ ! -s out ] && ok "quiet says nothing" || not_ok "quiet says nothing" "$(head -c 100 out)"
run analyze sticking "$problems/s0_two_feet.json" --facets 2
refused "too few facets" "--facets" "3 to 360"
run analyze sticking "$problems/s0_two_feet.json" --force-bounds 1,0,0,0,0,0
refused "crossed bounds" "--force-bounds" "above"
run analyze sticking "$problems/s0_two_feet.json" --force-direction 1
refused "a short direction" "--force-direction" "3 velocities"
run analyze sticking "$problems/s0_two_feet.json" --proposition P99
refused "an unknown proposition" "P99"
run analyze sticking "$problems/pyramid.json"
refused "a cone is no instant" "kind"
run analyze closure "$problems/s0_two_feet.json" --object 0,7
refused "an unknown coordinate" "--object" "7"
run analyze sticking gripper
expect "motors hold a box" 0 "all contacts stick: yes"
expect "with the friction it takes" 0 "the same at all contacts: 0.24525"
run analyze sticking gripper --set mu=0.2
expect "not with less friction" 1 "all contacts stick: no"
run analyze sticking arm-grasp
expect "an arm that starts to move" 1 "y moves shoulder friction"
run analyze sticking arm-grasp --time 20 --json
expect "an arm that holds" 0 '"outcome": "sticks"'
expect "by friction in its joints" 0 '"name": "elbow friction", "type": "bounded"'
printf '{"kind": "instant", "M": [[1]], "F": ["0.99999999999999999"], "v": [0], "contacts": [{"mu": 0, "n": [1], "n_rate": 1}]}' >tiny.json
run analyze sticking tiny.json --verify
expect "a contact that opens by less than a rounding" 1 "accepted: no admissible contact force"
run analyze sticking --help
expect "help has an example" 0 "example:"
finish
