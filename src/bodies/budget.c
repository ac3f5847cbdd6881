// budget.c: how much work an island gets: a step has a bounded cost, whatever it is asked.
//
// sti_contact_solve tries a ladder of methods (docs/contact.md). One of its rungs, pivots on facets for up to 60
// contacts, ends with decisions in exact numbers. Where joints leave no motion that opens all gaps, forces run away,
// and such a decision among more than a few contacts takes minutes; a step does not need the proof. So an island gets
//
//     without links, or with few acts, or with too many for that rung    the ladder
//     the others (`hard`)     its first rungs, sweeps and Newton's method, which settle almost all; then the methods
//                             without exact numbers, one after the other, each from the last point
//     what is far from solved then    Newton's method once more, from no forces at all
//
// An island is asked for more than the step as a whole (forces.c). One that missed it by less than CLOSE times may be
// good enough, which only the whole tells; if it is not, less is asked for next, and it is far then.
//
// Both are tables (base/portfolio.h), and every use is told with its reason by sti_world_attempts. A world with a
// solver of the caller's choice uses that one alone. Every limit counts iterations; no clock takes part.
#include <math.h>
#include <string.h>

#include "base/portfolio.h"
#include "bodies/motion.h"

enum {
    FEW = 3,  // acts of an island
    MANY = 60,
    PATIENCE = 2000,  // iterations
    COLD = STI_STAGE_OWN,
};
#define CLOSE 3  // residual over what is asked for; tried on the walls of bench/bodies

typedef struct settling {
    sti_world* world;
    sti_acts* acts;
    const double* v_free;
    double tol;
    sti_solve_report report;  // of the islands that are not left out
} settling;

static bool is_far(const void* self) {
    const settling* k = self;
    return !(k->report.residual <= CLOSE * k->tol);
}

static const sti_stage easy_stages[] = {
    {STI_CONTACT_AUTO, PATIENCE, NULL, 0, NULL},
    {STI_CONTACT_NEWTON, 1000, is_far, COLD, "again, from forces of zero"},
};

static const sti_stage hard_stages[] = {
    {STI_CONTACT_AUTO, 76, NULL, 0, NULL},
    {STI_CONTACT_NEWTON, 100, NULL, 0, "bodies with joints, not solved yet: Newton from there"},
    {STI_CONTACT_GS, 1000, NULL, 0, "not solved by Newton: sweeps"},
    {STI_CONTACT_ADMM, 2000, NULL, 0, "not solved by sweeps: alternating directions"},
    {STI_CONTACT_NEWTON, 100, NULL, 0, "Newton from the point of ADMM"},
    {STI_CONTACT_BB, 1000, NULL, 0, "gradient steps from the point of Newton"},
    {STI_CONTACT_NEWTON, 100, NULL, 0, "Newton, the last attempt"},
    {STI_CONTACT_NEWTON, 1000, is_far, COLD, "again, from forces of zero"},
};

// Does a body that the act moves hang on a joint or a spring?
static bool linked(const sti_world* world, const sti_act* act) {
    const sti_links* k = &world->solve->links;
    const sti_row* row = act->row[0] != NULL ? act->row[0] : act->row[1];
    const int body[2] = {row->a, row->b};
    for (int side = 0; side < 2; side++) {
        const int slot = sti_slot_of(world, body[side]);
        if (slot >= 0 && k->assembly[k->assembly_of[slot]].row_count > 0) return true;
    }
    return false;
}

static bool is_hard(const sti_world* world, const sti_acts* acts, int root) {
    int count = 0;
    bool links = false;
    for (int c = world->solve->room.first[root]; c >= 0; c = world->solve->room.next[c]) {
        links = links || linked(world, &acts->act[c]);
        count++;
    }
    return links && count > FEW && count <= MANY;
}

// Marks in `left_out` all islands but the hard ones, or but the others. False: none is left.
static bool choose(const sti_world* world, const sti_acts* acts, bool hard, const unsigned char* skip,
                   unsigned char* left_out) {
    bool any = false;
    for (int root = 0; root < world->moving; root++) {
        left_out[root] = 1;
        if ((skip != NULL && skip[root]) || world->solve->room.first[root] < 0) continue;
        if (is_hard(world, acts, root) != hard) continue;
        left_out[root] = 0;
        any = true;
    }
    return any;
}

static sti_status solve_by(const settling* k, const sti_stage_use* use, sti_solve_report* report) {
    const sti_island_way way = {(sti_contact_solver)use->stage->method, k->tol, use->limit, use->why,
                                k->world->solve->left_out};
    return sti_islands_solve(k->world, k->acts, k->v_free, &way, report);
}

// Of two reports on different islands.
static void merge(sti_solve_report* report, const sti_solve_report* other) {
    const long iterations = report->iterations + other->iterations;
    const double residual = report->residual > other->residual ? report->residual : other->residual;
    if (!other->solved) *report = *other;
    report->iterations = iterations;
    report->residual = residual;
}

// Once more from no forces at all: those of the last step may lie where every method gets stuck. What is found counts
// if it solves all the islands that are not left out; otherwise the point there was stays.
static sti_status solve_cold(settling* k, const sti_stage_use* use, sti_solve_report* now) {
    sti_world* world = k->world;
    sti_acts* acts = k->acts;
    struct sti_world_solve* s = world->solve;
    const size_t d = (size_t)world->dim, numbers = d * (size_t)acts->count;
    sti_status status = sti_room(world->env, (void**)&s->warm_r, &s->warm_room, numbers, sizeof(double));
    if (status != STI_OK) return status;
    memcpy(s->warm_r, acts->r, numbers * sizeof(double));
    memset(acts->r, 0, numbers * sizeof(double));
    for (int i = 0; i < acts->count; i++) {  // islands that are left out keep theirs
        const int slot = sti_act_slot(world, &acts->act[i]);
        if (slot < 0 || s->left_out[sti_islands_root(world, slot)])
            memcpy(acts->r + (size_t)i * d, s->warm_r + (size_t)i * d, d * sizeof(double));
    }
    status = solve_by(k, use, now);
    if (status == STI_OK && now->solved) return STI_OK;
    memcpy(acts->r, s->warm_r, numbers * sizeof(double));
    const long iterations = now->iterations;
    *now = k->report;
    now->iterations = iterations;
    return status;
}

static sti_status use_stage(void* self, sti_stage_use* use) {
    settling* k = self;
    sti_solve_report now = {0};
    const sti_status status = (use->stage->flags & COLD) != 0 ? solve_cold(k, use, &now) : solve_by(k, use, &now);
    now.iterations += k->report.iterations;
    k->report = now;
    use->residual = now.solved ? 0 : INFINITY;
    return status;
}

static sti_status walk(settling* k, const sti_stage* stages, size_t count) {
    sti_portfolio all = {.env = k->world->env,
                         .stages = stages,
                         .count = (int)count,
                         .caller = k,
                         .use = use_stage,
                         .deadline = INFINITY,
                         .residual = INFINITY};
    k->report = (sti_solve_report){.solved = true};
    return sti_portfolio_run(&all);
}

sti_status sti_islands_settle(sti_world* world, sti_acts* acts, const double* v_free, double tol,
                              const unsigned char* skip, sti_solve_report* report) {
    unsigned char* left_out = world->solve->left_out;
    *report = (sti_solve_report){.solved = true};
    if (world->options.solver != STI_CONTACT_AUTO) {
        const sti_island_way asked = {world->options.solver, tol, PATIENCE, NULL, skip};
        return sti_islands_solve(world, acts, v_free, &asked, report);
    }
    settling k = {.world = world, .acts = acts, .v_free = v_free, .tol = tol};
    if (choose(world, acts, false, skip, left_out)) {
        const sti_status status = walk(&k, easy_stages, sizeof easy_stages / sizeof *easy_stages);
        *report = k.report;
        if (status != STI_OK) return status;
    }
    if (!choose(world, acts, true, skip, left_out)) return STI_OK;
    const sti_status status = walk(&k, hard_stages, sizeof hard_stages / sizeof *hard_stages);
    merge(report, &k.report);
    return status;
}
