// Inequalities: the reference cases CGI and HHI, closed forms, equality, what is refused and what stays unknown.
#include <math.h>
#include <stiction/bounds.h>
#include <stiction/problem.h>

#include "support/open_env.h"
#include "support/oracle.h"

static sti_bound_answer solve(sti_env* env, const sti_bound_problem* p) {
    sti_bound_answer a;
    if (sti_bound_solve(env, p, &a) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    sti_bound_verification v;
    assert_int_equal(sti_verify_bound(env, p, &a, &v), STI_OK);
    if (!v.accepted) fail_msg("f = %s: %s", p->f, v.text);
    return a;
}

// The number is in its interval, up to the error of the reference, and the interval is narrow.
static void assert_number(const sti_bound_answer* a, const char* name, double value, double tol) {
    const sti_interval* x = sti_bound_find(a, name);
    assert_non_null(x);
    if (!(x->low - tol <= value && value <= x->high + tol && x->high - x->low <= 2 * tol + 1e-9 * fabs(value)))
        fail_msg("%s: [%.17g, %.17g], not %.17g", name, x->low, x->high, value);
}

// ---- reference cases

typedef struct word {
    const char *name, *formula;
} word;

static const char* look_up(const word* words, size_t count, const char* name) {
    for (size_t k = 0; k < count; k++) {
        if (strcmp(words[k].name, name) == 0) return words[k].formula;
    }
    return NULL;
}

static const char* function_of(const char* name) {
    static const word words[] = {{"square", "x^2"},
                                 {"sqrt", "sqrt(x)"},
                                 {"sin2pi", "sin(2*pi*x)"},
                                 {"absmid", "abs(x - 1/2)"},
                                 {"e1", "x"},
                                 {"cube", "x^3"},
                                 {"exp", "exp(x)"},
                                 {"sqrt(x) on [0,1]", "sqrt(x)"},
                                 {"x^2 on [0,1]", "x^2"},
                                 {"|x-1/2| on [0,1]", "abs(x - 1/2)"},
                                 {"piecewise linear through (0,0),(.4,0),(.5,1),(.9,1),(1,2)",
                                  "max(0, min(1, 10*(x - 0.4))) + max(0, 10*(x - 0.9))"},
                                 {"sin(6 pi x) + x on [0,1]", "sin(6*pi*x) + x"}};
    return look_up(words, sizeof words / sizeof words[0], name);
}

static bool functional_of(const char* name, sti_functional* out) {
    static const char *const at[] = {"0.2", "0.7"}, *const mass[] = {"1/4", "3/4"};
    static const word words[] = {{"lebesgue", "1"}, {"beta(2,2)", "6*x*(1-x)"}, {"beta(1,3)", "3*(1-x)^2"}};
    *out = (sti_functional){.density = look_up(words, sizeof words / sizeof words[0], name)};
    if (strcmp(name, "(delta0.2+3 delta0.7)/4") == 0)
        *out = (sti_functional){.atom_count = 2, .atom_at = at, .atom_mass = mass};
    return out->density != NULL || out->atom_count > 0;
}

static const char* text_of(const cJSON* item, const char* name) {
    return cJSON_GetStringValue(oracle_get(item, "inputs", name));
}

static void check_modulus_case(sti_env* env, const cJSON* item) {
    const cJSON *t = oracle_get(item, "inputs", "t"), *omega = oracle_get(item, "expected", "omega");
    const cJSON* tilde = oracle_get(item, "expected", "omega_tilde");
    char text[20][30];
    const char* list[20];
    sti_bound_problem p = {.what = STI_BOUND_MODULUS, .low = "0", .high = "1", .f = function_of(text_of(item, "f"))};
    p.t_count = cJSON_GetArraySize(t);
    p.t = list;
    for (int k = 0; k < p.t_count; k++) {
        snprintf(text[k], sizeof text[k], "%.17g", oracle_entry(t, k));
        list[k] = text[k];
    }
    sti_bound_answer a = solve(env, &p);
    for (int k = 0; k < p.t_count; k++) {
        assert_true(fabs(a.omega[k].low - oracle_entry(omega, k)) < 1e-3);
        assert_true(fabs(a.omega_tilde[k].low - oracle_entry(tilde, k)) < 1e-3);
        assert_true(a.omega_tilde[k].high - a.omega_tilde[k].low < 1e-6);
        assert_true(a.omega[k].high - a.omega[k].low < 1e-6);
    }
    sti_bound_answer_clear(env, &a);
}

static void check_gruess_case(sti_env* env, const cJSON* item) {
    sti_bound_problem p = {.what = STI_BOUND_GRUESS, .low = "0", .high = "1"};
    p.f = function_of(text_of(item, "f"));
    p.g = function_of(text_of(item, "g"));
    if (p.f == NULL || p.g == NULL || !functional_of(text_of(item, "A"), &p.A) ||
        !functional_of(text_of(item, "B"), &p.B))
        return;
    sti_bound_answer a = solve(env, &p);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_number(&a, "D_AB", oracle_number(item, "expected", "D_AB"), 1e-9);
    assert_number(&a, "D_AB_e1e1", oracle_number(item, "expected", "D_AB_e1e1"), 1e-9);
    assert_number(&a, "bound", oracle_number(item, "expected", "bound"), 1e-9);
    sti_bound_answer_clear(env, &a);
}

static void check_joint_case(sti_env* env, const cJSON* item) {
    char joint[80];
    snprintf(joint, sizeof joint, "1 + %.17g*(1-2*u)*(1-2*v)", oracle_number(item, "inputs", "theta"));
    const sti_bound_problem p = {.what = STI_BOUND_GRUESS,
                                 .low = "0",
                                 .high = "1",
                                 .f = function_of(text_of(item, "f")),
                                 .g = function_of(text_of(item, "g")),
                                 .joint = joint};
    sti_bound_answer a = solve(env, &p);
    assert_number(&a, "cov", oracle_number(item, "expected", "cov"), 1e-9);
    assert_number(&a, "argument", oracle_number(item, "expected", "argument"), 1e-9);
    assert_number(&a, "bound_2_5_20", oracle_number(item, "expected", "bound_2_5_20"), 1e-9);
    assert_number(&a, "gruess_bound", oracle_number(item, "expected", "gruss_bound_1/4 range range"), 1e-9);
    assert_true(sti_bound_find(&a, "bound_marginal")->high <= sti_bound_find(&a, "bound_2_5_20")->high);
    sti_bound_answer_clear(env, &a);
}

static void check_hadamard_case(sti_env* env, const cJSON* item) {
    char low[40], high[40], weight[200], f[80];
    const double a = oracle_number(item, "inputs", "a"), b = oracle_number(item, "inputs", "b");
    const char* w = text_of(item, "w");
    double p;
    snprintf(low, sizeof low, "%.15g", a);
    snprintf(high, sizeof high, "%.15g", b);
    snprintf(f, sizeof f, "%s", text_of(item, "f"));
    f[strcspn(f, " ")] = '\0';
    if (strcmp(w, "uniform") == 0)
        snprintf(weight, sizeof weight, "1/(%s - %s)", high, low);
    else if (strcmp(w, "beta(1,12)") == 0)
        snprintf(weight, sizeof weight, "12*(%s - x)^11", high);
    else if (sscanf(w, "tents(%lf", &p) == 1 && a == 0 && b == 1)
        snprintf(weight, sizeof weight, "20*(%.15g*max(0, 1 - 20*abs(x - 0.05)) + %.15g*max(0, 1 - 20*abs(x - 0.95)))",
                 p, 1 - p);
    else
        return;
    const sti_bound_problem problem = {
        .what = STI_BOUND_HADAMARD, .low = low, .high = high, .f = f, .A = {.density = weight}};
    sti_bound_answer answer = solve(env, &problem);
    static const char* const names[][2] = {{"a1", "a1"},
                                           {"lhs", "lhs"},
                                           {"bound", "bound_correct"},
                                           {"A", "A_correct"},
                                           {"B", "B_correct"},
                                           {"bound_printed_2_5_22", "bound_printed_2.5.22"},
                                           {"bound_printed_2_5_23", "bound_printed_2.5.23"},
                                           {"A_printed_2_5_22", "A_printed_2.5.22"},
                                           {"B_printed_2_5_22", "B_printed_2.5.22"},
                                           {"A_printed_2_5_23", "A_printed_2.5.23"},
                                           {"B_printed_2_5_23", "B_printed_2.5.23"}};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        assert_number(&answer, names[k][0], oracle_number(item, "expected", names[k][1]), 1e-8);
    const double holds = cJSON_IsTrue(oracle_get(item, "expected", "printed_2.5.22_holds"));
    assert_number(&answer, "printed_2_5_22_holds", holds, 0);
    assert_int_equal(answer.outcome, STI_SOLVED);
    sti_bound_answer_clear(env, &answer);
}

static void the_reference_cases_hold(void** state) {
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item;
    int seen = 0;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const bool gruess = strncmp(oracle_id(item), "CGI-", 4) == 0,
                   hadamard = strncmp(oracle_id(item), "HHI-", 4) == 0;
        if (!gruess && !hadamard) continue;
        seen++;
        if (gruess && oracle_get(item, "expected", "omega") != NULL && function_of(text_of(item, "f")) != NULL)
            check_modulus_case(*state, item);
        else if (gruess && oracle_get(item, "expected", "D_AB") != NULL)
            check_gruess_case(*state, item);
        else if (gruess && oracle_get(item, "expected", "cov") != NULL)
            check_joint_case(*state, item);
        else if (hadamard && oracle_get(item, "inputs", "a") != NULL)
            check_hadamard_case(*state, item);
    }
    assert_true(seen >= 12);
    cJSON_Delete(root);
}

// ---- closed forms

static void symmetric_weights_drop_the_factor(void** state) {  // HHI-07
    for (int L = 1; L <= 6; L++) {
        char high[20], f[40], weight[20];
        snprintf(high, sizeof high, "%d", L);
        snprintf(f, sizeof f, "(x - %d/2)^2", L);
        snprintf(weight, sizeof weight, "1/%d", L);
        const sti_bound_problem p = {
            .what = STI_BOUND_HADAMARD, .low = "0", .high = high, .f = f, .A = {.density = weight}};
        sti_bound_answer a = solve(*state, &p);
        assert_number(&a, "lhs", L * L / 12.0, 1e-12);
        assert_number(&a, "bound", L * L / 4.0, 1e-12);
        assert_number(&a, "bound_printed_symmetric", L / 4.0, 1e-12);
        sti_bound_answer_clear(*state, &a);
    }
}

static void equality_is_recognized(void** state) {
    static const char *const ends[] = {"0", "1"}, *const halves[] = {"1/2", "1/2"};
    sti_bound_problem p = {.what = STI_BOUND_GRUESS, .low = "0", .high = "1", .f = "2*x - 1", .g = "3 - x/2"};
    p.A = (sti_functional){.density = "6*x*(1-x)"};
    p.one_functional = true;
    sti_bound_answer a = solve(*state, &p);
    assert_true(a.equality);
    assert_true(fabs(fabs(sti_bound_find(&a, "D_AB")->low) - sti_bound_find(&a, "bound")->high) < 1e-9);
    sti_bound_answer_clear(*state, &a);
    p.A = (sti_functional){.atom_count = 2, .atom_at = ends, .atom_mass = halves};
    p.f = p.g = "x";
    a = solve(*state, &p);
    assert_true(a.equality);
    assert_number(&a, "D_AB_e1e1", 0.5, 0);
    assert_non_null(strstr(a.equality_why, "(2.5.16)"));
    sti_bound_answer_clear(*state, &a);
    p.f = "x^2";
    a = solve(*state, &p);
    assert_false(a.equality);
    sti_bound_answer_clear(*state, &a);
}

static void majorants_are_tight_where_they_are_known(void** state) {
    static const struct {
        const char* f;
        double (*omega_tilde)(double t);
    } table[] = {{"sqrt(x)", sqrt}, {"x", fabs}};
    const char* const t[] = {"0", "0.01", "0.125", "0.3", "0.77", "1", "2"};
    const double at[] = {0, 0.01, 0.125, 0.3, 0.77, 1, 1};
    for (int k = 0; k < 2; k++) {
        const sti_bound_problem p = {
            .what = STI_BOUND_MODULUS, .low = "0", .high = "1", .f = table[k].f, .t_count = 7, .t = t};
        sti_bound_answer a = solve(*state, &p);
        for (int i = 0; i < 7; i++) {
            const double value = table[k].omega_tilde(at[i]);
            assert_true(a.omega_tilde[i].low <= value + 1e-15 && value - 1e-15 <= a.omega_tilde[i].high);
            assert_true(a.omega_tilde[i].high - a.omega_tilde[i].low < 1e-9);
            assert_true(a.omega[i].low <= value + 1e-15 && value - 1e-15 <= a.omega[i].high);
        }
        sti_bound_answer_clear(*state, &a);
    }
}

static void two_random_vectors_obey_2_5_18(void** state) {
    const sti_bound_problem p = {.what = STI_BOUND_GRUESS,
                                 .low = "0",
                                 .high = "1",
                                 .f = "u^2",
                                 .g = "exp(v)",
                                 .joint = "1 + 0.5*(1-2*u)*(1-2*v)",
                                 .other_joint = "4*u*v"};
    sti_bound_answer a = solve(*state, &p);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_true(sti_bound_find(&a, "D_AB")->high <= sti_bound_find(&a, "bound_2_5_18")->high);
    assert_true(sti_bound_find(&a, "bound_2_5_18")->high <= sti_bound_find(&a, "lipschitz_bound")->high * (1 + 1e-9));
    // var U = 1/12, of 4uv: E = 2/3, var = 1/18: tau = 2/12 + 2/18 + 2 (1/6)^2
    assert_number(&a, "tau", 1.0 / 6 + 1.0 / 9 + 2.0 / 36, 1e-12);
    sti_bound_answer_clear(*state, &a);
}

// ---- what is refused, and what stays unknown

static void refuse(sti_env* env, const sti_bound_problem* p, const char* words) {
    sti_bound_answer a;
    assert_int_equal(sti_bound_solve(env, p, &a), STI_ERR_INPUT);
    if (strstr(sti_env_error(env)->text, words) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", words, sti_env_error(env)->text);
}

static void bad_input_is_named(void** state) {
    sti_bound_problem p = {
        .what = STI_BOUND_HADAMARD, .low = "0", .high = "1", .f = "x^2", .A = {.density = "2*x - 0.5"}};
    refuse(*state, &p, "weight: ");
    p.A.density = "3*x";
    refuse(*state, &p, "weight: its integral is 1.5: 1 is expected");
    p.A.density = "1/x";
    refuse(*state, &p, "weight: ");
    p.A.density = "1";
    p.f = "log(x - 1/2)";
    refuse(*state, &p, "log of a number in");
    p.f = "sqrt(x)";
    refuse(*state, &p, "f: no bounded derivative at x = 0");
    p.f = "x^2";
    p.low = "1";
    refuse(*state, &p, "interval: [1, 1]");
    p.low = "1/0";
    refuse(*state, &p, "interval[0]: \"1/0\"");
    p = (sti_bound_problem){.what = STI_BOUND_GRUESS, .low = "0", .high = "1", .f = "1/(x - 0.3)", .g = "x"};
    p.one_functional = true;
    refuse(*state, &p, "division by a number in");
    p.f = "floor(2*x)";
    refuse(*state, &p, "f: not known to be bounded and continuous near");
    p.f = "x";
    p.joint = "u + v - 0.1";
    refuse(*state, &p, "joint: negative at");
    p.joint = "2";
    refuse(*state, &p, "joint: its integral is");
}

static void normalize_divides_by_the_integral(void** state) {
    sti_bound_problem p = {.what = STI_BOUND_HADAMARD, .low = "0", .high = "1", .f = "x^2", .A = {.density = "3*x"}};
    p.normalize = true;
    sti_bound_answer a = solve(*state, &p);
    assert_number(&a, "a1", 2.0 / 3, 1e-14);
    assert_number(&a, "lhs", 0.5 - 4.0 / 9, 1e-14);
    sti_bound_answer_clear(*state, &a);
}

static void slopes_that_are_not_convex_are_told(void** state) {
    sti_bound_problem p = {.what = STI_BOUND_HADAMARD, .low = "0", .high = "3", .f = "sin(x)", .A = {.density = "1/3"}};
    sti_bound_answer a = solve(*state, &p);
    assert_int_equal(a.outcome, STI_NO_SOLUTION);
    assert_non_null(strstr(a.reason, "is not convex"));
    sti_bound_answer_clear(*state, &a);
    static const char* const convex[] = {"x^4",       "exp(x)", "(x - 1.5)^3", "(x - 1.5)^4",
                                         "1/(1 + x)", "x^2.5",  "-exp(-x)"};
    for (int k = 0; k < 7; k++) {
        p.f = convex[k];
        a = solve(*state, &p);
        if (a.outcome != STI_SOLVED) fail_msg("%s: %s", convex[k], a.reason);
        assert_true(sti_bound_find(&a, "lhs")->low <= sti_bound_find(&a, "bound")->high);
        sti_bound_answer_clear(*state, &a);
    }
    p.A.density = "(x^2 - 2.6*x + 1.69)*x^0/1.09";  // (x - 1.3)^2 / .., 0 inside: not to be shown positive
    p.normalize = true;
    p.f = "x^2";
    a = solve(*state, &p);
    assert_int_equal(a.outcome, STI_UNKNOWN);
    assert_non_null(strstr(a.reason, "nowhere negative"));
    sti_bound_answer_clear(*state, &a);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    static const char* const t[] = {"0.1"};
    const sti_bound_problem problems[] = {
        {.what = STI_BOUND_MODULUS, .low = "0", .high = "1", .f = "abs(x-0.4)", .t_count = 1, .t = t},
        {.what = STI_BOUND_GRUESS,
         .low = "0",
         .high = "1",
         .f = "x^2",
         .g = "x",
         .A = {.density = "2*x"},
         .one_functional = true},
        {.what = STI_BOUND_HADAMARD, .low = "0", .high = "1", .f = "x^2", .A = {.density = "2*x"}}};
    for (int k = 0; k < 3; k++) {
        for (long i = 0;; i++) {
            failing_env f;
            sti_bound_answer a;
            failing_env_open(&f, i);
            const sti_status status = sti_bound_solve(f.env, &problems[k], &a);
            if (status == STI_OK)
                sti_bound_answer_clear(f.env, &a);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_cases_hold),
        cmocka_unit_test(symmetric_weights_drop_the_factor),
        cmocka_unit_test(equality_is_recognized),
        cmocka_unit_test(majorants_are_tight_where_they_are_known),
        cmocka_unit_test(two_random_vectors_obey_2_5_18),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(normalize_divides_by_the_integral),
        cmocka_unit_test(slopes_that_are_not_convex_are_told),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
