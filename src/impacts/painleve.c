// painleve.c: the contact LCP (26) of one instant, for every choice of slip directions (S1 section 4).
//
// For each of the 2^r sign patterns of the r contacts with a slip: the matrix D and all its principal minors, its
// classes, the critical friction (painleve_matrix.c), the bounds of Props 13 and 14 beside it, Prop 15, and all
// solutions of the LCP in exact arithmetic on the rounded D and b, with a certificate when there is none. Prop 12 is
// the closed form of the critical friction of one contact.
//
// Prop 14 in the paper's norms (Frobenius) and in spectral ones, where |diag(mu_i xi_i / |n_i|)| is its largest entry;
// both follow from |G^-1| |P| < 1, and Frobenius is the weaker statement (S1-E22).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "impacts/painleve_matrix.h"
#include "linalg/dense_algebra.h"
#include "linalg/vector.h"

typedef struct owned_painleve {
    sti_painleve k;  // first
    sti_arena pool;
    sti_painleve_pattern* patterns;
} owned_painleve;

typedef struct painleve_work {
    sti_env* env;
    sti_painleve* out;
    sti_arena* pool;
    sti_painleve_matrix m;
    double G_inv[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST];
    double root_inv[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST];  // G^-1/2
    double mu[STI_PAINLEVE_MOST], weight[STI_PAINLEVE_MOST];
    double size_G_inv[2], size_nH[2], size_weight[2], size_mu[2];
} painleve_work;

const char* sti_painleve_case_text(sti_painleve_case c) {
#define STI_X(code, text) text,
    static const char* const texts[] = {STI_PAINLEVE_CASE_LIST(STI_X)};
#undef STI_X
    return (unsigned)c < STI_PAINLEVE_CASE_COUNT ? texts[c] : "unknown";
}

sti_painleve_options sti_painleve_options_default(void) {
    return (sti_painleve_options){.gap_tol = 1e-9, .contact_limit = 8};
}

// ---- what all patterns share

static sti_status invert_delassus(painleve_work* w) {
    const int p = w->m.p;
    double copy[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST], V[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST], e[STI_PAINLEVE_MOST];
    memcpy(copy, w->m.G, (size_t)p * (size_t)p * sizeof *copy);
    sti_dense_eigen(p, copy, e, V);
    if (p > 0 && !(e[0] > STI_SPACE_RANK_TOL * e[p - 1]))
        return STI_FAIL(w->env, STI_ERR_INPUT, -1,
                        "the gradients of the touching contacts are dependent: (26) supposes "
                        "that they are not");
    for (int l = 0; l < p; l++) {
        for (int i = 0; i < p; i++) {
            for (int j = 0; j < p; j++) {
                const double part = V[sti_at(p, l, i)] * V[sti_at(p, l, j)];
                w->G_inv[sti_at(p, i, j)] += part / e[l];
                w->root_inv[sti_at(p, i, j)] += part / sqrt(e[l]);
            }
        }
    }
    w->size_G_inv[1] = p > 0 ? 1 / e[0] : 0;
    w->size_G_inv[0] = sti_vector_norm(p * p, w->G_inv);
    return STI_OK;
}

static void measure(painleve_work* w, const sti_space* space) {
    const int p = w->m.p;
    double work[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST + STI_PAINLEVE_MOST];
    double by_weight[STI_PAINLEVE_MOST] = {0}, by_mu[STI_PAINLEVE_MOST] = {0};
    for (int r = 0; r < w->m.rough_count; r++) {
        const int j = w->m.rough[r];
        by_weight[j] = w->weight[j] / space->norm[j];
        by_mu[j] = w->mu[j] / space->norm[j];
    }
    w->size_nH[0] = sti_vector_norm(p * p, w->m.n_H);
    w->size_nH[1] = sti_dense_norm(p, p, w->m.n_H, work);
    w->size_weight[0] = sti_vector_norm(p, by_weight);
    w->size_weight[1] = sti_vector_largest(p, by_weight);
    w->size_mu[0] = sti_vector_norm(p, by_mu);
    w->size_mu[1] = sti_vector_largest(p, by_mu);
    for (int f = 0; f < 2; f++) {
        const double product = w->size_G_inv[f] * w->size_nH[f] * w->size_weight[f];
        w->out->mu_14[f] = product > 0 ? 1 / product : INFINITY;
    }
}

// The parts of the result that do not depend on directions.
static sti_status fill_common(painleve_work* w, const sti_space* space, const sti_painleve_options* o) {
    const int p = w->m.p;
    sti_painleve* out = w->out;
    for (int j = 0; j < p; j++) {
        w->mu[j] = o->mu != NULL ? o->mu[j] : w->m.mu[j];
        w->weight[j] = o->weight != NULL ? o->weight[j] : 1;
        if (!(w->mu[j] >= 0 && isfinite(w->mu[j]) && w->weight[j] >= 0 && isfinite(w->weight[j])))
            return STI_FAIL(w->env, STI_ERR_INPUT, j, "friction of contact %d: %g, weight %g: not a number >= 0", j,
                            w->mu[j], w->weight[j]);
    }
    int* contact = sti_arena_ints(w->pool, (size_t)p);
    out->norm = sti_arena_copy(w->pool, space->norm, (size_t)p);
    out->G = sti_arena_copy(w->pool, w->m.G, (size_t)p * (size_t)p);
    out->n_H = sti_arena_copy(w->pool, w->m.n_H, (size_t)p * (size_t)p);
    out->mu = sti_arena_copy(w->pool, w->mu, (size_t)p);
    out->weight = sti_arena_copy(w->pool, w->weight, (size_t)p);
    out->b = sti_arena_copy(w->pool, w->m.b, (size_t)p);
    out->slip = sti_arena_copy(w->pool, w->m.slip, (size_t)p);
    if (w->pool->status != STI_OK) return w->pool->status;
    memcpy(contact, space->contact, (size_t)p * sizeof *contact);
    out->contact = contact;
    out->p = p;
    out->s = space->s;
    out->approach = w->m.approach;
    out->mu_c = out->mu_c_all = out->mu_definite = INFINITY;
    out->critical_pattern = -1;
    const double one_nH = p == 1 ? fabs(w->m.n_H[0]) : 0;
    out->mu_12 = p != 1 ? NAN : one_nH > 0 ? space->norm[0] / one_nH : INFINITY;
    measure(w, space);
    return STI_OK;
}

// ---- one pattern

// All minors; P when each is positive beyond rounding.
static sti_status fill_minors(painleve_work* w, sti_painleve_pattern* x) {
    const int p = w->m.p;
    const unsigned sets = (1U << p) - 1;
    double* minors = sti_arena_doubles(w->pool, sets);
    if (minors == NULL) return w->pool->status;
    x->least_minor = INFINITY;
    x->P = true;
    for (unsigned set = 1; set <= sets; set++) {
        minors[set - 1] = sti_painleve_minor(p, x->D, set);
        const double relative = sti_painleve_minor_relative(p, x->D, set);
        if (relative < x->least_minor) {
            x->least_minor = relative;
            x->least_set = set;
        }
        if (!(relative > STI_PAINLEVE_MINOR_TOL)) x->P = false;
    }
    x->minors = minors;
    return STI_OK;
}

static sti_status fill_critical(painleve_work* w, sti_painleve_pattern* x) {
    x->mu_c = INFINITY;
    for (unsigned set = 1; set < 1U << w->m.p; set++) {
        double mu;
        const sti_status status = sti_painleve_critical_minor(&w->m, w->weight, x->xi, set, &mu, NULL);
        if (status != STI_OK) return status;
        if (mu >= x->mu_c) continue;
        x->mu_c = mu;
        x->critical_set = set;
    }
    return STI_OK;
}

// Positive definite below 1 / lambda_max(G^-1/2 sym(N) G^-1/2).
static void fill_definite(painleve_work* w, sti_painleve_pattern* x) {
    const int p = w->m.p;
    double S[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST], half[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST], e[STI_PAINLEVE_MOST];
    double skew = 0;
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) {
            const double a = w->m.N[sti_at(p, i, j)] * w->weight[j] * x->xi[j],
                         b = w->m.N[sti_at(p, j, i)] * w->weight[i] * x->xi[i];
            S[sti_at(p, i, j)] = 0.5 * (a + b);
            skew = fmax(skew, fabs(a - b));
        }
    }
    x->symmetric = skew <= 1e-12 * fmax(1e-300, sti_vector_largest(p * p, S));
    sti_small_multiply(p, p, p, w->root_inv, S, half);
    sti_small_multiply(p, p, p, half, w->root_inv, S);
    sti_dense_eigen(p, S, e, NULL);
    const double largest = p > 0 ? e[p - 1] : 0;
    x->mu_definite = largest > 1e-14 * sti_vector_largest(p * p, half) ? 1 / largest : INFINITY;
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) S[sti_at(p, i, j)] = 0.5 * (x->D[sti_at(p, i, j)] + x->D[sti_at(p, j, i)]);
    }
    sti_dense_eigen(p, S, e, NULL);
    x->lambda_min = p > 0 ? e[0] : 0;
    for (int f = 0; f < 2; f++) {
        x->mu_14[f] = w->out->mu_14[f];
        x->prop14[f] = w->size_G_inv[f] * w->size_nH[f] * w->size_mu[f] < 1;
    }
}

// Copositivity, Prop 15, and all solutions.
static sti_status fill_solutions(painleve_work* w, sti_painleve_pattern* x) {
    const int p = w->m.p;
    const sti_lcp lcp = {.n = p, .M = sti_matrix_dense_view(p, p, (double*)x->D), .q = w->out->b};
    sti_classes* classes = NULL;
    sti_homogeneous_test* test = NULL;
    sti_lcp_solution_set* set = NULL;
    sti_status status = sti_classes_create(w->env, &lcp.M, NULL, NULL, &classes);
    if (status == STI_OK) {
        x->copositive = classes->finding[STI_CLASS_COPOSITIVE].verdict;
        x->strictly_copositive = classes->finding[STI_CLASS_STRICTLY_COPOSITIVE].verdict;
        x->simplex_min = classes->simplex_min;
        status = sti_homogeneous_test_create(w->env, &lcp, classes, &test);
    }
    if (status == STI_OK) {
        x->prop15 = test->solvable == STI_YES ? STI_YES : STI_NO;
        status = sti_lcp_enumerate(w->env, &lcp, 0, 0, &set);
    }
    sti_homogeneous_test_destroy(w->env, test);
    sti_classes_destroy(w->env, classes);
    if (status != STI_OK) return status;
    x->solutions = set;
    if (x->P)
        x->outcome = STI_PAINLEVE_UNIQUE;
    else if (!set->complete)
        x->outcome = STI_PAINLEVE_UNDECIDED;
    else if (set->vertex_count == 0)
        x->outcome = STI_PAINLEVE_NONE;
    else
        x->outcome = set->vertex_count == 1 && set->ray_count == 0 ? STI_PAINLEVE_ONE : STI_PAINLEVE_SEVERAL;
    return STI_OK;
}

static sti_status fill_pattern(painleve_work* w, unsigned index, sti_painleve_pattern* x) {
    const int p = w->m.p;
    double* xi = sti_arena_doubles(w->pool, (size_t)p);
    double* D = sti_arena_doubles(w->pool, (size_t)p * (size_t)p);
    if (w->pool->status != STI_OK) return w->pool->status;
    x->actual = sti_painleve_directions(&w->m, index, xi);
    sti_painleve_matrix_fill(&w->m, w->mu, xi, D);
    x->xi = xi;
    x->D = D;
    sti_status status = sti_painleve_possible(&w->m, xi, &x->possible);
    if (status == STI_OK) status = fill_minors(w, x);
    if (status == STI_OK) status = fill_critical(w, x);
    if (status == STI_OK) {
        fill_definite(w, x);
        status = fill_solutions(w, x);
    }
    return status;
}

// ---- over all patterns

// Least mu_i with a minor <= 0, the other contacts as they are: minors are affine in mu_i.
static sti_status fill_each(painleve_work* w) {
    const int p = w->m.p;
    double* each = sti_arena_doubles(w->pool, (size_t)p);
    if (each == NULL) return w->pool->status;
    for (int i = 0; i < p; i++) each[i] = INFINITY;
    for (int q = 0; q < w->out->pattern_count; q++) {
        const double* xi = w->out->patterns[q].xi;
        const sti_status status = sti_check_time(w->env, "looking for the friction of each contact");
        if (status != STI_OK) return status;
        if (!w->out->patterns[q].possible) continue;
        double mu[STI_PAINLEVE_MOST], D[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST],
            E[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST];
        for (int r = 0; r < w->m.rough_count; r++) {
            const int i = w->m.rough[r];
            memcpy(mu, w->mu, sizeof mu);
            mu[i] = 0;
            sti_painleve_matrix_fill(&w->m, mu, xi, D);
            mu[i] = 1;
            sti_painleve_matrix_fill(&w->m, mu, xi, E);
            for (unsigned set = 1; set < 1U << p; set++) {
                if (!(set >> i & 1)) continue;
                const double at_0 = sti_painleve_minor(p, D, set), slope = sti_painleve_minor(p, E, set) - at_0;
                if (sti_painleve_minor_relative(p, D, set) <= STI_PAINLEVE_MINOR_TOL)
                    each[i] = 0;
                else if (slope < -1e-15 * at_0)
                    each[i] = fmin(each[i], -at_0 / slope);
            }
        }
    }
    w->out->mu_c_each = each;
    return STI_OK;
}

static void conclude(sti_painleve* out) {
    static const int rank[] = {[STI_PAINLEVE_UNIQUE] = 0,  [STI_PAINLEVE_ONE] = 1,  [STI_PAINLEVE_UNDECIDED] = 2,
                               [STI_PAINLEVE_SEVERAL] = 3, [STI_PAINLEVE_NONE] = 4, [STI_PAINLEVE_APART] = 5};
    bool always = true;
    out->outcome = STI_PAINLEVE_ONE;
    for (int q = 0; q < out->pattern_count; q++) {
        const sti_painleve_pattern* x = &out->patterns[q];
        out->mu_c_all = fmin(out->mu_c_all, x->mu_c);
        if (!x->possible) continue;
        if (x->mu_c < out->mu_c) {
            out->mu_c = x->mu_c;
            out->critical_pattern = q;
        }
        out->mu_definite = fmin(out->mu_definite, x->mu_definite);
        always = always && x->P;
        if (x->actual && rank[x->outcome] > rank[out->outcome]) out->outcome = x->outcome;
    }
    if (always) out->outcome = STI_PAINLEVE_UNIQUE;
}

static sti_status fill(painleve_work* w, owned_painleve* made, const sti_space* space, const sti_painleve_options* o) {
    sti_status status = STI_OK;
    if (w->m.p == 0) return STI_FAIL(w->env, STI_ERR_INPUT, -1, "no contact touches");
    if (w->m.rough_count > o->contact_limit || w->m.p > STI_PAINLEVE_MOST)
        return STI_FAIL(w->env, STI_ERR_SIZE, w->m.p, "%d contacts with a slip: directions are tried for at most %d",
                        w->m.rough_count, o->contact_limit);
    status = invert_delassus(w);
    if (status == STI_OK) status = fill_common(w, space, o);
    if (status != STI_OK) return status;
    const int count = 1 << w->m.rough_count;
    made->patterns = sti_arena_take(w->pool, (size_t)count, sizeof *made->patterns);
    if (made->patterns == NULL) return w->pool->status;
    w->out->patterns = made->patterns;
    w->out->pattern_count = count;
    for (int q = 0; status == STI_OK && q < count; q++) status = fill_pattern(w, (unsigned)q, &made->patterns[q]);
    if (status == STI_OK) status = fill_each(w);
    if (status == STI_OK) conclude(w->out);
    return status;
}

// What M lacked, and how it was made up for.
static sti_status tell_limit(painleve_work* w, owned_painleve* made, const sti_painleve_limit* limit, int n) {
    sti_painleve* out = w->out;
    out->singular = limit->taken;
    for (int f = 0; f < 2 && limit->mixed; f++) {  // |n_q'H_T| grows beyond every bound, so Prop 14 says nothing
        out->mu_14[f] = 0;
        for (int q = 0; q < out->pattern_count; q++) {
            made->patterns[q].mu_14[f] = 0;
            made->patterns[q].prop14[f] = false;
        }
    }
    if (!limit->taken) return STI_OK;
    if (!limit->has_z) {
        snprintf(out->limit, sizeof out->limit,
                 "M is singular; the joints hold what has no mass, so nothing is missing");
        return STI_OK;
    }
    snprintf(out->limit, sizeof out->limit,
             "M is singular: limit of M + eps z z', eps -> 0, z the direction without mass%s",
             limit->pushed ? "; forces push along it, so b is told times sqrt(eps)" : "");
    if (n > STI_PAINLEVE_Z) return STI_OK;
    out->z = sti_arena_copy(w->pool, limit->z, (size_t)n);
    return w->pool->status;
}

sti_status sti_painleve_create(sti_env* env, const sti_instant* instant, const sti_painleve_options* options,
                               sti_painleve** out) {
    *out = NULL;
    const sti_painleve_options o = options != NULL ? *options : sti_painleve_options_default();
    owned_painleve* made = sti_alloc(env, sizeof *made);
    if (made == NULL) return STI_ERR_MEMORY;
    *made = (owned_painleve){.pool = sti_arena_make(env)};
    painleve_work w = {.env = env, .out = &made->k, .pool = &made->pool};
    sti_space* space = NULL;
    sti_painleve_limit limit;
    sti_status status = sti_painleve_read(env, instant, (sti_space_choice){.gap_tol = o.gap_tol, .bounded = true},
                                          &space, &w.m, &limit);
    if (status == STI_OK) status = fill(&w, made, space, &o);
    if (status == STI_OK) status = tell_limit(&w, made, &limit, instant->n);
    sti_space_destroy(space);
    if (status == STI_OK)
        *out = &made->k;
    else
        sti_painleve_destroy(env, &made->k);
    return status;
}

void sti_painleve_destroy(sti_env* env, sti_painleve* painleve) {
    if (painleve == NULL) return;
    owned_painleve* made = (owned_painleve*)painleve;
    for (int q = 0; q < painleve->pattern_count; q++)
        sti_lcp_solution_set_destroy(env, (sti_lcp_solution_set*)made->patterns[q].solutions);
    sti_arena_clear(&made->pool);
    sti_free(env, made);
}
