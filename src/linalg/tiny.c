// tiny.c: elimination with exchange of rows, and the condition number from the inverse itself.
#include "linalg/tiny.h"

#include <math.h>

static void exchange(int n, double* x, double* y) {
    for (int j = 0; j < n; j++) {
        const double t = x[j];
        x[j] = y[j];
        y[j] = t;
    }
}

bool sti_tiny_lu(int n, double* a, int* pivot) {
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int i = c + 1; i < n; i++) {
            if (fabs(a[i * n + c]) > fabs(a[p * n + c])) p = i;
        }
        pivot[c] = p;
        if (!(fabs(a[p * n + c]) > 0)) return false;
        if (p != c) exchange(n, a + c * n, a + p * n);
        for (int i = c + 1; i < n; i++) {
            const double f = a[i * n + c] /= a[c * n + c];
            for (int j = c + 1; j < n; j++) a[i * n + j] -= f * a[c * n + j];
        }
    }
    return true;
}

void sti_tiny_lu_solve(int n, const double* lu, const int* pivot, double* x) {
    for (int i = 0; i < n; i++) {
        const int p = pivot[i];
        const double b = x[p];
        x[p] = x[i];
        x[i] = b;
    }
    for (int i = 1; i < n; i++) {
        for (int j = 0; j < i; j++) x[i] -= lu[i * n + j] * x[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= lu[i * n + j] * x[j];
        x[i] /= lu[i * n + i];
    }
}

double sti_tiny_lu_rcond(int n, const double* lu, const int* pivot, double norm) {
    double sum[STI_TINY] = {0}, largest = 0;
    for (int c = 0; c < n; c++) {
        double x[STI_TINY] = {0};
        x[c] = 1;
        sti_tiny_lu_solve(n, lu, pivot, x);
        for (int i = 0; i < n; i++) sum[i] += fabs(x[i]);
    }
    for (int i = 0; i < n; i++) {
        if (!(sum[i] <= largest)) largest = sum[i];
    }
    const double condition = norm * largest;
    return condition > 0 && isfinite(condition) ? 1 / condition : n == 0 ? 1 : 0;
}
