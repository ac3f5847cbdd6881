// study_covering.c: SEED COUNT: random matrices of orders 1 to 4 in small integers: are Q and Q0 decided rightly?
//
//     no     the witness is given to the enumeration of all solutions, which must find none; of Q0 it must be feasible
//            (minimizing
//            nothing over M z + q >= 0, z >= 0, as an affine inequality with M = 0)
//     yes    30 random q, small integers so that faces are met, must be solvable; of Q0 those that are feasible
//
// and Lemke's path: pieces that fit together, each in the cone it names, neighbours in one index, the last one a
// solution. Exit code 1: something was wrong.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/covering.h>
#include <stiction/vi.h>

#include "base/rng.h"

enum { MOST = 4, TRIES = 30 };

typedef struct tally {
    int Q, Q0, neither, open, wrong;
} tally;

static void complain(tally* t, unsigned long seed, int trial, const char* what) {
    fprintf(stderr, "seed %lu, matrix %d: %s\n", seed, trial, what);
    t->wrong++;
}

static bool is_solvable(sti_env* env, int n, double* M, const double* q, int* alpha_count, int alpha) {
    const sti_lcp lcp = {.n = n, .M = sti_matrix_dense_view(n, n, M), .q = q};
    sti_lcp_solution_set* set;
    if (sti_lcp_enumerate(env, &lcp, 0, 0, &set) != STI_OK) return false;
    const bool found = set->piece_count > 0;
    *alpha_count = 0;
    for (int p = 0; p < set->piece_count; p++) {
        int mask = 0;
        for (int i = 0; i < n; i++) mask |= set->pieces[p].alpha[i] ? 1 << i : 0;
        *alpha_count += mask == alpha;
    }
    sti_lcp_solution_set_destroy(env, set);
    return found;
}

static bool is_feasible(sti_env* env, int n, double* M, const double* q) {
    double zero[MOST * MOST] = {0}, low[MOST] = {0}, side[MOST];
    for (int i = 0; i < n; i++) side[i] = -q[i];
    const sti_avi avi = {.n = n,
                         .m = n,
                         .M = sti_matrix_dense_view(n, n, zero),
                         .A = sti_matrix_dense_view(n, n, M),
                         .q = low,
                         .b = side,
                         .lb = low};
    sti_lcp_answer a;
    if (sti_avi_solve(env, &avi, NULL, &a) != STI_OK) return false;
    const bool feasible = a.outcome == STI_SOLVED;
    sti_lcp_answer_clear(env, &a);
    return feasible;
}

static void check_no(sti_env* env, int n, double* M, const sti_covering* k, unsigned long seed, int trial, tally* t) {
    int count;
    if (k->Q == STI_NO && is_solvable(env, n, M, k->q_outside, &count, 0))
        complain(t, seed, trial, "the q outside is solvable");
    if (k->Q0 == STI_NO && is_solvable(env, n, M, k->q_feasible, &count, 0))
        complain(t, seed, trial, "the feasible q is solvable");
    if (k->Q0 == STI_NO && !is_feasible(env, n, M, k->q_feasible)) complain(t, seed, trial, "the feasible q is not");
    if (k->Q == STI_YES && k->Q0 != STI_YES) complain(t, seed, trial, "Q and not Q0");
}

static void check_path(sti_env* env, int n, double* M, const double* q, unsigned long seed, int trial, tally* t) {
    const sti_lcp lcp = {.n = n, .M = sti_matrix_dense_view(n, n, M), .q = q};
    sti_lemke_path* p;
    if (sti_lemke_path_create(env, &lcp, NULL, &p) != STI_OK) return;  // goes round
    bool good = p->count > 0 && p->piece[0].from == INFINITY;
    for (int k = 0; k < p->count; k++) {
        const sti_lemke_piece* piece = &p->piece[k];
        int count;
        if (k > 0) {
            const int changed = piece->alpha ^ p->piece[k - 1].alpha;
            good = good && piece->from == p->piece[k - 1].to && changed != 0 && (changed & (changed - 1)) == 0;
        }
        // a double of z0 may be rounded; twice the middle of whole numbers and halves is exact enough to test few of
        // them
        const double z0 = isfinite(piece->to) ? piece->to : piece->from + 1;
        if (floor(4 * z0) != 4 * z0) continue;
        double at[MOST];
        for (int i = 0; i < n; i++) at[i] = q[i] + z0;
        is_solvable(env, n, M, at, &count, piece->alpha);
        good = good && count == 1;
    }
    if (p->solved) good = good && p->piece[p->count - 1].to == 0;
    if (!good) complain(t, seed, trial, "Lemke's path does not fit together");
    sti_lemke_path_destroy(env, p);
}

static void try_one(sti_env* env, sti_rng* rng, unsigned long seed, int trial, tally* t) {
    double M[MOST * MOST], q[MOST];
    const int n = trial % 10 == 0 ? 4 : sti_rng_int(rng, 1, 3), size = sti_rng_int(rng, 1, 3),
              low = trial % 2 ? -1 : -size;
    sti_covering* k;
    int count;
    for (int i = 0; i < n * n; i++) M[i] = sti_rng_int(rng, low, size);
    for (int i = 0; i < n && trial % 3 == 0; i++) M[i * n + i] = sti_rng_int(rng, 1, 3);
    const sti_matrix view = sti_matrix_dense_view(n, n, M);
    if (sti_covering_create(env, &view, NULL, NULL, &k) != STI_OK) {
        complain(t, seed, trial, sti_env_error(env)->text);
        return;
    }
    t->Q += k->Q == STI_YES;
    t->Q0 += k->Q != STI_YES && k->Q0 == STI_YES;
    t->neither += k->Q0 == STI_NO;
    t->open += k->Q == STI_UNDECIDED || k->Q0 == STI_UNDECIDED;
    check_no(env, n, M, k, seed, trial, t);
    for (int s = 0; s < TRIES; s++) {
        for (int i = 0; i < n; i++) q[i] = sti_rng_int(rng, -4, 2);
        if (k->Q0 == STI_YES && !is_solvable(env, n, M, q, &count, 0) && (k->Q == STI_YES || is_feasible(env, n, M, q)))
            complain(t, seed, trial, "a q that should be solvable is not");
        if (s < 3) check_path(env, n, M, q, seed, trial, t);
    }
    sti_covering_destroy(env, k);
}

int main(int argc, char** argv) {
    if (argc != 3) {
        fprintf(stderr, "study_covering SEED COUNT\n");
        return 2;
    }
    const unsigned long seed = strtoul(argv[1], NULL, 10);
    const int count = atoi(argv[2]);
    sti_rng rng = {seed};
    sti_env* env;
    tally t = {0};
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    for (int k = 0; k < count; k++) try_one(env, &rng, seed, k, &t);
    sti_env_destroy(env);
    printf("study_covering: seed %lu, %d matrices: Q %d, Q0 alone %d, neither %d, open %d; %d wrong\n", seed, count,
           t.Q, t.Q0, t.neither, t.open, t.wrong);
    return t.wrong > 0;
}
