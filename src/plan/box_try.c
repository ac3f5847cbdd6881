// box_try.c: a box of doubts, tried: does the stepper keep the modes from one start?
#include <math.h>
#include <stiction/plan.h>

#include "base/env.h"

typedef struct trial {
    sti_env* env;
    sti_manipulation* m;
    const sti_push_box* box;
    const double* deviation;
} trial;

static double deviation_of(const trial* t, sti_doubt_kind kind, int of) {
    for (int i = 0; t->deviation != NULL && i < t->box->doubt_count; i++) {
        if (t->box->doubts[i].kind == kind && t->box->doubts[i].of == of) return t->deviation[i];
    }
    return 0;
}

static int things_of(const sti_manipulation* m) {
    return sti_manipulation_part_count(m) + sti_manipulation_fixture_count(m) + sti_manipulation_probe_count(m);
}

// Probes with the deviations; with none, as the file has them.
static sti_status disturb(const trial* t) {
    const int probes = sti_manipulation_probe_count(t->m);
    sti_status status = STI_OK;
    for (int i = 0; i < probes && status == STI_OK; i++) {
        const double place[2] = {deviation_of(t, STI_DOUBT_PLACE_X, i), deviation_of(t, STI_DOUBT_PLACE_Y, i)};
        status = sti_manipulation_disturb(t->m, i, place, deviation_of(t, STI_DOUBT_TURN, i),
                                          deviation_of(t, STI_DOUBT_SPEED, i));
    }
    return status;
}

// Friction of parts with all that comes behind them: as it was, and as it was with the deviations.
static void keep_friction(const trial* t, double* mu) {
    const int parts = sti_manipulation_part_count(t->m), things = things_of(t->m);
    for (int i = 0; i < parts * things; i++) mu[i] = sti_manipulation_friction(t->m, i / things, i % things);
}

static void set_friction(const trial* t, const double* mu, double share) {
    const int parts = sti_manipulation_part_count(t->m), things = things_of(t->m);
    for (int i = 0; i < parts * things; i++) {
        if (i % things > i / things)
            sti_manipulation_rub(t->m, i / things, i % things,
                                 fmax(0, mu[i] + share * deviation_of(t, STI_DOUBT_MU, i % things)));
    }
}

static bool is_same(const sti_push_contact* a, const sti_push_contact* b) {
    return a->part == b->part && a->against == b->against && a->other == b->other && a->own == b->own &&
           a->corner == b->corner && a->face == b->face;
}

// Another tip of the same probe sticks to the same edge.
static bool in_fork(const trial* t, int i) {
    const sti_push_box* box = t->box;
    const sti_push_contact* c = &box->contacts[i];
    if (c->against != STI_PUSH_TIP || box->modes[i] != STI_PUSH_STICK) return false;
    for (int k = 0; k < box->contact_count; k++) {
        const sti_push_contact* d = &box->contacts[k];
        if (k != i && d->against == STI_PUSH_TIP && box->modes[k] == STI_PUSH_STICK && d->part == c->part &&
            d->face == c->face &&
            sti_manipulation_tip_probe(t->m, d->other) == sti_manipulation_tip_probe(t->m, c->other))
            return true;
    }
    return false;
}

// The mode of a contact, as the box speaks of it.
static sti_push_mode mode_in(const trial* t, int i, const sti_push_force* f) {
    const bool sliding = f->mode == STI_PUSH_SLIDE_LEFT || f->mode == STI_PUSH_SLIDE_RIGHT;
    return sliding && fabs(f->slip) <= t->box->slip && in_fork(t, i) ? STI_PUSH_STICK : f->mode;
}

// Contacts of the box that are not in their mode any more, or others that press.
static bool changes(const trial* t, const sti_push_report* r, sti_box_switch* out) {
    const sti_push_box* box = t->box;
    out->contact = -1;
    out->mode = STI_PUSH_OPEN;
    if (r->end != STI_PUSH_MOVED) return true;
    for (int i = 0; i < box->contact_count; i++) {
        sti_push_mode mode = STI_PUSH_OPEN;
        for (int k = 0; k < r->contact_count; k++) {
            if (is_same(&r->contacts[k], &box->contacts[i])) mode = mode_in(t, i, &r->forces[k]);
        }
        out->contact = i;
        out->mode = mode;
        if (mode != box->modes[i]) return true;
    }
    out->contact = -1;
    for (int k = 0; k < r->contact_count; k++) {
        bool known = r->forces[k].mode == STI_PUSH_OPEN;
        for (int i = 0; i < box->contact_count && !known; i++) known = is_same(&r->contacts[k], &box->contacts[i]);
        out->mode = r->forces[k].mode;
        if (!known) return true;
    }
    return false;
}

static sti_status play(const trial* t, sti_push* push, double* room, sti_box_switch* out) {
    const int n = 3 * sti_manipulation_part_count(t->m);
    sti_status status = STI_OK;
    for (int i = 0; i < n; i++) {
        room[i] = t->box->start[i] + deviation_of(t, (sti_doubt_kind)(STI_DOUBT_X + i % 3), i / 3);
        room[n + i] = 0;
    }
    sti_push_set(push, 0, room, room + n);
    for (long l = 0; status == STI_OK && l < t->box->steps && out->step < 0; l++) {
        sti_push_report r;
        status = sti_push_step(push, &r);
        if (status == STI_OK && changes(t, &r, out)) out->step = l;
    }
    return status;
}

sti_status sti_robust_box_try(sti_env* env, sti_manipulation* m, const sti_push_box* box, const double* deviation,
                              sti_box_switch* out) {
    trial t = {.env = env, .m = m, .box = box, .deviation = deviation};
    const size_t n = 3 * (size_t)sti_manipulation_part_count(m);
    sti_push* push = NULL;
    *out = (sti_box_switch){.step = -1, .contact = -1};
    double* room = sti_alloc_array_zero(env, 2 * n + n * (size_t)things_of(m), sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    double* mu = room + 2 * n;
    keep_friction(&t, mu);
    set_friction(&t, mu, 1);
    sti_status status = disturb(&t);
    if (status == STI_OK) status = sti_push_create(env, m, box->h, &push);
    if (status == STI_OK) status = play(&t, push, room, out);
    sti_push_destroy(push);
    set_friction(&t, mu, 0);
    t.deviation = NULL;
    if (status != STI_ERR_INPUT) disturb(&t);
    sti_free(env, room);
    return status;
}
