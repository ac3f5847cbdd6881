// base.h: status codes, errors, and the environment every call works in.
//
// Two answers are kept apart. A sti_status says whether a call did its work; what was learned about
// the problem (solved, no solution, unknown) is an outcome in the report. Not finding a solution is
// knowledge, not failure.
#ifndef STICTION_BASE_H
#define STICTION_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define STI_API __attribute__((visibility("default")))
#else
#define STI_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define STI_VERSION_MAJOR 0
#define STI_VERSION_MINOR 1
#define STI_VERSION_PATCH 0

// One list yields the codes and their messages.
#define STI_STATUS_LIST(X)                       \
    X(STI_OK, "ok")                              \
    X(STI_ERR_MEMORY, "out of memory")           \
    X(STI_ERR_ARGUMENT, "bad argument")          \
    X(STI_ERR_INPUT, "bad input")                \
    X(STI_ERR_IO, "reading or writing failed")   \
    X(STI_ERR_SIZE, "too large for this method") \
    X(STI_ERR_INTERNAL, "internal failure")      \
    X(STI_ERR_TIME, "time limit reached")

typedef enum sti_status {
#define STI_X(code, text) code,
    STI_STATUS_LIST(STI_X)
#undef STI_X
} sti_status;

STI_API const char* sti_status_text(sti_status status);
STI_API const char* sti_version(void);  // "0.1.0"

typedef enum sti_log_level { STI_LOG_WARNING, STI_LOG_INFO, STI_LOG_DEBUG } sti_log_level;

// What the caller lends the library. Every field may stay as sti_env_def_default() left it.
typedef struct sti_env_def {
    void* (*alloc)(void* user, size_t size);             // malloc when NULL
    void* (*realloc)(void* user, void* p, size_t size);  // realloc when NULL; set all three or none
    void (*free)(void* user, void* p);                   // free when NULL
    void* alloc_user;
    void (*log)(void* user, sti_log_level level, const char* text);  // silence when NULL
    void* log_user;
    int workers;                  // threads that parallel routines may use; results do not depend on it
    double (*clock)(void* user);  // seconds that never run back, for time limits; the monotonic clock when NULL
    void* clock_user;
} sti_env_def;

typedef struct sti_env sti_env;

// The last failure, in full: what, where, at which row, entry or contact (-1 when no index applies).
typedef struct sti_error {
    sti_status status;
    const char* function;
    int64_t index;
    char text[480];
} sti_error;

STI_API sti_env_def sti_env_def_default(void);
STI_API sti_status sti_env_create(const sti_env_def* def, sti_env** out);  // def NULL: defaults
STI_API void sti_env_destroy(sti_env* env);
STI_API const sti_error* sti_env_error(const sti_env* env);
STI_API int sti_env_workers(const sti_env* env);

// A call that is not done so many seconds from now ends with STI_ERR_TIME, and nothing half-built; 0: no limit. For
// calls that have something to show when cut short, their options have a time_limit_s of their own: set it to less.
STI_API void sti_env_limit_time(sti_env* env, double seconds);

// Memory that a call handed over as a bare pointer (text of a report, say) goes back through this.
STI_API void sti_env_free(sti_env* env, void* p);

#ifdef __cplusplus
}
#endif
#endif
