// contact_memory.c: alike problems in turn, with what sti_contact_memory keeps between them and without it.
//
// Elastic blocks of contact_elastic.h in global form; every round another stiffness and other forces. In CPU time, the
// sides taking turns, least of all rounds:
//
//     alone       each problem by itself
//     same        the same contacts in every round: the factor's pattern is handed on
//     other       one contact less in every second round: the order of elimination is handed on
//
// CSV to stdout. Every answer has the bits of `alone`, or the program ends with 3. --rounds N; --side one of the three
// names: that one alone, for counts of instructions.
#include "contact_elastic.h"
#include "measure.h"

enum { SIZES = 7, SIDES = 3 };
static const int sizes[SIZES][2] = {{2, 10}, {2, 30}, {2, 60}, {3, 4}, {3, 5}, {3, 8}, {3, 12}};
static const char* const sides[SIDES] = {"alone", "same", "other"};

static void scale(elastic* e, double factor) {
    const int64_t entries = e->problem.M.col_start[e->problem.M.cols];
    for (int64_t k = 0; k < entries; k++) e->problem.M.value[k] *= factor;
    for (int i = 0; i < e->problem.velocity_count; i++) e->f[i] *= factor * factor;
}

static void keep_contacts(elastic* e, int count) {
    e->problem.contact_count = count;
    e->problem.H.cols = e->d * count;
}

static double solve(sti_env* env, const elastic* e, sti_contact_memory* memory, sti_contact_answer* a) {
    sti_contact_options o = sti_contact_options_default();
    o.tol = 1e-4;
    o.describe = false;
    o.memory = memory;
    const double begin = bench_cpu();
    if (sti_contact_solve(env, &e->problem, &o, a) != STI_OK) exit(3);
    return bench_cpu() - begin;
}

// One round of the sides that are wanted; time (SIDES)
static void measure(sti_env* env, elastic* e, int all, int round, int only, sti_contact_memory** memory, double* time) {
    for (int side = 0; side < SIDES; side++) {
        if (only >= 0 && side != only) continue;
        keep_contacts(e, side == 2 ? all - round % 2 : all);
        sti_contact_answer a, b;
        time[side] = fmin(time[side], solve(env, e, memory[side], &a));
        if (only < 0) {
            solve(env, e, NULL, &b);
            const size_t bytes = (size_t)(e->d * e->problem.contact_count) * sizeof *a.r;
            if (a.outcome != STI_SOLVED || memcmp(a.r, b.r, bytes) != 0) exit(3);
            sti_contact_answer_clear(env, &b);
        }
        sti_contact_answer_clear(env, &a);
    }
}

int main(int count, char** word) {
    long rounds = 20;
    int only = -1;
    for (int k = 1; k < count; k += 2) {
        const char* value = k + 1 < count ? word[k + 1] : "";
        if (strcmp(word[k], "--rounds") == 0) rounds = strtol(value, NULL, 10);
        for (int s = 0; strcmp(word[k], "--side") == 0 && s < SIDES; s++)
            only = strcmp(value, sides[s]) == 0 ? s : only;
        if ((strcmp(word[k], "--rounds") != 0 && (strcmp(word[k], "--side") != 0 || only < 0)) || rounds < 1) {
            fprintf(stderr, "usage: bench_contact_memory [--rounds 20] [--side alone|same|other]\n");
            return 2;
        }
    }
    printf("dimension,velocities,contacts,alone_us,same_us,other_us\n");
    for (int k = 0; k < SIZES; k++) {
        sti_env* env;
        sti_contact_memory* memory[SIDES] = {NULL};
        double time[SIDES] = {INFINITY, INFINITY, INFINITY};
        elastic e = {0};
        elastic_block(7, sizes[k][0], sizes[k][1], &e);
        if (sti_env_create(NULL, &env) != STI_OK) return 3;
        for (int s = 1; s < SIDES; s++) {
            if (sti_contact_memory_create(env, &memory[s]) != STI_OK) return 3;
        }
        const int all = e.problem.contact_count;
        for (int round = 0; round < rounds; round++) {
            measure(env, &e, all, round, only, memory, time);
            scale(&e, round % 2 == 0 ? 1.01 : 0.99);
        }
        printf("%d,%d,%d,%.1f,%.1f,%.1f\n", e.d, e.problem.velocity_count, all, 1e6 * time[0], 1e6 * time[1],
               1e6 * time[2]);
        fflush(stdout);
        for (int s = 1; s < SIDES; s++) sti_contact_memory_destroy(memory[s]);
        elastic_clear(&e);
        sti_env_destroy(env);
    }
    return 0;
}
