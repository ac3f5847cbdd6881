// modes_check.h: the inside of the check of contact modes: exact fractions, and a mode as the checker reads it.
//
// Nothing is shared with the analysis but the number types. A contact's own mode is read from its word ("n", "+0",
// "d3-4"), the law of friction is written down once more from S2, and friction corners are taken from the answer after
// a look at whether they are the polygon that was asked for.
#ifndef STI_VERIFY_MODES_CHECK_H
#define STI_VERIFY_MODES_CHECK_H

#include <stiction/modes.h>

#include "exact/rationals.h"

typedef struct sti_fraction {
    sti_int num, den;  // den > 0 once set
} sti_fraction;

typedef struct sti_mode_word {
    char letter;    // s l n r a c j; 'v': a corner, 'e': a side of the polygon in space
    bool negative;  // joint with c_n < 0
    int corner;     // v, e: corner j; a side goes on to j + 1
    char axis[2];   // box: '+', '-', '0' for each tangent; 0 otherwise
} sti_mode_word;

typedef struct sti_modes_check {
    sti_env* env;
    sti_exact x;
    const sti_instant* instant;
    const sti_modes_options* options;
    const sti_modes* modes;
    int* value;    // first contact value of each contact          (contact_count)
    int* tangent;  // first tangent row of each contact            (contact_count)
    sti_fraction one;
    sti_fraction f[12];  // scratch; the last two belong to the operations below
    sti_modes_verification* out;
} sti_modes_check;

// r := 0, the number i of an array, a double, r + sign a b; the sign of a number.
void sti_fraction_zero(sti_modes_check* k, sti_fraction* r);
void sti_fraction_get(sti_modes_check* k, sti_fraction* r, const sti_rationals* a, size_t i);
void sti_fraction_double(sti_modes_check* k, sti_fraction* r, double value);
void sti_fraction_addmul(sti_modes_check* k, sti_fraction* r, int sign, const sti_fraction* a, const sti_fraction* b);
static inline int sti_fraction_sign(const sti_fraction* r) {
    return sti_int_sign(&r->num);
}

// Data of the instant as fractions.
void sti_modes_check_M(sti_modes_check* k, int row, int col, sti_fraction* r);
void sti_modes_check_row(sti_modes_check* k, int contact, int part, int col, sti_fraction* r);  // part 0: n, 1..: t
void sti_modes_check_rate(sti_modes_check* k, int contact, int part, sti_fraction* r);
void sti_modes_check_mu(sti_modes_check* k, int contact, sti_fraction* r);  // kinetic for contacts that slide

// False: not a word of this contact.
bool sti_modes_check_word(const sti_modes_check* k, int contact, const char* text, sti_mode_word* out);
// Unit vector of the slip of a contact that slides, rounded.
void sti_modes_check_slip(const sti_modes_check* k, int contact, double d[2]);

bool sti_modes_check_fail(sti_modes_check* k, const char* format, ...) __attribute__((format(printf, 2, 3)));  // false

// A mode that is called infeasible has a reason; the feasible and the infeasible ones are all combinations.
bool sti_modes_check_infeasible(sti_modes_check* k, const sti_mode* mode);
bool sti_modes_check_cover(sti_modes_check* k);

// The certificate of non-existence: every case is closed, and the cases cover all choices.
sti_status sti_modes_check_cases(sti_modes_check* k, bool* good);

#endif
