// prove.c: the interval Newton method, for one equation and for several.
//
// With F(m) the values at a point m of the box X, J(X) the slopes over X and Y any matrix (here about J(m)^-1),
//
//     f(x) = 0, x in X   =>   x in m - Y F(m) + (I - Y J(X)) (X - m)
//
// because f(x) = f(m) + J (x - m) for some J whose rows are slopes on X. Solved for one coordinate after the other
// (Hansen & Sengupta 1981) with A = Y J(X), b = Y F(m):
//
//     x_i in m_i - (b_i + sum_{j /= i} A_ij (X_j - m_j)) / A_ii                                            (N)
//
// What is proved by it:
//
//     (N) does not meet X_i for some i:                                              no root in X
//     (N) inside X_i, and inside its interior for n > 1, for all i, 0 not in A_ii:   exactly one root in X
//     A_ii without 0 and |A_ii| > sum_{j /= i} |A_ij|:                               at most one root in X
//
// The second: for n = 1 the sign of f changes between m and an end of X (mean value theorem), and f is monotone. For n
// > 1 and f smooth, (N) with the mean slopes between m and x in place of J is a continuous map of X into itself, so it
// has a fixed point (Brouwer), where Y f = 0; and the widths of (N) show mag(A_ij) w_j summed over j /= i to be below
// mig(A_ii) w_i, so every matrix in A is regular, and with it Y, and there is no second root. So kinks are allowed for
// n = 1 only. That a box is empty because F is not 0 on it needs nothing: points without a value are no roots.
#include "roots/prove.h"

static void middle(const sti_interval* X, double* m, int n) {
    for (int k = 0; k < n; k++) m[k] = iv_mid(X[k]);
}

double sti_relative_width(const sti_interval* x, int n) {
    double most = 0;
    for (int k = 0; k < n; k++) most = fmax(most, iv_width(x[k]) / (iv_has(x[k], 0) ? 1 : iv_mig(x[k])));
    return most;
}

// ---- the operator

typedef struct newton {
    int n;
    double Y[MOST * MOST];
    sti_interval A[MOST * MOST], b[MOST];
} newton;

// About the inverse of the middle of J. Any matrix is right; a bad one proves nothing.
static bool invert_middle(const sti_interval* J, int n, double* Y) {
    for (int k = 0; k < n; k++) {
        double A[MOST * MOST], b[MOST] = {0};
        for (int i = 0; i < n * n; i++) {
            if (!iv_is_bounded(J[i])) return false;
            A[i] = iv_mid(J[i]);
        }
        b[k] = 1;
        if (!sti_dense_algebra(A, b, n)) return false;
        for (int i = 0; i < n; i++) {
            if (!isfinite(b[i])) return false;
            Y[i * n + k] = b[i];
        }
    }
    return true;
}

static void precondition(newton* w, const sti_interval* F, const sti_interval* J) {
    const int n = w->n;
    for (int i = 0; i < n; i++) {
        w->b[i] = iv_point(0);
        for (int k = 0; k < n; k++) {
            w->b[i] = iv_add(w->b[i], iv_scale(F[k], w->Y[i * n + k]));
            w->A[i * n + k] = iv_point(0);
            for (int j = 0; j < n; j++)
                w->A[i * n + k] = iv_add(w->A[i * n + k], iv_scale(J[j * n + k], w->Y[i * n + j]));
        }
    }
}

static bool is_dominant(const newton* w) {
    for (int i = 0; i < w->n; i++) {
        double others = 0;
        for (int j = 0; j < w->n; j++) others = j == i ? others : iv_add_up(others, iv_mag(w->A[i * w->n + j]));
        if (!(iv_mig(w->A[i * w->n + i]) > others)) return false;
    }
    return true;
}

// (N) for coordinate i
static sti_interval newton_step(const newton* w, const sti_interval* X, const double* m, int i) {
    sti_interval sum = w->b[i];
    for (int j = 0; j < w->n; j++) {
        if (j != i) sum = iv_add(sum, iv_mul(w->A[i * w->n + j], iv_sub(X[j], iv_point(m[j]))));
    }
    return iv_sub(iv_point(m[i]), iv_div(sum, w->A[i * w->n + i]));
}

static bool is_strictly_inside(sti_interval a, sti_interval b, int n) {
    return n == 1 ? iv_inside(a, b) : a.low > b.low && a.high < b.high;
}

// What stands in the way of a proof that there is a root, or only one.
static unsigned unproved(int n) {
    return STI_TROUBLE_PARTIAL | STI_TROUBLE_NOWHERE | STI_TROUBLE_JUMP | (n > 1 ? STI_TROUBLE_KINK : 0);
}

// ---- contraction of a box

static bool is_excluded(const sti_interval* F, int n) {
    for (int i = 0; i < n; i++) {
        if (!iv_has(F[i], 0)) return true;
    }
    return false;
}

sti_contraction sti_contract(sti_equations* q, sti_interval* X, unsigned* trouble) {
    const int n = q->n;
    newton w = {.n = n};
    sti_interval F[MOST], J[MOST * MOST], point[MOST], at_middle[MOST];
    double m[MOST];
    *trouble = sti_equations_over(q, X, F, J);
    if ((*trouble & STI_TROUBLE_NOWHERE) != 0 || is_excluded(F, n)) return STI_BOX_EMPTY;
    if ((*trouble & (STI_TROUBLE_PARTIAL | STI_TROUBLE_JUMP)) != 0 || !invert_middle(J, n, w.Y)) return STI_BOX_SAME;
    middle(X, m, n);
    for (int k = 0; k < n; k++) point[k] = iv_point(m[k]);
    sti_equations_over(q, point, at_middle, NULL);
    precondition(&w, at_middle, J);
    bool inside = (*trouble & unproved(n)) == 0, smaller = false;
    sti_interval next[MOST];
    for (int i = 0; i < n; i++) {
        const sti_interval N = newton_step(&w, X, m, i);
        if (!iv_meets(N, X[i])) return STI_BOX_EMPTY;
        inside = inside && !iv_has(w.A[i * n + i], 0) && is_strictly_inside(N, X[i], n);
        next[i] = iv_meet(N, X[i]);
        smaller = smaller || next[i].high - next[i].low < 0.9 * (X[i].high - X[i].low);
    }
    memcpy(X, next, (size_t)n * sizeof *X);
    return inside ? STI_BOX_ROOT : smaller ? STI_BOX_SMALLER : STI_BOX_SAME;
}

// ---- a root next to a point

// Around c, as far as the size of a Newton step, and some more.
static bool ball_around(const double* c, const double* step, double reach, int n, sti_interval* X) {
    for (int k = 0; k < n; k++) {
        const double r = reach * fabs(c[k]) + 4 * fabs(step[k]) + 0x1p-1000;
        X[k] = iv(c[k] - r, c[k] + r);
        if (!iv_is_bounded(X[k])) return false;
    }
    return true;
}

// Newton's step at c from values F that are known only as intervals: the largest each coordinate can be.
static bool step_size(sti_equations* q, const double* c, const sti_interval* F, double* step) {
    const int n = q->n;
    double f[MOST], J[MOST * MOST];
    if (!sti_equations_at(q, c, f, J)) return false;
    q->evaluations--;  // f is known already
    for (int k = 0; k < n; k++) step[k] = 0;
    for (int i = 0; i < n; i++) {
        double A[MOST * MOST], b[MOST] = {0};
        memcpy(A, J, sizeof A);
        b[i] = iv_mag(F[i]);
        if (!sti_dense_algebra(A, b, n)) return false;
        for (int k = 0; k < n; k++) step[k] += fabs(b[k]);
    }
    return true;
}

// Of one equation with one root in X: the half that holds it, by the signs at an end and in the middle. False: not
// known.
static bool take_half(sti_equations* q, sti_interval* X) {
    const double m = iv_mid(*X);
    const sti_interval end[MOST] = {iv_point(X->low)}, middle_of[MOST] = {iv_point(m)};
    sti_interval low[MOST], mid[MOST];
    sti_equations_over(q, end, low, NULL);
    sti_equations_over(q, middle_of, mid, NULL);
    if (iv_has(low[0], 0) || iv_has(mid[0], 0) || m <= X->low || m >= X->high) return false;
    *X = (low[0].low > 0) == (mid[0].low > 0) ? iv(m, X->high) : iv(X->low, m);
    return true;
}

static void draw_together(sti_equations* q, double width, sti_proved* out) {
    for (int turn = 0; turn < 80 && sti_relative_width(out->x, q->n) > width; turn++) {
        sti_interval X[MOST];
        unsigned trouble;
        memcpy(X, out->x, sizeof X);
        const sti_contraction got = sti_contract(q, X, &trouble);
        if (got == STI_BOX_EMPTY) break;  // cannot be
        const bool halved = X[0].high - X[0].low <= 0.5 * (out->x[0].high - out->x[0].low);
        memcpy(out->x, X, sizeof X);
        if (q->n == 1 ? !halved && !take_half(q, out->x) : got == STI_BOX_SAME) break;
    }
}

// A root at 0 cannot be enclosed in an interval of small relative width: is it 0 itself?
static void try_zero(sti_equations* q, sti_proved* out) {
    sti_interval at[MOST], F[MOST];
    bool any = false, all = true;
    for (int k = 0; k < q->n; k++) {
        const bool zero = iv_has(out->x[k], 0) && !iv_is_point(out->x[k]);
        any = any || zero;
        at[k] = zero ? iv_point(0) : out->x[k];
        all = all && iv_is_point(at[k]);
    }
    if (!any || !all) return;
    if (sti_equations_over(q, at, F, NULL) != 0) return;
    for (int i = 0; i < q->n; i++) {
        if (!iv_is(F[i], 0)) return;
    }
    memcpy(out->x, at, sizeof at);
}

static bool is_exact(const sti_interval* F, int n) {
    for (int i = 0; i < n; i++) {
        if (!iv_is(F[i], 0)) return false;
    }
    return true;
}

void sti_refine(sti_equations* q, double width, sti_proved* proved) {
    draw_together(q, width, proved);
    try_zero(q, proved);
}

bool sti_prove_near(sti_equations* q, const double* c, double width, sti_proved* out) {
    const int n = q->n;
    sti_interval point[MOST] = {0}, F[MOST], J[MOST * MOST], X[MOST] = {0};
    double step[MOST];
    for (int k = 0; k < n; k++) point[k] = iv_point(c[k]);
    if ((sti_equations_over(q, point, F, NULL) & ~(unsigned)STI_TROUBLE_KINK) != 0) return false;
    *out = (sti_proved){.proof = STI_ROOT_EXACT};
    memcpy(out->x, point, sizeof point);
    const bool exact = is_exact(F, n);
    if (!step_size(q, c, F, step)) return exact;
    for (double reach = 1e-8; reach > 1e-15; reach *= 1e-3) {
        newton w = {.n = n};
        sti_interval over[MOST];
        if (!ball_around(c, step, reach, n, X)) continue;
        const unsigned trouble = sti_equations_over(q, X, over, J);
        q->evaluations--;  // the values over X are not used
        if ((trouble & unproved(n)) != 0 || !invert_middle(J, n, w.Y)) continue;
        precondition(&w, F, J);
        bool inside = true;
        for (int i = 0; i < n; i++) {
            const sti_interval N = newton_step(&w, X, c, i);
            inside = inside && !iv_has(w.A[i * n + i], 0) && is_strictly_inside(N, X[i], n);
            if (inside) out->x[i] = iv_meet(N, X[i]);
        }
        if (!inside) continue;
        memcpy(out->region, X, sizeof X);
        out->unique = true;
        if (exact) {
            memcpy(out->x, point, sizeof point);
            return true;
        }
        out->proof = STI_ROOT_UNIQUE;
        sti_refine(q, width, out);
        return true;
    }
    memcpy(out->x, point, sizeof point);
    return exact;
}

bool sti_extend_region(sti_equations* q, sti_proved* proved, const sti_interval* X) {
    newton w = {.n = q->n};
    sti_interval hull[MOST], F[MOST], J[MOST * MOST];
    if (!proved->unique) return false;
    bool grows = false;
    for (int k = 0; k < q->n; k++) {
        hull[k] = iv_hull(X[k], proved->region[k]);
        grows = grows || !iv_inside(X[k], proved->region[k]);
    }
    if (!grows) return true;
    const unsigned trouble = sti_equations_over(q, hull, F, J);
    if ((trouble & unproved(q->n)) != 0 || !invert_middle(J, q->n, w.Y)) return false;
    precondition(&w, F, J);
    if (!is_dominant(&w)) return false;
    memcpy(proved->region, hull, sizeof hull);
    return true;
}
