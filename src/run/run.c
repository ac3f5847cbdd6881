// run.c: the life of a simulation: the loop, its files, and going on from a checkpoint.
//
// The recording and the tables run ahead of the checkpoint. It holds how long they were, and a run that goes on cuts
// off what came later and writes it again: the same bits.
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "run/simulation.h"

#define MOST_STEPS 1e12

// Every kind there is.
static const sti_simulation_type* const types[] = {&sti_simulation_navigation, &sti_simulation_manipulation,
                                                   &sti_simulation_system,     &sti_simulation_world_system,
                                                   &sti_simulation_bodies,     &sti_simulation_grains};

struct sti_run {
    sti_env* env;
    sti_simulation* simulation;
    sti_run_options options;
    char *dir, *path[STI_TABLES];  // NULL: none
    FILE* table[STI_TABLES];
    long bytes[STI_TABLES];  // written so far
    bool recorded;           // there are files
    sti_recording* record;   // NULL: none, or the simulation has its own
    int series[STI_MOST_SERIES];
    double* curve;  // (curve_room x curve_columns)
    size_t curve_rows, curve_room, curve_columns;
    double end_time;
    void* held;  // where the recording is gone on with: at the last checkpoint; before what is not part of one; NULL:
                 // where it is
    size_t held_size;
    sti_run_state state;
};

// ---- simulations

static sti_status make_simulation(sti_env* env, const sti_simulation_type* type, sti_simulation** out) {
    *out = sti_alloc_array_zero(env, 1, sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    (*out)->env = env;
    (*out)->type = type;
    (*out)->self = sti_alloc_array_zero(env, 1, type->size);
    return sti_simulation_begun((*out)->self != NULL ? STI_OK : STI_ERR_MEMORY, out);
}

sti_status sti_simulation_begin(sti_env* env, const sti_simulation_type* type, const sti_run_source* from,
                                sti_simulation** out) {
    sti_status status = make_simulation(env, type, out);
    if (status == STI_OK) status = sti_source_open(env, from, type->document, (*out)->self);
    return sti_simulation_begun(status, out);
}

sti_status sti_simulation_begun(sti_status status, sti_simulation** out) {
    if (status == STI_OK) return status;
    sti_simulation_destroy(*out);
    *out = NULL;
    return status;
}

sti_status sti_simulation_create(sti_env* env, const sti_run_source* source, sti_simulation** out) {
    const char* name = source->name != NULL ? source->name : "text";
    sti_document* document;
    *out = NULL;
    const sti_status status = sti_document_parse(env, source->text, source->size, name, &document);
    if (status != STI_OK) return status;
    const sti_kind kind = sti_document_kind(document);
    const bool grains = kind == STI_KIND_SCENE && sti_bed_scene_of(document) != NULL;
    sti_document_destroy(document);
    switch (kind) {
        case STI_KIND_SCENE:
            return grains ? sti_bed_simulation(env, source, out) : sti_world_simulation(env, source, out);
        case STI_KIND_SYSTEM:
            return sti_system_simulation(env, source, NULL, out);
        case STI_KIND_MANIPULATION:
            return sti_push_simulation(env, source, 0, out);
        case STI_KIND_NAVIGATION:
            return sti_navigation_simulation(env, source, out);
        default:
            return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: kind: nothing moves in a document of kind %s", name,
                            sti_kind_text(kind));
    }
}

void sti_simulation_destroy(sti_simulation* s) {
    if (s == NULL) return;
    if (s->self != NULL) {
        s->type->clear(s->self);
        sti_source_clear(s->self);
    }
    sti_free(s->env, s->self);
    sti_free(s->env, s);
}

sti_status sti_simulation_steps(const sti_simulation* s, double end, long* steps) {
    sti_moment m;
    s->type->now(s->self, &m);
    const double time = (end > 0 ? end : m.end) - m.start, count = floor(time / m.h + 0.5);
    if (!(count <= MOST_STEPS))
        return STI_FAIL(s->env, STI_ERR_INPUT, -1, "step %g: time %g would take %.3g steps, %g at most are taken", m.h,
                        time, count, MOST_STEPS);
    *steps = count < 1 ? 1 : (long)count;
    return STI_OK;
}

// ---- tables

static sti_status table_failed(sti_run* run, int k) {
    return STI_FAIL(run->env, STI_ERR_IO, -1, "%.200s: cannot be written: %s", run->path[k], strerror(errno));
}

// After lines: were they written, and how much is there now?
static sti_status table_measure(sti_run* run, int k) {
    if (ferror(run->table[k])) return table_failed(run, k);
    run->bytes[k] = ftell(run->table[k]);
    return STI_OK;
}

// What came after the checkpoint is cut off.
static bool cut_table(FILE* f, long bytes) {
    return fseek(f, 0, SEEK_END) == 0 && ftell(f) >= bytes && ftruncate(fileno(f), bytes) == 0 &&
           fseek(f, bytes, SEEK_SET) == 0;
}

static sti_status table_open(sti_run* run, int k) {
    const sti_simulation* s = run->simulation;
    if (k >= s->type->tables)
        return STI_FAIL(run->env, STI_ERR_INPUT, -1, "%.200s: runs of kind %s have no such table", run->path[k],
                        s->type->kind);
    run->table[k] = fopen(run->path[k], run->bytes[k] > 0 ? "r+" : "w");
    if (run->table[k] == NULL)
        return STI_FAIL(run->env, STI_ERR_INPUT, -1, "%.200s: cannot be written: %s", run->path[k], strerror(errno));
    if (run->bytes[k] > 0 && !cut_table(run->table[k], run->bytes[k]))
        return STI_FAIL(run->env, STI_ERR_INPUT, -1, "%.200s: not the table of the run in %.200s", run->path[k],
                        run->dir);
    if (run->bytes[k] > 0) return STI_OK;
    s->type->header(s->self, k, run->table[k]);
    const sti_status status = s->type->lines(s->self, k, run->table[k]);
    return status == STI_OK ? table_measure(run, k) : status;
}

static sti_status tables_open(sti_run* run) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < STI_TABLES; k++) {
        if (run->path[k] != NULL) status = table_open(run, k);
    }
    return status;
}

static sti_status tables_flush(sti_run* run) {
    for (int k = 0; k < STI_TABLES; k++) {
        if (run->table[k] != NULL && fflush(run->table[k]) != 0) return table_failed(run, k);
    }
    return STI_OK;
}

static sti_status tables_close(sti_run* run) {
    sti_status status = STI_OK;
    for (int k = 0; k < STI_TABLES; k++) {
        if (run->table[k] != NULL && fclose(run->table[k]) != 0 && status == STI_OK) status = table_failed(run, k);
        run->table[k] = NULL;
    }
    return status;
}

// ---- recording, curve, checkpoint

static char* path_of(sti_env* env, const char* dir, const char* name) {
    const size_t size = strlen(dir) + strlen(name) + 2;
    char* path = sti_alloc(env, size);
    if (path != NULL) snprintf(path, size, "%s/%s", dir, name);
    return path;
}

// state NULL: a new file.
static sti_status record_open(sti_run* run, const void* state, size_t size) {
    const sti_simulation* s = run->simulation;
    char* path = path_of(run->env, run->dir, "trajectory.h5");
    if (path == NULL) return STI_ERR_MEMORY;
    run->recorded = true;
    if (s->type->open != NULL) {
        const sti_status opened = s->type->open(s->self, path, state, size);
        sti_free(run->env, path);
        return opened;
    }
    sti_series_def defs[STI_MOST_SERIES] = {{0}};
    const int count = s->type->series(s->self, defs);
    sti_status status = state != NULL ? sti_recording_resume(run->env, path, state, size, &run->record)
                                      : sti_recording_create(run->env, path, &run->record);
    for (int k = 0; status == STI_OK && k < count; k++)
        status = sti_recording_series(run->record, &defs[k], &run->series[k]);
    if (status == STI_OK && s->type->texts != NULL) status = s->type->texts(s->self, run->record);
    sti_free(run->env, path);
    return status;
}

static sti_status record(sti_run* run) {
    const sti_simulation* s = run->simulation;
    if (!run->recorded) return STI_OK;
    return s->type->write != NULL ? s->type->write(s->self) : s->type->record(s->self, run->record, run->series);
}

static sti_status commit(sti_run* run) {
    const sti_simulation* s = run->simulation;
    return s->type->commit != NULL ? s->type->commit(s->self) : sti_recording_commit(run->record, true);
}

static void let_go(sti_run* run) {
    sti_env_free(run->env, run->held);
    run->held = NULL;
}

// Where the recording stands after a commit.
static sti_status hold(sti_run* run) {
    const sti_simulation* s = run->simulation;
    let_go(run);
    return s->type->position != NULL ? s->type->position(s->self, &run->held, &run->held_size)
                                     : sti_recording_save_state(run->record, &run->held, &run->held_size);
}

// What is written after the last step.
static sti_status conclude(sti_run* run) {
    const sti_simulation* s = run->simulation;
    if (!run->recorded || s->type->conclude == NULL) return STI_OK;
    sti_status status = commit(run);
    if (status == STI_OK) status = hold(run);
    return status == STI_OK ? s->type->conclude(s->self) : status;
}

static sti_status keep_row(sti_run* run) {
    const sti_simulation* s = run->simulation;
    if (!run->options.curve) return STI_OK;
    if (run->curve_rows >= run->curve_room) {
        const size_t room = 2 * run->curve_rows + 256;
        double* more = sti_realloc_array(run->env, run->curve, sti_size_mul(room, run->curve_columns), sizeof *more);
        if (more == NULL) return STI_ERR_MEMORY;
        run->curve = more;
        run->curve_room = room;
    }
    s->type->curve(s->self, run->curve + run->curve_columns * run->curve_rows++);
    return STI_OK;
}

static void put_run(const sti_run* run, sti_store* f) {
    const int64_t bytes[STI_TABLES] = {run->bytes[0], run->bytes[1], run->bytes[2]};
    const double times[] = {run->state.time_s, run->state.time_step_s, run->state.time_files_s};
    sti_store_put_text(f, "kind", run->simulation->type->kind);
    sti_store_put_long(f, "version", run->simulation->type->version);
    sti_store_put_numbers(f, "run.end_time", &run->end_time, 1);
    sti_store_put_long(f, "run.end", (long)run->state.end);
    sti_store_put_integers(f, "run.table_bytes", bytes, STI_TABLES);
    sti_store_put_numbers(f, "run.seconds", times, 3);
    sti_store_put_numbers(f, "run.curve", run->curve, run->curve_rows * run->curve_columns);
}

static sti_status checkpoint(sti_run* run) {
    const sti_simulation* s = run->simulation;
    sti_store* f = NULL;
    const double start = sti_clock();
    if (!run->recorded) return STI_OK;
    char* path = path_of(run->env, run->dir, "checkpoint.h5");
    sti_status status = path != NULL ? tables_flush(run) : STI_ERR_MEMORY;
    if (status == STI_OK) status = commit(run);
    if (status == STI_OK && run->held == NULL) status = hold(run);
    if (status == STI_OK) status = sti_store_create(run->env, &f);
    if (status == STI_OK) {
        put_run(run, f);
        sti_store_put_bytes(f, "record", run->held, run->held_size);
        sti_source_save(s->self, f);
        status = s->type->save(s->self, f);
    }
    if (status == STI_OK) status = sti_store_save(f, path);
    sti_store_destroy(f);
    let_go(run);
    sti_free(run->env, path);
    run->state.time_files_s += sti_clock() - start;
    if (status == STI_OK && run->options.saved != NULL) run->options.saved(run->options.user);
    return status;
}

// ---- begin, and going on

sti_run_options sti_run_options_default(void) {
    return (sti_run_options){.checkpoint_s = 60};
}

// Takes the simulation over. dir: that of the options, or of the run that is gone on with.
static sti_status make_run(sti_env* env, sti_simulation* s, const sti_run_options* options, const char* dir,
                           sti_run** out) {
    sti_run* run = sti_alloc_array_zero(env, 1, sizeof *run);
    *out = run;
    if (run == NULL) {
        sti_simulation_destroy(s);
        return STI_ERR_MEMORY;
    }
    run->env = env;
    run->simulation = s;
    run->options = options != NULL ? *options : sti_run_options_default();
    const char* const names[STI_TABLES] = {run->options.csv, run->options.contacts, run->options.attempts};
    run->options.dir = run->options.csv = run->options.contacts = run->options.attempts = NULL;  // the run has its own
    run->dir = dir != NULL ? sti_strdup(env, dir) : NULL;
    bool whole = dir == NULL || run->dir != NULL;
    for (int k = 0; k < STI_TABLES; k++) {
        run->path[k] = names[k] != NULL ? sti_strdup(env, names[k]) : NULL;
        whole = whole && (names[k] == NULL || run->path[k] != NULL);
    }
    run->curve_columns = s->type->curve_columns(s->self);
    return whole ? STI_OK : STI_ERR_MEMORY;
}

static sti_status find_end(sti_run* run) {
    const sti_simulation* s = run->simulation;
    if (run->options.time > 0) run->end_time = run->options.time;
    const sti_status status = sti_simulation_steps(s, run->end_time, &run->state.last);
    if (status != STI_OK || s->type->prepare == NULL) return status;
    return s->type->prepare(s->self, &run->options, run->state.last);
}

static void now(sti_run* run) {
    sti_moment m;
    run->simulation->type->now(run->simulation->self, &m);
    run->state.steps = m.steps;
    run->state.time = m.time;
    run->state.h = m.h;
    run->state.kind = run->simulation->type->kind;
    run->state.over = m.over || m.steps >= run->state.last;
}

static sti_status begin(sti_run* run) {
    sti_status status = find_end(run);
    if (status != STI_OK) return status;
    now(run);
    if (run->dir != NULL) status = record_open(run, NULL, 0);
    if (status == STI_OK) status = record(run);
    if (status == STI_OK) status = keep_row(run);
    if (status == STI_OK) status = checkpoint(run);
    return status == STI_OK ? tables_open(run) : status;
}

sti_status sti_run_create(sti_env* env, sti_simulation* simulation, const sti_run_options* options, sti_run** out) {
    sti_status status = make_run(env, simulation, options, options != NULL ? options->dir : NULL, out);
    if (status == STI_OK) status = begin(*out);
    if (status == STI_OK) return STI_OK;
    sti_run_destroy(*out);
    *out = NULL;
    return status;
}

static sti_status get_run(sti_run* run, const sti_store* f) {
    size_t count;
    const double* end = sti_store_numbers(f, "run.end_time", &count);
    if (end == NULL || count != 1) return sti_store_missing(f, "run.end_time");
    run->end_time = *end;
    const int64_t* bytes = sti_store_integers(f, "run.table_bytes", &count);
    if (bytes == NULL || count > STI_TABLES) return sti_store_missing(f, "run.table_bytes");
    for (size_t k = 0; k < count; k++) run->bytes[k] = bytes[k] > 0 ? (long)bytes[k] : 0;
    long ended;
    if (sti_store_get_long(f, "run.end", &ended) && ended >= STI_RUN_END_TIME && ended <= STI_RUN_END_ITSELF)
        run->state.end = (sti_run_end)ended;
    const double* times = sti_store_numbers(f, "run.seconds", &count);
    if (times == NULL || count != 3) return sti_store_missing(f, "run.seconds");
    run->state.time_s = times[0];
    run->state.time_step_s = times[1];
    run->state.time_files_s = times[2];
    const double* curve = sti_store_numbers(f, "run.curve", &count);
    if (curve == NULL || count % run->curve_columns != 0) return sti_store_missing(f, "run.curve");
    if (count == 0 || !run->options.curve) return STI_OK;
    run->curve = sti_alloc_array(run->env, count, sizeof *curve);
    if (run->curve == NULL) return STI_ERR_MEMORY;
    memcpy(run->curve, curve, count * sizeof *curve);
    run->curve_rows = run->curve_room = count / run->curve_columns;
    return STI_OK;
}

static sti_status go_on(sti_run* run, const sti_store* f) {
    size_t size;
    const void* state = sti_store_bytes(f, "record", &size);
    if (state == NULL) return sti_store_missing(f, "record");
    sti_status status = get_run(run, f);
    if (status == STI_OK) status = find_end(run);
    if (status != STI_OK) return status;
    now(run);
    run->state.begun = run->state.steps;
    run->held = sti_alloc(run->env, size);
    run->held_size = size;
    if (run->held == NULL) return STI_ERR_MEMORY;
    memcpy(run->held, state, size);
    return run->curve_rows == 0 ? keep_row(run) : STI_OK;
}

// The files of a run that goes on, at its first step: one that makes none keeps them as they are.
static sti_status reopen(sti_run* run) {
    if (run->dir == NULL || run->recorded) return STI_OK;
    const sti_status status = record_open(run, run->held, run->held_size);
    let_go(run);
    return status == STI_OK ? tables_open(run) : status;
}

// The simulation that the fields hold.
static sti_status load_simulation(sti_env* env, const sti_store* f, sti_simulation** out) {
    const char* kind = sti_store_text(f, "kind");
    const sti_simulation_type* type = NULL;
    long version;
    if (kind == NULL) return sti_store_missing(f, "kind");
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        if (strcmp(types[k]->kind, kind) == 0) type = types[k];
    }
    if (type == NULL) return STI_FAIL(env, STI_ERR_INPUT, -1, "kind: %.60s: no simulation of this version", kind);
    if (!sti_store_get_long(f, "version", &version)) return sti_store_missing(f, "version");
    if (version != type->version)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "version: %ld of %s: %ld expected, it was saved by another release",
                        version, kind, type->version);
    sti_status status = make_simulation(env, type, out);
    if (status == STI_OK) status = sti_source_load(env, f, type->document, (*out)->self);
    if (status == STI_OK) status = type->load((*out)->self, f);
    return sti_simulation_begun(status, out);
}

sti_status sti_run_resume(sti_env* env, const char* dir, const sti_run_options* options, sti_run** out) {
    sti_store* f = NULL;
    sti_simulation* s = NULL;
    *out = NULL;
    char* path = path_of(env, dir, "checkpoint.h5");
    if (path == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_store_load(env, path, &f);
    sti_free(env, path);
    if (status == STI_OK) status = load_simulation(env, f, &s);
    if (status == STI_OK) status = make_run(env, s, options, dir, out);
    if (status == STI_OK) status = go_on(*out, f);
    sti_store_destroy(f);
    if (status == STI_OK) return STI_OK;
    sti_run_destroy(*out);
    *out = NULL;
    return status;
}

void sti_run_destroy(sti_run* run) {
    if (run == NULL) return;
    sti_env* env = run->env;
    for (int k = 0; k < STI_TABLES; k++) {
        if (run->table[k] != NULL) fclose(run->table[k]);
        sti_free(env, run->path[k]);
    }
    sti_recording_destroy(run->record);
    sti_simulation_destroy(run->simulation);
    let_go(run);
    sti_free(env, run->curve);
    sti_free(env, run->dir);
    sti_free(env, run);
}

// ---- steps

static sti_status write_step(sti_run* run) {
    const sti_simulation* s = run->simulation;
    sti_status status = keep_row(run);
    for (int k = 0; status == STI_OK && k < STI_TABLES; k++) {
        if (run->table[k] == NULL) continue;
        status = s->type->lines(s->self, k, run->table[k]);
        if (status == STI_OK) status = table_measure(run, k);
    }
    return status == STI_OK ? record(run) : status;
}

static void stop(sti_run* run, sti_run_end end) {
    run->state.over = true;
    run->state.end = end;
}

static void stop_if_asked(sti_run* run) {
    const sti_run_options* o = &run->options;
    if (run->state.over) return;
    if ((o->stopped != NULL && o->stopped(o->user)) || (o->interrupted != NULL && o->interrupted(o->user)))
        stop(run, STI_RUN_END_STOPPED);
}

static sti_status take_step(sti_run* run) {
    const sti_simulation* s = run->simulation;
    const double start = sti_clock();
    bool made = false, over = false;
    run->state.in_step = true;
    sti_status status = s->type->step(s->self, &made, &over);
    if (status != STI_OK) return status;
    run->state.in_step = false;
    const double stepped = sti_clock();
    run->state.time_step_s += stepped - start;
    now(run);
    run->state.end = STI_RUN_END_TIME;
    if (over) stop(run, STI_RUN_END_ITSELF);
    stop_if_asked(run);
    if (made) status = write_step(run);
    if (status == STI_OK && run->state.over) status = conclude(run);
    run->state.time_files_s += sti_clock() - stepped;
    return status;
}

// A step, and what is called after it; `since`: the clock at which the run would have begun without breaks.
static sti_status advance(sti_run* run, double since) {
    const sti_simulation_type* type = run->simulation->type;
    const sti_status status = take_step(run);
    run->state.time_s = sti_clock() - since;
    if (status == STI_OK && run->options.stepped != NULL) run->options.stepped(run->options.user, run);
    return status == STI_OK && type->turn != NULL ? type->turn(run->simulation->self) : status;
}

sti_status sti_run_step(sti_run* run) {
    if (run->state.over) return STI_OK;
    const double since = sti_clock() - run->state.time_s;
    const sti_status status = reopen(run);
    return status == STI_OK ? advance(run, since) : status;
}

sti_status sti_run_checkpoint(sti_run* run) {
    return checkpoint(run);
}

sti_status sti_run_go(sti_run* run) {
    const double before = run->state.time_s, start = sti_clock();
    double saved = start;
    stop_if_asked(run);
    sti_status status = run->state.over ? STI_OK : reopen(run);
    while (status == STI_OK && !run->state.over) {
        status = advance(run, start - before);
        if (status == STI_OK && !run->state.over && sti_clock() - saved > run->options.checkpoint_s) {
            status = checkpoint(run);
            saved = sti_clock();
        }
    }
    if (status == STI_OK) status = checkpoint(run);  // of a run that made no step: there are no files
    const sti_status closed = tables_close(run);
    run->state.time_s = before + sti_clock() - start;
    return status == STI_OK ? closed : status;
}

void sti_run_now(const sti_run* run, sti_run_state* out) {
    *out = run->state;
}

const double* sti_run_curve(const sti_run* run, size_t* rows, size_t* columns) {
    *rows = run->curve_rows;
    *columns = run->curve_columns;
    return run->curve;
}

const void* sti_run_self(const sti_run* run, const sti_simulation_type* type) {
    return run->simulation->type == type ? run->simulation->self : NULL;
}

const sti_simulation* sti_run_simulation(const sti_run* run) {
    return run->simulation;
}
