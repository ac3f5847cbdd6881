// sticking_section_3.c: the check of S0 sections 3.1 and 3.2: propositions 6 to 8, MFCQ, corollaries 2 and 3, equation
// (43).
#include <math.h>
#include <stdio.h>

#include "verify/sticking_facts.h"

enum { MOST = 32 };

static sti_fractions column_of(sti_sticking_facts* f, const double* v, int count) {
    return sti_fractions_from_doubles(&f->k, count, 1, v);
}

static bool all_finite(const sti_named* v) {
    for (int i = 0; i < v->rows * v->cols; i++)
        if (!isfinite(v->value[i])) return false;
    return true;
}

// ---- proposition 6

static bool check_eigenvalues(sti_sticking_facts* f, sti_fractions A) {
    double w[MOST], size[MOST], most = 0;
    if (f->u > MOST) return true;
    sti_facts_eigenvalues(&f->k, A, w);
    for (int i = 0; i < f->u * f->u; i++) most = fmax(most, sti_fractions_size(A, i));
    for (int i = 0; i < f->u; i++) size[i] = most;
    return sti_claim_doubles(f, "P6.i", "eigenvalues", f->u, w, size);
}

// Rows z with A_c z = 0, orthonormal, as many as the kernel has dimensions.
static bool check_null_vectors(sti_sticking_facts* f, sti_fractions A, int kernel) {
    const sti_named* v = sti_claim_number(f, "P6.ii", "null_vectors");
    if (v == NULL || sti_algebra_failed(&f->k)) return true;
    if (v->rows * v->cols != kernel * f->u) return sti_claim_fails(f, "P6.ii", "the kernel has %d dimensions", kernel);
    for (int r = 0; r < kernel; r++) {
        const double* z = v->value + (size_t)r * (size_t)f->u;
        for (int s = 0; s <= r; s++) {
            double dot = 0;
            for (int i = 0; i < f->u; i++) dot += z[i] * v->value[(size_t)s * (size_t)f->u + (size_t)i];
            if (!(fabs(dot - (s == r)) <= f->tol))
                return sti_claim_fails(f, "P6.ii", "null_vectors are not orthonormal");
        }
        for (int i = 0; i < f->u; i++) {
            double sum = 0, terms = 0;
            for (int j = 0; j < f->u; j++) {
                sum += sti_fractions_double(&f->k, A, i, j) * z[j];
                terms += sti_fractions_size(A, i * f->u + j);
            }
            if (!(fabs(sum) <= 1e2 * f->tol * terms))
                return sti_claim_fails(f, "P6.ii", "null_vectors are not in ker A_c");
        }
    }
    sti_claim_judged(f, v);
    return true;
}

// A solution of 0 <= z _|_ A z + b >= 0, within tol of the terms.
static bool solves_lcp(sti_sticking_facts* f, sti_fractions A, sti_fractions b, const double* z, int count) {
    double scale = 0;
    for (int i = 0; i < count; i++) scale = fmax(scale, fabs(z[i]));
    for (int i = 0; i < count; i++) {
        double w = sti_fractions_double(&f->k, b, i, 0), terms = sti_fractions_size(b, i);
        for (int j = 0; j < count; j++) {
            w += sti_fractions_double(&f->k, A, i, j) * z[j];
            terms += sti_fractions_size(A, i * count + j) * fabs(z[j]);
        }
        if (!(z[i] >= -f->tol * scale) || !(w >= -f->tol * terms)) return false;
        if (z[i] > f->tol * scale && w > f->tol * terms) return false;
    }
    return true;
}

// A vertex of the set of solutions: columns of (A; b') where z > 0 are independent.
static bool is_vertex(sti_sticking_facts* f, sti_fractions A, sti_fractions b, const double* z) {
    int support[MOST], count = 0;
    double scale = 0;
    for (int i = 0; i < f->u; i++) scale = fmax(scale, fabs(z[i]));
    for (int i = 0; i < f->u && f->u < MOST; i++)
        if (z[i] > f->tol * scale) support[count++] = i;
    const sti_fractions all = sti_fractions_stack(&f->k, A, sti_fractions_transpose(&f->k, b));
    return sti_fractions_rank(&f->k, sti_fractions_columns(&f->k, all, support, count)) == count;
}

static bool check_basic_solutions(sti_sticking_facts* f, sti_fractions A, sti_fractions H, int kernel) {
    const sti_named* v = sti_claim_number(f, "P6.ii", "basic_solutions");
    if (v == NULL || sti_algebra_failed(&f->k)) return true;
    const int count = f->u > 0 ? v->rows * v->cols / f->u : 0;
    if (kernel == 0 && count != 1) return sti_claim_fails(f, "P6.ii", "A_c > 0 and %d basic solutions", count);
    for (int r = 0; r < count; r++) {
        const double* z = v->value + (size_t)r * (size_t)f->u;
        if (!solves_lcp(f, A, H, z, f->u) || !is_vertex(f, A, H, z))
            return sti_claim_fails(f, "P6.ii", "solution %d is no basic one", r);
    }
    sti_claim_judged(f, v);
    return true;
}

// z >= 0, A_c z = 0, sum z = 1; z'H_c < 0 when (37) is not solvable, >= 0 otherwise.
static bool check_homogeneous(sti_sticking_facts* f, sti_fractions A, sti_fractions H, bool solvable) {
    const sti_named* v = sti_claim_number(f, "P6.iv", "z");
    if (v == NULL || sti_algebra_failed(&f->k)) return true;
    if (v->rows * v->cols != f->u || !all_finite(v)) return sti_claim_fails(f, "P6.iv", "z has not %d numbers", f->u);
    double sum = 0, value = 0, terms = 0;
    for (int i = 0; i < f->u; i++) {
        double row = 0, size = 0;
        sum += v->value[i];
        value += v->value[i] * sti_fractions_double(&f->k, H, i, 0);
        terms += fabs(v->value[i]) * sti_fractions_size(H, i);
        for (int j = 0; j < f->u; j++) {
            row += sti_fractions_double(&f->k, A, i, j) * v->value[j];
            size += sti_fractions_size(A, i * f->u + j);
        }
        if (v->value[i] < -f->tol || fabs(row) > 1e3 * f->tol * size)
            return sti_claim_fails(f, "P6.iv", "z is no homogeneous solution");
    }
    sti_claim_judged(f, v);
    if (fabs(sum - 1) > f->tol) return sti_claim_fails(f, "P6.iv", "sum z is %.10g, not 1", sum);
    if (solvable ? value < -1e3 * f->tol * terms : !(value < 0))
        return sti_claim_fails(f, "P6.iv", "z'H_c is %.3g", value);
    return true;
}

static bool check_6(sti_sticking_facts* f, bool solvable) {
    static const char* const ids[] = {"P6.i", "P6.ii", "P6.iii", "P6.iv"};
    bool good = true;
    if (f->slides || f->u == 0 || !f->definite || f->rank_X < f->x) {
        for (int i = 0; i < 4 && good; i++) good = sti_claim_verdict(f, ids[i], STI_NOT_APPLICABLE);
        return good;
    }
    sti_fractions A, H, first;
    sti_facts_augmented(f, &A, &H, &first);
    const int kernel = f->u - (f->rank_UX - f->rank_X);
    good = sti_claim_verdict(f, "P6.i", kernel == 0 ? STI_HOLDS : STI_HOLDS_NOT) &&
           sti_claim_matrix(f, "P6.i", "A_c", A) && sti_claim_matrix(f, "P6.i", "H_c", H) &&
           sti_claim_matrix(f, "P6.i", "minus_grad_h_Mc_F", first) && check_eigenvalues(f, A) &&
           sti_claim_integer(f, "P6.i", "rank_gradh_H", f->rank_C) && sti_claim_verdict(f, "P6.ii", STI_HOLDS) &&
           check_null_vectors(f, A, kernel) && check_basic_solutions(f, A, H, kernel) &&
           sti_claim_verdict(f, "P6.iii", f->rank_U + f->rank_X == f->rank_C ? STI_HOLDS : STI_HOLDS_NOT) &&
           sti_claim_verdict(f, "P6.iv", solvable ? STI_HOLDS : STI_HOLDS_NOT) && check_homogeneous(f, A, H, solvable);
    const sti_opening* o = &f->answer->opening;
    if (good && o->asked && o->a != NULL) good = sti_claim_doubles(f, "P6.iii", "qdd", f->n, o->a, f->size_a);
    return good;
}

// ---- linear programs over the constraints

// Rows over v: X'v + c_x = 0 (equations), then U'v + c_u - d >= 0; rates: with c.
static bool constraints_hold(sti_sticking_facts* f, sti_fractions X, sti_fractions c_x, bool rates, const double* d,
                             const sti_fractions* box, int box_rows) {
    sti_algebra* k = &f->k;
    sti_fractions constant = rates ? sti_fractions_stack(k, c_x, f->c_u) : sti_fractions_make(k, X.cols + f->u, 1);
    if (d != NULL) {
        double shift[2 * MOST] = {0};
        for (int i = 0; i < f->u && X.cols + f->u < 2 * MOST; i++) shift[X.cols + i] = *d;
        constant = sti_fractions_sum(k, constant, sti_fractions_from_doubles(k, X.cols + f->u, 1, shift), -1);
    }
    const sti_fractions both = sti_fractions_transpose(k, sti_fractions_join(k, X, f->U));
    sti_fractions rows = sti_fractions_join(k, constant, both);
    if (box != NULL && box_rows > 0) rows = sti_fractions_stack(k, rows, *box);
    return sti_fractions_feasible(k, rows, X.cols);
}

// 1 - v_j >= 0 and 1 + v_j >= 0.
static sti_fractions box_of(sti_sticking_facts* f) {
    const size_t n = (size_t)f->n;
    double* row = sti_alloc_array_zero(f->k.env, 2 * n * (n + 1), sizeof *row);
    if (row == NULL) {
        sti_algebra_fail(&f->k);
        return (sti_fractions){0};
    }
    for (size_t j = 0; j < 2 * n; j++) {
        row[j * (n + 1)] = 1;
        row[j * (n + 1) + 1 + j / 2] = j % 2 ? -1 : 1;
    }
    const sti_fractions out = sti_fractions_from_doubles(&f->k, (int)(2 * n), (int)n + 1, row);
    sti_free(f->k.env, row);
    return out;
}

static bool check_mfcq(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    if (f->u == 0) return sti_claim_verdict(f, "MFCQ", STI_NOT_APPLICABLE);
    int joints[2 * MOST], count = 0;
    for (int i = 0; i < f->m && count < 2 * MOST; i++)
        if (sti_sticking_data_contact(f->d, i)->bilateral) joints[count++] = i;
    if (f->m >= MOST) return true;
    const sti_fractions B = sti_fractions_columns(k, f->N, joints, count), none = sti_fractions_make(k, count, 1);
    const double one = 1;
    const bool opens = constraints_hold(f, B, none, false, &one, NULL, 0);
    const bool independent = sti_fractions_rank(k, B) == count;
    if (!sti_claim_verdict(f, "MFCQ", opens && independent ? STI_HOLDS : STI_HOLDS_NOT)) return false;
    const sti_named *rate = sti_claim_number(f, "MFCQ", "opening_rate"), *v = sti_claim_number(f, "MFCQ", "v");
    if (rate == NULL || v == NULL || isnan(rate->value[0]) || sti_algebra_failed(k)) return true;
    const double d = rate->value[0];
    if (!isfinite(d) || v->rows * v->cols != f->n || !all_finite(v))
        return sti_claim_fails(f, "MFCQ", "v has not %d numbers", f->n);
    sti_claim_judged(f, rate);
    sti_claim_judged(f, v);
    double reach = 0;
    // v opens at rate d, and nothing in the box opens faster
    for (int i = 0; i < f->m; i++) {
        double sum = 0, terms = 0;
        for (int j = 0; j < f->n; j++) {
            sum += sti_fractions_double(k, f->N, j, i) * v->value[j];
            terms += sti_fractions_size(f->N, j * f->m + i);
            if (fabs(v->value[j]) > 1 + 1e-5)
                return sti_claim_fails(f, "MFCQ", "v[%d] is %.10g, larger than one; rate %g", j, v->value[j], d);
        }
        const bool joint = sti_sticking_data_contact(f->d, i)->bilateral;
        reach = fmax(reach, terms);
        if (joint ? fabs(sum) > 1e2 * f->tol * terms : sum < d * (1 - 1e-5) - 1e2 * f->tol * terms)
            return sti_claim_fails(f, "MFCQ", "v opens contact %d at %.6g, not at %.6g", i, sum, d);
    }
    const sti_fractions box = box_of(f);
    const double more = d * (1 + 1e-6) + f->tol * reach;
    if (opens != (d > 0)) return sti_claim_fails(f, "MFCQ", "opening_rate is %.6g", d);
    if (d > 0 && constraints_hold(f, B, none, false, &more, &box, 2 * f->n))
        return sti_claim_fails(f, "MFCQ", "there are motions that open faster than %.6g", d);
    return true;
}

// ---- the set E

// X y + U l = 0, l >= 0 with a further row (form over (y, l)) equal to side.
static bool cone_reaches(sti_sticking_facts* f, sti_fractions form, int side) {
    sti_algebra* k = &f->k;
    const sti_fractions both = sti_fractions_join(k, f->X, f->U), zero = sti_fractions_make(k, f->n, 1);
    double values[2 * MOST * MOST] = {0};
    const double target = -side;
    for (int h = 0; h < f->u; h++) values[h * (1 + f->x + f->u) + 1 + f->x + h] = 1;
    const sti_fractions upper = sti_fractions_join(k, zero, both);
    const sti_fractions row = sti_fractions_join(k, sti_fractions_from_doubles(k, 1, 1, &target), form);
    const sti_fractions signs = sti_fractions_from_doubles(k, f->u, 1 + f->x + f->u, values);
    return sti_fractions_feasible(k, sti_fractions_stack(k, sti_fractions_stack(k, upper, row), signs), f->n + 1);
}

// M x = 0, X'x = 0, U'x >= 0, x_j = side, and, with `low`, |x| <= 1 and F'x <= *low sum |F|.
static bool kernel_reaches(sti_sticking_facts* f, int j, int side, const double* low) {
    sti_algebra* k = &f->k;
    double row[MOST + 1] = {0}, load = 0;
    row[0] = -side;
    row[1 + j] = 1;
    const sti_fractions Xt = sti_fractions_transpose(k, f->X), Ut = sti_fractions_transpose(k, f->U);
    const sti_fractions eq = sti_fractions_stack(k, f->M, Xt);
    const sti_fractions upper = sti_fractions_join(k, sti_fractions_make(k, eq.rows, 1), eq);
    const sti_fractions fixed = sti_fractions_stack(k, upper, sti_fractions_from_doubles(k, 1, f->n + 1, row));
    const sti_fractions lower = sti_fractions_join(k, sti_fractions_make(k, f->u, 1), Ut);
    sti_fractions all = sti_fractions_stack(k, fixed, lower);
    if (low != NULL && !sti_algebra_failed(k)) {
        for (int i = 0; i < f->n; i++) load += sti_fractions_size(f->F, i) * *low;
        const sti_fractions zero = sti_fractions_make(k, 1, f->n), Ft = sti_fractions_transpose(k, f->F);
        const sti_fractions fall =
            sti_fractions_join(k, sti_fractions_from_doubles(k, 1, 1, &load), sti_fractions_sum(k, zero, Ft, -1));
        all = sti_fractions_stack(k, sti_fractions_stack(k, all, fall), box_of(f));
    }
    return sti_fractions_feasible(k, all, f->n + f->x + 1);
}

// Rows of the number are in E_x (or, with image, X y in -cone(U) for E_y); lines in both directions.
static bool rays_belong(sti_sticking_facts* f, const char* name, bool image, bool line) {
    sti_algebra* k = &f->k;
    const sti_named* v = sti_claim_number(f, "P8.i", name);
    const int width = image ? f->x : f->n;
    if (v != NULL && width > 0 && (v->rows * v->cols % width != 0 || !all_finite(v)))
        return sti_claim_fails(f, "P8.i", "%s: rows have not %d numbers", name, width);
    if (v != NULL && width == 0 && v->rows * v->cols > 0)
        return sti_claim_fails(f, "P8.i", "%s: E has no such part", name);
    sti_claim_judged(f, v);
    for (int r = 0; v != NULL && width > 0 && r < v->rows * v->cols / width && !sti_algebra_failed(k); r++) {
        const double* ray = v->value + (size_t)r * (size_t)width;
        double length = 0;
        for (int j = 0; j < width; j++) length = fmax(length, fabs(ray[j]));
        if (!(length > 0) || !isfinite(length))
            return sti_claim_fails(f, "P8.i", "%s: row %d is no direction", name, r);
        const sti_fractions x = column_of(f, ray, width);
        if (!image) {
            const sti_fractions a = sti_fractions_product(k, f->M, x);
            const sti_fractions b = sti_fractions_product(k, sti_fractions_transpose(k, f->X), x);
            const sti_fractions c = sti_fractions_product(k, sti_fractions_transpose(k, f->U), x);
            if (sti_algebra_failed(k)) return true;
            bool in = true;
            for (int i = 0; i < f->n; i++)
                in = in && fabs(sti_fractions_double(k, a, i, 0)) <= f->tol * sti_fractions_size(a, i);
            for (int i = 0; i < f->x; i++)
                in = in && fabs(sti_fractions_double(k, b, i, 0)) <= f->tol * sti_fractions_size(b, i);
            for (int i = 0; i < f->u; i++) {
                const double s = sti_fractions_double(k, c, i, 0);
                in = in && s >= -f->tol * sti_fractions_size(c, i) && (!line || s <= f->tol * sti_fractions_size(c, i));
            }
            if (!in) return sti_claim_fails(f, "P8.i", "%s: row %d is not in E", name, r);
            continue;
        }
        // X y + U l = 0 for some l >= 0: U l stays within rounding of -X y
        for (int side = 1; side >= (line ? -1 : 1); side -= 2) {
            const sti_fractions Xy = sti_fractions_product(k, f->X, x);
            double slack[MOST];
            for (int i = 0; i < f->n && i < MOST && !sti_algebra_failed(k); i++)
                slack[i] = f->tol * sti_fractions_size(Xy, i);
            if (f->n > MOST || sti_algebra_failed(k)) return true;
            double signs[MOST * (MOST + 1)] = {0};
            for (int h = 0; h < f->u; h++) signs[h * (1 + f->u) + 1 + h] = 1;
            const sti_fractions zero = sti_fractions_make(k, f->n, 1),
                                wide = sti_fractions_from_doubles(k, f->n, 1, slack);
            const sti_fractions y = sti_fractions_sum(k, zero, Xy, side), none = sti_fractions_make(k, f->n, f->u);
            const sti_fractions up = sti_fractions_join(k, sti_fractions_sum(k, wide, y, 1), f->U);
            const sti_fractions down =
                sti_fractions_join(k, sti_fractions_sum(k, wide, y, -1), sti_fractions_sum(k, none, f->U, -1));
            const sti_fractions l = sti_fractions_from_doubles(k, f->u, 1 + f->u, signs);
            if (!sti_fractions_feasible(k, sti_fractions_stack(k, sti_fractions_stack(k, up, down), l), 0))
                return sti_claim_fails(f, "P8.i", "%s: row %d is not in E", name, r);
        }
    }
    return true;
}

static int rows_of(sti_sticking_facts* f, const char* name, int width) {
    const sti_named* v = sti_claim_number(f, "P8.i", name);
    return v == NULL || width == 0 ? 0 : v->rows * v->cols / width;
}

// Least F'v / |v| on the rays claimed for E_x.
static double least_on_x(sti_sticking_facts* f, double* size) {
    const sti_named* v = sti_claim_number(f, "P8.i", "x_rays");
    double least = INFINITY;
    *size = 0;
    for (int r = 0; v != NULL && f->n > 0 && r < v->rows * v->cols / f->n && !sti_algebra_failed(&f->k); r++) {
        const double* ray = v->value + (size_t)r * (size_t)f->n;
        double sum = 0, length = 0, terms = 0;
        for (int j = 0; j < f->n; j++) {
            sum += sti_fractions_double(&f->k, f->F, j, 0) * ray[j];
            terms += sti_fractions_size(f->F, j) * fabs(ray[j]);
            length = hypot(length, ray[j]);
        }
        *size = fmax(*size, terms / length);
        least = fmin(least, sum / length);
    }
    return least;
}

// Is d reached on the rays of E_y? rest: x0 = 0; near: x0 of at most a million times its size, so that what was rounded
// away of the rays has no say.
static bool y_reaches(sti_sticking_facts* f, double d, bool rest, bool near) {
    sti_algebra* k = &f->k;
    const sti_named* v = sti_claim_number(f, "P8.i", "y_rays");
    const int count = rows_of(f, "y_rays", f->x);
    if (count == 0 || v == NULL) return true;
    const sti_fractions rays = sti_fractions_from_doubles(k, count, f->x, v->value);
    double shift[256] = {0};
    if (count > 256) return true;
    for (int r = 0; r < count; r++)
        for (int j = 0; j < f->x; j++) shift[r] = hypot(shift[r], v->value[r * f->x + j]);
    for (int r = 0; r < count; r++) shift[r] *= d;
    const sti_fractions constant = sti_fractions_sum(k, sti_fractions_product(k, rays, f->c_x),
                                                     sti_fractions_from_doubles(k, count, 1, shift), -1);
    const sti_fractions form = sti_fractions_product(k, rays, sti_fractions_transpose(k, f->X));
    sti_fractions rows = sti_fractions_join(k, constant, form);
    if (rest) {
        const sti_fractions still = sti_fractions_make(k, count, f->n);
        rows = sti_fractions_join(k, constant, still);
    } else {
        const sti_fractions Ut = sti_fractions_transpose(k, f->U);
        rows = sti_fractions_stack(k, rows, sti_fractions_join(k, f->c_u, Ut));
    }
    if (near && !rest && f->n < MOST) {
        double box[2 * MOST * (MOST + 1)] = {0};
        for (int j = 0; j < 2 * f->n; j++) {
            box[j * (f->n + 1)] = 1;
            box[j * (f->n + 1) + 1 + j / 2] = (j % 2 ? -1e-6 : 1e-6) / f->size_a[j / 2];
        }
        rows = sti_fractions_stack(k, rows, sti_fractions_from_doubles(k, 2 * f->n, f->n + 1, box));
    }
    return sti_fractions_feasible(k, rows, 0);
}

// What the form on E_y is summed from.
static double form_size(const sti_sticking_facts* f) {
    double size = 0;
    for (int i = 0; i < f->x && !sti_algebra_failed(&f->k); i++) {
        size = fmax(size, sti_fractions_size(f->c_x, i));
        for (int j = 0; j < f->n; j++) size = fmax(size, sti_fractions_size(f->X, j * f->x + i) * f->size_a[j]);
    }
    return size;
}

// Is F'x > low sum |F| on E_x without 0, |x| = 1?
static bool pushes_on_x(sti_sticking_facts* f, double low) {
    for (int j = 0; j < f->n; j++)
        for (int side = -1; side <= 1; side += 2)
            if (kernel_reaches(f, j, side, &low)) return false;
    return true;
}

// Lines of E_y = { y : X y + U l = 0, l >= 0 }: y and -y in it.
static bool has_line_y(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    const int width = 1 + f->x + 2 * f->u;
    double signs[2 * MOST * (1 + 2 * MOST)] = {0}, fixed[1 + 2 * MOST] = {0};
    for (int h = 0; h < 2 * f->u; h++) signs[h * width + 1 + f->x + h] = 1;
    const sti_fractions none = sti_fractions_make(k, f->n, f->u), zero = sti_fractions_make(k, f->n, 1);
    const sti_fractions minus = sti_fractions_sum(k, sti_fractions_make(k, f->n, f->x), f->X, -1);
    const sti_fractions there = sti_fractions_join(k, f->X, sti_fractions_join(k, f->U, none));
    const sti_fractions back = sti_fractions_join(k, minus, sti_fractions_join(k, none, f->U));
    const sti_fractions both =
        sti_fractions_stack(k, sti_fractions_join(k, zero, there), sti_fractions_join(k, zero, back));
    const sti_fractions pushes = sti_fractions_from_doubles(k, 2 * f->u, width, signs);
    for (int j = 0; j < f->x; j++) {
        fixed[0] = -1;
        fixed[1 + j] = 1;
        const sti_fractions one = sti_fractions_from_doubles(k, 1, width, fixed);
        fixed[1 + j] = 0;
        if (sti_fractions_feasible(k, sti_fractions_stack(k, sti_fractions_stack(k, both, one), pushes), 2 * f->n + 1))
            return true;
    }
    return false;
}

// Is (c_x + X'x0)'y > 0 on E_y without 0, for some x0 with U'x0 + c_u >= 0 (rest: for x0 = 0)? The dual cone of E_y is
// { X't : U't <= 0 }, and where E_y has no lines its interior is the image of the t with U_i't < 0 for all i for which
// this is possible at all. Multiplied by a common factor s: s c_x + X'(x0 - t) = 0, U'x0 + s c_u >= 0, s >= 1, and
// U_i't <= -1 for those i.
static bool positive_on_y(sti_sticking_facts* f, bool rest) {
    sti_algebra* k = &f->k;
    const sti_fractions Ut = sti_fractions_transpose(k, f->U), Xt = sti_fractions_transpose(k, f->X);
    const sti_fractions minus = sti_fractions_sum(k, sti_fractions_make(k, f->u, f->n), Ut, -1);
    double strict[MOST] = {0};
    for (int i = 0; i < f->u; i++) {
        double only[MOST] = {0};
        only[i] = -1;
        const sti_fractions rows = sti_fractions_join(k, sti_fractions_from_doubles(k, f->u, 1, only), minus);
        strict[i] = sti_fractions_feasible(k, rows, 0) ? -1 : 0;
    }
    // columns: 1, x0, t, s
    const sti_fractions no_x = sti_fractions_make(k, f->x, 1), no_u = sti_fractions_make(k, f->u, 1);
    const sti_fractions still = sti_fractions_make(k, f->x, f->n), free_u = sti_fractions_make(k, f->u, f->n);
    const sti_fractions minus_X = sti_fractions_sum(k, still, Xt, -1);
    const sti_fractions eq =
        sti_fractions_join(k, no_x, sti_fractions_join(k, rest ? still : Xt, sti_fractions_join(k, minus_X, f->c_x)));
    const sti_fractions in =
        sti_fractions_join(k, no_u, sti_fractions_join(k, Ut, sti_fractions_join(k, free_u, f->c_u)));
    const sti_fractions open = sti_fractions_join(k, sti_fractions_from_doubles(k, f->u, 1, strict),
                                                  sti_fractions_join(k, free_u, sti_fractions_join(k, minus, no_u)));
    double last[2 * MOST + 2] = {0};
    last[0] = -1;
    last[2 * f->n + 1] = 1;
    sti_fractions all = sti_fractions_stack(k, open, sti_fractions_from_doubles(k, 1, 2 * f->n + 2, last));
    if (!rest) all = sti_fractions_stack(k, in, all);
    return sti_fractions_feasible(k, sti_fractions_stack(k, eq, all), f->x);
}

// The same within rounding, on the rays claimed for E_y.
static bool is_near_zero_on_y(sti_sticking_facts* f, bool rest) {
    const double band = 1e-9 * form_size(f);
    return rows_of(f, "y_rays", f->x) > 0 && !y_reaches(f, band, rest, true) && y_reaches(f, -band, rest, true);
}

// F on E_x and the rates on E_y are positive. That they are not may also be said where they are within rounding of
// zero.
static bool check_positive(sti_sticking_facts* f, const char* id, bool rest) {
    const sti_proposition* p = sti_claim(f, id);
    if (p == NULL) return true;
    const bool holds = pushes_on_x(f, 0) && !has_line_y(f) && positive_on_y(f, rest);
    if (holds && p->verdict == STI_HOLDS_NOT && (!pushes_on_x(f, 1e-9) || is_near_zero_on_y(f, rest))) return true;
    return sti_claim_verdict(f, id, holds ? STI_HOLDS : STI_HOLDS_NOT);
}

static bool check_least(sti_sticking_facts* f, bool trivial) {
    double size;
    const double x = least_on_x(f, &size);
    const sti_named* on_y = sti_claim_number(f, "P8.ii", "least_on_y");
    if (!sti_claim_double(f, "P8.ii", "least_on_x", x, size)) return false;
    const bool rays = rows_of(f, "y_rays", f->x) > 0;
    if (on_y != NULL && !rays && !sti_claim_double(f, "P8.ii", "least_on_y", INFINITY, 0)) return false;
    if (on_y != NULL && rays && isfinite(on_y->value[0])) {
        const double d = on_y->value[0], step = 1e-6 * fabs(d) + 1e-9 * form_size(f);
        sti_claim_judged(f, on_y);
        if (!(d <= 1 + 1e-6)) return sti_claim_fails(f, "P8.ii", "least_on_y is more than one");
        if (!y_reaches(f, d - step, false, false)) return sti_claim_fails(f, "P8.ii", "least_on_y is below %.6g", d);
        if (d < 1 - 1e-6 && y_reaches(f, d + step, false, true))
            return sti_claim_fails(f, "P8.ii", "least_on_y is above %.6g", d);
    }
    bool rest = true;
    for (int i = 0; i < f->u; i++) rest = rest && sti_fractions_sign(f->c_u, i, 0) >= 0;
    if (!(trivial ? sti_claim_verdict(f, "P8.ii", STI_NOT_APPLICABLE) : check_positive(f, "P8.ii", false)))
        return false;
    if (!rest || trivial) return sti_claim_verdict(f, "C3", rest ? STI_HOLDS : STI_NOT_APPLICABLE);
    return check_positive(f, "C3", true);
}

static bool check_8(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    if (f->x + f->u >= MOST || f->n >= MOST) return true;
    bool x_trivial = true, y_trivial = true, meet = false;
    for (int side = -1; side <= 1; side += 2) {
        for (int j = 0; j < f->n; j++) {
            x_trivial = x_trivial && !kernel_reaches(f, j, side, NULL);
            int one[1] = {j};
            const sti_fractions row =
                sti_fractions_transpose(k, sti_fractions_columns(k, sti_fractions_transpose(k, f->X), one, 1));
            meet = meet || cone_reaches(f, sti_fractions_join(k, row, sti_fractions_make(k, 1, f->u)), side);
        }
        for (int j = 0; j < f->x && y_trivial; j++) {
            double unit[MOST] = {0};
            unit[j] = 1;
            y_trivial = !cone_reaches(f, sti_fractions_from_doubles(k, 1, f->x + f->u, unit), side);
        }
    }
    const bool trivial = x_trivial && y_trivial;
    const int x_count = rows_of(f, "x_rays", f->n) + rows_of(f, "x_lines", f->n);
    const int y_count = rows_of(f, "y_rays", f->x) + rows_of(f, "y_lines", f->x);
    if (sti_claim(f, "P8.i") != NULL && ((x_count == 0) != x_trivial || (y_count == 0) != y_trivial))
        return sti_claim_fails(f, "P8.i", "E_x is%s trivial, E_y is%s", x_trivial ? "" : " not",
                               y_trivial ? "" : " not");
    const sti_fractions Xt = sti_fractions_transpose(k, f->X);
    const bool rates = sti_fractions_rank(k, sti_fractions_join(k, Xt, f->c_x)) == f->rank_X;
    return sti_claim_verdict(f, "P8.i", trivial ? STI_HOLDS : STI_HOLDS_NOT) &&
           sti_claim_integer(f, "P8.i", "E_trivial", trivial) && rays_belong(f, "x_rays", false, false) &&
           rays_belong(f, "x_lines", false, true) && rays_belong(f, "y_rays", true, false) &&
           rays_belong(f, "y_lines", true, true) && sti_claim_verdict(f, "P8.iii", STI_HOLDS) &&
           check_least(f, trivial) && sti_claim_integer(f, "C2", "imH_cap_N_trivial", !meet) &&
           sti_claim_integer(f, "C2", "rates_in_image", rates) && sti_claim_integer(f, "C2", "rank_H", f->rank_X) &&
           sti_claim_verdict(f, "C2",
                             !f->definite     ? STI_NOT_APPLICABLE
                             : !meet && rates ? STI_HOLDS
                                              : STI_HOLDS_NOT);
}

// ---- proposition 7 and (43)

static bool check_7(sti_sticking_facts* f, bool possible) {
    sti_algebra* k = &f->k;
    const sti_fractions none = sti_fractions_make(k, f->n, 0);
    const bool literal = constraints_hold(f, none, sti_fractions_make(k, 0, 1), true, NULL, NULL, 0);
    bool good = sti_claim_verdict(f, "P7",
                                  !f->definite || f->slides ? STI_NOT_APPLICABLE
                                  : possible                ? STI_HOLDS
                                                            : STI_HOLDS_NOT) &&
                sti_claim_integer(f, "P7", "feasible", possible) &&
                sti_claim_integer(f, "P7", "literal_reading_feasible", literal);
    sti_fractions a;
    if (!good || !sti_claim_column(f, "P7", "a", f->n, &a) || a.num == NULL) return good;
    const sti_fractions both = sti_fractions_transpose(k, sti_fractions_join(k, f->X, f->U));
    const sti_fractions rate =
        sti_fractions_sum(k, sti_fractions_product(k, both, a), sti_fractions_stack(k, f->c_x, f->c_u), 1);
    for (int i = 0; i < f->x + f->u && !sti_algebra_failed(k); i++) {
        const double value = sti_fractions_double(k, rate, i, 0);
        double size = sti_fractions_size(rate, i);
        for (int j = 0; j < f->n; j++) size += sti_fractions_size(both, i * f->n + j) * f->size_a[j];
        if (i < f->x ? fabs(value) > f->tol * size : value < -f->tol * size)
            return sti_claim_fails(f, "P7", "a misses constraint %d by %.2e", i, fabs(value));
    }
    return true;
}

// X f_x + U f_u = 0, f_u >= 0, rates'f < 0.
static bool check_farkas(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    sti_fractions x, u;
    if (!sti_claim_column(f, "E43", "farkas_x", f->x, &x) || !sti_claim_column(f, "E43", "farkas_u", f->u, &u))
        return false;
    if (x.num == NULL || u.num == NULL) return true;
    const sti_fractions b =
        sti_fractions_sum(k, sti_fractions_product(k, f->X, x), sti_fractions_product(k, f->U, u), 1);
    const sti_fractions load = sti_fractions_sum(k, sti_fractions_product(k, sti_fractions_transpose(k, f->c_x), x),
                                                 sti_fractions_product(k, sti_fractions_transpose(k, f->c_u), u), 1);
    if (sti_algebra_failed(k)) return true;
    double miss = 0;
    for (int j = 0; j < f->n; j++) miss += fabs(sti_fractions_double(k, b, j, 0)) * f->size_a[j];
    for (int i = 0; i < f->u; i++)
        if (sti_fractions_sign(u, i, 0) < 0) return sti_claim_fails(f, "E43", "farkas_u[%d] is negative", i);
    if (!(-sti_fractions_double(k, load, 0, 0) > 1e5 * miss))
        return sti_claim_fails(f, "E43", "the Farkas vector proves nothing");
    return true;
}

static bool check_descent(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    sti_fractions x;
    if (!sti_claim_column(f, "E43", "descent", f->n, &x)) return false;
    if (x.num == NULL) return true;
    const sti_fractions Mx = sti_fractions_product(k, f->M, x);
    const sti_fractions Xx = sti_fractions_product(k, sti_fractions_transpose(k, f->X), x);
    const sti_fractions Ux = sti_fractions_product(k, sti_fractions_transpose(k, f->U), x);
    const sti_fractions load = sti_fractions_product(k, sti_fractions_transpose(k, f->F), x);
    bool good = !sti_algebra_failed(k);
    for (int j = 0; good && j < f->n; j++)
        good = fabs(sti_fractions_double(k, Mx, j, 0)) <= f->tol * sti_fractions_size(Mx, j);
    for (int i = 0; good && i < f->x; i++)
        good = fabs(sti_fractions_double(k, Xx, i, 0)) <= f->tol * sti_fractions_size(Xx, i);
    for (int i = 0; good && i < f->u; i++)
        good = sti_fractions_double(k, Ux, i, 0) >= -f->tol * sti_fractions_size(Ux, i);
    good = good && sti_fractions_double(k, load, 0, 0) < -f->tol * sti_fractions_size(load, 0);
    return good || sti_algebra_failed(k) ? true : sti_claim_fails(f, "E43", "the direction of descent proves nothing");
}

static bool check_43(sti_sticking_facts* f, bool solvable) {
    sti_algebra* k = &f->k;
    const sti_opening* o = &f->answer->opening;
    if (f->slides) return sti_claim_verdict(f, "E43", STI_NOT_APPLICABLE);
    bool good = sti_claim_verdict(f, "E43", solvable ? STI_HOLDS : STI_HOLDS_NOT) &&
                sti_claim_truth(f, "E43", "solvable", solvable);
    sti_fractions a, lambda;
    good = good && sti_claim_column(f, "E43", "qdd", f->n, &a) && sti_claim_lambda(f, "E43", &lambda) &&
           check_farkas(f) && check_descent(f);
    if (!good || a.num == NULL) return good;
    if (!solvable || !o->asked || o->a == NULL) return sti_claim_fails(f, "E43", "numbers without a solution");
    // the solution is the one that was checked as such
    double flat[2 * MOST], size[2 * MOST];
    good = sti_claim_doubles(f, "E43", "qdd", f->n, o->a, f->size_a) &&
           sti_claim_matrix(f, "E43", "M_qdd", sti_fractions_product(k, f->M, a));
    for (int c = 0; c < f->p && f->p < 2 * MOST; c++) {
        flat[c] = o->lambda[f->flat[c]];
        size[c] = f->size_l[f->flat[c]];
    }
    if (f->p >= 2 * MOST) return good;
    good = good && sti_claim_doubles(f, "E43", "lambda_n", f->m, flat, size) &&
           sti_claim_doubles(f, "E43", "lambda_t", f->t, flat + f->m, size + f->m);
    for (int i = 0; i < f->m; i++) {
        size[i] = sti_fractions_size(f->c_n, i);
        for (int j = 0; j < f->n && !sti_algebra_failed(k); j++)
            size[i] += sti_fractions_size(f->N, j * f->m + i) * f->size_a[j];
    }
    return good && sti_claim_doubles(f, "E43", "a_n", f->m, o->a_n, size);
}

bool sti_check_section_3(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    const bool possible = constraints_hold(f, f->X, f->c_x, true, NULL, NULL, 0);
    // F'x < 0 somewhere in E_x
    const sti_fractions Xt = sti_fractions_transpose(k, f->X), Ut = sti_fractions_transpose(k, f->U);
    const sti_fractions eq = sti_fractions_stack(k, sti_fractions_stack(k, f->M, Xt), sti_fractions_transpose(k, f->F));
    double constant[4 * MOST] = {0};
    const int rows = f->n + f->x + 1;
    bool falls = false;
    if (rows + f->u < 4 * MOST) {
        constant[rows - 1] = 1;
        const sti_fractions all = sti_fractions_stack(k, eq, Ut);
        falls = sti_fractions_feasible(
            k, sti_fractions_join(k, sti_fractions_from_doubles(k, rows + f->u, 1, constant), all), rows);
    }
    const bool solvable = possible && !falls;
    return check_6(f, solvable) && check_mfcq(f) && check_7(f, possible) && check_8(f) && check_43(f, solvable);
}
