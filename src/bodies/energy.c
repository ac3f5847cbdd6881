// energy.c: what keeps T + V from growing where a step follows curves by straight pieces.
//
// 1. Joint rows are taken half a step ahead, at q (+) (h/2) v*. A step moves along the tangent of the joint's
//    constraint; at the old place that tangent leaves the curve by O(h^2) in a step, on the outside, and mending then
//    lifts a pendulum that swings through its lowest point. The tangent half a step ahead is the chord up to O(h^3).
//    The proof of step.c asks only that forces and motions of the joint use the same rows, wherever they are taken.
//
// 2. What a straight piece adds is paid from motion. The proof of step.c holds for springs along rows that keep their
//    direction and for problems that were solved; whatever else happened, at the end every island compares T + V with
//    what it had before and with the work done on it. What is too much it pays: its velocities are multiplied by
//
//        sqrt(1 - due / T)
//
//    which leaves joints and closed contacts as they are. If T does not suffice, the potential energy at the end of the
//    way is too high for any velocity, and the island goes a part of the way only, with that part of its velocity: 1/2,
//    1/4, ..., and at last it stays and stops. So T + V never grows by more than the work, up to tol of the energies,
//    by construction.
//
//    A way that turns bodies by radians tears their joints apart, and no mending closes them again: it is shortened as
//    well.
//
// 3. Mending moves places alone. Where it raised the potential energy of an island, the island pays in the same way;
//    one that cannot stops. What a tolerance lets sink, OVERDRAWN of the energies at most, is not asked for in a step
//    that has lost as much: a body that slowly begins to slip would be stopped in every step, and creep. What an island
//    still owes must not exceed what the step has lost: a step goes out along straight rows under a strong spring,
//    mending brings it back against the spring, and both together would pump energy. So T + V after mending is compared
//    with the beginning of the step once more, over bodies that hang together in the step or in mending. Those that
//    have too much go half as far, 1/4, ..., at last nothing, and are mended from there; a step in which that happened
//    says so. Hence the whole step adds nothing. An overlap that a step makes and mending cannot open shortens its way
//    in the same manner.
//
// 4. Two kinds of islands begin a step with a joint open or an overlap. Where a caller gave the place of one of the
//    bodies (world->given: at the start, or by sti_world_set, until nothing of it is open any more), they are mended
//    whatever that takes, and `mended` says what it took; if even that cannot close and open everything (joints that
//    hold two bodies in each other), it is taken back. What an earlier step left is lifted only as far as motion pays:
//    if it does not, mending is taken back and the overlap stays, provided that the step has not made it deeper; if it
//    has, its way is shortened.
#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "bodies/motion.h"

enum { SHORTENINGS = 10, OPEN = 1, DEEP = 2 };
enum { LEFT = 1, GIVEN = 2 };  // overlaps at the beginning: by an earlier step, by the caller
#define OVERDRAWN 0.1          // of tol, of the energies: what mending may add
#define THERE 1e3              // of stabilize_tol: an open joint or an overlap that was there before the step
#define DEEPER 10.0            // of stabilize_tol: what a step may add to one
#define TOO_DEEP 0.01          // lengths of the scene: an overlap that mending should have opened
#define TURN 0.3               // radians in a step from which on joints are looked at
#define TORN 0.5               // lengths of the scene, or radians
#define ROUNDING 1e-14         // of the energies added up: no due

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

double sti_links_open(sti_world* world, const double* v, double* open) {
    struct sti_world_solve* s = world->solve;
    const int nv = world->nv;
    const double h = world->options.h;
    double worst = 0;
    for (int i = 0; i < world->moving; i++) {
        double d[6] = {0};
        for (int k = 0; k < nv; k++) d[k] = h * v[i * nv + k];
        sti_placed_move(world->dim, d, &world->placed[s->body[i]]);
    }
    sti_world_turned_update(world);
    for (int j = 0; j < world->bodies->joint_count; j++) {
        sti_row rows[6];
        double defect[6];
        const int count = sti_joint_rows(world, j, rows, defect);
        for (int i = 0; i < count; i++) {
            worst = fmax(worst, fabs(defect[i]) * (sti_row_is_turn(world, &rows[i]) ? world->size : 1));
            open[s->links.joint_first[j] + i] = defect[i];
        }
    }
    memcpy(world->placed, s->kept, (size_t)world->bodies->count * sizeof *s->kept);
    memcpy(world->turned, s->kept_turned, 2 * (size_t)world->bodies->joint_count * sizeof *s->kept_turned);
    return worst;
}

// ---- energies by body: opened, before mending, now (becomes due), kinetic, size of what was added up

static double* line(const sti_world* world, int which) {
    return world->solve->by_body + (size_t)which * (size_t)world->bodies->count;
}

enum { OPENED, BEFORE, DUE, KINETIC, SIZE };

static void read_energies(sti_world* world) {
    double *due = line(world, DUE), *kinetic = line(world, KINETIC);
    sti_world_potential(world, due);
    for (int i = 0; i < world->bodies->count; i++) kinetic[i] = sti_body_kinetic(world, i, world->v);
}

// Every entry of an island into that of its group's body.
static void gather(const sti_world* world, const int* group, double* x) {
    const struct sti_world_solve* s = world->solve;
    for (int i = 0; i < world->moving; i++) {
        if (group[i] != i) x[s->body[group[i]]] += x[s->body[i]];
    }
}

// v of every island is multiplied so that it pays, or 0; dues up to `spared` (bodies; NULL: none) are not asked for.
// What is owed then, and what was lost before.
static double charge(sti_world* world, const int* group, const double* spared) {
    const struct sti_world_solve* s = world->solve;
    const int nv = world->nv;
    double owed = 0, *due = line(world, DUE), *kinetic = line(world, KINETIC);
    for (int i = 0; i < world->moving; i++) {
        const int body = s->body[i];
        if (group[i] != i) continue;
        const bool pays = kinetic[body] > 0 && due[body] > (spared != NULL ? spared[body] : 0);
        const double part = pays ? sqrt(fmax(0, 1 - due[body] / kinetic[body])) : 1;
        owed += due[body] - (1 - part * part) * kinetic[body];
        kinetic[body] = part;
    }
    for (int i = 0; i < world->moving; i++) {
        const double part = kinetic[s->body[group[i]]];
        for (int k = 0; k < nv && part != 1; k++) world->v[i * nv + k] *= part;
    }
    return owed;
}

// ---- of a step

void sti_account_open(sti_world* world) {
    double *opened = line(world, OPENED), *due = line(world, DUE), *kinetic = line(world, KINETIC);
    read_energies(world);
    for (int i = 0; i < world->bodies->count; i++) opened[i] = due[i] + kinetic[i];
}

void sti_account_share(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    for (int i = 0; i < world->moving; i++) s->group[i] = sti_islands_root(world, i);
    memset(s->work_of, 0, 2 * (size_t)world->moving * sizeof *s->work_of);
}

// due: T + V now less T + V before, over each group. size: what was added up.
static void read_dues(sti_world* world, const int* group) {
    double *due = line(world, DUE), *kinetic = line(world, KINETIC), *size = line(world, SIZE);
    const double *opened = line(world, OPENED), *g = world->bodies->gravity;
    const double pull = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    read_energies(world);
    for (int i = 0; i < world->bodies->count; i++) {
        const double* x = world->placed[i].x;
        size[i] = fabs(due[i]) + kinetic[i] + fabs(opened[i]) +
                  world->bodies->mass[i].mass * pull * (fabs(x[0]) + fabs(x[1]) + fabs(x[2]) + world->size);
        due[i] += kinetic[i] - opened[i];
    }
    gather(world, group, due);
    gather(world, group, kinetic);
    gather(world, group, size);
}

// The way becomes part h u, and the velocity that of such a way.
static void go_part(sti_world* world, int slot, double part) {
    const struct sti_world_solve* s = world->solve;
    const int body = s->body[slot], nv = world->nv;
    double d[6] = {0};
    world->placed[body] = s->kept[body];
    for (int k = 0; k < nv; k++) {
        d[k] = part * world->options.h * s->u[slot * nv + k];
        world->v[slot * nv + k] = part * s->v_end[slot * nv + k];
    }
    if (part > 0) sti_placed_move(world->dim, d, &world->placed[body]);
}

// Every group to its part of the way. *work: loses what is not done then.
static void go_parts(sti_world* world, double* work) {
    struct sti_world_solve* s = world->solve;
    bool any = false;
    for (int i = 0; i < world->moving; i++) {
        const double part = s->part[s->group[i]];
        if (s->group[i] == i) *work -= (1 - part) * s->work_of[i];
        if (part == 1) continue;
        go_part(world, i, part);
        any = true;
    }
    if (!any) return;
    memcpy(world->turned, s->kept_turned, 2 * (size_t)world->bodies->joint_count * sizeof *world->turned);
    sti_world_turned_update(world);
    s->detected = false;
}

static void blame(sti_world* world, sti_short_cause cause, double by) {
    struct sti_world_solve* s = world->solve;
    if (s->cause != STI_SHORT_NOT) return;
    s->cause = cause;
    s->short_by = by;
}

// Bodies that turn far in a step leave the tangents of their joints, too far to be mended: groups with such a joint
// are marked.
static void mark_torn(sti_world* world, unsigned char* torn) {
    struct sti_world_solve* s = world->solve;
    const int nv = world->nv;
    double turn = 0;
    memset(torn, 0, (size_t)world->moving);
    for (int i = 0; i < world->moving; i++) {
        for (int k = world->dim; k < nv; k++) turn = fmax(turn, world->options.h * fabs(s->u[i * nv + k]));
    }
    if (s->links.joint_rows == 0 || turn <= TURN) return;
    for (int j = 0; j < world->bodies->joint_count; j++) {
        sti_row row[6];
        double defect[6];
        const int rows = sti_joint_rows(world, j, row, defect);
        for (int i = 0; i < rows; i++) {
            const int slot_a = sti_slot_of(world, row[i].a);
            const int slot = slot_a >= 0 ? slot_a : sti_slot_of(world, row[i].b);
            const double before = fabs(s->links.defect[s->links.joint_first[j] + i]);
            if (slot < 0 || !(fabs(defect[i]) > fmax(TORN * world->size, 2 * before))) continue;
            torn[s->group[slot]] = 1;
            if (s->cause != STI_SHORT_NOT || fabs(defect[i]) <= s->torn_by) continue;
            s->torn_of = j;
            s->torn_by = fabs(defect[i]);
        }
    }
}

// Half as far; nothing at last.
static double shorter(double part) {
    return part > 1.5 / (1 << SHORTENINGS) ? part / 2 : 0;
}

int sti_account_close(sti_world* world, double* work) {
    struct sti_world_solve* s = world->solve;
    double *part = s->part, *due = line(world, DUE), *kinetic = line(world, KINETIC), *size = line(world, SIZE);
    int shortened = 0;
    go_parts(world, work);
    for (;;) {
        bool again = false;
        read_dues(world, s->group);
        mark_torn(world, s->left_out);
        for (int i = 0; i < world->moving; i++) {  // groups
            const int body = s->body[i];
            s->skip[i] = 0;
            if (s->group[i] != i) continue;
            due[body] -= part[i] * s->work_of[i] + s->work_of[world->moving + i];
            if (due[body] <= ROUNDING * size[body]) due[body] = 0;
            const bool paid = due[body] - kinetic[body] <= world->options.tol * size[body];
            if ((paid && !s->left_out[i]) || part[i] == 0) continue;
            blame(world, s->left_out[i] ? STI_SHORT_TORN : STI_SHORT_UNPAID, (due[body] - kinetic[body]) / size[body]);
            *work -= part[i] * s->work_of[i];
            part[i] = shorter(part[i]);
            *work += part[i] * s->work_of[i];
            s->skip[i] = 1;
            again = true;
        }
        if (!again) break;
        for (int i = 0; i < world->moving; i++) {
            if (s->skip[s->group[i]]) go_part(world, i, part[s->group[i]]);
        }
        memcpy(world->turned, s->kept_turned, 2 * (size_t)world->bodies->joint_count * sizeof *world->turned);
        sti_world_turned_update(world);
        s->detected = false;
    }
    for (int i = 0; i < world->moving; i++) shortened += part[s->group[i]] < 1;
    charge(world, s->group, NULL);
    return shortened;
}

// ---- of mending

static void deepen(const sti_world* world, const sti_row* row, double depth, double* deep) {
    for (int side = 0; side < sti_row_sides(row); side++) {
        const double* j;
        const int slot = sti_slot_of(world, sti_row_side(row, side, &j));
        if (slot >= 0) deep[slot] = fmax(deep[slot], depth);
    }
}

// deep (moving): the deepest overlap of every body, joints open and limits passed included. Contacts, defects and
// coordinates are those that were read last.
static void read_depths(const sti_world* world, double* deep) {
    const struct sti_world_solve* s = world->solve;
    memset(deep, 0, (size_t)world->moving * sizeof *deep);
    for (int c = 0; c < world->contact_count; c++)
        deepen(world, &world->contact[c].row[0], -world->contact[c].at.gap, deep);
    for (int i = 0; i < s->links.joint_rows; i++) deepen(world, &s->links.row[i], fabs(s->links.defect[i]), deep);
    for (int at = 0; at < 2 * world->bodies->joint_count; at++) {
        const double c = s->coordinate[at];
        if (at % 2 >= sti_joint_axis_count(world->dim, world->bodies->joint[at / 2].kind)) continue;
        deepen(world, &s->axis_row[2 * at], -fmin(c - world->axis[at].lower, world->axis[at].upper - c), deep);
    }
}

static double there(const sti_world* world) {
    return THERE * world->options.stabilize_tol * world->size;
}

void sti_account_before_mending(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    sti_world_potential(world, line(world, BEFORE));
    memcpy(s->unmended, world->placed, (size_t)world->bodies->count * sizeof *world->placed);
    memcpy(s->unmended_v, world->v, (size_t)(world->nv * world->moving) * sizeof *world->v);
    sti_world_read_limits(world);
    read_depths(world, s->depth + world->moving);
}

// Islands of mending, joined with those of the step, and what each has more than before the step.
static void read_merged(sti_world* world, int* merged) {
    const struct sti_world_solve* s = world->solve;
    double* due = line(world, DUE);
    for (int i = 0; i < world->moving; i++) merged[i] = i;
    for (int i = 0; i < world->moving; i++) {
        sti_sets_join(merged, i, s->group[i]);
        sti_sets_join(merged, i, sti_islands_root(world, i));
    }
    for (int i = 0; i < world->moving; i++) merged[i] = sti_sets_root(merged, i);
    read_dues(world, merged);
    for (int i = 0; i < world->moving; i++) {
        if (s->group[i] == i) due[s->body[merged[i]]] -= s->part[i] * s->work_of[i] + s->work_of[world->moving + i];
    }
}

double sti_account_after_mending(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const double* before = line(world, BEFORE);
    double *due = line(world, DUE), *kinetic = line(world, KINETIC),
           *spared = line(world, SIZE);  // of a merged group, then of each body in it
    int* merged = s->merged;
    read_merged(world, merged);
    for (int i = 0; i < world->moving; i++) {
        const int root = s->body[merged[i]];
        if (merged[i] == i) spared[root] = due[root] <= 0 ? OVERDRAWN * world->options.tol * spared[root] : 0;
    }
    for (int i = 0; i < world->moving; i++) spared[s->body[i]] = spared[s->body[merged[i]]];
    read_energies(world);
    for (int i = 0; i < world->bodies->count; i++) due[i] -= before[i];
    for (int i = 0; i < world->moving; i++) merged[i] = sti_islands_root(world, i);
    gather(world, merged, due);
    gather(world, merged, kinetic);
    return charge(world, merged, spared);
}

void sti_account_begin(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    s->cause = STI_SHORT_NOT;
    s->torn_by = 0;
    read_depths(world, s->depth);
    for (int i = 0; i < world->moving; i++) {
        s->part[i] = 1;
        s->was_open[i] = !(s->depth[i] > there(world)) ? 0 : world->given[s->body[i]] ? GIVEN : LEFT;
    }
}

void sti_account_end(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    sti_world_read_limits(world);
    read_depths(world, s->depth);
    for (int i = 0; i < world->moving; i++) {
        if (s->was_open[i] != GIVEN || s->depth[i] <= there(world)) world->given[s->body[i]] = 0;
    }
}

static int slot_of_row(const sti_world* world, const sti_row* row) {
    return sti_slot_of(world, row->a >= 0 ? row->a : row->b);
}

// What mending left open, by the merged group of its bodies: OPEN, and DEEP where an overlap is deep; the deepest.
static void mark_open(sti_world* world, const int* merged, unsigned char* open) {
    struct sti_world_solve* s = world->solve;
    memset(open, 0, (size_t)world->moving);
    s->deepest = 0;
    for (int i = 0; i < s->links.joint_rows; i++) {
        const int slot = slot_of_row(world, &s->links.row[i]);
        if (slot >= 0 && fabs(s->links.defect[i]) > there(world)) open[merged[slot]] |= OPEN;
    }
    for (int c = 0; c < world->contact_count; c++) {
        const double depth = -world->contact[c].at.gap;
        const int slot = slot_of_row(world, &world->contact[c].row[0]);
        if (slot < 0 || !(depth > there(world))) continue;
        open[merged[slot]] |= OPEN | (depth > TOO_DEEP * world->size ? DEEP : 0);
        s->deepest = fmax(s->deepest, depth);
    }
}

// deeper (moving): whether a merged group was deeper before mending than it was before the step.
static void mark_deeper(sti_world* world, const int* merged, unsigned char* deeper) {
    const struct sti_world_solve* s = world->solve;
    const double *was = s->depth, *is = was + world->moving;
    const double more = DEEPER * world->options.stabilize_tol * world->size;
    double* most = line(world, BEFORE);  // of a merged group, with the body of its root
    memset(deeper, 0, (size_t)world->moving);
    for (int i = 0; i < world->moving; i++) most[s->body[i]] = 0;
    for (int i = 0; i < world->moving; i++) most[s->body[merged[i]]] = fmax(most[s->body[merged[i]]], was[i]);
    for (int i = 0; i < world->moving; i++) {
        if (is[i] > most[s->body[merged[i]]] + more) deeper[merged[i]] = 1;
    }
}

bool sti_account_overdrawn(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    double *due = line(world, DUE), *size = line(world, SIZE);
    int* merged = s->merged;
    bool any = false;
    read_merged(world, merged);
    memset(s->skip, 0, (size_t)world->moving);
    for (int i = 0; i < world->moving; i++) {
        if (s->was_open[i] > s->skip[merged[i]]) s->skip[merged[i]] = s->was_open[i];
    }
    mark_open(world, merged, s->left_out);
    mark_deeper(world, merged, s->deeper);
    for (int i = 0; i < world->moving; i++) {  // groups
        const int body = s->body[merged[i]];
        const bool deep = (s->left_out[merged[i]] & DEEP) != 0;
        const bool stays = s->skip[merged[i]] == GIVEN || (s->skip[merged[i]] == LEFT && !s->deeper[merged[i]]);
        if (s->group[i] != i || stays || s->part[i] == 0) continue;
        if (!deep && due[body] <= OVERDRAWN * world->options.tol * size[body]) continue;
        blame(world, deep ? STI_SHORT_DEEP : STI_SHORT_MENDED, deep ? s->deepest : due[body] / size[body]);
        s->part[i] = shorter(s->part[i]);
        any = true;
    }
    for (int i = 0; i < world->moving && !any; i++) {  // taken back
        const int body = s->body[merged[i]], nv = world->nv;
        const bool vain = s->skip[merged[i]] == GIVEN ? s->left_out[merged[i]] != 0
                                                      : s->skip[merged[i]] == LEFT || s->part[s->group[i]] == 0;
        if (!vain || due[body] <= OVERDRAWN * world->options.tol * size[body]) continue;
        world->placed[s->body[i]] = s->unmended[s->body[i]];
        memcpy(world->v + i * nv, s->unmended_v + i * nv, (size_t)nv * sizeof *world->v);
        s->detected = false;
    }
    return any;
}
