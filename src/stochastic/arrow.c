// arrow.c: (3.1.7) by its Schur complement: blocks in parallel, sums over fixed groups of scenarios in their order.
//
//     K_i z_i + B_i z_0 = r_i,     K_0 z_0 + sum p_i B_i'z_i = r_0
//     C = K_0 - sum p_i B_i'K_i^-1 B_i,     C z_0 = r_0 - sum p_i B_i'K_i^-1 r_i,     z_i = K_i^-1 (r_i - B_i z_0)
//
// K_i = [Q_i + D_i, W_i'; W_i, -E_i] has positive and then negative pivots in any order of its unknowns, and so has C: no pivoting.
// The unknowns of one scenario's elimination are y, l, pi, x; y has nothing in the columns of x, so those are left out until l.
#include "stochastic/arrow.h"

#include <string.h>

#include "stochastic/kernel.h"

sti_status sti_arrow_create(sti_env* env, const sti_layout* L, sti_tasks* tasks, sti_arrow* out) {
    const size_t order = (size_t)L->p->n + (size_t)L->p->p, chunks = (size_t)L->chunks;
    const size_t widest = (size_t)L->most_m + (size_t)L->most_q + order, workers = (size_t)sti_tasks_workers(tasks);
    *out = (sti_arrow){.env = env, .L = L, .tasks = tasks, .order = (int)order};
    out->start = sti_alloc_array_zero(env, (size_t)L->blocks + 1, sizeof *out->start);
    if (out->start == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "factors of %d scenarios", L->blocks - 1);
    for (int i = 1; i < L->blocks; i++) {
        const int k = sti_layout_m(L, i) + sti_layout_q(L, i);
        out->start[i + 1] = sti_size_add(out->start[i], sti_kernel_packed(k) + (size_t)k);
    }
    out->scratch_size = sti_size_add(sti_size_mul(widest, widest), sti_size_mul(4, widest));
    out->factor = sti_alloc_array(env, out->start[L->blocks], sizeof *out->factor);
    out->C = sti_alloc_array(env, sti_size_mul(order, order), sizeof *out->C);
    out->factor0 = sti_alloc_array(env, sti_kernel_packed((int)order) + order, sizeof *out->factor0);
    out->z0 = sti_alloc_array(env, order, sizeof *out->z0);
    out->part = sti_alloc_array(env, sti_size_mul(chunks, sti_size_mul(order + 1, order)), sizeof *out->part);
    out->scratch = sti_alloc_array(env, sti_size_mul(workers, out->scratch_size), sizeof *out->scratch);
    out->frozen = sti_alloc_array_zero(env, chunks, sizeof *out->frozen);
    if (out->factor != NULL && out->C != NULL && out->factor0 != NULL && out->z0 != NULL && out->part != NULL &&
        out->scratch != NULL && out->frozen != NULL)
        return STI_OK;
    sti_arrow_clear(out);
    return STI_FAIL(env, STI_ERR_MEMORY, -1, "factors of %d scenarios", L->blocks - 1);
}

void sti_arrow_clear(sti_arrow* a) {
    if (a->env == NULL) return;
    void* owned[] = {a->start, a->factor, a->C, a->factor0, a->z0, a->part, a->scratch, a->frozen};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(a->env, owned[k]);
    *a = (sti_arrow){0};
}

// ---- factors

// f A into rows from `row`, columns from `col`: transposed, A' there.
static void put(double* a, int order, const sti_matrix* A, double f, int row, int col, bool transposed) {
    const size_t stride = (size_t)order;
    if (A->rows == 0) return;
    if (A->dense != NULL) {
        for (int i = 0; i < A->rows; i++) {
            for (int j = 0; j < A->cols; j++) {
                const int r = row + (transposed ? j : i), c = col + (transposed ? i : j);
                a[(size_t)r * stride + (size_t)c] = f * A->dense[(size_t)i * (size_t)A->cols + (size_t)j];
            }
        }
        return;
    }
    for (int j = 0; j < A->cols && A->col_start != NULL; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            const int r = row + (transposed ? j : A->row[k]), c = col + (transposed ? A->row[k] : j);
            a[(size_t)r * stride + (size_t)c] = f * A->value[k];
        }
    }
}

static void add_diagonal(double* a, int order, int first, const double* d, double f, int count) {
    for (int j = 0; j < count; j++) a[(size_t)(first + j) * (size_t)order + (size_t)(first + j)] += f * d[j];
}

// [K_i B_i; . 0], the columns of B_i those of pi and x.
static void fill_block(const sti_arrow* a, int i, double* K, int order) {
    const sti_layout* L = a->L;
    const int m = sti_layout_m(L, i), q = sti_layout_q(L, i), p = L->p->p;
    memset(K, 0, (size_t)order * (size_t)order * sizeof *K);
    put(K, order, sti_layout_Q(L, i), 1, 0, 0, false);
    put(K, order, sti_layout_A(L, i), 1, 0, m, true);
    add_diagonal(K, order, 0, a->D + L->var[i], 1, m);
    add_diagonal(K, order, m, a->E + L->row[i], -1, q);
    if (i == 0) return;
    put(K, order, &L->p->scenarios[i - 1].T, 1, 0, m + q, true);
    put(K, order, sti_layout_W0(L, i), 1, m, m + q + p, false);
}

// part (order x order, x before pi) += weight times the Schur complement in K, whose last unknowns are pi, x
static void add_share(const sti_arrow* a, const double* K, int width, int k, double weight, double* part) {
    const int n = a->L->p->n, p = a->L->p->p;
    for (int i = 0; i < p + n; i++) {
        const double* row = K + (size_t)(k + i) * (size_t)width + (size_t)k;
        const int to = i < p ? n + i : i - p;
        for (int j = i; j < p + n; j++) {
            const int other = j < p ? n + j : j - p;
            const int low = to < other ? to : other, high = to < other ? other : to;
            part[(size_t)low * (size_t)a->order + (size_t)high] += weight * row[j];
        }
    }
}

static void factor_chunk(void* context, int chunk, int worker) {
    sti_arrow* a = context;
    const sti_layout* L = a->L;
    const size_t area = (size_t)a->order * (size_t)a->order;
    double* part = a->part + (size_t)chunk * (area + (size_t)a->order);
    double* K = a->scratch + (size_t)worker * a->scratch_size;
    memset(part, 0, area * sizeof *part);
    a->frozen[chunk] = 0;
    for (int i = sti_layout_chunk(L, chunk); i < sti_layout_chunk(L, chunk + 1); i++) {
        const int m = sti_layout_m(L, i), q = sti_layout_q(L, i), k = m + q, width = k + a->order;
        double *packed = a->factor + a->start[i], *inverse = packed + sti_kernel_packed(k);
        fill_block(a, i, K, width);
        a->frozen[chunk] +=
            sti_kernel_eliminate(K, width, m, k, k + L->p->p, inverse, K + (size_t)width * (size_t)width);
        sti_kernel_pack(K, width, k, packed);
        add_share(a, K, width, k, sti_layout_weight(L, i), part);
    }
}

int sti_arrow_factor(sti_arrow* a, const double* D, const double* E) {
    const sti_layout* L = a->L;
    const int order = a->order, n = L->p->n;
    const size_t area = (size_t)order * (size_t)order;
    int frozen = 0;
    a->D = D;
    a->E = E;
    sti_tasks_run(a->tasks, L->chunks, factor_chunk, a);
    if (sti_layout_leads(L))
        fill_block(a, 0, a->C, order);
    else
        memset(a->C, 0, area * sizeof *a->C);
    for (int c = 0; c < L->chunks; c++) {
        const double* part = a->part + (size_t)c * (area + (size_t)order);
        for (size_t k = 0; k < area; k++) a->C[k] += part[k];
        frozen += a->frozen[c];
    }
    sti_layout_sum(L, a->C, area);
    double *K = a->scratch, *inverse = a->factor0 + sti_kernel_packed(order);
    memcpy(K, a->C, area * sizeof *K);
    frozen += sti_kernel_eliminate(K, order, n, order, order, inverse, K + area);
    sti_kernel_pack(K, order, order, a->factor0);
    return frozen;
}

// ---- solutions

typedef struct solution {
    sti_arrow* a;
    double *u, *l;
    const double* z0;  // NULL: on the way to it
} solution;

static void solve_block(const solution* s, int i, double* z) {
    const sti_layout* L = s->a->L;
    const int m = sti_layout_m(L, i), q = sti_layout_q(L, i);
    const double* packed = s->a->factor + s->a->start[i];
    memcpy(z, s->u + L->var[i], (size_t)m * sizeof *z);
    memcpy(z + m, s->l + L->row[i], (size_t)q * sizeof *z);
    if (s->z0 != NULL) {
        sti_block_multiply_transposed(&L->p->scenarios[i - 1].T, -1, s->z0 + L->p->n, z);
        sti_block_multiply(sti_layout_W0(L, i), -1, s->z0, z + m);
    }
    sti_kernel_solve(packed, packed + sti_kernel_packed(m + q), m + q, z);
}

static void solve_chunk(void* context, int chunk, int worker) {
    const solution* s = context;
    sti_arrow* a = s->a;
    const sti_layout* L = a->L;
    const size_t order = (size_t)a->order;
    double *z = a->scratch + (size_t)worker * a->scratch_size, *part = a->part + (size_t)chunk * (order + 1) * order;
    memset(part, 0, order * sizeof *part);
    for (int i = sti_layout_chunk(L, chunk); i < sti_layout_chunk(L, chunk + 1); i++) {
        const int m = sti_layout_m(L, i), q = sti_layout_q(L, i);
        const double weight = sti_layout_weight(L, i);
        solve_block(s, i, z);
        if (s->z0 != NULL) {
            memcpy(s->u + L->var[i], z, (size_t)m * sizeof *z);
            memcpy(s->l + L->row[i], z + m, (size_t)q * sizeof *z);
        } else {
            sti_block_multiply_transposed(sti_layout_W0(L, i), weight, z + m, part);
            sti_block_multiply(&L->p->scenarios[i - 1].T, weight, z, part + L->p->n);
        }
    }
}

void sti_arrow_solve(sti_arrow* a, double* u, double* l) {
    const sti_layout* L = a->L;
    const int n = L->p->n, p = L->p->p, order = a->order;
    solution s = {.a = a, .u = u, .l = l};
    sti_tasks_run(a->tasks, L->chunks, solve_chunk, &s);
    double* z0 = a->z0;
    memcpy(z0, u, (size_t)n * sizeof *z0);
    memcpy(z0 + n, l, (size_t)p * sizeof *z0);
    if (!sti_layout_leads(L)) memset(z0, 0, (size_t)order * sizeof *z0);
    for (int c = 0; c < L->chunks; c++) {
        const double* part = a->part + (size_t)c * (size_t)(order + 1) * (size_t)order;
        for (int j = 0; j < order; j++) z0[j] -= part[j];
    }
    sti_layout_sum(L, z0, (size_t)order);
    sti_kernel_solve(a->factor0, a->factor0 + sti_kernel_packed(order), order, z0);
    memcpy(u, z0, (size_t)n * sizeof *z0);
    memcpy(l, z0 + n, (size_t)p * sizeof *z0);
    s.z0 = z0;
    sti_tasks_run(a->tasks, L->chunks, solve_chunk, &s);
}
