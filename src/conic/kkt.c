// kkt.c: factorization and solution of the interior-point system.
//
//     K = [ P   A'  ]        quasidefinite once delta > 0 is added to the upper and subtracted from the lower diagonal:
//         [ A  -W^2 ]        every symmetric order of pivots then has an L D L' (Vanderbei 1995), n of them positive
//
// A second-order cone has W^2 = eta^2 (2 w w' - J), with eigenvalues eta^2 (w0 + |w1|)^2 on p = (1, axis) / sqrt(2),
// eta^2 / (w0 + |w1|)^2 on q = (1, -axis) / sqrt(2), axis = w1 / |w1|, and eta^2 across. Near a solution they are of
// every size, and written out as one block of numbers the smallest is rounding. So the rows of a small cone are turned
// by the orthogonal Q = [p q ..], W^2 = Q diag(..) Q':
//
//     [ P    A'Q   ] [ x  ]   [  f  ]
//     [ Q'A  -diag ] [Q'z ] = [ Q'g ]
//
// with the eigenvalues as they are. A large cone is written with two more unknowns (Domahidi, Chu & Boyd, "ECOS", 2013,
// section IV),
//
//     W^2 = eta^2 (D + u u' - v v'),        -eta^2 [ D   v   u ]
//                                                  [ v'  1   0 ]       D = diag(d, 1, .., 1),   v = (0, v1 w1),
//                                                  [ u'  0  -1 ]       u = (u0, u1 w1)
//
//     d = 1 / (2 |w|^2),  u0^2 = |w|^2 - d,  u1 = 2 w0 / u0,  v1^2 = u1^2 - 2
//
// so that its columns have a few entries each whatever its size.
//
// The regularization is taken back by iterative refinement: each correction shrinks the error by about delta / (delta +
// least eigenvalue), so delta is kept as small as rounding in the factors allows, and multiplied by 100 when the signs
// of the pivots come out wrong. Cost: one factorization, and one product and one solution for each correction.
#include "conic/kkt.h"

#include <math.h>
#include <string.h>

enum { CORRECTIONS = 10, REGULARIZATIONS = 4 };

static const double DELTA = 1e-8;    // first regularization, for data of size 1
static const double ENOUGH = 1e-15;  // relative residual that needs no correction

// --- blocks --------------------------------------------------------------------------------------------------------

// Q of a cone, row major (dim x dim): columns p, q, and a basis of what is across, by the reflection of e_1 into
// -+axis.
static void set_rotation(int dim, const double* axis, double* Q) {
    const double half = sqrt(0.5);
    memset(Q, 0, (size_t)(dim * dim) * sizeof *Q);
    Q[0] = dim == 1 ? 1 : half;
    if (dim == 1) return;
    Q[1] = half;
    for (int i = 1; i < dim; i++) {
        Q[i * dim] = half * axis[i];
        Q[i * dim + 1] = -half * axis[i];
    }
    if (dim == 2) return;
    double v[STI_KKT_SMALL];
    for (int i = 1; i < dim; i++) v[i] = axis[i];
    v[1] += axis[1] >= 0 ? 1 : -1;  // |v|^2 = 2 |v_1|
    for (int j = 2; j < dim; j++) {
        for (int i = 1; i < dim; i++) Q[i * dim + j] = (i == j ? 1 : 0) - v[i] * v[j] / fabs(v[1]);
    }
}

static void turn(int dim, const double* Q, bool transposed, double* x) {
    double y[STI_KKT_SMALL] = {0};
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j < dim; j++) y[i] += (transposed ? Q[j * dim + i] : Q[i * dim + j]) * x[j];
    }
    memcpy(x, y, (size_t)dim * sizeof *x);
}

static double* rotation(const sti_kkt* k, int c) {
    return k->Q + (size_t)c * STI_KKT_SMALL * STI_KKT_SMALL;
}

// Rows of cone c turned by its axis, and its eigenvalues on the diagonal.
static void set_small(sti_kkt* k, const sti_cones* cones, int c, const double* g, const double* axis) {
    const int at = cones->at[c], dim = cones->dim[c];
    double* Q = rotation(k, c);
    set_rotation(dim, axis, Q);
    for (int i = 0; i < dim; i++) k->exact[k->n + at + i] = -g[i < 2 ? i : 2];
    for (int b = k->blocks[c]; b < k->blocks[c + 1]; b++) {
        double a[STI_KKT_SMALL];
        memcpy(a, k->block_data + (size_t)b * STI_KKT_SMALL, sizeof a);
        turn(dim, Q, true, a);
        memcpy(k->ldl.value + k->block_place[b], a, (size_t)dim * sizeof *a);
        for (int i = 0; i < dim; i++) k->ldl.value[k->ldl.col_start[k->n + at + i] + b - k->blocks[c]] = a[i];
    }
}

static void set_large(sti_kkt* k, int at, int dim, int column, double eta2, const double* w) {
    double square = 0;
    for (int i = 0; i < dim; i++) square += w[i] * w[i];
    const double d = 1 / (2 * square), u0 = sqrt(square - d), u1 = 2 * w[0] / u0;
    const double v1 = sqrt((2 + 2 * d) / (square - d));
    double* v_column = k->ldl.value + k->ldl.col_start[column];
    double* u_column = k->ldl.value + k->ldl.col_start[column + 1];
    for (int i = 0; i < dim; i++) {
        double* entry = k->ldl.value + k->diagonal[k->n + at + i];
        k->exact[k->n + at + i] = -eta2 * (i == 0 ? d : 1);
        v_column[i] = entry[1] = -eta2 * (i == 0 ? 0 : v1 * w[i]);
        u_column[i] = entry[2] = -eta2 * (i == 0 ? u0 : u1 * w[i]);
    }
    k->exact[column] = -eta2;
    k->exact[column + 1] = eta2;
}

// The same for eigenvalues g on an axis: across I + (g[0] - across) p p' - (across - g[1]) q q'.
static void set_large_block(sti_kkt* k, int at, int dim, int column, const double* g, const double* axis) {
    const double across = g[2], u = sqrt(fmax(g[0] - across, 0) / 2), v = sqrt(fmax(across - g[1], 0) / 2);
    double* v_column = k->ldl.value + k->ldl.col_start[column];
    double* u_column = k->ldl.value + k->ldl.col_start[column + 1];
    for (int i = 0; i < dim; i++) {
        double* entry = k->ldl.value + k->diagonal[k->n + at + i];
        k->exact[k->n + at + i] = -across;
        v_column[i] = entry[1] = -(i == 0 ? v : -v * axis[i]);
        u_column[i] = entry[2] = -(i == 0 ? u : u * axis[i]);
    }
    k->exact[column] = -1;
    k->exact[column + 1] = 1;
}

// Eigenvalues of W^2 and their axis.
static void spectrum(int dim, double eta, const double* w, double* g, double* axis) {
    double tail = 0;
    for (int i = 1; i < dim; i++) tail += w[i] * w[i];
    tail = sqrt(tail);
    const double stretch = w[0] + tail;
    g[0] = eta * stretch * (eta * stretch);
    if (dim > 1) g[1] = eta / stretch * (eta / stretch);
    if (dim > 2) g[2] = eta * eta;
    for (int i = 1; i < dim; i++) axis[i] = tail > 0 ? w[i] / tail : (i == 1 ? 1 : 0);
}

// --- factors -------------------------------------------------------------------------------------------------------

static bool signs_are_right(const sti_kkt* k) {
    for (int p = 0; p < k->order; p++) {
        if (!(k->ldl.D[p] * k->sign[k->ldl.order[p]] > 0)) return false;
    }
    return true;
}

static bool factor(sti_kkt* k) {
    double delta = DELTA;
    for (int attempt = 0; attempt < REGULARIZATIONS; attempt++, delta *= 100) {
        for (int j = 0; j < k->order; j++) k->ldl.value[k->diagonal[j]] = k->exact[j] + k->sign[j] * delta;
        k->delta = delta;
        if (sti_ldl_factor(&k->ldl) < 0 && signs_are_right(k)) return true;
    }
    return false;
}

bool sti_kkt_factor(sti_kkt* k, const sti_cones* cones) {
    for (int i = 0; i < cones->zero + cones->linear; i++)
        k->exact[k->n + i] = i < cones->zero ? 0 : -cones->w[i] * cones->w[i];
    for (int c = 0; c < cones->count; c++) {
        const int at = cones->at[c], dim = cones->dim[c];
        const double eta = cones->eta[c];
        if (k->large[c] < 0) {
            spectrum(dim, eta, cones->w + at, k->g + at, k->axis + at);
            set_small(k, cones, c, k->g + at, k->axis + at);
        } else {
            set_large(k, at, dim, k->large[c], eta * eta, cones->w + at);
        }
    }
    return factor(k);
}

bool sti_kkt_factor_blocks(sti_kkt* k, const sti_cones* cones, const double* g, const double* axis) {
    for (int i = 0; i < cones->zero + cones->linear; i++) k->exact[k->n + i] = i < cones->zero ? 0 : -g[i];
    for (int c = 0; c < cones->count; c++) {
        const int at = cones->at[c];
        if (k->large[c] < 0)
            set_small(k, cones, c, g + at, axis + at);
        else
            set_large_block(k, at, cones->dim[c], k->large[c], g + at, axis + at);
    }
    return factor(k);
}

// --- solutions -----------------------------------------------------------------------------------------------------

static double size_of(int n, const double* x) {
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

// z of all small cones into their axes (transposed), or back
static void turn_all(const sti_kkt* k, const sti_cones* cones, bool transposed, double* z) {
    for (int c = 0; c < cones->count; c++) {
        if (k->large[c] < 0 && cones->dim[c] > 1) turn(cones->dim[c], rotation(k, c), transposed, z + cones->at[c]);
    }
}

// r = b - K x without the regularization
static void residual(const sti_kkt* k, const double* b, const double* x, double* r) {
    const int* start = k->ldl.col_start;
    for (int j = 0; j < k->order; j++) {
        double sum = b[j] - k->exact[j] * x[j];
        for (int e = start[j]; e < start[j + 1]; e++) {
            if (e != k->diagonal[j]) sum -= k->ldl.value[e] * x[k->ldl.row[e]];
        }
        r[j] = sum;
    }
}

double sti_kkt_solve(sti_kkt* k, const sti_cones* cones, double* x, double* z) {
    const size_t n = (size_t)k->n, m = (size_t)k->m, N = (size_t)k->order;
    double *b = k->rhs, *y = b + N, *r = y + N;
    turn_all(k, cones, true, z);
    memcpy(b, x, n * sizeof *b);
    memcpy(b + n, z, m * sizeof *b);
    memset(b + n + m, 0, (N - n - m) * sizeof *b);
    memcpy(y, b, N * sizeof *b);
    sti_ldl_solve(&k->ldl, y);
    const double size = size_of(k->order, b);
    residual(k, b, y, r);
    double left = size_of(k->order, r);
    memcpy(x, y, n * sizeof *y);
    memcpy(z, y + n, m * sizeof *y);
    for (int t = 0; t < CORRECTIONS && left > ENOUGH * size; t++) {
        sti_ldl_solve(&k->ldl, r);
        for (size_t i = 0; i < N; i++) y[i] += r[i];
        residual(k, b, y, r);
        const double now = size_of(k->order, r);
        if (!(now < left)) break;
        memcpy(x, y, n * sizeof *y);
        memcpy(z, y + n, m * sizeof *y);
        const bool slow = now > 0.5 * left;
        left = now;
        if (slow) break;
    }
    turn_all(k, cones, false, z);
    return size > 0 ? left / size : 0;
}

void sti_kkt_filter(sti_kkt* k, const sti_cones* cones, double* x, double* z) {
    const int n = k->n, m = k->m;
    double* y = k->rhs;
    turn_all(k, cones, true, z);
    for (int j = 0; j < k->order; j++) y[j] = j < n ? k->delta * x[j] : (j < n + m ? -k->delta * z[j - n] : 0);
    sti_ldl_solve(&k->ldl, y);
    memcpy(x, y, (size_t)n * sizeof *y);
    memcpy(z, y + n, (size_t)m * sizeof *y);
    turn_all(k, cones, false, z);
}
