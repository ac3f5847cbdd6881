// velocities.h: what the methods on velocities share.
#ifndef STI_BODIES_VELOCITIES_H
#define STI_BODIES_VELOCITIES_H

#include "bodies/motion.h"

// ---- velocities.c

typedef enum sti_piece { STI_PIECE_OPEN, STI_PIECE_STICK, STI_PIECE_SLIDE } sti_piece;  // in sti_velocities.mode

void sti_velocities_relative(const sti_velocities* k, const double* v, double* u);                 // u = H'v + w
void sti_velocities_add_forces(const sti_velocities* k, const double* r, double sign, double* f);  // f += sign H r
void sti_velocities_imbalance(const sti_velocities* k, const double* v, const double* r,
                              double* F);  // F = A (v - v_free) - H r
double sti_velocities_residual(sti_velocities* k,
                               const double* r);      // of docs/contact.md, local form; changes u, trial, step
void sti_velocities_begin_matrix(sti_velocities* k);  // A
void sti_velocities_add_contact(sti_velocities* k, int i, const double* D);  // + H_i D H_i', D by rows (d x d)

// F(v), x, p and modes; |F|^2 in the metric of A^-1, and `size`: the same of p, each impulse alone.
double sti_velocities_evaluate(sti_velocities* k, const double* v, double* size);
// The derivative of F at x with the modes that k->mode has; given: for given pressures. False: singular.
bool sti_velocities_factor(sti_velocities* k, bool given);
void sti_velocities_direction(sti_velocities* k);  // step = -F / derivative

// ---- pieces.c

// v goes on to a smaller |F|, piece by piece; false: it did not, and v is as before. *merit, *size: those of v.
bool sti_pieces_cross(sti_velocities* k, double* merit, double* size);

// ---- interior.c

// r into k->best; its residual.
double sti_interior_solve(sti_velocities* k, double tol);

// ---- sweeps.c

// r (in: guess, out: the best there was); `best`: the residual of the guess. The residual of r. Changes v and more.
double sti_sweeps_solve(sti_velocities* k, double tol, double best);

#endif
