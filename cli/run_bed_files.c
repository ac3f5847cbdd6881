// run_bed_files.c: files of a bed's run: checkpoints and going on from them, the CSV table.
#include <stdlib.h>
#include <string.h>

#include "run_bed.h"

// ---- checkpoints: the scene as text, the bed, where the recording stands, sums and energy curve

static const char tally_version[8] = "tally 4";

bool cli_bed_keep_curve(cli_bed_run* run, double time, double kinetic) {
    double* row = cli_run_curve_row(&run->curve, &run->curve_room, 2, (size_t)run->tally.steps - 1);
    if (row == NULL) return false;
    row[0] = time;
    row[1] = kinetic;
    return true;
}

static char* pack_tally(const cli_bed_run* run, size_t* size) {
    const size_t curve = 2 * (size_t)run->tally.steps * sizeof(double);
    *size = sizeof tally_version + sizeof run->tally + curve;
    char* bytes = malloc(*size);
    if (bytes == NULL) return NULL;
    memcpy(bytes, tally_version, sizeof tally_version);
    memcpy(bytes + sizeof tally_version, &run->tally, sizeof run->tally);
    if (curve > 0) memcpy(bytes + sizeof tally_version + sizeof run->tally, run->curve, curve);
    return bytes;
}

// Returns CLI_DONE or the code of the line written.
static int unpack_tally(const cli* c, cli_bed_run* run, const char* path, const char* bytes, size_t size) {
    const size_t lead = sizeof tally_version + sizeof run->tally;
    cli_bed_tally* t = &run->tally;
    if (size >= lead) memcpy(t, bytes + sizeof tally_version, sizeof *t);
    t->solver[sizeof t->solver - 1] = '\0';
    t->scene[sizeof t->scene - 1] = '\0';
    if (size < lead || memcmp(bytes, tally_version, sizeof tally_version) != 0 || t->steps < 0 || t->frame_every < 1 ||
        t->csv_bytes < 0 || (unsigned)t->end > CLI_BED_STOPPED ||
        (size_t)t->steps != (size - lead) / (2 * sizeof(double)))
        return cli_fail_usage(c, "%s: tally: not of this version", path);
    run->curve_room = (size_t)t->steps + 1024;
    run->curve = malloc(2 * run->curve_room * sizeof *run->curve);
    if (run->curve == NULL) return cli_fail_memory(c);
    memcpy(run->curve, bytes + lead, 2 * (size_t)t->steps * sizeof *run->curve);
    return CLI_DONE;
}

static int save_parts(const cli* c, const cli_bed_run* run) {
    void *bed = NULL, *record = NULL, *flow = NULL;
    size_t bed_size, record_size = 0, flow_size = 0, tally_size;
    char* tally = pack_tally(run, &tally_size);
    if (tally == NULL) return cli_fail_memory(c);
    sti_status status = sti_bed_save_state(run->bed, &bed, &bed_size);
    if (status == STI_OK && run->record_state == NULL)
        status = sti_bed_record_state(run->record, &record, &record_size);
    if (status == STI_OK && run->flow != NULL) status = sti_recirculation_save_state(run->flow, &flow, &flow_size);
    int code = status == STI_OK ? CLI_DONE : cli_run_fail_output(c);
    if (code == CLI_DONE) {
        const sti_part parts[] = {
            {"scene", run->scene_json, strlen(run->scene_json)},
            {"bed", bed, bed_size},
            {"record", record != NULL ? record : run->record_state, record != NULL ? record_size : run->record_size},
            {"tally", tally, tally_size},
            {"flow", flow, flow_size}};
        code = cli_run_save_parts(c, run->dir, parts, (int)(sizeof parts / sizeof parts[0]));
    }
    sti_env_free(c->env, bed);
    sti_env_free(c->env, record);
    sti_env_free(c->env, flow);
    free(tally);
    return code;
}

int cli_bed_checkpoint(const cli* c, cli_bed_run* run) {
    const double start = cli_now();
    int code = cli_run_csv_flush(c, run->request->csv, run->csv);
    if (code == CLI_DONE && sti_bed_record_commit(run->record, true) != STI_OK) code = cli_run_fail_output(c);
    if (code == CLI_DONE) code = save_parts(c, run);
    run->tally.time_files_s += cli_now() - start;
    return code;
}

// ---- going on

static int restore_scene(const cli* c, cli_bed_run* run, const char* path) {
    void* text;
    size_t size;
    sti_document* problem = NULL;
    if (sti_checkpoint_load(c->env, path, "scene", &text, &size) != STI_OK) return cli_fail_env(c);
    const sti_status status = sti_document_parse(c->env, text, size, path, &problem);
    sti_env_free(c->env, text);
    if (status != STI_OK) return cli_fail_env(c);
    const sti_scene* scene = sti_scene_of(problem);
    if (scene != NULL) run->scene = *scene;
    sti_document_destroy(problem);
    if (scene == NULL) return cli_fail_usage(c, "%s: scene: not a scene", path);
    if (sti_scene_json(c->env, &run->scene, &run->scene_json) != STI_OK) return cli_fail_env(c);
    if (run->request->time > 0) run->scene.time = run->request->time;
    return sti_scene_grains(c->env, &run->scene, &run->grains) == STI_OK ? CLI_DONE : cli_fail_about(c, path);
}

static int restore_bed(const cli* c, cli_bed_run* run, const char* path) {
    void* bytes;
    size_t size;
    if (sti_checkpoint_load(c->env, path, "bed", &bytes, &size) != STI_OK) return cli_fail_env(c);
    const sti_status status = sti_bed_load_state(c->env, bytes, size, &run->bed);
    sti_env_free(c->env, bytes);
    if (status != STI_OK) return cli_fail_about(c, path);
    return sti_bed_count(run->bed) == run->grains.count
               ? CLI_DONE
               : cli_fail_usage(c, "%s: bed: %d grains, the scene has %d", path, sti_bed_count(run->bed),
                                run->grains.count);
}

static int restore_flow(const cli* c, cli_bed_run* run, const char* path) {
    void* bytes;
    size_t size;
    if (!run->scene.bed.recirculate) return CLI_DONE;
    if (sti_checkpoint_load(c->env, path, "flow", &bytes, &size) != STI_OK) return cli_fail_env(c);
    const sti_status status = sti_recirculation_load_state(c->env, run->bed, bytes, size, &run->flow);
    sti_env_free(c->env, bytes);
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, path);
}

static int restore_record(const cli* c, cli_bed_run* run, const char* path) {
    void* bytes;
    size_t size;
    if (sti_checkpoint_load(c->env, path, "record", &bytes, &size) != STI_OK) return cli_fail_env(c);
    char* file = cli_run_path(run->dir, "trajectory.h5");
    sti_status status = STI_OK;
    if (file != NULL)
        status = sti_bed_record_create(c->env, file, &run->grains, run->scene_json, bytes, size, &run->record);
    sti_env_free(c->env, bytes);
    if (file == NULL) return cli_fail_memory(c);
    free(file);
    return status == STI_OK ? CLI_DONE : cli_run_fail_output(c);
}

static int restore_all(const cli* c, cli_bed_run* run, const char* path) {
    void* tally;
    size_t size;
    int code = restore_scene(c, run, path);
    if (code == CLI_DONE) code = restore_bed(c, run, path);
    if (code == CLI_DONE) code = restore_flow(c, run, path);
    if (code != CLI_DONE) return code;
    if (sti_checkpoint_load(c->env, path, "tally", &tally, &size) != STI_OK) return cli_fail_env(c);
    code = unpack_tally(c, run, path, tally, size);
    sti_env_free(c->env, tally);
    return code;
}

typedef int restorer(const cli* c, cli_bed_run* run, const char* path);

static int from_checkpoint(const cli* c, cli_bed_run* run, restorer* restore) {
    char* path = cli_run_path(run->dir, "checkpoint.h5");
    if (path == NULL) return cli_fail_memory(c);
    const int code = restore(c, run, path);
    free(path);
    return code;
}

int cli_bed_restore(const cli* c, cli_bed_run* run) {
    return from_checkpoint(c, run, restore_all);
}

int cli_bed_restore_record(const cli* c, cli_bed_run* run) {
    return from_checkpoint(c, run, restore_record);
}

// ---- the CSV table

static void put_names(FILE* f, int count, const char* lead) {
    static const char axis[] = "xyz";
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < 3; i++) fprintf(f, ",%s%c%d", lead, axis[i], k);
    }
}

static void put_header(const cli_bed_run* run) {
    fprintf(run->csv, "t");
    if (run->grains.count <= CLI_BED_CSV_GRAINS) {
        put_names(run->csv, run->grains.count, "");
        put_names(run->csv, run->grains.count, "v");
        put_names(run->csv, run->grains.count, "w");
    }
    fprintf(
        run->csv,
        ",kinetic,potential,residual,iterations,solved,contacts,touching,penetration,overlap,cone_violation,balance,"
        "momentum,lift,gap\n");
}

int cli_bed_csv_open(const cli* c, cli_bed_run* run) {
    const long bytes = run->tally.csv_bytes;
    const int code = cli_run_csv_open(c, run->request->csv, run->dir, bytes, &run->csv);
    if (code == CLI_DONE && bytes == 0) put_header(run);
    return code;
}

int cli_bed_csv_line(const cli* c, cli_bed_run* run) {
    const sti_bed_report* s = &run->tally.last;
    const int count = run->grains.count;
    fprintf(run->csv, "%.17g", s->time);
    if (count <= CLI_BED_CSV_GRAINS) {
        double state[9 * CLI_BED_CSV_GRAINS];
        const size_t n = (size_t)count;
        sti_bed_get(run->bed, state, state + 3 * n, state + 6 * n);
        for (size_t k = 0; k < 9 * n; k++) fprintf(run->csv, ",%.17g", state[k]);
    }
    fprintf(run->csv, ",%.17g,%.17g,%.17g,%ld,%d,%d,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", s->kinetic,
            s->potential, s->residual, s->iterations, s->solved ? 1 : 0, s->contacts, s->touching, s->penetration,
            s->overlap, s->cone_violation, s->balance, s->momentum, s->lift, s->gap);
    return cli_run_csv_size(c, run->request->csv, run->csv, &run->tally.csv_bytes);
}
