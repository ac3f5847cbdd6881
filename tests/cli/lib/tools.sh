# tools.sh: what the tests of the command share. Sourced with the path of the command as $1.
command=$(realpath "$1")
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
shared_dir=${STI_SHARED_DIR:-$source_dir/../shared}
# reference values: those of ../shared, which may hold more, or the ones kept here
reference_dir=$shared_dir/oracles
[ -f "$reference_dir/thesis/cases.json" ] || reference_dir=$source_dir/tests/reference
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
passed=0
failed=0

ok() { # NAME
    passed=$((passed + 1))
    echo "ok    $1"
}

not_ok() { # NAME WHY
    failed=$((failed + 1))
    echo "FAIL  $1: $2"
}

# Run the command with these arguments: exit code in $code, output in out and err.
run() {
    code=0
    "$command" "$@" >out 2>err </dev/null || code=$?
}

# expect NAME CODE [WORDS-ON-STDOUT [WORDS-ON-STDERR]]: after run
expect() {
    local why=
    [ "$code" = "$2" ] || why="exit code $code, $2 expected; $(head -c 300 err)"
    [ -z "${3-}" ] || grep -qF -- "$3" out || why="${why:-no \"$3\" on stdout: $(head -c 300 out)}"
    [ -z "${4-}" ] || grep -qF -- "$4" err || why="${why:-no \"$4\" on stderr: $(head -c 300 err)}"
    if [ -z "$why" ]; then ok "$1"; else not_ok "$1" "$why"; fi
}

# refused NAME WORDS [WORDS]: after run: exit code 2, nothing on stdout, one line on stderr with these words in it
refused() {
    local why= words
    [ "$code" = 2 ] || why="exit code $code, 2 expected; $(head -c 300 err)"
    [ ! -s out ] || why="${why:-something on stdout: $(head -c 100 out)}"
    [ "$(wc -l <err)" = 1 ] || why="${why:-$(wc -l <err) lines on stderr, 1 expected: $(head -c 300 err)}"
    for words in "$2" "${3-$2}"; do
        grep -qF -- "$words" err || why="${why:-no \"$words\" on stderr: $(head -c 300 err)}"
    done
    if [ -z "$why" ]; then ok "$1"; else not_ok "$1" "$why"; fi
}

appears() { # FILE: waits until a command that runs beside us has written it, a minute at most
    local tries
    for tries in $(seq 600); do
        if [ -s "$1" ]; then return; fi
        sleep 0.1
    done
    not_ok "$1 appears" "not within a minute: $(head -c 300 err)"
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
