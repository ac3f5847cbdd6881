// run_check.h: the checks of a run of bodies, as stiction verify makes them and as a run makes them while it goes.
#ifndef STICTION_CLI_RUN_CHECK_H
#define STICTION_CLI_RUN_CHECK_H

#include "cli.h"

// What a run claims of its steps is what it is held to, but not to less than this is by default.
double cli_checks_tol(double step_tol);
// bodies NULL: places are numbers.
void cli_checks_json(cli_json* j, const sti_bodies* bodies, const sti_run_verification* v);  // "checks": [..]
void cli_checks_say(const cli* c, const sti_bodies* bodies, const sti_run_verification* v);  // one line each
void cli_checks_count(const sti_run_verification* v, char* text, size_t size);  // "12 checks hold to 1e-06"
// Name of the body, joint, .. that a check found worst; "": none.
void cli_checks_place(const sti_bodies* bodies, const sti_run_verification* v, sti_run_check_kind kind, char* text,
                      size_t size);
// One line for each check that fails, to a limit or because a step was not solved.
void cli_checks_say_failed(const cli* c, const sti_bodies* bodies, const sti_run_verification* v);

#endif
