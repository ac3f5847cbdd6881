// test_falling.c: the programs of a bed that falls: P singular, most contacts open, faces nearly singular too.
// Methods are judged by what they need beside accelerated gradients, and by the residual from the rows of the factor.
#include <string.h>

#include "convex/convex.h"
#include "granular/bed_tools.h"

typedef struct contender {
    sti_quadratic_method* run;
    double most;  // products, over those of apgd
    long products;
} contender;

typedef struct notes {
    sti_env* env;
    contender tron, bb;
    int step, programs, variables;
    long products;  // of apgd
} notes;

static void multiply(void* user, const double* x, double* y) {
    const sti_bed_program* p = user;
    p->multiply(p, x, y);
}

// |min(x / sqrt(rho), sqrt(rho) (B B'x + kappa))| / |x / sqrt(rho)|
static double residual(const sti_bed_program* p, const double* x) {
    double* t = calloc((size_t)p->columns, sizeof *t);
    int column[12];
    double value[12], map2 = 0, size2 = 0;
    for (int i = 0; i < p->n; i++) {
        const int count = p->factor(p, i, column, value);
        for (int k = 0; k < count; k++) t[column[k]] += value[k] * x[i];
    }
    for (int i = 0; i < p->n; i++) {
        const int count = p->factor(p, i, column, value);
        double g = p->kappa[i];
        for (int k = 0; k < count; k++) g += value[k] * t[column[k]];
        const double scale = sqrt(p->rho[i]), z = x[i] / scale, least = fmin(z, scale * g);
        assert_true(x[i] >= 0);
        map2 += least * least;
        size2 += z * z;
    }
    free(t);
    return sqrt(map2 / size2);
}

static void judge(notes* n, contender* c, const sti_quadratic* q, const sti_quadratic_goal* goal, const double* start) {
    const size_t size = (size_t)q->n * sizeof *start;
    const int times = n->step == 16 ? 2 : 1;  // twice: the same bits again
    double *x = malloc(size), *first = malloc(size);
    assert_true(x != NULL && first != NULL);
    for (int k = 0; k < times; k++) {
        sti_quadratic_report report;
        memcpy(x, start, size);
        assert_int_equal(c->run(n->env, q, goal, x, &report), STI_OK);
        assert_true(report.solved);
        assert_true(residual(q->user, x) <= 1.01 * goal->tol);
        if (k == 0) {
            memcpy(first, x, size);
            c->products += report.products;
        }
    }
    assert_memory_equal(x, first, size);
    free(x);
    free(first);
}

// Every eighth program is solved by all, and the bed goes on with the answer of apgd.
static sti_status solve(void* user, const sti_bed_program* p, double* x, long* iterations, char text[160]) {
    (void)text;
    notes* n = user;
    const sti_quadratic q = {.n = p->n, .multiply = multiply, .user = (void*)p, .kappa = p->kappa, .rho = p->rho};
    const sti_quadratic_goal loose = {.tol = 1e-5, .max_iterations = 100000, .stop_at = INFINITY};
    const sti_quadratic_goal tight = {.tol = 1e-8, .max_iterations = 30000, .stop_at = INFINITY};
    sti_quadratic_report report;
    if (++n->step % 8 != 0 || n->step <= 8) return sti_quadratic_apgd(n->env, &q, &loose, x, &report);
    judge(n, &n->tron, &q, &tight, x);
    judge(n, &n->bb, &q, &tight, x);
    const sti_status status = sti_quadratic_apgd(n->env, &q, &tight, x, &report);
    *iterations = report.iterations;
    n->products += report.products;
    n->programs++;
    n->variables += p->n;
    return status;
}

static void bounded_methods_reach_1e_8_in_every_step_of_a_fall(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_bed_options o = reference_options(STI_BED_APGD, 1e-5);
    o.h = 0.05;
    sti_bed* bed = bed_of_pebbles(env, 100, &o);
    notes n = {.env = env, .tron = {sti_quadratic_tron, 1, 0}, .bb = {sti_quadratic_bb, 2, 0}};
    const sti_bed_method method = {"all", solve, &n};
    assert_int_equal(sti_bed_use(bed, &method), STI_OK);
    for (int k = 0; k < 40; k++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    print_message("%d programs, %d variables; products: apgd %ld, tron %ld, bb %ld\n", n.programs, n.variables,
                  n.products, n.tron.products, n.bb.products);
    assert_true(n.programs == 4 && n.variables > 4 * 900);
    assert_true((double)n.tron.products <= n.tron.most * (double)n.products);
    assert_true((double)n.bb.products <= n.bb.most * (double)n.products);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounded_methods_reach_1e_8_in_every_step_of_a_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
