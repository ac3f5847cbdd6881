// open_env.h: plain environments: one for a test, one with workers, and one that the tests of a group find in *state.
#ifndef TESTS_SUPPORT_OPEN_ENV_H
#define TESTS_SUPPORT_OPEN_ENV_H

#include "support/failing_env.h"

static inline sti_env* open_env(void) {
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    return env;
}

static inline sti_env* open_env_of(int workers) {
    sti_env_def def = sti_env_def_default();
    def.workers = workers;
    sti_env* env;
    assert_int_equal(sti_env_create(&def, &env), STI_OK);
    return env;
}

static inline int open_state_env(void** state) {
    return sti_env_create(NULL, (sti_env**)state) == STI_OK ? 0 : -1;
}

static inline int close_state_env(void** state) {
    sti_env_destroy(*state);
    return 0;
}

#endif
