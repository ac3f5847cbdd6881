// io_tools.h: what the tests of the io room share: an environment with a log, temporary files, expected errors.
#ifndef TESTS_SUPPORT_IO_TOOLS_H
#define TESTS_SUPPORT_IO_TOOLS_H

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/failing_env.h"

typedef struct io_log {
    int count;
    char last[480];
} io_log;

static inline void io_log_take(void* user, sti_log_level level, const char* text) {
    io_log* log = user;
    (void)level;
    log->count++;
    snprintf(log->last, sizeof log->last, "%s", text);
}

static inline sti_env* io_env(io_log* log) {
    sti_env* env;
    sti_env_def def = sti_env_def_default();
    if (log != NULL) {
        *log = (io_log){0};
        def.log = io_log_take;
        def.log_user = log;
    }
    assert_int_equal(sti_env_create(&def, &env), STI_OK);
    return env;
}

// A folder of our own; path(name) is a file in it. Removed with everything in it by io_folder_remove.
static char io_folder[64];

static inline void io_folder_make(void) {
    snprintf(io_folder, sizeof io_folder, "/tmp/stiction-test-XXXXXX");
    assert_non_null(mkdtemp(io_folder));
}

static inline const char* io_path(const char* name) {
    static char path[4][256];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", io_folder, name);
    return path[next];
}

static inline int io_folder_count(void) {
    int count = 0;
    DIR* dir = opendir(io_folder);
    assert_non_null(dir);
    for (struct dirent* e = readdir(dir); e != NULL; e = readdir(dir)) count += e->d_name[0] != '.';
    closedir(dir);
    return count;
}

static inline void io_folder_remove(void) {
    DIR* dir = opendir(io_folder);
    assert_non_null(dir);
    for (struct dirent* e = readdir(dir); e != NULL; e = readdir(dir)) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", io_folder, e->d_name);
        if (e->d_name[0] != '.') unlink(path);
    }
    closedir(dir);
    rmdir(io_folder);
}

static inline void io_write(const char* path, const void* bytes, size_t size) {
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static inline void io_write_text(const char* path, const char* text) {
    io_write(path, text, strlen(text));
}

// The last error: its status, on one line, and with these words in it.
static inline void io_expect_error(sti_env* env, sti_status status, const char* words) {
    const sti_error* e = sti_env_error(env);
    assert_int_equal(e->status, status);
    assert_null(strchr(e->text, '\n'));
    if (strstr(e->text, words) == NULL) {
        print_error("expected \"%s\" in \"%s\"\n", words, e->text);
        fail();
    }
}

static inline void io_expect_equal(const double* x, const double* y, size_t count) {
    assert_int_equal(x == NULL, y == NULL);
    if (x != NULL) assert_memory_equal(x, y, count * sizeof *x);
}

static inline void io_expect_same_matrix(const sti_matrix* A, const sti_matrix* B) {
    assert_int_equal(A->rows, B->rows);
    assert_int_equal(A->cols, B->cols);
    assert_int_equal(sti_matrix_is_sparse(A), sti_matrix_is_sparse(B));
    for (int i = 0; i < A->rows; i++) {
        for (int j = 0; j < A->cols; j++) {
            const double a = sti_matrix_get(A, i, j), b = sti_matrix_get(B, i, j);
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
}

static inline bool io_have_shared(const char* path) {
    struct stat info;
    if (stat(path, &info) == 0) return true;
    print_message("%s is not here: skipped\n", path);
    return false;
}

#endif
