"""A control loop over the arm in Python against the same in C (arm_loop.c): CPU time of a step, and that all bits
agree.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/arm_loop.py build/release/bench/bench_arm_loop [STEPS
    [REPEATS]]

Exit code 1: Python costs more than 20 % more, or reads other numbers.
"""

import subprocess
import sys
import time

import stiction

program = sys.argv[1]
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 400
repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 5


def control() -> tuple:
    world = stiction.World("scenes/arm-grasp.json")
    joints, yaw, total = list(world.joints.values()), world.joints["yaw"], 0.0
    start = time.thread_time()
    for _ in range(steps):
        for joint in joints:
            total += joint.coordinate
        yaw.drive(speed=-5.0 * yaw.coordinate, force=100.0)
        report = world.step()
        for impulse in world.contacts.r[:, 0].tolist():
            total += impulse
        total += report.residual
    return time.thread_time() - start, total


ours = min(control() for _ in range(repeats))
c = subprocess.run([program, "scenes/arm-grasp.json", str(steps), str(repeats)], capture_output=True, text=True, check=True).stdout
c_time, c_sum = float(c.splitlines()[1].split(",")[2]), float.fromhex(c.splitlines()[1].split(",")[3])
print(f"way,steps,us_per_step,sum\nc,{steps},{c_time:.3f},{c_sum.hex()}\npython,{steps},{1e6 * ours[0] / steps:.3f},{float(ours[1]).hex()}")
ratio = 1e6 * ours[0] / steps / c_time
print(f"Python over C: {ratio:.3f}", file=sys.stderr)
sys.exit(0 if ratio <= 1.2 and ours[1] == c_sum else 1)
