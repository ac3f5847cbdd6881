// env.c: the environment a caller lends us: memory, log, the last error.
#include "base/env.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/size.h"

enum { LARGE = 4 << 20, SMALLEST_PAGE = 4096 };  // bytes

// Large arrays in large pages, where the system has them and leaves it to programs. Who walks through them meets fewer
// pages, and a processor fetches ahead only within one: 5 % of a step of 10^5 grains. It is advice to the system, which
// may decline.
static void* in_large_pages(void* p, size_t size) {
#if defined(MADV_HUGEPAGE)
    if (p == NULL || size < LARGE) return p;
    const size_t skip = -(uintptr_t)p & (SMALLEST_PAGE - 1);
    madvise((char*)p + skip, (size - skip) & ~(size_t)(SMALLEST_PAGE - 1), MADV_HUGEPAGE);
#else
    (void)size;
#endif
    return p;
}

static void* default_alloc(void* user, size_t size) {
    (void)user;
    return in_large_pages(malloc(size), size);
}

static void* default_realloc(void* user, void* p, size_t size) {
    (void)user;
    return in_large_pages(realloc(p, size), size);
}

static void default_free(void* user, void* p) {
    (void)user;
    free(p);
}

const char* sti_status_text(sti_status status) {
    switch (status) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_STATUS_LIST(STI_X)
#undef STI_X
    }
    return "unknown status";
}

#define STRING_OF(x) #x
#define VERSION_TEXT(a, b, c) STRING_OF(a) "." STRING_OF(b) "." STRING_OF(c)

const char* sti_version(void) {
    return VERSION_TEXT(STI_VERSION_MAJOR, STI_VERSION_MINOR, STI_VERSION_PATCH);
}

sti_env_def sti_env_def_default(void) {
    return (sti_env_def){.alloc = default_alloc, .realloc = default_realloc, .free = default_free, .workers = 1};
}

sti_status sti_env_create(const sti_env_def* def, sti_env** out) {
    *out = NULL;
    sti_env_def d = def != NULL ? *def : sti_env_def_default();
    const int given = (d.alloc != NULL) + (d.realloc != NULL) + (d.free != NULL);
    if (given != 0 && given != 3) return STI_ERR_ARGUMENT;
    if (given == 0) {
        d.alloc = default_alloc;
        d.realloc = default_realloc;
        d.free = default_free;
    }
    if (d.workers < 1) d.workers = 1;
    sti_env* env = d.alloc(d.alloc_user, sizeof *env);
    if (env == NULL) return STI_ERR_MEMORY;
    *env = (sti_env){.def = d, .error = {.status = STI_OK, .function = "", .index = -1}, .deadline = (double)INFINITY};
    *out = env;
    return STI_OK;
}

void sti_env_destroy(sti_env* env) {
    if (env != NULL) env->def.free(env->def.alloc_user, env);
}

const sti_error* sti_env_error(const sti_env* env) {
    return &env->error;
}

int sti_env_workers(const sti_env* env) {
    return env->def.workers;
}

void sti_env_free(sti_env* env, void* p) {
    sti_free(env, p);
}

static void* fail_memory(const char* function, sti_env* env, size_t size) {
    if (size > PTRDIFF_MAX)
        sti_fail(env, STI_ERR_MEMORY, function, -1, "more than can be addressed");
    else
        sti_fail(env, STI_ERR_MEMORY, function, -1, "%zu bytes", size);
    return NULL;
}

void* sti_alloc_by(const char* function, sti_env* env, size_t size) {
    void* p = size <= PTRDIFF_MAX ? env->def.alloc(env->def.alloc_user, size > 0 ? size : 1) : NULL;
    return p != NULL ? p : fail_memory(function, env, size);
}

void* sti_alloc_array_by(const char* function, sti_env* env, size_t count, size_t size) {
    return sti_alloc_by(function, env, sti_size_mul(count, size));
}

void* sti_alloc_array_zero_by(const char* function, sti_env* env, size_t count, size_t size) {
    void* p = sti_alloc_array_by(function, env, count, size);
    if (p != NULL) memset(p, 0, sti_size_mul(count, size));
    return p;
}

void* sti_realloc_by(const char* function, sti_env* env, void* p, size_t size) {
    if (p == NULL) return sti_alloc_by(function, env, size);
    void* grown = size <= PTRDIFF_MAX ? env->def.realloc(env->def.alloc_user, p, size > 0 ? size : 1) : NULL;
    return grown != NULL ? grown : fail_memory(function, env, size);
}

void* sti_realloc_array_by(const char* function, sti_env* env, void* p, size_t count, size_t size) {
    return sti_realloc_by(function, env, p, sti_size_mul(count, size));
}

void sti_free(sti_env* env, void* p) {
    if (p != NULL) env->def.free(env->def.alloc_user, p);
}

char* sti_strdup_by(const char* function, sti_env* env, const char* text) {
    const size_t size = strlen(text) + 1;
    char* copy = sti_alloc_by(function, env, size);
    if (copy != NULL) memcpy(copy, text, size);
    return copy;
}

sti_status sti_fail(sti_env* env, sti_status status, const char* function, int64_t index, const char* format, ...) {
    env->error.status = status;
    env->error.function = function;
    env->error.index = index;
    va_list args;
    va_start(args, format);
    vsnprintf(env->error.text, sizeof env->error.text, format, args);
    va_end(args);
    return status;
}

void sti_log(sti_env* env, sti_log_level level, const char* format, ...) {
    if (env->def.log == NULL) return;
    char text[480];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    env->def.log(env->def.log_user, level, text);
}

sti_status sti_room(sti_env* env, void** p, size_t* capacity, size_t need, size_t size) {
    if (*p != NULL && need <= *capacity) return STI_OK;
    const size_t room = sti_size_add(sti_size_add(need, need / 2), 8);
    void* grown = sti_realloc(env, *p, sti_size_mul(room, size));
    if (grown == NULL) return STI_ERR_MEMORY;
    *p = grown;
    *capacity = room;
    return STI_OK;
}

double sti_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double sti_now(const sti_env* env) {
    return env->def.clock != NULL ? env->def.clock(env->def.clock_user) : sti_clock();
}

void sti_env_limit_time(sti_env* env, double seconds) {
    env->limit_s = seconds;
    env->deadline = seconds > 0 ? sti_now(env) + seconds : (double)INFINITY;
}

double sti_deadline(const sti_env* env, double limit_s) {
    return limit_s > 0 ? fmin(sti_now(env) + limit_s, env->deadline) : env->deadline;
}

void sti_env_ask(sti_env* env, bool (*stop)(void* user), void* user) {
    env->stop = stop;
    env->stop_user = user;
}

bool sti_late(const sti_env* env) {
    if (env->stop != NULL && env->stop(env->stop_user)) return true;
    return env->deadline < (double)INFINITY && sti_now(env) > env->deadline;
}

sti_status sti_check_time(sti_env* env, const char* doing) {
    if (!sti_late(env)) return STI_OK;
    if (!(env->limit_s > 0)) return STI_FAIL(env, STI_ERR_TIME, -1, "ended while %s", doing);
    return STI_FAIL(env, STI_ERR_TIME, -1, "%g s were over while %s", env->limit_s, doing);
}
