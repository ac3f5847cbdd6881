// motion.h: what can move in a contact problem, and which forces do not move it; one form for both kinds of problem.
//
//     u = C_u x + w,     0 = C_b x + b                 x the motion
//
//     global    x = v,         C_u = H',        C_b = G'
//     local     x = (r, l),    C_u = [W V],     C_b = [V' R],     w = q,   b = s
//
// Forces (r, lambda) with C_u'r + C_b'lambda = 0 move nothing, and for every motion that obeys the bilateral rows they
// do the same work, r'u = r'w + lambda'b. (In the local form they are forces for every symmetric W.)
#ifndef STI_CONTACT_MOTION_H
#define STI_CONTACT_MOTION_H

#include "contact/contact.h"

typedef struct sti_motion {
    sti_env* env;
    int d, nc;
    int n;             // d nc
    int nb;            // bilateral rows
    int nx;            // numbers in a motion
    sti_matrix C;      // [C_u; C_b], compressed columns             (n + nb x nx)
    const double* mu;  // borrowed                                   (nc)
    const double* w;   //                                            (n)
    const double* b;   //                                            (nb)
    // Units, such that entries of diag(weight) C diag(step) are about 1:
    double* step;    // of each number of a motion                   (nx)
    double* weight;  // of u and of the bilateral rows; the same for the d rows of a contact  (n + nb)
    double unit;     // largest weight times w or b; 1 when both vanish
    double least;    // of weight times |w_n|, where that is more than rounding of the largest; unit: all vanish
    double reach;    // |x|_1 that the data suggest: motions that make velocities like w and b, and that of f alone
    double pace;  // the same in units: all of weight times w and b, and f times step. x_j is about step_j pace at most
} sti_motion;

// An operator W has no motions: STI_ERR_ARGUMENT.
sti_status sti_motion_create(sti_env* env, const sti_contact_problem* problem, sti_motion* out);
void sti_motion_clear(sti_motion* m);  // accepts a zero struct

// A motion x on the original data. data: with w and b, or without them (a motion of the homogeneous problem).
typedef struct sti_motion_check {
    double margin;    // least u_n - mu |u_t| over the contacts, in units of weight
    double size;      // largest |u|, in units of weight
    double defect;    // largest |C_b x + b|, in units of weight
    double rounding;  // bound on the rounding error of all three
    double normal;    // least u_n, each with the rounding error of its own row added, in units of weight
} sti_motion_check;

// friction: false: mu = 0 everywhere, the margin is the least u_n. sum (2 (n + nb)): scratch.
sti_motion_check sti_motion_judge(const sti_motion* m, const double* x, bool data, bool friction, double* sum);

// Forces (r, lambda): is C_u'r + C_b'lambda = 0?
typedef struct sti_force_check {
    double size;    // largest sum of the sizes of the terms of a row, in units of 1 / step
    double defect;  // largest row, in units of 1 / step, with its rounding error
    double work;    // r'w + lambda'b, with its rounding error added
    double bound;   // -work over the largest row as it is: no motion with |x|_1 below it has r'u >= 0; 0 when work >= 0
    double
        paces;  // -work over what all rows make of motions of the size step: none with |x_j| <= paces step_j has r'u >=
                // 0
} sti_force_check;

sti_force_check sti_motion_judge_force(const sti_motion* m, const double* r, const double* lambda);

#endif
