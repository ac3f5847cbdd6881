// sliding.c: S0 section 5 and equation (69): contacts that slide beside contacts that stick, and contacts at
// rest that may begin to slip.
//
// Proposition 13, with the corrections of errata S0-E8 and E15: M > 0, lambda_t of the sticking contacts eliminated by
// (73 a), an LCP over (lambda_n of the sticking ones, lambda_n of the sliding ones):
//
//     A = N'P B,   b = rates_n - N'P F - N'M^-1 X W+ rates_x,   P = M^-1 - M^-1 X W+ X'M^-1,   W = X'M^-1 X,
//     B = (grad h_st | grad h_sl - H_sl mu v_t/|v_t|).
//
// All its solutions are enumerated, each with the friction that sticking asks for: without rounding, on (73) itself,
// where X is independent and exact arithmetic has a say; on the LCP as computed otherwise.
#include <math.h>
#include <stiction/contact.h>
#include <string.h>

#include "sticking/blocks.h"

typedef struct mixed {
    const sti_sticking_blocks* b;
    int u;          // unilateral contacts, sticking first
    int* contact;   // (u)
    double *N, *B;  // (n x u)
    double *A, *q;  // the LCP
    double *MX, *Winv;
    double* rates;  // (u)
} mixed;

static sti_status reduce(mixed* m) {
    const sti_sticking_blocks* b = m->b;
    const sti_posed* s = b->s;
    sti_arena* pool = b->pool;
    const int n = b->n, u = m->u, x = b->x;
    double *W = sti_arena_doubles(pool, (size_t)x * (size_t)x),
           *P = sti_arena_copy(pool, b->Minv, (size_t)n * (size_t)n);
    double *MXW = sti_arena_doubles(pool, (size_t)n * (size_t)x), *PB = sti_arena_doubles(pool, (size_t)n * (size_t)u);
    double *PF = sti_arena_doubles(pool, (size_t)n), *back = sti_arena_doubles(pool, (size_t)n);
    m->MX = sti_arena_doubles(pool, (size_t)n * (size_t)x);
    m->A = sti_arena_doubles(pool, (size_t)u * (size_t)u);
    m->q = sti_arena_doubles(pool, (size_t)u);
    if (pool->status != STI_OK) return pool->status;
    sti_small_multiply(n, n, x, b->Minv, b->X, m->MX);
    sti_small_multiply_tn(x, n, x, b->X, m->MX, W);
    const sti_status status = sti_blocks_pinv(b, W, &m->Winv);
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
    const sti_sticking_blocks* b = m->b;
    const sti_posed* s = b->s;
    m->u = b->u;
    m->contact = sti_arena_ints(b->pool, (size_t)b->u);
    m->N = sti_arena_doubles(b->pool, (size_t)b->n * (size_t)b->u);
    m->B = sti_arena_doubles(b->pool, (size_t)b->n * (size_t)b->u);
    m->rates = sti_arena_doubles(b->pool, (size_t)b->u);
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

// Solutions, one row each.
typedef struct solutions {
    int count;
    bool all;            // there are no others: isolated, and the search was complete
    double *lambda, *a;  // flat (count x p), (count x n)
    double* normal;      // in the order of the LCP                       (count x u)
    double *a_n, *required;
    double* admissible;  // 1, 0; NAN: within rounding                   (count)
} solutions;

static sti_status take_solutions(const mixed* m, int count, solutions* out) {
    const sti_sticking_blocks* b = m->b;
    *out = (solutions){.count = count};
    const size_t k = (size_t)count;
    out->lambda = sti_arena_doubles(b->pool, k * (size_t)b->s->p);
    out->a = sti_arena_doubles(b->pool, k * (size_t)b->n);
    out->normal = sti_arena_doubles(b->pool, k * (size_t)m->u);
    out->a_n = sti_arena_doubles(b->pool, k * (size_t)b->m);
    out->required = sti_arena_doubles(b->pool, k);
    out->admissible = sti_arena_doubles(b->pool, k);
    return b->pool->status;
}

// Normal forces, and the friction that sliding contacts drag along.
static void put_normals(const mixed* m, const double* normal, double* lambda) {
    const sti_posed* s = m->b->s;
    for (int i = 0; i < m->u; i++) {
        const int c = m->contact[i];
        lambda[s->first[c]] = normal[i];
        for (int k = 1; s->slides[c] && k <= s->tangents[c]; k++)
            lambda[s->first[c] + k] = -s->mu[c] * s->slip[s->first[c] + k] * normal[i];
    }
}

// lambda of X and a of one solution of the LCP as computed.
static sti_status complete(const mixed* m, const double* normal, double* lambda, double* a) {
    const sti_sticking_blocks* b = m->b;
    const sti_posed* s = b->s;
    const int n = b->n, u = m->u, x = b->x;
    double* rhs = sti_arena_doubles(b->pool, (size_t)x);  // W lambda_x = X'M^-1 (F - B lambda_n) - rates
    if (rhs == NULL) return b->pool->status;
    put_normals(m, normal, lambda);
    for (int k = 0; k < x; k++) {
        rhs[k] = -b->c_x[k];
        for (int j = 0; j < n; j++)
            rhs[k] += m->MX[(size_t)j * x + k] * (s->instant->F[j] - sti_small_dot(u, m->B + (size_t)j * u, normal));
    }
    for (int k = 0; k < x; k++) lambda[b->x_multiplier[k]] = sti_small_dot(x, m->Winv + (size_t)k * x, rhs);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++)
            a[j] += b->Minv[(size_t)j * n + k] *
                    (sti_small_dot(s->p, s->C + (size_t)k * (size_t)s->p, lambda) - s->instant->F[k]);
    }
    return STI_OK;
}

// Where the directions held depend on each other their rates may contradict: what solves the LCP then misses X'a + c_x
// = 0.
static bool is_held(const mixed* m, const double* a) {
    const sti_sticking_blocks* b = m->b;
    for (int k = 0; k < b->x; k++) {
        double rate = b->c_x[k], terms = fabs(b->c_x[k]);
        for (int j = 0; j < b->n; j++) {
            const double x = b->X[(size_t)j * (size_t)b->x + (size_t)k];
            rate += x * a[j];
            terms += fabs(x) * (fabs(a[j]) + b->s->size[j]);
        }
        if (fabs(rate) > 1e-9 * terms) return false;
    }
    return true;
}

// What a solution asks of the sticking contacts, and whether they can give it. exact: lambda of these, NULL: as
// computed.
static sti_status judge(const mixed* m, const sti_rationals* exact, int row, solutions* out) {
    const sti_sticking_blocks* b = m->b;
    const sti_posed* s = b->s;
    const double *lambda = out->lambda + (size_t)row * (size_t)s->p, *a = out->a + (size_t)row * (size_t)b->n;
    const double size = fmax(s->force, sti_small_max((size_t)s->p, lambda));
    out->admissible[row] = 1;
    for (int i = 0; i < s->nc; i++) {
        double t = 0, *a_n = &out->a_n[(size_t)row * (size_t)b->m + (size_t)i];
        *a_n = sti_posed_contact(s, i)->n_rate;
        for (int j = 0; j < b->n; j++) *a_n += s->C[(size_t)j * (size_t)s->p + (size_t)s->first[i]] * a[j];
        if (s->slides[i] || s->tangents[i] == 0) continue;
        for (int k = 1; k <= s->tangents[i]; k++) t = hypot(t, lambda[s->first[i] + k]);
        const double normal = fabs(lambda[s->first[i]]);
        int sign = sti_blocks_sign(s->mu[i] * normal - sti_posed_reach(s, i, lambda), (1 + s->mu[i]) * size);
        if (sign == 0) sign = 2;
        if (exact != NULL) {
            sti_status status = STI_OK;
            if (s->rough[i])
                status = sti_posed_margin_sign(s, i, exact, &sign);
            else
                sign = t > 0 ? -1 : 1;
            if (status != STI_OK) return status;
        }
        if (exact != NULL || t > 1e-14 * size) out->required[row] = fmax(out->required[row], t > 0 ? t / normal : 0);
        if (sign == -1) out->admissible[row] = 0;
        if (sign == 2 && out->admissible[row] != 0) out->admissible[row] = NAN;
    }
    return STI_OK;
}

// The LCP as computed, its solutions enumerated.
static sti_status solve_computed(const mixed* m, solutions* out) {
    const sti_lcp lcp = {.n = m->u, .M = sti_matrix_dense_view(m->u, m->u, m->A), .q = m->q};
    sti_lcp_solution_set* set = NULL;
    sti_status status = sti_lcp_enumerate(m->b->s->env, &lcp, 4096, 0, &set);
    if (status != STI_OK) return status;
    status = take_solutions(m, set->vertex_count, out);
    out->count = 0;
    for (int k = 0; status == STI_OK && k < set->vertex_count; k++) {
        const size_t to = (size_t)out->count;
        double *normal = out->normal + to * (size_t)m->u, *a = out->a + to * (size_t)m->b->n;
        memset(a, 0, (size_t)m->b->n * sizeof *a);
        memcpy(normal, set->vertex + (size_t)k * (size_t)m->u, (size_t)m->u * sizeof *normal);
        status = complete(m, normal, out->lambda + to * (size_t)m->b->s->p, a);
        if (status != STI_OK || !is_held(m, a)) continue;
        status = judge(m, NULL, (int)to, out);
        out->count++;
    }
    sti_lcp_solution_set_destroy(m->b->s->env, set);
    return status;
}

// Vertex k of (73) as flat multipliers; those of sliding tangents stay zero in the exact ones.
static sti_status read_vertex(const mixed* m, const sti_lcp_solution_set* set, int k, sti_rationals* exact,
                              solutions* out) {
    const sti_sticking_blocks* b = m->b;
    const size_t n = (size_t)b->n, x = (size_t)b->x, u = (size_t)m->u, from = (size_t)k * (n + x + u);
    double* lambda = out->lambda + (size_t)k * (size_t)b->s->p;
    sti_status status = STI_OK;
    memcpy(out->a + (size_t)k * n, set->vertex + from, n * sizeof *out->a);
    memcpy(out->normal + (size_t)k * u, set->vertex + from + n + x, u * sizeof *out->normal);
    put_normals(m, out->normal + (size_t)k * u, lambda);
    for (size_t j = 0; status == STI_OK && j < x + u; j++) {
        const int to = j < x ? b->x_multiplier[j] : b->s->first[m->contact[j - x]];
        lambda[to] = set->vertex[from + n + j];
        status = sti_rationals_copy(exact, (size_t)to, set->vertex_exact, from + n + j);
    }
    return status;
}

// (73) without rounding.
static sti_status solve_exactly(const mixed* m, solutions* out, bool* done) {
    const sti_sticking_blocks* b = m->b;
    sti_lcp_solution_set* set = NULL;
    sti_rationals* exact = NULL;
    *done = false;
    if (!b->exact || !b->X_independent) return STI_OK;
    sti_status status = sti_blocks_solutions(b, m->contact, &set);
    if (status != STI_OK || set == NULL) return status;
    status = sti_rationals_create(b->s->env, (size_t)b->s->p, &exact);
    if (status == STI_OK) status = take_solutions(m, set->vertex_count, out);
    for (int k = 0; status == STI_OK && k < out->count; k++) {
        status = read_vertex(m, set, k, exact, out);
        if (status == STI_OK) status = judge(m, exact, k, out);
    }
    out->all = set->complete;
    for (int c = 0; c < set->component_count; c++) out->all = out->all && set->component_dimension[c] == 0;
    out->all = out->all && set->ray_count == 0;
    *done = true;
    sti_rationals_destroy(exact);
    sti_lcp_solution_set_destroy(b->s->env, set);
    return status;
}

static const char* why_not_13(const sti_sticking_blocks* b) {
    const sti_posed* s = b->s;
    if (!b->slides) return "no contact slides";
    if (!b->definite) return "M is singular";
    for (int i = 0; i < b->m; i++)
        if (s->slides[i] && s->choice[i]) return "a bilateral contact slides with friction";
    return b->u == 0 || b->u > 12 ? "no, or too many, unilateral contacts" : NULL;
}

static sti_status proposition_13(const sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
    sti_propositions_begin(t, "P13", "sliding and sticking contacts together: (73) has a solution within the discs");
    const char* why = why_not_13(b);
    if (why != NULL) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "%s", why);
        return STI_OK;
    }
    mixed m = {.b = b};
    solutions q = {0};
    bool done = false;
    sti_status status = order_contacts(&m);
    if (status == STI_OK) status = reduce(&m);
    if (status == STI_OK) status = solve_exactly(&m, &q, &done);
    if (status == STI_OK && !done) status = solve_computed(&m, &q);
    if (status != STI_OK) return status;
    int good = 0;
    for (int k = 0; k < q.count; k++) good += q.admissible[k] > 0;
    sti_propositions_verdict(t,
                             good > 0 || r->answer.outcome == STI_STICKING_YES ? STI_HOLDS
                             : q.all                                           ? STI_HOLDS_NOT
                                                                               : STI_HOLDS_UNKNOWN,
                             "solutions of the reduced LCP: %d, within the discs: %d", q.count, good);
    sti_propositions_matrix(t, "A", m.u, m.u, m.A);
    sti_propositions_vector(t, "b", m.u, m.q);
    sti_propositions_number(t, "solutions", q.count);
    sti_propositions_matrix(t, "lambda_n", q.count, m.u, q.normal);
    sti_propositions_matrix(t, "lambda", q.count, b->s->p, q.lambda);
    sti_propositions_matrix(t, "qdd", q.count, b->n, q.a);
    sti_propositions_matrix(t, "a_n", q.count, b->m, q.a_n);
    sti_propositions_vector(t, "required_mu", q.count, q.required);
    sti_propositions_vector(t, "admissible", q.count, q.admissible);
    return STI_OK;
}

// ---- (69)

// Coulomb's law, measured against the accelerations and forces that the data suggest: a solver measures against what it
// found, and forces that run away make everything else small.
static bool obeys_law(const sti_sticking_blocks* b, const double* r, const double* acc) {
    const sti_posed* s = b->s;
    const double force = 1e-7 * fmax(s->force, sti_small_max((size_t)s->p, r));
    for (int i = 0; i < b->m; i++) {
        const double *l = r + s->first[i], *a = acc + s->first[i];
        double reach = 0, t = 0, slip = 0, along = 0;
        for (int k = 0; k <= s->tangents[i]; k++) {
            double terms = fabs(s->c[s->row[i] + k]);
            for (int j = 0; j < b->n; j++) terms += fabs(s->C[(size_t)j * s->p + s->first[i] + k]) * s->size[j];
            reach = fmax(reach, terms);
            if (k == 0) continue;
            t = hypot(t, l[k]);
            slip = hypot(slip, a[k]);
            along += l[k] * a[k];
        }
        const double still = 1e-7 * reach;
        if (l[0] < -force || a[0] < -still || (l[0] > force && a[0] > still) || t > s->mu[i] * l[0] + force)
            return false;
        if (l[0] > force && slip > still &&
            (t < s->mu[i] * l[0] - force || along > -(1 - 1e-5) * t * slip + force * still))
            return false;
    }
    return true;
}

// acc = G lambda + g over the touching contacts, flat; and the contact solver on it.
static sti_status solve_69(const sti_sticking_blocks* b, double* G, double* g, int d, double* modes, double* r,
                           double* acc, bool* solved) {
    const sti_posed* s = b->s;
    sti_contact_problem problem = {
        .dimension = d, .contact_count = b->m, .mu = s->mu, .W = sti_matrix_dense_view(s->p, s->p, G), .q = g};
    sti_contact_options options = sti_contact_options_default();
    options.describe = true;
    options.tol = 1e-12;
    sti_contact_answer answer;
    const sti_status status = sti_contact_solve(s->env, &problem, &options, &answer);
    if (status != STI_OK) return status;
    *solved = (answer.outcome == STI_SOLVED || answer.residual < 1e-9) && obeys_law(b, answer.r, answer.u);
    for (int i = 0; *solved && i < b->m; i++) modes[i] = answer.mode != NULL ? answer.mode[i] : NAN;
    for (int k = 0; *solved && k < s->p; k++) {
        r[k] = answer.r[k];
        acc[k] = answer.u[k];
    }
    sti_contact_answer_clear(s->env, &answer);
    return STI_OK;
}

static sti_status equation_69(const sti_sticking_blocks* b, sti_propositions_table* t) {
    const sti_posed* s = b->s;
    sti_arena* pool = b->pool;
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
    double *MC = sti_arena_doubles(pool, (size_t)b->n * (size_t)p), *G = sti_arena_doubles(pool, (size_t)p * (size_t)p);
    double *g = sti_arena_copy(pool, s->c, (size_t)p), *modes = sti_arena_doubles(pool, STI_REST_MOST + (size_t)b->m);
    double *r = sti_arena_doubles(pool, STI_REST_MOST * (size_t)p),
           *acc = sti_arena_doubles(pool, STI_REST_MOST * (size_t)p);
    if (pool->status != STI_OK) return pool->status;
    sti_small_multiply(b->n, b->n, p, b->Minv, s->C, MC);
    sti_small_multiply_tn(p, b->n, p, s->C, MC, G);
    for (int k = 0; k < p; k++) {
        double terms = fabs(g[k]);
        for (int j = 0; j < b->n; j++) {
            g[k] -= MC[(size_t)j * p + k] * s->instant->F[j];
            for (int h = 0; h < b->n; h++)
                terms += fabs(b->Minv[(size_t)j * b->n + h] * s->C[(size_t)h * p + k] * s->instant->F[j]);
        }
        if (fabs(g[k]) <= 1e-14 * terms) g[k] = 0;  // rounding has no sign
    }
    int count = 1;
    bool solved = true;
    sti_status status = STI_OK;
    if (b->m == 1 && b->rank_C == p) {
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

sti_status sti_propositions_sliding(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
    const sti_status status = proposition_13(r, b, t);
    return status == STI_OK ? equation_69(b, t) : status;
}
