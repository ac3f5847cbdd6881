#!/usr/bin/env bash
# skipped.sh SOURCE SHARED: what the suite leaves out on this machine, and why. Nothing: passed. Something: it is
# listed, and the test is one that ctest calls skipped, so that nobody takes a short run for a whole one.
#     ctest -R house.skipped -V
set -euo pipefail
source=$1 shared=$2
cd "$source"
missing=0 cases=0
skips='\bskip\(\);|\bcase_collection\('

# A test of a C file that needs the folder skips itself without it, once; a file that does not (a script, a list of
# folders) counts as one.
cases_in() { # FILE
    local count
    count=$(grep -cE "$skips" "$1" || true)
    echo $((count > 0 ? count : 1))
}

leave_out() { # FOLDER WHY: every test file that reads this folder, and how many cases of it
    local files file all=0
    files=$(grep -rlE "(STI_SHARED_DIR|shared_dir).*/$1|/$1.*STI_SHARED_DIR" tests --include='*.[ch]' --include='*.sh' |
        while read -r file; do # of a header those that skip themselves by it
            case $file in
                *.h) grep -rlE "#include \"([a-z]+/)?$(basename "$file")\"" tests --include='*.c' | xargs grep -lE "$skips" ;;
                *) echo "$file" ;;
            esac
        done | grep -v '^tests/house/' | LC_ALL=C sort -u)
    [ -n "$files" ] || { echo "no test reads $1: tests/house/skipped.sh is out of date"; exit 1; }
    for file in $files; do all=$((all + $(cases_in "$file"))); done
    [ -e "$shared/$1" ] && return
    missing=$((missing + 1)) cases=$((cases + all))
    echo "left out: $2 ($shared/$1 is not there), $all cases in"
    for file in $files; do echo "    $file ($(cases_in "$file"))"; done
}

leave_out problems "problems of the Siconos and FCLIB collections; those of problems/ are tested"
leave_out data/flow "real pairs of frames; made ones are tested"
leave_out review "problems that were found by attack"
leave_out robots "robots of other collections; those that tests write themselves are tested"
[ -e "$shared/oracles" ] || echo "read from tests/reference: the reference values of S0 to S3, whole; $shared/oracles may hold more of them"
command -v mpiexec >/dev/null || { missing=$((missing + 1)); echo "left out: steps of beds over MPI ranks (no mpiexec)"; }

# what is tested without any of it must be there
for file in papers/cases.json thesis/cases.json thesis/data/NAV-01_trajectory.csv thesis/data/pbr100_state_l60.csv; do
    [ -s "tests/reference/$file" ] || { echo "tests/reference/$file is missing"; exit 1; }
done
[ "$missing" = 0 ] || { echo "$missing left out, with $cases cases that $shared would add"; exit 77; }
echo "nothing is left out"
