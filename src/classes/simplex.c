// simplex.c: the least value of x'Mx on the standard simplex { x >= 0, e'x = 1 }, exact, with a minimizer.
//
// With B = M + M' in integers and J = e e',
//
//     min { x'Bx : x in the simplex } >= l     <=>     B - l J is copositive,
//
// so the value l of any point x of the simplex is the minimum exactly when B - l J is copositive, and otherwise the
// search of copositive_search.c gives a better point. Starting from the best local minimum that descent finds, one
// search usually suffices; every further one starts from the minimum over a face, and there are finitely many. For
// semidefinite M the optimality condition (Bx)_i >= x'Bx for all i proves the minimum without a search.
//
// A violator of B - l J is improved to the stationary point of its face a: (B - l J)_aa z = -e. When a is minimal,
// z > 0 (the inverse of (B - l J)_aa is then nonpositive, Hadeler 1983) and this is the minimum over the face; so
// where z > 0 fails, indices are left out of a as long as a violator remains.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "classes/classes.h"

enum { WORK_SHARE = 2 };  // of the work allowed: the minimum is a by-product

// Moves weight from the index with the largest gradient in the support to the one with the least, as far as the form
// decreases. g = S x is kept up to date.
void sti_simplex_descend(const double* S, int k, double* x, double* g) {
    double size = 0;
    for (int i = 0; i < k; i++) {
        g[i] = 0;
        for (int j = 0; j < k; j++) g[i] += S[(size_t)i * (size_t)k + (size_t)j] * x[j];
        size = fmax(size, fabs(S[(size_t)i * (size_t)k + (size_t)i]));
    }
    for (int step = 0; step < 40 * k + 200; step++) {
        int low = 0, high = -1;
        for (int i = 0; i < k; i++) {
            if (g[i] < g[low]) low = i;
            if (x[i] > 0 && (high < 0 || g[i] > g[high])) high = i;
        }
        if (high < 0 || !(g[high] - g[low] > 1e-13 * (size + fabs(g[high])))) return;
        const double *Sl = S + (size_t)low * (size_t)k, *Sh = S + (size_t)high * (size_t)k;
        const double curvature = Sl[low] - 2 * Sl[high] + Sh[high], slope = g[high] - g[low];
        double t = x[high];
        if (curvature > 0 && slope < t * curvature) t = slope / curvature;
        const bool all = t == x[high];
        x[low] += t;
        x[high] = all ? 0 : x[high] - t;
        for (int i = 0; i < k; i++) g[i] += t * (Sl[i] - Sh[i]);
    }
}

typedef struct minimum {
    sti_arena memory;
    sti_specimen* s;
    sti_exact* ctx;
    int n;
    sti_int* B;      // M + M' times num/den                   (n x n)
    sti_int* C;      // q B - p J                              (n x n)
    sti_int* v;      // the point: v / sum v, v >= 0           (n)
    sti_int* trial;  //                                        (n)
    sti_int* table;  // face equations                         (n x (n+1))
    int* face;       // indices of a face                      (n)
    int* pivot;      //                                        (n)
    double* S;       // (n x n), and x, g                      (n, n)
    sti_int num, den;
    sti_int p, q;  // value of the point: v'Bv / (e'v)^2, q > 0
} minimum;

static void clear_minimum(minimum* m) {
    sti_env* env = m->s->env;
    const size_t n = (size_t)m->n;
    sti_int_array_free(env, m->B, n * n);
    sti_int_array_free(env, m->C, n * n);
    sti_int_array_free(env, m->v, n);
    sti_int_array_free(env, m->trial, n);
    sti_int_array_free(env, m->table, n * (n + 1));
    sti_arena_clear(&m->memory);
    sti_int_clear(env, &m->num);
    sti_int_clear(env, &m->den);
    sti_int_clear(env, &m->p);
    sti_int_clear(env, &m->q);
}

static sti_status make_minimum(minimum* m, sti_specimen* s) {
    *m = (minimum){.s = s, .ctx = &s->x, .n = s->n};
    const size_t n = (size_t)s->n;
    m->B = sti_int_array(m->ctx, n * n);
    m->C = sti_int_array(m->ctx, n * n);
    m->v = sti_int_array(m->ctx, n);
    m->trial = sti_int_array(m->ctx, n);
    m->table = sti_int_array(m->ctx, n * (n + 1));
    m->memory = sti_arena_make(s->env);
    m->face = sti_arena_raw(&m->memory, n, sizeof *m->face);
    m->pivot = sti_arena_raw(&m->memory, n, sizeof *m->pivot);
    m->S = sti_arena_raw(&m->memory, n * n + 2 * n, sizeof *m->S);
    if (m->memory.status != STI_OK || m->ctx->status != STI_OK) {
        clear_minimum(m);
        return STI_ERR_MEMORY;
    }
    for (int i = 0; i < s->n; i++) m->face[i] = i;
    sti_specimen_symmetric_image(s, m->face, s->n, m->B, &m->num, &m->den);
    if (m->ctx->status != STI_OK) clear_minimum(m);
    return s->x.status;
}

static void quadratic(sti_exact* x, const sti_int* B, int n, const sti_int* v, sti_int* out) {
    sti_int row = {0};
    sti_int_set_i64(x, out, 0);
    for (int i = 0; i < n; i++) {
        if (v[i].size == 0) continue;
        sti_int_set_i64(x, &row, 0);
        for (int j = 0; j < n; j++) sti_int_addmul(x, &row, &B[(size_t)i * (size_t)n + (size_t)j], &v[j]);
        sti_int_addmul(x, out, &row, &v[i]);
    }
    sti_int_clear(x->env, &row);
}

// Take the trial point if its value is below p/q, or if there is none yet.
static bool take_trial(minimum* m) {
    sti_exact* x = m->ctx;
    sti_int value[2] = {0}, product[2] = {0};
    sti_int_make_primitive(x, m->trial, (size_t)m->n);
    quadratic(x, m->B, m->n, m->trial, &value[0]);
    for (int i = 0; i < m->n; i++) sti_int_add(x, &value[1], &value[1], &m->trial[i]);
    sti_int_mul(x, &value[1], &value[1], &value[1]);
    sti_int_make_primitive(x, value, 2);
    sti_int_mul(x, &product[0], &value[0], &m->q);
    sti_int_mul(x, &product[1], &m->p, &value[1]);
    const bool better = x->status == STI_OK && (m->q.size == 0 || sti_int_cmp(&product[0], &product[1]) < 0);
    if (better) {
        for (int i = 0; i < m->n; i++) sti_int_set(x, &m->v[i], &m->trial[i]);
        sti_int_swap(&m->p, &value[0]);
        sti_int_swap(&m->q, &value[1]);
    }
    for (int i = 0; i < 2; i++) {
        sti_int_clear(x->env, &value[i]);
        sti_int_clear(x->env, &product[i]);
    }
    return better;
}

// Stationary point of the face: A_aa z = (sign) e for A = B or C, if z > 0 for one of the signs. Into trial.
static bool solve_face(minimum* m, const sti_int* A, int k) {
    sti_exact* x = m->ctx;
    sti_int d = {0};
    const int cols = k + 1;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++)
            sti_int_set(x, &m->table[i * cols + j], &A[(size_t)m->face[i] * (size_t)m->n + (size_t)m->face[j]]);
        sti_int_set_i64(x, &m->table[i * cols + k], 1);
    }
    const int rank = sti_int_eliminate(x, m->table, k, cols, k, m->pivot, &d);
    sti_int_clear(x->env, &d);
    if (x->status != STI_OK || rank < k) return false;
    const int sign = sti_int_sign(&m->table[k]);
    for (int i = 0; i < k; i++) {
        if (sign == 0 || sti_int_sign(&m->table[i * cols + k]) != sign) return false;
    }
    for (int i = 0; i < m->n; i++) sti_int_set_i64(x, &m->trial[i], 0);
    for (int i = 0; i < k; i++) {
        sti_int* to = &m->trial[m->face[m->pivot[i]]];
        sti_int_set(x, to, &m->table[i * cols + k]);
        if (sign < 0) sti_int_neg(to);
    }
    return x->status == STI_OK;
}

// Vertices, then descent from each of them, rounded to the stationary point of the face it ends on.
static void start(minimum* m) {
    const int n = m->n;
    double *S = m->S, *x = S + (size_t)n * (size_t)n, *g = x + n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            S[i * n + j] = 0.5 * sti_specimen_at(m->s, i, j) + 0.5 * sti_specimen_at(m->s, j, i);
    }
    for (int i = 0; i < n && m->ctx->status == STI_OK; i++) {
        for (int j = 0; j < n; j++) sti_int_set_i64(m->ctx, &m->trial[j], i == j);
        take_trial(m);
        for (int j = 0; j < n; j++) x[j] = i == j;
        sti_simplex_descend(S, n, x, g);
        int k = 0;
        for (int j = 0; j < n; j++) {
            if (x[j] > 1e-6) m->face[k++] = j;
        }
        if (k > 1 && solve_face(m, m->B, k)) take_trial(m);
    }
}

// (Bv)_i e'v >= v'Bv for all i: v / e'v is stationary, so minimal when M is semidefinite.
static bool is_stationary(minimum* m) {
    sti_exact* x = m->ctx;
    bool yes = true;
    sti_int sum = {0}, row = {0}, value = {0};
    quadratic(x, m->B, m->n, m->v, &value);
    for (int i = 0; i < m->n; i++) sti_int_add(x, &sum, &sum, &m->v[i]);
    for (int i = 0; i < m->n && yes; i++) {
        sti_int_set_i64(x, &row, 0);
        for (int j = 0; j < m->n; j++) sti_int_addmul(x, &row, &m->B[i * m->n + j], &m->v[j]);
        sti_int_mul(x, &row, &row, &sum);
        yes = sti_int_cmp(&row, &value) >= 0;
    }
    sti_int_clear(x->env, &sum);
    sti_int_clear(x->env, &row);
    sti_int_clear(x->env, &value);
    return yes && x->status == STI_OK;
}

// Is C not copositive on the face without its entry `out`? Then the face becomes the support of what was found.
static sti_status leave_out(minimum* m, int* k, int out, bool* smaller) {
    sti_exact* x = m->ctx;
    const int w = *k - 1;
    sti_int* part = sti_int_array(x, (size_t)w * (size_t)w);
    if (part == NULL) return x->status;
    for (int i = 0; i < w; i++) {
        for (int j = 0; j < w; j++) {
            const int row = m->face[i + (i >= out)], col = m->face[j + (j >= out)];
            sti_int_set(x, &part[i * w + j], &m->C[row * m->n + col]);
        }
    }
    sti_copositive_search found;
    sti_status status = x->status;
    if (status == STI_OK) status = sti_copositive_search_run(x, part, w, m->s->options.work_limit / WORK_SHARE, &found);
    sti_int_array_free(x->env, part, (size_t)w * (size_t)w);
    if (status != STI_OK) return status;
    *smaller = found.copositive == STI_NO;
    if (*smaller) {
        int count = 0;
        for (int i = 0; i < w; i++) {
            if (found.violator[i].size != 0) m->face[count++] = m->face[i + (i >= out)];
        }
        *k = count;
    }
    sti_copositive_search_clear(x->env, &found, w);
    return STI_OK;
}

// From a violator of C to the minimum over a face inside its support. *taken is false when the work runs out.
static sti_status take_violator(minimum* m, const sti_int* violator, bool* taken) {
    *taken = false;
    int k = 0;
    for (int i = 0; i < m->n; i++) {
        if (violator[i].size != 0) m->face[k++] = i;
    }
    int out = 0;
    while (!solve_face(m, m->C, k)) {
        bool smaller = false;
        sti_status status = m->ctx->status;
        for (; out < k && !smaller && status == STI_OK; out++) status = leave_out(m, &k, out, &smaller);
        if (status != STI_OK) return status;
        if (!smaller) return STI_OK;
        out = 0;
    }
    *taken = take_trial(m);
    return m->ctx->status;
}

// Search B - (p/q) J until it is copositive. *proved is false when the work runs out.
static sti_status improve(minimum* m, bool* proved) {
    sti_exact* x = m->ctx;
    const size_t n = (size_t)m->n;
    long work = m->s->options.work_limit / WORK_SHARE;
    *proved = false;
    while (work > 0) {
        for (size_t i = 0; i < n * n; i++) {
            sti_int_mul(x, &m->C[i], &m->B[i], &m->q);
            sti_int_sub(x, &m->C[i], &m->C[i], &m->p);
        }
        sti_int_make_primitive(x, m->C, n * n);
        sti_copositive_search found;
        sti_status status = x->status;
        if (status == STI_OK) status = sti_copositive_search_run(x, m->C, m->n, work, &found);
        if (status != STI_OK) return status;
        work -= found.work;
        bool better = false;
        *proved = found.copositive == STI_YES;
        if (found.copositive == STI_NO) status = take_violator(m, found.violator, &better);
        sti_copositive_search_clear(x->env, &found, m->n);
        if (status != STI_OK || !better) return status;
    }
    return STI_OK;
}

// value = top / bottom, at v / e'v.
static sti_status report(sti_env* env, sti_exact* x, int n, const sti_int* v, const sti_int* top, const sti_int* bottom,
                         sti_classes* c) {
    sti_int sum = {0};
    for (int i = 0; i < n; i++) sti_int_add(x, &sum, &sum, &v[i]);
    c->simplex_argmin = sti_alloc_array(env, (size_t)n, sizeof *c->simplex_argmin);
    sti_status status = c->simplex_argmin != NULL ? x->status : STI_ERR_MEMORY;
    if (status == STI_OK) status = sti_rationals_create(env, 1, &c->simplex_min_exact);
    if (status == STI_OK) status = sti_rationals_create(env, (size_t)n, &c->simplex_argmin_exact);
    if (status == STI_OK) status = sti_rationals_set_ratio(c->simplex_min_exact, 0, top, bottom);
    for (int i = 0; i < n && status == STI_OK; i++) {
        status = sti_rationals_set_ratio(c->simplex_argmin_exact, (size_t)i, &v[i], &sum);
        c->simplex_argmin[i] = sti_int_ratio(x, &v[i], &sum);
    }
    if (status == STI_OK) c->simplex_min = sti_int_ratio(x, top, bottom);
    sti_int_clear(env, &sum);
    return status == STI_OK ? x->status : status;
}

// The zero of the form that the copositivity test left is the minimizer.
static sti_status report_zero(sti_specimen* s, sti_classes* c) {
    const sti_rationals* zero = c->finding[STI_CLASS_STRICTLY_COPOSITIVE].x_exact;
    sti_int one = {0}, none = {0};
    sti_int* v = sti_int_array(&s->x, (size_t)s->n);
    if (v == NULL) return s->x.status;
    sti_int_row_from_rationals(&s->x, v, zero, 0, (size_t)s->n, NULL, NULL);
    sti_int_set_i64(&s->x, &one, 1);
    sti_status status = s->x.status;
    if (status == STI_OK) status = report(s->env, &s->x, s->n, v, &none, &one, c);
    sti_int_array_free(s->env, v, (size_t)s->n);
    sti_int_clear(s->env, &one);
    return status;
}

sti_status sti_specimen_simplex(sti_specimen* s, sti_classes* c) {
    const sti_class_finding* copositive = &c->finding[STI_CLASS_COPOSITIVE];
    const sti_class_finding* strictly = &c->finding[STI_CLASS_STRICTLY_COPOSITIVE];
    const sti_class_finding* semidefinite = &c->finding[STI_CLASS_POSITIVE_SEMIDEFINITE];
    if (copositive->verdict == STI_YES && copositive->exact && strictly->verdict == STI_NO && strictly->x_exact != NULL)
        return report_zero(s, c);
    if (s->n == 0 || s->n > s->options.exact_limit || s->n > 62) return STI_OK;
    minimum m;
    sti_status status = make_minimum(&m, s);
    if (status != STI_OK) return status;
    start(&m);
    status = m.ctx->status;
    bool proved = status == STI_OK && semidefinite->verdict == STI_YES && semidefinite->exact && is_stationary(&m);
    if (status == STI_OK && !proved) status = improve(&m, &proved);
    if (status == STI_OK && proved) {  // x'Mx = x'Bx den / (2 num)
        sti_int_mul(m.ctx, &m.p, &m.p, &m.den);
        sti_int_mul(m.ctx, &m.q, &m.q, &m.num);
        sti_int_add(m.ctx, &m.q, &m.q, &m.q);
        status = report(s->env, m.ctx, m.n, m.v, &m.p, &m.q, c);
    }
    clear_minimum(&m);
    return status;
}
