// portfolio.c: see portfolio.h.
#include "base/portfolio.h"

#include <math.h>

// What a use may take. False: nothing is left.
static bool allot(const sti_portfolio* p, sti_stage_use* use) {
    if (isfinite(p->deadline)) {
        const double left = p->deadline - sti_now(p->env);
        if (!(left > 0)) return false;
        use->time_s = left;
    }
    use->limit = use->stage->limit;
    if (p->budget == 0) return true;
    const long left = p->budget - p->iterations;
    if (use->limit == 0 || left < use->limit) use->limit = left;
    return left > 0;
}

sti_status sti_portfolio_run(sti_portfolio* p) {
    const sti_stage* last = NULL;
    int again = 0;
    double gain = 1;
    for (int s = 0; s < p->count && !(p->residual <= p->tol);) {
        const bool repeat =
            last != NULL && p->gains != NULL && again < p->most_again && p->gains(p->caller, last, p->residual, gain);
        const sti_stage* stage = repeat ? last : &p->stages[s++];
        if (!repeat && stage->gate != NULL && !stage->gate(p->caller)) continue;
        again += repeat;
        sti_stage_use use = {.stage = stage,
                             .why = repeat ? "the residual falls: the same method again" : stage->why,
                             .residual = INFINITY};
        if (!allot(p, &use)) return STI_OK;
        const sti_status status = p->use(p->caller, &use);
        if (status != STI_OK) return status;
        p->iterations += use.iterations;
        gain = use.residual / p->residual;
        p->residual = use.residual;
        last = stage;
        if (use.proved || (stage->flags & STI_STAGE_LAST) != 0) return STI_OK;
    }
    return STI_OK;
}
