// velocity_interior.c: impulses of an island by a primal-dual interior-point method on its velocities.
//
//     A (v - v_free) = H r,      s = H'v + w + mu |u_t| n,      r in K,   s in K*,      r o s = level e,   level -> 0
//
// with r, s inside their cones. The axes are scaled, r = (mu r_n, r_t), s = (s_n / mu, s_t), so that both cones are the
// second-order cone and its product o is that of the Jordan algebra. In the scaling of Nesterov and Todd (1997), W r =
// W^-1 s = l, a Newton step for given slips |u_t| is
//
//     (A + H Theta H') dv = -F + H (W^-1 q + Theta e),    dr = W^-1 q + Theta (e - H'dv),     ds = H'dv - e,
//         Theta = W^-2
//
// with F = A (v - v_free) - H r, e = s - (u + mu |u_t| n), l o q = the change of the products that is wanted. Predictor
// and corrector are those of Mehrotra (1992), the infeasibilities falling by 1 - sigma as in his method.
//
// For given slips the problem is a convex program, the matrix is symmetric and definite, and the method has a theorem.
// The slips are those of the present v: a fixed point over them, one step at a time. A slip that grew is added to s at
// once, which leads deeper into the cone; one that fell is an infeasibility of the next step. |u_t| has a kink where a
// contact sticks; it is rounded off on the scale that belongs to the level, sqrt(u^2 + eps^2), eps^2 rho ~ level.
// Newton's method with slips that follow (an unsymmetric matrix) takes fewer steps where it gets through; but contacts
// that share a face and slide in different directions make its matrix singular on the way, and it stops at a hundredth
// in walls of a thousand.
//
// The residual falls like the root of the level, because many contacts of a wall neither press nor part. The method
// stops when it gains little: it is the way from far away, and velocities.c goes on from the best point, whose contacts
// stick, slide or are open nearly as in the solution. What is proved: nothing, as there.
//
//     letter  here     letter  here               letter  here
//     r       z        l, W    of conic/cones.h   level   level
//     s       s        Theta   stiffness_of       eps     slip_of
//     e       -e
//
// Cost: one symmetric factorization for each of the ten to forty steps.
#include <math.h>
#include <string.h>

#include "contact/velocities.h"

enum {
    STEPS = 60,
    WINDOW = 8,  // steps that have to gain
};
#define SHORT 0.02  // of a step; the second one that is shorter ends it
#define GAIN 0.75   // of the residual in a window: less is none
#define ROUNDING 0.3

typedef sti_contact_velocities task;

// Dimension of the cone of contact i, and the factor of its normal axis.
static int axes_of(const task* k, int i) {
    return k->cones.dim[i];
}

static double unit_of(const task* k, int i) {
    return k->mu[i] > 0 ? k->mu[i] : 1;
}

// |u_t|, rounded off.
static double slip_of(const task* k, int i, const double* u) {
    const double t2 = u[1] * u[1] + (k->d == 3 ? u[2] * u[2] : 0);
    return sqrt(t2 + ROUNDING * ROUNDING * k->level / k->rho[i]);
}

// Theta = W^-2 = (2 (J w)(J w)' - J) / eta^2, on the axes of the contact as it is.
static void stiffness_of(const task* k, int i, double* D) {
    const int d = k->d, n = axes_of(k, i);
    const double *w = k->cones.w + (size_t)(i * d), eta2 = k->cones.eta[i] * k->cones.eta[i], m = unit_of(k, i);
    memset(D, 0, (size_t)(d * d) * sizeof *D);
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            double t = 2 * (a == 0 ? w[a] : -w[a]) * (b == 0 ? w[b] : -w[b]);
            if (a == b) t += a == 0 ? -1 : 1;
            D[a * d + b] = t / (eta2 * (a == 0 ? m : 1) * (b == 0 ? m : 1));
        }
    }
}

// What s misses: u + mu |u_t| n - s, in the scaled axes.
static void defects(task* k) {
    const int d = k->d;
    sti_contact_velocities_relative(k, k->v, k->u);
    for (int i = 0; i < k->count; i++) {
        const double* u = k->u + (size_t)(i * d);
        const int n = axes_of(k, i);
        double* e = k->e + (size_t)(i * d);
        e[0] = u[0] / unit_of(k, i) + (n > 1 ? slip_of(k, i, u) : 0) - k->s[i * d];
        for (int a = 1; a < n; a++) e[a] = u[a] - k->s[i * d + a];
    }
}

static void unscaled(const task* k, const double* z, double* r) {
    for (int i = 0; i < k->count; i++) {
        for (int a = 0; a < k->d; a++)
            r[i * k->d + a] = a < axes_of(k, i) ? z[i * k->d + a] / (a == 0 ? unit_of(k, i) : 1) : 0;
    }
}

// to += a x, on the axes of the cones
static void add(const task* k, double a, const double* x, double* to) {
    for (int i = 0; i < k->count; i++) {
        for (int e = i * k->d; e < i * k->d + axes_of(k, i); e++) to[e] += a * x[e];
    }
}

// dv (k->step), dz, ds that change the products by `aim`: l o (W^-1 ds + W dz) = aim, and take off the part `rest` of F
// and e.
static void solve_for(task* k, double rest) {
    const int d = k->d;
    const sti_cones* cones = &k->cones;
    sti_cones_divide(cones, k->aim, k->x);  // x = W^-1 q - Theta e
    sti_cones_apply_inverse(cones, k->e, k->cross);
    add(k, -rest, k->cross, k->x);
    sti_cones_apply_inverse(cones, k->x, k->x);
    unscaled(k, k->x, k->p);
    for (int i = 0; i < k->bodies * k->nv; i++) k->step[i] = -rest * k->F[i];
    sti_contact_velocities_add_forces(k, k->p, 1, k->step);
    sti_blocks_solve(&k->blocks, k->step);
    sti_contact_velocities_relative(k, k->step, k->p);
    for (int i = 0; i < k->count; i++) {
        for (int a = 0, at = i * d; a < axes_of(k, i); a++, at++)
            k->ds[at] = (k->p[at] - k->w[at]) / (a == 0 ? unit_of(k, i) : 1);
    }
    sti_cones_apply_inverse(cones, k->ds, k->cross);
    sti_cones_apply_inverse(cones, k->cross, k->dz);
    for (int i = 0; i < k->count; i++) {
        for (int e = i * d; e < i * d + axes_of(k, i); e++) k->dz[e] = k->x[e] - k->dz[e];
    }
    add(k, rest, k->e, k->ds);
}

// r's after the part `part` of a step
static double product_after(const task* k, double part) {
    double s = 0;
    for (int i = 0; i < k->count; i++) {
        for (int e = i * k->d; e < i * k->d + axes_of(k, i); e++)
            s += (k->z[e] + part * k->dz[e]) * (k->s[e] + part * k->ds[e]);
    }
    return s;
}

static double farthest(const task* k) {
    return fmin(sti_cones_step(&k->cones, k->z, k->dz), sti_cones_step(&k->cones, k->s, k->ds));
}

static void begin(task* k) {
    const int d = k->d;
    double u2 = 0;
    for (int i = 0; i < k->count; i++) {
        k->cones.at[i] = i * d;
        k->cones.dim[i] = k->mu[i] > 0 ? d : 1;
    }
    memcpy(k->v, k->v_free, (size_t)(k->bodies * k->nv) * sizeof *k->v);
    sti_contact_velocities_relative(k, k->v, k->u);
    for (int i = 0; i < k->count; i++) {
        for (int a = 0; a < d; a++) u2 = fmax(u2, k->u[i * d + a] * k->u[i * d + a]);
    }
    const double speed = sqrt(u2);
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

static bool factor(task* k) {
    sti_contact_velocities_begin_matrix(k);
    for (int i = 0; i < k->count; i++) {
        double D[9];
        stiffness_of(k, i, D);
        sti_contact_velocities_add_contact(k, i, D);
    }
    k->factors++;
    return sti_blocks_factor(&k->blocks, true);
}

// Predictor, then corrector; how far the step may go.
static double find_step(task* k) {
    const sti_cones* cones = &k->cones;
    const size_t rows = (size_t)(k->count * k->d);
    sti_cones_product(cones, cones->lambda, cones->lambda, k->cross);
    memset(k->aim, 0, rows * sizeof *k->aim);
    add(k, -1, k->cross, k->aim);
    solve_for(k, 1);
    const double left = product_after(k, fmin(1, farthest(k))) / (k->level * k->count);
    const double sigma = fmax(1e-6, fmin(1, left * left * left));
    sti_cones_apply_inverse(cones, k->ds, k->x);
    sti_cones_apply(cones, k->dz, k->p);
    sti_cones_product(cones, k->x, k->p, k->cross);
    add(k, -1, k->cross, k->aim);
    for (int i = 0; i < k->count; i++) k->aim[i * k->d] += sigma * k->level;
    solve_for(k, 1 - sigma);
    return fmin(1, 0.98 * farthest(k));
}

// Along dv, dr, ds, and what slips grow by into s. u: before; afterwards the new one.
static void move(task* k, double part) {
    const int d = k->d;
    for (int i = 0; i < k->count * d; i++) {
        k->z[i] += part * k->dz[i];
        k->s[i] += part * k->ds[i];
    }
    for (int i = 0; i < k->bodies * k->nv; i++) k->v[i] += part * k->step[i];
    memcpy(k->x, k->u, (size_t)(k->count * d) * sizeof *k->x);
    sti_contact_velocities_relative(k, k->v, k->u);
    for (int i = 0; i < k->count; i++) {
        const size_t at = (size_t)(i * d);
        if (axes_of(k, i) > 1) k->s[at] += fmax(0, slip_of(k, i, k->u + at) - slip_of(k, i, k->x + at));
    }
}

double sti_contact_velocities_interior(task* k, double tol) {
    const int d = k->d;
    double best = INFINITY, then[WINDOW];
    begin(k);
    memset(k->dz, 0, (size_t)(k->count * d) * sizeof *k->dz);
    memset(k->ds, 0, (size_t)(k->count * d) * sizeof *k->ds);
    for (int step = 0, brief = 0; step < STEPS && !sti_contact_velocities_spent(k); step++) {
        k->level = product_after(k, 0) / k->count;
        unscaled(k, k->z, k->r);
        const double now = sti_contact_velocities_residual(k, k->r);
        if (now < best) {
            best = now;
            memcpy(k->best, k->r, (size_t)(k->count * d) * sizeof *k->r);
        }
        if (best <= tol || !(k->level > 0) || !sti_cones_scale(&k->cones, k->s, k->z)) break;
        if (step >= WINDOW && best > GAIN * then[step % WINDOW]) break;
        then[step % WINDOW] = best;
        defects(k);
        sti_contact_velocities_imbalance(k, k->v, k->r, k->F);
        if (!factor(k)) break;
        const double part = find_step(k);
        if (!(part >= SHORT) && ++brief == 2) break;
        move(k, part);
    }
    return best;
}
