# allocations.awk: which functions of the library the tests call in a failing-allocation loop; for allocations.sh.
#
#     awk -f allocations.awk HEADER... TEST
#
# HEADER: files that TEST may include. A loop stands in a function that calls failing_env_open; it reaches what that
# function calls, by itself or through functions of TEST and of the headers, and those that it is handed by name:
# fail_each(save, ..). Comments and strings are passed over.

# Without comments, strings and characters.
function bare(text,    out) {
    gsub(/\\\\/, "", text)
    gsub(/\\["']/, "", text)
    gsub(/"[^"]*"/, "\"\"", text)
    gsub(/'[^']*'/, "0", text)
    sub(/\/\/.*/, "", text)
    return text
}

{
    line = bare($0)
    if (!inside) {
        # a definition begins at the first column and opens its body before any ;
        if (line ~ /^[a-z][A-Za-z0-9_* ]*[ *][a-z_0-9]+\(/) {
            name = line
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
        } else if (line ~ /^[^ \t})]/) {
            name = ""
        }
        if (name == "" || line !~ /\{$/ || line ~ /;/) next
        inside = 1
        current = name
        next
    }
    if (line ~ /^}/) {
        inside = 0
        name = ""
        next
    }
    body[current] = body[current] " " line
}

function reach(name,    text, called) {
    if (name in seen) return
    seen[name] = 1
    text = body[name]
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        called = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (called ~ /^sti_/ && text ~ /^\(/) print called
        if (called in body) reach(called)
    }
}

# Functions that are handed to `loop` where it is called.
function reach_handed(loop,    name, text, arguments) {
    for (name in body) {
        text = body[name]
        while (match(text, "[^A-Za-z_0-9]" loop "\\(")) {
            text = substr(text, RSTART + RLENGTH)
            arguments = text
            sub(/\).*/, "", arguments)
            while (match(arguments, /[A-Za-z_][A-Za-z_0-9]*/)) {
                if (substr(arguments, RSTART, RLENGTH) in body) reach(substr(arguments, RSTART, RLENGTH))
                arguments = substr(arguments, RSTART + RLENGTH)
            }
        }
    }
}

# Who calls a loop may have been handed what it hands on.
function add_callers(    name, other, more) {
    do {
        more = 0
        for (name in body) {
            if (name in loops) continue
            for (other in loops) {
                if (body[name] !~ "[^A-Za-z_0-9]" other "\\(") continue
                loops[name] = more = 1
                break
            }
        }
    } while (more)
}

END {
    for (name in body) {
        if (body[name] !~ /failing_env_open\(/ || name == "failing_env_open") continue
        reach(name)
        loops[name] = 1
    }
    add_callers()
    for (name in loops) reach_handed(name)
}
