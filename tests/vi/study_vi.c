// study_vi.c: SEED COUNT: random variational inequalities, with matrices and with formulas.
//
//     matrices   up to 4 unknowns, rows, equations, bounds, small integers: the outcome against the enumeration of all
//                cases of the
//                mixed problem, every answer against the verifier. Every third is a bounded box, which always has a
//                solution
//     formulas   strictly monotone maps whose only solution is planted, at bounds and between them; every tenth map has
//                none
//                (F < 0 for all x >= 0), and "solved" is wrong there
//
// Wrong is an outcome that differs, a planted solution that is missed by more than 1e-6 where "solved" is claimed, or
// an answer that the verifier rejects. "unknown" is not wrong, and is counted.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/vi.h>

#include "base/rng.h"

typedef struct tally {
    int solved, none, unknown, wrong, proved;
} tally;

static void complain(tally* t, unsigned long seed, int trial, const char* what) {
    fprintf(stderr, "seed %lu, problem %d: %s\n", seed, trial, what);
    t->wrong++;
}

// ---- matrices

typedef struct affine {
    double M[16], A[12], E[4], q[4], b[3], e[1], lb[4], ub[4];
    sti_avi avi;
} affine;

static void make_affine(sti_rng* rng, affine* p, bool box) {
    const int n = sti_rng_int(rng, 1, 4), m = box ? 0 : sti_rng_int(rng, 0, 3), k = box ? 0 : sti_rng_int(rng, 0, 1);
    double* fields[] = {p->M, p->A, p->E, p->q, p->b, p->e};
    const int count[] = {n * n, m * n, k * n, n, m, k};
    for (int f = 0; f < 6; f++) {
        for (int i = 0; i < count[f]; i++) fields[f][i] = sti_rng_int(rng, -3, 3);
    }
    for (int i = 0; i < n; i++) {
        p->lb[i] = !box && sti_rng_int(rng, 0, 2) == 0 ? -INFINITY : sti_rng_int(rng, -3, 0);
        p->ub[i] = !box && sti_rng_int(rng, 0, 2) == 0 ? INFINITY : sti_rng_int(rng, 0, 3);
    }
    p->avi = (sti_avi){.n = n,
                       .m = m,
                       .k = k,
                       .M = sti_matrix_dense_view(n, n, p->M),
                       .A = sti_matrix_dense_view(m, n, p->A),
                       .E = sti_matrix_dense_view(k, n, p->E),
                       .q = p->q,
                       .b = p->b,
                       .e = p->e,
                       .lb = p->lb,
                       .ub = p->ub};
}

static void try_affine(sti_env* env, sti_rng* rng, unsigned long seed, int trial, tally* t) {
    affine p;
    sti_avi_mlcp posed;
    sti_lcp_answer a;
    sti_lcp_solution_set* set;
    sti_verification v;
    const bool box = trial % 3 == 0;
    make_affine(rng, &p, box);
    if (sti_avi_solve(env, &p.avi, NULL, &a) != STI_OK || sti_avi_mlcp_make(env, &p.avi, &posed) != STI_OK ||
        sti_mlcp_enumerate(env, &posed.mlcp, 0, 0, &set) != STI_OK) {
        complain(t, seed, trial, sti_env_error(env)->text);
        return;
    }
    const sti_outcome truth = set->piece_count > 0 ? STI_SOLVED : STI_NO_SOLUTION;
    t->solved += a.outcome == STI_SOLVED;
    t->none += a.outcome == STI_NO_SOLUTION;
    t->unknown += a.outcome == STI_UNKNOWN;
    t->proved += a.exact || a.certificate.exact;
    if (box && truth != STI_SOLVED) complain(t, seed, trial, "a bounded box without a solution by enumeration");
    if (a.outcome != STI_UNKNOWN && a.outcome != truth) complain(t, seed, trial, "another outcome than by enumeration");
    if (a.outcome != STI_UNKNOWN && (sti_verify_avi(env, &p.avi, &a, 1e-8, &v) != STI_OK || !v.accepted))
        complain(t, seed, trial, v.text);
    sti_lcp_solution_set_destroy(env, set);
    sti_avi_mlcp_clear(env, &posed);
    sti_lcp_answer_clear(env, &a);
}

// ---- formulas

enum { N = 4, ROOM = 1200 };

typedef struct mapped {
    char text[N][ROOM], name[N][16];
    const char *F[N], *names[N];
    double lb[N], ub[N], s[N];
} mapped;

// F = (L'L + I/2)(x - s) + (x - s)^3 + exp(x - s) - 1 + push, in each coordinate; s solves it, and no other point.
static void make_map(sti_rng* rng, mapped* p) {
    double L[N][N];
    for (int i = 0; i < N * N; i++) L[i / N][i % N] = sti_rng_int(rng, -20, 20) / 10.0;
    for (int i = 0; i < N; i++) {
        p->lb[i] = sti_rng_int(rng, 0, 3) == 0 ? -INFINITY : sti_rng_int(rng, -2, 0);
        p->ub[i] = sti_rng_int(rng, 0, 2) == 0 ? INFINITY : sti_rng_int(rng, 1, 3);
        const int side = sti_rng_int(rng, -1, 1);
        p->s[i] = side < 0 && isfinite(p->lb[i])   ? p->lb[i]
                  : side > 0 && isfinite(p->ub[i]) ? p->ub[i]
                                                   : 0.1 + 0.8 * sti_rng_u01(rng);
        snprintf(p->name[i], sizeof p->name[i], "x%d", i);
        p->names[i] = p->name[i];
        p->F[i] = p->text[i];
    }
    for (int i = 0; i < N; i++) {
        size_t at = 0;
        for (int j = 0; j < N; j++) {
            double m = i == j ? 0.5 : 0;
            for (int k = 0; k < N; k++) m += L[k][i] * L[k][j];
            at += (size_t)snprintf(p->text[i] + at, ROOM - at, "%+.17g*(x%d - (%.17g))", m, j, p->s[j]);
        }
        const double push = p->s[i] == p->lb[i] ? 0.5 : p->s[i] == p->ub[i] ? -0.5 : 0;
        snprintf(p->text[i] + at, ROOM - at, " + (x%d - (%.17g))^3 + exp(x%d - (%.17g)) - 1 + %.17g", i, p->s[i], i,
                 p->s[i], push);
    }
}

static void try_map(sti_env* env, sti_rng* rng, unsigned long seed, int trial, tally* t) {
    mapped p;
    make_map(rng, &p);
    const bool hopeless = trial % 10 == 1;
    for (int i = 0; hopeless && i < N; i++) {
        p.lb[i] = 0;
        p.ub[i] = INFINITY;
        snprintf(p.text[i], ROOM, "-1 - x%d^2 - exp(x%d)", i, (i + 1) % N);
    }
    const sti_vi vi = {.n = N, .variables = p.names, .lb = p.lb, .ub = p.ub, .F = p.F};
    sti_vi_answer a;
    sti_vi_verification v;
    if (sti_vi_solve(env, &vi, NULL, &a) != STI_OK) {
        complain(t, seed, trial, sti_env_error(env)->text);
        return;
    }
    t->solved += a.outcome == STI_SOLVED;
    t->unknown += a.outcome != STI_SOLVED;
    t->proved += a.proof >= STI_VI_PROOF_EXISTENCE;
    double away = 0;
    for (int i = 0; i < N && !hopeless; i++) away = fmax(away, fabs(a.x[i] - p.s[i]));
    if (a.outcome == STI_SOLVED && (hopeless || away > 1e-6))
        complain(t, seed, trial, "not the solution that was planted");
    if (a.outcome == STI_SOLVED && (sti_verify_vi(env, &vi, &a, 1e-9, &v) != STI_OK || !v.accepted))
        complain(t, seed, trial, v.text);
    sti_vi_answer_clear(env, &a);
}

int main(int argc, char** argv) {
    if (argc != 3) {
        fprintf(stderr, "study_vi SEED COUNT\n");
        return 2;
    }
    const unsigned long seed = strtoul(argv[1], NULL, 10);
    const int count = atoi(argv[2]);
    sti_rng rng = {seed};
    sti_env* env;
    tally t = {0};
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    for (int k = 0; k < count; k++) (k % 2 == 0 ? try_affine : try_map)(env, &rng, seed, k / 2, &t);
    sti_env_destroy(env);
    printf("study_vi: seed %lu, %d problems: solved %d, none %d, unknown %d; %d proved; %d wrong\n", seed, count,
           t.solved, t.none, t.unknown, t.proved, t.wrong);
    return t.wrong > 0;
}
