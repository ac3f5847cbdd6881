// smooth.h: motion with a fixed mode of each contact, one step of order 5 at a time, and where it ends.
#ifndef STI_STEP_SMOOTH_H
#define STI_STEP_SMOOTH_H

#include "base/arena.h"
#include "step/step.h"

enum { STI_SMOOTH_STAGES = 7 };
#define STI_SMOOTH_NO_SLIP 1e-10  // of 1 + |v|: a slip in space so small is none; it need not pass through 0

// A state y is (q, v, impulses c_n, impulses c_t, work of applied forces and surfaces, loss of friction).
struct sti_smooth {
    sti_arena memory;
    int size;         // of a state: 2 n + 3 p + 2
    double *y, *end;  // start and end of the step      (size)
    double* stage;    // rates of the stages            (7 x size)
    double* middle;   // (size)
    // ---- fixed during the step
    unsigned char* mode;  // sti_contact_mode           (p)
    double* direction;    // of slip, of what slides    (p x 2)
    double* sign;         // of the force of a joint that slides  (p)
    // ---- forces, where the last rates were taken
    double *a, *force;           // (n)
    double *c_n, *c_t;           // (p), (p x 2)
    double *rows, *columns;      // gradients; directions of forces   (3 p x n)
    double *right, *multiplier;  // (3 p)
    double* force_size;          // what forces of each contact are compared with    (p)
    // What must not become negative, each divided by its size: gap of an open contact; normal force of a closed one,
    // then what friction has in reserve where it sticks, its slip where it slides.
    double *guard, *guard_end;  // at the start and at the end      (2 p)
    double* rate;               // of gaps at the start             (p)
    unsigned char* marked;      // guards whose zero is looked for  (2 p)
    double hint;                // time of a stage at which one was negative; 0: none
    double error;               // estimate of the step, in parts of the size of q and v
    double residual;            // worst of the systems solved
    bool possible;              // the modes have accelerations
    bool redundant;             // and forces that are not unique
    bool pushes;                // an applied force was there
    // ---- events.c
    double* from;           // where the step began                                     (n)
    double* forces[2];      // of the complementarity problem at both ends of a piece: c_n, c_t  (3 p)
    unsigned char* before;  // modes before they were chosen anew                       (p)
    int* count;             // events of each contact in this step                      (p)
    bool* closed;           // contacts to choose modes of                              (p)
    bool* still;            // closed and without slip                                  (p)
    double* numbers;
};

sti_status sti_smooth_create(sti_stepper* s);  // s->smooth
void sti_smooth_destroy(sti_env* env, sti_smooth* m);

// From the state (q, v) of the stepper, sums 0: rates in the first stage, guards, rates of gaps.
sti_status sti_smooth_begin(sti_stepper* s);
// Direction of contact i that slides; in space along its slip at v, as far as there is any. The instant is the one
// there.
void sti_smooth_direct(const sti_stepper* s, int i, const double* v, double d[2]);
// From y over h: end, guard_end, error, hint.
sti_status sti_smooth_step(sti_stepper* s, double h);
// After that step, the first time in (0, h] at which a guard becomes negative, `end` there. *which: of the guard (2 p);
// -1: none, and `end` is that of the whole step. *tau 0: at once.
sti_status sti_smooth_locate(sti_stepper* s, double h, double* tau, int* which);

#endif
