// group_env.h: one environment for all tests of a program, for the fixtures of its group.
#ifndef TESTS_SUPPORT_GROUP_ENV_H
#define TESTS_SUPPORT_GROUP_ENV_H

#include "support/failing_env.h"

static sti_env* group_env;

static inline int open_group_env(void** state) {
    (void)state;
    return sti_env_create(NULL, &group_env) == STI_OK ? 0 : -1;
}

static inline int close_group_env(void** state) {
    (void)state;
    sti_env_destroy(group_env);
    return 0;
}

#endif
