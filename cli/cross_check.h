// cross_check.h: solve --cross-check: a second solver for the same problem, and how the two answers compare.
#ifndef STICTION_CLI_CROSS_CHECK_H
#define STICTION_CLI_CROSS_CHECK_H

#include "cli.h"

typedef struct cli_cross {
    const char* solver;  // the second one; NULL: none gave an answer
    sti_outcome outcome;
    double residual;
    double distance;      // largest difference of the two points over their largest entry; NAN: there are not two
    const char* verdict;  // "same", "another solution", "both none", "contradiction", "no second answer"
} cli_cross;

// avi NULL: lcp or mlcp, one of the two. The first answer is given.
sti_status cli_cross_lcp(const cli* c, const sti_lcp* lcp, const sti_mlcp* mlcp, const sti_avi* avi,
                         const sti_lcp_options* options, const sti_lcp_answer* first, cli_cross* out);
// Compares velocities, since forces need not be unique.
sti_status cli_cross_contact(const cli* c, const sti_contact_problem* problem, const sti_contact_options* options,
                             const sti_contact_answer* first, cli_cross* out);

void cli_cross_say(const cli* c, const cli_cross* x);
// "{answer}" with the field cross_check; free with free(). NULL: no memory.
char* cli_cross_join(const char* answer, const cli_cross* x);
// Two answers that cannot both be right are "no".
int cli_cross_code(const cli_cross* x, int code);

#endif
