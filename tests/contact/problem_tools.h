// problem_tools.h: contact problems read from files and looked into.
#ifndef TESTS_CONTACT_PROBLEM_TOOLS_H
#define TESTS_CONTACT_PROBLEM_TOOLS_H

#include <math.h>
#include <stdio.h>
#include <stiction/io.h>

#include "support/failing_env.h"

static inline double largest(const double* x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// A problem of the collection of ../shared.
static inline sti_document* load(sti_env* env, const char* name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/problems/%s", STI_SHARED_DIR, name);
    sti_document* file;
    assert_int_equal(sti_document_load(env, path, &file), STI_OK);
    assert_non_null(sti_contact_problem_of(file));
    return file;
}

static inline double entry(const sti_matrix* A, int i, int j) {
    return A->rows > 0 && A->cols > 0 ? sti_matrix_get(A, i, j) : 0;
}

// An operator of order two that changes nothing.
static inline void stay(void* user, const double* x, double* y) {
    (void)user;
    for (int i = 0; i < 2; i++) y[i] = x[i];
}

#endif
