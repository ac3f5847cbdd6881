// instant.c: instants that own their numbers, copies of them, and the check every analysis starts with.
#include "system/instant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/section.h>
#include <string.h>

#include "exact/rationals.h"

const char* sti_instant_state_text(sti_instant_state state) {
    switch (state) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_INSTANT_STATE_LIST(STI_X)
#undef STI_X
    }
    return "by_velocity";
}

sti_rationals** sti_instant_exact_table(sti_instant_exact* exact, int k) {
    sti_rationals** const table[STI_INSTANT_TABLES] = {&exact->M,  &exact->F,         &exact->v,      &exact->n,
                                                       &exact->t,  &exact->n_rate,    &exact->t_rate, &exact->gap,
                                                       &exact->mu, &exact->mu_kinetic};
    return table[k];
}

size_t sti_instant_exact_size(int n, int contact_count, int tangent_total, int k) {
    const size_t w = (size_t)n, p = (size_t)contact_count, d = (size_t)tangent_total;
    const size_t size[STI_INSTANT_TABLES] = {w * w, w, w, p * w, d * w, p, d, p, p, p};
    return size[k];
}

// ---- life

static sti_status create_tables(sti_env* env, sti_instant_store* s) {
    const sti_instant* a = &s->instant;
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < STI_INSTANT_TABLES; k++)
        status = sti_rationals_create(env, sti_instant_exact_size(a->n, a->contact_count, a->tangent_total, k),
                                      sti_instant_exact_table(&s->exact, k));
    if (status == STI_OK) s->instant.exact = &s->exact;
    return status;
}

// Lay the arrays out in the block, and point the contacts at their rows.
static void lay_out(sti_instant_store* s, const sti_instant_shape* shape, size_t d) {
    const size_t n = (size_t)shape->n, p = (size_t)shape->contact_count;
    s->M = s->numbers;
    s->F = s->M + n * n;
    s->v = s->F + n;
    s->n = s->v + n;
    s->t = s->n + p * n;
    s->t_rate = s->t + d * n;
    s->t_offset = s->t_rate + d;
    s->restitution = shape->restitution ? s->t_offset + d : NULL;
    s->corner = s->t_offset + d + (shape->restitution ? p * p : 0);
    size_t row = 0, corner = 0;
    for (size_t i = 0; i < p; i++) {
        const int rows = shape->tangent_count[i];
        s->contacts[i] = (sti_instant_contact){.tangent_count = rows,
                                               .n = s->n + i * n,
                                               .t = s->t + row * n,
                                               .t_rate = s->t_rate + row,
                                               .t_offset = s->t_offset + row};
        const int corners = shape->corner_count != NULL ? shape->corner_count[i] : 0;
        s->contacts[i].corner_count = corners;
        if (corners > 0) s->contacts[i].corner = s->corner + 2 * corner;
        corner += (size_t)corners;
        row += (size_t)rows;
    }
    s->instant.M = s->M;
    s->instant.F = s->F;
    s->instant.v = s->v;
    s->instant.contacts = s->contacts;
    s->instant.restitution = s->restitution;
}

sti_status sti_instant_store_create(sti_env* env, const sti_instant_shape* shape, sti_instant_store** out) {
    const size_t n = (size_t)shape->n, p = (size_t)shape->contact_count;
    size_t d = 0, corners = 0;
    *out = NULL;
    for (size_t i = 0; i < p; i++) d += (size_t)shape->tangent_count[i];
    for (size_t i = 0; shape->corner_count != NULL && i < p; i++) corners += (size_t)shape->corner_count[i];
    sti_instant_store* s = sti_alloc_array_zero(env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    s->instant = (sti_instant){.n = shape->n, .contact_count = shape->contact_count, .tangent_total = (int)d};
    s->memory = sti_arena_make(env);
    s->contacts = sti_arena_take(&s->memory, p, sizeof *s->contacts);
    s->names = sti_arena_take(&s->memory, n + p, sizeof *s->names);
    const size_t count = n * n + 2 * n + p * n + d * n + 2 * d + (shape->restitution ? p * p : 0) + 2 * corners;
    s->numbers = sti_arena_take(&s->memory, count, sizeof *s->numbers);
    sti_status status = STI_OK;
    if (s->memory.status != STI_OK) status = STI_ERR_MEMORY;
    if (status == STI_OK) lay_out(s, shape, d);
    if (status == STI_OK && shape->exact) status = create_tables(env, s);
    if (status == STI_OK)
        *out = s;
    else
        sti_instant_store_destroy(env, s);
    return status;
}

void sti_instant_store_destroy(sti_env* env, sti_instant_store* s) {
    if (s == NULL) return;
    for (int k = 0; s->names != NULL && k < s->instant.n + s->instant.contact_count; k++) sti_free(env, s->names[k]);
    for (int k = 0; k < STI_INSTANT_TABLES; k++) sti_rationals_destroy(*sti_instant_exact_table(&s->exact, k));
    sti_arena_clear(&s->memory);
    sti_free(env, s);
}

void sti_instant_destroy(sti_env* env, sti_instant* instant) {
    sti_instant_store_destroy(env, (sti_instant_store*)instant);
}

sti_status sti_instant_store_name(sti_env* env, sti_instant_store* s, int k, const char* name) {
    char* copy = sti_strdup(env, name);
    if (copy == NULL) return STI_ERR_MEMORY;
    sti_free(env, s->names[k]);
    s->names[k] = copy;
    if (k < s->instant.n)
        s->instant.names = (const char* const*)s->names;
    else
        s->contacts[k - s->instant.n].name = copy;
    return STI_OK;
}

// ---- copy

// The shortest decimal that reads back as x: with 15 to 17 digits one of them does.
static sti_status set_decimal(sti_rationals* r, size_t i, double x) {
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    for (char* p = text; *p != '\0'; p++) {
        if (*p == ',') *p = '.';  // the decimal sign of some locales
    }
    return sti_rationals_set_text(r, i, text);
}

static sti_status copy_tables(sti_env* env, const sti_instant* from, sti_instant_store* s) {
    sti_instant_exact source = *from->exact;
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < STI_INSTANT_TABLES; k++) {
        const sti_rationals* table = *sti_instant_exact_table(&source, k);
        status = sti_rationals_slice(env, table, 0, sti_rationals_count(table), sti_instant_exact_table(&s->exact, k));
    }
    if (status == STI_OK) s->instant.exact = &s->exact;
    return status;
}

static void copy_numbers(const sti_instant* from, const double* v, sti_instant_store* s) {
    const size_t n = (size_t)from->n, p = (size_t)from->contact_count, width = n * sizeof(double);
    memcpy(s->M, from->M, n * width);
    memcpy(s->F, from->F, width);
    memcpy(s->v, v != NULL ? v : from->v, width);
    if (from->restitution != NULL) memcpy(s->restitution, from->restitution, p * p * sizeof(double));
    size_t row = 0;
    for (size_t i = 0; i < p; i++) {
        const sti_instant_contact* a = &from->contacts[i];
        sti_instant_contact* b = &s->contacts[i];
        const size_t rows = (size_t)a->tangent_count;
        const sti_instant_contact place = *b;
        *b = *a;
        b->name = NULL;
        b->n = place.n;
        b->t = place.t;
        b->t_rate = place.t_rate;
        b->t_offset = place.t_offset;
        b->corner = place.corner;
        if (a->corner_count > 0)
            memcpy(s->corner + (place.corner - s->corner), a->corner, 2 * (size_t)a->corner_count * sizeof(double));
        memcpy(s->n + i * n, a->n, width);
        if (rows > 0) {
            memcpy(s->t + row * n, a->t, rows * width);
            memcpy(s->t_rate + row, a->t_rate, rows * sizeof(double));
            if (a->t_offset != NULL) memcpy(s->t_offset + row, a->t_offset, rows * sizeof(double));
        }
        row += rows;
    }
}

static sti_status copy_names(sti_env* env, const sti_instant* from, sti_instant_store* s) {
    sti_status status = STI_OK;
    for (int k = 0; from->names != NULL && status == STI_OK && k < from->n; k++)
        status = sti_instant_store_name(env, s, k, from->names[k]);
    for (int i = 0; status == STI_OK && i < from->contact_count; i++)
        status = sti_instant_store_name(env, s, from->n + i, from->contacts[i].name);
    return status;
}

sti_status sti_instant_copy(sti_env* env, const sti_instant* from, const double* v, sti_instant** out) {
    *out = NULL;
    for (int k = 0; v != NULL && k < from->n; k++) {
        if (!isfinite(v[k]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, k, "v[%d]: %g: a finite number is expected", k, v[k]);
    }
    const size_t p = (size_t)from->contact_count;
    int* tangent_count = sti_alloc_array(env, sti_size_mul(2, p), sizeof *tangent_count);
    if (tangent_count == NULL) return STI_ERR_MEMORY;
    int* corner_count = tangent_count + p;
    for (size_t i = 0; i < p; i++) {
        tangent_count[i] = from->contacts[i].tangent_count;
        corner_count[i] = from->contacts[i].corner_count;
    }
    const sti_instant_shape shape = {.n = from->n,
                                     .contact_count = from->contact_count,
                                     .tangent_count = tangent_count,
                                     .corner_count = corner_count,
                                     .restitution = from->restitution != NULL};
    sti_instant_store* s;
    sti_status status = sti_instant_store_create(env, &shape, &s);
    sti_free(env, tangent_count);
    if (status != STI_OK) return status;
    copy_numbers(from, v, s);
    s->instant.time = from->time;
    status = copy_names(env, from, s);
    if (status == STI_OK && from->exact != NULL) status = copy_tables(env, from, s);
    for (int k = 0; status == STI_OK && from->exact != NULL && v != NULL && k < from->n; k++)
        status = set_decimal(s->exact.v, (size_t)k, v[k]);
    if (status == STI_OK)
        *out = &s->instant;
    else
        sti_instant_store_destroy(env, s);
    return status;
}

// ---- check

static sti_status check_finite(sti_env* env, const char* name, const double* x, size_t count) {
    if (count > 0 && x == NULL) return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: missing", name);
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(x[k]))
            return STI_FAIL(env, STI_ERR_INPUT, (int64_t)k, "%s[%zu]: %g: a finite number is expected", name, k, x[k]);
    }
    return STI_OK;
}

// Is M positive semidefinite up to rounding? Cholesky with the largest remaining diagonal entry as pivot: what is left
// when no pivot exceeds the rounding of M must vanish, because an entry of a semidefinite matrix is at most the root of
// the product of its diagonal entries.
static sti_status check_semidefinite(sti_env* env, const sti_instant* a) {
    const size_t n = (size_t)a->n;
    double* A = sti_alloc_array(env, n * n, sizeof *A);
    if (A == NULL) return STI_ERR_MEMORY;
    double largest = 0;
    for (size_t k = 0; k < n * n; k++) {
        A[k] = a->M[k];
        largest = fmax(largest, fabs(A[k]));
    }
    const double rounding = 1e-12 * (double)n * largest;
    sti_status status = STI_OK;
    for (size_t step = 0; step < n; step++) {
        size_t p = 0;
        for (size_t i = 1; i < n; i++) {
            if (A[i * n + i] > A[p * n + p]) p = i;
        }
        const double pivot = A[p * n + p];
        if (!(pivot > rounding)) break;
        for (size_t i = 0; i < n; i++) {
            const double factor = A[i * n + p] / pivot;
            for (size_t j = 0; i != p && factor != 0 && j < n; j++) A[i * n + j] -= factor * A[p * n + j];
        }
        for (size_t j = 0; j < n; j++) A[p * n + j] = A[j * n + p] = 0;
    }
    for (size_t k = 0; status == STI_OK && k < n * n; k++) {
        if (fabs(A[k]) > rounding)
            status =
                STI_FAIL(env, STI_ERR_INPUT, (int64_t)(k / n),
                         "M: not positive semidefinite: row %zu, column %zu is left with %.6g", k / n, k % n, A[k]);
    }
    sti_free(env, A);
    return status;
}

static sti_status check_mass(sti_env* env, const sti_instant* a) {
    const size_t n = (size_t)a->n;
    sti_status status = check_finite(env, "M", a->M, n * n);
    for (size_t i = 0; status == STI_OK && i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (a->M[i * n + j] != a->M[j * n + i])
                return STI_FAIL(env, STI_ERR_INPUT, (int64_t)i,
                                "M: %.17g at row %zu, column %zu, but %.17g across: not symmetric", a->M[i * n + j], i,
                                j, a->M[j * n + i]);
        }
    }
    return status == STI_OK ? check_semidefinite(env, a) : status;
}

// Is lambda_n > 0 known from F alone? z is the first velocity that moves the gap.
static sti_status check_pressed(sti_env* env, const sti_instant* a, int i, size_t z) {
    const sti_instant_contact* c = &a->contacts[i];
    const size_t n = (size_t)a->n;
    bool alone = !c->bilateral && c->gap == 0 && c->n_rate == 0 && c->n_offset == 0 && a->v[z] == 0 && c->n[z] > 0 &&
                 a->F[z] > 0 && c->mu == c->mu_kinetic;
    for (size_t k = 0; k < n && alone; k++) alone = k == z || (c->n[k] == 0 && a->M[z * n + k] == 0);
    for (int j = 0; j < a->contact_count && alone; j++) {
        const sti_instant_contact* other = &a->contacts[j];
        if (other->n == NULL || (other->tangent_count > 0 && other->t == NULL)) continue;  // reported by itself
        alone = j == i || other->n[z] == 0;
        for (int k = 0; k < other->tangent_count && alone; k++) alone = other->t[(size_t)k * n + z] == 0;
    }
    if (alone) return STI_OK;
    return STI_FAIL(
        env, STI_ERR_INPUT, i,
        "contacts[%d].pressed: its gap is not that of one velocity at rest which F presses on and nothing else "
        "moves",
        i);
}

static sti_status check_section(sti_env* env, const sti_instant_contact* c, int i) {
    if (c->corner_count == 0) return STI_OK;
    if (c->tangent_count != 2 || c->bilateral || c->pressed)
        return STI_FAIL(env, STI_ERR_INPUT, i,
                        "contacts[%d].polygon: friction in a polygon is for unilateral contacts with two rows of t", i);
    const sti_section section = {.shape = STI_SECTION_POLYGON, .vertex_count = c->corner_count, .vertex = c->corner};
    if (sti_section_check(env, &section) == STI_OK) return STI_OK;
    char why[160];
    snprintf(why, sizeof why, "%.150s", sti_env_error(env)->text);
    return STI_FAIL(env, STI_ERR_INPUT, i, "contacts[%d].polygon: %s", i, why);
}

static sti_status check_contact(sti_env* env, const sti_instant* a, int i) {
    const sti_instant_contact* c = &a->contacts[i];
    const size_t n = (size_t)a->n;
    char field[64];
    if (c->name == NULL) return STI_FAIL(env, STI_ERR_INPUT, i, "contacts[%d].name: missing", i);
    if (c->tangent_count < 0 || c->tangent_count > 2)
        return STI_FAIL(env, STI_ERR_INPUT, i, "contacts[%d].tangent_count: %d: 0, 1 or 2 is expected", i,
                        c->tangent_count);
    snprintf(field, sizeof field, "contacts[%d].n", i);
    sti_status status = check_finite(env, field, c->n, n);
    snprintf(field, sizeof field, "contacts[%d].t", i);
    if (status == STI_OK) status = check_finite(env, field, c->t, n * (size_t)c->tangent_count);
    snprintf(field, sizeof field, "contacts[%d].t_rate", i);
    if (status == STI_OK) status = check_finite(env, field, c->t_rate, (size_t)c->tangent_count);
    snprintf(field, sizeof field, "contacts[%d].t_offset", i);
    if (status == STI_OK && c->t_offset != NULL)
        status = check_finite(env, field, c->t_offset, (size_t)c->tangent_count);
    if (status == STI_OK) status = check_section(env, c, i);
    if (status != STI_OK) return status;
    const struct {
        const char* name;
        double value;
        bool nonnegative;
    } number[] = {{"gap", c->gap, false},
                  {"mu", c->mu, true},
                  {"mu_kinetic", c->mu_kinetic, true},
                  {"restitution", c->restitution, false},
                  {"restitution_t", c->restitution_t, false},
                  {"n_rate", c->n_rate, false},
                  {"n_offset", c->n_offset, false}};
    for (size_t k = 0; k < sizeof number / sizeof number[0]; k++) {
        if (!isfinite(number[k].value) || (number[k].nonnegative && number[k].value < 0))
            return STI_FAIL(env, STI_ERR_INPUT, i, "contacts[%d].%s: %g: a finite number%s is expected", i,
                            number[k].name, number[k].value, number[k].nonnegative ? " not below 0" : "");
    }
    size_t z = 0;
    while (z < n && c->n[z] == 0) z++;
    if (z == n) return STI_FAIL(env, STI_ERR_INPUT, i, "contacts[%d].n: 0: the gradient of a gap does not vanish", i);
    return c->pressed ? check_pressed(env, a, i, z) : STI_OK;
}

static sti_status check_exact(sti_env* env, const sti_instant* a) {
    sti_instant_exact exact = *a->exact;
    for (int k = 0; k < STI_INSTANT_TABLES; k++) {
        const sti_rationals* table = *sti_instant_exact_table(&exact, k);
        if (table == NULL ||
            sti_rationals_count(table) != sti_instant_exact_size(a->n, a->contact_count, a->tangent_total, k))
            return STI_FAIL(env, STI_ERR_INPUT, k, "exact: table %d is missing or of another size than the doubles", k);
    }
    return STI_OK;
}

int sti_instant_polygon(const sti_instant* instant, double gap_tol) {
    for (int i = 0; i < instant->contact_count; i++) {
        const sti_instant_contact* c = &instant->contacts[i];
        if (c->corner_count > 0 && c->gap <= gap_tol) return i;
    }
    return -1;
}

sti_status sti_instant_needs_discs(sti_env* env, const sti_instant* instant) {
    const int i = sti_instant_polygon(instant, INFINITY);
    if (i < 0) return STI_OK;
    return STI_FAIL(env, STI_ERR_INPUT, i,
                    "contacts[%d].polygon: friction in a polygon is taken by sticking and modes; a disc, or an ellipse "
                    "(stretched tangents), is expected here",
                    i);
}

sti_status sti_instant_check(sti_env* env, const sti_instant* a) {
    if (a->n < 1) return STI_FAIL(env, STI_ERR_INPUT, -1, "n: %d: at least one velocity is expected", a->n);
    if (a->contact_count < 0 || (a->contact_count > 0 && a->contacts == NULL))
        return STI_FAIL(env, STI_ERR_INPUT, -1, "contacts: %d of them, and no list", a->contact_count);
    const size_t n = (size_t)a->n, p = (size_t)a->contact_count;
    if (!isfinite(a->time)) return STI_FAIL(env, STI_ERR_INPUT, -1, "time: %g: a finite number is expected", a->time);
    sti_status status = check_mass(env, a);
    if (status == STI_OK) status = check_finite(env, "F", a->F, n);
    if (status == STI_OK) status = check_finite(env, "v", a->v, n);
    if (status == STI_OK && a->restitution != NULL) status = check_finite(env, "restitution", a->restitution, p * p);
    int total = 0;
    for (int i = 0; status == STI_OK && i < a->contact_count; i++) {
        status = check_contact(env, a, i);
        total += a->contacts[i].tangent_count;
    }
    for (int k = 0; status == STI_OK && a->names != NULL && k < a->n; k++) {
        if (a->names[k] == NULL) status = STI_FAIL(env, STI_ERR_INPUT, k, "names[%d]: missing", k);
    }
    if (status == STI_OK && total != a->tangent_total)
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "tangent_total: %d: the contacts have %d", a->tangent_total, total);
    if (status == STI_OK && a->exact != NULL) status = check_exact(env, a);
    return status;
}
