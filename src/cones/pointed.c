// pointed.c: is a set of generators pointed, with what margin, and if not, which combination of them vanishes?
//
// Problem. Given rays g_1..g_m and lines l_1..l_k in R^d (contact forces, and joints that act both ways),
//
//     max delta   s.t.   g_i'x >= delta,   l_j'x = 0,   -1 <= x <= 1,   delta >= 0.                            (P)
//
// The dual asks for c >= 0 with sum c = 1 and multipliers y such that  | sum c_i g_i + sum y_j l_j |_1
//     is least; the two
// optima agree. So the optimum is 0 exactly when some nonnegative, nonzero combination of rays, plus lines, is zero:
// the generators are not pointed and (c, y) is the witness. Otherwise they are, and the margin (S3 section 2.2.1) is
// the optimum, attained at x. Lines that are linearly dependent make the whole not pointed as well: their multipliers
// are not determined. The witness is then the dependence, with zeros for the rays.
//
// (P) is solved in exact integers, also for doubles, which are binary fractions: no pivot is ever chosen by a rounded
// number. The tolerance enters once, in floating mode: rays and lines are brought to size 1 by powers of two (that does
// not change whether they are pointed), and a margin of at most tol counts as zero. By duality the witness then misses
// zero by exactly that margin: "not pointed" with a combination that is zero within the tolerance.
//
// Cost. Pivots on a table of (m + k + 2d) x (d + 1) integers, whose entries are minors of the data: a millisecond for
// d = 6, seconds from d = 24 on.
//
//  D1. Floating mode, d > 8: (P) is first tried in doubles (margin.c), with a lower and an upper bound from the data.
//      Only when they leave a doubt, about the tolerance or about ten digits of the margin, is it done in integers.
#include <math.h>
#include <string.h>

#include "cones/margin.h"
#include "cones/polycone.h"
#include "exact/dictionary.h"

// One program (P): dictionary columns x_1..x_d, delta; rows s_i = g_i'x - delta, t_j = l_j'x, 1 - x, 1 + x, -delta.
typedef struct margin_lp {
    sti_exact* x;
    int d, m, k;
    sti_dictionary* D;
    sti_int* scale;    // row i of the dictionary is scale_i > 0 times the row above       (m + k)
    sti_int den, sum;  // scratch
} margin_lp;

static void close_lp(margin_lp* lp) {
    sti_dictionary_destroy(lp->D);
    sti_int_array_free(lp->x->env, lp->scale, lp->scale != NULL ? (size_t)lp->m + (size_t)lp->k : 0);
    sti_int_clear(lp->x->env, &lp->den);
    sti_int_clear(lp->x->env, &lp->sum);
}

static int objective_row(const margin_lp* lp) {
    return lp->m + lp->k + 2 * lp->d;
}

// Integer image of row i of a public table: out = scale * row, scale > 0.
static void integer_row(sti_exact* x, const sti_rows* rows, int i, sti_int* out, sti_int* scale, sti_int* den) {
    const size_t d = (size_t)rows->dimension;
    if (rows->exact != NULL)
        sti_int_row_from_rationals(x, out, rows->exact, (size_t)i * d, d, scale, den);
    else
        sti_int_row_from_doubles(x, out, rows->value + (size_t)i * d, d, 1, scale, den);
    for (size_t j = 0; j < d && !sti_int_is_one(den); j++) sti_int_mul(x, &out[j], &out[j], den);
}

static sti_status open_lp(margin_lp* lp, sti_exact* x, int d, const sti_rows* rays, const sti_rows* lines) {
    *lp = (margin_lp){.x = x, .d = d, .m = rays->count, .k = lines->count};
    const int rows = objective_row(lp) + 1;
    lp->scale = sti_int_array(x, (size_t)lp->m + (size_t)lp->k);
    if (lp->scale == NULL) return x->status;
    const sti_status status = sti_dictionary_create(x, rows, d + 1, &lp->D);
    if (status != STI_OK) return status;
    for (int j = 0; j < d; j++) lp->D->kind[j] = STI_VAR_FREE;
    for (int i = 0; i < lp->m + lp->k && x->status == STI_OK; i++) {
        const bool is_ray = i < lp->m;
        integer_row(x, is_ray ? rays : lines, is_ray ? i : i - lp->m, sti_dictionary_at(lp->D, i, 1), &lp->scale[i],
                    &lp->den);
        if (is_ray) {
            sti_int* delta = sti_dictionary_at(lp->D, i, d + 1);
            sti_int_set(x, delta, &lp->scale[i]);
            sti_int_neg(delta);
        } else {
            lp->D->kind[d + 1 + i] = STI_VAR_ZERO;
        }
    }
    for (int j = 0; j < 2 * d; j++) {
        sti_int_set_i64(x, sti_dictionary_at(lp->D, lp->m + lp->k + j, 0), 1);
        sti_int_set_i64(x, sti_dictionary_at(lp->D, lp->m + lp->k + j, 1 + j / 2), j % 2 == 0 ? -1 : 1);
    }
    sti_int_set_i64(x, sti_dictionary_at(lp->D, rows - 1, d + 1), -1);
    lp->D->kind[d + rows] = STI_VAR_FREE;
    return x->status;
}

// Optimal dictionary. x = 0, delta = 0 is feasible and the box bounds delta, so there is one.
static sti_status solve_lp(margin_lp* lp) {
    int column;
    const bool done =
        sti_dictionary_feasible(lp->D) && sti_dictionary_minimize(lp->D, lp->d + 1 + objective_row(lp), &column);
    if (lp->x->status != STI_OK) return lp->x->status;
    return done ? STI_OK : STI_FAIL(lp->x->env, STI_ERR_INTERNAL, -1, "the margin program has no optimum");
}

static double lp_margin(margin_lp* lp) {
    const int row = sti_dictionary_row_of(lp->D, lp->d + 1 + objective_row(lp));
    const double value = sti_int_ratio(lp->x, sti_dictionary_at(lp->D, row, 0), &lp->D->d);
    return value == 0 ? 0 : -value;  // no negative zero
}

static bool lp_margin_is_zero(margin_lp* lp) {
    const int row = sti_dictionary_row_of(lp->D, lp->d + 1 + objective_row(lp));
    return sti_int_sign(sti_dictionary_at(lp->D, row, 0)) == 0;
}

static void lp_point(margin_lp* lp, double* point) {
    for (int j = 0; j < lp->d; j++) {
        const int row = sti_dictionary_row_of(lp->D, j);
        point[j] = row < 0 ? 0 : sti_int_ratio(lp->x, sti_dictionary_at(lp->D, row, 0), &lp->D->d);
    }
}

// The witness: the objective row of the optimal dictionary reads  -delta = sum c_i s_i + sum y_j t_j + bounds,  and the
// coefficients of delta on both sides give  sum c_i >= 1.  c has m + k entries, divided so that the rays sum to 1.
static sti_status lp_witness(margin_lp* lp, sti_rationals* c) {
    sti_exact* x = lp->x;
    sti_dictionary* D = lp->D;
    const int row = sti_dictionary_row_of(D, lp->d + 1 + objective_row(lp));
    for (int j = 0; j < D->cols; j++) {
        const int i = D->nonbasic[j] - (lp->d + 1);
        if (i >= 0 && i < lp->m) sti_int_addmul(x, &lp->sum, sti_dictionary_at(D, row, j + 1), &lp->scale[i]);
    }
    sti_status status = x->status;
    for (int j = 0; j < D->cols && status == STI_OK; j++) {
        const int i = D->nonbasic[j] - (lp->d + 1);
        if (i < 0 || i >= lp->m + lp->k) continue;
        sti_int_mul(x, &lp->den, sti_dictionary_at(D, row, j + 1), &lp->scale[i]);
        status = x->status != STI_OK ? x->status : sti_rationals_set_ratio(c, (size_t)i, &lp->den, &lp->sum);
    }
    return status;
}

// Dependent lines -----------------------------------------------------------------------------------------------------

// Gram-Schmidt on the lines, each with its own multipliers behind it: [ l_i | e_i ]. When the front of one vanishes,
// what stands behind is a combination that is zero; it goes to y as numbers of the arithmetic. False: independent.
static bool find_dependence(sti_arith* ar, const sti_rows* lines, sti_number* y) {
    const int d = lines->dimension, k = lines->count, width = d + k;
    sti_number vq = {0}, qq = {0}, den = {0};
    sti_table v;
    bool dependent = false;
    if (!sti_table_create(ar, (size_t)k, width, &v)) return false;
    v.count = k;
    for (int i = 0; i < k && !dependent && ar->x->status == STI_OK; i++) {
        sti_number* row = sti_table_row(&v, i);
        if (ar->exact) {
            integer_row(ar->x, lines, i, &row->z, &row[d + i].z, &den.z);
        } else {
            for (int j = 0; j < d; j++) row[j].f = lines->value[(size_t)i * (size_t)d + (size_t)j];
            row[d + i].f = 1;
        }
        for (int q = 0; q < (ar->exact ? i : 2 * i); q++) {  // floating: twice, for what the first pass leaves
            const sti_number* earlier = sti_table_row(&v, q % i);
            sti_numbers_dot(ar, &vq, row, earlier, d);
            sti_numbers_dot(ar, &qq, earlier, earlier, d);
            if (!ar->exact) {
                vq.f /= qq.f;
                qq.f = 1;
            }
            sti_numbers_combine(ar, row, &qq, row, &vq, earlier, width);
            if (ar->exact) sti_numbers_tidy(ar, row, width);
        }
        sti_numbers_dot(ar, &qq, row, row, d);
        dependent = ar->exact ? qq.z.size == 0 : sqrt(qq.f) <= ar->tol;
        if (dependent) sti_numbers_copy(ar, y, row + d, k);
    }
    sti_table_clear(ar, &v);
    if (ar->exact) {
        sti_int_clear(ar->x->env, &vq.z);
        sti_int_clear(ar->x->env, &qq.z);
        sti_int_clear(ar->x->env, &den.z);
    }
    return dependent && ar->x->status == STI_OK;
}

// The pieces of an answer ---------------------------------------------------------------------------------------------

void sti_pointedness_clear(sti_env* env, sti_pointedness* p) {
    sti_free(env, p->x);
    sti_free(env, p->c);
    sti_rationals_destroy(p->c_exact);
    *p = (sti_pointedness){.margin = NAN};
}

static sti_status make_c(sti_env* env, size_t count, sti_pointedness* out) {
    out->c = sti_alloc_array_zero(env, count, sizeof *out->c);
    return out->c != NULL ? STI_OK : STI_ERR_MEMORY;
}

// c from c_exact
static sti_status round_c(sti_env* env, sti_pointedness* out) {
    const size_t count = sti_rationals_count(out->c_exact);
    const sti_status status = make_c(env, count, out);
    for (size_t i = 0; i < count && status == STI_OK; i++) {
        out->c[i] = sti_rationals_double(out->c_exact, i);
        if (isnan(out->c[i])) return STI_ERR_MEMORY;
    }
    return status;
}

// A table scaled row by row with powers of two, entries below 1.
typedef struct scaled_rows {
    sti_rows rows;
    double* value;
    int* exponent;  // row i was divided by 2^exponent_i       (count)
} scaled_rows;

static sti_status scale_rows(sti_env* env, const sti_rows* from, scaled_rows* to) {
    const size_t d = (size_t)from->dimension, total = (size_t)from->count * d;
    *to = (scaled_rows){.rows = {.count = from->count, .dimension = from->dimension}};
    to->value = sti_alloc_array(env, total, sizeof *to->value);
    to->exponent = sti_alloc_array_zero(env, (size_t)from->count, sizeof *to->exponent);
    if (to->value == NULL || to->exponent == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < from->count; i++) {
        const double* row = from->value + (size_t)i * d;
        double largest = 0;
        for (size_t j = 0; j < d; j++) largest = fmax(largest, fabs(row[j]));
        frexp(largest, &to->exponent[i]);
        for (size_t j = 0; j < d; j++) to->value[(size_t)i * d + j] = ldexp(row[j], -to->exponent[i]);
    }
    to->rows.value = to->value;
    return STI_OK;
}

// Coefficients for the scaled rows into those for the given rows, in place; rays (if any) sum to 1 again.
static void unscale_witness(double* c, const scaled_rows* rays, const scaled_rows* lines) {
    const int m = rays->rows.count, k = lines->rows.count;
    int least = INT32_MAX;
    double sum = 0;
    for (int i = 0; i < m + k; i++) {
        const int e = i < m ? rays->exponent[i] : lines->exponent[i - m];
        if (c[i] != 0 && e < least) least = e;
    }
    for (int i = 0; i < m + k; i++) {
        if (c[i] == 0) continue;
        c[i] = ldexp(c[i], least - (i < m ? rays->exponent[i] : lines->exponent[i - m]));
        if (i < m) sum += c[i];
    }
    for (int i = 0; i < m + k && sum > 0; i++) c[i] /= sum;
}

static sti_status fill_point(sti_env* env, margin_lp* lp, sti_pointedness* out) {
    out->pointed = true;
    out->margin = lp_margin(lp);
    out->x = sti_alloc_array_zero(env, (size_t)lp->d, sizeof *out->x);
    if (out->x == NULL) return STI_ERR_MEMORY;
    lp_point(lp, out->x);
    return lp->x->status;
}

// The two modes -------------------------------------------------------------------------------------------------------

static sti_status solve_exact(sti_env* env, sti_exact* x, int d, const sti_rows* rays, const sti_rows* lines,
                              sti_pointedness* out) {
    margin_lp lp;
    sti_status status = open_lp(&lp, x, d, rays, lines);
    if (status == STI_OK) status = solve_lp(&lp);
    if (status == STI_OK && !lp_margin_is_zero(&lp)) {
        status = fill_point(env, &lp, out);
    } else if (status == STI_OK) {
        out->margin = 0;
        status = sti_rationals_create(env, (size_t)lp.m + (size_t)lp.k, &out->c_exact);
        if (status == STI_OK) status = lp_witness(&lp, out->c_exact);
        if (status == STI_OK) status = round_c(env, out);
    }
    close_lp(&lp);
    return status;
}

// Pointed or not, on rows of size 1; not pointed: the witness is filled in.
static sti_status decide_exactly(sti_env* env, sti_exact* x, const scaled_rows* rays, const scaled_rows* lines,
                                 double tol, sti_pointedness* out, bool* pointed) {
    margin_lp lp;
    sti_status status = open_lp(&lp, x, rays->rows.dimension, &rays->rows, &lines->rows);
    if (status == STI_OK) status = solve_lp(&lp);
    *pointed = status == STI_OK && lp_margin(&lp) > tol;
    if (status == STI_OK && !*pointed) {
        status = sti_rationals_create(env, (size_t)lp.m + (size_t)lp.k, &out->c_exact);
        if (status == STI_OK) status = lp_witness(&lp, out->c_exact);
        if (status == STI_OK) status = round_c(env, out);
        sti_rationals_destroy(out->c_exact);  // it belongs to the scaled rows
        out->c_exact = NULL;
    }
    close_lp(&lp);
    return status;
}

static sti_status decide_floating(sti_env* env, sti_exact* x, const scaled_rows* rays, const scaled_rows* lines,
                                  double tol, sti_pointedness* out, bool* pointed) {
    if (rays->rows.dimension <= 8) return decide_exactly(env, x, rays, lines, tol, out, pointed);
    sti_margin bounds;  // D1
    sti_status status = sti_margin_enclose(env, &rays->rows, &lines->rows, &bounds);
    if (status != STI_OK) return status;
    *pointed = bounds.lower > tol;
    if (!*pointed && bounds.upper <= tol) {
        const size_t count = (size_t)rays->rows.count + (size_t)lines->rows.count;
        status = make_c(env, count, out);
        if (status == STI_OK) memcpy(out->c, bounds.c, count * sizeof *out->c);
    } else if (!*pointed) {
        status = decide_exactly(env, x, rays, lines, tol, out, pointed);
    }
    sti_margin_clear(env, &bounds);
    return status;
}

// The margin of pointed rays as given; the lines may stay scaled.
static sti_status measure_floating(sti_env* env, sti_exact* x, const sti_rows* rays, const sti_rows* lines,
                                   sti_pointedness* out) {
    const int d = rays->dimension;
    if (d > 8) {  // D1
        sti_margin bounds;
        sti_status status = sti_margin_enclose(env, rays, lines, &bounds);
        if (status != STI_OK) return status;
        const bool tight = bounds.upper - bounds.lower <= 1e-10 * bounds.lower;
        if (tight) {
            out->pointed = true;
            out->margin = bounds.lower;
            out->x = sti_alloc_array(env, (size_t)d, sizeof *out->x);
            if (out->x == NULL)
                status = STI_ERR_MEMORY;
            else
                memcpy(out->x, bounds.x, (size_t)d * sizeof *out->x);
        }
        sti_margin_clear(env, &bounds);
        if (tight) return status;
    }
    margin_lp lp;
    sti_status status = open_lp(&lp, x, d, rays, lines);
    if (status == STI_OK) status = solve_lp(&lp);
    if (status == STI_OK) status = fill_point(env, &lp, out);
    close_lp(&lp);
    return status;
}

static sti_status solve_floating(sti_env* env, sti_exact* x, const sti_rows* given, const scaled_rows* rays,
                                 const scaled_rows* lines, double tol, sti_pointedness* out) {
    bool pointed;
    const sti_status status = decide_floating(env, x, rays, lines, tol, out, &pointed);
    if (status != STI_OK) return status;
    if (pointed) return measure_floating(env, x, given, &lines->rows, out);
    out->margin = 0;
    unscale_witness(out->c, rays, lines);
    return STI_OK;
}

// Lines dependent among themselves: fills the witness.
static sti_status check_lines(sti_env* env, sti_arith* ar, int m, const sti_rows* lines, sti_pointedness* out,
                              bool* dependent) {
    const size_t k = (size_t)lines->count, rays = (size_t)m;
    *dependent = false;
    sti_number* y = sti_numbers_create(ar, k);
    if (y == NULL) return ar->x->status;
    *dependent = find_dependence(ar, lines, y);
    sti_status status = ar->x->status;
    if (status == STI_OK && *dependent) {
        out->margin = 0;
        if (ar->exact) {
            sti_int one = {0};
            sti_int_set_i64(ar->x, &one, 1);
            status = ar->x->status != STI_OK ? ar->x->status : sti_rationals_create(env, rays + k, &out->c_exact);
            for (size_t i = 0; i < k && status == STI_OK; i++)
                status = sti_rationals_set_ratio(out->c_exact, rays + i, &y[i].z, &one);
            sti_int_clear(env, &one);
            if (status == STI_OK) status = round_c(env, out);
        } else {
            status = make_c(env, rays + k, out);
            for (size_t i = 0; i < k && status == STI_OK; i++) out->c[rays + i] = y[i].f;
        }
    }
    sti_numbers_destroy(ar, y, k);
    return status;
}

static sti_status decide(sti_env* env, sti_exact* x, int d, const sti_rows* rays, const sti_rows* lines, bool exact,
                         double tol, sti_pointedness* out) {
    sti_arith ar;
    scaled_rows ray_scaled = {0}, line_scaled = {0};
    bool dependent = false;
    sti_arith_init(&ar, x, exact, tol);
    sti_status status = STI_OK;
    if (!exact) status = scale_rows(env, rays, &ray_scaled);
    if (!exact && status == STI_OK) status = scale_rows(env, lines, &line_scaled);
    if (status == STI_OK)
        status = check_lines(env, &ar, rays->count, exact ? lines : &line_scaled.rows, out, &dependent);
    if (status == STI_OK && dependent) {
        if (!exact) unscale_witness(out->c, &ray_scaled, &line_scaled);
    } else if (status == STI_OK && rays->count == 0) {
        // nothing bounds delta
        out->pointed = true;
        out->margin = INFINITY;
        out->x = sti_alloc_array_zero(env, (size_t)d, sizeof *out->x);
        if (out->x == NULL) status = STI_ERR_MEMORY;
    } else if (status == STI_OK) {
        status = exact ? solve_exact(env, x, d, rays, lines, out)
                       : solve_floating(env, x, rays, &ray_scaled, &line_scaled, tol, out);
    }
    sti_free(env, ray_scaled.value);
    sti_free(env, ray_scaled.exponent);
    sti_free(env, line_scaled.value);
    sti_free(env, line_scaled.exponent);
    sti_arith_clear(&ar);
    return status;
}

sti_status sti_rows_pointedness(sti_env* env, int dimension, const sti_rows* rays, const sti_rows* lines,
                                const sti_polycone_options* options, sti_pointedness* out) {
    *out = (sti_pointedness){.margin = NAN};
    const sti_polycone_options defaults = sti_polycone_options_default();
    if (options == NULL) options = &defaults;
    bool exact;
    sti_status status = sti_rows_check(env, dimension, rays, "rays", lines, "lines", options, &exact);
    if (status != STI_OK) return status;
    // tables without rows may have no dimension; in floating mode exact numbers are set aside
    sti_rows r = {.dimension = dimension}, l = {.dimension = dimension};
    if (rays != NULL && rays->count > 0) r = *rays;
    if (lines != NULL && lines->count > 0) l = *lines;
    if (!exact) r.exact = l.exact = NULL;
    sti_exact x;
    sti_exact_init(&x, env);
    status = decide(env, &x, dimension, &r, &l, exact, options->tol, out);
    sti_exact_clear(&x);
    if (status != STI_OK) sti_pointedness_clear(env, out);
    return status;
}

static sti_status bound_margin(sti_env* env, sti_exact* x, const sti_rows* rays, const sti_rows* lines, double tol,
                               double* lower, double* upper) {
    scaled_rows scaled = {0};
    sti_arith ar;
    sti_pointedness witness = {0};
    bool dependent = false;
    sti_arith_init(&ar, x, false, tol);
    sti_status status = scale_rows(env, lines, &scaled);
    if (status == STI_OK) status = check_lines(env, &ar, rays->count, &scaled.rows, &witness, &dependent);
    sti_pointedness_clear(env, &witness);
    *lower = *upper = dependent ? 0 : INFINITY;
    if (status == STI_OK && !dependent && rays->count > 0) {
        sti_margin bounds;
        status = sti_margin_enclose(env, rays, &scaled.rows, &bounds);
        if (status == STI_OK) {
            *lower = bounds.lower;
            *upper = bounds.upper;
            sti_margin_clear(env, &bounds);
        }
    }
    sti_free(env, scaled.value);
    sti_free(env, scaled.exponent);
    sti_arith_clear(&ar);
    return status;
}

sti_status sti_rows_margin_bounds(sti_env* env, int dimension, const sti_rows* rays, const sti_rows* lines,
                                  double* lower, double* upper) {
    const sti_polycone_options options = sti_polycone_options_default();
    *lower = *upper = NAN;
    bool exact;
    sti_status status = sti_rows_check(env, dimension, rays, "rays", lines, "lines", &options, &exact);
    if (status != STI_OK) return status;
    sti_rows r = {.dimension = dimension}, l = {.dimension = dimension};
    if (rays != NULL && rays->count > 0) r = *rays;
    if (lines != NULL && lines->count > 0) l = *lines;
    r.exact = l.exact = NULL;
    sti_exact x;
    sti_exact_init(&x, env);
    status = bound_margin(env, &x, &r, &l, options.tol, lower, upper);
    sti_exact_clear(&x);
    return status;
}
