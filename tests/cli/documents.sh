#!/usr/bin/env bash
# Every kind of document, given to every verb: it is taken, or one line says which kinds are taken and which verbs take
# this one.
#     documents.sh COMMAND
source "$(dirname "$0")/lib/tools.sh"

problems=$source_dir/problems
mkdir kinds
echo '{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}' >kinds/lcp.json
echo '{"kind": "mlcp", "A": [[1]], "C": [[1]], "D": [[-1]], "B": [[1]], "a": [1], "b": [1]}' >kinds/mlcp.json
echo '{"kind": "avi", "M": [[1]], "q": [-2], "A": [[-1]], "b": [-1]}' >kinds/avi.json
echo '{"kind": "relay", "M": [[1]], "q": [-2]}' >kinds/relay.json
echo '{"kind": "ncp", "variables": ["x"], "F": ["x^2 - 2"]}' >kinds/ncp.json
echo '{"kind": "vi", "variables": {"x": [0, 1]}, "F": ["x^2 - 2"]}' >kinds/vi.json
echo '{"kind": "qp", "P": [[1]], "c": [-1], "lb": [0]}' >kinds/qp.json
echo '{"kind": "l1", "A": [[1], [1], [1]], "b": [-1, -2, -4]}' >kinds/l1.json
cp "$problems/box_on_corners.hdf5" kinds/contact.hdf5
cp "$problems/pinch.json" kinds/cone.json
cp "$problems/rod_four_solutions.json" kinds/instant.json
echo '{"kind": "grasp", "dimension": 2, "contacts": [{"point": [1, 0], "normal": [-1, 0], "mu": 1}]}' >kinds/grasp.json
echo '{"kind": "matrices", "P": [[2, 1], [-1, 2]], "N": [[0, 0.5], [0, 0]]}' >kinds/matrices.json
"$command" scenes stick-slip >kinds/system.json
"$command" scenes box-stack >kinds/scene.json
"$command" scenes peg-in-hole >kinds/manipulation.json
"$command" scenes nav-wall >kinds/navigation.json
echo '{"kind": "stochastic", "c0": [1], "T0": [[1]], "bu": [100], "W0": [[-1]], "common": {"c": [-3], "W": [[1]], "du": [0]}, "scenarios": [{"ub": [10]}, {"ub": [20]}]}' >kinds/stochastic.json
echo '{"kind": "model", "parameters": {"a": 1, "b": 1}, "model": "a*exp(-b*t)"}' >kinds/model.json
printf 't,y\n0,2\n1,1\n2,0.5\n3,0.25\n' >decay.csv
echo '{"kind": "root", "variables": {"x": [0, 2]}, "equations": ["x^2 = 2"]}' >kinds/root.json
echo '{"kind": "bound", "what": "hadamard", "interval": [1, 3], "f": "x^3", "weight": "1/2"}' >kinds/bound.json

echo '{"kind": "plan", "scene": "peg-push", "h": 0.05, "probe": 0, "noise": {"pose": [0, 0, 0], "mu": 0, "tip": 0},
 "goals": [{"part": 0, "pose": [0, 0, 0], "tolerance": [1, 1, 1]}], "start": [0, 0, 0],
 "start_sets": [{"angle": 0, "low": [0, 0, 0], "high": [0, 0, 0]}], "pushes": []}' >kinds/plan.json

# the list in the message for a kind that does not exist is that of the library: each has a file here, or is contact
echo '{"kind": "nothing"}' >none.json
run solve none.json
words=$(grep -oE '"[a-z0-9]+"' err | tr -d '"' | grep -v '^nothing$')
for kind in $words; do
    [ -e "kinds/$kind.json" ] || not_ok "a document of kind $kind" "this test has none; give it one"
done
[ "$(wc -w <<<"$words")" -ge 11 ] || not_ok "kinds" "$(wc -w <<<"$words") in: $(cat err)"

# verb WORDS...: a quick question to each verb
ask() { # VERB FILE
    case $1 in
        verify) run verify "$2" none.json ;;
        run) run run "$2" --time 0.01 ;;
        analyze) run analyze velocities "$2" ;;
        fit) run fit "$2" decay.csv --parameters a,b ;;
        plan) run plan "$2" --goal 0.5,0,0 --tries 20 ;;
        "analyze robust") run analyze robust "$2" --steps 2 ;;
        *) run $1 "$2" ;;
    esac
}

verbs="solve run analyze inspect cone root bound verify fit plan"
for file in kinds/*; do
    kind=$(basename "$file" | sed 's/\..*//')
    for verb in $verbs "analyze norms" "analyze robust"; do
        ask "$verb" "$file"
        if grep -q "kind: $kind: $verb.* takes " err; then
            refused "$verb does not take $kind" "this is for stiction " "kind: $kind: "
            # those that are named take it
            for other in $(sed 's/.*this is for stiction //; s/analyze \(norms\|robust\)/\1/; s/,\| or / /g' err); do
                case $other in norms | robust) other="analyze $other" ;; esac
                [ "$other" != "$verb" ] || not_ok "$kind" "$verb names itself: $(cat err)"
                ask "$other" "$file"
                if grep -q " takes " err; then not_ok "$kind" "$verb names $other, which says: $(cat err)"; fi
            done
        elif [ "$code" = 3 ] || grep -q "kind: $kind" err; then
            not_ok "$verb $kind" "exit code $code, $(cat err)"
        else
            ok "$verb takes $kind"
        fi
    done
done

# --help names the kinds
for verb in $verbs "analyze norms" "analyze robust" "analyze modes"; do
    [ "$verb" != analyze ] || continue
    run $verb --help
    expect "the help of $verb names its kinds" 0 'kinds of documents: "'
done
run verify --help
expect "and what is no document" 0 'or the folder of a run'
finish
