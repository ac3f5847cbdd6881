// solve.c: flow from coarse to fine: on each size a linear program, a few times over about the flow so far.
#include <math.h>
#include <stdio.h>
#include <stiction/l1.h>
#include <string.h>

#include "flow/frame.h"
#include "flow/model.h"

enum { MOST_LEVELS = 16, SMALLEST = 16 };

static const double ROUGHLY = 100,
                    ROUGHEST = 1e-2;  // tolerances of programs about whose flow another one is linearized

sti_flow_options sti_flow_options_default(void) {
    return (sti_flow_options){.warps = 2, .median = true, .tol = 1e-4, .max_iterations = 100};
}

// Smoothness of a whole flow needs less weight than that of one linearization, which holds for small motions only
// (docs/flow.md).
double sti_flow_lambda(const sti_flow_options* options) {
    const sti_flow_options defaults = sti_flow_options_default(), *o = options != NULL ? options : &defaults;
    return o->lambda > 0 ? o->lambda : o->levels == 1 ? 0.05 : 0.03;
}

void sti_flow_answer_clear(sti_env* env, sti_flow_answer* a) {
    sti_flow_field_clear(env, &a->field);
    sti_free(env, a->levels);
    *a = (sti_flow_answer){0};
}

typedef struct pyramid {
    sti_env* env;
    const sti_flow_options* o;
    int count;                                          // of sizes
    sti_frame first[MOST_LEVELS], second[MOST_LEVELS];  // [0] are the frames given, borrowed
    double *x, *next;                                   // flow (u, v) of the size at hand, and room for another
    double deadline;
    double done, work;  // pixels solved so far, and in all
} pyramid;

// ---- sizes

static sti_status build(pyramid* p, const sti_frame* first, const sti_frame* second) {
    const int most = p->o->levels > 0 ? p->o->levels : MOST_LEVELS;
    p->first[0] = *first;
    p->second[0] = *second;
    p->count = 1;
    while (p->count < most && p->count < MOST_LEVELS) {
        const sti_frame *a = &p->first[p->count - 1], *b = &p->second[p->count - 1];
        if ((a->width + 1) / 2 < SMALLEST || (a->height + 1) / 2 < SMALLEST) break;
        sti_status status = sti_frame_halve(p->env, a, &p->first[p->count]);
        if (status == STI_OK) status = sti_frame_halve(p->env, b, &p->second[p->count]);
        p->count++;
        if (status != STI_OK) return status;
    }
    const size_t N = (size_t)first->width * (size_t)first->height;
    p->x = sti_alloc_array_zero(p->env, 2 * N, sizeof *p->x);
    p->next = sti_alloc_array_zero(p->env, 2 * N, sizeof *p->next);
    if (p->x != NULL && p->next != NULL) return STI_OK;
    return STI_ERR_MEMORY;
}

static void release(pyramid* p) {
    for (int k = 1; k < p->count; k++) {
        sti_frame_clear(p->env, &p->first[k]);
        sti_frame_clear(p->env, &p->second[k]);
    }
    sti_free(p->env, p->x);
    sti_free(p->env, p->next);
}

// The flow of one size as that of the next larger one: twice as long, bilinear between the centres of pixels.
static double enlarged(const double* f, int width, int height, double x, double y) {
    const double fx = fmin(fmax(x, 0), width - 1), fy = fmin(fmax(y, 0), height - 1);
    const int i = fx >= width - 1 ? width - 2 : (int)fx, j = fy >= height - 1 ? height - 2 : (int)fy;
    const double a = fx - i, b = fy - j;
    const double* p = f + (size_t)j * (size_t)width + (size_t)i;
    return (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[width] + a * p[width + 1]);
}

static void enlarge(pyramid* p, int from, int to) {
    const sti_frame *small = &p->first[from], *large = &p->first[to];
    const int n = small->width * small->height, N = large->width * large->height;
    for (int k = 0; k < N; k++) {
        const double x = (k % large->width - 0.5) / 2, y = ((int)(k / large->width) - 0.5) / 2;
        p->next[k] = 2 * enlarged(p->x, small->width, small->height, x, y);
        p->next[N + k] = 2 * enlarged(p->x + n, small->width, small->height, x, y);
    }
    double* t = p->x;
    p->x = p->next;
    p->next = t;
}

// ---- medians of 3 x 3

static double median_of(double* v, int count) {
    for (int i = 1; i < count; i++) {
        const double t = v[i];
        int j = i;
        for (; j > 0 && v[j - 1] > t; j--) v[j] = v[j - 1];
        v[j] = t;
    }
    return v[count / 2];
}

static void smooth(const double* f, int width, int height, double* out) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double v[9];
            int count = 0;
            for (int j = y - 1; j <= y + 1; j++) {
                for (int i = x - 1; i <= x + 1; i++) {
                    const int ci = i < 0        ? 0
                                   : i >= width ? width - 1
                                                : i,
                              cj = j < 0         ? 0
                                   : j >= height ? height - 1
                                                 : j;
                    v[count++] = f[(size_t)cj * (size_t)width + (size_t)ci];
                }
            }
            out[(size_t)y * (size_t)width + (size_t)x] = median_of(v, count);
        }
    }
}

static void take_medians(pyramid* p, int size) {
    const sti_frame* f = &p->first[size];
    const size_t N = (size_t)f->width * (size_t)f->height;
    smooth(p->x, f->width, f->height, p->next);
    smooth(p->x + N, f->width, f->height, p->next + N);
    double* t = p->x;
    p->x = p->next;
    p->next = t;
}

// ---- one program

typedef struct watch {
    pyramid* p;
    double part;  // of the whole that this program is
} watch;

static void show(void* user, const char* solver, long iteration, double gap) {
    const watch* w = user;
    const double near = gap > 0 ? fmin(fmax(-log10(gap) / -log10(w->p->o->tol), 0), 1) : 1;
    (void)solver;
    w->p->o->progress(w->p->o->progress_user, "flow", (w->p->done + near * w->part) / w->p->work, iteration);
}

// warp: 0, 1, .. of `warps`; only the flow of the last one has to be sharp.
static sti_status solve_program(pyramid* p, int size, int warp, int warps, bool about, sti_flow_model* model,
                                sti_flow_level* out) {
    const sti_frame* f = &p->first[size];
    const double now = sti_now(p->env), begin = sti_clock();
    sti_l1_options o = sti_l1_options_default();
    sti_l1_answer a;
    sti_l1_verification v = {0};
    watch w = {p, (double)f->width * f->height};
    o.tol = warp + 1 < warps ? fmax(p->o->tol, fmin(ROUGHLY * p->o->tol, ROUGHEST)) : p->o->tol;
    o.max_iterations = p->o->max_iterations;
    o.memory_mb = p->o->memory_mb;
    if (isfinite(p->deadline)) o.time_limit_s = fmax(p->deadline - now, 1e-9);
    if (p->o->progress != NULL) {
        o.trace = show;
        o.trace_user = &w;
    }
    sti_flow_model_linearize(model, f, &p->second[size], about ? p->x : NULL);
    sti_status status = sti_l1_solve(p->env, &model->problem, &o, &a);
    if (status != STI_OK) return status;
    *out = (sti_flow_level){.width = f->width,
                            .height = f->height,
                            .warp = warp,
                            .objective = a.objective,
                            .bound = a.bound,
                            .gap = a.gap,
                            .tol = o.tol,
                            .solved = a.outcome == STI_SOLVED,
                            .iterations = a.iterations,
                            .cg_count = a.cg_count};
    if (a.outcome == STI_SOLVED) status = sti_verify_l1(p->env, &model->problem, &a, o.tol, &v);
    out->verified = v.accepted;
    // what a limit left half done is not better than the flow it began with
    if (a.outcome == STI_SOLVED || !about || a.gap < 0.1) memcpy(p->x, a.x, (size_t)a.n * sizeof *p->x);
    out->time_s = sti_clock() - begin;
    p->done += w.part;
    sti_l1_answer_clear(p->env, &a);
    return status;
}

static bool is_late(const pyramid* p) {
    return isfinite(p->deadline) && sti_now(p->env) > p->deadline;
}

// Is the time too short for programs four times as large as those of the last size? Each takes at least four times as
// long.
static bool will_be_late(const pyramid* p, const sti_flow_answer* a) {
    const double last = a->level_count > 0 ? a->levels[a->level_count - 1].time_s : 0;
    return isfinite(p->deadline) && sti_now(p->env) + 4 * last > p->deadline;
}

static sti_status solve_size(pyramid* p, int size, bool coarsest, sti_flow_answer* a) {
    const bool single = p->o->levels == 1;
    const int warps = single ? 1 : p->o->warps;
    sti_flow_model* model;
    sti_status status =
        sti_flow_model_create(p->env, p->first[size].width, p->first[size].height, p->o->lambda, &model);
    for (int w = 0; status == STI_OK && w < warps && !is_late(p); w++) {
        status = solve_program(p, size, w, warps, !coarsest || w > 0, model, &a->levels[a->level_count]);
        if (status != STI_OK) break;
        const sti_flow_level* level = &a->levels[a->level_count++];
        if (p->o->median && !single) take_medians(p, size);
        if (!level->solved || !level->verified) a->outcome = STI_LIMIT;
    }
    sti_flow_model_destroy(p->env, model);
    return status;
}

// ---- the whole

static sti_status check(sti_env* env, const sti_frame* first, const sti_frame* second, const sti_flow_options* o) {
    if (first->width != second->width || first->height != second->height)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the frames have different sizes: %d x %d and %d x %d", first->width,
                        first->height, second->width, second->height);
    if (o->warps < 1 || o->warps > 100)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "warps: %d: from 1 to 100", o->warps);
    if (o->levels < 0 || o->skip < 0) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "levels and skip are not negative");
    if (!(o->memory_mb >= 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "memory: %g: a number that is not negative is expected",
                        o->memory_mb);
    if (!(o->tol > 0 && o->tol < 1)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol: %g: between 0 and 1", o->tol);
    sti_l1* problem;  // sizes, numbers and lambda are looked at where a program is made
    const sti_frame a = {5, 5, first->value}, b = {5, 5, second->value};
    if (first->width < 5 || first->height < 5)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "frames of %d x %d: at least 5 x 5 is expected", first->width,
                        first->height);
    const sti_status status = sti_flow_problem(env, &a, &b, o->lambda, &problem);
    sti_flow_problem_destroy(env, problem);
    return status;
}

static sti_status finish(pyramid* p, sti_flow_answer* a) {
    const sti_frame* f = &p->first[0];
    const size_t N = (size_t)f->width * (size_t)f->height;
    a->field = (sti_flow_field){.width = f->width, .height = f->height};
    a->field.u = sti_alloc_array(p->env, N, sizeof *a->field.u);
    a->field.v = sti_alloc_array(p->env, N, sizeof *a->field.v);
    if (a->field.u == NULL || a->field.v == NULL) return STI_ERR_MEMORY;
    memcpy(a->field.u, p->x, N * sizeof *p->x);
    memcpy(a->field.v, p->x + N, N * sizeof *p->x);
    return STI_OK;
}

static sti_status run(pyramid* p, sti_flow_answer* a) {
    const int skip = p->o->skip < p->count ? p->o->skip : p->count - 1;
    const int warps = p->o->levels == 1 ? 1 : p->o->warps;
    for (int k = skip; k < p->count; k++) p->work += (double)warps * p->first[k].width * p->first[k].height;
    a->levels = sti_alloc_array_zero(p->env, (size_t)p->count * (size_t)warps, sizeof *a->levels);
    if (a->levels == NULL) return STI_ERR_MEMORY;
    a->outcome = STI_SOLVED;
    sti_status status = STI_OK;
    bool late = false;
    for (int k = p->count - 1; status == STI_OK && k >= 0; k--) {
        if (k < p->count - 1) enlarge(p, k + 1, k);
        if (k < skip) continue;
        late = late || will_be_late(p, a);
        if (!late) status = solve_size(p, k, k == p->count - 1, a);
    }
    if (late || is_late(p)) {
        a->outcome = STI_LIMIT;
        snprintf(a->reason, sizeof a->reason, "the time limit was reached, or is too near for the next size");
    } else if (a->outcome != STI_SOLVED) {
        snprintf(a->reason, sizeof a->reason, "a program was not solved within its limits");
    }
    return status == STI_OK ? finish(p, a) : status;
}

sti_status sti_flow_solve(sti_env* env, const sti_frame* first, const sti_frame* second,
                          const sti_flow_options* options, sti_flow_answer* answer) {
    sti_flow_options o = options != NULL ? *options : sti_flow_options_default();
    o.lambda = isfinite(o.lambda) && o.lambda >= 0 ? sti_flow_lambda(&o) : o.lambda;
    const double begin = sti_clock();
    pyramid p = {.env = env, .o = &o, .deadline = sti_deadline(env, o.time_limit_s)};
    *answer = (sti_flow_answer){0};
    sti_status status = check(env, first, second, &o);
    if (status != STI_OK) return status;
    status = build(&p, first, second);
    if (status == STI_OK) status = run(&p, answer);
    release(&p);
    answer->time_s = sti_clock() - begin;
    if (status != STI_OK) sti_flow_answer_clear(env, answer);
    return status;
}
