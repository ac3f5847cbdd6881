// vi.h: variational inequalities: over polyhedra with matrices (avi, relay), over boxes with formulas (vi, ncp).
//
//     find x in K:   F(x)'(y - x) >= 0   for all y in K
//
//     avi     F(x) = M x + q,    K = { A x >= b,  E x = e,  lb <= x <= ub }
//     relay   F(x) = M x + q,    K = { lb <= x <= ub },   lb = -1 and ub = 1 where they are not given:
//         -(M x + q) in N_K(x)
//     vi      F by formulas,     K = { lb <= x <= ub }:   F_i >= 0 where x_i = lb_i, <= 0 where x_i = ub_i, = 0 between
//     ncp     F by formulas,     K = { x >= 0 }:          0 <= x _|_ F(x) >= 0
//
// With matrices the problem is a mixed complementarity problem and nothing is lost: K is a polyhedron, so multipliers
// exist at every solution without further conditions. Outcomes, proofs and certificates are those of problem.h. Over a
// bounded K that is not empty there always is a solution (Hartman and Stampacchia).
//
// With formulas: semismooth Newton on the Fischer-Burmeister map with a line search, from several starts. A point is
// believed where its residual, rounded outward, is within the tolerance; it is proved where interval Newton shows that
// a solution lies in the intervals given, or where all conditions hold at the point itself. That there is none is never
// claimed of formulas, but where the box is empty.
#ifndef STICTION_VI_H
#define STICTION_VI_H

#include <stiction/interval.h>
#include <stiction/problem.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- matrices

typedef struct sti_avi {
    int n;             // unknowns
    int m;             // rows of A
    int k;             // rows of E
    sti_matrix M;      // n x n
    sti_matrix A;      // m x n
    sti_matrix E;      // k x n
    const double* q;   // (n)
    const double* b;   // (m)
    const double* e;   // (k)
    const double* lb;  // NULL: none; -INFINITY: not this one               (n)
    const double* ub;  // (n)
    // Exact data, when doubles do not hold them; of all that is given, or all NULL. Of a bound that is infinite:
    // anything.
    const sti_rationals *M_exact, *A_exact, *E_exact, *q_exact, *b_exact, *e_exact, *lb_exact, *ub_exact;
} sti_avi;

// The MLCP with the same solutions. Free are x and the multipliers l of E x = e; the pairs are multipliers and
// distances of the rows of A, then of the finite lower bounds, then of the finite upper ones:
//
//     M x + q - E'l - A'v - v_lb + v_ub = 0,    E x = e,    0 <= v _|_ A x - b >= 0,   0 <= v_lb _|_ x - lb >= 0,   ..
//
// Nothing is added or rounded, so exact data stay exact.
typedef struct sti_avi_mlcp {
    sti_mlcp mlcp;  // what it points to is owned
    int* pair_of;   // of each pair: its row of A; m + i for the lower bound of x_i, m + n + i for the upper one
} sti_avi_mlcp;

STI_API sti_status sti_avi_mlcp_make(sti_env* env, const sti_avi* avi, sti_avi_mlcp* out);
STI_API void sti_avi_mlcp_clear(sti_env* env, sti_avi_mlcp* posed);  // accepts a cleared one

// The answer is that of the MLCP: u = (x, l), z the multipliers, w the distances. Where K is a bounded box and the
// usual methods fail, Lemke's method does it on the LCP of x - lb and the multipliers of ub, with a covering vector for
// which it cannot end on a ray (docs/complementarity.md). options NULL: the defaults; covering and start are not taken.
STI_API sti_status sti_avi_solve(sti_env* env, const sti_avi* avi, const sti_lcp_options* options,
                                 sti_lcp_answer* answer);

// Judged against the MLCP, which is posed anew from the inequality by code of its own.
STI_API sti_status sti_verify_avi(sti_env* env, const sti_avi* avi, const sti_lcp_answer* answer, double tol,
                                  sti_verification* out);

// ---- formulas

typedef struct sti_vi {
    int n;
    const char* const* variables;  // names                                    (n)
    const double* lb;              // -INFINITY: none                           (n)
    const double* ub;              // INFINITY: none                            (n)
    int definition_count;
    const sti_system_named* definitions;  // each may use variables and those before it
    const char* const* F;                 // formulas                                  (n)
    const double* start;                  // NULL: next to 0 in the box                   (n)
    bool ncp;                             // it came as one: x >= 0
} sti_vi;

typedef struct sti_vi_options {
    double tol;           // on the residual, 1e-9
    long max_iterations;  // Newton steps of one start, 200
    int starts;           // how many, 20; the first is that of the problem
    uint64_t seed;        // of the others, 1
    double time_limit_s;  // 0: none
    void (*trace)(void* user, const char* solver, long iteration, double residual);  // may be NULL
    void* trace_user;
} sti_vi_options;

#define STI_VI_PROOF_LIST(X)                                                                       \
    X(STI_VI_PROOF_NONE, "none", "nothing")                                                        \
    X(STI_VI_PROOF_RESIDUAL, "residual", "a residual within the tolerance, rounded outward")       \
    X(STI_VI_PROOF_EXISTENCE, "existence", "a solution lies in the intervals, by interval Newton") \
    X(STI_VI_PROOF_EXACT, "exact", "the point itself is a solution, exactly")

#define STI_X(code, text, words) code,
typedef enum sti_vi_proof { STI_VI_PROOF_LIST(STI_X) } sti_vi_proof;
#undef STI_X

STI_API const char* sti_vi_proof_text(sti_vi_proof proof);
STI_API const char* sti_vi_proof_words(sti_vi_proof proof);

typedef struct sti_vi_answer {
    sti_outcome outcome;  // solved; no solution: the box is empty; unknown; limit
    sti_vi_proof proof;
    int n;
    double* x;        // best point found                                (n)
    double* F;        // F there                                         (n)
    double residual;  // largest |x_i - mid(lb_i, x_i - F_i, ub_i)| over 1 + |x|, an upper bound; INFINITY: no value
    sti_interval* interval;  // existence: holds a solution; a point: that coordinate of it is at its bound      (n)
    long iterations;
    int start;  // which one led to x, from 0
    double time_s;
    char reason[240];
} sti_vi_answer;

STI_API sti_vi_options sti_vi_options_default(void);
STI_API sti_status sti_vi_solve(sti_env* env, const sti_vi* vi, const sti_vi_options* options, sti_vi_answer* answer);
STI_API void sti_vi_answer_clear(sti_env* env, sti_vi_answer* answer);  // accepts a cleared one

// The map where a solve begins: x, F(x) and F'(x) (n x n, row major) in one block of memory; free *x with sti_env_free.
// STI_ERR_INPUT where F has no value there.
STI_API sti_status sti_vi_at_start(sti_env* env, const sti_vi* vi, double** x, double** F, double** J);

typedef struct sti_vi_verification {
    bool accepted;  // the claim holds: the residual is within tol, and what is claimed to be proved was shown anew
    sti_outcome claim;
    sti_vi_proof proof;  // what of the claim was shown: as claimed, or less
    double residual;     // of x, by 256 bits and the check's own reading of the formulas
    char text[240];
} sti_vi_verification;

STI_API sti_status sti_verify_vi(sti_env* env, const sti_vi* vi, const sti_vi_answer* answer, double tol,
                                 sti_vi_verification* out);

// ---- files

STI_API const sti_avi* sti_avi_of(const sti_document* document);  // of kind avi or relay; NULL of another
STI_API const sti_vi* sti_vi_of(const sti_document* document);    // of kind vi or ncp; NULL of another
STI_API sti_status sti_avi_save(sti_env* env, const sti_avi* avi, const char* path);  // .json or .hdf5, as kind avi

// Of avi: the fields of an mlcp answer, with x and F = M x + q beside them. sti_lcp_answer_load reads them back.
STI_API sti_status sti_avi_answer_json(sti_env* env, const sti_avi* avi, const sti_lcp_answer* answer, sti_kind kind,
                                       char** out);
STI_API sti_status sti_avi_answer_save(sti_env* env, const sti_avi* avi, const sti_lcp_answer* answer, sti_kind kind,
                                       const char* path);
STI_API sti_status sti_vi_answer_json(sti_env* env, const sti_vi* vi, const sti_vi_answer* answer, char** out);
STI_API sti_status sti_vi_answer_save(sti_env* env, const sti_vi* vi, const sti_vi_answer* answer, const char* path);
STI_API sti_status sti_vi_answer_load(sti_env* env, const sti_vi* vi, const char* path, sti_vi_answer* out);
STI_API sti_status sti_vi_answer_parse(sti_env* env, const sti_vi* vi, const char* text, size_t size, const char* name,
                                       sti_vi_answer* out);

#ifdef __cplusplus
}
#endif
#endif
