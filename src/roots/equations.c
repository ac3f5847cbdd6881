// equations.c: n equations in n unknowns, compiled.
#include "roots/equations.h"

#include <stdio.h>

// ---- set up

// "f" or "f = g", as one entry.
static sti_status add_equation(sti_equations* q, int i, const char* text) {
    char field[40];
    snprintf(field, sizeof field, "equations[%d]", i);
    const char* equals = strchr(text, '=');
    if (equals == NULL) return sti_formulas_add(&q->formulas, field, text, &q->entry[i]);
    char* left = sti_strdup(q->env, text);
    if (left == NULL) return STI_ERR_MEMORY;
    left[equals - text] = '\0';
    int a = -1, b = -1;
    sti_status status = sti_formulas_add(&q->formulas, field, left, &a);
    snprintf(field, sizeof field, "equations[%d], right of =", i);
    if (status == STI_OK) status = sti_formulas_add(&q->formulas, field, equals + 1, &b);
    if (status == STI_OK) status = sti_tape_apply(&q->formulas.tape, STI_OP_SUBTRACT, a, b, &q->entry[i]);
    sti_free(q->env, left);
    return status;
}

static sti_status add_all(sti_equations* q, const sti_root_problem* p, int* bounds) {
    sti_status status = STI_OK;
    char field[80];
    for (int k = 0; status == STI_OK && k < p->definition_count; k++) {
        snprintf(field, sizeof field, "definitions.%.60s", p->definitions[k].name);
        status = sti_formulas_define(&q->formulas, field, p->definitions[k].name, p->definitions[k].formula);
    }
    for (int i = 0; status == STI_OK && i < p->variable_count; i++) status = add_equation(q, i, p->equations[i]);
    for (int k = 0; status == STI_OK && q->boxed && k < 2 * p->variable_count; k++) {
        snprintf(field, sizeof field, "variables.%.50s[%d]", p->variables[k / 2], k % 2);
        status = sti_formulas_add(&q->formulas, field, k % 2 == 0 ? p->low[k / 2] : p->high[k / 2], &bounds[k]);
    }
    return status;
}

static sti_status make_tables(sti_equations* q, const int* bounds) {
    const sti_tape* tape = &q->formulas.tape;
    sti_status status = sti_series_init(&q->series, q->env, tape, 1);
    if (status == STI_OK) status = sti_jets_init(&q->jets, q->env, tape);
    if (status == STI_OK) status = sti_program_init(&q->values, q->env, tape);
    if (status == STI_OK) status = sti_program_init(&q->gradients, q->env, tape);
    if (status != STI_OK) return status;
    for (int i = 0; i < q->n; i++) {
        sti_series_want(&q->series, q->entry[i]);
        sti_program_want(&q->values, q->entry[i], 0);
        sti_program_want(&q->gradients, q->entry[i], 1);
    }
    for (int k = 0; q->boxed && k < 2 * q->n; k++) sti_series_want(&q->series, bounds[k]);
    sti_program_finish(&q->values, tape);
    sti_program_finish(&q->gradients, tape);
    return STI_OK;
}

static sti_status read_box(sti_equations* q, const sti_root_problem* p, const int* bounds) {
    sti_interval anywhere[MOST];
    for (int k = 0; k < MOST; k++) anywhere[k] = iv_whole();
    sti_series_evaluate(&q->series, anywhere, -1, 0);
    for (int k = 0; k < q->n; k++) {
        for (int s = 0; s < 2; s++) {
            const int entry = bounds[2 * k + s];
            const sti_interval v = sti_series_value(&q->series, entry);
            if (!q->series.fixed[entry] || q->series.trouble[entry] != 0 || !iv_is_bounded(v))
                return STI_FAIL(q->env, STI_ERR_INPUT, k, "variables.%s[%d]: \"%.60s\": a finite number is expected",
                                p->variables[k], s, s == 0 ? p->low[k] : p->high[k]);
            if (s == 0)
                q->box[k].low = v.low;
            else
                q->box[k].high = v.high;
        }
        if (!(q->box[k].low <= q->box[k].high))
            return STI_FAIL(q->env, STI_ERR_INPUT, k, "variables.%s: [%g, %g]: the first number is above the second",
                            p->variables[k], q->box[k].low, q->box[k].high);
    }
    return STI_OK;
}

sti_status sti_equations_open(sti_equations* q, sti_env* env, const sti_root_problem* p) {
    int bounds[2 * MOST];
    *q = (sti_equations){.env = env, .n = p->variable_count, .boxed = p->low != NULL};
    if (p->variable_count < 1 || p->variable_count > MOST)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "variables: %d: 1 to %d are expected", p->variable_count, MOST);
    sti_status status = sti_formulas_open(&q->formulas, env, "variables", p->variables, p->variable_count);
    if (status == STI_OK) status = add_all(q, p, bounds);
    if (status == STI_OK) status = make_tables(q, bounds);
    if (status == STI_OK && q->boxed) status = read_box(q, p, bounds);
    if (status != STI_OK) sti_equations_close(q);
    return status;
}

void sti_equations_close(sti_equations* q) {
    if (q->env == NULL) return;
    sti_program_clear(q->env, &q->values);
    sti_program_clear(q->env, &q->gradients);
    if (q->jets.env != NULL) sti_jets_clear(&q->jets);
    sti_series_clear(&q->series);
    sti_formulas_close(&q->formulas);
    *q = (sti_equations){0};
}

// ---- evaluation

bool sti_equations_at(sti_equations* q, const double* x, double* f, double* J) {
    double inputs[2 * MOST + 1] = {0};
    bool finite = true;
    memcpy(inputs, x, (size_t)q->n * sizeof *x);
    sti_jets_evaluate(&q->jets, J != NULL ? &q->gradients : &q->values, inputs);
    q->evaluations += J != NULL ? 2 : 1;
    for (int i = 0; i < q->n; i++) {
        f[i] = q->jets.x[q->entry[i]];
        finite = finite && isfinite(f[i]);
        for (int k = 0; J != NULL && k < q->n; k++) {
            J[i * q->n + k] = sti_jets_gradient(&q->jets, q->entry[i], k);
            finite = finite && isfinite(J[i * q->n + k]);
        }
    }
    return finite;
}

unsigned sti_equations_over(sti_equations* q, const sti_interval* X, sti_interval* F, sti_interval* J) {
    unsigned trouble = 0;
    q->evaluations += J != NULL ? 2 : 1;
    for (int k = 0; k < (J != NULL ? q->n : 1); k++) {
        sti_series_evaluate(&q->series, X, J != NULL ? k : -1, J != NULL);
        for (int i = 0; i < q->n; i++) {
            const sti_interval* c = sti_series_of(&q->series, q->entry[i]);
            F[i] = c[0];
            if (J != NULL) J[i * q->n + k] = c[1];
            trouble |= q->series.trouble[q->entry[i]];
        }
    }
    return trouble;
}

void sti_equations_reason(const sti_equations* q, char* text, size_t size) {
    snprintf(text, size, "nothing");
    for (int i = 0; i < q->n && strcmp(text, "nothing") == 0; i++)
        sti_series_reason(&q->series, q->entry[i], text, size);
}

// ---- small linear systems

bool sti_dense_algebra(double* A, double* b, int n) {
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        }
        if (!(fabs(A[p * n + k]) > 0) || !isfinite(A[p * n + k])) return false;
        for (int j = 0; j < n && p != k; j++) {
            const double t = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = t;
        }
        const double t = b[k];
        b[k] = b[p];
        b[p] = t;
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
    return true;
}
