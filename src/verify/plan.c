// plan.c: a plan of pushes, claim by claim, by who did not make it.
//
// Every push is a course of reach.c: it has to lead every member of the set before it into the set that the plan claims
// after it. The predicted poses are held against the same proof with sets of one pose each, and nothing doubted.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stiction/plan.h>
#include <string.h>

#include "base/env.h"

typedef struct look {
    sti_env* env;
    sti_manipulation* m;
    const sti_plan* plan;
    sti_pose_set* at;  // sets of one pose                                     (parts)
    sti_plan_verification* out;
} look;

static bool refuse(look* k, int push, const char* format, ...) __attribute__((format(printf, 3, 4)));

static bool refuse(look* k, int push, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(k->out->text, sizeof k->out->text, format, arguments);
    va_end(arguments);
    k->out->push = push;
    return false;
}

static const sti_pose_set* sets_at(const look* k, int i) {
    return k->plan->sets + (ptrdiff_t)i * k->plan->part_count;
}
static const double* pose_at(const look* k, int i, int part) {
    return k->plan->poses + 3 * ((ptrdiff_t)i * k->plan->part_count + part);
}

// Rounding of cosines, and of predicted poses: far below anything that is claimed.
static double slack_of(double x) {
    return 1e-12 * (1 + fabs(x));
}

static bool holds(const sti_pose_set* outer, const sti_pose_set* inner) {
    for (int j = 0; j < 3; j++) {
        if (!(outer->low[j] <= inner->low[j] && outer->high[j] >= inner->high[j])) return false;
    }
    return outer->angle == inner->angle;
}

// Extent of a set in x, y and theta, a little more.
static void bounds(const sti_pose_set* s, double low[3], double high[3]) {
    for (int j = 0; j < 3; j++) low[j] = INFINITY, high[j] = -INFINITY;
    for (int i = 0; i < 4; i++) {
        const double a = i % 2 == 0 ? s->low[0] : s->high[0], b = i < 2 ? s->low[1] : s->high[1];
        const double p[2] = {a * cos(s->angle) - b * sin(s->angle), a * sin(s->angle) + b * cos(s->angle)};
        for (int j = 0; j < 2; j++) {
            low[j] = fmin(low[j], p[j] - slack_of(fabs(a) + fabs(b)));
            high[j] = fmax(high[j], p[j] + slack_of(fabs(a) + fabs(b)));
        }
    }
    low[2] = s->low[2];
    high[2] = s->high[2];
}

static bool check_start(look* k) {
    const sti_plan* p = k->plan;
    for (int i = 0; i < p->part_count; i++) {
        double q[3], low[3], high[3];
        const sti_pose_set* s = &sets_at(k, 0)[i];
        for (int j = 0; j < 3; j++) q[j] = k->at[i].low[j];
        if (s->angle != 0) return refuse(k, -1, "start: the set of part %d is turned", i);
        bounds(s, low, high);
        for (int j = 0; j < 3; j++) {
            if (fabs(pose_at(k, 0, i)[j] - q[j]) > slack_of(q[j]))
                return refuse(k, -1, "start: part %d is not where the scene has it", i);
            if (s->low[j] > q[j] - p->noise.pose[j] || s->high[j] < q[j] + p->noise.pose[j])
                return refuse(k, -1, "start: the set of part %d does not hold the noise", i);
        }
    }
    return true;
}

static bool check_goals(look* k) {
    const sti_plan* p = k->plan;
    for (int i = 0; i < p->goal_count; i++) {
        const sti_plan_goal* g = &p->goals[i];
        double low[3], high[3];
        bounds(&sets_at(k, p->push_count)[g->part], low, high);
        const double turns = remainder(low[2] - g->pose[2], 2 * M_PI) - (low[2] - g->pose[2]);
        for (int j = 0; j < 3; j++) {
            const double by = j == 2 ? turns : 0;
            if (!(low[j] + by >= g->pose[j] - g->tolerance[j]) || !(high[j] + by <= g->pose[j] + g->tolerance[j]))
                return refuse(k, p->push_count - 1, "goal %d: the last set of part %d goes beyond the tolerance", i + 1,
                              g->part);
        }
    }
    return true;
}

static sti_push_course course_of(const look* k, int i, const sti_pose_set* before, bool noisy) {
    const sti_plan_push* u = &k->plan->pushes[i];
    return (sti_push_course){.h = k->plan->h,
                             .steps = u->steps,
                             .part = u->part,
                             .edge = u->edge,
                             .probe = k->plan->probe,
                             .before = before,
                             .mu = noisy ? k->plan->noise.mu : 0,
                             .tip = noisy ? k->plan->noise.tip : 0,
                             .angle = sets_at(k, i + 1)[u->part].angle,
                             .cuts = {noisy ? u->cuts[0] : 1, noisy ? u->cuts[1] : 1, noisy ? u->cuts[2] : 1}};
}

// The predicted pose against the proof of a single start.
static sti_status check_pose(look* k, int i, bool* good) {
    const sti_plan_push* u = &k->plan->pushes[i];
    sti_push_reach r;
    for (int p = 0; p < k->plan->part_count; p++) {
        k->at[p].angle = 0;
        memcpy(k->at[p].low, pose_at(k, i, p), sizeof k->at[p].low);
        memcpy(k->at[p].high, pose_at(k, i, p), sizeof k->at[p].high);
    }
    sti_push_course c = course_of(k, i, k->at, false);
    c.angle = 0;
    const sti_status status = sti_verify_push_reach(k->env, k->m, &c, &r);
    if (status != STI_OK) return status;
    *good = r.accepted ? true : refuse(k, i, "push %d: the predicted start: %.160s", i + 1, r.text);
    for (int j = 0; *good && j < 3; j++) {
        const double x = pose_at(k, i + 1, u->part)[j];
        const double off = fmax(r.after.low[j] - x, x - r.after.high[j]);
        k->out->worst = fmax(k->out->worst, off);
        if (!(off < 1e-7 * (1 + fabs(x))))
            *good = refuse(k, i, "push %d: the predicted pose is off by %.3g", i + 1, off);
    }
    return STI_OK;
}

static bool same(const double* a, const double* b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// The part is where it was, as a set and as predicted, to the last bit.
static bool stands_still(const look* k, int i, int p) {
    const sti_pose_set *before = &sets_at(k, i)[p], *after = &sets_at(k, i + 1)[p];
    return before->angle == after->angle && same(before->low, after->low) && same(before->high, after->high) &&
           same(pose_at(k, i, p), pose_at(k, i + 1, p));
}

static sti_status check_push(look* k, int i, bool* good) {
    const sti_plan_push* u = &k->plan->pushes[i];
    sti_push_reach r;
    *good = true;
    for (int p = 0; p < k->plan->part_count && *good; p++) {
        if (p != u->part && !stands_still(k, i, p))
            *good = refuse(k, i, "push %d: part %d is not pushed and moves", i + 1, p);
    }
    sti_status status = sti_manipulation_aim(k->m, k->plan->probe, u->at[0], u->at[1], u->angle, u->speed);
    if (status != STI_OK || !*good) return status;
    const sti_push_course c = course_of(k, i, sets_at(k, i), true);
    status = sti_verify_push_reach(k->env, k->m, &c, &r);
    if (status != STI_OK) return status;
    k->out->clearance = fmin(k->out->clearance, r.clearance);
    if (!r.accepted)
        *good = refuse(k, i, "push %d: %.180s", i + 1, r.text);
    else if (!holds(&sets_at(k, i + 1)[u->part], &r.after))
        *good = refuse(k, i, "push %d: the set after it does not hold all that may come out", i + 1);
    return *good ? check_pose(k, i, good) : STI_OK;
}

sti_status sti_verify_plan(sti_env* env, sti_manipulation* m, const sti_plan* plan, sti_plan_verification* out) {
    *out = (sti_plan_verification){.push = -1, .clearance = INFINITY};
    const size_t parts = (size_t)plan->part_count;
    if (sti_manipulation_part_count(m) != plan->part_count)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "plan for %d parts, and the scene has %d", plan->part_count,
                        sti_manipulation_part_count(m));
    double* q = sti_alloc_array_zero(env, 3 * parts, sizeof *q);
    look k = {.env = env, .m = m, .plan = plan, .out = out, .at = sti_alloc_array_zero(env, parts, sizeof *k.at)};
    sti_status status = q != NULL && k.at != NULL ? STI_OK : STI_ERR_MEMORY;
    bool good = false;
    if (status == STI_OK) {
        sti_manipulation_start(m, q);
        for (size_t i = 0; i < 3 * parts; i++) k.at[i / 3].low[i % 3] = q[i];
        good = plan->shortest ? refuse(&k, -1, "a plan made without the test of robustness, which claims nothing")
                              : check_start(&k);
    }
    for (int i = 0; status == STI_OK && good && i < plan->push_count; i++) status = check_push(&k, i, &good);
    if (status == STI_OK && good && plan->reached) good = check_goals(&k);
    if (status == STI_OK && good && !plan->reached) good = refuse(&k, -1, "the pushes hold, and do not reach the goal");
    out->accepted = status == STI_OK && good;
    if (out->accepted)
        snprintf(out->text, sizeof out->text,
                 "every start within the noise comes to the goal by every solution of every step; only the tool "
                 "touches a part");
    sti_free(env, q);
    sti_free(env, k.at);
    return status;
}
