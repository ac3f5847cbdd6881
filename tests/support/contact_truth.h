// contact_truth.h: what is true of a small contact problem, in exact arithmetic on the data as they are.
//
//     feasible     is there a motion (global: v; local: forces) with u_n >= 0 and the bilateral rows obeyed? Without
//                  one
//                  there is no solution, whatever the friction.
//     solvable     planar problems: of the 4^nc ways in which contacts separate, stick, slide left or slide right, each
//                  is a
//                  linear system; is one of them feasible?
//     violation    how far a point is from the law at its worst contact, against the terms of that contact alone
//
// Matrices are dense.
#ifndef TESTS_SUPPORT_CONTACT_TRUTH_H
#define TESTS_SUPPORT_CONTACT_TRUTH_H

#include <math.h>
#include <stdlib.h>
#include <stiction/contact.h>

#include "exact/dictionary.h"
#include "exact/rationals.h"

// A linear system in rows: constant and coefficients, doubles.
typedef struct truth_system {
    int rows, cols;
    double* T;            // (rows x (cols + 1))
    unsigned char* kind;  // of columns first, then of rows   (cols + rows)
} truth_system;

static inline truth_system truth_open(int rows, int cols) {
    truth_system s = {.rows = rows, .cols = cols};
    s.T = calloc((size_t)rows * (size_t)(cols + 1) + 1, sizeof *s.T);
    s.kind = calloc((size_t)(rows + cols) + 1, 1);
    return s;
}

static inline void truth_close(truth_system* s) {
    free(s->T);
    free(s->kind);
}

static inline double* truth_at(truth_system* s, int row, int col) {
    return &s->T[(size_t)row * (size_t)(s->cols + 1) + (size_t)col];
}

static inline bool truth_feasible(sti_env* env, const truth_system* s) {
    sti_exact x;
    sti_dictionary* D;
    sti_exact_init(&x, env);
    if (sti_dictionary_create(&x, s->rows, s->cols, &D) != STI_OK) abort();
    for (int i = 0; i < s->rows; i++) {
        const size_t width = (size_t)s->cols + 1;
        sti_int_row_from_doubles(&x, sti_dictionary_at(D, i, 0), s->T + (size_t)i * width, width, 1, NULL, NULL);
    }
    for (int i = 0; i < s->rows + s->cols; i++) D->kind[i] = s->kind[i];
    const bool feasible = sti_dictionary_feasible(D);
    if (x.status != STI_OK) abort();
    sti_dictionary_destroy(D);
    sti_exact_clear(&x);
    return feasible;
}

static inline double truth_entry(const sti_matrix* A, int i, int j) {
    return A->dense[(size_t)i * (size_t)A->cols + (size_t)j];
}

// Numbers of a motion: v, or (r, l).
static inline int truth_motion_size(const sti_contact_problem* p) {
    return p->global ? p->velocity_count : p->dimension * p->contact_count + p->bilateral_count;
}

// Row of u_j as a sum over the motion, from column `at` on
static inline void truth_velocity(const sti_contact_problem* p, int j, double* row, int at) {
    const int n = p->dimension * p->contact_count;
    row[0] = p->global ? p->w[j] : p->q[j];
    for (int i = 0; p->global && i < p->velocity_count; i++) row[at + i] = truth_entry(&p->H, i, j);
    for (int i = 0; !p->global && i < n; i++) row[at + i] = truth_entry(&p->W, j, i);
    for (int i = 0; !p->global && i < p->bilateral_count; i++) row[at + n + i] = truth_entry(&p->V, j, i);
}

// Bilateral row k over the motion
static inline void truth_joint(const sti_contact_problem* p, int k, double* row, int at) {
    const int n = p->dimension * p->contact_count;
    row[0] = p->global ? p->b[k] : p->s[k];
    for (int i = 0; p->global && i < p->velocity_count; i++) row[at + i] = truth_entry(&p->G, i, k);
    for (int i = 0; !p->global && i < n; i++) row[at + i] = truth_entry(&p->V, i, k);
    for (int i = 0; !p->global && i < p->bilateral_count; i++) row[at + n + i] = truth_entry(&p->R, k, i);
}

static inline bool truth_has_motion(sti_env* env, const sti_contact_problem* p) {
    const int nc = p->contact_count, nb = p->bilateral_count, nx = truth_motion_size(p);
    truth_system s = truth_open(nc + nb, nx);
    for (int j = 0; j < nx; j++) s.kind[j] = STI_VAR_FREE;
    for (int c = 0; c < nc; c++) {
        truth_velocity(p, p->dimension * c, truth_at(&s, c, 0), 1);
        s.kind[nx + c] = STI_VAR_NONNEGATIVE;
    }
    for (int k = 0; k < nb; k++) {
        truth_joint(p, k, truth_at(&s, nc + k, 0), 1);
        s.kind[nx + nc + k] = STI_VAR_ZERO;
    }
    const bool feasible = truth_feasible(env, &s);
    truth_close(&s);
    return feasible;
}

// The modes of contacts, two bits each: 0 separate, 1 stick, 2 and 3 slide.
//
//     columns   v and l (global) or l (local), then r_n, r_t of every contact
//     rows      balance and bilateral rows; of every contact u_n, u_t, and two of the law
static inline bool truth_mode_feasible(sti_env* env, const sti_contact_problem* p, unsigned modes) {
    const int nc = p->contact_count, n = 2 * nc, nb = p->bilateral_count, nv = p->global ? p->velocity_count : 0;
    const int first = nv + nb, cols = first + n, rows = nv + nb + 4 * nc;
    truth_system s = truth_open(rows, cols);
    for (int j = 0; j < first; j++) s.kind[j] = STI_VAR_FREE;
    for (int i = 0; i < nv; i++) {  // M v - H r - G l - f = 0
        *truth_at(&s, i, 0) = -p->f[i];
        for (int j = 0; j < nv; j++) *truth_at(&s, i, 1 + j) = truth_entry(&p->M, i, j);
        for (int j = 0; j < nb; j++) *truth_at(&s, i, 1 + nv + j) = -truth_entry(&p->G, i, j);
        for (int j = 0; j < n; j++) *truth_at(&s, i, 1 + first + j) = -truth_entry(&p->H, i, j);
        s.kind[cols + i] = STI_VAR_ZERO;
    }
    for (int k = 0; k < nb; k++) {
        *truth_at(&s, nv + k, 0) = p->b[k];
        for (int j = 0; j < nv; j++) *truth_at(&s, nv + k, 1 + j) = truth_entry(&p->G, j, k);
        s.kind[cols + nv + k] = STI_VAR_ZERO;
    }
    for (int c = 0; c < nc; c++) {
        const unsigned mode = modes >> (2 * c) & 3;
        const int at = nv + nb + 4 * c, r = 1 + first + 2 * c;
        for (int t = 0; t < 2; t++) {
            double* row = truth_at(&s, at + t, 0);
            truth_velocity(p, 2 * c + t, row, p->global ? 1 : 1 + first);
            s.kind[cols + at + t] = mode > 1 && t == 0 ? STI_VAR_ZERO : STI_VAR_FREE;
        }
        s.kind[first + 2 * c] = mode == 0 ? STI_VAR_ZERO : STI_VAR_NONNEGATIVE;
        s.kind[first + 2 * c + 1] = mode == 0 ? STI_VAR_ZERO : STI_VAR_FREE;
        for (int t = 0; t < 2; t++) {  // mu r_n +- r_t
            *truth_at(&s, at + 2 + t, r) = p->mu[c];
            *truth_at(&s, at + 2 + t, r + 1) = t == 0 ? 1 : -1;
            s.kind[cols + at + 2 + t] = STI_VAR_NONNEGATIVE;
        }
        if (mode == 0) s.kind[cols + at] = STI_VAR_NONNEGATIVE;
        if (mode == 1) s.kind[cols + at] = s.kind[cols + at + 1] = STI_VAR_ZERO;
        if (mode == 2 || mode == 3) {  // u_t >= 0 and r_t = -mu r_n, or the other way
            s.kind[cols + at + 1] = STI_VAR_NONNEGATIVE;
            s.kind[cols + at + 2 + (mode == 2 ? 0 : 1)] = STI_VAR_ZERO;
            for (int j = 0; mode == 3 && j <= cols; j++) *truth_at(&s, at + 1, j) = -*truth_at(&s, at + 1, j);
        }
    }
    const bool feasible = truth_feasible(env, &s);
    truth_close(&s);
    return feasible;
}

// Planar problems without V.
static inline bool truth_solvable(sti_env* env, const sti_contact_problem* p) {
    for (unsigned modes = 0; modes >> (2 * p->contact_count) == 0; modes++) {
        if (truth_mode_feasible(env, p, modes)) return true;
    }
    return false;
}

// ---- the physics of a point, in long double

enum { TRUTH_ROWS = 120, TRUTH_VELOCITIES = 60 };  // room

typedef struct truth_terms {
    long double u[TRUTH_ROWS], own[TRUTH_ROWS];  // velocities, and the sizes of what they are the sums of
    long double mobility[TRUTH_ROWS / 2];        // of contacts
} truth_terms;

static inline void truth_add(truth_terms* t, int i, long double x) {
    t->u[i] += x;
    t->own[i] += fabsl(x);
}

static inline void truth_local_terms(const sti_contact_problem* p, const sti_contact_answer* a, truth_terms* t) {
    const int d = p->dimension, n = d * p->contact_count;
    for (int i = 0; i < n; i++) {
        truth_add(t, i, p->q[i]);
        for (int j = 0; j < n; j++) truth_add(t, i, (long double)truth_entry(&p->W, i, j) * a->r[j]);
        for (int j = 0; j < p->bilateral_count; j++)
            truth_add(t, i, (long double)truth_entry(&p->V, i, j) * a->lambda[j]);
        t->mobility[i / d] += truth_entry(&p->W, i, i);
    }
}

static inline void truth_global_terms(const sti_contact_problem* p, const sti_contact_answer* a, truth_terms* t) {
    const int d = p->dimension, n = d * p->contact_count, nb = p->bilateral_count;
    long double made[TRUTH_VELOCITIES] = {0};  // what forces, one by one, make of each velocity
    for (int i = 0; i < p->velocity_count; i++) {
        const double m = truth_entry(&p->M, i, i);
        for (int j = 0; j < n; j++) made[i] += fabsl((long double)truth_entry(&p->H, i, j) * a->r[j]);
        for (int j = 0; j < nb; j++) made[i] += fabsl((long double)truth_entry(&p->G, i, j) * a->lambda[j]);
        made[i] = m > 0 ? (made[i] + fabs(p->f[i])) / m : 0;
    }
    for (int j = 0; j < n; j++) {
        t->u[j] = p->w[j];
        t->own[j] = fabsl(t->u[j]);
        for (int i = 0; i < p->velocity_count; i++) {
            const long double h = truth_entry(&p->H, i, j), m = truth_entry(&p->M, i, i);
            t->u[j] += h * a->v[i];
            t->own[j] += fabsl(h) * made[i];
            t->mobility[j / d] += m > 0 ? h * h / m : 0;
        }
    }
}

// The largest of penetration, distance from the cone and r_n u_n, each against the terms of the contact itself.
static inline long double truth_violation(const sti_contact_problem* p, const sti_contact_answer* a) {
    const int d = p->dimension;
    truth_terms t = {0};
    long double worst = 0;
    if (p->global)
        truth_global_terms(p, a, &t);
    else
        truth_local_terms(p, a, &t);
    for (int c = 0; c < p->contact_count; c++) {
        const long double *u = t.u + d * c, *own = t.own + d * c, mu = p->mu[c];
        const long double size = d == 2 ? hypotl(own[0], own[1]) : hypotl(hypotl(own[0], own[1]), own[2]);
        const double* r = a->r + d * c;
        const long double r_t = d == 2 ? fabsl((long double)r[1]) : hypotl(r[1], r[2]);
        const long double force = fmaxl(t.mobility[c] > 0 ? d * size / t.mobility[c] : 0, hypotl(r[0], r_t));
        const long double beyond = fmaxl(fmaxl(r_t - mu * r[0], 0) / sqrtl(1 + mu * mu), -r[0]);
        if (u[0] < 0) worst = fmaxl(worst, -u[0] / size);
        if (beyond > 0) worst = fmaxl(worst, beyond / force);
        if (r[0] * u[0] != 0) worst = fmaxl(worst, fabsl(r[0] * u[0]) / (force * size));
    }
    return worst;
}

#endif
