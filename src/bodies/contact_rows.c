// contact_rows.c: everything one-sided in a step, as contacts of one problem: contacts, limits, dry friction of joints,
// motors.
//
//     limit      normal row = the coordinate (or minus it), mu = 0:       0 <= r_n _|_ c' + gap / h >= 0
//     friction   r_n = bound in every solution, mu = 1, t1 = coordinate:  |r_t| <= bound, against c' where it moves
//     motor      the same with c' - speed:                                |r_t| <= h force, and c' = speed if it can
//
// The bound of the last two is a contact force that is known beforehand. It is made one by a velocity z of its own,
// with mass m, driven against its contact: m z = r_n - bound, 0 <= r_n _|_ z >= 0, so r_n = bound (bound > 0). In space
// the second tangent acts on another such velocity, which stays at rest. m is the mass that the coordinate feels, so
// that the problem stays well scaled.
//
// mu |reaction| (S0's frictional joint): the bound depends on the multipliers l of the joint; step.c finds it by
// repetition.
#include <float.h>
#include <math.h>
#include <string.h>

#include "bodies/motion.h"

#define NEAR_LIMIT 0.1  // radians, or lengths of the scene: limits farther than this, and than 4 h c', take no part

#define LOCKED 1e-9   // mobility of a row over what it is without joints
#define CLOSED 1e-11  // lengths of the scene: a gap as small counts as none

// gap / h, the speed at which a gap may close in this step
static double closing_speed(const sti_world* world, double gap, double unit) {
    return gap > CLOSED * unit ? gap / world->options.h : 0;
}

// What rounding makes of row v: bodies that move together part or meet by as much, and no contact answers to that.
static double rounding(const sti_world* world, const sti_row* row) {
    const int nv = world->nv, d = world->dim;
    double s = 0;
    for (int side = 0; side < 2; side++) {
        const int body = side == 0 ? row->a : row->b;
        const double* j = side == 0 ? row->ja : row->jb;
        if (body < 0) continue;
        const size_t at = (size_t)(nv * world->slot[body]);
        double speed = 0;  // of points of the body
        for (int k = 0; k < nv; k++)
            speed =
                fmax(speed, (fabs(world->solve->v_star[at + (size_t)k]) + fabs(world->solve->v_free[at + (size_t)k])) *
                                (k < d ? 1 : world->size));
        for (int k = 0; k < nv; k++) s += fabs(j[k]) * speed / (k < d ? 1 : world->size);
    }
    return 32 * DBL_EPSILON * s;
}

bool sti_act_closed(const sti_world* world, const sti_act* act) {
    return act->w[0] * world->options.h <= 1e-3 * CLOSED * world->size;
}

sti_status sti_acts_begin(sti_world* world, sti_acts* acts, int most) {
    acts->count = 0;
    const size_t need = (size_t)(most + 1), numbers = need * (size_t)world->dim;
    size_t room = acts->r_room;  // the same for r and u
    sti_status status = sti_room(world->env, (void**)&acts->act, &acts->room, need, sizeof *acts->act);
    if (status == STI_OK) status = sti_room(world->env, (void**)&acts->r, &room, numbers, sizeof *acts->r);
    if (status == STI_OK) status = sti_room(world->env, (void**)&acts->u, &acts->r_room, numbers, sizeof *acts->u);
    return status;
}

sti_act* sti_acts_add(sti_world* world, sti_acts* acts, sti_act_kind kind, int of) {
    sti_act* act = &acts->act[acts->count];
    *act = (sti_act){.kind = kind, .of = of};
    for (int k = 0; k < world->dim; k++) acts->r[acts->count * world->dim + k] = 0;
    acts->count++;
    return act;
}

void sti_acts_press(sti_world* world, sti_act* act, double press) {
    double mobility = 0;
    for (int k = 1; k < 3; k++) {
        if (act->row[k] != NULL) mobility = fmax(mobility, sti_row_mass(world, act->row[k], act->row[k]));
    }
    act->pressed = true;
    act->press = press;
    act->mass = mobility > 0 ? 1 / mobility : 1;
    act->mu = 1;
}

sti_status sti_acts_sections(const sti_acts* acts, int count, const int* list, sti_arena* arena, sti_section** out) {
    bool any = false;
    *out = NULL;
    for (int i = 0; i < count; i++) any = any || acts->act[list != NULL ? list[i] : i].section != NULL;
    if (!any) return arena->status;
    sti_section* section = sti_arena_take(arena, (size_t)count, sizeof *section);
    if (section == NULL) return arena->status;
    for (int i = 0; i < count; i++) {
        const sti_section* own = acts->act[list != NULL ? list[i] : i].section;
        section[i] = own != NULL ? *own : (sti_section){.shape = STI_SECTION_DISC};
    }
    *out = section;
    return STI_OK;
}

void sti_acts_add_forces(const sti_world* world, const sti_acts* acts, const double* r, double* f) {
    const int d = world->dim;
    for (int c = 0; c < acts->count; c++) {
        for (int k = 0; k < d; k++) {
            if (acts->act[c].row[k] != NULL && r[c * d + k] != 0)
                sti_row_add(world, acts->act[c].row[k], r[c * d + k], f);
        }
    }
}

// ---- of a step

static bool turns(const sti_joint* joint, int axis) {
    return joint->kind == STI_JOINT_REVOLUTE || (joint->kind == STI_JOINT_CYLINDRICAL && axis == 1);
}

// Do the joints leave this row no motion? Then nothing one-sided can act on it: a contact between two bodies that are
// welded together, the friction of an axis in a loop that cannot move. Impulses against the rounding that is left would
// run away.
static bool locked(sti_world* world, const sti_row* row) {
    const sti_links* k = &world->solve->links;
    const int slot[2] = {sti_slot_of(world, row->a), sti_slot_of(world, row->b)}, nv = world->nv;
    double *z = world->solve->response, sum = 0;
    for (int side = 0; side < 2; side++) {
        const int node = slot[side] >= 0 ? k->assembly_of[slot[side]] : -1;
        if (node < 0) continue;
        if (k->assembly[node].row_count == 0) return false;
        const bool both = slot[1 - side] >= 0 && k->assembly_of[slot[1 - side]] == node;
        if (both && side == 1) continue;
        if (!both && !k->assembly[node].held) return false;  // all of it can be moved along
        sti_links_respond(world, node, row, z);
        for (int end = 0; end < 2; end++) {
            if (slot[end] < 0 || k->assembly_of[slot[end]] != node) continue;
            const double *j = end == 0 ? row->ja : row->jb, *at = z + (size_t)(nv * k->place_in[slot[end]]);
            for (int i = 0; i < nv; i++) sum += j[i] * at[i];
        }
    }
    return sum <= LOCKED * world->solve->scale * sti_row_mass(world, row, row);
}

static bool moves_something(const sti_row* row) {
    return row->a >= 0 || row->b >= 0;
}

static void add_limits(sti_world* world, int at, const sti_joint* joint) {
    struct sti_world_solve* s = world->solve;
    const sti_joint_axis* axis = &world->axis[at];
    const sti_row* row = &s->axis_row[2 * at];
    const double h = world->options.h, unit = turns(joint, at % 2) ? 1 : world->size;
    const double near = NEAR_LIMIT * unit + 4 * h * fabs(sti_row_apply(world, row, s->v_star));
    for (int side = 0; side < 2; side++) {
        const double gap = side == 0 ? s->coordinate[at] - axis->lower : axis->upper - s->coordinate[at];
        if (!(gap <= near)) continue;
        sti_act* act = sti_acts_add(world, &s->acts, STI_ACT_LIMIT, at);
        act->row[0] = row + side;
        act->w[0] = closing_speed(world, gap, unit) + rounding(world, row);
        s->acts.r[(s->acts.count - 1) * world->dim] = s->axis_r[4 * at + side];
    }
}

static void add_bounded(sti_world* world, int at, sti_act_kind kind, double bound, double speed) {
    struct sti_world_solve* s = world->solve;
    if (!(bound > 0)) return;
    sti_act* act = sti_acts_add(world, &s->acts, kind, at);
    act->row[1] = &s->axis_row[2 * at];
    act->w[1] = -speed;
    sti_acts_press(world, act, bound);
    double* r = s->acts.r + (s->acts.count - 1) * world->dim;
    const double last = s->axis_r[4 * at + (kind == STI_ACT_FRICTION ? 2 : 3)];
    r[0] = bound;
    r[1] = fmax(-bound, fmin(bound, last));
}

double sti_axis_read(sti_world* world, int at) {
    struct sti_world_solve* s = world->solve;
    sti_row* row = &s->axis_row[2 * at];
    s->coordinate[at] = sti_joint_coordinate(world, at / 2, at % 2, row);
    row[1] = row[0];
    for (int i = 0; i < 6; i++) {
        row[1].ja[i] = -row->ja[i];
        row[1].jb[i] = -row->jb[i];
    }
    return s->coordinate[at];
}

static void add_axis(sti_world* world, int j, int k) {
    struct sti_world_solve* s = world->solve;
    const int at = 2 * j + k;
    const sti_joint_axis* axis = &world->axis[at];
    const sti_row* row = &s->axis_row[2 * at];
    sti_axis_read(world, at);
    if (!moves_something(row) || locked(world, row)) return;
    add_limits(world, at, &world->bodies->joint[j]);
    add_bounded(world, at, STI_ACT_FRICTION, s->bound[at], 0);
    add_bounded(world, at, STI_ACT_MOTOR, world->options.h * axis->motor_force, axis->motor_speed);
}

sti_status sti_acts_of_step(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const int d = world->dim;
    const sti_status status = sti_acts_begin(world, &s->acts, world->contact_count + 8 * world->bodies->joint_count);
    if (status != STI_OK) return status;
    for (int c = 0; c < world->contact_count; c++) {
        const sti_touching* contact = &world->contact[c];
        if (locked(world, &contact->row[0])) continue;
        sti_act* act = sti_acts_add(world, &s->acts, STI_ACT_CONTACT, c);
        double* r = s->acts.r + (size_t)((s->acts.count - 1) * d);
        act->mu = contact->at.mu;
        act->section = sti_contact_section(world->bodies, &contact->at);
        for (int k = 0; k < d; k++) {
            act->row[k] = &contact->row[k];
            act->w[k] = contact->offset[k];
            r[k] = contact->r_last[k];
        }
        act->w[0] += closing_speed(world, contact->at.gap, world->size) + rounding(world, act->row[0]);
    }
    for (int j = 0; j < world->bodies->joint_count; j++) {
        const int axes = sti_joint_axis_count(d, world->bodies->joint[j].kind);
        for (int k = 0; k < axes && k < 2; k++) add_axis(world, j, k);
    }
    return STI_OK;
}
