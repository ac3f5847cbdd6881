"""Problems and what is proved of them: LCP, MLCP, quadratic programs, frictional contact, least sums of absolute values."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._env import Env, env
from ._record import Record, fill, matrix, matrix_out, record, vector
from ._stiction import ffi, lib

if TYPE_CHECKING:
    from . import _structs as S


class Problem:
    """A posed problem: solve() gives an answer, and the answer's verify() checks it by code that shares nothing with the solver.

    >>> import stiction
    >>> problem = stiction.parse({"kind": "lcp", "M": [[2]], "q": [-1]})
    >>> problem.kind, problem.solve(solver="lemke").z.tolist()
    ('lcp', [0.5])
    """

    kind = ""
    _fields: tuple = ()
    _solve: Any
    _answer: Any
    _clear: Any
    _options: Any
    _verify: Any
    _verification = ""

    def __init__(self, c: Any, keep: Any) -> None:
        self._c = c
        self._keep = keep

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(Record(self._c, self._keep), name)
        if isinstance(value, Record) and ffi.typeof(value._c) is ffi.typeof("sti_matrix"):
            return matrix_out(value._c, self._keep)
        return value

    def _names(self) -> tuple:
        return self._fields

    def solve(self, **options: Any) -> "Answer":
        """Solve with the options of the C header (`solver="lemke"`, `tol=1e-12`, ..). The GIL is free meanwhile."""
        where, keep = env(), []  # type: Env, list
        chosen = ffi.new(ffi.getctype(ffi.typeof(self._options()), "*"), self._options())
        fill(chosen, options, keep)
        answer = where.new(self._answer, self._clear)
        where.check(self._solve(where.c, self._c, chosen, answer.c))
        return Answer(self, answer.c, answer)

    def _repr_html_(self) -> str:
        rows = []
        for name in self._names():
            value = getattr(self, name)
            if value is not None:
                shown = value.toarray() if hasattr(value, "toarray") and max(value.shape) <= 12 else value
                size = " x ".join(str(k) for k in getattr(value, "shape", ()))
                rows.append(f"<tr><th>{escape(name)}</th><td>{size}</td><td><pre>{escape(str(shown))}</pre></td></tr>")
        return f"<table><caption>{escape(self.kind)}</caption>{''.join(rows)}</table>"

    def __repr__(self) -> str:
        sizes = []
        for name in self._names():
            value = getattr(self, name)
            if value is not None:
                sizes.append(f"{name} {' x '.join(str(k) for k in np.shape(value))}")
        return f"<{self.kind}: {', '.join(sizes)}>"


class LCP(Problem):
    """w = M z + q, 0 <= w orthogonal to z >= 0.

    >>> import stiction
    >>> problem = stiction.parse({"kind": "lcp", "M": [["1/3"]], "q": [-1]})
    >>> problem.M.shape, str(problem.solve().z_exact[0])
    ((1, 1), '3')
    """

    kind = "lcp"
    names: tuple = ()  # of w and z, where they mean something
    _fields: tuple = ("M", "q")
    _solve, _answer, _clear = lib.sti_lcp_solve, "sti_lcp_answer", lib.sti_lcp_answer_clear
    _options, _verify, _verification = lib.sti_lcp_options_default, lib.sti_verify_lcp, "sti_verification"

    def enumerate(self, max_pieces: int = 0, time_limit_s: float = 0) -> "S.LcpSolutionSet":
        """All solutions, in exact arithmetic.

        >>> import stiction
        >>> stiction.parse({"kind": "lcp", "M": [[1, 2], [2, 1]], "q": [-1, -1]}).enumerate().vertex_count
        3
        """
        where, out = env(), ffi.new("sti_lcp_solution_set**")
        where.check(self._enumerate(where.c, self._c, max_pieces, time_limit_s, out))
        found = where.own_with_env(out[0], lib.sti_lcp_solution_set_destroy)
        return record(found.c, found)

    _enumerate: Any = staticmethod(lib.sti_lcp_enumerate)


class MLCP(LCP):
    """A u + C v + a = 0, 0 <= v orthogonal to D u + B v + b >= 0.

    >>> import stiction
    >>> problem = stiction.parse({"kind": "mlcp", "A": [[2]], "C": [[-1]], "D": [[1]], "B": [[0]], "a": [0], "b": [-1]})
    >>> problem.solve().u.tolist()
    [1.0]
    """

    kind = "mlcp"
    _fields = ("A", "C", "D", "B", "a", "b")
    _solve, _verify, _enumerate = lib.sti_mlcp_solve, lib.sti_verify_mlcp, staticmethod(lib.sti_mlcp_enumerate)


class AVI(LCP):
    """x in K with (M x + q)'(y - x) >= 0 for all y in K = { A x >= b, E x = e, lb <= x <= ub }; a relay is K = [-1, 1]^n, or another box.

    >>> import stiction
    >>> problem = stiction.parse({"kind": "relay", "M": [[2, 1], [-1, 2]], "q": [0.5, -5]})
    >>> answer = problem.solve()
    >>> answer.outcome, answer.verify().accepted, answer.u.tolist()
    ('solved', True, [-0.75, 1.0])
    """

    kind = "avi"
    _fields = ("M", "q", "A", "b", "E", "e", "lb", "ub")
    _solve, _verify = lib.sti_avi_solve, lib.sti_verify_avi

    def enumerate(self, max_pieces: int = 0, time_limit_s: float = 0) -> "S.LcpSolutionSet":
        """All solutions, those of the MLCP that it is: x comes first in them."""
        where = env()
        posed = where.new("sti_avi_posed", lib.sti_avi_posed_clear)
        where.check(lib.sti_avi_pose(where.c, self._c, posed.c))
        return MLCP(ffi.addressof(posed.c, "mlcp"), posed).enumerate(max_pieces, time_limit_s)


class QP(Problem):
    """min 1/2 x'P x + c'x with l <= A x <= u, lb <= x <= ub.

    >>> import stiction
    >>> problem = stiction.parse({"kind": "qp", "P": [[2]], "c": [-2], "ub": [0.5]})
    >>> round(float(problem.solve().x[0]), 6)
    0.5
    """

    kind, _fields = "qp", ("P", "c", "A", "l", "u", "lb", "ub")
    _solve, _answer, _clear = lib.sti_qp_solve, "sti_qp_answer", lib.sti_qp_answer_clear
    _options, _verify, _verification = lib.sti_conic_options_default, lib.sti_verify_qp, "sti_qp_verification"


class L1(Problem):
    """min |A x + b|_1.

    >>> import stiction
    >>> problem = stiction.parse({"kind": "l1", "A": [[1], [1], [1]], "b": [-1, -2, -9]})
    >>> problem.A.shape, round(float(problem.solve().x[0]), 6)
    ((3, 1), 2.0)
    """

    kind, _fields = "l1", ("A", "b")
    _solve, _answer, _clear = lib.sti_l1_solve, "sti_l1_answer", lib.sti_l1_answer_clear
    _options, _verify, _verification = lib.sti_l1_options_default, lib.sti_verify_l1, "sti_l1_verification"


class Contact(Problem):
    """Frictional contact with Coulomb's round cone, in the local form (W, q) or the global one (M, H, f, w).

    >>> import stiction
    >>> bed = stiction.Bed({"kind": "scene", "bed": {"layout": "box", "count": 20}, "time": 1})
    >>> report = bed.step()
    >>> problem = bed.problem()
    >>> problem.kind, problem.answer.verify().residual < 1e-3
    ('contact', True)
    """

    kind = "contact"
    _solve, _answer, _clear = lib.sti_contact_solve, "sti_contact_answer", lib.sti_contact_answer_clear
    _options, _verify, _verification = lib.sti_contact_options_default, lib.sti_verify_contact, "sti_contact_verification"
    answer: Optional["Answer"] = None  # of the step that posed it

    def _names(self) -> tuple:
        return ("M", "H", "f", "w", "mu") if getattr(self._c, "global") else ("W", "q", "mu")


class Answer(Record):
    """What is known after a solve: `outcome`, the point (`z`, `x`, `r`, ..), `residual`, `reason`, `certificate`.

    >>> import numpy as np, stiction
    >>> answer = stiction.lcp(np.array([[2.0, 1], [1, 2]]), [-5, -6])
    >>> answer.outcome, answer.exact, [str(z) for z in answer.z_exact]
    ('solved', True, ['4/3', '7/3'])
    >>> answer.verify().accepted
    True
    """

    def __init__(self, problem: Problem, c: Any, owner: Any) -> None:
        super().__init__(c, owner)
        object.__setattr__(self, "problem", problem)

    def __bool__(self) -> bool:
        return bool(self.outcome == "solved")

    def verify(self, tol: float = 1e-6) -> Record:
        """Checked by code that shares nothing with the solver: `accepted`, and `text` in a sentence."""
        where, problem = env(), self.problem
        out = ffi.new(problem._verification + "*")
        where.check(problem._verify(where.c, problem._c, self._c, tol, out))
        return record(out)

    def _repr_html_(self) -> str:
        rows = [f"<tr><th>{name}</th><td>{escape(str(getattr(self, name)))}</td></tr>"
                for name in ("outcome", "residual", "iterations", "reason")]
        return f"<table><caption>answer of {escape(self.problem.kind)}</caption>{''.join(rows)}</table>"


def lcp(M: Any, q: Any, **options: Any) -> "S.LcpAnswer":
    """Solve w = M z + q, 0 <= w orthogonal to z >= 0. M: numpy array or scipy.sparse matrix.

    >>> import stiction
    >>> stiction.lcp([[1, 0], [0, 1]], [-1, 2]).z.tolist()
    [1.0, 0.0]
    """
    keep: list = []
    c = ffi.new("sti_lcp*")
    q = np.ascontiguousarray(q, dtype=np.float64)
    c.n = q.size
    c.q, c.M = vector(q, None, "q", keep), matrix(M, q.size, q.size, "M", keep)
    return LCP(c, keep).solve(**options)  # type: ignore[return-value]


def mlcp(A: Any, C: Any, D: Any, B: Any, a: Any, b: Any, **options: Any) -> "S.LcpAnswer":
    """Solve A u + C v + a = 0, 0 <= v orthogonal to D u + B v + b >= 0; u and z (= v) are in the answer.

    >>> import stiction
    >>> answer = stiction.mlcp([[2]], [[-1]], [[1]], [[0]], [0], [-1])
    >>> answer.u.tolist(), answer.z.tolist()
    ([1.0], [2.0])
    """
    keep: list = []
    c = ffi.new("sti_mlcp*")
    n, m = np.size(a), np.size(b)
    c.n, c.m = n, m
    c.A, c.C = matrix(A, n, n, "A", keep), matrix(C, n, m, "C", keep)
    c.D, c.B = matrix(D, m, n, "D", keep), matrix(B, m, m, "B", keep)
    c.a, c.b = vector(a, n, "a", keep), vector(b, m, "b", keep)
    return MLCP(c, keep).solve(**options)  # type: ignore[return-value]


def avi(M: Any, q: Any, A: Any = None, b: Any = None, E: Any = None, e: Any = None, lb: Any = None, ub: Any = None,
        **options: Any) -> "S.LcpAnswer":
    """Solve the affine variational inequality over { A x >= b, E x = e, lb <= x <= ub }; in the answer u = (x, multipliers of E).

    >>> import stiction
    >>> answer = stiction.avi([[2, 0], [0, 2]], [-8, -2], lb=[0, 0], ub=[3, 3])
    >>> answer.u.tolist(), answer.verify().accepted
    ([3.0, 1.0], True)
    """
    keep: list = []
    c = ffi.new("sti_avi*")
    n = c.n = np.size(q)
    c.M, c.q = matrix(M, n, n, "M", keep), vector(q, n, "q", keep)
    for name, side, rows, count in (("A", "b", A, "m"), ("E", "e", E, "k")):
        given = b if side == "b" else e
        c_rows = 0 if rows is None else np.shape(rows)[0]
        setattr(c, count, c_rows)
        setattr(c, name, matrix(np.zeros((0, n)) if rows is None else rows, c_rows, n, name, keep))
        setattr(c, side, vector(np.zeros(0) if given is None else given, c_rows, side, keep))
    for name, bound in (("lb", lb), ("ub", ub)):
        if bound is not None:
            setattr(c, name, vector(bound, n, name, keep))
    return AVI(c, keep).solve(**options)  # type: ignore[return-value]


def relay(M: Any, q: Any, lb: Any = None, ub: Any = None, **options: Any) -> "S.LcpAnswer":
    """Solve M x + q in minus the normal cone of a box, [-1, 1]^n if none is given: u of the answer is x.

    >>> import stiction
    >>> stiction.relay([[2, 1], [-1, 2]], [0.5, -5]).u.tolist()
    [-0.75, 1.0]
    """
    n = np.size(q)
    return avi(M, q, lb=np.full(n, -1.0) if lb is None else lb, ub=np.full(n, 1.0) if ub is None else ub, **options)


def qp(P: Any, c: Any, A: Any = None, l: Any = None, u: Any = None, lb: Any = None, ub: Any = None, **options: Any) -> "S.QpAnswer":
    """Solve min 1/2 x'P x + c'x with l <= A x <= u and lb <= x <= ub. P or A may be None.

    >>> import stiction
    >>> stiction.qp([[2, 0], [0, 2]], [-2, -6], lb=[0, 0], ub=[5, 2]).x.round(6).tolist()
    [1.0, 2.0]
    """
    keep: list = []
    problem = ffi.new("sti_qp*")
    n = problem.n = np.size(c)
    problem.c = vector(c, n, "c", keep)
    if P is not None:
        problem.P = matrix(P, n, n, "P", keep)
    if A is not None:
        problem.A = matrix(A, None, n, "A", keep)
        problem.m = problem.A.rows
    else:
        problem.A.cols = n
    for name, bound, size in (("l", l, problem.m), ("u", u, problem.m), ("lb", lb, n), ("ub", ub, n)):
        if bound is not None:
            setattr(problem, name, vector(bound, size, name, keep))
    return QP(problem, keep).solve(**options)  # type: ignore[return-value]


def l1(A: Any, b: Any, **options: Any) -> "S.L1Answer":
    """Least |A x + b|_1, with a dual vector that proves how far the answer is from it.

    >>> import stiction
    >>> round(stiction.l1([[1], [1], [1]], [-1, -2, -9]).objective, 6)
    8.0
    """
    keep: list = []
    problem = ffi.new("sti_l1*")
    problem.A = matrix(A, np.size(b), None, "A", keep)
    problem.m, problem.n = problem.A.rows, problem.A.cols
    problem.b = vector(b, problem.m, "b", keep)
    return L1(problem, keep).solve(**options)  # type: ignore[return-value]


def contact(W: Any, q: Any, mu: Any, dimension: Optional[int] = None, **options: Any) -> "S.ContactAnswer":
    """Frictional contact, u = W r + q with Coulomb's law at every contact; normal first, d = len(q) / len(mu) numbers each.

    >>> import numpy as np, stiction
    >>> answer = stiction.contact(np.eye(3), [-1, 0.2, 0], [0.5])
    >>> np.abs(answer.r).round(9).tolist(), answer.residual < 1e-8
    ([1.0, 0.2, 0.0], True)
    """
    keep: list = []
    problem = ffi.new("sti_contact_problem*")
    count = problem.contact_count = np.size(mu)
    d = problem.dimension = dimension if dimension is not None else np.size(q) // max(count, 1)
    problem.mu, problem.q = vector(mu, count, "mu", keep), vector(q, d * count, "q", keep)
    problem.W = matrix(W, d * count, d * count, "W", keep)
    return Contact(problem, keep).solve(**options)  # type: ignore[return-value]
