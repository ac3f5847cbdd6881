// stochastic_sample.c: scenarios drawn from a distribution that is written as formulas.
//
//     "sample": {"random": {"u": "uniform", "z": "normal"}, "definitions": {"mu": "0.2 + 0.3*u"},
//                "scenario": {"Q": .., "c": ["2*mu", 1], "T": .., "W": [["-mu", 1]], "d": ["exp(z/5)"]}}
//
// uniform: from 0 to 1; normal: mean 0, deviation 1. Each scenario draws every name anew, in the order of the file,
// from one stream.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "documents/stochastic_store.h"
#include "formats/json_fields.h"
#include "system/expression.h"

enum { FIELD_COUNT = 11 };

typedef struct field {
    const char* name;
    bool matrix;
    bool given;
    int rows, cols;
    size_t start;  // of its numbers among those of a scenario
} field;

static const char* const field_names[FIELD_COUNT] = {"Q", "T", "W", "W0", "c", "d", "dl", "du", "lb", "ub", "name"};
enum { Q, T, W, W0, C, D, DL, DU, LB, UB };
static const char* const sample_names[] = {"random", "definitions", "scenario"};

typedef struct cell {
    size_t at;  // a number of the scenario
    int entry;  // of the tape
} cell;

struct sti_distribution {
    sti_env* env;
    sti_tape tape;
    sti_scope scope;
    char** texts;  // names of the tape's symbols, owned                (text_count)
    int text_count, text_capacity;
    int random_count;
    bool* normal;  // (random_count)
    field field[FIELD_COUNT];
    int m, q;
    size_t number_count, number_capacity;
    double* numbers;  // a scenario with 0 where a formula stands      (number_count)
    size_t cell_count, cell_capacity;
    cell* cells;
};

struct drawn {
    sti_stochastic program;  // first member: what is handed out
    sti_scenario* scenarios;
    double* numbers;
};

void sti_distribution_destroy(sti_env* env, sti_distribution* d) {
    if (d == NULL) return;
    sti_scope_clear(&d->scope);
    sti_tape_clear(&d->tape);
    for (int k = 0; k < d->text_count; k++) sti_free(env, d->texts[k]);
    sti_free(env, d->texts);
    sti_free(env, d->normal);
    sti_free(env, d->numbers);
    sti_free(env, d->cells);
    sti_free(env, d);
}

// ---- growing lists

static sti_status keep_text(sti_distribution* d, const char* text, const char** out) {
    if (d->text_count == d->text_capacity) {
        const int capacity = d->text_capacity < 16 ? 16 : sti_count_mul(2, d->text_capacity);
        char** texts = sti_realloc_array(d->env, d->texts, (size_t)capacity, sizeof *texts);
        if (texts == NULL) return STI_ERR_MEMORY;
        d->texts = texts;
        d->text_capacity = capacity;
    }
    char* copy = sti_strdup(d->env, text);
    if (copy == NULL) return STI_ERR_MEMORY;
    d->texts[d->text_count++] = copy;
    *out = copy;
    return STI_OK;
}

static sti_status add_number(sti_distribution* d, double value) {
    if (d->number_count == d->number_capacity) {
        const size_t capacity = d->number_capacity < 64 ? 64 : sti_size_mul(2, d->number_capacity);
        double* numbers = sti_realloc_array(d->env, d->numbers, capacity, sizeof *numbers);
        if (numbers == NULL) return STI_ERR_MEMORY;
        d->numbers = numbers;
        d->number_capacity = capacity;
    }
    d->numbers[d->number_count++] = value;
    return STI_OK;
}

static sti_status add_cell(sti_distribution* d, int entry) {
    if (d->cell_count == d->cell_capacity) {
        const size_t capacity = d->cell_capacity < 64 ? 64 : sti_size_mul(2, d->cell_capacity);
        cell* cells = sti_realloc_array(d->env, d->cells, capacity, sizeof *cells);
        if (cells == NULL) return STI_ERR_MEMORY;
        d->cells = cells;
        d->cell_capacity = capacity;
    }
    d->cells[d->cell_count++] = (cell){d->number_count, entry};
    return add_number(d, 0);
}

// ---- reading

static sti_status say_where(const sti_json_tree* tree, sti_status status) {
    char text[sizeof((sti_error*)0)->text];
    if (status != STI_ERR_INPUT) return status;
    snprintf(text, sizeof text, "%s", sti_env_error(tree->env)->text);
    return STI_FAIL(tree->env, status, -1, "%.200s: %.260s", tree->name, text);
}

static sti_status read_random(sti_distribution* d, const sti_json_tree* tree, const sti_place* up,
                              const sti_json_value* object) {
    static const char* const laws[] = {"uniform", "normal"};
    const sti_place place = sti_place_key(up, "random");
    if (!sti_json_is_object(object) || sti_json_count(object) < 1 || sti_json_count(object) > 1000)
        return sti_json_fail(tree, &place, object, "names with \"uniform\" or \"normal\" are expected");
    d->random_count = sti_json_count(object);
    d->normal = sti_alloc_array_zero(d->env, (size_t)d->random_count, sizeof *d->normal);
    if (d->normal == NULL) return STI_ERR_MEMORY;
    sti_tape_init(&d->tape, d->env, d->random_count, 0);
    d->scope.tape = &d->tape;
    int k = 0;
    for (const sti_json_value* value = object->child; value != NULL; value = value->next, k++) {
        const sti_place at = sti_place_key(&place, value->key);
        char where[120];
        const char* name = NULL;
        int law = -1;
        sti_status status = sti_json_read_word(tree, &place, object, value->key, laws, 2, &law);
        if (status == STI_OK && law < 0)
            status = sti_json_fail(tree, &at, value, "\"uniform\" or \"normal\" is expected");
        sti_place_text(&at, where, sizeof where);
        if (status == STI_OK) status = keep_text(d, value->key, &name);
        if (status == STI_OK) status = say_where(tree, sti_scope_parameter(&d->scope, where, name, k));
        if (status != STI_OK) return status;
        d->normal[k] = law == 1;
    }
    return STI_OK;
}

static sti_status read_definitions(sti_distribution* d, const sti_json_tree* tree, const sti_place* up,
                                   const sti_json_value* object) {
    const sti_place place = sti_place_key(up, "definitions");
    if (object == NULL) return STI_OK;
    if (!sti_json_is_object(object)) return sti_json_fail(tree, &place, object, "names with formulas are expected");
    for (const sti_json_value* value = object->child; value != NULL; value = value->next) {
        const sti_place at = sti_place_key(&place, value->key);
        const bool formula = sti_json_is_string(value) || sti_json_is_number(value);
        char where[120];
        const char *name = NULL, *text = NULL;
        if (!formula) return sti_json_fail(tree, &at, value, "a formula is expected");
        sti_place_text(&at, where, sizeof where);
        sti_status status = keep_text(d, value->key, &name);
        if (status == STI_OK) status = keep_text(d, value->text, &text);
        if (status == STI_OK) status = say_where(tree, sti_scope_definition(&d->scope, where, name, text));
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

static sti_status read_cell(sti_distribution* d, const sti_json_tree* tree, const sti_place* place,
                            const sti_json_value* value, double none) {
    if (sti_json_is_null(value) && isinf(none)) return add_number(d, none);
    if (sti_json_is_number(value)) {
        bool is_double;
        double number;
        const sti_status status = sti_json_read_number(tree, place, value, &number, &is_double);
        return status == STI_OK ? add_number(d, number) : status;
    }
    if (!sti_json_is_string(value)) return sti_json_fail(tree, place, value, "a number or a formula is expected");
    char where[120];
    int entry = 0;
    sti_place_text(place, where, sizeof where);
    const sti_status status = say_where(tree, sti_expression_compile(&d->scope, where, value->text, &entry));
    return status == STI_OK ? add_cell(d, entry) : status;
}

static sti_status read_list(sti_distribution* d, const sti_json_tree* tree, const sti_place* place,
                            const sti_json_value* list, double none, int* count) {
    if (!sti_json_is_array(list)) return sti_json_fail(tree, place, list, "a list is expected");
    int j = 0;
    sti_status status = STI_OK;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, j++) {
        const sti_place at = sti_place_index(place, j);
        status = read_cell(d, tree, &at, value, none);
    }
    *count = j;
    return status;
}

static sti_status read_rows(sti_distribution* d, const sti_json_tree* tree, const sti_place* place,
                            const sti_json_value* list, field* f) {
    if (!sti_json_is_array(list) || sti_json_count(list) < 1)
        return sti_json_fail(tree, place, list, "a list of rows is expected");
    for (const sti_json_value* row = list->child; row != NULL; row = row->next) {
        const sti_place at = sti_place_index(place, f->rows);
        int cols = 0;
        const sti_status status = read_list(d, tree, &at, row, 0, &cols);
        if (status != STI_OK) return status;
        if (f->rows > 0 && cols != f->cols)
            return sti_json_fail(tree, &at, row, "a row of %d is expected, as the first one", f->cols);
        f->cols = cols;
        f->rows++;
    }
    return STI_OK;
}

static sti_status read_field(sti_distribution* d, const sti_json_tree* tree, const sti_place* up,
                             const sti_json_value* object, int k) {
    field* f = &d->field[k];
    *f = (field){.name = field_names[k], .matrix = k <= W0, .start = d->number_count};
    const sti_json_value* value = sti_json_field(object, f->name);
    const sti_place place = sti_place_key(up, f->name);
    if (value == NULL) return STI_OK;
    f->given = true;
    if (f->matrix) return read_rows(d, tree, &place, value, f);
    f->cols = 1;
    return read_list(d, tree, &place, value,
                     k == DL || k == LB   ? -INFINITY
                     : k == DU || k == UB ? INFINITY
                                          : 0,
                     &f->rows);
}

// Sizes that fields have to have; -1: not known.
static sti_status check_field(const sti_distribution* d, const sti_json_tree* tree, const sti_place* up, int k,
                              int rows, int cols) {
    const field* f = &d->field[k];
    const sti_place place = sti_place_key(up, f->name);
    if (!f->given || (f->rows == rows && f->cols == cols)) return STI_OK;
    return sti_json_fail(tree, &place, NULL, "%d x %d: %d x %d is expected", f->rows, f->cols, rows, cols);
}

static sti_status check_sizes(sti_distribution* d, const sti_json_tree* tree, const sti_place* up, int n, int p,
                              int W0_rows) {
    const field* f = d->field;
    d->m = f[C].given ? f[C].rows : f[W].given ? f[W].cols : f[Q].given ? f[Q].cols : f[T].given ? f[T].cols : 0;
    d->q = f[W].given ? f[W].rows : f[W0].given ? f[W0].rows : f[D].given ? f[D].rows : W0_rows;
    const int sizes[][2] = {{d->m, d->m}, {p, d->m}, {d->q, d->m}, {d->q, n}, {d->m, 1},
                            {d->q, 1},    {d->q, 1}, {d->q, 1},    {d->m, 1}, {d->m, 1}};
    for (int k = Q; k <= UB; k++) {
        const sti_status status = check_field(d, tree, up, k, sizes[k][0], sizes[k][1]);
        if (status != STI_OK) return status;
    }
    const sti_place place = sti_place_key(up, "d");
    if (f[D].given && (f[DL].given || f[DU].given))
        return sti_json_fail(tree, &place, NULL, "d stands for both sides: neither dl nor du is expected beside it");
    if (f[DL].given != f[DU].given) return sti_json_fail(tree, &place, NULL, "dl and du are expected together");
    return STI_OK;
}

static sti_status read_all(sti_distribution* d, const sti_json_tree* tree, const sti_json_value* sample, int n, int p,
                           int W0_rows) {
    const sti_place place = sti_place_key(NULL, "sample"), at = sti_place_key(&place, "scenario");
    const sti_json_value* scenario = sti_json_field(sample, "scenario");
    if (!sti_json_is_object(sample)) return sti_json_fail(tree, &place, sample, "an object is expected");
    sti_status status = sti_json_check_names(tree, &place, sample, sample_names, 3);
    if (status == STI_OK) status = read_random(d, tree, &place, sti_json_field(sample, "random"));
    if (status == STI_OK) status = read_definitions(d, tree, &place, sti_json_field(sample, "definitions"));
    if (status == STI_OK && !sti_json_is_object(scenario))
        status = sti_json_fail(tree, &at, scenario, "a scenario with formulas is expected");
    if (status == STI_OK) status = sti_json_check_names(tree, &at, scenario, field_names, FIELD_COUNT);
    for (int k = Q; status == STI_OK && k <= UB; k++) status = read_field(d, tree, &at, scenario, k);
    return status == STI_OK ? check_sizes(d, tree, &at, n, p, W0_rows) : status;
}

sti_status sti_distribution_read(const sti_json_tree* tree, const sti_json_value* sample, int n, int p, int W0_rows,
                                 sti_distribution** out) {
    sti_distribution* d = sti_alloc_array_zero(tree->env, 1, sizeof *d);
    if (d == NULL) return STI_ERR_MEMORY;
    d->env = tree->env;
    const sti_status status = read_all(d, tree, sample, n, p, W0_rows);
    if (status == STI_OK)
        *out = d;
    else
        sti_distribution_destroy(tree->env, d);
    return status;
}

// ---- drawing

static double draw(sti_rng* rng, bool normal) {
    const double u = sti_rng_u01(rng);
    if (!normal) return u;
    const double v = sti_rng_u01(rng), pi = M_PI;
    return sqrt(-2 * log(1 - u)) * cos(2 * pi * v);
}

static void evaluate(const sti_tape* tape, const double* input, double* value) {
    for (int k = 0; k < tape->count; k++) {
        const sti_node* node = &tape->node[k];
        sti_partials f = {0};
        if (node->op == STI_OP_CONSTANT)
            f.f = node->value;
        else if (node->op == STI_OP_INPUT)
            f.f = node->a < tape->parameter_count ? input[node->a] : 0;  // t
        else
            sti_op_evaluate(node->op, value[node->a], node->b >= 0 ? value[node->b] : 0, 0, false, &f);
        value[k] = f.f;
    }
}

static sti_matrix matrix_of(const sti_distribution* d, double* numbers, int k) {
    const field* f = &d->field[k];
    return f->given ? sti_matrix_dense_view(f->rows, f->cols, numbers + f->start) : (sti_matrix){0};
}

static const double* vector_of(const sti_distribution* d, const double* numbers, int k) {
    return d->field[k].given ? numbers + d->field[k].start : NULL;
}

static sti_scenario scenario_of(const sti_distribution* d, double* numbers, double probability) {
    const double* both = vector_of(d, numbers, D);
    return (sti_scenario){.probability = probability,
                          .m = d->m,
                          .q = d->q,
                          .Q = matrix_of(d, numbers, Q),
                          .T = matrix_of(d, numbers, T),
                          .W = matrix_of(d, numbers, W),
                          .W0 = matrix_of(d, numbers, W0),
                          .c = vector_of(d, numbers, C),
                          .dl = both != NULL ? both : vector_of(d, numbers, DL),
                          .du = both != NULL ? both : vector_of(d, numbers, DU),
                          .lb = vector_of(d, numbers, LB),
                          .ub = vector_of(d, numbers, UB)};
}

static sti_status fill(sti_env* env, const sti_distribution* d, struct drawn* s, double* scratch, uint64_t* seed) {
    sti_rng rng = {*seed};
    double *input = scratch, *value = scratch + d->random_count;
    for (int i = 0; i < s->program.scenario_count; i++) {
        double* numbers = s->numbers + sti_size_mul((size_t)i, d->number_count);
        if (d->number_count > 0) memcpy(numbers, d->numbers, sti_size_mul(d->number_count, sizeof *numbers));
        for (int k = 0; k < d->random_count; k++) input[k] = draw(&rng, d->normal[k]);
        evaluate(&d->tape, input, value);
        for (size_t k = 0; k < d->cell_count; k++) {
            const double x = value[d->cells[k].entry];
            if (!isfinite(x))
                return STI_FAIL(env, STI_ERR_INPUT, i, "sample: scenario %d: a formula has no value: %g", i, x);
            numbers[d->cells[k].at] = x;
        }
        s->scenarios[i] = scenario_of(d, numbers, 1.0 / s->program.scenario_count);
    }
    *seed = rng.state;
    return STI_OK;
}

sti_status sti_distribution_draw(sti_env* env, const sti_distribution* d, const sti_stochastic* first, int count,
                                 uint64_t* seed, sti_stochastic** out) {
    struct drawn* s = sti_alloc_array_zero(env, 1, sizeof *s);
    double* scratch =
        sti_alloc_array(env, sti_size_add((size_t)d->random_count, (size_t)d->tape.count), sizeof *scratch);
    sti_status status = STI_OK;
    if (s != NULL) {
        s->program = *first;
        s->program.scenario_count = count;
        s->scenarios = sti_alloc_array_zero(env, (size_t)count, sizeof *s->scenarios);
        s->numbers = sti_alloc_array(env, sti_size_mul((size_t)count, d->number_count), sizeof *s->numbers);
        s->program.scenarios = s->scenarios;
    }
    if (s == NULL || scratch == NULL || s->scenarios == NULL || s->numbers == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = fill(env, d, s, scratch, seed);
    sti_free(env, scratch);
    if (status == STI_OK)
        *out = &s->program;
    else
        sti_stochastic_sample_destroy(env, s != NULL ? &s->program : NULL);
    return status;
}

void sti_stochastic_sample_destroy(sti_env* env, sti_stochastic* sample) {
    struct drawn* s = (struct drawn*)sample;
    if (s == NULL) return;
    sti_free(env, s->scenarios);
    sti_free(env, s->numbers);
    sti_free(env, s);
}
