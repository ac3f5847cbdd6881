// orca.c: discs that avoid each other by optimal reciprocal collision avoidance, for comparison with `stiction run` of
// vehicles.
//
//     orca crossing | head_on
//
// Written from the description in J. van den Berg, S. J. Guy, M. Lin, D. Manocha: Reciprocal n-body collision avoidance
// (2011); no code of RVO2 is here. Every vehicle takes, of the velocities that leave to each neighbour its half of the
// way around, the one nearest to the velocity it wants: a linear program over half-planes in the disc |v| <= most, and
// where there is none the velocity that misses the half-planes least. Goals, sizes, speeds and the step are those of
// nav-crossing.json and head_on.json; a vehicle here reaches any velocity at once. Told are steps a second, the least
// gap of all pairs in all steps, and who is at the goal.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RADIUS 0.3
#define SPEED 1.5
#define STEP 0.02
#define HORIZON 2.0
#define SIGHT (2 * SPEED * HORIZON + 2 * RADIUS)
enum { MOST_NEAR = 24, MOST = 1000 };

typedef struct half_plane {
    double point[2], along[2];  // what is left of the line is allowed
} half_plane;

static int count;
static double q[MOST][2], v[MOST][2], goal[MOST][2], wanted[MOST][2], next[MOST][2];

static double det(const double* a, const double* b) {
    return a[0] * b[1] - a[1] * b[0];
}

static double outside(const half_plane* l, const double* x) {  // above 0: not allowed, by so much
    const double d[2] = {l->point[0] - x[0], l->point[1] - x[1]};
    return det(l->along, d);
}

// Half of what takes the relative velocity out of the cone of velocities that collide within the horizon.
static half_plane plane_of(int i, int j) {
    const double p[2] = {q[j][0] - q[i][0], q[j][1] - q[i][1]}, w[2] = {v[i][0] - v[j][0], v[i][1] - v[j][1]};
    const double r = 2 * RADIUS, apart = p[0] * p[0] + p[1] * p[1];
    half_plane l;
    double u[2];
    const double tau = apart > r * r ? HORIZON : STEP;
    const double c[2] = {w[0] - p[0] / tau, w[1] - p[1] / tau}, size = hypot(c[0], c[1]),
                 dot = c[0] * p[0] + c[1] * p[1];
    if (apart <= r * r || (dot < 0 && dot * dot > r * r * size * size)) {  // the cap of the cone is nearest
        const double n[2] = {c[0] / size, c[1] / size};
        l.along[0] = n[1];
        l.along[1] = -n[0];
        for (int k = 0; k < 2; k++) u[k] = (r / tau - size) * n[k];
    } else {  // one of its legs
        const double leg = sqrt(apart - r * r);
        if (det(p, c) > 0) {
            l.along[0] = (p[0] * leg - p[1] * r) / apart;
            l.along[1] = (p[0] * r + p[1] * leg) / apart;
        } else {
            l.along[0] = -(p[0] * leg + p[1] * r) / apart;
            l.along[1] = -(-p[0] * r + p[1] * leg) / apart;
        }
        const double f = w[0] * l.along[0] + w[1] * l.along[1];
        for (int k = 0; k < 2; k++) u[k] = f * l.along[k] - w[k];
    }
    for (int k = 0; k < 2; k++) l.point[k] = v[i][k] + u[k] / 2;
    return l;
}

// The best point of line m under lines 0 .. m - 1 and the disc. towards: as far as it goes, else nearest to aim.
static int on_line(const half_plane* l, int m, const double* aim, int towards, double* x) {
    const half_plane* a = &l[m];
    const double dot = a->point[0] * a->along[0] + a->point[1] * a->along[1];
    const double under = dot * dot + SPEED * SPEED - a->point[0] * a->point[0] - a->point[1] * a->point[1];
    if (under < 0) return 0;
    double low = -dot - sqrt(under), high = -dot + sqrt(under);
    for (int k = 0; k < m; k++) {
        const double d[2] = {a->point[0] - l[k].point[0], a->point[1] - l[k].point[1]};
        const double across = det(a->along, l[k].along), over = det(l[k].along, d);
        if (fabs(across) <= 1e-12) {
            if (over < 0) return 0;
            continue;
        }
        const double t = over / across;
        if (across >= 0)
            high = fmin(high, t);
        else
            low = fmax(low, t);
        if (low > high) return 0;
    }
    double t = a->along[0] * (aim[0] - a->point[0]) + a->along[1] * (aim[1] - a->point[1]);
    if (towards) t = aim[0] * a->along[0] + aim[1] * a->along[1] > 0 ? high : low;
    t = fmin(fmax(t, low), high);
    for (int k = 0; k < 2; k++) x[k] = a->point[k] + t * a->along[k];
    return 1;
}

// Lines one after the other; the first that cannot be kept, or n.
static int program(const half_plane* l, int n, const double* aim, int towards, double* x) {
    const double size = hypot(aim[0], aim[1]), f = towards ? SPEED / size : size > SPEED ? SPEED / size : 1;
    for (int k = 0; k < 2; k++) x[k] = aim[k] * f;
    for (int m = 0; m < n; m++) {
        const double before[2] = {x[0], x[1]};
        if (outside(&l[m], x) > 0 && !on_line(l, m, aim, towards, x)) {
            memcpy(x, before, sizeof before);
            return m;
        }
    }
    return n;
}

// Nothing keeps all of them: the largest miss is made least.
static void miss_least(const half_plane* l, int n, int from, double* x) {
    double miss = 0;
    for (int m = from; m < n; m++) {
        if (outside(&l[m], x) <= miss) continue;
        half_plane between[MOST_NEAR];
        int at = 0;
        for (int k = 0; k < m; k++) {
            half_plane* b = &between[at];
            const double across = det(l[m].along, l[k].along);
            if (fabs(across) <= 1e-12) {
                if (l[m].along[0] * l[k].along[0] + l[m].along[1] * l[k].along[1] > 0) continue;
                for (int j = 0; j < 2; j++) b->point[j] = (l[m].point[j] + l[k].point[j]) / 2;
            } else {
                const double d[2] = {l[m].point[0] - l[k].point[0], l[m].point[1] - l[k].point[1]};
                const double t = det(l[k].along, d) / across;
                for (int j = 0; j < 2; j++) b->point[j] = l[m].point[j] + t * l[m].along[j];
            }
            const double e[2] = {l[k].along[0] - l[m].along[0], l[k].along[1] - l[m].along[1]},
                         size = hypot(e[0], e[1]);
            for (int j = 0; j < 2; j++) b->along[j] = e[j] / size;
            at++;
        }
        const double before[2] = {x[0], x[1]}, into[2] = {-l[m].along[1], l[m].along[0]};
        if (program(between, at, into, 1, x) < at) memcpy(x, before, sizeof before);
        miss = outside(&l[m], x);
    }
}

static void choose(int i) {
    half_plane l[MOST_NEAR];
    int near[MOST_NEAR], n = 0;
    double far[MOST_NEAR];
    for (int j = 0; j < count; j++) {
        const double x = q[j][0] - q[i][0], y = q[j][1] - q[i][1], d = x * x + y * y;
        if (j == i || d > SIGHT * SIGHT || (n == MOST_NEAR && d >= far[n - 1])) continue;
        int k = n < MOST_NEAR ? n++ : n - 1;
        for (; k > 0 && far[k - 1] > d; k--) {
            far[k] = far[k - 1];
            near[k] = near[k - 1];
        }
        far[k] = d;
        near[k] = j;
    }
    for (int k = 0; k < n; k++) l[k] = plane_of(i, near[k]);
    const int kept = program(l, n, wanted[i], 0, next[i]);
    if (kept < n) miss_least(l, n, kept, next[i]);
}

// Those of nav-crossing.json and head_on.json.
static void want(int i, double bias) {
    const double x = goal[i][0] - q[i][0], y = goal[i][1] - q[i][1], d = sqrt(x * x + y * y + 1e-4),
                 a = bias * fmin(1, d / 5);
    wanted[i][0] = SPEED * (x * cos(a) + y * sin(a)) / fmax(1, d);
    wanted[i][1] = SPEED * (y * cos(a) - x * sin(a)) / fmax(1, d);
}

static int set_up(const char* name) {
    if (strcmp(name, "crossing") == 0) {
        count = 50;
        for (int i = 0; i < count; i++) {
            const double f = 2 * acos(-1.0) * i / count;
            q[i][0] = 10 * cos(f);
            q[i][1] = 10 * sin(f);
            goal[i][0] = -q[i][0];
            goal[i][1] = -q[i][1];
        }
        return 3000;
    }
    if (strcmp(name, "head_on") != 0) return 0;
    count = 1000;
    for (int i = 0; i < count; i++) {
        const int east = i < 500, k = i % 500;
        q[i][0] = (east ? -13 : 4) + 0.8 * (k / 25);
        q[i][1] = (east ? 0 : 0.1) + 0.8 * (k % 25);
        goal[i][0] = q[i][0] + (east ? 26 : -26);
        goal[i][1] = q[i][1];
    }
    return 400;
}

int main(int argc, char** argv) {
    const int steps = argc == 2 ? set_up(argv[1]) : 0;
    const double bias = count == 50 ? 0.3 : 0;
    double least = INFINITY, spent = 0;
    int arrived = 0;
    if (steps == 0) {
        fprintf(stderr, "usage: orca crossing | head_on\n");
        return 2;
    }
    for (int l = 0; l < steps; l++) {
        const clock_t began = clock();
        for (int i = 0; i < count; i++) want(i, bias);
        for (int i = 0; i < count; i++) choose(i);
        for (int i = 0; i < count; i++) {
            memcpy(v[i], next[i], sizeof v[i]);
            for (int k = 0; k < 2; k++) q[i][k] += STEP * v[i][k];
        }
        spent += (double)(clock() - began) / CLOCKS_PER_SEC;
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < i; j++) least = fmin(least, hypot(q[i][0] - q[j][0], q[i][1] - q[j][1]) - 2 * RADIUS);
        }
    }
    for (int i = 0; i < count; i++) arrived += hypot(q[i][0] - goal[i][0], q[i][1] - goal[i][1]) <= RADIUS;
    printf("%s: %d steps of %g, %d vehicles: least gap %.3g, %d at their goals, %.0f steps a second\n", argv[1], steps,
           STEP, count, least, arrived, steps / spent);
    return 0;
}
