// search.c: pushes that bring a part to its goal: a rapidly exploring random tree over robust controls, S3 2.4.
//
// A node is the poses of all parts with a box that they are in, whatever the deviations within the noise. A try takes a target (the
// goal, or a pose at random), the node nearest to it in SE(2), and the push that leads nearest to the target if the part were
// free and the tip stuck (predict.c). The stepper makes that push with everything there is to touch. Then the independent
// checker (src/verify/box.c) is asked whether every member of the node's box keeps the contact and its mode in all steps; the
// box of the new node is the one that it proves the parts to end in. So a plan whose last box lies within the tolerance is a
// theorem about the stepper. The tip starts behind the part by what the part may be nearer, and its first step is longer than the
// part may be farther: contact is made in the first step by every member.
//
// Without the test (shortest) a node is a point, and anything may slide, touch and tumble.
#include <math.h>
#include <string.h>

#include "plan/plan.h"

typedef struct node {
    int parent, depth;
    sti_plan_push push;  // that led here
} node;

typedef struct tree {
    sti_env* env;
    sti_manipulation* m;
    sti_plan_goal goal;
    sti_plan_options o;
    sti_push* push;
    sti_rng rng;
    int parts, n, probe, thing;
    double h, mu, radius, size, tip_radius;
    double low[2], high[2];  // where targets are drawn
    node* nodes;
    double* states;  // of each node: poses, lows and highs of their boxes        (capacity x 3 n)
    long count, capacity, tries;
    double* still;
    double begin;
} tree;

sti_plan_options sti_plan_options_default(const sti_manipulation* m) {
    const double size = sti_box_options_default(m).weight[STI_DOUBT_X];
    return (sti_plan_options){.seed = 1,
                              .max_tries = 20000,
                              .goal_bias = 0.3,
                              .metric = 0.5 * size,
                              .step = 0.02 * size,
                              .reach = 1.5 * size,
                              .noise = {.pose = {1e-3 * size, 1e-3 * size, 1e-3}, .mu = 0.02}};
}

static double* pose_of(const tree* t, long i) {
    return t->states + (size_t)i * 3 * (size_t)t->n;
}
static double between(tree* t, double low, double high) {
    return low + (high - low) * sti_rng_u01(&t->rng);
}

// ---- what is near

// Distance of the part of a node to the target; a wide box counts as far.
static double distance(const tree* t, long i, const double target[3]) {
    const double* q = pose_of(t, i) + 3 * (ptrdiff_t)t->goal.part;
    double width = 0;
    for (int j = 0; j < 3; j++) width += (q + 2 * (ptrdiff_t)t->n)[j] - (q + t->n)[j];
    return sti_pose_distance(q, target, t->o.metric) + width;
}

static long nearest(tree* t, const double target[3]) {
    long best = 0;
    double least = INFINITY;
    for (long i = 0; i < t->count; i++) {
        const double d = distance(t, i, target) * between(t, 1, 1.5);
        if (d < least) least = d, best = i;
    }
    return best;
}

static bool reached(const tree* t, long i) {
    const double *q = pose_of(t, i) + 3 * (ptrdiff_t)t->goal.part, *low = q + t->n, *high = low + t->n;
    for (int j = 0; j < 3; j++) {
        const double d = j == 2 ? sti_angle_wrap(q[2] - t->goal.pose[2]) : q[j] - t->goal.pose[j];
        const double down = t->o.shortest ? 0 : low[j] - q[j], up = t->o.shortest ? 0 : high[j] - q[j];
        if (!(d + down >= -t->goal.tolerance[j] && d + up <= t->goal.tolerance[j])) return false;
    }
    return true;
}

// ---- a push towards a target

static void draw_touch(tree* t, const sti_outline* o, sti_touch* u) {
    u->edge = o->vertex_count > 0 ? sti_rng_int(&t->rng, 0, o->vertex_count - 1) : 0;
    u->along = o->vertex_count > 0 ? between(t, 0.03, 0.97) : sti_rng_u01(&t->rng);
    u->angle = between(t, -1.2, 1.2);
    u->way = between(t, 2 * t->o.step, t->o.reach);
}

// The best of many, then made better by smaller and smaller changes.
static bool steer(tree* t, const double pose[3], const double target[3], sti_touch* best) {
    enum { DRAWN = 160, CHANGED = 120 };
    const sti_outline o = sti_manipulation_part_outline(t->m, t->goal.part);
    const double cone = t->o.shortest ? t->mu : fmax(0.9 * t->mu, t->mu - 1.2 * t->o.noise.mu - 0.01);
    double least = INFINITY, size = 0.3;
    for (int k = 0; k < DRAWN + CHANGED; k++) {
        sti_touch u = *best;
        double end[3];
        if (k >= DRAWN && isinf(least)) return false;
        if (k < DRAWN) {
            draw_touch(t, &o, &u);
        } else {
            u.along += size * between(t, -0.3, 0.3);
            u.angle += size * between(t, -0.6, 0.6);
            u.way *= 1 + size * between(t, -1, 1);
            size *= 0.965;
            if (o.vertex_count > 0 && !(u.along > 0.03 && u.along < 0.97)) continue;
            if (!(u.way >= 2 * t->o.step && u.way <= t->o.reach)) continue;
        }
        sti_touch_place(&o, &u);
        if (!sti_touch_predict(t->m, t->goal.part, cone, pose, &u, end)) continue;
        const double d = sti_pose_distance(end, target, t->o.metric);
        if (d < least) least = d, *best = u;
    }
    return least < INFINITY;
}

// Is a point on the way of the tip inside something, or nearer than its radius? other: of fixtures and parts but the one pushed.
static bool meets(const sti_outline* o, const double pose[3], const double p[2], double room) {
    const double c = cos(pose[2]), s = sin(pose[2]), dx = p[0] - pose[0], dy = p[1] - pose[1];
    const double x = c * dx + s * dy, y = c * dy - s * dx;
    if (o->vertex_count == 0) return hypot(x, y) < o->radius + room;
    bool inside = false;
    for (int i = 0, j = o->vertex_count - 1; i < o->vertex_count; j = i++) {
        const double *a = o->vertices + 2 * (ptrdiff_t)j, *b = o->vertices + 2 * (ptrdiff_t)i;
        const double ex = b[0] - a[0], ey = b[1] - a[1];
        const double f = fmin(fmax(((x - a[0]) * ex + (y - a[1]) * ey) / (ex * ex + ey * ey), 0), 1);
        if (hypot(x - a[0] - f * ex, y - a[1] - f * ey) < room) return true;
        if ((a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / ey * ex) inside = !inside;
    }
    return inside;
}

static bool way_is_free(const tree* t, const sti_plan_push* u, const double* q) {
    const double room = t->tip_radius + 0.01 * t->size, way = u->speed * t->h;
    for (long l = 0; l <= u->steps; l++) {
        const double p[2] = {u->at[0] + (double)l * way * cos(u->angle), u->at[1] + (double)l * way * sin(u->angle)};
        for (int i = 0; i < sti_manipulation_fixture_count(t->m); i++) {
            double pose[3];
            const sti_outline o = sti_manipulation_fixture_outline(t->m, i);
            sti_manipulation_fixture_pose(t->m, i, pose);
            if (meets(&o, pose, p, room)) return false;
        }
        for (int i = 0; i < t->parts; i++) {
            const sti_outline o = sti_manipulation_part_outline(t->m, i);
            if (i != t->goal.part && meets(&o, q + 3 * (ptrdiff_t)i, p, room)) return false;
        }
    }
    return true;
}

// Where the tip starts, how fast, for how long; false: the part may be too far off for its first step.
static bool aim(const tree* t, long from, const sti_touch* k, sti_plan_push* u) {
    const double *q = pose_of(t, from) + 3 * (ptrdiff_t)t->goal.part, *low = q + t->n, *high = low + t->n;
    double off = t->o.noise.tip * 1.5;
    for (int j = 0; j < 3; j++) {
        const double d = fmax(high[j] - q[j], q[j] - low[j]);
        off += j < 2 ? d : d * hypot(k->r[0], k->r[1]);
    }
    if (t->o.shortest) off = 0;
    const double slope = cos(k->angle), back = 1.02 * off / slope;
    const double step = fmax(t->o.step, 2.3 * back);
    if (!(slope > 0.2) || step > 5 * t->o.step) return false;
    const double c = cos(q[2]), s = sin(q[2]), r = t->tip_radius;
    const double x = k->r[0] - r * k->n[0], y = k->r[1] - r * k->n[1];
    *u = (sti_plan_push){.angle = sti_angle_wrap(q[2] + atan2(k->n[1], k->n[0]) + k->angle), .margin = NAN};
    u->at[0] = q[0] + c * x - s * y - back * cos(u->angle);
    u->at[1] = q[1] + s * x + c * y - back * sin(u->angle);
    u->steps = (long)ceil((k->way + back) / step);
    u->speed = (k->way + back) / (double)u->steps / t->h;
    return u->speed * t->h > 2.05 * back;
}

// ---- a push made and proved

static sti_status grow(tree* t) {
    if (t->count < t->capacity) return STI_OK;
    const long capacity = 2 * t->capacity + 64;
    node* nodes = sti_realloc_array(t->env, t->nodes, (size_t)capacity, sizeof *nodes);
    if (nodes != NULL) t->nodes = nodes;
    double* states =
        sti_realloc_array(t->env, t->states, sti_size_mul((size_t)capacity, 3 * (size_t)t->n), sizeof *states);
    if (states != NULL) t->states = states;
    if (nodes == NULL || states == NULL) return STI_FAIL(t->env, STI_ERR_MEMORY, -1, "tree of pushes");
    t->capacity = capacity;
    return STI_OK;
}

// *good: every step was made, and (robust) one contact is closed in all of them, in one mode.
static sti_status make(tree* t, const double* q, sti_plan_push* u, bool* good) {
    sti_status status = sti_manipulation_aim(t->m, t->probe, u->at[0], u->at[1], u->angle, u->speed);
    if (status != STI_OK) return status;
    sti_push_set(t->push, 0, q, t->still);
    *good = true;
    for (long l = 0; status == STI_OK && l < u->steps && *good; l++) {
        sti_push_report r;
        int closed = 0;
        status = sti_push_step(t->push, &r);
        *good = status == STI_OK && r.end == STI_PUSH_MOVED;
        for (int i = 0; *good && i < r.contact_count; i++) {
            if (r.forces[i].mode == STI_PUSH_OPEN) continue;
            if (l == 0) u->contact = r.contacts[i], u->mode = r.forces[i].mode;
            *good = t->o.shortest || (closed++ == 0 && r.forces[i].mode == u->mode);
        }
        if (l == 0 && !t->o.shortest) *good = *good && closed == 1;
    }
    return status;
}

// The box after it, lows and highs, into end.
static sti_status prove(tree* t, const double* state, sti_plan_push* u, double* end, bool* good) {
    enum { PIECES = 4, MOST = 64 };
    sti_push_doubt doubts[MOST];
    int count = 0;
    for (int i = 0; i < t->n && count < MOST - 3; i++)
        doubts[count++] = (sti_push_doubt){.kind = (sti_doubt_kind)(STI_DOUBT_X + i % 3),
                                           .of = i / 3,
                                           .low = fmin(state[t->n + i] - state[i], 0),
                                           .high = fmax(state[2 * t->n + i] - state[i], 0)};
    if (t->o.noise.mu > 0) doubts[count++] = (sti_push_doubt){STI_DOUBT_MU, t->thing, -t->o.noise.mu, t->o.noise.mu};
    for (int k = STI_DOUBT_PLACE_X; k <= STI_DOUBT_PLACE_Y && t->o.noise.tip > 0; k++)
        doubts[count++] = (sti_push_doubt){(sti_doubt_kind)k, t->probe, -t->o.noise.tip, t->o.noise.tip};
    const sti_push_box box = {.h = t->h,
                              .steps = u->steps,
                              .start = state,
                              .contact_count = 1,
                              .contacts = &u->contact,
                              .modes = &u->mode,
                              .doubt_count = count,
                              .doubts = doubts};
    sti_box_verification v;
    const sti_status status = sti_verify_push_box(t->env, t->m, &box, PIECES, end, &v);
    *good = status == STI_OK && v.accepted;
    u->margin = v.margin;
    return status;
}

// A node more, unless the push does not go or is not robust: *made -1.
static sti_status extend(tree* t, long from, const double target[3], long* made) {
    sti_touch touch = {0};
    sti_plan_push u;
    bool good;
    *made = -1;
    t->tries++;
    sti_status status = grow(t);
    if (status != STI_OK || !steer(t, pose_of(t, from) + 3 * (ptrdiff_t)t->goal.part, target, &touch)) return status;
    const double* q = pose_of(t, from);
    if (!aim(t, from, &touch, &u) || !way_is_free(t, &u, q)) return STI_OK;
    status = make(t, q, &u, &good);
    if (status != STI_OK || !good) return status;
    double* next = pose_of(t, t->count);
    const size_t n = (size_t)t->n;
    memcpy(next, sti_push_q(t->push), n * sizeof *next);
    memcpy(next + n, next, n * sizeof *next);
    memcpy(next + 2 * n, next, n * sizeof *next);
    if (!t->o.shortest) status = prove(t, q, &u, next + n, &good);
    if (status != STI_OK || !good) return status;
    t->nodes[t->count] = (node){.parent = (int)from, .depth = t->nodes[from].depth + 1, .push = u};
    *made = t->count++;
    return STI_OK;
}

// ---- the search

static bool enough(const tree* t, double near) {
    if (t->tries >= t->o.max_tries || sti_late(t->env)) return true;
    if (t->o.time_limit > 0 && sti_now(t->env) - t->begin > t->o.time_limit) return true;
    return t->o.watch != NULL && !t->o.watch(t->o.user, t->tries, near);
}

static sti_status search(tree* t, long* best) {
    double least = distance(t, 0, t->goal.pose);
    *best = 0;
    while (!reached(t, *best) && !enough(t, least)) {
        double target[3];
        long made;
        memcpy(target, t->goal.pose, sizeof target);
        if (sti_rng_u01(&t->rng) >= t->o.goal_bias) {
            target[0] = between(t, t->low[0], t->high[0]);
            target[1] = between(t, t->low[1], t->high[1]);
            target[2] = between(t, -3.141592653589793, 3.141592653589793);
        }
        const sti_status status = extend(t, nearest(t, target), target, &made);
        if (status != STI_OK) return status;
        if (made < 0) continue;
        const double d = distance(t, made, t->goal.pose);
        if (reached(t, made) || d < least) least = d, *best = made;
    }
    return STI_OK;
}

static long ancestor(const tree* t, long i, int depth) {
    while (t->nodes[i].depth > depth) i = t->nodes[i].parent;
    return i;
}

// Pushes from..to of the plan replaced by one, and those after it made again.
static sti_status bridge(tree* t, long end, int from, int to, long* found) {
    long at = ancestor(t, end, from);
    const int last = t->nodes[end].depth;
    *found = -1;
    for (int k = to; k <= last; k++) {
        double target[3];
        const double* q = k == last ? t->goal.pose : pose_of(t, ancestor(t, end, k)) + 3 * (ptrdiff_t)t->goal.part;
        memcpy(target, q, sizeof target);
        const sti_status status = extend(t, at, target, &at);
        if (status != STI_OK || at < 0) return status;
    }
    if (reached(t, at)) *found = at;
    return STI_OK;
}

static sti_status shorten(tree* t, long* best) {
    enum { EACH = 6 };
    bool better = true;
    while (better && !enough(t, 0)) {
        const int depth = t->nodes[*best].depth;
        better = false;
        for (int gap = depth; gap >= 2 && !better; gap--) {
            for (int from = 0; from + gap <= depth && !better; from++) {
                for (int k = 0; k < EACH && !better; k++) {
                    long found;
                    const sti_status status = bridge(t, *best, from, from + gap, &found);
                    if (status != STI_OK) return status;
                    better = found >= 0;
                    if (better) *best = found;
                }
            }
        }
    }
    return STI_OK;
}

// ---- life

void sti_plan_destroy(sti_env* env, sti_plan* plan) {
    if (plan == NULL) return;
    sti_free(env, plan->pushes);
    sti_free(env, plan->poses);
    sti_free(env, plan);
}

static sti_status collect(const tree* t, long best, sti_plan** out) {
    const size_t count = (size_t)t->nodes[best].depth, n = (size_t)t->n;
    sti_plan* p = sti_alloc_array_zero(t->env, 1, sizeof *p);
    if (p == NULL) return STI_FAIL(t->env, STI_ERR_MEMORY, -1, "plan");
    *p = (sti_plan){.part_count = t->parts,
                    .probe = t->probe,
                    .h = t->h,
                    .goal = t->goal,
                    .noise = t->o.noise,
                    .reached = reached(t, best),
                    .shortest = t->o.shortest,
                    .tries = t->tries,
                    .nodes = t->count,
                    .push_count = (int)count};
    p->pushes = sti_alloc_array_zero(t->env, count, sizeof *p->pushes);
    p->poses = sti_alloc_array_zero(t->env, sti_size_mul(3 * n, count + 1), sizeof *p->poses);
    if ((count > 0 && p->pushes == NULL) || p->poses == NULL) {
        sti_plan_destroy(t->env, p);
        return STI_FAIL(t->env, STI_ERR_MEMORY, -1, "plan");
    }
    p->low = p->poses + n * (count + 1);
    p->high = p->low + n * (count + 1);
    for (long i = best;; i = t->nodes[i].parent) {
        const size_t k = (size_t)t->nodes[i].depth;
        memcpy(p->poses + k * n, pose_of(t, i), n * sizeof(double));
        memcpy(p->low + k * n, pose_of(t, i) + n, n * sizeof(double));
        memcpy(p->high + k * n, pose_of(t, i) + 2 * n, n * sizeof(double));
        if (k == 0) break;
        p->pushes[k - 1] = t->nodes[i].push;
    }
    *out = p;
    return STI_OK;
}

static sti_status choose_probe(tree* t) {
    t->probe = -1;
    for (int i = 0; i < sti_manipulation_tip_count(t->m); i++) {
        double p[2], v[2];
        sti_manipulation_tip(t->m, i, 0, p, v);
        if (v[0] == 0 && v[1] == 0) continue;
        if (t->probe >= 0)
            return STI_FAIL(t->env, STI_ERR_INPUT, i,
                            "probes: a plan is made for one tip that pushes, and there are more");
        t->probe = sti_manipulation_tip_probe(t->m, i);
        t->tip_radius = sti_manipulation_tip_radius(t->m, i);
    }
    if (t->probe < 0) return STI_FAIL(t->env, STI_ERR_INPUT, -1, "probes: none that pushes, and a plan needs one");
    t->thing = t->parts + sti_manipulation_fixture_count(t->m) + t->probe;
    t->mu = sti_manipulation_friction(t->m, t->goal.part, t->thing);
    return STI_OK;
}

// Is a corner of a, drawn in by a little towards its origin, inside b?
static bool reaches_into(const sti_outline* a, const double pose_a[3], const sti_outline* b, const double pose_b[3]) {
    const double c = cos(pose_a[2]), s = sin(pose_a[2]), in = 1 - 1e-6;
    const int count = a->vertex_count > 0 ? a->vertex_count : 1;
    for (int i = 0; i < count; i++) {
        const double x = a->vertex_count > 0 ? in * a->vertices[2 * i] : 0;
        const double y = a->vertex_count > 0 ? in * a->vertices[2 * i + 1] : 0;
        const double p[2] = {pose_a[0] + c * x - s * y, pose_a[1] + s * x + c * y};
        if (meets(b, pose_b, p, a->vertex_count > 0 ? 0 : in * a->radius)) return true;
    }
    return false;
}

// The goal must be free. An overlap without a corner inside is found by the search, which then reaches nothing.
static sti_status check_goal(const tree* t, const double* q) {
    const sti_outline part = sti_manipulation_part_outline(t->m, t->goal.part);
    for (int i = 0; i < t->parts + sti_manipulation_fixture_count(t->m); i++) {
        const bool other = i < t->parts;
        const sti_outline o =
            other ? sti_manipulation_part_outline(t->m, i) : sti_manipulation_fixture_outline(t->m, i - t->parts);
        double pose[3];
        if (i == t->goal.part) continue;
        if (other)
            memcpy(pose, q + 3 * (ptrdiff_t)i, sizeof pose);
        else
            sti_manipulation_fixture_pose(t->m, i - t->parts, pose);
        if (!reaches_into(&part, t->goal.pose, &o, pose) && !reaches_into(&o, pose, &part, t->goal.pose)) continue;
        return STI_FAIL(t->env, STI_ERR_INPUT, i, "goal: %s would overlap %s there",
                        sti_manipulation_part(t->m, t->goal.part),
                        other ? sti_manipulation_part(t->m, i) : sti_manipulation_fixture(t->m, i - t->parts));
    }
    return STI_OK;
}

static sti_status open_tree(tree* t) {
    const size_t n = (size_t)t->n;
    sti_status status = choose_probe(t);
    if (status == STI_OK) status = grow(t);
    if (status != STI_OK) return status;
    t->still = sti_alloc_array_zero(t->env, n, sizeof *t->still);
    if (t->still == NULL) return STI_FAIL(t->env, STI_ERR_MEMORY, -1, "tree of pushes");
    double* q = pose_of(t, 0);
    sti_manipulation_start(t->m, q);
    for (int i = 0; i < t->n; i++) {
        const double half = t->o.shortest ? 0 : t->o.noise.pose[i % 3];
        q[t->n + i] = q[i] - half;
        q[2 * t->n + i] = q[i] + half;
    }
    t->nodes[0] = (node){.parent = -1};
    t->count = 1;
    for (int j = 0; j < 2; j++) {
        const double a = q[3 * t->goal.part + j], b = t->goal.pose[j];
        t->low[j] = fmin(a, b) - 2 * t->size;
        t->high[j] = fmax(a, b) + 2 * t->size;
    }
    status = check_goal(t, q);
    return status == STI_OK ? sti_push_create(t->env, t->m, t->h, &t->push) : status;
}

sti_status sti_plan_create(sti_env* env, sti_manipulation* m, const sti_plan_goal* goal,
                           const sti_plan_options* options, sti_plan** out) {
    *out = NULL;
    const sti_plan_options o = options != NULL ? *options : sti_plan_options_default(m);
    tree t = {.env = env, .m = m, .goal = *goal, .o = o, .rng = {o.seed}, .h = sti_manipulation_step(m)};
    t.parts = sti_manipulation_part_count(m);
    t.n = 3 * t.parts;
    t.size = sti_box_options_default(m).weight[STI_DOUBT_X];
    t.begin = sti_now(env);
    if (goal->part < 0 || goal->part >= t.parts)
        return STI_FAIL(env, STI_ERR_ARGUMENT, goal->part, "goal: part %d: there are %d", goal->part, t.parts);
    for (int j = 0; j < 3; j++) {
        if (!isfinite(goal->pose[j]) || !(goal->tolerance[j] > 0))
            return STI_FAIL(env, STI_ERR_ARGUMENT, j, "goal: a finite pose and tolerances above 0 are expected");
    }
    if (!(o.step > 0) || !(o.reach > 2 * o.step) || !(o.metric >= 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1,
                        "step %g, reach %g, metric %g: positive, with a reach of some steps, expected", o.step, o.reach,
                        o.metric);
    long best = 0;
    sti_status status = open_tree(&t);
    if (status == STI_OK) status = search(&t, &best);
    if (status == STI_OK && reached(&t, best)) status = shorten(&t, &best);
    if (status == STI_OK) status = collect(&t, best, out);
    sti_push_destroy(t.push);
    sti_free(env, t.nodes);
    sti_free(env, t.states);
    sti_free(env, t.still);
    return status;
}
