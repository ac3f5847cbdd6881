// analyze.h: the questions of stiction analyze, one file each. Their names begin with "analyze ".
#ifndef STICTION_CLI_ANALYZE_H
#define STICTION_CLI_ANALYZE_H

#include "cli.h"
#include "instant.h"

extern const cli_verb cli_analyze_modes;
extern const cli_verb cli_analyze_sticking;
extern const cli_verb cli_analyze_closure;
extern const cli_verb cli_analyze_velocities;
extern const cli_verb cli_analyze_impact;
extern const cli_verb cli_analyze_painleve;
extern const cli_verb cli_analyze_norms;
extern const cli_verb cli_analyze_robust;

#endif
