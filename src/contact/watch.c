// watch.c: the best point of a run, and the reasons to end it.
#include "contact/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DEFAULT_WORK = 1e10;  // multiplications, when the caller sets no limit

void sti_contact_watch_start(sti_contact_watch* watch, const char* name, const sti_contact_local* p,
                             const sti_contact_options* options, sti_contact_run* run, double work, long window) {
    *watch = (sti_contact_watch){.p = p, .options = options, .run = run, .name = name, .window = window};
    watch->limit = options->max_iterations;
    if (watch->limit <= 0) watch->limit = (long)fmin(fmax(DEFAULT_WORK / fmax(work, 1), 2000), 100000);
    watch->deadline = options->time_limit_s > 0 ? sti_clock() + options->time_limit_s : INFINITY;
    for (int i = 0; i < p->d * p->nc; i++) {
        if (!isfinite(run->r[i])) run->r[i] = 0;
    }
    sti_contact_local_apply(p, run->r, run->u);
    run->residual = sti_contact_natural_map(p, run->r, run->u, NULL);
    run->iterations = 0;
    run->termination = STI_END_NONE;
    run->reason[0] = '\0';
    sti_contact_watch_renew(watch);
}

void sti_contact_watch_renew(sti_contact_watch* watch) {
    watch->mark = watch->run->iterations;
    watch->mark_residual = watch->run->residual;
}

double sti_contact_watch_point(sti_contact_watch* watch, const double* r, const double* u) {
    sti_contact_run* run = watch->run;
    const double residual = sti_contact_natural_map(watch->p, r, u, NULL);
    if (residual < run->residual || (isnan(run->residual) && residual >= 0)) {
        const size_t size = (size_t)(watch->p->d * watch->p->nc) * sizeof *r;
        memcpy(run->r, r, size);
        memcpy(run->u, u, size);
        run->residual = residual;
    }
    if (watch->options->trace != NULL)
        watch->options->trace(watch->options->trace_user, watch->name, run->iterations, residual);
    return residual;
}

void sti_contact_watch_end(sti_contact_watch* watch, sti_termination termination, const char* how) {
    sti_contact_run* run = watch->run;
    run->termination = termination;
    snprintf(run->reason, sizeof run->reason, "%s: %s, %ld iterations, residual %.1e", watch->name, how,
             run->iterations, run->residual);
}

bool sti_contact_watch_stop(sti_contact_watch* watch) {
    const sti_contact_run* run = watch->run;
    if (run->residual <= watch->options->tol) {
        sti_contact_watch_end(watch, STI_END_SOLUTION, "converged");
    } else if (run->iterations >= watch->limit) {
        sti_contact_watch_end(watch, STI_END_LIMIT, "iteration limit");
    } else if ((watch->deadline < INFINITY && sti_clock() > watch->deadline) || sti_late(watch->p->env)) {
        sti_contact_watch_end(watch, STI_END_LIMIT, "time limit");
    } else if (run->iterations - watch->mark >= watch->window) {
        if (!(run->residual < 0.99 * watch->mark_residual)) {
            sti_contact_watch_end(watch, STI_END_STALLED, "the residual no longer falls");
            return true;
        }
        sti_contact_watch_renew(watch);
        return false;
    } else {
        return false;
    }
    return true;
}
