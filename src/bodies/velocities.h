// velocities.h: what the two methods on velocities share.
#ifndef STI_BODIES_VELOCITIES_H
#define STI_BODIES_VELOCITIES_H

#include "bodies/motion.h"

// ---- velocities.c

void sti_velocities_relative(const sti_velocities* k, const double* v, double* u);                 // u = H'v + w
void sti_velocities_add_forces(const sti_velocities* k, const double* r, double sign, double* f);  // f += sign H r
void sti_velocities_imbalance(const sti_velocities* k, const double* v, const double* r,
                              double* F);  // F = A (v - v_free) - H r
double sti_velocities_residual(sti_velocities* k,
                               const double* r);      // of docs/contact.md, local form; changes u, trial, step
void sti_velocities_begin_matrix(sti_velocities* k);  // A
void sti_velocities_add_contact(sti_velocities* k, int i, const double* D);  // + H_i D H_i', D by rows (d x d)

// ---- interior.c

// r into k->best; its residual.
double sti_interior_solve(sti_velocities* k, double tol);

// ---- sweeps.c

// r (in: guess, out: the best there was); `best`: the residual of the guess. The residual of r. Changes v and more.
double sti_sweeps_solve(sti_velocities* k, double tol, double best);

#endif
