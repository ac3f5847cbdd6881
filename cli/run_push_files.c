// run_push_files.c: files of a push: the recording, checkpoints and going on from them, the tables of steps and contacts.
//
//     trajectory.h5   steps/      time, q, v, residual, penetration, dissipation, contacts    one row a step
//                     contacts/   step, part, against, other, mode, point, normal, gap,       one row a contact and step
//                                 lambda_n, lambda_t, slip
//                     manipulation   the file, as text
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_push.h"

enum {
    TIME,
    Q,
    V,
    RESIDUAL,
    PENETRATION,
    DISSIPATION,
    CONTACTS,
    STEP,
    PART,
    AGAINST,
    OTHER,
    MODE,
    POINT,
    NORMAL,
    GAP,
    LAMBDA_N,
    LAMBDA_T,
    SLIP
};

// ---- the recording

static sti_status make_series(cli_push_run* run) {
    const int n = 3 * sti_manipulation_part_count(run->scene);
    const sti_series_def defs[CLI_PUSH_SERIES] = {
        [TIME] = {.name = "steps/time"},
        [Q] = {.name = "steps/q", .columns = n},
        [V] = {.name = "steps/v", .columns = n},
        [RESIDUAL] = {.name = "steps/residual"},
        [PENETRATION] = {.name = "steps/penetration"},
        [DISSIPATION] = {.name = "steps/dissipation"},
        [CONTACTS] = {.name = "steps/contacts", .type = STI_RECORD_INT},
        [STEP] = {.name = "contacts/step", .type = STI_RECORD_LONG},
        [PART] = {.name = "contacts/part", .type = STI_RECORD_INT},
        [AGAINST] = {.name = "contacts/against", .type = STI_RECORD_INT},
        [OTHER] = {.name = "contacts/other", .type = STI_RECORD_INT},
        [MODE] = {.name = "contacts/mode", .type = STI_RECORD_INT},
        [POINT] = {.name = "contacts/point", .columns = 2},
        [NORMAL] = {.name = "contacts/normal", .columns = 2},
        [GAP] = {.name = "contacts/gap"},
        [LAMBDA_N] = {.name = "contacts/lambda_n"},
        [LAMBDA_T] = {.name = "contacts/lambda_t"},
        [SLIP] = {.name = "contacts/slip"},
    };
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < CLI_PUSH_SERIES; k++)
        status = sti_recording_series(run->record, &defs[k], &run->series[k]);
    return status;
}

int cli_push_record_begin(const cli* c, cli_push_run* run, const void* state, size_t size) {
    char* path = cli_run_path(run->dir, "trajectory.h5");
    if (path == NULL) return cli_fail_memory(c);
    sti_status status = state != NULL ? sti_recording_resume(c->env, path, state, size, &run->record)
                                      : sti_recording_create(c->env, path, &run->record);
    if (status == STI_OK) status = make_series(run);
    if (status == STI_OK) status = sti_recording_put_text(run->record, "manipulation", run->text);
    free(path);
    return status == STI_OK ? CLI_DONE : cli_run_fail_output(c);
}

static sti_status append(cli_push_run* run, int k, const void* data) {
    return sti_recording_append(run->record, run->series[k], 1, data);
}

static sti_status record_contact(cli_push_run* run, const sti_push_report* r, int i) {
    const sti_push_contact* k = &r->contacts[i];
    const sti_push_force* f = &r->forces[i];
    const long step = r->step;
    const int against = (int)k->against, mode = (int)f->mode;
    sti_status status = append(run, STEP, &step);
    if (status == STI_OK) status = append(run, PART, &k->part);
    if (status == STI_OK) status = append(run, AGAINST, &against);
    if (status == STI_OK) status = append(run, OTHER, &k->other);
    if (status == STI_OK) status = append(run, MODE, &mode);
    if (status == STI_OK) status = append(run, POINT, k->point);
    if (status == STI_OK) status = append(run, NORMAL, k->n);
    if (status == STI_OK) status = append(run, GAP, &k->gap);
    if (status == STI_OK) status = append(run, LAMBDA_N, &f->lambda_n);
    if (status == STI_OK) status = append(run, LAMBDA_T, &f->lambda_t);
    return status == STI_OK ? append(run, SLIP, &f->slip) : status;
}

int cli_push_record_step(const cli* c, cli_push_run* run, const sti_push_report* r) {
    const double time = sti_push_time(run->push),
                 numbers[3] = {r != NULL ? r->residual : 0, r != NULL ? r->penetration : 0,
                               r != NULL ? r->dissipation : 0};
    const int count = r != NULL ? r->contact_count : 0;
    sti_status status = append(run, TIME, &time);
    if (status == STI_OK) status = append(run, Q, sti_push_q(run->push));
    if (status == STI_OK) status = append(run, V, sti_push_v(run->push));
    for (int k = 0; status == STI_OK && k < 3; k++) status = append(run, RESIDUAL + k, &numbers[k]);
    if (status == STI_OK) status = append(run, CONTACTS, &count);
    for (int i = 0; status == STI_OK && i < count; i++) status = record_contact(run, r, i);
    return status == STI_OK ? CLI_DONE : cli_run_fail_output(c);
}

// ---- checkpoints: the file, the settings, where the run stands, poses, where the recording stands, phases

typedef struct saved_push {
    char version[8];
    double h;
    long last_step, step;
    int refuted;
    char check[240];
    cli_push_tally tally;
} saved_push;

static const char version[8] = "push1";

int cli_push_checkpoint(const cli* c, cli_push_run* run) {
    const size_t n = 3 * (size_t)sti_manipulation_part_count(run->scene), bytes = n * sizeof(double);
    int code = cli_run_csv_flush(c, run->request->csv, run->csv);
    if (code == CLI_DONE) code = cli_run_csv_flush(c, run->request->contacts, run->contacts);
    if (code != CLI_DONE) return code;
    saved_push s;
    memset(&s, 0, sizeof s);
    memcpy(s.version, version, sizeof s.version);
    s.h = run->h;
    s.last_step = run->last_step;
    s.step = sti_push_steps(run->push);
    s.refuted = run->refuted;
    snprintf(s.check, sizeof s.check, "%s", run->check);
    s.tally = run->tally;
    const char* settings = run->settings != NULL ? run->settings : "";
    void* record = NULL;
    size_t size;
    sti_status status = sti_recording_commit(run->record, true);
    if (status == STI_OK) status = sti_recording_state(run->record, &record, &size);
    if (status != STI_OK) {
        code = cli_run_fail_output(c);
    } else {
        const sti_part parts[] = {
            {"manipulation", run->text, run->text_size},
            {"settings", settings, strlen(settings) + 1},
            {"push", &s, sizeof s},
            {"q", sti_push_q(run->push), bytes},
            {"v", sti_push_v(run->push), bytes},
            {"record", record, size},
            {"phases", run->phases != NULL ? (const void*)run->phases : "", run->phase_count * sizeof *run->phases}};
        code = cli_run_save_parts(c, run->dir, parts, (int)(sizeof parts / sizeof parts[0]));
    }
    sti_env_free(c->env, record);
    return code;
}

static int restore_numbers(const cli* c, cli_push_run* run, const char* path, saved_push* s) {
    char* bytes = NULL;
    size_t size;
    int code = cli_run_load_part(c, path, "push", &bytes, &size);
    if (code == CLI_DONE && size == sizeof *s) memcpy(s, bytes, sizeof *s);
    if (code == CLI_DONE && (size != sizeof *s || memcmp(s->version, version, sizeof version) != 0))
        code = cli_fail_usage(c, "%s: push: not of this version", path);
    if (code == CLI_DONE) {
        run->h = s->h;
        run->last_step = s->last_step;
        run->refuted = s->refuted != 0;
        snprintf(run->check, sizeof run->check, "%s", s->check);
        run->tally = s->tally;
    }
    free(bytes);
    return code;
}

static int restore_state(const cli* c, cli_push_run* run, const char* path, long step) {
    const size_t wanted = 3 * (size_t)sti_manipulation_part_count(run->scene) * sizeof(double);
    char *q = NULL, *v = NULL, *record = NULL, *phases = NULL;
    size_t q_size, v_size, size, phases_size;
    int code = cli_run_load_part(c, path, "q", &q, &q_size);
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "v", &v, &v_size);
    if (code == CLI_DONE && (q_size != wanted || v_size != wanted))
        code = cli_fail_usage(c, "%s: q, v: not of this scene", path);
    if (code == CLI_DONE) sti_push_set(run->push, step, (const double*)(const void*)q, (const double*)(const void*)v);
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "phases", &phases, &phases_size);
    if (code == CLI_DONE) {
        run->phase_count = run->phase_room = phases_size / sizeof *run->phases;
        run->phases = (cli_push_phase*)(void*)phases;
        phases = NULL;
    }
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "record", &record, &size);
    if (code == CLI_DONE) code = cli_push_record_begin(c, run, record, size);
    free(q);
    free(v);
    free(record);
    free(phases);
    return code;
}

int cli_push_restore(const cli* c, cli_push_run* run) {
    char* path = cli_run_path(run->dir, "checkpoint.h5");
    saved_push s;
    size_t size;
    if (path == NULL) return cli_fail_memory(c);
    int code = cli_run_load_part(c, path, "manipulation", &run->text, &run->text_size);
    if (code == CLI_DONE) code = cli_run_load_part(c, path, "settings", &run->settings, &size);
    if (code == CLI_DONE && run->settings[0] == '\0') {
        free(run->settings);
        run->settings = NULL;
    }
    if (code == CLI_DONE) code = restore_numbers(c, run, path, &s);
    if (code == CLI_DONE) code = cli_push_load(c, run, path);
    if (code == CLI_DONE && run->request->time > 0)
        code = cli_run_steps(c, run->dir, run->request->time, run->h, &run->last_step);
    if (code == CLI_DONE) code = restore_state(c, run, path, s.step);
    free(path);
    return code;
}

// ---- tables

static void put_header(const cli_push_run* run) {
    static const char* const column[] = {"x", "y", "theta", "x'", "y'", "theta'"};
    const int parts = sti_manipulation_part_count(run->scene), tips = sti_manipulation_tip_count(run->scene);
    fprintf(run->csv, "t");
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < parts; i++) {
            fprintf(run->csv, ",%s", column[k]);
            if (parts == 1) continue;
            fputc(':', run->csv);
            cli_run_csv_name(run->csv, sti_manipulation_part(run->scene, i));
        }
    }
    fprintf(run->csv, ",residual,penetration,dissipation,contacts,closed");
    for (int i = 0; i < tips; i++) {
        char name[100];
        const sti_push_contact at = {.against = STI_PUSH_TIP, .other = i};
        static const char* const words[] = {"mode:", "gap:", "lambda_n:", "lambda_t:", "slip:"};
        sti_manipulation_contact_text(run->scene, &at, name, sizeof name);
        for (int k = 0; k < 5; k++) {
            fprintf(run->csv, ",%s", words[k]);
            cli_run_csv_name(run->csv, name);
        }
    }
    fprintf(run->csv, ",modes\n");
}

// The contact of a tip that presses most, or is nearest; -1: it touches nothing.
static int contact_of(const sti_push_report* r, int tip) {
    int best = -1;
    for (int i = 0; i < r->contact_count; i++) {
        if (r->contacts[i].against != STI_PUSH_TIP || r->contacts[i].other != tip) continue;
        if (best < 0 || r->forces[i].lambda_n > r->forces[best].lambda_n) best = i;
    }
    return best;
}

static void put_tip(const cli_push_run* run, const sti_push_report* r, int tip) {
    const int i = r != NULL ? contact_of(r, tip) : -1;
    if (i < 0) {
        fprintf(run->csv, ",%s,,,,", r != NULL ? "N" : "");
        return;
    }
    fprintf(run->csv, ",%c", sti_push_mode_letter(r->forces[i].mode));
    cli_run_csv_number(run->csv, r->contacts[i].gap);
    cli_run_csv_number(run->csv, r->forces[i].lambda_n);
    cli_run_csv_number(run->csv, r->forces[i].lambda_t);
    cli_run_csv_number(run->csv, r->forces[i].slip);
}

static void put_step(const cli_push_run* run, const sti_push_report* r) {
    const int parts = sti_manipulation_part_count(run->scene);
    const double *q = sti_push_q(run->push), *v = sti_push_v(run->push);
    int closed = 0;
    fprintf(run->csv, "%.17g", sti_push_time(run->push));
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < parts; i++) fprintf(run->csv, ",%.17g", k < 3 ? q[3 * i + k] : v[3 * i + k - 3]);
    }
    for (int i = 0; r != NULL && i < r->contact_count; i++) closed += r->forces[i].mode != STI_PUSH_OPEN;
    cli_run_csv_number(run->csv, r != NULL ? r->residual : 0);
    cli_run_csv_number(run->csv, r != NULL ? r->penetration : 0);
    cli_run_csv_number(run->csv, r != NULL ? r->dissipation : 0);
    fprintf(run->csv, ",%d,%d", r != NULL ? r->contact_count : 0, closed);
    for (int i = 0; i < sti_manipulation_tip_count(run->scene); i++) put_tip(run, r, i);
    fputc(',', run->csv);
    for (int i = 0; r != NULL && i < r->contact_count; i++) fputc(sti_push_mode_letter(r->forces[i].mode), run->csv);
    fputc('\n', run->csv);
}

static void put_contacts(const cli_push_run* run, const sti_push_report* r) {
    for (int i = 0; i < r->contact_count; i++) {
        const sti_push_contact* k = &r->contacts[i];
        const sti_push_force* f = &r->forces[i];
        char name[100];
        sti_manipulation_contact_text(run->scene, k, name, sizeof name);
        fprintf(run->contacts, "%ld,%.17g,", r->step, r->time);
        cli_run_csv_name(run->contacts, sti_manipulation_part(run->scene, k->part));
        fputc(',', run->contacts);
        cli_run_csv_name(run->contacts, name);
        fprintf(run->contacts, ",%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
                sti_push_mode_text(f->mode), k->point[0], k->point[1], k->n[0], k->n[1], k->mu, k->gap, f->opening,
                f->lambda_n, f->lambda_t, f->slip);
    }
}

int cli_push_tables_open(const cli* c, cli_push_run* run) {
    const cli_run_request* r = run->request;
    int code = CLI_DONE;
    if (r->csv != NULL) {
        code = cli_run_csv_open(c, r->csv, run->dir, run->tally.csv_bytes, &run->csv);
        if (code == CLI_DONE && run->tally.csv_bytes == 0) put_header(run);
    }
    if (code == CLI_DONE && r->contacts != NULL) {
        code = cli_run_csv_open(c, r->contacts, run->dir, run->tally.contacts_bytes, &run->contacts);
        if (code == CLI_DONE && run->tally.contacts_bytes == 0)
            fprintf(run->contacts, "step,t,part,with,mode,x,y,n_x,n_y,mu,gap,opening,lambda_n,lambda_t,slip\n");
    }
    const bool fresh = run->csv != NULL && run->tally.csv_bytes == 0;
    return code == CLI_DONE && fresh ? cli_push_tables_line(c, run, NULL) : code;
}

int cli_push_tables_line(const cli* c, cli_push_run* run, const sti_push_report* r) {
    int code = CLI_DONE;
    if (run->csv != NULL) {
        put_step(run, r);
        code = cli_run_csv_size(c, run->request->csv, run->csv, &run->tally.csv_bytes);
    }
    if (code == CLI_DONE && run->contacts != NULL && r != NULL) {
        put_contacts(run, r);
        code = cli_run_csv_size(c, run->request->contacts, run->contacts, &run->tally.contacts_bytes);
    }
    return code;
}
