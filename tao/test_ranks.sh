#!/usr/bin/env bash
# One and two ranks: the tests hold over ranks, and one step of a bed has the same optimum.
#     test_ranks.sh TEST_TAO TAO_RANKS STICTION
set -uo pipefail
test_tao=$1 tao_ranks=$2
command -v mpirun >/dev/null || { echo "no mpirun: skipped"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

mpirun -n 2 "$test_tao" || exit 1
one=$("$tao_ranks" 60) || { echo "$one"; exit 1; }
two=$(mpirun -n 2 "$tao_ranks" 60) || { echo "$two"; exit 1; }
printf '%s\n%s\n' "$one" "$two"
# objective, column 10: each within its gap of the optimum, so all within 1e-8 of each other
printf '%s\n%s\n' "$one" "$two" | awk -F, '
    $1 == "ranks" { next }
    { lines++; if (lines == 1) first = $10; d = ($10 - first) / first; if (d > 1e-8 || d < -1e-8) bad = 1 }
    END { if (lines != 6 || bad) { print "the objectives differ"; exit 1 } }'

# one stochastic program over two ranks has the answer of one process
stiction=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - "$folder/p.json" <<'P'
import json, random, sys
r = random.Random(3)
m = lambda rows, cols: [[r.uniform(-1, 1) for _ in range(cols)] for _ in range(rows)]
T = [{"c": m(1, 4)[0], "W": m(2, 4), "Q": [[1 if i == j else 0 for j in range(4)] for i in range(4)], "T": m(1, 4)} for _ in range(9)]
W0 = m(2, 3)
for s in T: s["d"] = [sum(W0[k]) + sum(s["W"][k]) for k in range(2)]
T0 = m(1, 3)
b = [sum(T0[0]) + sum(sum(s["T"][0]) for s in T) / 9]
json.dump({"kind": "stochastic", "c0": [1, 2, 3], "Q0": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "W0": W0, "T0": T0, "b": b, "scenarios": T}, open(sys.argv[1], "w"))
P
"$stiction" solve "$folder/p.json" --json >"$folder/one" || exit 1
mpirun -n 2 "$stiction" solve "$folder/p.json" --ranks --json >"$folder/two" || exit 1
"$stiction" verify "$folder/p.json" "$folder/two" || exit 1
python3 - "$folder/one" "$folder/two" <<'P'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert abs(a["objective"] - b["objective"]) <= 1e-9 * (1 + abs(a["objective"])), (a["objective"], b["objective"])
assert len(a["y"]) == len(b["y"]) == 9
assert all(abs(u - v) < 1e-6 for u, v in zip(a["x"], b["x"]))
P
[ $? = 0 ] || { echo "the ranks have another answer"; exit 1; }
