// fuzz_world.h: a small world in motion, for targets that alter what was saved of one.
#ifndef STICTION_FUZZ_WORLD_H
#define STICTION_FUZZ_WORLD_H

#include <stiction/recording.h>

#include "fuzz.h"

enum { FUZZ_WORLD_STEPS = 12 };

// Boxes on a floor, one of them on a motor: contacts, joints and drives.
static const char fuzz_scene[] =
    "{\"kind\": \"scene\", \"dimension\": 3, \"time\": 1, \"bodies\": ["
    "{\"name\": \"floor\", \"fixed\": true, \"shape\": {\"type\": \"halfspace\", \"normal\": [0, 0, 1]}},"
    "{\"name\": \"low\", \"shape\": {\"type\": \"box\", \"half\": [0.5, 0.5, 0.5]}, \"position\": [0, 0, 0.5]},"
    "{\"name\": \"top\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.3}, \"position\": [0.1, 0, 1.3]},"
    "{\"name\": \"bob\", \"shape\": {\"type\": \"capsule\", \"half_length\": 0.2, \"radius\": 0.1}, \"position\": [5, "
    "0, 3]}],"
    "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"bodies\": [\"world\", \"bob\"], \"point\": [4, 0, 3],"
    "\"axis\": [0, 1, 0]}]}";

static inline sti_document* fuzz_world_problem(sti_env* env) {
    static sti_document* problem;
    if (problem == NULL) fuzz_must(env, sti_document_parse(env, fuzz_scene, sizeof fuzz_scene - 1, "scene", &problem));
    return problem;
}

static inline const sti_bodies* fuzz_world_bodies(sti_env* env) {
    return sti_world_scene_of(fuzz_world_problem(env))->bodies;
}

static inline sti_world* fuzz_world(sti_env* env) {
    const sti_world_scene* scene = sti_world_scene_of(fuzz_world_problem(env));
    sti_world* world;
    fuzz_must(env, sti_world_create(env, scene->bodies, &scene->step, &world));
    return world;
}

#endif
