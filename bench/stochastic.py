#!/usr/bin/python3
"""Stochastic programs of growing numbers of scenarios: CPU seconds of the whole process, reading included.

    bench/stochastic.py COMMAND [--cases 4/5/2/3:1000,40/60/10/30:100] [--runs 3]

COMMAND is the stiction to run. A case is n/m/p/q:N: variables x, variables y, expectation rows and scenario rows of S3 (3.1.6), and the
number of scenarios, all dense, drawn as the reference cases of S3 3.1 are, with another generator. The least CPU time of the runs counts.
CSV on stdout.
"""
import argparse
import json
import os
import random
import subprocess
import tempfile


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def program(n, m, p, q, count):
    draw = random.Random(1)

    def vector(size, low=-1, high=1):
        return [round(draw.uniform(low, high), 6) for _ in range(size)]

    def matrix(rows, cols):
        return [vector(cols) for _ in range(rows)]

    def convex(L):
        return [[dot(a, b) + (.1 if i == j else 0) for j, b in enumerate(L)] for i, a in enumerate(L)]

    P = {"kind": "stochastic", "Q0": convex(matrix(n, n)), "c0": vector(n), "T0": matrix(p, n), "W0": matrix(q, n), "scenarios": []}
    x = vector(n, .5, 1.5)
    b = [dot(t, x) for t in P["T0"]]
    for _ in range(count):
        S = {"Q": convex(matrix(m, m)), "c": vector(m), "T": matrix(p, m), "W": matrix(q, m)}
        y = vector(m, .5, 1.5)
        S["d"] = [dot(P["W0"][k], x) + dot(S["W"][k], y) for k in range(q)]
        b = [b[k] + dot(S["T"][k], y) / count for k in range(p)]
        P["scenarios"].append(S)
    return dict(P, b=b)


def measure(command):
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        _, _, used = os.wait4(process.pid, 0)
        out.seek(0)
        return used.ru_utime + used.ru_stime, json.load(out)


def main():
    parser = argparse.ArgumentParser(description="stochastic programs of growing numbers of scenarios")
    parser.add_argument("command")
    parser.add_argument("--cases", default="4/5/2/3:1000,4/5/2/3:10000,4/5/2/3:100000,40/60/10/30:100,40/60/10/30:1000")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print("sizes,scenarios,cpu_s,iterations,gap,objective", flush=True)
    for case in options.cases.split(","):
        sizes, count = case.split(":")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(program(*map(int, sizes.split("/")), int(count)), file)
            file.flush()
            runs = [measure([options.command, "solve", file.name, "--json"]) for _ in range(options.runs)]
        cpu, answer = min(runs, key=lambda run: run[0])
        print(f"{sizes},{count},{cpu:.2f},{answer['iterations']},{answer['gap']:.1e},{answer['objective']:.12g}", flush=True)


if __name__ == "__main__":
    main()
