// analyze_velocities.c: stiction analyze velocities: kinetic quasi-velocities of an instant (S1 section 2).
#include <math.h>
#include <stdlib.h>

#include "analyze.h"
#include "tables.h"
#include "velocities_rates.h"

typedef struct request {
    cli_at at;
    const char* path;
    double gap_tol;
    cli_list lambda_n, lambda_t;
    bool rates;
} request;

static const char* name_of(const cli_instant* in, const sti_velocities* k, int i) {
    return in->instant->contacts[k->contact[i]].name;
}

// ---- JSON

static void put_constraints(cli_json* j, const cli_instant* in, const sti_velocities* k) {
    cli_json_array(j, "constraints");
    for (int i = 0; i < k->count; i++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "name", name_of(in, k, i));
        cli_json_bool(j, "bilateral", in->instant->contacts[k->contact[i]].bilateral);
        cli_json_integer(j, "slips", k->slip[i + 1] - k->slip[i]);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_power(cli_json* j, const sti_velocities_power* power) {
    if (power == NULL) {
        cli_json_null(j, "power");
        return;
    }
    cli_json_object(j, "power");
    cli_json_number(j, "normal", power->normal);
    cli_json_number(j, "normal_quasi", power->normal_quasi);
    cli_json_number(j, "tangential", power->tangential);
    cli_json_number(j, "tangential_quasi", power->tangential_quasi);
    cli_json_number(j, "coupling", power->coupling);
    cli_json_number(j, "own", power->own);
    cli_json_end(j);
}

static int print_json(const cli* c, const request* r, const cli_instant* in, const sti_velocities* k,
                      const sti_velocities_power* power, const cli_rates* rates) {
    const int n = k->n, m = k->count, d = k->tangent_count, s = k->slip_count, p = k->unilateral_count;
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "velocities");
    cli_json_text(&j, "file", r->path);
    cli_json_integer(&j, "n", n);
    put_constraints(&j, in, k);
    cli_json_integer(&j, "rank", k->rank);
    cli_json_bool(&j, "mass_singular", k->singular);
    cli_json_integer(&j, "held", k->held);
    cli_json_integer(&j, "idle", k->idle);
    cli_json_numbers(&j, "norm_grad_h", k->norm, (size_t)m);
    cli_json_matrix(&j, "n_q", k->n_q, m, n);
    cli_json_matrix(&j, "t_q", k->t_q, d, n);
    cli_json_matrix(&j, "Xi", k->Xi, m + d, n);
    cli_json_matrix(&j, "G", k->G, m, m);
    cli_json_matrix(&j, "kinetic_angles", k->angle, m, m);
    cli_json_matrix(&j, "D_n", k->D_n, m, m);
    cli_json_matrix(&j, "D_t", k->D_t, d, d);
    cli_json_matrix(&j, "G_unilateral", k->G_u, p, p);
    cli_json_numbers(&j, "qdot", k->qdot, (size_t)n);
    cli_json_numbers(&j, "qdot_norm", k->qdot_norm, (size_t)m);
    cli_json_numbers(&j, "qdot_tan", k->qdot_tan, (size_t)d);
    cli_json_numbers(&j, "qdot_back", k->back, (size_t)n);
    cli_json_number(&j, "T", k->T);
    cli_json_number(&j, "T_quasi", k->T_quasi);
    cli_json_number(&j, "T_norm", k->T_norm);
    cli_json_number(&j, "T_tan", k->T_tan);
    cli_json_numbers(&j, "compatible_velocity", k->compatible, (size_t)n);
    cli_json_number(&j, "T_compatible", k->T_compatible);
    cli_json_number(&j, "T_compatible_16", k->T_compatible_16);
    cli_json_matrix(&j, "projector_tangent", k->tangent_projector, n, n);
    cli_json_matrix(&j, "n_H", k->n_H, m, s);
    cli_json_matrix(&j, "t_H", k->t_H, d, s);
    cli_json_numbers(&j, "v_t", k->v_t, (size_t)s);
    cli_json_numbers(&j, "v_t_quasi", k->v_t_quasi, (size_t)s);
    cli_json_numbers(&j, "F_norm", k->F_norm, (size_t)m);
    cli_json_numbers(&j, "F_tan", k->F_tan, (size_t)d);
    put_power(&j, power);
    cli_rates_json(&j, k, rates);
    return cli_json_print(&j, c, CLI_DONE);
}

// ---- text

static void say(const cli* c, const request* r, const cli_instant* in, const sti_velocities* k,
                const sti_velocities_power* power, const cli_rates* rates) {
    const int n = k->n, m = k->count, d = k->tangent_count, s = k->slip_count;
    cli_say(c, "%s: %d velocities, %d touching constraint%s\n", r->path, n, m, m == 1 ? "" : "s");
    for (int i = 0; i < m; i++)
        cli_say(c, "  %d: %s%s\n", i + 1, name_of(in, k, i),
                in->instant->contacts[k->contact[i]].bilateral ? " (bilateral)" : "");
    if (k->rank < m) cli_say(c, "  the gradients are dependent, of rank %d: D_n is the pseudo-inverse of G\n", k->rank);
    if (k->singular)
        cli_say(
            c,
            "  M is singular: the limit of M + eps 1; joints that hold %d direction%s are eliminated, %d without mass "
            "%s alone\n",
            k->held, k->held == 1 ? "" : "s", k->idle, k->idle == 1 ? "is left" : "are left");
    cli_say(c, "%squasi-velocities%s v = Xi M qdot\n", cli_strong(c), cli_plain(c));
    cli_say_row(c, "|grad h|", k->norm, m);
    cli_say_matrix(c, "n_q, one per row", k->n_q, m, n);
    cli_say_matrix(c, "t_q, one per row", k->t_q, d, n);
    cli_say_row(c, "qdot_norm", k->qdot_norm, m);
    cli_say_row(c, "qdot_tan", k->qdot_tan, d);
    cli_say(c, "%skinetic metric%s\n", cli_strong(c), cli_plain(c));
    cli_say_matrix(c, "G", k->G, m, m);
    cli_say_matrix(c, "kinetic angles", k->angle, m, m);
    cli_say_matrix(c, "D_n", k->D_n, m, m);
    if (k->unilateral_count < m) cli_say_matrix(c, "G of (17)", k->G_u, k->unilateral_count, k->unilateral_count);
    cli_say(c, "%skinetic energy%s\n", cli_strong(c), cli_plain(c));
    cli_say(c, "  %s = %s normal + %s tangential\n", cli_text_number(k->T, 0), cli_text_number(k->T_norm, k->T),
            cli_text_number(k->T_tan, k->T));
    if (k->unilateral_count < m && fabs(k->T_compatible - k->T) > 1e-12 * k->T)
        cli_say(c, "  the joints do not allow qdot; nearest: %s, by (16) %s\n", cli_text_number(k->T_compatible, 0),
                cli_text_number(k->T_compatible_16, 0));
    if (s > 0) {
        cli_say(c, "%sslips%s\n", cli_strong(c), cli_plain(c));
        cli_say_row(c, "v_t", k->v_t, s);
        cli_say_matrix(c, "n_q'H_T", k->n_H, m, s);
        cli_say_matrix(c, "t_q'H_T", k->t_H, d, s);
    }
    if (rates->rate != NULL) cli_rates_say(c, k, rates);
    if (power == NULL) return;
    cli_say(c, "%spower of the contact forces%s\n", cli_strong(c), cli_plain(c));
    cli_say(c, "  normal %s, tangential %s = %s coupling + %s own\n", cli_text_number(power->normal, 0),
            cli_text_number(power->tangential, 0), cli_text_number(power->coupling, fabs(power->tangential)),
            cli_text_number(power->own, fabs(power->tangential)));
}

// ---- work

static int work(const cli* c, const request* r, const cli_instant* in) {
    sti_velocities_options o = sti_velocities_options_default();
    o.gap_tol = r->gap_tol;
    sti_velocities* k = NULL;
    if (sti_velocities_create(c->env, in->instant, &o, &k) != STI_OK) return cli_fail_about(c, r->path);
    sti_velocities_power power;
    const bool asked = r->lambda_n.count > 0;
    int code = CLI_DONE;
    if (asked && r->lambda_n.count != k->count)
        code = cli_fail_usage(c, "--lambda-n: %d numbers, and %d constraints touch", r->lambda_n.count, k->count);
    else if (!asked && r->lambda_t.count > 0)
        code = cli_fail_usage(c, "--lambda-t: needs --lambda-n");
    else if (asked && r->lambda_t.count != k->slip_count)
        code = cli_fail_usage(c, "--lambda-t: %d numbers, and there are %d slips", r->lambda_t.count, k->slip_count);
    else if (asked && sti_velocities_power_of(c->env, k, r->lambda_n.value, r->lambda_t.value, &power) != STI_OK)
        code = cli_fail_about(c, r->path);
    cli_rates rates = {0};
    if (code == CLI_DONE && (asked || r->rates))
        code = cli_velocities_rates(c, r->path, &r->at, in, k, r->lambda_n.value, r->lambda_t.value, &rates);
    if (code == CLI_DONE && c->json)
        code = print_json(c, r, in, k, asked ? &power : NULL, &rates);
    else if (code == CLI_DONE)
        say(c, r, in, k, asked ? &power : NULL, &rates);
    cli_rates_clear(&rates);
    sti_velocities_destroy(c->env, k);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    request r = {.gap_tol = sti_velocities_options_default().gap_tol};
    const cli_option options[] = {
        CLI_AT_OPTIONS(r.at),
        {"--gap-tol", CLI_POSITIVE, "GAP", "contacts with a larger gap are left out (1e-9)", &r.gap_tol},
        {"--lambda-n", CLI_LIST, "L,..", "normal forces: their power, and rates; one per constraint", &r.lambda_n},
        {"--lambda-t", CLI_LIST, "L,..", "tangential forces, with --lambda-n; one per slip", &r.lambda_t},
        {"--rates", CLI_FLAG, NULL, "rates of the quasi-velocities (24) also without contact forces", &r.rates},
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, (int)(sizeof options / sizeof options[0]), argc, argv, positional, 1, 1, &code) >= 0) {
        cli_instant in = {0};
        r.path = positional[0];
        code = cli_instant_load(c, r.path, &r.at, &in);
        if (code == CLI_DONE) code = work(c, &r, &in);
        cli_instant_clear(c, &in);
    }
    cli_at_clear(&r.at);
    free(r.lambda_n.value);
    free(r.lambda_t.value);
    return code;
}

const cli_verb cli_analyze_velocities = {
    .name = "analyze velocities",
    .arguments = "FILE [options]",
    .summary = "kinetic quasi-velocities, angles and energies",
    .details =
        "Unit normals n_q and tangents t_q in the kinetic metric over all touching constraints, the\n"
        "quasi-velocities v = Xi M qdot and back, the normalized Delassus matrix G, kinetic angles, D_n, D_t, and\n"
        "energy and power in both coordinates. t_q is unique up to a rotation. Where M is singular, the limit of\n"
        "a small mass, if there is one.\n"
        "With forces also the rates of the quasi-velocities; of an instant by numbers those that one instant\n"
        "tells.\n"
        "Exit code 0: done; 2: bad usage or input; 3: internal failure.\n\n"
        "example:\n"
        "    stiction analyze velocities rocking-block --at 0,0.5,0 --velocity 1,-1,0.5 --json\n",
    .use = STI_USE_ANALYZE,
    .run = run,
};
