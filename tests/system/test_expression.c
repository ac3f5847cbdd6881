// Formulas: what they mean, their derivatives against closed forms, and every mistake with its column.
#include "support/failing_env.h"
#include "support/open_env.h"
// after cmocka's headers
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "system/expression.h"
#include "system/jet.h"

// Parameters a, b; coordinates x, y; variables in the order x, y, x', y', t.
enum { PARAMETERS = 2, N = 2, VARIABLES = 2 * N + 1 };

typedef struct world {
    sti_tape tape;
    sti_scope scope;
} world;

static sti_status open_world(world* w, sti_env* env) {
    *w = (world){0};
    sti_tape_init(&w->tape, env, PARAMETERS, N);
    w->scope.tape = &w->tape;
    sti_status status = sti_scope_parameter(&w->scope, "parameters", "a", 0);
    if (status == STI_OK) status = sti_scope_parameter(&w->scope, "parameters", "b", 1);
    if (status == STI_OK) status = sti_scope_coordinate(&w->scope, "coordinates[0]", "x", 0);
    if (status == STI_OK) status = sti_scope_coordinate(&w->scope, "coordinates[1]", "y", 1);
    if (status == STI_OK) status = sti_scope_definition(&w->scope, "definitions.r", "r", "sqrt(x^2 + y^2)");
    if (status == STI_OK) status = sti_scope_definition(&w->scope, "definitions.w", "w", "x'*y");
    if (status == STI_OK) status = sti_scope_definition(&w->scope, "definitions.z", "z", "sin(a*x) + t^2*y");
    return status;
}

static void close_world(world* w) {
    sti_scope_clear(&w->scope);
    sti_tape_clear(&w->tape);
}

// Value, gradient and Hessian of a formula at (a, b, x, y, x', y', t).
static double derive(sti_env* env, const char* formula, const double* in, double* g, double* H) {
    world w;
    int entry;
    assert_int_equal(open_world(&w, env), STI_OK);
    const sti_status status = sti_expression_compile(&w.scope, "f", formula, &entry);
    if (status != STI_OK) print_error("%s: %s\n", formula, sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    sti_jets jets;
    sti_program program;
    assert_int_equal(sti_jets_init(&jets, env, &w.tape), STI_OK);
    assert_int_equal(sti_program_init(&program, env, &w.tape), STI_OK);
    sti_program_want(&program, entry, g != NULL ? 2 : 0);
    sti_program_finish(&program, &w.tape);
    sti_jets_evaluate(&jets, &program, in);
    const double value = jets.x[entry];
    for (int k = 0; g != NULL && k < VARIABLES; k++) g[k] = sti_jets_gradient(&jets, entry, k);
    if (g != NULL) {
        const int* variable;
        int count;
        const double* packed = sti_jets_hessian(&jets, entry, &variable, &count);
        memset(H, 0, VARIABLES * VARIABLES * sizeof *H);
        for (int k = 0; k < count; k++) {
            for (int l = 0; l <= k; l++, packed++)
                H[variable[k] * VARIABLES + variable[l]] = H[variable[l] * VARIABLES + variable[k]] = *packed;
        }
    }
    sti_program_clear(env, &program);
    sti_jets_clear(&jets);
    close_world(&w);
    return value;
}

static void near(double x, double expected) {
    const double scale = fmax(1, fabs(expected));
    if (!(fabs(x - expected) <= 1e-13 * scale)) print_error("%.17g is not %.17g\n", x, expected);
    assert_true(fabs(x - expected) <= 1e-13 * scale);
}

// a, b, x, y, x', y', t
static const double at[] = {2, 3, 0.5, -0.75, 1.25, -2, 0.25};

static void formulas_have_their_usual_meaning(void** state) {
    (void)state;
    const double a = at[0], b = at[1], x = at[2], y = at[3], vx = at[4], vy = at[5], t = at[6];
    const struct {
        const char* formula;
        double value;
    } row[] = {
        {"1+2*3", 7},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^-1", 0.5},
        {"2*-3", -6},
        {"--3", 3},
        {"-+-3", 3},
        {"7-2-1", 4},
        {"8/4/2", 1},
        {"8/4*2", 4},
        {".5e1 + 1.e-1 + 1E+1", 15.1},
        {" ( 1 ) ", 1},
        {"2\t*\n3", 6},
        {"pi", 3.14159265358979323846},
        {"a*x+b", a * x + b},
        {"x'*y'", vx * vy},
        {"t", t},
        {"r", hypot(x, y)},
        {"w", vx * y},
        {"z", sin(a * x) + t * t * y},
        {"z'", cos(a * x) * a * vx + 2 * t * y + t * t * vy},
        {"r'", (x * vx + y * vy) / hypot(x, y)},
        {"min(x, y)", y},
        {"max(x, y)", x},
        {"abs(y)", -y},
        {"sign(y)", -1},
        {"floor(y)", -1},
        {"pow(a, b)", 8},
        {"hypot(3, 4)", 5},
        {"atan2(1, -1)", atan2(1, -1)},
        {"log10(1000)", 3},
        {"x^0", 1},
        {"0*x + 1*y - 0", y},
    };
    sti_env* env = open_env();
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++)
        near(derive(env, row[k].formula, at, NULL, NULL), row[k].value);
    sti_env_destroy(env);
}

static void functions_have_their_derivatives(void** state) {
    (void)state;
    const double x = 0.5, y = -0.75, l10 = log(10);
    const struct {
        const char* formula;  // of x
        double f, d, dd;
    } one[] = {
        {"sin(x)", sin(x), cos(x), -sin(x)},
        {"cos(x)", cos(x), -sin(x), -cos(x)},
        {"tan(x)", tan(x), 1 / pow(cos(x), 2), 2 * sin(x) / pow(cos(x), 3)},
        {"asin(x)", asin(x), pow(1 - x * x, -0.5), x * pow(1 - x * x, -1.5)},
        {"acos(x)", acos(x), -pow(1 - x * x, -0.5), -x * pow(1 - x * x, -1.5)},
        {"atan(x)", atan(x), 1 / (1 + x * x), -2 * x / pow(1 + x * x, 2)},
        {"sinh(x)", sinh(x), cosh(x), sinh(x)},
        {"cosh(x)", cosh(x), sinh(x), cosh(x)},
        {"tanh(x)", tanh(x), 1 / pow(cosh(x), 2), -2 * sinh(x) / pow(cosh(x), 3)},
        {"exp(x)", exp(x), exp(x), exp(x)},
        {"log(x)", log(x), 1 / x, -1 / (x * x)},
        {"log10(x)", log10(x), 1 / (x * l10), -1 / (x * x * l10)},
        {"sqrt(x)", sqrt(x), 0.5 / sqrt(x), -0.25 * pow(x, -1.5)},
        {"abs(-x)", x, 1, 0},
        {"x^3", x * x * x, 3 * x * x, 6 * x},
        {"x^-2", pow(x, -2), -2 * pow(x, -3), 6 * pow(x, -4)},
        {"x^a", x * x, 2 * x, 2},
        {"x^x", pow(x, x), pow(x, x) * (log(x) + 1), pow(x, x) * (pow(log(x) + 1, 2) + 1 / x)},
        {"1/x", 1 / x, -1 / (x * x), 2 / (x * x * x)},
        {"a^x", pow(2, x), pow(2, x) * log(2), pow(2, x) * log(2) * log(2)},
    };
    const struct {
        const char* formula;  // of x and y
        double f, x, y, xx, xy, yy;
    } two[] = {
        {"x*y", x * y, y, x, 0, 1, 0},
        {"x/y", x / y, 1 / y, -x / (y * y), 0, -1 / (y * y), 2 * x / (y * y * y)},
        {"x^2*y^3", x * x * y * y * y, 2 * x * y * y * y, 3 * x * x * y * y, 2 * y * y * y, 6 * x * y * y,
         6 * x * x * y},
        {"atan2(y, x)", atan2(y, x), -y / (x * x + y * y), x / (x * x + y * y), 2 * x * y / pow(x * x + y * y, 2),
         (y * y - x * x) / pow(x * x + y * y, 2), -2 * x * y / pow(x * x + y * y, 2)},
        {"hypot(x, y)", hypot(x, y), x / hypot(x, y), y / hypot(x, y), y * y / pow(hypot(x, y), 3),
         -x * y / pow(hypot(x, y), 3), x * x / pow(hypot(x, y), 3)},
        {"sin(x*y)", sin(x * y), y * cos(x * y), x * cos(x * y), -y * y * sin(x * y), cos(x * y) - x * y * sin(x * y),
         -x * x * sin(x * y)},
        {"min(x^2, y)", y, 0, 1, 0, 0, 0},
        {"max(x^2, y)", x * x, 2 * x, 0, 2, 0, 0},
    };
    sti_env* env = open_env();
    double g[VARIABLES], H[VARIABLES * VARIABLES];
    for (size_t k = 0; k < sizeof one / sizeof one[0]; k++) {
        near(derive(env, one[k].formula, at, g, H), one[k].f);
        near(g[0], one[k].d);
        near(H[0], one[k].dd);
    }
    for (size_t k = 0; k < sizeof two / sizeof two[0]; k++) {
        near(derive(env, two[k].formula, at, g, H), two[k].f);
        near(g[0], two[k].x);
        near(g[1], two[k].y);
        near(H[0], two[k].xx);
        near(H[1], two[k].xy);
        near(H[VARIABLES + 1], two[k].yy);
    }
    sti_env_destroy(env);
}

// Differences of the gradient are no match for it, but they are another way.
static void hessians_agree_with_differences_of_gradients(void** state) {
    (void)state;
    static const char* const formula[] = {
        "a/2*(r'^2 + r^2*x'^2) - b*cos(x - y)*x'*y'",
        "exp(-x*y)*z' + tanh(x'*y)/(2 + sin(t*x))",
        "(x'^2 + y'^2*x)^2/(1 + r^2) + atan2(y - t, x + 3)*hypot(x', 2 + y)",
        "log(2 + x*y*t)*sqrt(4 + x')*(x + y)^a",
    };
    sti_env* env = open_env();
    for (size_t k = 0; k < sizeof formula / sizeof formula[0]; k++) {
        double g[VARIABLES], H[VARIABLES * VARIABLES], scratch[VARIABLES * VARIABLES];
        double in[PARAMETERS + VARIABLES];
        memcpy(in, at, sizeof in);
        in[3] = 0.75;
        derive(env, formula[k], in, g, H);
        for (int v = 0; v < VARIABLES; v++) {
            const double h = 1e-5, keep = in[PARAMETERS + v];
            double up[VARIABLES], down[VARIABLES];
            in[PARAMETERS + v] = keep + h;
            const double f_up = derive(env, formula[k], in, up, scratch);
            in[PARAMETERS + v] = keep - h;
            const double f_down = derive(env, formula[k], in, down, scratch);
            in[PARAMETERS + v] = keep;
            assert_true(fabs((f_up - f_down) / (2 * h) - g[v]) < 1e-7 * (1 + fabs(g[v])));
            for (int w = 0; w < VARIABLES; w++) {
                const double difference = (up[w] - down[w]) / (2 * h), exact = H[v * VARIABLES + w];
                assert_true(fabs(difference - exact) < 1e-6 * (1 + fabs(exact)));
            }
        }
    }
    sti_env_destroy(env);
}

// A definition's derivative in time is another way to its gradient.
static void rates_of_definitions_agree_with_gradients(void** state) {
    (void)state;
    static const char* const formula[] = {"sin(x)",       "cos(x*y)",   "tan(x)",     "asin(x/2)",  "acos(x*y/2)",
                                          "atan(y)",      "sinh(x)",    "cosh(y)",    "tanh(x+y)",  "exp(x*t)",
                                          "log(2+x)",     "log10(2+x)", "sqrt(2+y)",  "abs(y)",     "sign(x)*x",
                                          "floor(3*x)*y", "atan2(y,x)", "hypot(x,y)", "min(x,y)*t", "max(x^2,y)",
                                          "(2+x)^y",      "x^a",        "x/y",        "a*b",        "-x*y+t^3"};
    sti_env* env = open_env();
    for (size_t k = 0; k < sizeof formula / sizeof formula[0]; k++) {
        world w;
        int f, rate;
        assert_int_equal(open_world(&w, env), STI_OK);
        assert_int_equal(sti_expression_compile(&w.scope, "f", formula[k], &f), STI_OK);
        assert_int_equal(sti_tape_rate(&w.tape, f, &rate), STI_OK);
        sti_jets jets;
        sti_program program;
        assert_int_equal(sti_jets_init(&jets, env, &w.tape), STI_OK);
        assert_int_equal(sti_program_init(&program, env, &w.tape), STI_OK);
        sti_program_want(&program, f, 1);
        sti_program_want(&program, rate, 0);
        sti_program_finish(&program, &w.tape);
        sti_jets_evaluate(&jets, &program, at);
        double expected = sti_jets_gradient(&jets, f, 4);
        for (int v = 0; v < N; v++) expected += sti_jets_gradient(&jets, f, v) * at[PARAMETERS + N + v];
        near(jets.x[rate], expected);
        sti_program_clear(env, &program);
        sti_jets_clear(&jets);
        close_world(&w);
    }
    sti_env_destroy(env);
}

static void equal_parts_are_computed_once(void** state) {
    (void)state;
    sti_env* env = open_env();
    world w;
    int first, second;
    assert_int_equal(open_world(&w, env), STI_OK);
    assert_int_equal(sti_expression_compile(&w.scope, "f", "sin(x+y)*a", &first), STI_OK);
    const int count = w.tape.count;
    assert_int_equal(sti_expression_compile(&w.scope, "f", "a*sin(y + x)", &second), STI_OK);
    assert_int_equal(w.tape.count, count);
    assert_int_equal(first, second);
    close_world(&w);
    sti_env_destroy(env);
}

static void degrees_in_the_velocities_are_seen(void** state) {
    (void)state;
    const struct {
        const char* formula;
        int degree;
        bool homogeneous;
    } row[] = {{"a*x", 0, false},      {"x'", 1, true},
               {"x' + x", 1, false},   {"cos(x)*x'/y - y'", 1, true},
               {"x'*y'", 2, true},     {"x'^2", 2, true},
               {"r'^2", 2, true},      {"-(x' - t)", 1, false},
               {"x'^3", 100, false},   {"sqrt(x'^2)", 100, false},
               {"x/x'", 100, false},   {"x'^2*y'", 100, true},
               {"abs(x')", 100, false}};
    sti_env* env = open_env();
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        world w;
        int entry;
        assert_int_equal(open_world(&w, env), STI_OK);
        assert_int_equal(sti_expression_compile(&w.scope, "f", row[k].formula, &entry), STI_OK);
        sti_degree* degree = malloc((size_t)w.tape.count * sizeof *degree);
        assert_non_null(degree);
        sti_tape_degrees(&w.tape, degree);
        assert_int_equal(degree[entry].degree, row[k].degree);
        if (row[k].degree < 100) assert_int_equal(degree[entry].homogeneous, row[k].homogeneous);
        free(degree);
        close_world(&w);
    }
    sti_env_destroy(env);
}

static const struct {
    const char* formula;
    int column;
    const char* words;
} mistakes[] = {
    {"", 1, "a number, a name or \"(\" is expected, not the end of the formula"},
    {"   ", 4, "not the end of the formula"},
    {"1+", 3, "not the end of the formula"},
    {"1 2", 3, "an operator or the end of the formula is expected, not \"2\""},
    {"2x", 2, "an operator is expected after a number, not \"x\""},
    {"1+*2", 3, "a number, a name or \"(\" is expected, not \"*2\""},
    {"x**2", 2, "powers are written with ^"},
    {"(1+x", 5, "\")\" is expected, not the end"},
    {"1+x)", 4, "an operator or the end of the formula is expected, not \")\""},
    {"a + foo*x", 5, "\"foo\": no such name"},
    {"alpha", 1, "\"alpha\": no such name"},
    {"sinn(x)", 1, "\"sinn\": no such name; did you mean sin?"},
    {"sin x", 5, "\"(\" is expected after a function, not \"x\""},
    {"sin()", 5, "a number, a name"},
    {"sin(x,y)", 1, "sin takes 1 argument, 2 given"},
    {"1+min(x)", 3, "min takes 2 arguments, 1 given"},
    {"max(x,y,x,y)", 10, "\")\" is expected"},
    {"x(3)", 2, "this name is no function"},
    {"a'", 1, "a parameter has no velocity"},
    {"t'", 1, "time has no velocity"},
    {"pi'", 1, "a number has no velocity"},
    {"x''", 3, "accelerations cannot stand in a formula"},
    {"1 + w'", 5, "would need accelerations"},
    {"x # y", 3, "an operator or the end of the formula is expected, not \"# y\""},
    {"1/0", 2, "this has no finite value"},
    {"log(-1)", 1, "this has no finite value"},
    {"x + 1e999", 5, "this number is too large"},
    {"1e99999", 1, "a number is expected"},
    {"0x10", 2, "an operator is expected after a number"},
    {"x,y", 2, "an operator or the end"},
    {"\xc3\xa4 + q", 1, "no such name"},
    {"x + \xc3\xa4*q", 5, "no such name"},
    {"y + (\"\xc3\xa4\")", 6, "a number, a name"},
};

static void every_mistake_has_its_column(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        world w;
        int entry;
        char place[40];
        assert_int_equal(open_world(&w, env), STI_OK);
        const sti_status status = sti_expression_compile(&w.scope, "field", mistakes[k].formula, &entry);
        const sti_error* e = sti_env_error(env);
        snprintf(place, sizeof place, "field: column %d: ", mistakes[k].column);
        if (status != STI_ERR_INPUT || strncmp(e->text, place, strlen(place)) != 0 ||
            strstr(e->text, mistakes[k].words) == NULL) {
            print_error("%s: %d, %s; expected %s%s\n", mistakes[k].formula, status, e->text, place, mistakes[k].words);
            fail();
        }
        assert_int_equal(e->index, mistakes[k].column);
        close_world(&w);
    }
    sti_env_destroy(env);
}

static void deep_and_long_formulas_are_refused_or_taken(void** state) {
    (void)state;
    sti_env* env = open_env();
    char* text = malloc(30000);
    assert_non_null(text);
    world w;
    int entry;
    for (int kind = 0; kind < 4; kind++) {
        assert_int_equal(open_world(&w, env), STI_OK);
        size_t at_end = 0;
        if (kind == 0) memset(text, '(', at_end = 500);
        if (kind == 1) memset(text, '-', at_end = 500);
        for (int k = 0; kind == 2 && k < 3000; k++) at_end += (size_t)sprintf(text + at_end, "x^%d+", k);
        if (kind == 3) memset(text, '1', at_end = 25000);
        text[at_end] = '\0';
        if (kind == 2) strcpy(text + at_end, "1");
        const sti_status status = sti_expression_compile(&w.scope, "f", text, &entry);
        assert_int_equal(status, kind == 2 ? STI_OK : STI_ERR_INPUT);
        close_world(&w);
    }
    free(text);
    sti_env_destroy(env);
}

static void names_are_checked(void** state) {
    (void)state;
    static const char* const bad[] = {"", "1x", "a b", "x'", "sin", "t", "pi", "a", "x", "r"};
    sti_env* env = open_env();
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        world w;
        assert_int_equal(open_world(&w, env), STI_OK);
        assert_int_equal(sti_scope_definition(&w.scope, "definitions", bad[k], "1"), STI_ERR_INPUT);
        assert_non_null(strstr(sti_env_error(env)->text, "definitions: \""));
        close_world(&w);
    }
    sti_env_destroy(env);
}

static void kinks_are_reported_once(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const char* const formula[] = {"abs(x)", "min(x, y)", "max(x, y)", "sign(x)", "floor(x)"};
    for (size_t k = 0; k < sizeof formula / sizeof formula[0]; k++) {
        world w;
        int entry;
        sti_jets jets;
        sti_program program;
        double in[PARAMETERS + VARIABLES] = {0};
        assert_int_equal(open_world(&w, env), STI_OK);
        assert_int_equal(sti_expression_compile(&w.scope, "f", formula[k], &entry), STI_OK);
        assert_int_equal(sti_jets_init(&jets, env, &w.tape), STI_OK);
        assert_int_equal(sti_program_init(&program, env, &w.tape), STI_OK);
        sti_program_want(&program, entry, 1);
        sti_program_finish(&program, &w.tape);
        in[2] = 0.5;
        sti_jets_evaluate(&jets, &program, in);
        assert_int_equal(jets.kink, -1);
        in[2] = 0;
        sti_jets_evaluate(&jets, &program, in);
        assert_int_equal(jets.kink, entry);
        sti_jets_evaluate(&jets, &program, in);
        assert_int_equal(jets.kink, -1);
        sti_program_clear(env, &program);
        sti_jets_clear(&jets);
        close_world(&w);
    }
    sti_env_destroy(env);
}

static void every_failed_allocation_of_a_formula_is_survived(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        world w;
        int entry;
        sti_jets jets = {0};
        sti_program program = {0};
        failing_env_open(&f, k);
        sti_status status = open_world(&w, f.env);
        if (status == STI_OK)
            status =
                sti_expression_compile(&w.scope, "f", "z' + r'*sin(x)^2 + 1.5*y/(2+t) + exp(x*y*x'*y'*a*b)", &entry);
        if (status == STI_OK) status = sti_jets_init(&jets, f.env, &w.tape);
        if (status == STI_OK) status = sti_program_init(&program, f.env, &w.tape);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        if (jets.env != NULL) sti_jets_clear(&jets);
        sti_program_clear(f.env, &program);
        close_world(&w);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_have_their_usual_meaning),
        cmocka_unit_test(functions_have_their_derivatives),
        cmocka_unit_test(hessians_agree_with_differences_of_gradients),
        cmocka_unit_test(rates_of_definitions_agree_with_gradients),
        cmocka_unit_test(equal_parts_are_computed_once),
        cmocka_unit_test(degrees_in_the_velocities_are_seen),
        cmocka_unit_test(every_mistake_has_its_column),
        cmocka_unit_test(deep_and_long_formulas_are_refused_or_taken),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(kinks_are_reported_once),
        cmocka_unit_test(every_failed_allocation_of_a_formula_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
