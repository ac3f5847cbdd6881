// l1.h: least sums of absolute values.
//
//     min |A x + b|_1,     A sparse, m x n,     by its dual     max b'y,   A'y = 0,   |y_i| <= 1.
//
// Every x bounds the least value from above and every such y from below, since |A x + b|_1 >= y'(A x + b) = b'y. An answer
// has both, so it proves how far it is from the least value. There always is a solution; it need not be unique.
#ifndef STICTION_L1_H
#define STICTION_L1_H

#include <stiction/linalg.h>
#include <stiction/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_l1 {
    int m;            // rows
    int n;            // unknowns
    sti_matrix A;     // m x n
    const double* b;  // (m)
} sti_l1;

typedef struct sti_l1_options {
    double tol;           // of the gap over the objective; 1e-8
    long max_iterations;  // 100
    double time_limit;    // seconds; 0: none. The best answer so far comes back
    const double* x;      // a point to start from, NULL: least squares     (n)
} sti_l1_options;

typedef struct sti_l1_answer {
    sti_outcome outcome;  // STI_SOLVED: the gap is within tol; STI_LIMIT otherwise
    int m, n;
    double* x;         // (n)
    double* y;         // the dual vector, |y_i| <= 1                        (m)
    double objective;  // |A x + b|_1
    double bound;      // b'y, less what A'y costs (residual): no x has a lower value
    double gap;        // (objective - bound) / objective; 0 when both are 0
    double residual;   // largest |A'y|_j over the sum of its terms
    long iterations;   // factorizations
    double time_s;
    char reason[160];
} sti_l1_answer;

STI_API sti_l1_options sti_l1_options_default(void);

// options NULL: the defaults.
STI_API sti_status sti_l1_solve(sti_env* env, const sti_l1* problem, const sti_l1_options* options,
                                sti_l1_answer* answer);
STI_API void sti_l1_answer_clear(sti_env* env, sti_l1_answer* answer);  // accepts a cleared one

#ifdef __cplusplus
}
#endif
#endif
