// run_bed_step.c: what is asked about the last step of a bed's run: its problem as a file, whether the bed is jammed,
// and forces for a picture.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_bed.h"

// ---- --problem FILE

static int write_problem(const cli* c, cli_bed_run* run, const sti_run* now) {
    char title[160], *json;
    snprintf(title, sizeof title, "step %ld of %d grains (%s), h = %g", run->of->steps, run->of->grains->count,
             sti_layout_text(run->of->scene->bed.layout), run->of->scene->step.h);
    if (sti_bed_scene_json(c->env, run->of->scene, &json) != STI_OK) return cli_fail_env(c);
    const int code = cli_run_save_problem(c, now, title, json, run->request->problem, &run->problem_residual);
    sti_env_free(c->env, json);
    return code;
}

// ---- --jamming

// Who meets at each contact: the bed may have lost it by the time of the report.
static bool keep_ends(cli_bed_run* run) {
    const size_t count = (size_t)sti_bed_contact_count(run->of->bed);
    sti_bed_contact* list = calloc(count + 1, sizeof *list);
    int* ends = realloc(run->ends, (2 * count + 1) * sizeof *ends);
    if (ends != NULL) run->ends = ends;
    if (list != NULL && ends != NULL) {
        sti_bed_contacts(run->of->bed, list);
        for (size_t k = 0; k < count; k++) {
            ends[2 * k] = list[k].a;
            ends[2 * k + 1] = list[k].b;
        }
    }
    free(list);
    return list != NULL && ends != NULL;
}

static int test_jamming(const cli* c, cli_bed_run* run) {
    sti_jamming_options options = sti_jamming_options_default();
    options.time_limit_s = run->request->jamming_limit;
    sti_bed_jamming_clear(c->env, &run->jamming);
    if (sti_bed_jamming_analyze(c->env, run->of->bed, &options, &run->jamming) != STI_OK)
        return cli_fail_about(c, "--jamming");
    return run->jamming.r == NULL || keep_ends(run) ? CLI_DONE : cli_fail_memory(c);
}

// ---- --colour force

bool cli_bed_by_force(const cli_bed_run* run) {
    return run->request->picture && run->request->colour != NULL && strcmp(run->request->colour, "force") == 0;
}

static bool find_forces(cli_bed_run* run) {
    const size_t count = (size_t)sti_bed_contact_count(run->of->bed);
    sti_bed_contact* list = calloc(count + 1, sizeof *list);
    run->force = calloc((size_t)run->of->grains->count, sizeof *run->force);
    if (list != NULL && run->force != NULL) {
        sti_bed_contacts(run->of->bed, list);
        for (size_t k = 0; k < count; k++) {
            const sti_bed_contact* t = &list[k];
            const double rn = t->r[0] * t->n[0] + t->r[1] * t->n[1] + t->r[2] * t->n[2];
            run->force[t->a] += rn / run->of->scene->step.h;
            if (t->b >= 0) run->force[t->b] += rn / run->of->scene->step.h;
        }
    }
    free(list);
    return list != NULL && run->force != NULL;
}

int cli_bed_last_step(const cli* c, cli_bed_run* run, const sti_run* now) {
    int code = CLI_DONE;
    if (cli_bed_by_force(run) && run->state.steps > run->state.begun && !find_forces(run)) return cli_fail_memory(c);
    if (run->request->problem != NULL) code = write_problem(c, run, now);
    if (code == CLI_DONE && run->request->jamming) code = test_jamming(c, run);
    return code;
}

// ---- reports

static void put_stress(cli_json* j, const cli_bed_run* run) {
    const sti_bed_jamming* jam = &run->jamming;
    cli_json_array(j, "self_stress");
    for (int k = 0; jam->r != NULL && k < jam->contact_count; k++) {
        const double* r = jam->r + 3 * (size_t)k;
        if (r[0] == 0 && r[1] == 0 && r[2] == 0) continue;
        cli_json_object(j, NULL);
        cli_json_integer(j, "a", run->ends[2 * (size_t)k]);
        cli_json_integer(j, "b", run->ends[2 * (size_t)k + 1]);
        cli_json_numbers(j, "r", r, 3);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_tests(cli_json* j, const sti_bed_run* t) {
    cli_json_object(j, "jamming_tests");
    cli_json_integer(j, "count", t->jamming_tests);
    cli_json_integer(j, "holds", t->jamming_holds);
    cli_json_integer(j, "fails", t->jamming_fails);
    if (t->jamming_fails > 0)
        cli_json_number(j, "first_fails", t->jamming_first);
    else
        cli_json_null(j, "first_fails");
    cli_json_end(j);
}

static void put_jamming(cli_json* j, const cli_bed_run* run) {
    const sti_bed_jamming* jam = &run->jamming;
    const size_t n = (size_t)run->of->grains->count;
    cli_json_object(j, "jamming");
    cli_json_text(j, "pointed", sti_contact_finding_text(jam->pointed));
    cli_json_integer(j, "touching", jam->touching);
    cli_json_integer(j, "freed", jam->freed);
    cli_json_integer(j, "groups", jam->groups);
    cli_json_integer(j, "group_contacts", jam->group_contacts);
    cli_json_number(j, "margin", jam->margin);
    cli_json_number(j, "defect", jam->defect);
    cli_json_number(j, "time_s", jam->time_s);
    const bool shown = jam->turn != NULL && run->of->grains->count <= STI_BED_TABLE_GRAINS;
    cli_json_indices(j, "turn", shown ? jam->turn : NULL, n);
    cli_json_numbers(j, "motion", shown ? jam->motion : NULL, 6 * n);
    if (jam->pointed == STI_FINDING_FAILS)
        put_stress(j, run);
    else
        cli_json_null(j, "self_stress");
    cli_json_end(j);
}

void cli_bed_step_json(cli_json* j, const cli_bed_run* run) {
    const bool done = run->step_code == CLI_DONE, posed = done && run->request->problem != NULL;
    cli_json_text(j, "error", done ? NULL : cli_last_error());
    cli_json_text(j, "problem", posed ? run->request->problem : NULL);
    cli_json_number(j, "problem_residual", posed ? run->problem_residual : NAN);
    if (done && run->request->jamming)
        put_jamming(j, run);
    else
        cli_json_null(j, "jamming");
    if (done && run->request->jamming && run->of->jamming_tests > 0)
        put_tests(j, run->of);
    else
        cli_json_null(j, "jamming_tests");
}

void cli_bed_step_say(const cli* c, const cli_bed_run* run) {
    const sti_bed_jamming* jam = &run->jamming;
    if (run->step_code != CLI_DONE) return;
    if (run->request->problem != NULL)
        cli_say(c, "  %s: the last step as a contact problem, residual %.2e\n", run->request->problem,
                run->problem_residual);
    if (!run->request->jamming) return;
    const char* verdict = jam->pointed == STI_FINDING_HOLDS   ? "not jammed: no self-stress, every force needs a load"
                          : jam->pointed == STI_FINDING_FAILS ? "jammed: there is a self-stress, checked"
                                                              : "not decided whether it is jammed";
    cli_say(c, "  %s%s%s; %d contacts touch, %d grains can go one by one, %d groups hold with %d contacts",
            cli_strong(c), verdict, cli_plain(c), jam->touching, jam->freed, jam->groups, jam->group_contacts);
    if (jam->pointed == STI_FINDING_HOLDS && isfinite(jam->margin)) cli_say(c, ", margin %.2e", jam->margin);
    if (jam->pointed == STI_FINDING_FAILS) cli_say(c, ", defect %.2e", jam->defect);
    cli_say(c, " (%.2f s)\n", jam->time_s);
    const sti_bed_run* t = run->of;
    if (t->jamming_tests == 0) return;
    cli_say(c, "  asked %ld times on the way: not jammed in %ld, jammed in %ld", t->jamming_tests, t->jamming_holds,
            t->jamming_fails);
    if (t->jamming_fails > 0) cli_say(c, " (from t = %g on)", t->jamming_first);
    cli_say(c, ", open in %ld\n", t->jamming_tests - t->jamming_holds - t->jamming_fails);
}
