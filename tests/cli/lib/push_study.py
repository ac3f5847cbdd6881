"""push_study.py COMMAND SEED COUNT: random scenes of parts and probes through the command, every step against all
contact modes.

Geometry, damping and the laws of S3 (2.4.16) are written here anew. Of each step all modes of all contacts are tried
(open, stick, slide to either side), each a linear system: what the command made must be one of the solutions, and where
it says that there is none there must be none.
"""
import csv
import itertools
import json
import math
import random
import subprocess
import sys


NEAR = 0.2  # gap of a contact that is looked at


def far(u):
    return math.hypot(u[0], u[1]) + abs(u[2])


def turn(a, p):
    c, s = math.cos(a), math.sin(a)
    return [c * p[0] - s * p[1], s * p[0] + c * p[1]]


def reduce(rows):
    """Echelon form of augmented rows: pivots, or None when it has no solution."""
    n, at, pivots = len(rows[0]) - 1, 0, []
    for col in range(n):
        best = max(range(at, len(rows)), key=lambda i: abs(rows[i][col]), default=None)
        if best is None or abs(rows[best][col]) < 1e-10: continue
        rows[at], rows[best] = rows[best], rows[at]
        scale = rows[at][col]
        rows[at] = [x / scale for x in rows[at]]
        for i in range(len(rows)):
            if i != at and rows[i][col] != 0:
                f = rows[i][col]
                rows[i] = [x - f * y for x, y in zip(rows[i], rows[at])]
        pivots.append(col)
        at += 1
    return None if any(abs(r[-1]) > 1e-9 for r in rows[at:]) else pivots


def solutions(E, contacts, h):
    """All (u, modes, forces) that keep the laws; forces are h lambda."""
    found, skipped = [], 0
    for modes in itertools.product("NK+-", repeat=len(contacts)):
        unknowns = 3 + 2 * len(contacts)
        rows = []
        for i in range(3):
            row = [0.0] * (unknowns + 1)
            row[:3] = E[i]
            for k, c in enumerate(contacts):
                row[3 + 2 * k], row[4 + 2 * k] = -c["Wn"][i], -c["Wt"][i]
            rows.append(row)
        for k, (c, m) in enumerate(zip(contacts, modes)):
            n, t = 3 + 2 * k, 4 + 2 * k
            def row(values, rhs):
                r = [0.0] * (unknowns + 1)
                for i, v in values: r[i] = v
                r[-1] = rhs
                rows.append(r)
            if m == "N":
                row([(n, 1)], 0); row([(t, 1)], 0)
            else:
                row(list(enumerate(c["Wn"])), -c["gap"] - h * c["rate_n"])
                if m == "K": row(list(enumerate(c["Wt"])), -h * c["rate_t"])
                else: row([(t, 1), (n, c["mu"] if m == "+" else -c["mu"])], 0)
        pivots = reduce(rows)
        if pivots is None: continue
        free = [i for i in range(unknowns) if i not in pivots]
        if len(free) > 1:
            skipped += 1
            continue
        x, d = [0.0] * unknowns, [0.0] * unknowns
        for r, p in zip(rows, pivots):
            x[p] = r[-1]
            if free: d[p] = -r[free[0]]
        if free: d[free[0]] = 1.0
        low, high, good = -math.inf, math.inf, True
        def need(value, slope, tol):
            nonlocal low, high, good
            if abs(slope) < 1e-12: good = good and value >= -tol
            elif slope > 0: low = max(low, (-tol - value) / slope)
            else: high = min(high, (-tol - value) / slope)
        for k, (c, m) in enumerate(zip(contacts, modes)):
            n, t = 3 + 2 * k, 4 + 2 * k
            dot = lambda W, z: sum(a * b for a, b in zip(W, z[:3]))
            if m == "N": need(dot(c["Wn"], x) + c["gap"] + h * c["rate_n"], dot(c["Wn"], d), 1e-11)
            else: need(x[n], d[n], 1e-11)
            if m == "K":
                need(c["mu"] * x[n] - x[t], c["mu"] * d[n] - d[t], 1e-11)
                need(c["mu"] * x[n] + x[t], c["mu"] * d[n] + d[t], 1e-11)
            if m in "+-":
                s = 1 if m == "+" else -1
                need(s * (dot(c["Wt"], x) + h * c["rate_t"]), s * dot(c["Wt"], d), 1e-11)
        if good and low <= high + 1e-12:
            s = 0 if not free else max(low, min(high, 0))
            found.append(([a + s * b for a, b in zip(x[:3], d)], "".join(modes), None if free else x[3:]))
    return found, skipped


SHAPES = {
    "rectangle": [[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]],
    "triangle": [[-0.6, -0.5], [0.9, -0.3], [-0.2, 0.7]],
    "hexagon": [[0.7 * math.cos(k * math.pi / 3 + 0.2), 0.6 * math.sin(k * math.pi / 3 + 0.2)] for k in range(6)],
    "trapezium": [[-0.7, -0.4], [0.5, -0.6], [0.8, 0.3], [-0.4, 0.5]],
    "disc": 0.5,
}


class Scene:
    def __init__(self, rng):
        self.rng = rng
        self.name = rng.choice(list(SHAPES))
        self.shape = SHAPES[self.name]
        self.h = rng.choice([0.02, 0.05, 0.1])
        self.pose = [rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-3, 3)]
        self.support = rng.choice(["points", "E", "world", "pressure"])
        self.steps = rng.choice([10, 30, 60])
        self.make_support()
        self.tips = []
        for k in range(rng.choice([1, 1, 2, 2, 3])): self.add_tip(k)
        self.walls = [self.add_wall() for _ in range(rng.choice([0, 0, 1, 2]))]

    def make_support(self):
        rng = self.rng
        if self.support == "pressure" and self.name != "rectangle" and self.name != "disc": self.support = "points"
        if self.support == "points":
            self.points = [[rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6), rng.uniform(0.2, 3)] for _ in range(rng.choice([2, 3, 5]))]
            self.text = {"points": self.points}
            self.E0 = self.of_points(self.points)
        elif self.support == "pressure":
            a, b, c = rng.uniform(1, 2), rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5)
            self.text = {"pressure": "%r + %r*x + %r*y" % (a, b, c)}
            if self.name == "rectangle":   # moments of a rectangle, by hand
                A, X, Y = 1.6 * 0.8, 1.6 ** 2 / 12, 0.8 ** 2 / 12
                m0, mx, my, m2 = a * A, b * A * X, c * A * Y, a * A * (X + Y)
            else:
                R = self.shape
                A = math.pi * R * R
                m0, mx, my, m2 = a * A, b * A * R * R / 4, c * A * R * R / 4, a * A * R * R / 2
            self.E0 = [[m0, 0, -my], [0, m0, mx], [-my, mx, m2]]
        else:
            L = [[rng.uniform(0.5, 2), 0, 0], [rng.uniform(-0.5, 0.5), rng.uniform(0.5, 2), 0],
                 [rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3), rng.uniform(0.3, 1)]]
            self.E0 = [[sum(L[i][k] * L[j][k] for k in range(3)) for j in range(3)] for i in range(3)]
            for i in range(3):
                for j in range(i): self.E0[i][j] = self.E0[j][i]
            self.text = {"E": self.E0}
            if self.support == "world": self.text["axes"] = "world"

    def of_points(self, points):
        E = [[0.0] * 3 for _ in range(3)]
        for x, y, c in points:
            J = [[1, 0, -y], [0, 1, x]]
            for i in range(3):
                for j in range(3): E[i][j] += c * sum(r[i] * r[j] for r in J)
        return E

    def damping(self, theta):
        if self.support == "world": return [list(r) for r in self.E0]
        if self.support == "points": return self.of_points([turn(theta, p[:2]) + [p[2]] for p in self.points])
        c, s = math.cos(theta), math.sin(theta)
        R = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        return [[sum(R[i][a] * self.E0[a][b] * R[j][b] for a in range(3) for b in range(3)) for j in range(3)] for i in range(3)]

    def world(self, q, p):
        r = turn(q[2], p)
        return [q[0] + r[0], q[1] + r[1]]

    def add_tip(self, k):
        rng = self.rng
        radius = rng.choice([0, 0, 0.05])
        if self.name == "disc":
            a = rng.uniform(0, 2 * math.pi)
            n, foot = [math.cos(a), math.sin(a)], [self.shape * math.cos(a), self.shape * math.sin(a)]
        else:
            i = rng.randrange(len(self.shape))
            p, q = self.shape[i], self.shape[(i + 1) % len(self.shape)]
            s, L = rng.uniform(0.25, 0.75), math.hypot(q[0] - p[0], q[1] - p[1])
            n, foot = [(q[1] - p[1]) / L, -(q[0] - p[0]) / L], [p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]
        gap = rng.choice([0, 0, 0.01])
        at = self.world(self.pose, [foot[0] + (radius + gap + 1e-9) * n[0], foot[1] + (radius + gap + 1e-9) * n[1]])
        out = turn(self.pose[2], n)
        direction = math.atan2(-out[1], -out[0]) + rng.uniform(-0.9, 0.9)
        self.tips.append({"at": at, "radius": radius, "direction": direction, "speed": 0 if k > 0 and rng.random() < 0.3 else rng.choice([0.02, 0.1]),
                          "mu": rng.choice([0, 0.02, 0.1, 0.3, 0.8])})

    def corners(self, q):
        return [self.world(q, p) for p in self.shape]

    def add_wall(self):
        rng = self.rng
        a = rng.uniform(0, 2 * math.pi)
        N = [math.cos(a), math.sin(a)]
        if self.name == "disc": low = N[0] * self.pose[0] + N[1] * self.pose[1] - self.shape
        else: low = min(N[0] * x + N[1] * y for x, y in self.corners(self.pose))
        return {"N": N, "o": low - rng.choice([1e-9, 0.02, 0.1]), "mu": rng.choice([0, 0.1, 0.4])}

    def file(self):
        def wall(w):
            x, y = w["N"]
            return {"mu": w["mu"], "polygon": [[x * (w["o"] + a) - y * b, y * (w["o"] + a) + x * b] for a, b in [(0, -30), (0, 30), (-9, 30), (-9, -30)]]}
        outline = {"disc": self.shape} if self.name == "disc" else {"polygon": self.shape if self.rng.random() < 0.5 else self.shape[::-1]}
        return {"kind": "manipulation", "h": self.h, "steps": self.steps, "parts": [dict(outline, pose=self.pose, support=self.text)],
                "fixtures": [wall(w) for w in self.walls],
                "probes": [{"tips": [t["at"]], "radius": t["radius"], "direction": t["direction"], "speed": t["speed"], "mu": t["mu"]} for t in self.tips]}

    def contacts(self, q, t):
        """Those of tips with the feature that is nearest, of walls with all corners; None: near a corner, where this
        study does not look."""
        out = []
        for tip in self.tips:
            v = [tip["speed"] * math.cos(tip["direction"]), tip["speed"] * math.sin(tip["direction"])]
            p = [tip["at"][0] + t * v[0], tip["at"][1] + t * v[1]]
            local = turn(-q[2], [p[0] - q[0], p[1] - q[1]])
            if self.name == "disc":
                d = math.hypot(*local)
                n, gap, rim = [x / d for x in local], d - self.shape - tip["radius"], [x / d * self.shape for x in local]
            else:
                best = None
                for i in range(len(self.shape)):
                    a, b = self.shape[i], self.shape[(i + 1) % len(self.shape)]
                    L = math.hypot(b[0] - a[0], b[1] - a[1])
                    e = [(b[0] - a[0]) / L, (b[1] - a[1]) / L]
                    s = (local[0] - a[0]) * e[0] + (local[1] - a[1]) * e[1]
                    g = (local[0] - a[0]) * e[1] - (local[1] - a[1]) * e[0]
                    if 0.02 < s < L - 0.02 and g > -0.05 and (best is None or g < best[0]): best = (g, [e[1], -e[0]], [a[0] + s * e[0], a[1] + s * e[1]])
                if best is None: return None
                gap, n, rim = best[0] - tip["radius"], best[1], best[2]
            if gap >= NEAR: continue
            n = turn(q[2], n)
            inward = [-n[0], -n[1]]                     # into the part
            tangent = [-inward[1], inward[0]]
            touch = [p[0] - tip["radius"] * n[0], p[1] - tip["radius"] * n[1]]
            out.append(self.row(q, touch, inward, tangent, gap, tip["mu"], -(inward[0] * v[0] + inward[1] * v[1]), -(tangent[0] * v[0] + tangent[1] * v[1])))
        for w in self.walls:
            N, T = w["N"], [-w["N"][1], w["N"][0]]
            if self.name == "disc":
                out.append(self.row(q, [q[0] - self.shape * N[0], q[1] - self.shape * N[1]], N, T, N[0] * q[0] + N[1] * q[1] - self.shape - w["o"], w["mu"], 0, 0))
            else:
                for p in self.corners(q):
                    gap = N[0] * p[0] + N[1] * p[1] - w["o"]
                    if gap < NEAR: out.append(self.row(q, p, N, T, gap, w["mu"], 0, 0))
        return out

    def row(self, q, point, n, t, gap, mu, rate_n, rate_t):
        r = [point[0] - q[0], point[1] - q[1]]
        return {"Wn": [n[0], n[1], r[0] * n[1] - r[1] * n[0]], "Wt": [t[0], t[1], r[0] * t[1] - r[1] * t[0]], "gap": gap, "mu": mu,
                "rate_n": rate_n, "rate_t": rate_t, "n": n, "point": point}


def study(command, seed, count):
    tally = {"scenes": 0, "steps": 0, "ended": 0, "several": 0, "left": 0, "wrong": 0, "refused": 0}
    for k in range(count):
        rng = random.Random(seed * 100003 + k)
        scene = Scene(rng)
        json.dump(scene.file(), open("study.json", "w"))
        done = subprocess.run([command, "run", "study.json", "--json", "--csv", "study.csv", "--contacts", "study-c.csv"], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            tally["refused"] += 1
            if not any(word in done.stderr for word in ("inside", "overlaps", "positive definite")):
                print(k, done.stderr)
                tally["wrong"] += 1
            continue
        summary = json.loads(done.stdout)
        rows = list(csv.DictReader(open("study.csv")))
        forces = {}
        for r in csv.DictReader(open("study-c.csv")): forces.setdefault(int(r["step"]), []).append(r)
        tally["scenes"] += 1
        wrong = []
        for l in range(len(rows)):
            q = [float(rows[l][n]) for n in ("x", "y", "theta")]
            contacts = scene.contacts(q, l * scene.h)
            if contacts is None or len(contacts) > 4:  # near a corner, or too many modes
                tally["left"] += 1
                break
            last = l + 1 == len(rows)
            if last and summary["outcome"] == "time": break
            found, skipped = solutions(scene.damping(q[2]), contacts, scene.h)
            found = [f for f in found if far(f[0]) < NEAR / 2]  # in others contacts that are left out may press
            if last:
                tally["ended"] += 1
                if found: wrong.append("step %d: %s, but %s" % (l, summary["outcome"], found[0]))
                continue
            tally["steps"] += 1
            u = [float(rows[l + 1][n]) - a for n, a in zip(("x", "y", "theta"), q)]
            if far(u) >= NEAR / 2:
                tally["left"] += 1
                break
            near = [f for f in found if max(abs(a - b) for a, b in zip(f[0], u)) < 1e-9]
            if len({tuple(round(x, 8) for x in f[0]) for f in found}) > 1: tally["several"] += 1
            if not near and not skipped:
                wrong.append("step %d: %s is none of %s" % (l, u, [f[:2] for f in found]))
                break
            for f in near[:1]:
                if f[2] is None or len(near) > 1: continue
                for c, m, ln, lt in zip(contacts, f[1], f[2][::2], f[2][1::2]):
                    if m == "N": continue
                    got = [g for g in forces.get(l + 1, []) if math.hypot(float(g["x"]) - c["point"][0], float(g["y"]) - c["point"][1]) < 0.06 and
                           math.hypot(float(g["n_x"]) - c["n"][0], float(g["n_y"]) - c["n"][1]) < 1e-6]
                    near_enough = 1e-8 + 1e-6 * abs(ln)
                    if not any(abs(float(g["lambda_n"]) * scene.h - ln) < near_enough and abs(float(g["lambda_t"]) * scene.h - lt) < near_enough
                               for g in got):
                        wrong.append("step %d: force %g %g of %s, got %s" % (l, ln / scene.h, lt / scene.h, m, [(g["mode"], g["lambda_n"], g["lambda_t"]) for g in got]))
        if not summary["check"]["accepted"]: wrong.append(summary["check"]["text"])
        for w in wrong[:2]: print("%d (%s, %s): %s" % (k, scene.name, scene.support, w))
        tally["wrong"] += len(wrong) > 0
    print("push_study: seed %d, " % seed + ", ".join("%s %d" % i for i in tally.items()))
    return 1 if tally["wrong"] else 0

if __name__ == "__main__":
    sys.exit(study(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
