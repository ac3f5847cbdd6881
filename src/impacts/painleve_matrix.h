// painleve_matrix.h: D(q, mu, v_t) of S1 (26), its minors and its critical friction.
#ifndef STI_IMPACTS_PAINLEVE_MATRIX_H
#define STI_IMPACTS_PAINLEVE_MATRIX_H

#include <stiction/painleve.h>

#include "base/arena.h"
#include "impacts/space.h"

enum { STI_PAINLEVE_MOST = 12 };  // contacts, whatever the options say

// D = G - mu sum over contacts of xi_j N_j: the parts, for one configuration.
typedef struct sti_painleve_matrix {
    sti_env* env;
    int p;
    int rough_count;
    int rough[STI_PAINLEVE_MOST];  // contacts with a slip, that friction can act on
    double G[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST];
    double N[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST];  // n_q'H_T u_j / |n_j|, column j along the direction u_j
    double n_H[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST];
    double b[STI_PAINLEVE_MOST];
    double mu[STI_PAINLEVE_MOST];             // of the instant
    double slip[STI_PAINLEVE_MOST];           // speed along u_j, >= 0 in space; 0: no slip
    double direction[2 * STI_PAINLEVE_MOST];  // u_j, in the tangents of each contact
    double approach;                          // largest |qdot_norm|
    int null_count;                           // dependencies among the slips that lasting contacts leave open
    double null_space[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST];  // (null_count x rough_count)
    double null_shift[STI_PAINLEVE_MOST];  // null_space times the slips, 0 unless surfaces move (null_count)
    double constant[STI_PAINLEVE_MOST];    // the slip of a contact that a surface moves and nothing else can; else 0
} sti_painleve_matrix;

// How (26) was read where M is singular (painleve_limit.c).
enum { STI_PAINLEVE_Z = 64 };
typedef struct sti_painleve_limit {
    bool taken;                // M is not positive definite
    bool has_z;                // and the joints leave one direction z without mass: a limit; false: they leave none
    bool pushed;               // F has a part along z
    bool mixed;                // z moves the gaps of some contacts and not of others
    double z[STI_PAINLEVE_Z];  // where n is not larger
} sti_painleve_limit;

// The space of the touching contacts and the matrix; where M is singular by a limit, STI_ERR_INPUT where there is none.
// The norms in the space are then those of the limit, and its other numbers those of a regular mass.
sti_status sti_painleve_read(sti_env* env, const sti_instant* instant, sti_space_choice choice, sti_space** space,
                             sti_painleve_matrix* k, sti_painleve_limit* limit);

// gap_tol INFINITY: all contacts.
sti_status sti_painleve_matrix_read(sti_env* env, const sti_space* space, sti_painleve_matrix* k);

void sti_painleve_matrix_fill(const sti_painleve_matrix* k, const double* mu, const double* xi, double* D);  // (p x p)
double sti_painleve_minor(int p, const double* D, unsigned set);
// The minor divided by the product of the row sums of |D| over the set: between -1 and 1, rounding is about 1e-16.
double sti_painleve_minor_relative(int p, const double* D, unsigned set);
#define STI_PAINLEVE_MINOR_TOL 1e-13

// Least mu > 0 at which the minor of the set vanishes when friction is mu weight_j xi_j; INFINITY: never. *reversed
// (may be NULL): the same for -xi.
sti_status sti_painleve_critical_minor(const sti_painleve_matrix* k, const double* weight, const double* xi,
                                       unsigned set, double* mu, double* reversed);
// Least over all sets and all directions that are possible.
sti_status sti_painleve_critical(const sti_painleve_matrix* k, const double* weight, double* mu);

// Directions number `pattern` (bits of the rough contacts: 0 is +1): xi (p). True when they agree with the slips.
bool sti_painleve_directions(const sti_painleve_matrix* k, unsigned pattern, double* xi);

// Can all contacts slip in these directions at once, while they last? *out true also when the slips say that they do.
sti_status sti_painleve_possible(const sti_painleve_matrix* k, const double* xi, bool* out);

// Solutions of the LCP with floating point: how many, by all 2^p complementary bases. UNDECIDED near a border.
sti_painleve_case sti_painleve_count(int p, const double* D, const double* b);

#endif
