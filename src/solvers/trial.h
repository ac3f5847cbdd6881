// trial.h: what Newton's method and the interior-point method share: the scaled problem and its linear systems, the
// point that belongs to an active set, and the best point seen so far.
#ifndef STI_SOLVERS_TRIAL_H
#define STI_SOLVERS_TRIAL_H

#include "linalg/principal.h"
#include "solvers/scaled.h"
#include "solvers/solvers.h"

typedef struct sti_trial {
    sti_env* env;
    const char* solver;  // for the trace
    const sti_lcp* lcp;
    const sti_lcp_options* options;
    sti_lcp_answer* answer;  // z and alpha hold the best point seen
    double best_residual;    // its residual on the original data; INFINITY before the first
    long steps;              // linear systems solved, or iterations: the method counts
    long limit;
    double deadline;
    int n;
    sti_scaled_lcp p;
    sti_principal system;   // of p.M
    unsigned char* alpha;   // active set of the point (z, w)             (n)
    double *z, *w;          // the point, scaled units                    (n)
    bool active;            // (z, w) is the point of alpha, and its block is what system holds
    double rcond;           // of the block M_aa; below 1e-13 it is solved as singular
    double* store;          // the vectors here                           (5 n)
    double* step;           // scratch of corrections                     (n)
    double *z_out, *w_out;  // a point in original units                 (n)
} sti_trial;

// Scales the problem and reserves everything. When p.applicable comes back false the answer already says so, and the
// trial can only be cleared.
sti_status sti_trial_init(sti_trial* t, sti_env* env, const char* solver, const sti_lcp* lcp,
                          const sti_lcp_options* options, long default_limit, sti_lcp_answer* answer);
void sti_trial_clear(sti_trial* t);  // accepts a zero struct

void sti_trial_slack(const sti_trial* t, const double* z, double* w);       // w = M z + q, scaled units
void sti_trial_choose_set(sti_trial* t, const double* z, const double* w);  // alpha = {i : z_i > w_i}

// The point of the active set:  z = 0 off alpha,  M_aa z_a = -q_a,  w = M z + q. When M_aa is singular: the solution
// nearest to `near` (n), if the system is consistent and M_aa monotone. False: not finite.
bool sti_trial_solve_active(sti_trial* t, const double* near);

// Residual of a point on the original data. The best point goes to the answer, with the present alpha. Points far off
// even in scaled units are passed over with INFINITY once there is an answer at all: measuring costs more than a
// product with M.
double sti_trial_measure(sti_trial* t, const double* z, const double* w);

// Last digits: the answer is moved to the point of its active set, with corrections, where that makes it better.
void sti_trial_polish(sti_trial* t);

bool sti_trial_out_of_budget(const sti_trial* t);
const char* sti_trial_budget_text(const sti_trial* t);  // which one it was: "iteration limit" or "time limit"

#endif
