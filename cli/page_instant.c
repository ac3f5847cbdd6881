// page_instant.c: a page of one instant: its bodies where their shapes are known, and what an analysis says of it.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "page_answers.h"

// Shapes and places as a recording has them: one frame in a folder that goes away again.
static int put_recorded(const cli* c, cli_page* p, const cli_instant* in) {
    static const char* const names[] = {"trajectory.h5", "trajectory.xdmf"};
    const char* place = getenv("TMPDIR");
    char folder[240], path[280];
    sti_world_record* record = NULL;
    const int length = snprintf(folder, sizeof folder, "%s/stiction-page-XXXXXX", place != NULL ? place : "/tmp");
    if (length >= (int)sizeof folder || mkdtemp(folder) == NULL)
        return cli_fail_usage(c, "--page: no folder for a moment in %.200s", place != NULL ? place : "/tmp");
    snprintf(path, sizeof path, "%s/%s", folder, names[0]);
    sti_status status = sti_world_record_create(c->env, path, in->scene->bodies, "{}", NULL, 0, &record);
    if (status == STI_OK) status = sti_world_record_frame(record, in->world);
    if (status == STI_OK) status = sti_world_record_commit(record, false);
    sti_world_record_destroy(record);
    const int code = status == STI_OK ? cli_view_bodies(c, p, path) : cli_fail_about(c, "--page");
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        unlink(path);
    }
    rmdir(folder);
    return code;
}

// One body that has no shape: the page draws what its contacts span.
static void put_body(cli_page* p, const cli_shown* s, double time) {
    const double pose[7] = {0, 0, 0, 1, 0, 0, 0}, end = 0;
    cli_json_text(&p->json, "kind", "bodies");
    cli_json_integer(&p->json, "dim", s->dim);
    cli_json_array(&p->json, "bodies");
    cli_json_object(&p->json, NULL);
    cli_json_text(&p->json, "name", "the body");
    cli_json_bool(&p->json, "fixed", false);
    cli_json_end(&p->json);
    cli_json_end(&p->json);
    cli_json_array(&p->json, "shapes");
    cli_json_end(&p->json);
    cli_shown_put_points(&p->json, s);
    cli_json_object(&p->json, "frames");
    cli_page_numbers(p, "time", CLI_PAGE_F64, &time, 1);
    cli_page_numbers(p, "pose", CLI_PAGE_F32, pose, 7);
    cli_page_numbers(p, "contact_end", CLI_PAGE_I32, &end, 1);
    cli_json_end(&p->json);
    cli_page_note(p, "The shape of the body is not known: drawn is what its contacts span.");
}

int cli_instant_shown(const cli* c, const cli_instant* in, const int* object, int count, cli_shown* out) {
    const bool made = in->world != NULL ? cli_shown_world(out, in->instant, in->scene->bodies, in->world,
                                                          count > 0 && object != NULL ? object[0] : -1)
                                        : cli_shown_object(out, in->instant, object, count);
    out->object = object;
    if (count > 0) out->object_count = count;
    return made ? CLI_DONE : cli_fail_memory(c);
}

int cli_instant_page_begin(const cli* c, cli_page* p, const char* title, const cli_instant* in, const cli_shown* s) {
    int code = cli_page_check(c);
    *p = (cli_page){0};
    if (code != CLI_DONE) return code;
    cli_json_begin(&p->json);
    cli_json_array(&p->json, "runs");
    cli_json_object(&p->json, NULL);
    cli_json_text(&p->json, "title", title);
    cli_json_number(&p->json, "time", in->instant->time);
    if (in->note[0] != '\0') cli_page_note(p, "%.190s", in->note);
    if (in->world != NULL)
        code = put_recorded(c, p, in);
    else if (s->dim > 0)
        put_body(p, s, in->instant->time);
    else
        cli_json_text(&p->json, "kind", "instant");
    if (code != CLI_DONE) {
        cli_json_drop(&p->json);
        return code;
    }
    cli_page_put_notes(p);
    cli_json_array(&p->json, "answers");
    return CLI_DONE;
}
