// study_contact.c: SEED COUNT [FIRST]: random contact problems, every answer of every solver against what is true.
//
// Problem i is of family i modulo their number (contact_families.h), from a seed of its own; FIRST (0) is the first i.
// Truth is exact (contact_truth.h): whether a motion exists that keeps the contacts closed or opening, and for planar
// problems of up to MODES contacts whether there is a solution at all. Answers are wrong when
//
//     solved        and no motion exists, or no solution does; or the verifier rejects it; or a contact penetrates,
//                   leaves its
//                   cone or works by more than 1e-6 of its own terms, in long double, by arithmetic of its own
//                   (contact_truth.h)
//     no solution   and a motion exists; or the verifier rejects it
//
// The last line has the counts. What `auto` leaves open, in the plane, is looked at with up to MOST_MODES contacts: has
// it a solution? With STI_STUDY_KEEP=FOLDER the wrong ones and those are kept as files. Exit code 1: something is
// wrong.
#include <stdio.h>
#include <stiction/contact.h>
#include <stiction/io.h>

#include "support/contact_families.h"
#include "support/contact_truth.h"

enum { MODES = 3, MOST_MODES = 5 };

typedef struct tally {
    long problems, answers, solved, none, open, wrong;
    long auto_open, open_solvable, open_unsolvable;
} tally;

typedef struct truth {
    bool motion;
    int solvable;  // 1, 0, -1: not known
} truth;

// ---- judging

static void keep(sti_env* env, const sti_contact_problem* p, const char* name) {
    const char* folder = getenv("STI_STUDY_KEEP");
    char path[1024];
    if (folder == NULL) return;
    snprintf(path, sizeof path, "%s/%s.hdf5", folder, name);
    sti_contact_save(env, p, NULL, path);
}

static const char* fault(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a, const truth* known) {
    static char text[320];
    sti_contact_verification v;
    if (a->outcome != STI_SOLVED && a->outcome != STI_NO_SOLUTION) return NULL;
    if (sti_verify_contact(env, p, a, 1e-8, &v) != STI_OK) return sti_env_error(env)->text;
    if (!v.accepted) {
        snprintf(text, sizeof text, "verify rejects: %s", v.text);
        return text;
    }
    if (a->outcome == STI_NO_SOLUTION) return known->motion ? "no solution, but a motion exists" : NULL;
    if (!known->motion) return "solved, but there is no motion that keeps the contacts closed or opening";
    if (known->solvable == 0) return "solved, but no mode has a solution";
    const long double worst = truth_violation(p, a);
    if (!(worst <= 1e-6L)) {
        snprintf(text, sizeof text, "solved, but a contact violates the law by %.2Lg of its own terms", worst);
        return text;
    }
    return NULL;
}

typedef struct subject {
    contact_case k;
    int which;
    unsigned long long seed;
    truth known;
} subject;

// Has what `auto` left open a solution? Looked at only where it has not been before, and in the plane.
static void count_open(sti_env* env, subject* x, tally* t) {
    const sti_contact_problem* p = &x->k.p;
    if (x->known.solvable < 0 && p->dimension == 2 && p->contact_count <= MOST_MODES)
        x->known.solvable = truth_solvable(env, p);
    t->auto_open++;
    t->open_solvable += x->known.solvable == 1;
    t->open_unsolvable += x->known.solvable == 0;
    if (x->known.solvable == 1) {
        char name[160];
        snprintf(name, sizeof name, "open_%llu_%s", x->seed, family_text(x->which));
        keep(env, p, name);
    }
}

static void try_solver(sti_env* env, subject* x, sti_contact_solver solver, tally* t) {
    const char *kind = family_text(x->which), *text = sti_contact_solver_text(solver);
    sti_contact_options o = sti_contact_options_default();
    sti_contact_answer a;
    o.solver = solver;
    if (solver != STI_CONTACT_AUTO) o.max_iterations = 2000;
    t->answers++;
    if (sti_contact_solve(env, &x->k.p, &o, &a) != STI_OK) {
        fprintf(stderr, "wrong: %llu (%s) by %s: %s\n", x->seed, kind, text, sti_env_error(env)->text);
        t->wrong++;
        return;
    }
    const bool open = a.outcome != STI_SOLVED && a.outcome != STI_NO_SOLUTION;
    t->solved += a.outcome == STI_SOLVED;
    t->none += a.outcome == STI_NO_SOLUTION;
    t->open += open;
    if (open && solver == STI_CONTACT_AUTO) count_open(env, x, t);
    const char* what = fault(env, &x->k.p, &a, &x->known);
    if (what != NULL) {
        char name[160];
        t->wrong++;
        fprintf(stderr, "wrong: %llu (%s) by %s: %s; residual %.2g\n", x->seed, kind, text, what, a.residual);
        snprintf(name, sizeof name, "wrong_%llu_%s_%s", x->seed, kind, text);
        keep(env, &x->k.p, name);
    }
    sti_contact_answer_clear(env, &a);
}

static void try_problem(sti_env* env, unsigned long long seed, int which, tally* t) {
    static subject x;
    sti_rng rng = {.state = seed};
    case_make(&x.k, &rng, which);
    const sti_contact_problem* p = &x.k.p;
    x.which = which;
    x.seed = seed;
    x.known = (truth){.motion = truth_has_motion(env, p), .solvable = -1};
    if (!x.known.motion) x.known.solvable = 0;
    if (x.known.motion && p->dimension == 2 && p->contact_count <= MODES) x.known.solvable = truth_solvable(env, p);
    t->problems++;
    for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) try_solver(env, &x, (sti_contact_solver)s, t);
}

int main(int argc, char** argv) {
    const unsigned long long seed = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
    const long count = argc > 2 ? strtol(argv[2], NULL, 10) : 0, first = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
    sti_env* env;
    tally t = {0};
    if (count < 1 || first < 0 || argc > 4) {
        fprintf(stderr, "usage: study_contact SEED COUNT [FIRST]\n");
        return 2;
    }
    if (sti_env_create(NULL, &env) != STI_OK) return 3;
    for (long i = first; i < first + count; i++)
        try_problem(env, seed * 1000003 + (unsigned long long)i, (int)(i % FAMILY_COUNT), &t);
    sti_env_destroy(env);
    printf(
        "study_contact: seed %llu, %ld problems, %ld answers: solved %ld, none %ld, open %ld; by auto open %ld (%ld "
        "have a "
        "solution, %ld have none); %ld wrong\n",
        seed, t.problems, t.answers, t.solved, t.none, t.open, t.auto_open, t.open_solvable, t.open_unsolvable,
        t.wrong);
    return t.wrong > 0;
}
