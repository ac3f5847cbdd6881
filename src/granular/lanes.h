// lanes.h: the innermost loops over contacts, four lanes at a time. Included by one file for each kind of processor,
// which names the functions by STI_LANES(name); all of them give the same bits.
//
//     grain    (v, 1/m), (W, mu)          contact    (n, off), (r, places)
//
// The fourth lane rides along: differences of it mean nothing and are masked before a sum.
#include <math.h>

#include "granular/bed.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // static functions only: nobody else sees how lanes are passed

typedef double lanes __attribute__((vector_size(32)));
typedef int64_t mask __attribute__((vector_size(32)));

static inline lanes xyz(lanes x) {
    return (lanes)((mask)x & (mask){-1, -1, -1, 0});
}

static inline double sum(lanes x) {
    return (x[0] + x[1]) + x[2];
}

static inline lanes cross(lanes a, lanes b) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3) * __builtin_shufflevector(b, b, 2, 0, 1, 3) -
           __builtin_shufflevector(a, a, 2, 0, 1, 3) * __builtin_shufflevector(b, b, 1, 2, 0, 3);
}

// Two grains and a contact, loaded.
typedef struct meeting {
    lanes va, wa, vb, wb;  // velocities
    lanes n, r, u;         // normal, impulse, slip
    double off, ima, imb, mu;
} meeting;

static inline meeting meet(const sti_grain* grain, const sti_touch* t) {
    const lanes* a = (const lanes*)&grain[t->a];
    const lanes* b = (const lanes*)&grain[t->b];
    const lanes* c = (const lanes*)t;
    meeting m = {.va = a[0], .wa = a[1], .vb = b[0], .wb = b[1], .n = xyz(c[0]), .r = xyz(c[1])};
    m.u = xyz(m.va - m.vb - cross(m.wa + m.wb, m.n));
    m.off = c[0][3];
    m.ima = m.va[3];
    m.imb = m.vb[3];
    m.mu = m.wb[3];
    return m;
}

// The impulse d acts on both. Walls are left alone: slabs share them, and nothing moves them.
static inline void push(sti_grain* grain, const sti_touch* t, const meeting* m, lanes d) {
    lanes* a = (lanes*)&grain[t->a];
    const lanes turn = 2.5 * cross(m->n, d);
    a[0] = m->va + m->ima * d;
    a[1] = m->wa - m->ima * turn;
    if (m->imb == 0) return;
    lanes* b = (lanes*)&grain[t->b];
    b[0] = m->vb - m->imb * d;
    b[1] = m->wb - m->imb * turn;
}

static inline void store(sti_touch* t, lanes r) {
    t->r[0] = r[0];
    t->r[1] = r[1];
    t->r[2] = r[2];
}

// The impulse r of Coulomb's law at one contact, the other impulses held; the slip is that with y acting. The normal part
// does not depend on the tangential one, as the block is diagonal. False: it was open and stays so.
static inline bool solve_coulomb(const meeting* m, lanes y, bool open, lanes* r) {
    const double un = sum(m->u * m->n), yn = sum(y * m->n), k = 1 / (m->ima + m->imb);
    const double next = yn - k * (un + m->off);
    if (next <= 0 && open) return false;
    const double kt = k * (2.0 / 7.0), pn = next > 0 ? next : 0, bound = m->mu * pn;
    const lanes rt = y - kt * m->u - (yn - kt * un) * m->n;
    const double size2 = sum(rt * rt);
    const double keep = size2 > bound * bound ? bound / sqrt(size2) : 1;
    *r = pn * m->n + keep * rt;
    return true;
}

// The convex law: the minimum of the block's quadratic over the cone, inside it, on the ray n + mu d, or zero.
static inline bool solve_cone(const meeting* m, lanes y, bool open, lanes* r) {
    const double un = sum(m->u * m->n), yn = sum(y * m->n), k = 1 / (m->ima + m->imb), mu = m->mu;
    const double kt = k * (2.0 / 7.0), pn = yn - k * (un + m->off);  // the free minimum
    const lanes rt = y - kt * m->u - (yn - kt * un) * m->n;
    const double size = sqrt(sum(rt * rt));
    double along = pn, keep = 1;
    if (size > mu * pn || pn < 0) {
        along = (pn + 3.5 * mu * size) / (1 + 3.5 * mu * mu);
        if (along <= 0) {
            if (open) return false;
            along = 0;
        }
        keep = size > 0 ? mu * along / size : 0;
    }
    *r = along * m->n + keep * rt;
    return true;
}

#define UPDATE(law)                                                                                 \
    static inline void update_##law(sti_grain* grain, sti_touch* t) {                               \
        const meeting m = meet(grain, t);                                                           \
        lanes r;                                                                                    \
        if (!solve_##law(&m, m.r, sum(m.r * m.n) == 0, &r)) return;                                 \
        store(t, r);                                                                                \
        push(grain, t, &m, r - m.r);                                                                \
    }                                                                                               \
    /* With momentum: the velocities are those of y = r + beta (r - last). */                       \
    static inline void glide_##law(sti_grain* grain, sti_touch* t, sti_trail* trail, double beta) { \
        const meeting m = meet(grain, t);                                                           \
        lanes* last = (lanes*)trail;                                                                \
        const lanes before = *last, y = m.r + beta * (m.r - before);                                \
        lanes r;                                                                                    \
        if (!solve_##law(&m, y, sum(m.r * m.n) == 0 && sum(before * m.n) == 0, &r)) return;         \
        *last = m.r;                                                                                \
        store(t, r);                                                                                \
        push(grain, t, &m, r - y);                                                                  \
    }
UPDATE(coulomb)
UPDATE(cone)

// Four quarters advance together: neighbours in the list share a grain, and taking them one after the other would make
// each update wait for the last.
#define SWEEP(one)                                       \
    do {                                                 \
        const int quarter = count / 4;                   \
        for (int i = 0; i < quarter; i++) {              \
            for (int q = 0; q < 4; q++) {                \
                const int k = q * quarter + i;           \
                (one);                                   \
            }                                            \
        }                                                \
        for (int k = 4 * quarter; k < count; k++) (one); \
    } while (0)

void STI_LANES(sti_sweep_coulomb)(sti_grain* grain, sti_touch* touch, int count) {
    SWEEP(update_coulomb(grain, touch + k));
}

void STI_LANES(sti_sweep_cone)(sti_grain* grain, sti_touch* touch, int count) {
    SWEEP(update_cone(grain, touch + k));
}

void STI_LANES(sti_glide_coulomb)(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count) {
    SWEEP(glide_coulomb(grain, touch + k, trail + k, beta));
}

void STI_LANES(sti_glide_cone)(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count) {
    SWEEP(glide_cone(grain, touch + k, trail + k, beta));
}

void STI_LANES(sti_push_all)(sti_grain* grain, const sti_touch* touch, int count) {
    for (int i = 0; i < count; i++) {
        const meeting m = meet(grain, touch + i);
        push(grain, touch + i, &m, m.r);
    }
}

// u (count x 3): the slips that the velocities in `grain` make.
void STI_LANES(sti_slip_all)(const sti_grain* grain, const sti_touch* touch, int count, double* u) {
    for (int i = 0; i < count; i++) {
        const meeting m = meet(grain, touch + i);
        for (int j = 0; j < 3; j++) u[3 * (size_t)i + (size_t)j] = m.u[j];
    }
}

// |r - P_K(r - rho (u + off n + [mu |u_t| n]))|^2 and |r|^2, rho = 1 / the largest diagonal entry of the block.
void STI_LANES(sti_map_all)(const sti_grain* grain, const sti_touch* touch, int count, bool coulomb, double out[2]) {
    double map = 0, size = 0;
    for (int i = 0; i < count; i++) {
        const meeting m = meet(grain, touch + i);
        const double rho = (2.0 / 7.0) / (m.ima + m.imb), un = sum(m.u * m.n), rn = sum(m.r * m.n);
        const lanes ut = m.u - un * m.n, yt = m.r - rn * m.n - rho * ut;
        const double yn = rn - rho * (un + m.off + (coulomb ? m.mu * sqrt(sum(ut * ut)) : 0));
        const double length = sqrt(sum(yt * yt));
        double pn = yn, keep = 1;
        if (length > m.mu * yn || yn < 0) {
            pn = (yn + m.mu * length) / (1 + m.mu * m.mu);
            if (pn < 0) pn = 0;
            keep = length > 0 ? m.mu * pn / length : 0;
        }
        const lanes e = m.r - pn * m.n - keep * yt;
        map += sum(e * e);
        size += sum(m.r * m.r);
    }
    out[0] = map;
    out[1] = size;
}
