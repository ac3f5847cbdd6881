#!/usr/bin/env python3
"""papers.py COMMAND docs/papers.md HEADERS: what the page says of the papers is there: every command runs and answers
(exit code 0 or 1, nothing that looks like a refusal), every function stands in a header, and every numbered result of
the papers has a row."""
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

# How many of each the papers have.
NUMBERED = {"S0": {"Proposition": 16, "Corollary": 5, "Lemma": 3, "Theorem": 1, "Definition": 1, "Example": 7},
            "S1": {"Proposition": 17, "Corollary": 3, "Lemma": 2, "Theorem": 4, "Definition": 1}}
S3 = ["Definition 1.2.%d" % k for k in (1, 2, 3, 4, 5, 7, 9)] + ["Theorem 1.2.%d" % k for k in (6, 8, 10)] + ["Definition 1.3.1"] + \
     ["Definition 1.4.%d" % k for k in (1, 2, 3)] + ["Definition 2.2.1", "Definition 2.2.2", "Lemma 2.2.3", "Theorem 2.2.4", "Theorem 2.2.5",
      "Theorem 2.2.6", "Theorem 2.4.1"] + ["Theorem 2.5.%d" % k for k in (1, 2, 3, 4)] + ["figure 2.%d" % k for k in range(1, 9)]

command, page, headers = sys.argv[1:4]
command = os.path.realpath(command)
root = os.path.dirname(os.path.dirname(os.path.realpath(page)))
wrong = []


def results(cell):
    """The numbered results of a first cell: "Proposition 2 to Proposition 4, Lemma 1"."""
    found = set()
    for kind, first, last in re.findall(r"(\w+) ([\d.]+)(?: to \w+ ([\d.]+))?", cell):
        if last and last.count(".") == first.count("."):
            head, low = first.rsplit(".", 1) if "." in first else ("", first)
            high = last.rsplit(".", 1)[-1]
            found |= {"%s %s%d" % (kind, head + "." if head else "", k) for k in range(int(low), int(high) + 1)}
        else:
            found.add("%s %s" % (kind, first))
    return found


def rows(text):
    section = None
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:5]
        cells = [c.strip() for c in line.strip("|").split("|")] if line.startswith("|") else []
        if len(cells) == 3 and cells[0] not in ("result", "---"):
            yield section, cells


with open(page) as f:
    table = list(rows(f.read()))
public = "".join(open(h).read() for h in glob.glob(os.path.join(headers, "*.h")))
commands, functions, there = [], [], {"S0": set(), "S1": set(), "S2": set(), "S3": set()}
for section, (result, what, asked) in table:
    there[section] |= results(result)
    spans = re.findall(r"`([^`]+)`", asked)
    commands += [s for s in spans if s.startswith("stiction ")]
    functions += [s for s in spans if s.startswith("sti_")]
    if not any(s.startswith(("stiction ", "sti_")) for s in spans) and "Not here" not in asked:
        wrong.append("%s %s: nothing asks it" % (section, result))

for name in functions:
    if not re.search(r"\b%s\(" % name, public):
        wrong.append("%s: no such function in the headers" % name)
for section, kinds in NUMBERED.items():
    for kind, count in kinds.items():
        wrong += ["%s: %s %d has no row" % (section, kind, k) for k in range(1, count + 1) if "%s %d" % (kind, k) not in there[section]]
wrong += ["S3: %s has no row" % name for name in S3 if name not in there["S3"]]

with tempfile.TemporaryDirectory() as folder:
    for k in ("problems", "scenes"):
        os.symlink(os.path.join(root, k), os.path.join(folder, k))
    for line in dict.fromkeys(commands):
        done = subprocess.run([command] + shlex.split(line)[1:], cwd=folder, capture_output=True, text=True, timeout=250)
        if done.returncode not in (0, 1) or not done.stdout.strip():
            wrong.append("%s: exit code %d: %s" % (line, done.returncode, done.stderr.strip()[:200]))
print("%d rows, %d commands, %d functions of docs/papers.md" % (len(table), len(set(commands)), len(set(functions))))
for line in wrong:
    print("FAILED: " + line)
sys.exit(bool(wrong) or len(table) < 50)
