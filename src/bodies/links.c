// links.c: joints and springs together: their rows, and S = s J M^-1 J' + C, factored over assemblies of bodies.
//
//     M / s u = g + J'l,        J u + C l + b = 0         ->         S l = -(s J M^-1 g + b),     u = s M^-1 (g + J'l)
//
// C = 0 for a joint and 1 / c for a spring: c = h d + alpha h^2 k is what its implicit terms add to M / s along its
// row, and eliminating l gives back (M / s + sum c row row') u = g. The springs couple bodies here as joints do, M
// stays block diagonal, and a spring of any stiffness leaves S well scaled.
//
// Rows that move common bodies meet in S, so its pattern is the graph of the joints. It is kept from step to step, with
// an ordering of least fill for each assembly; a chain costs a few operations for each link.
//
// Redundant joints. S is semidefinite, and a row that depends on the rows before it leaves a pivot 0. It is then left
// out (its pivot becomes infinite: l = 0): what it asks follows from the others, up to rounding. The threshold is
// relative to the diagonal entry: DEPENDENT is the squared sine of the angle, in the metric of M, to the rows before
// it.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/sets.h"
#include "bodies/motion.h"

#define DEPENDENT 3e-14
#define WEAK 1e-5  // pivots below this part of the diagonal ask for refinement
enum { REFINEMENTS = 2, SIDES = 4 };

// ---- life

static void drop_assemblies(sti_world* world) {
    sti_links* k = &world->solve->links;
    for (int i = 0; i < k->assembly_count && k->assembly != NULL; i++) sti_ldl_clear(&k->assembly[i].ldl);
    sti_free(world->env, k->assembly);
    k->assembly = NULL;
    k->assembly_count = 0;
    k->key_count = -1;
}

sti_status sti_links_create(sti_world* world) {
    sti_links* k = &world->solve->links;
    sti_arena* a = &world->arena;
    const size_t moving = (size_t)world->moving;
    k->key_count = -1;
    k->joint_first = sti_arena_take(a, (size_t)world->bodies->joint_count + 1, sizeof *k->joint_first);
    k->assembly_of = sti_arena_take(a, moving, sizeof *k->assembly_of);
    k->place_in = sti_arena_take(a, moving, sizeof *k->place_in);
    k->order = sti_arena_take(a, moving, sizeof *k->order);
    // room for every row there can be, so that later steps ask for nothing
    const int stiff = (2 * world->dim - 3) * world->moving + (world->dim - 1) * world->bodies->joint_count;
    const int soft = sti_world_soft_count(world) + stiff;
    const size_t rows = 6 * (size_t)world->bodies->joint_count + (size_t)soft;
    k->row = sti_arena_take(a, rows, sizeof *k->row);
    k->solved = sti_arena_take(a, rows, sizeof *k->solved);
    k->compliance = sti_arena_take(a, rows, sizeof *k->compliance);
    k->defect = sti_arena_take(a, rows, sizeof *k->defect);
    k->asked = sti_arena_take(a, rows, sizeof *k->asked);
    k->x = sti_arena_take(a, rows, sizeof *k->x);
    k->l = sti_arena_take(a, rows, sizeof *k->l);
    k->trial = sti_arena_take(a, rows, sizeof *k->trial);
    k->respond = sti_arena_take(a, rows, sizeof *k->respond);
    k->key = sti_arena_take(a, SIDES * rows, sizeof *k->key);
    k->member = sti_arena_take(a, rows, sizeof *k->member);
    k->place_row = sti_arena_take(a, rows, sizeof *k->place_row);
    k->soft = sti_arena_take(a, (size_t)soft, sizeof *k->soft);
    return a->status;
}

void sti_links_destroy(sti_world* world) {
    drop_assemblies(world);
}

// ---- assemblies

// Numbers the assemblies by their first slot; order, place_in and assembly_of.
static void number_bodies(sti_world* world) {
    sti_links* k = &world->solve->links;
    int *parent = k->order, count = 0;
    for (int s = 0; s < world->moving; s++) parent[s] = s;
    for (int i = 0; i < k->row_count; i++) {
        const int* key = k->key + (size_t)(SIDES * i);
        for (int side = 1; side < SIDES; side++) {
            if (key[0] >= 0 && key[side] >= 0) sti_sets_join(parent, key[0], key[side]);
        }
    }
    for (int s = 0; s < world->moving; s++) {
        const int root = sti_sets_root(parent, s);
        k->assembly_of[s] = root == s ? count++ : k->assembly_of[root];
    }
    k->assembly_count = count;
}

// A slot that the row moves, -1: none. The sides of wide rows are filled from the first on.
static int first_slot(const sti_links* k, int row) {
    const int* key = k->key + (size_t)(SIDES * row);
    return key[0] >= 0 ? key[0] : key[1];
}

static void list_members(sti_world* world) {
    sti_links* k = &world->solve->links;
    for (int s = 0; s < world->moving; s++) k->assembly[k->assembly_of[s]].body_count++;
    for (int i = 0; i < k->row_count; i++) {
        const int slot = first_slot(k, i);
        if (slot >= 0) k->assembly[k->assembly_of[slot]].row_count++;
    }
    int bodies = 0, rows = 0;
    for (int j = 0; j < k->assembly_count; j++) {
        sti_assembly* at = &k->assembly[j];
        at->first_body = bodies;
        at->first_row = rows;
        bodies += at->body_count;
        rows += at->row_count;
        at->body_count = at->row_count = 0;
    }
    for (int s = 0; s < world->moving; s++) {
        sti_assembly* at = &k->assembly[k->assembly_of[s]];
        k->place_in[s] = at->body_count;
        k->order[at->first_body + at->body_count++] = s;
    }
    for (int i = 0; i < k->row_count; i++) {
        const int slot = first_slot(k, i);
        k->place_row[i] = -1;
        if (slot < 0) continue;
        sti_assembly* at = &k->assembly[k->assembly_of[slot]];
        const int* key = k->key + (size_t)(SIDES * i);
        at->held = at->held || (i < k->joint_rows && !k->row[i].wide && (key[0] < 0 || key[1] < 0));
        k->place_row[i] = at->row_count;
        k->member[at->first_row + at->row_count++] = i;
    }
}

// Rows of the assembly that move a body of row i, ascending; list: rows of each body. row NULL: only how many.
static int64_t meeting(const sti_links* k, const int* start, const int* list, int i, int* row) {
    const int* slots = k->key + (size_t)(SIDES * i);
    int p[SIDES] = {0}, end[SIDES] = {0};
    for (int side = 0; side < SIDES; side++) {
        if (slots[side] < 0) continue;
        p[side] = start[k->place_in[slots[side]]];
        end[side] = start[k->place_in[slots[side]] + 1];
    }
    for (int64_t count = 0;; count++) {  // merged
        int least = INT32_MAX;
        for (int side = 0; side < SIDES; side++) {
            if (p[side] < end[side] && list[p[side]] < least) least = list[p[side]];
        }
        if (least == INT32_MAX) return count;
        for (int side = 0; side < SIDES; side++) p[side] += p[side] < end[side] && list[p[side]] == least;
        if (row != NULL) row[count] = least;
    }
}

static sti_status make_pattern(sti_world* world, sti_assembly* at) {
    sti_env* env = world->env;
    sti_links* k = &world->solve->links;
    const size_t n = (size_t)at->row_count;
    int* start = sti_alloc_array_zero(env, (size_t)at->body_count + 2, sizeof *start);
    sti_arena memory = sti_arena_make(env);
    int* list = sti_arena_raw(&memory, SIDES * n, sizeof *list);
    int64_t* col_start = sti_arena_take(&memory, n + 1, sizeof *col_start);
    int* row = NULL;
    sti_status status = STI_OK;
    if (memory.status != STI_OK || start == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < at->row_count; i++) {
                for (int side = 0; side < SIDES; side++) {
                    const int* key = k->key + (size_t)(SIDES * k->member[at->first_row + i]);
                    const int slot = key[side];
                    const bool twice = side == 1 && slot == key[0];
                    if (slot < 0 || twice) continue;
                    int* place = &start[k->place_in[slot] + (pass == 0 ? 2 : 1)];
                    if (pass == 1) list[*place] = i;
                    (*place)++;
                }
            }
            for (int b = 0; b <= at->body_count && pass == 0; b++) start[b + 1] += start[b];
        }
        for (int i = 0; i < at->row_count; i++)
            col_start[i + 1] = col_start[i] + meeting(k, start, list, k->member[at->first_row + i], NULL);
        row = sti_alloc_array(env, (size_t)col_start[n], sizeof *row);
        if (row == NULL) status = STI_ERR_MEMORY;
    }
    if (status == STI_OK) {
        for (int i = 0; i < at->row_count; i++)
            meeting(k, start, list, k->member[at->first_row + i], row + col_start[i]);
        status = sti_ldl_init_columns(&at->ldl, env, at->row_count, col_start, row);
    }
    sti_free(env, start);
    sti_free(env, row);
    sti_arena_clear(&memory);
    return status;
}

static sti_status make_assemblies(sti_world* world) {
    sti_links* k = &world->solve->links;
    drop_assemblies(world);
    number_bodies(world);
    k->assembly = sti_alloc_array_zero(world->env, (size_t)k->assembly_count, sizeof *k->assembly);
    if (k->assembly == NULL) {
        k->assembly_count = 0;
        return STI_ERR_MEMORY;
    }
    list_members(world);
    for (int j = 0; j < k->assembly_count; j++) {
        if (k->assembly[j].row_count == 0) continue;
        const sti_status status = make_pattern(world, &k->assembly[j]);
        if (status != STI_OK) {
            drop_assemblies(world);
            return status;
        }
    }
    k->key_count = k->row_count;
    return STI_OK;
}

// ---- rows, here and now

sti_status sti_links_collect(sti_world* world, const double* v) {
    sti_links* k = &world->solve->links;
    int count = 0;
    for (int j = 0; j < world->bodies->joint_count; j++) {
        k->joint_first[j] = count;
        count += sti_joint_rows(world, j, k->row + count, k->defect + count);
    }
    k->joint_first[world->bodies->joint_count] = count;
    k->joint_rows = count;
    k->soft_count = sti_world_soft(world, v, k->soft);
    for (int i = 0; i < world->solve->stiff_count; i++) k->soft[k->soft_count++] = world->solve->stiff[i];
    for (int i = 0; i < k->soft_count; i++) k->row[count++] = k->soft[i].row;
    bool same = count == k->key_count;
    for (int i = 0; i < count; i++) {
        for (int side = 0; side < SIDES; side++) {
            const double* j;
            const int slot =
                side < sti_row_sides(&k->row[i]) ? sti_slot_of(world, sti_row_side(&k->row[i], side, &j)) : -1;
            int* key = &k->key[SIDES * i + side];
            same = same && *key == slot;
            *key = slot;
        }
    }
    k->row_count = count;
    return same ? STI_OK : make_assemblies(world);
}

// ---- factors

// s M^-1 of one body's part of a row
static void solve_side(const sti_world* world, int body, double s, const double* j, double* out) {
    for (int i = 0; i < 6; i++) out[i] = 0;
    if (body < 0) return;
    const sti_body_mass* mass = &world->bodies->mass[body];
    const double linear = s / mass->mass;
    out[0] = linear * j[0];
    out[1] = linear * j[1];
    if (world->dim == 2) {
        out[2] = s * mass->inverse[8] * j[2];
        return;
    }
    out[2] = linear * j[2];
    for (int i = 0; i < 3; i++) {
        const double* I = mass->inverse + (size_t)(3 * i);
        out[3 + i] = s * (I[0] * j[3] + I[1] * j[4] + I[2] * j[5]);
    }
}

// s M^-1 row'
static void solve_row(const sti_world* world, double s, const sti_row* row, sti_row* out) {
    out->a = row->a;
    out->b = row->b;
    out->wide = row->wide;
    solve_side(world, row->a, s, row->ja, out->ja);
    solve_side(world, row->b, s, row->jb, out->jb);
    if (!row->wide) return;
    out->c = row->c;
    out->d = row->d;
    solve_side(world, row->c, s, row->jc, out->jc);
    solve_side(world, row->d, s, row->jd, out->jd);
}

static double product_wide(int nv, const sti_row* x, const sti_row* y) {
    double s = 0;
    for (int m = 0; m < sti_row_sides(x); m++) {
        const double *jx, *jy;
        const int body = sti_row_side(x, m, &jx);
        for (int n = 0; n < sti_row_sides(y); n++) {
            const bool meet = body >= 0 && body == sti_row_side(y, n, &jy);
            for (int i = 0; i < nv && meet; i++) s += jx[i] * jy[i];
        }
    }
    return s;
}

static double product(int nv, const sti_row* x, const sti_row* y) {
    double s = 0;
    if (x->wide || y->wide) return product_wide(nv, x, y);
    for (int i = 0; i < nv && x->a >= 0 && x->a == y->a; i++) s += x->ja[i] * y->ja[i];
    for (int i = 0; i < nv && x->b >= 0 && x->b == y->b; i++) s += x->jb[i] * y->jb[i];
    for (int i = 0; i < nv && x->a >= 0 && x->a == y->b; i++) s += x->ja[i] * y->jb[i];
    for (int i = 0; i < nv && x->b >= 0 && x->b == y->a; i++) s += x->jb[i] * y->ja[i];
    return s;
}

// L D L' of f->value, row by row (Davis, LDL); a pivot that is lost becomes infinite, and its row takes no part.
// True: some pivot lost most of its digits.
static bool factor_semidefinite(sti_ldl* f) {
    double* y = f->work;
    bool weak = false;
    for (int k = 0; k < f->n; k++) {
        int top = f->n;
        y[k] = 0;
        f->flag[k] = k;
        f->L_count[k] = 0;
        double own = 0;
        const int col = f->order[k];
        for (int p = f->col_start[col]; p < f->col_start[col + 1]; p++) {
            int i = f->place[f->row[p]];
            if (i > k) continue;
            if (i == k) own = f->value[p];
            y[i] += f->value[p];
            int length = 0;
            for (; f->flag[i] != k; i = f->parent[i]) {
                f->pattern[length++] = i;
                f->flag[i] = k;
            }
            while (length > 0) f->pattern[--top] = f->pattern[--length];
        }
        double D = y[k];
        y[k] = 0;
        for (; top < f->n; top++) {
            const int i = f->pattern[top];
            const double yi = y[i];
            y[i] = 0;
            const int end = f->L_start[i] + f->L_count[i];
            for (int p = f->L_start[i]; p < end; p++) y[f->L_row[p]] -= f->L_value[p] * yi;
            const double l = yi / f->D[i];
            D -= l * yi;
            f->L_row[end] = k;
            f->L_value[end] = l;
            f->L_count[i]++;
        }
        f->D[k] = D > DEPENDENT * own ? D : INFINITY;
        weak = weak || D < WEAK * own;
    }
    return weak;
}

void sti_links_factor(sti_world* world, double s, double h) {
    sti_links* k = &world->solve->links;
    const double alpha = world->options.alpha;
    world->solve->scale = s;
    for (int i = 0; i < k->row_count; i++) {
        const sti_row* row = &k->row[i];
        const sti_soft* soft = i >= k->joint_rows ? &k->soft[i - k->joint_rows] : NULL;
        const double c = soft != NULL ? h * soft->damping + alpha * h * h * soft->stiffness : INFINITY;
        solve_row(world, s, row, &k->solved[i]);
        k->compliance[i] = soft == NULL ? 0 : c > 0 ? 1 / c : INFINITY;
    }
    for (int j = 0; j < k->assembly_count; j++) {
        sti_assembly* at = &k->assembly[j];
        for (int i = 0; i < at->row_count; i++) {
            const int x = k->member[at->first_row + i];
            for (int p = at->ldl.col_start[i]; p < at->ldl.col_start[i + 1]; p++) {
                if (at->ldl.place[at->ldl.row[p]] > at->ldl.place[i]) continue;  // the other triangle is not read
                const int y = k->member[at->first_row + at->ldl.row[p]];
                double value = product(world->nv, &k->row[x], &k->solved[y]);
                if (isinf(k->compliance[x]) || isinf(k->compliance[y])) value = 0;  // a spring left out
                if (x == y) value += isinf(k->compliance[x]) ? 1 : k->compliance[x];
                at->ldl.value[p] = value;
            }
        }
        at->weak = at->row_count > 0 && factor_semidefinite(&at->ldl);
    }
}

// ---- solves

// v += s M^-1 J'x, x over the rows of the assembly
static void apply_rows(sti_world* world, const sti_assembly* at, const double* x, double* v) {
    const sti_links* k = &world->solve->links;
    for (int i = 0; i < at->row_count; i++) {
        const int row = k->member[at->first_row + i];
        if (x[i] != 0) sti_row_add(world, &k->solved[row], x[i], v);
    }
}

static void solve_assembly(sti_world* world, sti_assembly* at, const double* b, double* v, double* l) {
    sti_links* k = &world->solve->links;
    double* x = k->x;
    for (int i = 0; i < at->row_count; i++) l[k->member[at->first_row + i]] = 0;
    for (int round = 0; round <= REFINEMENTS; round++) {
        for (int i = 0; i < at->row_count; i++) {
            const int row = k->member[at->first_row + i];
            x[i] = 0;
            if (isinf(k->compliance[row])) continue;
            x[i] = -sti_row_apply(world, &k->row[row], v) - k->compliance[row] * l[row];
            if (b != NULL && row < k->joint_rows) x[i] -= b[row];
        }
        sti_ldl_solve(&at->ldl, x);
        for (int i = 0; i < at->row_count; i++) l[k->member[at->first_row + i]] += x[i];
        apply_rows(world, at, x, v);
    }
}

void sti_links_solve(sti_world* world, const double* b, double* v, double* l) {
    sti_links* k = &world->solve->links;
    for (int i = 0; i < k->row_count; i++) l[i] = 0;
    for (int j = 0; j < k->assembly_count; j++) {
        if (k->assembly[j].row_count > 0) solve_assembly(world, &k->assembly[j], b, v, l);
    }
}

void sti_links_solve_one(sti_world* world, int assembly, double* v) {
    sti_links* k = &world->solve->links;
    if (k->assembly[assembly].row_count > 0) solve_assembly(world, &k->assembly[assembly], NULL, v, k->respond);
}

// Sides of a row that lie in the assembly, dot its response.
static double local_product(const sti_world* world, const sti_row* row, int assembly, const double* z) {
    const sti_links* k = &world->solve->links;
    const int nv = world->nv;
    double s = 0;
    for (int side = 0; side < sti_row_sides(row); side++) {
        const double* j;
        const int slot = sti_slot_of(world, sti_row_side(row, side, &j));
        if (slot < 0 || k->assembly_of[slot] != assembly) continue;
        const double* at = z + (size_t)nv * (size_t)k->place_in[slot];
        for (int i = 0; i < nv; i++) s += j[i] * at[i];
    }
    return s;
}

static void local_add(const sti_world* world, const sti_row* row, int assembly, double factor, double* z) {
    const sti_links* k = &world->solve->links;
    const int nv = world->nv;
    for (int side = 0; side < sti_row_sides(row); side++) {
        const double* j;
        const int slot = sti_slot_of(world, sti_row_side(row, side, &j));
        if (slot < 0 || k->assembly_of[slot] != assembly) continue;
        double* at = z + (size_t)nv * (size_t)k->place_in[slot];
        for (int i = 0; i < nv; i++) at[i] += factor * j[i];
    }
}

void sti_links_respond(sti_world* world, int assembly, const sti_row* row, double* z) {
    sti_links* k = &world->solve->links;
    sti_assembly* at = &k->assembly[assembly];
    memset(z, 0, (size_t)world->nv * (size_t)at->body_count * sizeof *z);
    sti_row solved;
    solve_row(world, world->solve->scale, row, &solved);
    local_add(world, &solved, assembly, 1, z);
    if (at->row_count == 0) return;
    double *x = k->x, *l = k->respond;
    memset(l, 0, (size_t)at->row_count * sizeof *l);
    for (int round = 0; round <= (at->weak ? REFINEMENTS : 0); round++) {
        for (int i = 0; i < at->row_count; i++) {
            const int other = k->member[at->first_row + i];
            const bool touched = round > 0 || k->row[other].wide || k->row[other].a == row->a ||
                                 k->row[other].a == row->b || k->row[other].b == row->a || k->row[other].b == row->b;
            x[i] = 0;
            if (!touched || isinf(k->compliance[other])) continue;
            x[i] = -local_product(world, &k->row[other], assembly, z) - k->compliance[other] * l[i];
        }
        sti_ldl_solve(&at->ldl, x);
        for (int i = 0; i < at->row_count; i++) {
            l[i] += x[i];
            if (x[i] != 0) local_add(world, &k->solved[k->member[at->first_row + i]], assembly, x[i], z);
        }
    }
}
