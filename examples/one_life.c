// One life for all that moves: a system by formulas, bodies, grains, parts that are pushed, vehicles. Each is made from
// its text, goes half of its way, and is left with a checkpoint; it is taken up again, goes to its end, and has the
// bits of a run that nobody interrupted. Its last step is a problem that the solvers take.
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* const texts[] = {
    "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\"], \"kinetic\": \"(x'^2 + y'^2)/2\", \"potential\": "
    "\"9.81*y\","
    " \"contacts\": [{\"gap\": \"y\", \"slip\": [\"x'\"], \"mu\": 0.1}], \"state\": {\"q\": [0, 0], \"v\": [3, 0]}}",
    "{\"kind\": \"scene\", \"time\": 1, \"dimension\": 2, \"materials\": {\"wood\": {\"mu\": 0.5}}, \"bodies\": ["
    " {\"name\": \"ground\", \"fixed\": true, \"material\": \"wood\", \"shape\": {\"type\": \"halfspace\", \"normal\": "
    "[0, 1]}},"
    " {\"name\": \"box\", \"material\": \"wood\", \"shape\": {\"type\": \"box\", \"half\": [0.2, 0.1]},"
    "  \"position\": [0, 0.3], \"angle\": 0.2, \"velocity\": [0.5, 0]}]}",
    "{\"kind\": \"scene\", \"time\": 20, \"bed\": {\"layout\": \"settle\", \"count\": 30}, \"until\": {\"kinetic\": "
    "1e-6}}",
    "{\"kind\": \"manipulation\", \"h\": 0.05, \"mu\": 0.3, \"parts\": [{\"name\": \"peg\","
    "  \"polygon\": [[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]], \"pose\": [0, 0, 0],"
    "  \"support\": {\"points\": [[0.4, 0, 1], [-0.2, 0.35, 1], [-0.2, -0.35, 1]]}}],"
    " \"probes\": [{\"name\": \"probe\", \"tips\": [[-0.8, 0.2]], \"direction\": 0, \"speed\": 0.1}]}",
    "{\"kind\": \"navigation\", \"step\": 0.02, \"vehicles\": ["
    " {\"name\": \"a\", \"cage\": 0.2, \"force\": [1, 0], \"q\": [0, 0]},"
    " {\"name\": \"b\", \"cage\": 0.2, \"force\": [-1, 0], \"q\": [1, 0.1]}]}"};

enum { KINDS = sizeof texts / sizeof *texts };
static const double end[KINDS] = {0.5, 0.8, 20, 1, 1.2};

static sti_status make(sti_env* env, int kind, const char* dir, sti_run** run) {
    const sti_run_source source = {.text = texts[kind], .size = strlen(texts[kind])};
    sti_run_options options = sti_run_options_default();
    sti_simulation* simulation;
    options.time = end[kind];
    options.dir = dir;
    options.curve = true;
    const sti_status status = sti_simulation_create(env, &source, &simulation);
    return status == STI_OK ? sti_run_create(env, simulation, &options, run) : status;
}

// Half of the steps, a checkpoint, and from there to the end by another run.
static sti_status live(sti_env* env, int kind, long steps, sti_run** run) {
    sti_run_options options = sti_run_options_default();
    sti_status status = make(env, kind, "one_life", run);
    for (long k = 0; status == STI_OK && k < steps / 2; k++) status = sti_run_step(*run);
    if (status == STI_OK) status = sti_run_checkpoint(*run);
    sti_run_destroy(*run);
    *run = NULL;
    options.curve = true;
    if (status == STI_OK) status = sti_run_resume(env, "one_life", &options, run);
    return status == STI_OK ? sti_run_go(*run) : status;
}

// Do the solvers find an answer to the last step?
static sti_status solve_last(sti_env* env, const sti_run* run, bool* solved, const char** what) {
    sti_run_problem p;
    sti_contact_answer contact;
    sti_lcp_answer mixed;
    sti_status status = sti_run_problem_make(env, run, &p);
    if (status == STI_OK && p.mlcp != NULL) {
        *what = "mixed complementarity problem";
        status = sti_mlcp_solve(env, p.mlcp, NULL, &mixed);
        *solved = status == STI_OK && mixed.outcome == STI_SOLVED;
        if (status == STI_OK) sti_lcp_answer_clear(env, &mixed);
    } else if (status == STI_OK) {
        *what = "contact problem";
        status = sti_contact_solve(env, p.contact, NULL, &contact);
        *solved = status == STI_OK && contact.outcome == STI_SOLVED;
        if (status == STI_OK) sti_contact_answer_clear(env, &contact);
    }
    sti_run_problem_clear(env, &p);
    return status;
}

int main(void) {
    sti_env* env;
    int wrong = 0;
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    mkdir("one_life", 0777);
    for (int kind = 0; kind < KINDS; kind++) {
        sti_run *whole = NULL, *run = NULL;
        sti_run_state state = {0};
        size_t rows = 0, columns = 0, more = 0;
        bool solved = false;
        const char* what = "";
        sti_status status = make(env, kind, NULL, &whole);
        if (status == STI_OK) status = sti_run_go(whole);
        if (status == STI_OK) {
            sti_run_now(whole, &state);
            status = live(env, kind, state.steps, &run);
        }
        if (status == STI_OK) status = solve_last(env, run, &solved, &what);
        if (status == STI_OK) {
            const double *x = sti_run_curve(whole, &rows, &columns), *y = sti_run_curve(run, &more, &columns);
            const bool same = memcmp(x + (rows - 1) * columns, y + (more - 1) * columns, columns * sizeof *x) == 0;
            printf("%-12s %4ld steps to t = %.3g%s; interrupted: %s; the last step as a %s: %s\n", state.kind,
                   state.steps, state.time, state.end == STI_RUN_END_ITSELF ? ", by itself" : "",
                   same ? "the same bits" : "others", what, solved ? "solved" : "open");
            wrong += !same || !solved;
        } else {
            printf("%s\n", sti_env_error(env)->text);
            wrong++;
        }
        sti_run_destroy(whole);
        sti_run_destroy(run);
    }
    sti_env_destroy(env);
    remove("one_life/checkpoint.h5");
    remove("one_life/trajectory.h5");
    remove("one_life/trajectory.xdmf");
    rmdir("one_life");
    return wrong;
}
