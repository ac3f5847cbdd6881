// bed_record.c: the recording of a bed: what it is made of, every step in numbers, frames with positions and contacts,
// and the XDMF file that lets ParaView open the frames.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stiction/run.h>
#include <string.h>

#include "io/file.h"

// One row a step: where each number stands in the report.
typedef struct column {
    const char* name;
    sti_record_type type;
    size_t offset;
} column;

#define DOUBLE(member) \
    { "steps/" #member, STI_RECORD_DOUBLE, offsetof(sti_bed_report, member) }
#define INT(member) \
    { "steps/" #member, STI_RECORD_INT, offsetof(sti_bed_report, member) }
#define LONG(member) \
    { "steps/" #member, STI_RECORD_LONG, offsetof(sti_bed_report, member) }
static const column columns[] = {
    LONG(step),       DOUBLE(time),  DOUBLE(kinetic), DOUBLE(potential),   DOUBLE(residual),
    LONG(iterations), INT(contacts), INT(touching),   DOUBLE(penetration), DOUBLE(cone_violation),
    DOUBLE(balance),  DOUBLE(lift),  DOUBLE(gap),     DOUBLE(objective),
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };
_Static_assert(sizeof(long) == 8, "step counts are stored as 64-bit integers");

struct sti_bed_record {
    sti_env* env;
    sti_recording* file;
    char* path;
    int count;                                                         // grains
    int step[COLUMNS], solved;                                         // series
    int frame_step, frame_time, frame_x, frame_v, frame_w, frame_end;  //
    int contact_a, contact_b, contact_n, contact_gap, contact_r;       //
    double* times;                                                     // of the frames     (frames)
    size_t frames, frame_room;
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
    if (layer == NULL) return STI_FAIL(r->env, STI_ERR_MEMORY, -1, "layers of %d grains", g->count);
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
    double* number = sti_alloc_array(r->env, count, 3 * sizeof *number);
    int* kind = sti_alloc_array(r->env, count, sizeof *kind);
    sti_status status = STI_OK;
    if (number == NULL || kind == NULL) status = STI_FAIL(r->env, STI_ERR_MEMORY, -1, "%d walls", g->wall_count);
    for (size_t k = 0; status == STI_OK && k < count; k++) kind[k] = (int)g->walls[k].kind;
    if (status == STI_OK) status = sti_recording_put(r->file, "walls/kind", STI_RECORD_INT, g->wall_count, 0, kind);
    for (size_t i = 0; status == STI_OK && i < sizeof list / sizeof list[0]; i++) {
        const size_t width = list[i].columns > 0 ? (size_t)list[i].columns : 1;
        for (size_t k = 0; k < count; k++)
            memcpy(number + width * k, (const char*)&g->walls[k] + list[i].offset, width * sizeof *number);
        status = sti_recording_put(r->file, list[i].name, STI_RECORD_DOUBLE, g->wall_count, list[i].columns, number);
    }
    sti_free(r->env, number);
    sti_free(r->env, kind);
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
    };
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < COLUMNS; k++) {
        const sti_series_def def = {.name = columns[k].name, .type = columns[k].type};
        status = sti_recording_series(r->file, &def, &r->step[k]);
    }
    for (size_t k = 0; status == STI_OK && k < sizeof list / sizeof list[0]; k++)
        status = sti_recording_series(r->file, &list[k].def, list[k].series);
    return status;
}

static sti_status keep_time(sti_bed_record* r, double time) {
    if (r->frames == r->frame_room) {
        const size_t room = 2 * r->frame_room + 64;
        double* times = sti_realloc(r->env, r->times, room * sizeof *times);
        if (times == NULL) return STI_FAIL(r->env, STI_ERR_MEMORY, -1, "times of %zu frames", room);
        r->times = times;
        r->frame_room = room;
    }
    r->times[r->frames++] = time;
    return STI_OK;
}

// ---- life. The state: number of frames, their times, then the state of the recording.

static sti_status take_state(sti_bed_record* r, const void* state, size_t size) {
    uint64_t frames = 0;
    if (size >= sizeof frames) memcpy(&frames, state, sizeof frames);
    if (size < sizeof frames || frames > (size - sizeof frames) / sizeof(double))
        return STI_FAIL(r->env, STI_ERR_INPUT, -1, "state of a recorded bed: too short");
    sti_status status = STI_OK;
    for (uint64_t k = 0; status == STI_OK && k < frames; k++) {
        double time;
        memcpy(&time, (const char*)state + sizeof frames + k * sizeof time, sizeof time);
        status = keep_time(r, time);
    }
    const size_t used = sizeof frames + (size_t)frames * sizeof(double);
    if (status == STI_OK)
        status = sti_recording_resume(r->env, r->path, (const char*)state + used, size - used, &r->file);
    return status;
}

sti_status sti_bed_record_state(const sti_bed_record* r, void** bytes, size_t* size) {
    void* inner;
    size_t inner_size;
    *bytes = NULL;
    *size = 0;
    sti_status status = sti_recording_state(r->file, &inner, &inner_size);
    if (status != STI_OK) return status;
    const uint64_t frames = r->frames;
    const size_t used = sizeof frames + r->frames * sizeof(double);
    char* memory = sti_alloc(r->env, used + inner_size);
    if (memory == NULL) {
        status = STI_FAIL(r->env, STI_ERR_MEMORY, -1, "state of a recorded bed");
    } else {
        memcpy(memory, &frames, sizeof frames);
        if (frames > 0) memcpy(memory + sizeof frames, r->times, r->frames * sizeof(double));
        memcpy(memory + used, inner, inner_size);
        *bytes = memory;
        *size = used + inner_size;
    }
    sti_free(r->env, inner);
    return status;
}

sti_status sti_bed_record_create(sti_env* env, const char* path, const sti_grains* grains, const char* scene,
                                 const void* state, size_t state_size, sti_bed_record** out) {
    *out = NULL;
    sti_bed_record* r = sti_alloc_array_zero(env, 1, sizeof *r);
    if (r == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "a recorded bed");
    r->env = env;
    r->count = grains->count;
    r->path = sti_strdup(env, path);
    r->scratch = sti_alloc_array(env, (size_t)grains->count, 3 * sizeof(double));
    sti_status status = STI_OK;
    if (r->path == NULL || r->scratch == NULL) status = STI_FAIL(env, STI_ERR_MEMORY, -1, "a recorded bed");
    if (status == STI_OK)
        status = state != NULL ? take_state(r, state, state_size) : sti_recording_create(env, path, &r->file);
    if (status == STI_OK) status = sti_recording_put_text(r->file, "scene", scene);
    if (status == STI_OK) status = put_grains(r, grains);
    if (status == STI_OK) status = put_walls(r, grains);
    if (status == STI_OK) status = make_series(r);
    if (status == STI_OK && sti_recording_rows(r->file, r->frame_time) != (long)r->frames)
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
    sti_recording_close(r->file);
    sti_free(r->env, r->path);
    sti_free(r->env, r->times);
    sti_free(r->env, r->scratch);
    sti_free(r->env, r);
}

long sti_bed_record_frames(const sti_bed_record* r) {
    return (long)r->frames;
}

// ---- steps and frames

sti_status sti_bed_record_step(sti_bed_record* r, const sti_bed_report* report) {
    const int solved = report->solved ? 1 : 0;
    sti_status status = sti_recording_append(r->file, r->solved, 1, &solved);
    for (int k = 0; status == STI_OK && k < COLUMNS; k++)
        status = sti_recording_append(r->file, r->step[k], 1, (const char*)report + columns[k].offset);
    return status;
}

typedef struct contact_rows {
    int* ends;  // a, then b      (2 count)
    double* n;  // (count x 3)
    double* r;  // (count x 3)
    double* gap;
} contact_rows;

static sti_status append_contacts(sti_bed_record* r, const sti_bed_contact* list, int count) {
    const size_t c = (size_t)count;
    contact_rows rows = {.ends = sti_alloc_array(r->env, 2 * c, sizeof(int)),
                         .n = sti_alloc_array(r->env, 7 * c, sizeof(double))};
    sti_status status = STI_OK;
    if (rows.ends == NULL || rows.n == NULL) {
        status = STI_FAIL(r->env, STI_ERR_MEMORY, -1, "rows of %d contacts", count);
    } else {
        rows.r = rows.n + 3 * c;
        rows.gap = rows.r + 3 * c;
        for (size_t k = 0; k < c; k++) {
            rows.ends[k] = list[k].a;
            rows.ends[c + k] = list[k].b;
            rows.gap[k] = list[k].gap;
            memcpy(rows.n + 3 * k, list[k].n, sizeof list[k].n);
            memcpy(rows.r + 3 * k, list[k].r, sizeof list[k].r);
        }
        status = sti_recording_append(r->file, r->contact_a, count, rows.ends);
        if (status == STI_OK) status = sti_recording_append(r->file, r->contact_b, count, rows.ends + c);
        if (status == STI_OK) status = sti_recording_append(r->file, r->contact_n, count, rows.n);
        if (status == STI_OK) status = sti_recording_append(r->file, r->contact_gap, count, rows.gap);
        if (status == STI_OK) status = sti_recording_append(r->file, r->contact_r, count, rows.r);
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
        if (list == NULL) return STI_FAIL(r->env, STI_ERR_MEMORY, -1, "%d contacts", count);
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
    return status == STI_OK ? keep_time(r, time) : status;
}

// ---- XDMF: one grid of points for each frame

typedef struct writing {
    char* text;
    size_t size, room;
} writing;

static void __attribute__((format(printf, 2, 3))) put(writing* w, const char* format, ...) {
    va_list args;
    va_start(args, format);
    const int size = vsnprintf(w->text + w->size, w->room - w->size, format, args);
    va_end(args);
    if (size > 0 && (size_t)size < w->room - w->size) w->size += (size_t)size;
}

static void put_slab(writing* w, const sti_bed_record* r, const char* file, const char* name, size_t frame) {
    put(w,
        "<DataItem ItemType=\"HyperSlab\" Dimensions=\"1 %d 3\"><DataItem Dimensions=\"3 3\" Format=\"XML\">%zu 0 0 1 "
        "1 1 1 "
        "%d 3</DataItem><DataItem Dimensions=\"%zu %d 3\" NumberType=\"Float\" Precision=\"8\" "
        "Format=\"HDF\">%s:/frames/%s</DataItem></DataItem>",
        r->count, frame, r->count, r->frames, r->count, file, name);
}

static void put_frame(writing* w, const sti_bed_record* r, const char* file, size_t frame) {
    put(w,
        "<Grid Name=\"%zu\"><Time Value=\"%.17g\"/><Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%d\"/>\n",
        frame, r->times[frame], r->count);
    put(w, "<Geometry GeometryType=\"XYZ\">");
    put_slab(w, r, file, "x", frame);
    put(w, "</Geometry>\n<Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Node\">");
    put_slab(w, r, file, "v", frame);
    put(w, "</Attribute>\n<Attribute Name=\"angular velocity\" AttributeType=\"Vector\" Center=\"Node\">");
    put_slab(w, r, file, "w", frame);
    put(w,
        "</Attribute>\n<Attribute Name=\"radius\" AttributeType=\"Scalar\" Center=\"Node\"><DataItem Dimensions=\"%d\" "
        "NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">%s:/grains/radius</DataItem></Attribute>\n",
        r->count, file);
    put(w,
        "<Attribute Name=\"layer\" AttributeType=\"Scalar\" Center=\"Node\"><DataItem Dimensions=\"%d\" "
        "NumberType=\"Int\" "
        "Precision=\"4\" Format=\"HDF\">%s:/grains/layer</DataItem></Attribute></Grid>\n",
        r->count, file);
}

// The name as text of an XML file, for sti_free; NULL: memory ran out.
static char* escape(sti_env* env, const char* name) {
    static const struct {
        char sign;
        const char* text;
    } marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
    char *out = sti_alloc(env, 6 * strlen(name) + 1), *to = out;
    for (; out != NULL && *name != '\0'; name++) {
        size_t k = 0, count = sizeof marks / sizeof *marks;
        while (k < count && marks[k].sign != *name) k++;
        const char* text = k < count ? marks[k].text : name;
        const size_t size = k < count ? strlen(text) : 1;
        memcpy(to, text, size);
        to += size;
    }
    if (out != NULL) *to = '\0';
    return out;
}

// Beside the recording, under the same name with another ending.
static sti_status write_xdmf(const sti_bed_record* r) {
    enum { FRAME = 2600, AROUND = 400 };
    const char* slash = strrchr(r->path, '/');
    const char* name = slash != NULL ? slash + 1 : r->path;
    const char* dot = strrchr(name, '.');
    const size_t stem = dot != NULL ? (size_t)(dot - r->path) : strlen(r->path);
    char* path = sti_alloc(r->env, stem + 6);
    char* file = escape(r->env, name);
    writing w = {.room = AROUND + r->frames * (FRAME + 8 * 6 * strlen(name))};
    w.text = sti_alloc(r->env, w.room);
    sti_status status = STI_OK;
    if (path == NULL || file == NULL || w.text == NULL) {
        status = STI_FAIL(r->env, STI_ERR_MEMORY, -1, "description of %zu frames", r->frames);
    } else {
        memcpy(path, r->path, stem);
        memcpy(path + stem, ".xdmf", 6);
        put(&w,
            "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\"><Domain>\n<Grid Name=\"bed\" GridType=\"Collection\" "
            "CollectionType=\"Temporal\">\n");
        for (size_t k = 0; k < r->frames; k++) put_frame(&w, r, file, k);
        put(&w, "</Grid>\n</Domain></Xdmf>\n");
        status = sti_file_write(r->env, path, w.text, w.size);
    }
    sti_free(r->env, path);
    sti_free(r->env, file);
    sti_free(r->env, w.text);
    return status;
}

sti_status sti_bed_record_commit(sti_bed_record* r, bool sync) {
    const sti_status status = sti_recording_commit(r->file, sync);
    return status == STI_OK ? write_xdmf(r) : status;
}
