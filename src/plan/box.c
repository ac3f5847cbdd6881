// box.c: the largest box of doubts in which a push keeps its contact modes.
//
// The modes are those of the first step. A box is put forward and the independent checker (src/verify/box.c) is asked
// whether it is a theorem; nothing here is believed. How it grows: grow.c.
#include <math.h>
#include <stiction/plan.h>
#include <string.h>

#include "plan/plan.h"

sti_box_options sti_box_options_default(const sti_manipulation* m) {
    double size = 0;
    for (int i = 0; i < sti_manipulation_part_count(m); i++) {
        const sti_outline o = sti_manipulation_part_outline(m, i);
        size = fmax(size, o.radius);
        for (int k = 0; k < o.vertex_count; k++) size = fmax(size, hypot(o.vertices[2 * k], o.vertices[2 * k + 1]));
    }
    sti_box_options o = {.max_pieces = 64, .rounds = 6};
    for (int k = 0; k < STI_DOUBT_COUNT; k++) o.weight[k] = 1;
    o.weight[STI_DOUBT_X] = o.weight[STI_DOUBT_Y] = size;
    o.weight[STI_DOUBT_PLACE_X] = o.weight[STI_DOUBT_PLACE_Y] = size;
    return o;
}

typedef struct maker {
    sti_env* env;
    const sti_manipulation* m;
    const sti_box_options* o;
    sti_robust_box* out;
    sti_push_doubt* doubts;
    sti_push_contact* contacts;
    sti_push_mode* modes;
    signed char* friction;
    double* start;
    double* weight;  // of each doubt
} maker;

void sti_robust_box_destroy(sti_env* env, sti_robust_box* b) {
    if (b == NULL) return;
    sti_free(env, (void*)b->box.start);
    sti_free(env, (void*)b->box.contacts);
    sti_free(env, (void*)b->box.modes);
    sti_free(env, (void*)b->box.friction);
    sti_free(env, (void*)b->box.doubts);
    sti_free(env, b->end);
    sti_free(env, b);
}

// ---- what is claimed

static sti_status first_modes(maker* k) {
    sti_push* push = NULL;
    sti_push_report r;
    sti_push_box* b = &k->out->box;
    sti_status status = sti_push_create(k->env, k->m, b->h, &push);
    if (status != STI_OK) return status;
    const size_t n = 3 * (size_t)sti_manipulation_part_count(k->m);
    double* still = sti_alloc_array_zero(k->env, n, sizeof *still);
    if (still == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        sti_push_set(push, 0, k->start, still);
        status = sti_push_step(push, &r);
    }
    sti_free(k->env, still);
    if (status == STI_OK && r.end == STI_PUSH_MOVED) {
        const size_t most = (size_t)r.contact_count;
        b->contacts = k->contacts = sti_alloc_array_zero(k->env, most, sizeof *k->contacts);
        b->modes = k->modes = sti_alloc_array_zero(k->env, most, sizeof *k->modes);
        b->friction = k->friction = sti_alloc_array_zero(k->env, most, 1);
        if (k->contacts == NULL || k->modes == NULL || k->friction == NULL) status = STI_ERR_MEMORY;
        for (int i = 0; status == STI_OK && i < r.contact_count; i++) {
            if (r.forces[i].mode == STI_PUSH_OPEN) continue;
            k->contacts[b->contact_count] = r.contacts[i];
            k->modes[b->contact_count] = r.forces[i].mode;
            k->friction[b->contact_count] = (signed char)(k->o->friction && r.forces[i].mode == STI_PUSH_STICK
                                                              ? (r.forces[i].lambda_t >= 0 ? 1 : -1)
                                                              : 0);
            b->contact_count++;
        }
    } else if (status == STI_OK) {
        b->steps = 0;  // no first step
    }
    sti_push_destroy(push);
    return status;
}

static int thing_of(const maker* k, const sti_push_contact* c) {
    const int parts = sti_manipulation_part_count(k->m), fixtures = sti_manipulation_fixture_count(k->m);
    return c->against == STI_PUSH_PART      ? c->other
           : c->against == STI_PUSH_FIXTURE ? parts + c->other
                                            : parts + fixtures + sti_manipulation_tip_probe(k->m, c->other);
}

static void add_doubt(maker* k, sti_doubt_kind kind, int of) {
    sti_push_box* b = &k->out->box;
    for (int i = 0; i < b->doubt_count; i++) {
        if (k->doubts[i].kind == kind && k->doubts[i].of == of) return;
    }
    if (k->o->weight[kind] > 0) k->doubts[b->doubt_count++] = (sti_push_doubt){.kind = kind, .of = of};
}

// Friction of pairs that touch, controls of probes that do.
static sti_status list_doubts(maker* k) {
    const sti_push_box* b = &k->out->box;
    const int parts = sti_manipulation_part_count(k->m), fixtures = sti_manipulation_fixture_count(k->m);
    const size_t most = 3 * (size_t)parts + 5 * (size_t)b->contact_count;
    k->out->box.doubts = k->doubts = sti_alloc_array_zero(k->env, most, sizeof *k->doubts);
    k->weight = sti_alloc_array_zero(k->env, most, sizeof *k->weight);
    if (k->doubts == NULL || k->weight == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < parts; i++) {
        for (int j = STI_DOUBT_X; j <= STI_DOUBT_THETA; j++) add_doubt(k, (sti_doubt_kind)j, i);
    }
    for (int i = 0; i < b->contact_count; i++) add_doubt(k, STI_DOUBT_MU, thing_of(k, &k->contacts[i]));
    for (int i = 0; i < b->contact_count; i++) {
        if (k->contacts[i].against != STI_PUSH_TIP) continue;
        const int probe = thing_of(k, &k->contacts[i]) - parts - fixtures;
        for (int j = STI_DOUBT_PLACE_X; j <= STI_DOUBT_SPEED; j++) add_doubt(k, (sti_doubt_kind)j, probe);
    }
    return STI_OK;
}

// ---- how far it goes

static sti_status holds(void* user, const double* low, const double* high, bool* good) {
    maker* k = user;
    sti_box_verification v;
    for (int i = 0; i < k->out->box.doubt_count; i++) {
        k->doubts[i].low = low[i];
        k->doubts[i].high = high[i];
    }
    const sti_status status = sti_verify_push_box(k->env, k->m, &k->out->box, k->o->max_pieces, NULL, &v);
    *good = status == STI_OK && v.accepted;
    return status;
}

static sti_status search(maker* k) {
    const int count = k->out->box.doubt_count;
    for (int i = 0; i < count; i++) k->weight[i] = k->o->weight[k->doubts[i].kind];
    sti_growth g = {
        .env = k->env, .doubts = count, .rounds = k->o->rounds, .weight = k->weight, .holds = holds, .user = k};
    const sti_status status = sti_grow(&g, &k->out->found);
    k->out->scale = g.scale;
    return status;
}

static sti_status make(maker* k, const double* start) {
    const size_t n = 3 * (size_t)sti_manipulation_part_count(k->m);
    k->out->box.start = k->start = sti_alloc_array_zero(k->env, n, sizeof *k->start);
    k->out->end = sti_alloc_array_zero(k->env, 2 * n, sizeof *k->out->end);
    if (k->start == NULL || k->out->end == NULL) return STI_ERR_MEMORY;
    if (start != NULL)
        memcpy(k->start, start, n * sizeof *start);
    else
        sti_manipulation_start(k->m, k->start);
    const long steps = k->out->box.steps;
    sti_status status = first_modes(k);
    if (status == STI_OK) status = list_doubts(k);
    if (status != STI_OK) return status;
    if (k->out->box.steps == 0) {
        k->out->box.steps = steps;
        k->out->proof = (sti_box_verification){.tight = -1, .text = "the first step has no solution"};
        return STI_OK;
    }
    status = search(k);
    return status == STI_OK
               ? sti_verify_push_box(k->env, k->m, &k->out->box, k->o->max_pieces, k->out->end, &k->out->proof)
               : status;
}

sti_status sti_robust_box_create(sti_env* env, const sti_manipulation* m, const double* start, double h, long steps,
                                 const sti_box_options* options, sti_robust_box** out) {
    *out = NULL;
    if (steps < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%ld steps: at least 1", steps);
    const sti_box_options o = options != NULL ? *options : sti_box_options_default(m);
    sti_robust_box* b = sti_alloc_array_zero(env, 1, sizeof *b);
    if (b == NULL) return STI_ERR_MEMORY;
    b->box.h = h > 0 ? h : sti_manipulation_step(m);
    b->box.steps = steps;
    b->box.slip = o.slip;
    maker k = {.env = env, .m = m, .o = &o, .out = b};
    const sti_status status = make(&k, start);
    sti_free(env, k.weight);
    if (status == STI_OK)
        *out = b;
    else
        sti_robust_box_destroy(env, b);
    return status;
}
