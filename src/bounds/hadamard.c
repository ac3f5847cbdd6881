// hadamard.c: a Hermite-Hadamard inequality for weights (S3 2.5.3), with the constants that are right.
//
// With a_1 = int x w, P = int_{a_1}^b (x - a_1) w, V+ = int_{a_1}^b (x - a_1)^2 w, V- the same from a to a_1, and |f'|
// convex on [a, b],
//
//     |int w f - f(a_1)| <= (|f'(a)| A + |f'(b)| B) / (b - a)
//     A = (V- - V+)/2 + 2 (b - a_1) P,    B = (V+ - V-)/2 + 2 (a_1 - a) P
//
// because |f(x) - f(a_1)| <= int |f'| between a_1 and x, |f'(t)| <= ((b - t) |f'(a)| + (t - a) |f'(b)|)/(b - a), and
// P = int_a^{a_1} (a_1 - x) w. S3 prints -V- + V/2 for A too, V = V+ + V-, and in (2.5.23) exchanges them: both can be
// negative. The printed numbers are reported beside the right ones, and whether they would hold.
//
// |f'| is convex where f' f''' >= 0: where f' has a sign, |f'|'' is f''' times it, and at a zero |f'| has a kink
// upward. Equality only for constant f: it needs f' of one sign on each side of a_1, so |f'| is an affine function with
// a zero inside, 0 that is.
#include <stdio.h>

#include "bounds/bounds.h"

// f' f''' >= 0 on [low, high]?
static sti_verdict is_convex(sti_bound_work* w, double low, double high, int depth, double* at, long* left) {
    sti_series* s = &w->series;
    const double m = 0.5 * low + 0.5 * high;
    const sti_interval X = iv(low, high), M = iv_point(m);
    *at = m;
    if (--*left < 0) return STI_UNDECIDED;
    sti_series_evaluate(s, &X, 0, 3);
    const sti_interval *c = sti_series_of(s, w->f), first = c[1], third = c[3];
    const bool kink = (s->trouble[w->f] & STI_TROUBLE_KINK) != 0;
    if (!kink && (iv_is(third, 0) || (first.low >= 0 && third.low >= 0) || (first.high <= 0 && third.high <= 0)))
        return STI_YES;
    sti_series_evaluate(s, &M, 0, 3);
    c = sti_series_of(s, w->f);
    if ((s->trouble[w->f] & STI_TROUBLE_KINK) == 0 &&
        ((c[1].low > 0 && c[3].high < 0) || (c[1].high < 0 && c[3].low > 0)))
        return STI_NO;
    if (depth > 45 || m <= low || m >= high) return STI_UNDECIDED;
    const sti_verdict lower = is_convex(w, low, m, depth + 1, at, left);
    return lower == STI_YES ? is_convex(w, m, high, depth + 1, at, left) : lower;
}

// Entries of w, w (x - c), w f
static sti_status first_entries(sti_bound_work* w, int density, int* out) {
    sti_tape* tape = &w->formulas.tape;
    int c = 0, y = 0;
    out[0] = density;
    sti_status status = sti_tape_constant(tape, w->centre, &c);
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_SUBTRACT, w->x, c, &y);
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_MULTIPLY, density, y, &out[1]);
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_MULTIPLY, density, w->f, &out[2]);
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_MULTIPLY, y, y, &out[3]);
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_MULTIPLY, density, out[3], &out[3]);
    return status;
}

// int_c0^c1 of w, w y, w y^2 over both sides of a double p next to a_1, with y = x - centre
typedef struct sides {
    double p;
    sti_interval left[3], right[3];
} sides;

static sti_status both_sides(sti_bound_work* w, const int* entry, sides* s) {
    const int wanted[3] = {entry[0], entry[1], entry[3]};
    sti_status status = sti_bound_integrate(w, "weight", w->low, iv_point(s->p), wanted, 3, s->left);
    if (status == STI_OK) status = sti_bound_integrate(w, "weight", iv_point(s->p), w->high, wanted, 3, s->right);
    return status;
}

// int (x - a1) w and int (x - a1)^2 w from the integrals of 1, y, y^2; d = a1 - centre
static sti_interval first_moment(const sti_interval* m, sti_interval d) {
    return iv_sub(m[1], iv_mul(d, m[0]));
}
static sti_interval second_moment(const sti_interval* m, sti_interval d) {
    return iv_add(iv_sub(m[2], iv_scale(iv_mul(d, m[1]), 2)), iv_mul(iv_sqr(d), m[0]));
}

static void put_bounds(sti_bound_work* w, sti_interval lhs, sti_interval slope_a, sti_interval slope_b, sti_interval A,
                       sti_interval B, const char* name, const char* name_A, const char* name_B, const char* holds) {
    const sti_interval top = iv_add(iv_mul(slope_a, A), iv_mul(slope_b, B));
    const sti_interval bound = iv_div(top, iv_sub(w->high, w->low));
    sti_bound_put(w, name_A, A);
    sti_bound_put(w, name_B, B);
    sti_bound_put(w, name, bound);
    // 1: it holds, 0: it does not, between: the enclosures overlap
    sti_bound_put(w, holds, bound.low >= lhs.high ? iv_point(1) : bound.high < lhs.low ? iv_point(0) : iv(0, 1));
}

static sti_status slopes_at_ends(sti_bound_work* w, sti_interval* slope) {
    for (int k = 0; k < 2; k++) {
        const sti_interval x = k == 0 ? w->low : w->high;
        sti_series_evaluate(&w->series, &x, 0, 1);
        slope[k] = iv_abs(sti_series_of(&w->series, w->f)[1]);
        if (!iv_is_bounded(slope[k]) || (w->series.trouble[w->f] & ~(unsigned)STI_TROUBLE_KINK) != 0)
            return STI_FAIL(w->env, STI_ERR_INPUT, -1, "f: no bounded derivative at x = %.6g", iv_mid(x));
    }
    return STI_OK;
}

// Does the theorem apply to f? False: the answer says why not.
static bool is_applicable(sti_bound_work* w) {
    double at = 0;
    long left = 4000;
    const sti_verdict convex = is_convex(w, w->low.low, w->high.high, 0, &at, &left);
    if (convex == STI_YES) return true;
    if (convex == STI_NO) {
        w->a->outcome = STI_NO_SOLUTION;
        snprintf(w->a->reason, sizeof w->a->reason,
                 "|f'| is not convex: f' and f''' have different signs at x = %.6g; the inequality does not apply", at);
    } else {
        sti_bound_unknown(w, "|f'| could not be proved convex near x = %.6g; the inequality is not known to apply", at);
    }
    return false;
}

static sti_interval value_of_f(sti_bound_work* w, sti_interval x) {
    sti_series_evaluate(&w->series, &x, -1, 0);
    return sti_series_value(&w->series, w->f);
}

sti_status sti_bound_hadamard(sti_bound_work* w) {
    int density = 0, entry[4];
    sti_interval first[3], slope[2];
    const bool uniform = w->p->A.density == NULL;
    if (w->p->A.atom_count > 0) return STI_FAIL(w->env, STI_ERR_INPUT, -1, "weight: atoms: a density is expected here");
    sti_status status = sti_density_entry(w, "weight", w->p->A.density, &density);
    if (status == STI_OK) status = first_entries(w, density, entry);
    if (status == STI_OK) status = sti_series_init(&w->series, w->env, &w->formulas.tape, STI_QUADRATURE_ORDER);
    for (int k = 0; status == STI_OK && k < 4; k++) sti_series_want(&w->series, entry[k]);
    if (status == STI_OK) sti_series_want(&w->series, w->f);
    if (status == STI_OK && !uniform) status = sti_density_check(w, "weight", density);
    if (status == STI_OK) status = sti_bound_integrate(w, "weight", w->low, w->high, entry, 3, first);
    if (status == STI_OK && !uniform) status = sti_mass_check(w, "weight", first[0]);
    if (status == STI_OK) status = slopes_at_ends(w, slope);
    if (status != STI_OK) return status;
    const bool applies = is_applicable(w);

    const sti_interval mass = first[0], d = iv_div(first[1], mass);
    const sti_interval a1 = iv_meet(iv_add(iv_point(w->centre), d), iv(w->low.low, w->high.high));
    sides s = {.p = iv_mid(a1)};
    status = both_sides(w, entry, &s);
    if (status != STI_OK) return status;
    // from p to a_1 is next to nothing: |x - a_1| <= width there
    const double gap = iv_width(a1);
    const sti_interval slack = iv(-iv_mul_up(gap, mass.high), iv_mul_up(gap, mass.high));
    const sti_interval slack2 = iv_scale(slack, gap);
    const sti_interval P = iv_div(iv_add(first_moment(s.right, d), slack), mass);
    const sti_interval right = iv_div(iv_add(second_moment(s.right, d), slack2), mass);
    const sti_interval left = iv_div(iv_add(second_moment(s.left, d), slack2), mass);
    const sti_interval V = iv_add(left, right);
    const sti_interval to_b = iv_mul(iv_scale(iv_sub(w->high, a1), 2), P),
                       to_a = iv_mul(iv_scale(iv_sub(a1, w->low), 2), P);
    const sti_interval half_V = iv_scale(V, 0.5);
    const sti_interval plus = iv_scale(iv_sub(right, left), 0.5), minus = iv_neg(plus);
    const sti_interval lhs = iv_abs(iv_sub(iv_div(first[2], mass), value_of_f(w, a1)));

    sti_bound_put(w, "a1", a1);
    sti_bound_put(w, "mass", mass);
    sti_bound_put(w, "lhs", lhs);
    sti_bound_put(w, "slope_a", slope[0]);
    sti_bound_put(w, "slope_b", slope[1]);
    put_bounds(w, lhs, slope[0], slope[1], iv_add(minus, to_b), iv_add(plus, to_a), "bound", "A", "B", "holds");
    const sti_interval print_A = iv_add(iv_sub(half_V, left), to_b), print_B = iv_add(iv_sub(half_V, left), to_a);
    put_bounds(w, lhs, slope[0], slope[1], print_A, print_B, "bound_printed_2_5_22", "A_printed_2_5_22",
               "B_printed_2_5_22", "printed_2_5_22_holds");
    const sti_interval other_B = iv_add(iv_sub(half_V, right), to_a);
    put_bounds(w, lhs, slope[0], slope[1], print_A, other_B, "bound_printed_2_5_23", "A_printed_2_5_23",
               "B_printed_2_5_23", "printed_2_5_23_holds");
    // for symmetric weights: (|f'(a)| + |f'(b)|) P, printed with a factor 1/(b - a) too many
    const sti_interval both = iv_mul(iv_add(slope[0], slope[1]), P);
    sti_bound_put(w, "P", P);
    sti_bound_put(w, "bound_printed_symmetric", iv_div(both, iv_sub(w->high, w->low)));
    const sti_interval* bound = sti_bound_find(w->a, "bound");
    if (applies && lhs.low > bound->high)
        sti_bound_unknown(w, "the numbers contradict the inequality: %.17g above %.17g; please report this", lhs.low,
                          bound->high);
    w->a->equality = iv_is(slope[0], 0) && iv_is(slope[1], 0) && applies;
    if (w->a->equality) snprintf(w->a->equality_why, sizeof w->a->equality_why, "f is constant: both sides are 0");
    return STI_OK;
}
