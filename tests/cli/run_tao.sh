#!/usr/bin/env bash
# run_tao.sh COMMAND: the solvers of PETSc/TAO, where the build has them, and what is said where it has not.
set -u
source "$(dirname "$0")/lib/tools.sh"

run run pebble-bed --law facets --solver tao:fast
refused "a solver that TAO does not have" "tao:fast: no such solver"
run run pebble-bed --set count=40,until.kinetic_mean=0 --law facets --solver tao:tron --tol 1e-6 --time 0.5 --json
if grep -q "not in this build" err; then
    expect "tao without PETSc" 2 '"kind": "error"' "tao:tron: not in this build: PETSc was not found"
    finish
    exit
fi
expect "tao:tron" 0 '"solver": "tao:tron"'
expect "tao:tron solves every step" 0 '"unsolved_steps": 0'
for solver in tao:blmvm tao:bqpip; do
    run run pebble-bed --set count=20,until.kinetic_mean=0 --law facets --solver $solver --tol 1e-6 --step 0.05 --time 1 --json
    expect "$solver solves every step" 0 '"unsolved_steps": 0'
done
run run pebble-bed --law coulomb --solver tao:blmvm
refused "another law" "tao:blmvm does not take the law coulomb"
run run pebble-bed --set count=20,until.kinetic_mean=0 --law facets --solver tao:tron --step 0.05 --time 0.5 --out folder
expect "a run with files" 0 "solver tao:tron"
run run --resume folder --time 1
expect "it goes on with the same solver" 0 "20 steps of 0.05, finished at t = 1"
expect "and says so" 0 "solver tao:tron"
if ldd "$command" | grep -qE 'petsc|libmpi'; then not_ok "the command is linked without PETSc" "it is not"; else ok "the command is linked without PETSc"; fi
finish
