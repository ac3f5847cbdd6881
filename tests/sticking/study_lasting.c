// study_lasting.c: SEED COUNT: for how long all contacts of random instants stick while the load changes
// (sti_sticking_lasts), against the decision at loads that have changed by as much.
//
// Wrong is a load F + d with |d| at most the time told (at rate 1) under which the contacts do not stick; and, where
// forces are unique, a contact whose force changes by more than its gain says. Counted too: how often twice the time is
// too long in one of the directions tried.
#include <stiction/stiction.h>

#include "support/random_instants.h"
#include "support/study.h"

enum { TRIES = 6 };
#define LONG 50  // where the time has no end

static void change(const random_instant* s, sti_rng* rng, int trial, double size, double* F) {
    const int n = s->t.instant.n;
    double d[TOOL_N], length = 0;
    for (int j = 0; j < n; j++) {
        d[j] = trial < n ? (j == trial ? (sti_rng_int(rng, 0, 1) == 0 ? -1 : 1) : 0) : 2 * sti_rng_u01(rng) - 1;
        length = hypot(length, d[j]);
    }
    for (int j = 0; j < n; j++) F[j] = s->t.instant.F[j] + size * d[j] / length;
}

static double force_change(const sti_sticking* before, const sti_sticking* after, int first, int count) {
    double sum = 0;
    for (int k = first; k < first + count; k++) sum = hypot(sum, after->answer.lambda[k] - before->answer.lambda[k]);
    return sum;
}

static const char* compare(const random_instant* s, const sti_sticking_time* t, const sti_sticking* before,
                           const sti_sticking* after, double size) {
    if (after->answer.outcome != STI_STICKING_YES && after->answer.outcome != STI_STICKING_LIMIT)
        return "a load within reach does not stick";
    for (int i = 0, first = 0; t->unique && i < t->contact_count; i++) {
        const int count = 1 + s->t.instant.contacts[before->answer.contact[i]].tangent_count;
        if (force_change(before, after, first, count) > t->gain[i] * size * (1 + 1e-6) + 1e-6)
            return "a force changes by more than its gain";
        first += count;
    }
    return NULL;
}

static const char* judge(sti_env* env, sti_rng* rng, const random_instant* s, const sti_sticking_time* t, bool* sharp) {
    sti_sticking_options o = sti_sticking_options_default();
    o.family = o.propositions = false;
    const char* why = NULL;
    sti_sticking *before, *after;
    if (sti_sticking_create(env, &s->t.instant, &o, &before) != STI_OK) return "no analysis";
    for (int k = 0; why == NULL && k < TRIES + s->t.instant.n; k++) {
        double F[TOOL_N];
        sti_instant with = s->t.instant;
        const double size = fmin(t->time, LONG) * (k % 2 == 0 ? 1 - 1e-6 : sti_rng_u01(rng));
        change(s, rng, k, size, F);
        with.F = F;
        if (sti_sticking_create(env, &with, &o, &after) != STI_OK) return "no analysis";
        why = compare(s, t, before, after, size);
        sti_sticking_destroy(after);
        change(s, rng, k, 2 * size, F);
        if (!isfinite(t->time) || sti_sticking_create(env, &with, &o, &after) != STI_OK) continue;
        *sharp = *sharp || after->answer.outcome == STI_STICKING_NO;
        sti_sticking_destroy(after);
    }
    sti_sticking_destroy(before);
    return why;
}

int main(int argc, char** argv) {
    study k;
    const int bad = study_open(&k, argc, argv);
    if (bad != 0) return bad;
    long made = 0, unique = 0, ever = 0, sharp = 0;
    for (; made < k.count && k.at < 100 * k.count; k.at++) {
        random_instant s;
        sti_sticking_time t;
        bool near = false;
        random_instant_make(&s, &k.rng);
        if (sti_sticking_lasts(k.env, &s.t.instant, NULL, 1, &t) != STI_OK) {
            study_judge(&k, sti_env_error(k.env)->text);
            return 1;
        }
        if (t.found) {
            const char* why = judge(k.env, &k.rng, &s, &t, &near);
            made++;
            unique += t.unique;
            ever += isinf(t.time);
            sharp += near;
            study_judge(&k, why);
        }
        sti_sticking_time_clear(k.env, &t);
    }
    return study_close(&k, "%ld instants that stick: forces unique %ld, for ever %ld, twice the time too long %ld",
                       made, unique, ever, sharp);
}
