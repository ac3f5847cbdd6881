// Claims about sticking, changed in one place: the check must see it. Of every proposition that the analysis answers,
// each verdict is turned and each number is moved by a tenth, in instants of problems/ and in random ones; of the
// opening of contacts, each part.
#include <math.h>
#include <stiction/io.h>
#include <unistd.h>

#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/random_instants.h"
#include "support/sanitized.h"

static const char* const files[] = {"s0_two_feet",  "s0_rest",   "s0_tipping",  "s0_plank",       "s0_rates_contradict",
                                    "s0_couplings", "s0_groove", "s0_squeezed", "s0_natural_bar", "s0_object_finger"};
enum { FILES = SANITIZED ? 4 : (int)(sizeof files / sizeof files[0]), RANDOM = SANITIZED ? 5 : 60 };

typedef struct claim {
    const char* where;
    const sti_instant* in;
    sti_sticking_answer* answer;
    bool discs;  // in space
} claim;

static bool is_accepted(const claim* c) {
    sti_sticking_verification v;
    assert_int_equal(sti_verify_sticking(group_env, c->in, c->answer, 1e-9, &v), STI_OK);
    return v.accepted;
}

static bool is_one_of(const char* const* list, size_t count, const char* id, const char* name) {
    char both[80];
    snprintf(both, sizeof both, "%s %s", id, name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], both) == 0) return true;
    return false;
}

// Points, motions and rays: another one may serve as well.
static bool is_witness(const char* id, const char* name) {
    static const char* const list[] = {"MFCQ v",      "P7 a",         "P1.ii witness", "P8.i x_rays",
                                       "P8.i y_rays", "P8.i x_lines", "P8.i y_lines",  "P10 z_polygon",
                                       "P10 z_disc",  "E69 lambda",   "P13 lambda"};
    return is_one_of(list, sizeof list / sizeof list[0], id, name);
}

// Options given back; what is not judged where a contact slides, and of discs.
static bool is_left_open(const claim* c, const char* id, const char* name) {
    static const char* const options[] = {"P11 force_limit", "P4.i lipschitz"};
    static const char* const sliding[] = {"P1.ii solvable_for_given_F"};
    static const char* const discs[] = {"P11 attained", "P11 mu_min_own"};
    const sti_proposition* first = &c->answer->propositions[0];
    return is_one_of(options, 2, id, name) ||
           (first->verdict == STI_NOT_APPLICABLE && is_one_of(sliding, 1, id, name)) ||
           (c->discs && is_one_of(discs, 2, id, name));
}

static double moved(const sti_named* v, double kept, double scale) {
    if (v->form == STI_NAMED_MODES) return 7;
    if (!isfinite(kept)) return 1;
    if (v->form == STI_NAMED_TRUTH) return kept == 0;
    return kept + 0.1 * (scale > 1e-9 ? scale : 1);
}

static void every_entry_counts(const claim* c, const sti_proposition* p, const sti_named* v) {
    const bool witness = is_witness(p->id, v->name);
    double scale = 0;
    for (int i = 0; i < v->rows * v->cols; i++)
        if (isfinite(v->value[i])) scale = fmax(scale, fabs(v->value[i]));
    for (int i = 0; i < v->rows * v->cols; i++) {
        const double kept = v->value[i];
        v->value[i] = witness ? (double)NAN : moved(v, kept, scale);
        if (is_accepted(c))
            fail_msg("%s: %s %s[%d]: %g instead of %g is accepted", c->where, p->id, v->name, i, v->value[i], kept);
        v->value[i] = kept;
    }
}

static void the_verdict_counts(const claim* c, sti_proposition* p) {
    const sti_holds kept = p->verdict;
    // within rounding of the bounds the least-norm multipliers, which are doubles, do not tell
    const bool near = strcmp(p->id, "P5") == 0;
    for (int k = STI_NOT_APPLICABLE; k <= STI_HOLDS_NOT; k++) {
        p->verdict = (sti_holds)k;
        if (k != (int)kept && kept != STI_HOLDS_UNKNOWN && !(near && k != STI_NOT_APPLICABLE) && is_accepted(c))
            fail_msg("%s: %s: \"%s\" instead of \"%s\" is accepted", c->where, p->id, sti_holds_text(p->verdict),
                     sti_holds_text(kept));
    }
    p->verdict = kept;
}

static void every_proposition_counts(const claim* c) {
    for (int i = 0; i < c->answer->proposition_count; i++) {
        sti_proposition* p = &c->answer->propositions[i];
        the_verdict_counts(c, p);
        for (int k = 0; k < p->number_count; k++)
            if (!is_left_open(c, p->id, p->numbers[k].name)) every_entry_counts(c, p, &p->numbers[k]);
    }
}

// ---- opening

static void every_double_counts(const claim* c, const char* name, double* value, int count) {
    for (int i = 0; value != NULL && i < count; i++) {
        const double kept = value[i];
        value[i] = NAN;
        const bool nothing = is_accepted(c);
        value[i] = kept + 0.1 * fmax(1, fabs(kept));
        if (nothing || is_accepted(c)) fail_msg("%s: opening: %s[%d] may be anything", c->where, name, i);
        value[i] = kept;
    }
}

static void every_part_of_the_opening_counts(const claim* c) {
    sti_opening* o = &c->answer->opening;
    const sti_opening kept = *o;
    if (!o->asked) return;
    every_double_counts(c, "a", o->a, c->answer->n);
    every_double_counts(c, "a_n", o->a_n, c->answer->contact_count);
    if (o->outcome == STI_STICKING_YES) every_double_counts(c, "lambda", o->lambda, c->answer->multiplier_count);
    for (int i = 0; o->opens != NULL && i < c->answer->contact_count; i++) {
        o->opens[i] = !o->opens[i];
        if (is_accepted(c)) fail_msg("%s: contact %d may open or not", c->where, i);
        o->opens[i] = !o->opens[i];
    }
    if (kept.outcome != STI_STICKING_YES && kept.outcome != STI_STICKING_NO) return;
    o->outcome = kept.outcome == STI_STICKING_YES ? STI_STICKING_NO : STI_STICKING_YES;
    if (is_accepted(c)) fail_msg("%s: (60) may hold or not", c->where);
    *o = kept;
    o->contact_problem = kept.contact_problem == STI_SOLVED ? STI_NO_SOLUTION : STI_SOLVED;
    if (is_accepted(c)) fail_msg("%s: (43) may have a solution or not", c->where);
    *o = kept;
    o->farkas = o->descent = NULL;
    o->farkas_exact = o->descent_exact = NULL;
    if (kept.contact_problem == STI_NO_SOLUTION && is_accepted(c)) fail_msg("%s: (43) needs no proof", c->where);
    *o = kept;
    o->leaf_count = 0;
    if (kept.leaf_count > 0 && is_accepted(c)) fail_msg("%s: (60) needs no proof", c->where);
    *o = kept;
}

// ---- the instants

static sti_sticking* analyze(const sti_instant* in, int facets) {
    sti_sticking_options options = sti_sticking_options_default();
    sti_sticking* r;
    options.facets = facets;
    assert_int_equal(sti_sticking_create(group_env, in, &options, &r), STI_OK);
    return r;
}

static void look_at(const char* where, const sti_instant* in, int facets) {
    sti_sticking* r = analyze(in, facets);
    claim c = {.where = where, .in = in, .answer = &r->answer};
    sti_sticking_verification v;
    assert_int_equal(sti_verify_sticking(group_env, in, &r->answer, 1e-9, &v), STI_OK);
    if (!v.accepted) fail_msg("%s: %s", where, v.text);
    for (int i = 0; i < in->contact_count; i++)
        c.discs = c.discs || (facets == 0 && in->contacts[i].tangent_count == 2);
    every_part_of_the_opening_counts(&c);
    if (v.numbers_checked > 0) every_proposition_counts(&c);
    sti_sticking_destroy(r);
}

static void every_number_of_an_answer_counts(void** state) {
    (void)state;
    for (int i = 0; i < FILES; i++) {
        char path[400];
        sti_document* p;
        snprintf(path, sizeof path, "%s/problems/%s.json", STI_SOURCE_DIR, files[i]);
        assert_int_equal(sti_document_load(group_env, path, &p), STI_OK);
        look_at(files[i], sti_instant_of(p), 0);
        sti_document_destroy(p);
    }
}

static void also_of_random_instants(void** state) {
    (void)state;
    sti_rng rng = {20261118};
    for (int i = 0; i < RANDOM; i++) {
        random_instant s;
        char name[40];
        random_instant_make(&s, &rng);
        snprintf(name, sizeof name, "random instant %d", i);
        look_at(name, &s.t.instant, s.facets);
    }
}

// A block on one corner, mu = 0.05: A_c > 0, so that lambda of (43) is unique, and it is outside its disc. To say that
// contacts stick or open by (60) was once an answer that passed.
static void make_tilted_block(tool_instant* t) {
    tool_open(t, 3);
    tool_mass(t, (double[]){1, 1, 0.4});
    t->F[1] = 9.81;
    tool_contact(t, false, 1, 0.05);
    memcpy(t->n[0], (double[]){0, 1, -0.2}, 3 * sizeof(double));
    memcpy(t->t[0], (double[]){1, 0, 0.9}, 3 * sizeof(double));
}

static void a_unique_lambda_outside_its_disc_does_not_stick(void** state) {
    (void)state;
    tool_instant t;
    make_tilted_block(&t);
    sti_sticking* r = analyze(&t.instant, 0);
    const claim c = {.where = "tilted block", .in = &t.instant, .answer = &r->answer};
    sti_opening* o = &r->answer.opening;
    assert_int_equal(o->contact_problem, STI_SOLVED);
    assert_int_equal(o->outcome, STI_STICKING_NO);
    assert_true(is_accepted(&c));
    o->outcome = STI_STICKING_YES;
    for (int i = 0; i < r->answer.proposition_count; i++) {
        sti_proposition* p = &r->answer.propositions[i];
        if (strncmp(p->id, "P9", 2) == 0 || strcmp(p->id, "P10") == 0) p->verdict = STI_HOLDS;
    }
    assert_false(is_accepted(&c));
    o->exact = false;
    assert_false(is_accepted(&c));
    o->lambda_exact = NULL;
    assert_false(is_accepted(&c));
    sti_sticking_destroy(r);
}

static void a_table_that_is_no_table_is_rejected(void** state) {
    (void)state;
    tool_instant t;
    make_tilted_block(&t);
    sti_sticking* r = analyze(&t.instant, 0);
    const claim c = {.where = "tilted block", .in = &t.instant, .answer = &r->answer};
    sti_proposition* p = r->answer.propositions;
    const sti_proposition kept = p[1];
    p[1].id = "P99";
    assert_false(is_accepted(&c));
    p[1] = p[0];
    assert_false(is_accepted(&c));
    p[1] = kept;
    const sti_proposition* least = sti_proposition_find(p, r->answer.proposition_count, "P11");
    sti_named* mu = (sti_named*)sti_proposition_number(least, "mu_min");
    mu->cols = 0;
    assert_false(is_accepted(&c));
    mu->cols = 1;
    assert_true(is_accepted(&c));
    sti_sticking_destroy(r);
}

// ---- files, memory

static void an_answer_comes_back_from_its_file_with_opening_and_propositions(void** state) {
    (void)state;
    char path[] = "/tmp/stiction_sticking_XXXXXX";
    tool_instant t;
    make_tilted_block(&t);
    sti_sticking* r = analyze(&t.instant, 0);
    sti_sticking_answer back;
    sti_sticking_verification there, here;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(sti_sticking_answer_save(group_env, &r->answer, path), STI_OK);
    assert_int_equal(sti_sticking_answer_load(group_env, path, &back), STI_OK);
    assert_int_equal(back.proposition_count, r->answer.proposition_count);
    assert_int_equal(back.opening.outcome, STI_STICKING_NO);
    for (int i = 0; i < back.proposition_count; i++)
        assert_int_equal(back.propositions[i].number_count, r->answer.propositions[i].number_count);
    assert_int_equal(sti_verify_sticking(group_env, &t.instant, &r->answer, 1e-9, &here), STI_OK);
    assert_int_equal(sti_verify_sticking(group_env, &t.instant, &back, 1e-9, &there), STI_OK);
    assert_true(there.accepted);
    assert_int_equal(there.numbers_checked, here.numbers_checked);
    assert_int_equal(there.propositions_checked, here.propositions_checked);
    // that of a file too: one number changed
    const sti_proposition* two = sti_proposition_find(back.propositions, back.proposition_count, "P2");
    sti_proposition_number(two, "lambda_n")->value[0] *= 1.01;
    assert_int_equal(sti_verify_sticking(group_env, &t.instant, &back, 1e-9, &there), STI_OK);
    assert_false(there.accepted);
    sti_sticking_answer_clear(group_env, &back);
    sti_sticking_destroy(r);
    unlink(path);
}

static void failed_allocations_are_reported(void** state) {
    (void)state;
    tool_instant t;
    make_tilted_block(&t);
    sti_sticking* r = analyze(&t.instant, 0);
    for (long k = 0;; k += 1 + k / (SANITIZED ? 4 : 30)) {
        failing_env f;
        sti_sticking_verification v;
        failing_env_open(&f, k);
        const sti_status status = sti_verify_sticking(f.env, &t.instant, &r->answer, 1e-9, &v);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        if (status == STI_OK) assert_true(v.accepted);
        if (failing_env_close(&f)) break;
        assert_int_equal(status, STI_ERR_MEMORY);
    }
    sti_sticking_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_an_answer_counts),
        cmocka_unit_test(also_of_random_instants),
        cmocka_unit_test(a_unique_lambda_outside_its_disc_does_not_stick),
        cmocka_unit_test(a_table_that_is_no_table_is_rejected),
        cmocka_unit_test(an_answer_comes_back_from_its_file_with_opening_and_propositions),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
