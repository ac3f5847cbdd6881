// conic.h: convex programs over second-order cones, with a certificate for every outcome.
//
//     min  1/2 x'P x + c'x     subject to     A x + s = b,   s in K
//     max -1/2 x'P x - b'y     subject to     P x + A'y + c = 0,   y in K*
//
// K = {0}^zero x R_+^nonnegative x Q_1 x Q_2 x ..., Q = { (t, z) : t >= |z| }, rows of A in this order. P is symmetric
// positive semidefinite, possibly empty (rows = 0: a linear objective). Sparse or dense data.
#ifndef STICTION_CONIC_H
#define STICTION_CONIC_H

#include <stiction/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_conic {
    int n;            // variables x
    int m;            // rows of A: zero + nonnegative + sum of cone sizes
    sti_matrix P;     // n x n, both triangles; rows = 0 when there is none
    sti_matrix A;     // m x n
    const double* c;  // (n)
    const double* b;  // (m)
    int zero;         // equations
    int nonnegative;
    int cone_count;
    const int* cone_size;  // each >= 1; 1 is another nonnegative row       (cone_count)
} sti_conic;

// What is known after the call: each is a statement that (x, s, y) in the answer proves to the accuracy stated there.
#define STI_CONIC_OUTCOME_LIST(X)                                                    \
    X(STI_CONIC_UNKNOWN, "unknown")                                                  \
    X(STI_CONIC_SOLVED, "solved")         /* x, s, y optimal within the residuals */ \
    X(STI_CONIC_INFEASIBLE, "infeasible") /* y: A'y = 0, y in K*, b'y = -1 */        \
    X(STI_CONIC_UNBOUNDED, "unbounded")   /* x: P x = 0, -A x in K, c'x = -1 */      \
    X(STI_CONIC_LIMIT, "limit")

#define STI_X(code, text) code,
typedef enum sti_conic_outcome { STI_CONIC_OUTCOME_LIST(STI_X) } sti_conic_outcome;
#undef STI_X

STI_API const char* sti_conic_outcome_text(sti_conic_outcome outcome);

typedef struct sti_conic_answer {
    sti_conic_outcome outcome;
    int n, m;
    double* x;  // (n)
    double* s;  // in K up to rounding (m)
    double* y;  // in K* up to rounding (m)
    // On the original data, relative, in the infinity norm (docs/conic.md):
    double residual_primal;  // |A x + s - b|;         of an unbounded ray: |A x + s|
    double residual_dual;    // |P x + A'y + c|;       of an infeasibility vector: |A'y|
    double residual_gap;     // |x'P x + c'x + b'y|
    double residual;         // the largest that matters for the outcome
    double objective;        // primal value
    double bound;            // infeasible: every x that satisfies the rows has |x|_1 >= bound
    long iterations;
    double time_s;
    char reason[160];
} sti_conic_answer;

typedef struct sti_conic_options {
    double tol;             // on the residuals
    long max_iterations;    // 0: the method's own limit
    double time_limit_s;    // 0: none
    const double* guess_x;  // warm start, may be NULL        (n)
    const double* guess_y;  //                                (m)
} sti_conic_options;

STI_API sti_conic_options sti_conic_options_default(void);
STI_API sti_status sti_conic_solve(sti_env* env, const sti_conic* program, const sti_conic_options* options,
                                   sti_conic_answer* answer);
STI_API void sti_conic_answer_clear(sti_env* env, sti_conic_answer* answer);  // accepts a cleared one

// ---- an independent check: shares no code with the solvers (docs/reliability.md)

// The residuals are those of the answer, by docs/conic.md, computed anew in extended precision from x, s and y
// alone; distance from the cones counts as well.
typedef struct sti_conic_verification {
    bool accepted;            // the claim of the answer holds within tol
    bool convex;              // solved: there is no P, or it was checked to be positive semidefinite (n <= 400)
    sti_conic_outcome claim;  // what the answer claims
    double residual;          // the largest of those below that matter for the claim; NAN for no claim
    double residual_primal, residual_dual, residual_gap;
    double cone_s, cone_y;  // distance of s from K and of y from K*, relative to their sizes
    double bound;           // infeasible: every x that satisfies the rows has |x|_1 >= bound
    char text[240];         // verdict in a sentence, with the first thing that fails
} sti_conic_verification;

STI_API sti_status sti_verify_conic(sti_env* env, const sti_conic* program, const sti_conic_answer* answer, double tol,
                                    sti_conic_verification* out);

#ifdef __cplusplus
}
#endif
#endif
