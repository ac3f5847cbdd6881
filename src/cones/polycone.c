// polycone.c: a cone from one of its forms: the other form, redundancy out, canonical tables.
//
// Given rays g and lines l (span form), the facet normals and equations are the generators of the polar cone
//
//     C° = { y : g'y <= 0, l'y = 0 },
//
// which double description finds. Given the face form, the same call finds the rays: (C°)° = C. So there is one
// routine, and "side" says which form was given. In the essay below the given side is called rows, the found one rays.
//
// Which given rows are needed is read off the products g'r with the found rays. Let Z(g) be the rays r with g'r = 0.
//
//     Z(g) = all rays        g vanishes on the cone: an equation that was not declared (a line, on the other side)
//     Z(g) maximal           among the other rows: g is a facet (an extreme ray); equal sets: the same one twice
//     otherwise              redundant: some Z(g') contains Z(g), and g is a positive combination of such g'
//
// What it proves. Exact: everything, without rounding. Floating: signs are decided with the tolerance, and the result
// is checked for what must hold of every cone: dimensions of the two forms add up, no row is violated by more than a
// few tolerances, every ray lies on as many facets as it must. Data that are degenerate just at the tolerance can fail
// the check; the call then says so instead of returning a wrong cone.
#include "cones/polycone.h"

#include <math.h>
#include <string.h>

#include "cones/dd.h"

sti_polycone_options sti_polycone_options_default(void) {
    return (sti_polycone_options){.tol = 1e-9, .max_rays = 200000};
}

// Redundancy ----------------------------------------------------------------------------------------------------------

typedef struct incidence {
    int words;
    uint64_t* zero;  // Z of each row: bit r set when ray r is on it            (rows x words)
    int* size;       // rays in it                                             (rows)
} incidence;

// Z of every row. False in floating mode: some row is violated by more than its tolerance can explain.
static bool fill_incidence(sti_arith* ar, const sti_table* rows, const sti_table* rays, incidence* in) {
    sti_number value = {0};
    bool sound = true;
    for (int i = 0; i < rows->count; i++) {
        uint64_t* zero = in->zero + (size_t)i * (size_t)in->words;
        for (int r = 0; r < rays->count; r++) {
            sti_numbers_dot(ar, &value, sti_table_row(rows, i), sti_table_row(rays, r), rows->dimension);
            // both are directions and a'r >= 0; what is negative is zero, up to the rounding of the conversion
            if (sti_number_sign(ar, &value) > 0) continue;
            if (!ar->exact && value.f < -16 * ar->tol) sound = false;
            zero[r / 64] |= (uint64_t)1 << (r % 64);
            in->size[i]++;
        }
    }
    if (ar->exact) sti_int_clear(ar->x->env, &value.z);
    return sound;
}

static bool is_subset(const uint64_t* a, const uint64_t* b, int words) {
    for (int w = 0; w < words; w++) {
        if ((a[w] & ~b[w]) != 0) return false;
    }
    return true;
}

// Is row i redundant beside the others? all: the size of the set of all rays.
static bool is_redundant(const incidence* in, int count, int i, int all) {
    const uint64_t* zero = in->zero + (size_t)i * (size_t)in->words;
    for (int j = 0; j < count; j++) {
        if (j == i || in->size[j] == all || in->size[j] < in->size[i]) continue;
        if (in->size[j] == in->size[i] && j > i) continue;  // of equal sets the first is kept
        if (is_subset(zero, in->zero + (size_t)j * (size_t)in->words, in->words)) return true;
    }
    return false;
}

// A side of a cone while it is made.
typedef struct side {
    sti_table rays;   // irredundant
    sti_table lines;  // echelon form
    sti_table basis;  // orthogonal basis of the lines
} side;

static void clear_side(sti_arith* ar, side* s) {
    sti_table_clear(ar, &s->rays);
    sti_table_clear(ar, &s->lines);
    sti_table_clear(ar, &s->basis);
}

// basis and echelon form of the given lines together with the rows that turned out to be lines.
static bool collect_lines(sti_arith* ar, const sti_table* rows, const sti_table* lines, const incidence* in, int all,
                          side* out) {
    const size_t count = (size_t)rows->count + (size_t)lines->count, d = (size_t)rows->dimension;
    sti_table every = {0};
    if (sti_table_create(ar, count, rows->dimension, &every) && sti_table_create(ar, d, rows->dimension, &out->basis) &&
        sti_table_create(ar, d, rows->dimension, &out->lines)) {
        for (int i = 0; i < lines->count; i++) sti_table_push(ar, &every, sti_table_row(lines, i));
        for (int i = 0; i < rows->count; i++) {
            if (in->size[i] == all) sti_table_push(ar, &every, sti_table_row(rows, i));
        }
        sti_table_orthogonalize(ar, &every, &out->basis);
        for (int i = 0; i < out->basis.count; i++) sti_table_push(ar, &out->lines, sti_table_row(&out->basis, i));
        sti_table_echelon(ar, &out->lines);
    }
    sti_table_clear(ar, &every);
    return ar->x->status == STI_OK;
}

// The given side without redundancy. The rows come sorted; of equal ones the first is kept.
static bool strip(sti_arith* ar, const sti_table* rows, const sti_table* lines, const side* found, const incidence* in,
                  side* out) {
    const int all = found->rays.count;
    if (!collect_lines(ar, rows, lines, in, all, out)) return false;
    if (!sti_table_create(ar, (size_t)rows->count, rows->dimension, &out->rays)) return false;
    const int pointed_dimension = rows->dimension - out->basis.count - found->basis.count;
    for (int i = 0; i < rows->count && ar->x->status == STI_OK; i++) {
        if (in->size[i] == all || in->size[i] < pointed_dimension - 1 || is_redundant(in, rows->count, i, all))
            continue;
        sti_table_push(ar, &out->rays, sti_table_row(rows, i));
        if (!sti_numbers_reduce(ar, sti_table_row(&out->rays, out->rays.count - 1), &out->basis)) out->rays.count--;
    }
    return ar->x->status == STI_OK;
}

// Floating mode: does what was found look like a cone?
static bool is_consistent(sti_arith* ar, const side* given, const side* found) {
    const int d = given->rays.dimension, lines = found->basis.count, equations = given->basis.count;
    const int k = d - lines - equations;  // dimension modulo lines
    sti_table copy = {0}, basis = {0};
    bool good = sti_table_create(ar, (size_t)found->rays.count, d, &copy) && sti_table_create(ar, (size_t)d, d, &basis);
    for (int i = 0; good && i < found->rays.count; i++) sti_table_push(ar, &copy, sti_table_row(&found->rays, i));
    if (good) sti_table_orthogonalize(ar, &copy, &basis);
    good = good && basis.count == k;
    for (int r = 0; good && r < found->rays.count; r++) {
        int on = 0;
        for (int i = 0; i < given->rays.count; i++) {
            sti_number value;
            sti_numbers_dot(ar, &value, sti_table_row(&given->rays, i), sti_table_row(&found->rays, r), d);
            on += value.f <= 16 * ar->tol;
        }
        good = on >= k - 1;
    }
    sti_table_clear(ar, &copy);
    sti_table_clear(ar, &basis);
    return good;
}

// Storage -------------------------------------------------------------------------------------------------------------

// Row of integers as doubles divided by 2^shift.
static void scaled_row(sti_exact* x, const sti_number* v, int d, size_t shift, sti_int* power, double* out) {
    sti_int_set_i64(x, power, 1);
    sti_int_shl(x, power, power, shift);
    for (int j = 0; j < d && x->status == STI_OK; j++) out[j] = sti_int_ratio(x, &v[j].z, power);
}

static void normalize(double* v, int d, double size) {
    for (int j = 0; j < d; j++) v[j] /= size;
}

static double length(const double* v, int d) {
    double s = 0;
    for (int j = 0; j < d; j++) s += v[j] * v[j];
    return sqrt(s);
}

// One direction as doubles: of length 1 (unit), and as shown (value, may be NULL).
static void store_row(sti_arith* ar, const sti_number* v, int d, sti_int* power, double* unit, double* value) {
    if (ar->exact) {
        size_t bits = 0;
        for (int j = 0; j < d; j++) bits = sti_int_bits(&v[j].z) > bits ? sti_int_bits(&v[j].z) : bits;
        scaled_row(ar->x, v, d, bits, power, unit);
        // integers beyond the range of a double are shown divided by a power of two
        if (value != NULL) scaled_row(ar->x, v, d, bits > 1000 ? bits - 1000 : 0, power, value);
    } else {
        for (int j = 0; j < d; j++) unit[j] = v[j].f;
        for (int j = 0; j < d && value != NULL; j++) value[j] = unit[j];
    }
    normalize(unit, d, length(unit, d));
}

static sti_status store_table(sti_arith* ar, const sti_table* from, sti_cone_table* to) {
    sti_env* env = ar->x->env;
    const size_t d = (size_t)from->dimension, total = (size_t)from->count * d;
    to->count = from->count;
    to->value = sti_alloc_array(env, total, sizeof *to->value);
    to->unit = sti_alloc_array(env, total, sizeof *to->unit);
    if (to->value == NULL || to->unit == NULL) return STI_ERR_MEMORY;
    sti_int power = {0};
    for (int i = 0; i < from->count; i++)
        store_row(ar, sti_table_row(from, i), from->dimension, &power, to->unit + (size_t)i * d,
                  to->value + (size_t)i * d);
    sti_status status = ar->x->status;
    if (ar->exact && status == STI_OK) {
        sti_int_set_i64(ar->x, &power, 1);
        status = ar->x->status;
        if (status == STI_OK) status = sti_rationals_create(env, total, &to->exact);
        for (size_t i = 0; i < total && status == STI_OK; i++)
            status = sti_rationals_set_ratio(to->exact, i, &from->v[i].z, &power);
    }
    sti_int_clear(env, &power);
    return status;
}

static sti_status store_basis(sti_arith* ar, const sti_table* from, double** to) {
    const size_t d = (size_t)from->dimension;
    *to = sti_alloc_array(ar->x->env, (size_t)from->count * d, sizeof **to);
    if (*to == NULL) return STI_ERR_MEMORY;
    sti_int power = {0};
    for (int i = 0; i < from->count; i++)
        store_row(ar, sti_table_row(from, i), from->dimension, &power, *to + (size_t)i * d, NULL);
    sti_int_clear(ar->x->env, &power);
    return ar->x->status;
}

// Rows as they are shown: floating ones with largest entry 1 in size, and sorted as such.
static void finish_table(sti_arith* ar, sti_table* t) {
    for (int i = 0; !ar->exact && i < t->count; i++) {
        sti_number* v = sti_table_row(t, i);
        double largest = 0;
        for (int j = 0; j < t->dimension; j++) largest = fmax(largest, fabs(v[j].f));
        for (int j = 0; j < t->dimension; j++) {
            v[j].f /= largest;
            if (fabs(v[j].f) <= 0x1p-50) v[j].f = 0;  // rounding, not data
        }
    }
    sti_table_sort(ar, t);
}

static void negate_rows(const sti_arith* ar, sti_table* t) {
    for (int i = 0; i < t->count; i++) sti_numbers_negate(ar, sti_table_row(t, i), t->dimension);
}

static sti_status store_cone(sti_arith* ar, const side* const sides[2], int d, const sti_polycone_options* options,
                             sti_polycone** out) {
    sti_env* env = ar->x->env;
    sti_polycone* cone = sti_alloc_array_zero(env, 1, sizeof *cone);
    if (cone == NULL) return STI_ERR_MEMORY;
    *cone = (sti_polycone){.env = env, .d = d, .exact = ar->exact, .options = *options};
    sti_status status = STI_OK;
    for (int s = 0; s < 2; s++) {
        if (status == STI_OK) status = store_table(ar, &sides[s]->rays, &cone->rays[s]);
        if (status == STI_OK) status = store_table(ar, &sides[s]->lines, &cone->lines[s]);
        if (status == STI_OK) status = store_basis(ar, &sides[s]->basis, &cone->basis[s]);
    }
    if (status == STI_OK)
        *out = cone;
    else
        sti_polycone_destroy(cone);
    return status;
}

// Construction --------------------------------------------------------------------------------------------------------

static sti_status convert(sti_arith* ar, sti_table* rays, sti_table* lines, const sti_polycone_options* options,
                          side* given, side* found) {
    sti_env* env = ar->x->env;
    incidence in = {0};
    sti_table_sort(ar, rays);
    if (ar->x->status != STI_OK) return ar->x->status;
    negate_rows(ar, rays);  // the polar asks g'y <= 0, double description a'y >= 0
    sti_status status = sti_dd_convert(ar, rays, lines, options->max_rays, &found->rays, &found->lines, &found->basis);
    bool sound = true;
    if (status == STI_OK) {
        in.words = (found->rays.count + 63) / 64;
        in.zero = sti_alloc_array_zero(env, (size_t)rays->count * (size_t)in.words, sizeof *in.zero);
        in.size = sti_alloc_array_zero(env, (size_t)rays->count, sizeof *in.size);
        if (in.zero == NULL || in.size == NULL) status = STI_ERR_MEMORY;
    }
    if (status == STI_OK) {
        sound = fill_incidence(ar, rays, &found->rays, &in);
        if (ar->x->status == STI_OK) strip(ar, rays, lines, found, &in, given);
        if (ar->x->status == STI_OK && !ar->exact) sound = sound && is_consistent(ar, given, found);
        status = ar->x->status;
    }
    if (status == STI_OK && !sound)
        status = STI_FAIL(
            env, STI_ERR_INPUT, -1,
            "the cone is degenerate within rounding at tolerance %g; give exact numbers or another tolerance", ar->tol);
    if (status == STI_OK) negate_rows(ar, &given->rays);
    sti_free(env, in.zero);
    sti_free(env, in.size);
    return status;
}

sti_status sti_polycone_build(sti_arith* ar, sti_cone_side given_side, sti_table* rays, sti_table* lines,
                              const sti_polycone_options* options, sti_polycone** out) {
    side given = {0}, found = {0};
    sti_status status = convert(ar, rays, lines, options, &given, &found);
    if (status == STI_OK) {
        sti_table* tables[4] = {&given.rays, &given.lines, &found.rays, &found.lines};
        for (int t = 0; t < 4; t++) finish_table(ar, tables[t]);
        status = ar->x->status;
    }
    if (status == STI_OK) {
        const side* const sides[2] = {given_side == STI_SIDE_SPAN ? &given : &found,
                                      given_side == STI_SIDE_SPAN ? &found : &given};
        status = store_cone(ar, sides, rays->dimension, options, out);
    }
    clear_side(ar, &given);
    clear_side(ar, &found);
    return status;
}

// A public table: sizes fit, values are there and finite.
static sti_status check_rows(sti_env* env, const sti_rows* rows, int dimension, const char* name, bool exact) {
    if (rows == NULL || rows->count == 0) return STI_OK;
    if (rows->count < 0 || rows->dimension != dimension)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s: %d rows of %d entries in a space of dimension %d", name,
                        rows->count, rows->dimension, dimension);
    const size_t total = (size_t)rows->count * (size_t)dimension;
    if (exact && sti_rationals_count(rows->exact) < total)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s: %zu exact entries of %zu", name,
                        sti_rationals_count(rows->exact), total);
    if (exact) return STI_OK;
    if (rows->value == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s: no values", name);
    for (size_t i = 0; i < total; i++) {
        if (!isfinite(rows->value[i]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, (int64_t)(i / (size_t)dimension), "%s: row %zu, entry %zu is %g",
                            name, i / (size_t)dimension, i % (size_t)dimension, rows->value[i]);
    }
    return STI_OK;
}

sti_status sti_rows_check(sti_env* env, int dimension, const sti_rows* rays, const char* ray_name,
                          const sti_rows* lines, const char* line_name, const sti_polycone_options* options,
                          bool* exact) {
    *exact = false;
    if (dimension < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "dimension is %d, at least 1 is needed", dimension);
    if (!(options->tol >= 0 && options->tol < 1) || options->max_rays < 1)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol %g or max_rays %d is out of range", options->tol,
                        options->max_rays);
    *exact = (rays == NULL || rays->count == 0 || rays->exact != NULL) &&
             (lines == NULL || lines->count == 0 || lines->exact != NULL);
    const sti_status status = check_rows(env, rays, dimension, ray_name, *exact);
    return status == STI_OK ? check_rows(env, lines, dimension, line_name, *exact) : status;
}

static sti_status create(sti_env* env, sti_cone_side given_side, int dimension, const sti_rows* rays,
                         const sti_rows* lines, const sti_polycone_options* options, sti_polycone** out) {
    *out = NULL;
    const sti_polycone_options defaults = sti_polycone_options_default();
    if (options == NULL) options = &defaults;
    const bool span = given_side == STI_SIDE_SPAN;
    bool exact;
    sti_status status = sti_rows_check(env, dimension, rays, span ? "rays" : "inequalities", lines,
                                       span ? "lines" : "equations", options, &exact);
    if (status != STI_OK) return status;
    sti_exact x;
    sti_arith ar;
    sti_table ray_table = {0}, line_table = {0};
    sti_exact_init(&x, env);
    sti_arith_init(&ar, &x, exact, options->tol);
    if (sti_table_create(&ar, rays != NULL ? (size_t)rays->count : 0, dimension, &ray_table) &&
        sti_table_create(&ar, lines != NULL ? (size_t)lines->count : 0, dimension, &line_table)) {
        sti_table_push_rows(&ar, &ray_table, rays);
        sti_table_push_rows(&ar, &line_table, lines);
    }
    status = x.status;
    if (status == STI_OK) status = sti_polycone_build(&ar, given_side, &ray_table, &line_table, options, out);
    sti_table_clear(&ar, &ray_table);
    sti_table_clear(&ar, &line_table);
    sti_arith_clear(&ar);
    sti_exact_clear(&x);
    return status;
}

sti_status sti_polycone_create_span(sti_env* env, int dimension, const sti_rows* rays, const sti_rows* lines,
                                    const sti_polycone_options* options, sti_polycone** out) {
    return create(env, STI_SIDE_SPAN, dimension, rays, lines, options, out);
}

sti_status sti_polycone_create_face(sti_env* env, int dimension, const sti_rows* inequalities,
                                    const sti_rows* equations, const sti_polycone_options* options,
                                    sti_polycone** out) {
    return create(env, STI_SIDE_FACE, dimension, inequalities, equations, options, out);
}

void sti_polycone_destroy(sti_polycone* cone) {
    if (cone == NULL) return;
    sti_env* env = cone->env;
    for (int s = 0; s < 2; s++) {
        sti_cone_table* tables[2] = {&cone->rays[s], &cone->lines[s]};
        for (int t = 0; t < 2; t++) {
            sti_free(env, tables[t]->value);
            sti_free(env, tables[t]->unit);
            sti_rationals_destroy(tables[t]->exact);
        }
        sti_free(env, cone->basis[s]);
    }
    sti_free(env, cone);
}

// What a cone tells ---------------------------------------------------------------------------------------------------

int sti_polycone_dimension_space(const sti_polycone* cone) {
    return cone->d;
}

int sti_polycone_dimension(const sti_polycone* cone) {
    return cone->d - cone->lines[STI_SIDE_FACE].count;
}

int sti_polycone_lineality(const sti_polycone* cone) {
    return cone->lines[STI_SIDE_SPAN].count;
}

bool sti_polycone_is_exact(const sti_polycone* cone) {
    return cone->exact;
}

bool sti_polycone_is_pointed(const sti_polycone* cone) {
    return cone->lines[STI_SIDE_SPAN].count == 0;
}

sti_rows sti_cone_table_rows(const sti_polycone* cone, const sti_cone_table* t) {
    return (sti_rows){.count = t->count, .dimension = cone->d, .value = t->value, .exact = t->exact};
}

sti_rows sti_polycone_rays(const sti_polycone* cone) {
    return sti_cone_table_rows(cone, &cone->rays[STI_SIDE_SPAN]);
}

sti_rows sti_polycone_lines(const sti_polycone* cone) {
    return sti_cone_table_rows(cone, &cone->lines[STI_SIDE_SPAN]);
}

sti_rows sti_polycone_inequalities(const sti_polycone* cone) {
    return sti_cone_table_rows(cone, &cone->rays[STI_SIDE_FACE]);
}

sti_rows sti_polycone_equations(const sti_polycone* cone) {
    return sti_cone_table_rows(cone, &cone->lines[STI_SIDE_FACE]);
}
