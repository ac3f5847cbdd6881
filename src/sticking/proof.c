// proof.c: does a point, or a leaf, prove what is to be claimed with it? Asked of the numbers as they were
// given, whatever the solver said of its end, and never more kindly than the checker of claims asks (docs/sticking.md).
#include <float.h>
#include <math.h>

#include "sticking/sticking.h"

#define FAR (1e5 * (1 + 1e-9))  // a leaf holds for unknowns this many times their size
#define HALF_ULP (0.5 * DBL_EPSILON)

// ---- points

// Row j of M a + F - C lambda, relative to its terms and to those that unknowns of their size would have.
static double dynamics_misfit(const sti_posed* s, const double* x, int j) {
    const double *row = s->instant->M + (size_t)j * (size_t)s->n, *force = s->C + (size_t)j * (size_t)s->p;
    long double sum = s->instant->F[j];
    double terms = fabs(s->instant->F[j]);
    for (int k = 0; k < s->n + s->p; k++) {
        const double entry = k < s->n ? row[k] : -force[k - s->n];
        sum += (long double)entry * x[k];
        terms += fabs(entry) * (fabs(x[k]) + s->size[k]);
    }
    return terms > 0 ? (double)fabsl(sum) / terms : 0;
}

// Row k of A'a + c, likewise.
static double rate_misfit(const sti_posed* s, const double* x, int k) {
    long double sum = s->c[k];
    double terms = fabs(s->c[k]);
    for (int j = 0; j < s->n; j++) {
        const double entry = s->A[(size_t)j * (size_t)s->q + (size_t)k];
        sum += (long double)entry * x[j];
        terms += fabs(entry) * (fabs(x[j]) + s->size[j]);
    }
    return terms > 0 ? (double)fabsl(sum) / terms : 0;
}

// How far lambda misses the conditions at contact i that are equations.
static double friction_misfit(const sti_posed* s, int i, const double* lambda) {
    const double* r = lambda + s->first[i];
    double off = sti_posed_is_open(s, i) ? fabs(r[0]) : 0, size = 0;
    for (int k = 1; k <= s->tangents[i]; k++) size = hypot(size, r[k]);
    if (sti_posed_is_open(s, i) || !s->rough[i]) return fmax(off, size);
    for (int k = 1; s->slides[i] && k <= s->tangents[i]; k++)
        off = fmax(off, fabs(r[k] + s->mu[i] * fabs(r[0]) * s->slip[s->first[i] + k]));
    return off;
}

sti_misfit sti_posed_misfit(const sti_posed* s, const signed char* sign, const double* x) {
    sti_misfit m = {0};
    for (int k = 0; k < s->n + s->p; k++)
        if (!isfinite(x[k])) return (sti_misfit){.equations = INFINITY, .friction = INFINITY};
    for (int j = 0; j < s->n; j++) m.equations = fmax(m.equations, dynamics_misfit(s, x, j));
    for (int k = 0; k < s->q; k++) m.equations = fmax(m.equations, rate_misfit(s, x, k));
    for (int i = 0; i < s->nc; i++) {
        const bool asked = !s->choice[i] || sign[i] != 0;
        if (asked) m.friction = fmax(m.friction, friction_misfit(s, i, x + s->n) / s->force);
    }
    return m;
}

// ---- leaves

// A sum in twice the digits of a double, and what the data may add to it: numbers with exact twins are rounded.
typedef struct wide {
    double high, low, doubt;
} wide;

static void add(wide* w, double value) {
    const double sum = w->high + value, part = sum - w->high;
    w->low += (w->high - (sum - part)) + (value - part);
    w->high = sum;
}

static void add_product(wide* w, double a, double b) {
    const double product = a * b;
    add(w, product);
    w->low += fma(a, b, -product);
}

static double total(const wide* w) {
    return w->high + w->low;
}

// a b, where a is entry `at` of a table of the instant that may have an exact twin, of which it is the nearest double.
static void add_data(wide* w, double a, const sti_rationals* twin, size_t at, double b) {
    add_product(w, a, b);
    const bool same = twin == NULL || (sti_int_is_one(&twin->den[at]) && fabs(a) < 0x1p53);
    if (!same) w->doubt += HALF_ULP * fabs(a * b);
}

// What a leaf misses, weighed by the sizes of the unknowns.
static void add_balance(const sti_posed* s, const sti_sticking_leaf* leaf, double* missed) {
    const sti_instant_exact* exact = s->instant->exact;
    const size_t n = (size_t)s->n;
    for (size_t j = 0; j < n; j++) {
        wide sum = {0};
        for (size_t k = 0; k < n; k++)
            add_data(&sum, s->instant->M[j * n + k], exact ? exact->M : NULL, j * n + k, leaf->y[k]);
        for (int i = 0; i < s->nc; i++) {
            for (int k = 0; k < s->row[i + 1] - s->row[i]; k++) {
                size_t line;
                const sti_rationals* twin = sti_posed_twin(s, i, k + sti_posed_is_open(s, i), &line);
                const size_t row = (size_t)(s->row[i] + k);
                add_data(&sum, s->A[j * (size_t)s->q + row], twin, line * n + j, leaf->z[row]);
            }
        }
        *missed += (fabs(total(&sum)) + sum.doubt) * s->size[j];
    }
}

// u = -C_i'y at contact i, three entries.
static void pull(const sti_posed* s, int i, const double* y, wide u[3]) {
    for (int k = 0; k < 3; k++) u[k] = (wide){0};
    for (int k = 0; k <= s->tangents[i]; k++) {
        size_t line;
        const sti_rationals* twin = sti_posed_twin(s, i, k, &line);
        for (int j = 0; j < s->n; j++) {
            const double entry = s->C[(size_t)j * (size_t)s->p + (size_t)(s->first[i] + k)];
            add_data(&u[k], entry, twin, line * (size_t)s->n + (size_t)j, -y[j]);
        }
    }
}

// u = sum_k w_k (mu sign, -m_k) with w >= 0, at a polygon.
static double polygon_miss(const sti_posed* s, int i, int sign, wide u[3], const double* w) {
    const sti_instant_exact* exact = s->instant->exact;
    double miss = 0;
    for (int k = 0; k < sti_posed_facets(s, i); k++) {
        double m[2];
        if (!(w[k] >= 0)) return INFINITY;
        sti_posed_facet(s, i, k, m);
        add_data(&u[0], s->mu[i], exact ? exact->mu : NULL, (size_t)s->contact[i], -sign * w[k]);
        for (int h = 0; h < 2; h++) add_product(&u[1 + h], m[h], w[k]);
    }
    for (int h = 0; h < 3; h++) miss = fmax(miss, fabs(total(&u[h])) + u[h].doubt);
    return miss;
}

// How far u is outside the dual of the cone of contact i.
static double cone_miss(const sti_posed* s, int i, int sign, wide u[3], const double* w) {
    const int tangents = s->tangents[i], side = !s->bilateral[i] ? 1 : s->rough[i] ? sign : 0;
    if (side != 0 && s->rough[i] && !s->slides[i] && tangents == 2 && s->options.facets > 0)
        return polygon_miss(s, i, side, u, w);
    const double normal = side * total(&u[0]);
    double t = 0, drag = 0, terms = fabs(normal), doubt = u[0].doubt;
    for (int k = 1; k <= tangents && s->rough[i]; k++) {
        t = hypot(t, total(&u[k]));
        drag += s->mu[i] * s->slip[s->first[i] + k] * total(&u[k]);
        terms += fabs(s->mu[i] * s->slip[s->first[i] + k] * total(&u[k]));
        doubt += fmax(1, s->mu[i]) * u[k].doubt;
    }
    if (side == 0) return fmax(fabs(total(&u[0])), t) + doubt;
    if (!s->rough[i]) return normal - doubt >= 0 ? 0 : fabs(normal) + doubt;
    if (s->slides[i]) return normal - drag - doubt >= -0.5e-14 * terms ? 0 : drag - normal + doubt + 1e-15 * terms;
    const double rounding = s->mu[i] * t + fabs(normal) > 0 ? 4 * HALF_ULP * s->mu[i] * t : 0;
    return normal - doubt - rounding >= s->mu[i] * t ? 0 : fmax(s->mu[i] * t - normal, 0) + doubt + rounding;
}

bool sti_posed_leaf_proves(const sti_posed* s, const sti_sticking_leaf* leaf) {
    const sti_instant_exact* exact = s->instant->exact;
    double missed = 0;
    wide strict = {0}, u[3];
    add_balance(s, leaf, &missed);
    for (int j = 0; j < s->n; j++) add_data(&strict, s->instant->F[j], exact ? exact->F : NULL, (size_t)j, leaf->y[j]);
    for (int i = 0; i < s->nc; i++) {
        const int open = sti_posed_is_open(s, i);
        double size = 0;
        for (int k = 0; k < s->row[i + 1] - s->row[i]; k++) {
            size_t line;
            (void)sti_posed_twin(s, i, k + open, &line);
            const sti_rationals* rates = exact == NULL ? NULL : k + open == 0 ? exact->n_rate : exact->t_rate;
            add_data(&strict, s->c[s->row[i] + k], rates, line, leaf->z[s->row[i] + k]);
        }
        if (open) continue;
        for (int k = 0; k <= s->tangents[i]; k++) size = fmax(size, s->size[s->n + s->first[i] + k]);
        pull(s, i, leaf->y, u);
        const double* w = s->options.facets > 0 ? leaf->w + (size_t)i * (size_t)s->options.facets : NULL;
        missed += cone_miss(s, i, leaf->sign[i], u, w) * size;
    }
    const double sure = total(&strict) - strict.doubt;
    return sure > 0 && sure >= FAR * missed;
}
