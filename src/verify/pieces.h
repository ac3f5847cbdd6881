// pieces.h: a claim about a box of doubts, proved piece by piece.
#ifndef STI_VERIFY_PIECES_H
#define STI_VERIFY_PIECES_H

#include <stiction/manipulation.h>

#include "base/env.h"
#include "verify/affine.h"

typedef struct sti_pieces {
    sti_env* env;
    int doubts;
    const double *low, *high;  // of the box                                      (doubts)
    // Of one piece. What failed: the form that was not positive, and whether it is negative for all of the piece.
    bool (*prove)(void* user, const double* low, const double* high);
    void* user;
    double margin;  // least of what has to stay positive; of pieces that were proved
    sti_affine failed;
    bool definite;
    char text[240];
} sti_pieces;

// A piece that fails is cut across the doubt that the failed form depends on most.
sti_status sti_pieces_prove(sti_pieces* p, long most, sti_box_verification* out);

// The form is positive: margin. Otherwise: failed, definite and text.
bool sti_pieces_positive(sti_pieces* p, const sti_affine_room* k, const sti_affine* x, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
// Not known. form NULL: nothing that depends on doubts.
bool sti_pieces_fail(sti_pieces* p, const sti_affine* form, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
