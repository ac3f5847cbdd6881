// documents.h: what the command does with each kind of document: one row for each kind, one column for each verb.
//
// A function takes what was asked for and the document, which is of its kind, and returns a cli_exit; the error line is
// written where that is CLI_USAGE or CLI_INTERNAL.
#ifndef STICTION_CLI_DOCUMENTS_H
#define STICTION_CLI_DOCUMENTS_H

#include "cli.h"

// Options are 0 or NULL where they are not given.
typedef struct cli_solve_request {
    const char* path;
    const char* solver;
    const char* output;
    const char* newton;
    bool all, minimum_norm, cross_check;
    double tol, time_limit, omega;
    long max_iterations;
    long samples, seed, replications;
    const char* norm;
    double memory;                    // MB of factors, 0: as much as they take
    const char* start;                // an answer to begin from
    const sti_stochastic_team* team;  // NULL: alone
    bool whole;                       // the answers of the team are shown, and come together
    cli_list covering;
} cli_solve_request;

typedef struct cli_verify_request {
    const char* path;
    const char* answer;  // the file that holds it
    double tol;
} cli_verify_request;

typedef struct cli_inspect_request {
    const char* path;
    long exact_limit, work_limit, max_cones;
    double time_limit;
    const char* picture;  // of an LCP of order 2 or 3
} cli_inspect_request;

// Options of solve that not every kind takes.
enum {
    CLI_TAKES_ALL = 1,
    CLI_TAKES_COVERING = 2,
    CLI_TAKES_OMEGA = 4,
    CLI_TAKES_MINIMUM_NORM = 8,
    CLI_TAKES_NEWTON = 16,
    CLI_TAKES_SAMPLES = 32,
    CLI_TAKES_START = 64,
    CLI_TAKES_RANKS = 128,
    CLI_TAKES_CROSS_CHECK = 256,
    CLI_TAKES_NORM = 512
};

typedef int cli_solve(const cli* c, const cli_solve_request* r, const sti_document* document);
typedef int cli_verify(const cli* c, const cli_verify_request* r, const sti_document* document);
typedef int cli_inspect(const cli* c, const cli_inspect_request* r, const sti_document* document);

cli_solve cli_lcp_solve, cli_vi_solve, cli_qp_solve, cli_l1_solve, cli_stochastic_solve, cli_contact_solve;
cli_verify cli_lcp_verify, cli_vi_verify, cli_qp_verify, cli_l1_verify, cli_stochastic_verify, cli_contact_verify,
    cli_instant_verify, cli_push_verify;
cli_inspect cli_lcp_inspect, cli_vi_inspect, cli_l1_inspect, cli_stochastic_inspect, cli_contact_inspect,
    cli_instant_inspect, cli_system_inspect, cli_scene_inspect, cli_push_inspect, cli_nav_inspect;

// Kinds that have one solver, interior points: `what` is "quadratic programs".
int cli_check_ipm(const cli* c, const char* solver, const char* what);

// NULL: nothing; STI_KIND_LIST says the same, or a test fails.
typedef struct cli_document {
    cli_solve* solve;
    cli_verify* verify;
    cli_inspect* inspect;
    unsigned takes;  // of the options of solve, CLI_TAKES_ALL ..
} cli_document;

extern const cli_document cli_documents[STI_KIND_COUNT];

#endif
