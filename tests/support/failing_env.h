// failing_env.h: an environment whose k-th allocation fails, and that counts what is still alive.
//
//     for (long k = 0;; k++) {
//         failing_env f;
//         failing_env_open(&f, k);
//         status = call(f.env, ...);
//         ... clear the result when STI_OK; otherwise assert STI_ERR_MEMORY ...
//         bool done = failing_env_close(&f);   // asserts that nothing leaked; true: the k-th allocation was never
//                                              asked for
//         if (done) break;
//     }
#ifndef TESTS_SUPPORT_FAILING_ENV_H
#define TESTS_SUPPORT_FAILING_ENV_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
// cmocka wants the four above first
#include <cmocka.h>
#include <stiction/base.h>

typedef struct failing_env {
    sti_env* env;
    long fail_at;  // index of the allocation that fails; negative: none
    long count;    // allocations asked for so far
    long live;     // blocks alive
} failing_env;

static inline void* failing_env_alloc(void* user, size_t size) {
    failing_env* f = user;
    if (f->count++ == f->fail_at) return NULL;
    void* p = malloc(size);
    if (p != NULL) f->live++;
    return p;
}

static inline void* failing_env_realloc(void* user, void* p, size_t size) {
    failing_env* f = user;
    if (f->count++ == f->fail_at) return NULL;
    return realloc(p, size);
}

static inline void failing_env_free(void* user, void* p) {
    failing_env* f = user;
    if (p != NULL) f->live--;
    free(p);
}

// The environment itself is made before counting starts.
static inline void failing_env_open(failing_env* f, long fail_at) {
    *f = (failing_env){.fail_at = -1};
    sti_env_def def = sti_env_def_default();
    def.alloc = failing_env_alloc;
    def.realloc = failing_env_realloc;
    def.free = failing_env_free;
    def.alloc_user = f;
    assert_int_equal(sti_env_create(&def, &f->env), STI_OK);
    f->count = 0;
    f->fail_at = fail_at;
}

static inline bool failing_env_close(failing_env* f) {
    const bool never_asked = f->fail_at < 0 || f->count <= f->fail_at;
    if (!never_asked) assert_int_not_equal(sti_env_error(f->env)->status, STI_OK);  // it is recorded by itself
    sti_env_destroy(f->env);
    assert_int_equal(f->live, 0);
    return never_asked;
}

#endif
