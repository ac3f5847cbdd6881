// Roots: the reference cases NMC, all roots and one root with proofs, systems, what cannot be decided.
#include <math.h>
#include <stiction/roots.h>

#include "support/open_env.h"
#include "support/oracle.h"

typedef struct scalar {
    const char *variable, *low, *high, *equation;
    double start;
    sti_root_problem problem;
} scalar;

static const sti_root_problem* pose(scalar* s, const char* equation, const char* low, const char* high, double start,
                                    sti_root_method method) {
    *s = (scalar){"x", low, high, equation, start, {0}};
    s->problem = (sti_root_problem){.variable_count = 1,
                                    .variables = &s->variable,
                                    .low = low != NULL ? &s->low : NULL,
                                    .high = low != NULL ? &s->high : NULL,
                                    .equations = &s->equation,
                                    .start = isnan(start) ? NULL : &s->start,
                                    .options = sti_root_options_default()};
    s->problem.options.method = method;
    return &s->problem;
}

static sti_root_answer solve(sti_env* env, const sti_root_problem* p) {
    sti_root_answer a;
    if (sti_root_solve(env, p, NULL, &a) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    sti_root_verification v;
    assert_int_equal(sti_verify_root(env, p, &a, &v), STI_OK);
    if (!v.accepted) fail_msg("%s: %s", p->equations[0], v.text);
    return a;
}

// "sin(10x)" as the cases write it, with the * that formulas need
static void with_stars(const char* from, char* to) {
    for (; *from != '\0'; from++) {
        *to++ = *from;
        if (from[0] >= '0' && from[0] <= '9' && ((from[1] >= 'a' && from[1] <= 'z') || from[1] == '(')) *to++ = '*';
    }
    *to = '\0';
}

static bool near_one(const cJSON* roots, const sti_root* r, sti_env* env) {
    const cJSON* value;
    cJSON_ArrayForEach(value, roots) {
        const double x = oracle_double(env, value);
        if (x >= r->x[0].low - 1e-10 && x <= r->x[0].high + 1e-10) return true;
    }
    return false;
}

// ---- reference cases

static void check_case(sti_env* env, const cJSON* item) {
    char f[80];
    scalar s;
    with_stars(cJSON_GetStringValue(oracle_get(item, "inputs", "f")), f);
    const double x0 = oracle_number(item, "inputs", "x0");
    const cJSON* roots = oracle_get(item, "expected", "roots");
    sti_root_problem runs = *pose(&s, f, NULL, NULL, x0, STI_ROOT_NEWTON_MC);
    sti_root_answer a = solve(env, &runs);
    assert_true(
        fabs((double)a.runs.successes - oracle_number(item, "expected", "splitmix64_seed1_100runs_successes")) <= 3);
    for (int i = 0; i < a.root_count; i++) assert_true(near_one(roots, &a.roots[i], env));
    const cJSON* newton = oracle_get(item, "expected", "classical_newton");
    const cJSON* iterates = cJSON_GetObjectItemCaseSensitive(newton, "first_iterates");
    for (int k = 0; k < a.runs.iterate_count && k < cJSON_GetArraySize(iterates); k++)
        assert_true(fabs(a.runs.newton_iterate[k][0] / oracle_entry(iterates, k) - 1) < 1e-9);
    sti_root_answer_clear(env, &a);
    runs.options.runs = 20000;
    runs.options.seed = 77;
    a = solve(env, &runs);
    assert_true(fabs(a.runs.rate - oracle_number(item, "expected", "nmc_success_probability")) < 0.012);
    sti_root_answer_clear(env, &a);

    a = solve(env, pose(&s, f, "-10", "10", x0, STI_ROOT_ALL));
    assert_true(a.complete);
    assert_int_equal(a.root_count, cJSON_GetArraySize(roots));
    for (int i = 0; i < a.root_count; i++) {
        assert_true(near_one(roots, &a.roots[i], env));
        assert_true(a.roots[i].width <= 1e-12);
    }
    sti_root_answer_clear(env, &a);
    a = solve(env, pose(&s, f, "-10", "10", x0, STI_ROOT_SAFE));
    assert_int_equal(a.outcome, cJSON_GetArraySize(roots) > 0 ? STI_SOLVED : STI_NO_SOLUTION);
    assert_true(a.evaluations <= 40);
    assert_true(a.root_count == 0 || (near_one(roots, &a.roots[0], env) && a.roots[0].width <= 1e-12));
    sti_root_answer_clear(env, &a);
}

static void the_reference_cases_hold(void** state) {
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item;
    int seen = 0;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "NMC-", 4) != 0 || oracle_get(item, "inputs", "f") == NULL) continue;
        check_case(*state, item);
        seen++;
    }
    assert_true(seen >= 6);
    cJSON_Delete(root);
}

static void orders_are_1_plus_sqrt_2_and_2(void** state) {
    static const char* const functions[] = {"x^2 - 2", "cos(x) - x", "exp(x) - 2", "x^3 + x - 1.5"};
    for (int k = 0; k < 4; k++) {
        for (int g = 0; g < 3; g++) {
            scalar s;
            sti_root_problem p = *pose(&s, functions[k], NULL, NULL, 1, STI_ROOT_NEWTON_MC);
            p.options.gamma = 0.25 + 0.25 * g;
            p.options.runs = 1;
            p.options.digits = 800;
            sti_root_answer a = solve(*state, &p);
            const double limit = g == 1 ? 1 + sqrt(2) : 2;
            assert_true(a.order.count > 5);
            assert_true(fabs(a.order.order[a.order.count - 3] - limit) < 0.02);
            sti_root_answer_clear(*state, &a);
        }
    }
}

// ---- one root

static void safe_finds_a_root_from_every_start_in_few_evaluations(void** state) {
    static const char* const functions[] = {"x^3 - 2*x + 2",       "atan(x)",   "tanh(x)",
                                            "sin(10*x) + x/2 - 1", "x*exp(-x)", "x^2 - 2"};
    for (int k = 0; k < 6; k++) {
        double sum = 0, most = 0;
        for (int i = 0; i <= 400; i++) {
            scalar s;
            sti_root_answer a;
            pose(&s, functions[k], "-10", "10", -10 + 0.05 * i, STI_ROOT_SAFE);
            assert_int_equal(sti_root_solve(*state, &s.problem, NULL, &a), STI_OK);
            assert_int_equal(a.outcome, STI_SOLVED);
            assert_true(a.roots[0].width <= 1e-12);
            sum += (double)a.evaluations;
            most = fmax(most, (double)a.evaluations);
            sti_root_answer_clear(*state, &a);
        }
        print_message("%s: %.1f evaluations in the mean, at most %g\n", functions[k], sum / 401, most);
        assert_true(sum / 401 <= 40);
    }
}

static void safe_proves_that_there_is_none(void** state) {
    static const char* const functions[] = {"x^2 + 1",     "exp(x)",      "cosh(x) - 0.99",    "x^4 - 3*x + 2.1",
                                            "log(x) - 10", "sqrt(x) + 1", "abs(x - 1) + 0.001"};
    for (int k = 0; k < 7; k++) {
        scalar s;
        sti_root_answer a = solve(*state, pose(&s, functions[k], "-10", "10", NAN, STI_ROOT_SAFE));
        assert_int_equal(a.outcome, STI_NO_SOLUTION);
        sti_root_answer_clear(*state, &a);
    }
}

// ---- all roots

static int count_all(sti_env* env, const char* f, const char* low, const char* high) {
    scalar s;
    sti_root_answer a = solve(env, pose(&s, f, low, high, NAN, STI_ROOT_ALL));
    const int count = a.complete ? a.root_count : -1;
    sti_root_answer_clear(env, &a);
    return count;
}

static void all_roots_are_counted(void** state) {
    assert_int_equal(count_all(*state, "sin(10*x) + x/2 = 1", "-10", "10.1"), 13);
    assert_int_equal(count_all(*state, "sin(x)", "0", "20"), 7);  // 0 on the edge
    assert_int_equal(count_all(*state, "x*(x-1)*(x+1)", "-1", "1"), 3);
    assert_int_equal(count_all(*state, "(x-0.5)*(x-0.25)", "0", "1"), 2);
    assert_int_equal(count_all(*state, "log(x)", "-10", "10"), 1);
    assert_int_equal(count_all(*state, "sqrt(x) - x", "0.5", "4"), 1);
    assert_int_equal(count_all(*state, "abs(x) - 1/3", "-1", "1"), 2);
    assert_int_equal(count_all(*state, "max(x, -x) = 2", "-3", "3"), 2);
    assert_int_equal(count_all(*state, "(x-1)*(x-1.0000001)", "0", "3"), 2);
    assert_int_equal(count_all(*state, "1/x - 2", "0.1", "10"), 1);
    assert_int_equal(count_all(*state, "exp(x) - 1e100", "-1000", "1000"), 1);
    assert_int_equal(count_all(*state, "x - 0.1", "0.1", "1"), 1);  // the edge is a tenth, and so is the root
    assert_int_equal(count_all(*state, "cos(x) = 2", "-100", "100"), 0);
}

static void every_enclosure_is_drawn_together(void** state) {
    static const char* const functions[] = {"atan(x)", "tanh(x - 0.2)", "x*exp(-x) - 0.1", "x/(1 + x^2)",
                                            "atan(x - 3) + 1e-3"};
    for (int k = 0; k < 5; k++) {
        scalar s;
        sti_root_answer a = solve(*state, pose(&s, functions[k], "-10", "10.1", NAN, STI_ROOT_ALL));
        assert_true(a.complete && a.root_count >= 1);
        for (int i = 0; i < a.root_count; i++) assert_true(a.roots[i].width <= 1e-12);
        sti_root_answer_clear(*state, &a);
    }
}

static void multiple_roots_are_open_and_exact_ones_are_told(void** state) {
    scalar s;
    sti_root_answer a = solve(*state, pose(&s, "x^2 - 2*x + 1", "-10", "10", NAN, STI_ROOT_ALL));
    assert_false(a.complete);
    assert_true(a.open_count > 0 && a.reason[0] != '\0');
    assert_int_equal(a.root_count, 1);
    assert_int_equal(a.roots[0].proof, STI_ROOT_EXACT);
    assert_true(a.roots[0].x[0].low == 1 && a.roots[0].x[0].high == 1);
    sti_root_answer_clear(*state, &a);
    a = solve(*state, pose(&s, "(3*x - 1)^3", "-1", "1", NAN, STI_ROOT_ALL));  // a third is no double
    assert_false(a.complete);
    assert_int_equal(a.root_count, 1);
    assert_int_equal(a.roots[0].proof, STI_ROOT_CHANGE);
    assert_true(a.roots[0].x[0].low < 1.0 / 3 && 1.0 / 3 < a.roots[0].x[0].high && a.roots[0].width < 1e-4);
    sti_root_answer_clear(*state, &a);
    a = solve(*state, pose(&s, "(3*x - 1)^2", "-1", "1", NAN, STI_ROOT_ALL));
    assert_int_equal(a.outcome, STI_UNKNOWN);
    sti_root_answer_clear(*state, &a);
}

static void a_pole_is_no_root(void** state) {
    scalar s;
    sti_root_answer a = solve(*state, pose(&s, "1/x", "-1", "1", NAN, STI_ROOT_ALL));
    assert_int_equal(a.root_count, 0);
    assert_int_equal(a.outcome, STI_UNKNOWN);
    assert_non_null(strstr(a.reason, "division by a number in"));
    sti_root_answer_clear(*state, &a);
    a = solve(*state, pose(&s, "sign(x - 0.3)", "-1", "1", NAN, STI_ROOT_SAFE));  // jumps over 0
    assert_true(a.outcome != STI_SOLVED || a.roots[0].proof == STI_ROOT_EXACT);
    sti_root_answer_clear(*state, &a);
}

static void the_budget_leaves_the_rest_open(void** state) {
    scalar s;
    sti_root_problem p = *pose(&s, "sin(10*x) + x/2 = 1", "-10", "10", NAN, STI_ROOT_ALL);
    p.options.max_boxes = 5;
    sti_root_answer a;
    assert_int_equal(sti_root_solve(*state, &p, NULL, &a), STI_OK);
    assert_false(a.complete);
    assert_non_null(strstr(a.reason, "5 boxes"));
    sti_root_answer_clear(*state, &a);
}

// ---- several equations

static sti_root_answer solve_system(sti_env* env, int n, const char* const* equations, const char* half,
                                    sti_root_method method) {
    static const char* const names[] = {"x", "y", "z", "w"};
    const char *low[4], *high[4];
    char minus[20];
    snprintf(minus, sizeof minus, "-%s", half);
    for (int k = 0; k < n; k++) {
        low[k] = minus;
        high[k] = half;
    }
    sti_root_problem p = {.variable_count = n, .variables = names, .low = low, .high = high, .equations = equations};
    p.options = sti_root_options_default();
    p.options.method = method;
    return solve(env, &p);
}

static void systems_have_their_roots_proved(void** state) {
    const char* const circle[] = {"x^2 + y^2 = 1", "y = x^3"};
    sti_root_answer a = solve_system(*state, 2, circle, "2", STI_ROOT_ALL);
    assert_true(a.complete && a.root_count == 2);
    for (int i = 0; i < 2; i++) assert_true(a.roots[i].width < 1e-12);
    sti_root_answer_clear(*state, &a);
    const char* const three[] = {"x + y + z", "x*y + z - 1", "x^2 + y^2 + z^2 = 3"};
    a = solve_system(*state, 3, three, "3", STI_ROOT_SAFE);
    assert_int_equal(a.outcome, STI_SOLVED);
    sti_root_answer_clear(*state, &a);
    const char* const none[] = {"x^2 + y^2 = 1", "x + y = 3"};
    a = solve_system(*state, 2, none, "2", STI_ROOT_SAFE);
    assert_int_equal(a.outcome, STI_NO_SOLUTION);
    sti_root_answer_clear(*state, &a);
    // where the iteration is the natural one, the two coordinates of an uncoupled system go their scalar ways
    const char* const apart[] = {"x^2 - 2 + 0*y", "cos(y) - y + 0*x"};
    const double start[] = {1, 1};
    const char* const names[] = {"x", "y"};
    sti_root_problem p = {.variable_count = 2, .variables = names, .equations = apart, .start = start};
    p.options = sti_root_options_default();
    p.options.method = STI_ROOT_NEWTON_MC;
    p.options.digits = 400;
    a = solve(*state, &p);
    assert_int_equal(a.runs.successes, 100);
    assert_true(fabs(a.order.order[a.order.count - 3] - 1 - sqrt(2)) < 0.05);
    sti_root_answer_clear(*state, &a);
}

// ---- the rest

static void the_same_seed_gives_the_same_runs(void** state) {
    scalar s;
    sti_root_problem p = *pose(&s, "sin(10*x) + x/2 - 1", NULL, NULL, -5.6, STI_ROOT_NEWTON_MC);
    p.options.seed = 5;
    sti_root_answer a = solve(*state, &p), b = solve(*state, &p);
    assert_int_equal(a.runs.successes, b.runs.successes);
    assert_true(a.runs.mean_iterations == b.runs.mean_iterations);
    sti_root_answer_clear(*state, &a);
    sti_root_answer_clear(*state, &b);
    p.equations = &(const char*){"x*exp(-x)"};
    p.start = &(double){2};
    a = solve(*state, &p);  // |f| <= tol far out is no root
    assert_true(a.runs.successes == 0 && a.runs.spurious > 50 && a.outcome == STI_UNKNOWN);
    sti_root_answer_clear(*state, &a);
}

static void refuse(sti_env* env, const sti_root_problem* p, const char* words) {
    sti_root_answer a;
    assert_int_equal(sti_root_solve(env, p, NULL, &a), STI_ERR_INPUT);
    if (strstr(sti_env_error(env)->text, words) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", words, sti_env_error(env)->text);
}

static void bad_input_is_named(void** state) {
    scalar s;
    refuse(*state, pose(&s, "x +", "0", "1", NAN, STI_ROOT_SAFE), "equations[0]: column 4");
    refuse(*state, pose(&s, "x = y", "0", "1", NAN, STI_ROOT_SAFE), "equations[0], right of =: column 2: \"y\"");
    refuse(*state, pose(&s, "x", "1", "0", NAN, STI_ROOT_SAFE), "variables.x: [1, 0]");
    refuse(*state, pose(&s, "x", "1/0", "2", NAN, STI_ROOT_SAFE), "variables.x[0]: \"1/0\"");
    refuse(*state, pose(&s, "x", "x", "2", NAN, STI_ROOT_SAFE), "variables.x[0]: \"x\"");
    refuse(*state, pose(&s, "x", NULL, NULL, 1, STI_ROOT_ALL), "no box");
    refuse(*state, pose(&s, "x", NULL, NULL, NAN, STI_ROOT_NEWTON_MC), "start: missing");
    refuse(*state, pose(&s, "x + t", "0", "1", NAN, STI_ROOT_SAFE), "t: no such name");
    sti_root_problem p = *pose(&s, "x", NULL, NULL, 1, STI_ROOT_NEWTON_MC);
    p.options.gamma = 2;
    refuse(*state, &p, "gamma: 2");
    p.options.gamma = 0.5;
    p.options.digits = 50;
    p.equations = &(const char*){"floor(x) + x - 1"};
    refuse(*state, &p, "digits: ");
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        scalar s;
        sti_root_problem p = *pose(&s, "sin(3*x) - x/2", k == 2 ? NULL : "-3", "3", 1,
                                   k == 0   ? STI_ROOT_ALL
                                   : k == 1 ? STI_ROOT_SAFE
                                            : STI_ROOT_NEWTON_MC);
        p.options.runs = 3;
        p.options.digits = k == 2 ? 20 : 0;
        for (long i = 0;; i++) {
            failing_env f;
            sti_root_answer a;
            failing_env_open(&f, i);
            const sti_status status = sti_root_solve(f.env, &p, NULL, &a);
            if (status == STI_OK) {
                sti_root_verification v;
                const sti_status checked = k == 0 ? STI_OK : sti_verify_root(f.env, &p, &a, &v);
                assert_true(checked == STI_OK || checked == STI_ERR_MEMORY);
                sti_root_answer_clear(f.env, &a);
            } else {
                assert_int_equal(status, STI_ERR_MEMORY);
            }
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_cases_hold),
        cmocka_unit_test(orders_are_1_plus_sqrt_2_and_2),
        cmocka_unit_test(safe_finds_a_root_from_every_start_in_few_evaluations),
        cmocka_unit_test(safe_proves_that_there_is_none),
        cmocka_unit_test(all_roots_are_counted),
        cmocka_unit_test(every_enclosure_is_drawn_together),
        cmocka_unit_test(multiple_roots_are_open_and_exact_ones_are_told),
        cmocka_unit_test(a_pole_is_no_root),
        cmocka_unit_test(the_budget_leaves_the_rest_open),
        cmocka_unit_test(systems_have_their_roots_proved),
        cmocka_unit_test(the_same_seed_gives_the_same_runs),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
