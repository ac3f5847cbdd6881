// scene.c: scenes: parameters by name, defaults, and the layouts that make grains of them.
//
// Everything that has a name stands in one table: the reader of files, settings as text and the writer go through it. A
// layout is a row of another one: its function, and its bit in the fields it takes.
#include "documents/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/file.h"

#define ALL ((1u << STI_LAYOUT_COUNT) - 1)
#define BIT(layout) (1u << (layout))
#define POURED (BIT(STI_LAYOUT_BOX) | BIT(STI_LAYOUT_HOPPER) | BIT(STI_LAYOUT_DRUM) | BIT(STI_LAYOUT_HEAP))
#define MOST_GRAINS 50000000

#define AT(member) offsetof(sti_bed_scene, member)
const sti_scene_field sti_scene_fields[] = {
    {"bed", "layout", STI_SCENE_LAYOUT, AT(bed.layout), 0, 0, false, ALL},
    {"bed", "count", STI_SCENE_INT, AT(bed.count), 1, MOST_GRAINS, false, ALL},
    {"bed", "seed", STI_SCENE_SEED, AT(bed.seed), 0, 0x1p53, false, ALL},
    {"bed", "mu", STI_SCENE_NUMBER, AT(bed.mu), 0, 1e6, false, ALL},
    {"bed", "cylinder", STI_SCENE_NUMBER, AT(bed.cylinder), 0, 1e9, false, BIT(STI_LAYOUT_PEBBLE_BED)},
    {"bed", "opening", STI_SCENE_NUMBER, AT(bed.opening), 0, 1e9, false, BIT(STI_LAYOUT_PEBBLE_BED)},
    {"bed", "recirculate", STI_SCENE_FLAG, AT(bed.recirculate), 0, 1, false,
     BIT(STI_LAYOUT_PEBBLE_BED) | BIT(STI_LAYOUT_SETTLE)},
    {"bed", "spread", STI_SCENE_NUMBER, AT(bed.spread), 0, 0.9, false, POURED},
    {"bed", "width", STI_SCENE_NUMBER, AT(bed.width), 0, 1e9, false, POURED},
    {"bed", "slope", STI_SCENE_NUMBER, AT(bed.slope), 0, 89, true, BIT(STI_LAYOUT_HOPPER)},
    {"bed", "spin", STI_SCENE_NUMBER, AT(bed.spin), -1e6, 1e6, false, BIT(STI_LAYOUT_DRUM)},
    {"bed", "radius", STI_SCENE_NUMBER, AT(bed.radius), 0, 1e9, false, BIT(STI_LAYOUT_PEBBLE_BED) | POURED},
    {"bed", "gravity", STI_SCENE_NUMBER, AT(bed.gravity), 0, 1e9, false, ALL},
    {"step", "h", STI_SCENE_NUMBER, AT(step.h), 0, 1e9, true, ALL},
    {"step", "law", STI_SCENE_LAW, AT(step.law), 0, 0, false, ALL},
    {"step", "facets", STI_SCENE_INT, AT(step.facets), 3, 64, false, ALL},
    {"step", "solver", STI_SCENE_SOLVER, AT(step.solver), 0, 0, false, ALL},
    {"step", "tol", STI_SCENE_NUMBER, AT(step.tol), 0, 1, true, ALL},
    {"step", "max_iterations", STI_SCENE_LONG, AT(step.max_iterations), 0, 1e15, false, ALL},
    {"step", "recover", STI_SCENE_NUMBER, AT(step.recover), 0, 1, false, ALL},
    {"step", "eps", STI_SCENE_NUMBER, AT(step.eps), 0, 1e9, false, ALL},
    {"step", "eps_speed", STI_SCENE_NUMBER, AT(step.eps_speed), 0, 1e9, false, ALL},
    {"step", "warm", STI_SCENE_FLAG, AT(step.warm), 0, 1, false, ALL},
    {"", "time", STI_SCENE_NUMBER, AT(time), 0, 1e12, true, ALL},
    {"until", "kinetic", STI_SCENE_NUMBER, AT(until_kinetic), 0, 1e300, false, ALL},
    {"until", "kinetic_mean", STI_SCENE_NUMBER, AT(until_mean), 0, 1e300, false, ALL},
};
const int sti_scene_field_count = (int)(sizeof sti_scene_fields / sizeof sti_scene_fields[0]);

// ---- layouts

static sti_status make_pebble_bed(sti_env* env, const sti_bed_layout* bed, sti_grains* out) {
    const sti_pebble_bed def = {.count = bed->count,
                                .seed = bed->seed,
                                .cylinder = bed->cylinder,
                                .opening = bed->opening,
                                .mu = bed->mu,
                                .radius = bed->radius};
    return sti_grains_pebble_bed(env, &def, out);
}

static sti_status make_settle(sti_env* env, const sti_bed_layout* bed, sti_grains* out) {
    const sti_status status = sti_grains_settle(env, bed->count, bed->seed, out);
    if (status != STI_OK) return status;
    out->mu = bed->mu;
    for (int k = 0; k < out->wall_count; k++) out->walls[k].mu = bed->mu;
    return STI_OK;
}

static sti_status make_poured(sti_env* env, const sti_bed_layout* bed, sti_grains* out) {
    const sti_grain_pour def = {.count = bed->count,
                                .seed = bed->seed,
                                .mu = bed->mu,
                                .spread = bed->spread,
                                .width = bed->width,
                                .slope = bed->slope,
                                .spin = bed->spin,
                                .radius = bed->radius};
    switch (bed->layout) {
        case STI_LAYOUT_BOX:
            return sti_grains_box(env, &def, out);
        case STI_LAYOUT_HOPPER:
            return sti_grains_hopper(env, &def, out);
        case STI_LAYOUT_DRUM:
            return sti_grains_drum(env, &def, out);
        default:
            return sti_grains_heap(env, &def, out);
    }
}

typedef sti_status maker(sti_env* env, const sti_bed_layout* bed, sti_grains* out);
static maker* const makers[STI_LAYOUT_COUNT] = {
    [STI_LAYOUT_PEBBLE_BED] = make_pebble_bed, [STI_LAYOUT_SETTLE] = make_settle, [STI_LAYOUT_BOX] = make_poured,
    [STI_LAYOUT_HOPPER] = make_poured,         [STI_LAYOUT_DRUM] = make_poured,   [STI_LAYOUT_HEAP] = make_poured,
};

const char* sti_layout_text(sti_layout layout) {
    switch (layout) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_LAYOUT_LIST(STI_X)
#undef STI_X
        default:
            return "?";
    }
}

static sti_status set_friction(sti_env* env, const sti_scene_friction* f, sti_grains* g) {
    const sti_section section = {.shape = f->shape,
                                 .axes = {f->axes[0], f->axes[1]},
                                 .angle = f->angle,
                                 .vertex_count = f->corner_count,
                                 .vertex = f->corner[0]};
    if (f->shape == STI_SECTION_DISC) return STI_OK;
    const int count = f->wall_count > 0 ? f->wall_count : g->wall_count;
    for (int k = 0; k < count; k++) {
        const int wall = f->wall_count > 0 ? f->wall[k] : k;
        const sti_status status = sti_grains_set_section(env, g, wall, &section, f->along);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

sti_status sti_bed_scene_grains(sti_env* env, const sti_bed_scene* scene, sti_grains* out) {
    *out = (sti_grains){0};
    if ((unsigned)scene->bed.layout >= STI_LAYOUT_COUNT)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "layout: %d", (int)scene->bed.layout);
    const sti_status status = makers[scene->bed.layout](env, &scene->bed, out);
    if (status != STI_OK) return status;
    const sti_status frictional = set_friction(env, &scene->walls, out);
    if (frictional != STI_OK) {
        sti_grains_clear(env, out);
        return frictional;
    }
    for (int i = 0; i < 3; i++) out->gravity[i] = i == 2 ? -scene->bed.gravity : 0;
    if (scene->bed.recirculate) sti_grains_open_bottom(out);
    return STI_OK;
}

sti_bed_scene sti_bed_scene_default(sti_layout layout, int count) {
    return (sti_bed_scene){
        .bed = {.layout = layout, .count = count, .seed = 1, .mu = 0.3, .slope = 45, .spin = 0.5, .gravity = 9.81},
        .step = sti_bed_options_default(),
        .time = 10};
}

// What a grain takes to fall by its radius, over that of a radius of 0.5 under 9.81.
double sti_scene_time_unit(const sti_bed_scene* scene) {
    const double own = scene->bed.layout == STI_LAYOUT_SETTLE ? 0.03 : 0.5;
    const double radius = scene->bed.radius > 0 ? scene->bed.radius : own;
    const double gravity = scene->bed.gravity > 0 ? scene->bed.gravity : 9.81;
    return sqrt(radius / 0.5 * (9.81 / gravity));
}

// ---- values

static void list_words(char* text, size_t size, const char* (*word)(int), int count) {
    size_t at = (size_t)snprintf(text, size, "one of ");
    for (int k = 0; k < count && at < size; k++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", k > 0 ? ", " : "", word(k));
}

static const char* layout_word(int k) {
    return sti_layout_text((sti_layout)k);
}
static const char* law_word(int k) {
    return sti_law_text((sti_law)k);
}
static const char* solver_word(int k) {
    return sti_bed_solver_text((sti_bed_solver)k);
}

typedef struct words {
    const char* (*word)(int);
    int count;
} words;

static words words_of(sti_scene_kind kind) {
    switch (kind) {
        case STI_SCENE_LAYOUT:
            return (words){layout_word, STI_LAYOUT_COUNT};
        case STI_SCENE_LAW:
            return (words){law_word, STI_LAW_COUNT};
        case STI_SCENE_SOLVER:
            return (words){solver_word, STI_BED_SOLVER_COUNT};
        default:
            return (words){NULL, 0};
    }
}

// The enumerations have one size, and so has what they are stored in.
static void store_word(const sti_scene_field* f, sti_bed_scene* scene, int k) {
    if (f->kind == STI_SCENE_LAYOUT) scene->bed.layout = (sti_layout)k;
    if (f->kind == STI_SCENE_LAW) scene->step.law = (sti_law)k;
    if (f->kind == STI_SCENE_SOLVER) scene->step.solver = (sti_bed_solver)k;
}

static int stored_word(const sti_scene_field* f, const sti_bed_scene* scene) {
    return f->kind == STI_SCENE_LAYOUT ? (int)scene->bed.layout
           : f->kind == STI_SCENE_LAW  ? (int)scene->step.law
                                       : (int)scene->step.solver;
}

static bool assign_word(const sti_scene_field* f, sti_bed_scene* scene, const char* word, char* expected, size_t size) {
    const words w = words_of(f->kind);
    for (int k = 0; word != NULL && k < w.count; k++) {
        if (strcmp(w.word(k), word) != 0) continue;
        store_word(f, scene, k);
        return true;
    }
    list_words(expected, size, w.word, w.count);
    return false;
}

bool sti_scene_assign(const sti_scene_field* f, sti_bed_scene* scene, const char* word, double number, char* expected,
                      size_t size) {
    if (words_of(f->kind).count > 0) return assign_word(f, scene, word, expected, size);
    char* to = (char*)scene + f->offset;
    const bool whole = f->kind != STI_SCENE_NUMBER;
    const bool good = word == NULL && number >= f->low && number <= f->high && !(f->above && number == f->low) &&
                      !(whole && number != floor(number));
    if (!good) {
        if (f->kind == STI_SCENE_FLAG)
            snprintf(expected, size, "true or false");
        else
            snprintf(expected, size, "a %s %s %g %s %g", whole ? "whole number" : "number",
                     f->above ? "greater than" : "from", f->low, f->above ? "and up to" : "to", f->high);
        return false;
    }
    if (f->kind == STI_SCENE_NUMBER) memcpy(to, &number, sizeof number);
    if (f->kind == STI_SCENE_INT) memcpy(to, &(int){(int)number}, sizeof(int));
    if (f->kind == STI_SCENE_LONG) memcpy(to, &(long){(long)number}, sizeof(long));
    if (f->kind == STI_SCENE_SEED) memcpy(to, &(uint64_t){(uint64_t)number}, sizeof(uint64_t));
    if (f->kind == STI_SCENE_FLAG) memcpy(to, &(bool){number != 0}, sizeof(bool));
    return true;
}

static double stored_number(const sti_scene_field* f, const sti_bed_scene* scene) {
    const char* from = (const char*)scene + f->offset;
    double number = 0;
    int i = 0;
    long l = 0;
    uint64_t u = 0;
    bool b = false;
    if (f->kind == STI_SCENE_NUMBER) memcpy(&number, from, sizeof number);
    if (f->kind == STI_SCENE_INT) memcpy(&i, from, sizeof i);
    if (f->kind == STI_SCENE_LONG) memcpy(&l, from, sizeof l);
    if (f->kind == STI_SCENE_SEED) memcpy(&u, from, sizeof u);
    if (f->kind == STI_SCENE_FLAG) memcpy(&b, from, sizeof b);
    return number + i + (double)l + (double)u + (b ? 1 : 0);
}

// ---- settings as text

// "count" or "bed.count"
static bool is_named(const sti_scene_field* f, const char* name) {
    const size_t section = strlen(f->section);
    if (strcmp(f->name, name) == 0) return true;
    return section > 0 && strncmp(name, f->section, section) == 0 && name[section] == '.' &&
           strcmp(name + section + 1, f->name) == 0;
}

static sti_status no_such_name(sti_env* env, const sti_bed_scene* scene, const char* name) {
    char list[400] = "";
    size_t at = 0;
    for (int k = 0; k < sti_scene_field_count && at < sizeof list; k++) {
        const sti_scene_field* f = &sti_scene_fields[k];
        if ((f->layouts >> scene->bed.layout & 1) == 0) continue;
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at > 0 ? ", " : "", f->name);
    }
    return STI_FAIL(env, STI_ERR_INPUT, -1, "%.60s: no such parameter of %s; there are %s", name,
                    sti_layout_text(scene->bed.layout), list);
}

sti_status sti_bed_scene_set(sti_env* env, sti_bed_scene* scene, const char* name, const char* value) {
    for (int k = 0; k < sti_scene_field_count; k++) {
        const sti_scene_field* f = &sti_scene_fields[k];
        if (!is_named(f, name) || (f->layouts >> scene->bed.layout & 1) == 0) continue;
        const char* end;
        double number = sti_text_double(value, &end);
        bool is_number = end != value && *end == '\0' && isfinite(number);
        if (f->kind == STI_SCENE_FLAG && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)) {
            is_number = true;
            number = value[0] == 't' ? 1 : 0;
        }
        char expected[160];
        if (sti_scene_assign(f, scene, is_number ? NULL : value, number, expected, sizeof expected)) return STI_OK;
        return STI_FAIL(env, STI_ERR_INPUT, -1, "%.60s: %.60s: %s is expected", name, value, expected);
    }
    return no_such_name(env, scene, name);
}

// ---- and back

static size_t put_field(char* text, size_t size, const sti_scene_field* f, const sti_bed_scene* scene) {
    const words w = words_of(f->kind);
    if (w.count > 0) return (size_t)snprintf(text, size, "\"%s\": \"%s\"", f->name, w.word(stored_word(f, scene)));
    const double number = stored_number(f, scene);
    if (f->kind == STI_SCENE_FLAG)
        return (size_t)snprintf(text, size, "\"%s\": %s", f->name, number != 0 ? "true" : "false");
    return (size_t)snprintf(text, size, "\"%s\": %.17g", f->name, number);
}

static size_t put_description(char* text, size_t size, const char* description) {
    size_t at = (size_t)snprintf(text, size, "{\"kind\": \"scene\", \"description\": \"");
    for (const char* p = description; *p != '\0' && at + 8 < size; p++) {
        if (*p == '"' || *p == '\\')
            at += (size_t)snprintf(text + at, size - at, "\\%c", *p);
        else if ((unsigned char)*p < 0x20)
            at += (size_t)snprintf(text + at, size - at, "\\u%04x", (unsigned)(unsigned char)*p);
        else
            text[at++] = *p;
    }
    return at + (size_t)snprintf(text + at, size - at, "\"");
}

static size_t put_walls(char* text, size_t size, const sti_scene_friction* f) {
    size_t at = (size_t)snprintf(text, size, ", \"walls\": {\"along\": [%.17g, %.17g, %.17g], ", f->along[0],
                                 f->along[1], f->along[2]);
    if (f->shape == STI_SECTION_ELLIPSE)
        at += (size_t)snprintf(text + at, size - at, "\"ellipse\": {\"axes\": [%.17g, %.17g], \"angle\": %.17g}",
                               f->axes[0], f->axes[1], f->angle);
    else
        at += (size_t)snprintf(text + at, size - at, "\"polygon\": [");
    for (int k = 0; k < f->corner_count; k++)
        at += (size_t)snprintf(text + at, size - at, "%s[%.17g, %.17g]%s", k > 0 ? ", " : "", f->corner[k][0],
                               f->corner[k][1], k + 1 == f->corner_count ? "]" : "");
    for (int k = 0; k < f->wall_count; k++)
        at += (size_t)snprintf(text + at, size - at, "%s%d%s", k > 0 ? ", " : ", \"which\": [", f->wall[k],
                               k + 1 == f->wall_count ? "]" : "");
    return at + (size_t)snprintf(text + at, size - at, "}");
}

sti_status sti_bed_scene_json(sti_env* env, const sti_bed_scene* scene, char** out) {
    enum { ROOM = 8 * STI_SCENE_TEXT + 4096 };
    *out = NULL;
    char* text = sti_alloc(env, ROOM);
    if (text == NULL) return STI_ERR_MEMORY;
    size_t at = put_description(text, ROOM, scene->description);
    const char* section = "";
    for (int k = 0; k < sti_scene_field_count; k++) {
        const sti_scene_field* f = &sti_scene_fields[k];
        if ((f->layouts >> scene->bed.layout & 1) == 0) continue;
        const bool same = strcmp(section, f->section) == 0;
        if (!same && section[0] != '\0') text[at++] = '}';
        at += (size_t)snprintf(text + at, ROOM - at, ", ");
        if (!same && f->section[0] != '\0') at += (size_t)snprintf(text + at, ROOM - at, "\"%s\": {", f->section);
        section = f->section;
        at += put_field(text + at, ROOM - at, f, scene);
    }
    if (section[0] != '\0') text[at++] = '}';
    if (scene->walls.shape != STI_SECTION_DISC) at += put_walls(text + at, ROOM - at, &scene->walls);
    snprintf(text + at, ROOM - at, "}");
    *out = text;
    return STI_OK;
}
