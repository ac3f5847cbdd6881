// Sticking decisions on random instances against an exact linear program of the tests' own, and every certificate
// against the independent checker. Data are small integers and binary fractions, so ties and redundancy are common.
#include "analyze/instant_tools.h"
#include "analyze/rational_lp.h"
#include "support/sanitized.h"
// clang-format off
#include <math.h>
#include "base/rng.h"
// clang-format on

enum { INSTANCES = SANITIZED ? 600 : 10000 };

typedef struct stage {
    tool_instant t;
    int facets;
    int choices[TOOL_CONTACTS], choice_count;
} stage;

static const double coefficients[] = {0, 0.25, 0.5, 0.5, 1, 2};

static void make_mass(stage* s, sti_rng* rng) {
    const int n = s->t.instant.n, kind = sti_rng_int(rng, 0, 3);
    for (int j = 0; j < n; j++) s->t.M[j * n + j] = sti_rng_int(rng, kind == 0 ? 0 : 1, 3);
    if (kind != 3) return;
    double v[TOOL_N];  // a semidefinite matrix of rank one added
    for (int j = 0; j < n; j++) v[j] = sti_rng_int(rng, -1, 1);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) s->t.M[j * n + k] += v[j] * v[k];
}

// F and the rates come from accelerations and forces, so that many instances have solutions, then are often disturbed.
static void make_load(stage* s, sti_rng* rng) {
    sti_instant* in = &s->t.instant;
    const int n = in->n;
    double a[TOOL_N];
    const bool at_rest = sti_rng_int(rng, 0, 1) == 0;
    for (int j = 0; j < n; j++) a[j] = at_rest ? 0 : sti_rng_int(rng, -2, 2);
    for (int j = 0; j < n; j++) {
        s->t.F[j] = 0;
        for (int k = 0; k < n; k++) s->t.F[j] -= s->t.M[j * n + k] * a[k];
    }
    for (int i = 0; i < in->contact_count; i++) {
        sti_instant_contact* c = &s->t.contact[i];
        const double normal = sti_rng_int(rng, c->bilateral ? -4 : 0, 4);
        c->n_rate = 0;
        for (int j = 0; j < n; j++) {
            c->n_rate -= s->t.n[i][j] * a[j];
            s->t.F[j] += s->t.n[i][j] * normal;
        }
        for (int k = 0; k < c->tangent_count; k++) {
            const double force = c->mu * fabs(normal) * sti_rng_int(rng, -2, 2) / (k == 0 ? 2 : 4);
            s->t.t_rate[i][k] = 0;
            for (int j = 0; j < n; j++) {
                s->t.t_rate[i][k] -= s->t.t[i][k * n + j] * a[j];
                s->t.F[j] += s->t.t[i][k * n + j] * force;
            }
        }
    }
    const int disturb = sti_rng_int(rng, 0, 5);
    for (int k = 1; k < disturb; k++) s->t.F[sti_rng_int(rng, 0, n - 1)] += sti_rng_int(rng, -4, 4);
    if (disturb == 5) s->t.contact[0].n_rate += sti_rng_int(rng, -1, 1);
}

static void make(stage* s, sti_rng* rng) {
    const bool spatial = sti_rng_int(rng, 0, 2) == 0;
    const int n = sti_rng_int(rng, 1, 4), contacts = sti_rng_int(rng, 1, spatial ? 3 : 4);
    tool_open(&s->t, n);
    s->facets = spatial ? 4 : 0;
    s->choice_count = 0;
    make_mass(s, rng);
    for (int j = 0; j < n; j++) s->t.v[j] = sti_rng_int(rng, -2, 2);
    for (int i = 0; i < contacts; i++) {
        const double mu = coefficients[sti_rng_int(rng, 0, 5)];
        const bool bilateral = sti_rng_int(rng, 0, 4) == 0;
        const int tangents = sti_rng_int(rng, 0, 7) == 0 ? 0 : spatial ? 2 : 1;
        sti_instant_contact* c = tool_contact(&s->t, bilateral, tangents, mu);
        bool zero = true;
        for (int j = 0; j < n; j++) {
            s->t.n[i][j] = sti_rng_int(rng, -2, 2);
            zero = zero && s->t.n[i][j] == 0;
        }
        if (zero) s->t.n[i][0] = 1;
        for (int j = 0; j < tangents * n; j++) s->t.t[i][j] = sti_rng_int(rng, -2, 2);
        if (i > 0 && sti_rng_int(rng, 0, 3) == 0) {  // the same contact twice, or its mirror
            const int sign = sti_rng_int(rng, 0, 1) ? 1 : -1;
            for (int j = 0; j < n; j++) s->t.n[i][j] = sign * s->t.n[i - 1][j];
            if (tangents <= s->t.contact[i - 1].tangent_count) memcpy(s->t.t[i], s->t.t[i - 1], sizeof s->t.t[i]);
        }
        if (tangents == 1 && sti_rng_int(rng, 0, 9) == 0) {  // slides
            double slip = 0;
            for (int j = 0; j < n; j++) slip += s->t.v[j] * s->t.t[i][j];
            c->state = slip != 0 ? STI_INSTANT_SLIDE : STI_INSTANT_STICK;
        } else {
            c->state = STI_INSTANT_STICK;
        }
        if (bilateral && tangents > 0 && mu > 0) s->choices[s->choice_count++] = i;
    }
    make_load(s, rng);
}

static void set(mpq_t x, double value) {
    mpq_set_d(x, value);
}

// The conditions as the definition states them, for one choice of signs.
static bool branch_has_point(const stage* s, const int* sign) {
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

static bool has_point(const stage* s) {
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
        stage s;
        make(&s, &rng);
        const bool expected = has_point(&s);
        sti_sticking_options options = sti_sticking_options_default();
        options.facets = s.facets;
        options.family = options.propositions = false;
        sti_sticking* r;
        assert_int_equal(sti_sticking_analyze(env, &s.t.instant, &options, &r), STI_OK);
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
        stage s;
        make(&s, &rng);
        if (s.facets == 0) continue;
        sti_sticking_options options = sti_sticking_options_default();
        options.family = options.propositions = false;
        sti_sticking* r;
        sti_sticking_verification check;
        assert_int_equal(sti_sticking_analyze(env, &s.t.instant, &options, &r), STI_OK);
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
