// portfolio.h: methods by a table, one after the other, until a point is good enough: how auto of LCPs and of contact
// problems and the islands of a step choose.
//
// A row says which method, how long, when it is worth trying, and why, in words for the user. The engine walks the
// rows, shares the budget of iterations and of time among them, runs a stage again that gains, and ends with a point
// that meets the tolerance or with a proof that there is none. What a method is, which point is kept and how an attempt
// is recorded is the caller's, in one function. Options of the caller's are read, never written.
#ifndef STI_BASE_PORTFOLIO_H
#define STI_BASE_PORTFOLIO_H

#include "base/env.h"

typedef struct sti_stage {
    int method;                        // of the caller's solvers
    long limit;                        // its iterations; 0: its own
    bool (*gate)(const void* caller);  // is it worth trying? NULL: always
    unsigned flags;                    // STI_STAGE_LAST, and the caller's from STI_STAGE_OWN on
    const char* why;
} sti_stage;

enum {
    STI_STAGE_LAST = 1,  // nothing comes after it
    STI_STAGE_OWN = 2,
};

// One use of a stage.
typedef struct sti_stage_use {
    const sti_stage* stage;
    const char* why;
    long limit;     // iterations, within the budget; 0: the method's own
    double time_s;  // seconds that are left; 0: no limit
    // what came of it
    double residual;  // of the best point now, NAN counts as INFINITY
    long iterations;
    bool proved;  // that there is nothing to find
} sti_stage_use;

typedef struct sti_portfolio {
    sti_env* env;
    const sti_stage* stages;
    int count;
    void* caller;
    sti_status (*use)(void* caller, sti_stage_use* use);
    // Is the stage to be run again? gain: the residual over what it was before. NULL: none is.
    bool (*gains)(const void* caller, const sti_stage* stage, double residual, double gain);
    int most_again;
    double tol;
    long budget;      // iterations for all together; 0: no limit
    double deadline;  // by sti_now
    // in: the point there is; out: the best one
    double residual;
    long iterations;
} sti_portfolio;

sti_status sti_portfolio_run(sti_portfolio* p);

#endif
