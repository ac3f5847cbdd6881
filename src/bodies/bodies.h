// bodies.h: the inside of sti_bodies and sti_world: state about the centres of mass, rows of constraints, contacts.
//
// A row is a covector on the velocities of two bodies, of a gear of four. Everything that acts on bodies is made of
// rows: contacts (n, t1, t2), joints, their free coordinates (limits, motors, friction), springs.
#ifndef STI_BODIES_BODIES_H
#define STI_BODIES_BODIES_H

#include <stiction/bodies.h>

#include "base/arena.h"
#include "base/env.h"

// What a body is, in numbers about its centre of mass. Its frame has the axes of the body frame and its origin in the
// centre.
typedef struct sti_body_mass {
    double mass;        // 0: fixed
    double inertia[9];  // plane: [8]
    double inverse[9];
    double centre[3];  // in the body frame
} sti_body_mass;

typedef struct sti_collider {
    sti_shape* shape;
    int body;
    int material;
    sti_pose place;  // in the body frame
} sti_collider;

typedef struct sti_pair {
    double mu, restitution;  // NAN: by the rule
} sti_pair;

// Names by hash: numbers of the things that have them, open addressing.
typedef struct sti_name_table {
    int capacity;  // a power of two, at most half full
    int* number;   // -1: empty                                        (capacity)
} sti_name_table;

struct sti_bodies {
    sti_env* env;
    int dim;
    double gravity[3];
    int count, capacity;
    sti_body* body;       // names owned, mass properties filled in   (count)
    sti_body_mass* mass;  // (count)
    sti_name_table body_names, joint_names;
    int collider_count, collider_capacity;
    sti_collider* collider;
    int material_count, material_capacity;
    sti_material* material;  // names owned
    sti_pair* pair;          // (material_count x material_count)
    int joint_count, joint_capacity;
    sti_joint* joint;  // names owned
    int spring_count, spring_capacity;
    sti_spring* spring;
    int ignore_count, ignore_capacity;
    sti_box_pair* ignore;  // a < b, as they came; detect.c sorts its copy
};

// On (v, w) of a and b: v in world axes, w in body axes; in the plane the first three are v_x, v_y, omega. a and b are
// numbers of bodies (world->slot finds their velocities). A side that is the world or a fixed body has -1 and zeros. A
// row between two such sides is nothing but zeros and is never posed. A wide row, which only gears have, has four
// sides; each body stands on one side at most.
typedef struct sti_row {
    int a, b;
    double ja[6], jb[6];
    int wide;  // 1: couples four bodies. No bool: rows of saved worlds are looked at before they are believed
    int c, d;  // where it is wide
    double jc[6], jd[6];
} sti_row;

static inline int sti_row_sides(const sti_row* row) {
    return row->wide ? 4 : 2;
}

static inline int sti_row_side(const sti_row* row, int side, const double** j) {  // its body
    *j = side == 0 ? row->ja : side == 1 ? row->jb : side == 2 ? row->jc : row->jd;
    return side == 0 ? row->a : side == 1 ? row->b : side == 2 ? row->c : row->d;
}

// Where a body is: centre of mass, quaternion, rotation matrix (row major, body to world).
typedef struct sti_placed {
    double x[3];
    double q[4];
    double R[9];
} sti_placed;

// A contact of the step, with the rows it acts by.
typedef struct sti_touching {
    sti_world_contact at;
    sti_row row[3];    // n, t1, t2: u = row v + offset
    double offset[3];  // from surfaces of fixed bodies that move
    double r_last[3];  // impulse of the contact it continues, on the axes of this one; 0: none
    double found[15];  // where the two bodies were when it was found (x, q; x, q), and with which margin
} sti_touching;

struct sti_world {
    sti_env* env;
    sti_arena arena;  // of all that is as large as the world: here, in solve and its links
    const sti_bodies* bodies;
    sti_world_options options;
    int dim, nv;  // velocities of a body: 3 or 6
    int moving;   // bodies that move
    int* slot;    // of a body among them, -1: fixed                    (bodies)
    double size;  // a length of the scene: what tolerances are measured in
    long step;
    double start, time;
    sti_world_fit fit;     // of the start
    sti_placed* placed;    // (bodies)
    unsigned char* given;  // place by the caller, something of it open or in another body since  (bodies)
    double* v;             // velocities by slot                          (moving x nv)
    double* push;          // force and torque of the caller, world axes, in the plane too: [0], [1], [5]  (moving x 6)
    sti_joint_axis* axis;  // as sti_world_drive left them              (joints x 2)
    double* turned;        // angle of each axis, without jumps by 2 pi (joints x 2)
    double* gear_value;    // c_1 + ratio c_2 at the start              (joints)
    // contacts of the last step
    int contact_count, contact_capacity;
    sti_touching* contact;
    struct sti_world_detect* detect;  // detect.c
    struct sti_world_solve* solve;    // step.c and its neighbours
    sti_world_contact* shown;         // what sti_world_contacts gives
    int shown_capacity;
};

#define STI_OVERLAP 1e-6  // of the extent of what moves: what bodies may overlap by at the end of a step that is solved
#define STI_FAR 1e10      // lengths of the scene: rounding of a place so far out is 1e-6 of them

static inline bool sti_body_moves(const sti_world* world, int body) {  // -1: the world, which does not
    return body >= 0 && world->slot[body] >= 0;
}

// ---- build.c: names, checks, mass properties

sti_status sti_bodies_check_index(const sti_bodies* bodies, int body, const char* what);
// What can only be judged when everything is there: gravity is finite, every body that moves has a mass. A world is
// made of nothing else.
sti_status sti_bodies_check(const sti_bodies* bodies);
static inline const sti_section* sti_contact_section(const sti_bodies* bodies, const sti_world_contact* at) {
    return at->section_of > 0 ? bodies->material[at->section_of - 1].section : NULL;
}

static inline int sti_slot_of(const sti_world* world, int body) {  // -1: the world, or fixed
    return body >= 0 ? world->slot[body] : -1;
}

// ---- place.c: bodies in space

void sti_placed_from_pose(const sti_body_mass* mass, const sti_pose* pose, sti_placed* out);
void sti_placed_to_pose(const sti_body_mass* mass, const sti_placed* placed, sti_pose* out);
// x += dx, turned by the rotation vector phi in body axes (exactly: exponential map); in the plane phi is one number.
// d: (dx, phi) as velocities are, times 1.
void sti_placed_move(int dim, const double* d, sti_placed* placed);
// Row of the velocity of the material point `point` (world) of body a against that of body b, along the unit vector e.
void sti_row_point(const sti_world* world, int a, int b, const double point_a[3], const double point_b[3],
                   const double e[3], sti_row* row);
// Row of the angular velocity of a against b about e (world axes).
void sti_row_turn(const sti_world* world, int a, int b, const double e[3], sti_row* row);
// Velocity that the surface of a fixed body gives its point (world axes); 0 for bodies that move and for the world.
void sti_world_surface(const sti_world* world, int body, const double point[3], double out[3]);
double sti_row_apply(const sti_world* world, const sti_row* row, const double* v);      // row v
void sti_row_add(const sti_world* world, const sti_row* row, double s, double* f);      // f += s row'
double sti_row_mass(const sti_world* world, const sti_row* row, const sti_row* other);  // row M^-1 other'
void sti_world_mass_solve(const sti_world* world, const double* f, double* v);          // v = M^-1 f
double sti_world_kinetic(const sti_world* world, const double* v);
double sti_body_kinetic(const sti_world* world, int body, const double* v);

// ---- joints.c: what a joint asks, at the places bodies have now

// Bilateral rows of a joint and their defects (lengths, or angles): row v = 0, defect = 0. At most 6; returns how many.
// Signs: the velocity of b against a, in the joint's frame at a, so that d defect / dt = row v exactly when the defect
// is 0. A joint whose two sides do not move has none.
int sti_joint_rows(const sti_world* world, int joint, sti_row rows[6], double defect[6]);
// Free coordinate k: its value (angles go on past pi: nearest to world->turned) and its row, which may be NULL.
double sti_joint_coordinate(const sti_world* world, int joint, int k, sti_row* row);
void sti_world_turned_update(sti_world* world);  // after a step

// ---- springs.c: applied forces and their symmetric derivatives

// Of gravity and of springs. by_body: the same, booked with a body that moves; NULL: not wanted (bodies)
double sti_world_potential(const sti_world* world, double* by_body);

// A spring as a row: f += force row', and the pieces of the implicit terms K = sum stiffness row'row, D = sum damping
// row'row, positive semidefinite by construction. Rows across a stretched spring have force 0.
typedef struct sti_soft {
    sti_row row;
    double stiffness, damping;
    double force;  // along the row, at the present state
} sti_soft;

int sti_world_soft_count(const sti_world* world);                             // at most so many
int sti_world_soft(const sti_world* world, const double* v, sti_soft* soft);  // (sti_world_soft_count)
void sti_world_gravity(const sti_world* world, double* f);                    // f += m g + pushes

// ---- detect.c: contacts at the present places

// Fills world->contact: gap <= what the two can close in a step of length h with velocities v (and a margin), in an
// order that does not change from step to step; continues r_last from the contacts there were.
sti_status sti_world_detect_contacts(sti_world* world, double h, const double* v);
// The same with one margin for all: gap <= margin.
sti_status sti_world_detect_within(sti_world* world, double margin);
void sti_world_collider_pose(const sti_world* world, int collider, sti_pose* pose);  // in the world
bool sti_world_may_touch(const sti_world* world, int body_a, int body_b);            // neither of them -1
sti_status sti_world_detect_create(sti_world* world);
void sti_world_detect_destroy(sti_world* world);

// ---- grain.c: friction with a direction

// t1, t2 and section_of of a contact whose shapes and n are known, where one of the two materials has a grain.
void sti_grain_lay(const sti_world* world, sti_world_contact* at);
// What an instant of n velocities makes of it: corners, or rows, rates and offsets of t stretched to the disc.
sti_status sti_grain_of_instant(const sti_world* world, sti_env* env, const sti_world_contact* at, int n,
                                sti_instant_contact* made, double* const value[3]);

// ---- start.c: consistent start, mending of joints and penetrations

// Least displacement in the metric of M that brings joint defects and penetrations (of world->contact's pairs, looked
// at anew) below tol * size; the largest displacement of a point. with_contacts false: joints alone. *left: largest
// defect after.
sti_status sti_world_mend(sti_world* world, double tol, bool with_contacts, double* moved, double* left);
// Is a body so fast with v, or so far out, that its place is not told apart from others? Which; -1: none.
int sti_world_lost(const sti_world* world, const double* v, double* way);
// v is moved the least so that joint rows vanish.
sti_status sti_world_mend_velocity(sti_world* world, double* moved);

#endif
