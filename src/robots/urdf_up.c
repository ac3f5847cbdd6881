// urdf_up.c: URDF: COLLADA files that say Y_UP.
//
// Some engines take such a file as it stands, others turn it so that z is up: (x, y, z) becomes (x, -z, y). There are
// descriptions of both kinds, and nothing in them says which. Centres of mass do: a part lies about its own. So each
// mesh of a link that has one is looked at either way: how far the middle of its box lies from that centre, in sizes of
// the box. All are turned, which is remarked, where that is less than half as far in the sum over those that tell.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "robots/urdf.h"

enum { FEW = 3 };    // meshes that tell, at least
#define TELLING 0.1  // sizes of the box: a mesh that is no farther off one way than the other tells nothing

// Can the mesh tell? One with a name that has to be mended is left to those who remark that.
static bool is_witness(const sti_urdf_model* m, const sti_urdf_geometry* g) {
    if (g->form != STI_URDF_MESH || strpbrk(g->file, "\\%") != NULL) return false;
    const sti_urdf_link* link = &m->link[g->link];
    const char* end = strrchr(g->file, '.');
    const bool has_centre = link->centre[0] != 0 || link->centre[1] != 0 || link->centre[2] != 0;
    return end != NULL && strcasecmp(end, ".dae") == 0 && link->mass > 0 && has_centre;
}

// From the middle of its box to the centre of mass, in sizes of the box.
static double distance(const sti_urdf_model* m, const sti_urdf_geometry* g, const sti_mesh_data* mesh) {
    const double* centre = m->link[g->link].centre;
    double low[3], high[3], middle[3], at[3], size = 0, sum = 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        const size_t k = i % 3;
        low[k] = i < 3 ? mesh->vertices[i] : fmin(low[k], mesh->vertices[i]);
        high[k] = i < 3 ? mesh->vertices[i] : fmax(high[k], mesh->vertices[i]);
    }
    for (int k = 0; k < 3; k++) {
        middle[k] = (low[k] + high[k]) / 2;
        size = fmax(size, high[k] - low[k]);
    }
    sti_pose_apply(&g->origin, middle, at);
    for (int k = 0; k < 3; k++) sum += (at[k] - centre[k]) * (at[k] - centre[k]);
    return size > 0 ? sqrt(sum) / size : 0;
}

sti_status sti_urdf_find_up(sti_urdf_model* m) {
    double given = 0, turned = 0;
    int count = 0, first = -1;
    if (m->options->strict) return STI_OK;
    for (int k = 0; k < m->geometry_count; k++) {
        const sti_urdf_geometry* g = &m->geometry[k];
        sti_mesh_data mesh;
        if (!is_witness(m, g)) continue;
        const sti_status status = sti_urdf_read_mesh(m, g, &mesh);
        if (status == STI_ERR_MEMORY || status == STI_ERR_TIME) return status;
        if (status == STI_OK && mesh.y_up) {  // what is wrong with one is said when it is made a shape
            const double as_given = distance(m, g, &mesh);
            sti_mesh_turn_up(&mesh, g->size);
            const double as_turned = distance(m, g, &mesh);
            if (fabs(as_given - as_turned) > TELLING) {
                given += as_given;
                turned += as_turned;
                first = count++ == 0 ? k : first;
            }
        }
        sti_mesh_data_clear(m->env, &mesh);
    }
    m->turn_up = count >= FEW && turned < given / 2;
    if (!m->turn_up) return STI_OK;
    return sti_urdf_remark_add(m, STI_URDF_ASSUMED, m->geometry[first].node, NULL,
                               "meshes say Y_UP and are turned, y to z: %d of them lie %.2g of their size from their "
                               "centres of mass then, %.2g as they stand",
                               count, turned / count, given / count);
}
