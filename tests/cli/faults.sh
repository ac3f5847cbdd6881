#!/usr/bin/env bash
# faults.sh COMMAND: streams that are closed, disks that are full, too little memory: exit code 3, and nothing
# destroyed. Numbers that overflow: exit code 2.
set -u
source "$(dirname "$0")/lib/tools.sh"

# ---- standard streams that are closed
accepted() { # NAME FOLDER: the run that was recorded there is whole
    run verify "$2"
    expect "$1" 0 "accepted"
}

code=0
"$command" run arch --time 0.1 --json --out closed_out >&- 2>err || code=$?
expect "an answer to a closed standard output" 3 "" "standard output: writing failed"
accepted "no file takes the place of a closed standard output" closed_out
code=0
"$command" run arch --time 0.1 --json --out closed_both >&- 2>&- || code=$?
[ "$code" = 3 ] && ok "an answer to closed streams" || not_ok "an answer to closed streams" "exit code $code, 3 expected"
accepted "no file takes the place of closed streams" closed_both
code=0
"$command" run arch --time 0.1 --json --out closed_in <&- >out 2>err || code=$?
expect "a closed standard input is not missed" 0
accepted "no file takes the place of a closed standard input" closed_in
code=0
"$command" run arch --time 0.1 --quiet --out quiet >&- 2>err || code=$?
expect "who asks for no answer may close standard output" 0

# ---- files that may not grow stand for a full disk; a place that is not there is bad usage
printf '{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}' >p.json
printf '{"kind": "qp", "P": [[2]], "c": [-1]}' >qp.json
unwritten() { # NAME FILE ARGUMENT...
    local name=$1 file=$2
    shift 2
    echo kept >"$file"
    code=0
    (ulimit -f 0; exec "$command" "$@" "$file" >/dev/null 2>&1 <&-) 2>/dev/null || code=$?
    [ "$code" = 3 ] && ok "$name" || not_ok "$name" "exit code $code, 3 expected"
    [ "$(cat "$file")" = kept ] && ok "$name: the old file is kept" || not_ok "$name: the old file is kept" "$(head -c 100 "$file")"
}
unwritten "an answer on a full disk" a.json solve p.json --output
unwritten "an answer of a program on a full disk" a.json solve qp.json --output
unwritten "forces on a full disk" a.hdf5 solve "$source_dir/problems/siconos_rover.hdf5" --output
unwritten "an answer of sticking on a full disk" a.json analyze sticking painleve-rod --output
unwritten "an answer of modes on a full disk" a.json analyze modes painleve-rod --output
unwritten "a picture on a full disk" a.svg analyze modes painleve-rod --picture
# ---- what is no regular file stays what it is: a pipe is written to, and not replaced; nobody's *.tmp is taken
mkfifo pipe
piped() { # NAME ARGUMENT...
    local name=$1
    shift
    cat pipe >piped &
    run "$@" pipe
    wait $!
    [ -p pipe ] && ok "$name: the pipe is still one" || not_ok "$name: the pipe is still one" "$(ls -l pipe)"
    [ -s piped ] && ok "$name: the pipe was written to" || not_ok "$name: the pipe was written to" "$(head -c 300 err)"
}
piped "a picture" analyze modes painleve-rod --picture
piped "a table of solvers" bench p.json --csv
piped "a table of a sweep" run bouncing-ball --time 0.05 --sweep e=0.1:0.2:2 --csv
if [ -c /dev/full ]; then
    ln -s /dev/full full
    run analyze modes painleve-rod --picture full
    [ "$code" = 3 ] && [ -c full ] && ok "a device that is full" || not_ok "a device that is full" "exit code $code, 3 expected"
fi
echo mine >modes.svg.tmp
run analyze modes painleve-rod --picture modes.svg
[ "$(cat modes.svg.tmp)" = mine ] && ok "a file of another name is kept" || not_ok "a file of another name is kept" "$(head -c 100 modes.svg.tmp)"
rm -f pipe full piped modes.svg*
run solve p.json --output nowhere/answer.json
refused "an answer to a place that is not there" "nowhere/answer.json: cannot be written"

# ---- standard input
code=0
"$command" solve - <p.json >out 2>err || code=$?
expect "a problem from standard input" 0 "-: lcp, n = 2"
code=0
"$command" inspect - <p.json >out 2>err || code=$?
expect "a problem to be inspected from standard input" 0 "positive definite"
code=0
"$command" solve - <&- >out 2>err || code=$?
refused "a problem from a standard input that is closed" "/dev/stdin"

# ---- names are shown, not obeyed
name='evil\u001b[2J\u0007\nstiction: all is well\u009b1m'
printf '{"kind": "instant", "M": [[1, 0], [0, 1]], "F": [0, 9], "v": [0, 0], "contacts": [{"name": "%s", "mu": 0.5, "n": [0, 1],
    "t": [[1, 0]]}]}' "$name" >evil.json
body() { # NAME MASS: a scene with a ball of that name
    printf '{"kind": "scene", "dimension": 3, "materials": {"m": {"mu": 0.5}}, "bodies": [{"name": "floor", "fixed": true,
        "material": "m", "shape": {"type": "halfspace", "normal": [0, 0, 1]}}, {"name": "%s", "mass": %s, "material": "m",
        "shape": {"type": "sphere", "radius": 0.1}, "position": [0, 0, 0.1]}], "step": {"h": 0.01}, "time": 1}' "$1" "$2"
}
body "$name" 1 >world.json
shown() { # NAME: after run
    if LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out err; then not_ok "$1" "control characters: $(cat -v out err | head -c 300)"
    elif grep -q '^stiction: all is well' out err; then not_ok "$1" "a line of its own"
    else ok "$1"; fi
}
for question in sticking modes impact velocities closure; do
    run analyze $question evil.json
    shown "analyze $question shows a name"
done
grep -q 'evil\\x1b\[2J\\x07\\nstiction' out || run analyze sticking evil.json
grep -qF 'evil\x1b[2J\x07\nstiction' out && ok "a name is written out" || not_ok "a name is written out" "$(head -c 300 out)"
run inspect world.json
shown "inspect shows a name"
run run world.json --time 0.1
shown "run shows a name"
cp evil.json "$(printf 'file\033[2J.json')"
run analyze sticking "$(printf 'file\033[2J.json')"
shown "a file shows its name"
run solve "$(printf 'none\033[2J\n.json')"
shown "a file that is not there shows its name"

# ---- masses that are too large are not called negative
body b 1e300 >heavy.json
run inspect heavy.json
refused "a mass beyond all computing" "heavy.json: bodies[1].mass: 1e+300" "too large to compute with"

# ---- numbers that are finite and leave the range of doubles when multiplied: LAPACK would never end
for field in '"n": ["1e308", 0, 1]' '"n": [0, 0, 1], "t": [["1e200", 1, 0], [0, 1, 0]]' '"n": [0, 0, 1], "n_rate": "-1e300"' \
    '"n": [0, 0, 1], "t": [["1e-308", 1, 0], [0, "1e80", 0]]'; do
    printf '{"kind": "instant", "M": [[1, 0, 0], [0, 2, 0], [0, 0, "1e90"]], "F": [0, "-1e99", 9], "v": [0, 0, 0],
        "contacts": [{"name": "c", "mu": 0.5, %s}, {"name": "d", "mu": 1, "n": [0, 1, 1], "t": [[1, 0, 0]]}]}' "$field" >p.json
    for question in sticking closure impact velocities painleve; do
        code=0
        timeout 60 "$command" analyze $question p.json >out 2>err || code=$?
        case $code in
            0 | 1) ok "analyze $question ends on $field" ;;
            2) refused "analyze $question ends on $field" "p.json: " ;;
            *) not_ok "analyze $question ends on $field" "exit code $code; $(head -c 300 err)" ;;
        esac
    done
done

# ---- a solution that doubles cannot tell is not called solved, since nobody could check it
printf '{"kind": "lcp", "M": [["1e-200"]], "q": ["-1e200"]}' >p.json
run solve p.json --output far.json
expect "a solution beyond the range of doubles" 1 "beyond the range of doubles"

# ---- too little memory: the command ends, with an answer or with "out of memory"
limited() { # MB ARGUMENT...
    (
        ulimit -v "$((1000 * $1))" 2>/dev/null || exit 99
        shift
        exec timeout 60 "$command" "$@" >out 2>err </dev/null
    )
}

printf '{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}' >p.json
code=0
limited 300 version || code=$?
if [ "$code" != 0 ]; then
    echo "skip  too little memory: the command does not start in 300 MB (sanitized?)"
else
    loads=40 # the least that the loader of shared libraries is content with
    until limited $loads version || [ $loads = 300 ]; do loads=$((loads + 10)); done
    ran_out=0
    for question in "analyze sticking arch" "analyze closure gripper" "inspect p.json" "solve p.json" \
        "run brick-wall --time 0.02 --quiet" "solve $source_dir/problems/siconos_rover.hdf5"; do
        for megabytes in $(seq $loads 20 300); do
            code=0
            limited "$megabytes" $question || code=$?
            case $code in
                0 | 1) ;;
                3) grep -q 'out of memory' err && ran_out=$((ran_out + 1)) || code="3 without a word: $(head -c 300 err)" ;;
            esac
            case $code in
                0 | 1 | 3) ;;
                *) not_ok "$question in $megabytes MB" "exit code $code" ;;
            esac
        done
        ok "$question with little memory"
    done
    [ $ran_out -gt 0 ] && ok "memory ran out $ran_out times" || not_ok "memory runs out somewhere" "it never did"
fi

finish
