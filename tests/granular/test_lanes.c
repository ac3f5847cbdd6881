// test_lanes.c: the loops over contacts give the same bits in every build, and momentum zero is no momentum.
#include "support/failing_env.h"
// clang-format off
#include <math.h>
#include <string.h>
#include "granular/bed.h"
// clang-format on

#pragma weak sti_sweep_coulomb_avx2
#pragma weak sti_sweep_cone_avx2
#pragma weak sti_glide_coulomb_avx2
#pragma weak sti_glide_cone_avx2
#pragma weak sti_push_all_avx2
#pragma weak sti_slip_all_avx2
#pragma weak sti_map_all_avx2

enum { GRAINS = 12, TOUCHES = 43 };

typedef struct heap {
    _Alignas(64) sti_grain grain[GRAINS + 1];  // the last one is a wall
    _Alignas(64) sti_touch touch[TOUCHES];
    _Alignas(64) sti_trail trail[TOUCHES];
} heap;

static double draw(uint64_t* seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static void fill(heap* h, uint64_t seed) {
    memset(h, 0, sizeof *h);
    for (int k = 0; k <= GRAINS; k++) {
        h->grain[k].mu = 0.3;
        if (k == GRAINS) continue;
        h->grain[k].im = 1 + draw(&seed);
        for (int i = 0; i < 3; i++) {
            h->grain[k].v[i] = draw(&seed);
            h->grain[k].W[i] = draw(&seed);
        }
    }
    for (int k = 0; k < TOUCHES; k++) {
        sti_touch* t = &h->touch[k];
        double size2 = 0;
        for (int i = 0; i < 3; i++) {
            t->n[i] = draw(&seed);
            size2 += t->n[i] * t->n[i];
        }
        const double push = k % 3 == 0 ? 0 : 0.5 + draw(&seed);
        for (int i = 0; i < 3; i++) {
            t->n[i] /= sqrt(size2);
            t->r[i] = push * t->n[i];
            h->trail[k].r[i] = k % 2 == 0 ? t->r[i] : 0.5 * t->r[i];
        }
        t->off = 0.1 * draw(&seed);
        t->a = k % GRAINS;
        t->b = (k * 5 + 3) % (GRAINS + 1);
        if (t->b == t->a) t->b = GRAINS;
    }
}

static void both_builds_of_the_loops_give_the_same_bits(void** state) {
    (void)state;
    if (sti_sweep_coulomb_avx2 == NULL || !__builtin_cpu_supports("avx2")) skip();
    heap p, q;
    double u[TOUCHES][3], w[TOUCHES][3], map[2], other[2];
    for (uint64_t seed = 1; seed < 20; seed++) {
        fill(&p, seed);
        fill(&q, seed);
        for (int round = 0; round < 5; round++) {
            sti_sweep_coulomb_plain(p.grain, p.touch, TOUCHES);
            sti_sweep_coulomb_avx2(q.grain, q.touch, TOUCHES);
            sti_glide_coulomb_plain(p.grain, p.touch, p.trail, 0.7, TOUCHES);
            sti_glide_coulomb_avx2(q.grain, q.touch, q.trail, 0.7, TOUCHES);
            sti_sweep_cone_plain(p.grain, p.touch, TOUCHES);
            sti_sweep_cone_avx2(q.grain, q.touch, TOUCHES);
            sti_glide_cone_plain(p.grain, p.touch, p.trail, 0.7, TOUCHES);
            sti_glide_cone_avx2(q.grain, q.touch, q.trail, 0.7, TOUCHES);
            sti_push_all_plain(p.grain, p.touch, TOUCHES);
            sti_push_all_avx2(q.grain, q.touch, TOUCHES);
            sti_slip_all_plain(p.grain, p.touch, TOUCHES, u[0]);
            sti_slip_all_avx2(q.grain, q.touch, TOUCHES, w[0]);
            sti_map_all_plain(p.grain, p.touch, TOUCHES, round % 2 == 0, map);
            sti_map_all_avx2(q.grain, q.touch, TOUCHES, round % 2 == 0, other);
            for (int k = 0; k < GRAINS; k++) {
                assert_memory_equal(p.grain[k].v, q.grain[k].v, 3 * sizeof(double));
                assert_memory_equal(p.grain[k].W, q.grain[k].W, 3 * sizeof(double));
            }
            for (int k = 0; k < TOUCHES; k++) assert_memory_equal(p.touch[k].r, q.touch[k].r, 3 * sizeof(double));
            assert_memory_equal(u, w, sizeof u);
            assert_memory_equal(map, other, sizeof map);
        }
    }
}

static void a_sweep_with_no_momentum_is_a_plain_one(void** state) {
    (void)state;
    heap p, q;
    fill(&p, 3);
    fill(&q, 3);
    for (int round = 0; round < 5; round++) {
        sti_sweep_coulomb_plain(p.grain, p.touch, TOUCHES);
        sti_glide_coulomb_plain(q.grain, q.touch, q.trail, 0, TOUCHES);
        sti_sweep_cone_plain(p.grain, p.touch, TOUCHES);
        sti_glide_cone_plain(q.grain, q.touch, q.trail, 0, TOUCHES);
        for (int k = 0; k < TOUCHES; k++) {
            for (int i = 0; i < 3; i++) assert_true(p.touch[k].r[i] == q.touch[k].r[i]);
        }
        for (int k = 0; k < GRAINS; k++) {
            for (int i = 0; i < 3; i++) assert_true(p.grain[k].v[i] == q.grain[k].v[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_builds_of_the_loops_give_the_same_bits),
        cmocka_unit_test(a_sweep_with_no_momentum_is_a_plain_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
