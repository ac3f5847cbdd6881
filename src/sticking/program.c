// program.c: rows and their entries, and what exact integers say of them.
#include "sticking/program.h"

#include <math.h>
#include <string.h>

sti_status sti_program_open(sti_cone_program* p, sti_arena* pool, int size, int capacity, bool exact) {
    *p = (sti_cone_program){.env = pool->env, .pool = pool, .size = size, .capacity = capacity};
    const size_t count = (size_t)capacity * ((size_t)size + 1);
    p->row = sti_arena_doubles(pool, count);
    p->kind = sti_arena_take(pool, (size_t)capacity, 1);
    p->owner = sti_arena_ints(pool, (size_t)capacity);
    if (pool->status != STI_OK) return pool->status;
    return exact ? sti_rationals_create(p->env, count, &p->exact) : STI_OK;
}

void sti_program_close(sti_cone_program* p) {
    sti_rationals_destroy(p->exact);
    p->exact = NULL;
}

int sti_program_add(sti_cone_program* p, sti_row_kind kind, int owner) {
    STI_ASSERT(p->rows < p->capacity);
    p->kind[p->rows] = (unsigned char)kind;
    p->owner[p->rows] = owner;
    if (kind == STI_ROW_HEAD) p->has_cones = true;
    return p->rows++;
}

void sti_program_put(sti_cone_program* p, int row, int column, double value) {
    const size_t k = (size_t)row * ((size_t)p->size + 1) + (size_t)column;
    p->row[k] = value;
    const sti_status status = p->exact != NULL ? sti_rationals_set_double(p->exact, k, value) : STI_OK;
    if (p->pool->status == STI_OK) p->pool->status = status;
}

void sti_program_put_data(sti_cone_program* p, int row, int column, double value, const sti_rationals* table,
                          size_t index, int sign) {
    if (table == NULL || p->exact == NULL) {
        sti_program_put(p, row, column, sign * value);
        return;
    }
    const size_t k = (size_t)row * ((size_t)p->size + 1) + (size_t)column;
    p->row[k] = sign * value;
    const sti_status status = sti_rationals_copy(p->exact, k, table, index);
    if (p->pool->status == STI_OK) p->pool->status = status;
    if (sign < 0) sti_int_neg(&p->exact->num[k]);
}

double sti_program_row_value(const sti_cone_program* p, int row, const double* x) {
    const double* r = p->row + (size_t)row * ((size_t)p->size + 1);
    return r[0] + sti_small_dot(p->size, r + 1, x);
}

sti_status sti_program_exact_row(const sti_cone_program* p, int row, const sti_rationals* x, sti_rationals* out,
                                 size_t index) {
    const size_t width = (size_t)p->size + 1, from = (size_t)row * width;
    sti_exact e;
    sti_int num = {0}, den = {0}, point_num = {0}, point_den = {0}, sum = {0};
    sti_exact_init(&e, p->env);
    sti_int *image = sti_int_array(&e, width), *point = sti_int_array(&e, width);
    if (e.status == STI_OK && p->exact != NULL)
        sti_int_row_from_rationals(&e, image, p->exact, from, width, &num, &den);
    else if (e.status == STI_OK)
        sti_int_row_from_doubles(&e, image, p->row + from, width, 1, &num, &den);
    if (e.status == STI_OK) sti_int_row_from_rationals(&e, point, x, 0, width - 1, &point_num, &point_den);
    if (e.status == STI_OK) {  // image = num/den row, point = point_num/point_den x
        for (size_t j = 1; j < width; j++) sti_int_addmul(&e, &sum, &image[j], &point[j - 1]);
        sti_int_mul(&e, &sum, &sum, &point_den);
        sti_int_mul(&e, &image[0], &image[0], &point_num);
        sti_int_add(&e, &sum, &sum, &image[0]);
        sti_int_mul(&e, &num, &num, &point_num);
        sti_int_mul(&e, &sum, &sum, &den);
    }
    sti_status status = e.status;
    if (status == STI_OK) status = sti_rationals_set_ratio(out, index, &sum, &num);
    sti_int_array_free(p->env, image, image != NULL ? width : 0);
    sti_int_array_free(p->env, point, point != NULL ? width : 0);
    sti_int* const own[] = {&num, &den, &point_num, &point_den, &sum};
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) sti_int_clear(p->env, own[k]);
    sti_exact_clear(&e);
    return status == STI_OK ? STI_OK : STI_ERR_MEMORY;
}

sti_status sti_program_exact_value(const sti_cone_program* p, int row, const sti_rationals* x, int* sign,
                                   double* value) {
    sti_rationals* one = NULL;
    sti_status status = sti_rationals_create(p->env, 1, &one);
    if (status == STI_OK) status = sti_program_exact_row(p, row, x, one, 0);
    if (status == STI_OK) {
        *sign = sti_rationals_sign(one, 0);
        *value = sti_rationals_double(one, 0);
    }
    sti_rationals_destroy(one);
    return status;
}

// ---- exact

// The dictionary of the program. Every unknown is free; below the rows stand the forms -x_j, free too, so that both
// x_j and its negative can be minimized.
static sti_status load(sti_exact_program* e, bool equations_only) {
    const sti_cone_program* p = e->program;
    const int extra = equations_only ? 0 : p->size;
    sti_status status = sti_dictionary_create(&e->x, p->rows + extra, p->size, &e->D);
    if (status != STI_OK) return status;
    sti_dictionary* D = e->D;
    const size_t width = (size_t)p->size + 1;
    memset(D->kind, STI_VAR_FREE, (size_t)D->rows + (size_t)D->cols);
    for (int r = 0; r < p->rows; r++) {
        const int variable = p->size + r;
        if (p->kind[r] == STI_ROW_ZERO)
            D->kind[variable] = STI_VAR_ZERO;
        else if (!equations_only)
            D->kind[variable] = STI_VAR_NONNEGATIVE;
        if (p->exact != NULL)
            sti_int_row_from_rationals(&e->x, sti_dictionary_at(D, r, 0), p->exact, (size_t)r * width, width, NULL,
                                       NULL);
        else
            sti_int_row_from_doubles(&e->x, sti_dictionary_at(D, r, 0), p->row + (size_t)r * width, width, 1, NULL,
                                     NULL);
    }
    for (int j = 0; j < extra; j++) sti_int_set_i64(&e->x, sti_dictionary_at(D, p->rows + j, j + 1), -1);
    return e->x.status;
}

sti_status sti_exact_program_open(sti_exact_program* e, const sti_cone_program* p) {
    *e = (sti_exact_program){.program = p};
    sti_exact_init(&e->x, p->env);
    e->held = sti_alloc_array_zero(p->env, (size_t)p->size, sizeof *e->held);
    if (e->held == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_check_time(p->env, "solving linear programs");
    if (status == STI_OK) status = load(e, false);
    if (status != STI_OK) return status;
    e->feasible = sti_dictionary_feasible(e->D);
    for (int j = 0; j < p->size; j++) e->held[j] = e->D->kind[j] == STI_VAR_ZERO;
    return e->x.status;
}

void sti_exact_program_close(sti_exact_program* e) {
    if (e->program == NULL) return;
    sti_dictionary_destroy(e->D);
    sti_free(e->program->env, e->held);
    sti_exact_clear(&e->x);
    *e = (sti_exact_program){0};
}

sti_status sti_exact_program_point(sti_exact_program* e, sti_rationals* out) {
    sti_dictionary* D = e->D;
    sti_status status = STI_OK;
    for (int j = 0; status == STI_OK && j < e->program->size; j++) {
        const int r = sti_dictionary_row_of(D, j);
        if (r >= 0)
            status = sti_rationals_set_ratio(out, (size_t)j, sti_dictionary_at(D, r, 0), &D->d);
        else
            status = sti_rationals_set_double(out, (size_t)j, 0);
    }
    return status;
}

// Multipliers of the integer rows, brought back to the rows as given: integer row = scale times row, and scale is the
// ratio of two entries that are not zero.
static sti_status unscale(sti_exact_program* e, const sti_int* y, sti_rationals* out) {
    const sti_cone_program* p = e->program;
    sti_exact* x = &e->x;
    const size_t width = (size_t)p->size + 1;
    sti_int* image = sti_int_array(x, width);
    sti_int num = {0}, den = {0};
    sti_status status = e->x.status;
    for (int r = 0; status == STI_OK && r < p->rows; r++) {
        if (p->exact != NULL)
            sti_int_row_from_rationals(x, image, p->exact, (size_t)r * width, width, &num, &den);
        else
            sti_int_row_from_doubles(x, image, p->row + (size_t)r * width, width, 1, &num, &den);
        sti_int_mul(x, &num, &num, &y[r]);
        status = e->x.status;
        if (status == STI_OK) status = sti_rationals_set_ratio(out, (size_t)r, &num, &den);
    }
    sti_int_array_free(p->env, image, image != NULL ? width : 0);
    sti_int_clear(p->env, &num);
    sti_int_clear(p->env, &den);
    return status;
}

sti_status sti_exact_program_farkas(sti_exact_program* e, sti_rationals* out) {
    const size_t count = (size_t)e->D->rows;
    sti_int* y = sti_int_array(&e->x, count);
    sti_status status = e->x.status;
    if (status == STI_OK) {
        sti_dictionary_farkas(e->D, y);
        status = e->x.status;
    }
    if (status == STI_OK) status = unscale(e, y, out);
    sti_int_array_free(e->program->env, y, y != NULL ? count : 0);
    return status;
}

sti_status sti_exact_program_least(sti_exact_program* e, int j, int sign, double* value) {
    sti_dictionary* D = e->D;
    const int negative = e->program->size + e->program->rows + j;  // the form -x_j
    *value = NAN;
    const int row = sti_dictionary_row_of(D, negative);
    STI_ASSERT(row >= 0);
    // free unknowns that nothing reaches are held at zero, and may be anything
    for (int k = 0; k < D->cols; k++) {
        const int variable = D->nonbasic[k];
        if (variable < e->program->size && e->held[variable] && sti_int_sign(sti_dictionary_at(D, row, k + 1)) != 0) {
            *value = -INFINITY;
            return STI_OK;
        }
    }
    int objective = negative;
    if (sign > 0) {
        objective = j;
        if (sti_dictionary_row_of(D, j) < 0) {  // not basic: x_j = 0 throughout
            *value = 0;
            return STI_OK;
        }
    }
    int column;
    const bool optimal = sti_dictionary_minimize(D, objective, &column);
    const sti_status status = e->x.status;
    if (status != STI_OK) return status;
    *value = -INFINITY;
    if (optimal) *value = sti_int_ratio(&e->x, sti_dictionary_at(D, sti_dictionary_row_of(D, objective), 0), &D->d);
    return e->x.status;
}

sti_status sti_program_exact_rank(const sti_cone_program* p, int* rank, bool* solvable, sti_rationals* farkas) {
    sti_exact_program e = {.program = p};
    sti_exact_init(&e.x, p->env);
    *rank = 0;
    *solvable = false;
    sti_status status = load(&e, true);
    if (status == STI_OK) {
        *solvable = sti_dictionary_feasible(e.D);
        status = e.x.status;
    }
    // an unknown that became basic is a pivot among the equations
    for (int r = 0; status == STI_OK && r < e.D->rows; r++) {
        if (e.D->basic[r] < p->size) (*rank)++;
    }
    if (status == STI_OK && !*solvable && farkas != NULL) status = sti_exact_program_farkas(&e, farkas);
    sti_exact_program_close(&e);
    return status;
}
