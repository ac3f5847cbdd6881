// small.c: see small.h. Plain loops serve where matrices have a handful of rows.
#include "linalg/small.h"

#include <math.h>

#include "linalg/vector.h"

void sti_small_multiply(int m, int k, int n, const double* A, const double* B, double* C) {
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++) sum += A[sti_at(k, i, l)] * B[sti_at(n, l, j)];
            C[sti_at(n, i, j)] = sum;
        }
    }
}

void sti_small_multiply_tn(int m, int k, int n, const double* A, const double* B, double* C) {
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++) sum += A[sti_at(m, l, i)] * B[sti_at(n, l, j)];
            C[sti_at(n, i, j)] = sum;
        }
    }
}

void sti_small_multiply_nt(int m, int k, int n, const double* A, const double* B, double* C) {
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            C[sti_at(n, i, j)] = sti_vector_dot((size_t)k, A + sti_at(k, i, 0), B + sti_at(k, j, 0));
    }
}

void sti_small_apply(int m, int n, const double* A, const double* x, double* y) {
    for (int i = 0; i < m; i++) y[i] = sti_vector_dot((size_t)n, A + sti_at(n, i, 0), x);
}

void sti_small_apply_transposed(int m, int n, const double* A, const double* x, double* y) {
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++) sum += A[sti_at(n, i, j)] * x[i];
        y[j] = sum;
    }
}

double sti_small_form(int n, const double* A, const double* x, const double* y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * sti_vector_dot((size_t)n, A + sti_at(n, i, 0), y);
    return sum;
}

bool sti_small_units(int n, const double* A, double* unit) {
    bool positive = true;
    for (int i = 0; i < n; i++) {
        const double d = A[sti_at(n, i, i)];
        int power = 0;
        positive = positive && d > 0;
        if (d > 0) frexp(d, &power);  // d from 2^(power - 1) to 2^power
        unit[i] = ldexp(1, -(power >= 0 ? power / 2 : -((1 - power) / 2)));
    }
    return positive;
}
