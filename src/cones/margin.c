// margin.c: the margin program in doubles: a guess by the simplex method, then bounds that do not depend on how it was
// guessed.
//
//     max delta   s.t.   s_i = g_i'x - delta >= 0,   t_j = l_j'x = 0,   1 - x >= 0,   1 + x >= 0               (P)
//
// Weak duality: for c >= 0 with sum 1 and any y, every admissible x has
//
//     min_i g_i'x  <=  sum c_i g_i'x + sum y_j l_j'x  <=  | sum c_i g_i + sum y_j l_j |_1.
//
// So an x gives a lower bound and (c, y) an upper one, both evaluated on the data as given. When they meet, the answer
// is right whatever happened on the way; when they do not, the caller solves (P) in exact integers instead.
//
// The guess. Dictionary with columns x (free), delta (>= 0), started at x = 0, delta = 0, which satisfies everything.
// The lines are pivoted on first and their columns frozen. A free column enters in either direction and never leaves.
//
//  D1. All s_i are 0 at the start, and a simplex method would stall there. The constants of the s_i are moved apart by
//      1e-7 or so for the ratio test; a second constant column carries the true problem along, and gives x.
//  D2. Ratio ties go to the largest pivot, columns to the steepest cost: nothing here proves that the method ends, and
//      nothing needs to. There is a limit on pivots.
#include "cones/margin.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct guess {
    int d, m, k;
    int rows;       // m + k + 2 d + 1; the last is the objective -delta
    int cols;       // 2 + d + 1: true constant, moved constant, x_1..x_d, delta
    double* T;      // row major                                        (rows x cols)
    int* basic;     // variable of each row: x and delta 0..d, then rows  (rows)
    int* nonbasic;  // variable of each column from the third on          (d + 1)
} guess;

static double* at(const guess* g, int row) {
    return g->T + (size_t)row * (size_t)g->cols;
}

static bool is_free(const guess* g, int variable) {
    return variable < g->d;
}

static bool is_line(const guess* g, int variable) {
    return variable > g->d + g->m && variable <= g->d + g->m + g->k;
}

static void load(guess* g, const sti_rows* rays, const sti_rows* lines) {
    const int d = g->d;
    for (int i = 0; i < g->rows; i++) g->basic[i] = d + 1 + i;
    for (int j = 0; j <= d; j++) g->nonbasic[j] = j;
    for (int i = 0; i < g->m; i++) {
        double* row = at(g, i);
        row[1] = 1e-7 * (1 + (double)((i % 1009 * 7919) % 1009) / 1009);  // D1
        memcpy(row + 2, rays->value + (size_t)i * (size_t)d, (size_t)d * sizeof *row);
        row[2 + d] = -1;
    }
    for (int i = 0; i < g->k; i++)
        memcpy(at(g, g->m + i) + 2, lines->value + (size_t)i * (size_t)d, (size_t)d * sizeof *g->T);
    for (int j = 0; j < 2 * d; j++) {
        double* row = at(g, g->m + g->k + j);
        row[0] = row[1] = 1;
        row[2 + j / 2] = j % 2 == 0 ? -1 : 1;
    }
    at(g, g->rows - 1)[2 + d] = -1;
}

static void pivot(guess* g, int r, int c) {
    double* pr = at(g, r);
    const double p = pr[2 + c];
    for (int j = 0; j < g->cols; j++) pr[j] = j == 2 + c ? 1 / p : -pr[j] / p;
    for (int i = 0; i < g->rows; i++) {
        double* row = at(g, i);
        const double t = row[2 + c];
        if (i == r || t == 0) continue;
        row[2 + c] = 0;
        for (int j = 0; j < g->cols; j++) row[j] += t * pr[j];
    }
    const int keep = g->basic[r];
    g->basic[r] = g->nonbasic[c];
    g->nonbasic[c] = keep;
}

// Every line leaves the basis for the free column with its largest entry. The lines are independent.
static void hold_lines(guess* g) {
    for (int i = g->m; i < g->m + g->k; i++) {
        int best = -1;
        for (int c = 0; c <= g->d; c++) {
            if (!is_free(g, g->nonbasic[c])) continue;
            if (best < 0 || fabs(at(g, i)[2 + c]) > fabs(at(g, i)[2 + best])) best = c;
        }
        if (best >= 0 && at(g, i)[2 + best] != 0) pivot(g, i, best);
    }
}

// The column with the steepest cost, free ones first; -1 at the optimum.
static int entering(const guess* g) {
    const double* cost = at(g, g->rows - 1);
    int best = -1;
    bool best_free = false;
    for (int c = 0; c <= g->d; c++) {
        const int variable = g->nonbasic[c];
        const bool unbounded = is_free(g, variable);
        if (is_line(g, variable) || (unbounded ? fabs(cost[2 + c]) : -cost[2 + c]) <= 1e-12) continue;
        if (best < 0 || (unbounded && !best_free) ||
            (unbounded == best_free && fabs(cost[2 + c]) > fabs(cost[2 + best]))) {
            best = c;
            best_free = unbounded;
        }
    }
    return best;
}

// The row that blocks column c, moving so that the objective falls; -1 when none does.
static int leaving(const guess* g, int c) {
    const double direction = at(g, g->rows - 1)[2 + c] > 0 ? -1 : 1;
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i + 1 < g->rows; i++) {
        const double rate = direction * at(g, i)[2 + c];
        if (is_free(g, g->basic[i]) || is_line(g, g->basic[i]) || rate >= -1e-11) continue;
        const double ratio = fmax(at(g, i)[1], 0) / -rate;
        if (ratio < least || (ratio == least && fabs(rate) > fabs(at(g, best)[2 + c]))) {
            least = ratio;
            best = i;
        }
    }
    return best;
}

static void read_guess(const guess* g, sti_margin* out) {
    for (int i = 0; i < g->rows; i++) {
        if (is_free(g, g->basic[i])) out->x[g->basic[i]] = fmin(fmax(at(g, i)[0], -1), 1);
    }
    const double* cost = at(g, g->rows - 1);
    double sum = 0;
    for (int c = 0; c <= g->d; c++) {
        const int i = g->nonbasic[c] - (g->d + 1);
        if (i >= 0 && i < g->m)
            sum += out->c[i] = fmax(cost[2 + c], 0);
        else if (i >= g->m && i < g->m + g->k)
            out->c[i] = cost[2 + c];
    }
    for (int i = 0; i < g->m + g->k && sum > 0; i++) out->c[i] /= sum;
    if (sum <= 0) out->c[0] = 1;  // the limit came before the first ray; any c gives a bound
}

static void evaluate(const guess* g, const sti_rows* rays, const sti_rows* lines, sti_margin* out) {
    const size_t d = (size_t)g->d;
    out->lower = INFINITY;
    out->upper = 0;
    for (int i = 0; i < g->m; i++) {
        double value = 0;
        for (size_t j = 0; j < d; j++) value += rays->value[(size_t)i * d + j] * out->x[j];
        out->lower = fmin(out->lower, value);
    }
    for (size_t j = 0; j < d; j++) {
        double sum = 0;
        for (int i = 0; i < g->m; i++) sum += out->c[i] * rays->value[(size_t)i * d + j];
        for (int i = 0; i < g->k; i++) sum += out->c[g->m + i] * lines->value[(size_t)i * d + j];
        out->upper += fabs(sum);
    }
    // x must be on the lines; where it is not, the lower bound is void
    for (int i = 0; i < g->k; i++) {
        double value = 0, size = 0;
        for (size_t j = 0; j < d; j++) {
            value += lines->value[(size_t)i * d + j] * out->x[j];
            size += fabs(lines->value[(size_t)i * d + j]);
        }
        if (!(fabs(value) <= 16 * (double)d * DBL_EPSILON * size)) out->lower = -INFINITY;
    }
}

void sti_margin_clear(sti_env* env, sti_margin* margin) {
    sti_free(env, margin->work);
    *margin = (sti_margin){0};
}

sti_status sti_margin_enclose(sti_env* env, const sti_rows* rays, const sti_rows* lines, sti_margin* out) {
    guess g = {.d = rays->dimension, .m = rays->count, .k = lines->count};
    g.rows = g.m + g.k + 2 * g.d + 1;
    g.cols = g.d + 3;
    *out = (sti_margin){0};
    out->work = sti_alloc_array_zero(env, (size_t)(g.d + g.m + g.k), sizeof *out->work);
    g.T = sti_alloc_array_zero(env, (size_t)g.rows * (size_t)g.cols, sizeof *g.T);
    g.basic = sti_alloc_array(env, (size_t)g.rows, sizeof *g.basic);
    g.nonbasic = sti_alloc_array(env, (size_t)g.d + 1, sizeof *g.nonbasic);
    sti_status status = STI_OK;
    if (out->work == NULL || g.T == NULL || g.basic == NULL || g.nonbasic == NULL) {
        sti_margin_clear(env, out);
        status = STI_ERR_MEMORY;
    } else {
        out->x = out->work;
        out->c = out->work + g.d;
        load(&g, rays, lines);
        hold_lines(&g);
        for (int pivots = 0; pivots < 20 * (g.rows + g.d); pivots++) {
            const int c = entering(&g), r = c >= 0 ? leaving(&g, c) : -1;
            if (r < 0) break;
            pivot(&g, r, c);
        }
        read_guess(&g, out);
        evaluate(&g, rays, lines, out);
    }
    sti_free(env, g.T);
    sti_free(env, g.basic);
    sti_free(env, g.nonbasic);
    return status;
}
