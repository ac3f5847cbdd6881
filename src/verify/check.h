// check.h: the inside of the verify room: the posed problem as the checker sees it, and the checks it makes.
//
//     LCP and MLCP alike:   0 = A u + C z + a,   w = D u + B z + b          N = n + m
//
// as one N x N matrix [A C; D B] and one vector (a; b) of N entries; an LCP has n = 0. Nothing here is shared with
// the solvers; the exact checks stand on integers of any size (exact/integer.h) and nothing else.
#ifndef STI_VERIFY_CHECK_H
#define STI_VERIFY_CHECK_H

#include <math.h>
#include <stiction/problem.h>

#include "exact/rationals.h"

typedef struct sti_check {
    sti_env* env;
    int n;                              // equations, and free variables
    int m;                              // complementary pairs
    sti_matrix block[2][2];             // [A C; D B], views
    const double* vector[2];            // a (n), b (m)
    const sti_rationals* matrix_exact;  // N x N row major; NULL: the doubles are the data
    const sti_rationals* vector_exact;  // N
    sti_exact x;
    double* line;              // a row or column, as doubles          (N+1)
    sti_rationals* fractions;  // the same, when the data are exact    (N+1)
    sti_int* image;            // the same, as integers                (N+1)
    sti_int scale_num;         // image = line * scale_num / scale_den
    sti_int scale_den;
} sti_check;

// Check the problem (sizes, storage, finite numbers) and make room. The check is closed also after a failed open.
sti_status sti_check_open_lcp(sti_check* k, sti_env* env, const sti_lcp* lcp);
sti_status sti_check_open_mlcp(sti_check* k, sti_env* env, const sti_mlcp* mlcp);
void sti_check_close(sti_check* k);

// Integer image of column j of the matrix, j < N, or of the vector, j = N: N numbers under one positive scale.
sti_status sti_check_column(sti_check* k, int j);
// Integer image of row i and the i-th entry of the vector: N+1 numbers under one positive scale.
sti_status sti_check_row(sti_check* k, int i);
// Integer image of N numbers and a 1 after them: `exact` when given, else `value`; written to out (N+1).
sti_status sti_check_point(sti_check* k, const sti_rationals* exact, const double* u, const double* z, sti_int* out);
// r = sum_i a_i b_i
void sti_check_dot(sti_check* k, sti_int* r, const sti_int* a, const sti_int* b, int count);

double sti_check_vector_size(const sti_check* k);    // largest |(a; b)|_i
double sti_check_solution_size(const sti_check* k);  // |(a; b)| over the size of the smallest column that is not 0

// Verdicts. Each fills *out; a status other than STI_OK is a failure of memory, never of the claim.
sti_status sti_check_solution(sti_check* k, const sti_lcp_answer* answer, double tol, sti_verification* out);
sti_status sti_check_certificate(sti_check* k, const sti_certificate* certificate, sti_verification* out);

// Do the leaves cover every choice of z_i = 0 (+1) or w_i = 0 (-1)? If not, *text (size bytes) names a case left out.
sti_status sti_check_cover(sti_env* env, const signed char* fixed, int leaf_count, int pair_count, bool* covered,
                           char* text, size_t size);

// sum_i a_i b_i in doubles; what is divided by where a scale may be 0.
static inline double sti_check_sum(int n, const double* a, const double* b) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}
static inline double sti_check_scale(double x) {
    return x > 0 && isfinite(x) ? x : 1;
}

// Reject with a sentence: out->accepted = false. Returns STI_OK, for `return sti_check_reject(...)`.
sti_status sti_check_reject(sti_verification* out, const char* format, ...) __attribute__((format(printf, 2, 3)));

#endif
