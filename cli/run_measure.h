// run_measure.h: a run as a measure, in the reports of systems, bodies and grains.
#ifndef STICTION_CLI_RUN_MEASURE_H
#define STICTION_CLI_RUN_MEASURE_H

#include "cli.h"

typedef enum cli_measured { CLI_MEASURED_SYSTEM, CLI_MEASURED_BODIES, CLI_MEASURED_GRAINS } cli_measured;

void cli_measure_json(cli_json* j, const sti_run_measure* m, cli_measured of);  // "measure": {..}
void cli_measure_say(const cli* c, const sti_run_measure* m);                   // one line

#endif
