"""nav_study.py COMMAND SEED COUNT: random vehicles in cages through the command, against an enumeration of all sets of
contacts.

Distances and the step of S3 3.3 are written here anew. In each step the set of contacts that press is the one, of all
there are, with which no contact pulls and no cage is entered; ends and switches have to be those of the command.
"""
import itertools
import json
import math
import random
import subprocess
import sys

from push_study import reduce


class Scene:
    def __init__(self, rng):
        self.h = rng.choice([0.01, 0.02, 0.05])
        self.vehicles = [{"r": rng.choice([0.2, 0.3, 0.5]), "m": rng.choice([1, 2.5]), "c": rng.choice([0, 1, 2]),
                          "s": rng.choice([0, 0, 1.5]), "u": [rng.uniform(-3, 3), rng.uniform(-3, 3)],
                          "q": [3.0 * i + rng.uniform(-0.5, 0.5), rng.uniform(-1, 1)],
                          "v": [rng.uniform(-1, 1), rng.uniform(-1, 1)]} for i in range(rng.choice([1, 1, 2, 3]))]
        self.walls = [self.wall(rng) for _ in range(rng.choice([1, 2, 3]))]
        self.obstacles = [self.obstacle(rng) for _ in range(rng.choice([0, 1, 1]))]

    def wall(self, rng):
        a = rng.uniform(0, 2 * math.pi)
        N = [math.cos(a), math.sin(a)]
        return N, min(N[0] * v["q"][0] + N[1] * v["q"][1] - v["r"] for v in self.vehicles) - rng.uniform(0, 1)

    def obstacle(self, rng):
        x, y = rng.uniform(-3, 9), rng.choice([-3, 3])
        if rng.random() < 0.5:
            return {"disc": rng.uniform(0.3, 1), "pose": [x, y, 0]}
        return {"polygon": [[x - 0.7, y - 0.5], [x + 0.6, y - 0.4], [x, y + 0.7]]}

    def file(self):
        force = lambda v: ["%r - %r*x' - %r*x" % (v["u"][0], v["c"], v["s"]), "%r - %r*y' + 0.3*x' - %r*y" % (v["u"][1], v["c"], v["s"])]
        return {"kind": "navigation", "h": self.h, "time": 150 * self.h,
                "walls": [{"name": "w%d" % i, "point": [o * N[0], o * N[1]], "normal": N} for i, (N, o) in enumerate(self.walls)],
                "obstacles": [dict(x, name="o%d" % i) for i, x in enumerate(self.obstacles)],
                "vehicles": [{"name": "v%d" % i, "cage": v["r"], "mass": v["m"], "q": v["q"], "v": v["v"], "force": force(v)}
                             for i, v in enumerate(self.vehicles)]}

    def contacts(self, q):
        """Gap, gradient and name of all pairs that are not far."""
        out, n = [], len(q)

        def add(name, gap, i, N, j=None):
            row = [0.0] * n
            row[2 * i:2 * i + 2] = N
            if j is not None:
                row[2 * j:2 * j + 2] = [-x for x in N]
            if gap < 1.5:
                out.append((gap, row, name))

        for i, v in enumerate(self.vehicles):
            p = q[2 * i:2 * i + 2]
            for k, (N, o) in enumerate(self.walls):
                add("v%d on w%d" % (i, k), N[0] * p[0] + N[1] * p[1] - o - v["r"], i, N)
            for k, x in enumerate(self.obstacles):
                r, d = from_polygon(x["polygon"], p) if "polygon" in x else apart(p, x["pose"])
                add("v%d on o%d" % (i, k), r - x.get("disc", 0) - v["r"], i, d)
            for j in range(i):
                r, d = apart(p, q[2 * j:2 * j + 2])
                add("v%d on v%d" % (j, i), r - v["r"] - self.vehicles[j]["r"], i, d, j)
        return out

    def step(self, q, v):
        """(M - h k_v)(v+ - v) = h k + sum n c: the velocity and the contacts that press; None: there is no such set."""
        h, n = self.h, len(q)
        A, f = [[0.0] * n for _ in range(n)], [0.0] * n
        for i, a in enumerate(self.vehicles):
            k_v = [[-a["c"], 0], [0.3, -a["c"]]]
            for x in range(2):
                for y in range(2):
                    A[2 * i + x][2 * i + y] = (a["m"] if x == y else 0) - h * k_v[x][y]
                f[2 * i + x] = h * (a["u"][x] + sum(k_v[x][y] * v[2 * i + y] for y in range(2)) - a["s"] * q[2 * i + x])
        near = self.contacts(q)
        for size in range(min(len(near), n) + 1):
            for S in itertools.combinations(near, size):
                rows = [A[i][:] + [-c[1][i] for c in S] + [f[i]] for i in range(n)]
                rows += [c[1][:] + [0.0] * size + [-c[0] / h - dot(c[1], v)] for c in S]
                pivots = reduce(rows)
                if pivots is None or len(pivots) < n + size:
                    continue
                x = [r[-1] for r in rows[:n + size]]
                w = [a + b for a, b in zip(v, x)]
                if all(z >= -1e-13 for z in x[n:]) and all(c[0] + h * dot(c[1], w) >= -1e-10 for c in near):
                    return w, [c[2] for c, z in zip(S, x[n:]) if z > 1e-9]
        return None


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def apart(p, q):
    d = [p[0] - q[0], p[1] - q[1]]
    r = math.hypot(*d)
    return r, [d[0] / r, d[1] / r]


def from_polygon(corners, p):
    """Distance and direction from the nearest point of its edges, of one that p is outside of."""
    feet = []
    for a, b in zip(corners, corners[1:] + corners[:1]):
        e = [b[0] - a[0], b[1] - a[1]]
        s = max(0, min(1, ((p[0] - a[0]) * e[0] + (p[1] - a[1]) * e[1]) / dot(e, e)))
        feet.append(apart(p, [a[0] + s * e[0], a[1] + s * e[1]]))
    return min(feet)


def compare(scene, summary, tally):
    q, v = [x for a in scene.vehicles for x in a["q"]], [x for a in scene.vehicles for x in a["v"]]
    switches, before = [], []
    for l in range(summary["steps"]):
        made = scene.step(q, v)
        if made is None:
            return "step %d: no solution here" % l
        v, now = made
        q = [a + scene.h * b for a, b in zip(q, v)]
        tally["steps"] += 1
        tally["pressing"] += len(now) > 0
        if sorted(now) != before:
            switches.append(l)
            before = sorted(now)
    worst = max(abs(a - b) for a, b in zip(q, [x for w in summary["vehicles"] for x in w["q"]]))
    if worst > 1e-7:
        return "ends %g away" % worst
    got = [s["step"] for s in summary["switches"]]
    return None if got == switches else "switches in %s, %s expected" % (got, switches)


def study(command, seed, count):
    tally = {"scenes": 0, "steps": 0, "pressing": 0, "deadlocks": 0, "wrong": 0}
    for k in range(count):
        scene = Scene(random.Random(seed * 7919 + k))
        with open("study.json", "w") as f:
            json.dump(scene.file(), f)
        done = subprocess.run([command, "run", "study.json", "--json"], capture_output=True, text=True)
        wrong = done.stderr if done.returncode not in (0, 1) else None
        if wrong is None:
            summary = json.loads(done.stdout)
            tally["scenes"] += 1
            tally["deadlocks"] += summary["outcome"] == "deadlock"
            wrong = compare(scene, summary, tally)
        if wrong is not None:
            tally["wrong"] += 1
            print("%d: %s" % (k, wrong))
    print("nav_study: seed %d, " % seed + ", ".join("%s %d" % i for i in tally.items()))
    return 1 if tally["wrong"] or tally["pressing"] == 0 else 0


if __name__ == "__main__":
    sys.exit(study(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
