// navigation.h: the inside of sti_navigation.
#ifndef STI_NAVIGATION_NAVIGATION_H
#define STI_NAVIGATION_NAVIGATION_H

#include <stiction/navigation.h>
#include <stiction/shapes.h>

#include "manipulation/manipulation.h"

typedef struct sti_vehicle {
    char* name;
    sti_system* system;  // x, y; forces; gaps: cage, goal
    double cage, goal[2], mass;
    bool has_goal;
} sti_vehicle;

typedef struct sti_wall {
    char* name;
    double point[2], normal[2];
} sti_wall;

typedef struct sti_obstacle {
    char* name;
    sti_shape_room shape;
    double pose[3];
} sti_obstacle;

struct sti_navigation {
    sti_env* env;
    int count, wall_count, obstacle_count;
    sti_vehicle* vehicles;
    sti_wall* walls;
    sti_obstacle* obstacles;
    double h, end;
    // ---- the state
    long step;
    double *q, *v;  // (2 count)
    // ---- of a step
    double *k, *A, *free_v;  // forces (2 count), inverse of M - h k_v (4 count), v without contacts (2 count)
    double* v_new;           // (2 count)
    double* reach;           // how far a vehicle may go in the step              (count)
    sti_cage_contact* contacts;
    int contact_count, contact_room;
    int *island, *order;  // (count), (contact_room)
    sti_foot* feet;
    sti_broadphase* broad;
    sti_aabb* boxes;  // (count)
};

// contacts.c: those within reach, sorted.
sti_status sti_navigation_find(sti_navigation* nav);

#endif
