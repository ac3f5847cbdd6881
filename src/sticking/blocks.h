// blocks.h: the matrices of S0 in its own order, normals apart from tangents, for the propositions.
#ifndef STI_STICKING_BLOCKS_H
#define STI_STICKING_BLOCKS_H

#include "sticking/sticking.h"

// N = grad h (n x m), H (n x t): all touching contacts, tangents contact by contact. U: the unilateral normals (n x u);
// X: everything else that is held at zero acceleration, in the order (H_tb, H_tu, grad h_b) of S0 (62)   (n x x).
typedef struct sti_sticking_blocks {
    const sti_posed* s;
    sti_arena* pool;
    int n, m, t, u, x;
    double *N, *H, *U, *X;
    double *c_n, *c_t, *c_u, *c_x;               // their rates
    int* u_contact;                              // contact of each unilateral normal              (u)
    int* x_multiplier;                           // flat multiplier of each column of X            (x)
    int* u_multiplier;                           // and of U                                       (u)
    bool definite;                               // M > 0
    double* Minv;                                // when definite                                  (n x n)
    double* acceleration;                        // |M^-1| |F|, entry by entry, when definite      (n)
    bool slides;                                 // a contact slides: section 5, not 2 to 4
    bool exact;                                  // exact arithmetic has a say: nothing is redundant only up to rounding
    int rank_N, rank_H, rank_U, rank_X, rank_C;  // C: all directions
    bool X_independent;  // X has full column rank (assumption 1 with the replacement of section 4.2)
} sti_sticking_blocks;

// exact: as above, so far as the equations tell.
sti_status sti_blocks_make(sti_sticking_blocks* b, const sti_posed* s, bool exact);

// What a computed number is, against the terms it was summed from: rounding (0), clearly of its sign (+1, -1), or in
// between (2).
int sti_blocks_sign(double value, double terms);

// lambda as (lambda_n; lambda_t) of S0, into out_n (m) and out_t (t).
void sti_blocks_split(const sti_sticking_blocks* b, const double* lambda, double* out_n, double* out_t);

// Matrices of (35)-(38): A_c (u x u), H_c (u), and its first term. Needs M > 0; X+ by pseudo-inverse. A_c z = 0 exactly
// when U z is in im X, so its rank is that of (U, X) less that of X.
typedef struct sti_augmented {
    double* A;      // (u x u)
    double* H;      // (u)
    double* first;  // -U'Mc^-1 F                               (u)
    double* Winv;   // (X'M^-1 X)+                              (x x x)
    int kernel;     // dimension of ker A_c: 0 when A_c > 0
} sti_augmented;

// (X'M^-1 X)+ of W = X'M^-1 X   (x x x)
sti_status sti_blocks_pinv(const sti_sticking_blocks* b, const double* W, double** out);
sti_status sti_blocks_augmented(const sti_sticking_blocks* b, sti_augmented* out);

// All solutions of (43), or of (73) with contacts that slide, without rounding: free a and lambda_x, then lambda_n of
// the unilateral contacts in the order of pair (u). NULL: too many to look for.
sti_status sti_blocks_solutions(const sti_sticking_blocks* b, const int* pair, sti_lcp_solution_set** out);

sti_status sti_propositions_bilateral(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t);
sti_status sti_propositions_unilateral(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t);
sti_status sti_propositions_solvability(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t);
sti_status sti_propositions_discs(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t);
sti_status sti_propositions_sliding(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t);

#endif
