// rest.c: bodies that rest do not move at all.
//
//     u = 0 solves the step with impulses (r, l)   iff   H r + G l + f = 0   and every act obeys its law at u_c = w_c
//
// A solver ends with velocities of about tol h g, and a box on a slope would creep with them for ever. So the point u = 0 is
// tried in their place, with the impulses found, and taken if it solves the same problem to the same tolerance, body by body:
//
//     |(H r + G l + f)_b|  <=  tol (|f_b| + sum |terms of H r and G l|_b)         forces and torques by themselves
//     |e_c|                <=  tol max(|r_c|, the least such sum of its bodies)     natural map of contact.h at u_c = w_c
//
// That is stricter than the residual of the whole problem, where a heavy body would hide what moves a light one. What it
// swallows is an acceleration below tol times the forces at work.
//
// Impulses of a solver miss the balance by more than that where bodies are many or light. They are improved first: the
// least change of impulses that restores it,
//
//     min 1/2 sum dr_k^2 / m_k      subject to     H dr + G dl = -(H r + G l + f),         m_k = 1 / (row M^-1 row'),
//
// over the forces that are free to change a little: of closed contacts, the friction of those inside their cones, joints.
// Its multipliers y solve K y = -(...), K = sum m_k row' row: conjugate gradients with M as preconditioner. The change is as
// small as the imbalance, and whatever it does to cones is seen by the test, which is the only judge.
//
// Once at rest, places and velocities keep their bits, so contacts and f are those of the step before: its impulses pass the
// test before anything is solved (only_still), and a pile at rest costs a search for contacts and this test.
#include <math.h>
#include <string.h>

#include "bodies/motion.h"

#define NEARLY 1e5  // times tol: better impulses may still prove rest
#define INSIDE 1e-9  // of the bound: a friction force this far inside may change
#define ENOUGH 1e-8  // by this factor the imbalance is lowered
enum { MOST_ROUNDS = 400 };

// Forces on each slot, and what they are made of: f (moving x nv), size (moving x 2)
typedef struct balance {
    const sti_world* world;
    double *f, *size;
} balance;

static double part_norm(const double* j, int from, int to) {
    double s = 0;
    for (int i = from; i < to; i++) s += j[i] * j[i];
    return sqrt(s);
}

static void add(balance* b, const sti_row* row, double s) {
    const int nv = b->world->nv, linear = b->world->dim;
    if (s == 0) return;
    sti_row_add(b->world, row, s, b->f);
    for (int side = 0; side < 2; side++) {
        const int body = side == 0 ? row->a : row->b;
        const double* j = side == 0 ? row->ja : row->jb;
        if (body < 0) continue;
        double* size = b->size + 2 * (size_t)b->world->slot[body];
        size[0] += fabs(s) * part_norm(j, 0, linear);
        size[1] += fabs(s) * part_norm(j, linear, nv);
    }
}

static void mark(sti_world* world, int slot, double ratio, double tol) {
    unsigned char* rest = &world->solve->rest[sti_islands_root(world, slot)];
    if (ratio <= tol || *rest == STI_REST_NOT) return;
    *rest = ratio <= NEARLY * tol ? STI_REST_NEARLY : STI_REST_NOT;
}

// |e_c| over its unit, at u = w
static double law_ratio(const balance* b, const sti_act* act, const sti_row* some, const double* r) {
    const sti_world* world = b->world;
    const int d = world->dim;
    double trace = 0, slip = 0, size = 0, error = 0, x[3], p[3];
    for (int k = 0; k < d; k++) size += r[k] * r[k];
    if (size == 0) return act->w[0] >= 0 ? 0 : INFINITY;
    for (int k = 0; k < d; k++) {
        if (act->row[k] != NULL) trace += sti_row_mass(world, act->row[k], act->row[k]) * world->options.alpha;
        if (k > 0) slip += act->w[k] * act->w[k];
    }
    if (act->pressed) trace += (d == 3 && act->row[2] == NULL ? 2 : 1) / act->mass;
    const double rho = trace > 0 ? d / trace : 1;
    for (int k = 0; k < d; k++) x[k] = r[k] - rho * (act->w[k] + (k == 0 ? act->mu * sqrt(slip) : 0));
    sti_coulomb_project(d, act->mu, x, p);
    for (int k = 0; k < d; k++) error += (r[k] - p[k]) * (r[k] - p[k]);
    double unit = INFINITY;
    if (some->a >= 0) unit = b->size[2 * world->slot[some->a]];
    if (some->b >= 0) unit = fmin(unit, b->size[2 * world->slot[some->b]]);
    return fmax(sqrt(error), rho * fmax(-act->w[0], 0)) / fmax(sqrt(size), unit);
}

// Every island that is still to be judged starts as PROVED and falls.
static void begin(sti_world* world, bool only_still) {
    struct sti_world_solve* s = world->solve;
    const int nv = world->nv;
    for (int i = 0; i < world->moving; i++) {
        if (s->skip[i] == 0) s->rest[i] = STI_REST_PROVED;
    }
    for (int i = 0; only_still && i < world->moving; i++) {
        for (int k = 0; k < nv; k++) {
            if (s->v_star[i * nv + k] != 0) s->rest[sti_islands_root(world, i)] = STI_REST_NOT;
        }
    }
}

void sti_rest_test(sti_world* world, const double* r, const double* l, bool only_still, double tol) {
    struct sti_world_solve* s = world->solve;
    const int nv = world->nv, d = world->dim;
    const size_t n = (size_t)(nv * world->moving);
    balance b = {.world = world, .f = s->work, .size = s->work + n};
    for (int i = 0; i < world->moving; i++) s->skip[i] = s->rest[i] == STI_REST_PROVED;
    begin(world, only_still);
    memcpy(b.f, s->f, n * sizeof *b.f);
    for (int i = 0; i < world->moving; i++) {
        b.size[2 * i] = part_norm(s->f + (size_t)(i * nv), 0, d);
        b.size[2 * i + 1] = part_norm(s->f + (size_t)(i * nv), d, nv);
    }
    for (int c = 0; c < s->acts.count; c++) {
        for (int k = 0; k < d; k++) {
            if (s->acts.act[c].row[k] != NULL) add(&b, s->acts.act[c].row[k], r[c * d + k]);
        }
    }
    for (int i = 0; i < s->links.joint_rows; i++) add(&b, &s->links.row[i], l[i]);
    for (int i = 0; i < world->moving; i++) {
        for (int part = 0; part < 2; part++) {
            const double error = part_norm(b.f + (size_t)(i * nv), part == 0 ? 0 : d, part == 0 ? d : nv);
            if (error > 0) mark(world, i, error / b.size[2 * i + part], tol);
        }
    }
    for (int c = 0; c < s->acts.count; c++) {
        const sti_act* act = &s->acts.act[c];
        const sti_row* row = act->row[0] != NULL ? act->row[0] : act->row[1];
        const int body = row->a >= 0 ? row->a : row->b;
        if (body >= 0) mark(world, world->slot[body], law_ratio(&b, act, row, r + (size_t)(c * d)), tol);
    }
}

// ---- impulses that balance

typedef struct spring {  // a force that may change
    const sti_row* row;
    double m;
    double* at;  // where its impulse is kept
} spring;

// Springs of the islands that nearly rest, into `out` (room for all); how many.
static int list_springs(sti_world* world, double* r, double* l, spring* out) {
    struct sti_world_solve* s = world->solve;
    const int d = world->dim;
    int count = 0;
    for (int c = 0; c < s->acts.count; c++) {
        const sti_act* act = &s->acts.act[c];
        double* rc = r + (size_t)(c * d);
        const double bound = act->mu * rc[0], slip = hypot(rc[1], d == 3 ? rc[2] : 0);
        for (int k = 0; k < d; k++) {
            const sti_row* row = act->row[k];
            if (row == NULL || !(rc[0] > 0) || (k > 0 && !(slip < (1 - INSIDE) * bound))) continue;
            const int body = row->a >= 0 ? row->a : row->b;
            if (s->rest[sti_islands_root(world, world->slot[body])] != STI_REST_NEARLY) continue;
            const double mobility = sti_row_mass(world, row, row);
            if (mobility > 0) out[count++] = (spring){row, 1 / mobility, rc + k};
        }
    }
    for (int i = 0; i < s->links.joint_rows; i++) {
        const sti_row* row = &s->links.row[i];
        const int body = row->a >= 0 ? row->a : row->b;
        if (body < 0 || s->rest[sti_islands_root(world, world->slot[body])] != STI_REST_NEARLY) continue;
        const double mobility = sti_row_mass(world, row, row);
        if (mobility > 0) out[count++] = (spring){row, 1 / mobility, l + i};
    }
    return count;
}

static double dot(size_t n, const double* x, const double* y) {
    double s = 0;
    for (size_t i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

// y += K x
static void stiffness(const sti_world* world, const spring* springs, int count, const double* x, double* y) {
    for (int k = 0; k < count; k++)
        sti_row_add(world, springs[k].row, springs[k].m * sti_row_apply(world, springs[k].row, x), y);
}

// K y = e: e becomes what is left. y, z, p, q (n) scratch but for y
static void solve_balance(const sti_world* world, const spring* springs, int count, double* e, double* y, double* z,
                          double* p, double* q) {
    const size_t n = (size_t)(world->nv * world->moving);
    memset(y, 0, n * sizeof *y);
    sti_world_mass_solve(world, e, z);
    memcpy(p, z, n * sizeof *p);
    double size = dot(n, e, z);
    const double enough = ENOUGH * ENOUGH * size;
    for (int round = 0; round < MOST_ROUNDS && size > enough; round++) {
        memset(q, 0, n * sizeof *q);
        stiffness(world, springs, count, p, q);
        const double curvature = dot(n, p, q);
        if (!(curvature > 0)) return;
        const double step = size / curvature;
        for (size_t i = 0; i < n; i++) {
            y[i] += step * p[i];
            e[i] -= step * q[i];
        }
        sti_world_mass_solve(world, e, z);
        const double next = dot(n, e, z), factor = next / size;
        for (size_t i = 0; i < n; i++) p[i] = z[i] + factor * p[i];
        size = next;
    }
}

sti_status sti_rest_improve(sti_world* world, double* r, double* l, double tol) {
    struct sti_world_solve* s = world->solve;
    const int nv = world->nv, d = world->dim;
    const size_t n = (size_t)(nv * world->moving);
    bool any = false;
    for (int i = 0; i < world->moving; i++) any = any || s->rest[i] == STI_REST_NEARLY;
    if (!any) return STI_OK;
    const size_t most = (size_t)(d * s->acts.count + s->links.joint_rows);
    sti_status status = sti_room(world->env, (void**)&s->spring, &s->spring_room, most, sizeof(spring));
    if (status == STI_OK) status = sti_room(world->env, (void**)&s->spring_r, &s->spring_r_room, most, sizeof(double));
    if (status != STI_OK) return status;
    spring* springs = s->spring;
    const int count = list_springs(world, r, l, springs);
    double* e = s->g;
    memcpy(e, s->f, n * sizeof *e);
    sti_acts_add_forces(world, &s->acts, r, e);
    for (int i = 0; i < s->links.joint_rows; i++) sti_row_add(world, &s->links.row[i], l[i], e);
    for (int i = 0; i < world->moving; i++) {
        const bool nearly = s->rest[sti_islands_root(world, i)] == STI_REST_NEARLY;
        for (int k = i * nv; k < i * nv + nv; k++) e[k] = nearly ? -e[k] : 0;
    }
    double* y = s->v_before;
    solve_balance(world, springs, count, e, y, s->v_after, s->u_impact, s->work);
    for (int k = 0; k < count; k++) {
        s->spring_r[k] = *springs[k].at;
        *springs[k].at += springs[k].m * sti_row_apply(world, springs[k].row, y);
    }
    sti_rest_test(world, r, l, false, tol);
    for (int k = 0; k < count; k++) {  // what did not help is taken back
        const int body = springs[k].row->a >= 0 ? springs[k].row->a : springs[k].row->b;
        if (s->rest[sti_islands_root(world, world->slot[body])] != STI_REST_PROVED) *springs[k].at = s->spring_r[k];
    }
    return STI_OK;
}
