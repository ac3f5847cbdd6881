// search.c: pushes that bring parts to their goals: a rapidly exploring random tree over robust controls, S3 2.4.
//
// A node is the poses of all parts, as predicted, and a set for each part that it is in whatever the deviations within
// the noise. A try takes a target (the goal, or a pose at random), the node nearest to it in SE(2), and the push that
// leads nearest to the target (steer.c). The stepper makes that push with everything there is to touch. Then the
// independent checker (src/verify/reach.c) is asked where the push takes the whole set; what it proves is the set of
// the new node. So a plan whose last sets lie within the tolerance is a theorem about the stepper. The tool starts
// clear of the part wherever in its set that is.
//
// Goals are reached one after the other: the tree of the next grows from where the last one ended. Without the test
// (shortest) a node is a point, and anything may slide, touch and tumble.
#include <math.h>
#include <string.h>

#include "plan/plan.h"

typedef struct node {
    int parent, depth;
    int tried;           // pushes from here
    sti_plan_push push;  // that led here
} node;

typedef struct tree {
    sti_env* env;
    sti_manipulation* m;
    const sti_plan_goal* goals;
    int goal_count, stage;
    sti_plan_options o;
    sti_push* push;
    sti_rng rng;
    sti_tool tool;
    int parts, n;
    double h, size;
    double low[2], high[2];  // where targets are drawn
    node* nodes;
    double* states;      // poses of each node                                     (capacity x n)
    sti_pose_set* sets;  // of each node                                           (capacity x parts)
    long count, capacity, tries, root, limit;
    double* still;
    double begin;
} tree;

sti_plan_options sti_plan_options_default(const sti_manipulation* m) {
    const double size = sti_box_options_default(m).weight[STI_DOUBT_X];
    return (sti_plan_options){.seed = 1,
                              .max_tries = 20000,
                              .goal_bias = 0.8,
                              .metric = size,
                              .step = 0.02 * size,
                              .reach = 2.5 * size,
                              .noise = {.pose = {1e-3 * size, 1e-3 * size, 1e-3}, .mu = 0.02}};
}

static double* pose_of(const tree* t, long i) {
    return t->states + (size_t)i * (size_t)t->n;
}
static sti_pose_set* sets_of(const tree* t, long i) {
    return t->sets + (size_t)i * (size_t)t->parts;
}
static const sti_plan_goal* goal_of(const tree* t) {
    return &t->goals[t->stage];
}
static double* moved(const tree* t, long i) {
    return pose_of(t, i) + 3 * (ptrdiff_t)goal_of(t)->part;
}
static double between(tree* t, double low, double high) {
    return low + (high - low) * sti_rng_u01(&t->rng);
}

// ---- what is near

static const double TIRED = 0.1;  // share by which a node counts as farther for every push tried from it

// Distance of the part of a node to the target; a wide set counts as far.
static double distance(const tree* t, long i, const double target[3]) {
    const sti_pose_set* s = &sets_of(t, i)[goal_of(t)->part];
    const double width = s->high[0] - s->low[0] + s->high[1] - s->low[1] + t->o.metric * (s->high[2] - s->low[2]);
    return sti_pose_distance(moved(t, i), target, t->o.metric) + 0.5 * width;
}

// The more pushes were tried from a node, the farther it counts: where the way is blocked another one gets its turn.
static long nearest(tree* t, const double target[3]) {
    long best = t->root;
    double least = INFINITY;
    for (long i = t->root; i < t->count; i++) {
        const double d = distance(t, i, target) * between(t, 1, 1.5) * (1 + TIRED * t->nodes[i].tried);
        if (d < least) least = d, best = i;
    }
    return best;
}

static bool at_goal(const tree* t, long i, int k) {
    const sti_plan_goal* g = &t->goals[k];
    const double* q = pose_of(t, i) + 3 * (ptrdiff_t)g->part;
    double low[3], high[3];
    sti_pose_set_bounds(&sets_of(t, i)[g->part], low, high);
    for (int j = 0; j < 3; j++) {
        const double whole = j == 2 ? sti_angle_wrap(q[2] - g->pose[2]) - (q[2] - g->pose[2]) : 0;
        const double down = (t->o.shortest ? q[j] : low[j]) - g->pose[j] + whole;
        const double up = (t->o.shortest ? q[j] : high[j]) - g->pose[j] + whole;
        if (!(down >= -g->tolerance[j] && up <= g->tolerance[j])) return false;
    }
    return true;
}

static bool reached(const tree* t, long i) {
    return at_goal(t, i, t->stage);
}

// ---- a push made and proved

static sti_status grow(tree* t) {
    if (t->count < t->capacity) return STI_OK;
    const long capacity = 2 * t->capacity + 64;
    node* nodes = sti_realloc_array(t->env, t->nodes, (size_t)capacity, sizeof *nodes);
    if (nodes != NULL) t->nodes = nodes;
    double* states = sti_realloc_array(t->env, t->states, sti_size_mul((size_t)capacity, (size_t)t->n), sizeof *states);
    if (states != NULL) t->states = states;
    sti_pose_set* sets =
        sti_realloc_array(t->env, t->sets, sti_size_mul((size_t)capacity, (size_t)t->parts), sizeof *sets);
    if (sets != NULL) t->sets = sets;
    if (nodes == NULL || states == NULL || sets == NULL) return STI_ERR_MEMORY;
    t->capacity = capacity;
    return STI_OK;
}

// *good: every step was made, and (robust) nothing but the tool touched the part.
static sti_status make(tree* t, const double* q, const sti_plan_push* u, bool* good) {
    sti_status status = sti_manipulation_aim(t->m, t->tool.probe, u->at[0], u->at[1], u->angle, u->speed);
    if (status != STI_OK) return status;
    sti_push_set(t->push, 0, q, t->still);
    *good = true;
    for (long l = 0; status == STI_OK && l < u->steps && *good; l++) {
        sti_push_report r;
        status = sti_push_step(t->push, &r);
        *good = status == STI_OK && r.end == STI_PUSH_MOVED;
        for (int i = 0; *good && i < r.contact_count && !t->o.shortest; i++)
            *good = r.forces[i].mode == STI_PUSH_OPEN ||
                    (r.contacts[i].against == STI_PUSH_TIP && r.contacts[i].part == u->part);
    }
    return status;
}

// By more than rounding on another machine, so that the proof goes there too.
static void widen(sti_pose_set* s) {
    for (int j = 0; j < 3; j++) {
        s->low[j] -= 1e-12 * (1 + fabs(s->low[j]));
        s->high[j] += 1e-12 * (1 + fabs(s->high[j]));
    }
}

// The sets after it. A set that is too wide as a whole is looked at in pieces.
static sti_status prove(tree* t, const sti_pose_set* before, sti_plan_push* u, sti_pose_set* after, bool* good,
                        bool* coarse) {
    static const int CUTS[][3] = {{1, 1, 1}, {1, 2, 4}};
    sti_status status = STI_OK;
    memcpy(after, before, (size_t)t->parts * sizeof *after);
    *good = *coarse = false;
    const double open = before[u->part].high[2] - before[u->part].low[2];
    for (int k = 0; status == STI_OK && !*good && !*coarse && k < (open > 1e-6 ? 2 : 1); k++) {
        const sti_push_course c = {.h = t->h,
                                   .steps = u->steps,
                                   .part = u->part,
                                   .edge = u->edge,
                                   .probe = t->tool.probe,
                                   .before = before,
                                   .mu = t->o.noise.mu,
                                   .tip = t->o.noise.tip,
                                   .angle = u->angle,
                                   .cuts = {CUTS[k][0], CUTS[k][1], CUTS[k][2]}};
        sti_push_reach r;
        status = sti_verify_push_reach(t->env, t->m, &c, &r);
        *good = status == STI_OK && r.accepted;
        *coarse = r.coarse;
        after[u->part] = r.after;
        widen(&after[u->part]);
        // two tips that did not settle on the edge leave the angle more open than it was: that is no place to go on
        // from
        if (t->tool.tips == 2 && r.after.high[2] - r.after.low[2] > fmax(open, 1e-6)) *good = false;
        memcpy(u->cuts, c.cuts, sizeof u->cuts);
    }
    return status;
}

// Made and proved, with shorter and shorter steps while that is what a proof may need. Left as the newest node's pose
// and sets.
static sti_status settle(tree* t, long from, sti_plan_push* u, const double end[3], bool* good) {
    enum { FINEST = 16 };
    sti_status status = STI_OK;
    bool coarse = true;
    *good = false;
    for (int fine = 1; status == STI_OK && coarse && fine <= FINEST; fine *= 2) {
        coarse = false;
        status = make(t, pose_of(t, from), u, good);
        // nor does the proof go where not even the predicted push settles
        const double angle = sti_push_q(t->push)[3 * u->part + 2] - end[2];
        if (t->tool.tips == 2 && !t->o.shortest && fabs(sti_angle_wrap(angle)) > 1e-7) *good = false;
        if (status != STI_OK || !*good) return status;
        memcpy(pose_of(t, t->count), sti_push_q(t->push), (size_t)t->n * sizeof *t->states);
        memcpy(sets_of(t, t->count), sets_of(t, from), (size_t)t->parts * sizeof *t->sets);
        if (!t->o.shortest) status = prove(t, sets_of(t, from), u, sets_of(t, t->count), good, &coarse);
        if (coarse) u->steps *= 2, u->speed /= 2;
    }
    return status;
}

// How much nearer the part may be, and how far turned.
static void room_for(const tree* t, long from, double off[2]) {
    const sti_plan_noise* n = &t->o.noise;
    const sti_pose_set* s = &sets_of(t, from)[goal_of(t)->part];
    const double* q = moved(t, from);
    double low[3], high[3];
    sti_pose_set_bounds(s, low, high);
    off[0] = hypot(fmax(high[0] - q[0], q[0] - low[0]), fmax(high[1] - q[1], q[1] - low[1]));
    off[1] = fmax(high[2] - q[2], q[2] - low[2]);
    if (t->o.shortest) off[0] = hypot(n->pose[0], n->pose[1]), off[1] = n->pose[2];
    off[0] += 1.5 * n->tip + 1e-4 * t->size;
}

static sti_steering steering_of(tree* t, long from, double off[2]) {
    const int part = goal_of(t)->part;
    const double noise = t->o.noise.mu;
    const double mu =
        sti_manipulation_friction(t->m, part, t->parts + sti_manipulation_fixture_count(t->m) + t->tool.probe);
    room_for(t, from, off);
    return (sti_steering){.m = t->m,
                          .tool = &t->tool,
                          .rng = &t->rng,
                          .part = part,
                          .cone = t->o.shortest ? mu : fmax(0.9 * mu, mu - 1.2 * noise - 0.01),
                          .metric = t->o.metric,
                          .step = t->o.step,
                          .reach = t->o.reach,
                          .least = 2 * t->o.step + 2.2 * off[0],
                          .open = off[1],
                          .q = t->o.shortest ? NULL : pose_of(t, from),
                          .turn = t->o.shortest ? 0.6 : 0.2};
}

// A node more, unless the push does not go, is not robust, or is not even meant to end within a distance of the target:
// *made -1.
static sti_status extend(tree* t, long from, const double target[3], double within, long* made) {
    double off[2];
    *made = -1;
    t->tries++;
    t->nodes[from].tried++;
    sti_status status = grow(t);
    if (status != STI_OK) return status;
    const sti_steering k = steering_of(t, from, off);
    sti_plan_touch touch = {0};
    sti_plan_push u;
    double end[3];
    bool good = true;
    if (!sti_steer(&k, moved(t, from), target, &touch, end)) return STI_OK;
    if (sti_pose_distance(end, target, t->o.metric) > within) return STI_OK;
    if (!sti_aim(&k, moved(t, from), &touch, off, t->h, &u)) return STI_OK;
    status = settle(t, from, &u, end, &good);
    if (status != STI_OK || !good) return status;
    t->nodes[t->count] = (node){.parent = (int)from, .depth = t->nodes[from].depth + 1, .push = u};
    *made = t->count++;
    return STI_OK;
}

// ---- the search

static bool enough(const tree* t, double near) {
    if (t->tries >= t->limit || sti_late(t->env)) return true;
    if (t->o.time_limit > 0 && sti_now(t->env) - t->begin > t->o.time_limit) return true;
    return t->o.watch != NULL && !t->o.watch(t->o.user, t->tries, near);
}

// A pose from which a push on the normal of an edge leads to the goal, with nothing in the way. false: none was found.
static bool draw_before(tree* t, double target[3]) {
    const double* goal = goal_of(t)->pose;
    const sti_outline o = sti_manipulation_part_outline(t->m, goal_of(t)->part);
    double off[2];
    const sti_steering k = steering_of(t, t->root, off);
    for (int i = 0; i < 12 && o.vertex_count > 0; i++) {
        sti_plan_touch edge = {.edge = sti_rng_int(&t->rng, 0, o.vertex_count - 1)};
        sti_touch_place(&o, &edge);
        const double c = cos(goal[2]), s = sin(goal[2]), back = between(t, 0, t->o.reach);
        target[0] = goal[0] - back * (c * edge.n[0] - s * edge.n[1]);
        target[1] = goal[1] - back * (s * edge.n[0] + c * edge.n[1]);
        target[2] = goal[2];
        if (sti_pose_blocked(t->m, goal_of(t)->part, target, pose_of(t, t->root)) < 0 &&
            sti_way_is_free(&k, target, goal))
            return true;
    }
    return false;
}

// The goal, a pose before it, or any.
static void draw_target(tree* t, double target[3]) {
    const double draw = sti_rng_u01(&t->rng);
    if (draw >= 0.4 * t->o.goal_bias && draw < t->o.goal_bias && draw_before(t, target)) return;
    memcpy(target, goal_of(t)->pose, 3 * sizeof *target);
    if (draw < t->o.goal_bias) return;
    target[0] = between(t, t->low[0], t->high[0]);
    target[1] = between(t, t->low[1], t->high[1]);
    if (t->tool.tips == 1 || sti_rng_u01(&t->rng) < 0.5) target[2] = between(t, -M_PI, M_PI);
}

static void take_if_nearer(const tree* t, long made, long* best, double* least) {
    if (made < 0) return;
    const double d = distance(t, made, goal_of(t)->pose);
    if (reached(t, made) || d < *least) *least = d, *best = made;
}

static sti_status search(tree* t, long* best) {
    const double* goal = goal_of(t)->pose;
    double least = distance(t, *best, goal);
    while (!reached(t, *best) && !enough(t, least)) {
        double target[3];
        long made;
        draw_target(t, target);
        sti_status status = extend(t, nearest(t, target), target, INFINITY, &made);
        if (status != STI_OK) return status;
        if (made < 0) continue;
        take_if_nearer(t, made, best, &least);
        if (reached(t, *best)) break;
        // from the new place straight to the goal, where a push can be meant to end there
        const double within = hypot(goal_of(t)->tolerance[0], goal_of(t)->tolerance[1]);
        status = extend(t, made, goal, within, &made);
        if (status != STI_OK) return status;
        take_if_nearer(t, made, best, &least);
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
        const double* q = k == last ? goal_of(t)->pose : moved(t, ancestor(t, end, k));
        memcpy(target, q, sizeof target);
        const sti_status status = extend(t, at, target, INFINITY, &at);
        if (status != STI_OK || at < 0) return status;
    }
    if (reached(t, at)) *found = at;
    return STI_OK;
}

static sti_status shorten(tree* t, long* best) {
    enum { EACH = 4, MOST = 200 };
    const long last = t->tries + MOST;
    const int first = t->nodes[t->root].depth;
    bool better = true;
    while (better && t->tries < last && !enough(t, 0)) {
        const int depth = t->nodes[*best].depth;
        better = false;
        for (int gap = depth - first; gap >= 2 && !better; gap--) {
            for (int from = first; from + gap <= depth && !better; from++) {
                for (int k = 0; k < EACH && !better && t->tries < last && !enough(t, 0); k++) {
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
    sti_free(env, plan->goals);
    sti_free(env, plan->poses);
    sti_free(env, plan->sets);
    sti_free(env, plan);
}

static sti_status collect(const tree* t, long best, bool all, sti_plan** out) {
    const size_t count = (size_t)t->nodes[best].depth, n = (size_t)t->n, parts = (size_t)t->parts;
    sti_plan* p = sti_alloc_array_zero(t->env, 1, sizeof *p);
    if (p == NULL) return STI_ERR_MEMORY;
    *p = (sti_plan){.part_count = t->parts,
                    .probe = t->tool.probe,
                    .h = t->h,
                    .goal_count = t->goal_count,
                    .noise = t->o.noise,
                    .reached = all,
                    .shortest = t->o.shortest,
                    .tries = t->tries,
                    .nodes = t->count,
                    .push_count = (int)count};
    p->goals = sti_alloc_array_zero(t->env, (size_t)t->goal_count, sizeof *p->goals);
    p->pushes = sti_alloc_array_zero(t->env, count, sizeof *p->pushes);
    p->poses = sti_alloc_array_zero(t->env, sti_size_mul(n, count + 1), sizeof *p->poses);
    p->sets = sti_alloc_array_zero(t->env, sti_size_mul(parts, count + 1), sizeof *p->sets);
    if (p->goals == NULL || (count > 0 && p->pushes == NULL) || p->poses == NULL || p->sets == NULL) {
        sti_plan_destroy(t->env, p);
        return STI_ERR_MEMORY;
    }
    memcpy(p->goals, t->goals, (size_t)t->goal_count * sizeof *p->goals);
    for (long i = best;; i = t->nodes[i].parent) {
        const size_t k = (size_t)t->nodes[i].depth;
        memcpy(p->poses + k * n, pose_of(t, i), n * sizeof(double));
        memcpy(p->sets + k * parts, sets_of(t, i), parts * sizeof *p->sets);
        if (k == 0) break;
        p->pushes[k - 1] = t->nodes[i].push;
    }
    *out = p;
    return STI_OK;
}

// ---- what is given

static const char* name_of(const tree* t, int blocked) {
    const int fixtures = sti_manipulation_fixture_count(t->m);
    return blocked < fixtures ? sti_manipulation_fixture(t->m, blocked)
                              : sti_manipulation_part(t->m, blocked - fixtures);
}

// Each goal must be free of fixtures; of parts, where they are then.
static sti_status check_goal(const tree* t, long at) {
    const sti_plan_goal* g = goal_of(t);
    const int blocked = sti_pose_blocked(t->m, g->part, g->pose, pose_of(t, at));
    return blocked < 0 ? STI_OK
                       : STI_FAIL(t->env, STI_ERR_INPUT, t->stage, "goal: %s would overlap %s there",
                                  sti_manipulation_part(t->m, g->part), name_of(t, blocked));
}

// The start, at the ends of the noise: what overlaps there cannot be planned for.
static sti_status check_noise(const tree* t) {
    const double* q = pose_of(t, 0);
    for (int i = 0; i < 8 * t->parts && !t->o.shortest; i++) {
        const int part = i / 8, corner = i % 8;
        double pose[3];
        for (int j = 0; j < 3; j++) pose[j] = q[3 * part + j] + ((corner >> j & 1) != 0 ? 1 : -1) * t->o.noise.pose[j];
        const int blocked = sti_pose_blocked(t->m, part, pose, q);
        if (blocked >= 0)
            return STI_FAIL(t->env, STI_ERR_INPUT, part,
                            "noise: %s overlaps %s at the start when it is off by %g, %g, %g",
                            sti_manipulation_part(t->m, part), name_of(t, blocked), t->o.noise.pose[0],
                            t->o.noise.pose[1], t->o.noise.pose[2]);
    }
    return STI_OK;
}

static sti_status check_given(const tree* t) {
    const sti_plan_options* o = &t->o;
    for (int k = 0; k < t->goal_count; k++) {
        const sti_plan_goal* g = &t->goals[k];
        if (g->part < 0 || g->part >= t->parts)
            return STI_FAIL(t->env, STI_ERR_ARGUMENT, g->part, "goal: part %d: there are %d", g->part, t->parts);
        for (int j = 0; j < 3; j++) {
            if (!isfinite(g->pose[j]) || !(g->tolerance[j] > 0))
                return STI_FAIL(t->env, STI_ERR_ARGUMENT, j, "goal: a finite pose and tolerances above 0 are expected");
        }
        if (!o->shortest && sti_manipulation_part_outline(t->m, g->part).vertex_count == 0)
            return STI_FAIL(t->env, STI_ERR_INPUT, g->part,
                            "goal: %s is a disc, and robust plans are made for polygons",
                            sti_manipulation_part(t->m, g->part));
        for (int i = 0; i < k; i++) {
            if (t->goals[i].part == g->part)
                return STI_FAIL(t->env, STI_ERR_ARGUMENT, k, "goal: %s has two", sti_manipulation_part(t->m, g->part));
        }
    }
    if (t->goal_count < 1) return STI_FAIL(t->env, STI_ERR_ARGUMENT, -1, "goal: none");
    if (!(o->step > 0) || !(o->reach > 2 * o->step) || !(o->metric >= 0))
        return STI_FAIL(t->env, STI_ERR_ARGUMENT, -1,
                        "step %g, reach %g, metric %g: positive, with a reach of some steps, expected", o->step,
                        o->reach, o->metric);
    return STI_OK;
}

static sti_status open_tree(tree* t) {
    sti_status status = sti_tool_find(t->env, t->m, &t->tool);
    if (status == STI_OK) status = grow(t);
    if (status != STI_OK) return status;
    t->still = sti_alloc_array_zero(t->env, (size_t)t->n, sizeof *t->still);
    if (t->still == NULL) return STI_ERR_MEMORY;
    double* q = pose_of(t, 0);
    sti_manipulation_start(t->m, q);
    for (int i = 0; i < t->n; i++) {
        const double half = t->o.shortest ? 0 : t->o.noise.pose[i % 3];
        sets_of(t, 0)[i / 3].low[i % 3] = q[i] - half;
        sets_of(t, 0)[i / 3].high[i % 3] = q[i] + half;
    }
    for (int i = 0; i < t->parts; i++) sets_of(t, 0)[i].angle = 0;
    t->nodes[0] = (node){.parent = -1};
    t->count = 1;
    status = check_noise(t);
    return status == STI_OK ? sti_push_create(t->env, t->m, t->h, &t->push) : status;
}

// The root of the next tree: where the last one ended.
static sti_status plant(tree* t, long* best) {
    const sti_status status = grow(t);
    if (status != STI_OK) return status;
    memcpy(pose_of(t, t->count), pose_of(t, *best), (size_t)t->n * sizeof *t->states);
    memcpy(sets_of(t, t->count), sets_of(t, *best), (size_t)t->parts * sizeof *t->sets);
    t->nodes[t->count] = t->nodes[*best];
    *best = t->root = t->count++;
    return STI_OK;
}

// Goals one after the other; *best: where the last one that was reached, or not, ended.
static sti_status reach_all(tree* t, long* best, bool* all) {
    sti_status status = STI_OK;
    *all = true;
    for (t->stage = 0; status == STI_OK && *all && t->stage < t->goal_count; t->stage++) {
        if (t->stage > 0) status = plant(t, best);
        if (status != STI_OK) break;
        t->limit = t->tries + t->o.max_tries;
        for (int j = 0; j < 2; j++) {
            const double a = moved(t, *best)[j], b = goal_of(t)->pose[j];
            t->low[j] = fmin(a, b) - 1.5 * t->size;
            t->high[j] = fmax(a, b) + 1.5 * t->size;
        }
        status = check_goal(t, *best);
        if (status == STI_OK) status = search(t, best);
        *all = status == STI_OK && reached(t, *best);
        if (*all) status = shorten(t, best);
    }
    t->stage = 0;
    for (int k = 0; k < t->goal_count; k++) *all = *all && at_goal(t, *best, k);
    return status;
}

sti_status sti_plan_create(sti_env* env, sti_manipulation* m, int goal_count, const sti_plan_goal* goals,
                           const sti_plan_options* options, sti_plan** out) {
    *out = NULL;
    const sti_plan_options o = options != NULL ? *options : sti_plan_options_default(m);
    tree t = {.env = env,
              .m = m,
              .goals = goals,
              .goal_count = goal_count,
              .o = o,
              .rng = {o.seed},
              .h = sti_manipulation_step(m)};
    t.parts = sti_manipulation_part_count(m);
    t.n = 3 * t.parts;
    t.size = sti_box_options_default(m).weight[STI_DOUBT_X];
    t.begin = sti_now(env);
    long best = 0;
    bool all = false;
    sti_status status = check_given(&t);
    if (status == STI_OK) status = open_tree(&t);
    if (status == STI_OK) status = reach_all(&t, &best, &all);
    if (status == STI_OK) status = collect(&t, best, all, out);
    sti_push_destroy(t.push);
    sti_free(env, t.nodes);
    sti_free(env, t.states);
    sti_free(env, t.sets);
    sti_free(env, t.still);
    return status;
}
