// exact_lcp.h: a posed (mixed) LCP as integers, and what exact dictionaries decide about it.
//
// Variables of the dictionaries made here:
//     z_j  ->  j,     u_k  ->  n + k,     w_i  ->  cols + i,     equation slack k  ->  cols + n + k,
//         cols = n + free_count
#ifndef STI_SOLVERS_EXACT_LCP_H
#define STI_SOLVERS_EXACT_LCP_H

#include <stiction/problem.h>

#include "exact/dictionary.h"
#include "exact/rationals.h"

typedef struct sti_exact_lcp {
    sti_exact x;
    int free_count;
    int n;               // complementary pairs
    sti_int* row;        // rows of w, then of the equations: constant, z, u      ((n+free) x (n+free+1))
    sti_int* scale_num;  // row i is scale_num/scale_den times the original one   (n+free)
    sti_int* scale_den;
} sti_exact_lcp;

// An LCP seen as an MLCP without free variables.
sti_mlcp sti_mlcp_from_lcp(const sti_lcp* lcp);

// Every entry is an integer or was given as an exact fraction: the data mean what they say to the last digit, so
// exact verdicts are wanted. Otherwise they carry rounding and a point with a residual near it is a solution.
bool sti_mlcp_data_exact(const sti_mlcp* mlcp);

sti_status sti_exact_lcp_create(sti_env* env, const sti_mlcp* mlcp, sti_exact_lcp** out);
void sti_exact_lcp_destroy(sti_exact_lcp* e);
sti_status sti_exact_lcp_dictionary(sti_exact_lcp* e, sti_dictionary** out);  // kinds set as posed

// Is q in pos C_M(alpha)? z_i = 0 off alpha, w_i = 0 on it, the rest nonnegative: decided exactly.
typedef struct sti_exact_basis {
    bool feasible;            // yes
    bool nonsingular;         // yes, and C_M(alpha) is a basis
    sti_rationals* solution;  // then: z (n), u (free_count) of a vertex
} sti_exact_basis;

sti_status sti_exact_lcp_solve_basis(sti_exact_lcp* e, const unsigned char* alpha, sti_exact_basis* out);
void sti_exact_basis_clear(sti_exact_basis* basis);

// Depth-first search through the complementary cones, pruned by exact linear feasibility: at each node some pairs
// are fixed (z_i = 0 or w_i = 0) and the node's dictionary shows a vertex of what remains of FEA(q, M).
typedef struct sti_search_def {
    bool all;         // visit every cone that holds q; otherwise stop at the first solution
    long max_nodes;   // stop when more are needed; 0: only the root is looked at
    double deadline;  // of sti_now(), INFINITY for none
    bool keep_proof;  // collect the Farkas leaves
    // With `all`: called for each alpha with q in pos C_M(alpha). Return false to stop.
    bool (*leaf)(void* user, sti_dictionary* D, const signed char* fixed, bool nonsingular);
    void* leaf_user;
} sti_search_def;

typedef struct sti_search_result {
    bool found;            // first solution in alpha, solution
    bool complete;         // every case was closed or visited
    unsigned char* alpha;  // (n)
    bool nonsingular;
    sti_rationals* solution;      // z (n), then u (free_count)
    sti_certificate certificate;  // when complete and nothing was found, with keep_proof
    long nodes;
} sti_search_result;

sti_status sti_exact_lcp_search(sti_exact_lcp* e, const sti_search_def* def, sti_search_result* out);
void sti_search_result_clear(sti_env* env, sti_search_result* result);

void sti_certificate_clear(sti_env* env, sti_certificate* c);

#endif
