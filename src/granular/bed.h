// bed.h: the inside of a bed: grains by place, pairs that are near, contacts of the step, in the form a sweep reads.
//
// For a sphere the arm of a contact is parallel to its normal, so with W = (radius) x (angular velocity), m the mass
// and moment of inertia 2/5 m radius^2, the radius drops out of everything a solver touches:
//
//     slip       u   = v_a - v_b - (W_a + W_b) x n
//     impulse r  v_a += r / m_a,   v_b -= r / m_b,   W -= 5/2 (n x r) / m  for both
//     block      W_kk = (1/m_a + 1/m_b) diag(1, 7/2, 7/2)
//
// A grain and a contact are one cache line each.
#ifndef STI_GRANULAR_BED_H
#define STI_GRANULAR_BED_H

#include <math.h>
#include <stiction/granular.h>

#include "base/arena.h"
#include "base/env.h"
#include "granular/tuning.h"
#include "linalg/vec3.h"
#include "par/tasks.h"

typedef struct sti_grain {
    double v[3];
    double im;  // 1 / mass, 0 for a wall
    double W[3];
    double mu;  // friction of others on it: of a contact, that of b
} sti_grain;

typedef struct sti_touch {
    double n[3];   // unit, from b to a
    double off;    // Phi / h: added to the normal velocity
    double r[3];   // impulse on a
    int32_t a, b;  // places; b >= n: a wall
} sti_touch;

// The impulse a contact had one sweep ago, for sweeps with momentum.
typedef struct sti_trail {
    double r[4];  // the fourth means nothing
} sti_trail;

// What a contact hands on from step to step (touch.c).
typedef struct sti_memo {
    double r[3];     // impulse on a that the next step starts from
    double lead[3];  // of it, what goes beyond the mean of the last steps
} sti_memo;

// Two grains (or a grain and a wall) near enough to touch before the list is made again. Half of them do not touch:
// what a step reads of all pairs is kept small.
typedef struct sti_near {
    int32_t b;      // a later place, or -1 - wall
    int32_t touch;  // its contact in the current step, and its memo; -1: none
} sti_near;

// Cells of a grid, in the order of which grains have their places.
typedef struct sti_cells {
    int axis[3];  // of space: along the first one cells are ordered last
    double low[3], width;
    int count[3];  // of cells along these axes
    int64_t cells;
} sti_cells;

// A contact with a wall whose friction is no disc (rough.c): its place in the slab, and the axes of the section.
typedef struct sti_rough {
    int32_t at, wall;
    double t1[3], t2[3];
} sti_rough;

// Slabs are ranges of places with about the same work. A contact belongs to the slab of a, and b lies there or in the
// next slab, so the even slabs can be worked on at the same time, and then the odd ones. They depend on the grains
// alone.
enum { STI_SLAB_MOST = 64, STI_FACETS_MOST = 64 };

struct sti_bed {
    sti_arena memory;
    sti_env* env;
    sti_tasks* tasks;
    sti_bed_options options;
    sti_tuning tuning;
    sti_bed_method method;  // of the caller; solve NULL: none
    int n;
    int wall_count;
    sti_wall* walls;
    sti_wall_friction* friction;  // NULL: discs all of them                    (wall_count)
    double* reach;                // largest distance of a point of S from 0    (wall_count)
    double gravity[3];
    double largest, smallest;  // radius
    long step;
    double time;
    double weight;  // of all grains

    // by place
    int* id;                // number the grain was given                  (n)
    int* place;             // of a number                                 (n)
    double* x;              // (n x 3)
    double* radius;         // (n)
    double* mass;           // (n)
    double* begin;          // velocities (v, W) of the step before contacts act (n x 6)
    double* speed;          // |v| when the step begins                     (n)
    unsigned char* swift;   // farther in it than half of its range (missed.c) (n)
    sti_grain* grain;       // grains, walls, then one for every contact with a wall that moves (grain_capacity)
    sti_grain* grain_last;  // velocities one sweep ago, during a solve          (n)
    int grain_capacity;
    void* grain_memory;
    void* last_memory;

    // pairs that are near (near.c)
    double wall_room;  // what a wall adds to the room of a grain
    double* home;      // where a grain was listed, and its room; negative: that of a stray     (n x 4)
    double room_most;  // largest of all
    bool listed;
    int64_t* near_start;  // by place of a                            (n+1)
    sti_near* near;       // (near_capacity)
    int64_t near_capacity;
    int64_t near_most;     // pairs beyond this: time for a new list
    int64_t* spare_start;  // where the next list is made             (n+1)
    sti_near* spare_near;  // (spare_capacity)
    int64_t spare_capacity;
    sti_cells cells;  // in which all grains but the strays are found
    int* cell_start;  // first place of each                          (cell_capacity, more than cells)
    int64_t cell_capacity;
    int* stray;  // places                                       (sti_bed_stray_most)
    int stray_count;
    int slab_count;
    int slab_first[STI_SLAB_MOST + 1];  // places
    int slab_reach[STI_SLAB_MOST];      // behind the last place that a contact of the slab touches
    int slab_worker[STI_SLAB_MOST];     // who worked on it last

    // contacts of the step: slab s has touch[first[s] .. first[s] + count[s])
    sti_touch* touch;
    sti_trail* trail;      // beside touch
    sti_memo* memo;        // by sti_near.touch                           (memo_capacity)
    sti_memo* spare_memo;  // where the next ones are made                (spare_memo_capacity)
    int64_t memo_capacity;
    int64_t spare_memo_capacity;
    int foreseen;  // sweeps of the next step before its first look (accelerate.c)
    void* touch_memory;
    int64_t touch_capacity;
    int64_t touch_first[STI_SLAB_MOST];
    int touch_count[STI_SLAB_MOST];
    int touches;
    bool stepped;  // contacts, `begin` and velocities belong to one step that was made

    // those of them whose friction is no disc: of slab s rough[rough_first[s]] .. before rough[rough_first[s + 1]]
    sti_rough* rough;
    int64_t rough_capacity;
    int64_t rough_first[STI_SLAB_MOST + 1];

    double eps_now;    // largest gap the step takes along
    double extra;      // that a step made anew takes along beyond its range; 0 between steps (missed.c)
    double before[4];  // sums of m v and of m |v| when the step begins

    // scratch
    void* scratch;                      // a line for each grain: to sort them by place (cells.c)
    double partial[STI_SLAB_MOST][24];  // sums of the slabs, added up in their order
};

#define STI_BED_OVERLAP 0.1  // of the smallest radius: what is more is no step of hard grains

sti_status sti_bed_reserve_grains(sti_bed* bed, int count);
sti_status sti_bed_reserve_touches(sti_bed* bed, int64_t count);
sti_status sti_bed_reserve_memos(sti_bed* bed, int64_t count);  // the spare ones
void sti_bed_take_memos(sti_bed* bed);                          // the spare ones become those of the bed

// missed.c: by how much a step, not yet moved, should have taken along more than it did; 0: it missed nothing. And its
// velocities taken back.
double sti_bed_missed(sti_bed* bed);
void sti_bed_take_back(sti_bed* bed);

double sti_bed_lift(const sti_bed* bed,
                    const sti_touch* t);  // measure.c: of a contact that carries, by a convex law; else 0

// step.c: other places for a few grains, by number; the impulses of all others are kept.
sti_status sti_bed_replace(sti_bed* bed, const double* x, const double* v, const double* w, const int* which,
                           int count);

// layout.c: grains at rest at the origin, all alike, and room for walls.
sti_status sti_grains_create(sti_env* env, int count, int walls, double radius, double mass, sti_grains* out);

void sti_wall_velocity(const sti_wall* wall, const double x[3], double v[3]);

// No contacts: those there were belong to other places, or to a step that was not made.
static inline void sti_bed_drop_contacts(sti_bed* bed) {
    bed->touches = 0;
    for (int s = 0; s < STI_SLAB_MOST; s++) bed->touch_count[s] = 0;
}

// What gravity adds to the way of a grain in a step.
static inline double sti_bed_fall(const sti_bed* bed) {
    return bed->options.h * bed->options.h * sqrt(dot3(bed->gravity, bed->gravity));
}

static inline void sti_slip(const sti_grain* a, const sti_grain* b, const double* n, double u[3]) {
    const double s[3] = {a->W[0] + b->W[0], a->W[1] + b->W[1], a->W[2] + b->W[2]};
    u[0] = a->v[0] - b->v[0] - (s[1] * n[2] - s[2] * n[1]);
    u[1] = a->v[1] - b->v[1] - (s[2] * n[0] - s[0] * n[2]);
    u[2] = a->v[2] - b->v[2] - (s[0] * n[1] - s[1] * n[0]);
}

// near.c: the list of near pairs, all of it from the present positions; impulses of pairs that stay are kept.
sti_status sti_bed_list(sti_bed* bed);
// Some grains anew, by place; done: false, if a whole list is wanted instead.
sti_status sti_bed_list_some(sti_bed* bed, const int* place, int count, bool* done);
// touch.c: the contacts with gap <= eps, slab by slab, with the impulses of the last step (or none).
sti_status sti_bed_gather(sti_bed* bed);
void sti_bed_keep(sti_bed* bed, int slab);  // memos from the impulses of a step
// measure.c: what a slab adds, while its contacts are at hand; then the rest, and all of it.
void sti_bed_measure_slab(sti_bed* bed, int slab);
void sti_bed_measure(sti_bed* bed, sti_bed_report* report);

// lanes.h, built more than once
#define STI_LANES_DECLARE(kind)                                                                                  \
    void sti_sweep_coulomb_##kind(sti_grain* grain, sti_touch* touch, int count);                                \
    void sti_sweep_cone_##kind(sti_grain* grain, sti_touch* touch, int count);                                   \
    void sti_glide_coulomb_##kind(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count); \
    void sti_glide_cone_##kind(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count);    \
    void sti_push_all_##kind(sti_grain* grain, const sti_touch* touch, int count);                               \
    void sti_slip_all_##kind(const sti_grain* grain, const sti_touch* touch, int count, double* u);              \
    void sti_form_all_##kind(const sti_grain* grain, sti_touch* touch, int count, int walls, double h,           \
                             double recover);                                                                    \
    void sti_map_all_##kind(const sti_grain* grain, const sti_touch* touch, int count, bool coulomb, double out[2]);
STI_LANES_DECLARE(plain)
STI_LANES_DECLARE(avx2)
STI_LANES_DECLARE(avx512)  // but for glides, which gain nothing from eight lanes: those of avx2

typedef struct sti_loops {
    void (*sweep_coulomb)(sti_grain* grain, sti_touch* touch, int count);
    void (*sweep_cone)(sti_grain* grain, sti_touch* touch, int count);
    void (*glide_coulomb)(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count);
    void (*glide_cone)(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count);
    void (*push)(sti_grain* grain, const sti_touch* touch, int count);
    void (*slip)(const sti_grain* grain, const sti_touch* touch, int count, double* u);
    void (*form)(const sti_grain* grain, sti_touch* touch, int count, int walls, double h, double recover);
    void (*map)(const sti_grain* grain, const sti_touch* touch, int count, bool coulomb, double out[2]);
} sti_loops;

#define STI_LOOPS(kind, few)                                                                            \
    {                                                                                                   \
        sti_sweep_coulomb_##kind, sti_sweep_cone_##kind, sti_glide_coulomb_##few, sti_glide_cone_##few, \
            sti_push_all_##kind, sti_slip_all_##kind, sti_form_all_##kind, sti_map_all_##kind           \
    }

// rough.c: friction of walls that is no disc. Nothing of it is called where there is none.
sti_status sti_rough_check(sti_env* env, const sti_grains* grains, sti_law law);
sti_status sti_rough_create(sti_bed* bed, const sti_grains* grains);
size_t sti_rough_corners(const sti_wall_friction* friction, int count);  // numbers of all polygons
void sti_rough_copy(const sti_wall_friction* from, int count, sti_wall_friction* to, double* corners);
sti_status sti_rough_gather(sti_bed* bed);  // after the contacts of the step
// A pass over the contacts of a slab; the lanes take what lies between contacts that are rough. trail NULL: none.
void sti_rough_sweep(sti_bed* bed, int slab, const sti_loops* loops, sti_trail* trail, double beta);
void sti_rough_map(sti_bed* bed, int slab, const sti_loops* loops, double out[2]);
double sti_rough_violation(const sti_bed* bed, int slab);             // largest distance of r_t from mu r_n S
const sti_rough* sti_rough_of(const sti_bed* bed, int slab, int at);  // NULL: a disc

// sweep.c: passes over the contacts, slab by slab. Those of a list follow each other without a meeting of all threads:
// a slab goes on when its neighbours have come as far as itself.
typedef enum sti_pass_kind {
    STI_PASS_SWEEP,    // plain
    STI_PASS_TRAIL,    // sweeps with momentum begin here
    STI_PASS_GLIDE,    // sweep from r + beta (r - last r)
    STI_PASS_ANEW,     // grain velocities from `begin` and all impulses
    STI_PASS_PUSH,     // impulses act on the grains
    STI_PASS_RESIDUAL  // sums of the natural map
} sti_pass_kind;

typedef struct sti_pass {
    sti_pass_kind kind;
    double beta;
} sti_pass;

enum { STI_PASSES_SWEEPS = 64 };  // and a list of passes has room for a trail, velocities and a residual

typedef struct sti_passes {
    int count;
    sti_pass pass[STI_PASSES_SWEEPS + 3];
} sti_passes;

void sti_passes_add(sti_passes* passes, sti_pass_kind kind, double beta);
void sti_passes_run(sti_bed* bed, sti_passes* passes);         // and empties it
double sti_passes_residual(sti_bed* bed, sti_passes* passes);  // runs and empties it; then the natural map, relative

const sti_loops* sti_loops_pick(bool wide);  // sweep.c: those for this processor

void sti_bed_velocities(sti_bed* bed);              // grain velocities from `begin` and all impulses, anew
void sti_bed_push(sti_bed* bed, sti_grain* grain);  // the impulses of all contacts act on `grain`
void sti_bed_slips(const sti_bed* bed, const sti_grain* grain, int slab, double* u);  // of a slab (touch_count x 3)
void sti_bed_form(const sti_bed* bed, sti_touch* touch, int count);  // contacts as a step begins (lanes.h)
// Both leave impulses in the contacts and velocities in the grains, and fill residual, iterations and what belongs to
// the law.
void sti_bed_solve_sweeps(sti_bed* bed, sti_bed_report* report);        // accelerate.c
sti_status sti_bed_solve_convex(sti_bed* bed, sti_bed_report* report);  // dual.c

#endif
