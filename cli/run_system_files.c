// run_system_files.c: files of a system's run: the recording, checkpoints and going on from them, the CSV table.
//
//     trajectory.h5   steps/   time, q, v, v_alpha, kinetic, potential, residual, collisions      one row a step
//                     contacts/   gap, impulse_n, impulse_t, mode, slip                           one row a step
//                     system   the file, as text;   coordinates, contact_names   one name a line
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_system.h"

// ---- the recording

enum {
    TIME,
    Q,
    V,
    V_ALPHA,
    KINETIC,
    POTENTIAL,
    RESIDUAL,
    COLLISIONS,
    WORK,
    FRICTION,
    PIECES,
    GAP,
    IMPULSE_N,
    IMPULSE_T,
    MODE,
    SLIP
};

static sti_status put_names(const cli_system_run* run, const char* name, int count,
                            const char* (*get)(const sti_system*, int)) {
    size_t size = 1;
    for (int i = 0; i < count; i++) size += strlen(get(run->system, i)) + 1;
    char* text = calloc(size, 1);
    if (text == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        strcat(text, get(run->system, i));
        if (i + 1 < count) strcat(text, "\n");
    }
    const sti_status status = sti_recording_put_text(run->record, name, text);
    free(text);
    return status;
}

static sti_status make_series(cli_system_run* run) {
    const int n = sti_system_coordinate_count(run->system), p = sti_system_contact_count(run->system);
    const sti_series_def defs[CLI_SYSTEM_SERIES] = {
        [TIME] = {.name = "steps/time"},
        [Q] = {.name = "steps/q", .columns = n},
        [V] = {.name = "steps/v", .columns = n},
        [V_ALPHA] = {.name = "steps/v_alpha", .columns = n},
        [KINETIC] = {.name = "steps/kinetic"},
        [POTENTIAL] = {.name = "steps/potential"},
        [RESIDUAL] = {.name = "steps/residual"},
        [COLLISIONS] = {.name = "steps/collisions", .type = STI_RECORD_INT},
        [WORK] = {.name = "steps/work"},
        [FRICTION] = {.name = "steps/friction"},
        [PIECES] = {.name = "steps/pieces", .type = STI_RECORD_INT},
        [GAP] = {.name = "contacts/gap", .columns = p},
        [IMPULSE_N] = {.name = "contacts/impulse_n", .columns = p},
        [IMPULSE_T] = {.name = "contacts/impulse_t", .items = p, .columns = 2},
        [MODE] = {.name = "contacts/mode", .type = STI_RECORD_INT, .columns = p},
        [SLIP] = {.name = "contacts/slip", .items = p, .columns = 2},
    };
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < (p > 0 ? CLI_SYSTEM_SERIES : GAP); k++)
        status = sti_recording_series(run->record, &defs[k], &run->series[k]);
    if (status == STI_OK) status = put_names(run, "coordinates", n, sti_system_coordinate);
    if (status == STI_OK && p > 0) status = put_names(run, "contact_names", p, sti_system_contact);
    return status;
}

int cli_system_record_begin(const cli* c, cli_system_run* run, const void* state, size_t size) {
    char *path = cli_run_path(run->dir, "trajectory.h5"), *text = malloc(run->text_size + 1);
    if (path == NULL || text == NULL) {
        free(path);
        free(text);
        return cli_fail_memory(c);
    }
    memcpy(text, run->text, run->text_size);
    text[run->text_size] = '\0';
    sti_status status = state != NULL ? sti_recording_resume(c->env, path, state, size, &run->record)
                                      : sti_recording_create(c->env, path, &run->record);
    if (status == STI_OK) status = make_series(run);
    if (status == STI_OK) status = sti_recording_put_text(run->record, "system", text);
    free(path);
    free(text);
    return status == STI_OK ? CLI_DONE : cli_run_fail_output(c);
}

static sti_status append(cli_system_run* run, int k, const void* data) {
    return sti_recording_append(run->record, run->series[k], 1, data);
}

static sti_status record_contacts(cli_system_run* run, const sti_step_report* r) {
    const int p = sti_system_contact_count(run->system);
    const size_t count = (size_t)p;
    double* zero = calloc(2 * count + 1, sizeof *zero);
    int* mode = calloc(count + 1, sizeof *mode);
    sti_status status = zero != NULL && mode != NULL ? STI_OK : STI_ERR_MEMORY;
    const double* gap = zero;
    if (status == STI_OK && r == NULL)
        status = sti_system_gap(run->system, sti_stepper_time(run->stepper), sti_stepper_q(run->stepper), zero);
    if (r != NULL) gap = r->gap;
    if (status == STI_OK) status = append(run, GAP, gap);
    if (status == STI_OK) memset(zero, 0, count * sizeof *zero);
    for (int i = 0; status == STI_OK && r != NULL && i < p; i++) mode[i] = r->mode[i];
    if (status == STI_OK) status = append(run, IMPULSE_N, r != NULL ? r->impulse_n : zero);
    if (status == STI_OK) status = append(run, IMPULSE_T, r != NULL ? r->impulse_t : zero);
    if (status == STI_OK) status = append(run, MODE, mode);
    if (status == STI_OK) status = append(run, SLIP, r != NULL ? r->slip : zero);
    free(zero);
    free(mode);
    return status;
}

int cli_system_record_step(const cli* c, cli_system_run* run, const sti_step_report* r) {
    const double time = sti_stepper_time(run->stepper), residual = r != NULL ? r->residual : 0;
    const double work = r != NULL ? r->work : 0, friction = r != NULL ? r->loss : 0;
    const int collisions = r != NULL ? r->collisions : 0, pieces = r != NULL ? r->pieces : 0;
    sti_status status = append(run, TIME, &time);
    if (status == STI_OK) status = append(run, Q, sti_stepper_q(run->stepper));
    if (status == STI_OK) status = append(run, V, sti_stepper_v(run->stepper));
    if (status == STI_OK) status = append(run, V_ALPHA, sti_stepper_v_alpha(run->stepper));
    if (status == STI_OK) status = append(run, KINETIC, &run->tally.last_kinetic);
    if (status == STI_OK) status = append(run, POTENTIAL, &run->tally.last_potential);
    if (status == STI_OK) status = append(run, RESIDUAL, &residual);
    if (status == STI_OK) status = append(run, COLLISIONS, &collisions);
    if (status == STI_OK) status = append(run, WORK, &work);
    if (status == STI_OK) status = append(run, FRICTION, &friction);
    if (status == STI_OK) status = append(run, PIECES, &pieces);
    if (status == STI_OK && sti_system_contact_count(run->system) > 0) status = record_contacts(run, r);
    return status == STI_OK ? CLI_DONE : cli_run_fail_output(c);
}

// ---- checkpoints: the file, the settings, options, state, where the recording stands, sums

typedef struct saved_options {
    char version[8];
    int scheme, geometry, friction, facets, active, level, stabilize, settle, substep, collision_limit, law, dissipate,
        refine, balance;
    double step, alpha, gap_tol, end_time;
    cli_system_tally tally;
} saved_options;

static const char options_version[8] = "system4";

static saved_options pack_options(const cli_system_run* run) {
    const sti_stepper_options* o = &run->options;
    saved_options s;
    memset(&s, 0, sizeof s);
    memcpy(s.version, options_version, sizeof s.version);
    s.scheme = (int)o->scheme;
    s.geometry = (int)o->geometry;
    s.friction = (int)o->friction;
    s.facets = o->facets;
    s.active = (int)o->active;
    s.level = (int)o->level;
    s.stabilize = o->stabilize;
    s.settle = o->settle;
    s.substep = o->substep;
    s.collision_limit = o->collision_limit;
    s.law = (int)o->law;
    s.dissipate = o->dissipate;
    s.refine = o->refine;
    s.balance = o->balance;
    s.step = o->step;
    s.alpha = o->alpha;
    s.gap_tol = o->gap_tol;
    s.end_time = run->end_time;
    s.tally = run->tally;
    return s;
}

static void unpack_options(cli_system_run* run, const saved_options* s) {
    run->options = sti_stepper_options_default((sti_scheme)s->scheme);
    sti_stepper_options* o = &run->options;
    o->geometry = (sti_geometry)s->geometry;
    o->friction = (sti_friction)s->friction;
    o->facets = s->facets;
    o->active = (sti_active)s->active;
    o->level = (sti_level)s->level;
    o->stabilize = s->stabilize != 0;
    o->settle = s->settle != 0;
    o->substep = s->substep != 0;
    o->collision_limit = s->collision_limit;
    o->law = (sti_impact_law)s->law;
    o->dissipate = s->dissipate != 0;
    o->refine = s->refine;
    o->balance = s->balance != 0;
    o->step = s->step;
    o->alpha = s->alpha;
    o->gap_tol = s->gap_tol;
    run->end_time = run->request->time > 0 ? run->request->time : s->end_time;
    run->tally = s->tally;
}

int cli_system_checkpoint(const cli* c, cli_system_run* run) {
    const double start = cli_now();
    int code = cli_run_csv_flush(c, run->request->csv, run->csv);
    if (code != CLI_DONE) return code;
    void *state = NULL, *record = NULL;
    size_t state_size, record_size;
    const saved_options options = pack_options(run);
    const size_t contacts = (size_t)sti_system_contact_count(run->system) * sizeof *run->contact;
    const char* settings = run->settings != NULL ? run->settings : "";
    const char* impact = run->impact != NULL ? run->impact : "";
    sti_status status = sti_recording_commit(run->record, true);
    if (status == STI_OK) status = sti_stepper_save(run->stepper, &state, &state_size);
    if (status == STI_OK) status = sti_recording_state(run->record, &record, &record_size);
    if (status != STI_OK) {
        code = cli_run_fail_output(c);
    } else {
        const sti_part parts[] = {{"system", run->text, run->text_size},  {"settings", settings, strlen(settings) + 1},
                                  {"impact", impact, strlen(impact) + 1}, {"options", &options, sizeof options},
                                  {"state", state, state_size},           {"record", record, record_size},
                                  {"contacts", run->contact, contacts}};
        code = cli_run_save_parts(c, run->dir, parts, (int)(sizeof parts / sizeof parts[0]));
    }
    sti_env_free(c->env, state);
    sti_env_free(c->env, record);
    run->tally.time_files_s += cli_now() - start;
    return code;
}

// ---- going on

static int restore_options(const cli* c, cli_system_run* run, const char* path) {
    char* bytes = NULL;
    size_t size;
    saved_options saved;
    int code = cli_run_load_part(c, path, "options", &bytes, &size);
    if (code == CLI_DONE && size == sizeof saved) memcpy(&saved, bytes, sizeof saved);
    if (code == CLI_DONE && (size != sizeof saved || memcmp(saved.version, options_version, sizeof saved.version) != 0))
        code = cli_fail_usage(c, "%s: options: not of this version", path);
    if (code == CLI_DONE) unpack_options(run, &saved);
    free(bytes);
    return code;
}

static int restore_state(const cli* c, cli_system_run* run, const char* path) {
    char *state = NULL, *record = NULL;
    size_t size, record_size;
    if (sti_stepper_create(c->env, run->system, &run->options, &run->stepper) != STI_OK) return cli_fail_about(c, path);
    int code = cli_run_load_part(c, path, "state", &state, &size);
    if (code == CLI_DONE && sti_stepper_load(run->stepper, state, size) != STI_OK) code = cli_fail_about(c, path);
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "record", &record, &record_size);
    if (code == CLI_DONE) code = cli_system_record_begin(c, run, record, record_size);
    free(state);
    free(record);
    return code;
}

static int restore_contacts(const cli* c, cli_system_run* run, const char* path) {
    const size_t wanted = (size_t)sti_system_contact_count(run->system) * sizeof *run->contact;
    char* bytes = NULL;
    size_t size;
    int code = cli_system_contacts(c, run);
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "contacts", &bytes, &size);
    if (code == CLI_DONE && size != wanted) code = cli_fail_usage(c, "%s: contacts: not of this system", path);
    if (code == CLI_DONE && wanted > 0) memcpy(run->contact, bytes, wanted);
    free(bytes);
    return code;
}

int cli_system_restore(const cli* c, cli_system_run* run) {
    char* path = cli_run_path(run->dir, "checkpoint.h5");
    if (path == NULL) return cli_fail_memory(c);
    size_t size;
    int code = cli_run_load_part(c, path, "system", &run->text, &run->text_size);
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "settings", &run->settings, &size);
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "impact", &run->impact, &size);
    if (code == CLI_DONE && run->settings[0] == '\0') {
        free(run->settings);
        run->settings = NULL;
    }
    if (code == CLI_DONE && run->impact[0] == '\0') {
        free(run->impact);
        run->impact = NULL;
    }
    if (code == CLI_DONE) code = restore_options(c, run, path);
    if (code == CLI_DONE) code = cli_system_load(c, run, path);
    if (code == CLI_DONE) code = cli_system_impact(c, run);
    if (code == CLI_DONE) code = restore_state(c, run, path);
    if (code == CLI_DONE) code = restore_contacts(c, run, path);
    free(path);
    return code;
}

// ---- the CSV table

static const char* const contact_columns[] = {"gap:", "impulse_n:", "impulse_t:", "slip:", "collision:"};

// Of two directions of slip each has a column.
static void put_contact_names(const cli_system_run* run, int i) {
    for (int k = 0; k < 5; k++) {
        const bool tangential = k == 2 || k == 3;
        const int count = tangential ? run->tangents[i] : 1;
        for (int a = 0; a < count; a++) {
            fprintf(run->csv, ",%s", contact_columns[k]);
            cli_run_csv_name(run->csv, sti_system_contact(run->system, i));
            if (count > 1) fprintf(run->csv, ":%d", a + 1);
        }
    }
}

static void put_contact(const cli_system_run* run, int i) {
    const cli_system_contact* k = &run->contact[i];
    cli_run_csv_number(run->csv, k->gap);
    cli_run_csv_number(run->csv, k->impulse_n);
    for (int a = 0; a < run->tangents[i]; a++) cli_run_csv_number(run->csv, k->impulse_t[a]);
    for (int a = 0; a < run->tangents[i]; a++) cli_run_csv_number(run->csv, k->slip[a]);
    cli_run_csv_number(run->csv, k->hit);
}

static void put_header(const cli_system_run* run) {
    const int n = sti_system_coordinate_count(run->system);
    static const char* const tail[] = {"", "'", "'_alpha"};
    fprintf(run->csv, "t");
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < n; i++) fprintf(run->csv, ",%s%s", sti_system_coordinate(run->system, i), tail[kind]);
    }
    fprintf(run->csv, ",kinetic,potential,residual,collisions,active,penetration,drift,work,friction,pieces");
    const int contacts = sti_system_contact_count(run->system) - sti_system_joint_count(run->system);
    for (int i = 0; i < contacts; i++) {
        fprintf(run->csv, ",mode:");
        cli_run_csv_name(run->csv, sti_system_contact(run->system, i));
    }
    fprintf(run->csv, ",collision_time,collision_energy");
    for (int i = 0; i < contacts; i++) put_contact_names(run, i);
    fputc('\n', run->csv);
}

int cli_system_csv_open(const cli* c, cli_system_run* run) {
    const long bytes = run->tally.csv_bytes;
    const int code = cli_run_csv_open(c, run->request->csv, run->dir, bytes, &run->csv);
    if (code != CLI_DONE || bytes > 0) return code;
    put_header(run);
    return cli_system_csv_line(c, run, NULL);
}

int cli_system_csv_line(const cli* c, cli_system_run* run, const sti_step_report* r) {
    const int n = sti_system_coordinate_count(run->system);
    const double* const parts[] = {sti_stepper_q(run->stepper), sti_stepper_v(run->stepper),
                                   sti_stepper_v_alpha(run->stepper)};
    fprintf(run->csv, "%.17g", sti_stepper_time(run->stepper));
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < n; i++) fprintf(run->csv, ",%.17g", parts[kind][i]);
    }
    fprintf(run->csv, ",%.17g,%.17g,%.17g,%d,%d,%.17g,%.17g", run->tally.last_kinetic, run->tally.last_potential,
            r != NULL ? r->residual : 0, r != NULL ? r->collisions : 0, r != NULL ? r->active : 0,
            r != NULL ? r->penetration : 0, r != NULL ? r->drift : 0);
    fprintf(run->csv, ",%.17g,%.17g,%d", r != NULL ? r->work : 0, r != NULL ? r->loss : 0, r != NULL ? r->pieces : 0);
    const int contacts = sti_system_contact_count(run->system) - sti_system_joint_count(run->system);
    for (int i = 0; i < contacts; i++)
        fprintf(run->csv, ",%s", r != NULL ? sti_contact_mode_text((sti_contact_mode)r->mode[i]) : "");
    cli_run_csv_number(run->csv, r != NULL ? r->collision_time : NAN);
    cli_run_csv_number(run->csv, r != NULL ? r->collision_energy : 0);
    for (int i = 0; i < contacts; i++) put_contact(run, i);
    fputc('\n', run->csv);
    return cli_run_csv_size(c, run->request->csv, run->csv, &run->tally.csv_bytes);
}
