// step.c: contacts of cages, and one step of all vehicles.
//
// Contacts are those that vehicles can come to in the step, found by boxes around their reach; a vehicle that goes farther than it
// was thought to gets a longer reach, and the step is made again. Vehicles that touch no common contact are problems apart
// (islands); each is an LCP in its impulses
//
//     w = h N'A N c + (Phi + h N'v_free),      A = (M - h k_v)^-1,      v_free = v + A h k
//
// solved by Lemke's method. One contact alone is solved at once.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "navigation/navigation.h"

// ---- contacts

static sti_status add(sti_navigation* nav, int vehicle, int other, double gap, const double n[2]) {
    if (nav->contact_count == nav->contact_room) {
        const int room = 2 * nav->contact_room + 64;
        sti_cage_contact* more = sti_realloc_array(nav->env, nav->contacts, (size_t)room, sizeof *more);
        if (more != NULL) nav->contacts = more;
        int* order = sti_realloc_array(nav->env, nav->order, (size_t)room, sizeof *order);
        if (order != NULL) nav->order = order;
        if (more == NULL || order == NULL) return STI_FAIL(nav->env, STI_ERR_MEMORY, -1, "contacts of cages");
        nav->contact_room = room;
    }
    nav->contacts[nav->contact_count++] =
        (sti_cage_contact){.vehicle = vehicle, .other = other, .gap = gap, .n = {n[0], n[1]}};
    return STI_OK;
}

static sti_status find_still(sti_navigation* nav, int i) {
    const double *q = nav->q + 2 * (size_t)i, cage = nav->vehicles[i].cage, reach = nav->reach[i];
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < nav->wall_count; k++) {
        const sti_wall* w = &nav->walls[k];
        const double gap = w->normal[0] * (q[0] - w->point[0]) + w->normal[1] * (q[1] - w->point[1]) - cage;
        if (gap <= reach) status = add(nav, i, -1 - k, gap, w->normal);
    }
    for (int k = 0; status == STI_OK && k < nav->obstacle_count; k++) {
        const sti_obstacle* o = &nav->obstacles[k];
        double p[2], n[2];
        if (hypot(q[0] - o->pose[0], q[1] - o->pose[1]) - o->shape.reach - cage > reach) continue;
        sti_take(o->pose, q, p);
        const int count = sti_outline_feet(&o->shape, p, cage + reach, nav->feet);
        for (int f = 0; status == STI_OK && f < count; f++) {
            sti_turn(o->pose[2], nav->feet[f].n, n);
            status = add(nav, i, -1 - nav->wall_count - k, nav->feet[f].gap - cage, n);
        }
    }
    return status;
}

static sti_status find_pairs(sti_navigation* nav) {
    const sti_box_pair* pairs;
    int count;
    for (int i = 0; i < nav->count; i++) {
        const double r = nav->vehicles[i].cage + nav->reach[i], *q = nav->q + 2 * (size_t)i;
        nav->boxes[i] = (sti_aabb){.lower = {q[0] - r, q[1] - r, 0}, .upper = {q[0] + r, q[1] + r, 0}};
    }
    sti_status status = sti_broadphase_update(nav->broad, nav->count, nav->boxes, NULL, &pairs, &count);
    for (int p = 0; status == STI_OK && p < count; p++) {
        const int a = pairs[p].a, b = pairs[p].b;
        const double d[2] = {nav->q[2 * a] - nav->q[2 * b], nav->q[2 * a + 1] - nav->q[2 * b + 1]},
                     apart = hypot(d[0], d[1]);
        const double gap = apart - nav->vehicles[a].cage - nav->vehicles[b].cage;
        const double n[2] = {apart > 0 ? d[0] / apart : 1, apart > 0 ? d[1] / apart : 0};
        if (gap <= nav->reach[a] + nav->reach[b]) status = add(nav, a, b, gap, n);
    }
    return status;
}

sti_status sti_navigation_find(sti_navigation* nav) {
    sti_status status = STI_OK;
    nav->contact_count = 0;
    for (int i = 0; status == STI_OK && i < nav->count && nav->wall_count + nav->obstacle_count > 0; i++)
        status = find_still(nav, i);
    return status == STI_OK && nav->count > 1 ? find_pairs(nav) : status;
}

// ---- motion without contacts

// v_free = v + (m I - h k_v)^-1 h k
static sti_status move_freely(sti_navigation* nav) {
    const double h = nav->h, t = (double)(nav->step + 1) * h;
    for (int i = 0; i < nav->count; i++) {
        const sti_vehicle* it = &nav->vehicles[i];
        double *k = nav->k + 2 * (size_t)i, *A = nav->A + 4 * (size_t)i, k_v[4];
        const double *q = nav->q + 2 * (size_t)i, *v = nav->v + 2 * (size_t)i;
        const sti_status status = sti_system_force(it->system, t, q, v, k, NULL, k_v);
        if (status != STI_OK) return status;
        const double a = it->mass - h * k_v[0], b = -h * k_v[1], c = -h * k_v[2], d = it->mass - h * k_v[3],
                     det = a * d - b * c;
        if (!(fabs(det) > 1e-14 * (fabs(a * d) + fabs(b * c))))
            return STI_FAIL(nav->env, STI_ERR_INPUT, i, "\"%.60s\": M - h k_v is singular at t = %g", it->name, t);
        A[0] = d / det;
        A[1] = -b / det;
        A[2] = -c / det;
        A[3] = a / det;
        for (int j = 0; j < 2; j++) nav->free_v[2 * i + j] = v[j] + h * (A[2 * j] * k[0] + A[2 * j + 1] * k[1]);
    }
    return STI_OK;
}

// ---- islands

static int root_of(const sti_navigation* nav, int i) {
    while (nav->island[i] != i) i = nav->island[i];
    return i;
}

static void join(sti_navigation* nav) {
    for (int i = 0; i < nav->count; i++) nav->island[i] = i;
    for (int k = 0; k < nav->contact_count; k++) {
        if (nav->contacts[k].other < 0) continue;
        const int a = root_of(nav, nav->contacts[k].vehicle), b = root_of(nav, nav->contacts[k].other);
        if (a < b)
            nav->island[b] = a;
        else
            nav->island[a] = b;
    }
    for (int i = 0; i < nav->count; i++) nav->island[i] = root_of(nav, i);  // ascending: roots come first
}

// Contacts grouped by island, in their order: counting.
static void group(sti_navigation* nav, int* first) {
    for (int i = 0; i <= nav->count; i++) first[i] = 0;
    for (int k = 0; k < nav->contact_count; k++) first[nav->island[nav->contacts[k].vehicle] + 1]++;
    for (int i = 0; i < nav->count; i++) first[i + 1] += first[i];
    for (int k = nav->contact_count - 1; k >= 0; k--) {
        const int island = nav->island[nav->contacts[k].vehicle];
        nav->order[--first[island + 1]] = k;
    }
}

// n'A n of contacts a and b on the vehicles that they share; signs are those of the normals.
static double coupling(const sti_navigation* nav, const sti_cage_contact* a, const sti_cage_contact* b) {
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        const int mine = i == 0 ? a->vehicle : a->other;
        for (int j = 0; mine >= 0 && j < 2; j++) {
            const int its = j == 0 ? b->vehicle : b->other;
            if (mine != its) continue;
            const double* A = nav->A + 4 * (size_t)mine;
            const double x = A[0] * b->n[0] + A[1] * b->n[1], y = A[2] * b->n[0] + A[3] * b->n[1];
            sum += (i == j ? 1 : -1) * (a->n[0] * x + a->n[1] * y);
        }
    }
    return sum;
}

static double ahead(const sti_navigation* nav, const sti_cage_contact* c, const double* v) {
    double rate = c->n[0] * v[2 * c->vehicle] + c->n[1] * v[2 * c->vehicle + 1];
    if (c->other >= 0) rate -= c->n[0] * v[2 * c->other] + c->n[1] * v[2 * c->other + 1];
    return c->gap + nav->h * rate;
}

// Impulses of the `count` contacts in order.
static sti_status solve(sti_navigation* nav, const int* order, int count, sti_navigation_report* r) {
    const double h = nav->h;
    const size_t n = (size_t)count;
    r->islands++;
    if (count == 1) {
        sti_cage_contact* c = &nav->contacts[order[0]];
        const double w = ahead(nav, c, nav->free_v), a = h * coupling(nav, c, c);
        c->impulse = w < 0 ? -w / a : 0;
        return STI_OK;
    }
    bool open = true;  // nothing presses: that is a solution
    double* M = sti_alloc_array(nav->env, sti_size_mul(n, n + 1), sizeof *M);
    if (M == NULL) return STI_FAIL(nav->env, STI_ERR_MEMORY, -1, "step of %d contacts", count);
    double* q = M + n * n;
    for (int i = 0; i < count; i++) {
        q[i] = ahead(nav, &nav->contacts[order[i]], nav->free_v);
        open = open && q[i] >= 0;
        nav->contacts[order[i]].impulse = 0;
    }
    sti_status status = STI_OK;
    if (!open) {
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < count; j++)
                M[(size_t)i * n + (size_t)j] = h * coupling(nav, &nav->contacts[order[i]], &nav->contacts[order[j]]);
        }
        const sti_lcp lcp = {.n = count, .M = sti_matrix_dense_view(count, count, M), .q = q};
        sti_lcp_options options = sti_lcp_options_default();
        sti_lcp_answer answer;
        options.solver = STI_SOLVER_LEMKE;
        status = sti_lcp_solve(nav->env, &lcp, &options, &answer);
        if (status == STI_OK && (answer.outcome != STI_SOLVED || answer.residual > 1e-9)) {
            sti_lcp_answer_clear(nav->env, &answer);
            options.solver = STI_SOLVER_AUTO;
            status = sti_lcp_solve(nav->env, &lcp, &options, &answer);
        }
        if (status == STI_OK) {
            for (int i = 0; i < count && answer.outcome == STI_SOLVED; i++)
                nav->contacts[order[i]].impulse = answer.z[i];
            if (answer.outcome != STI_SOLVED) r->outcome = answer.outcome;
            r->residual = fmax(r->residual, answer.residual);
            sti_lcp_answer_clear(nav->env, &answer);
        }
    }
    sti_free(nav->env, M);
    return status;
}

static sti_status solve_all(sti_navigation* nav, sti_navigation_report* r) {
    int* first = sti_alloc_array(nav->env, (size_t)nav->count + 1, sizeof *first);
    if (first == NULL) return STI_FAIL(nav->env, STI_ERR_MEMORY, -1, "islands");
    sti_status status = STI_OK;
    join(nav);
    group(nav, first);
    for (int i = 0; status == STI_OK && i < nav->count; i++) {
        const int begin = first[i + 1], end = i + 1 < nav->count ? first[i + 2] : nav->contact_count;
        if (end > begin) status = solve(nav, nav->order + begin, end - begin, r);
    }
    sti_free(nav->env, first);
    return status;
}

static void apply(const sti_navigation* nav) {
    memcpy(nav->v_new, nav->free_v, 2 * (size_t)nav->count * sizeof *nav->v_new);
    for (int k = 0; k < nav->contact_count; k++) {
        const sti_cage_contact* c = &nav->contacts[k];
        for (int side = 0; side < 2; side++) {
            const int i = side == 0 ? c->vehicle : c->other;
            const double f = side == 0 ? c->impulse : -c->impulse;
            if (i < 0) continue;
            const double* A = nav->A + 4 * (size_t)i;
            nav->v_new[2 * i] += f * (A[0] * c->n[0] + A[1] * c->n[1]);
            nav->v_new[2 * i + 1] += f * (A[2] * c->n[0] + A[3] * c->n[1]);
        }
    }
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
    r->deadlock = r->balance <= 1e-6;
}

static double least_gap(const sti_navigation* nav) {
    double least = INFINITY;
    for (int k = 0; k < nav->contact_count; k++) {
        const sti_cage_contact* c = &nav->contacts[k];
        const double* q = nav->q + 2 * (size_t)c->vehicle;
        double gap = INFINITY;
        if (c->other >= 0) {
            const double* p = nav->q + 2 * (size_t)c->other;
            gap = hypot(q[0] - p[0], q[1] - p[1]) - nav->vehicles[c->vehicle].cage - nav->vehicles[c->other].cage;
        } else if (-1 - c->other < nav->wall_count) {
            const sti_wall* w = &nav->walls[-1 - c->other];
            gap = w->normal[0] * (q[0] - w->point[0]) + w->normal[1] * (q[1] - w->point[1]) -
                  nav->vehicles[c->vehicle].cage;
        } else {
            const sti_obstacle* o = &nav->obstacles[-1 - c->other - nav->wall_count];
            double p[2];
            sti_take(o->pose, q, p);
            const int count = sti_outline_feet(&o->shape, p, 2 * nav->vehicles[c->vehicle].cage, nav->feet);
            for (int f = 0; f < count; f++) gap = fmin(gap, nav->feet[f].gap - nav->vehicles[c->vehicle].cage);
        }
        least = fmin(least, gap);
    }
    return least;
}

sti_status sti_navigation_step(sti_navigation* nav, sti_navigation_report* report) {
    enum { ROUNDS = 30 };
    sti_navigation_report r = {.outcome = STI_SOLVED, .least_gap = INFINITY, .balance = NAN};
    sti_status status = move_freely(nav);
    for (int i = 0; status == STI_OK && i < nav->count; i++)
        nav->reach[i] = 2 * nav->h * hypot(nav->free_v[2 * i], nav->free_v[2 * i + 1]) + 1e-3 * nav->vehicles[i].cage;
    bool again = true;
    for (int round = 0; status == STI_OK && again && round < ROUNDS; round++) {
        r.islands = 0;
        status = sti_navigation_find(nav);
        if (status == STI_OK) status = solve_all(nav, &r);
        if (status != STI_OK || r.outcome != STI_SOLVED) break;
        apply(nav);
        again = lengthen(nav);
    }
    if (status != STI_OK) return status;
    if (r.outcome == STI_SOLVED) {
        judge_deadlock(nav, &r);
        for (int i = 0; i < 2 * nav->count; i++) {
            nav->v[i] = nav->v_new[i];
            nav->q[i] += nav->h * nav->v_new[i];
        }
        nav->step++;
        r.least_gap = least_gap(nav);
    }
    r.step = nav->step;
    r.time = sti_navigation_time(nav);
    r.contact_count = nav->contact_count;
    r.contacts = nav->contacts;
    if (report != NULL) *report = r;
    return STI_OK;
}
