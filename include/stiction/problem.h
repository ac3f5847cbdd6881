// problem.h: linear complementarity problems: pose, solve, and what an answer proves.
//
//     LCP    w = M z + q,              0 <= w _|_ z >= 0
//     MLCP   A u + C v + a = 0,        0 <= v _|_ D u + B v + b >= 0
//
// An LCP is an MLCP without free variables; answers share one struct, in which z stands for the
// complementary variables (v of the MLCP) and w for their slacks. Knows no bodies.
#ifndef STICTION_PROBLEM_H
#define STICTION_PROBLEM_H

#include <stiction/document.h>
#include <stiction/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_lcp {
    int n;
    sti_matrix M;     // n x n
    const double* q;  // (n)
    // Exact data, when doubles do not hold it (input like "2/3"); NULL: the doubles are the data.
    const sti_rationals* M_exact;  // row major (n x n)
    const sti_rationals* q_exact;  // (n)
} sti_lcp;

typedef struct sti_mlcp {
    int n;            // free variables u, and equations
    int m;            // complementary pairs
    sti_matrix A;     // n x n
    sti_matrix C;     // n x m
    sti_matrix D;     // m x n
    sti_matrix B;     // m x m
    const double* a;  // (n)
    const double* b;  // (m)
    // Exact data as above: the (n+m) x (n+m) matrix [A C; D B] row major, and (a; b). Both or none.
    const sti_rationals* matrix_exact;
    const sti_rationals* vector_exact;
} sti_mlcp;

// What is known about the problem after the call.
#define STI_OUTCOME_LIST(X)           \
    X(STI_UNKNOWN, "unknown")         \
    X(STI_SOLVED, "solved")           \
    X(STI_NO_SOLUTION, "no_solution") \
    X(STI_LIMIT, "limit")

// How the algorithm ended. A ray, by itself, is an event and not a proof.
#define STI_TERMINATION_LIST(X)                                                                 \
    X(STI_END_NONE, "none")                     /* not run */                                   \
    X(STI_END_SOLUTION, "solution")             /* a point that passed the residual test */     \
    X(STI_END_RAY, "ray")                       /* pivoting left along a secondary ray */       \
    X(STI_END_EXHAUSTED, "exhausted")           /* every case was looked at, none remains */    \
    X(STI_END_LIMIT, "limit")                   /* iterations or time ran out */                \
    X(STI_END_STALLED, "stalled")               /* no progress, or breakdown of the numerics */ \
    X(STI_END_NOT_APPLICABLE, "not_applicable") /* the method does not take this problem */

// The solvers, a line for each: code, and its name in options and files. Codes, words, parsing, the table that calls
// them and the lists in messages and in --help come from here. Methods are files of src/solvers; auto tries several,
// enum looks at every case.
#define STI_LCP_METHOD_LIST(X) \
    X(STI_LCP_LEMKE, lemke)    \
    X(STI_LCP_NEWTON, newton)  \
    X(STI_LCP_PGS, pgs)        \
    X(STI_LCP_IPM, ipm)

#define STI_LCP_SOLVER_LIST(X) \
    X(STI_LCP_AUTO, auto)      \
    STI_LCP_METHOD_LIST(X)     \
    X(STI_LCP_ENUM, enum)

#define STI_PROOF_LIST(X)             \
    X(STI_PROOF_NONE, "none")         \
    X(STI_PROOF_SOLUTION, "solution") \
    X(STI_PROOF_FARKAS, "farkas")     \
    X(STI_PROOF_BRANCH, "branch")

#define STI_X(code, name) code,
typedef enum sti_outcome { STI_OUTCOME_LIST(STI_X) } sti_outcome;
typedef enum sti_termination { STI_TERMINATION_LIST(STI_X) } sti_termination;
typedef enum sti_lcp_solver { STI_LCP_SOLVER_LIST(STI_X) STI_LCP_SOLVER_COUNT } sti_lcp_solver;
typedef enum sti_proof { STI_PROOF_LIST(STI_X) } sti_proof;
#undef STI_X

STI_API const char* sti_outcome_text(sti_outcome outcome);
STI_API const char* sti_termination_text(sti_termination termination);
STI_API const char* sti_lcp_solver_text(sti_lcp_solver solver);
STI_API const char* sti_proof_text(sti_proof proof);
STI_API bool sti_lcp_solver_parse(const char* name, sti_lcp_solver* out);  // false: no such solver

// Why there is no solution: a tree of cases, each closed by a Farkas vector.
//
// Leaf k fixes some pairs (z_i = 0 where fixed is +1, w_i = 0 where it is -1, 0: open) and has
// multipliers x for the equations and y for the rows of w with
//
//     x'A + y'D = 0,    y_i >= 0 unless w_i is fixed,    (x'C + y'B)_j <= 0 unless z_j is fixed,    x'a + y'b < 0,
//
// so that 0 <= y'w + ... < 0, absurd in that case. The leaves cover every choice of fixings, hence
// no solution. One leaf with nothing fixed is the classical Farkas vector: not even w, z >= 0 can hold.
typedef struct sti_certificate {
    sti_proof proof;
    int free_count;  // n of the MLCP, 0 for an LCP
    int pair_count;  // complementary pairs
    int leaf_count;
    signed char* fixed;      // 0, +1, -1 as above                     (leaf_count x pair_count)
    double* y;               // multipliers (x, y)                     (leaf_count x (free_count+pair_count))
    sti_rationals* y_exact;  // the same, exact integers; NULL when only y is known
    bool exact;              // every inequality above, or the solution, was checked without rounding
    double bound;            // not exact: any solution has |u|_1 + |z|_1 >= bound (INFINITY when exact)
} sti_certificate;

// A secondary ray of Lemke's method: (z, z0) + t (dz, dz0), t >= 0, stays almost complementary.
typedef struct sti_ray {
    double* z;   // foot of the ray      (n), NULL when there is none
    double* dz;  // direction v          (n)
    double z0;
    double dz0;
} sti_ray;

typedef struct sti_lcp_attempt {
    sti_lcp_solver solver;
    sti_termination termination;
    double residual;  // best the attempt reached, NAN when it has no point
    long iterations;
    double time_s;
    char why[120];  // why it was tried, or why it was left
} sti_lcp_attempt;

typedef struct sti_lcp_answer {
    sti_outcome outcome;
    sti_termination termination;
    sti_lcp_solver solver;  // who gave the answer (auto names the one that succeeded)
    bool mixed;             // of an MLCP: files call the pairs v, not z
    int free_count;         // 0 for an LCP
    int n;                  // complementary pairs
    double* u;              // free variables                                  (free_count)
    double* z;              // best point found, z >= 0                        (n)
    double* w;              // M z + q, recomputed from the original data      (n)
    unsigned char* alpha;   // complementary basis: 1 where column -M_i is in  (n)
    int basis_nonsingular;  // 1 yes, 0 no, -1 not known      (S3 definition 1.2.3)
    // Residuals on the original data, see sti_lcp_residual.
    double residual;           // the largest of the following
    double residual_equation;  // |A u + C v + a|
    double residual_z;         // negative part of z
    double residual_w;         // negative part of w
    double residual_gap;       // |z'w|
    long iterations;           // pivots, sweeps or steps
    double time_s;
    bool exact;              // the solution was confirmed without rounding from its basis
    sti_rationals* z_exact;  // then: u and z in exact form            (free_count + n), else NULL
    sti_certificate certificate;
    sti_ray ray;
    int attempt_count;
    sti_lcp_attempt* attempts;  // what auto tried and why                         (attempt_count)
    char reason[240];           // one sentence: what the outcome rests on
} sti_lcp_answer;

typedef struct sti_lcp_options {
    sti_lcp_solver solver;
    double tol;              // on the residual, relative to the data
    long max_iterations;     // 0: the method's own limit
    double time_limit_s;     // 0: none; the only place where a clock takes part in a decision
    const double* covering;  // lemke: d > 0 (n); NULL: all ones
    const double* start;     // newton, pgs, ipm: first z (n); NULL: the method's own
    double relaxation;       // pgs: omega in (0, 2)
    int exact_limit;         // auto: pairs up to which exact arithmetic settles what floating point cannot
    bool rounded;            // the basis of a small problem is not solved again in exact arithmetic
    void (*trace)(void* user, const char* solver, long iteration, double residual);
    void* trace_user;
} sti_lcp_options;

STI_API sti_lcp_options sti_lcp_options_default(void);

// Solve with options.solver. The answer is filled (and must be cleared) whenever STI_OK is returned.
STI_API sti_status sti_lcp_solve(sti_env* env, const sti_lcp* lcp, const sti_lcp_options* options,
                                 sti_lcp_answer* answer);
STI_API sti_status sti_mlcp_solve(sti_env* env, const sti_mlcp* mlcp, const sti_lcp_options* options,
                                  sti_lcp_answer* answer);
STI_API void sti_lcp_answer_clear(sti_env* env, sti_lcp_answer* answer);  // accepts a cleared one

// Residuals of a point (u, z) on the original data, each relative to the size of the data, so that a change of
// units changes nothing. s = max |(a; b)|_i (of q for an LCP; 1 when all of it is zero), t = max |z|_i (1 when z = 0):
//     equation   max |A u + C v + a|_i / s
//     z          largest negative part / t
//     w          largest negative part / s
//     gap        sum |z_i w_i| / (s t)
// Fills the residual fields, w, and nothing else.
STI_API sti_status sti_lcp_residual(sti_env* env, const sti_lcp* lcp, sti_lcp_answer* answer);
STI_API sti_status sti_mlcp_residual(sti_env* env, const sti_mlcp* mlcp, sti_lcp_answer* answer);

// All solutions, in exact arithmetic. The solution set is a union of polyhedra, one for each index set
// alpha whose complementary cone holds q; polyhedra that share a vertex belong to one component.
typedef struct sti_lcp_piece {
    unsigned char* alpha;  // the complementary cone               (n)
    bool nonsingular;      // C_M(alpha) is a basis
    int component;
    int dimension;  // 0: a point
    int vertex_count;
    int* vertices;  // into the vertex table                (vertex_count)
    int ray_count;
    int* rays;  // into the ray table, when unbounded   (ray_count)
} sti_lcp_piece;

typedef struct sti_lcp_solution_set {
    bool mixed;  // as in sti_lcp_answer
    int free_count;
    int n;
    int vertex_count;  // extreme solutions, distinct
    double* vertex;    // (u, z) of each                      (vertex_count x (free_count+n))
    sti_rationals* vertex_exact;
    bool* vertex_basic;  // has a nonsingular complementary basis   (vertex_count)
    int ray_count;
    double* ray;  // recession directions                (ray_count x (free_count+n))
    sti_rationals* ray_exact;
    int piece_count;
    sti_lcp_piece* pieces;  // every alpha with q in pos C_M(alpha)
    int component_count;
    int* component_dimension;     // 0 and no ray: an isolated solution  (component_count)
    bool complete;                // false: stopped at the limit, more may exist
    sti_certificate certificate;  // when there is no solution
    long nodes;
    double time_s;
} sti_lcp_solution_set;

// max_pieces 0: a default of one million; time_limit_s 0: none. A set that was cut short has complete = false.
STI_API sti_status sti_lcp_enumerate(sti_env* env, const sti_lcp* lcp, long max_pieces, double time_limit_s,
                                     sti_lcp_solution_set** out);
STI_API sti_status sti_mlcp_enumerate(sti_env* env, const sti_mlcp* mlcp, long max_pieces, double time_limit_s,
                                      sti_lcp_solution_set** out);
STI_API void sti_lcp_solution_set_destroy(sti_env* env, sti_lcp_solution_set* set);

// ---- an independent check: shares no code with the solvers (docs/reliability.md)

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

// What a document holds (document.h); NULL when of another kind.
STI_API const sti_lcp* sti_lcp_of(const sti_document* document);
STI_API const sti_mlcp* sti_mlcp_of(const sti_document* document);

#ifdef __cplusplus
}
#endif
#endif
