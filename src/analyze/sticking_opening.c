// sticking_opening.c: the complementarity version (60), (65 a, b): contacts may open.
//
//     M a + F = C lambda,   a_n = 0 at bilateral contacts,   a_t = 0,   0 <= lambda_n _|_ a_n >= 0 at unilateral ones
//
// is a mixed LCP with free unknowns a, lambda_t and lambda_n of bilateral contacts (S0 equation 43). It is monotone, so
// M a and the accelerations that M sees are the same in all its solutions. With the discs: contacts whose a_n is positive
// carry no force, so neither friction; a_t = 0 is still asked of them, as (60 b) does. Over the multipliers that are left
// the discs are decided as in sticking_decide.c. Where M is singular another solution may open other
// contacts, and a "no" is then only "unknown".
#include <math.h>
#include <string.h>

#include "analyze/sticking.h"

typedef struct opening {
    const sti_posed* s;
    int free_count;  // n + the multipliers that are not unilateral normals
    int pairs;       // unilateral contacts
    int* place;      // multiplier -> index among the free (>= 0) or -1 - pair   (p)
    double *A, *C, *D, *B, *a, *b;
} opening;

static sti_status pose(opening* o, const sti_posed* s) {
    *o = (opening){.s = s, .free_count = s->n};
    o->place = sti_pool_ints(s->pool, (size_t)s->p);
    if (o->place == NULL) return s->pool->status;
    for (int i = 0; i < s->nc; i++) {
        for (int k = 0; k <= s->tangents[i]; k++)
            o->place[s->first[i] + k] = k == 0 && !s->bilateral[i] ? -1 - o->pairs++ : o->free_count++;
    }
    const size_t n = (size_t)s->n, f = (size_t)o->free_count, m = (size_t)o->pairs;
    o->A = sti_pool_doubles(s->pool, f * f);
    o->C = sti_pool_doubles(s->pool, f * m);
    o->D = sti_pool_doubles(s->pool, m * f);
    o->B = sti_pool_doubles(s->pool, m * m);
    o->a = sti_pool_doubles(s->pool, f);
    o->b = sti_pool_doubles(s->pool, m);
    if (s->pool->status != STI_OK) return s->pool->status;
    for (size_t j = 0; j < n; j++) {
        o->a[j] = s->instant->F[j];
        for (size_t k = 0; k < n; k++) o->A[j * f + k] = s->instant->M[j * n + k];
    }
    for (int i = 0; i < s->nc; i++) {
        for (int t = 0; t <= s->tangents[i]; t++) {
            const int at = o->place[s->first[i] + t];
            const double rate = s->c[s->row[i] + t];
            if (at >= 0)
                o->a[at] = rate;
            else
                o->b[-1 - at] = rate;
            for (size_t j = 0; j < n; j++) {
                const double v = s->C[j * (size_t)s->p + (size_t)(s->first[i] + t)];
                if (at >= 0) {
                    o->A[j * f + (size_t)at] = -v;
                    o->A[(size_t)at * f + j] = v;
                } else {
                    o->C[j * m + (size_t)(-1 - at)] = -v;
                    o->D[(size_t)(-1 - at) * f + j] = v;
                }
            }
        }
    }
    return STI_OK;
}

static sti_status solve(opening* o, sti_sticking* r) {
    const sti_posed* s = o->s;
    const int f = o->free_count, m = o->pairs;
    const sti_mlcp mlcp = {.n = f,
                           .m = m,
                           .A = sti_matrix_dense_view(f, f, o->A),
                           .C = sti_matrix_dense_view(f, m, o->C),
                           .D = sti_matrix_dense_view(m, f, o->D),
                           .B = sti_matrix_dense_view(m, m, o->B),
                           .a = o->a,
                           .b = o->b};
    const sti_lcp_options options = sti_lcp_options_default();
    sti_lcp_answer answer;
    const sti_status status = sti_mlcp_solve(s->env, &mlcp, &options, &answer);
    if (status != STI_OK) return status;
    r->mlcp_outcome = answer.outcome;
    if (answer.outcome == STI_SOLVED) {
        r->opening_a = sti_pool_copy(s->pool, answer.u, (size_t)s->n);
        r->opening_lambda = sti_pool_doubles(s->pool, (size_t)s->p);
        r->opening_a_n = sti_pool_doubles(s->pool, (size_t)s->nc);
        for (int k = 0; s->pool->status == STI_OK && k < s->p; k++)
            r->opening_lambda[k] = o->place[k] >= 0 ? answer.u[o->place[k]] : answer.z[-1 - o->place[k]];
        for (int i = 0; s->pool->status == STI_OK && i < s->nc; i++)
            r->opening_a_n[i] = s->bilateral[i] ? 0 : answer.w[-1 - o->place[s->first[i]]];
    }
    sti_lcp_answer_clear(s->env, &answer);
    return s->pool->status;
}

// A contact that opens: its row of A' becomes lambda_n = 0, its bounds become lambda_t = 0.
static void open_contact(const sti_posed* s, sti_program* g, int i) {
    const size_t width = (size_t)g->size + 1;
    double* normal = g->row + (size_t)(s->n + s->row[i]) * width;
    memset(normal, 0, width * sizeof *normal);
    normal[1 + s->n + s->first[i]] = 1;
    for (int row = s->n + s->q; row < g->rows; row++) {
        if (g->owner[row] != i || g->kind[row] == STI_ROW_ZERO) continue;
        memset(g->row + (size_t)row * width, 0, width * sizeof *g->row);
        if (g->kind[row] != STI_ROW_TAIL) g->row[(size_t)row * width] = 1;
    }
    for (int k = 1; s->rough[i] && k <= s->tangents[i]; k++)
        sti_program_put(g, sti_program_add(g, STI_ROW_ZERO, i), 1 + s->n + s->first[i] + k, 1);
}

// The largest margin of the contacts that stay closed, in one branch.
static sti_status decide_branch(sti_sticking* r, const bool* opens, const signed char* sign, double* margin,
                                double* x) {
    const sti_posed* s = &r->memory->posed;
    const int d = s->n + s->p;
    sti_program g = {0};
    *margin = -INFINITY;
    sti_status status = sti_posed_program(s, sign, 1, 1 + s->p, d, false, &g);
    if (status != STI_OK) return status;
    for (int i = 0; i < s->nc; i++)
        if (opens[i]) open_contact(s, &g, i);
    const int cap = sti_program_add(&g, STI_ROW_NONNEGATIVE, -1);
    sti_program_put(&g, cap, 0, 1e4 * s->force);
    sti_program_put(&g, cap, 1 + d, -1);
    status = sti_program_reduce(&g);
    if (status != STI_OK || g.outside > 1e-8) return status;
    double* c = sti_pool_doubles(s->pool, (size_t)g.size);
    if (c == NULL) return s->pool->status;
    c[d] = -1;
    sti_program_answer answer;
    status = sti_program_minimize(&g, c, NULL, &answer);
    if (status == STI_OK && answer.outcome == STI_CONIC_SOLVED) {
        *margin = answer.x[d];
        memcpy(x, answer.x, (size_t)d * sizeof *x);
    }
    return status;
}

static sti_status decide(sti_sticking* r, bool definite) {
    const sti_posed* s = &r->memory->posed;
    bool* opens = sti_pool_take(s->pool, (size_t)s->nc, sizeof *opens);
    signed char* sign = sti_pool_take(s->pool, (size_t)s->nc, 1);
    double *x = sti_pool_doubles(s->pool, (size_t)(s->n + s->p)), best = -INFINITY;
    if (s->pool->status != STI_OK) return s->pool->status;
    double size = sti_small_max((size_t)s->nc, r->opening_a_n);
    size = fmax(size, sti_small_max((size_t)s->q, s->c));
    for (int i = 0; i < s->nc; i++) opens[i] = r->opening_a_n[i] > 1e-9 * size && r->opening_a_n[i] > 0;
    int choices = 0;
    for (int i = 0; i < s->nc; i++) choices += s->choice[i];
    if (choices > 6) return STI_OK;
    const double band = s->options.tol * s->force;
    for (int b = 0; b < 1 << choices && best <= band; b++) {
        for (int i = 0, bit = 0; i < s->nc; i++) sign[i] = s->choice[i] ? (b >> bit++ & 1 ? -1 : 1) : 0;
        double margin;
        const sti_status status = decide_branch(r, opens, sign, &margin, x);
        if (status != STI_OK) return status;
        if (margin <= best) continue;
        best = margin;
        if (margin < -band) continue;
        memcpy(r->opening_a, x, (size_t)s->n * sizeof *x);
        memcpy(r->opening_lambda, x + s->n, (size_t)s->p * sizeof *x);
    }
    r->opening_outcome = best > band     ? STI_STICKING_YES
                         : best >= -band ? STI_STICKING_LIMIT
                         : definite      ? STI_STICKING_NO
                                         : STI_STICKING_UNKNOWN;
    return STI_OK;
}

static sti_status is_definite(const sti_posed* s, bool* definite) {
    const int n = s->n;
    double *w = sti_pool_doubles(s->pool, (size_t)n), *V = sti_pool_doubles(s->pool, (size_t)n * (size_t)n);
    if (s->pool->status != STI_OK) return s->pool->status;
    const sti_status status = sti_small_eigen(s->pool, n, s->instant->M, w, V);
    *definite = status == STI_OK && n > 0 && w[0] > 1e-12 * w[n - 1];
    return status;
}

sti_status sti_sticking_opening(sti_sticking* r) {
    const sti_posed* s = &r->memory->posed;
    r->mlcp_outcome = STI_UNKNOWN;
    r->opening_outcome = STI_STICKING_UNKNOWN;
    for (int i = 0; i < s->nc; i++)
        if (s->slides[i]) return STI_OK;  // that is proposition 13
    opening o;
    bool definite = false;
    sti_status status = pose(&o, s);
    if (status == STI_OK) status = is_definite(s, &definite);
    if (status == STI_OK) status = solve(&o, r);
    if (status != STI_OK) return status;
    if (r->mlcp_outcome == STI_NO_SOLUTION) r->opening_outcome = STI_STICKING_NO;
    if (r->mlcp_outcome != STI_SOLVED) return STI_OK;
    status = decide(r, definite);
    // sticking in the sense of (61) is sticking in this sense, decided exactly
    if (status == STI_OK && r->answer.outcome == STI_STICKING_YES) r->opening_outcome = STI_STICKING_YES;
    return status;
}
