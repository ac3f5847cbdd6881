// arrow.c: (3.1.7) by its Schur complement: blocks in parallel, sums over fixed groups of scenarios in their order.
//
//     K_i z_i + B_i z_0 = r_i,     K_0 z_0 + sum p_i B_i'z_i = r_0
//     C = K_0 - sum p_i B_i'K_i^-1 B_i,     C z_0 = r_0 - sum p_i B_i'K_i^-1 r_i,     z_i = K_i^-1 (r_i - B_i z_0)
//
// K_i = [Q_i + D_i, W_i'; W_i, -E_i] has positive and then negative pivots in any order of its unknowns, and so has C:
// no pivoting. The unknowns of one scenario's elimination are y, l, pi, x; y has nothing in the columns of x, so those
// are left out until l.
#include "stochastic/arrow.h"

#include <string.h>

#include "stochastic/kernel.h"

// Factors of a scenario, or of as many as go side by side.
static size_t factor_size(const sti_arrow* a, int i) {
    if (sti_schur_serves(&a->sparse[i])) return 0;
    const size_t k = (size_t)sti_stochastic_layout_m(a->L, i) + (size_t)sti_stochastic_layout_q(a->L, i);
    if (a->L->grain > 1) return STI_KERNEL_LANES * sti_size_add(sti_kernel_lanes_packed(k + (size_t)a->order, k), k);
    return sti_size_add(sti_kernel_packed(k), k);
}

static sti_status create_sparse(sti_arrow* a) {
    sti_status status = STI_OK;
    a->sparse = sti_alloc_array_zero(a->env, (size_t)a->L->blocks, sizeof *a->sparse);
    if (a->sparse == NULL) return STI_ERR_MEMORY;
    for (int i = 1; i < a->L->blocks && a->L->grain == 1 && status == STI_OK; i++)
        status = sti_schur_create(a->env, a->L, i, &a->sparse[i]);
    return status;
}

// What a worker needs for the largest of the blocks that are factored densely, and for the largest of the others.
static size_t scratch_size(const sti_arrow* a) {
    const size_t order = (size_t)a->order, lanes = a->L->grain > 1 ? STI_KERNEL_LANES : 1;
    size_t widest = order, longest = 0;
    for (int i = 1; i < a->L->blocks; i++) {
        const size_t k = (size_t)sti_stochastic_layout_m(a->L, i) + (size_t)sti_stochastic_layout_q(a->L, i);
        size_t* most = sti_schur_serves(&a->sparse[i]) ? &longest : &widest;
        if (k + order > *most) *most = k + order;
    }
    widest = sti_tiles_padded(widest);
    const size_t dense = sti_size_add(sti_size_mul(widest, widest), sti_size_add(widest, sti_kernel_room(widest)));
    const size_t all = sti_size_mul(lanes, dense), some = sti_size_add(longest, order);
    return all > some ? all : some;
}

sti_status sti_arrow_create(sti_env* env, const sti_stochastic_layout* L, sti_tasks* tasks, sti_arrow* out) {
    const size_t order = (size_t)L->p->n + (size_t)L->p->p, chunks = (size_t)L->chunks;
    const size_t workers = (size_t)sti_tasks_workers(tasks);
    *out = (sti_arrow){.env = env, .L = L, .tasks = tasks, .order = (int)order, .held = STI_KERNEL_HELD};
    const sti_status status = create_sparse(out);
    out->start = sti_alloc_array_zero(env, (size_t)L->blocks + 1, sizeof *out->start);
    if (status != STI_OK || out->start == NULL) {
        sti_arrow_clear(out);
        return status != STI_OK ? status : STI_ERR_MEMORY;
    }
    for (int i = 1; i < L->blocks; i++)
        out->start[i + 1] = sti_size_add(out->start[i], (i - 1) % L->grain == 0 ? factor_size(out, i) : 0);
    out->scratch_size = scratch_size(out);
    out->factor = sti_alloc_array(env, out->start[L->blocks], sizeof *out->factor);
    out->C = sti_alloc_array(env, sti_size_mul(order, order), sizeof *out->C);
    out->factor0 = sti_alloc_array(env, sti_kernel_packed(order) + order, sizeof *out->factor0);
    out->z0 = sti_alloc_array(env, sti_tiles_padded(order), sizeof *out->z0);
    out->part = sti_alloc_array(env, sti_size_mul(chunks, sti_size_mul(order + 1, order)), sizeof *out->part);
    out->scratch = sti_alloc_array(env, sti_size_mul(workers, out->scratch_size), sizeof *out->scratch);
    out->frozen = sti_alloc_array_zero(env, chunks, sizeof *out->frozen);
    if (out->factor != NULL && out->C != NULL && out->factor0 != NULL && out->z0 != NULL && out->part != NULL &&
        out->scratch != NULL && out->frozen != NULL)
        return STI_OK;
    sti_arrow_clear(out);
    return STI_ERR_MEMORY;
}

void sti_arrow_clear(sti_arrow* a) {
    if (a->env == NULL) return;
    for (int i = 0; a->sparse != NULL && i < a->L->blocks; i++) sti_schur_clear(a->env, &a->sparse[i]);
    void* owned[] = {a->sparse, a->start, a->factor, a->C, a->factor0, a->z0, a->part, a->scratch, a->frozen};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(a->env, owned[k]);
    *a = (sti_arrow){0};
}

// ---- factors

// A into rows from `row`, columns from `col` of the upper triangle by rows.
static void put(double* a, size_t stride, const sti_matrix* A, int row, int col) {
    double* at = a + (size_t)row * stride + (size_t)col;
    for (int i = 0; A->dense != NULL && i < A->rows; i++) {
        const int first = row + i > col ? row + i - col : 0;  // of a square on the diagonal the upper part
        for (int j = first; j < A->cols; j++)
            at[(size_t)i * stride + (size_t)j] = A->dense[(size_t)i * (size_t)A->cols + (size_t)j];
    }
    for (int j = 0; A->dense == NULL && A->rows > 0 && A->col_start != NULL && j < A->cols; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            if (row + A->row[k] <= col + j) at[(size_t)A->row[k] * stride + (size_t)j] = A->value[k];
        }
    }
}

static void put_transposed(double* a, size_t stride, const sti_matrix* A, int row, int col) {
    double* at = a + (size_t)row * stride + (size_t)col;
    for (int j = 0; A->rows > 0 && j < A->cols; j++, at += stride) {
        for (int i = 0; A->dense != NULL && i < A->rows; i++) at[i] = A->dense[(size_t)i * (size_t)A->cols + (size_t)j];
        if (A->dense != NULL || A->col_start == NULL) continue;
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) at[A->row[k]] = A->value[k];
    }
}

static void add_diagonal(double* a, size_t stride, int first, const double* d, double shift, double f, int count) {
    for (int j = first; j < first + count; j++) a[(size_t)j * (stride + 1)] += f * (d[j - first] + shift);
}

// [K_i B_i; . 0] of `order` unknowns, the columns of B_i those of pi and x.
static void fill_block(const sti_arrow* a, int i, double* K, int order) {
    const sti_stochastic_layout* L = a->L;
    const int m = sti_stochastic_layout_m(L, i), q = sti_stochastic_layout_q(L, i), p = L->p->p;
    const size_t stride = sti_tiles_padded((size_t)order);
    for (size_t j = 0; j < stride; j++) memset(K + j * (stride + 1), 0, (stride - j) * sizeof *K);
    put(K, stride, sti_stochastic_layout_Q(L, i), 0, 0);
    put_transposed(K, stride, sti_stochastic_layout_A(L, i), 0, m);
    add_diagonal(K, stride, 0, a->D + L->var[i], a->proximal, 1, m);
    add_diagonal(K, stride, m, a->E + L->row[i], a->proximal, -1, q);
    if (i == 0) return;
    put_transposed(K, stride, &L->p->scenarios[i - 1].T, 0, m + q);
    put(K, stride, sti_stochastic_layout_W0(L, i), m, m + q + p);
}

// part (order x order, x before pi) += weight times the Schur complement, whose unknowns are pi, x: its entry (i, j), j
// >= i, at K[i stride + j]
static void add_share(const sti_arrow* a, const double* K, size_t stride, double weight, double* part) {
    const size_t n = (size_t)a->L->p->n, p = (size_t)a->L->p->p, order = n + p;
    for (size_t i = 0; i < p; i++) {
        const double* row = K + i * stride;
        for (size_t j = i; j < p; j++) part[(n + i) * order + n + j] += weight * row[j];
        for (size_t j = 0; j < n; j++) part[j * order + n + i] += weight * row[p + j];
    }
    for (size_t i = 0; i < n; i++) {
        const double* row = K + (p + i) * stride + p;
        for (size_t j = i; j < n; j++) part[i * order + j] += weight * row[j];
    }
}

static sti_kernel shape(const sti_arrow* a, int i) {
    const int m = sti_stochastic_layout_m(a->L, i), k = m + sti_stochastic_layout_q(a->L, i);
    return (sti_kernel){.order = k + a->order, .m = m, .k = k, .reach = k + a->L->p->p, .held = a->held};
}

// A column of B_i at a time. room: m + q, and twice the border.
static void factor_sparse(sti_arrow* a, int i, double* room, double* part, int* frozen) {
    const sti_stochastic_layout* L = a->L;
    const size_t m = (size_t)sti_stochastic_layout_m(L, i), k = m + (size_t)sti_stochastic_layout_q(L, i);
    const size_t n = (size_t)L->p->n, order = (size_t)a->order;
    const sti_matrix *T = &L->p->scenarios[i - 1].T, *W0 = sti_stochastic_layout_W0(L, i);
    double *z = room, *unit = z + k, *product = unit + order;
    *frozen += sti_schur_factor(&a->sparse[i], a->D + L->var[i], a->E + L->row[i], a->proximal, a->held);
    memset(unit, 0, order * sizeof *unit);
    for (size_t c = 0; c < order; c++) {
        bool any = false;
        unit[c] = 1;
        memset(z, 0, k * sizeof *z);
        if (c < n) {
            sti_block_multiply(W0, 1, unit, z + m);
        } else {
            sti_block_multiply_transposed(T, 1, unit + n, z);
        }
        unit[c] = 0;
        for (size_t j = 0; j < k && !any; j++) any = z[j] != 0;
        if (!any) continue;
        sti_schur_solve(&a->sparse[i], z, z + m);
        memset(product, 0, order * sizeof *product);
        sti_block_multiply_transposed(W0, 1, z + m, product);
        sti_block_multiply(T, 1, z, product + n);
        for (size_t r = 0; r <= c; r++) part[r * order + c] -= sti_stochastic_layout_weight(L, i) * product[r];
    }
}

static void factor_one(sti_arrow* a, int i, double* K, double* part, int* frozen) {
    const sti_kernel s = shape(a, i);
    const size_t width = sti_tiles_padded((size_t)s.order);
    double *packed = a->factor + a->start[i], *inverse = packed + sti_kernel_packed((size_t)s.k);
    fill_block(a, i, K, s.order);
    *frozen += sti_kernel_eliminate(&s, K, inverse, K + width * width);
    sti_kernel_pack(K, s.order, s.k, packed);
    add_share(a, K + (size_t)s.k * (width + 1), width, sti_stochastic_layout_weight(a->L, i), part);
}

// Blocks i .. i + count - 1 side by side; lanes that are left over are a block of their own that adds nothing.
static void factor_lanes(sti_arrow* a, int i, int count, double* K, double* part, int* frozen) {
    const sti_kernel s = shape(a, i);
    const size_t order = (size_t)s.order, k = (size_t)s.k, stride = sti_tiles_padded(order), border = (size_t)a->order;
    double *one = K + STI_KERNEL_LANES * order * order, *began = one + stride * stride;
    double *L = a->factor + a->start[i], *inverse = L + STI_KERNEL_LANES * sti_kernel_lanes_packed(order, k);
    for (int lane = 0; lane < STI_KERNEL_LANES; lane++) {
        if (lane < count) fill_block(a, i + lane, one, s.order);
        for (size_t r = 0; r < order; r++) {
            for (size_t c = r; c < order; c++)
                K[STI_KERNEL_LANES * (r * order + c) + (size_t)lane] = one[r * stride + c];
        }
    }
    *frozen += sti_kernel_lanes_eliminate(&s, K, inverse, began);
    sti_kernel_lanes_pack(&s, K, L);
    const double* rest = K + STI_KERNEL_LANES * k * (order + 1);
    for (size_t r = 0; r < border; r++) {
        for (size_t c = r; c < border; c++) {
            double sum = 0;
            for (int lane = 0; lane < count; lane++)
                sum += sti_stochastic_layout_weight(a->L, i + lane) *
                       rest[STI_KERNEL_LANES * (r * order + c) + (size_t)lane];
            one[r * border + c] = sum;
        }
    }
    add_share(a, one, border, 1, part);
}

static int at_most(int count, int most) {
    return count < most ? count : most;
}

static void factor_chunk(void* context, int chunk, int worker) {
    sti_arrow* a = context;
    const sti_stochastic_layout* L = a->L;
    const size_t area = (size_t)a->order * (size_t)a->order;
    double* part = a->part + (size_t)chunk * (area + (size_t)a->order);
    double* K = a->scratch + (size_t)worker * a->scratch_size;
    const int end = sti_stochastic_layout_chunk(L, chunk + 1);
    memset(part, 0, area * sizeof *part);
    a->frozen[chunk] = 0;
    for (int i = sti_stochastic_layout_chunk(L, chunk); i < end; i += L->grain) {
        if (L->grain > 1) {
            factor_lanes(a, i, at_most(end - i, STI_KERNEL_LANES), K, part, &a->frozen[chunk]);
        } else if (sti_schur_serves(&a->sparse[i])) {
            factor_sparse(a, i, K, part, &a->frozen[chunk]);
        } else {
            factor_one(a, i, K, part, &a->frozen[chunk]);
        }
    }
}

int sti_arrow_factor(sti_arrow* a, const double* D, const double* E, double proximal) {
    const sti_stochastic_layout* L = a->L;
    const int order = a->order, n = L->p->n;
    const size_t side = (size_t)order, area = side * side, stride = sti_tiles_padded(side);
    const sti_kernel first = {.order = order, .m = n, .k = order, .reach = order, .held = a->held};
    double *K = a->scratch, *inverse = a->factor0 + sti_kernel_packed(side);
    int frozen = 0;
    a->D = D;
    a->E = E;
    a->proximal = proximal;
    sti_tasks_run(a->tasks, L->chunks, factor_chunk, a);
    memset(a->C, 0, area * sizeof *a->C);
    if (sti_stochastic_layout_leads(L)) {
        fill_block(a, 0, K, order);
        for (size_t i = 0; i < side; i++) memcpy(a->C + i * side + i, K + i * (stride + 1), (side - i) * sizeof *K);
    }
    for (int c = 0; c < L->chunks; c++) {
        const double* part = a->part + (size_t)c * (area + side);
        for (size_t k = 0; k < area; k++) a->C[k] += part[k];
        frozen += a->frozen[c];
    }
    sti_stochastic_layout_sum(L, a->C, area);
    memset(K, 0, stride * stride * sizeof *K);
    for (size_t i = 0; i < side; i++) memcpy(K + i * stride, a->C + i * side, side * sizeof *K);
    frozen += sti_kernel_eliminate(&first, K, inverse, K + stride * stride);
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
    const sti_stochastic_layout* L = s->a->L;
    const int m = sti_stochastic_layout_m(L, i), q = sti_stochastic_layout_q(L, i);
    const double* packed = s->a->factor + s->a->start[i];
    memcpy(z, s->u + L->var[i], (size_t)m * sizeof *z);
    memcpy(z + m, s->l + L->row[i], (size_t)q * sizeof *z);
    if (s->z0 != NULL) {
        sti_block_multiply_transposed(&L->p->scenarios[i - 1].T, -1, s->z0 + L->p->n, z);
        sti_block_multiply(sti_stochastic_layout_W0(L, i), -1, s->z0, z + m);
    }
    if (sti_schur_serves(&s->a->sparse[i])) {
        sti_schur_solve(&s->a->sparse[i], z, z + m);
    } else {
        sti_kernel_solve(packed, packed + sti_kernel_packed((size_t)m + (size_t)q), m + q, z);
    }
}

static void solve_one(const solution* s, int i, double* z, double* part) {
    const sti_stochastic_layout* L = s->a->L;
    const int m = sti_stochastic_layout_m(L, i), q = sti_stochastic_layout_q(L, i);
    const double weight = sti_stochastic_layout_weight(L, i);
    solve_block(s, i, z);
    if (s->z0 != NULL) {
        memcpy(s->u + L->var[i], z, (size_t)m * sizeof *z);
        memcpy(s->l + L->row[i], z + m, (size_t)q * sizeof *z);
    } else {
        sti_block_multiply_transposed(sti_stochastic_layout_W0(L, i), weight, z + m, part);
        sti_block_multiply(&L->p->scenarios[i - 1].T, weight, z, part + L->p->n);
    }
}

// Into eight lanes and back.
static void spread(const double* from, size_t size, int count, double* lanes) {
    for (size_t j = 0; j < size; j++) {
        for (int lane = 0; lane < STI_KERNEL_LANES; lane++)
            lanes[STI_KERNEL_LANES * j + (size_t)lane] = lane < count ? from[(size_t)lane * size + j] : 0;
    }
}
static void collect(const double* lanes, size_t size, int count, double* to) {
    for (int lane = 0; lane < count; lane++) {
        for (size_t j = 0; j < size; j++) to[(size_t)lane * size + j] = lanes[STI_KERNEL_LANES * j + (size_t)lane];
    }
}

// L holds the rows of the border too, so the way to z_0 is L^-1 r_i, kept in place of r_i, and the way back ends with
// L^-T.
static void solve_lanes(const solution* s, int i, int count, double* z, double* part) {
    const sti_stochastic_layout* layout = s->a->L;
    const sti_kernel shape_of = shape(s->a, i);
    const int n = layout->p->n, p = layout->p->p, k = shape_of.k;
    const size_t m = (size_t)shape_of.m, q = (size_t)k - m;
    const double* L = s->a->factor + s->a->start[i];
    const double* inverse = L + STI_KERNEL_LANES * sti_kernel_lanes_packed((size_t)shape_of.order, (size_t)k);
    double *u = s->u + layout->var[i], *l = s->l + layout->row[i], *border = z + STI_KERNEL_LANES * (size_t)k;
    spread(u, m, count, z);
    spread(l, q, count, z + STI_KERNEL_LANES * m);
    for (int j = 0; j < n + p; j++) {
        const double value = s->z0 == NULL ? 0 : s->z0[j < p ? n + j : j - p];
        for (int lane = 0; lane < STI_KERNEL_LANES; lane++) border[STI_KERNEL_LANES * j + lane] = value;
    }
    if (s->z0 != NULL) {
        sti_tiles_lanes_backward(L, inverse, shape_of.order, k, z);
    } else {
        sti_tiles_lanes_forward(L, shape_of.order, k, z);
        for (int j = 0; j < n + p; j++) {
            double sum = 0;
            for (int lane = 0; lane < count; lane++)
                sum += sti_stochastic_layout_weight(layout, i + lane) * border[STI_KERNEL_LANES * j + lane];
            part[j < p ? n + j : j - p] -= sum;
        }
    }
    collect(z, m, count, u);
    collect(z + STI_KERNEL_LANES * m, q, count, l);
}

static void solve_chunk(void* context, int chunk, int worker) {
    const solution* s = context;
    sti_arrow* a = s->a;
    const sti_stochastic_layout* L = a->L;
    const size_t order = (size_t)a->order;
    double *z = a->scratch + (size_t)worker * a->scratch_size, *part = a->part + (size_t)chunk * (order + 1) * order;
    const int end = sti_stochastic_layout_chunk(L, chunk + 1);
    memset(part, 0, order * sizeof *part);
    for (int i = sti_stochastic_layout_chunk(L, chunk); i < end; i += L->grain) {
        if (L->grain > 1) {
            solve_lanes(s, i, at_most(end - i, STI_KERNEL_LANES), z, part);
        } else {
            solve_one(s, i, z, part);
        }
    }
}

void sti_arrow_solve(sti_arrow* a, double* u, double* l) {
    const sti_stochastic_layout* L = a->L;
    const int n = L->p->n, p = L->p->p, order = a->order;
    solution s = {.a = a, .u = u, .l = l};
    sti_tasks_run(a->tasks, L->chunks, solve_chunk, &s);
    double* z0 = a->z0;
    memcpy(z0, u, (size_t)n * sizeof *z0);
    memcpy(z0 + n, l, (size_t)p * sizeof *z0);
    if (!sti_stochastic_layout_leads(L)) memset(z0, 0, (size_t)order * sizeof *z0);
    for (int c = 0; c < L->chunks; c++) {
        const double* part = a->part + (size_t)c * (size_t)(order + 1) * (size_t)order;
        for (int j = 0; j < order; j++) z0[j] -= part[j];
    }
    sti_stochastic_layout_sum(L, z0, (size_t)order);
    sti_kernel_solve(a->factor0, a->factor0 + sti_kernel_packed((size_t)order), order, z0);
    memcpy(u, z0, (size_t)n * sizeof *z0);
    memcpy(l, z0 + n, (size_t)p * sizeof *z0);
    s.z0 = z0;
    sti_tasks_run(a->tasks, L->chunks, solve_chunk, &s);
}
