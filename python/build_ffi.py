"""Writes the C source of the extension module, and the shapes of arrays in structs, from the public headers.

    python3 build_ffi.py INCLUDE_DIR OUT.c SHAPES.py [CC]

The declarations are the headers themselves, as the preprocessor leaves them: nothing is declared twice, and the C compiler checks
every field and every call. The headers say the size of each array beside it, as "(rows x cols)" at the end of its comment; that is
read too.
"""

import re
import subprocess
import sys
import tempfile
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
        text = subprocess.run(command, input="#include <stiction/stiction.h>\n", capture_output=True, text=True, check=True).stdout
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


def main() -> None:
    include, out, shape_file = (Path(argument) for argument in sys.argv[1:4])
    compiler = sys.argv[4] if len(sys.argv) > 4 else "cc"
    ffi = FFI()
    ffi.cdef(declarations(include, compiler) + CALLBACKS)
    ffi.set_source(MODULE, "#include <stdbool.h>\n#include <stiction/stiction.h>\n", py_limited_api=True)
    ffi.emit_c_code(str(out))
    lines = [f"    {struct!r}: {fields!r}," for struct, fields in shapes(include).items()]
    shape_file.write_text('"""Sizes of arrays in structs, read from the headers (build_ffi.py)."""\n\n'
                          "SHAPES: dict[str, dict[str, str]] = {\n" + "\n".join(lines) + "\n}\n")


main()
