// world_record_read.c: the recording of bodies in motion, read back.
//
// The file may have been made or changed by anybody: every dataset is held against the counts that the others gave, so
// that whoever uses the arrays may trust their sizes, the numbers of bodies in contacts, and that the contacts of the
// frames follow each other. Whether the numbers make sense is another question (src/verify).
#include <math.h>
#include <stiction/recording.h>
#include <string.h>

#include "formats/hdf5_file.h"
#include "formats/hdf5_text.h"

typedef struct reader {
    sti_h5 h;
    sti_recorded_world* out;
} reader;

enum { LONGEST_SCENE = 1 << 26 };

static sti_status find(const reader* k, const char* name, bool needed, bool* found, uint64_t* header) {
    const sti_status status = sti_h5_find_path(&k->h, name, found, header);
    if (status != STI_OK || *found || !needed) return status;
    return sti_h5_fail(&k->h, name,
                       strchr(name, '/') != NULL ? "missing: the recording of a run of bodies is expected" : "missing");
}

// A dataset with `columns` numbers in each of its rows. *rows -1: any number, which is then told.
static sti_status open_field(const reader* k, const char* name, uint64_t columns, long* rows, sti_h5_dataset* d) {
    bool found;
    uint64_t header = 0;
    *d = (sti_h5_dataset){0};
    sti_status status = find(k, name, true, &found, &header);
    if (status == STI_OK) status = sti_h5_dataset_open_deep(&k->h, header, name, INT32_MAX, d);
    if (status == STI_OK && !d->is_dataset) status = sti_h5_fail(&k->h, name, "not a dataset");
    if (status != STI_OK) return status;
    const uint64_t wide = d->rank > 1 ? d->size[1] : 1, high = d->rank > 0 ? d->size[0] : 1;
    if (wide != columns || (*rows >= 0 && high != (uint64_t)*rows))
        return sti_h5_fail(&k->h, name, "%llu x %llu: %s%ld x %llu expected", (unsigned long long)high,
                           (unsigned long long)wide, *rows < 0 ? "any number, " : "", *rows,
                           (unsigned long long)columns);
    *rows = (long)high;
    return STI_OK;
}

static sti_status doubles(const reader* k, const char* name, uint64_t columns, long* rows, double** out) {
    sti_h5_dataset d;
    sti_status status = open_field(k, name, columns, rows, &d);
    if (status == STI_OK) status = sti_h5_dataset_doubles(&k->h, &d, name, out);
    sti_h5_dataset_clear(&k->h, &d);
    return status;
}

static sti_status integers(const reader* k, const char* name, long* rows, int64_t** out) {
    sti_h5_dataset d;
    sti_status status = open_field(k, name, 1, rows, &d);
    if (status == STI_OK) status = sti_h5_dataset_integers(&k->h, &d, name, out);
    sti_h5_dataset_clear(&k->h, &d);
    return status;
}

// ---- parts

static sti_status read_bodies(const reader* k) {
    sti_recorded_world* w = k->out;
    int64_t* dim = NULL;
    long one = 1, bodies = -1;
    sti_status status = integers(k, "bodies/dimension", &one, &dim);
    if (status == STI_OK && dim[0] != 2 && dim[0] != 3)
        status = sti_h5_fail(&k->h, "bodies/dimension", "%lld: 2 or 3 expected", (long long)dim[0]);
    if (status == STI_OK) w->dim = (int)dim[0];
    sti_free(k->h.env, dim);
    if (status == STI_OK) status = integers(k, "bodies/fixed", &bodies, &w->fixed);
    if (status == STI_OK) status = doubles(k, "bodies/mass", 1, &bodies, &w->mass);
    if (status == STI_OK) status = doubles(k, "bodies/centre", 3, &bodies, &w->centre);
    if (status == STI_OK) status = doubles(k, "bodies/inertia", 9, &bodies, &w->inertia);
    if (status == STI_OK) w->body_count = (int)bodies;
    return status;
}

static sti_status read_steps(const reader* k) {
    sti_recorded_world* w = k->out;
    const struct {
        const char* name;
        double** to;
    } list[] = {{"steps/time", &w->time},
                {"steps/kinetic", &w->kinetic},
                {"steps/potential", &w->potential},
                {"steps/work", &w->work},
                {"steps/mended", &w->mended},
                {"steps/corrected", &w->corrected},
                {"steps/penetration", &w->penetration}};
    long rows = -1;
    sti_status status = STI_OK;
    for (size_t i = 0; status == STI_OK && i < sizeof list / sizeof list[0]; i++)
        status = doubles(k, list[i].name, 1, &rows, list[i].to);
    if (status == STI_OK) status = integers(k, "steps/solved", &rows, &w->solved);
    if (status == STI_OK) status = integers(k, "steps/impacts", &rows, &w->impacts);
    w->step_count = rows < 0 ? 0 : rows;
    return status;
}

static sti_status read_frames(const reader* k) {
    sti_recorded_world* w = k->out;
    const struct {
        const char* name;
        uint64_t columns;
        double** to;
    } list[] = {{"frames/x", 3, &w->x}, {"frames/q", 4, &w->q}, {"frames/v", 3, &w->v}, {"frames/w", 3, &w->w}};
    long rows = -1;
    sti_status status = integers(k, "frames/step", &rows, &w->frame_step);
    if (status == STI_OK) status = integers(k, "frames/contact_end", &rows, &w->contact_end);
    if (status == STI_OK) status = doubles(k, "frames/time", 1, &rows, &w->frame_time);
    for (size_t i = 0; status == STI_OK && w->body_count > 0 && i < 4; i++)
        status = doubles(k, list[i].name, sti_u64_mul(list[i].columns, (uint64_t)w->body_count), &rows, list[i].to);
    w->frame_count = rows < 0 ? 0 : rows;
    return status;
}

static sti_status read_contacts(const reader* k) {
    sti_recorded_world* w = k->out;
    const struct {
        const char* name;
        uint64_t columns;
        double** to;
    } list[] = {{"contacts/body", 2, &w->contact_body},
                {"contacts/shape", 2, &w->contact_shape},
                {"contacts/gap", 1, &w->gap},
                {"contacts/mu", 1, &w->mu},
                {"contacts/point", 3, &w->point},
                {"contacts/n", 3, &w->n},
                {"contacts/t1", 3, &w->t1},
                {"contacts/t2", 3, &w->t2},
                {"contacts/r", 3, &w->r},
                {"contacts/u", 3, &w->u}};
    long rows = -1;
    sti_status status = STI_OK;
    for (size_t i = 0; status == STI_OK && i < sizeof list / sizeof list[0]; i++)
        status = doubles(k, list[i].name, list[i].columns, &rows, list[i].to);
    w->contact_count = rows < 0 ? 0 : rows;
    for (size_t i = 0; status == STI_OK && i < sti_size_mul(2, (size_t)w->contact_count); i++) {
        const double body = w->contact_body[i];
        if (!(body >= 0 && body < w->body_count) || body != floor(body))
            status = sti_h5_fail(&k->h, "contacts/body", "row %zu: %g: no body has that number", i / 2, body);
    }
    int64_t before = 0;
    for (long i = 0; status == STI_OK && i < w->frame_count; i++) {
        if (w->contact_end[i] < before || w->contact_end[i] > w->contact_count)
            status = sti_h5_fail(&k->h, "frames/contact_end", "row %ld: %lld: from %lld to %ld expected", i,
                                 (long long)w->contact_end[i], (long long)before, w->contact_count);
        before = w->contact_end[i];
    }
    return status;
}

// ---- the whole

sti_status sti_recorded_world_load(sti_env* env, const char* path, sti_recorded_world* out) {
    reader k = {.out = out};
    bool found;
    uint64_t header = 0;
    *out = (sti_recorded_world){0};
    sti_status status = sti_h5_open(env, path, &k.h);
    if (status != STI_OK) return status;
    status = find(&k, "bodies", false, &found, &header);
    if (status == STI_OK && !found) status = sti_h5_fail(&k.h, NULL, "not the recording of a run of bodies");
    if (status == STI_OK) status = find(&k, "scene", true, &found, &header);
    if (status == STI_OK) status = sti_h5_text(&k.h, header, "scene", LONGEST_SCENE, &out->scene);
    if (status == STI_OK) status = read_bodies(&k);
    if (status == STI_OK) status = read_steps(&k);
    if (status == STI_OK) status = read_frames(&k);
    if (status == STI_OK) status = read_contacts(&k);
    sti_h5_close(&k.h);
    if (status != STI_OK) sti_recorded_world_clear(env, out);
    return status;
}

void sti_recorded_world_clear(sti_env* env, sti_recorded_world* w) {
    void* const all[] = {w->scene,
                         w->fixed,
                         w->mass,
                         w->centre,
                         w->inertia,
                         w->time,
                         w->kinetic,
                         w->potential,
                         w->work,
                         w->mended,
                         w->corrected,
                         w->penetration,
                         w->solved,
                         w->impacts,
                         w->frame_step,
                         w->contact_end,
                         w->frame_time,
                         w->x,
                         w->q,
                         w->v,
                         w->w,
                         w->contact_body,
                         w->contact_shape,
                         w->gap,
                         w->mu,
                         w->point,
                         w->n,
                         w->t1,
                         w->t2,
                         w->r,
                         w->u};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) sti_free(env, all[i]);
    *w = (sti_recorded_world){0};
}
