// equilibrate.c: contacts brought to the same units before they are solved.
//
//     r = S r',   u' = S u,   W' = S W S,   q' = S q,         s_c = 2^k near sqrt(d / trace W_cc)
//
// The law at a contact does not change when its forces are multiplied and its velocities divided by a number, and
// neither does the residual that decides (judge.c). But every method of this room watches one norm over all contacts on
// its way: with blocks W_cc that differ by 1e16 it would see nothing but the largest. With powers of two nothing is
// rounded.
#include "contact/equilibrate.h"

#include <math.h>
#include <string.h>

#include "contact/local.h"

static const double UNEVEN = 1e4;  // trace of W_cc over that of another contact

static double trace(const sti_contact_local* p, int c) {
    double sum = 0;
    for (int i = 0; i < p->d; i++)
        sum += p->diagonal[((size_t)c * (size_t)p->d + (size_t)i) * (size_t)p->d + (size_t)i];
    return sum;
}

bool sti_contact_uneven(const sti_contact_local* p) {
    double least = INFINITY, most = 0;
    for (int c = 0; c < p->nc && p->op == NULL; c++) {
        const double x = trace(p, c);
        if (!(x > 0)) continue;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    return most > UNEVEN * least;
}

static sti_status copy_matrix(sti_env* env, const sti_bsr* A, sti_bsr* out) {
    const size_t n = (size_t)A->n, blocks = (size_t)A->row_start[A->n], dd = (size_t)(A->d * A->d);
    *out = (sti_bsr){.d = A->d, .n = A->n};
    out->row_start = sti_alloc_array(env, n + 1, sizeof *out->row_start);
    out->col = sti_alloc_array(env, blocks, sizeof *out->col);
    out->diagonal = sti_alloc_array(env, n, sizeof *out->diagonal);
    out->block = sti_alloc_array(env, blocks * dd, sizeof *out->block);
    if (out->row_start == NULL || out->col == NULL || out->diagonal == NULL || out->block == NULL)
        return STI_ERR_MEMORY;
    memcpy(out->row_start, A->row_start, (n + 1) * sizeof *out->row_start);
    memcpy(out->col, A->col, blocks * sizeof *out->col);
    memcpy(out->diagonal, A->diagonal, n * sizeof *out->diagonal);
    memcpy(out->block, A->block, blocks * dd * sizeof *out->block);
    return STI_OK;
}

static void scale_matrix(sti_bsr* A, const double* s) {
    const int dd = A->d * A->d;
    for (int c = 0; c < A->n; c++) {
        for (int64_t k = A->row_start[c]; k < A->row_start[c + 1]; k++) {
            for (int i = 0; i < dd; i++) A->block[k * dd + i] *= s[c] * s[A->col[k]];
        }
    }
}

void sti_contact_even_follow(sti_contact_even* e, const sti_contact_local* p) {
    e->local.scale = 0;
    for (int i = 0; i < p->d * p->nc; i++) {
        e->q[i] = e->scale[i / p->d] * p->q[i];
        const double x = e->local.rho[i / p->d] * e->q[i];
        e->local.scale += x * x;
    }
    e->local.scale = sqrt(e->local.scale);
}

sti_status sti_contact_even_create(const sti_contact_local* p, sti_contact_even* out) {
    *out = (sti_contact_even){.local = {.env = p->env, .d = p->d, .nc = p->nc, .mu = p->mu}};
    out->q = sti_alloc_array(p->env, (size_t)(p->d * p->nc), sizeof *out->q);
    out->scale = sti_alloc_array(p->env, (size_t)p->nc, sizeof *out->scale);
    sti_status status = STI_OK;
    if (out->q == NULL || out->scale == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = copy_matrix(p->env, &p->W, &out->local.W);
    for (int c = 0; status == STI_OK && c < p->nc; c++) {
        int exponent = 0;
        const double x = trace(p, c);
        if (x > 0) frexp(x / p->d, &exponent);
        out->scale[c] = ldexp(1, -exponent / 2);
    }
    if (status == STI_OK) {
        scale_matrix(&out->local.W, out->scale);
        for (int i = 0; i < p->d * p->nc; i++) out->q[i] = out->scale[i / p->d] * p->q[i];
        out->local.q = out->q;
        status = sti_contact_local_finish(&out->local);
    }
    if (status != STI_OK) sti_contact_even_clear(out);
    return status;
}

void sti_contact_even_clear(sti_contact_even* e) {
    sti_env* env = e->local.env;
    if (env == NULL) return;
    sti_contact_local_clear(&e->local);
    sti_free(env, e->q);
    sti_free(env, e->scale);
    *e = (sti_contact_even){0};
}
