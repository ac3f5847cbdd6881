// test_method.c: a method of the caller's own: the program it is given, what becomes of its answer, what is refused.
#include <string.h>

#include "granular/bed_tools.h"

static sti_bed* make_bed(sti_env* env, int count, sti_law law) {
    sti_bed_options o = sti_bed_options_default();
    o.law = law;
    o.h = 0.05;
    o.tol = 1e-8;
    sti_grains g = pebbles(env, count, 1);
    for (int a = 0; a < count; a++) g.mass[a] = 1 + 0.3 * (a % 4);
    return bed_of(env, &g, &o);
}

typedef struct notes {
    int calls;
    int largest;   // program
    double apart;  // worst difference between P x and B (B'x), over the largest entry
    double rho;    // worst |rho_i P_ii - 1|
} notes;

// The product by the rows of the factor, to compare.
static void compare(const sti_bed_program* p, notes* n) {
    double *x = calloc((size_t)p->n, sizeof *x), *y = calloc((size_t)p->n, sizeof *y);
    double* t = calloc((size_t)p->columns, sizeof *t);
    int column[12];
    double value[12], top = 0, apart = 0;
    for (int i = 0; i < p->n; i++) {
        x[i] = sin(1.0 + i);
        const int count = p->factor(p, i, column, value);
        assert_true(count == 6 || count == 12);  // a wall, or two grains
        double diagonal = 0;
        for (int k = 0; k < count; k++) {
            assert_in_range(column[k], 0, p->columns - 1);
            t[column[k]] += value[k] * x[i];
            diagonal += value[k] * value[k];
        }
        n->rho = fmax(n->rho, fabs(p->rho[i] * diagonal - 1));
    }
    p->multiply(p, x, y);
    for (int i = 0; i < p->n; i++) {
        const int count = p->factor(p, i, column, value);
        double sum = 0;
        for (int k = 0; k < count; k++) sum += value[k] * t[column[k]];
        apart = fmax(apart, fabs(sum - y[i]));
        top = fmax(top, fabs(y[i]));
    }
    if (p->n > 0) n->apart = fmax(n->apart, apart / top);
    free(x);
    free(y);
    free(t);
}

// Projected Gauss-Seidel on B alone.
static sti_status sweep(void* user, const sti_bed_program* p, double* x, long* iterations, char text[160]) {
    (void)text;
    notes* n = user;
    n->calls++;
    if (p->n > n->largest) n->largest = p->n;
    compare(p, n);
    double* t = calloc((size_t)p->columns, sizeof *t);
    int column[12];
    double value[12];
    for (int i = 0; i < p->n; i++) {
        const int count = p->factor(p, i, column, value);
        for (int k = 0; k < count; k++) t[column[k]] += value[k] * x[i];
    }
    for (*iterations = 0; *iterations < 3000; ++*iterations) {
        double change = 0;
        for (int i = 0; i < p->n; i++) {
            const int count = p->factor(p, i, column, value);
            double g = p->kappa[i];
            for (int k = 0; k < count; k++) g += value[k] * t[column[k]];
            const double next = fmax(0, x[i] - p->rho[i] * g), step = next - x[i];
            for (int k = 0; k < count; k++) t[column[k]] += value[k] * step;
            x[i] = next;
            change = fmax(change, fabs(step));
        }
        if (change < 1e-12) break;
    }
    free(t);
    return STI_OK;
}

static void a_method_of_the_caller_gives_the_steps_of_our_own(void** state) {
    (void)state;
    sti_env* env = open_env();
    notes n = {0};
    const sti_bed_method method = {.name = "mine", .solve = sweep, .user = &n};
    sti_bed *ours = make_bed(env, 30, STI_LAW_FACETS), *theirs = make_bed(env, 30, STI_LAW_FACETS);
    assert_int_equal(sti_bed_use(theirs, &method), STI_OK);
    for (int step = 0; step < 16; step++) {
        sti_bed_report a, b;
        assert_int_equal(sti_bed_step(ours, &a), STI_OK);
        assert_int_equal(sti_bed_step(theirs, &b), STI_OK);
        assert_true(b.solved);
        assert_true(fabs(a.kinetic - b.kinetic) <= 1e-5 * a.kinetic);
    }
    assert_int_equal(n.calls, 16);
    assert_true(n.largest > 60);
    assert_true(n.apart < 1e-14);
    assert_true(n.rho < 1e-14);
    assert_int_equal(sti_bed_use(theirs, NULL), STI_OK);  // back to its own
    assert_int_equal(sti_bed_step(theirs, NULL), STI_OK);
    assert_int_equal(n.calls, 16);
    sti_bed_destroy(ours);
    sti_bed_destroy(theirs);
    sti_env_destroy(env);
}

static sti_status give_up(void* user, const sti_bed_program* p, double* x, long* iterations, char text[160]) {
    (void)p;
    *iterations = 0;
    const char* what = user;
    if (strcmp(what, "fail") == 0) {
        strcpy(text, "no more paper");
        return STI_ERR_IO;
    }
    for (int i = 0; i < p->n; i++) x[i] = strcmp(what, "nan") == 0 ? (double)NAN : -1.0;
    return STI_OK;
}

static void an_answer_is_judged_and_a_failure_leaves_the_bed_as_it_was(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bed* bed = make_bed(env, 30, STI_LAW_FACETS);
    for (int step = 0; step < 12; step++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    assert_true(sti_bed_contact_count(bed) > 0);
    double before[3][90], after[3][90];
    sti_bed_get(bed, before[0], before[1], before[2]);
    char fail[] = "fail", nan[] = "nan", negative[] = "negative";
    sti_bed_method method = {.name = "mine", .solve = give_up, .user = fail};
    assert_int_equal(sti_bed_use(bed, &method), STI_OK);
    assert_int_equal(sti_bed_step(bed, NULL), STI_ERR_IO);
    assert_non_null(strstr(sti_env_error(env)->text, "mine: no more paper"));
    method.user = nan;
    assert_int_equal(sti_bed_use(bed, &method), STI_OK);
    assert_int_equal(sti_bed_step(bed, NULL), STI_ERR_INTERNAL);
    sti_bed_get(bed, after[0], after[1], after[2]);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(sti_bed_contact_count(bed), 0);  // there is no step that they would be of
    method.user = negative;                           // taken as zero, which is feasible and solves nothing
    assert_int_equal(sti_bed_use(bed, &method), STI_OK);
    sti_bed_report report;
    assert_int_equal(sti_bed_step(bed, &report), STI_OK);
    assert_false(report.solved);
    assert_true(report.residual > 1e-3);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static void other_laws_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    const sti_bed_method method = {.name = "mine", .solve = sweep};
    for (int law = 0; law < STI_LAW_COUNT; law++) {
        sti_bed* bed = make_bed(env, 3, (sti_law)law);
        assert_int_equal(sti_bed_use(bed, &method), law == STI_LAW_FACETS ? STI_OK : STI_ERR_ARGUMENT);
        sti_bed_destroy(bed);
    }
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        notes n = {0};
        const sti_bed_method method = {.name = "mine", .solve = sweep, .user = &n};
        sti_bed_options o = sti_bed_options_default();
        o.law = STI_LAW_FACETS;
        o.h = 0.05;
        sti_bed* bed;
        sti_status status = try_pebbles(f.env, 12, 1.4, &o, &bed);  // on the ground at once
        if (status == STI_OK) status = sti_bed_use(bed, &method);
        if (status == STI_OK) status = sti_bed_step(bed, NULL);
        sti_bed_destroy(bed);
        const bool done = failing_env_close(&f);
        assert_int_equal(status, done ? STI_OK : STI_ERR_MEMORY);
        if (done) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_method_of_the_caller_gives_the_steps_of_our_own),
        cmocka_unit_test(an_answer_is_judged_and_a_failure_leaves_the_bed_as_it_was),
        cmocka_unit_test(other_laws_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
