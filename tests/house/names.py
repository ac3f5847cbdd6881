#!/usr/bin/env python3
"""The public headers keep the rules that stiction.h states: one verb for one act, and NULL for options everywhere.

    names.py INCLUDE_DIR TESTS_DIR
"""
import pathlib
import re
import sys

include, tests = map(pathlib.Path, sys.argv[1:3])
declared = re.compile(r"STI_API\s+([\w\s*]+?)\b(sti_\w+)\(([^;]*?)\);")
functions = {}  # name: (what it returns, parameters, header)
for header in sorted(include.glob("*.h")):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", header.read_text(), flags=re.S)
    for returns, name, parameters in declared.findall(text):
        parameters = re.sub(r"\([^()]*\)", "", parameters)  # of functions that are handed over
        functions[name] = (returns.strip(), [p.strip() for p in parameters.split(",")], header.name)
wrong = []


def say(name, text):
    wrong.append(f"{functions[name][2]}: {name}: {text}")


def has(name):
    return name in functions


# What a call makes, by how its last parameter is written: sti_x** out, sti_x* out, or nothing of the kind.
def made(parameters):
    found = re.fullmatch(r"(sti_\w+)\s*(\*{1,2})\s*\w+", parameters[-1])
    return (found.group(1), len(found.group(2))) if found else ("", 0)


verbs = {"create": 2, "solve": 1, "analyze": 1, "make": 1}
destroyed = {re.search(r"(sti_\w+)\*", p[-1]).group(1) for n, (_, p, _) in functions.items() if n.endswith("_destroy")}
cleared = {re.search(r"(sti_\w+)\*", p[-1]).group(1) for n, (_, p, _) in functions.items() if n.endswith("_clear")}
for name, (returns, parameters, _) in functions.items():
    what, stars = made(parameters)
    verb = next((v for v in verbs if re.search(rf"_{v}(_|$)", name)), None)
    if verb and returns == "sti_status":
        if stars != verbs[verb]:
            say(name, f"_{verb} ends with {'*' * verbs[verb]}")
        elif verb == "create" and what not in destroyed:
            say(name, f"nothing destroys {what}")
        elif verb in ("solve", "make") and what not in cleared:
            say(name, f"nothing clears {what}")
    if returns == "sti_status" and stars == 1 and what in cleared and not re.search(r"_(load|parse)$", name):
        if what.endswith("_answer") and not re.search(r"_(solve|residual|describe|gather)$|_sticking_", name):
            say(name, f"an answer, {what}, comes from _solve")
    if re.search(r"_(free|pose_step|posed)$", name) and name != "sti_env_free":
        say(name, "_destroy or _clear, _problem or _make")
    # bytes of a state have one pair of verbs, files another
    if "void** bytes" in parameters and not re.search(r"_(save_state|png)$|checkpoint_load$", name):
        say(name, "bytes come from _save_state")
    if "const void* bytes" in parameters and not re.search(r"_(load_state|resume|put_bytes)$", name):
        say(name, "bytes go to _load_state")
    if name.endswith(("_save", "_load")) and "const char* path" not in parameters:
        say(name, "_save and _load are for files, by their path")
    if returns == "const char*" and any(re.fullmatch(rf"sti_\w+ \w+", p) for p in parameters) and len(parameters) == 1:
        if not re.search(r"_(text|name|words)$", name):
            say(name, "words of an enumeration come from _text")


# ---- NULL for options: every function that takes some is called so in a test

def arguments(text, at):
    depth, start, out = 1, at, []
    while depth > 0 and at < len(text):
        c = text[at]
        depth += (c in "([{") - (c in ")]}")
        if (c == "," and depth == 1) or depth == 0:
            out.append(text[start:at].strip())
            start = at + 1
        at += 1
    return out


asks = {n: [k for k, p in enumerate(ps) if re.fullmatch(r"const sti_\w*options\s*\*\s*\w+", p)]
        for n, (_, ps, _) in functions.items()}
calls = {}
for file in tests.glob("**/*.[ch]"):
    text = re.sub(r"//[^\n]*", "", file.read_text())
    for found in re.finditer(r"\b(sti_\w+)\(", text):
        if asks.get(found.group(1)):
            calls.setdefault(found.group(1), []).append(arguments(text, found.end()))
for name, at in asks.items():
    parameters = functions[name][1]
    for k in at:
        if not any(len(c) == len(parameters) and c[k] == "NULL" for c in calls.get(name, [])):
            say(name, f"no test calls it with NULL for {parameters[k].split('*')[-1].strip()}")

for line in wrong:
    print(line)
print(f"{len(functions)} functions, {len(wrong)} that break a rule")
sys.exit(1 if wrong or len(functions) < 500 else 0)
