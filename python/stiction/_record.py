"""Structs of the library as Python objects: numbers, texts, and numpy arrays that look at the library's own memory."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Optional

import numpy as np

from ._shapes import SHAPES
from ._stiction import ffi, lib

_TYPES = {"double": "f8", "int": "i4", "int64_t": "i8", "long": "i8", "unsigned char": "u1", "signed char": "i1", "_Bool": "?",
          "size_t": "u8", "short": "i2"}
# Letters that comments of the headers use for fields.
_LETTERS = {"d": "dimension", "nc": "contact_count", "nb": "bilateral_count", "nv": "velocity_count"}
_MORE = {"sti_lcp_answer": {"z_exact": "free_count+n"}, "sti_ray": {"z": "n"}, "sti_qp": {"l": "m", "u": "m", "lb": "n", "ub": "n"},
         "sti_contact_answer": {"v": "velocity_count"}, "sti_certificate": {"y_exact": "leaf_count x (free_count+pair_count)"},
         "sti_lcp_solution_set": {"pieces": "piece_count", "vertex_exact": "vertex_count x (free_count+n)"}}


def _name(kind: Any) -> str:
    """Of a C type; cffi puts "struct" or "enum" before those that have a tag."""
    return kind.cname.split(" ")[-1] if kind.kind in ("struct", "enum") else kind.cname


class _Memory:
    """Numbers that somebody owns, for numpy."""

    def __init__(self, pointer: Any, kind: str, shape: tuple, owner: Any) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "typestr": "|" + kind if kind[-1] in "1?" else "<" + kind, "shape": shape,
                                    "data": (int(ffi.cast("uintptr_t", pointer)), True)}
        if kind == "?":
            self.__array_interface__["typestr"] = "|b1"


def view(pointer: Any, kind: str, shape: tuple, owner: Any) -> np.ndarray:
    """An array without a copy; it keeps the owner alive and cannot be written to."""
    if 0 in shape:
        return np.zeros(shape, dtype=kind)
    return np.asarray(_Memory(pointer, kind, shape, owner))


def text(pointer: Any) -> str:
    return ffi.string(pointer).decode("utf-8", "replace") if pointer != ffi.NULL else ""


def fraction(rationals: Any, i: int) -> Fraction:
    out = ffi.new("char**")
    if lib.sti_rationals_text(rationals, i, out) != lib.STI_OK:
        raise MemoryError("stiction: no memory for a rational number")
    try:
        return Fraction(text(out[0]))
    finally:
        from ._env import env
        lib.sti_env_free(env().c, out[0])


def enum_text(kind: str, value: int) -> Any:
    """The word of a value; of a verdict True, False or None."""
    if kind == "sti_verdict":
        return {lib.STI_YES: True, lib.STI_NO: False}.get(value)
    function = getattr(lib, kind + "_text", None)
    return text(function(value)) if function is not None else value


def enum_value(kind: str, word: Any, name: str) -> int:
    elements = ffi.typeof(kind).elements
    words = {enum_text(kind, value): value for value in sorted(elements) if not elements[value].endswith("_COUNT")}
    if word not in words:
        raise ValueError(f"{name}: {word!r}: one of {', '.join(str(w) for w in words)} is expected")
    return words[word]


def _size(expression: str, struct: Any) -> Optional[int]:
    """Of a product or sum of fields, as the headers write it; None: other words."""
    code = re.sub(r"(?<=[\w)]) (?=[\w(])", "*", re.sub(r"\s*([-+])\s*", r"\1", expression.strip()))
    code = re.sub(r"(\d)([A-Za-z])", r"\1*\2", code)
    if not re.fullmatch(r"[\w*+()-]+", code):
        return None
    names = set(re.findall(r"[A-Za-z_]\w*", code))
    fields = dict(ffi.typeof(struct).fields)
    values = {}
    for name in names:
        field = name if name in fields else _LETTERS.get(name)
        if field is None or field not in fields:
            return None
        values[name] = getattr(struct, field)
    return int(eval(code, {"__builtins__": {}}, values))  # letters, digits and + - * ( ) alone


def _shape(struct: Any, kind: str, name: str) -> Optional[tuple]:
    words = _MORE.get(kind, {}).get(name) or SHAPES.get(kind, {}).get(name)
    if words is None:
        return None
    sizes = [_size(part, struct) for part in words.split(" x ")]
    return None if any(size is None for size in sizes) else tuple(sizes)


class Record:
    """A struct that the library filled. Its fields are attributes, by the names of the C headers."""

    _c: Any
    _owner: Any

    def __init__(self, c: Any, owner: Any = None) -> None:
        object.__setattr__(self, "_c", c)
        object.__setattr__(self, "_owner", owner if owner is not None else c)

    def _fields(self) -> dict:
        kind = ffi.typeof(self._c)
        return dict((kind.item if kind.kind == "pointer" else kind).fields)

    def __dir__(self) -> list:
        return sorted(set(super().__dir__()) | set(self._fields()))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        field = self._fields().get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return self._value(name, field.type, getattr(self._c, name))

    def _value(self, name: str, kind: Any, value: Any) -> Any:
        if kind.kind == "primitive":
            return value
        if kind.kind == "enum":
            return enum_text(_name(kind), int(value))
        if kind.kind == "array":
            if kind.item.cname == "char":
                return text(value)
            if kind.item.cname in _TYPES:
                return np.array(list(value))
            return [self._value(name, kind.item, item) for item in value]
        if kind.kind == "struct":
            return Record(value, self._owner)
        return self._pointed(name, kind.item, value)

    def _pointed(self, name: str, item: Any, value: Any) -> Any:
        if value == ffi.NULL:
            return None
        if item.cname in ("char", "const char"):
            return text(value)
        struct = self._c[0] if ffi.typeof(self._c).kind == "pointer" else self._c
        shape = _shape(struct, _name(ffi.typeof(struct)), name)
        if _name(item) == "sti_rationals":
            flat = np.array([fraction(value, i) for i in range(lib.sti_rationals_count(value))], dtype=object)
            return flat.reshape(shape) if shape is not None and int(np.prod(shape)) == flat.size else flat
        if item.cname in _TYPES and shape is not None:
            return view(value, _TYPES[item.cname], shape, self._owner)
        if item.kind == "struct" and item.fields:
            if shape is not None:
                return [Record(value + i, self._owner) for i in range(shape[0])]
            return Record(value, self._owner)
        raise AttributeError(f"{type(self).__name__}.{name}: its size is not known here")

    def __repr__(self) -> str:
        shown: list = []
        for name, field in self._fields().items():
            if field.type.kind in ("primitive", "enum") and len(shown) < 8:
                shown.append(f"{name}={getattr(self, name)!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


# ---- the other way: numpy and scipy for the library


def vector(values: Any, size: Optional[int], name: str, keep: list) -> Any:
    """A pointer to doubles, without a copy where they already stand in a row; `keep` holds them."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 1 or (size is not None and array.size != size):
        raise ValueError(f"{name}: shape {array.shape}: {size if size is not None else 'n'} numbers are expected")
    keep.append(array)
    return ffi.cast("double*", array.ctypes.data)


def matrix(values: Any, rows: Optional[int], cols: Optional[int], name: str, keep: list) -> Any:
    """An sti_matrix that looks at a numpy array (rows in a row) or at a scipy.sparse matrix (compressed columns)."""
    out = ffi.new("sti_matrix*")
    sparse = hasattr(values, "tocsc")
    if sparse:
        values = values.tocsc()
        if not values.has_canonical_format:
            values = values.copy()
            values.sum_duplicates()
    else:
        values = np.ascontiguousarray(values, dtype=np.float64)
    if values.ndim != 2 or (rows is not None and values.shape[0] != rows) or (cols is not None and values.shape[1] != cols):
        raise ValueError(f"{name}: shape {values.shape}: ({rows}, {cols}) is expected")
    out.rows, out.cols = values.shape
    if sparse:
        arrays: list = [np.ascontiguousarray(values.indptr, dtype=np.int64), np.ascontiguousarray(values.indices, dtype=np.int32),
                  np.ascontiguousarray(values.data, dtype=np.float64)]
        out.col_start = ffi.cast("int64_t*", arrays[0].ctypes.data)
        out.row = ffi.cast("int*", arrays[1].ctypes.data)
        out.value = ffi.cast("double*", arrays[2].ctypes.data)
        keep.extend(arrays)
    else:
        out.dense = ffi.cast("double*", values.ctypes.data)
        keep.append(values)
    keep.append(out)
    return out[0]


def matrix_out(m: Any, owner: Any) -> Any:
    """An sti_matrix as a numpy array without a copy, or as a scipy.sparse matrix of the library's arrays."""
    if m.dense != ffi.NULL or m.rows == 0 or m.cols == 0:
        return view(m.dense, "f8", (m.rows, m.cols), owner)
    from scipy.sparse import csc_matrix
    start = view(m.col_start, "i8", (m.cols + 1,), owner)
    count = int(start[-1])
    return csc_matrix((view(m.value, "f8", (count,), owner), view(m.row, "i4", (count,), owner), start), shape=(m.rows, m.cols))


def fill(struct: Any, values: dict, keep: list) -> None:
    """Options by name: numbers, words for enums, vectors. A name that is not there is a TypeError."""
    fields = dict(ffi.typeof(struct).item.fields)
    for name, value in values.items():
        if name not in fields:
            raise TypeError(f"no option {name!r}; there are {', '.join(fields)}")
        kind = fields[name].type
        if kind.kind == "enum":
            value = enum_value(_name(kind), value, name)
        elif kind.kind == "pointer" and kind.item.cname in ("double", "const double"):
            value = vector(np.ravel(value), None, name, keep)
        setattr(struct, name, value)
