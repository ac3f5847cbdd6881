"""Systems by formulas, or by a function of Python, in motion."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._callback import Caller
from ._env import Env, InputError
from ._moving import Moving, Recording, Rows, Turn, bytes_of, checked, put_scene
from ._record import Record, fill, kept, text, view
from ._stiction import ffi, lib
from .worlds import MODES

if TYPE_CHECKING:
    from . import _structs as S
    from .documents import Document

Force = Callable[[float, np.ndarray, np.ndarray], Any]


# Options that the check of a recording asks for.
_TOLD = ("scheme", "substep", "friction", "facets", "balance", "settle")


class SystemContact(NamedTuple):
    """A contact or joint in the last step."""

    name: str
    mode: str
    gap: float
    impulse_n: float
    impulse_t: np.ndarray
    slip: np.ndarray


class _Values:
    """Where a C function of a system writes, as arrays: M, F, k, k_q, k_v, n, t, t_rate, t_offset, and of each contact
    gap, mu, .."""

    ARRAYS = {"M": "n n", "F": "n", "n": "p n", "t": "s n", "t_rate": "s", "t_offset": "s", "k": "n", "k_q": "n n", "k_v": "n n"}
    OF_CONTACT = ("gap", "mu", "mu_kinetic", "restitution", "restitution_t", "n_rate", "n_offset")
    NUMBERS = ("kinetic", "potential")

    def __init__(self, n: int, tangents: Sequence[int]) -> None:
        self.sizes = {"n": n, "p": len(tangents), "s": int(sum(tangents))}

    def write(self, out: Any, values: Mapping) -> None:
        for name, value in values.items():
            if name in self.ARRAYS:
                shape = tuple(self.sizes[letter] for letter in self.ARRAYS[name].split())
                array = np.ascontiguousarray(value, dtype=np.float64)
                if array.shape != shape:
                    raise InputError(f"{name}: shape {array.shape}: {shape} is expected")
                ffi.memmove(getattr(out, name), ffi.cast("double*", array.ctypes.data), array.nbytes)
            elif name in self.OF_CONTACT:
                array = np.broadcast_to(np.asarray(value, dtype=np.float64), (self.sizes["p"],))
                for i, number in enumerate(array.tolist()):
                    setattr(out.contacts[i], name, number)
            elif name in self.NUMBERS:
                setattr(out, name, value)
            else:
                expected = (*self.ARRAYS, *self.OF_CONTACT, *self.NUMBERS)
                raise KeyError(f"{name}: one of {', '.join(expected)} is expected")


class Defined:
    """A system by a function of Python: evaluate(t, q, v) gives a dictionary of

    - `M` (n, n) and either `k`, the applied forces (n), or `F` with M a + F = contact forces;
    - of each contact, then of each joint: `gap`, its gradient `n` (p, n), rows `t` of its tangents (all, n), `n_rate`,
    `t_rate`
      (d/dt of n and t, times v), `mu`, `restitution`, ..; what is not there is 0;
    - `kinetic` and `potential` where energies are wanted; `k_q`, `k_v` (n, n), derivatives of k, for stiff forces.

    >>> import numpy as np, stiction
    >>> def ball(t, q, v):
    ...     return {"M": np.eye(1), "k": [-9.81], "gap": q, "n": [[1.0]], "restitution": 0.5,
    ...             "kinetic": 0.5 * v @ v, "potential": 9.81 * q[0]}
    >>> system = stiction.System(stiction.Defined(["height"], ball, contacts={"floor": 0}, q=[1.0]), step=0.005)
    >>> sum(system.run(0.8).collisions) == 1 and abs(system.energy[0] + system.energy[1] - 9.81 / 4) < 1e-6
    True
    """

    def __init__(self, coordinates: Sequence[str], evaluate: Callable[[float, np.ndarray, np.ndarray], Mapping],
                 contacts: Optional[Mapping[str, int]] = None, joints: Optional[Mapping[str, int]] = None,
                 q: Optional[Sequence[float]] = None, v: Optional[Sequence[float]] = None, time: float = 0.0) -> None:
        """`contacts`, `joints`: the number of tangents (0, 1, 2) of each by its name."""
        self.coordinates, self.evaluate, self.name = list(coordinates), evaluate, "system"
        self.contacts, self.joints = dict(contacts or {}), dict(joints or {})
        zero = [0.0] * len(self.coordinates)
        self.q, self.v, self.time = list(zero if q is None else q), list(zero if v is None else v), time
        if not len(self.q) == len(self.v) == len(zero):
            raise InputError(f"q, v: {len(self.q)} and {len(self.v)} numbers: {len(zero)} are expected")


def _define(where: Env, definition: Defined, caller: Caller) -> Any:
    """The C struct of a definition and what it made."""
    tangents = [*definition.contacts.values(), *definition.joints.values()]
    values, n = _Values(len(definition.coordinates), tangents), len(definition.coordinates)

    def evaluate(t: float, q: Any, v: Any, out: Any) -> None:
        given = dict(definition.evaluate(t, np.array(ffi.unpack(q, n)), np.array(ffi.unpack(v, n))))
        if "k" in given and "F" not in given:
            given["F"] = -np.asarray(given["k"], dtype=np.float64)
        if "mu" in given:
            given.setdefault("mu_kinetic", given["mu"])
        for name in values.NUMBERS:
            given.setdefault(name, np.nan)
        values.write(out, given)
    return _create(where, definition.coordinates, list(definition.contacts), list(definition.joints), tangents, definition.time,
                   definition.q, definition.v, evaluate, caller)


def _create(where: Env, coordinates: list, contacts: list, joints: list, tangents: list, time: float, q: Any, v: Any,
            evaluate: Callable, caller: Caller) -> Any:
    keep: list = []

    def names(words: list) -> Any:
        texts = [ffi.new("char[]", word.encode()) for word in words]
        keep.extend(texts)
        keep.append(ffi.new("const char*[]", texts + [ffi.NULL]))
        return keep[-1]
    c = ffi.new("sti_system_def*")
    c.coordinate_count, c.coordinates = len(coordinates), names(coordinates)
    c.contact_count, c.joint_count, c.contact_names = len(contacts), len(joints), names(contacts + joints)
    keep += [ffi.new("int[]", list(tangents) + [0]), ffi.new("double[]", list(q) + [0.0]), ffi.new("double[]", list(v) + [0.0])]
    c.tangent_count, c.q, c.v = keep[-3:]
    c.time, c.evaluate, c.user = time, lib.stiction_python_evaluate, caller.handle
    caller.function = evaluate
    out = ffi.new("sti_system**")
    caller.check(where, lib.sti_system_create_def(where.c, c, out))
    return out[0]


def _pushed(where: Env, base: Any, force: Force, caller: Caller) -> Any:
    """A system of formulas with a force of the caller on top."""
    n, p = lib.sti_system_coordinate_count(base), lib.sti_system_contact_count(base)
    t, q, v = ffi.new("double*"), ffi.new("double[]", n), ffi.new("double[]", n)
    where.check(lib.sti_system_state(base, t, q, v))
    made = ffi.new("sti_instant**")
    where.check(lib.sti_system_instant(where.c, base, t[0], q, v, made))
    at = where.own_with_env(made[0], lib.sti_instant_destroy)
    tangents = [at.c.contacts[i].tangent_count for i in range(p)]
    kinetic, potential, double = ffi.new("double*"), ffi.new("double*"), ffi.sizeof("double")

    def evaluate(time: float, q: Any, v: Any, out: Any) -> None:
        caller.check(where, lib.sti_system_instant_update(base, time, q, v, at.c))
        where.check(lib.sti_system_force(base, time, q, v, out.k, out.k_q, out.k_v))
        where.check(lib.sti_system_energy(base, time, q, v, kinetic, potential))
        ffi.memmove(out.M, at.c.M, n * n * double)
        first = 0
        for i in range(p):
            contact, row = at.c.contacts[i], out.contacts[i]
            for name in _Values.OF_CONTACT:
                setattr(row, name, getattr(contact, name))
            ffi.memmove(out.n + i * n, contact.n, n * double)
            if tangents[i] > 0:
                ffi.memmove(out.t + first * n, contact.t, tangents[i] * n * double)
                ffi.memmove(out.t_rate + first, contact.t_rate, tangents[i] * double)
                if contact.t_offset != ffi.NULL:
                    ffi.memmove(out.t_offset + first, contact.t_offset, tangents[i] * double)
            first += tangents[i]
        out.kinetic, out.potential = kinetic[0], potential[0]
        push = np.asarray(force(time, np.array(ffi.unpack(q, n)), np.array(ffi.unpack(v, n))), dtype=np.float64)
        if push.shape != (n,):
            raise InputError(f"force: shape {push.shape}: {n} numbers are expected")
        for i, number in enumerate(push.tolist()):
            out.k[i] += number
            out.F[i] = at.c.F[i] - number
    joints = lib.sti_system_joint_count(base)
    names = [text(lib.sti_system_contact(base, i)) for i in range(p)]
    coordinates = [text(lib.sti_system_coordinate(base, i)) for i in range(n)]
    c = _create(where, coordinates, names[:p - joints], names[p - joints:], tangents, t[0], ffi.unpack(q, n), ffi.unpack(v, n), evaluate, caller)
    caller.keep.append(at)
    return c


class System(Moving):
    """A system in motion, from a document of that kind, a file, a dictionary, the name of one that comes along, or a
    Defined.

    `force`: a function of (t, q, v) that gives generalized forces on top of its own. Options are those of
    `sti_stepper_options` (`scheme`, `step`, `alpha`, ..; h is the step), all others parameters of the document
    (mu=0.5).

    >>> import stiction
    >>> system = stiction.System("bouncing-ball", step=0.005)
    >>> report = system.step()
    >>> report.outcome, system.coordinates, system.time
    ('solved', ['y'], 0.005)
    """

    def __init__(self, system: Union["Document", Defined, str, os.PathLike, dict], force: Optional[Force] = None,
                 **options: Any) -> None:
        from .documents import started
        self._env, self._lock, self._keep = Env(), Turn(), []  # type: Env, Turn, list
        if "h" in options:  # as everywhere else
            options["step"] = options.pop("h")
        given: Any = system
        if not isinstance(system, Defined):
            given, options = started(system, "sti_stepper_options", options)
        self._options, self._force, self._caller = dict(options), force, Caller()
        self._given = system
        if isinstance(system, Defined):
            self.document: Any = system
            self._system = self._env.own(_define(self._env, system, self._caller), lib.sti_system_destroy, self._caller)
        else:
            self.document = given
            if lib.sti_system_of(self.document._c) == ffi.NULL:
                raise TypeError(f"{self.document!r}: a system is expected; stiction.load(..).start() makes what fits")
            self.document = self.document.again()  # a system is used by one thread at a time
            self._system = self.document._handle
        base = self._system.c if isinstance(system, Defined) else lib.sti_system_of(self.document._c)
        if force is not None:
            base = self._env.own(_pushed(self._env, base, force, self._caller), lib.sti_system_destroy, self._system, self._caller)
            self._system, base = base, base.c
        self._s: Any = base
        scheme = options.get("scheme", "alpha")
        known = ffi.new("sti_scheme*")
        if not lib.sti_scheme_parse(str(scheme).encode(), known):
            raise InputError(f"scheme: {scheme!r}: one of alpha, convex, quasistatic is expected")
        self._chosen = ffi.new("sti_stepper_options*", lib.sti_stepper_options_default(known[0]))
        fill(self._chosen, options, self._keep)
        self._caller.check(self._env, lib.sti_stepper_create(self._env.c, self._s, self._chosen, self._new()), self.document.name)
        self._handle = self._env.own(self._out[0], lib.sti_stepper_destroy, self._system)
        self._c = self._handle.c
        self.end = self.time + 10.0
        count = lib.sti_system_contact_count(self._s)
        self.coordinates: list = [text(lib.sti_system_coordinate(self._s, i)) for i in range(lib.sti_system_coordinate_count(self._s))]
        self.contact_names = [text(lib.sti_system_contact(self._s, i)) for i in range(count)]
        self._sizes = {"n": len(self.coordinates), "contact_count": count}
        self._last: Any = None

    def _new(self) -> Any:
        self._out = ffi.new("sti_stepper**")
        return self._out

    def step(self) -> "S.StepReport":
        """One step, without the GIL; not solved: nothing changed, and `why` says more. Arrays have a row for each
        contact, then joint."""
        report = ffi.new("sti_step_report*")
        with self._lock:
            self._caller.check(self._env, lib.sti_stepper_step(self._c, report))
            self._last = kept("sti_step_report", report, self._sizes)
        return self._last

    def _went(self, report: Record) -> bool:
        return bool(report.outcome == "solved")

    @property
    def time(self) -> float:
        return float(lib.sti_stepper_time(self._c))

    @property
    def q(self) -> np.ndarray:
        return view(lib.sti_stepper_q(self._c), "f8", (len(self.coordinates),), self._handle).copy()

    @property
    def v(self) -> np.ndarray:
        return view(lib.sti_stepper_v(self._c), "f8", (len(self.coordinates),), self._handle).copy()

    @property
    def state(self) -> dict:
        """Copies of `q` and `v`, and the time `t`."""
        return {"t": self.time, "q": self.q, "v": self.v}

    def set(self, q: Any = None, v: Any = None, t: Optional[float] = None) -> None:
        """Elsewhere, or at another speed; what is None stays. Contacts are looked at anew."""
        arrays = [np.ascontiguousarray(own if given is None else given, dtype=np.float64) for own, given in ((self.q, q), (self.v, v))]
        for name, array in zip("qv", arrays):
            if array.shape != (len(self.coordinates),):
                raise InputError(f"{name}: shape {array.shape}: {len(self.coordinates)} numbers are expected")
        pointers = [ffi.cast("double*", array.ctypes.data) for array in arrays]
        with self._lock:
            self._caller.check(self._env, lib.sti_stepper_set(self._c, self.time if t is None else t, *pointers))

    @property
    def parameters(self) -> dict:
        """Parameters of its formulas."""
        count = lib.sti_system_parameter_count(self._s)
        return {text(lib.sti_system_parameter(self._s, k)): float(lib.sti_system_parameter_value(self._s, k)) for k in range(count)}

    @property
    def energy(self) -> tuple:
        """(kinetic, potential)"""
        kinetic, potential = ffi.new("double*"), ffi.new("double*")
        with self._lock:
            self._caller.check(self._env, lib.sti_system_energy(self._s, self.time, lib.sti_stepper_q(self._c), lib.sti_stepper_v(self._c),
                                                                kinetic, potential))
        return kinetic[0], potential[0]

    @property
    def contacts(self) -> list:
        """Contacts, then joints, in the last step; empty before the first."""
        last = self._last
        if last is None:
            return []
        return [SystemContact(name, MODES[last.mode[i]], float(last.gap[i]), float(last.impulse_n[i]), last.impulse_t[i], last.slip[i])
                for i, name in enumerate(self.contact_names)]

    def instant(self) -> Any:
        """Mass, forces and contacts here and now, for analyze."""
        from .analyze import Instant
        out = ffi.new("sti_instant**")
        with self._lock:
            self._caller.check(self._env, lib.sti_system_instant(self._env.c, self._s, self.time, lib.sti_stepper_q(self._c),
                                                                 lib.sti_stepper_v(self._c), out))
        handle = self._env.own_with_env(out[0], lib.sti_instant_destroy)
        if self._last is None:
            return Instant._of(handle)
        settled, told = ffi.new("sti_instant**"), ffi.new("sti_instant_settled*")
        options = ffi.new("sti_settle_options*", {"gap_tol": 1e-7, "rate_tol": 1e-6, "floor": 1e-10})
        self._env.check(lib.sti_instant_settle(self._env.c, handle.c, options, told, settled))
        return Instant._of(self._env.own_with_env(settled[0], lib.sti_instant_destroy), Record(told))

    # ---- runs

    def _length(self) -> float:
        return float(self._chosen.step)

    def _frame_bytes(self) -> float:
        return 8.0 * (3 * self._sizes["n"] + 7 * self._sizes["contact_count"] + 8)

    def _row(self, report: Optional[Record]) -> dict:
        n, p, state = self._sizes["n"], self._sizes["contact_count"], self._c
        kinetic, potential = self.energy
        row = {"steps/time": self.time, "steps/q": self.q, "steps/v": self.v,
               "steps/v_alpha": view(lib.sti_stepper_v_alpha(state), "f8", (n,), self._handle),
               "steps/kinetic": float(kinetic), "steps/potential": float(potential)}
        for name, field in (("residual", "residual"), ("work", "work"), ("friction", "loss")):
            row[f"steps/{name}"] = float(getattr(report, field)) if report is not None else 0.0
        for name in ("collisions", "pieces"):
            row[f"steps/{name}"] = np.int32(getattr(report, name) if report is not None else 0)
        gap = np.zeros(p)
        if p > 0 and report is None:
            self._caller.check(self._env, lib.sti_system_gap(self._s, self.time, lib.sti_stepper_q(state),
                                                             ffi.cast("double*", gap.ctypes.data)))
        if p > 0:
            row["contacts/gap"] = gap if report is None else report.gap
            row["contacts/mode"] = (np.zeros(p) if report is None else report.mode).astype(np.int32)
            for name, shape in (("impulse_n", (p,)), ("impulse_t", (p, 2)), ("slip", (p, 2))):
                row[f"contacts/{name}"] = np.zeros(shape) if report is None else getattr(report, name)
        return row

    def _record(self, path: str) -> Recording:
        source = getattr(self.document, "_source", None)
        texts = {"coordinates": "\n".join(self.coordinates), "system": source.decode() if source else ""}
        if self.contact_names:
            texts["contact_names"] = "\n".join(self.contact_names)
        if not isinstance(self._given, Defined):
            put_scene(self._env, path, self.document, **{name: int(getattr(self._chosen, name)) for name in _TOLD})
        return Rows(self._env, path, texts, self._row)

    def _verify_recording(self, path: str, tol: float) -> Any:
        if isinstance(self._given, Defined) or self._force is not None:
            raise TypeError(f"{self!r}: what a function of Python made of it, no independent check knows")
        where, chosen, out = self._env, self._chosen, ffi.new("sti_system_verification*")
        found, options = where.new("sti_recorded_system", lib.sti_recorded_system_clear), ffi.new("sti_system_verify_options*")
        options[0] = lib.sti_system_verify_options_default()
        options.tol, scene = tol, self.document.again()
        options.inertia, options.lifts = chosen.scheme != lib.STI_SCHEME_QUASISTATIC, chosen.scheme == lib.STI_SCHEME_CONVEX
        options.balances = chosen.scheme == lib.STI_SCHEME_ALPHA and chosen.balance
        options.settles, options.drops = chosen.settle, not chosen.substep
        options.facets = 0 if chosen.friction == lib.STI_FRICTION_CONE else chosen.facets
        where.check(lib.sti_recorded_system_load(where.c, path.encode(), found.c), path)
        where.check(lib.sti_verify_recorded_system(where.c, found.c, lib.sti_system_of(scene._c), options, out), path)
        return checked(out, lib.sti_system_check_name, lib.STI_SYSTEM_CHECK_COUNT)

    # ---- copies, bit for bit

    def save(self) -> bytes:
        with self._lock:
            return bytes_of(self._env, lambda out, size: lib.sti_stepper_save_state(self._c, out, size))

    def restore(self, state: bytes) -> None:
        """Back to a saved state; further steps have the same bits as then."""
        with self._lock:
            self._caller.check(self._env, lib.sti_stepper_load_state(self._c, state, len(state)))
        self._last = None

    def copy(self) -> "System":
        other = System(self._given if isinstance(self._given, Defined) else self.document, self._force, **self._options)
        other.restore(self.save())
        return other

    def __reduce__(self) -> tuple:
        if isinstance(self._given, Defined):
            return _restored, (self._given, "", "", self._force, self._options, self.save())
        document = self.document
        return _restored, (document._source, document.name, document.settings, self._force, self._options, self.save())

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in list(zip(self.coordinates, self.q))[:6])
        return f"<system: {values}, t = {self.time:.6g}>"


def _restored(source: Any, name: str, settings: str, force: Optional[Force], options: dict, state: bytes) -> System:
    from .documents import restored
    system = System(source if isinstance(source, Defined) else restored(source, name, settings), force, **options)
    system.restore(state)
    return system
