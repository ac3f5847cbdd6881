// convex.c: the convex relaxation of a step, S3 (2.3.7) to (2.3.10).
//
//     min over v   1/2 v'M v + f'v,     f = -(M v^l + h k_app)                                          errata S3-E4
//     with         n'v + mu d_s'v >= -Phi / h   for every facet s of every contact,    nu'v = 0          (2.3.7)
//
// and q+ = q + h v. M, n, D, nu and Phi are taken at q^l, k_app = -F holds all forces, explicitly. The optimality
// conditions are M v + f = sum (n + mu d_s) lambda_s + nu c, with lambda_s >= 0 complementary to (2.3.7): the dual
// (2.3.10). Facets are contacts without friction whose gradient is n + mu d_s, so the problem of impulses.h holds these
// conditions, and Lemke's method solves them exactly.
//
// With the round cone the facets become n'v + Phi / h >= mu |t v|, a second-order cone, for <stiction/conic.h>. The
// dual of a contact is (c_n, c_t) in the dual cone: normal impulse c_n, tangential mu c_t.
//
// The artefact: a contact that slides satisfies its constraint with equality and opens by h mu |t v|: `lifts`. Gaps are
// distances (errata S3-E6). The program is worth `objective` at v, its dual that less sum lambda (row v + b):
// `duality_gap`.
#include <math.h>
#include <stdio.h>
#include <stiction/conic.h>
#include <string.h>

#include "step/step.h"

// A contact without tangents, or without friction, has one facet: its normal.
static int facet_count(const sti_stepper* s, const sti_instant_contact* c) {
    return c->mu > 0 && c->tangent_count > 0 ? sti_impulse_directions(c->tangent_count, s->options.facets) : 1;
}

static void add_facets(sti_stepper* s, int i, double h) {
    const sti_instant_contact* from = &s->instant->contacts[i];
    const int n = s->n, count = facet_count(s, from);
    for (int k = 0; k < count; k++) {
        double* row = s->rows + ((size_t)i * (size_t)s->options.facets + (size_t)k) * (size_t)n;
        double d[2] = {0, 0};
        if (count > 1) sti_impulse_direction(from->tangent_count, s->options.facets, k, d);
        sti_impulse_contact* c = sti_impulses_add(&s->impulses, s->instant, i, 0);
        memcpy(row, from->n, (size_t)n * sizeof *row);
        for (int a = 0; count > 1 && a < from->tangent_count; a++) {
            for (int j = 0; j < n; j++) row[j] += from->mu * d[a] * from->t[sti_at(n, a, j)];
            c->b_n += from->mu * d[a] * c->b_t[a];
        }
        c->n = row;
        c->tangent_count = 0;
        c->b_n += s->gap[i] / h;
    }
}

static sti_status pose(sti_stepper* s, double h) {
    sti_impulses* p = &s->impulses;
    const sti_status status = sti_system_instant_update(s->system, s->time, s->q, s->v, s->instant);
    if (status != STI_OK) return status;
    p->alpha = 1;
    p->count = 0;
    memcpy(p->Q, s->instant->M, (size_t)s->n * (size_t)s->n * sizeof *p->Q);
    for (int i = 0; i < s->n; i++)
        p->f[i] = sti_vector_dot(s->n, p->Q + sti_at(s->n, i, 0), s->v) - h * s->instant->F[i];
    for (int i = 0; i < s->p; i++) {
        if (!s->active[i]) continue;
        if (i >= s->p - s->joint_count)
            sti_impulses_add(p, s->instant, i, 0);
        else if (s->options.friction == STI_FRICTION_FACETS)
            add_facets(s, i, h);
        else
            sti_impulses_add(p, s->instant, i, s->instant->contacts[i].mu)->b_n += s->gap[i] / h;
    }
    return STI_OK;
}

typedef struct program {
    int m, zero, cones;
    double *A, *b, *c;
    int* size;
} program;

static sti_status reserve(const sti_impulses* p, sti_env* env, program* k) {
    for (int j = 0; j < p->count; j++) {
        k->zero += p->contacts[j].bilateral;
        k->cones += !p->contacts[j].bilateral;
        k->m += p->contacts[j].bilateral ? 1 : 1 + p->contacts[j].tangent_count;
    }
    const size_t m = (size_t)k->m, n = (size_t)p->n;
    k->A = sti_alloc_array_zero(env, m * n + m + n, sizeof *k->A);
    k->size = sti_alloc_array_zero(env, (size_t)k->cones, sizeof *k->size);
    if (k->A == NULL || k->size == NULL) return STI_ERR_MEMORY;
    k->b = k->A + m * n;
    k->c = k->b + m;
    return STI_OK;
}

// Rows of joints, then of contacts; s = b - A v is (n'v + ..., mu (t v + ...)).
static void fill(const sti_impulses* p, program* k) {
    const int n = p->n;
    int joint = 0, row = k->zero, cone = 0;
    for (int i = 0; i < n; i++) k->c[i] = -p->f[i];
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* c = &p->contacts[j];
        if (c->bilateral) {
            memcpy(k->A + sti_at(n, joint, 0), c->n, (size_t)n * sizeof *k->A);
            k->b[joint++] = -c->b_n;
            continue;
        }
        k->size[cone++] = 1 + c->tangent_count;
        for (int i = 0; i < n; i++) k->A[sti_at(n, row, i)] = -c->n[i];
        k->b[row++] = c->b_n;
        for (int a = 0; a < c->tangent_count; a++) {
            for (int i = 0; i < n; i++) k->A[sti_at(n, row, i)] = -c->mu * c->t[sti_at(n, a, i)];
            k->b[row++] = c->mu * c->b_t[a];
        }
    }
}

static void take(sti_impulses* p, const program* k, const sti_conic_answer* answer) {
    int joint = 0, row = k->zero;
    memcpy(p->u, answer->x, (size_t)p->n * sizeof *p->u);
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* c = &p->contacts[j];
        p->c_t[sti_at(2, j, 0)] = p->c_t[sti_at(2, j, 1)] = 0;
        if (c->bilateral) {
            p->c_n[j] = -answer->y[joint++];
            p->mode[j] = STI_MODE_STICK;
            continue;
        }
        p->c_n[j] = answer->y[row++];
        for (int a = 0; a < c->tangent_count; a++) p->c_t[sti_at(2, j, a)] = c->mu * answer->y[row++];
    }
}

static sti_status solve_cone(sti_impulses* p) {
    program k = {0};
    sti_conic_answer answer;
    sti_conic_options options = sti_conic_options_default();
    options.tol = 1e-11;
    sti_status status = reserve(p, p->env, &k);
    if (status == STI_OK) {
        fill(p, &k);
        const sti_conic conic = {.n = p->n,
                                 .m = k.m,
                                 .P = sti_matrix_dense_view(p->n, p->n, p->Q),
                                 .A = sti_matrix_dense_view(k.m, p->n, k.A),
                                 .c = k.c,
                                 .b = k.b,
                                 .zero = k.zero,
                                 .cone_count = k.cones,
                                 .cone_size = k.size};
        status = sti_conic_solve(p->env, &conic, &options, &answer);
    }
    if (status == STI_OK) {
        const bool good = answer.outcome == STI_CONIC_SOLVED;
        p->outcome = good ? STI_SOLVED : answer.outcome == STI_CONIC_INFEASIBLE ? STI_NO_SOLUTION : STI_UNKNOWN;
        p->residual = answer.residual;
        snprintf(p->why, sizeof p->why, "the convex program of the step: %s%s%.160s",
                 sti_conic_outcome_text(answer.outcome), answer.reason[0] != '\0' ? ", " : "", answer.reason);
        if (good) take(p, &k, &answer);
        sti_conic_answer_clear(p->env, &answer);
    }
    sti_free(p->env, k.A);
    sti_free(p->env, k.size);
    return status;
}

// Value of the program at u, and its distance from that of the dual at the impulses: sum c_j (row_j u + b_j), as M u +
// f = A'c. In parts of both, and of what no contact would leave, f'M^-1 f / 2 >= sum f_i^2 / M_ii / 2n: at rest both
// are rounding.
static void measure_program(const sti_stepper* s, sti_step_report* report) {
    const sti_impulses* p = &s->impulses;
    double value = 0, power = 0, free = 0;
    for (int i = 0; i < p->n; i++) {
        const double mass = p->Q[sti_at(p->n, i, i)];
        if (mass > 0) free += p->f[i] * p->f[i] / mass / (2 * p->n);
        value += p->u[i] * (sti_vector_dot(p->n, p->Q + sti_at(p->n, i, 0), p->u) / 2 - p->f[i]);
    }
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* c = &p->contacts[j];
        power += p->c_n[j] * (sti_vector_dot(p->n, c->n, p->u) + c->b_n);
        for (int a = 0; a < c->tangent_count; a++)
            power += p->c_t[sti_at(2, j, a)] * (sti_vector_dot(p->n, c->t + sti_at(p->n, a, 0), p->u) + c->b_t[a]);
    }
    const double size = fabs(value) + fabs(value - power) + free;
    report->objective = value;
    report->duality_gap = size > 0 ? fabs(power) / size : 0;
}

sti_status sti_step_convex(sti_stepper* s, double h, sti_step_report* report) {
    sti_status status = pose(s, h);
    if (status != STI_OK) return status;
    sti_impulses* p = &s->impulses;
    status = s->options.friction == STI_FRICTION_CONE && p->count > 0 ? solve_cone(p) : sti_impulses_solve(p);
    if (status != STI_OK || p->outcome != STI_SOLVED) return status;
    for (int i = 0; i < s->n; i++) {
        s->u_trial[i] = s->v_trial[i] = p->u[i];
        s->q_trial[i] = s->q[i] + h * p->u[i];
    }
    measure_program(s, report);
    for (int j = 0; j < p->count; j++) {
        const int i = p->contacts[j].contact;
        const sti_instant_contact* c = &s->instant->contacts[i];
        if (p->contacts[j].bilateral || !(p->c_n[j] > 0)) continue;
        s->lifts[i] = fmax(s->lifts[i], s->gap[i] + h * (sti_vector_dot(s->n, c->n, p->u) + c->n_offset));
        report->lift = fmax(report->lift, s->lifts[i]);
    }
    return STI_OK;
}

void sti_step_convex_read(sti_stepper* s) {
    const sti_impulses* p = &s->impulses;
    const double speed = 1e-9 * (1 + sti_vector_largest(s->n, p->u));
    for (int j = 0, facet = 0; j < p->count; j++) {
        const int i = p->contacts[j].contact;
        const sti_instant_contact* c = &s->instant->contacts[i];
        facet = j > 0 && p->contacts[j - 1].contact == i ? facet + 1 : 0;
        if (p->contacts[j].bilateral) continue;
        double* impulse = s->impulse_t + sti_at(2, i, 0);
        double d[2] = {0, 0};
        if (s->options.friction == STI_FRICTION_CONE)
            memcpy(d, p->c_t + sti_at(2, j, 0), sizeof d);
        else if (facet_count(s, c) > 1)
            sti_impulse_direction(c->tangent_count, s->options.facets, facet, d);
        const double weight = s->options.friction == STI_FRICTION_CONE ? 1 : c->mu * p->c_n[j];
        double largest = 0;
        for (int a = 0; a < c->tangent_count; a++) {
            impulse[a] += weight * d[a];
            const double slip =
                sti_vector_dot(s->n, c->t + sti_at(s->n, a, 0), p->u) + (c->t_offset != NULL ? c->t_offset[a] : 0);
            s->slip[sti_at(2, i, a)] = slip;
            largest = fmax(largest, fabs(slip));
        }
        if (p->c_n[j] > 0) s->mode[i] = largest > speed ? STI_MODE_SLIDE : STI_MODE_STICK;
    }
}
