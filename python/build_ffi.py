"""Writes the C source of the extension module, the shapes of arrays in structs, and their types for mypy, from the
public headers.

    python3 build_ffi.py INCLUDE_DIR OUT.c SHAPES.py STRUCTS.pyi [CC]

The declarations are the headers themselves, as the preprocessor leaves them: nothing is declared twice, and the C
compiler checks every field and every call. The headers say the size of each array beside it, as "(rows x cols)" at the
end of its comment; that is read too.
"""

import re
import subprocess
import sys
import tempfile
from keyword import iskeyword
from pathlib import Path

from cffi import FFI

MODULE = "stiction._stiction"

# Functions of Python that the library calls (python/stiction/_callback.py).
CALLBACKS = """
extern "Python" bool stiction_python_evaluate(void*, double, const double*, const double*, sti_system_values*);
extern "Python" sti_status stiction_python_residuals(void*, const double*, double*);
extern "Python" bool stiction_python_watch(void*, long, double);
"""

# Stand-ins for the C standard's headers, whose types cffi knows by itself.
STANDARD = {"stddef.h": "", "stdint.h": "", "stdbool.h": "#define bool _Bool\n"}

STRUCT = re.compile(r"typedef struct (\w+) \{[^\n]*\n(.*?)\n\} \1;", re.S)
FIELD = re.compile(r"^\s*(?:const )?(?:struct )?[a-z_0-9 ]+\*\s?(?:const\s?\*\s?)?(?P<names>[\w, *]+);\s*//(?P<comment>.*)$")
SIZE = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)\s*$")


def declarations(include: Path, compiler: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in STANDARD.items():
            Path(folder, name).write_text(text)
        command = [compiler, "-E", "-P", "-nostdinc", f"-I{folder}", f"-I{include}", "-x", "c", "-"]
        done = subprocess.run(command, input="#include <stiction/stiction.h>\n", capture_output=True, text=True, check=True)
        text = done.stdout
    return text.replace('__attribute__((visibility("default")))', "")


def shapes(include: Path) -> dict:
    """{struct: {field: "rows x cols"}}, of the pointers whose comment ends with a size."""
    found: dict = {}
    for header in sorted(include.glob("stiction/*.h")):
        for struct, body in STRUCT.findall(header.read_text()):
            for line in body.splitlines():
                field = FIELD.match(line)
                size = SIZE.search(field["comment"]) if field else None
                if field and size:
                    for name in re.findall(r"\w+", field["names"]):
                        found.setdefault(struct, {})[name] = size[1]
    return found


# What comes out of analyze, and out of solve(), has more than its fields.
ASKED = ("modes", "sticking", "closure", "velocities", "painleve", "grasp_friction", "grasp_quality", "friction_cone_margin")
SOLVED = ("lcp_answer", "qp_answer", "l1_answer", "contact_answer", "stochastic_answer", "root_answer", "bound_answer", "vi_answer")
STUB = '''"""Structs of the library as they look from Python (build_ffi.py); arrays, lists and words are None where the C pointer is NULL."""

from typing import Any, Optional

import numpy as np

from ._record import Interval
from .cones import Cone

class Struct:
    _c: Any
    def _repr_html_(self) -> str: ...

class Asked(Struct):
    instant: Any
    def verify(self, tol: float = ...) -> Any: ...
    def page(self, path: Any = ..., *options: str) -> str: ...

class Solved(Struct):
    problem: Any
    def save(self, path: Any) -> None: ...
    def __bool__(self) -> bool: ...
    def verify(self, tol: float = ...) -> Any: ...
'''


def type_of(kind) -> str:
    """A field of that C type in Python; "": not to be seen."""
    if kind.kind == "primitive":
        return {"double": "float", "float": "float", "_Bool": "bool"}.get(kind.cname, "int")
    if kind.kind == "enum":
        return "Optional[bool]" if kind.cname.endswith("sti_verdict") else "str"
    if kind.kind == "struct":
        return {"sti_matrix": "Any", "sti_interval": "Interval"}.get(kind.cname.split(" ")[-1], class_name(kind.cname) if kind.fields else "")
    if kind.kind not in ("array", "pointer") or kind.item.kind in ("void", "function"):
        return ""
    if kind.item.cname == "char":
        return "str"
    if kind.item.kind == "primitive" or kind.item.cname.endswith("sti_rationals") or kind.item.cname.endswith("sti_interval"):
        return "np.ndarray"
    if kind.kind == "array":
        return "list"
    return "Cone" if kind.item.cname.endswith("sti_polycone") else "Any"


def class_name(struct: str) -> str:
    return "".join(word.capitalize() for word in struct.split(" ")[-1][4:].split("_"))


def stub(ffi: FFI) -> str:
    found = [STUB]
    for name in ffi.list_types()[0]:
        kind = ffi.typeof(name) if name.startswith("sti_") else None
        if kind is None or kind.kind != "struct" or not kind.fields or name == "sti_interval":
            continue
        base = "Asked" if name[4:] in ASKED else "Solved" if name[4:] in SOLVED else "Struct"
        fields = [f"    {field}: {type_of(part.type)}" for field, part in kind.fields if not iskeyword(field) and type_of(part.type)]
        found.append("\n".join([f"class {class_name(name)}({base}):", *(fields or ["    ..."])]) + "\n")
    return "\n".join(found)


def main() -> None:
    include, out, shape_file, stub_file = (Path(argument) for argument in sys.argv[1:5])
    compiler = sys.argv[5] if len(sys.argv) > 5 else "cc"
    ffi = FFI()
    ffi.cdef(declarations(include, compiler) + CALLBACKS)
    ffi.set_source(MODULE, "#include <stdbool.h>\n#include <stiction/stiction.h>\n", py_limited_api=True)
    ffi.emit_c_code(str(out))
    lines = [f"    {struct!r}: {fields!r}," for struct, fields in shapes(include).items()]
    shape_file.write_text('"""Sizes of arrays in structs, read from the headers (build_ffi.py)."""\n\n'
                          "SHAPES: dict[str, dict[str, str]] = {\n" + "\n".join(lines) + "\n}\n")
    stub_file.write_text(stub(ffi))


main()
