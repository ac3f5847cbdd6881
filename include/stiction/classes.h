// classes.h: what kind of matrix it is, what that proves, and why not.
//
// Every verdict is a theorem or says "unknown". A "no" carries a witness anybody can check.
#ifndef STICTION_CLASSES_H
#define STICTION_CLASSES_H

#include <stiction/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sti_verdict { STI_NO = 0, STI_YES = 1, STI_UNDECIDED = -1 } sti_verdict;

#define STI_CLASS_LIST(X)                                                                      \
    X(STI_CLASS_SYMMETRIC, "symmetric")                                                        \
    X(STI_CLASS_POSITIVE_DEFINITE, "positive_definite") /* x'Mx > 0 for x != 0 */              \
    X(STI_CLASS_POSITIVE_SEMIDEFINITE, "positive_semidefinite")                                \
    X(STI_CLASS_P, "P")                   /* principal minors > 0 */                           \
    X(STI_CLASS_P0, "P0")                 /* principal minors >= 0 */                          \
    X(STI_CLASS_Z, "Z")                   /* off-diagonal entries <= 0 */                      \
    X(STI_CLASS_K, "K")                   /* Z and P */                                        \
    X(STI_CLASS_COPOSITIVE, "copositive") /* x'Mx >= 0 for x >= 0 */                           \
    X(STI_CLASS_STRICTLY_COPOSITIVE, "strictly_copositive")                                    \
    X(STI_CLASS_COLUMN_SUFFICIENT, "column_sufficient") /* x_i(Mx)_i <= 0 all i implies = 0 */ \
    X(STI_CLASS_NONNEGATIVE, "nonnegative")

#define STI_X(code, text) code,
typedef enum sti_class { STI_CLASS_LIST(STI_X) STI_CLASS_COUNT } sti_class;
#undef STI_X

STI_API const char* sti_class_text(sti_class c);

// One decision. A witness of "no" is, by class:
//     entry (row, col)         symmetric, Z, nonnegative
//     vector x                 definiteness (x'Mx < 0 or <= 0), copositivity (the same with x >= 0), column sufficiency
//     index set and minor      P, P0; K takes the one of Z or of P
typedef struct sti_class_finding {
    sti_verdict verdict;
    bool exact;              // decided without rounding; false with YES or NO: holds up to rounding, see how
    int row, col;            // -1 when not used
    int size;                // entries of x or of the index set
    int* index;              // index set, ascending, 0-based; NULL when not used     (size)
    double* x;               // violating vector; NULL when not used                  (n)
    sti_rationals* x_exact;  // the same without rounding, when known                 (n)
    double value;            // x'Mx, the minor, or the entry, as a double
    char how[160];           // the argument in a sentence
} sti_class_finding;

typedef struct sti_classes {
    int n;
    sti_class_finding finding[STI_CLASS_COUNT];
    double min_eigenvalue;  // of the symmetric part
    double max_eigenvalue;
    // min of x'Mx over the standard simplex and where; NAN / NULL when not computed
    double simplex_min;
    double* simplex_argmin;            // (n)
    sti_rationals* simplex_min_exact;  // (1) and, with it, the minimizer exact
    sti_rationals* simplex_argmin_exact;
} sti_classes;

typedef struct sti_classes_options {
    int exact_limit;  // order up to which exponential exact tests run (default 20)
    long work_limit;  // nodes an exponential test may visit before it says "undecided" (default 4 million); steps in
                      // long integers weigh more
} sti_classes_options;

STI_API sti_classes_options sti_classes_options_default(void);

// M_exact (row major, may be NULL) replaces the doubles where decisions are exact.
STI_API sti_status sti_classes_create(sti_env* env, const sti_matrix* M, const sti_rationals* M_exact,
                                      const sti_classes_options* options, sti_classes** out);
STI_API void sti_classes_destroy(sti_env* env, sti_classes* classes);

// S3 theorem 1.2.8 (S0 theorem 1). The implication
//     v >= 0, M v >= 0, v'M v = 0   =>   q'v >= 0
// decided over all homogeneous solutions: SOL(0, M) is searched cone by cone for the least q'v.
typedef struct sti_homogeneous_test {
    sti_verdict trivial;      // SOL(0, M) = {0}
    sti_verdict implication;  // the implication holds for this q
    double min_qv;            // least q'v over v in SOL(0, M), e'v = 1; NAN when SOL(0, M) = {0}
    double* v;                // where it is attained                       (n), NULL when trivial
    sti_rationals* v_exact;
    sti_verdict solvable;  // what follows: YES when M is copositive and the implication holds
    char how[200];
} sti_homogeneous_test;

STI_API sti_status sti_homogeneous_test_create(sti_env* env, const sti_lcp* lcp, const sti_classes* classes,
                                               sti_homogeneous_test** out);
STI_API void sti_homogeneous_test_destroy(sti_env* env, sti_homogeneous_test* test);

// Is q in pos C_M(alpha)? Decided exactly. v (n) are the nonnegative coordinates when it is; otherwise y
// separates: y'C_M(alpha) >= 0, y'q < 0.   (S3 definitions 1.2.3, 1.2.4)
typedef struct sti_cone_membership {
    bool nonsingular;  // C_M(alpha) is a complementary basis
    bool inside;
    double* v;  // (n), NULL when outside
    double* y;  // (n), NULL when inside
} sti_cone_membership;

STI_API sti_status sti_lcp_cone_membership(sti_env* env, const sti_lcp* lcp, const unsigned char* alpha,
                                           sti_cone_membership* out);
STI_API void sti_cone_membership_clear(sti_env* env, sti_cone_membership* membership);

// The structure of S3 theorem 1.2.10 in an MLCP:
//     [Q -F -H; F' 0 0; H' 0 N],  a = (-k; 0),  Q positive definite, N copositive, b >= 0   =>   solvable.
// Free variables may come in any order; x are those with a diagonal block Q.
typedef struct sti_mlcp_structure {
    sti_verdict matches;  // the block pattern is there
    int x_count, y_count;
    int* x;  // indices of the free variables that are x  (x_count)
    int* y;  // and y                                     (y_count)
    sti_verdict Q_positive_definite;
    sti_verdict N_copositive;
    bool b_nonnegative;
    sti_verdict solvable;
    int rank_A;  // -1: not computed, too large for exact elimination
    int rank_F;  // the same for F, by the partition above
    char how[200];
} sti_mlcp_structure;

STI_API sti_status sti_mlcp_structure_create(sti_env* env, const sti_mlcp* mlcp, const sti_classes_options* options,
                                             sti_mlcp_structure** out);
STI_API void sti_mlcp_structure_destroy(sti_env* env, sti_mlcp_structure* structure);

#ifdef __cplusplus
}
#endif
#endif
