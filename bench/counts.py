#!/usr/bin/env python3
"""Counts of a source tree: lines, named constants, requests for memory, what is told where it runs out.

    bench/counts.py ROOT [ROOT...]       one column for each checkout

Requests are calls of sti_alloc and its kin outside base; pieces those cut from an arena. A named constant is a #define
or an enumerator with a number, or a static const number; members of struct sti_tuning count too. Comments do not count.
"""
import glob
import os
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def constants(text):
    text = re.sub(r"//[^\n]*", "", text)
    count = len(re.findall(r"^#define [A-Z][A-Z0-9_]* +\(?-?(?:0x)?[0-9.][0-9a-fA-Fxp.e+\-]*\)?\s*$", text, re.M))
    count += len(re.findall(r"\b[A-Z][A-Z0-9_]*[A-Z0-9] = -?[0-9][0-9a-fA-Fx]*(?: << \d+)?(?: \* \d+)?\s*[,}\n]", text))
    for line in re.findall(r"^static const (?:double|int|long|size_t|int64_t)\s+(\w+ = [^;\[{]*);", text, re.M):
        count += 1 + line.count(",")
    tuning = re.search(r"sti_tuning_default = \{(.*?)\};", text, re.S)
    return count + (len(re.findall(r"\.\w+ =", tuning.group(1))) if tuning else 0)


def counts(root):
    files = sorted(glob.glob(os.path.join(root, "src", "*", "*.[ch]")))
    text = {f: read(f) for f in files}
    outside = [t for f, t in text.items() if os.path.basename(os.path.dirname(f)) != "base"]
    of = lambda pattern: sum(len(re.findall(pattern, t)) for t in outside)
    rooms = {}
    for f, t in text.items():
        room = os.path.basename(os.path.dirname(f))
        rooms[room] = rooms.get(room, 0) + t.count("\n")
    lines = sum(t.count("\n") for t in text.values())
    asked = of(r"\bsti_(?:alloc|alloc_array|alloc_array_zero|realloc|realloc_array|strdup)\(")
    told = sum(len(re.findall(r"STI_FAIL\([^;\"]*STI_ERR_MEMORY", t)) for t in text.values())
    return [("lines of src", lines), ("files", len(files)), ("rooms", len(rooms)),
            ("lines of bodies, granular, contact", " ".join(str(rooms.get(r, 0)) for r in ("bodies", "granular", "contact"))),
            ("named constants", sum(constants(t) for t in text.values())),
            ("of these in bodies, granular, contact",
             " ".join(str(sum(constants(t) for f, t in text.items() if f"/src/{r}/" in f)) for r in ("bodies", "granular", "contact"))),
            ("requests for memory", asked), ("per 1000 lines", round(1000 * asked / lines, 1)),
            ("pieces of arenas", of(r"\bsti_(?:arena|pool)_(?:raw|take|doubles|ints|copy|array)\(")),
            ("messages about memory by hand", told), ("rooms[k]", of(r"\brooms\[\d*k?\w*\]"))]


def main():
    columns = [dict(counts(root)) for root in sys.argv[1:]]
    for name in columns[0] if columns else []:
        print("| " + " | ".join([name] + [str(c[name]) for c in columns]) + " |")


main()
