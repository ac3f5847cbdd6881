// Every public function of cone.h with its k-th allocation failing, for every k: nothing leaks, nothing is half built.
#include "support/cone_tools.h"
#include "support/failing_env.h"

static const double rays[] = {1, 0, 2, 0, 1, 2, -1, 0, 2, 0, -1, 3, 0, 0, 1};
static const double line[] = {0, 0, 1};  // with it the rays are not pointed
static const double map[] = {1, 2, 0, 0, 1, 1, 1, 0, 0.5};

// What one call made; whatever is NULL was not made.
typedef struct made {
    sti_polycone *a, *b, *out;
    sti_rationals *e1, *e2;
    sti_pointedness p;
    bool equal;
    double x[3];
    sti_cone_point at;
} made;

typedef enum call {
    CREATE_SPAN,
    CREATE_FACE,
    POLAR,
    INTERSECT,
    SUM,
    IMAGE,
    EQUAL,
    LOCATE,
    PROJECT,
    POINTED,
    NOT_POINTED,
    DEPENDENT,
    LARGE_POINTED,
    LARGE_NOT_POINTED,
    CALL_COUNT
} call;

// The orthant, and with a tenth ray what is not pointed: the way through doubles.
static sti_status pointedness_in_dimension_nine(sti_env* env, int count, made* m) {
    double value[90];
    for (int i = 0; i < 90; i++) value[i] = i >= 81 ? -1 : i % 10 == 0;
    const sti_rows r = floating_rows(count, 9, value);
    return sti_rows_pointedness(env, 9, &r, NULL, NULL, &m->p);
}

static sti_status run(sti_env* env, call which, sti_rows r, sti_rows l, made* m) {
    const sti_rows T = floating_rows(3, 3, map);
    const double outside[] = {1, 2, -3};
    switch (which) {
        case CREATE_SPAN:
            return sti_polycone_create_span(env, 3, &r, &l, NULL, &m->out);
        case CREATE_FACE:
            return sti_polycone_create_face(env, 3, &r, &l, NULL, &m->out);
        case POLAR:
            return sti_polycone_polar(m->a, &m->out);
        case INTERSECT:
            return sti_polycone_intersect(m->a, m->b, &m->out);
        case SUM:
            return sti_polycone_sum(m->a, m->b, &m->out);
        case IMAGE:
            return sti_polycone_image(m->a, &T, &m->out);
        case EQUAL:
            return sti_polycone_equal(m->a, m->a, &m->equal);
        case LOCATE:
            return sti_polycone_locate(m->a, outside, &m->at);
        case PROJECT:
            return sti_polycone_project(m->a, outside, m->x);
        case POINTED:
            return sti_rows_pointedness(env, 3, &r, NULL, NULL, &m->p);
        case NOT_POINTED:
            return sti_rows_pointedness(env, 3, &r, &l, NULL, &m->p);
        case DEPENDENT:
            return sti_rows_pointedness(env, 3, NULL, &r, NULL, &m->p);
        case LARGE_POINTED:
            return pointedness_in_dimension_nine(env, 9, m);
        case LARGE_NOT_POINTED:
            return pointedness_in_dimension_nine(env, 10, m);
        case CALL_COUNT:
            break;
    }
    return STI_ERR_INTERNAL;
}

static void check_call(call which, bool exact) {
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, -1);
        made m = {0};
        const sti_rows r = exact ? exact_rows(f.env, 5, 3, rays, &m.e1) : floating_rows(5, 3, rays);
        const sti_rows l = exact ? exact_rows(f.env, 1, 3, line, &m.e2) : floating_rows(1, 3, line);
        assert_int_equal(sti_polycone_create_span(f.env, 3, &r, NULL, NULL, &m.a), STI_OK);
        assert_int_equal(sti_polycone_create_face(f.env, 3, &r, NULL, NULL, &m.b), STI_OK);
        const long live = f.live;
        f.count = 0;
        f.fail_at = k;
        const sti_status status = run(f.env, which, r, l, &m);
        const bool never_asked = f.count <= k;
        if (never_asked) {
            assert_int_equal(status, STI_OK);
        } else {
            assert_int_equal(status, STI_ERR_MEMORY);
            assert_int_equal(sti_env_error(f.env)->status, STI_ERR_MEMORY);
            assert_int_equal(f.live, live);
            assert_null(m.out);
            assert_true(m.p.x == NULL && m.p.c == NULL && m.p.c_exact == NULL);
        }
        f.fail_at = -1;
        sti_pointedness_clear(f.env, &m.p);
        sti_polycone_destroy(m.out);
        sti_polycone_destroy(m.a);
        sti_polycone_destroy(m.b);
        sti_rationals_destroy(m.e1);
        sti_rationals_destroy(m.e2);
        failing_env_close(&f);
        if (never_asked) return;
    }
}

static void every_failed_allocation_is_survived_in_exact_mode(void** state) {
    (void)state;
    for (int which = 0; which < CALL_COUNT; which++) check_call((call)which, true);
}

static void every_failed_allocation_is_survived_in_floating_mode(void** state) {
    (void)state;
    for (int which = 0; which < CALL_COUNT; which++) check_call((call)which, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_survived_in_exact_mode),
        cmocka_unit_test(every_failed_allocation_is_survived_in_floating_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
