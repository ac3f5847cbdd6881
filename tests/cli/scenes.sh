#!/usr/bin/env bash
# scenes.sh COMMAND: built-in scenes, and where stiction analyze takes its instant from: scenes, systems, instants by
# numbers.
set -u
source "$(dirname "$0")/lib/tools.sh"

# ---- the list, and each scene as a file
run scenes
expect "scenes lists the rod" 0 "painleve-rod"
names=$(cut -d ' ' -f 1 out)
run scenes --json
expect "scenes --json" 0 '"name": "painleve-rod"'
run scenes --quiet
if [ -s out ]; then not_ok "scenes --quiet" "something on stdout"; else ok "scenes --quiet"; fi
for name in $names; do
    run scenes "$name"
    cp out "$name.json"
    if grep -q '"file": "[^"]*[.]urdf"' "$source_dir/scenes/$name.json"; then  # its robot is part of it
        if grep -q '"<robot name=' "$name.json"; then ok "$name has its robot"; else not_ok "$name has its robot" "it has none"; fi
    elif cmp -s "$name.json" "$source_dir/scenes/$name.json"; then ok "$name is its file"; else not_ok "$name is its file" "it differs"; fi
    grep -q '"kind": "stochastic"' "$name.json" && continue  # for stiction solve, see stochastic.sh
    grep -qE '"kind": "(scene|manipulation|navigation)"' "$name.json" && continue  # for stiction run, see run_bed.sh, run_push.sh, run_nav.sh
    run analyze velocities "$name" --json
    expect "$name is an instant" 0 '{'
    sed "s/$name//" out >by_name
    run analyze velocities "$name.json" --json
    expect "$name from its file" 0 '{'
    if sed "s/$name.json//" out | cmp -s - by_name; then ok "$name is the same by name and by file"; else not_ok "$name is the same by name and by file" "it differs"; fi
    if [ -s err ]; then not_ok "$name: nothing on stderr" "$(head -c 200 err)"; else ok "$name: nothing on stderr"; fi
done
for file in "$source_dir"/scenes/*.json; do
    name=$(basename "$file" .json)
    case " $(echo $names) " in
        *" $name "*) ok "$name is built in" ;;
        *) not_ok "$name is built in" "it is not" ;;
    esac
done
run scenes painleve-rad
refused "a scene that is none" "painleve-rad: no such scene; did you mean painleve-rod"
run scenes a b
refused "two scenes" "b: one argument too many"

# ---- where to look at a system
run analyze velocities painleve-rod --set mu=2/3,theta0=0.7 --velocity 1,0,0.5 --time 1
expect "--set, --velocity and --time" 0
run analyze velocities painleve-rod --at 0,0.8,1.2
expect "--at" 0
run analyze velocities painleve-rad
refused "neither file nor scene" "painleve-rad: neither a file nor a built-in scene; did you mean painleve-rod"
run analyze velocities none.json
refused "no such file" "none.json: No such file"
run analyze velocities painleve-rod --at 1,2
refused "--at of the wrong length" "--at: 2 numbers, and painleve-rod has 3 coordinates"
run analyze velocities painleve-rod --velocity 1
refused "--velocity of the wrong length" "--velocity: 1 number, and painleve-rod has 3 velocities"
run analyze velocities painleve-rod --time soon
refused "--time that is none" "--time: soon: a number expected"
for value in mu mu= =1 mu=x mu=1/0 mu=1,,l=2 mu=nan; do
    run analyze velocities painleve-rod --set "$value"
    refused "--set $value" "--set: "
done
run analyze velocities painleve-rod --set weight=3
refused "--set of what is no parameter" "--set: weight: no such parameter; there are m, l, g, mu, theta0"
run analyze velocities painleve-rod --set m=-1
refused "a mass below 0" "painleve-rod: " "M: not positive semidefinite"
run analyze velocities painleve-rod --set mu=-1
refused "friction below 0" "painleve-rod: contacts[0].mu: -1"

# ---- instants by numbers
echo '{"kind": "instant", "M": [[1, 0], [0, 2]], "contacts": [{"n": [0, 1], "t": [1, 0], "mu": 0.4}]}' >i.json
run analyze velocities i.json --json
expect "an instant by numbers" 0 '{'
run analyze velocities i.json --velocity 1,-1
expect "an instant with another velocity" 0
for option in "--at 1,2" "--time 1" "--set mu=1"; do
    # shellcheck disable=SC2086
    run analyze velocities i.json $option
    refused "an instant with $option" "i.json is an instant by numbers, only --velocity is taken"
done
run analyze velocities i.json --velocity 1
refused "a velocity too short" "--velocity: 1 number, and i.json has 2 velocities"
echo '{"kind": "lcp", "M": [[1]], "q": [1]}' >lcp.json
run analyze velocities lcp.json
refused "an LCP is no instant" 'lcp.json: kind: lcp: analyze velocities takes "instant", "grasp", "system" or "scene"; this is for stiction solve'
run solve i.json
refused "an instant is not solved" "i.json: " "instant"
run solve painleve-rod.json
refused "a system is not solved" "painleve-rod.json: " "system"

# ---- bad input. json NAME TEXT WORDS
json() {
    printf '%s' "$2" >p.json
    run analyze velocities p.json
    refused "$1" "p.json: " "$3"
}
json "an instant without M" '{"kind": "instant", "contacts": []}' 'M: missing'
json "M that is not symmetric" '{"kind": "instant", "M": [[1, 2], [3, 9]]}' 'M[1][0]: 3: M[0][1] is 2'
json "M that is indefinite" '{"kind": "instant", "M": [[1, 2], [2, 1]]}' 'M: not positive semidefinite'
json "n of the wrong length" '{"kind": "instant", "M": [[1]], "contacts": [{"n": [1, 2]}]}' 'contacts[0].n: a list of 2'
json "mu below 0" '{"kind": "instant", "M": [[1]], "contacts": [{"n": [1], "t": [1], "mu": -1}]}' 'contacts[0].mu: -1'
json "an unknown type" '{"kind": "instant", "M": [[1]], "contacts": [{"n": [1], "type": "glue"}]}' 'contacts[0].type: "glue"'
json "a system without coordinates" '{"kind": "system", "kinetic": "1"}' 'coordinates: missing'
json "a formula cut short" "{\"kind\": \"system\", \"coordinates\": [\"x\"], \"kinetic\": \"x'^2 +\"}" 'kinetic: column 7: '
json "an unknown name" "{\"kind\": \"system\", \"coordinates\": [\"x\"], \"kinetic\": \"m*x'^2\"}" 'kinetic: column 1: "m": no such name'
json "a gap with velocities" "{\"kind\": \"system\", \"coordinates\": [\"x\"], \"kinetic\": \"x'^2\", \"contacts\": [{\"gap\": \"x'\"}]}" \
    'contacts[0].gap: a constraint on positions'
json "a start out of reach" "{\"kind\": \"system\", \"coordinates\": [\"x\"], \"kinetic\": \"x'^2\", \"state\": {\"q\": [\"1/(x-x)\"]}}" \
    'state.q[0]: no finite value'
finish
