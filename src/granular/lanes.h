// lanes.h: the innermost loops over contacts, four contacts at a time, one in each lane. Included by one file for each kind
// of processor, which names the functions by STI_LANES(name); all of them give the same bits.
//
//     grain    (v, 1/m), (W, mu)          contact    (n, off), (r, places)
//
// A grain and a contact are two rows of four numbers, so four of them are turned into lanes and back by transposing.
//
// No branch depends on what a contact does. Whether it opens, sticks or slides is decided by masks: in a large bed no
// processor guesses it, and a wrong guess costs as much as the whole update.
//
// Order. The four contacts of a turn are updated at the same time where none of them shares a grain with another, which is
// the same as one after the other. Where two do, they are taken one by one.
#include <math.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "granular/bed.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // static functions only: nobody else sees how lanes are passed

typedef double lanes __attribute__((vector_size(32)));
typedef int64_t mask __attribute__((vector_size(32)));
typedef int32_t places __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

// One vector of space in each lane.
typedef struct space {
    lanes x, y, z;
} space;

INLINE lanes every(double x) {
    return (lanes){x, x, x, x};
}

INLINE lanes where(mask m, lanes x, lanes y) {
    return (lanes)((m & (mask)x) | (~m & (mask)y));
}

INLINE lanes root(lanes x) {
#if defined(__AVX__)
    return (lanes)_mm256_sqrt_pd((__m256d)x);
#else
    return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#endif
}

INLINE lanes dot(space a, space b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

INLINE space plus(space a, space b) {
    return (space){a.x + b.x, a.y + b.y, a.z + b.z};
}

INLINE space minus(space a, space b) {
    return (space){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE space times(lanes k, space a) {
    return (space){k * a.x, k * a.y, k * a.z};
}

INLINE space cross(space a, space b) {
    return (space){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Rows of four objects, one number of each in a lane; turning twice changes nothing.
typedef struct square {
    lanes p, q, r, s;
} square;

INLINE square turn(square x) {
    const lanes a = __builtin_shufflevector(x.p, x.q, 0, 4, 2, 6), b = __builtin_shufflevector(x.p, x.q, 1, 5, 3, 7);
    const lanes c = __builtin_shufflevector(x.r, x.s, 0, 4, 2, 6), d = __builtin_shufflevector(x.r, x.s, 1, 5, 3, 7);
    return (square){__builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(b, d, 0, 1, 4, 5),
                    __builtin_shufflevector(a, c, 2, 3, 6, 7), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
}

// Four objects of one cache line or half a one.
typedef struct lines {
    lanes *p, *q, *r, *s;
} lines;

INLINE square load(lines from, int half) {
    return turn((square){from.p[half], from.q[half], from.r[half], from.s[half]});
}

INLINE void save(lines to, int half, space x, lanes fourth) {
    const square rows = turn((square){x.x, x.y, x.z, fourth});
    to.p[half] = rows.p;
    to.q[half] = rows.q;
    to.r[half] = rows.r;
    to.s[half] = rows.s;
}

INLINE space space_of(square s) {
    return (space){s.p, s.q, s.r};
}

// Four contacts with their grains.
typedef struct meeting {
    lines a, b;
    space va, wa, vb, wb, n, r, u;
    lanes off, ima, mua, imb, mu, places;  // mu is that of b
} meeting;

INLINE lanes* line(const void* object) {
    return (lanes*)object;
}

INLINE meeting meet(const sti_grain* grain, const sti_touch* p, const sti_touch* q, const sti_touch* r,
                    const sti_touch* s) {
    const lines t = {line(p), line(q), line(r), line(s)};
    const lines a = {line(grain + p->a), line(grain + q->a), line(grain + r->a), line(grain + s->a)};
    const lines b = {line(grain + p->b), line(grain + q->b), line(grain + r->b), line(grain + s->b)};
    const square n = load(t, 0), i = load(t, 1), va = load(a, 0), wa = load(a, 1), vb = load(b, 0), wb = load(b, 1);
    meeting m = {.a = a, .b = b, .off = n.s, .places = i.s, .ima = va.s, .mua = wa.s, .imb = vb.s, .mu = wb.s};
    m.n = space_of(n);
    m.r = space_of(i);
    m.va = space_of(va);
    m.wa = space_of(wa);
    m.vb = space_of(vb);
    m.wb = space_of(wb);
    m.u = minus(minus(m.va, m.vb), cross(plus(m.wa, m.wb), m.n));
    return m;
}

// Does a grain that moves stand twice among the eight? A wall may: nothing moves it.
INLINE bool shared(const meeting* m) {
    const mask wall = (m->imb == every(0)) & ((mask){-1, -1, -1, -1} << 32);  // the half with b
    const mask nobody = (mask){-1, -2, -3, -4} << 32;
    const places p = (places)(((mask)m->places & ~wall) | (nobody & wall));
    const mask same = (mask)(p == __builtin_shufflevector(p, p, 1, 2, 3, 4, 5, 6, 7, 0)) |
                      (mask)(p == __builtin_shufflevector(p, p, 2, 3, 4, 5, 6, 7, 0, 1)) |
                      (mask)(p == __builtin_shufflevector(p, p, 3, 4, 5, 6, 7, 0, 1, 2)) |
                      (mask)(p == __builtin_shufflevector(p, p, 4, 5, 6, 7, 0, 1, 2, 3));
    return (same[0] | same[1] | same[2] | same[3]) != 0;
}

INLINE void save_if(lanes* to, double im, lanes v, lanes w) {
    if (im == 0) return;
    to[0] = v;
    to[1] = w;
}

// The impulses d act on both. Walls are left alone: slabs share them.
INLINE void push(const meeting* m, space d) {
    const space spin = times(every(2.5), cross(m->n, d));
    save(m->a, 0, plus(m->va, times(m->ima, d)), m->ima);
    save(m->a, 1, minus(m->wa, times(m->ima, spin)), m->mua);
    const space vb = minus(m->vb, times(m->imb, d)), wb = minus(m->wb, times(m->imb, spin));
    const square v = turn((square){vb.x, vb.y, vb.z, m->imb}), w = turn((square){wb.x, wb.y, wb.z, m->mu});
    save_if(m->b.p, m->imb[0], v.p, w.p);
    save_if(m->b.q, m->imb[1], v.q, w.q);
    save_if(m->b.r, m->imb[2], v.r, w.r);
    save_if(m->b.s, m->imb[3], v.s, w.s);
}

// The impulse r of Coulomb's law at one contact, the other impulses held; the slip is that with y acting. The normal part
// does not depend on the tangential one, as the block is diagonal.
INLINE space solve_coulomb(const meeting* m, space y) {
    const lanes un = dot(m->u, m->n), yn = dot(y, m->n), k = 1 / (m->ima + m->imb), kt = k * (2.0 / 7.0);
    const lanes next = yn - k * (un + m->off), pn = where(next > every(0), next, every(0));
    const space rt = minus(minus(y, times(kt, m->u)), times(yn - kt * un, m->n));
    const lanes part = m->mu * pn / root(dot(rt, rt));  // not a number where both are zero
    return plus(times(pn, m->n), times(where(part < every(1), part, every(1)), rt));
}

// The convex law: the minimum of the block's quadratic over the cone, inside it, on the ray n + mu d, or zero.
INLINE space solve_cone(const meeting* m, space y) {
    const lanes un = dot(m->u, m->n), yn = dot(y, m->n), k = 1 / (m->ima + m->imb), kt = k * (2.0 / 7.0), mu = m->mu;
    const lanes pn = yn - k * (un + m->off);  // the free minimum
    const space rt = minus(minus(y, times(kt, m->u)), times(yn - kt * un, m->n));
    const lanes size = root(dot(rt, rt)), ray = (pn + 3.5 * mu * size) / (1 + 3.5 * mu * mu);
    const lanes edge = where(ray > every(0), ray, every(0));
    const mask inside = (size <= mu * pn) & (pn >= every(0));
    return plus(times(where(inside, pn, edge), m->n),
                times(where(inside | (size == every(0)), every(1), mu * edge / size), rt));
}

typedef space law(const meeting* m, space y);

// One sweep. The lanes are four quarters of the list that advance together: neighbours in it share a grain.
//
// beta and trail: with momentum, the velocities are those of y = r + beta (r - last). trail NULL: without.
INLINE bool update(sti_grain* grain, sti_touch* t, sti_trail* trail, double beta, const int k[4], law* solve) {
    const meeting m = meet(grain, t + k[0], t + k[1], t + k[2], t + k[3]);
    if (shared(&m)) return false;
    const lines to = {line(t + k[0]), line(t + k[1]), line(t + k[2]), line(t + k[3])};
    space y = m.r;
    if (trail != NULL) {
        const lines past = {line(trail + k[0]), line(trail + k[1]), line(trail + k[2]), line(trail + k[3])};
        y = plus(y, times(every(beta), minus(y, space_of(load(past, 0)))));
        save(past, 0, m.r, every(0));
    }
    const space r = solve(&m, y);
    save(to, 1, r, m.places);
    push(&m, minus(r, y));
    return true;
}

// The same for one contact: in the first lane, and idle ones beside it.
INLINE void update_one(sti_grain* grain, sti_touch* t, sti_trail* trail, double beta, law* solve) {
    const meeting m = meet(grain, t, t, t, t);
    space y = m.r;
    if (trail != NULL) {
        const lanes last = *line(trail);
        y = plus(y, times(every(beta), minus(y, (space){every(last[0]), every(last[1]), every(last[2])})));
        *line(trail) = (lanes){m.r.x[0], m.r.y[0], m.r.z[0], 0};
    }
    const space r = solve(&m, y), d = minus(r, y), spin = times(every(2.5), cross(m.n, d));
    t->r[0] = r.x[0];
    t->r[1] = r.y[0];
    t->r[2] = r.z[0];
    const space va = plus(m.va, times(m.ima, d)), wa = minus(m.wa, times(m.ima, spin));
    const space vb = minus(m.vb, times(m.imb, d)), wb = minus(m.wb, times(m.imb, spin));
    m.a.p[0] = turn((square){va.x, va.y, va.z, m.ima}).p;
    m.a.p[1] = turn((square){wa.x, wa.y, wa.z, m.mua}).p;
    save_if(m.b.p, m.imb[0], turn((square){vb.x, vb.y, vb.z, m.imb}).p, turn((square){wb.x, wb.y, wb.z, m.mu}).p);
}

// A large slab does not stay in the near caches, and no processor foresees the place of b. Contacts follow each other, but a
// loop that does little with each of them outruns what the processor fetches on its own.
enum { LARGE = 4096, AHEAD = 6, FAR_AHEAD = 64 };

INLINE void fetch(const sti_grain* grain, const sti_touch* t) {
    __builtin_prefetch(grain + t->b, 1);
}

INLINE void fetch_far(const sti_grain* grain, const sti_touch* t) {
    fetch(grain, t + 4 * AHEAD);
    __builtin_prefetch(t + FAR_AHEAD);
}

INLINE void sweep(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count, law* solve) {
    const int quarter = count / 4, fetched = count < LARGE ? 0 : quarter - AHEAD;
    for (int i = 0; i < quarter; i++) {
        const int k[4] = {i, quarter + i, 2 * quarter + i, 3 * quarter + i};
        if (i < fetched) {
            for (int q = 0; q < 4; q++) fetch(grain, touch + k[q] + AHEAD);
        }
        if (update(grain, touch, trail, beta, k, solve)) continue;
        for (int q = 0; q < 4; q++) update_one(grain, touch + k[q], trail == NULL ? NULL : trail + k[q], beta, solve);
    }
    for (int k = 4 * quarter; k < count; k++)
        update_one(grain, touch + k, trail == NULL ? NULL : trail + k, beta, solve);
}

void STI_LANES(sti_sweep_coulomb)(sti_grain* grain, sti_touch* touch, int count) {
    sweep(grain, touch, NULL, 0, count, solve_coulomb);
}

void STI_LANES(sti_sweep_cone)(sti_grain* grain, sti_touch* touch, int count) {
    sweep(grain, touch, NULL, 0, count, solve_cone);
}

void STI_LANES(sti_glide_coulomb)(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count) {
    sweep(grain, touch, trail, beta, count, solve_coulomb);
}

void STI_LANES(sti_glide_cone)(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count) {
    sweep(grain, touch, trail, beta, count, solve_cone);
}

INLINE lanes twist(lanes a, lanes b) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3) * __builtin_shufflevector(b, b, 2, 0, 1, 3) -
           __builtin_shufflevector(a, a, 2, 0, 1, 3) * __builtin_shufflevector(b, b, 1, 2, 0, 3);
}

// One contact at a time, x, y and z in the lanes. The fourth one is masked in n and r, and then adds nothing to a grain's.
void STI_LANES(sti_push_all)(sti_grain* grain, const sti_touch* touch, int count) {
    const mask xyz = {-1, -1, -1, 0};
    const int fetched = count < LARGE ? 0 : count - 4 * AHEAD;
    for (int k = 0; k < count; k++) {
        if (k < fetched) fetch_far(grain, touch + k);
        const lanes *t = line(touch + k), n = (lanes)(xyz & (mask)t[0]), r = (lanes)(xyz & (mask)t[1]);
        const lanes spin = 2.5 * twist(n, r);
        lanes *a = line(grain + touch[k].a), *b = line(grain + touch[k].b);
        const double ima = a[0][3], imb = b[0][3];
        a[0] += ima * r;
        a[1] -= ima * spin;
        if (imb == 0) continue;
        b[0] -= imb * r;
        b[1] -= imb * spin;
    }
}

// u (count x 3): the slips that the velocities in `grain` make.
void STI_LANES(sti_slip_all)(const sti_grain* grain, const sti_touch* touch, int count, double* u) {
    for (int k = 0; k < count; k++) sti_slip(&grain[touch[k].a], &grain[touch[k].b], touch[k].n, u + 3 * (size_t)k);
}

// Contacts as they begin a step. Before: n the way from b to a, off the sum of the radii, r the impulse to start from; where
// b >= walls, n and off as they shall be. After: as in bed.h, r on the cone of the new normal, for a start has to be
// admissible. Grains all have one friction, so their lines are not fetched for it.
void STI_LANES(sti_form_all)(const sti_grain* grain, sti_touch* touch, int count, int walls, double h, double recover) {
    const double among_grains = grain[0].mu;
    for (int k = 0; k < count; k += 4) {
        const int left = count - 1 - k;  // lanes beyond the last contact repeat it
        sti_touch *p = touch + k, *q = p + (left < 1 ? left : 1), *s = p + (left < 2 ? left : 2),
                  *t = p + (left < 3 ? left : 3);
        const lines to = {line(p), line(q), line(s), line(t)};
        const lanes mu = {p->b < walls ? among_grains : grain[p->b].mu, q->b < walls ? among_grains : grain[q->b].mu,
                          s->b < walls ? among_grains : grain[s->b].mu, t->b < walls ? among_grains : grain[t->b].mu};
        const square way = load(to, 0), last = load(to, 1);
        const mask kept = (mask)last.s >> 32 >= (mask){walls, walls, walls, walls};
        const lanes length = root(dot(space_of(way), space_of(way)));
        const mask apart = length > every(0);  // centres that coincide are pushed apart along z
        const space n = {where(kept, way.p, where(apart, way.p / length, every(0))),
                         where(kept, way.q, where(apart, way.q / length, every(0))),
                         where(kept, way.r, where(apart, way.r / length, every(1)))};
        const lanes gap = length - way.s, off = where(gap > every(0), gap, recover * gap) / h;
        save(to, 0, n, where(kept, way.s, off));
        const lanes rn = dot(space_of(last), n), bound = where(rn > every(0), mu * rn, every(0));
        const space rt = minus(space_of(last), times(rn, n));
        const lanes size2 = dot(rt, rt), keep = where(size2 > bound * bound, bound / root(size2), every(1));
        const space r = plus(times(rn, n), times(keep, rt));
        const mask pushed = rn > every(0);
        save(to, 1, (space){where(pushed, r.x, every(0)), where(pushed, r.y, every(0)), where(pushed, r.z, every(0))},
             last.s);
    }
}

// |r - P_K(r - rho (u + off n + [mu |u_t| n]))|^2 and |r|^2, rho = 1 / the largest diagonal entry of the block. Lanes beyond
// the last contact repeat it and are masked.
void STI_LANES(sti_map_all)(const sti_grain* grain, const sti_touch* touch, int count, bool coulomb, double out[2]) {
    lanes map = every(0), size = every(0);
    const int fetched = count < LARGE ? 0 : count - 4 * AHEAD - 4;
    const mask follow = coulomb ? (mask){-1, -1, -1, -1} : (mask){0, 0, 0, 0};
    for (int k = 0; k < count; k += 4) {
        if (k < fetched) {
            for (int q = 0; q < 4; q++) fetch_far(grain, touch + k + q);
        }
        const int left = count - 1 - k;  // contacts behind this one
        const sti_touch* t = touch + k;
        const meeting m =
            meet(grain, t, t + (left < 1 ? left : 1), t + (left < 2 ? left : 2), t + (left < 3 ? left : 3));
        const lanes rho = (2.0 / 7.0) / (m.ima + m.imb), un = dot(m.u, m.n), rn = dot(m.r, m.n), mu = m.mu;
        const space ut = minus(m.u, times(un, m.n)), yt = minus(minus(m.r, times(rn, m.n)), times(rho, ut));
        const lanes lift = (lanes)(follow & (mask)(mu * root(dot(ut, ut)))), yn = rn - rho * (un + m.off + lift);
        const lanes length = root(dot(yt, yt)), ray = (yn + mu * length) / (1 + mu * mu);
        const lanes edge = where(ray > every(0), ray, every(0));
        const mask inside = (length <= mu * yn) & (yn >= every(0)),
                   counts = (mask){k, k + 1, k + 2, k + 3} < (mask){count, count, count, count};
        const lanes pn = where(inside, yn, edge);
        const lanes keep = where(inside | (length == every(0)), every(1), mu * edge / length);
        const space e = minus(minus(m.r, times(pn, m.n)), times(keep, yt));
        map += (lanes)(counts & (mask)dot(e, e));
        size += (lanes)(counts & (mask)dot(m.r, m.r));
    }
    out[0] = (map[0] + map[1]) + (map[2] + map[3]);
    out[1] = (size[0] + size[1]) + (size[2] + size[3]);
}
