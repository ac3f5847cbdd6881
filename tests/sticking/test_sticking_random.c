// Sticking decisions on random instances against an exact linear program of the tests' own, and every certificate
// against the independent checker. Data are small integers and binary fractions, so ties and redundancy are common.
#include "support/failing_env.h"
#include "support/random_instants.h"
#include "support/rational_lp.h"
#include "support/sanitized.h"
enum { INSTANCES = SANITIZED ? 600 : 10000 };

static void set(mpq_t x, double value) {
    mpq_set_d(x, value);
}

// The conditions as the definition states them, for one choice of signs.
static bool branch_has_point(const random_instant* s, const int* sign) {
    const sti_instant* in = &s->t.instant;
    const int n = in->n;
    int first[TOOL_CONTACTS + 1];
    first[0] = n;
    for (int i = 0; i < in->contact_count; i++) first[i + 1] = first[i] + 1 + in->contacts[i].tangent_count;
    rational_lp lp;
    rational_lp_open(&lp, first[in->contact_count], n + 8 * in->contact_count);
    for (int j = 0; j < n; j++) {
        mpq_t* row = rational_lp_add(&lp, true);
        set(row[0], in->F[j]);
        for (int k = 0; k < n; k++) set(row[1 + k], in->M[j * n + k]);
        for (int i = 0; i < in->contact_count; i++) {
            set(row[1 + first[i]], -in->contacts[i].n[j]);
            for (int k = 0; k < in->contacts[i].tangent_count; k++)
                set(row[2 + first[i] + k], -in->contacts[i].t[k * n + j]);
        }
    }
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        const bool slides = c->state == STI_INSTANT_SLIDE;
        for (int k = 0; k <= (slides ? 0 : c->tangent_count); k++) {
            mpq_t* row = rational_lp_add(&lp, true);
            set(row[0], k == 0 ? c->n_rate : c->t_rate[k - 1]);
            for (int j = 0; j < n; j++) set(row[1 + j], k == 0 ? c->n[j] : c->t[(k - 1) * n + j]);
        }
        const int side = c->bilateral ? sign[i] : 1;
        if (side != 0) set(rational_lp_add(&lp, false)[1 + first[i]], side);
        const bool rough = c->mu > 0 && c->tangent_count > 0;
        if (rough && slides) {
            double slip = 0;
            for (int j = 0; j < n; j++) slip += c->t[j] * in->v[j];
            mpq_t* row = rational_lp_add(&lp, true);
            set(row[2 + first[i]], 1);
            set(row[1 + first[i]], side * c->mu * (slip > 0 ? 1 : -1));
        } else if (rough) {
            const int corners = c->tangent_count == 1 ? 2 : 4;
            for (int k = 0; k < corners; k++) {  // mu |lambda_n| +- lambda_t1 +- lambda_t2 >= 0
                mpq_t* row = rational_lp_add(&lp, false);
                set(row[1 + first[i]], side * c->mu);
                set(row[2 + first[i]], k % 2 ? 1 : -1);
                if (corners == 4) set(row[3 + first[i]], k / 2 ? 1 : -1);
            }
        } else {
            for (int k = 0; k < c->tangent_count; k++) set(rational_lp_add(&lp, true)[2 + first[i] + k], 1);
        }
    }
    const bool feasible = rational_lp_feasible(&lp);
    rational_lp_close(&lp);
    return feasible;
}

static bool has_point(const random_instant* s) {
    for (int choice = 0; choice < 1 << s->choice_count; choice++) {
        int sign[TOOL_CONTACTS] = {0};
        for (int k = 0; k < s->choice_count; k++) sign[s->choices[k]] = choice >> k & 1 ? -1 : 1;
        if (branch_has_point(s, sign)) return true;
    }
    return false;
}

static void sticking_agrees_with_an_exact_linear_program_and_every_proof_is_accepted(void** state) {
    (void)state;
    sti_rng rng = {20200415};
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    int sticks = 0, leaves = 0, branched = 0;
    for (int trial = 0; trial < INSTANCES; trial++) {
        random_instant s;
        random_instant_make(&s, &rng);
        const bool expected = has_point(&s);
        sti_sticking_options options = sti_sticking_options_default();
        options.facets = s.facets;
        options.family = options.propositions = false;
        sti_sticking* r;
        assert_int_equal(sti_sticking_create(env, &s.t.instant, &options, &r), STI_OK);
        const sti_sticking_outcome outcome = r->answer.outcome;
        if (outcome != (expected ? STI_STICKING_YES : STI_STICKING_NO))
            fail_msg("instance %d: %s, expected %d", trial, sti_sticking_outcome_text(outcome), expected);
        sti_sticking_verification check;
        assert_int_equal(sti_verify_sticking(env, &s.t.instant, &r->answer, 1e-9, &check), STI_OK);
        if (!check.accepted) fail_msg("instance %d: %s", trial, check.text);
        assert_true(check.exact && r->answer.exact);
        sticks += expected;
        leaves += r->answer.leaf_count;
        branched += r->answer.leaf_count > 1;
        sti_sticking_destroy(r);
    }
    // both answers are common, and so are proofs by cases
    assert_in_range(sticks, INSTANCES / 5, INSTANCES * 4 / 5);
    assert_true(branched > INSTANCES / 100);
    print_message("%d instances: %d stick, %d leaves, %d proofs by cases\n", INSTANCES, sticks, leaves, branched);
    sti_env_destroy(env);
}

// Discs in space: sticking in the pyramid inside implies it, sticking implies it for a pyramid outside, every proof is
// accepted, and next to nothing is left open although most of these instances are degenerate.
static void discs_agree_with_pyramids_inside_and_outside(void** state) {
    (void)state;
    sti_rng rng = {4711};
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    int count[4] = {0};
    for (int trial = 0; trial < INSTANCES / 2; trial++) {
        random_instant s;
        random_instant_make(&s, &rng);
        if (s.facets == 0) continue;
        sti_sticking_options options = sti_sticking_options_default();
        options.family = options.propositions = false;
        sti_sticking* r;
        sti_sticking_verification check;
        assert_int_equal(sti_sticking_create(env, &s.t.instant, &options, &r), STI_OK);
        assert_int_equal(sti_verify_sticking(env, &s.t.instant, &r->answer, 1e-9, &check), STI_OK);
        const sti_sticking_outcome outcome = r->answer.outcome;
        if (outcome != STI_STICKING_UNKNOWN && !check.accepted) fail_msg("instance %d: %s", trial, check.text);
        count[outcome]++;
        if (has_point(&s)) assert_int_not_equal(outcome, STI_STICKING_NO);
        for (int i = 0; i < s.t.instant.contact_count; i++) s.t.contact[i].mu *= 1.5;  // more than sqrt(2)
        if (!has_point(&s)) assert_int_not_equal(outcome, STI_STICKING_YES);
        sti_sticking_destroy(r);
    }
    assert_true(count[STI_STICKING_YES] > INSTANCES / 50 && count[STI_STICKING_NO] > INSTANCES / 100);
    assert_true(count[STI_STICKING_UNKNOWN] + count[STI_STICKING_LIMIT] <= 1 + INSTANCES / 500);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sticking_agrees_with_an_exact_linear_program_and_every_proof_is_accepted),
        cmocka_unit_test(discs_agree_with_pyramids_inside_and_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
