// polish.c: semismooth Newton on the optimality conditions, and a projection for certificates.
//
// With v = s - y and the projection P_K (Moreau): s = P_K(v), y = P_K(v) - v are in K and K* and orthogonal for every
// v. What is left of the conditions are equations in (x, v),
//
//     P x + A'y + c = 0,      A x + s = b,
//         (1)
//
// which a Newton step linearizes with V in the generalized Jacobian of P_K at v (Pang, Sun & Sun 2003 for the cone Q):
// ds = V dv, dy = -(I - V) dv. Eliminating dv gives the matrix of kkt.c,
//
//     [ P  A' ] [dx]   [ -P x - A'y - c ]
//     [ A  -G ] [dy] = [  b - A x - s   ],       G = V (I - V)^-1,     dv = ds - dy,  ds = b - A x - s - A dx
//
// V has the eigenvalue 1 on (1, axis) and 0 on (1, -axis), axis = v1 / |v1|, where v is neither in Q nor in -Q, and (1
// + v0 / |v1|) / 2 across them; all are 1 in Q and 0 in -Q. G is kept finite and positive as (V + eps) / (1 - V + eps).
//
// The interior-point method loses digits near the border, where W^2 has eigenvalues of every size in one block:
// residuals stay near 1e-12. G has no such mixture, and the equations (1) are evaluated as they are, so that a regular
// solution is reached to rounding in two or three steps. Where the solution is not unique the matrix is singular, and
// the step mostly useless; the caller sees that in the residual. Cost of a step: one factorization, one solution.
#include "conic/polish.h"

#include <math.h>
#include <string.h>

static const double EPS = 1e-8;

static double blend(double share) {
    return (share + EPS) / (1 - share + EPS);
}

static double norm_tail(int dim, const double* x) {
    double sum = 0;
    for (int i = 1; i < dim; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

// G at v as kkt.h wants it, v in y on entry; axis (m)
static void linearize(const sti_cones* cones, const double* v, double* g, double* axis) {
    for (int i = cones->zero; i < cones->zero + cones->linear; i++) g[i] = blend(v[i] > 0 ? 1 : 0);
    for (int c = 0; c < cones->count; c++) {
        const int at = cones->at[c], dim = cones->dim[c];
        const double tail = norm_tail(dim, v + at), v0 = v[at];
        const double plus = v0 + tail > 0 ? 1 : 0, minus = v0 - tail > 0 ? 1 : 0;
        const double across = plus == minus ? plus : (1 + v0 / tail) / 2;
        g[at] = blend(plus);
        if (dim > 1) g[at + 1] = blend(minus);
        if (dim > 2) g[at + 2] = blend(across);
        for (int i = 1; i < dim; i++) axis[at + i] = tail > 0 ? v[at + i] / tail : (i == 1 ? 1 : 0);
    }
}

// v -> (P_K(v), P_K(v) - v); rows of {0}: s = 0, y = -v
static void split(const sti_cones* cones, const double* v, double* s, double* y) {
    for (int i = 0; i < cones->zero; i++) {
        y[i] = -v[i];
        s[i] = 0;
    }
    for (int i = cones->zero; i < cones->zero + cones->linear; i++) {
        s[i] = fmax(v[i], 0);
        y[i] = fmax(-v[i], 0);
    }
    for (int c = 0; c < cones->count; c++) {
        const int at = cones->at[c], dim = cones->dim[c];
        const double tail = norm_tail(dim, v + at), plus = fmax(v[at] + tail, 0) / 2, minus = fmax(tail - v[at], 0) / 2;
        const bool in = v[at] >= tail, polar = -v[at] >= tail;
        for (int i = 0; i < dim; i++) {
            const double unit = i == 0 ? 1 : (tail > 0 ? v[at + i] / tail : 0);
            s[at + i] = in ? v[at + i] : (polar ? 0 : plus * unit);
            y[at + i] = in ? 0 : (polar ? -v[at + i] : (i == 0 ? minus : -minus * unit));
        }
    }
}

bool sti_conic_polish(const sti_conic_scaled* p, const sti_cones* cones, sti_kkt* kkt, double* x, double* s, double* y,
                      double* work) {
    const int n = p->n, m = p->m;
    double *v = work, *g = work + m;
    double *dx = kkt->step, *dy = dx + n;  // axis shares the place of dy until the matrix is made
    for (int i = 0; i < m; i++) v[i] = s[i] - y[i];
    linearize(cones, v, g, dy);
    if (!sti_kkt_factor_blocks(kkt, cones, g, dy)) return false;
    split(cones, v, s, y);

    sti_conic_multiply_transposed(&p->A, y, dx);
    for (int j = 0; j < n; j++) dx[j] = -dx[j] - p->c[j];
    for (int j = 0; p->P.rows > 0 && j < n; j++) {  // symmetric: column j is row j
        for (int64_t e = p->P.col_start[j]; e < p->P.col_start[j + 1]; e++) dx[j] -= p->P.value[e] * x[p->P.row[e]];
    }
    sti_conic_multiply_transposed(&p->At, x, g);
    for (int i = 0; i < m; i++) dy[i] = g[i] = p->b[i] - g[i] - s[i];
    sti_kkt_solve(kkt, cones, dx, dy);

    double size = 0;
    for (int j = 0; j < n; j++) size += dx[j] * dx[j];
    for (int i = 0; i < m; i++) size += dy[i] * dy[i];
    if (!isfinite(size)) return false;
    for (int j = 0; j < n; j++) x[j] += dx[j];
    for (int i = 0; i < m; i++) {  // dv = ds - dy, ds = g - A dx; rows of {0}: v = -y
        double ds = g[i];
        for (int64_t e = p->At.col_start[i]; e < p->At.col_start[i + 1]; e++) ds -= p->At.value[e] * dx[p->At.row[e]];
        v[i] += (i < cones->zero ? 0 : ds) - dy[i];
    }
    split(cones, v, s, y);
    return true;
}

// The same step with b = c = 0 and y = 0: x goes to P x = 0 and to A x = 0 in the rows whose s is small, where it is
// zero in the limit. (P x + A'y = 0 and A x = 0 where y is not make x'P x = 0.)
bool sti_conic_polish_ray(const sti_conic_scaled* p, const sti_cones* cones, sti_kkt* kkt, double* x, double* work) {
    const int n = p->n, m = p->m;
    double *v = work, *g = work + m, size = 0;
    double *dx = kkt->step, *dy = dx + n;
    sti_conic_multiply_transposed(&p->At, x, v);
    for (int i = cones->zero; i < m; i++) size = fmax(size, fabs(v[i]));
    for (int i = cones->zero; i < cones->zero + cones->linear; i++) v[i] = -v[i] > 1e-6 * size ? -v[i] : 0;
    for (int i = cones->zero + cones->linear; i < m; i++) v[i] = -v[i];
    linearize(cones, v, g, dy);
    if (!sti_kkt_factor_blocks(kkt, cones, g, dy)) return false;
    split(cones, v, dy, g);  // s; y is not wanted

    if (p->P.rows > 0)
        sti_conic_multiply_transposed(&p->P, x, dx);  // symmetric
    else
        memset(dx, 0, (size_t)n * sizeof *dx);
    for (int j = 0; j < n; j++) dx[j] = -dx[j];
    sti_conic_multiply_transposed(&p->At, x, g);
    for (int i = 0; i < m; i++) dy[i] = -g[i] - dy[i];
    sti_kkt_solve(kkt, cones, dx, dy);
    size = 0;
    for (int j = 0; j < n; j++) size += dx[j] * dx[j];
    if (!isfinite(size)) return false;
    for (int j = 0; j < n; j++) x[j] += dx[j];
    return true;
}

// The inverse of y in the algebra of the cone: y o s = e. Rows of {0} have none.
static void invert(const sti_cones* cones, const double* y, double* s) {
    for (int i = 0; i < cones->zero; i++) s[i] = 0;
    for (int i = cones->zero; i < cones->zero + cones->linear; i++) s[i] = 1 / y[i];
    for (int c = 0; c < cones->count; c++) {
        const int at = cones->at[c], dim = cones->dim[c];
        const double tail = norm_tail(dim, y + at), det = (y[at] - tail) * (y[at] + tail);
        for (int i = 0; i < dim; i++) s[at + i] = (i == 0 ? y[at] : -y[at + i]) / det;
    }
}

// Entries (of a cone: all of it) below `least` become zero; floor (m): y with `least` in their place, inside the cone.
static void drop_small(const sti_cones* cones, double least, double* y, double* floor) {
    for (int i = 0; i < cones->zero; i++) floor[i] = y[i];
    for (int i = cones->zero; i < cones->zero + cones->linear; i++) {
        if (y[i] < least) y[i] = 0;
        floor[i] = fmax(y[i], least);
    }
    for (int c = 0; c < cones->count; c++) {
        const int at = cones->at[c], dim = cones->dim[c];
        const bool small = y[at] < least;
        for (int i = 0; small && i < dim; i++) y[at + i] = 0;
        for (int i = 0; i < dim; i++) floor[at + i] = y[at + i];
        floor[at] = fmax(y[at], norm_tail(dim, y + at) + least);
    }
}

// Back into the cone, where rounding or the step has left it.
static void lift(const sti_cones* cones, double* y) {
    for (int i = cones->zero; i < cones->zero + cones->linear; i++) y[i] = fmax(y[i], 0);
    for (int c = 0; c < cones->count; c++) {
        double* yc = y + cones->at[c];
        yc[0] = fmax(yc[0], norm_tail(cones->dim[c], yc) * (1 + 2e-16));
    }
}

// min |W dy|^2 / 2 over A'(y + dy) = 0, with W the scaling of (y^-1, y): entries move in proportion to their size.
// Those that are small against the others are zero in the limit, and made so first. The conditions are A x = W^2 dy:
// the system of kkt.c with P = 0.
bool sti_conic_polish_farkas(const sti_conic_scaled* p, sti_cones* cones, sti_kkt* kkt, double* y, double* work) {
    const int n = p->n, m = p->m;
    double *inverse = work, *floor = work + m, *dx = kkt->step, *dy = dx + n;
    double size = 0;
    for (int i = 0; i < m; i++) size = fmax(size, fabs(y[i]));
    drop_small(cones, 1e-6 * size, y, floor);
    invert(cones, floor, inverse);
    if (!sti_cones_scale(cones, inverse, floor) || !sti_kkt_factor(kkt, cones)) return false;
    sti_conic_multiply_transposed(&p->A, y, dx);
    for (int j = 0; j < n; j++) dx[j] = -dx[j];
    for (int i = 0; i < m; i++) dy[i] = 0;
    sti_kkt_solve(kkt, cones, dx, dy);
    size = 0;
    for (int i = 0; i < m; i++) size += dy[i] * dy[i];
    if (!isfinite(size)) return false;
    for (int i = 0; i < m; i++) y[i] += dy[i];
    lift(cones, y);
    return true;
}
