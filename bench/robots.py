#!/usr/bin/env python3
"""Every robot of a folder, put on a plane and left to itself: does it load and why not, what was assumed, how fast and
how well it runs.

    bench/robots.py COMMAND [FOLDER] [--time T] [--step H] [--limit S] [--only WORD]

COMMAND is the stiction to run, FOLDER (../shared/robots) is searched for *.urdf. Each robot floats above z = 0,
touching it, joints at 0 or at the limit next to it, no motors; T = 2, H = 0.005, and a run is ended after S = 60
seconds. One line a robot: bodies that move, degrees of freedom, remarks by kind (assumed/approximated/ignored),
milliseconds of CPU a step with its recording (in brackets, by the clock: contacts, solve, all else, check), worst
residual, steps not solved, deepest penetration, what `stiction verify` says of the record. Where MuJoCo is installed
(libmujoco-dev), its time a step and deepest penetration for the same file from the same height beside it, by its own
defaults and without mimic joints. Exit code 1: a file is refused, or verify rejects a run.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import xml.etree.ElementTree


def call(command, *arguments, seconds=None):
    """Exit code, the object on stdout (None: there is none)."""
    limit = ["--time-limit", str(seconds)] if seconds else []
    done = subprocess.run([command, *arguments, *limit, "--json", "--quiet"], capture_output=True, text=True)
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.returncode, None


def cpu_of_children():
    """Seconds of all that were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def count_remarks(answer):
    count = {"assumed": 0, "approximated": 0, "ignored": 0}
    for robot in answer["robots"]:
        for remark in robot["remarks"]:
            count[remark["what"]] += 1
    return "/".join(str(count[what]) for what in ("assumed", "approximated", "ignored"))


def run_robot(command, path, options):
    """A line of the table, whether all is well, and how high the root link starts."""
    code, seen = call(command, "inspect", str(path), "--floating", "--height", "auto", seconds=options.limit)
    if seen is None or "bodies" not in seen:
        return f"refused: {seen.get('message', seen) if seen else code}", False, None
    height = seen["bodies"][0]["position"][2]
    freedom = seen["velocity_count"] - seen["joint_rows"]
    with tempfile.TemporaryDirectory() as folder:
        out = str(pathlib.Path(folder) / "run")
        run_it = [command, "run", str(path), "--ground", "--floating", "--height", "auto", "--step", str(options.step),
                  "--threads", "1", "--force", "--out", out, "--time"]
        begin = cpu_of_children()
        call(*run_it, str(options.step), seconds=options.limit)
        loaded = cpu_of_children()
        code, run = call(*run_it, str(options.time), seconds=options.limit)
        spent = cpu_of_children() - loaded - (loaded - begin)
        if run is None or "steps" not in run:
            return f"does not run: {run.get('message', run) if run else code}", False, height
        checked, verdict = call(command, "verify", out)
    steps = max(run["steps"], 1)
    times = run["time_parts_s"]
    part = [1e3 * max(spent, 0) / steps] + [1e3 * times[key] / steps for key in ("detect", "solve", "rest", "check")]
    accepted = verdict is not None and checked == 0
    return (f"{seen['moving']:3d} {freedom:4d} {count_remarks(seen):>9s} {run['steps']:4d}  {part[0]:7.2f} ({part[1]:6.2f} {part[2]:6.2f} "
            f"{part[3]:6.2f} {part[4]:5.2f})  {run['residual']:.0e} {run['unsolved_steps']:3d}  {run['penetration']:.0e}  "
            f"{'accepted' if accepted else 'REJECTED'}"), accepted, height


def find_mesh(folder, name):
    """The file of a mesh, looked for as URDF readers do; the name as it is where there is none."""
    rest = name.split("://", 1)[-1]
    below = rest.split("/", 1)[-1]
    for place in [folder, *folder.parents]:
        for candidate in (place / rest, place / below):
            if candidate.is_file():
                return str(candidate)
    return name


def write_for_mujoco(path, height, out):
    """The same robot, free over a floor, in MuJoCo's dialect: it has no half-spaces and no packages, and takes what is
    asked to."""
    text = path.read_text(errors="replace")
    robot = xml.etree.ElementTree.fromstring(text[max(text.find("<robot"), 0):])
    for mesh in robot.iter("mesh"):
        mesh.set("filename", find_mesh(path.resolve().parent, mesh.get("filename", "")))
    children = {joint.find("child").get("link") for joint in robot.findall("joint")}
    root = next(link.get("name") for link in robot.findall("link") if link.get("name") not in children)
    floor = ('<link name="world"><collision><origin xyz="0 0 -1"/><geometry><box size="200 200 2"/></geometry></collision></link>',
             f'<joint name="to the floor" type="floating"><origin xyz="0 0 {height!r}"/><parent link="world"/>'
             f'<child link="{root}"/></joint>',
             '<mujoco><compiler strippath="false" discardvisual="true" balanceinertia="true" boundmass="1e-3" '
             'boundinertia="1e-7"/></mujoco>')
    for piece in floor:
        robot.insert(0, xml.etree.ElementTree.fromstring(piece))
    out.write_bytes(xml.etree.ElementTree.tostring(robot))


def run_mujoco(program, path, height, options):
    """Milliseconds a step and deepest penetration; why not, otherwise."""
    if program is None or height is None:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "robot.urdf"
        try:
            write_for_mujoco(path, height, file)
            done = subprocess.run([program, file, str(options.step), str(options.time), "0.5"], capture_output=True, text=True,
                                  cwd=folder, timeout=options.limit)
        except StopIteration:
            return "mujoco: no link is the root"
        except (xml.etree.ElementTree.ParseError, AttributeError) as error:
            return f"mujoco: {error}"
        except subprocess.TimeoutExpired:
            return f"mujoco: over {options.limit} s"
    said = done.stdout.strip().splitlines()[-1:] or [f"ends with {done.returncode}"]
    return f"mujoco {said[0].split(': /')[0].removeprefix('XML ').removeprefix('Error: ')}"


def compile_mujoco(folder):
    """The program beside this one; None where MuJoCo (Debian's libmujoco-dev) is not installed."""
    program = pathlib.Path(folder) / "robot_mujoco"
    source = pathlib.Path(__file__).parent / "bodies" / "robot_mujoco.c"
    built = subprocess.run(["cc", "-O2", "-w", "-o", program, source, "-lmujoco", "-lm"], capture_output=True, check=False)
    if built.returncode != 0:
        print("robots: no MuJoCo here (libmujoco-dev): left out", file=sys.stderr)
        return None
    return program


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
    print(f"{'robot':40s} mov  dof as/ap/ign step   cpu ms (  cont  solve   else check)  res unsolved pen  verify")
    well = True
    with tempfile.TemporaryDirectory() as folder:
        program = compile_mujoco(folder)
        for path in files:
            line, good, height = run_robot(options.command, path, options)
            well = well and good
            beside = run_mujoco(program, path, height, options)
            print(f"{path.parent.parent.name[:20] + '/' + path.stem:40.40s} {line}  {beside}".rstrip(), flush=True)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
