// norms.h: the sufficient conditions of S0 and S1 that compare norms of matrices, for matrices that somebody brings
// along.
//
// Each says: left < right implies that some matrix is positive definite. Both norms of the papers are told, Frobenius
// (S1's notation) and spectral (what its sources prove, and S0's), and beside them what is true: the least eigenvalue
// of the symmetric part of that matrix.
#ifndef STICTION_NORMS_H
#define STICTION_NORMS_H

#include <stiction/document.h>
#include <stiction/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

// Matrices that somebody brings along, dense and row major. NULL: not given.
typedef struct sti_matrices {
    int sum_size;                // P and N, of S0 (84)
    const double *P, *N;         // (sum_size x sum_size)
    int size;                    // of G; E, n_H and mu fit it, E alone or with D has the size of D
    const double* G;             // (size x size)
    int E_size;                  // of E, and of D
    const double *E, *D;         // (E_size x E_size)
    int slip_count;              // columns of n_H
    const double* n_H;           // (size x slip_count)
    const double* mu;            // (slip_count)
    int rows, cols;              // of T
    const double* T;             // (rows x cols)
    const sti_rationals* exact;  // T without rounding: whole numbers and text alone in the file; else NULL
} sti_matrices;

#define STI_NORM_LIST(X)                                                                                             \
    X(STI_NORM_SUM, "sum")                 /* S0 (84): |N| < 1 / |sym(P)^-1|; then P + N */                          \
    X(STI_NORM_RESTITUTION, "restitution") /* S1 Props 6, 7: |E| < 1 / sqrt(|G^-1| |G|); then G^-1 - E'G^-1 E */     \
    X(STI_NORM_LOSS, "loss")               /* S1 Lemma 2: |E| (2 + |E|) |G^-1| |G| < 1; then (I - E)'G^-1 (I + E) */ \
    X(STI_NORM_QUASI, "quasi")             /* S1 Prop 9: |E| < 1 / sqrt(|D^-1| |D|); then D - E'D E */               \
    X(STI_NORM_FRICTION, "friction") /* S1 Prop 14, Lemma 1: |G^-1| |n_H| |diag(mu)| < 1; then G - n_H diag(+-mu) */

#define STI_X(code, text) code,
typedef enum sti_norm_question { STI_NORM_LIST(STI_X) STI_NORM_COUNT } sti_norm_question;
#undef STI_X

STI_API const char* sti_norm_text(sti_norm_question question);

typedef struct sti_norm_test {
    bool asked;      // the matrices it needs are there
    bool applies;    // P, G or D is positive definite as it has to be
    double left[2];  // Frobenius, spectral
    double right[2];
    bool holds[2];  // left < right by more than rounding (1e-12)
    // of the symmetric part of the matrix in question; friction: least over all signs of mu; NAN: too many
    double lambda_min;
    char why[120];  // when it does not apply
} sti_norm_test;

// quasi is asked when D is there, restitution and loss when it is not. mu: as S1 has it, mu_i / |n_i| with the kinetic
// norm.
STI_API sti_status sti_norm_test_analyze(sti_env* env, const sti_matrices* matrices, sti_norm_question question,
                                         sti_norm_test* out);

// What a document holds (document.h); NULL when of another kind.
STI_API const sti_matrices* sti_matrices_of(const sti_document* document);

#ifdef __cplusplus
}
#endif
#endif
