// watch.h: what every iterative method of this room shares: judging points by the true residual, keeping the best one,
// and knowing when to stop.
#ifndef STI_CONTACT_WATCH_H
#define STI_CONTACT_WATCH_H

#include "contact/contact.h"

typedef struct sti_contact_watch {
    const sti_contact_local* p;
    const sti_contact_options* options;
    sti_contact_run* run;  // r, u and residual hold the best point; iterations counts
    const char* name;
    long limit;            // of iterations
    long window;           // iterations in which the best residual must fall by one in a hundred
    long mark;             // where the present window began
    double mark_residual;  // and the best residual then
    double deadline;       // of sti_clock(); INFINITY: none, and the clock is never read
} sti_contact_watch;

// run->r is the first guess (what is not finite counts as zero) and the first point measured. work: multiplications in
// an iteration; the iteration limit follows from it where the caller has set none.
void sti_contact_watch_start(sti_contact_watch* watch, const char* name, const sti_contact_local* p,
                             const sti_contact_options* options, sti_contact_run* run, double work, long window);

// Natural map of r, with u = W r + q given; the better point goes to the run. NAN when r or u is not finite.
double sti_contact_watch_point(sti_contact_watch* watch, const double* r, const double* u);

// Solved, stalled, or out of iterations or time: true, and the run says which.
bool sti_contact_watch_stop(sti_contact_watch* watch);

// Another stage begins: the window starts anew.
void sti_contact_watch_renew(sti_contact_watch* watch);

// Ends the run here. how: a few words, for the reason.
void sti_contact_watch_end(sti_contact_watch* watch, sti_termination termination, const char* how);

#endif
