// flow.c: stiction flow: optical flow between two frames, every program on the way with its gap proved.
#include <math.h>
#include <string.h>

#include "cli.h"

typedef struct request {
    const char *first, *second;
    const char *out, *picture, *truth, *problem;
    double lambda, tol, longest, memory;
    long levels, warps, skip, arrows;
    bool raw;
} request;

typedef struct result {
    sti_frame first, second;
    sti_flow_answer answer;
    sti_flow_error error;
    bool compared;
} result;

// ---- text

static void say(const cli* c, const request* r, const result* s) {
    const sti_flow_answer* a = &s->answer;
    cli_say(c, "%s, %s: flow of %d x %d pixels\n", r->first, r->second, a->field.width, a->field.height);
    for (int k = 0; k < a->level_count; k++) {
        const sti_flow_level* l = &a->levels[k];
        cli_say(c, "  %4d x %-4d objective %-12.8g gap %.1e, %s%s%s, %ld iterations, %.3g s\n", l->width, l->height,
                l->objective, l->gap, l->verified ? cli_good(c) : cli_unsure(c),
                l->verified ? "proved and checked" : "not within the tolerance", cli_plain(c), l->iterations,
                l->time_s);
    }
    if (s->compared)
        cli_say(c,
                "  endpoint error %.4f px in the mean of %ld known pixels (no flow: %.4f); %.1f %% above 0.5 px, %.1f "
                "%% above 1 px\n",
                s->error.mean, s->error.count, s->error.mean_of_zero, 100 * s->error.beyond_half,
                100 * s->error.beyond_one);
    if (a->reason[0] != '\0') cli_say(c, "  reason: %s\n", a->reason);
    cli_say(c, "  %.3g s\n", a->time_s);
}

// ---- JSON

static void put_level(cli_json* j, const sti_flow_level* l) {
    cli_json_object(j, NULL);
    cli_json_integer(j, "width", l->width);
    cli_json_integer(j, "height", l->height);
    cli_json_integer(j, "warp", l->warp);
    cli_json_number(j, "objective", l->objective);
    cli_json_number(j, "bound", l->bound);
    cli_json_number(j, "gap", l->gap);
    cli_json_number(j, "tol", l->tol);
    cli_json_bool(j, "solved", l->solved);
    cli_json_bool(j, "verified", l->verified);
    cli_json_integer(j, "iterations", l->iterations);
    cli_json_integer(j, "cg_count", l->cg_count);
    cli_json_number(j, "time_s", l->time_s);
    cli_json_end(j);
}

static int print_json(const cli* c, const result* s, int code) {
    const sti_flow_answer* a = &s->answer;
    long iterations = 0;
    for (int k = 0; k < a->level_count; k++) iterations += a->levels[k].iterations;
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "flow");
    cli_json_text(&j, "solver", "ipm");
    cli_json_text(&j, "outcome", sti_outcome_text(a->outcome));
    cli_json_integer(&j, "width", a->field.width);
    cli_json_integer(&j, "height", a->field.height);
    cli_json_array(&j, "levels");
    for (int k = 0; k < a->level_count; k++) put_level(&j, &a->levels[k]);
    cli_json_end(&j);
    if (s->compared) {
        cli_json_object(&j, "error");
        cli_json_integer(&j, "pixel_count", s->error.count);
        cli_json_number(&j, "mean", s->error.mean);
        cli_json_number(&j, "mean_of_zero", s->error.mean_of_zero);
        cli_json_number(&j, "beyond_half", s->error.beyond_half);
        cli_json_number(&j, "beyond_one", s->error.beyond_one);
        cli_json_end(&j);
    } else {
        cli_json_null(&j, "error");
    }
    cli_json_integer(&j, "iterations", iterations);
    cli_json_number(&j, "time_s", a->time_s);
    cli_json_text(&j, "reason", a->reason[0] != '\0' ? a->reason : NULL);
    return cli_json_print(&j, c, code);
}

// ---- the verb

static int load_frame(const cli* c, const char* path, sti_frame* out) {
    sti_image image;
    if (sti_image_load(c->env, path, &image) != STI_OK) return cli_fail_about(c, path);
    const sti_status status = sti_frame_from_image(c->env, &image, out);
    sti_image_clear(c->env, &image);
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, path);
}

static int make_options(const cli* c, const request* r, sti_flow_options* o) {
    *o = sti_flow_options_default();
    if (r->levels > 16) return cli_fail_usage(c, "--levels: %ld: up to 16 are expected", r->levels);
    if (r->warps > 100) return cli_fail_usage(c, "--warps: %ld: up to 100 are expected", r->warps);
    if (r->arrows > 10000) return cli_fail_usage(c, "--arrows: %ld: up to 10000 are expected", r->arrows);
    if (r->tol >= 1) return cli_fail_usage(c, "--tol: %g: a number below 1 is expected", r->tol);
    if (r->lambda > 0) o->lambda = r->lambda;
    if (r->tol > 0) o->tol = r->tol;
    o->memory_mb = r->memory;
    o->levels = (int)r->levels;
    if (r->warps > 0) o->warps = (int)r->warps;
    o->skip = r->skip > 16 ? 16 : (int)r->skip;
    o->median = !r->raw;
    if (c->time_limit > 0) o->time_limit_s = cli_limit_soft(c);
    return CLI_DONE;
}

static int compare(const cli* c, const request* r, result* s) {
    sti_flow_field truth;
    if (r->truth == NULL) return CLI_DONE;
    if (sti_flow_load(c->env, r->truth, &truth) != STI_OK) return cli_fail_about(c, r->truth);
    const sti_status status = sti_flow_compare(c->env, &s->answer.field, &truth, &s->error);
    sti_flow_field_clear(c->env, &truth);
    s->compared = status == STI_OK;
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, r->truth);
}

static int write_picture(const cli* c, const request* r, const sti_flow_field* field) {
    sti_image image;
    if (r->picture == NULL) return CLI_DONE;
    sti_status status = sti_draw_flow(c->env, field, r->longest, (int)r->arrows, &image);
    if (status != STI_OK) return cli_fail_env(c);
    status = sti_image_save(c->env, &image, r->picture);
    sti_image_clear(c->env, &image);
    return status == STI_OK ? CLI_DONE : cli_fail_written(c, r->picture);
}

static int write_problem(const cli* c, const request* r, const result* s) {
    sti_l1* problem;
    if (r->problem == NULL) return CLI_DONE;
    const sti_flow_options single = {.lambda = r->lambda, .levels = 1};
    if (sti_flow_problem(c->env, &s->first, &s->second, sti_flow_lambda(&single), &problem) != STI_OK) {
        if (sti_env_error(c->env)->status == STI_ERR_ARGUMENT)
            return cli_fail_usage(c, "%s, %s: %s", r->first, r->second, sti_env_error(c->env)->text);
        return cli_fail_env(c);
    }
    const sti_status status = sti_l1_save(c->env, problem, r->problem);
    sti_flow_problem_destroy(c->env, problem);
    return status == STI_OK ? CLI_DONE : cli_fail_written(c, r->problem);
}

static int solve(const cli* c, const request* r, result* s) {
    sti_flow_options o;
    int code = make_options(c, r, &o);
    if (code != CLI_DONE) return code;
    cli_progress bar = cli_progress_begin();
    if (c->err_terminal && !c->quiet) {
        o.progress = cli_progress_part;
        o.progress_user = &bar;
    }
    const sti_status status = sti_flow_solve(c->env, &s->first, &s->second, &o, &s->answer);
    cli_progress_clear(&bar);
    if (status == STI_ERR_ARGUMENT)
        return cli_fail_usage(c, "%s, %s: %s", r->first, r->second, sti_env_error(c->env)->text);
    return status == STI_OK ? CLI_DONE : cli_fail_env(c);
}

static int work(const cli* c, const request* r, result* s) {
    int code = load_frame(c, r->first, &s->first);
    if (code == CLI_DONE) code = load_frame(c, r->second, &s->second);
    if (code == CLI_DONE) code = write_problem(c, r, s);
    cli_limit_begin(c);  // the limit is one of the search: what was asked for is written however short it is
    if (code == CLI_DONE) code = solve(c, r, s);
    if (code == CLI_DONE) code = compare(c, r, s);
    if (code == CLI_DONE && r->out != NULL && sti_flow_save(c->env, &s->answer.field, r->out) != STI_OK)
        code = cli_fail_written(c, r->out);
    if (code == CLI_DONE) code = write_picture(c, r, &s->answer.field);
    if (code != CLI_DONE) return code;
    code = s->answer.outcome == STI_SOLVED ? CLI_DONE : CLI_NO;
    if (c->json) return print_json(c, s, code);
    say(c, r, s);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    request r = {0};
    long threads = 0;
    result s = {0};
    const cli_option options[] = {
        {"--out", CLI_TEXT, "FILE", "write the flow: Middlebury's .flo", &r.out},
        {"--picture", CLI_TEXT, "FILE", "write it as a PNG: direction as hue, length as strength", &r.picture},
        {"--arrows", CLI_COUNT, "N", "with arrows, one for each N pixels", &r.arrows},
        {"--longest", CLI_POSITIVE, "PX", "the length of full strength in the picture (the longest there is)",
         &r.longest},
        {"--truth", CLI_TEXT, "FILE", "compare with a known flow (.flo)", &r.truth},
        {"--lambda", CLI_POSITIVE, "L", "weight of smoothness against data (0.03; 0.05 with --levels 1)", &r.lambda},
        {"--levels", CLI_COUNT, "N", "sizes of frames; 1: the one program of S3 2.5.1 (down to 16 pixels)", &r.levels},
        {"--warps", CLI_COUNT, "N", "linearizations on each size (2)", &r.warps},
        {"--skip", CLI_COUNT, "N", "leave out the N finest sizes: their flow is enlarged", &r.skip},
        {"--raw", CLI_FLAG, NULL, "no medians between the programs", &r.raw},
        {"--tol", CLI_POSITIVE, "TOL", "gap of each program over its objective (1e-4)", &r.tol},
        {"--memory", CLI_POSITIVE, "MB",
         "of factors; programs whose factors take more are solved by conjugate gradients", &r.memory},
        {"--threads", CLI_COUNT, "N", "threads (1); the flow does not depend on it", &threads},
        {"--problem", CLI_TEXT, "FILE", "write the one program of S3 as an l1 problem, for stiction solve", &r.problem},
    };
    char* positional[2];
    int code;
    if (cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, positional, 2, 2, &code) < 0) return code;
    r.first = positional[0];
    r.second = positional[1];
    code = cli_threads(c, threads);
    if (code == CLI_DONE) code = work(c, &r, &s);
    sti_flow_answer_clear(c->env, &s.answer);
    sti_frame_clear(c->env, &s.first);
    sti_frame_clear(c->env, &s.second);
    return code;
}

const cli_verb cli_verb_flow = {
    .name = "flow",
    .arguments = "A B [options]",
    .summary = "optical flow between two frames, by l1 programs with proved gaps",
    .details =
        "A and B are pictures of one size, PNG (grey or colour), PGM or PPM. The flow says where each pixel of A\n"
        "is in B. It is the least sum of |I_x u + I_y v + I_t| + lambda (|u_x| + |u_y| + |v_x| + |v_y|): with\n"
        "--levels 1 the linear program of S3 as it stands, otherwise from coarse to fine, linearized anew about\n"
        "the flow so far. Every program comes with a dual vector that proves its gap, and independent code has\n"
        "checked it. A time limit leaves the best flow so far (docs/flow.md).\n"
        "Exit code 0: done; 1: a program was not solved within its limits; 2: bad usage or input; 3: internal\n"
        "failure.\n\n"
        "example:\n"
        "    stiction flow frame10.png frame11.png --skip 1 --out f.flo --picture f.png\n",
    .run = run,
};
