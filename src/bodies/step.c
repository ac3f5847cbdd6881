// step.c: one step of a world of rigid bodies: S3 (2.1.4) with the exact cone of Coulomb.
//
//     1. contacts at q^l (detect.c)
//     2. gyroscopic forces alone (gyro.c):               I (w* - w) + h w_a x I w_a = 0,
//         w_a = alpha w* + (1 - alpha) w
//     3. everything else, one contact problem (forces.c): A u = H r + G l + f,
//         u = alpha v+ + (1 - alpha) v*
//        with index 3 repeated until joints are closed at q^l (+) h u
//     4. q^{l+1} = q^l (+) h u, exactly on rotations
//     5. impacts of contacts with restitution, velocities only (impact.c)
//     6. T + V is compared with what it was, and a gain is paid from motion (energy.c)
//     7. joints and overlaps are mended, places only (start.c), and paid for
//     8. again from 1 where bodies went a part of their way only, with what their forces do to them when they turn
//        (stiff_rows.c)
//
//     letter  here         letter  here
//     v*      s->v_star    u       s->u       v+      s->v_end
//     f       s->f         r       s->acts.r  l       s->links.l
//
// Gaps enter as 0 <= r_n _|_ n'u + gap / h >= 0, so bodies meet and do not cross; a negative gap counts as 0 here and
// is mended as a displacement, so that no overlap turns into speed.
//
// What is proved (alpha = 1, springs along rows that keep their direction). Multiply the problem by v+:
//
//     T(v+) - T(v*)  =  v+'M (v+ - v*) - 1/2 |v+ - v*|_M^2  <=  h k'v+ + r'H'v+ ,           T(v*) <= T(v)   by 2.
//
// h k'v+ is minus the change of the potential of gravity, exactly, and at least the loss of a spring taken implicitly
// (a convex function lies above its tangent at the end); pushes do what they do. r'H'v+ = r'(u_c - w) <= -r'w by
// Coulomb's law: with gaps negative, with moving surfaces and motors their work. So T + V grows by nothing but the work
// of motors, surfaces and pushes, and by what mending and impacts report. For alpha = 1/2 step 2 and free flight keep
// energy.
//
// Contacts are looked for at the end of a step: what is found there is what the next one starts from.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bodies/motion.h"
#include "linalg/vec3.h"

enum { STIFFER = 2 };  // times that a step is tried again
#define THROWN 0.05    // lengths of the scene
#define OPEN 1e-3      // lengths of the scene: a joint that is not closed
#define RUN_AWAY 1e3   // of posed.far: forces that are no guess for the next step
#define CLOSED 1e-13   // lengths of the scene: joints that are closed at the level of positions
enum { CLOSINGS = 40 };

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

// ---- what is shown and kept

// How deep r_t lies in mu r_n S
static double margin_of(const sti_world* world, const sti_act* act, const double* r) {
    const double reach = act->mu * r[0];
    double p[2];
    if (act->section == NULL || !(reach > 0)) return reach - hypot(r[1], world->dim == 3 ? r[2] : 0);
    return -reach * sti_section_project(act->section, (double[2]){r[1] / reach, r[2] / reach}, p, NULL);
}

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
    const double margin = margin_of(world, act, r);
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
        at->hit = NAN;
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
        s->work_of[s->group[slot]] += world->options.h * (power + dot3(push + 3, w));
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

// The two that overlap most at the end.
static const sti_world_contact* deepest(const sti_world* world) {
    const sti_world_contact* worst = NULL;
    for (int c = 0; c < world->contact_count; c++) {
        if (worst == NULL || world->contact[c].at.gap < worst->gap) worst = &world->contact[c].at;
    }
    return worst;
}

// From one end of what moves to the other.
static double extent(const sti_world* world) {
    double d[3] = {0, 0, 0};
    for (int k = 0; k < world->dim; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < world->bodies->count; i++) {
            if (world->slot[i] < 0) continue;
            low = fmin(low, world->placed[i].x[k]);
            high = fmax(high, world->placed[i].x[k]);
        }
        if (high > low) d[k] = high - low;
    }
    return norm3(d) + world->size;
}

// Places that nobody could call a solution, of a step that was solved.
static void judge_places(const sti_world* world, sti_world_report* report) {
    const struct sti_world_solve* s = world->solve;
    const double allowed = fmax(STI_OVERLAP, world->options.tol) * extent(world);
    double way;
    int lost = sti_world_lost(world, s->kept_v, &way);
    if (lost < 0) lost = sti_world_lost(world, s->u, &way);
    const bool overlaps = world->options.stabilize && report->penetration > allowed;
    if (report->solved && lost >= 0)
        snprintf(
            report->why, sizeof report->why,
            "body \"%.60s\" is %.3g from the origin, or moves so far in a step: doubles resolve this scene up to %.3g",
            world->bodies->body[lost].name, way, STI_FAR * world->size);
    else if (report->solved && overlaps)
        snprintf(report->why, sizeof report->why,
                 "bodies \"%.60s\" and \"%.60s\" overlap by %.3g at its end, allowed %.3g",
                 world->bodies->body[deepest(world)->a].name, world->bodies->body[deepest(world)->b].name,
                 report->penetration, allowed);
    report->sound = report->sound && lost < 0 && !overlaps;
}

// What the end of the step has to say, where the step itself was solved.
static void judge_end(const sti_world* world, int late, sti_world_report* report) {
    const struct sti_world_solve* s = world->solve;
    const size_t room = sizeof report->why;
    double part = 1;
    int joint;
    for (int i = 0; i < world->moving; i++) part = fmin(part, s->part[s->group[i]]);
    sti_world_drift(world, &joint);
    const bool open = report->corrected > 0 && report->drift > OPEN * world->size;
    if (report->solved && late > 0 && s->cause == STI_SHORT_TORN)
        snprintf(report->why, room,
                 "the step was cut short for %d bodies, at %.3g of it: at its end joint \"%.60s\" would be open by "
                 "%.3g, too "
                 "far to correct; a smaller step helps",
                 late, part, world->bodies->joint[s->torn_of].name, s->torn_by);
    else if (report->solved && late > 0 && s->cause == STI_SHORT_DEEP)
        snprintf(report->why, room,
                 "the step was cut short for %d bodies, at %.3g of it: at its end they would overlap by %.3g, too far "
                 "to correct; a smaller step helps",
                 late, part, s->short_by);
    else if (report->solved && late > 0)
        snprintf(report->why, room,
                 "the step was cut short for %d bodies, at %.3g of it: at its end%s their energy would be %.3g times "
                 "the whole energy higher than before; a smaller step or softer springs help",
                 late, part, s->cause == STI_SHORT_MENDED ? " and after correction" : "", s->short_by);
    else if (report->solved && open)
        snprintf(report->why, room, "joint \"%.60s\" is open by %.3g after correction, %.3g is allowed",
                 world->bodies->joint[joint].name, report->drift, OPEN * world->size);
    report->sound = late == 0 && !open;
    report->solved = report->solved && report->sound;
    judge_places(world, report);
    report->solved = report->solved && report->sound;
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

static double energy(const sti_world* world) {
    return sti_world_kinetic(world, world->v) + sti_world_potential(world, NULL);
}

// Mending was taken back in part: what is open now, and what is left of its energy. had: T + V when it was there.
static sti_status look_back(sti_world* world, double had, sti_world_report* report) {
    int joint;
    sti_world_turned_update(world);
    sti_status status = sti_links_collect(world, world->v);
    if (status == STI_OK) status = sti_world_look(world);
    if (status != STI_OK) return status;
    report->mended += energy(world) - had;
    report->drift = sti_world_drift(world, &joint);
    report->penetration = sti_world_penetration(world);
    return STI_OK;
}

// 4, 6 and 7; again where mending adds energy that nobody can pay, with a part of the way. *late: bodies that went a
// part only.
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
        const double had = energy(world);
        if (!sti_account_overdrawn(world)) return s->detected ? STI_OK : look_back(world, had, report);
        memcpy(world->placed, s->kept, (size_t)world->bodies->count * sizeof *s->kept);
        memcpy(world->turned, s->kept_turned, 2 * (size_t)world->bodies->joint_count * sizeof *s->kept_turned);
    }
}

// Velocities without acts. Do springs and pushes throw a body farther than its velocity said when contacts were looked
// for?
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

// Overlaps of places that a caller gave: mending lifts them, and somebody ought to be told.
static void note_given(const sti_world* world, sti_world_report* report) {
    const double there = STI_OVERLAP * world->size;
    for (int c = 0; c < world->contact_count; c++) {
        const sti_world_contact* at = &world->contact[c].at;
        const bool given =
            (world->slot[at->a] >= 0 && world->given[at->a]) || (world->slot[at->b] >= 0 && world->given[at->b]);
        if (!given || !(-at->gap > fmax(there, report->given))) continue;
        report->given = -at->gap;
        report->given_a = at->a;
        report->given_b = at->b;
    }
}

// Index 3: again with 0 = G'u + b, until joints are closed at q (+) h u. Newton's method with the rows of the middle:
// the error falls by O(h |w|) each time.
static sti_status close_joints(sti_world* world, sti_world_report* report) {
    struct sti_world_solve* k = world->solve;
    sti_status status = STI_OK;
    double last = INFINITY;
    for (int round = 0; status == STI_OK && round < CLOSINGS; round++) {
        const double open = sti_links_open(world, k->u, k->links.x);
        if (open <= CLOSED * world->size || !(open < last)) break;
        last = open;
        for (int i = 0; i < k->links.joint_rows; i++) k->links.asked[i] += k->links.x[i] / world->options.h;
        k->links.asks = true;
        status = sti_step_forces(world, report);
    }
    return status;
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
    s->links.asks = false;
    memset(s->links.asked, 0, (size_t)s->links.row_count * sizeof *s->links.asked);
    if (status == STI_OK) status = sti_step_forces(world, report);
    if (status == STI_OK && world->options.index == 3 && s->links.joint_rows > 0) status = close_joints(world, report);
    if (status != STI_OK) return status;
    report->work = work_done(world);
    end_velocities(world);
    report->at_rest = rests(world);
    status = show(world, report);
    if (status == STI_OK) status = sti_world_impacts(world, report);
    if (status != STI_OK) return status;
    report->time_solve_s += sti_clock() - looked;
    sti_account_begin(world);
    note_given(world, report);
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
    memset(s->links.l, 0, (size_t)s->links.row_count * sizeof *s->links.l);
    memset(s->axis_r, 0, 8 * (size_t)world->bodies->joint_count * sizeof *s->axis_r);
    memset(s->reaction, 0, 6 * (size_t)world->bodies->joint_count * sizeof *s->reaction);
}

// A step that went a part of its way only is tried again: with the contacts that lie on the way it wanted to go, and
// with what its forces do to bodies that turn (stiff_rows.c).
static sti_status step(sti_world* world, sti_world_report* report) {
    struct sti_world_solve* s = world->solve;
    const double began = sti_clock();
    const double before = energy(world);
    s->look_s = 0;
    s->stiff_count = 0;
    sti_account_open(world);
    for (int tries = 0, most = STIFFER;; tries++) {
        int late;
        sti_status status = attempt(world, tries == 0 ? world->v : s->u, report, &late);
        if (status != STI_OK) return status;
        const bool trusted = s->posed.judged <= world->options.tol, vain = !trusted && s->stiff_count > 0;
        if (!vain && (late == 0 || !trusted || tries >= most)) break;
        give_back(world);
        if (vain) {  // without, for the last time
            most = 0;
            s->stiff_count = 0;
            forget_forces(world);
        } else {
            status = sti_stiffen(world);
            if (status != STI_OK) return status;
        }
        *report = (sti_world_report){
            .iterations = report->iterations, .time_solve_s = report->time_solve_s, .impact_time = NAN};
    }
    if (!(s->posed.far <= RUN_AWAY)) forget_forces(world);
    report->drift_rate = sti_world_drift_rate(world);
    report->kinetic = sti_world_kinetic(world, world->v);
    report->potential = sti_world_potential(world, NULL);
    report->gain = report->kinetic + report->potential - before - report->work - report->mended;
    report->time_detect_s = s->look_s;
    report->time_rest_s = sti_clock() - began - report->time_solve_s - s->look_s;
    return STI_OK;
}

sti_status sti_world_step(sti_world* world, sti_world_report* out) {
    sti_world_report report = {.impact_time = NAN};
    sti_status status = sti_world_keep(world);
    if (status != STI_OK) return status;
    sti_lift lift;
    keep(world);
    world->solve->attempt_count = 0;
    status = sti_world_lift(world, &lift);
    if (status == STI_OK) status = step(world, &report);
    if (status != STI_OK) {
        sti_world_take_back(world);
        return status;
    }
    if (lift.depth > report.given) {
        report.given = lift.depth;
        report.given_a = lift.a;
        report.given_b = lift.b;
    }
    report.corrected += lift.way;
    report.mended += lift.energy;
    sti_account_end(world);
    world->step++;
    world->time = world->start + (double)world->step * world->options.h;
    report.step = world->step;
    report.time = world->time;
    if (out != NULL) *out = report;
    return STI_OK;
}
