// sticking_blocks.c: the matrices of S0 in its own order.
#include "analyze/sticking_blocks.h"

#include <math.h>
#include <string.h>

static void put_column(double* to, int cols, int j, const double* C, int p, int k, int n) {
    for (int i = 0; i < n; i++) to[(size_t)i * (size_t)cols + (size_t)j] = C[(size_t)i * (size_t)p + (size_t)k];
}

// Rate of multiplier direction k (normal 0, tangent 1..) of contact i, also for tangents of sliding contacts.
static double rate_of(const sti_posed* s, int i, int k) {
    const sti_instant_contact* contact = sti_posed_contact(s, i);
    return k == 0 ? contact->n_rate : contact->t_rate[k - 1];
}

static void fill(sti_blocks* b) {
    const sti_posed* s = b->s;
    int tangent = 0, u = 0, x = 0;
    for (int i = 0; i < s->nc; i++) {
        put_column(b->N, b->m, i, s->C, s->p, s->first[i], s->n);
        b->c_n[i] = rate_of(s, i, 0);
        for (int k = 1; k <= s->tangents[i]; k++, tangent++) {
            put_column(b->H, b->t, tangent, s->C, s->p, s->first[i] + k, s->n);
            b->c_t[tangent] = rate_of(s, i, k);
        }
        if (s->bilateral[i]) continue;
        put_column(b->U, b->u, u, s->C, s->p, s->first[i], s->n);
        b->c_u[u] = rate_of(s, i, 0);
        b->u_contact[u] = i;
        b->u_multiplier[u++] = s->first[i];
    }
    for (int pass = 0; pass < 3; pass++) {  // tangents of bilateral, of unilateral contacts, normals of bilateral ones
        for (int i = 0; i < s->nc; i++) {
            if (pass == 2 ? !s->bilateral[i] : (pass == 0) != s->bilateral[i]) continue;
            for (int k = pass == 2 ? 0 : 1; k <= (pass == 2 ? 0 : s->slides[i] ? 0 : s->tangents[i]); k++) {
                put_column(b->X, b->x, x, s->C, s->p, s->first[i] + k, s->n);
                b->c_x[x] = rate_of(s, i, k);
                b->x_multiplier[x++] = s->first[i] + k;
            }
        }
    }
}

sti_status sti_blocks_make(sti_blocks* b, const sti_posed* s) {
    *b = (sti_blocks){.s = s, .pool = s->pool, .n = s->n, .m = s->nc};
    for (int i = 0; i < s->nc; i++) {
        b->t += s->tangents[i];
        b->u += !s->bilateral[i];
        b->x += (s->bilateral[i] ? 1 : 0) + (s->slides[i] ? 0 : s->tangents[i]);
        b->slides = b->slides || s->slides[i];
    }
    const size_t n = (size_t)b->n;
    b->N = sti_pool_doubles(s->pool, n * (size_t)b->m);
    b->H = sti_pool_doubles(s->pool, n * (size_t)b->t);
    b->U = sti_pool_doubles(s->pool, n * (size_t)b->u);
    b->X = sti_pool_doubles(s->pool, n * (size_t)b->x);
    b->c_n = sti_pool_doubles(s->pool, (size_t)b->m);
    b->c_t = sti_pool_doubles(s->pool, (size_t)b->t);
    b->c_u = sti_pool_doubles(s->pool, (size_t)b->u);
    b->c_x = sti_pool_doubles(s->pool, (size_t)b->x);
    b->u_contact = sti_pool_ints(s->pool, (size_t)b->u);
    b->u_multiplier = sti_pool_ints(s->pool, (size_t)b->u);
    b->x_multiplier = sti_pool_ints(s->pool, (size_t)b->x);
    b->Minv = sti_pool_doubles(s->pool, n * n);
    double *w = sti_pool_doubles(s->pool, n), *V = sti_pool_doubles(s->pool, n * n);
    if (s->pool->status != STI_OK) return s->pool->status;
    fill(b);
    // definite up to rounding: eigenvalues of M with its diagonal scaled to one
    double* scaled = sti_pool_copy(s->pool, s->instant->M, n * n);
    if (scaled == NULL) return s->pool->status;
    b->definite = true;
    for (size_t i = 0; i < n; i++) {
        if (!(s->instant->M[i * n + i] > 0)) b->definite = false;
        for (size_t j = 0; j < n && b->definite; j++)
            scaled[i * n + j] /= sqrt(s->instant->M[i * n + i]) * sqrt(fabs(s->instant->M[j * n + j]));
    }
    sti_status status = STI_OK;
    if (b->definite) {
        status = sti_small_eigen(s->pool, b->n, scaled, w, V);
        b->definite = status == STI_OK && (n == 0 || w[0] > 1e-11);
    }
    if (status == STI_OK && b->definite)
        status = sti_small_inverse(s->pool, b->n, s->instant->M, b->Minv, &b->definite);
    int rank = 0;
    if (status == STI_OK) status = sti_small_rank(s->pool, b->n, b->x, b->X, &rank);
    b->X_independent = rank == b->x;
    return status;
}

void sti_blocks_split(const sti_blocks* b, const double* lambda, double* out_n, double* out_t) {
    const sti_posed* s = b->s;
    int tangent = 0;
    for (int i = 0; i < s->nc; i++) {
        out_n[i] = lambda[s->first[i]];
        for (int k = 1; k <= s->tangents[i]; k++) out_t[tangent++] = lambda[s->first[i] + k];
    }
}

sti_status sti_blocks_augmented(const sti_blocks* b, sti_augmented* out) {
    sti_pool* pool = b->pool;
    const size_t n = (size_t)b->n, u = (size_t)b->u, x = (size_t)b->x;
    double *MX = sti_pool_doubles(pool, n * x), *MU = sti_pool_doubles(pool, n * u), *W = sti_pool_doubles(pool, x * x);
    double *UX = sti_pool_doubles(pool, u * x), *UXW = sti_pool_doubles(pool, u * x);
    double* load = sti_pool_doubles(pool, n);
    out->A = sti_pool_doubles(pool, u * u);
    out->H = sti_pool_doubles(pool, u);
    out->first = sti_pool_doubles(pool, u);
    double* XF = sti_pool_doubles(pool, x);
    if (pool->status != STI_OK) return pool->status;
    sti_small_multiply(b->n, b->n, b->x, b->Minv, b->X, MX);
    sti_small_multiply(b->n, b->n, b->u, b->Minv, b->U, MU);
    sti_small_multiply_tn(b->x, b->n, b->x, b->X, MX, W);
    sti_svd f;
    sti_status status = sti_svd_make(pool, b->x, b->x, W, STI_SMALL_RANK_TOL, &f);
    if (status == STI_OK) status = sti_svd_pinv(pool, &f, &out->Winv);
    if (status != STI_OK) return status;
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
    sti_blocks b;
    sti_propositions_table t;
    sti_status status = sti_blocks_make(&b, s);
    if (status == STI_OK) status = sti_propositions_open(&t, s->pool, 40);
    if (status != STI_OK) return status;
    status = sti_propositions_bilateral(r, &b, &t);
    if (status == STI_OK) status = sti_propositions_unilateral(r, &b, &t);
    if (status == STI_OK) status = sti_propositions_solvability(r, &b, &t);
    if (status == STI_OK) status = sti_propositions_discs(r, &b, &t);
    if (status == STI_OK) status = sti_propositions_sliding(r, &b, &t);
    r->proposition_count = t.count;
    r->propositions = t.list;
    return status == STI_OK ? s->pool->status : status;
}
