// near.c: which grains are near each other: a list of pairs that serves many steps.
//
// Rooms. A step takes a pair along when its gap is at most  margin + share_a + share_b  (touch.c): the share of a grain
// is what it can cover in a step, or half of eps where one eps holds for all; gravity is part of the margin. In the
// list are all pairs with
//
//     |home_a - home_b| - R_a - R_b  <=  margin + room_a + room_b
//
// where home is the place a grain was listed at. Gaps shrink by no more than the two grains have moved, so no pair is
// missed as long as every grain has
//
//     |x - home| + share  <=  room.                                                                   (1)
//
// A wall is a partner that does not move. A room is the share at the time of listing and a reserve; so the list of a
// bed in fall is as long as its grains have neighbours, wherever the fastest one is.
//
// Cells. Grains are sorted into cells (cells.c) wide enough for two rooms of all but a few grains. A pair of these is
// listed under its first place, and its partners lie in five ranges of places: the rest of its own column up to the
// cell above, one column beside it and three in the next layer.
//
// Strays are the few others. They stand outside the cells: each of them goes through all cells in the reach of its
// room, and through the strays before it.
//
// Some grains anew. In a bed at rest some pebbles still roll. One that has used up its room becomes a stray: home and
// room are set anew, pairs that (1) now asks for and the list lacks are put in, and all others stay where they are.
// Pairs that are no longer asked for do no harm. Those who will follow within the next steps are taken along, so that
// it is not done in every step. A whole list is made when there are many of them or many strays, when the list has
// grown by a quarter, or when a new pair reaches beyond the next slab. All of this follows from the state of the bed
// alone.
//
// Cost of a whole list: O(n). Of k grains anew: O(k^2) with k <= 2016, and one move of the list.
#include "granular/near.h"

#include <string.h>

// Room of a stray beyond its share.
static double reserve(const sti_bed* bed, double speed) {
    const sti_tuning* t = &bed->tuning;
    return fmin(fmax(t->room_steps * bed->options.h * speed, t->reserve * bed->largest),
                t->reserve_most * bed->largest);
}

static double speed_of(const sti_bed* bed, int a) {
    return sqrt(dot3(bed->grain[a].v, bed->grain[a].v));
}

// Grains up to this speed stay in cells. At rest: all that will keep to a cell's reserve for as long as that of a stray
// lasts. In motion: all but few.
static double common_speed(const sti_bed* bed) {
    const int most = sti_bed_stray_most(&bed->tuning, bed->n) / 2;
    const double slow = bed->tuning.reserve * bed->largest / (bed->tuning.room_steps * bed->options.h);
    enum { BINS = 64 };
    double fastest = 0;
    int quick = 0;
    for (int a = 0; a < bed->n; a++) {
        const double s = speed_of(bed, a);
        quick += s > slow ? 1 : 0;
        fastest = fmax(fastest, s);
    }
    if (quick <= most || bed->options.eps > 0) return quick <= most ? slow : fastest;
    int bin[BINS] = {0};
    for (int a = 0; a < bed->n; a++) {
        const int b = (int)(speed_of(bed, a) / fastest * BINS);
        bin[b < BINS ? b : BINS - 1]++;
    }
    int above = 0, b = BINS - 1;
    while (b > 0 && above + bin[b] <= most) above += bin[b--];
    return b == BINS - 1 ? fastest : fastest * (b + 1) / BINS * (1 + 1e-12);
}

typedef struct homing {
    sti_bed* bed;
    double common;  // speed
} homing;

static void set_home(sti_bed* bed, int a, double room) {
    double* home = bed->home + 4 * (size_t)a;
    for (int i = 0; i < 3; i++) home[i] = bed->x[3 * (size_t)a + (size_t)i];
    home[3] = room;
}

static void home_slab(void* context, int slab, int worker) {
    (void)worker;
    const homing* h = context;
    sti_bed* bed = h->bed;
    for (int a = bed->slab_first[slab]; a < bed->slab_first[slab + 1]; a++) {
        const double s = speed_of(bed, a), share = sti_bed_share(bed, s);
        set_home(bed, a, s <= h->common ? share + bed->tuning.reserve * bed->largest : -(share + reserve(bed, s)));
    }
}

// All grains at home where they are; strays noted.
static void settle_down(sti_bed* bed, double common) {
    homing h = {bed, common};
    sti_tasks_run(bed->tasks, bed->slab_count, home_slab, &h);
    bed->stray_count = 0;
    bed->room_most = 0;
    for (int a = 0; a < bed->n; a++) {
        const double room = bed->home[4 * (size_t)a + 3];
        bed->room_most = fmax(bed->room_most, fabs(room));
        if (room < 0) bed->stray[bed->stray_count++] = a;
    }
}

// ---- partners

// Which homes are near each other, or near a wall: what a grain reaches, and with what its partner adds.
static double reach_of(const sti_bed* bed, int a) {
    return bed->radius[a] + sti_bed_margin(bed) + fabs(bed->home[4 * (size_t)a + 3]);
}

static inline bool is_near(const sti_bed* bed, const double* x, double reach, int b, double* d2) {
    const double* y = bed->home + 4 * (size_t)b;
    const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    const double near = reach + (bed->radius[b] + fabs(y[3]));
    *d2 = dot3(d, d);
    return *d2 <= near * near;
}

static bool is_near_wall(const sti_bed* bed, int a, int wall, double* gap) {
    const double* x = bed->home + 4 * (size_t)a;
    double n[3];
    *gap = sti_wall_gap(&bed->walls[wall], x, bed->radius[a], n);
    return *gap <= sti_bed_margin(bed) + fabs(x[3]) + bed->wall_room;
}

// About the gap up to which a step takes a pair along (touch.c).
static inline double larger(double x, double y) {
    return x > y ? x : y;
}

static inline double fastest_component(const double* v) {
    return larger(fabs(v[0]), larger(fabs(v[1]), fabs(v[2])));
}

static inline double gap_taken(const sti_bed* bed, int a, int b) {
    const sti_bed_options* o = &bed->options;
    if (o->eps > 0) return bed->eps_now;
    const double fast = larger(fastest_component(bed->grain[a].v), fastest_component(bed->grain[b].v));
    return bed->tuning.margin * bed->radius[a] + sti_bed_fall(bed) + o->h * fast;
}

typedef struct partners {
    const sti_bed* bed;
    sti_near* out;  // NULL: only count
    double reach;
    int count;
    int close;      // of these, how many the step would take along; while counting
    int last;       // of the places met
    int asked;      // places asked so far
    uint64_t hits;  // which of the first 64 asked were near; ALL: more were asked
} partners;

#define ALL UINT64_MAX

static void meet_range(partners* p, int a, int first, int end) {
    const sti_bed* bed = p->bed;
    const double* x = bed->home + 4 * (size_t)a;
    for (int b = first; b < end; b++) {
        double d2;
        if (bed->home[4 * (size_t)b + 3] < 0 || !is_near(bed, x, p->reach, b, &d2)) continue;
        if (p->out != NULL) {
            p->out[p->count] = (sti_near){.b = b, .touch = -1};
        } else {
            const double close = bed->radius[a] + bed->radius[b] + gap_taken(bed, a, b);
            p->close += d2 <= close * close ? 1 : 0;
            if (p->asked + b - first < 64) p->hits |= UINT64_C(1) << (p->asked + b - first);
        }
        p->count++;
        p->last = b;
    }
    p->asked += end - first;
}

// The same when it is known who is near: nobody's home is looked at again.
static void pick_range(partners* p, int first, int end) {
    const int count = end - first;
    uint64_t here = count < 64 ? p->hits & ((UINT64_C(1) << count) - 1) : p->hits;
    p->hits = count < 64 ? p->hits >> count : 0;
    for (; here != 0; here &= here - 1)
        p->out[p->count++] = (sti_near){.b = first + __builtin_ctzll(here), .touch = -1};
}

static inline void ask_range(partners* p, int a, int first, int end) {
    if (p->out != NULL && p->hits != ALL)
        pick_range(p, first, end);
    else
        meet_range(p, a, first, end);
}

static void meet_grains(partners* p, int a) {
    const sti_cells* g = &p->bed->cells;
    const int* start = p->bed->cell_start;
    const double* x = p->bed->home + 4 * (size_t)a;
    const int ix = sti_cells_slot(g, 0, x[g->axis[0]]), iy = sti_cells_slot(g, 1, x[g->axis[1]]);
    const int iz = sti_cells_slot(g, 2, x[g->axis[2]]);
    const int low = iz > 0 ? iz - 1 : 0, high = iz + 1 < g->count[2] ? iz + 1 : iz;
    const int own = (ix * g->count[1] + iy) * g->count[2];
    ask_range(p, a, a + 1, start[own + high + 1]);
    for (int dx = 0; dx <= 1; dx++) {
        for (int dy = dx == 0 ? 1 : -1; dy <= 1; dy++) {
            const int jx = ix + dx, jy = iy + dy;
            if (jx >= g->count[0] || jy < 0 || jy >= g->count[1]) continue;
            const int column = (jx * g->count[1] + jy) * g->count[2];
            ask_range(p, a, start[column + low], start[column + high + 1]);
        }
    }
}

static void meet_walls(partners* p, int a) {
    for (int k = 0; k < p->bed->wall_count; k++) {
        double gap;
        if (!is_near_wall(p->bed, a, k, &gap)) continue;
        if (p->out != NULL)
            p->out[p->count] = (sti_near){.b = -1 - k, .touch = -1};
        else
            p->close += gap <= gap_taken(p->bed, a, a) ? 1 : 0;
        p->count++;
    }
}

// ---- strays

// Pairs to be put into the list, each in the chain of its first place.
typedef struct extra {
    int32_t b;
    int32_t next;  // -1: the chain ends
} extra;

typedef struct extras {
    sti_bed* bed;
    int* first;   // of each place; -1: none    (n)
    extra* item;  // (capacity)
    int count, capacity;
    bool failed;  // no memory
} extras;

static sti_status open_extras(sti_bed* bed, extras* e) {
    *e = (extras){.bed = bed, .first = sti_alloc_array(bed->env, (size_t)bed->n, sizeof(int))};
    if (e->first == NULL) return STI_ERR_MEMORY;
    for (int a = 0; a < bed->n; a++) e->first[a] = -1;
    return STI_OK;
}

static void close_extras(extras* e) {
    sti_free(e->bed->env, e->first);
    sti_free(e->bed->env, e->item);
}

static void add_extra(extras* e, int a, int b) {
    if (e->count == e->capacity) {
        const int capacity = 2 * e->capacity + 256;
        extra* item = sti_realloc(e->bed->env, e->item, (size_t)capacity * sizeof *item);
        e->failed = e->failed || item == NULL;
        if (item == NULL) return;
        e->item = item;
        e->capacity = capacity;
    }
    e->item[e->count] = (extra){b, e->first[a]};
    e->first[a] = e->count++;
}

static void add_pair(extras* e, int a, int b, double reach) {
    double d2;
    if (!is_near(e->bed, e->bed->home + 4 * (size_t)a, reach, b, &d2)) return;
    add_extra(e, a < b ? a : b, a < b ? b : a);
}

// All grains near stray number i, but for strays behind it.
static void seek(extras* e, int i) {
    const sti_bed* bed = e->bed;
    const sti_cells* g = &bed->cells;
    const int* start = bed->cell_start;
    const int a = bed->stray[i];
    const double* x = bed->home + 4 * (size_t)a;
    const double own = reach_of(bed, a), reach = own + bed->largest + bed->room_most;
    int low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = sti_cells_slot(g, k, x[g->axis[k]] - reach);
        high[k] = sti_cells_slot(g, k, x[g->axis[k]] + reach);
    }
    for (int ix = low[0]; ix <= high[0]; ix++) {
        for (int iy = low[1]; iy <= high[1]; iy++) {
            const int column = (ix * g->count[1] + iy) * g->count[2];
            for (int b = start[column + low[2]]; b < start[column + high[2] + 1]; b++) {
                if (bed->home[4 * (size_t)b + 3] >= 0) add_pair(e, a, b, own);
            }
        }
    }
    for (int j = 0; j < i; j++) add_pair(e, a, bed->stray[j], own);
}

void sti_bed_visit(const sti_bed* bed, const double x[3], double reach, void (*visit)(void* context, int b),
                   void* context) {
    const sti_cells* g = &bed->cells;
    int low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = sti_cells_slot(g, k, x[g->axis[k]] - reach);
        high[k] = sti_cells_slot(g, k, x[g->axis[k]] + reach);
    }
    for (int ix = low[0]; ix <= high[0]; ix++) {
        for (int iy = low[1]; iy <= high[1]; iy++) {
            const int column = (ix * g->count[1] + iy) * g->count[2];
            const int end = bed->cell_start[column + high[2] + 1];
            for (int b = bed->cell_start[column + low[2]]; b < end; b++) {
                if (bed->home[4 * (size_t)b + 3] >= 0) visit(context, b);
            }
        }
    }
    for (int j = 0; j < bed->stray_count; j++) visit(context, bed->stray[j]);
}

// ---- a whole list

// The old list, by old places, where memos are looked up.
typedef struct old_list {
    const int64_t* start;
    const sti_near* near;
    const sti_memo* memo;
    const int* old_place;  // of a new one
} old_list;

// A pair of the new list, of place a: its memo, where it has one, gets its number.
static void recall(const old_list* old, int a, int64_t number, sti_near* near, sti_memo* memo) {
    const int first = old->old_place[a];
    int low = first, high = near->b;
    double sign = 1;
    if (near->b >= 0) {
        const int other = old->old_place[near->b];
        low = first < other ? first : other;
        high = first < other ? other : first;
        sign = first < other ? 1 : -1;
    }
    for (int64_t k = old->start[low]; k < old->start[low + 1]; k++) {
        if (old->near[k].b != high) continue;
        if (old->near[k].touch < 0) return;
        const sti_memo* last = &old->memo[old->near[k].touch];
        near->touch = (int32_t)number;
        for (int i = 0; i < 3; i++) {
            memo[number].r[i] = sign * last->r[i];
            memo[number].lead[i] = sign * last->lead[i];
        }
        return;
    }
}

typedef struct listing {
    sti_bed* bed;
    const extras* extras;
    const sti_sorted* sorted;
    int64_t* start;  // (n+1)
    sti_near* near;  // NULL while counting
    const old_list* old;
} listing;

// Walls come last.
static int64_t rank_of(int b) {
    return b >= 0 ? b : (int64_t)INT32_MAX - b;
}

// Pairs of a chain into the list of their first place, which has `count`, in the order of the partners.
static int insert(sti_near* near, int count, const extras* e, int a) {
    for (int k = e->first[a]; k >= 0; k = e->item[k].next) {
        int at = count++;
        for (; at > 0 && rank_of(near[at - 1].b) > rank_of(e->item[k].b); at--) near[at] = near[at - 1];
        near[at] = (sti_near){.b = e->item[k].b, .touch = -1};
    }
    return count;
}

static void count_extras(const listing* l, int a, partners* p) {
    for (int k = l->extras->first[a]; k >= 0; k = l->extras->item[k].next) {
        p->count++;
        if (l->extras->item[k].b > p->last) p->last = l->extras->item[k].b;
    }
}

static void list_slab(void* context, int slab, int worker) {
    (void)worker;
    const listing* l = context;
    sti_bed* bed = l->bed;
    for (int a = bed->slab_first[slab]; a < bed->slab_first[slab + 1]; a++) {
        partners p = {
            .bed = bed, .out = l->near != NULL ? l->near + l->start[a] : NULL, .reach = reach_of(bed, a), .last = a};
        if (l->near != NULL) p.hits = l->sorted->hits[a];
        if (bed->home[4 * (size_t)a + 3] >= 0 && !(l->near != NULL && p.hits == 0)) meet_grains(&p, a);
        if (l->near == NULL) {
            l->sorted->hits[a] = p.asked > 64 ? ALL : p.hits;
            meet_walls(&p, a);
            count_extras(l, a, &p);
            l->start[a + 1] = p.count;
            l->sorted->work[a + 1] = bed->tuning.grain_cost + p.count + bed->tuning.contact_cost * p.close;
            l->sorted->far[a] = p.last;
            continue;
        }
        p.count = insert(p.out, p.count, l->extras, a);
        if (p.count < l->start[a + 1] - l->start[a]) meet_walls(&p, a);
        if (l->old == NULL) continue;
        for (int k = 0; k < p.count; k++) recall(l->old, a, l->start[a] + k, &p.out[k], bed->spare_memo);
    }
}

static sti_status reserve_spare(sti_bed* bed, int64_t count) {
    if (count > INT32_MAX) return STI_FAIL(bed->env, STI_ERR_SIZE, -1, "%lld near pairs", (long long)count);
    if (count <= bed->spare_capacity) return STI_OK;
    const int64_t capacity = count + count / 16 + 64;
    sti_near* near = sti_alloc_array(bed->env, (size_t)capacity, sizeof *near);
    if (near == NULL) return STI_ERR_MEMORY;
    sti_free(bed->env, bed->spare_near);
    bed->spare_near = near;
    bed->spare_capacity = capacity;
    return STI_OK;
}

static void take_spare(sti_bed* bed) {
    int64_t* start = bed->near_start;
    sti_near* near = bed->near;
    const int64_t capacity = bed->near_capacity;
    bed->near_start = bed->spare_start;
    bed->near = bed->spare_near;
    bed->near_capacity = bed->spare_capacity;
    bed->spare_start = start;
    bed->spare_near = near;
    bed->spare_capacity = capacity;
}

// The new list beside the old one, then in its place.
static sti_status make_list(sti_bed* bed, const extras* e, sti_sorted* sorted) {
    int64_t* start = bed->spare_start;
    listing l = {.bed = bed, .extras = e, .sorted = sorted, .start = start};
    sti_tasks_run(bed->tasks, bed->slab_count, list_slab, &l);
    start[0] = 0;
    for (int a = 0; a < bed->n; a++) start[a + 1] += start[a];
    sti_status status = reserve_spare(bed, start[bed->n] + 1);
    if (status == STI_OK) status = sti_bed_reserve_memos(bed, start[bed->n]);
    if (status != STI_OK) return status;
    sti_cells_cut(bed, sorted);
    const old_list old = {bed->near_start, bed->near, bed->memo, sorted->old_place};
    l.near = bed->spare_near;
    l.old = bed->listed ? &old : NULL;
    sti_tasks_run(bed->tasks, bed->slab_count, list_slab, &l);
    take_spare(bed);
    sti_bed_take_memos(bed);
    bed->near_most = start[bed->n] + start[bed->n] / 4 + 64;
    return STI_OK;
}

sti_status sti_bed_list(sti_bed* bed) {
    const double common = common_speed(bed), room = sti_bed_share(bed, common) + bed->tuning.reserve * bed->largest;
    sti_sorted sorted;
    sti_status status = sti_cells_sort(bed, 2 * bed->largest + sti_bed_margin(bed) + 2 * room, &sorted);
    if (status != STI_OK) {
        bed->listed = false;  // homes of some may have been set anew, in the hope of a shorter way
        return status;
    }
    sti_bed_drop_contacts(bed);
    bed->wall_room = bed->options.eps > 0 ? room : 0;
    settle_down(bed, common);
    extras e;
    status = open_extras(bed, &e);
    for (int i = 0; status == STI_OK && i < bed->stray_count; i++) seek(&e, i);
    if (status == STI_OK && e.failed) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = make_list(bed, &e, &sorted);
    bed->listed = status == STI_OK;  // a list that was not made anew is of other places now
    close_extras(&e);
    sti_sorted_clear(bed->env, &sorted);
    return status;
}

// ---- some grains anew

static bool is_listed(const sti_bed* bed, int a, int b) {
    for (int64_t k = bed->near_start[a]; k < bed->near_start[a + 1]; k++) {
        if (bed->near[k].b == b) return true;
    }
    return false;
}

static int slab_of(const sti_bed* bed, int a) {
    int low = 0, high = bed->slab_count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (bed->slab_first[middle] <= a)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// The places become the last of all strays, at home where they are now.
static void let_stray(sti_bed* bed, const int* place, int count) {
    for (int k = 0; k < count; k++) bed->home[4 * (size_t)place[k] + 3] = 0;
    int kept = 0;
    for (int k = 0; k < bed->stray_count; k++) {
        if (bed->home[4 * (size_t)bed->stray[k] + 3] != 0) bed->stray[kept++] = bed->stray[k];
    }
    for (int k = 0; k < count; k++) {
        const double s = speed_of(bed, place[k]), room = sti_bed_share(bed, s) + reserve(bed, s);
        set_home(bed, place[k], -room);
        bed->room_most = fmax(bed->room_most, room);
        bed->stray[kept++] = place[k];
    }
    bed->stray_count = kept;
}

// Chains without the pairs that are in the list; false: a pair reaches too far.
static bool only_new(extras* e, int* count) {
    const sti_bed* bed = e->bed;
    *count = 0;
    for (int a = 0; a < bed->n; a++) {
        int* link = &e->first[a];
        if (*link < 0) continue;
        const int slab = slab_of(bed, a), end = bed->slab_first[slab + 2 <= bed->slab_count ? slab + 2 : slab + 1];
        while (*link >= 0) {
            extra* item = &e->item[*link];
            if (item->b >= end) return false;
            if (is_listed(bed, a, item->b)) {
                *link = item->next;
            } else {
                link = &item->next;
                ++*count;
            }
        }
    }
    return true;
}

static sti_status reserve_near(sti_bed* bed, int64_t count) {
    if (count > INT32_MAX) return STI_FAIL(bed->env, STI_ERR_SIZE, -1, "%lld near pairs", (long long)count);
    if (count <= bed->near_capacity) return STI_OK;
    const int64_t capacity = count + count / 16 + 64;
    sti_near* near = sti_realloc(bed->env, bed->near, (size_t)capacity * sizeof *near);
    if (near == NULL) return STI_ERR_MEMORY;
    bed->near = near;
    bed->near_capacity = capacity;
    return STI_OK;
}

// From the last place down: what lies behind a new pair moves on by as many as come before it.
static void put_in(sti_bed* bed, const extras* e, int64_t shift) {
    int64_t* start = bed->near_start;
    sti_near* near = bed->near;
    int64_t end = start[bed->n];  // of what has not been moved
    for (int a = bed->n - 1; shift > 0; a--) {
        const int64_t behind = start[a + 1];
        start[a + 1] += shift;
        if (e->first[a] < 0) continue;
        memmove(near + behind + shift, near + behind, (size_t)(end - behind) * sizeof *near);
        for (int k = e->first[a]; k >= 0; k = e->item[k].next) shift--;
        memmove(near + start[a] + shift, near + start[a], (size_t)(behind - start[a]) * sizeof *near);
        insert(near + start[a] + shift, (int)(behind - start[a]), e, a);
        end = start[a];
    }
}

sti_status sti_bed_list_some(sti_bed* bed, const int* place, int count, bool* done) {
    *done = false;
    extras e;
    sti_status status = open_extras(bed, &e);
    if (status != STI_OK) return status;
    let_stray(bed, place, count);
    for (int i = bed->stray_count - count; i < bed->stray_count; i++) {
        const int a = bed->stray[i];
        double gap;
        seek(&e, i);
        for (int k = 0; k < bed->wall_count; k++) {
            if (is_near_wall(bed, a, k, &gap)) add_extra(&e, a, -1 - k);
        }
    }
    int fresh = 0;
    if (e.failed) {
        status = STI_ERR_MEMORY;
    } else if (only_new(&e, &fresh) && bed->near_start[bed->n] + fresh <= bed->near_most) {
        status = reserve_near(bed, bed->near_start[bed->n] + fresh);
        if (status == STI_OK) put_in(bed, &e, fresh);
        *done = status == STI_OK;
    }
    if (status != STI_OK) bed->listed = false;  // homes are not those of the list
    close_extras(&e);
    return status;
}
