#!/usr/bin/env python3
"""contact_groups.py: what bench_contact measured, by group, by size and by family.

    contact_groups.py CSV                                     our auto beside the fastest configuration of Siconos
    contact_groups.py CSV --builds TABLE --same EARLIER       and beside the fastest of all builds on record
    contact_groups.py CSV --problems                          one line each as well

A ratio is their CPU time over that of auto, in geometric mean over the problems that both solve. With a digit at the
end of its family's name a generated problem is in local form (contact_families.h).

TABLE is a page with the times of other builds, in rows `| problem | contacts | auto | theirs WHO | ratio | auto |
theirs WHO | ratio |`, 1e-4 first, in microseconds. They are of another machine or day, so they are multiplied by what
Siconos takes in CSV over what the same solvers took in EARLIER, of the machine of TABLE: the median over all pairs.
"""
import argparse
import csv
import math
import statistics
import sys

TOLS = ("1e-04", "1e-08")
GLOBAL = ("gfc2d", "gfc3d", "wall", "stacks", "spheres", "elastic", "chains")
SIZES = (30, 100, 330, 1100, 11000)


def group_of(family):
    if family in GLOBAL:
        return "global"
    return "plane" if family == "fc2d" or family.endswith("2") else "space"


def read(path):
    """{(problem, tol): {"family", "contacts", "auto", "theirs": {solver: seconds}}}"""
    runs = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            run = runs.setdefault((row["problem"], row["tol"]),
                                  {"family": row["family"], "contacts": int(row["contacts"]), "auto": None, "theirs": {}})
            if row["outcome"] != "solved":
                continue
            if row["who"] == "siconos":
                run["theirs"][row["solver"]] = float(row["cpu_s"])
            elif row["solver"] == "auto":
                run["auto"] = float(row["cpu_s"])
    return runs


def builds(path):
    """{(problem, tol): (seconds, who)} of the page of other builds."""
    found = {}
    with open(path) as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) != 8:
                continue
            for tol, cell in zip(TOLS, (cells[3], cells[6])):
                words = cell.split()
                try:
                    found[cells[0], tol] = (1e-6 * float(words[0]), words[1])
                except (ValueError, IndexError):
                    pass
    return found


def scale_of(runs, path):
    ratios = [run["theirs"][s] / then for key, other in read(path).items() if key in runs
              for run in [runs[key]] for s, then in other["theirs"].items() if s in run["theirs"]]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"times of other builds are multiplied by {middle:.2f} ({len(ratios)} pairs; quartiles {low:.2f}, {high:.2f})\n")
    return middle


def best_of(run):
    if not run["theirs"]:
        return None
    solver = min(run["theirs"], key=run["theirs"].get)
    return run["theirs"][solver], solver


def mean(ratios):
    return math.exp(sum(math.log(x) for x in ratios) / len(ratios))


def cell(rows, least):
    """Geometric mean, and the least one with its name."""
    if not rows:
        return " - |" + (" - |" if least else "")
    text = f" {mean([r[0] for r in rows]):.2g} |"
    if least:
        ratio, name, who, ours, theirs = min(rows)
        text += f" {ratio:.2g} ({name}, {who}; {1e6 * ours:.2g} and {1e6 * theirs:.2g} us) |"
    return text


def compare(runs, keys, opponents):
    rows = []
    for key in keys:
        run, other = runs[key], opponents.get(key)
        if run["auto"] and other:
            rows.append((other[0] / run["auto"], key[0], other[1], run["auto"], other[0]))
    return rows


def table(title, runs, parts, columns):
    """parts: [(what, tol, keys)], columns: [(head, opponents)]"""
    print(f"| {title} | tol | auto solves | Siconos together |" +
          "".join(f" {head} / auto, mean | least |" for head, _ in columns))
    print("| --- | --- | --- | --- |" + " --- | --- |" * len(columns))
    for what, tol, keys in parts:
        ours, theirs = (sum(1 for k in keys if runs[k][who]) for who in ("auto", "theirs"))
        print(f"| {what} | {tol} | {ours} of {len(keys)} | {theirs} |" +
              "".join(cell(compare(runs, keys, opponents), True) for _, opponents in columns))
    print()


def parts_of(runs, name_of):
    parts = {}
    for key, run in runs.items():
        parts.setdefault((key[1], name_of(run)), []).append(key)
    return [(name, tol, keys) for (tol, name), keys in sorted(parts.items())]


def size_of(run):
    return next((i for i, s in enumerate(SIZES) if run["contacts"] <= s), len(SIZES) - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv")
    parser.add_argument("--builds")
    parser.add_argument("--same")
    parser.add_argument("--problems", action="store_true")
    parser.add_argument("--sizes", action="store_true", help="groups by size, and families")
    given = parser.parse_args()
    if (given.builds is None) != (given.same is None):
        parser.error("--builds and --same go together")
    runs = read(given.csv)
    siconos = {key: best_of(run) for key, run in runs.items()}
    columns = [("Siconos", siconos)]
    if given.builds:
        factor, all_builds = scale_of(runs, given.same), builds(given.builds)
        columns.append(("all builds", {key: (factor * all_builds[key][0], all_builds[key][1])
                                       for key in runs if key in all_builds}))
    table("group", runs, parts_of(runs, lambda run: group_of(run["family"])), columns)
    if given.sizes:
        by_size = parts_of(runs, lambda run: (group_of(run["family"]), size_of(run)))
        table("group, contacts", runs,
              [(f"{name[0]}, to {SIZES[name[1]]}", tol, keys) for name, tol, keys in by_size], columns)
        table("family", runs, parts_of(runs, lambda run: run["family"]), columns)
    if given.problems:
        for tol in TOLS:
            for key, run in runs.items():
                if key[1] != tol:
                    continue
                ours = f"{1e6 * run['auto']:10.3g}" if run["auto"] else "      open"
                print(f"{tol} {key[0]:46s} {run['contacts']:5d} {ours}" + "".join(
                    f" {r[0]:8.2f} {r[2]:20s}" for _, o in columns for r in compare(runs, [key], o) or [(math.nan, 0, "-")]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
