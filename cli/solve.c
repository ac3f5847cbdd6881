// solve.c: stiction solve: an answer to a problem; each kind is solved by a file of its own.
#include <stdlib.h>
#include <string.h>

#include "contact.h"
#include "documents.h"
#include "ranks.h"
#include "scenes.h"

int cli_check_ipm(const cli* c, const char* solver, const char* what) {
    if (solver == NULL || strcmp(solver, "auto") == 0 || strcmp(solver, "ipm") == 0) return CLI_DONE;
    return cli_fail_usage(c, "--solver: %.60s: no such solver of %s; there are auto and ipm", solver, what);
}

// An option that was given and that the kind does not take is refused, with the kinds that do.
static int check_options(const cli* c, const cli_solve_request* r, sti_kind kind) {
    const struct {
        const char* name;
        unsigned flag;
        bool given;
    } options[] = {{"--all", CLI_TAKES_ALL, r->all},
                   {"--covering", CLI_TAKES_COVERING, r->covering.count > 0},
                   {"--omega", CLI_TAKES_OMEGA, r->omega > 0},
                   {"--minimum-norm", CLI_TAKES_MINIMUM_NORM, r->minimum_norm},
                   {"--cross-check", CLI_TAKES_CROSS_CHECK, r->cross_check},
                   {"--newton", CLI_TAKES_NEWTON, r->newton != NULL},
                   {"--samples", CLI_TAKES_SAMPLES, r->samples > 0},
                   {"--seed", CLI_TAKES_SAMPLES, r->seed > 0},
                   {"--replications", CLI_TAKES_SAMPLES, r->replications > 0},
                   {"--start", CLI_TAKES_START, r->start != NULL},
                   {"--ranks", CLI_TAKES_RANKS, r->team != NULL},
                   {"--norm", CLI_TAKES_NORM, r->norm != NULL},
                   {"--memory", CLI_TAKES_NORM, r->memory > 0}};
    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
        if (!options[k].given || (cli_documents[kind].takes & options[k].flag) != 0) continue;
        char takers[200] = "";
        for (int other = 0; other < STI_KIND_COUNT; other++) {
            const size_t at = strlen(takers);
            if ((cli_documents[other].takes & options[k].flag) == 0) continue;
            snprintf(takers + at, sizeof takers - at, "%s\"%s\"", at > 0 ? " and " : "",
                     sti_kind_text((sti_kind)other));
        }
        return cli_fail_usage(c, "%s: %.200s: kind: %s: an option of %s alone", options[k].name, r->path,
                              sti_kind_text(kind), takers);
    }
    return CLI_DONE;
}

static int run(cli* c, int argc, char** argv) {
    cli_solve_request r = {0};
    sti_document* document = NULL;
    sti_stochastic_team team;
    bool ranks = false;
    long threads = 0;
    const cli_option options[] = {
        {"--solver", CLI_TEXT, "NAME", CLI_LCP_SOLVERS "; of contact: see below (auto)", &r.solver},
        {"--all", CLI_FLAG, NULL, "every solution, by enumeration in exact arithmetic", &r.all},
        {"--tol", CLI_POSITIVE, "TOL", "residual at which a point counts as a solution", &r.tol},
        {"--max-iterations", CLI_COUNT, "N", "stop after so many pivots, sweeps or steps; with --all: pieces",
         &r.max_iterations},
        {"--covering", CLI_LIST, "D1,D2,..", "lemke: the covering vector, positive (all ones)", &r.covering},
        {"--omega", CLI_POSITIVE, "W", "pgs and gs: relaxation, between 0 and 2", &r.omega},
        {"--minimum-norm", CLI_FLAG, NULL, "contact: of all forces with the same velocities the smallest",
         &r.minimum_norm},
        {"--cross-check", CLI_FLAG, NULL,
         "lcp, mlcp, avi, relay, contact: a second solver too, the two answers compared", &r.cross_check},
        {"--newton", CLI_TEXT, "STEP", "l1, stochastic: no solution, but the Newton step of this file", &r.newton},
        {"--samples", CLI_COUNT, "N", "stochastic, of a distribution: scenarios to draw (100)", &r.samples},
        {"--seed", CLI_COUNT, "S", "where the draws begin (1)", &r.seed},
        {"--replications", CLI_COUNT, "M", "times it is done, for the confidence interval (10)", &r.replications},
        {"--norm", CLI_TEXT, "NAME", "l1: what is to be least, the sum of |A x + b| or the largest (sum)", &r.norm},
        {"--memory", CLI_POSITIVE, "MB", "l1: of factors; what needs more is solved by conjugate gradients", &r.memory},
        {"--start", CLI_TEXT, "SOL", "stochastic: begin from the answer in this file", &r.start},
        {"--ranks", CLI_FLAG, NULL, "stochastic: one program for all ranks of mpirun, the scenarios shared out",
         &ranks},
        {"--threads", CLI_COUNT, "N", "l1, stochastic: threads (1); answers do not depend on it", &threads},
        {"--output", CLI_TEXT, "SOL", "write the answer to this file: JSON; of contact also .hdf5 (FCLIB)", &r.output},
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, positional, 1, 1, &code) >= 0) {
        r.path = positional[0];
        r.time_limit = cli_limit_soft(c);
        r.whole = c->json || r.output != NULL;
        code = cli_threads(c, threads);
        if (code == CLI_DONE) code = ranks ? cli_ranks_begin(c, &team) : cli_scene_load(c, r.path, &document);
        if (code == CLI_DONE && ranks) code = cli_ranks_load(c, r.path, r.team = &team, &document);
        if (code == CLI_DONE) code = check_options(c, &r, sti_document_kind(document));
        if (code == CLI_DONE) code = cli_documents[sti_document_kind(document)].solve(c, &r, document);
    }
    free(r.covering.value);
    sti_document_destroy(document);
    cli_ranks_end();
    return code;
}

const cli_verb cli_verb_solve = {
    .name = "solve",
    .arguments = "FILE [options]",
    .summary =
        "solve an LCP, MLCP, inequality, QP, l1, stochastic or contact problem, or prove that there is no solution",
    .details =
        "FILE is JSON or HDF5 (- is standard input: JSON). In JSON a matrix is a list of rows, or\n"
        "{\"rows\": r, \"cols\": c, \"entries\": [[i, j, value], ..]} counted from 0, or {\"file\": \"M.mtx\"}\n"
        "(Matrix Market); a vector is a list or {\"file\": \"q.mtx\"}; an entry may be text that stays exact,\n"
        "\"2/3\". docs/files.md has all.\n"
        "The answer is a solution with its residual on the original data, or \"no solution\" with a certificate\n"
        "that stiction verify checks, or \"unknown\" with a reason.\n"
        "Kinds \"avi\" and \"relay\" are affine variational inequalities, (M x + q)'(y - x) >= 0 for all y in\n"
        "K = {A x >= b, E x = e, lb <= x <= ub}: solved as the mixed problem they are. Kinds \"ncp\" and \"vi\" are\n"
        "given by formulas: semismooth Newton, and where it can be a proof that a solution lies in the intervals\n"
        "shown (docs/complementarity.md).\n"
        "A contact problem is an FCLIB file (.hdf5); its solvers are\n"
        "    " CLI_CONTACT_SOLVERS
        "\n"
        "That it has no solution is proved where no motion keeps its contacts closed or opening.\n"
        "A quadratic program (kind \"qp\") is solved by ipm, or proved infeasible or unbounded.\n"
        "Kind \"l1\", min |A x + b|_1, gets x and a dual vector y that proves how far x is from the least sum.\n"
        "Kind \"stochastic\" is one decision for many scenarios; of a distribution by formulas, --samples draws\n"
        "them, and the objective gets a confidence interval; --ranks is for mpirun (docs/optimization.md).\n"
        "Exit code 0: solved; 1: no solution, or not solved; 2: bad usage or input; 3: internal failure.\n\n"
        "example:\n"
        "    echo '{\"kind\": \"lcp\", \"M\": [[2, 1], [1, 2]], \"q\": [-5, -6]}' > p.json\n"
        "    stiction solve p.json --output answer.json\n"
        "    stiction verify p.json answer.json\n"
        "    stiction solve grip-force --samples 1000\n"
        "    stiction run box-stack --time 0.1 --problem stack.hdf5\n"
        "    stiction solve stack.hdf5 --solver newton --tol 1e-10 --output stack_solution.hdf5\n",
    .use = STI_USE_SOLVE,
    .run = run,
};
