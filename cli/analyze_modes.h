// analyze_modes.h: what the files of stiction analyze modes share.
#ifndef STICTION_CLI_ANALYZE_MODES_H
#define STICTION_CLI_ANALYZE_MODES_H

#include "analyze.h"

enum { CLI_MODES_FILES = 4096 };

// --actuators; clear with cli_modes_actuators_clear.
typedef struct cli_modes_actuators {
    const char* text;
    sti_actuators by;
    sti_rationals *direction, *low, *high;
} cli_modes_actuators;

typedef struct cli_modes_request {
    char* path[CLI_MODES_FILES];
    int path_count;
    cli_at at;
    const char* wrench_text;
    const char* actuators_text;
    cli_modes_actuators actuators;
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
    const char* page;  // HTML
    cli_list axes;
    sti_modes_options options;
    sti_rationals* wrench;
} cli_modes_request;

// The wrench of an option or a line, "1,-2/5,0.4": n exact numbers. `what` names it in messages.
int cli_modes_wrench(const cli* c, const char* text, const char* what, int n, sti_rationals** out);
// Strictly consistent modes with "|" between them; when there is none limit modes in brackets; "-" when none at all,
// "?" where the search was not finished.
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

// analyze_modes_actuators.c
int cli_modes_actuators_read(const cli* c, const char* text, const sti_instant* in, cli_modes_actuators* out);
void cli_modes_actuators_clear(cli_modes_actuators* a);
void cli_modes_actuator_name(const cli_modes_actuators* a, int k, char* name, size_t size);
// NULL: not asked for, or nothing is known of it.
sti_actuation* cli_modes_actuation(const cli* c, const cli_modes_request* r, const sti_modes* m,
                                   const sti_mode_wrenches* wrenches);
void cli_modes_say_actuation(const cli* c, const cli_modes_request* r, const sti_modes* m);
void cli_modes_put_actuation(cli_json* j, const cli* c, const cli_modes_request* r, const sti_modes* m,
                             const sti_mode_wrenches* wrenches);

// The wrenches of a mode where the plane through w along components i and j meets them, within a frame of +-reach about
// 0. false: they are thin, or not met.
enum { CLI_MODES_CORNERS = 256 };
typedef struct cli_modes_cut {
    int count;
    double x[CLI_MODES_CORNERS], y[CLI_MODES_CORNERS];
} cli_modes_cut;

bool cli_modes_cut_through(const sti_mode_wrenches* set, const double* w, int n, int i, int j, double reach,
                           cli_modes_cut* p);
double cli_modes_reach(const sti_modes* m, double* w);  // of the frame; w: the wrench (n)
// --axes, or the first two; option names what asks for them.
int cli_modes_axes(const cli* c, const cli_modes_request* r, const sti_modes* m, const char* option, int* i, int* j);
void cli_modes_component(const sti_instant* in, int k, char* text, size_t size);  // "wrench along x"

// Where contacts have a polygon of their own, and no other model is asked for: that one.
void cli_modes_own_polygon(cli_modes_request* r, const sti_instant* in);

// stiction verify INSTANT ANSWER, where the answer is one of stiction analyze modes
int cli_modes_verify(const cli* c, const cli_instant* in, const char* answer_path);

#endif
