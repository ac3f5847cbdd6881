// test_contact_truth.c: every answer of every solver to random contact problems, against what is true.
//
//     test_contact_truth [seed [count [family]]]        (1, 240, all)
//
// A problem is one of twelve families (contact_families.h). Truth is exact (contact_truth.h): whether a motion exists that keeps
// the contacts closed or opening, and for planar problems of up to MODES contacts whether there is a solution at all. Answers
// are wrong when
//
//     solved        and no motion exists, or no solution does; or the verifier rejects it; or a contact penetrates, leaves its
//                   cone or works by more than 1e-6 of its own terms, in long double, by the arithmetic of this file
//     no solution   and a motion exists; or the verifier rejects it
//
// and the program fails when one is. One line at the end counts.
#include <stdio.h>
#include <stiction/io.h>
#include <stiction/verify.h>

#include "support/contact_families.h"
#include "support/contact_truth.h"

enum { MODES = 3 };

typedef long double real;

typedef struct tally {
    long problems, answers, solved, none, open, wrong;
    long auto_open, auto_problems;
    long open_solvable, open_unsolvable, open_undecided;  // of auto
    long family_open[FAMILY_COUNT], family_count[FAMILY_COUNT];
} tally;

typedef struct truth {
    bool motion;
    int solvable;  // 1, 0, -1: not known
} truth;

// ---- the physics of a point

typedef struct terms {
    real u[CASE_ROWS], own[CASE_ROWS];  // velocities, and the sizes of what they are the sums of
    real mobility[CASE_CONTACTS];
} terms;

static void local_terms(const sti_contact_problem* p, const sti_contact_answer* a, terms* t) {
    const int d = p->dimension, n = d * p->contact_count;
    for (int i = 0; i < n; i++) {
        t->u[i] = p->q[i];
        t->own[i] = fabsl(t->u[i]);
        for (int j = 0; j < n; j++) {
            const real x = (real)truth_entry(&p->W, i, j) * a->r[j];
            t->u[i] += x;
            t->own[i] += fabsl(x);
        }
        t->mobility[i / d] += truth_entry(&p->W, i, i);
    }
}

static void global_terms(const sti_contact_problem* p, const sti_contact_answer* a, terms* t) {
    const int d = p->dimension, n = d * p->contact_count, nb = p->bilateral_count;
    real made[CASE_VELOCITIES] = {0};
    for (int i = 0; i < p->velocity_count; i++) {
        for (int j = 0; j < n; j++) made[i] += fabsl((real)truth_entry(&p->H, i, j) * a->r[j]);
        for (int j = 0; j < nb; j++) made[i] += fabsl((real)truth_entry(&p->G, i, j) * a->lambda[j]);
        made[i] = (made[i] + fabs(p->f[i])) / truth_entry(&p->M, i, i);
    }
    for (int j = 0; j < n; j++) {
        t->u[j] = p->w[j];
        t->own[j] = fabsl(t->u[j]);
        for (int i = 0; i < p->velocity_count; i++) {
            const real h = truth_entry(&p->H, i, j);
            t->u[j] += h * a->v[i];
            t->own[j] += fabsl(h) * made[i];
            t->mobility[j / d] += h * h / truth_entry(&p->M, i, i);
        }
    }
}

static real size_of(const real* x, int d) {
    real s = 0;
    for (int i = 0; i < d; i++) s += x[i] * x[i];
    return sqrtl(s);
}

// The largest of penetration, distance from the cone and r_n u_n, against the terms of the contact
static real violation(const sti_contact_problem* p, const sti_contact_answer* a) {
    const int d = p->dimension;
    static terms t;
    t = (terms){0};
    if (p->global)
        global_terms(p, a, &t);
    else
        local_terms(p, a, &t);
    real worst = 0;
    for (int c = 0; c < p->contact_count; c++) {
        const real *u = t.u + d * c, own = size_of(t.own + d * c, d);
        const real force = t.mobility[c] > 0 ? d * own / t.mobility[c] : 0;
        const real r_n = a->r[d * c], r_t = d == 2 ? fabsl(a->r[d * c + 1]) : hypotl(a->r[d * c + 1], a->r[d * c + 2]);
        const real beyond = fmaxl(fmaxl(r_t - p->mu[c] * r_n, 0) / sqrtl(1 + (real)p->mu[c] * p->mu[c]), -r_n);
        if (u[0] < 0) worst = fmaxl(worst, -u[0] / own);
        if (beyond > 0) worst = fmaxl(worst, force > 0 ? beyond / force : INFINITY);
        if (r_n * u[0] != 0) worst = fmaxl(worst, fabsl(r_n * u[0]) / (force > 0 ? force * own : 0));
    }
    return worst;
}

// ---- judging

static void keep(sti_env* env, const sti_contact_problem* p, const char* name) {
    const char* folder = getenv("STI_TRUTH_KEEP");
    char path[1024];
    if (folder == NULL) return;
    snprintf(path, sizeof path, "%s/%s.hdf5", folder, name);
    sti_contact_save(env, p, NULL, path);
}

static const char* fault(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a, const truth* known) {
    static char text[320];
    sti_contact_verification v;
    if (a->outcome != STI_SOLVED && a->outcome != STI_NO_SOLUTION) return NULL;
    if (sti_verify_contact(env, p, a, 1e-8 * (1 + 1e-6), &v) != STI_OK) return sti_env_error(env)->text;
    if (!v.accepted) {
        snprintf(text, sizeof text, "verify rejects: %s", v.text);
        return text;
    }
    if (a->outcome == STI_NO_SOLUTION) return known->motion ? "no solution, but a motion exists" : NULL;
    if (!known->motion) return "solved, but there is no motion that keeps the contacts closed or opening";
    if (known->solvable == 0) return "solved, but no mode has a solution";
    const real worst = violation(p, a);
    if (!(worst <= 1e-6L)) {
        snprintf(text, sizeof text, "solved, but a contact violates the law by %.2Lg of its own terms", worst);
        return text;
    }
    return NULL;
}

static void try_solver(sti_env* env, const contact_case* k, int which, sti_contact_solver solver, uint64_t seed,
                       truth* known, tally* t) {
    sti_contact_options o = sti_contact_options_default();
    o.solver = solver;
    if (solver != STI_CONTACT_AUTO) o.max_iterations = 2000;
    sti_contact_answer a;
    if (sti_contact_solve(env, &k->p, &o, &a) != STI_OK) {
        printf("seed %llu, %s: %s\n", (unsigned long long)seed, family_text(which), sti_env_error(env)->text);
        t->wrong++;
        return;
    }
    const bool open = a.outcome != STI_SOLVED && a.outcome != STI_NO_SOLUTION;
    t->answers++;
    t->solved += a.outcome == STI_SOLVED;
    t->none += a.outcome == STI_NO_SOLUTION;
    t->open += open;
    if (solver == STI_CONTACT_AUTO) {
        t->auto_open += open;
        t->family_open[which] += open;
        t->open_solvable += open && known->solvable == 1;
        t->open_unsolvable += open && known->solvable == 0;
        t->open_undecided += open && known->solvable < 0;
    }
    char name[160];
    snprintf(name, sizeof name, "%llu_%s_%s", (unsigned long long)seed, family_text(which),
             sti_contact_solver_text(solver));
    const char* what = fault(env, &k->p, &a, known);
    if (what != NULL) {
        t->wrong++;
        printf("wrong: seed %s: %s; residual %.2g\n", name, what, a.residual);
        keep(env, &k->p, name);
    } else if (open && solver == STI_CONTACT_AUTO && getenv("STI_TRUTH_OPEN") != NULL) {
        printf("open: seed %s: %dd, %d contacts, %s, solvable %d; residual %.2g; %.60s | %s\n", name, k->p.dimension,
               k->p.contact_count, k->p.global ? "global" : "local", known->solvable, a.residual, a.reason,
               a.diagnosis);
        keep(env, &k->p, name);
    }
    sti_contact_answer_clear(env, &a);
}

static void try_problem(sti_env* env, uint64_t seed, int which, tally* t) {
    static contact_case k;
    sti_rng rng = {.state = seed};
    case_make(&k, &rng, which);
    truth known = {.motion = truth_has_motion(env, &k.p), .solvable = -1};
    if (!known.motion) known.solvable = 0;
    if (known.motion && k.p.dimension == 2 && k.p.contact_count <= MODES) known.solvable = truth_solvable(env, &k.p);
    t->problems++;
    t->family_count[which]++;
    for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++)
        try_solver(env, &k, which, (sti_contact_solver)s, seed, &known, t);
}

int main(int argc, char** argv) {
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const long count = argc > 2 ? strtol(argv[2], NULL, 10) : 240;
    const int only = argc > 3 ? atoi(argv[3]) : -1;
    sti_env* env;
    tally t = {0};
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    for (long i = 0; i < count; i++) {
        const int which = only >= 0 ? only : (int)(i % FAMILY_COUNT);
        try_problem(env, seed * 1000003 + (uint64_t)i, which, &t);
    }
    sti_env_destroy(env);
    for (int f = 0; f < FAMILY_COUNT; f++) {
        if (t.family_open[f] > 0)
            printf("%s: %ld of %ld open by auto\n", family_text(f), t.family_open[f], t.family_count[f]);
    }
    printf(
        "contact: %ld problems, %ld answers: %ld solved, %ld no solution, %ld open; auto open %ld (%.2f %%: %ld with a "
        "solution, %ld without, %ld not known); %ld wrong\n",
        t.problems, t.answers, t.solved, t.none, t.open, t.auto_open, 100.0 * (double)t.auto_open / (double)t.problems,
        t.open_solvable, t.open_unsolvable, t.open_undecided, t.wrong);
    return t.wrong > 0;
}
