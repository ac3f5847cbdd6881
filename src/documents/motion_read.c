// motion_read.c: recordings of systems by formulas and of grains, read back whole.
//
// The file may have been made or changed by anybody: every dataset is held against the counts that the others gave, and
// whole numbers that point into others are looked at. Whether the numbers make sense is another question (src/verify).
#include <limits.h>
#include <math.h>
#include <stiction/recording.h>
#include <string.h>

#include "base/env.h"

typedef struct field {
    const char* name;
    long columns;
    double** to;
} field;

// Numbers with so many columns in each row. *rows -1: any number, which is then told.
static sti_status read_field(sti_env* env, const char* path, const field* f, long* rows) {
    long high, wide;
    const sti_status status = sti_recorded_numbers(env, path, f->name, f->to, &high, &wide);
    if (status != STI_OK) return status;
    if (*f->to == NULL) return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: %s: missing", path, f->name);
    if (wide != f->columns || (*rows >= 0 && high != *rows))
        return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: %s: %ld x %ld: %s%ld x %ld expected", path, f->name, high, wide,
                        *rows < 0 ? "any number, " : "", *rows, f->columns);
    *rows = high;
    return STI_OK;
}

static sti_status read_fields(sti_env* env, const char* path, const field* list, size_t count, long* rows) {
    sti_status status = STI_OK;
    for (size_t k = 0; status == STI_OK && k < count; k++) status = read_field(env, path, &list[k], rows);
    return status;
}

static sti_status read_text(sti_env* env, const char* path, const char* name, char** text) {
    const sti_status status = sti_recorded_text(env, path, name, text);
    if (status != STI_OK || *text != NULL) return status;
    return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: %s: missing", path, name);
}

// Rows x columns of a dataset that is there.
static sti_status sizes_of(sti_env* env, const char* path, const char* name, double** x, long* rows, long* columns) {
    const sti_status status = sti_recorded_numbers(env, path, name, x, rows, columns);
    if (status != STI_OK || *x != NULL) return status;
    return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: %s: missing", path, name);
}

// ---- systems

sti_status sti_recorded_system_load(sti_env* env, const char* path, sti_recorded_system* out) {
    long rows = -1, columns = 0;
    *out = (sti_recorded_system){0};
    sti_status status = read_text(env, path, "system", &out->text);
    if (status == STI_OK) status = sizes_of(env, path, "steps/q", &out->q, &rows, &columns);
    if (status == STI_OK && (columns < 1 || columns > INT_MAX))
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "%s: steps/q: %ld columns", path, columns);
    out->n = (int)columns;
    const field steps[] = {{"steps/time", 1, &out->time},
                           {"steps/v", columns, &out->v},
                           {"steps/kinetic", 1, &out->kinetic},
                           {"steps/potential", 1, &out->potential},
                           {"steps/collisions", 1, &out->collisions},
                           {"steps/pieces", 1, &out->pieces}};
    if (status == STI_OK) status = read_fields(env, path, steps, sizeof steps / sizeof steps[0], &rows);
    out->rows = rows;
    long high, wide, p = 0;
    if (status == STI_OK) {  // work that is not known is no number
        status = sti_recorded_numbers(env, path, "steps/work", &out->work, &high, &wide);
        if (status == STI_ERR_INPUT) status = STI_OK;
    }
    if (status == STI_OK && out->work != NULL && (high != rows || wide != 1))
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "%s: steps/work: %ld x %ld expected", path, rows, 1L);
    if (status == STI_OK) status = sti_recorded_numbers(env, path, "contacts/gap", &out->gap, &high, &p);
    if (status == STI_OK && out->gap != NULL && (high != rows || p < 1 || p > INT_MAX / 2))
        status =
            STI_FAIL(env, STI_ERR_INPUT, -1, "%s: contacts/gap: %ld x %ld: %ld rows expected", path, high, p, rows);
    out->contact_count = out->gap != NULL ? (int)p : 0;
    const field contacts[] = {{"contacts/impulse_n", p, &out->impulse_n},
                              {"contacts/impulse_t", sti_count_mul(2, out->contact_count), &out->impulse_t}};
    if (status == STI_OK && out->contact_count > 0) status = read_fields(env, path, contacts, 2, &rows);
    if (status != STI_OK) sti_recorded_system_clear(env, out);
    return status;
}

void sti_recorded_system_clear(sti_env* env, sti_recorded_system* s) {
    void* const all[] = {s->text, s->time,       s->q,      s->v,   s->kinetic,   s->potential,
                         s->work, s->collisions, s->pieces, s->gap, s->impulse_n, s->impulse_t};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) sti_free(env, all[k]);
    *s = (sti_recorded_system){0};
}

// ---- vehicles in cages

// Counts that add up to the rows that there are, and vehicles that there are. What the other side is the scene knows.
static sti_status check_pressing(sti_env* env, const char* path, const sti_recorded_navigation* w) {
    double sum = 0;
    for (long k = 0; k < w->rows; k++) {
        if (!(w->pressing[k] >= 0 && w->pressing[k] <= (double)w->total && w->pressing[k] == floor(w->pressing[k])))
            return STI_FAIL(env, STI_ERR_INPUT, k, "%s: steps/pressing: row %ld: %g", path, k, w->pressing[k]);
        sum += w->pressing[k];
    }
    if (sum != (double)w->total)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: pressing/pair: %ld rows: %.0f are expected by steps/pressing",
                        path, w->total, sum);
    for (long k = 0; k < w->total; k++) {
        const double a = w->pair[2 * k], b = w->pair[2 * k + 1];
        if (!(a >= 0 && a < w->count && a == floor(a) && b >= INT_MIN && b < w->count && b == floor(b) && a != b))
            return STI_FAIL(env, STI_ERR_INPUT, k, "%s: pressing/pair: row %ld: %g on %g", path, k, a, b);
    }
    return STI_OK;
}

sti_status sti_recorded_navigation_load(sti_env* env, const char* path, sti_recorded_navigation* out) {
    long rows = -1, columns = 0, total = 0;
    *out = (sti_recorded_navigation){0};
    sti_status status = read_text(env, path, "navigation", &out->text);
    if (status == STI_OK) status = sizes_of(env, path, "steps/q", &out->q, &rows, &columns);
    if (status == STI_OK && (columns < 2 || columns > INT_MAX || columns % 2 != 0 || rows < 1))
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "%s: steps/q: %ld x %ld", path, rows, columns);
    out->count = (int)(columns / 2);
    const field steps[] = {{"steps/time", 1, &out->time},
                           {"steps/v", columns, &out->v},
                           {"steps/least_gap", 1, &out->least_gap},
                           {"steps/pressing", 1, &out->pressing}};
    if (status == STI_OK) status = read_fields(env, path, steps, sizeof steps / sizeof steps[0], &rows);
    out->rows = rows;
    if (status == STI_OK) status = sti_recorded_numbers(env, path, "pressing/pair", &out->pair, &total, &columns);
    if (status == STI_OK && out->pair == NULL) total = 0;
    if (status == STI_OK && out->pair != NULL && columns != 2)
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "%s: pressing/pair: %ld columns: 2 are expected", path, columns);
    const field contact = {"pressing/contact", 4, &out->contact};
    if (status == STI_OK && total > 0) status = read_field(env, path, &contact, &total);
    out->total = total;
    if (status == STI_OK) status = check_pressing(env, path, out);
    if (status != STI_OK) sti_recorded_navigation_clear(env, out);
    return status;
}

void sti_recorded_navigation_clear(sti_env* env, sti_recorded_navigation* w) {
    void* const all[] = {w->text, w->time, w->q, w->v, w->least_gap, w->pressing, w->pair, w->contact};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) sti_free(env, all[k]);
    *w = (sti_recorded_navigation){0};
}

// ---- grains

// A whole number from low to high?
static bool is_whole(double x, double low, double high) {
    return x >= low && x <= high && x == floor(x);
}

static sti_status read_grains(sti_env* env, const char* path, sti_recorded_bed* bed) {
    double *mu = NULL, *gravity = NULL;
    long grains = -1, columns, one = 1, three = 3;
    sti_status status = sizes_of(env, path, "grains/radius", &bed->radius, &grains, &columns);
    if (status == STI_OK && (grains < 1 || grains > INT_MAX / 3 || columns != 1))
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "%s: grains/radius: %ld x %ld", path, grains, columns);
    const field mass = {"grains/mass", 1, &bed->mass}, friction = {"grains/mu", 1, &mu},
                down = {"grains/gravity", 1, &gravity};
    if (status == STI_OK) status = read_field(env, path, &mass, &grains);
    if (status == STI_OK) status = read_field(env, path, &friction, &one);
    if (status == STI_OK) status = read_field(env, path, &down, &three);
    if (status == STI_OK) {
        bed->count = (int)grains;
        bed->mu = mu[0];
        memcpy(bed->gravity, gravity, sizeof bed->gravity);
    }
    for (long k = 0; status == STI_OK && k < grains; k++) {
        if (!(bed->radius[k] > 0 && bed->mass[k] > 0))
            status = STI_FAIL(env, STI_ERR_INPUT, k, "%s: grains: row %ld: radius %g, mass %g", path, k, bed->radius[k],
                              bed->mass[k]);
    }
    sti_free(env, mu);
    sti_free(env, gravity);
    return status;
}

static sti_status read_walls(sti_env* env, const char* path, sti_recorded_bed* bed) {
    double* list[7] = {NULL};
    const field fields[] = {{"walls/kind", 1, &list[0]},   {"walls/point", 3, &list[1]}, {"walls/axis", 3, &list[2]},
                            {"walls/radius", 1, &list[3]}, {"walls/slope", 1, &list[4]}, {"walls/spin", 1, &list[5]},
                            {"walls/mu", 1, &list[6]}};
    long rows = -1, wide;
    sti_status status = sti_recorded_numbers(env, path, "walls/kind", &list[0], &rows, &wide);
    if (status != STI_OK || list[0] == NULL) return status;  // no walls
    status = read_fields(env, path, fields + 1, 6, &rows);
    bed->walls = status == STI_OK ? sti_alloc_array_zero(env, (size_t)rows + 1, sizeof *bed->walls) : NULL;
    if (status == STI_OK && bed->walls == NULL) status = STI_ERR_MEMORY;
    for (long k = 0; status == STI_OK && k < rows; k++) {
        sti_wall* w = &bed->walls[k];
        if (!is_whole(list[0][k], 0, 2))
            status = STI_FAIL(env, STI_ERR_INPUT, k, "%s: walls/kind: row %ld: %g", path, k, list[0][k]);
        w->kind = (sti_wall_kind)(int)list[0][k];
        memcpy(w->point, list[1] + 3 * k, sizeof w->point);
        memcpy(w->axis, list[2] + 3 * k, sizeof w->axis);
        w->radius = list[3][k];
        w->slope = list[4][k];
        w->spin = list[5][k];
        w->mu = list[6][k];
    }
    bed->wall_count = rows;
    for (int k = 0; k < 7; k++) sti_free(env, list[k]);
    return status;
}

// Shapes, as the checker of the run asks whether they are sections at all.
static sti_status read_friction(sti_env* env, const char* path, sti_recorded_bed* bed) {
    enum { WIDE = 5 };
    double *along = NULL, *section = NULL;
    long rows = bed->wall_count, corners = 0, wide, used = 0;
    sti_status status = sti_recorded_numbers(env, path, "walls/section", &section, &rows, &wide);
    if (status != STI_OK || section == NULL) return status;  // discs
    if (rows != bed->wall_count || wide != WIDE)
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "%s: walls/section: %ld x %ld, %ld x %d is expected", path, rows,
                          wide, bed->wall_count, WIDE);
    const field direction = {"walls/along", 3, &along};
    if (status == STI_OK) status = read_field(env, path, &direction, &rows);
    if (status == STI_OK) status = sti_recorded_numbers(env, path, "walls/corner", &bed->corners, &corners, &wide);
    if (bed->corners == NULL) corners = 0;
    if (status == STI_OK && corners > 0 && wide != 2)
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "%s: walls/corner: %ld columns, 2 are expected", path, wide);
    bed->friction =
        status == STI_OK ? sti_alloc_array_zero(env, sti_size_add((size_t)rows, 1), sizeof *bed->friction) : NULL;
    if (status == STI_OK && bed->friction == NULL) status = STI_ERR_MEMORY;
    for (long k = 0; status == STI_OK && k < rows; k++) {
        const double* s = section + WIDE * k;
        sti_section* to = &bed->friction[k].section;
        if (!is_whole(s[0], 0, STI_SECTION_POLYGON) || !is_whole(s[4], 0, (double)(corners - used)))
            status = STI_FAIL(env, STI_ERR_INPUT, k, "%s: walls/section: row %ld: shape %g with %g corners", path, k,
                              s[0], s[4]);
        if (status != STI_OK) break;
        *to = (sti_section){.shape = (sti_section_shape)(int)s[0],
                            .axes = {s[1], s[2]},
                            .angle = s[3],
                            .vertex_count = (int)s[4],
                            .vertex = s[4] > 0 ? bed->corners + 2 * used : NULL};
        used += (long)s[4];
        memcpy(bed->friction[k].along, along + 3 * k, sizeof bed->friction[k].along);
    }
    sti_free(env, along);
    sti_free(env, section);
    return status;
}

static sti_status read_motion(sti_env* env, const char* path, sti_recorded_bed* bed) {
    long steps = -1, frames = -1;
    const long wide = sti_count_mul(3, bed->count);
    const field of_steps[] = {{"steps/time", 1, &bed->time},           {"steps/kinetic", 1, &bed->kinetic},
                              {"steps/potential", 1, &bed->potential}, {"steps/residual", 1, &bed->residual},
                              {"steps/solved", 1, &bed->solved},       {"steps/penetration", 1, &bed->penetration},
                              {"steps/overlap", 1, &bed->overlap}};
    const field of_frames[] = {{"frames/step", 1, &bed->frame_step},
                               {"frames/time", 1, &bed->frame_time},
                               {"frames/contact_end", 1, &bed->contact_end},
                               {"frames/x", wide, &bed->x},
                               {"frames/v", wide, &bed->v},
                               {"frames/w", wide, &bed->w}};
    sti_status status = read_fields(env, path, of_steps, sizeof of_steps / sizeof of_steps[0], &steps);
    if (status == STI_OK) status = read_fields(env, path, of_frames, sizeof of_frames / sizeof of_frames[0], &frames);
    bed->step_count = steps;
    bed->frame_count = frames;
    return status;
}

static sti_status read_contacts(sti_env* env, const char* path, sti_recorded_bed* bed) {
    long rows = -1;
    const field list[] = {{"contacts/a", 1, &bed->a},
                          {"contacts/b", 1, &bed->b},
                          {"contacts/n", 3, &bed->n},
                          {"contacts/gap", 1, &bed->gap},
                          {"contacts/r", 3, &bed->r}};
    sti_status status = read_fields(env, path, list, sizeof list / sizeof list[0], &rows);
    bed->contact_count = rows;
    for (long k = 0; status == STI_OK && k < rows; k++) {
        if (!is_whole(bed->a[k], 0, bed->count - 1.0) ||
            !is_whole(bed->b[k], (double)-bed->wall_count, bed->count - 1.0))
            status = STI_FAIL(env, STI_ERR_INPUT, k, "%s: contacts: row %ld: between %g and %g", path, k, bed->a[k],
                              bed->b[k]);
    }
    double before = 0;
    for (long k = 0; status == STI_OK && k < bed->frame_count; k++) {
        if (!is_whole(bed->contact_end[k], before, (double)rows) ||
            !is_whole(bed->frame_step[k], 0, (double)bed->step_count))
            status = STI_FAIL(env, STI_ERR_INPUT, k, "%s: frames: row %ld: step %g, contact_end %g", path, k,
                              bed->frame_step[k], bed->contact_end[k]);
        before = bed->contact_end[k];
    }
    return status;
}

sti_status sti_recorded_bed_load(sti_env* env, const char* path, sti_recorded_bed* out) {
    *out = (sti_recorded_bed){0};
    sti_status status = read_text(env, path, "scene", &out->scene);
    if (status == STI_OK) status = read_grains(env, path, out);
    if (status == STI_OK) status = read_walls(env, path, out);
    if (status == STI_OK) status = read_friction(env, path, out);
    if (status == STI_OK) status = read_motion(env, path, out);
    if (status == STI_OK) status = read_contacts(env, path, out);
    if (status != STI_OK) sti_recorded_bed_clear(env, out);
    return status;
}

void sti_recorded_bed_clear(sti_env* env, sti_recorded_bed* b) {
    void* const all[] = {b->scene,      b->radius,      b->mass,   b->walls,       b->time,     b->kinetic,
                         b->potential,  b->residual,    b->solved, b->penetration, b->overlap,  b->frame_step,
                         b->frame_time, b->contact_end, b->x,      b->v,           b->w,        b->a,
                         b->b,          b->n,           b->gap,    b->r,           b->friction, b->corners};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) sti_free(env, all[k]);
    *b = (sti_recorded_bed){0};
}
