// navigation.h: vehicles that keep their distance by virtual contacts: S3 section 3.3.
//
// A vehicle is a point with a mass and a force, in a cage (a disc, or a polygon that keeps its direction) that nothing
// may enter: not the walls (guidance elements), not the obstacles, not the cage of another vehicle. Without friction,
// at position level (alpha = 1):
//
//     (M - h k_v)(v+ - v) = h k(q, v, t + h) + sum n c,     0 <= Phi(q) + h n'v+  _|_  c >= 0,     q+ = q + h v+
//
// Distances of convex cages are convex in their positions, so Phi after a step is not below its linearization: no cage
// is ever entered.
#ifndef STICTION_NAVIGATION_H
#define STICTION_NAVIGATION_H

#include <stiction/document.h>
#include <stiction/manipulation.h>

#ifdef __cplusplus
extern "C" {
#endif

// A vehicle, or a fleet of them: formulas may use the parameters, i (0, 1, .. of the fleet) and n (how many). The force
// may also use x, y, x', y', t and the goal as gx, gy.
typedef struct sti_vehicle_text {
    const char* name;            // NULL: "vehicle 1", ..; of a fleet: "name 1", ..
    int count;                   // 0: one vehicle
    const char* cage;            // radius of a round cage
    int corner_count;            // of a polygon; its hull, which does not turn, is the cage then
    const char* const* corners;  // x, y from the place of the vehicle            (2 corner_count)
    const char* mass;            // NULL: 1
    const char* force[2];
    const char* q[2];
    const char* v[2];     // NULL: 0
    const char* goal[2];  // NULL: none
} sti_vehicle_text;

typedef struct sti_wall_text {
    const char* name;
    const char* point[2];
    const char* normal[2];  // towards the free side
} sti_wall_text;

typedef struct sti_obstacle_text {
    const char* name;
    sti_outline_text outline;
    const char* pose[3];
} sti_obstacle_text;

typedef struct sti_navigation_text {
    int parameter_count;
    const char* const* parameter_names;
    const double* parameters;
    int definition_count;
    const sti_system_named* definitions;
    int vehicle_count;
    const sti_vehicle_text* vehicles;
    int wall_count;
    const sti_wall_text* walls;
    int obstacle_count;
    const sti_obstacle_text* obstacles;
    const char* step;  // NULL: 0.02
    const char* time;  // NULL: 10
} sti_navigation_text;

typedef struct sti_navigation sti_navigation;

// STI_ERR_INPUT names what is wrong: a formula, a cage that overlaps another, a wall or an obstacle at the start.
STI_API sti_status sti_navigation_create(sti_env* env, const sti_navigation_text* text, sti_navigation** out);
STI_API void sti_navigation_destroy(sti_navigation* nav);  // accepts NULL
// Of a document, at its start; lives as long as it, or until it is set. NULL: of another kind.
STI_API sti_navigation* sti_navigation_of(const sti_document* document);

STI_API int sti_navigation_count(const sti_navigation* nav);  // vehicles
STI_API const char* sti_navigation_vehicle(const sti_navigation* nav, int i);
STI_API double sti_navigation_cage(const sti_navigation* nav,
                                   int i);  // radius about its place; of a polygon: of its corners
STI_API sti_outline sti_navigation_cage_outline(const sti_navigation* nav, int i);
STI_API bool sti_navigation_goal(const sti_navigation* nav, int i, double goal[2]);  // false: it has none
STI_API double sti_navigation_step_length(const sti_navigation* nav);
STI_API double sti_navigation_end(const sti_navigation* nav);
STI_API int sti_navigation_wall_count(const sti_navigation* nav);
STI_API void sti_navigation_wall(const sti_navigation* nav, int i, double point[2], double normal[2]);
STI_API int sti_navigation_obstacle_count(const sti_navigation* nav);
STI_API sti_outline sti_navigation_obstacle(const sti_navigation* nav, int i, double pose[3]);

// ---- in motion

typedef struct sti_cage_contact {
    int vehicle;  // n points to it
    int other;    // a vehicle; -1 - k: wall k; -1 - walls - k: obstacle k
    double gap;   // where the step began
    double n[2];
    double impulse;  // c; above 0: the contact is in the basis
} sti_cage_contact;

typedef struct sti_navigation_report {
    long step;
    double time;
    sti_outcome outcome;  // of the worst part; not STI_SOLVED: no step was made
    double residual;
    int contact_count;
    const sti_cage_contact* contacts;  // of the step's problems, sorted by vehicle, then other
    double least_gap;                  // at the end, over all pairs looked at; INFINITY: none
    int islands;                       // problems that were solved apart
    // Deadlock: nothing moves faster than 1e-9 of its cage in a step, forces are balanced by contacts, k + sum n lambda
    // = 0, and no formula of a force has t in it
    bool deadlock;
    double balance;  // largest |k + sum n lambda|, relative to the largest |k|; NAN: something moves
} sti_navigation_report;

STI_API sti_status sti_navigation_step(sti_navigation* nav, sti_navigation_report* report);
STI_API double sti_navigation_time(const sti_navigation* nav);
STI_API const double* sti_navigation_q(const sti_navigation* nav);  // (2 count)
STI_API const double* sti_navigation_v(const sti_navigation* nav);  // (2 count)
// Elsewhere: number of the step, positions and velocities (2 count).
STI_API void sti_navigation_set(sti_navigation* nav, long step, const double* q, const double* v);
// After that: contacts that pressed in the step before, in the order of its report, with which the next one begins.
// Without them it is made as well, but its last bits may be others.
STI_API sti_status sti_navigation_press(sti_navigation* nav, int count, const sti_cage_contact* pressing);
// Force k of a vehicle at (q, v, t), its derivative k_v by v (row by row) and the mass.
STI_API sti_status sti_navigation_force(const sti_navigation* nav, int vehicle, double t, const double q[2],
                                        const double v[2], double k[2], double k_v[4], double* mass);
// The problem of the last step, of all vehicles at once, as a mixed one with sparse matrices: u = v+, z = impulses of
// the contacts in the order of the report.
typedef struct sti_navigation_problem {
    sti_mlcp mlcp;
    void* memory;
} sti_navigation_problem;

STI_API sti_status sti_navigation_pose(sti_env* env, const sti_navigation* nav, sti_navigation_problem* out);
STI_API void sti_navigation_problem_clear(sti_env* env, sti_navigation_problem* problem);

// "wall 1", or the name of the vehicle, into text (size bytes, always ended).
STI_API void sti_navigation_other_text(const sti_navigation* nav, int other, char* text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
