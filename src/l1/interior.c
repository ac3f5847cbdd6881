// interior.c: min |A x + b|_1 by a primal-dual interior-point method (S3 2.5.1; Mehrotra 1992; Gondzio 1996).
//
//     primal   min sum(v+ + v-),   A x + b = v+ - v-,   v+, v- >= 0
//     dual     max b'y,            A'y = 0,             s+ = 1 - y >= 0,   s- = 1 + y >= 0
//     optimal  v+ s+ = 0,  v- s- = 0
//
// A Newton step for the targets  s+ dv+ + v+ ds+ = c+,  s- dv- + v- ds- = c-  is, with ds+ = -dy, ds- = dy,
//
//     dv+ = (c+ + v+ dy) / s+,     dv- = (c- - v- dy) / s-,     dy = D^-1 (A dx + rho - g),
//     A'D^-1 A dx = A'D^-1 (g - rho) - A'y,                                             (2.5.9)
//
// D = v+/s+ + v-/s-,  g = c+/s+ - c-/s-,  rho = A x + b - v+ + v-. In S3 the block of (2.5.8) beside S is I_2m.
//
// | paper   | x  | lambda | v bar    | s        | D hat |
// | here    | x  | y      | v+, v-   | s+, s-   | D     |
//
// D1: from the predictor on, correctors reuse the factors: Mehrotra's second-order term, and then up to CORRECTORS that
//     pull the products v s of a longer step back towards their mean. A factorization costs far more than a solution
//     with it.
// D2: the start is the point of the central path over the rows one by one: with r = A x + b of the least squares x and
//     mu = mean |r|, every pair has v+ s+ = v- s- = mu and v+ - v- = r, so only A'y is not yet 0.
//
// What is proved: |A x + b|_1 - y'(A x + b) is a sum of terms |r_i| - y_i r_i >= 0, so it is free of cancellation, and
// with A'y = 0 it is the distance from the least value at most. Cost: a factorization of A'A an iteration, 10 to 25 of
// them.
#include "l1/interior.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CORRECTORS = 8, PURIFICATIONS = 3 };  // of y by conjugate gradients, whose solutions are not exact

static const double NEAR = 0.1, FAR = 10;  // products between these parts of the mean are left alone by correctors
static const double LONGER = 0.1,
                    GAIN = 0.1;        // a corrector aims at a step longer by this and has to bring this part of it
static const double SHORT_OF = 0.995;  // of the way to the boundary
static const double OVER = 0.5;        // of the time limit: so much longer a factorization may take that has begun
static const char LATE[] = "the time limit was reached";

typedef struct direction {
    double* x;          // (n)
    double *y, *p, *q;  // dy, dv+, dv-     (m)
} direction;

typedef struct interior {
    int m, n;
    const double* b;
    sti_l1_normal N;
    double *x, *y;     // (n), (m)
    double *p, *q;     // v+, v-                       (m)
    double *s, *t;     // s+, s-: the smaller one is accurate, their sum is 2   (m)
    double* r;         // A x + b                      (m)
    double* weight;    // 1 / D                        (m)
    double *cp, *cq;   // targets                      (m)
    double *rho, *e;   // r - v+ + v-, and scratch     (m)
    double *Ay, *rhs;  // A'y, right-hand side         (n)
    direction d, trial;
    double mu;
} interior;

static sti_status reserve(interior* k, sti_env* env, double** block) {
    const size_t m = (size_t)k->m, n = (size_t)k->n;
    if (m > SIZE_MAX / 64 || n > SIZE_MAX / 64) return STI_FAIL(env, STI_ERR_SIZE, -1, "%zu rows", m);
    *block = sti_alloc_array(env, 16 * m + 4 * n, sizeof **block);
    if (*block == NULL) return STI_ERR_MEMORY;
    double** by_row[] = {&k->p,   &k->q, &k->s,   &k->t,   &k->r,   &k->weight,  &k->cp,      &k->cq,
                         &k->rho, &k->e, &k->d.y, &k->d.p, &k->d.q, &k->trial.y, &k->trial.p, &k->trial.q};
    double** by_column[] = {&k->Ay, &k->rhs, &k->d.x, &k->trial.x};
    double* at = *block;
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++, at += m) *by_row[i] = at;
    for (size_t i = 0; i < sizeof by_column / sizeof *by_column; i++, at += n) *by_column[i] = at;
    return STI_OK;
}

static void update_residuals(interior* k) {
    sti_l1_multiply(&k->N, k->x, k->r);
    double sum = 0;
    for (int i = 0; i < k->m; i++) {
        k->r[i] += k->b[i];
        k->rho[i] = k->r[i] - k->p[i] + k->q[i];
        sum += k->p[i] * k->s[i] + k->q[i] * k->t[i];
    }
    k->mu = sum / (2.0 * k->m);
    sti_l1_multiply_transposed(&k->N, k->y, k->Ay);
}

// The pair of a row on the central path: y with r = 2 mu y / (1 - y^2).
static void centre(interior* k, double mu) {
    for (int i = 0; i < k->m; i++) {
        const double a = fabs(k->r[i]), root = sqrt(mu * mu + a * a);
        const double y = a / (mu + root);   // |y|
        const double small = mu / (1 + y);  // v on the far side
        const double large = a + small;     // mu / (1 - y), without the cancellation
        const double near = mu / large;     // 1 - |y|
        k->y[i] = copysign(y, k->r[i]);
        k->s[i] = k->r[i] >= 0 ? near : 2 - near;
        k->t[i] = 2 - k->s[i];
        k->p[i] = k->r[i] >= 0 ? large : small;
        k->q[i] = k->r[i] >= 0 ? small : large;
    }
}

// D2. False: the matrix of least squares cannot be factored.
static bool start(interior* k, const double* x) {
    if (x != NULL) {
        memcpy(k->x, x, (size_t)k->n * sizeof *x);
    } else {
        for (int i = 0; i < k->m; i++) k->weight[i] = 1;
        if (!sti_l1_normal_factor(&k->N, k->weight)) return false;
        sti_l1_multiply_transposed(&k->N, k->b, k->rhs);
        for (int j = 0; j < k->n; j++) k->rhs[j] = -k->rhs[j];
        sti_l1_normal_solve(&k->N, k->rhs, k->x);
    }
    sti_l1_multiply(&k->N, k->x, k->r);
    double mean = 0;
    for (int i = 0; i < k->m; i++) {
        k->r[i] += k->b[i];
        mean += fabs(k->r[i]) / k->m;
    }
    centre(k, mean > 0 ? mean : 1);
    return true;
}

static bool factor(interior* k) {
    for (int i = 0; i < k->m; i++) k->weight[i] = 1 / (k->p[i] / k->s[i] + k->q[i] / k->t[i]);
    return sti_l1_normal_factor(&k->N, k->weight);
}

// The direction for the targets cp, cq.
static void solve_direction(interior* k, direction* d) {
    for (int i = 0; i < k->m; i++) {
        const double g = k->cp[i] / k->s[i] - k->cq[i] / k->t[i];
        k->e[i] = g - k->rho[i];
        d->y[i] = k->weight[i] * k->e[i];
    }
    sti_l1_multiply_transposed(&k->N, d->y, k->rhs);
    for (int j = 0; j < k->n; j++) k->rhs[j] -= k->Ay[j];
    sti_l1_normal_solve(&k->N, k->rhs, d->x);
    sti_l1_multiply(&k->N, d->x, d->y);
    for (int i = 0; i < k->m; i++) {
        const double dy = k->weight[i] * (d->y[i] - k->e[i]);
        d->y[i] = dy;
        d->p[i] = (k->cp[i] + k->p[i] * dy) / k->s[i];
        d->q[i] = (k->cq[i] - k->q[i] * dy) / k->t[i];
    }
}

// Longest steps up to 1 that keep v (primal) and s (dual) from becoming negative.
static void longest(const interior* k, const direction* d, double* primal, double* dual) {
    double a = 1, c = 1;
    for (int i = 0; i < k->m; i++) {
        if (d->p[i] * a < -k->p[i]) a = -k->p[i] / d->p[i];
        if (d->q[i] * a < -k->q[i]) a = -k->q[i] / d->q[i];
        if (d->y[i] * c > k->s[i]) c = k->s[i] / d->y[i];
        if (-d->y[i] * c > k->t[i]) c = -k->t[i] / d->y[i];
    }
    *primal = a;
    *dual = c;
}

static double mean_after(const interior* k, const direction* d, double primal, double dual) {
    double sum = 0;
    for (int i = 0; i < k->m; i++) {
        const double dy = dual * d->y[i];
        sum += (k->p[i] + primal * d->p[i]) * (k->s[i] - dy) + (k->q[i] + primal * d->q[i]) * (k->t[i] + dy);
    }
    return sum / (2.0 * k->m);
}

// What a product of a step should be changed by, to come between NEAR and FAR of the target.
static double pull_back(double product, double target) {
    if (product < NEAR * target) return NEAR * target - product;
    if (product > FAR * target) return fmax(FAR * target - product, -FAR * target);
    return 0;
}

// Targets for a step longer than the one at hand.
static void aim(interior* k, const direction* d, double primal, double dual, double target) {
    for (int i = 0; i < k->m; i++) {
        const double dy = dual * d->y[i];
        k->cp[i] += pull_back((k->p[i] + primal * d->p[i]) * (k->s[i] - dy), target);
        k->cq[i] += pull_back((k->q[i] + primal * d->q[i]) * (k->t[i] + dy), target);
    }
}

static void swap(direction* a, direction* b) {
    const direction t = *a;
    *a = *b;
    *b = t;
}

// Predictor, corrector, and further correctors as long as they gain (D1). The step lengths.
static void find_step(interior* k, double* primal, double* dual) {
    for (int i = 0; i < k->m; i++) {
        k->cp[i] = -k->p[i] * k->s[i];
        k->cq[i] = -k->q[i] * k->t[i];
    }
    solve_direction(k, &k->d);
    longest(k, &k->d, primal, dual);
    const double ratio = mean_after(k, &k->d, *primal, *dual) / k->mu, target = ratio * ratio * ratio * k->mu;
    for (int i = 0; i < k->m; i++) {
        k->cp[i] += target + k->d.p[i] * k->d.y[i];
        k->cq[i] += target - k->d.q[i] * k->d.y[i];
    }
    solve_direction(k, &k->d);
    longest(k, &k->d, primal, dual);
    for (int c = 0; c < CORRECTORS; c++) {
        const double aim_p = fmin(1, *primal * (1 + LONGER) + LONGER), aim_d = fmin(1, *dual * (1 + LONGER) + LONGER);
        if (*primal > 0.99 && *dual > 0.99) break;
        aim(k, &k->d, aim_p, aim_d, fmax(target, 1e-3 * k->mu));
        solve_direction(k, &k->trial);
        double a, b;
        longest(k, &k->trial, &a, &b);
        if (a < *primal + GAIN * (aim_p - *primal) && b < *dual + GAIN * (aim_d - *dual)) break;
        if (fmin(a, b) < 0.9 * fmin(*primal, *dual)) break;
        swap(&k->d, &k->trial);
        *primal = a;
        *dual = b;
    }
}

static void take_step(interior* k, double primal, double dual) {
    const double a = fmin(1, SHORT_OF * primal), c = fmin(1, SHORT_OF * dual);
    for (int j = 0; j < k->n; j++) k->x[j] += a * k->d.x[j];
    for (int i = 0; i < k->m; i++) {
        k->p[i] += a * k->d.p[i];
        k->q[i] += a * k->d.q[i];
        k->s[i] -= c * k->d.y[i];
        k->t[i] += c * k->d.y[i];
        if (k->s[i] < k->t[i]) {
            k->t[i] = 2 - k->s[i];
            k->y[i] = 1 - k->s[i];
        } else {
            k->s[i] = 2 - k->t[i];
            k->y[i] = k->t[i] - 1;
        }
    }
}

// The distance from the least value is at most the sum of |r| - y r; over the objective. 0 where all rows are met.
static double gap(const interior* k) {
    double objective = 0, distance = 0;
    for (int i = 0; i < k->m; i++) {
        objective += fabs(k->r[i]);
        distance += fabs(k->r[i]) * (k->r[i] >= 0 ? k->s[i] : k->t[i]);
    }
    return sti_l1_is_rounding(k->N.A, k->b, k->x, k->r, k->N.t) ? 0 : distance / objective;
}

// What is left of A'y is taken away, by the least change in the norm of D. Where that leads beyond 1 all of y becomes
// smaller, which keeps A'y = 0 and so the bound, also that of a point on the way.
static void purify(interior* k) {
    sti_l1_multiply_transposed(&k->N, k->y, k->Ay);
    for (int j = 0; j < k->n; j++) k->rhs[j] = -k->Ay[j];
    sti_l1_normal_solve(&k->N, k->rhs, k->d.x);
    sti_l1_multiply(&k->N, k->d.x, k->d.y);
    double largest = 1;
    for (int i = 0; i < k->m; i++) {
        k->y[i] += k->weight[i] * k->d.y[i];
        largest = fmax(largest, fabs(k->y[i]));
    }
    for (int i = 0; i < k->m; i++) k->y[i] /= largest;
}

// NULL: the gap is within tol; otherwise why it is not.
static const char* iterate(interior* k, sti_env* env, const sti_l1_options* options, sti_l1_answer* answer) {
    const double deadline = sti_deadline(env, options->time_limit_s);
    if (isfinite(deadline)) k->N.deadline = deadline + OVER * (deadline - sti_now(env));
    if (!start(k, options->x)) return k->N.late ? LATE : "the normal matrix of least squares could not be factored";
    for (;;) {
        update_residuals(k);
        const double now = gap(k);
        if (options->trace != NULL) options->trace(options->trace_user, "ipm", answer->iterations, now);
        if (now <= options->tol) return NULL;
        if (answer->iterations >= options->max_iterations) return "the limit of iterations was reached";
        if (isfinite(deadline) && sti_now(env) > deadline) return LATE;
        double primal, dual;
        if (!factor(k)) return k->N.late ? LATE : "a normal matrix could not be factored";
        find_step(k, &primal, &dual);
        if (k->N.late) return LATE;
        if (!(primal > 0) || !(dual > 0)) return "within rounding no step is left";
        take_step(k, primal, dual);
        answer->iterations++;
    }
}

sti_status sti_l1_interior(sti_env* env, const sti_l1* problem, const sti_l1_options* options, sti_l1_answer* answer) {
    interior k = {.m = problem->m, .n = problem->n, .b = problem->b, .x = answer->x, .y = answer->y};
    double* block = NULL;
    sti_status status = reserve(&k, env, &block);
    if (status == STI_OK) status = sti_l1_normal_init(&k.N, env, &problem->A, 1e6 * options->memory_mb);
    if (status == STI_OK) {
        const char* why = iterate(&k, env, options, answer);
        for (int round = 0; round < (k.N.ldl.withheld ? PURIFICATIONS : 1); round++) {
            if (answer->iterations > 0 && !k.N.late) purify(&k);
        }
        answer->cg_count += k.N.cg_count;
        if (why != NULL) snprintf(answer->reason, sizeof answer->reason, "%s", why);
    }
    sti_l1_normal_clear(&k.N);
    sti_free(env, block);
    return status;
}
