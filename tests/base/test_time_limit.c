// The time limit of an environment: every call that can take long looks at the clock, ends with STI_ERR_TIME or with
// what is known, and leaves nothing behind. The clock advances by being looked at (support/late_env.h).
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"
#include "support/late_env.h"
#include "support/open_env.h"

enum { N = 7, LINES = 40, DIMENSION = 6, AFTER = 200 };

typedef struct data {
    sti_env* env;
    double M[N * N], q[N], rays[LINES * DIMENSION];
    sti_lcp lcp;
    sti_document *instant, *collision;
} data;

static data* shared_data;

static int make_data(void** state) {
    (void)state;
    data* d = calloc(1, sizeof *d);
    d->env = open_env();
    sti_rng rng = {.state = 11};
    for (int k = 0; k < N * N; k++) d->M[k] = sti_rng_int(&rng, -9, 9);
    for (int k = 0; k < N; k++) d->M[k * (N + 1)] = 12;
    for (int k = 0; k < N; k++) d->q[k] = sti_rng_int(&rng, -9, 0);
    for (int k = 0; k < LINES * DIMENSION; k++) d->rays[k] = k % DIMENSION == 0 ? 9 : sti_rng_int(&rng, -5, 5);
    d->lcp = (sti_lcp){.n = N, .M = sti_matrix_dense_view(N, N, d->M), .q = d->q};
    sti_status status = sti_document_load(d->env, STI_SOURCE_DIR "/problems/s0_object_finger.json", &d->instant);
    if (status == STI_OK) status = sti_document_load(d->env, STI_SOURCE_DIR "/problems/s1_rock.json", &d->collision);
    shared_data = d;
    return status == STI_OK ? 0 : -1;
}

static int free_data(void** state) {
    (void)state;
    sti_document_destroy(shared_data->instant);
    sti_document_destroy(shared_data->collision);
    sti_env_destroy(shared_data->env);
    free(shared_data);
    return 0;
}

// A call with the environment `env`, its result cleared. *whole: nothing was left out of it.
typedef sti_status (*call)(sti_env* env, const data* d, bool* whole);

static sti_status classify(sti_env* env, const data* d, bool* whole) {
    sti_classes* c;
    const sti_status status = sti_classes_create(env, &d->lcp.M, NULL, NULL, &c);
    if (status != STI_OK) return status;
    for (int k = 0; k < STI_CLASS_COUNT; k++) *whole = *whole && c->finding[k].verdict != STI_UNDECIDED;
    sti_classes_destroy(env, c);
    return STI_OK;
}

static sti_status homogeneous(sti_env* env, const data* d, bool* whole) {
    sti_homogeneous_test* t;
    const sti_status status = sti_homogeneous_test_create(env, &d->lcp, NULL, &t);
    if (status != STI_OK) return status;
    *whole = t->trivial != STI_UNDECIDED;
    sti_homogeneous_test_destroy(env, t);
    return STI_OK;
}

static sti_status enumerate(sti_env* env, const data* d, bool* whole) {
    sti_lcp_solution_set* s;
    const sti_status status = sti_lcp_enumerate(env, &d->lcp, 0, 0, &s);
    if (status != STI_OK) return status;
    *whole = s->complete;
    sti_lcp_solution_set_destroy(env, s);
    return STI_OK;
}

static sti_status solve(sti_env* env, const data* d, bool* whole) {
    sti_lcp_answer a;
    sti_lcp_options o = sti_lcp_options_default();
    o.solver = STI_LCP_ENUM;
    const sti_status status = sti_lcp_solve(env, &d->lcp, &o, &a);
    if (status != STI_OK) return status;
    *whole = a.outcome == STI_SOLVED;
    sti_lcp_answer_clear(env, &a);
    return STI_OK;
}

static sti_status convert(sti_env* env, const data* d, bool* whole) {
    sti_polycone* cone;
    const sti_rows rows = {.count = LINES, .dimension = DIMENSION, .value = d->rays};
    (void)whole;
    const sti_status status = sti_polycone_create_span(env, DIMENSION, &rows, NULL, NULL, &cone);
    if (status == STI_OK) sti_polycone_destroy(cone);
    return status;
}

static sti_status modes(sti_env* env, const data* d, bool* whole) {
    sti_modes* m;
    (void)whole;
    const sti_status status = sti_modes_create(env, sti_instant_of(d->instant), NULL, &m);
    if (status == STI_OK) sti_modes_destroy(m);
    return status;
}

static sti_status sticking(sti_env* env, const data* d, bool* whole) {
    sti_sticking* s;
    const sti_status status = sti_sticking_create(env, sti_instant_of(d->instant), NULL, &s);
    if (status != STI_OK) return status;
    *whole = !s->cut_short;
    sti_sticking_destroy(s);
    return STI_OK;
}

static sti_status closure(sti_env* env, const data* d, bool* whole) {
    sti_closure c;
    const sti_status status = sti_force_closure_analyze(env, sti_instant_of(d->collision), NULL, &c);
    if (status != STI_OK) return status;
    *whole = c.closed != STI_UNDECIDED;
    sti_closure_clear(env, &c);
    return STI_OK;
}

static sti_status verify(sti_env* env, const data* d, bool* whole) {
    sti_modes* m;
    sti_modes_verification v;
    if (sti_modes_create(d->env, sti_instant_of(d->instant), NULL, &m) != STI_OK) fail();
    const sti_status status = sti_verify_modes(env, sti_instant_of(d->instant), NULL, m, &v);
    *whole = status != STI_OK || v.accepted;
    sti_modes_destroy(m);
    return status;
}

static sti_status impact(sti_env* env, const data* d, bool* whole) {
    sti_impact* i;
    (void)whole;
    const sti_status status = sti_impact_create(env, sti_instant_of(d->collision), NULL, &i);
    if (status == STI_OK) sti_impact_destroy(env, i);
    return status;
}

static sti_status painleve(sti_env* env, const data* d, bool* whole) {
    sti_painleve* p;
    (void)whole;
    const sti_status status = sti_painleve_create(env, sti_instant_of(d->collision), NULL, &p);
    if (status == STI_OK) sti_painleve_destroy(env, p);
    return status;
}

// Late at the k-th look, for k = 1, 2, 3, 4, 6, ..: the call ends soon after, with STI_ERR_TIME or with less than all;
// and when it is not late it is done.
static void ends(call run, const char* name) {
    int late = 0;
    for (long k = 1; k < 100000000; k += k / 2 + 1) {
        late_env l;
        late_env_open(&l, k);
        bool whole = true;
        const sti_status status = run(l.memory.env, shared_data, &whole);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_TIME);
        if (l.looks > k + AFTER) fail_msg("%s looks %ld times, %ld in time", name, l.looks, k);
        late += l.looks > k;
        if (late_env_close(&l)) {
            assert_int_equal(status, STI_OK);
            assert_true(whole);
            if (late == 0) fail_msg("%s never looks at the clock", name);
            return;
        }
    }
    fail();
}

#define ENDS(name)                                       \
    static void name##_ends_at_the_limit(void** state) { \
        (void)state;                                     \
        ends(name, #name);                               \
    }
ENDS(classify)
ENDS(homogeneous)
ENDS(enumerate)
ENDS(solve)
ENDS(convert)
ENDS(modes)
ENDS(sticking)
ENDS(closure)
ENDS(verify)
ENDS(impact)
ENDS(painleve)

static void without_a_limit_nobody_looks(void** state) {
    (void)state;
    late_env l;
    late_env_open(&l, 1);
    sti_env_limit_time(l.memory.env, 0);
    const long before = l.looks;
    bool whole = true;
    assert_int_equal(classify(l.memory.env, shared_data, &whole), STI_OK);
    assert_true(whole);
    assert_int_equal(l.looks, before);
    (void)late_env_close(&l);
}

static void the_error_says_what_went_by(void** state) {
    (void)state;
    late_env l;
    late_env_open(&l, 1);
    bool whole;
    assert_int_equal(convert(l.memory.env, shared_data, &whole), STI_ERR_TIME);
    assert_non_null(strstr(sti_env_error(l.memory.env)->text, "0.5 s were over while "));
    (void)late_env_close(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classify_ends_at_the_limit),  cmocka_unit_test(homogeneous_ends_at_the_limit),
        cmocka_unit_test(enumerate_ends_at_the_limit), cmocka_unit_test(solve_ends_at_the_limit),
        cmocka_unit_test(convert_ends_at_the_limit),   cmocka_unit_test(modes_ends_at_the_limit),
        cmocka_unit_test(sticking_ends_at_the_limit),  cmocka_unit_test(closure_ends_at_the_limit),
        cmocka_unit_test(verify_ends_at_the_limit),    cmocka_unit_test(impact_ends_at_the_limit),
        cmocka_unit_test(painleve_ends_at_the_limit),  cmocka_unit_test(without_a_limit_nobody_looks),
        cmocka_unit_test(the_error_says_what_went_by),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}
