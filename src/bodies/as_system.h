// as_system.h: a world as functions of coordinates: what as_system.c sets up and motion_values.c evaluates.
#ifndef STI_BODIES_AS_SYSTEM_H
#define STI_BODIES_AS_SYSTEM_H

#include "bodies/gaps.h"

// A contact or joint row: its gap, its row on velocities, and what its surface adds.
typedef struct sti_motion_line {
    sti_row row;
    double gap, offset;
} sti_motion_line;

typedef struct sti_motion_pressed {
    int at;  // 2 joint + axis
    bool motor;
    double bound, mass;
} sti_motion_pressed;

typedef struct sti_world_motion {
    sti_arena memory;
    sti_env* env;
    sti_world* world;  // where functions are looked at
    int n, per_body;   // coordinates, of one body
    int gap_count, limit_count, pressed_count, joint_count, line_count, contact_count;
    sti_gap* gap;                 // (gap_count)
    int* limit;                   // 2 (2 joint + axis) + side                  (limit_count)
    sti_motion_pressed* pressed;  // (pressed_count)
    sti_motion_line* line;        // of contacts: normal, tangents; of joints   (line_count)
    sti_motion_line* nearby;      // the same at a node                         (line_count)
    double* rate;                 // of each line                               (line_count)
    double *seen_q, *seen_v;      // where lines were looked at, and their rates  (n), (n)
    bool has_lines, has_rates;
    double* stiffness;             // c of each body that moves                  (moving)
    double* turn_from;             // plane: of each axis, coordinate less angles (2 joints)
    sti_soft* soft;                // (sti_world_soft_count)
    double *f, *covector, *there;  // (6 moving), (n), (n)
    double length;                 // of the smallest shape that moves
    char** name;                   // coordinates, contacts and joints
    int name_count;
} sti_world_motion;

static inline int sti_motion_quaternions(const sti_world_motion* m) {
    return m->world->dim == 3 ? m->world->moving : 0;
}

// ---- motion_values.c

int sti_motion_tangents(const sti_world_motion* m, int i);                          // of a contact or joint
double sti_motion_angle(const sti_world_motion* m, int body, const double* q);      // plane
bool sti_motion_place(const sti_world_motion* m, sti_placed* to, const double* q);  // false: no place
void sti_motion_spin(const double* e, const double* rate, double w[3]);             // w = A e', in body axes
// For sti_system_def; user: a sti_world_motion.
bool sti_motion_evaluate(void* user, double t, const double* q, const double* v, sti_system_values* out);

#endif
