// l1.h: what solve, verify and inspect do with least sums of absolute values.
#ifndef STICTION_CLI_L1_H
#define STICTION_CLI_L1_H

#include "cli.h"

// Options of stiction solve that these problems take. 0 or NULL: not given.
typedef struct cli_l1_request {
    const char* path;
    const char* solver;
    const char* output;
    const char* newton;  // the data of one Newton step
    double tol, time_limit;
    long max_iterations;
} cli_l1_request;

// Each returns a cli_exit, with the error line written where it is CLI_USAGE or CLI_INTERNAL.
int cli_l1_solve(const cli* c, const cli_l1_request* r, const sti_l1* problem);
int cli_l1_verify(const cli* c, const char* answer_path, double tol, const sti_l1* problem);
int cli_l1_inspect(const cli* c, const char* path, const sti_l1* problem);

#endif
