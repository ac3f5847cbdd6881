// anderson.c: Anderson's extrapolation (1965), in the difference form of Walker & Ni (2011).
//
// A sweep of Gauss-Seidel is a map x -> g(x), nearly affine once the modes of the contacts have settled. With the
// differences df_i, dg_i of f = g(x) - x and of g along the last steps,
//
//     w = arg min | f - sum_i w_i df_i |,        y = g - sum_i w_i dg_i
//
// is for an affine map what GMRES is for its linear equation: the slow modes of a stack are found and removed together,
// instead of one factor of their eigenvalue a sweep.
//
// The least squares go through the Gram matrix, scaled to unit diagonal, and its Cholesky factorization from the newest
// column to the oldest; a column that is dependent on newer ones to the last digits is left out. That squares the
// condition, which does not matter here: w need only be good, not exact, since the result is judged by the next sweep.
// Products df_i . f are not recomputed: f has changed by the newest df, whose products are being formed anyway.
#include "contact/anderson.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"

enum { DEPTH = STI_ANDERSON_DEPTH, SUMS = DEPTH + 1 };

#define DEPENDENT 1e-12  // squared sine below which a column counts as dependent on the newer ones

sti_status sti_anderson_create(sti_env* env, int capacity, int chunk, sti_anderson* a) {
    *a = (sti_anderson){.capacity = capacity, .chunk = chunk};
    const size_t n = (size_t)capacity, chunks = n / (size_t)chunk + 1;
    double* memory = sti_alloc_array(env, (2 * DEPTH + 2) * n + SUMS * chunks, sizeof *memory);
    if (memory == NULL) return STI_ERR_MEMORY;
    a->memory = memory;
    a->df = memory;
    a->dg = a->df + DEPTH * n;
    a->f_last = a->dg + DEPTH * n;
    a->g_last = a->f_last + n;
    a->partial = a->g_last + n;
    return STI_OK;
}

void sti_anderson_destroy(sti_env* env, sti_anderson* a) {
    sti_free(env, a->memory);
    *a = (sti_anderson){0};
}

void sti_anderson_begin(sti_anderson* a, int n, sti_tasks* tasks) {
    STI_ASSERT(n <= a->capacity);
    a->n = n;
    a->tasks = tasks;
    sti_anderson_forget(a);
}

void sti_anderson_forget(sti_anderson* a) {
    a->count = 0;
    a->head = 0;
    a->primed = false;
}

static double* column(double* base, const sti_anderson* a, int j) {
    return base + (size_t)j * (size_t)a->capacity;
}

static int chunk_count(const sti_anderson* a) {
    return (a->n + a->chunk - 1) / a->chunk;
}

typedef struct push_loop {
    sti_anderson* a;
    const double *f, *g;
    int head, count;
} push_loop;

// One chunk: the new differences, their products with all columns and with f.
static void push_chunk(void* context, int item, int worker) {
    (void)worker;
    const push_loop* l = context;
    sti_anderson* a = l->a;
    const int first = item * a->chunk, n = a->n - first < a->chunk ? a->n - first : a->chunk;
    const double *f = l->f + first, *g = l->g + first;
    double *f_last = a->f_last + first, *g_last = a->g_last + first;
    if (l->head >= 0) {
        double *df = column(a->df, a, l->head) + first, *dg = column(a->dg, a, l->head) + first;
        for (int i = 0; i < n; i++) {
            df[i] = f[i] - f_last[i];
            dg[i] = g[i] - g_last[i];
        }
        double* sum = a->partial + (size_t)item * SUMS;
        for (int j = 0; j < l->count; j++) sum[j] = sti_vector_dot4((size_t)n, df, column(a->df, a, j) + first);
        sum[DEPTH] = sti_vector_dot4((size_t)n, df, f);
    }
    memcpy(f_last, f, (size_t)n * sizeof *f);
    memcpy(g_last, g, (size_t)n * sizeof *g);
}

static double total(const sti_anderson* a, int j) {
    double sum = 0;
    for (int item = 0; item < chunk_count(a); item++) sum += a->partial[(size_t)item * SUMS + (size_t)j];
    return sum;
}

void sti_anderson_push(sti_anderson* a, const double* f, const double* g) {
    const int head = a->primed ? a->head : -1;
    if (head >= 0) {
        a->head = (head + 1) % DEPTH;
        if (a->count < DEPTH) a->count++;
    }
    push_loop loop = {.a = a, .f = f, .g = g, .head = head, .count = a->count};
    sti_tasks_run(a->tasks, chunk_count(a), push_chunk, &loop);
    a->primed = true;
    if (head < 0) return;
    for (int j = 0; j < a->count; j++) {
        const double product = total(a, j);
        a->gram[head][j] = product;
        a->gram[j][head] = product;
        if (j != head) a->rhs[j] += product;
    }
    a->rhs[head] = total(a, DEPTH);
}

// weight[j] of every column; false when none is of use.
static bool solve_least_squares(sti_anderson* a) {
    double L[DEPTH][DEPTH], y[DEPTH], scale[DEPTH];
    int use[DEPTH], k = 0;
    for (int j = 0; j < a->count; j++) a->weight[j] = 0;
    for (int age = 0; age < a->count; age++) {
        const int j = (a->head - 1 - age + 2 * DEPTH) % DEPTH;
        if (!(a->gram[j][j] > 0)) continue;
        scale[k] = 1 / sqrt(a->gram[j][j]);
        double rest = 1;
        for (int q = 0; q < k; q++) {
            double x = a->gram[j][use[q]] * scale[k] * scale[q];
            for (int p = 0; p < q; p++) x -= L[k][p] * L[q][p];
            L[k][q] = x / L[q][q];
            rest -= L[k][q] * L[k][q];
        }
        if (!(rest > DEPENDENT)) continue;
        L[k][k] = sqrt(rest);
        use[k] = j;
        y[k] = a->rhs[j] * scale[k];
        for (int q = 0; q < k; q++) y[k] -= L[k][q] * y[q];
        y[k] /= L[k][k];
        k++;
    }
    for (int i = k - 1; i >= 0; i--) {
        for (int q = i + 1; q < k; q++) y[i] -= L[q][i] * y[q];
        y[i] /= L[i][i];
        a->weight[use[i]] = y[i] * scale[i];
    }
    return k > 0;
}

typedef struct mix_loop {
    const sti_anderson* a;
    double* y;
} mix_loop;

static void mix_chunk(void* context, int item, int worker) {
    (void)worker;
    const mix_loop* l = context;
    const sti_anderson* a = l->a;
    const int first = item * a->chunk, n = a->n - first < a->chunk ? a->n - first : a->chunk;
    double* y = l->y + first;
    memcpy(y, a->g_last + first, (size_t)n * sizeof *y);
    for (int j = 0; j < a->count; j++) {
        const double w = a->weight[j], *dg = column(a->dg, a, j) + first;
        if (w == 0) continue;
        for (int i = 0; i < n; i++) y[i] -= w * dg[i];
    }
}

bool sti_anderson_mix(sti_anderson* a, double* y) {
    if (!solve_least_squares(a)) return false;
    mix_loop loop = {.a = a, .y = y};
    sti_tasks_run(a->tasks, chunk_count(a), mix_chunk, &loop);
    return true;
}
