// navigation.h: the inside of sti_navigation.
#ifndef STI_NAVIGATION_NAVIGATION_H
#define STI_NAVIGATION_NAVIGATION_H

#include <stiction/navigation.h>
#include <stiction/shapes.h>

#include "base/arena.h"
#include "linalg/blocks.h"
#include "manipulation/manipulation.h"

typedef struct sti_vehicle {
    char* name;
    sti_system* system;          // x, y; forces; gaps: cage, goal
    double cage, goal[2], mass;  // cage: radius about the place of the vehicle that holds it
    bool has_goal;
    int corner_count;  // of a polygon; 0: a disc
    double* corners;   //                                                      (2 corner_count)
    sti_shape* shape;  // where any cage is a polygon; NULL otherwise
} sti_vehicle;

typedef struct sti_nav_wall {
    char* name;
    double point[2], normal[2];
} sti_nav_wall;

typedef struct sti_obstacle {
    char* name;
    sti_shape_room shape;
    double pose[3];
    int piece_count;
    sti_shape** pieces;  // convex; where any cage is a polygon
} sti_obstacle;

// Where a cage is nearest to something: n points to the cage.
typedef struct sti_meeting {
    double gap, n[2];
} sti_meeting;

// Room of crowd.c.
typedef struct sti_crowd {
    sti_blocks blocks;
    int* ints;
    double* doubles;
    unsigned char* bytes;
    size_t int_room, double_room, byte_room;
} sti_crowd;

struct sti_navigation {
    sti_arena memory;
    sti_env* env;
    int count, wall_count, obstacle_count;
    sti_vehicle* vehicles;
    sti_nav_wall* walls;
    sti_obstacle* obstacles;
    double h, end;
    // ---- the state
    long step;
    double *q, *v;  // (2 count)
    // ---- of a step
    double *k, *A, *free_v;  // forces (2 count), inverse of M - h k_v (4 count), v without contacts (2 count)
    double* B;               // M - h k_v by rows                                   (4 count)
    double* v_new;           // (2 count)
    double* reach;           // how far a vehicle may go in the step              (count)
    sti_cage_contact* contacts;
    int contact_count, contact_room;
    sti_cage_contact* pressing;  // of the last step, with their impulses
    int pressing_count, pressing_room;
    bool apart;           // the step keeps a margin between cages:
    double keep;          // this part of a cage
    int *island, *order;  // (count), (contact_room)
    int* local;           // of crowd.c: -1                                      (count)
    sti_crowd crowd;
    sti_foot* feet;
    sti_meeting* meetings;
    double* touched;
    bool* kept;
    sti_broadphase* broad;
    sti_aabb* boxes;  // (count)
};

// contacts.c: those within reach, sorted; the least gap over them at q as it is now.
sti_status sti_navigation_find(sti_navigation* nav);
double sti_navigation_least_gap(const sti_navigation* nav);

#define STI_NAVIGATION_KEEP 1e-11  // Lemke's method solves to rounding
#define STI_CROWD_KEEP 1e-6        // and crowd.c to half of this

// cages.c: shapes of cages and pieces of obstacles, where a cage is a polygon.
sti_status sti_cages_create(sti_navigation* nav);
void sti_cages_destroy(sti_navigation* nav);
bool sti_piece_has(const sti_obstacle* o, int k, const double p[2], double tol);  // p in the frame of the obstacle

// islands.c: impulses, and v_new from free_v.
sti_status sti_navigation_solve(sti_navigation* nav, sti_navigation_report* report);
// n'A n of contacts a and b on the vehicles that they share; signs are those of the normals.
double sti_navigation_coupling(const sti_navigation* nav, const sti_cage_contact* a, const sti_cage_contact* b);
double sti_navigation_margin(const sti_navigation* nav, const sti_cage_contact* c);
double sti_navigation_room(const sti_navigation* nav, const sti_cage_contact* c);

// crowd.c: one island. *solved false: nothing has changed.
sti_status sti_crowd_solve(sti_navigation* nav, const int* order, int count, bool* solved, double* missed);
void sti_crowd_clear(sti_navigation* nav);

#endif
