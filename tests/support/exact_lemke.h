// exact_lemke.h: Lemke's method in exact arithmetic on a full dictionary, the reference for paths. Covering vector of
// ones, lexicographic rule on [b | B^-1], z0 leaves first on ties, as the conventions of ../shared/oracles say.
#ifndef TESTS_SUPPORT_EXACT_LEMKE_H
#define TESTS_SUPPORT_EXACT_LEMKE_H

#include <gmp.h>
#include <stdbool.h>
#include <stiction/problem.h>

enum { EXACT_LEMKE_MAX = 12 };

typedef struct exact_lemke {
    int n;
    int basic[EXACT_LEMKE_MAX], nonbasic[EXACT_LEMKE_MAX + 1];          // w_i = i, z_i = n + i, z0 = 2n
    mpq_t b[EXACT_LEMKE_MAX], T[EXACT_LEMKE_MAX][EXACT_LEMKE_MAX + 1];  // x_B = b + T x_N
    long pivots;
    sti_termination end;
} exact_lemke;

static inline void exact_open(exact_lemke* k, const sti_lcp* lcp) {
    k->n = lcp->n;
    k->pivots = 0;
    for (int i = 0; i < k->n; i++) {
        mpq_init(k->b[i]);
        mpq_set_d(k->b[i], lcp->q[i]);
        k->basic[i] = i;
        for (int j = 0; j <= k->n; j++) {
            mpq_init(k->T[i][j]);
            mpq_set_d(k->T[i][j], j < k->n ? lcp->M.dense[i * k->n + j] : 1);
        }
    }
    for (int j = 0; j <= k->n; j++) k->nonbasic[j] = k->n + j;
}

static inline void exact_close(exact_lemke* k) {
    for (int i = 0; i < k->n; i++) {
        mpq_clear(k->b[i]);
        for (int j = 0; j <= k->n; j++) mpq_clear(k->T[i][j]);
    }
}

// Entry of B^-1 in row i, column j.
static inline void exact_inverse(const exact_lemke* k, int i, int j, mpq_t out) {
    mpq_set_si(out, k->basic[i] == j, 1);
    for (int c = 0; c <= k->n; c++) {
        if (k->nonbasic[c] == j) mpq_neg(out, k->T[i][c]);
    }
}

// Is row i, divided by a_i, lexicographically less than row r divided by a_r? sign: a = sign T_.s > 0.
static inline bool exact_less(const exact_lemke* k, int i, int r, int s, int sign) {
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    int order = 0;
    for (int j = -1; j < k->n && order == 0; j++) {
        if (j < 0)
            mpq_set(x, k->b[i]), mpq_set(y, k->b[r]);
        else
            exact_inverse(k, i, j, x), exact_inverse(k, r, j, y);
        mpq_div(x, x, k->T[i][s]);
        mpq_div(y, y, k->T[r][s]);
        order = sign * mpq_cmp(x, y);
        if (j < 0 && order == 0 && k->basic[i] == 2 * k->n) order = -1;  // z0 leaves first
        if (j < 0 && order == 0 && k->basic[r] == 2 * k->n) order = 1;
    }
    mpq_clears(x, y, NULL);
    return order < 0;
}

static inline void exact_pivot(exact_lemke* k, int r, int s) {
    mpq_t p, f, t;
    mpq_inits(p, f, t, NULL);
    mpq_inv(p, k->T[r][s]);
    for (int j = 0; j <= k->n; j++) {
        mpq_mul(k->T[r][j], k->T[r][j], p);
        mpq_neg(k->T[r][j], k->T[r][j]);
    }
    mpq_set(k->T[r][s], p);
    mpq_mul(k->b[r], k->b[r], p);
    mpq_neg(k->b[r], k->b[r]);
    for (int i = 0; i < k->n; i++) {
        if (i == r) continue;
        mpq_set(f, k->T[i][s]);
        mpq_set_si(k->T[i][s], 0, 1);
        for (int j = 0; j <= k->n; j++) {
            mpq_mul(t, f, k->T[r][j]);
            mpq_add(k->T[i][j], k->T[i][j], t);
        }
        mpq_mul(t, f, k->b[r]);
        mpq_add(k->b[i], k->b[i], t);
    }
    const int leaving = k->basic[r];
    k->basic[r] = k->nonbasic[s];
    k->nonbasic[s] = leaving;
    k->pivots++;
    mpq_clears(p, f, t, NULL);
}

static inline void exact_run(exact_lemke* k) {
    const int n = k->n, z0 = 2 * n;
    bool trivial = true;
    for (int i = 0; i < n; i++) trivial = trivial && mpq_sgn(k->b[i]) >= 0;
    k->end = STI_END_SOLUTION;
    for (int leaving = trivial ? z0 : -1; leaving != z0;) {
        const int sign = leaving < 0 ? 1 : -1;
        const int entering = leaving < 0 ? z0 : leaving < n ? leaving + n : leaving - n;
        int s = 0, r = -1;
        while (k->nonbasic[s] != entering) s++;
        for (int i = 0; i < n; i++) {
            if (mpq_sgn(k->T[i][s]) == sign && (r < 0 || exact_less(k, i, r, s, sign))) r = i;
        }
        if (r < 0) {
            k->end = STI_END_RAY;
            return;
        }
        leaving = k->basic[r];
        exact_pivot(k, r, s);
    }
}

static inline double exact_z(const exact_lemke* k, int j) {
    for (int i = 0; i < k->n; i++) {
        if (k->basic[i] == k->n + j) return mpq_get_d(k->b[i]);
    }
    return 0;
}

#endif
