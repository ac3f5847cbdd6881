// cell.c: faces of an arrangement of hyperplanes, one at a time, in exact integers.
//
// A cell is a relatively open polyhedral cone, kept by generators: lines l and extreme rays r. A form f meets it so:
//
//     f(l) != 0 for a line          f takes both signs and zero: all three parts are there
//     f(r) > 0 and f(r') < 0        likewise
//     f(r) >= 0, not all zero       f > 0 on the cell
//     f = 0 on all generators       f = 0 on the cell
//
// so the signs of f on a cell are read off its generators; no linear program is solved. The parts are made by double
// description (Motzkin and others 1953; Fukuda & Prodon 1996): rays with the right sign stay, and every pair of
// adjacent rays with opposite signs gives a ray with f = 0. Two extreme rays are adjacent when no third one lies on all
// the hyperplanes that hold both. With a line that f does not vanish on, everything is first moved along it into f = 0.
//
// Cost of a cut: rays x dimension products, and rays^3 set comparisons at worst; cells of arrangements have few rays.
#include "modes/cell.h"

#include <string.h>

static bool reserve(sti_exact* x, int dimension, int words, int capacity, modes_cell* out) {
    *out = (modes_cell){.dimension = dimension, .words = words, .capacity = capacity};
    out->v = sti_int_array(x, (size_t)capacity * (size_t)dimension);
    out->zero = sti_alloc_array_zero(x->env, (size_t)capacity * (size_t)words, sizeof *out->zero);
    out->made = sti_alloc_array_zero(x->env, (size_t)words, sizeof *out->made);
    if ((out->zero == NULL || out->made == NULL) && x->status == STI_OK) x->status = STI_ERR_MEMORY;
    if (x->status != STI_OK) sti_cell_clear(x->env, out);
    return x->status == STI_OK;
}

void sti_cell_clear(sti_env* env, modes_cell* cell) {
    sti_int_array_free(env, cell->v, cell->v != NULL ? (size_t)cell->capacity * (size_t)cell->dimension : 0);
    sti_free(env, cell->zero);
    sti_free(env, cell->made);
    *cell = (modes_cell){0};
}

static uint64_t* zero_of(const modes_cell* cell, int ray) {
    return cell->zero + (size_t)ray * (size_t)cell->words;
}

static sti_int* ray_at(const modes_cell* cell, int ray) {
    return modes_cell_at(cell, cell->line_count + ray);
}

static void mark(modes_cell* cell, int ray, int cut) {
    zero_of(cell, ray)[cut / 64] |= (uint64_t)1 << (cut % 64);
}

static void note_cut(modes_cell* to, const modes_cell* from, int cut) {
    memcpy(to->made, from->made, sizeof(uint64_t) * (size_t)from->words);
    if (cut >= 0) to->made[cut / 64] |= (uint64_t)1 << (cut % 64);
}

bool sti_cell_whole(sti_exact* x, int lines, int dimension, int cuts, modes_cell* out) {
    if (!reserve(x, dimension, cuts / 64 + 1, dimension > 0 ? dimension : 1, out)) return false;
    out->line_count = lines;
    out->ray_count = dimension - lines;
    out->made[0] = 1;
    for (int i = 0; i < dimension; i++) sti_int_set_i64(x, &modes_cell_at(out, i)[i], 1);
    if (x->status != STI_OK) sti_cell_clear(x->env, out);
    return x->status == STI_OK;
}

static void dot(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b, int n) {
    sti_int_set_i64(x, r, 0);
    for (int k = 0; k < n; k++) sti_int_addmul(x, r, &a[k], &b[k]);
}

// r = s u - t v, primitive
static void combine(sti_exact* x, sti_int* r, const sti_int* s, const sti_int* u, const sti_int* t, const sti_int* v,
                    int n) {
    for (int k = 0; k < n; k++) {
        sti_int_mul(x, &r[k], s, &u[k]);
        sti_int_mul(x, &x->tmp[1], t, &v[k]);
        sti_int_sub(x, &r[k], &r[k], &x->tmp[1]);
    }
    sti_int_make_primitive(x, r, (size_t)n);
}

static void copy_vector(sti_exact* x, sti_int* to, const sti_int* from, int n) {
    for (int k = 0; k < n; k++) sti_int_set(x, &to[k], &from[k]);
}

// No third ray lies on all cuts that hold both i and j.
static bool adjacent(const modes_cell* c, int i, int j) {
    const uint64_t *zi = zero_of(c, i), *zj = zero_of(c, j);
    for (int r = 0; r < c->ray_count; r++) {
        if (r == i || r == j) continue;
        const uint64_t* zr = zero_of(c, r);
        bool holds = true;
        for (int w = 0; w < c->words && holds; w++) holds = (zi[w] & zj[w] & ~zr[w]) == 0;
        if (holds) return false;
    }
    return true;
}

// Signs of the form on lines, then rays.
static void evaluate(sti_exact* x, const modes_cell* c, const sti_int* form, sti_int* value) {
    for (int i = 0; i < c->line_count + c->ray_count; i++) dot(x, &value[i], form, modes_cell_at(c, i), c->dimension);
}

// f does not vanish on line `pivot`: move all else along it into f = 0.
static bool cut_line(sti_exact* x, const modes_cell* from, sti_int* value, int pivot, int sign, int cut,
                     modes_cell* out) {
    const int d = from->dimension, lines = from->line_count, rays = from->ray_count;
    if (!reserve(x, d, from->words, lines + rays, out)) return false;
    const bool turn = sti_int_sign(&value[pivot]) < 0;  // s = |f(pivot)|: s u - (+-f(u)) pivot
    if (turn) sti_int_neg(&value[pivot]);
    out->line_count = lines - 1;
    for (int i = 0, k = 0; i < lines + rays; i++) {
        if (i == pivot) continue;
        if (turn) sti_int_neg(&value[i]);
        combine(x, modes_cell_at(out, k), &value[pivot], modes_cell_at(from, i), &value[i], modes_cell_at(from, pivot),
                d);
        if (i >= lines)
            memcpy(zero_of(out, i - lines), zero_of(from, i - lines), sizeof(uint64_t) * (size_t)from->words);
        k++;
    }
    out->ray_count = rays;
    for (int r = 0; r < rays; r++) mark(out, r, cut);
    if (sign != 0) {
        copy_vector(x, ray_at(out, rays), modes_cell_at(from, pivot), d);
        if (turn != (sign < 0)) {
            for (int k = 0; k < d; k++) sti_int_neg(&ray_at(out, rays)[k]);
        }
        memcpy(zero_of(out, rays), from->made,
               sizeof(uint64_t) * (size_t)from->words);  // a line vanishes on all of them
        out->ray_count++;
    }
    note_cut(out, from, cut);
    return true;
}

static void keep(sti_exact* x, const modes_cell* from, int ray, modes_cell* out) {
    copy_vector(x, ray_at(out, out->ray_count), ray_at(from, ray), from->dimension);
    memcpy(zero_of(out, out->ray_count), zero_of(from, ray), sizeof(uint64_t) * (size_t)from->words);
    out->ray_count++;
}

// f vanishes on the lines. sign_count: rays with f < 0, = 0, > 0.
static bool cut_rays(sti_exact* x, const modes_cell* from, const sti_int* value, const int sign_count[3], int sign,
                     int cut, modes_cell* out) {
    const int d = from->dimension, rays = from->ray_count;
    const sti_int* f = value + from->line_count;
    const bool split = sign_count[0] > 0 && sign_count[2] > 0;
    int pairs = 0;
    for (int i = 0; split && i < rays; i++) {
        for (int j = 0; j < rays && sti_int_sign(&f[i]) > 0; j++)
            pairs += sti_int_sign(&f[j]) < 0 && adjacent(from, i, j);
    }
    if (!reserve(x, d, from->words, from->line_count + rays + pairs, out)) return false;
    out->line_count = from->line_count;
    for (int i = 0; i < from->line_count; i++) copy_vector(x, modes_cell_at(out, i), modes_cell_at(from, i), d);
    for (int i = 0; i < rays; i++) {
        const int s = sti_int_sign(&f[i]);
        if (s != 0 && s != sign) continue;
        keep(x, from, i, out);
        if (s == 0) mark(out, out->ray_count - 1, cut);
    }
    for (int i = 0; split && i < rays; i++) {
        for (int j = 0; j < rays && sti_int_sign(&f[i]) > 0; j++) {
            if (sti_int_sign(&f[j]) >= 0 || !adjacent(from, i, j)) continue;
            combine(x, ray_at(out, out->ray_count), &f[i], ray_at(from, j), &f[j], ray_at(from, i), d);
            uint64_t* zero = zero_of(out, out->ray_count);
            for (int w = 0; w < from->words; w++) zero[w] = zero_of(from, i)[w] & zero_of(from, j)[w];
            mark(out, out->ray_count++, cut);
        }
    }
    note_cut(out, from, cut);
    return true;
}

// Signs of the form: `pivot` is a line that it does not vanish on, or -1; count of rays below, on and above zero.
static int classify(const modes_cell* c, const sti_int* value, int count[3]) {
    int pivot = -1;
    count[0] = count[1] = count[2] = 0;
    for (int i = 0; i < c->line_count + c->ray_count; i++) {
        const int sign = sti_int_sign(&value[i]);
        if (i >= c->line_count)
            count[1 + sign]++;
        else if (pivot < 0 && sign != 0)
            pivot = i;
    }
    return pivot;
}

static bool cut_as(sti_exact* x, const modes_cell* from, const sti_int* form, int sign, bool closed, int cut,
                   modes_cell* out) {
    *out = (modes_cell){0};
    if (sti_exact_late(x)) return false;
    const int total = from->line_count + from->ray_count;
    sti_int* value = sti_int_array(x, (size_t)total);
    if (value == NULL) return false;
    evaluate(x, from, form, value);
    int count[3];
    const int pivot = classify(from, value, count);
    bool there = true;
    if (pivot < 0 && !closed) there = sign == 0 ? (count[0] > 0) == (count[2] > 0) : count[1 + sign] > 0;
    if (there && x->status == STI_OK)
        there = pivot >= 0 ? cut_line(x, from, value, pivot, sign, cut, out)
                           : cut_rays(x, from, value, count, sign, cut, out);
    sti_int_array_free(x->env, value, (size_t)total);
    if (there && x->status == STI_OK) return true;
    sti_cell_clear(x->env, out);
    return false;
}

bool sti_cell_cut(sti_exact* x, const modes_cell* from, const sti_int* form, int sign, int cut, modes_cell* out) {
    return cut_as(x, from, form, sign, false, cut, out);
}

bool sti_cell_part(sti_exact* x, const modes_cell* from, const sti_int* form, int sign, int cut, modes_cell* out) {
    return cut_as(x, from, form, sign, true, cut, out);
}

static bool is_zero(const modes_cell* c, int ray, int cut) {
    return ((zero_of(c, ray)[cut / 64] >> (cut % 64)) & 1) != 0;
}

bool sti_cell_face(sti_exact* x, const modes_cell* from, int cut, modes_cell* out) {
    int rays = 0;
    for (int r = 0; r < from->ray_count; r++) rays += is_zero(from, r, cut);
    if (!reserve(x, from->dimension, from->words, from->line_count + rays + 1, out)) return false;
    out->line_count = from->line_count;
    for (int i = 0; i < from->line_count; i++)
        copy_vector(x, modes_cell_at(out, i), modes_cell_at(from, i), from->dimension);
    for (int r = 0; r < from->ray_count; r++) {
        if (is_zero(from, r, cut)) keep(x, from, r, out);
    }
    note_cut(out, from, -1);
    if (x->status != STI_OK) sti_cell_clear(x->env, out);
    return x->status == STI_OK;
}

bool sti_cell_is_strict(const modes_cell* cell, const uint64_t* mask) {
    for (int w = 0; w < cell->words; w++) {
        uint64_t common = mask[w];
        for (int r = 0; r < cell->ray_count && common != 0; r++) common &= zero_of(cell, r)[w];
        if (common != 0) return false;
    }
    return true;
}
