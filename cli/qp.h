// qp.h: what solve and verify do with quadratic programs.
#ifndef STICTION_CLI_QP_H
#define STICTION_CLI_QP_H

#include "cli.h"

// Options of stiction solve that quadratic programs take. 0 or NULL: not given.
typedef struct cli_qp_request {
    const char* path;
    const char* solver;
    const char* output;
    double tol, time_limit;
    long max_iterations;
} cli_qp_request;

// Each returns a cli_exit, with the error line written where it is CLI_USAGE or CLI_INTERNAL.
int cli_qp_solve(const cli* c, const cli_qp_request* r, const sti_qp* qp);
int cli_qp_verify(const cli* c, const char* answer_path, double tol, const sti_qp* qp);

#endif
