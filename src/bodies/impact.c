// impact.c: velocities after contacts with restitution have struck.
//
// A step moves bodies so that they just touch (step.c); what strikes, e > 0 and n'v* below -rest_speed, and carries an
// impulse in the step, gives its bodies new velocities at the end of it. Bodies that touch or are linked to them take
// part; all others keep those of the step. On such an impact island
//
//     v-  = v* + theta (v_free - v*),        theta in [0, 1] the part of the step after which the first gap is closed,
//
// so that forces act until the impact and not after it, as the places do. Then, at one geometry and with M alone,
//
//     Newton (Moreau's form, S1 (43))    M (v+ - v-) = H r + G l,    0 <= r_n _|_ n'v+ + e n'v- >= 0,   Coulomb on t'v+
//     Poisson  compression               the same with e = 0: v_c, c
//              decompression             M (v+ - v_c) = n e c_n + H x + t y + G l,   0 <= x_n _|_ n'v+ >= 0,
//                                        |x_t| <= mu x_n,
//                                            |y| <= mu e c_n, both against the slip: together (2.1.18 to 22)
//                                        with the bound mu (e c_n + x_n)
//     Stronge, lzb                       the energetic coefficient of all contacts of the island at once (energetic.c)
//
// Newton has e = 0 at contacts that take part without striking; Poisson restitutes wherever there was compression. The
// friction y of a known impulse is a pressed act (contact_rows.c).
//
// Energy. Compression loses. If v+ has more than v- and `dissipate` is set, v+ is drawn back on the segment from v_c,
// the inelastic outcome, to the farthest point with the energy of v-: joints, openings and cones are convex and hold on
// all of it. Places end where the step without bounces put them, which for bodies that turn is not where v- leads: so
// the energy at the beginning and the work done on that way bound v+ as well, and v+ is shortened if need be. For a
// ball both are the same. The work of surfaces that move, -sum r w over the impulses r, is theirs to add.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "bodies/motion.h"

#define TOUCHING 1e-9  // gap, in lengths of the scene

typedef struct impact {
    sti_world* world;
    struct sti_world_solve* s;
    sti_acts* acts;     // of the impact, contacts first
    int contact_count;  // of them: the others are pressed
    double rest_speed;
    int *first, *next;            // bodies of each root                              (moving)
    double* force;                // gravity and pushes                                (moving x nv)
    double *surface, *surface_c;  // work of moving surfaces on each root: in the outcome, in compression  (moving)
    sti_world_report* report;
} impact;

// Of its impulse and its opening one is rounding: this impulse changes the velocity by more than is left of the gap.
static bool carries(const impact* k, int c) {
    const sti_act* act = &k->s->acts.act[c];
    const double r = k->s->acts.r[c * k->world->dim];
    if (!(r > 0)) return false;
    return r * sti_row_mass(k->world, act->row[0], act->row[0]) >
           sti_row_apply(k->world, act->row[0], k->s->u) + act->w[0];
}

// A contact that comes down faster than what may rest, and is stopped.
static bool comes_down(const impact* k, int c) {
    const sti_act* act = &k->s->acts.act[c];
    if (act->kind != STI_ACT_CONTACT || !carries(k, c)) return false;
    return sti_row_apply(k->world, act->row[0], k->s->v_star) + k->world->contact[act->of].offset[0] < -k->rest_speed;
}

static bool strikes(const impact* k, int c) {
    return comes_down(k, c) && k->world->contact[k->s->acts.act[c].of].at.restitution > 0;
}

static double gap_of(const impact* k, const sti_act* act) {
    if (act->kind == STI_ACT_CONTACT) return k->world->contact[act->of].at.gap;
    return act->w[0] * k->world->options.h;
}

static bool takes_part(const impact* k, int c) {
    const sti_act* act = &k->s->acts.act[c];
    if (act->kind != STI_ACT_CONTACT && act->kind != STI_ACT_LIMIT) return false;
    return carries(k, c) || gap_of(k, act) <= TOUCHING * k->world->size;
}

static double offset_of(const impact* k, const sti_act* act, int axis) {
    return act->kind == STI_ACT_CONTACT ? k->world->contact[act->of].offset[axis] : 0;
}

// The acts of the impact: `of` is the act of the step.
static sti_status list_acts(impact* k) {
    const sti_acts* all = &k->s->acts;
    const sti_status status = sti_acts_begin(k->world, k->acts, 2 * all->count);
    if (status != STI_OK) return status;
    for (int c = 0; c < all->count; c++) {
        if (!takes_part(k, c)) continue;
        sti_act* act = sti_acts_add(k->world, k->acts, all->act[c].kind, c);
        act->mu = all->act[c].mu;
        act->section = all->act[c].section;
        for (int i = 0; i < k->world->dim; i++) {
            act->row[i] = all->act[c].row[i];
            act->w[i] = offset_of(k, &all->act[c], i);
        }
    }
    k->contact_count = k->acts->count;
    return STI_OK;
}

static int root_of(const impact* k, const sti_act* act) {
    for (int i = 0; i < k->world->dim; i++) {
        const sti_row* row = act->row[i];
        if (row != NULL) return sti_islands_root(k->world, k->world->slot[row->a >= 0 ? row->a : row->b]);
    }
    return 0;
}

// Where a + b t + c t^2 first vanishes for t in [0, 1]; 1: nowhere.
static double first_root(double a, double b, double c) {
    if (a <= 0) return 0;
    const double disc = b * b - 4 * a * c;
    if (!(disc >= 0)) return 1;
    const double q = -0.5 * (b + copysign(sqrt(disc), b));
    const double one = c != 0 ? q / c : 2, two = q != 0 ? a / q : 2;
    double t = 1;
    if (one >= 0 && one < t) t = one;
    if (two >= 0 && two < t) t = two;
    return t;
}

static void list_bodies(impact* k) {
    k->first = k->s->room.of_island;
    k->next = k->s->room.slot_after;
    for (int i = 0; i < k->world->moving; i++) k->first[i] = -1;
    for (int i = k->world->moving - 1; i >= 0; i--) {
        const int root = sti_islands_root(k->world, i);
        k->next[i] = k->first[root];
        k->first[root] = i;
    }
}

// The act of the step hit at this part of it.
static void note_hit(const impact* k, int act, double part) {
    const double time = k->world->time + part * k->world->options.h;
    k->world->shown[k->s->acts.act[act].of].hit = time;
    k->report->impact_time = isnan(k->report->impact_time) ? time : fmin(k->report->impact_time, time);
}

// skip: islands without impact. v_before: v- of the bodies of the others.
static void velocities_before(impact* k) {
    sti_world* world = k->world;
    struct sti_world_solve* s = k->s;
    const int nv = world->nv;
    const double h = world->options.h, alpha = world->options.alpha;
    double* theta = s->struck;  // by root
    for (int i = 0; i < world->moving; i++) {
        s->skip[i] = 1;
        theta[i] = 1;
    }
    // v_before holds the end velocities without contact for a moment
    for (int i = 0; i < nv * world->moving; i++) s->v_before[i] = s->v_star[i] + (s->v_free[i] - s->v_star[i]) / alpha;
    for (int i = 0; i < k->contact_count; i++) {
        const sti_act* act = &k->acts->act[i];
        if (!strikes(k, act->of)) continue;
        const int root = root_of(k, act);
        const double now = sti_row_apply(world, act->row[0], s->v_star) + act->w[0],
                     later = sti_row_apply(world, act->row[0], s->v_before) + act->w[0];
        const double t = first_root(gap_of(k, &s->acts.act[act->of]), h * now, alpha * h * (later - now));
        s->skip[root] = 0;
        theta[root] = fmin(theta[root], t);
        k->report->impacts++;
        note_hit(k, act->of, t);
    }
    for (int i = 0; i < world->moving; i++) {
        const double t = theta[sti_islands_root(world, i)];
        for (int j = i * nv; j < i * nv + nv; j++) s->v_before[j] = s->v_star[j] + t * (s->v_before[j] - s->v_star[j]);
    }
}

// ---- one problem

// v (in: velocities without r, out: with it), over the islands that take part
static sti_status solve(impact* k, double* v) {
    sti_world* world = k->world;
    struct sti_world_solve* s = k->s;
    sti_solve_report report;
    const size_t n = (size_t)(world->nv * world->moving);
    sti_links_solve(world, NULL, v, s->links.trial);
    const sti_status status = sti_islands_settle(world, k->acts, v, 0.1 * world->options.tol, s->skip, &report);
    if (status != STI_OK) return status;
    memset(s->g, 0, n * sizeof *s->g);
    for (int c = 0; c < k->acts->count; c++) {  // impulses of islands that were left out stay 0
        if (s->skip[root_of(k, &k->acts->act[c])] == 0) continue;
        for (int i = 0; i < world->dim; i++) k->acts->r[c * world->dim + i] = 0;
    }
    sti_acts_add_forces(world, k->acts, k->acts->r, s->g);
    sti_world_mass_solve(world, s->g, s->g);
    for (size_t i = 0; i < n; i++) v[i] += s->g[i];
    sti_links_solve(world, NULL, v, s->links.trial);
    k->report->iterations += report.iterations;
    k->report->residual = fmax(k->report->residual, report.residual);
    if (!report.solved && k->report->solved) {
        k->report->solved = false;
        snprintf(k->report->why, sizeof k->report->why, "impact, tolerance %.3g: %.180s", 0.1 * world->options.tol,
                 report.why);
    }
    return STI_OK;
}

// Newton: of what strikes. The others: of everything that is compressed.
static double restitution_of(const impact* k, const sti_act* act) {
    if (act->kind != STI_ACT_CONTACT) return 0;
    const double e = k->world->contact[k->s->acts.act[act->of].of].at.restitution;
    return k->world->options.law != STI_IMPACT_NEWTON || strikes(k, act->of) ? e : 0;
}

static sti_status inelastic(impact* k, double* v) {
    for (int i = 0; i < k->contact_count; i++)
        k->acts->act[i].w[0] = offset_of(k, &k->s->acts.act[k->acts->act[i].of], 0);
    memcpy(v, k->s->v_before, (size_t)(k->world->nv * k->world->moving) * sizeof *v);
    return solve(k, v);
}

static sti_status newton(impact* k, double* v) {
    for (int i = 0; i < k->contact_count; i++) {
        sti_act* act = &k->acts->act[i];
        const double offset = offset_of(k, &k->s->acts.act[act->of], 0);
        const double before = sti_row_apply(k->world, act->row[0], k->s->v_before) + offset;
        act->w[0] = offset + restitution_of(k, act) * fmin(before, 0);
    }
    memcpy(v, k->s->v_before, (size_t)(k->world->nv * k->world->moving) * sizeof *v);
    return solve(k, v);
}

static bool is_energetic(sti_impact_law law) {
    return law == STI_IMPACT_STRONGE || law == STI_IMPACT_LZB;
}

// The island of this root, whose bodies and contacts are listed in room.
static sti_status strike_island(impact* k, int root, sti_strike* strike, int* room, const sti_act** step_act,
                                double* restitution, double* v) {
    bool found;
    char why[200];
    int *slot = room, *act = room + k->world->moving;
    strike->body_count = strike->count = 0;
    for (int i = k->first[root]; i >= 0; i = k->next[i]) slot[strike->body_count++] = i;
    for (int i = 0; i < k->contact_count; i++) {
        if (root_of(k, &k->acts->act[i]) != root) continue;
        act[strike->count] = i;
        step_act[strike->count] = &k->s->acts.act[k->acts->act[i].of];
        restitution[strike->count++] = restitution_of(k, &k->acts->act[i]);
    }
    const sti_status status = sti_world_energetic(k->world, strike, v, &found, why);
    if (status != STI_OK || found) return status;
    if (k->report->solved) snprintf(k->report->why, sizeof k->report->why, "%.200s", why);
    k->report->solved = false;
    return STI_OK;
}

static sti_status energetic(impact* k, double* v) {
    sti_env* env = k->world->env;
    const size_t count = (size_t)k->contact_count, moving = (size_t)k->world->moving;
    sti_arena memory = sti_arena_make(env);
    int* room = sti_arena_raw(&memory, moving + count, sizeof *room);
    const sti_act** step_act = sti_arena_raw(&memory, count, sizeof *step_act);
    double* restitution = sti_arena_raw(&memory, count, sizeof *restitution);
    sti_status status = STI_OK;
    if (memory.status != STI_OK) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        sti_strike strike = {
            .slot = room, .act = room + moving, .step_act = step_act, .restitution = restitution, .acts = k->acts};
        for (int i = 0; i < k->contact_count * k->world->dim; i++) k->acts->r[i] = 0;
        for (int i = 0; i < k->contact_count; i++)
            k->acts->act[i].w[0] = offset_of(k, &k->s->acts.act[k->acts->act[i].of], 0);
        memcpy(v, k->s->v_before, moving * (size_t)k->world->nv * sizeof *v);
        for (int root = 0; status == STI_OK && root < k->world->moving; root++) {
            if (!k->s->skip[root]) status = strike_island(k, root, &strike, room, step_act, restitution, v);
        }
    }
    sti_arena_clear(&memory);
    return status;
}

// v: v_c in, v+ out. The impulses of compression are those in acts.
static sti_status decompress(impact* k, double* v) {
    sti_world* world = k->world;
    struct sti_world_solve* s = k->s;
    const int d = world->dim;
    const size_t n = (size_t)(world->nv * world->moving);
    bool any = false;
    memset(s->g, 0, n * sizeof *s->g);
    for (int i = 0; i < k->contact_count; i++) {
        const sti_act* act = &k->acts->act[i];
        const double c = restitution_of(k, act) * k->acts->r[i * d];
        if (!(c > 0)) continue;
        any = true;
        sti_row_add(world, act->row[0], c, s->g);
        if (!(act->mu > 0)) continue;
        sti_act* friction = sti_acts_add(world, k->acts, STI_ACT_PRESSED, act->of);
        act = &k->acts->act[i];
        for (int j = 1; j < d; j++) {
            friction->row[j] = act->row[j];
            friction->w[j] = act->w[j];
        }
        sti_acts_press(world, friction, act->mu * c);
        friction->section = act->section;
    }
    for (int i = 0; i < k->contact_count * d; i++) k->acts->r[i] = 0;
    if (!any) return STI_OK;
    sti_world_mass_solve(world, s->g, s->g);
    for (size_t i = 0; i < n; i++) v[i] += s->g[i];
    const sti_status status = sti_islands_find(world, k->acts);
    return status == STI_OK ? solve(k, v) : status;
}

// ---- energy

double sti_body_mass_product(const sti_world* world, int body, const double* x, const double* y) {
    const sti_body_mass* mass = &world->bodies->mass[body];
    if (world->dim == 2) return mass->mass * (x[0] * y[0] + x[1] * y[1]) + mass->inertia[8] * x[2] * y[2];
    double s = mass->mass * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) s += x[3 + i] * mass->inertia[3 * i + j] * y[3 + j];
    }
    return s;
}

// x'M y over the bodies of an island
static double island_product(const impact* k, int root, const double* x, const double* y) {
    double s = 0;
    for (int slot = k->first[root]; slot >= 0; slot = k->next[slot]) {
        const size_t at = (size_t)(slot * k->world->nv);
        s += sti_body_mass_product(k->world, k->s->body[slot], x + at, y + at);
    }
    return s;
}

// What an island may have at the end: its energy at the beginning and what forces did on the way h u. A spring is taken
// at its end, where it did the least.
static double allowed(const impact* k, int root) {
    const sti_world* world = k->world;
    const struct sti_world_solve* s = k->s;
    const double h = world->options.h;
    double energy = island_product(k, root, s->v_star, s->v_star) / 2;
    for (int i = k->first[root]; i >= 0; i = k->next[i]) {
        for (int j = i * world->nv; j < (i + 1) * world->nv; j++) energy += h * k->force[j] * s->u[j];
    }
    for (int i = 0; i < s->links.soft_count; i++) {
        const sti_soft* soft = &s->links.soft[i];
        const int body = soft->row.a >= 0 ? soft->row.a : soft->row.b;
        if (body < 0 || sti_islands_root(world, world->slot[body]) != root) continue;
        const double way = h * sti_row_apply(world, &soft->row, s->u);
        energy += (soft->force - soft->stiffness * way) * way;
    }
    return energy;
}

// Energy that an island may have without the work of surfaces.
static double bound_of(const impact* k, int root) {
    return fmin(island_product(k, root, k->s->v_before, k->s->v_before) / 2, allowed(k, root));
}

// Of one island: back towards v_c as far as needed; if v_c has too much itself, it is shortened. The work of surfaces
// goes with the impulses.
static void draw_island(impact* k, int root, const double* v_c, double* v) {
    const int nv = k->world->nv;
    const double T_c = island_product(k, root, v_c, v_c) / 2, T_end = island_product(k, root, v, v) / 2;
    const double T = bound_of(k, root) + k->surface_c[root], more = k->surface[root] - k->surface_c[root];
    if (!(T_end > T + more)) return;
    const double b = island_product(k, root, v_c, v) - 2 * T_c, a = T_end - T_c - b;  // T_c + b s + a s^2
    double part = 0, factor = 1;
    if (a > 0 && T > T_c) part = (more - b + sqrt(fmax((b - more) * (b - more) + 4 * a * (T - T_c), 0))) / (2 * a);
    part = fmax(0, fmin(1, part));
    const double left = T_c + b * part + a * part * part, most = T + part * more;
    if (left > most) factor = sqrt(fmax(most, 0) / left);
    for (int i = k->first[root]; i >= 0; i = k->next[i]) {
        for (int j = i * nv; j < i * nv + nv; j++) v[j] = factor * (v_c[j] + part * (v[j] - v_c[j]));
    }
    k->surface[root] = k->surface_c[root] + part * more;
}

// What islands have too much after the impact. Where nobody draws it back, the account is told.
static double gained(const impact* k, const double* v) {
    double sum = 0;
    for (int root = 0; root < k->world->moving; root++) {
        if (k->s->skip[root]) continue;
        const double T = bound_of(k, root) + k->surface[root], end = island_product(k, root, v, v) / 2;
        if (!(end > T + 1e-14 * end)) continue;
        sum += end - T;
        if (!k->world->options.dissipate) k->s->work_of[k->world->moving + k->s->group[root]] += end - T;
    }
    return sum;
}

// work (by root) += that of surfaces under the impulses there are now.
static void add_surface_work(const impact* k, double* work) {
    const int d = k->world->dim;
    for (int i = 0; i < k->acts->count; i++) {
        const sti_act* act = &k->acts->act[i];
        const int root = root_of(k, act);
        for (int j = act->kind == STI_ACT_PRESSED ? 1 : 0; j < d && k->s->skip[root] == 0; j++)
            work[root] -= k->acts->r[i * d + j] * offset_of(k, &k->s->acts.act[act->of], j);
    }
}

// What the step counted for these bodies, surfaces and motors, did not come to pass; this did.
static void settle_work(impact* k) {
    const int d = k->world->dim;
    for (int c = 0; c < k->s->acts.count; c++) {
        const sti_act* act = &k->s->acts.act[c];
        const int root = root_of(k, act);
        if (k->s->skip[root]) continue;
        const double work = sti_act_work(k->world, act, k->s->acts.r + (size_t)(c * d));
        k->report->work -= work;
        k->s->work_of[k->s->group[root]] -= work;
    }
    for (int root = 0; root < k->world->moving; root++) {
        if (k->s->skip[root]) continue;
        k->report->work += k->surface[root];
        k->s->work_of[k->s->group[root]] += k->surface[root];
    }
}

// ---- landings: contacts without restitution are stopped by the step itself

// The impulse of a step changes the kinetic energy by its work on the mean of the velocities before and after it.
// A body that has not arrived yet keeps gap / h and is stopped by the next step: one landing, counted where the gap
// closes.
static void land(const impact* k, int c) {
    const sti_world* world = k->world;
    const struct sti_world_solve* s = k->s;
    const sti_act* act = &s->acts.act[c];
    const sti_touching* contact = &world->contact[act->of];
    const double h = world->options.h, gap = contact->at.gap;
    double work = 0;
    for (int i = 0; i < world->dim; i++) {
        const double mean =
            (sti_row_apply(world, act->row[i], s->v_star) + sti_row_apply(world, act->row[i], s->v_end)) / 2;
        work += s->acts.r[c * world->dim + i] * (mean + contact->offset[i]);
    }
    k->report->landing_energy += work;
    const bool given = (sti_slot_of(world, contact->at.a) >= 0 && world->given[contact->at.a]) ||
                       (sti_slot_of(world, contact->at.b) >= 0 && world->given[contact->at.b]);
    if (!(gap > TOUCHING * world->size) && !given) return;
    const double now = sti_row_apply(world, act->row[0], s->v_star) + contact->offset[0],
                 free = sti_row_apply(world, act->row[0], s->v_free) + contact->offset[0];
    k->report->landings++;
    note_hit(k, c, first_root(gap, h * now, h * (free - now)));
}

// bounced: some islands did (`skip` is 0), and their account has all of it.
static void count_landings(const impact* k, bool bounced) {
    for (int c = 0; c < k->s->acts.count; c++) {
        if (!comes_down(k, c) || strikes(k, c)) continue;
        if (!bounced || k->s->skip[root_of(k, &k->s->acts.act[c])]) land(k, c);
    }
}

// ---- the whole

static sti_status bounce(impact* k) {
    sti_world* world = k->world;
    struct sti_world_solve* s = k->s;
    sti_status status = list_acts(k);
    if (status == STI_OK) status = sti_islands_find(world, k->acts);
    if (status != STI_OK) return status;
    list_bodies(k);
    velocities_before(k);
    sti_links_factor(world, 1, 0);
    double *v = s->v_after, *v_c = s->u_impact;
    const size_t n = (size_t)(world->nv * world->moving);
    const bool poisson = world->options.law == STI_IMPACT_POISSON;
    k->force = s->struck;
    k->surface = s->struck + n;
    k->surface_c = k->surface + world->moving;
    memset(s->struck, 0, (n + 2 * (size_t)world->moving) * sizeof *s->struck);
    sti_world_gravity(world, k->force);
    if (poisson) {
        status = inelastic(k, v_c);
        memcpy(v, v_c, n * sizeof *v);
        add_surface_work(k, k->surface_c);
        memcpy(k->surface, k->surface_c, (size_t)world->moving * sizeof *k->surface);
        if (status == STI_OK) status = decompress(k, v);
    } else {
        status = is_energetic(world->options.law) ? energetic(k, v) : newton(k, v);
    }
    if (status != STI_OK) return status;
    add_surface_work(k, k->surface);
    k->report->impact_gain = gained(k, v);
    if (world->options.dissipate && k->report->impact_gain > 0) {
        if (!poisson) {
            status = inelastic(k, v_c);
            if (status != STI_OK) return status;
            add_surface_work(k, k->surface_c);
        }
        for (int root = 0; root < world->moving; root++) {
            if (s->skip[root] == 0) draw_island(k, root, v_c, v);
        }
    }
    settle_work(k);
    for (int i = 0; i < world->moving; i++) {
        if (s->skip[sti_islands_root(world, i)]) continue;
        const size_t at = (size_t)(i * world->nv);
        memcpy(s->v_end + at, v + at, (size_t)world->nv * sizeof *v);
    }
    for (int root = 0; root < world->moving; root++) {
        if (s->skip[root]) continue;
        k->report->impact_energy +=
            island_product(k, root, v, v) / 2 - island_product(k, root, s->v_before, s->v_before) / 2;
    }
    return STI_OK;
}

sti_status sti_world_impacts(sti_world* world, sti_world_report* report) {
    struct sti_world_solve* s = world->solve;
    impact k = {.world = world, .s = s, .acts = &s->extra, .report = report};
    const double* g = world->bodies->gravity;
    k.rest_speed = world->options.rest_speed > 0 ? world->options.rest_speed
                                                 : 2 * world->options.h * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    bool any = false;
    for (int c = 0; c < s->acts.count && !any; c++) any = strikes(&k, c);
    const sti_status status = any ? bounce(&k) : STI_OK;
    if (status == STI_OK) count_landings(&k, any);
    return status;
}
