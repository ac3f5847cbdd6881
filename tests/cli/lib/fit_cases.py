"""fit_cases.py COMMAND CASES: the NMF cases of the thesis through the command."""
import json
import subprocess
import sys


def fit(command, *arguments):
    done = subprocess.run([command, "fit", *arguments, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s: %s%s" % (arguments, done.stdout[:300], done.stderr))
    return json.loads(done.stdout)


def decay(command, case):
    inputs, expected = case["inputs"], case["expected"]
    json.dump({"kind": "model", "parameters": dict(zip("abc", inputs["x0"])), "model": "a*exp(-b*t) + c"}, open("model.json", "w"))
    with open("data.csv", "w") as f:
        f.write("t,y\n" + "".join("%.17g,%.17g\n" % row for row in zip(inputs["t"], inputs["y"])))
    got = fit(command, "model.json", "data.csv", "--parameters", "a,b,c")
    good = got["residual"] <= expected["minimax_residual"] * (1 + 1e-3) + 1e-8
    return good and all(abs(got["parameters"][k] - v) <= case["tolerance"]["parameters_abs"]
                        for k, v in zip("abc", expected["parameters_minimax"])), got


def push(command, scene, case):
    inputs, expected = case["inputs"], case["expected"]
    rows = [inputs["data"][k:k + 3] for k in range(0, len(inputs["data"]), 3)]
    with open("data.csv", "w") as f:
        f.write("y0,t,x,y,theta\n")
        for k, row in enumerate(rows):
            f.write("%.17g,%.17g,%.17g,%.17g,%.17g\n" % (0.2 if k < 6 else 0.35, 0.05 * 10 * (k % 6 + 1), *row))
    start = ",".join("%g" % x for x in inputs["x0"])
    got = fit(command, scene, "data.csv", "--parameters", "rho,mu", "--start", start, "--bounds", "rho=0.01:2,mu=0:2", "--picture", "fit.svg")
    return all(abs(got["parameters"][k] - expected[k]) <= case["tolerance"]["value"] for k in ("rho", "mu")), got


def main(command, cases, scene):
    seen = bad = 0
    found = json.load(open(cases))
    for case in found["cases"] if isinstance(found, dict) else found:
        if not case["id"].startswith("NMF-"):
            continue
        good, got = push(command, scene, case) if "model" in case["inputs"] else decay(command, case)
        if not good:
            print("%s: %s, residual %s" % (case["id"], got["parameters"], got["residual"]))
        seen += 1
        bad += not good
    print("%d cases, %d wrong" % (seen, bad))
    return 1 if bad or seen < 3 else 0


sys.exit(main(*sys.argv[1:]))
