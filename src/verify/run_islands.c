// run_islands.c: of a recorded run: what the numbers of a frame are parts of, for each island by itself.
//
// An island is what contacts, joints and springs hold together; what does not move ends it. A step is solved island by
// island, so an impulse in one, however large, is no measure of another. Of a frame without a scene joints are not
// known, and all bodies are one.
#include "base/sets.h"
#include "verify/run.h"

// -1: the world.
static void join(const sti_run_data* k, int a, int b) {
    if (a >= 0 && b >= 0 && !k->w->fixed[a] && !k->w->fixed[b]) sti_sets_join(k->island, a, b);
}

static void join_joint(const sti_run_data* k, const sti_bodies* bodies, int j) {
    const sti_joint* joint = sti_bodies_joint(bodies, j);
    if (joint->kind != STI_JOINT_GEAR) {
        join(k, joint->a, joint->b);
        return;
    }
    const sti_joint *one = sti_bodies_joint(bodies, joint->of[0]), *two = sti_bodies_joint(bodies, joint->of[1]);
    const int of[4] = {one->a, one->b, two->a, two->b};
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < i; l++) join(k, of[i], of[l]);
}

static void join_all(const sti_run_data* k, long frame) {
    const sti_bodies* bodies = k->options->bodies;
    int before = -1;
    for (int b = 0; b < k->w->body_count; b++) k->island[b] = b;
    for (int b = 0; bodies == NULL && b < k->w->body_count; b++) {
        if (k->w->fixed[b]) continue;
        join(k, before, b);
        before = b;
    }
    for (int j = 0; bodies != NULL && j < sti_bodies_joint_count(bodies); j++) join_joint(k, bodies, j);
    for (int j = 0; bodies != NULL && j < sti_bodies_spring_count(bodies); j++)
        join(k, sti_bodies_spring(bodies, j)->a, sti_bodies_spring(bodies, j)->b);
    for (long i = sti_run_first_contact(k, frame); i < k->w->contact_end[frame]; i++)
        join(k, (int)k->w->contact_body[2 * i], (int)k->w->contact_body[2 * i + 1]);
}

static void add_bodies(const sti_run_data* k, long frame, double length) {
    const sti_recorded_world* w = k->w;
    for (int b = 0; b < w->body_count; b++) {
        sti_run_island* m = &k->measure[sti_sets_root(k->island, b)];
        if (w->fixed[b]) continue;
        for (long f = frame > 0 ? frame - 1 : 0; f <= frame; f++) {
            const double speed = sti_run_norm(sti_run_at(k, w->v, 3, f, b));
            const double turning = 0.1 * length * sti_run_norm(sti_run_at(k, w->w, 3, f, b));
            m->speed = fmax(m->speed, fmax(speed, turning));
            m->impulse = fmax(m->impulse, w->mass[b] * speed);
        }
        m->mass = fmin(m->mass, w->mass[b]);
        m->tied = m->tied || k->tied[b];
    }
}

void sti_run_find_islands(sti_run_data* k, long frame, double length) {
    const sti_recorded_world* w = k->w;
    const double h = sti_run_step_length(k, frame);
    double g[3] = {0};
    if (k->options->bodies != NULL) sti_bodies_gravity(k->options->bodies, g);
    const double least = fmax(h * sti_run_norm(g), h > 0 ? 1e-9 * length / h : 0);
    join_all(k, frame);
    for (int b = 0; b < w->body_count; b++) k->measure[b] = (sti_run_island){.speed = least, .mass = INFINITY};
    add_bodies(k, frame, length);
    for (long i = sti_run_first_contact(k, frame); i < w->contact_end[frame]; i++) {
        sti_run_island* m = &k->measure[sti_sets_root(k->island, sti_run_mover(k, i))];
        if (!sti_run_acts(k, i)) continue;
        for (int a = 0; a < w->dim; a++) m->impulse = fmax(m->impulse, fabs(w->r[3 * i + a]));
        m->pressed = fmax(m->pressed, fabs(w->r[3 * i]));
    }
    for (int b = 0; b < w->body_count; b++) {
        sti_run_island* m = &k->measure[b];
        if (m->mass > 0 && isfinite(m->mass)) m->speed = fmax(m->speed, m->pressed / m->mass);
        if (!(m->speed > 0 && isfinite(m->speed))) m->speed = 1;
        if (!(m->impulse > 0 && isfinite(m->impulse))) m->impulse = 1;
    }
}

const sti_run_island* sti_run_island_of(const sti_run_data* k, int body) {
    return &k->measure[sti_sets_root(k->island, body)];
}
