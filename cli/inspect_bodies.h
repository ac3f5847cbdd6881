// inspect_bodies.h: stiction inspect with what moves: a scene of bodies, a system by formulas, a bed of grains.
#ifndef STICTION_CLI_INSPECT_BODIES_H
#define STICTION_CLI_INSPECT_BODIES_H

#include "cli.h"

int cli_bed_inspect(const cli* c, const char* path, const sti_bed_scene* scene);

#endif
