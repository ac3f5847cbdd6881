// sticking.h: what stiction analyze sticking asks for and prints, and the check of its answers.
#ifndef STICTION_CLI_STICKING_H
#define STICTION_CLI_STICKING_H

#include "analyze.h"

typedef struct cli_sticking_request {
    cli_at at;
    const char* path;
    const char* note;         // of the instant
    const char* output;       // --output
    const char* page;         // HTML
    const char* proposition;  // --proposition ID
    cli_list direction;       // --force-direction
    cli_list bounds;          // --force-bounds
    long facets;
    double tol, lipschitz, load_rate, force_limit;
    bool steps, table, forces, verify;
    sti_sticking_options options;
} cli_sticking_request;

// What was asked beside the analysis; count 0, outcome unknown: not asked.
typedef struct cli_sticking_extra {
    sti_force_intervals line;
    bool line_asked;
    sti_force_answer change;  // least change of F in the Euclidean norm, within the bounds
    bool change_asked;
    sti_sticking_time lasts;  // load_rate 0: not asked
    sti_force_set set;
    bool set_asked;
    double*
        extent;  // discs in space, where the set has no faces: from and to along each velocity, NULL otherwise (2 n)
    bool verified;
    sti_sticking_verification verification;  // --verify
} cli_sticking_extra;

int cli_sticking_json(const cli* c, const cli_sticking_request* r, const sti_instant* in, const sti_sticking* s,
                      const cli_sticking_extra* x, int code);
void cli_sticking_text(const cli* c, const cli_sticking_request* r, const sti_instant* in, const sti_sticking* s,
                       const cli_sticking_extra* x);
void cli_sticking_steps(const cli* c, const sti_instant* in, const sti_sticking* s, const cli_sticking_extra* x);
int cli_sticking_proposition(const cli* c, const cli_sticking_request* r, const sti_sticking* s);

void cli_sticking_say_verified(const cli* c, const sti_sticking_verification* v);
void cli_sticking_put_verified(cli_json* j, const sti_sticking_verification* v);

// stiction verify INSTANT ANSWER
int cli_sticking_verify(const cli* c, const cli_instant* in, const char* answer_path, double tol);

// "sticks", "opens" and the like for a contact: its name in the instant
const char* cli_sticking_name(const sti_instant* in, const sti_sticking* s, int i);

#endif
