// verify_motion.c: stiction verify FOLDER: the independent check of a recorded run of a system by formulas, of
// vehicles, or of grains.
#include "verify_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The fields of the checkpoint beside a recording; NULL: there are none.
static sti_store* fields_beside(const cli* c, const char* path) {
    const size_t length = strlen(path);
    char* beside = malloc(length + 16);
    sti_store* fields = NULL;
    if (beside == NULL) return NULL;
    memcpy(beside, path, length + 1);
    char* slash = strrchr(beside, '/');
    strcpy(slash != NULL ? slash + 1 : beside, "checkpoint.h5");
    if (sti_store_load(c->env, beside, &fields) != STI_OK) fields = NULL;
    free(beside);
    return fields;
}

// ---- what both report

typedef struct report {
    const char* path;
    const char* of;  // "system"
    bool accepted;
    const sti_run_check* check;
    int count;
    const char* (*name)(int);
    const char* (*text)(int);
    // Name of what a check found worst; "": none.
    void (*place)(const void* of, int kind, int number, char* text, size_t size);
    const void* object;
    bool (*of_frames)(int);  // counts frames, not steps
} report;

static void put_checks(cli_json* j, const report* r) {
    cli_json_array(j, "checks");
    for (int i = 0; i < r->count; i++) {
        const sti_run_check* k = &r->check[i];
        char place[100] = "";
        if (k->body >= 0) r->place(r->object, i, k->body, place, sizeof place);
        cli_json_object(j, NULL);
        cli_json_text(j, "name", r->name(i));
        cli_json_text(j, "text", r->text(i));
        if (k->looked > 0)
            cli_json_bool(j, "holds", k->holds);
        else
            cli_json_null(j, "holds");
        cli_json_integer(j, "looked", k->looked);
        cli_json_number(j, "worst", k->worst);
        cli_json_number(j, "limit", k->limit);
        cli_json_count(j, "step", r->of_frames(i) ? -1 : k->frame);
        cli_json_count(j, "frame", r->of_frames(i) ? k->frame : -1);
        cli_json_text(j, "place", place[0] != '\0' ? place : NULL);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void say_checks(const cli* c, const report* r) {
    for (int i = 0; i < r->count; i++) {
        const sti_run_check* k = &r->check[i];
        const char* word = k->looked == 0 ? "-" : k->holds ? "ok" : "no";
        const char* paint = k->looked == 0 ? "" : k->holds ? cli_good(c) : cli_bad(c);
        char place[100] = "";
        if (k->body >= 0) r->place(r->object, i, k->body, place, sizeof place);
        cli_say(c, "  %s%-4s%s %-12s", paint, word, cli_plain(c), r->name(i));
        if (k->looked > 0)
            cli_say(c, " %8.1e  %s", k->worst, r->text(i));
        else
            cli_say(c, " %8s  %s: nothing to check here", "", r->text(i));
        if (!k->holds)
            cli_say(c, ": %s %ld%s%s", r->of_frames(i) ? "frame" : "step", k->frame, place[0] != '\0' ? ", " : "",
                    place);
        cli_say(c, "\n");
    }
    int looked = 0, failed = 0;
    for (int i = 0; i < r->count; i++) {
        looked += r->check[i].looked > 0;
        failed += !r->check[i].holds;
    }
    char text[120];
    if (r->accepted)
        snprintf(text, sizeof text, "%d checks hold", looked);
    else
        snprintf(text, sizeof text, "%d of %d checks fail", failed, looked);
    cli_say_verdict(c, r->accepted, text);
}

static void begin_json(cli_json* j, const report* r) {
    cli_json_begin(j);
    cli_json_text(j, "kind", "run");
    cli_json_text(j, "of", r->of);
    cli_json_text(j, "file", r->path);
    cli_json_bool(j, "accepted", r->accepted);
}

// ---- systems

static const char* system_name(int k) {
    return sti_system_check_name((sti_system_check_kind)k);
}

static const char* system_text(int k) {
    return sti_system_check_text((sti_system_check_kind)k);
}

static void system_place(const void* of, int kind, int number, char* text, size_t size) {
    const sti_system* system = of;
    snprintf(text, size, "%.80s",
             kind == STI_SYSTEM_MOMENTUM ? sti_system_coordinate(system, number) : sti_system_contact(system, number));
}

static bool never(int k) {
    (void)k;
    return false;
}

// How the steps were made, where the checkpoint tells it.
static void find_scheme(const sti_store* fields, sti_system_verify_options* o) {
    const char* const names[] = {"options.scheme", "options.substep", "options.friction",
                                 "options.facets", "options.balance", "options.settle"};
    int64_t value[6] = {STI_SCHEME_ALPHA, 1, STI_FRICTION_FACETS, 8, 1, 0};
    for (int k = 0; k < 6 && fields != NULL; k++) {
        size_t count;
        const int64_t* x = sti_store_integers(fields, names[k], &count);
        if (x != NULL && count == 1) value[k] = *x;
    }
    o->inertia = value[0] != STI_SCHEME_QUASISTATIC;
    o->balances = value[0] == STI_SCHEME_ALPHA && value[4] != 0;
    o->lifts = value[0] == STI_SCHEME_CONVEX;
    o->settles = value[5] != 0;
    o->drops = value[1] == 0;
    o->facets = value[2] == STI_FRICTION_CONE || value[3] < 3 || value[3] > 1000000 ? 0 : (int)value[3];
}

static void report_system(const cli* c, const report* r, const sti_recorded_system* w, const sti_system_verification* v,
                          int* code) {
    if (c->json) {
        cli_json j;
        begin_json(&j, r);
        cli_json_integer(&j, "steps", w->rows - 1);
        cli_json_integer(&j, "coordinate_count", w->n);
        cli_json_integer(&j, "contact_count", w->contact_count);
        put_checks(&j, r);
        cli_json_number(&j, "overlap", v->overlap);
        cli_json_number(&j, "overlap_constant", v->overlap_constant);
        cli_json_number(&j, "drift", v->drift);
        cli_json_number(&j, "momentum_defect", v->momentum_defect);
        cli_json_number(&j, "momentum_sum", v->momentum_sum);
        cli_json_integer(&j, "unseen", v->unseen);
        cli_json_end(&j);
        *code = cli_json_print(&j, c, *code);
        return;
    }
    cli_say(c, "%s: a system of %d %s, %ld steps\n", r->path, w->n, w->n == 1 ? "coordinate" : "coordinates",
            w->rows - 1);
    say_checks(c, r);
    cli_say(c, "  gaps at least -C h^2 with C = %.3g, deepest overlap %.1e; drift of joints %.1e\n",
            v->overlap_constant, v->overlap, v->drift);
    cli_say(c, "  balance of momentum off by at most %.1e in a step, %.1e in all, in parts of the largest term\n",
            v->momentum_defect, v->momentum_sum);
    if (v->unseen > 0)
        cli_say(c, "  momentum of %ld steps was not looked at: of more than 8 pieces, or settled\n", v->unseen);
}

// The system of the document, or that of its bodies: *own, for sti_system_destroy.
static int find_system(const cli* c, const char* path, const sti_document* document, sti_system** own,
                       const sti_system** system) {
    const sti_world_scene* scene = sti_world_scene_of(document);
    sti_world* world = NULL;
    *system = sti_system_of(document);
    if (*system != NULL) return CLI_DONE;
    if (scene == NULL) return cli_fail_usage(c, "%.200s: system: of another kind", path);
    sti_status status = sti_world_create(c->env, scene->bodies, &scene->step, &world);
    if (status == STI_OK) status = sti_world_system(c->env, world, own);
    sti_world_destroy(world);
    *system = *own;
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, path);
}

static int check_system(const cli* c, const char* path, const sti_recorded_system* w, double tol) {
    sti_store* fields = fields_beside(c, path);
    const char* settings = fields != NULL ? sti_store_text(fields, "settings") : NULL;
    sti_document* document = NULL;
    sti_system_verify_options o = sti_system_verify_options_default();
    sti_system_verification v;
    find_scheme(fields, &o);
    if (tol > 0) o.tol = tol;
    int code = CLI_DONE;
    if (sti_document_parse(c->env, w->text, strlen(w->text), "system", &document) != STI_OK ||
        (settings != NULL && settings[0] != '\0' && sti_document_set(document, settings) != STI_OK))
        code = cli_fail_about(c, path);
    sti_system* own = NULL;
    const sti_system* system = NULL;
    if (code == CLI_DONE) code = find_system(c, path, document, &own, &system);
    if (code == CLI_DONE && sti_verify_recorded_system(c->env, w, system, &o, &v) != STI_OK)
        code = cli_fail_about(c, path);
    if (code == CLI_DONE) {
        const report r = {.path = path,
                          .of = "system",
                          .accepted = v.accepted,
                          .check = v.check,
                          .count = STI_SYSTEM_CHECK_COUNT,
                          .name = system_name,
                          .text = system_text,
                          .place = system_place,
                          .object = system,
                          .of_frames = never};
        code = v.accepted ? CLI_DONE : CLI_NO;
        report_system(c, &r, w, &v, &code);
    }
    sti_system_destroy(own);
    sti_document_destroy(document);
    sti_store_destroy(fields);
    return code;
}

int cli_verify_system_run(const cli* c, const char* path, double tol) {
    sti_recorded_system w;
    if (sti_recorded_system_load(c->env, path, &w) != STI_OK) return cli_fail_env(c);
    const int code = check_system(c, path, &w, tol);
    sti_recorded_system_clear(c->env, &w);
    return code;
}

// ---- vehicles in cages

static const char* navigation_name(int k) {
    return sti_navigation_check_name((sti_navigation_check_kind)k);
}

static const char* navigation_text(int k) {
    return sti_navigation_check_text((sti_navigation_check_kind)k);
}

static void navigation_place(const void* of, int kind, int number, char* text, size_t size) {
    (void)kind;
    snprintf(text, size, "%.80s", sti_navigation_vehicle(of, number));
}

static void report_navigation(const cli* c, const report* r, const sti_recorded_navigation* w,
                              const sti_navigation_verification* v, int* code) {
    if (c->json) {
        cli_json j;
        begin_json(&j, r);
        cli_json_integer(&j, "steps", w->rows - 1);
        cli_json_integer(&j, "vehicle_count", w->count);
        cli_json_integer(&j, "contact_count", w->total);
        put_checks(&j, r);
        cli_json_number(&j, "least_gap", v->least_gap);
        cli_json_bool(&j, "at_rest", v->at_rest);
        cli_json_number(&j, "balance", v->balance);
        cli_json_end(&j);
        *code = cli_json_print(&j, c, *code);
        return;
    }
    cli_say(c, "%s: %d %s, %ld steps, %ld contacts that press in them\n", r->path, w->count,
            w->count == 1 ? "vehicle" : "vehicles", w->rows - 1, w->total);
    say_checks(c, r);
    if (isfinite(v->least_gap)) cli_say(c, "  least gap of all pairs after all steps: %.3g\n", v->least_gap);
    if (v->at_rest && v->balance <= 1e-6)
        cli_say(c, "  at the end nothing moves, and forces are balanced by contacts to %.1e of the largest\n",
                v->balance);
}

static int check_navigation(const cli* c, const char* path, const sti_recorded_navigation* w, double tol) {
    sti_store* fields = fields_beside(c, path);
    const char* settings = fields != NULL ? sti_store_text(fields, "settings") : NULL;
    sti_document* document = NULL;
    sti_navigation_verification v;
    int code = CLI_DONE;
    if (sti_document_parse(c->env, w->text, strlen(w->text), "navigation", &document) != STI_OK ||
        (settings != NULL && settings[0] != '\0' && sti_document_set(document, settings) != STI_OK))
        code = cli_fail_about(c, path);
    const sti_navigation* nav = code == CLI_DONE ? sti_navigation_of(document) : NULL;
    if (code == CLI_DONE && nav == NULL) code = cli_fail_usage(c, "%.200s: navigation: of another kind", path);
    if (code == CLI_DONE && sti_verify_recorded_navigation(c->env, w, nav, tol, &v) != STI_OK)
        code = cli_fail_about(c, path);
    if (code == CLI_DONE) {
        const report r = {.path = path,
                          .of = "navigation",
                          .accepted = v.accepted,
                          .check = v.check,
                          .count = STI_NAVIGATION_CHECK_COUNT,
                          .name = navigation_name,
                          .text = navigation_text,
                          .place = navigation_place,
                          .object = nav,
                          .of_frames = never};
        code = v.accepted ? CLI_DONE : CLI_NO;
        report_navigation(c, &r, w, &v, &code);
    }
    sti_document_destroy(document);
    sti_store_destroy(fields);
    return code;
}

int cli_verify_navigation_run(const cli* c, const char* path, double tol) {
    sti_recorded_navigation w;
    if (sti_recorded_navigation_load(c->env, path, &w) != STI_OK) return cli_fail_env(c);
    const int code = check_navigation(c, path, &w, tol);
    sti_recorded_navigation_clear(c->env, &w);
    return code;
}

// ---- grains

static const char* bed_name(int k) {
    return sti_bed_check_name((sti_bed_check_kind)k);
}

static const char* bed_text(int k) {
    return sti_bed_check_text((sti_bed_check_kind)k);
}

static void bed_place(const void* of, int kind, int number, char* text, size_t size) {
    const bool contact = kind == STI_BED_CONE || kind == STI_BED_NORMAL || kind == STI_BED_LAW;
    (void)of;
    snprintf(text, size, "%s %d", contact ? "contact" : "grain", number);
}

// Those of steps count the step.
static bool of_bed_frames(int k) {
    return k != STI_BED_SOLVED && k != STI_BED_ORDER;
}

static void report_bed(const cli* c, const report* r, const sti_recorded_bed* w, const sti_bed_verification* v,
                       int* code) {
    if (c->json) {
        cli_json j;
        begin_json(&j, r);
        cli_json_integer(&j, "steps", w->step_count);
        cli_json_integer(&j, "grain_count", w->count);
        cli_json_integer(&j, "frames", w->frame_count);
        cli_json_integer(&j, "contact_count", w->contact_count);
        put_checks(&j, r);
        cli_json_number(&j, "overlap", v->overlap);
        cli_json_number(&j, "overlap_constant", v->overlap_constant);
        cli_json_end(&j);
        *code = cli_json_print(&j, c, *code);
        return;
    }
    cli_say(c, "%s: %d grains, %ld steps, %ld frames, %ld contacts in them\n", r->path, w->count, w->step_count,
            w->frame_count, w->contact_count);
    say_checks(c, r);
    cli_say(c, "  gaps at least -C h^2 with C = %.3g, deepest overlap %.1e\n", v->overlap_constant, v->overlap);
    if (v->check[STI_BED_MOMENTUM].looked == 0)
        cli_say(c,
                "  no two frames are one step apart: stiction run .. --frame H, with H the length of a step, records "
                "all\n");
}

// Law and tolerance of the steps, as the scene has them.
static void find_steps(const cli* c, const sti_recorded_bed* w, sti_bed_verify_options* o) {
    sti_document* document = NULL;
    if (sti_document_parse(c->env, w->scene, strlen(w->scene), "scene", &document) != STI_OK) return;
    const sti_bed_scene* scene = sti_bed_scene_of(document);
    if (scene != NULL && scene->step.tol > 0) o->step_tol = scene->step.tol;
    if (scene != NULL) o->law = scene->step.law;
    if (scene != NULL) o->facets = scene->step.facets;
    if (scene != NULL) o->recover = scene->step.recover;
    sti_document_destroy(document);
}

int cli_verify_bed_run(const cli* c, const char* path, double tol) {
    sti_recorded_bed w;
    sti_bed_verification v;
    sti_bed_verify_options o = sti_bed_verify_options_default();
    if (sti_recorded_bed_load(c->env, path, &w) != STI_OK) return cli_fail_env(c);
    find_steps(c, &w, &o);
    if (tol > 0) o.tol = tol;
    int code = sti_verify_recorded_bed(c->env, &w, &o, &v) == STI_OK ? CLI_DONE : cli_fail_about(c, path);
    if (code == CLI_DONE) {
        const report r = {.path = path,
                          .of = "bed",
                          .accepted = v.accepted,
                          .check = v.check,
                          .count = STI_BED_CHECK_COUNT,
                          .name = bed_name,
                          .text = bed_text,
                          .place = bed_place,
                          .of_frames = of_bed_frames};
        code = v.accepted ? CLI_DONE : CLI_NO;
        report_bed(c, &r, &w, &v, &code);
    }
    sti_recorded_bed_clear(c->env, &w);
    return code;
}
