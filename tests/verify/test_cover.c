// test_cover.c: do leaves cover every case? Against plain enumeration, on true trees of any shape, and on sets that
// are no trees.
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "verify/check.h"

// Leaves of a random tree over m pairs, each split with probability `percent`; returns how many.
typedef struct tree {
    signed char* fixed;
    int m, count, room;
    sti_rng* rng;
} tree;

static void grow(tree* t, signed char* path, int depth, int percent) {
    if (depth < t->m && t->count + depth + 2 <= t->room && sti_rng_int(t->rng, 1, 100) <= percent) {
        int pair = sti_rng_int(t->rng, 0, t->m - 1);
        while (path[pair] != 0) pair = (pair + 1) % t->m;
        for (int side = -1; side <= 1; side += 2) {
            path[pair] = (signed char)side;
            grow(t, path, depth + 1, percent);
        }
        path[pair] = 0;
        return;
    }
    assert_true(t->count < t->room);
    memcpy(t->fixed + (size_t)t->count++ * (size_t)t->m, path, (size_t)t->m);
}

static bool leaf_has(const signed char* leaf, int m, unsigned long s) {
    for (int i = 0; i < m; i++) {
        if (leaf[i] != 0 && (leaf[i] > 0) != ((s >> i & 1) != 0)) return false;
    }
    return true;
}

static bool covered_by_enumeration(const signed char* fixed, int leaves, int m) {
    for (unsigned long s = 0; s < 1ul << m; s++) {
        bool found = false;
        for (int k = 0; k < leaves && !found; k++) found = leaf_has(fixed + (size_t)k * (size_t)m, m, s);
        if (!found) return false;
    }
    return true;
}

// The case named in the text is left out by every leaf.
static void assert_named_case_is_missing(const char* text, const signed char* fixed, int leaves, int m) {
    signed char named[64] = {0};
    assert_non_null(strstr(text, "no leaf covers"));
    for (const char* p = strstr(text, "case"); (p = strchr(p, '_')) != NULL; p++)
        named[atoi(p + 1)] = p[-1] == 'z' ? 1 : -1;
    for (int k = 0; k < leaves; k++) {
        const signed char* leaf = fixed + (size_t)k * (size_t)m;
        bool disjoint = false;
        for (int i = 0; i < m; i++) disjoint = disjoint || leaf[i] * named[i] < 0;
        assert_true(disjoint);
    }
}

static bool cover(const signed char* fixed, int leaves, int m, char text[400]) {
    sti_env* env;
    bool covered;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    text[0] = '\0';
    assert_int_equal(sti_check_cover(env, fixed, leaves, m, &covered, text, 400), STI_OK);
    sti_env_destroy(env);
    return covered;
}

static void every_tree_covers_and_no_tree_without_a_leaf(void** state) {
    (void)state;
    enum { M = 20, ROOM = 3000 };
    static signed char fixed[ROOM * M];
    sti_rng rng = {31};
    char text[400];
    for (int k = 0; k < 400; k++) {
        signed char path[M] = {0};
        tree t = {fixed, sti_rng_int(&rng, 1, M), 0, sti_rng_int(&rng, 3, ROOM), &rng};
        grow(&t, path, 0, 100 - k % 40);
        const size_t m = (size_t)t.m;
        for (int i = t.count - 1; i > 0; i--) {  // the order of the leaves says nothing
            const int j = sti_rng_int(&rng, 0, i);
            signed char keep[M];
            memcpy(keep, fixed + (size_t)i * m, m);
            memcpy(fixed + (size_t)i * m, fixed + (size_t)j * m, m);
            memcpy(fixed + (size_t)j * m, keep, m);
        }
        assert_true(cover(fixed, t.count, t.m, text));
        if (t.count == 1) continue;
        // one leaf dropped; then one leaf with a sign turned
        assert_false(cover(fixed, t.count - 1, t.m, text));
        assert_named_case_is_missing(text, fixed, t.count - 1, t.m);
        for (int i = 0; i < t.m; i++) {
            if (fixed[i] == 0) continue;
            fixed[i] = (signed char)-fixed[i];
            assert_false(cover(fixed, t.count, t.m, text));
            assert_named_case_is_missing(text, fixed, t.count, t.m);
            break;
        }
    }
}

static void any_set_of_leaves_agrees_with_enumeration(void** state) {
    (void)state;
    enum { M = 8, ROOM = 60 };
    static signed char fixed[ROOM * M];
    sti_rng rng = {32};
    char text[400];
    int yes = 0;
    for (int k = 0; k < 20000; k++) {
        const int m = sti_rng_int(&rng, 1, M), leaves = sti_rng_int(&rng, 1, 4 + k % (ROOM - 4)),
                  open = sti_rng_int(&rng, 1, 9);
        for (int i = 0; i < leaves * m; i++)
            fixed[i] = (signed char)(sti_rng_int(&rng, 0, 9) <= open ? 0 : sti_rng_int(&rng, 0, 1) * 2 - 1);
        const bool expected = covered_by_enumeration(fixed, leaves, m);
        yes += expected;
        assert_int_equal(cover(fixed, leaves, m, text), expected);
        if (!expected) assert_named_case_is_missing(text, fixed, leaves, m);
    }
    assert_true(yes > 1000);
}

static void the_trivial_sets_are_right(void** state) {
    (void)state;
    char text[400];
    const signed char open[3] = {0, 0, 0}, one[1] = {1};
    assert_true(cover(open, 1, 3, text));
    assert_true(cover(NULL, 1, 0, text));
    assert_false(cover(one, 1, 1, text));
    assert_string_equal(text, "no leaf covers the case w_0 = 0");
    assert_false(cover(NULL, 0, 0, text));
    assert_string_equal(text, "there are no leaves");
}

static void all_cases_of_sixteen_pairs_cover(void** state) {
    (void)state;
    enum { M = 16 };
    signed char* fixed = malloc(M << M);
    assert_non_null(fixed);
    for (int s = 0; s < 1 << M; s++) {
        for (int i = 0; i < M; i++) fixed[s * M + i] = (s >> i & 1) != 0 ? 1 : -1;
    }
    char text[400];
    assert_true(cover(fixed, 1 << M, M, text));
    memcpy(fixed + 40000 * M, fixed + 40001 * M, M);
    assert_false(cover(fixed, 1 << M, M, text));
    assert_named_case_is_missing(text, fixed, 1 << M, M);
    free(fixed);
}

// A tree that is one long branch: leaf k fixes pairs 0 .. k.
static void a_long_branch_covers(void** state) {
    (void)state;
    enum { M = 1500 };
    signed char* fixed = calloc((size_t)(M + 1) * M, 1);
    assert_non_null(fixed);
    for (int k = 0; k <= M; k++) {
        for (int i = 0; i < k; i++) fixed[k * M + i] = 1;
        if (k < M) fixed[k * M + k] = -1;
    }
    char text[400];
    assert_true(cover(fixed, M + 1, M, text));
    assert_false(cover(fixed, M, M, text));
    assert_non_null(strstr(text, "z_0 = 0, z_1 = 0"));
    assert_non_null(strstr(text, "..."));
    free(fixed);
}

// Random leaves of three pairs each: no tree, and as hard as it gets. The check ends, and accepts nothing it has not
// seen to the end.
static void overlapping_leaves_that_are_too_hard_are_rejected(void** state) {
    (void)state;
    enum { M = 240, LEAVES = 240 * 9 };
    signed char* fixed = calloc((size_t)LEAVES * M, 1);
    assert_non_null(fixed);
    sti_rng rng = {33};
    for (int k = 0; k < LEAVES; k++) {
        for (int c = 0; c < 3; c++)
            fixed[k * M + sti_rng_int(&rng, 0, M - 1)] = (signed char)(sti_rng_int(&rng, 0, 1) * 2 - 1);
    }
    char text[400];
    assert_false(cover(fixed, LEAVES, M, text));
    assert_non_null(strstr(text, "too hard"));
    free(fixed);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    const signed char fixed[4] = {1, 0, -1, 0};
    long k = 0;
    for (bool done = false; !done; k++) {
        failing_env f;
        failing_env_open(&f, k);
        bool covered;
        char text[400];
        const sti_status status = sti_check_cover(f.env, fixed, 2, 2, &covered, text, sizeof text);
        assert_int_equal(status, f.count <= k ? STI_OK : STI_ERR_MEMORY);
        assert_int_equal(covered, status == STI_OK);
        done = failing_env_close(&f);
    }
    assert_true(k > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tree_covers_and_no_tree_without_a_leaf),
        cmocka_unit_test(any_set_of_leaves_agrees_with_enumeration),
        cmocka_unit_test(the_trivial_sets_are_right),
        cmocka_unit_test(all_cases_of_sixteen_pairs_cover),
        cmocka_unit_test(a_long_branch_covers),
        cmocka_unit_test(overlapping_leaves_that_are_too_hard_are_rejected),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("cover", tests, NULL, NULL);
}
