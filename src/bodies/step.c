// step.c: one step of a world of rigid bodies: S3 (2.1.4) with the exact cone of Coulomb.
//
//     1. contacts at q^l (detect.c)
//     2. gyroscopic forces alone (gyro.c):               I (w* - w) + h w_a x I w_a = 0,        w_a = alpha w* + (1 - alpha) w
//     3. everything else, one contact problem (pose.c):  A u = H r + G l + f,                   u = alpha v+ + (1 - alpha) v*
//     4. q^{l+1} = q^l (+) h u, exactly on rotations
//     5. impacts of contacts with restitution, velocities only (impact.c)
//     6. T + V is compared with what it was, and a gain is paid from motion (account.c)
//     7. joints and overlaps are mended, places only (start.c), and paid for
//     8. again from 1 where bodies went a part of their way only, with what their forces do to them when they turn (stiffen.c)
//
//     letter  here         letter  here
//     v*      s->v_star    u       s->u       v+      s->v_end
//     f       s->f         r       s->acts.r  l       s->links.l
//
// Gaps enter as 0 <= r_n _|_ n'u + gap / h >= 0, so bodies meet and do not cross; a negative gap counts as 0 here and is
// mended as a displacement, so that no overlap turns into speed.
//
// What is proved (alpha = 1, springs along rows that keep their direction). Multiply the problem by v+:
//
//     T(v+) - T(v*)  =  v+'M (v+ - v*) - 1/2 |v+ - v*|_M^2  <=  h k'v+ + r'H'v+ ,           T(v*) <= T(v)   by 2.
//
// h k'v+ is minus the change of the potential of gravity, exactly, and at least the loss of a spring taken implicitly
// (a convex function lies above its tangent at the end); pushes do what they do. r'H'v+ = r'(u_c - w) <= -r'w by
// Coulomb's law: with gaps negative, with moving surfaces and motors their work. So T + V grows by nothing but the work of
// motors, surfaces and pushes, and by what mending and impacts report. For alpha = 1/2 step 2 and free flight keep energy.
//
// The problem is solved island by island (islands.c), islands that can rest do so exactly (rest.c), and the point is then
// measured on the whole problem as posed: that residual is reported. A friction bound that depends on a joint's reaction is a
// fixed point, repeated until it changes by less than the tolerance, or matters no more: a joint that its friction holds. Where
// reactions are not determined the solver finds others every time, and SETTLED must do.
//
// Contacts are looked for at the end of a step: what is found there is what the next one starts from.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bodies/motion.h"
#include "bodies/vec3.h"

enum {
    BOUND_ROUNDS = 60,
    DAMPED = 18,     // rounds from which on bounds go half the way
    BUDGET = 60000,  // iterations times acts of a step, from which on nothing is tried again
    STIFFER = 2,     // times that a step is tried again
};
#define INNER 0.3  // tolerance of an island over that of the step
#define REST 0.3   // the same of what counts as rest
#define OUT_OF_PROPORTION 100
#define FAR_OUT 1e8   // the same for what forces would do one by one
#define SETTLED 1e-4  // change of a friction bound where reactions are not determined
#define HELD 1e-6     // friction below its bound by as much holds
#define THROWN 0.05   // lengths of the scene
#define OPEN 1e-3     // lengths of the scene: a joint that is not closed

// ---- small things

void sti_mass_multiply(const sti_world* world, const double* v, double* f) {
    for (int body = 0; body < world->bodies->count; body++) {
        if (world->slot[body] < 0) continue;
        const size_t at = (size_t)(world->nv * world->slot[body]);
        const sti_body_mass* mass = &world->bodies->mass[body];
        for (int k = 0; k < world->dim; k++) f[at + (size_t)k] = mass->mass * v[at + (size_t)k];
        if (world->dim == 2)
            f[at + 2] = mass->inertia[8] * v[at + 2];
        else
            mul3(mass->inertia, v + at + 3, f + at + 3);
    }
}

void sti_body_mass_solve(const sti_world* world, int slot, const double* f, double* v) {
    const sti_body_mass* mass = &world->bodies->mass[world->solve->body[slot]];
    for (int k = 0; k < world->dim; k++) v[k] = f[k] / mass->mass;
    if (world->dim == 2)
        v[2] = f[2] * mass->inverse[8];
    else
        mul3(mass->inverse, f + 3, v + 3);
}

// Contacts that velocities v may close.
static sti_status look_along(sti_world* world, const double* v) {
    if (world->solve->detected) return STI_OK;
    const double began = sti_clock();
    const sti_status status = sti_world_detect_contacts(world, world->options.h, v);
    if (status != STI_OK) return status;
    for (int c = 0; c < world->contact_count; c++)  // what is looked for again continues from here
        memcpy(world->contact[c].at.r, world->contact[c].r_last, sizeof world->contact[c].at.r);
    world->solve->detected = true;
    world->solve->look_s += sti_clock() - began;
    return STI_OK;
}

sti_status sti_world_look(sti_world* world) {
    return look_along(world, world->v);
}

// ---- 3: forces

// f = (M / alpha + h D) v* + h k
static void applied(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const size_t n = (size_t)(world->nv * world->moving);
    const double h = world->options.h, alpha = world->options.alpha;
    memset(s->g, 0, n * sizeof *s->g);
    sti_world_gravity(world, s->g);
    sti_mass_multiply(world, s->v_star, s->f);
    for (size_t i = 0; i < n; i++) s->f[i] = s->f[i] / alpha + h * s->g[i];
    for (int i = 0; i < s->links.soft_count; i++) {
        const sti_soft* soft = &s->links.soft[i];
        const double speed = sti_row_apply(world, &soft->row, s->v_star);
        sti_row_add(world, &soft->row, h * (soft->force + soft->damping * speed), s->f);
    }
}

// Force and torque (impulses) of a joint on b at the origin of its frame on b, by the rows and multipliers of the step.
static void reaction(sti_world* world, int j, double out[6]) {
    const sti_links* k = &world->solve->links;
    const sti_joint* joint = &world->bodies->joint[j];
    double side[2][6] = {{0}, {0}};  // force and torque on a, b, about their centres, world axes
    for (int i = 0; i < 6; i++) out[i] = 0;
    for (int i = k->joint_first[j]; i < k->joint_first[j + 1]; i++) {
        for (int e = 0; e < 2; e++) {
            const int body = e == 0 ? k->row[i].a : k->row[i].b;
            const double* row = e == 0 ? k->row[i].ja : k->row[i].jb;
            double turn[3] = {0, 0, row[2]};
            if (body < 0) continue;
            if (world->dim == 3) mul3(world->placed[body].R, row + 3, turn);
            double* on = side[body == joint->b ? 1 : 0];
            for (int c = 0; c < world->dim; c++) on[c] += k->l[i] * row[c];
            for (int c = 0; c < 3; c++) on[3 + c] += k->l[i] * turn[c];
        }
    }
    if (joint->kind == STI_JOINT_GEAR) return;
    const bool by_b = joint->b >= 0 && world->slot[joint->b] >= 0;
    const int body = by_b ? joint->b : joint->a;
    if (body < 0 || world->slot[body] < 0) return;
    double point[3], arm[3], moment[3];
    sti_pose pose = sti_pose_identity();
    if (joint->b >= 0) sti_placed_to_pose(&world->bodies->mass[joint->b], &world->placed[joint->b], &pose);
    sti_pose_apply(&pose, joint->at_b.x, point);
    sub3(world->placed[body].x, point, arm);
    const double* f = side[by_b ? 1 : 0];
    cross3(arm, f, moment);
    for (int c = 0; c < 3; c++) {
        out[c] = by_b ? f[c] : -f[c];
        out[3 + c] = (by_b ? 1 : -1) * (f[3 + c] + moment[c]);
    }
}

static void reactions(sti_world* world) {
    for (int j = 0; j < world->bodies->joint_count; j++) reaction(world, j, world->solve->reaction + 6 * (size_t)j);
}

// Does the friction of this axis hold it, with no more than `bound`? Then the point solves the problem of that bound as well.
static bool holds(const sti_world* world, int at, double bound) {
    const struct sti_world_solve* s = world->solve;
    const int d = world->dim;
    for (int c = 0; c < s->acts.count; c++) {
        const sti_act* act = &s->acts.act[c];
        if (act->kind == STI_ACT_FRICTION && act->of == at)
            return fabs(s->acts.r[c * d + 1]) <= (1 - HELD) * fmin(bound, act->press);
    }
    return false;
}

// Friction bounds from the reactions; the largest relative change that matters. Every third round a bound goes where its last
// three values lead (Aitken).
static double set_bounds(sti_world* world, int round) {
    struct sti_world_solve* s = world->solve;
    double change = 0;
    for (int at = 0; at < 2 * world->bodies->joint_count; at++) {
        const sti_joint_axis* axis = &world->axis[at];
        const sti_joint_kind kind = world->bodies->joint[at / 2].kind;
        const bool turns = kind == STI_JOINT_REVOLUTE || (kind == STI_JOINT_CYLINDRICAL && at % 2 == 1);
        const double fixed = world->options.h * axis->friction;
        double bound = fixed;
        if (axis->mu > 0) bound += axis->mu * norm3(s->reaction + 6 * (size_t)(at / 2)) * (turns ? axis->radius : 1);
        const double last = s->bound[at], before = s->bound_before[at];
        if (bound != last && (round < 0 || !holds(world, at, bound)))
            change = fmax(change, fabs(bound - last) / fmax(bound, last));
        s->bound_before[at] = last;
        s->bound[at] = round < DAMPED ? bound : (bound + last) / 2;
        const double bend = (bound - last) - (last - before);
        if (round % 3 != 2 || round >= DAMPED || !(axis->mu > 0) || bend == 0) continue;
        const double limit = bound - (bound - last) * (bound - last) / bend;
        if (limit >= fixed && limit <= 10 * bound && fabs(limit - bound) > 1e-12 * bound) s->bound[at] = limit;
    }
    return change;
}

// A bounded multiplier stays within its bound exactly.
static void clip_pressed(sti_world* world, sti_acts* acts) {
    const int d = world->dim;
    for (int c = 0; c < acts->count; c++) {
        const sti_act* act = &acts->act[c];
        double* r = acts->r + (size_t)(c * d);
        if (!act->pressed) continue;
        r[0] = act->press;
        if (d == 3) r[2] = 0;
        r[1] = fmax(-act->press, fmin(act->press, r[1]));
    }
}

// u and l that belong to r; islands at rest keep u = 0 and the multipliers they rest with.
void sti_step_velocities(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const sti_links* k = &s->links;
    const int nv = world->nv;
    const size_t n = (size_t)(nv * world->moving);
    clip_pressed(world, &s->acts);
    memcpy(s->g, s->f, n * sizeof *s->g);
    sti_acts_add_forces(world, &s->acts, s->acts.r, s->g);
    sti_world_mass_solve(world, s->g, s->u);
    for (size_t i = 0; i < n; i++) s->u[i] *= world->options.alpha;
    sti_links_solve(world, NULL, s->u, k->trial);
    for (size_t i = 0; i < n; i++) {  // below the normal numbers a joint would be held against steps of the format
        if (fabs(s->u[i]) < DBL_MIN) s->u[i] = 0;
    }
    for (int i = 0; i < k->row_count; i++) {
        const int slot = k->key[2 * i] >= 0 ? k->key[2 * i] : k->key[2 * i + 1];
        if (slot < 0 || s->rest[sti_islands_root(world, slot)] != STI_REST_PROVED) s->links.l[i] = k->trial[i];
    }
    for (int i = 0; i < world->moving; i++) {
        if (s->rest[sti_islands_root(world, i)] == STI_REST_PROVED)
            memset(s->u + (size_t)(i * nv), 0, (size_t)nv * sizeof *s->u);
    }
}

static void stop_resting(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    for (int i = 0; i < world->moving; i++) {
        if (s->rest[sti_islands_root(world, i)] == STI_REST_PROVED)
            memset(s->u + (size_t)(i * world->nv), 0, (size_t)world->nv * sizeof *s->u);
    }
}

// Every island that does not rest.
static sti_status solve_islands(sti_world* world, double tol, bool may_rest, sti_world_report* report) {
    struct sti_world_solve* s = world->solve;
    sti_solve_report islands;
    for (int i = 0; i < world->moving; i++) s->skip[i] = s->rest[i] == STI_REST_PROVED;
    sti_status status = sti_islands_settle(world, &s->acts, s->v_free, tol, s->skip, &islands);
    if (status != STI_OK) return status;
    report->iterations += islands.iterations;
    report->why[0] = '\0';
    if (!islands.solved) memcpy(report->why, islands.why, sizeof islands.why);
    sti_step_velocities(world);
    if (!may_rest) return STI_OK;
    sti_rest_test(world, s->acts.r, s->links.l, false, REST * world->options.tol);
    status = sti_rest_improve(world, s->acts.r, s->links.l, REST * world->options.tol);
    stop_resting(world);
    return status;
}

// (r, l, u) for the present friction bounds: resting islands as they are, the others solved; again where the whole is not
// within the tolerance, the last time without rest.
static sti_status solve_bounded(sti_world* world, sti_world_report* report) {
    struct sti_world_solve* s = world->solve;
    const size_t n = (size_t)(world->nv * world->moving);
    const double tol = world->options.tol;
    sti_world_mass_solve(world, s->f, s->v_free);
    for (size_t i = 0; i < n; i++) s->v_free[i] *= world->options.alpha;
    sti_links_solve(world, NULL, s->v_free, s->links.trial);
    sti_status status = sti_acts_of_step(world);
    if (status == STI_OK) status = sti_islands_find(world, &s->acts);
    if (status != STI_OK) return status;
    memset(s->rest, 0, (size_t)world->moving);
    sti_rest_test(world, s->acts.r, s->links.l, true, REST * tol);
    status = sti_rest_improve(world, s->acts.r, s->links.l, REST * tol);
    if (status == STI_OK) status = sti_rest_search(world, REST * tol);
    if (status == STI_OK) status = solve_islands(world, INNER * tol, true, report);
    if (status == STI_OK) status = sti_posed_fill(world);
    if (status == STI_OK) status = sti_posed_measure(world);
    for (int round = 0; round < 3 && status == STI_OK && !(s->posed.judged <= tol); round++) {
        if (report->iterations * s->acts.count > BUDGET) break;
        const double factor = fmax(0.01, 0.3 * tol / s->posed.judged);
        if (round == 2) memset(s->rest, 0, (size_t)world->moving);
        status = solve_islands(world, INNER * factor * (round == 0 ? 1 : 0.1) * tol, round < 2, report);
        if (status == STI_OK) status = sti_posed_measure(world);
    }
    return status;
}

static double energy_of(const sti_world* world, int slot, const double* v) {
    const sti_body_mass* mass = &world->bodies->mass[world->solve->body[slot]];
    const double* x = v + (size_t)(world->nv * slot);
    if (world->dim == 2) return (mass->mass * (x[0] * x[0] + x[1] * x[1]) + mass->inertia[8] * x[2] * x[2]) / 2;
    double L[3];
    mul3(mass->inertia, x + 3, L);
    return (mass->mass * dot3(x, x) + dot3(x + 3, L)) / 2;
}

// A step that was not solved is made with what there is, but not with impulses that ran away: an island whose energy is out of
// all proportion to that of its velocities before, of its forces and of its motors stops instead.
static void stop_runaways(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const int nv = world->nv, d = world->dim;
    double *before = s->work, *after = s->work + world->moving;
    memset(before, 0, 2 * (size_t)world->moving * sizeof *before);
    for (int i = 0; i < world->moving; i++) {
        const int root = sti_islands_root(world, i);
        before[root] += energy_of(world, i, s->v_star) + energy_of(world, i, s->v_free);
        after[root] += energy_of(world, i, s->u);
    }
    for (int root = 0; root < world->moving; root++) {
        for (int c = s->room.first[root]; c >= 0; c = s->room.next[c]) {
            const sti_act* act = &s->acts.act[c];
            if (act->pressed) before[root] += act->press * act->press / act->mass;
            for (int k = 0; k < d && act->kind == STI_ACT_CONTACT; k++)  // what a surface may give
                before[root] += world->contact[act->of].offset[k] * world->contact[act->of].offset[k] /
                                sti_row_mass(world, act->row[k], act->row[k]);
        }
        double forces = 0;
        for (int c = s->room.first[root]; c >= 0; c = s->room.next[c]) {
            for (int k = 0; k < d; k++) {
                const double r = s->acts.r[c * d + k];
                const sti_row* row = s->acts.act[c].row[k];
                if (row != NULL && r != 0) forces += r * r * sti_row_mass(world, row, row);
            }
        }
        s->skip[root] = !(after[root] <= OUT_OF_PROPORTION * before[root] && forces <= FAR_OUT * before[root]);
        for (int c = s->room.first[root]; c >= 0 && s->skip[root]; c = s->room.next[c])
            memset(s->acts.r + (size_t)(c * d), 0, (size_t)d * sizeof *s->acts.r);
    }
    for (int i = 0; i < world->moving; i++) {
        if (s->skip[sti_islands_root(world, i)]) memset(s->u + (size_t)(i * nv), 0, (size_t)nv * sizeof *s->u);
    }
}

// Which rule refused, and by how much; then what the solver of an island had to say.
static void explain(const sti_world* world, double change, sti_world_report* report) {
    const sti_posed* p = &world->solve->posed;
    const double tol = world->options.tol;
    char of_island[sizeof report->why];
    memcpy(of_island, report->why, sizeof of_island);
    int used;
    if (p->answer.residual > tol)
        used = snprintf(report->why, sizeof report->why,
                        "residual %.3g on the whole problem (contacts %.3g, equations %.3g), tolerance %.3g",
                        p->answer.residual, p->answer.residual_contact, p->answer.residual_equation, tol);
    else if (p->judged > tol)
        used = snprintf(report->why, sizeof report->why,
                        "forces run away: %.3g times the largest that are trusted; the residual %.3g is small only "
                        "against them, and worth %.3g",
                        p->far, p->answer.residual, p->judged);
    else
        used = snprintf(report->why, sizeof report->why,
                        "friction of joints: bounds still change by %.3g, allowed %.3g", change, fmax(tol, SETTLED));
    if (of_island[0] != '\0' && used > 0 && (size_t)used < sizeof report->why)
        snprintf(report->why + used, sizeof report->why - (size_t)used, "; %s", of_island);
}

static sti_status solve_forces(sti_world* world, sti_world_report* report) {
    struct sti_world_solve* s = world->solve;
    double change = set_bounds(world, -1);
    sti_status status = STI_OK;
    for (int round = 0; round < BOUND_ROUNDS && status == STI_OK; round++) {
        if (round > 0 && report->iterations * s->acts.count > BUDGET) break;
        status = solve_bounded(world, report);
        if (status == STI_OK) status = sti_world_sharpen(world, report);
        if (status != STI_OK) return status;
        reactions(world);
        for (int c = 0; c < s->acts.count; c++) {  // guesses of the next round
            const sti_act* act = &s->acts.act[c];
            if (act->kind == STI_ACT_CONTACT)
                memcpy(world->contact[act->of].r_last, s->acts.r + (size_t)(c * world->dim),
                       (size_t)world->dim * sizeof(double));
        }
        change = set_bounds(world, round);
        if (change <= world->options.tol || (round >= DAMPED && change <= SETTLED)) break;
    }
    const bool open = change > fmax(world->options.tol, SETTLED);
    report->residual = fmax(s->posed.judged, open ? change : 0);
    report->solved = report->residual <= world->options.tol;
    if (report->solved) report->why[0] = '\0';
    if (!report->solved) explain(world, change, report);
    if (!report->solved) stop_runaways(world);
    return STI_OK;
}

// ---- what is shown and kept

static unsigned char mode_of(const sti_world* world, const sti_act* act, const double* r, const double* u) {
    double trace = 0;
    const double slip = hypot(u[1], world->dim == 3 ? u[2] : 0);
    if (r[0] <= 0) return STI_MODE_SEPARATE;
    if (slip == 0 && u[0] <= 0) return STI_MODE_STICK;
    for (int k = 0; k < world->dim; k++) {
        if (act->row[k] != NULL) trace += sti_row_mass(world, act->row[k], act->row[k]);
    }
    const double rho = trace > 0 ? world->dim / trace : 1;
    if (r[0] < rho * u[0]) return STI_MODE_SEPARATE;
    const double margin = act->mu * r[0] - hypot(r[1], world->dim == 3 ? r[2] : 0);
    return rho * slip <= margin || slip == 0 ? STI_MODE_STICK : STI_MODE_SLIDE;
}

static sti_status show(sti_world* world, sti_world_report* report) {
    struct sti_world_solve* s = world->solve;
    const int d = world->dim;
    size_t room = (size_t)world->shown_capacity;
    const sti_status status =
        sti_room(world->env, (void**)&world->shown, &room, (size_t)world->contact_count, sizeof *world->shown);
    if (status != STI_OK) return status;
    world->shown_capacity = (int)room;
    s->shown_count = world->contact_count;
    for (int c = 0; c < world->contact_count; c++) {  // those that joints lock stay without force
        sti_world_contact* at = &world->contact[c].at;
        memset(at->r, 0, sizeof at->r);
        memset(at->u, 0, sizeof at->u);
        at->mode = STI_MODE_SEPARATE;
        world->shown[c] = *at;
    }
    memset(s->axis_r, 0, 8 * (size_t)world->bodies->joint_count * sizeof *s->axis_r);
    for (int c = 0; c < s->acts.count; c++) {
        const sti_act* act = &s->acts.act[c];
        const double *r = s->acts.r + (size_t)(c * d), *u = s->posed.u + (size_t)(c * d);
        if (act->kind == STI_ACT_LIMIT)
            s->axis_r[4 * act->of + (act->row[0] == &s->axis_row[2 * act->of] ? 0 : 1)] = r[0];
        if (act->kind == STI_ACT_FRICTION || act->kind == STI_ACT_MOTOR)
            s->axis_r[4 * act->of + (act->kind == STI_ACT_FRICTION ? 2 : 3)] = r[1];
        if (act->kind != STI_ACT_CONTACT) continue;
        sti_world_contact* at = &world->contact[act->of].at;
        for (int k = 0; k < d; k++) {
            at->r[k] = r[k];
            at->u[k] = u[k];
        }
        at->u[0] -= act->w[0] - world->contact[act->of].offset[0];  // without gap / h
        at->mode = mode_of(world, act, r, u);
        report->touching += r[0] > 0;
        report->sticking += at->mode == STI_MODE_STICK;
        world->shown[act->of] = *at;
    }
    report->contacts = world->contact_count;
    report->joint_rows = s->links.joint_rows;
    return STI_OK;
}

double sti_act_work(const sti_world* world, const sti_act* act, const double* r) {
    double work = 0;
    if (act->kind == STI_ACT_MOTOR) {
        const double speed = sti_row_apply(world, act->row[1], world->solve->u);
        if (world->options.h * fabs(speed) > STI_STEP_NOISE * world->size) work = r[1] * speed;
    }
    for (int k = 0; k < world->dim && act->kind == STI_ACT_CONTACT; k++)
        work -= r[k] * world->contact[act->of].offset[k];
    return work;
}

// Work of motors, moving surfaces and pushes while the bodies move by h u.
static double work_done(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const int d = world->dim, nv = world->nv;
    double sum = 0;
    sti_account_share(world);
    for (int root = 0; root < world->moving; root++) {
        for (int c = s->room.first[root]; c >= 0; c = s->room.next[c])
            s->work_of[root] += sti_act_work(world, &s->acts.act[c], s->acts.r + (size_t)(c * d));
    }
    for (int body = 0; body < world->bodies->count; body++) {
        const int slot = world->slot[body];
        if (slot < 0) continue;
        const double *push = world->push + 6 * (size_t)slot, *u = s->u + (size_t)(slot * nv);
        double w[3] = {0, 0, u[2]}, power = 0;
        if (d == 3) mul3(world->placed[body].R, u + 3, w);
        for (int k = 0; k < d; k++) power += push[k] * u[k];
        s->work_of[s->party[slot]] += world->options.h * (power + dot3(push + 3, w));
    }
    for (int root = 0; root < world->moving; root++) sum += s->work_of[root];
    return sum;
}

// ---- 4 to 6

static void advance(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const int nv = world->nv;
    for (int body = 0; body < world->bodies->count; body++) {
        const int slot = world->slot[body];
        if (slot < 0) continue;
        double d[6] = {0};
        bool moves = false;
        for (int k = 0; k < nv; k++) {
            d[k] = world->options.h * s->u[slot * nv + k];
            moves = moves || d[k] != 0;
        }
        if (moves) sti_placed_move(world->dim, d, &world->placed[body]);
    }
    sti_world_turned_update(world);
    memcpy(world->v, s->v_end, (size_t)(nv * world->moving) * sizeof *world->v);
    s->detected = false;
}

static void end_velocities(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const double alpha = world->options.alpha;
    for (int i = 0; i < world->nv * world->moving; i++)
        s->v_end[i] = alpha == 1 ? s->u[i] : s->v_star[i] + (s->u[i] - s->v_star[i]) / alpha;
}

static bool rests(const sti_world* world) {
    const struct sti_world_solve* s = world->solve;
    for (int i = 0; i < world->moving; i++) {
        if (s->rest[sti_islands_root(world, i)] != STI_REST_PROVED) return false;
        for (int k = 0; k < world->nv; k++) {
            if (s->v_end[i * world->nv + k] != 0) return false;
        }
    }
    return true;
}

// *mended: places were moved.
static sti_status settle(sti_world* world, sti_world_report* report, bool* mended) {
    const double tol = world->options.stabilize_tol;
    int joint;
    *mended = false;
    sti_status status = sti_links_collect(world, world->v);
    if (status == STI_OK) status = sti_world_look(world);
    if (status != STI_OK) return status;
    report->drift = sti_world_drift(world, &joint);
    report->penetration = sti_world_penetration(world);
    if (isnan(report->drift) || isnan(report->penetration))
        return STI_FAIL(world->env, STI_ERR_INPUT, -1, "places are not finite numbers any more");
    if (!world->options.stabilize || fmax(report->drift, report->penetration) <= tol * world->size) return STI_OK;
    double left;
    *mended = true;
    sti_account_before_mending(world);
    status = sti_world_mend(world, tol, true, &report->corrected, &left);
    if (status != STI_OK) return status;
    sti_world_turned_update(world);
    report->drift = sti_world_drift(world, &joint);
    report->penetration = sti_world_penetration(world);
    report->mended = sti_account_after_mending(world);
    return STI_OK;
}

// What the end of the step has to say, where the step itself was solved.
static void judge_end(const sti_world* world, int late, sti_world_report* report) {
    const struct sti_world_solve* s = world->solve;
    const size_t room = sizeof report->why;
    double part = 1;
    int joint;
    for (int i = 0; i < world->moving; i++) part = fmin(part, s->part[s->party[i]]);
    sti_world_drift(world, &joint);
    const bool open = report->corrected > 0 && report->drift > OPEN * world->size;
    if (report->solved && late > 0 && s->cause == STI_SHORT_TORN)
        snprintf(
            report->why, room,
            "%d bodies went %.3g of their way only: at its end joint \"%.60s\" is open by %.3g, too far to be mended; "
            "bodies turn too far in a step",
            late, part, world->bodies->joint[s->torn_of].name, s->torn_by);
    else if (report->solved && late > 0 && s->cause == STI_SHORT_DEEP)
        snprintf(report->why, room,
                 "%d bodies went %.3g of their way only: at its end they overlap by %.3g, too far to be mended; bodies "
                 "turn too far in a step",
                 late, part, s->short_by);
    else if (report->solved && late > 0)
        snprintf(
            report->why, room,
            "%d bodies went %.3g of their way only: the energy at its end%s is more than they can pay by %.3g of all; "
            "springs or joints turn too far in a step",
            late, part, s->cause == STI_SHORT_MENDED ? ", mended," : "", s->short_by);
    else if (report->solved && open)
        snprintf(report->why, room, "joint \"%.60s\" is open by %.3g after mending, allowed %.3g",
                 world->bodies->joint[joint].name, report->drift, OPEN * world->size);
    report->solved = report->solved && late == 0 && !open;
}

static void keep(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    memcpy(s->kept, world->placed, (size_t)world->bodies->count * sizeof *s->kept);
    memcpy(s->kept_turned, world->turned, 2 * (size_t)world->bodies->joint_count * sizeof *s->kept_turned);
    memcpy(s->kept_v, world->v, (size_t)(world->nv * world->moving) * sizeof *s->kept_v);
}

static void give_back(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    memcpy(world->placed, s->kept, (size_t)world->bodies->count * sizeof *s->kept);
    memcpy(world->turned, s->kept_turned, 2 * (size_t)world->bodies->joint_count * sizeof *s->kept_turned);
    memcpy(world->v, s->kept_v, (size_t)(world->nv * world->moving) * sizeof *s->kept_v);
    s->detected = false;
}

// Mending was taken back in part: what is open now, and what is left of its energy. potential: when it was there.
static sti_status look_back(sti_world* world, double potential, sti_world_report* report) {
    int joint;
    sti_world_turned_update(world);
    sti_status status = sti_links_collect(world, world->v);
    if (status == STI_OK) status = sti_world_look(world);
    if (status != STI_OK) return status;
    report->mended += sti_world_potential(world, NULL) - potential;
    report->drift = sti_world_drift(world, &joint);
    report->penetration = sti_world_penetration(world);
    return STI_OK;
}

// 4, 6 and 7; again where mending adds energy that nobody can pay, with a part of the way. *late: bodies that went a part only.
static sti_status go(sti_world* world, sti_world_report* report, int* late) {
    struct sti_world_solve* s = world->solve;
    const double work = report->work;
    for (bool mended = true;;) {
        advance(world);
        report->work = work;
        report->mended = report->corrected = 0;
        *late = sti_account_close(world, &report->work);
        const sti_status status = settle(world, report, &mended);
        if (status != STI_OK || !mended) return status;
        const double potential = sti_world_potential(world, NULL);
        if (!sti_account_overdrawn(world)) return s->detected ? STI_OK : look_back(world, potential, report);
        memcpy(world->placed, s->kept, (size_t)world->bodies->count * sizeof *s->kept);
        memcpy(world->turned, s->kept_turned, 2 * (size_t)world->bodies->joint_count * sizeof *s->kept_turned);
    }
}

// Velocities without acts. Do springs and pushes throw a body farther than its velocity said when contacts were looked for?
static bool thrown(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const int nv = world->nv, d = world->dim;
    const size_t n = (size_t)(nv * world->moving);
    bool forced = s->links.soft_count > 0;
    for (int i = 0; i < 6 * world->moving; i++) forced = forced || world->push[i] != 0;
    if (!forced) return false;
    sti_world_mass_solve(world, s->f, s->v_free);
    for (size_t i = 0; i < n; i++) s->v_free[i] *= world->options.alpha;
    sti_links_solve(world, NULL, s->v_free, s->links.trial);
    for (int i = 0; i < world->moving; i++) {
        double way = 0, seen = 0;
        for (int k = 0; k < nv; k++) {
            const double unit = world->options.h * (k < d ? 1 : world->size);
            way += unit * fabs(s->v_free[i * nv + k]);
            seen += unit * fabs(world->v[i * nv + k]);
        }
        if (way > 2 * seen + THROWN * world->size) return true;
    }
    return false;
}

// 2 to 7 from the places and velocities that were kept. v: with which contacts are looked for.
static sti_status attempt(sti_world* world, const double* v, sti_world_report* report, int* late) {
    struct sti_world_solve* s = world->solve;
    sti_status status = look_along(world, v);
    const double looked = sti_clock();
    if (status != STI_OK) return status;
    sti_world_gyroscopic(world, world->options.h, world->options.alpha, world->v, s->v_star);
    status = sti_links_collect(world, s->v_star);
    if (status != STI_OK) return status;
    sti_links_ahead(world, 0.5 * world->options.h, s->v_star);
    applied(world);
    sti_links_factor(world, world->options.alpha, world->options.h);
    if (v == world->v && thrown(world)) {
        s->detected = false;
        status = look_along(world, s->v_free);
    }
    if (status == STI_OK) status = solve_forces(world, report);
    if (status != STI_OK) return status;
    report->work = work_done(world);
    end_velocities(world);
    report->at_rest = rests(world);
    status = show(world, report);
    if (status == STI_OK) status = sti_world_impacts(world, report);
    if (status != STI_OK) return status;
    report->time_solve_s += sti_clock() - looked;
    sti_account_begin(world);
    status = go(world, report, late);
    if (status == STI_OK) judge_end(world, *late, report);
    return status;
}

// Forces that ran away are no guess.
static void forget_forces(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    for (int c = 0; c < world->contact_count; c++) {
        memset(world->contact[c].at.r, 0, sizeof world->contact[c].at.r);
        memset(world->contact[c].r_last, 0, sizeof world->contact[c].r_last);
    }
    memset(s->axis_r, 0, 8 * (size_t)world->bodies->joint_count * sizeof *s->axis_r);
    memset(s->reaction, 0, 6 * (size_t)world->bodies->joint_count * sizeof *s->reaction);
}

// A step that went a part of its way only is tried again: with the contacts that lie on the way it wanted to go, and with what its
// forces do to bodies that turn (stiffen.c).
static sti_status step(sti_world* world, sti_world_report* report) {
    struct sti_world_solve* s = world->solve;
    const double began = sti_clock();
    const double before = sti_world_kinetic(world, world->v) + sti_world_potential(world, NULL);
    s->look_s = 0;
    s->stiff_count = 0;
    sti_account_open(world);
    for (int tries = 0, most = STIFFER;; tries++) {
        int late;
        const sti_status status = attempt(world, tries == 0 ? world->v : s->u, report, &late);
        if (status != STI_OK) return status;
        const bool trusted = s->posed.judged <= world->options.tol, vain = !trusted && s->stiff_count > 0;
        if (!vain && (late == 0 || !trusted || tries >= most)) break;
        give_back(world);
        if (vain) {  // without, for the last time
            most = 0;
            s->stiff_count = 0;
            forget_forces(world);
        } else {
            sti_stiffen(world);
        }
        *report = (sti_world_report){.iterations = report->iterations, .time_solve_s = report->time_solve_s};
    }
    report->kinetic = sti_world_kinetic(world, world->v);
    report->potential = sti_world_potential(world, NULL);
    report->gain = report->kinetic + report->potential - before - report->work - report->mended;
    report->time_detect_s = s->look_s;
    report->time_rest_s = sti_clock() - began - report->time_solve_s - s->look_s;
    return STI_OK;
}

sti_status sti_world_step(sti_world* world, sti_world_report* out) {
    sti_world_report report = {0};
    keep(world);
    const sti_status status = step(world, &report);
    if (status != STI_OK) {
        give_back(world);
        return status;
    }
    world->step++;
    world->time = world->start + (double)world->step * world->options.h;
    report.step = world->step;
    report.time = world->time;
    if (out != NULL) *out = report;
    return STI_OK;
}
