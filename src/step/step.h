// step.h: the inside of sti_stepper, and the steps it is made of.
#ifndef STI_STEP_STEP_H
#define STI_STEP_STEP_H

#include <stiction/step.h>

#include "base/arena.h"
#include "step/impulses.h"

// Energy of one piece of a step, see energy_balance.c.
typedef struct sti_balance {
    bool known;
    bool moving;        // a surface of an active contact moves
    double T, V;        // where the piece starts
    double work, loss;  // over the piece
    double impact;      // of contacts that close, where nothing is located
    double defect;      // what the scheme added
    bool ease;          // a piece of twice the length would not fail
    double beta, left;  // correction, and what it leaves
    double rounding;    // energies below are 0
} sti_balance;

typedef struct sti_smooth sti_smooth;

struct sti_stepper {
    sti_arena memory;
    sti_env* env;
    const sti_system* system;
    sti_stepper_options options;
    double alpha;     // of the scheme at work: that of the options, or 1 where events leave a motion to it
    int n;            // coordinates
    int p;            // contacts and joints
    int joint_count;  // the last of them
    // ---- the state
    long step;
    double start;           // time = start + step h
    double time;            // inside a step that is cut by collisions
    double* q;              // (n)
    double* v;              // (n)
    double* v_alpha;        // (n)
    unsigned char* held;    // took part in the last step or impact, closed          (p)
    unsigned char* slides;  // slid there                                             (p)
    double piece;           // length of the pieces that the last step was made of; 0: whole steps
    double surplus;         // energy that came from nowhere and is still to be taken out
    // ---- what a trial step leaves
    double* q_trial;        // (n)
    double* v_trial;        // (n)
    double* u_trial;        // weighted velocity                                      (n)
    bool* active;           // (p)
    sti_impulses impulses;  // the problem of the scheme
    sti_impulses impact;    // the problem of impacts; facets
    sti_balance balance;
    int bounces;  // collisions since the last piece of a step that reached its end
    // ---- work
    sti_initial* initial;
    sti_instant* instant;
    sti_collision* collision;
    int* tangent_count;                                                      // (p)
    double *k0, *k1, *c, *other, *q_ahead, *v_other, *root_q, *root_v, *dq;  // (n)
    double *k_q, *k_v, *c_v;                                                 // (n x n)
    double* rows;                 // gradients for projections, or facets of the convex step (p x max(facets, 1) x n)
    double *defect, *multiplier;  // (3 p)
    double *gap, *gap_trial, *gap_work;              // (p)
    double *impulse_n, *impulse_t, *slip, *opening;  // (p), (p x 2), (p x 2)
    double* collision_at;                            // (p)
    double *v_minus, *v_plus;                        // (n)
    double jump_time[STI_STEP_JUMPS], jump_size[STI_STEP_JUMPS];
    double* lifts;           // of contacts in the convex step                    (p)
    double* jump;            // position, velocity before and after of each       (STI_STEP_JUMPS x 3 x n)
    unsigned char* touched;  // took part in a collision of this step                    (p)
    unsigned char* mode;     // (p)
    double* numbers;
    double* E;           // of law general                                       (p x p)
    double* stiffness;   // of law lzb; NULL: alike                              (p)
    sti_smooth* smooth;  // NULL: events are not located
    sti_event event[STI_STEP_EVENTS];
};

// From the state to the state `length` later, or to an outcome in the report that is not STI_SOLVED.
sti_status sti_step_advance(sti_stepper* s, double length, sti_step_report* report);
// The same for a whole step with events.
sti_status sti_step_by_events(sti_stepper* s, sti_step_report* report);
// Impact at (time, q) from velocity v with the contacts marked active: v, held, and its account in the report.
sti_status sti_step_hit(sti_stepper* s, const double* q, const double* v, sti_step_report* report);
double sti_step_rate(const sti_stepper* s, int i, const double* v);  // of gap i at the velocity v, from the instant
double sti_step_slow(const sti_stepper* s);                          // up to this it counts as 0

// One step of length h from (time, q, v) with the contacts marked active: q_trial, v_trial, u_trial and the impulses.
sti_status sti_step_alpha(sti_stepper* s, double h);
sti_status sti_step_convex(sti_stepper* s, double h, sti_step_report* report);
void sti_step_convex_read(sti_stepper* s);  // modes, impulses and slips of contacts from those of their facets
sti_status sti_step_quasistatic(sti_stepper* s, double h);
// The problem of the scheme, not yet solved.
sti_status sti_step_alpha_pose(sti_stepper* s, double h);
sti_status sti_step_quasistatic_pose(sti_stepper* s, double h);

// Impact with the contacts marked active, joints included, from velocity v. out has room for the shape of the instant.
sti_status sti_step_collide(sti_impulses* p, const sti_instant* instant, const bool* active, const double* v,
                            const sti_collision_options* options, sti_collision* out);
// Restitution of the laws moreau, newton and general, times scale, as shifts of the rows of a phase whose contacts are
// there; how many rows had to be relaxed for it, and after the solution how many contacts open faster than the law
// says.
sti_status sti_step_restitute(sti_impulses* p, const sti_instant* instant, const double* v,
                              const sti_collision_options* options, double scale, int* relaxed);
int sti_step_relaxed(const sti_impulses* p, const sti_instant* instant, const double* v,
                     const sti_collision_options* options);
sti_status sti_step_law_check(sti_env* env, sti_impact_law law);  // the laws offered in steps
// The energetic coefficient: stronge and lzb.
bool sti_step_is_energetic(sti_impact_law law);
sti_status sti_step_springs_check(sti_env* env, int count, const double* stiffness, double exponent);
sti_status sti_step_energetic(sti_env* env, const sti_instant* instant, const bool* active, const double* v,
                              const sti_collision_options* options, sti_collision* out);
sti_status sti_step_collision_room(sti_env* env, const sti_instant* instant, sti_collision** out);

// First time tau in [0, h] at which an inactive contact touches on the cubic through (q, v) and (q_trial, v_trial);
// *which is the contact, -1: none. root_q and root_v are the state there.
sti_status sti_step_locate(sti_stepper* s, double h, double* tau, int* which);

// The energy of a piece of length tau: `begin` before its trial, where the instant is the one at (time, q, v);
// `measure` while the instant is that of the trial, with the share of its impulses that belongs to the piece, and the
// mean velocity; `judge` when its end (q, v) is known: not fine, the piece should be shorter; `correct` when it is
// taken.
sti_status sti_step_balance_begin(sti_stepper* s, double h);
sti_status sti_step_balance_measure(sti_stepper* s, double tau, double share, const double* mean);
sti_status sti_step_balance_judge(sti_stepper* s, double tau, const double* q, const double* v, const double* mean,
                                  bool* fine);
void sti_step_balance_correct(sti_stepper* s, const double* mean, double* v, sti_step_report* report);

// [M -W'; A 0] (x; y) = (f; g), least norm where it is singular, after scaling of M and of the rows of A. A, W (k x n).
// residual: largest of what remains, relative to the scaled right side; rank of the whole matrix.
typedef struct sti_bordered {
    int n, k;
    const double *M, *A, *f, *g;
    const double* W;  // NULL: A
    double *x, *y;
    int rank;
    double residual;
} sti_bordered;

sti_status sti_bordered_solve(sti_env* env, sti_bordered* b);
int sti_step_row_rank(int k, int n, double* rows);  // rows are destroyed

// A gap of contact or joint i as a length, by its gradient in the instant.
double sti_step_gap_length(const sti_stepper* s, int i, double gap);
// Moves q the least in the metric of M so that the gaps of joints, and of closed contacts if asked for, vanish; largest
// displacement.
sti_status sti_step_project(sti_stepper* s, double t, bool contacts, double* q, double* moved);
// Moves v the least in the same metric so that joints, closed contacts and the slip of sticking ones have rate 0 at q.
sti_status sti_step_settle(sti_stepper* s, double t, const double* q, double* v);

#endif
