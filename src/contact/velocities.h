// velocities.h: contact problems of rigid bodies in their velocities: the global form with M in blocks.
//
//     A (v - v_free) = H r,      u = H'v + w,      Coulomb's law between r and u            A: a block for each body
//
// Who poses such a problem fills the data below, and takes r from `best`.
#ifndef STI_CONTACT_VELOCITIES_H
#define STI_CONTACT_VELOCITIES_H

#include "base/arena.h"
#include "conic/cones.h"
#include "contact/contact.h"
#include "linalg/blocks.h"

typedef struct sti_contact_velocities {
    sti_env* env;
    sti_arena memory;  // of all that follows, anew for each problem
    // data
    int d, nv, count, bodies;  // nv = 3 for d = 2, 6 for d = 3: translations before rotations, about the centre of mass
    int* body;                 // of the two sides of a contact, -1: none                         (2 count)
    double* H;                 // rows: side, axis, velocity                                      (count x 2 x d x nv)
    double *w, *r, *mu;        // r: the guess                                 (count x d), (count x d), (count)
    double* A;                 // block diagonal                                                  (bodies x nv x nv)
    double* inverse;           // of A: of translations, then of rotations by rows                (bodies x 10)
    double *v_free, *v_before;  // v_before: where a search may start; all 0: nothing moves        (bodies x nv)
    long limit;                 // passes and factorizations together; 0: its own
    double deadline;            // clock; INFINITY: none
    bool margin;                // a residual of NEARLY the tolerance will do, where rounds gain little
    // answer
    double* best;         // r                                              (count x d)
    int passes, factors;  // made
    // scratch
    int* place;                           // block (other, this) of the two sides         (2 count)
    int *first, *near;                    // neighbours of a body, itself among them, ascending
    int* self;                            // block of a body on the diagonal              (bodies)
    unsigned char *mode, *mode_factored;  // (count)
    double *x, *u, *p, *r_before;         // (count x d)
    double *z, *s, *dz, *ds, *e, *aim;    // of velocity_interior.c                       (count x d)
    double* cross;                        // the same                                     (count x d)
    sti_cones cones;                      // the same: cone i begins at row i d, its arrays lie in H and body
    double* rho;                          // (count)
    double* give;                         // 1 / W_nn, 1 / W_tt                           (count x 2)
    double *v, *v_best, *F, *step, *trial, *v_root, *kept;  // (bodies x nv)
    double drive;                                           // sum |rho q|^2
    double kappa;
    double level;  // of velocity_interior.c: the mean of r's
    bool usable;   // the last factor belongs to the present kappa and r
    sti_blocks blocks;
} sti_contact_velocities;

// Room for the data, and d, nv, limit, deadline; what was there is kept for the next problem, zero at first.
sti_status sti_contact_velocities_reserve(sti_contact_velocities* k, sti_env* env, int d, int count, int bodies);
// r into k->best. *reached: its residual, INFINITY: there is none.
sti_status sti_contact_velocities_run(sti_contact_velocities* k, double tol, double* reached);
void sti_contact_velocities_follow(sti_contact_velocities* k, const double* r, double* v);  // v = v_free + A^-1 H r
void sti_contact_velocities_clear(sti_contact_velocities* k, sti_env* env);                 // accepts a zero struct

// What the methods on velocities share.

typedef enum sti_piece { STI_PIECE_OPEN, STI_PIECE_STICK, STI_PIECE_SLIDE } sti_piece;  // in `mode`

// Passes and factorizations are used up.
static inline bool sti_contact_velocities_spent(const sti_contact_velocities* k) {
    return k->limit > 0 && k->passes + k->factors >= k->limit;
}

void sti_contact_velocities_relative(const sti_contact_velocities* k, const double* v, double* u);  // u = H'v + w
void sti_contact_velocities_add_forces(const sti_contact_velocities* k, const double* r, double sign,
                                       double* f);  // f += sign H r
void sti_contact_velocities_imbalance(const sti_contact_velocities* k, const double* v, const double* r,
                                      double* F);  // F = A (v - v_free) - H r
double sti_contact_velocities_residual(sti_contact_velocities* k,
                                       const double* r);  // of docs/contact.md, local form; changes u, trial, step
void sti_contact_velocities_begin_matrix(sti_contact_velocities* k);  // A
void sti_contact_velocities_add_contact(sti_contact_velocities* k, int i,
                                        const double* D);  // + H_i D H_i', D by rows (d x d)

// y = A^-1 f of a body
void sti_contact_velocities_mass_solve(const sti_contact_velocities* k, int body, const double* f, double* y);

// F(v), x, p and modes; |F|^2 in the metric of A^-1, and `size`: the same of p, each impulse alone.
double sti_contact_velocities_evaluate(sti_contact_velocities* k, const double* v, double* size);
// The derivative of F at x with the modes that k->mode has; given: for given pressures. False: singular.
bool sti_contact_velocities_factor(sti_contact_velocities* k, bool given);
void sti_contact_velocities_direction(sti_contact_velocities* k);  // step = -F / derivative

// ---- velocity_piecewise.c

// v goes on to a smaller |F|, piece by piece; false: it did not, and v is as before. *merit, *size: those of v.
bool sti_contact_velocities_cross(sti_contact_velocities* k, double* merit, double* size);

// ---- velocity_interior.c

// r into k->best; its residual.
double sti_contact_velocities_interior(sti_contact_velocities* k, double tol);

// ---- velocity_sweeps.c

// r (in: guess, out: the best there was); `best`: the residual of the guess. The residual of r. Changes v and more.
double sti_contact_velocities_sweep(sti_contact_velocities* k, double tol, double best);

#endif
