"""Vehicles that keep their distance by virtual contacts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._env import Env, InputError
from ._moving import Moving, Recording, Rows, Turn, checked, put_scene
from ._record import Record, kept, text, view
from ._stiction import ffi, lib

if TYPE_CHECKING:
    from . import _structs as S
    from .documents import Document


class Navigation(Moving):
    """Vehicles in motion, from a document of that kind, a file, a dictionary, or the name of one that comes along.

    >>> import stiction
    >>> fleet = stiction.Navigation("nav-crossing")
    >>> run = fleet.run(0.2)
    >>> len(fleet.names), bool((run.least_gap >= 0).all()), fleet.q.shape
    (50, True, (50, 2))
    """

    def __init__(self, scene: Union["Document", str, os.PathLike, dict], **parameters: Any) -> None:
        from .documents import with_parameters
        given = with_parameters(scene, parameters)
        if lib.sti_navigation_of(given._c) == ffi.NULL:
            raise TypeError(f"{given!r}: vehicles are expected")
        self.document = given.again()  # it keeps the state
        self._env, self._lock = Env(), Turn()
        self._c: Any = lib.sti_navigation_of(self.document._c)
        self.names = [text(lib.sti_navigation_vehicle(self._c, i)) for i in range(lib.sti_navigation_count(self._c))]
        self.cages = np.array([lib.sti_navigation_cage(self._c, i) for i in range(len(self.names))])
        self.end = float(lib.sti_navigation_end(self._c))
        self._steps = 0

    def step(self) -> "S.NavigationReport":
        """One step, without the GIL: `outcome`, `least_gap`, `contacts` with their impulses, `deadlock`, .."""
        report = ffi.new("sti_navigation_report*")
        with self._lock:
            self.document._env.check(lib.sti_navigation_step(self._c, report), self.document.name)
            made = kept("sti_navigation_report", report, {})
        self._steps = made.step
        return made

    def _went(self, report: Record) -> bool:
        return report.outcome == "solved" and not (report.deadlock and self._lost())

    def _lost(self) -> bool:
        """A vehicle without a goal, or away from it."""
        away = np.linalg.norm(self.q - self.goals, axis=1)
        return bool((~(away <= self.cages)).any())

    @property
    def time(self) -> float:
        return float(lib.sti_navigation_time(self._c))

    def _positions(self, pointer: Any) -> np.ndarray:
        return view(pointer, "f8", (len(self.names), 2), self.document._handle).copy()

    @property
    def q(self) -> np.ndarray:
        return self._positions(lib.sti_navigation_q(self._c))

    @property
    def v(self) -> np.ndarray:
        return self._positions(lib.sti_navigation_v(self._c))

    @property
    def goals(self) -> np.ndarray:
        """NaN where there is none."""
        goal, rows = ffi.new("double[2]"), np.full((len(self.names), 2), np.nan)
        for i in range(len(rows)):
            if lib.sti_navigation_goal(self._c, i, goal):
                rows[i] = list(goal)
        return rows

    @property
    def state(self) -> dict:
        return {"t": self.time, "q": self.q, "v": self.v}

    def other(self, number: int) -> str:
        """What a contact's `other` is, in words."""
        room = ffi.new("char[120]")
        lib.sti_navigation_other_text(self._c, number, room, 120)
        return text(room)

    def _length(self) -> float:
        return float(lib.sti_navigation_step_length(self._c))

    def _frame_bytes(self) -> float:
        return 8.0 * (4 * len(self.names) + 4)

    def _row(self, report: Optional[Record]) -> dict:
        gap = report.least_gap if report is not None and np.isfinite(report.least_gap) else 0.0
        pressing = [c for c in (report.contacts or [] if report is not None else []) if c.impulse > 0]
        return {"steps/time": self.time, "steps/q": self.q.ravel(), "steps/v": self.v.ravel(), "steps/least_gap": float(gap),
                "steps/residual": float(report.residual) if report is not None else 0.0,
                "steps/contacts": np.int32(report.contact_count if report is not None else 0), "steps/pressing": np.int32(len(pressing)),
                "pressing/pair": np.array([(c.vehicle, c.other) for c in pressing], dtype=np.int32).reshape(-1, 2),
                "pressing/contact": np.array([(c.gap, *c.n, c.impulse) for c in pressing], dtype=float).reshape(-1, 4)}

    def _record(self, path: str) -> Recording:
        put_scene(self._env, path, self.document)
        return Rows(self._env, path, {"navigation": (self.document._source or b"").decode()}, self._row, ["pressing/pair", "pressing/contact"])

    def _verify_recording(self, path: str, tol: float) -> Any:
        where, out = Env(), ffi.new("sti_navigation_verification*")
        found, scene = where.new("sti_recorded_navigation", lib.sti_recorded_navigation_clear), self.document.again()
        where.check(lib.sti_recorded_navigation_load(where.c, path.encode(), found.c), path)
        where.check(lib.sti_verify_recorded_navigation(where.c, found.c, lib.sti_navigation_of(scene._c), tol, out), path)
        return checked(out, lib.sti_navigation_check_name, lib.STI_NAVIGATION_CHECK_COUNT)

    # ---- copies, bit for bit

    def save(self) -> bytes:
        return self._steps.to_bytes(8, "little") + self.q.tobytes() + self.v.tobytes()

    def restore(self, state: bytes) -> None:
        """Back to a saved state; further steps have the same bits as then."""
        numbers = np.frombuffer(state[8:], dtype=np.float64)
        if len(numbers) != 4 * len(self.names):
            raise InputError(f"state: {len(state)} bytes: {8 + 32 * len(self.names)} are expected")
        q, v = (ffi.new("double[]", half.tolist()) for half in np.split(numbers, 2))
        self._steps = int.from_bytes(state[:8], "little")
        with self._lock:
            lib.sti_navigation_set(self._c, self._steps, q, v)

    def copy(self) -> "Navigation":
        other = Navigation(self.document)
        other.restore(self.save())
        return other

    def __reduce__(self) -> tuple:
        document = self.document
        return _restored, (document._source, document.name, document.settings, self.save())

    def __repr__(self) -> str:
        return f"<{len(self.names)} vehicles, t = {self.time:.6g}>"


def _restored(source: bytes, name: str, settings: str, state: bytes) -> Navigation:
    from .documents import restored
    fleet = Navigation(restored(source, name, settings))
    fleet.restore(state)
    return fleet
