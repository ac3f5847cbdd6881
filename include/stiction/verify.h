// verify.h: an independent check of answers. Shares no code with the solvers: it sees the posed
// problem and the answer, and recomputes everything from them.
#ifndef STICTION_VERIFY_H
#define STICTION_VERIFY_H

#include <stiction/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_verification {
    bool accepted;      // the claim holds
    bool exact;         // and was checked without rounding
    sti_outcome claim;  // what the answer claims
    double residual;    // of the claimed solution, as in sti_lcp_residual; NAN for other claims
    double residual_equation, residual_z, residual_w, residual_gap;
    double natural;      // |(A u + C v + a; min(z, w))| / |(a; q)|, Euclidean
    int leaves_checked;  // Farkas vectors of a no-solution claim
    double margin;       // least strictness x'a + y'b over the leaves, relative to |y|_1 |q|_inf (negative is good)
    char text[240];      // verdict in a sentence, with the first thing that fails
} sti_verification;

STI_API sti_status sti_verify_lcp(sti_env* env, const sti_lcp* lcp, const sti_lcp_answer* answer, double tol,
                                  sti_verification* out);
STI_API sti_status sti_verify_mlcp(sti_env* env, const sti_mlcp* mlcp, const sti_lcp_answer* answer, double tol,
                                   sti_verification* out);

// v of a secondary ray: v >= 0, M v >= 0, v'M v = 0, v'q < 0. And what it proves: no solution when M'v <= 0 as well.
typedef struct sti_ray_check {
    bool homogeneous;  // v solves LCP(0, M), v != 0
    bool descends;     // v'q < 0
    bool farkas;       // M'v <= 0 too: no feasible point, whatever the class of M
    bool exact;
} sti_ray_check;

STI_API sti_status sti_verify_ray(sti_env* env, const sti_lcp* lcp, const double* v, double tol, sti_ray_check* out);

#ifdef __cplusplus
}
#endif
#endif
