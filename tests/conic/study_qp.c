// study_qp.c: SEED COUNT: random convex quadratic programs of known kind, the units of their variables and rows changed
// by powers of ten, solved and held against what was planted in them.
//
//     solvable     x, y, z are planted with c = -P x - A'y - z: x is optimal, and the least value is known
//     infeasible   a row that is a combination of others asks for more than they allow
//     unbounded    a direction along which nothing ends and the objective falls
//
// Wrong is an outcome other than the planted one, or an answer that the verifier rejects. But residuals are measured
// against the largest |c_j| and |b_i| (docs/conic.md), which is much where units are far apart: what is solved to 1e-9
// of those and not solvable, or not to 1e-6 of the terms of its own objective, is counted as loose. The last line has
// the counts; exit code 1: something wrong.
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/qp.h>
#include <string.h>

#include "base/rng.h"

enum { MOST = 10 };

typedef enum kind { SOLVABLE, INFEASIBLE, UNBOUNDED, KINDS } kind;

typedef struct problem {
    int n, m;
    double P[MOST * MOST], A[MOST * MOST], c[MOST], l[MOST], u[MOST], lb[MOST], ub[MOST];
    double objective;
} problem;

static double integer(sti_rng* rng, int most) {
    return sti_rng_int(rng, -most, most);
}

static double row_value(const problem* p, int i, const double* x) {
    double sum = 0;
    for (int j = 0; j < p->n; j++) sum += p->A[i * p->n + j] * x[j];
    return sum;
}

static double product_P(const problem* p, int i, const double* x) {
    double sum = 0;
    for (int j = 0; j < p->n; j++) sum += p->P[i * p->n + j] * x[j];
    return sum;
}

// P = B'B of this rank, in integers; rank 0: a linear program.
static void fill(sti_rng* rng, problem* p, int rank) {
    double B[MOST * MOST];
    for (int k = 0; k < rank * p->n; k++) B[k] = integer(rng, 3);
    for (int k = 0; k < p->n * p->n; k++) {
        p->P[k] = 0;
        for (int r = 0; r < rank; r++) p->P[k] += B[r * p->n + k / p->n] * B[r * p->n + k % p->n];
    }
    for (int k = 0; k < p->m * p->n; k++) p->A[k] = integer(rng, 3);
    for (int j = 0; j < p->n; j++) p->c[j] = integer(rng, 4);
    for (int i = 0; i < MOST; i++) {
        p->l[i] = p->lb[i] = -INFINITY;
        p->u[i] = p->ub[i] = INFINITY;
    }
}

// A side through the value or beyond it, and the multiplier it may have.
static double plant_side(sti_rng* rng, double value, double* low, double* high) {
    switch (sti_rng_int(rng, 0, 4)) {
        case 0:
            *low = *high = value;
            return integer(rng, 3);
        case 1:
            *high = value;
            return sti_rng_int(rng, 0, 3);
        case 2:
            *low = value;
            return -(double)sti_rng_int(rng, 0, 3);
        case 3:
            *low = value - sti_rng_int(rng, 1, 4);
            *high = value + sti_rng_int(rng, 1, 4);
            return 0;
        default:
            return 0;
    }
}

static void plant_solution(sti_rng* rng, problem* p) {
    double x[MOST], g[MOST];
    for (int j = 0; j < p->n; j++) x[j] = integer(rng, 4);
    for (int j = 0; j < p->n; j++) g[j] = product_P(p, j, x);
    for (int i = 0; i < p->m; i++) {
        const double y = plant_side(rng, row_value(p, i, x), &p->l[i], &p->u[i]);
        for (int j = 0; j < p->n; j++) g[j] += p->A[i * p->n + j] * y;
    }
    p->objective = 0;
    for (int j = 0; j < p->n; j++) {
        p->c[j] = -g[j] - plant_side(rng, x[j], &p->lb[j], &p->ub[j]);
        p->objective += x[j] * (p->c[j] + product_P(p, j, x) / 2);
    }
}

// The last row is the sum of the others, and asks for more than their upper sides allow.
static void plant_contradiction(sti_rng* rng, problem* p) {
    double most = 0;
    for (int j = 0; j < p->n; j++) p->A[(p->m - 1) * p->n + j] = 0;
    for (int i = 0; i < p->m - 1; i++) {
        p->u[i] = integer(rng, 4);
        most += p->u[i];
        for (int j = 0; j < p->n; j++) p->A[(p->m - 1) * p->n + j] += p->A[i * p->n + j];
    }
    p->l[p->m - 1] = most + sti_rng_int(rng, 1, 3);
}

// x_0 = x_1 along the direction (1, 1, 0, ..): no column of P or A sees it, no bound ends it.
static void plant_ray(sti_rng* rng, problem* p) {
    for (int i = 0; i < p->n; i++) p->P[i * p->n] = p->P[i] = 0;
    for (int j = 0; j < p->n; j++) p->P[p->n + j] = p->P[j * p->n + 1] = 0;
    for (int i = 0; i < p->m; i++) {
        p->A[i * p->n] = -p->A[i * p->n + 1];
        double x = 0;
        for (int j = 0; j < p->n; j++) x += p->A[i * p->n + j];  // feasible: x = (1, .., 1)
        p->u[i] = x + sti_rng_int(rng, 0, 3);
        p->l[i] = x - sti_rng_int(rng, 0, 3);
    }
    p->c[0] = -p->c[1] - sti_rng_int(rng, 1, 3);
    for (int j = 0; j < p->n; j++) p->lb[j] = -sti_rng_int(rng, 0, 3);
}

// Units: x_j becomes x_j / d_j, row i is multiplied by e_i. Powers of two near those of ten, so that nothing is
// rounded.
static void change_units(sti_rng* rng, problem* p, int columns, int rows) {
    for (int j = 0; j < p->n; j++) {
        const double d = exp2(rint(sti_rng_int(rng, -columns, columns) * 3.3219280948873623));
        for (int i = 0; i < p->n; i++) {
            p->P[i * p->n + j] *= d;
            p->P[j * p->n + i] *= d;
        }
        for (int i = 0; i < p->m; i++) p->A[i * p->n + j] *= d;
        p->c[j] *= d;
        p->lb[j] /= d;
        p->ub[j] /= d;
    }
    for (int i = 0; i < p->m; i++) {
        const double e = exp2(rint(sti_rng_int(rng, -rows, rows) * 3.3219280948873623));
        for (int j = 0; j < p->n; j++) p->A[i * p->n + j] *= e;
        p->l[i] *= e;
        p->u[i] *= e;
    }
}

static kind make(sti_rng* rng, long number, problem* p) {
    *p = (problem){.n = sti_rng_int(rng, 2, MOST), .m = sti_rng_int(rng, 2, MOST)};
    const kind k = (kind)(number % KINDS);
    const int ranks[3] = {0, sti_rng_int(rng, 1, p->n), p->n};
    fill(rng, p, ranks[sti_rng_int(rng, 0, 2)]);
    if (k == SOLVABLE) plant_solution(rng, p);
    if (k == INFEASIBLE) plant_contradiction(rng, p);
    if (k == UNBOUNDED) plant_ray(rng, p);
    change_units(rng, p, (int)(number / KINDS % 3) * 2 + 1, (int)(number / KINDS % 2) * 3);
    return k;
}

typedef struct counts {
    long tried, right, loose, open, wrong, most_iterations;
} counts;

static bool has_P(const problem* p) {
    for (int k = 0; k < p->n * p->n; k++) {
        if (p->P[k] != 0) return true;
    }
    return false;
}

static bool is_right(kind k, const sti_qp_answer* a) {
    static const sti_conic_outcome planted[KINDS] = {STI_CONIC_SOLVED, STI_CONIC_INFEASIBLE, STI_CONIC_UNBOUNDED};
    return a->outcome == planted[k];
}

static bool is_loose(const problem* p, kind k, const sti_qp_answer* a) {
    if (k != SOLVABLE) return a->outcome == STI_CONIC_SOLVED;
    double size = 1;  // of the terms of the objective
    for (int j = 0; j < p->n; j++) size += fabs(a->x[j] * p->c[j]) + fabs(a->x[j] * product_P(p, j, a->x));
    return a->outcome == STI_CONIC_SOLVED && !(fabs(a->objective - p->objective) <= 1e-6 * size);
}

static bool look_at(sti_env* env, problem* p, kind k, counts* c) {
    const sti_qp qp = {.n = p->n,
                       .m = p->m,
                       .P = has_P(p) ? sti_matrix_dense_view(p->n, p->n, p->P) : (sti_matrix){0},
                       .A = sti_matrix_dense_view(p->m, p->n, p->A),
                       .c = p->c,
                       .l = p->l,
                       .u = p->u,
                       .lb = p->lb,
                       .ub = p->ub};
    const sti_conic_options options = sti_conic_options_default();
    sti_qp_answer a;
    sti_qp_verification v = {0};
    if (sti_qp_solve(env, &qp, &options, &a) != STI_OK) {
        fprintf(stderr, "solve: %s\n", sti_env_error(env)->text);
        return false;
    }
    if (a.iterations > c->most_iterations) c->most_iterations = a.iterations;
    const bool open = a.outcome == STI_CONIC_UNKNOWN || a.outcome == STI_CONIC_LIMIT;
    const bool loose = is_loose(p, k, &a);
    const bool good =
        !open && (loose || is_right(k, &a)) && sti_verify_qp(env, &qp, &a, options.tol, &v) == STI_OK && v.accepted;
    if (!good) fprintf(stderr, "# planted %d, outcome %d, %s; %s\n", (int)k, (int)a.outcome, a.reason, v.text);
    c->open += open;
    c->loose += good && loose;
    c->right += good && !loose;
    c->wrong += !open && !good;
    sti_qp_answer_clear(env, &a);
    return good;
}

static void put(const char* name, const double* x, int rows, int cols) {
    fprintf(stderr, ", \"%s\": [", name);
    for (int i = 0; i < rows; i++) {
        if (cols > 0) fprintf(stderr, "%s[", i > 0 ? ", " : "");
        for (int j = 0; j < (cols > 0 ? cols : 1); j++) {
            const double value = x[i * (cols > 0 ? cols : 1) + j];
            fprintf(stderr, isfinite(value) ? "%s%.17g" : "%snull", j > 0 || (cols == 0 && i > 0) ? ", " : "", value);
        }
        if (cols > 0) fprintf(stderr, "]");
    }
    fprintf(stderr, "]");
}

static void show(const problem* p, long number) {
    fprintf(stderr, "# problem %ld\n{\"kind\": \"qp\"", number);
    if (has_P(p)) put("P", p->P, p->n, p->n);
    put("A", p->A, p->m, p->n);
    put("c", p->c, p->n, 0);
    put("l", p->l, p->m, 0);
    put("u", p->u, p->m, 0);
    put("lb", p->lb, p->n, 0);
    put("ub", p->ub, p->n, 0);
    fprintf(stderr, "}\n");
}

int main(int argc, char** argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: study_qp SEED COUNT\n");
        return 2;
    }
    sti_rng rng = {.state = strtoull(argv[1], NULL, 10)};
    const long count = strtol(argv[2], NULL, 10);
    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 3;
    counts c = {0};
    for (c.tried = 0; c.tried < count; c.tried++) {
        problem p;
        const kind k = make(&rng, c.tried, &p);
        if (!look_at(env, &p, k, &c)) show(&p, c.tried);
    }
    sti_env_destroy(env);
    printf("study_qp: seed %s, %ld problems: right %ld, loose %ld, open %ld; at most %ld iterations; %ld wrong\n",
           argv[1], c.tried, c.right, c.loose, c.open, c.most_iterations, c.wrong);
    return c.wrong == 0 ? 0 : 1;
}
