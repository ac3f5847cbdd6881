"""Problems from numpy, scipy and files: answers, proofs, errors."""

import gc
import os
import pickle
import subprocess
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import stiction

PROBLEMS = Path(__file__).parents[2] / "problems"


def test_lcp_is_solved_and_verified():
    M, q = np.array([[2.0, 1], [1, 2]]), np.array([-5.0, -6])
    answer = stiction.lcp(M, q)
    assert answer.outcome == "solved" and bool(answer)
    assert np.allclose(M @ answer.z + q, answer.w)
    assert list(answer.z_exact) == [Fraction(4, 3), Fraction(7, 3)]
    check = answer.verify()
    assert check.accepted and check.exact


def test_no_solution_has_a_certificate():
    answer = stiction.lcp([[-1.0]], [-1.0])
    assert answer.outcome == "no_solution"
    assert answer.certificate.proof in ("farkas", "branch")
    assert answer.certificate.y.shape == (answer.certificate.leaf_count, 1)
    assert answer.verify().accepted


def test_arrays_are_views_that_keep_the_answer_alive():
    answer = stiction.lcp(np.eye(50), -np.arange(1.0, 51))
    z = answer.z
    assert not z.flags.writeable and not z.flags.owndata
    del answer
    gc.collect()
    assert np.array_equal(z, np.arange(1.0, 51))


def test_arrays_go_in_without_a_copy():
    M, q = np.eye(3), np.array([-1.0, -2, 3])
    problem = stiction.lcp(M, q).problem
    assert np.shares_memory(problem.M, M) and np.shares_memory(problem.q, q)


@pytest.mark.parametrize("form", ["csr_matrix", "csc_matrix", "coo_matrix"])
def test_sparse_matrices(form):
    n = 200
    dense = np.diag(np.full(n, 2.0)) - np.diag(np.ones(n - 1), 1) - np.diag(np.ones(n - 1), -1)
    q = np.where(np.arange(n) % 7 == 0, 1.0, -0.5)
    sparse = stiction.lcp(getattr(scipy.sparse, form)(dense), q, solver="newton")
    assert sparse and np.allclose(sparse.z, stiction.lcp(dense, q, solver="newton").z, atol=1e-9)
    assert np.array_equal(sparse.problem.M.toarray(), dense)


def test_entries_given_twice_are_summed_as_scipy_does():
    M = scipy.sparse.coo_matrix(([1.0, 1.0, 3.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    assert np.allclose(stiction.lcp(M, [-4.0, -3.0]).z, [2, 1])


def test_other_problems():
    assert stiction.qp([[2.0]], [-2.0], ub=[0.5]).verify().accepted
    infeasible = stiction.qp(None, [1.0], A=[[1.0]], l=[2.0], ub=[1.0])
    assert infeasible.outcome == "infeasible" and infeasible.verify().accepted
    assert stiction.l1([[1.0, 0], [0, 1], [1, 1]], [1, -2, 0]).verify().accepted
    answer = stiction.contact(np.eye(3), [-1.0, 2.0, 0], [0.3], describe=True)
    assert answer.verify().accepted and np.allclose(answer.r, [1, -0.3, 0])


def test_files_and_dictionaries():
    problem = stiction.load(PROBLEMS / "murty_8.json")
    assert problem.kind == "lcp" and problem.M.shape == (8, 8)
    assert problem.solve().verify().accepted
    assert "<table>" in problem._repr_html_() and "solved" in problem.solve()._repr_html_()
    rocks = stiction.load(PROBLEMS / "box_on_corners.hdf5")
    assert rocks.kind == "contact" and rocks.solve().verify().accepted
    assert stiction.parse({"kind": "lcp", "M": np.eye(2), "q": np.array([-1, 1])}).enumerate().vertex_count == 1


def test_bad_input_names_file_field_and_value(tmp_path):
    file = tmp_path / "bad.json"
    file.write_text('{"kind": "lcp", "M": [[1, 2]], "q": [1]}')
    with pytest.raises(stiction.InputError) as caught:
        stiction.load(file)
    error = caught.value
    assert (error.file, error.field, error.value) == (str(file), "M", "1 x 2") and isinstance(error, ValueError)
    with pytest.raises(OSError):
        stiction.load(tmp_path / "none.json")


def test_bad_arguments():
    with pytest.raises(ValueError, match="M: shape"):
        stiction.lcp(np.eye(3), [1.0, 2.0])
    with pytest.raises(ValueError):
        stiction.lcp([[np.nan]], [1.0])
    with pytest.raises(ValueError, match="one of auto, lemke"):
        stiction.lcp([[1.0]], [1.0], solver="magic")
    with pytest.raises(TypeError, match="no option"):
        stiction.lcp([[1.0]], [1.0], tolerance=1)
    with pytest.raises(TypeError, match="bodies"):
        stiction.World({"kind": "scene", "bed": {"layout": "box", "count": 4}, "time": 1})


def test_the_interpreter_goes_on_meanwhile():
    n = 400
    M = np.random.default_rng(1).normal(size=(n, n))
    M = M @ M.T + np.eye(n)
    ticks, answers = [], []
    thread = threading.Thread(target=lambda: answers.append(stiction.lcp(M, -np.ones(n), solver="pgs", max_iterations=3000, tol=1e-300)))
    thread.start()
    while thread.is_alive():
        thread.join(0.002)
        ticks.append(1)
    assert answers and answers[0].time_s > 0.02 and len(ticks) > 3


def test_a_problem_is_posed_before_it_is_solved():
    assert stiction.LCP([[1, 2], [2, 1]], [-1, -1]).enumerate().vertex_count == 3
    assert stiction.MLCP([[2]], [[-1]], [[1]], [[0]], [0], [-1]).solve().u.tolist() == [1]
    assert stiction.QP(np.eye(2), [-1, -2], lb=0, ub=1.5).solve().x == pytest.approx([1, 1.5])
    assert stiction.QP(None, [1.0, 1.0], A=np.eye(2), l=2, u=np.inf).solve().x == pytest.approx([2, 2])
    assert stiction.AVI([[2, 0], [0, 2]], [-8, -2], lb=0, ub=3).solve().u.tolist() == [3, 1]
    with pytest.raises(TypeError, match="stiction.load"):
        stiction.Root(["x"])


def test_fractions_stay_exact():
    third = Fraction(1, 3)
    assert stiction.lcp([[third]], [-1]).z_exact.tolist() == [3]
    assert stiction.lcp([["1/3"]], ["-2/7"]).z_exact.tolist() == [Fraction(6, 7)]
    assert stiction.LCP(np.array([[third]], dtype=object), [-1]).solve().exact
    assert stiction.mlcp([[1]], [[-third]], [[1]], [[0]], [0], [-1]).u.tolist() == [1]


@pytest.mark.parametrize("M", [np.array([[2, 1j], [1, 2]]), scipy.sparse.csc_matrix([[2, 1j], [1, 2]]), [[2, 1], [1]], [[None, 1], [1, 2]]],
                         ids=["complex", "sparse", "ragged", "None"])
def test_what_is_no_matrix_of_real_numbers_is_refused(M):
    with pytest.raises(stiction.InputError, match="M"):
        stiction.lcp(M, [-5, -6])
    with pytest.raises(ValueError, match="P"):
        stiction.qp(M, [-5, -6])


def test_contact_in_the_global_form_is_that_in_the_local_one():
    rng = np.random.default_rng(3)
    H, f, w, M = rng.normal(size=(7, 6)), rng.normal(size=7), rng.normal(size=6), np.diag(rng.uniform(1, 2, 7))
    W, q = H.T @ np.linalg.solve(M, H), H.T @ np.linalg.solve(M, f) + w
    local, other = stiction.contact(W, q, [0.3, 0.6]), stiction.contact(M=scipy.sparse.csc_matrix(M), H=H, f=f, w=w, mu=[0.3, 0.6])
    assert other.verify().accepted and np.allclose(local.r, other.r, atol=1e-6)
    assert np.allclose(M @ other.v, H @ other.r + f, atol=1e-6)
    assert stiction.contact(np.eye(4), [-1, 0.1, -1, 0.1], 0.5, dimension=2).r.shape == (4,)
    with pytest.raises(stiction.InputError, match="2 or 3 is expected"):
        stiction.contact(np.eye(6), -np.ones(6), 0.5)
    with pytest.raises(stiction.InputError, match="W, q and mu, or M, H, f and mu"):
        stiction.contact(W, q)
    with pytest.raises(stiction.InputError, match="rows for each"):
        stiction.contact(np.eye(6), -np.ones(6), [0.5])


SOLVED = {
    "lcp": lambda: stiction.LCP([["2/3", 1], [1, 2]], [-5, -6]), "none": lambda: stiction.LCP([[-1.0]], [-1.0]),
    "mlcp": lambda: stiction.MLCP([[2]], [[-1]], [[1]], [[0]], [0], [-1]), "avi": lambda: stiction.AVI([[2, 0], [0, 2]], [-8, -2], lb=0, ub=3),
    "qp": lambda: stiction.QP([[2.0, 0], [0, 2]], [-2.0, -2], ub=[0.5, np.inf]), "l1": lambda: stiction.L1([[1.0, 0], [0, 1], [1, 1]], [1, -2, 0]),
    "contact": lambda: stiction.Contact(np.eye(3), [-1, 0.2, 0], 0.5), "fclib": lambda: stiction.load(PROBLEMS / "siconos_one_object.hdf5"),
    "vi": lambda: stiction.parse({"kind": "vi", "variables": {"x": [0, None]}, "F": ["x^2 - 2"], "start": [1]})}


@pytest.mark.parametrize("make", SOLVED.values(), ids=list(SOLVED))
def test_problems_and_answers_go_through_files_and_pickle(make, tmp_path):
    problem = make()
    answer = problem.solve()
    name = tmp_path / ("problem.hdf5" if problem.kind == "contact" else "problem.json")
    problem.save(name)
    answer.save(tmp_path / "answer.json")
    claim = stiction.load(name).read_answer(tmp_path / "answer.json")
    assert claim.outcome == answer.outcome and claim.verify().accepted
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    assert subprocess.run([stiction.command(), "verify", name, tmp_path / "answer.json", "--quiet"], env=environment).returncode == 0
    again = pickle.loads(pickle.dumps(answer))
    assert again.outcome == answer.outcome and again.verify().accepted
    assert pickle.loads(pickle.dumps(problem)).solve().outcome == answer.outcome
    assert not list(tmp_path.glob("*.tmp"))


def test_an_answer_says_what_it_is():
    assert repr(stiction.lcp([[2.0]], [-1.0])).startswith("<answer of lcp: solved, z = [0.5], residual 0")
    assert "no solution" in repr(stiction.lcp([[-1.0]], [-1.0]))


def test_solvability_is_tested_before_anything_is_solved():
    M = [[1, -1], [-1, 1]]  # solutions of the homogeneous problem: multiples of (1, 1)
    good, bad = stiction.LCP(M, [2, -1]).homogeneous(), stiction.LCP(M, [-2, 1]).homogeneous()
    assert good.solvable is True and good.implication is True and good.min_qv == pytest.approx(0.5) and good.v == pytest.approx([0.5, 0.5])
    assert bad.implication is False and bad.min_qv < 0
    with pytest.raises(TypeError, match="an LCP is expected"):
        stiction.MLCP([[2]], [[-1]], [[1]], [[0]], [0], [-1]).homogeneous()
    found = stiction.Contact(np.eye(3), [-1, 0.2, 0], 0.5).existence()
    assert found.exists and found.definite and found.pointed.finding == "holds"
