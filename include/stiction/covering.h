// covering.h: how the complementary cones of a matrix of small order cover the space.
//
// C(alpha) = pos { -M_i : i in alpha, I_i : i not in alpha }, K(M) their union: the q for which the LCP has a solution.
//
//     Q     every q is solvable: K(M) = R^n
//     Q0    every feasible q is: K(M) = pos(I, -M), which is to say that K(M) is convex
//
// Both are decided in exact arithmetic, by taking the full cones away one after the other until nothing is left, or
// until a q is found that lies in none. An index set is a number here: bit i of alpha stands for i.
#ifndef STICTION_COVERING_H
#define STICTION_COVERING_H

#include <stiction/classes.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { STI_COVERING_MOST = 6 };  // order

typedef struct sti_covering {
    int n;
    int cone_count;     // 2^n
    signed char* sign;  // of det M_alpha,alpha; 0: the cone is degenerate                         (cone_count)
    sti_verdict Q;
    sti_verdict Q0;
    double* q_outside;  // Q no: a q in no complementary cone; NULL otherwise                      (n)
    sti_rationals* q_outside_exact;
    double* q_feasible;  // Q0 no: one that is feasible, and in no complementary cone; NULL otherwise   (n)
    sti_rationals* q_feasible_exact;
    long cells;      // looked at for both questions
    char text[160];  // K(M) in words
} sti_covering;

typedef struct sti_covering_options {
    long max_cells;  // 200000; beyond it a question stays open
} sti_covering_options;

STI_API sti_covering_options sti_covering_options_default(void);
// M_exact (n x n, row major) stands for M where it is given. STI_ERR_SIZE beyond STI_COVERING_MOST. options NULL: the
// defaults.
STI_API sti_status sti_covering_create(sti_env* env, const sti_matrix* M, const sti_rationals* M_exact,
                                       const sti_covering_options* options, sti_covering** out);
STI_API void sti_covering_destroy(sti_env* env, sti_covering* covering);  // accepts NULL

// Two cones that differ in index i share the n - 1 other generators. 1: they lie on opposite sides of what those span,
// -1: on the same side, 0: one of them is degenerate.
STI_API int sti_covering_adjacent(const sti_covering* covering, int alpha, int i);

// The path of Lemke's method with covering vector d: q + z0 d, z0 from above down to 0 where it ends with a solution.
// Each piece lies in one complementary cone; neighbours on the path differ in one index.
typedef struct sti_lemke_piece {
    int alpha;
    double from, to;  // z0; from is INFINITY at the beginning; to is INFINITY on a ray
} sti_lemke_piece;

typedef struct sti_lemke_path {
    int n;
    int count;
    sti_lemke_piece* piece;  // (count)
    bool solved;             // z0 came to 0; otherwise the path ends on a ray
} sti_lemke_path;

// d NULL: all ones. Exact. Where several variables fall to 0 at once: z0 if it is among them, else as for
// q + (t, t^2, ..), t > 0 and small, so no basis comes twice. STI_ERR_SIZE after 10000 pivots.
STI_API sti_status sti_lemke_path_create(sti_env* env, const sti_lcp* lcp, const double* d, sti_lemke_path** out);
STI_API void sti_lemke_path_destroy(sti_env* env, sti_lemke_path* path);  // accepts NULL

#ifdef __cplusplus
}
#endif
#endif
