// tasks.c: a pool of threads that wait for the next loop.
//
// Every worker has a range of items, first and end in one word, and takes them from the front; when its own is empty it
// helps with the others. So nobody waits for a thread that the system has not run yet: on a machine with other work a
// loop is at worst done by the calling thread alone, and held up only by an item that a thread was stopped in. Taking an
// item is one compare-and-swap, which succeeds only while the loop that the word belongs to is going on: what the loop is
// may be read after it, and a thread that comes late finds nothing.
//
// A sweep asks for a dozen short loops, so waiting is busy for some microseconds before a worker goes to sleep. The lock
// is only for sleeping; a loop that finds nobody asleep does not touch it.
#include "par/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { SPINS = 2000, WORKER_LIMIT = 256, LINE = 64 };

typedef struct seat {
    _Alignas(LINE) _Atomic uint64_t range;  // first item in the low half, end in the high one
    sti_tasks* tasks;
    int worker;
    pthread_t thread;
} seat;

struct sti_tasks {
    sti_env* env;
    void* memory;
    int workers;  // with the calling thread, which is worker 0
    // the loop at hand
    sti_task_work* work;
    void* context;
    atomic_bool closing;
    _Alignas(LINE) atomic_long turn;  // loops announced so far
    atomic_int asleep;                // workers that wait for `wake`
    pthread_mutex_t lock;
    pthread_cond_t wake;
    _Alignas(LINE) atomic_int done;  // items done
    seat seat[];                     // (workers); the first one has no thread
};

static void pause_briefly(int round) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    if (round % 64 == 63) sched_yield();
}

// The next item of a range; -1: none is left.
static int take(_Atomic uint64_t* range) {
    uint64_t now = atomic_load_explicit(range, memory_order_relaxed);
    while ((uint32_t)now < (uint32_t)(now >> 32)) {
        if (atomic_compare_exchange_weak_explicit(range, &now, now + 1, memory_order_acquire, memory_order_relaxed))
            return (int)(uint32_t)now;
    }
    return -1;
}

// Its own range, then those that follow.
static void work_share(sti_tasks* t, int worker, int workers) {
    for (int k = 0; k < workers; k++) {
        _Atomic uint64_t* range = &t->seat[(worker + k) % workers].range;
        for (int item; (item = take(range)) >= 0;) {
            t->work(t->context, item, worker);
            atomic_fetch_add_explicit(&t->done, 1, memory_order_release);
        }
    }
}

static long wait_for_turn(sti_tasks* t, long seen) {
    long turn = seen;
    for (int i = 0; i < SPINS && turn == seen; i++) {
        pause_briefly(i);
        turn = atomic_load_explicit(&t->turn, memory_order_acquire);
    }
    if (turn != seen) return turn;
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->asleep, 1);  // before the turn is read: announce does it the other way round
    while ((turn = atomic_load(&t->turn)) == seen) pthread_cond_wait(&t->wake, &t->lock);
    atomic_fetch_sub(&t->asleep, 1);
    pthread_mutex_unlock(&t->lock);
    return turn;
}

static void* worker_main(void* argument) {
    const seat* s = argument;
    sti_tasks* t = s->tasks;
    for (long seen = 0;;) {
        seen = wait_for_turn(t, seen);
        if (atomic_load(&t->closing)) return NULL;
        work_share(t, s->worker, t->workers);
    }
}

static void announce(sti_tasks* t) {
    atomic_fetch_add(&t->turn, 1);
    if (atomic_load(&t->asleep) == 0) return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

sti_status sti_tasks_create(sti_env* env, int workers, sti_tasks** out) {
    *out = NULL;
    if (workers > WORKER_LIMIT) workers = WORKER_LIMIT;
    if (workers <= 1) return STI_OK;
    void* memory = sti_alloc(env, sizeof(sti_tasks) + (size_t)workers * sizeof(seat) + LINE);
    if (memory == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "a pool of %d workers", workers);
    sti_tasks* t = (sti_tasks*)((char*)memory + (-(uintptr_t)memory & (LINE - 1)));
    *t = (sti_tasks){.env = env, .memory = memory, .workers = 1};
    if (pthread_mutex_init(&t->lock, NULL) != 0) {
        sti_free(env, memory);
        return STI_OK;
    }
    if (pthread_cond_init(&t->wake, NULL) != 0) {
        pthread_mutex_destroy(&t->lock);
        sti_free(env, memory);
        return STI_OK;
    }
    for (int w = 0; w < workers; w++) t->seat[w] = (seat){.tasks = t, .worker = w};
    // the threads read the number of workers only after the first announcement
    while (t->workers < workers &&
           pthread_create(&t->seat[t->workers].thread, NULL, worker_main, &t->seat[t->workers]) == 0)
        t->workers++;
    if (t->workers == 1) {
        sti_tasks_destroy(t);
        return STI_OK;
    }
    *out = t;
    return STI_OK;
}

void sti_tasks_destroy(sti_tasks* t) {
    if (t == NULL) return;
    atomic_store(&t->closing, true);
    announce(t);
    for (int w = 1; w < t->workers; w++) pthread_join(t->seat[w].thread, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    sti_free(t->env, t->memory);
}

int sti_tasks_workers(const sti_tasks* t) {
    return t == NULL ? 1 : t->workers;
}

static void run(sti_tasks* t, bool any, int count, sti_task_work* work, void* context) {
    if (t == NULL || count <= 1) {
        for (int item = 0; item < count; item++) work(context, item, 0);
        return;
    }
    t->work = work;
    t->context = context;
    atomic_store_explicit(&t->done, 0, memory_order_relaxed);
    for (int w = 0; w < t->workers; w++) {
        uint64_t first = (uint64_t)count * (uint64_t)w / (uint64_t)t->workers;
        uint64_t end = (uint64_t)count * (uint64_t)(w + 1) / (uint64_t)t->workers;
        if (any) {
            first = 0;
            end = w == 0 ? (uint64_t)count : 0;
        }
        atomic_store_explicit(&t->seat[w].range, end << 32 | first, memory_order_release);
    }
    announce(t);
    work_share(t, 0, t->workers);
    for (int i = 0; atomic_load_explicit(&t->done, memory_order_acquire) < count; i++) pause_briefly(i);
}

void sti_tasks_run(sti_tasks* t, int count, sti_task_work* work, void* context) {
    run(t, false, count, work, context);
}

void sti_tasks_run_any(sti_tasks* t, int count, sti_task_work* work, void* context) {
    run(t, true, count, work, context);
}
