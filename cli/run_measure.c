// run_measure.c: what a run of a system, of bodies or of grains says of itself as a measure: sizes, impacts, hypotheses
// of the theorems.
#include "run_measure.h"

#include <math.h>

static void put_impacts(cli_json* j, const sti_run_measure* m) {
    cli_json_object(j, "impacts");
    cli_json_integer(j, "count", m->atoms);
    cli_json_number(j, "sum", m->atom_sum);
    cli_json_bool(j, "located", m->located);
    cli_json_array(j, "list");
    for (int k = 0; k < m->atom_count; k++) {
        cli_json_object(j, NULL);
        cli_json_number(j, "time", m->atom_time[k]);
        cli_json_number(j, "size", m->atom_size[k]);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_integer(j, "left_out", m->atoms - m->atom_count);
    cli_json_end(j);
}

static void put_pointed(cli_json* j, const sti_run_measure* m) {
    cli_json_object(j, "pointed");
    cli_json_number(j, "margin", m->pointed);
    cli_json_number(j, "time", m->pointed_at);
    cli_json_integer(j, "looked", m->looked);
    cli_json_integer(j, "touched", m->touched);
    cli_json_integer(j, "passed", m->passed);
    cli_json_end(j);
}

static void put_hypothesis(cli_json* j, const char* name, const char* found, const char* why) {
    cli_json_object(j, NULL);
    cli_json_text(j, "name", name);
    cli_json_text(j, "found", found);
    cli_json_text(j, "why", why);
    cli_json_end(j);
}

static void put_mass(cli_json* j, const sti_run_measure* m, cli_measured of) {
    char why[160];
    if (of != CLI_MEASURED_SYSTEM) {
        put_hypothesis(j, "H3", "holds",
                       of == CLI_MEASURED_BODIES
                           ? "masses, and inertias in axes of the bodies, are constant and positive"
                           : "masses and moments of inertia of grains are constant and positive");
        return;
    }
    const bool fails = m->mass_varies || m->mass_flat;
    if (m->looked == 0)
        snprintf(why, sizeof why, "M is constant and positive definite: no step was made");
    else if (fails)
        snprintf(why, sizeof why, m->mass_varies ? "M varies along the way" : "M is not positive definite");
    else
        snprintf(why, sizeof why, "M was positive definite and the same at %ld instants", m->looked);
    put_hypothesis(j, "H3", m->looked == 0 ? "unchecked" : fails ? "fails" : "seen", why);
}

static void put_cone(cli_json* j, const sti_run_measure* m, cli_measured of) {
    char why[200];
    if (of == CLI_MEASURED_GRAINS) {
        put_hypothesis(j, "H4", "unchecked",
                       "the total friction cone is uniformly pointed: not looked at of grains; --jamming asks it");
        return;
    }
    const long seen = m->touched - m->passed;
    if (seen == 0)
        snprintf(why, sizeof why, "the total friction cone is uniformly pointed: %s",
                 m->passed > 0 ? "it is too large to be looked at" : "no contact was closed where it was looked at");
    else if (!(m->pointed > 0))
        snprintf(why, sizeof why, "the total friction cone is not pointed at t = %.9g", m->pointed_at);
    else
        snprintf(why, sizeof why, "margin at least %.6g at %ld of %ld instants with closed contacts", m->pointed, seen,
                 m->touched);
    put_hypothesis(j, "H4", seen == 0 ? "unchecked" : m->pointed > 0 ? "seen" : "fails", why);
}

static void put_hypotheses(cli_json* j, const sti_run_measure* m, cli_measured of) {
    char why[160];
    cli_json_array(j, "hypotheses");
    put_hypothesis(j, "H1", "unchecked", "gaps have bounded second derivatives");
    put_hypothesis(j, "H2", "unchecked", "joints are smooth");
    put_mass(j, m, of);
    put_cone(j, m, of);
    put_hypothesis(j, "H5", "unchecked", "forces grow at most linearly with position and velocity");
    put_hypothesis(j, "H6", "unchecked", "gradients of gaps and slips are Lipschitz");
    snprintf(why, sizeof why, "collisions stay bounded as h goes to 0: %ld with this h; stiction converge varies it",
             m->atoms);
    put_hypothesis(j, "H7", "unchecked", why);
    put_hypothesis(j, "H8", "unchecked", "forces are linear in the velocity");
    snprintf(why, sizeof why, "alpha = %g; the theorems take 1/2 to 1", m->alpha);
    put_hypothesis(j, "alpha", m->alpha >= 0.5 && m->alpha <= 1 ? "holds" : "fails", why);
    cli_json_end(j);
}

void cli_measure_json(cli_json* j, const sti_run_measure* m, cli_measured of) {
    cli_json_object(j, "measure");
    cli_json_number(j, "speed", m->sizes.speed);
    cli_json_number(j, "variation", m->sizes.variation);
    cli_json_number(j, "weighted_variation", m->sizes.weighted_variation);
    cli_json_number(j, "jump", m->sizes.jump);
    cli_json_number(j, "jump_time", m->sizes.jump_time);
    cli_json_number(j, "impulses", m->sizes.impulses);
    put_impacts(j, m);
    if (of != CLI_MEASURED_GRAINS) put_pointed(j, m);
    put_hypotheses(j, m, of);
    cli_json_end(j);
}

void cli_measure_say(const cli* c, const sti_run_measure* m) {
    cli_say(c, "  as a measure: speed up to %.6g, variation %.6g (weighted %.6g), ", m->sizes.speed, m->sizes.variation,
            m->sizes.weighted_variation);
    if (m->sizes.jump > 0) cli_say(c, "jump %.4g at t = %.4g, ", m->sizes.jump, m->sizes.jump_time);
    cli_say(c, "normal impulses %.6g", m->sizes.impulses);
    if (m->atoms > 0)
        cli_say(c, "; %ld %s of %.4g in all", m->atoms, m->atoms == 1 ? "impact" : "impacts", m->atom_sum);
    if (m->pointed > 0)
        cli_say(c, "; friction cone pointed by %.3g", m->pointed);
    else if (!isnan(m->pointed))
        cli_say(c, "; %sfriction cone not pointed%s at t = %.4g", cli_unsure(c), cli_plain(c), m->pointed_at);
    cli_say(c, "\n");
}
