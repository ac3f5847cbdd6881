// gauge.h: how well points solve a posed problem, one after the other: what does not depend on the point is found once.
#ifndef STI_CONTACT_GAUGE_H
#define STI_CONTACT_GAUGE_H

#include <stiction/contact.h>

#include "base/env.h"
#include "contact/judge.h"

typedef struct sti_contact_gauge {
    const sti_contact_problem* p;
    sti_contact_answer* a;  // of the reading
    int d, nc, n, nv, nb;   // nv = 0 for a local problem
    double* memory;
    double *rho, *own;                          // (nc), (nc x 2)
    double *q, *size;                           // (n)
    double* inverse;                            // D                           (nv)
    double *load, *pull;                        // H r + G l, |H||r| + |G||l|  (nv)
    double *joint, *joint_terms, *joint_given;  // bilateral rows, sizes, what they are without forces   (nb)
    double* root;                               // sqrt of mobility of bilateral rows, of mass            (nb + nv)
    // islands of contacts, bilateral rows, velocities: all one, or as they are joined, once that is known
    const int* island;
    int *one, *joined;  // (nc + nb + nv)
    bool islands_known;
    sti_contact_energy* energy;  // by these numbers                                 (energies)
    int energies;
    double *balance, *balance_terms;  // M v - H r - G l - f, and the sizes of its terms    (nv)
} sti_contact_gauge;

sti_status sti_contact_gauge_open(sti_env* env, const sti_contact_problem* problem, sti_contact_gauge* out);
void sti_contact_gauge_close(sti_env* env, sti_contact_gauge* gauge);  // one that is all 0, too

// The residuals of r, v and lambda of the answer, and its u (residual.c).
void sti_contact_gauge_read(sti_contact_gauge* gauge, sti_contact_answer* answer);

#endif
