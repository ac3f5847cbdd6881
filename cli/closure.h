// closure.h: stiction analyze closure: the request, and its parts.
#ifndef STICTION_CLI_CLOSURE_H
#define STICTION_CLI_CLOSURE_H

#include "instant.h"

typedef struct cli_closure_request {
    cli_at at;
    const char* path;
    const char* object;   // --object: names or numbers
    const char* picture;  // SVG
    const char* page;     // HTML
    long facets;
    double tol, length;
} cli_closure_request;

// All that was found out.
typedef struct cli_closure {
    sti_grasp_options options;
    int* object;  // coordinates of the object, ascending; NULL: all
    sti_closure force, form;
    sti_grasp_friction least, factor;  // factor: only where friction differs from contact to contact
    sti_grasp_quality quality;
    sti_grasp_verification check;  // of the quality
} cli_closure;

// The coordinates that --object names: a body, velocities by name, or numbers from 0.
int cli_closure_object(const cli* c, const char* text, const sti_instant* in, int** out, int* count);
int cli_closure_picture(const cli* c, const cli_closure_request* r, const sti_instant* in, const cli_closure* f);

#endif
