#!/usr/bin/env bash
# calls.sh OBJECTS SOURCE ARCHITECTURE: which room calls which, by the symbols of its objects, is what
# docs/architecture.md draws, and no two rooms call each other, over whatever detour. Words, defaults and what frees an
# answer are not counted.
#     calls.sh OBJECTS SOURCE   prints the table
set -euo pipefail
objects=$1 source=$2
table=$(mktemp) && trap 'rm -f "$table"' EXIT

for room in "$source"/src/*/; do  # objects of files that are gone may lie about
    room=$(basename "$room")
    ls "$source/src/$room"/*.c >/dev/null 2>&1 || continue
    (cd "$source" && ls src/"$room"/*.c) | sed "s|.*|$objects/&.o|" | xargs nm | awk -v room="$room" '
        NF == 3 && $2 ~ /[TDRBGSV]/ { print "defines", room, $3 }
        NF == 2 && $1 == "U" && $2 ~ /^sti_/ && $2 !~ /_(text|parse|default|clear|destroy|check)$/ { print "calls", room, $2 }'
done | awk '
    $1 == "defines" { home[$3] = $2; rooms[$2] = 1 }
    $1 == "calls" { wants[$2 " " $3] = 1 }
    END {
        for (w in wants) {
            split(w, part, " ")
            if (part[2] in home && home[part[2]] != part[1]) edge[part[1] " " home[part[2]]] = 1
        }
        for (e in edge) print e
        for (r in rooms) print r
    }' | LC_ALL=C sort >"$table"

draw() {
    awk 'NF == 1 { order[++n] = $1 } NF == 2 { to[$1] = to[$1] (to[$1] == "" ? "" : ", ") "`" $2 "`" }
        END { for (i = 1; i <= n; i++) print "| `" order[i] "` | " (to[order[i]] == "" ? "nothing" : to[order[i]]) " |" }' "$table" | LC_ALL=C sort
}

if [ $# -lt 3 ]; then
    draw
    exit
fi
bad=0
[ "$(wc -l <"$table")" -gt 20 ] || { echo "no objects in $objects"; exit 1; }
while read -r line; do
    grep -qxF "$line" "$3" || { echo "docs/architecture.md does not say: $line"; bad=1; }
done < <(draw)
# rooms that call nobody are taken away until none is left, or a circle is
awk 'NF == 2 { calls[$1] = calls[$1] " " $2 } { there[$1] = 1 }
    END {
        for (again = 1; again;) {
            again = 0
            for (r in there) {
                n = split(calls[r], to, " ")
                free = 1
                for (i = 1; i <= n; i++) free = free && !(to[i] in there)
                if (free) { delete there[r]; again = 1 }
            }
        }
        for (r in there) { print "in a circle of calls: " r; bad = 1 }
        exit bad
    }' "$table" || bad=1
echo "$(grep -c ' ' "$table") calls between rooms"
exit $bad
