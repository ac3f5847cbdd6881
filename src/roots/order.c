// order.c: the order of convergence of (3.2.3)-(3.2.6) with a fixed weight, observed in many digits.
//
// In doubles three or four iterates are all there is. Here f and its Jacobian are evaluated on spans (exact/span.h) of
// as many digits as asked for, by forward differentiation over the tape, and
//
//     order_k = log(e_{k+2}/e_{k+1}) / log(e_{k+1}/e_k)  ->  1 + sqrt 2 for g = 1/2,  2 for every other g
//
// Nothing is proved here: spans serve as numbers, and are drawn together to their middles after each step.
#include "exact/span.h"
#include "roots/found.h"

enum { MOST_ITERATES = 60 };

// A number and its derivatives in the n variables.
typedef struct jet {
    sti_span v, d[MOST];
} jet;

typedef struct machine {
    sti_equations* q;
    sti_spans s;
    int n;
    jet* entry;           // of the tape          (count)
    unsigned char* used;  // (count)
    sti_span t[4];
    bool unable;  // an operation that is not known here
} machine;

static void clear_jet(machine* m, jet* j) {
    sti_span_clear(&m->s, &j->v);
    for (int k = 0; k < m->n; k++) sti_span_clear(&m->s, &j->d[k]);
}

// c = f(a): value in m->t[0], slope in m->t[1]
static void chain(machine* m, jet* c, const jet* a) {
    for (int k = 0; k < m->n; k++) sti_span_mul(&m->s, &c->d[k], &m->t[1], &a->d[k]);
    sti_span_set(&m->s, &c->v, &m->t[0]);
}

static void one_over(machine* m, sti_span* r, const sti_span* a) {
    sti_span_set_int(&m->s, &m->t[3], 1);
    sti_span_div(&m->s, r, &m->t[3], a);
}

// (e^a + sign e^-a)/2
static void half_exp(machine* m, sti_span* r, const sti_span* a, int sign) {
    sti_span_exp(&m->s, r, a);
    one_over(m, &m->t[2], r);
    if (sign > 0)
        sti_span_add(&m->s, r, r, &m->t[2]);
    else
        sti_span_sub(&m->s, r, r, &m->t[2]);
    sti_span_div_int(&m->s, r, r, 2);
}

// Value and slope of a function of one argument into m->t[0], m->t[1]. False: not known here.
static bool unary(machine* m, sti_op op, const sti_span* a) {
    sti_spans* s = &m->s;
    sti_span *f = &m->t[0], *d = &m->t[1];
    switch (op) {
        case STI_OP_NEGATE:
            sti_span_set(s, f, a);
            sti_span_neg(f);
            sti_span_set_int(s, d, -1);
            return true;
        case STI_OP_SIN:
            sti_span_sin(s, f, a);
            sti_span_cos(s, d, a);
            return true;
        case STI_OP_COS:
            sti_span_cos(s, f, a);
            sti_span_sin(s, d, a);
            sti_span_neg(d);
            return true;
        case STI_OP_TAN:
            sti_span_sin(s, f, a);
            sti_span_cos(s, d, a);
            sti_span_div(s, f, f, d);
            sti_span_sqr(s, d, d);
            one_over(m, d, d);
            return true;
        case STI_OP_EXP:
            sti_span_exp(s, f, a);
            sti_span_set(s, d, f);
            return true;
        case STI_OP_LOG:
            sti_span_log(s, f, a);
            one_over(m, d, a);
            return true;
        case STI_OP_SQRT:
            sti_span_sqrt(s, f, a);
            sti_span_mul_int(s, d, f, 2);
            one_over(m, d, d);
            return true;
        case STI_OP_ATAN:
            sti_span_atan(s, f, a);
            sti_span_sqr(s, d, a);
            sti_span_set_int(s, &m->t[2], 1);
            sti_span_add(s, d, d, &m->t[2]);
            one_over(m, d, d);
            return true;
        case STI_OP_SINH:
        case STI_OP_COSH:
            half_exp(m, f, a, op == STI_OP_SINH ? -1 : 1);
            half_exp(m, d, a, op == STI_OP_SINH ? 1 : -1);
            return true;
        case STI_OP_TANH:
            half_exp(m, f, a, -1);
            half_exp(m, d, a, 1);
            sti_span_div(s, f, f, d);
            sti_span_sqr(s, d, d);
            one_over(m, d, d);
            return true;
        default:
            return false;
    }
}

static void multiply(machine* m, jet* c, const jet* a, const jet* b) {
    sti_spans* s = &m->s;
    for (int k = 0; k < m->n; k++) {
        sti_span_mul(s, &m->t[0], &a->d[k], &b->v);
        sti_span_mul(s, &m->t[1], &a->v, &b->d[k]);
        sti_span_add(s, &c->d[k], &m->t[0], &m->t[1]);
    }
    sti_span_mul(s, &c->v, &a->v, &b->v);
}

// c = a/b: c' = (a' - c b')/b
static void divide(machine* m, jet* c, const jet* a, const jet* b) {
    sti_spans* s = &m->s;
    sti_span_div(s, &c->v, &a->v, &b->v);
    for (int k = 0; k < m->n; k++) {
        sti_span_mul(s, &m->t[0], &c->v, &b->d[k]);
        sti_span_sub(s, &m->t[0], &a->d[k], &m->t[0]);
        sti_span_div(s, &c->d[k], &m->t[0], &b->v);
    }
}

// a^p with a whole exponent
static bool power(machine* m, jet* c, const jet* a, const sti_node* exponent) {
    const double p = exponent->value;
    if (exponent->op != STI_OP_CONSTANT || exponent->off != 0 || p != rint(p) || fabs(p) > 1000) return false;
    sti_span_pow_int(&m->s, &m->t[0], &a->v, (long)p);
    sti_span_set_int(&m->s, &m->t[1], 0);
    if (p != 0) sti_span_pow_int(&m->s, &m->t[1], &a->v, (long)p - 1);
    sti_span_mul_int(&m->s, &m->t[1], &m->t[1], (int64_t)p);
    chain(m, c, a);
    return true;
}

static void add(machine* m, jet* c, const jet* a, const jet* b, bool minus) {
    for (int k = 0; k < m->n; k++) {
        if (minus)
            sti_span_sub(&m->s, &c->d[k], &a->d[k], &b->d[k]);
        else
            sti_span_add(&m->s, &c->d[k], &a->d[k], &b->d[k]);
    }
    if (minus)
        sti_span_sub(&m->s, &c->v, &a->v, &b->v);
    else
        sti_span_add(&m->s, &c->v, &a->v, &b->v);
}

static void leaf(machine* m, jet* c, const sti_node* x, const sti_span* at) {
    for (int k = 0; k < m->n; k++) sti_span_set_int(&m->s, &c->d[k], 0);
    if (x->op == STI_OP_INPUT) {
        sti_span_set(&m->s, &c->v, &at[x->a]);
        sti_span_set_int(&m->s, &c->d[x->a], 1);
    } else if (x->off > 0 && x->value == M_PI) {
        sti_span_pi(&m->s, &c->v);
    } else {
        sti_span_set_double(&m->s, &c->v, x->value);
    }
}

static void evaluate(machine* m, const sti_span* at) {
    const sti_tape* tape = &m->q->formulas.tape;
    for (int i = 0; i < tape->count && m->s.x.status == STI_OK && !m->unable; i++) {
        const sti_node* x = &tape->node[i];
        jet *c = &m->entry[i], *a = x->a >= 0 ? &m->entry[x->a] : NULL, *b = x->b >= 0 ? &m->entry[x->b] : NULL;
        if (!m->used[i]) continue;
        if (sti_op_arguments(x->op) == 0)
            leaf(m, c, x, at);
        else if (x->op == STI_OP_ADD || x->op == STI_OP_SUBTRACT)
            add(m, c, a, b, x->op == STI_OP_SUBTRACT);
        else if (x->op == STI_OP_MULTIPLY)
            multiply(m, c, a, b);
        else if (x->op == STI_OP_DIVIDE)
            divide(m, c, a, b);
        else if (x->op == STI_OP_POW)
            m->unable = !power(m, c, a, &tape->node[x->b]);
        else if (sti_op_arguments(x->op) == 1 && unary(m, x->op, &a->v))
            chain(m, c, a);
        else
            m->unable = true;
    }
}

// ---- the iteration

static void draw_together(machine* m, sti_span* x) {
    for (int k = 0; k < m->n; k++) sti_span_middle(&m->s, &x[k], &x[k]);
}

// out = x - J(at)^-1 f, f given; elimination with the pivot that is largest in doubles
static void newton(machine* m, const sti_span* x, const sti_span* f, const sti_span* at, sti_span* out) {
    const int n = m->n;
    sti_spans* s = &m->s;
    sti_span A[MOST][MOST + 1] = {0};
    evaluate(m, at);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) sti_span_middle(s, &A[i][k], &m->entry[m->q->entry[i]].d[k]);
        sti_span_set(s, &A[i][n], &f[i]);
    }
    for (int k = 0; k < n && s->x.status == STI_OK; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (sti_int_bits(&A[i][k].low) > sti_int_bits(&A[p][k].low)) p = i;
        }
        for (int j = 0; j <= n; j++) {
            const sti_span t = A[k][j];
            A[k][j] = A[p][j];
            A[p][j] = t;
        }
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            sti_span_div(s, &m->t[0], &A[i][k], &A[k][k]);
            for (int j = k; j <= n; j++) {
                sti_span_mul(s, &m->t[1], &m->t[0], &A[k][j]);
                sti_span_sub(s, &A[i][j], &A[i][j], &m->t[1]);
                sti_span_middle(s, &A[i][j], &A[i][j]);
            }
        }
    }
    for (int k = 0; k < n; k++) {
        sti_span_div(s, &A[k][n], &A[k][n], &A[k][k]);
        sti_span_sub(s, &out[k], &x[k], &A[k][n]);
    }
    draw_together(m, out);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= n; j++) sti_span_clear(s, &A[i][j]);
    }
}

// (1 - g) a + g b
static void blend(machine* m, sti_span* out, const sti_span* a, const sti_span* b, double g) {
    sti_span_set_double(&m->s, &m->t[2], g);
    for (int k = 0; k < m->n; k++) {
        sti_span_sub(&m->s, &m->t[0], &b[k], &a[k]);
        sti_span_mul(&m->s, &m->t[0], &m->t[0], &m->t[2]);
        sti_span_add(&m->s, &out[k], &a[k], &m->t[0]);
    }
    draw_together(m, out);
}

static void value(machine* m, const sti_span* x, sti_span* f) {
    evaluate(m, x);
    for (int i = 0; i < m->n; i++) sti_span_middle(&m->s, &f[i], &m->entry[m->q->entry[i]].v);
}

// All iterates, into x[0], x[1], .. until two are the same up to rounding, or there is no room. Returns how many.
static int iterate(machine* m, double g, sti_span (*x)[MOST]) {
    sti_span f[MOST] = {0}, star[MOST] = {0}, last[MOST] = {0}, at[MOST] = {0};
    int count = 1;
    value(m, x[0], f);
    newton(m, x[0], f, x[0], x[1]);
    for (int k = 0; k < m->n; k++) sti_span_set(&m->s, &last[k], &x[0][k]);  // x*_0
    for (count = 2; count < MOST_ITERATES && m->s.x.status == STI_OK && !m->s.undefined && !m->unable; count++) {
        const sti_span* now = x[count - 1];
        m->s.x.status = sti_check_time(m->q->env, "studying the order of convergence");
        if (m->s.x.status != STI_OK) break;
        value(m, now, f);
        blend(m, at, x[count - 2], last, g);
        newton(m, now, f, at, star);
        blend(m, at, now, star, g);
        newton(m, now, f, at, x[count]);
        bool settled = true;
        for (int k = 0; k < m->n; k++) {
            sti_span_set(&m->s, &last[k], &star[k]);
            sti_span_sub(&m->s, &m->t[0], &x[count][k], &now[k]);
            settled = settled && sti_int_bits(&m->t[0].low) < 40;
        }
        if (settled) break;
    }
    for (int k = 0; k < m->n; k++) {
        sti_span_clear(&m->s, &f[k]);
        sti_span_clear(&m->s, &star[k]);
        sti_span_clear(&m->s, &last[k]);
        sti_span_clear(&m->s, &at[k]);
    }
    return count;
}

// Errors from the last iterate; those that are above the rounding of the root count.
static int measure(machine* m, sti_span (*x)[MOST], int last, double* error) {
    int count = 0;
    const double least = -0.30103 * (double)m->s.bits + 30;
    for (int i = 0; i < last; i++) {
        error[i] = -INFINITY;
        for (int k = 0; k < m->n; k++) {
            sti_span_sub(&m->s, &m->t[0], &x[i][k], &x[last][k]);
            error[i] = fmax(error[i], sti_span_log10(&m->s, &m->t[0]));
        }
        if (!(error[i] > least)) break;
        count = i + 1;
    }
    return count;
}

static sti_status report(machine* m, sti_span (*x)[MOST], int last, double** out, int* count) {
    double error[MOST_ITERATES];
    const bool settled = last < MOST_ITERATES && !m->s.undefined;
    *count = settled ? measure(m, x, last, error) : 0;
    const int n = m->n, rows = *count;
    *out = sti_alloc_array_zero(m->q->env, (size_t)rows * (size_t)(n + 2), sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < n; k++) (*out)[i * n + k] = sti_span_double(&m->s, &x[i][k]);
        (*out)[rows * n + i] = error[i];
        if (i + 2 < rows) (*out)[rows * (n + 1) + i] = (error[i + 2] - error[i + 1]) / (error[i + 1] - error[i]);
    }
    return STI_OK;
}

sti_status sti_convergence_order(sti_equations* q, const sti_root_options* o, const double* start, double** out,
                                 int* count) {
    const sti_tape* tape = &q->formulas.tape;
    machine m = {.q = q, .n = q->n};
    sti_span x[MOST_ITERATES][MOST] = {0};
    sti_spans_init(&m.s, q->env, (size_t)((double)o->digits * 3.3219281) + 64);
    m.entry = sti_alloc_array_zero(q->env, (size_t)tape->count, sizeof *m.entry);
    m.used = sti_alloc_array_zero(q->env, (size_t)tape->count, 1);
    *out = NULL;
    *count = 0;
    sti_status status = STI_OK;
    if (m.entry == NULL || m.used == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        for (int i = 0; i < q->n; i++) m.used[q->entry[i]] = 1;
        for (int i = tape->count - 1; i >= 0; i--) {
            if (!m.used[i] || sti_op_arguments(tape->node[i].op) == 0) continue;
            m.used[tape->node[i].a] = 1;
            if (tape->node[i].b >= 0) m.used[tape->node[i].b] = 1;
        }
        for (int k = 0; k < q->n; k++) sti_span_set_double(&m.s, &x[0][k], start[k]);
        const int last = iterate(&m, isnan(o->gamma) ? 0.5 : o->gamma, x);
        if (m.unable)
            status =
                STI_FAIL(q->env, STI_ERR_INPUT, -1,
                         "digits: the formulas use a function that is not there in many digits (known are + - * / ^ "
                         "with whole exponents, sin cos tan exp log sqrt atan sinh cosh tanh)");
        if (status == STI_OK) status = m.s.x.status;
        if (status == STI_OK) status = report(&m, x, last, out, count);
    }
    for (int i = 0; i < MOST_ITERATES; i++) {
        for (int k = 0; k < q->n; k++) sti_span_clear(&m.s, &x[i][k]);
    }
    for (int i = 0; m.entry != NULL && i < tape->count; i++) clear_jet(&m, &m.entry[i]);
    for (int k = 0; k < 4; k++) sti_span_clear(&m.s, &m.t[k]);
    sti_free(q->env, m.entry);
    sti_free(q->env, m.used);
    sti_spans_clear(&m.s);
    return status;
}
