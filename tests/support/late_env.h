// late_env.h: an environment whose time limit is over at the k-th look at the clock, and that counts what is still
// alive.
//
//     for (long k = 1;; k *= 2) {
//         late_env l;
//         late_env_open(&l, k);
//         status = call(l.memory.env, ...);
//         ... clear the result when STI_OK; otherwise assert STI_ERR_TIME ...
//         bool done = late_env_close(&l);   // asserts that nothing leaked; true: the call was done in time
//         if (done) break;
//     }
//
// No time goes by but by looking: the clock stands still for who does not look, so the test does not depend on the
// machine.
#ifndef TESTS_SUPPORT_LATE_ENV_H
#define TESTS_SUPPORT_LATE_ENV_H

#include "support/failing_env.h"

typedef struct late_env {
    failing_env memory;
    long limit;  // looks in time
    long looks;
} late_env;

static inline double late_env_clock(void* user) {
    late_env* l = user;
    return (double)l->looks++;
}

static inline void late_env_open(late_env* l, long limit) {
    *l = (late_env){.memory = {.fail_at = -1}, .limit = limit};
    sti_env_def def = sti_env_def_default();
    def.alloc = failing_env_alloc;
    def.realloc = failing_env_realloc;
    def.free = failing_env_free;
    def.alloc_user = &l->memory;
    def.clock = late_env_clock;
    def.clock_user = l;
    assert_int_equal(sti_env_create(&def, &l->memory.env), STI_OK);
    sti_env_limit_time(l->memory.env, (double)limit - 0.5);  // which looks once
}

static inline bool late_env_close(late_env* l) {
    sti_env_destroy(l->memory.env);
    assert_int_equal(l->memory.live, 0);
    return l->looks <= l->limit;
}

#endif
