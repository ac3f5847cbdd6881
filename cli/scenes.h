// scenes.h: the built-in scenes: files of the folder scenes/, inside the command.
#ifndef STICTION_CLI_SCENES_H
#define STICTION_CLI_SCENES_H

#include "cli.h"

typedef struct cli_scene {
    const char* name;         // "painleve-rod"
    const char* description;  // one line
    const char* text;         // the file
} cli_scene;

// Written by cmake/StictionScenes.cmake, in the order of the file names.
extern const cli_scene cli_scene_list[];
extern const int cli_scene_count;

const cli_scene* cli_scene_find(const char* name);  // NULL: there is none
const char* cli_scene_nearest(const char* name);    // NULL: no name is near

// The scene that a name stands for when no file has it (a folder may: that of a run); NULL: a file, or nothing.
const cli_scene* cli_scene_instead(const char* name);
// A file where there is one, otherwise a scene. On failure the line is written and the exit code is returned; CLI_DONE
// otherwise.
int cli_scene_load(const cli* c, const char* name, sti_document** out);

#endif
