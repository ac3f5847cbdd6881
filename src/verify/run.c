// run.c: the independent check of a recorded run of bodies.
//
// A recording claims poses, velocities, contact impulses and energies, frame by frame. Each claim that can be held
// against another number of the file, or against a law, is. Frames are looked at one after the other, each with those
// before it, so that a run can be checked by the same rules while it is made (run_live.c):
//
//     run_motion.c     order, rotations, ways against speeds, kinetic energy, no energy out of nothing
//     run_contacts.c   frames of contacts, friction cones, Coulomb's law, momentum
//     run_shapes.c     joints and overlaps, from the shapes of the scene at the recorded poses
//
// Worst values are kept as they are and divided by their scales, which grow, at the end.
//
// Taken at the word of the file: what mending added (`mended`), in the balance of energies. What it does not show: that
// a step was the right one among several (Coulomb's law has them), angular momentum (its balance holds to the order of
// the step only), forces in joints. Cost: O(frames (bodies log bodies + contacts)).
#include "verify/run.h"

#include <string.h>

#define STI_X(code, name, text) name,
static const char* const names[] = {STI_RUN_CHECK_LIST(STI_X)};
#undef STI_X
#define STI_X(code, name, text) text,
static const char* const texts[] = {STI_RUN_CHECK_LIST(STI_X)};
#undef STI_X

const char* sti_run_check_name(sti_run_check_kind kind) {
    return (unsigned)kind < STI_RUN_CHECK_COUNT ? names[kind] : "?";
}

const char* sti_run_check_text(sti_run_check_kind kind) {
    return (unsigned)kind < STI_RUN_CHECK_COUNT ? texts[kind] : "?";
}

sti_run_verify_options sti_run_verify_options_default(void) {
    return (sti_run_verify_options){.tol = 1e-6, .alpha = 1};
}

// ---- places and times

sti_pose sti_run_pose(const sti_run_data* k, long frame, int body) {
    sti_pose pose;
    memcpy(pose.x, sti_run_at(k, k->w->x, 3, frame, body), sizeof pose.x);
    memcpy(pose.q, sti_run_at(k, k->w->q, 4, frame, body), sizeof pose.q);
    return pose;
}

void sti_run_centre(const sti_run_data* k, long frame, int body, double c[3]) {
    const sti_pose pose = sti_run_pose(k, frame, body);
    sti_pose_apply(&pose, k->w->centre + 3 * (size_t)body, c);
}

bool sti_run_follows(const sti_run_data* k, long frame) {
    return frame > 0 && k->w->frame_step[frame] == k->w->frame_step[frame - 1] + 1;
}

double sti_run_step_length(const sti_run_data* k, long frame) {
    const int64_t step = k->w->frame_step[frame];
    if (sti_run_follows(k, frame)) return k->w->frame_time[frame] - k->w->frame_time[frame - 1];
    return step >= 2 && step <= k->w->step_count ? k->w->time[step - 1] - k->w->time[step - 2] : 0;
}

// ---- scales

double sti_run_length(const sti_run_data* k) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = k->scales.high[i] >= k->scales.low[i] ? k->scales.high[i] - k->scales.low[i] : 0;
    const double length = sti_run_norm(d) + k->scales.reach;
    return length > 0 && isfinite(length) ? length : 1;
}

// With the rounding of the potential energy itself, and of resting bodies that a step moves by rounding. Impulses are
// no part of it: what contacts add is told by themselves (run_motion.c).
static double energy_of(const sti_run_data* k) {
    const sti_run_scales* s = &k->scales;
    double most = s->kinetic;
    if (s->stepped)
        most = fmax(most, s->potential_high - s->potential_low) +
               1e-9 * fmax(fabs(s->potential_high), fabs(s->potential_low));
    most = fmax(most, 1e-6 * s->mass * s->speed * s->speed);
    return most > 0 && isfinite(most) ? most : 1;
}

static void begin_scales(sti_run_data* k) {
    sti_run_scales* s = &k->scales;
    *s = (sti_run_scales){.potential_low = INFINITY, .potential_high = -INFINITY};
    for (int i = 0; i < 3; i++) s->low[i] = -(s->high[i] = -INFINITY);
    for (int b = 0; b < k->w->body_count; b++) {
        if (k->w->fixed[b]) continue;
        s->mass += k->w->mass[b];
    }
    for (int i = 0; k->options->bodies != NULL && i < sti_bodies_shape_count(k->options->bodies); i++) {
        const double own = sti_shape_reach(sti_bodies_shape(k->options->bodies, i, NULL, NULL, NULL));
        if (isfinite(own)) s->reach = fmax(s->reach, own);
    }
}

// What gravity gives in a step, at rest the only speed there is.
static double fall_of(const sti_run_data* k, long frame) {
    double g[3];
    if (k->options->bodies == NULL) return 0;
    sti_bodies_gravity(k->options->bodies, g);
    return sti_run_norm(g) * sti_run_step_length(k, frame);
}

void sti_run_see_frame(sti_run_data* k, long frame) {
    sti_run_scales* s = &k->scales;
    for (int b = 0; b < k->w->body_count; b++) {
        double c[3];
        if (k->w->fixed[b]) continue;
        sti_run_centre(k, frame, b, c);
        for (int i = 0; i < 3; i++) {
            s->low[i] = fmin(s->low[i], c[i]);
            s->high[i] = fmax(s->high[i], c[i]);
        }
    }
    const double length = sti_run_length(k);
    for (int b = 0; b < k->w->body_count; b++) {
        if (k->w->fixed[b]) continue;
        s->speed = fmax(s->speed, sti_run_norm(sti_run_at(k, k->w->v, 3, frame, b)));
        s->speed = fmax(s->speed, 0.1 * length * sti_run_norm(sti_run_at(k, k->w->w, 3, frame, b)));
    }
    s->speed = fmax(s->speed, fall_of(k, frame));
}

void sti_run_see_step(sti_run_data* k, long step) {
    sti_run_scales* s = &k->scales;
    s->stepped = 1;
    s->kinetic = fmax(s->kinetic, k->w->kinetic[step]);
    s->potential_low = fmin(s->potential_low, k->w->potential[step]);
    s->potential_high = fmax(s->potential_high, k->w->potential[step]);
}

static double scale_of(const sti_run_data* k, sti_run_check_kind kind) {
    switch (kind) {
        case STI_RUN_MOTION:
        case STI_RUN_JOINT:
        case STI_RUN_PENETRATION:
        case STI_RUN_START:
            return sti_run_length(k);
        case STI_RUN_KINETIC:
        case STI_RUN_ENERGY:
            return energy_of(k);
        default:
            return 1;
    }
}

// ---- the whole

static sti_status check_input(sti_env* env, const sti_recorded_world* w, const sti_run_verify_options* options) {
    if (!(options->tol >= 0) || isinf(options->tol))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol: %g: a finite number not below 0 is expected", options->tol);
    if (options->bodies == NULL) return STI_OK;
    if (sti_bodies_count(options->bodies) != w->body_count || sti_bodies_dim(options->bodies) != w->dim)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1,
                        "%d bodies in dimension %d, and the recording has %d in dimension %d",
                        sti_bodies_count(options->bodies), sti_bodies_dim(options->bodies), w->body_count, w->dim);
    const int shapes = sti_bodies_shape_count(options->bodies);
    for (long i = 0; i < 2 * w->contact_count; i++) {
        int body = -1;
        const double shape = w->contact_shape[i];
        if (shape >= 0 && shape < shapes && shape == floor(shape))
            sti_bodies_shape(options->bodies, (int)shape, &body, NULL, NULL);
        if (body != (int)w->contact_body[i])
            return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "contact %ld: shape %g is none of body %g", i / 2, shape,
                            w->contact_body[i]);
    }
    return STI_OK;
}

// What a joint or a spring pulls at is not moved by contacts and gravity alone.
static void mark_tied(sti_run_data* k) {
    const sti_bodies* bodies = k->options->bodies;
    for (int j = 0; bodies != NULL && j < sti_bodies_joint_count(bodies); j++) {
        const sti_joint* joint = sti_bodies_joint(bodies, j);
        if (joint->a >= 0) k->tied[joint->a] = 1;
        if (joint->b >= 0) k->tied[joint->b] = 1;
    }
    for (int j = 0; bodies != NULL && j < sti_bodies_spring_count(bodies); j++) {
        const sti_spring* spring = sti_bodies_spring(bodies, j);
        if (spring->a >= 0) k->tied[spring->a] = 1;
        if (spring->b >= 0) k->tied[spring->b] = 1;
    }
}

sti_status sti_run_begin(sti_run_data* k) {
    const size_t bodies = (size_t)k->w->body_count;
    const size_t shapes = k->options->bodies != NULL ? (size_t)sti_bodies_shape_count(k->options->bodies) : 0;
    *k->out = (sti_run_verification){0};
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) k->out->check[i].frame = k->out->check[i].body = -1;
    k->memory = sti_arena_make(k->env);
    k->tied = sti_arena_take(&k->memory, bodies, 1);
    k->sum = sti_arena_raw(&k->memory, bodies, 3 * sizeof *k->sum);
    k->size = sti_arena_raw(&k->memory, bodies, sizeof *k->size);
    k->island = sti_arena_raw(&k->memory, bodies, sizeof *k->island);
    k->measure = sti_arena_raw(&k->memory, bodies, sizeof *k->measure);
    k->sweep = sti_arena_raw(&k->memory, shapes, sizeof *k->sweep);
    k->box = sti_arena_raw(&k->memory, shapes, sizeof *k->box);
    if (k->memory.status != STI_OK) return k->memory.status;
    mark_tied(k);
    begin_scales(k);
    return sti_run_find_apart(k);
}

void sti_run_end(sti_run_data* k) {
    sti_arena_clear(&k->memory);
    sti_free(k->env, k->apart.pair);
}

sti_status sti_run_check_frame(sti_run_data* k, long frame) {
    sti_run_check_motion(k, frame);
    sti_run_check_contacts(k, frame);
    return sti_run_check_shapes(k, frame);
}

void sti_run_conclude(const sti_run_data* k, sti_run_verification* out) {
    *out = *k->out;
    out->accepted = true;
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        sti_run_check* check = &out->check[i];
        const bool counts = i == STI_RUN_SOLVED || i == STI_RUN_ORDER;
        check->worst /= scale_of(k, (sti_run_check_kind)i);
        check->limit = counts ? 0 : i == STI_RUN_START ? INFINITY : k->options->tol;
        check->holds = check->worst <= check->limit;
        out->accepted = out->accepted && check->holds;
    }
}

sti_status sti_verify_recorded_world(sti_env* env, const sti_recorded_world* world,
                                     const sti_run_verify_options* options, sti_run_verification* out) {
    const sti_run_verify_options defaults = sti_run_verify_options_default();
    sti_run_verification worst;
    if (options == NULL) options = &defaults;
    *out = (sti_run_verification){0};
    sti_status status = check_input(env, world, options);
    if (status != STI_OK) return status;
    sti_run_data k = {.env = env, .w = world, .options = options, .out = &worst};
    status = sti_run_begin(&k);
    for (long f = 0; status == STI_OK && f < world->frame_count; f++) {
        sti_run_see_frame(&k, f);
        status = sti_run_check_frame(&k, f);
    }
    for (long s = 0; status == STI_OK && s < world->step_count; s++) {
        sti_run_see_step(&k, s);
        sti_run_check_step(&k, s);
    }
    if (status == STI_OK) sti_run_conclude(&k, out);
    sti_run_end(&k);
    return status;
}
