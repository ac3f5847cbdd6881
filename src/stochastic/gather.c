// gather.c: the answers of a team made into that of the whole program.
#include <stiction/stochastic.h>
#include <string.h>

#include "stochastic/program.h"

// Values of this rank (count) at their place among those of all ranks (total), everywhere.
static sti_status gather(sti_env* env, const sti_stochastic_layout* L, double** values, size_t from, size_t count,
                         size_t total) {
    double* all = sti_alloc_array_zero(env, total, sizeof *all);
    sti_status status = all != NULL ? STI_OK : STI_ERR_MEMORY;
    status = sti_stochastic_layout_agree(env, L, status);
    if (status != STI_OK) {
        sti_free(env, all);
        return status;
    }
    if (count > 0) memcpy(all + from, *values, count * sizeof *all);
    sti_stochastic_layout_sum(L, all, total);
    sti_free(env, *values);
    *values = all;
    return STI_OK;
}

// Starts of all scenarios from those of this rank's, whose numbers are `first` and on.
static sti_status gather_starts(sti_env* env, const sti_stochastic_layout* L, size_t** start, int first, int count,
                                int total, size_t* own_from) {
    double* length = sti_alloc_array_zero(env, (size_t)total, sizeof *length);
    size_t* all = sti_alloc_array_zero(env, (size_t)total + 1, sizeof *all);
    sti_status status = STI_OK;
    if (length == NULL || all == NULL) status = STI_ERR_MEMORY;
    status = sti_stochastic_layout_agree(env, L, status);
    if (status == STI_OK) {
        for (int i = 0; i < count; i++) length[first + i] = (double)((*start)[i + 1] - (*start)[i]);
        sti_stochastic_layout_sum(L, length, (size_t)total);
        for (int i = 0; i < total; i++) all[i + 1] = all[i] + (size_t)length[i];
        *own_from = all[first];
        sti_free(env, *start);
        *start = all;
        all = NULL;
    }
    sti_free(env, length);
    sti_free(env, all);
    return status;
}

sti_status sti_stochastic_answer_gather(sti_env* env, const sti_stochastic_team* team, sti_stochastic_answer* a) {
    const sti_stochastic_layout L = {.team = team};
    const int own = a->scenario_count;
    double before = 0, total = own;  // scenarios of the ranks before this one, and of all
    for (int rank = 0; rank + 1 < team->size; rank++) {
        double count = rank == team->rank ? own : 0;
        sti_stochastic_layout_sum(&L, &count, 1);
        if (rank < team->rank) before += count;
    }
    sti_stochastic_layout_sum(&L, &total, 1);
    size_t y_from = 0, l_from = 0;
    const size_t y_count = a->y_count, l_count = a->l_count;
    sti_status status = gather_starts(env, &L, &a->y_start, (int)before, own, (int)total, &y_from);
    if (status == STI_OK) status = gather_starts(env, &L, &a->l_start, (int)before, own, (int)total, &l_from);
    if (status == STI_OK) {
        a->scenario_count = (int)total;
        a->y_count = a->y_start[a->scenario_count];
        a->l_count = a->l_start[a->scenario_count];
        status = gather(env, &L, &a->y, y_from, y_count, a->y_count);
    }
    if (status == STI_OK) status = gather(env, &L, &a->l, l_from, l_count, a->l_count);
    if (status != STI_OK) sti_stochastic_answer_clear(env, a);
    return status;
}
