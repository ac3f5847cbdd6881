// integer.c: integers of any size over GMP's mpn layer. See integer.h for the way failures travel.
//
// Numbers of one limb take a short way through 128-bit arithmetic: most exact work in this library is
// on small integer data, where entries grow past 64 bits late or never.
#include "exact/integer.h"

#include <math.h>
#include <string.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

static inline int32_t limbs(const sti_int* a) {
    return a->size < 0 ? -a->size : a->size;
}

void sti_exact_init(sti_exact* x, sti_env* env) {
    memset(x, 0, sizeof *x);
    x->env = env;
}

bool sti_exact_late(sti_exact* x) {
    if (x->deadline == 0 || x->status != STI_OK || sti_now(x->env) <= x->deadline) return x->late;
    x->late = true;
    x->status = STI_ERR_TIME;  // never seen by a caller: who sets a deadline looks at `late`
    return true;
}

void sti_exact_clear(sti_exact* x) {
    if (x->env == NULL) return;
    for (int i = 0; i < 4; i++) sti_free(x->env, x->scratch[i]);
    for (int i = 0; i < 3; i++) sti_int_clear(x->env, &x->tmp[i]);
    memset(x->scratch, 0, sizeof x->scratch);
    memset(x->scratch_size, 0, sizeof x->scratch_size);
}

static void fail_memory(sti_exact* x) {
    if (x->status == STI_OK) x->status = STI_ERR_MEMORY;
}

sti_int* sti_int_array(sti_exact* x, size_t count) {
    sti_int* a = sti_alloc_array_zero(x->env, count, sizeof *a);
    if (a == NULL) fail_memory(x);
    return a;
}

void sti_int_clear(sti_env* env, sti_int* a) {
    sti_free(env, a->limb);
    memset(a, 0, sizeof *a);
}

void sti_int_array_free(sti_env* env, sti_int* a, size_t count) {
    if (a == NULL) return;
    for (size_t i = 0; i < count; i++) sti_free(env, a[i].limb);
    sti_free(env, a);
}

// The time limit of the environment ends exact arithmetic as a lack of memory does. Asked at every 256th operation.
static bool out_of_time(sti_exact* x) {
    if (++x->asked != 0 || !sti_late(x->env)) return false;
    x->status = sti_check_time(x->env, "computing without rounding");
    return true;
}

// Room for `need` limbs, contents kept. False: memory or time ran out, now or earlier.
static bool reserve(sti_exact* x, sti_int* r, size_t need) {
    if (x->status != STI_OK || out_of_time(x)) return false;
    if ((size_t)r->capacity >= need) return true;
    if (need > INT32_MAX / 2) {
        x->status = STI_FAIL(x->env, STI_ERR_MEMORY, -1, "an integer of %zu limbs", need);
        return false;
    }
    const size_t capacity = need + need / 2 + 1;
    mp_limb_t* limb = sti_realloc(x->env, r->limb, capacity * sizeof *limb);
    if (limb == NULL) {
        fail_memory(x);
        return false;
    }
    r->limb = limb;
    r->capacity = (int32_t)capacity;
    return true;
}

static mp_limb_t* scratch(sti_exact* x, int which, size_t need) {
    if (x->status != STI_OK) return NULL;
    if (x->scratch_size[which] < need) {
        const size_t size = need + need / 2 + 4;
        mp_limb_t* p = sti_realloc(x->env, x->scratch[which], size * sizeof *p);
        if (p == NULL) {
            fail_memory(x);
            return NULL;
        }
        x->scratch[which] = p;
        x->scratch_size[which] = size;
    }
    return x->scratch[which];
}

static int32_t normalized(const mp_limb_t* p, size_t n) {
    while (n > 0 && p[n - 1] == 0) n--;
    return (int32_t)n;
}

static void set_i128(sti_exact* x, sti_int* r, i128 value) {
    if (!reserve(x, r, 2)) return;
    const u128 magnitude = value < 0 ? -(u128)value : (u128)value;
    r->limb[0] = (mp_limb_t)magnitude;
    r->limb[1] = (mp_limb_t)(magnitude >> 64);
    const int32_t n = r->limb[1] != 0 ? 2 : r->limb[0] != 0 ? 1 : 0;
    r->size = value < 0 ? -n : n;
}

// |a| < 2^62: products of two such and their difference fit 128 bits with room.
static inline bool is_small(const sti_int* a) {
    return a->size == 0 || ((a->size == 1 || a->size == -1) && a->limb[0] < ((mp_limb_t)1 << 62));
}

static inline int64_t small_value(const sti_int* a) {
    if (a->size == 0) return 0;
    return a->size > 0 ? (int64_t)a->limb[0] : -(int64_t)a->limb[0];
}

void sti_int_set(sti_exact* x, sti_int* r, const sti_int* a) {
    if (r == a) return;
    const int32_t n = limbs(a);
    if (!reserve(x, r, (size_t)n)) return;
    if (n > 0) memcpy(r->limb, a->limb, (size_t)n * sizeof *r->limb);
    r->size = a->size;
}

void sti_int_set_i64(sti_exact* x, sti_int* r, int64_t value) {
    set_i128(x, r, value);
}

void sti_int_set_double(sti_exact* x, sti_int* r, double value, int shift) {
    int exponent;
    const double fraction = frexp(value, &exponent);
    int64_t mantissa = (int64_t)ldexp(fraction, 53);
    int e = exponent - 53 + shift;
    if (mantissa == 0) {
        sti_int_set_i64(x, r, 0);
        return;
    }
    while (e < 0 && (mantissa & 1) == 0) {
        mantissa /= 2;
        e++;
    }
    STI_ASSERT(e >= 0);
    sti_int_set_i64(x, r, mantissa);
    if (e > 0) sti_int_shl(x, r, r, (size_t)e);
}

bool sti_int_set_digits(sti_exact* x, sti_int* r, const char* digits, size_t count) {
    while (count > 1 && *digits == '0') {
        digits++;
        count--;
    }
    unsigned char* values = sti_alloc(x->env, count);
    if (values == NULL) {
        fail_memory(x);
        return false;
    }
    for (size_t i = 0; i < count; i++) values[i] = (unsigned char)(digits[i] - '0');
    bool done = reserve(x, r, count / 19 + 2);
    if (done)
        r->size = count == 0 || (count == 1 && values[0] == 0) ? 0 : (int32_t)mpn_set_str(r->limb, values, count, 10);
    sti_free(x->env, values);
    return done;
}

static int cmp_magnitude(const sti_int* a, const sti_int* b) {
    const int32_t na = limbs(a), nb = limbs(b);
    if (na != nb) return na < nb ? -1 : 1;
    return na == 0 ? 0 : mpn_cmp(a->limb, b->limb, na);
}

int sti_int_cmp(const sti_int* a, const sti_int* b) {
    const int sa = sti_int_sign(a), sb = sti_int_sign(b);
    if (sa != sb) return sa < sb ? -1 : 1;
    return sa >= 0 ? cmp_magnitude(a, b) : cmp_magnitude(b, a);
}

// r = a + s b with the sign of b multiplied by s.
static void add_signed(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b, int s) {
    if (is_small(a) && is_small(b)) {
        set_i128(x, r, (i128)small_value(a) + (i128)s * small_value(b));
        return;
    }
    const int sa = sti_int_sign(a), sb = s * sti_int_sign(b);
    const sti_int *big = a, *low = b;
    int sign_big = sa, sign_low = sb;
    if (cmp_magnitude(a, b) < 0) {
        big = b;
        low = a;
        sign_big = sb;
        sign_low = sa;
    }
    const int32_t nb = limbs(big), nl = limbs(low);
    if (!reserve(x, r, (size_t)nb + 1)) return;  // growth keeps the limbs; an operand may be r itself
    int32_t n;
    if (nl == 0) {
        if (r->limb != big->limb) memmove(r->limb, big->limb, (size_t)nb * sizeof *r->limb);
        n = nb;
    } else if (sign_big == sign_low) {
        const mp_limb_t carry = mpn_add(r->limb, big->limb, nb, low->limb, nl);
        r->limb[nb] = carry;
        n = nb + (carry != 0);
    } else {
        mpn_sub(r->limb, big->limb, nb, low->limb, nl);
        n = normalized(r->limb, (size_t)nb);
    }
    r->size = sign_big < 0 ? -n : n;
}

void sti_int_add(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b) {
    add_signed(x, r, a, b, 1);
}

void sti_int_sub(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b) {
    add_signed(x, r, a, b, -1);
}

// |a| |b| into p, which has room for limbs(a) + limbs(b). Returns the limbs in use.
static int32_t mul_magnitude(mp_limb_t* p, const sti_int* a, const sti_int* b) {
    const int32_t na = limbs(a), nb = limbs(b);
    if (na == 0 || nb == 0) return 0;
    if (na >= nb)
        mpn_mul(p, a->limb, na, b->limb, nb);
    else
        mpn_mul(p, b->limb, nb, a->limb, na);
    return normalized(p, (size_t)na + (size_t)nb);
}

void sti_int_mul(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b) {
    if (is_small(a) && is_small(b)) {
        set_i128(x, r, (i128)small_value(a) * small_value(b));
        return;
    }
    const int sign = sti_int_sign(a) * sti_int_sign(b);
    mp_limb_t* p = scratch(x, 0, (size_t)limbs(a) + (size_t)limbs(b));
    if (p == NULL) return;
    const int32_t n = mul_magnitude(p, a, b);
    if (!reserve(x, r, (size_t)n)) return;
    if (n > 0) memcpy(r->limb, p, (size_t)n * sizeof *p);
    r->size = sign < 0 ? -n : n;
}

void sti_int_addmul(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b) {
    if (is_small(a) && is_small(b) && is_small(r)) {
        set_i128(x, r, (i128)small_value(r) + (i128)small_value(a) * small_value(b));
        return;
    }
    sti_int_mul(x, &x->tmp[0], a, b);
    sti_int_add(x, r, r, &x->tmp[0]);
}

// Quotient of magnitudes, exact, of the n limbs at `numerator` by d; into r with the given sign.
static void divide_limbs(sti_exact* x, sti_int* r, const mp_limb_t* numerator, int32_t n, const sti_int* d, int sign) {
    const int32_t nd = limbs(d);
    if (n < nd) {
        r->size = 0;
        return;
    }
    mp_limb_t* quotient = scratch(x, 2, (size_t)(n - nd) + 1);
    mp_limb_t* remainder = scratch(x, 3, (size_t)nd);
    if (quotient == NULL || remainder == NULL) return;
    mpn_tdiv_qr(quotient, remainder, 0, numerator, n, d->limb, nd);
    const int32_t nq = normalized(quotient, (size_t)(n - nd) + 1);
    if (!reserve(x, r, (size_t)nq)) return;
    if (nq > 0) memcpy(r->limb, quotient, (size_t)nq * sizeof *quotient);
    r->size = sign < 0 ? -nq : nq;
}

void sti_int_divexact(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b) {
    STI_ASSERT(b->size != 0 || x->status != STI_OK);
    if (x->status != STI_OK) return;
    if (is_small(a) && is_small(b)) {
        set_i128(x, r, small_value(a) / small_value(b));
        return;
    }
    divide_limbs(x, r, a->limb, limbs(a), b, sti_int_sign(a) * sti_int_sign(b));
}

void sti_int_pivot(sti_exact* x, sti_int* r, const sti_int* p, const sti_int* a, const sti_int* b, const sti_int* d) {
    if (x->status != STI_OK) return;
    if (is_small(r) && is_small(p) && is_small(a) && is_small(b) && is_small(d)) {
        const i128 product = (i128)small_value(r) * small_value(p) - (i128)small_value(a) * small_value(b);
        const int64_t divisor = small_value(d);
        // 64-bit division is an order faster than 128-bit division; most numerators fit. The least one is left
        // out: over -1 its quotient does not fit.
        const bool fits = product == (int64_t)product && product != INT64_MIN;
        set_i128(x, r, fits ? (int64_t)product / divisor : product / divisor);
        return;
    }
    sti_int_mul(x, &x->tmp[1], r, p);
    sti_int_mul(x, &x->tmp[2], a, b);
    sti_int_sub(x, &x->tmp[1], &x->tmp[1], &x->tmp[2]);
    sti_int_divexact(x, r, &x->tmp[1], d);
}

static uint64_t gcd_u64(uint64_t a, uint64_t b) {
    while (b != 0) {
        const uint64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

void sti_int_gcd(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b) {
    if (a->size == 0 || b->size == 0) {
        sti_int_set(x, r, a->size == 0 ? b : a);
        if (x->status == STI_OK && r->size < 0) r->size = -r->size;
        return;
    }
    if (limbs(a) == 1 && limbs(b) == 1) {
        const uint64_t g = gcd_u64(a->limb[0], b->limb[0]);
        if (!reserve(x, r, 1)) return;
        r->limb[0] = g;
        r->size = 1;
        return;
    }
    // mpn_gcd wants both operands without trailing zero bits (only one must be odd, we give both) and destroys them
    const size_t ta = sti_int_trailing_zeros(a), tb = sti_int_trailing_zeros(b);
    const sti_int* operand[2] = {a, b};
    const size_t shift[2] = {ta, tb};
    mp_limb_t* copy[2];
    int32_t n[2];
    for (int k = 0; k < 2; k++) {
        const int32_t total = limbs(operand[k]);
        copy[k] = scratch(x, k, (size_t)total);
        if (copy[k] == NULL) return;
        const size_t words = shift[k] / GMP_NUMB_BITS, bits = shift[k] % GMP_NUMB_BITS;
        n[k] = total - (int32_t)words;
        if (bits != 0)
            mpn_rshift(copy[k], operand[k]->limb + words, n[k], (unsigned)bits);
        else
            memcpy(copy[k], operand[k]->limb + words, (size_t)n[k] * sizeof *copy[k]);
        n[k] = normalized(copy[k], (size_t)n[k]);
    }
    const int big = n[0] > n[1] || (n[0] == n[1] && mpn_cmp(copy[0], copy[1], n[0]) >= 0) ? 0 : 1;
    mp_limb_t* g = scratch(x, 2, (size_t)n[1 - big] + 1);
    if (g == NULL) return;
    const int32_t ng = (int32_t)mpn_gcd(g, copy[big], n[big], copy[1 - big], n[1 - big]);
    if (!reserve(x, r, (size_t)ng)) return;
    memcpy(r->limb, g, (size_t)ng * sizeof *g);
    r->size = ng;
    const size_t common = ta < tb ? ta : tb;
    if (common > 0) sti_int_shl(x, r, r, common);
}

void sti_int_lcm(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b) {
    if (a->size == 0 || b->size == 0) {
        sti_int_set_i64(x, r, 0);
        return;
    }
    sti_int g = {0};
    sti_int_gcd(x, &g, a, b);
    if (x->status == STI_OK) {
        sti_int_divexact(x, &g, a, &g);
        sti_int_mul(x, r, &g, b);
        if (x->status == STI_OK && r->size < 0) r->size = -r->size;
    }
    sti_int_clear(x->env, &g);
}

void sti_int_shl(sti_exact* x, sti_int* r, const sti_int* a, size_t bits) {
    const int32_t n = limbs(a);
    if (n == 0) {
        sti_int_set_i64(x, r, 0);
        return;
    }
    const int sign = sti_int_sign(a);
    const size_t words = bits / GMP_NUMB_BITS, rest = bits % GMP_NUMB_BITS;
    if (!reserve(x, r, (size_t)n + words + 1)) return;
    mp_limb_t* to = r->limb + words;
    const mp_limb_t* from = a == r ? r->limb : a->limb;
    if (rest != 0) {
        to[n] = mpn_lshift(to, from, n, (unsigned)rest);
    } else {
        memmove(to, from, (size_t)n * sizeof *to);
        to[n] = 0;
    }
    memset(r->limb, 0, words * sizeof *r->limb);
    const int32_t total = normalized(r->limb, (size_t)n + words + 1);
    r->size = sign < 0 ? -total : total;
}

// r = r - 1
static void decrement(sti_exact* x, sti_int* r) {
    sti_int one = {.size = 1, .capacity = 1, .limb = (mp_limb_t[]){1}};
    sti_int_sub(x, r, r, &one);
}

void sti_int_shr(sti_exact* x, sti_int* r, const sti_int* a, size_t bits) {
    const int32_t n = limbs(a);
    const int sign = sti_int_sign(a);
    const size_t words = bits / GMP_NUMB_BITS, rest = bits % GMP_NUMB_BITS;
    const bool whole = n == 0 || sti_int_trailing_zeros(a) >= bits;
    if (words >= (size_t)n) {
        sti_int_set_i64(x, r, 0);
    } else {
        const int32_t left = n - (int32_t)words;
        if (!reserve(x, r, (size_t)left)) return;  // growth keeps the limbs; a may be r itself
        const mp_limb_t* from = (a == r ? r->limb : a->limb) + words;
        if (rest != 0)
            mpn_rshift(r->limb, from, left, (unsigned)rest);
        else
            memmove(r->limb, from, (size_t)left * sizeof *from);
        const int32_t total = normalized(r->limb, (size_t)left);
        r->size = sign < 0 ? -total : total;
    }
    if (sign < 0 && !whole) decrement(x, r);
}

void sti_int_div(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b) {
    const int32_t na = limbs(a), nb = limbs(b);
    const int sign = sti_int_sign(a);
    STI_ASSERT(b->size > 0 || x->status != STI_OK);
    if (x->status != STI_OK) return;
    if (na < nb) {
        sti_int_set_i64(x, r, sign < 0 ? -1 : 0);
        return;
    }
    mp_limb_t *quotient = scratch(x, 2, (size_t)(na - nb) + 1), *remainder = scratch(x, 3, (size_t)nb);
    if (quotient == NULL || remainder == NULL) return;
    mpn_tdiv_qr(quotient, remainder, 0, a->limb, na, b->limb, nb);
    const bool whole = normalized(remainder, (size_t)nb) == 0;
    const int32_t n = normalized(quotient, (size_t)(na - nb) + 1);
    if (!reserve(x, r, (size_t)n + 1)) return;
    memcpy(r->limb, quotient, (size_t)n * sizeof *quotient);
    r->size = sign < 0 ? -n : n;
    if (sign < 0 && !whole) decrement(x, r);
}

void sti_int_sqrt(sti_exact* x, sti_int* r, const sti_int* a) {
    const int32_t n = limbs(a), half = (n + 1) / 2;
    if (n == 0) {
        sti_int_set_i64(x, r, 0);
        return;
    }
    mp_limb_t* root = scratch(x, 2, (size_t)half);
    mp_limb_t* rest = scratch(x, 3, (size_t)n);
    if (root == NULL || rest == NULL) return;
    mpn_sqrtrem(root, rest, a->limb, n);
    if (!reserve(x, r, (size_t)half)) return;
    memcpy(r->limb, root, (size_t)half * sizeof *root);
    r->size = normalized(root, (size_t)half);
}

size_t sti_int_bits(const sti_int* a) {
    const int32_t n = limbs(a);
    if (n == 0) return 0;
    return (size_t)n * GMP_NUMB_BITS - (size_t)__builtin_clzll(a->limb[n - 1]);
}

size_t sti_int_trailing_zeros(const sti_int* a) {
    if (a->size == 0) return 0;
    size_t words = 0;
    while (a->limb[words] == 0) words++;
    return words * GMP_NUMB_BITS + (size_t)__builtin_ctzll(a->limb[words]);
}

uint64_t sti_int_mod(const sti_int* a, uint64_t p) {
    const int32_t n = limbs(a);
    u128 r = 0;
    for (int32_t i = n - 1; i >= 0; i--) r = ((r << 64) | a->limb[i]) % p;
    const uint64_t m = (uint64_t)r;
    return a->size < 0 && m != 0 ? p - m : m;
}

// Nearest double to magnitude * 2^exponent, magnitude of the n limbs at p with `sticky` bits lost below.
static double round_limbs(const mp_limb_t* p, int32_t n, bool sticky, long exponent) {
    if (n == 0) return 0.0;
    const int lead = __builtin_clzll(p[n - 1]);
    uint64_t top = p[n - 1] << lead;
    if (lead > 0 && n > 1) top |= p[n - 2] >> (64 - lead);
    bool below = sticky;
    for (int32_t i = n - 2; i >= 0 && !below; i--) {
        const mp_limb_t rest = i == n - 2 ? (lead > 0 ? p[i] << lead : p[i]) : p[i];
        below = rest != 0;
    }
    // keep the sticky bit inside the 64 bits, then let the conversion round to 53
    if (below) top |= 1;
    const long e = exponent + (long)n * 64 - 64;
    // top is in [2^63, 2^64); for results in the normal range the conversion rounds once
    const long scale = e - lead;
    if (scale + 64 < -1021) {  // subnormal: round at the right place
        const long drop = -1074 - scale;
        if (drop >= 65) return 0.0;
        if (drop == 64) return top > ((uint64_t)1 << 63) ? 0x1p-1074 : 0.0;
        const uint64_t kept = top >> drop, half = (uint64_t)1 << (drop - 1), rest = top & (2 * half - 1);
        const uint64_t rounded = kept + (rest > half || (rest == half && (kept & 1) != 0));
        return ldexp((double)rounded, -1074);
    }
    if (scale > 1100) return INFINITY;
    return ldexp((double)top, (int)scale);
}

double sti_int_double(const sti_int* a) {
    const double magnitude = round_limbs(a->limb, limbs(a), false, 0);
    return a->size < 0 ? -magnitude : magnitude;
}

// The first limbs of |a|, at most TOP of them, and one more if `up` and some were left out: so the true number lies
// between the two. *dropped: bits left out.
enum { TOP = 40, TOP_ROOM = TOP + 1 };
static int32_t top_limbs(const sti_int* a, bool up, mp_limb_t* to, long* dropped) {
    const int32_t n = limbs(a), kept = n < TOP ? n : TOP;
    *dropped = (long)(n - kept) * GMP_NUMB_BITS;
    memcpy(to, a->limb + (n - kept), (size_t)kept * sizeof *to);
    to[kept] = up && kept < n ? mpn_add_1(to, to, kept, 1) : 0;
    return normalized(to, (size_t)kept + 1);
}

static size_t bits_of(const mp_limb_t* p, int32_t n) {
    return (size_t)n * GMP_NUMB_BITS - (size_t)__builtin_clzll(p[n - 1]);
}

double sti_int_ratio(sti_exact* x, const sti_int* a, const sti_int* b) {
    enum { ROOM = TOP_ROOM + 4 };
    mp_limb_t num[ROOM] = {0}, den[TOP_ROOM], quotient[ROOM], remainder[TOP_ROOM];
    long num_dropped, den_dropped;
    if (x->status != STI_OK) return NAN;
    if (a->size == 0) return 0.0;
    int32_t n = top_limbs(a, false, num, &num_dropped);
    const int32_t nb = top_limbs(b, true, den, &den_dropped);
    // shift the numerator so that the quotient has at least 66 bits; the remainder is the sticky bit
    const long gap = 66 + (long)bits_of(den, nb) - (long)bits_of(num, n);
    const long shift = gap > 0 ? gap : 0, words = shift / GMP_NUMB_BITS;
    const unsigned bits = (unsigned)(shift % GMP_NUMB_BITS);
    memmove(num + words, num, (size_t)n * sizeof *num);
    memset(num, 0, (size_t)words * sizeof *num);
    num[n + words] = bits > 0 ? mpn_lshift(num + words, num + words, n, bits) : 0;
    n = normalized(num, (size_t)(n + words) + 1);
    mpn_tdiv_qr(quotient, remainder, 0, num, n, den, nb);
    const int32_t nq = normalized(quotient, (size_t)(n - nb) + 1);
    const bool rest = normalized(remainder, (size_t)nb) != 0 || num_dropped > 0 || den_dropped > 0;
    const double value = round_limbs(quotient, nq, rest, num_dropped - den_dropped - shift);
    return sti_int_sign(a) * sti_int_sign(b) < 0 ? -value : value;
}

char* sti_int_text(sti_exact* x, const sti_int* a) {
    const int32_t n = limbs(a);
    // mpn_get_str wants room for the largest number of n limbs (at most 19.3 digits each) and one more; sign; end
    char* text = sti_alloc(x->env, (size_t)n * 20 + 4);
    mp_limb_t* copy = n > 0 ? scratch(x, 0, (size_t)n + 1) : NULL;
    if (text == NULL || (n > 0 && copy == NULL)) {
        sti_free(x->env, text);
        fail_memory(x);
        return NULL;
    }
    size_t at = 0;
    if (a->size < 0) text[at++] = '-';
    if (n == 0) {
        text[at++] = '0';
    } else {
        memcpy(copy, a->limb, (size_t)n * sizeof *copy);
        const size_t digits = mpn_get_str((unsigned char*)text + at, 10, copy, n);
        size_t lead = 0;
        while (lead + 1 < digits && text[at + lead] == 0) lead++;
        for (size_t i = 0; i + lead < digits; i++) text[at + i] = (char)(text[at + i + lead] + '0');
        at += digits - lead;
    }
    text[at] = '\0';
    return text;
}

void sti_int_make_primitive(sti_exact* x, sti_int* a, size_t count) {
    sti_int g = {0};
    for (size_t i = 0; i < count && !sti_int_is_one(&g); i++) {
        if (a[i].size != 0) sti_int_gcd(x, &g, &g, &a[i]);
    }
    if (x->status == STI_OK && g.size != 0 && !sti_int_is_one(&g)) {
        for (size_t i = 0; i < count; i++) {
            if (a[i].size != 0) sti_int_divexact(x, &a[i], &a[i], &g);
        }
    }
    sti_int_clear(x->env, &g);
}
