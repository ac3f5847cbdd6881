// tasks.c: a pool of threads that wait for the next loop.
//
// Every worker has a range of items, first and end in one word, and takes them from the front; when its own is empty it
// helps with the others. So nobody waits for a thread that the system has not run yet: on a machine with other work a
// loop is at worst done by the calling thread alone, and held up only by an item that a thread was stopped in. Taking
// an item is one compare-and-swap, which succeeds only while the loop that the word belongs to is going on: what the
// loop is may be read after it, and a thread that comes late finds nothing.
//
// Stages. Stages are counted from the first loop on, and every item has two such counts: how many were taken and how
// many are done. A stage is taken by a compare-and-swap on the first count once the second ones of the item and of its
// neighbours allow it; counts never come back, so that fails for a thread that comes late. Neighbours read the second
// count alone, so the first one does not travel. Each worker goes through its own share and takes the items of others
// only where they do not come: what a worker touched stays near it. Workers of even number go up through their share
// and those of odd number down, so the two who share a border both come to it first or both last, and have the rest of
// their shares to do while the other catches up. A few stages go through a share together, each a pair of items behind
// the one before: what an item has touched is asked for again soon, while it is in a cache that the whole share does
// not fit into (a bed of 400,000 grains: 5 to 10 % of the time of its sweeps).
//
// Several loops follow each other within microseconds, so waiting is busy for a while before a worker goes to sleep.
// The lock is only for sleeping; a loop that finds nobody asleep does not touch it.
#include "par/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { SPINS = 2000, BRIEF = 40, LONG = 2000, WORKER_LIMIT = 256, ROW_MOST = 64, LINE = 64, BAND = 4 };

// An item in a row: stages taken and done since the first loop.
typedef struct cell {
    _Alignas(LINE) _Atomic uint64_t taken;
    _Alignas(LINE) _Atomic uint64_t done;
} cell;

typedef struct seat {
    _Alignas(LINE) _Atomic uint64_t range;  // first item in the low half, end in the high one
    sti_tasks* tasks;
    int worker;
    bool alone;  // it has taken items of others, and saw nobody at work
    pthread_t thread;
} seat;

struct sti_tasks {
    sti_env* env;
    void* memory;
    int workers;        // with the calling thread, which is worker 0
    atomic_int asleep;  // workers that wait for `wake`
    pthread_mutex_t lock;
    pthread_cond_t wake;
    // the loop at hand, in one line with the word that announces it
    _Alignas(LINE) atomic_long turn;  // loops announced so far
    sti_task_work* work;
    sti_task_stage* stage;
    void* context;
    _Atomic uint64_t row;  // of a loop with stages: the count of stages with which it ends << 8 | items; 0 items: none
    int stages;            // of it
    atomic_bool closing;
    _Alignas(LINE) atomic_int done;  // items done
    int cells;                       // in use; the items of the last loop with stages
    cell cell[ROW_MOST + 2];         // item k has cell k + 1; those before the first and behind the last are far ahead
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

enum taking { TAKEN, BLOCKED, OVER };  // OVER: taken before

// Stage `next` of item k, if its neighbours have come far enough.
static enum taking take_stage(sti_tasks* t, int k, uint64_t next) {
    cell* c = &t->cell[k + 1];
    uint64_t taken = atomic_load_explicit(&c->taken, memory_order_relaxed);
    if (taken > next) return OVER;
    const uint64_t beside = next + (k % 2 == 0 ? 0 : 1);
    if (taken < next || atomic_load_explicit(&c->done, memory_order_acquire) < next ||
        atomic_load_explicit(&c[-1].done, memory_order_acquire) < beside ||
        atomic_load_explicit(&c[1].done, memory_order_acquire) < beside)
        return BLOCKED;
    return atomic_compare_exchange_strong_explicit(&c->taken, &taken, taken + 1, memory_order_acquire,
                                                   memory_order_relaxed)
               ? TAKEN
               : BLOCKED;
}

// The loop does not end before the item is done, so what it is may be read.
static void do_stage(sti_tasks* t, int k, uint64_t next, int worker) {
    const uint64_t end = atomic_load_explicit(&t->row, memory_order_relaxed) >> 8;
    t->stage(t->context, t->stages - (int)(end - next), k, worker);
    atomic_store_explicit(&t->cell[k + 1].done, next + 1, memory_order_release);
}

// Any item that can be done.
static bool help(sti_tasks* t, uint64_t end, int count, int worker) {
    for (int k = 0; k < count; k++) {
        const uint64_t next = atomic_load_explicit(&t->cell[k + 1].taken, memory_order_relaxed);
        if (next >= end || take_stage(t, k, next) != TAKEN) continue;
        do_stage(t, k, next, worker);
        return true;
    }
    return false;
}

static bool others_work(const sti_tasks* t, int count) {
    for (int k = 1; k <= count; k++) {
        const cell* c = &t->cell[k];
        if (atomic_load_explicit(&c->done, memory_order_relaxed) !=
            atomic_load_explicit(&c->taken, memory_order_relaxed))
            return true;
    }
    return false;
}

// A round of waiting for others. Where nobody is at work, they have not come yet or were stopped between two items:
// then theirs are taken soon.
static void wait_or_help(sti_tasks* t, uint64_t end, int count, int worker, int round) {
    bool* alone = &t->seat[worker].alone;
    if (round % 8 == 0) {
        const bool company = others_work(t, count);
        if (company) *alone = false;
        if (round >= (company ? LONG : *alone ? 0 : BRIEF) && help(t, end, count, worker)) {
            *alone = !company;
            return;
        }
    }
    pause_briefly(round);
}

static bool finished(const sti_tasks* t, uint64_t end, int count) {
    for (int k = 1; k <= count; k++) {
        if (atomic_load_explicit(&t->cell[k].done, memory_order_acquire) < end) return false;
    }
    return true;
}

// What a worker has to do: items first .. end - 1, upwards or down.
typedef struct share {
    int first, end;
    bool up;
} share;

typedef void visitor(void* context, int stage, int item);

// An even item and the odd one behind it are a pair, and pairs follow each other through the share. Of BAND stages the
// second one begins a pair behind the first one, and so on: all that the share itself has to do before is done then.
static void go_through(share s, int stages, visitor* visit, void* context) {
    const int step = s.up ? 2 : -2, begin = s.up ? (s.first + 1) / 2 * 2 : (s.end - 1) / 2 * 2;
    const int pairs = (s.up ? s.end - begin : begin - s.first + 1) / 2 + 1;
    for (int from = 0; from < stages; from += BAND) {
        const int band = stages - from < BAND ? stages - from : BAND;
        for (int wave = 0; wave < pairs + band - 1; wave++) {
            for (int j = wave < pairs ? 0 : wave - pairs + 1; j < band && j <= wave; j++) {
                const int even = begin + step * (wave - j), odd = even - step / 2;
                if (even >= s.first && even < s.end) visit(context, from + j, even);
                if (odd >= s.first && odd < s.end) visit(context, from + j, odd);
            }
        }
    }
}

typedef struct visit_context {
    sti_tasks* t;
    uint64_t next, end;  // counts of stages: at the beginning, at the end
    int count, worker;
} visit_context;

static void visit_stage(void* context, int stage, int item) {
    const visit_context* v = context;
    const uint64_t next = v->next + (uint64_t)stage;
    enum taking found;
    for (int i = 0; (found = take_stage(v->t, item, next)) == BLOCKED; i++)
        wait_or_help(v->t, v->end, v->count, v->worker, i);
    if (found == TAKEN) do_stage(v->t, item, next, v->worker);
}

static void work_stages(sti_tasks* t, uint64_t row, int worker) {
    const uint64_t end = row >> 8;
    const int count = (int)(row & 255);
    const share s = {.first = (int)((int64_t)count * worker / t->workers),
                     .end = (int)((int64_t)count * (worker + 1) / t->workers),
                     .up = worker % 2 == 0};
    uint64_t next = end;
    for (int k = s.first; k < s.end; k++) {
        const uint64_t taken = atomic_load_explicit(&t->cell[k + 1].taken, memory_order_relaxed);
        if (taken < next) next = taken;
    }
    visit_context v = {t, next, end, count, worker};
    go_through(s, (int)(end - next), visit_stage, &v);
    for (int i = 0; !finished(t, end, count); i++) wait_or_help(t, end, count, worker, i);
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
        const uint64_t row = atomic_load_explicit(&t->row, memory_order_acquire);
        if ((row & 255) != 0)
            work_stages(t, row, s->worker);
        else
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
    if (memory == NULL) return STI_ERR_MEMORY;
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
    atomic_fetch_and_explicit(&t->row, ~(uint64_t)255, memory_order_relaxed);
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

typedef struct alone {
    sti_task_stage* work;
    void* context;
} alone;

static void visit_alone(void* context, int stage, int item) {
    const alone* a = context;
    a->work(a->context, stage, item, 0);
}

void sti_tasks_run_stages(sti_tasks* t, int stages, int count, sti_task_stage* work, void* context) {
    if (t == NULL || count <= 1 || count > ROW_MOST) {
        alone a = {work, context};
        go_through((share){0, count, true}, stages, visit_alone, &a);
        return;
    }
    t->stage = work;
    t->context = context;
    t->stages = stages;
    const uint64_t begin = atomic_load_explicit(&t->row, memory_order_relaxed) >> 8;
    for (int k = 0; count != t->cells && k < count + 2; k++) {
        const uint64_t at = k == 0 || k == count + 1 ? UINT64_MAX : begin;
        atomic_store_explicit(&t->cell[k].taken, at, memory_order_relaxed);
        atomic_store_explicit(&t->cell[k].done, at, memory_order_relaxed);
    }
    t->cells = count;
    const uint64_t row = (begin + (uint64_t)stages) << 8 | (uint64_t)count;
    atomic_store_explicit(&t->row, row, memory_order_release);
    announce(t);
    work_stages(t, row, 0);
}
