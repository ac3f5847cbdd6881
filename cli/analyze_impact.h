// analyze_impact.h: the parts of stiction analyze impact: what is asked, and how it is told.
#ifndef STICTION_CLI_ANALYZE_IMPACT_H
#define STICTION_CLI_ANALYZE_IMPACT_H

#include "analyze.h"

typedef struct cli_impact_request {
    cli_at at;
    const char* path;
    const char* law;      // --law
    const char* picture;  // --picture
    double gap_tol;
    bool stick_negative;
    cli_list reach;
    cli_list restitution, quasi, t_q, lambda, stiffness;
    double exponent;
} cli_impact_request;

// The least and largest finite energy formula of a solution differ by this, relative to T before.
double cli_impact_spread(const sti_impact* k, const sti_impact_energy* e);

// Solutions of the laws asked for, and those that the independent check accepts; false: memory ran out.
typedef struct cli_impact_checks {
    int checked, accepted;  // the law and all else
    int partly, sound;      // momentum, joints and energy only
} cli_impact_checks;

bool cli_impact_check(const cli* c, const cli_impact_request* r, const cli_instant* in, const sti_impact* k,
                      cli_impact_checks* out);

int cli_impact_json(const cli* c, const cli_impact_request* r, const cli_instant* in, const sti_impact* k, int code);
int cli_impact_say(const cli* c, const cli_impact_request* r, const cli_instant* in, const sti_impact* k);

#endif
