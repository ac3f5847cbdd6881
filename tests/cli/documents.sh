#!/usr/bin/env bash
# Every kind of document, given to every verb: it is taken, or one line says which kinds are taken and which verbs take this one.
#     documents.sh COMMAND
source "$(dirname "$0")/lib/tools.sh"

problems=$source_dir/problems
mkdir kinds
echo '{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}' >kinds/lcp.json
echo '{"kind": "mlcp", "A": [[1]], "C": [[1]], "D": [[-1]], "B": [[1]], "a": [1], "b": [1]}' >kinds/mlcp.json
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
echo '{"kind": "root", "variables": {"x": [0, 2]}, "equations": ["x^2 = 2"]}' >kinds/root.json
echo '{"kind": "bound", "what": "hadamard", "interval": [1, 3], "f": "x^3", "weight": "1/2"}' >kinds/bound.json

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
        *) run $1 "$2" ;;
    esac
}

verbs="solve run analyze inspect cone root bound verify"
for file in kinds/*; do
    kind=$(basename "$file" | sed 's/\..*//')
    for verb in $verbs "analyze norms"; do
        ask "$verb" "$file"
        if grep -q "kind: $kind: $verb.* takes " err; then
            refused "$verb does not take $kind" "this is for stiction " "kind: $kind: "
            # those that are named take it
            for other in $(sed 's/.*this is for stiction //; s/analyze norms/norms/; s/,\| or / /g' err); do
                [ "$other" != norms ] || other="analyze norms"
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
for verb in $verbs "analyze norms" "analyze modes"; do
    [ "$verb" != analyze ] || continue
    run $verb --help
    expect "the help of $verb names its kinds" 0 'kinds of documents: "'
done
run verify --help
expect "and what is no document" 0 'or the folder of a run'
finish
