"""Structs of the library as Python objects: numbers, texts, and numpy arrays that look at the library's own memory."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple, Optional

import numpy as np

from ._env import InputError
from ._shapes import SHAPES
from ._stiction import ffi, lib

_TYPES = {"double": "f8", "int": "i4", "int64_t": "i8", "long": "i8", "unsigned char": "u1", "signed char": "i1", "_Bool": "?",
          "size_t": "u8", "short": "i2", "uint64_t": "u8", "unsigned int": "u4"}
# Letters that comments of the headers use for fields.
_LETTERS = {"d": "dimension", "nc": "contact_count", "nb": "bilateral_count", "nv": "velocity_count"}
# The same where they are told by other fields of that struct, or of the struct inside it.
_TOLD: dict = {"sti_modes": {"K": "contact_count+tangent_total"}, "sti_sticking_answer": {"p": "multiplier_count", "q": "acceleration_count"},
         "sti_sticking": {"n": "answer.n", "contact_count": "answer.contact_count", "p": "answer.multiplier_count",
                          "q": "answer.acceleration_count", "count": "self_stress_count"},
         "sti_closure": {"p": "multiplier_count"}, "sti_root_problem": {"n": "variable_count"}, "sti_velocities": {"c": "count", "p": "unilateral_count", "s": "slip_count"}}
_MORE = {"sti_contact_test": {"motion": "motion_count", "r": "d nc"}, "sti_homogeneous_test": {"v": "n", "v_exact": "n"}, "sti_lcp_answer": {"z_exact": "free_count+n"}, "sti_ray": {"z": "n"}, "sti_qp": {"l": "m", "u": "m", "lb": "n", "ub": "n"},
         "sti_contact_answer": {"v": "velocity_count"}, "sti_certificate": {"y_exact": "leaf_count x (free_count+pair_count)"},
         "sti_lcp_solution_set": {"pieces": "piece_count", "vertex_exact": "vertex_count x (free_count+n)"},
         "sti_modes": {"modes": "mode_count", "infeasible": "infeasible_count"}, "sti_mode_wrenches": {"face_text": "face_count"},
         "sti_impact": {"qdot_norm": "p", "v_t": "s", "bounds": "bound_count"}, "sti_impact_answer": {"solutions": "count"},
         "sti_painleve": {"patterns": "pattern_count", "mu_c_each": "p"}, "sti_instant": {"contacts": "contact_count"},
         "sti_sticking": {"self_stress": "self_stress_count x p", "upper": "p"}, "sti_force_set": {"cones": "cone_count"},
         "sti_navigation_report": {"contacts": "contact_count"},
         "sti_push_report": {"contacts": "contact_count"}, "sti_push_box": {"contacts": "contact_count", "doubts": "doubt_count"},
         "sti_plan": {"pushes": "push_count"}, "sti_robust_box": {"end": "6 parts"}, "sti_sticking_answer": {"leaves": "leaf_count", "a": "n"},
         "sti_root_answer": {"roots": "root_count", "leaf_box": "leaf_count x n", "open": "open_count x n"},
         "sti_root_problem": {"variables": "variable_count", "equations": "variable_count"},
         "sti_root_order": {"iterate": "count x n"}, "sti_flow_answer": {"levels": "level_count"},
         "sti_urdf_report": {"remarks": "remark_count"}, "sti_stochastic": {"scenarios": "scenario_count"}, "sti_modes_contact": {"word": "choice_count"}, "sti_opening": {"a": "n"},
         "sti_restitution_set": {"low": "p"}, "sti_mode_count": {"pair_name": "pairs"}, "sti_robust": {"pair_open": "pair_count"},
         "sti_actuation": {"face_multiplier": "face_count", "equation_multiplier": "equation_count"},
         "sti_bed_jamming": {"turn": "n", "motion": "n x 6"}}


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
    """The word of a value, as the library says it or else from its name; of a verdict True, False or None."""
    if kind == "sti_verdict":
        return {lib.STI_YES: True, lib.STI_NO: False}.get(value)
    function = getattr(lib, kind + "_text", None)
    if function is not None:
        return text(function(value))
    names = ffi.typeof(kind).elements
    shared = len(os.path.commonprefix([name[:name.rindex("_") + 1] for name in names.values()]))
    return names[value][shared:].lower() if value in names else value


def enum_value(kind: str, word: Any, name: str) -> int:
    elements = ffi.typeof(kind).elements
    words = {enum_text(kind, value): value for value in sorted(elements) if not elements[value].endswith("_COUNT")}
    if word not in words:
        raise InputError(f"{name}: {word!r}: one of {', '.join(str(w) for w in words)} is expected")
    return words[word]


def _told(record: "Record", name: str) -> Optional[int]:
    """The value of a name in a size: a field of the struct, or of one that it is a part of."""
    at: Optional[Record] = record
    while at is not None:
        if name in at._sizes:
            return at._sizes[name]
        kind = ffi.typeof(at._c)
        fields = _fields_of(kind)
        words = _TOLD.get(_name(kind.item if kind.kind == "pointer" else kind), {}).get(name)
        if words is not None:
            total = 0
            for part in words.split("+"):
                value = at._c
                for step in part.split("."):
                    value = getattr(value, step)
                total += value
            return total
        field = name if name in fields else _LETTERS.get(name)
        if field is not None and field in fields and fields[field].type.kind == "primitive":
            return int(getattr(at._c, field))
        at = at._up
    return None


def _code(expression: str) -> str:
    """A product as the headers write it, "2 (n + m)", as an expression."""
    code = re.sub(r"(?<=[\w)]) (?=[\w(])", "*", re.sub(r"\s*([-+])\s*", r"\1", expression.strip()))
    return re.sub(r"(\d)([A-Za-z])", r"\1*\2", code)


def _size(expression: str, record: "Record") -> Optional[int]:
    """Of a product or sum of fields, as the headers write it; None: other words."""
    code = _code(expression)
    if not re.fullmatch(r"[\w*+()^-]+", code):
        return None
    values = {name: _told(record, name) for name in set(re.findall(r"[A-Za-z_]\w*", code))}
    if None in values.values():
        return None
    return int(eval(code.replace("^", "**"), {"__builtins__": {}}, values))  # letters, digits and + - * ^ ( ) alone


def _shape(record: "Record", kind: str, name: str) -> Optional[tuple]:
    words = _MORE.get(kind, {}).get(name) or SHAPES.get(kind, {}).get(name)
    if words is None:
        return None
    sizes = [_size(part, record) for part in words.split(" x ")]
    return None if any(size is None for size in sizes) else tuple(sizes)


@lru_cache(maxsize=None)
def _fields_of(kind: Any) -> dict:
    return dict((kind.item if kind.kind == "pointer" else kind).fields)


@lru_cache(maxsize=None)
def row_type(struct: str) -> np.dtype:
    """A struct of numbers as numpy lays it out: what is no number or array of them is left out."""
    names, formats, offsets = [], [], []
    for name, field in ffi.typeof(struct).fields:
        kind, shape = field.type, ()  # type: Any, tuple
        if kind.kind == "array":
            kind, shape = kind.item, (kind.length,)
        if kind.cname in _TYPES:
            names.append(name)
            formats.append((_TYPES[kind.cname], shape))
            offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(struct)})


class Interval(NamedTuple):
    """Holds a real number, ends included."""

    low: float
    high: float


class Record:
    """A struct that the library filled. Its fields are attributes, by the names of the C headers."""

    _c: Any
    _owner: Any
    _up: Optional["Record"]
    _sizes: dict

    def __init__(self, c: Any, owner: Any = None, up: Optional["Record"] = None, sizes: Optional[dict] = None) -> None:
        object.__setattr__(self, "_c", c)
        object.__setattr__(self, "_sizes", sizes or {})
        object.__setattr__(self, "_up", up)
        object.__setattr__(self, "_owner", owner if owner is not None else c)

    def _fields(self) -> dict:
        return _fields_of(ffi.typeof(self._c))

    def __dir__(self) -> list:
        return sorted(set(super().__dir__()) | set(self._fields()))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        field = self._fields().get(name)
        if field is None:
            raise AttributeError(f"{self._name()} has no {name}; there are {', '.join(self._fields())}")
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
                return np.array(ffi.unpack(value, kind.length))
            return [self._value(name, kind.item, item) for item in value]
        if kind.kind == "struct":
            if _name(kind) == "sti_matrix":
                return matrix_out(value, self._owner)
            if _name(kind) == "sti_interval":
                return Interval(value.low, value.high)
            return Record(value, self._owner, self)
        return self._pointed(name, kind.item, value)

    def _pointed(self, name: str, item: Any, value: Any) -> Any:
        if value == ffi.NULL:
            return None
        if _name(item) == "sti_polycone":
            from .cones import Cone
            return Cone._of(value, self._owner)
        struct = self._c[0] if ffi.typeof(self._c).kind == "pointer" else self._c
        shape = _shape(self, _name(ffi.typeof(struct)), name)
        if item.cname == "char":
            return text(value)
        if item.kind == "pointer" and item.item.cname == "char" and shape is not None:
            return [text(value[i]) for i in range(shape[0])]
        if item.kind == "pointer" and _name(item.item) == "sti_polycone" and shape is not None:
            from .cones import Cone
            return [Cone._of(value[i], self._owner) for i in range(shape[0])]
        if item.kind == "array" and item.item.cname == "char" and shape is not None:
            return [text(value[i]) for i in range(shape[0])]
        if item.kind == "array" and item.item.kind == "array" and item.item.item.cname == "char" and shape is not None:
            return [tuple(text(word) for word in value[i]) for i in range(shape[0])]
        if item.kind == "enum" and shape is not None:
            return [enum_text(_name(item), int(value[i])) for i in range(shape[0])]
        if _name(item) == "sti_rationals":
            flat = np.array([fraction(value, i) for i in range(lib.sti_rationals_count(value))], dtype=object)
            return flat.reshape(shape) if shape is not None and int(np.prod(shape)) == flat.size else flat
        if item.cname in _TYPES and shape is not None:
            return view(value, _TYPES[item.cname], shape, self._owner)
        if _name(item) == "sti_interval" and shape is not None:
            return view(value, "f8", (*shape, 2), self._owner)
        if item.kind == "struct" and item.fields:
            if shape is not None:
                return [Record(value + i, self._owner, self) for i in range(int(np.prod(shape)))]
            return Record(value, self._owner, self)
        raise AttributeError(f"{type(self).__name__}.{name}: its size is not known here")

    def _scalars(self) -> dict:
        """Numbers and words of it, in their order."""
        return {name: getattr(self, name) for name, field in self._fields().items()
                if field.type.kind in ("primitive", "enum") or (field.type.kind == "array" and field.type.item.cname == "char")}

    def _name(self) -> str:
        kind = ffi.typeof(self._c)
        return _name(kind.item if kind.kind == "pointer" else kind).replace("sti_", "").replace("_", " ")

    def _repr_html_(self) -> str:
        rows = [f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in self._scalars().items()]
        return f"<table><caption>{escape(self._name())}</caption>{''.join(rows)}</table>"

    def __copy__(self) -> "Record":
        return self  # nothing of it can be changed

    def __deepcopy__(self, memo: dict) -> "Record":
        return self

    def __reduce__(self) -> tuple:
        """Of plain numbers, words and arrays of a fixed size, a copy; what points into the library's memory stays
        here."""
        struct = self._c[0] if ffi.typeof(self._c).kind == "pointer" else self._c
        if type(self) is not Record or not _is_plain(ffi.typeof(struct)):
            raise TypeError(f"{self!r}: it looks at memory of the library; take the arrays that you need, as copies")
        return _record_again, (_name(ffi.typeof(struct)), bytes(ffi.buffer(ffi.addressof(struct))))

    def __repr__(self) -> str:
        return f"<{self._name()}: {', '.join(f'{name} = {value!r}' for name, value in list(self._scalars().items())[:8])}>"


def _is_plain(kind: Any) -> bool:
    if kind.kind == "array":
        return _is_plain(kind.item)
    if kind.kind == "struct":
        return all(_is_plain(field.type) for _, field in kind.fields or ())
    return bool(kind.kind in ("primitive", "enum"))


def _record_again(struct: str, content: bytes) -> Record:
    copy = ffi.new(struct + "*")
    ffi.memmove(copy, content, len(content))
    return Record(copy)


def record(c: Any, owner: Any = None, sizes: Optional[dict] = None) -> Any:
    """A Record; its type is said where it is used, from _structs.pyi."""
    return Record(c, owner, None, sizes)


@lru_cache(maxsize=None)
def _arrays(struct: str, names: frozenset) -> list:
    """Pointers of a struct: (field, its type, bytes of an item, size as code), None for the last two: not to be
    followed."""
    found, fields = [], _fields_of(ffi.typeof(struct))
    for name, field in fields.items():
        item = field.type.item if field.type.kind == "pointer" else None
        if item is None or item.cname == "char":
            continue
        words = _MORE.get(struct, {}).get(name) or SHAPES.get(struct, {}).get(name) or ""
        code = "*".join(f"({_code(part)})" for part in words.split(" x "))
        known = words and all(word in names or word in fields for word in re.findall(r"[A-Za-z_]\w*", code))
        plain = item.cname in _TYPES or (item.kind == "struct" and item.fields)
        size = compile(code, struct, "eval") if known and plain else None
        found.append((name, field.type, ffi.sizeof(item) if size else 0, size))
    return found


def kept(struct: str, c: Any, sizes: dict) -> Any:
    """A copy of a struct whose arrays belong to somebody who will write over them; arrays of numbers and of plain
    structs come along, what else it points to does not. `sizes`: of arrays whose length the struct itself does not
    tell."""
    copy, keep = ffi.new(struct + "*"), []  # type: Any, list
    copy[0] = c[0]
    for name, kind, item, size in _arrays(struct, frozenset(sizes)):
        value = getattr(copy, name)
        if value == ffi.NULL:
            continue
        if size is None:
            setattr(copy, name, ffi.NULL)
            continue
        names = {word: sizes[word] if word in sizes else getattr(copy, word) for word in size.co_names}
        count = item * eval(size, {"__builtins__": {}}, names)
        memory = ffi.new("char[]", count + 1)
        ffi.memmove(memory, value, count)
        keep.append(memory)
        setattr(copy, name, ffi.cast(kind, memory))
    return Record(copy, (copy, keep), None, sizes)


# ---- the other way: numpy and scipy for the library


def reals(values: Any, name: str) -> np.ndarray:
    """Values as doubles in rows; what is not made of real numbers is refused by the name of the argument."""
    try:
        array = np.asarray(values)
        if array.dtype.kind != "c":
            return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        pass
    raise InputError(f"{name}: {' '.join(str(values).split())[:60]}: real numbers in rows of one length are expected")


def vector(values: Any, size: Optional[int], name: str, keep: list, spread: bool = False) -> Any:
    """A pointer to doubles, without a copy where they already stand in a row; `keep` holds them. spread: one number
    stands for all."""
    array = reals(values, name)
    if spread and array.ndim == 0 and size is not None:
        array = np.full(size, float(array))
    if array.ndim != 1 or (size is not None and array.size != size):
        raise InputError(f"{name}: shape {array.shape}: {size if size is not None else 'n'} numbers are expected")
    keep.append(array)
    return ffi.cast("double*", array.ctypes.data)


def matrix(values: Any, rows: Optional[int], cols: Optional[int], name: str, keep: list) -> Any:
    """An sti_matrix that looks at a numpy array (rows in a row) or at a scipy.sparse matrix (compressed columns)."""
    out = ffi.new("sti_matrix*")
    sparse = hasattr(values, "tocsc")
    if sparse:
        values = values.tocsc()
        if values.dtype.kind == "c":
            raise InputError(f"{name}: {values.dtype}: real numbers are expected")
        if not values.has_canonical_format:
            values = values.copy()
            values.sum_duplicates()
    else:
        values = reals(values, name)
    if values.ndim != 2 or (rows is not None and values.shape[0] != rows) or (cols is not None and values.shape[1] != cols):
        expected = ", ".join("any" if k is None else str(k) for k in (rows, cols))
        raise InputError(f"{name}: shape {values.shape}: ({expected}) is expected")
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
        elif kind.kind == "pointer" and kind.item.cname in ("int", "const int"):
            keep.append(ffi.new("int[]", [int(number) for number in value]))
            if name + "_count" in fields:
                setattr(struct, name + "_count", len(keep[-1]))
            value = keep[-1]
        elif kind.kind == "array":
            value = list(value)
        setattr(struct, name, value)
