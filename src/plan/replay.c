// replay.c: a plan played again by the stepper, with deviations drawn within the noise.
#include <math.h>

#include "plan/plan.h"

typedef struct player {
    sti_env* env;
    sti_manipulation* m;
    const sti_plan* plan;
    const sti_plan_noise* noise;
    sti_push* push;
    double *q, *still;
    sti_rng rng;
    sti_replay_show show;
    void* user;
} player;

static double drawn(player* k, double half) {
    const double f = 2 * sti_rng_u01(&k->rng) - 1;  // drawn in any case, so that runs with and without noise match
    return half * f;
}

// *jam: a step had no solution; the parts stay where they are.
static sti_status play(player* k, bool* jam) {
    const sti_plan* p = k->plan;
    const int thing = p->part_count + sti_manipulation_fixture_count(k->m) + p->probe;
    const double shift = drawn(k, k->noise->mu);
    double* mu = k->still + 3 * (ptrdiff_t)p->part_count;
    sti_status status = STI_OK;
    *jam = false;
    for (int i = 0; i < p->part_count; i++) {
        mu[i] = sti_manipulation_friction(k->m, i, thing);
        sti_manipulation_rub(k->m, i, thing, fmax(mu[i] + shift, 0));
        for (int j = 0; j < 3; j++) k->q[3 * i + j] = p->poses[3 * i + j] + drawn(k, k->noise->pose[j]);
    }
    for (int i = 0; status == STI_OK && i < p->push_count && !*jam; i++) {
        const sti_plan_push* u = &p->pushes[i];
        const double x = u->at[0] + drawn(k, k->noise->tip), y = u->at[1] + drawn(k, k->noise->tip);
        status = sti_manipulation_aim(k->m, p->probe, x, y, u->angle, u->speed);
        if (status == STI_OK) sti_push_set(k->push, 0, k->q, k->still);
        for (long l = 0; status == STI_OK && l < u->steps && !*jam; l++) {
            sti_push_report r;
            status = sti_push_step(k->push, &r);
            *jam = status == STI_OK && r.end != STI_PUSH_MOVED;
            if (status == STI_OK && k->show != NULL) k->show(k->user, i, l + 1, sti_push_q(k->push), &r);
        }
        for (int j = 0; j < 3 * p->part_count; j++) k->q[j] = sti_push_q(k->push)[j];
    }
    for (int i = 0; i < p->part_count; i++) sti_manipulation_rub(k->m, i, thing, mu[i]);
    return status;
}

static void judge(const player* k, bool jam, sti_replay* out) {
    bool good = !jam;
    for (int i = 0; i < 3 * k->plan->goal_count; i++) {
        const sti_plan_goal* g = &k->plan->goals[i / 3];
        const int j = i % 3;
        double d = k->q[3 * g->part + j] - g->pose[j];
        if (j == 2) d = sti_angle_wrap(d);
        out->worst[j] = fmax(out->worst[j], fabs(d));
        good = good && fabs(d) <= g->tolerance[j];
    }
    out->runs++;
    out->successes += good;
    out->jams += jam;
}

sti_status sti_plan_replay(sti_env* env, sti_manipulation* m, const sti_plan* plan, const sti_plan_noise* noise,
                           unsigned long seed, long runs, sti_replay_show show, void* user, sti_replay* out) {
    const size_t n = 3 * (size_t)plan->part_count;
    player k = {.env = env,
                .m = m,
                .plan = plan,
                .noise = noise != NULL ? noise : &plan->noise,
                .rng = {seed},
                .show = show,
                .user = user};
    *out = (sti_replay){0};
    if (sti_manipulation_part_count(m) != plan->part_count)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "plan for %d parts, and the scene has %d", plan->part_count,
                        sti_manipulation_part_count(m));
    k.q = sti_alloc_array_zero(env, 3 * n, sizeof *k.q);
    if (k.q == NULL) return STI_ERR_MEMORY;
    k.still = k.q + n;
    sti_status status = sti_push_create(env, m, plan->h, &k.push);
    for (long i = 0; status == STI_OK && i < runs && !sti_late(env); i++) {
        bool jam;
        status = play(&k, &jam);
        if (status == STI_OK) judge(&k, jam, out);
    }
    sti_push_destroy(k.push);
    sti_free(env, k.q);
    return status;
}
