// map.c: the map of a variational inequality, compiled.
#include "vi/map.h"

#include <stdio.h>
#include <string.h>

static sti_status add_formulas(sti_vi_map* map, const sti_vi* vi) {
    char field[80];
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < vi->definition_count; k++) {
        snprintf(field, sizeof field, "definitions.%.60s", vi->definitions[k].name);
        status = sti_formulas_define(&map->formulas, field, vi->definitions[k].name, vi->definitions[k].formula);
    }
    for (int i = 0; status == STI_OK && i < vi->n; i++) {
        snprintf(field, sizeof field, "F[%d]", i);
        status = sti_formulas_add(&map->formulas, field, vi->F[i], &map->entry[i]);
    }
    return status;
}

static sti_status make_tables(sti_vi_map* map) {
    const sti_tape* tape = &map->formulas.tape;
    sti_status status = sti_series_init(&map->series, map->env, tape, 1);
    if (status == STI_OK) status = sti_jets_init(&map->jets, map->env, tape);
    if (status == STI_OK) status = sti_program_init(&map->values, map->env, tape);
    if (status == STI_OK) status = sti_program_init(&map->gradients, map->env, tape);
    if (status != STI_OK) return status;
    for (int i = 0; i < map->n; i++) {
        sti_series_want(&map->series, map->entry[i]);
        sti_program_want(&map->values, map->entry[i], 0);
        sti_program_want(&map->gradients, map->entry[i], 1);
    }
    sti_program_finish(&map->values, tape);
    sti_program_finish(&map->gradients, tape);
    return STI_OK;
}

sti_status sti_vi_map_open(sti_vi_map* map, sti_env* env, const sti_vi* vi) {
    *map = (sti_vi_map){.env = env, .vi = vi, .n = vi->n};
    map->entry = sti_alloc_array(env, (size_t)vi->n, sizeof *map->entry);
    map->inputs = sti_alloc_array_zero(env, 2 * (size_t)vi->n + 1, sizeof *map->inputs);
    sti_status status = map->entry == NULL || map->inputs == NULL
                            ? STI_ERR_MEMORY
                            : sti_formulas_open(&map->formulas, env, "variables", vi->variables, vi->n);
    if (status == STI_OK) status = add_formulas(map, vi);
    if (status == STI_OK) status = make_tables(map);
    if (status != STI_OK) sti_vi_map_close(map);
    return status;
}

void sti_vi_map_close(sti_vi_map* map) {
    if (map->env == NULL) return;
    sti_program_clear(map->env, &map->values);
    sti_program_clear(map->env, &map->gradients);
    if (map->jets.env != NULL) sti_jets_clear(&map->jets);
    sti_series_clear(&map->series);
    sti_formulas_close(&map->formulas);
    sti_free(map->env, map->entry);
    sti_free(map->env, map->inputs);
    *map = (sti_vi_map){0};
}

bool sti_vi_map_at(sti_vi_map* map, const double* x, double* F, double* J) {
    bool finite = true;
    memcpy(map->inputs, x, (size_t)map->n * sizeof *x);
    sti_jets_evaluate(&map->jets, J != NULL ? &map->gradients : &map->values, map->inputs);
    for (int i = 0; i < map->n; i++) {
        F[i] = map->jets.x[map->entry[i]];
        finite = finite && isfinite(F[i]);
        for (int k = 0; J != NULL && k < map->n; k++) {
            double* entry = &J[(size_t)i * (size_t)map->n + (size_t)k];
            *entry = sti_jets_gradient(&map->jets, map->entry[i], k);
            finite = finite && isfinite(*entry);
        }
    }
    return finite;
}

unsigned sti_vi_map_over(sti_vi_map* map, const sti_interval* X, sti_interval* F) {
    unsigned trouble = 0;
    sti_series_evaluate(&map->series, X, -1, 0);
    for (int i = 0; i < map->n; i++) {
        F[i] = sti_series_value(&map->series, map->entry[i]);
        trouble |= map->series.trouble[map->entry[i]];
    }
    return trouble;
}
