// run_world.h: stiction run with a scene of bodies: its options, pictures, and how it reports.
#ifndef STICTION_CLI_RUN_WORLD_H
#define STICTION_CLI_RUN_WORLD_H

#include "run_system.h"

typedef struct cli_world_run {
    const cli* c;
    const cli_run_request* request;
    const cli_system_request* own;
    const char* dir;              // NULL: no files
    char* settings;               // --set and the options that stand for settings; "": none
    const sti_document* problem;  // as it was read, with what was told of its robots; NULL: --resume
    sti_run* run;
    sti_run_state state;
    const sti_world_run* of;
    const double* curve;  // time, kinetic, potential energy: the start and each step   (curve_rows x 3)
    size_t curve_rows;
    sti_world_view view;  // of the picture, if it is in space
    double at;            // the time it shows; INFINITY: the end
    bool looked, drawn;   // at --view and its kin; it is there already
} cli_world_run;

// run_world.c
// Takes the problem over. NULL: --resume.
int cli_run_world(cli* c, const cli_run_request* request, const cli_system_request* own, sti_document* problem);
// What a run of bodies is made from, for free(): the file, or where robots are in it a text with all of them.
int cli_world_text(const cli* c, const char* scene, const sti_document* problem, char** text, size_t* size);

// run_world_report.c
int cli_world_report(const cli* c, const cli_world_run* run);  // summary.json, and stdout

// run_world_robots.c
void cli_world_robots_say(const cli* c, const sti_world_scene* scene);  // on stderr
void cli_world_robots_json(cli_json* j, const sti_world_scene* scene);

// run_world_picture.c
int cli_world_view_read(const cli* c, cli_world_run* run, const sti_bodies* bodies,
                        double time);                            // --view, --size, --at
int cli_world_picture_at(const cli* c, cli_world_run* run);      // scene.png, when --at is reached
int cli_world_pictures(const cli* c, const cli_world_run* run);  // scene.svg or scene.png, energy.svg

#endif
