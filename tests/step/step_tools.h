// step_tools.h: systems from text and from scenes, for the tests of steppers.
#ifndef TESTS_STEP_STEP_TOOLS_H
#define TESTS_STEP_STEP_TOOLS_H

#include "support/oracle.h"
// clang-format off
#include <math.h>
#include <stiction/stiction.h>
// clang-format on

static inline void near_to(double a, double b, double tol) {
    if (fabs(a - b) <= tol) return;
    fail_msg("%.17g, expected %.17g within %g", a, b, tol);
}

static inline void must(sti_env* env, sti_status status) {
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
}

static inline sti_problem* load_scene(sti_env* env, const char* name) {
    char path[400];
    sti_problem* p;
    snprintf(path, sizeof path, "%s/scenes/%s.json", STI_SOURCE_DIR, name);
    must(env, sti_problem_load(env, path, &p));
    assert_int_equal(sti_problem_kind(p), STI_KIND_SYSTEM);
    return p;
}

static inline sti_stepper* make_stepper(sti_env* env, const sti_system* system, const sti_stepper_options* options) {
    sti_stepper* s;
    must(env, sti_stepper_create(env, system, options, &s));
    return s;
}

static inline sti_step_report step_on(sti_env* env, sti_stepper* s) {
    sti_step_report r;
    must(env, sti_stepper_step(s, &r));
    if (r.outcome != STI_SOLVED) print_error("step %ld: %s\n", r.step, r.why);
    assert_int_equal(r.outcome, STI_SOLVED);
    return r;
}

// A case by its id; NULL: not among the visible ones.
static inline const cJSON* oracle_find(const cJSON* root, const char* id) {
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strcmp(oracle_id(item), id) == 0) return item;
    }
    return NULL;
}

static inline double number_at(const cJSON* array, int i) {
    return cJSON_GetNumberValue(cJSON_GetArrayItem(array, i));
}

#endif
