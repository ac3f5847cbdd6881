"""Polyhedral cones in both forms, and the classes of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._env import Handle, InputError, env
from ._record import Record, enum_text, fill, matrix, reals
from ._stiction import ffi, lib


def _rows(values: Any, dimension: int, name: str, keep: list) -> Any:
    array = np.atleast_2d(reals(np.zeros((0, dimension)) if values is None else values, name))
    if array.ndim != 2 or array.shape[1] != dimension:
        raise InputError(f"{name}: shape {array.shape}: rows of {dimension} numbers are expected")
    out = ffi.new("sti_rows*")
    out.count, out.dimension, out.value = array.shape[0], dimension, ffi.cast("double*", array.ctypes.data)
    keep.extend((array, out))
    return out


class Cone:
    """A polyhedral cone: `rays` and `lines` that span it, `inequalities` (F x <= 0) and `equations` (E x = 0); exact
    where its data are.

    >>> import stiction
    >>> cone = stiction.parse({"kind": "cone", "rays": [[1, 0], [1, 1], [0, 1]]})
    >>> cone.rays.tolist(), cone.is_pointed, cone.polar().rays.tolist()
    ([[0.0, 1.0], [1.0, 0.0]], True, [[-1.0, 0.0], [0.0, -1.0]])
    """

    _c: Any
    _owner: Any

    def __init__(self, *arguments: Any) -> None:
        raise TypeError("Cone: Cone.span(rays), Cone.face(inequalities) or stiction.load makes one")

    @classmethod
    def _of(cls, c: Any, owner: Any) -> "Cone":
        self = cls.__new__(cls)
        self._c, self._owner = c, owner
        return self

    @classmethod
    def span(cls, rays: Any, lines: Any = None, **options: Any) -> "Cone":
        """{ sum of rays with factors >= 0, and of lines with any }, in doubles."""
        return cls._make(lib.sti_polycone_create_span, rays, lines, options)

    @classmethod
    def face(cls, inequalities: Any, equations: Any = None, **options: Any) -> "Cone":
        """{ x : F x <= 0, E x = 0 }, in doubles."""
        return cls._make(lib.sti_polycone_create_face, inequalities, equations, options)

    @classmethod
    def _make(cls, create: Any, first: Any, second: Any, options: dict) -> "Cone":
        keep: list = []
        chosen = ffi.new("sti_polycone_options*", lib.sti_polycone_options_default())
        fill(chosen, options, keep)
        dimension = np.shape(first if first is not None else second)[-1]
        where, out = env(), ffi.new("sti_polycone**")
        where.check(create(where.c, dimension, _rows(first, dimension, "first", keep), _rows(second, dimension, "second", keep), chosen, out))
        handle = where.own(out[0], lib.sti_polycone_destroy)
        return cls._of(handle.c, (where, handle))

    @classmethod
    def _posed(cls, posed: Any, owner: Any) -> "Cone":
        create = lib.sti_polycone_create_span if posed.span else lib.sti_polycone_create_face
        where, out = env(), ffi.new("sti_polycone**")
        where.check(create(where.c, posed.dimension, ffi.addressof(posed, "first"), ffi.addressof(posed, "second"), ffi.NULL, out))
        handle = where.own(out[0], lib.sti_polycone_destroy, owner)
        return cls._of(handle.c, (where, handle))

    def _table(self, rows: Any) -> np.ndarray:
        return np.array(ffi.unpack(rows.value, rows.count * rows.dimension) if rows.count else [], dtype=float).reshape(
            rows.count, rows.dimension)

    @property
    def rays(self) -> np.ndarray:
        return self._table(lib.sti_polycone_rays(self._c))

    @property
    def lines(self) -> np.ndarray:
        return self._table(lib.sti_polycone_lines(self._c))

    @property
    def inequalities(self) -> np.ndarray:
        return self._table(lib.sti_polycone_inequalities(self._c))

    @property
    def equations(self) -> np.ndarray:
        return self._table(lib.sti_polycone_equations(self._c))

    @property
    def dimension(self) -> int:
        """Of the linear hull."""
        return int(lib.sti_polycone_dimension(self._c))

    @property
    def is_exact(self) -> bool:
        return bool(lib.sti_polycone_is_exact(self._c))

    @property
    def is_pointed(self) -> bool:
        return bool(lib.sti_polycone_is_pointed(self._c))

    def _vector(self, x: Any) -> np.ndarray:
        array = np.ascontiguousarray(x, dtype=np.float64)
        space = lib.sti_polycone_dimension_space(self._c)
        if array.shape != (space,):
            raise InputError(f"x: shape {array.shape}: {space} numbers are expected")
        return array

    def locate(self, x: Any) -> Record:
        """`inside`, `distance`, `slack` and the `face` they belong to."""
        array, out = self._vector(x), ffi.new("sti_cone_point*")
        env().check(lib.sti_polycone_locate(self._c, ffi.cast("double*", array.ctypes.data), out))
        return Record(out)

    def __contains__(self, x: Any) -> bool:
        return bool(self.locate(x).inside)

    def project(self, x: Any) -> np.ndarray:
        """The nearest point of the cone."""
        array = self._vector(x)
        out = np.empty_like(array)
        env().check(lib.sti_polycone_project(self._c, ffi.cast("double*", array.ctypes.data), ffi.cast("double*", out.ctypes.data)))
        return out

    def _made(self, function: Any, *others: "Cone") -> "Cone":
        out = ffi.new("sti_polycone**")
        env().check(function(self._c, *(other._c for other in others), out))
        return Cone._of(out[0], (Handle(out[0], lib.sti_polycone_destroy, self._owner), self._owner))

    def image(self, A: Any) -> "Cone":
        """{ A x : x in the cone }"""
        keep: list = []
        out = ffi.new("sti_polycone**")
        env().check(lib.sti_polycone_image(self._c, _rows(A, lib.sti_polycone_dimension_space(self._c), "A", keep), out))
        return Cone._of(out[0], (Handle(out[0], lib.sti_polycone_destroy, self._owner), self._owner))

    def polar(self) -> "Cone":
        """{ y : y'x <= 0 on the cone }"""
        return self._made(lib.sti_polycone_polar)

    def intersect(self, other: "Cone") -> "Cone":
        return self._made(lib.sti_polycone_intersect, other)

    def __add__(self, other: "Cone") -> "Cone":
        return self._made(lib.sti_polycone_sum, other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cone):
            return NotImplemented
        out = ffi.new("_Bool*")
        env().check(lib.sti_polycone_equal(self._c, other._c, out))
        return bool(out[0])

    def __reduce__(self) -> tuple:
        """Pickled by the doubles of its span."""
        return Cone.span, (self.rays.reshape(-1, lib.sti_polycone_dimension_space(self._c)),
                           self.lines.reshape(-1, lib.sti_polycone_dimension_space(self._c)))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<cone: {len(self.rays)} rays, {len(self.lines)} lines, {len(self.inequalities)} facets>"


def classify(M: Any, **options: Any) -> dict:
    """Which classes a matrix belongs to: a finding for each, `verdict` True, False or None (not decided), with a
    witness and `how`.

    >>> import stiction
    >>> found = stiction.classify([[2, -1], [-1, 2]])
    >>> found["P"].verdict, found["nonnegative"].verdict, found["nonnegative"].value
    (True, False, -1.0)
    """
    keep: list = []
    chosen = ffi.new("sti_classes_options*", lib.sti_classes_options_default())
    fill(chosen, options, keep)
    where, out = env(), ffi.new("sti_classes**")
    n = M.shape[0] if hasattr(M, "tocsc") else len(np.atleast_1d(reals(M, "M")))
    m = matrix(M, n, n, "M", keep)
    where.check(lib.sti_classes_create(where.c, ffi.addressof(m), ffi.NULL, chosen, out))
    found = where.own_with_env(out[0], lib.sti_classes_destroy)
    record = Record(found.c, found)
    return {enum_text("sti_class", k): finding for k, finding in enumerate(record.finding)}
