"""Problems from numpy, scipy and files: answers, proofs, errors."""

import gc
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
