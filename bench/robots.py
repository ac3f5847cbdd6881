#!/usr/bin/env python3
"""Every robot of a folder, put on a plane and left to itself: does it load and why not, what was assumed, how fast and how well it runs.

    bench/robots.py COMMAND [FOLDER] [--time T] [--step H] [--limit S] [--only WORD]

COMMAND is the stiction to run, FOLDER (../shared/robots) is searched for *.urdf. Each robot floats above z = 0, touching it, joints at 0
or at the limit next to it, no motors; T = 2, H = 0.005, and a run is ended after S = 60 seconds. One line a robot: bodies that move,
degrees of freedom, remarks by kind (assumed/approximated/ignored), milliseconds a step (contacts, solve, rest, check), worst residual, steps
not solved, deepest penetration, what `stiction verify` says of the record. Where the Python package mujoco is there, its time a step and
deepest penetration for the same file beside it. Exit code 1: a file is refused, or verify rejects a run.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def call(command, *arguments, seconds=None):
    """Exit code, the object on stdout (None: there is none)."""
    limit = ["--time-limit", str(seconds)] if seconds else []
    done = subprocess.run([command, *arguments, *limit, "--json", "--quiet"], capture_output=True, text=True)
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.returncode, None


def count_remarks(answer):
    count = {"assumed": 0, "approximated": 0, "ignored": 0}
    for robot in answer["robots"]:
        for remark in robot["remarks"]:
            count[remark["what"]] += 1
    return "/".join(str(count[what]) for what in ("assumed", "approximated", "ignored"))


def run_robot(command, path, options):
    """A line of the table, and whether all is well."""
    code, seen = call(command, "inspect", str(path), "--floating", seconds=options.limit)
    if seen is None or "bodies" not in seen:
        return f"refused: {seen.get('message', seen) if seen else code}", False
    freedom = seen["velocity_count"] - seen["joint_rows"]
    with tempfile.TemporaryDirectory() as folder:
        out = str(pathlib.Path(folder) / "run")
        code, run = call(command, "run", str(path), "--ground", "--floating", "--height", "auto", "--step", str(options.step),
                         "--time", str(options.time), "--threads", "1", "--out", out, seconds=options.limit)
        if run is None or "steps" not in run:
            return f"does not run: {run.get('message', run) if run else code}", False
        checked, verdict = call(command, "verify", out)
    steps = max(run["steps"], 1)
    times = run["time_parts_s"]
    part = [1e3 * run["time_s"] / steps] + [1e3 * times[key] / steps for key in ("detect", "solve", "rest", "check")]
    accepted = verdict is not None and checked == 0
    return (f"{seen['moving']:3d} {freedom:4d} {count_remarks(seen):>9s} {run['steps']:4d}  {part[0]:7.2f} ({part[1]:6.2f} {part[2]:6.2f} "
            f"{part[3]:6.2f} {part[4]:5.2f})  {run['residual']:.0e} {run['unsolved_steps']:3d}  {run['penetration']:.0e}  "
            f"{'accepted' if accepted else 'REJECTED'}"), accepted


def run_mujoco(path, options):
    """Milliseconds a step and deepest penetration; why not, otherwise."""
    try:
        import mujoco
    except ImportError:
        return ""
    import time
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
        model = spec.compile()
    except Exception as error:  # whatever it does not like
        return f"mujoco: {str(error).splitlines()[0][:60]}"
    model.opt.timestep = options.step
    data = mujoco.MjData(model)
    deepest, begin, steps = 0.0, time.process_time(), int(options.time / options.step)
    for _ in range(steps):
        mujoco.mj_step(model, data)
        deepest = max([deepest] + [-contact.dist for contact in data.contact])
    return f"mujoco {1e3 * (time.process_time() - begin) / steps:.2f} {deepest:.0e}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("folder", nargs="?", default=str(pathlib.Path(__file__).parents[2] / "shared" / "robots"))
    parser.add_argument("--time", type=float, default=2)
    parser.add_argument("--step", type=float, default=0.005)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    files = sorted(path for path in pathlib.Path(options.folder).rglob("*.urdf") if options.only in str(path))
    if not files:
        print(f"robots: {options.folder}: no *.urdf there", file=sys.stderr)
        return 2
    print(f"{'robot':40s} mov  dof as/ap/ign step  ms/step (  cont  solve   rest check)  res unsolved pen  verify")
    well = True
    for path in files:
        line, good = run_robot(options.command, path, options)
        well = well and good
        print(f"{path.parent.parent.name[:20] + '/' + path.stem:40.40s} {line}  {run_mujoco(path, options)}".rstrip(), flush=True)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
