"""Worlds: stepping, control, recordings, copies bit for bit."""

import copy
import os
import pickle
import subprocess

import numpy as np
import pytest
import stiction

BOX = {
    "kind": "scene", "dimension": 3, "parameters": {"mu": 0.5},
    "materials": {"wood": {"mu": "mu"}},
    "bodies": [
        {"name": "floor", "fixed": True, "shape": {"type": "halfspace", "normal": [0, 0, 1]}, "material": "wood"},
        {"name": "box", "shape": {"type": "box", "half": [0.1, 0.1, 0.1]}, "position": [0, 0, 0.1], "material": "wood"}],
    "step": {"h": 0.01}, "time": 0.2}


def states_equal(a, b):
    return all(np.array_equal(a.state[name], b.state[name]) for name in a.state)


def test_a_box_stands_and_a_push_moves_it():
    world = stiction.World(BOX)
    assert all(report.solved for report in world.run(0.1))
    assert {contact.bodies for contact in world.contacts} <= {("box", "floor"), ("floor", "box")}
    assert {contact.mode for contact in world.contacts} == {"stick"}
    tried = world.attempts
    assert all(one.why and one.contacts > 0 and one.iterations >= 0 for one in tried)
    weight = sum(contact.r[0] for contact in world.contacts) / 0.01
    assert world.contacts.r.shape == (len(world.contacts), 3) and world.contacts[0].r[0] == world.contacts.r[0, 0]
    assert weight == pytest.approx(8 * 9.81, rel=1e-6)
    assert world.problem().accepted
    world.bodies["box"].push(force=(0.6 * 8 * 9.81, 0, 0))
    world.run(0.2)
    # m a = 0.6 m g - 0.5 m g
    assert world.bodies["box"].velocity[0] == pytest.approx(0.1 * 9.81 * 0.1, rel=1e-6)
    assert "slide" in {contact.mode for contact in world.contacts}


def test_control_is_called_before_each_step():
    world, times = stiction.World(BOX, h=0.02), []
    world.run(0.1, control=lambda w: times.append(w.time))
    assert np.allclose(times, [0, 0.02, 0.04, 0.06, 0.08]) and world.steps == 5


def test_joints_are_read_and_driven():
    arm = stiction.World("arm-grasp")
    start = arm.joints["yaw"].coordinate
    for _ in range(10):
        arm.joints["yaw"].drive(speed=0.5, force=1e4)
        arm.step()
    assert arm.joints["yaw"].speed == pytest.approx(0.5, abs=1e-4)  # the axis turns within the step
    assert arm.joints["yaw"].coordinate > start + 0.02
    assert arm.joints["yaw"].state().motor[0] != 0


def test_copies_and_pickles_go_on_bit_for_bit():
    world = stiction.World("arm-grasp")
    world.run(0.2)
    others = [copy.copy(world), copy.deepcopy(world), pickle.loads(pickle.dumps(world))]
    for other in [world] + others:
        other.run(0.3)
    for other in others:
        assert states_equal(world, other) and other.save() == world.save()


def test_parameters_travel_with_a_pickle():
    world = stiction.World(stiction.parse(BOX, mu=0.25))
    world.bodies["box"].move(velocity=(1, 0, 0))
    other = pickle.loads(pickle.dumps(world))
    world.step(), other.step()
    assert states_equal(world, other)
    assert other.contacts[0].mu == 0.25


def test_a_run_is_recorded_and_verified(tmp_path):
    run = stiction.World(stiction.parse(BOX, mu=0.25)).run(record=tmp_path / "trajectory.h5")
    assert (tmp_path / "trajectory.xdmf").exists()
    check = run.verify()
    assert check.accepted and check.checks["momentum"].looked > 0 and check.checks["cone"].worst < 1e-9
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    assert subprocess.run([stiction.command(), "verify", tmp_path], env=environment, stdout=subprocess.DEVNULL).returncode == 0
    with pytest.raises(TypeError, match="recorded bodies alone"):
        stiction.System("stick-slip").run(0.1).verify()


def test_pictures():
    picture = stiction.World(BOX).picture()
    assert picture.startswith(b"\x89PNG") and len(picture) > 1000


def test_a_world_outlives_its_names():
    body = stiction.World(BOX).bodies["box"]
    assert body.position[2] == pytest.approx(0.1)


def test_a_scene_in_use_keeps_its_parameters():
    scene = stiction.parse(BOX)
    world = scene.world()
    with pytest.raises(RuntimeError, match="load it again"):
        scene.set(mu=0.1)
    assert world.step().solved
