// velocities_rates.c: the rates of S1 (24) for stiction analyze velocities.
//
// Of a system by formulas, M and the gradients are followed along the motion: dM/dt and d/dt n by central differences
// of fourth order along (t + s, q + s v). Where a formula has no value beside the state, the rates that need them stay
// open.
#include "velocities_rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

typedef struct sides {
    double *M, *n;  // dM/dt (n x n), d/dt n (c x n)
    double* q;      // (n)
    sti_instant* beside;
} sides;

// Adds weight times M and the gradients at s along the motion. STI_ERR_INPUT: a formula has no value there.
static sti_status add_beside(const cli_instant* in, const sti_velocities* k, const double* q, double s, double weight,
                             sides* m) {
    const size_t n = (size_t)k->n;
    for (size_t j = 0; j < n; j++) m->q[j] = q[j] + s * in->instant->v[j];
    const sti_status status =
        sti_system_instant_update(in->system, in->instant->time + s, m->q, in->instant->v, m->beside);
    if (status != STI_OK) return status;
    for (size_t j = 0; j < n * n; j++) m->M[j] += weight * m->beside->M[j];
    for (int i = 0; i < k->count; i++) {
        const double* row = m->beside->contacts[k->contact[i]].n;
        for (size_t j = 0; j < n; j++) m->n[(size_t)i * n + j] += weight * row[j];
    }
    return STI_OK;
}

// 8 (f(s) - f(-s)) - (f(2 s) - f(-2 s)) over 12 s: rounding and the fifth derivative both leave about 1e-12.
static sti_status differentiate(const cli_instant* in, const sti_velocities* k, const double* q, sides* m) {
    double far = 1, fast = 0;
    for (int j = 0; j < k->n; j++) {
        far = fmax(far, fabs(q[j]));
        fast = fmax(fast, fabs(in->instant->v[j]));
    }
    const double s = fast > 0 ? 1e-3 * far / fast : 1e-3;
    sti_status status = add_beside(in, k, q, s, 8 / (12 * s), m);
    if (status == STI_OK) status = add_beside(in, k, q, -s, -8 / (12 * s), m);
    if (status == STI_OK) status = add_beside(in, k, q, 2 * s, -1 / (12 * s), m);
    if (status == STI_OK) status = add_beside(in, k, q, -2 * s, 1 / (12 * s), m);
    return status;
}

static int follow(const cli* c, const char* path, const cli_at* at, const cli_instant* in, const sti_velocities* k,
                  sides* m, bool* followed) {
    const size_t n = (size_t)k->n;
    double* q = calloc(n, sizeof *q);
    m->M = calloc(n * n, sizeof *m->M);
    m->n = calloc(n * (size_t)k->count + 1, sizeof *m->n);
    m->q = calloc(n, sizeof *m->q);
    int code = q != NULL && m->M != NULL && m->n != NULL && m->q != NULL ? CLI_DONE : cli_fail_memory(c);
    if (code == CLI_DONE && sti_system_state(in->system, NULL, q, NULL) != STI_OK) code = cli_fail_about(c, path);
    if (code == CLI_DONE && at->q.value != NULL) memcpy(q, at->q.value, n * sizeof *q);
    if (code == CLI_DONE &&
        sti_system_instant(c->env, in->system, in->instant->time, q, in->instant->v, &m->beside) != STI_OK)
        code = cli_fail_about(c, path);
    if (code == CLI_DONE) {
        const sti_status status = differentiate(in, k, q, m);
        *followed = status == STI_OK;
        if (status != STI_OK && status != STI_ERR_INPUT) code = cli_fail_about(c, path);
    }
    free(q);
    return code;
}

int cli_velocities_rates(const cli* c, const char* path, const cli_at* at, const cli_instant* in,
                         const sti_velocities* k, const double* lambda_n, const double* lambda_t, cli_rates* out) {
    const size_t size = (size_t)k->count + (size_t)k->tangent_count;
    sides m = {0};
    *out = (cli_rates){.rate = calloc(size + 1, sizeof *out->rate), .from_forces = calloc(size + 1, sizeof(double))};
    double* none = calloc((size_t)k->count + (size_t)k->slip_count + 1, sizeof *none);
    int code = out->rate != NULL && out->from_forces != NULL && none != NULL ? CLI_DONE : cli_fail_memory(c);
    if (code == CLI_DONE && in->system != NULL) code = follow(c, path, at, in, k, &m, &out->followed);
    const sti_velocities_motion motion = {.M_rate = m.M, .n_rate = m.n};
    if (code == CLI_DONE && sti_velocities_rates_of(c->env, k, in->instant, lambda_n != NULL ? lambda_n : none,
                                                    lambda_t != NULL ? lambda_t : none, out->followed ? &motion : NULL,
                                                    out->rate, out->from_forces) != STI_OK)
        code = cli_fail_about(c, path);
    sti_instant_destroy(c->env, m.beside);
    free(m.M);
    free(m.n);
    free(m.q);
    free(none);
    return code;
}

void cli_rates_clear(cli_rates* rates) {
    free(rates->rate);
    free(rates->from_forces);
    *rates = (cli_rates){0};
}

void cli_rates_json(cli_json* j, const sti_velocities* k, const cli_rates* r) {
    const size_t m = (size_t)k->count, d = (size_t)k->tangent_count;
    if (r->rate == NULL) {
        cli_json_null(j, "rates");
        return;
    }
    cli_json_object(j, "rates");
    cli_json_numbers(j, "from_forces_norm", r->from_forces, m);
    cli_json_numbers(j, "from_forces_tan", r->from_forces + m, d);
    cli_json_numbers(j, "qddot_norm", r->rate, m);
    cli_json_numbers(j, "qddot_tan", r->rate + m, d);
    cli_json_bool(j, "along_motion", r->followed);
    cli_json_end(j);
}

void cli_rates_say(const cli* c, const sti_velocities* k, const cli_rates* r) {
    bool open = false;
    for (int i = 0; i < k->count + k->tangent_count; i++) open = open || isnan(r->rate[i]);
    cli_say(c, "%srates%s (24) under these contact forces\n", cli_strong(c), cli_plain(c));
    cli_say_row(c, "n_q'M a", r->from_forces, k->count);
    cli_say_row(c, "t_q'M a", r->from_forces + k->count, k->tangent_count);
    cli_say_row(c, "d/dt qdot_norm", r->rate, k->count);
    cli_say_row(c, "d/dt qdot_tan", r->rate + k->count, k->tangent_count);
    if (open)
        cli_say(c, "  nan: d/dt(n_q'M) and d/dt(t_q'M) are not known from one instant; a system by formulas tells\n");
}
