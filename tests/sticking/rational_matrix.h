// rational_matrix.h: small dense matrices of GMP rationals for the tests: products, elimination, rank, inverse. Shares
// nothing with the library.
#ifndef TESTS_STICKING_RATIONAL_MATRIX_H
#define TESTS_STICKING_RATIONAL_MATRIX_H

#include <gmp.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct rational_matrix {
    int rows, cols;
    mpq_t* entry;
} rational_matrix;

static inline rational_matrix rational_matrix_make(int rows, int cols) {
    rational_matrix m = {rows, cols, malloc(((size_t)rows * (size_t)cols + 1) * sizeof *m.entry)};
    for (int k = 0; k < rows * cols; k++) mpq_init(m.entry[k]);
    return m;
}

static inline void rational_matrix_clear(rational_matrix* m) {
    for (int k = 0; k < m->rows * m->cols; k++) mpq_clear(m->entry[k]);
    free(m->entry);
    m->entry = NULL;
}

static inline mpq_t* rational_at(const rational_matrix* m, int i, int j) {
    return &m->entry[i * m->cols + j];
}

static inline rational_matrix rational_copy(const rational_matrix* a) {
    rational_matrix m = rational_matrix_make(a->rows, a->cols);
    for (int k = 0; k < a->rows * a->cols; k++) mpq_set(m.entry[k], a->entry[k]);
    return m;
}

static inline rational_matrix rational_transpose(const rational_matrix* a) {
    rational_matrix m = rational_matrix_make(a->cols, a->rows);
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < a->cols; j++) mpq_set(*rational_at(&m, j, i), *rational_at(a, i, j));
    return m;
}

static inline rational_matrix rational_product(const rational_matrix* a, const rational_matrix* b) {
    rational_matrix m = rational_matrix_make(a->rows, b->cols);
    mpq_t t;
    mpq_init(t);
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < b->cols; j++)
            for (int k = 0; k < a->cols; k++) {
                mpq_mul(t, *rational_at(a, i, k), *rational_at(b, k, j));
                mpq_add(*rational_at(&m, i, j), *rational_at(&m, i, j), t);
            }
    mpq_clear(t);
    return m;
}

// a'b
static inline rational_matrix rational_product_tn(const rational_matrix* a, const rational_matrix* b) {
    rational_matrix t = rational_transpose(a), m = rational_product(&t, b);
    rational_matrix_clear(&t);
    return m;
}

// a - b, into a
static inline void rational_subtract(rational_matrix* a, const rational_matrix* b) {
    for (int k = 0; k < a->rows * a->cols; k++) mpq_sub(a->entry[k], a->entry[k], b->entry[k]);
}

// (a | b), in columns
static inline rational_matrix rational_join(const rational_matrix* a, const rational_matrix* b) {
    rational_matrix m = rational_matrix_make(a->rows, a->cols + b->cols);
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < m.cols; j++)
            mpq_set(*rational_at(&m, i, j), j < a->cols ? *rational_at(a, i, j) : *rational_at(b, i, j - a->cols));
    return m;
}

// Gauss-Jordan on the first `cols` columns; the rank.
static inline int rational_eliminate(rational_matrix* m, int cols) {
    int rank = 0;
    mpq_t f, t;
    mpq_inits(f, t, NULL);
    for (int c = 0; c < cols && rank < m->rows; c++) {
        int r = rank;
        while (r < m->rows && mpq_sgn(*rational_at(m, r, c)) == 0) r++;
        if (r == m->rows) continue;
        for (int j = 0; j < m->cols; j++) mpq_swap(*rational_at(m, r, j), *rational_at(m, rank, j));
        mpq_inv(f, *rational_at(m, rank, c));
        for (int j = 0; j < m->cols; j++) mpq_mul(*rational_at(m, rank, j), *rational_at(m, rank, j), f);
        for (int i = 0; i < m->rows; i++) {
            if (i == rank || mpq_sgn(*rational_at(m, i, c)) == 0) continue;
            mpq_set(f, *rational_at(m, i, c));
            for (int j = 0; j < m->cols; j++) {
                mpq_mul(t, f, *rational_at(m, rank, j));
                mpq_sub(*rational_at(m, i, j), *rational_at(m, i, j), t);
            }
        }
        rank++;
    }
    mpq_clears(f, t, NULL);
    return rank;
}

static inline int rational_rank(const rational_matrix* a) {
    rational_matrix m = rational_copy(a);
    const int rank = rational_eliminate(&m, m.cols);
    rational_matrix_clear(&m);
    return rank;
}

// Inverse of a square matrix; false: singular, and *out is not made.
static inline bool rational_inverse(const rational_matrix* a, rational_matrix* out) {
    const int n = a->rows;
    rational_matrix one = rational_matrix_make(n, n);
    for (int i = 0; i < n; i++) mpq_set_si(*rational_at(&one, i, i), 1, 1);
    rational_matrix m = rational_join(a, &one);
    const bool regular = rational_eliminate(&m, n) == n;
    if (regular) {
        *out = rational_matrix_make(n, n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) mpq_set(*rational_at(out, i, j), *rational_at(&m, i, n + j));
    }
    rational_matrix_clear(&m);
    rational_matrix_clear(&one);
    return regular;
}

// A symmetric matrix is positive definite: all pivots of elimination without exchange are positive.
static inline bool rational_definite(const rational_matrix* a) {
    rational_matrix m = rational_copy(a);
    mpq_t f, t;
    bool definite = true;
    mpq_inits(f, t, NULL);
    for (int c = 0; c < m.cols && definite; c++) {
        definite = mpq_sgn(*rational_at(&m, c, c)) > 0;
        for (int i = c + 1; i < m.rows && definite; i++) {
            mpq_div(f, *rational_at(&m, i, c), *rational_at(&m, c, c));
            for (int j = c; j < m.cols; j++) {
                mpq_mul(t, f, *rational_at(&m, c, j));
                mpq_sub(*rational_at(&m, i, j), *rational_at(&m, i, j), t);
            }
        }
    }
    mpq_clears(f, t, NULL);
    rational_matrix_clear(&m);
    return definite;
}

#endif
