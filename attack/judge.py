"""What is a finding: what no input, however damaged, may bring about."""
import json
import os
import re

MEMORY = re.compile(rb"memory")
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")


def _no_constant(word):
    raise ValueError(word + " is no JSON")


def _no_twice(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("a name stands twice")
    return dict(pairs)


def one_object(text):
    """The object of a line of JSON; ValueError."""
    if text.count(b"\n") != 1 or not text.endswith(b"\n"):
        raise ValueError("not one line")
    value = json.loads(text.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_no_twice)
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value


def _ended(r):
    """How it ended: what must not be."""
    if b"LeakSanitizer" in r.err:
        return "leak"
    if b"AddressSanitizer" in r.err or b"runtime error:" in r.err:
        return "sanitizer"
    if r.limit in ("hard", "wall", "memory"):
        return "hang" if r.limit != "memory" else "memory"
    if r.ended == "signal":
        return "slow" if r.number == 2 and r.limit == "soft" else "signal-%d" % r.number
    if r.number not in (0, 1, 2, 3):
        return "exit-%d" % r.number
    if r.number == 3 and not MEMORY.search(r.err):
        return "exit-3"
    return None


def _said(arguments, r):
    """What it said: one object with --json, one line of error."""
    lines = [line for line in r.err.split(b"\n") if line and not line.startswith(b"stiction: ")]
    if r.number >= 2 and len(lines) != 1:
        return "message"
    if CONTROL.search(r.err) or ("--json" not in arguments and CONTROL.search(r.out)):
        return "control"
    if "--json" not in arguments:
        return "stdout" if r.number >= 2 and r.out else None
    try:
        answer = one_object(r.out)
    except (ValueError, RecursionError):
        return "json"
    is_error = answer.get("kind") == "error"
    if is_error != (r.number >= 2) or answer.get("code", r.number) != r.number:
        return "json"
    return None


def _left(folder, arguments, r):
    """What it left: whole files, or none."""
    for where, _, names in os.walk(folder):
        if any(name.endswith(".tmp") or ".tmp." in name for name in names):
            return "half"
    if "--output" not in arguments or b"time limit reached" in r.err:
        return None
    path = os.path.join(folder, arguments[arguments.index("--output") + 1])
    if r.number >= 2:
        return "half" if os.path.exists(path) else None
    try:
        with open(path, "rb") as f:
            text = f.read()
        if text[:4] != b"\x89HDF":
            one_object(text if text.endswith(b"\n") else text + b"\n")
    except (OSError, ValueError):
        return "half"
    return None


def finding(folder, arguments, r):
    """The name of what is wrong, or None."""
    bad = _ended(r)
    if bad is None and r.ended == "exit":
        bad = _said(arguments, r) or _left(folder, arguments, r)
    return bad
