// contact.h: what solve, inspect and bench share of frictional contact problems.
#ifndef STICTION_CLI_CONTACT_H
#define STICTION_CLI_CONTACT_H

#include "cli.h"

#define CLI_CONTACT_SOLVERS "auto, " STI_CONTACT_METHOD_LIST(CLI_WORD) "velocities"

// "local" or "global"
const char* cli_contact_form(const sti_contact_problem* p);

#endif
