// test_broadphase.c: overlapping boxes against all pairs, and what must not matter.
#include "shape_tools.h"

static sti_aabb random_box(sti_rng* rng, double reach, double size) {
    sti_aabb b;
    for (int k = 0; k < 3; k++) {
        b.lower[k] = between(rng, -reach, reach);
        b.upper[k] = b.lower[k] + between(rng, 0, size);
    }
    return b;
}

static bool overlap(const sti_aabb* a, const sti_aabb* b) {
    bool all = true;
    for (int k = 0; k < 3; k++) all = all && a->lower[k] <= b->upper[k] && b->lower[k] <= a->upper[k];
    return all;
}

static void check_pairs(int count, const sti_aabb* boxes, const bool* still, int pair_count,
                        const sti_box_pair* pairs) {
    int next = 0;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            if (!overlap(boxes + i, boxes + j) || (still != NULL && still[i] && still[j])) continue;
            assert_true(next < pair_count);
            assert_int_equal(pairs[next].a, i);
            assert_int_equal(pairs[next].b, j);
            next++;
        }
    }
    assert_int_equal(next, pair_count);
}

static void pairs_are_those_of_all_against_all_while_boxes_move_come_and_go(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_broadphase* broad;
    assert_int_equal(sti_broadphase_create(env, &broad), STI_OK);
    sti_rng rng = {.state = 31};
    enum { MOST = 300 };
    sti_aabb boxes[MOST];
    bool still[MOST];
    int count = 0;
    long found = 0;
    for (int step = 0; step < 120; step++) {
        if (step % 20 == 0) {
            count = step == 60 ? 0 : sti_rng_int(&rng, 1, MOST);
            for (int i = 0; i < count; i++) {
                boxes[i] = random_box(&rng, 10, 3);
                still[i] = sti_rng_int(&rng, 0, 2) == 0;
                if (i % 50 == 7) boxes[i].lower[2] = boxes[i].lower[0] = -INFINITY;
                if (i % 50 == 8) boxes[i].upper[1] = INFINITY;
            }
        }
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < 3; k++) {
                const double d = between(&rng, -0.5, 0.5);
                boxes[i].lower[k] += d;
                boxes[i].upper[k] += d;
            }
        }
        const sti_box_pair* pairs;
        int pair_count;
        const bool* mask = step % 2 == 0 ? NULL : still;
        assert_int_equal(sti_broadphase_update(broad, count, boxes, mask, &pairs, &pair_count), STI_OK);
        check_pairs(count, boxes, mask, pair_count, pairs);
        found += pair_count;
    }
    assert_true(found > 1000);
    sti_broadphase_destroy(broad);
    sti_env_destroy(env);
}

static void planar_boxes_alike_boxes_and_points_are_ordinary(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_broadphase* broad;
    assert_int_equal(sti_broadphase_create(env, &broad), STI_OK);
    sti_rng rng = {.state = 32};
    sti_aabb boxes[100];
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < 100; i++) {
            boxes[i] = kind == 0 ? random_box(&rng, 5, 2) : random_box(&rng, 0, 0);
            boxes[i].lower[2] = boxes[i].upper[2] = 0;
            if (kind == 2) boxes[i].lower[0] = boxes[i].upper[0] = i / 2;
        }
        const sti_box_pair* pairs;
        int pair_count;
        assert_int_equal(sti_broadphase_update(broad, 100, boxes, NULL, &pairs, &pair_count), STI_OK);
        check_pairs(100, boxes, NULL, pair_count, pairs);
    }
    sti_broadphase_destroy(broad);
    sti_env_destroy(env);
}

static void boxes_that_are_no_boxes_are_refused_by_number(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_broadphase* broad;
    assert_int_equal(sti_broadphase_create(env, &broad), STI_OK);
    sti_aabb boxes[3] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
    const sti_box_pair* pairs;
    int count;
    assert_int_equal(sti_broadphase_update(broad, 3, boxes, NULL, &pairs, &count), STI_OK);
    assert_int_equal(count, 3);
    boxes[1].upper[2] = NAN;
    assert_int_equal(sti_broadphase_update(broad, 3, boxes, NULL, &pairs, &count), STI_ERR_INPUT);
    assert_int_equal(sti_env_error(env)->index, 1);
    assert_int_equal(count, 0);
    boxes[1].upper[2] = -1;
    assert_int_equal(sti_broadphase_update(broad, 3, boxes, NULL, &pairs, &count), STI_ERR_INPUT);
    boxes[1].upper[2] = 1;
    assert_int_equal(sti_broadphase_update(broad, 3, boxes, NULL, &pairs, &count), STI_OK);
    assert_int_equal(count, 3);
    sti_broadphase_destroy(broad);
    sti_env_destroy(env);
}

static void every_failing_allocation_is_survived_and_the_next_call_works(void** state) {
    (void)state;
    sti_rng rng = {.state = 33};
    sti_aabb boxes[60];
    for (int i = 0; i < 60; i++) boxes[i] = random_box(&rng, 2, 2);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_broadphase* broad;
        sti_status status = sti_broadphase_create(f.env, &broad);
        if (status == STI_OK) {
            for (int count = 10; count <= 60; count += 25) {
                const sti_box_pair* pairs;
                int pair_count;
                status = sti_broadphase_update(broad, count, boxes, NULL, &pairs, &pair_count);
                if (status == STI_OK) {
                    check_pairs(count, boxes, NULL, pair_count, pairs);
                } else {
                    assert_int_equal(status, STI_ERR_MEMORY);
                    assert_int_equal(pair_count, 0);
                    assert_int_equal(sti_broadphase_update(broad, count, boxes, NULL, &pairs, &pair_count), STI_OK);
                    check_pairs(count, boxes, NULL, pair_count, pairs);
                }
            }
        } else {
            assert_int_equal(status, STI_ERR_MEMORY);
            assert_null(broad);
        }
        sti_broadphase_destroy(broad);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_all_against_all_while_boxes_move_come_and_go),
        cmocka_unit_test(planar_boxes_alike_boxes_and_points_are_ordinary),
        cmocka_unit_test(boxes_that_are_no_boxes_are_refused_by_number),
        cmocka_unit_test(every_failing_allocation_is_survived_and_the_next_call_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
