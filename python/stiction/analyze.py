"""What can happen at an instant, and why: modes, sticking, closure, velocities, impact, critical friction.

Each function takes an instant as a file, a dictionary ({"kind": "instant", ..}), a document (instant, grasp, system), or a World as it is now.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from ._env import env
from ._record import Record, enum_value, fill
from ._stiction import ffi, lib


class Instant(Record):
    """Mass matrix, forces, velocities and contacts of one instant: `M`, `F`, `v`, `contacts`."""

    def save(self, path: str) -> None:
        """To a .json file that the command reads too."""
        env().check(lib.sti_instant_save(env().c, self._c, str(path).encode()))


def instant(of: Any) -> Instant:
    """The instant of a file, a dictionary, a document, or of a world as it is now.

    >>> import stiction
    >>> at = stiction.analyze.instant({"kind": "instant", "M": [[1]], "F": [9.81], "v": [0], "contacts": [{"n": [1]}]})
    >>> at.n, at.M.tolist(), at.contacts[0].gap
    (1, [[1.0]], 0.0)
    """
    from .documents import document as read
    from .systems import System
    from .worlds import World
    if isinstance(of, Instant):
        return of
    if isinstance(of, System):
        return of.instant()  # type: ignore[no-any-return]
    where, out = env(), ffi.new("sti_instant**")
    if isinstance(of, World):
        where.check(lib.sti_world_instant(where.c, of._c, 1e-8, out))
    else:
        document = read(of)
        system, found = lib.sti_system_of(document._c), lib.sti_instant_of(document._c)
        if found != ffi.NULL:
            where.check(lib.sti_instant_copy(where.c, found, ffi.NULL, out), document.name)
        elif system != ffi.NULL:
            n = max(lib.sti_system_coordinate_count(system), 1)
            t, q, v = ffi.new("double*"), ffi.new("double[]", n), ffi.new("double[]", n)
            document._env.check(lib.sti_system_state(system, t, q, v), document.name)
            where.check(lib.sti_system_instant(where.c, system, t[0], q, v, out), document.name)
        elif document.kind == "scene":
            return instant(document.world())
        else:
            raise TypeError(f"{document!r}: an instant, a grasp, a system or a scene of bodies is expected")
    handle = where.own_with_env(out[0], lib.sti_instant_destroy)
    return Instant(handle.c, handle)


class Analysis(Record):
    """What is known, with the fields of its struct; `instant` it is about; verify() where the library has a check for it."""

    def __init__(self, c: Any, owner: Any, at: Instant, check: Optional[Callable[..., Record]] = None) -> None:
        super().__init__(c, (owner, at._owner))
        object.__setattr__(self, "instant", at)
        object.__setattr__(self, "_check", check)

    def verify(self, tol: float = 1e-6) -> Any:
        """Checked by code that shares nothing with the analysis."""
        check = self.__dict__["_check"]
        if check is None:
            raise TypeError("there is no independent check of this")
        return check(tol)


def _options(default: Any, options: dict, keep: list) -> Any:
    chosen = ffi.new(ffi.getctype(ffi.typeof(default), "*"), default)
    fill(chosen, options, keep)
    return chosen


def _ask(function: Any, struct: str, destroy: Any, of: Any, chosen: Any) -> tuple:
    at, where, out = instant(of), env(), ffi.new(struct + "**")
    where.check(function(where.c, at._c, chosen, out))
    return where, at, out[0], where.own_with_env(out[0], destroy)


def modes(of: Any, want: Any = None, **options: Any) -> Analysis:
    """Every contact mode that is possible, and those consistent with the forces; `exists`, `modes`, `strict_count`, ..

    >>> import stiction
    >>> block = {"kind": "instant", "M": [[1, 0], [0, 1]], "F": [0, 1], "v": [0, 0],
    ...          "contacts": [{"name": "floor", "mu": 0.5, "n": [0, 1], "t": [[1, 0]]}]}
    >>> found = stiction.analyze.modes(block)
    >>> [mode.text for mode in found.modes if mode.fit == "strict"], found.verify().accepted
    (['n'], True)
    """
    keep: list = []
    if want is not None:
        options["want"] = want if isinstance(want, int) else sum(enum_value("sti_modes_want", word, "want") for word in want)
    chosen = _options(lib.sti_modes_options_default(), options, keep)
    at, where, out = instant(of), env(), ffi.new("sti_modes**")
    where.check(lib.sti_modes_create(where.c, at._c, chosen, out))
    found = where.own(out[0], lib.sti_modes_destroy, at._owner)

    def check(tol: float) -> Record:
        result = ffi.new("sti_modes_verification*")
        env().check(lib.sti_verify_modes(env().c, at._c, chosen, found.c, result))
        return Record(result, (result, keep))
    return Analysis(found.c, found, at, check)


def sticking(of: Any, **options: Any) -> Analysis:
    """Can all contacts stick? `answer.outcome` with forces or a proof against it, `margin`, least friction, the propositions.

    >>> import stiction
    >>> block = {"kind": "instant", "M": [[1, 0], [0, 1]], "F": ["1/5", 1], "v": [0, 0],
    ...          "contacts": [{"name": "floor", "mu": 0.5, "n": [0, 1], "t": [[1, 0]]}]}
    >>> found = stiction.analyze.sticking(block)
    >>> found.answer.outcome, round(found.least_common.mu, 9), found.verify().accepted
    ('sticks', 0.2, True)
    """
    chosen = _options(lib.sti_sticking_options_default(), options, [])
    at, where, out = instant(of), env(), ffi.new("sti_sticking**")
    where.check(lib.sti_sticking_analyze(where.c, at._c, chosen, out))
    found = where.own(out[0], lib.sti_sticking_destroy)

    def check(tol: float) -> Record:
        result = ffi.new("sti_sticking_verification*")
        env().check(lib.sti_verify_sticking(env().c, at._c, ffi.addressof(found.c, "answer"), tol, result))
        return Record(result)
    return Analysis(found.c, found, at, check)


def closure(of: Any, friction: bool = True, **options: Any) -> Analysis:
    """Force closure, or form closure without friction: `closed`, with forces that balance, or a load that none does.

    >>> import stiction
    >>> grasp = {"kind": "grasp", "dimension": 2, "center": [0, 0], "contacts": [
    ...     {"point": [-1, 0], "normal": [1, 0], "mu": 0.5}, {"point": [1, 0], "normal": [-1, 0], "mu": 0.5}]}
    >>> stiction.analyze.closure(grasp).closed, stiction.analyze.closure(grasp, friction=False).closed
    (True, False)
    """
    keep: list = []
    chosen = _options(lib.sti_closure_options_default(), options, keep)
    at, where = instant(of), env()
    found = where.new("sti_closure", lib.sti_closure_clear)
    where.check((lib.sti_force_closure if friction else lib.sti_form_closure)(where.c, at._c, chosen, found.c))

    def check(tol: float) -> bool:
        accepted = ffi.new("_Bool*")
        env().check(lib.sti_verify_closure(env().c, at._c, chosen, friction, found.c, tol, accepted))
        return bool(accepted[0])
    return Analysis(found.c, found, at, check)  # type: ignore[arg-type]


def velocities(of: Any, **options: Any) -> Analysis:
    """Quasi-velocities in the kinetic metric: `qdot_norm`, `qdot_tan`, `G`, `angle`, energies.

    >>> import stiction
    >>> ball = {"kind": "instant", "M": [[4]], "F": [0], "v": [-3], "contacts": [{"n": [1]}]}
    >>> stiction.analyze.velocities(ball).qdot_norm.tolist()
    [-6.0]
    """
    chosen = _options(lib.sti_velocities_options_default(), options, [])
    where, at, c, found = _ask(lib.sti_velocities_create, "sti_velocities", lib.sti_velocities_destroy, of, chosen)
    return Analysis(c, found, at)


def impact(of: Any, **options: Any) -> Analysis:
    """Velocities after an impact by every law that applies: `laws` by name, their `solutions` and energies.

    >>> import stiction
    >>> ball = {"kind": "instant", "M": [[1]], "F": [0], "v": [-2], "contacts": [{"n": [1], "restitution": 0.5}]}
    >>> found = stiction.analyze.impact(ball)
    >>> found.law("newton").solutions[0].v.tolist(), found.verify().accepted
    ([1.0], True)
    """
    keep: list = []
    chosen = _options(lib.sti_impact_options_default(), options, keep)
    where, at, c, found = _ask(lib.sti_impact_create, "sti_impact", lib.sti_impact_destroy, of, chosen)
    return Impact(c, (found, keep), at)


class Impact(Analysis):
    """Answers of the impact laws."""

    def law(self, name: str) -> Record:
        """The answer of one law, by its name ("newton", "moreau", "poisson", "friction", ..)."""
        return list(self.laws)[enum_value("sti_impact_law", name, "law")]

    def verify(self, tol: float = 1e-6, law: str = "newton", solution: int = 0) -> Record:
        """A solution of a law, checked by code that shares nothing with it."""
        out = ffi.new("sti_impact_verification*")
        env().check(lib.sti_verify_impact(env().c, self.instant._c, self._c, enum_value("sti_impact_law", law, "law"), solution, tol, out))
        return Record(out)


def painleve(of: Any, **options: Any) -> Analysis:
    """The friction at which the contact LCP of this instant goes wrong: `mu_c`, and the `outcome` at the present friction.

    >>> import math, stiction
    >>> point = {"kind": "instant", "M": [[1, 0], [0, 1]], "F": [0, 1], "v": [1, 0],
    ...          "contacts": [{"mu": 0.5, "n": [0, 1], "t": [[1, 0]]}]}
    >>> stiction.analyze.painleve(point).outcome, math.isinf(stiction.analyze.painleve(point).mu_c)
    ('unique', True)
    """
    keep: list = []
    chosen = _options(lib.sti_painleve_options_default(), options, keep)
    where, at, c, found = _ask(lib.sti_painleve_create, "sti_painleve", lib.sti_painleve_destroy, of, chosen)
    return Analysis(c, (found, keep), at)
