// jamming.c: is there a self-stress? r != 0 in the friction cones of the contacts that touch, with H r = 0, walls firm.
//
// S3 (2.3.11) calls the set of contact forces pointed when there is none (with the cone of n + mu d_s: see the errata;
// here the round cone, which contains those with facets). A bed that is not pointed is jammed: forces may grow without
// load.
//
// Two steps, each of which proves what it says.
//
//   1. Grains that can go. Let z = (v, W) be a motion of one grain such that every contact it still has parts strictly,
//
//          u_n - mu |u_t| > 0,      u = +-v - W x n                                                               (1)
//
//      Then a self-stress vanishes at all of them: the forces on the grain do no work in z, sum r'u = 0, and each term
//      is positive unless r = 0. So these contacts can be dropped, and other grains may go in turn. Grains on top of a
//      bed go first, and then those below. In one pass over the grains this proves most beds pointed. The order and the
//      motions are the certificate. z is found by the perceptron: add the generator (n + mu d) of the contact that is
//      worst, normalized. It ends after 1 / margin^2 rounds when there is such a z; after ROUNDS the grain waits until
//      it loses a neighbour.
//
//   2. What is left falls into groups with no contact between them. sti_contact_existence_analyze is asked about each
//      as a whole, a conic program in the velocities of the group: a motion as in (1) of all its grains together, or a
//      self-stress r. Both are checked there on the data. Groups beyond the size that it takes, or beyond the time
//      limit, stay unknown.
//
// Where friction of a wall is no disc both steps take a disc around the section: what has a motion for it has one for
// the section. A self-stress counts where it lies in the sections; where it does not the question stays open.
//
// One self-stress is enough to end the test; the finding holds only if all groups have a motion. Cost: O(N) for the
// first step; the second costs what the program of the largest group costs (docs/granular.md has times).
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "granular/dual.h"

enum { ROUNDS = 300 };

static const double clear_margin = 1e-7;  // of |u|, for a motion of size 1: far beyond rounding

typedef struct jam {
    sti_arena memory;
    sti_env* env;
    const sti_bed* bed;
    sti_bed_jamming* out;
    const sti_touch** touch;  // contacts of the step                        (contact_count)
    const sti_rough** rough;  // of them: those whose friction is no disc    (contact_count)
    double* mu;               // of the disc, or of one around the section   (contact_count)
    unsigned char* on;        // contact touches and was not dropped         (contact_count)
    int* start;               // contacts of a place: first in `list`        (n + 1)
    int* list;                // (2 contact_count)
    int* queue;               // places that wait for a try, in a ring       (n)
    unsigned char* waits;     // place is in the queue                       (n)
    int head, length;
    int turn;
    double deadline;  // INFINITY: none
} jam;

sti_jamming_options sti_jamming_options_default(void) {
    return (sti_jamming_options){.touch = 1e-4};
}

void sti_bed_jamming_clear(sti_env* env, sti_bed_jamming* j) {
    sti_free(env, j->turn);
    sti_free(env, j->motion);
    sti_free(env, j->r);
    *j = (sti_bed_jamming){0};
}

// ---- who touches whom

static sti_status allocate(jam* j) {
    sti_env* env = j->env;
    const size_t n = (size_t)j->bed->n, nc = (size_t)j->bed->touches;
    j->memory = sti_arena_make(env);
    j->touch = sti_arena_raw(&j->memory, nc, sizeof(const sti_touch*));
    j->rough = sti_arena_raw(&j->memory, nc, sizeof(const sti_rough*));
    j->mu = sti_arena_raw(&j->memory, nc, sizeof *j->mu);
    j->on = sti_arena_take(&j->memory, nc, 1);
    j->start = sti_arena_take(&j->memory, n + 2, sizeof(int));
    j->list = sti_arena_raw(&j->memory, 2 * nc, sizeof(int));
    j->queue = sti_arena_raw(&j->memory, n, sizeof(int));
    j->waits = sti_arena_take(&j->memory, n, 1);
    j->out->turn = sti_alloc_array(env, n, sizeof(int));
    j->out->motion = sti_alloc_array_zero(env, 6 * n, sizeof(double));
    j->out->r = sti_alloc_array_zero(env, 3 * nc, sizeof(double));
    if (j->memory.status != STI_OK || j->out->turn == NULL || j->out->motion == NULL || j->out->r == NULL)
        return STI_ERR_MEMORY;
    return STI_OK;
}

// Contacts that are closed after the step, and for every grain those it has.
static void find_touching(jam* j, double touch) {
    const sti_bed* bed = j->bed;
    int k = 0;
    for (int s = 0; s < bed->slab_count; s++) {
        for (int i = 0; i < bed->touch_count[s]; i++, k++) {
            const sti_touch* t = j->touch[k] = &bed->touch[bed->touch_first[s] + i];
            j->rough[k] = sti_rough_of(bed, s, i);
            j->mu[k] = bed->grain[t->b].mu * (j->rough[k] != NULL ? bed->reach[j->rough[k]->wall] : 1);
            double u[3];
            sti_slip(&bed->grain[t->a], &bed->grain[t->b], t->n, u);
            if (bed->options.h * (dot3(u, t->n) + t->off) > touch * bed->largest) continue;
            j->on[k] = 1;
            j->out->touching++;
            j->start[t->a + 2]++;
            if (t->b < bed->n) j->start[t->b + 2]++;
        }
    }
    for (int a = 0; a < bed->n; a++) j->start[a + 2] += j->start[a + 1];
    for (k = 0; k < bed->touches; k++) {
        if (!j->on[k]) continue;
        const sti_touch* t = j->touch[k];
        j->list[j->start[t->a + 1]++] = k;
        if (t->b < bed->n) j->list[j->start[t->b + 1]++] = k;
    }
}

// ---- step 1

// Velocity at contact k that the motion z of one grain makes.
static void slip_of(const jam* j, int k, int place, const double* z, double u[3]) {
    const double *n = j->touch[k]->n, *W = z + 3, sign = j->touch[k]->a == place ? 1 : -1;
    u[0] = sign * z[0] - (W[1] * n[2] - W[2] * n[1]);
    u[1] = sign * z[1] - (W[2] * n[0] - W[0] * n[2]);
    u[2] = sign * z[2] - (W[0] * n[1] - W[1] * n[0]);
}

// z += the generator of contact k that the motion goes against most, normalized.
static void add_generator(const jam* j, int k, int place, const double* u, double* z) {
    const sti_touch* t = j->touch[k];
    const double *n = t->n, un = dot3(u, n), mu = j->mu[k], sign = t->a == place ? 1 : -1;
    double d[3], e[3];
    for (int i = 0; i < 3; i++) d[i] = u[i] - un * n[i];
    const double size = sqrt(dot3(d, d));
    for (int i = 0; i < 3; i++) e[i] = n[i] - (size > 0 ? mu * d[i] / size : 0);
    const double turn[3] = {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]};
    const double scale = 1 / sqrt(dot3(e, e) + dot3(turn, turn));
    for (int i = 0; i < 3; i++) {
        z[i] += scale * sign * e[i];
        z[3 + i] -= scale * turn[i];
    }
}

// Least u_n - mu |u_t| over the contacts that a grain still has, for z of size 1; worst: where. No contact: INFINITY.
static double margin_of(const jam* j, int place, const double* z, int* worst, double worst_u[3]) {
    const double size = sqrt(dot3(z, z) + dot3(z + 3, z + 3));
    double least = INFINITY;
    for (int i = j->start[place]; i < j->start[place + 1]; i++) {
        const int k = j->list[i];
        if (!j->on[k]) continue;
        double u[3];
        slip_of(j, k, place, z, u);
        const double un = dot3(u, j->touch[k]->n), ut2 = dot3(u, u) - un * un;
        const double margin = un - j->mu[k] * sqrt(ut2 > 0 ? ut2 : 0);
        if (margin >= least) continue;
        least = margin;
        *worst = k;
        memcpy(worst_u, u, 3 * sizeof *u);
    }
    return size > 0 ? least / size : least > 0 ? least : -INFINITY;
}

// True: the grain can go, by the motion z (size 1).
static bool can_go(const jam* j, int place, double z[6], double* margin) {
    int worst = -1;
    double u[3] = {0};
    memset(z, 0, 6 * sizeof *z);
    for (int round = 0; round < ROUNDS; round++) {
        *margin = margin_of(j, place, z, &worst, u);
        if (*margin > clear_margin) break;
        add_generator(j, worst, place, u, z);
    }
    const double size = sqrt(dot3(z, z) + dot3(z + 3, z + 3));
    for (int i = 0; i < 6 && size > 0; i++) z[i] /= size;
    return *margin > clear_margin;
}

static void wait_for_try(jam* j, int place) {
    if (j->waits[place] || j->out->turn[j->bed->id[place]] >= 0) return;
    j->waits[place] = 1;
    j->queue[(j->head + j->length++) % j->bed->n] = place;
}

// The grain goes; its contacts are dropped, and who had one with it may be next.
static void let_go(jam* j, int place, const double* z) {
    const sti_bed* bed = j->bed;
    j->out->turn[bed->id[place]] = j->turn++;
    memcpy(j->out->motion + 6 * (size_t)bed->id[place], z, 6 * sizeof *z);
    j->out->freed++;
    for (int i = j->start[place]; i < j->start[place + 1]; i++) {
        const sti_touch* t = j->touch[j->list[i]];
        if (!j->on[j->list[i]]) continue;
        j->on[j->list[i]] = 0;
        const int other = t->a == place ? t->b : t->a;
        if (other < bed->n) wait_for_try(j, other);
    }
}

static void free_grains(jam* j) {
    for (int k = 0; k < j->bed->n; k++) {
        j->out->turn[k] = -1;
        if (j->start[j->bed->place[k]] < j->start[j->bed->place[k] + 1]) wait_for_try(j, j->bed->place[k]);
    }
    while (j->length > 0 && sti_clock() < j->deadline) {
        const int place = j->queue[j->head];
        j->head = (j->head + 1) % j->bed->n;
        j->length--;
        j->waits[place] = 0;
        double z[6], margin;
        if (!can_go(j, place, z, &margin)) continue;
        if (margin < j->out->margin) j->out->margin = margin;
        let_go(j, place, z);
    }
}

// ---- step 2

typedef struct group {
    int grains, contacts;
    int* member;  // contacts in the group                        (contacts)
    int* row;     // velocities of a place, -1: not in the group  (n)
    int* place;   // of the grains                                (grains)
} group;

// All grains that contacts lead to from a place.
static void collect(const jam* j, int from, group* g) {
    g->grains = g->contacts = 0;
    g->place[g->grains] = from;
    g->row[from] = g->grains++;
    for (int next = 0; next < g->grains; next++) {
        const int place = g->place[next];
        for (int i = j->start[place]; i < j->start[place + 1]; i++) {
            const int k = j->list[i];
            if (!j->on[k]) continue;
            const sti_touch* t = j->touch[k];
            const int other = t->a == place ? t->b : t->a;
            if (other >= j->bed->n || place == t->a) g->member[g->contacts++] = k;  // once
            if (other >= j->bed->n || g->row[other] >= 0) continue;
            g->place[g->grains] = other;
            g->row[other] = g->grains++;
        }
    }
}

// The three columns of H for contact k of the group; returns where the next one begins.
static int64_t put_columns(const jam* j, const group* g, int k, sti_matrix* H, int64_t at) {
    const sti_touch* t = j->touch[g->member[k]];
    double t1[3], t2[3];
    sti_tangents(t->n, t1, t2);
    const double *direction[3] = {t->n, t1, t2}, *n = t->n;
    const bool swapped = t->b < j->bed->n && g->row[t->b] < g->row[t->a];  // rows ascend
    for (int s = 0; s < 3; s++) {
        const double* e = direction[s];
        const double turn[3] = {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]};
        for (int side = 0; side < 2; side++) {
            const bool is_a = (side == 0) != swapped;
            const int place = is_a ? t->a : t->b;
            if (place >= j->bed->n) continue;
            for (int i = 0; i < (s == 0 ? 3 : 6); i++, at++) {
                H->row[at] = 6 * g->row[place] + i;
                H->value[at] = i < 3 ? (is_a ? e[i] : -e[i]) : -turn[i - 3];
            }
        }
        H->col_start[3 * k + s + 1] = at;
    }
    return at;
}

// The contacts of a group in (v, R omega) and with masses 1: neither plays a part here, and f = 0, w = 0.
static sti_status pose_group(const jam* j, const group* g, sti_contact_problem* p) {
    const size_t nc = (size_t)g->contacts, nv = 6 * (size_t)g->grains;
    double* number = sti_alloc_array_zero(j->env, 40 * nc + 2 * nv, sizeof *number);
    int64_t* first = sti_alloc_array_zero(j->env, 3 * nc + nv + 2, sizeof *first);
    int* index = sti_alloc_array(j->env, 36 * nc + nv, sizeof *index);
    *p = (sti_contact_problem){.dimension = 3, .contact_count = g->contacts, .global = true, .velocity_count = (int)nv};
    p->H = (sti_matrix){.rows = (int)nv, .cols = (int)(3 * nc), .col_start = first, .row = index, .value = number};
    if (number == NULL || first == NULL || index == NULL) return STI_ERR_MEMORY;
    double* mu = number + 36 * nc;
    p->mu = mu;
    p->w = mu + nc;
    p->f = p->w + 3 * nc;
    p->M = (sti_matrix){.rows = (int)nv,
                        .cols = (int)nv,
                        .col_start = first + 3 * nc + 1,
                        .row = index + 36 * nc,
                        .value = number + 40 * nc + nv};
    for (size_t i = 0; i < nv; i++) {
        p->M.col_start[i + 1] = (int64_t)i + 1;
        p->M.row[i] = (int)i;
        p->M.value[i] = 1;
    }
    int64_t at = 0;
    for (int k = 0; k < g->contacts; k++) {
        mu[k] = j->mu[g->member[k]];
        at = put_columns(j, g, k, &p->H, at);
    }
    return STI_OK;
}

static void drop_group(const jam* j, sti_contact_problem* p) {
    sti_free(j->env, p->H.value);
    sti_free(j->env, p->H.col_start);
    sti_free(j->env, p->H.row);
}

// The motion of the group, in size 1.
static void take_motion(jam* j, const group* g, const sti_contact_test* test) {
    double size = 0;
    for (int i = 0; i < 6 * g->grains; i++) size = fmax(size, fabs(test->motion[i]));
    for (int i = 0; i < g->grains; i++) {
        const int id = j->bed->id[g->place[i]];
        j->out->turn[id] = j->turn;
        for (size_t k = 0; k < 6; k++)
            j->out->motion[6 * (size_t)id + k] = size > 0 ? test->motion[6 * (size_t)i + k] / size : 0;
    }
    j->turn++;
    j->out->margin = fmin(j->out->margin, test->margin);
}

// The forces of the group, in the axes of the world, and how far they are from balance: anew from the contacts.
static sti_status take_stress(jam* j, const group* g, const sti_contact_test* test) {
    double* sum = sti_alloc_array_zero(j->env, 6 * (size_t)g->grains, sizeof *sum);
    if (sum == NULL) return STI_ERR_MEMORY;
    double pressed = 0, worst = 0;
    for (int k = 0; k < g->contacts; k++) {
        const sti_touch* t = j->touch[g->member[k]];
        const double *q = test->r + 3 * (size_t)k, *n = t->n;
        double t1[3], t2[3], *r = j->out->r + 3 * (size_t)g->member[k];
        sti_tangents(n, t1, t2);
        for (int i = 0; i < 3; i++) r[i] = q[0] * n[i] + q[1] * t1[i] + q[2] * t2[i];
        const double turn[3] = {n[1] * r[2] - n[2] * r[1], n[2] * r[0] - n[0] * r[2], n[0] * r[1] - n[1] * r[0]};
        pressed += q[0];
        for (int side = 0; side < 2; side++) {
            const int place = side == 0 ? t->a : t->b;
            if (place >= j->bed->n) continue;
            for (size_t i = 0; i < 3; i++) {
                sum[6 * (size_t)g->row[place] + i] += side == 0 ? r[i] : -r[i];
                sum[6 * (size_t)g->row[place] + 3 + i] -= turn[i];
            }
        }
    }
    for (int i = 0; i < 6 * g->grains; i++) worst = fmax(worst, fabs(sum[i]));
    j->out->defect = worst / pressed;
    sti_free(j->env, sum);
    return STI_OK;
}

// Does the stress lie in the sections as well? The discs that were asked about are larger.
static bool in_sections(const jam* j, const group* g, const sti_contact_test* test) {
    for (int k = 0; k < g->contacts; k++) {
        const sti_rough* c = j->rough[g->member[k]];
        const sti_touch* t = j->touch[g->member[k]];
        const double* q = test->r + 3 * (size_t)k;
        if (c == NULL) continue;
        double t1[3], t2[3], r[3];
        sti_tangents(t->n, t1, t2);
        for (int i = 0; i < 3; i++) r[i] = q[1] * t1[i] + q[2] * t2[i];
        const double z[2] = {dot3(r, c->t1), dot3(r, c->t2)};
        if (!(sti_section_gauge(&j->bed->friction[c->wall].section, z) <= j->bed->walls[c->wall].mu * q[0]))
            return false;
    }
    return true;
}

static sti_status ask_group(jam* j, const group* g) {
    sti_contact_problem p;
    sti_contact_existence e = {0};
    const double left = j->deadline - sti_clock();
    if (left <= 0) return STI_OK;
    sti_status status = pose_group(j, g, &p);
    if (status == STI_OK) status = sti_contact_existence_analyze(j->env, &p, isfinite(left) ? left : 0, &e);
    if (status == STI_OK) {
        if (e.pointed.finding == STI_FINDING_FAILS && !in_sections(j, g, &e.pointed))
            e.pointed.finding = STI_FINDING_UNKNOWN;
        j->out->pointed = e.pointed.finding;
        if (e.pointed.finding == STI_FINDING_HOLDS) take_motion(j, g, &e.pointed);
        if (e.pointed.finding == STI_FINDING_FAILS) status = take_stress(j, g, &e.pointed);
    }
    sti_contact_existence_clear(j->env, &e);
    drop_group(j, &p);
    return status;
}

// The finding is that of the groups: the first self-stress ends it, the first open question is remembered.
static sti_status ask_groups(jam* j) {
    const int n = j->bed->n;
    const size_t count = (size_t)n;
    group g = {.member = sti_alloc_array(j->env, (size_t)j->bed->touches, sizeof(int)),
               .row = sti_alloc_array(j->env, count, sizeof(int)),
               .place = sti_alloc_array(j->env, count, sizeof(int))};
    sti_status status = STI_OK;
    if (g.member == NULL || g.row == NULL || g.place == NULL) status = STI_ERR_MEMORY;
    sti_contact_finding worst = STI_FINDING_HOLDS;
    for (int k = 0; status == STI_OK && k < n; k++) g.row[k] = -1;
    for (int id = 0; status == STI_OK && id < n && worst != STI_FINDING_FAILS; id++) {
        const int place = j->bed->place[id];
        if (g.row[place] >= 0 || j->out->turn[id] >= 0 || j->start[place] == j->start[place + 1]) continue;
        collect(j, place, &g);
        if (g.contacts == 0) continue;
        j->out->groups++;
        j->out->group_contacts += g.contacts;
        j->out->pointed = STI_FINDING_UNKNOWN;
        status = ask_group(j, &g);
        if (j->out->pointed != STI_FINDING_HOLDS &&
            (worst == STI_FINDING_HOLDS || j->out->pointed == STI_FINDING_FAILS))
            worst = j->out->pointed;
    }
    j->out->pointed = worst;
    sti_free(j->env, g.member);
    sti_free(j->env, g.row);
    sti_free(j->env, g.place);
    return status;
}

// ---- the test

// What does not belong to the finding goes.
static void keep_what_counts(sti_env* env, sti_bed_jamming* out) {
    if (out->pointed != STI_FINDING_HOLDS) {
        sti_free(env, out->turn);
        sti_free(env, out->motion);
        out->turn = NULL;
        out->motion = NULL;
        out->margin = NAN;
    }
    if (out->pointed != STI_FINDING_FAILS) {
        sti_free(env, out->r);
        out->r = NULL;
        out->defect = NAN;
    }
}

sti_status sti_bed_jamming_analyze(sti_env* env, const sti_bed* bed, const sti_jamming_options* options,
                                   sti_bed_jamming* out) {
    const double begin = sti_clock();
    const sti_jamming_options defaults = sti_jamming_options_default();
    if (options == NULL) options = &defaults;
    *out = (sti_bed_jamming){.pointed = STI_FINDING_UNKNOWN, .margin = INFINITY};
    if (!bed->stepped) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a bed that has not made a step since it was set");
    if (!(options->touch >= 0) || !(options->time_limit_s >= 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "touch %g, time limit %g: neither may be negative", options->touch,
                        options->time_limit_s);
    if (bed->touches > INT32_MAX / 36) return STI_FAIL(env, STI_ERR_SIZE, -1, "%d contacts", bed->touches);
    out->contact_count = bed->touches;
    jam j = {.env = env,
             .bed = bed,
             .out = out,
             .deadline = options->time_limit_s > 0 ? begin + options->time_limit_s : INFINITY};
    sti_status status = allocate(&j);
    if (status == STI_OK) {
        find_touching(&j, options->touch);
        free_grains(&j);
        status = ask_groups(&j);
    }
    sti_arena_clear(&j.memory);
    if (status != STI_OK) {
        sti_bed_jamming_clear(env, out);
        return status;
    }
    keep_what_counts(env, out);
    out->time_s = sti_clock() - begin;
    return STI_OK;
}
