#!/usr/bin/env bash
# stiction run --sweep: the table holds what each run says by itself, for any number of jobs; what is refused.
set -u
stiction=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

"$stiction" run arch --sweep mu=0.2:0.4:5 --time 0.2 --csv one.csv >/dev/null || fail "a sweep"
"$stiction" run arch --sweep mu=0.2:0.4:5 --time 0.2 --jobs 3 --csv three.csv --plot plot.svg --of energy.end,steps_at_rest >/dev/null ||
    fail "three jobs"
python3 - "$stiction" <<'P' || fail "the table"
import csv, json, subprocess, sys
one, three = list(csv.DictReader(open("one.csv"))), list(csv.DictReader(open("three.csv")))
steady = [k for k in one[0] if not k.startswith("time") and k != "peak_memory_bytes"]
assert [[r[k] for k in steady] for r in one] == [[r[k] for k in steady] for r in three], "jobs change the table"
assert all(abs(float(r["mu"]) - (0.2 + 0.05 * k)) < 1e-15 for k, r in enumerate(one)) and len(one) == 5
for row in one:
    said = subprocess.run([sys.argv[1], "run", "arch", "--set", "mu=" + row["mu"], "--time", "0.2", "--json"], capture_output=True, text=True)
    alone = json.loads(said.stdout)
    assert int(row["code"]) == said.returncode
    assert float(row["energy.end"]) == alone["energy"]["end"] and int(float(row["steps_at_rest"])) == alone["steps_at_rest"], row
    assert float(row["check.accepted"]) == alone["check"]["accepted"]
assert float(one[0]["energy.potential"]) < float(one[4]["energy.potential"]), "with less friction the stones sink"
P
grep -q '<svg' plot.svg && grep -q 'steps_at_rest' plot.svg || fail "the plot"

refused() { # WORD ARGUMENT...
    local word=$1 code=0
    shift
    "$stiction" run "$@" >out 2>said || code=$?
    [ $code -eq 2 ] || fail "run $*: exit code $code"
    [ "$(wc -l <said)" -eq 1 ] && grep -q -- "$word" said || fail "run $*: $(cat said)"
}
refused 'NAME=FROM:TO:N' arch --sweep mu=0.1
refused 'NAME=FROM:TO:N' arch --sweep mu=0.1:0.2:0
refused 'NAME=FROM:TO:N' arch --sweep mu=0.1:nan:3
refused 'nothing' arch --sweep nothing=1:2:3
refused 'not together with --sweep' arch --sweep mu=0.1:0.2:2 --out run
refused 'needs --sweep' arch --plot p.svg
refused 'no such number' arch --sweep mu=0.1:0.2:2 --time 0.02 --plot p.svg --of nothing
refused 'cannot be written' arch --sweep mu=0.1:0.2:2 --time 0.02 --csv none/table.csv
[ $failures -eq 0 ]
