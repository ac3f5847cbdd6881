// gruess.c: the Chebyshev-Gruess inequality with the least concave majorant of the modulus of continuity (S3 2.5.2).
//
//     D(f, g) = A(fg) + B(fg) - A(f) B(g) - B(f) A(g),     |D(f, g)| <= omega~(f; s) omega~(g; s)          (2.5.14)
//     s^2 = A_x B_y (x - y)^2 = D(e_1, e_1)                                                                 (2.5.15)
//
// because D(f, g) = A_x B_y (f(x) - f(y)) (g(x) - g(y)), |f(x) - f(y)| <= omega~(f; |x - y|), and by Cauchy, Schwarz
// and Jensen (omega~ is concave). Equality for affine f and g: both sides are then |slope slope'| D(e_1, e_1).
//
// Of a random vector (U, V), f and g functions of one coordinate each, with tau = 2 (var U + var V):
//
//     |cov(f(U), g(V))| <= 1/2 omega~(f; sqrt tau) omega~(g; sqrt tau)                                      (2.5.20)
//
// and, which S3 does not say, with each coordinate's own variance: |cov| <= sqrt(var f(U) var g(V)) and (2.5.15) for A
// = B the law of one coordinate and f = g give
//
//     |cov(f(U), g(V))| <= 1/2 omega~(f; sqrt(2 var U)) omega~(g; sqrt(2 var V))
//         "bound_marginal"
//
// which is never larger than (2.5.20), omega~ not falling.
#include <stdio.h>

#include "bounds/bounds.h"

// ---- what both kinds share

// A series of low order for one function of one variable, and the cells of its modulus.
typedef struct function {
    sti_formulas formulas;
    sti_series series;
    sti_modulus modulus;
    int entry;
    bool affine;
} function;

static sti_status open_function(sti_bound_work* w, const char* field, const char* text, const char* alias,
                                function* out) {
    static const char* const x[] = {"x"};
    *out = (function){0};
    sti_status status = sti_formulas_open(&out->formulas, w->env, "variables", x, 1);
    if (status == STI_OK && alias != NULL) status = sti_formulas_alias(&out->formulas, alias, "x");
    for (int k = 0; status == STI_OK && k < w->p->definition_count; k++)
        status =
            sti_formulas_define(&out->formulas, "definitions", w->p->definitions[k].name, w->p->definitions[k].formula);
    if (status == STI_OK) status = sti_formulas_add(&out->formulas, field, text, &out->entry);
    if (status == STI_OK) status = sti_series_init(&out->series, w->env, &out->formulas.tape, 2);
    if (status != STI_OK) return status;
    sti_series_want(&out->series, out->entry);
    status = sti_modulus_open(&out->modulus, w->env, &out->series, out->entry, w->low, w->high, field);
    if (status != STI_OK) return status;
    const sti_interval X = iv(w->low.low, w->high.high);
    sti_series_evaluate(&out->series, &X, 0, 2);
    out->affine = (out->series.trouble[out->entry] & STI_TROUBLE_KINK) == 0 &&
                  iv_is(sti_series_of(&out->series, out->entry)[2], 0);
    return STI_OK;
}

static void close_function(sti_bound_work* w, function* f) {
    w->a->evaluations += f->modulus.evaluations;
    sti_modulus_close(&f->modulus);
    sti_series_clear(&f->series);
    sti_formulas_close(&f->formulas);
}

// f = g as formulas
static bool same_text(const sti_bound_work* w) {
    return w->p->g != NULL && strcmp(w->p->f, w->p->g) == 0;
}

static sti_status majorant(sti_bound_work* w, function* f, sti_interval s, sti_interval* out) {
    return sti_modulus_majorant(&f->modulus, s, w->p->tol > 0 ? w->p->tol : 1e-10, out);
}

// |D| <= bound: true by the theorem. That the numbers do not show the contrary is our own check.
static void conclude(sti_bound_work* w, sti_interval quantity, sti_interval bound) {
    if (iv_mig(quantity) > bound.high)
        sti_bound_unknown(w, "the numbers contradict the inequality: [%.17g, %.17g] above %.17g; please report this",
                          quantity.low, quantity.high, bound.high);
}

static sti_interval half(sti_interval a) {
    return iv_scale(a, 0.5);
}

static sti_interval nonnegative(sti_interval a) {
    return iv(fmax(a.low, 0), fmax(a.high, 0));
}

// ---- modulus alone

sti_status sti_bound_modulus(sti_bound_work* w, sti_interval** rows) {
    const size_t count = (size_t)w->p->t_count;
    const double tol = w->p->tol > 0 ? w->p->tol : 1e-10;
    function f;
    *rows = sti_alloc_array_zero(w->env, 3 * count, sizeof **rows);
    if (*rows == NULL) return STI_ERR_MEMORY;
    sti_interval *t = *rows, *omega = t + count, *tilde = omega + count, osc, lipschitz;
    sti_status status = open_function(w, "f", w->p->f, NULL, &f);
    for (size_t k = 0; status == STI_OK && k < count; k++) {
        char field[40];
        snprintf(field, sizeof field, "t[%zu]", k);
        status = sti_bound_constant(w, field, w->p->t[k], &t[k]);
        if (status == STI_OK && t[k].low < 0)
            status = STI_FAIL(w->env, STI_ERR_INPUT, (int64_t)k, "%s: %g: at least 0 is expected", field, t[k].low);
        if (status == STI_OK) status = sti_modulus_majorant(&f.modulus, t[k], tol, &tilde[k]);
    }
    for (size_t k = 0; status == STI_OK && k < count; k++) {
        status = sti_modulus_plain(&f.modulus, t[k], tol, &omega[k]);
        omega[k].high = fmin(omega[k].high, tilde[k].high);  // omega <= omega~
    }
    if (status == STI_OK) status = sti_modulus_oscillation(&f.modulus, tol, &osc);
    if (status == STI_OK) status = sti_modulus_lipschitz(&f.modulus, tol, &lipschitz);
    if (status == STI_OK) {
        sti_bound_put(w, "oscillation", osc);
        sti_bound_put(w, "lipschitz", lipschitz);
        w->a->t_count = (int)count;
        w->a->t = t;
        w->a->omega = omega;
        w->a->omega_tilde = tilde;
    }
    close_function(w, &f);
    return status;
}

// ---- two functionals

// A = B = (delta_a + delta_b)/2, as given: the equality case of (2.5.16)
static bool is_two_ends(const sti_bound_work* w, const sti_functional* A) {
    if (A->density != NULL || A->atom_count != 2) return false;
    const bool straight = strcmp(A->atom_at[0], w->p->low) == 0 && strcmp(A->atom_at[1], w->p->high) == 0;
    const bool turned = strcmp(A->atom_at[1], w->p->low) == 0 && strcmp(A->atom_at[0], w->p->high) == 0;
    return (straight || turned) && strcmp(A->atom_mass[0], A->atom_mass[1]) == 0;
}

static sti_interval cross(sti_interval ab1, sti_interval ab2, sti_interval a1, sti_interval b2, sti_interval b1,
                          sti_interval a2) {
    return iv_sub(iv_sub(iv_add(ab1, ab2), iv_mul(a1, b2)), iv_mul(b1, a2));
}

// D(f, f) = A(f^2) + B(f^2) - 2 A(f) B(f) >= 0
static sti_interval spread(const sti_moments* A, const sti_moments* B) {
    return nonnegative(cross(A->y2, B->y2, A->y, B->y, B->y, A->y));
}

sti_status sti_bound_gruess(sti_bound_work* w) {
    sti_moments A = {0}, B;
    function f = {0}, g = {0};
    const bool one = w->p->one_functional, same = same_text(w);
    sti_status status = open_function(w, "f", w->p->f, NULL, &f);  // first: what is wrong with f and g has their name
    if (status == STI_OK && !same) status = open_function(w, "g", w->p->g, NULL, &g);
    if (status == STI_OK) status = sti_find_moments(w, &w->p->A, one ? "weight" : "A", &A);
    B = A;
    if (status == STI_OK && !one) status = sti_find_moments(w, &w->p->B, "B", &B);
    function* second = same ? &f : &g;
    sti_interval tilde_f, tilde_g, osc_f, osc_g;
    if (status == STI_OK) {
        const sti_interval D = cross(A.fg, B.fg, A.f, B.g, B.f, A.g), e1 = spread(&A, &B), s = iv_sqrt(e1);
        status = majorant(w, &f, s, &tilde_f);
        if (status == STI_OK) status = majorant(w, second, s, &tilde_g);
        if (status == STI_OK) status = sti_modulus_oscillation(&f.modulus, 1e-10, &osc_f);
        if (status == STI_OK) status = sti_modulus_oscillation(&second->modulus, 1e-10, &osc_g);
        if (status == STI_OK) {
            const sti_interval bound = iv_mul(tilde_f, tilde_g);
            sti_bound_put(w, "D_AB", D);
            sti_bound_put(w, "D_AB_e1e1", e1);
            sti_bound_put(w, "argument", s);
            sti_bound_put(w, "omega_tilde_f", tilde_f);
            sti_bound_put(w, "omega_tilde_g", tilde_g);
            sti_bound_put(w, "bound", bound);
            sti_bound_put(w, "mass_A", A.mass);
            if (!one) sti_bound_put(w, "mass_B", B.mass);
            if (one) {  // (2.5.11), (2.5.16)
                sti_bound_put(w, "covariance", half(D));
                sti_bound_put(w, "gruess_bound", iv_scale(iv_mul(osc_f, osc_g), 0.25));
                sti_bound_put(w, "D_e1e1_at_most", half(iv_sqr(iv_sub(w->high, w->low))));
            }
            conclude(w, D, bound);
            w->a->equality = f.affine && second->affine;
            if (w->a->equality) {
                const bool ends = one && is_two_ends(w, &w->p->A);
                snprintf(w->a->equality_why, sizeof w->a->equality_why, "f and g are affine%s",
                         ends ? "; A = B = half the sum of the values at both ends: equality in (2.5.16) too" : "");
            }
        }
    }
    close_function(w, &f);
    close_function(w, &g);
    return status;
}

// ---- a random vector

// Entries of a density times 1, u, u^2, v, v^2, f(u), g(v), f(u) g(v), centred; out: (8)
static sti_status joint_entries(sti_bound_work* w, int density, int* out) {
    sti_tape* tape = &w->formulas.tape;
    int u = 0, v = 0, c = 0, h[8] = {-1};
    sti_status status = sti_tape_input(tape, 0, &u);
    if (status == STI_OK) status = sti_tape_input(tape, 1, &v);
    if (status == STI_OK) status = sti_tape_constant(tape, w->centre, &c);
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_SUBTRACT, u, c, &h[1]);
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_MULTIPLY, h[1], h[1], &h[2]);
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_SUBTRACT, v, c, &h[3]);
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_MULTIPLY, h[3], h[3], &h[4]);
    h[5] = w->f;
    h[6] = w->g;
    if (status == STI_OK) status = sti_tape_apply(tape, STI_OP_MULTIPLY, w->f, w->g, &h[7]);
    out[0] = density;
    for (int k = 1; status == STI_OK && k < 8; k++)
        status = sti_tape_apply(tape, STI_OP_MULTIPLY, density, h[k], &out[k]);
    return status;
}

// Nonnegative on the square, by halving the longer side
static sti_verdict is_positive(sti_bound_work* w, int entry, const sti_interval* X, int depth, double* at, long* left) {
    sti_series* s = &w->series;
    const sti_interval m[2] = {iv_point(iv_mid(X[0])), iv_point(iv_mid(X[1]))};
    at[0] = m[0].low;
    at[1] = m[1].low;
    if (--*left < 0 || depth > 60) return STI_UNDECIDED;
    sti_interval sum = iv_point(0);
    for (int k = 0; k < 2; k++) {
        sti_series_evaluate(s, X, k, 1);
        if (sti_series_value(s, entry).low >= 0) return STI_YES;
        sum = iv_add(sum, iv_mul(sti_series_of(s, entry)[1], iv_sub(X[k], m[k])));
    }
    sti_series_evaluate(s, m, -1, 0);
    const sti_interval middle = sti_series_value(s, entry);
    if (middle.high < 0) return STI_NO;
    if (iv_is_bounded(sum) && iv_add(middle, sum).low >= 0) return STI_YES;
    const int k = X[0].high - X[0].low >= X[1].high - X[1].low ? 0 : 1;
    sti_interval part[2] = {X[0], X[1]};
    part[k].high = m[k].low;
    const sti_verdict first = is_positive(w, entry, part, depth + 1, at, left);
    if (first != STI_YES) return first;
    part[k] = iv(m[k].low, X[k].high);
    return is_positive(w, entry, part, depth + 1, at, left);
}

static sti_status check_joint(sti_bound_work* w, const char* field, int density) {
    const sti_interval X[2] = {{w->low.high, w->high.low}, {w->low.high, w->high.low}};
    double at[2] = {0, 0};
    long left = 20000;
    const sti_verdict positive = is_positive(w, density, X, 0, at, &left);
    if (positive == STI_NO)
        return STI_FAIL(w->env, STI_ERR_INPUT, -1, "%s: negative at (%.6g, %.6g): a density is not negative", field,
                        at[0], at[1]);
    if (positive == STI_UNDECIDED)
        sti_bound_unknown(w, "%s: that it is nowhere negative could not be proved near (%.6g, %.6g)", field, at[0],
                          at[1]);
    return STI_OK;
}

// Means of 1, u, u^2, v, v^2, f, g, fg; the first is the mass.
static sti_status joint_means(sti_bound_work* w, const char* field, const char* formula, sti_interval* out) {
    int density = 0, entry[8];
    sti_status status = sti_formulas_add(&w->formulas, field, formula, &density);
    if (status == STI_OK) status = joint_entries(w, density, entry);
    sti_series_clear(&w->series);
    if (status == STI_OK) status = sti_series_init(&w->series, w->env, &w->formulas.tape, STI_QUADRATURE_ORDER);
    for (int k = 0; status == STI_OK && k < 8; k++) sti_series_want(&w->series, entry[k]);
    if (status == STI_OK) status = check_joint(w, field, density);
    if (status == STI_OK) status = sti_bound_integrate(w, field, w->low, w->high, entry, 8, out);
    if (status == STI_OK) status = sti_mass_check(w, field, out[0]);
    for (int k = 1; status == STI_OK && k < 8; k++) out[k] = iv_div(out[k], out[0]);
    return status;
}

static sti_interval variance(sti_interval mean, sti_interval square) {
    return nonnegative(iv_sub(square, iv_sqr(mean)));
}

static sti_interval covariance(const sti_interval* m) {
    return iv_sub(m[7], iv_mul(m[5], m[6]));
}

// Compile f of u (or x) and g of v (or x) on the tape of the square: x is another name, of u first and then of v.
static sti_status add_marginals(sti_bound_work* w) {
    sti_status status = sti_formulas_alias(&w->formulas, "x", "u");
    if (status == STI_OK) status = sti_formulas_add(&w->formulas, "f", w->p->f, &w->f);
    if (status == STI_OK)
        w->formulas.scope.symbol[w->formulas.scope.count - 1].entry = w->formulas.scope.symbol[1].entry;
    if (status == STI_OK) status = sti_formulas_add(&w->formulas, "g", w->p->g, &w->g);
    return status;
}

static sti_status joint_numbers(sti_bound_work* w, const sti_interval* P, const sti_interval* Q, function* f,
                                function* g) {
    const bool one = w->p->other_joint == NULL;
    const sti_interval vu = variance(P[1], P[2]), vv = variance(P[3], P[4]);
    const sti_interval wu = variance(Q[1], Q[2]), wv = variance(Q[3], Q[4]);
    const sti_interval shift = iv_add(iv_sqr(iv_sub(P[1], Q[1])), iv_sqr(iv_sub(P[3], Q[3])));
    const sti_interval tau = one ? iv_scale(iv_add(vu, vv), 2) : iv_add(iv_add(iv_add(vu, vv), iv_add(wu, wv)), shift);
    const sti_interval s = iv_sqrt(tau);
    sti_interval tf, tg, of, og, lf, lg, mf, mg;
    sti_status status = majorant(w, f, s, &tf);
    if (status == STI_OK) status = majorant(w, g, s, &tg);
    if (status == STI_OK) status = sti_modulus_oscillation(&f->modulus, 1e-11, &of);
    if (status == STI_OK) status = sti_modulus_oscillation(&g->modulus, 1e-11, &og);
    if (status == STI_OK) status = sti_modulus_lipschitz(&f->modulus, 1e-11, &lf);
    if (status == STI_OK) status = sti_modulus_lipschitz(&g->modulus, 1e-11, &lg);
    if (status == STI_OK) status = majorant(w, f, iv_sqrt(iv_scale(vu, 2)), &mf);
    if (status == STI_OK) status = majorant(w, g, iv_sqrt(iv_scale(vv, 2)), &mg);
    if (status != STI_OK) return status;
    const sti_interval lipschitz = iv_mul(iv_mul(lf, lg), one ? half(tau) : tau);
    if (one) {
        const sti_interval cov = covariance(P), bound = half(iv_mul(tf, tg));
        sti_bound_put(w, "cov", cov);
        sti_bound_put(w, "argument", s);
        sti_bound_put(w, "bound_2_5_20", bound);
        sti_bound_put(w, "bound_marginal", half(iv_mul(mf, mg)));
        sti_bound_put(w, "gruess_bound", iv_scale(iv_mul(of, og), 0.25));
        conclude(w, cov, bound);
    } else {
        const sti_interval D =
            iv_add(iv_add(covariance(P), covariance(Q)), iv_mul(iv_sub(P[6], Q[6]), iv_sub(P[5], Q[5])));
        sti_bound_put(w, "D_AB", D);
        sti_bound_put(w, "argument", s);
        sti_bound_put(w, "tau", tau);
        sti_bound_put(w, "bound_2_5_18", iv_mul(tf, tg));
        sti_bound_put(w, "cov", covariance(P));
        sti_bound_put(w, "cov_other", covariance(Q));
        conclude(w, D, iv_mul(tf, tg));
    }
    if (iv_is_bounded(lipschitz)) sti_bound_put(w, "lipschitz_bound", lipschitz);
    sti_bound_put(w, "variance_U", vu);
    sti_bound_put(w, "variance_V", vv);
    sti_bound_put(w, "mass", P[0]);
    return STI_OK;
}

sti_status sti_bound_joint(sti_bound_work* w) {
    sti_interval P[8], Q[8];
    function f = {0}, g = {0};
    sti_status status = open_function(w, "f", w->p->f, "u", &f);
    if (status == STI_OK) status = open_function(w, "g", w->p->g, "v", &g);
    if (status == STI_OK) status = add_marginals(w);
    if (status == STI_OK) status = joint_means(w, "joint", w->p->joint, P);
    if (status == STI_OK) memcpy(Q, P, sizeof Q);
    if (status == STI_OK && w->p->other_joint != NULL) status = joint_means(w, "other_joint", w->p->other_joint, Q);
    if (status == STI_OK) status = joint_numbers(w, P, Q, &f, &g);
    close_function(w, &f);
    close_function(w, &g);
    return status;
}
