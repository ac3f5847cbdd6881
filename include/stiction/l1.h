// l1.h: least sums of absolute values, and least largest ones.
//
//     min |A x + b|_1,     A sparse, m x n,     by its dual     max b'y,   A'y = 0,   |y_i| <= 1.
//
// Every x bounds the least value from above and every such y from below, since |A x + b|_1 >= y'(A x + b) = b'y. An
// answer has both, so it proves how far it is from the least value. There always is a solution; it need not be unique.
//
// With the norm STI_L1_LARGEST it is  min max_i |A x + b|_i,  by  max b'y,  A'y = 0,  sum |y_i| <= 1
//     (Chebyshev's fit).
#ifndef STICTION_L1_H
#define STICTION_L1_H

#include <stiction/document.h>
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

typedef enum sti_l1_norm { STI_L1_SUM, STI_L1_LARGEST } sti_l1_norm;

STI_API const char* sti_l1_norm_text(sti_l1_norm norm);  // "sum", "largest"
STI_API bool sti_l1_norm_parse(const char* text, sti_l1_norm* out);

typedef struct sti_l1_options {
    sti_l1_norm norm;     // STI_L1_SUM
    double tol;           // of the gap over the objective; 1e-8
    long max_iterations;  // 100
    double time_limit_s;  // 0: none. The best answer so far comes back
    double memory_mb;     // of factors; where they would take more, conjugate gradients with as good a preconditioner
                          // as that allows. 0: as much as factors take
    const double* x;      // a point to start from, NULL: least squares     (n)
    void (*trace)(void* user, const char* solver, long iteration, double gap);  // may be NULL
    void* trace_user;
} sti_l1_options;

typedef struct sti_l1_answer {
    sti_outcome outcome;  // STI_SOLVED: the gap is within tol; STI_LIMIT otherwise
    sti_l1_norm norm;
    int m, n;
    double* x;         // (n)
    double* y;         // the dual vector, |y_i| <= 1; of the largest: sum |y_i| <= 1      (m)
    double objective;  // |A x + b|_1, or the largest |A x + b|_i
    double bound;      // b'y: no x has a lower value; 0 where A'y is not 0 up to rounding, since no norm is negative
    double gap;        // (objective - bound) / objective; 0 when all rows are met up to rounding
    double residual;   // largest |A'y|_j over the sum of |A_ij| and the largest |y|
    long iterations;   // factorizations
    long cg_count;     // steps of conjugate gradients, 0: by factors alone
    double time_s;
    char reason[160];
} sti_l1_answer;

STI_API sti_l1_options sti_l1_options_default(void);

// options NULL: the defaults.
STI_API sti_status sti_l1_solve(sti_env* env, const sti_l1* problem, const sti_l1_options* options,
                                sti_l1_answer* answer);
STI_API void sti_l1_answer_clear(sti_env* env, sti_l1_answer* answer);  // accepts a cleared one

// One Newton step of the method, to look at: the system (2.5.8) of S3, with the block I_2m and Bt = (-I_m  I_m),
//
//     A'dlambda = -r_x,   Bt'dlambda + ds = -r_v,   A dx + Bt dv = -r_lambda,   S dv + V ds = -r_s,
//
// by  A'D^-1 A dx = rhs  (2.5.9),  D = v+/s+ + v-/s-. Or that last system alone, for a given D and rhs.
typedef struct sti_l1_step_system {
    const double *v, *s;     // (v+, v-), (s+, s-), positive                    (2m)
    const double* r_x;       // right-hand sides, NULL: 0                       (n)
    const double* r_v;       // (2m)
    const double* r_lambda;  // (m)
    const double* r_s;       // (2m)
    const double* D;         // positive; with rhs in place of all of the above (m)
    const double* rhs;       // (n)
} sti_l1_step_system;

typedef struct sti_l1_step {
    int m, n;
    double *dx, *dv, *dlambda, *ds;  // (n), (2m), (m), (2m); dx alone for a given D
    double *D, *rhs;                 // of (2.5.9)      (m), (n)
    double residual;                 // |A'D^-1 A dx - rhs| over |rhs|, largest entries
} sti_l1_step;

// STI_ERR_ARGUMENT: A lacks rank, and there is no such step.
STI_API sti_status sti_l1_newton_step(sti_env* env, const sti_l1* problem, const sti_l1_step_system* system,
                                      sti_l1_step* step);
STI_API void sti_l1_step_clear(sti_env* env, sti_l1_step* step);  // accepts a cleared one

// ---- an independent check: shares no code with the solvers (docs/reliability.md)

// Objective and dual vector anew in extended
// precision, from x and y alone.
typedef struct sti_l1_verification {
    bool accepted;     // "solved" is claimed, |y_i| <= 1 (their sum), A'y = 0 up to rounding, and the gap is within tol
    double residual;   // largest |A'y|_j over the sum of its terms
    double objective;  // |A x + b|_1, or the largest entry
    double gap;        // objective - y'r over the objective, r = A x + b
    char text[240];    // verdict in a sentence, with the first thing that fails
} sti_l1_verification;

STI_API sti_status sti_verify_l1(sti_env* env, const sti_l1* problem, const sti_l1_answer* answer, double tol,
                                 sti_l1_verification* out);

// ---- files

// What a document holds (document.h); NULL when of another kind.
STI_API const sti_l1* sti_l1_of(const sti_document* document);
// Written whole or not at all. .json or .hdf5/.h5 by the name.
STI_API sti_status sti_l1_save(sti_env* env, const sti_l1* problem, const char* path);

// Names as in sti_l1_answer: x, y, objective, bound, gap.
STI_API sti_status sti_l1_answer_json(sti_env* env, const sti_l1_answer* answer, char** out);
STI_API sti_status sti_l1_answer_save(sti_env* env, const sti_l1_answer* answer, const char* path);
// The sizes must be those of the problem. Vectors that are not in the file are all NAN.
STI_API sti_status sti_l1_answer_load(sti_env* env, const sti_l1* problem, const char* path, sti_l1_answer* out);
STI_API sti_status sti_l1_answer_parse(sti_env* env, const sti_l1* problem, const char* text, size_t size,
                                       const char* name, sti_l1_answer* out);

// {"v": [..], "s": [..], "r_x": [..], "r_v": [..], "r_lambda": [..], "r_s": [..]} or {"D": [..], "rhs": [..]}
STI_API sti_status sti_l1_step_system_load(sti_env* env, const sti_l1* problem, const char* path,
                                           sti_l1_step_system** out);
STI_API sti_status sti_l1_step_system_parse(sti_env* env, const sti_l1* problem, const char* text, size_t size,
                                            const char* name, sti_l1_step_system** out);
STI_API void sti_l1_step_system_destroy(sti_env* env, sti_l1_step_system* system);  // accepts NULL

#ifdef __cplusplus
}
#endif
#endif
