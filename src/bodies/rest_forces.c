// rest_forces.c: impulses that hold bodies at rest: improved where a solver left them, and looked for where bodies rest
// now.
//
//     H r + G l + f = 0,        r in K                                                                    (at rest)
//
// Improved. Impulses of a solver miss the balance by more than rest.c allows where bodies are many or light. The least
// change that restores it,
//
//     min 1/2 sum dr_k^2 / m_k      subject to     H dr + G dl = -(H r + G l + f),         m_k = 1 / (row M^-1 row'),
//
// over the forces that are free to change a little: of closed contacts, the friction of those inside their cones,
// joints. Its multipliers y solve K y = -(...), K = sum m_k row' row: a block for each two bodies that touch, factored
// as a sparse matrix (linalg/blocks.h), and conjugate gradients with that factor, two or three steps of them. The
// change is as small as the imbalance; what leaves its cone is put back on it, and the rest balanced again.
//
// Looked for. With several contacts Coulomb's law may allow a body both to stay and to slip (a box between two fingers,
// whose normal forces are not determined). What rests then stays at rest: for islands whose velocities are exactly
// zero,
//
//     min 1/2 |H r + G l + f|^2 in the metric of M^-1      subject to      r in K
//
// is a convex program, and rest is possible exactly when its minimum is 0. Accelerated projected gradients
// (convex/accelerated.h), from the impulses of the last step. Where they come near 0 the improvement above finishes.
// Where they do not nothing is concluded, and the step is solved as every other.
//
// Whatever is found here is judged by the test of rest.c alone.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/motion.h"
#include "convex/accelerated.h"
#include "linalg/vector.h"

#define INSIDE 1e-9   // of the bound: a friction force this far inside may change
#define DELTA 1e-9    // of M, added to K
#define ENOUGH 1e-8   // by this factor the imbalance is lowered
#define FOUND 1e-12   // square of the imbalance over that of f
#define STALLED 0.25  // of the square, in a window
enum { MOST_ROUNDS = 400, CUTS = 8, MOST_STEPS = 600, WINDOW = 40 };

// ---- improved

typedef struct spring {  // a force that may change
    const sti_row* row;
    double m;
    double* at;  // where its impulse is kept
} spring;

// What improving works in.
typedef struct balancing {
    double* kept;               // r and l as they came                   (d acts + joint rows)
    spring* springs;            // that change                            (d acts + joint rows)
    int* graph;                 // what shape works in
    double *e, *y, *z, *p, *q;  // imbalance, multipliers, scratch        (moving x nv)
} balancing;

static bool nearly(const sti_world* world, int slot) {
    return world->solve->rest[sti_islands_root(world, slot)] == STI_REST_NEARLY;
}

// Springs of the islands that nearly rest, into `out` (room for all); how many. zeros: also at closed contacts without
// force.
static int list_springs(sti_world* world, bool zeros, double* r, double* l, spring* out) {
    struct sti_world_solve* s = world->solve;
    const int d = world->dim;
    int count = 0;
    for (int c = 0; c < s->acts.count; c++) {
        const sti_act* act = &s->acts.act[c];
        double* rc = r + (size_t)(c * d);
        const double bound = act->mu * rc[0], slip = hypot(rc[1], d == 3 ? rc[2] : 0);
        for (int k = 0; k < d; k++) {
            const sti_row* row = act->row[k];
            const bool closed = rc[0] > 0 || (zeros && k == 0 && sti_act_closed(world, act));
            if (row == NULL || !closed || (k > 0 && !(slip < (1 - INSIDE) * bound))) continue;
            const int body = row->a >= 0 ? row->a : row->b;
            if (!nearly(world, world->slot[body])) continue;
            const double mobility = sti_row_mass(world, row, row);
            if (mobility > 0) out[count++] = (spring){row, 1 / mobility, rc + k};
        }
    }
    for (int i = 0; i < s->links.joint_rows; i++) {
        const sti_row* row = &s->links.row[i];
        const int body = row->a >= 0 ? row->a : row->b;
        if (body < 0 || !nearly(world, world->slot[body])) continue;
        const double mobility = sti_row_mass(world, row, row);
        if (mobility > 0) out[count++] = (spring){row, 1 / mobility, l + i};
    }
    return count;
}

// y = (K + DELTA M) x: K may be singular, and what it cannot balance must not run away
static void stiffness(const sti_world* world, const spring* springs, int count, const double* x, double* y) {
    sti_mass_multiply(world, x, y);
    for (int i = 0; i < world->nv * world->moving; i++) y[i] *= DELTA;
    for (int k = 0; k < count; k++)
        sti_row_add(world, springs[k].row, springs[k].m * sti_row_apply(world, springs[k].row, x), y);
}

static int compare(const void* a, const void* b) {
    const int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// The slots of a row in an island that nearly rests: how many.
static int coupled(const sti_world* world, const sti_row* row, int slot[4]) {
    int count = 0;
    for (int side = 0; row != NULL && side < sti_row_sides(row); side++) {
        const double* j;
        const int at = sti_slot_of(world, sti_row_side(row, side, &j));
        if (at >= 0 && (count == 0 || at != slot[0])) slot[count++] = at;
    }
    return count > 0 && nearly(world, slot[0]) ? count : 0;
}

// Slots, and how often rows couple them
static size_t graph_size(const sti_world* world) {
    const struct sti_world_solve* s = world->solve;
    size_t most = 3 * (size_t)world->moving + 2 * (size_t)s->acts.count + 1;
    for (int i = 0; i < s->links.joint_rows; i++) most += s->links.row[i].wide ? 12 : 2;
    return most;
}

// Who is coupled to whom, whether or not the forces between them may change: the pattern of K.
static sti_status shape(sti_world* world, int* graph) {
    struct sti_world_solve* s = world->solve;
    const int n = world->moving, acts = s->acts.count, rows = acts + s->links.joint_rows;
    int *first = graph, *fill = first + n + 1, *near = fill + n, slot[4];
    memset(fill, 0, (size_t)n * sizeof *fill);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < rows; i++) {
            const sti_act* act = i < acts ? &s->acts.act[i] : NULL;
            const sti_row* row = act == NULL           ? &s->links.row[i - acts]
                                 : act->row[0] != NULL ? act->row[0]
                                                       : act->row[1];
            const int sides = coupled(world, row, slot);
            for (int m = 0; m < sides * sides; m++) {
                const int from = slot[m / sides], to = slot[m % sides];
                if (from == to) continue;
                if (pass == 0)
                    fill[from]++;
                else
                    near[fill[from]++] = to;
            }
        }
        if (pass == 1) break;
        for (int i = 0, at = 0; i < n; i++) {
            const int own = fill[i];
            first[i] = at;
            near[at] = i;
            fill[i] = at + 1;
            at += own + 1;
            first[i + 1] = at;
        }
    }
    int at = 0;
    for (int i = 0, from = 0; i < n; i++) {  // sorted, each once
        const int end = first[i + 1];
        qsort(near + from, (size_t)(end - from), sizeof *near, compare);
        first[i] = at;
        for (int j = from, last = -1; j < end; j++) {
            if (near[j] != last) near[at++] = near[j];
            last = near[j];
        }
        from = end;
    }
    first[n] = at;
    return sti_blocks_shape(&s->pattern, world->env, n, world->nv, first, near);
}

static double* block_of(sti_blocks* f, int i, int j) {
    const int* from = f->near + f->first[j];
    const int* found = bsearch(&i, from, (size_t)(f->first[j + 1] - f->first[j]), sizeof *from, compare);
    return f->value + (size_t)(found - f->near) * (size_t)(f->b * f->b);
}

// Block (i, j) of K += m left right'
static void add_block(sti_blocks* f, int i, int j, double m, const double* left, const double* right) {
    double* at = block_of(f, i, j);
    for (int c = 0; c < f->b; c++) {
        for (int r = 0; r < f->b; r++) at[c * f->b + r] += m * left[r] * right[c];
    }
}

// K + DELTA M, factored; 1 for bodies of other islands. False: not positive definite to rounding.
static bool factor(sti_world* world, const spring* springs, int count) {
    sti_blocks* f = &world->solve->pattern;
    const int nv = world->nv;
    memset(f->value, 0, (size_t)f->count * (size_t)(nv * nv) * sizeof *f->value);
    for (int i = 0; i < world->moving; i++) {
        const sti_body_mass* mass = &world->bodies->mass[world->solve->body[i]];
        double* at = block_of(f, i, i);
        const bool concerned = nearly(world, i);
        for (int e = 0; e < nv; e++) at[e * (nv + 1)] = concerned && e < world->dim ? DELTA * mass->mass : 1;
        for (int e = world->dim; e < nv && concerned; e++) {
            for (int r = world->dim; r < nv; r++)
                at[e * nv + r] = DELTA * (world->dim == 2 ? mass->inertia[8] : mass->inertia[3 * (r - 3) + e - 3]);
        }
    }
    for (int k = 0; k < count; k++) {
        const sti_row* row = springs[k].row;
        for (int x = 0; x < sti_row_sides(row); x++) {
            const double *jx, *jy;
            const int a = sti_slot_of(world, sti_row_side(row, x, &jx));
            for (int y = 0; y < sti_row_sides(row) && a >= 0; y++) {
                const int b = sti_slot_of(world, sti_row_side(row, y, &jy));
                if (b >= 0) add_block(f, a, b, springs[k].m, jx, jy);
            }
        }
    }
    return sti_blocks_factor(f, true);
}

// z = e over K, or over M where K could not be factored
static void precondition(const sti_world* world, bool factored, const double* e, double* z) {
    if (!factored) {
        sti_world_mass_solve(world, e, z);
        return;
    }
    memcpy(z, e, (size_t)(world->nv * world->moving) * sizeof *z);
    sti_blocks_solve(&world->solve->pattern, z);
}

// K y = e: e becomes what is left.
static void solve_balance(sti_world* world, const balancing* k, int count) {
    const size_t n = (size_t)(world->nv * world->moving);
    const spring* springs = k->springs;
    double *e = k->e, *y = k->y, *z = k->z, *p = k->p, *q = k->q;
    const bool factored = factor(world, springs, count);
    memset(y, 0, n * sizeof *y);
    precondition(world, factored, e, z);
    memcpy(p, z, n * sizeof *p);
    double size = sti_vector_dot(n, e, z);
    const double enough = ENOUGH * ENOUGH * size;
    for (int round = 0; round < MOST_ROUNDS && size > enough; round++) {
        stiffness(world, springs, count, p, q);
        const double curvature = sti_vector_dot(n, p, q);
        if (!(curvature > 0)) return;
        const double step = size / curvature;
        for (size_t i = 0; i < n; i++) {
            y[i] += step * p[i];
            e[i] -= step * q[i];
        }
        precondition(world, factored, e, z);
        const double next = sti_vector_dot(n, e, z), turn = next / size;
        for (size_t i = 0; i < n; i++) p[i] = z[i] + turn * p[i];
        size = next;
    }
}

// One round: springs give the balance back, contacts that leave their cones are put on them (and their normal or
// tangential force stays there in the next round).
static void balance_once(sti_world* world, const balancing* k, bool zeros, double* r, double* l) {
    struct sti_world_solve* s = world->solve;
    const int nv = world->nv, d = world->dim;
    const size_t n = (size_t)(nv * world->moving);
    spring* springs = k->springs;
    const int count = list_springs(world, zeros, r, l, springs);
    double* e = k->e;
    memcpy(e, s->f, n * sizeof *e);
    sti_acts_add_forces(world, &s->acts, r, e);
    for (int i = 0; i < s->links.joint_rows; i++) sti_row_add(world, &s->links.row[i], l[i], e);
    for (int i = 0; i < world->moving; i++) {
        const bool concerned = nearly(world, i);
        for (int j = i * nv; j < i * nv + nv; j++) e[j] = concerned ? -e[j] : 0;
    }
    solve_balance(world, k, count);
    for (int i = 0; i < count; i++) *springs[i].at += springs[i].m * sti_row_apply(world, springs[i].row, k->y);
    for (int c = 0; c < s->acts.count; c++) {
        if (!s->acts.act[c].pressed)
            sti_coulomb_project(d, s->acts.act[c].mu, r + (size_t)(c * d), r + (size_t)(c * d));
    }
}

static int nearly_count(const sti_world* world) {
    int count = 0;
    for (int i = 0; i < world->moving; i++) count += world->solve->rest[i] == STI_REST_NEARLY;
    return count;
}

// What did not help is taken back: r and l of islands that were not proved to rest, from `kept`.
static void put_back(sti_world* world, const double* kept, double* r, double* l) {
    struct sti_world_solve* s = world->solve;
    const int d = world->dim;
    const size_t numbers = (size_t)(d * s->acts.count), rows = (size_t)s->links.joint_rows;
    for (int c = 0; c < s->acts.count; c++) {
        const sti_act* act = &s->acts.act[c];
        const sti_row* row = act->row[0] != NULL ? act->row[0] : act->row[1];
        const int body = row->a >= 0 ? row->a : row->b;
        if (s->rest[sti_islands_root(world, world->slot[body])] == STI_REST_PROVED) continue;
        memcpy(r + (size_t)(c * d), kept + (size_t)(c * d), (size_t)d * sizeof *r);
    }
    for (size_t i = 0; i < rows; i++) {
        const sti_row* row = &s->links.row[i];
        const int body = row->a >= 0 ? row->a : row->b;
        if (body < 0 || s->rest[sti_islands_root(world, world->slot[body])] != STI_REST_PROVED)
            l[i] = kept[numbers + i];
    }
}

sti_status sti_rest_improve(sti_world* world, double* r, double* l, double tol) {
    struct sti_world_solve* s = world->solve;
    const int d = world->dim;
    if (nearly_count(world) == 0) return STI_OK;
    const size_t numbers = (size_t)(d * s->acts.count), rows = (size_t)s->links.joint_rows, most = numbers + rows;
    sti_arena* a = &s->balancing;
    sti_arena_reset(a);
    const size_t n = (size_t)(world->nv * world->moving);
    balancing k = {.kept = sti_arena_doubles(a, most), .springs = sti_arena_raw(a, most, sizeof(spring))};
    double** const vectors[] = {&k.e, &k.y, &k.z, &k.p, &k.q};
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) *vectors[v] = sti_arena_doubles(a, n);
    k.graph = sti_arena_ints(a, graph_size(world));
    if (a->status != STI_OK) return a->status;
    memcpy(k.kept, r, numbers * sizeof *r);
    memcpy(k.kept + numbers, l, rows * sizeof *l);
    for (int round = 0; round < CUTS && nearly_count(world) > 0; round++) {
        const sti_status status = shape(world, k.graph);
        if (status != STI_OK) return status;
        balance_once(world, &k, round % 2 == 0, r, l);
        sti_rest_test(world, r, l, false, tol);
    }
    put_back(world, k.kept, r, l);
    return STI_OK;
}

// ---- looked for

// Forces of one act or of one row of a joint, scaled by m.
typedef struct element {
    const sti_row* row[3];
    double m, mu;
    double lower, upper;  // joint rows and bounded forces: one number between these
    double ray[3];        // a moving surface: the force keeps this direction
    enum { CONE, RAY, NUMBER } kind;
    double* out;  // where it is kept
    int at;       // its place in the vectors of the search
} element;

typedef struct search {
    sti_world* world;
    int root, count;
    element* e;
    double* guess;  // where a better one goes                    (d acts)
    double *a, *g;  // B x + f, M^-1 of it                        (moving x nv), on the slots of the island
    double left;    // 1/2 a'g at the last x
    int* slot;      // of the island                              (moving)
    int slots;
    double* weight;       // 1 / m                                (3 elements)
    sti_accelerated way;  // x: forces of the elements, one after the other
} search;

static void project(const search* k, const element* e, const double* x, double* p) {
    const int d = k->world->dim;
    if (e->kind == NUMBER) {
        p[0] = fmax(e->lower, fmin(e->upper, x[0]));
    } else if (e->kind == CONE) {
        sti_coulomb_project(d, e->mu, x, p);
    } else {
        double s = 0, size = 0;
        for (int i = 0; i < d; i++) {
            s += x[i] * e->ray[i];
            size += e->ray[i] * e->ray[i];
        }
        for (int i = 0; i < d; i++) p[i] = fmax(s, 0) / size * e->ray[i];
    }
}

static int numbers(const search* k, const element* e) {
    return e->kind == NUMBER ? 1 : k->world->dim;
}

static double mobility_of(const search* k, const element* e) {
    double most = 0;
    for (int i = 0; i < numbers(k, e); i++) {
        if (e->row[i] != NULL) most = fmax(most, sti_row_mass(k->world, e->row[i], e->row[i]));
    }
    return most;
}

// False: the act can carry nothing at u = 0.
static bool make_element(const search* k, const sti_act* act, double* r, element* e) {
    const int d = k->world->dim;
    *e = (element){.mu = act->mu, .out = r, .kind = CONE, .row = {act->row[0], act->row[1], act->row[2]}};
    if (act->pressed) {
        *e = (element){.kind = NUMBER, .out = r + 1, .row = {act->row[1]}, .lower = -act->press, .upper = act->press};
        if (act->w[1] != 0) *(act->w[1] > 0 ? &e->upper : &e->lower) = act->w[1] > 0 ? -act->press : act->press;
    } else if (!sti_act_closed(k->world, act)) {
        return false;
    } else if (act->row[1] == NULL || !(act->mu > 0)) {
        *e = (element){.kind = NUMBER, .out = r, .row = {act->row[0]}, .lower = 0, .upper = INFINITY};
    } else {
        const double slip = hypot(act->w[1], d == 3 ? act->w[2] : 0);
        if (slip > 0) {
            e->kind = RAY;
            e->ray[0] = 1;
            for (int i = 1; i < d; i++) e->ray[i] = -act->mu * act->w[i] / slip;
        }
    }
    return true;
}

static void add_element(search* k) {
    element* e = &k->e[k->count];
    const double mobility = mobility_of(k, e);
    if (!(mobility > 0)) return;
    e->m = 1 / mobility;
    e->at = k->way.n;
    for (int i = 0; i < numbers(k, e); i++) k->weight[k->way.n++] = mobility;
    k->count++;
}

static void list_elements(search* k) {
    struct sti_world_solve* s = k->world->solve;
    for (int c = s->room.first[k->root]; c >= 0; c = s->room.next[c]) {
        if (make_element(k, &s->acts.act[c], s->acts.r + (size_t)(c * k->world->dim), &k->e[k->count])) add_element(k);
    }
    for (int i = 0; i < s->links.joint_rows; i++) {
        const sti_row* row = &s->links.row[i];
        const int body = row->a >= 0 ? row->a : row->b;
        if (body < 0 || sti_islands_root(k->world, k->world->slot[body]) != k->root) continue;
        k->e[k->count] =
            (element){.kind = NUMBER, .out = &s->links.l[i], .row = {row}, .lower = -INFINITY, .upper = INFINITY};
        add_element(k);
    }
}

// k->a = f + B x
static void forces(const search* k, const double* x) {
    const struct sti_world_solve* s = k->world->solve;
    const size_t nv = (size_t)k->world->nv;
    for (int i = 0; i < k->slots; i++)
        memcpy(k->a + nv * (size_t)k->slot[i], s->f + nv * (size_t)k->slot[i], nv * sizeof *k->a);
    for (int j = 0; j < k->count; j++) {
        const double* xj = x + k->e[j].at;
        for (int i = 0; i < numbers(k, &k->e[j]); i++) {
            if (k->e[j].row[i] != NULL && xj[i] != 0) sti_row_add(k->world, k->e[j].row[i], xj[i], k->a);
        }
    }
}

// 1/2 a'M^-1 a over the island; M^-1 a in k->g
static double energy(const search* k, const double* a) {
    const size_t nv = (size_t)k->world->nv;
    double s = 0;
    for (int i = 0; i < k->slots; i++) {
        const size_t at = nv * (size_t)k->slot[i];
        sti_body_mass_solve(k->world, k->slot[i], a + at, k->g + at);
        for (size_t j = at; j < at + nv; j++) s += a[j] * k->g[j];
    }
    return s / 2;
}

// u = B'M^-1 (B x + f)
static void gradient(void* user, const double* x, double* u) {
    search* k = user;
    forces(k, x);
    k->left = energy(k, k->a);
    for (int j = 0; j < k->count; j++) {
        const element* e = &k->e[j];
        for (int i = 0; i < numbers(k, e); i++)
            u[e->at + i] = e->row[i] != NULL ? sti_row_apply(k->world, e->row[i], k->g) : 0;
    }
}

// x = P(y - step m u)
static void step_from(void* user, const double* y, const double* u, double step, double* x) {
    const search* k = user;
    for (int j = 0; j < k->count; j++) {
        const element* e = &k->e[j];
        double t[3];
        for (int i = 0; i < numbers(k, e); i++) t[i] = y[e->at + i] - step * e->m * u[e->at + i];
        project(k, e, t, x + e->at);
    }
}

// True: near balance.
static bool descend(search* k) {
    double mark = INFINITY;
    const double enough = FOUND * energy(k, k->world->solve->f);
    for (int j = 0; j < k->count; j++) project(k, &k->e[j], k->e[j].out, k->way.x + k->e[j].at);
    gradient(k, k->way.x, k->way.g);
    sti_accelerated_begin(&k->way);
    for (int step = 0; k->left > enough; step++) {
        if (step % WINDOW == 0 && step > 0) {
            if (step >= MOST_STEPS || k->left > STALLED * mark) return false;
            mark = k->left;
        }
        sti_accelerated_step(&k->way);
    }
    return true;
}

static bool still(const sti_world* world, int slot) {
    for (int i = 0; i < world->nv; i++) {
        if (world->solve->v_star[slot * world->nv + i] != 0) return false;
    }
    return true;
}

static void search_island(search* k, double* vectors) {
    sti_world* world = k->world;
    struct sti_world_solve* s = world->solve;
    k->slots = k->count = k->way.n = 0;
    for (int i = 0; i < world->moving; i++) {
        if (sti_islands_root(world, i) != k->root) continue;
        if (!still(world, i)) return;
        k->slot[k->slots++] = i;
    }
    list_elements(k);
    if (k->count == 0) return;
    sti_accelerated_place(&k->way, vectors);
    k->way.L = 1;
    if (!descend(k)) {  // no rest, but a better guess: where forces are not determined it has the symmetry of the scene
        for (int j = 0; j < k->count; j++) {
            const ptrdiff_t first = k->e[j].out - s->acts.r;
            if (first < 0 || first >= (ptrdiff_t)world->dim * s->acts.count) continue;  // of a joint
            memcpy(k->guess + first, k->way.x + k->e[j].at, (size_t)numbers(k, &k->e[j]) * sizeof(double));
        }
        return;
    }
    for (int j = 0; j < k->count; j++)
        memcpy(k->e[j].out, k->way.x + k->e[j].at, (size_t)numbers(k, &k->e[j]) * sizeof(double));
    for (int c = s->room.first[k->root]; c >= 0; c = s->room.next[c]) {  // what carries nothing
        double* r = s->acts.r + (size_t)(c * world->dim);
        const sti_act* act = &s->acts.act[c];
        if (!act->pressed && !sti_act_closed(world, act)) memset(r, 0, (size_t)world->dim * sizeof *r);
        for (int i = 1; i < world->dim && !act->pressed && (act->row[1] == NULL || !(act->mu > 0)); i++) r[i] = 0;
    }
    s->rest[k->root] = STI_REST_NEARLY;
}

sti_status sti_rest_search(sti_world* world, double tol) {
    struct sti_world_solve* s = world->solve;
    const size_t numbers_all = (size_t)(world->dim * s->acts.count), rows = (size_t)s->links.joint_rows;
    bool any = false;
    for (int i = 0; i < world->moving; i++) any = any || (s->rest[i] != STI_REST_PROVED && still(world, i));
    if (!any || s->acts.count + s->links.joint_rows == 0) return STI_OK;
    sti_arena* a = &s->searching;
    sti_arena_reset(a);
    const size_t n = (size_t)(world->nv * world->moving), elements = (size_t)s->acts.count + rows;
    search k = {.world = world};
    k.way = (sti_accelerated){.L = 1, .forget = 1, .user = &k, .project = step_from, .gradient = gradient};
    k.e = sti_arena_raw(a, elements, sizeof *k.e);
    k.guess = sti_arena_doubles(a, numbers_all + rows);
    k.a = sti_arena_doubles(a, n);
    k.g = sti_arena_doubles(a, n);
    k.slot = sti_arena_ints(a, (size_t)world->moving);
    k.weight = sti_arena_doubles(a, 3 * elements);
    double* vectors = sti_arena_doubles(a, STI_ACCELERATED_VECTORS * 3 * elements);
    if (a->status != STI_OK) return a->status;
    k.way.weight = k.weight;
    memcpy(k.guess, s->acts.r, numbers_all * sizeof(double));
    memcpy(k.guess + numbers_all, s->links.l, rows * sizeof(double));
    for (int i = 0; i < world->moving; i++) {
        if (sti_islands_root(world, i) != i || s->rest[i] == STI_REST_PROVED) continue;
        if (s->room.first[i] < 0 && s->links.joint_rows == 0) continue;
        k.root = i;
        search_island(&k, vectors);
    }
    const sti_status status = sti_rest_improve(world, s->acts.r, s->links.l, tol);
    if (status != STI_OK) return status;
    put_back(world, k.guess, s->acts.r, s->links.l);
    return STI_OK;
}
