// step.h: the inside of sti_stepper, and the steps it is made of.
#ifndef STI_STEP_STEP_H
#define STI_STEP_STEP_H

#include <stiction/step.h>

#include "step/impulses.h"

struct sti_stepper {
    sti_env* env;
    const sti_system* system;
    sti_stepper_options options;
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
    // ---- what a trial step leaves
    double* q_trial;        // (n)
    double* v_trial;        // (n)
    double* u_trial;        // weighted velocity                                      (n)
    bool* active;           // (p)
    sti_impulses impulses;  // the problem of the scheme
    sti_impulses impact;    // the problem of impacts; facets
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
    double *v_minus, *v_plus;                        // (n)
    unsigned char* touched;                          // took part in a collision of this step                    (p)
    unsigned char* mode;                             // (p)
    double* numbers;
};

// One step of length h from (time, q, v) with the contacts marked active: q_trial, v_trial, u_trial and the impulses.
sti_status sti_step_alpha(sti_stepper* s, double h);
sti_status sti_step_convex(sti_stepper* s, double h, double* lift);
void sti_step_convex_read(sti_stepper* s);  // modes, impulses and slips of contacts from those of their facets
sti_status sti_step_quasistatic(sti_stepper* s, double h);
// The problem of the scheme, not yet solved.
sti_status sti_step_alpha_pose(sti_stepper* s, double h);
sti_status sti_step_quasistatic_pose(sti_stepper* s, double h);

// Impact with the contacts marked active, joints included, from velocity v. out has room for the shape of the instant.
sti_status sti_step_collide(sti_impulses* p, const sti_instant* instant, const bool* active, const double* v,
                            const sti_collision_options* options, sti_collision* out);
sti_status sti_step_collision_room(sti_env* env, const sti_instant* instant, sti_collision** out);

// First time tau in [0, h] at which an inactive contact touches on the cubic through (q, v) and (q_trial, v_trial);
// *which is the contact, -1: none. root_q and root_v are the state there.
sti_status sti_step_locate(sti_stepper* s, double h, double* tau, int* which);

// [M -A'; A 0] (x; y) = (f; g), least norm where it is singular, after scaling of M and of the rows of A. A (k x n).
// residual: largest of what remains, relative to the scaled right side; rank of the whole matrix.
typedef struct sti_bordered {
    int n, k;
    const double *M, *A, *f, *g;
    double *x, *y;
    int rank;
    double residual;
} sti_bordered;

sti_status sti_bordered_solve(sti_env* env, sti_bordered* b);
int sti_step_row_rank(int k, int n, double* rows);  // rows are destroyed

// Moves q the least in the metric of M so that the gaps of joints, and of closed contacts if asked for, vanish; largest
// displacement.
sti_status sti_step_project(sti_stepper* s, double t, bool contacts, double* q, double* moved);
// Moves v the least in the same metric so that joints, closed contacts and the slip of sticking ones have rate 0 at q.
sti_status sti_step_settle(sti_stepper* s, double t, const double* q, double* v);

#endif
