// verify.c: stiction verify: the independent check of an answer; each kind is verified by a file of its own.
#include <string.h>
#include <sys/stat.h>

#include "analyze.h"
#include "analyze_modes.h"
#include "documents.h"
#include "plan.h"
#include "scenes.h"
#include "sticking.h"
#include "verify_run.h"

// Does the file begin as an answer of that kind? What is taken from a pipe is gone then, so that is not looked at.
static bool is_answer(const char* path, const char* word) {
    char head[200];
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    FILE* f = fopen(path, "rb");
    if (f == NULL) return false;
    const size_t size = fread(head, 1, sizeof head - 1, f);
    fclose(f);
    head[size] = '\0';
    const char* kind = strstr(head, "\"kind\"");
    if (kind == NULL) return false;
    kind += strlen("\"kind\"");
    kind += strspn(kind, " \t\r\n:");
    return *kind == '"' && strncmp(kind + 1, word, strlen(word)) == 0 && kind[1 + strlen(word)] == '"';
}

// Of an instant, or a system at its start: what analyze modes or analyze sticking wrote.
int cli_instant_verify(const cli* c, const cli_verify_request* r, const sti_document* document) {
    const cli_at at = {0};
    cli_instant in = {0};
    int code = cli_instant_of(c, r->path, document, &at, &in);
    if (code == CLI_DONE && is_answer(r->answer, "modes"))
        code = cli_modes_verify(c, &in, r->answer);
    else if (code == CLI_DONE)
        code = cli_sticking_verify(c, &in, r->answer, r->tol > 0 ? r->tol : sti_sticking_options_default().tol);
    cli_instant_clear(c, &in);
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
    if (count == 2 && is_answer(positional[1], "robust-box")) return cli_robust_box_verify(c, path, positional[1]);
    if (count == 2 && is_answer(positional[1], "robust-motion-box"))
        return cli_robust_motion_verify(c, path, positional[1]);
    if (count == 2 && cli_scene_instead(path) != NULL) return cli_verify_alone(c, path);
    sti_document* document = NULL;
    if (count == 1 && !cli_verify_is_run(path) && sti_document_load(c->env, path, &document) == STI_OK &&
        sti_document_kind(document) == STI_KIND_PLAN) {
        cli_run_catch_signals();
        code = cli_plan_verify(c, path, document);
        sti_document_destroy(document);
        return code;
    }
    sti_document_destroy(document);
    document = NULL;
    if (count == 1) return cli_verify_is_run(path) ? cli_verify_run(c, path, tol) : cli_verify_alone(c, path);
    code = cli_load(c, path, &document);
    if (code != CLI_DONE) return code;
    const cli_verify_request r = {.path = path, .answer = positional[1], .tol = tol};
    if (sti_document_kind(document) == STI_KIND_PLAN)
        code = cli_fail_usage(c, "%.200s: a plan, which is verified without another file", path);
    else
        code = cli_documents[sti_document_kind(document)].verify(c, &r, document);
    sti_document_destroy(document);
    return code;
}

const cli_verb cli_verb_verify = {
    .name = "verify",
    .arguments = "FILE SOL | FOLDER | PLAN [options]",
    .summary = "check an answer against its problem, or a recorded run, independently of the solvers",
    .details =
        "SOL is what stiction solve wrote (--output, or --json): a solution is measured on the original data, a\n"
        "claim of \"no solution\" is checked case by case. A file with nothing but \"z\", or \"u\" and \"v\",\n"
        "will do.\n"
        "For a contact problem SOL is JSON or an FCLIB solution (.hdf5); cone, penetration and complementarity\n"
        "are looked at contact by contact.\n"
        "For an instant SOL is what stiction analyze sticking or modes wrote (--output, or --json).\n"
        "For parts and probes, or a system, a file or a built-in scene, SOL is what stiction analyze robust --box\n"
        "--output wrote: the box is proved again.\n"
        "PLAN is what stiction plan --out wrote: every push is proved again to lead all poses it may find into\n"
        "those that the plan claims, and the last ones to be within the tolerance of the goal, by every solution\n"
        "of every step.\n"
        "FOLDER is what stiction run --out wrote for bodies, a system by formulas, vehicles in cages or grains.\n"
        "Its trajectory.h5 is held against itself and against mechanics, without a step being made again. Bodies:\n"
        "order, rotations, ways and speeds, energies, friction cones, Coulomb's law, momentum, joints, overlaps.\n"
        "Systems: energies and gaps, cones, impulses where no contact closes, friction against slip, momentum,\n"
        "joints, overlaps with C in gap >= -C h^2. Vehicles: ways, gaps of all pairs, contacts that press,\n"
        "momentum. Grains: energies, cones, Coulomb's law, momentum and spin (of frames one step apart: run ..\n"
        "--frame H), overlaps of all pairs.\n"
        "Worst values are parts of the length, speed, impulse or energy they belong to (docs/runs.md).\n"
        "Exit code 0: accepted; 1: not accepted, or not checked in time; 2: bad usage or input; 3: internal\n"
        "failure.\n\n"
        "example:\n"
        "    echo '{\"kind\": \"lcp\", \"M\": [[2, 1], [1, 2]], \"q\": [-5, -6]}' > p.json\n"
        "    stiction solve p.json --output answer.json\n"
        "    stiction verify p.json answer.json\n"
        "    stiction run arch --time 1 --out arch\n"
        "    stiction verify arch\n",
    .use = STI_USE_VERIFY,
    .beside = "the folder of a run",
    .run = run,
};
