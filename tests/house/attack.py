#!/usr/bin/env python3
"""attack.py SOURCE: what tools/attack damages and what it calls a finding.

A check that finds nothing must be able to find something: each kind of finding is shown once.
"""
import os
import random
import sys
import tempfile

sys.dont_write_bytecode = True
SOURCE = os.path.realpath(sys.argv[1])
sys.path.insert(0, os.path.join(SOURCE, "attack"))
import judge  # noqa: E402
import mutate  # noqa: E402
import seeds  # noqa: E402

failed = []


def check(name, holds):
    print("%s  %s" % ("ok  " if holds else "FAIL", name))
    if not holds:
        failed.append(name)


class Ended:
    """A result as the server gives it."""

    def __init__(self, ended="exit", number=0, limit="none", out=b"", err=b""):
        self.ended, self.number, self.limit, self.out, self.err = ended, number, limit, out, err


def found(arguments, result, files=()):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files:
            with open(os.path.join(folder, name), "wb") as f:
                f.write(text)
        return judge.finding(folder, arguments, result)


SOLVE, JSON = ["solve", "p.json"], ["solve", "p.json", "--json"]
ERROR = b'{"kind": "error", "code": 2, "message": "p.json: q: missing"}\n'
LINE = b"stiction solve: p.json: q: missing\n"
SAVED = ["solve", "p.json", "--output", "a.json"]

check("a summary is no finding", found(SOLVE, Ended(out=b"p.json: lcp, n = 1\n")) is None)
check("an answer is no finding", found(JSON, Ended(number=1, out=b'{"kind": "lcp"}\n')) is None)
check("a refusal is no finding", found(SOLVE, Ended(number=2, err=LINE)) is None)
check("a refusal as JSON is no finding", found(JSON, Ended(number=2, out=ERROR, err=LINE)) is None)
check("warnings stand beside the line of error", found(SOLVE, Ended(number=2, err=b"stiction: warning: x\n" + LINE)) is None)
check("memory that ran out is no finding", found(SOLVE, Ended(number=3, err=b"stiction solve: out of memory\n")) is None)
check("an answer that is saved is no finding", found(SAVED, Ended(), [("a.json", b'{"kind": "lcp"}\n')]) is None)

check("a signal", found(SOLVE, Ended("signal", 11)) == "signal-11")
check("a report of the address sanitizer", found(SOLVE, Ended(number=77, err=b"ERROR: AddressSanitizer: heap")) == "sanitizer")
check("undefined behaviour", found(SOLVE, Ended(number=77, err=b"a.c:1: runtime error: shift")) == "sanitizer")
check("a leak", found(SOLVE, Ended(number=77, err=b"ERROR: LeakSanitizer: detected")) == "leak")
check("exit code 3", found(SOLVE, Ended(number=3, err=b"stiction solve: internal failure: x\n")) == "exit-3")
check("an exit code that is none", found(SOLVE, Ended(number=9)) == "exit-9")
check("a hang", found(SOLVE, Ended("signal", 9, "hard")) == "hang")
check("a verb that does not end at its limit", found(SOLVE, Ended("signal", 2, "soft")) == "slow")
check("memory without bound", found(SOLVE, Ended("signal", 9, "memory")) == "memory")
check("no line of error", found(SOLVE, Ended(number=2)) == "message")
check("two lines of error", found(SOLVE, Ended(number=2, err=LINE + LINE)) == "message")
check("escape sequences in a message", found(SOLVE, Ended(number=2, err=b"stiction solve: \x1b[31m\n")) == "control")
check("escape sequences in a summary", found(SOLVE, Ended(out=b"contact \x1b[2J\n")) == "control")
check("output of a refusal", found(SOLVE, Ended(number=2, out=b"p.json", err=LINE)) == "stdout")
check("no object", found(JSON, Ended(out=b"[1]\n")) == "json")
check("two lines of JSON", found(JSON, Ended(out=b'{"a":\n 1}\n')) == "json")
check("NaN in JSON", found(JSON, Ended(out=b'{"a": NaN}\n')) == "json")
check("a name twice", found(JSON, Ended(out=b'{"a": 1, "a": 2}\n')) == "json")
check("an answer of a refusal", found(JSON, Ended(number=2, out=b'{"kind": "lcp"}\n', err=LINE)) == "json")
check("another code in the object", found(JSON, Ended(number=3, out=ERROR, err=b"stiction solve: out of memory\n")) == "json")
check("no file where one was asked for", found(SAVED, Ended()) == "half")
check("half a file", found(SAVED, Ended(), [("a.json", b'{"kind": "l')]) == "half")
check("a file of a refusal", found(SAVED, Ended(number=2, err=LINE), [("a.json", b"{}\n")]) == "half")
check("a temporary file", found(SOLVE, Ended(), [("a.json.tmp", b"")]) == "half")


def read(path):
    with open(os.path.join(SOURCE, path), "rb") as f:
        return f.read()


# ---- damage: the same for the same seed, different for another, and not only by bytes
for path in ("problems/murty_8.json", "scenes/arch.json", "scenes/arm.urdf", "problems/box_on_corners.hdf5"):
    data, name = read(path), os.path.basename(path)
    one = [mutate.damage(random.Random(k), name, data) for k in range(60)]
    check(name + ": the same each time", one == [mutate.damage(random.Random(k), name, data) for k in range(60)])
    check(name + ": damaged nearly always", sum(d != data for d in one) > 50)
    check(name + ": in many ways", len(set(one)) > 50)

tree = mutate.parse_json(read("scenes/arch.json").decode())
check("a scene with comments is parsed", isinstance(tree, mutate.Pairs))
check("and written again", mutate.parse_json(mutate.write_json(tree)) == tree)
edited = [mutate.edit_json(random.Random(k), read("problems/murty_8.json")) for k in range(400)]
check("JSON that is parsed after an edit", sum(mutate.parse_json(e.decode("utf-8", "replace")) is not None for e in edited) > 200)
check("numbers at the edge", any(b"1e308" in e for e in edited) and any(b"NaN" in e for e in edited))
check("deep nesting", any(b"[" * 60 in e for e in edited))
kinds = {m[0] for m in mutate.messages(read("problems/box_on_corners.hdf5"))}
check("messages of HDF5 are found: dataspace, datatype, layout", {1, 3, 8} <= kinds)

plain = list(seeds.plain_seeds(SOURCE)) + list(seeds.part_seeds(SOURCE))
groups = {seed.group for seed in plain}
for group in ("lcp", "mlcp", "qp", "contact", "cone", "instant", "system", "scene", "urdf", "hdf5", "matrix", "mesh", "table"):
    check("there are seeds: " + group, group in groups)
check("every seed has its victim and its commands", all(s.victim in s.files and s.commands for s in plain))

print("%d failed" % len(failed))
sys.exit(1 if failed else 0)
