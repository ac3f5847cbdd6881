// painleve.h: the contact LCP of lasting contacts with friction, and the friction at which it goes wrong (S1 sections
// 2.2.1 and 4).
//
//     0 <= lambda_bar  _|_  D lambda_bar + b >= 0,      D = G - n_q'H_T diag(mu_i xi_i / |n_i|)              (26)
//     b_i = ( n_rate_i - n_i'M^-1 F ) / |n_i|,          lambda_bar_i = |n_i| lambda_n,i
//
// with xi_i the direction of slip at contact i; joints are eliminated and frictionless. One solution for every b
// exactly when D is a P-matrix. The slack is the normal acceleration divided by |n_i|.
#ifndef STICTION_PAINLEVE_H
#define STICTION_PAINLEVE_H

#include <stiction/classes.h>
#include <stiction/instant.h>
#include <stiction/problem.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STI_PAINLEVE_CASE_LIST(X)                                                                                     \
    X(STI_PAINLEVE_UNIQUE, "unique")   /* D is a P-matrix for all possible directions of slip: one solution always */ \
    X(STI_PAINLEVE_ONE, "one")         /* not so, but with these forces there is one solution */                      \
    X(STI_PAINLEVE_SEVERAL, "several") /* more than one */                                                            \
    X(STI_PAINLEVE_NONE, "none")       /* no solution */                                                              \
    X(STI_PAINLEVE_UNDECIDED, "undecided") /* within rounding of a border */                                          \
    X(STI_PAINLEVE_APART, "apart")         /* of a map: the contacts cannot be closed there */

#define STI_X(code, text) code,
typedef enum sti_painleve_case { STI_PAINLEVE_CASE_LIST(STI_X) STI_PAINLEVE_CASE_COUNT } sti_painleve_case;
#undef STI_X

STI_API const char* sti_painleve_case_text(sti_painleve_case c);

typedef struct sti_painleve_options {
    double gap_tol;        // contacts with a larger gap take no part (default 1e-9)
    const double* mu;      // friction of the touching contacts, instead of the instant's            (p)
    const double* weight;  // critical friction is sought along mu_i = mu weight_i; NULL: one mu for all    (p)
    int contact_limit;     // rough contacts up to which all directions are tried (default 8)
} sti_painleve_options;

STI_API sti_painleve_options sti_painleve_options_default(void);

// One choice of directions.
typedef struct sti_painleve_pattern {
    const double* xi;        // +1, -1 along the slip, 0 without friction                              (p)
    bool possible;           // lasting contacts can slip in these directions all at once
    bool actual;             // agrees with the slips of the instant, where they are not zero
    const double* D;         // (p x p)
    const double* minors;    // principal minors; that of index set a is at position (bits of a) - 1   (2^p - 1)
    double least_minor;      // relative to the size of its rows, and which set it is
    unsigned least_set;      // bits
    bool P;                  // every minor > 0 beyond rounding
    sti_verdict copositive;  // and strictly
    sti_verdict strictly_copositive;
    double simplex_min;         // of x'D x on the simplex
    double lambda_min;          // of the symmetric part of D
    double mu_c;                // least mu with a principal minor <= 0, INFINITY when there is none
    unsigned critical_set;      // that minor, bits
    double mu_definite;         // least mu at which D is no longer positive definite
    bool symmetric;             // Prop 13 applies: n_q'H_T diag(xi / |n|) is symmetric; its bound is mu_definite
    double mu_14[2];            // Prop 14: D is positive definite below this mu; Frobenius, spectral
    bool prop14[2];             // its condition at the present mu
    sti_verdict prop15;         // D copositive and b'v >= 0 on SOL(0, D): a solution exists; NO: the test says nothing
    sti_painleve_case outcome;  // unique only says P for this pattern
    const sti_lcp_solution_set* solutions;  // exact for the rounded D and b, with certificate when there is none
} sti_painleve_pattern;

typedef struct sti_painleve {
    int p, s;              // touching contacts and their slips
    const int* contact;    // of the instant                                                           (p)
    const double* norm;    // |n_i|                                                                    (p)
    const double* G;       // (17)                                                                     (p x p)
    const double* n_H;     // n_q'H_T along the direction of slip, one column per contact              (p x p)
    const double* mu;      // friction used: kinetic where the contact slips                           (p)
    const double* weight;  // (p)
    const double* b;       // (p)
    const double* slip;    // speed along the direction                                                (p)
    double approach;       // largest |qdot_norm,i|: (26) supposes 0
    int pattern_count;     // 2^(contacts with friction)
    const sti_painleve_pattern* patterns;
    double mu_c;      // least over all patterns that are possible, and where
    double mu_c_all;  // over all patterns, possible or not
    int critical_pattern;
    double mu_definite;  // the same for positive definiteness
    double mu_14[2];     // Prop 14
    double mu_12;        // Prop 12, one contact: |n| / |n_q'H_T|; NAN otherwise
    // least mu_i with a minor <= 0, the others as they are; possible patterns (p)
    const double* mu_c_each;
    sti_painleve_case outcome;  // worst over the patterns that agree with the slips
    // M singular. Where the joints leave one direction z without mass, all of this is the limit of M + eps z z', eps ->
    // 0; norm and n_H then miss the factor 1 / sqrt(eps) at contacts with n'z != 0, and b of such a contact is told up
    // to a positive factor.
    bool singular;
    const double* z;  // NULL: M is regular, or the joints hold all that has no mass                  (n)
    char limit[160];  // how it was taken; "" where M is regular
} sti_painleve;

// STI_ERR_INPUT: M singular and without a limit, dependent gradients, or a spatial contact whose direction of slip is
// not known.
STI_API sti_status sti_painleve_create(sti_env* env, const sti_instant* instant, const sti_painleve_options* options,
                                       sti_painleve** out);
STI_API void sti_painleve_destroy(sti_env* env, sti_painleve* painleve);

// ---- a map over configurations of a system

typedef enum sti_painleve_axis_kind {
    STI_PAINLEVE_COORDINATE,
    STI_PAINLEVE_VELOCITY,
    STI_PAINLEVE_FRICTION  // one mu for all contacts
} sti_painleve_axis_kind;

typedef struct sti_painleve_axis {
    sti_painleve_axis_kind kind;
    int index;  // of the coordinate
    double low, high;
    int count;  // points, the ends included; 1: only low
} sti_painleve_axis;

typedef struct sti_painleve_map_def {
    int axis_count;             // 1 or 2
    sti_painleve_axis axes[2];  // the first runs fastest
    double time;
    const double* q;  // where the other coordinates are; they move so that the contacts close    (n)
    const double* v;  // the same of velocities                                                 (n)
    double gap_tol;   // contacts closed at q are held closed; if none is, all are (default 1e-6)
    bool keep_open;   // do not close the contacts: look at (q, v) as it is, as if they touched
    bool refine;      // look for the least mu_c between the points (default true)
} sti_painleve_map_def;

STI_API sti_painleve_map_def sti_painleve_map_def_default(void);

typedef struct sti_painleve_cell {
    sti_painleve_case outcome;  // worst over the directions that agree with the slips
    double mu_c;                // one mu for all contacts; over all possible directions
    double mu;                  // largest friction of a contact here
} sti_painleve_cell;

typedef struct sti_painleve_map {
    int n;
    int count[2];                    // points on the axes; count[1] = 1 with one axis
    const sti_painleve_cell* cells;  // first axis fastest                                        (count[0] x count[1])
    int number[STI_PAINLEVE_CASE_COUNT];
    double mu_c;  // least over the map, refined; INFINITY: no direction is ever critical
    bool refined;
    const double* q;  // where                                                                    (n)
    double at[2];     // the same, on the axes
} sti_painleve_map;

STI_API sti_status sti_painleve_map_create(sti_env* env, const sti_system* system, const sti_painleve_map_def* def,
                                           sti_painleve_map** out);
STI_API void sti_painleve_map_destroy(sti_env* env, sti_painleve_map* map);

#ifdef __cplusplus
}
#endif
#endif
