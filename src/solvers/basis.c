// basis.c: solves with a basis of Lemke's method that changes by one column a pivot.
//
// Let C and N be the basic and nonbasic ones of z, z0; R and R' the equations whose w is nonbasic and basic; they
// are equally many, |C| = |R| = m, and A_RC = G is all there is to invert:
//
//     A x - w + f = 0        x_C = -G^-1 f_R,     w_R' = A_R'C x_C + f_R'.
//
// G is factorized (LU, partial pivoting) at a rebuild. A pivot then, with the column u of the entering variable and
// p = u_r, maps every column c of the dictionary x_B = b + T x_N to
//
//     theta = -c_r / p,    c_i <- c_i + theta u_i,    c_r <- theta.
//
// K such maps in a row need no more than one triangular solve and one matrix-vector product: let U hold the columns
// u_1 .. u_K, with u_k = 1 in its own pivot row and cleared in the pivot rows of later ones; and let row k of the
// lower triangle L hold what was cleared, p_k on the diagonal. Then
//
//     L theta = -c_r (zero where an earlier pivot was made in the same row),
//         c <- U theta + c, cleared in all pivot rows.
//
// A column so costs 2 n m + 2 n K + K^2 flops where a tableau of n (n+1) numbers costs 2 n^2 to update; m and K are
// zero at the start, and half of all pairs are basic at the end of a typical run. No entry of U is formed by a
// cancellation that the tableau would not have, and a rebuild costs (2/3) m^3, so that errors do not pile up.
// Columns computed ahead, many at once, cost the same flops at three times the speed; they then take in the pivots
// made since. A row of the inverse, for the lexicographic comparison, needs the transposed solves and no U.
//
// Values are as good as the data: refinement on the unscaled M, with the factors at hand as the inverse, makes good
// what they have lost, as long as they are right to a digit or two.
#include "solvers/basis.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/lapack.h"

static const int look_ahead_from = 450;  // pairs; below, a column fits the cache and gains little
static const double enough = 1e-13;      // a correction this small leaves nothing to correct

static inline double larger(double a, double b) {  // one instruction, where fmax is a call
    return a > b ? a : b;
}

double sti_max_abs(const double* x, int n) {
    enum { LANES = 8 };
    double lane[LANES] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int l = 0; l < LANES; l++) lane[l] = larger(lane[l], fabs(x[i + l]));
    }
    for (; i < n; i++) lane[0] = larger(lane[0], fabs(x[i]));
    for (int l = 1; l < LANES; l++) lane[0] = larger(lane[0], lane[l]);
    return lane[0];
}

// ---- life ----

// Room for the pivots of a typical run: half of the variables change sides.
static int capacity_for(int n) {
    return n <= 64 ? 8 + n / 4 : n < 512 ? n / 2 + 64 : 256 + n / 8;
}

static void carve(sti_basis* B) {
    const size_t n = (size_t)B->n, cap = (size_t)B->capacity, room = (size_t)B->ahead_room;
    double* p = B->doubles;
    B->U = p, p += n * cap;
    B->L = p, p += cap * cap;
    B->W = p, p += n * n;
    B->X = p, p += n * room;
    B->ahead_base = p, p += room;
    B->ahead_theta = p, p += room;
    B->theta = p, p += cap * STI_BASIS_WIDTH;
    B->R = p, p += n;
    B->C = p, p += n + 1;
    B->q = p, p += n;
    B->d = p, p += n;
    B->b = p, p += n;
    B->b_size = p, p += n;
    B->col = p, p += n;
    B->col_size = p, p += n;
    B->row_size = p, p += n;
    B->x = p, p += n + 1;
    B->y = p;
    int* k = B->ints;
    B->basic = k, k += n;
    B->place = k, k += 2 * n + 1;
    B->order = k, k += n;
    B->ipiv = k, k += n;
    B->iwork = k, k += n;
    B->last_pivot = k, k += n;
    B->ahead_slot = k, k += 2 * n + 1;
    B->pivot_row = k, k += cap;
    B->pivot_prev = k, k += cap;
    B->ahead = k;
}

// 2^-round(log2(x) / 2), the factor that halves the distance of x from one; 1 for x from 1/16 to 16.
static double half_power(double x) {
    if (x == 0 || (x >= 0.0625 && x <= 16)) return 1;
    int e = 0;
    frexp(x, &e);
    return ldexp(1, -e / 2);
}

// Ruiz scaling in powers of two: rows and columns are divided by about the square root of their largest entry until
// all of those are near one. Symmetric M keeps its symmetry.
static void equilibrate(sti_basis* B) {
    enum { LANES = 8 };
    const size_t n = (size_t)B->n;
    double *row_max = B->x, *col_max = B->y;
    for (size_t i = 0; i < n; i++) B->R[i] = B->C[i] = 1;
    bool moved = true;
    for (int pass = 0; moved && pass < 8; pass++) {
        memset(col_max, 0, n * sizeof(double));
        for (size_t i = 0; i < n; i++) {
            const double* Mi = B->M + i * n;
            const double r = B->R[i];
            double lane[LANES] = {0};
            size_t j = 0;
            for (; j + LANES <= n; j += LANES) {
                for (size_t l = 0; l < LANES; l++) {
                    const double v = fabs(r * Mi[j + l] * B->C[j + l]);
                    lane[l] = larger(lane[l], v);
                    col_max[j + l] = larger(col_max[j + l], v);
                }
            }
            for (; j < n; j++) {
                const double v = fabs(r * Mi[j] * B->C[j]);
                lane[0] = larger(lane[0], v);
                col_max[j] = larger(col_max[j], v);
            }
            for (size_t l = 1; l < LANES; l++) lane[0] = larger(lane[0], lane[l]);
            row_max[i] = lane[0];
        }
        moved = false;
        for (size_t i = 0; i < n; i++) {
            const double r = half_power(row_max[i]), c = half_power(col_max[i]);
            moved = moved || r != 1 || c != 1;
            B->R[i] *= r;
            B->C[i] *= c;
        }
    }
}

sti_status sti_basis_create(sti_env* env, const sti_lcp* lcp, const double* d, sti_basis** out) {
    *out = NULL;
    sti_status status = sti_lapack_reserve(env);
    if (status != STI_OK) return status;
    sti_basis* B = sti_alloc(env, sizeof *B);
    if (B == NULL) return STI_ERR_MEMORY;
    *B = (sti_basis){.env = env, .n = lcp->n, .M = lcp->M.dense, .q_data = lcp->q, .d_data = d};
    B->capacity = capacity_for(lcp->n);
    B->ahead_room = lcp->n < look_ahead_from ? 0 : STI_BASIS_WIDTH;
    if (sti_matrix_is_sparse(&lcp->M)) {
        status = sti_matrix_to_dense(env, &lcp->M, &B->copy);
        B->M = B->copy.dense;
    }
    if (status == STI_OK) {
        const size_t n = (size_t)lcp->n, cap = (size_t)B->capacity, room = (size_t)B->ahead_room;
        B->memory = sti_arena_make(env);
        B->doubles = sti_arena_raw(&B->memory, n * (n + cap + room + 12) + cap * (cap + STI_BASIS_WIDTH) + 2 * room + 3,
                                   sizeof(double));
        B->ints = sti_arena_raw(&B->memory, 9 * n + 2 + 2 * cap + room, sizeof *B->ints);
        B->acc = sti_arena_raw(&B->memory, n, sizeof *B->acc);
        if (B->memory.status != STI_OK) status = STI_ERR_MEMORY;
    }
    if (status != STI_OK) {
        sti_basis_destroy(B);
        return status;
    }
    carve(B);
    equilibrate(B);
    sti_basis_reset(B);
    *out = B;
    return STI_OK;
}

void sti_basis_destroy(sti_basis* B) {
    if (B == NULL) return;
    sti_matrix_clear(B->env, &B->copy);
    sti_arena_clear(&B->memory);
    sti_free(B->env, B);
}

static void forget_pivots(sti_basis* B) {
    B->pivots = 0;
    memset(B->row_size, 0, (size_t)B->n * sizeof(double));
    for (int i = 0; i < B->n; i++) B->last_pivot[i] = -1;
    for (int v = 0; v <= 2 * B->n; v++) B->ahead_slot[v] = -1;
    B->ahead_count = 0;
}

void sti_basis_reset(sti_basis* B) {
    const int n = B->n;
    double d_max = 0;
    for (int i = 0; i < n; i++) {
        B->q[i] = B->R[i] * B->q_data[i];
        B->d[i] = B->d_data == NULL ? B->R[i] : B->R[i] * B->d_data[i];
        d_max = larger(d_max, B->d[i]);
    }
    int e = 0;
    if (d_max > 0) frexp(d_max, &e);
    B->C[n] = ldexp(1, -e);  // the largest entry of d comes to about one
    for (int i = 0; i < n; i++) {
        B->d[i] *= B->C[n];
        B->b[i] = B->q[i];
        B->b_size[i] = fabs(B->q[i]);
        B->order[i] = B->basic[i] = B->place[i] = i;
    }
    for (int v = n; v <= 2 * n; v++) B->place[v] = -1;
    B->m = B->z_count = 0;
    forget_pivots(B);
}

// ---- solves ----

// What the last rebuild knows of a solve. X holds right-hand sides in the order of the rows, solutions on return.
static void solve_base(const sti_basis* B, double* X, int count) {
    const int n = B->n, m = B->m, rest = n - m;
    if (m == 0) return;
    for (size_t c = 0; c < (size_t)count; c++) {
        for (size_t i = 0; i < (size_t)m; i++) X[c * (size_t)n + i] = -X[c * (size_t)n + i];
    }
    const double* below = B->W + (size_t)m * (size_t)m;
    sti_lapack_lu_solve('T', m, count, B->W, B->ipiv, X, n);
    if (rest > 0 && count == 1)
        sti_blas_gemv('T', m, rest, 1, below, m, X, 1, X + m);
    else if (rest > 0)
        sti_blas_gemm('T', 'N', rest, count, m, 1, below, m, X, n, 1, X + m, n);
}

// And what the pivots from number `from` on make of it.
static void solve_pivots(sti_basis* B, double* X, int count, int from) {
    const int n = B->n, K = B->pivots - from;
    if (K <= 0) return;
    const size_t N = (size_t)n, F = (size_t)from;
    const double *L = B->L + F * (size_t)B->capacity + F, *U = B->U + F * N;
    for (int c = 0; c < count; c++) {
        double* theta = B->theta + (size_t)c * (size_t)K;
        double* x = X + (size_t)c * N;
        for (int k = 0; k < K; k++) {
            theta[k] = B->pivot_prev[from + k] < from ? -x[B->pivot_row[from + k]] : 0;
            x[B->pivot_row[from + k]] = 0;
        }
    }
    if (count == 1) {
        sti_blas_trsv('N', false, K, L, B->capacity, B->theta);
        sti_blas_gemv('N', n, K, 1, U, n, B->theta, 1, X);
    } else {
        sti_blas_trsm('L', 'N', false, K, count, L, B->capacity, B->theta, K);
        sti_blas_gemm('N', 'N', n, count, K, 1, U, n, B->theta, K, 1, X, n);
    }
}

void sti_basis_solve(sti_basis* B, const double* f, double* x) {
    for (int i = 0; i < B->n; i++) x[i] = f[B->order[i]];
    solve_base(B, x, 1);
    solve_pivots(B, x, 1, 0);
}

// (x_B)_r = g'(x_B by the last rebuild) = h'f: the transposed solves, last first.
void sti_basis_inverse_rows(sti_basis* B, const int* rows, int count, double* H, double* size) {
    const int n = B->n, m = B->m, rest = n - m, K = B->pivots;
    const size_t N = (size_t)n;
    memset(H, 0, (size_t)count * N * sizeof(double));
    for (int c = 0; c < count; c++) {
        if (B->last_pivot[rows[c]] < 0) H[(size_t)c * N + (size_t)rows[c]] = 1;
        for (int k = 0; k < K; k++) B->theta[c * K + k] = -B->U[(size_t)k * N + (size_t)rows[c]];
    }
    if (K > 0) sti_blas_trsm('L', 'T', false, K, count, B->L, B->capacity, B->theta, K);
    for (int c = 0; c < count; c++) {
        for (int k = 0; k < K; k++) {
            if (B->pivot_prev[k] < 0) H[(size_t)c * N + (size_t)B->pivot_row[k]] = B->theta[c * K + k];
        }
        size[c] = larger(1, sti_max_abs(B->theta + (size_t)c * (size_t)K, K));
    }
    if (m > 0) {
        const double* below = B->W + (size_t)m * (size_t)m;
        if (rest > 0) sti_blas_gemm('N', 'N', m, count, rest, 1, below, m, H + m, n, 1, H, n);
        sti_lapack_lu_solve('N', m, count, B->W, B->ipiv, H, n);
    }
    for (int c = 0; c < count; c++) {
        double* h = H + (size_t)c * N;
        size[c] = larger(size[c], sti_max_abs(h, m));
        memcpy(B->x, h, N * sizeof(double));
        for (int i = 0; i < n; i++) h[B->order[i]] = i < m ? -B->x[i] : B->x[i];
    }
}

void sti_basis_direction(const sti_basis* B, int v, double* f) {
    const size_t n = (size_t)B->n;
    if (v < B->n) {
        memset(f, 0, n * sizeof(double));
        f[v] = -1;
    } else if (v == 2 * B->n) {
        memcpy(f, B->d, n * sizeof(double));
    } else {
        const double* Mv = B->M + (v - B->n);
        const double c = B->C[v - B->n];
        for (size_t i = 0; i < n; i++) f[i] = B->R[i] * Mv[i * n] * c;
    }
}

// The solve, and beside it the size of the numbers that met in each entry, as far as cheap: the largest of the
// right-hand side and of x_C by the last rebuild, and the largest theta times the largest entry in a row of U.
static void solve_sized(sti_basis* B, const double* f, double* x, double* size) {
    const int n = B->n;
    for (int i = 0; i < n; i++) x[i] = f[B->order[i]];
    double base = sti_max_abs(x, n);
    solve_base(B, x, 1);
    base = larger(base, sti_max_abs(x, B->m));
    solve_pivots(B, x, 1, 0);
    const double theta = sti_max_abs(B->theta, B->pivots);
    for (int i = 0; i < n; i++) size[i] = larger(base, theta * B->row_size[i]);
}

void sti_basis_column(sti_basis* B, int v) {
    const int n = B->n, slot = B->ahead_slot[v];
    if (slot < 0) {
        sti_basis_direction(B, v, B->y);
        solve_sized(B, B->y, B->col, B->col_size);
    } else {
        memcpy(B->col, B->X + (size_t)slot * (size_t)n, (size_t)n * sizeof(double));
        solve_pivots(B, B->col, 1, B->ahead_pivots);
        const double base = B->ahead_base[slot];
        const double theta = larger(B->ahead_theta[slot], sti_max_abs(B->theta, B->pivots - B->ahead_pivots));
        for (int i = 0; i < n; i++) B->col_size[i] = larger(base, theta * B->row_size[i]);
    }
    const double size = sti_max_abs(B->col_size, n);
    B->col_loss = size > 0 ? size / sti_max_abs(B->col, n) : 1;
}

// Right-hand sides of the columns from slot `first` on, by bands of rows because M lies in rows.
static void gather_ahead(sti_basis* B, int first) {
    const int n = B->n, band = 16;
    const size_t N = (size_t)n;
    for (int i0 = 0; i0 < n; i0 += band) {
        const int i1 = i0 + band < n ? i0 + band : n;
        for (int c = first; c < B->ahead_count; c++) {
            const int v = B->ahead[c];
            double* x = B->X + (size_t)c * N;
            if (v >= n && v < 2 * n) {
                const double* Mv = B->M + (v - n);
                const double scale = B->C[v - n];
                for (int i = i0; i < i1; i++) x[i] = B->R[B->order[i]] * Mv[(size_t)B->order[i] * N] * scale;
            } else {
                for (int i = i0; i < i1; i++) x[i] = v == 2 * n ? B->d[B->order[i]] : B->order[i] == v ? -1 : 0;
            }
        }
    }
}

// Of the columns at hand, move those wanted again to the front. Wanted ones are marked by slot -2.
static void keep_wanted(sti_basis* B) {
    const size_t N = (size_t)B->n;
    int kept = 0;
    for (int c = 0; c < B->ahead_count; c++) {
        const int v = B->ahead[c];
        if (v < 0 || B->ahead_slot[v] != -2) continue;
        if (c != kept) memcpy(B->X + (size_t)kept * N, B->X + (size_t)c * N, N * sizeof(double));
        B->ahead_base[kept] = B->ahead_base[c];
        B->ahead_theta[kept] = B->ahead_theta[c];
        B->ahead[kept] = v;
        B->ahead_slot[v] = kept++;
    }
    B->ahead_count = kept;
}

// Columns first .. ahead_count - 1 take in the pivots from number `from` on.
static void advance(sti_basis* B, int first, int count, int from) {
    const size_t n = (size_t)B->n, K = (size_t)(B->pivots - from);
    if (count == 0 || K == 0) return;
    solve_pivots(B, B->X + (size_t)first * n, count, from);
    for (size_t c = 0; c < (size_t)count; c++) {
        double* theta = B->ahead_theta + first + c;
        *theta = larger(*theta, sti_max_abs(B->theta + c * K, (int)K));
    }
}

void sti_basis_look_ahead(sti_basis* B, const int* variables, int count) {
    const size_t n = (size_t)B->n;
    for (int c = 0; c < B->ahead_count; c++) {
        if (B->ahead[c] >= 0) B->ahead_slot[B->ahead[c]] = -1;
    }
    for (int c = 0; c < count; c++) B->ahead_slot[variables[c]] = -2;
    keep_wanted(B);
    const int kept = B->ahead_count;
    advance(B, 0, kept, B->ahead_pivots);
    for (int c = 0; c < count; c++) {
        if (B->ahead_slot[variables[c]] != -2) continue;
        B->ahead_slot[variables[c]] = B->ahead_count;
        B->ahead[B->ahead_count++] = variables[c];
    }
    gather_ahead(B, kept);
    for (int c = kept; c < B->ahead_count; c++) B->ahead_base[c] = sti_max_abs(B->X + (size_t)c * n, B->n);
    if (B->ahead_count > kept) solve_base(B, B->X + (size_t)kept * n, B->ahead_count - kept);
    for (int c = kept; c < B->ahead_count; c++) {
        B->ahead_base[c] = larger(B->ahead_base[c], sti_max_abs(B->X + (size_t)c * n, B->m));
        B->ahead_theta[c] = 0;
    }
    advance(B, kept, B->ahead_count - kept, 0);
    B->ahead_pivots = B->pivots;
}

// ---- pivots ----

void sti_basis_pivot(sti_basis* B, int r, int v) {
    const size_t n = (size_t)B->n, cap = (size_t)B->capacity, k = (size_t)B->pivots;
    const double* col = B->col;
    const double p = col[r], step = -B->b[r] / p;
    double* u = B->U + k * n;
    for (size_t i = 0; i < n; i++) {
        const double add = col[i] * step, value = B->b[i] + add;
        u[i] = col[i];
        B->b[i] = value;
        B->b_size[i] = larger(B->b_size[i], larger(fabs(add), fabs(value)));
        B->row_size[i] = larger(B->row_size[i], fabs(col[i]));
    }
    u[r] = 1;
    B->b[r] = step;
    B->b_size[r] = larger(fabs(step), B->b_size[r] / fabs(p));
    B->row_size[r] = larger(B->row_size[r], 1);
    for (size_t l = 0; l < k; l++) {
        B->L[l * cap + k] = B->U[l * n + (size_t)r];
        B->U[l * n + (size_t)r] = 0;
    }
    B->L[k * cap + k] = p;
    B->pivot_row[k] = r;
    B->pivot_prev[k] = B->last_pivot[r];
    B->last_pivot[r] = (int)k;
    if (B->ahead_slot[v] >= 0) {
        B->ahead[B->ahead_slot[v]] = -1;
        B->ahead_slot[v] = -1;
    }
    B->z_count += (v >= B->n) - (B->basic[r] >= B->n);
    B->place[B->basic[r]] = -1;
    B->place[v] = r;
    B->basic[r] = v;
    B->pivots++;
}

// Rows anew: basic z and z0 first, then basic w. Equations in the same sequence: those of nonbasic w first.
static void renumber(sti_basis* B) {
    const int n = B->n;
    int rows = 0, equations = 0;
    for (int v = n; v <= 2 * n; v++) {
        if (B->place[v] >= 0) B->basic[rows] = v, B->place[v] = rows++;
    }
    B->m = B->z_count = rows;
    for (int v = 0; v < n; v++) {
        if (B->place[v] >= 0) {
            B->order[rows] = v;
            B->basic[rows] = v, B->place[v] = rows++;
        } else {
            B->order[equations++] = v;
        }
    }
}

// W = A_:,C in the new order; M lies in rows and so does W.
static void gather(sti_basis* B) {
    const size_t n = (size_t)B->n, m = (size_t)B->m;
    for (size_t i = 0; i < n; i++) {
        const size_t e = (size_t)B->order[i];
        const double* Me = B->M + e * n;
        double* Wi = B->W + i * m;
        for (size_t c = 0; c < m; c++) {
            const int z = B->basic[c] - B->n;
            Wi[c] = z == B->n ? B->d[e] : B->R[e] * Me[z] * B->C[z];
        }
    }
}

// LU of G', whose columns are the first m rows of W.
static bool factorize(sti_basis* B) {
    const int m = B->m;
    const size_t width = (size_t)m;
    double norm = 0;
    for (size_t i = 0; i < width; i++) {
        double sum = 0;
        for (size_t c = 0; c < width; c++) sum += fabs(B->W[i * width + c]);
        norm = larger(norm, sum);
    }
    if (sti_lapack_lu(m, B->W, B->ipiv) != STI_LAPACK_DONE) return false;
    return sti_lapack_lu_rcond(m, B->W, norm, B->U, B->iwork) > DBL_EPSILON / 4;
}

bool sti_basis_rebuild(sti_basis* B) {
    renumber(B);
    gather(B);
    if (B->m > 0 && !factorize(B)) return false;
    forget_pivots(B);
    solve_sized(B, B->q, B->b, B->b_size);
    return true;
}

// ---- against the data ----

// acc = A x - w + f by equation, summed in long double.
static void residual(sti_basis* B, const double* f, const double* x) {
    const int n = B->n;
    const size_t N = (size_t)n;
    int* column = B->iwork;
    double* value = B->x;  // of the basic z, unscaled
    double x0 = 0;
    size_t count = 0;
    for (int i = 0; i < n; i++) {
        const int z = B->basic[i] - n;
        if (z == n)
            x0 = x[i];
        else if (z >= 0)
            column[count] = z, value[count++] = B->C[z] * x[i];
    }
    for (size_t i = 0; i < N; i++) {
        const double* Mi = B->M + i * N;
        long double even = 0, odd = 0;
        size_t c = 0;
        for (; c + 1 < count; c += 2) {
            even += (long double)Mi[column[c]] * value[c];
            odd += (long double)Mi[column[c + 1]] * value[c + 1];
        }
        if (c < count) even += (long double)Mi[column[c]] * value[c];
        B->acc[i] = (even + odd) * B->R[i] + (long double)B->d[i] * x0 + f[i];
    }
    for (int i = 0; i < n; i++) {
        if (B->basic[i] < n) B->acc[B->basic[i]] -= x[i];
    }
}

double sti_basis_refine(sti_basis* B, const double* f, double* x) {
    const int n = B->n;
    double last = INFINITY;
    for (int step = 0; step < 8; step++) {
        residual(B, f, x);
        for (int i = 0; i < n; i++) B->y[i] = (double)B->acc[i];
        double* dx = B->x;
        sti_basis_solve(B, B->y, dx);
        double change = 0, size = 0, left = 0, given = 0;
        bool finite = true;
        for (int i = 0; i < n; i++) {
            finite = finite && isfinite(dx[i]) && isfinite(x[i]);
            left = larger(left, fabs(B->y[i]));
            given = larger(given, fabs(f[i]));
            x[i] += dx[i];
            change = larger(change, fabs(dx[i]));
            size = larger(size, fabs(x[i]));
        }
        if (!finite) return INFINITY;
        const double relative = larger(change > 0 ? change / size : 0, left > 0 ? left / larger(given, size) : 0);
        if (relative <= enough || relative > last / 2) return fmin(relative, last);
        last = relative;
    }
    return last;
}

// x_B = b + (1, .., 1) z0 means, in the data,  d = w(1) - A x(1).
void sti_basis_cover(sti_basis* B) {
    const int n = B->n;
    const size_t N = (size_t)n;
    memset(B->x, 0, N * sizeof(double));
    for (int i = 0; i < n; i++) {
        if (B->basic[i] >= n) B->x[B->basic[i] - n] = B->C[B->basic[i] - n];
    }
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t j = 0; j < N; j++) sum += B->M[i * N + j] * B->x[j];
        B->d[i] = (B->place[i] >= 0 ? 1 : 0) - B->R[i] * sum;
    }
}
