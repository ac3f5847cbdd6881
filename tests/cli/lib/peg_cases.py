"""peg_cases.py COMMAND CASES: the PEG cases of the thesis through the command: trajectories, modes, forces, jams and
damping."""
import csv
import json
import subprocess
import sys

WALL = [(0, -10), (0, 10), (-4, 10), (-4, -10)]


def wall(c):
    x, y = c["N"]
    corners = [[x * (c["o"] + a) - y * b, y * (c["o"] + a) + x * b] for a, b in WALL]
    return {"polygon": corners, "mu": c["mu"]}


def scene(inputs):
    points = inputs.get("support_points_body", [[0.4, 0], [-0.2, "0.2*sqrt(3)"], [-0.2, "-0.2*sqrt(3)"]])
    weights = inputs.get("support_coefficients", [1, 1, 1])
    a, b = inputs.get("peg_half_length_a", 0.8), inputs.get("peg_half_width_b", 0.4)
    walls = []
    for c in inputs["contacts"]:
        if c["type"] == "wall" and wall(c) not in walls:
            walls.append(wall(c))
    return {"kind": "manipulation", "h": inputs["h"], "steps": inputs.get("N", 1), "fixtures": walls,
            "parts": [{"polygon": [[-a, -b], [a, -b], [a, b], [-a, b]], "pose": inputs["q0"],
                       "support": {"points": [p + [w] for p, w in zip(points, weights)]}}],
            "probes": [{"tips": [c["p0"]], "direction": c["direction_rad"], "speed": c["speed"], "mu": c["mu"]}
                       for c in inputs["contacts"] if c["type"] == "probe"]}


def look(case, summary, rows):
    """What is wrong with a run of one case."""
    expected, wrong = case["expected"], []
    tips = [k for k, c in enumerate(case["inputs"]["contacts"]) if c["type"] == "probe"]
    names = ["probe %d" % (k + 1) for k in range(len(tips))]
    status = expected.get("status", "ok" if expected.get("n_mode_solutions") else "no solution at step 0")
    if status == "ok":
        if summary["outcome"] != "time":
            wrong.append("outcome %s" % summary["outcome"])
    else:
        jam = "damage" if "damage" in case["title"] else "stuck"
        if summary["outcome"] != jam or summary["steps"] != int(status.split()[-1]):
            wrong.append("%s after %d steps, %s expected" % (summary["outcome"], summary["steps"], status))
    if not summary["check"]["accepted"]:
        wrong.append(summary["check"]["text"])
    places = dict(expected.get("q", {}))
    if "hv" in expected:
        places["1"] = [a + b for a, b in zip(case["inputs"]["q0"], expected["hv"])]
    for step, q in places.items():
        row = rows[int(step)]
        if any(abs(float(row[k]) - v) > 1e-8 for k, v in zip(("x", "y", "theta"), q)):
            wrong.append("step %s: %s, %s expected" % (step, [row[k] for k in ("x", "y", "theta")], q))
    for modes, first, last in expected.get("mode_runs_[mode,first,last]", []):
        for step in range(first, last + 1):
            got = "".join(rows[step + 1]["mode:" + name] for name in names)
            if got != "".join(modes[k] for k in tips):
                wrong.append("step %d: modes %s, %s expected" % (step, got, modes))
    for k, name in enumerate(names):
        if "first_step_lambda_n" in expected and abs(float(rows[1]["lambda_n:" + name] or 0) - expected["first_step_lambda_n"][tips[k]]) > 1e-8:
            wrong.append("force of %s in the first step" % name)
    return wrong


def robust(case, command):
    """The robust-control verdict: component numbers depend on the list of contacts, so their count and least value are
    held."""
    expected = case["expected"].get("robust")
    if expected is None:
        return []
    done = subprocess.run([command, "analyze", "robust", "peg.json", "--json"], capture_output=True, text=True)
    got = json.loads(done.stdout)
    if got["switch_step"] != expected["step"] or got["robust"] != (expected["IsSwitch"] == 0):
        return ["switch in step %s, %s expected" % (got["switch_step"], expected["step"])]
    if len(got["basis"]) != len(expected["alpha0"]):
        return ["%d in the basis, %s expected" % (len(got["basis"]), expected["alpha0"])]
    if expected["IsSwitch"] and (len(got["broken"]) != len(expected["violating_component_1based"]) or
                                 abs(got["least"] - expected["min_w"]) > 1e-6 * max(1, abs(expected["min_w"]))):
        return ["%d components, least %s; %s expected" % (len(got["broken"]), got["least"], expected)]
    if not expected["IsSwitch"] and any(abs(a - b) > 1e-8 for a, b in zip(got["q"], expected["q_final"])):
        return ["led to %s, %s expected" % (got["q"], expected["q_final"])]
    return []


def posed(case, command):
    """The problem of the step as a file: feasible or not, complementary cones, and what Lemke's method makes of it."""
    expected = case["expected"]
    if "lemke_status" not in expected:
        return []
    ask = lambda *words: json.loads(subprocess.run([command, *words, "--json"], capture_output=True, text=True).stdout)
    ask("run", "peg.json", "--problem", "step.json")
    cones = ask("inspect", "step.json")["complementary_cones"]
    lemke = ask("solve", "step.json", "--solver", "lemke")
    exact = ask("solve", "step.json")
    infeasible = exact["outcome"] == "no_solution" and exact["certificate"]["type"] == "farkas"
    wrong = []
    if (cones["count"] > 0) != (expected["n_complementary_cones_containing_b_(incl_singular)"] > 0):
        wrong.append("%s complementary cones" % cones["count"])
    if (lemke["outcome"] == "solved") != (expected["lemke_status"] == "solution"):
        wrong.append("Lemke's method: %s" % lemke["outcome"])
    if infeasible == expected["lcp_feasible_(LP)"]:
        wrong.append("feasible: %s expected" % expected["lcp_feasible_(LP)"])
    return wrong


def damping(case, command):
    """PEG-15: E, its eigenvalues and the centre of friction, as stiction inspect has them."""
    given, expected, wrong = case["inputs"], case["expected"], []
    points = [p + [c] for p, c in zip(given["support_points_body"], given["c"])]
    for theta in given["theta"]:
        part = {"polygon": [[-1, -1], [1, -1], [1, 1], [-1, 1]], "pose": [0, 0, theta], "support": {"points": points}}
        with open("peg.json", "w") as f:
            json.dump({"kind": "manipulation", "parts": [part]}, f)
        done = subprocess.run([command, "inspect", "peg.json", "--json"], capture_output=True, text=True)
        got = json.loads(done.stdout)["parts"][0]
        pairs = [(got["eigenvalues"], expected["eig(0)"]), (got["centre_of_friction"], expected["centre_of_friction_body"])]
        pairs += list(zip(got["damping"], expected["E(%g)" % theta]))
        if any(abs(a - b) > 1e-12 for x, y in pairs for a, b in zip(x, y)):
            wrong.append("theta %g: %s" % (theta, got))
    return wrong


def main(command, cases):
    seen = bad = 0
    found = json.load(open(cases))
    for case in found["cases"] if isinstance(found, dict) else found:
        if not case["id"].startswith("PEG-"):
            continue
        if "contacts" not in case["inputs"]:
            wrong = damping(case, command)
            seen += 1
            bad += len(wrong) > 0
            print("\n".join("%s: %s" % (case["id"], line) for line in wrong), end="")
            continue
        with open("peg.json", "w") as f:
            json.dump(scene(case["inputs"]), f)
        done = subprocess.run([command, "run", "peg.json", "--json", "--csv", "peg.csv"], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit("%s: %s" % (case["id"], done.stderr))
        wrong = look(case, json.loads(done.stdout), list(csv.DictReader(open("peg.csv"))))
        wrong += robust(case, command) + posed(case, command)
        for line in wrong[:3]:
            print("%s: %s" % (case["id"], line))
        seen += 1
        bad += len(wrong) > 0
    print("%d cases, %d wrong" % (seen, bad))
    return 1 if bad or seen < 9 else 0


sys.exit(main(*sys.argv[1:]))
