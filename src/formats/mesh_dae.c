// mesh_dae.c: COLLADA: triangles, the transforms of nodes, and the unit.
//
// Read       geometry/mesh with triangles, tristrips, trifans, polylist and polygons (cut into triangles from their
//            first corner); matrix, translate, rotate, scale, skew and lookat of nodes; instances of geometry, of nodes
//            and of skinned geometry in its bind shape; asset/unit; the diffuse colours of effects.
// Not turned by up_axis: whether it is Y_UP is told to the caller, who may turn the mesh.
// Not read   everything that is not geometry.
// A file without a scene shows its geometries as they are.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/file.h"
#include "formats/mesh_file.h"
#include "formats/xml.h"
#include "linalg/vec3.h"

enum { MOST_NODES = 10000, MOST_DEPTH = 32, MOST_CORNERS = 1 << 28 };

typedef struct reader {
    sti_env* env;
    const char* name;
    sti_xml xml;
    sti_mesh_data* out;
    int nodes;  // that were visited: instances of nodes may unfold
} reader;

static sti_status fail(const reader* r, const sti_xml_node* node, const char* text) {
    return sti_file_fail(r->env, STI_ERR_INPUT, r->name, "line %d: <%.40s>: %s", node->line, node->name, text);
}

// ---- what elements refer to

// The element of that name and id; url with or without its '#'.
static const sti_xml_node* find_id(const reader* r, const char* name, const char* url) {
    if (url == NULL) return NULL;
    if (*url == '#') url++;
    for (const sti_xml_node* node = r->xml.made; node != NULL; node = node->made) {
        if (strcmp(node->name, name) != 0) continue;
        const char* id = sti_xml_get(node, "id");
        if (id != NULL && strcmp(id, url) == 0) return node;
    }
    return NULL;
}

static bool next_number(const char** at, double* out) {
    const char* end;
    *at += strspn(*at, " \t\r\n");
    *out = sti_text_double(*at, &end);
    if (end == *at) return false;
    *at = end;
    return true;
}

static bool next_index(const char** at, int* out) {
    double x;
    if (!next_number(at, &x) || !(x >= 0 && x <= INT_MAX) || x != floor(x)) return false;
    *out = (int)x;
    return true;
}

static int read_whole(const sti_xml_node* node, const char* attribute, int usual) {
    const char* text = sti_xml_get(node, attribute);
    int value;
    return text != NULL && next_index(&text, &value) ? value : usual;
}

// ---- vertices

// The positions of a source, placed, behind those there are; *count of them.
static sti_status add_positions(reader* r, const sti_xml_node* source, const double place[12], int* count) {
    const sti_xml_node* array = sti_xml_find(source, "float_array");
    const sti_xml_node* common = sti_xml_find(source, "technique_common");
    const sti_xml_node* accessor = common != NULL ? sti_xml_find(common, "accessor") : NULL;
    const int stride = accessor != NULL ? read_whole(accessor, "stride", 3) : 3;
    const int skip = accessor != NULL ? read_whole(accessor, "offset", 0) : 0;
    *count = 0;
    if (array == NULL) return fail(r, source, "<float_array> is missing");
    if (stride < 3 || stride > 1000) return fail(r, accessor, "a stride of 3 at least is expected");
    const char* at = array->text != NULL ? array->text : "";
    double x[3], y[3], value;
    for (int k = 0; k < skip; k++) {
        if (!next_number(&at, &value)) return fail(r, accessor, "an offset beyond the numbers there are");
    }
    for (int k = 0; next_number(&at, &value); k = (k + 1) % stride) {
        if (k < 3) x[k] = value;
        if (k != 2) continue;
        sti_mesh_place(place, x, y);
        if (!(fabs(y[0]) <= 1e30 && fabs(y[1]) <= 1e30 && fabs(y[2]) <= 1e30))
            return fail(r, array, "a position that is not finite");
        const sti_status status = sti_mesh_add_vertex(r->env, r->out, y);
        if (status != STI_OK) return status;
        ++*count;
    }
    if (at[strspn(at, " \t\r\n")] != '\0') return fail(r, array, "something that is no number");
    return STI_OK;
}

// ---- faces

typedef struct corners {
    int first;   // vertex of the source's first position
    int count;   // positions
    int stride;  // numbers of a corner in <p>
    int offset;  // of its vertex among them
} corners;

static sti_status next_corner(reader* r, const sti_xml_node* p, const char** at, const corners* c, int* out) {
    int index = -1, other;
    for (int k = 0; k < c->stride; k++) {
        if (!next_index(at, k == c->offset ? &index : &other))
            return fail(r, p, "fewer numbers than its faces have, or one that is no index");
    }
    if (index < 0 || index >= c->count)
        return sti_file_fail(r->env, STI_ERR_INPUT, r->name, "line %d: <p>: index %d: there are %d positions", p->line,
                             index, c->count);
    *out = c->first + index;
    return STI_OK;
}

// One <p> is a strip, whose every other triangle is turned, or a fan.
static sti_status add_run(reader* r, const sti_xml_node* p, const corners* c, bool strip) {
    const char* at = p->text != NULL ? p->text : "";
    int first = -1, before = -1, now = -1;
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && at[strspn(at, " \t\r\n")] != '\0'; k++) {
        status = next_corner(r, p, &at, c, &now);
        if (status == STI_OK && k >= 2)
            status = strip && k % 2 == 1 ? sti_mesh_add_triangle(r->env, r->out, before, first, now)
                                         : sti_mesh_add_triangle(r->env, r->out, first, before, now);
        if (k == 0 || (strip && k >= 2)) first = k == 0 ? now : before;
        before = now;
    }
    return status;
}

static sti_status add_face(reader* r, const sti_xml_node* p, const char** at, const corners* c, int count) {
    int first = -1, before = -1, now = -1;
    for (int k = 0; k < count; k++) {
        sti_status status = next_corner(r, p, at, c, &now);
        if (status == STI_OK && k >= 2) status = sti_mesh_add_triangle(r->env, r->out, first, before, now);
        if (status != STI_OK) return status;
        if (k == 0) first = now;
        before = now;
    }
    return STI_OK;
}

static bool at_end(const char* at) {
    return at[strspn(at, " \t\r\n")] == '\0';
}

// triangles: <p> as far as it goes; polylist: <vcount> says the corners of each face; polygons: one <p> a face.
static sti_status add_faces(reader* r, const sti_xml_node* list, const corners* c) {
    const sti_xml_node* counts = strcmp(list->name, "polylist") == 0 ? sti_xml_find(list, "vcount") : NULL;
    const bool polygons = strcmp(list->name, "polygons") == 0, strip = strcmp(list->name, "tristrips") == 0;
    const bool run = strip || strcmp(list->name, "trifans") == 0;
    const char* each = counts != NULL && counts->text != NULL ? counts->text : "";
    sti_status status = STI_OK;
    for (const sti_xml_node* p = sti_xml_find(list, "p"); p != NULL; p = sti_xml_find_after(p, "p")) {
        const char* at = p->text != NULL && !run ? p->text : "";
        if (run) status = add_run(r, p, c, strip);
        while (status == STI_OK && !at_end(at)) {
            int count = polygons ? MOST_CORNERS : 3;
            if (counts != NULL && !next_index(&each, &count)) return fail(r, p, "more corners than <vcount> says");
            if (polygons) {
                const char* look = at;
                int numbers = 0, one;
                while (numbers < MOST_CORNERS && next_index(&look, &one)) numbers++;
                count = numbers / c->stride;
                if (numbers == 0 || numbers % c->stride != 0) return fail(r, p, "corners that are not whole");
            }
            status = add_face(r, p, &at, c, count);
        }
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

static sti_status find_corners(reader* r, const sti_xml_node* list, const sti_xml_node* vertices, corners* c) {
    c->stride = 1;
    c->offset = -1;
    for (const sti_xml_node* in = sti_xml_find(list, "input"); in != NULL; in = sti_xml_find_after(in, "input")) {
        const char* semantic = sti_xml_get(in, "semantic");
        const int offset = read_whole(in, "offset", 0);
        if (offset >= 100) return fail(r, in, "an offset of 100 or more");
        if (offset + 1 > c->stride) c->stride = offset + 1;
        const char *url = sti_xml_get(in, "source"), *id = sti_xml_get(vertices, "id");
        if (semantic == NULL || strcmp(semantic, "VERTEX") != 0) continue;
        if (url == NULL || id == NULL || strcmp(url + (*url == '#'), id) != 0)
            return fail(r, in, "its source is not the <vertices> of this mesh");
        c->offset = offset;
    }
    return c->offset >= 0 ? STI_OK : fail(r, list, "<input semantic=\"VERTEX\"> is missing");
}

// The first child with this name of the first child with that one, and so on; NULL ends the names.
static const sti_xml_node* find_below(const sti_xml_node* node, const char* const* names) {
    for (; node != NULL && *names != NULL; names++) node = sti_xml_find(node, *names);
    return node;
}

// What the instance binds the symbol of a list of faces to: the plain colour of its effect; 0: there is none.
static int color_of(const reader* r, const sti_xml_node* instance, const char* symbol) {
    static const char* const binds[] = {"bind_material", "technique_common", "instance_material", NULL};
    static const char* const shades[] = {"profile_COMMON", "technique", NULL};
    static const char* const plain[] = {"diffuse", "color", NULL};
    const sti_xml_node* bind = instance != NULL && symbol != NULL ? find_below(instance, binds) : NULL;
    while (bind != NULL && (sti_xml_get(bind, "symbol") == NULL || strcmp(sti_xml_get(bind, "symbol"), symbol) != 0))
        bind = sti_xml_find_after(bind, "instance_material");
    const sti_xml_node* material = find_id(r, "material", bind != NULL ? sti_xml_get(bind, "target") : symbol);
    const sti_xml_node* use = material != NULL ? sti_xml_find(material, "instance_effect") : NULL;
    const sti_xml_node* effect = use != NULL ? find_id(r, "effect", sti_xml_get(use, "url")) : NULL;
    const sti_xml_node* model = effect != NULL ? find_below(effect, shades) : NULL;
    for (model = model != NULL ? model->child : NULL; model != NULL; model = model->next) {  // phong, lambert, ..
        const sti_xml_node* color = find_below(model, plain);
        const char* at = color != NULL && color->text != NULL ? color->text : "";
        double x[3];
        if (next_number(&at, &x[0]) && next_number(&at, &x[1]) && next_number(&at, &x[2]))
            return sti_mesh_rgb(x[0], x[1], x[2]);
    }
    return 0;
}

// instance: NULL, or what may bind materials.
static sti_status add_geometry(reader* r, const sti_xml_node* geometry, const sti_xml_node* instance,
                               const double place[12]) {
    static const char* const kinds[] = {"triangles", "tristrips", "trifans", "polylist", "polygons"};
    const sti_xml_node* mesh = sti_xml_find(geometry, "mesh");
    const sti_xml_node* vertices = mesh != NULL ? sti_xml_find(mesh, "vertices") : NULL;
    if (mesh == NULL) return STI_OK;  // splines and the like
    if (vertices == NULL) return fail(r, mesh, "<vertices> is missing");
    const sti_xml_node* in = sti_xml_find(vertices, "input");
    while (in != NULL && (sti_xml_get(in, "semantic") == NULL || strcmp(sti_xml_get(in, "semantic"), "POSITION") != 0))
        in = sti_xml_find_after(in, "input");
    const sti_xml_node* source = in != NULL ? find_id(r, "source", sti_xml_get(in, "source")) : NULL;
    if (source == NULL) return fail(r, vertices, "no source of positions");
    corners c = {.first = r->out->vertex_count};
    sti_status status = add_positions(r, source, place, &c.count);
    const int before = r->out->triangle_count;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const sti_xml_node* list = sti_xml_find(mesh, kinds[k]);
        for (; status == STI_OK && list != NULL; list = sti_xml_find_after(list, kinds[k])) {
            if (sti_xml_find(list, "p") == NULL && sti_xml_find(list, "ph") == NULL) continue;  // no faces, no inputs
            r->out->paint = color_of(r, instance, sti_xml_get(list, "material"));
            status = find_corners(r, list, vertices, &c);
            if (status == STI_OK) status = add_faces(r, list, &c);
        }
    }
    sti_mesh_face(r->out, before, place);
    return status;
}

// ---- nodes

static sti_status read_some(const reader* r, const sti_xml_node* node, int count, double* out) {
    const char* at = node->text != NULL ? node->text : "";
    for (int k = 0; k < count; k++) {
        if (!next_number(&at, &out[k]) || !(fabs(out[k]) <= 1e30)) return fail(r, node, "finite numbers are expected");
    }
    return STI_OK;
}

static void turn(const double axis[4], double out[12]) {
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const double angle = axis[3] * 3.141592653589793 / 180, c = cos(angle), s = sin(angle);
    double u[3] = {0, 0, 0};
    for (int k = 0; k < 3 && length > 0; k++) u[k] = axis[k] / length;
    const double skew[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
    for (int i = 0; i < 9; i++)
        out[4 * (i / 3) + i % 3] = (i % 4 == 0 ? c : 0) + (1 - c) * u[i / 3] * u[i % 3] + s * skew[i];
}

// Points move along `along` by tan(angle) times how far they lie off in the direction `off`.
static bool skew(const double x[7], double out[12]) {
    const double *off = x + 1, *along = x + 4, slope = tan(x[0] * 3.141592653589793 / 180);
    const double a = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
    const double b = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    if (!(a > 0 && b > 0)) return false;
    for (int i = 0; i < 9; i++) out[4 * (i / 3) + i % 3] += slope * along[i / 3] / b * off[i % 3] / a;
    return true;
}

// At x[0..2], with -z to x[3..5] and y as near to x[6..8] as may be.
static bool look_at(const double x[9], double out[12]) {
    const double back[3] = {x[0] - x[3], x[1] - x[4], x[2] - x[5]};
    double axes[3][3];
    memcpy(axes[2], back, sizeof back);
    cross3(x + 6, axes[2], axes[0]);
    cross3(axes[2], axes[0], axes[1]);
    for (int i = 0; i < 3; i++) {
        const double length = sqrt(axes[i][0] * axes[i][0] + axes[i][1] * axes[i][1] + axes[i][2] * axes[i][2]);
        if (!(length > 0)) return false;
        for (int k = 0; k < 3; k++) out[4 * k + i] = axes[i][k] / length;
        out[4 * i + 3] = x[i];
    }
    return true;
}

// One element of a node's transform; *is: it is one.
static sti_status read_transform(const reader* r, const sti_xml_node* node, double out[12], bool* is) {
    double x[16];
    const double same[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    memcpy(out, same, sizeof same);
    *is = true;
    sti_status status = STI_OK;
    if (strcmp(node->name, "matrix") == 0) {
        status = read_some(r, node, 16, x);
        memcpy(out, x, 12 * sizeof *out);
    } else if (strcmp(node->name, "translate") == 0) {
        status = read_some(r, node, 3, x);
        for (int k = 0; k < 3; k++) out[4 * k + 3] = x[k];
    } else if (strcmp(node->name, "scale") == 0) {
        status = read_some(r, node, 3, x);
        for (int k = 0; k < 3; k++) out[5 * k] = x[k];
    } else if (strcmp(node->name, "rotate") == 0) {
        status = read_some(r, node, 4, x);
        if (status == STI_OK) turn(x, out);
    } else if (strcmp(node->name, "skew") == 0) {
        status = read_some(r, node, 7, x);
        if (status == STI_OK && !skew(x, out)) status = fail(r, node, "an angle and two directions are expected");
    } else if (strcmp(node->name, "lookat") == 0) {
        status = read_some(r, node, 9, x);
        if (status == STI_OK && !look_at(x, out)) status = fail(r, node, "two points and a way up are expected");
    } else {
        *is = false;
    }
    return status;
}

static sti_status add_node(reader* r, const sti_xml_node* node, const double outer[12], int depth);

// The geometry of an instance, straight or through the skin of a controller; an instance of a node.
static sti_status add_instance(reader* r, const sti_xml_node* node, const double place[12], int depth) {
    const char* url = sti_xml_get(node, "url");
    if (strcmp(node->name, "instance_node") == 0) {
        const sti_xml_node* other = find_id(r, "node", url);
        return other != NULL ? add_node(r, other, place, depth + 1) : fail(r, node, "no such node");
    }
    if (strcmp(node->name, "instance_controller") == 0) {
        const sti_xml_node* controller = find_id(r, "controller", url);
        const sti_xml_node* skin = controller != NULL ? sti_xml_find(controller, "skin") : NULL;
        url = skin != NULL ? sti_xml_get(skin, "source") : NULL;
    } else if (strcmp(node->name, "instance_geometry") != 0) {
        return STI_OK;
    }
    const sti_xml_node* geometry = find_id(r, "geometry", url);
    return geometry != NULL ? add_geometry(r, geometry, node, place) : fail(r, node, "no such geometry");
}

static sti_status add_node(reader* r, const sti_xml_node* node, const double outer[12], int depth) {
    double place[12], part[12], both[12];
    memcpy(place, outer, sizeof place);
    if (depth > MOST_DEPTH || r->nodes++ > MOST_NODES) return fail(r, node, "too many nodes, or a cycle of them");
    sti_status status = STI_OK;
    for (const sti_xml_node* child = node->child; status == STI_OK && child != NULL; child = child->next) {
        bool is;
        status = read_transform(r, child, part, &is);
        if (status != STI_OK || !is) continue;
        sti_mesh_compose(place, part, both);
        memcpy(place, both, sizeof place);
    }
    for (const sti_xml_node* child = node->child; status == STI_OK && child != NULL; child = child->next)
        status = strcmp(child->name, "node") == 0 ? add_node(r, child, place, depth + 1)
                                                  : add_instance(r, child, place, depth);
    return status;
}

// ---- the file

static sti_status read_unit(const reader* r, double* out) {
    const sti_xml_node* asset = sti_xml_find(r->xml.root, "asset");
    const sti_xml_node* unit = asset != NULL ? sti_xml_find(asset, "unit") : NULL;
    const char* text = unit != NULL ? sti_xml_get(unit, "meter") : NULL;
    char number[64];
    *out = 1;
    if (text == NULL) return STI_OK;
    snprintf(number, sizeof number, "%.60s", text);
    text = number;
    number[strcspn(number, ",")] = number[strcspn(number, ",")] == ',' ? '.' : '\0';  // as some languages write it
    if (next_number(&text, out) && *out > 0 && *out <= 1e30 && text[strspn(text, " \t\r\n")] == '\0') return STI_OK;
    return sti_file_fail(r->env, STI_ERR_INPUT, r->name,
                         "line %d: <unit>: meter: \"%.40s\": a number above 0 is expected", unit->line,
                         sti_xml_get(unit, "meter"));
}

static bool says_y_up(const reader* r) {
    const sti_xml_node* asset = sti_xml_find(r->xml.root, "asset");
    const sti_xml_node* up = asset != NULL ? sti_xml_find(asset, "up_axis") : NULL;
    const char* text = up != NULL && up->text != NULL ? up->text : "";
    return strncmp(text + strspn(text, " \t\r\n"), "Y_UP", 4) == 0;
}

static sti_status add_scene(reader* r) {
    double unit;
    sti_status status = read_unit(r, &unit);
    if (status != STI_OK) return status;
    r->out->y_up = says_y_up(r);
    const double place[12] = {unit, 0, 0, 0, 0, unit, 0, 0, 0, 0, unit, 0};
    const sti_xml_node* scene = sti_xml_find(r->xml.root, "scene");
    const sti_xml_node* shown = scene != NULL ? sti_xml_find(scene, "instance_visual_scene") : NULL;
    if (shown != NULL) {
        const sti_xml_node* top = find_id(r, "visual_scene", sti_xml_get(shown, "url"));
        return top != NULL ? add_node(r, top, place, 0) : fail(r, shown, "no such scene");
    }
    const sti_xml_node* library = sti_xml_find(r->xml.root, "library_geometries");
    const sti_xml_node* geometry = library != NULL ? sti_xml_find(library, "geometry") : NULL;
    for (; status == STI_OK && geometry != NULL; geometry = sti_xml_find_after(geometry, "geometry"))
        status = add_geometry(r, geometry, NULL, place);
    return status;
}

sti_status sti_mesh_read_dae(sti_env* env, const char* text, size_t size, const char* name, sti_mesh_data* out) {
    reader r = {.env = env, .name = name, .out = out};
    char* loose;
    unsigned mended;
    sti_status status = sti_xml_loosen(env, text, size, &loose, &mended);
    if (status == STI_OK)
        status = sti_xml_create_with_text(env, loose != NULL ? loose : text, loose != NULL ? strlen(loose) : size, name,
                                          &r.xml);
    sti_free(env, loose);
    if (status != STI_OK) return status;
    if (strcmp(r.xml.root->name, "COLLADA") != 0)
        status = fail(&r, r.xml.root, "<COLLADA> is expected");
    else
        status = add_scene(&r);
    sti_xml_clear(&r.xml);
    return status;
}
