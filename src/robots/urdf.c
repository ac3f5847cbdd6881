// urdf.c: robots from URDF files: the way from text to bodies.
#include "robots/urdf.h"

#include <math.h>
#include <string.h>

#include "formats/file.h"

enum { MOST_BYTES = 1 << 26 };

sti_urdf_setting sti_urdf_setting_default(const char* joint) {
    const double none = (double)NAN;
    return (sti_urdf_setting){joint, none, none, none, none, none, none, none};
}

sti_urdf_options sti_urdf_options_default(void) {
    return (sti_urdf_options){.place = sti_pose_identity(), .fixed = true, .hull_points = 2000, .hull_error = 1e-3};
}

const char* sti_urdf_pose_text(sti_urdf_pose pose) {
    switch (pose) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_URDF_POSE_LIST(STI_X)
#undef STI_X
        default:
            return "?";
    }
}

bool sti_urdf_pose_parse(const char* name, sti_urdf_pose* out) {
    for (int k = 0; k < STI_URDF_POSE_COUNT; k++) {
        if (strcmp(sti_urdf_pose_text((sti_urdf_pose)k), name) != 0) continue;
        *out = (sti_urdf_pose)k;
        return true;
    }
    return false;
}

const char* sti_urdf_show_text(sti_urdf_show show) {
    switch (show) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_URDF_SHOW_LIST(STI_X)
#undef STI_X
        default:
            return "?";
    }
}

bool sti_urdf_show_parse(const char* name, sti_urdf_show* out) {
    for (int k = 0; k < STI_URDF_SHOW_COUNT; k++) {
        if (strcmp(sti_urdf_show_text((sti_urdf_show)k), name) != 0) continue;
        *out = (sti_urdf_show)k;
        return true;
    }
    return false;
}

static sti_status check_options(sti_env* env, const sti_urdf_options* o, const sti_bodies* bodies) {
    if (sti_bodies_dim(bodies) != 3)
        return STI_FAIL(env, STI_ERR_ARGUMENT, sti_bodies_dim(bodies),
                        "a robot needs bodies in space, not in the plane");
    if (o->sides != 0 && (o->sides < 3 || o->sides > 256))
        return STI_FAIL(env, STI_ERR_INPUT, o->sides, "sides: %d: 3 to 256 are expected, or 0", o->sides);
    if ((int)o->pose < 0 || o->pose >= STI_URDF_POSE_COUNT)
        return STI_FAIL(env, STI_ERR_INPUT, (int)o->pose, "pose: %d: there are %d", (int)o->pose,
                        (int)STI_URDF_POSE_COUNT);
    if ((int)o->show < 0 || o->show >= STI_URDF_SHOW_COUNT)
        return STI_FAIL(env, STI_ERR_INPUT, (int)o->show, "show: %d: there are %d", (int)o->show,
                        (int)STI_URDF_SHOW_COUNT);
    if (!(o->hull_error >= 0 && o->hull_error <= 1))
        return STI_FAIL(env, STI_ERR_INPUT, -1, "hull_error: %g: 0 to 1 is expected", o->hull_error);
    if (!(o->decompose >= 0 && o->decompose <= 1))
        return STI_FAIL(env, STI_ERR_INPUT, -1, "decompose: %g: 0 to 1 is expected", o->decompose);
    if (o->hull_points < 4)
        return STI_FAIL(env, STI_ERR_INPUT, o->hull_points, "hull_points: %d: 4 at least are expected", o->hull_points);
    if (o->material < 0 || o->material >= sti_bodies_material_count(bodies))
        return STI_FAIL(env, STI_ERR_INPUT, o->material, "material: %d: there are %d", o->material,
                        sti_bodies_material_count(bodies));
    const double *x = o->place.x, *q = o->place.q;
    const double sum = fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
    const double turn = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(sum <= 1e30) || !(turn > 1e-30 && turn <= 1e30))
        return STI_FAIL(env, STI_ERR_INPUT, -1, "place: (%g, %g, %g), (%g, %g, %g, %g): no place and turn", x[0], x[1],
                        x[2], q[0], q[1], q[2], q[3]);
    return STI_OK;
}

static sti_status work(sti_urdf_model* m, const char* text, size_t size, sti_bodies* bodies) {
    sti_status status = check_options(m->env, m->options, bodies);
    char* clean = NULL;
    if (status == STI_OK) status = sti_urdf_clean(m, text, size, &clean);
    if (clean != NULL) size = strlen(clean);
    if (status == STI_OK) status = sti_xml_create(m->env, clean != NULL ? clean : text, size, m->file, &m->xml);
    sti_free(m->env, clean);
    if (status == STI_OK) status = sti_urdf_substitute(m);
    if (status == STI_OK) status = sti_urdf_read(m);
    m->report->link_count = m->link_count;
    if (status == STI_OK) status = sti_urdf_tree(m);
    if (status == STI_OK) status = sti_urdf_place(m);
    if (status == STI_OK) status = sti_urdf_build(m, bodies);
    return status;
}

static void clear(sti_urdf_model* m) {
    for (int k = 0; k < m->piece_count; k++) sti_shape_destroy(m->piece[k].shape);
    sti_free(m->env, m->piece);
    sti_free(m->env, m->link);
    sti_free(m->env, m->joint);
    sti_free(m->env, m->geometry);
    sti_free(m->env, m->link_name);
    sti_free(m->env, m->joint_name);
    sti_free(m->env, m->order);
    if (m->xml.env != NULL) sti_xml_clear(&m->xml);
}

sti_status sti_urdf_parse(sti_env* env, const char* text, size_t size, const char* name,
                          const sti_urdf_options* options, sti_bodies* bodies, sti_urdf_report* report) {
    const sti_urdf_options usual = sti_urdf_options_default();
    sti_urdf_model model = {.env = env, .file = name, .options = options != NULL ? options : &usual, .report = report};
    *report = (sti_urdf_report){.file = sti_strdup(env, name)};
    if (report->file == NULL) return STI_ERR_MEMORY;
    const sti_status status = work(&model, text, size, bodies);
    sti_urdf_report_sort(report);
    clear(&model);
    return status;
}

sti_status sti_urdf_add(sti_env* env, const char* path, const sti_urdf_options* options, sti_bodies* bodies,
                        sti_urdf_report* report) {
    char* text;
    size_t size;
    *report = (sti_urdf_report){0};
    sti_status status = sti_file_read(env, path, MOST_BYTES, &text, &size);
    if (status == STI_OK) status = sti_urdf_parse(env, text, size, path, options, bodies, report);
    sti_free(env, text);
    return status;
}
