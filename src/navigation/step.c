// step.c: one step of all vehicles.
//
// A vehicle that goes farther than it was thought to gets a longer reach, and the step is made again.
//
// Cages are kept apart by a little more than a solver takes away (sti_navigation_margin), so that they are never below
// zero. Where there is no room for that, as between two walls that a cage just fits between, the step is made again
// without.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "navigation/navigation.h"
#include "system/system.h"

// ---- motion without contacts

// v_free = v + (m I - h k_v)^-1 h k
static sti_status move_freely(sti_navigation* nav) {
    const double h = nav->h, t = (double)(nav->step + 1) * h;
    for (int i = 0; i < nav->count; i++) {
        const sti_vehicle* it = &nav->vehicles[i];
        double *k = nav->k + 2 * (size_t)i, *A = nav->A + 4 * (size_t)i, k_v[4];
        const double *q = nav->q + 2 * (size_t)i, *v = nav->v + 2 * (size_t)i;
        const sti_status status = sti_system_force(it->system, t, q, v, k, NULL, k_v);
        if (status == STI_ERR_INPUT)
            return STI_FAIL(nav->env, status, i, "\"%.60s\": force of no finite value at (%g, %g), velocity (%g, %g)",
                            it->name, q[0], q[1], v[0], v[1]);
        if (status != STI_OK) return status;
        const double a = it->mass - h * k_v[0], b = -h * k_v[1], c = -h * k_v[2], d = it->mass - h * k_v[3],
                     det = a * d - b * c;
        if (!(fabs(det) > 1e-14 * (fabs(a * d) + fabs(b * c))))
            return STI_FAIL(nav->env, STI_ERR_INPUT, i, "\"%.60s\": M - h k_v is singular at t = %g", it->name, t);
        double* B = nav->B + 4 * (size_t)i;
        B[0] = a;
        B[1] = b;
        B[2] = c;
        B[3] = d;
        A[0] = d / det;
        A[1] = -b / det;
        A[2] = -c / det;
        A[3] = a / det;
        for (int j = 0; j < 2; j++) nav->free_v[2 * i + j] = v[j] + h * (A[2 * j] * k[0] + A[2 * j + 1] * k[1]);
    }
    return STI_OK;
}

// Whose step was longer than its reach gets more; false: nobody's was.
static bool lengthen(const sti_navigation* nav) {
    bool any = false;
    for (int i = 0; i < nav->count; i++) {
        const double way = nav->h * hypot(nav->v_new[2 * i], nav->v_new[2 * i + 1]);
        if (way <= nav->reach[i]) continue;
        nav->reach[i] = 2 * way;
        any = true;
    }
    return any;
}

// ---- the step

// Forces that change with time may let go what they hold.
static bool is_steady(const sti_navigation* nav) {
    for (int i = 0; i < nav->count; i++) {
        if (!nav->vehicles[i].system->steady) return false;
    }
    return true;
}

static void judge_deadlock(const sti_navigation* nav, sti_navigation_report* r) {
    double force = 0, worst = 0;
    r->deadlock = false;
    r->balance = NAN;
    for (int i = 0; i < nav->count; i++) {
        const double way = nav->h * hypot(nav->v_new[2 * i], nav->v_new[2 * i + 1]);
        if (way > 1e-9 * nav->vehicles[i].cage) return;
    }
    for (int i = 0; i < nav->count; i++) {
        double sum[2] = {nav->k[2 * i], nav->k[2 * i + 1]};
        force = fmax(force, hypot(sum[0], sum[1]));
        for (int k = 0; k < nav->contact_count; k++) {
            const sti_cage_contact* c = &nav->contacts[k];
            const double sign = c->vehicle == i ? 1 : c->other == i ? -1 : 0;
            for (int j = 0; j < 2; j++) sum[j] += sign * c->n[j] * c->impulse / nav->h;
        }
        worst = fmax(worst, hypot(sum[0], sum[1]));
    }
    if (!(force > 0)) return;
    r->balance = worst / force;
    r->deadlock = r->balance <= 1e-6 && is_steady(nav);
}

// Contacts that press, for the next step to begin with.
static sti_status keep_pressing(sti_navigation* nav) {
    if (nav->contact_count > nav->pressing_room) {
        sti_cage_contact* more = sti_realloc_array(nav->env, nav->pressing, (size_t)nav->contact_room, sizeof *more);
        if (more == NULL) return STI_ERR_MEMORY;
        nav->pressing = more;
        nav->pressing_room = nav->contact_room;
    }
    nav->pressing_count = 0;
    for (int k = 0; k < nav->contact_count; k++) {
        if (nav->contacts[k].impulse > 0) nav->pressing[nav->pressing_count++] = nav->contacts[k];
    }
    return STI_OK;
}

static sti_status settle(sti_navigation* nav, sti_navigation_report* r) {
    enum { ROUNDS = 30 };
    sti_status status = STI_OK;
    bool again = true;
    r->outcome = STI_SOLVED;
    r->residual = 0;
    for (int round = 0; status == STI_OK && again && round < ROUNDS; round++) {
        status = sti_navigation_find(nav);
        if (status == STI_OK) status = sti_navigation_solve(nav, r);
        if (status != STI_OK || r->outcome != STI_SOLVED) break;
        again = lengthen(nav);
        if (again) status = keep_pressing(nav);
    }
    return status;
}

sti_status sti_navigation_step(sti_navigation* nav, sti_navigation_report* report) {
    sti_navigation_report r = {.outcome = STI_SOLVED, .least_gap = INFINITY, .balance = NAN};
    sti_status status = move_freely(nav);
    for (int i = 0; status == STI_OK && i < nav->count; i++)
        nav->reach[i] = 2 * nav->h * hypot(nav->free_v[2 * i], nav->free_v[2 * i + 1]) + 1e-3 * nav->vehicles[i].cage;
    nav->apart = true;
    nav->keep = STI_NAVIGATION_KEEP;
    if (status == STI_OK) status = settle(nav, &r);
    if (status == STI_OK && r.outcome != STI_SOLVED) {
        nav->apart = false;
        status = settle(nav, &r);
    }
    if (status == STI_OK && r.outcome == STI_SOLVED) status = keep_pressing(nav);
    if (status != STI_OK) return status;
    if (r.outcome == STI_SOLVED) {
        judge_deadlock(nav, &r);
        for (int i = 0; i < 2 * nav->count; i++) {
            nav->v[i] = nav->v_new[i];
            nav->q[i] += nav->h * nav->v_new[i];
        }
        nav->step++;
        r.least_gap = sti_navigation_least_gap(nav);
    }
    r.step = nav->step;
    r.time = sti_navigation_time(nav);
    r.contact_count = nav->contact_count;
    r.contacts = nav->contacts;
    if (report != NULL) *report = r;
    return STI_OK;
}
