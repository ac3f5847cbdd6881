"""Plans of pushes: five tasks, robust beside shortest: time, replays under the noise, proofs.

    python3 bench/plans.py build/release/stiction [--seeds 5] [--replays 1000] [--limit 120] [--only SCENE] >
    bench/results/plans.md

The ten starts of plan-slot take seed 1 each, the other tasks the seeds 1 to SEEDS. Times are those of the processor; a
search ends after LIMIT seconds.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

NOISE = "pose=0.01,angle=0.02,mu=0.05,tip=0.002"
TASKS = [
    ("peg into slot, ten starts", "plan-slot", "1.9,0,0"),
    ("around an obstacle", "plan-obstacle", "2.6,0,0"),
    ("two parts side by side", "plan-pair", "1.5,0.32,0,1.5,-0.32,0"),
    ("through a door", "plan-door", "2.6,0.1,0"),
    ("five edges, uneven support", "plan-wedge", "1.2,0.4,0.5"),
]


def ask(command, *words):
    before = os.times().children_user
    done = subprocess.run([command, *words, "--json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout), os.times().children_user - before


def measure(command, scene, goal, start, seed, asked, folder, shortest):
    file = os.path.join(folder, "plan.json")
    words = ["plan", scene, "--goal", goal, "--noise", NOISE, "--seed", str(seed), "--time-limit", str(asked.limit)]
    words += ["--out", file]
    words += ["--set", f"start={start}"] if start is not None else []
    words += ["--shortest"] if shortest else []
    plan, seconds = ask(command, *words)
    out = {"reached": plan["reached"], "seconds": seconds, "pushes": len(plan["pushes"]), "rate": 0, "accepted": False}
    if plan["reached"]:
        out["rate"] = ask(command, "run", file, "--repeat", str(asked.replays), "--seed", "7")[0]["rate"]
        out["accepted"] = ask(command, "verify", file)[0]["accepted"]
    return out


def row(name, results):
    reached = [r for r in results if r["reached"]]
    rates = [100 * r["rate"] for r in reached] or [0]
    return (
        f"{len(reached)} of {len(results)} | {statistics.median(r['seconds'] for r in results):.1f} s "
        f"| {max(r['seconds'] for r in results):.1f} s | {statistics.median(r['pushes'] for r in results):g} "
        f"| {min(rates):.1f} % | {statistics.mean(rates):.1f} % | {sum(r['accepted'] for r in results)}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--replays", type=int, default=1000)
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--only", help="one scene")
    asked = parser.parse_args()
    print(f"Noise {NOISE}; at most {asked.limit:g} s for each search; {asked.replays} replays of each plan that reaches its goal.\n")
    print("| task | plans | reached | median time | longest | pushes | least rate | mean rate | proved |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for name, scene, goal in TASKS:
            if asked.only not in (None, scene):
                continue
            cases = [(k, 1) for k in range(10)] if scene == "plan-slot" else [(None, s + 1) for s in range(asked.seeds)]
            for shortest in (False, True):
                results = [measure(asked.command, scene, goal, k, s, asked, folder, shortest) for k, s in cases]
                print(f"| {name} | {'shortest' if shortest else 'robust'} | {row(name, results)} |", flush=True)


if __name__ == "__main__":
    main()
