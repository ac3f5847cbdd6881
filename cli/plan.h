// plan.h: plans of pushes in the command: their files, their pictures, what run and verify do with them.
#ifndef STICTION_CLI_PLAN_H
#define STICTION_CLI_PLAN_H

#include <stiction/plan.h>

#include "run.h"

// A plan with the scene that it names.
typedef struct cli_plan {
    const char *path, *scene_path, *settings;
    const sti_plan* plan;
    sti_document* scene_document;
    sti_manipulation* scene;
} cli_plan;

// ---- plan_file.c

int cli_plan_open(const cli* c, const char* path, const sti_document* document, cli_plan* out);
void cli_plan_close(cli_plan* p);
// "pose=0.01,angle=0.02,mu=0.05,tip=0.002"
int cli_plan_read_noise(const cli* c, const char* text, sti_plan_noise* out);
// All fields of the file; the object stays open.
void cli_plan_put(cli_json* j, const cli_plan* p);
void cli_plan_put_replay(cli_json* j, const sti_replay* r);

// ---- plan_picture.c

int cli_plan_picture(const cli* c, const cli_plan* p, const char* path);
int cli_plan_animation(const cli* c, const cli_plan* p, const char* path);

// ---- plan_run.c

int cli_run_plan(const cli* c, const cli_run_request* r, const sti_document* document);
int cli_plan_verify(const cli* c, const char* path, const sti_document* document);

#endif
