// bodies_joint.c: joints, springs and pairs that do not touch, in a scene of bodies.
//
// Points and axes of joints are given in the world, with the bodies where they start.
#include <math.h>
#include <string.h>

#include "documents/bodies_json.h"
#include "formats/file.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

// ---- who

static sti_status find_body(sti_bodies_reader* r, const sti_place* place, const sti_json_value* value, int* out) {
    char name[STI_BODIES_NAME];
    const sti_status status = sti_bodies_read_name(r, place, value, name);
    if (status != STI_OK) return status;
    *out = sti_bodies_find(r->bodies, name);
    if (*out >= 0 || strcmp(name, "world") == 0) return STI_OK;
    return sti_json_fail(r->tree, place, value, "%.60s: no such body", name);
}

// "bodies": ["a", "b"], or a list of that form
static sti_status find_two(sti_bodies_reader* r, const sti_place* place, const sti_json_value* list, int of[2]) {
    sti_status status = sti_json_check_list(r->tree, place, list, 2);
    for (int k = 0; status == STI_OK && k < 2; k++) {
        const sti_place at = sti_place_index(place, k);
        status = find_body(r, &at, sti_json_item(list, k), &of[k]);
    }
    return status;
}

static sti_status find_joints(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, int of[2]) {
    const sti_json_value* list = sti_json_field(object, "joints");
    const sti_place place = sti_place_key(up, "joints");
    sti_status status = sti_json_check_list(r->tree, &place, list, 2);
    for (int k = 0; status == STI_OK && k < 2; k++) {
        const sti_place at = sti_place_index(&place, k);
        char name[STI_BODIES_NAME];
        status = sti_bodies_read_name(r, &at, sti_json_item(list, k), name);
        if (status != STI_OK) return status;
        of[k] = sti_bodies_find_joint(r->bodies, name);
        if (of[k] < 0) status = sti_json_fail(r->tree, &at, sti_json_item(list, k), "no joint of that name above");
    }
    return status;
}

// ---- free coordinates

#define AXIS_NAMES "limits", "friction", "mu", "radius", "spring", "motor"
static const char* const axis_names[] = {AXIS_NAMES};

// [low, high]; null: none
static sti_status read_limits(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                              sti_joint_axis* axis) {
    const sti_json_value* list = sti_json_field(object, "limits");
    const sti_place place = sti_place_key(up, "limits");
    if (list == NULL) return STI_OK;
    sti_status status = sti_json_check_list(r->tree, &place, list, 2);
    for (int k = 0; status == STI_OK && k < 2; k++) {
        const sti_place at = sti_place_index(&place, k);
        const sti_json_value* value = sti_json_item(list, k);
        if (!sti_json_is_null(value))
            status = sti_bodies_read_number(r, &at, value, k == 0 ? &axis->lower : &axis->upper);
    }
    return status;
}

static sti_status read_parts(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, const char* key,
                             const char* const* names, int count, double* const* out) {
    const sti_json_value* value = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (value == NULL) return STI_OK;
    sti_status status = sti_bodies_check_names(r, &place, value, names, count);
    for (int k = 0; status == STI_OK && k < count; k++)
        status = sti_bodies_read_field(r, &place, value, names[k], out[k]);
    return status;
}

static sti_status read_axis(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                            sti_joint_axis* axis) {
    static const char* const spring[] = {"stiffness", "damping", "rest"};
    static const char* const motor[] = {"speed", "force"};
    double* const of_spring[] = {&axis->stiffness, &axis->damping, &axis->rest};
    double* const of_motor[] = {&axis->motor_speed, &axis->motor_force};
    sti_status status = read_limits(r, up, object, axis);
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "friction", &axis->friction);
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "mu", &axis->mu);
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "radius", &axis->radius);
    if (status == STI_OK) status = read_parts(r, up, object, "spring", spring, COUNT_OF(spring), of_spring);
    if (status == STI_OK) status = read_parts(r, up, object, "motor", motor, COUNT_OF(motor), of_motor);
    return status;
}

// Of a joint with one free coordinate its own fields; of a cylindrical one "slide" and "turn".
static sti_status read_axes(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, sti_joint* joint) {
    static const char* const names[] = {"slide", "turn"};
    const int count = sti_joint_axis_count(r->dim, joint->kind);
    sti_status status = STI_OK;
    for (int k = 0; k < COUNT_OF(axis_names); k++) {
        const sti_place at = sti_place_key(up, axis_names[k]);
        if (count != 1 && sti_json_field(object, axis_names[k]) != NULL)
            return sti_json_fail(r->tree, &at, sti_json_field(object, axis_names[k]), "%s",
                                 count == 2 ? "a cylindrical joint has this in \"slide\" and \"turn\""
                                            : "this joint has no coordinate for it");
    }
    for (int k = 0; status == STI_OK && k < 2; k++) {
        const sti_json_value* part = sti_json_field(object, names[k]);
        const sti_place at = sti_place_key(up, names[k]);
        if (part == NULL) continue;
        if (count != 2) return sti_json_fail(r->tree, &at, part, "for cylindrical joints only");
        status = sti_bodies_check_names(r, &at, part, axis_names, COUNT_OF(axis_names));
        if (status == STI_OK) status = read_axis(r, &at, part, &joint->axis[k]);
    }
    return status == STI_OK && count == 1 ? read_axis(r, up, object, &joint->axis[0]) : status;
}

// ---- joints

static double distance(const double a[3], const double b[3]) {
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static bool wants_axis(int dim, sti_joint_kind kind) {
    if (dim == 2) return kind == STI_JOINT_PRISMATIC;
    return kind == STI_JOINT_REVOLUTE || kind == STI_JOINT_PRISMATIC || kind == STI_JOINT_CYLINDRICAL ||
           kind == STI_JOINT_PLANAR;
}

// A joint that holds two points: "points" in the world; the length is their distance unless it is given.
static sti_status place_distance(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                 sti_joint* joint) {
    const sti_place place = sti_place_key(up, "points");
    double points[2][3] = {{0}}, *rows = NULL;
    int count = 0;
    sti_status status = sti_bodies_read_rows(r, up, object, "points", r->dim, &count, &rows);
    if (status == STI_OK && count != 2)
        status = sti_json_fail(r->tree, &place, sti_json_field(object, "points"), "two points are expected");
    for (int k = 0; status == STI_OK && k < r->dim; k++) points[0][k] = rows[k], points[1][k] = rows[r->dim + k];
    sti_free(r->env, rows);
    sti_joint other = *joint;
    if (status == STI_OK) status = sti_bodies_blame(r, up, sti_joint_place(r->bodies, points[0], NULL, joint));
    if (status == STI_OK) status = sti_bodies_blame(r, up, sti_joint_place(r->bodies, points[1], NULL, &other));
    if (status != STI_OK) return status;
    joint->at_b = other.at_b;
    joint->length = distance(points[0], points[1]);
    return sti_bodies_read_field(r, up, object, "length", &joint->length);
}

static sti_status place_joint(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                              sti_joint* joint) {
    const sti_place at_point = sti_place_key(up, "point"), at_axis = sti_place_key(up, "axis");
    const bool axis_wanted = wants_axis(r->dim, joint->kind), axis_given = sti_json_field(object, "axis") != NULL;
    double point[3] = {0}, axis[3] = {0};
    if (sti_json_field(object, "point") == NULL)
        return sti_json_fail(r->tree, &at_point, NULL, "a point in the world is expected");
    if (axis_wanted != axis_given)
        return sti_json_fail(r->tree, &at_axis, sti_json_field(object, "axis"), "%s",
                             axis_wanted ? "a direction in the world is expected" : "this joint has no axis");
    sti_status status = sti_bodies_read_vector(r, up, object, "point", r->dim, point);
    if (status == STI_OK) status = sti_bodies_read_vector(r, up, object, "axis", r->dim, axis);
    if (status != STI_OK) return status;
    return sti_bodies_blame(r, up, sti_joint_place(r->bodies, point, axis_given ? axis : NULL, joint));
}

static sti_status read_gear(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, sti_joint* joint) {
    const sti_json_value* list = sti_json_field(object, "axes");
    const sti_place place = sti_place_key(up, "axes");
    sti_status status = find_joints(r, up, object, joint->of);
    joint->ratio = 1;
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "ratio", &joint->ratio);
    if (status == STI_OK && list != NULL) status = sti_json_check_list(r->tree, &place, list, 2);
    for (int k = 0; status == STI_OK && list != NULL && k < 2; k++) {
        const sti_place at = sti_place_index(&place, k);
        status = sti_bodies_read_count(r, &at, sti_json_item(list, k), 0, 1, &joint->of_axis[k]);
    }
    return status;
}

static sti_status read_kind(const sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                            sti_joint_kind* out) {
    const char* words[STI_JOINT_KIND_COUNT];
    const sti_place place = sti_place_key(up, "type");
    int kind = -1;
    for (int k = 0; k < STI_JOINT_KIND_COUNT; k++) words[k] = sti_joint_kind_text((sti_joint_kind)k);
    if (sti_json_field(object, "type") == NULL)
        return sti_json_fail(r->tree, &place, NULL, "revolute, prismatic, fixed, .. is expected");
    const sti_status status = sti_json_read_word(r->tree, up, object, "type", words, STI_JOINT_KIND_COUNT, &kind);
    *out = kind >= 0 ? (sti_joint_kind)kind : STI_JOINT_FIXED;
    return status;
}

// Names of the fields, by the kind of joint.
static sti_status check_joint_names(const sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                    sti_joint_kind kind) {
    static const char* const gear[] = {"name", "type", "joints", "axes", "ratio", "repeat"};
    static const char* const two_points[] = {"name", "type", "bodies", "points", "length", "collide", "repeat"};
    static const char* const other[] = {"name",  "type", "bodies",  "point",  "axis",
                                        "slide", "turn", "collide", "repeat", AXIS_NAMES};
    if (kind == STI_JOINT_GEAR) return sti_bodies_check_names(r, up, object, gear, COUNT_OF(gear));
    if (kind == STI_JOINT_DISTANCE) return sti_bodies_check_names(r, up, object, two_points, COUNT_OF(two_points));
    return sti_bodies_check_names(r, up, object, other, COUNT_OF(other));
}

static sti_status read_joint(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, bool repeated,
                             int index) {
    const sti_place at_name = sti_place_key(up, "name"), at_bodies = sti_place_key(up, "bodies");
    const sti_json_value* name = sti_json_field(object, "name");
    char text[STI_BODIES_NAME];
    sti_joint_kind kind = STI_JOINT_FIXED;
    int of[2] = {-1, -1};
    sti_status status = read_kind(r, up, object, &kind);
    if (status == STI_OK) status = check_joint_names(r, up, object, kind);
    if (status == STI_OK && kind != STI_JOINT_GEAR)
        status = find_two(r, &at_bodies, sti_json_field(object, "bodies"), of);
    if (status != STI_OK) return status;
    sti_joint joint = sti_joint_default(kind, of[0], of[1]);
    if (name != NULL) status = sti_bodies_read_own_name(r, &at_name, name, repeated, index, text);
    if (name != NULL) joint.name = text;
    if (status == STI_OK)
        status = kind == STI_JOINT_GEAR       ? read_gear(r, up, object, &joint)
                 : kind == STI_JOINT_DISTANCE ? place_distance(r, up, object, &joint)
                                              : place_joint(r, up, object, &joint);
    if (status == STI_OK && kind != STI_JOINT_GEAR) status = read_axes(r, up, object, &joint);
    if (status == STI_OK && sti_json_field(object, "collide") != NULL)
        status = sti_json_read_bool(r->tree, up, object, "collide", &joint.collide);
    if (status != STI_OK) return status;
    return sti_bodies_blame(r, up, sti_bodies_add_joint(r->bodies, &joint, NULL));
}

sti_status sti_bodies_read_joints(sti_bodies_reader* r) {
    return sti_bodies_read_each(r, "joints", read_joint);
}

// ---- springs

static void in_frame(const sti_bodies_reader* r, int body, const double point[3], double out[3]) {
    if (body >= 0)
        sti_pose_apply_inverse(&sti_bodies_body(r->bodies, body)->pose, point, out);
    else
        memcpy(out, point, 3 * sizeof *out);
}

static sti_status read_spring(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, bool repeated,
                              int index) {
    static const char* const names[] = {"bodies", "points", "stiffness", "damping", "rest", "repeat"};
    const sti_place at_points = sti_place_key(up, "points"), at_bodies = sti_place_key(up, "bodies");
    double points[2][3] = {{0}}, *rows = NULL;
    int of[2] = {-1, -1}, count = 0;
    (void)repeated;
    (void)index;
    sti_status status = sti_bodies_check_names(r, up, object, names, COUNT_OF(names));
    if (status == STI_OK) status = find_two(r, &at_bodies, sti_json_field(object, "bodies"), of);
    if (status == STI_OK) status = sti_bodies_read_rows(r, up, object, "points", r->dim, &count, &rows);
    if (status == STI_OK && count != 2)
        status = sti_json_fail(r->tree, &at_points, sti_json_field(object, "points"), "two points are expected");
    for (int k = 0; status == STI_OK && k < r->dim; k++) points[0][k] = rows[k], points[1][k] = rows[r->dim + k];
    sti_free(r->env, rows);
    sti_spring spring = {.a = of[0], .b = of[1], .rest = distance(points[0], points[1])};
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "stiffness", &spring.stiffness);
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "damping", &spring.damping);
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "rest", &spring.rest);
    if (status != STI_OK) return status;
    in_frame(r, of[0], points[0], spring.at_a);
    in_frame(r, of[1], points[1], spring.at_b);
    return sti_bodies_blame(r, up, sti_bodies_add_spring(r->bodies, &spring));
}

// "ignore": [["a", "b"], ..]
static sti_status read_ignored(sti_bodies_reader* r) {
    const sti_json_value* list = sti_json_field(r->tree->root, "ignore");
    const sti_place up = sti_place_key(NULL, "ignore");
    if (list != NULL && !sti_json_is_array(list))
        return sti_json_fail(r->tree, &up, list, "a list of pairs of bodies is expected");
    sti_status status = STI_OK;
    int k = 0;
    for (const sti_json_value* v = list != NULL ? list->child : NULL; status == STI_OK && v != NULL; v = v->next) {
        const sti_place at = sti_place_index(&up, k++);
        int of[2] = {-1, -1};
        status = find_two(r, &at, v, of);
        if (status == STI_OK && (of[0] < 0 || of[1] < 0))
            status = sti_json_fail(r->tree, &at, v, "two bodies are expected, not the world");
        if (status == STI_OK) status = sti_bodies_blame(r, &at, sti_bodies_ignore(r->bodies, of[0], of[1]));
    }
    return status;
}

sti_status sti_bodies_read_springs(sti_bodies_reader* r) {
    const sti_status status = sti_bodies_read_each(r, "springs", read_spring);
    return status == STI_OK ? read_ignored(r) : status;
}
