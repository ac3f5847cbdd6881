"""Motions as functions of bounded variation: their sizes, how far they are from each other, and observed orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Union

import numpy as np

from ._env import InputError, env
from ._moving import Moving
from ._record import Record, record, view
from ._stiction import ffi, lib
from .beds import Bed
from .systems import System
from .worlds import World

if TYPE_CHECKING:
    from . import _structs as S
    from .documents import Document

ERRORS = ("position", "final", "velocity", "weighted", "graph", "impulse")
SIZES = ("speed", "variation", "weighted_variation", "jump", "impulses")


class Path:
    """Rows of time, positions, velocities and normal impulses (`<stiction/path.h>`).

    >>> import stiction
    >>> path = stiction.Path.of(stiction.System("bouncing-ball"), 1)
    >>> path.sizes().jump > 4, len(path), path.error(path).position
    (True, 101, 0.0)
    """

    def __init__(self, positions: int, velocities: int, alpha: float = 1.0) -> None:
        where, out = env(), ffi.new("sti_path**")
        where.check(lib.sti_path_create(where.c, positions, velocities, alpha, out))
        self._handle, self._env, self._counts = where.own(out[0], lib.sti_path_destroy), where, (positions, velocities)
        self._c = self._handle.c

    def add(self, t: float, q: Any, v: Any, normal: float = 0.0) -> None:
        """A row; normal: sum of the normal impulses of the step that ends here."""
        arrays = [np.ascontiguousarray(np.ravel(values), dtype=np.float64) for values in (q, v)]
        if tuple(array.size for array in arrays) != self._counts:
            raise InputError(f"q, v: {arrays[0].size} and {arrays[1].size} numbers: {self._counts} are expected")
        self._env.check(lib.sti_path_add(self._c, t, *(ffi.cast("double*", array.ctypes.data) for array in arrays), normal))

    def __len__(self) -> int:
        return int(lib.sti_path_count(self._c))

    @property
    def t(self) -> np.ndarray:
        return np.array([lib.sti_path_time(self._c, row) for row in range(len(self))])

    @property
    def q(self) -> np.ndarray:
        return np.array([view(lib.sti_path_q(self._c, row), "f8", (self._counts[0],), self._handle) for row in range(len(self))])

    def sizes(self) -> "S.PathMeasures":
        """Largest `speed`, `variation` of v, its largest `jump`, `impulses`."""
        out = ffi.new("sti_path_measures*")
        lib.sti_path_measure(self._c, out)
        return record(out)

    def error(self, reference: "Path") -> "S.PathError":
        """Distances from a reference over the time that both have: `position`, `velocity`, `impulse`, .."""
        out = ffi.new("sti_path_error*")
        self._env.check(lib.sti_path_compare(self._c, reference._c, out))
        return record(out)

    @classmethod
    def of(cls, mover: Moving, time: Optional[float] = None) -> "Path":
        """The motion of what steps from now until a time; every step has to be solved."""
        read = _READERS.get(type(mover))
        if read is None:
            raise TypeError(f"{mover!r}: a World, a Bed or a System is expected")
        q, v, _ = read(mover, None, None)
        path = cls(np.size(q), np.size(v), mover._chosen.alpha if isinstance(mover, (System, World)) else 1.0)
        path.add(mover.time, q, v)
        until = (mover.end if time is None else time) - 1e-9 * mover._length()
        while mover.time < until:
            report = mover.step()
            if not (report.outcome == "solved" if isinstance(mover, System) else report.solved):
                raise RuntimeError(f"{mover!r}: the step was not solved: {getattr(report, 'why', '')}")
            q, v, normal = read(mover, report, q)
            path.add(mover.time, q, v, normal)
        return path


def _read_system(mover: Any, report: Any, before: Any) -> tuple:
    free = lib.sti_system_contact_count(mover._s) - lib.sti_system_joint_count(mover._s)
    return mover.q, mover.v, 0.0 if report is None or free == 0 else float(report.impulse_n[:free].sum())


def _read_world(mover: Any, report: Any, before: Any) -> tuple:
    state = mover.state
    turned = state["q"]
    if before is not None:  # of the two quaternions that mean the same, the nearer one
        turned = np.where((turned * before[:, 3:]).sum(axis=1, keepdims=True) < 0, -turned, turned)
    return np.hstack([state["x"], turned]), np.hstack([state["v"], state["w"]]), float(mover.contacts.r[:, 0].sum()) if report is not None else 0.0


def _read_bed(mover: Any, report: Any, before: Any) -> tuple:
    state, contacts = mover.state, mover.contacts
    return state["x"], np.hstack([state["v"], state["w"]]), float((contacts["r"] * contacts["n"]).sum())


_READERS: dict = {System: _read_system, World: _read_world, Bed: _read_bed}


def converge(scene: Union["Document", str, dict, Callable[[float], Moving]], steps: Sequence[float], time: Optional[float] = None,
             reference: Optional[Path] = None, **options: Any) -> dict:
    """Observed orders of one scene with several steps, against a reference (None: a run with an eighth of the least
    step).

    `scene` may be a function that makes what moves, given h. Gives `steps`, `error` and `size` of each step by name,
    and of the last two the `order` of each error; NaN where an error is rounding.

    >>> import stiction
    >>> found = stiction.converge("pendulum", [0.04, 0.02, 0.01], time=1)
    >>> 1.8 < found["order"]["position"] < 2.2
    True
    """
    from .documents import document

    def make(h: float) -> Moving:
        if callable(scene):
            return scene(h)
        given = document(scene)
        return given.start(**{"step" if given.kind == "system" else "h": h}, **options)  # type: ignore[no-any-return]
    for h in steps:
        mover = make(h)
        count = ((mover.end if time is None else time) - mover.time) / h
        if abs(count - round(count)) > 1e-6 * max(count, 1):
            raise InputError(f"steps: {h}: it does not divide the time {mover.end if time is None else time}")
    paths = [Path.of(make(h), time) for h in steps]
    against = reference if reference is not None else Path.of(make(min(steps) / 8), time)
    errors = [path.error(against) for path in paths]
    sizes = [path.sizes() for path in paths]
    error = {name: np.array([getattr(one, name) for one in errors]) for name in ERRORS}
    size = {name: np.array([getattr(one, name) for one in sizes]) for name in SIZES}
    rounding = 1e-11 * max(1.0, float(size["speed"].max()), float(size["impulses"].max()))
    order = {name: float(np.log(e[-2] / e[-1]) / np.log(steps[-2] / steps[-1])) if len(e) > 1 and e[-2:].min() > rounding else float("nan")
             for name, e in error.items()}
    return {"steps": np.array(steps), "error": error, "size": size, "order": order}
