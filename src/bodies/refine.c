// refine.c: contacts that sink although their step is solved: light bodies between heavy ones.
//
// The residual of a step is measured against all of its forces (docs/contact.md). A contact at a body of mass m may
// then close by
//
//     h u_n  ~  tol h |r| / m
//
// beyond its gap: with masses that differ by 1e5, micrometres in every step, in a step that is solved to 1e-8. Mending
// would lift it again, step after step. So islands in which a contact or a limit closes by more than SUNK lengths of
// the scene are solved once more, to a tolerance that is smaller by as much, by sweeps and Newton's method from the
// point there is. What comes out is kept where things sink less and the whole step is solved as before.
#include <math.h>
#include <string.h>

#include "bodies/motion.h"

enum { PATIENCE = 76, ROUNDS = 2 };
#define SUNK 1e-8  // lengths of the scene, at the tolerance that worlds have by default; more where less is asked
#define DEFAULT_TOL 1e-8
#define SHARPEST 1e-5  // of tol

// The farthest that something closes beyond its gap in this step, in lengths of the scene. Islands without are marked
// in `skip`.
static double sunk(const sti_world* world, double allowed, unsigned char* skip) {
    const struct sti_world_solve* s = world->solve;
    double most = 0;
    memset(skip, 1, (size_t)world->moving);
    for (int root = 0; root < world->moving; root++) {
        for (int c = s->room.first[root]; c >= 0 && s->rest[root] != STI_REST_PROVED; c = s->room.next[c]) {
            const sti_act* act = &s->acts.act[c];
            if (act->pressed) continue;
            const double unit = act->kind == STI_ACT_CONTACT ? world->size : fmax(world->size, 1);
            const double way = -world->options.h * s->posed.u[c * world->dim] / unit;
            most = fmax(most, way);
            if (way > allowed) skip[root] = 0;
        }
    }
    return most;
}

sti_status sti_world_sharpen(sti_world* world, sti_world_report* report) {
    struct sti_world_solve* s = world->solve;
    const double tol = world->options.tol;
    const size_t numbers = (size_t)(world->dim * s->acts.count), rows = (size_t)s->links.row_count;
    const double allowed = SUNK * fmax(1, tol / DEFAULT_TOL);
    for (int round = 0; round < ROUNDS && s->posed.judged <= tol; round++) {
        const double before = sunk(world, allowed, s->skip), judged = s->posed.judged;
        if (!(before > allowed)) return STI_OK;
        sti_status status =
            sti_room(world->env, (void**)&s->settled_r, &s->settled_room, numbers + rows, sizeof(double));
        if (status != STI_OK) return status;
        memcpy(s->settled_r, s->acts.r, numbers * sizeof(double));
        memcpy(s->settled_r + numbers, s->links.l, rows * sizeof(double));
        sti_solve_report now;
        const double sharp = tol * fmax(SHARPEST, 0.1 * allowed / before) * fmin(1, judged / tol);
        const sti_island_way way = {world->options.solver, sharp, PATIENCE,
                                    "bodies sank into each other: a smaller tolerance", s->skip};
        status = sti_islands_solve(world, &s->acts, s->v_free, &way, &now);
        if (status != STI_OK) return status;
        report->iterations += now.iterations;
        sti_step_velocities(world);
        status = sti_world_posed_measure(world);
        if (status != STI_OK) return status;
        if (s->posed.judged <= fmax(judged, 0.1 * tol) && sunk(world, allowed, s->skip) < before) continue;
        memcpy(s->acts.r, s->settled_r, numbers * sizeof(double));
        memcpy(s->links.l, s->settled_r + numbers, rows * sizeof(double));
        sti_step_velocities(world);
        return sti_world_posed_measure(world);
    }
    return STI_OK;
}
