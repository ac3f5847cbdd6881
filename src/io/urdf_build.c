// urdf_build.c: URDF: the model as bodies, joints and pairs that never touch.
//
// A body is all links that fixed joints connect, in the frame of the one nearest to the root. With masses m_i, centres c_i
// and inertias I_i of its links in that frame
//     m = sum m_i,   c = sum m_i c_i / m,   I = sum I_i + m_i (d_i'd_i E - d_i d_i'),   d_i = c_i - c.
//
// Joints     the frame of a joint has its z along the axis of the file, so coordinates are the file's own. The world counts
//            an angle from within half a turn at the start; where a joint starts beyond, its coordinate counts from there.
// Mimic      a gear: q - multiplier q_other keeps its value. Where it would couple more than two bodies that move, the
//            joint is driven like the one that it mimics instead, and that is remarked.
// Touching   links that a joint connects do not touch each other. Others may, unless they overlap at the start: then they
//            never do, which is remarked.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file.h"
#include "io/urdf.h"

// A failure of the library in the words of the file.
static sti_status blame(const sti_urdf_model* m, const sti_xml_node* node, sti_status status) {
    if (status != STI_ERR_INPUT && status != STI_ERR_SIZE) return status;
    char text[300];
    snprintf(text, sizeof text, "%.290s", m->env->error.text);
    if (strncmp(text, m->file, strlen(m->file)) == 0) return status;  // it is in them
    return sti_urdf_fail(m, node, NULL, "%s", text);
}

// ---- masses

// Into the frame of the body: R I R' + m (d'd E - d d').
static void add_inertia(const sti_urdf_link* link, const double d[3], double I[9]) {
    double R[9], T[9];
    sti_pose_rotation(&link->in_body, R);
    const double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int i = 0; i < 9; i++) {
        const int r = i / 3, c = i % 3;
        T[i] = R[3 * r] * link->inertia[c] + R[3 * r + 1] * link->inertia[3 + c] + R[3 * r + 2] * link->inertia[6 + c];
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c <= r; c++) {
            const double turned = T[3 * r] * R[3 * c] + T[3 * r + 1] * R[3 * c + 1] + T[3 * r + 2] * R[3 * c + 2];
            I[3 * r + c] += turned + link->mass * ((r == c ? d2 : 0) - d[r] * d[c]);
        }
    }
    I[1] = I[3], I[2] = I[6], I[5] = I[7];
}

// What the links of one body sum up to; by the index of the link that names it.
typedef struct sum {
    double mass, centre[3], inertia[9];
    bool touchable;
    int links;  // that are part of it
    int hangs;  // joints that carry other bodies, as far as those are not left out
} sum;

static void add_up(const sti_urdf_model* m, sum* sums) {
    for (int k = 0; k < m->link_count; k++) {
        const sti_urdf_link* link = &m->link[k];
        sum* s = &sums[link->body_link];
        double c[3];
        sti_pose_apply(&link->in_body, link->centre, c);
        s->mass += link->mass;
        for (int i = 0; i < 3; i++) s->centre[i] += link->mass * c[i];
        s->touchable = s->touchable || link->touchable;
        s->links++;
    }
    for (int k = 0; k < m->link_count; k++) {
        for (int i = 0; i < 3 && sums[k].mass > 0; i++) sums[k].centre[i] /= sums[k].mass;
    }
    for (int k = 0; k < m->link_count; k++) {
        const sti_urdf_link* link = &m->link[k];
        sum* s = &sums[link->body_link];
        double c[3];
        sti_pose_apply(&link->in_body, link->centre, c);
        const double d[3] = {c[0] - s->centre[0], c[1] - s->centre[1], c[2] - s->centre[2]};
        if (link->mass > 0) add_inertia(link, d, s->inertia);
    }
    for (int k = 0; k < m->joint_count; k++) {
        if (m->joint[k].type != STI_URDF_FIXED) sums[m->link[m->joint[k].parent].body_link].hangs++;
    }
}

// Moments that rounding cannot tell from 0 are none.
static bool is_definite(const double I[9]) {
    const double trace = I[0] + I[4] + I[8];
    const double d2 = I[0] * I[4] - I[1] * I[1], d0 = I[4] * I[8] - I[5] * I[5];
    const double d3 = I[0] * d0 - I[1] * (I[1] * I[8] - I[5] * I[2]) + I[2] * (I[1] * I[5] - I[4] * I[2]);
    return isfinite(trace) && I[0] > 1e-12 * trace && d2 > 1e-13 * trace * trace && d3 > 1e-14 * trace * trace * trace;
}

// Every body that moves has a mass. One that has none, touches nothing and carries nothing can be left out.
static sti_status check_masses(sti_urdf_model* m, sum* sums) {
    for (int at = m->link_count; at-- > 0;) {  // what hangs on a link comes after it
        sti_urdf_link* link = &m->link[m->order[at]];
        const sum* s = &sums[m->order[at]];
        const bool root = m->order[at] == m->root;
        if (link->body_link != m->order[at] || (root && m->options->fixed)) continue;
        if (s->mass > 0) {
            if (is_definite(s->inertia)) continue;
            return sti_urdf_fail(m, link->node, NULL,
                                 "moves, and its inertia is not positive: moments %g, %g, %g about the centre",
                                 s->inertia[0], s->inertia[4], s->inertia[8]);
        }
        if (root || s->touchable || s->hangs > 0)
            return sti_urdf_fail(m, link->node, NULL, "moves and has no mass: <inertial> with a mass is expected");
        link->left_out = true;
        sums[m->link[m->joint[link->joint].parent].body_link].hangs--;
        const sti_status status =
            sti_urdf_remark_add(m, STI_URDF_IGNORED, m->joint[link->joint].node, NULL,
                                "link \"%.60s\" on it has no mass and touches nothing: both are left out", link->name);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

// ---- bodies

// prefix/name, free with sti_free
static char* full_name(const sti_urdf_model* m, const char* name, const char* after) {
    const char* prefix = m->options->name;
    const size_t size = strlen(prefix != NULL ? prefix : "") + strlen(name) + strlen(after) + 2;
    char* text = sti_alloc(m->env, size);
    if (text != NULL)
        snprintf(text, size, "%s%s%s%s", prefix != NULL ? prefix : "", prefix != NULL ? "/" : "", name, after);
    return text;
}

static sti_status add_body(sti_urdf_model* m, const sum* s, int index, sti_bodies* bodies) {
    sti_urdf_link* link = &m->link[index];
    sti_body body = sti_body_default();
    char* name = full_name(m, link->name, "");
    if (name == NULL) return STI_FAIL(m->env, STI_ERR_MEMORY, -1, "name of a link");
    body.name = name;
    body.pose = link->place;
    body.fixed = index == m->root && m->options->fixed;
    if (!body.fixed) {
        body.density = 0;
        body.mass = s->mass;
        memcpy(body.centre, s->centre, sizeof body.centre);
        memcpy(body.inertia, s->inertia, sizeof body.inertia);
    }
    const sti_status status = blame(m, link->node, sti_bodies_add(bodies, &body, &link->body));
    sti_free(m->env, name);
    return status;
}

static sti_status add_bodies(sti_urdf_model* m, const sum* sums, sti_bodies* bodies) {
    sti_status status = STI_OK;
    m->report->first_body = sti_bodies_count(bodies);
    for (int at = 0; status == STI_OK && at < m->link_count; at++) {
        const int index = m->order[at];
        sti_urdf_link* link = &m->link[index];
        if (link->body_link == index) {
            if (!link->left_out) status = add_body(m, &sums[index], index, bodies);
            continue;
        }
        link->left_out = m->link[link->body_link].left_out;
        link->body = m->link[link->body_link].body;
        if (!link->left_out)
            status =
                sti_urdf_remark_add(m, STI_URDF_ASSUMED, link->node, NULL,
                                    "fixed to link \"%.60s\": the two are one body", m->link[link->body_link].name);
    }
    m->report->body_count = sti_bodies_count(bodies) - m->report->first_body;
    return status;
}

static sti_status add_shapes(sti_urdf_model* m, sti_bodies* bodies) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < m->geometry_count; k++) {
        const sti_urdf_geometry* g = &m->geometry[k];
        const sti_urdf_link* link = &m->link[g->link];
        const sti_pose place = sti_pose_compose(&link->in_body, &g->origin);
        sti_shape* shape;
        status = sti_urdf_shape(m, g, link->body_link == m->root && m->options->fixed, &shape);
        if (status == STI_OK) status = sti_bodies_add_shape(bodies, link->body, shape, &place, m->options->material);
        status = blame(m, g->node, status);
    }
    return status;
}

// ---- joints

// A joint that cannot move: its limits are one, or it mimics such a one, or with the multiplier 0.
static bool is_locked(const sti_urdf_model* m, const sti_urdf_joint* joint) {
    for (;;) {
        if (joint->lower == joint->upper) return true;
        if (joint->mimic < 0) return false;
        if (joint->multiplier == 0) return true;
        joint = &m->joint[joint->mimic];
    }
}

static sti_status set_motor(sti_urdf_model* m, const sti_urdf_joint* joint, sti_joint_axis* axis) {
    const sti_urdf_setting* s = &joint->setting;
    const sti_xml_node* limit = sti_xml_find(joint->node, "limit");
    const bool bounded = joint->effort > 0;  // an effort of 0 stands in files that know none
    if (isnan(s->motor_speed) && isnan(s->motor_force)) {
        if (isnan(joint->effort)) return STI_OK;
        return sti_urdf_remark_add(m, STI_URDF_IGNORED, limit, "joint: limit: effort",
                                   "bounds motors, and this joint has none");
    }
    if (isnan(s->motor_force) && !bounded)
        return sti_file_fail(m->env, STI_ERR_INPUT, m->file,
                             "setting of joint \"%.60s\": motor force: missing, and the file gives no effort",
                             joint->name);
    axis->motor_speed = isnan(s->motor_speed) ? 0 : s->motor_speed;
    axis->motor_force = isnan(s->motor_force) ? joint->effort : s->motor_force;
    if (!bounded || axis->motor_force <= joint->effort) return STI_OK;
    const double wanted = axis->motor_force;
    axis->motor_force = joint->effort;
    return sti_urdf_remark_add(m, STI_URDF_ASSUMED, limit, NULL, "its effort %g bounds the motor, which was to have %g",
                               joint->effort, wanted);
}

static sti_status set_axis(sti_urdf_model* m, const sti_urdf_joint* joint, double zero, sti_joint_axis* axis) {
    const sti_urdf_setting* s = &joint->setting;
    axis->lower = joint->lower - zero;
    axis->upper = joint->upper - zero;
    axis->damping = isnan(s->damping) ? joint->damping : s->damping;
    axis->friction = isnan(s->friction) ? joint->friction : s->friction;
    axis->stiffness = isnan(s->stiffness) ? 0 : s->stiffness;
    axis->rest = (isnan(s->rest) ? joint->start : s->rest) - zero;
    sti_status status = set_motor(m, joint, axis);
    if (status == STI_OK && zero != 0)
        status = sti_urdf_remark_add(m, STI_URDF_ASSUMED, joint->node, NULL,
                                     "starts at %g, beyond half a turn: its coordinate counts from there", zero);
    return status;
}

static sti_status shape_joint(sti_urdf_model* m, const sti_urdf_joint* joint, sti_joint* def) {
    const sti_urdf_link* parent = &m->link[joint->parent];
    const bool turns = joint->type == STI_URDF_REVOLUTE || joint->type == STI_URDF_CONTINUOUS;
    const sti_pose frame = sti_urdf_axis_frame(joint->axis);
    sti_pose origin = sti_pose_compose(&parent->in_body, &joint->origin);
    sti_status status = STI_OK;
    double zero = 0;
    if (!sti_urdf_has_coordinate(joint->type)) {
        *def = sti_joint_default(STI_JOINT_PLANAR, parent->body, m->link[joint->child].body);
    } else if (is_locked(m, joint)) {
        const sti_pose motion = sti_urdf_motion(joint, joint->start);
        origin = sti_pose_compose(&origin, &motion);
        *def = sti_joint_default(STI_JOINT_FIXED, parent->body, m->link[joint->child].body);
        status = sti_urdf_remark_add(m, STI_URDF_ASSUMED, joint->node, NULL, "cannot leave its position %g: held there",
                                     joint->start);
    } else {
        *def = sti_joint_default(turns ? STI_JOINT_REVOLUTE : STI_JOINT_PRISMATIC, parent->body,
                                 m->link[joint->child].body);
        if (turns && fabs(joint->start) > 3) {
            const sti_pose motion = sti_urdf_motion(joint, joint->start);
            origin = sti_pose_compose(&origin, &motion);
            zero = joint->start;
        }
        status = set_axis(m, joint, zero, &def->axis[0]);
    }
    def->at_a = sti_pose_compose(&origin, &frame);
    def->at_b = frame;
    return status;
}

// Bodies that move when one of the two joints does. A row of the equations has room for two.
static int count_moving(const sti_urdf_model* m, const sti_urdf_joint* one, const sti_urdf_joint* other) {
    const int link[4] = {one->parent, one->child, other->parent, other->child};
    int body[4], count = 0;
    for (int i = 0; i < 4; i++) {
        body[i] = m->link[link[i]].body_link;
        bool counts = body[i] != m->root || !m->options->fixed;
        for (int k = 0; k < i; k++) counts = counts && body[k] != body[i];
        count += counts;
    }
    return count;
}

// A joint that mimics and cannot be geared is driven like the one it mimics, where that one is driven.
static sti_status drive_alike(sti_urdf_model* m, sti_urdf_joint* joint) {
    if (joint->mimic < 0 || is_locked(m, joint)) return STI_OK;
    const sti_urdf_joint* other = &m->joint[joint->mimic];
    if (count_moving(m, joint, other) <= 2) return STI_OK;
    const sti_urdf_setting* from = &other->setting;
    sti_urdf_setting* to = &joint->setting;
    const bool motor = !isnan(from->motor_speed) || !isnan(from->motor_force);
    if (motor && isnan(to->motor_speed)) to->motor_speed = joint->multiplier * from->motor_speed;
    if (motor && isnan(to->motor_force)) to->motor_force = isnan(from->motor_force) ? other->effort : from->motor_force;
    if (isnan(to->stiffness)) to->stiffness = from->stiffness;
    if (isnan(to->rest)) to->rest = joint->multiplier * from->rest + joint->offset;
    const bool driven = motor || !isnan(from->stiffness);
    return sti_urdf_remark_add(m, driven ? STI_URDF_APPROXIMATED : STI_URDF_IGNORED, sti_xml_find(joint->node, "mimic"),
                               NULL,
                               driven ? "couples more than two bodies that move: driven like joint \"%.60s\" instead"
                                      : "couples more than two bodies that move: it moves independently of \"%.60s\"",
                               other->name);
}

static sti_status add_joint(sti_urdf_model* m, sti_urdf_joint* joint, sti_bodies* bodies) {
    sti_joint def;
    if (joint->type == STI_URDF_FIXED || m->link[joint->child].left_out) return STI_OK;
    if (joint->type == STI_URDF_FLOATING) return STI_OK;
    sti_status status = drive_alike(m, joint);
    if (status == STI_OK) status = shape_joint(m, joint, &def);
    if (status != STI_OK) return status;
    char* name = full_name(m, joint->name, "");
    if (name == NULL) return STI_FAIL(m->env, STI_ERR_MEMORY, -1, "name of a joint");
    def.name = name;
    status = blame(m, joint->node, sti_bodies_add_joint(bodies, &def, &joint->joint));
    sti_free(m->env, name);
    return status;
}

static sti_status add_gear(sti_urdf_model* m, const sti_urdf_joint* joint, sti_bodies* bodies) {
    if (joint->mimic < 0 || joint->joint < 0 || is_locked(m, joint)) return STI_OK;
    const sti_xml_node* node = sti_xml_find(joint->node, "mimic");
    const int other = m->joint[joint->mimic].joint;
    if (other < 0) return sti_urdf_fail(m, node, "joint", "that joint was left out: nothing with a mass hangs on it");
    if (count_moving(m, joint, &m->joint[joint->mimic]) > 2) return STI_OK;
    sti_joint def = sti_joint_default(STI_JOINT_GEAR, -1, -1);
    def.of[0] = joint->joint;
    def.of[1] = other;
    def.ratio = -joint->multiplier;
    char* name = full_name(m, joint->name, " mimic");
    if (name == NULL) return STI_FAIL(m->env, STI_ERR_MEMORY, -1, "name of a joint");
    def.name = name;
    const sti_status status = blame(m, node, sti_bodies_add_joint(bodies, &def, NULL));
    sti_free(m->env, name);
    return status;
}

// ---- what overlaps at the start

static bool connected(const sti_urdf_model* m, const sti_bodies* bodies, int a, int b) {
    for (int k = m->report->first_joint; k < sti_bodies_joint_count(bodies); k++) {
        const sti_joint* joint = sti_bodies_joint(bodies, k);
        if (joint->kind != STI_JOINT_GEAR && ((joint->a == a && joint->b == b) || (joint->a == b && joint->b == a)))
            return true;
    }
    return false;
}

static sti_status check_pair(sti_urdf_model* m, sti_bodies* bodies, int first, const sti_pose* poses,
                             const sti_box_pair* pair) {
    int body[2], count = 0;
    sti_shape_contact touch;
    const sti_shape* a = sti_bodies_shape(bodies, first + pair->a, &body[0], NULL, NULL);
    const sti_shape* b = sti_bodies_shape(bodies, first + pair->b, &body[1], NULL, NULL);
    if (body[0] == body[1] || connected(m, bodies, body[0], body[1])) return STI_OK;
    const double slack = 1e-6 * fmin(sti_shape_reach(a), sti_shape_reach(b));
    if (sti_shape_contacts(a, &poses[pair->a], b, &poses[pair->b], 0, 1, &touch, &count) != STI_OK || count == 0 ||
        touch.gap > -slack)
        return STI_OK;
    const sti_xml_node *node = m->geometry[pair->a].node, *other = m->geometry[pair->b].node;
    const sti_status status =
        sti_urdf_remark_add(m, STI_URDF_ASSUMED, node->up, NULL,
                            "overlaps link \"%.60s\" at the start: they never touch", sti_xml_get(other->up, "name"));
    return status == STI_OK ? sti_bodies_ignore(bodies, body[0], body[1]) : status;
}

// The shapes of the robot are the last ones, in the order of model->geometry.
static sti_status ignore_overlaps(sti_urdf_model* m, sti_bodies* bodies, sti_broadphase* broad) {
    const int n = m->geometry_count, first = sti_bodies_shape_count(bodies) - n;
    sti_pose* poses = sti_alloc_array(m->env, (size_t)n, sizeof *poses);
    sti_aabb* boxes = sti_alloc_array(m->env, (size_t)n, sizeof *boxes);
    const sti_box_pair* pairs = NULL;
    int count = 0;
    sti_status status = STI_OK;
    if (poses == NULL || boxes == NULL) status = STI_FAIL(m->env, STI_ERR_MEMORY, -1, "boxes of %d shapes", n);
    for (int k = 0; status == STI_OK && k < n; k++) {
        int body;
        sti_pose place;
        const sti_shape* shape = sti_bodies_shape(bodies, first + k, &body, &place, NULL);
        poses[k] = sti_pose_compose(&sti_bodies_body(bodies, body)->pose, &place);
        status = sti_shape_bounds(shape, &poses[k], 0, &boxes[k]);
        if (status != STI_OK) status = sti_urdf_fail(m, m->geometry[k].node, NULL, "lies too far out");
    }
    if (status == STI_OK) status = sti_broadphase_update(broad, n, boxes, NULL, &pairs, &count);
    for (int k = 0; status == STI_OK && k < count; k++) status = check_pair(m, bodies, first, poses, &pairs[k]);
    sti_free(m->env, poses);
    sti_free(m->env, boxes);
    return status;
}

// ---- all

static sti_status add_all(sti_urdf_model* m, sum* sums, sti_bodies* bodies) {
    add_up(m, sums);
    sti_status status = check_masses(m, sums);
    if (status == STI_OK) status = add_bodies(m, sums, bodies);
    if (status == STI_OK) status = add_shapes(m, bodies);
    m->report->first_joint = sti_bodies_joint_count(bodies);
    for (int k = 0; status == STI_OK && k < m->joint_count; k++) status = add_joint(m, &m->joint[k], bodies);
    for (int k = 0; status == STI_OK && k < m->joint_count; k++) status = add_gear(m, &m->joint[k], bodies);
    m->report->joint_count = sti_bodies_joint_count(bodies) - m->report->first_joint;
    return status;
}

sti_status sti_urdf_build(sti_urdf_model* m, sti_bodies* bodies) {
    sum* sums = sti_alloc_array_zero(m->env, (size_t)m->link_count, sizeof *sums);
    if (sums == NULL) return STI_FAIL(m->env, STI_ERR_MEMORY, -1, "masses of %d links", m->link_count);
    sti_status status = add_all(m, sums, bodies);
    sti_free(m->env, sums);
    sti_broadphase* broad = NULL;
    if (status == STI_OK && m->geometry_count > 1) status = sti_broadphase_create(m->env, &broad);
    if (broad != NULL) status = ignore_overlaps(m, bodies, broad);
    sti_broadphase_destroy(broad);
    return status;
}
