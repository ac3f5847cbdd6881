// manual.h: what --help knows, in other forms: man pages and the completion of shells.
#ifndef STICTION_CLI_MANUAL_H
#define STICTION_CLI_MANUAL_H

#include "cli.h"

extern const cli_verb* const cli_verbs[];  // in the order of the overview (main.c)
extern const int cli_verb_count;

// The page of a verb, as man reads it. `all` are its options and those of every verb.
void cli_manual_page(const cli_verb* verb, const cli_option* all, int count);
void cli_manual_overview(void);

// What a shell is told of a verb: its options. The verb stiction completion writes the frame around.
void cli_completion_verb(cli_form form, const cli_verb* verb, const cli_option* all, int count);

#endif
