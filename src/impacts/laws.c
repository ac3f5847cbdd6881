// laws.c: the laws without Coulomb's friction (S1 sections 3.1 and 3.2.1).
//
// Newton and the general matrix: G pbar = -E qdot_norm- - qdot_norm0, an equality at every contact. With dependent
// gradients G is singular; then there may be no impulse, or a family of them with one velocity.
//
// Moreau (43), in the kinetic metric (S1-E14), is the LCP
//
//     0 <= pbar  _|_  G pbar + (I + diag e) qdot_norm- >= 0,
//
// whose slack is qdot_norm+ + e qdot_norm-. G is positive semidefinite and the problem is feasible (large enough
// separation), so Lemke's method ends with a solution; the velocity is unique, the impulses are when G is nonsingular.
// With unequal e_i this is the extension of Moreau's law to one coefficient per contact.
//
// The implicit operator (57)-(60) with P = D and Gamma = Gbar'D (S1-E16): y = v+ + Lambda v- is the point nearest to
// (I + Lambda) v- in the kinetic metric with y_norm in V_n and slips in V_t. With V_n = R_+ it is the LCP above over a
// space in which slips are held (V_t = {0}) or left alone (V_t everything).
//
// The law of all quasi-velocities, v+ = -E v- with (54): impulses exist when (E + I) v- lies in the range of Gbar,
// (56).
#include <math.h>
#include <stdio.h>
#include <stiction/problem.h>
#include <string.h>

#include "impacts/work.h"
#include "linalg/dense_algebra.h"

sti_status sti_impact_lcp(sti_env* env, int n, double* M, const double* q, double* z, bool* solved) {
    memset(z, 0, (size_t)n * sizeof *z);
    *solved = true;
    if (n == 0) return STI_OK;
    const sti_lcp lcp = {.n = n, .M = sti_matrix_dense_view(n, n, M), .q = q};
    sti_lcp_options o = sti_lcp_options_default();
    o.solver = STI_LCP_LEMKE;
    sti_lcp_answer answer = {0};
    sti_status status = sti_lcp_solve(env, &lcp, &o, &answer);
    if (status == STI_OK && answer.outcome != STI_SOLVED) {
        sti_lcp_answer_clear(env, &answer);
        o.solver = STI_LCP_AUTO;
        status = sti_lcp_solve(env, &lcp, &o, &answer);
    }
    if (status != STI_OK) return status;
    *solved = answer.outcome == STI_SOLVED;
    for (int i = 0; *solved && i < n; i++) {
        z[i] = answer.z[i];
        if (!isfinite(z[i])) status = STI_FAIL(env, STI_ERR_MEMORY, i, "z[%d] of an impact could not be rounded", i);
    }
    sti_lcp_answer_clear(env, &answer);
    return status;
}

// ---- equality laws

// qdot_norm+ = -E qdot_norm- at every contact.
static sti_status equality(sti_impact_work* w, sti_impact_answer* a, const double* E) {
    const int p = w->out->p, s = w->out->s;
    double* b = sti_arena_doubles(w->pool, (size_t)p);
    double* z = sti_arena_doubles(w->pool, (size_t)(p + s));
    double* Z = sti_arena_doubles(w->pool, (size_t)p * (size_t)p);
    double* work = sti_arena_doubles(w->pool, (size_t)p * ((size_t)p + 1));
    int* index = sti_arena_ints(w->pool, 2 * (size_t)p);
    if (w->pool->status != STI_OK) return w->pool->status;
    sti_small_apply(p, p, E, w->u, b);
    for (int i = 0; i < p; i++) b[i] = -b[i] - w->u0[i];
    const sti_dense_family f = sti_dense_solve(p, p, w->out->G, b, STI_IMPACT_RANK_TOL, z, Z, work, index);
    a->complete = true;
    if (!f.consistent) {
        snprintf(a->why, sizeof a->why, "the gradients are dependent and no impulses give the velocities asked for");
        return STI_OK;
    }
    sti_impact_solution* x = NULL;
    const sti_status status = sti_impact_add(w, a, z, &x);
    if (status != STI_OK) return status;
    x->dimension = p - f.rank;
    for (int i = 0; i < p; i++)
        x->law = fmax(x->law, fabs(x->qdot_norm[i] + sti_vector_dot(p, E + sti_at(p, i, 0), w->u)));
    x->law /= fmax(w->speed, 1e-300);
    return sti_impact_energy_restitution(w, E, x);
}

sti_status sti_impact_newton(sti_impact_work* w) {
    const int p = w->out->p;
    sti_impact_answer* a = &w->out->laws[STI_IMPACT_NEWTON];
    double* E = sti_arena_doubles(w->pool, (size_t)p * (size_t)p);
    if (E == NULL) return w->pool->status;
    for (int i = 0; i < p; i++) E[sti_at(p, i, i)] = w->e[i];
    a->applies = true;
    return equality(w, a, E);
}

sti_status sti_impact_general(sti_impact_work* w) {
    sti_impact_answer* a = &w->out->laws[STI_IMPACT_GENERAL];
    a->applies = true;
    return equality(w, a, w->out->E);
}

// ---- Moreau

// Directions in which the impulses of the rows in `taking_part` (p+s) can vary without changing the velocity.
static sti_status free_directions(sti_impact_work* w, const bool* taking_part, int* dimension) {
    const int a = w->out->p + w->out->s;
    const size_t size = (size_t)a * (size_t)a;
    double* sub = sti_arena_doubles(w->pool, 4 * size + (size_t)a);
    int* in = sti_arena_ints(w->pool, (size_t)a);
    if (w->pool->status != STI_OK) return w->pool->status;
    int count = 0;
    for (int i = 0; i < a; i++) {
        if (taking_part[i]) in[count++] = i;
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            double x = w->space->W[sti_at(a, in[i], in[j])];
            if (in[i] >= w->out->p) x /= w->tan[in[i] - w->out->p];
            if (in[j] >= w->out->p) x /= w->tan[in[j] - w->out->p];
            sub[sti_at(count, i, j)] = x;
        }
    }
    *dimension = count - sti_dense_pseudo_inverse(count, sub, STI_SPACE_RANK_TOL, sub + size, sub + 2 * size);
    return STI_OK;
}

sti_status sti_impact_moreau(sti_impact_work* w) {
    const int p = w->out->p, s = w->out->s;
    sti_impact_answer* a = &w->out->laws[STI_IMPACT_MOREAU];
    double* q = sti_arena_doubles(w->pool, (size_t)p);
    double* z = sti_arena_doubles(w->pool, (size_t)(p + s));
    double* G = sti_arena_copy(w->pool, w->out->G, (size_t)p * (size_t)p);
    bool* stays = sti_arena_take(w->pool, (size_t)(p + s), sizeof *stays);
    if (w->pool->status != STI_OK) return w->pool->status;
    for (int i = 0; i < p; i++) q[i] = w->u0[i] + w->e[i] * w->u[i];
    a->applies = true;
    bool solved;
    sti_status status = sti_impact_lcp(w->env, p, G, q, z, &solved);
    if (status != STI_OK) return status;
    if (!solved) {
        snprintf(a->why, sizeof a->why, "Lemke's method did not finish");
        return STI_OK;
    }
    a->complete = true;
    sti_impact_solution* x = NULL;
    status = sti_impact_add(w, a, z, &x);
    if (status != STI_OK) return status;
    for (int i = 0; i < p; i++) {
        const double slack = x->qdot_norm[i] + w->e[i] * w->u[i];
        x->law = fmax(x->law, fabs(fmin(z[i], slack)));
        stays[i] = fabs(slack) <= w->options.tol * w->speed;
    }
    x->law /= fmax(w->speed, 1e-300);
    sti_impact_energy_normal(w, x);
    return free_directions(w, stays, &x->dimension);
}

// ---- the implicit operator

// Lambda v- in quasi-velocities, brought back to velocities.
static sti_status reflect(sti_impact_work* w, double* out) {
    const sti_velocities* k = w->velocities;
    const int c = k->count, d = k->tangent_count, size = c + d;
    double* v = sti_arena_doubles(w->pool, (size_t)size);
    double* image = sti_arena_doubles(w->pool, (size_t)size);
    if (w->pool->status != STI_OK) return w->pool->status;
    memcpy(v, k->qdot_norm, (size_t)c * sizeof *v);
    memcpy(v + c, k->qdot_tan, (size_t)d * sizeof *v);
    if (w->options.Lambda != NULL) {
        sti_small_apply(size, size, w->options.Lambda, v, image);
    } else {
        for (int i = 0; i < w->out->p; i++) image[k->unilateral[i]] = w->e[i] * v[k->unilateral[i]];
        for (int l = 0; w->out->p > 0 && l < d; l++) image[c + l] = w->out->e_t[0] * v[c + l];
    }
    sti_velocities_from_quasi(k, image, out);
    return STI_OK;
}

// The point nearest to y in the space, with quasi-normal velocities >= 0: y and the impulses that lead there.
static sti_status nearest(sti_impact_work* w, const sti_space* space, double* y, double* pbar, double* held,
                          bool* solved) {
    const int n = space->n, p = space->p, a = p + space->s;
    double* start = sti_arena_copy(w->pool, y, (size_t)n);
    double* u = sti_arena_doubles(w->pool, (size_t)a);
    double* G = sti_arena_doubles(w->pool, (size_t)p * (size_t)p);
    double* f = sti_arena_doubles(w->pool, (size_t)n);
    if (w->pool->status != STI_OK) return w->pool->status;
    sti_space_project(space, start, y, NULL);
    sti_space_local(space, y, u);
    sti_space_block(space, 0, p, 0, p, G);
    for (int i = 0; i < p; i++) {
        if (fabs(u[i]) <= 1e-13 * w->speed) u[i] = 0;  // held by the joints, up to rounding
    }
    const sti_status status = sti_impact_lcp(w->env, p, G, u, pbar, solved);
    if (status != STI_OK || !*solved) return status;
    sti_small_apply_transposed(p, n, space->A, pbar, f);
    sti_small_apply(n, n, space->Minv, f, y);
    for (int j = 0; j < n; j++) y[j] += start[j];
    sti_space_project(space, y, y, held);
    return STI_OK;
}

static sti_status implicit_in(sti_impact_work* w, sti_impact_answer* a, const sti_space* space) {
    const int n = w->out->n, p = w->out->p, s = w->out->s;
    double* image = sti_arena_doubles(w->pool, (size_t)n);
    double* y = sti_arena_doubles(w->pool, (size_t)n);
    double* z = sti_arena_doubles(w->pool, (size_t)(p + s));
    double* held = sti_arena_doubles(w->pool, (size_t)space->m);
    double* p_joint = sti_arena_doubles(w->pool, (size_t)w->out->m);
    if (w->pool->status != STI_OK) return w->pool->status;
    sti_status status = reflect(w, image);
    if (status != STI_OK) return status;
    for (int j = 0; j < n; j++) y[j] = w->instant->v[j] + image[j];
    bool solved;
    status = nearest(w, space, y, z, held, &solved);
    if (status != STI_OK) return status;
    if (!solved) {
        snprintf(a->why, sizeof a->why, "Lemke's method did not finish");
        return STI_OK;
    }
    int m = 0, k = 0;
    for (int i = 0; i < space->m; i++) {
        if (space->joint[i] >= 0)
            p_joint[m++] = held[i];
        else
            z[p + k++] = held[i];
    }
    double* u = sti_arena_doubles(w->pool, (size_t)(p + s));
    bool* stays = sti_arena_take(w->pool, (size_t)(p + s), sizeof *stays);
    if (w->pool->status != STI_OK) return w->pool->status;
    sti_space_local(w->space, y, u);
    double residual = 0;
    for (int i = 0; i < p; i++) {
        residual = fmax(residual, fabs(fmin(z[i], u[i])));
        stays[i] = fabs(u[i]) <= w->options.tol * w->speed;
    }
    for (int i = 0; space != w->space && i < s; i++) {
        residual = fmax(residual, fabs(u[p + i]) / w->tan[i]);
        stays[p + i] = true;
    }
    for (int j = 0; j < n; j++) y[j] -= image[j];
    a->complete = true;
    sti_impact_solution* x = NULL;
    status = sti_impact_add_known(w, a, y, z, p_joint, &x);
    if (status != STI_OK) return status;
    x->law = residual / fmax(w->speed, 1e-300);
    return free_directions(w, stays, &x->dimension);
}

sti_status sti_impact_implicit(sti_impact_work* w, bool rough) {
    sti_impact_answer* a = &w->out->laws[rough ? STI_IMPACT_IMPLICIT_ROUGH : STI_IMPACT_IMPLICIT_SMOOTH];
    if (!w->plain || (rough && w->out->s == 0)) {
        snprintf(a->why, sizeof a->why, "%s",
                 w->plain ? "no contact has a slip" : "surfaces move, or the velocity does not fit the joints");
        return STI_OK;
    }
    a->applies = true;
    if (!rough) return implicit_in(w, a, w->space);
    sti_space* held = NULL;
    sti_status status =
        sti_space_create(w->env, w->instant, (sti_space_choice){.gap_tol = w->options.gap_tol, .rough = true}, &held);
    if (status == STI_OK) status = implicit_in(w, a, held);
    sti_space_destroy(held);
    return status;
}

// ---- all quasi-velocities

// Gbar of (55) over all constraints and the slips of the unilateral ones.
static void fill_gbar(const sti_impact_work* w, double* gbar) {
    const sti_velocities* k = w->velocities;
    const int c = k->count, d = k->tangent_count, s = w->out->s, cols = c + s;
    for (int i = 0; i < c; i++) {
        for (int j = 0; j < c; j++) gbar[sti_at(cols, i, j)] = k->G[sti_at(c, i, j)];
    }
    for (int u = 0, col = 0; u < w->out->p; u++) {
        for (int l = k->slip[k->unilateral[u]]; l < k->slip[k->unilateral[u] + 1]; l++, col++) {
            for (int i = 0; i < c; i++) gbar[sti_at(cols, i, c + col)] = k->n_H[sti_at(k->slip_count, i, l)];
            for (int i = 0; i < d; i++) gbar[sti_at(cols, c + i, c + col)] = k->t_H[sti_at(k->slip_count, i, l)];
        }
    }
}

typedef struct quasi {
    int c, d, s, rows, cols;  // rows c + d, cols c + s
    double *v, *v_plus, *jump, *gbar, *x, *Z, *work, *D;
    int* index;
} quasi;

static sti_status quasi_reserve(sti_impact_work* w, quasi* k) {
    const size_t rows = (size_t)k->rows, cols = (size_t)k->cols;
    k->v = sti_arena_doubles(w->pool, rows);
    k->v_plus = sti_arena_doubles(w->pool, rows);
    k->jump = sti_arena_doubles(w->pool, rows);
    k->gbar = sti_arena_doubles(w->pool, rows * cols);
    k->x = sti_arena_doubles(w->pool, cols);
    k->Z = sti_arena_doubles(w->pool, cols * cols);
    k->work = sti_arena_doubles(w->pool, rows * (cols + 1) + 6 * rows * rows + 2 * rows);
    k->D = sti_arena_doubles(w->pool, rows * rows);
    k->index = sti_arena_ints(w->pool, rows + cols);
    return w->pool->status;
}

// (63), (64), which need no impulses.
static void quasi_energies(const sti_impact_work* w, const quasi* k) {
    const int r = k->rows;
    double *minus = k->work, *plus = minus + r;  // (I - E) v-, (E + I) v-
    for (int i = 0; i < r; i++) {
        minus[i] = k->v[i] + k->v_plus[i];
        plus[i] = k->v[i] - k->v_plus[i];
    }
    w->out->quasi_energy[0] = -0.5 * sti_small_form(r, k->D, plus, minus);
    w->out->quasi_energy[1] =
        0.5 * sti_small_form(r, k->D, k->v_plus, k->v_plus) - 0.5 * sti_small_form(r, k->D, k->v, k->v);
}

// (62) with the factor D that is missing in print, and the other two.
static void quasi_formulas(const sti_impact_work* w, const quasi* k, sti_impact_solution* x) {
    const int r = k->rows;
    double *minus = k->work, *Gp = minus + r;
    for (int i = 0; i < r; i++) minus[i] = k->v[i] + k->v_plus[i];
    sti_small_apply(r, k->cols, k->gbar, k->x, Gp);
    if (!w->plain) return;
    x->energy.f62 = 0.5 * sti_small_form(r, k->D, Gp, minus);
    x->energy.f63 = w->out->quasi_energy[0];
    x->energy.f64 = w->out->quasi_energy[1];
}

// Prop 9: |E| < 1 / sqrt(|D^-1| |D|) in both norms, and the least eigenvalue of D - E'D E.
static void proposition_9(const sti_impact_work* w, const quasi* k) {
    const int r = k->rows;
    const size_t size = (size_t)r * (size_t)r;
    const double* E = w->options.E_quasi;
    double *inverse = k->work, *DE = inverse + size, *EDE = DE + size, *rest = EDE + size;
    sti_dense_pseudo_inverse(r, k->D, STI_SPACE_RANK_TOL, inverse, rest);
    w->out->quasi_norm[0] = sti_vector_norm(r * r, E);
    w->out->quasi_norm[1] = sti_dense_norm(r, r, E, rest);
    w->out->quasi_bound[0] = 1 / sqrt(sti_vector_norm(r * r, inverse) * sti_vector_norm(r * r, k->D));
    w->out->quasi_bound[1] = 1 / sqrt(sti_dense_norm(r, r, inverse, rest) * sti_dense_norm(r, r, k->D, rest));
    sti_small_multiply(r, r, r, k->D, E, DE);
    sti_small_multiply_tn(r, r, r, E, DE, EDE);
    for (size_t i = 0; i < size; i++) EDE[i] = k->D[i] - EDE[i];
    double* eigenvalues = rest;
    sti_dense_eigen(r, EDE, eigenvalues, NULL);
    w->out->quasi_lambda_min = r > 0 ? eigenvalues[0] : 0;
}

sti_status sti_impact_quasi(sti_impact_work* w) {
    sti_impact_answer* a = &w->out->laws[STI_IMPACT_QUASI];
    const sti_velocities* q = w->velocities;
    if (w->options.E_quasi == NULL || !w->out->independent) {
        snprintf(
            a->why, sizeof a->why, "%s",
            w->options.E_quasi == NULL ? "no matrix for all quasi-velocities is given" : "the gradients are dependent");
        return STI_OK;
    }
    a->applies = a->complete = true;
    quasi k = {.c = q->count, .d = q->tangent_count, .s = w->out->s};
    k.rows = k.c + k.d;
    k.cols = k.c + k.s;
    sti_status status = quasi_reserve(w, &k);
    if (status != STI_OK) return status;
    sti_velocities_to_quasi(q, w->instant->v, k.v);
    sti_small_apply(k.rows, k.rows, w->options.E_quasi, k.v, k.v_plus);
    for (int i = 0; i < k.rows; i++) {
        k.v_plus[i] = -k.v_plus[i];
        k.jump[i] = k.v_plus[i] - k.v[i];
    }
    for (int i = 0; i < k.rows; i++) {
        for (int j = 0; j < k.rows; j++)
            k.D[sti_at(k.rows, i, j)] = i < k.c && j < k.c     ? q->D_n[sti_at(k.c, i, j)]
                                        : i >= k.c && j >= k.c ? q->D_t[sti_at(k.d, i - k.c, j - k.c)]
                                                               : 0;
    }
    fill_gbar(w, k.gbar);
    const sti_dense_family f =
        sti_dense_solve(k.rows, k.cols, k.gbar, k.jump, STI_IMPACT_RANK_TOL, k.x, k.Z, k.work, k.index);
    double* left = k.work;
    sti_small_apply(k.rows, k.cols, k.gbar, k.x, left);
    for (int i = 0; i < k.rows; i++) left[i] -= k.jump[i];
    w->out->quasi_range = sti_vector_largest(k.rows, left) / fmax(sti_vector_largest(k.rows, k.jump), 1e-300);
    proposition_9(w, &k);
    quasi_energies(w, &k);
    w->out->quasi_before = k.v;
    w->out->quasi_after = k.v_plus;
    if (!f.consistent) {
        snprintf(a->why, sizeof a->why, "(56) fails: no impulses give the velocities asked for");
        return STI_OK;
    }
    double* v = sti_arena_doubles(w->pool, (size_t)w->out->n);
    double* z = sti_arena_doubles(w->pool, (size_t)(w->out->p + w->out->s));
    double* p_joint = sti_arena_doubles(w->pool, (size_t)w->out->m);
    if (w->pool->status != STI_OK) return w->pool->status;
    sti_velocities_from_quasi(q, k.v_plus, v);
    for (int i = 0; i < w->out->p; i++) z[i] = k.x[q->unilateral[i]];
    memcpy(z + w->out->p, k.x + k.c, (size_t)k.s * sizeof *z);
    for (int i = 0, m = 0; i < k.c; i++) {
        if (w->instant->contacts[q->contact[i]].bilateral) p_joint[m++] = k.x[i] / q->norm[i];
    }
    sti_impact_solution* x = NULL;
    status = sti_impact_add_known(w, a, v, z, p_joint, &x);
    if (status != STI_OK) return status;
    x->dimension = k.cols - f.rank;
    quasi_formulas(w, &k, x);
    return STI_OK;
}
