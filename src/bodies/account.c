// account.c: what keeps T + V from growing where a step follows curves by straight pieces.
//
// 1. Joint rows are taken half a step ahead, at q (+) (h/2) v*. A step moves along the tangent of the joint's constraint; at the
//    old place that tangent leaves the curve by O(h^2) in a step, on the outside, and mending then lifts a pendulum that swings
//    through its lowest point. The tangent half a step ahead is the chord up to O(h^3). The proof of step.c asks only that
//    forces and motions of the joint use the same rows, wherever they are taken.
//
// 2. Mending moves places alone. Where it raised the potential energy of an island by dV, the island pays with its motion: all its
//    velocities are multiplied by sqrt(1 - dV / T), which leaves joints and closed contacts as they are. An island that
//    cannot pay stops; what it still owes stays in the report.
#include <math.h>
#include <string.h>

#include "bodies/motion.h"

void sti_links_ahead(sti_world* world, double time, const double* v) {
    struct sti_world_solve* s = world->solve;
    const int nv = world->nv;
    if (s->links.joint_rows == 0) return;
    for (int i = 0; i < world->moving; i++) {
        double d[6] = {0};
        bool moves = false;
        for (int k = 0; k < nv; k++) {
            d[k] = time * v[i * nv + k];
            moves = moves || d[k] != 0;
        }
        if (moves) sti_placed_move(world->dim, d, &world->placed[s->body[i]]);
    }
    for (int j = 0; j < world->bodies->joint_count; j++) {
        double defect[6];
        sti_joint_rows(world, j, s->links.row + s->links.joint_first[j], defect);
    }
    memcpy(world->placed, s->kept, (size_t)world->bodies->count * sizeof *s->kept);
}

double sti_world_pay(sti_world* world, double* before) {
    const struct sti_world_solve* s = world->solve;
    const int nv = world->nv, count = world->bodies->count;
    double owed = 0, *rise = before, *now = before + count, *kinetic = now + count;
    sti_world_potential(world, now);
    for (int i = 0; i < count; i++) {
        rise[i] = now[i] - before[i];
        kinetic[i] = sti_body_kinetic(world, i, world->v);
    }
    for (int i = 0; i < world->moving; i++) {
        const int root = s->body[sti_islands_root(world, i)], body = s->body[i];
        if (root == body) continue;
        rise[root] += rise[body];
        kinetic[root] += kinetic[body];
    }
    for (int i = 0; i < world->moving; i++) {
        const int body = s->body[i];
        if (sti_islands_root(world, i) != i) continue;
        const double part = kinetic[body] > 0 && rise[body] > 0 ? sqrt(fmax(0, 1 - rise[body] / kinetic[body])) : 1;
        owed += rise[body] - (1 - part * part) * kinetic[body];
        kinetic[body] = part;
    }
    for (int i = 0; i < world->moving; i++) {
        const double part = kinetic[s->body[sti_islands_root(world, i)]];
        for (int k = 0; k < nv && part != 1; k++) world->v[i * nv + k] *= part;
    }
    return owed;
}
