// dd.c: the double description method.
//
// Problem. Given the rows of  C = { x in R^d : A x >= 0, E x = 0 },  find generators of C: lines l that span the
// lineality space  C n -C,  and one ray r for each extreme ray of C modulo the lines.
//
// Source. Motzkin, Raiffa, Thompson & Thrall 1953; the form here follows Fukuda & Prodon, Double Description Method
// Revisited, 1996: lemma 3 (one row at a time), lemma 8 and proposition 7 (adjacency).
//
//     A, E        inequalities, equations       d     dimension of the space
//     L           lines                         k     dimension of C_0 modulo lines; rays of the simplex at the start
//     Z(r)        rows a of A taken so far with a'r = 0
//
// Steps.
//  1. L = everything. Each equation cuts L down by one dimension, or is a combination of earlier ones.
//  2. Rows of A that do not vanish on L cut it: L is replaced by L n { a'x = 0 } and one ray n in L with a'n > 0.
//     What is left of L is the lineality space of C, and the k rays span a simplicial cone C_0.
//  3. Every other row a vanishes on L. It splits the rays by the sign of a'r; those with a'r < 0 go, and each pair
//     p, n with a'p > 0 > a'n that is adjacent gives the new ray  (a'p) n - (a'n) p  on the plane a'x = 0.
//
// Two rays are adjacent when they span a face: exactly when no third ray r has  Z(p) n Z(n)  inside  Z(r).  A face of
// dimension 2 has k - 2 independent rows, so fewer common rows settle the question at once. For the rest the rays are
// kept a second time by columns (for each row the set of rays on it), and the sets of the common rows are intersected
// 64 rays at a time until a third ray shows.
//
// What the outcome proves. Exact arithmetic: the generators are those of C, without rounding. Floating: every sign was
// decided with the tolerance; the caller checks the result against all rows. More than max_rays rays at a time:
// STI_ERR_SIZE, past the time limit: STI_ERR_TIME; nothing is known.
//
// Cost. Step 3 looks at every pair (p, n); the number of rays in between can exceed that of the result by far, and no
// order of rows is best for all cones. Lexicographic order is the one that Fukuda & Prodon found good most often.
//
// Departures.
//  D1. The start is not a basis of d rows but whatever cuts L, so C need not be pointed or of full dimension.
//  D2. A row with no ray on its negative side is redundant for good; it is not entered in the sets Z.
//  D3. Floating: in steps 1 and 2 the row with the largest part in L goes first (its rank is then a numerical rank),
//      and n is the projection of a on L. A new ray is corrected to lie on the common rows of its two parents and the
//      new row, because the difference in step 3 cancels where p and n are nearly opposite.
#include "cones/dd.h"

#include <string.h>

#include "base/arena.h"

typedef struct ray {
    sti_number* v;   // direction                         (d)
    uint64_t* zero;  // Z, bits numbered as rows are taken  (words)
} ray;

typedef struct dd {
    sti_arena memory;
    sti_arith* ar;
    int d;
    int max_rays;
    const sti_table* A;   // m rows
    int* order;           // lexicographic                            (m)
    unsigned char* used;  // row taken in step 2                      (m)
    int words;            // 64-bit words of a set of rows
    int taken;            // rows in the sets so far
    int* taken_row;       // row of A for each bit                    (m)
    int k;                // rays of the simplex

    sti_table L;        // lines; floating: orthonormal              (d)
    sti_table E_basis;  // floating: orthonormal basis of what the equations span  (d)

    ray* rays;  // in use 0..count, spare ones behind               (made)
    int count;
    int made;
    int capacity;
    sti_number* value;  // a'r of the row at hand                   (value_capacity)
    int* negative;      // the rays where it is negative             (value_capacity)
    int negative_count;
    int value_capacity;

    uint64_t* column;  // for each taken row the rays on it          (taken x column_words)
    size_t column_words;
    size_t column_capacity;
    int* common;  // rows in the intersection at hand               (m)

    sti_table active, active_basis;  // floating: rows through a new ray (m + 2 d), basis (d - 1)
    sti_number s, t;                 // scalars of a combination
} dd;

static sti_status out_of_memory(dd* k) {
    return k->ar->x->status = STI_ERR_MEMORY;
}

static bool failed(const dd* k) {
    return k->ar->x->status != STI_OK;
}

static void close_dd(dd* k) {
    sti_env* env = k->ar->x->env;
    for (int i = 0; i < k->made; i++) {
        sti_numbers_destroy(k->ar, k->rays[i].v, (size_t)k->d);
        sti_free(env, k->rays[i].zero);
    }
    sti_free(env, k->rays);
    sti_numbers_destroy(k->ar, k->value, (size_t)k->value_capacity);
    sti_free(env, k->negative);
    sti_free(env, k->column);
    sti_arena_clear(&k->memory);
    sti_table_clear(k->ar, &k->L);
    sti_table_clear(k->ar, &k->E_basis);
    sti_table_clear(k->ar, &k->active);
    sti_table_clear(k->ar, &k->active_basis);
    if (k->ar->exact) {
        sti_int_clear(env, &k->s.z);
        sti_int_clear(env, &k->t.z);
    }
}

static void open_dd(dd* k, sti_arith* ar, const sti_table* A, int max_rays) {
    const int d = A->dimension, m = A->count;
    *k = (dd){.ar = ar, .d = d, .A = A, .max_rays = max_rays, .words = (m + 63) / 64 + (m == 0)};
    sti_env* env = ar->x->env;
    k->memory = sti_arena_make(env);
    k->order = sti_arena_raw(&k->memory, (size_t)m, sizeof *k->order);
    k->used = sti_arena_take(&k->memory, (size_t)m, sizeof *k->used);
    k->taken_row = sti_arena_raw(&k->memory, (size_t)m, sizeof *k->taken_row);
    k->common = sti_arena_raw(&k->memory, (size_t)m, sizeof *k->common);
    bool made = k->memory.status == STI_OK;
    made = made && sti_table_create(ar, (size_t)d, d, &k->L) && sti_table_create(ar, (size_t)d, d, &k->E_basis);
    if (made && !ar->exact)
        made = sti_table_create(ar, (size_t)m + 2 * (size_t)d, d, &k->active) &&
               sti_table_create(ar, (size_t)d - 1, d, &k->active_basis);
    if (!made) {
        out_of_memory(k);
        return;
    }
    sti_table_order(ar, A, k->order);
    for (int i = 0; i < d; i++) {  // L is the whole space
        if (ar->exact)
            sti_int_set_i64(ar->x, &sti_table_row(&k->L, i)[i].z, 1);
        else
            sti_table_row(&k->L, i)[i].f = 1;
    }
    k->L.count = d;
}

// Room for one more ray behind the last; its vector and set may hold old contents. False: limit or memory.
static bool reserve_ray(dd* k) {
    sti_env* env = k->ar->x->env;
    if (k->count >= k->max_rays) {
        k->ar->x->status = STI_FAIL(env, STI_ERR_SIZE, k->taken, "more than %d rays on the way, after %d of %d rows",
                                    k->max_rays, k->taken, k->A->count);
        return false;
    }
    if (k->count < k->made) return true;
    if (k->made == k->capacity) {
        const int capacity = 2 * k->capacity + 16;
        ray* rays = sti_realloc(env, k->rays, (size_t)capacity * sizeof *rays);
        if (rays == NULL) return out_of_memory(k) == STI_OK;
        k->rays = rays;
        k->capacity = capacity;
    }
    ray* r = &k->rays[k->made];
    r->v = sti_numbers_create(k->ar, (size_t)k->d);
    r->zero = sti_alloc_array_zero(env, (size_t)k->words, sizeof *r->zero);
    if (r->v == NULL || r->zero == NULL) {
        sti_free(env, r->v);
        sti_free(env, r->zero);
        return out_of_memory(k) == STI_OK;
    }
    k->made++;
    return true;
}

// Steps 1 and 2 ------------------------------------------------------------------------------------------------------

// v -= (a'v / a'n) n, so that a'v = 0; exact: times a'n > 0, made primitive.
static void slide_onto(dd* k, sti_number* v, const sti_number* a, const sti_number* n) {
    sti_arith* ar = k->ar;
    sti_numbers_dot(ar, &k->s, a, n, k->d);
    sti_numbers_dot(ar, &k->t, a, v, k->d);
    if (ar->exact) {
        if (k->t.z.size == 0) return;
    } else {
        k->t.f /= k->s.f;
        k->s.f = 1;
    }
    sti_numbers_combine(ar, v, &k->s, v, &k->t, n, k->d);
    sti_numbers_tidy(ar, v, k->d);
}

// Is a nonzero on L? Exact: 1 or 0. Floating: the squared length of its projection on L, 0 when within the tolerance.
static double part_in_lines(dd* k, const sti_number* a) {
    double sum = 0;
    for (int i = 0; i < k->L.count; i++) {
        sti_numbers_dot(k->ar, &k->s, a, sti_table_row(&k->L, i), k->d);
        if (k->ar->exact) {
            if (k->s.z.size != 0) return 1;
        } else {
            sum += k->s.f * k->s.f;
        }
    }
    return sum > k->ar->tol * k->ar->tol ? sum : 0;
}

// L := L n { a'x = 0 }, and n in L with a'n > 0 into `n`. a does not vanish on L.
static void cut_lines(dd* k, const sti_number* a, sti_number* n) {
    sti_arith* ar = k->ar;
    const int d = k->d, last = k->L.count - 1;
    if (ar->exact) {
        int i = 0;
        for (; i < last; i++) {
            sti_numbers_dot(ar, &k->s, a, sti_table_row(&k->L, i), d);
            if (sti_number_sign(ar, &k->s) != 0) break;
        }
        sti_table_swap_rows(&k->L, i, last);
        sti_numbers_copy(ar, n, sti_table_row(&k->L, last), d);
        sti_numbers_dot(ar, &k->s, a, n, d);
        if (sti_number_sign(ar, &k->s) < 0) sti_numbers_negate(ar, n, d);
        k->L.count = last;
        for (i = 0; i < last; i++) slide_onto(k, sti_table_row(&k->L, i), a, n);
        return;
    }
    // n = projection of a on L. L is orthonormal; the reflection that takes n to its last row takes the others to a
    // basis of what is left. It is done by Gram-Schmidt with n first, dropping the row that n resembles most.
    int drop = 0;
    double largest = 0;
    for (int j = 0; j < d; j++) n[j].f = 0;
    for (int i = 0; i <= last; i++) {
        const sti_number* l = sti_table_row(&k->L, i);
        sti_numbers_dot(ar, &k->s, a, l, d);
        for (int j = 0; j < d; j++) n[j].f += k->s.f * l[j].f;
        if (k->s.f * k->s.f > largest) {
            largest = k->s.f * k->s.f;
            drop = i;
        }
    }
    sti_numbers_tidy(ar, n, d);
    sti_table_swap_rows(&k->L, drop, last);
    k->L.count = last;
    for (int i = 0; i < last; i++) {
        sti_table before = {.count = i, .dimension = d, .v = k->L.v}, first = {.count = 1, .dimension = d, .v = n};
        sti_numbers_reduce(ar, sti_table_row(&k->L, i), &first);
        sti_numbers_reduce(ar, sti_table_row(&k->L, i), &before);
        sti_numbers_reduce(ar, sti_table_row(&k->L, i), &first);
    }
}

// The next row that cuts L, in the given order (NULL: as they stand), among those not used; -1 when none does.
static int next_cut(dd* k, const sti_table* rows, const int* order, const unsigned char* used) {
    int best = -1;
    double largest = 0;
    for (int i = 0; i < rows->count && !failed(k); i++) {
        const int row = order != NULL ? order[i] : i;
        if (used != NULL && used[row]) continue;
        const double part = part_in_lines(k, sti_table_row(rows, row));
        if (k->ar->exact && part > 0) return row;
        if (part > largest) {
            largest = part;
            best = row;
        }
    }
    return best;
}

static void cut_by_equations(dd* k, const sti_table* E) {
    for (int i; !failed(k) && (i = next_cut(k, E, NULL, NULL)) >= 0;) {
        sti_number* n = sti_table_row(&k->E_basis, k->E_basis.count);
        cut_lines(k, sti_table_row(E, i), n);
        k->E_basis.count++;
    }
}

static void take_row(dd* k, int row) {
    k->taken_row[k->taken++] = row;
}

// D3: move the direction v, by least change, onto the rows of its set Z, the equations and the complement of the lines.
static void correct(dd* k, const ray* r) {
    k->active.count = 0;
    for (int b = 0; b < k->taken; b++) {
        if ((r->zero[b / 64] >> (b % 64) & 1) != 0)
            sti_table_push(k->ar, &k->active, sti_table_row(k->A, k->taken_row[b]));
    }
    for (int i = 0; i < k->E_basis.count; i++) sti_table_push(k->ar, &k->active, sti_table_row(&k->E_basis, i));
    for (int i = 0; i < k->L.count; i++) sti_table_push(k->ar, &k->active, sti_table_row(&k->L, i));
    sti_table_orthogonalize(k->ar, &k->active, &k->active_basis);
    sti_numbers_reduce(k->ar, r->v, &k->active_basis);
}

// Step 2: each cut adds one ray; the rays made before slide along n onto the new row.
static void make_simplex(dd* k) {
    for (int row; !failed(k) && (row = next_cut(k, k->A, k->order, k->used)) >= 0;) {
        const sti_number* a = sti_table_row(k->A, row);
        if (!reserve_ray(k)) return;
        ray* r = &k->rays[k->count];
        cut_lines(k, a, r->v);
        for (int i = 0; i < k->count; i++) {
            slide_onto(k, k->rays[i].v, a, r->v);
            k->rays[i].zero[k->taken / 64] |= (uint64_t)1 << (k->taken % 64);
        }
        // n comes from the lines, on which every earlier row vanishes
        memset(r->zero, 0, (size_t)k->words * sizeof *r->zero);
        for (int b = 0; b < k->taken; b++) r->zero[b / 64] |= (uint64_t)1 << (b % 64);
        k->used[row] = 1;
        take_row(k, row);
        k->count++;
    }
    k->k = k->count;
    for (int i = 0; !k->ar->exact && i < k->count; i++) correct(k, &k->rays[i]);
}

// Step 3 -------------------------------------------------------------------------------------------------------------

static bool reserve_values(dd* k) {
    if (k->value_capacity >= k->count) return true;
    sti_numbers_destroy(k->ar, k->value, (size_t)k->value_capacity);
    sti_free(k->ar->x->env, k->negative);
    k->value_capacity = 0;
    k->value = sti_numbers_create(k->ar, (size_t)k->capacity);
    k->negative = sti_alloc_array(k->ar->x->env, (size_t)k->capacity, sizeof *k->negative);
    if (k->value != NULL) k->value_capacity = k->capacity;
    return (k->value != NULL && k->negative != NULL) || out_of_memory(k) == STI_OK;
}

// a'r for every ray, and the list of those where it is negative.
static void evaluate(dd* k, const sti_number* a) {
    k->negative_count = 0;
    if (!reserve_values(k)) return;
    for (int i = 0; i < k->count; i++) {
        sti_numbers_dot(k->ar, &k->value[i], a, k->rays[i].v, k->d);
        if (sti_number_sign(k->ar, &k->value[i]) < 0) k->negative[k->negative_count++] = i;
    }
}

// The sets Z by columns.
static bool transpose_sets(dd* k) {
    k->column_words = ((size_t)k->count + 63) / 64;
    const size_t size = k->column_words * (size_t)k->taken;
    if (k->column_capacity < size) {
        sti_free(k->ar->x->env, k->column);
        k->column_capacity = 0;
        k->column = sti_alloc_array(k->ar->x->env, 2 * size, sizeof *k->column);
        if (k->column == NULL) return out_of_memory(k) == STI_OK;
        k->column_capacity = 2 * size;
    }
    memset(k->column, 0, size * sizeof *k->column);
    for (int i = 0; i < k->count; i++) {
        for (int w = 0; w < k->words; w++) {
            for (uint64_t bits = k->rays[i].zero[w]; bits != 0; bits &= bits - 1) {
                const size_t row = (size_t)w * 64 + (size_t)__builtin_ctzll(bits);
                k->column[row * k->column_words + (size_t)i / 64] |= (uint64_t)1 << (i % 64);
            }
        }
    }
    return true;
}

// Do rays p and n span a face of dimension 2? See the essay.
static bool adjacent(dd* k, int p, int n) {
    const uint64_t *zp = k->rays[p].zero, *zn = k->rays[n].zero;
    int shared = 0;
    for (int w = 0; w < k->words; w++) shared += __builtin_popcountll(zp[w] & zn[w]);
    if (shared < k->k - 2) return false;
    int count = 0;
    for (int w = 0; w < k->words; w++) {
        for (uint64_t bits = zp[w] & zn[w]; bits != 0; bits &= bits - 1)
            k->common[count++] = w * 64 + __builtin_ctzll(bits);
    }
    for (size_t w = 0; w < k->column_words; w++) {
        uint64_t third = ~(uint64_t)0;
        if ((size_t)p / 64 == w) third &= ~((uint64_t)1 << (p % 64));
        if ((size_t)n / 64 == w) third &= ~((uint64_t)1 << (n % 64));
        if (count == 0 && w + 1 == k->column_words && k->count % 64 != 0) third &= ((uint64_t)1 << (k->count % 64)) - 1;
        for (int c = 0; c < count && third != 0; c++) third &= k->column[(size_t)k->common[c] * k->column_words + w];
        if (third != 0) return false;
    }
    return true;
}

// New ray from p and n behind the last ray: (a'p) n - (a'n) p, in the set of both parents and the new row.
static bool combine(dd* k, int p, int n) {
    if (!reserve_ray(k)) return false;
    sti_arith* ar = k->ar;
    ray* r = &k->rays[k->count];
    for (int w = 0; w < k->words; w++) r->zero[w] = k->rays[p].zero[w] & k->rays[n].zero[w];
    r->zero[k->taken / 64] |= (uint64_t)1 << (k->taken % 64);
    sti_numbers_combine(ar, r->v, &k->value[p], k->rays[n].v, &k->value[n], k->rays[p].v, k->d);
    sti_numbers_tidy(ar, r->v, k->d);
    k->count++;
    return !failed(k);
}

// Split the rays by the row `row`, which is negative on some of them.
static void insert_row(dd* k, int row) {
    const int old = k->count;
    if (!transpose_sets(k)) return;
    for (int p = 0; p < old; p++) {
        if (sti_number_sign(k->ar, &k->value[p]) <= 0) continue;
        if (!failed(k)) k->ar->x->status = sti_check_time(k->ar->x->env, "looking for rays of a cone");
        if (failed(k)) return;
        for (int i = 0; i < k->negative_count; i++) {
            if (adjacent(k, p, k->negative[i]) && !combine(k, p, k->negative[i])) return;
        }
    }
    for (int i = 0; i < old; i++) {
        if (sti_number_sign(k->ar, &k->value[i]) == 0) k->rays[i].zero[k->taken / 64] |= (uint64_t)1 << (k->taken % 64);
    }
    take_row(k, row);
    for (int i = old; !k->ar->exact && i < k->count; i++) correct(k, &k->rays[i]);

    // squeeze the negative rays out; they stay behind the count as spare ones
    int kept = 0;
    for (int i = 0; i < k->count; i++) {
        if (i < old && sti_number_sign(k->ar, &k->value[i]) < 0) continue;
        const ray keep = k->rays[kept];
        k->rays[kept] = k->rays[i];
        k->rays[i] = keep;
        kept++;
    }
    k->count = kept;
}

static void insert_rows(dd* k) {
    for (int i = 0; i < k->A->count && !failed(k); i++) {
        const int row = k->order[i];
        if (k->used[row]) continue;
        evaluate(k, sti_table_row(k->A, row));
        if (k->negative_count > 0 && !failed(k)) insert_row(k, row);  // D2
    }
}

// The answer, canonical: lines in echelon form, rays orthogonal to them, both sorted.
static void deliver(dd* k, sti_table* rays, sti_table* lines, sti_table* line_basis) {
    sti_arith* ar = k->ar;
    if (!sti_table_create(ar, (size_t)k->L.count, k->d, line_basis)) return;
    if (!sti_table_create(ar, (size_t)k->L.count, k->d, lines)) return;
    if (!sti_table_create(ar, (size_t)k->count, k->d, rays)) return;
    sti_table_orthogonalize(ar, &k->L, line_basis);
    for (int i = 0; i < line_basis->count; i++) sti_table_push(ar, lines, sti_table_row(line_basis, i));
    sti_table_echelon(ar, lines);
    sti_table_sort(ar, lines);
    for (int i = 0; i < k->count && !failed(k); i++) {
        sti_table_push(ar, rays, k->rays[i].v);
        sti_numbers_reduce(ar, sti_table_row(rays, i), line_basis);
    }
    if (!failed(k)) sti_table_sort(ar, rays);
}

sti_status sti_dd_convert(sti_arith* ar, const sti_table* inequalities, const sti_table* equations, int max_rays,
                          sti_table* rays, sti_table* lines, sti_table* line_basis) {
    *rays = *lines = *line_basis = (sti_table){0};
    dd k;
    open_dd(&k, ar, inequalities, max_rays);
    if (!failed(&k)) cut_by_equations(&k, equations);
    if (!failed(&k)) make_simplex(&k);
    if (!failed(&k)) insert_rows(&k);
    if (!failed(&k)) deliver(&k, rays, lines, line_basis);
    const sti_status status = ar->x->status;
    close_dd(&k);
    if (status != STI_OK) {
        sti_table_clear(ar, rays);
        sti_table_clear(ar, lines);
        sti_table_clear(ar, line_basis);
    }
    if (status == STI_ERR_SIZE) ar->x->status = STI_OK;  // the arithmetic itself is sound
    return status;
}

// Exact entry ---------------------------------------------------------------------------------------------------------

void sti_dd_result_clear(sti_env* env, sti_dd_result* result) {
    const size_t d = (size_t)result->dimension;
    sti_int_array_free(env, result->rays, (size_t)result->ray_count * d);
    sti_int_array_free(env, result->lines, (size_t)result->line_count * d);
    *result = (sti_dd_result){0};
}

// The numbers of a table as an array of integers: taken out of it, not copied.
static sti_int* take_integers(sti_arith* ar, sti_table* t) {
    const size_t count = (size_t)t->count * (size_t)t->dimension;
    sti_int* z = sti_int_array(ar->x, count);
    for (size_t i = 0; z != NULL && i < count; i++) sti_int_swap(&z[i], &t->v[i].z);
    return z;
}

sti_status sti_dd_rays(sti_exact* x, int dimension, int row_count, const sti_int* rows,
                       const unsigned char* is_equation, int max_rays, sti_dd_result* out) {
    *out = (sti_dd_result){.dimension = dimension};
    if (dimension < 1 || row_count < 0) return STI_FAIL(x->env, STI_ERR_ARGUMENT, -1, "dimension %d", dimension);
    sti_arith ar;
    sti_arith_init(&ar, x, true, 0);
    sti_table part[2] = {{0}}, rays = {0}, lines = {0}, basis = {0};  // part: inequalities, equations
    for (int which = 0; which < 2 && x->status == STI_OK; which++) {
        if (!sti_table_create(&ar, (size_t)row_count, dimension, &part[which])) break;
        for (int i = 0; i < row_count && x->status == STI_OK; i++) {
            if ((is_equation != NULL && is_equation[i]) != which) continue;
            sti_number* row = sti_table_row(&part[which], part[which].count);
            for (int j = 0; j < dimension; j++)
                sti_int_set(x, &row[j].z, &rows[(size_t)i * (size_t)dimension + (size_t)j]);
            if (sti_numbers_tidy(&ar, row, dimension)) part[which].count++;
        }
    }
    sti_status status = x->status;
    if (status == STI_OK) status = sti_dd_convert(&ar, &part[0], &part[1], max_rays, &rays, &lines, &basis);
    if (status == STI_OK) {
        out->ray_count = rays.count;
        out->line_count = lines.count;
        out->rays = take_integers(&ar, &rays);
        out->lines = take_integers(&ar, &lines);
        status = x->status;
    }
    if (status != STI_OK) sti_dd_result_clear(x->env, out);
    for (int which = 0; which < 2; which++) sti_table_clear(&ar, &part[which]);
    sti_table_clear(&ar, &rays);
    sti_table_clear(&ar, &lines);
    sti_table_clear(&ar, &basis);
    sti_arith_clear(&ar);
    return status;
}
