// integer.h: integers of any size over GMP's mpn layer, with our own memory.
//
// GMP's mpz and mpq types end the process when memory runs out. The mpn layer works on limbs that the
// caller owns, so memory stays in the hands of sti_env. A failed allocation is remembered in the
// context (status), later operations leave their results as they were, and the routine that uses them
// looks at the status once per loop: arithmetic reads as arithmetic.
#ifndef STI_EXACT_INTEGER_H
#define STI_EXACT_INTEGER_H

#include <gmp.h>

#include "base/env.h"

typedef struct sti_int {
    int32_t size;      // limbs in use; negative for a negative number, 0 for zero
    int32_t capacity;  // limbs available
    mp_limb_t* limb;   // least significant first
} sti_int;             // all zero bytes: the number 0

typedef struct sti_exact {
    sti_env* env;
    sti_status status;  // sticky
    double deadline;    // by sti_now(), 0: none. The first pivot or elimination after it fails, with `late`
    bool late;
    unsigned char asked;  // operations since the time limit of the environment was looked at
    mp_limb_t* scratch[4];
    size_t scratch_size[4];
    sti_int tmp[3];
} sti_exact;

void sti_exact_init(sti_exact* x, sti_env* env);
void sti_exact_clear(sti_exact* x);
bool sti_exact_late(sti_exact* x);  // past the deadline? Then status is set

// Arrays of integers, all zero. NULL (and status) on failure.
sti_int* sti_int_array(sti_exact* x, size_t count);
void sti_int_array_free(sti_env* env, sti_int* a, size_t count);
void sti_int_clear(sti_env* env, sti_int* a);

void sti_int_set(sti_exact* x, sti_int* r, const sti_int* a);
void sti_int_set_i64(sti_exact* x, sti_int* r, int64_t value);
void sti_int_set_double(sti_exact* x, sti_int* r, double value, int shift);           // value * 2^shift, an integer
bool sti_int_set_digits(sti_exact* x, sti_int* r, const char* digits, size_t count);  // decimal digits, no sign
static inline void sti_int_swap(sti_int* a, sti_int* b) {
    sti_int t = *a;
    *a = *b;
    *b = t;
}
static inline void sti_int_neg(sti_int* a) {
    a->size = -a->size;
}

// r may be one of the operands everywhere below.
void sti_int_add(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b);
void sti_int_sub(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b);
void sti_int_mul(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b);
void sti_int_addmul(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b);    // r += a b
void sti_int_divexact(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b);  // b divides a
void sti_int_gcd(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b);       // >= 0
void sti_int_lcm(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b);       // >= 0
void sti_int_shl(sti_exact* x, sti_int* r, const sti_int* a, size_t bits);
void sti_int_shr(sti_exact* x, sti_int* r, const sti_int* a, size_t bits);       // floor(a / 2^bits)
void sti_int_div(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b);  // floor(a / b), b > 0
void sti_int_sqrt(sti_exact* x, sti_int* r, const sti_int* a);                   // floor of the root, a >= 0
// r = (r p - a b) / d, where the division is exact: one entry of a fraction-free pivot.
void sti_int_pivot(sti_exact* x, sti_int* r, const sti_int* p, const sti_int* a, const sti_int* b, const sti_int* d);

static inline int sti_int_sign(const sti_int* a) {
    return (a->size > 0) - (a->size < 0);
}
static inline bool sti_int_is_one(const sti_int* a) {
    return a->size == 1 && a->limb[0] == 1;
}
int sti_int_cmp(const sti_int* a, const sti_int* b);
size_t sti_int_bits(const sti_int* a);               // of |a|; 0 for zero
size_t sti_int_trailing_zeros(const sti_int* a);     // of |a|; 0 for zero
uint64_t sti_int_mod(const sti_int* a, uint64_t p);  // a mod p, in [0, p)
double sti_int_double(const sti_int* a);             // nearest double, +-INFINITY beyond range
// Nearest double to a / b (b != 0). Needs no memory; NAN when an earlier operation found none. Of numbers with more
// than 2500 bits the first 2500 count: a quotient that lies closer than their rounding to the middle of two doubles is
// one of the two.
double sti_int_ratio(sti_exact* x, const sti_int* a, const sti_int* b);
// Decimal text, "-12"; NULL on failure. Freed by the caller with sti_free.
char* sti_int_text(sti_exact* x, const sti_int* a);

// Divide the numbers by their greatest common divisor.
void sti_int_make_primitive(sti_exact* x, sti_int* a, size_t count);

#endif
