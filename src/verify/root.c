// root.c: the independent check of roots.
//
// Every claim is shown again on spans of 256 bits behind the point, or, where that is too coarse (multiple roots,
// equations in tiny units), 1024, with formulas read anew:
//
//     a root in x       one equation: the sign of f changes over x (moved out by 2^-(bits - 76), so that a root on an
//                       end counts);
//                       several: Krawczyk's operator maps a box around x into its interior
//     no other one      one equation: f' has one sign over the region; several: Y J is strictly diagonally dominant
//                       there
//     none in a box     an equation is not 0 on it: by its values, by a mean value form, by monotony, or after halving
//     nothing left out  the boxes cover what was searched: found by cutting along their faces
#include <math.h>
#include <stdio.h>
#include <stiction/roots.h>
#include <string.h>

#include "verify/formula.h"

enum { BITS = 256, MORE_BITS = 1024, MOST = STI_SLOPED_MOST };

typedef struct checker {
    sti_formula_reader r;
    const sti_root_problem* p;
    const sti_root_answer* a;
    sti_root_verification* out;
    sti_span box[MOST];     // where formulas are evaluated
    sti_sloped f[MOST];     // their values and slopes there
    bool partial, nowhere;  // of the last evaluation, as in sti_formula_reader
    long left;              // evaluations
} checker;

static bool refuse(checker* c, const char* text) {
    if (c->out->text[0] == '\0') snprintf(c->out->text, sizeof c->out->text, "%s", text);
    return false;
}

// ---- evaluation

static void set_box(checker* c, const sti_interval* X) {
    for (int k = 0; k < c->p->variable_count; k++) sti_span_set_doubles(&c->r.s, &c->box[k], X[k].low, X[k].high);
}

// All equations over c->box; false: no value is known there, or not on all of it
static bool evaluate(checker* c, bool slopes) {
    bool good = true, partial = false;
    if (--c->left % 256 == 0 && sti_late(c->r.s.x.env)) c->left = -1;
    c->nowhere = false;
    for (int i = 0; good && i < c->p->variable_count; i++) {
        good = sti_formula_over(&c->r, c->p->equations[i], slopes, &c->f[i]);
        partial = partial || c->r.partial;
        c->nowhere = c->nowhere || c->r.nowhere;
    }
    c->partial = partial;
    return good && !partial;
}

// Sign of the one equation at a double plus a shift of some units of 2^-(bits - 76); 0: not known
static int sign_at(checker* c, double x, int units) {
    sti_span shift = {0};
    sti_span_set_double(&c->r.s, &c->box[0], x);
    sti_span_set_double(&c->r.s, &shift, ldexp(units, 76 - (int)c->r.s.bits));
    sti_span_add(&c->r.s, &c->box[0], &c->box[0], &shift);
    sti_span_clear(&c->r.s, &shift);
    return evaluate(c, false) ? sti_span_sign(&c->f[0].v) : 0;
}

// ---- one equation

static bool has_change(checker* c, sti_interval x) {
    set_box(c, &x);
    if (!evaluate(c, false)) return false;  // it must have a value, and so be continuous, all along
    const int low = sign_at(c, x.low, -1), high = sign_at(c, x.high, 1);
    return low * high < 0;
}

// f' of one sign over X, after halving at most `depth` times; *sign: which one, 0 to begin with
static bool is_monotone(checker* c, sti_interval X, int depth, int* sign) {
    set_box(c, &X);
    if (evaluate(c, true)) {
        const int s = sti_span_sign(&c->f[0].d[0]);
        if (s != 0 && (*sign == 0 || *sign == s)) {
            *sign = s;
            return true;
        }
        if (s != 0) return false;
    }
    const double m = 0.5 * X.low + 0.5 * X.high;
    if (depth == 0 || c->left < 0 || m <= X.low || m >= X.high) return false;
    return is_monotone(c, (sti_interval){X.low, m}, depth - 1, sign) &&
           is_monotone(c, (sti_interval){m, X.high}, depth - 1, sign);
}

// Of the one equation, at the ends of its box.
static double size_of(checker* c) {
    double size = 0;
    for (int end = 0; end < 2 && c->a->box != NULL; end++) {
        sti_span_set_double(&c->r.s, &c->box[0], end == 0 ? c->a->box[0].low : c->a->box[0].high);
        if (evaluate(c, false)) size = fmax(size, fabs(sti_span_double(&c->r.s, &c->f[0].v)));
    }
    return c->a->box != NULL ? size : 1;
}

static bool check_scalar(checker* c, const sti_root* root) {
    int sign = 0;
    const bool region = root->region == NULL || is_monotone(c, root->region[0], 8, &sign);
    if (!region) return refuse(c, "a region is not shown to hold one root only");
    if (has_change(c, root->x[0])) return true;
    if (root->proof != STI_ROOT_EXACT) return refuse(c, "an interval is not shown to hold a root");
    // a root without a change of sign: that f may be 0, and is so to (bits - 56) bits of what it is elsewhere, is all
    const double size = fmin(1, size_of(c)), few = ldexp(size, 56 - (int)c->r.s.bits);
    sti_span_set_double(&c->r.s, &c->box[0], root->x[0].low);
    if (!evaluate(c, false)) return refuse(c, "a point that is called an exact root is none");
    const sti_span* f = &c->f[0].v;
    const bool possible = sti_span_sign(f) == 0, zero = sti_int_sign(&f->low) == 0 && sti_int_sign(&f->high) == 0;
    return zero || (possible && fabs(sti_span_double(&c->r.s, f)) <= few) ||
           refuse(c, "a point that is called an exact root is none");
}

// ---- several equations

// About the inverse of the middle of the slopes, by Gauss and Jordan
static bool invert(checker* c, double* Y) {
    const int n = c->p->variable_count;
    double A[MOST][2 * MOST];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            A[i][k] = sti_span_double(&c->r.s, &c->f[i].d[k]);
            A[i][n + k] = i == k;
        }
    }
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k; i < n; i++) p = fabs(A[i][k]) > fabs(A[p][k]) ? i : p;
        if (!(fabs(A[p][k]) > 0)) return false;
        for (int j = 0; j < 2 * n; j++) {
            const double t = A[k][j];
            A[k][j] = A[p][j];
            A[p][j] = t;
        }
        for (int i = 0; i < n; i++) {
            const double factor = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = 0; j < 2 * n; j++) A[i][j] -= factor * A[k][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            Y[i * n + k] = A[i][n + k] / A[i][i];
            if (!isfinite(Y[i * n + k])) return false;
        }
    }
    return true;
}

// A = Y J over the last box; b = Y f of the values given
static void times(checker* c, const double* Y, sti_span* A, const sti_span* f, sti_span* b) {
    const int n = c->p->variable_count;
    sti_spans* s = &c->r.s;
    sti_span y = {0}, t = {0};
    for (int i = 0; i < n; i++) {
        if (b != NULL) sti_span_set_int(s, &b[i], 0);
        for (int k = 0; k < n; k++) {
            sti_span_set_int(s, &A[i * n + k], 0);
            for (int j = 0; j < n; j++) {
                sti_span_set_double(s, &y, Y[i * n + j]);
                sti_span_mul(s, &t, &y, &c->f[j].d[k]);
                sti_span_add(s, &A[i * n + k], &A[i * n + k], &t);
            }
            sti_span_set_double(s, &y, Y[i * n + k]);
            if (b == NULL) continue;
            sti_span_mul(s, &t, &y, &f[k]);
            sti_span_add(s, &b[i], &b[i], &t);
        }
    }
    sti_span_clear(s, &y);
    sti_span_clear(s, &t);
}

// |A_ii| > sum_{j /= i} |A_ij| in every row
static bool is_dominant(checker* c, const sti_span* A) {
    const int n = c->p->variable_count;
    sti_spans* s = &c->r.s;
    sti_span sum = {0}, t = {0};
    bool good = true;
    for (int i = 0; i < n && good; i++) {
        sti_span_set_int(s, &sum, 0);
        for (int j = 0; j < n; j++) {
            if (j == i) continue;
            sti_span_abs(s, &t, &A[i * n + j]);
            sti_span_add(s, &sum, &sum, &t);
        }
        sti_span_abs(s, &t, &A[i * n + i]);
        good = sti_int_cmp(&t.low, &sum.high) > 0;
    }
    sti_span_clear(s, &sum);
    sti_span_clear(s, &t);
    return good && s->x.status == STI_OK;
}

static bool is_alone(checker* c, const sti_interval* region) {
    double Y[MOST * MOST];
    sti_span A[MOST * MOST] = {0};
    set_box(c, region);
    bool good = evaluate(c, true) && invert(c, Y);
    if (good) times(c, Y, A, NULL, NULL);
    good = good && is_dominant(c, A);
    for (int i = 0; i < MOST * MOST; i++) sti_span_clear(&c->r.s, &A[i]);
    return good;
}

// Krawczyk: m - Y f(m) + (I - Y J(X)) (X - m) inside the interior of X, which is x moved out by its width and 2^-100
static bool krawczyk(checker* c, const sti_interval* x) {
    const int n = c->p->variable_count;
    sti_spans* s = &c->r.s;
    double Y[MOST * MOST];
    sti_span X[MOST] = {0}, m[MOST] = {0}, f[MOST] = {0}, A[MOST * MOST] = {0}, b[MOST] = {0}, t = {0}, u = {0};
    for (int k = 0; k < n; k++) {
        const double out = 2 * (x[k].high - x[k].low) + 0x1p-100;
        sti_span_set_doubles(s, &X[k], x[k].low, x[k].high);
        sti_span_middle(s, &m[k], &X[k]);
        sti_span_set_doubles(s, &t, -out, out);
        sti_span_add(s, &X[k], &m[k], &t);
        sti_span_set(s, &c->box[k], &m[k]);
    }
    bool good = evaluate(c, false);
    for (int k = 0; k < n; k++) sti_span_set(s, &f[k], &c->f[k].v);
    for (int k = 0; k < n; k++) sti_span_set(s, &c->box[k], &X[k]);
    good = good && evaluate(c, true) && invert(c, Y);
    if (good) times(c, Y, A, f, b);
    for (int i = 0; i < n && good; i++) {
        sti_span_sub(s, &t, &m[i], &b[i]);
        for (int k = 0; k < n; k++) {
            sti_span_set_int(s, &u, i == k);
            sti_span_sub(s, &A[i * n + k], &u, &A[i * n + k]);
            sti_span_sub(s, &u, &X[k], &m[k]);
            sti_span_mul(s, &u, &u, &A[i * n + k]);
            sti_span_add(s, &t, &t, &u);
        }
        good = sti_int_cmp(&t.low, &X[i].low) > 0 && sti_int_cmp(&t.high, &X[i].high) < 0;
    }
    for (int k = 0; k < MOST; k++) {
        sti_span_clear(s, &X[k]);
        sti_span_clear(s, &m[k]);
        sti_span_clear(s, &f[k]);
        sti_span_clear(s, &b[k]);
    }
    for (int i = 0; i < MOST * MOST; i++) sti_span_clear(s, &A[i]);
    sti_span_clear(s, &t);
    sti_span_clear(s, &u);
    return good && s->x.status == STI_OK;
}

static bool check_root(checker* c, const sti_root* root) {
    c->out->roots_checked++;
    if (c->p->variable_count == 1) return check_scalar(c, root);
    if (root->region != NULL && !is_alone(c, root->region))
        return refuse(c, "a region is not shown to hold one root only");
    return krawczyk(c, root->x) || refuse(c, "a box is not shown to hold a root");
}

// ---- boxes without a root

// Some equation keeps its distance from 0: f(m) + J (X - m), after values alone have failed
static bool mean_value_excludes(checker* c, const sti_interval* X) {
    const int n = c->p->variable_count;
    sti_spans* s = &c->r.s;
    sti_span sum[MOST] = {0}, t = {0}, m = {0};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {  // slopes are those of c->box = X
            sti_span_middle(s, &m, &c->box[k]);
            sti_span_sub(s, &t, &c->box[k], &m);
            sti_span_mul(s, &t, &t, &c->f[i].d[k]);
            sti_span_add(s, &sum[i], &sum[i], &t);
        }
    }
    for (int k = 0; k < n; k++) sti_span_middle(s, &c->box[k], &c->box[k]);
    bool found = false;
    if (evaluate(c, false)) {
        for (int i = 0; i < n; i++) {
            sti_span_add(s, &sum[i], &sum[i], &c->f[i].v);
            found = found || sti_span_sign(&sum[i]) != 0;
        }
    }
    for (int i = 0; i < MOST; i++) sti_span_clear(s, &sum[i]);
    sti_span_clear(s, &t);
    sti_span_clear(s, &m);
    set_box(c, X);
    return found && s->x.status == STI_OK;
}

static bool has_none(checker* c, const sti_interval* X, int depth) {
    const int n = c->p->variable_count;
    if (c->left < 0) return refuse(c, "the budget of the check is spent");
    set_box(c, X);
    const bool values = evaluate(c, false);
    if (c->nowhere) return true;
    const bool known = values || (c->partial && !c->r.unable && !c->r.s.undefined);  // where there are values at all
    for (int i = 0; known && i < n; i++) {
        if (sti_span_sign(&c->f[i].v) != 0) return true;
    }
    if (values && evaluate(c, true)) {
        const bool monotone = n == 1 && sti_span_sign(&c->f[0].d[0]) != 0;
        if (mean_value_excludes(c, X)) return true;
        if (monotone && sign_at(c, X[0].low, 0) * sign_at(c, X[0].high, 0) > 0) return true;
    }
    int k = 0;
    for (int i = 1; i < n; i++) {
        if (X[i].high - X[i].low > X[k].high - X[k].low) k = i;
    }
    const double mid = 0.5 * X[k].low + 0.5 * X[k].high;
    if (depth == 0 || mid <= X[k].low || mid >= X[k].high)
        return refuse(c, "a box that is called empty is not shown to be");
    sti_interval half[MOST];
    memcpy(half, X, (size_t)n * sizeof *half);
    half[k].high = mid;
    if (!has_none(c, half, depth - 1)) return false;
    half[k] = (sti_interval){mid, X[k].high};
    return has_none(c, half, depth - 1);
}

// ---- do the boxes cover the whole?

// B, with the indices of the boxes that reach into it: is it covered? Cut along a face of one of them.
static bool covers(const sti_root_answer* a, const sti_interval* B, const int* list, int count, int* room,
                   const int* end, long* left) {
    const int n = a->n;
    if (--*left < 0 || end - room < count) return false;
    for (int j = 0; j < count; j++) {
        const sti_interval* L = a->leaf_box + (size_t)list[j] * (size_t)n;
        bool inside = true;
        for (int k = 0; k < n; k++) inside = inside && L[k].low <= B[k].low && B[k].high <= L[k].high;
        if (inside) return true;
    }
    for (int k = 0; count > 0 && k < n; k++) {
        const sti_interval* L = a->leaf_box + (size_t)list[count / 2] * (size_t)n;
        for (int side = 0; side < 2; side++) {
            const double at = side == 0 ? L[k].low : L[k].high;
            if (!(at > B[k].low && at < B[k].high)) continue;
            for (int part = 0; part < 2; part++) {
                sti_interval C[MOST];
                int inner = 0;
                memcpy(C, B, (size_t)n * sizeof *C);
                if (part == 0)
                    C[k].high = at;
                else
                    C[k].low = at;
                for (int j = 0; j < count; j++) {
                    const sti_interval* M = a->leaf_box + (size_t)list[j] * (size_t)n;
                    bool meets = true;
                    for (int i = 0; i < n; i++) meets = meets && M[i].low < C[i].high && C[i].low < M[i].high;
                    if (meets) room[inner++] = list[j];
                }
                if (!covers(a, C, room, inner, room + inner, end, left)) return false;
            }
            return true;
        }
    }
    return false;
}

static sti_status check_cover(checker* c, bool* good) {
    const sti_root_answer* a = c->a;
    const int count = a->leaf_count;
    long left = 100L * count + 1000;
    sti_env* env = c->r.s.x.env;
    const size_t rooms = (size_t)count * 200 + 1;
    int* room = sti_alloc_array(env, rooms, sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < count; i++) room[i] = i;
    *good = covers(a, a->box, room, count, room + count, room + rooms, &left) ||
            refuse(c, "the boxes do not cover what was searched");
    sti_free(env, room);
    return STI_OK;
}

static bool in_some_region(const sti_root_answer* a, const sti_interval* X) {
    for (int i = 0; i < a->root_count; i++) {
        bool inside = a->roots[i].region != NULL;
        for (int k = 0; inside && k < a->n; k++)
            inside = a->roots[i].region[k].low <= X[k].low && X[k].high <= a->roots[i].region[k].high;
        if (inside) return true;
    }
    return false;
}

static bool check_leaves(checker* c) {
    const sti_root_answer* a = c->a;
    for (int i = 0; i < a->leaf_count; i++) {
        const sti_interval* X = a->leaf_box + (size_t)i * (size_t)a->n;
        c->out->boxes_checked++;
        if (a->leaf[i] == STI_ROOT_LEAF_OPEN) return refuse(c, "a box is open, and nothing is proved of the whole");
        if (a->leaf[i] == STI_ROOT_LEAF_ROOT && !in_some_region(a, X))
            return refuse(c, "a box said to hold a root lies in no region");
        if (a->leaf[i] == STI_ROOT_LEAF_NONE && !has_none(c, X, 60)) return false;
    }
    return true;
}

// The box searched holds the one that is given.
static bool check_box(checker* c) {
    sti_span given = {0}, used = {0};
    bool good = true;
    for (int k = 0; good && k < c->a->n; k++) {
        for (int side = 0; good && side < 2; side++) {
            good = sti_formula_number(&c->r, side == 0 ? c->p->low[k] : c->p->high[k], &given);
            sti_span_set_doubles(&c->r.s, &used, c->a->box[k].low, c->a->box[k].high);
            good = good && sti_int_cmp(&used.low, &given.high) <= 0 && sti_int_cmp(&given.low, &used.high) <= 0 &&
                   (side == 0 ? sti_int_cmp(&used.low, &given.low) <= 0 : sti_int_cmp(&given.high, &used.high) <= 0);
        }
    }
    sti_span_clear(&c->r.s, &given);
    sti_span_clear(&c->r.s, &used);
    return good || refuse(c, "the box that was searched does not hold the one given");
}

static sti_status check_all(checker* c, bool* good) {
    const sti_root_answer* a = c->a;
    const bool whole = a->outcome == STI_NO_SOLUTION || a->complete;
    sti_status status = STI_OK;
    *good = true;
    for (int i = 0; *good && i < a->root_count; i++) *good = check_root(c, &a->roots[i]);
    if (*good && whole && a->box == NULL) *good = refuse(c, "a claim about all roots without a box");
    if (*good && whole) *good = check_box(c) && check_leaves(c);
    if (*good && whole) status = check_cover(c, good);
    return status;
}

static void conclude(checker* c, bool good) {
    const sti_root_answer* a = c->a;
    c->out->accepted = good;
    if (good && a->outcome == STI_UNKNOWN && a->root_count == 0)
        snprintf(c->out->text, sizeof c->out->text, "nothing is claimed");
    else if (good)
        snprintf(c->out->text, sizeof c->out->text, "%d root%s and %d box%s shown again with %d bits",
                 c->out->roots_checked, c->out->roots_checked == 1 ? "" : "s", c->out->boxes_checked,
                 c->out->boxes_checked == 1 ? "" : "es", (int)c->r.s.bits);
    else if (c->r.unable)
        snprintf(c->out->text, sizeof c->out->text,
                 "the formulas hold something that is not checked (atan2, sign, floor)");
}

static sti_status check_with(sti_env* env, const sti_root_problem* problem, const sti_root_answer* answer, size_t bits,
                             long evaluations, bool* unable, sti_root_verification* out) {
    checker c = {.p = problem, .a = answer, .out = out, .left = evaluations};
    bool good = false;
    *out = (sti_root_verification){0};
    sti_spans_init(&c.r.s, env, bits);
    c.r.n = problem->variable_count;
    c.r.variables = problem->variables;
    c.r.at = c.box;
    c.r.definition_count = problem->definition_count;
    c.r.definitions = problem->definitions;
    sti_status status = check_all(&c, &good);
    if (status == STI_OK) status = c.r.s.x.status;
    if (status == STI_OK) status = sti_check_time(env, "checking roots");
    conclude(&c, good && status == STI_OK);
    *unable = c.r.unable;
    for (int k = 0; k < MOST; k++) {
        sti_span_clear(&c.r.s, &c.box[k]);
        sti_sloped_clear(&c.r, &c.f[k]);
    }
    sti_spans_clear(&c.r.s);
    return status;
}

sti_status sti_verify_root(sti_env* env, const sti_root_problem* problem, const sti_root_answer* answer,
                           sti_root_verification* out) {
    bool unable = false;
    *out = (sti_root_verification){0};
    if (answer->n != problem->variable_count || answer->n > MOST)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the answer has %d variables, the problem %d", answer->n,
                        problem->variable_count);
    const sti_status status = check_with(env, problem, answer, BITS, 2000000, &unable, out);
    if (status != STI_OK || out->accepted || unable) return status;
    return check_with(env, problem, answer, MORE_BITS, 200000, &unable, out);
}
