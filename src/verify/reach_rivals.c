// reach_rivals.c: no solution of a step presses the part against anything but its tool.
//
// Let u* be a solution in which the tool alone presses, with gaps g_j > 0 at the end of all other contacts of the part,
// and u any solution of the same step, which presses W = sum p_j there. e = u - u*, of all parts; L^2 = e'E e. With the
// laws of both, normal forces and gaps contribute -p_j g_j at most, friction at rest mu_j p_j |s*_j| at most, and a tip
// i mu (T_i - T*_i)(|s*_i| - |s_i|), T normal forces, s slips:
//
//     L^2 <= sum_i mu (T_i - T*_i)(|s*_i| - |s_i|) - sum_j p_j (g_j - mu_j |s*_j|)
//         (1)
//
// Balance along the normal n of the edge: T = n'E u - n'F <= T* + e_n L + m W with e_n^2 = E_nn, m = sqrt(1 + mu_j^2)
// at most. |s_i| - |s*_i| <= tau L, tau^2 = W_t'E^-1 W_t. So where all g_j > mu_j |s*_j| + mu m s*, s* the largest slip
// of a tip,
//
//     L <= mu max(e_n s*, T* tau)  for one tip,     L^2 <= mu (e_n s* + T* tau) L + mu T* min(s*, tau L)  for two
//         (2)
//
// A contact that presses has closed its gap: L >= g_j / nu_j, nu_j^2 = W_n'E^-1 W_n. What (2) forbids is excluded.
// Otherwise, two tips being on one level up to d (their slips differ by their turn times d): with T - T* = n'E e - n'F,
// and n'W_t = 0,
//
//     mu (n'E e)(|s*| - |s|) <= k L^2,     k = mu e_n tau / 2
//     (1 - k) L^2 <= mu w d e_n (U + L) - sum_j p_j (g_j - mu_j |s*_j| - mu m (max(s*, tau L) + w d))
//         (3)
//
// with w >= |turn| + |turn*| and U^2 = u*'E u*: a contradiction for k < 1 where the brackets are positive and L >= g_j
// / nu_j is too large for the first term. Then W = 0: every solution is one in which the tool alone presses. Contacts
// of other parts among themselves have gaps that are not negative and do not move in u*, so they add nothing to (1).
//
// E is taken apart at the point where turning and shifting do not meet: u'E u = (v + w d)'E_2 (v + w d) + b w^2.
#include <math.h>

#include "verify/reach.h"

static const double UP = 1 + 1e-12, DOWN = 1 - 1e-12;  // far more than the rounding of the few operations below

static num dot(const reach* r, const num a[3], const num b[3]) {
    return plus(r, plus(r, times(r, a[0], b[0]), times(r, a[1], b[1])), times(r, a[2], b[2]));
}

// 1 / nu^2 of a shift, at least, and of a turn, and d. false: not known to be positive.
static bool split(reach* r, const num E[9], reach_metric* out) {
    const num sum = plus(r, E[0], E[4]), difference = minus(r, E[0], E[4]);
    const double wide = hypot(magnitude(r, difference), 2 * magnitude(r, E[1])) * UP;
    const num det = minus(r, times(r, E[0], E[4]), times(r, E[1], E[1]));
    out->shift = 0.5 * (low_of(r, sum) - wide) * DOWN;
    if (!(out->shift > 0) || !(low_of(r, det) > 0)) return false;
    const num x = minus(r, times(r, E[4], E[2]), times(r, E[1], E[5]));
    const num y = minus(r, times(r, E[0], E[5]), times(r, E[1], E[2]));
    out->d.x = sti_affine_div(&r->k, &x, &det);
    out->d.y = sti_affine_div(&r->k, &y, &det);
    const num b = minus(r, E[8], plus(r, times(r, E[2], out->d.x), times(r, E[5], out->d.y)));
    out->turn = low_of(r, b);
    out->off = hypot(magnitude(r, out->d.x), magnitude(r, out->d.y)) * UP;
    return out->turn > 0 && !r->k.bad;
}

bool sti_reach_metric(reach* r, int part, reach_metric* out) {
    double E[9];
    num F[9];
    sti_manipulation_damping(r->m, part, 0, E);
    for (int i = 0; i < 9; i++) {
        F[i] = number(E[i]);
        F[i].r = 1e-13 * (fabs(E[0]) + fabs(E[4]) + fabs(E[8]));  // more than the rounding of E
    }
    return split(r, F, out);
}

double sti_reach_nu_square(const reach_metric* k, double from) {
    return (1 / k->shift + (from + k->off) * (from + k->off) / k->turn) * UP;
}

static double largest_slip(const reach* r, const reach_state* x, const num u[3]) {
    double most = 0;
    for (int i = 0; i < r->tips; i++) {
        const num level = minus(r, r->start.y, x->g[i]);
        const num slip = plus(r, minus(r, x->we, u[0]), times(r, level, u[2]));
        most = fmax(most, magnitude(r, slip));
    }
    return most;
}

static double bound_of_difference(const reach* r, const reach_rivals* v, double most, double tau, double normal) {
    const double a = most * normal * v->slip, b = most * v->tool * tau;
    if (r->tips == 1) return fmax(a, b) * UP;
    const double root = 0.5 * (a + b + sqrt((a + b) * (a + b) + 4 * most * v->tool * v->slip));
    return fmin(root, a + 2 * b) * UP;
}

bool sti_reach_rivals_bound(reach* r, const reach_state* x, const num u[3], reach_rivals* v) {
    num F[3];
    *v = (reach_rivals){0};
    if (!split(r, x->E, &v->metric)) return sti_reach_fail(r, "the damping may be singular");
    for (int i = 0; i < 3; i++) F[i] = dot(r, x->E + 3 * i, u);
    const double most = magnitude(r, x->mu), normal = sqrt(fmax(high_of(r, x->E[4]), 0)) * UP;
    const double shift = v->metric.shift, turn = v->metric.turn;
    double lever = 0;
    for (int i = 0; i < r->tips; i++)
        lever = fmax(lever, magnitude(r, plus(r, minus(r, r->start.y, x->g[i]), v->metric.d.x)));
    const double tau = sqrt(1 / shift + lever * lever / turn) * UP;
    const double whole = sqrt(fmax(high_of(r, dot(r, u, F)), 0)) * UP;
    v->slip = largest_slip(r, x, u);
    v->tool = fmax(high_of(r, F[1]), 0);
    v->shift = hypot(magnitude(r, u[0]), magnitude(r, u[1])) * UP;
    v->angle = magnitude(r, u[2]);
    v->most = bound_of_difference(r, v, most, tau, normal);
    const double rough = fmax(r->rough, r->mu_high);
    v->rub = most * sqrt(1 + rough * rough) * UP;
    const double level = r->tips == 2 ? magnitude(r, x->dm) : 0;
    const double swing = level * (2 * whole + v->most) / sqrt(turn) * UP;
    v->share = 1 - 0.5 * most * normal * tau * UP;
    v->spare = fmax(v->slip, tau * v->most) * UP + swing;
    v->rest = most * swing * normal * (whole + v->most) * UP;
    return true;
}

bool sti_reach_excluded(const reach_rivals* v, double gap, double from, double mu, double way, double give) {
    const double slip = (v->shift + from * v->angle + way) * UP, left = (gap - mu * slip) * DOWN;
    const double nu = sqrt(sti_reach_nu_square(&v->metric, from) + give) * UP;
    if (!(left > v->rub * v->slip * UP)) return false;  // (2) needs this of all
    if (gap > nu * v->most * UP) return true;
    const double least = gap / nu * DOWN;
    return v->share > 0 && left > v->rub * v->spare * UP && v->share * least * least > v->rest * UP;
}
