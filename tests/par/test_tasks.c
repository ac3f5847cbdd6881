// The pool: every item once, loops one after the other.
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "par/tasks.h"
#include "support/open_env.h"

enum { ITEMS = 997 };

typedef struct ledger {
    atomic_int visits[ITEMS];
    int worker[ITEMS];
    double value[ITEMS];
    int workers;
    atomic_int wrong;  // what a worker saw that should not be: it is asserted by the thread of the test
} ledger;

static void visit(void* context, int item, int worker) {
    ledger* l = context;
    if (worker < 0 || worker >= l->workers) atomic_fetch_add(&l->wrong, 1);
    atomic_fetch_add(&l->visits[item], 1);
    l->worker[item] = worker;
    l->value[item] = 0.5 * l->value[item] + item;
}

static sti_tasks* open_pool(sti_env* env, int workers) {
    sti_tasks* tasks;
    assert_int_equal(sti_tasks_create(env, workers, &tasks), STI_OK);
    return tasks;
}

static void every_item_is_done_once_in_every_loop(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int workers = 1; workers <= 6; workers++) {
        sti_tasks* tasks = open_pool(env, workers);
        ledger* l = calloc(1, sizeof *l);
        l->workers = sti_tasks_workers(tasks);
        assert_true(l->workers >= 1 && l->workers <= workers);
        for (int loop = 0; loop < 200; loop++) {
            const int count = loop % 2 ? ITEMS : loop % 7;
            if (loop % 3 == 0)
                sti_tasks_run_any(tasks, count, visit, l);
            else
                sti_tasks_run(tasks, count, visit, l);
        }
        for (int i = 0; i < ITEMS; i++) {
            int expected = 0;
            for (int loop = 0; loop < 200; loop++) expected += i < (loop % 2 ? ITEMS : loop % 7);
            assert_int_equal(atomic_load(&l->visits[i]), expected);
        }
        assert_int_equal(atomic_load(&l->wrong), 0);
        free(l);
        sti_tasks_destroy(tasks);
    }
    sti_env_destroy(env);
}

enum { HELD = 8 };

static atomic_int others_done;

// The first item of the second half waits for all the others, those behind it too.
static void hold_up(void* context, int item, int worker) {
    (void)context;
    (void)worker;
    if (item != HELD / 2) {
        atomic_fetch_add(&others_done, 1);
        return;
    }
    while (atomic_load(&others_done) < HELD - 1) sched_yield();
}

static void items_behind_one_that_is_held_up_are_done_by_others(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_tasks* tasks = open_pool(env, 2);
    if (sti_tasks_workers(tasks) == 2) {
        for (int loop = 0; loop < 50; loop++) {
            atomic_store(&others_done, 0);
            sti_tasks_run(tasks, HELD, hold_up, NULL);
            assert_int_equal(atomic_load(&others_done), HELD - 1);
        }
    }
    sti_tasks_destroy(tasks);
    sti_env_destroy(env);
}

enum { ROW = 70 };

typedef struct row {
    uint64_t value[ROW + 2];  // of item k: value[k + 1]
    atomic_int at_work[ROW + 2];
    int stages_seen[ROW];
    atomic_int wrong;
} row;

// What an item leaves depends on both neighbours, and on who came first.
static void mix(void* context, int stage, int item, int worker) {
    (void)worker;
    row* r = context;
    if (r->stages_seen[item]++ != stage) atomic_fetch_add(&r->wrong, 1);
    atomic_store(&r->at_work[item + 1], 1);
    if (atomic_load(&r->at_work[item]) != 0 || atomic_load(&r->at_work[item + 2]) != 0) atomic_fetch_add(&r->wrong, 1);
    uint64_t* v = &r->value[item + 1];
    v[0] = 6364136223846793005u * (v[0] + 3 * v[-1] + 5 * v[1]) + (uint64_t)(stage + item);
    atomic_store(&r->at_work[item + 1], 0);
}

// Stage by stage, the even items first.
static void mix_in_order(int stages, int count, row* r) {
    for (int stage = 0; stage < stages; stage++) {
        for (int k = 0; k < 2 * count; k++) {
            if (k % count % 2 == k / count) mix(r, stage, k % count, 0);
        }
    }
}

static void stages_see_their_neighbours_as_stage_by_stage(void** state) {
    (void)state;
    sti_env* env = open_env();
    uint64_t expected[ROW + 2];
    for (int workers = 0; workers <= 5; workers++) {
        sti_tasks* tasks = open_pool(env, workers);
        row* r = calloc(1, sizeof *r);
        ledger* l = calloc(1, sizeof *l);
        l->workers = sti_tasks_workers(tasks);
        for (int loop = 0; loop < 300; loop++) {
            const int counts[] = {0, 1, 2, 3, 8, 8, 17, 64, 64, ROW}, count = counts[loop / 7 % 10], stages = loop % 9;
            for (int k = 0; k < count; k++) r->stages_seen[k] = 0;
            if (workers == 0)
                mix_in_order(stages, count, r);
            else
                sti_tasks_run_stages(tasks, stages, count, mix, r);
            for (int k = 0; k < count; k++) assert_int_equal(r->stages_seen[k], stages);
            assert_int_equal(atomic_load(&r->wrong), 0);
            if (loop % 5 == 0) sti_tasks_run(tasks, 13, visit, l);  // loops of both kinds in turn
        }
        if (workers == 0) memcpy(expected, r->value, sizeof expected);
        assert_memory_equal(r->value, expected, sizeof expected);
        free(l);
        free(r);
        sti_tasks_destroy(tasks);
    }
    sti_env_destroy(env);
}

// The last item does not end its first stage before all that do not depend on it have ended their second one.
static void hold_up_row(void* context, int stage, int item, int worker) {
    (void)context;
    (void)worker;
    if (stage == 1 && item < HELD - 3) atomic_fetch_add(&others_done, 1);
    while (stage == 0 && item == HELD - 1 && atomic_load(&others_done) < HELD - 3) sched_yield();
}

static void a_row_goes_on_where_it_does_not_wait_for_one_that_is_held_up(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_tasks* tasks = open_pool(env, 2);
    if (sti_tasks_workers(tasks) == 2) {
        for (int loop = 0; loop < 20; loop++) {
            atomic_store(&others_done, 0);
            sti_tasks_run_stages(tasks, 2, HELD, hold_up_row, NULL);
            assert_int_equal(atomic_load(&others_done), HELD - 3);
        }
    }
    sti_tasks_destroy(tasks);
    sti_env_destroy(env);
}

static void one_worker_needs_no_pool(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_tasks* tasks = open_pool(env, 1);
    assert_null(tasks);
    assert_int_equal(sti_tasks_workers(tasks), 1);
    sti_tasks_destroy(tasks);
    sti_env_destroy(env);
}

static void pool_that_cannot_be_allocated_is_reported(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_tasks* tasks;
        const sti_status status = sti_tasks_create(f.env, 3, &tasks);
        if (status == STI_OK)
            sti_tasks_destroy(tasks);
        else
            assert_null(tasks);
        const bool done = failing_env_close(&f);
        assert_int_equal(status, done ? STI_OK : STI_ERR_MEMORY);
        if (done) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once_in_every_loop),
        cmocka_unit_test(items_behind_one_that_is_held_up_are_done_by_others),
        cmocka_unit_test(stages_see_their_neighbours_as_stage_by_stage),
        cmocka_unit_test(a_row_goes_on_where_it_does_not_wait_for_one_that_is_held_up),
        cmocka_unit_test(one_worker_needs_no_pool),
        cmocka_unit_test(pool_that_cannot_be_allocated_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
