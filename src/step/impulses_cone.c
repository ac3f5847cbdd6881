// impulses_cone.c: the problem of impulses.h with Coulomb's round cone, by the solvers of <stiction/contact.h>.
// Contacts with a polygon of their own keep it: a section there (section.h).
//
//     M v = H r + G l + f,   u = H'v + w,   0 = G'v + b        with  M = Q,  r = alpha (c_n, c_t),  l = alpha c_nu
//
// D1. Those solvers want M symmetric. Q = S + N has a skew part N of order h where inertial forces or k_v are not
//     symmetric; S v = H r + G l + (f - N v) is iterated from v of the last solve. The map contracts for small h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/impulses.h"

enum { SKEW_ROUNDS = 100 };

typedef struct posed {
    int d, nc, nb;
    double* numbers;
    double *S, *N, *H, *G, *f, *w, *b, *mu;
    sti_section* section;  // in numbers, behind the rest; NULL: discs all of them        (nc)
} posed;

static sti_status reserve(sti_env* env, const sti_impulses* p, posed* k) {
    k->d = 2;
    k->nc = k->nb = 0;
    bool shaped = false;
    for (int j = 0; j < p->count; j++) {
        if (p->contacts[j].bilateral) k->nb++;
        if (!p->contacts[j].bilateral) k->nc++;
        shaped = shaped || p->contacts[j].corner_count > 0;
        if (!p->contacts[j].bilateral && p->contacts[j].tangent_count == 2) k->d = 3;
    }
    const size_t n = (size_t)p->n, r = (size_t)k->d * (size_t)k->nc, nb = (size_t)k->nb;
    const size_t size = 2 * n * n + n * r + n * nb + n + r + nb + (size_t)k->nc;
    const size_t each = (sizeof(sti_section) + sizeof(double) - 1) / sizeof(double);
    k->numbers = sti_alloc_array_zero(env, size + (shaped ? each * (size_t)k->nc : 0), sizeof *k->numbers);
    if (k->numbers == NULL) return STI_ERR_MEMORY;
    k->S = k->numbers;
    k->N = k->S + n * n;
    k->H = k->N + n * n;
    k->G = k->H + n * r;
    k->f = k->G + n * nb;
    k->w = k->f + n;
    k->b = k->w + r;
    k->mu = k->b + nb;
    k->section = shaped ? (void*)(k->mu + k->nc) : NULL;
    return STI_OK;
}

static sti_section section_of(const sti_impulse_contact* c) {
    if (c->corner_count == 0) return (sti_section){.shape = STI_SECTION_DISC};
    return (sti_section){.shape = STI_SECTION_POLYGON, .vertex_count = c->corner_count, .vertex = c->corner};
}

// True: Q has a skew part.
static bool pose(const sti_impulses* p, posed* k) {
    const int n = p->n, size = k->d * k->nc;
    bool skew = false;
    for (int i = 0; i < n; i++) {
        for (int l = 0; l < n; l++) {
            const double a = p->Q[sti_at(n, i, l)], b = p->Q[sti_at(n, l, i)];
            k->S[sti_at(n, i, l)] = (a + b) / 2;
            k->N[sti_at(n, i, l)] = (a - b) / 2;
            skew = skew || a != b;
        }
    }
    int c = 0, joint = 0;
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* from = &p->contacts[j];
        if (from->bilateral) {
            for (int i = 0; i < n; i++) k->G[sti_at(k->nb, i, joint)] = from->n[i];
            k->b[joint++] = from->b_n;
            continue;
        }
        for (int i = 0; i < n; i++) {
            k->H[sti_at(size, i, c * k->d)] = from->n[i];
            for (int a = 0; a < from->tangent_count; a++)
                k->H[sti_at(size, i, c * k->d + 1 + a)] = from->t[sti_at(n, a, i)];
        }
        k->w[c * k->d] = from->b_n;
        for (int a = 0; a < from->tangent_count; a++) k->w[c * k->d + 1 + a] = from->b_t[a];
        if (k->section != NULL) k->section[c] = section_of(from);
        k->mu[c++] = from->tangent_count > 0 ? from->mu : 0;
    }
    return skew;
}

static void read_answer(sti_impulses* p, const posed* k, const sti_contact_answer* answer) {
    int c = 0, joint = 0;
    memcpy(p->u, answer->v, (size_t)p->n * sizeof *p->u);
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* from = &p->contacts[j];
        p->rho[j] = sti_vector_dot(p->n, from->n, p->u) + from->b_n;
        for (int a = 0; a < 2; a++) {
            p->c_t[sti_at(2, j, a)] = p->slip[sti_at(2, j, a)] = 0;
            if (a < from->tangent_count)
                p->slip[sti_at(2, j, a)] = sti_vector_dot(p->n, from->t + sti_at(p->n, a, 0), p->u) + from->b_t[a];
        }
        if (from->bilateral) {
            p->c_n[j] = answer->lambda[joint++] / p->alpha;
            p->mode[j] = STI_MODE_STICK;
            continue;
        }
        p->c_n[j] = answer->r[c * k->d] / p->alpha;
        for (int a = 0; a < from->tangent_count; a++) p->c_t[sti_at(2, j, a)] = answer->r[c * k->d + 1 + a] / p->alpha;
        p->mode[j] = answer->mode[c++];
    }
}

static void fill_forces(const sti_impulses* p, const posed* k, bool skew) {
    const int n = p->n;
    for (int i = 0; i < n; i++) k->f[i] = p->f[i] - (skew ? sti_vector_dot(n, k->N + sti_at(n, i, 0), p->u) : 0);
}

static sti_contact_problem view(const sti_impulses* p, const posed* k) {
    return (sti_contact_problem){.dimension = k->d,
                                 .contact_count = k->nc,
                                 .mu = k->mu,
                                 .section = k->section,
                                 .global = true,
                                 .bilateral_count = k->nb,
                                 .velocity_count = p->n,
                                 .M = sti_matrix_dense_view(p->n, p->n, k->S),
                                 .H = sti_matrix_dense_view(p->n, k->d * k->nc, k->H),
                                 .G = sti_matrix_dense_view(p->n, k->nb, k->G),
                                 .f = k->f,
                                 .w = k->w,
                                 .b = k->b};
}

sti_status sti_impulses_pose_cone(sti_env* env, const sti_impulses* p, sti_contact_problem* out, double** numbers) {
    posed k = {0};
    const sti_status status = reserve(env, p, &k);
    *numbers = k.numbers;
    if (status != STI_OK) return status;
    fill_forces(p, &k, pose(p, &k));
    *out = view(p, &k);
    return STI_OK;
}

static sti_status iterate(sti_impulses* p, posed* k, bool skew) {
    const int n = p->n;
    sti_contact_options options = sti_contact_options_default();
    options.tol = 1e-12;
    options.describe = true;
    options.memory = p->keeps;
    const sti_contact_problem problem = view(p, k);
    for (int round = 0; round < SKEW_ROUNDS; round++) {
        fill_forces(p, k, skew);
        sti_contact_answer answer;
        const sti_status status = sti_contact_solve(p->env, &problem, &options, &answer);
        if (status != STI_OK) return status;
        // a residual at rounding level is a solution whatever the limit said
        const bool good = answer.outcome == STI_SOLVED || (answer.v != NULL && answer.residual <= 1e-9);
        p->outcome = good ? STI_SOLVED : answer.outcome;
        p->residual = answer.residual;
        snprintf(p->why, sizeof p->why, "%s", answer.reason);
        double change = 0;
        if (good) {
            for (int i = 0; i < n; i++) change = fmax(change, fabs(answer.v[i] - p->u[i]));
            read_answer(p, k, &answer);
        }
        sti_contact_answer_clear(p->env, &answer);
        if (!good || !skew || change <= 1e-14 * (1 + sti_vector_largest(n, p->u))) return STI_OK;
        p->residual = fmax(p->residual, change);
    }
    if (p->residual > 1e-8) {
        p->outcome = STI_LIMIT;
        snprintf(p->why, sizeof p->why, "the skew part of the step matrix did not settle in %d rounds", SKEW_ROUNDS);
    }
    return STI_OK;
}

sti_status sti_impulses_solve_cone(sti_impulses* p) {
    posed k = {0};
    sti_status status = reserve(p->env, p, &k);
    if (status != STI_OK) return status;
    if (k.nc == 0) {
        sti_free(p->env, k.numbers);
        return sti_impulses_solve(p);
    }
    const bool skew = pose(p, &k);
    if (p->keeps == NULL) status = sti_contact_memory_create(p->env, &p->keeps);
    if (status == STI_OK) status = iterate(p, &k, skew);
    if (status == STI_OK && p->outcome == STI_SOLVED && !(p->residual <= 1e-6)) p->outcome = STI_UNKNOWN;
    sti_free(p->env, k.numbers);
    return status;
}
