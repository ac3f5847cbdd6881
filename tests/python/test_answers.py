"""Roots, bounds, scenarios, fits, flow, orders: known answers; and every field of every answer can be read."""

import json
import os
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import stiction
from stiction import analyze
from stiction._record import Record

PROBLEMS = Path(__file__).parents[2] / "problems"


def walk(value, depth=0):
    """Reads all there is to read; the number of values."""
    if isinstance(value, (list, tuple)):
        return 1 + sum(walk(item, depth + 1) for item in value[:3])
    if not isinstance(value, Record) or depth > 6:
        return 1
    hidden = ("memory", "env", "user", "inside")  # of the library's own
    return sum(walk(getattr(value, name), depth + 1) for name in value._fields() if name not in hidden)


GRASP = {"kind": "grasp", "dimension": 2, "center": [0, 0], "contacts": [
    {"point": [-1, 0.2], "normal": [1, 0], "mu": 0.5}, {"point": [1, 0], "normal": [-1, 0], "mu": 0.5}]}
TWO_STAGE = {"kind": "stochastic", "Q0": [[2]], "c0": [-2], "scenarios": [
    {"p": 0.5, "Q": [[2]], "c": [0], "W": [[1]], "W0": [[-1]], "d": [0]},
    {"p": 0.5, "Q": [[2]], "c": [0], "W": [[1]], "W0": [[-1]], "d": [1]}]}
ANSWERS = {
    "lcp": lambda: stiction.lcp([[2, 1], [1, 2]], [-5, -6]),
    "no solution": lambda: stiction.load(PROBLEMS / "horn_no_solution.json").solve(),
    "all solutions": lambda: stiction.load(PROBLEMS / "rod_four_solutions.json").enumerate(),
    "contact": lambda: stiction.load(PROBLEMS / "siconos_one_object.hdf5").solve(describe=True),
    "existence": lambda: stiction.load(PROBLEMS / "siconos_one_object.hdf5").existence(),
    "homogeneous": lambda: stiction.load(PROBLEMS / "murty_8.json").homogeneous(),
    "actuation": lambda: analyze.actuation("rocking-block", {"x": (-1, 1)})["nn"],
    "qp": lambda: stiction.qp([[2.0]], [-2.0], ub=[0.5]),
    "l1": lambda: stiction.l1([[1.0, 0], [0, 1], [1, 1]], [1, -2, 0]),
    "avi": lambda: stiction.avi([[2, 1], [0, 2]], [-8, -6], A=[[-1, -1]], b=[-3], E=[[1, -1]], e=[0], lb=[0, -np.inf], ub=[4, 4]),
    "relay": lambda: stiction.relay([[2, 1], [-1, 2]], [0.5, -5]),
    "ncp": lambda: stiction.ncp(["x", "y"], ["x^2 - 2", "y + x"], start=[1, 1]),
    "stochastic": lambda: stiction.parse(TWO_STAGE).solve(),
    "root": lambda: stiction.root({"x": (-2, 2), "y": (-2, 2)}, ["x^2 + y^2 - 1", "x - y"]),
    "runs": lambda: stiction.load(PROBLEMS / "s3_atan.json").solve(),
    "order": lambda: stiction.load(PROBLEMS / "s3_order.json").solve(),
    "gruess": lambda: stiction.load(PROBLEMS / "s3_gruess.json").solve(),
    "modulus": lambda: stiction.load(PROBLEMS / "s3_modulus.json").solve(),
    "modes": lambda: analyze.modes(PROBLEMS / "s2_fixture.json"),
    "sticking": lambda: analyze.sticking(PROBLEMS / "s0_table.json"),
    "tips": lambda: analyze.sticking(PROBLEMS / "s0_tipping.json"),
    "closure": lambda: analyze.closure(GRASP),
    "velocities": lambda: analyze.velocities(PROBLEMS / "s1_kane.json"),
    "impact": lambda: analyze.impact(PROBLEMS / "s1_rock.json"),
    "painleve": lambda: analyze.painleve("painleve-rod"),
    "map": lambda: analyze.painleve_map("painleve-rod", theta=(0.5, 1.5, 11)),
    "facts": lambda: analyze.facts(PROBLEMS / "s2_rod.json"),
    "choices": lambda: analyze.mode_count("sides", 2, 6),
    "force": lambda: analyze.force(PROBLEMS / "s0_table.json", weight=np.ones(6)),
    "force set": lambda: analyze.force_set(PROBLEMS / "s0_table.json", facets=6),
    "least friction": lambda: analyze.grasp_friction(GRASP),
    "quality": lambda: analyze.quality(GRASP),
    "pointed": lambda: analyze.friction_cone(PROBLEMS / "s0_table.json"),
    "robust": lambda: analyze.robust("peg-push", steps=5),
    "robust system": lambda: analyze.robust("slope-block", steps=5),
    "norms": lambda: analyze.norms({"kind": "matrices", "G": [[2, 0], [0, 2]], "E": [[0.5, 0], [0, 0.5]]})["restitution"],
    "instant": lambda: analyze.instant(PROBLEMS / "s2_rod.json"),
    "world report": lambda: stiction.World("arch").step(),
    "bed report": lambda: stiction.Bed("settle", workers=1).step(),
    "jamming": lambda: _stepped(stiction.Bed({"kind": "scene", "bed": {"layout": "box", "count": 30}, "time": 1})).jamming(),
    "system report": lambda: stiction.System("rocking-block").step(),
    "push report": lambda: stiction.Push("peg-in-hole").step(),
    "fleet report": lambda: stiction.Navigation("nav-wall").step(),
    "box": lambda: stiction.Push("peg-push").box(steps=3, doubts=["x"]),
    "fit": lambda: stiction.fit(lambda x: x - [1, 2], [0.5, 0.5]),
    "flow": lambda: stiction.flow(np.eye(20) * 0.5, np.eye(20) * 0.5),
}


def _stepped(bed):
    bed.step()
    return bed


@pytest.mark.parametrize("make", ANSWERS.values(), ids=list(ANSWERS))
def test_every_field_can_be_read(make):
    answer = make()
    assert walk(answer) >= 1 and repr(answer)
    if hasattr(type(answer), "verify") and not (isinstance(answer, analyze.Analysis) and answer.__dict__["_check"] is None):
        check = answer.verify()
        assert check if isinstance(check, bool) else check.accepted


def test_roots_are_enclosed_and_others_excluded():
    answer = stiction.root({"x": (-3, 3)}, ["sin(x)"])
    assert answer.complete and answer.root_count == 1 and answer.roots[0].x[0][0] <= 0 <= answer.roots[0].x[0][1]
    none = stiction.root({"x": (-1, 1)}, ["x^2 + 1"])
    assert none.outcome == "no_solution" and none.verify().accepted
    with pytest.raises(stiction.InputError):
        stiction.root({"x": (-1, 1)}, ["x +* 2"])


def test_bounds_hold_the_numbers():
    answer = stiction.bound("hadamard", interval=[1, 3], f="x^3", weight="1/2")
    lhs = answer.numbers["lhs"]
    assert lhs.low <= 2 <= lhs.high and answer.problem.kind == "bound"


def test_two_scenarios_by_hand():
    # y_i = x + d_i with min x^2 - 2x + 1/2 (x^2 + (x + 1)^2): x = 1/4
    answer = stiction.parse(TWO_STAGE).solve()
    assert answer.outcome == "solved" and answer.x[0] == pytest.approx(0.25) and answer.verify().accepted
    assert answer.y.shape == (2,) and answer.y_start.tolist() == [0, 1, 2]


def test_drawn_scenarios_are_the_same_for_the_same_seed():
    grip = stiction.load("grip-force")
    one, two, other = (grip.draw(20, seed).solve().objective for seed in (1, 1, 2))
    assert one == two != other


def test_a_fit_stays_in_its_bounds_and_says_what_is_open():
    found = stiction.fit(lambda x: [x[0] + x[1] - 3.0, 2 * (x[0] + x[1]) - 6.0], [1, 1], norm="squares")
    assert found.undetermined == 1 and sum(found.x) == pytest.approx(3)
    bounded = stiction.fit(lambda x: x - 2.0, [0.5], low=[0], high=[1])
    assert bounded.x[0] == pytest.approx(1) and bounded.at_bound.tolist() == [True]
    with pytest.raises(ZeroDivisionError):
        stiction.fit(lambda x: [1 / 0 if x[0] > 1 else x[0] - 2], [1.0])


def test_friction_is_fitted_by_runs():
    data = _slide(0.3)
    found = stiction.fit(lambda x: _slide(x[0]) - data, [0.45], low=[0], high=[1])
    assert found.x[0] == pytest.approx(0.3, abs=1e-6)


def _slide(mu):
    block = {"kind": "system", "parameters": {"mu": float(mu)}, "coordinates": ["x", "y"], "kinetic": "(x'^2 + y'^2)/2", "potential": "9.81*y",
             "contacts": [{"gap": "y", "slip": ["x'"], "mu": "mu"}], "state": {"q": [0, 0], "v": [2, 0]}}
    system = stiction.System(block, step=0.02)
    system.run(0.4, record=False)
    return system.q


def test_orders_are_observed():
    pendulum = stiction.converge("pendulum", [0.04, 0.02, 0.01], time=1)
    assert 1.8 < pendulum["order"]["position"] < 2.2 and pendulum["error"]["velocity"].shape == (3,)
    boxes = stiction.converge("tumbling-tee", [0.02, 0.01], time=0.1)
    assert np.isfinite(boxes["size"]["speed"]).all()


def test_a_push_is_planned_and_replayed():
    push, seen = stiction.Push("peg-push"), []
    plan = push.plan(goal=(0.6, 0.0, 0.0), tolerance=(0.1, 0.1, 0.2), noise={"mu": 0.02}, seed=3, max_tries=4000,
                     watch=lambda tries, nearest: seen.append(nearest) or True)
    assert plan.reached and len(plan.pushes) == plan.push_count and plan.poses.shape == (plan.push_count + 1, 1, 3)
    c, s, at = np.cos(plan.angle), np.sin(plan.angle), plan.poses.copy()
    at[..., 0], at[..., 1] = c * plan.poses[..., 0] + s * plan.poses[..., 1], c * plan.poses[..., 1] - s * plan.poses[..., 0]
    assert (plan.low <= at + 1e-12).all() and (at <= plan.high + 1e-12).all()
    assert plan.verify().accepted
    assert plan.replay(runs=20, seed=1).successes == 20
    assert plan.replay(noise={}).worst[0] <= 0.1
    stopped = push.plan(goal=(2, 0, 1), watch=lambda tries, nearest: False)
    assert not stopped.reached


def test_margins_of_contacts_are_exact_where_the_data_are():
    lcp = analyze.mode_lcp(PROBLEMS / "s2_rod.json")
    assert len(lcp.names[0]) == lcp.n == lcp.M.shape[0]
    assert isinstance(analyze.modes(PROBLEMS / "s2_rod.json").wrench[0], Fraction)


def test_painleve_map_names_its_axes():
    found = analyze.painleve_map("painleve-rod", theta=(0, np.pi / 2, 21), mu=(0, 2, 3))
    assert list(found.axes) == ["theta", "mu"] and found.cell_mu_c.shape == (3, 21)
    assert set(found.outcome[0]) <= {"unique", "apart"} and "unique" not in set(found.outcome[2][12:15])
    with pytest.raises(ValueError, match="phi: one of"):
        analyze.painleve_map("painleve-rod", phi=(0, 1, 3))


def test_all_solutions_of_a_relay():
    found = stiction.parse({"kind": "relay", "M": [[-1]], "q": [0]}).enumerate()
    assert sorted(row[0] for row in found.vertex_exact) == [-1, 0, 1]


def test_a_mean_of_draws_is_that_of_the_command():
    found = stiction.load("grip-force").average(samples=40, replications=6, seed=2)
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    said = json.loads(subprocess.run([stiction.command(), "solve", str(stiction.documents.SCENES / "grip-force.json"), "--samples", "40", "--replications",
                                      "6", "--seed", "2", "--json"], env=environment, capture_output=True, text=True).stdout)
    assert found.objectives.tolist() == said["objectives"] and [found.low, found.high] == said["objective_95"]
    with pytest.raises(stiction.InputError, match="x, y and the angle"):
        stiction.Push("plan-door").plan(goal=(1, 2))
    for wrong in ("abc", 3, [[1, 2, 3], [4, 5, 6]]):
        with pytest.raises(stiction.InputError, match="M"):
            stiction.classify(wrong)
