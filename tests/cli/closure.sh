#!/usr/bin/env bash
# closure.sh COMMAND: stiction analyze closure: objects by name, grasps by points and normals, pictures, and what is
# refused.
set -u
source "$(dirname "$0")/lib/tools.sh"

run analyze closure gripper --object box
expect "a box between two fingers" 0 "gripper: 8 contacts on 6 coordinates"
grep -q "force closure: yes" out && grep -q "quality: " out && ok "is held" || not_ok "is held" "$(head -c 600 out)"
run analyze closure gripper
expect "fingers count as object when nothing is named" 1 "18 contacts on 18 coordinates"
run analyze closure gripper --object bix
refused "a wrong name" "--object: bix: no such body or velocity; numbers go from 0 to 17; did you mean box"
run analyze closure gripper --object 18
refused "a number that is too large" "--object: 18: no such body or velocity"
run analyze closure three-fingers --object x,y,theta
expect "velocities by name" 0 "least friction for force closure: 0.1 "
cp out by_name
run analyze closure three-fingers --object 0,1,2
cmp -s out by_name && ok "and by number" || not_ok "and by number" "$(diff out by_name | head -5)"
run analyze closure three-fingers --object theta,x,y
cmp -s out by_name && ok "in any order" || not_ok "in any order" "$(diff out by_name | head -5)"

cat >antipodal.json <<'E'
{"kind": "grasp", "dimension": 2, "mu": 1, "contacts": [
    {"point": [1, 0], "normal": [-0.8, -0.6]}, {"point": [-1, 0], "normal": [0.8, 0.6]}]}
E
run analyze closure antipodal.json --json
expect "an antipodal grasp, tan = 3/4" 0 '"closed": true, "exact": true'
grep -q '"least_friction": {"closes": true, "low": 0.7[45][0-9]*, "high": 0.75' out && ok "least friction 3/4" ||
    not_ok "least friction 3/4" "$(grep -o '"least_friction.\{80\}' out)"
sed 's/"mu": 1/"mu": "3\/4"/' antipodal.json >border.json
run analyze closure border.json
expect "on the border it does not close, without rounding" 1 "force closure: no, proved without rounding"
cat >square.json <<'E'
{"kind": "grasp", "dimension": 2, "mu": 1, "contacts": [{"point": [1, 0], "normal": [-1, 0]}, {"point": [-1, 0], "normal": [1, 0]}]}
E
run analyze closure square.json --picture square.svg
expect "quality 1 / sqrt 3" 0 "quality: 0.5773503, largest ball of (force, torque / 1)"
grep -q "</svg>" square.svg && grep -q "friction cones" square.svg && ok "a picture" || not_ok "a picture" "$(head -c 200 square.svg)"
run analyze closure square.json --length 2
expect "with half the torques 1 / sqrt 6" 0 "quality: 0.4082483, largest ball of (force, torque / 2)"
cat >ball.json <<'E'
{"kind": "grasp", "dimension": 3, "mu": 0.6, "contacts": [{"point": [1, 0, 0], "normal": [-1, 0, 0]},
    {"point": [-0.6, 0.8, 0], "normal": [0.6, -0.8, 0]}, {"point": [-0.6, -0.8, 0], "normal": [0.6, 0.8, 0]}]}
E
run analyze closure ball.json --json --picture ball.svg
expect "three fingers on a ball" 0 '"lower_checked": true'
grep -q "</svg>" ball.svg && ok "drawn in space" || not_ok "drawn in space" "$(head -c 200 ball.svg)"
run analyze closure ball.json --facets 4
expect "polygons leave no gap" 0 "quality: 0."
cat >below.json <<'E'
{"kind": "grasp", "dimension": 2, "mu": 0.5, "contacts": [{"point": [1, 0], "normal": [0, 1]}]}
E
run analyze closure below.json --picture below.svg
expect "one finger below" 1 "least friction for force closure: none is enough"
grep -q "load without balance" below.svg && ok "the load is drawn" || not_ok "the load is drawn" "$(head -c 200 below.svg)"
run analyze closure three-fingers --picture t.svg
refused "no picture of more than one body" "--picture: three-fingers: one body is drawn"
run analyze closure square.json --length 0
refused "--length 0" "--length: 0"
echo '{"kind": "grasp", "dimension": 2, "contacts": [{"point": [1, 0], "normal": [0, 0]}]}' >bad.json
run analyze closure bad.json
refused "a normal that is 0" "bad.json: contacts[0].normal: a list of 2: a direction is expected, not 0"
finish
