"""Beds, systems, pushes and vehicles: stepping, control, recordings, copies bit for bit, callbacks, threads."""

import copy
import gc
import os
import pickle
import subprocess
import threading

import numpy as np
import pytest
import stiction
from stiction._env import Handle

BED = {"kind": "scene", "bed": {"layout": "pebble-bed", "count": 60}, "step": {"h": 0.01}, "time": 0.5}
FLOW = {"kind": "scene", "bed": {"layout": "pebble-bed", "count": 60, "opening": 2, "recirculate": True}, "time": 0.5}
SPRING = {"kind": "system", "parameters": {"k": 4}, "coordinates": ["x"], "kinetic": "x'^2/2", "potential": "k/2*x^2",
          "state": {"q": [1]}}


def pull(t, q, v):
    return [2.0 - 0.1 * v[0]]


def free_fall(t, q, v):
    return {"M": [[2.0]], "k": [-20.0], "gap": q, "n": [[1.0]], "kinetic": v[0] ** 2, "potential": 20 * q[0]}


MAKERS = {
    "world": lambda: stiction.World("tumbling-tee"),
    "bed": lambda: stiction.Bed(BED),
    "flow": lambda: stiction.Bed(FLOW),
    "system": lambda: stiction.System("stick-slip"),
    "force": lambda: stiction.System(SPRING, pull),
    "defined": lambda: stiction.System(stiction.Defined(["y"], free_fall, contacts={"floor": 0}, q=[0.3])),
    "push": lambda: stiction.Push("peg-push"),
    "vehicles": lambda: stiction.Navigation("nav-crossing"),
}
moving = pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))


def bits(mover):
    return {name: np.asarray(value).tobytes() for name, value in mover.state.items()}


@moving
def test_copies_and_pickles_go_on_bit_for_bit(make):
    mover = make()
    mover.run(0.2)
    others = [copy.copy(mover), copy.deepcopy(mover), pickle.loads(pickle.dumps(mover))]
    assert all(bits(other) == bits(mover) for other in others)
    for one in [mover, *others]:
        one.run(0.4)
    assert all(bits(other) == bits(mover) and other.save() == mover.save() for other in others)


@moving
def test_a_saved_state_comes_back(make):
    mover = make()
    mover.run(0.1)
    state, now = mover.save(), bits(mover)
    mover.run(0.3)
    later = bits(mover)
    assert later != now
    mover.restore(state)
    assert bits(mover) == now
    mover.run(0.3)
    assert bits(mover) == later


@moving
def test_a_run_is_recorded_and_becomes_a_page(make, tmp_path):
    run = make().run(0.1, record=tmp_path / "trajectory.h5")
    assert (tmp_path / "trajectory.h5").stat().st_size > 1000 and len(run) >= 2
    if "without its page" in run._repr_html_():
        pytest.skip("the command was built without Node")
    page = run.page(tmp_path / "page.html")
    assert page.lower().startswith("<!doctype html>") and (tmp_path / "page.html").read_text() == page
    assert "<iframe" in run._repr_html_()


@moving
def test_control_is_called_before_each_step(make):
    times, mover = [], make()
    run = mover.run(0.1, control=lambda one: times.append(one.time), record=False)
    assert len(times) == len(run) and times == sorted(set(times)) and mover.time == pytest.approx(0.1)


def test_a_bed_settles_and_weighs_what_it_weighs():
    bed = stiction.Bed({**BED, "time": 3}, workers=2, tol=1e-5)
    run = bed.run()
    assert run.solved.all() and run[-1].balance == pytest.approx(1, abs=0.05)
    problem = bed.problem()
    assert problem.answer.verify().residual < 1e-4 and problem.kind == "contact"
    contacts = bed.contacts
    assert len(contacts) == run[-1].contacts and np.allclose(np.linalg.norm(contacts["n"], axis=1), 1)
    assert bed.picture().startswith(b"\x89PNG") and 0 < bed.packing().all < 1
    jamming = bed.jamming()
    assert jamming.pointed in ("holds", "fails", "unknown") and jamming.contact_count == len(contacts)


def test_a_bed_has_the_same_bits_for_any_number_of_workers():
    one, two = stiction.Bed(BED), stiction.Bed(BED, workers=2)
    one.run(record=False), two.run(record=False)
    assert bits(one) == bits(two)


def test_grains_are_moved():
    bed = stiction.Bed(BED)
    x = bed.x
    bed.set(v=np.full_like(x, 0.5))
    assert np.all(bed.state["v"] == 0.5) and np.array_equal(bed.x, x)
    with pytest.raises(ValueError, match="x: shape"):
        bed.set(x=x[:3])


def test_a_system_by_formulas_sticks_and_slips():
    system = stiction.System("stick-slip", step=0.01)
    run = system.run(2.0)
    modes = {report.mode[0] for report in run}
    assert len(modes) == 2 and system.contacts[0].name == "ground" and run[-1].gap.shape == (1,)
    assert system.parameters["mu"] == 0.8 and stiction.analyze.sticking(system).verify().accepted
    with pytest.raises(ValueError, match="one of alpha"):
        stiction.System("stick-slip", scheme="magic")


def test_a_force_of_the_caller_is_as_good_as_a_formula():
    own = stiction.System(SPRING, pull, step=0.002)
    formula = stiction.System({**SPRING, "forces": {"x": "2 - 0.1*x'"}}, step=0.002)
    own.run(2), formula.run(2)
    assert own.q == pytest.approx(formula.q, abs=1e-4) and own.q[0] != pytest.approx(stiction.System(SPRING).q[0])


def test_a_defined_system_falls_and_rests():
    system = MAKERS["defined"]()
    system.run(1.0)
    assert system.q[0] == pytest.approx(0, abs=1e-9) and system.v[0] == pytest.approx(0, abs=1e-9)
    assert system.contacts[0].impulse_n == pytest.approx(20 * 0.01)


def test_what_a_callback_raises_comes_out():
    def broken(t, q, v):
        raise ZeroDivisionError("mine")
    with pytest.raises(ZeroDivisionError, match="mine"):
        stiction.System(SPRING, broken).run(1)
    with pytest.raises(ValueError, match=r"gap|n: shape"):
        stiction.System(stiction.Defined(["y"], lambda t, q, v: {"M": [[1]], "k": [0], "n": [1.0]}, contacts={"floor": 0}))
    with pytest.raises(KeyError, match="one of M"):
        stiction.System(stiction.Defined(["y"], lambda t, q, v: {"M": [[1]], "mass": 1}))


def test_a_push_jams_and_says_why():
    push = stiction.Push("peg-stuck")
    run = push.run()
    assert run[-1].end in ("stuck", "damage") and run[-1].why and push.verify().accepted
    assert push.jam is not None and push.jam.normal.sum() == pytest.approx(1)


def test_a_box_of_doubts_is_a_theorem():
    box = stiction.Push("peg-push").box(steps=5, doubts=["x", "mu"])
    assert box.found and box.verify().accepted and {kind for kind, *_ in box.doubts} == {"x", "mu"}
    assert all(low <= 0 <= high for _, _, low, high in box.doubts)


def test_a_fleet_keeps_its_distance():
    fleet = stiction.Navigation("nav-crossing")
    run = fleet.run(1.0)
    apart = np.linalg.norm(fleet.q[:, None] - fleet.q[None], axis=2) + np.eye(50)
    assert (apart >= 2 * 0.3 - 1e-9).all() and set(run.outcome) == {"solved"}


def test_two_threads_step_at_the_same_time():
    worlds = [stiction.World("arm-grasp") for _ in range(2)]
    inside, both = [0], [False]

    def run(world):
        inside[0] += 1
        world.run(0.6, record=False, control=lambda _: both.__setitem__(0, both[0] or inside[0] == 2))
        inside[0] -= 1
    threads = [threading.Thread(target=run, args=(world,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = stiction.World("arm-grasp")
    alone.run(0.6, record=False)
    assert both[0] and bits(worlds[0]) == bits(worlds[1]) == bits(alone)


def test_one_world_is_stepped_by_two_threads_in_turn():
    world = stiction.World("box-stack")
    threads = [threading.Thread(target=lambda: [world.step() for _ in range(20)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.steps == 40


@moving
def test_nothing_stays_when_it_is_forgotten(make):
    def live():
        gc.collect()
        return sum(isinstance(one, Handle) for one in gc.get_objects())

    def use():
        mover = make()
        mover.cycle = mover
        run = mover.run(0.05)
        return mover.copy().step(), run[0]
    use()
    before = live()
    use()
    assert live() <= before


@moving
@pytest.mark.parametrize("state", [b"", b"nonsense", bytes(4096)], ids=["empty", "words", "zeros"])
def test_a_state_that_is_none_is_refused(make, state):
    mover = make()
    now = bits(mover)
    with pytest.raises((stiction.InputError, stiction.ArgumentError)):
        mover.restore(state)
    assert bits(mover) == now
    mover.step()


def test_a_force_cannot_step_what_called_it():
    def sly(t, q, v):
        if armed:
            system.step()
        return [0.0]
    armed = []
    system = stiction.System(SPRING, sly)
    armed.append(True)
    with pytest.raises(RuntimeError, match="in the middle of a step"):
        system.step()
    armed.clear()
    assert system.step().outcome == "solved"


def test_a_scene_has_parameters_and_starts_what_it_is():
    scene = stiction.load("arm-grasp", mu=0.7)
    assert isinstance(scene, stiction.Scene) and scene.parameters["mu"] == 0.7 and scene.description
    robot = stiction.Scene(stiction.documents.SCENES / "arm.urdf")
    assert isinstance(robot.start(), stiction.World) and robot.robots[0].link_count > 1
    assert all(remark.text for remark in robot.robots[0].remarks or [])
    bed = stiction.Scene("settle", count=50)
    assert len(bed.start()) == 50 and bed.parameters["layout"] == "settle" and bed.time > 0
    assert stiction.load("stick-slip").start(step=0.02).h == 0.02
    with pytest.raises(TypeError, match="a scene is expected"):
        stiction.Scene("stick-slip")
    with pytest.raises(stiction.InputError) as caught:
        stiction.Scene("arch", friction=1)
    assert "friction" in str(caught.value)


@pytest.mark.parametrize("name", ["world", "bed", "system", "vehicles"])
def test_a_recording_is_checked_by_others(name, tmp_path):
    run = MAKERS[name]().run(0.2, record=tmp_path / "trajectory.h5", frame=0.01 if name == "bed" else None)
    check = run.verify()
    assert check.accepted and sum(one.looked for one in check.checks.values()) > 0
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    assert subprocess.run([stiction.command(), "verify", tmp_path], env=environment, stdout=subprocess.DEVNULL).returncode == 0


def test_what_a_function_made_no_check_knows():
    with pytest.raises(TypeError, match="no independent check"):
        MAKERS["force"]().run(0.1).verify()


def test_parameters_of_what_moves_are_given_by_name():
    assert len(stiction.Bed("pebble-bed", count=70, tol=1e-5)) == 70
    system = stiction.System("stick-slip", mu=0.3, h=0.02)
    assert system.parameters["mu"] == 0.3 and system.h == 0.02
    system.run(0.1, record=False)
    assert bits(pickle.loads(pickle.dumps(system))) == bits(system) and system.copy().parameters == system.parameters
    assert system.instant().settled is not None
    with pytest.raises(stiction.InputError, match="foo: no such parameter"):
        stiction.Bed("pebble-bed", foo=1)
    with pytest.raises(stiction.InputError, match="time"):
        system.run(float("nan"))


def test_scenes_and_reports_are_pickled():
    for scene in (stiction.Scene("arch", mu=0.3), stiction.Scene("pebble-bed", count=33), stiction.load("stick-slip", mu=0.3)):
        for other in (pickle.loads(pickle.dumps(scene)), copy.deepcopy(scene)):
            assert type(other) is type(scene) and other.start().step() and other.settings == scene.settings or scene.kind == "scene"
    run = stiction.World("arch").run(0.05)
    other = pickle.loads(pickle.dumps(run))
    assert np.array_equal(other.residual, run.residual) and other[0].time == run[0].time
    with pytest.raises(ValueError, match="no recording"):
        other.page()
    with pytest.raises(TypeError, match="memory of the library"):
        pickle.dumps(stiction.analyze.modes("rocking-block"))


def test_a_step_that_does_not_divide_the_time_has_no_order():
    with pytest.raises(stiction.InputError, match="steps: 0.04"):
        stiction.converge("pendulum", [0.04, 0.02], time=0.5)


@pytest.mark.parametrize("name", ["arch", "arm-grasp", "pebble-bed"])
def test_a_scene_is_saved_with_its_parameters(name, tmp_path):
    scene, file = stiction.Scene(name, mu=0.31, **{"step.h": 0.004}), tmp_path / "scene.json"
    for mu in (0.31, 0.27):
        scene.set(mu=mu).save(file)
        other = stiction.Scene(file)
        assert other.parameters["mu"] == mu and other.start().h == 0.004
        assert bits(other.start()) == bits(scene.start())
        scene = stiction.Scene(file)
    if name != "pebble-bed":
        file.write_text(file.read_text().replace("mu=", "mu"))
        with pytest.raises(stiction.InputError, match="settings: mu.*name=value"):
            stiction.load(file)
