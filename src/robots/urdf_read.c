// urdf_read.c: URDF: elements to numbers.
//
// Source     the public specification of URDF (links, joints); its defaults: an origin left out is the identity, an
//            axis
//            (1, 0, 0), limits 0, damping and friction 0, a multiplier 1, an offset 0.
// Angles     rpy turns about the fixed axes x, then y, then z:  q = q_z(yaw) q_y(pitch) q_x(roll).
// Departures D1  capsules (radius, length of the cylinder between the caps) are read, as newer readers do
//            D2  a link with mass 0 is as good as one without inertial
// Every element that is not read is remarked, those of one name together. What the specification forbids and engines
// take is mended with a remark, unless the options say strict: sti_urdf_mend marks every such place.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/file.h"
#include "formats/mesh_file.h"
#include "robots/urdf.h"

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
    char where[240], what[300], value[280] = "";
    sti_urdf_describe(node, where, sizeof where);
    const char* given = attribute != NULL ? sti_xml_get(node, attribute) : NULL;
    if (attribute != NULL) {
        if (given != NULL)
            snprintf(value, sizeof value, ": %.30s: \"%.220s\"", attribute, given);
        else
            snprintf(value, sizeof value, ": %.30s: missing", attribute);
    }
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    const bool call = given != NULL && (strstr(given, "${") != NULL || strstr(given, "$(") != NULL);
    if (call && strncmp(given, "$(find ", 7) != 0)
        snprintf(what, sizeof what, "text for xacro to fill in: run xacro first, and give what it writes");
    return sti_file_fail(model->env, STI_ERR_INPUT, model->file, "line %d: %s%s: %s", node->line, where, value, what);
}

sti_status sti_urdf_mend(sti_urdf_model* m, const sti_xml_node* node, const char* attribute, const char* refused,
                         const char* assumed) {
    if (m->options->strict) return sti_urdf_fail(m, node, attribute, "%s", refused);
    const char* value = attribute != NULL ? sti_xml_get(node, attribute) : NULL;
    char text[240];
    if (attribute != NULL)
        snprintf(text, sizeof text, "%.30s: \"%.80s\": %.110s", attribute, value != NULL ? value : "", assumed);
    else
        snprintf(text, sizeof text, "%.230s", assumed);
    return sti_urdf_remark_kind(m, STI_URDF_ASSUMED, node, NULL, assumed, text);
}

static sti_status ignore(sti_urdf_model* m, const sti_xml_node* node, const char* text) {
    char element[80];
    snprintf(element, sizeof element, "%.60s", node->name);
    return sti_urdf_remark_kind(m, STI_URDF_IGNORED, node, element, element, text);
}

// What xacro does with a file: one that still says so is not finished.
static bool asks_xacro(const sti_urdf_model* m) {
    static const char* const orders[] = {"xacro:include",      "xacro:macro",   "xacro:if",        "xacro:unless",
                                         "xacro:insert_block", "xacro:element", "xacro:attribute", "xacro:call"};
    for (const sti_xml_node* node = m->xml.made; node != NULL; node = node->made) {
        for (size_t k = 0; k < sizeof orders / sizeof orders[0]; k++) {
            if (strcmp(node->name, orders[k]) == 0) return true;
        }
    }
    return false;
}

// Of xacro. Constants, and calls of macros that are nowhere, are what is left where it had run, and engines pass over
// them.
static sti_status look_at_xacro(sti_urdf_model* m, const sti_xml_node* node) {
    if (m->options->strict || m->unfinished)
        return sti_urdf_fail(m, node, NULL, "this is a xacro file: run xacro first, and give what it writes");
    if (strcmp(node->name, "xacro:arg") == 0) return STI_OK;  // urdf_text.c
    return ignore(m, node,
                  strcmp(node->name, "xacro:property") == 0
                      ? "a constant of xacro, which has been run or has nothing to do"
                      : "a macro of xacro that this file does not have: what it stands for is missing");
}

// Remark the children that are none of these; one given twice is an error, unless it may be (a name with a '+').
static sti_status look_at_children(sti_urdf_model* m, const sti_xml_node* node, const char* const* known, int count) {
    for (const sti_xml_node* child = node->child; child != NULL; child = child->next) {
        bool found = false;
        for (int k = 0; k < count && !found; k++) {
            const bool many = known[k][0] == '+';
            found = strcmp(child->name, known[k] + many) == 0;
            if (!found || many || sti_xml_find(node, child->name) == child) continue;
            const sti_status status = sti_urdf_mend(m, child, NULL, "given twice", "given twice: the first one counts");
            if (status != STI_OK) return status;
        }
        if (found) continue;
        const char* why = "not an element that is read";
        if (strncmp(child->name, "xacro:", 6) == 0) {
            const sti_status status = look_at_xacro(m, child);
            if (status != STI_OK) return status;
            continue;
        }
        if (strcmp(child->name, "safety_controller") == 0) why = "controllers are not simulated";
        if (strcmp(child->name, "visual") == 0 || strcmp(child->name, "material") == 0) why = "for pictures alone";
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

// Finite numbers of a text, apart by these characters: how many; -1: something else stands there.
static int parse_numbers(const char* at, const char* apart, int room, double* value) {
    int found = 0;
    for (at += strspn(at, apart); *at != '\0'; at += strspn(at, apart)) {
        const char* end;
        const double x = sti_text_double(at, &end);
        if (end == at || (*end != '\0' && strchr(apart, *end) == NULL) || !(fabs(x) <= 1e30)) return -1;
        if (found < room) value[found] = x;
        found++;
        at = end;
    }
    return found;
}

// Is an attribute there with nothing in it? Engines take it as not given.
static bool is_blank(const sti_urdf_model* m, const sti_xml_node* node, const char* attribute) {
    const char* text = sti_xml_get(node, attribute);
    return text != NULL && !m->options->strict && text[strspn(text, " \t\r\n")] == '\0';
}

// `count` finite numbers apart by blanks; *out stays when the attribute is missing.
static sti_status read_numbers(sti_urdf_model* m, const sti_xml_node* node, const char* attribute, int count,
                               double* out) {
    const char* text = sti_xml_get(node, attribute);
    double value[3];
    sti_status status = STI_OK;
    if (text == NULL) return STI_OK;
    if (is_blank(m, node, attribute)) return sti_urdf_mend(m, node, attribute, "", "nothing in it: taken as not given");
    if (parse_numbers(text, " \t\r\n", count, value) != count) {
        const bool lenient = !m->options->strict;
        int found = lenient ? parse_numbers(text, " \t\r\n,;", count, value) : -1;
        if (found > count && strpbrk(text, ",;") != NULL) found = -1;  // 0,1 0,1 0,1: commas within numbers, it seems
        if (found < count)
            return sti_urdf_fail(m, node, attribute, "%s finite number%s expected", count == 1 ? "one" : "three",
                                 count == 1 ? " is" : "s are");
        status = sti_urdf_mend(m, node, attribute, "",
                               found > count ? "more numbers than expected: the first ones count"
                                             : "commas between numbers are taken for blanks");
    }
    memcpy(out, value, (size_t)count * sizeof *out);
    return status;
}

static sti_status need_numbers(sti_urdf_model* m, const sti_xml_node* node, const char* attribute, int count,
                               double* out) {
    if (sti_xml_get(node, attribute) == NULL || is_blank(m, node, attribute))
        return sti_urdf_fail(m, node, attribute, "%s expected", count == 1 ? "a number is" : "three numbers are");
    return read_numbers(m, node, attribute, count, out);
}

// A number that may not be negative.
static sti_status read_size(sti_urdf_model* m, const sti_xml_node* node, const char* attribute, bool needed,
                            double* out) {
    const double before = *out;
    const sti_status status =
        needed ? need_numbers(m, node, attribute, 1, out) : read_numbers(m, node, attribute, 1, out);
    if (status != STI_OK || !(*out < 0)) return status;
    if (needed) return sti_urdf_fail(m, node, attribute, "0 or more is expected");
    *out = before;
    return sti_urdf_mend(m, node, attribute, "0 or more is expected", "negative: taken as not given");
}

// A length of a shape. Flat ones and points are given a thickness that nobody sees, so that they collide.
static sti_status read_length(sti_urdf_model* m, const sti_xml_node* node, const char* attribute, double* out) {
    const sti_status status = need_numbers(m, node, attribute, 1, out);
    if (status != STI_OK || *out > 0) return status;
    if (*out < 0) return sti_urdf_fail(m, node, attribute, "more than 0 is expected");
    *out = STI_URDF_THIN;
    return sti_urdf_mend(m, node, attribute, "more than 0 is expected",
                         "a point or a line collides with 1e-6 around it");
}

static void quaternion_of_rpy(const double rpy[3], double q[4]) {
    const double c[3] = {cos(rpy[0] / 2), cos(rpy[1] / 2), cos(rpy[2] / 2)},
                 s[3] = {sin(rpy[0] / 2), sin(rpy[1] / 2), sin(rpy[2] / 2)};
    q[0] = c[0] * c[1] * c[2] + s[0] * s[1] * s[2];
    q[1] = s[0] * c[1] * c[2] - c[0] * s[1] * s[2];
    q[2] = c[0] * s[1] * c[2] + s[0] * c[1] * s[2];
    q[3] = c[0] * c[1] * s[2] - s[0] * s[1] * c[2];
}

static sti_status read_origin(sti_urdf_model* m, const sti_xml_node* up, sti_pose* out) {
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

// Whether the moments of the whole body are positive is seen when it is known: *odd, some are negative here.
static sti_status read_inertia(sti_urdf_model* m, const sti_xml_node* node, double I[9], bool* odd) {
    static const char* const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    double value[6] = {0};
    for (int k = 0; k < 6; k++) {  // products may be left out, moments not
        const bool needed = k == 0 || k == 3 || k == 5;
        const sti_status status =
            needed ? need_numbers(m, node, names[k], 1, &value[k]) : read_numbers(m, node, names[k], 1, &value[k]);
        if (status != STI_OK) return status;
        if (needed && value[k] < 0 && m->options->strict)
            return sti_urdf_fail(m, node, names[k], "a moment of inertia is 0 or more");
    }
    const double full[9] = {value[0], value[1], value[2], value[1], value[3], value[4], value[2], value[4], value[5]};
    memcpy(I, full, sizeof full);
    *odd = !is_semidefinite(I, 1e-12);
    if (*odd && m->options->strict)
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
    if (mass == NULL) return sti_urdf_mend(m, node, NULL, "<mass> is missing", "<mass> is missing: no mass");
    status = read_size(m, mass, "value", true, &link->mass);
    if (status != STI_OK) return status;
    if (inertia != NULL)
        status = read_inertia(m, inertia, I, &link->odd);
    else
        status = sti_urdf_mend(m, node, NULL, "<inertia> is missing", "<inertia> is missing: its moments are 0");
    if (status != STI_OK) return status;
    if (link->mass == 0 && (I[0] != 0 || I[4] != 0 || I[8] != 0 || link->odd)) {
        link->odd = false;
        return sti_urdf_mend(m, mass, "value", "a link with mass 0: its inertia counts as 0 too",
                             "without mass: its inertia is ignored");
    }
    // the second moments of the mass, integral of x x', are half the trace less the inertia
    const double half = (I[0] + I[4] + I[8]) / 2;
    const double second[9] = {half - I[0], -I[1], -I[2], -I[3], half - I[4], -I[5], -I[6], -I[7], half - I[8]};
    if (!link->odd && !is_semidefinite(second, 1e-4))
        status = sti_urdf_remark_add(m, STI_URDF_ASSUMED, inertia, NULL,
                                     "as given, although no body has such moments: one exceeds the sum of the others");
    memcpy(link->centre, origin.x, sizeof origin.x);
    turn_inertia(&origin, I, link->inertia);
    return status;
}

static const char* const forms[] = {
    [STI_URDF_BOX] = "box",         [STI_URDF_SPHERE] = "sphere", [STI_URDF_CYLINDER] = "cylinder",
    [STI_URDF_CAPSULE] = "capsule", [STI_URDF_PLANE] = "plane",   [STI_URDF_MESH] = "mesh"};

static sti_status read_scale(sti_urdf_model* m, const sti_xml_node* node, sti_urdf_geometry* g) {
    const char* text = sti_xml_get(node, "scale");
    double one;
    if (text != NULL && !m->options->strict && parse_numbers(text, " \t\r\n", 1, &one) == 1) {
        for (int k = 0; k < 3; k++) g->size[k] = one;
        return sti_urdf_mend(m, node, "scale", "", "one number: the same in all directions");
    }
    return read_numbers(m, node, "scale", 3, g->size);
}

static sti_status read_sizes(sti_urdf_model* m, const sti_xml_node* node, sti_urdf_geometry* g) {
    sti_status status = STI_OK;
    switch (g->form) {
        case STI_URDF_BOX:
            status = need_numbers(m, node, "size", 3, g->size);
            if (status != STI_OK || (g->size[0] > 0 && g->size[1] > 0 && g->size[2] > 0)) return status;
            if (g->size[0] < 0 || g->size[1] < 0 || g->size[2] < 0)
                return sti_urdf_fail(m, node, "size", "three numbers above 0 are expected");
            for (int k = 0; k < 3; k++) g->size[k] = fmax(g->size[k], STI_URDF_THIN);
            return sti_urdf_mend(m, node, "size", "three numbers above 0 are expected", "flat: made 1e-6 thick");
        case STI_URDF_SPHERE:
            return read_length(m, node, "radius", &g->size[0]);
        case STI_URDF_CYLINDER:
        case STI_URDF_CAPSULE:
            status = read_length(m, node, "radius", &g->size[0]);
            return status == STI_OK ? read_length(m, node, "length", &g->size[1]) : status;
        case STI_URDF_PLANE:
            g->size[2] = 1;
            status = read_numbers(m, node, "normal", 3, g->size);
            if (status == STI_OK && !(fabs(g->size[0]) + fabs(g->size[1]) + fabs(g->size[2]) > 1e-12))
                status = sti_urdf_fail(m, node, "normal", "a vector other than 0 is expected");
            return status;
        default:
            break;
    }
    for (int k = 0; k < 3; k++) g->size[k] = 1;
    status = need_text(m, node, "filename", &g->file);
    if (status == STI_OK) status = read_scale(m, node, g);
    if (status == STI_OK && !(fabs(g->size[0]) > 0 && fabs(g->size[1]) > 0 && fabs(g->size[2]) > 0))
        status = sti_urdf_fail(m, node, "scale", "numbers other than 0 are expected");
    return status;
}

sti_status sti_urdf_read_geometry(sti_urdf_model* m, const sti_xml_node* node, int link, sti_urdf_geometry* out,
                                  bool* is) {
    sti_urdf_geometry g = {.node = node, .link = link};
    *is = false;
    sti_status status = read_origin(m, node, &g.origin);
    if (status != STI_OK) return status;
    const sti_xml_node* geometry = sti_xml_find(node, "geometry");
    if (geometry == NULL || geometry->child == NULL)
        return sti_urdf_mend(m, node, NULL, "<geometry> is missing", "<geometry> is missing: touches nothing");
    if (geometry->child->next != NULL)
        status = sti_urdf_mend(m, geometry->child->next, NULL, "a second geometry", "a second geometry: not looked at");
    if (status != STI_OK) return status;
    const char* name = geometry->child->name;
    if (strcmp(name, "drake:capsule") == 0) name = forms[STI_URDF_CAPSULE];
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        if (strcmp(name, forms[k]) != 0) continue;
        g.form = (sti_urdf_form)k;
        status = read_sizes(m, geometry->child, &g);
        if (status != STI_OK) return status;
        if (g.form == STI_URDF_MESH && !sti_mesh_file_known(g.file))
            return sti_urdf_remark_add(
                m, STI_URDF_IGNORED, geometry->child, NULL,
                "%.160s: only .stl, .obj, .dae, .gltf and .glb are read: this surface touches nothing", g.file);
        *out = g;
        *is = true;
        return STI_OK;
    }
    return sti_urdf_remark_add(m, STI_URDF_IGNORED, geometry->child, NULL,
                               "no such geometry is read: this surface touches nothing");
}

static sti_status read_collision(sti_urdf_model* m, const sti_xml_node* node, int link) {
    static const char* const known[] = {"origin", "geometry"};
    const bool visual = strcmp(node->name, "visual") == 0;
    sti_status status = visual ? STI_OK : look_at_children(m, node, known, 2);
    bool is = false;
    if (status == STI_OK) status = sti_urdf_read_geometry(m, node, link, &m->geometry[m->geometry_count], &is);
    if (is) m->geometry_count++;
    return status;
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
    const sti_xml_node* visual = sti_xml_find(node, "visual");
    if (status != STI_OK || link->touchable || visual == NULL || sti_xml_find(node, "collision") != NULL) return status;
    if (!m->options->collide_visual)
        return sti_urdf_remark_add(m, STI_URDF_ASSUMED, node, NULL,
                                   "can be seen but has no <collision>: touches nothing");
    for (; status == STI_OK && visual != NULL; visual = sti_xml_find_after(visual, "visual"))
        status = read_collision(m, visual, index);
    link->touchable = m->geometry_count > before;
    if (status != STI_OK || !link->touchable) return status;
    return sti_urdf_remark_add(m, STI_URDF_ASSUMED, node, NULL, "has no <collision>: touches with what can be seen");
}

// ---- joints

static const char* const types[STI_URDF_TYPE_COUNT] = {
    [STI_URDF_FIXED] = "fixed",         [STI_URDF_REVOLUTE] = "revolute", [STI_URDF_CONTINUOUS] = "continuous",
    [STI_URDF_PRISMATIC] = "prismatic", [STI_URDF_PLANAR] = "planar",     [STI_URDF_FLOATING] = "floating",
    [STI_URDF_SPHERICAL] = "spherical"};

static sti_status read_type(sti_urdf_model* m, const sti_xml_node* node, sti_urdf_type* out) {
    static const char expected[] = "fixed, revolute, continuous, prismatic, planar or floating is expected";
    const char* text;
    const sti_status status = need_text(m, node, "type", &text);
    if (status != STI_OK) return status;
    for (int k = 0; k < STI_URDF_TYPE_COUNT; k++) {
        if (strcmp(types[k], text) != 0) continue;
        *out = (sti_urdf_type)k;
        if (k != STI_URDF_SPHERICAL) return STI_OK;
        return sti_urdf_mend(m, node, "type", expected, "not a type of URDF: taken as a ball in a socket");
    }
    return sti_urdf_fail(m, node, "type", "%s", expected);
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
    if (!m->options->strict && (sti_xml_get(node, "xyz") == NULL || is_blank(m, node, "xyz")))
        return sti_urdf_mend(m, node, "xyz", "", "missing: (1, 0, 0) is taken");
    sti_status status = need_numbers(m, node, "xyz", 3, axis);
    if (status != STI_OK) return status;
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (!(length > 1e-12)) return sti_urdf_fail(m, node, "xyz", "a vector other than 0 is expected");
    for (int k = 0; k < 3; k++) axis[k] /= length;
    if (fabs(length - 1) > 1e-3)
        status = sti_urdf_remark_add(m, STI_URDF_ASSUMED, node, NULL, "made a unit vector; its length was %g", length);
    return status;
}

// "inf", with or without a sign, or a number beyond all sizes: INFINITY with its sign; 0: it is something else.
static double endless(const char* text) {
    const char* end;
    if (text == NULL) return 0;
    text += strspn(text, " \t\r\n");
    const double x = sti_text_double(text, &end), sign = *text == '-' ? -1 : 1;
    if (end != text) return fabs(x) > 1e30 ? sign * INFINITY : 0;
    text += *text == '-' || *text == '+';
    return strncasecmp(text, "inf", 3) == 0 ? sign * INFINITY : 0;
}

// A number of a limit, which may be infinite: no limit then.
static sti_status read_bound(sti_urdf_model* m, const sti_xml_node* node, const char* attribute, double* out) {
    const double none = endless(sti_xml_get(node, attribute));
    if (none == 0) return read_numbers(m, node, attribute, 1, out);
    *out = none;
    return STI_OK;
}

// Where the file gives neither end, URDF says 0 and 0, and engines let the joint move.
static sti_status read_range(sti_urdf_model* m, const sti_xml_node* node, sti_urdf_joint* joint) {
    const bool no_lower = sti_xml_get(node, "lower") == NULL || is_blank(m, node, "lower");
    const bool neither = no_lower && (sti_xml_get(node, "upper") == NULL || is_blank(m, node, "upper"));
    if (neither && !m->options->strict)
        return sti_urdf_mend(m, node, NULL, "", "neither lower nor upper: moves without limits");
    joint->lower = joint->upper = 0;
    const sti_status status = read_bound(m, node, "lower", &joint->lower);
    return status == STI_OK ? read_bound(m, node, "upper", &joint->upper) : status;
}

static sti_status read_limit(sti_urdf_model* m, const sti_xml_node* node, sti_urdf_joint* joint) {
    const bool ranged = joint->type == STI_URDF_REVOLUTE || joint->type == STI_URDF_PRISMATIC;
    double velocity = NAN;
    joint->lower = -INFINITY, joint->upper = INFINITY;
    if (node == NULL)
        return ranged ? sti_urdf_mend(m, joint->node, NULL,
                                      joint->type == STI_URDF_REVOLUTE
                                          ? "<limit> is missing, and a revolute joint has one"
                                          : "<limit> is missing, and a prismatic joint has one",
                                      "<limit> is missing: moves without limits")
                      : STI_OK;
    const bool holds = !ranged && (sti_xml_get(node, "lower") != NULL || sti_xml_get(node, "upper") != NULL);
    sti_status status = ranged  ? read_range(m, node, joint)
                        : holds ? sti_urdf_remark_add(m, STI_URDF_IGNORED, node, "joint: limit: lower and upper",
                                                      "a continuous joint turns without limits")
                                : STI_OK;
    if (status == STI_OK && endless(sti_xml_get(node, "effort")) <= 0)
        status = read_size(m, node, "effort", false, &joint->effort);
    if (status == STI_OK && endless(sti_xml_get(node, "velocity")) <= 0)
        status = read_size(m, node, "velocity", false, &velocity);
    if (status != STI_OK) return status;
    if (joint->lower > joint->upper) {
        char refused[80];
        const double swap = joint->lower;
        snprintf(refused, sizeof refused, "more than upper, which is %g", joint->upper);
        joint->lower = joint->upper;
        joint->upper = swap;
        status = sti_urdf_mend(m, node, "lower", refused, "more than upper: the two are swapped");
        if (status != STI_OK) return status;
    }
    if (joint->lower == INFINITY) joint->lower = -INFINITY;  // no way to start there
    if (joint->upper == -INFINITY) joint->upper = INFINITY;
    if (!isnan(velocity)) {
        status = sti_urdf_remark_add(m, STI_URDF_IGNORED, node, "joint: limit: velocity",
                                     "speeds of joints are not limited");
    }
    return status;
}

static sti_status read_mimic(sti_urdf_model* m, const sti_xml_node* node, sti_urdf_joint* joint) {
    if (node == NULL) return STI_OK;
    if (sti_xml_get(node, "joint") == NULL || is_blank(m, node, "joint"))
        return sti_urdf_mend(m, node, NULL, "<mimic> names no joint", "<mimic> names no joint: moves on its own");
    sti_status status = need_text(m, node, "joint", &joint->mimic_name);
    if (status == STI_OK) status = read_numbers(m, node, "multiplier", 1, &joint->multiplier);
    if (status == STI_OK) status = read_numbers(m, node, "offset", 1, &joint->offset);
    if (status != STI_OK) return status;
    if (sti_urdf_has_coordinate(joint->type)) return STI_OK;
    char refused[80];
    snprintf(refused, sizeof refused, "a %s joint has no position to mimic with", types[joint->type]);
    joint->mimic_name = NULL;
    return sti_urdf_mend(m, node, NULL, refused, "the joint has no position to mimic with: ignored");
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
    const bool uses_axis = joint->type == STI_URDF_PLANAR || sti_urdf_has_coordinate(joint->type);
    if (status == STI_OK && uses_axis) status = read_axis(m, node, joint->axis);
    if (status == STI_OK) status = read_mimic(m, sti_xml_find(node, "mimic"), joint);
    if (status != STI_OK || !sti_urdf_has_coordinate(joint->type))
        return status == STI_OK ? drop_extras(m, joint) : status;
    const sti_xml_node* dynamics = sti_xml_find(node, "dynamics");
    status = read_limit(m, sti_xml_find(node, "limit"), joint);
    if (status == STI_OK && dynamics != NULL) status = read_size(m, dynamics, "damping", false, &joint->damping);
    if (status == STI_OK && dynamics != NULL) status = read_size(m, dynamics, "friction", false, &joint->friction);
    return status;
}

// ---- the robot

static sti_status reserve(sti_urdf_model* m) {
    size_t links = 0, joints = 0, collisions = 0;
    for (const sti_xml_node* node = m->xml.root->child; node != NULL; node = node->next) {
        links += strcmp(node->name, "link") == 0;
        joints += strcmp(node->name, "joint") == 0;
        for (const sti_xml_node* child = node->child; child != NULL; child = child->next)
            collisions += strcmp(child->name, "collision") == 0 || strcmp(child->name, "visual") == 0;
    }
    if (links == 0) return sti_urdf_fail(m, m->xml.root, NULL, "no <link>: a robot needs at least one");
    m->link = sti_alloc_array(m->env, links + 1, sizeof *m->link);  // and one for the world
    m->joint = sti_alloc_array(m->env, joints, sizeof *m->joint);
    m->geometry = sti_alloc_array(m->env, collisions, sizeof *m->geometry);
    if (m->link == NULL || m->joint == NULL || m->geometry == NULL) return STI_ERR_MEMORY;
    return STI_OK;
}

// Some engines know a link "world" that no file has to name.
static sti_status add_world(sti_urdf_model* m) {
    const sti_xml_node* said = NULL;
    for (int k = 0; k < m->joint_count && said == NULL; k++) {
        if (strcmp(m->joint[k].parent_name, "world") == 0) said = m->joint[k].node;
    }
    for (int k = 0; k < m->link_count; k++) {
        if (strcmp(m->link[k].name, "world") == 0) said = NULL;
    }
    if (said == NULL || m->options->strict) return STI_OK;
    const sti_xml_node* parent = sti_xml_find(said, "parent");
    m->link[m->link_count] = (sti_urdf_link){
        .node = parent, .name = sti_xml_get(parent, "link"), .joint = -1, .body_link = m->link_count, .body = -1};
    m->link_count++;
    return sti_urdf_mend(m, parent, "link", "", "no such link: the root is called so");
}

sti_status sti_urdf_read(sti_urdf_model* m) {
    const sti_xml_node* root = m->xml.root;
    if (strcmp(root->name, "robot") != 0) {
        const bool other = strcmp(root->name, "sdf") == 0 || strcmp(root->name, "mujoco") == 0;
        return sti_file_fail(m->env, STI_ERR_INPUT, m->file, "line %d: <%.40s>: <robot> is expected%s", root->line,
                             root->name,
                             !other                 ? ""
                             : root->name[0] == 's' ? ": SDF is not read, URDF is"
                                                    : ": MJCF is not read, URDF is");
    }
    const char* name = sti_xml_get(root, "name");
    m->report->robot = sti_strdup(m->env, name != NULL ? name : "");
    if (m->report->robot == NULL) return STI_ERR_MEMORY;
    static const char* const known[] = {"+link", "+joint"};
    m->unfinished = asks_xacro(m);
    sti_status status = look_at_children(m, root, known, 2);
    if (status == STI_OK) status = reserve(m);
    for (const sti_xml_node* node = root->child; status == STI_OK && node != NULL; node = node->next) {
        if (strcmp(node->name, "link") == 0)
            status = read_link(m, node);
        else if (strcmp(node->name, "joint") == 0)
            status = read_joint(m, node);
    }
    return status == STI_OK ? add_world(m) : status;
}
