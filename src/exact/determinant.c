// determinant.c: fraction-free elimination and exact signs of principal minors. The stages are explained in
// determinant.h; what makes each of them a proof is said where it happens.
#include "exact/determinant.h"

#include <math.h>
#include <string.h>

typedef unsigned __int128 u128;

// ---- integers

void sti_int_jordan(sti_exact* x, sti_int* T, int rows, int cols, int r, int c, sti_int* d) {
    if (x->status != STI_OK) return;
    sti_int* Tr = T + (size_t)r * (size_t)cols;
    sti_int* p = &Tr[c];
    STI_ASSERT(p->size != 0);
    for (int i = 0; i < rows; i++) {
        if (i == r) continue;
        sti_int* Ti = T + (size_t)i * (size_t)cols;
        for (int j = 0; j < cols; j++) {
            if (j != c) sti_int_pivot(x, &Ti[j], p, &Ti[c], &Tr[j], d);
        }
        Ti[c].size = 0;
    }
    sti_int_set(x, d, p);
}

static void swap_rows(sti_int* T, int cols, int i, int k) {
    if (i == k) return;
    for (int j = 0; j < cols; j++)
        sti_int_swap(&T[(size_t)i * (size_t)cols + (size_t)j], &T[(size_t)k * (size_t)cols + (size_t)j]);
}

int sti_int_eliminate(sti_exact* x, sti_int* T, int rows, int cols, int lead, int* pivot_col, sti_int* d) {
    sti_int_set_i64(x, d, 1);
    for (int i = 0; i < rows; i++) pivot_col[i] = -1;
    int rank = 0;
    for (int c = 0; c < lead && rank < rows && !sti_exact_late(x) && x->status == STI_OK; c++) {
        int r = rank;
        while (r < rows && T[(size_t)r * (size_t)cols + (size_t)c].size == 0) r++;
        if (r == rows) continue;
        swap_rows(T, cols, r, rank);
        sti_int_jordan(x, T, rows, cols, rank, c, d);
        pivot_col[rank++] = c;
    }
    return rank;
}

// ---- set-up

// Nearest double to a / 2^e, and a bound on its error.
static double scaled_double(sti_exact* x, const sti_int* a, size_t e, double* error) {
    sti_int power = {0};
    sti_int_set_i64(x, &power, 1);
    sti_int_shl(x, &power, &power, e);
    const double value = x->status == STI_OK ? sti_int_ratio(x, a, &power) : 0;
    sti_int_clear(x->env, &power);
    const bool exact = sti_int_bits(a) - sti_int_trailing_zeros(a) <= 53 && (a->size == 0 || fabs(value) > 0x1p-1000);
    *error = exact ? 0 : fabs(value) * 0x1p-53 + 0x1p-1074;
    return value;
}

static void load_row(sti_minors* m, int i) {
    const size_t n = (size_t)m->n, at = (size_t)i * n;
    size_t bits = 0;
    for (size_t j = 0; j < n; j++) {
        const size_t b = sti_int_bits(&m->A[at + j]);
        if (b > bits) bits = b;
    }
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        m->mid[at + j] = scaled_double(m->x, &m->A[at + j], bits, &m->rad[at + j]);
        const double upper = fabs(m->mid[at + j]) + m->rad[at + j];
        sum += upper * upper;
    }
    m->log_row[i] = sum > 0 ? 0.5 * log2(sum) + (double)bits + 1e-6 : 0;
}

sti_status sti_minors_init(sti_minors* m, sti_exact* x, const sti_int* A, int n) {
    *m = (sti_minors){.x = x, .n = n, .A = A};
    sti_env* env = x->env;
    const size_t count = (size_t)n * (size_t)n;
    m->memory = sti_arena_make(env);
    m->mid = sti_arena_raw(&m->memory, count, sizeof *m->mid);
    m->rad = sti_arena_raw(&m->memory, count, sizeof *m->rad);
    m->log_row = sti_arena_raw(&m->memory, (size_t)n, sizeof *m->log_row);
    m->work_mid = sti_arena_raw(&m->memory, count, sizeof *m->work_mid);
    m->work_rad = sti_arena_raw(&m->memory, count, sizeof *m->work_rad);
    m->work_mod = sti_arena_raw(&m->memory, count, sizeof *m->work_mod);
    m->work = sti_int_array(x, count);
    if (m->memory.status != STI_OK || m->work == NULL) {
        sti_minors_clear(m);
        x->status = STI_ERR_MEMORY;
        return x->status;
    }
    for (int i = 0; i < n && x->status == STI_OK; i++) load_row(m, i);
    if (x->status != STI_OK) sti_minors_clear(m);
    return x->status;
}

void sti_minors_clear(sti_minors* m) {
    if (m->x == NULL) return;
    sti_env* env = m->x->env;
    sti_arena_clear(&m->memory);
    sti_free(env, m->prime);
    sti_free(env, m->residue);
    sti_int_array_free(env, m->work, (size_t)m->n * (size_t)m->n);
    sti_int_clear(env, &m->previous);
    *m = (sti_minors){0};
}

// ---- stage 1: floating point

// Gaussian elimination on numbers mid with |true - mid| <= rad. Every operation adds its own rounding, u |result|,
// and the factor `more` covers the rounding of the bounds themselves. Returns 0 when a pivot is not larger than
// its error.
static int float_sign(sti_minors* m, const int* index, int k) {
    const double u = 0x1p-53, tiny = 0x1p-1022, more = 1 + 0x1p-48;
    double *a = m->work_mid, *e = m->work_rad;
    const size_t w = (size_t)k;
    for (size_t i = 0; i < w; i++) {
        for (size_t j = 0; j < w; j++) {
            const size_t from = (size_t)index[i] * (size_t)m->n + (size_t)index[j];
            a[i * w + j] = m->mid[from];
            e[i * w + j] = m->rad[from];
        }
    }
    int sign = 1;
    for (size_t c = 0; c < w; c++) {
        size_t r = c;
        for (size_t i = c + 1; i < w; i++) {
            if (fabs(a[i * w + c]) > fabs(a[r * w + c])) r = i;
        }
        if (r != c) {
            sign = -sign;
            for (size_t j = c; j < w; j++) {
                const double ta = a[r * w + j], te = e[r * w + j];
                a[r * w + j] = a[c * w + j];
                e[r * w + j] = e[c * w + j];
                a[c * w + j] = ta;
                e[c * w + j] = te;
            }
        }
        const double p = a[c * w + c], ep = e[c * w + c], low = fabs(p) - ep;
        if (!(low > 0.5 * fabs(p)) || !(low > tiny)) return 0;  // also when not a number
        if (p < 0) sign = -sign;
        for (size_t i = c + 1; i < w; i++) {
            const double f = a[i * w + c] / p;
            const double ef = ((e[i * w + c] + fabs(f) * ep) / low + u * fabs(f)) * more + tiny;
            for (size_t j = c + 1; j < w; j++) {
                const double b = a[c * w + j], eb = e[c * w + j], t = f * b, s = a[i * w + j] - t;
                const double spread = fabs(f) * eb + ef * (fabs(b) + eb) + u * (fabs(t) + fabs(s));
                a[i * w + j] = s;
                e[i * w + j] = (e[i * w + j] + spread) * more + tiny;
            }
        }
    }
    return sign;
}

// ---- stage 2: modulo primes

static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t p) {
    return (uint64_t)((u128)a * b % p);
}

// Miller-Rabin with the first twelve primes as bases: no composite below 2^64 passes (Sorenson & Webster 2015).
static bool is_prime(uint64_t p) {
    static const uint64_t base[12] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (int i = 0; i < 12; i++) {
        if (p % base[i] == 0) return p == base[i];
    }
    const int twos = __builtin_ctzll(p - 1);
    for (int i = 0; i < 12; i++) {
        uint64_t power = 1, square = base[i];
        for (uint64_t e = (p - 1) >> twos; e > 0; e >>= 1) {
            if ((e & 1) != 0) power = mul_mod(power, square, p);
            square = mul_mod(square, square, p);
        }
        if (power == 1 || power == p - 1) continue;
        bool witness = true;
        for (int s = 1; s < twos && witness; s++) {
            power = mul_mod(power, power, p);
            witness = power != p - 1;
        }
        if (witness) return false;
    }
    return true;
}

static bool grow_primes(sti_minors* m) {
    sti_env* env = m->x->env;
    const int capacity = 2 * m->prime_capacity + 2;
    const size_t block = (size_t)m->n * (size_t)m->n;
    uint64_t* prime = sti_realloc(env, m->prime, (size_t)capacity * sizeof *prime);
    if (prime != NULL) m->prime = prime;
    uint64_t* residue = sti_realloc(env, m->residue, (size_t)capacity * block * sizeof *residue);
    if (residue != NULL) m->residue = residue;
    if (prime == NULL || residue == NULL) {
        m->x->status = STI_ERR_MEMORY;
        return false;
    }
    m->prime_capacity = capacity;
    return true;
}

static bool add_prime(sti_minors* m) {
    if (m->prime_count == m->prime_capacity && !grow_primes(m)) return false;
    uint64_t p = m->prime_count == 0 ? ((uint64_t)1 << 62) - 1 : m->prime[m->prime_count - 1] - 2;
    while (!is_prime(p)) p -= 2;
    const size_t block = (size_t)m->n * (size_t)m->n;
    uint64_t* residue = m->residue + (size_t)m->prime_count * block;
    for (size_t k = 0; k < block; k++) residue[k] = sti_int_mod(&m->A[k], p);
    m->prime[m->prime_count++] = p;
    return true;
}

// t / 2^64 modulo p, for t < 2^64 p (Montgomery 1985); inverse is -1/p modulo 2^64.
static inline uint64_t reduce(u128 t, uint64_t p, uint64_t inverse) {
    const uint64_t f = (uint64_t)t * inverse;
    const uint64_t r = (uint64_t)((t + (u128)f * p) >> 64);
    return r >= p ? r - p : r;
}

static uint64_t negative_inverse(uint64_t p) {
    uint64_t y = p;  // right to 3 bits
    for (int i = 0; i < 5; i++) y *= 2 - p * y;
    return -y;
}

// Elimination by cross-multiplication: rows are multiplied by pivots and by 2^-64, neither of which is zero modulo p,
// so nothing is divided and singular stays singular.
static bool singular_modulo(sti_minors* m, int which, const int* index, int k) {
    const uint64_t p = m->prime[which], inverse = negative_inverse(p);
    const uint64_t* A = m->residue + (size_t)which * (size_t)m->n * (size_t)m->n;
    uint64_t* a = m->work_mod;
    const size_t w = (size_t)k;
    for (size_t i = 0; i < w; i++) {
        for (size_t j = 0; j < w; j++) a[i * w + j] = A[(size_t)index[i] * (size_t)m->n + (size_t)index[j]];
    }
    for (size_t c = 0; c < w; c++) {
        size_t r = c;
        while (r < w && a[r * w + c] == 0) r++;
        if (r == w) return true;
        if (r != c) {
            for (size_t j = c; j < w; j++) {
                const uint64_t t = a[r * w + j];
                a[r * w + j] = a[c * w + j];
                a[c * w + j] = t;
            }
        }
        const uint64_t pivot = a[c * w + c];
        for (size_t i = c + 1; i < w; i++) {
            if (a[i * w + c] == 0) continue;
            const uint64_t f = p - a[i * w + c];
            for (size_t j = c + 1; j < w; j++)
                a[i * w + j] = reduce((u128)a[i * w + j] * pivot + (u128)a[c * w + j] * f, p, inverse);
        }
    }
    return false;
}

// Zero or not, proved either way. False also when memory ran out.
static bool is_singular(sti_minors* m, const int* index, int k) {
    double bits = 1;  // log2 of twice Hadamard's bound, rows cut to the index set included
    for (int i = 0; i < k; i++) bits += m->log_row[index[i]];
    double covered = 0;
    for (int which = 0; covered <= bits; which++) {
        if (which == m->prime_count && !add_prime(m)) return false;
        if (!singular_modulo(m, which, index, k)) return false;
        covered += 61.9;  // every prime used is larger than 2^61.9
    }
    return true;
}

// ---- stage 3: Bareiss

void sti_minors_value(sti_minors* m, const int* index, int k, sti_int* minor) {
    sti_exact* x = m->x;
    const size_t w = (size_t)k;
    sti_int* T = m->work;
    for (size_t i = 0; i < w; i++) {
        for (size_t j = 0; j < w; j++)
            sti_int_set(x, &T[i * w + j], &m->A[(size_t)index[i] * (size_t)m->n + (size_t)index[j]]);
    }
    sti_int_set_i64(x, &m->previous, 1);
    bool negative = false;
    for (size_t c = 0; c < w && x->status == STI_OK; c++) {
        size_t r = c;
        while (r < w && T[r * w + c].size == 0) r++;
        if (r == w) {
            sti_int_set_i64(x, minor, 0);
            return;
        }
        if (r != c) {
            swap_rows(T, k, (int)r, (int)c);
            negative = !negative;
        }
        for (size_t i = c + 1; i < w; i++) {
            for (size_t j = c + 1; j < w; j++)
                sti_int_pivot(x, &T[i * w + j], &T[c * w + c], &T[i * w + c], &T[c * w + j], &m->previous);
        }
        sti_int_set(x, &m->previous, &T[c * w + c]);
    }
    sti_int_set(x, minor, &m->previous);
    if (negative) sti_int_neg(minor);
}

// ---- the three together

int sti_minors_sign_integer(sti_minors* m, const int* index, int k) {
    if (m->x->status != STI_OK) return 0;
    if (k == 1) return sti_int_sign(&m->A[(size_t)index[0] * ((size_t)m->n) + (size_t)index[0]]);
    const bool singular = is_singular(m, index, k);
    if (m->x->status != STI_OK) return 0;
    if (singular) {
        m->prime_settled++;
        return 0;
    }
    sti_int minor = {0};
    sti_minors_value(m, index, k, &minor);
    const int sign = m->x->status == STI_OK ? sti_int_sign(&minor) : 0;
    sti_int_clear(m->x->env, &minor);
    m->integer_settled++;
    return sign;
}

int sti_minors_sign(sti_minors* m, const int* index, int k) {
    if (m->x->status != STI_OK) return 0;
    if (k == 0) return 1;
    const int sign = float_sign(m, index, k);
    if (sign != 0) {
        m->float_settled++;
        return sign;
    }
    return sti_minors_sign_integer(m, index, k);
}
