// urdf_read.c: URDF: elements to numbers.
//
// Source     the public specification of URDF (links, joints); its defaults: an origin left out is the identity, an axis
//            (1, 0, 0), limits 0, damping and friction 0, a multiplier 1, an offset 0.
// Angles     rpy turns about the fixed axes x, then y, then z:  q = q_z(yaw) q_y(pitch) q_x(roll).
// Departures D1  capsules (radius, length of the cylinder between the caps) are read, as newer readers do
//            D2  a link with mass 0 is as good as one without inertial
// Every element that is not read is remarked, those of one name together.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/file.h"
#include "io/mesh_file.h"
#include "io/urdf.h"

// ---- messages

void sti_urdf_describe(const sti_xml_node* node, char* text, size_t size) {
    const sti_xml_node* chain[8];
    int count = 0;
    for (; node != NULL && node->up != NULL && count < 8; node = node->up) chain[count++] = node;
    size_t at = 0;
    text[0] = '\0';
    if (count == 0) snprintf(text, size, "robot");
    while (count-- > 0 && at < size) {
        const char* name = sti_xml_get(chain[count], "name");
        at += (size_t)snprintf(text + at, size - at, "%.40s", chain[count]->name);
        if (name != NULL && at < size) at += (size_t)snprintf(text + at, size - at, " \"%.60s\"", name);
        if (count > 0 && at < size) at += (size_t)snprintf(text + at, size - at, ": ");
    }
}

sti_status sti_urdf_fail(const sti_urdf_model* model, const sti_xml_node* node, const char* attribute,
                         const char* format, ...) {
    char where[240], what[300], value[140] = "";
    sti_urdf_describe(node, where, sizeof where);
    if (attribute != NULL) {
        const char* given = sti_xml_get(node, attribute);
        if (given != NULL)
            snprintf(value, sizeof value, ": %.30s: \"%.80s\"", attribute, given);
        else
            snprintf(value, sizeof value, ": %.30s: missing", attribute);
    }
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return sti_file_fail(model->env, STI_ERR_INPUT, model->file, "line %d: %s%s: %s", node->line, where, value, what);
}

static sti_status ignore(sti_urdf_model* m, const sti_xml_node* node, const char* text) {
    char element[80];
    snprintf(element, sizeof element, "%.60s", node->name);
    return sti_urdf_remark_add(m, STI_URDF_IGNORED, node, element, "%s", text);
}

// Remark the children that are none of these; one given twice is an error, unless it may be (a name with a '+').
static sti_status look_at_children(sti_urdf_model* m, const sti_xml_node* node, const char* const* known, int count) {
    for (const sti_xml_node* child = node->child; child != NULL; child = child->next) {
        bool found = false;
        for (int k = 0; k < count && !found; k++) {
            const bool many = known[k][0] == '+';
            found = strcmp(child->name, known[k] + many) == 0;
            if (found && !many && sti_xml_find(node, child->name) != child)
                return sti_urdf_fail(m, child, NULL, "given twice");
        }
        if (found) continue;
        const char* why = "not an element that is read";
        if (strncmp(child->name, "xacro:", 6) == 0)
            return sti_urdf_fail(m, child, NULL, "this is a xacro file; URDF is what xacro makes of it");
        if (strcmp(child->name, "safety_controller") == 0) why = "controllers are not simulated";
        if (strcmp(child->name, "visual") == 0 || strcmp(child->name, "material") == 0) why = "looks have no effect";
        const sti_status status = ignore(m, child, why);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

// ---- attributes

static sti_status need_text(const sti_urdf_model* m, const sti_xml_node* node, const char* attribute,
                            const char** out) {
    *out = sti_xml_get(node, attribute);
    if (*out != NULL && (*out)[0] != '\0') return STI_OK;
    return sti_urdf_fail(m, node, attribute, "a text is expected");
}

// `count` finite numbers apart by blanks; *out stays when the attribute is missing.
static sti_status read_numbers(const sti_urdf_model* m, const sti_xml_node* node, const char* attribute, int count,
                               double* out) {
    const char* at = sti_xml_get(node, attribute);
    if (at == NULL) return STI_OK;
    double value[3];
    int found = 0;
    for (at += strspn(at, " \t\r\n"); *at != '\0'; at += strspn(at, " \t\r\n")) {
        const char* end;
        const double x = sti_text_double(at, &end);
        if (end == at || (*end != '\0' && strchr(" \t\r\n", *end) == NULL) || !(fabs(x) <= 1e30)) break;
        if (found < count) value[found] = x;
        found++;
        at = end;
    }
    if (*at != '\0' || found != count)
        return sti_urdf_fail(m, node, attribute, "%s finite number%s expected", count == 1 ? "one" : "three",
                             count == 1 ? " is" : "s are");
    memcpy(out, value, (size_t)count * sizeof *out);
    return STI_OK;
}

static sti_status need_numbers(const sti_urdf_model* m, const sti_xml_node* node, const char* attribute, int count,
                               double* out) {
    if (sti_xml_get(node, attribute) == NULL)
        return sti_urdf_fail(m, node, attribute, "%s expected", count == 1 ? "a number is" : "three numbers are");
    return read_numbers(m, node, attribute, count, out);
}

// A number that may not be negative (or, `above`, not 0 either).
static sti_status read_size(const sti_urdf_model* m, const sti_xml_node* node, const char* attribute, bool needed,
                            bool above, double* out) {
    const sti_status status =
        needed ? need_numbers(m, node, attribute, 1, out) : read_numbers(m, node, attribute, 1, out);
    if (status != STI_OK) return status;
    if (*out < 0 || (above && *out == 0))
        return sti_urdf_fail(m, node, attribute, "%s expected", above ? "more than 0 is" : "0 or more is");
    return STI_OK;
}

static void quaternion_of_rpy(const double rpy[3], double q[4]) {
    const double c[3] = {cos(rpy[0] / 2), cos(rpy[1] / 2), cos(rpy[2] / 2)},
                 s[3] = {sin(rpy[0] / 2), sin(rpy[1] / 2), sin(rpy[2] / 2)};
    q[0] = c[0] * c[1] * c[2] + s[0] * s[1] * s[2];
    q[1] = s[0] * c[1] * c[2] - c[0] * s[1] * s[2];
    q[2] = c[0] * s[1] * c[2] + s[0] * c[1] * s[2];
    q[3] = c[0] * c[1] * s[2] - s[0] * s[1] * c[2];
}

static sti_status read_origin(const sti_urdf_model* m, const sti_xml_node* up, sti_pose* out) {
    *out = sti_pose_identity();
    const sti_xml_node* node = sti_xml_find(up, "origin");
    if (node == NULL) return STI_OK;
    double rpy[3] = {0, 0, 0};
    sti_status status = read_numbers(m, node, "xyz", 3, out->x);
    if (status == STI_OK) status = read_numbers(m, node, "rpy", 3, rpy);
    if (status != STI_OK) return status;
    quaternion_of_rpy(rpy, out->q);
    return STI_OK;
}

// ---- links

// Principal minors that are not negative, within slack times the sizes of their entries.
static bool is_semidefinite(const double I[9], double slack) {
    const double trace = I[0] + I[4] + I[8], tol = slack * trace;
    const double d2[3] = {I[0] * I[4] - I[1] * I[1], I[0] * I[8] - I[2] * I[2], I[4] * I[8] - I[5] * I[5]};
    const double d3 = I[0] * d2[2] - I[1] * (I[1] * I[8] - I[5] * I[2]) + I[2] * (I[1] * I[5] - I[4] * I[2]);
    return I[0] >= -tol && I[4] >= -tol && I[8] >= -tol && d2[0] >= -tol * trace && d2[1] >= -tol * trace &&
           d2[2] >= -tol * trace && d3 >= -tol * trace * trace;
}

// R I R'
static void turn_inertia(const sti_pose* pose, const double I[9], double out[9]) {
    double R[9], T[9];
    sti_pose_rotation(pose, R);
    for (int i = 0; i < 9; i++) {
        const int r = i / 3, c = i % 3;
        T[i] = R[3 * r] * I[c] + R[3 * r + 1] * I[3 + c] + R[3 * r + 2] * I[6 + c];
    }
    for (int i = 0; i < 9; i++) {
        const int r = i / 3, c = i % 3;
        out[i] = T[3 * r] * R[3 * c] + T[3 * r + 1] * R[3 * c + 1] + T[3 * r + 2] * R[3 * c + 2];
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < r; c++) out[3 * r + c] = out[3 * c + r];
    }
}

static sti_status read_inertia(const sti_urdf_model* m, const sti_xml_node* node, double I[9]) {
    static const char* const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    double value[6] = {0};
    for (int k = 0; k < 6; k++) {  // products may be left out, moments not
        const bool needed = k == 0 || k == 3 || k == 5;
        const sti_status status =
            needed ? need_numbers(m, node, names[k], 1, &value[k]) : read_numbers(m, node, names[k], 1, &value[k]);
        if (status != STI_OK) return status;
        if (needed && value[k] < 0) return sti_urdf_fail(m, node, names[k], "a moment of inertia is 0 or more");
    }
    const double full[9] = {value[0], value[1], value[2], value[1], value[3], value[4], value[2], value[4], value[5]};
    memcpy(I, full, sizeof full);
    if (!is_semidefinite(I, 1e-12))  // whether the moments of the whole body are positive is seen when it is known
        return sti_urdf_fail(m, node, NULL, "(%g, %g, %g, %g, %g, %g) has a negative moment about some axis", value[0],
                             value[1], value[2], value[3], value[4], value[5]);
    return STI_OK;
}

static sti_status read_inertial(sti_urdf_model* m, const sti_xml_node* node, sti_urdf_link* link) {
    static const char* const known[] = {"origin", "mass", "inertia"};
    sti_pose origin;
    double I[9] = {0};
    sti_status status = look_at_children(m, node, known, 3);
    if (status == STI_OK) status = read_origin(m, node, &origin);
    if (status != STI_OK) return status;
    const sti_xml_node *mass = sti_xml_find(node, "mass"), *inertia = sti_xml_find(node, "inertia");
    if (mass == NULL) return sti_urdf_fail(m, node, NULL, "<mass> is missing");
    status = read_size(m, mass, "value", true, false, &link->mass);
    if (status != STI_OK) return status;
    if (inertia != NULL) status = read_inertia(m, inertia, I);
    if (status == STI_OK && inertia == NULL) return sti_urdf_fail(m, node, NULL, "<inertia> is missing");
    if (status != STI_OK) return status;
    if (link->mass == 0 && (I[0] > 0 || I[4] > 0 || I[8] > 0))
        return sti_urdf_fail(m, mass, "value", "a link without mass has no inertia either");
    // the second moments of the mass, integral of x x', are half the trace less the inertia
    const double half = (I[0] + I[4] + I[8]) / 2;
    const double second[9] = {half - I[0], -I[1], -I[2], -I[3], half - I[4], -I[5], -I[6], -I[7], half - I[8]};
    if (!is_semidefinite(second, 1e-4))
        status = sti_urdf_remark_add(m, STI_URDF_ASSUMED, inertia, NULL,
                                     "as given, although no body has such moments: one exceeds the sum of the others");
    memcpy(link->centre, origin.x, sizeof origin.x);
    turn_inertia(&origin, I, link->inertia);
    return status;
}

static const char* const forms[] = {[STI_URDF_BOX] = "box",
                                    [STI_URDF_SPHERE] = "sphere",
                                    [STI_URDF_CYLINDER] = "cylinder",
                                    [STI_URDF_CAPSULE] = "capsule",
                                    [STI_URDF_MESH] = "mesh"};

static sti_status read_sizes(const sti_urdf_model* m, const sti_xml_node* node, sti_urdf_geometry* g) {
    sti_status status = STI_OK;
    switch (g->form) {
        case STI_URDF_BOX:
            status = need_numbers(m, node, "size", 3, g->size);
            if (status == STI_OK && !(g->size[0] > 0 && g->size[1] > 0 && g->size[2] > 0))
                status = sti_urdf_fail(m, node, "size", "three numbers above 0 are expected");
            return status;
        case STI_URDF_SPHERE:
            return read_size(m, node, "radius", true, true, &g->size[0]);
        case STI_URDF_CYLINDER:
        case STI_URDF_CAPSULE:
            status = read_size(m, node, "radius", true, true, &g->size[0]);
            return status == STI_OK ? read_size(m, node, "length", true, true, &g->size[1]) : status;
        default:
            break;
    }
    for (int k = 0; k < 3; k++) g->size[k] = 1;
    status = need_text(m, node, "filename", &g->file);
    if (status == STI_OK) status = read_numbers(m, node, "scale", 3, g->size);
    if (status == STI_OK && !(fabs(g->size[0]) > 0 && fabs(g->size[1]) > 0 && fabs(g->size[2]) > 0))
        status = sti_urdf_fail(m, node, "scale", "numbers other than 0 are expected");
    return status;
}

static sti_status read_collision(sti_urdf_model* m, const sti_xml_node* node, int link) {
    static const char* const known[] = {"origin", "geometry"};
    sti_urdf_geometry g = {.node = node, .link = link};
    sti_status status = look_at_children(m, node, known, 2);
    if (status == STI_OK) status = read_origin(m, node, &g.origin);
    if (status != STI_OK) return status;
    const sti_xml_node* geometry = sti_xml_find(node, "geometry");
    if (geometry == NULL || geometry->child == NULL) return sti_urdf_fail(m, node, NULL, "<geometry> is missing");
    if (geometry->child->next != NULL) return sti_urdf_fail(m, geometry->child->next, NULL, "a second geometry");
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        if (strcmp(geometry->child->name, forms[k]) != 0) continue;
        g.form = (sti_urdf_form)k;
        status = read_sizes(m, geometry->child, &g);
        if (status != STI_OK) return status;
        if (g.form == STI_URDF_MESH && !sti_mesh_file_known(g.file))
            return sti_urdf_remark_add(m, STI_URDF_IGNORED, geometry->child, NULL,
                                       "%.160s: only .stl and .obj are read: this surface touches nothing", g.file);
        m->geometry[m->geometry_count++] = g;
        return STI_OK;
    }
    return sti_urdf_remark_add(m, STI_URDF_IGNORED, geometry->child, NULL,
                               "no such geometry is read: this surface touches nothing");
}

static sti_status read_link(sti_urdf_model* m, const sti_xml_node* node) {
    static const char* const known[] = {"inertial", "+collision"};
    const int index = m->link_count;
    sti_urdf_link* link = &m->link[m->link_count++];
    *link = (sti_urdf_link){.node = node, .joint = -1, .body_link = index, .body = -1};
    sti_status status = need_text(m, node, "name", &link->name);
    if (status == STI_OK) status = look_at_children(m, node, known, 2);
    const sti_xml_node* inertial = sti_xml_find(node, "inertial");
    if (status == STI_OK && inertial != NULL) status = read_inertial(m, inertial, link);
    const sti_xml_node* collision = sti_xml_find(node, "collision");
    const int before = m->geometry_count;
    for (; status == STI_OK && collision != NULL; collision = sti_xml_find_after(collision, "collision"))
        status = read_collision(m, collision, index);
    link->touchable = m->geometry_count > before;
    if (status == STI_OK && !link->touchable && sti_xml_find(node, "visual") != NULL)
        status =
            sti_urdf_remark_add(m, STI_URDF_ASSUMED, node, NULL, "can be seen but has no <collision>: touches nothing");
    return status;
}

// ---- joints

static const char* const types[STI_URDF_TYPE_COUNT] = {
    [STI_URDF_FIXED] = "fixed",         [STI_URDF_REVOLUTE] = "revolute", [STI_URDF_CONTINUOUS] = "continuous",
    [STI_URDF_PRISMATIC] = "prismatic", [STI_URDF_PLANAR] = "planar",     [STI_URDF_FLOATING] = "floating"};

static sti_status read_type(const sti_urdf_model* m, const sti_xml_node* node, sti_urdf_type* out) {
    const char* text;
    const sti_status status = need_text(m, node, "type", &text);
    if (status != STI_OK) return status;
    for (int k = 0; k < STI_URDF_TYPE_COUNT; k++) {
        if (strcmp(types[k], text) != 0) continue;
        *out = (sti_urdf_type)k;
        return STI_OK;
    }
    return sti_urdf_fail(m, node, "type", "fixed, revolute, continuous, prismatic, planar or floating is expected");
}

static sti_status read_end(const sti_urdf_model* m, const sti_xml_node* joint, const char* name, const char** out) {
    const sti_xml_node* node = sti_xml_find(joint, name);
    if (node == NULL) return sti_urdf_fail(m, joint, NULL, "<%s> is missing", name);
    return need_text(m, node, "link", out);
}

static sti_status read_axis(sti_urdf_model* m, const sti_xml_node* joint, double axis[3]) {
    const sti_xml_node* node = sti_xml_find(joint, "axis");
    axis[0] = 1, axis[1] = axis[2] = 0;
    if (node == NULL) return STI_OK;
    sti_status status = need_numbers(m, node, "xyz", 3, axis);
    if (status != STI_OK) return status;
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (!(length > 1e-12)) return sti_urdf_fail(m, node, "xyz", "an axis has a direction");
    for (int k = 0; k < 3; k++) axis[k] /= length;
    if (fabs(length - 1) > 1e-3)
        status = sti_urdf_remark_add(m, STI_URDF_ASSUMED, node, NULL, "made a unit vector; its length was %g", length);
    return status;
}

static sti_status read_limit(sti_urdf_model* m, const sti_xml_node* node, sti_urdf_joint* joint) {
    const bool ranged = joint->type == STI_URDF_REVOLUTE || joint->type == STI_URDF_PRISMATIC;
    double velocity = NAN;
    joint->lower = -INFINITY, joint->upper = INFINITY;
    if (node == NULL)
        return ranged ? sti_urdf_fail(m, joint->node, NULL, "<limit> is missing, and a %s joint has one",
                                      types[joint->type])
                      : STI_OK;
    if (ranged) joint->lower = joint->upper = 0;
    sti_status status = ranged ? read_numbers(m, node, "lower", 1, &joint->lower) : STI_OK;
    if (status == STI_OK && ranged) status = read_numbers(m, node, "upper", 1, &joint->upper);
    if (status == STI_OK) status = read_size(m, node, "effort", false, false, &joint->effort);
    if (status == STI_OK) status = read_size(m, node, "velocity", false, false, &velocity);
    if (status != STI_OK) return status;
    if (joint->lower > joint->upper)
        return sti_urdf_fail(m, node, "lower", "more than upper, which is %g", joint->upper);
    if (!isnan(velocity)) {
        status = sti_urdf_remark_add(m, STI_URDF_IGNORED, node, "joint: limit: velocity",
                                     "speeds of joints are not limited");
    }
    return status;
}

static sti_status read_mimic(const sti_urdf_model* m, const sti_xml_node* node, sti_urdf_joint* joint) {
    if (node == NULL) return STI_OK;
    sti_status status = need_text(m, node, "joint", &joint->mimic_name);
    if (status == STI_OK) status = read_numbers(m, node, "multiplier", 1, &joint->multiplier);
    if (status == STI_OK) status = read_numbers(m, node, "offset", 1, &joint->offset);
    if (status != STI_OK) return status;
    if (!sti_urdf_has_coordinate(joint->type))
        return sti_urdf_fail(m, node, NULL, "a %s joint has no position to mimic with", types[joint->type]);
    return STI_OK;
}

// What a joint without a coordinate cannot have.
static sti_status drop_extras(sti_urdf_model* m, const sti_urdf_joint* joint) {
    static const char* const names[] = {"dynamics", "limit"};
    for (size_t k = 0; k < 2; k++) {
        const sti_xml_node* node = sti_xml_find(joint->node, names[k]);
        if (node == NULL || joint->type == STI_URDF_FIXED) continue;
        const sti_status status =
            sti_urdf_remark_add(m, STI_URDF_IGNORED, node, NULL, "a %s joint moves freely here", types[joint->type]);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

static sti_status read_joint(sti_urdf_model* m, const sti_xml_node* node) {
    static const char* const known[] = {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"};
    sti_urdf_joint* joint = &m->joint[m->joint_count++];
    *joint = (sti_urdf_joint){.node = node,
                              .parent = -1,
                              .child = -1,
                              .lower = -INFINITY,
                              .upper = INFINITY,
                              .effort = NAN,
                              .mimic = -1,
                              .multiplier = 1,
                              .setting = sti_urdf_setting_default(NULL),
                              .joint = -1};
    sti_status status = need_text(m, node, "name", &joint->name);
    if (status == STI_OK) status = read_type(m, node, &joint->type);
    if (status == STI_OK) status = look_at_children(m, node, known, sizeof known / sizeof known[0]);
    if (status == STI_OK) status = read_end(m, node, "parent", &joint->parent_name);
    if (status == STI_OK) status = read_end(m, node, "child", &joint->child_name);
    if (status == STI_OK) status = read_origin(m, node, &joint->origin);
    const bool uses_axis = joint->type != STI_URDF_FIXED && joint->type != STI_URDF_FLOATING;
    if (status == STI_OK && uses_axis) status = read_axis(m, node, joint->axis);
    if (status == STI_OK) status = read_mimic(m, sti_xml_find(node, "mimic"), joint);
    if (status != STI_OK || !sti_urdf_has_coordinate(joint->type))
        return status == STI_OK ? drop_extras(m, joint) : status;
    const sti_xml_node* dynamics = sti_xml_find(node, "dynamics");
    status = read_limit(m, sti_xml_find(node, "limit"), joint);
    if (status == STI_OK && dynamics != NULL) status = read_size(m, dynamics, "damping", false, false, &joint->damping);
    if (status == STI_OK && dynamics != NULL)
        status = read_size(m, dynamics, "friction", false, false, &joint->friction);
    return status;
}

// ---- the robot

static sti_status reserve(sti_urdf_model* m) {
    size_t links = 0, joints = 0, collisions = 0;
    for (const sti_xml_node* node = m->xml.root->child; node != NULL; node = node->next) {
        links += strcmp(node->name, "link") == 0;
        joints += strcmp(node->name, "joint") == 0;
        for (const sti_xml_node* child = node->child; child != NULL; child = child->next)
            collisions += strcmp(child->name, "collision") == 0;
    }
    if (links == 0) return sti_urdf_fail(m, m->xml.root, NULL, "no <link>: a robot has one at least");
    m->link = sti_alloc_array(m->env, links, sizeof *m->link);
    m->joint = sti_alloc_array(m->env, joints, sizeof *m->joint);
    m->geometry = sti_alloc_array(m->env, collisions, sizeof *m->geometry);
    if (m->link == NULL || m->joint == NULL || m->geometry == NULL)
        return STI_FAIL(m->env, STI_ERR_MEMORY, -1, "links and joints of %.200s", m->file);
    return STI_OK;
}

sti_status sti_urdf_read(sti_urdf_model* m) {
    const sti_xml_node* root = m->xml.root;
    if (strcmp(root->name, "robot") != 0)
        return sti_file_fail(m->env, STI_ERR_INPUT, m->file, "line %d: <%.40s>: <robot> is expected", root->line,
                             root->name);
    const char* name = sti_xml_get(root, "name");
    m->report->robot = sti_strdup(m->env, name != NULL ? name : "");
    if (m->report->robot == NULL) return STI_FAIL(m->env, STI_ERR_MEMORY, -1, "name of a robot");
    static const char* const known[] = {"+link", "+joint"};
    sti_status status = look_at_children(m, root, known, 2);
    if (status == STI_OK) status = reserve(m);
    for (const sti_xml_node* node = root->child; status == STI_OK && node != NULL; node = node->next) {
        if (strcmp(node->name, "link") == 0)
            status = read_link(m, node);
        else if (strcmp(node->name, "joint") == 0)
            status = read_joint(m, node);
    }
    return status;
}
