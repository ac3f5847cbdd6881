#!/usr/bin/env bash
# With all packages there, bootstrap is silent, quick, and touches neither apt nor the network; an unknown group is a
# usage error; where a package is missing and nobody may install it, it says so and fails.
#     bootstrap.sh BOOTSTRAP
set -euo pipefail
bootstrap=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: nothing to look at"
    exit 77
fi

mkdir "$work/bin"
printf '#!/bin/sh\necho "apt-get $*" >> %s/called\n' "$work" > "$work/bin/apt-get"
chmod +x "$work/bin/apt-get"
said=$(PATH=$work/bin:$PATH "$bootstrap" build test 2>&1) || fail "exit code $?: $said"
[ -z "$said" ] || fail "it had nothing to do and said: $said"
[ ! -e "$work/called" ] || fail "it had nothing to do and called $(cat "$work/called")"

code=0
"$bootstrap" nonsense 2>/dev/null || code=$?
[ $code -eq 2 ] || fail "an unknown group gave exit code $code"

# nothing installed, not root, no sudo
printf '#!/bin/sh\nexit 1\n' > "$work/bin/dpkg-query"
printf '#!/bin/sh\necho 1000\n' > "$work/bin/id"
cp "$work/bin/dpkg-query" "$work/bin/sudo"
chmod +x "$work/bin/dpkg-query" "$work/bin/id" "$work/bin/sudo"
code=0
said=$(PATH=$work/bin:$PATH "$bootstrap" build 2>&1) || code=$?
[ $code -eq 1 ] || fail "without rights it gave exit code $code"
grep -q 'cmake' <<<"$said" || fail "it did not name what is missing: $said"
[ ! -e "$work/called" ] || fail "without rights it called $(cat "$work/called")"

# root, something missing: an update, then one install, without questions
printf '#!/bin/sh\necho 0\n' > "$work/bin/id"
PATH=$work/bin:$PATH "$bootstrap" build >/dev/null 2>&1 || fail "as root it gave exit code $?"
grep -q 'update' "$work/called" || fail "no apt-get update"
grep -q 'install -y .*cmake' "$work/called" || fail "no apt-get install: $(cat "$work/called")"
echo ok
