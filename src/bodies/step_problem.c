// step_problem.c: the whole step as one contact problem in the global form, as it is shown, judged and saved.
//
//     A u = H r + G l + f,    u_c = H'u + w,    0 = G'u
//
//     A = M / alpha + h D + alpha h^2 K         f = (M / alpha + h D) v* + h k
//
// with k the applied forces at the beginning of the step, D and K those of the springs, and w the velocities of moving
// surfaces plus gap / h. Velocities: bodies first, in the order of their slots, then those of the acts that are pressed
// (contact_rows.c). Contacts come first among the columns of H, then limits, friction in joints and motors, joint by
// joint.
//
// Nothing here is solved. The residual of sti_contact_residual at the answer found over islands is the one that a step
// reports; the matrices are written for it, from the same rows but by other arithmetic than the islands use.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/motion.h"

#define DOUBT 4            // residuals against forces that run away are rounding, and as uncertain
#define FAR 1000           // from here on
#define SAFELY (1 + 1e-6)  // as in contact problems: a verifier with other rounding comes to the same verdict

void sti_world_posed_clear(sti_world* world) {
    sti_arena_clear(&world->solve->posed.arena);
}

static int own_velocities(const sti_world* world, const sti_act* act) {
    if (!act->pressed) return 0;
    return world->dim == 3 && act->row[2] == NULL ? 2 : 1;
}

// ---- A

static int compare_blocks(const void* x, const void* y) {
    const int *p = x, *q = y;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

// (column, row) of every block of A, sorted: the diagonal, and what springs couple. Returns how many, -1: no memory.
static int list_blocks(sti_world* world) {
    sti_world_posed* p = &world->solve->posed;
    const sti_links* k = &world->solve->links;
    const size_t most = (size_t)world->moving + 2 * (size_t)k->soft_count;
    p->coupled = sti_arena_ints(&p->arena, 2 * most);
    if (p->coupled == NULL) return -1;
    int count = 0, kept = 0;
    for (int s = 0; s < world->moving; s++, count++) p->coupled[2 * count] = p->coupled[2 * count + 1] = s;
    for (int i = 0; i < k->soft_count; i++) {
        const int a = sti_slot_of(world, k->soft[i].row.a), b = sti_slot_of(world, k->soft[i].row.b);
        if (a < 0 || b < 0) continue;
        p->coupled[2 * count] = p->coupled[2 * count + 3] = a;
        p->coupled[2 * count + 1] = p->coupled[2 * count + 2] = b;
        count += 2;
    }
    if (count == world->moving) return count;
    qsort(p->coupled, (size_t)count, 2 * sizeof(int), compare_blocks);
    for (int i = 0; i < count; i++) {
        if (kept > 0 && compare_blocks(p->coupled + 2 * (size_t)i, p->coupled + 2 * (size_t)(kept - 1)) == 0) continue;
        p->coupled[2 * kept] = p->coupled[2 * i];
        p->coupled[2 * kept + 1] = p->coupled[2 * i + 1];
        kept++;
    }
    return kept;
}

// Does (i, j) of a body's own block belong to the pattern? With springs every entry does.
static bool stored(const sti_world* world, bool soft, int i, int j) {
    return soft || i == j || (world->dim == 3 && i >= 3 && j >= 3);
}

static double mass_entry(const sti_world* world, int body, int i, int j) {
    const sti_body_mass* mass = &world->bodies->mass[body];
    if (world->dim == 2) return i != j ? 0 : i < 2 ? mass->mass : mass->inertia[8];
    if (i < 3 || j < 3) return i == j ? mass->mass : 0;
    return mass->inertia[3 * (i - 3) + j - 3];
}

// A += c row row', over the blocks that were listed
static void add_spring(sti_world* world, int blocks, const sti_row* row, double c) {
    sti_world_posed* p = &world->solve->posed;
    const int nv = world->nv, slot[2] = {sti_slot_of(world, row->a), sti_slot_of(world, row->b)};
    const double* j[2] = {row->ja, row->jb};
    for (int x = 0; x < 2; x++) {
        for (int y = 0; y < 2; y++) {
            if (slot[x] < 0 || slot[y] < 0) continue;
            const int key[2] = {slot[x], slot[y]};
            const int* found = bsearch(key, p->coupled, (size_t)blocks, 2 * sizeof(int), compare_blocks);
            const int* first = found;
            while (first > p->coupled && first[-2] == slot[x]) first -= 2;
            const int64_t before = (found - first) / 2 * nv;  // all blocks of this column are full
            for (int e = 0; e < nv; e++) {
                double* column = p->M_value + p->M_start[nv * slot[x] + e] + before;
                for (int i = 0; i < nv; i++) column[i] += c * j[x][e] * j[y][i];
            }
        }
    }
}

static sti_status fill_mass(sti_world* world, int own) {
    sti_world_posed* p = &world->solve->posed;
    const sti_links* k = &world->solve->links;
    const int nv = world->nv, n = nv * world->moving + own, blocks = list_blocks(world);
    if (blocks < 0) return STI_ERR_MEMORY;
    const double h = world->options.h, alpha = world->options.alpha;
    const size_t most = (size_t)blocks * (size_t)(nv * nv) + (size_t)own;
    p->M_start = sti_arena_take(&p->arena, (size_t)n + 1, sizeof(int64_t));
    p->M_row = sti_arena_ints(&p->arena, most);
    p->M_value = sti_arena_doubles(&p->arena, most);
    if (p->arena.status != STI_OK) return p->arena.status;
    int64_t at = 0;
    for (int first = 0, end; first < blocks; first = end) {
        const int col = p->coupled[2 * first];
        for (end = first; end < blocks && p->coupled[2 * end] == col; end++) {
        }
        for (int j = 0; j < nv; j++) {
            p->M_start[nv * col + j] = at;
            for (int b = first; b < end; b++) {
                const int row = p->coupled[2 * b + 1];
                for (int i = 0; i < nv; i++) {
                    if (row == col && !stored(world, k->soft_count > 0, i, j)) continue;
                    p->M_row[at] = nv * row + i;
                    p->M_value[at++] = 0;
                }
            }
        }
    }
    for (int body = 0; body < world->bodies->count; body++) {
        const int slot = world->slot[body];
        for (int j = 0; slot >= 0 && j < nv; j++) {
            const int64_t end = nv * slot + j + 1 < nv * world->moving ? p->M_start[nv * slot + j + 1] : at;
            for (int64_t e = p->M_start[nv * slot + j]; e < end; e++) {
                const int i = p->M_row[e] - nv * slot;
                if (i >= 0 && i < nv) p->M_value[e] = mass_entry(world, body, i, j) / alpha;
            }
        }
    }
    for (int i = 0; i < k->soft_count; i++)
        add_spring(world, blocks, &k->soft[i].row, h * k->soft[i].damping + alpha * h * h * k->soft[i].stiffness);
    int velocity = nv * world->moving;
    for (int c = 0; c < world->solve->acts.count; c++) {
        const sti_act* act = &world->solve->acts.act[c];
        for (int i = 0; i < own_velocities(world, act); i++) {
            p->M_start[velocity] = at;
            p->M_row[at] = velocity++;
            p->M_value[at++] = act->mass;
        }
    }
    p->M_start[n] = at;
    p->problem.M = (sti_matrix){.rows = n, .cols = n, .col_start = p->M_start, .row = p->M_row, .value = p->M_value};
    return STI_OK;
}

// ---- H, G

// The entries of a row that are not zero, ascending. Returns how many.
static int64_t write_row(const sti_world* world, const sti_row* row, int* index, double* value) {
    const int nv = world->nv, sides = sti_row_sides(row);
    int64_t count = 0;
    for (int last = -1, turn = 0; turn < sides; turn++) {
        const double *j, *of = NULL;
        int slot = INT_MAX;
        for (int side = 0; side < sides; side++) {  // the next one
            const int at = sti_slot_of(world, sti_row_side(row, side, &j));
            if (at <= last || at >= slot) continue;
            slot = at;
            of = j;
        }
        for (int i = 0; of != NULL && i < nv; i++) {
            if (of[i] == 0) continue;
            index[count] = nv * slot + i;
            value[count++] = of[i];
        }
        last = slot;
    }
    return count;
}

static sti_status fill_contacts(sti_world* world, int n) {
    sti_world_posed* p = &world->solve->posed;
    const sti_acts* acts = &world->solve->acts;
    const int d = world->dim, cols = d * acts->count;
    const size_t most = (size_t)cols * (size_t)(2 * world->nv + 1);
    p->H_start = sti_arena_take(&p->arena, (size_t)cols + 1, sizeof(int64_t));
    p->H_row = sti_arena_ints(&p->arena, most);
    p->H_value = sti_arena_doubles(&p->arena, most);
    p->w = sti_arena_doubles(&p->arena, (size_t)cols);
    p->mu = sti_arena_doubles(&p->arena, (size_t)acts->count);
    sti_section* section;
    if (sti_acts_sections(acts, acts->count, NULL, &p->arena, &section) != STI_OK) return p->arena.status;
    p->problem.section = section;
    int64_t at = 0;
    int velocity = world->nv * world->moving;
    for (int c = 0; c < acts->count; c++) {
        const sti_act* act = &acts->act[c];
        p->mu[c] = act->mu;
        for (int k = 0; k < d; k++) {
            p->H_start[c * d + k] = at;
            p->w[c * d + k] = act->w[k];
            if (act->row[k] != NULL) {
                at += write_row(world, act->row[k], p->H_row + at, p->H_value + at);
            } else if (act->pressed) {  // n, and the t2 of a joint
                p->H_row[at] = velocity++;
                p->H_value[at++] = 1;
            }
        }
    }
    p->H_start[cols] = at;
    p->problem.H = (sti_matrix){.rows = n, .cols = cols, .col_start = p->H_start, .row = p->H_row, .value = p->H_value};
    return STI_OK;
}

static sti_status fill_joints(sti_world* world, int n) {
    sti_world_posed* p = &world->solve->posed;
    const sti_links* k = &world->solve->links;
    const size_t rows = (size_t)k->joint_rows, most = rows * (size_t)(4 * world->nv);
    p->G_start = sti_arena_take(&p->arena, rows + 1, sizeof(int64_t));
    p->G_row = sti_arena_ints(&p->arena, most);
    p->G_value = sti_arena_doubles(&p->arena, most);
    p->b = sti_arena_doubles(&p->arena, rows);
    if (p->arena.status != STI_OK) return p->arena.status;
    int64_t at = 0;
    for (int i = 0; i < k->joint_rows; i++) {
        p->G_start[i] = at;
        p->b[i] = k->asks ? k->asked[i] : 0;
        at += write_row(world, &k->row[i], p->G_row + at, p->G_value + at);
    }
    p->G_start[k->joint_rows] = at;
    p->problem.G =
        (sti_matrix){.rows = n, .cols = k->joint_rows, .col_start = p->G_start, .row = p->G_row, .value = p->G_value};
    return STI_OK;
}

// ---- the whole

sti_status sti_world_posed_fill(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    sti_world_posed* p = &s->posed;
    sti_arena_reset(&p->arena);
    p->answer = (sti_contact_answer){0};
    int own = 0;
    for (int c = 0; c < s->acts.count; c++) own += own_velocities(world, &s->acts.act[c]);
    const int bodies = world->nv * world->moving, n = bodies + own;
    const size_t numbers = (size_t)(world->dim * s->acts.count), rows = (size_t)s->links.joint_rows;
    p->problem = (sti_contact_problem){.dimension = world->dim,
                                       .contact_count = s->acts.count,
                                       .global = true,
                                       .bilateral_count = s->links.joint_rows,
                                       .velocity_count = n};
    p->f = sti_arena_doubles(&p->arena, (size_t)n);
    p->v = sti_arena_doubles(&p->arena, (size_t)n);
    p->r = sti_arena_doubles(&p->arena, numbers);
    p->u = sti_arena_doubles(&p->arena, numbers);
    p->lambda = sti_arena_doubles(&p->arena, rows);
    sti_status status = fill_mass(world, own);
    if (status == STI_OK) status = fill_contacts(world, n);
    if (status == STI_OK) status = fill_joints(world, n);
    if (status != STI_OK) {
        p->problem = (sti_contact_problem){0};
        return status;
    }
    memcpy(p->f, s->f, (size_t)bodies * sizeof *p->f);
    int velocity = bodies;
    for (int c = 0; c < s->acts.count; c++) {
        const sti_act* act = &s->acts.act[c];
        for (int i = 0; i < own_velocities(world, act); i++) p->f[velocity++] = i == 0 ? -act->press : 0;
    }
    p->problem.mu = p->mu;
    p->problem.f = p->f;
    p->problem.w = p->w;
    p->problem.b = p->b;
    return STI_OK;
}

// ---- measured

sti_status sti_world_posed_measure(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    sti_world_posed* p = &s->posed;
    const int d = world->dim, bodies = world->nv * world->moving;
    memcpy(p->v, s->u, (size_t)bodies * sizeof *p->v);
    memcpy(p->r, s->acts.r, (size_t)(d * s->acts.count) * sizeof *p->r);
    memcpy(p->lambda, s->links.l, (size_t)s->links.joint_rows * sizeof *p->lambda);
    int velocity = bodies;
    for (int c = 0; c < s->acts.count; c++) {
        const sti_act* act = &s->acts.act[c];
        const double* r = s->acts.r + (size_t)(c * d);
        for (int i = 0; i < own_velocities(world, act); i++)
            p->v[velocity++] = (i == 0 ? r[0] - act->press : r[2]) / act->mass;
    }
    p->answer = (sti_contact_answer){.outcome = STI_UNKNOWN,
                                     .solver = world->options.solver,
                                     .dimension = d,
                                     .contact_count = s->acts.count,
                                     .velocity_count = p->problem.velocity_count,
                                     .bilateral_count = p->problem.bilateral_count,
                                     .r = p->r,
                                     .u = p->u,
                                     .v = p->v,
                                     .lambda = p->lambda,
                                     .undetermined = NAN,
                                     .undetermined_dimension = -1};
    const sti_status status = sti_contact_residual(world->env, &p->problem, &p->answer);
    if (status != STI_OK) return status;
    p->far = p->answer.runaway;
    p->judged = SAFELY * (p->far > FAR ? DOUBT : 1) * p->answer.residual;
    const bool within = p->judged <= world->options.tol;
    p->answer.outcome = within ? STI_SOLVED : STI_UNKNOWN;
    p->answer.termination = within ? STI_END_SOLUTION : STI_END_STALLED;
    return STI_OK;
}
