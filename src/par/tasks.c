// tasks.c: a pool of threads that wait for the next loop.
//
// A loop is announced by a new value of `turn`; worker w of n takes the items [count w / n, count (w+1) / n), or the
// next one as long as there are some, and reports. A sweep over a coloured graph asks for a dozen short loops, so
// waiting is busy for a few microseconds before a worker goes to sleep. Turns are published and collected through
// atomics; the lock is only for sleeping.
#include "par/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { SPINS = 2000, WORKER_LIMIT = 256 };

typedef struct seat {
    sti_tasks* tasks;
    int worker;
    pthread_t thread;
} seat;

struct sti_tasks {
    sti_env* env;
    int workers;  // with the calling thread, which is worker 0
    // the loop at hand
    int count;
    bool any;  // items to whoever comes
    sti_task_work* work;
    void* context;
    atomic_int next;     // first item that nobody has taken
    atomic_long turn;    // loops announced so far
    atomic_int pending;  // workers that have not finished it
    bool closing;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int seats;    // threads running
    seat seat[];  // (workers - 1)
};

static void pause_briefly(int round) {
    if (round % 64 == 63) sched_yield();
}

static void work_share(sti_tasks* t, int worker) {
    if (t->any) {
        for (int item; (item = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed)) < t->count;)
            t->work(t->context, item, worker);
        return;
    }
    const int first = (int)((int64_t)t->count * worker / t->workers);
    const int last = (int)((int64_t)t->count * (worker + 1) / t->workers);
    for (int item = first; item < last; item++) t->work(t->context, item, worker);
}

static long wait_for_turn(sti_tasks* t, long seen) {
    long turn = seen;
    for (int i = 0; i < SPINS && turn == seen; i++) {
        pause_briefly(i);
        turn = atomic_load_explicit(&t->turn, memory_order_acquire);
    }
    if (turn != seen) return turn;
    pthread_mutex_lock(&t->lock);
    while ((turn = atomic_load_explicit(&t->turn, memory_order_acquire)) == seen) pthread_cond_wait(&t->wake, &t->lock);
    pthread_mutex_unlock(&t->lock);
    return turn;
}

static void* worker_main(void* argument) {
    const seat* s = argument;
    sti_tasks* t = s->tasks;
    for (long seen = 0;;) {
        seen = wait_for_turn(t, seen);
        if (t->closing) return NULL;
        work_share(t, s->worker);
        atomic_fetch_sub_explicit(&t->pending, 1, memory_order_release);
    }
}

// Everything of the loop was written before: the new turn publishes it.
static void announce(sti_tasks* t) {
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add_explicit(&t->turn, 1, memory_order_release);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

sti_status sti_tasks_create(sti_env* env, int workers, sti_tasks** out) {
    *out = NULL;
    if (workers > WORKER_LIMIT) workers = WORKER_LIMIT;
    if (workers <= 1) return STI_OK;
    sti_tasks* t = sti_alloc(env, sizeof *t + (size_t)(workers - 1) * sizeof(seat));
    if (t == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "a pool of %d workers", workers);
    *t = (sti_tasks){.env = env, .workers = workers};
    if (pthread_mutex_init(&t->lock, NULL) != 0) {
        sti_free(env, t);
        return STI_OK;
    }
    if (pthread_cond_init(&t->wake, NULL) != 0) {
        pthread_mutex_destroy(&t->lock);
        sti_free(env, t);
        return STI_OK;
    }
    for (int w = 1; w < workers; w++) {
        seat* s = &t->seat[t->seats];
        *s = (seat){.tasks = t, .worker = w};
        if (pthread_create(&s->thread, NULL, worker_main, s) != 0) break;
        t->seats++;
    }
    t->workers = t->seats + 1;  // read by the threads only after the first announcement
    if (t->seats == 0) {
        sti_tasks_destroy(t);
        return STI_OK;
    }
    *out = t;
    return STI_OK;
}

void sti_tasks_destroy(sti_tasks* t) {
    if (t == NULL) return;
    t->closing = true;
    announce(t);
    for (int i = 0; i < t->seats; i++) pthread_join(t->seat[i].thread, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    sti_free(t->env, t);
}

int sti_tasks_workers(const sti_tasks* t) {
    return t == NULL ? 1 : t->workers;
}

static void run(sti_tasks* t, bool any, int count, sti_task_work* work, void* context) {
    if (t == NULL || count <= 1) {
        for (int item = 0; item < count; item++) work(context, item, 0);
        return;
    }
    t->count = count;
    t->any = any;
    t->work = work;
    t->context = context;
    atomic_store_explicit(&t->next, 0, memory_order_relaxed);
    atomic_store_explicit(&t->pending, t->seats, memory_order_relaxed);
    announce(t);
    work_share(t, 0);
    for (int i = 0; atomic_load_explicit(&t->pending, memory_order_acquire) > 0; i++) pause_briefly(i);
}

void sti_tasks_run(sti_tasks* t, int count, sti_task_work* work, void* context) {
    run(t, false, count, work, context);
}

void sti_tasks_run_any(sti_tasks* t, int count, sti_task_work* work, void* context) {
    run(t, true, count, work, context);
}
