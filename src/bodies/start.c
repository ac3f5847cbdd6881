// start.c: places and velocities that fit the joints: at the start (S3 1.3.5 to 1.3.8), and after every step.
//
// Places. A step holds joints and contacts at the level of velocities, so places drift by O(h^2) in a step. Mending is
// a projection in the metric of M, by Newton's method: at the present places find the displacement d (dx, rotation
// vector) of
//
//     min 1/2 d'M d      subject to      G'd + defect = 0,      n'd + gap >= 0 (contacts and limits)
//
// move by it, look again, until the worst defect is below the tolerance. Its conditions are M d = H r + G l and 0 <=
// r_n _|_ n'd + gap >= 0: a contact problem without friction, which the islands of islands.c solve. Velocities stay.
//
// An island of LARGE contacts or more that moves makes new overlaps in every step, and its problems are the expensive
// ones. It gets a round, seldom two or three, in which SHARE of the overlaps may be left; sweeps (sweeps.c) find that
// without a factorization.
//
// What is proved: after success every defect is below tol lengths of the scene, measured anew; in large islands that
// move, what is left is measured and reported. The displacement is the least one up to second order. Joints that
// contradict each other (a loop that cannot close) leave a defect: the rows that links.c found dependent are the ones
// that stay open, and the call says how far.
//
// Velocities. v moves to the nearest v, in the metric of M, with G'v = 0: one solve.
#include <math.h>
#include <string.h>

#include "bodies/motion.h"

enum {
    ROUNDS_STEP = 30,
    ROUNDS_START = 60,
    ROUNDS_LARGE = 3,
    LARGE = 400,    // contacts of an island
    PATIENCE = 76,  // iterations: sweeps and Newton's method, no proofs that gaps cannot all be opened
};
#define FINE 1e-9      // tolerance of a round
#define SHARE 0.02     // the same of large islands, over the residual that the overlaps are
#define COARSE 1e-3    //   and at most
#define MENDED 0.1     // overlap of a large island that may be left to the next step, over what there was
#define MOST_TURN 0.3  // radians in a round: rows are trusted no farther
#define FARTHEST 0.5   // lengths of the scene in a round

// A row that turns without moving anything measures an angle.
bool sti_row_is_turn(const sti_world* world, const sti_row* row) {
    double linear = 0;
    for (int side = 0; side < sti_row_sides(row); side++) {
        const double* j;
        sti_row_side(row, side, &j);
        for (int i = 0; i < world->dim; i++) linear += fabs(j[i]);
    }
    return !(linear > 0);
}

static double defect_length(const sti_world* world, int row) {
    const sti_links* k = &world->solve->links;
    return fabs(k->defect[row]) * (sti_row_is_turn(world, &k->row[row]) ? world->size : 1);
}

double sti_world_drift_rate(const sti_world* world) {
    const sti_links* k = &world->solve->links;
    double worst = 0;
    for (int i = 0; i < k->joint_rows; i++) {
        const double rate = fabs(sti_row_apply(world, &k->row[i], world->v));
        worst = fmax(worst, rate * (sti_row_is_turn(world, &k->row[i]) ? world->size : 1));
    }
    return worst;
}

double sti_world_drift(const sti_world* world, int* joint) {
    const sti_links* k = &world->solve->links;
    double worst = 0;
    *joint = -1;
    for (int j = 0; j < world->bodies->joint_count; j++) {
        for (int i = k->joint_first[j]; i < k->joint_first[j + 1]; i++) {
            const double defect = defect_length(world, i);
            if (defect > worst || isnan(defect)) {
                worst = defect;
                *joint = j;
            }
        }
    }
    return worst;
}

double sti_world_penetration(const sti_world* world) {
    double worst = 0;
    for (int c = 0; c < world->contact_count; c++) worst = fmax(worst, -world->contact[c].at.gap);
    return worst;
}

double sti_world_read_limits(sti_world* world) {
    double worst = 0;
    for (int at = 0; at < 2 * world->bodies->joint_count; at++) {
        if (at % 2 >= sti_joint_axis_count(world->dim, world->bodies->joint[at / 2].kind)) continue;
        const double c = sti_axis_read(world, at);
        worst = fmax(worst, -fmin(c - world->axis[at].lower, world->axis[at].upper - c));
    }
    return worst;
}

static void add_limits(sti_world* world, sti_acts* acts) {
    struct sti_world_solve* s = world->solve;
    for (int at = 0; at < 2 * world->bodies->joint_count; at++) {
        if (at % 2 >= sti_joint_axis_count(world->dim, world->bodies->joint[at / 2].kind)) continue;
        const sti_row* row = &s->axis_row[2 * at];
        if (row->a < 0 && row->b < 0) continue;
        const double gap[2] = {s->coordinate[at] - world->axis[at].lower, world->axis[at].upper - s->coordinate[at]};
        for (int side = 0; side < 2; side++) {
            if (!(gap[side] <= 0.1 * fmax(world->size, 1))) continue;
            sti_act* act = sti_acts_add(world, acts, STI_ACT_LIMIT, at);
            act->row[0] = row + side;
            act->w[0] = gap[side];
        }
    }
}

static sti_status list_acts(sti_world* world, bool with_contacts) {
    sti_acts* acts = &world->solve->extra;
    const int most = (with_contacts ? world->contact_count + 4 * world->bodies->joint_count : 0);
    const sti_status status = sti_acts_begin(world, acts, most);
    if (status != STI_OK || !with_contacts) return status;
    for (int c = 0; c < world->contact_count; c++) {
        sti_act* act = sti_acts_add(world, acts, STI_ACT_CONTACT, c);
        act->row[0] = &world->contact[c].row[0];
        act->w[0] = world->contact[c].at.gap;
    }
    add_limits(world, acts);
    return STI_OK;
}

// In motion overlaps come back with every step, and a large island leaves a part of them to the next one.
static bool may_be_coarse(const sti_world* world) {
    const sti_island_room* room = &world->solve->room;
    bool moves = false;
    for (int i = 0; i < world->nv * world->moving && !moves; i++) moves = world->v[i] != 0;
    for (int root = 0; root < world->moving && moves; root++) {
        int count = 0;
        for (int c = room->first[root]; c >= 0; c = room->next[c]) count++;
        if (count >= LARGE) return true;
    }
    return false;
}

// Of a round in which a small part of the overlaps may be left. d: displacement by joints alone.
static double coarse_tol(const sti_world* world, const double* d) {
    const sti_acts* acts = &world->solve->extra;
    double overlap = 0, all = 0;
    for (int c = 0; c < acts->count; c++) {
        const sti_row* row = acts->act[c].row[0];
        const double mass = sti_row_mass(world, row, row), q = sti_row_apply(world, row, d) + acts->act[c].w[0];
        if (!(mass > 0)) continue;
        all += q * q / (mass * mass);
        if (q < 0) overlap += q * q / (mass * mass);
    }
    return all > 0 ? fmax(FINE, fmin(COARSE, SHARE * sqrt(overlap / all))) : FINE;
}

// d (moving x nv): the displacement. *with_contacts becomes false where the gaps cannot all be opened: then joints
// alone. *large: gaps were opened nearly, because that is what large islands in motion get.
static sti_status displacement(sti_world* world, double h, bool* with_contacts, bool* large, double* d) {
    struct sti_world_solve* s = world->solve;
    const size_t n = (size_t)(world->nv * world->moving);
    sti_status status = list_acts(world, *with_contacts);
    if (status == STI_OK) status = sti_islands_find(world, &s->extra);
    if (status != STI_OK) return status;
    sti_links_factor(world, 1, h);
    memset(d, 0, n * sizeof *d);
    sti_links_solve(world, s->links.defect, d, s->links.trial);
    if (s->extra.count == 0) return STI_OK;
    sti_solve_report report;
    memset(s->skip, 0, (size_t)world->moving);
    for (int root = 0; root < world->moving; root++) {  // islands in which the joints alone leave every gap open
        bool open = true;
        for (int c = s->room.first[root]; c >= 0 && open; c = s->room.next[c]) {
            const sti_act* act = &s->extra.act[c];
            open = sti_row_apply(world, act->row[0], d) + act->w[0] >= 0;
        }
        s->skip[root] = open;
    }
    *large = may_be_coarse(world);
    const sti_island_way way = {world->options.solver, *large ? coarse_tol(world, d) : FINE, PATIENCE,
                                "to move bodies out of overlaps", s->skip};
    status = sti_islands_solve(world, &s->extra, d, &way, &report);
    if (status != STI_OK) return status;
    *with_contacts =
        report.solved || report.residual <= COARSE;  // what is left is measured, and goes into another round
    if (!*with_contacts) return STI_OK;
    memset(s->g, 0, n * sizeof *s->g);
    sti_acts_add_forces(world, &s->extra, s->extra.r, s->g);
    sti_world_mass_solve(world, s->g, d);
    sti_links_solve(world, s->links.defect, d, s->links.trial);
    return STI_OK;
}

// Moves every body by d, shortened where it goes too far to be trusted. The longest way of a point.
static double move(sti_world* world, double* d) {
    const int nv = world->nv, linear = world->dim;
    double turn = 0, way = 0, farthest = 0;
    for (int i = 0; i < world->moving; i++) {
        double x = 0, phi = 0;
        for (int k = 0; k < linear; k++) x += d[i * nv + k] * d[i * nv + k];
        for (int k = linear; k < nv; k++) phi += d[i * nv + k] * d[i * nv + k];
        turn = fmax(turn, sqrt(phi));
        way = fmax(way, sqrt(x));
        farthest = fmax(farthest, sqrt(x) + sqrt(phi) * world->size);
    }
    double part = 1;
    if (turn > MOST_TURN) part = MOST_TURN / turn;
    if (part * way > FARTHEST * world->size) part = FARTHEST * world->size / way;
    for (int body = 0; body < world->bodies->count; body++) {
        const int slot = world->slot[body];
        if (slot < 0) continue;
        double step[6] = {0};
        for (int k = 0; k < nv; k++) step[k] = part * d[slot * nv + k];
        sti_placed_move(world->dim, step, &world->placed[body]);
    }
    return part * farthest;
}

sti_status sti_world_mend(sti_world* world, double tol, bool with_contacts, double* moved, double* left) {
    struct sti_world_solve* s = world->solve;
    const int rounds = with_contacts ? ROUNDS_STEP : ROUNDS_START;
    double last = INFINITY, overlap = 0;
    bool open_gaps = with_contacts, large = false;
    *moved = 0;
    for (int round = 0;; round++) {
        int joint;
        sti_status status = sti_links_collect(world, world->v);
        if (status == STI_OK && with_contacts) status = sti_world_look(world);
        if (status != STI_OK) return status;
        *left = sti_world_drift(world, &joint);
        const double others = with_contacts ? fmax(*left, sti_world_read_limits(world)) : *left;
        const double deep = with_contacts ? sti_world_penetration(world) : 0;
        if (round == 0) overlap = deep;
        *left = isnan(deep) ? deep : fmax(others, deep);
        if (isnan(*left)) return STI_FAIL(world->env, STI_ERR_INPUT, joint, "places are not finite numbers any more");
        if (*left <= tol * world->size || round == rounds) return STI_OK;
        if (round > 3 && *left <= 1e3 * tol * world->size && *left > 0.5 * last) return STI_OK;  // rounding
        if (large && others <= tol * world->size && (deep <= MENDED * overlap || round >= ROUNDS_LARGE)) return STI_OK;
        last = *left;
        status = displacement(world, with_contacts ? world->options.h : 0, &open_gaps, &large, s->mended);
        if (status != STI_OK) return status;
        const double way = move(world, s->mended);
        s->detected = false;
        if (!(way > 0)) return STI_OK;
        *moved += way;
    }
}

sti_status sti_world_mend_velocity(sti_world* world, double* moved) {
    struct sti_world_solve* s = world->solve;
    const size_t n = (size_t)(world->nv * world->moving);
    const sti_status status = sti_links_collect(world, world->v);
    if (status != STI_OK) return status;
    sti_links_factor(world, 1, 0);
    memcpy(s->mended, world->v, n * sizeof *s->mended);
    sti_links_solve(world, NULL, world->v, s->links.trial);
    *moved = 0;
    for (size_t i = 0; i < n; i++) *moved = fmax(*moved, fabs(world->v[i] - s->mended[i]));
    return STI_OK;
}

static double energy(const sti_world* world) {
    return sti_world_kinetic(world, world->v) + sti_world_potential(world, NULL);
}

// A velocity that the joints change by rounding only is left as it was given.
sti_status sti_world_start(sti_world* world) {
    const double tol = 1e-12, enough = 1e-9, before = energy(world);
    double left;
    int joint;
    sti_status status = sti_world_mend(world, tol, false, &world->fit.moved, &left);
    if (status != STI_OK) return status;
    if (left > enough * world->size) {
        sti_world_drift(world, &joint);
        return STI_FAIL(world->env, STI_ERR_INPUT, joint,
                        "joint \"%s\": the joints cannot all be closed; %g of length is left open here",
                        world->bodies->joint[joint].name, left);
    }
    status = sti_world_mend_velocity(world, &world->fit.speed);
    if (status != STI_OK) return status;
    double fastest = 0;
    for (int i = 0; i < world->nv * world->moving; i++) fastest = fmax(fastest, fabs(world->v[i]));
    world->fit.energy = energy(world) - before;
    if (world->fit.moved <= enough * world->size) world->fit.moved = 0;
    if (world->fit.speed <= enough * fastest) world->fit.speed = 0;
    if (world->fit.moved == 0 && world->fit.speed == 0) world->fit.energy = 0;
    return STI_OK;
}
