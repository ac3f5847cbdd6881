// build_joints.c: what there is between bodies: joints, springs, pairs that never touch.
#include <stdio.h>

#include "bodies/build.h"
#include "linalg/vec3.h"

// ---- joints: definition

sti_joint sti_joint_default(sti_joint_kind kind, int a, int b) {
    sti_joint joint = {.kind = kind, .a = a, .b = b, .length = 1, .of = {-1, -1}, .ratio = 1};
    joint.at_a = joint.at_b = sti_pose_identity();
    for (int k = 0; k < 2; k++)
        joint.axis[k] = (sti_joint_axis){.lower = -(double)INFINITY, .upper = (double)INFINITY, .radius = 1};
    return joint;
}

// The turn that takes z to the unit vector n on the shortest way: about z x n. 1 + n_z without cancellation.
static void turn_from_z(const double n[3], double q[4]) {
    const double flat = n[0] * n[0] + n[1] * n[1];
    const double w = n[2] >= 0 ? 1 + n[2] : flat / (1 - n[2]);
    const double s = sqrt(w * w + flat);
    if (s == 0) {  // opposite: half a turn about x
        q[0] = q[2] = q[3] = 0;
        q[1] = 1;
        return;
    }
    q[0] = w / s;
    q[1] = -n[1] / s;
    q[2] = n[0] / s;
    q[3] = 0;
}

static sti_status axis_turn(const sti_bodies* bodies, const double axis[3], const sti_joint* joint, double q[4]) {
    const sti_pose none = sti_pose_identity();
    memcpy(q, none.q, sizeof none.q);
    const bool used = bodies->dim == 3 || joint->kind == STI_JOINT_PRISMATIC;
    if (axis == NULL || !used) return STI_OK;
    const double flat[3] = {axis[0], axis[1], bodies->dim == 2 ? 0 : axis[2]};
    const double largest = fmax(fabs(flat[0]), fmax(fabs(flat[1]), fabs(flat[2])));
    if (!(largest > 0) || !isfinite(flat[0] + flat[1] + flat[2]))
        return STI_FAIL(bodies->env, STI_ERR_INPUT, -1, "%s joint%s%s: axis: (%g, %g, %g) is no direction",
                        sti_joint_kind_text(joint->kind), joint->name != NULL ? " " : "",
                        joint->name != NULL ? joint->name : "", axis[0], axis[1], axis[2]);
    double n[3];
    for (int k = 0; k < 3; k++) n[k] = flat[k] / largest;
    const double length = norm3(n);
    for (int k = 0; k < 3; k++) n[k] /= length;
    if (bodies->dim == 2) {
        const sti_pose turned = sti_pose_planar(0, 0, atan2(n[1], n[0]));
        memcpy(q, turned.q, sizeof turned.q);
    } else {
        turn_from_z(n, q);
    }
    return STI_OK;
}

// The frame (point, q) of the world as body sees it where it starts.
static void seen_from(const sti_bodies* bodies, int body, const double point[3], const double q[4], sti_pose* out) {
    const sti_pose pose = body >= 0 ? bodies->body[body].pose : sti_pose_identity();
    const double back[4] = {pose.q[0], -pose.q[1], -pose.q[2], -pose.q[3]};
    double at[4];
    sti_pose_apply_inverse(&pose, point, out->x);
    quaternion_product(back, q, at);
    const double s = sqrt(at[0] * at[0] + dot3(at + 1, at + 1));
    for (int k = 0; k < 4; k++) out->q[k] = at[k] / s;
}

static sti_status check_side(const sti_bodies* bodies, int body, const char* what) {
    return body == -1 ? STI_OK : sti_bodies_check_index(bodies, body, what);
}

sti_status sti_joint_place(const sti_bodies* bodies, const double point[3], const double axis[3], sti_joint* joint) {
    sti_status status = check_side(bodies, joint->a, "joint: a");
    if (status == STI_OK) status = check_side(bodies, joint->b, "joint: b");
    if (status != STI_OK) return status;
    double flat[3] = {point[0], point[1], bodies->dim == 2 ? 0 : point[2]}, q[4];
    for (int k = 0; k < 3; k++) {
        if (!isfinite(flat[k]))
            return STI_FAIL(bodies->env, STI_ERR_INPUT, k, "joint: point[%d]: %g: a finite number is expected", k,
                            flat[k]);
    }
    status = axis_turn(bodies, axis, joint, q);
    if (status != STI_OK) return status;
    seen_from(bodies, joint->a, flat, q, &joint->at_a);
    seen_from(bodies, joint->b, flat, q, &joint->at_b);
    return STI_OK;
}

// ---- joints: checks

static sti_status check_axis(const sti_body_name* thing, int k, const sti_joint_axis* axis) {
    const struct {
        const char* name;
        double value;
        sti_number_rule rule;
    } number[] = {{"friction", axis->friction, STI_NOT_NEGATIVE}, {"mu", axis->mu, STI_FRICTION},
                  {"radius", axis->radius, STI_NOT_NEGATIVE},     {"stiffness", axis->stiffness, STI_NOT_NEGATIVE},
                  {"damping", axis->damping, STI_NOT_NEGATIVE},   {"rest", axis->rest, STI_ANY},
                  {"motor_speed", axis->motor_speed, STI_ANY},    {"motor_force", axis->motor_force, STI_NOT_NEGATIVE}};
    sti_status status = STI_OK;
    for (size_t i = 0; status == STI_OK && i < sizeof number / sizeof number[0]; i++) {
        char field[64];
        snprintf(field, sizeof field, "axis[%d].%s", k, number[i].name);
        status = sti_named_check(thing, field, number[i].value, number[i].rule);
    }
    if (status == STI_OK &&
        !(axis->lower <= axis->upper && axis->lower < (double)INFINITY && axis->upper > -(double)INFINITY))
        status = STI_FAIL(thing->env, STI_ERR_INPUT, thing->index, "%s \"%s\": axis[%d]: limits from %g to %g",
                          thing->kind, thing->name, k, axis->lower, axis->upper);
    return status;
}

static sti_status check_gear(const sti_bodies* bodies, const sti_body_name* thing, const sti_joint* gear) {
    for (int i = 0; i < 2; i++) {
        if (gear->of[i] < 0 || gear->of[i] >= bodies->joint_count)
            return STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index, "joint \"%s\": of[%d]: joint %d: there are %d",
                            thing->name, i, gear->of[i], bodies->joint_count);
        const sti_joint* joint = &bodies->joint[gear->of[i]];
        const int axes = sti_joint_axis_count(bodies->dim, joint->kind);
        if (gear->of_axis[i] < 0 || gear->of_axis[i] >= axes)
            return STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index,
                            "joint \"%s\": of_axis[%d]: %d: joint \"%s\" (%s) has %d free coordinates", thing->name, i,
                            gear->of_axis[i], joint->name, sti_joint_kind_text(joint->kind), axes);
    }
    if (gear->of[0] == gear->of[1] && gear->of_axis[0] == gear->of_axis[1])
        return STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index,
                        "joint \"%s\": of: couples coordinate %d of joint \"%s\" with itself", thing->name,
                        gear->of_axis[0], bodies->joint[gear->of[0]].name);
    if (!isfinite(gear->ratio) || gear->ratio == 0)
        return STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index,
                        "joint \"%s\": ratio: %g: a finite number other than 0 is expected", thing->name, gear->ratio);
    return STI_OK;
}

static sti_status check_sides(const sti_bodies* bodies, const sti_body_name* thing, const sti_joint* joint) {
    char what[200];
    snprintf(what, sizeof what, "joint \"%.160s\": a", thing->name);
    sti_status status = check_side(bodies, joint->a, what);
    what[strlen(what) - 1] = 'b';
    if (status == STI_OK) status = check_side(bodies, joint->b, what);
    if (status == STI_OK && joint->a == joint->b)
        status = STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index, "joint \"%s\": a, b: %d: connects %s with itself",
                          thing->name, joint->a, joint->a < 0 ? "the world" : bodies->body[joint->a].name);
    if (status == STI_OK) status = sti_named_check_pose(thing, "at_a", bodies->dim, &joint->at_a);
    if (status == STI_OK) status = sti_named_check_pose(thing, "at_b", bodies->dim, &joint->at_b);
    if (status == STI_OK && joint->kind == STI_JOINT_DISTANCE)
        status = sti_named_check(thing, "length", joint->length, STI_POSITIVE);
    const int axes = sti_joint_axis_count(bodies->dim, joint->kind);
    for (int k = 0; status == STI_OK && k < axes; k++) status = check_axis(thing, k, &joint->axis[k]);
    return status;
}

static sti_status check_joint(const sti_bodies* bodies, const sti_body_name* thing, const sti_joint* joint) {
    if ((int)joint->kind < 0 || joint->kind >= STI_JOINT_KIND_COUNT)
        return STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index, "joint \"%s\": kind: %d: there are %d", thing->name,
                        (int)joint->kind, (int)STI_JOINT_KIND_COUNT);
    if (sti_joint_row_count(bodies->dim, joint->kind) == 0)
        return STI_FAIL(bodies->env, STI_ERR_INPUT, thing->index, "joint \"%s\": kind: %s: not in the plane",
                        thing->name, sti_joint_kind_text(joint->kind));
    return joint->kind == STI_JOINT_GEAR ? check_gear(bodies, thing, joint) : check_sides(bodies, thing, joint);
}

sti_status sti_bodies_add_joint(sti_bodies* bodies, const sti_joint* joint, int* index) {
    const int number = bodies->joint_count;
    char* name;
    sti_status status = sti_bodies_name(bodies, "joint", joint->name, number + 1, sti_bodies_find_joint, &name);
    if (status != STI_OK) return status;
    const sti_body_name thing = {bodies->env, "joint", name, number};
    status = check_joint(bodies, &thing, joint);
    const sti_growing arrays[] = {{(void**)&bodies->joint, sizeof *bodies->joint}};
    if (status == STI_OK) status = sti_bodies_grow(bodies, arrays, 1, number, &bodies->joint_capacity);
    if (status == STI_OK) status = sti_joint_names_reserve(bodies);
    if (status != STI_OK) {
        sti_free(bodies->env, name);
        return status;
    }
    bodies->joint[number] = *joint;
    bodies->joint[number].name = name;
    bodies->joint_count++;
    sti_name_enter(&bodies->joint_names, name, number);
    if (index != NULL) *index = number;
    return STI_OK;
}

int sti_bodies_joint_count(const sti_bodies* bodies) {
    return bodies->joint_count;
}

const sti_joint* sti_bodies_joint(const sti_bodies* bodies, int joint) {
    return joint >= 0 && joint < bodies->joint_count ? &bodies->joint[joint] : NULL;
}

// ---- springs

int sti_bodies_spring_count(const sti_bodies* bodies) {
    return bodies->spring_count;
}

const sti_spring* sti_bodies_spring(const sti_bodies* bodies, int spring) {
    return spring >= 0 && spring < bodies->spring_count ? &bodies->spring[spring] : NULL;
}

sti_status sti_bodies_add_spring(sti_bodies* bodies, const sti_spring* spring) {
    const int number = bodies->spring_count;
    char name[24];
    snprintf(name, sizeof name, "%d", number + 1);
    const sti_body_name thing = {bodies->env, "spring", name, number};
    sti_status status = check_side(bodies, spring->a, "spring: a");
    if (status == STI_OK) status = check_side(bodies, spring->b, "spring: b");
    if (status == STI_OK && spring->a == spring->b)
        status = STI_FAIL(bodies->env, STI_ERR_INPUT, number, "spring \"%s\": a, b: %d: connects a body with itself",
                          name, spring->a);
    for (int side = 0; status == STI_OK && side < 2; side++) {
        sti_pose at = sti_pose_identity();
        memcpy(at.x, side == 0 ? spring->at_a : spring->at_b, sizeof at.x);
        status = sti_named_check_pose(&thing, side == 0 ? "at_a" : "at_b", bodies->dim, &at);
    }
    if (status == STI_OK) status = sti_named_check(&thing, "stiffness", spring->stiffness, STI_NOT_NEGATIVE);
    if (status == STI_OK) status = sti_named_check(&thing, "damping", spring->damping, STI_NOT_NEGATIVE);
    if (status == STI_OK) status = sti_named_check(&thing, "rest", spring->rest, STI_NOT_NEGATIVE);
    const sti_growing arrays[] = {{(void**)&bodies->spring, sizeof *bodies->spring}};
    if (status == STI_OK) status = sti_bodies_grow(bodies, arrays, 1, number, &bodies->spring_capacity);
    if (status != STI_OK) return status;
    bodies->spring[number] = *spring;
    bodies->spring_count++;
    return STI_OK;
}

// ---- pairs that never touch

sti_status sti_bodies_ignore(sti_bodies* bodies, int a, int b) {
    sti_status status = sti_bodies_check_index(bodies, a, "ignore");
    if (status == STI_OK) status = sti_bodies_check_index(bodies, b, "ignore");
    if (status == STI_OK && a == b)
        status = STI_FAIL(bodies->env, STI_ERR_INPUT, a, "ignore: body \"%s\" twice", bodies->body[a].name);
    const sti_growing arrays[] = {{(void**)&bodies->ignore, sizeof *bodies->ignore}};
    if (status == STI_OK) status = sti_bodies_grow(bodies, arrays, 1, bodies->ignore_count, &bodies->ignore_capacity);
    if (status != STI_OK) return status;
    bodies->ignore[bodies->ignore_count++] = a < b ? (sti_box_pair){a, b} : (sti_box_pair){b, a};
    return STI_OK;
}

int sti_bodies_ignored_count(const sti_bodies* bodies) {
    return bodies->ignore_count;
}

void sti_bodies_ignored(const sti_bodies* bodies, int k, int* a, int* b) {
    *a = bodies->ignore[k].a;
    *b = bodies->ignore[k].b;
}
