// rational_lp.h: is a system of linear equations and inequalities solvable? Two-phase simplex in GMP rationals with
// Bland's rule, written for the tests: it shares nothing with the library.
#ifndef TESTS_SUPPORT_RATIONAL_LP_H
#define TESTS_SUPPORT_RATIONAL_LP_H

#include <gmp.h>
#include <stdbool.h>
#include <stdlib.h>

// Rows: constant, then one coefficient for each unknown; an equation, or >= 0. Unknowns are free.
typedef struct rational_lp {
    int unknowns, rows, capacity;
    mpq_t* entry;    // (capacity x (unknowns+1))
    bool* equation;  // (capacity)
} rational_lp;

static inline void rational_lp_open(rational_lp* lp, int unknowns, int capacity) {
    *lp = (rational_lp){.unknowns = unknowns, .capacity = capacity};
    const size_t count = (size_t)capacity * (size_t)(unknowns + 1);
    lp->entry = malloc(count * sizeof *lp->entry);
    lp->equation = calloc((size_t)capacity, sizeof *lp->equation);
    for (size_t k = 0; k < count; k++) mpq_init(lp->entry[k]);
}

static inline void rational_lp_close(rational_lp* lp) {
    for (size_t k = 0; k < (size_t)lp->capacity * (size_t)(lp->unknowns + 1); k++) mpq_clear(lp->entry[k]);
    free(lp->entry);
    free(lp->equation);
}

static inline mpq_t* rational_lp_add(rational_lp* lp, bool equation) {
    lp->equation[lp->rows] = equation;
    return lp->entry + (size_t)lp->rows++ * (size_t)(lp->unknowns + 1);
}

// Standard form: unknown = difference of two nonnegative ones, a surplus for each inequality, an artificial for each
// row; minimize the sum of the artificials.
static inline bool rational_lp_feasible(const rational_lp* lp) {
    const int m = lp->rows, n = 2 * lp->unknowns + m + m, width = n + 1;
    mpq_t* T = malloc((size_t)(m + 1) * (size_t)width * sizeof *T);
    int* basis = malloc((size_t)(m + 1) * sizeof *basis);
    mpq_t f, g;
    mpq_inits(f, g, NULL);
    for (int k = 0; k < (m + 1) * width; k++) mpq_init(T[k]);
    for (int i = 0; i < m; i++) {
        const mpq_t* row = (const mpq_t*)(lp->entry + (size_t)i * (size_t)(lp->unknowns + 1));
        mpq_t* t = T + (size_t)i * (size_t)width;  // sum coefficient x - surplus = -constant
        for (int j = 0; j < lp->unknowns; j++) {
            mpq_set(t[2 * j], row[j + 1]);
            mpq_neg(t[2 * j + 1], row[j + 1]);
        }
        if (!lp->equation[i]) mpq_set_si(t[2 * lp->unknowns + i], -1, 1);
        mpq_neg(t[n], row[0]);
        if (mpq_sgn(t[n]) < 0) {
            for (int j = 0; j <= n; j++) mpq_neg(t[j], t[j]);
        }
        mpq_set_si(t[2 * lp->unknowns + m + i], 1, 1);
        basis[i] = 2 * lp->unknowns + m + i;
        for (int j = 0; j <= n; j++) {
            if (j < 2 * lp->unknowns + m || j == n) mpq_sub(T[m * width + j], T[m * width + j], t[j]);
        }
    }
    for (;;) {
        int col = 0, row = -1;
        while (col < n && mpq_sgn(T[m * width + col]) >= 0) col++;
        if (col == n) break;
        for (int i = 0; i < m; i++) {
            if (mpq_sgn(T[i * width + col]) <= 0) continue;
            if (row >= 0) {
                mpq_div(f, T[i * width + n], T[i * width + col]);
                mpq_div(g, T[row * width + n], T[row * width + col]);
                const int order = mpq_cmp(f, g);
                if (order > 0 || (order == 0 && basis[i] > basis[row])) continue;
            }
            row = i;
        }
        if (row < 0) break;
        mpq_set(f, T[row * width + col]);
        for (int j = 0; j <= n; j++) mpq_div(T[row * width + j], T[row * width + j], f);
        for (int i = 0; i <= m; i++) {
            if (i == row || mpq_sgn(T[i * width + col]) == 0) continue;
            mpq_set(f, T[i * width + col]);
            for (int j = 0; j <= n; j++) {
                mpq_mul(g, f, T[row * width + j]);
                mpq_sub(T[i * width + j], T[i * width + j], g);
            }
        }
        basis[row] = col;
    }
    const bool feasible = mpq_sgn(T[m * width + n]) == 0;
    for (int k = 0; k < (m + 1) * width; k++) mpq_clear(T[k]);
    free(T);
    free(basis);
    mpq_clears(f, g, NULL);
    return feasible;
}

#endif
