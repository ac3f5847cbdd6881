#!/usr/bin/env python3
"""answers.py COMMAND docs/json.md: every --json answer is what the page says, and the page says nothing else.

Runs every verb on every kind of document with every outcome (answers_cases.py) and holds each answer against the page
(answers_page.py): a field that is not there, a field that no answer has, another type fail. So do a number that is not
written with 17 digits, a name that stands twice, more than one line, an exit code that is another, contacts in another
order than in the file, and a name that others rely on and that is missing.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from answers_cases import CASES, FILES, MAKE  # noqa: E402
from answers_page import Page, Reader  # noqa: E402

COMMON = ["kind", "solver", "outcome", "residual", "iterations", "time_s", "certificate"]
RELIED_ON = {"solve lcp": COMMON + ["z", "w"], "solve mlcp": COMMON + ["u", "v"], "solve qp": COMMON + ["x", "y"],
             "solve stochastic": COMMON + ["x", "y", "pi", "l", "objective", "gap"], "solve l1": COMMON + ["x", "y", "objective", "gap"], "solve contact": COMMON + ["r", "u", "v"]}


def is_plain(token):
    """A number as %.17g writes it, or a whole one."""
    return re.fullmatch(r"-?\d+", token) is not None or token == "%.17g" % float(token)


class Strict:
    """A JSON text read without mercy; what is wrong with it."""

    def __init__(self, text):
        self.wrong = []
        if text.count("\n") != 1 or not text.endswith("\n"):
            self.wrong.append("not one line")
        self.value = json.loads(text, parse_float=self._number, parse_constant=self._constant, object_pairs_hook=self._pairs)
        if not isinstance(self.value, dict):
            self.wrong.append("no object")

    def _number(self, token):
        if not is_plain(token):
            self.wrong.append("%s is not written with 17 digits" % token)
        return float(token)

    def _constant(self, token):
        self.wrong.append("%s is no JSON" % token)
        return None

    def _pairs(self, pairs):
        names = [name for name, _ in pairs]
        self.wrong += ["%s stands twice" % n for n in set(names) if names.count(n) > 1]
        return dict(pairs)


def contact_names(path):
    """Names of the contacts of a file of kind instant, in its order; None: another file."""
    try:
        with open(path) as f:
            text = re.sub(r"//[^\n]*", "", f.read())
        document = json.loads(text)
    except (OSError, ValueError):
        return None
    if not isinstance(document, dict) or document.get("kind") != "instant":
        return None
    return [c.get("name") for c in document.get("contacts", [])]


def out_of_order(arguments, answer):
    """Whether the contacts of an answer come in another order than in the file that is asked about."""
    names = next((n for n in map(contact_names, arguments) if n is not None), None)
    said = answer.get("contacts")
    if names is None or not isinstance(said, list) or None in names:
        return False
    said = [c.get("name") if isinstance(c, dict) else c for c in said]
    if not all(isinstance(s, str) for s in said):
        return said != sorted(said)  # numbers of contacts
    return [n for n in names if n in said] != said


def check_case(run, reader, section, code, arguments):
    """Lines about what is wrong with one answer."""
    done = run(arguments + ["--json"])
    name = "stiction " + " ".join(arguments)
    if done.returncode != code:
        return ["%s: exit code %d, %d expected: %s" % (name, done.returncode, code, done.stderr.strip())]
    try:
        strict = Strict(done.stdout)
    except ValueError as error:
        return ["%s: %s: %s" % (name, error, done.stdout[:100])]
    wrong = list(strict.wrong)
    answer = strict.value
    if code >= 2 and answer.get("code") != code:
        wrong.append("the object says code %s" % answer.get("code"))
    wrong += ["no \"%s\", which others rely on" % n for n in RELIED_ON.get(section, []) if n not in answer]
    if out_of_order(arguments, answer):
        wrong.append("its contacts are not in the order of the file")
    reader.read(section, answer)
    return ["%s: %s" % (name, w) for w in wrong]


def main():
    command, page_path = os.path.realpath(sys.argv[1]), sys.argv[2]
    source = os.path.dirname(os.path.dirname(os.path.realpath(page_path)))
    folders = {"problems": os.path.join(source, "problems"), "corpus": os.path.join(source, "fuzz", "corpus")}
    with open(page_path) as f:
        page = Page(f.read())
    reader, wrong = Reader(page), list(page.mistakes)

    def run(arguments):
        return subprocess.run([command] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)

    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for name, text in FILES.items():
            with open(name, "w") as f:
                f.write(text)
        for arguments in MAKE:
            done = run([a.format(**folders) for a in arguments])
            if done.returncode > 1:
                wrong.append("%s: %s" % (" ".join(arguments), done.stderr.strip()))
        for section, code, arguments in CASES:
            wrong += check_case(run, reader, section, code, [a.format(**folders) for a in arguments])
        os.chdir("/")
    wrong += reader.problems + ["docs/json.md: %s: no answer has it" % u for u in reader.unseen()]
    for line in wrong:
        print("FAIL  " + line)
    print("%d answers, %d sections, %d shapes, %d failed" % (len(CASES), len(page.sections), len(page.shapes), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
