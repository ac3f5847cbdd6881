// affine.c: arithmetic of affine forms with rounding errors bounded.
//
// u = 2^-53. A sum or product of two doubles is off by at most u times its size (and 2^-1074 where it underflows), so a
// form whose coefficients have been computed from terms of sizes s_i is off by at most 4 u sum s_i as a whole: ROUND is
// twice that, which covers the roundings of the bound itself. WIDER covers those of the sums of r, at most 50 terms.
#include "verify/affine.h"

#include <stddef.h>

static const double ROUND = 0x1p-50, WIDER = 1 + 0x1p-45, TINY = 1e-290;

sti_affine sti_affine_number(double x) {
    return (sti_affine){.c = x};
}

// |c| + sum |a_i|
static double size_of(const sti_affine_room* k, const sti_affine* x) {
    double sum = fabs(x->c);
    for (int i = 0; i < k->n; i++) sum += fabs(x->a[i]);
    return sum;
}

static double linear(const sti_affine_room* k, const sti_affine* x) {
    double sum = 0;
    for (int i = 0; i < k->n; i++) sum += fabs(x->a[i]);
    return sum;
}

double sti_affine_spread(const sti_affine_room* k, const sti_affine* x) {
    return (linear(k, x) + x->r) * WIDER;
}

double sti_affine_low(const sti_affine_room* k, const sti_affine* x) {
    const double s = sti_affine_spread(k, x);
    return (x->c - s) - ROUND * (fabs(x->c) + s) - TINY;
}

double sti_affine_high(const sti_affine_room* k, const sti_affine* x) {
    const double s = sti_affine_spread(k, x);
    return (x->c + s) + ROUND * (fabs(x->c) + s) + TINY;
}

static void settle(const sti_affine_room* k, sti_affine* x, double r, double size) {
    (void)k;
    x->r = (r + ROUND * size) * WIDER + TINY;
}

sti_affine sti_affine_add(const sti_affine_room* k, const sti_affine* x, const sti_affine* y, int sign) {
    sti_affine z = {.c = sign > 0 ? x->c + y->c : x->c - y->c};
    for (int i = 0; i < k->n; i++) z.a[i] = sign > 0 ? x->a[i] + y->a[i] : x->a[i] - y->a[i];
    settle(k, &z, x->r + y->r, size_of(k, &z));
    return z;
}

sti_affine sti_affine_scale(const sti_affine_room* k, const sti_affine* x, double s) {
    sti_affine z = {.c = s * x->c};
    for (int i = 0; i < k->n; i++) z.a[i] = s * x->a[i];
    settle(k, &z, fabs(s) * x->r, size_of(k, &z));
    return z;
}

sti_affine sti_affine_mul(const sti_affine_room* k, const sti_affine* x, const sti_affine* y) {
    sti_affine z = {.c = x->c * y->c};
    double X = 0, Y = 0;
    for (int i = 0; i < k->n; i++) {
        z.a[i] = x->c * y->a[i] + y->c * x->a[i];
        X += fabs(x->a[i]);
        Y += fabs(y->a[i]);
    }
    const double cx = fabs(x->c), cy = fabs(y->c);
    settle(k, &z, cx * y->r + cy * x->r + (X + x->r) * (Y + y->r), (cx + X) * (cy + Y));
    return z;
}

// f(x) = f0 + slope (x - c) + at most `second` (x - c)^2, f0 and slope with relative errors of at most 8 u.
static sti_affine curve(const sti_affine_room* k, const sti_affine* x, double f0, double slope, double second) {
    sti_affine z = {.c = f0};
    const double spread = sti_affine_spread(k, x);
    for (int i = 0; i < k->n; i++) z.a[i] = slope * x->a[i];
    settle(k, &z, fabs(slope) * x->r + second * spread * spread, 4 * (fabs(f0) + fabs(slope) * spread));
    return z;
}

static sti_affine inverse(sti_affine_room* k, const sti_affine* x) {
    const double low = sti_affine_low(k, x), high = sti_affine_high(k, x);
    if (!(low > 0 || high < 0)) {
        k->bad = true;
        return sti_affine_number(0);
    }
    const double least = low > 0 ? low : -high, f0 = 1 / x->c;
    return curve(k, x, f0, -f0 * f0, WIDER / (least * least * least));
}

sti_affine sti_affine_div(sti_affine_room* k, const sti_affine* x, const sti_affine* y) {
    const sti_affine over = inverse(k, y);
    return sti_affine_mul(k, x, &over);
}

sti_affine sti_affine_sqrt(sti_affine_room* k, const sti_affine* x) {
    const double low = sti_affine_low(k, x);
    if (!(low > 0)) {
        k->bad = true;
        return sti_affine_number(0);
    }
    const double root = sqrt(x->c);
    return curve(k, x, root, 0.5 / root, WIDER / (8 * low * sqrt(low)));  // |f''| / 2 = x^(-3/2) / 8
}

// sin and 1 - cos of a number, by their series at x / 2^halvings and doubling: s2 = 2 s (1 - v), v2 = 2 s^2.
static void sine_of(double x, int halvings, sti_affine* sine, sti_affine* versine) {
    const sti_affine_room none = {0};
    const sti_affine y = sti_affine_number(ldexp(x, -halvings)), y2 = sti_affine_mul(&none, &y, &y);
    sti_affine s = {0}, v = {0}, term = y, term2 = sti_affine_scale(&none, &y2, 0.5);
    for (int i = 1; i <= 10; i++) {  // |y| <= 1/4: what is left out is below 2^-42 / 21!
        s = sti_affine_add(&none, &s, &term, 1);
        v = sti_affine_add(&none, &v, &term2, 1);
        const sti_affine p = sti_affine_mul(&none, &term, &y2), p2 = sti_affine_mul(&none, &term2, &y2);
        const sti_affine d = sti_affine_number(-(2.0 * i) * (2 * i + 1));
        const sti_affine d2 = sti_affine_number(-(2.0 * i + 1) * (2 * i + 2));
        sti_affine_room own = {0};
        term = sti_affine_div(&own, &p, &d);
        term2 = sti_affine_div(&own, &p2, &d2);
    }
    s.r += 1e-30;
    v.r += 1e-30;
    for (int i = 0; i < halvings; i++) {
        const sti_affine one = sti_affine_number(1), c = sti_affine_add(&none, &one, &v, -1);
        const sti_affine sc = sti_affine_mul(&none, &s, &c), ss = sti_affine_mul(&none, &s, &s);
        s = sti_affine_scale(&none, &sc, 2);
        v = sti_affine_scale(&none, &ss, 2);
    }
    *sine = s;
    *versine = v;
}

// Both as functions of the angle: second derivatives are at most 1.
void sti_affine_turn(sti_affine_room* k, const sti_affine* angle, sti_affine* cosine, sti_affine* sine) {
    const sti_affine_room none = {0};
    const sti_affine one = sti_affine_number(1);
    sti_affine s, v;
    int halvings = 0;
    if (!(fabs(angle->c) < 1e6)) {
        k->bad = true;
        *cosine = *sine = sti_affine_number(0);
        return;
    }
    while (ldexp(fabs(angle->c), -halvings) > 0.25) halvings++;
    sine_of(angle->c, halvings, &s, &v);
    const sti_affine c = sti_affine_add(&none, &one, &v, -1);
    const double spread = sti_affine_spread(k, angle);
    *sine = curve(k, angle, s.c, c.c, 0.5);
    *cosine = curve(k, angle, c.c, -s.c, 0.5);
    sine->r = (sine->r + s.r + c.r * spread) * WIDER;
    cosine->r = (cosine->r + c.r + s.r * spread) * WIDER;
}

void sti_affine_settle(const sti_affine_room* k, sti_affine* x, int first, int at) {
    double rest = x->r;
    for (int j = first; j < k->n; j++) {
        rest += fabs(x->a[j]);
        x->a[j] = 0;
    }
    x->a[at] = rest * (1 + 1e-12);
    x->r = 0;
}

// ---- linear systems

static void exchange(sti_affine* a, sti_affine* b, int count) {
    for (int j = 0; j < count && a != b; j++) {
        const sti_affine keep = a[j];
        a[j] = b[j];
        b[j] = keep;
    }
}

void sti_affine_pivot(sti_affine_room* k, sti_affine* K, int n, int width, int column, int row, bool* done) {
    sti_affine* pivot = K + (size_t)column * (size_t)width;
    exchange(pivot, K + (size_t)row * (size_t)width, width);
    done[column] = true;
    for (int i = 0; i < n; i++) {
        sti_affine* other = K + (size_t)i * (size_t)width;
        const sti_affine* out = &other[column];
        if (i == column || (out->c == 0 && sti_affine_spread(k, out) < 1e-280)) continue;
        const sti_affine factor = sti_affine_div(k, out, &pivot[column]);
        for (int j = 0; j < width; j++) {
            if (j < width - 1 && (j >= n || done[j])) continue;
            const sti_affine product = sti_affine_mul(k, &factor, &pivot[j]);
            other[j] = sti_affine_add(k, &other[j], &product, -1);
        }
    }
}

bool sti_affine_solve(sti_affine_room* k, sti_affine* K, int n, int width, bool* done) {
    for (int c = 0; c < n; c++) {
        int row = c;
        if (done[c]) continue;
        for (int i = 0; i < n; i++) {
            const sti_affine *entry = &K[(size_t)i * (size_t)width + (size_t)c],
                             *best = &K[(size_t)row * (size_t)width + (size_t)c];
            if (!done[i] && fabs(entry->c) > fabs(best->c)) row = i;
        }
        sti_affine_pivot(k, K, n, width, c, row, done);
    }
    for (int i = 0; i < n; i++) {
        sti_affine* of = K + (size_t)i * (size_t)width;
        of[width - 1] = sti_affine_div(k, &of[width - 1], &of[i]);
    }
    return !k->bad;
}
