#!/usr/bin/env bash
# contact.sh COMMAND: frictional contact problems: solve, verify, inspect and bench on FCLIB files.
set -u
source "$(dirname "$0")/lib/tools.sh"
problems=$source_dir/problems
rover=$problems/siconos_rover.hdf5
object=$problems/siconos_one_object.hdf5
rods=$problems/siconos_two_rods.hdf5
walls=$problems/closing_walls.hdf5
box=$problems/box_on_corners.hdf5

# says NAME CODE WORDS...: after run: this exit code, every one of these on stdout, nothing on stderr
says() {
    local name=$1 expected=$2 why= words
    shift 2
    [ "$code" = "$expected" ] || why="exit code $code, $expected expected; $(head -c 300 err)"
    for words in "$@"; do
        grep -qF -- "$words" out || why="${why:-no \"$words\" in $(head -c 1500 out)}"
    done
    [ ! -s err ] || why="${why:-something on stderr: $(head -c 300 err)}"
    if [ -z "$why" ]; then ok "$name"; else not_ok "$name" "$why"; fi
}

one_line() { # NAME
    if [ "$(wc -l <out)" = 1 ]; then ok "$1"; else not_ok "$1" "$(wc -l <out) lines"; fi
}

# ---- solve
run solve "$rover"
says "a local problem" 0 "contact, local form, dimension 3, 4 contacts" "solved by " "residual " "largest at contact " \
    " separate, " " stick, " " slide; dissipation " "tried " "shown: a point with residual "
run solve "$rods"
says "a global problem" 0 "contact, global form, dimension 3, 3 contacts, 54 velocities" "equations "
for solver in auto gs newton apgd bb admm ipm lemke; do
    run solve "$rover" --solver $solver --tol 1e-7
    says "--solver $solver" 0 "solved by "
done
run solve "$rover" --solver pgs
refused "a solver of LCPs" "--solver: pgs: no such solver of contact problems" "apgd, bb, admm, ipm, lemke, velocities"
run solve "$rover" --solver newtom
refused "a solver that is nearly there" "did you mean newton"
run solve "$rover" --all
refused "--all" "--all: "
run solve "$rover" --covering 1,1
refused "--covering" "--covering: "
run solve "$rover" --omega 2
refused "--omega 2" "--omega: 2"
run solve "$rover" --solver gs --omega 0.9 --time-limit 60
says "--omega, --time-limit" 0 "solved by gs"
run solve "$object" --solver gs --max-iterations 1 --tol 1e-14
says "not converged is exit code 1" 1 "best residual " "proved: nothing"
run solve "$rover" --quiet
says "--quiet" 0
if [ -s out ]; then not_ok "--quiet is quiet" "$(head -c 100 out)"; else ok "--quiet is quiet"; fi
run solve "$rover" --json
says "solve --json" 0 '"kind": "contact"' '"outcome": "solved"' '"solver": ' '"residual": ' '"iterations": ' \
    '"time_s": ' '"r": [' '"u": [' '"modes": [' '"dissipation": [' '"attempts": ['
one_line "solve --json is one line"
run solve "$object" --solver gs --max-iterations 1 --tol 1e-14 --json
says "not converged, --json" 1 '"outcome": "limit"'

# ---- answers and their verification
for problem in "$rover" "$object" "$rods"; do
    name=$(basename "$problem")
    for answer in answer.json answer.hdf5; do
        rm -f $answer
        run solve "$problem" --output $answer --quiet
        says "$name: $answer is written" 0
        run verify "$problem" $answer
        says "$name: $answer is accepted" 0 'claims "solved"' " accepted: " "at worst: "
        run verify "$problem" $answer --json
        says "$name: $answer is accepted, --json" 0 '"kind": "contact"' '"accepted": true' '"residual": ' \
            '"worst_contact": ' '"cone_violation": ' '"penetration": ' '"complementarity": '
        one_line "$name: verify --json is one line"
    done
done
run solve "$rods" --output answer.hdf5 --quiet
says "a solution that is there is replaced" 0
run solve answer.hdf5
says "an answer in HDF5 holds its problem" 0 "54 velocities" "solved by "
run solve "$rover" --output answer.hdf5
refused "not over the solution of another problem" "answer.hdf5"
run solve "$rover" --json
sed 's/"r": \[[^,]*,/"r": [-1,/' out >wrong.json
run verify "$rover" wrong.json
says "a wrong answer is not accepted" 1 "not accepted"
run verify "$rover" wrong.json --json
says "a wrong answer, --json" 1 '"accepted": false'
run verify "$rover" wrong.json --tol 1e6
says "everything within a tolerance of 1e6" 0 " accepted: "
run solve "$object" --output other.json --quiet
run verify "$rover" other.json
refused "an answer of another problem" "other.json: "
run verify "$rover" none.json
refused "an answer that is not there" "none.json: No such file"
run solve "$rover" --output nowhere/answer.hdf5
refused "an answer that cannot be written" "nowhere/answer.hdf5"
leftovers=$(find . -name '*.tmp*')
if [ -z "$leftovers" ]; then ok "no temporary is left"; else not_ok "no temporary is left" "$leftovers"; fi

# ---- no solution, smallest forces
for answer in none.json none.hdf5; do
    rm -f $answer
    run solve "$walls" --output $answer
    says "walls that close: $answer" 1 "no solution by " "proved: there is no solution" "Farkas vector" \
        "diagnosis: " "no motion keeps every contact closed or opening" "not pointed"
    run verify "$walls" $answer
    says "walls that close: $answer is accepted" 0 'claims "no_solution"' " accepted: no solution"
    run verify "$walls" $answer --json
    says "walls that close: $answer is accepted, --json" 0 '"accepted": true' '"claim": "no_solution"' '"exact": true'
done
run solve "$walls" --json
says "walls that close, --json" 1 '"outcome": "no_solution"' '"certificate": {"type": "farkas"' '"y": [1, 1]'
sed 's/"y": \[1, 1\]/"y": [1, 2]/' out >forged.json
run verify "$walls" forged.json
says "a forged certificate is not accepted" 1 "not accepted"
run solve "$box" --minimum-norm
says "--minimum-norm" 0 "solved by " "smallest r: 6 directions of it are open"
run solve "$box" --minimum-norm --json
says "--minimum-norm --json" 0 '"undetermined_dimension": 6' '"undetermined": '
run solve "$box" --json
says "without --minimum-norm" 0 '"undetermined_dimension": null' '"undetermined": null'
run solve "$problems/murty_8.json" --minimum-norm
refused "--minimum-norm of an LCP" "--minimum-norm: "

# ---- inspect
run inspect "$object"
says "inspect a local problem" 0 "contact, local form, dimension 3, 25 contacts, 0 bilateral rows" "mu from 0.3 to 0.3" \
    "W: 75 x 75, 1863 entries stored" "207 blocks of 3 x 3" "asymmetry |W - W'| / |W| 4.3" "0 guesses" "title: "
run inspect "$rods"
says "inspect a global problem" 0 "54 velocities" "M: 54 x 54" "H: 54 x 9" "2 pieces"
run inspect "$rover" --json
says "inspect --json" 0 '"kind": "contact"' '"form": "local"' '"contact_count": 4' '"velocity_count": 0' '"bilateral_count": 0' \
    '"mu": {"least": 0.69999999999999996' '"blocks": 16' '"asymmetry": ' '"zero_diagonal_blocks": 0' '"guesses": 0' \
    '"title": "Rover1039"'
one_line "inspect --json is one line"
run inspect "$rods" --json
says "inspect a global problem, --json" 0 '"form": "global"' '"velocity_count": 54' '"M": {"rows": 54' '"H": {"rows": 54'

run inspect "$box"
says "inspect a hyperstatic box" 0 "rank of W 6 of 12: 6 directions of r move nothing" "friction cone: pointed, margin " \
    "so there is a solution"
run inspect "$walls"
says "inspect walls that close" 0 "friction cone: not pointed" "so there is no solution, whatever the friction"
run inspect "$walls" --json
says "inspect walls that close, --json" 0 '"solvability": {"pointed": {"finding": "fails"' '"strict": {"finding": "fails"' \
    '"feasible": {"finding": "fails"' '"r": [' '"definite": true' '"solution_exists": false' '"kernel_dimension": 2' \
    '"mass_ratio": 1'
run inspect "$rods" --json
says "inspect what must have a solution, --json" 0 '"motion": [' '"solution_exists": true'
run inspect "$object"
says "inspect what may have a solution" 0 "a solution would follow if W were symmetric"
run inspect "$object" --time-limit 1e-9
says "inspect --time-limit" 0 "not settled"

# ---- bench
mkdir set
cp "$rover" "$rods" set
echo '{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}' >set/p.json
run bench set --solver auto,gs,lemke --csv table.csv
says "bench takes both kinds" 0 "siconos_rover.hdf5" "siconos_two_rods.hdf5" "p.json"
if [ "$(wc -l <table.csv)" = 9 ] && grep -q ',contact,4,0,gs,solved,solution,' table.csv; then ok "bench --csv"
else not_ok "bench --csv" "$(cat table.csv)"; fi
run bench "$rover" --solver gs --json
says "bench --json" 0 '"kind": "contact"' '"solver": "gs"' '"n": 4'
run bench "$rover"
says "bench with every solver" 0 "gs" "newton" "apgd" "bb" "admm" "ipm" "lemke"
run bench "$rover" --solver pgs
refused "bench without a solver for it" "no problem found that these solvers take"
run bench "$rover" --solver fast
refused "bench with an unknown solver" "--solver: fast" "admm"

# ---- friction that is not a disc
sections=$problems/two_sections.hdf5
run inspect "$sections"
says "sections are counted" 0 "mu from 0.5 to 0.5, 2 not in discs but ellipses or polygons"
for solver in auto gs newton ipm lemke; do
    run solve "$sections" --solver "$solver" --output "sections_$solver.json"
    says "sections by $solver" 0 "0 separate, 0 stick, 2 slide; dissipation 0.0837742"
    run verify "$sections" "sections_$solver.json"
    says "sections by $solver, verified" 0 "accepted"
done

finish
