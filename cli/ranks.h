// ranks.h: processes that solve one problem together.
#ifndef STI_CLI_RANKS_H
#define STI_CLI_RANKS_H

#include <stiction/stochastic.h>

#include "cli.h"

// Which rank this is; all but the first one are silent from now on.
int cli_ranks_begin(cli* c, sti_stochastic_team* team);
// The document with the scenarios of this rank; the same code on every rank.
int cli_ranks_load(const cli* c, const char* path, const sti_stochastic_team* team, sti_document** out);
void cli_ranks_end(void);

#endif
