#!/usr/bin/env bash
# run.sh COMMAND: the command as a person uses it: verbs, options, exit codes, what goes where.
set -u
source "$(dirname "$0")/lib/tools.sh"
problems=$source_dir/problems

# is_json FILE: one JSON object on one line. Python is not required: without it only the shape is looked at.
is_json() {
    [ "$(wc -l <"$1")" = 1 ] || return 1
    if command -v python3 >/dev/null; then
        python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not isinstance(d, dict))' "$1"
    else
        head -c 1 "$1" | grep -q '{' && tail -c 2 "$1" | grep -q '}'
    fi
}

expect_json() { # NAME CODE WORDS: after run
    if [ "$code" != "$2" ]; then not_ok "$1" "exit code $code, $2 expected; $(head -c 300 err)"
    elif ! is_json out; then not_ok "$1" "not one JSON object: $(head -c 300 out)"
    elif ! grep -qF -- "$3" out; then not_ok "$1" "no \"$3\" in $(head -c 300 out)"
    else ok "$1"; fi
}

# ---- help and usage
run
refused "no verb" "a verb is missing"
run help
expect "help" 0 "stiction solve"
run --help
expect "--help" 0 "exit codes"
run --version
expect "--version" 0 "stiction "
run version
expect "version" 0 "stiction "
for verb in solve verify inspect cone scenes bench; do
    run "$verb" --help
    expect "$verb --help has an example" 0 "example"
    run help "$verb"
    expect "help $verb" 0 "stiction $verb"
    run "$verb" --jsn
    refused "$verb refuses --jsn" "did you mean --json?"
done
for word in solv vrify inspct; do
    run "$word"
    refused "$word is no verb" "did you mean"
done
run run
refused "run without a scene" "a scene is missing"
run help nothing
refused "help on nothing" "no such verb"
run solve
refused "solve without a file" "is missing"
run solve a b
refused "solve with two files" "b: one argument too many"
run solve --tol
refused "--tol without a value" "--tol: TOL is missing"
for value in 0 -1 abc 1e999 nan ''; do
    run solve x.json --tol "$value"
    refused "--tol '$value'" "--tol: $value"
done
run solve x.json --max-iterations 1.5
refused "--max-iterations 1.5" "--max-iterations: 1.5"
run solve x.json --all=yes
refused "--all=yes" "--all: takes no value"

# ---- solve
cat >p.json <<'END'
// two equations
{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}
END
echo '{"kind": "lcp", "M": [[0, 1], [-1, 0]], "q": [-1, -1]}' >none.json
echo '{"kind": "lcp", "M": [[1, 2], [2, 1]], "q": [-1, -1]}' >three.json
echo '{"kind": "mlcp", "A": [[2]], "C": [[1]], "D": [[-1]], "B": [[0]], "a": ["-1/3"], "b": [1]}' >m.json
run solve p.json
expect "solve" 0 "z = (4/3, 7/3)"
expect "a solve says what was proved" 0 "proved: "
run solve p.json --json
expect_json "solve --json" 0 '"z": [1.3333333333333333'
for name in kind solver outcome residual iterations time_s certificate z w; do
    expect_json "solve --json has $name" 0 "\"$name\": "
done
if [ -s err ]; then not_ok "nothing on stderr" "$(head -c 200 err)"; else ok "nothing on stderr"; fi
run solve m.json --json
expect_json "an MLCP has u" 0 '"u": ['
expect_json "an MLCP has v" 0 '"v": ['
run solve none.json
expect "no solution is exit code 1" 1 "no solution"
run solve none.json --json
expect_json "no solution with --json" 1 '"outcome": "no_solution"'
run solve p.json --quiet
expect "--quiet" 0
if [ -s out ] || [ -s err ]; then not_ok "--quiet is quiet" "it is not"; else ok "--quiet is quiet"; fi
run solve p.json --quiet --json
expect_json "--quiet --json" 0 '"outcome"'
for solver in auto lemke enum newton pgs ipm; do
    run solve p.json --solver "$solver" --tol 1e-6
    expect "solve --solver $solver" 0 "solved by"
done
run solve p.json --solver lemk
refused "--solver lemk" "did you mean lemke"
run solve p.json --solver lemke --covering 1,2
expect "--covering" 0 "solved"
run solve p.json --covering 1,2,3
refused "--covering of the wrong length" "p.json has 2 complementary pairs"
run solve p.json --covering 1,-2
refused "--covering that is not positive" "--covering: -2"
run solve p.json --covering 1,x
refused "--covering that is no list" "--covering: 1,x"
run solve p.json --solver pgs --omega 1.2
expect "--omega" 0 "solved"
run solve p.json --solver pgs --omega 2
refused "--omega 2" "--omega: 2"
run solve p.json --solver pgs --max-iterations 1 --tol 1e-14
expect "not converged is exit code 1" 1 "residual"
run solve p.json --time-limit 5 --tol=1e-9
expect "--time-limit, --tol=" 0 "solved"
run solve -- p.json
expect "-- ends the options" 0 "solved"
cat p.json | "$command" solve /dev/stdin >out 2>err
code=$?
expect "a problem through a pipe" 0 "solved"
run solve <(cat p.json)
expect "a problem through a pipe of the shell" 0 "solved"
echo '{"kind": "mlcp", "A": [], "C": [], "D": [[], []], "B": [[2, 1], [1, 2]], "a": [], "b": [-5, -6]}' >nofree.json
run solve nofree.json --output answer.json
expect "an MLCP without free variables" 0 "(4/3, 7/3)"
run verify nofree.json answer.json
expect "and its answer" 0 "accepted"
echo '{"kind": "mlcp", "A": [[2, 1], [1, 2]], "C": [[], []], "D": [], "B": [], "a": [-5, -6], "b": []}' >nopairs.json
run solve nopairs.json --output answer.json
expect "an MLCP without pairs" 0 "(4/3, 7/3)"
run verify nopairs.json answer.json
expect "and its answer" 0 "accepted"

# ---- all solutions
run solve three.json --all
expect "--all" 0 "3 extreme solutions in 3 components"
expect "--all in exact fractions" 0 "(1/3, 1/3)"
run solve three.json --all --solver enum --json
expect_json "--all --json" 0 '"solutions": ['
expect_json "--all --json is complete" 0 '"complete": true'
expect_json "--all --json has the names of an answer" 0 '"certificate": '
run solve none.json --all --json
expect_json "--all without a solution" 1 '"solutions": []'
run solve p.json --all --solver lemke
refused "--all with another solver" "--all: "

# ---- answers and their verification
for file in p none three m; do
    run solve $file.json --output answer.json --quiet
    run verify $file.json answer.json
    expect "verify the answer of $file.json" 0 "accepted"
    run solve $file.json --json
    cp out answer.json
    run verify $file.json answer.json --json
    expect_json "verify --json of $file.json" 0 '"accepted": true'
done
run solve three.json --all --json
cp out answer.json
run verify three.json answer.json
expect "verify the first of all solutions" 0 "accepted"
echo '{"z": [1, 2]}' >wrong.json
run verify p.json wrong.json
expect "a wrong answer is not accepted" 1 "not accepted"
run verify p.json wrong.json --json
expect_json "a wrong answer, --json" 1 '"accepted": false'
run verify p.json wrong.json --tol 100
expect "everything within a tolerance of 100" 0 "accepted"
run solve none.json --output answer.json --quiet
run verify p.json answer.json
expect "a false proof is not accepted" 1 "not accepted"
run verify p.json
refused "verify without an answer" "is missing"
run solve p.json --output nowhere/answer.json
refused "an answer that cannot be written" "nowhere/answer.json"
mkdir folder
run solve p.json --output folder
refused "an answer over a folder" "folder: exists and is not a regular file"
leftovers=$(find . -name '*.tmp')
if [ -z "$leftovers" ]; then ok "no temporary is left"; else not_ok "no temporary is left" "$leftovers"; fi

# ---- where things go
echo '{"kind": "lcp", "M": [[1]], "q": [1], "colour": "blue"}' >extra.json
run solve extra.json --json
expect_json "a warning leaves stdout alone" 0 '"outcome": "solved"'
expect "an unknown field is warned of" 0 '' 'extra.json: colour'
run solve extra.json --quiet
if [ -s err ]; then not_ok "--quiet silences warnings" "$(head -c 100 err)"; else ok "--quiet silences warnings"; fi
if LC_ALL=C grep -q "$(printf '\033')" out err; then not_ok "no colour in files" "an escape sequence"; else ok "no colour in files"; fi
if command -v script >/dev/null; then
    script -qec "'$command' solve p.json" /dev/null >out 2>err </dev/null
    if grep -q "$(printf '\033')" out; then ok "colour on a terminal"; else not_ok "colour on a terminal" "none"; fi
    NO_COLOR=1 script -qec "'$command' solve p.json" /dev/null >out 2>err </dev/null
    if grep -q "$(printf '\033')" out; then not_ok "NO_COLOR" "an escape sequence"; else ok "NO_COLOR"; fi
fi
if [ -c /dev/full ]; then
    code=0
    "$command" solve p.json --json >/dev/full 2>err || code=$?
    expect "a full disk is exit code 3" 3 '' 'standard output'
fi
LC_ALL=de_DE.UTF-8 "$command" solve p.json --json >out 2>err
code=$?
expect_json "a locale with a decimal comma" 0 '1.3333333333333333'

# ---- bench
mkdir set set/more
cp p.json none.json m.json set
cp three.json set/more
echo '{"kind": "cone", "rays": [[1]]}' >set/cone.json
echo 'text' >set/notes.txt
run bench set --solver lemke,auto --csv table.csv
expect "bench" 0 "three.json"
expect "bench passes over other kinds" 0 "1 file skipped"
if [ "$(wc -l <table.csv)" = 9 ] && head -1 table.csv | grep -q '^problem,kind,n,m,solver,outcome,termination,residual,iterations,time_s'; then ok "bench --csv"
else not_ok "bench --csv" "$(head -3 table.csv)"; fi
run bench set --solver lemke --json
expect_json "bench --json" 0 '"rows": ['
run bench p.json
expect "bench of one file, every solver" 0 "ipm"
run bench set/cone.json
refused "bench of a cone" "kind: cone"
run bench set --solver lemke,fast
refused "bench with an unknown solver" "--solver: fast"
mkdir empty
run bench empty
refused "bench of nothing" "empty: no problem found"

# ---- the problems that come with the source
if [ -d "$problems" ]; then
    for file in "$problems"/*.json; do
        if grep -qE '"kind": *"(cone|instant|system|grasp|matrices|root|bound)"' "$file"; then continue; fi
        run solve "$file" --output answer.json --quiet
        solved=$code
        run verify "$file" answer.json --quiet
        if [ "$solved" -le 1 ] && [ "$code" = 0 ]; then ok "$(basename "$file") is settled and verified"
        else not_ok "$(basename "$file") is settled and verified" "exit codes $solved, $code"; fi
    done
fi
finish
