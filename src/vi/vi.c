// vi.c: variational inequalities over boxes, given by formulas: starts, Newton's method, what is proved.
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "vi/map.h"

#define STI_X(code, text, words) text,
const char* sti_vi_proof_text(sti_vi_proof proof) {
    static const char* const texts[] = {STI_VI_PROOF_LIST(STI_X)};
    return texts[proof];
}
#undef STI_X

#define STI_X(code, text, words) words,
const char* sti_vi_proof_words(sti_vi_proof proof) {
    static const char* const texts[] = {STI_VI_PROOF_LIST(STI_X)};
    return texts[proof];
}
#undef STI_X

sti_vi_options sti_vi_options_default(void) {
    return (sti_vi_options){.tol = 1e-9, .max_iterations = 200, .starts = 20, .seed = 1};
}

static sti_status check(sti_env* env, const sti_vi* vi, const sti_vi_options* o) {
    if (vi == NULL || vi->n < 1)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "there is no inequality in at least one unknown");
    if (!(o->tol > 0) || o->max_iterations < 0 || o->starts < 1)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "options: a tolerance above 0 and at least one start are expected");
    for (int i = 0; i < vi->n; i++) {
        if (isnan(vi->lb[i]) || isnan(vi->ub[i]) || vi->lb[i] == INFINITY || vi->ub[i] == -INFINITY)
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "bounds of %s: numbers are expected", vi->variables[i]);
        if (vi->start != NULL && !isfinite(vi->start[i]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "start[%d]: a finite number is expected", i);
    }
    return STI_OK;
}

// Start number k: what is given, or next to 0; one inside the bounds; then random points farther and farther out.
static void choose_start(const sti_vi* vi, int k, sti_rng* rng, double* x) {
    const double scale = k < 2 ? 1 : pow(10, (k - 2) % 4 - 1);
    for (int i = 0; i < vi->n; i++) {
        const double low = vi->lb[i], high = vi->ub[i];
        const bool above = isfinite(low), below = isfinite(high);
        const double u = rng == NULL || k < 2 ? 0.5 : sti_rng_u01(rng);
        if (k == 0)
            x[i] = vi->start != NULL ? vi->start[i] : sti_vi_clip(vi, i, 0);
        else if (above && below)
            x[i] = low + u * (high - low);
        else if (above)
            x[i] = low + (k == 1 ? 1 : 2 * scale * u);
        else if (below)
            x[i] = high - (k == 1 ? 1 : 2 * scale * u);
        else
            x[i] = k == 1 ? 1 : scale * (2 * u - 1);
    }
}

static bool is_empty(const sti_vi* vi, sti_vi_answer* a) {
    for (int i = 0; i < vi->n; i++) {
        if (vi->lb[i] <= vi->ub[i]) continue;
        a->outcome = STI_NO_SOLUTION;
        a->proof = STI_VI_PROOF_EXACT;
        snprintf(a->reason, sizeof a->reason, "the box is empty: %.60s is at least %g and at most %g", vi->variables[i],
                 vi->lb[i], vi->ub[i]);
        return true;
    }
    return false;
}

static void conclude(sti_vi_answer* a, const sti_vi_options* o, int starts, bool late) {
    if (a->proof != STI_VI_PROOF_NONE) {
        a->outcome = STI_SOLVED;
        snprintf(a->reason, sizeof a->reason, "%s", sti_vi_proof_words(a->proof));
        return;
    }
    a->outcome = late ? STI_LIMIT : STI_UNKNOWN;
    if (a->residual <= o->tol) {
        snprintf(a->reason, sizeof a->reason,
                 "the residual is small, but near the point F jumps or leaves no room for a solution");
        return;
    }
    snprintf(a->reason, sizeof a->reason,
             "no start of %d led to a residual of %g or less: there may be a solution elsewhere, or none", starts,
             o->tol);
}

static sti_status run_starts(sti_env* env, sti_vi_map* map, const sti_vi_options* o, sti_vi_answer* a) {
    sti_vi_newton* newton = NULL;
    sti_rng rng = {o->seed};
    const double deadline = sti_deadline(env, o->time_limit_s);
    sti_vi_run run = {.x = sti_alloc_array(env, (size_t)map->n, sizeof *run.x)};
    sti_status status = run.x == NULL ? STI_ERR_MEMORY : sti_vi_newton_open(env, map, &newton);
    double best = INFINITY;
    bool late = false;
    int k = 0;
    for (; status == STI_OK && a->proof == STI_VI_PROOF_NONE && k < o->starts && !late; k++) {
        choose_start(map->vi, k, &rng, run.x);
        sti_vi_newton_run(newton, o, deadline, &run);
        a->iterations += run.iterations;
        late = sti_now(env) >= deadline;
        status = sti_check_time(env, "solving an inequality");
        if (status != STI_OK || !(run.residual < best)) continue;
        a->start = k;
        status = sti_vi_prove(map, run.x, o->tol, a);
        if (a->proof != STI_VI_PROOF_NONE || !(a->residual <= o->tol))
            best = run.residual;  // else: no solution is near
    }
    if (status == STI_OK) conclude(a, o, k, late);
    sti_vi_newton_close(newton);
    sti_free(env, run.x);
    return status;
}

sti_status sti_vi_solve(sti_env* env, const sti_vi* vi, const sti_vi_options* options, sti_vi_answer* a) {
    const sti_vi_options o = options != NULL ? *options : sti_vi_options_default();
    const double begin = sti_clock();
    sti_vi_map map;
    *a = (sti_vi_answer){.outcome = STI_UNKNOWN, .residual = INFINITY};
    if (!sti_iv_arithmetic_is_sound())
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the rounding mode of this thread is not to nearest");
    sti_status status = check(env, vi, &o);
    if (status != STI_OK) return status;
    a->n = vi->n;
    a->x = sti_alloc_array_zero(env, (size_t)vi->n, sizeof *a->x);
    a->F = sti_alloc_array_zero(env, (size_t)vi->n, sizeof *a->F);
    a->interval = sti_alloc_array_zero(env, (size_t)vi->n, sizeof *a->interval);
    if (a->x == NULL || a->F == NULL || a->interval == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = sti_vi_map_open(&map, env, vi);
    if (status == STI_OK) {
        if (!is_empty(vi, a)) status = run_starts(env, &map, &o, a);
        sti_vi_map_close(&map);
    }
    a->time_s = sti_clock() - begin;
    if (status != STI_OK) sti_vi_answer_clear(env, a);
    return status;
}

sti_status sti_vi_at_start(sti_env* env, const sti_vi* vi, double** x, double** F, double** J) {
    const sti_vi_options o = sti_vi_options_default();
    sti_vi_map map;
    *x = *F = *J = NULL;
    sti_status status = check(env, vi, &o);
    if (status == STI_OK) status = sti_vi_map_open(&map, env, vi);
    if (status != STI_OK) return status;
    const size_t n = (size_t)vi->n;
    double* block = sti_alloc_array(env, sti_size_mul(n, n + 2), sizeof *block);
    if (block == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        choose_start(vi, 0, NULL, block);
        if (!sti_vi_map_at(&map, block, block + n, block + 2 * n))
            status = STI_FAIL(env, STI_ERR_INPUT, -1, "start: F or its derivative has no value there");
    }
    sti_vi_map_close(&map);
    if (status != STI_OK) {
        sti_free(env, block);
        return status;
    }
    *x = block;
    *F = block + n;
    *J = block + 2 * n;
    return STI_OK;
}

void sti_vi_answer_clear(sti_env* env, sti_vi_answer* a) {
    sti_free(env, a->x);
    sti_free(env, a->F);
    sti_free(env, a->interval);
    *a = (sti_vi_answer){0};
}
