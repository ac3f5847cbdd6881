// wrench.c: the external wrenches that produce a mode, and where a given wrench stands among them.
//
// The wrench is w = M a - J c, linear in (a, c), and the closed set of a mode is a product of two cones: accelerations,
// whose generators the mode's cell has, and forces, whose generators are those of friction. So the wrench set is the
// cone spanned by the images
//
//     M q  for a ray or line q of the cell,        -J g  for a generator g of the forces,
//
// S2 (15), and double description gives the faces, S2 (14). (S2 (28) is a cone in the space of b, not of wrenches: see
// docs/modes.md.) When rates do not vanish the cell is a cone over (a, 1), and so is the result, over (w, 1).
//
// A face is named by what is tight on it: a contact none of whose generators lie on it has no normal force there; one
// with some of its generators is at its friction limit; a strict constraint of the accelerations that vanishes on all
// rays of the face is an acceleration that vanishes.
//
// Distances are Euclidean in wrench space and floating: they order and measure, they decide nothing. The distance to a
// polyhedron { x : G x >= h } is Lawson & Hanson's least distance programming (1974, ch. 23.4): project (0, .., 0, 1)
// on the cone spanned by the rows (G_i, h_i); with the remainder r the nearest point is -r_1..n / r_n+1.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "modes/enumerate.h"

void sti_mode_wrenches_destroy(sti_env* env, sti_mode_wrenches* w) {
    if (w == NULL) return;
    for (int f = 0; w->face_text != NULL && f < w->face_count; f++) sti_free(env, w->face_text[f]);
    sti_free(env, w->face_text);
    sti_free(env, w->change);
    sti_polycone_destroy(w->cone);
    sti_free(env, w);
}

// Images --------------------------------------------------------------------------------------------------------------

typedef struct images {
    modes_model* m;
    const short* choice;
    modes_cell cell;
    int dimension;
    int force_count;
    sti_rationals* rays;   // cell rays, then forces by contact     ((ray_count + force_count) x dimension)
    sti_rationals* lines;  // (line_count x dimension)
} images;

static const modes_choice* own_choice(const images* im, int i) {
    return &im->m->contacts[i].choices[im->choice[i]];
}

// Row of `to` := image of the acceleration q.
static sti_status map_acceleration(images* im, const sti_int* q, sti_rationals* to, int row) {
    modes_model* m = im->m;
    sti_exact* x = &m->x;
    const size_t first = (size_t)row * (size_t)im->dimension;
    sti_int s = {0};
    sti_status status = STI_OK;
    for (int r = 0; r < m->n && status == STI_OK; r++) {
        sti_int_set_i64(x, &s, 0);
        for (int k = 0; k < m->n; k++) sti_int_addmul(x, &s, &modes_dynamics_at(m, r)[k], &q[k]);
        sti_int_mul(x, &s, &s, &m->row_den[r]);
        status = x->status;
        if (status == STI_OK) status = sti_rationals_set_ratio(to, first + (size_t)r, &s, &m->row_num[r]);
    }
    if (status == STI_OK && !m->homogeneous) {
        sti_int_set_i64(x, &s, 1);
        status = x->status;
        if (status == STI_OK) status = sti_rationals_set_ratio(to, first + (size_t)m->n, &q[m->n], &s);
    }
    sti_int_clear(m->env, &s);
    return status;
}

// Row of `to` := -J g.
static sti_status map_force(images* im, int contact, const sti_int* g, sti_rationals* to, int row) {
    modes_model* m = im->m;
    sti_exact* x = &m->x;
    const modes_contact* c = &m->contacts[contact];
    const size_t first = (size_t)row * (size_t)im->dimension;
    sti_int s = {0};
    sti_status status = STI_OK;
    for (int r = 0; r < m->n && status == STI_OK; r++) {
        sti_int_set_i64(x, &s, 0);
        for (int k = 0; k <= c->tangents; k++)
            sti_int_addmul(x, &s, &modes_dynamics_at(m, r)[m->n + c->value + k], &g[k]);
        sti_int_mul(x, &s, &s, &m->row_den[r]);
        sti_int_neg(&s);
        status = x->status;
        if (status == STI_OK) status = sti_rationals_set_ratio(to, first + (size_t)r, &s, &m->row_num[r]);
    }
    sti_int_clear(m->env, &s);
    return status;
}

static sti_status make_images(images* im) {
    modes_model* m = im->m;
    const size_t d = (size_t)im->dimension;
    im->force_count = 0;
    for (int i = 0; i < m->contact_count; i++) im->force_count += own_choice(im, i)->count;
    const int rays = im->cell.ray_count;
    sti_status status = sti_rationals_create(m->env, (size_t)(rays + im->force_count) * d, &im->rays);
    if (status == STI_OK) status = sti_rationals_create(m->env, (size_t)im->cell.line_count * d, &im->lines);
    for (int i = 0; i < im->cell.line_count && status == STI_OK; i++)
        status = map_acceleration(im, modes_cell_at(&im->cell, i), im->lines, i);
    for (int i = 0; i < rays && status == STI_OK; i++)
        status = map_acceleration(im, modes_cell_at(&im->cell, im->cell.line_count + i), im->rays, i);
    int row = rays;
    for (int i = 0; i < m->contact_count; i++) {
        for (int g = 0; g < own_choice(im, i)->count && status == STI_OK; g++)
            status = map_force(im, i, modes_generator_at(&m->contacts[i], own_choice(im, i), g), im->rays, row++);
    }
    return status;
}

// Names of faces ------------------------------------------------------------------------------------------------------

enum { TEXT_SIZE = 400 };

static void say(char* text, const char* what, const char* name, const char* word) {
    const size_t at = strlen(text);
    snprintf(text + at, TEXT_SIZE - at, "%s%s %s%s%s", at > 0 ? "; " : "", what, name,
             word[0] != '\0' ? ", towards " : "", word);
}

// The word of the choice of contact c whose generators are exactly those marked on (of `choice`).
static const char* limit_word(const modes_contact* c, const modes_choice* choice, const bool* on) {
    for (int k = 0; k < c->choice_count; k++) {
        const modes_choice* other = &c->choices[k];
        if (other->count == 0 || other->count >= choice->count || other->base != choice->base) continue;
        int hits = 0, marked = 0;
        for (int g = 0; g < choice->count; g++) {
            marked += on[g];
            for (int h = 0; h < other->count; h++)
                hits += on[g] && modes_generator_at(c, choice, g) == modes_generator_at(c, other, h);
        }
        if (hits == marked && marked == other->count) return other->word;
    }
    return "";
}

static void name_forces(const images* im, const bool* on, char* text) {
    const modes_model* m = im->m;
    int row = im->cell.ray_count;
    for (int i = 0; i < m->contact_count; i++) {
        const modes_choice* choice = own_choice(im, i);
        int count = 0;
        for (int g = 0; g < choice->count; g++) count += on[row + g];
        if (choice->count > 0 && count == 0) say(text, "no normal force at", m->instant->contacts[i].name, "");
        if (count > 0 && count < choice->count)
            say(text, "friction limit of", m->instant->contacts[i].name, limit_word(&m->contacts[i], choice, on + row));
        row += choice->count;
    }
}

static void name_accelerations(const images* im, const bool* on, char* text) {
    const modes_model* m = im->m;
    for (int i = 0; i < m->contact_count; i++) {
        const modes_choice* choice = own_choice(im, i);
        for (int k = 0; k < choice->constraint_count; k++) {
            if (choice->constraint[k].sign == 0) continue;
            const int cut = 1 + MODES_CONSTRAINTS * i + k;
            bool tight = true;
            for (int r = 0; r < im->cell.ray_count && tight; r++) {
                const uint64_t* zero = im->cell.zero + (size_t)r * (size_t)im->cell.words;
                tight = !on[r] || ((zero[cut / 64] >> (cut % 64)) & 1) != 0;
            }
            const bool normal = choice->constraint[k].form == m->contacts[i].value;
            if (tight)
                say(text, normal ? "no gap acceleration at" : "no slip acceleration at", m->instant->contacts[i].name,
                    "");
        }
    }
}

// Which images lie on face f of the cone.
static sti_status find_on(const images* im, const sti_rows* faces, int f, sti_int* work, bool* on) {
    sti_exact* x = &im->m->x;
    const size_t d = (size_t)im->dimension;
    sti_int *face = work, *image = work + d, *s = work + 2 * d;
    sti_int_row_from_rationals(x, face, faces->exact, (size_t)f * d, d, NULL, NULL);
    for (int r = 0; r < im->cell.ray_count + im->force_count && x->status == STI_OK; r++) {
        sti_int_row_from_rationals(x, image, im->rays, (size_t)r * d, d, NULL, NULL);
        sti_int_set_i64(x, s, 0);
        for (size_t k = 0; k < d; k++) sti_int_addmul(x, s, &face[k], &image[k]);
        on[r] = sti_int_sign(s) == 0;
    }
    return x->status;
}

static sti_status name_faces(const images* im, sti_mode_wrenches* w) {
    sti_env* env = im->m->env;
    const sti_rows faces = sti_polycone_inequalities(w->cone);
    const size_t total = (size_t)(im->cell.ray_count + im->force_count), d = (size_t)im->dimension;
    w->face_text = sti_alloc_array_zero(env, (size_t)faces.count, sizeof *w->face_text);
    w->face_count = faces.count;
    bool* on = sti_alloc_array_zero(env, total, sizeof *on);
    sti_int* work = sti_int_array(&im->m->x, 2 * d + 1);
    sti_status status = im->m->x.status;
    if (status == STI_OK && (w->face_text == NULL || on == NULL)) status = STI_ERR_MEMORY;
    for (int f = 0; f < faces.count && status == STI_OK; f++) {
        bool finite = false;
        for (int k = 0; k < im->m->n; k++)
            finite = finite || sti_rationals_sign(faces.exact, (size_t)f * d + (size_t)k) != 0;
        if (!finite) continue;  // the face at infinity of a polyhedron
        char text[TEXT_SIZE] = "";
        status = find_on(im, &faces, f, work, on);
        if (status != STI_OK) break;
        name_forces(im, on, text);
        name_accelerations(im, on, text);
        w->face_text[f] = sti_strdup(env, text);
        if (w->face_text[f] == NULL) status = STI_ERR_MEMORY;
    }
    sti_int_array_free(env, work, work != NULL ? 2 * d + 1 : 0);
    sti_free(env, on);
    return status;
}

// Margin --------------------------------------------------------------------------------------------------------------

// (F_w'w + F_1) / |F_w| of a row of the cone, NAN for the face at infinity. length: |F_w|.
static double height(const double* row, const double* w, int n, bool is_cone, double* length) {
    double s = is_cone ? 0 : row[n], size = 0;
    for (int k = 0; k < n; k++) {
        s += row[k] * w[k];
        size = hypot(size, row[k]);
    }
    *length = size;
    return size > 0 ? s / size : NAN;
}

// Largest height over the faces, and which.
static int highest_face(const sti_rows* faces, const double* w, int n, bool is_cone, double* best) {
    int face = -1;
    *best = -INFINITY;
    for (int f = 0; f < faces->count; f++) {
        double length;
        const double h = height(faces->value + (size_t)f * (size_t)faces->dimension, w, n, is_cone, &length);
        if (isnan(h) || !(h > *best)) continue;
        *best = h;
        face = f;
    }
    return face;
}

static int highest_equation(const sti_rows* equations, const double* w, int n, bool is_cone, double* best) {
    int equation = -1;
    *best = 0;
    for (int e = 0; e < equations->count; e++) {
        double length;
        const double h =
            fabs(height(equations->value + (size_t)e * (size_t)equations->dimension, w, n, is_cone, &length));
        if (!(h > *best) && equation >= 0) continue;
        *best = h;
        equation = e;
    }
    return equation;
}

// change := nearest point of the polyhedron minus w.
static sti_status nearest_of_polyhedron(sti_env* env, const sti_mode_wrenches* set, const double* w, int n,
                                        double* change) {
    const sti_rows faces = sti_polycone_inequalities(set->cone), equations = sti_polycone_equations(set->cone);
    const size_t width = (size_t)n + 1;
    sti_arena memory = sti_arena_make(env);
    double* rows = sti_arena_raw(&memory, (size_t)(faces.count + equations.count) * width, sizeof *rows);
    double* unit = sti_arena_take(&memory, 2 * width, sizeof *unit);
    sti_polycone* cone = NULL;
    sti_status status = memory.status != STI_OK ? STI_ERR_MEMORY : STI_OK;
    int used = 0;
    for (int pass = 0; pass < 2 && status == STI_OK; pass++) {  // (G, h) = (-F_w, F'(w, 1)), of faces, then equations
        const sti_rows* from = pass == 0 ? &faces : &equations;
        for (int f = 0; f < from->count; f++) {
            double length;
            const double* row = from->value + (size_t)f * width;
            const double h = height(row, w, n, false, &length);
            if (isnan(h)) continue;
            double* to = rows + (size_t)(pass == 0 ? used : faces.count + f) * width;
            for (int k = 0; k < n; k++) to[k] = -row[k] / length;
            to[n] = h;
            used += pass == 0;
        }
    }
    const sti_rows rays = {.count = used, .dimension = n + 1, .value = rows};
    const sti_rows lines = {.count = equations.count,
                            .dimension = n + 1,
                            .value = memory.status == STI_OK ? rows + (size_t)faces.count * width : NULL};
    if (status == STI_OK) status = sti_polycone_create_span(env, n + 1, &rays, &lines, NULL, &cone);
    if (status == STI_OK) {
        unit[n] = 1;
        status = sti_polycone_project(cone, unit, unit + width);
        for (int k = 0; k < n && status == STI_OK; k++)
            change[k] = unit[width + (size_t)k] / (1 - unit[width + (size_t)n]);
    }
    sti_polycone_destroy(cone);
    sti_arena_clear(&memory);
    return status;
}

static sti_status outside(modes_model* m, sti_mode_wrenches* set, const double* w) {
    double face_height, equation_height, distance = 0;
    const sti_rows faces = sti_polycone_inequalities(set->cone), equations = sti_polycone_equations(set->cone);
    set->face = highest_face(&faces, w, m->n, set->is_cone, &face_height);
    const int equation = highest_equation(&equations, w, m->n, set->is_cone, &equation_height);
    if (equation >= 0 && (set->face < 0 || equation_height > face_height)) set->face = -1 - equation;
    sti_status status;
    if (set->is_cone) {
        status = sti_polycone_project(set->cone, w, set->change);
        for (int k = 0; k < m->n && status == STI_OK; k++) set->change[k] -= w[k];
    } else {
        status = nearest_of_polyhedron(m->env, set, w, m->n, set->change);
    }
    for (int k = 0; k < m->n && status == STI_OK; k++) distance = hypot(distance, set->change[k]);
    set->margin = -distance;
    return status;
}

static void inside(const modes_model* m, sti_mode_wrenches* set, const double* w) {
    const sti_rows faces = sti_polycone_inequalities(set->cone), equations = sti_polycone_equations(set->cone);
    double best;
    set->face = highest_face(&faces, w, m->n, set->is_cone, &best);
    set->margin = set->face >= 0 ? fmax(0, -best) : INFINITY;
    if (equations.count > 0) {
        set->face = -1;
        set->margin = 0;
    }
    if (set->face < 0) return;
    double length;
    const double* row = faces.value + (size_t)set->face * (size_t)faces.dimension;
    (void)height(row, w, m->n, set->is_cone, &length);
    for (int k = 0; k < m->n; k++) set->change[k] = set->margin * row[k] / length;
}

// Floating answer for modes whose consistency was not asked for.
static bool holds(const modes_model* m, const sti_mode_wrenches* set, const double* w) {
    const sti_rows faces = sti_polycone_inequalities(set->cone), equations = sti_polycone_equations(set->cone);
    double face_height, equation_height;
    (void)highest_face(&faces, w, m->n, set->is_cone, &face_height);
    (void)highest_equation(&equations, w, m->n, set->is_cone, &equation_height);
    return face_height <= 0 && equation_height <= 0;
}

static sti_status fill(images* im, sti_mode* mode) {
    modes_model* m = im->m;
    sti_mode_wrenches* set = mode->wrenches;
    set->is_cone = m->homogeneous;
    set->change = sti_alloc_array_zero(m->env, (size_t)m->n, sizeof *set->change);
    double* w = sti_alloc_array(m->env, (size_t)m->n, sizeof *w);
    sti_status status = set->change == NULL || w == NULL ? STI_ERR_MEMORY : STI_OK;
    if (status == STI_OK) status = make_images(im);
    if (status == STI_OK) {
        const sti_rows rays = {im->cell.ray_count + im->force_count, im->dimension, NULL, im->rays};
        const sti_rows lines = {im->cell.line_count, im->dimension, NULL, im->lines};
        status = sti_polycone_create_span(m->env, im->dimension, &rays, &lines, NULL, &set->cone);
    }
    if (status == STI_OK) status = name_faces(im, set);
    if (status == STI_OK) {
        for (int k = 0; k < m->n; k++) w[k] = modes_double(&m->x, m->wrench, (size_t)k);
        status = m->x.status;
    }
    if (status == STI_OK) {
        if (mode->fit == STI_MODE_STRICT || mode->fit == STI_MODE_LIMIT ||
            (mode->fit == STI_MODE_UNTRIED && holds(m, set, w)))
            inside(m, set, w);
        else
            status = outside(m, set, w);
    }
    sti_free(m->env, w);
    return status;
}

sti_status sti_mode_find_wrenches_closed(modes_model* m, sti_mode* mode) {
    images im = {.m = m, .choice = mode->choice, .dimension = m->homogeneous ? m->n : m->n + 1};
    bool there = false;
    sti_status status = sti_modes_cell_closed(m, mode->choice, &im.cell, &there);
    if (status == STI_OK && there) {
        mode->wrenches = sti_alloc_array_zero(m->env, 1, sizeof *mode->wrenches);
        status = mode->wrenches != NULL ? fill(&im, mode) : STI_ERR_MEMORY;
    }
    sti_cell_clear(m->env, &im.cell);
    sti_rationals_destroy(im.rays);
    sti_rationals_destroy(im.lines);
    return status;
}

sti_status sti_mode_find_wrenches(modes_model* m, sti_mode* mode) {
    images im = {.m = m, .choice = mode->choice, .dimension = m->homogeneous ? m->n : m->n + 1};
    mode->wrenches = sti_alloc_array_zero(m->env, 1, sizeof *mode->wrenches);
    if (mode->wrenches == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_modes_cell(m, mode->choice, &im.cell);
    if (status == STI_OK) status = fill(&im, mode);
    sti_cell_clear(m->env, &im.cell);
    sti_rationals_destroy(im.rays);
    sti_rationals_destroy(im.lines);
    return status;
}
