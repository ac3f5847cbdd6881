// islands.c: the impulses of a step. Vehicles that touch no common contact are problems apart (islands); each is an LCP
//
//     w = h N'A N c + (Phi + h N'v_free),      A = (M - h k_v)^-1,      v_free = v + A h k
//
// solved at once for one contact, by Lemke's method for a few, and as a crowd (crowd.c) from CROWD contacts on.
#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "navigation/navigation.h"

enum { CROWD = 24 };  // from here on the sparse method is the faster one

static void join(sti_navigation* nav) {
    for (int i = 0; i < nav->count; i++) nav->island[i] = i;
    for (int k = 0; k < nav->contact_count; k++) {
        if (nav->contacts[k].other >= 0) sti_sets_join(nav->island, nav->contacts[k].vehicle, nav->contacts[k].other);
    }
    for (int i = 0; i < nav->count; i++) nav->island[i] = sti_sets_root(nav->island, i);  // ascending: roots come first
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
double sti_navigation_coupling(const sti_navigation* nav, const sti_cage_contact* a, const sti_cage_contact* b) {
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

// How far apart cages are kept: more than the rounding of a step, of positions and of their solver, takes away.
double sti_navigation_margin(const sti_navigation* nav, const sti_cage_contact* c) {
    double size = nav->vehicles[c->vehicle].cage, far = 0;
    for (int side = 0; side < 2; side++) {
        const int i = side == 0 ? c->vehicle : c->other;
        if (i < 0) continue;
        size = fmax(size, nav->vehicles[i].cage);
        for (int k = 0; k < 2; k++) far = fmax(far, fabs(nav->q[2 * (size_t)i + (size_t)k]));
    }
    return nav->keep * size + 1e-14 * far;
}

// What may be used up of the gap in the step.
double sti_navigation_room(const sti_navigation* nav, const sti_cage_contact* c) {
    return nav->apart ? c->gap - sti_navigation_margin(nav, c) : c->gap;
}

static double ahead(const sti_navigation* nav, const sti_cage_contact* c, const double* v) {
    double rate = c->n[0] * v[2 * c->vehicle] + c->n[1] * v[2 * c->vehicle + 1];
    if (c->other >= 0) rate -= c->n[0] * v[2 * c->other] + c->n[1] * v[2 * c->other + 1];
    return sti_navigation_room(nav, c) + nav->h * rate;
}

static void apply(const sti_navigation* nav, const int* order, int count) {
    for (int p = 0; p < count; p++) {
        const sti_cage_contact* c = &nav->contacts[order[p]];
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

static sti_status pivot(sti_navigation* nav, const int* order, int count, double* M, const double* q,
                        sti_navigation_report* r) {
    const size_t n = (size_t)count;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            M[i * n + j] = nav->h * sti_navigation_coupling(nav, &nav->contacts[order[i]], &nav->contacts[order[j]]);
    }
    const sti_lcp lcp = {.n = count, .M = sti_matrix_dense_view(count, count, M), .q = q};
    sti_lcp_options options = sti_lcp_options_default();
    sti_lcp_answer answer;
    options.solver = STI_LCP_LEMKE;
    sti_status status = sti_lcp_solve(nav->env, &lcp, &options, &answer);
    if (status == STI_OK && (answer.outcome != STI_SOLVED || answer.residual > 1e-9)) {
        sti_lcp_answer_clear(nav->env, &answer);
        options.solver = STI_LCP_AUTO;
        status = sti_lcp_solve(nav->env, &lcp, &options, &answer);
    }
    if (status != STI_OK) return status;
    for (int i = 0; i < count && answer.outcome == STI_SOLVED; i++) nav->contacts[order[i]].impulse = answer.z[i];
    if (answer.outcome != STI_SOLVED) r->outcome = answer.outcome;
    r->residual = fmax(r->residual, answer.residual);
    sti_lcp_answer_clear(nav->env, &answer);
    return STI_OK;
}

// Impulses of the `count` contacts in order, and the velocities that follow.
static sti_status solve(sti_navigation* nav, const int* order, int count, sti_navigation_report* r) {
    const size_t n = (size_t)count;
    bool open = true;  // nothing presses: that is a solution
    r->islands++;
    for (int i = 0; i < count; i++) open = open && ahead(nav, &nav->contacts[order[i]], nav->free_v) >= 0;
    if (count >= CROWD && !open) {
        bool solved;
        double missed = 0;
        const sti_status status = sti_crowd_solve(nav, order, count, &solved, &missed);
        if (solved) r->residual = fmax(r->residual, missed);
        if (status != STI_OK || solved) return status;
    }
    for (int i = 0; i < count; i++) nav->contacts[order[i]].impulse = 0;
    if (open) return STI_OK;
    if (count == 1) {
        sti_cage_contact* c = &nav->contacts[order[0]];
        c->impulse = -ahead(nav, c, nav->free_v) / (nav->h * sti_navigation_coupling(nav, c, c));
        apply(nav, order, count);
        return STI_OK;
    }
    double* M = sti_alloc_array(nav->env, sti_size_mul(n, n + 1), sizeof *M);
    if (M == NULL) return STI_ERR_MEMORY;
    double* q = M + n * n;
    for (int i = 0; i < count; i++) q[i] = ahead(nav, &nav->contacts[order[i]], nav->free_v);
    const sti_status status = pivot(nav, order, count, M, q, r);
    sti_free(nav->env, M);
    if (status == STI_OK) apply(nav, order, count);
    return status;
}

sti_status sti_navigation_solve(sti_navigation* nav, sti_navigation_report* r) {
    int* first = sti_alloc_array(nav->env, (size_t)nav->count + 1, sizeof *first);
    if (first == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    join(nav);
    group(nav, first);
    r->islands = 0;
    memcpy(nav->v_new, nav->free_v, 2 * (size_t)nav->count * sizeof *nav->v_new);
    for (int i = 0; status == STI_OK && i < nav->count; i++) {
        const int begin = first[i + 1], end = i + 1 < nav->count ? first[i + 2] : nav->contact_count;
        if (end > begin) status = solve(nav, nav->order + begin, end - begin, r);
    }
    sti_free(nav->env, first);
    return status;
}
