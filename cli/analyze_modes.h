// analyze_modes.h: what the files of stiction analyze modes share.
#ifndef STICTION_CLI_ANALYZE_MODES_H
#define STICTION_CLI_ANALYZE_MODES_H

#include "analyze.h"

enum { CLI_MODES_FILES = 4096 };

typedef struct cli_modes_request {
    char* path[CLI_MODES_FILES];
    int path_count;
    cli_at at;
    const char* wrench_text;
    const char* model;
    const char* mode;        // show this one in full
    const char* cones;       // all, consistent, none
    const char* csv;         // --path
    const char* trajectory;  // --trajectory
    const char* picture;
    const char* output;
    const char* note;  // of the instant; NULL, "": none
    long sides, max_modes;
    double gap_tol;
    bool contacts_only, infeasible, consistent, lcp, count;
    cli_list axes;
    sti_modes_options options;
    sti_rationals* wrench;
} cli_modes_request;

// The wrench of an option or a line, "1,-2/5,0.4": n exact numbers. `what` names it in messages.
int cli_modes_wrench(const cli* c, const char* text, const char* what, int n, sti_rationals** out);
// Strictly consistent modes with "|" between them; when there is none limit modes in brackets; "-" when none at all, "?" where
// the search was not finished.
// The mode of that name, feasible or not; NULL: none is listed.
const sti_mode* cli_modes_pick(const sti_modes* m, const char* text);
void cli_modes_label(const sti_modes* m, char* text, size_t size);

// Answers: --json, --output, or text. Each returns the exit code.
int cli_modes_answer(const cli* c, const cli_modes_request* r, const sti_instant* in, const sti_modes* m,
                     const sti_modes_verification* check, const sti_modes_lcp* lcp);
void cli_modes_say(const cli* c, const cli_modes_request* r, const sti_instant* in, const sti_modes* m);
void cli_modes_say_lcp(const cli* c, const sti_modes_lcp* lcp, const sti_lcp_solution_set* set);
int cli_modes_count(const cli* c, const cli_modes_request* r);
int cli_modes_path(const cli* c, cli_modes_request* r);  // --path, --trajectory, or several files
int cli_modes_picture(const cli* c, const cli_modes_request* r, const sti_instant* in, const sti_modes* m);

// stiction verify INSTANT ANSWER, where the answer is one of stiction analyze modes
bool cli_modes_is_answer(const char* path);
int cli_modes_verify(const cli* c, const cli_instant* in, const char* answer_path);

#endif
