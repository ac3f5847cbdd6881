// steer.c: which push leads towards a target.
//
// One tip: a place on the outline, a direction and a way, drawn at random and then made better, judged by predict.c.
// Two tips: an edge, where their middle comes on it, and the angle of the tool. The part turns until the edge lies
// along the tips, about its origin as far as the search is concerned, and goes with them from then on; the way that
// leads nearest to the target is known.
#include <math.h>
#include <string.h>

#include "plan/plan.h"

enum { MOST_STEPS = 1000000 };  // of a push

static double between(const sti_steering* k, double low, double high) {
    return low + (high - low) * sti_rng_u01(k->rng);
}

sti_status sti_tool_find(sti_env* env, sti_manipulation* m, sti_tool* out) {
    *out = (sti_tool){.probe = -1};
    int first = 0;
    for (int i = 0; i < sti_manipulation_tip_count(m); i++) {
        double p[2], v[2];
        const int probe = sti_manipulation_tip_probe(m, i);
        sti_manipulation_tip(m, i, 0, p, v);
        if (v[0] == 0 && v[1] == 0) continue;
        if (out->probe >= 0 && probe != out->probe)
            return STI_FAIL(env, STI_ERR_INPUT, i,
                            "probes: a plan is made for one probe that pushes, and there are more");
        if (out->probe < 0) first = i;
        out->probe = probe;
        out->tips++;
    }
    if (out->probe < 0) return STI_FAIL(env, STI_ERR_INPUT, -1, "probes: none that pushes, and a plan needs one");
    if (out->tips > 2)
        return STI_FAIL(env, STI_ERR_INPUT, out->probe, "probes[%d]: %d tips: plans are made for one or two",
                        out->probe, out->tips);
    out->radius = sti_manipulation_tip_radius(m, first);
    const sti_status status = sti_manipulation_aim(m, out->probe, 0, 0, 0, 1);
    if (status != STI_OK) return status;
    for (int i = 0; i < out->tips; i++) {
        double v[2];
        sti_manipulation_tip(m, first + i, 0, out->tip[i], v);
    }
    if (out->tips == 1) return STI_OK;
    const double dx = out->tip[1][0] - out->tip[0][0], dy = out->tip[1][1] - out->tip[0][1];
    out->half = 0.5 * hypot(dx, dy);
    out->normal = sti_angle_wrap(atan2(dy, dx) - 1.57079632679489661923);
    if (fabs(out->normal) > 1.57079632679489661923) out->normal = sti_angle_wrap(out->normal + M_PI);
    return out->half > 0 && fabs(out->normal) < 1.2
               ? STI_OK
               : STI_FAIL(env, STI_ERR_INPUT, out->probe, "probes[%d]: its tips lie one behind the other", out->probe);
}

bool sti_way_is_free(const sti_steering* k, const double pose[3], const double to[3]) {
    enum { PLACES = 6 };
    for (int i = PLACES; k->q != NULL && i > 0; i--) {
        const double f = (double)i / PLACES;
        const double turn = k->tool->tips == 2 && i > 1 ? 1 : f;
        const double at[3] = {pose[0] + f * (to[0] - pose[0]), pose[1] + f * (to[1] - pose[1]),
                              pose[2] + turn * sti_angle_wrap(to[2] - pose[2])};
        if (sti_pose_blocked(k->m, k->part, at, k->q) >= 0) return false;
    }
    return true;
}

// ---- one tip

static bool judge_one(const sti_steering* k, const double pose[3], const double target[3], sti_plan_touch* u,
                      double end[3], double* d) {
    const sti_outline o = sti_manipulation_part_outline(k->m, k->part);
    sti_touch_place(&o, u);
    if (!sti_touch_predict(k->m, k->part, k->cone, pose, u, end)) return false;
    *d = sti_pose_distance(end, target, k->metric);
    return true;
}

// The best of many, then made better by smaller and smaller changes.
static bool steer_one(const sti_steering* k, const double pose[3], const double target[3], sti_plan_touch* best,
                      double end[3]) {
    enum { DRAWN = 160, CHANGED = 120 };
    const int edges = sti_manipulation_part_outline(k->m, k->part).vertex_count;
    double least = INFINITY, size = 0.3;
    for (int i = 0; i < DRAWN + CHANGED; i++) {
        sti_plan_touch u = *best;
        double to[3], d;
        if (i >= DRAWN && isinf(least)) return false;
        if (i < DRAWN) {
            u.edge = edges > 0 ? sti_rng_int(k->rng, 0, edges - 1) : 0;
            u.along = edges > 0 ? between(k, 0.03, 0.97) : sti_rng_u01(k->rng);
            u.angle = between(k, -1.2, 1.2);
            u.way = between(k, 2 * k->step, k->reach);
        } else {
            u.along += size * between(k, -0.3, 0.3);
            u.angle += size * between(k, -0.6, 0.6);
            u.way *= 1 + size * between(k, -1, 1);
            size *= 0.965;
            if (edges > 0 && !(u.along > 0.03 && u.along < 0.97)) continue;
            if (!(u.way >= 2 * k->step && u.way <= k->reach)) continue;
        }
        if (!judge_one(k, pose, target, &u, to, &d) || !(d < least) || !sti_way_is_free(k, pose, to)) continue;
        least = d;
        *best = u;
        memcpy(end, to, sizeof to);
    }
    return least < INFINITY;
}

// ---- two tips

// Angle of the part when the edge lies along the tips of a tool at this angle.
static double settled(const sti_steering* k, const sti_plan_touch* u) {
    return u->angle + k->tool->normal - atan2(u->n[1], u->n[0]);
}

static bool steer_two(const sti_steering* k, const double pose[3], const double target[3], sti_plan_touch* best,
                      double end[3]) {
    enum { DRAWN = 48 };
    const sti_outline o = sti_manipulation_part_outline(k->m, k->part);
    double least = INFINITY, E[9];
    sti_manipulation_damping(k->m, k->part, pose[2], E);
    // a tip at c from the middle turns the part while it gains on the other: this way for a turn by 1
    const double c2 = k->tool->half * k->tool->half, settles = 1.4 * (E[8] / fmin(E[0], E[4]) + c2) / k->tool->half;
    for (int i = 0; i < DRAWN && o.vertex_count > 0; i++) {
        sti_plan_touch u = {.edge = sti_rng_int(k->rng, 0, o.vertex_count - 1)};
        const double *a = o.vertices + 2 * (ptrdiff_t)u.edge,
                     *b = o.vertices + 2 * (ptrdiff_t)((u.edge + 1) % o.vertex_count);
        const double room = 0.5 - 1.1 * k->tool->half / hypot(b[0] - a[0], b[1] - a[1]), draw = sti_rng_u01(k->rng);
        if (!(room > 0)) continue;
        u.along = 0.5 + room * between(k, -1, 1);
        sti_touch_place(&o, &u);
        // towards the angle of the target: at once, or by less; robust pushes turn a little at a time
        const double most = k->turn * between(k, 0.3, 1), turn = sti_angle_wrap(target[2] - pose[2]);
        const double by = draw < 0.2 ? 0 : fmin(fmax(turn, -most), most);
        u.angle = sti_angle_wrap(pose[2] + by - k->tool->normal + atan2(u.n[1], u.n[0]));
        const double c = cos(u.angle), s = sin(u.angle);
        u.way = c * (target[0] - pose[0]) + s * (target[1] - pose[1]);
        // what is too short to settle in goes beyond, by enough to come back from
        const double needed = k->least + settles * (fabs(by) + k->open);
        if (u.way < needed) u.way = needed * between(k, 1, 4);
        if (draw > 0.9) u.way = between(k, needed, fmax(needed, k->reach));
        u.way = fmin(u.way, fmax(needed, k->reach));
        const double to[3] = {pose[0] + u.way * c, pose[1] + u.way * s, pose[2] + by};
        const double d = sti_pose_distance(to, target, k->metric) * between(k, 1, 1.3);
        if (!(d < least) || !sti_way_is_free(k, pose, to)) continue;
        least = d;
        *best = u;
        memcpy(end, to, sizeof to);
    }
    return least < INFINITY;
}

bool sti_steer(const sti_steering* k, const double pose[3], const double target[3], sti_plan_touch* best,
               double end[3]) {
    return k->tool->tips == 1 ? steer_one(k, pose, target, best, end) : steer_two(k, pose, target, best, end);
}

// ---- where the tool starts

// off: way that the part may be nearer, and angle that it may be turned by.
bool sti_aim(const sti_steering* k, const double pose[3], const sti_plan_touch* touch, const double off[2], double h,
             sti_plan_push* out) {
    const sti_tool* tool = k->tool;
    const bool two = tool->tips == 2;
    const double inward = atan2(touch->n[1], touch->n[0]);
    const double angle = sti_angle_wrap(two ? touch->angle : pose[2] + inward + touch->angle);
    const double theta = two ? settled(k, touch) : pose[2];
    const double slope = cos(angle - pose[2] - inward), c = cos(theta), s = sin(theta);
    if (!(slope > 0.2)) return false;
    // the middle of the tips when they are on the edge, then back until both are clear of the part as it is now
    double at[2] = {pose[0] + c * touch->r[0] - s * touch->r[1], pose[1] + s * touch->r[0] + c * touch->r[1]};
    const double ny = two ? theta + inward : pose[2] + inward, now = pose[2] + inward;
    at[0] -= tool->radius * cos(ny);
    at[1] -= tool->radius * sin(ny);
    const double foot[2] = {pose[0] + cos(pose[2]) * touch->r[0] - sin(pose[2]) * touch->r[1],
                            pose[1] + sin(pose[2]) * touch->r[0] + cos(pose[2]) * touch->r[1]};
    double back = 0;
    for (int i = 0; i < tool->tips; i++) {
        const double x = at[0] + cos(angle) * tool->tip[i][0] - sin(angle) * tool->tip[i][1] - foot[0];
        const double y = at[1] + sin(angle) * tool->tip[i][0] + cos(angle) * tool->tip[i][1] - foot[1];
        const double gap = -(cos(now) * x + sin(now) * y) - tool->radius;
        const double lever = hypot(x + foot[0] - pose[0], y + foot[1] - pose[1]);
        back = fmax(back, (1.02 * (off[0] + off[1] * lever) - gap) / slope);
    }
    *out = (sti_plan_push){.part = k->part, .edge = touch->edge, .angle = angle};
    out->at[0] = at[0] - back * cos(angle);
    out->at[1] = at[1] - back * sin(angle);
    const double steps = ceil((touch->way + back) / k->step);
    if (!(steps >= 1 && steps <= MOST_STEPS)) return false;
    out->steps = (long)steps;
    out->speed = (touch->way + back) / (double)out->steps / h;
    return true;
}
