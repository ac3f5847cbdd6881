// urdf_build.c: URDF: the model as bodies, joints and pairs that never touch.
//
// A body is all links that fixed joints connect, in the frame of the one nearest to the root (urdf_masses.c).
//
// Joints     the frame of a joint has its z along the axis of the file, so coordinates are the file's own. The world
//            counts
//            an angle from within half a turn at the start; where a joint starts beyond, its coordinate counts from
//            there.
// Mimic      a gear: q - multiplier q_other keeps its value.
// Touching   links that a joint connects do not touch each other. Others may, unless they overlap at the start: then
//            they
//            never do, which is remarked.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/file.h"
#include "robots/urdf.h"

// A failure of the library in the words of the file.
static sti_status blame(const sti_urdf_model* m, const sti_xml_node* node, sti_status status) {
    if (status != STI_ERR_INPUT && status != STI_ERR_SIZE) return status;
    char text[300];
    snprintf(text, sizeof text, "%.290s", m->env->error.text);
    if (strncmp(text, m->file, strlen(m->file)) == 0) return status;  // it is in them
    return sti_urdf_fail(m, node, NULL, "%s", text);
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

static sti_status add_body(sti_urdf_model* m, const sti_urdf_sum* s, int index, sti_bodies* bodies) {
    sti_urdf_link* link = &m->link[index];
    sti_body body = sti_body_default();
    char* name = full_name(m, link->name, "");
    if (name == NULL) return STI_ERR_MEMORY;
    body.name = name;
    body.pose = link->place;
    body.fixed = index == m->root && m->fixed;
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

static sti_status add_bodies(sti_urdf_model* m, const sti_urdf_sum* sums, sti_bodies* bodies) {
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

static bool is_still(const sti_urdf_model* m, const sti_urdf_geometry* g) {
    return m->link[g->link].body_link == m->root && m->fixed;
}

// Before anything is added: masses may follow from them.
static sti_status make_shapes(sti_urdf_model* m) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < m->geometry_count; k++)
        status = blame(m, m->geometry[k].node, sti_urdf_shape(m, k, is_still(m, &m->geometry[k])));
    return status;
}

// The lowest point of all shapes, with the links where they are; INFINITY: there is none.
static sti_status find_lowest(sti_urdf_model* m, double* lowest) {
    *lowest = INFINITY;
    for (int k = 0; k < m->piece_count; k++) {
        const sti_urdf_geometry* g = &m->geometry[m->piece[k].geometry];
        const sti_pose place = sti_pose_compose(&m->link[g->link].place, &g->origin);
        sti_aabb box;
        if (sti_shape_bounds(m->piece[k].shape, &place, 0, &box) != STI_OK)
            return sti_urdf_fail(m, g->node, NULL, "is too far from the origin");
        *lowest = fmin(*lowest, box.lower[2]);
    }
    return STI_OK;
}

static sti_status put_on_ground(sti_urdf_model* m) {
    double lowest;
    const sti_status status = m->options->on_ground ? find_lowest(m, &lowest) : STI_OK;
    if (status != STI_OK || !m->options->on_ground) return status;
    if (!isfinite(lowest))
        return sti_urdf_remark_add(m, STI_URDF_ASSUMED, m->xml.root, NULL,
                                   "no shape to put on the ground: it stays where it is");
    for (int k = 0; k < m->link_count; k++) m->link[k].place.x[2] -= lowest;
    return sti_urdf_remark_add(m, STI_URDF_ASSUMED, m->xml.root, NULL,
                               "put on the ground: root link at z = %.6g, moved by %.6g", m->link[m->root].place.x[2],
                               0 - lowest);
}

static sti_status remark_shapeless(sti_urdf_model* m, const sti_urdf_sum* sums) {
    int moving = 0, bare = 0, first = -1;
    for (int k = 0; k < m->link_count; k++) {
        const sti_urdf_link* link = &m->link[k];
        if (link->body_link != k || link->left_out || (k == m->root && m->fixed)) continue;
        moving++;
        if (sums[k].touchable) continue;
        bare++;
        if (first < 0) first = k;
    }
    if (bare == 0) return STI_OK;
    return sti_urdf_remark_add(m, STI_URDF_ASSUMED, m->xml.root, NULL,
                               "%d of %d bodies that move collide with nothing, like link \"%.60s\"", bare, moving,
                               m->link[first].name);
}

static sti_status add_shapes(sti_urdf_model* m, sti_bodies* bodies) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < m->piece_count; k++) {
        const sti_urdf_geometry* g = &m->geometry[m->piece[k].geometry];
        const sti_pose place = sti_urdf_piece_place(m, k);
        sti_shape* shape = m->piece[k].shape;
        m->piece[k].shape = NULL;
        status = sti_bodies_add_shape(bodies, m->link[g->link].body, shape, &place, m->options->material);
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
        *def = sti_joint_default(joint->type == STI_URDF_PLANAR ? STI_JOINT_PLANAR : STI_JOINT_SPHERICAL, parent->body,
                                 m->link[joint->child].body);
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

static sti_status add_joint(sti_urdf_model* m, sti_urdf_joint* joint, sti_bodies* bodies) {
    sti_joint def;
    if (joint->type == STI_URDF_FIXED || m->link[joint->child].left_out) return STI_OK;
    if (joint->type == STI_URDF_FLOATING) return STI_OK;
    sti_status status = shape_joint(m, joint, &def);
    if (status != STI_OK) return status;
    char* name = full_name(m, joint->name, "");
    if (name == NULL) return STI_ERR_MEMORY;
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
    sti_joint def = sti_joint_default(STI_JOINT_GEAR, -1, -1);
    def.of[0] = joint->joint;
    def.of[1] = other;
    def.ratio = -joint->multiplier;
    char* name = full_name(m, joint->name, " mimic");
    if (name == NULL) return STI_ERR_MEMORY;
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
    const sti_xml_node* node = m->geometry[m->piece[pair->a].geometry].node;
    const sti_xml_node* other = m->geometry[m->piece[pair->b].geometry].node;
    const sti_status status =
        sti_urdf_remark_add(m, STI_URDF_ASSUMED, node->up, NULL,
                            "overlaps link \"%.60s\" at the start: they never touch", sti_xml_get(other->up, "name"));
    return status == STI_OK ? sti_bodies_ignore(bodies, body[0], body[1]) : status;
}

// The shapes of the robot are the last ones, in the order of model->piece.
static sti_status ignore_overlaps(sti_urdf_model* m, sti_bodies* bodies, sti_broadphase* broad) {
    const int n = m->piece_count, first = sti_bodies_shape_count(bodies) - n;
    sti_pose* poses = sti_alloc_array(m->env, (size_t)n, sizeof *poses);
    sti_aabb* boxes = sti_alloc_array(m->env, (size_t)n, sizeof *boxes);
    const sti_box_pair* pairs = NULL;
    int count = 0;
    sti_status status = STI_OK;
    if (poses == NULL || boxes == NULL) status = STI_ERR_MEMORY;
    for (int k = 0; status == STI_OK && k < n; k++) {
        int body;
        sti_pose place;
        const sti_shape* shape = sti_bodies_shape(bodies, first + k, &body, &place, NULL);
        poses[k] = sti_pose_compose(&sti_bodies_body(bodies, body)->pose, &place);
        status = sti_shape_bounds(shape, &poses[k], 0, &boxes[k]);
        if (status != STI_OK)
            status = sti_urdf_fail(m, m->geometry[m->piece[k].geometry].node, NULL, "is too far from the origin");
    }
    if (status == STI_OK) status = sti_broadphase_update(broad, n, boxes, NULL, &pairs, &count);
    for (int k = 0; status == STI_OK && k < count; k++) status = check_pair(m, bodies, first, poses, &pairs[k]);
    sti_free(m->env, poses);
    sti_free(m->env, boxes);
    return status;
}

// ---- all

static sti_status add_all(sti_urdf_model* m, sti_urdf_sum* sums, sti_bodies* bodies) {
    sti_status status = sti_urdf_find_up(m);
    if (status == STI_OK) status = make_shapes(m);
    if (status == STI_OK) status = put_on_ground(m);
    if (status == STI_OK) status = sti_urdf_masses(m, sums);
    for (int k = 0; status == STI_OK && k < m->link_count; k++) m->report->mass += sums[k].mass;
    if (status == STI_OK) status = remark_shapeless(m, sums);
    if (status == STI_OK) status = add_bodies(m, sums, bodies);
    if (status == STI_OK) status = sti_urdf_looks(m, sums);
    if (status == STI_OK) status = add_shapes(m, bodies);
    m->report->first_joint = sti_bodies_joint_count(bodies);
    for (int k = 0; status == STI_OK && k < m->joint_count; k++) status = add_joint(m, &m->joint[k], bodies);
    for (int k = 0; status == STI_OK && k < m->joint_count; k++) status = add_gear(m, &m->joint[k], bodies);
    m->report->joint_count = sti_bodies_joint_count(bodies) - m->report->first_joint;
    return status;
}

sti_status sti_urdf_build(sti_urdf_model* m, sti_bodies* bodies) {
    sti_urdf_sum* sums = sti_alloc_array_zero(m->env, (size_t)m->link_count, sizeof *sums);
    if (sums == NULL) return STI_ERR_MEMORY;
    sti_status status = add_all(m, sums, bodies);
    sti_free(m->env, sums);
    sti_broadphase* broad = NULL;
    if (status == STI_OK && m->piece_count > 1) status = sti_broadphase_create(m->env, &broad);
    if (broad != NULL) status = ignore_overlaps(m, bodies, broad);
    sti_broadphase_destroy(broad);
    return status;
}
