// inspect_bodies.h: stiction inspect with a scene of bodies.
#ifndef STICTION_CLI_INSPECT_BODIES_H
#define STICTION_CLI_INSPECT_BODIES_H

#include "cli.h"

int cli_bodies_inspect(const cli* c, const char* path, const sti_world_scene* scene);

#endif
