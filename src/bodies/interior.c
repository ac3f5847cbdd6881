// interior.c: impulses of an island by a primal-dual interior-point method on its velocities.
#include <math.h>
#include <string.h>

#include "bodies/velocities.h"
#ifdef TRACE
#include <stdio.h>
#endif

enum { STEPS = 60 };

typedef struct sti_velocities task;

static double lorentz(int n, const double* x, const double* y) {
    double s = x[0] * y[0];
    for (int a = 1; a < n; a++) s -= x[a] * y[a];
    return s;
}

// Dimension of the cone of contact i, and the factor of its normal axis.
static int axes_of(const task* k, int i) {
    return k->mu[i] > 0 ? k->d : 1;
}

static double unit_of(const task* k, int i) {
    return k->mu[i] > 0 ? k->mu[i] : 1;
}

// y = W x (inverse: W^-1 x), W = beta (2 v v' - J)
static void scale_by(const task* k, int i, bool inverse, const double* x, double* y) {
    const int n = axes_of(k, i);
    const double *v = k->scaling + (size_t)(i * 2 * k->d), beta = k->beta[i];
    double s = 0;
    for (int a = 0; a < n; a++) s += (inverse && a > 0 ? -v[a] : v[a]) * x[a];
    for (int a = 0; a < n; a++) {
        const double j = a == 0 ? -x[a] : x[a], va = inverse && a > 0 ? -v[a] : v[a];
        y[a] = (2 * va * s + j) * (inverse ? 1 / beta : beta);
    }
}

// The scaling of Nesterov and Todd: v and w of each contact, beta; false: not inside the cones any more.
static bool find_scaling(task* k) {
    for (int i = 0; i < k->count; i++) {
        const int n = axes_of(k, i);
        const double *r = k->z + (size_t)(i * k->d), *s = k->s + (size_t)(i * k->d);
        const double rr = lorentz(n, r, r), ss = lorentz(n, s, s);
        if (!(rr > 0 && ss > 0 && r[0] > 0 && s[0] > 0)) return false;
        double *v = k->scaling + (size_t)(i * 2 * k->d), *w = v + k->d, dot = 0;
        const double a = 1 / sqrt(rr), b = 1 / sqrt(ss);
        for (int e = 0; e < n; e++) dot += a * r[e] * b * s[e];
        const double gamma = sqrt((1 + dot) / 2);
        for (int e = 0; e < n; e++) w[e] = (b * s[e] + (e == 0 ? a : -a) * r[e]) / (2 * gamma);
        const double f = 1 / sqrt(2 * (w[0] + 1));
        for (int e = 0; e < n; e++) v[e] = f * (w[e] + (e == 0));
        k->beta[i] = sqrt(sqrt(ss / rr));
    }
    return true;
}

// Theta = W^-2 = (2 (J w)(J w)' - J) / beta^2, on the axes of the contact as it is, with the slip that follows.
static void stiffness_of(const task* k, int i, bool follow, double* D) {
    const int d = k->d, n = axes_of(k, i);
    const double *w = k->scaling + (size_t)(i * 2 * d + d), b2 = k->beta[i] * k->beta[i], m = unit_of(k, i);
    memset(D, 0, (size_t)(d * d) * sizeof *D);
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            double t = 2 * (a == 0 ? w[a] : -w[a]) * (b == 0 ? w[b] : -w[b]);
            if (a == b) t += a == 0 ? -1 : 1;
            D[a * d + b] = t / (b2 * (a == 0 ? m : 1) * (b == 0 ? m : 1));
        }
    }
    if (!follow || n == 1) return;
    const double* u = k->u + (size_t)(i * d);
    const double t = d == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
    for (int a = 0; a < n && t > 0; a++) {
        for (int b = 1; b < n; b++) D[a * d + b] += D[a * d] * m * u[b] / t;
    }
}

// q = l \ x in the algebra of the cone
static void divide(int n, const double* l, const double* x, double* q) {
    double s = l[0] * x[0];
    for (int a = 1; a < n; a++) s -= l[a] * x[a];
    q[0] = s / lorentz(n, l, l);
    for (int a = 1; a < n; a++) q[a] = (x[a] - q[0] * l[a]) / l[0];
}

static void multiply(int n, const double* x, const double* y, double* out) {
    double s = x[0] * y[0];
    for (int a = 1; a < n; a++) {
        out[a] = x[0] * y[a] + y[0] * x[a];
        s += x[a] * y[a];
    }
    out[0] = s;
}

// How far x may go along dx, at most 1 / 0.
static double room(int n, const double* x, const double* dx) {
    if (n == 1) return dx[0] < 0 ? -x[0] / dx[0] : INFINITY;
    const double a = lorentz(n, dx, dx), b = lorentz(n, x, dx), c = lorentz(n, x, x), disc = b * b - a * c;
    if (disc < 0) return INFINITY;
    const double under = sqrt(disc) - b;
    return under > 0 ? c / under : INFINITY;
}

// What s misses: u + mu |u_t| n - s, in the scaled axes.
static void defects(task* k) {
    const int d = k->d;
    sti_velocities_relative(k, k->v, k->u);
    for (int i = 0; i < k->count; i++) {
        const double* u = k->u + (size_t)(i * d);
        const int n = axes_of(k, i);
        double* e = k->e + (size_t)(i * d);
        const double slip = d == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
        e[0] = u[0] / unit_of(k, i) + (n > 1 ? slip : 0) - k->s[i * d];
        for (int a = 1; a < n; a++) e[a] = u[a] - k->s[i * d + a];
    }
}

static void unscaled(const task* k, const double* z, double* r) {
    for (int i = 0; i < k->count; i++) {
        for (int a = 0; a < k->d; a++) r[i * k->d + a] = a < axes_of(k, i) ? z[i * k->d + a] / (a == 0 ? unit_of(k, i) : 1) : 0;
    }
}

// dv, dz, ds for the products `aim`: l o (W^-1 ds + W dz) = aim
static void solve_for(task* k, const double* aim, bool follow) {
    const int d = k->d, nv = k->nv;
    const size_t n = (size_t)(k->bodies * nv);
    for (int i = 0; i < k->count; i++) {  // x = W^-1 q + Theta e
        const int m = axes_of(k, i);
        double l[3], q[3], y[3], t[3];
        scale_by(k, i, false, k->z + (size_t)(i * d), l);
        divide(m, l, aim + (size_t)(i * d), q);
        scale_by(k, i, true, k->e + (size_t)(i * d), t);
        for (int a = 0; a < m; a++) y[a] = q[a] - t[a];
        scale_by(k, i, true, y, k->x + (size_t)(i * d));
    }
    unscaled(k, k->x, k->p);
    sti_velocities_imbalance(k, k->v, k->r, k->F);
    for (size_t i = 0; i < n; i++) k->step[i] = -k->F[i];
    sti_velocities_add_forces(k, k->p, 1, k->step);
    sti_blocks_solve(&k->blocks, k->step);
    sti_velocities_relative(k, k->step, k->p);
    for (int i = 0; i < k->count; i++) {
        const int m = axes_of(k, i);
        double *ds = k->ds + (size_t)(i * d), *dz = k->dz + (size_t)(i * d), t[3], y[3];
        const double *u = k->u + (size_t)(i * d), slip = d == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
        double du[3];
        for (int a = 0; a < d; a++) du[a] = k->p[i * d + a] - k->w[i * d + a];
        ds[0] = du[0] / unit_of(k, i);
        for (int a = 1; a < m; a++) {
            ds[a] = du[a];
            if (follow && slip > 0) ds[0] += u[a] / slip * du[a];
        }
        // dz = x - Theta du' ; ds = du' + e
        scale_by(k, i, true, ds, t);
        scale_by(k, i, true, t, y);
        for (int a = 0; a < m; a++) {
            dz[a] = k->x[i * d + a] - y[a];
            ds[a] += k->e[i * d + a];
        }
    }
}

static double gap_of(const task* k, double* degree) {
    double s = 0;
    *degree = 0;
    for (int i = 0; i < k->count; i++) {
        for (int a = 0; a < axes_of(k, i); a++) s += k->z[i * k->d + a] * k->s[i * k->d + a];
        *degree += 1;
    }
    return s;
}

static double farthest(const task* k) {
    double most = INFINITY;
    for (int i = 0; i < k->count; i++) {
        const int m = axes_of(k, i), at = i * k->d;
        most = fmin(most, fmin(room(m, k->z + at, k->dz + at), room(m, k->s + at, k->ds + at)));
    }
    return most;
}

static void begin(task* k) {
    const int d = k->d;
    double u2 = 0;
    memcpy(k->v, k->v_free, (size_t)(k->bodies * k->nv) * sizeof *k->v);
    sti_velocities_relative(k, k->v, k->u);
    for (int i = 0; i < k->count; i++) {
        for (int a = 0; a < d; a++) u2 += k->u[i * d + a] * k->u[i * d + a];
    }
    const double speed = sqrt(u2 / k->count);
    for (int i = 0; i < k->count; i++) {
        const int m = axes_of(k, i);
        double *z = k->z + (size_t)(i * d), *s = k->s + (size_t)(i * d);
        for (int a = 0; a < d; a++) z[a] = s[a] = 0;
        for (int a = 0; a < m; a++) s[a] = k->u[i * d + a];
        const double t = m == 1 ? 0 : d == 2 ? fabs(s[1]) : hypot(s[1], s[2]);
        s[0] = fmax(s[0] / unit_of(k, i), t) + speed;
        z[0] = k->rho[i] * speed * unit_of(k, i);
    }
}

double sti_interior_solve(task* k, double tol) {
    const int d = k->d;
    double best = INFINITY;
    const bool follow = FOLLOW;
    begin(k);
    for (int step = 0; step < STEPS; step++) {
        double degree, gap = gap_of(k, &degree);
        unscaled(k, k->z, k->r);
        const double now = sti_velocities_residual(k, k->r);
        if (now < best) {
            best = now;
            memcpy(k->best, k->r, (size_t)(k->count * d) * sizeof *k->r);
        }
        defects(k);
        if (best <= tol || !find_scaling(k)) break;
        // the matrix
        sti_velocities_begin_matrix(k);
        for (int i = 0; i < k->count; i++) {
            double D[9];
            stiffness_of(k, i, follow, D);
            sti_velocities_add_contact(k, i, D);
        }
        k->factors++;
        if (!sti_blocks_factor(&k->blocks, !follow)) break;
        double* aim = k->aim;
        for (int i = 0; i < k->count; i++) {
            const int m = axes_of(k, i), at = i * d;
            double l[3], ll[3];
            scale_by(k, i, false, k->z + at, l);
            multiply(m, l, l, ll);
            for (int a = 0; a < m; a++) aim[at + a] = -ll[a];
        }
        solve_for(k, aim, follow);
        const double reach = fmin(1, farthest(k));
        double after = 0;
        for (int i = 0; i < k->count; i++) {
            for (int a = 0; a < axes_of(k, i); a++)
                after += (k->z[i * d + a] + reach * k->dz[i * d + a]) * (k->s[i * d + a] + reach * k->ds[i * d + a]);
        }
        const double sigma = fmax(1e-6, fmin(1, pow(fmax(0, after / gap), 3)));
        for (int i = 0; i < k->count; i++) {
            const int m = axes_of(k, i), at = i * d;
            double a1[3], a2[3], cross[3];
            scale_by(k, i, true, k->ds + at, a1);
            scale_by(k, i, false, k->dz + at, a2);
            multiply(m, a1, a2, cross);
            for (int a = 0; a < m; a++) aim[at + a] -= cross[a];
            aim[at] += sigma * gap / degree;
        }
        solve_for(k, aim, follow);
        const double part = fmin(1, 0.98 * farthest(k));
#ifdef TRACE
        fprintf(stderr, "    ip %d residual %.2e gap %.2e sigma %.1e part %.2g\n", step, now, gap / degree, sigma, part);
#endif
        for (int i = 0; i < k->count * d; i++) {
            k->z[i] += part * k->dz[i];
            k->s[i] += part * k->ds[i];
        }
        for (int i = 0; i < k->bodies * k->nv; i++) k->v[i] += part * k->step[i];
    }
    return best;
}
