// run.c: the independent check of a recorded run of bodies.
//
// A recording claims poses, velocities, contact impulses and energies, frame by frame. Each claim that can be held
// against another number of the file, or against a law, is:
//
//     run_motion.c     order, rotations, ways against speeds, kinetic energy, no energy out of nothing
//     run_contacts.c   frames of contacts, friction cones, Coulomb's law, momentum
//     run_shapes.c     joints and overlaps, from the shapes of the scene at the recorded poses
//
// Taken at the word of the file: what mending added (`mended`), in the balance of energies. What it does not show: that a
// step was the right one among several (Coulomb's law has them), angular momentum (its balance holds to the order of the step
// only), forces in joints. Cost: O(frames (bodies log bodies + contacts)).
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
    return (sti_run_verify_options){.tol = 1e-6};
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

// Of the box around the centres of all that moves, at all instants, and of the shapes.
static double length_of(const sti_run_data* k) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, reach = 0, d[3];
    for (long f = 0; f < k->w->frame_count; f++) {
        for (int b = 0; b < k->w->body_count; b++) {
            double c[3];
            if (k->w->fixed[b]) continue;
            sti_run_centre(k, f, b, c);
            for (int i = 0; i < 3; i++) {
                low[i] = fmin(low[i], c[i]);
                high[i] = fmax(high[i], c[i]);
            }
        }
    }
    for (int i = 0; i < 3; i++) d[i] = high[i] >= low[i] ? high[i] - low[i] : 0;
    for (int s = 0; k->options->bodies != NULL && s < sti_bodies_shape_count(k->options->bodies); s++) {
        const double own = sti_shape_reach(sti_bodies_shape(k->options->bodies, s, NULL, NULL, NULL));
        if (isfinite(own)) reach = fmax(reach, own);
    }
    const double length = sti_run_norm(d) + reach;
    return length > 0 && isfinite(length) ? length : 1;
}

// Largest speed of a body, and what the largest impulse gives to the lightest.
static double speed_of(const sti_run_data* k) {
    double most = 0, impulse = 0, mass = INFINITY;
    for (int b = 0; b < k->w->body_count; b++) {
        if (k->w->fixed[b]) continue;
        mass = fmin(mass, k->w->mass[b]);
        for (long f = 0; f < k->w->frame_count; f++) {
            most = fmax(most, sti_run_norm(sti_run_at(k, k->w->v, 3, f, b)));
            most = fmax(most, 0.1 * k->length * sti_run_norm(sti_run_at(k, k->w->w, 3, f, b)));
        }
    }
    for (long i = 0; i < k->w->contact_count; i++) impulse = fmax(impulse, fabs(k->w->r[3 * i]));
    if (mass > 0 && isfinite(mass)) most = fmax(most, impulse / mass);
    return most > 0 && isfinite(most) ? most : 1;
}

static double energy_of(const sti_run_data* k) {
    double low = INFINITY, high = -INFINITY, most = 0, mass = 0;
    for (int b = 0; b < k->w->body_count; b++) mass += k->w->fixed[b] ? 0 : k->w->mass[b];
    for (long s = 0; s < k->w->step_count; s++) {
        most = fmax(most, k->w->kinetic[s]);
        low = fmin(low, k->w->potential[s]);
        high = fmax(high, k->w->potential[s]);
    }
    // rounding of the potential energy itself, and of resting bodies that a step moves by rounding
    most = fmax(most, high > low ? high - low : 0) + 1e-9 * fmax(fabs(high), fabs(low)) * (k->w->step_count > 0);
    most = fmax(most, 1e-6 * mass * k->speed * k->speed);
    return most > 0 && isfinite(most) ? most : 1;
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

static sti_status mark_tied(sti_run_data* k) {
    k->tied = sti_alloc_array_zero(k->env, (size_t)k->w->body_count, 1);
    if (k->tied == NULL) return STI_FAIL(k->env, STI_ERR_MEMORY, -1, "marks of %d bodies", k->w->body_count);
    for (int j = 0; k->options->bodies != NULL && j < sti_bodies_joint_count(k->options->bodies); j++) {
        const sti_joint* joint = sti_bodies_joint(k->options->bodies, j);
        if (joint->a >= 0) k->tied[joint->a] = 1;
        if (joint->b >= 0) k->tied[joint->b] = 1;
    }
    return STI_OK;
}

sti_status sti_verify_recorded_world(sti_env* env, const sti_recorded_world* world,
                                     const sti_run_verify_options* options, sti_run_verification* out) {
    *out = (sti_run_verification){0};
    sti_status status = check_input(env, world, options);
    if (status != STI_OK) return status;
    sti_run_data k = {.env = env, .w = world, .options = options, .out = out};
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        const bool counts = i == STI_RUN_SOLVED || i == STI_RUN_ORDER;
        out->check[i] = (sti_run_check){.limit = counts ? 0 : options->tol, .frame = -1, .body = -1};
    }
    status = mark_tied(&k);
    if (status == STI_OK) {
        k.length = length_of(&k);
        k.speed = speed_of(&k);
        k.energy = energy_of(&k);
        sti_run_check_motion(&k);
        status = sti_run_check_contacts(&k);
    }
    if (status == STI_OK) status = sti_run_check_shapes(&k);
    sti_free(env, k.tied);
    out->accepted = status == STI_OK;
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        out->check[i].holds = out->check[i].worst <= out->check[i].limit;
        out->accepted = out->accepted && out->check[i].holds;
    }
    return status;
}
