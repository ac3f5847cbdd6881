// solution.c: the solutions (a, c) of one mode under the wrench: strict or limit, unique or not, and the whole
// set.
//
// The closed set is the polyhedron of program.c. Its strict part is its relative interior when it is not empty.
//
// First the equations of the mode are solved by elimination. When they have full rank the set is one point, and its
// inequalities are looked at: strict, or limit. Otherwise the program with a common slack decides that, and ranges of
// all components come from linear programs; a component is unique when both ends agree. Corners by double description
// of the cone over the set. Equations and faces, for forces:
//
//     stick       the planes through neighbouring generators (plane: mu c_n +- c_t >= 0)
//     corner      c proportional to the one generator, c_n of its sign
//     side        in the plane of two generators, between them
#include "cones/dd.h"
#include "exact/determinant.h"
#include "modes/enumerate.h"
#include "modes/program.h"

enum { MOST_RAYS = 2000, MOST_NUMBERS = 24 };  // beyond them corners are too many to be of use: the ranges must do

void sti_mode_solution_destroy(sti_env* env, sti_mode_solution* s) {
    if (s == NULL) return;
    sti_rationals_destroy(s->point);
    sti_rationals_destroy(s->low);
    sti_rationals_destroy(s->high);
    sti_free(env, s->low_finite);
    sti_free(env, s->high_finite);
    sti_rationals_destroy(s->vertices);
    sti_rationals_destroy(s->rays);
    sti_rationals_destroy(s->lines);
    sti_free(env, s);
}

static sti_status create(sti_env* env, size_t count, sti_mode_solution** out) {
    sti_mode_solution* s = sti_alloc_array_zero(env, 1, sizeof *s);
    *out = s;
    if (s == NULL) return STI_ERR_MEMORY;
    s->vertex_count = s->ray_count = s->line_count = s->dimension = -1;
    sti_status status = sti_rationals_create(env, count, &s->point);
    if (status == STI_OK) status = sti_rationals_create(env, count, &s->low);
    if (status == STI_OK) status = sti_rationals_create(env, count, &s->high);
    s->low_finite = sti_alloc_array_zero(env, count, sizeof *s->low_finite);
    s->high_finite = sti_alloc_array_zero(env, count, sizeof *s->high_finite);
    if (status == STI_OK && (s->low_finite == NULL || s->high_finite == NULL)) status = STI_ERR_MEMORY;
    return status;
}

static bool equal(const sti_rationals* a, const sti_rationals* b, size_t i) {
    return sti_int_cmp(&a->num[i], &b->num[i]) == 0 && sti_int_cmp(&a->den[i], &b->den[i]) == 0;
}

static sti_status find_ranges(modes_model* m, const short* choice, sti_mode_solution* s) {
    modes_program p;
    bool feasible = false;
    int gap;
    sti_status status = sti_modes_program_create(m, choice, false, &p);
    if (status == STI_OK) status = sti_modes_program_solve(&p, &feasible, &gap);
    if (status == STI_OK && !feasible)
        status = STI_FAIL(m->env, STI_ERR_INTERNAL, -1, "a consistent mode has no point");
    s->acceleration_unique = s->forces_unique = true;
    for (int k = 0; k < m->n + 2 * m->K && status == STI_OK; k++) {
        status = sti_modes_program_range(&p, k, 1, &s->low_finite[k], s->low);
        if (status == STI_OK) status = sti_modes_program_range(&p, k, -1, &s->high_finite[k], s->high);
        if (status != STI_OK) break;
        const bool one = s->low_finite[k] && s->high_finite[k] && equal(s->low, s->high, (size_t)k);
        if (!one && k < m->n) s->acceleration_unique = false;
        if (!one && k >= m->n + m->K) s->forces_unique = false;
    }
    sti_modes_program_clear(&p);
    return status;
}

static sti_status find_fit(modes_model* m, bool may_be_strict, sti_mode* mode) {
    modes_program p;
    bool feasible = false;
    int gap;
    sti_status status = sti_modes_program_create(m, mode->choice, true, &p);
    if (status == STI_OK) status = sti_modes_program_solve(&p, &feasible, &gap);
    if (status == STI_OK && !feasible)
        status = STI_FAIL(m->env, STI_ERR_INTERNAL, -1, "a consistent mode has no point");
    if (status == STI_OK) {
        mode->fit = gap > 0 && may_be_strict ? STI_MODE_STRICT : STI_MODE_LIMIT;
        status = sti_modes_program_point(&p, mode->solution->point);
    }
    sti_modes_program_clear(&p);
    return status;
}

// Corners -------------------------------------------------------------------------------------------------------------

// Unknowns (a, c, 1): rows >= 0 or = 0.
typedef struct face_form {
    modes_model* m;
    int dimension, count, capacity;
    sti_int* rows;             // (capacity x dimension)
    unsigned char* equations;  // (capacity)
} face_form;

static sti_int* next_row(face_form* f, bool equation) {
    STI_ASSERT(f->count < f->capacity);
    f->equations[f->count] = equation;
    return f->rows + (size_t)f->count++ * (size_t)f->dimension;
}

static void cross(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b) {
    for (int k = 0; k < 3; k++) {
        sti_int_mul(x, &r[k], &a[(k + 1) % 3], &b[(k + 2) % 3]);
        sti_int_mul(x, &x->tmp[1], &a[(k + 2) % 3], &b[(k + 1) % 3]);
        sti_int_sub(x, &r[k], &r[k], &x->tmp[1]);
    }
}

// Turn r so that r'g >= 0.
static void face_towards(sti_exact* x, sti_int* r, const sti_int* g, int n) {
    sti_int s = {0};
    for (int k = 0; k < n; k++) sti_int_addmul(x, &s, &r[k], &g[k]);
    if (sti_int_sign(&s) < 0) {
        for (int k = 0; k < n; k++) sti_int_neg(&r[k]);
    }
    sti_int_clear(x->env, &s);
}

// c proportional to one generator g, of its sign: g_0 c_t = g_t c_n, and g_0 c_n >= 0.
static void corner_rows(face_form* f, const modes_contact* c, const sti_int* g) {
    sti_exact* x = &f->m->x;
    const int at = f->m->n + c->value;
    for (int k = 1; k <= c->tangents; k++) {
        sti_int* row = next_row(f, true);
        sti_int_set(x, &row[at + k], &g[0]);
        sti_int_set(x, &row[at], &g[k]);
        sti_int_neg(&row[at]);
    }
    sti_int_set_i64(x, &next_row(f, false)[at], sti_int_sign(&g[0]));
}

static void plane_stick_rows(face_form* f, const modes_contact* c, const modes_choice* choice) {
    sti_exact* x = &f->m->x;
    const int at = f->m->n + c->value;
    for (int j = 0; j < 2; j++) {
        const sti_int *g = modes_generator_at(c, choice, j), *other = modes_generator_at(c, choice, 1 - j);
        sti_int* row = next_row(f, false);
        sti_int_set(x, &row[at], &g[1]);
        sti_int_set(x, &row[at + 1], &g[0]);
        sti_int_neg(&row[at + 1]);
        face_towards(x, row + at, other, 2);
    }
}

static void space_stick_rows(face_form* f, const modes_contact* c, const modes_choice* choice) {
    sti_exact* x = &f->m->x;
    const int at = f->m->n + c->value;
    for (int j = 0; j < choice->count; j++) {
        sti_int* row = next_row(f, false);
        cross(x, row + at, modes_generator_at(c, choice, j), modes_generator_at(c, choice, j + 1));
        face_towards(x, row + at, modes_generator_at(c, choice, j + 2), 3);
    }
}

static void side_rows(face_form* f, const modes_contact* c, const modes_choice* choice) {
    sti_exact* x = &f->m->x;
    const int at = f->m->n + c->value;
    const sti_int *g = modes_generator_at(c, choice, 0), *h = modes_generator_at(c, choice, 1);
    sti_int* plane = next_row(f, true);
    cross(x, plane + at, g, h);
    sti_int* row = next_row(f, false);
    cross(x, row + at, plane + at, g);
    face_towards(x, row + at, h, 3);
    row = next_row(f, false);
    cross(x, row + at, plane + at, h);
    face_towards(x, row + at, g, 3);
}

static void force_rows(face_form* f, const modes_contact* c, const modes_choice* choice) {
    const int at = f->m->n + c->value;
    if (choice->kind == MODES_SEPARATE || choice->kind == MODES_JOINT || choice->kind == MODES_TOUCH) {
        for (int k = choice->kind == MODES_JOINT ? 1 : 0; k <= c->tangents; k++)
            sti_int_set_i64(&f->m->x, &next_row(f, true)[at + k], 1);
    } else if (choice->kind == MODES_CORNER || choice->never_strict) {
        corner_rows(f, c, modes_generator_at(c, choice, 0));
    } else if (choice->kind == MODES_SIDE) {
        side_rows(f, c, choice);
    } else if (c->tangents == 1) {
        plane_stick_rows(f, c, choice);
    } else {
        space_stick_rows(f, c, choice);
    }
}

static void acceleration_rows(face_form* f, const modes_choice* choice) {
    modes_model* m = f->m;
    for (int k = 0; k < choice->constraint_count; k++) {
        const modes_constraint rule = choice->constraint[k];
        const sti_int* form = modes_form_at(m, rule.form);
        sti_int* row = next_row(f, rule.sign == 0);
        for (int v = 0; v <= m->n; v++) {
            sti_int* to = &row[v == m->n ? f->dimension - 1 : v];
            sti_int_set(&m->x, to, &form[v]);
            if (rule.sign < 0) sti_int_neg(to);
        }
    }
}

static void fill_faces(face_form* f, const short* choice) {
    modes_model* m = f->m;
    sti_exact* x = &m->x;
    for (int r = 0; r < m->n; r++) {  // M a - J c - w
        const sti_int* from = modes_dynamics_at(m, r);
        sti_int* row = next_row(f, true);
        for (int k = 0; k < f->dimension; k++) {
            sti_int_set(x, &row[k], &from[k]);
            if (k >= m->n) sti_int_neg(&row[k]);
        }
    }
    for (int i = 0; i < m->contact_count; i++) {
        const modes_choice* own = &m->contacts[i].choices[choice[i]];
        acceleration_rows(f, own);
        force_rows(f, &m->contacts[i], own);
    }
    sti_int_set_i64(x, &next_row(f, false)[f->dimension - 1], 1);
}

// Rows of the result without their last entry, divided by it where it is positive.
static sti_status copy_rows(modes_model* m, const sti_int* from, int count, int d, int finite, sti_rationals** out,
                            int* made) {
    sti_int one = {0};
    sti_int_set_i64(&m->x, &one, 1);
    sti_status status = m->x.status;
    *made = 0;
    for (int i = 0; i < count; i++) *made += sti_int_sign(&from[(size_t)i * (size_t)d + (size_t)d - 1]) == finite;
    if (status == STI_OK) status = sti_rationals_create(m->env, (size_t)*made * (size_t)(d - 1), out);
    size_t at = 0;
    for (int i = 0; i < count && status == STI_OK; i++) {
        const sti_int* row = from + (size_t)i * (size_t)d;
        if (sti_int_sign(&row[d - 1]) != finite) continue;
        for (int k = 0; k < d - 1 && status == STI_OK; k++)
            status = sti_rationals_set_ratio(*out, at++, &row[k], finite > 0 ? &row[d - 1] : &one);
    }
    sti_int_clear(m->env, &one);
    return status;
}

// Dimension of the set: the rank of all generators of the cone over it, less one.
static int dimension_of(sti_exact* x, const sti_dd_result* dd) {
    const size_t rows = (size_t)(dd->ray_count + dd->line_count), d = (size_t)dd->dimension;
    sti_int* T = sti_int_array(x, rows * d);
    int* pivot = sti_alloc_array(x->env, rows, sizeof *pivot);
    sti_int last = {0};
    int rank = 0;
    if (pivot == NULL && x->status == STI_OK) x->status = STI_ERR_MEMORY;
    if (x->status == STI_OK) {
        for (size_t k = 0; k < rows * d; k++) {
            const size_t from_rays = (size_t)dd->ray_count * d;
            sti_int_set(x, &T[k], k < from_rays ? &dd->rays[k] : &dd->lines[k - from_rays]);
        }
        rank = sti_int_eliminate(x, T, (int)rows, dd->dimension, dd->dimension, pivot, &last);
    }
    sti_int_clear(x->env, &last);
    sti_int_array_free(x->env, T, T != NULL ? rows * d : 0);
    sti_free(x->env, pivot);
    return rank - 1;
}

static sti_status open_faces(modes_model* m, const short* choice, face_form* f) {
    *f = (face_form){.m = m, .dimension = m->n + m->K + 1, .capacity = m->n + 1};
    for (int i = 0; i < m->contact_count; i++)
        f->capacity += MODES_CONSTRAINTS + 3 + m->contacts[i].choices[choice[i]].count;
    f->rows = sti_int_array(&m->x, (size_t)f->capacity * (size_t)f->dimension);
    f->equations = sti_alloc_array_zero(m->env, (size_t)f->capacity, 1);
    if (m->x.status == STI_OK && f->equations == NULL) return STI_ERR_MEMORY;
    if (m->x.status == STI_OK) fill_faces(f, choice);
    return m->x.status;
}

static void close_faces(face_form* f) {
    sti_int_array_free(f->m->env, f->rows, f->rows != NULL ? (size_t)f->capacity * (size_t)f->dimension : 0);
    sti_free(f->m->env, f->equations);
}

static sti_status find_corners(const face_form* f, sti_mode_solution* s) {
    modes_model* m = f->m;
    sti_dd_result dd = {0};
    sti_status status = sti_dd_rays(&m->x, f->dimension, f->count, f->rows, f->equations, MOST_RAYS, &dd);
    if (status == STI_ERR_SIZE) return STI_OK;
    if (status == STI_OK) {
        int unused;
        s->dimension = dimension_of(&m->x, &dd);
        status = m->x.status;
        if (status == STI_OK)
            status = copy_rows(m, dd.rays, dd.ray_count, f->dimension, 1, &s->vertices, &s->vertex_count);
        if (status == STI_OK) status = copy_rows(m, dd.rays, dd.ray_count, f->dimension, 0, &s->rays, &s->ray_count);
        if (status == STI_OK) status = copy_rows(m, dd.lines, dd.line_count, f->dimension, 0, &s->lines, &unused);
        s->line_count = dd.line_count;
    }
    sti_dd_result_clear(m->env, &dd);
    return status;
}

// One point -----------------------------------------------------------------------------------------------------------

// value := row'(x, 1) d, where x = T_right / d for pivot columns in the order of pivot_col
static void evaluate(face_form* f, const sti_int* row, const sti_int* x_of, const sti_int* d, sti_int* value) {
    sti_exact* x = &f->m->x;
    sti_int_mul(x, value, &row[f->dimension - 1], d);
    for (int k = 0; k < f->dimension - 1; k++) sti_int_addmul(x, value, &row[k], &x_of[k]);
}

// Are all inequalities strict at the point?
static bool is_strict(face_form* f, const sti_int* x_of, const sti_int* d) {
    sti_int value = {0};
    bool strict = true;
    for (int i = 0; i < f->count - 1 && strict; i++) {  // the last row only says that the last coordinate is positive
        if (f->equations[i]) continue;
        evaluate(f, f->rows + (size_t)i * (size_t)f->dimension, x_of, d, &value);
        strict = sti_int_sign(&value) * sti_int_sign(d) > 0;
    }
    sti_int_clear(f->m->env, &value);
    return strict;
}

// Numbers of the point: a and forces from the unknowns, accelerations of contacts from their forms.
static sti_status set_point(face_form* f, const sti_int* x_of, const sti_int* d, sti_mode_solution* s) {
    modes_model* m = f->m;
    sti_exact* x = &m->x;
    sti_int num = {0}, den = {0};
    sti_status status = STI_OK;
    for (int k = 0; k < m->n + 2 * m->K && status == STI_OK; k++) {
        const int v = k - m->n;
        if (k < m->n || v >= m->K) {
            status = sti_rationals_set_ratio(s->point, (size_t)k, &x_of[k < m->n ? k : k - m->K], d);
        } else {
            const sti_int* form = modes_form_at(m, v);
            sti_int_mul(x, &num, &form[m->n], d);
            for (int j = 0; j < m->n; j++) sti_int_addmul(x, &num, &form[j], &x_of[j]);
            sti_int_mul(x, &num, &num, &m->scale_den[v]);
            sti_int_mul(x, &den, d, &m->scale_num[v]);
            status = x->status;
            if (status == STI_OK) status = sti_rationals_set_ratio(s->point, (size_t)k, &num, &den);
        }
        if (status == STI_OK) status = sti_rationals_copy(s->low, (size_t)k, s->point, (size_t)k);
        if (status == STI_OK) status = sti_rationals_copy(s->high, (size_t)k, s->point, (size_t)k);
        s->low_finite[k] = s->high_finite[k] = true;
    }
    sti_int_clear(m->env, &num);
    sti_int_clear(m->env, &den);
    return status;
}

// The equations have full rank: one point. *one says so; fit and numbers are then set.
static sti_status find_point(face_form* f, sti_mode* mode, bool may_be_strict, bool* one) {
    modes_model* m = f->m;
    sti_exact* x = &m->x;
    const int unknowns = f->dimension - 1;
    int rows = 0;
    for (int i = 0; i < f->count; i++) rows += f->equations[i];
    const size_t total = (size_t)rows * (size_t)f->dimension;
    sti_int *T = sti_int_array(x, total), *x_of = sti_int_array(x, (size_t)f->dimension), d = {0};
    int* pivot_col = sti_alloc_array(m->env, (size_t)rows, sizeof *pivot_col);
    sti_status status = x->status;
    if (status == STI_OK && pivot_col == NULL) status = STI_ERR_MEMORY;
    for (int i = 0, r = 0; i < f->count && status == STI_OK; i++) {
        if (!f->equations[i]) continue;
        for (int k = 0; k < f->dimension; k++)
            sti_int_set(x, &T[(size_t)r * (size_t)f->dimension + (size_t)k],
                        &f->rows[(size_t)i * (size_t)f->dimension + (size_t)k]);
        sti_int_neg(&T[(size_t)r * (size_t)f->dimension + (size_t)unknowns]);
        r++;
    }
    if (status == STI_OK) {
        *one = sti_int_eliminate(x, T, rows, f->dimension, unknowns, pivot_col, &d) == unknowns;
        for (int r = 0; r < rows && *one; r++) {
            if (pivot_col[r] >= 0)
                sti_int_set(x, &x_of[pivot_col[r]], &T[(size_t)r * (size_t)f->dimension + (size_t)unknowns]);
        }
        status = x->status;
    }
    if (status == STI_OK && *one) {
        mode->fit = may_be_strict && is_strict(f, x_of, &d) ? STI_MODE_STRICT : STI_MODE_LIMIT;
        mode->solution->acceleration_unique = mode->solution->forces_unique = true;
        mode->solution->dimension = 0;
        status = set_point(f, x_of, &d, mode->solution);
    }
    sti_int_clear(m->env, &d);
    sti_int_array_free(m->env, T, T != NULL ? total : 0);
    sti_int_array_free(m->env, x_of, x_of != NULL ? (size_t)f->dimension : 0);
    sti_free(m->env, pivot_col);
    return status;
}

sti_status sti_mode_solve(modes_model* m, sti_mode* mode, bool sets) {
    bool may_be_strict = true, one = false;
    for (int i = 0; i < m->contact_count; i++) {
        if (m->contacts[i].choices[mode->choice[i]].never_strict) may_be_strict = false;
    }
    face_form f = {.m = m};
    sti_status status = create(m->env, (size_t)(m->n + 2 * m->K), &mode->solution);
    if (status == STI_OK) status = open_faces(m, mode->choice, &f);
    if (status == STI_OK) status = find_point(&f, mode, may_be_strict, &one);
    if (status == STI_OK && !one) status = find_fit(m, may_be_strict, mode);
    if (status == STI_OK && !one) status = find_ranges(m, mode->choice, mode->solution);
    if (status == STI_OK && !one && mode->solution->acceleration_unique && mode->solution->forces_unique)
        mode->solution->dimension = 0;
    else if (status == STI_OK && !one && sets && m->n + m->K <= MOST_NUMBERS)
        status = find_corners(&f, mode->solution);
    close_faces(&f);
    return status;
}
