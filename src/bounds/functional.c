// functional.c: positive functionals on [a, b] that keep constants, and their moments.
//
//     A(h) = (int w h + sum_i p_i h(x_i)) / (int w + sum_i p_i)
//
// The quotient makes A(1) = 1 an identity, so no statement hangs on whether the integral of w is 1 to the last bit;
// that it is not 1 is refused, unless the file says "normalize".
#include <stdio.h>

#include "bounds/bounds.h"

// ---- is it a density?

// w >= 0 on [low, high]: yes, or no at *at, or not known near *at.
static sti_verdict is_positive(sti_bound_work* w, int entry, double low, double high, int depth, double* at,
                               long* left) {
    sti_series* s = &w->series;
    const sti_interval X = iv(low, high), m = iv_point(0.5 * low + 0.5 * high);
    *at = m.low;
    if (--*left < 0) return STI_UNDECIDED;
    sti_series_evaluate(s, &X, 0, 1);
    const sti_interval* c = sti_series_of(s, entry);
    if (c[0].low >= 0) return STI_YES;
    const sti_interval slope = c[1];
    sti_series_evaluate(s, &m, -1, 0);
    const sti_interval middle = sti_series_value(s, entry);
    if (middle.high < 0) return STI_NO;
    if (iv_is_bounded(slope) && iv_add(middle, iv_mul(slope, iv_sub(X, m))).low >= 0) return STI_YES;
    if (depth > 50 || m.low <= low || m.low >= high) return STI_UNDECIDED;
    const sti_verdict first = is_positive(w, entry, low, m.low, depth + 1, at, left);
    return first == STI_YES ? is_positive(w, entry, m.low, high, depth + 1, at, left) : first;
}

sti_status sti_density_check(sti_bound_work* w, const char* field, int entry) {
    double at = 0;
    long left = 4000;
    const sti_verdict positive = is_positive(w, entry, w->low.high, w->high.low, 0, &at, &left);
    if (positive == STI_NO) {
        const sti_interval x = iv_point(at);
        sti_series_evaluate(&w->series, &x, -1, 0);
        return STI_FAIL(w->env, STI_ERR_INPUT, -1, "%s: %.6g at x = %.6g: a density is not negative", field,
                        iv_mid(sti_series_value(&w->series, entry)), at);
    }
    if (positive == STI_UNDECIDED)
        sti_bound_unknown(w, "%s: that it is nowhere negative could not be proved near x = %.6g", field, at);
    return STI_OK;
}

sti_status sti_mass_check(sti_bound_work* w, const char* field, sti_interval mass) {
    if (!(mass.low > 0))
        return STI_FAIL(w->env, STI_ERR_INPUT, -1, "%s: its integral lies in [%.6g, %.6g]: it must be positive", field,
                        mass.low, mass.high);
    if (!w->p->normalize && !iv_has(mass, 1))
        return STI_FAIL(w->env, STI_ERR_INPUT, -1,
                        "%s: its integral is %.17g: 1 is expected of a density (\"normalize\": true divides by it)",
                        field, iv_mid(mass));
    return STI_OK;
}

// ---- integrals

sti_status sti_bound_integrate(sti_bound_work* w, const char* field, sti_interval low, sti_interval high,
                               const int* entry, int count, sti_interval* out) {
    double at;
    const double begin = sti_clock();
    const sti_status late = sti_check_time(w->env, "integrating");
    if (late != STI_OK) return late;
    w->quadrature.series = &w->series;
    const bool square = w->formulas.tape.n == 2;
    const bool done = square ? sti_integrate_square(&w->quadrature, low, high, entry, count, out, &at)
                             : sti_integrate(&w->quadrature, low, high, entry, count, out, &at);
    w->a->time_integrals_s += sti_clock() - begin;
    if (done) return STI_OK;
    char why[160] = "nothing";
    int e = 0;  // the density, then its products with f and g
    for (; e < count && strcmp(why, "nothing") == 0; e++) sti_series_reason(&w->series, entry[e], why, sizeof why);
    const char* of = e <= 1 || strcmp(why, "nothing") == 0 ? field : w->g >= 0 ? "f or g" : "f";
    return STI_FAIL(w->env, STI_ERR_INPUT, -1, "%s: no bounded value near x = %.6g: %s", of, at,
                    strcmp(why, "nothing") != 0 ? why : "it is not bounded there");
}

sti_status sti_density_entry(sti_bound_work* w, const char* field, const char* formula, int* entry) {
    return formula != NULL ? sti_formulas_add(&w->formulas, field, formula, entry)
                           : sti_tape_constant(&w->formulas.tape, 1, entry);
}

// Products w h of the tape, for h = 1, y, y^2, f, g, f g; -1 where there is no f or g.
static sti_status product_entries(sti_bound_work* w, int density, int* entry) {
    sti_tape* tape = &w->formulas.tape;
    int c = 0, y = 0, y2 = 0, fg = -1;
    sti_status status = sti_tape_constant(tape, w->centre, &c);
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_SUBTRACT, w->x, c, &y);
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_MULTIPLY, y, y, &y2);
    if (status == STI_OK && w->f >= 0 && w->g >= 0) status = sti_tape_apply(tape, STI_OP_MULTIPLY, w->f, w->g, &fg);
    const int h[] = {-1, y, y2, w->f, w->g, fg};
    for (int k = 0; status == STI_OK && k < 6; k++) {
        entry[k] = k == 0 ? density : -1;
        if (h[k] >= 0) status = sti_tape_apply(tape, STI_OP_MULTIPLY, density, h[k], &entry[k]);
        if (k > 0 && h[k] < 0) entry[k] = -1;
    }
    return status;
}

static sti_status begin_series(sti_bound_work* w, const int* entry, int count) {
    sti_series_clear(&w->series);
    const sti_status status = sti_series_init(&w->series, w->env, &w->formulas.tape, STI_QUADRATURE_ORDER);
    for (int k = 0; status == STI_OK && k < count; k++) {
        if (entry[k] >= 0) sti_series_want(&w->series, entry[k]);
    }
    return status;
}

static sti_status add_density(sti_bound_work* w, const sti_functional* from, const char* field, sti_interval* sum) {
    int density = 0, entry[6], wanted[6], count = 0;
    sti_interval value[6];
    sti_status status = sti_density_entry(w, field, from->density, &density);
    if (status == STI_OK) status = product_entries(w, density, entry);
    if (status == STI_OK) status = begin_series(w, entry, 6);
    for (int k = 0; k < 6; k++) {
        if (entry[k] >= 0) wanted[count++] = entry[k];
    }
    if (status == STI_OK && from->density != NULL) status = sti_density_check(w, field, density);
    if (status == STI_OK) status = sti_bound_integrate(w, field, w->low, w->high, wanted, count, value);
    if (status != STI_OK) return status;
    for (int k = 0, at = 0; k < 6; k++) {
        if (entry[k] >= 0) sum[k] = iv_add(sum[k], value[at++]);
    }
    return STI_OK;
}

static sti_status add_atom(sti_bound_work* w, const sti_functional* from, const char* field, int i, sti_interval* sum) {
    char name[80];
    sti_interval x, p;
    snprintf(name, sizeof name, "%.40s.atoms[%d]", field, i);
    sti_status status = sti_bound_constant(w, name, from->atom_at[i], &x);
    if (status == STI_OK) status = sti_bound_constant(w, name, from->atom_mass[i], &p);
    if (status != STI_OK) return status;
    if (x.high < w->low.low || x.low > w->high.high)
        return STI_FAIL(w->env, STI_ERR_INPUT, i, "%s: x = %.6g: not in the interval", name, iv_mid(x));
    if (p.low < 0) return STI_FAIL(w->env, STI_ERR_INPUT, i, "%s: %.6g: a mass is not negative", name, iv_mid(p));
    sti_series_evaluate(&w->series, &x, -1, 0);
    const sti_interval y = iv_sub(x, iv_point(w->centre));
    sti_interval h[6] = {iv_point(1), y, iv_sqr(y), iv_point(0), iv_point(0), iv_point(0)};
    if (w->f >= 0) h[3] = sti_series_value(&w->series, w->f);
    if (w->g >= 0) h[4] = sti_series_value(&w->series, w->g);
    h[5] = w->f == w->g ? iv_sqr(h[3]) : iv_mul(h[3], h[4]);
    for (int k = 0; k < 6; k++) sum[k] = iv_add(sum[k], iv_mul(p, h[k]));
    if (!iv_is_bounded(h[3]) || !iv_is_bounded(h[4]) || (w->f >= 0 && w->series.trouble[w->f] != 0) ||
        (w->g >= 0 && w->series.trouble[w->g] != 0))
        return STI_FAIL(w->env, STI_ERR_INPUT, i, "%s: f or g is not known to have a value at x = %.6g", name,
                        iv_mid(x));
    return STI_OK;
}

sti_status sti_find_moments(sti_bound_work* w, const sti_functional* from, const char* field, sti_moments* out) {
    const bool spread = from->density != NULL || from->atom_count == 0;
    sti_interval sum[6];
    sti_status status = STI_OK;
    for (int k = 0; k < 6; k++) sum[k] = iv_point(0);
    if (spread) status = add_density(w, from, field, sum);
    if (status == STI_OK && from->atom_count > 0) {
        const int entry[2] = {w->f, w->g};
        status = begin_series(w, entry, 2);
    }
    for (int i = 0; status == STI_OK && i < from->atom_count; i++) status = add_atom(w, from, field, i, sum);
    const bool uniform = from->density == NULL && from->atom_count == 0;
    if (status == STI_OK && !uniform) status = sti_mass_check(w, field, sum[0]);
    if (status != STI_OK) return status;
    *out = (sti_moments){.mass = sum[0],
                         .y = iv_div(sum[1], sum[0]),
                         .y2 = iv_div(sum[2], sum[0]),
                         .f = iv_div(sum[3], sum[0]),
                         .g = iv_div(sum[4], sum[0]),
                         .fg = iv_div(sum[5], sum[0])};
    return STI_OK;
}
