// bed_record.c: the recording of a bed: what it is made of, every step in numbers, frames with positions and contacts,
// and the XDMF file that lets ParaView open the frames.
#include <math.h>
#include <stiction/recording.h>
#include <string.h>

#include "base/arena.h"
#include "formats/file.h"
#include "formats/xdmf.h"
#include "recordings/frames.h"

// One row a step.
#define DOUBLE(member) STI_STEP_COLUMN(sti_bed_report, member, DOUBLE)
#define INT(member) STI_STEP_COLUMN(sti_bed_report, member, INT)
#define LONG(member) STI_STEP_COLUMN(sti_bed_report, member, LONG)
static const sti_step_column columns[] = {
    LONG(step),       DOUBLE(time),  DOUBLE(kinetic),     DOUBLE(potential), DOUBLE(residual),       LONG(iterations),
    INT(contacts),    INT(touching), DOUBLE(penetration), DOUBLE(overlap),   DOUBLE(cone_violation), DOUBLE(balance),
    DOUBLE(momentum), DOUBLE(lift),  DOUBLE(gap),         DOUBLE(objective),
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

struct sti_bed_record {
    sti_env* env;
    sti_recording* file;
    char* path;
    int count;                                                                  // grains
    int step[COLUMNS], solved;                                                  // series
    int frame_step, frame_time, frame_x, frame_v, frame_w, frame_end;           //
    int contact_a, contact_b, contact_n, contact_gap, contact_r, contact_lift;  //
    int jam_step, jam_time, jam_pointed, jam_touching, jam_freed, jam_groups, jam_contacts;
    sti_frames frames;
    double* scratch;  // (count x 3)
};

// ---- what does not change

// Which layer of the start a grain belongs to, from below: bands as high as a mean diameter and a tenth.
static void find_layers(const sti_grains* g, int* layer) {
    double low = INFINITY, mean = 0;
    for (int k = 0; k < g->count; k++) {
        low = fmin(low, g->x[3 * (size_t)k + 2] - g->radius[k]);
        mean += g->radius[k] / g->count;
    }
    for (int k = 0; k < g->count; k++) {
        const double band = floor((g->x[3 * (size_t)k + 2] - low) / (2.2 * mean));
        layer[k] = band < 1e6 ? (int)band : 1000000;
    }
}

static sti_status put_grains(sti_bed_record* r, const sti_grains* g) {
    int* layer = sti_alloc_array(r->env, (size_t)g->count, sizeof *layer);
    if (layer == NULL) return STI_ERR_MEMORY;
    find_layers(g, layer);
    sti_status status = sti_recording_put(r->file, "grains/radius", STI_RECORD_DOUBLE, g->count, 0, g->radius);
    if (status == STI_OK) status = sti_recording_put(r->file, "grains/mass", STI_RECORD_DOUBLE, g->count, 0, g->mass);
    if (status == STI_OK) status = sti_recording_put(r->file, "grains/layer", STI_RECORD_INT, g->count, 0, layer);
    if (status == STI_OK) status = sti_recording_put(r->file, "grains/mu", STI_RECORD_DOUBLE, 1, 0, &g->mu);
    if (status == STI_OK) status = sti_recording_put(r->file, "grains/gravity", STI_RECORD_DOUBLE, 3, 0, g->gravity);
    sti_free(r->env, layer);
    return status;
}

// One table for each member of a wall.
static sti_status put_walls(sti_bed_record* r, const sti_grains* g) {
    static const struct {
        const char* name;
        int columns;  // 0: one number
        size_t offset;
    } list[] = {
        {"walls/point", 3, offsetof(sti_wall, point)},   {"walls/axis", 3, offsetof(sti_wall, axis)},
        {"walls/radius", 0, offsetof(sti_wall, radius)}, {"walls/slope", 0, offsetof(sti_wall, slope)},
        {"walls/spin", 0, offsetof(sti_wall, spin)},     {"walls/mu", 0, offsetof(sti_wall, mu)},
    };
    const size_t count = (size_t)g->wall_count;
    sti_arena memory = sti_arena_make(r->env);
    double* number = sti_arena_raw(&memory, count, 3 * sizeof *number);
    int* kind = sti_arena_raw(&memory, count, sizeof *kind);
    sti_status status = STI_OK;
    if (memory.status != STI_OK) status = STI_ERR_MEMORY;
    for (size_t k = 0; status == STI_OK && k < count; k++) kind[k] = (int)g->walls[k].kind;
    if (status == STI_OK) status = sti_recording_put(r->file, "walls/kind", STI_RECORD_INT, g->wall_count, 0, kind);
    for (size_t i = 0; status == STI_OK && i < sizeof list / sizeof list[0]; i++) {
        const size_t width = list[i].columns > 0 ? (size_t)list[i].columns : 1;
        for (size_t k = 0; k < count; k++)
            memcpy(number + width * k, (const char*)&g->walls[k] + list[i].offset, sti_size_mul(width, sizeof *number));
        status = sti_recording_put(r->file, list[i].name, STI_RECORD_DOUBLE, g->wall_count, list[i].columns, number);
    }
    sti_arena_clear(&memory);
    return status;
}

// Friction of walls that is no disc, where there is any: shape, half axes, angle and how many corners, in one row.
static sti_status put_friction(sti_bed_record* r, const sti_grains* g) {
    enum { WIDE = 5 };
    const size_t walls = (size_t)g->wall_count;
    size_t corners = 0;
    if (g->friction == NULL) return STI_OK;
    for (size_t k = 0; k < walls; k++) {
        const sti_section* s = &g->friction[k].section;
        if (s->shape == STI_SECTION_SUPPORT)
            return STI_FAIL(r->env, STI_ERR_ARGUMENT, (int64_t)k,
                            "wall %zu: a support function is no part of a recording", k);
        corners += s->shape == STI_SECTION_POLYGON ? (size_t)s->vertex_count : 0;
    }
    sti_arena memory = sti_arena_make(r->env);
    double* along = sti_arena_raw(&memory, walls, 3 * sizeof *along);
    double* section = sti_arena_take(&memory, walls, WIDE * sizeof *section);
    double* corner = sti_arena_raw(&memory, corners + 1, 2 * sizeof *corner);
    sti_status status = memory.status != STI_OK ? STI_ERR_MEMORY : STI_OK;
    size_t at = 0;
    for (size_t k = 0; status == STI_OK && k < walls; k++) {
        const sti_section* s = &g->friction[k].section;
        const bool polygon = s->shape == STI_SECTION_POLYGON, ellipse = s->shape == STI_SECTION_ELLIPSE;
        const size_t count = polygon ? 2 * (size_t)s->vertex_count : 0;
        section[WIDE * k] = (double)s->shape;
        if (ellipse) memcpy(section + WIDE * k + 1, (double[3]){s->axes[0], s->axes[1], s->angle}, 3 * sizeof *section);
        if (polygon) section[WIDE * k + 4] = s->vertex_count;
        if (count > 0) memcpy(corner + at, s->vertex, sti_size_mul(count, sizeof *corner));
        memcpy(along + 3 * k, g->friction[k].along, sizeof g->friction[k].along);
        at += count;
    }
    if (status == STI_OK)
        status = sti_recording_put(r->file, "walls/along", STI_RECORD_DOUBLE, g->wall_count, 3, along);
    if (status == STI_OK)
        status = sti_recording_put(r->file, "walls/section", STI_RECORD_DOUBLE, g->wall_count, WIDE, section);
    if (status == STI_OK && corners > 0)
        status = sti_recording_put(r->file, "walls/corner", STI_RECORD_DOUBLE, (long)corners, 2, corner);
    sti_arena_clear(&memory);
    return status;
}

// ---- series

static sti_status make_series(sti_bed_record* r) {
    const int n = r->count;
    const long rows = n < 256 ? 1024 : n < 16384 ? 4L * n : 65536;  // about the contacts of a frame
    const struct {
        sti_series_def def;
        int* series;
    } list[] = {
        {{"steps/solved", STI_RECORD_INT, 0, 0, 0}, &r->solved},
        {{"frames/step", STI_RECORD_LONG, 0, 0, 0}, &r->frame_step},
        {{"frames/time", STI_RECORD_DOUBLE, 0, 0, 0}, &r->frame_time},
        {{"frames/x", STI_RECORD_DOUBLE, n, 3, 1}, &r->frame_x},
        {{"frames/v", STI_RECORD_DOUBLE, n, 3, 1}, &r->frame_v},
        {{"frames/w", STI_RECORD_DOUBLE, n, 3, 1}, &r->frame_w},
        {{"frames/contact_end", STI_RECORD_LONG, 0, 0, 0}, &r->frame_end},
        {{"contacts/a", STI_RECORD_INT, 0, 0, rows}, &r->contact_a},
        {{"contacts/b", STI_RECORD_INT, 0, 0, rows}, &r->contact_b},
        {{"contacts/n", STI_RECORD_DOUBLE, 0, 3, rows}, &r->contact_n},
        {{"contacts/gap", STI_RECORD_DOUBLE, 0, 0, rows}, &r->contact_gap},
        {{"contacts/r", STI_RECORD_DOUBLE, 0, 3, rows}, &r->contact_r},
        {{"contacts/lift", STI_RECORD_DOUBLE, 0, 0, rows}, &r->contact_lift},
        {{"jamming/step", STI_RECORD_LONG, 0, 0, 0}, &r->jam_step},
        {{"jamming/time", STI_RECORD_DOUBLE, 0, 0, 0}, &r->jam_time},
        {{"jamming/pointed", STI_RECORD_INT, 0, 0, 0}, &r->jam_pointed},
        {{"jamming/touching", STI_RECORD_INT, 0, 0, 0}, &r->jam_touching},
        {{"jamming/freed", STI_RECORD_INT, 0, 0, 0}, &r->jam_freed},
        {{"jamming/groups", STI_RECORD_INT, 0, 0, 0}, &r->jam_groups},
        {{"jamming/group_contacts", STI_RECORD_INT, 0, 0, 0}, &r->jam_contacts},
    };
    sti_status status = sti_steps_make(r->file, columns, COLUMNS, r->step);
    for (size_t k = 0; status == STI_OK && k < sizeof list / sizeof list[0]; k++)
        status = sti_recording_series(r->file, &list[k].def, list[k].series);
    return status;
}

// ---- life

sti_status sti_bed_record_save_state(const sti_bed_record* r, void** bytes, size_t* size) {
    return sti_frames_state(r->env, &r->frames, r->file, bytes, size);
}

sti_status sti_bed_record_create(sti_env* env, const char* path, const sti_grains* grains, const char* scene,
                                 const void* state, size_t state_size, sti_bed_record** out) {
    *out = NULL;
    sti_bed_record* r = sti_alloc_array_zero(env, 1, sizeof *r);
    if (r == NULL) return STI_ERR_MEMORY;
    r->env = env;
    r->count = grains->count;
    r->path = sti_strdup(env, path);
    r->scratch = sti_alloc_array(env, (size_t)grains->count, 3 * sizeof(double));
    sti_status status = STI_OK;
    if (r->path == NULL || r->scratch == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK)
        status = state != NULL ? sti_frames_resume(env, &r->frames, path, state, state_size, &r->file)
                               : sti_recording_create(env, path, &r->file);
    if (status == STI_OK) status = sti_recording_put_text(r->file, "scene", scene);
    if (status == STI_OK) status = put_grains(r, grains);
    if (status == STI_OK) status = put_walls(r, grains);
    if (status == STI_OK) status = put_friction(r, grains);
    if (status == STI_OK) status = make_series(r);
    if (status == STI_OK && sti_recording_rows(r->file, r->frame_time) != (long)r->frames.count)
        status = sti_file_fail(env, STI_ERR_INPUT, path, "not the recording that the checkpoint was made with");
    if (status == STI_OK) status = sti_bed_record_commit(r, true);
    if (status == STI_OK)
        *out = r;
    else
        sti_bed_record_destroy(r);
    return status;
}

void sti_bed_record_destroy(sti_bed_record* r) {
    if (r == NULL) return;
    sti_recording_destroy(r->file);
    sti_free(r->env, r->path);
    sti_frames_clear(r->env, &r->frames);
    sti_free(r->env, r->scratch);
    sti_free(r->env, r);
}

long sti_bed_record_frames(const sti_bed_record* r) {
    return (long)r->frames.count;
}

// ---- steps and frames

sti_status sti_bed_record_step(sti_bed_record* r, const sti_bed_report* report) {
    const int solved = report->solved ? 1 : 0;
    sti_status status = sti_recording_append(r->file, r->solved, 1, &solved);
    return status == STI_OK ? sti_steps_append(r->file, columns, COLUMNS, r->step, report) : status;
}

typedef struct contact_rows {
    int* ends;  // a, then b      (2 count)
    double* n;  // (count x 3)
    double* r;  // (count x 3)
    double *gap, *lift;
} contact_rows;

static sti_status append_contacts(sti_bed_record* r, const sti_bed_contact* list, int count) {
    const size_t c = (size_t)count;
    contact_rows rows = {.ends = sti_alloc_array(r->env, sti_size_mul(2, c), sizeof(int)),
                         .n = sti_alloc_array(r->env, sti_size_mul(8, c), sizeof(double))};
    sti_status status = STI_OK;
    if (rows.ends == NULL || rows.n == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        rows.r = rows.n + 3 * c;
        rows.gap = rows.r + 3 * c;
        rows.lift = rows.gap + c;
        for (size_t k = 0; k < c; k++) {
            rows.ends[k] = list[k].a;
            rows.ends[c + k] = list[k].b;
            rows.gap[k] = list[k].gap;
            rows.lift[k] = list[k].lift;
            memcpy(rows.n + 3 * k, list[k].n, sizeof list[k].n);
            memcpy(rows.r + 3 * k, list[k].r, sizeof list[k].r);
        }
        status = sti_recording_append(r->file, r->contact_a, count, rows.ends);
        if (status == STI_OK) status = sti_recording_append(r->file, r->contact_b, count, rows.ends + c);
        if (status == STI_OK) status = sti_recording_append(r->file, r->contact_n, count, rows.n);
        if (status == STI_OK) status = sti_recording_append(r->file, r->contact_gap, count, rows.gap);
        if (status == STI_OK) status = sti_recording_append(r->file, r->contact_r, count, rows.r);
        if (status == STI_OK) status = sti_recording_append(r->file, r->contact_lift, count, rows.lift);
    }
    sti_free(r->env, rows.ends);
    sti_free(r->env, rows.n);
    return status;
}

static sti_status record_contacts(sti_bed_record* r, const sti_bed* bed) {
    int count = sti_bed_contact_count(bed);
    sti_status status = STI_OK;
    if (count > 0) {
        sti_bed_contact* list = sti_alloc_array_zero(r->env, (size_t)count, sizeof *list);
        if (list == NULL) return STI_ERR_MEMORY;
        sti_bed_contacts(bed, list);
        // after grains were moved by hand fewer are left than were counted; a normal is never 0
        while (count > 0 && list[count - 1].n[0] == 0 && list[count - 1].n[1] == 0 && list[count - 1].n[2] == 0)
            count--;
        status = append_contacts(r, list, count);
        sti_free(r->env, list);
    }
    const long end = sti_recording_rows(r->file, r->contact_a);
    return status == STI_OK ? sti_recording_append(r->file, r->frame_end, 1, &end) : status;
}

sti_status sti_bed_record_frame(sti_bed_record* r, const sti_bed* bed, long step) {
    if (sti_bed_count(bed) != r->count)
        return STI_FAIL(r->env, STI_ERR_ARGUMENT, -1, "%d grains, %d are recorded", sti_bed_count(bed), r->count);
    const double time = sti_bed_time(bed);
    sti_status status = sti_recording_append(r->file, r->frame_step, 1, &step);
    if (status == STI_OK) status = sti_recording_append(r->file, r->frame_time, 1, &time);
    sti_bed_get(bed, r->scratch, NULL, NULL);
    if (status == STI_OK) status = sti_recording_append(r->file, r->frame_x, 1, r->scratch);
    sti_bed_get(bed, NULL, r->scratch, NULL);
    if (status == STI_OK) status = sti_recording_append(r->file, r->frame_v, 1, r->scratch);
    sti_bed_get(bed, NULL, NULL, r->scratch);
    if (status == STI_OK) status = sti_recording_append(r->file, r->frame_w, 1, r->scratch);
    if (status == STI_OK) status = record_contacts(r, bed);
    return status == STI_OK ? sti_frames_keep(r->env, &r->frames, time) : status;
}

sti_status sti_bed_record_jamming(sti_bed_record* r, const sti_bed* bed, long step, const sti_bed_jamming* jamming) {
    const int pointed = (int)jamming->pointed;
    const double time = sti_bed_time(bed);
    const struct {
        int series;
        const void* value;
    } row[] = {{r->jam_step, &step},
               {r->jam_time, &time},
               {r->jam_pointed, &pointed},
               {r->jam_touching, &jamming->touching},
               {r->jam_freed, &jamming->freed},
               {r->jam_groups, &jamming->groups},
               {r->jam_contacts, &jamming->group_contacts}};
    sti_status status = STI_OK;
    for (size_t k = 0; status == STI_OK && k < sizeof row / sizeof row[0]; k++)
        status = sti_recording_append(r->file, row[k].series, 1, row[k].value);
    return status;
}

// ---- XDMF: one grid of points for each frame

static void put_vectors(sti_xdmf* x, const sti_bed_record* r, const char* name, const char* series, size_t frame) {
    sti_xdmf_put(x, "<Attribute Name=\"%s\" AttributeType=\"Vector\" Center=\"Node\">", name);
    sti_xdmf_slab(x, series, frame, r->frames.count, r->count, 3);
    sti_xdmf_put(x, "</Attribute>\n");
}

static void put_numbers(sti_xdmf* x, const sti_bed_record* r, const char* name, const char* type, int bytes) {
    sti_xdmf_put(x,
                 "<Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"Node\"><DataItem Dimensions=\"%d\" "
                 "NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">%s:/grains/%s</DataItem></Attribute>\n",
                 name, r->count, type, bytes, x->file, name);
}

static sti_status write_xdmf(const sti_bed_record* r) {
    sti_xdmf x;
    sti_xdmf_begin(r->env, r->path, "bed", &x);
    for (size_t k = 0; k < r->frames.count; k++) {
        sti_xdmf_put(&x,
                     "<Grid Name=\"%zu\"><Time Value=\"%.17g\"/><Topology TopologyType=\"Polyvertex\" "
                     "NumberOfElements=\"%d\"/>\n<Geometry GeometryType=\"XYZ\">",
                     k, r->frames.time[k], r->count);
        sti_xdmf_slab(&x, "frames/x", k, r->frames.count, r->count, 3);
        sti_xdmf_put(&x, "</Geometry>\n");
        put_vectors(&x, r, "velocity", "frames/v", k);
        put_vectors(&x, r, "angular velocity", "frames/w", k);
        put_numbers(&x, r, "radius", "Float", 8);
        put_numbers(&x, r, "layer", "Int", 4);
        sti_xdmf_put(&x, "</Grid>\n");
    }
    return sti_xdmf_end(&x);
}

sti_status sti_bed_record_commit(sti_bed_record* r, bool sync) {
    const sti_status status = sti_recording_commit(r->file, sync);
    return status == STI_OK ? write_xdmf(r) : status;
}
