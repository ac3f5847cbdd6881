// env.h: the inside of sti_env: memory, errors, log, clock.
#ifndef STI_BASE_ENV_H
#define STI_BASE_ENV_H

#include <stdbool.h>
#include <stiction/base.h>

#include "base/size.h"

struct sti_env {
    sti_env_def def;
    sti_error error;
    double deadline;           // by sti_now(), INFINITY: none
    double limit_s;            // what it was asked for as
    bool (*stop)(void* user);  // is the call to end? NULL: nobody is asked
    void* stop_user;
};

// Memory. A request for nothing is a request for one byte, so NULL always means failure, and the failure is recorded
// with the function that asked: who asks has but to return STI_ERR_MEMORY.
#define sti_alloc(env, size) sti_alloc_by(__func__, env, size)
#define sti_alloc_array(env, count, size) sti_alloc_array_by(__func__, env, count, size)            // not cleared
#define sti_alloc_array_zero(env, count, size) sti_alloc_array_zero_by(__func__, env, count, size)  // cleared
#define sti_realloc(env, p, size) sti_realloc_by(__func__, env, p, size)
#define sti_realloc_array(env, p, count, size) sti_realloc_array_by(__func__, env, p, count, size)  // NULL: p stays
#define sti_strdup(env, text) sti_strdup_by(__func__, env, text)
void* sti_alloc_by(const char* function, sti_env* env, size_t size);
void* sti_alloc_array_by(const char* function, sti_env* env, size_t count, size_t size);
void* sti_alloc_array_zero_by(const char* function, sti_env* env, size_t count, size_t size);
void* sti_realloc_by(const char* function, sti_env* env, void* p, size_t size);
void* sti_realloc_array_by(const char* function, sti_env* env, void* p, size_t count, size_t size);
char* sti_strdup_by(const char* function, sti_env* env, const char* text);
void sti_free(sti_env* env, void* p);  // accepts NULL
// Memory that grows and is kept: *p has room for `need` items of `size` afterwards.
sti_status sti_room(sti_env* env, void** p, size_t* capacity, size_t need, size_t size);

// Record a failure in env->error and return its status.
#define STI_FAIL(env, status, index, ...) sti_fail(env, status, __func__, index, __VA_ARGS__)
sti_status sti_fail(sti_env* env, sti_status status, const char* function, int64_t index, const char* format, ...)
    __attribute__((format(printf, 5, 6)));

void sti_log(sti_env* env, sti_log_level level, const char* format, ...) __attribute__((format(printf, 3, 4)));

double sti_clock(void);  // seconds, monotonic; for reports

// Time limits, by the clock of the environment, and callers who want an end (sti_env_ask). Whoever loops for long asks
// sti_late at bounded intervals: reading a clock takes tens of nanoseconds, and nothing is read when there is no limit.
double sti_now(const sti_env* env);
double sti_deadline(const sti_env* env, double limit_s);     // limit_s from now or the environment's; INFINITY: none
bool sti_late(const sti_env* env);                           // past the environment's, or asked to end
sti_status sti_check_time(sti_env* env, const char* doing);  // STI_OK, or STI_ERR_TIME while "looking at cases"
// From now on `stop` is asked, from any thread of a call; where it says true, it is late. NULL: nobody is.
void sti_env_ask(sti_env* env, bool (*stop)(void* user), void* user);

// Our own logic, checked cheaply in debug builds. Bad input is never an assert.
#ifdef NDEBUG
#define STI_ASSERT(condition) ((void)0)
#else
#include <assert.h>
#define STI_ASSERT(condition) assert(condition)
#endif

#endif
