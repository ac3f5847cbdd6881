// run_motion.c: of a recorded run: order, rotations, ways against speeds, kinetic energy, and energy in a step.
#include "verify/run.h"

// What contacts add to the energy. With u the velocity that a step moves with, the equations of motion times u say
//
//     rise of T + V  <=  work + mended + sum over contacts of r'u,
//
// and Coulomb's law that the sum is not above 0; what the check of the law lets pass is told here. Contacts of steps
// without a frame are not known: then all that the law would let pass where they press as much as in the frame before.
static double added(const sti_run_data* k, long step) {
    const sti_recorded_world* w = k->w;
    long low = 0, high = w->frame_count;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (w->frame_step[middle] < step)
            low = middle + 1;
        else
            high = middle;
    }
    const bool known = low < w->frame_count && w->frame_step[low] == step;
    const long frame = known ? low : low < w->frame_count ? low : w->frame_count - 1;
    double sum = 0, most = 0;
    if (frame < 1) return 0;
    for (long i = sti_run_first_contact(k, frame); i < w->contact_end[frame]; i++) {
        const double *r = w->r + 3 * i, *u = w->u + 3 * i;
        if (!sti_run_acts(k, i)) continue;
        sum += r[0] * u[0] + r[1] * u[1] + (w->dim == 3 ? r[2] * u[2] : 0);
        most += fabs(r[0]);
    }
    return known ? fmax(0, sum) : k->options->tol * most * k->scales.speed;
}

void sti_run_check_step(sti_run_data* k, long s) {
    const sti_recorded_world* w = k->w;
    const long number = k->steps_before + s + 1;
    sti_run_look(k, STI_RUN_SOLVED, w->solved[s] != 1, number, -1);
    const double before = s > 0 ? w->time[s - 1] : w->frame_count > 0 ? w->frame_time[0] : -INFINITY;
    sti_run_look(k, STI_RUN_ORDER, !(w->time[s] > before), number, -1);
    if (number == 1) return;
    const double rise = w->kinetic[s] + w->potential[s] - w->kinetic[s - 1] - w->potential[s - 1];
    sti_run_look(k, STI_RUN_ENERGY, fmax(0, rise - w->work[s] - w->mended[s] - added(k, s + 1)), number, -1);
}

static void check_order(sti_run_data* k, long f) {
    const sti_recorded_world* w = k->w;
    const int64_t step = w->frame_step[f], before = f > 0 ? w->frame_step[f - 1] : -1;
    const bool known = step >= 1 && step <= w->step_count;
    const bool agree = f == 0 ? step == 0 : known && w->frame_time[f] == w->time[step - 1];
    sti_run_look(k, STI_RUN_ORDER, !(step > before && agree), k->steps_before + step, -1);
}

// 1/2 m v'v + 1/2 w'R I R'w
static double kinetic_of(const sti_run_data* k, long frame, int body) {
    const double *v = sti_run_at(k, k->w->v, 3, frame, body), *w = sti_run_at(k, k->w->w, 3, frame, body);
    const double* I = k->w->inertia + 9 * (size_t)body;
    const sti_pose pose = sti_run_pose(k, frame, body);
    double R[9], own[3], sum = k->w->mass[body] * sti_run_dot(v, v);
    sti_pose_rotation(&pose, R);
    for (int i = 0; i < 3; i++) own[i] = R[i] * w[0] + R[3 + i] * w[1] + R[6 + i] * w[2];
    for (int i = 0; i < 3; i++) sum += own[i] * sti_run_dot(I + 3 * i, own);
    return 0.5 * sum;
}

static void check_frame(sti_run_data* k, long frame) {
    const sti_recorded_world* w = k->w;
    const long number = k->frames_before + frame;
    double kinetic = 0;
    for (int b = 0; b < w->body_count; b++) {
        const double* q = sti_run_at(k, w->q, 4, frame, b);
        sti_run_look(k, STI_RUN_ROTATION, fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1), number,
                     b);
        if (!w->fixed[b]) kinetic += kinetic_of(k, frame, b);
    }
    const int64_t step = w->frame_step[frame];
    if (step >= 1 && step <= w->step_count)
        sti_run_look(k, STI_RUN_KINETIC, fabs(kinetic - w->kinetic[step - 1]), number, -1);
}

static double kinetic_before(const sti_run_data* k, long frame) {
    double sum = 0;
    for (int b = 0; b < k->w->body_count; b++) sum += k->w->fixed[b] ? 0 : kinetic_of(k, frame - 1, b);
    return sum;
}

// Twice the larger of the speeds before and after: a step moves with a velocity between them, or, where it is stopped
// by a contact, with less. Impacts come after the way, and need not lie on it: a ball in a row may be pushed in the
// step that hands the blow on, at rest before and after; there the energy before says how fast it can have been.
static void check_way(sti_run_data* k, long frame) {
    const sti_recorded_world* w = k->w;
    const int64_t step = w->frame_step[frame];
    const double h = sti_run_step_length(k, frame);
    if (!sti_run_follows(k, frame) || step < 1 || step > w->step_count) return;
    const double energy = w->impacts[step - 1] > 0 ? kinetic_before(k, frame) : 0;
    for (int b = 0; b < w->body_count; b++) {
        double from[3], to[3], d[3];
        if (w->fixed[b]) continue;
        sti_run_centre(k, frame - 1, b, from);
        sti_run_centre(k, frame, b, to);
        for (int i = 0; i < 3; i++) d[i] = to[i] - from[i];
        double speed =
            fmax(sti_run_norm(sti_run_at(k, w->v, 3, frame - 1, b)), sti_run_norm(sti_run_at(k, w->v, 3, frame, b)));
        if (energy > 0 && w->mass[b] > 0) speed = fmax(speed, sqrt(2 * energy / w->mass[b]));
        const double beyond = sti_run_norm(d) - 2 * h * speed - 2 * w->corrected[step - 1];
        sti_run_look(k, STI_RUN_MOTION, fmax(0, beyond), k->frames_before + frame, b);
    }
}

void sti_run_check_motion(sti_run_data* k, long frame) {
    check_order(k, frame);
    check_frame(k, frame);
    check_way(k, frame);
}
