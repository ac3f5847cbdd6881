// vi.c: variational inequalities over boxes given by formulas: residuals and proofs, by spans of 256 bits.
//
//     residual      |x_i - mid(lb_i, x_i - F_i, ub_i)| over 1 + |x|, an upper bound
//     exact         x_i in [lb_i, ub_i]; F_i <= 0 unless x_i = lb_i, F_i >= 0 unless x_i = ub_i
//     existence     the equations of the coordinates that have an interval have a root in it (root.c, Krawczyk over a
//                   box of up
//                   to five times its width), and over that wider box the others have the right sign
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/vi.h>
#include <string.h>

#include "verify/formula.h"

enum { BITS = 256, DIGITS = 800, MOST = STI_ROOT_VARIABLES_MOST };

typedef struct checker {
    sti_env* env;
    const sti_vi* vi;
    const sti_vi_answer* a;
    sti_vi_verification* out;
    sti_formula_reader r;
    sti_span* box;  // (n)
    sti_sloped* F;  // (n)
    sti_span low, high;
} checker;

static bool refuse(checker* c, const char* why) {
    snprintf(c->out->text, sizeof c->out->text, "%s", why);
    return false;
}

static bool evaluate(checker* c) {
    for (int i = 0; i < c->vi->n; i++) {
        if (!sti_formula_over(&c->r, c->vi->F[i], false, &c->F[i]) || c->r.partial) return false;
    }
    return c->r.s.x.status == STI_OK;
}

// ---- residual, and conditions at the point

static double residual(checker* c) {
    sti_spans* s = &c->r.s;
    double worst = 0, size = 1;
    sti_span step = {0}, to = {0};
    for (int i = 0; i < c->vi->n; i++) sti_span_set_double(s, &c->box[i], c->a->x[i]);
    if (!evaluate(c)) return INFINITY;
    for (int i = 0; i < c->vi->n; i++) {
        sti_span_sub(s, &step, &c->box[i], &c->F[i].v);
        if (isfinite(c->vi->lb[i])) {
            sti_span_set_double(s, &to, c->vi->lb[i]);
            if (sti_int_cmp(&step.low, &to.low) < 0) sti_int_set(&s->x, &step.low, &to.low);
            if (sti_int_cmp(&step.high, &to.high) < 0) sti_int_set(&s->x, &step.high, &to.high);
        }
        if (isfinite(c->vi->ub[i])) {
            sti_span_set_double(s, &to, c->vi->ub[i]);
            if (sti_int_cmp(&step.low, &to.low) > 0) sti_int_set(&s->x, &step.low, &to.low);
            if (sti_int_cmp(&step.high, &to.high) > 0) sti_int_set(&s->x, &step.high, &to.high);
        }
        sti_span_sub(s, &step, &c->box[i], &step);
        const double d = sti_span_double(s, &step);
        worst = fmax(worst, fabs(d) * (1 + 1e-14));  // a span of 256 bits is far narrower
        size = fmax(size, 1 + fabs(c->a->x[i]));
    }
    sti_span_clear(s, &step);
    sti_span_clear(s, &to);
    return s->x.status == STI_OK ? worst / size : INFINITY;
}

// After residual(): c->F holds the values at x. Those that the answer gives: the same but for rounding in doubles.
static bool claimed_values_agree(checker* c, double tol) {
    double size = 1;
    for (int i = 0; i < c->vi->n; i++) size = fmax(size, fabs(c->a->x[i]));
    for (int i = 0; c->a->F != NULL && i < c->vi->n; i++) {
        const double claimed = c->a->F[i], F = sti_span_double(&c->r.s, &c->F[i].v);
        if (isnan(claimed) || fabs(claimed - F) <= tol * (size + fabs(F))) continue;
        snprintf(c->out->text, sizeof c->out->text, "the answer says F_%d = %.9g, the formula %.9g", i, claimed, F);
        return false;
    }
    return true;
}

static bool holds_exactly(checker* c) {
    for (int i = 0; i < c->vi->n; i++) {
        const double x = c->a->x[i], low = c->vi->lb[i], high = c->vi->ub[i];
        const sti_span* F = &c->F[i].v;
        if (!(x >= low && x <= high)) return false;
        if (x > low && sti_int_sign(&F->high) > 0) return false;
        if (x < high && sti_int_sign(&F->low) < 0) return false;
    }
    return true;
}

// No solution within the root of the tolerance of x, for the size of each coordinate: a small residual then means
// nothing. Where a formula has no values in all of that box nothing is said.
static bool is_far_from_solutions(checker* c, double tol) {
    const sti_vi* vi = c->vi;
    sti_spans* s = &c->r.s;
    bool far = false;
    sti_span bound = {0};
    for (int i = 0; i < vi->n; i++) {
        const double x = c->a->x[i], half = sqrt(tol) * (1 + fabs(x));
        sti_span_set_doubles(s, &c->box[i], x - half, x + half);
    }
    if (evaluate(c)) {
        for (int i = 0; i < vi->n && !far; i++) {
            if (isfinite(vi->lb[i])) sti_span_set_double(s, &bound, vi->lb[i]);
            const bool above = !isfinite(vi->lb[i]) || sti_int_cmp(&c->box[i].low, &bound.high) > 0;
            if (isfinite(vi->ub[i])) sti_span_set_double(s, &bound, vi->ub[i]);
            const bool below = !isfinite(vi->ub[i]) || sti_int_cmp(&c->box[i].high, &bound.low) < 0;
            far = (above && sti_int_sign(&c->F[i].v.low) > 0) || (below && sti_int_sign(&c->F[i].v.high) < 0);
        }
    }
    sti_span_clear(s, &bound);
    return far;
}

// ---- existence

// The number itself, as the language has it: digits of a whole number, by or over powers of two of at most 16 digits.
static void spell(double value, char* text) {
    int twos = 0;
    for (; value != floor(value); twos--) value *= 2;
    for (; fabs(value) >= 0x1p53; twos++) value /= 2;
    size_t at = (size_t)snprintf(text, DIGITS, "(%.0f", value);
    while (twos != 0) {
        const int part = abs(twos) < 50 ? abs(twos) : 50;
        at += (size_t)snprintf(text + at, DIGITS - at, "%c%.0f", twos < 0 ? '/' : '*', ldexp(1, part));
        twos += twos < 0 ? part : -part;
    }
    snprintf(text + at, DIGITS - at, ")");
}

typedef struct equations {
    int count;
    const char *names[MOST], *formulas[MOST];
    sti_interval X[MOST];
    sti_system_named* definitions;  // coordinates at bounds, then those of the problem
    char* texts;
    int definition_count;
} equations;

static bool is_at(const sti_interval* X, double bound) {
    return X->low == bound && X->high == bound;
}

// Which coordinates have equations? False: one has neither an interval within its bounds nor a place at one of them.
static bool collect(checker* c, equations* e) {
    const sti_vi* vi = c->vi;
    char* text = e->texts;
    for (int i = 0; i < vi->n; i++) {
        const sti_interval* X = &c->a->interval[i];
        if (is_at(X, vi->lb[i]) || is_at(X, vi->ub[i])) {
            spell(X->low, text);
            e->definitions[e->definition_count++] = (sti_system_named){vi->variables[i], text};
            text += DIGITS;
            continue;
        }
        if (!(X->low >= vi->lb[i] && X->high <= vi->ub[i] && X->low <= X->high) || e->count == MOST) return false;
        e->names[e->count] = vi->variables[i];
        e->formulas[e->count] = vi->F[i];
        e->X[e->count++] = *X;
    }
    for (int k = 0; k < vi->definition_count; k++) e->definitions[e->definition_count++] = vi->definitions[k];
    return e->count > 0;
}

// Over the box that root.c looked at, widened: within the bounds, and the signs of the others.
static bool signs_hold(checker* c) {
    const sti_vi* vi = c->vi;
    sti_spans* s = &c->r.s;
    bool good = true;
    sti_span out = {0};
    for (int i = 0; i < vi->n; i++) {
        const sti_interval* X = &c->a->interval[i];
        sti_span_set_doubles(s, &c->box[i], X->low, X->high);
        if (is_at(X, vi->lb[i]) || is_at(X, vi->ub[i])) continue;
        const double room = 2 * (X->high - X->low) * (1 + 1e-15) + 0x1p-99;
        sti_span_set_doubles(s, &out, -room, room);
        sti_span_add(s, &c->box[i], &c->box[i], &out);
        sti_span_set_double(s, &out, vi->lb[i] == -INFINITY ? -0x1p1000 : vi->lb[i]);
        good = good && sti_int_cmp(&c->box[i].low, &out.low) >= 0;
        sti_span_set_double(s, &out, vi->ub[i] == INFINITY ? 0x1p1000 : vi->ub[i]);
        good = good && sti_int_cmp(&c->box[i].high, &out.high) <= 0;
    }
    sti_span_clear(s, &out);
    if (!good || !evaluate(c)) return false;
    for (int i = 0; i < vi->n; i++) {
        const sti_interval* X = &c->a->interval[i];
        const bool low = is_at(X, vi->lb[i]), high = is_at(X, vi->ub[i]);
        if (low && !high && sti_int_sign(&c->F[i].v.low) < 0) return false;
        if (high && !low && sti_int_sign(&c->F[i].v.high) > 0) return false;
    }
    return true;
}

static sti_status has_root(checker* c, const equations* e, bool* good) {
    sti_root root = {.proof = e->X[0].low == e->X[0].high ? STI_ROOT_EXACT : STI_ROOT_CHANGE, .x = e->X};
    const sti_root_problem problem = {.variable_count = e->count,
                                      .variables = e->names,
                                      .definition_count = e->definition_count,
                                      .definitions = e->definitions,
                                      .equations = e->formulas};
    const sti_root_answer answer = {
        .method = STI_ROOT_SAFE, .n = e->count, .outcome = STI_SOLVED, .root_count = 1, .roots = &root};
    sti_root_verification v;
    const sti_status status = sti_verify_root(c->env, &problem, &answer, &v);
    *good = status == STI_OK && v.accepted;
    return status;
}

static sti_status exists(checker* c, bool* good) {
    const size_t n = (size_t)c->vi->n;
    *good = false;
    if (c->a->interval == NULL) return STI_OK;
    equations e = {0};
    e.definitions = sti_alloc_array(c->env, n + (size_t)c->vi->definition_count, sizeof *e.definitions);
    e.texts = sti_alloc_array(c->env, sti_size_mul(n, DIGITS), 1);
    sti_status status = STI_OK;
    if (e.definitions == NULL || e.texts == NULL)
        status = STI_ERR_MEMORY;
    else if (collect(c, &e) && signs_hold(c))
        status = has_root(c, &e, good);
    sti_free(c->env, e.definitions);
    sti_free(c->env, e.texts);
    return status;
}

// ---- the verdict

static bool box_is_empty(const sti_vi* vi) {
    for (int i = 0; i < vi->n; i++) {
        if (vi->lb[i] > vi->ub[i]) return true;
    }
    return false;
}

static bool is_finite_point(const sti_vi_answer* a) {
    for (int i = 0; i < a->n; i++) {
        if (a->x == NULL || !isfinite(a->x[i])) return false;
        if (a->interval != NULL && (!isfinite(a->interval[i].low) || !isfinite(a->interval[i].high)) &&
            a->proof == STI_VI_PROOF_EXISTENCE)
            return false;
    }
    return true;
}

static sti_status judge(checker* c, double tol) {
    sti_vi_verification* v = c->out;
    bool good = true;
    sti_status status = STI_OK;
    if (!is_finite_point(c->a)) return refuse(c, "the point is not there, or not finite"), STI_OK;
    v->residual = residual(c);
    if (c->r.unable) return refuse(c, "the formulas hold something that is not checked (atan2, sign, floor)"), STI_OK;
    if (!(v->residual <= tol)) {
        snprintf(v->text, sizeof v->text, "the residual is %.3g, more than %.3g", v->residual, tol);
        return STI_OK;
    }
    if (!claimed_values_agree(c, tol)) return STI_OK;
    if (c->a->proof == STI_VI_PROOF_EXACT) good = holds_exactly(c) || refuse(c, "the point is no exact solution");
    if (c->a->proof != STI_VI_PROOF_EXACT && c->a->proof != STI_VI_PROOF_EXISTENCE && is_far_from_solutions(c, tol))
        return refuse(c, "the residual is small, but F leaves no room for a solution near the point"), STI_OK;
    if (c->a->proof == STI_VI_PROOF_EXISTENCE) {
        status = exists(c, &good);
        if (!good) refuse(c, "the intervals are not shown to hold a solution");
    }
    v->accepted = good && status == STI_OK;
    if (!v->accepted) return status;
    v->proof = c->a->proof == STI_VI_PROOF_NONE ? STI_VI_PROOF_RESIDUAL : c->a->proof;
    snprintf(v->text, sizeof v->text, "%s",
             v->proof == STI_VI_PROOF_EXACT       ? "all conditions hold at the point, with 256 bits"
             : v->proof == STI_VI_PROOF_EXISTENCE ? "a solution lies in the intervals, shown again with 256 bits"
                                                  : "the residual is within the tolerance, with 256 bits");
    return STI_OK;
}

sti_status sti_verify_vi(sti_env* env, const sti_vi* vi, const sti_vi_answer* answer, double tol,
                         sti_vi_verification* out) {
    *out = (sti_vi_verification){.claim = answer->outcome, .residual = NAN};
    if (answer->n != vi->n)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the answer has %d unknowns, the problem %d", answer->n, vi->n);
    if (answer->outcome == STI_NO_SOLUTION) {
        out->accepted = box_is_empty(vi);
        out->proof = out->accepted ? STI_VI_PROOF_EXACT : STI_VI_PROOF_NONE;
        snprintf(out->text, sizeof out->text, "%s",
                 out->accepted ? "the box is empty" : "the box is not empty, and that is all that would prove it");
        return STI_OK;
    }
    if (answer->outcome != STI_SOLVED) {
        snprintf(out->text, sizeof out->text, "claims nothing");
        return STI_OK;
    }
    checker c = {.env = env, .vi = vi, .a = answer, .out = out};
    const size_t n = (size_t)vi->n;
    c.box = sti_alloc_array_zero(env, n, sizeof *c.box);
    c.F = sti_alloc_array_zero(env, n, sizeof *c.F);
    sti_spans_init(&c.r.s, env, BITS);
    c.r.n = vi->n;
    c.r.variables = vi->variables;
    c.r.at = c.box;
    c.r.definition_count = vi->definition_count;
    c.r.definitions = vi->definitions;
    sti_status status = c.box == NULL || c.F == NULL ? STI_ERR_MEMORY : judge(&c, tol);
    if (status == STI_OK) status = c.r.s.x.status;
    if (status != STI_OK) out->accepted = false;
    for (int i = 0; i < vi->n && c.box != NULL && c.F != NULL; i++) {
        sti_span_clear(&c.r.s, &c.box[i]);
        sti_sloped_clear(&c.r, &c.F[i]);
    }
    sti_spans_clear(&c.r.s);
    sti_free(env, c.box);
    sti_free(env, c.F);
    return status;
}
