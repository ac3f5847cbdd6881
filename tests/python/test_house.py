"""Examples of docstrings and of README run; types agree."""

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
import stiction

ROOT = Path(__file__).parents[2]
MODULES = ["stiction", "stiction._env", "stiction.analyze", "stiction.cones", "stiction.documents", "stiction.problems", "stiction.worlds", "stiction.beds", "stiction.systems",
           "stiction.navigation", "stiction.pushes", "stiction._moving"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_pages(page, tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert blocks
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, page, "exec"), {})


def test_the_first_robot_takes_ten_lines_at_most():
    first = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert first is not None and len(first[1].strip().splitlines()) <= 10


def test_types():
    pytest.importorskip("mypy")
    package = Path(stiction.__file__).parent
    run = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(ROOT / "python/pyproject.toml"), "--cache-dir=/dev/null",
                          "-p", "stiction"], capture_output=True, text=True, cwd=package.parent)
    assert run.returncode == 0, run.stdout + run.stderr
