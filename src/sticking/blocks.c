// blocks.c: the matrices of S0 in its own order.
#include "sticking/blocks.h"

#include <math.h>
#include <string.h>

static void put_column(double* to, int cols, int j, const double* C, int p, int k, int n) {
    for (int i = 0; i < n; i++) to[(size_t)i * (size_t)cols + (size_t)j] = C[(size_t)i * (size_t)p + (size_t)k];
}

static void fill(sti_sticking_blocks* b) {
    const sti_posed* s = b->s;
    int tangent = 0, u = 0, x = 0;
    for (int i = 0; i < s->nc; i++) {
        put_column(b->N, b->m, i, s->C, s->p, s->first[i], s->n);
        b->c_n[i] = sti_posed_rate(s, s->first[i]);
        for (int k = 1; k <= s->tangents[i]; k++, tangent++) {
            put_column(b->H, b->t, tangent, s->C, s->p, s->first[i] + k, s->n);
            b->c_t[tangent] = sti_posed_rate(s, s->first[i] + k);
        }
        if (s->bilateral[i]) continue;
        put_column(b->U, b->u, u, s->C, s->p, s->first[i], s->n);
        b->c_u[u] = sti_posed_rate(s, s->first[i]);
        b->u_contact[u] = i;
        b->u_multiplier[u++] = s->first[i];
    }
    for (int pass = 0; pass < 3; pass++) {  // tangents of bilateral, of unilateral contacts, normals of bilateral ones
        for (int i = 0; i < s->nc; i++) {
            if (pass == 2 ? !s->bilateral[i] : (pass == 0) != s->bilateral[i]) continue;
            for (int k = pass == 2 ? 0 : 1; k <= (pass == 2 ? 0 : s->slides[i] ? 0 : s->tangents[i]); k++) {
                put_column(b->X, b->x, x, s->C, s->p, s->first[i] + k, s->n);
                b->c_x[x] = sti_posed_rate(s, s->first[i] + k);
                b->x_multiplier[x++] = s->first[i] + k;
            }
        }
    }
}

int sti_blocks_sign(double value, double terms) {
    if (fabs(value) <= 1e-12 * terms) return 0;
    if (fabs(value) <= 1e-9 * terms) return 2;
    return value > 0 ? 1 : -1;
}

static sti_status take(sti_sticking_blocks* b) {
    const sti_posed* s = b->s;
    const size_t n = (size_t)b->n;
    b->N = sti_arena_doubles(s->pool, n * (size_t)b->m);
    b->H = sti_arena_doubles(s->pool, n * (size_t)b->t);
    b->U = sti_arena_doubles(s->pool, n * (size_t)b->u);
    b->X = sti_arena_doubles(s->pool, n * (size_t)b->x);
    b->c_n = sti_arena_doubles(s->pool, (size_t)b->m);
    b->c_t = sti_arena_doubles(s->pool, (size_t)b->t);
    b->c_u = sti_arena_doubles(s->pool, (size_t)b->u);
    b->c_x = sti_arena_doubles(s->pool, (size_t)b->x);
    b->u_contact = sti_arena_ints(s->pool, (size_t)b->u);
    b->u_multiplier = sti_arena_ints(s->pool, (size_t)b->u);
    b->x_multiplier = sti_arena_ints(s->pool, (size_t)b->x);
    b->Minv = sti_arena_doubles(s->pool, n * n);
    b->acceleration = sti_arena_doubles(s->pool, n);
    return s->pool->status;
}

// M > 0 up to rounding: eigenvalues of M with its diagonal scaled to one; then its inverse.
static sti_status invert_mass(sti_sticking_blocks* b) {
    const sti_posed* s = b->s;
    const double* M = s->instant->M;
    const size_t n = (size_t)b->n;
    double *w = sti_arena_doubles(s->pool, n), *V = sti_arena_doubles(s->pool, n * n);
    double* scaled = sti_arena_copy(s->pool, M, n * n);
    if (s->pool->status != STI_OK) return s->pool->status;
    b->definite = true;
    for (size_t i = 0; i < n; i++) b->definite = b->definite && M[i * n + i] > 0;
    if (!b->definite) return STI_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) scaled[i * n + j] /= sqrt(M[i * n + i]) * sqrt(M[j * n + j]);
    sti_status status = sti_small_eigen(s->pool, b->n, scaled, w, V);
    b->definite = status == STI_OK && (n == 0 || w[0] > 1e-11);
    if (status == STI_OK && b->definite) status = sti_small_inverse(s->pool, b->n, M, b->Minv, &b->definite);
    for (size_t i = 0; i < n && b->definite; i++)
        for (size_t j = 0; j < n; j++) b->acceleration[i] += fabs(b->Minv[i * n + j] * s->instant->F[j]);
    return status;
}

static sti_status find_ranks(sti_sticking_blocks* b) {
    const sti_posed* s = b->s;
    int* list = sti_arena_ints(s->pool, (size_t)s->p);
    if (list == NULL) return s->pool->status;
    int count = 0;
    for (int i = 0; i < s->nc; i++) list[count++] = s->first[i];
    sti_status status = sti_posed_rank(s, &b->exact, list, count, &b->rank_N);
    count = 0;
    for (int i = 0; i < s->nc; i++)
        for (int k = 1; k <= s->tangents[i]; k++) list[count++] = s->first[i] + k;
    if (status == STI_OK) status = sti_posed_rank(s, &b->exact, list, count, &b->rank_H);
    if (status == STI_OK) status = sti_posed_rank(s, &b->exact, b->u_multiplier, b->u, &b->rank_U);
    if (status == STI_OK) status = sti_posed_rank(s, &b->exact, b->x_multiplier, b->x, &b->rank_X);
    for (int k = 0; k < s->p; k++) list[k] = k;
    if (status == STI_OK) status = sti_posed_rank(s, &b->exact, list, s->p, &b->rank_C);
    b->X_independent = b->rank_X == b->x;
    return status;
}

sti_status sti_blocks_make(sti_sticking_blocks* b, const sti_posed* s, bool exact) {
    *b = (sti_sticking_blocks){.s = s, .pool = s->pool, .n = s->n, .m = s->nc, .exact = exact};
    for (int i = 0; i < s->nc; i++) {
        b->t += s->tangents[i];
        b->u += !s->bilateral[i];
        b->x += (s->bilateral[i] ? 1 : 0) + (s->slides[i] ? 0 : s->tangents[i]);
        b->slides = b->slides || s->slides[i];
    }
    sti_status status = take(b);
    if (status != STI_OK) return status;
    fill(b);
    status = invert_mass(b);
    return status == STI_OK ? find_ranks(b) : status;
}

// rank (U, X): of all directions unless a contact slides, whose tangents are in neither.
static sti_status rank_UX(const sti_sticking_blocks* b, int* rank) {
    int* list = sti_arena_ints(b->pool, (size_t)(b->u + b->x));
    bool agree = b->exact;
    if (list == NULL) return b->pool->status;
    memcpy(list, b->u_multiplier, (size_t)b->u * sizeof *list);
    memcpy(list + b->u, b->x_multiplier, (size_t)b->x * sizeof *list);
    return sti_posed_rank(b->s, &agree, list, b->u + b->x, rank);
}

void sti_blocks_split(const sti_sticking_blocks* b, const double* lambda, double* out_n, double* out_t) {
    const sti_posed* s = b->s;
    int tangent = 0;
    for (int i = 0; i < s->nc; i++) {
        out_n[i] = lambda[s->first[i]];
        for (int k = 1; k <= s->tangents[i]; k++) out_t[tangent++] = lambda[s->first[i] + k];
    }
}

// W has the rank of X. Its inverse by Cholesky does not mind units; the pseudo-inverse keeps as many singular values.
sti_status sti_blocks_pinv(const sti_sticking_blocks* b, const double* W, double** out) {
    bool definite = false;
    sti_status status = STI_OK;
    *out = sti_arena_doubles(b->pool, (size_t)b->x * (size_t)b->x);
    if (*out == NULL) return b->pool->status;
    if (b->X_independent) status = sti_small_inverse(b->pool, b->x, W, *out, &definite);
    if (status != STI_OK || definite) return status;
    sti_svd f;
    status = sti_svd_make(b->pool, b->x, b->x, W, 0, &f);
    if (status != STI_OK) return status;
    f.rank = b->rank_X;
    return sti_svd_pinv(b->pool, &f, out);
}

sti_status sti_blocks_augmented(const sti_sticking_blocks* b, sti_augmented* out) {
    sti_arena* pool = b->pool;
    const size_t n = (size_t)b->n, u = (size_t)b->u, x = (size_t)b->x;
    double *MX = sti_arena_doubles(pool, n * x), *MU = sti_arena_doubles(pool, n * u),
           *W = sti_arena_doubles(pool, x * x);
    double *UX = sti_arena_doubles(pool, u * x), *UXW = sti_arena_doubles(pool, u * x);
    double* load = sti_arena_doubles(pool, n);
    out->A = sti_arena_doubles(pool, u * u);
    out->H = sti_arena_doubles(pool, u);
    out->first = sti_arena_doubles(pool, u);
    double* XF = sti_arena_doubles(pool, x);
    if (pool->status != STI_OK) return pool->status;
    sti_small_multiply(b->n, b->n, b->x, b->Minv, b->X, MX);
    sti_small_multiply(b->n, b->n, b->u, b->Minv, b->U, MU);
    sti_small_multiply_tn(b->x, b->n, b->x, b->X, MX, W);
    int rank = 0;
    sti_status status = sti_blocks_pinv(b, W, &out->Winv);
    if (status == STI_OK) status = rank_UX(b, &rank);
    if (status != STI_OK) return status;
    out->kernel = b->u - (rank - b->rank_X);
    sti_small_multiply_tn(b->u, b->n, b->x, b->U, MX, UX);
    sti_small_multiply(b->u, b->x, b->x, UX, out->Winv, UXW);
    sti_small_multiply_tn(b->u, b->n, b->u, b->U, MU, out->A);
    for (size_t i = 0; i < u; i++) {
        for (size_t j = 0; j < u; j++)
            for (size_t k = 0; k < x; k++) out->A[i * u + j] -= UXW[i * x + k] * UX[j * x + k];
    }
    // -U'Mc^-1 F = -U'M^-1 F + UXW X'M^-1 F
    sti_small_multiply(b->n, b->n, 1, b->Minv, b->s->instant->F, load);
    sti_small_multiply_tn(b->x, b->n, 1, b->X, load, XF);
    for (size_t i = 0; i < u; i++) {
        double sum = 0, rates = 0;
        for (size_t j = 0; j < n; j++) sum -= b->U[j * u + i] * load[j];
        for (size_t k = 0; k < x; k++) {
            sum += UXW[i * x + k] * XF[k];
            rates += UXW[i * x + k] * b->c_x[k];
        }
        out->first[i] = sum;
        out->H[i] = sum - rates + b->c_u[i];
    }
    return STI_OK;
}

sti_status sti_sticking_propositions(sti_sticking* r) {
    const sti_posed* s = &r->memory->posed;
    sti_sticking_blocks b;
    sti_propositions_table t;
    sti_status status = sti_blocks_make(&b, s, s->exact && !r->near_redundant);
    if (status == STI_OK) status = sti_propositions_open(&t, s->pool, 40);
    if (status != STI_OK) return status;
    status = sti_propositions_bilateral(r, &b, &t);
    if (status == STI_OK) status = sti_propositions_unilateral(r, &b, &t);
    if (status == STI_OK) status = sti_propositions_solvability(r, &b, &t);
    if (status == STI_OK) status = sti_propositions_discs(r, &b, &t);
    if (status == STI_OK) status = sti_propositions_sliding(r, &b, &t);
    r->answer.proposition_count = t.count;
    r->answer.propositions = t.list;
    return status == STI_OK ? s->pool->status : status;
}
