"""What can happen at an instant, and why: modes, sticking, closure, velocities, impact, critical friction.

Each function takes an instant as a file, a dictionary ({"kind": "instant", ..}), a document (instant, grasp, system),
or a World as it is now.
"""

from __future__ import annotations

import os
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union
from weakref import WeakKeyDictionary

import numpy as np

from ._env import Handle, InputError, env
from ._moving import page_of
from ._record import Record, _name, enum_text, enum_value, fill, record, text, vector
from ._stiction import ffi, lib
from .problems import LCP

if TYPE_CHECKING:
    from . import _structs as S


class Instant(Record):
    """Mass matrix, forces, velocities and contacts of one instant: `M`, `F`, `v`, `contacts`; of bodies after a step,
    `settled`."""

    settled: Any = None
    document: Any = None  # that it is the start of; None: of what moves, as it was then

    @classmethod
    def _of(cls, handle: Handle, settled: Any = None, document: Any = None) -> "Instant":
        self = cls(handle.c, handle)
        object.__setattr__(self, "settled", settled)
        object.__setattr__(self, "document", document)
        return self

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
    if isinstance(of, (System, World)):
        return of.instant()  # type: ignore[no-any-return]
    where, out = env(), ffi.new("sti_instant**")
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
        found = instant(document.world())
        object.__setattr__(found, "document", document)
        return found
    else:
        raise TypeError(f"{document!r}: an instant, a grasp, a system or a scene of bodies is expected")
    return Instant._of(where.own_with_env(out[0], lib.sti_instant_destroy), None, document)


class Analysis(Record):
    """What is known, with the fields of its struct; `instant` it is about; verify() where the library has a check for
    it."""

    def __init__(self, c: Any, owner: Any, at: Instant, check: Optional[Callable[[float], Any]] = None) -> None:
        super().__init__(c, (owner, at._owner))
        object.__setattr__(self, "instant", at)
        object.__setattr__(self, "_check", check)

    def verify(self, tol: float = 1e-6) -> Any:
        """Checked by code that shares nothing with the analysis."""
        check = self.__dict__["_check"]
        if check is None:
            raise TypeError("there is no independent check of this")
        return check(tol)

    def page(self, path: Union[None, str, os.PathLike] = None, *options: str) -> str:
        """The answer of `stiction analyze` to the same question, as one HTML file (docs/page.md): its text, also
        written to `path`. options: words of the command, like "--wrench", "3,-10,0". Bodies are drawn where a scene
        starts; of what moves, what its contacts span."""
        question = {"sti_sticking": "sticking", "sti_modes": "modes", "sti_closure": "closure"}.get(_name(ffi.typeof(self._c[0] if ffi.typeof(self._c).kind == "pointer" else self._c)))
        if question is None:
            raise TypeError(f"{self!r}: there is no page of it")
        with tempfile.TemporaryDirectory() as room:
            at, words, of = self.instant, list(options), os.path.join(room, "instant.json")
            if at.document is None:
                at.save(of)
            elif at.document.kind == "scene":
                at.document.save(of)
            else:
                Path(of).write_bytes(at.document._written() or b"")
                words += ["--set", at.document.settings] if at.document.settings else []
            return page_of(["analyze", question, of, *words], Path(room, "page.html"), "--page", path)


def _analysis(c: Any, owner: Any, at: Instant, check: Optional[Callable[[float], Any]] = None) -> Any:
    return Analysis(c, owner, at, check)


_kept: Any = WeakKeyDictionary()  # arrays that options point to, as long as those live


def _options(default: Any, options: dict, keep: list) -> Any:
    chosen = ffi.new(ffi.getctype(ffi.typeof(default), "*"), default)
    fill(chosen, options, keep)
    _kept[chosen] = keep
    return chosen


def _object(at: Instant, options: dict) -> dict:
    """`object`: bodies or velocities by name ("box", "box.vx") or number, as the numbers of velocities."""
    given = options.get("object")
    if given is None:
        return options
    names, found = list(at.names or []), set()
    for word in [given] if isinstance(given, (str, int)) else given:
        fits = [k for k, name in enumerate(names) if word in (name, name.rpartition(".")[0])] if isinstance(word, str) else [int(word)]
        if not fits:
            bodies = dict.fromkeys(name.rpartition(".")[0] or name for name in names)
            raise InputError(f"object: {word!r}: no such body or velocity; there are {', '.join(bodies)}")
        found.update(fits)
    return {**options, "object": sorted(found)}


def _ask(function: Any, struct: str, destroy: Any, of: Any, chosen: Any) -> tuple:
    at, where, out = instant(of), env(), ffi.new(struct + "**")
    where.check(function(where.c, at._c, chosen, out))
    return where, at, out[0], where.own_with_env(out[0], destroy)


def modes(of: Any, want: Any = None, **options: Any) -> "S.Modes":
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
    return _analysis(found.c, found, at, check)


def actuation(of: Any, actuators: Mapping, **options: Any) -> dict:
    """Can actuators bring each mode about, with what margin, and which of them limits it? {mode: answer}, None: not
    decided.

    actuators: {velocity, or direction of the force: (low, high)}; they add to the wrench of `of`, which may be an
    answer of modes().

    >>> import stiction
    >>> block = {"kind": "instant", "M": [[1, 0], [0, 1]], "F": [0, 1], "v": [0, 0],
    ...          "contacts": [{"name": "floor", "mu": 0.5, "n": [0, 1], "t": [[1, 0]]}]}
    >>> found = stiction.analyze.actuation(block, {(1, 0): (-2, 2)})
    >>> found["s"].possible, found["l"].possible, round(found["l"].margin, 6), found["l"].verify().accepted
    (False, True, 1.0, True)
    """
    found: Any = of if isinstance(of, Analysis) else modes(of, **options)
    at, where = found.instant, env()

    def rationals(values: Sequence) -> Any:
        out = ffi.new("sti_rationals**")
        where.check(lib.sti_rationals_create(where.c, len(values), out))
        owner = where.own(out[0], lib.sti_rationals_destroy)
        for k, value in enumerate(values):
            where.check(lib.sti_rationals_set_text(owner.c, k, str(Fraction(value)).encode()))
        return owner
    names = list(at.names or [])
    rows: list = []
    for which in actuators:
        row = [0] * at.n if isinstance(which, (str, int)) else list(which)
        if isinstance(which, (str, int)):
            if which not in names and not (isinstance(which, int) and 0 <= which < at.n):
                raise InputError(f"actuators: {which!r}: no such velocity; there are {', '.join(names) or f'0 to {at.n - 1}'}")
            row[which if isinstance(which, int) else names.index(which)] = 1
        if len(row) != at.n:
            raise InputError(f"actuators: {which!r}: {at.n} numbers are expected")
        rows += row
    parts = [rationals(rows), *(rationals([bounds[side] for bounds in actuators.values()]) for side in (0, 1))]
    by = ffi.new("sti_actuators*", (len(actuators), *(part.c for part in parts)))

    def answer(wrenches: Any) -> Any:
        out = ffi.new("sti_actuation**")
        if wrenches == ffi.NULL or lib.sti_actuation_create(where.c, wrenches, at.n, found._c.wrench, by, out) != lib.STI_OK:
            return None

        def check(tol: float) -> Record:
            result = ffi.new("sti_actuation_verification*")
            env().check(lib.sti_verify_actuation(env().c, wrenches, at.n, found._c.wrench, by, owner.c, tol, result))
            return record(result)
        owner = where.own_with_env(out[0], lib.sti_actuation_destroy)
        return _analysis(owner.c, (owner, parts, by, found._owner), at, check)
    return {text(found._c.modes[k].text): answer(found._c.modes[k].wrenches) for k in range(found._c.mode_count)}


def sticking(of: Any, **options: Any) -> "S.Sticking":
    """Can all contacts stick? `answer.outcome` with forces or a proof against it, `margin`, least friction, the
    propositions.

    >>> import stiction
    >>> block = {"kind": "instant", "M": [[1, 0], [0, 1]], "F": ["1/5", 1], "v": [0, 0],
    ...          "contacts": [{"name": "floor", "mu": 0.5, "n": [0, 1], "t": [[1, 0]]}]}
    >>> found = stiction.analyze.sticking(block)
    >>> found.answer.outcome, round(found.least_common.mu, 9), found.verify().accepted
    ('sticks', 0.2, True)
    """
    chosen = _options(lib.sti_sticking_options_default(), options, [])
    at, where, out = instant(of), env(), ffi.new("sti_sticking**")
    where.check(lib.sti_sticking_create(where.c, at._c, chosen, out))
    found = where.own(out[0], lib.sti_sticking_destroy)

    def check(tol: float) -> Record:
        result = ffi.new("sti_sticking_verification*")
        env().check(lib.sti_verify_sticking(env().c, at._c, ffi.addressof(found.c, "answer"), tol, result))
        return record(result)
    return _analysis(found.c, found, at, check)


def closure(of: Any, friction: bool = True, **options: Any) -> "S.Closure":
    """Force closure, or form closure without friction: `closed`, with forces that balance, or a load that none does.
    object="box": what is held, where not all that moves is.

    >>> import stiction
    >>> grasp = {"kind": "grasp", "dimension": 2, "center": [0, 0], "contacts": [
    ...     {"point": [-1, 0], "normal": [1, 0], "mu": 0.5}, {"point": [1, 0], "normal": [-1, 0], "mu": 0.5}]}
    >>> stiction.analyze.closure(grasp).closed, stiction.analyze.closure(grasp, friction=False).closed
    (True, False)
    """
    keep: list = []
    at, where = instant(of), env()
    chosen = _options(lib.sti_closure_options_default(), _object(at, options), keep)
    found = where.new("sti_closure", lib.sti_closure_clear)
    where.check((lib.sti_force_closure_analyze if friction else lib.sti_form_closure_analyze)(where.c, at._c, chosen, found.c))

    def check(tol: float) -> bool:
        accepted = ffi.new("_Bool*")
        env().check(lib.sti_verify_closure(env().c, at._c, chosen, friction, found.c, tol, accepted))
        return bool(accepted[0])
    return _analysis(found.c, found, at, check)


def velocities(of: Any, **options: Any) -> "S.Velocities":
    """Quasi-velocities in the kinetic metric: `qdot_norm`, `qdot_tan`, `G`, `angle`, energies.

    >>> import stiction
    >>> ball = {"kind": "instant", "M": [[4]], "F": [0], "v": [-3], "contacts": [{"n": [1]}]}
    >>> stiction.analyze.velocities(ball).qdot_norm.tolist()
    [-6.0]
    """
    chosen = _options(lib.sti_velocities_options_default(), options, [])
    where, at, c, found = _ask(lib.sti_velocities_create, "sti_velocities", lib.sti_velocities_destroy, of, chosen)
    return _analysis(c, found, at)


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
        return record(out)


def painleve(of: Any, **options: Any) -> "S.Painleve":
    """The friction at which the contact LCP of this instant goes wrong: `mu_c`, and the `outcome` at the present
    friction.

    >>> import math, stiction
    >>> point = {"kind": "instant", "M": [[1, 0], [0, 1]], "F": [0, 1], "v": [1, 0],
    ...          "contacts": [{"mu": 0.5, "n": [0, 1], "t": [[1, 0]]}]}
    >>> stiction.analyze.painleve(point).outcome, math.isinf(stiction.analyze.painleve(point).mu_c)
    ('unique', True)
    """
    keep: list = []
    chosen = _options(lib.sti_painleve_options_default(), options, keep)
    where, at, c, found = _ask(lib.sti_painleve_create, "sti_painleve", lib.sti_painleve_destroy, of, chosen)
    return _analysis(c, (found, keep), at)


def facts(of: Any, gap_tol: float = 1e-9) -> "S.InstantFacts":
    """What an instant is, by counting: ranks, redundancy, how many contacts touch, slide, approach.

    >>> import stiction
    >>> found = stiction.analyze.facts("slope-block")
    >>> found.touching > 0, found.n
    (True, 2)
    """
    at, where, out = instant(of), env(), ffi.new("sti_instant_facts*")
    where.check(lib.sti_instant_describe(where.c, at._c, gap_tol, out))
    return record(out)


def mode_lcp(of: Any, **options: Any) -> LCP:
    """The LCP whose solutions are the modes (S2 16 to 39); `names` are those of (y, z).

    >>> import stiction
    >>> block = {"kind": "instant", "M": [[1, 0], [0, 1]], "F": [0, 1], "v": [0, 0],
    ...          "contacts": [{"name": "floor", "mu": 0.5, "n": [0, 1], "t": [[1, 0]]}]}
    >>> problem = stiction.analyze.mode_lcp(block)
    >>> problem.M.shape, problem.solve().outcome, len(problem.names[1])
    ((3, 3), 'solved', 3)
    """
    keep: list = []
    chosen = _options(lib.sti_modes_options_default(), options, keep)
    at, where, out = instant(of), env(), ffi.new("sti_modes_lcp**")
    where.check(lib.sti_modes_lcp_create(where.c, at._c, chosen, out))
    owner = where.own(out[0], lib.sti_modes_lcp_destroy, at._owner)
    problem = LCP._of(ffi.addressof(owner.c, "lcp"), owner)
    names = [[ffi.string(row[k]).decode() for k in range(owner.c.lcp.n)] for row in (owner.c.y_name, owner.c.z_name)]
    problem.names = tuple(names)
    return problem


def mode_graph(samples: Any) -> dict:
    """Modes in the order of time, from samples (time, mode): "nodes" {mode: visits and first time}, "edges" {(mode,
    next): how often}.

    >>> import stiction
    >>> found = stiction.analyze.mode_graph([(0.0, "nn"), (0.1, "nn"), (0.2, "ls")])
    >>> sorted(found["nodes"]), found["edges"]
    (['ls', 'nn'], {('nn', 'ls'): 1})
    """
    where, out = env(), ffi.new("sti_mode_graph**")
    where.check(lib.sti_mode_graph_create(where.c, out))
    graph = where.own(out[0], lib.sti_mode_graph_destroy)
    for time, mode in samples:
        where.check(lib.sti_mode_graph_add(graph.c, time, str(mode).encode()))
    nodes, edges = ffi.new("const sti_mode_node**"), ffi.new("const sti_mode_edge**")
    found = [record(nodes[0] + k, graph) for k in range(lib.sti_mode_graph_nodes(graph.c, nodes))]
    joined = [edges[0][k] for k in range(lib.sti_mode_graph_edges(graph.c, edges))]
    return {"nodes": {node.text: node for node in found}, "edges": {(found[getattr(edge, "from")].text, found[edge.to].text): edge.count for edge in joined}}


def mode_count(model: str = "box", tangents: int = 1, sides: int = 8, mu: float = 1.0) -> "S.ModeCount":
    """The choices that a contact at rest has (S2 V-A, VI): `choices`, `feasible`, of which kind, with which cone.

    >>> import stiction
    >>> stiction.analyze.mode_count().feasible, stiction.analyze.mode_count("sides", 2, 4).feasible
    (4, 10)
    """
    where, out = env(), ffi.new("sti_mode_count**")
    where.check(lib.sti_mode_count_create(where.c, enum_value("sti_friction_model", model, "model"), tangents, sides, mu, out))
    owner = where.own(out[0], lib.sti_mode_count_destroy)
    return record(owner.c, owner)


# ---- which forces make it stick


def force(of: Any, B: Any = None, cost: Any = None, weight: Any = None, low: Any = None, high: Any = None, **options: Any) -> "S.ForceAnswer":
    """Over F + B f, f in a box: the least c'f + sum of weight f^2 / 2 for which all contacts stick: `f`, `value`,
    `lambda`.

    >>> import stiction
    >>> block = {"kind": "instant", "M": [[1, 0], [0, 1]], "F": [0.8, 1], "v": [0, 0],
    ...          "contacts": [{"name": "floor", "mu": 0.5, "n": [0, 1], "t": [[1, 0]]}]}
    >>> found = stiction.analyze.force(block, B=[[-1], [0]], cost=[1], low=[0])
    >>> found.outcome, round(float(found.f[0]), 6)
    ('solved', 0.3)
    """
    keep: list = []
    chosen = _options(lib.sti_sticking_options_default(), options, keep)
    at, where, choice = instant(of), env(), ffi.new("sti_force_choice*")
    choice.count = at.n if B is None else np.shape(B)[1]
    if B is not None:
        choice.B = vector(np.ravel(np.asarray(B, dtype=np.float64)), at.n * choice.count, "B", keep)
    for name, given in (("cost", cost), ("weight", weight), ("low", low), ("high", high)):
        if given is not None:
            setattr(choice, name, vector(given, choice.count, name, keep))
    found = where.new("sti_force_answer", lib.sti_force_answer_clear)
    where.check(lib.sti_sticking_force(where.c, at._c, chosen, choice, found.c))
    return record(found.c, found, {"count": choice.count, "n": at.n, "p": sum(1 + c.tangent_count for c in at.contacts or ())})


def force_line(of: Any, d: Any, **options: Any) -> list:
    """All tau for which it sticks under F + tau d: intervals (low, high), in order.

    >>> import stiction
    >>> block = {"kind": "instant", "M": [[1, 0], [0, 1]], "F": [0, 1], "v": [0, 0],
    ...          "contacts": [{"name": "floor", "mu": 0.5, "n": [0, 1], "t": [[1, 0]]}]}
    >>> [(round(low, 6), round(high, 6)) for low, high in stiction.analyze.force_line(block, [1, 0])]
    [(-0.5, 0.5)]
    """
    keep: list = []
    chosen = _options(lib.sti_sticking_options_default(), options, keep)
    at, where = instant(of), env()
    found = where.new("sti_force_intervals", lib.sti_force_intervals_clear)
    where.check(lib.sti_sticking_force_line(where.c, at._c, chosen, vector(d, at.n, "d", keep), found.c))
    return [(found.c.low[k], found.c.high[k]) for k in range(found.c.count)]


def force_set(of: Any, **options: Any) -> "S.ForceSet":
    """All F for which it sticks: F - `center` in one of `cones`. In the plane, or with `facets`.

    >>> import stiction
    >>> found = stiction.analyze.force_set("slope-block")
    >>> len(found.cones), found.center.shape
    (1, (2,))
    """
    chosen = _options(lib.sti_sticking_options_default(), options, [])
    at, where = instant(of), env()
    found = where.new("sti_force_set", lib.sti_force_set_clear)
    where.check(lib.sti_sticking_force_set(where.c, at._c, chosen, found.c))
    return record(found.c, found)


# ---- how well contacts hold


def grasp_friction(of: Any, kind: str = "common", **options: Any) -> "S.GraspFriction":
    """The least friction that closes: `low` <= it <= `high`, with the answer of closure at each end. kind: common,
    factor.

    >>> import stiction
    >>> grasp = {"kind": "grasp", "dimension": 2, "center": [0, 0], "contacts": [
    ...     {"point": [-1, -1], "normal": [1, 0], "mu": 0.5}, {"point": [1, 1], "normal": [-1, 0], "mu": 0.5}]}
    >>> found = stiction.analyze.grasp_friction(grasp)
    >>> found.closes, round(found.high, 9), found.verify()
    (True, 1.0, True)
    """
    keep: list = []
    at, where = instant(of), env()
    chosen = _options(lib.sti_closure_options_default(), _object(at, options), keep)
    found = where.new("sti_grasp_friction", lib.sti_grasp_friction_clear)
    where.check(lib.sti_grasp_friction_analyze(where.c, at._c, chosen, enum_value("sti_grasp_friction_kind", kind, "kind"), found.c))

    def check(tol: float) -> bool:
        accepted = ffi.new("_Bool*")
        env().check(lib.sti_verify_grasp_friction(env().c, at._c, chosen, found.c, tol, accepted))
        return bool(accepted[0])
    return _analysis(found.c, (found, keep), at, check)


def quality(of: Any, object: Any = None, face_limit: int = 200000, **options: Any) -> "S.GraspQuality":
    """Ferrari and Canny's: the radius of the largest ball of wrenches that normal forces of sum 1 balance: `lower`,
    `upper`.

    `object`: what is held, as closure() takes it, or a dictionary of its options.

    >>> import stiction
    >>> found = stiction.analyze.quality({"kind": "grasp", "dimension": 2, "center": [0, 0], "contacts": [
    ...     {"point": [-1, 0], "normal": [1, 0], "mu": 0.5}, {"point": [1, 0], "normal": [-1, 0], "mu": 0.5}]})
    >>> 0 < found.lower <= found.upper <= 1.001 * found.lower, found.verify().accepted
    (True, True)
    """
    keep: list = []
    chosen = _options(lib.sti_grasp_options_default(), options, keep)
    at, where = instant(of), env()
    held = object if isinstance(object, dict) else {} if object is None else {"object": object}
    fill(ffi.addressof(chosen, "object"), _object(at, held), keep)
    found = where.new("sti_grasp_quality", lib.sti_grasp_quality_clear)
    where.check(lib.sti_grasp_quality_analyze(where.c, at._c, chosen, found.c))

    def check(tol: float) -> Record:
        out = ffi.new("sti_grasp_verification*")
        env().check(lib.sti_verify_grasp_quality(env().c, at._c, chosen, found.c, face_limit, out))
        return record(out)
    return _analysis(found.c, (found, keep), at, check)


def friction_cone(of: Any, gap_tol: float = 1e-9, work_limit: int = 1000000) -> "S.FrictionConeMargin":
    """Is the total friction cone pointed, and by how much: `pointed`, `margin`, `c` (S3 2.2.2). Of an instant, or a
    problem of contact.

    >>> import stiction
    >>> found = stiction.analyze.friction_cone("slope-block")
    >>> found.pointed, found.verify().accepted
    (True, True)
    """
    from .problems import Contact
    where, out = env(), ffi.new("sti_friction_cone**")
    at: Any = Instant(of._c, of) if isinstance(of, Contact) else instant(of)
    if isinstance(of, Contact):
        where.check(lib.sti_friction_cone_create_contact(where.c, of._c, out))
    else:
        where.check(lib.sti_friction_cone_create_instant(where.c, at._c, gap_tol, out))
    cone = where.own_with_env(out[0], lib.sti_friction_cone_destroy)
    found = where.new("sti_friction_cone_margin", lib.sti_friction_cone_margin_clear)
    where.check(lib.sti_friction_cone_measure(where.c, cone.c, found.c))

    def check(tol: float) -> Record:
        result = ffi.new("sti_friction_cone_verification*")
        env().check(lib.sti_verify_friction_cone(env().c, cone.c, found.c, work_limit, result))
        return record(result)
    analysis = _analysis(found.c, found, at if not isinstance(of, Contact) else Instant(of._c, of), check)
    analysis._sizes["s"] = cone.c.dimension
    return analysis


# ---- maps, lasting modes, norms


class Map(Record):
    """Critical friction over configurations: arrays `outcome`, `mu_c`, `mu`, the first axis along the columns, and
    `axes` by name."""

    def __init__(self, found: Handle, axes: dict) -> None:
        super().__init__(found.c, found)
        cells = [found.c.cells[k] for k in range(found.c.count[0] * found.c.count[1])]
        shape = (found.c.count[1], found.c.count[0])
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "outcome", np.array([enum_text("sti_painleve_case", cell.outcome) for cell in cells]).reshape(shape))
        object.__setattr__(self, "cell_mu_c", np.array([cell.mu_c for cell in cells]).reshape(shape))
        object.__setattr__(self, "cell_mu", np.array([cell.mu for cell in cells]).reshape(shape))


def painleve_map(of: Any, q: Any = None, v: Any = None, **axes: Sequence[float]) -> Map:
    """Where the contact LCP goes wrong, over one or two axes name=(low, high, count): coordinates, velocities ("x'"),
    or mu.

    >>> import math, stiction
    >>> found = stiction.analyze.painleve_map("painleve-rod", theta=(0, math.pi / 2, 31), mu=(0, 2, 5))
    >>> found.outcome.shape, round(found.mu_c, 6), round(math.tan(found.at[0]), 4)
    ((5, 31), 1.333333, 2.0)
    """
    from .systems import System
    where, system = env(), of if isinstance(of, System) else System(of)
    definition, out, keep = ffi.new("sti_painleve_map_def*", lib.sti_painleve_map_def_default()), ffi.new("sti_painleve_map**"), []  # type: Any, Any, list
    points = {}
    if not 1 <= len(axes) <= 2:
        raise TypeError(f"{len(axes)} axes: one or two are expected, like theta=(0, 1.57, 31)")
    for axis, (name, (low, high, count)) in zip(definition.axes, axes.items()):
        velocity = name.endswith("'")
        coordinate = name[:-1] if velocity else name
        if coordinate not in system.coordinates and name != "mu":
            raise InputError(f"{name}: one of {', '.join(system.coordinates)} or mu is expected")
        friction = coordinate not in system.coordinates
        axis.kind = lib.STI_PAINLEVE_FRICTION if friction else lib.STI_PAINLEVE_VELOCITY if velocity else lib.STI_PAINLEVE_COORDINATE
        axis.index = 0 if friction else system.coordinates.index(coordinate)
        axis.low, axis.high, axis.count = low, high, int(count)
        points[name] = np.linspace(low, high, int(count))
    definition.axis_count, definition.time = len(axes), system.time
    n = len(system.coordinates)
    definition.q = vector(system.q if q is None else q, n, "q", keep)
    definition.v = vector(system.v if v is None else v, n, "v", keep)
    with system._lock:
        system._caller.check(where, lib.sti_painleve_map_create(where.c, system._s, definition, out))
    return Map(where.own_with_env(out[0], lib.sti_painleve_map_destroy), points)


def robust(of: Any, steps: Optional[int] = None, h: Optional[float] = None, **options: Any) -> "S.Robust":
    """Does the complementary basis of the first step last over so many steps (S3 2.4): `is_switch`, `step`, `broken`,
    `margins`.

    Of a system (scheme alpha with alpha 1, or quasistatic), or of parts and probes (their own steps).

    >>> import stiction
    >>> stiction.analyze.robust("peg-push", steps=20).is_switch
    False
    """
    from .pushes import Push
    from .systems import System
    where, out = env(), ffi.new("sti_robust**")
    if not isinstance(of, (Push, System)):
        from .documents import document
        of = document(of).start()
    quasistatic = isinstance(of, Push) or options.get("scheme") == "quasistatic"
    chosen = ffi.new("sti_stepper_options*", lib.sti_stepper_options_default(
        lib.STI_SCHEME_QUASISTATIC if quasistatic else lib.STI_SCHEME_ALPHA))
    if not quasistatic:
        chosen.alpha, chosen.geometry, chosen.level, chosen.gap_tol = 1, lib.STI_GEOMETRY_OLD, lib.STI_LEVEL_GAP, float("inf")
    fill(chosen, options, [])
    if isinstance(of, Push):
        chosen.step, count = h if h is not None else of._length(), steps if steps is not None else round(of.end / of._length())
        system = of._frozen(chosen.step * count)
        where.check(lib.sti_robust_create(where.c, system.c, chosen, count, out))
        n = 3 * len(of.parts)
    else:
        if steps is None:
            raise TypeError("steps: how many the basis of a system should last is expected")
        chosen.step = h if h is not None else chosen.step
        with of._lock:
            of._caller.check(where, lib.sti_robust_create(where.c, of._s, chosen, steps, out))
        n = len(of.coordinates)
    owner = where.own_with_env(out[0], lib.sti_robust_destroy)
    return record(owner.c, owner, {"n": n})


def norms(of: Any) -> dict:
    """The conditions of S0 and S1 that compare norms, of a document of kind matrices: a test for each that was asked,
    by its name.

    >>> import stiction
    >>> found = stiction.analyze.norms({"kind": "matrices", "G": [[2, 0], [0, 2]], "E": [[0.5, 0], [0, 0.5]]})
    >>> found["restitution"].holds.tolist(), round(found["restitution"].lambda_min, 9)
    ([False, True], 0.375)
    """
    from .documents import document
    where, given, found = env(), document(of), {}
    matrices = lib.sti_matrices_of(given._c)
    if matrices == ffi.NULL:
        raise TypeError(f"{given!r}: matrices are expected")
    for question in range(lib.STI_NORM_COUNT):
        out = ffi.new("sti_norm_test*")
        where.check(lib.sti_norm_test_analyze(where.c, matrices, question, out), given.name)
        if out.asked:
            found[enum_text("sti_norm_question", question)] = Record(out)
    return found
