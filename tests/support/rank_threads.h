// rank_threads.h: the ranks of a stochastic program as threads, each with an environment of its own; what they bring is
// added in their order by each of them.
#ifndef SUPPORT_RANK_THREADS_H
#define SUPPORT_RANK_THREADS_H

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/stochastic.h>
#include <string.h>

enum { RANKS_MOST = 16, RANKS_ROOM = 16384 };

typedef struct rank_meeting {
    pthread_barrier_t barrier;
    double value[RANKS_MOST][RANKS_ROOM];
} rank_meeting;

typedef struct rank_thread {
    rank_meeting* m;
    sti_stochastic_team team;
    sti_stochastic program;  // with its own scenarios
    sti_stochastic_answer answer;
    sti_env* env;
    sti_status status;
    double cpu_s;
} rank_thread;

static inline void rank_meet(rank_thread* r, double* x, size_t count, bool sum) {
    rank_meeting* m = r->m;
    if (count > RANKS_ROOM) {
        fprintf(stderr, "%zu numbers are more than the ranks have room for\n", count);
        abort();
    }
    memcpy(m->value[r->team.rank], x, count * sizeof *x);
    pthread_barrier_wait(&m->barrier);
    for (size_t k = 0; k < count; k++) {
        x[k] = m->value[0][k];
        for (int other = 1; other < r->team.size; other++) {
            const double y = m->value[other][k];
            x[k] = sum ? x[k] + y : fmax(x[k], y);
        }
    }
    pthread_barrier_wait(&m->barrier);
}

static inline void rank_add(void* user, double* x, size_t count) {
    rank_meet(user, x, count, true);
}

static inline void rank_most(void* user, double* x, size_t count) {
    rank_meet(user, x, count, false);
}

// The scenarios cut among the ranks; environments stay.
static inline void rank_threads_share(rank_thread* r, int ranks, rank_meeting* m, const sti_stochastic* p) {
    for (int k = 0; k < ranks; k++) {
        const int from = p->scenario_count * k / ranks, to = p->scenario_count * (k + 1) / ranks;
        r[k].m = m;
        r[k].team = (sti_stochastic_team){k, ranks, rank_add, rank_most, &r[k]};
        r[k].program = *p;
        r[k].program.scenarios = p->scenarios + from;
        r[k].program.scenario_count = to - from;
    }
}

// work(&r[k]) of all at once.
static inline void rank_threads_run(rank_thread* r, int ranks, void* (*work)(void*)) {
    pthread_t thread[RANKS_MOST];
    pthread_barrier_init(&r->m->barrier, NULL, (unsigned)ranks);
    for (int k = 0; k < ranks; k++) {
        if (pthread_create(&thread[k], NULL, work, &r[k]) != 0) abort();
    }
    for (int k = 0; k < ranks; k++) pthread_join(thread[k], NULL);
    pthread_barrier_destroy(&r->m->barrier);
}

#endif
