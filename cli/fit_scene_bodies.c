// fit_scene_bodies.c: what a scene of bodies or a bed of grains says at the instants of the data. Names are those of
// `run --csv`.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

enum { MOST_GRAINS = 40 };  // named one by one

// ---- names

static void add(cli_fit_scene* s, const char* name, const char* tail, bool angle) {
    if (s->output_count == CLI_FIT_COLUMNS) return;
    s->turns[s->output_count] = angle;
    snprintf(s->output[s->output_count++], CLI_FIT_NAME, "%.40s%.20s", name, tail);
}

static void name_bodies(cli_fit_scene* s) {
    static const char* const flat[] = {".x", ".y", ".angle", ".vx", ".vy", ".w"};
    static const char* const space[] = {".x",  ".y",  ".z",  ".qw", ".qx", ".qy", ".qz",
                                        ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
    const sti_bodies* b = sti_world_scene_of(s->problem)->bodies;
    const bool plane = sti_bodies_dim(b) == 2;
    for (int k = 0; k < sti_bodies_count(b); k++) {
        const sti_body* body = sti_bodies_body(b, k);
        for (int i = 0; !body->fixed && i < (plane ? 6 : 13); i++)
            add(s, body->name, plane ? flat[i] : space[i], plane && i == 2);
    }
    for (int k = 0; k < sti_bodies_joint_count(b); k++) {
        const sti_joint* joint = sti_bodies_joint(b, k);
        const int axes = sti_joint_axis_count(sti_bodies_dim(b), joint->kind);
        if (axes >= 1) add(s, joint->name, axes == 1 ? ".coordinate" : ".slide", false);
        if (axes >= 2) add(s, joint->name, ".turn", false);
    }
    add(s, "kinetic", "", false);
    add(s, "potential", "", false);
}

static void name_grains(cli_fit_scene* s) {
    const int count = sti_bed_scene_of(s->problem)->bed.count;
    add(s, "kinetic", "", false);
    add(s, "potential", "", false);
    add(s, "height", "", false);
    add(s, "top", "", false);
    for (int i = 0; i < count && i < MOST_GRAINS; i++) {
        char name[20];
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "%c%d", "xyz"[k], i);
            add(s, name, "", false);
        }
    }
}

void cli_fit_outputs_bodies(cli_fit_scene* s) {
    if (s->bodies)
        name_bodies(s);
    else
        name_grains(s);
}

// ---- parameters

// Of a bed: its numbers, by its own text.
static bool bed_parameter(const cli_fit_scene* s, const char* name, double* value) {
    char key[80], *text;
    bool found = false;
    if (snprintf(key, sizeof key, "\"%.60s\": ", name) >= (int)sizeof key) return false;
    if (sti_bed_scene_json(s->c->env, sti_bed_scene_of(s->problem), &text) != STI_OK) return false;
    const char* at = strstr(text, key);
    if (at != NULL) {
        char* end;
        const double x = strtod(at + strlen(key), &end);
        found = end != at + strlen(key);
        if (found && value != NULL) *value = x;
    }
    sti_env_free(s->c->env, text);
    return found;
}

bool cli_fit_has_parameter_bodies(const cli_fit_scene* s, const char* name, double* value) {
    if (!s->bodies) return bed_parameter(s, name, value);
    const sti_world_scene* scene = sti_world_scene_of(s->problem);
    for (int k = 0; k < scene->parameter_count; k++) {
        if (strcmp(scene->parameter_names[k], name) != 0) continue;
        if (value != NULL) *value = scene->parameters[k];
        return true;
    }
    return false;
}

// False: the scene does not take them.
bool cli_fit_set_bodies(const cli_fit_scene* s, int count, const char* const* names, const double* values) {
    char text[80 * 2 * CLI_FIT_COLUMNS];
    size_t at = 0;
    for (int k = 0; k < count; k++) {
        if (!isfinite(values[k])) return false;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.40s=%.17g", k > 0 ? "," : "", names[k], values[k]);
    }
    return count == 0 || sti_document_set(s->problem, text) == STI_OK;
}

// ---- bodies in motion

static void read_world(const cli_fit_scene* s, const sti_world* world, double* out) {
    const sti_bodies* b = sti_world_scene_of(s->problem)->bodies;
    const bool plane = sti_bodies_dim(b) == 2;
    double kinetic, potential;
    int at = 0;
    for (int k = 0; k < sti_bodies_count(b); k++) {
        sti_pose p;
        double v[3], w[3];
        if (sti_bodies_body(b, k)->fixed) continue;
        sti_world_pose(world, k, &p);
        sti_world_velocity(world, k, v, w);
        const double all[13] = {p.x[0], p.x[1], plane ? 2 * atan2(p.q[3], p.q[0]) : p.x[2],
                                p.q[0], p.q[1], p.q[2],
                                p.q[3], v[0],   v[1],
                                v[2],   w[0],   w[1],
                                w[2]};
        const double flat[6] = {all[0], all[1], all[2], v[0], v[1], w[2]};
        memcpy(out + at, plane ? flat : all, (plane ? sizeof flat : sizeof all));
        at += plane ? 6 : 13;
    }
    for (int k = 0; k < sti_bodies_joint_count(b); k++) {
        const int axes = sti_joint_axis_count(sti_bodies_dim(b), sti_bodies_joint(b, k)->kind);
        sti_world_joint j;
        if (axes == 0) continue;
        sti_world_joint_state(world, k, &j);
        for (int i = 0; i < axes && i < 2; i++) out[at++] = j.coordinate[i];
    }
    sti_world_energy(world, &kinetic, &potential);
    out[at++] = kinetic;
    out[at] = potential;
}

// How many numbers read_world writes, also where fewer have names.
static size_t world_size(const cli_fit_scene* s) {
    const sti_bodies* b = sti_world_scene_of(s->problem)->bodies;
    return 13 * (size_t)sti_bodies_count(b) + 2 * (size_t)sti_bodies_joint_count(b) + 2;
}

static sti_status follow_world(const cli_fit_scene* s, double until, cli_fit_span* span) {
    const sti_world_scene* scene = sti_world_scene_of(s->problem);
    sti_world_options o = scene->step;
    sti_world* world = NULL;
    if (s->h > 0) o.h = s->h;
    sti_status status = sti_world_create(s->c->env, scene->bodies, &o, &world);
    if (status == STI_OK) read_world(s, world, span->before);
    while (status == STI_OK && sti_world_time(world) < until - 1e-9 * o.h) {
        span->t0 = sti_world_time(world);
        status = sti_world_step(world, NULL);
        if (status != STI_OK) break;
        span->t1 = sti_world_time(world);
        read_world(s, world, span->now);
        span->fill(span->user, span);
        memcpy(span->before, span->now, world_size(s) * sizeof *span->now);
    }
    sti_world_destroy(world);
    return status;
}

// ---- grains in motion

static void read_bed(const sti_bed* bed, const sti_grains* grains, const sti_bed_report* r, double* x, double* out) {
    const int n = sti_bed_count(bed);
    double sum = 0, top = -INFINITY;
    sti_bed_get(bed, x, NULL, NULL);
    for (int i = 0; i < n; i++) {
        sum += x[3 * i + 2];
        top = fmax(top, x[3 * i + 2] + grains->radius[i]);
    }
    out[0] = r->kinetic;
    out[1] = r->potential;
    out[2] = sum / n;
    out[3] = top;
    for (int i = 0; i < n && i < MOST_GRAINS; i++) memcpy(out + 4 + 3 * i, x + 3 * (size_t)i, 3 * sizeof *x);
}

static sti_status follow_bed(const cli_fit_scene* s, double until, cli_fit_span* span) {
    const sti_bed_scene* scene = sti_bed_scene_of(s->problem);
    sti_bed_options o = scene->step;
    sti_grains grains = {0};
    sti_bed* bed = NULL;
    if (s->h > 0) o.h = s->h;
    sti_status status = sti_bed_scene_grains(s->c->env, scene, &grains);
    if (status == STI_OK) status = sti_bed_create(s->c->env, &grains, &o, &bed);
    double* x = status == STI_OK ? malloc(3 * (size_t)sti_bed_count(bed) * sizeof *x) : NULL;
    if (status == STI_OK && x == NULL) status = STI_ERR_MEMORY;
    bool first = true;
    while (status == STI_OK && sti_bed_time(bed) < until - 1e-9 * o.h) {
        sti_bed_report r = {0};
        span->t0 = sti_bed_time(bed);
        if (first) {
            read_bed(bed, &grains, &r, x, span->before);
            span->before[0] = span->before[1] = NAN;  // energies are told by steps
        }
        first = false;
        status = sti_bed_step(bed, &r);
        if (status != STI_OK) break;
        span->t1 = sti_bed_time(bed);
        read_bed(bed, &grains, &r, x, span->now);
        span->fill(span->user, span);
        memcpy(span->before, span->now, (4 + 3 * MOST_GRAINS) * sizeof *span->now);
    }
    free(x);
    sti_bed_destroy(bed);
    sti_grains_clear(s->c->env, &grains);
    return status;
}

sti_status cli_fit_follow_bodies(const cli_fit_scene* s, double until, cli_fit_span* span) {
    size_t size = s->bodies ? world_size(s) : 4 + 3 * MOST_GRAINS;
    if (size < CLI_FIT_COLUMNS) size = CLI_FIT_COLUMNS;  // names are those of the scene as it was read
    span->before = calloc(2 * size, sizeof *span->before);
    if (span->before == NULL) return STI_ERR_MEMORY;
    span->now = span->before + size;
    const sti_status status = s->bodies ? follow_world(s, until, span) : follow_bed(s, until, span);
    free(span->before);
    return status == STI_ERR_MEMORY || status == STI_ERR_TIME ? status
                                                              : STI_OK;  // anything else: there is no model there
}
