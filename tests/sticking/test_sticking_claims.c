// What the analysis of sticking says is what its point or its leaf shows: whatever the size, the forces and the units,
// the independent checker accepts every answer that claims anything, and the others say why.
#include <math.h>
#include <stiction/stiction.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/instant_tools.h"
#include "support/sanitized.h"

typedef struct tally {
    int outcome[4];  // by sti_sticking_outcome
} tally;

static sti_sticking_outcome judge(const sti_instant* in, double gap_tol, tally* seen, const char* what, int number) {
    sti_sticking_options options = sti_sticking_options_default();
    options.family = options.propositions = false;
    options.gap_tol = gap_tol;
    sti_sticking* r;
    sti_sticking_verification v;
    if (sti_sticking_create(group_env, in, &options, &r) != STI_OK) fail_msg("%s", sti_env_error(group_env)->text);
    const sti_sticking_outcome outcome = r->answer.outcome;
    assert_int_equal(sti_verify_sticking(group_env, in, &r->answer, options.tol, &v), STI_OK);
    if (outcome != STI_STICKING_UNKNOWN && !v.accepted)
        fail_msg("%s %d: %s: %s", what, number, sti_sticking_outcome_text(outcome), v.text);
    if (outcome == STI_STICKING_UNKNOWN) {
        assert_true(r->reason[0] != 0 && strcmp(v.text, "nothing is claimed") == 0);
        assert_true(r->answer.leaf_count == 0 && r->answer.lambda == NULL);
    }
    seen->outcome[outcome]++;
    sti_sticking_destroy(r);
    return outcome;
}

// Joints drift by the tolerance of the steps, so the equations of a moving arm agree only up to that.
static void a_moving_arm_is_told_no_more_than_is_proved(void** state) {
    (void)state;
    static const double tolerances[] = {1e-12, 1e-10, 1e-8};
    for (int k = 0; k < 3; k++) {
        sti_document* p;
        sti_world* world;
        tally seen = {{0}};
        assert_int_equal(sti_document_load(group_env, STI_SOURCE_DIR "/scenes/arm-grasp.json", &p), STI_OK);
        const sti_world_scene* s = sti_world_scene_of(p);
        sti_world_options step = s->step;
        step.tol = tolerances[k];
        assert_int_equal(sti_world_create(group_env, s->bodies, &step, &world), STI_OK);
        for (int i = 0; sti_world_time(world) < (SANITIZED ? 0.9 : 1.3); i++) {
            sti_instant* in;
            assert_int_equal(sti_world_step(world, NULL), STI_OK);
            if (sti_world_time(world) < 0.79 || i % 5 != 0) continue;
            assert_int_equal(sti_world_instant(group_env, world, 1e-7, &in), STI_OK);
            assert_true(in->n + in->contact_count + in->tangent_total > 60);
            judge(in, 1e-7, &seen, "step", i);
            sti_instant_destroy(group_env, in);
        }
        if (k < 2) assert_true(seen.outcome[STI_STICKING_UNKNOWN] == 0);
        // the arm holds its block
        if (k == 0) assert_true(seen.outcome[STI_STICKING_YES] > 0 && seen.outcome[STI_STICKING_NO] == 0);
        sti_world_destroy(world);
        sti_document_destroy(p);
    }
}

// ---- random instants of any size

enum { MOST_N = 66, MOST_CONTACTS = 30 };

typedef struct large {
    sti_instant instant;
    sti_instant_contact contact[MOST_CONTACTS];
    double M[MOST_N * MOST_N], F[MOST_N], v[MOST_N], unit[MOST_N];
    double n[MOST_CONTACTS][MOST_N], t[MOST_CONTACTS][2 * MOST_N], t_rate[MOST_CONTACTS][2];
    char name[MOST_CONTACTS][8];
} large;

static double between(sti_rng* rng, double a, double b) {
    return a + (b - a) * sti_rng_u01(rng);
}

// Entries of a direction at the velocities of one body of six, or of two that touch each other.
static void direction(const large* q, sti_rng* rng, int a, int b, double* row) {
    for (int j = 0; j < 6; j++) {
        row[6 * a + j] = between(rng, -1, 1) / q->unit[6 * a + j];
        if (b != a) row[6 * b + j] = between(rng, -1, 1) / q->unit[6 * b + j];
    }
}

static void add_contact(large* q, sti_rng* rng, double force, const double* a, double strain) {
    const int i = q->instant.contact_count++, n = q->instant.n, bodies = n / 6;
    const int one = sti_rng_int(rng, 0, bodies - 1), other = sti_rng_int(rng, 0, bodies - 1);
    sti_instant_contact* c = &q->contact[i];
    const double mu = between(rng, 0.1, 1);
    const bool slides = sti_rng_int(rng, 0, 3) == 0;
    snprintf(q->name[i], sizeof q->name[i], "c%d", i);
    *c = (sti_instant_contact){.name = q->name[i],
                               .bilateral = sti_rng_int(rng, 0, 7) == 0,
                               .mu = mu,
                               .mu_kinetic = mu,
                               .tangent_count = 2,
                               .n = q->n[i],
                               .t = q->t[i],
                               .t_rate = q->t_rate[i],
                               .state = slides ? STI_INSTANT_SLIDE : STI_INSTANT_STICK};
    if (c->bilateral) c->mu = c->mu_kinetic = 0;
    q->instant.tangent_total += 2;
    direction(q, rng, one, other, q->n[i]);
    for (int k = 0; k < 2; k++) direction(q, rng, one, other, q->t[i] + k * n);
    if (i > 0 && sti_rng_int(rng, 0, 3) == 0) {  // as the one before, up to what a step leaves
        const double drift = pow(10, between(rng, -16, -7));
        for (int j = 0; j < n; j++) q->n[i][j] = q->n[i - 1][j] * (1 + drift * between(rng, -1, 1));
        for (int j = 0; j < 2 * n; j++) q->t[i][j] = q->t[i - 1][j] * (1 + drift * between(rng, -1, 1));
    }
    for (int k = 0; k < 3; k++) {
        const double* row = k == 0 ? q->n[i] : q->t[i] + (k - 1) * n;
        double rate = 0;
        const double lambda = force * (k == 0 ? between(rng, 0, 2) : c->mu * between(rng, -strain, strain));
        for (int j = 0; j < n; j++) {
            rate -= row[j] * a[j];
            if (!slides || k == 0) q->F[j] += row[j] * lambda;
        }
        *(k == 0 ? &c->n_rate : &q->t_rate[i][k - 1]) = rate;
    }
}

// Loads come from accelerations and forces that are admissible where strain is below 0.7, then are disturbed by what is
// given.
static void make(large* q, sti_rng* rng, double span, double disturbed) {
    const int bodies = sti_rng_int(rng, 1, MOST_N / 6), n = 6 * bodies;
    const int contacts = sti_rng_int(rng, bodies, 3 * bodies < MOST_CONTACTS ? 3 * bodies : MOST_CONTACTS);
    double a[MOST_N];
    memset(q, 0, sizeof *q);
    q->instant = (sti_instant){.n = n, .M = q->M, .F = q->F, .v = q->v, .contacts = q->contact};
    const double force = pow(10, between(rng, -span, span));
    for (int j = 0; j < n; j++) {
        q->unit[j] = j % 6 == 0 || sti_rng_int(rng, 0, 1) ? pow(10, between(rng, -span, span)) : q->unit[j - 1];
        q->M[j * n + j] = force * between(rng, 0.5, 2) / (q->unit[j] * q->unit[j]);
        a[j] = q->unit[j] * between(rng, -1, 1);
        q->v[j] = q->unit[j] * between(rng, -1, 1);
        q->F[j] = -q->M[j * n + j] * a[j];
    }
    const double strain = between(rng, 0.3, 1.5);
    for (int i = 0; i < contacts; i++) add_contact(q, rng, force, a, strain);
    for (int j = 0; j < n; j++) q->F[j] *= 1 + disturbed * between(rng, -1, 1);
    if (sti_rng_int(rng, 0, 1)) q->F[0] *= 1e6;  // one large force
}

static void random_instants(double span, uint64_t seed, int count, tally* seen, tally* beyond) {
    sti_rng rng = {seed};
    large* q = malloc(sizeof *q);
    assert_non_null(q);
    for (int k = 0; k < count; k++) {
        make(q, &rng, span, k % 3 == 0 ? 0 : pow(10, between(&rng, -12, 0)));
        judge(&q->instant, 0, q->instant.n > 60 ? beyond : seen, "instant", k);
    }
    free(q);
}

static void random_instants_of_every_size_and_unit_are_told_no_more_than_is_proved(void** state) {
    (void)state;
    enum { COUNT = SANITIZED ? 8 : 60 };
    tally all = {{0}}, beyond = {{0}};
    random_instants(0, 1, COUNT, &all, &beyond);
    random_instants(3, 2, COUNT, &all, &beyond);
    random_instants(6, 3, COUNT, &all, &beyond);
    for (int o = 0; o < 4; o++)
        print_message("%s: %d, of more than 60 velocities %d\n", sti_sticking_outcome_text((sti_sticking_outcome)o),
                      all.outcome[o] + beyond.outcome[o], beyond.outcome[o]);
    assert_true(all.outcome[STI_STICKING_YES] > 0 && all.outcome[STI_STICKING_NO] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moving_arm_is_told_no_more_than_is_proved),
        cmocka_unit_test(random_instants_of_every_size_and_unit_are_told_no_more_than_is_proved),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
