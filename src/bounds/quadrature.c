// quadrature.c: enclosures of integrals by Gauss rules with Taylor remainders on panels that are cut where needed.
//
// On a panel with middle m and half width h, n = 10 points,
//
//     int f = h sum_i w_i f(m + h t_i) + h^(2n+1) K c_2n,    K = int P~_n^2 = 2^(2n+1) (n!)^4 / ((2n+1) (2n)!^2)
//
// with c_2n the Taylor coefficient of f somewhere on the panel, which sti_series encloses, and P~_n the monic Legendre
// polynomial. Where f has kinks or no bounded derivatives, by less:
//
//     int f in 2 h f(m) + (h^2/2) (c_1 - c_1),        int f in 2 h c_0
//
// The narrowest of the three counts. A panel is cut in two until its width is of the size of rounding; where abs, min
// or max have a kink whose place is a simple zero, it is cut there. Nodes and weights are enclosures too. On a square
// the rule is applied in both directions, and the remainder of each is taken over the square.
#include "bounds/quadrature.h"

// ---- the rule

// The positive nodes and their weights, each between two neighbouring doubles (tests/bounds checks it in many digits).
static const sti_interval RULE[STI_GAUSS_POINTS / 2][2] = {
    {{0x1.f2a3e062af2d7p-1, 0x1.f2a3e062af2d8p-1}, {0x1.1115f8b62dc1ep-4, 0x1.1115f8b62dc1fp-4}},
    {{0x1.bae995e9cb2f2p-1, 0x1.bae995e9cb2f3p-1}, {0x1.32138c878efe5p-3, 0x1.32138c878efe6p-3}},
    {{0x1.5bdb9228de197p-1, 0x1.5bdb9228de198p-1}, {0x1.c0b059d00bc31p-3, 0x1.c0b059d00bc32p-3}},
    {{0x1.bbcc009016adbp-2, 0x1.bbcc009016adcp-2}, {0x1.13baa7a559bfep-2, 0x1.13baa7a559bffp-2}},
    {{0x1.30e507891e279p-3, 0x1.30e507891e27ap-3}, {0x1.2e9de7014d6efp-2, 0x1.2e9de7014d6f0p-2}},
};

void sti_gauss_make(sti_gauss* g) {
    const int n = STI_GAUSS_POINTS;
    for (int i = 0; i < n / 2; i++) {
        g->node[i] = iv_neg(RULE[i][0]);
        g->node[n - 1 - i] = RULE[i][0];
        g->weight[i] = g->weight[n - 1 - i] = RULE[i][1];
    }
    g->norm = iv_div(iv_point(2), iv_point(2 * n + 1));
    for (int k = 1; k <= n; k++) {  // (2^n n!^2 / (2n)!)^2 = prod (k / (n + k) 2)^2
        const sti_interval factor = iv_div(iv_point(2 * k), iv_point(n + k));
        g->norm = iv_mul(g->norm, iv_sqr(factor));
    }
}

// ---- one panel

typedef struct task {
    sti_quadrature* q;
    const int* entry;
    int count;
    double length;                     // of the whole interval
    double scale[STI_INTEGRALS_MOST];  // about the integral of the absolute value
    sti_interval sum[STI_INTEGRALS_MOST];
    bool failed;
    double at;
} task;

// c 2^.. h^k
static sti_interval power(sti_interval h, int k) {
    sti_interval p = iv_point(1);
    for (; k > 0; k /= 2) {
        if (k % 2 != 0) p = iv_mul(p, h);
        if (k > 1) h = iv_sqr(h);
    }
    return p;
}

static double narrower(sti_interval* best, sti_interval other) {
    if (iv_width(other) < iv_width(*best)) *best = other;
    return iv_width(*best);
}

// Width that rounding alone brings, about: no use in cutting below that.
static double enough(const task* t, int e, double width) {
    return t->scale[e] * fmax(1e-17, 1e-15 * width / t->length);
}

// What derivatives over the panel allow: of each integral the part that needs values at points, and the remainder.
typedef struct panel {
    double low, high;
    sti_interval h, m;
    sti_interval c0[STI_INTEGRALS_MOST], c1[STI_INTEGRALS_MOST], rest[STI_INTEGRALS_MOST];
    bool kink;
    int kink_at, kink_minus;
} panel;

static bool measure(task* t, double low, double high, panel* p) {
    sti_series* s = t->q->series;
    const sti_interval X = iv(low, high);
    *p = (panel){.low = low, .high = high};
    p->h = iv_scale(iv_sub(iv_point(high), iv_point(low)), 0.5);
    p->m = iv_scale(iv_add(iv_point(high), iv_point(low)), 0.5);
    t->q->panels++;
    sti_series_evaluate(s, &X, 0, STI_QUADRATURE_ORDER);
    const sti_interval factor = iv_mul(power(p->h, STI_QUADRATURE_ORDER + 1), t->q->gauss.norm);
    for (int e = 0; e < t->count; e++) {
        const sti_interval* c = sti_series_of(s, t->entry[e]);
        p->c0[e] = c[0];
        p->c1[e] = c[1];
        p->rest[e] = iv_mul(c[STI_QUADRATURE_ORDER], factor);
        if (!p->kink) {
            p->kink_at = sti_series_kink(s, t->entry[e], &p->kink_minus);
            p->kink = p->kink_at >= 0;
        }
        if ((s->trouble[t->entry[e]] & (STI_TROUBLE_PARTIAL | STI_TROUBLE_NOWHERE)) != 0) t->failed = true;
        if ((s->trouble[t->entry[e]] & STI_TROUBLE_JUMP) != 0) p->c1[e] = p->rest[e] = iv_whole();
    }
    return !t->failed;
}

// Is this panel good enough without knowing the values? Its width comes from the remainders alone.
static bool is_good(const task* t, const panel* p) {
    for (int e = 0; e < t->count; e++) {
        const double h = iv_mag(p->h), order_1 = h * h * iv_width(p->c1[e]), order_0 = 2 * h * iv_width(p->c0[e]);
        if (fmin(iv_width(p->rest[e]), fmin(order_1, order_0)) > enough(t, e, p->high - p->low)) return false;
    }
    return true;
}

static void add_panel(task* t, const panel* p) {
    sti_series* s = t->q->series;
    sti_interval rule[STI_INTEGRALS_MOST], mid[STI_INTEGRALS_MOST];
    for (int e = 0; e < t->count; e++) rule[e] = iv_point(0);
    for (int i = 0; i < STI_GAUSS_POINTS; i++) {
        sti_interval x = iv_add(p->m, iv_mul(p->h, t->q->gauss.node[i]));
        if (x.low < p->low) x.low = p->low;  // it lies on the panel
        if (x.high > p->high) x.high = p->high;
        sti_series_evaluate(s, &x, -1, 0);
        for (int e = 0; e < t->count; e++)
            rule[e] = iv_add(rule[e], iv_mul(t->q->gauss.weight[i], sti_series_value(s, t->entry[e])));
    }
    sti_series_evaluate(s, &p->m, -1, 0);
    for (int e = 0; e < t->count; e++) mid[e] = sti_series_value(s, t->entry[e]);
    for (int e = 0; e < t->count; e++) {
        const sti_interval twice = iv_scale(p->h, 2), half = iv_scale(iv_sqr(p->h), 0.5);
        sti_interval best = iv_mul(twice, p->c0[e]);
        if (iv_is_bounded(p->c1[e]))
            narrower(&best, iv_add(iv_mul(twice, mid[e]), iv_mul(half, iv_sub(p->c1[e], p->c1[e]))));
        if (iv_is_bounded(p->rest[e])) narrower(&best, iv_add(iv_mul(p->h, rule[e]), p->rest[e]));
        t->sum[e] = iv_add(t->sum[e], best);
        if (!iv_is_bounded(best)) {
            t->failed = true;
            t->at = p->low;
        }
    }
}

// ---- kinks

// Enclosure of the one zero of entry (minus another) in the panel; false: not one, or not to be told.
static bool find_kink(task* t, const panel* p, sti_interval* zero) {
    sti_series* s = t->q->series;
    sti_interval X = iv(p->low, p->high);
    for (int turn = 0; turn < 30; turn++) {
        sti_series_evaluate(s, &X, 0, 1);
        const sti_interval *a = sti_series_of(s, p->kink_at),
                           *b = p->kink_minus >= 0 ? sti_series_of(s, p->kink_minus) : NULL;
        const sti_interval slope = b != NULL ? iv_sub(a[1], b[1]) : a[1];
        if (iv_has(slope, 0) || !iv_is_bounded(slope)) return false;
        const double m = iv_mid(X);
        const sti_interval at = iv_point(m);
        sti_series_evaluate(s, &at, -1, 0);
        sti_interval value = sti_series_value(s, p->kink_at);
        if (p->kink_minus >= 0) value = iv_sub(value, sti_series_value(s, p->kink_minus));
        const sti_interval N = iv_sub(at, iv_div(value, slope));
        if (!iv_meets(N, X)) return false;
        const sti_interval next = iv_meet(N, X);
        if (next.high - next.low > 0.9 * (X.high - X.low)) break;
        X = next;
    }
    *zero = X;
    return X.high - X.low < 1e-3 * (p->high - p->low);
}

// ---- all panels

static void cover(task* t, double low, double high, int depth);

static void cover_halves(task* t, const panel* p, int depth) {
    const double m = 0.5 * p->low + 0.5 * p->high;
    cover(t, p->low, m, depth + 1);
    cover(t, m, p->high, depth + 1);
}

static void cover(task* t, double low, double high, int depth) {
    enum { DEEPEST = 60 };
    panel p;
    sti_interval kink;
    if (t->failed || !(low < high)) return;
    if (!measure(t, low, high, &p)) {
        t->at = low;
        return;
    }
    const double m = 0.5 * low + 0.5 * high;
    if (is_good(t, &p) || depth >= DEEPEST || m <= low || m >= high || t->q->panels >= t->q->most_panels) {
        add_panel(t, &p);
    } else if (p.kink && find_kink(t, &p, &kink)) {
        cover(t, low, kink.low, depth + 1);
        cover(t, kink.low, kink.high, depth + 1);
        cover(t, kink.high, high, depth + 1);
    } else {
        cover_halves(t, &p, depth);
    }
}

// A first idea of the sizes, from some points.
static void find_scales(task* t, double low, double high) {
    enum { POINTS = 9 };
    for (int e = 0; e < t->count; e++) t->scale[e] = 0;
    for (int i = 0; i < POINTS; i++) {
        const sti_interval x = iv_point(low + (high - low) * (i + 0.5) / POINTS);
        sti_series_evaluate(t->q->series, &x, -1, 0);
        for (int e = 0; e < t->count; e++) {
            const double size = fabs(iv_mid(sti_series_value(t->q->series, t->entry[e])));
            if (isfinite(size)) t->scale[e] += size * (high - low) / POINTS;
        }
    }
    for (int e = 0; e < t->count; e++) t->scale[e] = fmax(t->scale[e], 1e-300);
}

// What lies between the end as given and the double next to it.
static void add_sliver(task* t, sti_interval end, double used, double sign) {
    if (iv_is_point(end)) return;
    sti_series_evaluate(t->q->series, &end, -1, 0);
    for (int e = 0; e < t->count; e++) {
        if ((t->q->series->trouble[t->entry[e]] & (STI_TROUBLE_PARTIAL | STI_TROUBLE_NOWHERE)) != 0) t->failed = true;
        const sti_interval part = iv_mul(iv_sub(iv_point(used), end), sti_series_value(t->q->series, t->entry[e]));
        t->sum[e] = iv_add(t->sum[e], iv_scale(part, sign));
    }
    if (t->failed) t->at = used;
}

bool sti_integrate(sti_quadrature* q, sti_interval low, sti_interval high, const int* entry, int count,
                   sti_interval* out, double* at) {
    task t = {.q = q, .entry = entry, .count = count, .length = high.low - low.high, .at = low.high};
    find_scales(&t, low.high, high.low);
    for (int e = 0; e < count; e++) t.sum[e] = iv_point(0);
    add_sliver(&t, low, low.high, 1);
    if (!t.failed) cover(&t, low.high, high.low, 0);
    if (!t.failed) add_sliver(&t, high, high.low, -1);
    memcpy(out, t.sum, (size_t)count * sizeof *out);
    *at = t.at;
    return !t.failed;
}

// ---- squares

// Remainders along each variable over the rectangle, and plain values.
typedef struct tile {
    sti_interval X[2], h[2], m[2];
    sti_interval c0[STI_INTEGRALS_MOST], rest[2][STI_INTEGRALS_MOST];  // per unit of the other side
    int worst;                                                         // the side to cut
} tile;

static bool measure_tile(task* t, const sti_interval* X, tile* p) {
    sti_series* s = t->q->series;
    double loss[2] = {0, 0};
    memcpy(p->X, X, sizeof p->X);
    t->q->panels++;
    for (int k = 0; k < 2; k++) {
        p->h[k] = iv_scale(iv_sub(iv_point(X[k].high), iv_point(X[k].low)), 0.5);
        p->m[k] = iv_scale(iv_add(iv_point(X[k].high), iv_point(X[k].low)), 0.5);
        sti_series_evaluate(s, X, k, STI_QUADRATURE_ORDER);
        const sti_interval factor = iv_mul(power(p->h[k], STI_QUADRATURE_ORDER + 1), t->q->gauss.norm);
        for (int e = 0; e < t->count; e++) {
            const sti_interval* c = sti_series_of(s, t->entry[e]);
            const unsigned trouble = s->trouble[t->entry[e]];
            p->c0[e] = c[0];
            p->rest[k][e] = (trouble & STI_TROUBLE_JUMP) != 0 ? iv_whole() : iv_mul(c[STI_QUADRATURE_ORDER], factor);
            if ((trouble & (STI_TROUBLE_PARTIAL | STI_TROUBLE_NOWHERE)) != 0) t->failed = true;
            loss[k] = fmax(loss[k], fmin(iv_width(p->rest[k][e]), 1e300) / t->scale[e]);
        }
    }
    const double side[2] = {X[0].high - X[0].low, X[1].high - X[1].low};
    p->worst = loss[0] * side[1] >= loss[1] * side[0] ? 0 : 1;
    if (loss[0] == loss[1] || (loss[0] > 1e250 && loss[1] > 1e250)) p->worst = side[0] >= side[1] ? 0 : 1;
    return !t->failed;
}

// Width of what a tile leaves open, by the better of rule and plain values
static double tile_width(const tile* p, int e) {
    const double a = 2 * iv_mag(p->h[0]), b = 2 * iv_mag(p->h[1]);
    const double rule = iv_width(p->rest[0][e]) * b + iv_width(p->rest[1][e]) * a;
    return fmin(a * b * iv_width(p->c0[e]), rule);
}

static void add_tile(task* t, const tile* p) {
    sti_series* s = t->q->series;
    sti_interval rule[STI_INTEGRALS_MOST];
    for (int e = 0; e < t->count; e++) rule[e] = iv_point(0);
    for (int i = 0; i < STI_GAUSS_POINTS * STI_GAUSS_POINTS; i++) {
        const int at[2] = {i / STI_GAUSS_POINTS, i % STI_GAUSS_POINTS};
        sti_interval x[2];
        for (int k = 0; k < 2; k++) {
            x[k] = iv_add(p->m[k], iv_mul(p->h[k], t->q->gauss.node[at[k]]));
            if (iv_meets(x[k], p->X[k])) x[k] = iv_meet(x[k], p->X[k]);
        }
        sti_series_evaluate(s, x, -1, 0);
        const sti_interval weight = iv_mul(t->q->gauss.weight[at[0]], t->q->gauss.weight[at[1]]);
        for (int e = 0; e < t->count; e++) rule[e] = iv_add(rule[e], iv_mul(weight, sti_series_value(s, t->entry[e])));
    }
    // int int f = sum_j w_j h_1 (sum_i w_i h_0 f + R_0 at v_j) + int R_1 du, the weights of one side summing to 2
    const sti_interval area = iv_mul(p->h[0], p->h[1]);
    for (int e = 0; e < t->count; e++) {
        sti_interval best = iv_mul(iv_scale(area, 4), p->c0[e]);
        const sti_interval rest =
            iv_add(iv_mul(iv_scale(p->h[1], 2), p->rest[0][e]), iv_mul(iv_scale(p->h[0], 2), p->rest[1][e]));
        if (iv_is_bounded(rest)) narrower(&best, iv_add(iv_mul(area, rule[e]), rest));
        t->sum[e] = iv_add(t->sum[e], best);
        if (!iv_is_bounded(best)) t->failed = true;
    }
}

static void cover_tile(task* t, const sti_interval* X, int depth) {
    enum { DEEPEST = 120 };
    tile p;
    if (t->failed || !(X[0].low < X[0].high) || !(X[1].low < X[1].high)) return;
    if (!measure_tile(t, X, &p)) {
        t->at = X[0].low;
        return;
    }
    bool good = true;
    const double part = (X[0].high - X[0].low) * (X[1].high - X[1].low) / t->length;
    for (int e = 0; e < t->count; e++)
        good = good && tile_width(&p, e) <= t->scale[e] * fmax(1e-15, 1e-12 * part / t->length);
    const double m = iv_mid(X[p.worst]);
    if (good || depth >= DEEPEST || m <= X[p.worst].low || m >= X[p.worst].high || t->q->panels >= t->q->most_panels) {
        add_tile(t, &p);
        return;
    }
    sti_interval half[2] = {X[0], X[1]};
    half[p.worst].high = m;
    cover_tile(t, half, depth + 1);
    half[p.worst] = iv(m, X[p.worst].high);
    cover_tile(t, half, depth + 1);
}

bool sti_integrate_square(sti_quadrature* q, sti_interval low, sti_interval high, const int* entry, int count,
                          sti_interval* out, double* at) {
    const double a = low.high, b = high.low;
    task t = {.q = q, .entry = entry, .count = count, .length = b - a, .at = a};
    const sti_interval whole[2] = {{low.low, high.high}, {low.low, high.high}}, inner[2] = {{a, b}, {a, b}};
    sti_series_evaluate(q->series, inner, -1, 0);
    for (int e = 0; e < count; e++) {
        const double size = iv_mag(sti_series_value(q->series, entry[e])) * (b - a) * (b - a);
        t.scale[e] = isfinite(size) && size > 0 ? size : 1;
        t.sum[e] = iv_point(0);
    }
    cover_tile(&t, inner, 0);
    if (!t.failed && !(iv_is_point(low) && iv_is_point(high))) {  // the rim of the square as given
        const double rim = iv_add_up(iv_width(low), iv_width(high)), side = iv_width(whole[0]);
        sti_series_evaluate(q->series, whole, -1, 0);
        for (int e = 0; e < count; e++) {
            const sti_interval f = iv_hull(sti_series_value(q->series, entry[e]), iv_point(0));
            t.sum[e] = iv_add(t.sum[e], iv_mul(f, iv(0, iv_mul_up(2 * rim, side))));
            if ((q->series->trouble[entry[e]] & (STI_TROUBLE_PARTIAL | STI_TROUBLE_NOWHERE)) != 0) t.failed = true;
        }
    }
    memcpy(out, t.sum, (size_t)count * sizeof *out);
    *at = t.at;
    return !t.failed;
}
