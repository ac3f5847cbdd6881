#!/usr/bin/python3
"""Sample averages of a stochastic program whose least value is known, by numbers of scenarios (S3 3.1 announces such a
study).

    bench/sample_average.py COMMAND [--replications 200] [--samples 10,30,100,300,1000,3000]

COMMAND is the stiction to run. The newsvendor buys x at 1 and sells min(x, u) at 3, u uniform from 0 to 1: the mean of
x - 3 min(x, u) is 3/2 x^2 - 2 x, so x* = 2/3 and the least value is -2/3. CSV on stdout: scenarios N; the mean of the
least values of the samples less -2/3 (the bias); their deviation; both times N and the root of N; half the width of the
95 % interval, and whether -2/3 lies in it.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile

PROBLEM = {"kind": "stochastic", "c0": [1], "W0": [[-1]],
           "sample": {"random": {"u": "uniform"}, "scenario": {"c": [-3], "W": [[1]], "dl": [None], "du": [0], "ub": ["u"]}}}
LEAST = -2 / 3


def main():
    parser = argparse.ArgumentParser(description="convergence of sample averages")
    parser.add_argument("command")
    parser.add_argument("--samples", default="10,30,100,300,1000,3000")
    parser.add_argument("--replications", type=int, default=200)
    options = parser.parse_args()
    print("scenarios,replications,bias,deviation,bias_times_N,deviation_times_root_N,half_width_95,covers,time_s", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "vendor.json")
        with open(path, "w") as file:
            json.dump(PROBLEM, file)
        for N in map(int, options.samples.split(",")):
            done = subprocess.run([options.command, "solve", path, "--samples", str(N), "--replications", str(options.replications), "--json"],
                                  stdout=subprocess.PIPE, check=True)
            a = json.loads(done.stdout)
            bias, low, high = a["objective"] - LEAST, *a["objective_95"]
            print(f"{N},{a['solved_count']},{bias:.3e},{a['deviation']:.3e},{bias * N:.3f},{a['deviation'] * math.sqrt(N):.4f},"
                  f"{(high - low) / 2:.2e},{'yes' if low <= LEAST <= high else 'no'},{a['time_s']:.2f}", flush=True)


if __name__ == "__main__":
    main()
