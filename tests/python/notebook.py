"""Cells of a notebook without Jupyter: statements are run, and the value of a last expression is shown as a notebook
would."""

import ast
import json


def run_cell(source, namespace, name="cell"):
    """What the cell shows: the value of its last expression, None: nothing."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), namespace)
    return eval(compile(ast.Expression(last.value), name, "eval"), namespace) if last is not None else None


def shown(value):
    """The richest form of a value: ("text/html", ..), ("image/png", ..) or ("text/plain", ..)."""
    for method, kind in (("_repr_html_", "text/html"), ("_repr_png_", "image/png")):
        if hasattr(type(value), method):
            return kind, getattr(value, method)()
    return "text/plain", repr(value)


def cells(path):
    """Sources of the code cells of an .ipynb file."""
    book = json.loads(path.read_text("utf-8"))
    assert book["nbformat"] == 4 and all(cell["cell_type"] in ("code", "markdown") for cell in book["cells"])
    return ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
