// solution.c: from the impulses of a law to everything that is told about its outcome, and the energy formulas
// of S1 section 3, with the corrections S1-E7, E8, E15 and E21.
#include <math.h>
#include <string.h>

#include "impacts/work.h"
#include "linalg/dense_algebra.h"

// Room for one more solution; earlier ones keep their arrays, the table itself may move.
static sti_status more(sti_impact_work* w, sti_impact_answer* a, sti_impact_solution** out) {
    const int count = a->count;
    sti_impact_solution* table = (sti_impact_solution*)a->solutions;
    if ((count & (count - 1)) == 0) {  // 0, 1, 2, 4, ...: full
        sti_impact_solution* bigger = sti_arena_take(w->pool, count > 0 ? 2 * (size_t)count : 1, sizeof *bigger);
        if (bigger == NULL) return w->pool->status;
        if (count > 0) memcpy(bigger, table, (size_t)count * sizeof *bigger);
        table = bigger;
    }
    a->solutions = table;
    a->count++;
    *out = &table[count];
    return STI_OK;
}

static double momentum_residual(const sti_impact_work* w, const sti_impact_solution* x) {
    const sti_instant* in = w->instant;
    double worst = 0, scale = 0;
    for (int j = 0; j < in->n; j++) {
        double sum = 0, before = 0;
        for (int l = 0; l < in->n; l++) {
            sum += in->M[sti_at(in->n, j, l)] * (x->v[l] - in->v[l]);
            before += in->M[sti_at(in->n, j, l)] * in->v[l];
        }
        double largest = fmax(fabs(sum), fabs(before));
        for (int i = 0; i < w->out->p; i++) {
            const sti_instant_contact* c = &in->contacts[w->out->contact[i]];
            const double term = c->n[j] * x->p_n[i];
            sum -= term;
            largest = fmax(largest, fabs(term));
            for (int k = w->out->slip[i]; k < w->out->slip[i + 1]; k++)
                sum -= c->t[sti_at(in->n, k - w->out->slip[i], j)] * x->p_t[k];
        }
        for (int i = 0; i < w->out->m; i++) sum -= in->contacts[w->out->joint[i]].n[j] * x->p_joint[i];
        worst = fmax(worst, fabs(sum));
        scale = fmax(scale, largest);
    }
    return scale > 0 ? worst / scale : worst;
}

static void set_flags(const sti_impact_work* w, sti_impact_solution* x) {
    const double tol = w->options.tol * w->speed;
    x->kinematic = x->kinetic = true;
    for (int i = 0; i < w->out->p; i++) {
        if (x->qdot_norm[i] < -tol) x->kinematic = false;
        if (x->pbar_n[i] < -tol) x->kinetic = false;
    }
    x->energetic = x->energy.direct <= w->options.tol * w->speed * w->speed;
}

sti_status sti_impact_add_known(sti_impact_work* w, sti_impact_answer* a, const double* v, const double* z,
                                const double* p_joint, sti_impact_solution** out) {
    const int n = w->out->n, p = w->out->p, s = w->out->s;
    sti_impact_solution* x = NULL;
    const sti_status status = more(w, a, &x);
    if (status != STI_OK) return status;
    double* u = sti_arena_doubles(w->pool, (size_t)(p + s));
    double* bar = sti_arena_copy(w->pool, z, (size_t)(p + s));
    double* p_n = sti_arena_doubles(w->pool, (size_t)p);
    double* copy = sti_arena_copy(w->pool, v, (size_t)n);
    double* joints = sti_arena_copy(w->pool, p_joint, (size_t)w->out->m);
    if (w->pool->status != STI_OK) return w->pool->status;
    sti_space_local(w->space, v, u);
    for (int i = 0; i < p; i++) p_n[i] = bar[i] / w->space->norm[i];
    const double nan = NAN;
    *x = (sti_impact_solution){.v = copy,
                               .qdot_norm = u,
                               .v_t = u + p,
                               .p_n = p_n,
                               .pbar_n = bar,
                               .p_t = bar + p,
                               .p_joint = joints,
                               .energy = {nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan},
                               .unique = {STI_UNDECIDED, STI_UNDECIDED}};
    const double *M = w->instant->M, *before = w->instant->v;
    x->energy.direct = 0.5 * sti_small_form(n, M, v, v) - 0.5 * sti_small_form(n, M, before, before);
    if (w->plain) x->energy.f47 = 0.5 * (sti_vector_dot(p + s, u, z) + sti_vector_dot(p + s, w->u, z));
    x->momentum = momentum_residual(w, x);
    set_flags(w, x);
    if (x->kinematic && x->kinetic && x->energetic) a->admissible++;
    *out = x;
    return STI_OK;
}

sti_status sti_impact_add(sti_impact_work* w, sti_impact_answer* a, const double* z, sti_impact_solution** out) {
    const int n = w->out->n, count = w->out->p + w->out->s, m = w->out->m;
    double* v = sti_arena_doubles(w->pool, (size_t)n);
    double* f = sti_arena_doubles(w->pool, (size_t)n);
    double* p_joint = sti_arena_doubles(w->pool, (size_t)m);
    if (w->pool->status != STI_OK) return w->pool->status;
    // v- + M^-1 A'z, then the joints
    sti_small_apply_transposed(count, n, w->space->A, z, f);
    sti_small_apply(n, n, w->space->Minv, f, v);
    for (int j = 0; j < n; j++) v[j] += w->instant->v[j];
    sti_space_project(w->space, v, v, p_joint);
    return sti_impact_add_known(w, a, v, z, p_joint, out);
}

// ---- energy

void sti_impact_energy_normal(sti_impact_work* w, sti_impact_solution* x) {
    if (!w->plain) return;
    const int p = w->out->p;
    x->energy.f40 =
        0.5 * sti_small_form(p, w->G_inv, x->qdot_norm, x->qdot_norm) - 0.5 * sti_small_form(p, w->G_inv, w->u, w->u);
}

// (50): pbar' (I + E)^-1 (2 xi - (I - E) G pbar) / 2, xi = qdot_norm+ + E qdot_norm-. NAN when I + E is singular.
static double formula_50(const sti_impact_work* w, const double* E, const sti_impact_solution* x, double* work,
                         int* index) {
    const int p = w->out->p;
    const size_t size = (size_t)p * (size_t)p;
    double *A = work, *Z = A + size, *rest = Z + size, *b = rest + (size_t)p * ((size_t)p + 1);
    double *y = b + p, *Gp = y + p;
    sti_small_apply(p, p, w->out->G, x->pbar_n, Gp);
    for (int i = 0; i < p; i++) {
        b[i] = 2 * x->qdot_norm[i] - Gp[i];
        for (int j = 0; j < p; j++) {
            const double e = E[sti_at(p, i, j)];
            A[sti_at(p, i, j)] = (i == j) + e;
            b[i] += 2 * e * w->u[j] + e * Gp[j];
        }
    }
    if (sti_dense_solve(p, p, A, b, STI_IMPACT_RANK_TOL, y, Z, rest, index).rank < p) return NAN;
    return 0.5 * sti_vector_dot(p, x->pbar_n, y);
}

sti_status sti_impact_energy_restitution(sti_impact_work* w, const double* E, sti_impact_solution* x) {
    sti_impact_energy_normal(w, x);
    if (!w->plain) return STI_OK;
    const int p = w->out->p;
    const size_t size = (size_t)p * (size_t)p;
    double* work = sti_arena_doubles(w->pool, 4 * size + 8 * (size_t)p);
    int* index = sti_arena_ints(w->pool, 2 * (size_t)p);
    if (w->pool->status != STI_OK) return w->pool->status;
    const double* q = w->u;
    double *Eq = work, *minus = Eq + p, *plus = minus + p, *EEq = plus + p, *Dq = EEq + p;
    sti_small_apply(p, p, E, q, Eq);
    sti_small_apply(p, p, E, Eq, EEq);
    sti_small_apply(p, p, w->G_inv, q, Dq);
    for (int i = 0; i < p; i++) {
        minus[i] = Eq[i] - q[i];
        plus[i] = Eq[i] + q[i];
    }
    x->energy.f48 = 0.5 * sti_small_form(p, w->G_inv, minus, plus);
    x->energy.f49 = 0.5 * sti_small_form(p, w->G_inv, Eq, Eq) - 0.5 * sti_small_form(p, w->G_inv, q, q);
    // (51) needs G^-1 E = E'G^-1
    double worst = 0;
    double* GE = Dq + p;
    sti_small_multiply(p, p, p, w->G_inv, E, GE);
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < i; j++) worst = fmax(worst, fabs(GE[sti_at(p, i, j)] - GE[sti_at(p, j, i)]));
    }
    if (worst <= 1e-12 * sti_vector_largest(p * p, GE))
        x->energy.f51 = 0.5 * sti_vector_dot(p, EEq, Dq) - 0.5 * sti_vector_dot(p, q, Dq);
    x->energy.f50 = formula_50(w, E, x, GE, index);
    return STI_OK;
}

// (77) in its three parts, with D_n = G^-1 in the second one, where G is printed (S1-E21).
sti_status sti_impact_energy_friction(sti_impact_work* w, sti_impact_solution* x) {
    if (!w->plain) return STI_OK;
    const sti_velocities* k = w->velocities;
    const int p = w->out->p, s = w->out->s, c = k->count, d = k->tangent_count;
    double* work = sti_arena_doubles(w->pool, 2 * (size_t)p + (size_t)(c + d) + 2 * (size_t)d);
    if (work == NULL) return w->pool->status;
    double *sum = work, *coupled = sum + p, *quasi = coupled + p, *tangential = quasi + c + d, *metric = tangential + d;
    for (int i = 0; i < p; i++) sum[i] = x->qdot_norm[i] + w->u[i];
    sti_small_apply(p, s, w->out->n_H, x->p_t, coupled);
    sti_velocities_to_quasi(k, x->v, quasi);
    for (int l = 0; l < d; l++) quasi[c + l] += k->qdot_tan[l];
    sti_small_apply(d, s, w->t_H, x->p_t, tangential);
    sti_small_apply(d, d, k->D_t, tangential, metric);
    x->energy.f77 = 0.5 * sti_vector_dot(p, sum, x->pbar_n) + 0.5 * sti_small_form(p, w->G_inv, sum, coupled) +
                    0.5 * sti_vector_dot(d, quasi + c, metric);
    return STI_OK;
}
