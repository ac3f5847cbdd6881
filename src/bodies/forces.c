// forces.c: the contact problem of a step: bounds of friction in joints, islands, and a verdict on the whole.
//
// The problem is solved island by island (islands.c), islands that can rest do so exactly (rest.c), and the point is
// then measured on the whole problem as posed (step_problem.c): that residual is reported. A friction bound that
// depends on a joint's reaction is a fixed point, repeated until it changes by less than the tolerance, or matters no
// more: a joint that its friction holds. Where reactions are not determined the solver finds others every time, and
// SETTLED must do.
//
// A step that is not solved is made with what there is; islands that it would move out of all proportion to what drives
// them (OUT_OF_PROPORTION, FAR_OUT) stop instead.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bodies/motion.h"
#include "linalg/vec3.h"

enum {
    BOUND_ROUNDS = 60,
    DAMPED = 18,     // rounds from which on bounds go half the way
    SHARPER = 6,     // times that islands are solved again because the whole is not within the tolerance
    RESTING = 3,     // of these, those in which islands may rest but for the last
    BUDGET = 60000,  // iterations times acts of a step, from which on nothing is tried again
};
#define INNER 0.3       // tolerance of an island over that of the step
#define REST 0.3        // the same of what counts as rest
#define ROUNDING 1e-14  // an island has no digits below: asked for before less is
#define OUT_OF_PROPORTION 100
#define FAR_OUT 1e8   // the same for what forces would do one by one
#define SETTLED 1e-4  // change of a friction bound where reactions are not determined
#define HELD 1e-6     // friction below its bound by as much holds

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

// Does the friction of this axis hold it, with no more than `bound`? Then the point solves the problem of that bound as
// well.
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

// Friction bounds from the reactions; the largest relative change that matters. Every third round a bound goes where
// its last three values lead (Aitken).
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
    sti_links_solve(world, k->asks ? k->asked : NULL, s->u, k->trial);
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

// (r, l, u) for the present friction bounds: resting islands as they are, the others solved; again where the whole is
// not within the tolerance, the last time without rest.
static sti_status solve_bounded(sti_world* world, sti_world_report* report) {
    struct sti_world_solve* s = world->solve;
    const size_t n = (size_t)(world->nv * world->moving);
    const double tol = world->options.tol;
    sti_world_mass_solve(world, s->f, s->v_free);
    for (size_t i = 0; i < n; i++) s->v_free[i] *= world->options.alpha;
    sti_links_solve(world, s->links.asks ? s->links.asked : NULL, s->v_free, s->links.trial);
    sti_status status = sti_acts_of_step(world);
    if (status == STI_OK) status = sti_islands_find(world, &s->acts);
    if (status != STI_OK) return status;
    const bool may_rest = !s->links.asks;  // joints that are to move do not rest
    memset(s->rest, 0, (size_t)world->moving);
    if (may_rest) sti_rest_test(world, s->acts.r, s->links.l, true, REST * tol);
    if (may_rest) status = sti_rest_improve(world, s->acts.r, s->links.l, REST * tol);
    if (may_rest && status == STI_OK) status = sti_rest_search(world, REST * tol);
    if (status == STI_OK) status = solve_islands(world, INNER * tol, may_rest, report);
    if (status == STI_OK) status = sti_world_posed_fill(world);
    if (status == STI_OK) status = sti_world_posed_measure(world);
    double asked = INNER * tol, last = INFINITY;
    for (int round = 0; round < SHARPER && status == STI_OK && !(s->posed.judged <= tol); round++) {
        // where every island was solved to its own tolerance, a smaller one is sure to gain; else it may cost as much
        // again
        if (report->why[0] != '\0' && (round >= RESTING || report->iterations * s->acts.count > BUDGET)) break;
        const double least = asked > ROUNDING ? ROUNDING : 0;
        asked *= fmax(0.01, 0.3 * tol / s->posed.judged) * (s->posed.judged > 0.5 * last ? 0.01 : 1);
        asked = fmax(asked, least);
        last = s->posed.judged;
        if (round == RESTING - 1) memset(s->rest, 0, (size_t)world->moving);
        status = solve_islands(world, asked, may_rest && round < RESTING - 1, report);
        if (status == STI_OK) status = sti_world_posed_measure(world);
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

// A step that was not solved is made with what there is, but not with impulses that ran away: an island whose energy is
// out of all proportion to that of its velocities before, of its forces and of its motors stops instead.
static void stop_runaways(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const int nv = world->nv, d = world->dim;
    double *before = s->energies, *after = s->energies + world->moving;
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
    const sti_world_posed* p = &world->solve->posed;
    const double tol = world->options.tol;
    char of_island[sizeof report->why];
    memcpy(of_island, report->why, sizeof of_island);
    int used;
    const double cancelled = fmax(p->far, 1);
    if (p->answer.residual > cancelled * tol)
        used = snprintf(report->why, sizeof report->why,
                        "residual %.3g on the whole problem (contacts %.3g, equations %.3g), tolerance %.3g",
                        p->answer.residual, p->answer.residual_contact, p->answer.residual_equation, tol);
    else if (p->judged > tol)
        used = snprintf(report->why, sizeof report->why,
                        "forces run away: %.3g times the largest that are trusted; the residual %.3g is small only "
                        "against them, and counts as %.3g",
                        p->far, p->answer.residual / cancelled, p->judged);
    else
        used = snprintf(report->why, sizeof report->why,
                        "friction of joints: bounds still change by %.3g, allowed %.3g", change, fmax(tol, SETTLED));
    const int room = (int)sizeof report->why - used - 3;
    if (of_island[0] != '\0' && used > 0 && room > 0)
        snprintf(report->why + used, (size_t)room + 3, "; %.*s", room, of_island);
}

sti_status sti_step_forces(sti_world* world, sti_world_report* report) {
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
