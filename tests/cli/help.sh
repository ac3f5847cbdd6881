#!/usr/bin/env bash
# help.sh COMMAND: --help of every verb, and every example in it, run one after the other as it stands there.
set -u
source "$(dirname "$0")/lib/tools.sh"
mkdir bin
ln -s "$command" bin/stiction
PATH=$work/bin:$PATH

examples() { # NAME ARGUMENTS..: the lines after "example:", each in a folder that this verb has for itself
    local name=$1 line
    shift
    run "$@"
    expect "$name: help" 0 "example:"
    mkdir "of $name"
    sed -n '/^example:$/,$p' out | sed -n 's/^    //p' >lines
    [ -s lines ] || not_ok "$name: examples" "there are none"
    while IFS= read -r line; do
        code=0
        (cd "of $name" && bash -c "$line" >../out 2>../err </dev/null) || code=$?
        expect "$name: $line" 0
    done <lines
}

examples overview help
for verb in solve verify inspect cone run scenes root bound bench; do examples "$verb" "$verb" --help; done
examples analyze analyze --help
for question in modes sticking closure velocities impact painleve norms; do
    examples "analyze $question" analyze "$question" --help
done
for verb in solve verify inspect cone run scenes root bound bench analyze; do
    run help "$verb"
    expect "help $verb" 0 "stiction $verb"
    run "$verb" --no-such-option
    [ "$verb" = analyze ] || refused "$verb: an option that is none" "--no-such-option: no such option"
done
finish
