// verify_tools.h: claims about LCPs and MLCPs, and what the checker says of them.
#ifndef STI_TEST_VERIFY_TOOLS_H
#define STI_TEST_VERIFY_TOOLS_H

#include <math.h>
#include <stdio.h>
#include <stiction/problem.h>
#include <string.h>

#include "support/failing_env.h"

typedef struct room {
    sti_env* env;
    sti_verification v;
} room;

static inline int room_open(void** state) {
    room* r = calloc(1, sizeof *r);
    if (r == NULL || sti_env_create(NULL, &r->env) != STI_OK) return 1;
    *state = r;
    return 0;
}

static inline int room_close(void** state) {
    room* r = *state;
    sti_env_destroy(r->env);
    free(r);
    return 0;
}

// Calls that must succeed as calls; the verdict is left in r->v.
static inline bool lcp_passes(room* r, const sti_lcp* lcp, const sti_lcp_answer* answer) {
    assert_int_equal(sti_verify_lcp(r->env, lcp, answer, 1e-10, &r->v), STI_OK);
    assert_true(r->v.text[0] != '\0');
    if (!r->v.accepted) assert_false(r->v.exact);
    return r->v.accepted;
}

static inline bool mlcp_passes(room* r, const sti_mlcp* mlcp, const sti_lcp_answer* answer) {
    assert_int_equal(sti_verify_mlcp(r->env, mlcp, answer, 1e-10, &r->v), STI_OK);
    assert_true(r->v.text[0] != '\0');
    if (!r->v.accepted) assert_false(r->v.exact);
    return r->v.accepted;
}

static inline void assert_says(const room* r, const char* words) {
    if (strstr(r->v.text, words) == NULL) fprintf(stderr, "'%s' does not say '%s'\n", r->v.text, words);
    assert_non_null(strstr(r->v.text, words));
}

static inline sti_rationals* fractions(sti_env* env, size_t count, const char* const* text) {
    sti_rationals* r;
    assert_int_equal(sti_rationals_create(env, count, &r), STI_OK);
    for (size_t i = 0; i < count; i++) assert_int_equal(sti_rationals_set_text(r, i, text[i]), STI_OK);
    return r;
}

static inline sti_lcp_answer solved(int free_count, double* u, int n, double* z) {
    return (sti_lcp_answer){.outcome = STI_SOLVED, .free_count = free_count, .n = n, .u = u, .z = z};
}

static inline sti_lcp_answer no_solution(int free_count, int n, int leaves, signed char* fixed, double* y) {
    return (sti_lcp_answer){.outcome = STI_NO_SOLUTION,
                            .free_count = free_count,
                            .n = n,
                            .certificate = {.proof = leaves == 1 ? STI_PROOF_FARKAS : STI_PROOF_BRANCH,
                                            .free_count = free_count,
                                            .pair_count = n,
                                            .leaf_count = leaves,
                                            .fixed = fixed,
                                            .y = y,
                                            .exact = true,
                                            .bound = INFINITY}};
}

#define ROOM_TEST(name) cmocka_unit_test_setup_teardown(name, room_open, room_close)

#endif
