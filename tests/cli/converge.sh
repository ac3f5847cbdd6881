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
