// box.c: the proof that a push keeps its contact modes over a box of doubts.
//
// Poses, friction and controls are affine forms in the doubts (affine.h). A step with given modes is a linear system,
// S3 (2.4.16) with errata S3-E8 and S3-E9 on its basis (2.4.20): for closed contacts c, with h lambda as unknowns
//
//     E(theta) u = sum W_n lambda_n + W_t lambda_t,    gap + W_n'u - h n'v_tip = 0,    W_t'u - h t'v_tip = 0    (stick)
//                                                                                      lambda_t = -+ mu lambda_n
//                                                                                      (slide+-)
//
// It is eliminated in forms, so that its solution holds those of every member of the box; then q += u. What has to be
// positive:
//
//     lambda_n;   mu lambda_n -+ lambda_t where it sticks;   the slip, in its direction, where it slides;
//     gap less what anything may travel in the step, for every corner, tip and rim against every edge and disc that is
//     no contact; both sides of the foot on the edge of a contact.
//
// So the step of the whole scene, with all contacts there are, has this solution.
//
// Two tips of one probe that stick to one edge (a fork) hold the part in more ways than it can move. With a and b the
// way from tip i to tip j along the edge and into the part, the rows of both gaps give the turn -b / a, and so
//
//     slip_j - slip_i = -b^2 / a,      W_tj = W_ti + (0, 0, b):
//
// two slips that differ, by next to nothing where the fork lies on the edge, and one direction of friction. The law of
// friction at both tips is a path of (lambda_ti, lambda_tj), from both at one end of their cones over slips between 0
// and -+ b^2 / a to both at the other. Where the sum L of both that balances the step is within the two cones together
// along all of that path, it is met somewhere, so there is a solution; and in every one in which both tips press each
// slips by b^2 / |a| at most, for both cannot slide to one side. Eliminated are u, lambda_ni, lambda_nj and L, with the
// slip of i between -+ b^2 / a and b lambda_tj between -+ |b| mu lambda_nj; |b| mu < |a| makes lambda_nj follow from
// lambda_tj. A fork sticks when its tips slip less than the claim takes for sticking.
//
// What of a form is not linear in the doubts is three further doubts for each part in the next step. A box that fails
// is cut across the doubt that the failed condition depends on most; one whose condition is negative for all of it
// refutes the claim.
#include "verify/box.h"

#include <math.h>
#include <stiction/manipulation.h>
#include <string.h>

#include "base/env.h"

const char* sti_doubt_text(sti_doubt_kind kind) {
    static const char* const texts[] = {
#define STI_X(code, text) text,
        STI_DOUBT_LIST(STI_X)
#undef STI_X
    };
    return texts[kind];
}

static bool positive(proof* p, num x, long step, int contact, const char* what) {
    return sti_pieces_positive(&p->pieces, &p->k, &x, "step %ld, contact %d: %s", step, contact, what);
}

// ---- one contact

static void put_wrench(const proof* p, const body* b, place point, place f, int sign, num* row) {
    const int at = 3 * b->part;
    const num rx = minus(p, point.x, b->x), ry = minus(p, point.y, b->y);
    row[at] = scaled(p, f.x, sign);
    row[at + 1] = scaled(p, f.y, sign);
    row[at + 2] = scaled(p, minus(p, times(p, rx, f.y), times(p, ry, f.x)), sign);
}

// Gap, rows of W_n and W_t, and what the motion of a tip adds to both in the step.
static bool measure(proof* p, long step, int i) {
    const sti_push_contact* c = &p->box->contacts[i];
    const body *from = sti_box_body(p, c, c->own), *on = sti_box_body(p, c, !c->own);
    const place at = from->at[from->o.vertex_count > 0 ? c->corner : 0];
    place n;
    num gap;
    if (on->o.vertex_count > 0 && c->face < on->o.vertex_count) {
        const edge e = sti_box_edge(p, on, c->face);
        const num dx = minus(p, at.x, e.from.x), dy = minus(p, at.y, e.from.y),
                  s = box_dot(p, e.along.x, e.along.y, dx, dy);
        n = e.out;
        gap = box_dot(p, n.x, n.y, dx, dy);
        if (!positive(p, s, step, i, "its foot may leave the edge") ||
            !positive(p, minus(p, e.length, s), step, i, "its foot may leave the edge"))
            return false;
    } else {
        const place o = on->at[on->o.vertex_count > 0 ? c->face - on->o.vertex_count : 0];
        const num dx = minus(p, at.x, o.x), dy = minus(p, at.y, o.y), square = box_dot(p, dx, dy, dx, dy);
        const num d = sti_affine_sqrt(&p->k, &square);
        n = (place){sti_affine_div(&p->k, &dx, &d), sti_affine_div(&p->k, &dy, &d)};
        gap = minus(p, d, number(on->o.vertex_count > 0 ? 0 : on->o.radius));
    }
    const double radius = from->o.vertex_count > 0 ? 0 : from->o.radius;
    p->gap[i] = minus(p, gap, number(radius));
    const place point = {minus(p, at.x, scaled(p, n.x, radius)), minus(p, at.y, scaled(p, n.y, radius))};
    const int sign = c->own ? 1 : -1;
    const place in = {scaled(p, n.x, sign), scaled(p, n.y, sign)}, side = {scaled(p, in.y, -1), in.x};
    for (int way = 0; way < 2; way++) {
        const place f = way == 0 ? in : side;
        num* row = p->rows + (size_t)(2 * i + way) * (size_t)(p->unknowns + 1);
        for (int j = 0; j <= p->unknowns; j++) row[j] = number(0);
        put_wrench(p, &p->bodies[c->part], point, f, 1, row);
        if (c->against == STI_PUSH_PART) put_wrench(p, &p->bodies[c->other], point, f, -1, row);
        if (c->against == STI_PUSH_TIP) {
            const place v = p->bodies[p->parts + p->fixtures + c->other].v;
            row[p->unknowns] = scaled(p, box_dot(p, f.x, f.y, v.x, v.y), -p->box->h);
        }
    }
    return p->k.bad ? sti_pieces_fail(&p->pieces, NULL, "step %ld, contact %d: a length may be 0", step, i) : true;
}

// ---- forks

// Two tips of one probe that stick to one edge of one part, and no third one.
static bool are_fork(const proof* p, int i, int j) {
    const sti_push_contact *c = &p->box->contacts[i], *d = &p->box->contacts[j];
    return i != j && p->box->modes[i] == STI_PUSH_STICK && p->box->modes[j] == STI_PUSH_STICK &&
           c->against == STI_PUSH_TIP && d->against == STI_PUSH_TIP && c->part == d->part && !c->own && !d->own &&
           c->face == d->face && c->face < p->bodies[c->part].o.vertex_count &&
           sti_manipulation_tip_probe(p->m, c->other) == sti_manipulation_tip_probe(p->m, d->other);
}

static void find_forks(proof* p) {
    for (int i = 0; i < p->box->contact_count; i++) {
        int count = 0;
        p->partner[i] = -1;
        for (int j = 0; j < p->box->contact_count; j++) {
            if (!are_fork(p, i, j)) continue;
            p->partner[i] = j;
            count++;
        }
        if (count > 1) p->partner[i] = -1;
    }
}

static bool is_first(const proof* p, int i) {
    return p->partner[i] > i;
}

// The second tip of a fork has no row of its own for its slip.
static bool is_second(const proof* p, int i) {
    return p->partner[i] >= 0 && p->partner[i] < i;
}

// Where the force of a contact stands in the solution, and the row of its gap in the system.
static int place_of(const proof* p, int contact) {
    int at = p->unknowns;
    for (int i = 0; i < contact; i++) at += p->box->modes[i] == STI_PUSH_STICK && !is_second(p, i) ? 2 : 1;
    return at;
}

// A slip that counts as none: 1e-10 of the size of the parts.
static double sticking(const proof* p) {
    double size = 0;
    for (int i = 0; i < p->parts; i++) {
        const sti_outline* o = &p->bodies[i].o;
        size = fmax(size, o->radius);
        for (int k = 0; k < o->vertex_count; k++) size = fmax(size, hypot(o->vertices[2 * k], o->vertices[2 * k + 1]));
    }
    return 1e-10 * size;
}

static bool measure_fork(proof* p, long step, int i, double most) {
    const int j = p->partner[i], part = p->box->contacts[i].part;
    const num *rn = p->rows + (size_t)(2 * i) * (size_t)(p->unknowns + 1), *rt = rn + p->unknowns + 1;
    double from[2], to[2], unused[2];
    sti_manipulation_tip(p->m, p->box->contacts[i].other, 0, from, unused);  // both go the same way
    sti_manipulation_tip(p->m, p->box->contacts[j].other, 0, to, unused);
    const num dx = minus(p, number(to[0]), number(from[0])), dy = minus(p, number(to[1]), number(from[1]));
    const num a = box_dot(p, rt[3 * part], rt[3 * part + 1], dx, dy);
    p->lever[i] = a;
    p->skew[i] = box_dot(p, rn[3 * part], rn[3 * part + 1], dx, dy);
    const double low = sti_affine_low(&p->k, &a), high = sti_affine_high(&p->k, &a), b = magnitude(p, p->skew[i]);
    const double along = low > 0 ? low : -high;
    if (!(along > b * fmax(1, magnitude(p, p->mu[j])) * (1 + 1e-12)))
        return sti_pieces_fail(&p->pieces, &p->skew[i],
                               "step %ld, contacts %d and %d: the tips may not lie along the edge", step, i, j);
    p->slip[i] = b * b / along * (1 + 1e-12) + 1e-290;
    p->pieces.margin = fmin(p->pieces.margin, most - p->slip[i]);
    if (p->slip[i] < most) return true;
    return sti_pieces_fail(&p->pieces, &p->skew[i],
                           "step %ld, contacts %d and %d: the part may slip while it aligns with them", step, i, j);
}

// ---- the linear system

static void damping(proof* p, int part, num E[9]) {
    const body* b = &p->bodies[part];
    double B[9], point[3];
    for (int i = 0; i < 9; i++) E[i] = number(0);
    if (!sti_manipulation_support_point(p->m, part, 0, point)) {
        sti_manipulation_damping(p->m, part, 0, B);
        const bool fixed = sti_manipulation_support_fixed(p->m, part);
        const num c = fixed ? number(1) : b->c, s = fixed ? number(0) : b->s;
        const num T[9] = {c, scaled(p, s, -1), number(0), s, c, number(0), number(0), number(0), number(1)};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                for (int a = 0; a < 9; a++)
                    E[3 * i + j] = plus(p, E[3 * i + j], scaled(p, times(p, T[3 * i + a / 3], T[3 * j + a % 3]), B[a]));
            }
        }
        return;
    }
    for (int k = 0; sti_manipulation_support_point(p->m, part, k, point); k++) {
        const num x = minus(p, scaled(p, b->c, point[0]), scaled(p, b->s, point[1]));
        const num y = plus(p, scaled(p, b->s, point[0]), scaled(p, b->c, point[1]));
        const num J[6] = {number(1), number(0), scaled(p, y, -1), number(0), number(1), x};
        for (int j = 0; j < 9; j++)
            E[j] = plus(p, E[j], scaled(p, box_dot(p, J[j / 3], J[3 + j / 3], J[j % 3], J[3 + j % 3]), point[2]));
    }
}

// In place of the second gap: its difference from the first, which is a turn alone.
static void put_turn(proof* p, int i, int at) {
    const int first = p->partner[i];
    for (int j = 0; j < p->unknowns; j++) *box_entry(p, at, j) = number(0);
    *box_entry(p, at, 3 * p->box->contacts[i].part + 2) = scaled(p, p->lever[first], -1);
    *box_entry(p, at, p->order) = p->skew[first];
}

// Unknowns: u, then lambda_n of each contact and lambda_t of those that stick; of a fork the sum at its first tip.
static void pose(proof* p) {
    const int n = p->unknowns;
    for (int i = 0; i < p->order; i++) {
        for (int j = 0; j <= p->order; j++) *box_entry(p, i, j) = number(0);
    }
    for (int i = 0; i < p->parts; i++) {
        num E[9];
        damping(p, i, E);
        for (int j = 0; j < 9; j++) *box_entry(p, 3 * i + j / 3, 3 * i + j % 3) = E[j];
    }
    for (int i = 0, at = n; i < p->box->contact_count; i++) {
        const num *rn = p->rows + (size_t)(2 * i) * (size_t)(n + 1), *rt = rn + n + 1;
        const sti_push_mode mode = p->box->modes[i];
        for (int j = 0; j < n; j++) {
            num load = rn[j];
            if (mode == STI_PUSH_SLIDE_LEFT) load = minus(p, load, times(p, p->mu[i], rt[j]));
            if (mode == STI_PUSH_SLIDE_RIGHT) load = plus(p, load, times(p, p->mu[i], rt[j]));
            *box_entry(p, j, at) = scaled(p, load, -1);
            *box_entry(p, at, j) = rn[j];
        }
        *box_entry(p, at, p->order) = scaled(p, plus(p, p->gap[i], rn[n]), -1);
        if (is_second(p, i)) put_turn(p, i, at);
        at++;
        if (mode != STI_PUSH_STICK || is_second(p, i)) continue;
        for (int j = 0; j < n; j++) {
            *box_entry(p, j, at) = scaled(p, rt[j], -1);
            *box_entry(p, at, j) = rt[j];
        }
        *box_entry(p, at, p->order) = scaled(p, rt[n], -1);
        if (is_first(p, i)) {
            const num force = {.r = p->grip[i]}, slip = {.r = p->slip[i]};
            num* torque = box_entry(p, 3 * p->box->contacts[i].part + 2, p->order);
            *box_entry(p, at, p->order) = plus(p, *box_entry(p, at, p->order), slip);
            *torque = plus(p, *torque, times(p, p->skew[i], force));
        }
        at++;
    }
}

static void pivot_on(proof* p, int column, int row) {
    sti_affine_pivot(&p->k, p->K, p->order, p->order + 1, column, row, p->done);
}

// The motion of a part that a fork holds follows from the fork alone: first the turn, then the other two.
static void hold_by_fork(proof* p, int i) {
    const int x = 3 * p->box->contacts[i].part, gap = place_of(p, i), slip = gap + 1;
    if (p->done[x] || p->done[x + 1] || p->done[x + 2]) return;
    pivot_on(p, x + 2, place_of(p, p->partner[i]));
    const bool first = fabs(box_entry(p, gap, x)->c) > fabs(box_entry(p, slip, x)->c);
    pivot_on(p, x, first ? gap : slip);
    pivot_on(p, x + 1, first ? slip : gap);
}

// The solution comes to stand in the last column.
static bool eliminate(proof* p, long step) {
    memset(p->done, 0, (size_t)p->order * sizeof *p->done);
    for (int i = 0; i < p->box->contact_count; i++) {
        if (is_first(p, i)) hold_by_fork(p, i);
    }
    if (sti_affine_solve(&p->k, p->K, p->order, p->order + 1, p->done)) return true;
    return sti_pieces_fail(&p->pieces, NULL, "step %ld: the basis may be singular", step);
}

// What lambda_t of the second tips was taken to be at most has to be so.
static bool solve(proof* p, long step) {
    enum { ROUNDS = 6 };
    for (int round = 0; round < ROUNDS; round++) {
        bool good = true;
        pose(p);
        if (!eliminate(p, step)) return false;
        for (int i = 0, at = p->unknowns; i < p->box->contact_count; i++) {
            const num most = times(p, p->mu[i], *box_entry(p, at, p->order));
            const double high = sti_affine_high(&p->k, &most);
            at += p->box->modes[i] == STI_PUSH_STICK && !is_second(p, i) ? 2 : 1;
            if (!is_second(p, i) || high <= p->grip[p->partner[i]]) continue;
            good = false;
            p->grip[p->partner[i]] = 2 * high;
        }
        if (good) return true;
    }
    return sti_pieces_fail(&p->pieces, NULL, "step %ld: friction of two tips is not bounded", step);
}

// ---- what has to be positive

// lambda_t of the two tips of a fork is the sum; so is what they take.
static bool check_friction(proof* p, long step, int i, num lambda_n, num lambda_t, num second) {
    const int j = is_first(p, i) ? p->partner[i] : i;
    num most = times(p, p->mu[i], lambda_n);
    if (j != i) most = plus(p, most, times(p, p->mu[j], second));
    const int sign = p->box->friction != NULL ? p->box->friction[i] : 0;
    if (j != i && sign != (p->box->friction != NULL ? p->box->friction[j] : 0))
        return sti_pieces_fail(&p->pieces, NULL,
                               "contacts %d and %d: they share one friction, whose sign is not told apart", i, j);
    if (sign != 0 && !positive(p, scaled(p, lambda_t, sign), step, i, "friction may reverse")) return false;
    return positive(p, minus(p, most, lambda_t), step, i, "it may begin to slide") &&
           positive(p, plus(p, most, lambda_t), step, i, "it may begin to slide");
}

static bool check_contact(proof* p, long step, int i) {
    const int n = p->unknowns, at = place_of(p, i);
    const num *rn = p->rows + (size_t)(2 * i) * (size_t)(n + 1), *rt = rn + n + 1;
    const num lambda_n = *box_entry(p, at, p->order);
    const sti_push_mode mode = p->box->modes[i];
    if (!positive(p, lambda_n, step, i, "it may open")) return false;
    if (mode == STI_PUSH_STICK) {
        if (is_second(p, i)) return true;  // with the first
        const num second = is_first(p, i) ? *box_entry(p, place_of(p, p->partner[i]), p->order) : number(0);
        return check_friction(p, step, i, lambda_n, *box_entry(p, at + 1, p->order), second);
    }
    num slip = rt[n];
    for (int j = 0; j < n; j++) slip = plus(p, slip, times(p, rt[j], *box_entry(p, j, p->order)));
    return positive(p, scaled(p, slip, mode == STI_PUSH_SLIDE_LEFT ? 1 : -1), step, i, "it may stop sliding");
}

// Is the meeting of this corner of a with this face of b one of the contacts?
// ---- a piece of the box

static bool make_step(proof* p, long step) {
    const double t = (double)step * p->box->h;
    sti_box_place(p, t);
    if (p->k.bad) return sti_pieces_fail(&p->pieces, NULL, "step %ld: an angle is too large", step);
    for (int i = 0; i < p->box->contact_count; i++) {
        if (!measure(p, step, i)) return false;
    }
    for (int i = 0; i < p->box->contact_count; i++) {
        if (is_first(p, i) && !measure_fork(p, step, i, p->box->slip > 0 ? p->box->slip : sticking(p))) return false;
    }
    if (!solve(p, step)) return false;
    for (int i = 0; i < p->box->contact_count; i++) {
        if (!check_contact(p, step, i)) return false;
    }
    if (!sti_box_apart(p, step)) return false;
    for (int i = 0; i < p->unknowns; i++) {
        p->q[i] = plus(p, p->q[i], *box_entry(p, i, p->order));
        sti_affine_settle(&p->k, &p->q[i], p->box->doubt_count, p->box->doubt_count + i);
    }
    return true;
}

// The ends are widened by those of this piece.
static bool prove_piece(void* user, const double* low, const double* high) {
    proof* p = user;
    const sti_push_box* b = p->box;
    p->low = low;
    p->high = high;
    p->k = (sti_affine_room){.n = b->doubt_count + p->unknowns};
    for (int i = 0; i < p->unknowns; i++)
        p->q[i] = plus(p, number(b->start[i]), sti_box_doubted(p, (sti_doubt_kind)(STI_DOUBT_X + i % 3), i / 3));
    sti_box_place_fixtures(p);
    for (int i = 0; i < b->contact_count; i++) {
        const sti_push_contact* c = &b->contacts[i];
        const int thing = c->against == STI_PUSH_PART ? c->other
                          : c->against == STI_PUSH_FIXTURE
                              ? p->parts + c->other
                              : p->parts + p->fixtures + sti_manipulation_tip_probe(p->m, c->other);
        p->mu[i] =
            plus(p, number(sti_manipulation_friction(p->m, c->part, thing)), sti_box_doubted(p, STI_DOUBT_MU, thing));
        if (!(sti_affine_low(&p->k, &p->mu[i]) > -1e-250))
            return sti_pieces_fail(&p->pieces, &p->mu[i], "contact %d: its friction may be negative", i);
    }
    for (long l = 0; l < b->steps; l++) {
        if (sti_late(p->env) || !make_step(p, l)) return false;
    }
    for (int i = 0; p->end != NULL && i < p->unknowns; i++) {
        p->end[i] = fmin(p->end[i], sti_affine_low(&p->k, &p->q[i]));
        p->end[p->unknowns + i] = fmax(p->end[p->unknowns + i], sti_affine_high(&p->k, &p->q[i]));
    }
    return true;
}

static void destroy(proof* p) {
    sti_arena_clear(&p->memory);
}

static sti_outline outline_of(const proof* p, int i) {
    if (i < p->parts) return sti_manipulation_part_outline(p->m, i);
    if (i < p->parts + p->fixtures) return sti_manipulation_fixture_outline(p->m, i - p->parts);
    return (sti_outline){.radius = sti_manipulation_tip_radius(p->m, i - p->parts - p->fixtures)};
}

static sti_status create(proof* p) {
    const size_t nc = (size_t)p->box->contact_count, n = (size_t)p->unknowns, order = (size_t)p->order;
    size_t points = 0;
    for (int i = 0; i < p->things; i++) points += (size_t)outline_of(p, i).vertex_count + 1;
    p->memory = sti_arena_make(p->env);
    p->q = sti_arena_take(&p->memory, n, sizeof *p->q);
    p->K = sti_arena_take(&p->memory, sti_size_mul(order, order + 1), sizeof *p->K);
    p->bodies = sti_arena_take(&p->memory, (size_t)p->things, sizeof *p->bodies);
    p->points = sti_arena_take(&p->memory, points, sizeof *p->points);
    p->gap = sti_arena_take(&p->memory, nc, sizeof *p->gap);
    p->rows = sti_arena_take(&p->memory, sti_size_mul(2 * nc, n + 1), sizeof *p->rows);
    p->mu = sti_arena_take(&p->memory, nc, sizeof *p->mu);
    p->partner = sti_arena_take(&p->memory, nc, sizeof *p->partner);
    p->lever = sti_arena_take(&p->memory, nc, sizeof *p->lever);
    p->skew = sti_arena_take(&p->memory, nc, sizeof *p->skew);
    p->done = sti_arena_take(&p->memory, order, sizeof *p->done);
    p->slip = sti_arena_take(&p->memory, nc, sizeof *p->slip);
    p->grip = sti_arena_take(&p->memory, nc, sizeof *p->grip);
    if (p->memory.status != STI_OK) return p->memory.status;
    place* at = p->points;
    for (int i = 0; i < p->things; i++) {
        p->bodies[i].o = outline_of(p, i);
        p->bodies[i].part = i < p->parts ? i : -1;
        p->bodies[i].at = at;
        at += p->bodies[i].o.vertex_count + 1;
    }
    find_forks(p);
    for (int i = 0; i < p->box->contact_count; i++) p->order -= is_second(p, i);
    return STI_OK;
}

static sti_status check_contacts(const proof* p) {
    for (int i = 0; i < p->box->contact_count; i++) {
        const sti_push_contact* c = &p->box->contacts[i];
        const int others = c->against == STI_PUSH_PART      ? p->parts
                           : c->against == STI_PUSH_FIXTURE ? p->fixtures
                           : c->against == STI_PUSH_TIP     ? p->tips
                                                            : 0;
        bool good = c->part >= 0 && c->part < p->parts && c->other >= 0 && c->other < others &&
                    !(c->against == STI_PUSH_PART && c->other == c->part) && p->box->modes[i] != STI_PUSH_OPEN &&
                    p->box->modes[i] <= STI_PUSH_SLIDE_RIGHT;
        if (good) {
            const int other = c->against == STI_PUSH_PART      ? c->other
                              : c->against == STI_PUSH_FIXTURE ? p->parts + c->other
                                                               : p->parts + p->fixtures + c->other;
            const int from = outline_of(p, c->own ? c->part : other).vertex_count;
            const int on = outline_of(p, c->own ? other : c->part).vertex_count;
            good =
                (from == 0 || (c->corner >= 0 && c->corner < from)) && (on == 0 || (c->face >= 0 && c->face < 2 * on));
        }
        if (!good) return STI_FAIL(p->env, STI_ERR_INPUT, i, "contacts[%d]: between things that are not there", i);
    }
    return STI_OK;
}

static sti_status check_doubts(const proof* p) {
    const int probes = sti_manipulation_probe_count(p->m);
    if (p->box->steps < 1 || !(p->box->h > 0) || !isfinite(p->box->h))
        return STI_FAIL(p->env, STI_ERR_INPUT, -1, "%ld steps of %g: at least one, of a positive length, is expected",
                        p->box->steps, p->box->h);
    if (p->box->doubt_count + p->unknowns > STI_DOUBTS_MOST)
        return STI_FAIL(p->env, STI_ERR_INPUT, -1,
                        "doubts: %d with %d parts: %d in all, three for each part, are taken", p->box->doubt_count,
                        p->parts, STI_DOUBTS_MOST);
    for (int i = 0; i < p->box->doubt_count; i++) {
        const sti_push_doubt* d = &p->box->doubts[i];
        const int most = d->kind <= STI_DOUBT_THETA  ? p->parts
                         : d->kind == STI_DOUBT_MU   ? p->parts + p->fixtures + probes
                         : d->kind < STI_DOUBT_COUNT ? probes
                                                     : 0;
        if (d->of < 0 || d->of >= most)
            return STI_FAIL(p->env, STI_ERR_INPUT, i, "doubts[%d]: of %d: not there", i, d->of);
        if (!(d->low <= 0 && d->high >= 0 && isfinite(d->low) && isfinite(d->high)))
            return STI_FAIL(p->env, STI_ERR_INPUT, i, "doubts[%d]: [%g, %g]: a range that holds 0 is expected", i,
                            d->low, d->high);
        for (int j = 0; j < i; j++) {
            if (p->box->doubts[j].kind == d->kind && p->box->doubts[j].of == d->of)
                return STI_FAIL(p->env, STI_ERR_INPUT, i, "doubts[%d]: given twice", i);
        }
    }
    return STI_OK;
}

static sti_status prove(proof* p, long max_pieces, sti_box_verification* out) {
    const size_t nd = (size_t)p->box->doubt_count;
    double* ends = sti_alloc_array_zero(p->env, 2 * nd + 1, sizeof *ends);
    if (ends == NULL) return STI_ERR_MEMORY;
    for (size_t i = 0; i < nd; i++) {
        ends[i] = p->box->doubts[i].low;
        ends[nd + i] = p->box->doubts[i].high;
    }
    p->pieces =
        (sti_pieces){.env = p->env, .doubts = (int)nd, .low = ends, .high = ends + nd, .prove = prove_piece, .user = p};
    const sti_status status = sti_pieces_prove(&p->pieces, max_pieces > 0 ? max_pieces : 1, out);
    sti_free(p->env, ends);
    return status;
}

sti_status sti_verify_push_box(sti_env* env, const sti_manipulation* m, const sti_push_box* box, long max_pieces,
                               double* end, sti_box_verification* out) {
    *out = (sti_box_verification){.tight = -1};
    proof p = {.env = env,
               .m = m,
               .box = box,
               .end = end,
               .parts = sti_manipulation_part_count(m),
               .tips = sti_manipulation_tip_count(m),
               .fixtures = sti_manipulation_fixture_count(m)};
    p.things = p.parts + p.tips + p.fixtures;
    p.unknowns = p.order = 3 * p.parts;
    for (int i = 0; i < box->contact_count; i++) p.order += box->modes[i] == STI_PUSH_STICK ? 2 : 1;
    for (int i = 0; end != NULL && i < p.unknowns; i++) {
        end[i] = INFINITY;
        end[p.unknowns + i] = -INFINITY;
    }
    sti_status status = check_doubts(&p);
    if (status == STI_OK) status = check_contacts(&p);
    if (status == STI_OK) status = create(&p);
    if (status == STI_OK) status = prove(&p, max_pieces, out);
    destroy(&p);
    return status;
}
