#!/usr/bin/env bash
# allocations.sh INCLUDE TESTS: every public function that returns an sti_status is called in a loop of failing
# allocations (tests/support/failing_env.h), or stands in the list below with the reason why not.
set -euo pipefail
shopt -s nullglob
include=$1 tests=$2
here=$(cd "$(dirname "$0")" && pwd)

# NAME: reason
excused='
'

public() { # FOLDER: functions of its headers that return an sti_status
    grep -hoE '^STI_API sti_status sti_[a-z0-9_]+\(' "$1"/*.h | sed -E 's/.* (sti_[a-z0-9_]+)\(/\1/' | LC_ALL=C sort -u
}

reached() { # what the tests call in such loops
    for test in "$tests"/*/test_*.c; do
        LC_ALL=C awk -f "$here/allocations.awk" "$tests"/support/*.h "$(dirname "$test")"/*.h "$test"
    done | LC_ALL=C sort -u
}

work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
public "$include" >"$work/public"
reached >"$work/reached"
sed -n 's/^\(sti_[a-z0-9_]*\): ..*/\1/p' <<<"$excused" | LC_ALL=C sort -u >"$work/excused"
bad=0

# the search itself finds what is there: far more than a hundred functions, and not one that only a comment or a string
# names
[ "$(wc -l <"$work/public")" -gt 150 ] || { echo "only $(wc -l <"$work/public") public functions were found"; bad=1; }
mkdir "$work/sample" && cat >"$work/sample/test_sample.c" <<'C'
static void asked(void) {
    sti_reached_directly(env);
    sti_only_before(env);
}
static sti_status handed(sti_env* env) {
    return sti_reached_by_name(env);
}
static sti_status never(sti_env* env) {
    return sti_not_reached(env);
}
static void loop(call* make) {
    failing_env_open(&f, k);  // sti_in_a_comment(env);
    const char* text = "sti_in_a_string(env)";
    asked();
}
static sti_status handed_on(sti_env* env) {
    return sti_reached_by_two(env);
}
static void loop_of(call* make) {
    loop(make);
}
static void a_test(void** state) {
    loop(handed);
    loop_of(handed_on);
    never(env);
}
C
found=$(LC_ALL=C awk -f "$here/allocations.awk" "$work/sample/test_sample.c" | sort | tr '\n' ' ')
if [ "$found" != "sti_only_before sti_reached_by_name sti_reached_by_two sti_reached_directly " ]; then
    echo "allocations.awk found in its sample: $found"
    bad=1
fi

while read -r name; do
    echo "$name: no test calls it in a loop of failing allocations; tests/house/test_memory.c is a place for it"
    bad=1
done < <(LC_ALL=C comm -23 "$work/public" <(LC_ALL=C sort -u "$work/reached" "$work/excused"))
while read -r name; do
    echo "$name: excused, and called in such a loop, or no public function"
    bad=1
done < <(LC_ALL=C comm -12 "$work/excused" "$work/reached"; LC_ALL=C comm -23 "$work/excused" "$work/public")
exit $bad
