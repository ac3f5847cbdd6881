#!/usr/bin/env bash
# time_limit.sh COMMAND: --time-limit in every verb: questions of hours are left within twice the limit and a second or
# two, with exit code 1 and what is known by then. Times are generous: the machine may be busy.
set -u
source "$(dirname "$0")/lib/tools.sh"

# A matrix and rays that would take hours.
rows() { # ROWS COLUMNS DIAGONAL: a matrix of pseudo-random integers from -9 to 9
    awk -v m="$1" -v n="$2" -v d="$3" 'BEGIN { s = 12345
        for (i = 0; i < m; i++) {
            printf("%s", i > 0 ? ",[" : "[[")
            for (j = 0; j < n; j++) {
                s = (s * 16807) % 2147483647
                printf("%s%d", (j > 0 ? "," : ""), (i == j && d != 0) ? d : s % 19 - 9)
            }
            printf("]")
        }
        printf("]") }'
}
printf '{"kind": "lcp", "M": %s, "q": %s}' "$(rows 40 40 40)" "$(rows 1 40 0 | sed 's/^\[//; s/\]$//')" >lcp.json
printf '{"kind": "cone", "rays": %s}' "$(rows 300 12 0)" >cone.json

# limited NAME LIMIT WORDS ARGUMENT...: exit code 1 within 2 LIMIT and a few seconds, with WORDS on either stream
limited() {
    local name=$1 limit=$2 words=$3 start=$SECONDS whole=${2%%.*}
    shift 3
    run "$@" --time-limit "$limit"
    local took=$((SECONDS - start))
    cat err >>out
    if [ "$took" -gt $((2 * whole + 10)) ]; then
        not_ok "$name" "$took s with a limit of $limit s"
    else
        expect "$name" 1 "$words"
    fi
}

limited "solve --all is left at the limit" 1 "" solve lcp.json --all
limited "solve by enumeration is left at the limit" 1 "limit" solve lcp.json --solver enum
limited "inspect is left at the limit" 1 "the time limit was reached" inspect lcp.json --exact-limit 40 --work-limit 1000000000000
limited "inspect says so in JSON" 1 '"time_limit_reached": true' inspect lcp.json --exact-limit 40 --work-limit 1000000000000 --json
limited "cone is left at the limit" 1 "time limit reached: 1 s were over while" cone cone.json
limited "cone says so in JSON" 1 '{"kind": "limit", "code": 1, "message": "time limit reached:' cone cone.json --json
# what the search knows by then; or, on a machine so busy that an exact step outlasts it, that the limit was reached
limited "modes are left at the limit" 1 $'search not complete\ntime limit reached' analyze modes arch --cones none
limited "a map is left at the limit" 1 "time limit reached" analyze painleve painleve-rod --grid "theta=0:1.5:3000,theta'=-8:8:3000"
limited "closure is left at the limit" 1 "" analyze closure brick-wall
limited "sticking is left at the limit" 1 "" analyze sticking brick-wall

# ---- a run ends with the step it is in, and goes on from there
limited "run stops at the limit" 2 "stopped early" run brick-wall --time 1000 --out stopped
run run --resume stopped --time-limit 1
expect "and goes on from there" 1 "stopped early"
run verify stopped
expect "what it wrote is whole" 0 "accepted"
limited "verify of a run is left at the limit" 0.001 "" verify stopped --tol 1e-30

# ---- what is done in time is not touched by the limit
printf '{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}' >p.json
run solve p.json --time-limit 100
expect "solve in time" 0 "solved"
run inspect p.json --time-limit 100 --json
expect "inspect in time" 0 '"time_limit_reached": false'
run verify p.json p.json --time-limit 0
refused "a limit of 0" "--time-limit: 0"

finish
