#!/usr/bin/env bash
# run_world.sh COMMAND: stiction run with bodies: trajectories, tables, resumed runs, built-in scenes, analyses, wrong
# requests.
set -u
source "$(dirname "$0")/lib/tools.sh"

# ---- a run and its files
run run arch --set mu=0.25 --time 1 --out fall --csv fall.csv --picture --problem fall.hdf5
expect "an arch falls" 0 "100 steps of 0.01, finished"
for file in trajectory.h5 trajectory.xdmf summary.json checkpoint.h5 scene.svg energy.svg; do
    if [ -s "fall/$file" ]; then ok "fall/$file"; else not_ok "fall/$file" "missing or empty"; fi
done
if [ "$(wc -l <fall.csv)" = 102 ]; then ok "a line for each step"; else not_ok "a line for each step" "$(wc -l <fall.csv)"; fi
head -n 1 fall.csv >out
code=0
expect "coordinates in the table" 0 "t,stone 0.x,stone 0.y,stone 0.angle,stone 1.x"
expect "energies in the table" 0 "stone 10.w,kinetic,potential,work,gain,residual,solved"
run verify fall.hdf5 fall.hdf5
expect "the last step can be verified by itself" 0 "accepted: solved"
run run arch --out fall
refused "a folder that holds a run" "holds a run"
run run --resume fall --set mu=1
refused "--resume takes no new settings" "--set"

# ---- on from a checkpoint: the same bits
run run arch --set mu=0.25 --time 0.4 --out part --csv part.csv --quiet
expect "the first part" 0
run run --resume part --csv part.csv --time 1 --quiet
expect "the rest" 0
if cmp -s fall.csv part.csv; then ok "a resumed run has the same table"; else not_ok "a resumed run has the same table" "differs"; fi
if command -v h5diff >/dev/null; then
    if h5diff -q fall/trajectory.h5 part/trajectory.h5; then ok "and the same trajectory"; else not_ok "and the same trajectory" "differs"; fi
fi
run run chain --time 0.2 --out links --csv links.csv --quiet
expect "joints, in one go" 0
run run chain --time 0.1 --out two --csv two.csv --quiet
run run --resume two --csv two.csv --time 0.2 --quiet
if cmp -s links.csv two.csv; then ok "joints, resumed"; else not_ok "joints, resumed" "differs"; fi
run run arch --set mu=0.25 --time 1 --csv one.csv --threads 1 --quiet
if cmp -s fall.csv one.csv; then ok "the number of threads changes nothing"; else not_ok "the number of threads changes nothing" "differs"; fi

# ---- a recorded run is checked without a step being made again
run verify fall
expect "a run that holds" 0 "accepted: 11 checks hold to 1e-06"
run verify links/trajectory.h5
expect "with joints, by its file" 0 "ok   joint"
run verify fall --json
expect "as JSON" 0 '"name": "momentum"'
run verify fall --tol 1e-30
expect "nothing holds to 1e-30" 1 "not accepted: "
mkdir half
head -c 20000 fall/trajectory.h5 >half/trajectory.h5
run verify half
refused "half a trajectory" "half/trajectory.h5: "
run verify fall fall
refused "a folder has no answer" "fall: a directory"
run verify arch
refused "a scene is no run" "arch: a scene, not an answer; stiction run arch --out DIR"
run verify arhc
refused "a name that is none" "arhc: neither a file nor the folder of a run; did you mean the scene arch?"
mkdir arch
run verify arch
refused "a folder without a run" "arch: no trajectory.h5 there"
run run arch --time 0.05 --quiet
expect "a folder does not hide a scene of its name" 0
run run stick-slip --time 0.1 --out block --quiet
run verify block
expect "a run of a system is verified by its own rules" 0 "a system of 2 coordinates, 10 steps"

# ---- nothing is left of a run that could not begin
(ulimit -f 8; "$command" run arch --time 0.1 --out none >out 2>err)
if [ ! -e none ]; then ok "a full disk at the start"; else not_ok "a full disk at the start" "$(ls none)"; fi
run run arch --time 0.1 --out again --picture --quiet
run run chain --time 0.1 --out again --force --quiet
if [ ! -e again/scene.svg ]; then ok "--force leaves nothing of the old run"; else not_ok "--force leaves nothing of the old run" "scene.svg"; fi
run run --resume again --time 0.05
expect "nothing to do" 0 "again: already at t = 0.1: no step was made"
mv again/trajectory.h5 moved.h5
run run --resume again
refused "--resume without a trajectory" "again: no trajectory.h5 there"
run run --resume moved.h5
refused "--resume of a file" "moved.h5: a file; the folder of a run is expected"
run run arch --step 1e-300
refused "steps without end" "arch: step 1e-300: time 10 would take 1e+301 steps"
run run arch --colour layer
refused "layers are for grains" "--colour: layer: for grains"

# ---- Ctrl-C: whole files, and going on gives the same bits
"$command" run arch --set mu=0.25 --time 1000 --step 0.0001 --out cut --quiet >out 2>err &
appears cut/checkpoint.h5
kill -INT $!
wait $!
code=$?
if [ "$code" = 1 ] && [ -s cut/summary.json ]; then ok "stopped by a signal"; else not_ok "stopped by a signal" "exit code $code"; fi
if command -v h5dump >/dev/null; then
    if h5dump -H cut/trajectory.h5 >out 2>&1; then ok "and the file is readable"; else not_ok "and the file is readable" "$(head -n 3 out)"; fi
fi

# ---- what the scenes promise
# stays NAME TOL SCENE OPTIONS..: every coordinate of the last line within TOL of the first one
stays() {
    local name=$1 tol=$2
    shift 2
    run run "$@" --csv stays.csv --quiet
    if awk -F, -v tol="$tol" 'NR == 1 { for (k = 2; k <= NF && $k !~ /v[xy]$/; k++) last = k }
                NR == 2 { for (k = 2; k <= last; k++) x[k] = $k }
                END { for (k = 2; k <= last; k++) if ($k - x[k] > tol || x[k] - $k > tol) exit 1 }' stays.csv; then
        ok "$name"
    else
        not_ok "$name" "$(sed -n '2p;$p' stays.csv | cut -c 1-200)"
    fi
}
stays "the arch stands above its friction" 1e-9 arch --set mu=0.308
run run arch --set mu=0.306 --time 2 --json
expect "and not below it" 0 '"steps_at_rest": 0'
run analyze sticking arch --set mu=0.308
expect "that it stands is proved" 0 "all contacts stick: yes"
run analyze sticking arch --set mu=0.306
expect "that it does not, too" 1 "least coefficient of friction, the same at all contacts: 0.3070327"
stays "no creep on a slope in 10 s, h = 0.01" 1e-12 slope --step 0.01
stays "no creep on a slope in 10 s, h = 0.002" 1e-12 slope --step 0.002
stays "no creep in a gripper in 10 s, h = 0.01" 1e-12 gripper --step 0.01
stays "no creep in a gripper in 10 s, h = 0.002" 1e-12 gripper --step 0.002
run run slope --set mu=0.36 --time 0.01 --json
expect "and sliding at once where friction is less" 0 '"mode": "slide"'
run run gripper --set mu=0.2 --time 0.02 --json
expect "the same in the gripper" 0 '"mode": "slide"'
stays "a stack of 20 boxes stays" 1e-9 box-stack
stays "a house of cards stays" 1e-9 card-house
run run box-on-belt --json
expect "a box on a belt" 0 '"mode": "stick"'
for scene in newton-cradle spinning-top tumbling-tee chain four-bar-3d motor-crank dominoes brick-wall; do
    run run $scene --time 0.05 --json
    expect "$scene" 0 '"unsolved_steps": 0'
done

# energy: no step gains more than the work that was done, up to the tolerance of the steps
gains_nothing() { # SCENE OPTIONS..
    run run "$@" --csv energy.csv --quiet
    if awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
                { e = $at["kinetic"] + $at["potential"] }
                NR > 2 && e - last - $at["work"] > 1e-9 * (1 + $at["kinetic"] + (e < 0 ? -e : e)) { bad = 1 }
                { last = e } END { exit bad }' energy.csv && [ "$code" = 0 ]; then
        ok "$* gains no energy"
    else
        not_ok "$* gains no energy" "exit code $code; $(head -c 200 err)"
    fi
}
gains_nothing arch --set mu=0.2 --time 2
gains_nothing card-house --set mu=0.1 --time 1
gains_nothing slope --set mu=0.2 --time 2
gains_nothing box-on-belt
gains_nothing tumbling-tee --time 5
gains_nothing chain --time 1
gains_nothing four-bar-3d --time 2
gains_nothing motor-crank --time 2
gains_nothing gripper --set mu=0.2 --time 1
gains_nothing dominoes --time 0.4

# ---- options that are settings
run run slope --step 0.05 --alpha 0.75 --tol 1e-8 --solver newton --impact poisson --time 0.1 --json
expect "options reach the step" 0 '"alpha": 0.75'
expect "the solver too" 0 '"solver": "newton"'
expect "and the law" 0 '"impact": "poisson"'
run run slope --set step.h=0.25,degrees=10 --set time=1/2 --json
expect "--set for parameters, steps and the time" 0 '"steps": 2,'
run run box-stack --time 0.5 --frame 0.1 --out few --picture --colour force --json
expect "--frame" 0 '"frames": 6'
if [ -s few/scene.png ]; then ok "a picture in space"; else not_ok "a picture in space" "missing or empty"; fi

# ---- what there is, and analyses of an instant
run inspect four-bar-3d
expect "inspect lists bodies and joints" 0 "18 velocities, 20 rows of joints"
run inspect arch --set count=7 --json
expect "inspect, as JSON" 0 '"velocity_count": 21'
run analyze modes slope
expect "modes of a box on a slope" 0 "n n n n strict"
run analyze modes slope --set mu=0.3 --time 0.1
expect "and when it has slid for a while" 0 "sliding"
run analyze sticking slope --at 1
refused "a scene of bodies has no --at" "--at"
run analyze sticking slope --set nothing=1
refused "no such parameter" "nothing: no such parameter"

# ---- wrong requests
run run slope --scheme alpha
refused "schemes are for systems" "--scheme"
run run slope --law cone
refused "laws are for grains and systems" "--law"
run run slope --jamming
refused "jamming is for grains" "--jamming"
run run slope --alpha 0.2
refused "alpha below 1/2" "step.alpha: 0.2"
run run slope --solver tron
refused "no such solver" "step.solver: tron"
run run slope --impact moreau
refused "no such impact law" "step.impact: moreau"
run run slope --set mu
refused "a setting without a value" "name=value"
run run slope --set mu=-1
refused "a negative coefficient of friction" "mu"
run run slope --picture
refused "pictures need a folder" "--out"
cat >overlap.json <<'END'
{"kind": "scene", "dimension": 2, "time": 1, "bodies": [{"name": "a", "shapes": [{"type": "box", "half": [1]}]}]}
END
run run overlap.json
refused "a mistake in a file" "overlap.json: bodies[0].shapes[0].half: a list of 1"
cat >broken.json <<'END'
{"kind": "scene", "dimension": 2, "time": 1, "bodies": [{"name": "a", "shape": {"type": "disc", "radius": 1}}],
 "joints": [{"type": "distance", "bodies": ["world", "a"], "points": [[0, 0], [0, 0]], "length": 1},
            {"type": "distance", "bodies": ["world", "a"], "points": [[5, 0], [0, 0]], "length": 1}]}
END
run run broken.json
refused "joints that contradict each other" "broken.json"

# ---- nothing false: a run checks itself by the rules of verify, and says what it did to the start
cat >deep.json <<'END'
{"kind": "scene", "dimension": 3, "parameters": {"z": -5, "v": 0}, "bodies": [
    {"name": "floor", "fixed": true, "shape": {"type": "halfspace", "normal": [0, 0, 1]}},
    {"name": "box", "mass": 1, "shape": {"type": "box", "half": [0.1, 0.1, 0.1]}, "position": [0, 0, "z"], "velocity": [0, 0, "v"]}],
 "step": {"h": 0.01}, "time": 0.1}
END
run run deep.json --out deep
expect "a box 5 m under the floor is no solution" 1 '"floor" and "box" overlap by 5.1; 5.1 of overlap is left'
expect "and no step is" 1 "10 of 10 steps not solved"
expect "and the check says so" 1 "penetration "
run verify deep
expect "as verify does" 1 "no   penetration"
run run deep.json --no-check
expect "without the check as well" 1 "10 of 10 steps not solved"
run run deep.json --set z=0.05
expect "a start in the floor is told" 0 'overlap by 0.05; in 1 step bodies were moved by 0.05, which changed the energy by +0.49'
# ten or eleven: the box is set down on the floor, and the last bit says whether their bounds touch
sed -i 's/checked as it went: 11 checks/checked as it went: 10 checks/' out
expect "and the run holds" 0 "checked as it went: 10 checks hold to 1e-06"
run run deep.json --set z=0.05 --json
expect "as JSON" 0 '"overlap_energy": 0.4905'
run run deep.json --set z=5,v=-1e150
refused "a velocity beyond all measure" 'body "box": is 1e+148 from the origin, or moves so far in a step'
run run deep.json --check --no-check
refused "both" "--check: not together with --no-check"
echo '{"kind": "scene", "dimension": 3, "bodies": [], "step": {"h": 0.01}, "time": 1}' >empty.json
run run empty.json --out empty
expect "a scene without bodies" 0 "0 bodies (0 move)"
run verify empty
expect "is a run too" 0 "accepted"
run run --resume fall --time 1.2 --check
expect "a resumed run is checked from its start" 0 "checked as it went: 11 checks hold"
run run slope --time 0.1 --no-check --out unchecked --quiet
run run --resume unchecked --time 0.2 --check
refused "a check that was not begun" "--check: the run in unchecked was begun with --no-check"

# ---- contacts: impulses, slips with their signs, times of impacts
run run deep.json --set z=0.3,v=-1 --time 0.3 --csv box.csv --contacts contacts.csv --json
expect "a box lands" 0 '"impacts": 4'
expect "its contacts have slips" 0 '"slip": ['
head -n 1 contacts.csv >out
expect "a table of contacts" 0 "t,a,b,mode,gap,x,y,z,nx,ny,nz,t1x,t1y,t1z,t2x,t2y,t2z,impulse_n,impulse_t1,impulse_t2,opening,slip_t1,slip_t2,hit"
hits=$(awk -F, 'NR > 1 && $NF != ""' contacts.csv | wc -l)
if [ "$hits" = 4 ]; then ok "four of them hit"; else not_ok "four of them hit" "$hits"; fi
sum=$(awk -F, 'NR > 1 { s += $18 } END { print (s > 3.9 && s < 4.4) }' contacts.csv)  # m (v + g t) as impulse
if [ "$sum" = 1 ]; then ok "and stop it"; else not_ok "and stop it" "$(awk -F, '{ s += $18 } END { print s }' contacts.csv)"; fi
head -n 1 box.csv >out
expect "impulses of bodies in the table of steps" 0 "drift,impact_time,impact_energy,box.px,box.py,box.pz"
run run deep.json --set z=0.3,v=-1 --time 0.1 --out two-tables --contacts half.csv --quiet
run run --resume two-tables --time 0.3 --contacts half.csv --quiet
if cmp -s contacts.csv half.csv; then ok "and it goes on"; else not_ok "and it goes on" "differs"; fi

# ---- which solver ran, and why
run run brick-wall --time 0.1 --attempts tried.csv --out walled --quiet
head -n 1 tried.csv >out
expect "a table of attempts" 0 "t,body,contacts,solver,solved,residual,iterations,why"
awk -F, 'NR > 1 && $3 > 0 && ($5 == 0 || $5 == 1) && $8 != "\"\""' tried.csv | wc -l >out
if [ "$(($(cat out) + 1))" = "$(wc -l <tried.csv)" ] && [ "$(cat out)" -gt 0 ]; then ok "each with a reason"; else not_ok "each with a reason" "$(head -c 300 tried.csv)"; fi
run run brick-wall --time 0.05 --attempts half.csv --out half-walled --quiet
run run --resume half-walled --time 0.1 --attempts half.csv --quiet
if cmp -s tried.csv half.csv; then ok "and it goes on too"; else not_ok "and it goes on too" "differs"; fi
run run pebble-bed --attempts tried.csv
refused "beds have none" "--attempts"
run run peg-push --attempts tried.csv
refused "pushes have none" "--attempts: not for parts and probes"

# ---- near misses: the truth stays, and scripts choose
run run dominoes --time 0.1 --solver gs --tol 1e-14
expect "steps that miss their tolerance" 1 "steps not solved to 1e-14"
run run dominoes --time 0.1 --solver gs --tol 1e-14 --accept 1e-8
expect "are accepted where asked" 0 "of them accepted, first step"

# ---- settings that are given twice
run run slope --set mu=0.1,mu=0.2
refused "a setting twice" "--set: mu: given twice, 0.1 and 0.2"
run run slope --set time=nan --time 0.1
refused "a setting and an option" "time: given twice"

# ---- folders of others
mkdir foreign
echo mine >foreign/summary.json
run run slope --time 0.1 --out foreign
refused "a summary of another" "--out: foreign: holds summary.json, which is not of a run there; --force replaces it"
rm foreign/summary.json
echo mine >foreign/energy.svg
run run slope --time 0.1 --out foreign
refused "a picture of another, asked for or not" "holds energy.svg"
if [ "$(cat foreign/energy.svg)" = mine ] && [ ! -e foreign/trajectory.h5 ]; then ok "nothing is changed"; else not_ok "nothing is changed" "$(ls foreign)"; fi
run run slope --time 0.1 --out foreign --force
expect "by force" 0

# ---- a run that was not born is no run
mkdir unborn
head -c 4096 /dev/zero >unborn/trajectory.h5
: >unborn/summary.json.tmp
: >unborn/checkpoint.h5.4711.0.tmp
run run --resume unborn
refused "nothing to go on with" "begins again with --out)"
run run slope --time 0.1 --out unborn
expect "but to begin again" 0
if [ -z "$(find unborn -name '*.tmp')" ]; then ok "without leftovers"; else not_ok "without leftovers" "$(ls unborn)"; fi
mkdir born
cp unborn/trajectory.h5 born/
: >born/trajectory.h5.4711.0.tmp
run run slope --time 0.1 --out born
expect "killed after its first commit and before its checkpoint" 0
rm born/checkpoint.h5
run run slope --time 0.1 --out born
refused "a trajectory alone is not thrown away" "holds a run"

# ---- the terminal goes away
"$command" run brick-wall --time 1000 --out hung >out 2>err &
pid=$!
appears hung/checkpoint.h5
kill -HUP "$pid"
code=0
wait "$pid" || code=$?
expect "SIGHUP ends a run with its files whole" 1 "stopped early at"
there=$(ls hung | tr '\n' ' ')
if [ -s hung/summary.json ]; then ok "and its summary"; else not_ok "and its summary" "$there"; fi
finish
