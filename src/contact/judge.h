// judge.h: the residual that decides, from what every contact is made of.
#ifndef STI_CONTACT_JUDGE_H
#define STI_CONTACT_JUDGE_H

#include <stdbool.h>
#include <stiction/section.h>

#define STI_CONTACT_TOGETHER 1e-5  // part of the velocities that meet in a row, against which it is measured at least
#define STI_CONTACT_FARTHEST 10    // forces over what they do together, beyond which residuals count for more
#define STI_CONTACT_ALONE 3        // times sqrt(nc): what one contact may miss of its terms, over what all may together

#define STI_CONTACT_NOISE 0x1p-46      // of unit: velocities and forces of contacts below it are rounding
#define STI_CONTACT_ROW_NOISE 0x1p-40  // the same for rows of equations, which factorizations have gone through

// Of one island, squares but for the last, in units of energy.
typedef struct sti_contact_energy {
    double force, drive;  // what forces do one by one, what the data are. In: of the bilateral rows; out: of all
    double undone;        // the part of drive that the forces undo, or should. In: none; out: of all
    double net;           // what all forces do together; rounding is taken off
    double runaway;  // out: forces over FARTHEST times what they do together, or undo of the data; counts from 1 on
} sti_contact_energy;

typedef struct sti_contact_judge {
    int d, nc;
    const double *mu, *r, *u;    // (nc), (d nc), (d nc)
    const sti_section* section;  // NULL: discs                                            (nc)
    const double* q;             // what u would be without forces, from the data alone    (d nc)
    const double* rho;           // d / trace W_cc; 0: the contact moves nothing           (nc)
    const double* own;           // sizes of the terms that u_n and u are the sums of      (nc x 2)
    const int* island;           // (nc)
    sti_contact_energy* energy;  // of islands, by their numbers                           (energies)
    int energies;
    // out
    double unit;  // of energy: the larger of undone and force, of this as much as is trusted
    double residual;
    double runaway;  // the largest of all islands; at least 1
    int worst;       // contact that is farthest from the law, against its own terms; -1: none
} sti_contact_judge;

void sti_contact_judge_point(sti_contact_judge* k);

// Does every contact undo enough of the data to trust its forces, whatever island it belongs to? Then none runs away,
// and all may be taken for one island. rho < 0: not known yet, and so it does not.
bool sti_contact_judge_trusted(int d, int nc, const double* r, const double* q, const double* u, const double* rho);

// What is compared with the tolerance: a little more, so that a judge with other rounding comes to the same verdict
static inline double sti_contact_safely(double residual) {
    return (1 + 1e-6) * residual;
}

// |x| / size, where |x| is more than noise; worst so far or this, a NaN stays
static inline double sti_contact_worse(double worst, double x, double size, double noise) {
    const double share = !(x <= noise && -x <= noise) ? ((x < 0 ? -x : x) - noise) / size : 0;
    return share <= worst ? worst : share;
}

#endif
