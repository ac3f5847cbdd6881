#!/usr/bin/env bash
# impact.sh COMMAND: stiction analyze velocities, impact and painleve: answers, files they write, and what they refuse.
set -u
source "$(dirname "$0")/lib/tools.sh"
problems=$source_dir/problems

# ---- velocities
run analyze velocities balls-3
expect "velocities of three balls" 0 "G                                   1           -0.5"
run analyze velocities painleve-rod --velocity 0.2,0.3,1 --lambda-n 5 --lambda-t=-1 --json
expect "rates of quasi-velocities along the motion" 0 '"along_motion": true'
run analyze velocities "$source_dir/problems/s1_rock.json" --rates --json
expect "rates from an instant" 0 '"qddot_norm": [null, 0], "qddot_tan": [null], "along_motion": false'
run analyze velocities painleve-rod --lambda-t 1
refused "tangential forces alone" "--lambda-t: needs --lambda-n"
run analyze velocities painleve-rod --lambda-n 1,2 --lambda-t 1
refused "too many forces" "--lambda-n: 2 numbers, and 1 constraints touch"
run analyze velocities pendulum --json
expect "velocities as JSON" 0 '"G_unilateral": [[0.67175318965'
run analyze velocities balls-3 --lambda-n 1,2
expect "power of contact forces" 0 "normal -1, tangential 0"
run analyze velocities balls-3 --lambda-n 1
refused "forces that do not fit" "--lambda-n: 1 numbers, and 2 constraints touch"
run analyze velocities "$problems/murty_8.json"
refused "an LCP has no velocities" "kind: lcp"

# ---- impact
run analyze impact balls-3 --law moreau
expect "Moreau's law" 0 "-0.33333333     0.66666667     0.66666667"
run analyze impact "$problems/s1_kane.json" --law friction
expect "Kane's pendulum gains energy" 1 "T_L = 0.040743905  not admissible: energetic"
run analyze impact "$problems/s1_rock.json" --law friction
expect "no admissible solution" 1 "1 solution of S1 (68), 0 admissible"
run analyze impact "$problems/s1_balls_matrix.json" --json
expect "impact as JSON" 0 '"verification": {"accepted": true'
run analyze impact balls-3 --law lzb --stiffness 1,2 --exponent 1
expect "springs side by side" 0 "admissible"
run analyze impact balls-3 --law general --restitution 1.5
expect "a law that gains energy says no" 1 "not admissible:"
run analyze impact balls-3 --law lzb --stiffness 1
refused "one stiffness for each contact" "--stiffness: 1 numbers, and 2 are needed"
run analyze impact balls-3 --picture set.svg
expect "the admissible set is drawn" 0 "from (1, 0) to (0, 1)"
if grep -q '^<svg' set.svg && grep -q '</svg>' set.svg; then ok "a whole picture"; else not_ok "a whole picture" "it is not"; fi
run analyze impact balls-3 --law morau
refused "a law that is none" "--law: morau: no such law; did you mean moreau"
run analyze impact balls-3 --restitution 1,2,3
refused "a restitution that does not fit" "--restitution: 3 numbers: 1, 2 or 4 expected"
run analyze impact balls-3 --quasi 1,2
refused "a matrix that does not fit" "--quasi: 2 numbers, and 9 are needed"
run analyze impact painleve-rod --picture rod.svg
refused "a set that cannot be drawn" "--picture: painleve-rod"
run analyze impact balls-3 --picture nowhere/set.svg
refused "a picture without a place" "nowhere/set.svg: cannot be written"

# ---- painleve
run analyze painleve painleve-rod --picture rod.svg --csv rod.csv
expect "the rod's critical friction" 0 "least mu_c = 1.3333333 (about 4/3) at theta = 1.1071487 (about arctan 2)"
if grep -q 'mu_c = 1.33333' rod.svg; then ok "the map is drawn"; else not_ok "the map is drawn" "it is not"; fi
if [ "$(wc -l <rod.csv)" -eq $((181 * 121 + 1)) ]; then ok "the map is a table"; else not_ok "the map is a table" "$(wc -l <rod.csv) lines"; fi
run analyze painleve painleve-rod --json --instant
expect "painleve as JSON" 0 '"mu_c": 1.333333333'
run analyze painleve painleve-rod --velocity -20,0,0 --grid "theta=0.1:1.5:9,theta'=-6:6:7"
expect "the plane of angle and rate" 0 "several"
run analyze painleve painleve-rod --grid foo=0:1:3
refused "an axis that is none" "--grid: foo: no such coordinate, and not mu"
run analyze painleve painleve-rod --grid theta=0:1
refused "an axis without a count" "--grid: theta=0:1: name=low:high:count expected"
run analyze painleve painleve-rod --grid theta=0:1:2,mu=0:1:2,x=0:1:2
refused "three axes" "--grid: more than two axes"
run analyze painleve painleve-rod --mu 1,2
refused "friction that does not fit" "--mu: 2 numbers, and 1 contacts touch"
run analyze painleve painleve-rod --mu -1
refused "negative friction" "not a number >= 0"
run analyze painleve "$problems/s1_rock.json" --grid x=0:1:2
refused "a map of an instant" "a map needs a system"
run analyze painleve painleve-rod --instant --csv a.csv
refused "a map that is not made" "--instant: leaves no map for --csv"

run analyze painleve planar-box --set k=0 --instant
expect "a box without inertia, in the limit" 0 "critical friction mu_c = 1.0942606"
run analyze painleve planar-box --set k=0 --json
expect "and its map" 0 '"mass_singular": true, "limit": "M is singular: limit of M + eps z z'

# ---- a singular mass: a lever without mass, and one that the contact moves
cat >lever.json <<'END'
{"kind": "system", "coordinates": ["x", "y", "s"], "kinetic": "(x'^2 + y'^2)/2",
 "contacts": [{"name": "tip", "gap": "y - s", "slip": ["x' - s'"], "mu": 0.3, "restitution": 0.5}],
 "joints": [{"name": "lever", "constraint": "s - x/2"}], "state": {"q": [0, 0, 0], "v": [1, -1, 0.5]}}
END
run analyze impact lever.json --law newton
expect "an impact over a lever without mass" 0 "p of joints                     1.8"
run analyze velocities lever.json --json
expect "its quasi-velocities" 0 '"mass_singular": true, "held": 1, "idle": 0'
sed '/"joints"/s/"joints".*"state"/"state"/' lever.json >free.json
run analyze impact free.json
refused "a contact that moves what has no mass" "free.json: M: contact tip moves a direction without mass"

# ---- norms of one's own matrices
echo '{"kind": "matrices", "P": [[2, 1], [-1, 2]], "N": [[0, 1.5], [0, 0]]}' >m.json
run analyze norms m.json
expect "S0 (84) in both norms" 0 "Frobenius  1.5 < 1.41421356 does not hold"
grep -q "spectral   1.5 < 2 holds" out && ok "and spectral" || not_ok "and spectral" "$(head -c 400 out)"
echo '{"kind": "matrices", "G": [[1, -0.5], [-0.5, 1]], "E": [[0.5, 0], [0, 0.5]]}' >m.json
run analyze norms m.json --json
expect "Props 6, 7 and Lemma 2" 0 '"restitution": {"statement": "S1 Props 6, 7'
echo '{"kind": "matrices", "G": [[1, 2], [2, 1]], "E": [[0.5, 0], [0, 0.5]]}' >m.json
run analyze norms m.json
expect "an indefinite G" 0 "does not apply: the symmetric part of G is not positive definite"
echo '{"kind": "matrices", "G": [[1]]}' >m.json
run analyze norms m.json
refused "nothing to compare" "m.json: nothing to compare"
run analyze norms balls-3
refused "no matrices" "balls-3"
finish
