#!/usr/bin/python3
"""Least sums of absolute values: ours beside HiGHS' interior point, in one run, each in a process of its own on one
thread.

    bench/l1.py COMMAND [FOLDER] [--sizes 64,128] [--limit S]

COMMAND is the stiction to run; FOLDER (../shared/data/flow/RubberWhale) has crops c64_10.pgm, c64_11.pgm, ..; the
problem is the one program of S3 2.5.1 with lambda 0.05. HiGHS is what SciPy's linprog brings (Debian: python3-scipy),
method highs-ipm, on its best form: max b'y, A'y = 0, |y| <= 1. Both are asked for a gap of 1e-8. CSV on stdout: CPU
seconds (user and system) and the most memory of the whole process, reading included; "reading" is a process that reads
and builds the same and does not solve, to be taken off by who likes. linprog cannot leave out HiGHS' crossover, so its
time is part of what is told. A run is ended after S = 600 CPU seconds.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile


def peer(path, solve):
    """Runs in a process of its own: prints the objective."""
    import numpy
    import scipy.optimize
    import scipy.sparse
    with open(path) as file:
        problem = json.load(file)
    rows, columns, values = zip(*problem["A"]["entries"])
    A = scipy.sparse.csc_matrix((values, (rows, columns)), shape=(problem["m"], problem["n"]))
    b = numpy.array(problem["b"])
    if not solve:
        return
    done = scipy.optimize.linprog(-b, A_eq=A.T.tocsc(), b_eq=numpy.zeros(problem["n"]), bounds=(-1, 1), method="highs-ipm",
                                  options={"primal_feasibility_tolerance": 1e-8, "dual_feasibility_tolerance": 1e-8,
                                           "ipm_optimality_tolerance": 1e-8})
    print(json.dumps({"objective": -done.fun if done.fun is not None else None}))


def measure(command, limit):
    """CPU seconds, MB, and the object on stdout (None: not in time, or no answer)."""
    threads = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, env=threads,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        _, _, used = os.wait4(process.pid, 0)
        out.seek(0)
        text = out.read()
    try:
        answer = json.loads(text)
    except json.JSONDecodeError:
        answer = None
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, answer


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--peer":
        return peer(sys.argv[2], sys.argv[3] == "solve")
    parser = argparse.ArgumentParser(description="l1 programs beside HiGHS")
    parser.add_argument("command")
    parser.add_argument("folder", nargs="?", default="../shared/data/flow/RubberWhale", type=pathlib.Path)
    parser.add_argument("--sizes", default="64,128")
    parser.add_argument("--limit", type=int, default=600)
    options = parser.parse_args()
    print("size,solver,cpu_s,mb,objective", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes.split(","):
            problem = f"{folder}/{size}.json"
            frames = [str(options.folder / f"c{size}_{k}.pgm") for k in (10, 11)]
            subprocess.run([options.command, "flow", *frames, "--levels", "1", "--tol", "0.5", "--problem", problem, "--quiet"])
            runs = {"stiction": [options.command, "solve", problem, "--tol", "1e-8", "--json", "--quiet"],
                    "reading": [sys.executable, __file__, "--peer", problem, "read"],
                    "highs-ipm": [sys.executable, __file__, "--peer", problem, "solve"]}
            for name, command in runs.items():
                cpu, mb, answer = measure(command, options.limit)
                objective = "none" if answer is None else f"{answer['objective']:.12g}"
                print(f"{size},{name},{cpu:.2f},{mb:.0f},{'' if name == 'reading' else objective}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
