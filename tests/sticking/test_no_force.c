// test_no_force.c: no force within the bounds makes all contacts stick, and why: the witness of sti_sticking_force.
#include <math.h>
#include <stiction/sticking.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/near.h"
#include "support/open_env.h"
#include "support/random.h"

enum { N = 3, MOST = 3 };

typedef struct made {
    double M[N * N], F[N], v[N], n[MOST][N], t[MOST][2 * N], zero[2];
    sti_instant_contact contact[MOST];
    sti_instant instant;
} made;

static void make(sti_rng* rng, bool space, made* m) {
    *m = (made){0};
    double L[N * N];
    for (int i = 0; i < N * N; i++) L[i] = symmetric(rng);
    for (int i = 0; i < N * N; i++) {
        for (int k = 0; k < N; k++) m->M[i] += L[i / N * N + k] * L[i % N * N + k];
        m->M[i] += i % (N + 1) == 0 ? 0.2 : 0;
    }
    const int count = sti_rng_int(rng, 1, MOST - 1);
    for (int c = 0; c < count; c++) {
        for (int j = 0; j < N; j++) {
            m->n[c][j] = symmetric(rng);
            m->t[c][j] = symmetric(rng);
            m->t[c][N + j] = symmetric(rng);
        }
        m->contact[c] = (sti_instant_contact){.name = c == 0 ? "a" : "b",
                                              .mu = between(rng, 0.1, 1),
                                              .tangent_count = space && count == 1 ? 2 : 1,
                                              .n = m->n[c],
                                              .t = m->t[c],
                                              .t_rate = m->zero};
        m->contact[c].mu_kinetic = m->contact[c].mu;
        m->instant.tangent_total += m->contact[c].tangent_count;
    }
    for (int j = 0; j < N; j++) m->F[j] = 3 * symmetric(rng);
    m->instant.n = N;
    m->instant.contact_count = count;
    m->instant.M = m->M;
    m->instant.F = m->F;
    m->instant.v = m->v;
    m->instant.contacts = m->contact;
}

// A point of weight 10 on the floor, pulled by 3 and helped by at most 1: with mu = 0.1 the best help leaves (2, 10),
// and the cone is (2 - 1) / sqrt(1 + mu^2) away.
static void the_gap_of_a_pulled_point_is_its_distance_from_the_cone(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, F[3] = {-3, 0, 10}, v[3] = {0}, n[3] = {0, 0, 1};
    const double t[6] = {1, 0, 0, 0, 1, 0}, zero[2] = {0}, low[3] = {-1, -1, 0}, high[3] = {1, 1, 0};
    const sti_instant_contact floor = {
        .name = "floor", .mu = 0.1, .mu_kinetic = 0.1, .tangent_count = 2, .n = n, .t = t, .t_rate = zero};
    const sti_instant in = {.n = 3, .contact_count = 1, .tangent_total = 2, .M = M, .F = F, .v = v, .contacts = &floor};
    const sti_force_choice choice = {.count = 3, .low = low, .high = high};
    sti_force_answer a;
    assert_int_equal(sti_sticking_force(env, &in, NULL, &choice, &a), STI_OK);
    assert_int_equal(a.outcome, STI_CONIC_INFEASIBLE);
    assert_non_null(a.y);
    const double far = 1 / sqrt(1.01);
    assert_near(a.gap, far * far, 1e-6);
    assert_near(hypot(a.y[0], a.y[2]), far, 1e-6);
    assert_near(a.worst[0], 1, 1e-6);
    // what was changed is refused
    bool accepted;
    a.y[0] = -a.y[0];
    assert_int_equal(sti_verify_no_force(env, &in, NULL, &choice, &a, 1e-7, &accepted), STI_OK);
    assert_false(accepted);
    a.y[0] = -a.y[0];
    const double more[3] = {3, 1, 0};
    const sti_force_choice wider = {.count = 3, .low = low, .high = more};
    assert_int_equal(sti_verify_no_force(env, &in, NULL, &wider, &a, 1e-7, &accepted), STI_OK);
    assert_false(accepted);
    sti_force_answer_clear(env, &a);
    sti_env_destroy(env);
}

// Against the decision itself, at forces of the box: where there is a witness no force sticks, where some force sticks
// there is none.
static void random_witnesses_agree_with_the_decision_inside_the_box(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 21};
    int witnesses = 0, solved = 0, without = 0;
    sti_sticking_options o = sti_sticking_options_default();
    o.family = o.propositions = false;
    for (int k = 0; k < 1000; k++) {
        made m;
        make(&rng, k % 2 == 0, &m);
        double low[N], high[N];
        for (int j = 0; j < N; j++) low[j] = between(&rng, -1, 0), high[j] = between(&rng, 0, 1);
        const sti_force_choice choice = {.count = N, .low = low, .high = high};
        sti_force_answer a;
        assert_int_equal(sti_sticking_force(env, &m.instant, &o, &choice, &a), STI_OK);
        solved += a.outcome == STI_CONIC_SOLVED;
        if (a.outcome == STI_CONIC_INFEASIBLE) {
            if (a.y != NULL)
                witnesses++;
            else
                without++;
            for (int trial = 0; trial < (k < 200 ? 4 : 1); trial++) {
                double F[N];
                for (int j = 0; j < N; j++) F[j] = m.F[j] + between(&rng, low[j], high[j]);
                sti_instant in = m.instant;
                in.F = F;
                double along = 0;
                for (int j = 0; j < N && a.y != NULL; j++) along += a.y[j] * F[j];
                if (a.y != NULL) assert_true(along > 0);
                sti_sticking* s;
                assert_int_equal(sti_sticking_create(env, &in, &o, &s), STI_OK);
                assert_int_not_equal(s->answer.outcome, STI_STICKING_YES);
                sti_sticking_destroy(s);
            }
        }
        sti_force_answer_clear(env, &a);
    }
    print_message("%d witnesses, %d without, %d with a force\n", witnesses, without, solved);
    assert_true(witnesses > 20 * without && witnesses > 100 && solved > 100);
    sti_env_destroy(env);
}

// A bound that is open on one side: the witness must not pull there at all, and rounding pulls a little.
static void an_open_bound_leaves_a_witness(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double M[9] = {2, 0, 0, 0, 3, 0, 0, 0, 1}, F[3] = {0, 20, 8}, v[3] = {0}, n[3] = {2, 2, 2};
    const double t[6] = {-1, 0, -1, 2, -2, 0}, rate[2] = {-1, -6};
    const double low[3] = {-0.5, -1.5, -1}, high[3] = {1, 1.5, INFINITY};
    const sti_instant_contact wall = {.name = "wall", .tangent_count = 2, .n = n, .t = t, .n_rate = 6, .t_rate = rate};
    const sti_instant in = {.n = 3, .contact_count = 1, .tangent_total = 2, .M = M, .F = F, .v = v, .contacts = &wall};
    const sti_force_choice choice = {.count = 3, .low = low, .high = high};
    sti_force_answer a;
    assert_int_equal(sti_sticking_force(env, &in, NULL, &choice, &a), STI_OK);
    assert_int_equal(a.outcome, STI_CONIC_INFEASIBLE);
    assert_non_null(a.y);
    assert_true(a.y[2] >= 0);  // below 0 is the open side
    assert_true(a.gap > 1e-3);
    sti_force_answer_clear(env, &a);
    sti_env_destroy(env);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_rng rng = {.state = 21};
        made m;
        make(&rng, true, &m);
        const double low[N] = {-1e-3, 0, 0}, high[N] = {1e-3, 0, 0};
        const sti_force_choice choice = {.count = N, .low = low, .high = high};
        sti_force_answer a;
        bool accepted;
        sti_status status = sti_sticking_force(f.env, &m.instant, NULL, &choice, &a);
        if (status == STI_OK) {
            status = sti_verify_no_force(f.env, &m.instant, NULL, &choice, &a, 1e-7, &accepted);
            sti_force_answer_clear(f.env, &a);
        }
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gap_of_a_pulled_point_is_its_distance_from_the_cone),
        cmocka_unit_test(random_witnesses_agree_with_the_decision_inside_the_box),
        cmocka_unit_test(an_open_bound_leaves_a_witness),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
