// verify.c: stiction verify: the independent check of an answer.
#include <math.h>

#include "analyze_modes.h"
#include "cli.h"
#include "contact.h"
#include "l1.h"
#include "qp.h"
#include "scenes.h"
#include "sticking.h"
#include "verify_run.h"

static void print_json(cli_json* j, const sti_verification* v, sti_kind kind) {
    cli_json_begin(j);
    cli_json_text(j, "kind", sti_kind_text(kind));
    cli_json_bool(j, "accepted", v->accepted);
    cli_json_bool(j, "exact", v->exact);
    cli_json_text(j, "claim", sti_outcome_text(v->claim));
    cli_json_number(j, "residual", v->residual);
    cli_json_object(j, "residuals");
    cli_json_number(j, "equation", v->residual_equation);
    cli_json_number(j, kind == STI_KIND_MLCP ? "v" : "z", v->residual_z);
    cli_json_number(j, "w", v->residual_w);
    cli_json_number(j, "gap", v->residual_gap);
    cli_json_end(j);
    cli_json_number(j, "natural", v->natural);
    cli_json_integer(j, "leaves_checked", v->leaves_checked);
    cli_json_number(j, "margin", v->margin);
    cli_json_text(j, "text", v->text);
}

static void say(const cli* c, const char* path, const sti_verification* v) {
    cli_say(c, "%s: claims \"%s\"\n", path, sti_outcome_text(v->claim));
    cli_say_verdict(c, v->accepted, v->text);
    if (!isnan(v->residual)) cli_say(c, "  residual %.2e, natural map %.2e\n", v->residual, v->natural);
    if (v->leaves_checked > 0)
        cli_say(c, "  %d Farkas vector%s checked, margin %.2e\n", v->leaves_checked, v->leaves_checked == 1 ? "" : "s",
                v->margin);
    cli_say_proved(c, v->accepted, v->exact);
}

static int check(const cli* c, const char* answer_path, double tol, const sti_problem* problem) {
    sti_lcp_answer answer = {0};
    sti_verification v = {0};
    int code = CLI_DONE;
    const sti_lcp* lcp = sti_problem_lcp(problem);
    const sti_mlcp* mlcp = sti_problem_mlcp(problem);
    sti_status status = sti_lcp_answer_load(c->env, answer_path, &answer);
    if (status == STI_OK && lcp != NULL) status = sti_verify_lcp(c->env, lcp, &answer, tol, &v);
    if (status == STI_OK && mlcp != NULL) status = sti_verify_mlcp(c->env, mlcp, &answer, tol, &v);
    if (status != STI_OK) {
        code = cli_fail_about(c, answer_path);
    } else {
        code = v.accepted ? CLI_DONE : CLI_NO;
        if (c->json) {
            cli_json j;
            print_json(&j, &v, sti_problem_kind(problem));
            code = cli_json_print(&j, c, code);
        } else {
            say(c, answer_path, &v);
        }
    }
    sti_lcp_answer_clear(c->env, &answer);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    double tol = 0;
    const cli_option options[] = {
        {"--tol", CLI_POSITIVE, "TOL", "residual up to which a solution is accepted; of a run: for all checks (1e-6)",
         &tol},
    };
    char* positional[2];
    int code;
    const int count = cli_parse(c, options, 1, argc, argv, positional, 1, 2, &code);
    if (count < 0) return code;
    const char* path = positional[0];
    if (count == 2 && cli_scene_instead(path) != NULL) return cli_verify_alone(c, path);
    if (count == 1) return cli_verify_is_run(path) ? cli_verify_run(c, path, tol) : cli_verify_alone(c, path);
    sti_problem* problem = NULL;
    code = cli_load(c, path, &problem);
    if (code != CLI_DONE) return code;
    switch (sti_problem_kind(problem)) {
        case STI_KIND_LCP:
        case STI_KIND_MLCP:
            code = check(c, positional[1], tol > 0 ? tol : sti_lcp_options_default().tol, problem);
            break;
        case STI_KIND_QP:
            code = cli_qp_verify(c, positional[1], tol > 0 ? tol : sti_conic_options_default().tol,
                                 sti_problem_qp(problem));
            break;
        case STI_KIND_L1:
            code =
                cli_l1_verify(c, positional[1], tol > 0 ? tol : sti_l1_options_default().tol, sti_problem_l1(problem));
            break;
        case STI_KIND_CONTACT:
            code = cli_contact_verify(c, positional[1], tol > 0 ? tol : sti_contact_options_default().tol,
                                      sti_problem_contact(problem));
            break;
        case STI_KIND_INSTANT:
        case STI_KIND_SYSTEM:
            if (cli_modes_is_answer(positional[1]))
                code = cli_modes_verify(c, path, positional[1]);
            else
                code = cli_sticking_verify(c, path, positional[1], tol > 0 ? tol : sti_sticking_options_default().tol);
            break;
        default:
            code = cli_fail_usage(
                c,
                "%s: kind: %s: verify takes \"lcp\", \"mlcp\", \"qp\", \"l1\", \"contact\" or \"instant\", or "
                "the folder of a run",
                path, sti_kind_text(sti_problem_kind(problem)));
    }
    sti_problem_destroy(problem);
    return code;
}

const cli_verb cli_verb_verify = {
    .name = "verify",
    .arguments = "FILE SOL | FOLDER [options]",
    .summary = "check an answer against its problem, or a recorded run, independently of the solvers",
    .details =
        "SOL is what stiction solve wrote (--output, or --json): a solution is measured on the original data, a claim\n"
        "of \"no solution\" is checked case by case. A file with nothing but \"z\", or \"u\" and \"v\", will do.\n"
        "For a contact problem SOL is JSON or an FCLIB solution (.hdf5); cone, penetration and complementarity are\n"
        "looked at contact by contact.\n"
        "For an instant SOL is what stiction analyze sticking or modes wrote (--output, or --json).\n"
        "FOLDER is what stiction run --out wrote for a scene of bodies. Its trajectory.h5 is held against itself and\n"
        "against mechanics, without a step being made again: order, rotations, ways and speeds, energies, friction\n"
        "cones, Coulomb's law, momentum, joints, overlaps. Worst values are parts of the length, speed, impulse or\n"
        "energy they belong to (docs/runs.md).\n"
        "Exit code 0: accepted; 1: not accepted, or not checked in time; 2: bad usage or input; 3: internal "
        "failure.\n\n"
        "example:\n"
        "    echo '{\"kind\": \"lcp\", \"M\": [[2, 1], [1, 2]], \"q\": [-5, -6]}' > p.json\n"
        "    stiction solve p.json --output answer.json\n"
        "    stiction verify p.json answer.json\n"
        "    stiction run arch --time 1 --out arch\n"
        "    stiction verify arch\n",
    .run = run,
};
