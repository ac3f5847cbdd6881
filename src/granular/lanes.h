// lanes.h: the innermost loops over contacts, LANES of them at a time, one in each lane. Included by one file for each
// kind of processor, which names the functions by STI_LANES(name) and says by LANES how many lanes there are, 4 or 8;
// all of them give the same bits.
//
//     grain    (v, 1/m), (W, mu)          contact    (n, off), (r, places)
//
// A grain and a contact are two rows of four numbers, so four of them are turned into lanes and back by transposing;
// with eight lanes two fours at once, the second four in the upper half.
//
// No branch depends on what a contact does. Whether it opens, sticks or slides is decided by masks: in a large bed no
// processor guesses it, and a wrong guess costs as much as the whole update.
//
// Order. A sweep goes through eight parts of a list in turns, one contact of each; through four where the list is
// short, or where each contact has a trail, which are more places in memory than a processor follows. Those of a turn
// are updated at the same time where none of them shares a grain with another, which is the same as one after the
// other. Where two do, they are taken one by one.
//
// Eight lanes take nine tenths of the time of four in a sweep and eight tenths in a natural map on AMD's Zen 4, which
// splits each of their operations in two. In a short list eight contacts share a grain too often.
#include <math.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "granular/bed.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // static functions only: nobody else sees how lanes are passed

typedef double row __attribute__((vector_size(32)));
typedef int64_t row_mask __attribute__((vector_size(32)));
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t mask __attribute__((vector_size(8 * LANES)));

#define INLINE static inline __attribute__((always_inline))
#ifdef STI_SANITIZED  // a sanitizer writes checks beside every access of every copy: there is one then
#define UPDATE static __attribute__((noinline))
#else
#define UPDATE INLINE
#endif
#define UNROLL _Pragma("GCC unroll 8")  // loops over lanes: compilers keep arrays of them in memory otherwise

// ---- what depends on their number

#if LANES == 4
typedef int32_t places __attribute__((vector_size(32)));

INLINE lanes every(double x) {
    return (lanes){x, x, x, x};
}

INLINE mask count_from(int64_t k) {
    return (mask){k, k + 1, k + 2, k + 3};
}

INLINE lanes root(lanes x) {
#if defined(__AVX__)
    return (lanes)_mm256_sqrt_pd((__m256d)x);
#else
    return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#endif
}

#define EVENS(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define ODDS(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define LOWS(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define HIGHS(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)

INLINE bool any(mask m) {
#if defined(__AVX__)
    return _mm256_testz_si256((__m256i)m, (__m256i)m) == 0;
#else
    return (m[0] | m[1] | m[2] | m[3]) != 0;
#endif
}

// Is a place there twice?
INLINE bool repeated(mask two) {
    const places p = (places)two;
    return any((mask)(p == __builtin_shufflevector(p, p, 1, 2, 3, 4, 5, 6, 7, 0)) |
               (mask)(p == __builtin_shufflevector(p, p, 2, 3, 4, 5, 6, 7, 0, 1)) |
               (mask)(p == __builtin_shufflevector(p, p, 3, 4, 5, 6, 7, 0, 1, 2)) |
               (mask)(p == __builtin_shufflevector(p, p, 4, 5, 6, 7, 0, 1, 2, 3)));
}
#else
INLINE lanes every(double x) {
    return (lanes){x, x, x, x, x, x, x, x};
}

INLINE mask count_from(int64_t k) {
    return (mask){k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7};
}

INLINE lanes root(lanes x) {
    return (lanes)_mm512_sqrt_pd((__m512d)x);
}

#define EVENS(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define ODDS(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define LOWS(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGHS(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)

INLINE bool any(mask m) {
    return _mm512_movepi64_mask((__m512i)m) != 0;
}

// Is a place there twice?
INLINE bool repeated(mask two) {
    const __m512i same = _mm512_conflict_epi32((__m512i)two);
    return _mm512_test_epi32_mask(same, same) != 0;
}
#endif

// ---- space

// One vector of space in each lane.
typedef struct space {
    lanes x, y, z;
} space;

INLINE lanes where(mask m, lanes x, lanes y) {
    return (lanes)((m & (mask)x) | (~m & (mask)y));
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

// ---- objects to lanes and back

// Rows of four objects, one number of each in a lane; turning twice changes nothing. With eight lanes each is the rows
// of two.
typedef struct square {
    lanes p, q, r, s;
} square;

INLINE square turn(square x) {
    const lanes a = EVENS(x.p, x.q), b = ODDS(x.p, x.q), c = EVENS(x.r, x.s), d = ODDS(x.r, x.s);
    return (square){LOWS(a, c), LOWS(b, d), HIGHS(a, c), HIGHS(b, d)};
}

// Objects of one cache line or half a one.
typedef struct lines {
    row* at[LANES];
} lines;

INLINE row* line(const void* object) {
    return (row*)object;
}

#if LANES == 4
INLINE lanes rows(lines from, int half, int k) {
    return from.at[k][half];
}

INLINE void write_rows(lines to, int half, int k, lanes x) {
    to.at[k][half] = x;
}
#else
INLINE lanes rows(lines from, int half, int k) {
    return __builtin_shufflevector(from.at[k][half], from.at[k + 4][half], 0, 1, 2, 3, 4, 5, 6, 7);
}

INLINE void write_rows(lines to, int half, int k, lanes x) {
    to.at[k][half] = __builtin_shufflevector(x, x, 0, 1, 2, 3);
    to.at[k + 4][half] = __builtin_shufflevector(x, x, 4, 5, 6, 7);
}
#endif

INLINE square load(lines from, int half) {
    return turn((square){rows(from, half, 0), rows(from, half, 1), rows(from, half, 2), rows(from, half, 3)});
}

INLINE void save(lines to, int half, space x, lanes fourth) {
    const square s = turn((square){x.x, x.y, x.z, fourth});
    write_rows(to, half, 0, s.p);
    write_rows(to, half, 1, s.q);
    write_rows(to, half, 2, s.r);
    write_rows(to, half, 3, s.s);
}

INLINE space space_of(square s) {
    return (space){s.p, s.q, s.r};
}

// Contacts with their grains.
typedef struct meeting {
    lines a, b;
    space va, wa, vb, wb, n, r, u;
    lanes off, ima, mua, imb, mu, places;  // mu is that of b
} meeting;

typedef struct chosen {
    const sti_touch* at[LANES];
} chosen;

INLINE meeting meet(const sti_grain* grain, chosen c) {
    lines t, a, b;
    UNROLL for (int q = 0; q < LANES; q++) {
        t.at[q] = line(c.at[q]);
        a.at[q] = line(grain + c.at[q]->a);
        b.at[q] = line(grain + c.at[q]->b);
    }
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

// Does a grain that moves stand twice among them? A wall may: nothing moves it.
INLINE bool shared(const meeting* m) {
    const mask wall = (m->imb == every(0)) & ~((mask)every(0) + 0xffffffff);  // the half with b
    const mask nobody = (-1 - count_from(0)) << 32;
    return repeated(((mask)m->places & ~wall) | (nobody & wall));
}

// The impulses d act on both. Walls are left alone: slabs share them.
INLINE void push(const meeting* m, space d) {
    const space spin = times(every(2.5), cross(m->n, d));
    save(m->a, 0, plus(m->va, times(m->ima, d)), m->ima);
    save(m->a, 1, minus(m->wa, times(m->ima, spin)), m->mua);
    const space vb = minus(m->vb, times(m->imb, d)), wb = minus(m->wb, times(m->imb, spin));
    lines b = m->b;
    row idle[2];
    if (any(m->imb == every(0))) {
        UNROLL for (int q = 0; q < LANES; q++) b.at[q] = m->b.at[q][0][3] == 0 ? idle : m->b.at[q];
    }
    save(b, 0, vb, m->imb);
    save(b, 1, wb, m->mu);
}

// The impulse r of Coulomb's law at one contact, the other impulses held; the slip is that with y acting. The normal
// part does not depend on the tangential one, as the block is diagonal.
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

// A sweep. With momentum, the velocities are those of y = r + beta (r - last); trail NULL: without.
UPDATE bool update(sti_grain* grain, sti_touch* t, sti_trail* trail, double beta, const int k[LANES], law* solve) {
    chosen c;
    lines to;
    UNROLL for (int q = 0; q < LANES; q++) {
        c.at[q] = t + k[q];
        to.at[q] = line(t + k[q]);
    }
    const meeting m = meet(grain, c);
    if (shared(&m)) return false;
    space y = m.r;
    if (trail != NULL) {
        lines past;
        UNROLL for (int q = 0; q < LANES; q++) past.at[q] = line(trail + k[q]);
        y = plus(y, times(every(beta), minus(y, space_of(load(past, 0)))));
        save(past, 0, m.r, every(0));
    }
    const space r = solve(&m, y);
    save(to, 1, r, m.places);
    push(&m, minus(r, y));
    return true;
}

// The same for one contact: in the first lane, and idle ones beside it.
UPDATE void update_one(sti_grain* grain, sti_touch* t, sti_trail* trail, double beta, law* solve) {
    chosen c;
    UNROLL for (int q = 0; q < LANES; q++) c.at[q] = t;
    const meeting m = meet(grain, c);
    space y = m.r;
    if (trail != NULL) {
        const row last = *line(trail);
        y = plus(y, times(every(beta), minus(y, (space){every(last[0]), every(last[1]), every(last[2])})));
        *line(trail) = (row){m.r.x[0], m.r.y[0], m.r.z[0], 0};
    }
    const space r = solve(&m, y), d = minus(r, y), spin = times(every(2.5), cross(m.n, d));
    t->r[0] = r.x[0];
    t->r[1] = r.y[0];
    t->r[2] = r.z[0];
    const space va = plus(m.va, times(m.ima, d)), wa = minus(m.wa, times(m.ima, spin));
    const space vb = minus(m.vb, times(m.imb, d)), wb = minus(m.wb, times(m.imb, spin));
    m.a.at[0][0] = (row){va.x[0], va.y[0], va.z[0], m.ima[0]};
    m.a.at[0][1] = (row){wa.x[0], wa.y[0], wa.z[0], m.mua[0]};
    if (m.imb[0] == 0) return;
    m.b.at[0][0] = (row){vb.x[0], vb.y[0], vb.z[0], m.imb[0]};
    m.b.at[0][1] = (row){wb.x[0], wb.y[0], wb.z[0], m.mu[0]};
}

// A large slab does not stay in the near caches, and no processor foresees the place of b. Contacts follow each other,
// but eight places in a list are more than it follows on its own, and a loop that does little with each contact outruns
// it.

INLINE void fetch(const sti_grain* grain, const sti_touch* t) {
    __builtin_prefetch(grain + t->b, 1);
}

INLINE void fetch_far(const sti_grain* grain, const sti_touch* t) {
    fetch(grain, t + 4 * STI_AHEAD);
    __builtin_prefetch(t + STI_FAR_AHEAD);
}

INLINE void sweep_in(int parts, sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count,
                     law* solve) {
    const int part = count / parts, fetched = part - STI_AHEAD;
    for (int i = 0; i < part; i++) {
        UNROLL for (int q = 0; q < parts && i < fetched; q++) {
            const int k = q * part + i;
            fetch(grain, touch + k + STI_AHEAD);
            if (parts > STI_FEW_PARTS) __builtin_prefetch(touch + k + STI_NEXT_AHEAD, 1);
        }
        UNROLL for (int from = 0; from < parts; from += LANES) {
            int k[LANES];
            UNROLL for (int q = 0; q < LANES; q++) k[q] = (from + q) * part + i;
            if (parts >= LANES && update(grain, touch, trail, beta, k, solve)) continue;
            for (int q = 0; q < LANES && q < parts; q++)
                update_one(grain, touch + k[q], trail == NULL ? NULL : trail + k[q], beta, solve);
        }
    }
    for (int k = parts * part; k < count; k++)
        update_one(grain, touch + k, trail == NULL ? NULL : trail + k, beta, solve);
}

INLINE void sweep(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count, law* solve) {
    if (count < STI_SHORT_LIST || trail != NULL)
        sweep_in(STI_FEW_PARTS, grain, touch, trail, beta, count, solve);
    else
        sweep_in(STI_PARTS, grain, touch, trail, beta, count, solve);
}

void STI_LANES(sti_sweep_coulomb)(sti_grain* grain, sti_touch* touch, int count) {
    sweep(grain, touch, NULL, 0, count, solve_coulomb);
}

void STI_LANES(sti_sweep_cone)(sti_grain* grain, sti_touch* touch, int count) {
    sweep(grain, touch, NULL, 0, count, solve_cone);
}

#if LANES == 4  // with eight they gain nothing
void STI_LANES(sti_glide_coulomb)(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count) {
    sweep(grain, touch, trail, beta, count, solve_coulomb);
}

void STI_LANES(sti_glide_cone)(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count) {
    sweep(grain, touch, trail, beta, count, solve_cone);
}
#endif

INLINE row twist(row a, row b) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3) * __builtin_shufflevector(b, b, 2, 0, 1, 3) -
           __builtin_shufflevector(a, a, 2, 0, 1, 3) * __builtin_shufflevector(b, b, 1, 2, 0, 3);
}

// One contact at a time, x, y and z in a row. The fourth one is masked in n and r, and then adds nothing to a grain's.
void STI_LANES(sti_push_all)(sti_grain* grain, const sti_touch* touch, int count) {
    const row_mask xyz = {-1, -1, -1, 0};
    const int fetched = count - 4 * STI_AHEAD;
    for (int k = 0; k < count; k++) {
        if (k < fetched) fetch_far(grain, touch + k);
        const row *t = line(touch + k), n = (row)(xyz & (row_mask)t[0]), r = (row)(xyz & (row_mask)t[1]);
        const row spin = 2.5 * twist(n, r);
        row *a = line(grain + touch[k].a), *b = line(grain + touch[k].b);
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

// Contacts k .. k + LANES - 1; those beyond the last one repeat it.
INLINE chosen choose(const sti_touch* touch, int k, int count) {
    chosen c;
    UNROLL for (int q = 0; q < LANES; q++) c.at[q] = touch + (k + q < count ? k + q : count - 1);
    return c;
}

// Contacts as they begin a step. Before: n the way from b to a, off the sum of the radii, r the impulse to start from;
// where b >= walls, n and off as they shall be. After: as in bed.h, r on the cone of the new normal, for a start has to
// be admissible. Grains all have one friction, so their lines are not fetched for it.
void STI_LANES(sti_form_all)(const sti_grain* grain, sti_touch* touch, int count, int walls, double h, double recover) {
    const double among_grains = grain[0].mu;
    for (int k = 0; k < count; k += LANES) {
        const chosen c = choose(touch, k, count);
        lines to;
        UNROLL for (int q = 0; q < LANES; q++) to.at[q] = line(c.at[q]);
        const square way = load(to, 0), last = load(to, 1);
        const mask kept = (mask)last.s >> 32 >= (mask)every(0) + walls;
        lanes mu = every(among_grains);
        if (any(kept)) {
            UNROLL for (int q = 0; q < LANES; q++) mu[q] = c.at[q]->b < walls ? among_grains : grain[c.at[q]->b].mu;
        }
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

typedef struct sums {
    lanes map, size;
} sums;

// |r - P_K(r - rho (u + off n + [mu |u_t| n]))|^2 and |r|^2, rho = 1 / the largest diagonal entry of the block.
INLINE sums natural_map(const sti_grain* grain, const sti_touch* touch, int k, int count, bool coulomb) {
    const mask follow = (mask)every(0) - (coulomb ? 1 : 0);
    const meeting m = meet(grain, choose(touch, k, count));
    const lanes rho = (2.0 / 7.0) / (m.ima + m.imb), un = dot(m.u, m.n), rn = dot(m.r, m.n), mu = m.mu;
    const space ut = minus(m.u, times(un, m.n)), yt = minus(minus(m.r, times(rn, m.n)), times(rho, ut));
    const lanes lift = (lanes)(follow & (mask)(mu * root(dot(ut, ut)))), yn = rn - rho * (un + m.off + lift);
    const lanes length = root(dot(yt, yt)), ray = (yn + mu * length) / (1 + mu * mu);
    const lanes edge = where(ray > every(0), ray, every(0));
    const mask inside = (length <= mu * yn) & (yn >= every(0)), counts = count_from(k) < (mask)every(0) + count;
    const lanes pn = where(inside, yn, edge);
    const lanes keep = where(inside | (length == every(0)), every(1), mu * edge / length);
    const space e = minus(minus(m.r, times(pn, m.n)), times(keep, yt));
    return (sums){(lanes)(counts & (mask)dot(e, e)), (lanes)(counts & (mask)dot(m.r, m.r))};
}

// Eight sums side by side, whatever the number of lanes, and then of them.
void STI_LANES(sti_map_all)(const sti_grain* grain, const sti_touch* touch, int count, bool coulomb, double out[2]) {
    sums all[STI_PARTS / LANES];
    UNROLL for (int j = 0; j < STI_PARTS / LANES; j++) all[j] = (sums){every(0), every(0)};
    const int fetched = count - 4 * STI_AHEAD - STI_PARTS;
    for (int k = 0; k < count; k += STI_PARTS) {
        UNROLL for (int q = 0; q < STI_PARTS && k < fetched; q++) fetch_far(grain, touch + k + q);
        UNROLL for (int j = 0; j < STI_PARTS / LANES; j++) {
            const sums s = natural_map(grain, touch, k + j * LANES, count, coulomb);
            all[j].map += s.map;
            all[j].size += s.size;
        }
    }
    out[0] = out[1] = 0;
    UNROLL for (int q = 0; q < STI_PARTS; q++) {
        out[0] += all[q / LANES].map[q % LANES];
        out[1] += all[q / LANES].size[q % LANES];
    }
}
