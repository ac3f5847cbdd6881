// stretch.c: the change of variables of stretch.h, on the data.
#include "contact/stretch.h"

#include <math.h>
#include <string.h>

#include "contact/entries.h"

bool sti_contact_has_sections(const sti_contact_problem* p) {
    for (int c = 0; p->section != NULL && c < p->contact_count; c++) {
        if (p->section[c].shape != STI_SECTION_DISC) return true;
    }
    return false;
}

double sti_section_reach(const sti_section* s) {
    enum { DIRECTIONS = 256 };
    double most = 0;
    if (s->shape == STI_SECTION_DISC) return 1;
    if (s->shape == STI_SECTION_ELLIPSE) return fmax(s->axes[0], s->axes[1]);
    if (s->shape == STI_SECTION_POLYGON) {
        for (int j = 0; j < s->vertex_count; j++)
            most = fmax(most, hypot(s->vertex[2 * (size_t)j], s->vertex[2 * (size_t)j + 1]));
        return most;
    }
    // S lies in the polygon of its supports in all directions, whose corners are this much farther
    for (int k = 0; k < DIRECTIONS; k++) {
        const double angle = 2 * M_PI * k / DIRECTIONS, y[2] = {cos(angle), sin(angle)};
        most = fmax(most, sti_section_support(s, y, NULL));
    }
    return most / cos(M_PI / DIRECTIONS);
}

static void set_map(const sti_section* s, sti_stretch_kind kind, double* T) {
    T[0] = T[3] = 1, T[1] = T[2] = 0;
    if (s->shape == STI_SECTION_ELLIPSE) {
        const double c = cos(s->angle), d = sin(s->angle), *a = s->axes;
        T[0] = c * a[0], T[1] = -d * a[1];
        T[2] = d * a[0], T[3] = c * a[1];
    } else if (kind == STI_STRETCH_AROUND) {
        T[0] = T[3] = sti_section_reach(s);
    }
}

// Where index i goes: to (up to two) others, with factors of B. Rows that are no contacts stay.
static int spread(const sti_stretch* s, bool moves, int i, int* to, double* factor) {
    to[0] = i;
    factor[0] = 1;
    if (!moves || i % 3 == 0) return 1;
    const double* T = s->T + 4 * (size_t)(i / 3) + 2 * (size_t)(i % 3 - 1);  // row of T: r_i = T_i0 r'_1 + T_i1 r'_2
    to[0] = i - i % 3 + 1;
    to[1] = to[0] + 1;
    factor[0] = T[0];
    factor[1] = T[1];
    return 2;
}

// A' = (B or 1)' A (B or 1)
static sti_status map_matrix(const sti_stretch* s, const sti_matrix* A, bool rows, bool cols, sti_matrix* out) {
    sti_entries e = {.env = s->env, .status = STI_OK};
    for (int j = 0; j < A->cols && (A->dense != NULL || A->col_start != NULL); j++) {
        const int64_t first = A->dense != NULL ? 0 : A->col_start[j];
        const int64_t last = A->dense != NULL ? A->rows : A->col_start[j + 1];
        int jt[2], it[2];
        double jf[2], ifactor[2];
        const int nj = spread(s, cols, j, jt, jf);
        for (int64_t k = first; k < last; k++) {
            const int i = A->dense != NULL ? (int)k : A->row[k];
            const double x = A->dense != NULL ? A->dense[(size_t)i * (size_t)A->cols + (size_t)j] : A->value[k];
            const int ni = x != 0 ? spread(s, rows, i, it, ifactor) : 0;
            for (int a = 0; a < ni; a++) {
                for (int b = 0; b < nj; b++) {
                    const double y = ifactor[a] * x * jf[b];
                    if (y != 0) sti_entries_add(&e, it[a], jt[b], y);
                }
            }
        }
    }
    return sti_entries_finish(&e, A->rows, A->cols, out);
}

static void map_vector(const sti_stretch* s, const double* x, double* y) {
    for (int c = 0; c < s->problem.contact_count; c++, x += 3, y += 3) {
        const double* T = s->T + 4 * (size_t)c;
        y[0] = x[0];
        y[1] = T[0] * x[1] + T[2] * x[2];
        y[2] = T[1] * x[1] + T[3] * x[2];
    }
}

sti_status sti_contact_stretch(sti_env* env, const sti_contact_problem* p, sti_stretch_kind kind, sti_stretch* s) {
    const size_t nc = (size_t)p->contact_count;
    *s = (sti_stretch){.env = env, .problem = *p, .exact = true};
    s->problem.section = NULL;
    if (!p->global && p->W_op != NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "sections of friction need W as a matrix, not as an operator");
    s->T = sti_alloc_array(env, 4 * nc, sizeof *s->T);
    s->vector = sti_alloc_array(env, 3 * nc, sizeof *s->vector);
    if (s->T == NULL || s->vector == NULL) {
        sti_contact_stretch_clear(s);
        return STI_ERR_MEMORY;
    }
    for (size_t c = 0; c < nc; c++) {
        set_map(&p->section[c], kind, s->T + 4 * c);
        s->exact = s->exact && p->section[c].shape <= STI_SECTION_ELLIPSE;
    }
    map_vector(s, p->global ? p->w : p->q, s->vector);
    sti_status status = map_matrix(s, p->global ? &p->H : &p->W, !p->global, true, &s->owned[0]);
    if (status == STI_OK && !p->global && p->bilateral_count > 0)
        status = map_matrix(s, &p->V, true, false, &s->owned[1]);
    if (status != STI_OK) {
        sti_contact_stretch_clear(s);
        return status;
    }
    if (p->global) {
        s->problem.H = s->owned[0];
        s->problem.w = s->vector;
    } else {
        s->problem.W = s->owned[0];
        s->problem.q = s->vector;
        if (p->bilateral_count > 0) s->problem.V = s->owned[1];
    }
    return STI_OK;
}

void sti_contact_stretch_clear(sti_stretch* s) {
    if (s->env == NULL) return;
    for (int k = 0; k < 2; k++) sti_matrix_clear(s->env, &s->owned[k]);
    sti_free(s->env, s->T);
    sti_free(s->env, s->vector);
    *s = (sti_stretch){0};
}

void sti_contact_stretch_forces(const sti_stretch* s, const double* from, double* to) {
    for (int c = 0; c < s->problem.contact_count; c++, from += 3, to += 3) {
        const double *T = s->T + 4 * (size_t)c, x = from[1], y = from[2];
        to[0] = from[0];
        to[1] = T[0] * x + T[1] * y;
        to[2] = T[2] * x + T[3] * y;
    }
}

void sti_contact_unstretch_forces(const sti_stretch* s, const double* from, double* to) {
    for (int c = 0; c < s->problem.contact_count; c++, from += 3, to += 3) {
        const double *T = s->T + 4 * (size_t)c, x = from[1], y = from[2], det = T[0] * T[3] - T[1] * T[2];
        to[0] = from[0];
        to[1] = (T[3] * x - T[1] * y) / det;
        to[2] = (T[0] * y - T[2] * x) / det;
    }
}
