// meet.c: an x at which every row is met, where there is one: A x + b = 0 by least squares of rows of length 1, which
// rows of very different size do not upset. Then 0 is the least value of either norm, and y = 0 proves it.
#include <math.h>
#include <string.h>

#include "base/size.h"
#include "l1/interior.h"
#include "l1/normal.h"

enum { STEPS = 4 };  // the first solves, the others refine

static void residual(const sti_l1_normal* N, const double* b, const double* x, double* r) {
    sti_l1_multiply(N, x, r);
    for (int i = 0; i < N->m; i++) r[i] += b[i];
}

// room: (2m + 2n)
static bool meet(sti_l1_normal* N, const double* b, double* x, double* room) {
    double *weight = room, *r = weight + N->m, *rhs = r + N->m, *dx = rhs + N->n;
    for (int i = 0; i < N->m; i++) {
        double sum = 0;
        for (int64_t e = N->row_start[i]; e < N->row_start[i + 1]; e++) sum += N->value[e] * N->value[e];
        weight[i] = sum > 0 && isfinite(1 / sum) ? 1 / sum : 1;
    }
    if (!sti_l1_normal_factor(N, weight)) return false;
    for (int step = 0; step < STEPS; step++) {
        residual(N, b, x, r);
        for (int i = 0; i < N->m; i++) r[i] *= weight[i];
        sti_l1_multiply_transposed(N, r, rhs);
        sti_l1_normal_solve(N, rhs, dx);
        for (int j = 0; j < N->n; j++) x[j] -= dx[j];
    }
    residual(N, b, x, r);
    return sti_l1_is_rounding(N->A, b, x, r, N->t);
}

sti_status sti_l1_meet_rows(sti_env* env, const sti_l1* problem, double memory, double* x, bool* met) {
    const size_t m = (size_t)problem->m, n = (size_t)problem->n;
    sti_l1_normal N = {0};
    double* room = sti_alloc_array(env, sti_size_add(sti_size_mul(2, m), sti_size_mul(3, n)), sizeof *room);
    *met = false;
    if (room == NULL) return STI_ERR_MEMORY;
    double* trial = room + 2 * m + 2 * n;
    memcpy(trial, x, n * sizeof *x);
    const sti_status status = sti_l1_normal_init(&N, env, &problem->A, memory);
    if (status == STI_OK) *met = meet(&N, problem->b, trial, room);
    if (*met) memcpy(x, trial, n * sizeof *x);
    sti_l1_normal_clear(&N);
    sti_free(env, room);
    return status;
}
