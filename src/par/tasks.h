// tasks.h: a few threads that share the items of one loop after the other.
//
// Every item is done once, by whoever comes to it, so the items of a loop have to be independent of each other; what
// they compute must not depend on which thread did them. Sums are taken over partial sums that the items leave
// behind, in the order of the items: the same bits for any number of workers.
#ifndef STI_PAR_TASKS_H
#define STI_PAR_TASKS_H

#include "base/env.h"

typedef struct sti_tasks sti_tasks;

// workers counts the calling thread. With one worker, or where the system gives no thread, *out is NULL, which the
// functions below take for "the calling thread alone".
sti_status sti_tasks_create(sti_env* env, int workers, sti_tasks** out);
void sti_tasks_destroy(sti_tasks* tasks);
int sti_tasks_workers(const sti_tasks* tasks);

// work(context, item, worker) for item = 0 .. count - 1; worker (0 .. workers - 1) may be used to find scratch
// memory. Returns when all are done. Not to be called from inside work. run: every worker begins with a share that is
// the same in each loop of that length, so what it touched is still near it, and then helps with what is left. run_any:
// each takes the next item; for items of unequal size.
typedef void sti_task_work(void* context, int item, int worker);
void sti_tasks_run(sti_tasks* tasks, int count, sti_task_work* work, void* context);
void sti_tasks_run_any(sti_tasks* tasks, int count, sti_task_work* work, void* context);

// Loops that follow each other over items in a row, such as sweeps over slabs: work(context, stage, item, worker) for
// every stage = 0 .. stages - 1 and item = 0 .. count - 1. Even items come before the odd ones beside them: an even
// item begins a stage when its neighbours have ended the one before, an odd item when its neighbours have ended the
// same one. So an item may change what its neighbours read, but nobody else, and two that are not neighbours have
// nothing to do with each other. Nobody waits for all the others between stages. Shares as for run.
typedef void sti_task_stage(void* context, int stage, int item, int worker);
void sti_tasks_run_stages(sti_tasks* tasks, int stages, int count, sti_task_stage* work, void* context);

#endif
