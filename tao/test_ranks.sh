#!/usr/bin/env bash
# One and two ranks: the tests hold over ranks, and one step of a bed has the same optimum.
#     test_ranks.sh TEST_TAO TAO_RANKS
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
