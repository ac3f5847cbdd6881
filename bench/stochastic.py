#!/usr/bin/python3
"""Stochastic programs of growing numbers of scenarios: CPU seconds of the whole process, reading included.

    bench/stochastic.py COMMAND [--peer bench_stochastic_ipopt] [--cases 4/5/2/3:1000,40/60/10/30:100] [--runs 3]
    [--limit 600]

COMMAND is the stiction to run. A case is n/m/p/q:N: variables x, variables y, expectation rows and scenario rows of S3
(3.1.6), and the number of scenarios, all dense, drawn as the reference cases of S3 3.1 are, with another generator. The
least CPU time of the runs counts. A peer is a program that takes the same file and writes one object with "objective";
it solves the program of all scenarios at once, to 1e-8 as ours is asked to, once, and is ended after LIMIT CPU seconds.
Ours is then solved in its process as well ("ours", RUNS times). CSV on stdout: CPU seconds and MB of whole processes,
reading included, CPU seconds of the solve alone, and the MB that it took above the problem (without a peer only CPU
seconds: less those of stiction inspect, which reads and counts).
"""
import argparse
import json
import os
import random
import resource
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


def measure(command, limit):
    """CPU seconds, MB, and the object on stdout (None: not in time, or no answer)."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        _, _, used = os.wait4(process.pid, 0)
        out.seek(0)
        text = out.read()
    answer = None
    for end in (b"", b"}"):  # of a peer that crashed what it said before
        try:
            answer = json.loads(text + end)
            break
        except json.JSONDecodeError:
            pass
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, answer


def main():
    parser = argparse.ArgumentParser(description="stochastic programs of growing numbers of scenarios")
    parser.add_argument("command")
    parser.add_argument("--peer")
    parser.add_argument("--cases", default="4/5/2/3:1000,4/5/2/3:10000,4/5/2/3:100000,40/60/10/30:100,40/60/10/30:1000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=int, default=600)
    options = parser.parse_args()
    print("sizes,scenarios,solver,cpu_s,solve_s,mb,solve_mb,iterations,gap,objective", flush=True)
    for case in options.cases.split(","):
        sizes, count = case.split(":")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(program(*map(int, sizes.split("/")), int(count)), file)
            file.flush()
            ours = [options.command, "solve", file.name, "--tol", "1e-8", "--json"]
            reading = min(measure([options.command, "inspect", file.name, "--json"], options.limit)[0] for _ in range(options.runs))
            cpu, mb, answer = min((measure(ours, options.limit) for _ in range(options.runs)), key=lambda run: run[0])
            peer = measure([options.peer, file.name, "1e-8", str(options.runs)], options.limit) if options.peer else None
        alone = peer[2]["ours"] if peer and peer[2] else {"cpu_s": cpu - reading}
        rows = [("stiction", cpu, mb, answer, alone)]
        if peer:
            rows.append((os.path.basename(options.peer), *peer, peer[2]))
        for name, cpu, mb, answer, alone in rows:
            if answer is None or "objective" not in answer:
                print(f"{sizes},{count},{name},{cpu:.2f},,{mb:.0f},,,,none", flush=True)
                continue
            gap = f"{answer['gap']:.1e}" if "gap" in answer else ""
            print(f"{sizes},{count},{name},{cpu:.2f},{alone['cpu_s']:.4f},{mb:.0f},{alone.get('mb', '')},{answer['iterations']},{gap},"
                  f"{answer['objective']:.12g}", flush=True)


if __name__ == "__main__":
    main()
