"""Rigid bodies in motion: read joints and contacts, set motors and forces, step."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from ._env import Env, InputError
from ._moving import Moving, Recording, Turn, bytes_of, checked, png, put_scene
from ._record import fill, kept, reals, record, row_type, text
from ._stiction import ffi, lib

if TYPE_CHECKING:
    from . import _structs as S
    from .documents import Document

_ROW = row_type("sti_world_contact")
# The mode of a contact as its number stands in an array.
MODES = tuple(text(lib.sti_contact_mode_text(k)) for k in range(3))


PUSHED = 1e6  # speed that no joint reaches in a step


class Joint:
    """A joint of a world: `coordinate` and `speed` of its axis; drive() sets its motor, push() a force or torque;
    state() has them all.

    >>> import stiction
    >>> world = stiction.World("arm-grasp")
    >>> yaw = world.joints["yaw"]
    >>> yaw.drive(speed=0.5, force=1000)
    >>> report = world.step()
    >>> round(yaw.speed, 3)
    0.5
    """

    __slots__ = ("world", "index", "name", "_state")

    def __init__(self, world: "World", index: int, name: str) -> None:
        self.world, self.index, self.name = world, index, name
        self._state = ffi.new("sti_world_joint*")

    def state(self) -> "S.WorldJoint":
        """All of it: a copy, as it is now."""
        out = ffi.new("sti_world_joint*")
        lib.sti_world_joint_state(self.world._c, self.index, out)
        return record(out)

    @property
    def coordinate(self) -> float:
        lib.sti_world_joint_state(self.world._c, self.index, self._state)
        return float(self._state.coordinate[0])

    @property
    def speed(self) -> float:
        lib.sti_world_joint_state(self.world._c, self.index, self._state)
        return float(self._state.speed[0])

    def push(self, force: float, axis: int = 0) -> None:
        """From now on a force along the axis, or a torque about it, and no motor: the force of a motor that its speed
        is out of reach of."""
        self.drive(speed=np.copysign(PUSHED, force), force=abs(force), axis=axis)

    def drive(self, speed: float = 0.0, force: float = 0.0, rest: Optional[float] = None, axis: int = 0) -> None:
        """From now on the motor wants `speed` with at most `force`; a spring rests at `rest` (None: where it does)."""
        if axis not in (0, 1):
            raise IndexError(f"joint {self.name!r} has no axis {axis}")
        definition = lib.sti_bodies_joint(self.world._bodies, self.index).axis[axis]
        key = (self.index, axis)
        if rest is None:
            rest = self.world._rest.get(key, definition.rest)
        self.world._env.check(lib.sti_world_drive(self.world._c, self.index, axis, speed, force, rest))
        self.world._rest[key] = rest

    def __repr__(self) -> str:
        return f"<joint {self.name}: {self.coordinate:.6g}>"


class Body:
    """A body of a world: `position`, `rotation` (quaternion w, x, y, z), `velocity`, `spin`; push() lets a force act on
    it.

    >>> import stiction
    >>> world = stiction.World("tumbling-tee")
    >>> body = next(iter(world.bodies.values()))
    >>> body.move(velocity=(1, 0, 0))
    >>> body.velocity.tolist(), body.rotation.shape
    ([1.0, 0.0, 0.0], (4,))
    """

    __slots__ = ("world", "index", "name", "_pose", "_v", "_w")

    def __init__(self, world: "World", index: int, name: str) -> None:
        self.world, self.index, self.name = world, index, name
        self._pose, self._v, self._w = ffi.new("sti_pose*"), ffi.new("double[3]"), ffi.new("double[3]")

    @property
    def position(self) -> np.ndarray:
        lib.sti_world_pose(self.world._c, self.index, self._pose)
        return np.array(list(self._pose.x))

    @property
    def rotation(self) -> np.ndarray:
        lib.sti_world_pose(self.world._c, self.index, self._pose)
        return np.array(list(self._pose.q))

    @property
    def velocity(self) -> np.ndarray:
        lib.sti_world_velocity(self.world._c, self.index, self._v, self._w)
        return np.array(list(self._v))

    @property
    def spin(self) -> np.ndarray:
        lib.sti_world_velocity(self.world._c, self.index, self._v, self._w)
        return np.array(list(self._w))

    def push(self, force: Sequence[float] = (0, 0, 0), torque: Sequence[float] = (0, 0, 0)) -> None:
        """A force at the centre of mass and a torque, in world axes, from now on."""
        self.world._env.check(lib.sti_world_push(self.world._c, self.index, list(map(float, force)), list(map(float, torque))))

    def move(self, position: Optional[Sequence[float]] = None, rotation: Optional[Sequence[float]] = None,
             velocity: Optional[Sequence[float]] = None, spin: Optional[Sequence[float]] = None) -> None:
        """Put elsewhere, or at another speed; what is None stays."""
        lib.sti_world_pose(self.world._c, self.index, self._pose)
        if position is not None:
            self._pose.x = list(map(float, position))
        if rotation is not None:
            self._pose.q = list(map(float, rotation))
        given = position is not None or rotation is not None
        self.world._env.check(lib.sti_world_set(
            self.world._c, self.index, self._pose if given else ffi.NULL,
            ffi.NULL if velocity is None else ffi.new("double[3]", list(map(float, velocity))),
            ffi.NULL if spin is None else ffi.new("double[3]", list(map(float, spin)))))

    def __repr__(self) -> str:
        return f"<body {self.name}>"


class _Named(Mapping):
    """Things by their names, in their order; also by their numbers."""

    def __init__(self, what: str, items: list) -> None:
        self._what, self._items = what, {item.name: item for item in items}

    def __getitem__(self, name: Union[str, int]) -> Any:
        if isinstance(name, (int, np.integer)):
            return list(self._items.values())[name]
        try:
            return self._items[name]
        except KeyError:
            raise KeyError(f"no {self._what} {name!r}; there are {', '.join(self._items) or 'none'}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"<{', '.join(self._items)}>"


class World(Moving):
    """Bodies in motion, from a scene (a document, a file, a dictionary, or the name of one that comes along) or a URDF
    file.

    Options are those of `sti_world_options` (h, tol, law, ..), all others parameters of the scene (mu=0.3), or of a
    robot's file what stiction.robot() takes (ground=True, floating=True, height="auto", ..).

    >>> import stiction
    >>> world = stiction.World("arm-grasp")
    >>> report = world.step()
    >>> report.solved, sorted(world.joints)[:3], world.time
    (True, ['elbow', 'left', 'pitch'], 0.01)
    """

    def __init__(self, scene: Union["Document", str, os.PathLike, dict], **options: Any) -> None:
        from .documents import started
        document, options = started(scene, "sti_world_options", options)
        inside = lib.sti_world_scene_of(document._c)
        if inside == ffi.NULL:
            raise TypeError(f"{document!r}: a scene of bodies is expected; stiction.load(..).start() makes what fits")
        document._lent = True
        self.document = document
        self._options = dict(options)
        self._keep: list = []
        chosen = ffi.new("sti_world_options*", inside.step)
        fill(chosen, options, self._keep)
        self._chosen = chosen
        self._env: Env = Env()
        self._bodies: Any = inside.bodies
        self._rest: dict = {}
        self._lock = Turn()
        out = ffi.new("sti_world**")
        self._env.check(lib.sti_world_create(self._env.c, self._bodies, chosen, out), document.name)
        self._handle = self._env.own(out[0], lib.sti_world_destroy, document._handle)  # the bodies belong to the document
        self._c: Any = self._handle.c
        self.end = float(inside.time)
        bodies = self._bodies
        self._count = ffi.new("int*")
        self.bodies = _Named("body", [Body(self, i, text(lib.sti_bodies_body(bodies, i).name)) for i in range(lib.sti_bodies_count(bodies))])
        self.joints = _Named("joint", [Joint(self, i, text(lib.sti_bodies_joint(bodies, i).name))
                              for i in range(lib.sti_bodies_joint_count(bodies))])

        self._names = list(self.bodies)

    def step(self) -> "S.WorldReport":
        """One step, without the GIL; what it did and how well, measured after it: `solved`, `residual`, `kinetic`,
        .."""
        report = ffi.new("sti_world_report*")
        with self._lock:
            self._env.check(lib.sti_world_step(self._c, report))
        return record(report)

    @property
    def time(self) -> float:
        return float(lib.sti_world_time(self._c))

    @property
    def steps(self) -> int:
        return int(lib.sti_world_steps(self._c))

    @property
    def energy(self) -> tuple:
        """(kinetic, potential)"""
        kinetic, potential = ffi.new("double*"), ffi.new("double*")
        lib.sti_world_energy(self._c, kinetic, potential)
        return kinetic[0], potential[0]

    @property
    def state(self) -> dict:
        """Of all bodies: x (n, 3), q (n, 4), v and w (n, 3)."""
        x, q, v, w = (np.empty((len(self.bodies), k)) for k in (3, 4, 3, 3))
        for i, body in enumerate(self.bodies.values()):
            x[i], q[i], v[i], w[i] = body.position, body.rotation, body.velocity, body.spin
        return {"x": x, "q": q, "v": v, "w": w}

    def set(self, x: Any = None, q: Any = None, v: Any = None, w: Any = None) -> None:
        """Other places, rotations, velocities, spins of all bodies, as `state` has them; what is None, and what is
        fixed, stays."""
        given = {}
        for name, values, size in (("position", x, 3), ("rotation", q, 4), ("velocity", v, 3), ("spin", w, 3)):
            if values is not None:
                given[name] = reals(values, name)
                if given[name].shape != (len(self.bodies), size):
                    raise InputError(f"{name}: shape {given[name].shape}: ({len(self.bodies)}, {size}) is expected")
        for i, body in enumerate(self.bodies.values()):
            if not lib.sti_bodies_body(self._bodies, i).fixed:
                body.move(**{name: values[i] for name, values in given.items()})

    @property
    def contacts(self) -> "Contacts":
        """Of the last step: a copy that stays."""
        with self._lock:
            pointer = lib.sti_world_contacts(self._c, self._count)
            rows = np.frombuffer(bytes(ffi.buffer(pointer, self._count[0] * _ROW.itemsize)), dtype=_ROW)
        return Contacts(rows, self._names)

    @property
    def attempts(self) -> "list[S.WorldAttempt]":
        """Which solver ran on which island of the last step, how it ended, and why it was taken."""
        with self._lock:
            pointer = lib.sti_world_attempts(self._c, self._count)
            return [kept("sti_world_attempt", pointer + i, {}) for i in range(self._count[0])]

    def problem(self) -> "S.ContactVerification":
        """The answer of the contact problem that the last step posed, as the library checks it: `accepted`, `residual`,
        `text`."""
        if self.steps == 0:
            raise RuntimeError(f"{self!r}: no step was made that posed a problem")
        answer, out = ffi.new("const sti_contact_answer**"), ffi.new("sti_contact_verification*")
        problem = lib.sti_world_problem(self._c, answer)
        self._env.check(lib.sti_verify_contact(self._env.c, problem, answer[0], 1e-6, out))
        return record(out)

    def instant(self, gap_tol: float = 1e-7) -> Any:
        """Masses, forces, contacts here and now, for analyze; after a step with the nearest velocities that hold joints
        and closed contacts, which a step does up to its tolerance: `settled` says by how much they differ (None before
        the first step)."""
        from .analyze import Instant
        out, told = ffi.new("sti_instant**"), ffi.new("sti_instant_settled*")
        with self._lock:
            if self.steps > 0:
                self._env.check(lib.sti_world_instant_settled(self._env.c, self._c, gap_tol, told, out))
            else:
                self._env.check(lib.sti_world_instant(self._env.c, self._c, gap_tol, out))
        handle = self._env.own_with_env(out[0], lib.sti_instant_destroy)
        return Instant._of(handle, record(told) if self.steps > 0 else None)

    def picture(self, path: Union[None, str, os.PathLike] = None, width: int = 800) -> bytes:
        """What it looks like now, as PNG; also written to `path`."""
        where, image = self._env, self._env.new("sti_image", lib.sti_image_clear)
        poses = ffi.new("sti_pose[]", max(len(self.bodies), 1))
        for i in range(len(self.bodies)):
            lib.sti_world_pose(self._c, i, poses + i)
        view = ffi.new("sti_world_view*", lib.sti_world_view_default())
        view.width = width
        where.check(lib.sti_draw_world(where.c, self._bodies, poses, ffi.NULL, view, image.c))
        if path is not None:
            where.check(lib.sti_image_save(where.c, image.c, os.fspath(path).encode()))
        return png(where, image)

    def _repr_png_(self) -> bytes:
        return self.picture()

    def _length(self) -> float:
        return float(self._chosen.h)

    def _frame_bytes(self) -> float:
        return 8.0 * (13 * len(self.bodies) + 14 * len(self.joints)) + 300.0 * max(len(self.contacts), len(self.bodies))

    def _record(self, path: str) -> Recording:
        where, world, out = self._env, self._c, ffi.new("sti_world_record**")
        where.check(lib.sti_world_record_create(where.c, path.encode(), self._bodies, self.document.text().encode(), ffi.NULL, 0, out))
        record = out[0]
        recording = Recording(where, record, lib.sti_world_record_destroy, lambda report: lib.sti_world_record_step(record, report),
                              lambda: lib.sti_world_record_frame(record, world), lib.sti_world_record_commit, self._handle)
        where.check(lib.sti_world_record_frame(record, world))
        if self.document.settings:
            put_scene(where, path, self.document)
        return recording

    def _verify_recording(self, path: str, tol: float) -> "S.RunVerification":
        where, found = self._env, self._env.new("sti_recorded_world", lib.sti_recorded_world_clear)
        options = ffi.new("sti_run_verify_options*", lib.sti_run_verify_options_default())
        options.tol, options.bodies, options.alpha = tol, self._bodies, self._chosen.alpha
        where.check(lib.sti_recorded_world_load(where.c, path.encode(), found.c), path)
        out = ffi.new("sti_run_verification*")
        where.check(lib.sti_verify_recorded_world(where.c, found.c, options, out))
        return checked(out, lib.sti_run_check_name, lib.STI_RUN_CHECK_COUNT)  # type: ignore[no-any-return]

    # ---- copies, bit for bit

    def save(self) -> bytes:
        with self._lock:
            return bytes_of(self._env, lambda out, size: lib.sti_world_save_state(self._c, out, size))

    def restore(self, state: bytes) -> None:
        """Back to a saved state; further steps have the same bits as then."""
        with self._lock:
            self._env.check(lib.sti_world_load_state(self._c, state, len(state)))

    def copy(self) -> "World":
        other = World(self.document, **self._options)
        other.restore(self.save())
        other._rest = dict(self._rest)
        return other

    def __reduce__(self) -> tuple:
        document = self.document
        return _restored, (document.text(), document.name, document.settings, self._options, self.save(), self._rest)

    def __repr__(self) -> str:
        return f"<world: {len(self.bodies)} bodies, {len(self.joints)} joints, t = {self.time:.6g}>"


class Contact:
    """One contact: `bodies` by name, `mode` in a word, and the numbers of `sti_world_contact`: `gap`, `n`, `r`, `u`,
    .."""

    __slots__ = ("_row", "_names")

    def __init__(self, row: Any, names: list) -> None:
        self._row, self._names = row, names

    def __getattr__(self, name: str) -> Any:
        try:
            return self._row[name]
        except ValueError:
            raise AttributeError(f"a contact has no {name}; there are bodies, mode, {', '.join(_ROW.names or ())}") from None

    def __dir__(self) -> list:
        return sorted({*super().__dir__(), *(_ROW.names or ())})

    @property
    def bodies(self) -> tuple:
        return self._names[self._row["a"]], self._names[self._row["b"]]

    @property
    def mode(self) -> str:
        return MODES[self._row["mode"]]

    def __repr__(self) -> str:
        return f"<contact {' and '.join(self.bodies)}: {self.mode}, gap {self.gap:.3g}>"


class Contacts(Sequence):
    """Contacts of a step, one by one or column by column: contacts[0].r is an impulse, contacts.r all of them (count,
    3)."""

    def __init__(self, rows: np.ndarray, names: list) -> None:
        self._rows, self._names = rows, names

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, i: Any) -> Any:
        return Contacts(self._rows[i], self._names) if isinstance(i, slice) else Contact(self._rows[i], self._names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._rows[name]
        except ValueError:
            raise AttributeError(f"contacts have no {name}; there are bodies, mode, {', '.join(_ROW.names or ())}") from None

    @property
    def mode(self) -> list:
        return [MODES[k] for k in self._rows["mode"]]

    @property
    def bodies(self) -> list:
        return [contact.bodies for contact in self]

    def __repr__(self) -> str:
        return f"<{len(self)} contacts: {', '.join(repr(contact) for contact in self[:6])}{', ..' if len(self) > 6 else ''}>"


def _restored(scene: str, name: str, settings: str, options: dict, state: bytes, rest: dict) -> World:
    from .documents import restored
    world = World(restored(scene.encode(), name, settings), **options)
    world.restore(state)
    world._rest = rest
    return world
