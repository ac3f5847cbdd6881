// The check of roots and bounds: right claims are accepted, claims that were tampered with are not.
#include <math.h>
#include <stdio.h>
#include <stiction/bounds.h>
#include <stiction/io.h>
#include <stiction/roots.h>
#include <string.h>

#include "support/open_env.h"

static sti_document* parse(sti_env* env, const char* text) {
    sti_document* p;
    if (sti_document_parse(env, text, strlen(text), "test", &p) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    return p;
}

static bool accepts_root(sti_env* env, const sti_root_problem* p, const sti_root_answer* a) {
    sti_root_verification v;
    assert_int_equal(sti_verify_root(env, p, a, &v), STI_OK);
    assert_true(v.text[0] != '\0');
    return v.accepted;
}

static void tampered_roots_are_refused(void** state) {
    sti_env* env = *state;
    sti_document* problem =
        parse(env,
              "{\"kind\": \"root\", \"variables\": {\"x\": [-10, 10]}, \"equations\": [\"sin(3*x) = "
              "x/5\"], \"method\": \"all\"}");
    const sti_root_problem* p = sti_root_problem_of(problem);
    sti_root_answer a;
    assert_int_equal(sti_root_solve(env, p, NULL, &a), STI_OK);
    assert_true(a.complete && a.root_count > 5 && accepts_root(env, p, &a));

    sti_root* roots = (sti_root*)a.roots;
    const sti_root kept = roots[1];
    const sti_interval moved = {kept.x[0].high + 1e-9, kept.x[0].high + 2e-9};
    roots[1].x = &moved;  // beside the root
    assert_false(accepts_root(env, p, &a));
    roots[1] = kept;
    const sti_interval wide = {kept.x[0].low, roots[2].x[0].high};
    roots[1].region = &wide;  // two roots
    assert_false(accepts_root(env, p, &a));
    roots[1] = kept;

    a.root_count--;  // a root is left out: its box lies in no region
    assert_false(accepts_root(env, p, &a));
    a.root_count++;
    unsigned char* leaf = (unsigned char*)a.leaf;
    int at = 0;
    while (leaf[at] != STI_ROOT_LEAF_ROOT) at++;
    leaf[at] = STI_ROOT_LEAF_NONE;  // a box with a root is called empty
    assert_false(accepts_root(env, p, &a));
    leaf[at] = STI_ROOT_LEAF_ROOT;
    sti_interval* box = (sti_interval*)a.leaf_box;
    const sti_interval whole = box[at];
    box[at].high -= 0.25 * (whole.high - whole.low);  // a gap
    assert_false(accepts_root(env, p, &a));
    box[at] = whole;
    assert_true(accepts_root(env, p, &a));
    sti_root_answer_clear(env, &a);
    sti_document_destroy(problem);
}

// However flat or small the equation is where its root lies; what is small elsewhere too is no root.
static void roots_in_tiny_units_are_shown(void** state) {
    sti_env* env = *state;
    const char* const equations[] = {"1e-90*(x - 1)", "1e-80*(x^2 - 2)", "(x^2 - 2)^7", "sin(x)^3", "1e-90*(x - 1)^2"};
    for (int k = 0; k < 5; k++) {
        char text[200];
        snprintf(text, sizeof text, "{\"kind\": \"root\", \"variables\": {\"x\": [-0.5, 2]}, \"equations\": [\"%s\"]}",
                 equations[k]);
        sti_document* problem = parse(env, text);
        const sti_root_problem* p = sti_root_problem_of(problem);
        sti_root_answer a;
        assert_int_equal(sti_root_solve(env, p, NULL, &a), STI_OK);
        assert_int_equal(a.root_count, 1);
        assert_true(accepts_root(env, p, &a));
        sti_root* roots = (sti_root*)a.roots;
        const sti_root kept = roots[0];
        const sti_interval other = {kept.x[0].high + 0.25, kept.x[0].high + 0.25};
        roots[0].x = &other;
        roots[0].proof = STI_ROOT_EXACT;
        assert_false(accepts_root(env, p, &a));
        roots[0] = kept;
        sti_root_answer_clear(env, &a);
        sti_document_destroy(problem);
    }
}

// 1e-70 is nothing to a point of 1e-60, and still no root.
static void what_is_small_and_not_0_is_no_exact_root(void** state) {
    static const struct {
        const char* equation;
        bool root;
    } cases[] = {{"x^2", true}, {"x^2 + 1e-70", false}, {"1e-9*(x^2 + 1e-65)", false}, {"(x - 0)^4/3", true}};
    sti_env* env = *state;
    for (int k = 0; k < 4; k++) {
        char text[200];
        snprintf(text, sizeof text, "{\"kind\": \"root\", \"variables\": {\"x\": [-1, 1]}, \"equations\": [\"%s\"]}",
                 cases[k].equation);
        sti_document* problem = parse(env, text);
        const sti_interval box = {-1, 1}, at = {0, 0};
        const sti_root root = {.x = &at, .proof = STI_ROOT_EXACT};
        const sti_root_answer a = {
            .method = STI_ROOT_SAFE, .n = 1, .outcome = STI_SOLVED, .box = &box, .root_count = 1, .roots = &root};
        assert_int_equal(accepts_root(env, sti_root_problem_of(problem), &a), cases[k].root);
        sti_document_destroy(problem);
    }
}

static void tampered_systems_are_refused(void** state) {
    sti_env* env = *state;
    sti_document* problem =
        parse(env,
              "{\"kind\": \"root\", \"variables\": {\"x\": [-2, 2], \"y\": [-2, 2]}, \"method\": \"all\", "
              "\"equations\": [\"x^2 + y^2 - 2\", \"exp(x) - 1 - y\"]}");
    const sti_root_problem* p = sti_root_problem_of(problem);
    sti_root_answer a;
    assert_int_equal(sti_root_solve(env, p, NULL, &a), STI_OK);
    assert_true(a.complete && a.root_count == 2 && accepts_root(env, p, &a));
    sti_root* roots = (sti_root*)a.roots;
    const sti_root kept = roots[0];
    const sti_interval moved[] = {{kept.x[0].low + 1e-6, kept.x[0].high + 1e-6}, kept.x[1]};
    roots[0].x = moved;
    assert_false(accepts_root(env, p, &a));
    roots[0] = kept;
    a.leaf_count--;  // a part of the square is not looked at
    assert_false(accepts_root(env, p, &a));
    a.leaf_count++;
    sti_root_answer_clear(env, &a);
    sti_document_destroy(problem);
}

static void no_root_is_not_taken_on_trust(void** state) {
    sti_env* env = *state;
    sti_document* problem = parse(
        env, "{\"kind\": \"root\", \"variables\": {\"x\": [0, 3]}, \"equations\": [\"x^2 - 2\"], \"method\": \"all\"}");
    const sti_interval box = {0, 3};
    const unsigned char leaf = STI_ROOT_LEAF_NONE;
    const sti_root_answer none = {.method = STI_ROOT_ALL,
                                  .n = 1,
                                  .outcome = STI_NO_SOLUTION,
                                  .complete = true,
                                  .box = &box,
                                  .leaf_count = 1,
                                  .leaf_box = &box,
                                  .leaf = &leaf};
    assert_false(accepts_root(env, sti_root_problem_of(problem), &none));
    sti_document_destroy(problem);
}

static void tampered_bounds_are_refused(void** state) {
    static const char* const texts[] = {
        "{\"kind\": \"bound\", \"what\": \"gruess\", \"interval\": [0, 1], \"f\": \"x^2\", \"g\": \"exp(x)\", \"A\": "
        "\"1\", \"B\": \"2*x\"}",
        "{\"kind\": \"bound\", \"what\": \"hadamard\", \"interval\": [1, 3], \"f\": \"x^3\", \"weight\": \"1/2\"}",
        "{\"kind\": \"bound\", \"what\": \"gruess\", \"interval\": [0, 1], \"f\": \"u\", \"g\": \"v^2\", \"joint\": "
        "\"1 + (1-2*u)*(1-2*v)\"}"};
    static const char* const names[][3] = {
        {"D_AB", "omega_tilde_f", "bound"}, {"lhs", "A", "bound"}, {"cov", "mass", "bound_2_5_20"}};
    sti_env* env = *state;
    for (int k = 0; k < 3; k++) {
        sti_document* problem = parse(env, texts[k]);
        const sti_bound_problem* p = sti_bound_problem_of(problem);
        sti_bound_answer a;
        sti_bound_verification v;
        assert_int_equal(sti_bound_solve(env, p, &a), STI_OK);
        assert_int_equal(sti_verify_bound(env, p, &a, &v), STI_OK);
        if (!v.accepted) fail_msg("%s: %s", texts[k], v.text);
        for (int i = 0; i < 3; i++) {
            sti_interval* x = (sti_interval*)sti_bound_find(&a, names[k][i]);
            const sti_interval kept = *x;
            *x = i == 2 ? (sti_interval){0, 0} : (sti_interval){1.2 * kept.low + 0.1, 1.2 * kept.high + 0.1};
            assert_int_equal(sti_verify_bound(env, p, &a, &v), STI_OK);
            if (v.accepted) fail_msg("%s: another %s is accepted", texts[k], names[k][i]);
            *x = kept;
        }
        sti_bound_answer_clear(env, &a);
        sti_document_destroy(problem);
    }
}

static void every_allocation_may_fail(void** state) {
    sti_env* env = *state;
    sti_document* problem = parse(env,
                                  "{\"kind\": \"root\", \"variables\": {\"x\": [0, 3]}, \"equations\": [\"x^2 - "
                                  "exp(x)/2\"], \"method\": \"all\"}");
    sti_root_answer a;
    assert_int_equal(sti_root_solve(env, sti_root_problem_of(problem), NULL, &a), STI_OK);
    for (long i = 0;; i++) {
        failing_env f;
        sti_root_verification v;
        failing_env_open(&f, i);
        const sti_status status = sti_verify_root(f.env, sti_root_problem_of(problem), &a, &v);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        assert_true(status == STI_OK || !v.accepted);
        if (failing_env_close(&f)) break;
    }
    sti_root_answer_clear(env, &a);
    sti_document_destroy(problem);
}

// A check makes too many of them for a test of each: they are tried ever less densely.
static void allocations_of_the_check_of_bounds_may_fail(void** state) {
    static const char* const texts[] = {
        "{\"kind\": \"bound\", \"what\": \"modulus\", \"interval\": [0, 1], \"f\": \"x^2\", \"t\": [0.1]}",
        "{\"kind\": \"bound\", \"what\": \"hadamard\", \"interval\": [1, 3], \"f\": \"x^3\", \"weight\": \"1/2\"}"};
    sti_env* env = *state;
    for (int k = 0; k < 2; k++) {
        sti_document* problem = parse(env, texts[k]);
        sti_bound_answer a;
        assert_int_equal(sti_bound_solve(env, sti_bound_problem_of(problem), &a), STI_OK);
        for (long i = 0;; i += 1 + i / 6) {
            failing_env f;
            sti_bound_verification v;
            failing_env_open(&f, i);
            const sti_status status = sti_verify_bound(f.env, sti_bound_problem_of(problem), &a, &v);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            assert_true(v.accepted == (status == STI_OK));
            if (failing_env_close(&f)) break;
        }
        sti_bound_answer_clear(env, &a);
        sti_document_destroy(problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tampered_roots_are_refused),    cmocka_unit_test(tampered_systems_are_refused),
        cmocka_unit_test(roots_in_tiny_units_are_shown), cmocka_unit_test(what_is_small_and_not_0_is_no_exact_root),
        cmocka_unit_test(no_root_is_not_taken_on_trust), cmocka_unit_test(tampered_bounds_are_refused),
        cmocka_unit_test(every_allocation_may_fail),     cmocka_unit_test(allocations_of_the_check_of_bounds_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
