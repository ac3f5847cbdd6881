"""The notebooks of the tutorial run from top to bottom, and what they show can be shown."""

from pathlib import Path

import pytest
from notebook import cells, run_cell, shown

BOOKS = sorted((Path(__file__).parents[2] / "docs" / "tutorial").glob("*.ipynb"))


def test_there_are_five():
    assert len(BOOKS) == 5


@pytest.mark.parametrize("path", BOOKS, ids=[path.stem for path in BOOKS])
def test_notebook(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, kinds = {}, set()
    for number, source in enumerate(cells(path)):
        value = run_cell(source, names, f"{path.name}, code cell {number + 1}")
        if value is not None:
            kind, content = shown(value)
            assert content
            kinds.add(kind)
    assert "text/html" in kinds  # a problem as a table, a run as its page
