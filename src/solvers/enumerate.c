// enumerate.c: all solutions of a (mixed) LCP, in exact arithmetic.
//
//     SOL(q, M) = union over alpha of { (u, z) : z_i = 0 off alpha, w_i = 0 on alpha, z, w >= 0 }
//
// a union of polyhedra, one for each complementary cone that holds q (search.c finds those). Each is listed by its
// vertices and recession directions: with the free columns x of the leaf's dictionary it is
//
//     { x >= 0 : T_i0 + T_i x >= 0 for the rows of nonnegative variables },
//
// whose homogenization (t, x) is a cone for the double description of src/cones. The polyhedra are faces of
// FEA(q, M), and two faces that meet share a vertex; so pieces with a common vertex are connected, and a vertex
// that is a component of its own is an isolated solution.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/sets.h"
#include "cones/dd.h"
#include "solvers/exact_lcp.h"
#include "solvers/solvers.h"

enum { MAX_DD_RAYS = 100000 };

// Distinct primitive integer vectors (t, z, u): points for t > 0, directions for t = 0.
typedef struct vector_table {
    int count;
    int capacity;    // 0 or a power of two
    sti_int* entry;  // (capacity x width)
    int* slot;       // hash table: index of a vector, -1 for empty      (2 capacity)
} vector_table;

typedef struct collector {
    sti_env* env;
    sti_exact_lcp* e;
    int width;  // 1 + n + free
    sti_lcp_solution_set* set;
    int piece_capacity;
    long max_pieces;
    double deadline;  // of sti_now(), INFINITY for none
    vector_table point;
    vector_table direction;
    sti_status status;
} collector;

static uint64_t hash_vector(const sti_int* v, size_t width) {
    uint64_t h = 14695981039346656037u;
    for (size_t j = 0; j < width; j++) {
        const int32_t size = v[j].size, limbs = size < 0 ? -size : size;
        h = (h ^ (uint64_t)(uint32_t)size) * 1099511628211u;
        for (int32_t k = 0; k < limbs; k++) h = (h ^ v[j].limb[k]) * 1099511628211u;
        h ^= h >> 29;
    }
    return h;
}

static bool same_vector(const sti_int* a, const sti_int* b, size_t width) {
    for (size_t j = 0; j < width; j++) {
        if (sti_int_cmp(&a[j], &b[j]) != 0) return false;
    }
    return true;
}

// Where v is in the hash table, or the empty slot where it belongs.
static size_t find_slot(const vector_table* t, const sti_int* v, size_t width) {
    const size_t mask = 2 * (size_t)t->capacity - 1;
    size_t at = (size_t)hash_vector(v, width) & mask;
    while (t->slot[at] >= 0 && !same_vector(&t->entry[(size_t)t->slot[at] * width], v, width)) at = (at + 1) & mask;
    return at;
}

static sti_status grow_table(collector* c, vector_table* t) {
    const size_t width = (size_t)c->width;
    const int capacity = t->capacity > 0 ? 2 * t->capacity : 16;
    int* slot = sti_alloc_array(c->env, 2 * (size_t)capacity, sizeof *slot);
    sti_int* entry = slot != NULL ? sti_realloc(c->env, t->entry, (size_t)capacity * width * sizeof *entry) : NULL;
    if (entry == NULL) {
        sti_free(c->env, slot);
        return STI_ERR_MEMORY;
    }
    memset(entry + (size_t)t->capacity * width, 0, (size_t)(capacity - t->capacity) * width * sizeof *entry);
    sti_free(c->env, t->slot);
    t->entry = entry;
    t->slot = slot;
    t->capacity = capacity;
    for (size_t k = 0; k < 2 * (size_t)capacity; k++) slot[k] = -1;
    for (int k = 0; k < t->count; k++) slot[find_slot(t, &entry[(size_t)k * width], width)] = k;
    return STI_OK;
}

// Index of the primitive vector v in the table, entered when new.
static sti_status intern(collector* c, vector_table* t, sti_int* v, int* index) {
    sti_exact* x = &c->e->x;
    const size_t width = (size_t)c->width;
    sti_int_make_primitive(x, v, width);
    if (x->status != STI_OK) return x->status;
    if (t->count == t->capacity) {
        const sti_status status = grow_table(c, t);
        if (status != STI_OK) return status;
    }
    const size_t at = find_slot(t, v, width);
    if (t->slot[at] < 0) {
        for (size_t j = 0; j < width; j++) sti_int_set(x, &t->entry[(size_t)t->count * width + j], &v[j]);
        if (x->status != STI_OK) return x->status;
        t->slot[at] = t->count++;
    }
    *index = t->slot[at];
    return STI_OK;
}

static void free_table(const collector* c, vector_table* t) {
    sti_int_array_free(c->env, t->entry, (size_t)t->capacity * (size_t)c->width);
    sti_free(c->env, t->slot);
}

// Rank of integer rows (count x width, destroyed), fraction-free.
static int rank_of(sti_exact* x, sti_int* rows, int count, int width) {
    int rank = 0;
    sti_int one = {0};
    sti_int_set_i64(x, &one, 1);
    for (int j = 0; j < width && rank < count; j++) {
        int r = rank;
        while (r < count && sti_int_sign(&rows[(size_t)r * (size_t)width + (size_t)j]) == 0) r++;
        if (r == count) continue;
        for (int k = 0; k < width && r != rank; k++)
            sti_int_swap(&rows[(size_t)r * (size_t)width + (size_t)k], &rows[(size_t)rank * (size_t)width + (size_t)k]);
        sti_int* top = rows + (size_t)rank * (size_t)width;
        for (int i = rank + 1; i < count; i++) {
            sti_int* low = rows + (size_t)i * (size_t)width;
            if (sti_int_sign(&low[j]) == 0) continue;
            for (int k = width - 1; k >= j; k--) sti_int_pivot(x, &low[k], &top[j], &low[j], &top[k], &one);
            sti_int_make_primitive(x, low, (size_t)width);
        }
        rank++;
    }
    sti_int_clear(x->env, &one);
    return rank;
}

// The cone of a leaf in (t, x): t >= 0, x >= 0, T_i0 t + T_i x >= 0. columns: those of x.
static sti_status leaf_generators(collector* c, const sti_dictionary* D, const int* columns, int k,
                                  sti_dd_result* out) {
    sti_exact* x = &c->e->x;
    // k = 0: a single point, and t >= 0 says it all
    const int dimension = k + 1, row_count = k == 0 ? 1 : dimension + D->rows;
    sti_int* rows = sti_int_array(x, (size_t)row_count * (size_t)dimension);
    if (rows == NULL) return x->status;
    for (int i = 0; i < dimension; i++) sti_int_set_i64(x, &rows[(size_t)i * (size_t)dimension + (size_t)i], 1);
    for (int i = 0; i < D->rows && k > 0; i++) {
        if (D->kind[D->basic[i]] != STI_VAR_NONNEGATIVE) continue;  // a zero row restricts nothing
        sti_int* row = rows + (size_t)(dimension + i) * (size_t)dimension;
        sti_int_set(x, &row[0], sti_dictionary_at(D, i, 0));
        for (int j = 0; j < k; j++) sti_int_set(x, &row[1 + j], sti_dictionary_at(D, i, columns[j] + 1));
    }
    sti_status status = x->status;
    if (status == STI_OK) status = sti_dd_rays(x, dimension, row_count, rows, NULL, MAX_DD_RAYS, out);
    sti_int_array_free(c->env, rows, (size_t)row_count * (size_t)dimension);
    return status;
}

// Generator g = (t, x) of a leaf as (d t, z, u) in v.
static void lift_generator(collector* c, const sti_dictionary* D, const int* columns, int k, const sti_int* g,
                           sti_int* v) {
    sti_exact* x = &c->e->x;
    for (int j = 0; j < c->width; j++) sti_int_set_i64(x, &v[j], 0);
    sti_int_mul(x, &v[0], &D->d, &g[0]);
    for (int j = 0; j < k; j++) {
        if (D->nonbasic[columns[j]] < c->width - 1) sti_int_mul(x, &v[1 + D->nonbasic[columns[j]]], &D->d, &g[1 + j]);
    }
    for (int i = 0; i < D->rows; i++) {
        if (D->basic[i] >= c->width - 1) continue;
        sti_int* to = &v[1 + D->basic[i]];
        sti_int_mul(x, to, sti_dictionary_at(D, i, 0), &g[0]);
        for (int j = 0; j < k; j++) sti_int_addmul(x, to, sti_dictionary_at(D, i, columns[j] + 1), &g[1 + j]);
    }
}

static sti_status fill_piece(collector* c, sti_dictionary* D, sti_lcp_piece* piece) {
    sti_env* env = c->env;
    sti_exact* x = &c->e->x;
    int* columns = sti_alloc_array(env, (size_t)D->cols, sizeof *columns);
    if (columns == NULL) return STI_ERR_MEMORY;
    int k = 0;
    for (int j = 0; j < D->cols; j++) {
        if (D->kind[D->nonbasic[j]] == STI_VAR_NONNEGATIVE) columns[k++] = j;
    }
    sti_dd_result g = {0};
    sti_status status = leaf_generators(c, D, columns, k, &g);
    const size_t count = (size_t)g.ray_count, width = (size_t)c->width;
    sti_int* lifted = NULL;
    if (status == STI_OK) {
        lifted = sti_int_array(x, count * width);
        piece->vertices = sti_alloc_array(env, count, sizeof *piece->vertices);
        piece->rays = sti_alloc_array(env, count, sizeof *piece->rays);
        if (lifted == NULL || piece->vertices == NULL || piece->rays == NULL) status = STI_ERR_MEMORY;
    }
    for (size_t r = 0; r < count && status == STI_OK; r++) {
        sti_int* v = lifted + r * width;
        lift_generator(c, D, columns, k, g.rays + r * (size_t)g.dimension, v);
        const bool is_point = sti_int_sign(&v[0]) > 0;
        int index = -1;
        status = intern(c, is_point ? &c->point : &c->direction, v, &index);
        if (status != STI_OK) break;
        if (is_point)
            piece->vertices[piece->vertex_count++] = index;
        else
            piece->rays[piece->ray_count++] = index;
    }
    if (status == STI_OK) {
        piece->dimension = rank_of(x, lifted, (int)count, c->width) - 1;
        status = x->status;
    }
    if (lifted != NULL) sti_int_array_free(env, lifted, count * width);
    sti_dd_result_clear(env, &g);
    sti_free(env, columns);
    return status;
}

static bool collect_leaf(void* user, sti_dictionary* D, const signed char* fixed, bool nonsingular) {
    collector* c = user;
    sti_lcp_solution_set* set = c->set;
    if (set->piece_count >= c->max_pieces) return false;
    if (set->piece_count == c->piece_capacity) {
        const int capacity = c->piece_capacity > 0 ? 2 * c->piece_capacity : 16;
        sti_lcp_piece* pieces = sti_realloc(c->env, set->pieces, (size_t)capacity * sizeof *pieces);
        if (pieces == NULL) {
            c->status = STI_ERR_MEMORY;
            return false;
        }
        set->pieces = pieces;
        c->piece_capacity = capacity;
    }
    sti_lcp_piece* piece = &set->pieces[set->piece_count++];
    *piece = (sti_lcp_piece){.nonsingular = nonsingular, .component = -1};
    piece->alpha = sti_alloc_array(c->env, (size_t)c->e->n, 1);
    if (piece->alpha == NULL)
        c->status = STI_ERR_MEMORY;
    else {
        for (int i = 0; i < c->e->n; i++) piece->alpha[i] = fixed[i] < 0;
        c->status = fill_piece(c, D, piece);
    }
    return c->status == STI_OK;
}

// (z, u) tables as (u, z) doubles and rationals.
static sti_status export_table(collector* c, const vector_table* t, double** values, sti_rationals** exact) {
    const size_t n = (size_t)c->e->n, nf = (size_t)c->e->free_count, width = (size_t)c->width, count = (size_t)t->count;
    *values = sti_alloc_array(c->env, count * (n + nf), sizeof **values);
    if (*values == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_rationals_create(c->env, count * (n + nf), exact);
    sti_int one = {0};
    sti_int_set_i64(&c->e->x, &one, 1);
    if (status == STI_OK) status = c->e->x.status;
    for (size_t k = 0; k < count && status == STI_OK; k++) {
        const sti_int* v = t->entry + k * width;
        for (size_t j = 0; j < n + nf && status == STI_OK; j++) {
            const size_t to = k * (n + nf) + (j < n ? nf + j : j - n);
            status = sti_rationals_set_ratio(*exact, to, &v[1 + j], sti_int_sign(&v[0]) != 0 ? &v[0] : &one);
            if (status != STI_OK) break;
            (*values)[to] = sti_rationals_double(*exact, to);
            if (isnan((*values)[to])) status = STI_ERR_MEMORY;
        }
    }
    sti_int_clear(c->env, &one);
    return status;
}

// Pieces that share a vertex are one component; components are numbered by their first piece.
static sti_status connect(collector* c) {
    sti_lcp_solution_set* set = c->set;
    const size_t vertices = (size_t)c->point.count, pieces = (size_t)set->piece_count;
    sti_arena memory = sti_arena_make(c->env);
    int* parent = sti_arena_raw(&memory, pieces, sizeof *parent);
    int* owner = sti_arena_raw(&memory, vertices, sizeof *owner);
    set->vertex_basic = sti_alloc_array_zero(c->env, vertices, sizeof *set->vertex_basic);
    set->component_dimension = sti_alloc_array_zero(c->env, pieces, sizeof *set->component_dimension);
    if (memory.status != STI_OK || set->vertex_basic == NULL || set->component_dimension == NULL) {
        sti_arena_clear(&memory);
        return STI_ERR_MEMORY;
    }
    for (size_t v = 0; v < vertices; v++) owner[v] = -1;
    for (int p = 0; p < set->piece_count; p++) parent[p] = p;
    for (int p = 0; p < set->piece_count; p++) {
        const sti_lcp_piece* piece = &set->pieces[p];
        for (int k = 0; k < piece->vertex_count; k++) {
            const int v = piece->vertices[k];
            if (piece->nonsingular) set->vertex_basic[v] = true;
            if (owner[v] < 0) owner[v] = p;
            sti_sets_join(parent, owner[v], p);
        }
    }
    for (int p = 0; p < set->piece_count; p++) {
        const int root = sti_sets_root(parent, p);
        sti_lcp_piece* piece = &set->pieces[p];
        piece->component = root == p ? set->component_count++ : set->pieces[root].component;
        if (piece->dimension > set->component_dimension[piece->component])
            set->component_dimension[piece->component] = piece->dimension;
    }
    sti_arena_clear(&memory);
    return STI_OK;
}

static sti_status run(collector* c, const sti_mlcp* p) {
    const sti_search_def def = {.all = true,
                                .max_nodes = INT32_MAX,
                                .deadline = c->deadline,
                                .keep_proof = true,
                                .leaf = collect_leaf,
                                .leaf_user = c};
    sti_status status = sti_exact_lcp_create(c->env, p, &c->e);
    if (status != STI_OK) return status;
    c->width = 1 + p->m + p->n;
    sti_search_result found;
    status = sti_exact_lcp_search(c->e, &def, &found);
    if (status == STI_OK) {
        c->set->complete = found.complete;
        c->set->nodes = found.nodes;
        c->set->certificate = found.certificate;
        found.certificate = (sti_certificate){0};
        sti_search_result_clear(c->env, &found);
        status = c->status;
    }
    if (status == STI_OK) {
        c->set->vertex_count = c->point.count;
        c->set->ray_count = c->direction.count;
        status = connect(c);
    }
    if (status == STI_OK) status = export_table(c, &c->point, &c->set->vertex, &c->set->vertex_exact);
    if (status == STI_OK) status = export_table(c, &c->direction, &c->set->ray, &c->set->ray_exact);
    return status;
}

sti_status sti_mlcp_enumerate(sti_env* env, const sti_mlcp* p, long max_pieces, double time_limit_s,
                              sti_lcp_solution_set** out) {
    *out = NULL;
    sti_status status = sti_mlcp_check(env, p, p->n > 0);
    if (status != STI_OK) return status;
    if (p->m > 64)
        return STI_FAIL(env, STI_ERR_SIZE, p->m, "enum takes at most 64 complementary pairs, this problem has %d",
                        p->m);
    collector c = {.env = env, .max_pieces = max_pieces > 0 ? max_pieces : 1000000};
    c.set = sti_alloc_array_zero(env, 1, sizeof *c.set);
    if (c.set == NULL) return STI_ERR_MEMORY;
    c.set->n = p->m;
    c.set->free_count = p->n;
    c.set->mixed = true;
    const double start = sti_clock();
    c.deadline = sti_deadline(env, time_limit_s);
    status = run(&c, p);
    c.set->time_s = sti_clock() - start;
    free_table(&c, &c.point);
    free_table(&c, &c.direction);
    sti_exact_lcp_destroy(c.e);
    if (status == STI_OK)
        *out = c.set;
    else
        sti_lcp_solution_set_destroy(env, c.set);
    return status;
}

sti_status sti_lcp_enumerate(sti_env* env, const sti_lcp* lcp, long max_pieces, double time_limit_s,
                             sti_lcp_solution_set** out) {
    const sti_mlcp p = sti_mlcp_from_lcp(lcp);
    const sti_status status = sti_mlcp_enumerate(env, &p, max_pieces, time_limit_s, out);
    if (status == STI_OK) (*out)->mixed = false;
    return status;
}

void sti_lcp_solution_set_destroy(sti_env* env, sti_lcp_solution_set* set) {
    if (set == NULL) return;
    for (int k = 0; k < set->piece_count; k++) {
        sti_free(env, set->pieces[k].alpha);
        sti_free(env, set->pieces[k].vertices);
        sti_free(env, set->pieces[k].rays);
    }
    sti_free(env, set->pieces);
    sti_free(env, set->vertex);
    sti_rationals_destroy(set->vertex_exact);
    sti_free(env, set->vertex_basic);
    sti_free(env, set->ray);
    sti_rationals_destroy(set->ray_exact);
    sti_free(env, set->component_dimension);
    sti_certificate_clear(env, &set->certificate);
    sti_free(env, set);
}
