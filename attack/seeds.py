"""What is attacked: the project's own files and, where they lie beside it, the shared ones, each with the verbs that
take it.

A seed is a set of files, one of which is damaged, and the commands that read it. Answers and recorded runs, which are
inputs of verify and run --resume, are made first by the command itself. Seeds come in groups, by what is damaged; each
group gets its share of the cases, however many seeds it has.
"""
import glob
import os
import re

MOST = 300_000  # bytes of a file
TIME_LIMIT = "1"  # seconds, for every command
LCP_SOLVERS = ["auto", "lemke", "enum", "newton", "pgs", "ipm"]
CONTACT_SOLVERS = ["auto", "gs", "newton", "apgd", "bb", "admm", "ipm", "lemke", "velocities"]
QUESTIONS = ["modes", "sticking", "closure", "velocities", "impact", "painleve"]
# Cases of each group for one of a group that is not named.
WEIGHTS = {"lcp": 2, "contact": 4, "instant": 5, "system": 4, "scene": 5, "urdf": 5, "run": 4, "hdf5": 2, "table": 0.5}


class Seed:
    def __init__(self, group, name, files, victim, commands):
        self.group, self.name, self.files, self.victim, self.commands = group, name, files, victim, commands


def kind_of(name, data):
    if name.endswith((".urdf",)):
        return "urdf"
    if name.endswith((".hdf5", ".h5")):
        return "contact" if b"fclib" in data else "hdf5"
    m = re.search(rb'"kind"\s*:\s*"(\w+)"', data)
    is_answer = b'"outcome"' in data
    return m.group(1).decode() if m and not is_answer else None


# ---- commands: functions of a generator, so that options differ from case to case

def solve(file, solvers):
    def make(rng):
        out = ["solve", file]
        if rng.random() < 0.5:
            out += ["--solver", rng.choice(solvers)]
        elif solvers is LCP_SOLVERS and rng.random() < 0.2:
            out += ["--all"]
        if solvers is CONTACT_SOLVERS and rng.random() < 0.2:
            out += ["--minimum-norm"]
        if rng.random() < 0.3:
            out += ["--output", "answer.hdf5" if solvers is CONTACT_SOLVERS and rng.random() < 0.5 else "answer.json"]
        return out
    return make


def inspect(file):
    return lambda rng: ["inspect", file]


def cone(file):
    return lambda rng: ["cone", file] + (["--polar"] if rng.random() < 0.3 else [])


def prove(verb, file):
    def make(rng):
        methods = ["--method", rng.choice(["safe", "all", "newton-mc"])] if verb == "root" and rng.random() < 0.6 else []
        return [verb, file] + methods + (["--verify"] if rng.random() < 0.5 else [])
    return make


def analyze(file, question):
    def make(rng):
        out = ["analyze", question, file]
        if question == "modes" and rng.random() < 0.5:
            out += rng.choice((["--consistent"], ["--lcp"], ["--sides", "4"], ["--contacts-only"], ["--cones", "none"]))
        if question == "sticking" and rng.random() < 0.4:
            out += rng.choice((["--facets", "6"], ["--forces"], ["--propositions"]))
        if question == "painleve":
            out += ["--instant"]
        return out
    return make


def run(file, until):
    def make(rng):
        out = ["run", file, "--time", until, "--threads", "1"]
        if rng.random() < 0.3:
            out += ["--out", "run"]
        if rng.random() < 0.1:
            out += ["--csv", "run.csv"]
        return out
    return make


def verify(*files):
    return lambda rng: ["verify"] + list(files)


def resume(folder, until):
    return lambda rng: ["run", "--resume", folder, "--time", until, "--threads", "1"]


def commands_of(kind, file):
    if kind in ("lcp", "mlcp", "hdf5"):
        return [solve(file, LCP_SOLVERS)] * 2 + [inspect(file)]
    if kind in ("qp", "l1", "stochastic"):
        return [solve(file, ["auto", "ipm"])]
    if kind == "contact":
        return [solve(file, CONTACT_SOLVERS)] * 2 + [inspect(file)]
    if kind == "cone":
        return [cone(file)]
    if kind == "instant":
        return [analyze(file, q) for q in QUESTIONS]
    if kind == "system":
        return [analyze(file, q) for q in QUESTIONS] + [run(file, "0.1")] * 4 + [inspect(file)]
    if kind == "scene":
        return [run(file, "0.02")] * 3 + [inspect(file), analyze(file, "sticking")]
    if kind == "grasp":
        return [analyze(file, "closure")]
    if kind in ("root", "bound"):
        return [prove(kind, file)]
    if kind == "urdf":
        return [inspect(file), inspect(file), run(file, "0.01")]
    return []


# ---- files

def files_below(*patterns):
    for pattern in patterns:
        for path in sorted(glob.glob(pattern, recursive=True)):
            if os.path.isfile(path) and os.path.getsize(path) <= MOST:
                with open(path, "rb") as f:
                    yield path, f.read()


def with_meshes(path, data):
    """A robot's file, and the meshes it names that can be found; a file of many megabytes is left out."""
    files = {os.path.basename(path): data}
    for name in set(re.findall(rb'filename\s*=\s*"([^"]+)"', data)):
        name = name.decode("utf-8", "replace")
        short = re.sub(r"^(package://[^/]*/|file://)", "", name)
        folder = os.path.dirname(path)
        for _ in range(4):
            beside = os.path.join(folder, short)
            if os.path.isfile(beside) and os.path.getsize(beside) <= MOST and ".." not in short:
                with open(beside, "rb") as f:
                    files[short] = f.read()
            folder = os.path.dirname(folder)
    return files


def plain_seeds(source):
    shared = os.path.join(os.path.dirname(source), "shared")
    found = files_below(source + "/problems/*", source + "/scenes/*", source + "/fuzz/corpus/*/*", source + "/tests/**/*.urdf",
                        shared + "/problems/**/*", shared + "/robots/**/*.urdf")
    for path, data in found:
        name = os.path.basename(path)
        kind = kind_of(name, data)
        commands = commands_of(kind, name)
        if commands:
            files = with_meshes(path, data) if name.endswith(".urdf") else {name: data}
            if name == "arm-grasp.json":
                files["arm.urdf"] = open(os.path.join(os.path.dirname(path), "arm.urdf"), "rb").read()
            yield Seed(kind, os.path.relpath(path, source), files, name, commands)


MESH_ROBOT = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<collision><geometry><mesh filename="%s"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>
"""


def part_seeds(source):
    """Files that others name: matrices, meshes, tables of wrenches; quadratic programs, of which there are no files."""
    for path, data in files_below(source + "/fuzz/corpus/matrix_market/*"):
        head = b'{"kind": "lcp", "M": {"file": "M.mtx"}, "q": [-1, -2, -3]}'
        yield Seed("matrix", os.path.relpath(path, source), {"p.json": head, "M.mtx": data}, "M.mtx",
                   commands_of("lcp", "p.json"))
    for path, data in files_below(source + "/fuzz/corpus/mesh/*"):
        name = "mesh." + path.rsplit(".", 1)[-1]
        files = {"r.urdf": (MESH_ROBOT % name).encode(), name: data}
        yield Seed("mesh", os.path.relpath(path, source), files, name, [inspect("r.urdf"), run("r.urdf", "0.01")])
    rod, table = (read(source, "problems/" + n) for n in ("s2_rod.json", "s2_path.csv"))
    yield Seed("table", "problems/s2_path.csv", {"rod.json": rod, "path.csv": table}, "path.csv",
               [lambda rng: ["analyze", "modes", "rod.json", "--path", "path.csv"]])
    programs = ['{"kind": "l1", "A": [[1, 0], [0, 1], [1, 1]], "b": [-1, 2, 0.5]}',
                '{"kind": "qp", "P": [[2, 0], [0, 2]], "c": [-2, -5], "A": [[1, 2]], "l": [null], "u": [3], "lb": [0, 0]}',
                '{"kind": "qp", "c": [1, 1], "A": [[1, 0], [0, 1]], "l": [2, 2], "u": [1, 3]}',
                '{"kind": "qp", "P": [[1, 1], [1, 1]], "c": [-1, 1], "lb": [0, null], "ub": [null, 0]}']
    grasp = ('{"kind": "grasp", "dimension": 3, "center": [0, 0, 0], "mu": 0.5, "contacts": [{"point": [1, 0, 0], "normal": '
             '[-1, 0, 0]}, {"point": [-1, 0, 0], "normal": [1, 0, 0], "mu": 0.25}, {"point": [0, 1, 0], "normal": [0, -1, 0]}]}')
    yield Seed("grasp", "a grasp", {"grasp.json": grasp.encode()}, "grasp.json", commands_of("grasp", "grasp.json"))
    square, shadow = b'{"kind": "cone", "rays": [[1, 0, 1], [0, 1, 1], [-1, 0, 1]]}', b'{"kind": "matrices", "T": [[1, 0, 0], [0, 1, 0]]}'
    yield Seed("matrix", "an image of a cone", {"c.json": square, "T.json": shadow}, "T.json",
               [lambda rng: ["cone", "c.json", "--image", "T.json"], lambda rng: ["cone", "c.json", "--sum", "T.json"]])
    for k, text in enumerate(programs):
        yield Seed("qp", "a quadratic program, %d" % k, {"qp.json": text.encode()}, "qp.json", commands_of("qp", "qp.json"))


def read(source, path):
    with open(os.path.join(source, path), "rb") as f:
        return f.read()


# ---- what the command makes: answers and runs

def folder_files(folder):
    out = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if name not in ("out", "err"):
                out[os.path.relpath(path, folder)] = read(folder, os.path.relpath(path, folder))
    return out


def answer_seeds(make, plain):
    """make(files, arguments): the files of the folder afterwards."""
    for seed in plain:
        kind, name = kind_of(seed.victim, seed.files[seed.victim]), seed.victim
        asked = {"lcp": [["solve", name]], "mlcp": [["solve", name]], "qp": [["solve", name]], "contact": [["solve", name]],
                 "instant": [["analyze", "sticking", name], ["analyze", "modes", name]]}.get(kind, [])
        for arguments in asked:
            files = make(seed.files, arguments + ["--output", "answer.json", "--time-limit", "2"])
            if "answer.json" in files and len(files["answer.json"]) <= MOST:
                files["answer.json"] = re.sub(rb'"time_s": [^,}]*', b'"time_s": 0', files["answer.json"])  # the same each time
                for victim in ("answer.json", "answer.json", name):
                    yield Seed("answer to " + kind, "%s, %s" % (" ".join(arguments[:-1]), seed.name), files, victim,
                               [verify(name, "answer.json")])


RUNS = [("box-stack", "0.02"), ("slope-block", "0.03"), ("four-bar", "0.03"), ("arm-grasp", "0.02"), ("painleve-rod", "0.05"),
        ("pebble-bed", "0.02")]


def run_seeds(make):
    for scene, until in RUNS:
        more = ["--set", "count=8"] if scene == "pebble-bed" else []
        files = make({}, ["run", scene, "--time", until, "--out", "run", "--threads", "1"] + more)
        for victim in ("run/checkpoint.h5", "run/trajectory.h5"):
            if victim in files and len(files[victim]) <= 4 * MOST:
                again = [resume("run", "%g" % (2 * float(until)))]
                is_world = scene not in ("painleve-rod", "pebble-bed")
                yield Seed("run", "a run of " + scene, files, victim, again + ([verify("run")] * 2 if is_world else []))


def play(plan):
    return lambda rng: ["run", plan] + (["--repeat", "3"] if rng.random() < 0.5 else [])


def plan_seeds(make):
    files = make({}, ["plan", "peg-push", "--goal", "0.6,0,0", "--seed", "2", "--out", "plan.json"])
    if "plan.json" in files:
        yield Seed("plan", "a plan of peg-push", files, "plan.json", [verify("plan.json"), play("plan.json")])


def choose(rng, found):
    groups = sorted(set(seed.group for seed in found))
    group, = rng.choices(groups, [WEIGHTS.get(g, 1) for g in groups])
    return rng.choice([seed for seed in found if seed.group == group])
