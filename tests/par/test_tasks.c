// The pool: every item once, loops one after the other.
#include "support/failing_env.h"
// clang-format off
#include <sched.h>
#include <stdatomic.h>
#include "par/tasks.h"
// clang-format on

enum { ITEMS = 997 };

typedef struct ledger {
    atomic_int visits[ITEMS];
    int worker[ITEMS];
    double value[ITEMS];
    int workers;
} ledger;

static void visit(void* context, int item, int worker) {
    ledger* l = context;
    assert_true(worker >= 0 && worker < l->workers);
    atomic_fetch_add(&l->visits[item], 1);
    l->worker[item] = worker;
    l->value[item] = 0.5 * l->value[item] + item;
}

static void every_item_is_done_once_in_every_loop(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    for (int workers = 1; workers <= 6; workers++) {
        sti_tasks* tasks;
        assert_int_equal(sti_tasks_create(env, workers, &tasks), STI_OK);
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
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_tasks* tasks;
    assert_int_equal(sti_tasks_create(env, 2, &tasks), STI_OK);
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

static void one_worker_needs_no_pool(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_tasks* tasks;
    assert_int_equal(sti_tasks_create(env, 1, &tasks), STI_OK);
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
        cmocka_unit_test(one_worker_needs_no_pool),
        cmocka_unit_test(pool_that_cannot_be_allocated_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
