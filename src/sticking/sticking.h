// sticking.h: the inside of the all-sticking analysis: the posed instant, and the steps that fill the result.
#ifndef STI_STICKING_STICKING_H
#define STI_STICKING_STICKING_H

#include <stiction/sticking.h>

#include "sticking/program.h"

// The touching contacts of an instant, with what is asked of each (S0 equations 61, 65, 71).
typedef struct sti_posed {
    sti_env* env;
    sti_arena* pool;  // borrowed
    const sti_instant* instant;
    sti_sticking_options options;
    int n;                     // velocities
    int nc;                    // touching contacts
    int p;                     // multipliers
    int q;                     // rows of A'
    int* contact;              // index in the instant                                   (nc)
    int* tangents;             // tangent_count                                          (nc)
    int* t_first;              // first tangent row of the contact in the instant        (nc)
    int* first;                // its first multiplier; first[nc] = p                    (nc+1)
    int* row;                  // its first row of A'; row[nc] = q                       (nc+1)
    unsigned char* slides;     // (nc)
    unsigned char* bilateral;  // (nc)
    unsigned char* rough;      // friction force possible: tangents, mu > 0              (nc)
    unsigned char* choice;     // rough and bilateral: two signs of lambda_n             (nc)
    double* mu;                // static, or kinetic where it slides                     (nc)
    double* slip;              // unit slip direction at the tangents of a sliding one   (p)
    double* C;                 // force directions                                       (n x p)
    double* A;                 // directions held                                        (n x q)
    double* c;                 // their rates                                            (q)
    const unsigned char*
        opens;  // contacts that carry nothing: a_t = 0 is still asked of them, a_n = 0 is not; NULL: none
    const unsigned char* margin_on;  // contacts whose bounds the margin is taken off; NULL: all   (nc)
    double* unit;                    // of a and lambda, in which the equations are even       (n+p)
    double* size;                    // of a and lambda, as F and the rates suggest it         (n+p)
    double force;                    // the largest of the multipliers'
    bool polyhedral;                 // no discs: 2D, facets, or no friction
    bool exact;                      // exact arithmetic is wanted and affordable
} sti_posed;

sti_status sti_posed_make(sti_posed* s, sti_arena* pool, const sti_instant* instant,
                          const sti_sticking_options* options);

static inline const sti_instant_contact* sti_posed_contact(const sti_posed* s, int i) {
    return &s->instant->contacts[s->contact[i]];
}

static inline int sti_posed_is_open(const sti_posed* s, int i) {
    return s->opens != NULL && s->opens[i];
}

// Facet k of the inner polygon with K corners, the first at angle 0: { z : m_k'z <= mu for all k }.
void sti_facet_normal(int facets, int k, double m[2]);
// Of a contact with two tangents: the number of its facets, 0 for the disc, and facet k: of its own polygon, or of the
// inner one that options.facets asks for. No contact has more than options.facets.
int sti_posed_facets(const sti_posed* s, int i);
void sti_posed_facet(const sti_posed* s, int i, int k, double m[2]);

// Unknowns (a, lambda, extras). sign (nc) chooses the cone of bilateral friction; NULL or 0: nothing is asked there.
// margin >= 0: the extra unknown that is taken off every inequality and cone.
sti_status sti_posed_program(const sti_posed* s, const signed char* sign, int extras, int extra_rows, int margin,
                             bool exact, sti_cone_program* out);

// The same with the contacts marked in opens (nc, borrowed) open.
sti_status sti_posed_open(const sti_posed* s, const unsigned char* opens, sti_posed* out);

// Rows over an acceleration in the unknowns 0 .. n-1, without rounding where the program is exact: row j of M a, row k
// of contact i of A'a, with its rate or without; and row j of -C lambda, lambda in the unknowns from `first` on.
void sti_posed_mass_row(const sti_posed* s, sti_cone_program* g, int row, int j);
void sti_posed_held_row(const sti_posed* s, sti_cone_program* g, int row, int i, int k, bool rate);
void sti_posed_force_row(const sti_posed* s, sti_cone_program* g, int row, int j, int first);

// Exact twin of the directions k (0: the normal) of the contacts, NULL: none, and the line of contact i in it, also in
// the rates'.
const sti_rationals* sti_posed_twin(const sti_posed* s, int i, int k, size_t* line);

// ranks.c. Entry `entry` of the direction of flat multiplier k, or its rate (also of a tangent that slides),
// times sign, as an entry of a program.
void sti_posed_put_direction(const sti_posed* s, sti_cone_program* g, int row, int column, int k, int entry, int sign);
void sti_posed_put_rate(const sti_posed* s, sti_cone_program* g, int row, int column, int k, int sign);
double sti_posed_rate(const sti_posed* s, int k);
// -(n - sum_k mu slip_k t_k), entry `entry`, of contact i: what a unit of its normal force does, with the friction it
// drags along.
void sti_posed_put_pushed(const sti_posed* s, sti_cone_program* g, int row, int column, int i, int entry);
// Rank of the directions of these multipliers. *agree: exact arithmetic has a say; false afterwards: it differs.
sti_status sti_posed_rank(const sti_posed* s, bool* agree, const int* multiplier, int count, int* rank);
// Some a with direction'a + rate = 0 for all of them? With a tolerance (exact false) rates are also compared with the
// accelerations (n, may be NULL) that the forces give.
sti_status sti_posed_consistent(const sti_posed* s, bool exact, const int* multiplier, int count,
                                const double* acceleration, bool* out);

// The equations (61 a) alone, with the friction of sliding unilateral contacts: unknowns (a, lambda).
sti_status sti_posed_equations(const sti_posed* s, bool exact, sti_cone_program* out);

// Are the equations redundant, or consistent, only up to rounding? Then exact arithmetic has no say.
sti_status sti_posed_near_redundant(const sti_posed* s, bool* out);

double sti_posed_force_limit(const sti_posed* s);  // on normal forces, for the least friction
// |lambda_t| of contact i; with polygons the friction that they ask for, mu lambda_n at their boundary
double sti_posed_reach(const sti_posed* s, int i, const double* lambda);
double sti_posed_margin(const sti_posed* s, int i, const double* lambda);  // of contact i; NAN: it has no bound
double sti_posed_least_margin(const sti_posed* s, const double* lambda);
// proof.c: what a point (n+p) misses of the equations (61 a), relative to their terms, and of the friction of
// contacts that slide or are smooth, relative to the forces. Nothing is asked of bilateral friction where the sign is
// 0.
typedef struct sti_misfit {
    double equations, friction;
} sti_misfit;

sti_misfit sti_posed_misfit(const sti_posed* s, const signed char* sign, const double* x);
// Do the rounded multipliers of the leaf prove that there is no point, as the checker of claims would have it?
bool sti_posed_leaf_proves(const sti_posed* s, const sti_sticking_leaf* leaf);
// Sign of the margin of contact i at exact multipliers (p).
sti_status sti_posed_margin_sign(const sti_posed* s, int i, const sti_rationals* lambda, int* sign);

// ---- the result and its memory

struct sti_sticking_memory {
    sti_env* env;
    sti_arena pool;
    sti_posed posed;
    double deadline;  // by sti_now
    int rationals_count, rationals_capacity;
    sti_rationals** rationals;  // exact tables of the answer
};

// A table of exact numbers that lives as long as the result.
sti_status sti_sticking_rationals(sti_sticking* r, size_t count, sti_rationals** out);

// Has the time limit come? Then the result says that it was cut short.
bool sti_sticking_late(sti_sticking* r);

// Steps of the analysis; each fills its part of *r.
// The first two take the posed instant, which is the result's own, or the one in which contacts open.
sti_status sti_sticking_equations(sti_sticking* r, const sti_posed* s);  // (61 a): ranks, least norm, self-stress
sti_status sti_sticking_decide(sti_sticking* r, const sti_posed* s);     // the decision and its proof
sti_status sti_sticking_family(sti_sticking* r);                         // ranges and redundancy
sti_status sti_sticking_opening(sti_sticking* r);                        // the complementarity version
sti_status sti_sticking_least_friction(sti_sticking* r);
sti_status sti_sticking_propositions(sti_sticking* r);

// The point of largest margin in one branch: outcome, a and lambda (x: n + p), margin, and the multipliers of the
// program's rows when there is none. The program stays open for the caller.
typedef struct sti_branch {
    sti_cone_program program;
    sti_sticking_outcome outcome;
    double margin;
    double* x;        // (n+p)
    double* dual;     // of every row, when the margin is negative
    const char* why;  // it is unknown, in words
} sti_branch;

sti_status sti_branch_largest_margin(const sti_posed* s, const signed char* sign, sti_branch* out);
void sti_branch_close(sti_branch* b);

// constraints.c: the constraints X'a + c_x = 0, U'a + c_u >= 0 of (43). A point, or multipliers (q) of the
// rows of A' that show there is none; equations false: the inequalities alone. Exact twins when asked for exactly.
typedef struct sti_constraints {
    sti_conic_outcome outcome;
    double *a, *farkas;
    sti_rationals *a_exact, *farkas_exact;
    double* descent;  // x with M x = 0, X'x = 0, U'x >= 0, F'x < 0; NULL: there is none, or none was found    (n)
    sti_rationals* descent_exact;
} sti_constraints;

sti_status sti_posed_constraints(sti_sticking* r, const sti_posed* s, bool exact, bool equations, sti_constraints* out);
sti_status sti_posed_descent(sti_sticking* r, const sti_posed* s, bool exact, sti_constraints* out);

// ---- tables of propositions

typedef struct sti_propositions_table {
    sti_arena* pool;
    int count, capacity;
    sti_proposition* list;
    int room;
    sti_named* numbers;
} sti_propositions_table;

sti_status sti_propositions_open(sti_propositions_table* t, sti_arena* pool, int capacity);
sti_proposition* sti_propositions_begin(sti_propositions_table* t, const char* id,
                                        const char* title);  // NULL on failure
void sti_propositions_verdict(sti_propositions_table* t, sti_holds verdict, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
void sti_propositions_number(sti_propositions_table* t, const char* name, double value);
void sti_propositions_vector(sti_propositions_table* t, const char* name, int count, const double* value);
void sti_propositions_matrix(sti_propositions_table* t, const char* name, int rows, int cols, const double* value);

#endif
