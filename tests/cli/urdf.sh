#!/usr/bin/env bash
# urdf.sh COMMAND: robots: a URDF file as a scene, robots in scenes, what is reported of them, runs that go on.
set -u
source "$(dirname "$0")/lib/tools.sh"
arm=$source_dir/scenes/arm.urdf

# ---- a robot alone
run run "$arm" --time 0.1
expect "run of a robot" 0 "9 bodies (8 move), 8 joints" 'arm.urdf: line 17: ignored: joint: limit: effort'
expect "what is ignored" 0 "" "ignored: joint: limit: velocity: speeds of joints are not limited (8 times)"
run run "$arm" --time 0.1 --json --quiet
expect "the report in JSON" 0 '"what": "ignored"'
expect "and the robot" 0 '"robots": [{"name": "arm", "file": "'"$arm"'", "link_count": 9, "mass": 12.2'
if [ -s err ]; then not_ok "--quiet" "$(head -c 200 err)"; else ok "--quiet"; fi
run inspect "$arm"
expect "inspect of a robot" 0 "9 bodies in space, 8 move" "ignored"
run inspect "$arm" --json
expect "inspect --json of a robot" 0 '"robots": [{"name": "arm"'

cat >fixed.urdf <<'END'
<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>
<link name='b'/><link name='c'/><link name='d'/>
<joint name='ab' type='fixed'><parent link='a'/><child link='b'/></joint>
<joint name='ac' type='fixed'><parent link='a'/><child link='c'/></joint>
<joint name='ad' type='fixed'><parent link='a'/><child link='d'/></joint></robot>
END
run run fixed.urdf --time 0.01
if [ "$(wc -l <err)" -le 12 ]; then ok "a dozen lines"; else not_ok "a dozen lines" "$(wc -l <err)"; fi
few=$(wc -l <err)
run run fixed.urdf --time 0.01 --verbose
if [ "$(wc -l <err)" -gt "$few" ]; then ok "--verbose shows all"; else not_ok "--verbose shows all" "$(wc -l <err)"; fi

# ---- on the ground
cat >box.urdf <<'END'
<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='0' iyy='0' izz='0'/></inertial>
<collision><geometry><box size='1 1 1'/></geometry></collision></link>
<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>
<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0, 0, 1'/><limit lower='1' upper='2'/></joint></robot>
END
run run box.urdf --ground --floating --height auto --mu 0.8 --pose home --time 0.5 --json
expect "a robot on the ground rests there" 0 '"steps_at_rest": 50'
expect "and how far it was moved is said" 0 "" "box.urdf: line 1: assumed: robot: put on the ground: root link at z = 0.5"
expect "and what collides with nothing" 0 "" '1 of 2 bodies that move collide with nothing, like link "b"'
run run box.urdf --ground --floating --height 2 --time 0.1
expect "from a height" 0 "3 bodies (2 move)"
expect "that it does not reach the ground" 0 "no contact carried load in any step"
run run box.urdf --joint 'j=1.75' --time 0.01 --csv c.csv --quiet
expect "a joint somewhere" 0
run run box.urdf --joint 'j=3' --time 0.01
refused "a joint beyond its limits" 'joint "j": starts at 3, outside of its limits 1 and 2'
run run box.urdf --joint 'j'
refused "a joint without a place" "--joint: j: NAME=X expected"
run run box.urdf --joint 'k*=1'
refused "a pattern that fits nothing" 'setting of joint "k*": fits no joint that moves'
run run box.urdf --pose lying
refused "a pose that there is not" 'pose: "lying": "zero", "middle" or "home" is expected'
run run box.urdf --ground --floating --height auto --mu 0 --time 0.1
expect "without friction" 0 "0 of 10 steps not solved"
run run box.urdf --mu -1
refused "friction below 0" "--mu: -1: a number not below 0 expected"
run run box.urdf --mu rough
refused "friction that is no number" "--mu: rough: a number not below 0 expected"
run run box.urdf --height high
refused "a height that is none" "--height: high: a number or auto expected"
run run box.urdf --strict
refused "read strictly" 'box.urdf: line 4: joint "j": axis: xyz: "0, 0, 1": three finite numbers are expected'
allegro=$shared_dir/robots/drake_models/allegro_hand_description/urdf/allegro_hand_description_left.urdf
if [ -f "$allegro" ]; then # 7 mm in the ground, then at rest to the tolerance of its steps
    run run "$allegro" --ground --floating --time 0.2 --out hand
    expect "a hand that starts in the ground" 0 'start: "ground" and "link_15" overlap by 0.0025' "overlaps link"
    run verify hand
    expect "and its run is accepted" 0 "accepted: 11 checks hold"
    # moments of 1 at masses of 0.05: the whole asks more of its islands than they have digits for
    run run "$shared_dir/robots/pybullet_data/r2d2.urdf" --folder "$shared_dir/robots" --ground --floating --height auto \
        --step 0.002 --time 0.2 --attempts attempts
    expect "a robot with moments far above its masses" 0 "0 of 100 steps not solved"
    code=$(grep -c "again, from forces of zero" attempts)
    expect "is not solved for digits below rounding" 0
else
    ok "a hand that starts in the ground: skipped, no $shared_dir/robots"
fi
run run brick-wall --ground
refused "not of other scenes" "--ground: for robots (URDF), and brick-wall is none"
run inspect box.urdf --floating
expect "inspect lists shapes and limits" 0 "moments"
expect "and the degrees of freedom" 0 "7 degrees of freedom"
run inspect box.urdf
expect "and the mass of the whole, with a base that stays" 0 'robot "r": 2 links, mass 2'
run run box.urdf --ground --floating --height auto --time 0.2 --out ground --quiet
expect "a run on the ground" 0
run run --resume ground --time 0.3 --quiet
expect "goes on" 0
run run --resume ground --ground
refused "and is not changed" "--ground: not together with --resume"
run verify ground
expect "and is verified" 0

# ---- pictures
bytes() { od -An -tu1 -j"$2" -N4 "$1" | awk '{print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4}'; }
drawn() { run run box.urdf --ground --floating --height 1 --joint j=1.5 --time 0.3 --out "$1" --picture --quiet "${@:2}"; }
drawn end --size 200x160
expect "a picture" 0
if [ "$(bytes end/scene.png 16) $(bytes end/scene.png 20)" = "200 160" ]; then ok "--size"; else not_ok "--size" "$(bytes end/scene.png 16)"; fi
drawn start --size 200x160 --at 0
expect "a picture of the start" 0
drawn seen --show visual
expect "a picture of what can be seen" 0
if cmp -s start/scene.png end/scene.png; then not_ok "--at" "the same"; else ok "--at"; fi
drawn top --size 200x160 --view top && drawn same --size 200x160 --view 270,85
if cmp -s top/scene.png same/scene.png; then ok "--view by name is one by degrees"; else not_ok "--view by name" "differs"; fi
if cmp -s top/scene.png end/scene.png; then not_ok "--view" "the same"; else ok "--view"; fi
drawn late --at 5
expect "a picture of a time never reached" 0
drawn bad --view below
refused "a side that there is not" "--view: below: front, back, left, right, top or degrees"
drawn bad --size 8x9000
refused "a size that is none" "--size: 8x9000: W or WxH, 16 to 8192 pixels"
drawn bad --at soon
refused "a time that is none" "--at: soon: a time from 0 on expected"
if [ -e bad ]; then not_ok "nothing half-written" "$(ls bad)"; else ok "nothing half-written"; fi
run run box.urdf --view top
refused "no picture to look at" "--view: needs --picture"
run run box.urdf --show visual
refused "nothing is shown without a picture" "--show: needs --picture"
run run box.urdf --folder not-there --time 0.01
refused "a folder that is none" "--folder: not-there: no such folder"
run run box.urdf --out flat --picture --show all
refused "a look that is none" "--show: all: collision or visual expected"
run run arch --out flat --picture --show visual
refused "looks of a scene" "--show: for robots (URDF)"
run run arch --time 0.01 --out flat --picture --view top
refused "no sides in the plane" "--view: of bodies in space, and arch is in the plane"
run run stick-slip --out flat --picture --size 300
refused "no bodies" "--size: of bodies in space, and stick-slip has none"

# ---- packages and what can be seen
mkdir -p ws/other/meshes ws/other/robots bin && printf '<package><name>pkg</name></package>' >ws/other/package.xml
cat >ws/other/meshes/box.dae <<'END'
<COLLADA><library_geometries><geometry id='g'><mesh><source id='s'><float_array>0 0 0 1 0 0 0 1 0 0 0 1</float_array></source>
<vertices id='v'><input semantic='POSITION' source='#s'/></vertices><triangles><input semantic='VERTEX' source='#v' offset='0'/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries></COLLADA>
END
cat >ws/other/robots/r.urdf <<'END'
<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>
<visual><geometry><mesh filename='package://pkg/meshes/box.dae'/></geometry></visual></link></robot>
END
run run ws/other/robots/r.urdf --ground --floating --height auto --time 0.05
expect "what can be seen does not collide" 0 "" "no shape to put on the ground"
run run ws/other/robots/r.urdf --ground --floating --height auto --collide visual --time 0.05
expect "unless asked to, found by package.xml" 0 "" "has no <collision>: touches with what can be seen"
cp ws/other/robots/r.urdf far.urdf
run run far.urdf --collide visual
refused "a package that is not there" 'package://pkg/meshes/box.dae": no such file'
run run far.urdf --collide visual --folder ws/other --time 0.01
expect "--folder" 0
mkdir -p ros/pkg/meshes ament/share/pkg/meshes && cp ws/other/meshes/box.dae ros/pkg/meshes && cp ws/other/meshes/box.dae ament/share/pkg/meshes
ROS_PACKAGE_PATH=/none:$PWD/ros run run far.urdf --collide visual --time 0.01
expect "ROS_PACKAGE_PATH" 0
mkdir -p deep/b/repo/some_name/meshes && cp ws/other/package.xml deep/b/repo/some_name && cp ws/other/meshes/box.dae deep/b/repo/some_name/meshes
ROS_PACKAGE_PATH=$PWD/deep run run far.urdf --collide visual --time 0.01
expect "a package somewhere below ROS_PACKAGE_PATH" 0
run run far.urdf --collide visual --folder deep --time 0.01
expect "and below --folder" 0
touch deep/package.xml
run run far.urdf --collide visual --folder deep
refused "but not below a package" "no such file beside this one or above it"
AMENT_PREFIX_PATH=$PWD/ament run run far.urdf --collide visual --time 0.01
expect "AMENT_PREFIX_PATH" 0
run run far.urdf --collide seen
refused "no such way to collide" 'collide: "seen": "collision" or "visual" is expected'

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
refused "not valid XML" "tag.urdf: line 3, column"
printf '<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><robot name="&b;"/>' >entity.urdf
run run entity.urdf
refused "entities" "entity.urdf: line 1: <!DOCTYPE>"
run run none.urdf
refused "no such file" "none.urdf: No such file"
printf '{"kind": "scene", "dimension": 3, "time": 1, "bodies": [], "urdf": [{"file": "roots.urdf"}]}' >roots.json
run run roots.json
refused "two roots in a scene" "roots.json: urdf[0]: roots.urdf: line 3"
# ---- files that are broken, or made to take all there is: one line each, at once
inertial="<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
joint() { printf "<joint name='%s' type='fixed'><parent link='%s'/><child link='%s'/></joint>" "$@"; }
with_mesh() { printf "<robot name='r'><link name='a'>%s<collision><geometry><mesh filename='%s'/></geometry></collision></link></robot>" "$inertial" "$1" >m.urdf; }
printf "<robot name='r'><link name='z'/><link name='a'/><link name='b'/>$(joint j a b)$(joint k b a)</robot>" >cycle.urdf
run run cycle.urdf
refused "a cycle" 'cycle.urdf: line 1: link "a": is part of a cycle of joints'
printf "<robot name='r'><link name='a'/><link name='b'/>$(joint j a b)$(joint k b a)</robot>" >ring.urdf
run run ring.urdf
refused "nothing but a cycle" 'every link is the child of a joint: the links form a cycle'
printf "<robot name='r'><link name='a'/>$(joint j a nowhere)</robot>" >nowhere.urdf
run run nowhere.urdf
refused "a joint to nowhere" 'nowhere.urdf: line 1: joint "j": child: link: "nowhere": no such link'
for value in nan inf 1e999 abc; do
    printf "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='%s'/></inertial></link></robot>" $value >number.urdf
    run run number.urdf
    refused "$value in an inertia" "number.urdf: line 1: link \"a\": inertial: inertia: ixx: \"$value\": one finite number is expected"
done
{
    printf '<!DOCTYPE r [<!ENTITY e0 "ha">'
    for k in 1 2 3 4 5 6 7 8 9; do printf '<!ENTITY e%d "&e%d;&e%d;&e%d;&e%d;&e%d;&e%d;&e%d;&e%d;">' $k $((k - 1)){,,,,,,,}; done
    printf ']><COLLADA>&e9;</COLLADA>'
} >bomb.dae
with_mesh bomb.dae
run run m.urdf
refused "an XML bomb" "bomb.dae: line 1: <!DOCTYPE>: declarations of entities"
{ printf '<COLLADA>' && for k in {1..1000}; do printf '<node>'; done; } >deep.dae
with_mesh deep.dae
run run m.urdf
refused "elements in elements" "deep.dae: line 1: <node>: more than 64 levels of elements"
sed 's/1 2 3</1 2 4</' ws/other/meshes/box.dae >index.dae
with_mesh index.dae
run run m.urdf
refused "COLLADA with an index out of range" "index.dae: line 3: <p>: index 4: there are 4 positions"
# a strip of 2998 triangles over nothing but zeros, 9000 times
gltf() {
    printf '{"asset":{"version":"2.0"},"scenes":[{"nodes":[0%s]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"mode":5,' "$1"
    printf '"attributes":{"POSITION":0},"indices":1}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":1,"type":"VEC3"},'
    printf '{"bufferView":0,"componentType":5121,"count":3000,"type":"SCALAR"}],"bufferViews":[{"buffer":0,"byteLength":3000}],'
    printf '"buffers":[{"byteLength":%d,"uri":"data:;base64,%s"}]}' "$2" "$(printf '%04000d' 0 | tr 0 A)"
}
gltf '' 4000 >short.gltf
with_mesh short.gltf
run run m.urdf
refused "glTF with a short buffer" "short.gltf: buffers[0]: byteLength: 4000: there are 3000 bytes"
gltf "$(printf ',0%.0s' {1..9000})" 3000 >often.gltf
with_mesh often.gltf
run run m.urdf
refused "glTF that unfolds" "often.gltf: more than 4194304 triangles, the most that are read"
truncate -s 1G large.stl
with_mesh large.stl
run run m.urdf
refused "a mesh of a gigabyte" "large.stl: 1073741824 bytes: more than 536870912"
rm large.stl
finish
