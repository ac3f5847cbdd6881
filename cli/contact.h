// contact.h: what solve, verify, inspect and bench do with frictional contact problems.
#ifndef STICTION_CLI_CONTACT_H
#define STICTION_CLI_CONTACT_H

#include "cli.h"

#define CLI_CONTACT_SOLVERS "auto, gs, newton, apgd, bb, admm, ipm and lemke"

// Options of stiction solve that contact problems take. 0 or NULL: not given.
typedef struct cli_contact_request {
    const char* path;
    const char* solver;
    const char* output;
    double tol, time_limit, omega;
    long max_iterations;
    bool minimum_norm;
} cli_contact_request;

// Each returns a cli_exit, with the error line written where it is CLI_USAGE or CLI_INTERNAL.
int cli_contact_solve(const cli* c, const cli_contact_request* r, const sti_contact_problem* p);
int cli_contact_verify(const cli* c, const char* answer_path, double tol, const sti_contact_problem* p);
int cli_contact_inspect(const cli* c, const char* path, const sti_contact_problem* p, const sti_contact_info* info,
                        double time_limit);  // 0: none

// "local" or "global"
const char* cli_contact_form(const sti_contact_problem* p);

#endif
