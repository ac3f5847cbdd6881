// run_world_files.c: files of a run of bodies: recording, checkpoints and going on from them, the CSV table, the last step.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_world.h"

static const char tally_version[8] = "world 2";

bool cli_world_keep_curve(cli_world_run* run, double kinetic, double potential) {
    double* row = cli_run_curve_row(&run->curve, &run->curve_room, 3, (size_t)run->tally.steps);
    if (row == NULL) return false;
    row[0] = sti_world_time(run->world);
    row[1] = kinetic;
    row[2] = potential;
    return true;
}

int cli_world_record_begin(const cli* c, cli_world_run* run, const void* state, size_t size) {
    char* path = cli_run_path(run->dir, "trajectory.h5");
    if (path == NULL) return cli_fail_memory(c);
    const sti_status status =
        sti_world_record_create(c->env, path, run->scene->bodies, run->text, state, size, &run->record);
    free(path);
    return status == STI_OK ? CLI_DONE : cli_run_fail_output(c);
}

// ---- checkpoints: the file, the settings, the world, where the recording stands, sums, curve and instants

static size_t shot_size(const cli_world_run* run) {
    return (1 + 7 * (size_t)sti_bodies_count(run->scene->bodies)) * sizeof(double);
}

static int save_parts(const cli* c, const cli_world_run* run) {
    void *world = NULL, *record = NULL, *check = NULL;
    size_t world_size, record_size, check_size = 0;
    const size_t curve = 3 * ((size_t)run->tally.steps + 1) * sizeof(double);
    char tally[sizeof tally_version + sizeof run->tally];
    memcpy(tally, tally_version, sizeof tally_version);
    memcpy(tally + sizeof tally_version, &run->tally, sizeof run->tally);
    sti_status status = sti_world_save(run->world, &world, &world_size);
    if (status == STI_OK) status = sti_world_record_state(run->record, &record, &record_size);
    if (status == STI_OK && run->checker != NULL) status = sti_run_checker_save(run->checker, &check, &check_size);
    int code = status == STI_OK ? CLI_DONE : cli_run_fail_output(c);
    if (code == CLI_DONE) {
        const sti_part parts[] = {{"bodies", run->text, run->text_size},
                                  {"settings", run->settings, strlen(run->settings)},
                                  {"world", world, world_size},
                                  {"record", record, record_size},
                                  {"tally", tally, sizeof tally},
                                  {"curve", run->curve, curve},
                                  {"shots", run->shot, (size_t)run->shots * shot_size(run)},
                                  {"check", check, check_size}};
        const int count = (int)(sizeof parts / sizeof parts[0]);
        code = cli_run_save_parts(c, run->dir, parts, run->checker != NULL ? count : count - 1);
    }
    sti_env_free(c->env, world);
    sti_env_free(c->env, record);
    sti_env_free(c->env, check);
    return code;
}

int cli_world_checkpoint(const cli* c, cli_world_run* run) {
    const double start = cli_now();
    int code = cli_run_csv_flush(c, run->request->csv, run->csv);
    if (code == CLI_DONE) code = cli_run_csv_flush(c, run->request->contacts, run->contacts);
    if (code == CLI_DONE && sti_world_record_commit(run->record, true) != STI_OK) code = cli_run_fail_output(c);
    if (code == CLI_DONE) code = save_parts(c, run);
    run->tally.time_files_s += cli_now() - start;
    return code;
}

// ---- going on

static int restore_scene(const cli* c, cli_world_run* run, const char* path) {
    size_t size;
    int code = cli_run_load_part(c, path, "bodies", &run->text, &run->text_size);
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "settings", &run->settings, &size);
    if (code != CLI_DONE) return code;
    if (sti_document_parse(c->env, run->text, run->text_size, path, &run->problem) != STI_OK) return cli_fail_env(c);
    if (sti_world_scene_of(run->problem) == NULL) return cli_fail_usage(c, "%s: bodies: not a scene of bodies", path);
    if (run->settings[0] != '\0' && sti_document_set(run->problem, run->settings) != STI_OK)
        return cli_fail_about(c, path);
    if (run->request->time > 0) {  // the settings that a later run goes on with stay as they are
        char time[60];
        snprintf(time, sizeof time, "time=%.17g", run->request->time);
        if (sti_document_set(run->problem, time) != STI_OK) return cli_fail_about(c, path);
    }
    run->scene = sti_world_scene_of(run->problem);
    return CLI_DONE;
}

static int restore_world(const cli* c, cli_world_run* run, const char* path) {
    char* bytes = NULL;
    size_t size;
    if (sti_world_create(c->env, run->scene->bodies, &run->scene->step, &run->world) != STI_OK)
        return cli_fail_about(c, path);
    int code = cli_run_load_part(c, path, "world", &bytes, &size);
    if (code == CLI_DONE && sti_world_load(run->world, bytes, size) != STI_OK) code = cli_fail_about(c, path);
    free(bytes);
    return code;
}

static bool bodies_named(const cli_world_run* run) {
    const int count = sti_bodies_count(run->scene->bodies);
    const cli_world_tally* t = &run->tally;
    return t->start_a >= 0 && t->start_b >= 0 && (t->start_steps == 0 || (t->start_a < count && t->start_b < count));
}

// A run that was begun without the check goes on without it.
static int restore_check(const cli* c, cli_world_run* run, const char* path) {
    char* bytes = NULL;
    size_t size;
    const bool there = cli_run_has_part(c, run->dir, "check");
    if (!there && run->request->check)
        return cli_fail_usage(c, "--check: the run in %.200s was begun with --no-check", run->dir);
    int code = there ? cli_world_checker(c, run) : CLI_DONE;
    if (code != CLI_DONE || run->checker == NULL) return code;
    code = cli_run_load_part(c, path, "check", &bytes, &size);
    if (code == CLI_DONE && sti_run_checker_load(run->checker, bytes, size) != STI_OK) code = cli_fail_about(c, path);
    free(bytes);
    return code;
}

static int restore_sums(const cli* c, cli_world_run* run, const char* path) {
    char *tally = NULL, *curve = NULL, *shots = NULL;
    size_t size = 0, curve_size = 0, shots_size = 0;
    int code = cli_run_load_part(c, path, "tally", &tally, &size);
    const bool good = code == CLI_DONE && size == sizeof tally_version + sizeof run->tally &&
                      memcmp(tally, tally_version, sizeof tally_version) == 0;
    if (good) memcpy(&run->tally, tally + sizeof tally_version, sizeof run->tally);
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "curve", &curve, &curve_size);
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "shots", &shots, &shots_size);
    if (code == CLI_DONE &&
        (!good || run->tally.steps < 0 || run->tally.frame_every < 1 || run->tally.csv_bytes < 0 ||
         run->tally.contacts_bytes < 0 || !bodies_named(run) || run->tally.steps != sti_world_steps(run->world) ||
         curve_size != 3 * ((size_t)run->tally.steps + 1) * sizeof(double) || shots_size % shot_size(run) != 0 ||
         shots_size / shot_size(run) > CLI_WORLD_SHOTS))
        code = cli_fail_usage(c, "%s: tally: not of this version", path);
    if (code == CLI_DONE) {
        run->curve = (double*)(void*)curve;
        run->curve_room = (size_t)run->tally.steps + 1;
        run->shot = (double*)(void*)shots;
        run->shots = (int)(shots_size / shot_size(run));
        curve = shots = NULL;
    }
    free(tally);
    free(curve);
    free(shots);
    return code;
}

int cli_world_restore(const cli* c, cli_world_run* run) {
    char *path = cli_run_path(run->dir, "checkpoint.h5"), *record = NULL;
    size_t size;
    if (path == NULL) return cli_fail_memory(c);
    int code = restore_scene(c, run, path);
    if (code == CLI_DONE) code = restore_world(c, run, path);
    if (code == CLI_DONE) code = restore_sums(c, run, path);
    if (code == CLI_DONE) code = restore_check(c, run, path);
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "record", &record, &size);
    if (code == CLI_DONE) code = cli_world_record_begin(c, run, record, size);
    free(record);
    free(path);
    return code;
}

// ---- the CSV table

static void put_name(FILE* f, const char* name, const char* tail) {
    fputc(',', f);
    cli_run_csv_name(f, name);
    fputs(tail, f);
}

static void put_header(const cli_world_run* run) {
    static const char* const place2[] = {".x", ".y", ".angle"};
    static const char* const place3[] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
    static const char* const motion2[] = {".vx", ".vy", ".w"};
    static const char* const motion3[] = {".vx", ".vy", ".vz", ".wx", ".wy", ".wz"};
    const sti_bodies* b = run->scene->bodies;
    const bool plane = sti_bodies_dim(b) == 2;
    fputs("t", run->csv);
    for (int part = 0; part < 2; part++) {
        const char* const* tails = part == 0 ? (plane ? place2 : place3) : plane ? motion2 : motion3;
        const int count = part == 0 ? (plane ? 3 : 7) : plane ? 3 : 6;
        for (int k = 0; k < sti_bodies_count(b); k++) {
            const sti_body* body = sti_bodies_body(b, k);
            for (int i = 0; !body->fixed && i < count; i++) put_name(run->csv, body->name, tails[i]);
        }
    }
    for (int k = 0; k < sti_bodies_joint_count(b); k++) {
        const sti_joint* joint = sti_bodies_joint(b, k);
        static const char* const of_one[] = {".coordinate"};
        static const char* const of_two[] = {".slide", ".turn"};
        const int axes = sti_joint_axis_count(sti_bodies_dim(b), joint->kind);
        for (int i = 0; i < axes && i < 2; i++) put_name(run->csv, joint->name, axes == 1 ? of_one[i] : of_two[i]);
    }
    fputs(
        ",kinetic,potential,work,gain,residual,solved,iterations,contacts,touching,sticking,impacts,penetration,"
        "drift,impact_time,impact_energy",
        run->csv);
    static const char* const impulse[] = {".px", ".py", ".pz"};
    for (int k = 0; k < sti_bodies_count(b); k++) {
        const sti_body* body = sti_bodies_body(b, k);
        for (int i = 0; !body->fixed && i < (plane ? 2 : 3); i++) put_name(run->csv, body->name, impulse[i]);
    }
    fputc('\n', run->csv);
}

static void put_state(const cli_world_run* run) {
    const sti_bodies* b = run->scene->bodies;
    const bool plane = sti_bodies_dim(b) == 2;
    for (int k = 0; k < sti_bodies_count(b); k++) {
        sti_pose p;
        if (sti_bodies_body(b, k)->fixed) continue;
        sti_world_pose(run->world, k, &p);
        if (plane)
            fprintf(run->csv, ",%.17g,%.17g,%.17g", p.x[0], p.x[1], 2 * atan2(p.q[3], p.q[0]));
        else
            fprintf(run->csv, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", p.x[0], p.x[1], p.x[2], p.q[0], p.q[1],
                    p.q[2], p.q[3]);
    }
    for (int k = 0; k < sti_bodies_count(b); k++) {
        double v[3], w[3];
        if (sti_bodies_body(b, k)->fixed) continue;
        sti_world_velocity(run->world, k, v, w);
        if (plane)
            fprintf(run->csv, ",%.17g,%.17g,%.17g", v[0], v[1], w[2]);
        else
            fprintf(run->csv, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", v[0], v[1], v[2], w[0], w[1], w[2]);
    }
    for (int k = 0; k < sti_bodies_joint_count(b); k++) {
        sti_world_joint j;
        const int axes = sti_joint_axis_count(sti_bodies_dim(b), sti_bodies_joint(b, k)->kind);
        if (axes == 0) continue;
        sti_world_joint_state(run->world, k, &j);
        for (int i = 0; i < axes && i < 2; i++) fprintf(run->csv, ",%.17g", j.coordinate[i]);
    }
}

// What the contacts of the step gave to each body, in world axes.
static bool put_impulses(const cli_world_run* run) {
    const sti_bodies* b = run->scene->bodies;
    const int bodies = sti_bodies_count(b), d = sti_bodies_dim(b);
    double* sum = calloc(3 * (size_t)bodies + 1, sizeof *sum);
    int count = 0;
    const sti_world_contact* list = run->tally.steps > 0 ? sti_world_contacts(run->world, &count) : NULL;
    if (sum == NULL) return false;
    for (int k = 0; k < count; k++) {
        const double* const axis[3] = {list[k].n, list[k].t1, list[k].t2};
        for (int i = 0; i < 3 * d; i++) {
            const double part = list[k].r[i / 3] * axis[i / 3][i % 3];
            sum[3 * list[k].a + i % 3] += part;
            sum[3 * list[k].b + i % 3] -= part;
        }
    }
    for (int k = 0; k < bodies; k++) {
        for (int i = 0; !sti_bodies_body(b, k)->fixed && i < d; i++) fprintf(run->csv, ",%.17g", sum[3 * k + i]);
    }
    free(sum);
    return true;
}

int cli_world_csv_line(const cli* c, cli_world_run* run) {
    const sti_world_report* s = &run->tally.last;
    fprintf(run->csv, "%.17g", sti_world_time(run->world));
    put_state(run);
    fprintf(run->csv, ",%.17g,%.17g,%.17g,%.17g,%.17g,%d,%ld,%d,%d,%d,%d,%.17g,%.17g", s->kinetic, s->potential,
            s->work, s->gain, s->residual, run->tally.steps == 0 || s->solved ? 1 : 0, s->iterations, s->contacts,
            s->touching, s->sticking, s->impacts + s->landings, s->penetration, s->drift);
    cli_run_csv_number(run->csv, run->tally.steps == 0 ? NAN : s->impact_time);
    cli_run_csv_number(run->csv, s->impact_energy + s->landing_energy);
    if (!put_impulses(run)) return cli_fail_memory(c);
    fputc('\n', run->csv);
    return cli_run_csv_size(c, run->request->csv, run->csv, &run->tally.csv_bytes);
}

int cli_world_csv_open(const cli* c, cli_world_run* run) {
    const long bytes = run->tally.csv_bytes;
    const int code = cli_run_csv_open(c, run->request->csv, run->dir, bytes, &run->csv);
    if (code != CLI_DONE || bytes > 0) return code;
    put_header(run);
    return cli_world_csv_line(c, run);
}

// ---- --contacts FILE: one line for each contact that carries, in each step

int cli_world_contacts_open(const cli* c, cli_world_run* run) {
    const long bytes = run->tally.contacts_bytes;
    const bool plane = sti_bodies_dim(run->scene->bodies) == 2;
    const int code = cli_run_csv_open(c, run->request->contacts, run->dir, bytes, &run->contacts);
    if (code != CLI_DONE || bytes > 0) return code;
    fputs(plane
              ? "t,a,b,mode,gap,x,y,nx,ny,tx,ty,impulse_n,impulse_t,opening,slip,hit\n"
              : "t,a,b,mode,gap,x,y,z,nx,ny,nz,t1x,t1y,t1z,t2x,t2y,t2z,impulse_n,impulse_t1,impulse_t2,opening,slip_t1,"
                "slip_t2,hit\n",
          run->contacts);
    return cli_run_csv_size(c, run->request->contacts, run->contacts, &run->tally.contacts_bytes);
}

static void put_numbers(FILE* f, const double* x, int count) {
    for (int i = 0; i < count; i++) fprintf(f, ",%.17g", x[i]);
}

int cli_world_contacts_lines(const cli* c, cli_world_run* run) {
    const sti_bodies* b = run->scene->bodies;
    const int d = sti_bodies_dim(b);
    FILE* f = run->contacts;
    int count = 0;
    const sti_world_contact* list = sti_world_contacts(run->world, &count);
    for (int k = 0; k < count; k++) {
        const sti_world_contact* at = &list[k];
        const double* const three[] = {at->point, at->n, at->t1, at->t2};
        if (!(at->r[0] > 0)) continue;
        fprintf(f, "%.17g", sti_world_time(run->world));
        put_name(f, sti_bodies_body(b, at->a)->name, "");
        put_name(f, sti_bodies_body(b, at->b)->name, "");
        fprintf(f, ",%s,%.17g", sti_contact_mode_text((sti_contact_mode)at->mode), at->gap);
        for (int i = 0; i < (d == 2 ? 3 : 4); i++) put_numbers(f, three[i], d);
        put_numbers(f, at->r, d);
        put_numbers(f, at->u, d);
        cli_run_csv_number(f, at->hit);
        fputc('\n', f);
    }
    return cli_run_csv_size(c, run->request->contacts, f, &run->tally.contacts_bytes);
}

// ---- --problem FILE: the last step as a contact problem, with its answer

int cli_world_save_problem(const cli* c, const cli_world_run* run) {
    const sti_contact_answer* answer = NULL;
    const sti_contact_problem* problem = sti_world_problem(run->world, &answer);
    if (problem == NULL || answer == NULL)
        return cli_fail_usage(c, "--problem: step %ld posed no contact problem", run->tally.steps);
    char title[300];
    snprintf(title, sizeof title, "step %ld of %.200s, h = %g", run->tally.steps,
             run->request->scene != NULL ? run->request->scene : "a resumed run", run->scene->step.h);
    const bool claimed = answer->outcome == STI_SOLVED;
    const sti_contact_guess guess = {.r = answer->r, .u = answer->u, .v = answer->v, .lambda = answer->lambda};
    const sti_contact_info info = {.title = title,
                                   .description = run->scene->description,
                                   .guess_count = claimed ? 0 : 1,
                                   .guesses = claimed ? NULL : &guess};
    const char* path = run->request->problem;
    sti_status status = sti_contact_save(c->env, problem, &info, path);
    if (status == STI_OK && claimed) status = sti_contact_answer_save(c->env, problem, answer, path);
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, "--problem");
}
