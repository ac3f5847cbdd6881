// check.c: sizes, storage, finite numbers, sides in order, probabilities, symmetric and positive semidefinite Q.
#include "stochastic/check.h"

#include <math.h>
#include <stdio.h>

#include "linalg/check.h"

enum { MOST = 20000 };  // rows and columns of a block

static const double ASYMMETRIC = 1e-12, NEGATIVE = 1e-10, SUM = 1e-9;

typedef struct name {
    char text[80];
} name;

static name part(int scenario, const char* what) {
    name n;
    if (scenario < 0)
        snprintf(n.text, sizeof n.text, "%s", what);
    else
        snprintf(n.text, sizeof n.text, "scenarios[%d].%s", scenario, what);
    return n;
}

static sti_status check_matrix(sti_env* env, int scenario, const char* what, const sti_matrix* A, int rows, int cols) {
    const name n = part(scenario, what);
    if (A->rows == 0 || cols == 0 || rows == 0) return STI_OK;
    return sti_matrix_check(env, n.text, A, rows, cols, false);
}

static sti_status check_vector(sti_env* env, int scenario, const char* what, const double* x, int count) {
    const name n = part(scenario, what);
    return x == NULL ? STI_OK : sti_vector_check(env, n.text, x, count);
}

// A pair of sides: numbers or infinite, in order.
static sti_status check_sides(sti_env* env, int scenario, const char* low, const char* high, const double* l,
                              const double* u, double missing_low, double missing_high, int count) {
    for (int j = 0; j < count; j++) {
        const double a = l != NULL ? l[j] : missing_low, b = u != NULL ? u[j] : missing_high;
        if (isnan(a)) return STI_FAIL(env, STI_ERR_ARGUMENT, j, "%s[%d] is no number", part(scenario, low).text, j);
        if (isnan(b)) return STI_FAIL(env, STI_ERR_ARGUMENT, j, "%s[%d] is no number", part(scenario, high).text, j);
        if (a >= 1e20 || b <= -1e20)
            return STI_FAIL(env, STI_ERR_ARGUMENT, j, "%s[%d]: %g: less than 1e20 in size is expected",
                            part(scenario, a >= 1e20 ? low : high).text, j, a >= 1e20 ? a : b);
        if (a > b)
            return STI_FAIL(env, STI_ERR_ARGUMENT, j, "%s[%d]: %g: above %s[%d], which is %g", part(scenario, low).text,
                            j, a, high, j, b);
    }
    return STI_OK;
}

// Cholesky's method on a copy, with what rounding may leave of a pivot; the pivot that is negative, or -1.
static int negative_pivot(const sti_matrix* Q, int m, double* a, double size) {
    for (int j = 0; j < m; j++) {
        double* row = a + (size_t)j * (size_t)m;
        const double d = row[j];
        if (d < -NEGATIVE * size) return j;
        for (int i = j + 1; i < m; i++) {
            if (d > NEGATIVE * size) {
                const double f = row[i] / d;
                double* other = a + (size_t)i * (size_t)m;
                for (int c = i; c < m; c++) other[c] -= f * row[c];
            } else if (fabs(row[i]) > sqrt(NEGATIVE) * size) {
                return j;
            }
        }
    }
    (void)Q;
    return -1;
}

// a (m x m) is scratch
static sti_status check_convex(sti_env* env, int scenario, const sti_matrix* Q, int m, double* a) {
    const name n = part(scenario, scenario < 0 ? "Q0" : "Q");
    double size = 0;
    if (Q->rows == 0) return STI_OK;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            a[(size_t)i * (size_t)m + (size_t)j] = sti_matrix_get(Q, i, j);
            size = fmax(size, fabs(a[(size_t)i * (size_t)m + (size_t)j]));
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < i; j++) {
            if (fabs(a[(size_t)i * (size_t)m + (size_t)j] - a[(size_t)j * (size_t)m + (size_t)i]) > ASYMMETRIC * size)
                return STI_FAIL(env, STI_ERR_ARGUMENT, i, "%s is not symmetric: entries (%d, %d) and (%d, %d) differ",
                                n.text, i, j, j, i);
        }
    }
    const int pivot = negative_pivot(Q, m, a, size);
    if (pivot >= 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, pivot, "%s is not positive semidefinite: the objective is not convex",
                        n.text);
    return STI_OK;
}

static sti_status check_scenario(sti_env* env, const sti_stochastic* p, int i, double* a) {
    const sti_scenario* s = &p->scenarios[i];
    if (s->m < 0 || s->q < 0 || s->m > MOST || s->q > MOST)
        return STI_FAIL(env, STI_ERR_ARGUMENT, i, "scenarios[%d]: %d variables and %d rows: up to %d are expected", i,
                        s->m, s->q, MOST);
    if (!(s->probability > 0) || !(s->probability <= 1))
        return STI_FAIL(env, STI_ERR_ARGUMENT, i, "scenarios[%d].p: %g: a number above 0, up to 1, is expected", i,
                        s->probability);
    if (s->W0.rows == 0 && p->W0.rows > 0 && p->W0.rows != s->q)
        return STI_FAIL(env, STI_ERR_ARGUMENT, i, "W0 has %d rows, scenarios[%d] has %d", p->W0.rows, i, s->q);
    sti_status status = check_matrix(env, i, "Q", &s->Q, s->m, s->m);
    if (status == STI_OK) status = check_matrix(env, i, "T", &s->T, p->p, s->m);
    if (status == STI_OK) status = check_matrix(env, i, "W", &s->W, s->q, s->m);
    if (status == STI_OK) status = check_matrix(env, i, "W0", &s->W0, s->q, p->n);
    if (status == STI_OK) status = check_vector(env, i, "c", s->c, s->m);
    if (status == STI_OK) status = check_sides(env, i, "dl", "du", s->dl, s->du, 0, 0, s->q);
    if (status == STI_OK) status = check_sides(env, i, "lb", "ub", s->lb, s->ub, 0, INFINITY, s->m);
    return status == STI_OK ? check_convex(env, i, &s->Q, s->m, a) : status;
}

static sti_status check_first(sti_env* env, const sti_stochastic* p) {
    if (p->n < 0 || p->p < 0 || p->n > MOST || p->p > MOST)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%d variables and %d rows: up to %d are expected", p->n, p->p, MOST);
    if (p->scenario_count < 1 || p->scenarios == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "scenarios: at least one is expected");
    sti_status status = check_matrix(env, -1, "Q0", &p->Q0, p->n, p->n);
    if (status == STI_OK) status = check_matrix(env, -1, "T0", &p->T0, p->p, p->n);
    if (status == STI_OK) status = check_matrix(env, -1, "W0", &p->W0, p->W0.rows, p->n);
    if (status == STI_OK) status = check_vector(env, -1, "c0", p->c0, p->n);
    if (status == STI_OK) status = check_sides(env, -1, "bl", "bu", p->bl, p->bu, 0, 0, p->p);
    if (status == STI_OK) status = check_sides(env, -1, "lb", "ub", p->lb, p->ub, 0, INFINITY, p->n);
    return status;
}

static sti_status check_probabilities(sti_env* env, const sti_stochastic* p, const sti_stochastic_layout* L) {
    double sum = 0, lost = 0;  // lost: what rounding took from the sum
    for (int i = 0; i < p->scenario_count; i++) {
        const double term = p->scenarios[i].probability - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    sti_stochastic_layout_sum(L, &sum, 1);
    if (fabs(sum - 1) <= SUM) return STI_OK;
    return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the probabilities of the scenarios sum to %.12g: 1 is expected", sum);
}

static sti_status check_blocks(sti_env* env, const sti_stochastic* p) {
    sti_status status = check_first(env, p);
    size_t most = 0;
    for (int i = 0; status == STI_OK && i < p->scenario_count; i++) {
        if (p->scenarios[i].m > 0 && (size_t)p->scenarios[i].m > most) most = (size_t)p->scenarios[i].m;
    }
    if (status != STI_OK) return status;
    if ((size_t)p->n > most) most = (size_t)p->n;
    double* a = sti_alloc_array(env, sti_size_mul(most, most), sizeof *a);
    if (a == NULL) return STI_ERR_MEMORY;
    for (int i = 0; status == STI_OK && i < p->scenario_count; i++) status = check_scenario(env, p, i, a);
    if (status == STI_OK) status = check_convex(env, -1, &p->Q0, p->n, a);
    sti_free(env, a);
    return status;
}

sti_status sti_stochastic_check(sti_env* env, const sti_stochastic* p, const sti_stochastic_team* team) {
    const sti_stochastic_layout L = {.team = team};
    const sti_status status = sti_stochastic_layout_agree(env, &L, check_blocks(env, p));
    return status == STI_OK ? check_probabilities(env, p, &L) : status;
}
