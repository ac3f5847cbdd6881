// one_contact.c: one contact alone, solved exactly.
//
//     u = A r + b,    0 <= u_n _|_ r_n >= 0,    |r_t| <= mu r_n,   u_t = -k r_t with k >= 0, and k > 0 only when |r_t| = mu r_n
//
// b_n >= 0: r = 0, the contact separates or grazes. Otherwise u_n = 0, which gives r_n = -(b_n + a't r_t) / A_nn and
//
//     u_t = S r_t + c,     S = A_tt - a a' / A_nn  (semidefinite),     c = b_t - a b_n / A_nn,     a = A_tn,
//
// so for every k >= 0 the tangential force r_t(k) = -(S + k I)^-1 c slides with that k, and the one sought makes
//
//     g(k) = |r_t(k)| - mu r_n(k) = |r_t(k)| + (mu / A_nn) (b_n + a' r_t(k))
//
// zero. g(0) <= 0: sticking. Otherwise g(0) > 0 and g(k) -> mu b_n / A_nn < 0, so there is a root; it is bracketed and
// found by Newton's method held inside the bracket, in the eigenbasis of S where r_t(k) costs two divisions. This is the
// quartic of Bonnefon & Daviet (2011) without forming its coefficients: no root is lost to their rounding, and singular or
// badly conditioned S needs no special case (k > 0 regularizes it). mu = 0 has r_t = 0 and r_n = -b_n / A_nn.
#include <float.h>
#include <math.h>

#include "contact/contact.h"

typedef struct slide_curve {
    int m;               // tangential directions: 1 or 2
    double lambda[2];    // eigenvalues of S, >= 0
    double c[2];         // c in the eigenbasis
    double a[2];         // a in the eigenbasis
    double basis[2][2];  // columns: eigenvectors
    double bn;           // b_n
    double slope;        // mu / A_nn
} slide_curve;

// r_t(k) in the eigenbasis, g(k) and g'(k).
static double curve(const slide_curve* s, double k, double* rt, double* derivative) {
    double norm2 = 0, dot = s->bn, dnorm = 0, ddot = 0;
    for (int i = 0; i < s->m; i++) {
        const double e = s->lambda[i] + k;
        rt[i] = s->c[i] == 0 ? 0 : -s->c[i] / e;
        const double dr = s->c[i] == 0 ? 0 : -rt[i] / e;
        norm2 += rt[i] * rt[i];
        dot += s->a[i] * rt[i];
        dnorm += rt[i] * dr;
        ddot += s->a[i] * dr;
    }
    const double norm = sqrt(norm2);
    *derivative = (norm > 0 ? dnorm / norm : 0) + s->slope * ddot;
    return norm + s->slope * dot;
}

static void eigen_2x2(double s11, double s12, double s22, slide_curve* s) {
    const double half = 0.5 * (s11 - s22), root = hypot(half, s12), mean = 0.5 * (s11 + s22);
    s->lambda[0] = mean + root;
    // the small one from the determinant: no cancellation when it is far below the large one
    const double det = s11 * s22 - s12 * s12;
    s->lambda[1] = s->lambda[0] > 0 ? fmax(det / s->lambda[0], 0) : 0;
    double x = half + (half >= 0 ? root : 0), y = s12;
    if (half < 0) {
        x = s12;
        y = root - half;
    }
    const double norm = hypot(x, y);
    if (norm == 0) {
        x = 1;
        y = 0;
    } else {
        x /= norm;
        y /= norm;
    }
    s->basis[0][0] = x;
    s->basis[1][0] = y;
    s->basis[0][1] = -y;
    s->basis[1][1] = x;
}

static void to_eigenbasis(const slide_curve* s, const double* x, double* y) {
    if (s->m == 1) {
        y[0] = x[0];
        return;
    }
    for (int i = 0; i < 2; i++) y[i] = s->basis[0][i] * x[0] + s->basis[1][i] * x[1];
}

static double find_root(const slide_curve* s, double g0, double* rt) {
    // a first guess from the size of things, then doubled until g <= 0
    double low = 0, high = 0, derivative, g = g0;
    const double c = s->m == 2 ? hypot(s->c[0], s->c[1]) : fabs(s->c[0]);
    const double reach = -s->slope * s->bn;  // mu r_n for large k
    high = fmax(reach > 0 ? c / reach : 0, DBL_MIN);
    for (int i = 0; i < 2100; i++) {
        g = curve(s, high, rt, &derivative);
        if (!(g > 0)) break;
        low = high;
        high *= 2;
    }
    double k = high;
    for (int i = 0; i < 200; i++) {
        g = curve(s, k, rt, &derivative);
        if (g > 0)
            low = k;
        else
            high = k;
        if (g == 0 || high - low <= 4 * DBL_EPSILON * high) break;
        double next = derivative < 0 ? k - g / derivative : low;
        if (!(next > low && next < high)) next = low > 0 && high > 4 * low ? sqrt(low * high) : 0.5 * (low + high);
        if (next == k) break;
        k = next;
    }
    curve(s, k, rt, &derivative);
    return k;
}

sti_contact_mode sti_contact_solve_one(int d, double mu, const double* A, const double* b, double* r) {
    for (int i = 0; i < d; i++) r[i] = 0;
    const double ann = A[0];
    if (b[0] >= 0 || !(ann > 0)) return STI_MODE_SEPARATE;
    if (mu == 0) {
        r[0] = -b[0] / ann;
        return STI_MODE_SLIDE;
    }
    slide_curve s = {.m = d - 1, .bn = b[0], .slope = mu / ann};
    double a[2] = {0}, c[2] = {0};
    for (int i = 0; i < d - 1; i++) {
        a[i] = A[(i + 1) * d];
        c[i] = b[i + 1] - a[i] * (b[0] / ann);
    }
    if (d == 3) {
        eigen_2x2(A[4] - a[0] * (a[0] / ann), A[5] - a[0] * (a[1] / ann), A[8] - a[1] * (a[1] / ann), &s);
    } else {
        s.lambda[0] = fmax(A[3] - a[0] * (a[0] / ann), 0);
    }
    // what rounding left of a singular S is zero
    for (int i = 0; i < s.m; i++) {
        if (s.lambda[i] < 8 * DBL_EPSILON * (A[d + 1] + A[d * d - 1])) s.lambda[i] = 0;
    }
    to_eigenbasis(&s, a, s.a);
    to_eigenbasis(&s, c, s.c);

    double rt[2] = {0}, derivative;
    bool can_stick = true;  // c in the range of S
    for (int i = 0; i < s.m; i++) can_stick = can_stick && (s.lambda[i] > 0 || s.c[i] == 0);
    const double g0 = can_stick ? curve(&s, 0, rt, &derivative) : INFINITY;
    const bool stick = g0 <= 0;
    if (!stick) find_root(&s, g0, rt);

    double dot = b[0];
    for (int i = 0; i < s.m; i++) dot += s.a[i] * rt[i];
    r[0] = fmax(-dot / ann, 0);
    if (d == 2) {
        r[1] = rt[0];
    } else {
        for (int i = 0; i < 2; i++) r[i + 1] = s.basis[i][0] * rt[0] + s.basis[i][1] * rt[1];
    }
    if (!stick) {  // on the cone to the last digit
        const double norm = d == 2 ? fabs(r[1]) : hypot(r[1], r[2]);
        if (norm > 0) {
            const double f = mu * r[0] / norm;
            for (int i = 1; i < d; i++) r[i] *= f;
        }
    }
    return stick ? STI_MODE_STICK : STI_MODE_SLIDE;
}
