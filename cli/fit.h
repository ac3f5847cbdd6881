// fit.h: stiction fit: data from a table, and what the scene says instead.
#ifndef STICTION_CLI_FIT_H
#define STICTION_CLI_FIT_H

#include "cli.h"

enum { CLI_FIT_COLUMNS = 200, CLI_FIT_NAME = 64 };

// A table of measurements: one row for each instant; rows that agree in their settings belong to one experiment.
typedef struct cli_fit_data {
    const char* path;
    int column_count;
    char name[CLI_FIT_COLUMNS][CLI_FIT_NAME];
    int rows;
    double* cell;                 // of columns that are used; NAN elsewhere                      (rows x column_count)
    int* line;                    // where each row stands in the file                            (rows)
    int time;                     // column of t
    int output[CLI_FIT_COLUMNS];  // columns that are compared, and with which output of the scene
    int of[CLI_FIT_COLUMNS];
    int output_count;
    int setting[CLI_FIT_COLUMNS];  // columns that are parameters of the scene
    int setting_count;
    int* group;  // experiment of each row                                         (rows)
    int group_count;
} cli_fit_data;

// What is compared with the data.
typedef struct cli_fit_scene {
    const cli* c;
    const char* path;
    sti_document* problem;
    sti_manipulation* parts;  // one of these
    sti_system *system, *model;
    bool bodies, grains;
    sti_stepper_options options;  // of a system
    double h;
    int output_count;
    char output[CLI_FIT_COLUMNS][CLI_FIT_NAME];
    bool turns[CLI_FIT_COLUMNS];  // an angle that is the same after a turn
    int parameter_count;          // those that are fitted
    const char* parameter[CLI_FIT_COLUMNS];
} cli_fit_scene;

// fit_data.c
int cli_fit_read(const cli* c, const char* path, const cli_fit_scene* scene, cli_fit_data* out);
void cli_fit_drop(cli_fit_data* data);

// fit_scene.c
int cli_fit_outputs(const cli* c, cli_fit_scene* scene);
bool cli_fit_has_parameter(const cli_fit_scene* scene, const char* name, double* value);
// What the scene says at every row, with the parameters x: (rows x output_count), NAN where it has nothing to say.
sti_status cli_fit_predict(const cli_fit_scene* scene, const cli_fit_data* data, const double* x, double* out);

// fit_scene_bodies.c: bodies and beds of grains. From `before` at t0 the scene moved to `now` at t1; fill is told of
// every step.
typedef struct cli_fit_span {
    double t0, t1, *before, *now;
    void (*fill)(const void* user, const struct cli_fit_span* span);
    const void* user;
} cli_fit_span;

void cli_fit_outputs_bodies(cli_fit_scene* scene);
bool cli_fit_has_parameter_bodies(const cli_fit_scene* scene, const char* name, double* value);
bool cli_fit_set_bodies(const cli_fit_scene* scene, int count, const char* const* names, const double* values);
sti_status cli_fit_follow_bodies(const cli_fit_scene* scene, double until, cli_fit_span* span);

#endif
