#!/usr/bin/env bash
# faults.sh COMMAND: streams that are closed and disks that are full: exit code 3, and nothing destroyed.
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

finish
