// motion_box.c: the largest box of doubts in which a system in motion keeps its contact modes, and starts in it that
// are played.
//
// The modes are those of the basis of the first step (sti_robust). A box is put forward, and the independent checker
// (src/verify/motion_box.c) is asked whether it is a theorem.
#include <math.h>
#include <string.h>

#include "plan/plan.h"

typedef struct maker {
    sti_env* env;
    const sti_system* system;
    const sti_motion_options* o;
    sti_motion_claim* out;
    sti_motion_doubt* doubts;
    sti_push_mode* modes;
} maker;

void sti_motion_claim_destroy(sti_env* env, sti_motion_claim* b) {
    if (b == NULL) return;
    sti_free(env, (void*)b->box.q);
    sti_free(env, (void*)b->box.modes);
    sti_free(env, (void*)b->box.doubts);
    sti_free(env, b->end);
    sti_free(env, b);
}

static sti_stepper_options scheme_of(const sti_motion_options* o) {
    sti_stepper_options s = sti_stepper_options_default(STI_SCHEME_ALPHA);
    s.step = o->h;
    s.alpha = o->alpha;
    s.geometry = STI_GEOMETRY_OLD;
    s.level = STI_LEVEL_GAP;
    s.gap_tol = INFINITY;
    s.stabilize = s.balance = false;
    s.refine = 0;
    s.start_as_given = true;
    return s;
}

// Friction along the tangent acts on what slides against it.
static sti_status first_modes(maker* k, bool* solved) {
    const sti_stepper_options s = scheme_of(k->o);
    sti_robust* r = NULL;
    const sti_status status = sti_robust_create(k->env, k->system, &s, 1, &r);
    if (status != STI_OK) return status;
    *solved = r->outcome == STI_SOLVED;
    bool* first = sti_alloc_array_zero(k->env, (size_t)k->out->box.contact_count, sizeof *first);
    if (first == NULL) {
        sti_robust_destroy(k->env, r);
        return STI_ERR_MEMORY;
    }
    for (int pass = 0; *solved && pass < 2; pass++) {
        for (int i = 0; i < r->pair_count; i++) {
            if (r->pair_contact[i] >= k->out->box.contact_count) continue;  // a joint
            sti_push_mode* mode = &k->modes[r->pair_contact[i]];
            bool* seen = &first[r->pair_contact[i]];
            if (pass == 0 && r->pair_kind[i] == STI_ROBUST_NORMAL && r->alpha[i]) *mode = STI_PUSH_STICK;
            if (pass == 0 || *mode == STI_PUSH_OPEN) continue;
            if (r->pair_kind[i] == STI_ROBUST_FRICTION && !*seen) {  // the direction of the tangent comes first
                *seen = true;
                if (r->alpha[i]) *mode = STI_PUSH_SLIDE_RIGHT;
            } else if (r->pair_kind[i] == STI_ROBUST_SLIDING) {
                if (!r->alpha[i])
                    *mode = STI_PUSH_STICK;
                else if (*mode == STI_PUSH_STICK)
                    *mode = STI_PUSH_SLIDE_LEFT;
            }
        }
    }
    sti_free(k->env, first);
    sti_robust_destroy(k->env, r);
    return STI_OK;
}

static sti_status holds(void* user, const double* low, const double* high, bool* good) {
    maker* k = user;
    sti_box_verification v;
    for (int i = 0; i < k->out->box.doubt_count; i++) {
        k->doubts[i].low = low[i];
        k->doubts[i].high = high[i];
    }
    const sti_status status = sti_verify_motion_box(k->env, k->system, &k->out->box, k->o->max_pieces, NULL, &v);
    *good = status == STI_OK && v.accepted;
    return status;
}

static sti_status make(maker* k) {
    sti_motion_box* b = &k->out->box;
    const size_t n = (size_t)sti_system_coordinate_count(k->system);
    double* start = sti_alloc_array_zero(k->env, 2 * n, sizeof *start);
    b->q = start;
    b->modes = k->modes = sti_alloc_array_zero(k->env, (size_t)b->contact_count, sizeof *k->modes);
    b->doubts = k->doubts = sti_alloc_array_zero(k->env, (size_t)k->o->doubt_count, sizeof *k->doubts);
    k->out->end = sti_alloc_array_zero(k->env, 4 * n, sizeof *k->out->end);
    if (start == NULL || k->modes == NULL || k->doubts == NULL || k->out->end == NULL) return STI_ERR_MEMORY;
    b->v = start + n;
    for (int i = 0; i < b->contact_count; i++) k->modes[i] = STI_PUSH_OPEN;
    for (int i = 0; i < k->o->doubt_count; i++) k->doubts[i] = k->o->doubts[i];
    b->doubt_count = k->o->doubt_count;
    bool solved = false;
    sti_status status = sti_system_state(k->system, &b->time, start, start + n);
    if (status == STI_OK) status = first_modes(k, &solved);
    if (status == STI_OK && !solved)
        k->out->proof = (sti_box_verification){.tight = -1, .text = "the first step has no solution"};
    if (status != STI_OK || !solved) return status;
    sti_growth g = {.env = k->env,
                    .doubts = b->doubt_count,
                    .rounds = k->o->rounds,
                    .weight = k->o->weight,
                    .holds = holds,
                    .user = k};
    status = sti_grow(&g, &k->out->found);
    k->out->scale = g.scale;
    return status == STI_OK ? sti_verify_motion_box(k->env, k->system, b, k->o->max_pieces, k->out->end, &k->out->proof)
                            : status;
}

sti_motion_options sti_motion_options_default(void) {
    return (sti_motion_options){.h = 0.01, .alpha = 0.5, .max_pieces = 16, .rounds = 6};
}

sti_status sti_motion_claim_create(sti_env* env, const sti_system* system, long steps,
                                   const sti_motion_options* options, sti_motion_claim** out) {
    *out = NULL;
    if (steps < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%ld steps: at least 1", steps);
    const sti_system_text* text = sti_system_text_of(system);
    if (text == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a system by formulas, from a document, is expected");
    sti_motion_claim* b = sti_alloc_array_zero(env, 1, sizeof *b);
    if (b == NULL) return STI_ERR_MEMORY;
    const sti_motion_options o = options != NULL ? *options : sti_motion_options_default();
    b->box.h = o.h;
    b->box.alpha = o.alpha;
    b->box.steps = steps;
    b->box.contact_count = text->contact_count;
    maker k = {.env = env, .system = system, .o = &o, .out = b};
    const sti_status status = make(&k);
    if (status == STI_OK)
        *out = b;
    else
        sti_motion_claim_destroy(env, b);
    return status;
}

// ---- one start, played

static bool changes(const sti_motion_box* box, const sti_step_report* r, sti_box_switch* out) {
    for (int i = 0; i < box->contact_count; i++) {
        const bool presses = r->impulse_n[i] > 0, claimed = box->modes[i] != STI_PUSH_OPEN;
        const double slip = r->slip[2 * i];
        out->contact = i;
        out->mode = !presses                       ? STI_PUSH_OPEN
                    : r->mode[i] != STI_MODE_SLIDE ? STI_PUSH_STICK
                    : slip > 0                     ? STI_PUSH_SLIDE_LEFT
                                                   : STI_PUSH_SLIDE_RIGHT;
        const bool rubs = r->impulse_t[2 * i] != 0 || out->mode == STI_PUSH_STICK;
        if (presses != claimed || (presses && rubs && out->mode != box->modes[i])) return true;
    }
    out->contact = -1;
    return false;
}

static double deviation_of(const sti_motion_box* b, const double* x, sti_motion_doubt_kind kind, int of) {
    for (int i = 0; i < b->doubt_count; i++) {
        if (b->doubts[i].kind == kind && b->doubts[i].of == of) return x[i];
    }
    return 0;
}

static sti_status play(sti_stepper* s, const sti_motion_box* box, const double* deviation, double* room, int n,
                       sti_box_switch* out) {
    for (int i = 0; i < n; i++) {
        room[i] = box->q[i] + deviation_of(box, deviation, STI_MOTION_POSITION, i);
        room[n + i] = box->v[i] + deviation_of(box, deviation, STI_MOTION_VELOCITY, i);
    }
    sti_status status = sti_stepper_set(s, box->time, room, room + n);
    for (long l = 0; status == STI_OK && l < box->steps && out->step < 0; l++) {
        sti_step_report r;
        status = sti_stepper_step(s, &r);
        if (status == STI_OK && (r.outcome != STI_SOLVED || changes(box, &r, out))) out->step = l;
    }
    return status;
}

sti_status sti_motion_claim_try(sti_env* env, sti_system* system, const sti_motion_box* box, const double* deviation,
                                sti_box_switch* out) {
    const int n = sti_system_coordinate_count(system), count = sti_system_parameter_count(system);
    const sti_motion_options options = {.h = box->h, .alpha = box->alpha};
    const sti_stepper_options scheme = scheme_of(&options);
    *out = (sti_box_switch){.step = -1, .contact = -1};
    sti_stepper* s = NULL;
    double* room = sti_alloc_array_zero(env, 2 * (size_t)n + (size_t)count, sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    double* before = room + 2 * n;
    sti_status status = STI_OK;
    for (int i = 0; i < count; i++) before[i] = sti_system_parameter_value(system, i);
    for (int i = 0; i < count && status == STI_OK; i++)
        status = sti_system_set(system, sti_system_parameter(system, i),
                                before[i] + deviation_of(box, deviation, STI_MOTION_PARAMETER, i));
    if (status == STI_OK) status = sti_stepper_create(env, system, &scheme, &s);
    if (status == STI_OK) status = play(s, box, deviation, room, n, out);
    sti_stepper_destroy(s);
    for (int i = 0; i < count; i++) sti_system_set(system, sti_system_parameter(system, i), before[i]);
    sti_free(env, room);
    return status;
}
