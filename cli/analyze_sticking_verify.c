// analyze_sticking_verify.c: stiction verify for answers of stiction analyze sticking, and its --verify.
#include "sticking.h"

void cli_sticking_say_verified(const cli* c, const sti_sticking_verification* v) {
    cli_say_verdict(c, v->accepted, v->text);
    cli_say_proved(c, v->accepted, v->exact);
    if (!v->accepted || v->propositions_checked + v->numbers_unchecked == 0) return;
    cli_say(c, "  checked: %d verdicts and %d numbers of propositions", v->propositions_checked, v->numbers_checked);
    if (v->numbers_unchecked > 0) cli_say(c, "; not judged: %d", v->numbers_unchecked);
    cli_say(c, "\n");
}

void cli_sticking_put_verified(cli_json* j, const sti_sticking_verification* v) {
    cli_json_bool(j, "accepted", v->accepted);
    cli_json_bool(j, "exact", v->exact);
    cli_json_text(j, "claim", sti_sticking_outcome_text(v->claim));
    cli_json_number(j, "residual", v->residual);
    cli_json_number(j, "margin", v->margin);
    cli_json_number(j, "bound", v->bound);
    cli_json_integer(j, "leaves_checked", v->leaves_checked);
    cli_json_integer(j, "propositions_checked", v->propositions_checked);
    cli_json_integer(j, "numbers_checked", v->numbers_checked);
    cli_json_integer(j, "numbers_unchecked", v->numbers_unchecked);
    cli_json_text(j, "text", v->text);
}

int cli_sticking_verify(const cli* c, const cli_instant* in, const char* answer_path, double tol) {
    int code;
    sti_sticking_answer claim = {0};
    sti_sticking_verification v;
    if (sti_sticking_answer_load(c->env, answer_path, &claim) != STI_OK ||
        sti_verify_sticking(c->env, in->instant, &claim, tol, &v) != STI_OK) {
        code = cli_fail_about(c, answer_path);
    } else {
        code = v.accepted ? CLI_DONE : CLI_NO;
        cli_say(c, "%s: claims \"%s\"\n", answer_path, sti_sticking_outcome_text(v.claim));
        cli_sticking_say_verified(c, &v);
        if (c->json) {
            cli_json j;
            cli_json_begin(&j);
            cli_json_text(&j, "kind", "sticking");
            cli_sticking_put_verified(&j, &v);
            code = cli_json_print(&j, c, code);
        }
    }
    sti_sticking_answer_clear(c->env, &claim);
    return code;
}
