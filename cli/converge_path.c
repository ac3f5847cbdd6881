// converge_path.c: runs of systems, bodies and beds as paths, and paths by formulas of t.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "converge.h"

static int show(cli_converge* w, double h) {
    char text[60];
    w->done++;
    snprintf(text, sizeof text, "h %g", h);
    cli_run_progress_show(w->c, &w->progress, fmin(1, w->done / fmax(1, w->work)), text);
    if (!cli_run_stopped()) return CLI_DONE;
    cli_run_progress_clear(&w->progress);
    fprintf(stderr, "stiction converge: stopped in the run with h = %g\n", h);
    return CLI_NO;
}

static int unsolved(cli_converge* w, const cli_converge_variant* v, double h, long step, const char* why) {
    cli_run_progress_clear(&w->progress);
    char text[480];
    snprintf(text, sizeof text, "%.100s: %s: h = %g: step %ld was not solved: %.200s", w->file, v->name, h, step, why);
    fprintf(stderr, "stiction converge: ");
    cli_put_line(text);
    return CLI_NO;
}

// A motion that is followed: in the coordinates of a system, or in those of the bodies behind it.
typedef struct motion {
    sti_world* world;  // of bodies; NULL: a system by formulas
    int n, bodies;
    double *q, *v;  // of bodies: poses and velocities      (7 bodies), (6 bodies)
    sti_path* path;
} motion;

// Positions and quaternions, the nearer of the two that mean the same as the first; velocities and angular velocities.
static void read_world(const sti_world* world, int bodies, double* q, double* v) {
    for (int i = 0; i < bodies; i++) {
        sti_pose pose;
        sti_world_pose(world, i, &pose);
        sti_world_velocity(world, i, v + 6 * i, v + 6 * i + 3);
        double same = 0;
        for (int k = 0; k < 4; k++) same += pose.q[k] * q[7 * i + 3 + k];
        memcpy(q + 7 * i, pose.x, sizeof pose.x);
        for (int k = 0; k < 4; k++) q[7 * i + 3 + k] = same < 0 ? -pose.q[k] : pose.q[k];
    }
}

// A row from coordinates of the system.
static sti_status add_row(motion* m, double t, const double* q, const double* v, double normal) {
    if (m->world == NULL) return sti_path_add(m->path, t, q, v, normal);
    const sti_status status = sti_world_follow(m->world, q, v);
    if (status != STI_OK) return status;
    read_world(m->world, m->bodies, m->q, m->v);
    return sti_path_add(m->path, t, m->q, m->v, normal);
}

// The impacts of the step, in rows of their own: velocities between them are then as good as the scheme. Two of them at
// the same time are one.
static sti_status add_jumps(motion* m, const sti_step_report* r) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < r->jump_count; k++) {
        const size_t at = (size_t)k * (size_t)m->n;
        const double t = r->jump_time[k], after = nextafter(t, INFINITY),
                     last = sti_path_time(m->path, sti_path_count(m->path) - 1);
        if (!(after < r->time)) break;
        if (t > last) status = add_row(m, t, r->jump_q + at, r->jump_minus + at, 0);
        if (status == STI_OK && after > last) status = add_row(m, after, r->jump_q + at, r->jump_plus + at, 0);
    }
    return status;
}

static int follow(cli_converge* w, const cli_converge_variant* v, const sti_system* system, double h, long steps,
                  motion* m) {
    const cli* c = w->c;
    const int open = sti_system_contact_count(system) - sti_system_joint_count(system);
    sti_stepper_options o = v->system;
    sti_stepper* s = NULL;
    o.step = h;
    m->n = sti_system_coordinate_count(system);
    if (sti_stepper_create(c->env, system, &o, &s) != STI_OK) return cli_fail_about(c, w->file);
    const int places = m->world != NULL ? 7 * m->bodies : m->n, speeds = m->world != NULL ? 6 * m->bodies : m->n;
    sti_status status = sti_path_create(c->env, places, speeds, o.alpha, &m->path);
    if (status == STI_OK) status = add_row(m, sti_stepper_time(s), sti_stepper_q(s), sti_stepper_v(s), 0);
    int code = CLI_DONE;
    for (long l = 0; status == STI_OK && code == CLI_DONE && l < steps; l++) {
        sti_step_report r;
        status = sti_stepper_step(s, &r);
        if (status != STI_OK) break;
        if (r.outcome != STI_SOLVED) {
            code = unsolved(w, v, h, l + 1, r.why);
            break;
        }
        double normal = 0;
        for (int i = 0; i < open; i++) normal += r.impulse_n[i];
        status = add_jumps(m, &r);
        if (status == STI_OK) status = add_row(m, sti_stepper_time(s), sti_stepper_q(s), sti_stepper_v(s), normal);
        if (status == STI_OK) code = show(w, h);
    }
    sti_stepper_destroy(s);
    return status == STI_OK ? code : cli_fail_about(c, w->file);
}

static int run_system(cli_converge* w, const cli_converge_variant* v, double h, long steps, sti_path** out) {
    motion m = {.world = NULL};
    const int code = follow(w, v, w->system, h, steps, &m);
    *out = m.path;
    return code;
}

// Bodies by events.
static int run_located(cli_converge* w, const cli_converge_variant* v, double h, long steps, sti_path** out) {
    const cli* c = w->c;
    motion m = {.bodies = sti_bodies_count(w->world->bodies)};
    sti_system* system = NULL;
    double* room = calloc(13 * (size_t)m.bodies + 1, sizeof *room);
    if (room == NULL) return cli_fail_memory(c);
    m.q = room;
    m.v = room + 7 * (size_t)m.bodies;
    sti_status status = sti_world_create(c->env, w->world->bodies, &v->world, &m.world);
    if (status == STI_OK) status = sti_world_system(c->env, m.world, &system);
    if (status == STI_OK) read_world(m.world, m.bodies, m.q, m.v);
    const int code = status == STI_OK ? follow(w, v, system, h, steps, &m) : cli_fail_about(c, w->file);
    *out = m.path;
    sti_system_destroy(system);
    sti_world_destroy(m.world);
    free(room);
    return code;
}

static int run_world(cli_converge* w, const cli_converge_variant* v, double h, long steps, sti_path** out) {
    const cli* c = w->c;
    const int bodies = sti_bodies_count(w->world->bodies);
    sti_world_options o = v->world;
    sti_world* s = NULL;
    o.h = h;
    double* room = calloc(13 * (size_t)bodies + 1, sizeof *room);
    if (room == NULL) return cli_fail_memory(c);
    double *q = room, *u = room + 7 * (size_t)bodies;
    sti_status status = sti_world_create(c->env, w->world->bodies, &o, &s);
    if (status == STI_OK) status = sti_path_create(c->env, 7 * bodies, 6 * bodies, o.alpha, out);
    if (status == STI_OK) read_world(s, bodies, q, u);
    if (status == STI_OK) status = sti_path_add(*out, sti_world_time(s), q, u, 0);
    int code = CLI_DONE;
    for (long l = 0; status == STI_OK && code == CLI_DONE && l < steps; l++) {
        sti_world_report r;
        status = sti_world_step(s, &r);
        if (status != STI_OK) break;
        if (!r.solved) {
            code = unsolved(w, v, h, l + 1, r.why);
            break;
        }
        int contacts;
        double normal = 0;
        const sti_world_contact* contact = sti_world_contacts(s, &contacts);
        for (int i = 0; i < contacts; i++) normal += contact[i].r[0];
        read_world(s, bodies, q, u);
        status = sti_path_add(*out, sti_world_time(s), q, u, normal);
        if (status == STI_OK) code = show(w, h);
    }
    sti_world_destroy(s);
    free(room);
    return status == STI_OK ? code : cli_fail_about(c, w->file);
}

static bool bed_impulses(const sti_bed* bed, double* normal) {
    const int count = sti_bed_contact_count(bed);
    sti_bed_contact* contact = malloc(((size_t)count + 1) * sizeof *contact);
    if (contact == NULL) return false;
    sti_bed_contacts(bed, contact);
    *normal = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) *normal += contact[i].r[k] * contact[i].n[k];
    }
    free(contact);
    return true;
}

static int run_bed(cli_converge* w, const cli_converge_variant* v, double h, long steps, sti_path** out) {
    const cli* c = w->c;
    sti_grains grains;
    sti_bed* s = NULL;
    sti_bed_options o = v->bed;
    o.h = h;
    if (sti_bed_scene_grains(c->env, w->bed, &grains) != STI_OK) return cli_fail_about(c, w->file);
    sti_status status = sti_bed_create(c->env, &grains, &o, &s);
    const int n = status == STI_OK ? 3 * sti_bed_count(s) : 1;
    double *room = malloc(3 * (size_t)n * sizeof *room), normal = 0;
    int code = room != NULL ? CLI_DONE : cli_fail_memory(c);
    if (status == STI_OK && code == CLI_DONE) {
        sti_bed_get(s, room, room + n, room + 2 * (size_t)n);
        status = sti_path_create(c->env, n, 2 * n, 1, out);
        if (status == STI_OK) status = sti_path_add(*out, sti_bed_time(s), room, room + n, 0);
    }
    for (long l = 0; status == STI_OK && code == CLI_DONE && l < steps; l++) {
        sti_bed_report r;
        status = sti_bed_step(s, &r);
        if (status != STI_OK) break;
        if (!r.solved) {
            char why[80];
            snprintf(why, sizeof why, "residual %.2g, tolerance %.2g", r.residual, o.tol);
            code = unsolved(w, v, h, l + 1, why);
        } else if (!bed_impulses(s, &normal)) {
            code = cli_fail_memory(c);
        } else {
            sti_bed_get(s, room, room + n, room + 2 * (size_t)n);
            status = sti_path_add(*out, sti_bed_time(s), room, room + n, normal);
            if (status == STI_OK) code = show(w, h);
        }
    }
    sti_bed_destroy(s);
    sti_grains_clear(c->env, &grains);
    free(room);
    return status == STI_OK ? code : cli_fail_about(c, w->file);
}

int cli_converge_run(cli_converge* w, const cli_converge_variant* v, double h, sti_path** out) {
    long steps;
    const int code = cli_run_steps(w->c, w->file, w->time, h, &steps);
    *out = NULL;
    if (code != CLI_DONE) return code;
    if (w->system != NULL) return run_system(w, v, h, steps, out);
    if (w->bed != NULL) return run_bed(w, v, h, steps, out);
    return v->by_events ? run_located(w, v, h, steps, out) : run_world(w, v, h, steps, out);
}

// ---- closed forms: a system whose gaps are the formulas

// The formula of that name in "x=..,x'=.."; NULL: there is none. Names are followed by '='.
static const char* formula_of(char* const* formulas, int count, const char* name, const char* tail) {
    const size_t length = strlen(name), rest = strlen(tail);
    for (int i = 0; i < count; i++) {
        const char* f = formulas[i] + strspn(formulas[i], " ");
        if (strncmp(f, name, length) != 0 || strncmp(f + length, tail, rest) != 0) continue;
        f += length + rest;
        f += strspn(f, " ");
        if (*f == '=') return f + 1;
    }
    return NULL;
}

// Cuts at commas outside parentheses. Pieces in all, `most` kept.
static int cut(char* text, char** piece, int most) {
    int count = 0, depth = 0;
    for (char* at = text; at != NULL;) {
        char* end = at;
        for (; *end != '\0' && (*end != ',' || depth > 0); end++) depth += (*end == '(') - (*end == ')');
        char* next = *end == ',' ? end + 1 : NULL;
        *end = '\0';
        if (count < most) piece[count] = at;
        count++;
        at = next;
    }
    return count;
}

static int sample(const cli_converge* w, const sti_system* model, int n, sti_path** out) {
    const cli* c = w->c;
    const double from = sti_path_time(w->variant[0].path[0], 0), zero[1] = {0};
    const long steps = lround(w->time / w->reference_step);
    double* value = malloc(2 * (size_t)n * sizeof *value);
    if (value == NULL) return cli_fail_memory(c);
    sti_status status = sti_path_create(c->env, n, n, 1, out);
    for (long l = 0; status == STI_OK && l <= steps; l++) {
        const double t = from + w->time * (double)l / (double)steps;
        status = sti_system_gap(model, t, zero, value);
        if (status == STI_OK) status = sti_path_add(*out, t, value, value + n, 0);
    }
    free(value);
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, "--closed");
}

int cli_converge_closed(cli_converge* w, const char* formulas, sti_path** out) {
    const cli* c = w->c;
    const int n = sti_system_coordinate_count(w->system);
    char *text = strdup(formulas), **piece = calloc(2 * (size_t)n + 1, sizeof *piece);
    sti_system_contact_text* gap = calloc(2 * (size_t)n, sizeof *gap);
    char(*names)[16] = calloc(2 * (size_t)n, sizeof *names);
    sti_system* model = NULL;
    int code = text != NULL && piece != NULL && gap != NULL && names != NULL ? CLI_DONE : cli_fail_memory(c);
    const int count = code == CLI_DONE ? cut(text, piece, 2 * n) : 0;
    if (code == CLI_DONE && count != 2 * n)
        code = cli_fail_usage(c, "--closed: %d formulas: %d expected, of coordinates and velocities, like x=t^2,x'=2*t",
                              count, 2 * n);
    for (int i = 0; code == CLI_DONE && i < 2 * n; i++) {
        const char* name = sti_system_coordinate(w->system, i % n);
        snprintf(names[i], sizeof names[i], "f%d", i);
        gap[i] = (sti_system_contact_text){.name = names[i], .gap = formula_of(piece, count, name, i < n ? "" : "'")};
        if (gap[i].gap == NULL) code = cli_fail_usage(c, "--closed: no formula of %.60s%s", name, i < n ? "" : "'");
    }
    const sti_system_text model_text = {.coordinate_count = 1,
                                        .coordinates = (const char*[]){"unused"},
                                        .kinetic = "unused'^2/2",
                                        .contact_count = 2 * n,
                                        .contacts = gap};
    if (code == CLI_DONE && sti_system_create(c->env, &model_text, &model) != STI_OK)
        code = cli_fail_about(c, "--closed");
    if (code == CLI_DONE) code = sample(w, model, n, out);
    sti_system_destroy(model);
    free(names);
    free(gap);
    free(piece);
    free(text);
    return code;
}
