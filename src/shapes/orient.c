// orient.c: signs of determinants, exact for all coordinates whose products neither overflow nor underflow.
//
// First in doubles, with an a-priori bound on the rounding (Shewchuk 1997, sec. 4: (3 + 16 eps) eps and (7 + 56 eps)
// eps times the permanent). When the bound does not decide, the determinant of the untranslated coordinates is added up
// exactly as an expansion: a sum of doubles, smallest first, that do not overlap in bits. The last one has its sign.
#include "shapes/orient.h"

#include <math.h>

typedef struct expansion {
    int count;
    double term[96];  // 24 products of three factors, four doubles each
} expansion;

static void two_sum(double a, double b, double* sum, double* error) {
    const double s = a + b, bb = s - a;
    *error = (a - (s - bb)) + (b - bb);
    *sum = s;
}

static void add(expansion* e, double x) {
    int count = 0;
    double carry = x;
    for (int i = 0; i < e->count; i++) {
        double error;
        two_sum(carry, e->term[i], &carry, &error);
        if (error != 0) e->term[count++] = error;
    }
    if (carry != 0) e->term[count++] = carry;
    e->count = count;
}

static void add_product(expansion* e, double sign, double a, double b, double c) {
    const double p = a * b, q = fma(a, b, -p);  // a b = p + q
    const double pc = p * c, qc = q * c;
    add(e, sign * fma(q, c, -qc));
    add(e, sign * qc);
    add(e, sign * fma(p, c, -pc));
    add(e, sign * pc);
}

static void add_determinant(expansion* e, double sign, const double* a, const double* b, const double* c) {
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        add_product(e, sign, a[k], b[l], c[m]);
        add_product(e, -sign, a[k], b[m], c[l]);
    }
}

static int sign_of(const expansion* e) {
    if (e->count == 0) return 0;
    return e->term[e->count - 1] > 0 ? 1 : -1;
}

int sti_orient_planar(const double a[2], const double b[2], const double c[2]) {
    const double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
    const double det = left - right;
    if (fabs(det) > 3.4e-16 * (fabs(left) + fabs(right))) return det > 0 ? 1 : -1;
    const double p[3] = {a[0], a[1], 1}, q[3] = {b[0], b[1], 1}, r[3] = {c[0], c[1], 1};
    expansion e = {.count = 0};
    add_determinant(&e, 1, p, q, r);
    return sign_of(&e);
}

int sti_orient_spatial(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double u[3], v[3], w[3], det = 0, permanent = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = a[k] - d[k];
        v[k] = b[k] - d[k];
        w[k] = c[k] - d[k];
    }
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        det += u[k] * (v[l] * w[m] - v[m] * w[l]);
        permanent += fabs(u[k]) * (fabs(v[l] * w[m]) + fabs(v[m] * w[l]));
    }
    if (fabs(det) > 7.8e-16 * permanent) return det > 0 ? -1 : 1;
    expansion e = {.count = 0};
    add_determinant(&e, 1, a, b, c);
    add_determinant(&e, -1, b, c, d);
    add_determinant(&e, 1, a, c, d);
    add_determinant(&e, -1, a, b, d);
    return -sign_of(&e);
}
