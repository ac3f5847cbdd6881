// series.h: Taylor coefficients of the formulas of a tape over a box, along one variable.
//
// With x_k the variable chosen and all others held, every entry e of the tape gets intervals c_0 .. c_N so that for
// every point of the box, c_j holds (1/j!) d^j e / dx_k^j there. So c_0 holds the values, c_1 the slopes, and, with M
// the middle and h half the width of the box in x_k,
//
//     e(M + s) = sum_{j<N} c_j(M) s^j + c_N(box) s^N,   |s| <= h
//
// At a kink of abs, min or max c_1 holds the slopes of both sides and what is between (all difference quotients, that
// is) and c_2 .. are the whole line. A coefficient that is not bounded says so by its ends.
#ifndef STI_INTERVAL_SERIES_H
#define STI_INTERVAL_SERIES_H

#include "interval/formulas.h"
#include "interval/interval.h"

enum {
    STI_TROUBLE_PARTIAL = 1,  // a formula may have no value at some points of the box
    STI_TROUBLE_NOWHERE = 2,  // it has none at any point
    STI_TROUBLE_JUMP = 4,     // it may jump inside the box
    STI_TROUBLE_KINK = 8      // it may have a kink there: no second derivative. No trouble for values and slopes
};

typedef struct sti_series {
    sti_env* env;
    const sti_tape* tape;    // borrowed, complete
    int order;               // N
    sti_interval* c;         // coefficients of each entry                        (count x (N+1))
    sti_interval* d;         // of its companion: cos beside sin, and the like    (count x (N+1))
    sti_interval* scratch;   // (3 x (N+1))
    int* length;             // coefficients from here on are exactly 0           (count)
    unsigned char* trouble;  // STI_TROUBLE_.. of each entry                      (count)
    unsigned char* needed;   // by an entry that is wanted                        (count)
    unsigned char* fixed;    // depends on no variable: evaluated once            (count)
    bool warm;               // those are
} sti_series;

sti_status sti_series_init(sti_series* s, sti_env* env, const sti_tape* tape, int order);
void sti_series_clear(sti_series* s);  // accepts a zero struct
void sti_series_want(sti_series* s, int entry);

// x: the box (tape->n). order <= N; along: the variable, -1 for values only.
void sti_series_evaluate(sti_series* s, const sti_interval* x, int along, int order);

static inline const sti_interval* sti_series_of(const sti_series* s, int entry) {
    return s->c + (size_t)entry * (size_t)(s->order + 1);
}
static inline sti_interval sti_series_value(const sti_series* s, int entry) {
    return sti_series_of(s, entry)[0];
}

// The first operation below an entry that may have no value, in words: "log of a number in [-1, 2]". Of the last
// evaluation.
void sti_series_reason(const sti_series* s, int entry, char* text, size_t size);

// A kink in reach of the last evaluation: an entry (its zero is the kink) whose sign is not known, -1: there is none.
int sti_series_kink(const sti_series* s, int entry, int* minus);

#endif
