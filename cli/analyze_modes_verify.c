// analyze_modes_verify.c: stiction verify for answers of stiction analyze modes.
#include "analyze_modes.h"

static int print(const cli* c, const char* path, const sti_modes* m, const sti_modes_verification* v) {
    const int code = v->accepted ? CLI_DONE : CLI_NO;
    const char* claim = !m->asked ? "unknown" : m->exists ? "solved" : "no_solution";
    if (c->json) {
        cli_json j;
        cli_json_begin(&j);
        cli_json_text(&j, "kind", "modes");
        cli_json_bool(&j, "accepted", v->accepted);
        cli_json_text(&j, "claim", claim);
        cli_json_rationals(&j, c, "wrench", m->wrench, 0, (size_t)m->n);
        cli_json_integer(&j, "witnesses_checked", v->witnesses);
        cli_json_integer(&j, "solutions_checked", v->solutions);
        cli_json_integer(&j, "cases_checked", v->cases);
        cli_json_text(&j, "text", v->text);
        return cli_json_print(&j, c, code);
    }
    char wrench[400];
    cli_text_rationals(c, wrench, sizeof wrench, m->wrench, 0, m->n, 12);
    cli_say(c, "%s: %d modes, wrench %s, claims \"%s\"\n", path, m->mode_count, wrench, claim);
    cli_say_verdict(c, v->accepted, v->text);
    return code;
}

int cli_modes_verify(const cli* c, const cli_instant* in, const char* answer_path) {
    int code;
    sti_modes_options options;
    sti_modes* m = NULL;
    sti_modes_verification v;
    if (sti_modes_load(c->env, in->instant, answer_path, &options, &m) != STI_OK ||
        sti_verify_modes(c->env, in->instant, &options, m, &v) != STI_OK)
        code = cli_fail_about(c, answer_path);
    else
        code = print(c, answer_path, m, &v);
    sti_modes_destroy(m);
    return code;
}
