// Claims about sticking, changed in one place: the check must see it. Of every proposition that the analysis answers, each verdict is
// turned, and each number is moved by a tenth, in the small instants of problems/ and in random ones.
#include "analyze/random_instants.h"
#include "support/failing_env.h"
#include "support/sanitized.h"
// clang-format off
#include <math.h>
#include <stiction/io.h>
#include <unistd.h>
// clang-format on
#include "support/group_env.h"

static const char* const files[] = {"s0_two_feet", "s0_tipping", "s0_rates_contradict", "s0_couplings", "s0_groove",
                                    "s0_squeezed", "s0_plank",   "s0_rest",             "s0_natural_bar", "s0_object_finger"};
enum { FILES = SANITIZED ? 6 : (int)(sizeof files / sizeof files[0]), RANDOM = SANITIZED ? 6 : 60 };

static bool accepts(const sti_instant* in, const sti_sticking_answer* answer) {
    sti_sticking_verification v;
    assert_int_equal(sti_verify_sticking(env, in, answer, 1e-9, &v), STI_OK);
    return v.accepted;
}

// Moves every entry of a number in turn; how many of these changes pass.
static int passed(const char* where, const sti_instant* in, const sti_sticking_answer* answer, const sti_proposition* p, const sti_named* v) {
    const int count = v->rows * v->cols;
    double scale = 0;
    int passes = 0;
    for (int i = 0; i < count; i++)
        if (isfinite(v->value[i])) scale = fmax(scale, fabs(v->value[i]));
    for (int i = 0; i < count; i++) {
        const double kept = v->value[i];
        const bool whole = v->form == STI_NAMED_TRUTH || v->form == STI_NAMED_MODES;
        v->value[i] = !isfinite(kept) ? 1 : whole ? (double)(((int)kept + 1) % (v->form == STI_NAMED_TRUTH ? 2 : 3)) : kept + 0.1 * (scale > 1e-9 ? scale : 1);
        if (accepts(in, answer)) { passes++; if (!strcmp(where,"random 5") || !strcmp(where,"random 0")) for (int q=0;q<in->contact_count;q++) { const sti_instant_contact*c=&in->contacts[q]; printf("c%d bil %d mu %g tc %d n", q, c->bilateral, c->mu, c->tangent_count); for (int j=0;j<in->n;j++) printf(" %g", c->n[j]); printf(" t"); for (int j=0;j<in->n*c->tangent_count;j++) printf(" %g", c->t[j]); printf(" F"); for (int j=0;j<in->n;j++) printf(" %g", in->F[j]); printf(" v"); for (int j=0;j<in->n;j++) printf(" %g", in->v[j]); puts(""); } printf("PASS %s %s %s [%d] %g -> %g\n", where, p->id, v->name, i, kept, v->value[i]); }
        v->value[i] = kept;
    }
    return passes;
}

static void change(const char* where, const sti_instant* in, const sti_sticking_answer* answer) {
    for (int i = 0; i < answer->proposition_count; i++) {
        sti_proposition* p = &answer->propositions[i];
        const sti_holds verdict = p->verdict;
        for (int w = 0; w < 3; w++) {
            p->verdict = (sti_holds)w;
            if (p->verdict != verdict && verdict != STI_HOLDS_UNKNOWN && accepts(in, answer)) printf("PASSV %s %s %d -> %d\n", where, p->id, verdict, w);
        }
        p->verdict = verdict;
        for (int k = 0; k < p->number_count; k++) passed(where, in, answer, p, &p->numbers[k]);
    }
}

static void look(const char* where, const sti_instant* in, int facets) {
    sti_sticking_options options = sti_sticking_options_default();
    options.facets = facets;
    sti_sticking* r;
    assert_int_equal(sti_sticking_analyze(env, in, &options, &r), STI_OK);
    if (accepts(in, &r->answer)) change(where, in, &r->answer);
    else printf("REJ %s\n", where);
    sti_sticking_destroy(r);
}

static void every_number_of_an_answer_counts(void** state) {
    (void)state;
    for (int i = 0; i < FILES; i++) {
        char path[200];
        sti_problem* p;
        snprintf(path, sizeof path, "%s/problems/%s.json", STI_SOURCE_DIR, files[i]);
        assert_int_equal(sti_problem_load(env, path, &p), STI_OK);
        look(files[i], sti_problem_instant(p), 0);
        sti_problem_destroy(p);
    }
    sti_rng rng = {20261118};
    for (int i = 0; i < RANDOM; i++) {
        random_instant s;
        random_instant_make(&s, &rng);
        char name[40];
        snprintf(name, sizeof name, "random %d", i);
        look(name, &s.t.instant, s.facets);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_number_of_an_answer_counts)};
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
