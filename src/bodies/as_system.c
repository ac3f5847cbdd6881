// as_system.c: a world as a system: its motion between events as functions of coordinates.
//
//     plane     (x, y, angle)                    velocities of the world: (x', y', angle')
//     space     (x, y, z, e), |e| = 1            w = 2 / |e|^2 vec(conj(e) e'),      w = A(e) e',      e^T e' = 0
//
// about centres of mass. A quaternion has no place where it fails, which any three numbers for a rotation have; the
// fourth is held by a joint |e| - 1 = 0 and has a mass, that of c (e'e')^2 / |e|^2 / 2, which moves nothing:
//
//     M = A'I A + c ee' / |e|^2
//     F = A'(w x I w - 2 (e'e') / |e|^2 I w - torque) + c e (|e'|^2 - (e'e' / |e|)^2) / |e|^2
//
// so that the joint carries no force. Rows of contacts and joints are those of the world, on velocities; A' makes
// covectors on e of them.
//
// Rates (d/dt n)'v, (d/dt t)'v with v held are central differences of fourth order along the motion, over 1e-3 of the
// smallest shape: off by about 1e-12 of v^2 / size. At rest they are 0, and where a gap is wider than 0.05 of that
// shape, since nothing asks for them there.
//
// Dry friction of a joint, and a motor, push with at most a given force against a coordinate's speed. That is Coulomb's
// law of a contact that is pressed with just that force: it has a coordinate z of its own, gap z, and F drives z
// against it (instant.c has the same). So to stop, to hold and to reach a speed are events like those of contacts.
//
// Angles of joints with a spring, a limit or a gear count whole turns. In the plane they are sums of coordinates. In
// space they are told within half a turn of where they were at the beginning; there the functions have no value beyond
// 3 radians of it.
#include "bodies/as_system.h"

#include <stdio.h>

#include "bodies/motion.h"
#include "linalg/vec3.h"

enum { FACETS = 8, MOST_PAIRS = 2048 };

// ---- what there is

static bool turns_matter(const sti_world* world, int at) {
    const sti_joint_axis* axis = &world->axis[at];
    bool matter = isfinite(axis->lower) || isfinite(axis->upper) || axis->stiffness > 0;
    for (int j = 0; j < world->bodies->joint_count; j++) {
        const sti_joint* gear = &world->bodies->joint[j];
        for (int k = 0; k < 2 && gear->kind == STI_JOINT_GEAR; k++)
            matter = matter || 2 * gear->of[k] + gear->of_axis[k] == at;
    }
    return matter;
}

static sti_status count_axes(sti_world_motion* m) {
    const sti_world* world = m->world;
    for (int at = 0; at < 2 * world->bodies->joint_count; at++) {
        const sti_joint* joint = &world->bodies->joint[at / 2];
        const sti_joint_axis* axis = &world->axis[at];
        sti_row row;
        if (at % 2 >= sti_joint_axis_count(world->dim, joint->kind)) continue;
        sti_joint_coordinate(world, at / 2, at % 2, &row);
        if (row.a < 0 && row.b < 0) continue;
        if (axis->mu > 0)
            return STI_FAIL(
                world->env, STI_ERR_INPUT, at / 2,
                "joint \"%.60s\": mu: friction that depends on its reaction: by events it has a fixed bound "
                "(friction)",
                joint->name);
        const double mobility = sti_row_mass(world, &row, &row), bound[2] = {axis->friction, axis->motor_force};
        for (int side = 0; side < 2; side++) {
            if (!isfinite(side == 0 ? axis->lower : axis->upper)) continue;
            if (m->limit != NULL) m->limit[m->limit_count] = 2 * at + side;
            m->limit_count++;
        }
        for (int k = 0; k < 2; k++) {
            if (!(bound[k] > 0)) continue;
            if (m->pressed != NULL)
                m->pressed[m->pressed_count] = (sti_motion_pressed){
                    .at = at, .motor = k == 1, .bound = bound[k], .mass = mobility > 0 ? 1 / mobility : 1};
            m->pressed_count++;
        }
    }
    return STI_OK;
}

static void count_lines(sti_world_motion* m) {
    const sti_world* world = m->world;
    m->joint_count = m->line_count = 0;
    for (int j = 0; j < world->bodies->joint_count; j++) {
        sti_row rows[6];
        double defect[6];
        m->joint_count += sti_joint_rows(world, j, rows, defect);
    }
    m->contact_count = m->gap_count + m->limit_count + m->pressed_count;
    for (int i = 0; i < m->contact_count + m->joint_count; i++)
        m->line_count += 1 + (m->gap == NULL && i < m->gap_count ? 2 : sti_motion_tangents(m, i));
    m->n = m->per_body * world->moving + m->pressed_count;
}

// Steps solve one dense problem of all contacts.
static sti_status check_size(const sti_world_motion* m) {
    size_t pairs = 0;
    const size_t directions = m->world->dim == 2 ? 2 : FACETS;
    for (int i = 0; i < m->contact_count; i++) pairs += sti_motion_tangents(m, i) > 0 ? 2 + directions : 2;
    if (pairs <= MOST_PAIRS) return STI_OK;
    return STI_FAIL(m->env, STI_ERR_SIZE, -1,
                    "%d corners and limits that may touch something: by events all are one dense problem, of at most "
                    "%d contacts with friction",
                    m->contact_count, MOST_PAIRS / (int)(2 + directions));
}

static sti_status reserve(sti_world_motion* m) {
    const sti_world* world = m->world;
    sti_arena* a = &m->memory;
    const size_t joints = (size_t)world->bodies->joint_count, moving = (size_t)world->moving;
    sti_status status = sti_gaps_find(m->world, NULL, &m->gap_count);
    if (status == STI_OK) status = count_axes(m);
    if (status != STI_OK) return status;
    m->gap = sti_arena_take(a, (size_t)m->gap_count, sizeof *m->gap);
    m->limit = sti_arena_ints(a, (size_t)m->limit_count);
    m->pressed = sti_arena_take(a, (size_t)m->pressed_count, sizeof *m->pressed);
    if (a->status != STI_OK) return a->status;
    m->limit_count = m->pressed_count = 0;
    status = sti_gaps_find(m->world, m->gap, &m->gap_count);
    if (status == STI_OK) status = count_axes(m);
    if (status != STI_OK) return status;
    count_lines(m);
    status = check_size(m);
    if (status != STI_OK) return status;
    m->line = sti_arena_take(a, (size_t)m->line_count, sizeof *m->line);
    m->nearby = sti_arena_take(a, (size_t)m->line_count, sizeof *m->nearby);
    m->rate = sti_arena_doubles(a, (size_t)m->line_count);
    m->seen_q = sti_arena_doubles(a, (size_t)m->n);
    m->seen_v = sti_arena_doubles(a, (size_t)m->n);
    m->stiffness = sti_arena_doubles(a, moving);
    m->turn_from = sti_arena_doubles(a, 2 * joints);
    m->soft = sti_arena_take(a, (size_t)sti_world_soft_count(world), sizeof *m->soft);
    m->f = sti_arena_doubles(a, 6 * moving);
    m->covector = sti_arena_doubles(a, (size_t)m->n);
    m->there = sti_arena_doubles(a, (size_t)m->n);
    m->name = sti_arena_take(a, (size_t)(m->n + m->contact_count + m->joint_count + sti_motion_quaternions(m)),
                             sizeof *m->name);
    return a->status;
}

// ---- names

static void set_name(sti_world_motion* m, const char* first, const char* middle, const char* last, int number) {
    const size_t room = strlen(first) + strlen(middle) + strlen(last) + 16;
    char* text = sti_arena_take(&m->memory, room, 1);
    if (text == NULL) return;
    if (number > 1)
        snprintf(text, room, "%s%s%s %d", first, middle, last, number);
    else
        snprintf(text, room, "%s%s%s", first, middle, last);
    m->name[m->name_count++] = text;
}

static void name_coordinates(sti_world_motion* m) {
    static const char* const space[7] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    static const char* const plane[3] = {"x", "y", "angle"};
    const sti_world* world = m->world;
    for (int body = 0; body < world->bodies->count; body++) {
        for (int k = 0; world->slot[body] >= 0 && k < m->per_body; k++)
            set_name(m, world->bodies->body[body].name, ".", world->dim == 2 ? plane[k] : space[k], 1);
    }
    for (int i = 0; i < m->pressed_count; i++)
        set_name(m, world->bodies->joint[m->pressed[i].at / 2].name, m->pressed[i].motor ? ".motor" : ".friction", "",
                 m->pressed[i].at % 2 + 1);
}

static void name_contacts(sti_world_motion* m) {
    const sti_world* world = m->world;
    const sti_collider* collider = world->bodies->collider;
    for (int i = 0; i < m->gap_count; i++) {
        const int a = collider[m->gap[i].a].body, b = collider[m->gap[i].b].body;
        int number = 1;
        for (int k = 0; k < i; k++) number += collider[m->gap[k].a].body == a && collider[m->gap[k].b].body == b;
        set_name(m, world->bodies->body[a].name, ":", world->bodies->body[b].name, number);
    }
    for (int i = 0; i < m->limit_count; i++)
        set_name(m, world->bodies->joint[m->limit[i] / 4].name, m->limit[i] % 2 == 0 ? " lower" : " upper", "",
                 m->limit[i] / 2 % 2 + 1);
    for (int i = 0; i < m->pressed_count; i++)
        set_name(m, world->bodies->joint[m->pressed[i].at / 2].name, m->pressed[i].motor ? " motor" : " friction", "",
                 m->pressed[i].at % 2 + 1);
    for (int j = 0; j < world->bodies->joint_count; j++) {
        sti_row rows[6];
        double defect[6];
        const int count = sti_joint_rows(world, j, rows, defect);
        for (int k = 0; k < count; k++) set_name(m, world->bodies->joint[j].name, "", "", k + 1);
    }
    for (int body = 0; sti_motion_quaternions(m) > 0 && body < world->bodies->count; body++) {
        if (world->slot[body] >= 0) set_name(m, world->bodies->body[body].name, " rotation", "", 1);
    }
}

// ---- life

static void destroy(void* user) {
    sti_world_motion* m = user;
    sti_env* env = m->env;
    sti_world_destroy(m->world);
    sti_arena_clear(&m->memory);
    sti_free(env, m);
}

static sti_status copy_world(sti_env* env, const sti_world* world, sti_world** out) {
    sti_world_options options = world->options;
    const size_t joints = (size_t)world->bodies->joint_count, moving = (size_t)world->moving;
    options.start_as_given = true;
    const sti_status status = sti_world_create(env, world->bodies, &options, out);
    if (status != STI_OK) return status;
    sti_world* to = *out;
    to->time = world->time;
    memcpy(to->placed, world->placed, (size_t)world->bodies->count * sizeof *to->placed);
    memcpy(to->v, world->v, (size_t)world->nv * moving * sizeof *to->v);
    memcpy(to->push, world->push, 6 * moving * sizeof *to->push);
    if (joints == 0) return STI_OK;
    memcpy(to->axis, world->axis, 2 * joints * sizeof *to->axis);
    memcpy(to->turned, world->turned, 2 * joints * sizeof *to->turned);
    memcpy(to->gear_value, world->gear_value, joints * sizeof *to->gear_value);
    return STI_OK;
}

// Where the world is, into q and v.
static void read_state(const sti_world_motion* m, double* q, double* v) {
    const sti_world* world = m->world;
    for (int body = 0; body < world->bodies->count; body++) {
        const int slot = world->slot[body];
        if (slot < 0) continue;
        const sti_placed* at = &world->placed[body];
        const double* from = world->v + world->nv * slot;
        double *x = q + m->per_body * slot, *rate = v + m->per_body * slot;
        memcpy(x, at->x, (size_t)world->dim * sizeof *x);
        memcpy(rate, from, 3 * sizeof *rate);
        if (world->dim == 2) {
            x[2] = 2 * atan2(at->q[3], at->q[0]);
            continue;
        }
        const double spin[4] = {0, from[3] / 2, from[4] / 2, from[5] / 2};
        memcpy(x + 3, at->q, sizeof at->q);
        quaternion_product(at->q, spin, rate + 3);
    }
}

// What functions keep in mind of the beginning.
static void remember(sti_world_motion* m, const double* q) {
    const sti_world* world = m->world;
    m->length = INFINITY;
    for (int i = 0; i < world->bodies->collider_count; i++) {
        const sti_collider* c = &world->bodies->collider[i];
        if (world->slot[c->body] >= 0) m->length = fmin(m->length, sti_shape_reach(c->shape));
    }
    if (!isfinite(m->length)) m->length = world->size;
    for (int body = 0; body < world->bodies->count; body++) {
        const double* I = world->bodies->mass[body].inertia;
        if (world->slot[body] >= 0) m->stiffness[world->slot[body]] = 4 * (I[0] + I[4] + I[8]) / 3;
    }
    for (int at = 0; at < 2 * world->bodies->joint_count; at++) {
        const sti_joint* joint = &world->bodies->joint[at / 2];
        if (at % 2 >= sti_joint_axis_count(world->dim, joint->kind)) continue;
        if (world->dim == 2)
            m->turn_from[at] = world->turned[at] - sti_motion_angle(m, joint->b, q) + sti_motion_angle(m, joint->a, q);
        else
            m->turn_from[at] = joint->kind != STI_JOINT_PRISMATIC &&
                               at % 2 + 1 == sti_joint_axis_count(3, joint->kind) && turns_matter(world, at);
    }
}

static sti_status make(sti_world_motion* m, sti_system** out) {
    const int joints = m->joint_count + sti_motion_quaternions(m), count = m->contact_count + joints;
    sti_arena work = sti_arena_make(m->env);
    int* tangents = sti_arena_ints(&work, (size_t)count);
    double* state = sti_arena_doubles(&work, 2 * (size_t)m->n);
    sti_status status = work.status;
    if (status == STI_OK) {
        for (int i = 0; i < count; i++) tangents[i] = sti_motion_tangents(m, i);
        read_state(m, state, state + m->n);
        remember(m, state);
        const sti_system_def def = {.coordinate_count = m->n,
                                    .coordinates = (const char* const*)m->name,
                                    .contact_count = m->contact_count,
                                    .joint_count = joints,
                                    .contact_names = (const char* const*)m->name + m->n,
                                    .tangent_count = tangents,
                                    .time = m->world->time,
                                    .q = state,
                                    .v = state + m->n,
                                    .evaluate = sti_motion_evaluate,
                                    .user = m,
                                    .destroy = destroy};
        status = sti_system_create_def(m->env, &def, out);
    }
    sti_arena_clear(&work);
    return status;
}

sti_status sti_world_system(sti_env* env, const sti_world* world, sti_system** out) {
    *out = NULL;
    if (world->moving == 0) return STI_FAIL(env, STI_ERR_INPUT, -1, "every body is fixed: nothing moves");
    sti_world_motion* m = sti_alloc_array_zero(env, 1, sizeof *m);
    if (m == NULL) return STI_ERR_MEMORY;
    m->env = env;
    m->memory = sti_arena_make(env);
    m->per_body = world->dim == 2 ? 3 : 7;
    sti_status status = copy_world(env, world, &m->world);
    if (status == STI_OK) status = reserve(m);
    if (status == STI_OK) {
        name_coordinates(m);
        name_contacts(m);
        status = m->memory.status;
    }
    if (status == STI_OK) status = make(m, out);
    if (status != STI_OK) destroy(m);
    return status;
}

sti_status sti_world_follow(sti_world* world, const double* q, const double* v) {
    const int per_body = world->dim == 2 ? 3 : 7;
    for (int body = 0; body < world->bodies->count; body++) {
        if (world->slot[body] < 0) continue;
        const double *at = q + per_body * world->slot[body], *rate = v + per_body * world->slot[body];
        double* to = world->v + world->nv * world->slot[body];
        const sti_world_motion one = {.world = world, .per_body = per_body};
        if (!sti_motion_place(&one, &world->placed[body], at))
            return STI_FAIL(world->env, STI_ERR_ARGUMENT, body, "body \"%.60s\": its coordinates are no place",
                            world->bodies->body[body].name);
        memcpy(to, rate, 3 * sizeof *to);
        if (world->dim == 3) sti_motion_spin(at + 3, rate + 3, to + 3);
    }
    sti_world_turned_update(world);
    world->solve->detected = false;
    return STI_OK;
}
