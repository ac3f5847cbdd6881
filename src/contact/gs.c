// gs.c: block Gauss-Seidel with an exact solver for one contact.
//
//     u = W r + q,     K contains r,    K* contains u + mu |u_t| n,    orthogonal, contact by contact
//
// Source: the nonsmooth Gauss-Seidel of Moreau & Jean, here with the one-contact problem solved to rounding
// (one_contact.c) and the sweeps extrapolated (gs_island.c, anderson.c).
//
//     letter   variable        letter   variable
//     r        s.r             W_cc     s.block, prepared once
//     u        run->u          omega    options->relaxation, in s.step
//
// Works for any W given by rows; W need not be symmetric. It converges for symmetric semidefinite W without friction,
// and usually with friction, where no proof is known.
//
// Outcomes. SOLUTION: the natural map of the whole problem, recomputed on the data, is within tol; nothing else is
// ever called solved. LIMIT and STALLED prove nothing; run->r is then the best point that was measured.
// NOT_APPLICABLE: W is an operator, which has no rows.
//
// Cost. A sweep is two flops for each number in W and a solve (5 to 120 ns) for each contact; extrapolation adds as
// much again where rows have five blocks, and a quarter where they have twenty. Memory: 28 vectors of the length of r
// for the largest island, and the rows of large islands once more.
//
// Departures.
// D1  Islands, contacts that no block of W joins, are separate problems that only share the tolerance, and each is
//     iterated by itself: most of a granular flow is done after two sweeps, and the slow island keeps a history of its
//     own. In the first round an island may use the part count / nc of tol^2; what is left unused goes to the slow ones
//     in the next rounds, and the last of them has all that remains.
// D2  Large islands are swept by all workers, in clusters of neighbouring contacts, colour by colour: no contact
//     meets one of another cluster of that colour. Small ones are dealt out to the workers whole. Which of the two
//     depends on the island alone, and sums have a fixed shape: the same bits for any number of workers.
#include "contact/gs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/local.h"
#include "par/graph.h"

enum {
    SWEEP_LIMIT = 20000,
    FIRST_ROUND = 128,  // sweeps; each round may use four times as many as the one before
    LARGE = 2048,       // contacts: islands are coloured from here on, and threads are used for a problem
    CLUSTER = 32,       // contacts that are swept together in a large island
    ROUND_LIMIT = 64,
    RECHECKS = 5,
};

#define STEEP 0.5  // mu |A_nt| / A_nn from which on a contact goes only half way

typedef struct solver {
    sti_gs s;
    sti_contact_run* run;
    sti_gs_island* island;  // (island_count)
    int island_count;
    sti_tasks* tasks;
    sti_gs_lane* lane;  // one for each worker          (lane_count)
    int lane_count;
    double tol;
    double slack;  // part of the tolerance that is dealt out: 1, less when sums of islands and of the whole disagree
    long sweep_limit;
    // the round at hand
    double used2;      // error2 of the islands that are done
    double size2;      // |r|^2 of all
    int pending;       // contacts of the islands that are not done
    long round_limit;  // sweeps that an island may have used at its end
} solver;

// ---- preparation ----

static void clear(sti_env* env, solver* g) {
    sti_tasks_destroy(g->tasks);
    for (int i = 0; i < g->lane_count; i++) sti_gs_lane_destroy(env, &g->lane[i]);
    for (int i = 0; i < g->island_count; i++) {
        sti_free(env, g->island[i].row_start);
        sti_free(env, g->island[i].col);
        sti_free(env, g->island[i].block);
    }
    sti_free(env, g->lane);
    sti_free(env, g->island);
    sti_free(env, g->s.block);
    sti_free(env, g->s.step);
    sti_free(env, g->s.order);
}

static sti_status reserve(sti_env* env, int nc, solver* g) {
    const size_t n = (size_t)nc;
    g->s.block = sti_alloc_array(env, n, sizeof *g->s.block);
    g->s.step = sti_alloc_array(env, 2 * n, sizeof *g->s.step);
    g->s.order = sti_alloc_array(env, 3 * n + 2, sizeof *g->s.order);
    if (g->s.block == NULL || g->s.step == NULL || g->s.order == NULL) return STI_ERR_MEMORY;
    g->s.stretch = g->s.step + n;
    g->s.cluster_start = g->s.order + n;
    g->s.colour_start = g->s.cluster_start + n + 1;
    return STI_OK;
}

static void prepare_contacts(solver* g, double omega) {
    const sti_contact_local* p = g->s.p;
    const int d = p->d;
    for (int c = 0; c < p->nc; c++) {
        sti_contact_block* block = &g->s.block[c];
        sti_contact_block_prepare(d, p->mu[c], p->diagonal + (size_t)(d * d) * (size_t)c, block);
        const double lean = block->mu * sqrt(block->row[0] * block->row[0] + block->row[1] * block->row[1]);
        g->s.step[c] = lean > STEEP ? 0.5 * omega : omega;
        g->s.stretch[c] = sqrt(1 / p->rho[c]);
    }
}

// The rows of a large island in the order of its sweep, without diagonal blocks.
static sti_status copy_rows(sti_env* env, const sti_gs* s, sti_gs_island* island) {
    const sti_bsr* W = &s->p->W;
    const size_t dd = (size_t)(W->d * W->d), count = (size_t)island->count;
    const int* order = s->order + island->first;
    size_t blocks = 0;
    for (size_t a = 0; a < count; a++) blocks += (size_t)(W->row_start[order[a] + 1] - W->row_start[order[a]]) - 1;
    island->row_start = sti_alloc_array(env, count + 1, sizeof *island->row_start);
    island->col = sti_alloc_array(env, blocks, sizeof *island->col);
    island->block = sti_alloc_array(env, blocks * dd, sizeof *island->block);
    if (island->row_start == NULL || island->col == NULL || island->block == NULL) return STI_ERR_MEMORY;
    int64_t filled = 0;
    for (size_t a = 0; a < count; a++) {
        island->row_start[a] = filled;
        for (int64_t k = W->row_start[order[a]]; k < W->row_start[order[a] + 1]; k++) {
            if (k == W->diagonal[order[a]]) continue;
            island->col[filled] = W->col[k];
            memcpy(island->block + (size_t)filled * dd, W->block + (size_t)k * dd, dd * sizeof *W->block);
            filled++;
        }
    }
    island->row_start[count] = filled;
    return STI_OK;
}

// Islands, and the colours of the large ones.
static sti_status find_islands(sti_env* env, solver* g) {
    const sti_contact_local* p = g->s.p;
    const sti_graph graph = {.n = p->nc, .row_start = p->W.row_start, .col = p->W.col};
    int* start = g->s.colour_start;
    sti_status status = sti_graph_islands(env, &graph, g->s.order, start, &g->island_count);
    if (status != STI_OK) return status;
    g->island = sti_alloc_array_zero(env, (size_t)g->island_count, sizeof *g->island);
    if (g->island == NULL) {
        g->island_count = 0;
        return STI_ERR_MEMORY;
    }
    for (int i = 0; i < g->island_count; i++) {
        g->island[i].first = start[i];
        g->island[i].count = start[i + 1] - start[i];
    }
    for (int i = 0; i < g->island_count && status == STI_OK; i++) {
        sti_gs_island* island = &g->island[i];
        if (island->count < LARGE) continue;
        status =
            sti_graph_colour(env, &graph, CLUSTER, island->count, g->s.order + island->first,
                             g->s.cluster_start + island->first, g->s.colour_start + island->first, &island->colours);
        if (status == STI_OK && island->colours > 0) status = copy_rows(env, &g->s, island);
    }
    return status;
}

// One lane for each worker, large enough for the islands dealt out whole; the first one also for the large islands.
static sti_status open_lanes(sti_env* env, solver* g) {
    const int d = g->s.p->d;
    sti_status status = STI_OK;
    if (g->s.p->nc >= LARGE) status = sti_tasks_create(env, sti_env_workers(env), &g->tasks);
    if (status != STI_OK) return status;
    int largest = 0, small = 0;
    for (int i = 0; i < g->island_count; i++) {
        const int count = g->island[i].count;
        if (count > largest) largest = count;
        if (g->island[i].colours == 0 && count > small) small = count;
    }
    const int lanes = sti_tasks_workers(g->tasks);
    g->lane = sti_alloc_array_zero(env, (size_t)lanes, sizeof *g->lane);
    if (g->lane == NULL) return STI_ERR_MEMORY;
    for (; g->lane_count < lanes && status == STI_OK; g->lane_count += status == STI_OK)
        status = sti_gs_lane_create(env, d, g->lane_count == 0 ? largest : small, &g->lane[g->lane_count]);
    return status;
}

// ---- the rounds ----

static double unit2(const solver* g) {
    return sti_gs_unit2(g->s.p, g->size2);
}

// Sums over the islands, in order. True: the whole problem is within tol.
static bool take_stock(solver* g) {
    double error2 = 0;
    g->used2 = 0;
    g->size2 = 0;
    g->pending = 0;
    for (int i = 0; i < g->island_count; i++) {
        const sti_gs_island* island = &g->island[i];
        error2 += island->error2;
        g->size2 += island->size2;
        if (island->done)
            g->used2 += island->error2;
        else
            g->pending += island->count;
    }
    return error2 <= g->slack * unit2(g) * (g->tol * g->tol);
}

static sti_gs_goal goal_of(const solver* g, const sti_gs_island* island) {
    const double budget2 = g->slack * unit2(g) * (g->tol * g->tol);
    const double left = budget2 > g->used2 ? (budget2 - g->used2) / budget2 : 0;
    return (sti_gs_goal){.tol = g->tol,
                         .share = g->slack * left * island->count / g->pending,
                         .other2 = fmax(g->size2 - island->size2, 0),
                         .sweep_limit = g->round_limit,
                         .report = g->island_count == 1,
                         .at_most = g->run->brief ? g->slack * left : 0};
}

static bool waits(const solver* g, const sti_gs_island* island) {
    return !island->done && !island->stalled && !island->crawls && island->sweeps < g->round_limit;
}

static void settle_small(void* context, int item, int worker) {
    solver* g = context;
    sti_gs_island* island = &g->island[item];
    if (island->colours > 0 || !waits(g, island)) return;
    const sti_gs_goal goal = goal_of(g, island);
    sti_gs_settle(&g->s, &g->lane[worker], &goal, island);
}

static void settle_large(solver* g, sti_gs_island* island) {
    take_stock(g);  // what the islands before it left
    const sti_gs_goal goal = goal_of(g, island);
    g->lane[0].tasks = g->tasks;
    sti_gs_settle(&g->s, &g->lane[0], &goal, island);
    g->lane[0].tasks = NULL;
}

// Islands were done in the unit of an earlier r, and it has become smaller: the ones above their share go on.
static void reopen(solver* g) {
    g->used2 = 0;
    g->pending = g->s.p->nc;
    for (int i = 0; i < g->island_count; i++) {
        sti_gs_island* island = &g->island[i];
        const sti_gs_goal goal = goal_of(g, island);
        island->done = island->error2 <= goal.share * unit2(g) * (g->tol * g->tol);
    }
    take_stock(g);
}

static bool clock_passed(const solver* g) {
    return (g->s.stop_at < INFINITY && sti_clock() > g->s.stop_at) || sti_late(g->s.p->env);
}

static void trace_round(const solver* g) {
    double error2 = 0;
    long sweeps = 0;
    for (int i = 0; i < g->island_count; i++) {
        error2 += g->island[i].error2;
        if (g->island[i].sweeps > sweeps) sweeps = g->island[i].sweeps;
    }
    const double unit = sqrt(unit2(g));
    g->s.options->trace(g->s.options->trace_user, "gs", sweeps, unit > 0 ? sqrt(error2) / unit : sqrt(error2));
}

// True while some island can still be improved.
static bool next_round(solver* g) {
    if (clock_passed(g)) return false;
    if (g->pending == 0) reopen(g);
    int open = 0, waiting = 0;
    for (int i = 0; i < g->island_count; i++) open += !g->island[i].done;
    g->round_limit = open == 1 || g->round_limit > g->sweep_limit / 4 ? g->sweep_limit : 4 * g->round_limit;
    for (int i = 0; i < g->island_count; i++) waiting += waits(g, &g->island[i]);
    return waiting > 0;
}

static bool run_rounds(solver* g) {
    g->round_limit = g->island_count == 1           ? g->sweep_limit
                     : FIRST_ROUND < g->sweep_limit ? FIRST_ROUND
                                                    : g->sweep_limit;
    bool within = take_stock(g);
    for (int round = 0; !within && round < ROUND_LIMIT && (round == 0 || next_round(g)); round++) {
        sti_tasks_run_any(g->tasks, g->island_count, settle_small, g);
        for (int i = 0; i < g->island_count; i++) {
            if (g->island[i].colours > 0 && waits(g, &g->island[i])) settle_large(g, &g->island[i]);
        }
        within = take_stock(g);
        if (g->s.options->trace != NULL && g->island_count > 1) trace_round(g);
    }
    return within;
}

// ---- the whole ----

// error2 and size2 of every island at the first guess. At r = 0 no product with W is needed.
static void measure_guess(solver* g) {
    const sti_contact_local* p = g->s.p;
    const size_t d = (size_t)p->d;
    bool zero = true;
    for (size_t i = 0; i < d * (size_t)p->nc; i++) {
        if (!isfinite(g->s.r[i])) g->s.r[i] = 0;
        zero = zero && g->s.r[i] == 0;
    }
    for (int i = 0; i < g->island_count; i++) {
        sti_gs_island* island = &g->island[i];
        if (!zero) {
            sti_gs_measure(&g->s, &g->lane[0], island);
            continue;
        }
        for (int a = island->first; a < island->first + island->count; a++) {
            const size_t c = (size_t)g->s.order[a];
            island->error2 += sti_contact_natural_map_one(p->d, p->mu[c], p->rho[c], g->s.r + d * c, p->q + d * c);
        }
    }
}

static void report(solver* g, bool within) {
    sti_contact_run* run = g->run;
    long sweeps = 0;
    bool stalled = false;
    for (int i = 0; i < g->island_count; i++) {
        if (g->island[i].sweeps > sweeps) sweeps = g->island[i].sweeps;
        stalled = stalled || g->island[i].stalled;
    }
    run->iterations = sweeps;
    if (within && run->residual <= g->tol) {
        run->termination = STI_END_SOLUTION;
        strcpy(run->reason, "natural map within tol");  // printing numbers would take as long as a small problem
    } else if (stalled) {
        run->termination = STI_END_STALLED;
        snprintf(run->reason, sizeof run->reason, "no progress below natural map %.3g in %ld sweeps", run->residual,
                 sweeps);
    } else {
        run->termination = STI_END_LIMIT;
        snprintf(run->reason, sizeof run->reason, "natural map %.3g when %s ran out after %ld sweeps", run->residual,
                 clock_passed(g) ? "time" : "sweeps", sweeps);
    }
}

static void solve(solver* g) {
    measure_guess(g);
    bool within = false;
    for (int attempt = 0; attempt < RECHECKS; attempt++) {
        within = run_rounds(g);
        sti_contact_local_apply(g->s.p, g->run->r, g->run->u);
        g->run->residual = sti_contact_natural_map(g->s.p, g->run->r, g->run->u, NULL);
        if (!within || g->run->residual <= g->tol) break;
        // the sums of the islands and the sum over all differ in their last digits, and the goal lies between
        g->slack *= 0.5;
        reopen(g);
    }
    report(g, within);
}

sti_status sti_contact_method_gs(const sti_contact_local* p, const sti_contact_options* options, sti_contact_run* run) {
    run->iterations = 0;
    if (p->op != NULL) {
        run->termination = STI_END_NOT_APPLICABLE;
        sti_contact_local_apply(p, run->r, run->u);
        run->residual = sti_contact_natural_map(p, run->r, run->u, NULL);
        snprintf(run->reason, sizeof run->reason, "W is an operator, and Gauss-Seidel needs its rows");
        return STI_OK;
    }
    if (!isfinite(p->scale)) {  // every point would be small beside it
        run->termination = STI_END_STALLED;
        run->residual = NAN;
        snprintf(run->reason, sizeof run->reason, "the data are not finite");
        return STI_OK;
    }
    solver g = {.s = {.p = p, .options = options, .r = run->r, .stop_at = INFINITY},
                .run = run,
                .tol = options->tol,
                .slack = 1};
    g.sweep_limit = options->max_iterations > 0 ? options->max_iterations : SWEEP_LIMIT;
    if (options->time_limit_s > 0) g.s.stop_at = sti_clock() + options->time_limit_s;
    sti_status status = reserve(p->env, p->nc, &g);
    if (status == STI_OK) {
        prepare_contacts(&g, options->relaxation > 0 && options->relaxation < 2 ? options->relaxation : 1);
        status = find_islands(p->env, &g);
    }
    if (status == STI_OK) status = open_lanes(p->env, &g);
    if (status == STI_OK) solve(&g);
    clear(p->env, &g);
    return status;
}
