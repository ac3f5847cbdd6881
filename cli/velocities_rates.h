// velocities_rates.h: the rates of S1 (24) for stiction analyze velocities.
#ifndef STICTION_CLI_VELOCITIES_RATES_H
#define STICTION_CLI_VELOCITIES_RATES_H

#include "instant.h"

typedef struct cli_rates {
    double* rate;         // of sti_velocities_rates_of          (count + tangent_count)
    double* from_forces;  // (count + tangent_count)
    bool followed;        // dM/dt and d/dt n are known
} cli_rates;

// lambda_n, lambda_t NULL: 0. On failure the line is written and the exit code is returned; cleared by the caller
// either way.
int cli_velocities_rates(const cli* c, const char* path, const cli_at* at, const cli_instant* in,
                         const sti_velocities* k, const double* lambda_n, const double* lambda_t, cli_rates* out);
void cli_rates_clear(cli_rates* rates);
void cli_rates_json(cli_json* j, const sti_velocities* k, const cli_rates* r);
void cli_rates_say(const cli* c, const sti_velocities* k, const cli_rates* r);

#endif
