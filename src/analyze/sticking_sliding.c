// sticking_sliding.c: S0 section 5 and equation (69): contacts that slide beside contacts that stick, and contacts at
// rest that may begin to slip.
//
// Proposition 13, with the corrections of errata S0-E8 and E15: M > 0, lambda_t of the sticking contacts eliminated by
// (73 a), an LCP over (lambda_n of the sticking ones, lambda_n of the sliding ones):
//
//     A = N'P B,   b = rates_n - N'P F - N'M^-1 X W+ rates_x,   P = M^-1 - M^-1 X W+ X'M^-1,   W = X'M^-1 X,
//     B = (grad h_st | grad h_sl - H_sl mu v_t/|v_t|).
//
// All its solutions are enumerated; for each the friction that sticking asks for.
#include <math.h>
#include <stiction/contact.h>
#include <string.h>

#include "analyze/sticking_blocks.h"

typedef struct mixed {
    const sti_blocks* b;
    int u;          // unilateral contacts, sticking first
    int* contact;   // (u)
    double *N, *B;  // (n x u)
    double *A, *q;  // the LCP
    double *MX, *Winv;
    double* rates;  // (u)
} mixed;

static sti_status reduce(mixed* m) {
    const sti_blocks* b = m->b;
    const sti_posed* s = b->s;
    sti_pool* pool = b->pool;
    const int n = b->n, u = m->u, x = b->x;
    double *W = sti_pool_doubles(pool, (size_t)x * (size_t)x), *P = sti_pool_copy(pool, b->Minv, (size_t)n * (size_t)n);
    double *MXW = sti_pool_doubles(pool, (size_t)n * (size_t)x), *PB = sti_pool_doubles(pool, (size_t)n * (size_t)u);
    double *PF = sti_pool_doubles(pool, (size_t)n), *back = sti_pool_doubles(pool, (size_t)n);
    m->MX = sti_pool_doubles(pool, (size_t)n * (size_t)x);
    m->A = sti_pool_doubles(pool, (size_t)u * (size_t)u);
    m->q = sti_pool_doubles(pool, (size_t)u);
    if (pool->status != STI_OK) return pool->status;
    sti_small_multiply(n, n, x, b->Minv, b->X, m->MX);
    sti_small_multiply_tn(x, n, x, b->X, m->MX, W);
    sti_svd f;
    sti_status status = sti_svd_make(pool, x, x, W, STI_SMALL_RANK_TOL, &f);
    if (status == STI_OK) status = sti_svd_pinv(pool, &f, &m->Winv);
    if (status != STI_OK) return status;
    sti_small_multiply(n, x, x, m->MX, m->Winv, MXW);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            P[(size_t)i * n + j] -= sti_small_dot(x, MXW + (size_t)i * x, m->MX + (size_t)j * x);
        back[i] = sti_small_dot(x, MXW + (size_t)i * x, b->c_x);
    }
    sti_small_multiply(n, n, u, P, m->B, PB);
    sti_small_multiply_tn(u, n, u, m->N, PB, m->A);
    sti_small_multiply(n, n, 1, P, s->instant->F, PF);
    for (int i = 0; i < u; i++) {
        m->q[i] = m->rates[i];
        for (int j = 0; j < n; j++) m->q[i] -= m->N[(size_t)j * u + i] * (PF[j] + back[j]);
    }
    return STI_OK;
}

static sti_status order_contacts(mixed* m) {
    const sti_blocks* b = m->b;
    const sti_posed* s = b->s;
    m->u = b->u;
    m->contact = sti_pool_ints(b->pool, (size_t)b->u);
    m->N = sti_pool_doubles(b->pool, (size_t)b->n * (size_t)b->u);
    m->B = sti_pool_doubles(b->pool, (size_t)b->n * (size_t)b->u);
    m->rates = sti_pool_doubles(b->pool, (size_t)b->u);
    if (b->pool->status != STI_OK) return b->pool->status;
    int at = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->nc; i++) {
            if (s->bilateral[i] || s->slides[i] != pass) continue;
            m->contact[at] = i;
            m->rates[at] = sti_posed_contact(s, i)->n_rate;
            for (int j = 0; j < b->n; j++) {
                const double* row = s->C + (size_t)j * (size_t)s->p + s->first[i];
                m->N[(size_t)j * b->u + at] = m->B[(size_t)j * b->u + at] = row[0];
                for (int k = 1; pass == 1 && k <= s->tangents[i]; k++)
                    m->B[(size_t)j * b->u + at] -= s->mu[i] * s->slip[s->first[i] + k] * row[k];
            }
            at++;
        }
    }
    return STI_OK;
}

// One solution of the LCP as a whole: lambda (flat), a, and whether the sticking contacts are within their discs.
static void complete(const mixed* m, const double* normal, double* lambda, double* a, double* a_n, double* required,
                     double* admissible) {
    const sti_blocks* b = m->b;
    const sti_posed* s = b->s;
    const int n = b->n, u = m->u, x = b->x;
    memset(lambda, 0, (size_t)s->p * sizeof *lambda);
    memset(a, 0, (size_t)n * sizeof *a);
    for (int i = 0; i < u; i++) {
        const int c = m->contact[i];
        lambda[s->first[c]] = normal[i];
        for (int k = 1; s->slides[c] && k <= s->tangents[c]; k++)
            lambda[s->first[c] + k] = -s->mu[c] * s->slip[s->first[c] + k] * normal[i];
    }
    double rhs[64] = {0};  // W lambda_x = X'M^-1 (F - B lambda_n) - rates
    for (int k = 0; k < x && k < 64; k++) {
        rhs[k] = -b->c_x[k];
        for (int j = 0; j < n; j++)
            rhs[k] += m->MX[(size_t)j * x + k] * (s->instant->F[j] - sti_small_dot(u, m->B + (size_t)j * u, normal));
    }
    for (int k = 0; k < x; k++)
        lambda[b->x_multiplier[k]] = sti_small_dot(x < 64 ? x : 64, m->Winv + (size_t)k * x, rhs);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++)
            a[j] += b->Minv[(size_t)j * n + k] *
                    (sti_small_dot(s->p, s->C + (size_t)k * (size_t)s->p, lambda) - s->instant->F[k]);
    }
    *required = 0;
    *admissible = 1;
    for (int i = 0; i < s->nc; i++) {
        double t = 0;
        for (int k = 1; k <= s->tangents[i]; k++) t = hypot(t, lambda[s->first[i] + k]);
        if (!s->slides[i] && s->tangents[i] > 0) {
            *required = fmax(*required, t > 0 ? t / fabs(lambda[s->first[i]]) : 0);
            if (t > s->mu[i] * fabs(lambda[s->first[i]]) * (1 + 1e-12) + 1e-12 * s->force) *admissible = 0;
        }
        a_n[i] = sti_posed_contact(s, i)->n_rate;
        for (int j = 0; j < n; j++) a_n[i] += s->C[(size_t)j * (size_t)s->p + (size_t)s->first[i]] * a[j];
    }
}

static sti_status proposition_13(const sti_blocks* b, sti_propositions_table* t) {
    const sti_posed* s = b->s;
    sti_pool* pool = b->pool;
    sti_propositions_begin(t, "P13", "sliding and sticking contacts together: (73) has a solution within the discs");
    bool sliding_joint = false;
    for (int i = 0; i < b->m; i++) sliding_joint = sliding_joint || (s->slides[i] && s->choice[i]);
    if (!b->slides || !b->definite || sliding_joint || b->u == 0 || b->u > 12 || b->x > 64) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE,
                                 !b->slides      ? "no contact slides"
                                 : !b->definite  ? "M is singular"
                                 : sliding_joint ? "a bilateral contact slides with friction"
                                                 : "no, or too many, unilateral contacts");
        return STI_OK;
    }
    mixed m = {.b = b};
    sti_status status = order_contacts(&m);
    if (status == STI_OK) status = reduce(&m);
    if (status != STI_OK) return status;
    const sti_lcp lcp = {.n = m.u, .M = sti_matrix_dense_view(m.u, m.u, m.A), .q = m.q};
    sti_lcp_solution_set* set = NULL;
    status = sti_lcp_enumerate(s->env, &lcp, 4096, 0, &set);
    if (status != STI_OK) return status;
    const int count = set->vertex_count;
    double *lambda = sti_pool_doubles(pool, (size_t)count * (size_t)s->p),
           *a = sti_pool_doubles(pool, (size_t)count * (size_t)b->n);
    double *a_n = sti_pool_doubles(pool, (size_t)count * (size_t)b->m),
           *normal = sti_pool_doubles(pool, (size_t)count * (size_t)m.u);
    double *required = sti_pool_doubles(pool, (size_t)count), *admissible = sti_pool_doubles(pool, (size_t)count);
    int good = 0;
    for (int k = 0; pool->status == STI_OK && k < count; k++) {
        memcpy(normal + (size_t)k * (size_t)m.u, set->vertex + (size_t)k * (size_t)m.u, (size_t)m.u * sizeof *normal);
        complete(&m, normal + (size_t)k * (size_t)m.u, lambda + (size_t)k * (size_t)s->p, a + (size_t)k * (size_t)b->n,
                 a_n + (size_t)k * (size_t)b->m, &required[k], &admissible[k]);
        good += admissible[k] > 0;
    }
    sti_lcp_solution_set_destroy(s->env, set);
    if (pool->status != STI_OK) return pool->status;
    sti_propositions_verdict(t, good > 0 ? STI_HOLDS : STI_HOLDS_NOT,
                             "solutions of the reduced LCP: %d, within the discs: %d", count, good);
    sti_propositions_matrix(t, "A", m.u, m.u, m.A);
    sti_propositions_vector(t, "b", m.u, m.q);
    sti_propositions_number(t, "solutions", count);
    sti_propositions_matrix(t, "lambda_n", count, m.u, normal);
    sti_propositions_matrix(t, "lambda", count, s->p, lambda);
    sti_propositions_matrix(t, "qdd", count, b->n, a);
    sti_propositions_matrix(t, "a_n", count, b->m, a_n);
    sti_propositions_vector(t, "required_mu", count, required);
    sti_propositions_vector(t, "admissible", count, admissible);
    return STI_OK;
}

// ---- (69)

// acc = G lambda + g over the touching contacts, flat; and the contact solver on it.
static sti_status solve_69(const sti_blocks* b, double* G, double* g, int d, double* modes, double* r, double* acc,
                           bool* solved) {
    const sti_posed* s = b->s;
    sti_contact_problem problem = {
        .dimension = d, .contact_count = b->m, .mu = s->mu, .W = sti_matrix_dense_view(s->p, s->p, G), .q = g};
    sti_contact_options options = sti_contact_options_default();
    options.describe = true;
    options.tol = 1e-12;
    sti_contact_answer answer;
    const sti_status status = sti_contact_solve(s->env, &problem, &options, &answer);
    if (status != STI_OK) return status;
    *solved = answer.outcome == STI_SOLVED || answer.residual < 1e-9;
    for (int i = 0; *solved && i < b->m; i++) modes[i] = answer.mode != NULL ? answer.mode[i] : NAN;
    for (int k = 0; *solved && k < s->p; k++) {
        r[k] = answer.r[k];
        acc[k] = answer.u[k];
    }
    sti_contact_answer_clear(s->env, &answer);
    return STI_OK;
}

static sti_status equation_69(const sti_blocks* b, sti_propositions_table* t) {
    const sti_posed* s = b->s;
    sti_pool* pool = b->pool;
    sti_propositions_begin(t, "E69",
                           "Coulomb's law at acceleration level: which contacts stick, slip or open from here");
    int d = b->m > 0 ? 1 + s->tangents[0] : 0;
    const char* why = b->slides      ? "a contact slides already"
                      : !b->definite ? "M is singular"
                      : b->m == 0    ? "no contact"
                                     : NULL;
    for (int i = 0; i < b->m; i++) {
        if (s->bilateral[i]) why = "there are bilateral contacts";
        if (1 + s->tangents[i] != d || d < 2) why = "contacts are not all in the plane, or all in space, with tangents";
    }
    if (why != NULL) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "%s", why);
        return STI_OK;
    }
    const int p = s->p;
    double *MC = sti_pool_doubles(pool, (size_t)b->n * (size_t)p), *G = sti_pool_doubles(pool, (size_t)p * (size_t)p);
    double *g = sti_pool_copy(pool, s->c, (size_t)p), *modes = sti_pool_doubles(pool, STI_REST_MOST + (size_t)b->m);
    double *r = sti_pool_doubles(pool, STI_REST_MOST * (size_t)p),
           *acc = sti_pool_doubles(pool, STI_REST_MOST * (size_t)p);
    if (pool->status != STI_OK) return pool->status;
    sti_small_multiply(b->n, b->n, p, b->Minv, s->C, MC);
    sti_small_multiply_tn(p, b->n, p, s->C, MC, G);
    for (int k = 0; k < p; k++)
        for (int j = 0; j < b->n; j++) g[k] -= MC[(size_t)j * p + k] * s->instant->F[j];
    int count = 1;
    bool solved = true;
    sti_status status = STI_OK;
    int rank;
    status = sti_small_rank(pool, p, p, G, &rank);
    if (status == STI_OK && b->m == 1 && rank == p) {
        sti_rest_solution list[STI_REST_MOST];
        status = sti_contact_at_rest(s->env, d, G, g, s->mu[0], list, &count);
        for (int i = 0; status == STI_OK && i < count; i++) {
            modes[i] = list[i].mode == STI_REST_SEPARATE ? 0 : list[i].mode == STI_REST_STICK ? 1 : 2;
            memcpy(r + (size_t)i * (size_t)p, list[i].lambda, (size_t)p * sizeof *r);
            memcpy(acc + (size_t)i * (size_t)p, list[i].acceleration, (size_t)p * sizeof *acc);
        }
        sti_propositions_verdict(t, count > 0 ? STI_HOLDS : STI_HOLDS_NOT, "number of solutions, all of them: %d",
                                 count);
        sti_propositions_vector(t, "modes", count, modes);
    } else if (status == STI_OK) {
        status = solve_69(b, G, g, d, modes, r, acc, &solved);
        sti_propositions_verdict(t, solved ? STI_HOLDS : STI_HOLDS_UNKNOWN,
                                 solved ? "one solution; others may exist" : "the contact solver found none");
        if (solved) sti_propositions_vector(t, "modes", b->m, modes);
    }
    if (status != STI_OK || !solved) return status;
    sti_propositions_matrix(t, "lambda", count, p, r);
    sti_propositions_matrix(t, "acceleration", count, p, acc);
    return STI_OK;
}

sti_status sti_propositions_sliding(sti_sticking* r, const sti_blocks* b, sti_propositions_table* t) {
    (void)r;
    sti_status status = proposition_13(b, t);
    return status == STI_OK ? equation_69(b, t) : status;
}
