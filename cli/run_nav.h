// run_nav.h: stiction run with vehicles in cages.
#ifndef STICTION_CLI_RUN_NAV_H
#define STICTION_CLI_RUN_NAV_H

#include "run.h"

// Takes the problem; NULL: --resume.
int cli_run_nav(cli* c, const cli_run_request* request, sti_document* problem);

#endif
