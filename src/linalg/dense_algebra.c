// dense_algebra.c: see dense_algebra.h. Sizes are those of a handful of contacts, so plain loops serve.
#include "linalg/dense_algebra.h"

#include <math.h>
#include <string.h>

#include "linalg/lapack.h"
#include "linalg/vector.h"

// ---- symmetric eigenvalues

// One Jacobi rotation, which makes A_pq zero.
static void rotate(int n, double* A, double* V, int p, int q) {
    const double apq = A[sti_at(n, p, q)];
    if (apq == 0) return;
    const double theta = (A[sti_at(n, q, q)] - A[sti_at(n, p, p)]) / (2 * apq);
    const double t = (theta >= 0 ? 1.0 : -1.0) / (fabs(theta) + hypot(theta, 1.0));
    const double c = 1 / hypot(t, 1.0), s = t * c;
    for (int k = 0; k < n; k++) {
        const double a = A[sti_at(n, k, p)], b = A[sti_at(n, k, q)];
        A[sti_at(n, k, p)] = c * a - s * b;
        A[sti_at(n, k, q)] = s * a + c * b;
    }
    for (int k = 0; k < n; k++) {
        const double a = A[sti_at(n, p, k)], b = A[sti_at(n, q, k)];
        A[sti_at(n, p, k)] = c * a - s * b;
        A[sti_at(n, q, k)] = s * a + c * b;
    }
    A[sti_at(n, p, q)] = A[sti_at(n, q, p)] = 0;
    for (int k = 0; V != NULL && k < n; k++) {
        const double a = V[sti_at(n, p, k)], b = V[sti_at(n, q, k)];
        V[sti_at(n, p, k)] = c * a - s * b;
        V[sti_at(n, q, k)] = s * a + c * b;
    }
}

static void exchange_rows(int n, double* A, int i, int j) {
    for (int k = 0; k < n; k++) {
        const double a = A[sti_at(n, i, k)];
        A[sti_at(n, i, k)] = A[sti_at(n, j, k)];
        A[sti_at(n, j, k)] = a;
    }
}

static void sort_eigen(int n, double* w, double* V) {
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int j = i + 1; j < n; j++) {
            if (w[j] < w[least]) least = j;
        }
        if (least == i) continue;
        const double a = w[i];
        w[i] = w[least];
        w[least] = a;
        if (V != NULL) exchange_rows(n, V, i, least);
    }
}

void sti_dense_eigen(int n, double* A, double* w, double* V) {
    for (int i = 0; V != NULL && i < n; i++) {
        for (int j = 0; j < n; j++) V[sti_at(n, i, j)] = i == j;
    }
    const double scale = sti_vector_norm(n * n, A);
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) off = fmax(off, fabs(A[sti_at(n, p, q)]));
        }
        if (off <= 1e-18 * scale) break;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) rotate(n, A, V, p, q);
        }
    }
    for (int i = 0; i < n; i++) w[i] = A[sti_at(n, i, i)];
    sort_eigen(n, w, V);
}

int sti_dense_pseudo_inverse(int n, const double* A, double tol, double* inverse, double* work) {
    const size_t size = (size_t)n * (size_t)n;
    double *S = work, *V = S + size, *w = V + size;
    memcpy(S, A, size * sizeof *S);
    sti_dense_eigen(n, S, w, V);
    int rank = 0;
    memset(inverse, 0, size * sizeof *inverse);
    for (int k = 0; k < n; k++) {
        if (!(w[k] > tol * w[n - 1])) continue;
        rank++;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) inverse[sti_at(n, i, j)] += V[sti_at(n, k, i)] * V[sti_at(n, k, j)] / w[k];
        }
    }
    return rank;
}

// ---- linear systems

// Gauss-Jordan with complete pivoting on T = [A | b], m x (n+1). row[k], column[k]: the k-th pivot. Returns the rank.
static int eliminate(int m, int n, double* T, double threshold, int* row, int* column) {
    const int cols = n + 1;
    for (int i = 0; i < m; i++) row[i] = i;
    for (int j = 0; j < n; j++) column[j] = j;
    int rank = 0;
    for (; rank < m && rank < n; rank++) {
        int pi = rank, pj = rank;
        double best = 0;
        for (int i = rank; i < m; i++) {
            for (int j = rank; j < n; j++) {
                const double a = fabs(T[sti_at(cols, row[i], column[j])]);
                if (a > best) {
                    best = a;
                    pi = i;
                    pj = j;
                }
            }
        }
        if (!(best > threshold)) break;
        const int r = row[pi], c = column[pj];
        row[pi] = row[rank];
        row[rank] = r;
        column[pj] = column[rank];
        column[rank] = c;
        const double pivot = T[sti_at(cols, r, c)];
        for (int j = 0; j < cols; j++) T[sti_at(cols, r, j)] /= pivot;
        for (int i = 0; i < m; i++) {
            const double factor = T[sti_at(cols, i, c)];
            if (i == r || factor == 0) continue;
            for (int j = 0; j < cols; j++) T[sti_at(cols, i, j)] -= factor * T[sti_at(cols, r, j)];
            T[sti_at(cols, i, c)] = 0;
        }
    }
    return rank;
}

static void take_out(int n, const double* Z, int count, double* x) {
    for (int pass = 0; pass < 2; pass++) {
        for (int l = 0; l < count; l++) {
            const double* z = Z + sti_at(n, l, 0);
            const double part = sti_vector_dot(n, z, x);
            for (int j = 0; j < n; j++) x[j] -= part * z[j];
        }
    }
}

// The null space from the reduced form, orthonormal.
static void null_space(int n, int rank, const double* T, const int* row, const int* column, double* Z) {
    for (int f = rank; f < n; f++) {
        double* z = Z + sti_at(n, f - rank, 0);
        memset(z, 0, (size_t)n * sizeof *z);
        z[column[f]] = 1;
        for (int k = 0; k < rank; k++) z[column[k]] = -T[sti_at(n + 1, row[k], column[f])];
        take_out(n, Z, f - rank, z);
        const double length = sti_vector_norm(n, z);
        for (int j = 0; j < n; j++) z[j] /= length;
    }
}

sti_dense_family sti_dense_solve(int m, int n, const double* A, const double* b, double tol, double* x0, double* Z,
                                 double* work, int* index) {
    const int cols = n + 1;
    double* T = work;
    int *row = index, *column = index + m;
    for (int i = 0; i < m; i++) {
        memcpy(T + sti_at(cols, i, 0), A + sti_at(n, i, 0), (size_t)n * sizeof *T);
        T[sti_at(cols, i, n)] = b[i];
    }
    const int rank = eliminate(m, n, T, tol * sti_vector_largest(m * n, A), row, column);
    memset(x0, 0, (size_t)n * sizeof *x0);
    for (int k = 0; k < rank; k++) x0[column[k]] = T[sti_at(cols, row[k], n)];
    null_space(n, rank, T, row, column, Z);
    take_out(n, Z, n - rank, x0);
    // judged on the original equations, against the size of what they add up
    bool consistent = true;
    const double size_b = sti_vector_largest(m, b);
    for (int i = 0; i < m; i++) {
        double sum = -b[i], size = size_b;
        for (int j = 0; j < n; j++) {
            const double term = A[sti_at(n, i, j)] * x0[j];
            sum += term;
            size = fmax(size, fabs(term));
        }
        if (fabs(sum) > tol * size) consistent = false;
    }
    return (sti_dense_family){.rank = rank, .consistent = consistent};
}

double sti_dense_determinant(int n, double* A) {
    double determinant = 1;
    for (int k = 0; k < n; k++) {
        int r = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(A[sti_at(n, i, k)]) > fabs(A[sti_at(n, r, k)])) r = i;
        }
        if (A[sti_at(n, r, k)] == 0) return 0;
        if (r != k) {
            exchange_rows(n, A, r, k);
            determinant = -determinant;
        }
        determinant *= A[sti_at(n, k, k)];
        for (int i = k + 1; i < n; i++) {
            const double factor = A[sti_at(n, i, k)] / A[sti_at(n, k, k)];
            for (int j = k + 1; j < n; j++) A[sti_at(n, i, j)] -= factor * A[sti_at(n, k, j)];
        }
    }
    return determinant;
}

double sti_dense_norm(int m, int n, const double* A, double* work) {
    if (m == 0 || n == 0) return 0;
    double *S = work, *w = work + sti_at(n, n, 0);
    sti_small_multiply_tn(n, m, n, A, A, S);
    sti_dense_eigen(n, S, w, NULL);
    return sqrt(fmax(0.0, w[n - 1]));
}

sti_status sti_dense_eigenvalues(sti_env* env, int n, const double* A, double* re, double* im) {
    if (n == 0) return STI_OK;
    const int room = 8 * n;
    double* work = sti_alloc_array(env, (size_t)n * (size_t)n + (size_t)room, sizeof *work);
    if (work == NULL) return STI_ERR_MEMORY;
    double* copy = work + room;
    memcpy(copy, A, (size_t)n * (size_t)n * sizeof *copy);  // the transpose has the same eigenvalues
    sti_status status = sti_lapack_reserve(env);
    if (status == STI_OK)
        status =
            sti_lapack_status(env, sti_lapack_eigenvalues(n, copy, re, im, work, room), "eigenvalues of order %d", n);
    sti_free(env, work);
    return status;
}
