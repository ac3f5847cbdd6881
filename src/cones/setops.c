// setops.c: polar, intersection, sum, linear image and equality of cones.
//
//     polar          the two forms change places; nothing is computed
//     A n B          face forms put together          { F_A x <= 0, F_B x <= 0, ... }
//     A + B          span forms put together
//     T A            span form, each generator mapped
//     A = B          A in B and B in A: generators of one against faces of the other
//
// Exact cones give exact results. With one floating operand the work is floating, at the tolerance of the first.
#include <math.h>
#include <string.h>

#include "cones/polycone.h"

static sti_status copy_table(sti_env* env, const sti_cone_table* from, int d, sti_cone_table* to) {
    const size_t total = (size_t)from->count * (size_t)d;
    to->count = from->count;
    to->value = sti_alloc_array(env, total, sizeof *to->value);
    to->unit = sti_alloc_array(env, total, sizeof *to->unit);
    if (to->value == NULL || to->unit == NULL) return STI_ERR_MEMORY;
    if (total > 0) {
        memcpy(to->value, from->value, total * sizeof *to->value);
        memcpy(to->unit, from->unit, total * sizeof *to->unit);
    }
    return from->exact != NULL ? sti_rationals_slice(env, from->exact, 0, total, &to->exact) : STI_OK;
}

sti_status sti_polycone_polar(const sti_polycone* cone, sti_polycone** out) {
    *out = NULL;
    sti_env* env = cone->env;
    sti_polycone* polar = sti_alloc_array_zero(env, 1, sizeof *polar);
    if (polar == NULL) return STI_ERR_MEMORY;
    *polar = (sti_polycone){.env = env, .d = cone->d, .exact = cone->exact, .options = cone->options};
    sti_status status = STI_OK;
    for (int side = 0; side < 2 && status == STI_OK; side++) {
        const int other = 1 - side;
        const size_t size = (size_t)cone->lines[side].count * (size_t)cone->d;
        status = copy_table(env, &cone->rays[side], cone->d, &polar->rays[other]);
        if (status == STI_OK) status = copy_table(env, &cone->lines[side], cone->d, &polar->lines[other]);
        if (status != STI_OK) break;
        polar->basis[other] = sti_alloc_array(env, size, sizeof(double));
        if (polar->basis[other] == NULL)
            status = STI_ERR_MEMORY;
        else if (size > 0)
            memcpy(polar->basis[other], cone->basis[side], size * sizeof(double));
    }
    if (status == STI_OK)
        *out = polar;
    else
        sti_polycone_destroy(polar);
    return status;
}

// The four tables of a cone as directions.
typedef struct cone_tables {
    sti_table rays[2], lines[2];
} cone_tables;

static bool load_side(sti_arith* ar, const sti_polycone* cone, int side, sti_table* rays, sti_table* lines) {
    const sti_rows r = sti_cone_table_rows(cone, &cone->rays[side]), l = sti_cone_table_rows(cone, &cone->lines[side]);
    sti_table_push_rows(ar, rays, &r);
    sti_table_push_rows(ar, lines, &l);
    return ar->x->status == STI_OK;
}

static bool load_cone(sti_arith* ar, const sti_polycone* cone, cone_tables* to) {
    for (int side = 0; side < 2; side++) {
        if (!sti_table_create(ar, (size_t)cone->rays[side].count, cone->d, &to->rays[side])) return false;
        if (!sti_table_create(ar, (size_t)cone->lines[side].count, cone->d, &to->lines[side])) return false;
        if (!load_side(ar, cone, side, &to->rays[side], &to->lines[side])) return false;
    }
    return true;
}

static void clear_cone(sti_arith* ar, cone_tables* t) {
    for (int side = 0; side < 2; side++) {
        sti_table_clear(ar, &t->rays[side]);
        sti_table_clear(ar, &t->lines[side]);
    }
}

static sti_status check_pair(const sti_polycone* a, const sti_polycone* b) {
    if (a->d == b->d) return STI_OK;
    return STI_FAIL(a->env, STI_ERR_ARGUMENT, -1, "cones in spaces of dimension %d and %d", a->d, b->d);
}

// Tables of one side of both cones put together, and a new cone from them.
static sti_status join(const sti_polycone* a, const sti_polycone* b, sti_cone_side side, sti_polycone** out) {
    *out = NULL;
    sti_status status = check_pair(a, b);
    if (status != STI_OK) return status;
    sti_exact x;
    sti_arith ar;
    sti_table rays = {0}, lines = {0};
    sti_exact_init(&x, a->env);
    sti_arith_init(&ar, &x, a->exact && b->exact, a->options.tol);
    const bool loaded =
        sti_table_create(&ar, (size_t)a->rays[side].count + (size_t)b->rays[side].count, a->d, &rays) &&
        sti_table_create(&ar, (size_t)a->lines[side].count + (size_t)b->lines[side].count, a->d, &lines) &&
        load_side(&ar, a, side, &rays, &lines) && load_side(&ar, b, side, &rays, &lines);
    status = loaded ? sti_polycone_build(&ar, side, &rays, &lines, &a->options, out) : x.status;
    sti_table_clear(&ar, &rays);
    sti_table_clear(&ar, &lines);
    sti_arith_clear(&ar);
    sti_exact_clear(&x);
    return status;
}

sti_status sti_polycone_intersect(const sti_polycone* a, const sti_polycone* b, sti_polycone** out) {
    return join(a, b, STI_SIDE_FACE, out);
}

sti_status sti_polycone_sum(const sti_polycone* a, const sti_polycone* b, sti_polycone** out) {
    return join(a, b, STI_SIDE_SPAN, out);
}

// Image ---------------------------------------------------------------------------------------------------------------

static bool holds_integers(const double* value, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (value[i] != nearbyint(value[i])) return false;
    }
    return true;
}

// T with one common positive factor, which the image of a cone does not notice. Floating: largest entry near 1.
static void load_map(sti_arith* ar, const sti_rows* T, sti_table* to) {
    const size_t total = (size_t)T->count * (size_t)T->dimension;
    to->count = T->count;
    if (ar->exact && T->exact != NULL) {
        sti_int_row_from_rationals(ar->x, &to->v->z, T->exact, 0, total, NULL, NULL);
    } else if (ar->exact) {
        sti_int_row_from_doubles(ar->x, &to->v->z, T->value, total, 1, NULL, NULL);
    } else {
        double largest = 0;
        int exponent = 0;
        for (size_t i = 0; i < total; i++) largest = fmax(largest, fabs(T->value[i]));
        frexp(largest, &exponent);
        for (size_t i = 0; i < total; i++) to->v[i].f = ldexp(T->value[i], -exponent);
    }
}

// Directions T g for every row g; those that T takes to zero are left out. g is a direction and T of size 1, so what is
// not longer than tol is zero in floating mode.
static void map_rows(sti_arith* ar, const sti_table* T, const sti_table* rows, sti_table* to) {
    for (int i = 0; i < rows->count && ar->x->status == STI_OK; i++) {
        sti_number* image = sti_table_row(to, to->count);
        double size = 0;
        for (int r = 0; r < T->count; r++) {
            sti_numbers_dot(ar, &image[r], sti_table_row(T, r), sti_table_row(rows, i), T->dimension);
            if (!ar->exact) size = hypot(size, image[r].f);
        }
        if (!ar->exact && size <= ar->tol) continue;
        if (sti_numbers_tidy(ar, image, T->count)) to->count++;
    }
}

static sti_status check_map(const sti_polycone* cone, const sti_rows* T) {
    if (T->count < 1 || T->dimension != cone->d || (T->value == NULL && T->exact == NULL))
        return STI_FAIL(cone->env, STI_ERR_ARGUMENT, -1, "a map with %d rows of %d entries on a space of dimension %d",
                        T->count, T->dimension, cone->d);
    const size_t total = (size_t)T->count * (size_t)T->dimension;
    if (T->exact != NULL && sti_rationals_count(T->exact) < total)
        return STI_FAIL(cone->env, STI_ERR_ARGUMENT, -1, "a map with %zu exact entries of %zu",
                        sti_rationals_count(T->exact), total);
    for (size_t i = 0; T->value != NULL && i < total; i++) {
        if (!isfinite(T->value[i]))
            return STI_FAIL(cone->env, STI_ERR_ARGUMENT, (int64_t)(i / (size_t)cone->d), "the map has entry %g",
                            T->value[i]);
    }
    if (T->value == NULL && !cone->exact)
        return STI_FAIL(cone->env, STI_ERR_ARGUMENT, -1, "a map without floating values on a floating cone");
    return STI_OK;
}

sti_status sti_polycone_image(const sti_polycone* cone, const sti_rows* T, sti_polycone** out) {
    *out = NULL;
    sti_status status = check_map(cone, T);
    if (status != STI_OK) return status;
    const bool exact =
        cone->exact && (T->exact != NULL || holds_integers(T->value, (size_t)T->count * (size_t)T->dimension));
    sti_exact x;
    sti_arith ar;
    cone_tables from = {0};
    sti_table map = {0}, rays = {0}, lines = {0};
    sti_exact_init(&x, cone->env);
    sti_arith_init(&ar, &x, exact, cone->options.tol);
    if (sti_table_create(&ar, (size_t)T->count, T->dimension, &map) && load_cone(&ar, cone, &from) &&
        sti_table_create(&ar, (size_t)from.rays[STI_SIDE_SPAN].count + 1, T->count, &rays) &&
        sti_table_create(&ar, (size_t)from.lines[STI_SIDE_SPAN].count + 1, T->count, &lines)) {
        load_map(&ar, T, &map);
        map_rows(&ar, &map, &from.rays[STI_SIDE_SPAN], &rays);
        map_rows(&ar, &map, &from.lines[STI_SIDE_SPAN], &lines);
    }
    status = x.status;
    if (status == STI_OK) status = sti_polycone_build(&ar, STI_SIDE_SPAN, &rays, &lines, &cone->options, out);
    clear_cone(&ar, &from);
    sti_table_clear(&ar, &map);
    sti_table_clear(&ar, &rays);
    sti_table_clear(&ar, &lines);
    sti_arith_clear(&ar);
    sti_exact_clear(&x);
    return status;
}

// Equality ------------------------------------------------------------------------------------------------------------

// Every product of a row of `faces` with a row of `rows` is at most zero, or zero.
static bool all_below(sti_arith* ar, const sti_table* faces, const sti_table* rows, bool zero) {
    sti_number value = {0};
    bool holds = true;
    for (int i = 0; i < faces->count && holds; i++) {
        for (int r = 0; r < rows->count && holds; r++) {
            sti_numbers_dot(ar, &value, sti_table_row(faces, i), sti_table_row(rows, r), faces->dimension);
            const int sign = sti_number_sign(ar, &value);
            holds = zero ? sign == 0 : sign <= 0;
        }
    }
    if (ar->exact) sti_int_clear(ar->x->env, &value.z);
    return holds;
}

// Is a contained in b?
static bool is_inside(sti_arith* ar, const cone_tables* a, const cone_tables* b) {
    return all_below(ar, &b->rays[STI_SIDE_FACE], &a->rays[STI_SIDE_SPAN], false) &&
           all_below(ar, &b->rays[STI_SIDE_FACE], &a->lines[STI_SIDE_SPAN], true) &&
           all_below(ar, &b->lines[STI_SIDE_FACE], &a->rays[STI_SIDE_SPAN], true) &&
           all_below(ar, &b->lines[STI_SIDE_FACE], &a->lines[STI_SIDE_SPAN], true);
}

sti_status sti_polycone_equal(const sti_polycone* a, const sti_polycone* b, bool* out) {
    *out = false;
    sti_status status = check_pair(a, b);
    if (status != STI_OK) return status;
    for (int side = 0; side < 2; side++) {
        if (a->lines[side].count != b->lines[side].count) return STI_OK;
    }
    sti_exact x;
    sti_arith ar;
    cone_tables ta = {0}, tb = {0};
    sti_exact_init(&x, a->env);
    sti_arith_init(&ar, &x, a->exact && b->exact, a->options.tol);
    if (load_cone(&ar, a, &ta) && load_cone(&ar, b, &tb)) *out = is_inside(&ar, &ta, &tb) && is_inside(&ar, &tb, &ta);
    status = x.status;
    if (status != STI_OK) *out = false;
    clear_cone(&ar, &ta);
    clear_cone(&ar, &tb);
    sti_arith_clear(&ar);
    sti_exact_clear(&x);
    return status;
}
