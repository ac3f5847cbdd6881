#!/usr/bin/env bash
# plan.sh COMMAND: stiction plan: a goal that is reached for all of the noise, files, wrong requests.
set -u
source "$(dirname "$0")/lib/tools.sh"

run plan peg-push --goal 0.6,0,0 --seed 2 --repeat 20 --out plan.json --picture plan.svg
expect "a plan" 0 "the goal is reached"
expect "that holds under its noise" 0 "20 of 20 replays"
cat plan.json plan.svg >out
expect "the plan as a file" 0 '"kind": "plan"'
expect "its picture" 0 '<svg'
run verify plan.json
expect "every claim holds" 0 "accepted"
run run plan.json --repeat 20 --noise pose=0.0005
expect "played again under noise" 0 "20 of 20 runs"
run run plan.json --csv plan.csv --out replay --picture
cat plan.csv replay/plan-moves.svg >out
expect "as a table" 0 "t,push,x:peg"
expect "and as a picture that moves" 0 "<animate"
sed 's/"steps": \([0-9]*\)/"steps": 1\1/' plan.json >tampered.json
run verify tampered.json
expect "a plan that was changed" 1 "push 1:"
sed 's/"scene": "peg-push"/"scene": "arch"/' plan.json >other.json
run verify other.json
refused "a scene of another kind" "has no parts to push"
run run peg-push --repeat 3
refused "a scene is no plan" "--repeat: of a plan"
run plan peg-push --goal 0.6,0,0 --seed 2 --tries 3 --tolerance 1e-6,1e-6,1e-6
expect "not reached" 1 "the goal was not reached"
run plan peg-push --goal 0.6,0,0 --shortest --tries 300 --json
expect "without the test" 0 '"proved": false'

# ---- wrong requests
run plan peg-push
refused "no goal" "--goal: missing"
run plan peg-push --goal 1,2
refused "half a goal" "--goal: 2 numbers: x,y,angle expected"
run plan peg-push --goal 1,0,0 --noise wind=1
refused "another noise" "--noise: wind: pose, angle, mu or tip expected"
run plan peg-push --goal 1,0,0 --part lid
refused "another part" "--part: lid: peg-push has no such part"
run plan peg-push --goal 1,0,0 --part peg --goal 1,0,0,2,0,0
refused "a goal too many" "one for each of the parts"
run plan peg-in-hole --goal 1,0,0 --noise pose=1
refused "a noise that overlaps" "noise: peg overlaps slot at the start"
sed 's/"tips": \[\[-0.85, 0.2\], \[-0.85, -0.2\]\]/"tips": [[-0.85, 0]]/' "$source_dir/scenes/peg-in-hole.json" >one.json
run plan one.json --goal 1,1,0
refused "a goal in a wall" "goal: peg would overlap slot"
run plan arch --goal 1,0,0
refused "another kind" "plan takes"
finish
