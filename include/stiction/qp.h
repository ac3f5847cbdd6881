// qp.h: convex quadratic programs with two-sided rows and bounds, every outcome with a certificate.
//
//     min 1/2 x'P x + c'x     subject to     l <= A x <= u,   lb <= x <= ub
//
// optimal exactly when there are multipliers y (m) of the rows and z (n) of the bounds with
//
//     P x + c + A'y + z = 0,     y_i > 0 only where (A x)_i = u_i,  y_i < 0 only where (A x)_i = l_i,     z likewise.
//
// P is symmetric positive semidefinite, or absent: a linear program.
#ifndef STICTION_QP_H
#define STICTION_QP_H

#include <stiction/conic.h>
#include <stiction/document.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STI_QP_INFINITY 1e20  // a bound of this size, or more, is none

typedef struct sti_qp {
    int n;             // variables x
    int m;             // rows of A
    sti_matrix P;      // n x n, both triangles; rows = 0 when there is none
    sti_matrix A;      // m x n
    const double* c;   // (n)
    const double* l;   // (m), NULL: no lower bounds
    const double* u;   // (m), NULL: no upper bounds
    const double* lb;  // (n), NULL: no lower bounds
    const double* ub;  // (n), NULL: no upper bounds
} sti_qp;

typedef struct sti_qp_answer {
    sti_conic_outcome outcome;
    int n, m;
    // solved: the point and its multipliers. infeasible: y, z with A'y + z = 0, and the sum of u y (l y where y < 0)
    // and of ub z (lb z where z < 0) is -1. unbounded: x with P x = 0, c'x = -1, along which no row or bound ends. NAN
    // elsewhere.
    double* x;    // (n)
    double* y;    // (m)
    double* z;    // (n)
    int crossed;  // infeasible at once, y = z = 0: l > u at this row, or lb > ub of variable crossed - m; -1 otherwise
    // On the original data, relative (docs/conic.md):
    double residual_primal, residual_dual, residual_gap;
    double residual;   // the largest that matters for the outcome
    double objective;  // value at x
    double bound;      // infeasible: every x that satisfies rows and bounds has |x|_1 >= bound
    long iterations;
    double time_s;
    char reason[160];
} sti_qp_answer;

// By the interior-point method of stiction/conic.h. Guesses in the options are not used.
STI_API sti_status sti_qp_solve(sti_env* env, const sti_qp* qp, const sti_conic_options* options,
                                sti_qp_answer* answer);
STI_API void sti_qp_answer_clear(sti_env* env, sti_qp_answer* answer);  // accepts a cleared one

// ---- an independent check: shares no code with the solvers (docs/reliability.md)

// Residuals anew in extended precision from x, y and z alone. A multiplier of a side
// that is not there counts in full.
typedef struct sti_qp_verification {
    bool accepted;            // the claim of the answer holds within tol
    bool convex;              // solved: there is no P, or it was checked to be positive semidefinite (n <= 400)
    sti_conic_outcome claim;  // what the answer claims
    double residual;          // the largest of those below that matter for the claim; NAN for no claim
    double residual_primal, residual_dual, residual_gap;
    double objective;  // at x
    double bound;      // infeasible: every x that satisfies rows and bounds has |x|_1 >= bound
    char text[240];    // verdict in a sentence, with the first thing that fails
} sti_qp_verification;

STI_API sti_status sti_verify_qp(sti_env* env, const sti_qp* qp, const sti_qp_answer* answer, double tol,
                                 sti_qp_verification* out);

// What a document holds (document.h); NULL when of another kind.
STI_API const sti_qp* sti_qp_of(const sti_document* document);

#ifdef __cplusplus
}
#endif
#endif
