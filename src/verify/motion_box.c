// motion_box.c: the proof that a system by formulas keeps its contact modes over a box of doubts.
//
// State and parameters are affine forms in the doubts (affine.h), formulas and their derivatives are read as such
// (jet.h). A step is that of the alpha scheme with gaps at the level of positions, S3 (2.1.4) ff. with errata S3-E1 and
// S3-E2:
//
//     Q u - alpha (n c_n + t c_t + nu c_nu) = Q v + alpha k~       Q = M + alpha h (c_v / 2 - k_v) - alpha^2 h^2 k_q
//     k~ = h ((1 - alpha) k(t, q, v) + alpha k(t + h, q, v) - c(v)) + alpha h^2 k_q v
//     gap / h + n'u + gap_t = 0 (closed),  t'u + t_0 = 0 (stick),  c_t = -+ mu c_n (slide+-),  nu'u + nu_t = 0
//     q+ = q + h u,   v+ = (u - (1 - alpha) v) / alpha
//
// with M, n, t, nu, c and their kin at (t, q, v), k_q and k_v at t + h. With given modes it is a linear system, which
// is eliminated in forms. What has to be positive: c_n and mu c_n -+ c_t of what presses and sticks, the slip in its
// direction of what slides, gap + h (n'u + gap_t) of what is open. c_v is the difference of c(v + e) and c(v - e),
// which is exact, for c is quadratic in v.
#include <math.h>
#include <stdio.h>
#include <stiction/plan.h>
#include <string.h>

#include "base/env.h"
#include "verify/forms.h"
#include "verify/jet.h"
#include "verify/pieces.h"

typedef struct motion {
    sti_pieces pieces;
    sti_env* env;
    const sti_system_text* text;
    const sti_motion_box* box;
    sti_affine_room k;
    sti_jet_reader reader;
    int n, order, contacts, joints;
    num *state, *at;  // q, v; the same and t: what formulas are read at                    (2 n), (2 n + 1)
    num* parameters;
    num *M, *c, *c_v, *Q, *f;  // (n x n), (n), (n x n), (n x n), (n)
    num *force, *k_q, *k_v;    // (2 x n): at t and at t + h; (n x n), (n x n)
    num *row, *offset, *mu;    // of contacts n and t, of joints nu: (2 contacts + joints) x n, the same x 1; (contacts)
    num* gap;                  // (contacts)
    bool* rubs;                // (contacts)
    num* K;                    // (order x (order + 1))
    bool* done;                // columns that are eliminated                    (order)
    double* end;
} motion;

// ---- forms

static num value(const num* x) {
    return x != NULL ? *x : number(0);
}
static num dot(const motion* p, const num* a, const num* b) {
    num sum = number(0);
    for (int i = 0; i < p->n; i++) sum = plus(p, sum, times(p, a[i], b[i]));
    return sum;
}

// The deviation of one thing; 0 where nobody doubts it.
static num doubted(const motion* p, const double* low, const double* high, sti_motion_doubt_kind kind, int of) {
    num x = number(0);
    for (int i = 0; i < p->box->doubt_count; i++) {
        const sti_motion_doubt* d = &p->box->doubts[i];
        if (d->kind == kind && d->of == of) x = between(i, low[i], high[i]);
    }
    return x;
}

// ---- formulas

static const sti_jet* read(motion* p, const char* formula, int order) {
    p->reader.order = order;
    return sti_jet_of(&p->reader, formula != NULL ? formula : "0");
}

static bool unknown(motion* p, long step, const char* what) {
    if (p->reader.unable) return sti_pieces_fail(&p->pieces, NULL, "step %ld: %s: not known over the box", step, what);
    return sti_pieces_fail(&p->pieces, NULL, "step %ld: %s: a quotient or a root may have no value", step, what);
}

// Where things are at a time, with other velocities than those of the state or with them (NULL).
static void stand_at(motion* p, num t, const num* velocities) {
    const size_t size = (size_t)p->n * sizeof(num);
    memcpy(p->at, p->state, 2 * size);
    if (velocities != NULL) memcpy(p->at + p->n, velocities, size);
    p->at[2 * p->n] = t;
}

static const num* second(const motion* p, const sti_jet* T, int i, int j) {
    (void)p;
    const int a = i > j ? i : j, b = i > j ? j : i;
    return T->h[a * (a + 1) / 2 + b];
}

// c = T_vq v + T_vt - T_q at p->at; T read to second order. False of *any: there is none, whatever v is.
static void inertial(const motion* p, const sti_jet* T, num* c, bool* any) {
    const int n = p->n;
    for (int i = 0; i < n; i++) {
        const num* t = second(p, T, n + i, 2 * n);
        c[i] = value(t);
        *any = *any || t != NULL || T->d[i] != NULL;
        for (int j = 0; j < n; j++) {
            const num* x = second(p, T, n + i, j);
            if (x != NULL) c[i] = plus(p, c[i], times(p, *x, p->at[n + j]));
            *any = *any || x != NULL;
        }
        c[i] = minus(p, c[i], value(T->d[i]));
    }
}

// M, c, c_v
static bool read_inertia(motion* p, num t, long step) {
    const int n = p->n;
    bool any = false;
    stand_at(p, t, NULL);
    const sti_jet* T = read(p, p->text->kinetic, 2);
    if (T == NULL) return unknown(p, step, "kinetic");
    for (int i = 0; i < n * n; i++) p->M[i] = value(second(p, T, n + i / n, n + i % n));
    inertial(p, T, p->c, &any);
    for (int i = 0; i < n * n; i++) p->c_v[i] = number(0);
    for (int j = 0; any && j < n; j++) {
        for (int side = 0; side < 2; side++) {
            const num one = number(side == 0 ? 0.5 : -0.5);
            num* other = p->f;  // room, for now
            stand_at(p, t, NULL);
            p->at[n + j] = plus(p, p->at[n + j], one);
            T = read(p, p->text->kinetic, 2);
            if (T == NULL) return unknown(p, step, "kinetic");
            inertial(p, T, other, &any);
            for (int i = 0; i < n; i++) {
                num* entry = &p->c_v[i * n + j];
                *entry = side == 0 ? other[i] : minus(p, *entry, other[i]);
            }
        }
    }
    return true;
}

// k, and where wanted its derivatives: k = Q - V_q
static bool read_force(motion* p, num t, long step, num* k, bool derivatives) {
    const int n = p->n;
    stand_at(p, t, NULL);
    for (int i = 0; i < n; i++) {
        const sti_jet* Q = read(p, p->text->forces != NULL ? p->text->forces[i] : NULL, 1);
        if (Q == NULL) return unknown(p, step, "forces");
        k[i] = *Q->v;
        for (int j = 0; derivatives && j < n; j++) {
            p->k_q[i * n + j] = value(Q->d[j]);
            p->k_v[i * n + j] = value(Q->d[n + j]);
        }
    }
    const sti_jet* V = read(p, p->text->potential, derivatives ? 2 : 1);
    if (V == NULL) return unknown(p, step, "potential");
    for (int i = 0; i < n; i++) {
        k[i] = minus(p, k[i], value(V->d[i]));
        for (int j = 0; derivatives && j < n; j++)
            p->k_q[i * n + j] = minus(p, p->k_q[i * n + j], value(second(p, V, i, j)));
    }
    return true;
}

static bool read_contact(motion* p, num t, long step, int i) {
    const int n = p->n;
    const sti_system_contact_text* c = &p->text->contacts[i];
    stand_at(p, t, NULL);
    const sti_jet* z = read(p, c->gap, 1);
    if (z == NULL) return unknown(p, step, "gap");
    p->gap[i] = *z->v;
    p->offset[2 * i] = value(z->d[2 * n]);
    for (int j = 0; j < n; j++) p->row[2 * i * n + j] = value(z->d[j]);
    p->rubs[i] = false;
    if (c->slip_count == 0 || c->mu == NULL) return true;
    z = read(p, c->mu, 0);
    if (z == NULL) return unknown(p, step, "mu");
    p->mu[i] = *z->v;
    if (!(sti_affine_low(&p->k, &p->mu[i]) > -1e-250))
        return sti_pieces_fail(&p->pieces, &p->mu[i], "step %ld, contact %d: friction may be below 0", step, i);
    p->rubs[i] = sti_affine_high(&p->k, &p->mu[i]) > 1e-250;
    for (int j = 0; j < n; j++) p->at[n + j] = number(0);
    z = read(p, c->slip[0], 1);
    if (z == NULL) return unknown(p, step, "slip");
    p->offset[2 * i + 1] = *z->v;
    for (int j = 0; j < n; j++) p->row[(2 * i + 1) * n + j] = value(z->d[n + j]);
    return true;
}

static bool read_joint(motion* p, num t, long step, int i) {
    const int n = p->n, at = 2 * p->contacts + i;
    stand_at(p, t, NULL);
    const sti_jet* z = read(p, p->text->joints[i].gap, 1);
    if (z == NULL) return unknown(p, step, "constraint");
    p->offset[at] = value(z->d[2 * n]);
    for (int j = 0; j < n; j++) p->row[at * n + j] = value(z->d[j]);
    return true;
}

// ---- the linear system; factors as 1 / h are off by up to three roundings, which the bound of scaled holds too

static num* entry(const motion* p, int i, int j) {
    return &p->K[(size_t)i * (size_t)(p->order + 1) + (size_t)j];
}

// Q, f = Q v + alpha k~
static void pose_motion(motion* p) {
    const int n = p->n;
    const double h = p->box->h, alpha = p->box->alpha;
    for (int i = 0; i < n * n; i++) {
        const num damping = minus(p, scaled(p, p->c_v[i], 0.5), p->k_v[i]);
        p->Q[i] =
            plus(p, p->M[i], minus(p, scaled(p, damping, alpha * h), scaled(p, p->k_q[i], alpha * h * alpha * h)));
    }
    for (int i = 0; i < n; i++) {
        const num* v = p->state + n;
        num k = minus(p, scaled(p, p->force[n + i], alpha), p->c[i]);
        if (alpha < 1) k = plus(p, k, scaled(p, p->force[i], 1 - alpha));
        const num ahead = scaled(p, dot(p, p->k_q + i * n, v), alpha * h);
        p->f[i] = plus(p, dot(p, p->Q + i * n, v), scaled(p, plus(p, k, ahead), alpha * h));
    }
}

// A row that is 0 along u, and the impulse that goes with it: along `push`.
static void put_row(motion* p, int at, const num* row, const num* push, num right) {
    for (int j = 0; j < p->n; j++) {
        *entry(p, at, j) = row[j];
        *entry(p, j, at) = scaled(p, push[j], -p->box->alpha);
    }
    *entry(p, at, p->order) = scaled(p, right, -1);
}

static void pose(motion* p) {
    const int n = p->n;
    for (int i = 0; i < p->order; i++) {
        for (int j = 0; j <= p->order; j++) *entry(p, i, j) = number(0);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) *entry(p, i, j) = p->Q[i * n + j];
        *entry(p, i, p->order) = p->f[i];
    }
    int at = n;
    for (int i = 0; i < p->joints; i++, at++) {
        const num* row = p->row + (2 * p->contacts + i) * n;
        put_row(p, at, row, row, p->offset[2 * p->contacts + i]);
    }
    for (int i = 0; i < p->contacts; i++) {
        const sti_push_mode mode = p->box->modes[i];
        if (mode == STI_PUSH_OPEN) continue;
        const num *normal = p->row + 2 * i * n, *tangent = normal + n;
        num* push = p->c;  // room: what it held stands in f
        for (int j = 0; j < n; j++) {
            push[j] = normal[j];
            if (!p->rubs[i] || mode == STI_PUSH_STICK) continue;
            const num rub = times(p, p->mu[i], tangent[j]);
            push[j] = mode == STI_PUSH_SLIDE_LEFT ? minus(p, push[j], rub) : plus(p, push[j], rub);
        }
        put_row(p, at++, normal, push, plus(p, scaled(p, p->gap[i], 1 / p->box->h), p->offset[2 * i]));
        if (p->rubs[i] && mode == STI_PUSH_STICK) put_row(p, at++, tangent, tangent, p->offset[2 * i + 1]);
    }
}

// ---- what has to be positive

static bool positive(motion* p, num x, long step, int contact, const char* what) {
    return sti_pieces_positive(&p->pieces, &p->k, &x, "step %ld, contact %d: %s", step, contact, what);
}

static bool check_contact(motion* p, const num* u, long step, int i, int* at) {
    const num *normal = p->row + 2 * i * p->n, *tangent = normal + p->n;
    const sti_push_mode mode = p->box->modes[i];
    if (mode == STI_PUSH_OPEN) {
        const num rate = plus(p, dot(p, normal, u), p->offset[2 * i]);
        return positive(p, plus(p, p->gap[i], scaled(p, rate, p->box->h)), step, i, "it may close");
    }
    const num force = *entry(p, (*at)++, p->order);
    if (!positive(p, force, step, i, "it may open")) return false;
    if (!p->rubs[i]) return true;
    if (mode == STI_PUSH_STICK) {
        const num friction = *entry(p, (*at)++, p->order), most = times(p, p->mu[i], force);
        return positive(p, minus(p, most, friction), step, i, "it may begin to slide") &&
               positive(p, plus(p, most, friction), step, i, "it may begin to slide");
    }
    const num slip = plus(p, dot(p, tangent, u), p->offset[2 * i + 1]);
    return positive(p, scaled(p, slip, mode == STI_PUSH_SLIDE_LEFT ? 1 : -1), step, i, "it may stop sliding");
}

// ---- a piece of the box

static bool read_all(motion* p, num t, long step) {
    if (!read_inertia(p, t, step)) return false;
    if (p->box->alpha < 1 && !read_force(p, t, step, p->force, false)) return false;
    if (!read_force(p, plus(p, t, number(p->box->h)), step, p->force + p->n, true)) return false;
    for (int i = 0; i < p->contacts; i++) {
        if (!read_contact(p, t, step, i)) return false;
    }
    for (int i = 0; i < p->joints; i++) {
        if (!read_joint(p, t, step, i)) return false;
    }
    return true;
}

static bool make_step(motion* p, long step) {
    const int n = p->n;
    const num t = plus(p, number(p->box->time), scaled(p, number(p->box->h), (double)step));
    const double alpha = p->box->alpha;
    if (!read_all(p, t, step)) return false;
    pose_motion(p);
    pose(p);
    int used = n + p->joints;
    for (int i = 0; i < p->contacts; i++) {
        if (p->box->modes[i] != STI_PUSH_OPEN) used += p->rubs[i] && p->box->modes[i] == STI_PUSH_STICK ? 2 : 1;
    }
    memset(p->done, 0, (size_t)p->order * sizeof *p->done);
    // rows beyond `used` belong to contacts that do not rub
    if (!sti_affine_solve(&p->k, p->K, used, p->order + 1, p->done))
        return sti_pieces_fail(&p->pieces, NULL, "step %ld: the basis may be singular", step);
    num* u = p->f;
    for (int i = 0; i < n; i++) u[i] = *entry(p, i, p->order);
    for (int i = 0, at = n + p->joints; i < p->contacts; i++) {
        if (!check_contact(p, u, step, i, &at)) return false;
    }
    for (int i = 0; i < n; i++) {
        num v = u[i];
        if (alpha < 1) v = scaled(p, minus(p, v, scaled(p, p->state[n + i], 1 - alpha)), 1 / alpha);
        p->state[i] = plus(p, p->state[i], scaled(p, u[i], p->box->h));
        p->state[n + i] = v;
        sti_affine_settle(&p->k, &p->state[i], p->box->doubt_count, p->box->doubt_count + i);
        sti_affine_settle(&p->k, &p->state[n + i], p->box->doubt_count, p->box->doubt_count + n + i);
    }
    return true;
}

static bool prove_piece(void* user, const double* low, const double* high) {
    motion* p = user;
    const sti_motion_box* b = p->box;
    const int n = p->n;
    p->k = (sti_affine_room){.n = b->doubt_count + 2 * n};
    p->reader.unable = false;
    for (int i = 0; i < n; i++) {
        p->state[i] = plus(p, number(b->q[i]), doubted(p, low, high, STI_MOTION_POSITION, i));
        p->state[n + i] = plus(p, number(b->v[i]), doubted(p, low, high, STI_MOTION_VELOCITY, i));
    }
    for (int i = 0; i < p->text->parameter_count; i++)
        p->parameters[i] = plus(p, number(p->text->parameters[i]), doubted(p, low, high, STI_MOTION_PARAMETER, i));
    for (long l = 0; l < b->steps; l++) {
        if (sti_late(p->env) || !make_step(p, l)) return false;
    }
    for (int i = 0; p->end != NULL && i < 2 * n; i++) {
        p->end[i] = fmin(p->end[i], sti_affine_low(&p->k, &p->state[i]));
        p->end[2 * n + i] = fmax(p->end[2 * n + i], sti_affine_high(&p->k, &p->state[i]));
    }
    return true;
}

// ---- the claim

static sti_status create(motion* p, sti_arena* room) {
    const size_t n = (size_t)p->n, rows = 2 * (size_t)p->contacts + (size_t)p->joints, order = (size_t)p->order;
    p->state = sti_arena_take(room, 2 * n, sizeof *p->state);
    p->at = sti_arena_take(room, 2 * n + 1, sizeof *p->at);
    p->parameters = sti_arena_take(room, (size_t)p->text->parameter_count, sizeof *p->parameters);
    p->M = sti_arena_take(room, sti_size_mul(n, n), sizeof *p->M);
    p->c_v = sti_arena_take(room, sti_size_mul(n, n), sizeof *p->c_v);
    p->Q = sti_arena_take(room, sti_size_mul(n, n), sizeof *p->Q);
    p->k_q = sti_arena_take(room, sti_size_mul(n, n), sizeof *p->k_q);
    p->k_v = sti_arena_take(room, sti_size_mul(n, n), sizeof *p->k_v);
    p->c = sti_arena_take(room, n, sizeof *p->c);
    p->f = sti_arena_take(room, n, sizeof *p->f);
    p->force = sti_arena_take(room, 2 * n, sizeof *p->force);
    p->row = sti_arena_take(room, sti_size_mul(rows, n), sizeof *p->row);
    p->offset = sti_arena_take(room, rows, sizeof *p->offset);
    p->mu = sti_arena_take(room, (size_t)p->contacts, sizeof *p->mu);
    p->gap = sti_arena_take(room, (size_t)p->contacts, sizeof *p->gap);
    p->rubs = sti_arena_take(room, (size_t)p->contacts, sizeof *p->rubs);
    p->K = sti_arena_take(room, sti_size_mul(order, order + 1), sizeof *p->K);
    p->done = sti_arena_take(room, order, sizeof *p->done);
    p->reader.k = &p->k;
    p->reader.n = 2 * p->n + 1;
    p->reader.text = p->text;
    p->reader.parameters = p->parameters;
    p->reader.at = p->at;
    p->reader.arena = sti_arena_make(p->env);
    return room->status;
}

static sti_status check_text(const motion* p) {
    const sti_motion_box* b = p->box;
    for (int i = 0; i < p->contacts; i++) {
        const sti_system_contact_text* c = &p->text->contacts[i];
        if (c->slip_count > 1)
            return STI_FAIL(p->env, STI_ERR_INPUT, i, "contacts[%d].slip: one direction is expected, not two", i);
        if (c->mu_kinetic != NULL)
            return STI_FAIL(p->env, STI_ERR_INPUT, i, "contacts[%d].mu_kinetic: one coefficient is expected", i);
        if (b->modes[i] > STI_PUSH_SLIDE_RIGHT) return STI_FAIL(p->env, STI_ERR_INPUT, i, "modes[%d]: not a mode", i);
    }
    for (int i = 0; i < p->joints; i++) {
        if (p->text->joints[i].mu != NULL)
            return STI_FAIL(p->env, STI_ERR_INPUT, i, "joints[%d].mu: a joint without friction is expected", i);
    }
    return STI_OK;
}

static sti_status check_claim(const motion* p) {
    const sti_motion_box* b = p->box;
    if (b->steps < 1 || !(b->h > 0) || !isfinite(b->h) || !(b->alpha > 0 && b->alpha <= 1))
        return STI_FAIL(p->env, STI_ERR_INPUT, -1, "%ld steps of %g with alpha %g: at least one, above 0, in (0, 1]",
                        b->steps, b->h, b->alpha);
    if (b->contact_count != p->contacts)
        return STI_FAIL(p->env, STI_ERR_INPUT, -1, "%d modes for %d contacts", b->contact_count, p->contacts);
    if (b->doubt_count + 2 * p->n > STI_DOUBTS_MOST)
        return STI_FAIL(p->env, STI_ERR_INPUT, -1, "doubts: %d with %d coordinates: %d in all, two for each, are taken",
                        b->doubt_count, p->n, STI_DOUBTS_MOST);
    for (int i = 0; i < b->doubt_count; i++) {
        const sti_motion_doubt* d = &b->doubts[i];
        const int most = d->kind == STI_MOTION_PARAMETER ? p->text->parameter_count : p->n;
        if (d->of < 0 || d->of >= most || d->kind > STI_MOTION_PARAMETER)
            return STI_FAIL(p->env, STI_ERR_INPUT, i, "doubts[%d]: of %d: not there", i, d->of);
        if (!(d->low <= 0 && d->high >= 0 && isfinite(d->low) && isfinite(d->high)))
            return STI_FAIL(p->env, STI_ERR_INPUT, i, "doubts[%d]: [%g, %g]: a range that holds 0 is expected", i,
                            d->low, d->high);
        for (int j = 0; j < i; j++) {
            if (b->doubts[j].kind == d->kind && b->doubts[j].of == d->of)
                return STI_FAIL(p->env, STI_ERR_INPUT, i, "doubts[%d]: given twice", i);
        }
    }
    return check_text(p);
}

static sti_status prove(motion* p, long max_pieces, sti_box_verification* out) {
    sti_arena room = sti_arena_make(p->env);
    const size_t nd = (size_t)p->box->doubt_count;
    sti_status status = create(p, &room);
    double* ends = sti_arena_doubles(&room, 2 * nd + 1);
    if (status == STI_OK) status = room.status;
    for (size_t i = 0; status == STI_OK && i < nd; i++) {
        ends[i] = p->box->doubts[i].low;
        ends[nd + i] = p->box->doubts[i].high;
    }
    if (status == STI_OK) {
        p->pieces = (sti_pieces){.env = p->env,
                                 .doubts = p->box->doubt_count,
                                 .low = ends,
                                 .high = ends + nd,
                                 .prove = prove_piece,
                                 .user = p};
        status = sti_pieces_prove(&p->pieces, max_pieces > 0 ? max_pieces : 1, out);
        if (status == STI_OK) status = p->reader.arena.status;
    }
    sti_arena_clear(&p->reader.arena);
    sti_arena_clear(&room);
    return status;
}

sti_status sti_verify_motion_box(sti_env* env, const sti_system* system, const sti_motion_box* box, long max_pieces,
                                 double* end, sti_box_verification* out) {
    *out = (sti_box_verification){.tight = -1};
    const sti_system_text* text = sti_system_text_of(system);
    if (text == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a system by formulas, from a document, is expected");
    motion p = {.env = env,
                .text = text,
                .box = box,
                .n = text->coordinate_count,
                .contacts = text->contact_count,
                .joints = text->joint_count,
                .end = end};
    p.order = p.n + p.joints + 2 * p.contacts;
    for (int i = 0; end != NULL && i < 2 * p.n; i++) {
        end[i] = INFINITY;
        end[2 * p.n + i] = -INFINITY;
    }
    const sti_status status = check_claim(&p);
    return status == STI_OK ? prove(&p, max_pieces, out) : status;
}
