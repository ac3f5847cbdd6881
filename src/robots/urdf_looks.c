// urdf_looks.c: URDF: what can be seen of links, for pictures.
//
//     collision   shapes are shown as they collide; a link without any is shown by its <visual>
//     visual      every link is shown by its <visual>; one without, or whose meshes cannot be read, by its shapes
//
// Looks touch nothing, so a mesh that is missing or broken is no error here: it is remarked, and the link is shown by
// what else it has. A body of neither is shown as the box that has its mass and moments of inertia, a^2 = 6 (I_y + I_z
// - I_x) / m, no larger than the joints on it lie apart: files have made-up moments.
//
// Colours: the <material> of the <visual>, or the one of that name elsewhere in the file; else those of the mesh's own
// materials.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/file.h"
#include "formats/mesh_file.h"
#include "linalg/lapack.h"
#include "robots/urdf.h"

enum { MOST_COLORS = 64 };  // of one mesh
#define SMALLEST 0.02       // the least that a body without a surface may be cut to

// ---- surfaces

// Takes the surface over.
static sti_status add_look(sti_urdf_model* m, int link, sti_surface* surface, int color) {
    sti_urdf_report* report = m->report;
    if (report->look_count == report->look_capacity) {
        const int room = report->look_capacity < 16 ? 16 : sti_count_mul(2, report->look_capacity);
        sti_look* longer = sti_realloc_array(m->env, report->looks, (size_t)room, sizeof *longer);
        if (longer == NULL) {
            sti_surface_clear(m->env, surface);
            return STI_ERR_MEMORY;
        }
        report->looks = longer;
        report->look_capacity = room;
    }
    report->looks[report->look_count++] =
        (sti_look){.body = m->link[link].body,
                   .surface = *surface,
                   .instead = m->options->show == STI_URDF_SHOW_VISUAL,
                   .has_color = color != 0,
                   .rgb = {(unsigned char)(color >> 16), (unsigned char)(color >> 8), (unsigned char)color}};
    return STI_OK;
}

static sti_status reserve(sti_env* env, int vertices, int triangles, sti_surface* out) {
    const size_t faces = (size_t)triangles;
    *out = (sti_surface){.vertices = sti_alloc_array(env, (size_t)vertices, 3 * sizeof(double)),
                         .face_start = sti_alloc_array(env, sti_size_add(faces, 1), sizeof(int)),
                         .corners = sti_alloc_array(env, faces, 3 * sizeof(int)),
                         .face_count = triangles};
    if (out->vertices != NULL && out->face_start != NULL && out->corners != NULL) return STI_OK;
    sti_surface_clear(env, out);
    return STI_ERR_MEMORY;
}

static sti_pose place_of(const sti_urdf_model* m, const sti_urdf_geometry* g) {
    return sti_pose_compose(&m->link[g->link].in_body, &g->origin);
}

static sti_status add_shape(sti_urdf_model* m, const sti_urdf_geometry* g, const sti_shape* shape, int color) {
    const sti_pose place = place_of(m, g);
    sti_surface s;
    const sti_status status = sti_surface_make(m->env, shape, 1, &s);
    if (status != STI_OK) return status;
    for (size_t k = 0; k < (size_t)s.vertex_count; k++) {
        double p[3];
        sti_pose_apply(&place, s.vertices + 3 * k, p);
        memcpy(s.vertices + 3 * k, p, sizeof p);
    }
    return add_look(m, g->link, &s, color);
}

// ---- meshes

// The triangles of one colour. number (vertex_count): of a vertex in the surface, -1 before and after.
static sti_status add_triangles(sti_urdf_model* m, const sti_urdf_geometry* g, const sti_mesh_data* mesh, int own,
                                int color, int* number) {
    const sti_pose place = place_of(m, g);
    int triangles = 0, vertices = 0;
    for (int t = 0; t < mesh->triangle_count; t++) triangles += mesh->color[t] == own;
    for (size_t k = 0; k < sti_size_mul(3, (size_t)mesh->triangle_count); k++) {
        int* to = &number[mesh->triangles[k]];
        if (mesh->color[k / 3] == own && *to < 0) *to = vertices++;
    }
    sti_surface s;
    const sti_status status = reserve(m->env, vertices, triangles, &s);
    if (status != STI_OK) return status;
    s.vertex_count = vertices;
    int at = 0, face = 0;
    for (size_t k = 0; k < sti_size_mul(3, (size_t)mesh->triangle_count); k++) {
        if (mesh->color[k / 3] != own) continue;
        if (k % 3 == 0) s.face_start[face++] = at;
        s.corners[at++] = number[mesh->triangles[k]];
    }
    s.face_start[face] = at;
    for (size_t v = 0; v < (size_t)mesh->vertex_count; v++) {
        if (number[v] >= 0) sti_pose_apply(&place, mesh->vertices + 3 * v, s.vertices + 3 * (size_t)number[v]);
        number[v] = -1;
    }
    return add_look(m, g->link, &s, color);
}

// color: of the <visual>; 0: each of the mesh's own by itself.
static sti_status add_colors(sti_urdf_model* m, const sti_urdf_geometry* g, sti_mesh_data* mesh, int color) {
    int list[MOST_COLORS], count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        int k = 0;
        if (color != 0) mesh->color[t] = 0;
        while (k < count && list[k] != mesh->color[t]) k++;
        if (k < count) continue;
        if (count < MOST_COLORS)
            list[count++] = mesh->color[t];
        else
            mesh->color[t] = list[MOST_COLORS - 1];
    }
    int* number = sti_alloc_array(m->env, (size_t)mesh->vertex_count, sizeof *number);
    if (number == NULL) return STI_ERR_MEMORY;
    for (int v = 0; v < mesh->vertex_count; v++) number[v] = -1;
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < count; k++)
        status = add_triangles(m, g, mesh, list[k], color != 0 ? color : list[k], number);
    sti_free(m->env, number);
    return status;
}

static sti_status add_mesh(sti_urdf_model* m, const sti_urdf_geometry* g, int color) {
    sti_mesh_data mesh;
    sti_status status = sti_urdf_read_mesh(m, g, &mesh);
    if (status == STI_OK) status = add_colors(m, g, &mesh, color);
    sti_mesh_data_clear(m->env, &mesh);
    return status;
}

// ---- colours

static int read_color(const sti_xml_node* material) {
    const sti_xml_node* node = material != NULL ? sti_xml_find(material, "color") : NULL;
    const char* text = node != NULL ? sti_xml_get(node, "rgba") : NULL;
    double x[3];
    for (int k = 0; k < 3; k++) {
        const char* end;
        if (text == NULL) return 0;
        text += strspn(text, ", \t\r\n");
        x[k] = sti_text_double(text, &end);
        if (end == text) return 0;
        text = end;
    }
    return sti_mesh_rgb(x[0], x[1], x[2]);
}

// A material of that name with a colour, below the robot or below any <visual>.
static int find_color(const sti_urdf_model* m, const char* name) {
    for (const sti_xml_node* node = m->xml.made; node != NULL; node = node->made) {
        const char* own = strcmp(node->name, "material") == 0 ? sti_xml_get(node, "name") : NULL;
        const int color = own != NULL && strcmp(own, name) == 0 ? read_color(node) : 0;
        if (color != 0) return color;
    }
    return 0;
}

static int color_of(const sti_urdf_model* m, const sti_xml_node* visual) {
    const sti_xml_node* material = sti_xml_find(visual, "material");
    const int color = read_color(material);
    const char* name = material != NULL ? sti_xml_get(material, "name") : NULL;
    return color != 0 || name == NULL || *name == '\0' ? color : find_color(m, name);
}

// ---- links

static sti_status add_geometry(sti_urdf_model* m, const sti_urdf_geometry* g, int color) {
    if (g->form == STI_URDF_MESH) return add_mesh(m, g, color);
    sti_shape* shape;
    sti_status status = sti_urdf_plain_shape(m, g, &shape);
    if (status == STI_OK) status = add_shape(m, g, shape, color);
    sti_shape_destroy(shape);
    return status;
}

static sti_status add_visuals(sti_urdf_model* m, int link) {
    const sti_xml_node* visual = sti_xml_find(m->link[link].node, "visual");
    sti_status status = STI_OK;
    for (; status == STI_OK && visual != NULL; visual = sti_xml_find_after(visual, "visual")) {
        sti_urdf_geometry g = {0};
        bool is;
        status = sti_urdf_read_geometry(m, visual, link, &g, &is);
        if (status == STI_OK && is) status = add_geometry(m, &g, color_of(m, visual));
        if (status != STI_ERR_INPUT && status != STI_ERR_SIZE) continue;
        char text[300];
        const char* said = m->env->error.text;
        const size_t file = strlen(m->file);
        snprintf(text, sizeof text, "%.290s",
                 strncmp(said, m->file, file) == 0 ? said + file + strspn(said + file, ": ") : said);
        status = sti_urdf_remark_add(m, STI_URDF_IGNORED, visual, NULL, "cannot be shown: %.280s", text);
    }
    return status;
}

static sti_status add_pieces(sti_urdf_model* m, int link) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < m->piece_count; k++) {
        const sti_urdf_geometry* g = &m->geometry[m->piece[k].geometry];
        if (g->link == link) status = add_shape(m, g, m->piece[k].shape, 0);
    }
    return status;
}

// ---- bodies without any surface

// Half of the farthest that joints on the body, or its centre, lie from its frame.
static double reach_of(const sti_urdf_model* m, int link, const sti_urdf_sum* sum) {
    const double* c = sum->centre;
    double most = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    for (int k = 0; k < m->joint_count; k++) {
        const sti_urdf_link* parent = &m->link[m->joint[k].parent];
        if (parent->body_link != link) continue;
        const sti_pose at = sti_pose_compose(&parent->in_body, &m->joint[k].origin);
        most = fmax(most, sqrt(at.x[0] * at.x[0] + at.x[1] * at.x[1] + at.x[2] * at.x[2]));
    }
    return fmax(most, SMALLEST) / 2;
}

static sti_status add_inertia(sti_urdf_model* m, int link, const sti_urdf_sum* sum) {
    double axes[9], moment[3], work[16], half[3];
    memcpy(axes, sum->inertia, sizeof axes);
    if (!(sum->mass > 0)) return STI_OK;
    sti_status status = sti_lapack_reserve(m->env);
    if (status != STI_OK) return status;
    if (sti_lapack_symmetric_eigen(true, 3, axes, moment, work, 16) != STI_LAPACK_DONE) return STI_OK;
    const double trace = moment[0] + moment[1] + moment[2], reach = reach_of(m, link, sum);
    for (int k = 0; k < 3; k++) {
        half[k] = sqrt(fmax(0, 1.5 * (trace - 2 * moment[k]) / sum->mass));
        half[k] = fmin(fmax(half[k], 0.05 * reach), reach);
    }
    sti_shape* box;
    sti_surface s;
    status = sti_shape_create_box(m->env, 3, half, &box);
    if (status != STI_OK) return status == STI_ERR_MEMORY ? status : STI_OK;
    status = sti_surface_make(m->env, box, 1, &s);
    sti_shape_destroy(box);
    if (status != STI_OK) return status;
    // axes are columns, and a left-handed set of them mirrors a box into itself
    for (size_t v = 0; v < (size_t)s.vertex_count; v++) {
        const double* p = s.vertices + 3 * v;
        double q[3];
        for (int i = 0; i < 3; i++) q[i] = sum->centre[i] + axes[i] * p[0] + axes[3 + i] * p[1] + axes[6 + i] * p[2];
        memcpy(s.vertices + 3 * v, q, sizeof q);
    }
    return add_look(m, link, &s, 0);
}

// ---- all

static sti_status add_link(sti_urdf_model* m, int link) {
    const int before = m->report->look_count;
    const bool touchable = m->link[link].touchable, visual = m->options->show == STI_URDF_SHOW_VISUAL;
    sti_status status = visual || !touchable ? add_visuals(m, link) : STI_OK;
    if (status == STI_OK && visual && m->report->look_count == before) status = add_pieces(m, link);
    return status;
}

sti_status sti_urdf_looks(sti_urdf_model* m, const sti_urdf_sum* sums) {
    sti_status status = STI_OK;
    if (m->options->show == STI_URDF_SHOW_NOTHING) return STI_OK;
    bool* seen = sti_alloc_array_zero(m->env, (size_t)m->link_count, sizeof *seen);
    if (seen == NULL) return STI_ERR_MEMORY;
    for (int k = 0; status == STI_OK && k < m->link_count; k++) {
        const int before = m->report->look_count;
        if (m->link[k].left_out || m->link[k].body < 0) continue;
        status = add_link(m, k);
        seen[m->link[k].body_link] |= m->report->look_count > before || m->link[k].touchable;
    }
    for (int k = 0; status == STI_OK && k < m->link_count; k++) {
        const bool names = m->link[k].body_link == k && m->link[k].body >= 0;
        if (names && !seen[k] && !(k == m->root && m->fixed)) status = add_inertia(m, k, &sums[k]);
    }
    sti_free(m->env, seen);
    return status;
}
