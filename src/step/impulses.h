// impulses.h: the one problem behind every step and every phase of an impact:
//
//     Q u = f + alpha (sum nu_i c_nu,i + sum n_j c_n,j + D_j beta_j)
//     nu_i'u + b_i = 0
//     0 <= rho_j    = n_j'u + b_j                          _|_  c_n,j  >= 0
//     0 <= sigma_j  = lambda_j e + D_j'u + D_j'b_t         _|_  beta_j >= 0
//     0 <= zeta_j   = mu_j c_n,j + bound_j - e'beta_j      _|_  lambda_j >= 0
//
// S3 (2.1.8) with errata S3-E2: u is the weighted velocity. Theorem 1.2.10 covers it for Q positive definite and b = 0.
#ifndef STI_STEP_IMPULSES_H
#define STI_STEP_IMPULSES_H

#include <stiction/contact.h>
#include <stiction/instant.h>

#include "base/arena.h"
#include "base/env.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

typedef struct sti_impulse_contact {
    int contact;  // of the instant
    bool bilateral;
    int tangent_count;
    int corner_count;      // of a friction polygon of its own; 0: facets
    const double* corner;  // (corner_count x 2)
    const double* n;       // (n)
    const double* t;       // (tangent_count x n)
    double mu;
    double b_n;
    double b_t[2];
    double bound;        // friction beyond mu c_n; of a joint all of it
    const double* push;  // along what c_n acts, where the contact slides; NULL: n      (n)
} sti_impulse_contact;

typedef struct sti_impulses {
    sti_arena memory;
    sti_env* env;
    int n;         // velocities
    int capacity;  // contacts and joints
    int facets;    // directions of a contact with two tangents
    bool nearing;  // rates of joints are not 0 yet: what redundant ones miss is no contradiction
    // ---- the problem
    double alpha;
    double* Q;  // (n x n)
    double* f;  // (n)
    int count;
    sti_impulse_contact* contacts;  // (capacity)
    // ---- its answer
    double* u;            // (n)
    double* c_n;          // (capacity)
    double* c_t;          // (capacity x 2)
    double* rho;          // n'u + b_n          (capacity)
    double* slip;         // (capacity x 2)
    unsigned char* mode;  // sti_contact_mode   (capacity)
    sti_outcome outcome;
    double residual;
    char why[240];
    // ---- the MLCP
    int joints, pairs;  // counts of free multipliers and complementary pairs
    double *A, *C, *D, *B, *a, *b;
    // ---- without its free variables
    sti_dense_factor factor;
    double* X;              // A^-1 [C a], one column after the other       (pairs+1 x (n+joints))
    double *M, *q, *slack;  // the LCP                                      (pairs x pairs), (pairs), (pairs)
    double *free_variables, *remainder;  // (n+joints)
    unsigned char* basis;                // complementary basis found                    (pairs)
    sti_contact_memory* keeps;           // of the contact problems of a round cone; NULL: none yet
    double* numbers;
    int* first_beta;    // of each contact, -1: no friction                           (capacity)
    int* lambda_index;  // (capacity)
    double* span;       // of the gradients of joints                                 (n x n)
    int* row;           // c_n or c_nu of each contact                                (capacity)
} sti_impulses;

// Room for every contact of a shape: tangent_count (contact_count).
sti_status sti_impulses_init(sti_impulses* p, sti_env* env, int n, int contact_count, const int* tangent_count,
                             int facets);
void sti_impulses_clear(sti_impulses* p);  // accepts a zero struct

// Contact i of the instant, friction mu, joins the problem; b_n and b_t are its own offsets.
sti_impulse_contact* sti_impulses_add(sti_impulses* p, const sti_instant* instant, int i, double mu);

sti_status sti_impulses_solve(sti_impulses* p);       // facets
sti_status sti_impulses_solve_cone(sti_impulses* p);  // the round cone; no friction of joints, bounds 0

// The parts of it, for who needs the matrices: count pairs, fill A, C, D, B, a, b.
void sti_impulses_pose(sti_impulses* p);
sti_mlcp sti_impulses_mlcp(const sti_impulses* p);
// The problem of sti_impulses_solve_cone, with what a skew part of Q brings at u. *numbers is the caller's;
// contact_count 0: there is no contact.
sti_status sti_impulses_pose_cone(sti_env* env, const sti_impulses* p, sti_contact_problem* out, double** numbers);
void sti_impulses_read(sti_impulses* p, const double* free_variables, const double* z);

int sti_impulse_directions(int tangent_count, int facets);
void sti_impulse_direction(int tangent_count, int facets, int s, double d[2]);
// Of a contact of the problem: columns of D, and column s in its tangent rows: a direction, or a corner of its polygon.
int sti_impulses_columns(const sti_impulses* p, const sti_impulse_contact* c);
// Of an instant: the most that a contact with two tangents has, for sti_impulses_init.
int sti_impulses_most(const sti_instant* instant, int facets);

#endif
