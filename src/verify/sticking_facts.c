// sticking_facts.c: the matrices of S0 in rationals, and the comparison of claimed numbers with them.
#include "verify/sticking_facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "verify/data.h"

// ---- matrices

typedef struct column {  // a direction: contact i, place 0 the normal
    int i, place;
} column;

static long line_of(const sti_sticking_data* d, column c) {
    return c.place == 0 ? d->contact[c.i] : d->t_first[c.i] + c.place - 1;
}

// Directions, and their rates as a column.
static void load_columns(sti_sticking_facts* f, const column* list, int count, sti_fractions* directions,
                         sti_fractions* rates) {
    sti_sticking_data* d = f->d;
    sti_algebra* k = &f->k;
    *directions = sti_fractions_make(k, f->n, 0);
    *rates = sti_fractions_make(k, 0, 1);
    long* index = sti_alloc_array(k->env, (size_t)f->n + 1, sizeof *index);
    if (index == NULL) sti_algebra_fail(k);
    for (int c = 0; index != NULL && c < count && !sti_algebra_failed(k); c++) {
        const bool normal = list[c].place == 0;
        const long line = line_of(d, list[c]);
        for (int j = 0; j < f->n; j++) index[j] = line * f->n + j;
        const sti_fractions one = sti_fractions_load(k, f->n, 1, normal ? d->table.n : d->table.t, index, 1);
        index[0] = line;
        const sti_fractions rate = sti_fractions_load(k, 1, 1, normal ? d->table.n_rate : d->table.t_rate, index, 1);
        *directions = sti_fractions_join(k, *directions, one);
        *rates = sti_fractions_stack(k, *rates, rate);
    }
    sti_free(k->env, index);
}

static void load_dynamics(sti_sticking_facts* f) {
    const size_t count = (size_t)f->n * (size_t)f->n;
    long* index = sti_alloc_array(f->k.env, count + 1, sizeof *index);
    if (index == NULL) {
        sti_algebra_fail(&f->k);
        return;
    }
    for (size_t i = 0; i < count; i++) index[i] = (long)i;
    f->M = sti_fractions_load(&f->k, f->n, f->n, f->d->table.M, index, 1);
    f->F = sti_fractions_load(&f->k, f->n, 1, f->d->table.F, index, 1);
    sti_free(f->k.env, index);
}

// Lists of directions: normals, tangents, unilateral normals, (tangents of joints, of others, normals of joints), held
// ones.
static void load_directions(sti_sticking_facts* f, column* list) {
    sti_sticking_data* d = f->d;
    sti_fractions rates;
    int count = 0;
    for (int i = 0; i < f->m; i++) {
        f->flat[count] = d->first[i];
        list[count++] = (column){i, 0};
    }
    load_columns(f, list, f->m, &f->N, &f->c_n);
    for (int i = 0; i < f->m; i++)
        for (int s = 1; s <= sti_sticking_data_contact(d, i)->tangent_count; s++) {
            f->flat[count] = d->first[i] + s;
            list[count++] = (column){i, s};
        }
    load_columns(f, list + f->m, f->t, &f->H, &f->c_t);
    f->C = sti_fractions_join(&f->k, f->N, f->H);
    f->c = sti_fractions_stack(&f->k, f->c_n, f->c_t);
    count = 0;
    for (int i = 0; i < f->m; i++) {
        if (sti_sticking_data_contact(d, i)->bilateral) continue;
        list[count++] = (column){i, 0};
    }
    load_columns(f, list, f->u, &f->U, &f->c_u);
    count = 0;
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < f->m; i++) {
            const sti_instant_contact* c = sti_sticking_data_contact(d, i);
            if (pass == 2 ? !c->bilateral : (pass == 0) != c->bilateral) continue;
            const int last = pass == 2 || d->slides[i] ? 0 : c->tangent_count;
            for (int s = pass == 2 ? 0 : 1; s <= last; s++) list[count++] = (column){i, s};
        }
    }
    load_columns(f, list, f->x, &f->X, &f->c_x);
    count = 0;
    for (int i = 0; i < f->m; i++)
        for (int s = 0; s < d->row[i + 1] - d->row[i]; s++) list[count++] = (column){i, s};
    load_columns(f, list, count, &f->A, &rates);
    f->c_A = rates;
}

static void count_directions(sti_sticking_facts* f) {
    for (int i = 0; i < f->m; i++) {
        const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
        f->t += c->tangent_count;
        f->u += !c->bilateral;
        f->x += (c->bilateral ? 1 : 0) + (f->d->slides[i] ? 0 : c->tangent_count);
        f->slides = f->slides || f->d->slides[i];
        f->bilateral = f->bilateral || c->bilateral;
    }
    f->p = f->m + f->t;
}

// ---- ranks

// Rank with a tolerance: rows and columns even, complete pivoting.
static int numeric_rank(sti_sticking_facts* f, sti_fractions a) {
    const int m = a.rows, n = a.cols;
    int rank = 0;
    double* R = sti_alloc_array(f->k.env, (size_t)m * (size_t)n + 1, sizeof *R);
    if (R == NULL) sti_algebra_fail(&f->k);
    for (int i = 0; R != NULL && i < m; i++)
        for (int j = 0; j < n; j++) R[i * n + j] = sti_fractions_double(&f->k, a, i, j);
    for (int sweep = 0; R != NULL && sweep < 20; sweep++) {
        const bool rows = sweep % 2 == 0;
        for (int i = 0; i < (rows ? m : n); i++) {
            double most = 0;
            for (int j = 0; j < (rows ? n : m); j++) most = fmax(most, fabs(rows ? R[i * n + j] : R[j * n + i]));
            for (int j = 0; j < (rows ? n : m) && most > 0; j++) *(rows ? &R[i * n + j] : &R[j * n + i]) /= sqrt(most);
        }
    }
    for (; R != NULL && rank < m && rank < n; rank++) {
        int r = rank, c = rank;
        for (int i = rank; i < m; i++)
            for (int j = rank; j < n; j++)
                if (fabs(R[i * n + j]) > fabs(R[r * n + c])) r = i, c = j;
        if (!(fabs(R[r * n + c]) > 1e-11)) break;
        for (int j = 0; j < n; j++) {
            const double s = R[r * n + j];
            R[r * n + j] = R[rank * n + j];
            R[rank * n + j] = s;
        }
        for (int i = 0; i < m; i++) {
            const double s = R[i * n + c];
            R[i * n + c] = R[i * n + rank];
            R[i * n + rank] = s;
        }
        for (int i = rank + 1; i < m; i++) {
            const double g = R[i * n + rank] / R[rank * n + rank];
            for (int j = rank; j < n; j++) R[i * n + j] -= g * R[rank * n + j];
        }
    }
    sti_free(f->k.env, R);
    return rank;
}

static int rank_of(sti_sticking_facts* f, sti_fractions a) {
    const int rank = sti_fractions_rank(&f->k, a);
    f->near = f->near || rank != numeric_rank(f, a);
    return rank;
}

static void find_ranks(sti_sticking_facts* f) {
    sti_algebra* k = &f->k;
    f->rank_N = rank_of(f, f->N);
    f->rank_H = rank_of(f, f->H);
    f->rank_C = rank_of(f, f->C);
    f->rank_U = rank_of(f, f->U);
    f->rank_X = rank_of(f, f->X);
    f->rank_UX = rank_of(f, sti_fractions_join(k, f->U, f->X));
    f->kernel = f->n - rank_of(f, sti_fractions_join(k, f->M, f->A));
    // the equations, and whether they contradict each other only by rounding
    const sti_fractions upper = sti_fractions_join(k, f->M, f->C), At = sti_fractions_transpose(k, f->A);
    const sti_fractions lower = sti_fractions_join(k, At, sti_fractions_make(k, f->A.cols, f->p));
    const sti_fractions E = sti_fractions_stack(k, upper, lower), e = sti_fractions_stack(k, f->F, f->c_A);
    f->solvable = rank_of(f, E) == rank_of(f, sti_fractions_join(k, E, e));
    f->definite = sti_fractions_definite(k, f->M);
    if (f->definite != (f->n == 0 || numeric_rank(f, f->M) == f->n)) f->near = true;
    bool regular = false;
    if (f->definite) f->Minv = sti_fractions_inverse(k, f->M, &regular);
}

sti_status sti_sticking_facts_open(sti_sticking_facts* f, sti_sticking_data* d, const sti_sticking_answer* answer,
                                   double tol, sti_sticking_verification* out) {
    *f = (sti_sticking_facts){.d = d, .answer = answer, .out = out, .tol = tol, .n = d->instant->n, .m = d->count};
    sti_env* env = d->env;
    sti_algebra_open(&f->k, env);
    count_directions(f);
    const size_t p = (size_t)f->p + 1;
    f->flat = sti_alloc_array(env, p, sizeof *f->flat);
    f->size_a = d->size_a;
    f->size_l = d->size_l;
    f->judged = sti_alloc_array_zero(env, (size_t)answer->proposition_count * STI_CLAIM_NUMBERS, 1);
    column* list = sti_alloc_array(env, p, sizeof *list);
    if (f->flat == NULL || f->judged == NULL || list == NULL) {
        sti_free(env, list);
        return STI_ERR_MEMORY;
    }
    load_dynamics(f);
    load_directions(f, list);
    find_ranks(f);
    sti_free(env, list);
    return f->k.x.status;
}

void sti_sticking_facts_close(sti_sticking_facts* f) {
    if (f->d == NULL) return;
    sti_env* env = f->d->env;
    sti_free(env, f->flat);
    sti_free(env, f->judged);
    sti_algebra_close(&f->k);
}

// ---- claims

const sti_proposition* sti_claim(const sti_sticking_facts* f, const char* id) {
    for (int i = 0; i < f->answer->proposition_count; i++)
        if (strcmp(f->answer->propositions[i].id, id) == 0) return &f->answer->propositions[i];
    return NULL;
}

const sti_named* sti_claim_number(const sti_sticking_facts* f, const char* id, const char* name) {
    const sti_proposition* p = sti_claim(f, id);
    for (int i = 0; p != NULL && i < p->number_count; i++)
        if (strcmp(p->numbers[i].name, name) == 0) return &p->numbers[i];
    return NULL;
}

void sti_claim_judged(sti_sticking_facts* f, const sti_named* v) {
    for (int i = 0; v != NULL && i < f->answer->proposition_count; i++) {
        const sti_proposition* p = &f->answer->propositions[i];
        for (int j = 0; j < p->number_count && j < STI_CLAIM_NUMBERS; j++)
            if (&p->numbers[j] == v) f->judged[(size_t)i * STI_CLAIM_NUMBERS + (size_t)j] = 1;
    }
}

bool sti_claim_fails(sti_sticking_facts* f, const char* id, const char* format, ...) {
    char text[160];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    STI_REJECT(f->out, "%s: %s", id, text);
    return false;
}

bool sti_claim_verdict(sti_sticking_facts* f, const char* id, sti_holds expected) {
    const sti_proposition* p = sti_claim(f, id);
    if (p == NULL || sti_algebra_failed(&f->k)) return true;
    f->out->propositions_checked++;
    if (p->verdict == STI_HOLDS_UNKNOWN || p->verdict == expected) return true;
    static const char* const words[] = {"does not apply", "holds", "does not hold", "is unknown"};
    return sti_claim_fails(f, id, "it is said that it %s, and it %s", words[p->verdict], words[expected]);
}

static bool compare(sti_sticking_facts* f, const char* id, const sti_named* v, int at, double expected, double size) {
    const double claimed = v->value[at];
    if (!isfinite(expected) && !isfinite(claimed)) return true;
    if (isfinite(expected) && fabs(claimed - expected) <= f->tol * fmax(size, fabs(expected))) return true;
    return sti_claim_fails(f, id, "%s[%d] is %.10g, not %.10g", v->name, at, expected, claimed);
}

bool sti_claim_doubles(sti_sticking_facts* f, const char* id, const char* name, int count, const double* expected,
                       const double* size) {
    const sti_named* v = sti_claim_number(f, id, name);
    if (v == NULL) return true;
    if (v->rows * v->cols != count)
        return sti_claim_fails(f, id, "%s has %d numbers, not %d", name, count, v->rows * v->cols);
    for (int i = 0; i < count; i++)
        if (!compare(f, id, v, i, expected[i], size[i])) return false;
    sti_claim_judged(f, v);
    return true;
}

bool sti_claim_double(sti_sticking_facts* f, const char* id, const char* name, double expected, double size) {
    return sti_claim_doubles(f, id, name, 1, &expected, &size);
}

bool sti_claim_integer(sti_sticking_facts* f, const char* id, const char* name, int expected) {
    return sti_claim_double(f, id, name, expected, 0);
}

bool sti_claim_truth(sti_sticking_facts* f, const char* id, const char* name, bool expected) {
    const sti_named* v = sti_claim_number(f, id, name);
    return (v != NULL && v->rows * v->cols == 1 && isnan(v->value[0])) || sti_claim_integer(f, id, name, expected);
}

bool sti_claim_matrix(sti_sticking_facts* f, const char* id, const char* name, sti_fractions expected) {
    const sti_named* v = sti_claim_number(f, id, name);
    if (v == NULL || sti_algebra_failed(&f->k) || expected.num == NULL) return true;
    const int count = expected.rows * expected.cols;
    if (v->rows * v->cols != count)
        return sti_claim_fails(f, id, "%s has %d numbers, not %d", name, count, v->rows * v->cols);
    for (int i = 0; i < count; i++) {
        const double value = sti_int_ratio(&f->k.x, &expected.num[i], &expected.den);
        if (!compare(f, id, v, i, value, sti_fractions_size(expected, i))) return false;
    }
    sti_claim_judged(f, v);
    return true;
}

bool sti_claim_column(sti_sticking_facts* f, const char* id, const char* name, int count, sti_fractions* out) {
    const sti_named* v = sti_claim_number(f, id, name);
    *out = (sti_fractions){0};
    if (v == NULL) return true;
    if (v->rows * v->cols != count)
        return sti_claim_fails(f, id, "%s has %d numbers, not %d", name, count, v->rows * v->cols);
    for (int i = 0; i < count; i++)
        if (!isfinite(v->value[i])) return sti_claim_fails(f, id, "%s[%d] is not finite", name, i);
    sti_claim_judged(f, v);
    *out = sti_fractions_from_doubles(&f->k, count, 1, v->value);
    return true;
}

bool sti_claim_lambda(sti_sticking_facts* f, const char* id, sti_fractions* lambda) {
    sti_fractions normal, tangent;
    *lambda = (sti_fractions){0};
    if (!sti_claim_column(f, id, "lambda_n", f->m, &normal) || !sti_claim_column(f, id, "lambda_t", f->t, &tangent))
        return false;
    if (normal.num != NULL && tangent.num != NULL) *lambda = sti_fractions_stack(&f->k, normal, tangent);
    return true;
}

// ---- margins

static int tangent_of(const sti_sticking_facts* f, int contact) {
    int at = f->m;
    for (int i = 0; i < contact; i++) at += sti_sticking_data_contact(f->d, i)->tangent_count;
    return at;
}

// Sign of (mu lambda_n)^2 - |lambda_t|^2.
static int disc_sign(sti_sticking_facts* f, int i, sti_fractions lambda) {
    sti_algebra* k = &f->k;
    const long at = f->d->contact[i];
    const int tangents = sti_sticking_data_contact(f->d, i)->tangent_count, first = tangent_of(f, i);
    const int one[3] = {i, first, first + 1};
    const sti_fractions row = sti_fractions_transpose(k, lambda);
    const sti_fractions normal = sti_fractions_columns(k, row, one, 1);
    const sti_fractions slip = sti_fractions_columns(k, row, one + 1, tangents);
    const sti_fractions push = sti_fractions_product(k, normal, sti_fractions_load(k, 1, 1, f->d->table.mu, &at, 1));
    const sti_fractions square = sti_fractions_product(k, push, push);
    const sti_fractions other = sti_fractions_product(k, slip, sti_fractions_transpose(k, slip));
    return sti_fractions_sign(sti_fractions_sum(k, square, other, -1), 0, 0);
}

double sti_facts_reach(const sti_sticking_facts* f, int i, const double* t) {
    const int tangents = sti_sticking_data_contact(f->d, i)->tangent_count, facets = f->answer->facets;
    double most = 0, m[2];
    if (tangents < 2 || facets == 0) return hypot(tangents > 0 ? t[0] : 0, tangents > 1 ? t[1] : 0);
    for (int s = 0; s < sti_sticking_data_facets(f->d, i, facets); s++) {
        sti_sticking_data_facet(f->d, i, facets, s, m);
        most = fmax(most, m[0] * t[0] + m[1] * t[1]);
    }
    return most;
}

double sti_facts_margin(sti_sticking_facts* f, int i, sti_fractions lambda, double* terms, int* sign) {
    const sti_instant_contact* c = sti_sticking_data_contact(f->d, i);
    const int first = tangent_of(f, i), tangents = c->tangent_count, facets = f->answer->facets;
    const double normal = sti_fractions_double(&f->k, lambda, i, 0);
    const int side = sti_fractions_sign(lambda, i, 0);
    *terms = sti_fractions_size(lambda, i);
    *sign = side;
    if (tangents == 0 || c->mu == 0) return c->bilateral ? NAN : normal;
    double t[2] = {0};
    *terms *= c->mu;
    for (int s = 0; s < tangents; s++) {
        t[s] = sti_fractions_double(&f->k, lambda, first + s, 0);
        *terms += sti_fractions_size(lambda, first + s);
    }
    const bool polygon = facets > 0 && tangents == 2;
    const double margin = c->mu * (c->bilateral ? fabs(normal) : normal) - sti_facts_reach(f, i, t);
    if (polygon)
        *sign = margin > 1e-9 * *terms ? 1 : margin < -1e-9 * *terms ? -1 : 2;
    else if (c->bilateral || side >= 0)
        *sign = disc_sign(f, i, lambda);
    return margin;
}

void sti_facts_augmented(sti_sticking_facts* f, sti_fractions* A, sti_fractions* H, sti_fractions* first) {
    sti_algebra* k = &f->k;
    bool regular;
    const sti_fractions MX = sti_fractions_product(k, f->Minv, f->X), MU = sti_fractions_product(k, f->Minv, f->U);
    const sti_fractions Xt = sti_fractions_transpose(k, f->X), Ut = sti_fractions_transpose(k, f->U);
    const sti_fractions UX = sti_fractions_product(k, Ut, MX), XU = sti_fractions_transpose(k, UX);
    const sti_fractions W = sti_fractions_inverse(k, sti_fractions_product(k, Xt, MX), &regular);
    const sti_fractions K = sti_fractions_product(k, UX, W);
    const sti_fractions MXt = sti_fractions_transpose(k, MX), MUt = sti_fractions_transpose(k, MU);
    *A = sti_fractions_sum(k, sti_fractions_product(k, Ut, MU), sti_fractions_product(k, K, XU), -1);
    *first = sti_fractions_sum(k, sti_fractions_product(k, K, sti_fractions_product(k, MXt, f->F)),
                               sti_fractions_product(k, MUt, f->F), -1);
    *H = sti_fractions_sum(k, *first, sti_fractions_product(k, K, f->c_x), -1);
    *H = sti_fractions_sum(k, *H, f->c_u, 1);
}

void sti_facts_eigenvalues(sti_algebra* k, sti_fractions a, double* out) {
    enum { MOST = 32 };
    long double A[MOST][MOST];
    const int n = a.rows < MOST ? a.rows : MOST;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i][j] = sti_fractions_double(k, a, i, j);
    for (int sweep = 0; sweep < 40; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (A[p][q] == 0) continue;
                const long double w = (A[q][q] - A[p][p]) / (2 * A[p][q]);
                const long double t = (w < 0 ? -1 : 1) / (fabsl(w) + sqrtl(w * w + 1)), c = 1 / sqrtl(t * t + 1),
                                  s = c * t;
                for (int h = 0; h < n; h++) {
                    const long double x = A[h][p], y = A[h][q];
                    A[h][p] = c * x - s * y;
                    A[h][q] = s * x + c * y;
                }
                for (int h = 0; h < n; h++) {
                    const long double x = A[p][h], y = A[q][h];
                    A[p][h] = c * x - s * y;
                    A[q][h] = s * x + c * y;
                }
            }
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && out[at - 1] > (double)A[i][i]; at--) out[at] = out[at - 1];
        out[at] = (double)A[i][i];
    }
}
