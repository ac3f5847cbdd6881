// newton.c: one Newton system (3.1.7) for whoever wants to look at it: the Schur complement, its eigenvalues, the
// solution.
#include <math.h>
#include <string.h>

#include "linalg/lapack.h"
#include "stochastic/arrow.h"
#include "stochastic/check.h"

static const double SOLVED = 1e-6;  // residual beyond which the solution counts as none

enum { REFINEMENTS = 2 };

void sti_stochastic_step_clear(sti_env* env, sti_stochastic_step* step) {
    double* owned[] = {step->C, step->eigen, step->z0, step->z};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(env, owned[k]);
    *step = (sti_stochastic_step){0};
}

typedef struct work {
    const sti_stochastic_layout* L;
    sti_arrow arrow;
    double *D, *E;    // in the scale of program.h        (all variables), (all rows)
    double *u, *l;    // solution
    double *ru, *rl;  // right-hand sides
    double *tu, *tl;  // residuals, corrections
    double* block;
} work;

static sti_status reserve(sti_env* env, const sti_stochastic_layout* L, work* w, sti_stochastic_step* out) {
    const size_t nv = L->var[L->blocks], nr = L->row[L->blocks], order = (size_t)L->p->n + (size_t)L->p->p;
    w->block = sti_alloc_array_zero(env, sti_size_mul(4, sti_size_add(nv, nr)), sizeof *w->block);
    out->order = (int)order;
    out->size = nv + nr - order;
    out->C = sti_alloc_array_zero(env, sti_size_mul(order, order), sizeof *out->C);
    out->eigen = sti_alloc_array_zero(env, sti_size_mul(4, order), sizeof *out->eigen);  // and room to work
    out->z0 = sti_alloc_array_zero(env, order, sizeof *out->z0);
    out->z = sti_alloc_array_zero(env, out->size, sizeof *out->z);
    if (w->block == NULL || out->C == NULL || out->eigen == NULL || out->z0 == NULL || out->z == NULL)
        return STI_ERR_MEMORY;
    double** parts[] = {&w->D, &w->u, &w->ru, &w->tu, &w->E, &w->l, &w->rl, &w->tl};
    double* at = w->block;
    for (int k = 0; k < 8; k++, at += k <= 4 ? nv : nr) *parts[k] = at;
    return STI_OK;
}

static sti_status check(sti_env* env, const sti_stochastic_layout* L, const sti_stochastic_system* s) {
    const int n = L->p->n;
    for (size_t k = 0; k < L->var[L->blocks]; k++) {
        const double d = k < (size_t)n ? s->D0[k] : s->D[k - (size_t)n];
        if (!(d >= 0) || !isfinite(d))
            return STI_FAIL(env, STI_ERR_ARGUMENT, (int64_t)k, "%s[%zu]: %g: a number that is not negative is expected",
                            k < (size_t)n ? "D0" : "D", k < (size_t)n ? k : k - (size_t)n, d);
    }
    return STI_OK;
}

// Data of the system as of S3, in the scale of program.h: rows of y_i and multipliers l_i are divided by p_i.
static void load(work* w, const sti_stochastic_system* s) {
    const sti_stochastic_layout* L = w->L;
    const int n = L->p->n, p = L->p->p;
    memcpy(w->D, s->D0, (size_t)n * sizeof *w->D);
    memcpy(w->ru, s->rhs0, (size_t)n * sizeof *w->ru);
    memcpy(w->rl, s->rhs0 + n, (size_t)p * sizeof *w->rl);
    const double *D = s->D, *rhs = s->rhs;
    for (int i = 1; i < L->blocks; i++) {
        const double weight = sti_stochastic_layout_weight(L, i);
        for (size_t k = L->var[i]; k < L->var[i + 1]; k++) {
            w->D[k] = *D++ / weight;
            w->ru[k] = *rhs++ / weight;
        }
        for (size_t k = L->row[i]; k < L->row[i + 1]; k++) w->rl[k] = *rhs++;
    }
}

// t = r - K z, the largest entry of it over that of r.
static double residual(work* w) {
    const sti_stochastic_layout* L = w->L;
    double worst = 0, size = 0;
    memcpy(w->tu, w->ru, L->var[L->blocks] * sizeof *w->tu);
    memcpy(w->tl, w->rl, L->row[L->blocks] * sizeof *w->tl);
    for (int i = 0; i < L->blocks; i++) {
        double *tu = w->tu + L->var[i], *tl = w->tl + L->row[i];
        const double *u = w->u + L->var[i], *l = w->l + L->row[i];
        sti_block_multiply(sti_stochastic_layout_Q(L, i), -1, u, tu);
        sti_block_multiply_transposed(sti_stochastic_layout_A(L, i), -1, l, tu);
        sti_block_multiply(sti_stochastic_layout_A(L, i), -1, u, tl);
        for (int k = 0; k < sti_stochastic_layout_m(L, i); k++) tu[k] -= w->D[L->var[i] + (size_t)k] * u[k];
        if (i == 0) continue;
        const sti_matrix *T = &L->p->scenarios[i - 1].T, *W0 = sti_stochastic_layout_W0(L, i);
        const double weight = sti_stochastic_layout_weight(L, i);
        sti_block_multiply_transposed(T, -1, w->l, tu);
        sti_block_multiply(W0, -1, w->u, tl);
        sti_block_multiply(T, -weight, u, w->tl);
        sti_block_multiply_transposed(W0, -weight, l, w->tu);
    }
    for (size_t k = 0; k < L->var[L->blocks]; k++) {
        worst = fmax(worst, fabs(w->tu[k]));
        size = fmax(size, fabs(w->ru[k]));
    }
    for (size_t k = 0; k < L->row[L->blocks]; k++) {
        worst = fmax(worst, fabs(w->tl[k]));
        size = fmax(size, fabs(w->rl[k]));
    }
    return size > 0 ? worst / size : worst;
}

static sti_status solve(sti_env* env, work* w, sti_stochastic_step* out) {
    const sti_stochastic_layout* L = w->L;
    w->arrow.held = 0;
    sti_arrow_factor(&w->arrow, w->D, w->E, 0);
    memcpy(w->u, w->ru, L->var[L->blocks] * sizeof *w->u);
    memcpy(w->l, w->rl, L->row[L->blocks] * sizeof *w->l);
    sti_arrow_solve(&w->arrow, w->u, w->l);
    for (int r = 0; r < REFINEMENTS; r++) {
        residual(w);
        sti_arrow_solve(&w->arrow, w->tu, w->tl);
        for (size_t k = 0; k < L->var[L->blocks]; k++) w->u[k] += w->tu[k];
        for (size_t k = 0; k < L->row[L->blocks]; k++) w->l[k] += w->tl[k];
    }
    out->residual = residual(w);
    if (out->residual <= SOLVED) return STI_OK;
    return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the Newton system, or the block of a scenario, is singular");
}

static void store(const work* w, sti_stochastic_step* out) {
    const sti_stochastic_layout* L = w->L;
    memcpy(out->z0, w->u, (size_t)L->p->n * sizeof *out->z0);
    memcpy(out->z0 + L->p->n, w->l, (size_t)L->p->p * sizeof *out->z0);
    double* z = out->z;
    for (int i = 1; i < L->blocks; i++) {
        for (size_t k = L->var[i]; k < L->var[i + 1]; k++) *z++ = w->u[k];
        for (size_t k = L->row[i]; k < L->row[i + 1]; k++) *z++ = w->l[k] * sti_stochastic_layout_weight(L, i);
    }
}

// Both triangles of C, and its eigenvalues.
static sti_status decompose(sti_env* env, const work* w, sti_stochastic_step* out) {
    const size_t n = (size_t)out->order;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n; j++) out->C[i * n + j] = out->C[j * n + i] = w->arrow.C[i * n + j];
    }
    double* copy = sti_alloc_array(env, sti_size_mul(n, n), sizeof *copy);
    if (copy == NULL) return STI_ERR_MEMORY;
    memcpy(copy, out->C, n * n * sizeof *copy);
    sti_status status = sti_lapack_reserve(env);
    if (status == STI_OK && n > 0) {
        const int end = sti_lapack_symmetric_eigen(false, (int)n, copy, out->eigen, out->eigen + n, (int)(3 * n));
        if (end != STI_LAPACK_DONE) status = sti_lapack_status(env, end, "eigenvalues of the Schur complement");
    }
    sti_free(env, copy);
    return status;
}

sti_status sti_stochastic_newton_step(sti_env* env, const sti_stochastic* program, const sti_stochastic_system* system,
                                      sti_stochastic_step* step) {
    sti_stochastic_layout L;
    *step = (sti_stochastic_step){0};
    sti_status status = sti_stochastic_check(env, program, NULL);
    if (status == STI_OK) status = sti_stochastic_layout_create(env, program, NULL, &L);
    if (status != STI_OK) return status;
    work w = {.L = &L};
    status = check(env, &L, system);
    if (status == STI_OK) status = reserve(env, &L, &w, step);
    if (status == STI_OK) status = sti_arrow_create(env, &L, NULL, &w.arrow);
    if (status == STI_OK) {
        load(&w, system);
        status = solve(env, &w, step);
    }
    if (status == STI_OK) status = decompose(env, &w, step);
    if (status == STI_OK) store(&w, step);
    sti_arrow_clear(&w.arrow);
    sti_free(env, w.block);
    sti_stochastic_layout_clear(env, &L);
    if (status != STI_OK) sti_stochastic_step_clear(env, step);
    return status;
}
