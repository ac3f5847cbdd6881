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
    with pytest.raises(TypeError, match="of pushes"):
        stiction.Push("peg-push").run(0.1).verify()


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


def test_options_and_parameters_of_a_scene_are_given_by_name():
    world = stiction.World("arch", mu=0.25, h=0.002)
    assert world.h == 0.002
    world.run(0.1)
    assert world.contacts[0].mu == 0.25 and pickle.loads(pickle.dumps(world)).save() == world.save() == world.copy().save()
    scene = stiction.Scene("arch", mu=0.5)
    other = stiction.World(scene, mu=0.3)
    other.step()
    assert other.contacts[0].mu == 0.3 and scene.parameters["mu"] == 0.5
    with pytest.raises(stiction.InputError, match="friction: no such parameter.*options besides are.*stabilize"):
        stiction.World("arch", friction=1)
    with pytest.raises(stiction.FileError, match="did you mean 'arch'"):
        stiction.World("arc")


def test_a_robot_is_put_on_the_ground_by_its_file(tmp_path):
    arm = stiction.documents.SCENES / "arm.urdf"
    world = stiction.World(arm, ground=True, floating=True, height="auto", mu=0.8, joints={"elbow": 0.5}, h=0.005)
    assert world.joints["elbow"].coordinate == 0.5 and "ground" in world.bodies and world.h == 0.005
    world.run(0.05)
    assert {contact.mu for contact in world.contacts} == {0.8}
    assert pickle.loads(pickle.dumps(world)).save() == world.save()
    file = tmp_path / "arm.urdf"
    file.write_text(arm.read_text().replace("</link>", "<oops", 1))
    for make in (lambda: stiction.World(file, ground=True), lambda: stiction.robot(file), lambda: stiction.load(file)):
        with pytest.raises(stiction.InputError, match="line") as caught:
            make()
        assert caught.value.file == str(file)
    with pytest.raises(stiction.InputError, match="elbo"):
        stiction.robot(arm, joints={"elbo": 1})
    with pytest.raises(OSError):
        stiction.robot(tmp_path / "none.urdf")


def test_meshes_are_found_above_the_file_and_in_folders(tmp_path, monkeypatch):
    robot = """<robot name="one"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><mesh filename="package://parts/box.obj"/></geometry></collision></link></robot>"""
    (tmp_path / "urdf").mkdir()
    (tmp_path / "urdf" / "one.urdf").write_text(robot)
    packages = tmp_path / "elsewhere" / "parts"
    packages.mkdir(parents=True)
    corners = "\n".join(f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    (packages / "box.obj").write_text(corners + "\nf 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n")
    with pytest.raises(stiction.InputError):
        stiction.robot(tmp_path / "urdf" / "one.urdf", floating=True)
    assert stiction.robot(tmp_path / "urdf" / "one.urdf", floating=True, folders=[packages.parent]).start().step().solved
    assert stiction.robot(tmp_path / "urdf" / "one.urdf", floating=True, folders=[tmp_path]).start().step().solved  # below it
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(packages.parent))
    assert stiction.World(tmp_path / "urdf" / "one.urdf", floating=True).step().solved


def test_a_joint_is_pushed_by_a_torque():
    bar = {"kind": "scene", "dimension": 3, "gravity": [0, 0, 0], "step": {"h": 0.001}, "time": 1, "bodies": [
        {"name": "wall", "fixed": True, "shape": {"type": "sphere", "radius": 0.01}},
        {"name": "bar", "mass": 2, "inertia": [0.1, 0.1, 0.1], "shape": {"type": "sphere", "radius": 0.1}, "position": [0.5, 0, 0]}],
        "joints": [{"name": "hinge", "type": "revolute", "bodies": ["wall", "bar"], "point": [0, 0, 0], "axis": [0, 0, 1]}]}
    for torque in (3.0, -3.0):
        world = stiction.World(bar)
        world.joints["hinge"].push(torque)
        world.run(0.1, record=False)
        assert world.joints[0].speed == pytest.approx(torque / (0.1 + 2 * 0.25) * 0.1, rel=1e-3)
    with pytest.raises(KeyError, match="no joint 'hing'; there are hinge"):
        world.joints["hing"]
    with pytest.raises(RuntimeError, match="no step"):
        stiction.World(bar).problem()


@pytest.mark.parametrize("tol", [1e-8, 1e-12])
def test_a_grip_that_moves_is_asked_at_velocities_that_hold_it(tol):
    world = stiction.World("arm-grasp", tol=tol)
    world.run(0.6, record=False)
    at = world.instant()
    why = stiction.analyze.sticking(at, propositions=False)
    assert at.settled.change > 0 and why.answer.outcome == "sticks" and why.verify().accepted
    assert {"shoulder motor", "pitch motor"} <= {contact.name for contact in at.contacts}


def test_a_state_is_put_back():
    world = stiction.World("arch", mu=0.2)
    start = world.state
    world.run(0.5, record=False)
    fallen = world.state
    world.set(**start)
    assert np.allclose(world.state["x"], start["x"], atol=1e-12) and not np.allclose(fallen["x"], start["x"], atol=1e-3)
    with pytest.raises(stiction.InputError, match="position: shape"):
        world.set(x=start["x"][:3])


def test_a_folder_of_the_name_of_a_scene_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # as `stiction run arch --out arch` leaves it
    (tmp_path / "arch").mkdir()
    assert len(stiction.World("arch").bodies) == 14
    (tmp_path / "other").mkdir()
    with pytest.raises(stiction.FileError, match="directory"):
        stiction.World("other")
    with pytest.raises(TypeError, match="makes what fits"):
        stiction.World("pebble-bed")
