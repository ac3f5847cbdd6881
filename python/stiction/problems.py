"""Problems and what is proved of them: LCP, MLCP, quadratic programs, frictional contact, least sums of absolute
values."""

from __future__ import annotations

import os
import tempfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union

import numpy as np

from ._env import Env, InputError, env
from ._record import Record, fill, matrix, matrix_out, reals, record, vector
from ._stiction import ffi, lib

if TYPE_CHECKING:
    from . import _structs as S

P = TypeVar("P", bound="Problem")


class Problem:
    """A posed problem: solve() gives an answer, and the answer's verify() checks it by code that shares nothing with
    the solver.

    save() writes it to a file that the command reads too, read_answer() reads an answer that was saved.

    >>> import stiction
    >>> problem = stiction.parse({"kind": "lcp", "M": [[2]], "q": [-1]})
    >>> problem.kind, problem.solve(solver="lemke").z.tolist()
    ('lcp', [0.5])
    """

    kind = ""
    _c: Any
    _keep: Any
    _fields: tuple = ()
    _solve: Any
    _answer: Any
    _clear: Any
    _options: Any
    _verify: Any
    _verification = ""

    _save: Any = None  # to a file: (env, problem, path); None: as a document
    _answer_save: Any = None
    _answer_load: Any = None
    _document: Any = None  # that it was read from; None: made of arrays

    def __init__(self, *arguments: Any) -> None:
        raise TypeError(f"{type(self).__name__}: stiction.load, stiction.parse or stiction.{self.kind} makes one")

    @classmethod
    def _of(cls: "type[P]", c: Any, keep: Any, document: Any = None) -> P:
        """Of what the library holds."""
        self = cls.__new__(cls)
        self._c, self._keep, self._document = c, keep, document
        return self

    def _is(self, content: dict) -> None:
        """This is what a dictionary says, fractions included."""
        from .documents import parse
        vars(self).update(vars(parse({"kind": self.kind, **content})))

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

    def save(self, path: Union[str, os.PathLike]) -> None:
        """To a file that load() and the command read, whole or not at all: .json, or .hdf5 (of contact only that)."""
        where, name = env(), os.fspath(path)
        if self._save is not None:
            where.check(self._save(where.c, self._c, name.encode()), name)
        else:
            from .documents import parse
            document = self._document
            if document is None and type(self).__init__ is not Problem.__init__:
                document = parse({"kind": self.kind, **{part: _bounds(value) for part, value in self._parts().items()}}, name)._document
            if document is None or document.settings or document._written() is None:
                raise TypeError(f"{self!r}: it has no file of its own: keep the one that it is from")
            Path(name + ".tmp").write_bytes(document._source)
            os.replace(name + ".tmp", name)

    def read_answer(self, path: Union[str, os.PathLike]) -> "Answer":
        """An answer that was saved, by save() or by `stiction solve --output`: claims that verify() checks."""
        if self._answer_load is None:
            raise TypeError(f"{self!r}: answers of this kind are not read from files")
        where, name = env(), os.fspath(path)
        answer = where.new(self._answer, self._clear)
        where.check(self._answer_load(where.c, self._c, name.encode(), answer.c), name)
        return Answer(self, answer.c, answer)

    def _parts(self) -> dict:
        """What it was made of, by the names of the arguments."""
        found = {name: getattr(self, name) for name in self._fields}
        return {name: value for name, value in found.items() if value is not None and np.size(value.data if hasattr(value, "tocsc") else value) > 0}

    def __reduce__(self) -> tuple:
        if self._document is not None and self._document._written() is not None:
            return _read_again, (self._document,)
        if type(self).__init__ is Problem.__init__:
            raise TypeError(f"{self!r}: it goes nowhere without the file that it is from")
        return _made_again, (type(self), self._parts())

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
    >>> stiction.LCP([[1, 2], [2, 1]], [-1, -1]).enumerate().vertex_count
    3
    """

    kind = "lcp"
    names: tuple = ()  # of w and z, where they mean something
    _fields: tuple = ("M", "q")
    _solve, _answer, _clear = lib.sti_lcp_solve, "sti_lcp_answer", lib.sti_lcp_answer_clear
    _options, _verify, _verification = lib.sti_lcp_options_default, lib.sti_verify_lcp, "sti_verification"
    _save: Any = staticmethod(lib.sti_lcp_save)
    _answer_save: Any = staticmethod(lambda where, problem, answer, path: lib.sti_lcp_answer_save(where, answer, path))
    _answer_load: Any = staticmethod(lambda where, problem, path, out: lib.sti_lcp_answer_load(where, path, out))

    def __init__(self, M: Any, q: Any) -> None:
        """M: numpy array or scipy.sparse matrix; fractions and texts like "2/3" stay exact."""
        if _exact(M, q):
            return self._is({"M": M, "q": q})
        self._keep = keep = []  # type: list
        c = self._c = ffi.new("sti_lcp*")
        c.q, c.n = vector(q, None, "q", keep), keep[-1].size
        c.M = matrix(M, c.n, c.n, "M", keep)

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

    def homogeneous(self) -> "S.HomogeneousTest":
        """Solvability by the problem with q = 0: `solvable` where M is copositive and q'v >= 0 for all its solutions v,
        `v` where least.

        >>> import stiction
        >>> stiction.LCP([[1, -1], [-1, 1]], [1, 1]).homogeneous().solvable
        True
        """
        if self.kind != "lcp":
            raise TypeError(f"{self!r}: an LCP is expected")
        where, classes, out = env(), ffi.new("sti_classes**"), ffi.new("sti_homogeneous_test**")
        chosen = ffi.new("sti_classes_options*", lib.sti_classes_options_default())
        where.check(lib.sti_classes_create(where.c, ffi.addressof(self._c, "M"), self._c.M_exact, chosen, classes))
        owner = where.own_with_env(classes[0], lib.sti_classes_destroy)
        where.check(lib.sti_homogeneous_test_create(where.c, self._c, owner.c, out))
        found = where.own_with_env(out[0], lib.sti_homogeneous_test_destroy)
        return record(found.c, found, {"n": self.n})

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
    _save: Any = staticmethod(lib.sti_mlcp_save)

    def __init__(self, A: Any, C: Any, D: Any, B: Any, a: Any, b: Any) -> None:
        if _exact(A, C, D, B, a, b):
            return self._is({"A": A, "C": C, "D": D, "B": B, "a": a, "b": b})
        self._keep = keep = []  # type: list
        c = self._c = ffi.new("sti_mlcp*")
        c.a, c.n = vector(a, None, "a", keep), keep[-1].size
        c.b, c.m = vector(b, None, "b", keep), keep[-1].size
        c.A, c.C = matrix(A, c.n, c.n, "A", keep), matrix(C, c.n, c.m, "C", keep)
        c.D, c.B = matrix(D, c.m, c.n, "D", keep), matrix(B, c.m, c.m, "B", keep)


class AVI(LCP):
    """x in K with (M x + q)'(y - x) >= 0 for all y in K = { A x >= b, E x = e, lb <= x <= ub }; a relay is K = [-1,
    1]^n, or another box.

    >>> import stiction
    >>> problem = stiction.parse({"kind": "relay", "M": [[2, 1], [-1, 2]], "q": [0.5, -5]})
    >>> answer = problem.solve()
    >>> answer.outcome, answer.verify().accepted, answer.u.tolist()
    ('solved', True, [-0.75, 1.0])
    """

    kind = "avi"
    _fields = ("M", "q", "A", "b", "E", "e", "lb", "ub")
    _solve, _verify = lib.sti_avi_solve, lib.sti_verify_avi
    _save: Any = staticmethod(lib.sti_avi_save)
    _answer_save: Any = staticmethod(lambda where, problem, answer, path: lib.sti_avi_answer_save(where, problem, answer, lib.STI_KIND_AVI, path))

    def __init__(self, M: Any, q: Any, A: Any = None, b: Any = None, E: Any = None, e: Any = None, lb: Any = None, ub: Any = None) -> None:
        """lb, ub: a number for each x, or one for all; infinite or None: no bound."""
        self._keep = keep = []  # type: list
        c = self._c = ffi.new("sti_avi*")
        c.q, n = vector(q, None, "q", keep), keep[-1].size
        c.n, c.M = n, matrix(M, n, n, "M", keep)
        for name, side, rows, given, count in (("A", "b", A, b, "m"), ("E", "e", E, e, "k")):
            setattr(c, name, matrix(np.zeros((0, n)) if rows is None else rows, None, n, name, keep))
            setattr(c, count, getattr(c, name).rows)
            setattr(c, side, vector(np.zeros(0) if given is None else given, getattr(c, name).rows, side, keep))
        for name, bound in (("lb", lb), ("ub", ub)):
            if bound is not None:
                setattr(c, name, vector(bound, n, name, keep, spread=True))

    def enumerate(self, max_pieces: int = 0, time_limit_s: float = 0) -> "S.LcpSolutionSet":
        """All solutions, those of the MLCP that it is: x comes first in them."""
        where = env()
        posed = where.new("sti_avi_mlcp", lib.sti_avi_mlcp_clear)
        where.check(lib.sti_avi_mlcp_make(where.c, self._c, posed.c))
        return MLCP._of(ffi.addressof(posed.c, "mlcp"), posed).enumerate(max_pieces, time_limit_s)


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
    _answer_save: Any = staticmethod(lambda where, problem, answer, path: lib.sti_qp_answer_save(where, answer, path))
    _answer_load: Any = staticmethod(lib.sti_qp_answer_load)

    def __init__(self, P: Any, c: Any, A: Any = None, l: Any = None, u: Any = None, lb: Any = None, ub: Any = None) -> None:
        """P or A may be None; bounds: a number for each, or one for all; infinite or None: no bound."""
        self._keep = keep = []  # type: list
        problem = self._c = ffi.new("sti_qp*")
        problem.c, n = vector(c, None, "c", keep), keep[-1].size
        problem.n = n
        if P is not None:
            problem.P = matrix(P, n, n, "P", keep)
        if A is not None:
            problem.A = matrix(A, None, n, "A", keep)
            problem.m = problem.A.rows
        else:
            problem.A.cols = n
        for name, bound, size in (("l", l, problem.m), ("u", u, problem.m), ("lb", lb, n), ("ub", ub, n)):
            if bound is not None:
                setattr(problem, name, vector(bound, size, name, keep, spread=True))


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
    _save: Any = staticmethod(lib.sti_l1_save)
    _answer_save: Any = staticmethod(lambda where, problem, answer, path: lib.sti_l1_answer_save(where, answer, path))
    _answer_load: Any = staticmethod(lib.sti_l1_answer_load)

    def __init__(self, A: Any, b: Any) -> None:
        self._keep = keep = []  # type: list
        problem = self._c = ffi.new("sti_l1*")
        problem.b, problem.m = vector(b, None, "b", keep), keep[-1].size
        problem.A = matrix(A, problem.m, None, "A", keep)
        problem.n = problem.A.cols


class Contact(Problem):
    """Frictional contact with Coulomb's round cone at every contact, normal first:

    - local: u = W r + V l + q, V'r + R l + s = 0;
    - global: M v = H r + G l + f, u = H'v + w, G'v + b = 0.

    mu: a number for each contact, or one for all, which then takes `dimension` (2 or 3).

    >>> import numpy as np, stiction
    >>> answer = stiction.Contact(M=2 * np.eye(3), H=np.eye(3), f=[-1, 0.2, 0], mu=0.5).solve()
    >>> np.abs(answer.r).round(9).tolist(), answer.verify().accepted
    ([1.0, 0.2, 0.0], True)
    """

    kind = "contact"
    _solve, _answer, _clear = lib.sti_contact_solve, "sti_contact_answer", lib.sti_contact_answer_clear
    _options, _verify, _verification = lib.sti_contact_options_default, lib.sti_verify_contact, "sti_contact_verification"
    _save: Any = staticmethod(lambda where, problem, path: lib.sti_contact_save(where, problem, ffi.NULL, path))
    _answer_save: Any = staticmethod(lib.sti_contact_answer_save)
    _answer_load: Any = staticmethod(lib.sti_contact_answer_load)
    answer: Optional["Answer"] = None  # of the step that posed it

    def __init__(self, W: Any = None, q: Any = None, mu: Any = None, dimension: Optional[int] = None, *, V: Any = None, R: Any = None,
                 s: Any = None, M: Any = None, H: Any = None, f: Any = None, w: Any = None, G: Any = None, b: Any = None) -> None:
        local = {"W": W, "q": q, "V": V, "R": R, "s": s}
        other = {"M": M, "H": H, "f": f, "w": w, "G": G, "b": b}
        given = {name for name, value in {**local, **other}.items() if value is not None}
        is_global = bool(given & set(other))
        missing = ({"M", "H", "f"} if is_global else {"W", "q"}) - given
        if missing or mu is None or (is_global and given & set(local)):
            raise InputError("contact: W, q and mu, or M, H, f and mu are expected")
        self._keep = keep = []  # type: list
        c = self._c = ffi.new("sti_contact_problem*")
        rows = np.shape(H)[-1] if is_global else np.size(q)
        c.contact_count, c.dimension = _contacts(reals(mu, "mu"), rows, dimension)
        c.mu = vector(mu, c.contact_count, "mu", keep, spread=True)
        setattr(c, "global", is_global)
        if is_global:
            c.f, c.velocity_count = vector(f, None, "f", keep), keep[-1].size
            c.M, c.H = matrix(M, c.velocity_count, c.velocity_count, "M", keep), matrix(H, c.velocity_count, rows, "H", keep)
            c.w = vector(np.zeros(rows) if w is None else w, rows, "w", keep)
            if G is not None:
                c.G = matrix(G, c.velocity_count, None, "G", keep)
                c.bilateral_count = c.G.cols
                c.b = vector(np.zeros(c.G.cols) if b is None else b, c.G.cols, "b", keep)
            return
        c.W, c.q = matrix(W, rows, rows, "W", keep), vector(q, rows, "q", keep)
        if V is not None:
            c.V = matrix(V, rows, None, "V", keep)
            k = c.bilateral_count = c.V.cols
            c.R, c.s = matrix(np.zeros((k, k)) if R is None else R, k, k, "R", keep), vector(np.zeros(k) if s is None else s, k, "s", keep)

    def existence(self, time_limit_s: float = 0) -> "S.ContactExistence":
        """Does the friction law leave room for a solution, by the criterion of docs/contact.md, with vectors that prove
        it?"""
        where = env()
        found = where.new("sti_contact_existence", lib.sti_contact_existence_clear)
        where.check(lib.sti_contact_existence_analyze(where.c, self._c, time_limit_s, found.c))
        return record(found.c, found)

    def _names(self) -> tuple:
        return ("M", "H", "f", "w", "mu") if getattr(self._c, "global") else ("W", "q", "mu")

    def _parts(self) -> dict:
        if self._c.W_op != ffi.NULL or self._c.section != ffi.NULL:
            raise TypeError(f"{self!r}: it holds what is no array")
        bilateral = (("G", "b") if getattr(self._c, "global") else ("V", "R", "s")) if self._c.bilateral_count > 0 else ()
        return {"dimension": self.dimension, **{name: getattr(self, name) for name in (*self._names(), *bilateral)}}


def _contacts(mu: np.ndarray, rows: int, dimension: Optional[int]) -> tuple:
    """How many contacts, and of which dimension."""
    count = mu.size if mu.ndim == 1 else 0
    if mu.ndim == 0:
        if dimension is None and rows not in (2, 3):
            raise InputError(f"dimension: one mu for {rows} rows: 2 or 3 is expected")
        count = rows // max(dimension or rows, 1)
    d = dimension if dimension is not None else rows // max(count, 1)
    if mu.ndim > 1 or d not in (2, 3) or count * d != rows:
        raise InputError(f"mu: {mu.size} contacts for {rows} rows: 2 or 3 rows for each are expected")
    return count, d


def _exact(*values: Any) -> bool:
    """Is there something that doubles do not hold: fractions, or texts like "2/3"?"""
    for value in values:
        if not hasattr(value, "tocsc") and not (isinstance(value, np.ndarray) and value.dtype.kind in "fiub"):
            try:
                if np.asarray(value).dtype.kind in "OU":
                    return True
            except ValueError:  # rows of several lengths
                return False
    return False


def _bounds(value: Any) -> Any:
    """As JSON has them: None for what is not finite."""
    if not isinstance(value, np.ndarray) or value.ndim != 1:
        return value.toarray() if hasattr(value, "toarray") else value
    return [number if np.isfinite(number) else None for number in value.tolist()]


def _read_again(document: Any) -> Any:
    from .documents import _inside
    return _inside(document)


def _made_again(kind: Any, parts: dict) -> Any:
    return kind(**parts)


def _answered_again(problem: Problem, name: str, content: bytes) -> "Answer":
    with tempfile.TemporaryDirectory() as room:
        Path(room, name).write_bytes(content)
        return problem.read_answer(Path(room, name))


# Of an answer, what is shown of its point.
_POINTS = {"sti_lcp_answer": ("u", "z"), "sti_qp_answer": ("x",), "sti_l1_answer": ("x",), "sti_contact_answer": ("r",),
           "sti_stochastic_answer": ("x",), "sti_vi_answer": ("x",)}


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

    def __repr__(self) -> str:
        if self.problem._answer not in _POINTS:
            return super().__repr__()
        said = [str(self.outcome).replace("_", " ")]
        if self:
            values = [(name, getattr(self, name)) for name in _POINTS[self.problem._answer]]
            said += [f"{name} = {np.array2string(value, precision=6, threshold=8, separator=', ')}" for name, value in values if value is not None and value.size]
        if "residual" in self._fields() and np.isfinite(self.residual):
            said.append(f"residual {self.residual:.3g}")
        return f"<answer of {self.problem.kind}: {', '.join(said)}{'; ' + self.reason if 'reason' in self._fields() and self.reason else ''}>"

    def save(self, path: Union[str, os.PathLike]) -> None:
        """To a .json file, as `stiction solve --output` does; `stiction verify` and read_answer() of the problem read
        it."""
        where, problem, name = env(), self.problem, os.fspath(path)
        if problem._answer_save is None:
            raise TypeError(f"{self!r}: answers of this kind are not written to files")
        where.check(problem._answer_save(where.c, problem._c, self._c, name.encode()), name)

    def __reduce__(self) -> tuple:
        """Pickled is what save() writes."""
        with tempfile.TemporaryDirectory() as room:
            self.save(Path(room, "answer.json"))
            return _answered_again, (self.problem, "answer.json", Path(room, "answer.json").read_bytes())

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
    return LCP(M, q).solve(**options)  # type: ignore[return-value]


def mlcp(A: Any, C: Any, D: Any, B: Any, a: Any, b: Any, **options: Any) -> "S.LcpAnswer":
    """Solve A u + C v + a = 0, 0 <= v orthogonal to D u + B v + b >= 0; u and z (= v) are in the answer.

    >>> import stiction
    >>> answer = stiction.mlcp([[2]], [[-1]], [[1]], [[0]], [0], [-1])
    >>> answer.u.tolist(), answer.z.tolist()
    ([1.0], [2.0])
    """
    return MLCP(A, C, D, B, a, b).solve(**options)  # type: ignore[return-value]


def avi(M: Any, q: Any, A: Any = None, b: Any = None, E: Any = None, e: Any = None, lb: Any = None, ub: Any = None,
        **options: Any) -> "S.LcpAnswer":
    """Solve the affine variational inequality over { A x >= b, E x = e, lb <= x <= ub }; in the answer u = (x,
    multipliers of E).

    >>> import stiction
    >>> answer = stiction.avi([[2, 0], [0, 2]], [-8, -2], lb=[0, 0], ub=[3, 3])
    >>> answer.u.tolist(), answer.verify().accepted
    ([3.0, 1.0], True)
    """
    return AVI(M, q, A, b, E, e, lb, ub).solve(**options)  # type: ignore[return-value]


def relay(M: Any, q: Any, lb: Any = None, ub: Any = None, **options: Any) -> "S.LcpAnswer":
    """Solve M x + q in minus the normal cone of a box, [-1, 1]^n if none is given: u of the answer is x.

    >>> import stiction
    >>> stiction.relay([[2, 1], [-1, 2]], [0.5, -5]).u.tolist()
    [-0.75, 1.0]
    """
    return avi(M, q, lb=-1.0 if lb is None else lb, ub=1.0 if ub is None else ub, **options)


def qp(P: Any, c: Any, A: Any = None, l: Any = None, u: Any = None, lb: Any = None, ub: Any = None, **options: Any) -> "S.QpAnswer":
    """Solve min 1/2 x'P x + c'x with l <= A x <= u and lb <= x <= ub. P or A may be None.

    >>> import stiction
    >>> stiction.qp([[2, 0], [0, 2]], [-2, -6], lb=[0, 0], ub=[5, 2]).x.round(6).tolist()
    [1.0, 2.0]
    """
    return QP(P, c, A, l, u, lb, ub).solve(**options)  # type: ignore[return-value]


def l1(A: Any, b: Any, **options: Any) -> "S.L1Answer":
    """Least |A x + b|_1, with a dual vector that proves how far the answer is from it.

    >>> import stiction
    >>> round(stiction.l1([[1], [1], [1]], [-1, -2, -9]).objective, 6)
    8.0
    """
    return L1(A, b).solve(**options)  # type: ignore[return-value]


def contact(W: Any = None, q: Any = None, mu: Any = None, dimension: Optional[int] = None, *, V: Any = None, R: Any = None, s: Any = None,
            M: Any = None, H: Any = None, f: Any = None, w: Any = None, G: Any = None, b: Any = None, **options: Any) -> "S.ContactAnswer":
    """Frictional contact, u = W r + q (or in the global form M v = H r + f, u = H'v + w) with Coulomb's law at every
    contact (Contact).

    >>> import numpy as np, stiction
    >>> answer = stiction.contact(np.eye(3), [-1, 0.2, 0], [0.5])
    >>> np.abs(answer.r).round(9).tolist(), answer.residual < 1e-8
    ([1.0, 0.2, 0.0], True)
    """
    return Contact(W, q, mu, dimension, V=V, R=R, s=s, M=M, H=H, f=f, w=w, G=G, b=b).solve(**options)  # type: ignore[return-value]
