// cones.h: complementary cones of small order for stiction inspect: Q and Q0, neighbours, the path of Lemke's method, a
// picture.
#ifndef STICTION_CLI_CONES_H
#define STICTION_CLI_CONES_H

#include "cli.h"

// What was found out of the cones of an LCP; NULL where the order is too large.
typedef struct cli_cones {
    sti_covering* covering;
    sti_lemke_path* path;
} cli_cones;

enum { CLI_CONES_USUAL = 4 };  // order up to which they are looked at unasked

sti_status cli_cones_find(const cli* c, const sti_lcp* lcp, cli_cones* out);
void cli_cones_drop(const cli* c, cli_cones* cones);
void cli_cones_say(const cli* c, const cli_cones* cones);
void cli_cones_put(cli_json* j, const cli* c, const cli_cones* cones);  // "covering" and "lemke_path"

// As SVG, of order 2 or 3. CLI_DONE, or the exit code of the error line that was written.
int cli_cones_picture(const cli* c, const sti_lcp* lcp, const cli_cones* cones, const char* path);

#endif
