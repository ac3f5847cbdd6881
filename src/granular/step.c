// step.c: a bed in time: search, solve, move, measure.
//
// The scheme is the semi-implicit one of S3 2.3: velocities first, with the gap linearized over the step, then
// x+ = x + h v+. Spheres need no orientation.
#include <math.h>
#include <string.h>

#include "granular/near.h"

#define STI_X(code, text) [code] = (text),
static const char* const law_text[] = {STI_LAW_LIST(STI_X)};
#undef STI_X
#define STI_X(code, name) [code] = #name,
static const char* const solver_text[] = {STI_BED_SOLVER_LIST(STI_X)};
#undef STI_X

const char* sti_law_text(sti_law law) {
    return (unsigned)law < STI_LAW_COUNT ? law_text[law] : "?";
}

bool sti_law_parse(const char* name, sti_law* out) {
    for (int k = 0; k < STI_LAW_COUNT; k++) {
        if (strcmp(name, law_text[k]) != 0) continue;
        *out = (sti_law)k;
        return true;
    }
    return false;
}

const char* sti_bed_solver_text(sti_bed_solver solver) {
    return (unsigned)solver < STI_BED_SOLVER_COUNT ? solver_text[solver] : "?";
}

bool sti_bed_solver_parse(const char* name, sti_bed_solver* out) {
    for (int k = 0; k < STI_BED_SOLVER_COUNT; k++) {
        if (strcmp(name, solver_text[k]) != 0) continue;
        *out = (sti_bed_solver)k;
        return true;
    }
    return false;
}

sti_bed_options sti_bed_options_default(void) {
    return (sti_bed_options){.h = 0.01, .law = STI_LAW_COULOMB, .facets = 3, .tol = 1e-4, .recover = 1, .warm = true};
}

// ---- memory

static void* align_line(void* p) {
    return (char*)p + (-(uintptr_t)p & 63);
}

sti_status sti_bed_reserve_grains(sti_bed* bed, int count) {
    if (count <= bed->grain_capacity) return STI_OK;
    const int capacity = count + count / 8 + 16;
    void* memory = sti_alloc_array(bed->env, (size_t)capacity + 1, sizeof(sti_grain));
    if (memory == NULL) return STI_ERR_MEMORY;
    sti_grain* grain = align_line(memory);
    if (bed->grain_capacity > 0) memcpy(grain, bed->grain, (size_t)bed->grain_capacity * sizeof *grain);
    sti_free(bed->env, bed->grain_memory);
    bed->grain_memory = memory;
    bed->grain = grain;
    bed->grain_capacity = capacity;
    return STI_OK;
}

sti_status sti_bed_reserve_touches(sti_bed* bed, int64_t count) {
    if (count <= bed->touch_capacity) return STI_OK;
    const int64_t capacity = count + count / 8 + 16;
    void* memory = sti_alloc_array(bed->env, (size_t)capacity + 1, sizeof(sti_touch) + sizeof(sti_trail));
    if (memory == NULL) return STI_ERR_MEMORY;
    sti_free(bed->env, bed->touch_memory);
    bed->touch_memory = memory;
    bed->touch = align_line(memory);
    bed->trail = (sti_trail*)(bed->touch + capacity);
    bed->touch_capacity = capacity;
    bed->touches = 0;
    return STI_OK;
}

sti_status sti_bed_reserve_memos(sti_bed* bed, int64_t count) {
    if (count <= bed->spare_memo_capacity) return STI_OK;
    const int64_t capacity = count + count / 8 + 16;
    sti_memo* memo = sti_alloc_array(bed->env, (size_t)capacity, sizeof *memo);
    if (memo == NULL) return STI_ERR_MEMORY;
    sti_free(bed->env, bed->spare_memo);
    bed->spare_memo = memo;
    bed->spare_memo_capacity = capacity;
    return STI_OK;
}

void sti_bed_take_memos(sti_bed* bed) {
    sti_memo* memo = bed->memo;
    const int64_t capacity = bed->memo_capacity;
    bed->memo = bed->spare_memo;
    bed->memo_capacity = bed->spare_memo_capacity;
    bed->spare_memo = memo;
    bed->spare_memo_capacity = capacity;
}

void sti_bed_destroy(sti_bed* bed) {
    if (bed == NULL) return;
    sti_env* env = bed->env;
    sti_tasks_destroy(bed->tasks);
    sti_arena_clear(&bed->memory);
    sti_free(env, bed->grain_memory);
    sti_free(env, bed->near);
    sti_free(env, bed->spare_near);
    sti_free(env, bed->cell_start);
    sti_free(env, bed->touch_memory);
    sti_free(env, bed->memo);
    sti_free(env, bed->spare_memo);
    sti_free(env, bed->rough);
    sti_free(env, bed);
}

// ---- creation

enum { COUNT_MOST = 500000000 };  // cells, four for each grain, are counted in int

static sti_status check(sti_env* env, const sti_grains* g, const sti_bed_options* o) {
    if (g->count < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "count: %d, must be at least 1", g->count);
    if (g->count > COUNT_MOST) return STI_FAIL(env, STI_ERR_SIZE, -1, "count: %d, at most %d", g->count, COUNT_MOST);
    if (!(o->h > 0) || !isfinite(o->h)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "h: %g, must be positive", o->h);
    if (!(o->tol > 0) || !isfinite(o->tol))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol: %g, must be positive", o->tol);
    if (!(o->recover >= 0 && o->recover <= 1))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "recover: %g, must be in [0, 1]", o->recover);
    if (!(o->eps >= 0) || !(o->eps_speed >= 0) || !isfinite(o->eps) || !isfinite(o->eps_speed))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "eps: %g, eps_speed: %g; must be finite and not negative", o->eps,
                        o->eps_speed);
    if ((unsigned)o->law >= STI_LAW_COUNT) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "law: %d", (int)o->law);
    if ((unsigned)o->solver >= STI_BED_SOLVER_COUNT)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "solver: %d", (int)o->solver);
    if (o->law == STI_LAW_FACETS && (o->facets < 3 || o->facets > STI_FACETS_MOST))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "facets: %d, must be 3 to %d", o->facets, STI_FACETS_MOST);
    if ((o->law == STI_LAW_COULOMB && o->solver != STI_BED_GS) ||
        (o->law == STI_LAW_CONE && (o->solver == STI_BED_BLMVM || o->solver == STI_BED_TRON)))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "solver: %s does not take the law %s",
                        sti_bed_solver_text(o->solver), sti_law_text(o->law));
    if (!(g->mu >= 0) || !isfinite(g->mu))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "mu: %g, must be finite and not negative", g->mu);
    if (!isfinite(g->gravity[0]) || !isfinite(g->gravity[1]) || !isfinite(g->gravity[2]))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "gravity: %g, %g, %g; must be finite", g->gravity[0], g->gravity[1],
                        g->gravity[2]);
    for (int k = 0; k < g->count; k++) {
        if (!(g->radius[k] > 0) || !isfinite(g->radius[k]) || !(g->mass[k] > 0) || !isfinite(g->mass[k]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, k, "grain %d: radius %g, mass %g; both must be positive", k,
                            g->radius[k], g->mass[k]);
        for (int i = 0; i < 3; i++) {
            const size_t at = 3 * (size_t)k + (size_t)i;
            if (!isfinite(g->x[at]) || !isfinite(g->v[at]) || !isfinite(g->w[at]))
                return STI_FAIL(env, STI_ERR_ARGUMENT, k, "grain %d: position or velocity is not finite", k);
        }
    }
    for (int k = 0; k < g->wall_count; k++) {
        const sti_wall* w = &g->walls[k];
        const double size2 = w->axis[0] * w->axis[0] + w->axis[1] * w->axis[1] + w->axis[2] * w->axis[2];
        const double all = w->point[0] + w->point[1] + w->point[2] + w->radius + w->slope + w->spin + w->mu;
        if (!(fabs(size2 - 1) <= 1e-9) || !(w->mu >= 0) || !isfinite(all) || (unsigned)w->kind >= STI_WALL_KIND_COUNT)
            return STI_FAIL(env, STI_ERR_ARGUMENT, k,
                            "wall %d: the axis must be a unit vector, mu >= 0, every number finite", k);
    }
    return g->friction != NULL ? sti_rough_check(env, g, o->law) : STI_OK;
}

static sti_status allocate(sti_bed* bed, int n, int walls) {
    sti_env* env = bed->env;
    const size_t count = (size_t)n;
    bed->memory = sti_arena_make(env);
    bed->walls = sti_arena_raw(&bed->memory, (size_t)walls, sizeof(sti_wall));
    bed->id = sti_arena_raw(&bed->memory, count, sizeof(int));
    bed->place = sti_arena_raw(&bed->memory, count, sizeof(int));
    bed->x = sti_arena_raw(&bed->memory, count, 3 * sizeof(double));
    bed->home = sti_arena_raw(&bed->memory, count, 4 * sizeof(double));
    bed->near_start = sti_arena_take(&bed->memory, count + 1, sizeof(int64_t));
    bed->spare_start = sti_arena_take(&bed->memory, count + 1, sizeof(int64_t));
    bed->stray = sti_arena_raw(&bed->memory, (size_t)sti_bed_stray_most(&bed->tuning, bed->n), sizeof(int));
    bed->radius = sti_arena_raw(&bed->memory, count, sizeof(double));
    bed->mass = sti_arena_raw(&bed->memory, count, sizeof(double));
    bed->begin = sti_arena_raw(&bed->memory, count, 6 * sizeof(double));
    bed->speed = sti_arena_raw(&bed->memory, count, sizeof(double));
    bed->swift = sti_arena_take(&bed->memory, count, 1);
    bed->scratch = sti_arena_raw(&bed->memory, count, sizeof(sti_grain));
    bed->last_memory = sti_arena_raw(&bed->memory, count + 1, sizeof(sti_grain));
    if (bed->memory.status != STI_OK) return bed->memory.status;
    bed->grain_last = align_line(bed->last_memory);
    const sti_status status = sti_bed_reserve_grains(bed, n + walls);
    return status != STI_OK ? status : sti_tasks_create(env, sti_env_workers(env), &bed->tasks);
}

sti_status sti_bed_create(sti_env* env, const sti_grains* grains, const sti_bed_options* options, sti_bed** out) {
    *out = NULL;
    const sti_bed_options defaults = sti_bed_options_default();
    if (options == NULL) options = &defaults;
    sti_status status = check(env, grains, options);
    if (status != STI_OK) return status;
    sti_bed* bed = sti_alloc_array_zero(env, 1, sizeof *bed);
    if (bed == NULL) return STI_ERR_MEMORY;
    bed->env = env;
    bed->options = *options;
    bed->tuning = sti_tuning_default;
    bed->n = grains->count;
    bed->wall_count = grains->wall_count;
    status = allocate(bed, grains->count, grains->wall_count);
    if (status == STI_OK) status = sti_rough_create(bed, grains);
    if (status != STI_OK) {
        sti_bed_destroy(bed);
        return status;
    }
    for (int i = 0; i < 3; i++) bed->gravity[i] = grains->gravity[i];
    const double g =
        sqrt(bed->gravity[0] * bed->gravity[0] + bed->gravity[1] * bed->gravity[1] + bed->gravity[2] * bed->gravity[2]);
    for (int k = 0; k < bed->n; k++) {
        bed->id[k] = bed->place[k] = k;
        bed->radius[k] = grains->radius[k];
        bed->mass[k] = grains->mass[k];
        bed->weight += g * grains->mass[k];
        if (grains->radius[k] > bed->largest) bed->largest = grains->radius[k];
        if (k == 0 || grains->radius[k] < bed->smallest) bed->smallest = grains->radius[k];
        bed->grain[k] = (sti_grain){.im = 1 / grains->mass[k], .mu = grains->mu};
    }
    for (int k = 0; k < bed->wall_count; k++) {
        bed->walls[k] = grains->walls[k];
        bed->grain[bed->n + k] = (sti_grain){.mu = grains->walls[k].mu};
    }
    status = sti_bed_set(bed, grains->x, grains->v, grains->w);
    if (status != STI_OK) {
        sti_bed_destroy(bed);
        return status;
    }
    *out = bed;
    return STI_OK;
}

// ---- state

int sti_bed_count(const sti_bed* bed) {
    return bed->n;
}

double sti_bed_time(const sti_bed* bed) {
    return bed->time;
}

void sti_bed_get(const sti_bed* bed, double* x, double* v, double* w) {
    for (int k = 0; k < bed->n; k++) {
        const size_t to = 3 * (size_t)bed->id[k], from = 3 * (size_t)k;
        for (size_t i = 0; i < 3; i++) {
            if (x != NULL) x[to + i] = bed->x[from + i];
            if (v != NULL) v[to + i] = bed->grain[k].v[i];
            if (w != NULL) w[to + i] = bed->grain[k].W[i] / bed->radius[k];
        }
    }
}

sti_status sti_bed_set(sti_bed* bed, const double* x, const double* v, const double* w) {
    for (size_t k = 0; k < 3 * (size_t)bed->n; k++) {
        if ((x != NULL && !isfinite(x[k])) || (v != NULL && !isfinite(v[k])) || (w != NULL && !isfinite(w[k])))
            return STI_FAIL(bed->env, STI_ERR_ARGUMENT, (int64_t)(k / 3), "grain %zu: a number that is not finite",
                            k / 3);
    }
    for (int k = 0; k < bed->n; k++) {
        const size_t from = 3 * (size_t)bed->id[k], to = 3 * (size_t)k;
        for (size_t i = 0; i < 3; i++) {
            if (x != NULL) bed->x[to + i] = x[from + i];
            if (v != NULL) bed->grain[k].v[i] = v[from + i];
            if (w != NULL) bed->grain[k].W[i] = w[from + i] * bed->radius[k];
        }
    }
    bed->listed = false;
    bed->stepped = false;
    bed->foreseen = 0;
    sti_bed_drop_contacts(bed);
    return STI_OK;
}

sti_status sti_bed_replace(sti_bed* bed, const double* x, const double* v, const double* w, const int* which,
                           int count) {
    bed->stepped = false;
    for (int j = 0; j < count; j++) {
        const int k = bed->place[which[j]];
        for (size_t i = 0; i < 3; i++) {
            const size_t from = 3 * (size_t)which[j] + i;
            bed->x[3 * (size_t)k + i] = x[from];
            bed->grain[k].v[i] = v[from];
            bed->grain[k].W[i] = w[from] * bed->radius[k];
        }
    }
    // pairs are found anew from here; a pair that has come apart and never meets again is dropped from the list
    return sti_bed_list(bed);
}

int sti_bed_contact_count(const sti_bed* bed) {
    return bed->touches;
}

void sti_bed_contacts(const sti_bed* bed, sti_bed_contact* out) {
    if (bed->touches == 0) return;  // pairs may still name contacts of a step that is gone
    for (int s = 0; s < bed->slab_count; s++) {
        for (int a = bed->slab_first[s]; a < bed->slab_first[s + 1]; a++) {
            for (int64_t k = bed->near_start[a]; k < bed->near_start[a + 1]; k++) {
                const sti_near* near = &bed->near[k];
                if (near->touch < 0) continue;
                const sti_touch* t = &bed->touch[near->touch];
                *out = (sti_bed_contact){
                    .a = bed->id[a],
                    .b = near->b >= 0 ? bed->id[near->b] : near->b,
                    .offset = t->off,
                    .lift = sti_bed_lift(bed, t),
                    .gap = bed->options.h *
                           (t->off > 0 || bed->options.recover == 0 ? t->off : t->off / bed->options.recover)};
                for (int i = 0; i < 3; i++) {
                    out->n[i] = t->n[i];
                    out->r[i] = t->r[i];
                }
                out++;
            }
        }
    }
}

// ---- a step

enum { SUM, MOMENTUM, SPEED = MOMENTUM + 4, LATE, NEXT, SURVEYED };  // what a slab leaves: sums, then the largest

// How far a grain is beyond its room (near.c), but for a share that is the same for all; now, and in some steps at
// the same speed.
static void survey_range(sti_bed* bed, int first, int end, double out[SURVEYED]) {
    const double h = bed->options.h, way = bed->options.eps > 0 ? 0 : h;
    const double soon = bed->tuning.soon * h;
    double sum = 0, momentum[4] = {0}, v2 = 0, late = -INFINITY, next = -INFINITY;
    for (int k = first; k < end; k++) {
        const sti_grain* g = &bed->grain[k];
        double* begin = bed->begin + 6 * (size_t)k;
        const double s2 = dot3(g->v, g->v), speed = sqrt(s2);
        for (int i = 0; i < 3; i++) {
            begin[i] = g->v[i] + h * bed->gravity[i];
            begin[3 + i] = g->W[i];
            momentum[i] += bed->mass[k] * g->v[i];
        }
        momentum[3] += bed->mass[k] * speed;
        bed->speed[k] = speed;
        sum += speed;
        if (s2 > v2) v2 = s2;
        if (!bed->listed) continue;
        const double* x = bed->x + 3 * (size_t)k;
        const double* y = bed->home + 4 * (size_t)k;
        const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
        const double beyond = sqrt(dot3(d, d)) + way * speed - fabs(y[3]);
        late = beyond > late ? beyond : late;
        next = beyond + soon * speed > next ? beyond + soon * speed : next;
        sum += beyond;
    }
    out[SUM] = sum;
    for (int i = 0; i < 4; i++) out[MOMENTUM + i] = momentum[i];
    out[SPEED] = v2;
    out[LATE] = late;
    out[NEXT] = next;
}

static void survey_slab(void* context, int slab, int worker) {
    (void)worker;
    sti_bed* bed = context;
    survey_range(bed, bed->slab_first[slab], bed->slab_first[slab + 1], bed->partial[slab]);
}

// Speeds by place, and velocities before contacts act. False: one is not finite.
static bool survey(sti_bed* bed, double all[SURVEYED]) {
    if (bed->slab_count == 0) survey_range(bed, 0, bed->n, bed->partial[0]);  // no list was ever made
    sti_tasks_run(bed->tasks, bed->slab_count, survey_slab, bed);
    for (int i = 0; i < SURVEYED; i++) all[i] = bed->partial[0][i];
    for (int k = 1; k < bed->slab_count; k++) {
        for (int i = 0; i < SPEED; i++) all[i] += bed->partial[k][i];
        for (int i = SPEED; i < SURVEYED; i++) all[i] = fmax(all[i], bed->partial[k][i]);
    }
    for (int i = 0; i < 4; i++) bed->before[i] = all[MOMENTUM + i];
    return isfinite(all[SUM]);
}

// Grains that have used up their room or will have soon; more than `most`: that many and one more.
static int find_late(const sti_bed* bed, double common, int most, int* out) {
    const double h = bed->options.h, way = bed->options.eps > 0 ? 0 : h;
    int count = 0;
    for (int s = 0; s < bed->slab_count; s++) {
        if (!(bed->partial[s][NEXT] + common > 0)) continue;
        for (int k = bed->slab_first[s]; k < bed->slab_first[s + 1]; k++) {
            const double* x = bed->x + 3 * (size_t)k;
            const double* y = bed->home + 4 * (size_t)k;
            const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
            const double room = fabs(y[3]) - common - (way + bed->tuning.soon * h) * bed->speed[k];
            if (room > 0 && dot3(d, d) < room * room * (1 - 1e-12)) continue;
            if (count == most) return most + 1;
            out[count++] = k;
        }
    }
    return count;
}

// Room for the few that need it. done: false, if they are not few.
static sti_status list_late(sti_bed* bed, double common, bool* done) {
    const int most = sti_bed_stray_most(&bed->tuning, bed->n);
    int* late = sti_alloc_array(bed->env, (size_t)most, sizeof *late);
    *done = false;
    if (late == NULL) return STI_ERR_MEMORY;
    const int count = find_late(bed, common, most - bed->stray_count, late);
    sti_status status = STI_OK;
    if (count <= most - bed->stray_count) status = sti_bed_list_some(bed, late, count, done);
    sti_free(bed->env, late);
    return status;
}

// A list that holds every pair the step may ask for.
static sti_status search(sti_bed* bed) {
    const sti_bed_options* o = &bed->options;
    double all[SURVEYED];
    if (!survey(bed, all))
        return STI_FAIL(bed->env, STI_ERR_ARGUMENT, bed->step, "step %ld: a velocity is too large to compute with",
                        bed->step);
    const double fastest = sqrt(all[SPEED]);
    bed->eps_now = o->eps > 0 ? fmax(o->eps, o->eps_speed * o->h * fastest) : sti_bed_margin(bed) + 2 * o->h * fastest;
    const double common = o->eps > 0 ? 0.5 * bed->eps_now : 0;
    if (bed->listed && common <= bed->wall_room && bed->extra == 0) {
        if (all[LATE] + common <= 0) return STI_OK;
        bool done;
        const sti_status status = list_late(bed, common, &done);
        if (status != STI_OK || done) return status;
    }
    const sti_status status = sti_bed_list(bed);
    if (status == STI_OK) survey(bed, all);  // grains have changed places
    return status;
}

// A step that could not be made has not been made: velocities as before it, and no contacts.
static sti_status undo(sti_bed* bed, sti_status status) {
    memcpy(bed->grain, bed->grain_last, (size_t)bed->n * sizeof *bed->grain);
    sti_bed_drop_contacts(bed);
    return status;
}

typedef struct ending {
    sti_bed* bed;
    bool measured;
} ending;

static void end_slab(void* context, int slab, int worker) {
    (void)worker;
    const ending* e = context;
    sti_bed* bed = e->bed;
    sti_bed_keep(bed, slab);
    for (int k = bed->slab_first[slab]; k < bed->slab_first[slab + 1]; k++) {
        for (int i = 0; i < 3; i++) bed->x[3 * (size_t)k + (size_t)i] += bed->options.h * bed->grain[k].v[i];
    }
    if (e->measured) sti_bed_measure_slab(bed, slab);
}

// Contacts and impulses of the step; velocities at its end.
static sti_status solve(sti_bed* bed, sti_bed_report* done, double* time_search, double* time_solve) {
    const double t0 = sti_clock();
    sti_status status = search(bed);
    if (status == STI_OK) status = sti_bed_gather(bed);
    if (status != STI_OK) return status;
    const double t1 = sti_clock();
    if (bed->options.law == STI_LAW_FACETS || bed->options.solver != STI_BED_GS) {
        memcpy(bed->grain_last, bed->grain, (size_t)bed->n * sizeof *bed->grain);  // which these solvers do not use
        status = sti_bed_solve_convex(bed, done);
        if (status != STI_OK) return undo(bed, status);
    } else {
        sti_bed_solve_sweeps(bed, done);
    }
    *time_search += t1 - t0;
    *time_solve += sti_clock() - t1;
    return STI_OK;
}

// The same, with all pairs in it that it needs.
static sti_status solve_all(sti_bed* bed, sti_bed_report* done, double* time_search, double* time_solve) {
    sti_status status = solve(bed, done, time_search, time_solve);
    while (status == STI_OK && done->again < bed->tuning.wider) {
        const double need = sti_bed_missed(bed);
        if (!(need > 0)) break;
        const int again = done->again + 1;
        *done = (sti_bed_report){.again = again};
        sti_bed_take_back(bed);
        bed->extra = bed->tuning.widen * (bed->extra + need);
        status = solve(bed, done, time_search, time_solve);
    }
    bed->extra = 0;
    return status;
}

sti_status sti_bed_step(sti_bed* bed, sti_bed_report* report) {
    double time_search = 0, time_solve = 0;
    sti_bed_report done = {0};
    bed->stepped = false;
    const sti_status status = solve_all(bed, &done, &time_search, &time_solve);
    if (status != STI_OK) return status;
    const double t2 = sti_clock();
    ending e = {bed, report != NULL};
    sti_tasks_run(bed->tasks, bed->slab_count, end_slab, &e);
    bed->stepped = true;
    bed->step++;
    bed->time = (double)bed->step * bed->options.h;
    if (report != NULL) {
        *report = done;
        report->step = bed->step;
        report->time = bed->time;
        report->contacts = bed->touches;
        sti_bed_measure(bed, report);
        report->sound = fmax(report->penetration, report->overlap) <= STI_BED_OVERLAP * bed->smallest;
        report->solved = report->sound && done.residual <= bed->options.tol;
        report->time_search_s = time_search;
        report->time_solve_s = time_solve;
        report->time_rest_s = sti_clock() - t2;
    }
    return STI_OK;
}
