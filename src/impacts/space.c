// space.c: see space.h.
#include "impacts/space.h"

#include <math.h>
#include <string.h>

#include "instants/range.h"
#include "linalg/dense.h"
#include "linalg/dense_algebra.h"
#include "linalg/small.h"

static bool taken(const sti_instant_contact* c, sti_space_choice choice) {
    return c->bilateral || (c->gap <= choice.gap_tol && (choice.bounded || !c->pressed));
}

static void count(sti_space* k, sti_space_choice choice) {
    for (int i = 0; i < k->instant->contact_count; i++) {
        const sti_instant_contact* c = &k->instant->contacts[i];
        if (!taken(c, choice)) continue;
        if (c->bilateral) {
            k->m++;
        } else {
            k->p++;
            if (choice.rough)
                k->m += c->tangent_count;
            else
                k->s += c->tangent_count;
        }
    }
}

static sti_status reserve(sti_space* k) {
    const size_t n = (size_t)k->n, m = (size_t)k->m, p = (size_t)k->p, a = p + (size_t)k->s;
    const size_t largest = m > n ? m : n;
    const size_t work = 2 * largest * largest + largest;
    const size_t total = 2 * m * n + m * m + 2 * m + p + a + 2 * a * n + a * a + n * n + work;
    k->joint = sti_alloc_array(k->env, m, sizeof *k->joint);
    k->contact = sti_alloc_array(k->env, p, sizeof *k->contact);
    k->slip = sti_alloc_array(k->env, p + 1, sizeof *k->slip);
    k->memory = sti_alloc_array(k->env, total, sizeof *k->memory);
    if (k->joint == NULL || k->contact == NULL || k->slip == NULL || k->memory == NULL) return STI_ERR_MEMORY;
    double* d = k->memory + work;
    k->B = d, d += m * n;
    k->MB = d, d += m * n;
    k->K = d, d += m * m;
    k->joint_norm = d, d += m;
    k->joint_offset = d, d += m;
    k->norm = d, d += p;
    k->offset = d, d += a;
    k->A = d, d += a * n;
    k->MA = d, d += a * n;
    k->W = d, d += a * a;
    k->Minv = d;
    return STI_OK;
}

static void add_joint(sti_space* k, int row, const double* gradient, double offset, int index) {
    memcpy(k->B + (size_t)row * (size_t)k->n, gradient, (size_t)k->n * sizeof *k->B);
    k->joint_offset[row] = offset;
    k->joint[row] = index;
}

static void fill_rows(sti_space* k, sti_space_choice choice) {
    const size_t n = (size_t)k->n, bytes = n * sizeof(double);
    int m = 0, p = 0, s = 0;
    k->slip[0] = 0;
    for (int i = 0; i < k->instant->contact_count; i++) {
        const sti_instant_contact* c = &k->instant->contacts[i];
        if (!taken(c, choice)) continue;
        if (c->bilateral) {
            add_joint(k, m++, c->n, c->n_offset, i);
            continue;
        }
        memcpy(k->A + (size_t)p * n, c->n, bytes);
        k->offset[p] = c->n_offset;
        for (int j = 0; j < c->tangent_count; j++) {
            const double offset = c->t_offset != NULL ? c->t_offset[j] : 0;
            const double* row = c->t + (size_t)j * n;
            if (choice.rough) {
                add_joint(k, m++, row, offset, -1);
            } else {
                memcpy(k->A + ((size_t)k->p + (size_t)s) * n, row, bytes);
                k->offset[k->p + s++] = offset;
            }
        }
        k->contact[p++] = i;
        k->slip[p] = s;
    }
}

// Coordinates may have any units (lengths beside angles): M is made to have a diagonal near 1, by powers of 2, which
// rounds nothing, before its condition is judged. f and *unit (n) are the caller's to free, whatever comes back.
static sti_status factor_mass(sti_env* env, const sti_instant* instant, sti_dense_factor* f, double** unit,
                              bool* definite) {
    const size_t n = (size_t)instant->n;
    *unit = sti_alloc_array_zero(env, n, sizeof **unit);
    sti_status status = sti_dense_factor_init(f, env, instant->n);
    if (status == STI_OK && *unit == NULL) status = STI_ERR_MEMORY;
    if (status != STI_OK) return status;
    double* load = sti_dense_factor_load(f, instant->n);
    *definite = sti_small_units(instant->n, instant->M, *unit);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) load[i * n + j] = instant->M[i * n + j] * (*unit)[i] * (*unit)[j];
    *definite = *definite && sti_dense_factor_cholesky(f) && sti_dense_factor_rcond(f) >= 1e-15;
    return STI_OK;
}

static sti_status check(sti_env* env, const sti_instant* instant) {
    sti_status status = sti_instant_check(env, instant);
    if (status == STI_OK) status = sti_range_check(env, instant);
    return status == STI_OK ? sti_instant_needs_discs(env, instant) : status;
}

sti_status sti_space_mass(sti_env* env, const sti_instant* instant, bool* singular) {
    sti_dense_factor f = {0};
    double* unit = NULL;
    bool definite = false;
    sti_status status = check(env, instant);
    if (status == STI_OK) status = factor_mass(env, instant, &f, &unit, &definite);
    *singular = !definite;
    sti_dense_factor_clear(&f);
    sti_free(env, unit);
    return status;
}

static sti_status invert_mass(sti_space* k) {
    sti_dense_factor f = {0};
    const size_t n = (size_t)k->n;
    double* unit = NULL;
    bool definite = false;
    sti_status status = factor_mass(k->env, k->instant, &f, &unit, &definite);
    if (status == STI_OK && !definite)
        status = STI_FAIL(k->env, STI_ERR_INPUT, -1, "M: not positive definite, as this analysis needs it to be");
    for (size_t j = 0; status == STI_OK && j < n; j++) {
        double* row = k->Minv + j * n;
        memset(row, 0, n * sizeof *row);
        row[j] = unit[j];
        sti_dense_factor_solve(&f, row);
        for (size_t i = 0; i < n; i++) row[i] *= unit[i];
    }
    sti_dense_factor_clear(&f);
    sti_free(k->env, unit);
    return status;
}

// Rows of B are compared at unit kinetic length, so that the rank does not depend on units.
static void eliminate_joints(sti_space* k) {
    const int m = k->m;
    const size_t n = (size_t)k->n;
    for (int i = 0; i < m; i++) {
        double* row = k->B + (size_t)i * n;
        const double length = sqrt(sti_small_form(k->n, k->Minv, row, row));
        k->joint_norm[i] = length > 0 ? length : 1;
        for (size_t j = 0; j < n; j++) row[j] /= k->joint_norm[i];
        k->joint_offset[i] /= k->joint_norm[i];
        sti_small_apply(k->n, k->n, k->Minv, row, k->MB + (size_t)i * n);
    }
    sti_small_multiply_nt(m, k->n, m, k->B, k->MB, k->K);
    sti_dense_pseudo_inverse(m, k->K, STI_SPACE_RANK_TOL, k->K, k->memory);
}

// x -= M^-1 B'K (B v + shift)
static void bring_back(const sti_space* k, const double* v, const double* shift, double* x, double* impulse) {
    double *y = k->memory, *z = y + k->m;  // scratch
    sti_small_apply(k->m, k->n, k->B, v, y);
    for (int i = 0; shift != NULL && i < k->m; i++) y[i] += shift[i];
    sti_small_apply(k->m, k->m, k->K, y, z);
    if (x != v) memcpy(x, v, (size_t)k->n * sizeof *x);
    for (int i = 0; i < k->m; i++) {
        if (impulse != NULL) impulse[i] = -z[i] / k->joint_norm[i];
        for (int j = 0; j < k->n; j++) x[j] -= z[i] * k->MB[(size_t)i * (size_t)k->n + (size_t)j];
    }
}

void sti_space_project(const sti_space* k, const double* v, double* x, double* impulse) {
    bring_back(k, v, k->joint_offset, x, impulse);
}

void sti_space_solve(const sti_space* k, const double* f, double* x) {
    sti_small_apply(k->n, k->n, k->Minv, f, x);
    bring_back(k, x, NULL, x, NULL);
}

void sti_space_local(const sti_space* k, const double* v, double* u) {
    sti_small_apply(k->p + k->s, k->n, k->A, v, u);
    for (int i = 0; i < k->p + k->s; i++) u[i] += k->offset[i];
}

static void fill_matrix(sti_space* k) {
    const size_t n = (size_t)k->n;
    const int a = k->p + k->s;
    for (int i = 0; i < k->p; i++) {
        double* row = k->A + (size_t)i * n;
        k->norm[i] = sqrt(sti_small_form(k->n, k->Minv, row, row));
        for (size_t j = 0; j < n; j++) row[j] /= k->norm[i];
        k->offset[i] /= k->norm[i];
    }
    for (int i = 0; i < a; i++) {
        double *row = k->A + (size_t)i * n, *image = k->MA + (size_t)i * n;
        sti_space_solve(k, row, image);
        // the joints hold what this contact would move: what is left is rounding
        if (sti_vector_dot(k->n, row, image) <= STI_SPACE_RANK_TOL * sti_small_form(k->n, k->Minv, row, row))
            memset(image, 0, n * sizeof *image);
    }
    sti_small_multiply_nt(a, k->n, a, k->A, k->MA, k->W);
    for (int i = 0; k->m == 0 && i < k->p; i++) k->W[i * a + i] = 1;  // what it is without rounding
    for (int i = 0; i < a; i++) {
        for (int j = 0; j < i; j++) {
            double mean = 0.5 * (k->W[i * a + j] + k->W[j * a + i]), terms = 0;
            for (size_t h = 0; h < n; h++)
                terms += fabs(k->A[(size_t)i * n + h] * k->MA[(size_t)j * n + h]) +
                         fabs(k->A[(size_t)j * n + h] * k->MA[(size_t)i * n + h]);
            // directions that do not see each other: what is left of the sum is rounding, and has no sign
            if (k->W[i * a + i] == 0 || k->W[j * a + j] == 0 || fabs(mean) <= 1e-15 * terms) mean = 0;
            k->W[i * a + j] = k->W[j * a + i] = mean;
        }
    }
}

sti_status sti_space_create(sti_env* env, const sti_instant* instant, sti_space_choice choice, sti_space** out) {
    *out = NULL;
    sti_status status = check(env, instant);
    if (status != STI_OK) return status;
    sti_space* k = sti_alloc(env, sizeof *k);
    if (k == NULL) return STI_ERR_MEMORY;
    *k = (sti_space){.env = env, .instant = instant, .n = instant->n};
    count(k, choice);
    status = reserve(k);
    if (status == STI_OK) status = invert_mass(k);
    if (status == STI_OK) {
        fill_rows(k, choice);
        eliminate_joints(k);
        fill_matrix(k);
        *out = k;
    } else {
        sti_space_destroy(k);
    }
    return status;
}

void sti_space_destroy(sti_space* k) {
    if (k == NULL) return;
    sti_free(k->env, k->joint);
    sti_free(k->env, k->contact);
    sti_free(k->env, k->slip);
    sti_free(k->env, k->memory);
    sti_free(k->env, k);
}

void sti_space_block(const sti_space* k, int row, int rows, int col, int cols, double* out) {
    const int a = k->p + k->s;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) out[i * cols + j] = k->W[(row + i) * a + col + j];
    }
}
