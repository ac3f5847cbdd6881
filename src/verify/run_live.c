// run_live.c: the check of a run of bodies while it is made.
//
// A moment is written down as a recording would have it: the frame before and this one, the step before and this one,
// the contacts of this step. That is a recording of two frames, and the checks of run.c look at its last one. What they
// have found and the scales they need are kept from moment to moment; memory is that of two frames. Cost of a step:
// O(bodies log bodies + contacts + pairs of shapes whose boxes overlap).
#include <string.h>

#include "base/arena.h"
#include "verify/run.h"

struct sti_run_checker {
    sti_arena memory;
    sti_env* env;
    sti_run_verify_options options;
    sti_run_verification worst;
    sti_recorded_world window;
    sti_run_data data;
    size_t contact_room;
    double* contacts;  // the arrays of contacts in the window                   (contact_room x 26)
    double* frames;    // x, q, v, w of two frames                               (2 x 13 x bodies)
    double* bodies;    // mass, centre, inertia                                  (13 x bodies)
    int64_t* fixed;    // (bodies)
    double numbers[7][2];
    int64_t solved[2], impacts[2], frame_step[2], contact_end[2];
    double frame_time[2];
    long moments;  // seen so far
};

enum { CONTACT_COLUMNS = 26, FRAME_COLUMNS = 13, BODY_COLUMNS = 13 };

// ---- life

static void place_arrays(sti_run_checker* c) {
    sti_recorded_world* w = &c->window;
    const size_t n = (size_t)w->body_count;
    w->mass = c->bodies;
    w->centre = w->mass + n;
    w->inertia = w->centre + 3 * n;
    w->fixed = c->fixed;
    w->x = c->frames;
    w->q = w->x + 2 * 3 * n;
    w->v = w->q + 2 * 4 * n;
    w->w = w->v + 2 * 3 * n;
    double** const numbers[] = {&w->time,   &w->kinetic,   &w->potential,  &w->work,
                                &w->mended, &w->corrected, &w->penetration};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = c->numbers[i];
    w->solved = c->solved;
    w->impacts = c->impacts;
    w->frame_step = c->frame_step;
    w->contact_end = c->contact_end;
    w->frame_time = c->frame_time;
}

static void take_bodies(sti_run_checker* c) {
    const sti_bodies* bodies = c->options.bodies;
    const sti_recorded_world* w = &c->window;
    for (int b = 0; b < w->body_count; b++) {
        const sti_body* body = sti_bodies_body(bodies, b);
        w->fixed[b] = body->fixed;
        w->mass[b] = body->mass;
        memcpy(w->centre + 3 * (size_t)b, body->centre, sizeof body->centre);
        memcpy(w->inertia + 9 * (size_t)b, body->inertia, sizeof body->inertia);
    }
}

sti_status sti_run_checker_create(sti_env* env, const sti_run_verify_options* options, sti_run_checker** out) {
    *out = NULL;
    if (options == NULL || options->bodies == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "bodies: NULL: those of the run are needed");
    if (!(options->tol >= 0) || isinf(options->tol))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol: %g: a finite number not below 0 is expected", options->tol);
    sti_run_checker* c = sti_alloc_array_zero(env, 1, sizeof *c);
    if (c == NULL) return STI_ERR_MEMORY;
    const int count = sti_bodies_count(options->bodies);
    const size_t n = (size_t)count;
    c->env = env;
    c->options = *options;
    c->memory = sti_arena_make(env);
    c->frames = sti_arena_take(&c->memory, n, 2 * FRAME_COLUMNS * sizeof *c->frames);
    c->bodies = sti_arena_take(&c->memory, n, BODY_COLUMNS * sizeof *c->bodies);
    c->fixed = sti_arena_take(&c->memory, n, sizeof *c->fixed);
    c->window = (sti_recorded_world){
        .dim = sti_bodies_dim(options->bodies), .body_count = count, .step_count = 2, .frame_count = 2};
    c->data = (sti_run_data){.env = env, .w = &c->window, .options = &c->options, .out = &c->worst};
    sti_status status = STI_OK;
    if (c->memory.status != STI_OK) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        place_arrays(c);
        take_bodies(c);
        status = sti_run_begin(&c->data);
    }
    if (status == STI_OK)
        *out = c;
    else
        sti_run_checker_destroy(c);
    return status;
}

void sti_run_checker_destroy(sti_run_checker* checker) {
    if (checker == NULL) return;
    sti_env* env = checker->env;
    sti_run_end(&checker->data);
    sti_free(env, checker->contacts);
    sti_arena_clear(&checker->memory);
    sti_free(env, checker);
}

// ---- a moment

static sti_status reserve_contacts(sti_run_checker* c, int count) {
    sti_recorded_world* w = &c->window;
    const size_t need = (size_t)count;
    if (need > c->contact_room) {
        const size_t room = need + need / 2 + 16;
        double* grown = sti_alloc_array(c->env, room, CONTACT_COLUMNS * sizeof *grown);
        if (grown == NULL) return STI_ERR_MEMORY;
        sti_free(c->env, c->contacts);
        c->contacts = grown;
        c->contact_room = room;
    }
    double** const of_one[] = {&w->gap, &w->mu};
    double** const of_two[] = {&w->contact_body, &w->contact_shape};
    double** const of_three[] = {&w->point, &w->n, &w->t1, &w->t2, &w->r, &w->u};
    double* next = c->contacts;
    w->contact_count = count;
    if (next == NULL) return STI_OK;  // no contact so far
    for (size_t i = 0; i < 2; i++, next += c->contact_room) *of_one[i] = next;
    for (size_t i = 0; i < 2; i++, next += 2 * c->contact_room) *of_two[i] = next;
    for (size_t i = 0; i < 6; i++, next += 3 * c->contact_room) *of_three[i] = next;
    return STI_OK;
}

static void take_contacts(sti_run_checker* c, const sti_run_moment* m) {
    const sti_recorded_world* w = &c->window;
    for (int i = 0; i < m->contact_count; i++) {
        const sti_world_contact* from = &m->contacts[i];
        w->gap[i] = from->gap;
        w->mu[i] = from->mu;
        w->contact_body[2 * i] = from->a;
        w->contact_body[2 * i + 1] = from->b;
        w->contact_shape[2 * i] = from->shape_a;
        w->contact_shape[2 * i + 1] = from->shape_b;
        const double* const three[] = {from->point, from->n, from->t1, from->t2, from->r, from->u};
        double* const to[] = {w->point, w->n, w->t1, w->t2, w->r, w->u};
        for (int k = 0; k < 6; k++) memcpy(to[k] + 3 * (size_t)i, three[k], 3 * sizeof(double));
    }
}

// The frame that was the last one becomes the one before it.
static void move_on(sti_run_checker* c) {
    const sti_recorded_world* w = &c->window;
    const size_t n = (size_t)w->body_count;
    double* const arrays[] = {w->x, w->q, w->v, w->w};
    static const size_t columns[] = {3, 4, 3, 3};
    for (int i = 0; i < 4; i++) memcpy(arrays[i], arrays[i] + columns[i] * n, columns[i] * n * sizeof(double));
    for (int i = 0; i < 7; i++) c->numbers[i][0] = c->numbers[i][1];
    c->frame_time[0] = c->frame_time[1];
    c->solved[0] = c->solved[1];
    c->impacts[0] = c->impacts[1];
}

static void take_frame(sti_run_checker* c, const sti_run_moment* m, size_t frame) {
    const sti_recorded_world* w = &c->window;
    const size_t n = (size_t)w->body_count;
    for (size_t b = 0; b < n; b++) {
        memcpy(w->x + 3 * (frame * n + b), m->pose[b].x, sizeof m->pose[b].x);
        memcpy(w->q + 4 * (frame * n + b), m->pose[b].q, sizeof m->pose[b].q);
    }
    memcpy(w->v + 3 * frame * n, m->v, 3 * n * sizeof(double));
    memcpy(w->w + 3 * frame * n, m->w, 3 * n * sizeof(double));
    c->frame_time[frame] = m->time;
}

static void take_report(sti_run_checker* c, const sti_world_report* r) {
    const double numbers[7] = {r->time, r->kinetic, r->potential, r->work, r->mended, r->corrected, r->penetration};
    for (int i = 0; i < 7; i++) c->numbers[i][1] = numbers[i];
    c->solved[1] = r->solved;
    c->impacts[1] = r->impacts;
}

// As a recording that begins here: the start has no step behind it.
static sti_status look_start(sti_run_checker* c, const sti_run_moment* m) {
    take_frame(c, m, 0);
    take_frame(c, m, 1);
    c->numbers[0][0] = c->numbers[0][1] = m->time;
    c->frame_step[0] = 0;
    c->contact_end[0] = 0;
    sti_run_see_frame(&c->data, 0);
    return sti_run_check_frame(&c->data, 0);
}

static sti_status look_step(sti_run_checker* c, const sti_run_moment* m) {
    sti_status status = reserve_contacts(c, m->contact_count);
    if (status != STI_OK) return status;
    move_on(c);
    take_frame(c, m, 1);
    take_report(c, m->report);
    take_contacts(c, m);
    c->frame_step[0] = 1;
    c->frame_step[1] = 2;
    c->contact_end[1] = m->contact_count;
    c->data.frames_before = c->moments - 1;
    c->data.steps_before = c->moments - 2;
    sti_run_see_step(&c->data, 1);
    sti_run_check_step(&c->data, 1);
    sti_run_see_frame(&c->data, 1);
    return sti_run_check_frame(&c->data, 1);
}

sti_status sti_run_checker_look(sti_run_checker* checker, const sti_run_moment* moment) {
    if ((checker->moments == 0) != (moment->report == NULL))
        return STI_FAIL(checker->env, STI_ERR_ARGUMENT, -1, "the start comes first, and once");
    const sti_status status = moment->report == NULL ? look_start(checker, moment) : look_step(checker, moment);
    if (status == STI_OK) checker->moments++;
    return status;
}

sti_status sti_run_checker_look_world(sti_run_checker* checker, const sti_world* world,
                                      const sti_world_report* report) {
    const size_t n = (size_t)checker->window.body_count;
    sti_pose* pose = sti_alloc_array(checker->env, n, sizeof *pose);
    double* v = sti_alloc_array(checker->env, n, 6 * sizeof *v);
    sti_status status = STI_OK;
    if (pose == NULL || v == NULL) status = STI_ERR_MEMORY;
    for (size_t b = 0; status == STI_OK && b < n; b++) {
        sti_world_pose(world, (int)b, &pose[b]);
        sti_world_velocity(world, (int)b, v + 3 * b, v + 3 * (n + b));
    }
    if (status == STI_OK) {
        sti_run_moment m = {.time = sti_world_time(world), .pose = pose, .v = v, .w = v + 3 * n, .report = report};
        if (report != NULL) m.contacts = sti_world_contacts(world, &m.contact_count);
        status = sti_run_checker_look(checker, &m);
    }
    sti_free(checker->env, pose);
    sti_free(checker->env, v);
    return status;
}

void sti_run_checker_result(const sti_run_checker* checker, sti_run_verification* out) {
    sti_run_conclude(&checker->data, out);
}

// ---- saved: what was found, the scales, and the last frame

typedef struct saved {
    char magic[8];
    int64_t bodies, moments;
    sti_run_verification worst;
    sti_run_scales scales;
    double numbers[7];
    double frame_time;
    int64_t solved, impacts;
} saved;

static const char magic[8] = "STICHK3";

sti_status sti_run_checker_save_state(const sti_run_checker* checker, void** bytes, size_t* size) {
    const size_t n = (size_t)checker->window.body_count, frames = 2 * FRAME_COLUMNS * n * sizeof(double);
    *size = sizeof(saved) + frames;
    char* to = sti_alloc(checker->env, *size);
    *bytes = to;
    if (to == NULL) return STI_ERR_MEMORY;
    saved s;
    memset(&s, 0, sizeof s);
    memcpy(s.magic, magic, sizeof magic);
    s.bodies = checker->window.body_count;
    s.moments = checker->moments;
    memcpy(&s.worst, &checker->worst, sizeof s.worst);
    memcpy(&s.scales, &checker->data.scales, sizeof s.scales);
    for (int i = 0; i < 7; i++) s.numbers[i] = checker->numbers[i][1];
    s.frame_time = checker->frame_time[1];
    s.solved = checker->solved[1];
    s.impacts = checker->impacts[1];
    memcpy(to, &s, sizeof s);
    if (frames > 0) memcpy(to + sizeof s, checker->frames, frames);
    return STI_OK;
}

// Bodies, joints and shapes that are named are there.
static bool places_fit(const sti_bodies* bodies, const sti_run_verification* v) {
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        const bool shape = i == STI_RUN_PENETRATION || i == STI_RUN_START;
        const bool body = i == STI_RUN_ROTATION || i == STI_RUN_MOTION || i == STI_RUN_MOMENTUM;
        const int most = shape                ? sti_bodies_shape_count(bodies)
                         : body               ? sti_bodies_count(bodies)
                         : i == STI_RUN_JOINT ? sti_bodies_joint_count(bodies)
                                              : INT32_MAX;
        if (v->check[i].body < -1 || v->check[i].body >= most) return false;
    }
    return true;
}

sti_status sti_run_checker_load_state(sti_run_checker* checker, const void* bytes, size_t size) {
    const size_t n = (size_t)checker->window.body_count, frames = 2 * FRAME_COLUMNS * n * sizeof(double);
    saved s;
    if (size == sizeof s + frames) memcpy(&s, bytes, sizeof s);
    if (size != sizeof s + frames || memcmp(s.magic, magic, sizeof magic) != 0 ||
        s.bodies != checker->window.body_count || s.moments < 0 || !places_fit(checker->options.bodies, &s.worst))
        return STI_FAIL(checker->env, STI_ERR_INPUT, -1, "not a saved check of these bodies");
    checker->moments = (long)s.moments;
    checker->worst = s.worst;
    checker->data.scales = s.scales;
    for (int i = 0; i < 7; i++) checker->numbers[i][1] = s.numbers[i];
    checker->frame_time[1] = s.frame_time;
    checker->solved[1] = s.solved;
    checker->impacts[1] = s.impacts;
    if (frames > 0) memcpy(checker->frames, (const char*)bytes + sizeof s, frames);
    return STI_OK;
}
