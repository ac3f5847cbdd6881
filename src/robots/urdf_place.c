// urdf_place.c: URDF: positions of joints at the start, and the places of links that follow from them.
//
//     place(child) = place(parent) origin motion(q)
//
// A joint that mimics has  q = multiplier q_other + offset.  A position that nobody gave is 0, or the limit next to it.
#include <math.h>

#include "formats/file.h"
#include "robots/urdf.h"

sti_pose sti_urdf_axis_frame(const double axis[3]) {
    // the shortest way from z: (1 + z'a, z x a), a half-turn about x where a = -z
    sti_pose pose = sti_pose_identity();
    const double w = 1 + axis[2];
    if (w < 1e-12) {
        pose.q[0] = 0;
        pose.q[1] = 1;
        return pose;
    }
    const double length = sqrt(w * w + axis[0] * axis[0] + axis[1] * axis[1]);
    pose.q[0] = w / length;
    pose.q[1] = -axis[1] / length;
    pose.q[2] = axis[0] / length;
    return pose;
}

sti_pose sti_urdf_motion(const sti_urdf_joint* joint, double q) {
    sti_pose pose = sti_pose_identity();
    if (joint->type == STI_URDF_PRISMATIC) {
        for (int k = 0; k < 3; k++) pose.x[k] = q * joint->axis[k];
    } else if (sti_urdf_has_coordinate(joint->type)) {
        pose.q[0] = cos(q / 2);
        for (int k = 0; k < 3; k++) pose.q[k + 1] = sin(q / 2) * joint->axis[k];
    }
    return pose;
}

// ---- positions

static sti_status check_range(const sti_urdf_model* m, const sti_urdf_joint* joint, double q) {
    const double slack = 1e-9 * (1 + fabs(q));
    if (q >= joint->lower - slack && q <= joint->upper + slack) return STI_OK;
    return sti_urdf_fail(m, joint->node, NULL, "starts at %g, outside of its limits %g and %g", q, joint->lower,
                         joint->upper);
}

static sti_status start_leader(sti_urdf_model* m, sti_urdf_joint* joint) {
    if (!isnan(joint->setting.position)) {
        joint->start = joint->setting.position;
        return check_range(m, joint, joint->start);
    }
    const double middle = joint->lower / 2 + joint->upper / 2;
    const bool holds_zero = joint->lower <= 0 && joint->upper >= 0;
    joint->start = fmin(fmax(0, joint->lower), joint->upper);
    if (isfinite(middle) &&
        (m->options->pose == STI_URDF_POSE_MIDDLE || (m->options->pose == STI_URDF_POSE_HOME && !holds_zero))) {
        joint->start = middle;
        return STI_OK;
    }
    if (joint->start == 0) return STI_OK;
    return sti_urdf_remark_add(m, STI_URDF_ASSUMED, joint->node, NULL, "starts at its limit %g: 0 is out of its range",
                               joint->start);
}

// What it mimics puts it outside of its limits: they give way.
static sti_status widen(sti_urdf_model* m, sti_urdf_joint* joint, const sti_xml_node* mimic) {
    const double q = joint->start;
    if (m->options->strict || (q >= joint->lower && q <= joint->upper)) return check_range(m, joint, q);
    joint->lower = fmin(joint->lower, q);
    joint->upper = fmax(joint->upper, q);
    return sti_urdf_mend(m, mimic, "joint", "", "puts it outside of its limits at the start: they give way");
}

// The joint at the end of the chain of mimics, q = a q_leader + b; NULL: there is no end.
static sti_urdf_joint* leader_of(sti_urdf_model* m, sti_urdf_joint* joint, double* a, double* b) {
    *a = 1, *b = 0;
    for (int steps = 0; joint->mimic >= 0; steps++) {
        if (steps == STI_URDF_LONGEST_CHAIN) return NULL;
        *b += *a * joint->offset;
        *a *= joint->multiplier;
        joint = &m->joint[joint->mimic];
    }
    return joint;
}

static sti_status start_follower(sti_urdf_model* m, sti_urdf_joint* joint) {
    const sti_xml_node* node = sti_xml_find(joint->node, "mimic");
    double a, b;
    const sti_urdf_joint* leader = leader_of(m, joint, &a, &b);
    if (leader == NULL)
        return sti_urdf_fail(m, node, "joint", "joints that mimic one another form a chain of over %d",
                             STI_URDF_LONGEST_CHAIN);
    joint->start = a * leader->start + b;
    if (!isfinite(joint->start)) return sti_urdf_fail(m, node, "joint", "the position that follows is not finite");
    if (!isnan(joint->setting.position) && fabs(joint->setting.position - joint->start) > 1e-9 * (1 + fabs(a)))
        return sti_file_fail(m->env, STI_ERR_INPUT, m->file,
                             "setting of joint \"%.60s\": position: %g: it mimics joint \"%.60s\", which puts it at %g",
                             joint->name, joint->setting.position, joint->mimic_name, joint->start);
    return widen(m, joint, node);
}

// A gear turns limits of the joint that follows into limits of its leader. One joint carries them all: two stops of one
// coordinate share their force in no determined way, and press against each other without bound where they leave no way
// to go.
static sti_status share_limits(sti_urdf_model* m, sti_urdf_joint* joint) {
    const sti_xml_node* node = sti_xml_find(joint->node, "mimic");
    double a, b;
    sti_urdf_joint* leader = leader_of(m, joint, &a, &b);
    if (a == 0 || joint->lower == joint->upper || leader->lower == leader->upper) return STI_OK;  // held in place
    if (joint->lower == -INFINITY && joint->upper == INFINITY) return STI_OK;
    const double ends[2] = {(joint->lower - b) / a, (joint->upper - b) / a};
    const double lower = fmax(leader->lower, fmin(ends[0], ends[1]));
    const double upper = fmin(leader->upper, fmax(ends[0], ends[1]));
    joint->lower = -INFINITY;
    joint->upper = INFINITY;
    if (upper - lower <= 1e-9 * (1 + fabs(leader->start)))
        return sti_urdf_mend(m, node, "joint", "its limits and those of that joint leave neither a way to move",
                             "its limits and those of that joint leave neither a way to move: its own give way");
    leader->lower = fmin(lower, leader->start);
    leader->upper = fmax(upper, leader->start);
    return sti_urdf_remark_add(m, STI_URDF_ASSUMED, node, "joint: mimic", "its limits are kept by joint \"%.60s\"",
                               leader->name);
}

// ---- places

static void unit(double q[4]) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= length;
}

sti_status sti_urdf_place(sti_urdf_model* m) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < m->joint_count; k++) {
        sti_urdf_joint* joint = &m->joint[k];
        if (sti_urdf_has_coordinate(joint->type) && joint->mimic < 0) status = start_leader(m, joint);
    }
    for (int k = 0; status == STI_OK && k < m->joint_count; k++) {
        if (m->joint[k].mimic >= 0) status = start_follower(m, &m->joint[k]);
    }
    for (int k = 0; status == STI_OK && k < m->joint_count; k++) {
        if (m->joint[k].mimic >= 0) status = share_limits(m, &m->joint[k]);
    }
    if (status != STI_OK) return status;
    m->link[m->root].place = m->options->place;
    unit(m->link[m->root].place.q);
    for (int at = 1; at < m->link_count; at++) {
        sti_urdf_link* link = &m->link[m->order[at]];
        const sti_urdf_joint* joint = &m->joint[link->joint];
        const sti_pose motion = sti_urdf_motion(joint, joint->start);
        const sti_pose moved = sti_pose_compose(&joint->origin, &motion);
        link->place = sti_pose_compose(&m->link[joint->parent].place, &moved);
        unit(link->place.q);
        if (!(fabs(link->place.x[0]) <= 1e60 && fabs(link->place.x[1]) <= 1e60 && fabs(link->place.x[2]) <= 1e60))
            return sti_urdf_fail(m, link->node, NULL, "lies beyond 1e60");
    }
    return STI_OK;
}
