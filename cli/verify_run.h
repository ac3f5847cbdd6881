// verify_run.h: stiction verify with one argument: the folder of a run, or its trajectory.h5.
#ifndef STICTION_CLI_VERIFY_RUN_H
#define STICTION_CLI_VERIFY_RUN_H

#include "cli.h"

bool cli_verify_is_run(const char* path);  // a folder, or a file of that name
// Exit code as of stiction verify; tol 0: the default.
int cli_verify_run(const cli* c, const char* path, double tol);
// One argument that is no run: the line that says what to do, and its exit code.
int cli_verify_alone(const cli* c, const char* path);

#endif
