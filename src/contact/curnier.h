// curnier.h: Coulomb's law of one contact as an equation, and the linear piece of it that holds near a point.
//
//     F_n = r_n - max(0, x_n),          x_n = r_n - rho v_n
//     F_t = r_t - P_D(x_t),             x_t = r_t - rho v_t,      D the disc of radius mu max(0, x_n)
//
// (Alart & Curnier 1991). F = 0 exactly when Signorini's condition and Coulomb's law hold for (r, v). Away from the
// borders between its three pieces F is smooth, also at sticking, where the natural map of local.c has the kink of
// |v_t|. Newton's linear equations for the next force r+ and velocity v+ are, piece by piece,
//
//     separate    r+ = 0
//     stick       v+ = 0
//     slide       v_n+ = 0,    r_t+ . s = mu r_n+,    kappa (v_t+ . p) + (1 - kappa) / rho (r_t+ . p) = 0
//
// with s = x_t / |x_t|, p across s, kappa = mu x_n / |x_t| < 1. So r+ = G y with 0, d or d - 1 unknowns y, and the
// equations are E v+ + K y = 0: what is known of r leaves the system. (1 - kappa) / (kappa rho) >= 0 is the ratio of
// slip to force.
#ifndef STI_CONTACT_CURNIER_H
#define STI_CONTACT_CURNIER_H

#include "contact/contact.h"

typedef struct sti_contact_piece {
    int dim;       // unknowns: 0 separate, d stick, d - 1 slide (1 where mu = 0)
    bool slide;    //
    double mu;     //
    double s[2];   // direction of r_t when sliding
    double kappa;  // weight of v in the row across s
    double stiff;  // weight of r there, (1 - kappa) / rho
} sti_contact_piece;

// |F|^2 at (r, v); the piece (may be NULL) on which the point lies.
double sti_curnier(int d, double mu, double rho, const double* r, const double* v, sti_contact_piece* piece);

// Block of W (row major d x d) to block of the Newton matrix: T <- T G and T <- E T (+ K on the diagonal). Rows and
// columns beyond dim become zero.
void sti_piece_columns(int d, const sti_contact_piece* piece, double* T);
void sti_piece_rows(int d, const sti_contact_piece* piece, double* T);
void sti_piece_stiffness(int d, const sti_contact_piece* piece, double* T);

// The same for a column and a row of blocks: A = S G (count x dim), rows of S (count x d) `step` and of A `width`
// apart; and the dim rows T = E A of d rows, all of them `width` long, without K.
void sti_piece_columns_of(int d, const sti_contact_piece* piece, int count, const double* S, int step, double* A,
                          int width);
void sti_piece_rows_of(int d, const sti_contact_piece* piece, const double* A, int width, double* T);

void sti_piece_force(int d, const sti_contact_piece* piece, const double* y, double* r);        // r = G y
void sti_piece_coordinates(int d, const sti_contact_piece* piece, const double* r, double* y);  // y with G y near r
void sti_piece_equation(int d, const sti_contact_piece* piece, const double* v, double* y);  // y = E v; zero beyond dim

#endif
