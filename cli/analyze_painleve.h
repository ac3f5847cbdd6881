// analyze_painleve.h: the parts of stiction analyze painleve: what is asked, the axes of its map, and how that is
// drawn.
#ifndef STICTION_CLI_ANALYZE_PAINLEVE_H
#define STICTION_CLI_ANALYZE_PAINLEVE_H

#include "analyze.h"

typedef struct cli_painleve_request {
    cli_at at;
    const char* path;
    cli_list mu;
    bool along, instant;
    const char *grid, *csv, *picture, *page;
    double gap_tol;
    sti_painleve_map_def def;
    char axis_name[2][64];
} cli_painleve_request;

// Fills r->def.axes and r->axis_name: from --grid, or the first coordinate that critical friction depends on, and mu.
int cli_painleve_axes(const cli* c, cli_painleve_request* r, const cli_instant* in);
int cli_painleve_csv(const cli* c, const cli_painleve_request* r, const sti_painleve_map* map);
int cli_painleve_picture(const cli* c, const cli_painleve_request* r, const sti_painleve_map* map);
int cli_painleve_page(const cli* c, const cli_painleve_request* r, const sti_painleve_map* map);

#endif
