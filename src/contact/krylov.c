// krylov.c: GMRES(m).
//
// V spans the Krylov space of A P^-1; the least-squares problem in it is kept triangular by rotations, so the norm of
// the residual is known at every step. A restart begins again from the true residual.
#include "contact/krylov.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"

void sti_krylov_clear(sti_krylov* k) {
    if (k->env == NULL) return;
    sti_arena_clear(&k->memory);
    *k = (sti_krylov){0};
}

sti_status sti_krylov_init(sti_krylov* k, sti_env* env, int n, int restart) {
    const size_t m = (size_t)restart;
    *k = (sti_krylov){.env = env, .n = n, .restart = restart};
    k->memory = sti_arena_make(env);
    k->basis = sti_arena_raw(&k->memory, (m + 1) * (size_t)n, sizeof *k->basis);
    k->H = sti_arena_raw(&k->memory, m * (m + 1), sizeof *k->H);
    k->rotate = sti_arena_raw(&k->memory, 2 * m, sizeof *k->rotate);
    k->g = sti_arena_raw(&k->memory, m + 1, sizeof *k->g);
    k->work = sti_arena_raw(&k->memory, 2 * (size_t)n, sizeof *k->work);
    if (k->memory.status != STI_OK) {
        sti_krylov_clear(k);
        return STI_ERR_MEMORY;
    }
    return STI_OK;
}

// Column j of H: orthogonalize w = A P^-1 v_j against the basis (twice where it cancels), then v_{j+1} = w / |w|.
static void orthogonalize(sti_krylov* k, int j) {
    const int n = k->n;
    double *h = k->H + (size_t)j * (size_t)(k->restart + 1), *w = k->basis + (size_t)(j + 1) * (size_t)n;
    const double before = sqrt(sti_vector_dot((size_t)n, w, w));
    double norm = before;
    memset(h, 0, (size_t)(j + 2) * sizeof *h);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i <= j; i++) {
            const double* v = k->basis + (size_t)i * (size_t)n;
            const double c = sti_vector_dot((size_t)n, v, w);
            h[i] += c;
            for (int l = 0; l < n; l++) w[l] -= c * v[l];
        }
        const double last = norm;
        norm = sqrt(sti_vector_dot((size_t)n, w, w));
        if (norm > 0.7 * last) break;
    }
    h[j + 1] = norm > 1e-14 * before ? norm : 0;
    const double inverse = h[j + 1] > 0 ? 1 / norm : 0;
    for (int l = 0; l < n; l++) w[l] *= inverse;
}

// Turn column j upper triangular with the rotations so far and a new one; g follows.
static void rotate(sti_krylov* k, int j) {
    double* h = k->H + (size_t)j * (size_t)(k->restart + 1);
    for (int i = 0; i <= j; i++) {
        if (i == j) {
            const double length = hypot(h[j], h[j + 1]);
            k->rotate[2 * j] = length > 0 ? h[j] / length : 1;
            k->rotate[2 * j + 1] = length > 0 ? h[j + 1] / length : 0;
            k->g[j + 1] = 0;
        }
        const double c = k->rotate[2 * i], s = k->rotate[2 * i + 1];
        const double a = h[i], b = h[i + 1];
        h[i] = c * a + s * b;
        h[i + 1] = c * b - s * a;
    }
    const double c = k->rotate[2 * j], s = k->rotate[2 * j + 1], a = k->g[j];
    k->g[j] = c * a;
    k->g[j + 1] = -s * a;
}

// x += P^-1 V y with H y = g, j columns.
static void add_correction(sti_krylov* k, int j, sti_krylov_map* P, void* user, double* x) {
    const int n = k->n;
    double *sum = k->work, *z = k->work + n;
    for (int i = j - 1; i >= 0; i--) {
        double y = k->g[i];
        for (int l = i + 1; l < j; l++) y -= k->H[(size_t)l * (size_t)(k->restart + 1) + (size_t)i] * k->g[l];
        const double pivot = k->H[(size_t)i * (size_t)(k->restart + 1) + (size_t)i];
        k->g[i] = pivot != 0 ? y / pivot : 0;
    }
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int i = 0; i < j; i++) {
        const double *v = k->basis + (size_t)i * (size_t)n, y = k->g[i];
        for (int l = 0; l < n; l++) sum[l] += y * v[l];
    }
    P(user, sum, z);
    for (int l = 0; l < n; l++) x[l] += z[l];
}

double sti_krylov_solve(sti_krylov* k, sti_krylov_map* A, sti_krylov_map* P, void* user, const double* b, double tol,
                        int product_limit, double* x) {
    const int n = k->n;
    const double size = sqrt(sti_vector_dot((size_t)n, b, b));
    memset(x, 0, (size_t)n * sizeof *x);
    if (!(size > 0)) return size == 0 ? 0 : size;
    double error = size;
    for (int products = 0; products < product_limit;) {
        double* v = k->basis;
        if (products > 0) A(user, x, v);
        for (int l = 0; l < n; l++) v[l] = products > 0 ? b[l] - v[l] : b[l];
        error = sqrt(sti_vector_dot((size_t)n, v, v));
        if (!(error > tol * size)) break;
        for (int l = 0; l < n; l++) v[l] /= error;
        k->g[0] = error;
        int j = 0;
        while (j < k->restart && products < product_limit) {
            P(user, k->basis + (size_t)j * (size_t)n, k->work);
            A(user, k->work, k->basis + (size_t)(j + 1) * (size_t)n);
            orthogonalize(k, j);
            rotate(k, j);
            products++;
            error = fabs(k->g[++j]);
            if (!(error > tol * size)) break;
        }
        add_correction(k, j, P, user, x);
        if (!(error > tol * size)) break;
    }
    return error / size;
}
