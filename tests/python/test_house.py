"""Examples of docstrings and of README run; types agree."""

import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
import stiction
from notebook import run_cell, shown

ROOT = Path(__file__).parents[2]
MODULES = ["stiction", "stiction._env", "stiction.analyze", "stiction.cones", "stiction.documents", "stiction.problems", "stiction.worlds", "stiction.beds", "stiction.systems",
           "stiction.navigation", "stiction.pushes", "stiction._moving", "stiction.optimize", "stiction.paths"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0 and result.failed == 0


def test_all_that_is_public_has_an_example():
    public = [getattr(stiction, name) for name in stiction.__all__ if name != "analyze"]
    public += [one for name, one in vars(stiction.analyze).items() if not name.startswith("_") and getattr(one, "__module__", "") == "stiction.analyze"
               and inspect.isfunction(one)]
    assert [one.__name__ for one in public if ">>>" not in (one.__doc__ or "")] == []


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_pages(page, tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert blocks
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, page, "exec"), {})


def test_the_first_robot_takes_ten_lines_at_most_and_moves(tmp_path, monkeypatch):
    first = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert first is not None and len(first[1].strip().splitlines()) <= 10
    names = {}
    run = run_cell(first[1], names)
    assert run.solved.all() and names["world"].joints["yaw"].coordinate > 0.2
    kind, html = shown(run)
    if "without its page" in html:
        pytest.skip("the command was built without Node")
    assert kind == "text/html" and "<iframe srcdoc=" in html and "window.stiction.play(true)" in html


def test_types():
    pytest.importorskip("mypy")
    package = Path(stiction.__file__).parent
    run = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(ROOT / "python/pyproject.toml"), "--cache-dir=/dev/null",
                          "-p", "stiction"], capture_output=True, text=True, cwd=package.parent)
    assert run.returncode == 0, run.stdout + run.stderr


def test_types_are_those_of_the_headers():
    pytest.importorskip("mypy")
    sample = ROOT / "tests/python/typed.py"
    wrong = {(number, line.rsplit(" ", 1)[1]) for number, line in enumerate(sample.read_text().splitlines(), 1) if "# wrong:" in line}
    run = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(ROOT / "python/pyproject.toml"), "--cache-dir=/dev/null", "--no-error-summary",
                          str(sample)], capture_output=True, text=True, cwd=Path(stiction.__file__).parents[1])
    found = {(int(match[1]), match[2]) for match in re.finditer(r"typed\.py:(\d+): error: .*\[([\w-]+)\]$", run.stdout, re.M)}
    assert found == wrong, run.stdout + run.stderr
