// velocities.c: kinetic quasi-velocities (S1 sections 2, 2.1 and 2.2).
//
// With L the rows of the touching gradients, at unit kinetic length, and M^-1 known, everything is a product of small
// matrices:
//
//     n_q = L M^-1   (rows),     G = L M^-1 L',     D_n = G^+,     D_t = I
//
// t_q completes the basis: the unit vectors are taken in turn, each time the one that keeps the largest kinetic length
// after its parts along the span of n_q and along the earlier t_q are taken out (twice, so that rounding does not
// remain). Ties go to the lower index and the largest entry is made positive, so the choice is the same everywhere; the
// paper's own choices in its examples come out of it, up to order.
//
// Departures. D1: the gradients need not be independent; G^+ replaces G^-1, n - rank vectors t_q complete the basis,
// and (13) to (15) keep their form since n_q G^+ n_q'M is the kinetic projector on the span of n_q. D2: (16) holds for
// velocities that the joints allow; for others the nearest allowed one is reported beside. D3: the corrections S1-E1 to
// S1-E6 and S1-E23 of the printed examples need no code: nothing here is specific to an example.
#include <math.h>
#include <stiction/velocities.h>
#include <string.h>

#include "base/arena.h"
#include "impacts/massless.h"
#include "impacts/space.h"
#include "linalg/dense_algebra.h"

typedef struct velocities {
    sti_velocities k;  // first, so that both have one address
    sti_arena pool;
} velocities;

// Arrays of k while they are filled.
typedef struct build {
    sti_env* env;
    const sti_instant* instant;
    const sti_space* space;  // lends M^-1 and the joints
    sti_velocities* k;
    sti_arena* pool;
    double *L, *n_q, *t_q, *Xi, *G, *D_n, *D_t;
    double* H;     // slip rows                      (s x n)
    double* work;  // (2 w^2 + w), w = max(n, c)
} build;

sti_velocities_options sti_velocities_options_default(void) {
    return (sti_velocities_options){.gap_tol = 1e-9};
}

static size_t area(int rows, int cols) {
    return (size_t)rows * (size_t)cols;
}

static sti_status list_constraints(build* b, double gap_tol) {
    sti_velocities* k = b->k;
    const int total = b->instant->contact_count;
    int* contact = sti_arena_ints(b->pool, (size_t)total);
    int* slip = sti_arena_ints(b->pool, (size_t)total + 1);
    int* unilateral = sti_arena_ints(b->pool, (size_t)total);
    if (b->pool->status != STI_OK) return b->pool->status;
    for (int i = 0; i < total; i++) {
        const sti_instant_contact* c = &b->instant->contacts[i];
        if (!c->bilateral && (c->pressed || !(c->gap <= gap_tol))) continue;
        if (!c->bilateral) unilateral[k->unilateral_count++] = k->count;
        contact[k->count++] = i;
        k->slip_count += c->tangent_count;
        slip[k->count] = k->slip_count;
    }
    k->contact = contact;
    k->slip = slip;
    k->unilateral = unilateral;
    return STI_OK;
}

static sti_status fill_normals(build* b) {
    sti_velocities* k = b->k;
    const int n = k->n, c = k->count, w = n > c ? n : c;
    double* norm = sti_arena_doubles(b->pool, (size_t)c);
    double* angle = sti_arena_doubles(b->pool, area(c, c));
    b->L = sti_arena_doubles(b->pool, area(c, n));
    b->H = sti_arena_doubles(b->pool, area(k->slip_count, n));
    b->n_q = sti_arena_doubles(b->pool, area(c, n));
    b->G = sti_arena_doubles(b->pool, area(c, c));
    b->D_n = sti_arena_doubles(b->pool, area(c, c));
    b->work = sti_arena_doubles(b->pool, 2 * area(w, w) + (size_t)w);
    if (b->pool->status != STI_OK) return b->pool->status;
    for (int i = 0; i < c; i++) {
        const sti_instant_contact* contact = &b->instant->contacts[k->contact[i]];
        double* row = b->L + area(i, n);
        norm[i] = sqrt(sti_small_form(n, b->space->Minv, contact->n, contact->n));
        for (int j = 0; j < n; j++) row[j] = contact->n[j] / norm[i];
        sti_small_apply(n, n, b->space->Minv, row, b->n_q + area(i, n));
        if (contact->tangent_count > 0)
            memcpy(b->H + area(k->slip[i], n), contact->t, area(contact->tangent_count, n) * sizeof *b->H);
    }
    sti_small_multiply_nt(c, n, c, b->n_q, b->L, b->G);
    for (int i = 0; i < c; i++) {
        for (int j = 0; j < i; j++)
            b->G[area(i, c) + (size_t)j] = b->G[area(j, c) + (size_t)i] =
                0.5 * (b->G[area(i, c) + (size_t)j] + b->G[area(j, c) + (size_t)i]);
        b->G[area(i, c) + (size_t)i] = 1;
    }
    for (size_t i = 0; i < area(c, c); i++) angle[i] = acos(-1.0) - acos(fmax(-1.0, fmin(1.0, b->G[i])));
    k->rank = sti_dense_pseudo_inverse(c, b->G, STI_SPACE_RANK_TOL, b->D_n, b->work);
    k->tangent_count = n - k->rank;
    k->norm = norm;
    k->angle = angle;
    k->n_q = b->n_q;
    k->G = b->G;
    k->D_n = b->D_n;
    return STI_OK;
}

// ---- t_q

// Takes out of x its kinetic parts along n_q and the first `count` of t_q, whose momenta M t_q are the rows of Mt.
static void take_out(const build* b, int count, const double* Mt, double* x) {
    const int n = b->k->n, c = b->k->count;
    double *y = b->work, *z = y + c;  // n_q'M x = L x, and D_n of it
    for (int pass = 0; pass < 2; pass++) {
        sti_small_apply(c, n, b->L, x, y);
        sti_small_apply(c, c, b->D_n, y, z);
        for (int i = 0; i < c; i++) {
            for (int j = 0; j < n; j++) x[j] -= z[i] * b->n_q[area(i, n) + (size_t)j];
        }
        for (int l = 0; l < count; l++) {
            const double part = sti_vector_dot(n, Mt + area(l, n), x);
            for (int j = 0; j < n; j++) x[j] -= part * b->t_q[area(l, n) + (size_t)j];
        }
    }
}

// The largest entry becomes positive, and what is left of parts that were taken out becomes 0.
static void tidy_up(int n, double* t) {
    int big = 0;
    for (int j = 1; j < n; j++) {
        if (fabs(t[j]) > fabs(t[big]) * (1 + 1e-9)) big = j;
    }
    const double sign = t[big] < 0 ? -1 : 1;
    for (int j = 0; j < n; j++) {
        t[j] *= sign;
        if (fabs(t[j]) < 1e-15 * fabs(t[big])) t[j] = 0;
    }
}

// Gram-Schmidt with pivoting: X (n x n) starts as the unit vectors at kinetic length 1, and loses what is chosen. The
// squares of the lengths that remain are kept up to date, and made exact for the one that is chosen.
static void choose_tangents(build* b, double* X, double* square, double* Mt) {
    const int n = b->k->n;
    const double* M = b->instant->M;
    for (int e = 0; e < n; e++) {
        double* x = X + area(e, n);
        memset(x, 0, (size_t)n * sizeof *x);
        x[e] = 1 / sqrt(M[area(e, n) + (size_t)e]);
        take_out(b, 0, Mt, x);
        square[e] = sti_small_form(n, M, x, x);
    }
    for (int l = 0; l < b->k->tangent_count; l++) {
        int best = 0;
        for (int e = 1; e < n; e++) {
            if (square[e] > square[best] + 1e-9) best = e;
        }
        double *t = b->t_q + area(l, n), *momentum = Mt + area(l, n);
        memcpy(t, X + area(best, n), (size_t)n * sizeof *t);
        take_out(b, l, Mt, t);
        const double length = sqrt(sti_small_form(n, M, t, t));
        for (int j = 0; j < n; j++) t[j] /= length;
        tidy_up(n, t);
        sti_small_apply(n, n, M, t, momentum);
        for (int e = 0; e < n; e++) {
            double* x = X + area(e, n);
            const double part = sti_vector_dot(n, momentum, x);
            for (int j = 0; j < n; j++) x[j] -= part * t[j];
            square[e] -= part * part;
        }
    }
}

// Tangent vectors of the caller: kinetically orthogonal to n_q, and independent. They need not be orthonormal.
static sti_status check_tangents(const build* b, const double* given) {
    const int n = b->k->n, c = b->k->count, d = b->k->tangent_count;
    for (int l = 0; l < d; l++) {
        const double* t = given + area(l, n);
        const double length = sqrt(sti_small_form(n, b->instant->M, t, t));
        for (int i = 0; i < c; i++) {
            if (!(fabs(sti_vector_dot(n, b->L + area(i, n), t)) <= 1e-9 * length))
                return STI_FAIL(b->env, STI_ERR_INPUT, l, "t_q: vector %d is not orthogonal to the gradient of %s", l,
                                b->instant->contacts[b->k->contact[i]].name);
        }
    }
    return STI_OK;
}

static sti_status fill_tangents(build* b, const double* given) {
    sti_velocities* k = b->k;
    const int n = k->n, c = k->count, d = k->tangent_count;
    b->t_q = sti_arena_doubles(b->pool, area(d, n));
    b->Xi = sti_arena_doubles(b->pool, area(c + d, n));
    b->D_t = sti_arena_doubles(b->pool, area(d, d));
    double* projector = sti_arena_doubles(b->pool, area(n, n));
    double* Mt = sti_arena_doubles(b->pool, area(d, n));
    double* X = sti_arena_doubles(b->pool, area(n, n) + (size_t)n);
    double* Dt_Mt = sti_arena_doubles(b->pool, area(d, n));
    if (b->pool->status != STI_OK) return b->pool->status;
    if (given != NULL) {
        const sti_status status = check_tangents(b, given);
        if (status != STI_OK) return status;
        memcpy(b->t_q, given, area(d, n) * sizeof *b->t_q);
    } else {
        choose_tangents(b, X, X + area(n, n), Mt);
    }
    sti_small_multiply(d, n, n, b->t_q, b->instant->M, Mt);
    sti_small_multiply_nt(d, n, d, Mt, b->t_q, b->D_t);
    if (given != NULL) {
        if (sti_dense_pseudo_inverse(d, b->D_t, STI_SPACE_RANK_TOL, b->D_t, b->work) < d)
            return STI_FAIL(b->env, STI_ERR_INPUT, -1, "t_q: the vectors are dependent");
    } else {
        for (int i = 0; i < d * d; i++) b->D_t[i] = i % (d + 1) == 0;
    }
    sti_small_multiply(d, d, n, b->D_t, Mt, Dt_Mt);
    sti_small_multiply_tn(n, d, n, b->t_q, Dt_Mt, projector);
    double* Xi_M = sti_arena_doubles(b->pool, area(c + d, n));
    if (Xi_M == NULL) return b->pool->status;
    memcpy(Xi_M, b->L, area(c, n) * sizeof *Xi_M);
    memcpy(Xi_M + area(c, n), Mt, area(d, n) * sizeof *Xi_M);
    memcpy(b->Xi, b->n_q, area(c, n) * sizeof *b->Xi);
    memcpy(b->Xi + area(c, n), b->t_q, area(d, n) * sizeof *b->Xi);
    k->t_q = b->t_q;
    k->Xi = b->Xi;
    k->Xi_M = Xi_M;
    k->D_t = b->D_t;
    k->tangent_projector = projector;
    return STI_OK;
}

// ---- velocities, energies, couplings

static sti_status fill_unilateral(build* b) {
    const int p = b->k->unilateral_count;
    double* G_u = sti_arena_doubles(b->pool, area(p, p));
    if (G_u == NULL) return b->pool->status;
    sti_space_block(b->space, 0, p, 0, p, G_u);
    b->k->G_u = G_u;
    return STI_OK;
}

static sti_status fill_velocity(build* b) {
    sti_velocities* k = b->k;
    const int n = k->n, c = k->count, d = k->tangent_count;
    const double* M = b->instant->M;
    double* qdot = sti_arena_copy(b->pool, b->instant->v, (size_t)n);
    double* v = sti_arena_doubles(b->pool, (size_t)(c + d));
    double* back = sti_arena_doubles(b->pool, (size_t)n);
    double* compatible = sti_arena_doubles(b->pool, (size_t)n);
    double* F_norm = sti_arena_doubles(b->pool, (size_t)c);
    double* F_tan = sti_arena_doubles(b->pool, (size_t)d);
    if (b->pool->status != STI_OK) return b->pool->status;
    k->qdot = qdot;
    sti_velocities_to_quasi(k, qdot, v);
    sti_small_apply(c, n, b->n_q, b->instant->F, F_norm);
    sti_small_apply(d, n, b->t_q, b->instant->F, F_tan);
    k->qdot_norm = v;
    k->qdot_tan = v + c;
    k->F_norm = F_norm;
    k->F_tan = F_tan;
    sti_velocities_from_quasi(k, v, back);
    k->back = back;
    k->T = 0.5 * sti_small_form(n, M, qdot, qdot);
    k->T_norm = 0.5 * sti_small_form(c, b->D_n, v, v);
    k->T_tan = 0.5 * sti_small_form(d, b->D_t, v + c, v + c);
    k->T_quasi = k->T_norm + k->T_tan;
    sti_space_project(b->space, qdot, compatible, NULL);
    k->compatible = compatible;
    k->T_compatible = 0.5 * sti_small_form(n, M, compatible, compatible);
    return STI_OK;
}

// (16): the normal part from the unilateral constraints alone, in the metric of (17). Joints that move by themselves
// have a part of their own, which (16) does not know.
static sti_status fill_energy_16(build* b) {
    sti_velocities* k = b->k;
    const int c = k->count, d = k->tangent_count, p = k->unilateral_count;
    double* inverse = sti_arena_doubles(b->pool, area(p, p));
    double* u = sti_arena_doubles(b->pool, (size_t)p);
    double* v = sti_arena_doubles(b->pool, (size_t)(c + d));
    double* work = sti_arena_doubles(b->pool, 2 * area(p, p) + (size_t)p);
    if (b->pool->status != STI_OK) return b->pool->status;
    if (sti_vector_largest(b->space->m, b->space->joint_offset) > 0) {
        k->T_compatible_16 = NAN;
        return STI_OK;
    }
    sti_dense_pseudo_inverse(p, k->G_u, STI_SPACE_RANK_TOL, inverse, work);
    sti_velocities_to_quasi(k, k->compatible, v);
    for (int i = 0; i < p; i++) u[i] = v[k->unilateral[i]];
    k->T_compatible_16 = 0.5 * sti_small_form(p, inverse, u, u) + 0.5 * sti_small_form(d, b->D_t, v + c, v + c);
    return STI_OK;
}

static sti_status fill_slips(build* b) {
    sti_velocities* k = b->k;
    const int n = k->n, c = k->count, d = k->tangent_count, s = k->slip_count;
    double* n_H = sti_arena_doubles(b->pool, area(c, s));
    double* t_H = sti_arena_doubles(b->pool, area(d, s));
    double* v_t = sti_arena_doubles(b->pool, (size_t)s);
    double* v_t_quasi = sti_arena_doubles(b->pool, (size_t)s);
    double* t_offset = sti_arena_doubles(b->pool, (size_t)s);
    if (b->pool->status != STI_OK) return b->pool->status;
    sti_small_multiply_nt(c, n, s, b->n_q, b->H, n_H);
    sti_small_multiply_nt(d, n, s, b->t_q, b->H, t_H);
    sti_small_apply(s, n, b->H, k->qdot, v_t);
    sti_small_apply(s, n, b->H, k->back, v_t_quasi);
    for (int i = 0; i < c; i++) {
        const sti_instant_contact* contact = &b->instant->contacts[k->contact[i]];
        for (int j = 0; j < contact->tangent_count && contact->t_offset != NULL; j++)
            t_offset[k->slip[i] + j] = contact->t_offset[j];
    }
    for (int i = 0; i < s; i++) {
        v_t[i] += t_offset[i];
        v_t_quasi[i] += t_offset[i];
    }
    k->n_H = n_H;
    k->t_H = t_H;
    k->v_t = v_t;
    k->t_offset = t_offset;
    k->v_t_quasi = v_t_quasi;
    return STI_OK;
}

static sti_status create(sti_env* env, const sti_instant* instant, sti_velocities_options o, sti_velocities** out) {
    sti_space* space = NULL;
    sti_status status = sti_space_create(env, instant, (sti_space_choice){.gap_tol = o.gap_tol}, &space);
    if (status != STI_OK) return status;
    velocities* made = sti_alloc(env, sizeof *made);
    if (made == NULL) {
        sti_space_destroy(space);
        return STI_ERR_MEMORY;
    }
    *made = (velocities){.k = {.n = instant->n}, .pool = sti_arena_make(env)};
    build b = {.env = env, .instant = instant, .space = space, .k = &made->k, .pool = &made->pool};
    status = list_constraints(&b, o.gap_tol);
    if (status == STI_OK) status = fill_normals(&b);
    if (status == STI_OK) status = fill_tangents(&b, o.t_q);
    if (status == STI_OK) status = fill_unilateral(&b);
    if (status == STI_OK) status = fill_velocity(&b);
    if (status == STI_OK) status = fill_energy_16(&b);
    if (status == STI_OK) status = fill_slips(&b);
    sti_space_destroy(space);
    if (status == STI_OK)
        *out = &made->k;
    else
        sti_velocities_destroy(env, &made->k);
    return status;
}

// ---- singular M: all of the above in the coordinates of massless.h, and back

static sti_status carry_back(const sti_massless* m, velocities* made) {
    sti_velocities* k = &made->k;
    sti_arena* pool = &made->pool;
    const int n = m->from->n, r = k->n, rows = k->count + k->tangent_count;
    int* contact = sti_arena_ints(pool, (size_t)k->count + 1);
    double* Xi = sti_massless_up(m, pool, rows, k->Xi, false);
    double* Xi_M = sti_arena_doubles(pool, area(rows, n));
    double* projector = sti_arena_doubles(pool, area(n, n));
    double* DT = sti_arena_doubles(pool, area(k->tangent_count, n));
    double* back = sti_massless_up(m, pool, 1, k->back, true);
    double* compatible = sti_massless_up(m, pool, 1, k->compatible, true);
    double* qdot = sti_arena_copy(pool, m->from->v, (size_t)n);
    if (pool->status != STI_OK) return pool->status;
    for (int i = 0; i < k->count; i++) contact[i] = m->contact[k->contact[i]];
    sti_small_multiply(rows, n, n, Xi, m->from->M, Xi_M);
    sti_small_multiply(k->tangent_count, k->tangent_count, n, k->D_t, Xi_M + area(k->count, n), DT);
    sti_small_multiply_tn(n, k->tangent_count, n, Xi + area(k->count, n), DT, projector);
    k->n = n;
    k->contact = contact;
    k->n_q = k->Xi = Xi;
    k->t_q = Xi + area(k->count, n);
    k->Xi_M = Xi_M;
    k->tangent_projector = projector;
    k->back = back;
    k->compatible = compatible;
    k->qdot = qdot;
    k->singular = true;
    k->idle = m->idle;
    k->held = n - r - m->idle;
    return STI_OK;
}

static sti_status create_singular(sti_env* env, const sti_instant* instant, sti_velocities_options o,
                                  sti_velocities** out) {
    sti_massless m;
    if (o.t_q != NULL) return STI_FAIL(env, STI_ERR_INPUT, -1, "t_q: taken where M is positive definite alone");
    sti_status status = sti_massless_make(env, instant, o.gap_tol, &m);
    if (status != STI_OK) return status;
    status = create(env, &m.instant, o, out);
    if (status == STI_OK) status = carry_back(&m, (velocities*)*out);
    if (status != STI_OK) {
        sti_velocities_destroy(env, *out);
        *out = NULL;
    }
    sti_massless_clear(&m);
    return status;
}

sti_status sti_velocities_create(sti_env* env, const sti_instant* instant, const sti_velocities_options* options,
                                 sti_velocities** out) {
    const sti_velocities_options o = options != NULL ? *options : sti_velocities_options_default();
    *out = NULL;
    bool singular = false;
    const sti_status status = create(env, instant, o, out);
    if (status != STI_ERR_INPUT) return status;
    const sti_status asked = sti_space_mass(env, instant, &singular);
    return asked != STI_OK ? asked : singular ? create_singular(env, instant, o, out) : status;
}

void sti_velocities_destroy(sti_env* env, sti_velocities* k) {
    if (k == NULL) return;
    velocities* made = (velocities*)k;
    sti_arena_clear(&made->pool);
    sti_free(env, made);
}

void sti_velocities_to_quasi(const sti_velocities* k, const double* qdot, double* v) {
    sti_small_apply(k->count + k->tangent_count, k->n, k->Xi_M, qdot, v);
}

void sti_velocities_from_quasi(const sti_velocities* k, const double* v, double* qdot) {
    const int n = k->n, c = k->count, d = k->tangent_count;
    memset(qdot, 0, (size_t)n * sizeof *qdot);
    for (int i = 0; i < c + d; i++) {
        const double y =
            i < c ? sti_vector_dot(c, k->D_n + area(i, c), v) : sti_vector_dot(d, k->D_t + area(i - c, d), v + c);
        for (int j = 0; j < n; j++) qdot[j] += y * k->Xi[area(i, n) + (size_t)j];
    }
}

sti_status sti_velocities_power_of(sti_env* env, const sti_velocities* k, const double* lambda_n,
                                   const double* lambda_t, sti_velocities_power* out) {
    const int c = k->count, d = k->tangent_count, s = k->slip_count;
    double* work = sti_alloc_array(env, 3 * (size_t)c + (size_t)d, sizeof *work);
    if (work == NULL) return STI_ERR_MEMORY;
    double *bar = work, *force = bar + c, *coupled = force + c, *own = coupled + c;
    for (int i = 0; i < c; i++) bar[i] = k->norm[i] * lambda_n[i];
    sti_small_apply(c, c, k->G, bar, force);
    sti_small_apply(c, s, k->n_H, lambda_t, coupled);
    sti_small_apply(d, s, k->t_H, lambda_t, own);
    *out = (sti_velocities_power){
        .normal = sti_vector_dot(c, bar, k->qdot_norm),
        .normal_quasi = sti_small_form(c, k->D_n, force, k->qdot_norm),
        .tangential = sti_vector_dot(s, lambda_t, k->v_t) - sti_vector_dot(s, lambda_t, k->t_offset),
        .coupling = sti_small_form(c, k->D_n, k->qdot_norm, coupled),
        .own = sti_small_form(d, k->D_t, k->qdot_tan, own),
    };
    out->tangential_quasi = out->coupling + out->own;
    sti_free(env, work);
    return STI_OK;
}
