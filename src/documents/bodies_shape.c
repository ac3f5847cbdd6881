// bodies_shape.c: shapes, their places and materials in a scene of bodies.
#include <math.h>
#include <string.h>

#include "documents/bodies_json.h"
#include "formats/file.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

// ---- places

static sti_status unit_quaternion(const sti_bodies_reader* r, const sti_place* place, const sti_json_value* value,
                                  double q[4]) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 1e-150 && length < 1e150))
        return sti_json_fail(r->tree, place, value, "a direction that is not 0 is expected");
    for (int k = 0; k < 4; k++) q[k] /= length;
    return STI_OK;
}

// [w, x, y, z], or {"axis": [..], "angle": ..}
static sti_status read_rotation(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, double q[4]) {
    static const char* const names[] = {"axis", "angle"};
    const sti_json_value* value = sti_json_field(object, "rotation");
    const sti_place place = sti_place_key(up, "rotation");
    if (value == NULL) return STI_OK;
    if (sti_json_is_array(value)) {
        const sti_status status = sti_bodies_read_vector(r, up, object, "rotation", 4, q);
        return status == STI_OK ? unit_quaternion(r, &place, value, q) : status;
    }
    double axis[4] = {0}, angle = 0;
    sti_status status = sti_bodies_check_names(r, &place, value, names, COUNT_OF(names));
    for (int k = 0; status == STI_OK && k < COUNT_OF(names); k++) {
        const sti_place at = sti_place_key(&place, names[k]);
        if (sti_json_field(value, names[k]) == NULL)
            status = sti_json_fail(r->tree, &at, NULL, "a rotation is [w, x, y, z] or {\"axis\": .., \"angle\": ..}");
    }
    if (status == STI_OK) status = sti_bodies_read_vector(r, &place, value, "axis", 3, axis + 1);
    if (status == STI_OK) status = sti_bodies_read_field(r, &place, value, "angle", &angle);
    if (status == STI_OK) status = unit_quaternion(r, &place, value, axis);
    if (status != STI_OK) return status;
    const double s = sin(0.5 * angle);
    q[0] = cos(0.5 * angle);
    for (int k = 1; k < 4; k++) q[k] = s * axis[k];
    return STI_OK;
}

sti_status sti_bodies_read_pose(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                const char* key, sti_pose* out) {
    const char* alien = r->dim == 2 ? "rotation" : "angle";
    const sti_place at = sti_place_key(up, alien);
    double x[3] = {0}, angle = 0;
    *out = sti_pose_identity();
    if (sti_json_field(object, alien) != NULL)
        return sti_json_fail(
            r->tree, &at, sti_json_field(object, alien),
            r->dim == 2 ? "in the plane \"angle\" is expected, in radians" : "in space \"rotation\" is expected");
    sti_status status = sti_bodies_read_vector(r, up, object, key, r->dim, x);
    if (status == STI_OK && r->dim == 2) {
        status = sti_bodies_read_field(r, up, object, "angle", &angle);
        *out = sti_pose_planar(x[0], x[1], angle);
    } else if (status == STI_OK) {
        memcpy(out->x, x, sizeof x);
        status = read_rotation(r, up, object, out->q);
    }
    return status;
}

// ---- materials

static sti_status read_material(sti_bodies_reader* r, const sti_place* up, const sti_json_value* value) {
    static const char* const names[] = {"mu", "restitution", "grain", "mu_across", "polygon", "stiffness"};
    const sti_place place = sti_place_key(up, value->key);
    sti_material material = {.name = value->key, .mu = 0.5};
    sti_status status = sti_bodies_check_names(r, &place, value, names, COUNT_OF(names));
    if (status == STI_OK) status = sti_bodies_read_field(r, &place, value, "mu", &material.mu);
    if (status == STI_OK) status = sti_bodies_read_field(r, &place, value, "restitution", &material.restitution);
    if (status == STI_OK) status = sti_bodies_read_vector(r, &place, value, "grain", 3, material.grain);
    if (status == STI_OK) status = sti_bodies_read_field(r, &place, value, "mu_across", &material.mu_across);
    if (status == STI_OK) status = sti_bodies_read_field(r, &place, value, "stiffness", &material.stiffness);
    sti_section section = {.shape = STI_SECTION_POLYGON};
    double* corner = NULL;
    if (status == STI_OK && sti_json_field(value, "polygon") != NULL) {
        status = sti_bodies_read_rows(r, &place, value, "polygon", 2, &section.vertex_count, &corner);
        section.vertex = corner;
        material.section = &section;
    }
    if (status == STI_OK) status = sti_bodies_blame(r, &place, sti_bodies_add_material(r->bodies, &material, NULL));
    sti_free(r->env, corner);
    return status;
}

static sti_status find_material(const sti_bodies_reader* r, const sti_place* place, const sti_json_value* value,
                                int* out) {
    const int count = sti_bodies_material_count(r->bodies);
    for (int k = 0; sti_json_is_string(value) && k < count; k++) {
        *out = k;
        if (strcmp(sti_bodies_material(r->bodies, k)->name, value->text) == 0) return STI_OK;
    }
    return sti_json_fail(r->tree, place, value, "the name of a material is expected");
}

static sti_status read_pair(sti_bodies_reader* r, const sti_place* up, const sti_json_value* value) {
    static const char* const names[] = {"materials", "mu", "restitution"};
    const sti_place place = sti_place_key(up, "materials");
    sti_status status = sti_bodies_check_names(r, up, value, names, COUNT_OF(names));
    const sti_json_value* list = status == STI_OK ? sti_json_field(value, "materials") : NULL;
    int of[2] = {0};
    if (status == STI_OK) status = sti_json_check_list(r->tree, &place, list, 2);
    for (int k = 0; status == STI_OK && k < 2; k++) {
        const sti_place at = sti_place_index(&place, k);
        status = find_material(r, &at, sti_json_item(list, k), &of[k]);
    }
    if (status != STI_OK) return status;
    // what is not given follows the rule
    const sti_material *a = sti_bodies_material(r->bodies, of[0]), *b = sti_bodies_material(r->bodies, of[1]);
    double mu = sqrt(a->mu * b->mu), restitution = fmax(a->restitution, b->restitution);
    status = sti_bodies_read_field(r, up, value, "mu", &mu);
    if (status == STI_OK) status = sti_bodies_read_field(r, up, value, "restitution", &restitution);
    if (status != STI_OK) return status;
    return sti_bodies_blame(r, up, sti_bodies_set_pair(r->bodies, of[0], of[1], mu, restitution));
}

sti_status sti_bodies_read_materials(sti_bodies_reader* r) {
    const sti_json_value* materials = sti_json_field(r->tree->root, "materials");
    const sti_json_value* pairs = sti_json_field(r->tree->root, "pairs");
    const sti_place at_materials = sti_place_key(NULL, "materials"), at_pairs = sti_place_key(NULL, "pairs");
    if (materials != NULL && !sti_json_is_object(materials))
        return sti_json_fail(r->tree, &at_materials, materials, "an object { .. } is expected");
    if (pairs != NULL && !sti_json_is_array(pairs))
        return sti_json_fail(r->tree, &at_pairs, pairs, "a list is expected");
    sti_status status = STI_OK;
    int k = 0;
    for (const sti_json_value* v = materials != NULL ? materials->child : NULL; status == STI_OK && v != NULL;
         v = v->next)
        status = read_material(r, &at_materials, v);
    for (const sti_json_value* v = pairs != NULL ? pairs->child : NULL; status == STI_OK && v != NULL; v = v->next) {
        const sti_place at = sti_place_index(&at_pairs, k++);
        status = read_pair(r, &at, v);
    }
    return status;
}

// ---- shapes

static sti_status needed(const sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, const char* key,
                         const char* what) {
    const sti_place place = sti_place_key(up, key);
    return sti_json_field(object, key) != NULL ? STI_OK : sti_json_fail(r->tree, &place, NULL, "%s is expected", what);
}

// One of two names for a number: itself, or its double.
static sti_status half_or_whole(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                const char* half, const char* whole, int count, double* out) {
    const bool both = sti_json_field(object, half) != NULL && sti_json_field(object, whole) != NULL;
    const bool list = strcmp(half, "half") == 0;
    const sti_place place = sti_place_key(up, whole);
    if (both) return sti_json_fail(r->tree, &place, sti_json_field(object, whole), "not together with \"%s\"", half);
    const char* key = sti_json_field(object, half) != NULL ? half : whole;
    sti_status status = needed(r, up, object, key, list ? "\"half\" or \"size\"" : "\"half_length\" or \"length\"");
    if (status == STI_OK)
        status = list ? sti_bodies_read_vector(r, up, object, key, count, out)
                      : sti_bodies_read_field(r, up, object, key, out);
    for (int k = 0; key == whole && k < count; k++) out[k] *= 0.5;
    return status;
}

static sti_status read_sphere(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                              sti_shape** out) {
    double radius = 0;
    sti_status status = needed(r, up, object, "radius", "a number");
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "radius", &radius);
    if (status != STI_OK) return status;
    return sti_bodies_blame(r, up, sti_shape_create_sphere(r->env, r->dim, radius, out));
}

static sti_status read_capsule(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                               sti_shape** out) {
    double radius = 0, half = 0;
    sti_status status = needed(r, up, object, "radius", "a number");
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "radius", &radius);
    if (status == STI_OK) status = half_or_whole(r, up, object, "half_length", "length", 1, &half);
    if (status != STI_OK) return status;
    return sti_bodies_blame(r, up, sti_shape_create_capsule(r->env, r->dim, half, radius, out));
}

static sti_status read_cylinder(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                sti_shape** out) {
    double radius = 0, half = 0;
    sti_status status = needed(r, up, object, "radius", "a number");
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "radius", &radius);
    if (status == STI_OK) status = half_or_whole(r, up, object, "half_length", "length", 1, &half);
    if (status != STI_OK) return status;
    return sti_bodies_blame(r, up, sti_shape_create_cylinder(r->env, half, radius, out));
}

// radii [lower, upper]
static sti_status read_cone(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, sti_shape** out) {
    double radii[2] = {0}, half = 0;
    sti_status status = needed(r, up, object, "radii", "two numbers, of the lower and of the upper end,");
    if (status == STI_OK) status = sti_bodies_read_vector(r, up, object, "radii", 2, radii);
    if (status == STI_OK) status = half_or_whole(r, up, object, "half_length", "length", 1, &half);
    if (status != STI_OK) return status;
    return sti_bodies_blame(r, up, sti_shape_create_cone(r->env, half, radii[0], radii[1], out));
}

static sti_status read_box(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, sti_shape** out) {
    double half[3] = {0};
    const sti_status status = half_or_whole(r, up, object, "half", "size", r->dim, half);
    if (status != STI_OK) return status;
    return sti_bodies_blame(r, up, sti_shape_create_box(r->env, r->dim, half, out));
}

static sti_status read_convex(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                              sti_shape** out) {
    double* points = NULL;
    int count = 0;
    sti_status status = sti_bodies_read_rows(r, up, object, "points", r->dim, &count, &points);
    if (status == STI_OK) status = sti_bodies_blame(r, up, sti_shape_create_convex(r->env, r->dim, count, points, out));
    sti_free(r->env, points);
    return status;
}

static sti_status read_halfspace(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                 sti_shape** out) {
    double normal[3] = {0}, offset = 0;
    sti_status status = needed(r, up, object, "normal", "a direction");
    if (status == STI_OK) status = sti_bodies_read_vector(r, up, object, "normal", r->dim, normal);
    if (status == STI_OK) status = sti_bodies_read_field(r, up, object, "offset", &offset);
    if (status != STI_OK) return status;
    return sti_bodies_blame(r, up, sti_shape_create_halfspace(r->env, r->dim, normal, offset, out));
}

static sti_status read_mesh(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object, sti_shape** out) {
    double *vertices = NULL, *corner = NULL;
    int vertex_count = 0, triangle_count = 0, *triangle = NULL;
    const sti_place place = sti_place_key(up, "triangles");
    sti_status status = sti_bodies_read_rows(r, up, object, "vertices", 3, &vertex_count, &vertices);
    if (status == STI_OK) status = sti_bodies_read_rows(r, up, object, "triangles", 3, &triangle_count, &corner);
    const size_t count = 3 * (size_t)triangle_count;
    if (status == STI_OK) {
        triangle = sti_alloc_array(r->env, count, sizeof *triangle);
        if (triangle == NULL) status = STI_ERR_MEMORY;
    }
    for (size_t k = 0; status == STI_OK && k < count; k++) {
        if (corner[k] >= 0 && corner[k] < vertex_count && corner[k] == floor(corner[k])) {
            triangle[k] = (int)corner[k];
            continue;
        }
        const sti_place at = sti_place_index(&place, (int64_t)(k / 3));
        status = sti_json_fail(r->tree, &at, sti_json_item(sti_json_field(object, "triangles"), (int)(k / 3)),
                               "%.9g is no vertex: 0 to %d is expected", corner[k], vertex_count - 1);
    }
    if (status == STI_OK)
        status = sti_bodies_blame(r, up,
                                  sti_shape_create_mesh(r->env, vertex_count, vertices, triangle_count, triangle, out));
    sti_free(r->env, vertices);
    sti_free(r->env, corner);
    sti_free(r->env, triangle);
    return status;
}

typedef sti_status shape_reader(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                                sti_shape** out);
// How each is read: where it lives, and its fields.
static const struct {
    int dim;  // 0: both
    shape_reader* read;
    const char* names[3];
} readers[STI_SHAPE_KIND_COUNT] = {
    [STI_SHAPE_BOX] = {0, read_box, {"half", "size", NULL}},
    [STI_SHAPE_SPHERE] = {0, read_sphere, {"radius", NULL, NULL}},
    [STI_SHAPE_CAPSULE] = {0, read_capsule, {"radius", "half_length", "length"}},
    [STI_SHAPE_CYLINDER] = {3, read_cylinder, {"radius", "half_length", "length"}},
    [STI_SHAPE_CONE] = {3, read_cone, {"radii", "half_length", "length"}},
    [STI_SHAPE_CONVEX] = {0, read_convex, {"points", NULL, NULL}},
    [STI_SHAPE_HALFSPACE] = {0, read_halfspace, {"normal", "offset", NULL}},
    [STI_SHAPE_MESH] = {3, read_mesh, {"vertices", "triangles", NULL}},
};

#define STI_X(code, name) #name ", "
#define SHAPE_WORDS STI_SHAPE_LIST(STI_X)  // with a comma at the end

static sti_status read_shape(sti_bodies_reader* r, const sti_place* up, const sti_json_value* object,
                             sti_shape_item* out) {
    const sti_place at_type = sti_place_key(up, "type"), at_material = sti_place_key(up, "material");
    if (!sti_json_is_object(object)) return sti_json_fail(r->tree, up, object, "an object { .. } is expected");
    enum { DISC = STI_SHAPE_KIND_COUNT, WORDS };  // a disc is a sphere of the plane
    const char* words[WORDS];
    int type = -1;
    for (int k = 0; k < DISC; k++) words[k] = sti_shape_kind_text((sti_shape_kind)k);
    words[DISC] = "disc";
    sti_status status = needed(r, up, object, "type", SHAPE_WORDS "disc");
    if (status == STI_OK) status = sti_json_read_word(r->tree, up, object, "type", words, WORDS, &type);
    if (status != STI_OK) return status;
    const int kind = type == DISC ? STI_SHAPE_SPHERE : type, dim = type == DISC ? 2 : readers[kind].dim;
    if (dim != 0 && dim != r->dim)
        return sti_json_fail(r->tree, &at_type, sti_json_field(object, "type"), "not in %s",
                             r->dim == 2 ? "the plane" : "space");
    const char* names[8] = {"type", "at", "angle", "rotation", "material"};
    int count = 5;
    for (int k = 0; k < 3 && readers[kind].names[k] != NULL; k++) names[count++] = readers[kind].names[k];
    status = sti_bodies_check_names(r, up, object, names, count);
    if (status == STI_OK) status = sti_bodies_read_pose(r, up, object, "at", &out->place);
    const sti_json_value* material = sti_json_field(object, "material");
    if (status == STI_OK && material != NULL) status = find_material(r, &at_material, material, &out->material);
    return status == STI_OK ? readers[kind].read(r, up, object, &out->shape) : status;
}

sti_status sti_bodies_read_shapes(sti_bodies_reader* r, const sti_place* up, const sti_json_value* body, int* count,
                                  sti_shape_item** out) {
    const sti_json_value *one = sti_json_field(body, "shape"), *list = sti_json_field(body, "shapes");
    const sti_place at_one = sti_place_key(up, "shape"), at_list = sti_place_key(up, "shapes"),
                    at_material = sti_place_key(up, "material");
    int material = 0;
    *count = 0;
    *out = NULL;
    if (one != NULL && list != NULL) return sti_json_fail(r->tree, &at_one, one, "not together with \"shapes\"");
    if (list != NULL && !sti_json_is_array(list)) return sti_json_fail(r->tree, &at_list, list, "a list is expected");
    sti_status status = STI_OK;
    if (sti_json_field(body, "material") != NULL)
        status = find_material(r, &at_material, sti_json_field(body, "material"), &material);
    if (status != STI_OK || (one == NULL && list == NULL)) return status;
    const int wanted = one != NULL ? 1 : sti_json_count(list);
    *out = sti_alloc_array_zero(r->env, (size_t)wanted, sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    *count = wanted;
    const sti_json_value* v = one != NULL ? one : list->child;
    for (int k = 0; status == STI_OK && k < wanted; k++, v = v->next) {
        const sti_place at = sti_place_index(&at_list, k);
        (*out)[k].material = material;
        status = read_shape(r, one != NULL ? &at_one : &at, v, &(*out)[k]);
    }
    return status;
}

void sti_bodies_shapes_clear(sti_env* env, int count, sti_shape_item* shapes) {
    for (int k = 0; k < count; k++) sti_shape_destroy(shapes[k].shape);
    sti_free(env, shapes);
}
