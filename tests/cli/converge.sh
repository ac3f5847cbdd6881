#!/usr/bin/env bash
# converge.sh COMMAND: stiction converge: closed forms, systems, bodies, grains, wrong requests.
set -u
source "$(dirname "$0")/lib/tools.sh"

order() { python3 -c "
import json, sys
a = json.load(open('out'))['variants'][$1]['orders']['$2']
sys.exit(0 if a is not None and $3 <= a <= $4 else 1)"; }
check() { if order "$2" "$3" "$4" "$5"; then ok "$1"; else not_ok "$1" "$(head -c 600 out)"; fi; }

cat >swing.json <<'J'
{"kind": "system", "coordinates": ["x"], "kinetic": "x'^2/2", "potential": "x^2/2", "state": {"q": [1]}}
J
run converge swing.json --steps 0.1,0.05,0.025 --time 1 --schemes alpha,alpha:1 --closed "x=cos(t),x'=-sin(t)" --json
check "second order of alpha 1/2 against cos t" 0 position 1.9 2.1
check "and of its velocity" 0 velocity 1.9 2.1
check "first order of alpha 1" 1 position 0.9 1.1
run converge swing.json --steps 0.1,0.05,0.025,0.0125 --time 1 --reference extrapolated --json
check "second order without a reference" 0 final 1.9 2.1
run converge bouncing-ball --steps 0.02,0.01,0.005 --time 1 --rules held,gap --picture orders.svg
expect "total variations stay bounded" 0 "bounded"
if [ -s orders.svg ]; then ok "a picture"; else not_ok "a picture" "missing"; fi
run converge stick-slip --steps 0.1,0.05 --time 0.5 --schemes alpha,alpha:1,alpha:0.75,convex,events,index3 --picture many.svg
named=$(grep -c -E '>(position|weighted|alpha|alpha:1|alpha:0.75|convex|events|index3)<' many.svg)
if [ "$named" -eq 8 ]; then ok "its legend has every error and scheme"; else not_ok "its legend" "$named of 8"; fi
# x'' = -x and a wall at 0 that gives back 0.6 of the speed: partially elastic impacts at pi/2 + k pi
cat >wall.json <<'J'
{"kind": "system", "coordinates": ["x"], "kinetic": "x'^2/2", "potential": "x^2/2", "state": {"q": [1]},
 "contacts": [{"name": "wall", "gap": "x", "restitution": 0.6}]}
J
closed="x=abs(cos(t))*0.6^floor(t/pi + 0.5),x'=-sin(t)*sign(cos(t))*0.6^floor(t/pi + 0.5)"
run converge wall.json --steps 0.2,0.1,0.05 --time 10 --schemes alpha,events --closed "$closed" --json
check "second order across partially elastic impacts" 0 final 1.8 2.2
check "fifth order by events" 1 final 4 6
run converge stick-slip --steps 0.1,0.05,0.025 --time 4 --schemes alpha,events --json
check "second order of velocities in L1 across stick and slip, by events" 1 velocity 1.7 2.4
run converge tilted-block --steps 0.02,0.01,0.005 --time 2 --schemes events --json
check "and of impulses" 0 impulse 1.8 2.2
run converge four-bar --steps 0.02,0.01,0.005 --time 0.5 --schemes alpha,index3 --json
check "joints at the level of positions: second order" 1 position 1.8 2.2
run converge swing.json --steps 0.1,0.05 --time 1 --schemes old:1,free --reference events --json
check "gradients at the old place, alpha 1: first order, against a run by events" 0 position 0.9 1.1
check "without the balance of energy: second order" 1 position 1.9 2.1
run converge granular-box --set count=20 --steps 0.02,0.01 --time 0.1 --reference events
refused "grains have no run by events" "--reference: events: for systems"
# a bob on a pin and a wall where it hangs straight, which gives back half of the speed
cat >bob.json <<'J'
{"kind": "scene", "dimension": 2, "step": {"h": 0.01}, "time": 3, "materials": {"m": {"mu": 0.2, "restitution": 0.5}},
 "bodies": [{"name": "wall", "material": "m", "fixed": true,
             "shape": {"type": "halfspace", "normal": [1, 0], "offset": -0.1}},
            {"name": "bob", "material": "m", "position": [0.8, -0.6], "shape": {"type": "sphere", "radius": 0.1}}],
 "joints": [{"name": "pin", "type": "revolute", "bodies": ["world", "bob"], "point": [0, 0]}]}
J
run converge bob.json --steps 0.05,0.025,0.0125 --schemes events --reference events --json
check "bodies by events: second order of velocities across partially elastic impacts" 0 velocity 1.8 2.2
if python3 -c "
import json
e = json.load(open('out'))['variants'][0]['errors']['position']
assert e[0] / e[1] > 16 and e[1] / e[2] > 16, e
"; then ok "and the fifth of positions"; else not_ok "and the fifth of positions" "$(head -c 600 out)"; fi
# a cart on a spring with a block on top, which slips, sticks and slips again
cat >cart.json <<'J'
{"kind": "scene", "dimension": 2, "step": {"h": 0.01}, "time": 2, "materials": {"ice": {"mu": 0}, "m": {"mu": 0.3}},
 "bodies": [{"name": "floor", "material": "ice", "fixed": true, "shape": {"type": "halfspace", "normal": [0, 1]}},
            {"name": "cart", "material": "m", "density": 1, "position": [0.4, 0.25],
             "shape": {"type": "box", "half": [2, 0.25]}},
            {"name": "block", "material": "m", "density": 1, "position": [0.4, 0.6],
             "shape": {"type": "box", "half": [0.25, 0.1]}}],
 "springs": [{"bodies": ["world", "cart"], "points": [[-5, 0.25], [0.4, 0.25]], "stiffness": 20, "rest": 5}]}
J
run converge cart.json --steps 0.1,0.05,0.025 --schemes alpha:0.5,events,index3 --reference events --json
check "bodies by events: second order of velocities across stick and slip" 1 velocity 1.8 2.2
run converge chain --steps 0.02,0.01,0.005 --time 0.1 --json
check "bodies with joints" 0 position 0.7 2.3
run converge granular-box --set count=20 --steps 0.02,0.01,0.005 --time 0.1 --json
check "grains that fall: first order" 0 position 0.9 1.3

run converge swing.json
refused "no steps" "--steps: missing"
run converge swing.json --steps 0.1,0.2 --time 1
refused "ascending steps" "--steps: 0.2 after 0.1"
run converge swing.json --steps 0.3,0.1 --time 1
refused "a step that does not divide" "--steps: 0.3: does not divide"
run converge swing.json --steps 0.1,0.05 --time 1 --closed "x=cos(t)"
refused "a formula is missing" "--closed: 1 formulas: 2 expected"
run converge swing.json --steps 0.1,0.05 --schemes euler
refused "no such scheme" "--schemes: euler"
run converge box-stack --steps 0.1,0.05 --time 1 --rules gap
refused "rules of bodies" "--rules: gap: for systems"
run converge peg-in-hole --steps 0.1,0.05
refused "parts and probes" "a system, bodies or grains expected"
finish
