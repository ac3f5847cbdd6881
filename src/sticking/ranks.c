// ranks.c: ranks of contact directions and consistency of their rates.
//
// Without rounding where exact arithmetic has a say. A rank in floating point (of a matrix with rows and columns scaled
// to size one, which changes no rank) that differs from it means that directions are dependent up to rounding only:
// then the tolerance decides, as for the equations, and *agree turns false.
#include <math.h>

#include "sticking/sticking.h"

// Contact and place there of flat multiplier k.
static int contact_of(const sti_posed* s, int k, int* place) {
    int i = 0;
    while (s->first[i + 1] <= k) i++;
    *place = k - s->first[i];
    return i;
}

static const sti_rationals* table_of(const sti_posed* s, int k, bool rates, size_t* line) {
    const sti_instant_exact* exact = s->instant->exact;
    int place;
    const int i = contact_of(s, k, &place);
    *line = place == 0 ? (size_t)s->contact[i] : (size_t)(s->t_first[i] + place - 1);
    if (exact == NULL) return NULL;
    if (rates) return place == 0 ? exact->n_rate : exact->t_rate;
    return place == 0 ? exact->n : exact->t;
}

double sti_posed_rate(const sti_posed* s, int k) {
    int place;
    const sti_instant_contact* contact = sti_posed_contact(s, contact_of(s, k, &place));
    return place == 0 ? contact->n_rate : contact->t_rate[place - 1];
}

void sti_posed_put_direction(const sti_posed* s, sti_cone_program* g, int row, int column, int k, int entry, int sign) {
    size_t line;
    const sti_rationals* table = table_of(s, k, false, &line);
    sti_program_put_data(g, row, column, s->C[(size_t)entry * (size_t)s->p + (size_t)k], table,
                         line * (size_t)s->n + (size_t)entry, sign);
}

void sti_posed_put_rate(const sti_posed* s, sti_cone_program* g, int row, int column, int k, int sign) {
    size_t line;
    const sti_rationals* table = table_of(s, k, true, &line);
    sti_program_put_data(g, row, column, sti_posed_rate(s, k), table, line, sign);
}

// -(n_entry - mu slip t_entry) as a rational; mu slip is mu itself where the slip is a unit.
static sti_status pushed(const sti_posed* s, int i, int entry, sti_rationals** out) {
    const sti_instant_exact* exact = s->instant->exact;
    sti_cone_program g = {0};
    sti_rationals* x = NULL;
    sti_status status = sti_program_open(&g, s->pool, s->tangents[i], 1, true);
    if (status == STI_OK) status = sti_rationals_create(s->env, (size_t)s->tangents[i], &x);
    if (status == STI_OK) status = sti_rationals_create(s->env, 1, out);
    for (int k = 0; status == STI_OK && k < s->tangents[i]; k++) {
        const double slip = s->slip[s->first[i] + 1 + k];
        if (fabs(slip) == 1 && exact != NULL)
            status = sti_rationals_copy(x, (size_t)k, exact->mu_kinetic, (size_t)s->contact[i]);
        else
            status = sti_rationals_set_double(x, (size_t)k, s->mu[i] * fabs(slip));
        if (slip < 0) sti_int_neg(&x->num[k]);
    }
    if (status == STI_OK) {
        sti_program_add(&g, STI_ROW_ZERO, i);
        sti_posed_put_direction(s, &g, 0, 0, s->first[i], entry, -1);
        for (int k = 0; k < s->tangents[i]; k++)
            sti_posed_put_direction(s, &g, 0, 1 + k, s->first[i] + 1 + k, entry, 1);
        status = s->pool->status;
    }
    if (status == STI_OK) status = sti_program_exact_row(&g, 0, x, *out, 0);
    sti_rationals_destroy(x);
    sti_program_close(&g);
    return status;
}

void sti_posed_put_pushed(const sti_posed* s, sti_cone_program* g, int row, int column, int i, int entry) {
    const double* C = s->C + (size_t)entry * (size_t)s->p + s->first[i];
    sti_posed_put_direction(s, g, row, column, s->first[i], entry, -1);
    if (!s->slides[i] || s->mu[i] == 0) return;
    sti_rationals* sum = NULL;
    sti_status status = pushed(s, i, entry, &sum);
    double value = -C[0];
    for (int k = 1; k <= s->tangents[i]; k++) value += s->mu[i] * s->slip[s->first[i] + k] * C[k];
    if (status == STI_OK) sti_program_put_data(g, row, column, value, sum, 0, 1);
    if (status != STI_OK && s->pool->status == STI_OK) s->pool->status = status;
    sti_rationals_destroy(sum);
}

sti_status sti_posed_rank(const sti_posed* s, bool* agree, const int* multiplier, int count, int* rank) {
    sti_cone_program g = {0};
    sti_status status = sti_program_open(&g, s->pool, count, s->n, *agree);
    if (status != STI_OK) return status;
    double* columns = sti_arena_doubles(s->pool, (size_t)s->n * (size_t)count);
    for (int j = 0; columns != NULL && j < s->n; j++) {
        const int row = sti_program_add(&g, STI_ROW_ZERO, -1);
        for (int k = 0; k < count; k++) {
            sti_posed_put_direction(s, &g, row, 1 + k, multiplier[k], j, 1);
            columns[(size_t)j * (size_t)count + (size_t)k] = s->C[(size_t)j * (size_t)s->p + (size_t)multiplier[k]];
        }
    }
    int exact = 0;
    bool solvable;
    status = s->pool->status;
    if (status == STI_OK) status = sti_small_rank(s->pool, s->n, count, columns, rank);
    if (status == STI_OK && *agree) {
        status = sti_program_exact_rank(&g, &exact, &solvable, NULL);
        *agree = exact == *rank;
    }
    sti_program_close(&g);
    return status;
}

// Some a with direction'a + rate = 0 for all multipliers in the list? acceleration (n): sizes of accelerations that the
// forces by themselves give, NULL when not known: rates far below those are rounding.
static sti_status consistent_with_tolerance(const sti_posed* s, const int* multiplier, int count,
                                            const double* acceleration, bool* out) {
    double* rows = sti_arena_doubles(s->pool, (size_t)s->n * (size_t)count);
    double *rates = sti_arena_doubles(s->pool, (size_t)count), *rest = sti_arena_doubles(s->pool, (size_t)count);
    if (s->pool->status != STI_OK) return s->pool->status;
    double reach = 0;
    for (int k = 0; k < count; k++) {
        double size = 0, load = 0;
        for (int j = 0; j < s->n; j++) {
            const double v = s->C[(size_t)j * (size_t)s->p + (size_t)multiplier[k]];
            rows[(size_t)k * (size_t)s->n + (size_t)j] = v;
            size = fmax(size, fabs(v));
            if (acceleration != NULL) load += fabs(v) * acceleration[j];
        }
        for (int j = 0; j < s->n && size > 0; j++) rows[(size_t)k * (size_t)s->n + (size_t)j] /= size;
        rates[k] = sti_posed_rate(s, multiplier[k]) / (size > 0 ? size : 1);
        reach = fmax(reach, fmax(fabs(rates[k]), size > 0 ? load / size : 0));
    }
    sti_svd f;
    const sti_status status = sti_svd_make(s->pool, count, s->n, rows, STI_SMALL_RANK_TOL, &f);
    if (status != STI_OK) return status;
    sti_svd_outside(&f, rates, rest);
    *out = sti_small_max((size_t)count, rest) <= 1e-9 * reach;
    return STI_OK;
}

sti_status sti_posed_consistent(const sti_posed* s, bool exact, const int* multiplier, int count,
                                const double* acceleration, bool* out) {
    if (!exact) return consistent_with_tolerance(s, multiplier, count, acceleration, out);
    sti_cone_program g = {0};
    int rank;
    sti_status status = sti_program_open(&g, s->pool, s->n, count, true);
    for (int k = 0; status == STI_OK && k < count; k++) {
        const int row = sti_program_add(&g, STI_ROW_ZERO, -1);
        sti_posed_put_rate(s, &g, row, 0, multiplier[k], 1);
        for (int j = 0; j < s->n; j++) sti_posed_put_direction(s, &g, row, 1 + j, multiplier[k], j, 1);
        status = s->pool->status;
    }
    if (status == STI_OK) status = sti_program_exact_rank(&g, &rank, out, NULL);
    sti_program_close(&g);
    return status;
}
