"""One decision for many scenarios, roots, bounds, fits, optical flow: each answer with what proves it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from ._callback import Caller
from ._env import InputError, env
from ._moving import png
from ._record import Interval, Record, fill, record, text, vector
from ._stiction import ffi, lib
from .problems import Answer, Problem

if TYPE_CHECKING:
    from . import _structs as S


class Stochastic(Problem):
    """min 1/2 x'Q0 x + c0'x + expectation of (1/2 y'Q y + c'y) with rows that x and the y of every scenario keep
    (docs/optimization.md).

    >>> import stiction
    >>> program = stiction.load("grip-force").draw(10)
    >>> program.scenario_count, program.solve().verify().accepted
    (10, True)
    """

    kind, _fields = "stochastic", ("Q0", "c0", "T0", "W0", "bl", "bu", "lb", "ub")
    _solve, _answer, _clear = lib.sti_stochastic_solve, "sti_stochastic_answer", lib.sti_stochastic_answer_clear
    _options, _verify, _verification = lib.sti_stochastic_options_default, lib.sti_verify_stochastic, "sti_stochastic_verification"
    _answer_save: Any = staticmethod(lambda where, problem, answer, path: lib.sti_stochastic_answer_save(where, answer, path))
    _answer_load: Any = staticmethod(lib.sti_stochastic_answer_load)


class Sample:
    """A stochastic program whose scenarios are drawn: draw() makes one of them.

    >>> import stiction
    >>> grip = stiction.load("grip-force")
    >>> answer = grip.draw(50, seed=1).solve()
    >>> answer.outcome, answer.verify().accepted
    ('solved', True)
    >>> found = grip.average(samples=50, replications=5)
    >>> found.low < found.mean < found.high
    True
    """

    def __init__(self, document: Any) -> None:
        self.document, self.kind = document, "stochastic"

    def draw(self, count: int, seed: int = 1) -> Stochastic:
        """`count` scenarios, the same ones for the same seed."""
        return self._draw(count, ffi.new("uint64_t*", seed))

    def average(self, samples: int = 100, replications: int = 10, seed: int = 1, **options: Any) -> "S.Average":
        """The objective of so many draws of `samples` scenarios: `mean`, `deviation`, `low` and `high` (95 %), with
        `objectives` and `x` of the first. In the mean it is not above that of the distribution."""
        state, values, x = ffi.new("uint64_t*", seed), [], None  # type: Any, list, Any
        for _ in range(replications):
            answer: Any = self._draw(samples, state).solve(**options)
            if not answer:
                raise RuntimeError(f"{self!r}: a draw has no answer: {answer!r}")
            values.append(answer.objective)
            x = answer.x.copy() if x is None else x
        out = ffi.new("sti_average*")
        out[0] = lib.sti_average_of(ffi.new("double[]", values), len(values))
        found = record(out)
        vars(found).update(objectives=np.array(values), x=x)
        return found  # type: ignore[no-any-return]

    def _draw(self, count: int, state: Any) -> Stochastic:
        where, out = env(), ffi.new("sti_stochastic**")
        where.check(lib.sti_stochastic_sample(where.c, self.document._c, count, state, out), self.document.name)
        owner = where.own_with_env(out[0], lib.sti_stochastic_sample_destroy)
        return Stochastic._of(owner.c, (owner, self.document))

    def __repr__(self) -> str:
        return f"<sampled program: {self.document.name}>"


class Root(Problem):
    """Equations by formulas in a box; solve() finds one root, all, or runs Newton's method with random weights, and
    proves each.

    >>> import stiction
    >>> problem = stiction.parse({"kind": "root", "variables": {"x": [0, 2]}, "equations": ["cos(x) = x"],
    ...                           "method": "safe"})
    >>> low, high = problem.solve().roots[0].x[0]
    >>> low < 0.7390851332151607 < high
    True
    """

    kind, _answer, _clear, _verification = "root", "sti_root_answer", lib.sti_root_answer_clear, "sti_root_verification"
    _fields = ("variables", "equations")
    _solve = lib.sti_root_solve

    def _options(self) -> Any:
        return self._c.options

    @staticmethod
    def _verify(where: Any, problem: Any, answer: Any, tol: float, out: Any) -> int:
        return int(lib.sti_verify_root(where, problem, answer, out))


class VI(Problem):
    """A variational inequality or nonlinear complementarity problem by formulas over a box (docs/complementarity.md).

    >>> import stiction
    >>> problem = stiction.parse({"kind": "vi", "variables": {"x": [0, 1], "y": None}, "F": ["x - y", "y - cos(x)"]})
    >>> answer = problem.solve()
    >>> answer.outcome, answer.verify().accepted, round(float(answer.x[0]), 6)
    ('solved', True, 0.739085)
    """

    kind, _fields = "vi", ("variables", "F")
    _solve, _answer, _clear = lib.sti_vi_solve, "sti_vi_answer", lib.sti_vi_answer_clear
    _options, _verify, _verification = lib.sti_vi_options_default, lib.sti_verify_vi, "sti_vi_verification"
    _answer_save: Any = staticmethod(lib.sti_vi_answer_save)
    _answer_load: Any = staticmethod(lib.sti_vi_answer_load)


class Bound(Problem):
    """An inequality whose two sides are enclosed (docs/bounds.md).

    >>> import stiction
    >>> problem = stiction.parse({"kind": "bound", "what": "modulus", "interval": [0, 1], "f": "x^2", "t": [0.5]})
    >>> omega = problem.solve().omega[0]
    >>> omega[0] <= 0.75 <= omega[1]
    True
    """

    kind, _answer, _clear, _verification = "bound", "sti_bound_answer", lib.sti_bound_answer_clear, "sti_bound_verification"
    _fields = ("f", "g")

    def solve(self, **options: Any) -> "BoundAnswer":
        if options:
            raise TypeError(f"no option {next(iter(options))!r}; what a bound needs is in its file")
        where = env()
        answer = where.new(self._answer, self._clear)
        where.check(lib.sti_bound_solve(where.c, self._c, answer.c))
        return BoundAnswer(self, answer.c, answer)

    @staticmethod
    def _verify(where: Any, problem: Any, answer: Any, tol: float, out: Any) -> int:
        return int(lib.sti_verify_bound(where, problem, answer, out))


class BoundAnswer(Answer):
    """`numbers` by name, each an Interval that holds the real one."""

    @property
    def numbers(self) -> dict:
        found = [self._c.number[k] for k in range(self._c.count)]
        return {text(number.name): Interval(number.value.low, number.value.high) for number in found}


def root(variables: Mapping[str, Any], equations: Sequence[str], method: str = "all", definitions: Optional[Mapping[str, str]] = None,
         start: Optional[Sequence[float]] = None, **options: Any) -> "S.RootAnswer":
    """Roots of equations, each in an interval that is proved to hold one. variables: {name: (low, high)}; method: all,
    safe, newton-mc.

    >>> import stiction
    >>> answer = stiction.root({"x": (-2, 2)}, ["x^2 - 2"])
    >>> answer.complete, [round(float(one.x[0, 0]), 6) for one in answer.roots], answer.verify().accepted
    (True, [-1.414214, 1.414214], True)
    """
    from .documents import parse
    content: dict = {"kind": "root", "variables": {name: list(box) for name, box in variables.items()}, "equations": list(equations),
               "method": method}
    if definitions is not None:
        content["definitions"] = dict(definitions)
    if start is not None:
        content["start"] = list(start)
    return parse(content).solve(**options)  # type: ignore[no-any-return]


def vi(variables: Union[Mapping[str, Any], Sequence[str]], F: Sequence[str], start: Optional[Sequence[float]] = None, definitions: Optional[Mapping[str, str]] = None,
       **options: Any) -> "S.ViAnswer":
    """x in a box with F(x)'(y - x) >= 0 for all y in it, by formulas. variables: {name: (low, high)}, None: no bound;
    or names.

    >>> import stiction
    >>> answer = stiction.vi({"x": (0, None)}, ["x^2 - 2"], start=[1])
    >>> answer.outcome, answer.proof, round(float(answer.x[0]), 6)
    ('solved', 'existence', 1.414214)
    """
    from .documents import parse
    boxes = variables if isinstance(variables, Mapping) else dict.fromkeys(variables)
    content: dict = {"kind": "vi", "variables": {name: None if box is None else list(box) for name, box in boxes.items()}, "F": list(F)}
    if definitions is not None:
        content["definitions"] = dict(definitions)
    if start is not None:
        content["start"] = list(start)
    return parse(content).solve(**options)  # type: ignore[no-any-return]


def ncp(variables: Sequence[str], F: Sequence[str], start: Optional[Sequence[float]] = None, **options: Any) -> "S.ViAnswer":
    """0 <= x orthogonal to F(x) >= 0, by formulas.

    >>> import stiction
    >>> answer = stiction.ncp(["x", "y"], ["x^2 - 2", "y + x"], start=[1, 1])
    >>> [round(float(x), 6) for x in answer.x], answer.verify().accepted
    ([1.414214, 0.0], True)
    """
    return vi({name: (0, None) for name in variables}, F, start, **options)


def bound(what: str, **fields: Any) -> BoundAnswer:
    """An inequality with both sides enclosed, by the fields of a file of kind bound: what is modulus, gruess or
    hadamard.

    >>> import stiction
    >>> answer = stiction.bound("hadamard", interval=[1, 3], f="x^3", weight="1/2")
    >>> answer.outcome, answer.verify().accepted, answer.numbers["lhs"].high <= answer.numbers["bound"].low
    ('solved', True, True)
    """
    from .documents import parse
    return parse({"kind": "bound", "what": what, **fields}).solve()  # type: ignore[no-any-return]


# ---- fits


def fit(residuals: Callable[[np.ndarray], Any], start: Sequence[float], low: Optional[Sequence[float]] = None,
        high: Optional[Sequence[float]] = None, norm: str = "largest", scale: float = 0.0, **options: Any) -> "S.FitAnswer":
    """Parameters x with the least largest residual, or the least sum of squares, without derivatives; what the data
    leave open is told.

    residuals(x) gives model - data; a number that is not finite: there is no model at x. norm: largest, squares.

    >>> import numpy as np, stiction
    >>> t = np.linspace(0, 2, 9)
    >>> found = stiction.fit(lambda x: x[0] * np.exp(-x[1] * t) - 3 * np.exp(-0.5 * t), start=[1, 1], norm="squares")
    >>> found.converged, found.x.round(6).tolist(), found.undetermined
    (True, [3.0, 0.5], 0)
    """
    keep: list = []
    problem, chosen = ffi.new("sti_fit_problem*"), ffi.new("sti_fit_options*", lib.sti_fit_options_default())
    n = np.size(start)
    first = np.ascontiguousarray(residuals(np.array(start, dtype=np.float64)), dtype=np.float64)
    m = first.size
    problem.n, problem.m, problem.scale = n, m, scale
    problem.start = vector(start, n, "start", keep)
    for name, given in (("low", low), ("high", high)):
        if given is not None:
            setattr(problem, name, vector(given, n, name, keep))

    def evaluate(x: Any, r: Any) -> None:
        values = np.ascontiguousarray(residuals(np.array(ffi.unpack(x, n))), dtype=np.float64)
        if values.size != m:
            raise InputError(f"residuals: {values.size} of them: {m} are expected")
        ffi.memmove(r, ffi.cast("double*", values.ctypes.data), values.nbytes)
    caller, where = Caller(evaluate), env()
    problem.residuals, problem.user = lib.stiction_python_residuals, caller.handle
    fill(chosen, {"norm": norm, **options}, keep)
    answer = where.new("sti_fit_answer", lib.sti_fit_answer_clear)
    caller.check(where, lib.sti_fit_solve(where.c, problem, chosen, answer.c))
    return record(answer.c, answer)


class Model:
    """Formulas of t with parameters: a document of kind model.

    >>> import numpy as np, stiction
    >>> decay = stiction.parse({"kind": "model", "parameters": {"a": 1, "b": 1}, "model": "a*exp(-b*t)"})
    >>> t = np.linspace(0, 2, 9)
    >>> found = decay.fit(t, 3 * np.exp(-0.5 * t))
    >>> [round(value, 6) for value in decay.parameters.values()], found.converged
    ([3.0, 0.5], True)
    """

    kind = "model"

    def __init__(self, document: Any) -> None:
        self.document = document
        self._c = lib.sti_model_of(document._c)
        self.names = [text(lib.sti_system_contact(self._c, i)) for i in range(lib.sti_system_contact_count(self._c))]

    @property
    def parameters(self) -> dict:
        count = lib.sti_system_parameter_count(self._c)
        return {text(lib.sti_system_parameter(self._c, k)): float(lib.sti_system_parameter_value(self._c, k)) for k in range(count)}

    def set(self, **parameters: float) -> "Model":
        for name, value in parameters.items():
            self.document._env.check(lib.sti_system_set(self._c, name.encode(), value), self.document.name)
        return self

    def __call__(self, t: Any) -> np.ndarray:
        """Its formulas at each t: (len(t), formulas), or (len(t),) of one."""
        times, out = np.atleast_1d(np.asarray(t, dtype=np.float64)), ffi.new("double[]", max(len(self.names), 1))
        rows, nothing = np.empty((len(times), len(self.names))), ffi.new("double[1]")
        for i, time in enumerate(times.tolist()):
            self.document._env.check(lib.sti_system_gap(self._c, time, nothing, out), self.document.name)
            rows[i] = ffi.unpack(out, len(self.names))
        return rows[:, 0] if len(self.names) == 1 else rows

    def fit(self, t: Any, data: Any, parameters: Optional[Sequence[str]] = None, **options: Any) -> "S.FitAnswer":
        """The parameters (None: all) that fit the data; the model keeps them. Options are those of `stiction.fit`."""
        data, names = np.asarray(data, dtype=np.float64), list(self.parameters if parameters is None else parameters)

        def residuals(x: np.ndarray) -> np.ndarray:
            return np.ravel(self.set(**dict(zip(names, x.tolist())))(t) - data)
        now = self.parameters
        found = fit(residuals, [now[name] for name in names], scale=float(np.abs(data).max()), **options)
        self.set(**dict(zip(names, found.x.tolist())))
        return found


# ---- optical flow


def _frame(picture: Any, keep: list) -> Any:
    where, out = env(), ffi.new("sti_frame*")
    if isinstance(picture, (str, os.PathLike)):
        image = where.new("sti_image", lib.sti_image_clear)
        where.check(lib.sti_image_load(where.c, os.fspath(picture).encode(), image.c))
        frame = where.new("sti_frame", lib.sti_frame_clear)
        where.check(lib.sti_frame_from_image(where.c, image.c, frame.c))
        keep.append(frame)
        return frame.c
    array = np.ascontiguousarray(picture, dtype=np.float64)
    if array.ndim != 2:
        raise InputError(f"frame: shape {array.shape}: rows and columns of grey from 0 to 1 are expected")
    out.height, out.width = array.shape
    out.value = ffi.cast("double*", array.ctypes.data)
    keep.append(array)
    return out


class Flow(Record):
    """Optical flow: `field.u` and `field.v` in pixels, and of each program on the way what it proves: `levels`.

    >>> import numpy as np, stiction
    >>> found = stiction.flow(np.eye(20), np.eye(20))
    >>> float(np.abs(found.field.u).max()) < 1e-6, found.picture()[1:4]
    (True, b'PNG')
    """

    def save(self, path: Union[str, os.PathLike]) -> None:
        """As Middlebury's .flo file."""
        env().check(lib.sti_flow_save(env().c, ffi.addressof(self._c, "field"), os.fspath(path).encode()))

    def picture(self, longest: float = 0.0, arrows: int = 0) -> bytes:
        """Directions as colours, PNG; an arrow for each so many pixels."""
        where = env()
        image = where.new("sti_image", lib.sti_image_clear)
        where.check(lib.sti_draw_flow(where.c, ffi.addressof(self._c, "field"), longest, arrows, image.c))
        return png(where, image)

    def _repr_png_(self) -> bytes:
        return self.picture()


def flow(first: Any, second: Any, **options: Any) -> Flow:
    """Optical flow between two frames: arrays of grey from 0 to 1, or files. `lambda_` and the rest as in
    `sti_flow_options`.

    >>> import numpy as np, stiction
    >>> x, y = np.meshgrid(np.arange(24), np.arange(20))
    >>> found = stiction.flow(*(0.5 + 0.2 * np.sin(0.4 * (x - d)) + 0.2 * np.cos(0.5 * y) for d in (0, 0.5)))
    >>> found.outcome, abs(float(np.median(found.field.u)) - 0.5) < 0.1, all(level.verified for level in found.levels)
    ('solved', True, True)
    """
    keep: list = []
    chosen = ffi.new("sti_flow_options*", lib.sti_flow_options_default())
    fill(chosen, {name.rstrip("_"): value for name, value in options.items()}, keep)
    where = env()
    answer = where.new("sti_flow_answer", lib.sti_flow_answer_clear)
    where.check(lib.sti_flow_solve(where.c, _frame(first, keep), _frame(second, keep), chosen, answer.c))
    return Flow(answer.c, answer)
