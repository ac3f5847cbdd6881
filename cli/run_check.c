// run_check.c: how the checks of a run of bodies are reported, by stiction verify and by a run that checks itself.
#include "run_check.h"

#include <math.h>
#include <string.h>

double cli_checks_tol(double step_tol) {
    return fmax(sti_run_verify_options_default().tol, step_tol);
}

// What `body` of a check counts; NULL: it does not apply.
static const char* place_word(sti_run_check_kind kind) {
    switch (kind) {
        case STI_RUN_ROTATION:
        case STI_RUN_MOTION:
        case STI_RUN_MOMENTUM:
            return "body";
        case STI_RUN_BASIS:
        case STI_RUN_CONE:
        case STI_RUN_LAW:
            return "contact";
        case STI_RUN_JOINT:
            return "joint";
        case STI_RUN_PENETRATION:
        case STI_RUN_START:
            return "shape";
        default:
            return NULL;
    }
}

static const char* moment_word(sti_run_check_kind kind) {
    return kind == STI_RUN_SOLVED || kind == STI_RUN_ORDER || kind == STI_RUN_ENERGY ? "step" : "frame";
}

// "body 3" or, of a scene that is known, its name.
void cli_checks_place(const sti_bodies* bodies, const sti_run_verification* v, sti_run_check_kind kind, char* text,
                      size_t size) {
    const char *word = place_word(kind), *name = NULL;
    const int number = v->check[kind].body;
    int body = number;
    text[0] = '\0';
    if (word == NULL || number < 0) return;
    if (bodies != NULL && kind == STI_RUN_JOINT) name = sti_bodies_joint(bodies, number)->name;
    if (bodies != NULL && strcmp(word, "shape") == 0) sti_bodies_shape(bodies, number, &body, NULL, NULL);
    if (bodies != NULL && name == NULL && strcmp(word, "contact") != 0) name = sti_bodies_body(bodies, body)->name;
    if (name != NULL)
        snprintf(text, size, "%.80s", name);
    else
        snprintf(text, size, "%s %d", word, number);
}

void cli_checks_json(cli_json* j, const sti_bodies* bodies, const sti_run_verification* v) {
    cli_json_array(j, "checks");
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        const sti_run_check_kind kind = (sti_run_check_kind)i;
        const sti_run_check* k = &v->check[i];
        char place[100];
        cli_checks_place(bodies, v, kind, place, sizeof place);
        cli_json_object(j, NULL);
        cli_json_text(j, "name", sti_run_check_name(kind));
        cli_json_text(j, "text", sti_run_check_text(kind));
        if (k->looked > 0)
            cli_json_bool(j, "holds", k->holds);
        else
            cli_json_null(j, "holds");
        cli_json_integer(j, "looked", k->looked);
        cli_json_number(j, "worst", k->worst);
        cli_json_number(j, "limit", k->limit);
        const bool of_steps = strcmp(moment_word(kind), "step") == 0;
        cli_json_count(j, "step", of_steps ? k->frame : -1);
        cli_json_count(j, "frame", of_steps ? -1 : k->frame);
        cli_json_text(j, "place", place[0] != '\0' ? place : NULL);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void say_where(const cli* c, const sti_bodies* bodies, const sti_run_verification* v, sti_run_check_kind kind) {
    char place[100];
    cli_checks_place(bodies, v, kind, place, sizeof place);
    cli_say(c, ": %s %ld%s%s", moment_word(kind), v->check[kind].frame, place[0] != '\0' ? ", " : "", place);
}

void cli_checks_say(const cli* c, const sti_bodies* bodies, const sti_run_verification* v) {
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        const sti_run_check_kind kind = (sti_run_check_kind)i;
        const sti_run_check* k = &v->check[i];
        const bool notes = kind == STI_RUN_START && k->worst > 0;
        const char* word = k->looked == 0 || notes ? "-" : k->holds ? "ok" : "no";
        cli_say(c, "  %s%-4s%s %-12s",
                word[0] == '-' ? ""
                : k->holds     ? cli_good(c)
                               : cli_bad(c),
                word, cli_plain(c), sti_run_check_name(kind));
        if (k->looked > 0) cli_say(c, " %8.1e", k->worst);
        if (k->looked == 0) cli_say(c, " %8s", "");
        cli_say(c, "  %s", sti_run_check_text(kind));
        if (k->looked == 0) cli_say(c, ": nothing to check here");
        if (!k->holds || notes) say_where(c, bodies, v, kind);
        cli_say(c, "\n");
    }
}

void cli_checks_say_failed(const cli* c, const sti_bodies* bodies, const sti_run_verification* v) {
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        const sti_run_check_kind kind = (sti_run_check_kind)i;
        const sti_run_check* k = &v->check[i];
        if (k->holds) continue;
        cli_say(c, "    %s%s%s %.1e, allowed %.1e: %s", cli_bad(c), sti_run_check_name(kind), cli_plain(c), k->worst,
                k->limit, sti_run_check_text(kind));
        say_where(c, bodies, v, kind);
        cli_say(c, "\n");
    }
}

void cli_checks_count(const sti_run_verification* v, char* text, size_t size) {
    int looked = 0, failed = 0;
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        if (i == STI_RUN_START) continue;  // has no limit
        looked += v->check[i].looked > 0;
        failed += !v->check[i].holds;
    }
    if (v->accepted)
        snprintf(text, size, "%d checks hold to %g", looked, v->check[STI_RUN_LAW].limit);
    else
        snprintf(text, size, "%d of %d checks fail", failed, looked);
}
