# table.awk: the lines of the race as tables.
#
# error is the largest of: hard, penetration / 0.5 m, drift / 0.5 m (0.5 m: a body). Speed at unequal error is not
# compared: for each bound on the error the fastest setting of ours that keeps it stands beside the fastest of anybody
# else. Runs that were cut are not counted: they have not seen the hard part.
function most(a, b) { return b != "nan" && b + 0 > a ? b + 0 : a }
function short(x) { return x == "nan" ? "" : sprintf("%.1e", x) }
function offer(side, k, ms, name) {
    if (((side, group, k) in time) && ms >= time[side, group, k]) return
    time[side, group, k] = ms
    who[side, group, k] = name
}
NR == 1 { next }
{
    error = most(most(most(0, $13), $15 / 0.5), $16 == "nan" ? "nan" : $16 / 0.5)
    group = $3 "," $4 "," $5
    if (!(group in rows)) names[++groups] = group
    text[group, ++rows[group]] = sprintf("%-10s %-13s %9.4g %9s %9s %9s %9s %9s %9s %8d  %s%s", $1, $2, $9, short($11), short($13), short($15), short($16), short($17), short(error), $18, $8 == 1 ? "cut at t = " $7 ". " : $8 == 2 ? "not finite. " : "", $19)
    if ($8 != 0) next
    side = $1 == "stiction" ? "ours" : "theirs"
    offer(side, 0, $9 + 0, $1 " " $2)
    for (k = 1; k <= 8; k++) {
        if (error <= 10 ^ -k) offer(side, k, $9 + 0, $1 " " $2)
    }
}
END {
    for (g = 1; g <= groups; g++) {
        split(names[g], part, ",")
        printf "\n%s, %d bodies, %s\n", part[1], part[2], part[3]
        printf "%-10s %-13s %9s %9s %9s %9s %9s %9s %9s %8s\n", "engine", "setting", "ms/step", "ncp", "hard", "depth, m", "drift, m", "creep m/s", "error", "contacts"
        for (r = 1; r <= rows[names[g]]; r++) print text[names[g], r]
    }
    printf "\nTheir least time over ours, at the same bound on the error; in brackets our ms/step, and who. none: nobody else keeps the bound; no: we do not, or not in time\n\n"
    printf "| scene | bodies | phase | any error |"
    for (k = 1; k <= 8; k++) printf " 1e-%d |", k
    printf "\n|"
    for (k = 0; k <= 11; k++) printf " --- |"
    printf "\n"
    for (g = 1; g <= groups; g++) {
        split(names[g], part, ",")
        printf "| %s | %s | %s |", part[1], part[2], part[3]
        for (k = 0; k <= 8; k++) {
            ours = ("ours", names[g], k) in time
            theirs = ("theirs", names[g], k) in time
            ms = ours ? sprintf("%.3g", time["ours", names[g], k]) : ""
            if (ours && theirs) printf " %.2f (%s, %s) |", time["theirs", names[g], k] / time["ours", names[g], k], ms, who["theirs", names[g], k]
            else if (ours) printf " none (%s) |", ms
            else printf " %s |", theirs ? "no (" who["theirs", names[g], k] ")" : "-"
        }
        printf "\n"
    }
}
