// velocities.c: an island of free bodies and contacts, posed in its velocities (contact/velocities.h) and read back.
#include <math.h>
#include <string.h>

#include "bodies/motion.h"

// Contacts between bodies without joints and springs, with friction in discs
static bool fits(const sti_world* world, const sti_acts* acts, int count, const int* list) {
    const sti_links* links = &world->solve->links;
    for (int i = 0; i < count; i++) {
        const sti_act* act = &acts->act[list[i]];
        if (act->kind != STI_ACT_CONTACT || act->pressed || act->section != NULL || act->row[0] == NULL) return false;
        for (int side = 0; side < 2; side++) {
            const int body = side == 0 ? act->row[0]->a : act->row[0]->b;
            if (body < 0 || world->slot[body] < 0) continue;
            if (links->assembly[links->assembly_of[world->slot[body]]].row_count > 0) return false;
        }
    }
    return true;
}

// A = M / s of a body, its inverse, and its velocities
static void pose_body(const sti_world* world, int body, const double* v_free, sti_contact_velocities* k) {
    const int d = k->d, nv = k->nv, slot = world->slot[body], at = k->bodies++, turns = nv - d;
    const sti_body_mass* mass = &world->bodies->mass[body];
    const double s = world->solve->scale;
    double *A = k->A + (size_t)(at * nv * nv), *inverse = k->inverse + 10 * (size_t)at;
    memset(A, 0, (size_t)(nv * nv) * sizeof *A);
    for (int e = 0; e < d; e++) A[e * nv + e] = mass->mass / s;
    inverse[0] = s / mass->mass;
    for (int e = 0; e < turns * turns; e++) {
        const int from = d == 2 ? 8 : e;
        A[(d + e / turns) * nv + d + e % turns] = mass->inertia[from] / s;
        inverse[1 + e] = s * mass->inverse[from];
    }
    memcpy(k->v_free + (size_t)(at * nv), v_free + (size_t)(slot * nv), (size_t)nv * sizeof *v_free);
    memcpy(k->v_before + (size_t)(at * nv), world->solve->v_star + (size_t)(slot * nv), (size_t)nv * sizeof *v_free);
}

// number: of a slot among the bodies of the island, -1: not met yet
static void pose_contact(const sti_world* world, const sti_acts* acts, int act_index, int i, const double* v_free,
                         int* number, sti_contact_velocities* k) {
    const sti_act* act = &acts->act[act_index];
    const int d = k->d, nv = k->nv;
    for (int side = 0; side < 2; side++) {
        const int body = side == 0 ? act->row[0]->a : act->row[0]->b, slot = body < 0 ? -1 : world->slot[body];
        double* h = k->H + (size_t)(2 * i + side) * (size_t)(d * nv);
        memset(h, 0, (size_t)(d * nv) * sizeof *h);
        k->body[2 * i + side] = -1;
        if (slot < 0) continue;
        if (number[slot] < 0) {
            number[slot] = k->bodies;
            pose_body(world, body, v_free, k);
        }
        k->body[2 * i + side] = number[slot];
        for (int a = 0; a < d; a++) {
            if (act->row[a] != NULL)
                memcpy(h + (size_t)(a * nv), side == 0 ? act->row[a]->ja : act->row[a]->jb, (size_t)nv * sizeof *h);
        }
    }
    k->mu[i] = act->mu;
    for (int a = 0; a < d; a++) {
        k->w[i * d + a] = act->w[a];
        k->r[i * d + a] = acts->r[act_index * d + a];
    }
}

sti_status sti_island_velocities(sti_world* world, sti_acts* acts, int count, const int* list, const double* v_free,
                                 double tol, double* reached, long* iterations) {
    sti_contact_velocities* k = &world->solve->velocities;
    *reached = INFINITY;
    if (!fits(world, acts, count, list)) return STI_OK;
    sti_status status = sti_contact_velocities_reserve(k, world->env, world->dim, count, world->moving);
    if (status != STI_OK) return status;
    int* number = k->near;  // scratch until it runs
    for (int s = 0; s < world->moving; s++) number[s] = -1;
    k->bodies = 0;
    k->margin = true;
    for (int i = 0; i < count; i++) pose_contact(world, acts, list[i], i, v_free, number, k);
    status = sti_contact_velocities_run(k, tol, reached);
    *iterations += k->factors;
    for (int i = 0; i < count && status == STI_OK && isfinite(*reached); i++)
        memcpy(acts->r + (size_t)(list[i] * k->d), k->best + (size_t)(i * k->d), (size_t)k->d * sizeof *k->best);
    return status;
}
