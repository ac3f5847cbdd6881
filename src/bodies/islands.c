// islands.c: the problem of a step falls into islands; each is brought to the local form and solved alone.
//
//     u = W r + q,      W_ij = H_i' A^-1 H_j,      q = H'u_free + w
//
// An island is a set of bodies that acts and links connect. A is M / s with the links: on a free body A^-1 H_j is six
// numbers, on an assembly of linked bodies a vector over all of it (responses.c), in which the joints hold
// exactly. So W has a block (i, j) only where the two act on a common body or a common assembly, and a pile of free
// bodies costs what its contact graph costs. A hundred piles are a hundred small problems, most of them small enough
// for the quick way (src/contact/quick.c).
//
// The answer of an island is judged on its own data here, and the whole step once more, in the global form
// (step_problem.c).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/portfolio.h"
#include "base/sets.h"
#include "bodies/motion.h"

enum {
    DENSE_ROWS = 48,        // W is handed over as a dense matrix up to here
    VELOCITIES_FROM = 100,  // contacts from which on the velocities are solved for first (velocities.c), and
    VELOCITIES_EACH = 4,    //   for each body
    SIFTED = 12,            // acts of an island from which on only those are solved for that may close
    SIEVES = 8,             // times that others are taken as well, before all are
    HOPELESS = 400,         // contacts from which on the local form is not tried after that
};
#define BLOCKED 1e-11  // W_nn over what it would be without links

typedef struct island {
    sti_world* world;
    sti_acts* acts;
    sti_island_room* room;
    int d, nv;
    int count;  // acts
    int all;    // of the island, with those that are left out
    const sti_island_way* way;
    const double* v_free;
    sti_solve_report* report;  // of the acts that are listed
    double reached;            // by velocities; INFINITY: not tried
} island;

// ---- which hang together

int sti_islands_root(const sti_world* world, int slot) {
    return sti_sets_root(world->solve->room.parent, slot);
}

// Slots of an act: those of its first row that there is.
void sti_act_slots(const sti_world* world, const sti_act* act, int slot[2]) {
    slot[0] = slot[1] = -1;
    for (int k = 0; k < world->dim; k++) {
        if (act->row[k] == NULL) continue;
        slot[0] = sti_slot_of(world, act->row[k]->a);
        slot[1] = sti_slot_of(world, act->row[k]->b);
        return;
    }
}

int sti_act_slot(const sti_world* world, const sti_act* act) {
    int slot[2];
    sti_act_slots(world, act, slot);
    return slot[0] >= 0 ? slot[0] : slot[1];
}

sti_status sti_islands_find(sti_world* world, const sti_acts* acts) {
    sti_island_room* room = &world->solve->room;
    const sti_links* links = &world->solve->links;
    sti_arena_reset(&room->found);
    room->next = sti_arena_ints(&room->found, (size_t)acts->count);
    room->taken = sti_arena_take(&room->found, (size_t)acts->count, 1);
    if (room->found.status != STI_OK) return room->found.status;
    for (int s = 0; s < world->moving; s++) room->parent[s] = s;
    for (int i = 0; i < world->moving; i++) {  // an assembly hangs together
        const sti_assembly* at = &links->assembly[links->assembly_of[i]];
        sti_sets_join(room->parent, i, links->order[at->first_body]);
    }
    for (int c = 0; c < acts->count; c++) {
        int slot[2];
        sti_act_slots(world, &acts->act[c], slot);
        if (slot[0] >= 0 && slot[1] >= 0) sti_sets_join(room->parent, slot[0], slot[1]);
    }
    for (int s = 0; s < world->moving; s++) room->first[s] = room->body_first[s] = -1;
    for (int s = world->moving - 1; s >= 0; s--) {
        const int root = sti_sets_root(room->parent, s);
        room->body_next[s] = room->body_first[root];
        room->body_first[root] = s;
    }
    for (int c = acts->count - 1; c >= 0; c--) {
        const int one = sti_act_slot(world, &acts->act[c]);
        room->next[c] = -1;
        if (one < 0) continue;
        const int root = sti_sets_root(room->parent, one);
        room->next[c] = room->first[root];
        room->first[root] = c;
    }
    return STI_OK;
}

// ---- the local form

static sti_status reserve_island(island* k) {
    sti_island_room* room = k->room;
    sti_arena* arena = &room->local;
    const size_t n = (size_t)k->count, rows = n * (size_t)k->d;
    sti_arena_reset(arena);
    room->list = sti_arena_ints(arena, n);
    room->node = sti_arena_ints(arena, 2 * n);
    room->z_at = sti_arena_take(arena, 2 * n, sizeof *room->z_at);
    room->node_list = sti_arena_ints(arena, 2 * n);
    room->col_start = sti_arena_take(arena, rows + 1, sizeof *room->col_start);
    room->q = sti_arena_doubles(arena, rows);
    room->guess = sti_arena_doubles(arena, rows);
    room->mu = sti_arena_doubles(arena, n);
    room->pool = sti_arena_ints(arena, n + 1);
    return arena->status;
}

// Assemblies of each act, and the acts of each assembly in ascending order.
static void list_nodes(island* k) {
    sti_island_room* room = k->room;
    const sti_links* links = &k->world->solve->links;
    for (int i = 0; i < k->count; i++) {
        int slot[2], *node = room->node + 2 * (size_t)i;
        sti_act_slots(k->world, &k->acts->act[room->list[i]], slot);
        node[0] = slot[0] >= 0 ? links->assembly_of[slot[0]] : -1;
        node[1] = slot[1] >= 0 ? links->assembly_of[slot[1]] : -1;
        if (node[0] == node[1]) node[1] = -1;
        for (int side = 0; side < 2; side++) {
            if (node[side] >= 0) room->node_fill[node[side]] = 0;
        }
    }
    for (int i = 0; i < 2 * k->count; i++) {
        if (room->node[i] >= 0) room->node_fill[room->node[i]]++;
    }
    int at = 0;
    for (int i = 0; i < 2 * k->count; i++) {  // node_fill: how many; becomes where the next one goes
        const int node = room->node[i];
        if (node < 0 || room->node_fill[node] < 0) continue;
        room->node_first[node] = at;
        at += room->node_fill[node];
        room->node_fill[node] = -1;
    }
    for (int i = 0; i < 2 * k->count; i++) {
        const int node = room->node[i];
        if (node >= 0) room->node_fill[node] = room->node_first[node];
    }
    for (int i = 0; i < 2 * k->count; i++) {
        const int node = room->node[i];
        if (node >= 0) room->node_list[room->node_fill[node]++] = i / 2;
    }
}

static void set_vectors(island* k, const double* v_free) {
    sti_island_room* room = k->room;
    const int d = k->d;
    for (int i = 0; i < k->count; i++) {
        const sti_act* act = &k->acts->act[room->list[i]];
        room->mu[i] = act->mu;
        for (int a = 0; a < d; a++) {
            room->q[i * d + a] = act->w[a] + (act->row[a] != NULL ? sti_row_apply(k->world, act->row[a], v_free) : 0);
            room->guess[i * d + a] = k->acts->r[room->list[i] * d + a];
        }
        if (act->pressed) room->q[i * d] = -act->press / act->mass;
    }
}

static sti_status fill_dense(island* k, sti_matrix* W) {
    sti_island_room* room = k->room;
    const int d = k->d, n = d * k->count;
    room->value = sti_arena_doubles(&room->local, (size_t)n * (size_t)n);
    if (room->value == NULL) return room->local.status;
    for (int i = 0; i < k->count; i++) {
        for (int j = 0; j <= i; j++) {
            double B[9];
            sti_island_block(k->world, k->acts, i, j, B);
            for (int a = 0; a < d; a++) {
                for (int b = 0; b < d; b++)
                    room->value[(i * d + a) * n + j * d + b] = room->value[(j * d + b) * n + i * d + a] = B[a * d + b];
            }
        }
    }
    *W = sti_matrix_dense_view(n, n, room->value);
    return STI_OK;
}

// Acts that share a node with act j, ascending, in room->pool.
static int neighbours(const island* k, int j) {
    const sti_island_room* room = k->room;
    int p[2] = {0, 0}, end[2] = {0, 0}, count = 0;
    for (int side = 0; side < 2; side++) {
        const int node = room->node[2 * j + side];
        if (node < 0) continue;
        p[side] = room->node_first[node];
        end[side] = room->node_fill[node];
    }
    while (p[0] < end[0] || p[1] < end[1]) {
        const int x = p[0] < end[0] ? room->node_list[p[0]] : INT32_MAX;
        const int y = p[1] < end[1] ? room->node_list[p[1]] : INT32_MAX;
        const int least = x < y ? x : y;
        p[0] += x == least;
        p[1] += y == least;
        room->pool[count++] = least;
    }
    return count;
}

static sti_status fill_sparse(island* k, sti_matrix* W) {
    sti_island_room* room = k->room;
    const int d = k->d, n = d * k->count;
    size_t blocks = 0;
    for (int j = 0; j < k->count; j++) blocks += (size_t)neighbours(k, j);
    const size_t entries = blocks * (size_t)(d * d);
    room->value = sti_arena_doubles(&room->local, entries);
    room->row = sti_arena_ints(&room->local, entries);
    if (room->local.status != STI_OK) return room->local.status;
    int64_t at = 0;
    for (int j = 0; j < k->count; j++) {
        const int count = neighbours(k, j);
        for (int b = 0; b < d; b++) room->col_start[j * d + b] = at + (int64_t)b * count * d;
        for (int i = 0; i < count; i++) {
            double B[9];
            sti_island_block(k->world, k->acts, room->pool[i], j, B);
            for (int b = 0; b < d; b++) {
                for (int a = 0; a < d; a++) {
                    const int64_t e = at + ((int64_t)b * count + i) * d + a;
                    room->row[e] = room->pool[i] * d + a;
                    room->value[e] = B[a * d + b];
                }
            }
        }
        at += (int64_t)count * d * d;
    }
    room->col_start[n] = at;
    *W = (sti_matrix){.rows = n, .cols = n, .col_start = room->col_start, .row = room->row, .value = room->value};
    return STI_OK;
}

// Acts that the links do not let move at all (a contact between two bodies that a joint holds together): W_nn is
// nothing but rounding, and impulses against rounding would run away. They are left out, with r = 0, or their bound.
// True: some were.
static bool drop_blocked(island* k) {
    sti_island_room* room = k->room;
    const sti_links* links = &k->world->solve->links;
    int kept = 0;
    for (int i = 0; i < k->count; i++) {
        const sti_act* act = &k->acts->act[room->list[i]];
        bool linked = false, blocked = false;
        for (int side = 0; side < 2; side++) {
            const int node = room->node[2 * i + side];
            linked = linked || (node >= 0 && links->assembly[node].row_count > 0);
        }
        if (linked) {
            double B[9];
            const int a = act->pressed ? 1 : 0;
            sti_island_block(k->world, k->acts, i, i, B);
            blocked = !(B[a * k->d + a] >
                        BLOCKED * k->world->solve->scale * sti_row_mass(k->world, act->row[a], act->row[a]));
        }
        if (!blocked) {
            room->pool[kept++] = room->list[i];
            continue;
        }
        double* r = k->acts->r + (size_t)(room->list[i] * k->d);
        for (int a = 0; a < k->d; a++) r[a] = 0;
        if (!act->pressed) continue;
        r[0] = act->press;  // a motor that cannot turn pushes as hard as it may
        if (act->w[1] != 0) r[1] = act->w[1] > 0 ? -act->press : act->press;
    }
    if (kept == k->count) return false;
    memcpy(room->list, room->pool, (size_t)kept * sizeof *room->list);
    k->count = kept;
    return true;
}

// ---- solve

static sti_status note(const island* k, const sti_world_attempt* what) {
    struct sti_world_solve* s = k->world->solve;
    const sti_status status = sti_room(k->world->env, (void**)&s->attempt, &s->attempt_room,
                                       (size_t)s->attempt_count + 1, sizeof *s->attempt);
    if (status != STI_OK) return status;
    sti_world_attempt* to = &s->attempt[s->attempt_count++];
    int slot[2];
    sti_act_slots(k->world, &k->acts->act[k->room->list[0]], slot);
    *to = *what;
    to->body = s->body[slot[0] >= 0 ? slot[0] : slot[1]];
    to->contacts = k->count;
    return STI_OK;
}

// What the answer says was tried
static sti_status note_answer(const island* k, const sti_contact_answer* answer) {
    const char* why = k->way->why != NULL ? k->way->why : "the solver that was asked for";
    sti_status status = STI_OK;
    for (int i = 0; i < answer->attempt_count && status == STI_OK; i++) {
        const sti_contact_attempt* from = &answer->attempts[i];
        sti_world_attempt to = {.solver = from->solver, .residual = from->residual, .iterations = from->iterations};
        to.solved = i + 1 == answer->attempt_count && answer->outcome == STI_SOLVED;
        memcpy(to.why, from->why, sizeof to.why);
        status = note(k, &to);
    }
    if (answer->attempt_count > 0 || answer->iterations == 0) return status;
    sti_world_attempt to = {.solver = answer->solver, .residual = answer->residual, .iterations = answer->iterations};
    to.solved = answer->outcome == STI_SOLVED;
    snprintf(to.why, sizeof to.why, "%s", why);
    return note(k, &to);
}

static sti_status solve_posed(island* k, const sti_matrix* W) {
    sti_world* world = k->world;
    sti_solve_report* report = k->report;
    sti_island_room* room = k->room;
    const int d = k->d;
    sti_contact_problem problem = {.dimension = d, .contact_count = k->count, .mu = room->mu, .W = *W, .q = room->q};
    sti_section* section;
    sti_status status = sti_acts_sections(k->acts, k->count, room->list, &room->local, &section);
    if (status != STI_OK) return status;
    problem.section = section;
    sti_contact_options options = sti_contact_options_default();
    options.solver = k->way->solver == STI_CONTACT_VELOCITIES ? STI_CONTACT_AUTO : k->way->solver;
    options.tol = k->way->tol;
    options.max_iterations = k->way->limit;
    options.describe = false;
    options.guess_r = room->guess;
    sti_contact_answer answer;
    status = sti_contact_solve(world->env, &problem, &options, &answer);
    if (status != STI_OK) return status;
    status = note_answer(k, &answer);
    for (int i = 0; i < k->count; i++) {
        for (int a = 0; a < d; a++) k->acts->r[room->list[i] * d + a] = answer.r[i * d + a];
    }
    report->iterations += answer.iterations;
    report->residual = fmax(report->residual, answer.residual);
    if (answer.outcome != STI_SOLVED) {
        if (report->solved)
            snprintf(report->why, sizeof report->why, "%d contacts together: residual %.2g after %ld iterations. %.90s",
                     k->count, answer.residual, answer.iterations, answer.reason);
        report->solved = false;
    }
    sti_contact_answer_clear(world->env, &answer);
    return status;
}

// How many bodies the acts in room->list move.
static int listed_bodies(const island* k) {
    sti_island_room* room = k->room;
    int bodies = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < k->count; i++) {
            int slot[2];
            sti_act_slots(k->world, &k->acts->act[room->list[i]], slot);
            for (int side = 0; side < 2; side++) {
                if (slot[side] < 0) continue;
                bodies += pass == 1 && room->node_fill[slot[side]] < 0;
                room->node_fill[slot[side]] = pass - 1;
            }
        }
    }
    return bodies;
}

// Many contacts, and many for each body, where W is large and singular; or it is the caller's wish. With friction all
// of the island count, since of bodies that touch at many points more press than their motion determines. Without, as
// where overlaps are mended, W is a third as large, and only the listed count.
static bool by_velocities(const void* self) {
    const island* k = self;
    const sti_island_room* room = k->room;
    if (k->way->solver == STI_CONTACT_VELOCITIES) return true;
    if (k->count < VELOCITIES_FROM || k->way->solver != STI_CONTACT_AUTO) return false;
    const sti_act* one = &k->acts->act[room->list[0]];
    if (one->row[1] == NULL) return k->count >= VELOCITIES_EACH * listed_bodies(k);
    int bodies = 0;
    for (int i = room->body_first[sti_islands_root(k->world, sti_act_slot(k->world, one))]; i >= 0;
         i = room->body_next[i])
        bodies++;
    return k->all >= VELOCITIES_EACH * bodies;
}

// A large one is not tried in the local form after that.
static bool worth_posing(const void* self) {
    const island* k = self;
    return !(isfinite(k->reached) && k->count >= HOPELESS);
}

static sti_status solve_velocities(island* k) {
    sti_world_attempt tried = {.solver = STI_CONTACT_VELOCITIES};
    sti_status status = sti_island_velocities(k->world, k->acts, k->count, k->room->list, k->v_free, k->way->tol,
                                              &k->reached, &tried.iterations);
    if (status != STI_OK || !isfinite(k->reached)) return status;
    tried.residual = k->reached;
    tried.solved = k->reached <= k->way->tol;
    k->report->iterations += tried.iterations;
    k->report->residual = k->reached;
    k->report->solved = tried.solved;
    if (!tried.solved)
        snprintf(k->report->why, sizeof k->report->why, "%d contacts together: residual %.2g", k->count, k->reached);
    snprintf(tried.why, sizeof tried.why, "%s",
             k->way->solver == STI_CONTACT_AUTO ? "many contacts for few bodies" : "the solver that was asked for");
    return note(k, &tried);
}

static sti_status solve_local(island* k) {
    *k->report = (sti_solve_report){.solved = true, .iterations = k->report->iterations};
    list_nodes(k);
    sti_status status = sti_island_respond(k->world, k->acts, k->count);
    if (status != STI_OK) return status;
    if (drop_blocked(k)) {
        if (k->count == 0) return STI_OK;
        list_nodes(k);
        status = sti_island_respond(k->world, k->acts, k->count);
        if (status != STI_OK) return status;
    }
    set_vectors(k, k->v_free);
    sti_matrix W;
    status = k->count * k->d <= DENSE_ROWS ? fill_dense(k, &W) : fill_sparse(k, &W);
    return status == STI_OK ? solve_posed(k, &W) : status;
}

static const sti_stage stages[] = {
    {STI_CONTACT_VELOCITIES, 0, by_velocities, 0, "many contacts for few bodies"},
    {STI_CONTACT_AUTO, 0, worth_posing, 0, "in the local form"},
};

static sti_status use_stage(void* self, sti_stage_use* use) {
    island* k = self;
    const sti_status status = use->stage->method == STI_CONTACT_VELOCITIES ? solve_velocities(k) : solve_local(k);
    const bool tried = use->stage->method != STI_CONTACT_VELOCITIES || isfinite(k->reached);
    use->residual = tried && k->report->solved ? 0 : INFINITY;
    return status;
}

// The acts in room->list.
static sti_status solve_listed(island* k, sti_solve_report* report) {
    k->report = report;
    k->reached = INFINITY;
    sti_portfolio all = {.env = k->world->env,
                         .stages = stages,
                         .count = sizeof stages / sizeof *stages,
                         .caller = k,
                         .use = use_stage,
                         .deadline = INFINITY,
                         .residual = INFINITY};
    const sti_status status = sti_portfolio_run(&all);
    return status == STI_OK ? sti_check_time(k->world->env, "solving for the forces of a step") : status;
}

// ---- only what may close

// Does the act open by itself with these velocities? A force that is known acts in any case.
static bool opens(const island* k, int c, const double* v) {
    const sti_act* act = &k->acts->act[c];
    return !act->pressed && act->row[0] != NULL && sti_row_apply(k->world, act->row[0], v) + act->w[0] > 0;
}

// v_free and what the forces of the island's acts add to it, in room->v.
static void island_velocities(island* k, int first, const double* v_free) {
    sti_world* world = k->world;
    sti_island_room* room = k->room;
    const sti_links* links = &world->solve->links;
    const int d = k->d, nv = k->nv;
    const int top = room->body_first[sti_islands_root(world, sti_act_slot(world, &k->acts->act[first]))];
    double g[6];
    for (int i = top; i >= 0; i = room->body_next[i]) memset(room->v + i * nv, 0, (size_t)nv * sizeof *room->v);
    for (int c = first; c >= 0; c = room->next[c]) {
        for (int a = 0; a < d; a++) {
            const sti_row* row = k->acts->act[c].row[a];
            if (row != NULL && k->acts->r[c * d + a] != 0) sti_row_add(world, row, k->acts->r[c * d + a], room->v);
        }
    }
    for (int i = top; i >= 0; i = room->body_next[i]) {
        memcpy(g, room->v + i * nv, (size_t)nv * sizeof *g);
        sti_body_mass_solve(world, i, g, room->v + i * nv);
        for (int e = 0; e < nv; e++) room->v[i * nv + e] *= world->solve->scale;
    }
    for (int i = top; i >= 0; i = room->body_next[i]) {  // an assembly is solved where its first body is met
        const int j = links->assembly_of[i];
        if (links->order[links->assembly[j].first_body] == i) sti_links_solve_one(world, j, room->v);
    }
    for (int i = top; i >= 0; i = room->body_next[i]) {
        for (int e = 0; e < nv; e++) room->v[i * nv + e] += v_free[i * nv + e];
    }
}

// Lists the acts that are taken; the others get no force.
static int list_taken(island* k, int first) {
    sti_island_room* room = k->room;
    k->count = 0;
    for (int c = first; c >= 0; c = room->next[c]) {
        if (room->taken[c])
            room->list[k->count++] = c;
        else
            memset(k->acts->r + (size_t)(c * k->d), 0, (size_t)k->d * sizeof *k->acts->r);
    }
    return k->count;
}

// Most contacts that were found are only near, and open. An island is solved for those that pressed before or would
// close without forces; what then closes among the others is taken as well, until nothing does. With r = 0 and u_n >= 0
// an act that was left out is solved exactly, so the point is one of the whole island.
static sti_status solve_island(island* k, int first, sti_solve_report* report) {
    sti_island_room* room = k->room;
    const double* v_free = k->v_free;
    int all = 0, taken = 0;
    for (int c = first; c >= 0; c = room->next[c]) all++;
    k->count = k->all = all;
    sti_status status = reserve_island(k);
    if (status != STI_OK) return status;
    for (int c = first; c >= 0; c = room->next[c]) {
        room->taken[c] = all < SIFTED || k->acts->r[c * k->d] > 0 || !opens(k, c, v_free);
        taken += room->taken[c];
    }
    for (int round = 0;; round++) {
        if (round == SIEVES || 4 * taken > 3 * all) {
            for (int c = first; c >= 0; c = room->next[c]) room->taken[c] = 1;
            taken = all;
        }
        sti_solve_report now = {.solved = true};
        if (list_taken(k, first) > 0) status = solve_listed(k, &now);
        if (status != STI_OK) return status;
        report->iterations += now.iterations;
        int more = 0;
        if (now.solved && taken < all) {
            island_velocities(k, first, v_free);
            for (int c = first; c >= 0; c = room->next[c]) {
                const bool closes = !room->taken[c] && !opens(k, c, room->v);
                room->taken[c] |= closes;
                more += closes;
            }
            taken += more;
        } else if (!now.solved && taken < all) {
            round = SIEVES - 1;
            more = 1;
        }
        if (more > 0) continue;
        report->residual = fmax(report->residual, now.residual);
        if (!now.solved && report->solved) memcpy(report->why, now.why, sizeof report->why);
        report->solved = report->solved && now.solved;
        return STI_OK;
    }
}

sti_status sti_islands_solve(sti_world* world, sti_acts* acts, const double* v_free, const sti_island_way* way,
                             sti_solve_report* report) {
    island k = {.world = world,
                .acts = acts,
                .room = &world->solve->room,
                .d = world->dim,
                .nv = world->nv,
                .way = way,
                .v_free = v_free};
    *report = (sti_solve_report){.solved = true};
    for (int s = 0; s < world->moving; s++) {
        if (k.room->first[s] < 0 || (way->skip != NULL && way->skip[s])) continue;
        const sti_status status = solve_island(&k, k.room->first[s], report);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}
