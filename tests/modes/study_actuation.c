// study_actuation.c: SEED COUNT: modes that actuators bring about (actuation.h) at random instants. Held against the
// independent checker, against the modes of the wrench that the claimed controls make, and, where none is to be
// possible, against random controls and the corners of their bounds: none of these may lie in the mode's set of
// wrenches.
#include <stiction/stiction.h>

#include "support/random_instants.h"
#include "support/study.h"

enum { MOST = 3 };

typedef struct lever {
    sti_rationals *direction, *low, *high;
    sti_actuators by;
} lever;

static bool open_lever(sti_env* env, sti_rng* rng, int n, lever* k) {
    const int count = sti_rng_int(rng, 1, MOST);
    *k = (lever){0};
    if (sti_rationals_create(env, (size_t)(n * count), &k->direction) != STI_OK ||
        sti_rationals_create(env, (size_t)count, &k->low) != STI_OK ||
        sti_rationals_create(env, (size_t)count, &k->high) != STI_OK)
        return false;
    for (int i = 0; i < n * count; i++) sti_rationals_set_double(k->direction, (size_t)i, sti_rng_int(rng, -2, 2));
    for (int i = 0; i < count; i++) {
        sti_rationals_set_double(k->low, (size_t)i, -0.5 * sti_rng_int(rng, 0, 8));
        sti_rationals_set_double(k->high, (size_t)i, 0.5 * sti_rng_int(rng, 0, 8));
    }
    k->by = (sti_actuators){.count = count, .direction = k->direction, .low = k->low, .high = k->high};
    return true;
}

static void close_lever(lever* k) {
    sti_rationals_destroy(k->direction);
    sti_rationals_destroy(k->low);
    sti_rationals_destroy(k->high);
}

static void wrench_of(const sti_modes* m, const lever* k, const double* tau, double* w) {
    for (int i = 0; i < m->n; i++) {
        w[i] = sti_rationals_double(m->wrench, (size_t)i);
        for (int a = 0; a < k->by.count; a++)
            w[i] += tau[a] * sti_rationals_double(k->direction, (size_t)(a * m->n + i));
    }
}

// Largest violation of the closed set.
static double violation(const sti_mode_wrenches* set, int n, const double* w) {
    double worst = -INFINITY;
    const sti_rows rows[2] = {sti_polycone_inequalities(set->cone), sti_polycone_equations(set->cone)};
    for (int e = 0; e < 2; e++) {
        for (int r = 0; r < rows[e].count; r++) {
            const size_t at = (size_t)r * (size_t)rows[e].dimension;
            double sum = set->is_cone ? 0 : sti_rationals_double(rows[e].exact, at + (size_t)n);
            for (int i = 0; i < n; i++) sum += w[i] * sti_rationals_double(rows[e].exact, at + (size_t)i);
            worst = fmax(worst, e == 0 ? sum : fabs(sum));
        }
    }
    return worst;
}

static const char* none_fits(const sti_modes* m, const sti_mode* mode, const lever* k, sti_rng* rng) {
    for (int trial = 0; trial < 40; trial++) {
        double tau[MOST], w[TOOL_N];
        for (int a = 0; a < k->by.count; a++) {
            const double low = sti_rationals_double(k->low, (size_t)a), high = sti_rationals_double(k->high, (size_t)a);
            tau[a] = trial < 8 ? ((trial >> a) & 1 ? high : low) : low + (high - low) * sti_rng_u01(rng);
        }
        wrench_of(m, k, tau, w);
        if (violation(mode->wrenches, m->n, w) < -1e-9) return "a control does what is told to be impossible";
    }
    return NULL;
}

static const char* judge(sti_env* env, const sti_instant* in, const sti_modes* m, const sti_mode* mode, const lever* k,
                         const sti_actuation* a, sti_rng* rng) {
    sti_actuation_verification check;
    if (!a->possible) return none_fits(m, mode, k, rng);
    if (sti_verify_actuation(env, mode->wrenches, m->n, m->wrench, &k->by, a, 1e-9, &check) != STI_OK)
        return "no check";
    if (!check.accepted) return "the checker declines";
    // thin sets are left by the rounding of a control
    if (!a->strict || !(a->margin > 1e-6) || sti_polycone_equations(mode->wrenches->cone).count > 0) return NULL;
    double w[TOOL_N];
    sti_modes* with;
    sti_modes_options o = sti_modes_options_default();
    wrench_of(m, k, a->tau, w);
    o.wrench = w;
    if (sti_modes_create(env, in, &o, &with) != STI_OK) return "no modes with the controls";
    const int at = sti_modes_find(with, mode->text);
    const bool comes = at >= 0 && with->modes[at].fit >= STI_MODE_LIMIT && with->modes[at].wrenches != NULL;
    const double margin = comes ? with->modes[at].wrenches->margin : NAN;
    sti_modes_destroy(with);
    if (!comes) return "the mode does not come about";
    const bool same = isinf(a->margin) || fabs(margin - a->margin) <= 1e-9 * (1 + fabs(margin));
    return same ? NULL : "its margin is another";
}

int main(int argc, char** argv) {
    study y;
    const int bad = study_open(&y, argc, argv);
    if (bad != 0) return bad;
    long asked = 0, possible = 0, far = 0;
    for (; y.at < y.count; y.at++) {
        random_instant s;
        lever k;
        sti_modes* m;
        random_instant_make(&s, &y.rng);
        const sti_modes_options o = sti_modes_options_default();
        if (!open_lever(y.env, &y.rng, s.t.instant.n, &k)) return 1;
        if (sti_modes_create(y.env, &s.t.instant, &o, &m) == STI_OK) {
            for (int j = 0; j < m->mode_count && j < 12; j++) {
                sti_actuation* a;
                if (m->modes[j].wrenches == NULL) continue;
                if (sti_actuation_create(y.env, m->modes[j].wrenches, m->n, m->wrench, &k.by, &a) != STI_OK) return 1;
                const char* why = judge(y.env, &s.t.instant, m, &m->modes[j], &k, a, &y.rng);
                asked++;
                possible += a->possible;
                far += !a->reachable;
                study_judge(&y, why);
                sti_actuation_destroy(y.env, a);
            }
            sti_modes_destroy(m);
        }
        close_lever(&k);
    }
    return study_close(&y, "%ld instants, %ld modes: possible %ld, out of reach %ld", y.count, asked, possible, far);
}
