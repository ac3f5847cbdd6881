// inspect.c: stiction inspect: what a document holds; each kind is inspected by a file of its own.
#include "documents.h"
#include "robot.h"

static int run(cli* c, int argc, char** argv) {
    const sti_classes_options defaults = sti_classes_options_default();
    const char* settings = NULL;
    cli_robot_request robot = {0};
    cli_inspect_request q = {.exact_limit = defaults.exact_limit, .work_limit = defaults.work_limit, .max_cones = 4096};
    const cli_option options[] = {
        {"--exact-limit", CLI_COUNT, "N", "order up to which exponential tests run", &q.exact_limit},
        {"--work-limit", CLI_COUNT, "N", "cases such a test may look at before it leaves the question open",
         &q.work_limit},
        {"--max-cones", CLI_COUNT, "N", "complementary cones listed at most", &q.max_cones},
        {"--picture", CLI_TEXT, "FILE.svg",
         "of an LCP of order 2 or 3: its complementary cones and the path of Lemke's method", &q.picture},
        {"--set", CLI_JOINED, "NAME=X,..", "parameters of a system or scene", &settings},
        CLI_ROBOT_OPTIONS(robot),
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, (int)(sizeof options / sizeof options[0]), argc, argv, positional, 1, 1, &code) < 0)
        return code;
    sti_document* document = NULL;
    q.path = positional[0];
    q.time_limit = cli_limit_soft(c);
    code = cli_robot_load(c, q.path, &robot, &document);
    if (code == CLI_DONE && settings != NULL && sti_document_set(document, settings) != STI_OK)
        code = cli_fail_about(c, "--set");
    if (code == CLI_DONE && q.picture != NULL && sti_lcp_of(document) == NULL)
        code = cli_fail_usage(c, "--picture: %.200s: kind: %s: an option of \"lcp\" alone", q.path,
                              sti_kind_text(sti_document_kind(document)));
    if (code == CLI_DONE) code = cli_documents[sti_document_kind(document)].inspect(c, &q, document);
    sti_document_destroy(document);
    return code;
}

const cli_verb cli_verb_inspect = {
    .name = "inspect",
    .arguments = "FILE [options]",
    .summary = "matrix classes with witnesses, solvability tests, cones",
    .details =
        "Says what the matrix of an LCP (or the block B of an MLCP) is: symmetric, positive definite or\n"
        "semidefinite, P, P0, Z, K, copositive, strictly copositive, column sufficient, nonnegative. Verdicts are\n"
        "proved, in exact arithmetic where rounding could matter; a \"no\" comes with a witness: an entry, an\n"
        "index set and its minor, or a vector. A question that would take too long stays open. Then S3 theorem\n"
        "1.2.8 (least q'v over homogeneous solutions v), for an MLCP the structure of S3 theorem 1.2.10, and up\n"
        "to 20 pairs all complementary cones that contain q. Indices count from 0.\n"
        "Up to order 4 (with --picture of orders 2 and 3) the classes Q (every q is solvable) and Q0 (every\n"
        "feasible q is), with a q that shows a \"no\", neighbours among the cones, and the path of Lemke's method\n"
        "through them.\n"
        "Of a contact problem (FCLIB): form, sizes, range of mu, entries and asymmetry of W or M, diagonal\n"
        "blocks, guesses; rank of W; whether the friction cone is pointed, whether a solution must exist, and\n"
        "whether one can: each with a motion or a force that shows it (--json prints them).\n"
        "Of an l1 problem: sizes of A and b, unknowns that occur nowhere. Of a stochastic program: scenarios,\n"
        "rows.\n"
        "Of a scene of bodies: bodies, masses, joints, and what touches at the start. Of a system by formulas:\n"
        "coordinates, gaps, parameters, rank of the mass matrix. Of a bed: grains and walls. Of parts and probes:\n"
        "damping, its eigenvalues, the centre of friction, what touches, and whether that friction cone is\n"
        "pointed. Of vehicles: cages, forces and goals.\n"
        "Of an instant or a grasp, and of a system or bodies at their state: degrees of freedom, ranks,\n"
        "redundancy, and whether the friction cone is pointed, with its margin and the constant c_FC of\n"
        "|multipliers| <= c_FC |force|.\n"
        "Exit code 0: done; 1: the time limit was reached, and some questions are open; 2: bad usage or input; 3:\n"
        "internal failure.\n\n"
        "example:\n"
        "    echo '{\"kind\": \"lcp\", \"M\": [[1, 2], [2, 1]], \"q\": [-1, -1]}' > p.json\n"
        "    stiction inspect p.json\n"
        "    stiction inspect painleve-rod\n",
    .use = STI_USE_INSPECT,
    .run = run,
};
