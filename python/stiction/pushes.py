"""Parts that are pushed slowly over a support: steps that are checked, boxes of doubts, plans."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._callback import Caller
from ._env import Env, InputError
from ._moving import Moving, Recording, Rows, Turn, put_scene
from ._record import Record, enum_value, fill, kept, record, text, view
from ._stiction import ffi, lib

if TYPE_CHECKING:
    from . import _structs as S
    from .documents import Document

_AGAINST = ("tip", "fixture", "part")


class PushContact(NamedTuple):
    """A contact of a part in the last step; n points into the part."""

    part: str
    other: str
    mode: str
    gap: float
    n: np.ndarray
    point: np.ndarray
    lambda_n: float
    lambda_t: float
    slip: float


class Push(Moving):
    """Parts, fixtures and probes, from a document of kind manipulation, a file, a dictionary, or the name of one that
    comes along.

    >>> import stiction
    >>> push = stiction.Push("peg-push")
    >>> report = push.step()
    >>> report.end, push.verify().accepted, [(c.part, c.other, c.mode) for c in push.contacts]
    ('moved', True, [('peg', 'probe', 'stick')])
    """

    def __init__(self, scene: Union["Document", str, os.PathLike, dict], h: float = 0.0, **parameters: Any) -> None:
        from .documents import with_parameters
        given = with_parameters(scene, parameters)
        if lib.sti_manipulation_of(given._c) == ffi.NULL:
            raise TypeError(f"{given!r}: parts and probes are expected")
        self.document = given.again()  # probes are aimed
        self._env, self._lock, self._given = Env(), Turn(), h
        self._scene: Any = lib.sti_manipulation_of(self.document._c)
        self.parts = [text(lib.sti_manipulation_part(self._scene, i)) for i in range(lib.sti_manipulation_part_count(self._scene))]
        self.probes = [text(lib.sti_manipulation_probe(self._scene, i)) for i in range(lib.sti_manipulation_probe_count(self._scene))]
        out = ffi.new("sti_push**")
        self._env.check(lib.sti_push_create(self._env.c, self._scene, h, out), self.document.name)
        self._handle = self._env.own(out[0], lib.sti_push_destroy, self.document._handle)
        self._c = self._handle.c
        self.end = lib.sti_manipulation_steps(self._scene) * self._length()
        self._report = ffi.new("sti_push_report*")
        self._before: Optional[tuple] = None
        self._last: Any = None

    def step(self) -> "S.PushReport":
        """One step, without the GIL; `end` other than moved: nothing changed, `why` and `jam` say more."""
        with self._lock:
            before = (self.time, self.q)
            self._env.check(lib.sti_push_step(self._c, self._report))
            self._before, self._last = before, kept("sti_push_report", self._report, {})
        return self._last

    def verify(self, tol: float = 1e-6) -> "S.PushVerification":
        """The last step, checked by code that shares nothing with the solver: `accepted`, `worst`, `text`."""
        if self._before is None:
            raise ValueError("verify: no step has been made")
        out, time = ffi.new("sti_push_verification*"), self._before[0]
        before, after = (ffi.new("double[]", q.ravel().tolist()) for q in (self._before[1], self.q))
        with self._lock:
            self._env.check(lib.sti_verify_push(self._env.c, self._scene, time, self._length(), before, after, self._report, tol, out))
        return record(out)

    def _went(self, report: Record) -> bool:
        return bool(report.end == "moved")

    @property
    def jam(self) -> Optional[Record]:
        """Of a last step that did not move: forces that balance themselves, which is why; None: none was found."""
        jam = self._report.jam if self._before is not None else ffi.NULL
        return kept("sti_push_jam", jam, {}) if jam != ffi.NULL else None

    @property
    def time(self) -> float:
        return float(lib.sti_push_time(self._c))

    @property
    def q(self) -> np.ndarray:
        """Poses of the parts, (parts, 3): x, y, theta."""
        return view(lib.sti_push_q(self._c), "f8", (len(self.parts), 3), self._handle).copy()

    @property
    def v(self) -> np.ndarray:
        return view(lib.sti_push_v(self._c), "f8", (len(self.parts), 3), self._handle).copy()

    @property
    def state(self) -> dict:
        return {"t": self.time, "q": self.q, "v": self.v}

    @property
    def contacts(self) -> list:
        """Of the last step."""
        last, found, room = self._last, [], ffi.new("char[120]")
        for contact, force in zip(last.contacts, last.forces) if last is not None and last.contact_count else ():
            lib.sti_manipulation_contact_text(self._scene, contact._c, room, 120)
            found.append(PushContact(self.parts[contact.part], text(room), force.mode, contact.gap, contact.n, contact.point,
                                     force.lambda_n, force.lambda_t, force.slip))
        return found

    def aim(self, probe: Union[int, str], at: Sequence[float], angle: float, speed: float) -> None:
        """From now on the probe's tips, with their middle at `at` at time 0, move along `angle` without end."""
        number = self.probes.index(probe) if isinstance(probe, str) else probe
        with self._lock:
            self.document._env.check(lib.sti_manipulation_aim(self._scene, number, at[0], at[1], angle, speed))

    def _length(self) -> float:
        return float(self._given if self._given > 0 else lib.sti_manipulation_step(self._scene))

    def _frame_bytes(self) -> float:
        return 8.0 * (6 * len(self.parts) + 40)

    def _row(self, report: Optional[Record]) -> dict:
        row = {"steps/time": self.time, "steps/q": self.q.ravel(), "steps/v": self.v.ravel()}
        for name in ("residual", "penetration", "dissipation"):
            row[f"steps/{name}"] = float(getattr(report, name)) if report is not None else 0.0
        count = report.contact_count if report is not None else 0
        row["steps/contacts"] = np.int32(count)
        contacts, forces = (report.contacts, report.forces) if report is not None and count else ([], [])
        row["contacts/step"] = np.full(count, report.step if report is not None else 0, dtype=np.int64)
        for name in ("part", "against", "other"):
            row[f"contacts/{name}"] = np.array([getattr(k._c, name) for k in contacts], dtype=np.int32)
        row["contacts/mode"] = np.array([int(f._c.mode) for f in forces], dtype=np.int32)
        row["contacts/point"] = np.array([k.point for k in contacts], dtype=np.float64).reshape(count, 2)
        row["contacts/normal"] = np.array([k.n for k in contacts], dtype=np.float64).reshape(count, 2)
        row["contacts/gap"] = np.array([k.gap for k in contacts], dtype=np.float64)
        for name in ("lambda_n", "lambda_t", "slip"):
            row[f"contacts/{name}"] = np.array([getattr(f, name) for f in forces], dtype=np.float64)
        return row

    def _record(self, path: str) -> Recording:
        many = [f"contacts/{name}" for name in ("step", "part", "against", "other", "mode", "point", "normal", "gap", "lambda_n", "lambda_t",
                                                "slip")]
        put_scene(self._env, path, self.document)
        return Rows(self._env, path, {"manipulation": (self.document._source or b"").decode()}, self._row, many)

    def _frozen(self, time: float) -> Any:
        """A system that holds the contacts parts can come to until then."""
        speed, at, v = 0.0, ffi.new("double[2]"), ffi.new("double[2]")
        for tip in range(lib.sti_manipulation_tip_count(self._scene)):
            lib.sti_manipulation_tip(self._scene, tip, 0, at, v)
            speed = max(speed, float(np.hypot(*v)))
        q, out = ffi.new("double[]", 3 * len(self.parts)), ffi.new("sti_system**")
        lib.sti_manipulation_start(self._scene, q)
        self._env.check(lib.sti_manipulation_freeze(self._scene, q, 1.5 * speed * time, time, out), self.document.name)
        return self.document._env.own(out[0], lib.sti_system_destroy, self.document._handle)  # it is of the scene's environment

    # ---- doubts and plans

    def box(self, steps: Optional[int] = None, doubts: Optional[Sequence[str]] = None, **options: Any) -> "Box":
        """The largest box of doubts (x, y, theta, mu, place-x, place-y, turn, speed; None: all) about the scene's start
        in which the push keeps its contact modes over so many steps: a theorem, by affine arithmetic."""
        return Box(self, steps, doubts, options)

    def plan(self, goal: Sequence[float], tolerance: Optional[Sequence[float]] = None, part: Union[int, str] = 0,
             noise: Optional[dict] = None, watch: Optional[Callable[[int, float], bool]] = None, **options: Any) -> "Plan":
        """Pushes that bring a part to its goal (x, y, theta) from the scene's start, whatever the noise does: `pose`
        (3), `mu`, `tip`.

        watch(tries, nearest) is called now and then; False ends the search. Options are those of `sti_plan_options`."""
        return Plan(self, goal, tolerance, part, noise or {}, watch, options)

    # ---- copies, bit for bit

    def save(self) -> bytes:
        return int(lib.sti_push_steps(self._c)).to_bytes(8, "little") + self.q.tobytes() + self.v.tobytes()

    def restore(self, state: bytes) -> None:
        """Back to a saved state; further steps have the same bits as then. Where probes were aimed is no part of it."""
        numbers = np.frombuffer(state[8:], dtype=np.float64)
        if len(numbers) != 6 * len(self.parts):
            raise InputError(f"state: {len(state)} bytes: {8 + 48 * len(self.parts)} are expected")
        q, v = (ffi.new("double[]", half.tolist()) for half in np.split(numbers, 2))
        with self._lock:
            lib.sti_push_set(self._c, int.from_bytes(state[:8], "little"), q, v)
        self._before = self._last = None

    def copy(self) -> "Push":
        other = Push(self.document, self._given)
        other.restore(self.save())
        return other

    def __reduce__(self) -> tuple:
        document = self.document
        return _restored, (document._source, document.name, document.settings, self._given, self.save())

    def __repr__(self) -> str:
        return f"<push of {', '.join(self.parts)}, t = {self.time:.6g}>"


def _restored(source: bytes, name: str, settings: str, h: float, state: bytes) -> Push:
    from .documents import restored
    push = Push(restored(source, name, settings), h)
    push.restore(state)
    return push


class Box(Record):
    """A box of doubts: `found`, `doubts` as (kind, of, low, high), `proof`; verify() proves it anew."""

    def __init__(self, push: Push, steps: Optional[int], doubts: Optional[Sequence[str]], options: dict) -> None:
        scene, where = push._scene, push._env
        chosen = ffi.new("sti_box_options*", lib.sti_box_options_default(scene))
        if doubts is not None:
            wanted = {enum_value("sti_doubt_kind", kind, "doubts") for kind in doubts}
            for kind in range(lib.STI_DOUBT_COUNT):
                chosen.weight[kind] = chosen.weight[kind] if kind in wanted else 0
        fill(chosen, options, [])
        out = ffi.new("sti_robust_box**")
        count = steps if steps is not None else lib.sti_manipulation_steps(scene)
        with push._lock:
            where.check(lib.sti_robust_box_create(where.c, scene, ffi.NULL, push._given, count, chosen, out), push.document.name)
        owner = where.own_with_env(out[0], lib.sti_robust_box_destroy)
        super().__init__(owner.c, owner, None, {"parts": len(push.parts)})
        object.__setattr__(self, "push", push)
        object.__setattr__(self, "pieces", int(chosen.max_pieces))

    @property
    def doubts(self) -> list:
        return [(doubt.kind, doubt.of, doubt.low, doubt.high) for doubt in self.box.doubts or []]

    def verify(self) -> Record:
        """The claim, proved once more: `accepted`, `margin`, `text`."""
        push, out = self.push, ffi.new("sti_box_verification*")
        with push._lock:
            push._env.check(lib.sti_verify_push_box(push._env.c, push._scene, ffi.addressof(self._c, "box"), self.pieces, ffi.NULL, out))
        return record(out)


class Plan(Record):
    """Pushes to a goal: `reached`, `pushes`, `poses` before the first and after each; replay() tries them with
    noise."""

    def __init__(self, push: Push, goal: Sequence[float], tolerance: Optional[Sequence[float]], part: Union[int, str], noise: dict,
                 watch: Optional[Callable[[int, float], bool]], options: dict) -> None:
        scene, where = push._scene, push._env
        c, chosen, caller = ffi.new("sti_plan_goal*"), ffi.new("sti_plan_options*", lib.sti_plan_options_default(scene)), Caller(watch)
        c.part = push.parts.index(part) if isinstance(part, str) else part
        for name, values in (("goal", goal), ("tolerance", tolerance)):
            if values is not None and len(values) != 3:
                raise InputError(f"{name}: {len(values)} numbers: x, y and the angle are expected")
        size = lib.sti_box_options_default(scene).weight[lib.STI_DOUBT_X]
        c.pose, c.tolerance = list(map(float, goal)), list(tolerance if tolerance is not None else (0.03 * size, 0.03 * size, 0.05))
        fill(chosen, options, [])
        for name, value in noise.items():
            if name not in ("pose", "mu", "tip"):
                raise TypeError(f"noise: no {name!r}; there are pose, mu, tip")
            setattr(chosen.noise, name, list(value) if name == "pose" else value)
        if watch is not None:
            chosen.watch, chosen.user = lib.stiction_python_watch, caller.handle
        out = ffi.new("sti_plan**")
        with push._lock:
            caller.check(where, lib.sti_plan_create(where.c, scene, 1, c, chosen, out), push.document.name)
        owner = where.own_with_env(out[0], lib.sti_plan_destroy)
        super().__init__(owner.c, owner)
        object.__setattr__(self, "scene", push)

    def _poses(self, pointer: Any) -> Optional[np.ndarray]:
        return view(pointer, "f8", (self.push_count + 1, self.part_count, 3), self._owner) if pointer != ffi.NULL else None

    @property
    def poses(self) -> Any:
        """Predicted, before the first push and after each: (pushes + 1, parts, 3)."""
        return self._poses(self._c.poses)

    def _sets(self) -> np.ndarray:
        return view(ffi.cast("double*", self._c.sets), "f8", (self.push_count + 1, self.part_count, 7), self._owner)

    @property
    def angle(self) -> np.ndarray:
        """Of the axes in which the sets are boxes: along it, across it, and the angle of the part. (pushes + 1,
        parts)"""
        return self._sets()[..., 0]

    @property
    def low(self) -> np.ndarray:
        """With `high` the sets that the poses are in, whatever the noise, in axes at `angle`. (pushes + 1, parts, 3)"""
        return self._sets()[..., 1:4]

    @property
    def high(self) -> np.ndarray:
        return self._sets()[..., 4:]

    def replay(self, runs: int = 1, seed: int = 1, noise: Optional[dict] = None) -> Record:
        """All pushes one after the other, with deviations drawn within the noise (None: the plan's): `successes`,
        `jams`, `worst`."""
        push, out, given = self.scene, ffi.new("sti_replay*"), ffi.NULL
        if noise is not None:
            given = ffi.new("sti_plan_noise*", {"pose": list(noise.get("pose", (0, 0, 0))), "mu": noise.get("mu", 0), "tip": noise.get("tip", 0)})
        with push._lock:
            push._env.check(lib.sti_plan_replay(push._env.c, push._scene, self._c, given, seed, runs, ffi.NULL, ffi.NULL, out))
        return record(out)

    def verify(self) -> Record:
        """Every claim checked again by who did not make it: `accepted`, `text`, `push` of the claim that fails."""
        push, out = self.scene, ffi.new("sti_plan_verification*")
        with push._lock:
            push._env.check(lib.sti_verify_plan(push._env.c, push._scene, self._c, out))
        return record(out)
