// stochastic.c: the independent check of answers to stochastic programs. From the data, x, y, pi and l alone, in long
// double.
//
// solved: with g the gradient of the Lagrangian and v the rows at (x, y), convexity gives for every point within rows
// and bounds
//
//     f(x', y') >= f(x, y) + g'((x', y') - (x, y)) - l'(v' - v)
//               >= f(x, y) - sum g_j (u_j - the bound that the sign of g_j names) - sum l_k (the side that l_k names -
//               v_k).
//
// The two sums are the gap. What is left, an entry of g or l whose bound or side is not there, has to be rounding.
//
// infeasible: l'v' has one value for every point, (A'l)'u'. The rows make it at least `wanted`, the bounds at most
// `possible`. unbounded: a direction d with Q d = 0, c'd < 0, along which no row and no bound ends.
#include <math.h>
#include <stdio.h>
#include <stiction/stochastic.h>

#include "base/env.h"
#include "verify/data.h"

typedef struct check {
    sti_env* env;
    const sti_stochastic* P;
    const sti_stochastic_answer* a;
    double tol;
    long double *g, *g_size;                   // of one block: gradient, and the largest of its terms        (most)
    long double *v, *v_size;                   // rows of one block                                           (most)
    long double *g0, *g0_size, *v0, *v0_size;  // sums over scenarios for the first stage     (n), (p)
    long double* block;
    long double objective, gap, primal, dual;  // of a point
    long double wanted, possible, loose;       // of a Farkas vector
    long double terms;                         // those of wanted and possible
    long double slope, violated, size;         // of a direction
    bool no_side;                              // a multiplier where the row has no such side
} check;

static long double entry(const sti_matrix* A, int i, int j) {  // dense
    return A->dense[(size_t)i * (size_t)A->cols + (size_t)j];
}

static void add(long double* y, long double* size, int at, long double t) {
    y[at] += t;
    size[at] = fmaxl(size[at], fabsl(t));
}

// y += f A x, or f A'x
static void product(const sti_matrix* A, long double f, const double* x, bool transposed, long double* y,
                    long double* size) {
    if (A->rows == 0) return;
    for (int j = 0; j < A->cols; j++) {
        const int64_t begin = A->dense != NULL ? 0 : A->col_start[j];
        const int64_t end = A->dense != NULL ? A->rows : A->col_start[j + 1];
        for (int64_t k = begin; k < end; k++) {
            const int i = A->dense != NULL ? (int)k : A->row[k];
            const long double value = f * (A->dense != NULL ? entry(A, i, j) : A->value[k]);
            add(y, size, transposed ? j : i, value * x[transposed ? i : j]);
        }
    }
}

// ---- the data

static double side(const double* x, int j, double missing) {
    if (x == NULL) return missing;
    return fabs(x[j]) >= 1e20 ? copysign(INFINITY, x[j]) : x[j];
}

static sti_status check_matrix(sti_env* env, const char* name, const sti_matrix* A, int rows, int cols) {
    return A->rows == 0 || rows == 0 || cols == 0 ? STI_OK : sti_check_data_matrix(env, name, A, rows, cols, false);
}

static sti_status check_sides(sti_env* env, const char* name, const double* low, const double* high, double missing,
                              int count) {
    for (int j = 0; j < count; j++) {
        if (!(side(low, j, 0) <= side(high, j, missing)))
            return STI_FAIL(env, STI_ERR_ARGUMENT, j, "%s: side %d: the lower one is not below the upper one", name, j);
    }
    return STI_OK;
}

static sti_status check_scenario(sti_env* env, const sti_stochastic* P, const sti_scenario* s) {
    if (s->m < 0 || s->q < 0 || !(s->probability > 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a scenario with %d variables, %d rows, probability %g", s->m, s->q,
                        s->probability);
    if (s->W0.rows == 0 && P->W0.rows > 0 && P->W0.rows != s->q)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "W0: %d rows, a scenario has %d", P->W0.rows, s->q);
    sti_status status = check_matrix(env, "Q", &s->Q, s->m, s->m);
    if (status == STI_OK) status = check_matrix(env, "T", &s->T, P->p, s->m);
    if (status == STI_OK) status = check_matrix(env, "W", &s->W, s->q, s->m);
    if (status == STI_OK) status = check_matrix(env, "W0", &s->W0, s->q, P->n);
    if (status == STI_OK && s->c != NULL) status = sti_check_data_vector(env, "c", s->c, s->m);
    if (status == STI_OK) status = check_sides(env, "rows of a scenario", s->dl, s->du, 0, s->q);
    if (status == STI_OK) status = check_sides(env, "variables of a scenario", s->lb, s->ub, INFINITY, s->m);
    return status;
}

static sti_status check_program(sti_env* env, const sti_stochastic* P) {
    if (P->n < 0 || P->p < 0 || P->scenario_count < 1 || P->scenarios == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a stochastic program with %d scenarios", P->scenario_count);
    sti_status status = check_matrix(env, "Q0", &P->Q0, P->n, P->n);
    if (status == STI_OK) status = check_matrix(env, "T0", &P->T0, P->p, P->n);
    if (status == STI_OK) status = check_matrix(env, "W0", &P->W0, P->W0.rows, P->n);
    if (status == STI_OK && P->c0 != NULL) status = sti_check_data_vector(env, "c0", P->c0, P->n);
    if (status == STI_OK) status = check_sides(env, "expectation rows", P->bl, P->bu, 0, P->p);
    if (status == STI_OK) status = check_sides(env, "variables x", P->lb, P->ub, INFINITY, P->n);
    for (int i = 0; status == STI_OK && i < P->scenario_count; i++) status = check_scenario(env, P, &P->scenarios[i]);
    return status;
}

// Is Q positive semidefinite, up to what rounding may leave of a pivot? a (m x m) is scratch.
static bool is_convex(const sti_matrix* Q, int m, long double* a) {
    long double size = 0;
    if (Q->rows == 0) return true;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            a[(size_t)i * (size_t)m + (size_t)j] = sti_matrix_get(Q, i, j);
            size = fmaxl(size, fabsl(a[(size_t)i * (size_t)m + (size_t)j]));
        }
    }
    for (int j = 0; j < m; j++) {
        const long double *row = a + (size_t)j * (size_t)m, d = row[j];
        if (d < -1e-9L * size) return false;
        for (int i = j + 1; i < m; i++) {
            if (fabsl(a[(size_t)i * (size_t)m + (size_t)j] - row[i]) > 1e-9L * size) return false;
            if (d <= 1e-12L * size) {
                if (fabsl(row[i]) > 1e-4L * size) return false;
                continue;
            }
            const long double f = row[i] / d;
            for (int c = j; c < m; c++) a[(size_t)i * (size_t)m + (size_t)c] -= f * row[c];
        }
    }
    return true;
}

// ---- one block: 0 is the first stage

typedef struct stage {
    int m, q;
    long double weight;
    const sti_matrix* Q;
    const double *c, *lb, *ub, *low, *high, *u, *l;
    long double *g, *g_size, *v, *v_size;
} stage;

static void look_at_point(check* k, const stage* s) {
    for (int j = 0; j < s->m; j++) {
        const double low = side(s->lb, j, 0), high = side(s->ub, j, INFINITY), at = s->g[j] >= 0 ? low : high;
        const long double outside = fmaxl(low - s->u[j], s->u[j] - high);
        k->primal = fmaxl(k->primal, outside / fmaxl(fabs(s->u[j]), 1));
        if (isfinite(at))
            k->gap += s->g[j] * (s->u[j] - at);
        else
            k->dual = fmaxl(k->dual, fabsl(s->g[j]) / fmaxl(s->g_size[j], s->weight));
    }
    for (int j = 0; j < s->q; j++) {
        const double low = side(s->low, j, 0), high = side(s->high, j, 0), at = s->l[j] >= 0 ? high : low;
        long double scale = fmaxl(s->v_size[j], 1);
        if (isfinite(low)) scale = fmaxl(scale, fabs(low));
        if (isfinite(high)) scale = fmaxl(scale, fabs(high));
        k->primal = fmaxl(k->primal, fmaxl(low - s->v[j], s->v[j] - high) / scale);
        if (isfinite(at))
            k->gap += s->l[j] * (at - s->v[j]);
        else
            k->dual = fmaxl(k->dual, fabs(s->l[j]) / s->weight);
    }
}

static void look_at_farkas(check* k, const stage* s) {
    for (int j = 0; j < s->q; j++) {
        const double at = s->l[j] >= 0 ? side(s->low, j, 0) : side(s->high, j, 0);
        if (isfinite(at)) {
            k->wanted += (long double)s->l[j] * at;
            k->terms += fabsl((long double)s->l[j] * at);
        } else if (s->l[j] > 0 || s->l[j] < 0) {
            k->no_side = true;
        }
    }
    for (int j = 0; j < s->m; j++) {
        const double at = s->g[j] >= 0 ? side(s->ub, j, INFINITY) : side(s->lb, j, 0);
        if (isfinite(at)) {
            k->possible += s->g[j] * at;
            k->terms += fabsl(s->g[j] * at);
        } else {
            k->loose = fmaxl(k->loose, fabsl(s->g[j]));
        }
    }
}

static void end_at(check* k, long double d, double low, double high) {
    if (isfinite(low)) k->violated = fmaxl(k->violated, -d);
    if (isfinite(high)) k->violated = fmaxl(k->violated, d);
}

static void look_at_ray(check* k, const stage* s) {
    for (int j = 0; j < s->m; j++) {
        end_at(k, s->u[j], side(s->lb, j, 0), side(s->ub, j, INFINITY));
        k->violated = fmaxl(k->violated, fabsl(s->g[j]));  // Q d
        k->slope += s->c != NULL ? s->weight * s->c[j] * s->u[j] : 0;
        k->size = fmaxl(k->size, fabs(s->u[j]));
    }
    for (int j = 0; j < s->q; j++) end_at(k, s->v[j], side(s->low, j, 0), side(s->high, j, 0));
}

static void clear(long double* x, long double* size, int count) {
    for (int j = 0; j < count; j++) x[j] = size[j] = 0;
}

// g = weight (Q u + c) of a point, Q u of a direction, 0 of a Farkas vector; the objective.
static void begin_gradient(check* k, const stage* s) {
    if (k->a->outcome == STI_CONIC_INFEASIBLE) return;
    long double* t = k->block;  // scratch for Q u, with its sizes behind it
    clear(t, t + s->m, s->m);
    product(s->Q, 1, s->u, false, t, t + s->m);
    const bool point = k->a->outcome == STI_CONIC_SOLVED;
    for (int j = 0; j < s->m; j++) {
        const long double cost = point && s->c != NULL ? s->c[j] : 0;
        if (point) k->objective += s->weight * s->u[j] * (t[j] / 2 + cost);
        add(s->g, s->g_size, j, (point ? s->weight : 1) * (t[j] + cost));
    }
}

static void look(check* k, const stage* s) {
    if (k->a->outcome == STI_CONIC_SOLVED)
        look_at_point(k, s);
    else if (k->a->outcome == STI_CONIC_INFEASIBLE)
        look_at_farkas(k, s);
    else
        look_at_ray(k, s);
}

static void look_at_scenario(check* k, int i, const double* y, const double* l) {
    const sti_stochastic* P = k->P;
    const sti_scenario* s = &P->scenarios[i];
    const sti_matrix* W0 = s->W0.rows > 0 ? &s->W0 : &P->W0;
    const bool rows = k->a->outcome != STI_CONIC_INFEASIBLE, multipliers = k->a->outcome != STI_CONIC_UNBOUNDED;
    const stage b = {s->m, s->q, s->probability, &s->Q,     s->c, s->lb,    s->ub, s->dl, s->du,
                     y,    l,    k->g,           k->g_size, k->v, k->v_size};
    clear(k->g, k->g_size, s->m);
    clear(k->v, k->v_size, s->q);
    begin_gradient(k, &b);
    if (multipliers) {
        product(&s->T, s->probability, k->a->pi, true, k->g, k->g_size);
        product(&s->W, 1, l, true, k->g, k->g_size);
        product(W0, 1, l, true, k->g0, k->g0_size);
    }
    if (rows) {
        product(W0, 1, k->a->x, false, k->v, k->v_size);
        product(&s->W, 1, y, false, k->v, k->v_size);
        product(&s->T, s->probability, y, false, k->v0, k->v0_size);
    }
    look(k, &b);
}

static void look_at_first(check* k) {
    const sti_stochastic* P = k->P;
    const stage b = {P->n,  P->p,    1,        &P->Q0, P->c0,      P->lb, P->ub,     P->bl,
                     P->bu, k->a->x, k->a->pi, k->g0,  k->g0_size, k->v0, k->v0_size};
    begin_gradient(k, &b);
    if (k->a->outcome != STI_CONIC_UNBOUNDED) product(&P->T0, 1, k->a->pi, true, k->g0, k->g0_size);
    if (k->a->outcome != STI_CONIC_INFEASIBLE) product(&P->T0, 1, k->a->x, false, k->v0, k->v0_size);
    look(k, &b);
}

// ---- verdicts

static sti_status judge_point(check* k, sti_stochastic_verification* out) {
    out->objective = (double)k->objective;
    out->gap = (double)(fabsl(k->gap) / (1 + fabsl(k->objective)));
    out->residual = (double)fmaxl(k->primal, k->dual);
    if (!(k->primal <= k->tol))
        return STI_REJECT(out, "a row or bound is violated by %.2e of its size, more than %.2e", (double)k->primal,
                          k->tol);
    if (!(k->dual <= k->tol))
        return STI_REJECT(
            out, "the gradient of the Lagrangian is %.2e of its terms where no bound could hold it, more than %.2e",
            (double)k->dual, k->tol);
    if (!(out->gap <= k->tol)) return STI_REJECT(out, "the gap is %.2e, more than %.2e", out->gap, k->tol);
    out->accepted = true;
    snprintf(out->text, sizeof out->text, "within %.2e of the least value, by the multipliers", out->gap);
    return STI_OK;
}

static const long double CONTRADICTION = 1e-10L;  // of its terms: a smaller one may be rounding of the data
static const double EXCLUDED = 1e5;               // a Farkas vector has to exclude all points of this size

static sti_status judge_farkas(check* k, sti_stochastic_verification* out) {
    const long double margin = k->wanted - k->possible - CONTRADICTION * k->terms;
    if (k->no_side) return STI_REJECT(out, "a multiplier belongs to a side that its row does not have");
    if (!(margin > 0)) return STI_REJECT(out, "the combination of the rows does not contradict the bounds");
    out->bound = k->loose > 0 ? (double)(margin / k->loose) : INFINITY;
    out->residual = (double)(k->loose / margin);
    if (!(out->bound >= EXCLUDED))
        return STI_REJECT(out, "only points with |(x, y)|_1 below %.2e are excluded", out->bound);
    out->accepted = true;
    snprintf(out->text, sizeof out->text, "no point satisfies rows and bounds, by a Farkas vector");
    return STI_OK;
}

static sti_status judge_ray(check* k, sti_stochastic_verification* out) {
    out->residual = k->size > 0 ? (double)(k->violated / k->size) : NAN;
    if (!(k->slope < 0)) return STI_REJECT(out, "the objective does not fall along the direction");
    if (!(k->violated <= 1e-7L * fminl(-k->slope, k->size)))
        return STI_REJECT(out, "a row, a bound or the curvature ends the direction: %.2e", (double)k->violated);
    out->accepted = true;
    snprintf(out->text, sizeof out->text, "the objective falls without end along a direction, up to %.2e",
             (double)k->violated);
    return STI_OK;
}

static bool fits(const sti_stochastic* P, const sti_stochastic_answer* a) {
    size_t y = 0, l = 0;
    for (int i = 0; i < P->scenario_count; i++) {
        y += (size_t)P->scenarios[i].m;
        l += (size_t)P->scenarios[i].q;
    }
    return a->n == P->n && a->p == P->p && a->y_count == y && a->l_count == l && a->x != NULL && a->y != NULL &&
           a->pi != NULL && a->l != NULL;
}

static bool is_finite(const double* x, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(x[k])) return false;
    }
    return true;
}

static sti_status run(check* k, int most, sti_stochastic_verification* out) {
    const sti_stochastic* P = k->P;
    out->convex = is_convex(&P->Q0, P->n, k->block);
    for (int i = 0; out->convex && i < P->scenario_count; i++)
        out->convex = is_convex(&P->scenarios[i].Q, P->scenarios[i].m, k->block);
    if (!out->convex) return STI_REJECT(out, "the objective is not convex, so that nothing follows");
    (void)most;
    const double *y = k->a->y, *l = k->a->l;
    for (int i = 0; i < P->scenario_count; i++) {
        look_at_scenario(k, i, y, l);
        y += P->scenarios[i].m;
        l += P->scenarios[i].q;
    }
    look_at_first(k);
    if (k->a->outcome == STI_CONIC_SOLVED) return judge_point(k, out);
    return k->a->outcome == STI_CONIC_INFEASIBLE ? judge_farkas(k, out) : judge_ray(k, out);
}

static sti_status reserve(check* k, int* most) {
    const sti_stochastic* P = k->P;
    int largest = P->n > P->p ? P->n : P->p;
    for (int i = 0; i < P->scenario_count; i++) {
        if (P->scenarios[i].m > largest) largest = P->scenarios[i].m;
        if (P->scenarios[i].q > largest) largest = P->scenarios[i].q;
    }
    const size_t m = (size_t)largest + 1, square = sti_size_mul(m + 1, m + 1),
                 count = sti_size_add(square, sti_size_mul(8, m));
    k->block = sti_alloc_array_zero(k->env, count, sizeof *k->block);
    if (k->block == NULL) return STI_ERR_MEMORY;
    long double** parts[] = {&k->g, &k->g_size, &k->v, &k->v_size, &k->g0, &k->g0_size, &k->v0, &k->v0_size};
    for (int j = 0; j < 8; j++) *parts[j] = k->block + square + (size_t)j * m;
    *most = largest;
    return STI_OK;
}

sti_status sti_verify_stochastic(sti_env* env, const sti_stochastic* program, const sti_stochastic_answer* answer,
                                 double tol, sti_stochastic_verification* out) {
    check k = {.env = env, .P = program, .a = answer, .tol = tol};
    *out = (sti_stochastic_verification){
        .claim = answer->outcome, .residual = NAN, .objective = NAN, .gap = NAN, .bound = NAN};
    sti_status status = check_program(env, program);
    if (status != STI_OK) return status;
    if (answer->outcome == STI_CONIC_UNKNOWN || answer->outcome == STI_CONIC_LIMIT)
        return STI_REJECT(out, "nothing is claimed that could be checked");
    if (!fits(program, answer)) return STI_REJECT(out, "the answer has other sizes than the program");
    const bool point = answer->outcome != STI_CONIC_INFEASIBLE, multipliers = answer->outcome != STI_CONIC_UNBOUNDED;
    if ((point && (!is_finite(answer->x, (size_t)answer->n) || !is_finite(answer->y, answer->y_count))) ||
        (multipliers && (!is_finite(answer->pi, (size_t)answer->p) || !is_finite(answer->l, answer->l_count))))
        return STI_REJECT(out, "a number of the claim is missing or not finite");
    int most;
    status = reserve(&k, &most);
    if (status == STI_OK) status = run(&k, most, out);
    sti_free(env, k.block);
    return status;
}
