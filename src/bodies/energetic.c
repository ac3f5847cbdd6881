// energetic.c: impacts of bodies by the energetic coefficient: the laws stronge and lzb of <stiction/impact.h>, island
// by island.
//
// Every contact of an island takes part, the ones that only rest too: each gives back e^2 of the work that compression
// took. A contact is a spring of force K d^eta; two bodies of stiffness K_a and K_b press in series,
//
//     d = (F / K_a)^(1/eta) + (F / K_b)^(1/eta),     K = (K_a^(-1/eta) + K_b^(-1/eta))^(-eta),
//
// with the stiffness of their materials, and the ratios of the K say who gets which impulse. Law stronge takes all
// alike. Joints hold without friction, limits give nothing back. The island becomes an instant with full matrices: time
// grows with the cube of its velocities.
#include <math.h>
#include <stdio.h>
#include <stiction/impact.h>
#include <string.h>

#include "base/arena.h"
#include "bodies/motion.h"

typedef struct collision {
    sti_arena memory;
    sti_world* world;
    const sti_strike* strike;
    int n, rows, joints;  // velocities, contacts, rows of joints among them
    int* place;           // of a slot in the island, -1: elsewhere        (moving)
    double *M, *v, *gradients, *offsets, *stiffness;
    sti_instant_contact* contact;
    int* act;    // of each contact that is none of a joint
    int* joint;  // rows of links
    sti_instant instant;
} collision;

static size_t at(const collision* k, int i, int j) {
    return (size_t)i * (size_t)k->n + (size_t)j;
}

static bool is_mine(const collision* k, const sti_row* row) {
    for (int side = 0; side < sti_row_sides(row); side++) {
        const double* j;
        const int slot = sti_slot_of(k->world, sti_row_side(row, side, &j));
        if (slot >= 0) return k->place[slot] >= 0;
    }
    return false;
}

// Rows of joints of the island; springs are no matter of an instant.
static void list_joints(collision* k) {
    const sti_links* links = &k->world->solve->links;
    for (int i = 0; i < links->joint_rows; i++) {
        if (!isinf(links->compliance[i]) && is_mine(k, &links->row[i])) k->joint[k->joints++] = i;
    }
}

static void spread(const collision* k, const sti_row* row, double* out) {
    const int nv = k->world->nv;
    for (int side = 0; row != NULL && side < sti_row_sides(row); side++) {
        const double* j;
        const int slot = sti_slot_of(k->world, sti_row_side(row, side, &j));
        if (slot < 0) continue;
        for (int i = 0; i < nv; i++) out[k->place[slot] * nv + i] += j[i];
    }
}

static double series(const sti_world* world, const sti_act* act) {
    if (act->kind != STI_ACT_CONTACT || world->options.law != STI_IMPACT_LZB) return 1;
    const sti_world_contact* c = &world->contact[act->of].at;
    const int shapes[2] = {c->shape_a, c->shape_b};
    const double eta = world->options.exponent;
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        const double K = world->bodies->material[world->bodies->collider[shapes[i]].material].stiffness;
        sum += K > 0 ? pow(K, -1 / eta) : 1;
    }
    return pow(sum, -eta);
}

static sti_status reserve(collision* k) {
    sti_env* env = k->world->env;
    const size_t n = (size_t)k->n, moving = (size_t)k->world->moving, all = (size_t)k->world->solve->links.joint_rows;
    const size_t p = (size_t)k->strike->count + all, d = (size_t)k->world->dim;
    k->memory = sti_arena_make(env);
    k->place = sti_arena_raw(&k->memory, moving, sizeof *k->place);
    k->M = sti_arena_take(&k->memory, n * n + n, sizeof *k->M);
    k->gradients = sti_arena_take(&k->memory, p * d, n * sizeof *k->gradients);
    k->offsets = sti_arena_take(&k->memory, p * (d + 1), sizeof *k->offsets);
    k->contact = sti_arena_take(&k->memory, p, sizeof *k->contact);
    k->joint = sti_arena_raw(&k->memory, all, sizeof *k->joint);
    if (k->memory.status != STI_OK) return k->memory.status;
    k->v = k->M + n * n;
    k->stiffness = k->offsets + p * d;
    return STI_OK;
}

static void place_bodies(collision* k, const double* v) {
    const sti_world* world = k->world;
    const int nv = world->nv;
    for (int i = 0; i < world->moving; i++) k->place[i] = -1;
    for (int i = 0; i < k->strike->body_count; i++) {
        const int slot = k->strike->slot[i];
        k->place[slot] = i;
        memcpy(k->v + (size_t)(i * nv), v + (size_t)(slot * nv), (size_t)nv * sizeof *v);
        for (int a = 0; a < nv; a++) {
            for (int b = 0; b < nv; b++) {
                double x[6] = {0}, y[6] = {0};
                x[a] = y[b] = 1;
                k->M[at(k, i * nv + a, i * nv + b)] = sti_body_mass_product(world, world->solve->body[slot], x, y);
            }
        }
    }
}

static double* next_rows(collision* k) {
    return k->gradients + (size_t)(k->rows * k->world->dim) * (size_t)k->n;
}

static void add_act(collision* k, int i) {
    const sti_act* act = &k->strike->acts->act[k->strike->act[i]];
    const int d = k->world->dim, row = k->rows;
    double *n = next_rows(k), *w = k->offsets + (size_t)(row * d);
    for (int a = 0; a < d; a++) {
        spread(k, act->row[a], n + at(k, a, 0));
        w[a] = act->w[a];
    }
    k->stiffness[row] = series(k->world, k->strike->step_act[i]);
    k->contact[row] = (sti_instant_contact){.name = "contact",
                                            .mu = act->mu,
                                            .mu_kinetic = act->mu,
                                            .restitution = k->strike->restitution[i],
                                            .tangent_count = act->mu > 0 ? d - 1 : 0,
                                            .n = n,
                                            .t = n + at(k, 1, 0),
                                            .t_rate = k->v,  // no matter of an impact
                                            .n_offset = w[0],
                                            .t_offset = w + 1};
    k->instant.tangent_total += k->contact[row].tangent_count;
    k->rows++;
}

static void add_joint(collision* k, int i) {
    double* n = next_rows(k);
    spread(k, &k->world->solve->links.row[k->joint[i]], n);
    k->contact[k->rows] = (sti_instant_contact){.name = "joint", .bilateral = true, .n = n};
    k->rows++;
}

static void write_back(const collision* k, const sti_impact* made, const sti_impact_solution* x, double* v) {
    const int nv = k->world->nv, d = k->world->dim;
    for (int i = 0; i < k->strike->body_count; i++)
        memcpy(v + (size_t)(k->strike->slot[i] * nv), x->v + (size_t)(i * nv), (size_t)nv * sizeof *v);
    for (int i = 0; i < made->p; i++) {
        double* r = k->strike->acts->r + (size_t)(k->strike->act[made->contact[i]] * d);
        r[0] = x->p_n[i];
        for (int l = made->slip[i]; l < made->slip[i + 1]; l++) r[1 + l - made->slip[i]] = x->p_t[l];
    }
}

sti_status sti_world_energetic(sti_world* world, const sti_strike* strike, double* v, bool* found, char why[200]) {
    collision k = {.world = world, .strike = strike, .n = world->nv * strike->body_count};
    sti_impact* made = NULL;
    *found = false;
    sti_status status = reserve(&k);
    if (status == STI_OK) {
        place_bodies(&k, v);
        list_joints(&k);
        for (int i = 0; i < strike->count; i++) add_act(&k, i);
        for (int i = 0; i < k.joints; i++) add_joint(&k, i);
        k.instant.n = k.n;
        k.instant.contact_count = k.rows;
        k.instant.M = k.M;
        k.instant.F = k.instant.v = k.v;  // no force is one of an impact
        k.instant.contacts = k.contact;
        sti_impact_options o = sti_impact_options_default();
        o.one_law = true;
        o.law = strike->count == 1 ? STI_IMPACT_STRONGE : STI_IMPACT_LZB;
        o.stiffness = k.stiffness;
        o.exponent = world->options.exponent;
        status = sti_impact_create(world->env, &k.instant, &o, &made);
        if (status == STI_OK) {
            *found = made->laws[o.law].count > 0;
            if (*found)
                write_back(&k, made, made->laws[o.law].solutions, v);
            else
                snprintf(why, 200, "impact, law %s: %s", sti_impact_law_text(world->options.law),
                         made->laws[o.law].why);
        }
    }
    sti_impact_destroy(world->env, made);
    sti_arena_clear(&k.memory);
    return status;
}
