// run_measure.h: a run as a measure, in the reports of systems and bodies.
#ifndef STICTION_CLI_RUN_MEASURE_H
#define STICTION_CLI_RUN_MEASURE_H

#include "cli.h"

void cli_measure_json(cli_json* j, const sti_run_measure* m, bool bodies);  // "measure": {..}
void cli_measure_say(const cli* c, const sti_run_measure* m);               // one line

#endif
