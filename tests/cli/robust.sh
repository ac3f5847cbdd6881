#!/usr/bin/env bash
# robust.sh COMMAND: stiction analyze robust: parts and probes (the PEG cases are in run_push.sh), systems, wrong
# requests.
set -u
source "$(dirname "$0")/lib/tools.sh"

run analyze robust peg-push --set mu=0.05 --steps 200
expect "a sliding probe comes to stick" 1 "probe on peg stops sliding"
run analyze robust peg-push --set mu=0.05 --steps 94
expect "not before" 0 "robust: the basis of the first step lasts"
run analyze robust peg-push --set mu=0.05 --steps 95
expect "but then" 1 "switch in step 94"
run analyze robust peg-stuck
expect "no first step" 1 "the first step has no solution"
expect "and why, as the run says" 1 "stuck: probe and floor press against each other"
run analyze robust peg-damage --json
expect "damage" 1 '"verdict": "damage"'
expect "with its certificate" 1 '"certificate": {"proof": "branch"'

# the vehicle of NAV-01 and NAV-04
cat >nav.json <<'J'
{"kind": "system", "coordinates": ["x", "y"], "kinetic": "(x'^2 + y'^2)/2", "forces": {"x": "2 - 2*x'", "y": "-0.5 - 2*y'"},
 "contacts": [{"name": "wall", "gap": "y - 0.3"}, {"name": "obstacle", "gap": "hypot(x - 4, y) - 0.8"}], "state": {"q": [0, 1]}}
J
run analyze robust nav.json --steps 159 --step 0.02
expect "NAV-04, 159 steps" 0 "robust"
run analyze robust nav.json --steps 169 --step 0.02
expect "NAV-04, 169 steps" 1 "switch in step 164"
expect "NAV-04, what happens" 1 "wall closes"

# ---- vehicles in cages: NAV-04 by its own scene, and what a stretch is far from
run analyze robust nav-wall --steps 159
expect "NAV-04 as vehicles, 159 steps" 0 "robust: the basis of the first step lasts"
run analyze robust nav-wall --steps 169
expect "NAV-04 as vehicles, 169 steps" 1 "switch in step 164"
expect "and which contact" 1 "cart on wall closes"
run analyze robust nav-wall --steps 164
expect "not before" 0 "least gap of one that does not"
run analyze robust nav-wall --steps 9 --box
refused "a box of vehicles" "not for vehicles in cages"
run analyze robust nav-wall
refused "how many steps" "--steps: missing"

# ---- the box: what is inside keeps its mode, what is far outside does not
run analyze robust peg-push --box --steps 10 --doubts mu --json
expect "a box of friction" 0 '"proved": true'
least=$(sed 's/.*"low": \([-0-9.e]*\).*/\1/' out)
for part in 0.99 1.2; do
    mu=$(awk -v low="$least" -v part="$part" 'BEGIN { printf "%.6f", 0.3 + part * low }')
    run run peg-push --set "mu=$mu" --time 0.5 --json
    if [ "$part" = 0.99 ]; then expect "friction inside it" 0 'stick'; else expect "and outside" 0 'slide'; fi
done
run analyze robust peg-push --box --steps 3 --doubts x,theta --pieces 4
expect "as text" 0 "proved: these modes last"
run analyze robust peg-push --box --steps 5 --doubts x,y --samples 500
expect "starts inside are tried" 0 "0 of 500 starts inside change a mode"
expect "a side that is tight" 0 "high side tight: beyond it, step 0: probe: open"
run analyze robust peg-stuck --box
expect "no first step, no box" 1 "no box"

# ---- a box as a file, proved again by who did not find it
run analyze robust peg-push --box --steps 5 --doubts x,mu --set mu=0.25 --output box.json
expect "written" 0 "proved: these modes last"
run verify peg-push box.json
expect "a box is verified" 0 "accepted"
sed 's/"low": -\([0-9.]*\)/"low": -9\1/' box.json >wide.json
run verify peg-push wide.json
expect "a box that was made wider" 1 "not accepted"
sed 's/"end_low": \[\([-0-9.e]*\)/"end_low": [1\1/' box.json >moved.json
run verify peg-push moved.json
expect "an end that is another" 1 "the steps lead out of them"
sed 's/"start": \[[-0-9.e]*/"start": [0.5/' box.json >start.json
run verify peg-push start.json
expect "another start" 1 "start: not that of the scene"
sed 's/"face": [0-9]*/"face": 99/' box.json >face.json
run verify peg-push face.json
refused "an edge that is not there" "face.json: contacts[0]: between things that are not there"
sed 's/"what": "mu"/"what": "luck"/' box.json >luck.json
run verify peg-push luck.json
refused "a doubt that is none" "luck.json: doubts[1].what"
run analyze robust belt-block --box --steps 3 --output belt.json
sed 's/"steps": [0-9]*/"steps": 9007199254740992/' belt.json >long.json
run verify belt-block long.json --time-limit 1
expect "more steps than there is time for" 1 "there was no time to prove it"
run verify nav-wall box.json
refused "a box of another scene" "nav-wall: kind: navigation: verify takes"
run analyze robust peg-stuck --box --output none.json
run verify peg-stuck none.json
expect "no box" 1 "no box is claimed"

# ---- two tips on one edge
run analyze robust peg-dual-tip --box --steps 10 --doubts y,theta,mu --samples 500
expect "a fork" 0 "proved: these modes last"
expect "starts inside are tried" 0 "0 of 500 starts inside change a mode"
run analyze robust peg-dual-tip --box --steps 10 --doubts mu
expect "no friction is needed, and none below 0 is tried" 0 "mu       of fork"
run analyze robust peg-dual-tip --box --steps 10 --doubts theta --json
narrow=$(sed 's/.*"high": \([-0-9.e]*\).*/\1/' out)
run analyze robust peg-dual-tip --box --steps 10 --doubts theta --slip 0.0001 --json
expect "what aligns the part counts as sticking" 0 '"slip": 0.0001'
wide=$(sed 's/.*"high": \([-0-9.e]*\).*/\1/' out)
if awk -v a="$narrow" -v b="$wide" 'BEGIN { exit !(a > 1e-5 && b > 10 * a) }'; then ok "and the box is wider"; else not_ok "and the box is wider" "$narrow $wide"; fi
run analyze robust peg-dual-tip --box --steps 10 --whole-basis
expect "nothing rubs, so no sign of friction lasts" 1 "no box"

# ---- the box of a system in motion
run analyze robust nav.json --step 0.02 --steps 50 --box --samples 200
expect "a vehicle in the open" 0 "proved: these modes last"
expect "starts inside are tried" 0 "0 of 200 starts inside change a mode"
run analyze robust slope-block --steps 10 --box --doubts "x',mu" --samples 100
expect "a block that stays" 0 "slope: stick"
expect "and a side where it starts to slide" 0 "high side tight: beyond it, step 0: slope: slide+"
run analyze robust nav.json --step 0.02 --steps 169 --box --doubts x --json
expect "a stretch with a switch has no box" 1 '"reason": "step 164, contact 0: it may close"'
run analyze robust rocking-block --steps 5 --box --doubts x
expect "two feet that stick hold more than can move" 1 "no box: step 0: the basis may be singular"

# ---- as a file, proved again from the formulas
run analyze robust slope-block --steps 10 --box --doubts "x',mu" --set mu=0.6 --output motion.json
expect "written" 0 "proved: these modes last"
run verify slope-block motion.json
expect "a box of a system is verified" 0 "accepted: every start in the box keeps its modes"
sed 's/"low": -\([0-9.]*\)/"low": -9\1/' motion.json >wide.json
run verify slope-block wide.json
expect "a box that was made wider" 1 "not accepted"
sed 's/"end_high": \[[-0-9.e]*/"end_high": [-1/' motion.json >moved.json
run verify slope-block moved.json
expect "an end that is another" 1 "the steps lead out of them"
sed 's/"start": \[[-0-9.e]*/"start": [0.5/' motion.json >start.json
run verify slope-block start.json
expect "another start" 1 "time, start: not those of the system"
sed "s/\"what\": \"x'\"/\"what\": \"z\"/" motion.json >luck.json
run verify slope-block luck.json
refused "a doubt that is none" "luck.json: doubts[0].what: "
run verify peg-push motion.json
refused "a box of another scene" "a box of a system by formulas, and peg-push is none"
run analyze robust rocking-block --steps 5 --box --doubts x --output none.json
run verify rocking-block none.json
expect "no box" 1 "no box is claimed"

# ---- wrong requests
run analyze robust peg-push --box --doubts x,z
refused "a doubt that is none" "--doubts: z: x, y, theta, mu"
run analyze robust nav.json --box --steps 3 --doubts x,z
refused "a doubt of a system that is none" "--doubts: z: a coordinate, a velocity (x') or a parameter is expected"
run analyze robust nav.json --box --steps 3 --doubts x,x
refused "a doubt twice" "--doubts: x: given twice"
run analyze robust nav.json --box
refused "no steps of a box" "--steps: missing"
run analyze robust nav.json --box --steps 3 --scheme quasistatic
refused "another scheme of a box" "--box of a system is of alpha"
run analyze robust nav.json --box --steps 3 --slip 0.1
refused "an option of parts" "of parts and probes, and nav.json is a system"
run analyze robust pendulum --box --steps 3
refused "joints that rub" "joints[0].mu: a joint without friction is expected"
run analyze robust peg-push --doubts x
refused "doubts of no box" "need --box"
run analyze robust nav.json
refused "no steps" "--steps: missing"
run analyze robust nav.json --steps 3 --scheme convex
refused "another scheme" "--scheme: convex: alpha or quasistatic expected"
run analyze robust peg-push --alpha 1
refused "alpha of parts" "parts and probes move quasi-statically"
run analyze robust arch --steps 3
refused "another kind" "robust takes"
sed 's/"speed": "speed"/"speed": "speed", "duration": 1/' "$source_dir/scenes/peg-push.json" >short.json
run analyze robust short.json
refused "a control that ends" "a control that is constant over all steps is expected"
finish
