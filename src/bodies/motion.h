// motion.h: what the steps of a world share: links (joints and springs, factored), acts (everything one-sided),
// islands.
//
//     A u = H r + G l + f,     u_c = H'u + w,     0 = G'u + b
//
// is the problem of a step, of an impact, of a mending: A = M / s plus the springs taken implicitly, one act for each
// contact, limit, dry friction or motor. The springs are kept as rows J with a compliance C beside the joints (C = 0),
// so that M stays block diagonal:
//
//     M / s u = H r + J'l + f,      J u + C l + b = 0,         S = s J M^-1 J' + C
#ifndef STI_BODIES_MOTION_H
#define STI_BODIES_MOTION_H

#include "bodies/bodies.h"
#include "contact/velocities.h"
#include "linalg/blocks.h"
#include "linalg/ldl.h"

// Bodies that rows of joints and springs connect: S falls into one block for each assembly.
typedef struct sti_assembly {
    int body_count;
    int first_body;  // in sti_links.order
    int row_count;
    int first_row;  // in sti_links.member
    sti_ldl ldl;    // of its block of S
    bool weak;      // rows that nearly depend on each other: solutions need refinement
    bool held;      // a joint holds a body of it to one that does not move
} sti_assembly;

typedef struct sti_links {
    int row_count, joint_rows;        // joints first, then springs
    sti_row* row;                     // J                                        (row_count)
    sti_row* solved;                  // s M^-1 J', in ja and jb                  (row_count)
    double *compliance, *defect, *x;  // C; of joints; scratch                    (row_count)
    double* asked;                    // b of a step: 0, or what closes joints at its end  (row_count)
    bool asks;                        // some of it is not 0
    double* l;                        // multipliers of the last step             (row_count)
    double* trial;                    // and of others                            (row_count)
    double* respond;                  // and of one response                      (row_count)
    int* key;                         // slots that the rows had at the last look (4 row_count)
    int key_count;
    int* joint_first;  // first row of each joint, and the end             (joints+1)
    int soft_count;
    sti_soft* soft;  // as springs.c gave them
    int assembly_count;
    sti_assembly* assembly;
    int* member;       // rows by assembly                                   (row_count)
    int* place_row;    // of each row in its assembly, -1: moves nothing     (row_count)
    int* assembly_of;  // of a slot                                          (moving)
    int* place_in;     // of a slot in its assembly                          (moving)
    int* order;        // slots by assembly                                  (moving)
} sti_links;

typedef enum sti_act_kind {
    STI_ACT_CONTACT,
    STI_ACT_LIMIT,     // mu = 0, the normal row is the coordinate of a joint, or minus it
    STI_ACT_FRICTION,  // pressed with a given impulse; t1 is the coordinate
    STI_ACT_MOTOR,     // the same
    STI_ACT_PRESSED,   // the same with both tangents of a contact (impacts)
} sti_act_kind;

// One contact of a problem. `pressed`: its normal row acts on a velocity of its own, z, with mass `mass`, which the
// impulse `press` drives against it: r_n = press in every solution.
typedef struct sti_act {
    sti_act_kind kind;
    int of;  // contact, or 2 joint + axis
    bool pressed;
    double press, mass;
    double mu;
    const sti_section* section;  // NULL: the disc
    const sti_row* row[3];       // NULL: none
    double w[3];
} sti_act;

typedef struct sti_acts {
    int count;
    size_t room, r_room;
    sti_act* act;
    double *r, *u;  // (dim x count)
} sti_acts;

// Which acts hang together, and the local problem of one island.
typedef struct sti_island_room {
    sti_arena found;                          // of next, taken: anew with the islands
    sti_arena local;                          // of what an island needs beside these, anew for each
    int* parent;                              // union-find                       (moving)
    int *first, *next;                        // acts of an island                (moving), (acts)
    int *body_first, *body_next;              // slots of an island, ascending    (moving)
    int* list;                                // acts of the present island
    int* node;                                // two assemblies of each of them, -1: none
    size_t* z_at;                             // where its responses begin, for each node
    double* z;                                // responses, on the bodies with a seat
    int *seats, *seated;                      // of an assembly: how many, one of them; -1: none    (moving)
    int *seat, *seat_next, *rows_on;          // of a slot: its seat, the next one there, rows on it (moving)
    double** unit;                            // of a slot: responses to unit forces, NULL: none    (moving)
    int *node_first, *node_fill, *node_list;  // contacts of each assembly
    int64_t* col_start;
    int* row;
    double *value, *q, *mu, *guess;
    int* pool;
    int *of_island, *slot_after;  // first slot of an island, by its root; the next one    (moving)
    unsigned char* taken;         // acts that are solved for; the others are known to open       (acts)
    double* v;                    // what the forces of an island add to its velocities           (moving x nv)
} sti_island_room;

typedef struct sti_solve_report {
    double residual;  // worst of the islands
    long iterations;
    bool solved;
    char why[200];
} sti_solve_report;

// The posed problem of the last step, in the global form, and its answer.
typedef struct sti_world_posed {
    sti_arena arena;  // of what follows, anew for each step
    sti_contact_problem problem;
    sti_contact_answer answer;
    int64_t *M_start, *H_start, *G_start;
    int *M_row, *H_row, *G_row;
    double *M_value, *H_value, *G_value;
    double *f, *w, *b, *mu;
    double* v;
    double *r, *u, *lambda;
    double judged;  // residual for the verdict: larger than the answer's where forces run away
    double far;     // how far they do: runaway of the answer
    int* coupled;   // (slot, slot) that springs couple, sorted
} sti_world_posed;

// Why an island went a part of its way only.
typedef enum sti_short_cause {
    STI_SHORT_NOT,
    STI_SHORT_TORN,    // a joint would be torn open
    STI_SHORT_UNPAID,  // T + V at the end is too high for any velocity
    STI_SHORT_MENDED,  // the same after mending
    STI_SHORT_DEEP,    // an overlap that mending cannot open
} sti_short_cause;

struct sti_world_solve {
    bool detected;  // world->contact belongs to the present places and velocities
    sti_links links;
    sti_acts acts;   // of the step
    sti_acts extra;  // of impacts and mending
    sti_island_room room;
    sti_contact_velocities velocities;  // of an island
    sti_blocks pattern;                 // of rest_forces.c
    sti_arena balancing, searching;     // of rest_forces.c
    sti_world_attempt* attempt;         // of the last step                                         (attempt_count)
    int attempt_count;
    size_t attempt_room;
    sti_world_posed posed;
    sti_row* axis_row;             // coordinates of joints and their opposites             (joints x 2 x 2)
    double* coordinate;            // and their values                                      (joints x 2)
    double* axis_r;                // last impulses: lower, upper, friction, motor           (joints x 2 x 4)
    double *bound, *bound_before;  // friction of a joint's axis in the step: impulse       (joints x 2)
    double *v_star, *f, *u;        // (moving x nv)
    double *v_free, *v_end, *g;
    double *v_before, *v_after, *u_impact;
    double* response;         // contact_rows.c                                 (moving x nv)
    double* mended;           // start.c                                        (moving x nv)
    double* tested;           // rest.c                                         (moving x (2 nv + 2))
    double* energies;         // forces.c, of islands before and after               (2 moving)
    double* turning;          // stiff_rows.c                                        (moving x (nv + 3))
    double* struck;           // impact.c                                            (moving x (nv + 3))
    unsigned char* rest;      // of each island's root slot, sti_rest_verdict           (moving)
    unsigned char* skip;      // islands to leave out                                 (moving)
    unsigned char* left_out;  // the same, budget.c                               (moving)
    int* body;                // of a slot                                            (moving)
    double* reaction;         // of joints in the last step: force, torque            (joints x 6)
    sti_placed* kept;         // places before the step                               (bodies)
    double* kept_turned;      // (joints x 2)
    double* kept_v;           // (moving x nv)
    void* kept_state;         // saved.c: all that later steps depend on, as it was before the step
    size_t kept_room;
    sti_touching* kept_contact;
    size_t kept_contacts;  // room for them
    int kept_count, kept_rows;
    bool kept_detected;
    double* by_body;          // energies, energy.c                                     (5 bodies)
    int* group;               // of a slot, whose energies are settled together: a slot of it (moving)
    int* merged;              // the same in mending, or in both                      (moving)
    double* work_of;          // of motors, surfaces, pushes; more from impacts       (2 moving)
    double* part;             // of its way that a group goes                         (moving)
    sti_placed* unmended;     // places before mending                                (bodies)
    double* unmended_v;       // and velocities                                       (moving x nv)
    unsigned char* was_open;  // starts the step with a joint open or an overlap      (moving)
    unsigned char* deeper;    // merged group that the step made deeper, energy.c (moving)
    double* depth;            // deepest overlap before the step; before mending      (2 moving)
    sti_short_cause cause;    // why a part only, and by how much
    double short_by;          // of the energies; of an overlap its depth
    double deepest;           // overlap after mending
    double torn_by;           // the joint that is torn farthest
    int torn_of;
    int stiff_count;    // stiff_rows.c
    sti_soft* stiff;    // ((2 dim - 3) moving + (dim - 1) joints)
    double* settled_r;  // refine.c
    size_t settled_room;
    double* warm_r;  // budget.c
    size_t warm_room;
    double scale;  // mass scale s of the present factors
    int shown_count;
    double look_s;  // time spent looking for contacts in this step
};

// ---- links.c

sti_status sti_links_create(sti_world* world);
void sti_links_destroy(sti_world* world);
sti_status sti_links_collect(sti_world* world, const double* v);  // rows, defects, springs, here and now
// Factor S. s: alpha of a step, 1 otherwise. h > 0: with springs, implicit with (h, alpha); h = 0: without them.
void sti_links_factor(sti_world* world, double s, double h);
// v: s M^-1 (H r + f) in, u out; l (row_count) out. b (joint_rows) may be NULL.
void sti_links_solve(sti_world* world, const double* b, double* v, double* l);
// The same for one assembly without b; l is dropped.
void sti_links_solve_one(sti_world* world, int assembly, double* v);
// z (nv x bodies of the assembly) = response to the sides of `row` that lie in it.
void sti_links_respond(sti_world* world, int assembly, const sti_row* row, double* z);

// ---- energy.c

// The rows of joints where bodies would be after `time` with velocities v; places stay as they were before the step.
void sti_links_ahead(sti_world* world, double time, const double* v);
// What velocities v leave open of the joints at the end of the step (joint_rows), and the worst of it (a length).
double sti_links_open(sti_world* world, const double* v, double* open);
void sti_account_open(sti_world* world);   // energies before the step
void sti_account_share(sti_world* world);  // by the islands there are now; no work so far
void sti_account_begin(sti_world* world);  // rows and contacts are those of the beginning; everybody goes the whole way
// Bodies have moved by h u. What was gained beyond work_of is paid from velocities; an island that cannot goes a part
// of the way. How many bodies did not go the whole way; *work: loses what was not done then.
int sti_account_close(sti_world* world, double* work);
void sti_account_before_mending(sti_world* world);
// Velocities pay for what mending added. What is still owed, or was lost.
double sti_account_after_mending(sti_world* world);
// Did the step and its mending together add energy that nobody paid? Then the islands concerned are to go half as far.
// False: all is well, or mending that was in vain has been taken back (places have changed then: solve->detected is
// false).
bool sti_account_overdrawn(sti_world* world);
void sti_account_end(sti_world* world);  // of a step that is done: which places are still as the caller gave them

// ---- saved.c

sti_status sti_world_keep(sti_world* world);  // before a step,
void sti_world_take_back(sti_world* world);   //   and as if it had never been tried

// ---- lift.c

// How assemblies were moved out of what a caller put them into.
typedef struct sti_lift {
    double depth;  // deepest overlap there was; 0: none, nothing was moved
    int a, b;      // of these bodies
    double way;    // longest shift
    double energy;
} sti_lift;

// At the beginning of a step: solve->kept are the present places, and follow them.
sti_status sti_world_lift(sti_world* world, sti_lift* lift);

// ---- stiff_rows.c

sti_status sti_stiffen(
    sti_world* world);  // solve->stiff from the forces of the step that was tried; places of its beginning

// ---- refine.c

// Islands in which contacts sink are solved again, more sharply.
sti_status sti_world_sharpen(sti_world* world, sti_world_report* report);

// ---- contact_rows.c: the one-sided part

sti_status sti_acts_begin(sti_world* world, sti_acts* acts, int most);
sti_act* sti_acts_add(sti_world* world, sti_acts* acts, sti_act_kind kind, int of);
bool sti_act_closed(const sti_world* world, const sti_act* act);  // no gap, up to rounding
void sti_acts_press(sti_world* world, sti_act* act, double press);
// The sections of acts list[0 .. count), NULL: of all; *out NULL where they are discs all of them.
sti_status sti_acts_sections(const sti_acts* acts, int count, const int* list, sti_arena* arena, sti_section** out);
// f += H r, without what acts on velocities of their own
void sti_acts_add_forces(const sti_world* world, const sti_acts* acts, const double* r, double* f);
// Coordinate `at` (2 joint + axis) of a joint and its rows, upwards and downwards, read anew into solve.
double sti_axis_read(sti_world* world, int at);
sti_status sti_acts_of_step(sti_world* world);  // contacts, limits, friction, motors: fills solve->acts and guesses r

// ---- islands.c

// Which acts and bodies hang together: room->parent, room->first, room->next.
sti_status sti_islands_find(sti_world* world, const sti_acts* acts);
int sti_islands_root(const sti_world* world, int slot);
int sti_act_slot(const sti_world* world, const sti_act* act);                 // of a body that it moves; -1: none
void sti_act_slots(const sti_world* world, const sti_act* act, int slot[2]);  // of those of its first row that there is
typedef struct sti_island_way {
    sti_contact_solver solver;
    double tol;
    long limit;                 // of iterations; 0: none, everything is tried
    const char* why;            // told with the attempts of this solver; auto tells its own
    const unsigned char* skip;  // islands, by their roots, that are left as they are; NULL: none
} sti_island_way;

// r (in: guess, out) of every island. v_free: velocities without r.
sti_status sti_islands_solve(sti_world* world, sti_acts* acts, const double* v_free, const sti_island_way* way,
                             sti_solve_report* report);

// ---- responses.c

// room->z of the `count` acts in room->list, whose assemblies are in room->node.
sti_status sti_island_respond(sti_world* world, const sti_acts* acts, int count);
// B (d x d, row major) = block (i, j) of W, acts counted in room->list.
void sti_island_block(const sti_world* world, const sti_acts* acts, int i, int j, double* B);

// ---- budget.c

// sti_islands_solve with all the effort that a step may take.
sti_status sti_islands_settle(sti_world* world, sti_acts* acts, const double* v_free, double tol,
                              const unsigned char* skip, sti_solve_report* report);

// ---- velocities.c

// acts.r (in: guess, out: the best there was) of the acts in `list` (count), one island. *reached: its residual,
// INFINITY where the island is not of the kind that this takes.
sti_status sti_island_velocities(sti_world* world, sti_acts* acts, int count, const int* list, const double* v_free,
                                 double tol, double* reached, long* iterations);

// ---- step_problem.c

sti_status sti_world_posed_fill(sti_world* world);     // the problem of the step
sti_status sti_world_posed_measure(sti_world* world);  // its residual at (u, r, l), in posed.answer
void sti_world_posed_clear(sti_world* world);

// ---- rest.c

typedef enum sti_rest_verdict {
    STI_REST_NOT,
    STI_REST_PROVED,  // u = 0 solves the step
    STI_REST_NEARLY,  // it would, with impulses a little better
} sti_rest_verdict;

// Fills solve->rest: for which islands does u = 0, with these impulses, solve the step? Islands proved before are not
// looked at again. only_still: those alone whose velocities v* are exactly 0.
void sti_rest_test(sti_world* world, const double* r, const double* l, bool only_still, double tol);

// ---- rest_forces.c

// Impulses of islands that nearly rest are improved, and the islands tested again.
sti_status sti_rest_improve(sti_world* world, double* r, double* l, double tol);
// Islands whose velocities v* are exactly 0: are there impulses with which they stay so? Found: rest is PROVED, and
// acts.r and links.l hold them.
sti_status sti_rest_search(sti_world* world, double tol);

// ---- impact.c

// Velocities after the impacts of this step into solve->v_end, and the account into the report.
sti_status sti_world_impacts(sti_world* world, sti_world_report* report);

double sti_body_mass_product(const sti_world* world, int body, const double* x, const double* y);  // x'M y

// ---- energetic.c

// The bodies and contacts of one island that is struck. step_act: the act of the step behind each contact.
typedef struct sti_strike {
    int body_count, count;
    const int* slot;                 // (body_count)
    const int* act;                  // in acts                          (count)
    const sti_act* const* step_act;  // (count)
    const double* restitution;       // (count)
    sti_acts* acts;                  // its r: impulses of these contacts, out
} sti_strike;

// v (moving x nv): of these bodies before, and after. *found false: the law has no answer, says why, and v is as
// before.
sti_status sti_world_energetic(sti_world* world, const sti_strike* strike, double* v, bool* found, char why[200]);

// ---- start.c

double sti_world_read_limits(
    sti_world* world);  // least gap of limits, in lengths; coordinates and their rows are read anew
double sti_world_drift(const sti_world* world, int* joint);  // worst defect of the rows last collected, and whose it is
double sti_world_drift_rate(const sti_world* world);         // worst velocity along them
bool sti_row_is_turn(const sti_world* world, const sti_row* row);  // of an angle
double sti_world_penetration(const sti_world* world);              // of world->contact
sti_status sti_world_start(sti_world* world);

// ---- forces.c

// Step 3 of step.c: acts.r, links.l and u of the problem that f, acts and links pose; residual, solved and why in the
// report.
sti_status sti_step_forces(sti_world* world, sti_world_report* report);
void sti_step_velocities(sti_world* world);  // u and l that belong to acts.r; islands at rest keep u = 0

// ---- step.c

void sti_mass_multiply(const sti_world* world, const double* v, double* f);              // f = M v
void sti_body_mass_solve(const sti_world* world, int slot, const double* f, double* v);  // of one body
double sti_act_work(const sti_world* world, const sti_act* act, const double* r);  // of motor or surface, in this step
sti_status sti_world_look(sti_world* world);  // contacts at the present places, unless they are known

// ---- gyro.c

#define STI_STEP_NOISE 1e-15  // lengths of the scene in a step: rounding
void sti_world_gyroscopic(const sti_world* world, double h, double alpha, const double* v, double* out);

#endif
