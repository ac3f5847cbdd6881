// budget.c: how much work an island gets: a step has a bounded cost, whatever it is asked.
//
// sti_contact_solve tries a ladder of methods (docs/contact.md). One of its rungs, pivots on facets for up to 60
// contacts, ends with decisions in exact numbers. Where joints leave no motion that opens all gaps, forces run away,
// and such a decision among more than a few contacts takes minutes; a step does not need the proof. So an island gets
//
//     without links, or with few acts, or with too many for that rung    the ladder
//     the others (`hard`)     its first rungs, sweeps and Newton's method, which settle almost all; then the methods
//                             without exact numbers, one after the other, each from the last point
//     what is not solved then Newton's method once more, from no forces at all
//
// A world with a solver of the caller's choice uses that one alone. Every limit counts iterations; no clock takes part.
#include <string.h>

#include "bodies/motion.h"

enum {
    FEW = 3,  // acts of an island
    MANY = 60,
    PATIENCE = 2000,  // iterations
};

typedef struct attempt {
    sti_contact_solver solver;
    long limit;
} attempt;

static const attempt attempts[] = {{STI_CONTACT_AUTO, 76},   {STI_CONTACT_NEWTON, 100}, {STI_CONTACT_GS, 1000},
                                   {STI_CONTACT_ADMM, 2000}, {STI_CONTACT_NEWTON, 100}, {STI_CONTACT_BB, 1000},
                                   {STI_CONTACT_NEWTON, 100}};

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

static sti_status solve_by(sti_world* world, attempt by, sti_acts* acts, const double* v_free, double tol,
                           const unsigned char* skip, sti_solve_report* report) {
    sti_solve_report now;
    const sti_status status = sti_islands_solve(world, acts, v_free, by.solver, tol, by.limit, skip, &now);
    now.iterations += report->iterations;
    *report = now;
    return status;
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
static sti_status solve_cold(sti_world* world, sti_acts* acts, const double* v_free, double tol,
                             const unsigned char* left_out, sti_solve_report* report) {
    struct sti_world_solve* s = world->solve;
    const size_t numbers = (size_t)(world->dim * acts->count);
    const attempt cold = {STI_CONTACT_NEWTON, 1000};
    sti_solve_report now = {.iterations = report->iterations};
    sti_status status = sti_room(world->env, (void**)&s->warm_r, &s->warm_room, numbers, sizeof(double));
    if (status != STI_OK) return status;
    memcpy(s->warm_r, acts->r, numbers * sizeof(double));
    memset(acts->r, 0, numbers * sizeof(double));
    for (int i = 0; i < acts->count; i++) {  // islands that are left out keep theirs
        const int slot = sti_act_slot(world, &acts->act[i]);
        if (slot < 0 || left_out[sti_islands_root(world, slot)])
            memcpy(acts->r + (size_t)(i * world->dim), s->warm_r + (size_t)(i * world->dim),
                   (size_t)world->dim * sizeof(double));
    }
    status = solve_by(world, cold, acts, v_free, tol, left_out, &now);
    report->iterations = now.iterations;
    if (status == STI_OK && now.solved)
        *report = now;
    else
        memcpy(acts->r, s->warm_r, numbers * sizeof(double));
    return status;
}

sti_status sti_islands_settle(sti_world* world, sti_acts* acts, const double* v_free, double tol,
                              const unsigned char* skip, sti_solve_report* report) {
    const attempt ladder = {world->options.solver, PATIENCE};
    *report = (sti_solve_report){.solved = true};
    if (world->options.solver != STI_CONTACT_AUTO) return solve_by(world, ladder, acts, v_free, tol, skip, report);
    unsigned char* left_out = world->solve->left_out;
    sti_solve_report hard = {.solved = true};
    sti_status status = STI_OK;
    if (choose(world, acts, false, skip, left_out))
        status = solve_by(world, ladder, acts, v_free, tol, left_out, report);
    if (status == STI_OK && !report->solved) status = solve_cold(world, acts, v_free, tol, left_out, report);
    if (status != STI_OK || !choose(world, acts, true, skip, left_out)) return status;
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts && status == STI_OK; i++) {
        status = solve_by(world, attempts[i], acts, v_free, tol, left_out, &hard);
        if (hard.solved) break;
    }
    if (status == STI_OK && !hard.solved) status = solve_cold(world, acts, v_free, tol, left_out, &hard);
    merge(report, &hard);
    return status;
}
