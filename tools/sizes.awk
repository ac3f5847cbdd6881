# sizes.awk: raw products and sums of sizes, found in what clang makes of a file; for `tools/lint sizes`.
#
#     clang -O0 -g -S -emit-llvm -fsanitize=unsigned-integer-overflow,signed-integer-overflow -fsanitize-trap=all \
#         -o - FILE.c |
#         awk -f sizes.awk
#
# With these sanitizers every product and sum of integers that could wrap around stands in the text as a call of
# llvm.umul.with.overflow or its kin, with the types known and constants folded. Two things are reported:
#
#     product   every product, but for those that only lead to a place, as in x[i * n + j] or x + 3 * i: memory has got
#               its size before; and for those of two numbers of at most 32 bits as one of 64
#     sum       one that becomes the size of an allocation or a copy, by itself or through a variable of the same
#               function, but for sums of lengths of texts in memory and numbers of at most 32 bits
#
# Both are allowed in base/size.h alone, where the checked functions live. The last line counts the products seen, so
# that a compiler that shows none is noticed.

# ---- one function: what its values are made of, and what they are used for

function forget() {
    split("", narrow); split("", made_of); split("", used_by); split("", loaded); split("", stored)
    split("", product); split("", sum); split("", addend); split("", wanted); split("", length_of_text)
    wanted_count = 0
}

function debug_place() {
    return match($0, /!dbg ![0-9]+/) ? substr($0, RSTART + 5, RLENGTH - 5) : ""
}

function is_narrow(value) { return value ~ /^-?[0-9]+$/ ? length(value) <= 9 : value in narrow }

# Every register of the line but the result is used by it: for a place, for another value, or for something else.
function note_uses(by,    rest, value) {
    rest = $0
    sub(/, !dbg .*/, "", rest)
    if ($2 == "=") sub(/^[^=]*= /, "", rest)
    while (match(rest, /%[0-9]+/)) {
        value = substr(rest, RSTART, RLENGTH)
        used_by[value] = used_by[value] " " by
        rest = substr(rest, RSTART + RLENGTH)
    }
}

function leads_to_place(value, depth,    k, n, users) {
    if (depth > 20 || !(value in used_by)) return 0
    n = split(used_by[value], users, " ")
    for (k = 1; k <= n; k++) {
        if (users[k] == "place") continue
        if (users[k] == "other" || !leads_to_place(users[k], depth + 1)) return 0
    }
    return 1
}

# The place of a sum that this value is, or that was stored in the variable it comes from; "": none.
function sum_behind(value, depth,    k, n, values, found) {
    if (depth > 20) return ""
    if (value in sum) return is_small(value, 0) ? "" : sum[value]
    if (value in made_of) return sum_behind(made_of[value], depth + 1)
    if (!(value in loaded)) return ""
    n = split(stored[loaded[value]], values, " ")
    for (k = 1; k <= n; k++) {
        found = sum_behind(values[k], depth + 1)
        if (found != "") return found
    }
    return ""
}

# Small for certain, as an addend: a number of at most 32 bits, the length of a text in memory, a sum of such.
function is_small(value, depth,    k, n, values) {
    if (is_narrow(value) || (value in length_of_text)) return 1
    if (depth > 20) return 1  # a sum of itself and small ones
    if (value in made_of) return is_small(made_of[value], depth + 1)
    if (value in sum) return is_small(addend[value, 1], depth + 1) && is_small(addend[value, 2], depth + 1)
    if (!(value in loaded) || !(loaded[value] in stored)) return 0
    n = split(stored[loaded[value]], values, " ")
    for (k = 1; k <= n; k++) if (!is_small(values[k], depth + 4)) return 0
    return 1
}

function end_of_function(    value, k, found) {
    for (value in product) if (!leads_to_place(value, 0)) report[++reports] = "product " product[value]
    for (k = 1; k <= wanted_count; k++) {
        found = sum_behind(wanted[k], 0)
        if (found != "") report[++reports] = "sum " found
    }
    forget()
}

/^}/ { end_of_function(); next }

# ---- its lines

/^ +%[0-9]+ = getelementptr / { note_uses("place"); next }

/^ +%[0-9]+ = (sext|zext|trunc) / {
    if ($3 != "trunc" && $4 ~ /^i(1|8|16|32)$/) narrow[$1] = 1
    made_of[$1] = $5
    note_uses($1)
    next
}

/^ +%[0-9]+ = extractvalue / {
    if (!match($0, /%[0-9]+, 0/)) next  # the other part says whether it wrapped around
    made_of[$1] = substr($0, RSTART, RLENGTH - 3)
    note_uses($1)
    next
}

/^ +%[0-9]+ = call .*@llvm\.[us](mul|add|sub)\.with\.overflow\.i[0-9]+\(/ {
    match($0, /\.i[0-9]+\([^)]*\)/)
    operands = substr($0, RSTART + 2, RLENGTH - 3)
    wide = operands ~ /^64/
    sub(/^[^(]*\(i[0-9]+ /, "", operands)
    split(operands, operand, /, i[0-9]+ /)
    small = wide && is_narrow(operand[1]) && is_narrow(operand[2])
    if ($0 ~ /@llvm\.[us]mul/) {
        products++
        if (!small) product[$1] = debug_place()
    } else if ($0 ~ /@llvm\.uadd/ && !small) {
        sum[$1] = debug_place()
        addend[$1, 1] = operand[1]
        addend[$1, 2] = operand[2]
    }
    note_uses($1)
    next
}

/^ +%[0-9]+ = call i64 @strlen\(/ { length_of_text[$1] = 1 }

/^ +%[0-9]+ = load / { if (match($0, /%[0-9]+, align/)) loaded[$1] = substr($0, RSTART, RLENGTH - 7) }

/^ +store i64 / {
    value = $3
    sub(/,/, "", value)
    if (match($0, /%[0-9]+, align/)) stored[substr($0, RSTART, RLENGTH - 7)] = stored[substr($0, RSTART, RLENGTH - 7)] " " value
}

/call .*@(sti_(alloc|alloc_array|alloc_array_zero|realloc|realloc_array)_by|malloc|calloc|realloc|llvm\.mem(cpy|move|set)[^(]*)\(/ {
    arguments = $0
    sub(/^[^@]*@[^(]*\(/, "", arguments)
    count = split(arguments, argument, /, */)
    for (k = 1; k <= count; k++) {
        if (!match(argument[k], /^i64 ([a-z]+ )*%[0-9]+/)) continue
        value = substr(argument[k], RSTART, RLENGTH)
        sub(/.* /, "", value)
        wanted[++wanted_count] = value
    }
}

/^ / { note_uses("other") }

# ---- where things are, at the end of the text

/^![0-9]+ = (distinct )?!DILocation\(/ {
    match($0, /line: [0-9]+/); at_line[$1] = substr($0, RSTART + 6, RLENGTH - 6)
    if (match($0, /column: [0-9]+/)) at_column[$1] = substr($0, RSTART + 8, RLENGTH - 8)
    match($0, /scope: ![0-9]+/); in_scope[$1] = substr($0, RSTART + 7, RLENGTH - 7)
}
/^![0-9]+ = (distinct )?!DI(Subprogram|LexicalBlock|LexicalBlockFile)\(/ {
    if (match($0, /file: ![0-9]+/)) in_file[$1] = substr($0, RSTART + 6, RLENGTH - 6)
}
/^![0-9]+ = !DIFile\(/ { match($0, /filename: "[^"]*"/); file_name[$1] = substr($0, RSTART + 11, RLENGTH - 12) }

function source_line(file, line,    text, n) {
    if (!(file in have)) {
        have[file] = 1
        while ((getline text < file) > 0) source[file, ++n] = text
        close(file)
    }
    text = source[file, line]
    sub(/^ +/, "", text)
    return text
}

END {
    for (k = 1; k <= reports; k++) {
        split(report[k], part, " ")
        file = file_name[in_file[in_scope[part[2]]]]
        where = file ":" at_line[part[2]] ":" at_column[part[2]]
        if (file ~ /base\/size\.h$/ || (where in said)) continue
        said[where] = 1
        print where ": raw " part[1] ": " source_line(file, at_line[part[2]])
    }
    print "products " products + 0
}
