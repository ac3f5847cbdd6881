// rest.c: bodies that rest do not move at all.
//
//     u = 0 solves the step with impulses (r, l)   iff   H r + G l + f = 0   and every act obeys its law at u_c = w_c
//
// A solver ends with velocities of about tol h g, and a box on a slope would creep with them for ever. So the point u =
// 0 is tried in their place, with the impulses found, and taken if it solves the same problem to the same tolerance,
// body by body:
//
//     |(H r + G l + f)_b|  <=  0.03 tol (|f_b| + sum |terms of H r and G l|_b)         forces and torques by themselves
//     |(H r + G l + f)_i|  <=  tol (|f_i| + sum |terms|_i)                          every row, but for its rounding
//     |e_c|                <=  tol max(|r_c|, the least such sum of its bodies)
//         natural map of contact.h at u_c = w_c
//
// The second is what the residual of the whole problem asks (docs/contact.md), and without it a point would be at rest
// here and not solved there. The first is stricter for most rows. What it swallows is an acceleration below tol times
// the forces at work.
//
// Impulses that miss the balance are improved, and where a body at rest could stay so they are looked for:
// rest_forces.c.
//
// Once at rest, places and velocities keep their bits, so contacts and f are those of the step before: its impulses
// pass the test before anything is solved (only_still), and a pile at rest costs a search for contacts and this test.
#include <math.h>
#include <string.h>

#include "bodies/motion.h"

#define NEARLY 1e5     // times tol: better impulses may still prove rest,
#define FARTHEST 0.3   //   but not where forces miss the balance by more than this part of themselves: that is motion
#define FORCES 0.03    // of tol, for the balance of forces: the sums above may be large where forces cancel
#define NOISE 0x1p-43  // of the forces on a body: what is less in a row of it is rounding

// Forces on each slot, and what they are made of: f, terms (moving x nv), size (moving x 2)
typedef struct balance {
    const sti_world* world;
    double *f, *terms, *size;
    double largest;  // impulse of a contact
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
    for (int side = 0; side < sti_row_sides(row); side++) {
        const double* j;
        const int body = sti_row_side(row, side, &j);
        if (body < 0) continue;
        double *size = b->size + 2 * (size_t)b->world->slot[body], *terms = b->terms + nv * b->world->slot[body];
        for (int k = 0; k < nv; k++) terms[k] += fabs(s * j[k]);
        size[0] += fabs(s) * part_norm(j, 0, linear);
        size[1] += fabs(s) * part_norm(j, linear, nv);
    }
}

static void mark(sti_world* world, int slot, double ratio, double tol) {
    unsigned char* rest = &world->solve->rest[sti_islands_root(world, slot)];
    if (ratio <= tol || *rest == STI_REST_NOT) return;
    *rest = ratio <= fmin(NEARLY * tol, FARTHEST) ? STI_REST_NEARLY : STI_REST_NOT;
}

// Forces (from 0 to d) or torques (from d to nv) on a slot
static void mark_balance(const balance* b, sti_world* world, int slot, int from, int to, double tol) {
    const double *f = b->f + world->nv * slot, *terms = b->terms + world->nv * slot;
    const double error = part_norm(f, from, to), size = b->size[2 * slot + (from > 0)];
    const double nearly = fmin(NEARLY * tol, FARTHEST);  // that a body moves is told by all of its rows together
    if (error > 0) mark(world, slot, error / size, FORCES * tol);
    for (int k = from; k < to && error > NOISE * size; k++) {
        if (fabs(f[k]) > NOISE * size) mark(world, slot, fmin(fabs(f[k]) / terms[k], nearly), tol);
    }
}

// p = (max(r_n - rho u_n, 0), P), P the nearest point to r_t - rho u_t of mu r_n S: p = r exactly where the law holds.
static void nearest_of_section(const sti_act* act, double r_n, double step_n, const double x[3], double p[3]) {
    const double reach = act->mu * fmax(r_n, 0);
    p[0] = fmax(r_n - step_n, 0);
    p[1] = p[2] = 0;
    if (!(reach > 0)) return;
    sti_section_project(act->section, (double[2]){x[1] / reach, x[2] / reach}, p + 1, NULL);
    p[1] *= reach;
    p[2] *= reach;
}

// |e_c| over its unit, at u = w
static double law_ratio(const balance* b, const sti_act* act, const sti_row* some, const double* r) {
    const sti_world* world = b->world;
    const int d = world->dim;
    double trace = 0, slip = 0, size = 0, error = 0, x[3], p[3];
    for (int k = 0; k < d; k++) size += r[k] * r[k];
    if (size == 0) return act->w[0] >= 0 ? 0 : INFINITY;
    for (int k = 1; k < d; k++) slip += act->w[k] * act->w[k];
    const double closing = sti_act_closed(world, act) ? fmin(act->w[0], 0) : act->w[0];
    for (int k = 0; k < d && (slip > 0 || closing != 0); k++) {
        if (act->row[k] != NULL) trace += sti_row_mass(world, act->row[k], act->row[k]) * world->options.alpha;
    }
    if (act->pressed) trace += (d == 3 && act->row[2] == NULL ? 2 : 1) / act->mass;
    const double rho = trace > 0 ? d / trace : 1;
    for (int k = 1; k < d; k++) x[k] = r[k] - rho * act->w[k];
    if (act->section != NULL) {
        nearest_of_section(act, r[0], rho * closing, x, p);
    } else {
        x[0] = r[0] - rho * (closing + act->mu * sqrt(slip));
        sti_coulomb_project(d, act->mu, x, p);
    }
    for (int k = 0; k < d; k++) error += (r[k] - p[k]) * (r[k] - p[k]);
    double unit = act->kind == STI_ACT_CONTACT ? b->largest : 0;
    if (some->a >= 0) unit = fmin(unit, b->size[2 * world->slot[some->a]]);
    if (some->b >= 0) unit = fmin(unit, b->size[2 * world->slot[some->b]]);
    return fmax(sqrt(error), rho * fmax(-closing, 0)) / fmax(sqrt(size), unit);
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
    balance b = {.world = world, .f = s->tested, .terms = s->tested + n, .size = s->tested + 2 * n};
    for (int i = 0; i < world->moving; i++) s->skip[i] = s->rest[i] == STI_REST_PROVED;
    begin(world, only_still);
    memcpy(b.f, s->f, n * sizeof *b.f);
    for (size_t i = 0; i < n; i++) b.terms[i] = fabs(s->f[i]);
    for (int i = 0; i < world->moving; i++) {
        b.size[2 * i] = part_norm(s->f + (size_t)(i * nv), 0, d);
        b.size[2 * i + 1] = part_norm(s->f + (size_t)(i * nv), d, nv);
    }
    for (int c = 0; c < s->acts.count; c++) {
        if (s->acts.act[c].kind == STI_ACT_CONTACT) b.largest = fmax(b.largest, r[c * d]);
        for (int k = 0; k < d; k++) {
            if (s->acts.act[c].row[k] != NULL) add(&b, s->acts.act[c].row[k], r[c * d + k]);
        }
    }
    for (int i = 0; i < s->links.joint_rows; i++) add(&b, &s->links.row[i], l[i]);
    for (int i = 0; i < world->moving; i++) {
        mark_balance(&b, world, i, 0, d, tol);
        mark_balance(&b, world, i, d, nv, tol);
    }
    for (int c = 0; c < s->acts.count; c++) {
        const sti_act* act = &s->acts.act[c];
        const sti_row* row = act->row[0] != NULL ? act->row[0] : act->row[1];
        const int body = row->a >= 0 ? row->a : row->b;
        if (body >= 0) mark(world, world->slot[body], law_ratio(&b, act, row, r + (size_t)(c * d)), tol);
    }
}
