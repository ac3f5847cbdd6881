// quick_columns.h: what the first attempt (quick.c) and its Newton's method (quick_newton.c) share.
#ifndef STI_CONTACT_QUICK_COLUMNS_H
#define STI_CONTACT_QUICK_COLUMNS_H

#include "contact/contact.h"
#include "contact/judge.h"

enum {
    STI_QUICK_ROUNDS = 4,  // of Newton's method, each counted as an iteration
    STI_QUICK_SIDE = 72,   // rows of W in its equations
};

// One column of W: rows, ascending, and values; no rows: all n values
typedef struct sti_column {
    const int* row;
    const double* value;
    int count;
} sti_column;

// A contact that presses
typedef struct sti_pusher {
    int contact;
    bool prepared;  // A and block
    bool moved;     // in the last sweep, or by others after its visit; once Newton's method is at work, in any since
    sti_column of[3];
    double A[9], seen[3];  // W_cc, u after the last visit; NaN: none
    sti_contact_block block;
} sti_pusher;

typedef struct sti_quick {
    sti_env* env;
    const sti_contact_problem* p;
    const sti_contact_options* options;
    sti_contact_answer* best;  // of the caller: r, u, residual, solver
    int d, nc, n;
    sti_contact_local local;  // what the natural map needs
    double* W;                // columns that were copied           (n x COLUMNS at most)
    int copied;               // how many
    double* room;             // where they are, off the stack; NULL: nowhere
    sti_status status;
    double *r, *u, *size;        // forces, velocities, their terms    (n)
    double *move, *last_move;    // of r in the last two sweeps       (n)
    double *own, *rho, *trace;   // (nc x 2), (nc), (nc)
    int *slot, *island;          // place among those that press, -1: none    (nc)
    sti_contact_energy* energy;  // (nc)
    sti_pusher* pusher;          // (nc)
    int pressing;                // of them in use
    double drive;                // sum of rho |q|^2
    bool guessed;                // there are forces to begin with
    bool follows;                // the list of those that moved only grows
    long iterations;
    // of the last sweep
    double change, ahead, size2;  // |change of r|, what the next one will change at least, |r|^2
    double cost;                  // ns
} sti_quick;

// y += factor column
static inline void sti_column_add(const sti_column* w, double factor, double* restrict y) {
    const double* restrict value = w->value;
    if (w->row == NULL) {
        for (int i = 0; i < w->count; i++) y[i] += factor * value[i];
    } else {
        for (int t = 0; t < w->count; t++) y[w->row[t]] += factor * value[t];
    }
}

// Contacts without columns that penetrate get theirs. *some: there were such. False: there is no room.
bool sti_quick_widen(sti_quick* k, bool* some);
// `ahead` and `size2` at u, and which contacts have moved.
void sti_quick_look_ahead(sti_quick* k);

// Newton's method on the contacts that move, the others held, until their natural map is at most aim; again while
// others come to move with them. False: nothing came of it, or there is no room for those that come to press.
bool sti_quick_newton(sti_quick* k, double aim);
double sti_quick_newton_cost(const sti_quick* k);  // ns, presumably; INFINITY: too many move

#endif
