"""Analysis of instants, cones and classes: known answers, checked by the verifiers of the library."""

import gc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import stiction
from stiction import analyze

PROBLEMS = Path(__file__).parents[2] / "problems"


def block(force, mu=0.5):
    return {"kind": "instant", "M": [[2, 0], [0, 2]], "F": [-force, 2], "v": [0, 0],
            "contacts": [{"name": "floor", "mu": mu, "n": [0, 1], "t": [[1, 0]]}]}


def test_modes_of_a_block():
    pushed = analyze.modes(block(1.5))
    assert pushed.strict_count == 1
    assert pushed.exists and pushed.all_consistent and pushed.verify().accepted
    strict = next(mode for mode in pushed.modes if mode.fit == "strict")
    assert strict.solution.point[0] == Fraction(1, 4)  # (1.5 - 0.5 * 2) / 2
    assert strict.wrenches.margin > 0 and len(strict.wrenches.face_text) == strict.wrenches.face_count
    cone = strict.wrenches.cone
    del pushed, strict
    gc.collect()
    assert cone.is_exact and cone.rays.shape[1] == 2


def test_modes_of_a_rod_agree_with_its_friction_lcp():
    found = analyze.modes(PROBLEMS / "s2_rod.json", want=("kinematic", "consistent"))
    assert found.mode_count == len(found.modes) > 0 and found.verify().accepted
    assert all(mode.wrenches is None for mode in found.modes)


@pytest.mark.parametrize("force, outcome", [(0.5, "sticks"), (1.5, "does_not")])
def test_sticking(force, outcome):
    found = analyze.sticking(block(force))
    assert found.answer.outcome == outcome and found.answer.exact and found.verify().accepted
    assert found.least_common.mu == pytest.approx(force / 2)
    if outcome == "sticks":
        assert found.answer.lambda_exact.tolist() == [2, Fraction(-1, 2)]
        assert found.margin == pytest.approx(0.5) and found.lower.shape == (2,)
    else:
        assert found.answer.leaves[0].y.shape == (2,)
    assert {p.id for p in found.answer.propositions} >= {"P1.i"}


def test_closure_of_two_fingers():
    def grasp(mu):
        return {"kind": "grasp", "dimension": 2, "center": [0, 0], "contacts": [
            {"point": [-1, 0], "normal": [1, 0], "mu": mu}, {"point": [1, 0], "normal": [-1, 0], "mu": mu}]}
    held, loose = analyze.closure(grasp(0.5)), analyze.closure(grasp(0))
    assert held.closed is True and held.verify() and held.lambda_exact is not None
    assert loose.closed is False and loose.verify() and loose.y.shape == (3,)


def test_impact_of_a_ball():
    ball = {"kind": "instant", "M": [[1]], "F": [0], "v": [-2], "contacts": [{"n": [1], "restitution": 0.5}]}
    found = analyze.impact(ball)
    for law in ("newton", "moreau", "poisson"):
        assert found.law(law).solutions[0].v.tolist() == pytest.approx([1.0])
        assert found.verify(law=law).accepted
    assert found.law("newton").solutions[0].energy.direct == pytest.approx(-1.5)
    assert analyze.velocities(ball).qdot_norm.tolist() == [-2.0]


def test_the_rod_of_painleve():
    rod, plain = analyze.painleve("painleve-rod"), analyze.painleve(block(0.5))
    assert plain.outcome == "unique" and np.isinf(plain.mu_c)
    assert rod.p == len(rod.contact) and rod.patterns[0].D.shape == (rod.p, rod.p)
    assert rod.mu_c == min(pattern.mu_c for pattern in rod.patterns if pattern.possible) < np.inf


def test_a_world_is_asked_at_this_very_instant():
    box = {"kind": "scene", "dimension": 3, "materials": {"wood": {"mu": 0.5}}, "step": {"h": 0.01}, "time": 0.1, "bodies": [
        {"name": "floor", "fixed": True, "shape": {"type": "halfspace", "normal": [0, 0, 1]}, "material": "wood"},
        {"name": "box", "shape": {"type": "box", "half": [0.1, 0.1, 0.1]}, "position": [0, 0, 0.1], "material": "wood"}]}
    world = stiction.World(box)
    world.run()
    found = analyze.sticking(world, propositions=False)
    assert found.answer.outcome == "sticks" and found.verify().accepted


def test_what_is_no_instant_is_refused():
    with pytest.raises(TypeError, match="an instant, a grasp"):
        analyze.modes({"kind": "root", "variables": {"x": [-2, 2]}, "equations": ["x^2 - 2"], "method": "all"})
    with pytest.raises(TypeError, match="no independent check"):
        analyze.velocities(block(1)).verify()
    with pytest.raises(TypeError, match="no option"):
        analyze.sticking(block(1), tolerance=1)


def test_cones():
    cone = stiction.Cone.span([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    assert len(cone.rays) == 3 and len(cone.inequalities) == 3 and cone.is_pointed and cone.dimension == 3
    assert [1, 2, 3] in cone and [-1, 0, 0] not in cone
    assert cone.locate([-2, 1, 1]).distance == pytest.approx(2) and cone.project([-2, 1, 1]).tolist() == pytest.approx([0, 1, 1])
    assert cone.polar().polar() == cone and cone.polar() == stiction.Cone.face(np.eye(3)) and cone.polar() != cone
    assert cone.intersect(cone.polar()).dimension == 0 and len((cone + cone.polar()).lines) == 3
    with pytest.raises(ValueError, match="3 numbers"):
        cone.locate([1, 2])


def test_classes_carry_witnesses():
    M = np.array([[0.0, 1], [1, 0]])
    found = stiction.classify(M)
    assert found["copositive"].verdict is True and found["positive_semidefinite"].verdict is False
    x = found["positive_semidefinite"].x
    assert x @ M @ x < 0 and found["P"].index is not None


def test_what_is_held_is_named():
    held = analyze.closure("gripper", object="box")
    assert held.closed is True and held.verify()
    assert analyze.quality("gripper", object=["box"]).lower > 0.3 and analyze.grasp_friction("gripper", object="box").high < 1e-6
    with pytest.raises(stiction.InputError, match="'bx': no such body or velocity; there are left, right, box"):
        analyze.closure("gripper", object="bx")


def test_actuators_bring_modes_about_within_their_bounds():
    at = analyze.instant("rocking-block")
    found = analyze.actuation(at, {"x": (-1, 1), "y": (-1, 1), 2: ("-1/2", "1/2")})
    assert found and all(one.verify().accepted or not one.reachable for one in found.values() if one is not None)
    push = {"kind": "instant", "M": [[1, 0], [0, 1]], "F": [0, 1], "v": [0, 0],
            "contacts": [{"name": "floor", "mu": 0.5, "n": [0, 1], "t": [[1, 0]]}]}
    weak, strong = (analyze.actuation(push, {(1, 0): (-most, most)}) for most in (Fraction(2, 5), Fraction(3, 5)))
    assert not weak["l"].possible and strong["l"].strict and strong["l"].tau[0] == pytest.approx(0.6)  # mu m g = 1/2
    with pytest.raises(stiction.InputError, match="no such velocity"):
        analyze.actuation(push, {"z": (0, 1)})
    with pytest.raises(stiction.InputError, match="2 numbers"):
        analyze.actuation(push, {(1, 0, 0): (0, 1)})


def test_images_of_cones():
    cone = stiction.Cone.span([[1, 0], [1, 1]])
    assert cone.image([[0, 1], [1, 0]]) == stiction.Cone.span([[0, 1], [1, 1]])
    with pytest.raises(stiction.InputError, match="A: shape"):
        cone.image([[1, 2, 3]])
    with pytest.raises(TypeError, match="Cone.span"):
        stiction.Cone([[1, 0]])


def test_answers_become_pages(tmp_path):
    arch = analyze.sticking(stiction.Scene("arch", mu=0.33), propositions=False)
    try:
        page = arch.page(tmp_path / "arch.html")
    except stiction.FileError as error:
        pytest.skip(str(error))
    assert (tmp_path / "arch.html").read_text() == page and "stone 5" in page and "0.33" in page
    world = stiction.World("gripper")
    world.run(0.05, record=False)
    assert "<!doctype html>" in analyze.closure(world, object="box").page(None, "--object", "box").lower()
    assert len(analyze.modes("rocking-block").page(None, "--wrench", "3,-10,0")) > 1000
    assert len(analyze.sticking(stiction.load("slope-block", mu=0.2)).page()) > 1000
    with pytest.raises(TypeError, match="no page"):
        analyze.velocities(block(1)).page()
    with pytest.raises(stiction.FileError, match="--wrnch"):
        analyze.modes(block(1)).page(None, "--wrnch", "1,2")
