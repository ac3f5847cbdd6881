// analyze_robust_verify.c: stiction verify for answers of stiction analyze robust --box. Settings stand in the answer,
// so the scene is loaded here and set as it was.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze.h"
#include "documents.h"
#include "scenes.h"

typedef struct verdict {
    bool accepted;
    sti_box_verification proof;
    char text[300];
} verdict;

static void refuse(verdict* v, const char* text) {
    v->accepted = false;
    snprintf(v->text, sizeof v->text, "%s", text);
}

// The verdict is that of the proof, where the ends claimed (n lows, then n highs) hold those that it leads to.
static void conclude(verdict* v, size_t n, const double* claimed, const double* proved) {
    v->accepted = v->proof.accepted;
    snprintf(v->text, sizeof v->text, "%s", v->proof.text);
    for (size_t i = 0; v->accepted && i < n; i++) {
        if (!(claimed[i] <= proved[i] && proved[n + i] <= claimed[n + i]))
            refuse(v, "end_low, end_high: the steps lead out of them");
    }
}

// The start of the claim is that of the scene; where parts are said to end holds where the proof leads them.
static int check(const cli* c, const char* path, const sti_manipulation* m, const sti_robust_box* b, verdict* v) {
    const size_t n = 3 * (size_t)sti_manipulation_part_count(m);
    double* room = malloc(3 * n * sizeof *room);
    if (room == NULL) return cli_fail_memory(c);
    sti_status status = STI_OK;
    sti_manipulation_start(m, room);
    if (!b->found)
        refuse(v, "no box is claimed");
    else if (memcmp(room, b->box.start, n * sizeof *room) != 0)
        refuse(v, "start: not that of the scene");
    else
        status = sti_verify_push_box(c->env, m, &b->box, b->proof.pieces, room + n, &v->proof);
    if (status == STI_OK && v->text[0] == '\0') conclude(v, n, b->end, room + n);
    free(room);
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, path);
}

static int print(const cli* c, const char* scene, const char* path, int doubts, long steps, double h,
                 const verdict* v) {
    const int code = v->accepted ? CLI_DONE : CLI_NO;
    if (!c->json) {
        cli_say(c, "%s: %d doubts, %ld steps of %g of %s\n", path, doubts, steps, h, scene);
        cli_say_verdict(c, v->accepted, v->text);
        return code;
    }
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "verification");
    cli_json_text(&j, "file", path);
    cli_json_text(&j, "scene", scene);
    cli_json_bool(&j, "accepted", v->accepted);
    cli_json_bool(&j, "refuted", v->proof.refuted);
    cli_json_text(&j, "reason", v->text);
    cli_json_number(&j, "margin", v->accepted ? v->proof.margin : NAN);
    cli_json_integer(&j, "pieces", v->proof.pieces);
    return cli_json_print(&j, c, code);
}

int cli_push_verify(const cli* c, const cli_verify_request* r, const sti_document* document) {
    (void)document;  // loaded again, to be set as the box was found
    return cli_robust_box_verify(c, r->path, r->answer);
}

int cli_robust_box_verify(const cli* c, const char* scene, const char* path) {
    sti_document* document = NULL;
    sti_robust_box* b = NULL;
    verdict v = {.proof = {.tight = -1}};
    int code = cli_scene_load(c, scene, &document);
    if (code != CLI_DONE) return code;
    if (sti_manipulation_of(document) == NULL)
        code = cli_fail_usage(c, "%.200s: a box of doubts is about parts and probes, and %.200s has none", path, scene);
    if (code == CLI_DONE) {
        char settings[1000];
        const int parts = sti_manipulation_part_count(sti_manipulation_of(document));
        if (sti_robust_box_load(c->env, parts, path, settings, sizeof settings, &b) != STI_OK ||
            (settings[0] != '\0' && sti_document_set(document, settings) != STI_OK))
            code = cli_fail_about(c, path);
    }
    if (code == CLI_DONE) code = check(c, path, sti_manipulation_of(document), b, &v);
    if (code == CLI_DONE) code = print(c, scene, path, b->box.doubt_count, b->box.steps, b->box.h, &v);
    sti_robust_box_destroy(c->env, b);
    sti_document_destroy(document);
    return code;
}

// ---- of a system by formulas

static int check_motion(const cli* c, const char* path, const sti_system* system, const sti_motion_claim* b,
                        verdict* v) {
    const size_t n = 2 * (size_t)sti_system_coordinate_count(system);
    double time = 0, *room = malloc(3 * n * sizeof *room);
    if (room == NULL) return cli_fail_memory(c);
    sti_status status = sti_system_state(system, &time, room, room + n / 2);
    if (status == STI_OK && !b->found)
        refuse(v, "no box is claimed");
    else if (status == STI_OK && (time != b->box.time || memcmp(room, b->box.q, n * sizeof *room) != 0))
        refuse(v, "time, start: not those of the system");
    else if (status == STI_OK)
        status = sti_verify_motion_box(c->env, system, &b->box, b->proof.pieces, room + n, &v->proof);
    if (status == STI_OK && v->text[0] == '\0') conclude(v, n, b->end, room + n);
    free(room);
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, path);
}

static int load_motion(const cli* c, const char* path, sti_document* document, sti_motion_claim** b) {
    char settings[1000];
    const sti_system* system = sti_system_of(document);
    if (sti_motion_claim_load(c->env, system, path, settings, sizeof settings, b) != STI_OK ||
        (settings[0] != '\0' && sti_document_set(document, settings) != STI_OK))
        return cli_fail_about(c, path);
    return CLI_DONE;
}

int cli_robust_motion_verify(const cli* c, const char* scene, const char* path) {
    sti_document* document = NULL;
    sti_motion_claim* b = NULL;
    verdict v = {.proof = {.tight = -1}};
    int code = cli_scene_load(c, scene, &document);
    if (code != CLI_DONE) return code;
    if (sti_system_of(document) == NULL)
        code = cli_fail_usage(c, "%.200s: a box of a system by formulas, and %.200s is none", path, scene);
    if (code == CLI_DONE) code = load_motion(c, path, document, &b);
    if (code == CLI_DONE) code = check_motion(c, path, sti_system_of(document), b, &v);
    if (code == CLI_DONE) code = print(c, scene, path, b->box.doubt_count, b->box.steps, b->box.h, &v);
    sti_motion_claim_destroy(c->env, b);
    sti_document_destroy(document);
    return code;
}
