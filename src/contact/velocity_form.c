// velocity_form.c: rigid bodies found in the data of a contact problem, and solved for in their velocities
// (velocities.c).
//
//     M v = H r + f,      u = H'v + w            v: 3 numbers for each body in the plane, 6 in space, one after the
//                                                other
//
// Such a problem fits when M consists of blocks diag(m I, J), mass before inertia about the centre of mass, every
// contact touches one or two of them, and there are no bilateral rows. FCLIB says nothing of bodies, so they are looked
// for in the numbers.
#include "contact/velocity_form.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/judge.h"
#include "contact/posed.h"
#include "linalg/tiny.h"

enum {
    CROWDED = 3,  // contacts for a body, from which on the velocities come first
    MOST = 200,   // passes and factorizations then
};

#define SYMMETRIC 1e-12  // |J - J'| over J
#define SINGULAR 1e-12   // 1 / condition of J, below which it counts as singular

// Entries of M into A, block by block. False: some lie outside of the blocks of bodies.
static bool read_mass(const sti_matrix* M, sti_contact_velocities* k) {
    const int nv = k->nv;
    memset(k->A, 0, (size_t)(k->bodies * nv * nv) * sizeof *k->A);
    for (int j = 0; j < M->cols; j++) {
        for (int64_t e = M->col_start[j]; e < M->col_start[j + 1]; e++) {
            const int i = M->row[e], b = i / nv, row = i % nv, col = j % nv;
            if (M->value[e] == 0) continue;
            if (b != j / nv || (row != col && (row < k->d || col < k->d))) return false;
            k->A[(b * nv + row) * nv + col] += M->value[e];
        }
    }
    return true;
}

// The inverse of a body. False: it is no mass with an inertia.
static bool invert(sti_contact_velocities* k, int body) {
    const int d = k->d, nv = k->nv, turns = nv - d;
    const double *A = k->A + (size_t)(body * nv * nv), m = A[0];
    double *inverse = k->inverse + 10 * (size_t)body, J[9], norm = 0;
    int pivot[3];
    for (int e = 1; e < d; e++) {
        if (A[e * (nv + 1)] != m) return false;
    }
    for (int i = 0; i < turns; i++) {
        double sum = 0;
        for (int j = 0; j < turns; j++) {
            const double x = J[i * turns + j] = A[(d + i) * nv + d + j], y = A[(d + j) * nv + d + i];
            if (!(fabs(x - y) <= SYMMETRIC * fabs(x + y)) || (i == j && !(x > 0))) return false;
            sum += fabs(x);
        }
        norm = fmax(norm, sum);
    }
    if (!(m > 0) || !sti_tiny_lu(turns, J, pivot) || !(sti_tiny_lu_rcond(turns, J, pivot, norm) > SINGULAR))
        return false;
    inverse[0] = 1 / m;
    for (int j = 0; j < turns; j++) {
        double x[3] = {0};
        x[j] = 1;
        sti_tiny_lu_solve(turns, J, pivot, x);
        for (int i = 0; i < turns; i++) inverse[1 + i * turns + j] = x[i];
    }
    return true;
}

// Two sides of every contact. False: one touches more bodies.
static bool read_contacts(const sti_matrix* H, sti_contact_velocities* k) {
    const int d = k->d, nv = k->nv;
    memset(k->H, 0, (size_t)(2 * k->count * d * nv) * sizeof *k->H);
    for (int i = 0; i < 2 * k->count; i++) k->body[i] = -1;
    for (int j = 0; j < d * k->count; j++) {
        int* body = k->body + 2 * (size_t)(j / d);
        for (int64_t e = H->col_start[j]; e < H->col_start[j + 1]; e++) {
            const int b = H->row[e] / nv;
            if (H->value[e] == 0) continue;
            const int side = body[0] == b || body[0] < 0 ? 0 : 1;
            if (body[side] >= 0 && body[side] != b) return false;
            body[side] = b;
            k->H[((2 * (j / d) + side) * d + j % d) * nv + H->row[e] % nv] += H->value[e];
        }
    }
    return true;
}

static bool read_problem(const sti_contact_problem* p, const sti_matrix* M, const sti_matrix* H,
                         sti_contact_velocities* k) {
    if (!read_mass(M, k) || !read_contacts(H, k)) return false;
    for (int b = 0; b < k->bodies; b++) {
        if (!invert(k, b)) return false;
        sti_contact_velocities_mass_solve(k, b, p->f + (size_t)(b * k->nv), k->v_free + (size_t)(b * k->nv));
    }
    memcpy(k->w, p->w, (size_t)(k->d * k->count) * sizeof *k->w);
    memcpy(k->mu, p->mu, (size_t)k->count * sizeof *k->mu);
    return true;
}

sti_status sti_contact_velocity_form(sti_env* env, const sti_contact_problem* p, const sti_contact_options* options,
                                     const double* r, sti_contact_velocities* k, bool* fits) {
    const int nv = p->dimension == 2 ? 3 : 6;
    *fits = false;
    if (!p->global || p->bilateral_count > 0 || p->contact_count == 0 || p->velocity_count % nv != 0) return STI_OK;
    sti_matrix M = {0}, H = {0};
    sti_status status = sti_contact_velocities_reserve(k, env, p->dimension, p->contact_count, p->velocity_count / nv);
    if (status == STI_OK) status = sti_matrix_to_sparse(env, &p->M, &M);
    if (status == STI_OK) status = sti_matrix_to_sparse(env, &p->H, &H);
    if (status == STI_OK) *fits = read_problem(p, &M, &H, k);
    sti_matrix_clear(env, &M);
    sti_matrix_clear(env, &H);
    if (!*fits) return status;
    memcpy(k->r, r, (size_t)(k->d * k->count) * sizeof *k->r);
    memcpy(k->v_before, options->guess_v != NULL ? options->guess_v : k->v_free,
           (size_t)(k->bodies * nv) * sizeof *k->v_before);
    k->limit = options->max_iterations;
    return STI_OK;
}

// Rounds, from the best point, while the residual that decides asks for more than the method's own.
static sti_status run_rounds(sti_env* env, const sti_contact_problem* p, const sti_contact_options* options,
                             sti_contact_velocities* k, sti_contact_answer* a) {
    enum { ROUNDS = 5 };
    const size_t n = (size_t)(k->d * k->count);
    const long limit = k->limit;
    double tol = options->tol, reached;
    for (int round = 0; round < ROUNDS; round++, tol *= 0.1) {
        sti_status status = sti_contact_velocities_run(k, tol, &reached);
        if (status != STI_OK) return status;
        a->iterations += k->passes + k->factors;
        if (isfinite(reached)) memcpy(a->r, k->best, n * sizeof *a->r);
        sti_contact_velocities_follow(k, a->r, a->v);
        status = sti_contact_measure(env, p, a);
        if (status != STI_OK) return status;
        if (limit > 0) k->limit = limit > a->iterations ? limit - a->iterations : 1;
        const bool last = reached > tol || (limit > 0 && a->iterations >= limit);
        if (sti_contact_safely(a->residual) <= options->tol || last) break;
        memcpy(k->r, a->r, n * sizeof *k->r);
    }
    const bool within = sti_contact_safely(a->residual) <= options->tol;
    const bool cut = (limit > 0 && a->iterations >= limit) || (k->deadline < INFINITY && sti_clock() > k->deadline);
    a->termination = within ? STI_END_SOLUTION : cut ? STI_END_LIMIT : STI_END_STALLED;
    snprintf(a->reason, sizeof a->reason, "velocities: residual %.3g after %ld passes and factorizations", a->residual,
             a->iterations);
    return STI_OK;
}

sti_status sti_contact_try_velocities(sti_env* env, const sti_contact_problem* p, const sti_contact_options* options,
                                      double deadline, sti_contact_answer* a, bool* taken) {
    sti_contact_velocities k = {0};
    *taken = false;
    if (!p->global || options->max_iterations > 0 || options->minimum_norm) return STI_OK;
    if (p->contact_count < CROWDED * (p->velocity_count / (p->dimension == 2 ? 3 : 6))) return STI_OK;
    sti_status status = sti_contact_velocity_form(env, p, options, a->r, &k, taken);
    k.deadline = deadline;
    k.limit = MOST;
    if (status == STI_OK && *taken) status = run_rounds(env, p, options, &k, a);
    sti_contact_velocities_clear(&k, env);
    return status;
}

sti_status sti_contact_solve_velocities(sti_env* env, const sti_contact_problem* p, const sti_contact_options* options,
                                        double deadline, sti_contact_answer* a) {
    sti_contact_velocities k = {0};
    bool fits;
    sti_status status = sti_contact_velocity_form(env, p, options, a->r, &k, &fits);
    k.deadline = deadline;
    if (status == STI_OK && fits) {
        status = run_rounds(env, p, options, &k, a);
    } else if (status == STI_OK) {
        status = sti_contact_measure(env, p, a);
        a->termination = STI_END_NOT_APPLICABLE;
        snprintf(a->reason, sizeof a->reason,
                 "velocities: for the global form of free rigid bodies, M of blocks diag(m I, J), no bilateral rows");
    }
    sti_contact_velocities_clear(&k, env);
    return status;
}
