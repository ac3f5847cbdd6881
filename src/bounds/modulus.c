// modulus.c: enclosures of the modulus of continuity and of its least concave majorant.
//
//     omega(f; t)  = sup { |f(x) - f(y)| : |x - y| <= t },        omega~ = the least concave function above it
//
// A grid gives lower bounds of a supremum only. Upper bounds come from the conjugate of a concave function:
//
//     omega~(t) = min over L >= 0 of  h(L) + L t,      h(L) = sup_s omega(s) - L s = sup_{x, y} |f(x) - f(y)| - L |x -
//                                                      y|
//
// so every L gives an upper bound, once h(L) is bounded from above; and h(L) is the largest rise, from left to right,
// of f - L x or of -f - L x, for which one pass over cells with bounds of f on each is enough. A lower bound of
// omega~(t) is the chord at t between two points (|x - y|, |f(x) - f(y)|). Both meet where L is the slope of that
// chord, which is found as the upper hull of all pairs of cell ends is: by turning a line about its point over t.
//
// In a cell f lies below and above the lines that the slopes draw from its two ends. At the x and y that matter f - L x
// is stationary, so the bounds are wrong by the square of the width of the cell there, and only cells that could still
// matter are cut. The values of f at cell ends are enclosed, so all of this is rigorous; L and the choice of cells need
// not be.
#include "bounds/modulus.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_CELLS = 16, MOST_CELLS = 20000, MOST_ROUNDS = 60 };

static const unsigned UNKNOWN = STI_TROUBLE_PARTIAL | STI_TROUBLE_NOWHERE | STI_TROUBLE_JUMP;

// ---- cells

static sti_interval value_at(sti_modulus* m, double x) {
    const sti_interval X = iv_point(x);
    m->evaluations++;
    sti_series_evaluate(m->series, &X, -1, 0);
    return sti_series_value(m->series, m->entry);
}

// Range and slopes over the cell; false: f may jump, or have no value, there.
static bool measure(sti_modulus* m, sti_cell* c) {
    const sti_interval X = iv(c->x0, c->x1);
    m->evaluations++;
    sti_series_evaluate(m->series, &X, 0, 1);
    const sti_interval* s = sti_series_of(m->series, m->entry);
    c->range = s[0];
    c->slope = s[1];
    if ((m->series->trouble[m->entry] & UNKNOWN) != 0 || !iv_is_bounded(c->range)) {
        m->trouble_at = c->x0;
        return false;
    }
    return true;
}

static sti_status reserve(sti_modulus* m, int count) {
    if (count <= m->capacity) return STI_OK;
    const int capacity = 2 * count;
    sti_cell* cell = sti_realloc(m->env, m->cell, (size_t)capacity * sizeof *cell);
    if (cell != NULL) m->cell = cell;
    double* bound = cell == NULL ? NULL : sti_realloc(m->env, m->bound, 4 * (size_t)capacity * sizeof *bound);
    if (bound == NULL) return STI_ERR_MEMORY;
    m->bound = bound;
    m->capacity = capacity;
    return STI_OK;
}

void sti_modulus_close(sti_modulus* m) {
    if (m->env == NULL) return;
    sti_free(m->env, m->cell);
    sti_free(m->env, m->bound);
    *m = (sti_modulus){0};
}

static sti_status refuse(sti_modulus* m, const char* field) {
    char why[160];
    sti_series_reason(m->series, m->entry, why, sizeof why);
    return STI_FAIL(m->env, STI_ERR_INPUT, -1, "%s: not known to be bounded and continuous near %.6g: %s", field,
                    m->trouble_at, strcmp(why, "nothing") != 0 ? why : "its values are not bounded");
}

sti_status sti_modulus_open(sti_modulus* m, sti_env* env, sti_series* series, int entry, sti_interval low,
                            sti_interval high, const char* field) {
    *m = (sti_modulus){.env = env, .series = series, .entry = entry, .low = low, .high = high};
    sti_status status = reserve(m, FIRST_CELLS);
    for (int i = 0; status == STI_OK && i < FIRST_CELLS; i++) {
        sti_cell* c = &m->cell[m->count++];
        c->x0 = i == 0 ? low.low : m->cell[i - 1].x1;
        c->x1 = i == FIRST_CELLS - 1 ? high.high : low.low + (high.high - low.low) * (i + 1) / FIRST_CELLS;
        c->f0 = i == 0 ? value_at(m, c->x0) : m->cell[i - 1].f1;
        c->f1 = value_at(m, c->x1);
        if (!measure(m, c)) status = refuse(m, field);
    }
    if (status != STI_OK) sti_modulus_close(m);
    return status;
}

// Cut all cells that are marked in bound[i] != 0, from right to left in place.
static sti_status cut(sti_modulus* m, const double* mark, bool* any) {
    int more = 0;
    for (int i = 0; i < m->count; i++) {
        const double mid = 0.5 * m->cell[i].x0 + 0.5 * m->cell[i].x1;
        more += mark[i] != 0 && mid > m->cell[i].x0 && mid < m->cell[i].x1;
    }
    *any = more > 0 && m->count + more <= MOST_CELLS;
    if (!*any) return STI_OK;
    const size_t before = (size_t)m->count;
    unsigned char* marked = sti_alloc_array(m->env, before, 1);
    if (marked == NULL) return STI_ERR_MEMORY;
    for (size_t i = 0; i < before; i++) marked[i] = mark[i] != 0;
    const sti_status status = reserve(m, m->count + more);
    if (status == STI_OK) {
        int to = m->count + more - 1;
        for (int i = m->count - 1; i >= 0; i--) {
            const sti_cell c = m->cell[i];
            const double mid = 0.5 * c.x0 + 0.5 * c.x1;
            if (marked[i] && mid > c.x0 && mid < c.x1) {
                sti_cell left = c, right = c;
                left.x1 = right.x0 = mid;
                left.f1 = right.f0 = value_at(m, mid);
                measure(m, &left);  // part of a good cell: good
                measure(m, &right);
                left.slope = iv_meets(left.slope, c.slope) ? iv_meet(left.slope, c.slope) : c.slope;
                right.slope = iv_meets(right.slope, c.slope) ? iv_meet(right.slope, c.slope) : c.slope;
                m->cell[to--] = right;
                m->cell[to--] = left;
            } else {
                m->cell[to--] = c;
            }
        }
        m->count += more;
    }
    sti_free(m->env, marked);
    return status;
}

// ---- bounds of phi = sign f - L x on one cell

typedef struct hat {
    double sup, inf;  // of phi
    double rise;      // bound of phi(y) - phi(x), x <= y in the cell
    double above;     // how much sup may lie above what is reached at the ends
    double below;     // the same for inf
} hat;

// sup of a function with end values at most p0, p1 and difference quotients in d, low d < 0 < high d, over width w:
// the two lines from the ends meet at  a p0 + b p1 - d.low d.high w / (d.high - d.low),  a + b = 1
static double tent(double p0, double p1, sti_interval d, double w) {
    const sti_interval low = iv_point(-d.low), high = iv_point(d.high), sum = iv_add(low, high);
    const sti_interval part = iv_add(iv_mul(low, iv_point(p0)), iv_mul(high, iv_point(p1)));
    return iv_div(iv_add(part, iv_mul(iv_mul(low, high), iv_point(w))), sum).high;
}

static hat bounds_of(const sti_cell* c, double sign, double L) {
    const sti_interval f0 = sign > 0 ? c->f0 : iv_neg(c->f0), f1 = sign > 0 ? c->f1 : iv_neg(c->f1);
    const sti_interval range = sign > 0 ? c->range : iv_neg(c->range);
    const sti_interval d = iv_sub(sign > 0 ? c->slope : iv_neg(c->slope), iv_point(L));
    const sti_interval p0 = iv_sub(f0, iv_scale(iv_point(c->x0), L)), p1 = iv_sub(f1, iv_scale(iv_point(c->x1), L));
    const double w = iv_width(iv(c->x0, c->x1));
    hat h;
    if (d.low >= 0) {
        h = (hat){.sup = p1.high, .inf = p0.low, .rise = iv_add_up(p1.high, -p0.low)};
    } else if (d.high <= 0) {
        h = (hat){.sup = p0.high, .inf = p1.low, .rise = 0};
    } else {
        h.sup = iv_add_up(range.high, -iv_scale(iv_point(c->x0), L).low);
        h.inf = iv_add_down(range.low, -iv_scale(iv_point(c->x1), L).high);
        if (iv_is_bounded(d)) {
            h.sup = fmin(h.sup, tent(p0.high, p1.high, d, w));
            h.inf = fmax(h.inf, -tent(-p0.low, -p1.low, iv_neg(d), w));
        }
        h.rise = fmin(iv_add_up(h.sup, -h.inf), d.high == INFINITY ? INFINITY : iv_mul_up(d.high, w));
    }
    h.rise = fmax(h.rise, 0);
    h.above = h.sup - fmax(p0.low, p1.low);
    h.below = fmin(p0.high, p1.high) - h.inf;
    return h;
}

// Upper bound of h(L). Of a rise above `target` that no pair of cell ends reaches, one of the two cells has bounds that
// are wrong by half the excess at least: those are marked (mark NULL: not wanted), and fine ones are left alone.
static double rise_bound(const sti_modulus* m, double sign, double L, double target, double* mark) {
    const int n = m->count;
    double *sup = m->bound, *inf = m->bound + m->capacity, *below = m->bound + 2 * (size_t)m->capacity;
    double best = 0, least = INFINITY;
    for (int i = 0; i < n; i++) {
        const hat h = bounds_of(&m->cell[i], sign, L);
        sup[i] = h.sup;
        inf[i] = h.inf;
        below[i] = h.below;
        const double rise = i > 0 ? iv_add_up(h.sup, -least) : 0;
        if (mark != NULL && (h.rise > target || (rise > target && h.above > (rise - target) / 3))) mark[i] = 1;
        best = fmax(best, fmax(h.rise, rise));
        least = fmin(least, h.inf);
    }
    double most = -INFINITY;
    for (int i = n - 1; mark != NULL && i >= 0; i--) {  // cells that a rise starts from
        const double excess = most - inf[i] - target;
        if (i < n - 1 && excess > 0 && below[i] > excess / 3) mark[i] = 1;
        most = fmax(most, sup[i]);
    }
    return best;
}

// ---- pairs of points

typedef struct pair {
    double x, y;   // x <= y
    double value;  // |f(x) - f(y)| is at least this
} pair;

// The ends of a cell that lie in the interval whatever its ends are.
static bool is_sure(const sti_modulus* m, double x) {
    return x >= m->low.high && x <= m->high.low;
}

// The pair of cell ends with the largest |f(x) - f(y)| - L |x - y|; of equal ones the nearest.
static pair best_pair(const sti_modulus* m, double L) {
    pair best = {m->low.high, m->low.high, 0};
    double most = 0;
    for (int side = 0; side < 2; side++) {
        double least = INFINITY, from = NAN, from_value = NAN;
        for (int i = 0; i <= m->count; i++) {
            const double x = i < m->count ? m->cell[i].x0 : m->cell[i - 1].x1;
            const sti_interval f = i < m->count ? m->cell[i].f0 : m->cell[i - 1].f1;
            const double high = side == 0 ? f.high : -f.low, low = side == 0 ? f.low : -f.high;
            if (!is_sure(m, x)) continue;
            if (low - L * x - least > most) {
                most = low - L * x - least;
                best = (pair){from, x, fmax(0, iv_add_down(low, -from_value))};
            }
            if (high - L * x <= least) {
                least = high - L * x;
                from = x;
                from_value = high;
            }
        }
    }
    return best;
}

static sti_interval distance(pair p) {
    return iv_sub(iv_point(p.y), iv_point(p.x));
}

// The chord of the upper hull over t: its ends, one at most t apart and one at least; L is its slope.
static void find_chord(const sti_modulus* m, double t, pair* near, pair* far, double* L) {
    *near = (pair){m->low.high, m->low.high, 0};
    *far = best_pair(m, 0);
    *L = 0;
    if (far->y - far->x <= t) {  // the oscillation, reached within t
        *near = *far;
        return;
    }
    for (int turn = 0; turn < 100; turn++) {
        const double s1 = near->y - near->x, s2 = far->y - far->x;
        *L = fmax(0, (far->value - near->value) / (s2 - s1));
        const pair p = best_pair(m, *L);
        const double gain = (p.value - *L * (p.y - p.x)) - (near->value - *L * s1);
        if (!(gain > 1e-15 * fabs(far->value))) return;
        if (p.y - p.x <= t)
            *near = p;
        else
            *far = p;
    }
}

// Height of the chord at t, at least. Pairs that are exact up to their rounded values.
static double chord_at(pair near, pair far, double t) {
    const sti_interval s1 = distance(near), s2 = distance(far), d1 = iv_point(near.value), d2 = iv_point(far.value);
    if (far.y - far.x <= near.y - near.x || t <= s1.high) return near.value;  // omega~ does not fall
    const double part = fmin(1, fmax(0, iv_div(iv_sub(iv_point(t), s1), iv_sub(s2, s1)).low));
    return fmax(near.value, iv_add(d1, iv_scale(iv_sub(d2, d1), part)).low);
}

// ---- the majorant

sti_status sti_modulus_majorant(sti_modulus* m, sti_interval t, double tol, sti_interval* out) {
    double low = 0, high = INFINITY;
    *out = iv_point(0);
    if (t.high <= 0) return STI_OK;
    for (int round = 0;; round++) {
        pair near, far;
        double L;
        const sti_status late = sti_check_time(m->env, "refining a modulus of continuity");
        if (late != STI_OK) return late;
        find_chord(m, t.low, &near, &far, &L);
        low = fmax(low, chord_at(near, far, t.low));
        double* mark = m->bound + 3 * (size_t)m->capacity;
        memset(mark, 0, (size_t)m->count * sizeof *mark);
        const double size = fmax(far.value, near.value);
        const double target = fmax(0, near.value - L * (near.y - near.x)) + 0.3 * tol * size;
        const double h = fmax(rise_bound(m, 1, L, target, mark), rise_bound(m, -1, L, target, mark));
        high = fmin(high, iv_add_up(h, iv_mul_up(L, t.high)));
        bool any = false;
        if (high - low > tol * size && round < MOST_ROUNDS) {
            const sti_status status = cut(m, mark, &any);
            if (status != STI_OK) return status;
        }
        if (!any) break;
    }
    *out = iv(low, fmax(low, high));
    return STI_OK;
}

sti_status sti_modulus_oscillation(sti_modulus* m, double tol, sti_interval* out) {
    return sti_modulus_majorant(m, iv_point(iv_width(iv(m->low.low, m->high.high))), tol, out);
}

// ---- the modulus itself

// A pair that reaches omega(t) is either exactly t apart, or both its points are stationary or ends of the interval.
// The first kind is the largest |f(x + t) - f(x)|; of the second kind only cells that may hold such points count.
static bool may_be_stationary(const sti_modulus* m, int i) {
    return i == 0 || i == m->count - 1 || iv_has(m->cell[i].slope, 0);
}

// Pairs of such cells at a least distance of t at most; marks the cells of those above the target.
static double stationary_bound(const sti_modulus* m, double t, double target, double* mark) {
    double best = 0, *sup = m->bound, *inf = m->bound + m->capacity;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < m->count; i++) {
            const hat h = bounds_of(&m->cell[i], side, 0);
            sup[i] = h.sup;
            inf[i] = h.inf;
        }
        for (int i = 0; i < m->count; i++) {
            if (!may_be_stationary(m, i)) continue;
            const double w = iv_width(iv(m->cell[i].x0, m->cell[i].x1));
            for (int j = i; j < m->count && m->cell[j].x0 - m->cell[i].x1 <= t; j++) {
                if (!may_be_stationary(m, j)) continue;
                double value = iv_add_up(sup[j], -inf[i]);
                if (i == j) value = fmin(value, iv_mul_up(w, iv_mag(m->cell[i].slope)));
                best = fmax(best, value);
                if (value <= target) continue;
                if (bounds_of(&m->cell[j], side, 0).above > (value - target) / 3) mark[j] = 1;
                if (bounds_of(&m->cell[i], side, 0).below > (value - target) / 3) mark[i] = 1;
                // pairs of ends that are too far apart reach nothing: such cells are cut whatever their bounds
                if (m->cell[j].x1 - m->cell[i].x0 > t) mark[m->cell[j].x1 - m->cell[j].x0 > w ? j : i] = 1;
            }
        }
    }
    return best;
}

// The i-th of all cell ends
static double end_at(const sti_modulus* m, int i, sti_interval* f) {
    *f = i < m->count ? m->cell[i].f0 : m->cell[i - 1].f1;
    return i < m->count ? m->cell[i].x0 : m->cell[i - 1].x1;
}

// The largest |f(x) - f(y)| of cell ends at most t apart: for each y the least of f, and of -f, over the window before
// it is the first of a queue of candidates, each larger than the one before.
static double sampled(const sti_modulus* m, double t) {
    double best = 0;
    for (int side = -1; side <= 1; side += 2) {
        double* queue = m->bound;  // (2 capacity, which is more than there are ends)
        int first = 0, count = 0;
        for (int j = 0; j <= m->count; j++) {
            sti_interval f, g;
            const double y = end_at(m, j, &g);
            if (!is_sure(m, y)) continue;
            while (count > first && iv_add_up(y, -end_at(m, (int)queue[first], &f)) > t) first++;
            if (count > first) {
                end_at(m, (int)queue[first], &f);
                best = fmax(best, (side > 0 ? iv_sub(g, f) : iv_sub(f, g)).low);
            }
            for (; count > first; count--) {  // those that are not below g are never the least again
                end_at(m, (int)queue[count - 1], &f);
                if (side > 0 ? f.high < g.high : f.low > g.low) break;
            }
            queue[count++] = j;
        }
    }
    return best;
}

// f(x + t) - f(x): the value, and the slopes where `slope` is not NULL
static sti_interval shifted(sti_modulus* m, sti_interval X, sti_interval t, sti_interval* slope) {
    sti_interval Y = iv_add(X, t);
    Y.high = fmin(Y.high, m->high.high);
    Y.low = fmin(Y.low, Y.high);
    m->evaluations += 2;
    sti_series_evaluate(m->series, &Y, slope != NULL ? 0 : -1, slope != NULL);
    const sti_interval* s = sti_series_of(m->series, m->entry);
    const sti_interval f = s[0], d = slope != NULL ? s[1] : iv_point(0);
    sti_series_evaluate(m->series, &X, slope != NULL ? 0 : -1, slope != NULL);
    s = sti_series_of(m->series, m->entry);
    if (slope != NULL) *slope = iv_sub(d, s[1]);
    return iv_sub(f, s[0]);
}

// Cells of x for the pairs that are t apart.
typedef struct shift {
    double x0, x1, bound;
    sti_interval f0, f1;
} shift;

static double shift_bound(sti_modulus* m, sti_interval t, const shift* c) {
    sti_interval d;
    const sti_interval range = shifted(m, iv(c->x0, c->x1), t, &d);
    double best = iv_mag(range);
    const double w = iv_width(iv(c->x0, c->x1)), e0 = iv_mag(c->f0), e1 = iv_mag(c->f1);
    if (d.low >= 0 || d.high <= 0) best = fmin(best, fmax(e0, e1));
    if (d.low < 0 && d.high > 0 && iv_is_bounded(d))
        best = fmin(best, fmax(tent(c->f0.high, c->f1.high, d, w), tent(-c->f0.low, -c->f1.low, iv_neg(d), w)));
    return best;
}

// sup |f(x + t) - f(x)| by cutting the cell with the largest bound; low is raised to values that are reached.
static sti_status shift_supremum(sti_modulus* m, sti_interval t, double tol, double size, double* low, double* high) {
    enum { MOST_SHIFTS = 4000 };
    const double a = m->low.low, b = iv_add_up(m->high.high, -t.low);
    *high = 0;
    if (!(b > a)) return STI_OK;
    shift* c = sti_alloc_array(m->env, MOST_SHIFTS, sizeof *c);
    if (c == NULL) return STI_ERR_MEMORY;
    int count = FIRST_CELLS;
    for (int i = 0; i < count; i++) {
        c[i].x0 = i == 0 ? a : c[i - 1].x1;
        c[i].x1 = i == count - 1 ? b : a + (b - a) * (i + 1) / count;
        c[i].f0 = shifted(m, iv_point(c[i].x0), t, NULL);
        c[i].f1 = shifted(m, iv_point(c[i].x1), t, NULL);
        c[i].bound = shift_bound(m, t, &c[i]);
    }
    for (;;) {
        int worst = 0;
        for (int i = 1; i < count; i++) worst = c[i].bound > c[worst].bound ? i : worst;
        *high = c[worst].bound;
        const double mid = 0.5 * c[worst].x0 + 0.5 * c[worst].x1;
        if (*high - *low <= tol * size || count == MOST_SHIFTS || mid <= c[worst].x0 || mid >= c[worst].x1) break;
        shift right = c[worst];
        const sti_interval f = shifted(m, iv_point(mid), t, NULL);
        if (is_sure(m, mid) && iv_add_up(mid, t.high) <= m->high.low) *low = fmax(*low, iv_mig(f));
        c[worst].x1 = right.x0 = mid;
        c[worst].f1 = right.f0 = f;
        c[worst].bound = fmin(*high, shift_bound(m, t, &c[worst]));
        right.bound = fmin(*high, shift_bound(m, t, &right));
        c[count++] = right;
    }
    sti_free(m->env, c);
    return STI_OK;
}

sti_status sti_modulus_plain(sti_modulus* m, sti_interval t, double tol, sti_interval* out) {
    double low = 0, high = INFINITY;
    *out = iv_point(0);
    if (t.high <= 0) return STI_OK;
    if (t.low >= iv_width(iv(m->low.low, m->high.high))) return sti_modulus_oscillation(m, tol, out);
    sti_interval most;
    sti_status status = sti_modulus_oscillation(m, 1e-3, &most);
    if (status != STI_OK) return status;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double* mark = m->bound + 3 * (size_t)m->capacity;
        bool any = false;
        status = sti_check_time(m->env, "refining a modulus of continuity");
        if (status != STI_OK) return status;
        memset(mark, 0, (size_t)m->count * sizeof *mark);
        low = fmax(low, sampled(m, t.low));
        high = stationary_bound(m, t.high, low + tol * most.high, mark);
        if (high - low > tol * most.high && m->count < 2000) status = cut(m, mark, &any);
        if (status != STI_OK) return status;
        if (!any) break;
    }
    double apart = 0;
    status = shift_supremum(m, t, tol, most.high, &low, &apart);
    *out = iv(low, fmax(low, fmax(high, apart)));
    return status;
}

// ---- Lipschitz constants

typedef struct steep {
    double x0, x1, bound;
} steep;

static double steep_bound(sti_modulus* m, double x0, double x1, double* reached) {
    sti_interval X = iv(x0, x1), at = iv_point(0.5 * x0 + 0.5 * x1);
    m->evaluations += 2;
    sti_series_evaluate(m->series, &at, 0, 1);
    const sti_interval middle = sti_series_of(m->series, m->entry)[1];
    if ((m->series->trouble[m->entry] & STI_TROUBLE_KINK) == 0 && is_sure(m, at.low))
        *reached = fmax(*reached, iv_mig(middle));
    sti_series_evaluate(m->series, &X, 0, 2);
    const sti_interval* s = sti_series_of(m->series, m->entry);
    double best = iv_mag(s[1]);
    const sti_interval second = iv_scale(s[2], 2);
    if (iv_is_bounded(second)) best = fmin(best, iv_mag(iv_add(middle, iv_mul(second, iv_sub(X, at)))));
    if ((second.low >= 0 || second.high <= 0) && iv_is_bounded(s[1])) {  // slopes are monotone: their ends count
        const sti_interval left = iv_point(x0), right = iv_point(x1);
        sti_series_evaluate(m->series, &left, 0, 1);
        const double a = iv_mag(sti_series_of(m->series, m->entry)[1]);
        if (is_sure(m, x0)) *reached = fmax(*reached, iv_mig(sti_series_of(m->series, m->entry)[1]));
        sti_series_evaluate(m->series, &right, 0, 1);
        if (is_sure(m, x1)) *reached = fmax(*reached, iv_mig(sti_series_of(m->series, m->entry)[1]));
        best = fmin(best, fmax(a, iv_mag(sti_series_of(m->series, m->entry)[1])));
    }
    return best;
}

sti_status sti_modulus_lipschitz(sti_modulus* m, double tol, sti_interval* out) {
    enum { MOST_STEEP = 2000 };
    double low = 0;
    steep* c = sti_alloc_array(m->env, MOST_STEEP, sizeof *c);
    if (c == NULL) return STI_ERR_MEMORY;
    int count = 0;
    c[count++] = (steep){m->low.low, m->high.high, steep_bound(m, m->low.low, m->high.high, &low)};
    for (;;) {
        int worst = 0;
        for (int i = 1; i < count; i++) {  // of equal ones the widest: a kink is not all there is
            const bool wider = c[i].x1 - c[i].x0 > c[worst].x1 - c[worst].x0;
            if (c[i].bound > c[worst].bound || (c[i].bound == c[worst].bound && wider)) worst = i;
        }
        const steep w = c[worst];
        const double mid = 0.5 * w.x0 + 0.5 * w.x1;
        *out = iv(low, fmax(low, w.bound));
        if (w.bound - low <= tol * w.bound || count == MOST_STEEP || mid <= w.x0 || mid >= w.x1) break;
        c[worst] = (steep){w.x0, mid, fmin(w.bound, steep_bound(m, w.x0, mid, &low))};
        c[count++] = (steep){mid, w.x1, fmin(w.bound, steep_bound(m, mid, w.x1, &low))};
    }
    sti_free(m->env, c);
    return STI_OK;
}
