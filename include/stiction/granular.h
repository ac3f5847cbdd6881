// granular.h: many spheres in a vessel: hard contact, Coulomb friction, time steps with a certificate each.
//
// One step of length h from positions x and velocities (v, w), every contact k with gap Phi_k <= eps taken along:
//
//     M (v+ - v) = h f + sum_k H_k r_k,         u_k = H_k'v+ + Phi_k/h n_k           (S3 2.3.7 to 2.3.9)
//
// and one of three laws between u_k and r_k:
//
//     coulomb   K_mu contains r_k,  K_mu* contains u_k + mu |u_t| n,  orthogonal       exact, no lift
//     cone      K_mu contains r_k,  K_mu* contains u_k,               orthogonal       convex: the round cone
//
//     facets    r_k = sum_s lambda_s (n + mu d_s), 0 <= lambda_s _|_ u_n + mu d_s'u >= 0, s = 1 .. p   convex: p facets
//
// The two convex laws are the optimality conditions of a quadratic program, primal in v+ and dual in the impulses; they
// lift sliding contacts by mu |u_t| h.
#ifndef STICTION_GRANULAR_H
#define STICTION_GRANULAR_H

#include <stdbool.h>
#include <stiction/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- the vessel: an intersection of convex sets, every wall on its own

#define STI_WALL_LIST(X)                                                  \
    X(STI_WALL_PLANE, "plane")       /* axis'(x - point) >= 0 */          \
    X(STI_WALL_CYLINDER, "cylinder") /* distance to the axis <= radius */ \
    X(STI_WALL_CONE, "cone")         /* distance to the axis <= radius + slope s */

#define STI_LAW_LIST(X)           \
    X(STI_LAW_COULOMB, "coulomb") \
    X(STI_LAW_CONE, "cone")       \
    X(STI_LAW_FACETS, "facets")

#define STI_BED_SOLVER_LIST(X)                                                    \
    X(STI_BED_GS, gs)       /* block Gauss-Seidel: every law */                   \
    X(STI_BED_APGD, apgd)   /* accelerated projected gradient: the convex laws */ \
    X(STI_BED_BB, bb)       /* Barzilai-Borwein: the convex laws */               \
    X(STI_BED_BLMVM, blmvm) /* limited-memory quasi-Newton with bounds: facets */ \
    X(STI_BED_TRON, tron)   /* conjugate gradients on faces: facets */            \
    X(STI_BED_IPM, ipm)     /* primal-dual interior point: the convex laws */

#define STI_X(code, text) code,
typedef enum sti_wall_kind { STI_WALL_LIST(STI_X) STI_WALL_KIND_COUNT } sti_wall_kind;
typedef enum sti_law { STI_LAW_LIST(STI_X) STI_LAW_COUNT } sti_law;
typedef enum sti_bed_solver { STI_BED_SOLVER_LIST(STI_X) STI_BED_SOLVER_COUNT } sti_bed_solver;
#undef STI_X

STI_API const char* sti_law_text(sti_law law);
STI_API bool sti_law_parse(const char* name, sti_law* out);
STI_API const char* sti_bed_solver_text(sti_bed_solver solver);
STI_API bool sti_bed_solver_parse(const char* name, sti_bed_solver* out);

typedef struct sti_wall {
    sti_wall_kind kind;
    double point[3];  // on the plane, or on the axis
    double axis[3];   // unit: the inward normal of a plane, the axis of the others
    double radius;    // at `point`
    double slope;     // cone: d radius / d s, s measured along the axis from `point`
    bool rim;         // cone: it ends in an open rim at `point`, s >= 0 (otherwise it goes on)
    double spin;      // the surface turns about the axis with this speed
    double mu;        // friction of grains on it
} sti_wall;

// Distance of a sphere's surface from the wall (negative: it penetrates), and the inward unit normal there.
STI_API double sti_wall_gap(const sti_wall* wall, const double x[3], double radius, double n[3]);

// Friction of grains on a wall that is no disc: the tangential impulse lies in mu r_n S, mu of the wall, S a section
// (section.h) whose first axis points along `along`, projected on the tangent plane of the contact, and whose second
// one is the inward normal x the first. `along` belongs to the wall and turns with its spin from time 0 on. It is not
// normal to a plane; where it is to another wall (up to 1e-9), the first axis is one that the normal alone determines.
typedef struct sti_wall_friction {
    sti_section section;
    double along[3];  // not 0, unless S is the disc
} sti_wall_friction;

// ---- grains and where they start

// Arrays are owned by the struct; sti_grains_clear frees them.
typedef struct sti_grains {
    int count;
    double* x;       // centres                     (count x 3)
    double* v;       // velocities                  (count x 3)
    double* w;       // angular velocities          (count x 3)
    double* radius;  // (count)
    double* mass;    // (count)
    double mu;       // friction between grains
    double gravity[3];
    int wall_count;
    sti_wall* walls;
    sti_wall_friction* friction;  // of walls; NULL: discs all of them   (wall_count)
    double* corners;              // of their polygons
} sti_grains;

STI_API void sti_grains_clear(sti_env* env, sti_grains* grains);
STI_API void sti_grains_scale(sti_grains* grains, double factor);  // all lengths, of the vessel too; densities stay

// Another section for a wall, copied. The law of the bed has to be coulomb then.
STI_API sti_status sti_grains_set_section(sti_env* env, sti_grains* grains, int wall, const sti_section* section,
                                          const double along[3]);

// The pebble bed of S3 2.3: a cylinder over a truncated cone of half angle 45 degrees over a plate; concentric circles
// on horizontal planes, jittered. Pebbles have diameter 1 and mass 1; with another radius everything is scaled. Sizes
// 0: those that belong to the count.
typedef struct sti_pebble_bed {
    int count;
    uint64_t seed;
    double cylinder;  // radius of the cylinder
    double opening;   // radius of the opening, closed by the plate
    double mu;
    double radius;  // of a pebble; 0: 0.5
} sti_pebble_bed;

STI_API sti_pebble_bed sti_pebble_bed_default(int count);
STI_API sti_status sti_grains_pebble_bed(sti_env* env, const sti_pebble_bed* def, sti_grains* out);

// The settle test for engines: the same vessel with a floor of 30 degrees, radius 0.03, any count in the same shape.
STI_API sti_status sti_grains_settle(sti_env* env, int count, uint64_t seed, sti_grains* out);

// Grains of diameter near 1 and density such that diameter 1 has mass 1, on a jittered lattice above where they fall.
// Radii are drawn from 0.5 (1 - spread) to 0.5 (1 + spread); with another mean everything is scaled.
typedef struct sti_grain_pour {
    int count;
    uint64_t seed;
    double mu;
    double spread;  // 0 .. 0.9
    double width;   // of the vessel, in its own sense; 0: in proportion to the count
    double slope;   // hopper: of its walls against the horizontal, in degrees; 0: 45
    double spin;    // drum: radians in a second
    double radius;  // mean; 0: 0.5
} sti_grain_pour;

STI_API sti_status sti_grains_box(sti_env* env, const sti_grain_pour* def, sti_grains* out);     // five walls
STI_API sti_status sti_grains_hopper(sti_env* env, const sti_grain_pour* def, sti_grains* out);  // a wedge: two slopes
STI_API sti_status sti_grains_drum(sti_env* env, const sti_grain_pour* def, sti_grains* out);    // turns about y
STI_API sti_status sti_grains_heap(sti_env* env, const sti_grain_pour* def, sti_grains* out);    // a column on a plain

// The bottom plate taken out, the cone ends in a rim: grains can leave. The plate must be the first wall, the cone the
// second, as the vessels above have them.
STI_API void sti_grains_open_bottom(sti_grains* grains);

// How densely grains at x (count x 3) fill a vessel of plate, cones and cylinders about the z axis.
typedef struct sti_packing {
    double mean_height;
    double top;     // mean height of the highest twentieth of the centres, plus the radius
    double all;     // volume of the grains / volume of the vessel below top
    double bottom;  // volume of the grains below 0.8 top / volume of the vessel there
} sti_packing;

STI_API sti_status sti_grains_packing(sti_env* env, const sti_grains* grains, const double* x, sti_packing* out);

// ---- a bed in motion

typedef struct sti_bed sti_bed;

typedef struct sti_bed_options {
    double h;
    sti_law law;
    int facets;             // p of the law with facets, 3 or more
    sti_bed_solver solver;  // one that takes the law
    double tol;             // natural map of the step, relative to the impulses
    long max_iterations;    // 0: the method's own limit
    double recover;         // part of a penetration that a step takes back, 0 .. 1
    double eps;        // gaps up to this are taken along; 0: local, what the faster of two covers in the step, and more
                       // where that proves to be too little
    double eps_speed;  // and at least this many h times the largest speed, when eps > 0
    bool warm;         // start from the impulses of the last step
} sti_bed_options;

STI_API sti_bed_options sti_bed_options_default(void);

// What a step did and how well: everything measured on its own data after the solve.
typedef struct sti_bed_report {
    long step;
    double time;       // after the step
    int contacts;      // taken along
    int touching;      // with an impulse
    double residual;   // natural map of the law, relative
    double objective;  // convex laws: of the primal program, 1/2 v'Mv - (M v + h f)'v at v+
    double gap;        // convex laws: its distance from the dual value, relative
    long iterations;   // sweeps, products or Newton steps
    bool solved;       // sound, and residual <= tol
    bool sound;      // no grains in each other by more than a tenth of the smallest radius, before the step or after it
    double kinetic;  // energy after the step
    double potential;    // relative to height 0
    double penetration;  // worst, after the step, of pairs that were near before it, in units of length
    double overlap;      // worst, before the step: also of those that came upon each other in the last one from farther
    double cone_violation;  // worst |r_t| - mu r_n, over the mean r_n
    double balance;         // sum of the walls' impulses along gravity / (h times the weight)
    double momentum;  // |what the momentum of all grains changed by - impulses of gravity and walls|, over h times
                      // the weight and the sum of m |v| before the step
    double impulses;  // sum of normal impulses
    double lift;      // convex laws: largest mu |u_t| h
    int again;  // times that the step was made anew, with pairs that it had left out and that overlapped at its end
    double time_search_s, time_solve_s, time_rest_s;
} sti_bed_report;

STI_API sti_status sti_bed_create(sti_env* env, const sti_grains* grains, const sti_bed_options* options,
                                  sti_bed** out);
STI_API void sti_bed_destroy(sti_bed* bed);
STI_API sti_status sti_bed_step(sti_bed* bed, sti_bed_report* report);  // report may be NULL

// The state, by the numbers the grains were given in. v, w, x may be NULL: not asked for, or left as they are.
STI_API int sti_bed_count(const sti_bed* bed);
STI_API double sti_bed_time(const sti_bed* bed);
STI_API void sti_bed_get(const sti_bed* bed, double* x, double* v, double* w);
STI_API sti_status sti_bed_set(sti_bed* bed, const double* x, const double* v, const double* w);

// The contacts of the last step: grains a and b (b < 0: wall -1 - b), unit normal from b to a, impulse on a.
typedef struct sti_bed_contact {
    int a, b;
    double n[3];
    double gap;     // before the step
    double offset;  // Phi / h as the step took it
    double r[3];
    double lift;  // convex laws: mu |u_t| h where it carries load, which friction opened it by; else 0
} sti_bed_contact;

STI_API int sti_bed_contact_count(const sti_bed* bed);
STI_API void sti_bed_contacts(const sti_bed* bed, sti_bed_contact* out);  // (sti_bed_contact_count)

// ---- the last step as a problem of <stiction/contact.h>

// Global form: velocities (v, omega) of the grains by their numbers; contacts in the order of sti_bed_contacts, each in
// the frame (n, t1, t2), n from b to a. It is posed with Coulomb's law whatever the law of the bed. `answer` is the
// point of the step, with r, u, v and their residual on this problem: "solved" where the bed has Coulomb's law and the
// residual is within 21/16 sqrt(1 + mu^2) of its tolerance, which is what that tolerance means in this norm. All arrays
// are owned; what M, H, f, w and mu of the problem point to goes with the struct.
typedef struct sti_bed_problem {
    sti_contact_problem problem;
    sti_contact_answer answer;
    void* memory;
} sti_bed_problem;

// STI_ERR_ARGUMENT: no step has been made since the bed was created, loaded or set.
STI_API sti_status sti_bed_problem_make(sti_env* env, const sti_bed* bed, sti_bed_problem* out);
STI_API void sti_bed_problem_clear(sti_env* env, sti_bed_problem* problem);

// ---- jamming: can the contacts that touch press on each other without any load?

// S3 (2.3.11) with its errata: is there a self-stress, r != 0 in the friction cones of the contacts that touch, with H
// r = 0? The walls stand firm. `pointed` holds: there is none, and forces are bounded by the load; it fails: r is one,
// and forces can grow without one. Which contacts touch: those of the last step that are no farther apart than `touch`
// after it.
typedef struct sti_bed_jamming {
    sti_contact_finding pointed;
    int contact_count;   // of the last step, in the order of sti_bed_contacts
    int touching;        // of them
    int freed;           // grains that can go one after the other
    int groups;          // of grains that hold each other: what is left, cut where no contact leads across
    int group_contacts;  // contacts in the groups together
    double margin;  // holds: least u_n - mu |u_t| for motions of size 1, INFINITY where nothing touches; NAN otherwise
    double defect;  // fails: largest entry of H r over the sum of the normal forces; NAN otherwise
    // holds: grain i moves by motion[i] = (v, R omega) and parts from all its contacts with grains of a later turn and
    // with walls; grains of one group have the same turn and move together. -1: it touches nothing.
    int* turn;       // by number                      (n), NULL otherwise
    double* motion;  // (n x 6), NULL otherwise
    // fails: forces in the world's axes, acting on a; 0 where nothing touches
    double* r;  // (contact_count x 3), NULL otherwise
    double time_s;
} sti_bed_jamming;

typedef struct sti_jamming_options {
    double touch;         // gap over the largest radius
    double time_limit_s;  // 0: none
} sti_jamming_options;

STI_API sti_jamming_options sti_jamming_options_default(void);
// The result is filled, and must be cleared, whenever STI_OK is returned.
STI_API sti_status sti_bed_jamming_analyze(sti_env* env, const sti_bed* bed, const sti_jamming_options* options,
                                           sti_bed_jamming* out);
STI_API void sti_bed_jamming_clear(sti_env* env, sti_bed_jamming* jamming);

// ---- a method of the caller's own for the law with facets

// The step as a program in the impulses:  min 1/2 x'P x + kappa'x  over x >= 0.  P = B B' is known by its products, and
// by the rows of B, which have at most 12 entries: six for each of the two grains (S3 2.3.10, B = A M^-1/2).
typedef struct sti_bed_program {
    int n;                // variables: facets times contacts
    int columns;          // of B
    const double* kappa;  // (n)
    const double* rho;    // 1 / P_ii (n)
    double tol;  // |x - max(0, x - rho (P x + kappa))| <= tol |x|, norms weighted by 1 / rho, is what is asked for
    long max_iterations;
    void (*multiply)(const struct sti_bed_program* program, const double* x, double* y);              // y = P x
    int (*factor)(const struct sti_bed_program* program, int row, int column[12], double value[12]);  // entries
    void* inside;
} sti_bed_program;

// x: start in, answer out (n). A status other than STI_OK ends the step and comes with a line in `text`.
typedef struct sti_bed_method {
    const char* name;
    sti_status (*solve)(void* user, const sti_bed_program* program, double* x, long* iterations, char text[160]);
    void* user;
} sti_bed_method;

// From now on the bed, which must have the law facets, is solved by this; NULL: by the solver of its options again.
// What a method returns is judged like any other answer: the report's residual is computed anew. Not part of a saved
// state.
STI_API sti_status sti_bed_use(sti_bed* bed, const sti_bed_method* method);

// ---- a bed that flows: grains that have left below come in again at the top

typedef struct sti_recirculation sti_recirculation;

typedef struct sti_outflow {
    long left;             // grains that left so far
    double last_time;      // when the last one did
    double residence;      // mean time between coming in (by the top) and leaving; NAN: none has yet
    double residence_min;  // of those
    double residence_max;
} sti_outflow;

// Grains below height `out` leave and come in where the bed began, at rest, inside `radius` of the axis. `apply` fails
// for want of memory: before anything was done, or, where moved > 0, when all of it was done but for the list of near
// pairs, which the next step makes.
STI_API sti_status sti_recirculation_create(sti_env* env, const sti_bed* bed, double out, double radius, uint64_t seed,
                                            sti_recirculation** result);
STI_API void sti_recirculation_destroy(sti_env* env, sti_recirculation* r);
STI_API sti_status sti_recirculation_apply(sti_recirculation* r, sti_bed* bed, int* moved);  // after a step
STI_API sti_outflow sti_recirculation_outflow(const sti_recirculation* r);

// Mean downward speed of the grains in rings about the z axis and layers of height, over all steps so far; rows are
// layers from below, all as high, from `out` to the highest centre of the beginning. Rings are radius / rings wide, and
// what is beyond belongs to the last one. speed is a sum over count grains (layers x rings).
STI_API void sti_recirculation_profile(const sti_recirculation* r, int* layers, int* rings, const double** speed,
                                       const long** count);
// Where its layers begin and end, and `radius`.
STI_API void sti_recirculation_extent(const sti_recirculation* r, double* low, double* high, double* radius);

#ifdef __cplusplus
}
#endif
#endif
