// contact.h: the inside of the contact room: the prepared local problem that every method works on.
//
//     u = W r + q,      K_mu contains r,   K_mu* contains u + mu |u_t| n,   orthogonal         (contact by contact)
//
// A global problem, or one with bilateral rows, is brought to this form first (reduce.c) and its answer carried back.
#ifndef STI_CONTACT_CONTACT_H
#define STI_CONTACT_CONTACT_H

#include <stiction/contact.h>

#include "base/arena.h"
#include "base/env.h"

// Square block-sparse matrix by rows: n x n blocks of d x d, columns of a row ascending, diagonal blocks always stored.
typedef struct sti_bsr {
    int d;
    int n;
    int64_t* row_start;  // first block of each block row   (n+1)
    int* col;            // block column of each block      (nb)
    int64_t* diagonal;   // block index of W_cc             (n)
    double* block;       // row major inside a block        (nb x d x d)
} sti_bsr;

sti_status sti_bsr_from_matrix(sti_env* env, const sti_matrix* A, int d, sti_bsr* out);  // zero blocks dropped
void sti_bsr_clear(sti_env* env, sti_bsr* A);
// The pattern of A + A' by columns, ascending: first (n+1), near; and at which of these places each block of A stands.
typedef struct sti_bsr_pattern {
    int *first, *near;
    int* entry;      // (blocks of A)
    bool symmetric;  // A = A' to the last bit
} sti_bsr_pattern;
sti_status sti_bsr_pattern_make(sti_arena* memory, const sti_bsr* A, sti_bsr_pattern* out);
void sti_bsr_multiply(const sti_bsr* A, const double* x, double* y);             // y = A x
void sti_bsr_row_multiply(const sti_bsr* A, int c, const double* x, double* y);  // y (d) = row c of A x

typedef struct sti_contact_local {
    sti_env* env;
    int d;
    int nc;
    const double* mu;                // (nc)
    const double* q;                 // (d nc)
    sti_bsr W;                       // empty (n = 0) when W is an operator
    const sti_contact_operator* op;  // then this
    double* diagonal;                // W_cc of every contact, row major     (nc x d x d)
    double* rho;                     // d / trace W_cc                       (nc)
    double scale;                    // |rho q|, the unit of r: residuals are relative to max(|r|, scale)
} sti_contact_local;

void sti_contact_local_apply(const sti_contact_local* p, const double* r, double* u);  // u = W r + q

// Natural map at r (u = W r + q given): sqrt(sum |e_c|^2) / max(|r|, scale). worst (may be NULL): contact of the
// largest |e_c|.
double sti_contact_natural_map(const sti_contact_local* p, const double* r, const double* u, int* worst);

// A method improves r (d nc), which holds the first guess on entry, and u = W r + q on exit. It stops when the natural
// map is at most options->tol, and returns the best point it has seen.
typedef struct sti_contact_run {
    double* r;  // (d nc)
    double* u;  // (d nc)
    double residual;
    long iterations;
    sti_termination termination;  // STI_END_RAY: the method has proved that there is no solution
    double* multipliers;          // (nc), NULL: not wanted. The y of that proof (emptiness.h)
    char reason[240];
    // in, what a portfolio knows
    bool brief;  // sweeps: what would take more of them than it may is given up at once
    bool swept;  // the guess comes from sweeps: no more of them before the first step
} sti_contact_run;

typedef sti_status sti_contact_method(const sti_contact_local* p, const sti_contact_options* options,
                                      sti_contact_run* run);

// sti_contact_method_gs in gs.c, and so on; apgd and bb in gradient.c, lemke in facets.c
#define STI_X(code, name) sti_contact_method sti_contact_method_##name;
STI_CONTACT_METHOD_LIST(STI_X)
#undef STI_X

sti_contact_method* sti_contact_method_of(sti_contact_solver solver);  // NULL for auto and velocities
// The portfolio (auto.c): records its attempts and the solver that succeeded in the answer.
sti_status sti_contact_run_auto(const sti_contact_local* p, const sti_contact_options* options, sti_contact_run* run,
                                sti_contact_answer* answer);

// One contact alone, exactly: r with u = A r + b, A = W_cc (d x d, row major). one_contact.c
// Returns the mode. r need not be set on entry.
sti_contact_mode sti_contact_solve_one(int d, double mu, const double* A, const double* b, double* r);

// The same in two steps, for a block that is solved with many b: what depends on A and mu alone is kept.
typedef struct sti_contact_block {
    int m;             // tangential directions, d - 1
    double mu;         //
    double unit;       // A is kept as A / unit; 1 unless A is near the ends of the range of doubles
    double inverse;    // 1 / A_nn; 0: A_nn = 0, the block cannot push
    double lambda[2];  // eigenvalues of the symmetric part of S, the Schur complement of A_nn, descending, >= 0
    double sigma;      // skew part of S, 0 when A is symmetric
    double pivot;      // 1 / det S; 0: S is singular
    double column[2];  // A_tn / A_nn in the eigenbasis
    double row[2];     // A_nt / A_nn in the eigenbasis
    double axis[2];    // first eigenvector; the second is (-axis[1], axis[0])
    double pace;       // |u_t| / |r_t| of the last sliding answer, from which the next one is sought; 0: none yet
} sti_contact_block;

void sti_contact_block_prepare(int d, double mu, const double* A, sti_contact_block* block);
sti_contact_mode sti_contact_block_solve(sti_contact_block* block, const double* b, double* r);

#endif
