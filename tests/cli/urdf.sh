#!/usr/bin/env bash
# urdf.sh COMMAND: robots: a URDF file as a scene, robots in scenes, what is reported of them, runs that go on.
set -u
source "$(dirname "$0")/lib/tools.sh"
arm=$source_dir/scenes/arm.urdf

# ---- a robot alone
run run "$arm" --time 0.1
expect "run of a robot" 0 "9 bodies (8 move), 8 joints" 'arm: line 26: approximated: link "shoulder_block": collision: cylinder'
expect "what is ignored" 0 "" "ignored: joint: limit: velocity: speeds of joints are not limited (8 times)"
run run "$arm" --time 0.1 --json --quiet
expect "the report in JSON" 0 '"what": "approximated"'
expect "and the robot" 0 '"robots": [{"name": "arm", "link_count": 9, "body_count": 9, "joint_count": 8'
if [ -s err ]; then not_ok "--quiet" "$(head -c 200 err)"; else ok "--quiet"; fi
run inspect "$arm"
expect "inspect of a robot" 0 "9 bodies in space, 8 move" "approximated"
run inspect "$arm" --json
expect "inspect --json of a robot" 0 '"robots": [{"name": "arm"'

# ---- the arm that grasps
run run arm-grasp --time 0.05 --quiet
expect "the built-in scene" 0
run run arm-grasp --json --quiet
expect "the box is held at rest" 0 '"unsolved_steps": 0'
grep -oE '"name": "box", "position": \[[^]]*\], "rotation": \[[^]]*\], "velocity": \[0, 0, 0\]' out >box
if [ -s box ]; then ok "and does not move"; else not_ok "and does not move" "$(grep -o '"name": "box".\{200\}' out)"; fi

# ---- a run that goes on, from another folder, with the robot's file out of reach
mkdir scene && cp "$arm" "$source_dir/scenes/arm-grasp.json" scene
run run scene/arm-grasp.json --time 0.2 --out one --quiet
expect "half a run" 0
rm -r scene
run run --resume one --time 0.4 --json --quiet
expect "it goes on" 0 '"steps": 40'
grep -o '"bodies": .*"contacts"' out >split
run run arm-grasp --time 0.4 --json --quiet
grep -o '"bodies": .*"contacts"' out >whole
if cmp -s split whole; then ok "bit for bit"; else not_ok "bit for bit" "it differs"; fi

# ---- mistakes
printf "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n</robot>" >roots.urdf
run run roots.urdf
refused "two roots" 'roots.urdf: line 3: link "b": no joint has it as child, and none has "a" in line 2'
printf "<robot name='r'>\n<link name='a'>\n</robot>" >tag.urdf
run run tag.urdf
refused "no XML" "tag.urdf: line 3, column"
printf '<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><robot name="&b;"/>' >entity.urdf
run run entity.urdf
refused "entities" "entity.urdf: line 1: <!DOCTYPE>"
run run none.urdf
refused "no such file" "none.urdf: No such file"
printf '{"kind": "scene", "dimension": 3, "time": 1, "bodies": [], "urdf": [{"file": "roots.urdf"}]}' >roots.json
run run roots.json
refused "two roots in a scene" "roots.json: urdf[0]: roots.urdf: line 3"
finish
