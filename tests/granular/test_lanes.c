// test_lanes.c: the loops over contacts give the same bits in every build, four or eight contacts at once are the same
// as one after the other, and momentum zero is no momentum.
#include <math.h>
#include <string.h>

#include "granular/bed.h"
#include "support/failing_env.h"

#pragma weak sti_sweep_coulomb_avx2
#pragma weak sti_sweep_cone_avx2
#pragma weak sti_glide_coulomb_avx2
#pragma weak sti_glide_cone_avx2
#pragma weak sti_push_all_avx2
#pragma weak sti_slip_all_avx2
#pragma weak sti_form_all_avx2
#pragma weak sti_map_all_avx2
#pragma weak sti_sweep_coulomb_avx512
#pragma weak sti_sweep_cone_avx512
#pragma weak sti_push_all_avx512
#pragma weak sti_slip_all_avx512
#pragma weak sti_form_all_avx512
#pragma weak sti_map_all_avx512

enum { PLAIN, AVX2, AVX512, BUILDS };
static const sti_loops builds[BUILDS] = {STI_LOOPS(plain, plain), STI_LOOPS(avx2, avx2), STI_LOOPS(avx512, avx2)};

static bool is_here(int k) {
    if (builds[k].map == NULL) return false;
#if defined(__x86_64__)
    if (k == AVX2) return __builtin_cpu_supports("avx2");
    if (k == AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512cd");
#endif
    return true;
}

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

static void check_same(const heap* p, const heap* q) {
    for (int k = 0; k < GRAINS; k++) {
        assert_memory_equal(p->grain[k].v, q->grain[k].v, 3 * sizeof(double));
        assert_memory_equal(p->grain[k].W, q->grain[k].W, 3 * sizeof(double));
    }
    for (int k = 0; k < TOUCHES; k++) assert_memory_equal(p->touch[k].r, q->touch[k].r, 3 * sizeof(double));
}

static void run_all(const sti_loops* b, heap* h, bool coulomb, double u[TOUCHES][3], double map[2]) {
    b->sweep_coulomb(h->grain, h->touch, TOUCHES);
    b->glide_coulomb(h->grain, h->touch, h->trail, 0.7, TOUCHES);
    b->sweep_cone(h->grain, h->touch, TOUCHES);
    b->glide_cone(h->grain, h->touch, h->trail, 0.7, TOUCHES);
    b->push(h->grain, h->touch, TOUCHES);
    b->slip(h->grain, h->touch, TOUCHES, u[0]);
    b->map(h->grain, h->touch, TOUCHES, coulomb, map);
}

static void all_builds_of_the_loops_give_the_same_bits(void** state) {
    (void)state;
    heap p, q;
    double u[TOUCHES][3], w[TOUCHES][3], map[2], other[2];
    for (int k = PLAIN + 1; k < BUILDS; k++) {
        for (uint64_t seed = 1; seed < 20 && is_here(k); seed++) {
            fill(&p, seed);
            fill(&q, seed);
            for (int round = 0; round < 5; round++) {
                run_all(&builds[PLAIN], &p, round % 2 == 0, u, map);
                run_all(&builds[k], &q, round % 2 == 0, w, other);
                check_same(&p, &q);
                assert_memory_equal(u, w, sizeof u);
                assert_memory_equal(map, other, sizeof map);
            }
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

// ---- against one contact after the other, as the laws are written in docs/granular.md

// A slab large enough to be fetched ahead, most of its contacts between neighbours.
enum { RING = 3000, RING_TOUCHES = 5003 };

typedef struct ring {
    _Alignas(64) sti_grain grain[RING + 1];
    _Alignas(64) sti_touch touch[RING_TOUCHES];
    _Alignas(64) sti_trail trail[RING_TOUCHES];
} ring;

static void fill_ring(ring* g, uint64_t seed, double mu) {
    memset(g, 0, sizeof *g);
    for (int k = 0; k <= RING; k++) {
        g->grain[k].mu = mu;
        if (k == RING) continue;
        g->grain[k].im = 1 + draw(&seed);
        for (int i = 0; i < 3; i++) {
            g->grain[k].v[i] = draw(&seed);
            g->grain[k].W[i] = draw(&seed);
        }
    }
    for (int k = 0; k < RING_TOUCHES; k++) {
        sti_touch* t = &g->touch[k];
        double n[3] = {draw(&seed), draw(&seed), draw(&seed)};
        const double size = sqrt(dot3(n, n)), push = k % 3 == 0 ? 0 : 0.5 + draw(&seed);
        for (int i = 0; i < 3; i++) {
            t->n[i] = n[i] / size;
            t->r[i] = push * t->n[i];
            g->trail[k].r[i] = 0.5 * t->r[i];
        }
        t->off = 0.1 * draw(&seed);
        t->a = (int32_t)((int64_t)k * (RING - 1) / RING_TOUCHES);
        t->b = t->a + 1 + (int32_t)(20 * (0.5 + draw(&seed)));
        if (k % 500 < 4 && t->a != 7) t->b = 7;  // far from the others: lanes meet there
        if (k % 11 == 0 || t->b > RING) t->b = RING;
    }
}

static void solve_one(const double w, double mu, const double n[3], const double u[3], double off, const double y[3],
                      bool cone, double r[3]) {
    const double yn = dot3(y, n), un = dot3(u, n), kt = 2 / (7 * w);
    double pn = yn - (un + off) / w, rt[3], size2 = 0;
    for (int i = 0; i < 3; i++) {
        rt[i] = y[i] - yn * n[i] - kt * (u[i] - un * n[i]);
        size2 += rt[i] * rt[i];
    }
    const double size = sqrt(size2);
    double keep = 1;
    if (cone && (size > mu * pn || pn < 0)) {
        pn = fmax(0, (pn + 3.5 * mu * size) / (1 + 3.5 * mu * mu));
        keep = size > 0 ? mu * pn / size : 0;
    } else if (!cone) {
        pn = fmax(0, pn);
        keep = size > mu * pn ? mu * pn / size : 1;
    }
    for (int i = 0; i < 3; i++) r[i] = pn * n[i] + keep * rt[i];
}

static void act(sti_grain* g, const double n[3], const double d[3], double sign) {
    const double spin[3] = {n[1] * d[2] - n[2] * d[1], n[2] * d[0] - n[0] * d[2], n[0] * d[1] - n[1] * d[0]};
    for (int i = 0; i < 3; i++) {
        g->v[i] += sign * g->im * d[i];
        g->W[i] -= 2.5 * g->im * spin[i];
    }
}

static void update_one(ring* g, int k, double beta, bool cone) {
    sti_touch* t = &g->touch[k];
    sti_grain *a = &g->grain[t->a], *b = &g->grain[t->b];
    double u[3], y[3], r[3], d[3];
    sti_slip(a, b, t->n, u);
    for (int i = 0; i < 3; i++) {
        y[i] = t->r[i] + fmax(beta, 0) * (t->r[i] - g->trail[k].r[i]);
        if (beta >= 0) g->trail[k].r[i] = t->r[i];
    }
    solve_one(a->im + b->im, b->mu, t->n, u, t->off, y, cone, r);
    for (int i = 0; i < 3; i++) {
        d[i] = r[i] - y[i];
        t->r[i] = r[i];
    }
    act(a, t->n, d, 1);
    act(b, t->n, d, -1);
}

static void sweep_one_by_one(ring* g, double beta, bool cone, int count) {
    const int parts = count < 1024 || beta >= 0 ? 4 : 8, part = count / parts;
    for (int i = 0; i < part; i++) {
        for (int q = 0; q < parts; q++) update_one(g, q * part + i, beta, cone);
    }
    for (int k = parts * part; k < count; k++) update_one(g, k, beta, cone);
}

static void check_close(const ring* p, const ring* q) {
    for (int k = 0; k < RING_TOUCHES; k++) {
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(p->touch[k].r[i] - q->touch[k].r[i]) <= 1e-12);
            assert_true(fabs(p->trail[k].r[i] - q->trail[k].r[i]) <= 1e-12);
        }
        assert_int_equal(p->touch[k].a, q->touch[k].a);
        assert_int_equal(p->touch[k].b, q->touch[k].b);
    }
    for (int k = 0; k <= RING; k++) {
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(p->grain[k].v[i] - q->grain[k].v[i]) <= 1e-12);
            assert_true(fabs(p->grain[k].W[i] - q->grain[k].W[i]) <= 1e-12);
        }
        assert_true(p->grain[k].im == q->grain[k].im && p->grain[k].mu == q->grain[k].mu);
    }
}

// Sweeps with momentum beta; beta < 0: plain.
static void run_sweep(const sti_loops* b, ring* g, double beta, bool cone, int count) {
    if (beta < 0)
        (cone ? b->sweep_cone : b->sweep_coulomb)(g->grain, g->touch, count);
    else
        (cone ? b->glide_cone : b->glide_coulomb)(g->grain, g->touch, g->trail, beta, count);
}

static void contacts_at_once_are_the_same_as_one_after_the_other(void** state) {
    (void)state;
    static ring p, q;
    static const double betas[] = {0.6, 0, -1};
    for (int round = 0; round < 12 * BUILDS; round++) {
        const sti_loops* b = &builds[round / 12];
        const bool cone = round % 2 == 1;
        const double mu = round % 4 < 2 ? 0.3 : 0, beta = betas[round % 12 / 4];
        if (!is_here(round / 12)) continue;
        fill_ring(&p, 11 + (uint64_t)round % 4, mu);
        fill_ring(&q, 11 + (uint64_t)round % 4, mu);
        for (int s = 0; s < 4; s++) {
            const int count = s % 2 == 0 ? RING_TOUCHES : 999;
            run_sweep(b, &p, beta, cone, count);
            sweep_one_by_one(&q, beta, cone, count);
            check_close(&p, &q);
        }
    }
}

// r - P_K(r - rho (u + off n + [mu |u_t| n])) of one contact, squared.
static double map_one(const ring* g, int k, bool coulomb) {
    const sti_touch* t = &g->touch[k];
    const sti_grain *a = &g->grain[t->a], *b = &g->grain[t->b];
    const double rho = 2 / (7 * (a->im + b->im)), mu = b->mu, rn = dot3(t->r, t->n);
    double u[3], ut[3], yt[3], e = 0;
    sti_slip(a, b, t->n, u);
    const double un = dot3(u, t->n);
    for (int i = 0; i < 3; i++) {
        ut[i] = u[i] - un * t->n[i];
        yt[i] = t->r[i] - rn * t->n[i] - rho * ut[i];
    }
    double yn = rn - rho * (un + t->off + (coulomb ? mu * sqrt(dot3(ut, ut)) : 0)), keep = 1;
    const double length = sqrt(dot3(yt, yt));
    if (length > mu * yn || yn < 0) {
        yn = fmax(0, (yn + mu * length) / (1 + mu * mu));
        keep = length > 0 ? mu * yn / length : 0;
    }
    for (int i = 0; i < 3; i++) {
        const double d = t->r[i] - yn * t->n[i] - keep * yt[i];
        e += d * d;
    }
    return e;
}

static void the_natural_map_of_any_number_of_contacts_is_the_sum_of_theirs(void** state) {
    (void)state;
    static ring p;
    for (int round = 0; round < 4; round++) {
        fill_ring(&p, 5, round < 2 ? 0.3 : 0);
        const int counts[] = {0, 1, 3, 4, 5, 7, 8, 9, 12, 13, 63, RING_TOUCHES};
        for (int c = 0; c < 12 * BUILDS; c++) {
            const int count = counts[c % 12];
            double map[2], sum = 0, size = 0;
            if (!is_here(c / 12)) continue;
            builds[c / 12].map(p.grain, p.touch, count, round % 2 == 0, map);
            for (int k = 0; k < count; k++) {
                sum += map_one(&p, k, round % 2 == 0);
                size += dot3(p.touch[k].r, p.touch[k].r);
            }
            assert_true(fabs(map[0] - sum) <= 1e-12 * sum);
            assert_true(fabs(map[1] - size) <= 1e-12 * size);
        }
    }
}

// ---- contacts as a step begins

enum { FORMED = 37, WALLS = 100 };

// Before: the way from b to a, the sum of the radii, the last impulse; some walls among them, and centres that
// coincide.
static void fill_ways(sti_touch* touch, uint64_t seed) {
    for (int k = 0; k < FORMED; k++) {
        touch[k] = (sti_touch){.a = k, .b = k % 7 == 3 ? WALLS + k : k + 1, .off = 0.8 + 0.2 * draw(&seed)};
        for (int i = 0; i < 3; i++) {
            touch[k].n[i] = k % 9 == 5 ? 0 : draw(&seed);
            touch[k].r[i] = k % 5 == 1 ? 0 : draw(&seed);
        }
    }
}

// One contact, as docs/granular.md and touch.c have it.
static sti_touch formed(sti_touch t, double mu, double h, double recover) {
    const double length = sqrt(dot3(t.n, t.n)), gap = length - t.off;
    for (int i = 0; i < 3 && t.b < WALLS; i++) t.n[i] = length > 0 ? t.n[i] / length : i == 2 ? 1 : 0;
    if (t.b < WALLS) t.off = gap > 0 ? gap / h : recover * gap / h;
    const double rn = dot3(t.r, t.n);
    double rt[3];
    for (int i = 0; i < 3; i++) rt[i] = t.r[i] - rn * t.n[i];
    const double size = sqrt(dot3(rt, rt)), keep = size > mu * rn ? mu * rn / size : 1;
    for (int i = 0; i < 3; i++) t.r[i] = rn > 0 ? rn * t.n[i] + keep * rt[i] : 0;
    return t;
}

static void contacts_are_formed_at_once_as_one_by_one(void** state) {
    (void)state;
    _Alignas(64) sti_touch touch[FORMED + 1], before[FORMED], again[FORMED + 1];
    const double h = 0.01, recover = 0.2;
    static sti_grain grain[WALLS + FORMED];
    for (int k = 0; k < WALLS + FORMED; k++) grain[k].mu = k < WALLS ? 0.3 : 0.1 + 0.01 * k;
    for (int count = 0; count <= FORMED; count++) {
        fill_ways(before, 9 + (uint64_t)count);
        memcpy(touch, before, sizeof before);
        sti_form_all_plain(grain, touch, count, WALLS, h, recover);
        for (int k = 0; k < FORMED; k++) {
            const sti_touch one = k < count ? formed(before[k], grain[before[k].b].mu, h, recover) : before[k];
            assert_int_equal(touch[k].a, one.a);
            assert_int_equal(touch[k].b, one.b);
            assert_true(fabs(touch[k].off - one.off) <= 1e-12);
            for (int i = 0; i < 3; i++) {
                assert_true(fabs(touch[k].n[i] - one.n[i]) <= 1e-15);
                assert_true(fabs(touch[k].r[i] - one.r[i]) <= 1e-15);
            }
        }
        for (int b = PLAIN + 1; b < BUILDS; b++) {
            if (!is_here(b)) continue;
            memcpy(again, before, sizeof before);
            builds[b].form(grain, again, count, WALLS, h, recover);
            assert_memory_equal(touch, again, sizeof before);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_builds_of_the_loops_give_the_same_bits),
        cmocka_unit_test(a_sweep_with_no_momentum_is_a_plain_one),
        cmocka_unit_test(contacts_at_once_are_the_same_as_one_after_the_other),
        cmocka_unit_test(the_natural_map_of_any_number_of_contacts_is_the_sum_of_theirs),
        cmocka_unit_test(contacts_are_formed_at_once_as_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
