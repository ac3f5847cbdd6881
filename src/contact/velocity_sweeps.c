// velocity_sweeps.c: impulses of an island by sweeps over its contacts, with momentum.
//
// The fixed points of the map of Alart and Curnier (velocities.c),
//
//     r_n <- max(0, r_n - u_n / W_nn),    r_t <- the vector of length at most mu r_n nearest to r_t - u_t / W_tt,
//
// are those of Coulomb's law. A sweep applies it to one contact after the other (projected Gauss and Seidel; Jourdan,
// Alart and Jean 1998), with the velocities of the two bodies kept up to date, so W is never written down: a contact
// costs its two rows of H. Two sweeps, there and back, are one pass. Between passes the point goes on by Nesterov's
// momentum,
//
//     r <- r + beta (r - r of the pass before),     v the same (affine in r),     beta = (t - 1) / t+ <= MOMENTUM,
//
// and t starts again when the pass points against the way the momentum went (O'Donoghue and Candes 2015).
//
// Sweeps take away what is wrong between neighbours and leave what is wrong over long distances. In a wall that moves,
// the impulses of the last step are wrong between neighbours mostly: some ten or twenty passes lead to a residual of
// 1e-3, for the price of a few factorizations. A blow that goes through the whole wall, or a small tolerance, is not
// for them. So after each BATCH the passes that are still needed are estimated from the last WINDOW of them, and sweeps
// end where that is more than they may take.
//
// What is proved: nothing but the point that comes out, whose residual is measured. Without friction the problem is
// convex and plain sweeps converge.
#include <math.h>
#include <string.h>

#include "contact/velocities.h"

enum {
    BATCH = 4,     // passes between two measurements
    WINDOW = 4,    // batches
    FACTORS = 50,  // that Newton's method takes: sweeps may take as long
    LEAST = 60,    // passes, at least and
    MOST = 1000,   //   at most, that this allows
};
#define MOMENTUM 0.9
#define GAIN 0.95  // of the residual in a window: less is none

typedef sti_contact_velocities task;

// ---- a pass

// v += s M^-1 H_side change, for the axes that there are
static inline __attribute__((always_inline)) void push(int d, int nv, int axes, const double* h, const double* inverse,
                                                       const double* change, double* v) {
    double f[6];
    for (int e = 0; e < nv; e++) {
        double s = 0;
        for (int a = 0; a < axes; a++) s += h[a * nv + e] * change[a];
        f[e] = s;
    }
    for (int e = 0; e < d; e++) v[e] += inverse[0] * f[e];
    for (int e = d; e < nv; e++) {
        double s = 0;
        for (int c = d; c < nv; c++) s += inverse[1 + (e - d) * (nv - d) + c - d] * f[c];
        v[e] += s;
    }
}

static inline __attribute__((always_inline)) void visit(task* k, int d, int nv, int axes, int i) {
    const int* body = k->body + 2 * (size_t)i;
    const double *h = k->H + (size_t)(2 * i) * (size_t)(d * nv), *give = k->give + 2 * (size_t)i;
    double u[3], p[3], *r = k->r + (size_t)(i * d), t2 = 0;
    for (int a = 0; a < axes; a++) u[a] = k->w[i * d + a];
    for (int side = 0; side < 2; side++) {
        if (body[side] < 0) continue;
        const double *v = k->v + (size_t)(body[side] * nv), *row = h + (size_t)(side * d * nv);
        for (int a = 0; a < axes; a++, row += nv) {
            double s = 0;
            for (int e = 0; e < nv; e++) s += row[e] * v[e];
            u[a] += s;
        }
    }
    p[0] = fmax(0, r[0] - give[0] * u[0]);
    if (p[0] == 0 && r[0] == 0) return;
    for (int a = 1; a < axes; a++) {
        p[a] = r[a] - give[1] * u[a];
        t2 += p[a] * p[a];
    }
    const double bound = k->mu[i] * p[0], part = t2 > bound * bound ? bound / sqrt(t2) : 1;
    for (int a = 0; a < axes; a++) {
        const double next = a == 0 ? p[0] : part * p[a];
        p[a] = next - r[a];
        r[a] = next;
    }
    for (int side = 0; side < 2; side++) {
        if (body[side] >= 0)
            push(d, nv, axes, h + (size_t)(side * d * nv), k->inverse + 10 * (size_t)body[side], p,
                 k->v + (size_t)(body[side] * nv));
    }
}

static inline __attribute__((always_inline)) void pass(task* k, int d, int nv) {
    for (int j = 0; j < 2 * k->count; j++) {
        const int i = j < k->count ? j : 2 * k->count - 1 - j;
        if (k->mu[i] > 0)
            visit(k, d, nv, d, i);
        else
            visit(k, d, nv, 1, i);
    }
}

// ---- the method

// x, x of the pass before -> x + beta (x - before), x
static void go_on(size_t n, double beta, double* x, double* before) {
    for (size_t e = 0; e < n; e++) {
        const double now = x[e];
        x[e] += beta * (now - before[e]);
        before[e] = now;
    }
}

// One pass from the point that momentum led to (r, v), and the momentum for the next; r_before, v_best: the point after
// the pass.
static double pass_on(task* k, double t) {
    const size_t rows = (size_t)(k->count * k->d), n = (size_t)(k->bodies * k->nv);
    double against = 0;
    k->passes++;
    memcpy(k->x, k->r, rows * sizeof *k->x);
    if (k->d == 3)
        pass(k, 3, 6);
    else
        pass(k, 2, 3);
    for (size_t e = 0; e < rows; e++) against += (k->x[e] - k->r[e]) * (k->r[e] - k->r_before[e]);
    const double next = against > 0 ? 1 : (1 + sqrt(1 + 4 * t * t)) / 2;
    const double beta = against > 0 ? 0 : fmin(MOMENTUM, (t - 1) / next);
    go_on(rows, beta, k->r, k->r_before);
    go_on(n, beta, k->v, k->v_best);
    return next;
}

// Passes that take as long as FACTORS factorizations, by a count of operations: those of a block matrix run three times
// as fast.
static int passes_allowed(const task* k) {
    const double b = k->nv, visit = 2.0 * (4 * k->d * k->nv + 2 * k->nv * k->nv);
    double factor = 0;
    for (int j = 0; j < k->bodies; j++) {
        const double m = k->blocks.L_start[j + 1] - k->blocks.L_start[j];
        factor += 4 * b * b * b * (m + 1) * (m + 1);
    }
    const double passes = FACTORS * factor / (3 * 2 * visit * k->count);
    const int most = passes < LEAST ? LEAST : passes > MOST ? MOST : (int)passes;
    return k->limit > 0 && k->limit < most ? (int)k->limit : most;
}

double sti_contact_velocities_sweep(task* k, double tol, double best) {
    const size_t rows = (size_t)(k->count * k->d), n = (size_t)(k->bodies * k->nv);
    const int most = passes_allowed(k);
    double then[WINDOW], t = 1;
    sti_contact_velocities_residual(k, k->r);
    memcpy(k->v, k->trial, n * sizeof *k->v);
    memcpy(k->v_best, k->v, n * sizeof *k->v);
    memcpy(k->r_before, k->r, rows * sizeof *k->r);
    memcpy(k->best, k->r, rows * sizeof *k->r);
    for (int batch = 0; batch * BATCH < most && best > tol; batch++) {
        for (int i = 0; i < BATCH && batch * BATCH + i < most; i++) t = pass_on(k, t);
        const double now = sti_contact_velocities_residual(k, k->r_before);
        if (now < best) {
            best = now;
            memcpy(k->best, k->r_before, rows * sizeof *k->r);
        }
        const double last = then[batch % WINDOW];
        then[batch % WINDOW] = best;
        if (batch < WINDOW) continue;
        const double needed = best < GAIN * last ? log(tol / best) / log(best / last) : INFINITY;
        if ((batch + 1 + WINDOW * needed) * BATCH > most) break;
    }
    memcpy(k->r, k->best, rows * sizeof *k->r);
    return best;
}
