// bodies.h: rigid bodies in the plane and in space: shapes, materials, joints, and the world in which they move.
//
//     M v' + F(v) = f(q, v) + sum of contacts H r + sum of joints G l
//
// The velocity of a body is that of its centre of mass in world axes and its angular velocity in body axes, so M is
// constant: the mass and the inertia about the centre. In the plane it is (v_x, v_y, omega).
//
// sti_bodies says what there is, sti_world how it moves: one contact problem a step (contact.h), with the exact cone of
// Coulomb, and its residual. docs/bodies.md has the equations, and what is proved of a step.
#ifndef STICTION_BODIES_H
#define STICTION_BODIES_H

#include <stiction/contact.h>
#include <stiction/impact.h>
#include <stiction/instant.h>
#include <stiction/shapes.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- what there is

typedef struct sti_bodies sti_bodies;

STI_API sti_status sti_bodies_create(sti_env* env, int dim, sti_bodies** out);  // dim 2 or 3
STI_API void sti_bodies_destroy(sti_bodies* bodies);                            // accepts NULL
STI_API void sti_bodies_set_gravity(sti_bodies* bodies, const double g[3]);     // plane: g[2] is not used
STI_API void sti_bodies_gravity(const sti_bodies* bodies, double g[3]);

// Names are copied and unique among their kind; NULL: "material 1", "body 1", "joint 1", ... What is wrong in a
// definition is STI_ERR_INPUT with the name, the field and the value; nothing is added then.

typedef struct sti_material {
    const char* name;
    double mu;
    double restitution;  // 0 .. 1
    // Wood, brushed metal, skates: mu holds along this direction in the frame of the body, mu_across across it; between
    // them an ellipse. All 0: the same in all directions. In space only.
    double grain[3];
    double mu_across;  // > 0 with a grain, unless there is a section
    // Any other section with a grain (section.h; copied, not what `user` points to), NULL: none. What the surface does
    // to a body on it lies in mu r_n S: x along the grain as it lies on the surface, y its outward normal cross x. So
    // corners from (-1, 0) to (0.2, 0) hold back what goes with the grain five times as much as what goes against it.
    const sti_section* section;
    double stiffness;  // law lzb: force = stiffness compression^exponent against something rigid; 0: 1
} sti_material;

// Of two materials: mu = sqrt(mu_a mu_b), restitution the larger, unless the pair has been set. Material 0 is there
// from the start: mu = 0.5, restitution 0. Of two grains the one with the larger ratio of its coefficients counts,
// a section before any; of two sections that of the material that was added first, on b of the contact if it is one.
STI_API sti_status sti_bodies_add_material(sti_bodies* bodies, const sti_material* material, int* index);
STI_API sti_status sti_bodies_set_pair(sti_bodies* bodies, int material_a, int material_b, double mu,
                                       double restitution);
// What two materials have with each other.
STI_API void sti_bodies_pair(const sti_bodies* bodies, int material_a, int material_b, double* mu, double* restitution);

typedef struct sti_body {
    const char* name;
    bool fixed;         // never moves; v and w are then those of its surface: a belt, a turntable
    sti_pose pose;      // of the body frame at the start
    double v[3];        // of the centre of mass, at the start
    double w[3];        // angular, in world axes; plane: w[2]
    double density;     // > 0: mass, centre and inertia follow from the shapes; otherwise they are:
    double mass;        // > 0
    double centre[3];   // of mass, in the body frame
    double inertia[9];  // about the centre, axes of the body frame, positive definite; plane: [8] > 0
} sti_body;

STI_API sti_body sti_body_default(void);  // at the origin, at rest, density 1000
STI_API sti_status sti_bodies_add(sti_bodies* bodies, const sti_body* body, int* index);
// The shape passes into the hands of `bodies`, also when this fails. place: of the shape in the body frame; NULL: the
// same. Meshes and half-spaces go with fixed bodies only.
STI_API sti_status sti_bodies_add_shape(sti_bodies* bodies, int body, sti_shape* shape, const sti_pose* place,
                                        int material);
// Bodies that never touch each other. (Bodies that a joint connects do not, unless the joint says so.)
STI_API sti_status sti_bodies_ignore(sti_bodies* bodies, int a, int b);
STI_API int sti_bodies_ignored_count(const sti_bodies* bodies);
STI_API void sti_bodies_ignored(const sti_bodies* bodies, int k, int* a, int* b);  // the k-th pair, a < b

#define STI_JOINT_LIST(X)                                                                          \
    X(STI_JOINT_FIXED, "fixed")             /* all */                                              \
    X(STI_JOINT_REVOLUTE, "revolute")       /* turns about z */                                    \
    X(STI_JOINT_PRISMATIC, "prismatic")     /* slides along z; in the plane along x */             \
    X(STI_JOINT_CYLINDRICAL, "cylindrical") /* slides along z (0) and turns about it (1); space */ \
    X(STI_JOINT_SPHERICAL, "spherical")     /* the origins coincide; space */                      \
    X(STI_JOINT_PLANAR, "planar")           /* moves in x and y, turns about z; space */           \
    X(STI_JOINT_DISTANCE, "distance")       /* the origins keep their distance */                  \
    X(STI_JOINT_GEAR, "gear")               /* couples the coordinates of two other joints */

#define STI_X(code, text) code,
typedef enum sti_joint_kind { STI_JOINT_LIST(STI_X) STI_JOINT_KIND_COUNT } sti_joint_kind;
#undef STI_X

STI_API const char* sti_joint_kind_text(sti_joint_kind kind);
STI_API bool sti_joint_kind_parse(const char* name, sti_joint_kind* out);

// A free coordinate of a joint: how far b has turned or slid against a, 0 where the two frames agree.
typedef struct sti_joint_axis {
    double lower, upper;  // one-sided limits; -INFINITY, INFINITY: none
    double friction;      // dry friction: force or torque up to this, and
    double mu;            //   mu times the joint's reaction force (S0's bilateral contact), times `radius` if it turns
    double radius;        // of the pin (default 1)
    double stiffness;     // spring to `rest`: -stiffness (c - rest) - damping c'
    double damping;
    double rest;
    double motor_speed;  // what the motor wants
    double motor_force;  // with at most this force or torque; 0: no motor
} sti_joint_axis;

typedef struct sti_joint {
    const char* name;
    sti_joint_kind kind;
    int a, b;             // bodies; -1: the world
    sti_pose at_a, at_b;  // frames of the joint in the body frames of a and b
    double length;        // distance
    int of[2];            // gear: the joints, and c_1 + ratio c_2 keeps its value of the start
    int of_axis[2];       //       which of their coordinates
    double ratio;
    sti_joint_axis axis[2];  // revolute, prismatic: [0]; cylindrical: both
    bool collide;            // a and b may touch each other
} sti_joint;

STI_API sti_joint sti_joint_default(sti_joint_kind kind, int a, int b);
// at_a and at_b from a point and an axis (a direction; plane: of a prismatic joint, otherwise not used, NULL then) in
// the world, with both bodies where they start. The second point of a distance: set at_b (or at_a) by hand.
STI_API sti_status sti_joint_place(const sti_bodies* bodies, const double point[3], const double axis[3],
                                   sti_joint* joint);
STI_API sti_status sti_bodies_add_joint(sti_bodies* bodies, const sti_joint* joint, int* index);
STI_API int sti_joint_row_count(int dim, sti_joint_kind kind);   // what it takes away
STI_API int sti_joint_axis_count(int dim, sti_joint_kind kind);  // free coordinates that have a number

// A spring between two points: force stiffness (distance - rest) + damping distance', along the line.
typedef struct sti_spring {
    int a, b;                 // bodies; -1: the world
    double at_a[3], at_b[3];  // points in their frames
    double stiffness, damping, rest;
} sti_spring;

STI_API sti_status sti_bodies_add_spring(sti_bodies* bodies, const sti_spring* spring);

STI_API int sti_bodies_dim(const sti_bodies* bodies);
STI_API int sti_bodies_count(const sti_bodies* bodies);
STI_API const sti_body* sti_bodies_body(const sti_bodies* bodies, int body);  // with mass and inertia as they follow
STI_API int sti_bodies_find(const sti_bodies* bodies, const char* name);      // -1: none of that name
STI_API int sti_bodies_joint_count(const sti_bodies* bodies);
STI_API const sti_joint* sti_bodies_joint(const sti_bodies* bodies, int joint);
STI_API int sti_bodies_spring_count(const sti_bodies* bodies);
STI_API const sti_spring* sti_bodies_spring(const sti_bodies* bodies, int spring);
STI_API int sti_bodies_find_joint(const sti_bodies* bodies, const char* name);
STI_API int sti_bodies_shape_count(const sti_bodies* bodies);
STI_API const sti_shape* sti_bodies_shape(const sti_bodies* bodies, int shape, int* body, sti_pose* place,
                                          int* material);
STI_API int sti_bodies_material_count(const sti_bodies* bodies);
STI_API const sti_material* sti_bodies_material(const sti_bodies* bodies, int material);

// ---- how it moves

typedef struct sti_world_options {
    double h;
    double alpha;               // S3 (2.1.4) with u = alpha v+ + (1 - alpha) v, in [1/2, 1] (default 1)
    double tol;                 // on the residual of the contact problem (default 1e-8)
    sti_contact_solver solver;  // default STI_CONTACT_AUTO
    sti_impact_law law;         // STI_IMPACT_NEWTON (default), STI_IMPACT_POISSON, STI_IMPACT_STRONGE or STI_IMPACT_LZB
    double exponent;            // law lzb: of the springs, >= 1 (default 1.5, Hertz)
    double rest_speed;          // what approaches slower does not bounce; 0: 2 h |g|
    bool dissipate;             // an impact that would add energy is drawn back (default true)
    int index;                  // joints: velocities hold (2, default), or positions at the end of the step (3)
    bool stabilize;  // joints and penetrations are mended after each step, at the level of positions (default true)
    double stabilize_tol;  // where they exceed this, in lengths of the scene (default 1e-10)
    int points;  // at most so many contacts for two shapes (default 0: 4, all where faces are not quite flat; plane 2)
    bool start_as_given;  // false: joints and velocities are made consistent first (S3 1.3.5 to 1.3.8)
} sti_world_options;

STI_API sti_world_options sti_world_options_default(void);

// What a step did and how well: everything measured after it, on its own data.
typedef struct sti_world_report {
    long step;
    double time;      // at its end
    bool solved;      // sound, and residual <= tol
    bool sound;       // everything went its whole way, joints are closed, nothing overlaps at the end (docs/bodies.md)
    double residual;  // worst of the step's contact problems (docs/contact.md)
    long iterations;
    int contacts;  // in the problem
    int touching;  // with an impulse
    int sticking;  // of those
    int joint_rows;
    double kinetic;         // energy at its end
    double potential;       // gravity and springs
    double work;            // done by motors, moving surfaces and forces of the caller in this step
    double gain;            // energy that appeared beyond that; negative: lost, as it should be
    double mended;          // energy that stabilization added and motion did not pay
    int impacts;            // contacts that bounced
    double impact_energy;   // change of kinetic energy in them
    double impact_gain;     // what the law would have added, before it was drawn back
    int landings;           // contacts without restitution that closed faster than rest_speed
    double landing_energy;  // change of kinetic energy in them: work of their impulses, <= 0 up to the closing gap
    double impact_time;     // of the first contact that bounced or landed; NAN: none
    double penetration;     // worst, at the end
    double drift;           // worst defect of a joint, at the end: length, or angle times the scene's length
    double drift_rate;      // and the worst rate of one
    double corrected;       // largest displacement by stabilization
    double given;           // deepest overlap, at the beginning, of a place that the caller gave; 0: none
    int given_a, given_b;   // of these bodies
    bool at_rest;           // v+ = 0 exactly, and that was proved to solve the step
    double time_detect_s, time_solve_s, time_rest_s;
    char why[240];  // when not solved
} sti_world_report;

typedef struct sti_world_contact {
    int a, b;  // bodies
    int shape_a, shape_b;
    uint64_t id;  // with the shapes: the same from step to step while the features stay the same
    double gap;   // at the beginning of the step
    // unit; n from b to a. With a grain t1 is along it and t2 is mu_across / mu long: r and u are then those
    // coordinates in which friction is a disc (force on a: r[0] n + r[1] t1 + r[2] t2)
    double n[3], t1[3], t2[3];
    double point[3];  // halfway between the two surfaces
    double mu, restitution;
    double r[3];         // impulse on a: normal, t1, t2; in the plane two
    double u[3];         // relative velocity, with which the step moves
    double hit;          // time at which it bounced or landed in this step; NAN: it did not
    unsigned char mode;  // sti_contact_mode
    int section_of;      // 1 + the material whose section friction has, in the axes t1 and t2 (unit); 0: the disc
} sti_world_contact;

typedef struct sti_world_joint {
    double coordinate[2], speed[2];  // of its axes
    double defect;                   // largest
    double force[3],
        torque[3];       // impulse on b in world axes, at the origin of its frame (what holds the joint together)
    double limit[2];     // impulses of limits
    double friction[2];  // of dry friction
    double motor[2];     // of the motor
} sti_world_joint;

// What was tried on an island in the last step, and why.
typedef struct sti_world_attempt {
    int body;      // one of the island
    int contacts;  // with limits, friction and motors of joints
    sti_contact_solver solver;
    bool solved;
    double residual;  // on the island, INFINITY: none was found
    long iterations;
    char why[120];
} sti_world_attempt;

typedef struct sti_world sti_world;

// `bodies` is borrowed and outlives the world. A start that cannot be made consistent is STI_ERR_INPUT, with the
// reason.
STI_API sti_status sti_world_create(sti_env* env, const sti_bodies* bodies, const sti_world_options* options,
                                    sti_world** out);
STI_API void sti_world_destroy(sti_world* world);  // accepts NULL
// STI_OK with `solved` false: the step was made with what there was; `why` says more. Any other status: no step was
// made.
STI_API sti_status sti_world_step(sti_world* world, sti_world_report* report);  // report may be NULL

// What it took to make the start fit the joints (S3 1.3.5 to 1.3.8); all 0 with start_as_given.
typedef struct sti_world_fit {
    double moved;   // way of the point that went farthest
    double speed;   // largest change of a velocity
    double energy;  // change of kinetic and potential energy
} sti_world_fit;

STI_API sti_world_fit sti_world_start_fit(const sti_world* world);

STI_API long sti_world_steps(const sti_world* world);
STI_API double sti_world_time(const sti_world* world);
STI_API void sti_world_pose(const sti_world* world, int body, sti_pose* pose);  // of the body frame
STI_API void sti_world_velocity(const sti_world* world, int body, double v[3],
                                double w[3]);  // centre of mass; world axes
// An overlap that a new pose makes is lifted by the next step, and so is one of the start; `mended` says what it took.
STI_API sti_status sti_world_set(sti_world* world, int body, const sti_pose* pose, const double v[3],
                                 const double w[3]);  // NULL: unchanged
// A force at the centre of mass and a torque, in world axes, that act from now on; a motor's speed or a spring's rest.
STI_API sti_status sti_world_push(sti_world* world, int body, const double force[3], const double torque[3]);
STI_API sti_status sti_world_drive(sti_world* world, int joint, int axis, double motor_speed, double motor_force,
                                   double rest);
STI_API void sti_world_energy(const sti_world* world, double* kinetic, double* potential);

// Of the last step; valid until the next one.
// Island by island, in order; those of impacts and of corrections too. Nothing is tried where rest is proved or all
// part freely.
STI_API const sti_world_attempt* sti_world_attempts(const sti_world* world, int* count);
STI_API const sti_world_contact* sti_world_contacts(const sti_world* world, int* count);
STI_API void sti_world_joint_state(const sti_world* world, int joint, sti_world_joint* out);
// The problem that the last step posed and solved, in the global form, and the answer to it (r, v, lambda): for
// sti_verify_contact, for files. Rows that stand for limits, friction in joints and motors follow those of contacts.
STI_API const sti_contact_problem* sti_world_problem(const sti_world* world, const sti_contact_answer** answer);

// Everything contact theory needs, here and now: contacts that touch (gap <= tol), limits that are reached, joints row
// by row, then the bounded forces of friction in joints and of motors at their speed. Free with sti_instant_destroy.
STI_API sti_status sti_world_instant(sti_env* env, const sti_world* world, double gap_tol, sti_instant** out);
// The same after a step, which holds joints and closed contacts up to its tolerance: with the nearest velocities that
// hold them (sti_instant_settle), rates taken at those. told may be NULL.
STI_API sti_status sti_world_instant_settled(sti_env* env, const sti_world* world, double gap_tol,
                                             sti_instant_settled* told, sti_instant** out);
// What that instant takes for something else, in words; "": nothing. text (room): cut where it does not fit.
STI_API void sti_world_instant_note(const sti_world* world, char* text, size_t room);

// The world from here on as a system (system.h): for steppers, with events too, and for whatever takes systems. The
// bodies are borrowed, the world is not needed any more. Coordinates of each body that moves: its centre of mass, then
// its angle, in space its quaternion, whose length a joint keeps ("box.x", "box.angle", "box.qw"). Contacts: corners
// against half-spaces, balls against what is bounded, in the plane corners against convex shapes; limits of joints; dry
// friction and motors of joints, with a coordinate each that stays 0. STI_ERR_INPUT: other shapes that may touch,
// grain, or friction of a joint that depends on its reaction. docs/steppers.md has the reasons.
STI_API sti_status sti_world_system(sti_env* env, const sti_world* world, sti_system** out);
// A world where its system is: q, v as sti_world_system counts them. Time stays.
STI_API sti_status sti_world_follow(sti_world* world, const double* q, const double* v);

// All that later steps depend on, as bytes (free with sti_env_free), and back into a world made of the same bodies with
// the same options: it goes on bit for bit.
STI_API sti_status sti_world_save_state(const sti_world* world, void** bytes, size_t* size);
STI_API sti_status sti_world_load_state(sti_world* world, const void* bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
