// state.c: a bed as bytes and back: everything that later steps depend on.
//
// Places, the list of near pairs with their memos, and where that list was made decide the order of sums and when
// the list is made anew, so they are part of the state; contacts are gathered from the list at the start of each step
// and are not. Numbers stand in the byte order and layout of the machine. Whatever the bytes say is checked before it
// is used: the grains by sti_bed_create, orders and indices here.
#include <math.h>
#include <stiction/recording.h>
#include <string.h>

#include "granular/near.h"

#define MAGIC UINT64_C(0x3630646562697473)  // "stibed06"

typedef struct lead {
    uint64_t magic, size;
    uint64_t option_bytes, wall_bytes;
    int64_t n, wall_count, step, listed, slab_count, near_count, near_most, memo_count, foreseen;
    int64_t friction, corners;  // walls and numbers of their polygons; 0: discs all of them
    double gravity[3], time, weight, largest, wall_room, eps_now;
    sti_bed_options options;
    sti_cells cells;
} lead;

// The bytes part by part; each part begins at a multiple of 8.
typedef struct parts {
    char* at;
    size_t size;  // so far
} parts;

static void* next(parts* p, size_t count, size_t size) {
    void* here = p->at != NULL ? p->at + p->size : NULL;
    p->size = sti_size_add(p->size, (size_t)sti_u64_padded(sti_size_mul(count, size)));
    return here;
}

typedef struct view {
    lead* head;
    sti_wall* walls;              // (wall_count)
    sti_wall_friction* friction;  // (wall_count), or none
    double* corners;              // (corners)
    int* id;                      // (n)
    double* x;                    // (n x 3)
    double* radius;               // (n)
    double* mass;                 // (n)
    double* motion;               // v, W, mu         (n x 7)
    double* home;                 // (n x 4)           from here on: when listed
    int* slab_first;              // (slab_count + 1)
    int64_t* near_start;          // (n + 1)
    int32_t* partner;             // of a pair, as sti_near.b           (near_count)
    uint8_t* touches;             // whether a pair has a memo          (near_count)
    sti_memo* memo;               // of these pairs, in their order     (memo_count)
} view;

static size_t lay_out(char* bytes, const lead* head, view* v) {
    parts p = {.at = bytes};
    const size_t n = (size_t)head->n;
    v->head = next(&p, 1, sizeof *v->head);
    v->walls = next(&p, (size_t)head->wall_count, sizeof *v->walls);
    v->friction = next(&p, (size_t)head->friction, sizeof *v->friction);
    v->corners = next(&p, (size_t)head->corners, sizeof *v->corners);
    v->id = next(&p, n, sizeof *v->id);
    v->x = next(&p, n, 3 * sizeof(double));
    v->radius = next(&p, n, sizeof(double));
    v->mass = next(&p, n, sizeof(double));
    v->motion = next(&p, n, 7 * sizeof(double));
    if (!head->listed) return p.size;
    v->home = next(&p, n, 4 * sizeof(double));
    v->slab_first = next(&p, (size_t)head->slab_count + 1, sizeof(int));
    v->near_start = next(&p, n + 1, sizeof(int64_t));
    v->partner = next(&p, (size_t)head->near_count, sizeof *v->partner);
    v->touches = next(&p, (size_t)head->near_count, sizeof *v->touches);
    v->memo = next(&p, (size_t)head->memo_count, sizeof *v->memo);
    return p.size;
}

// ---- saving

static void save_list(const sti_bed* bed, view* v) {
    sti_memo* memo = v->memo;
    for (int64_t k = 0; k < bed->near_start[bed->n]; k++) {
        const sti_near* near = &bed->near[k];
        v->partner[k] = near->b;
        v->touches[k] = near->touch >= 0;
        if (near->touch >= 0) *memo++ = bed->memo[near->touch];
    }
}

// Member by member, into bytes that are zero: what lies between members is nobody's.
static void put_options(const sti_bed_options* o, sti_bed_options* to) {
    to->h = o->h;
    to->law = o->law;
    to->facets = o->facets;
    to->solver = o->solver;
    to->tol = o->tol;
    to->max_iterations = o->max_iterations;
    to->recover = o->recover;
    to->eps = o->eps;
    to->eps_speed = o->eps_speed;
    to->warm = o->warm;
}

static void put_wall(const sti_wall* w, sti_wall* to) {
    to->kind = w->kind;
    for (int i = 0; i < 3; i++) {
        to->point[i] = w->point[i];
        to->axis[i] = w->axis[i];
    }
    to->radius = w->radius;
    to->slope = w->slope;
    to->rim = w->rim;
    to->spin = w->spin;
    to->mu = w->mu;
}

static void put_friction(const sti_wall_friction* f, sti_wall_friction* to) {
    to->section.shape = f->section.shape;
    for (int i = 0; i < 2; i++) to->section.axes[i] = f->section.axes[i];
    to->section.angle = f->section.angle;
    to->section.vertex_count = f->section.vertex_count;
    for (int i = 0; i < 3; i++) to->along[i] = f->along[i];
}

static void put_cells(const sti_cells* c, sti_cells* to) {
    for (int i = 0; i < 3; i++) {
        to->axis[i] = c->axis[i];
        to->low[i] = c->low[i];
        to->count[i] = c->count[i];
    }
    to->width = c->width;
    to->cells = c->cells;
}

// head: zero before
static void put_lead(const sti_bed* bed, lead* head) {
    head->magic = MAGIC;
    head->option_bytes = sizeof(sti_bed_options);
    head->wall_bytes = sizeof(sti_wall);
    head->n = bed->n;
    head->wall_count = bed->wall_count;
    head->step = bed->step;
    head->foreseen = bed->foreseen;
    head->time = bed->time;
    head->weight = bed->weight;
    head->largest = bed->largest;
    head->eps_now = bed->eps_now;
    memcpy(head->gravity, bed->gravity, sizeof head->gravity);
    put_options(&bed->options, &head->options);
    if (bed->friction != NULL) {
        head->friction = bed->wall_count;
        head->corners = (int64_t)sti_rough_corners(bed->friction, bed->wall_count);
    }
    if (!bed->listed) return;
    head->listed = 1;
    head->slab_count = bed->slab_count;
    head->near_count = bed->near_start[bed->n];
    head->near_most = bed->near_most;
    head->wall_room = bed->wall_room;
    put_cells(&bed->cells, &head->cells);
    for (int64_t k = 0; k < head->near_count; k++) head->memo_count += bed->near[k].touch >= 0 ? 1 : 0;
}

sti_status sti_bed_save_state(const sti_bed* bed, void** bytes, size_t* size) {
    *bytes = NULL;
    *size = 0;
    const size_t n = (size_t)bed->n;
    for (int k = 0; bed->friction != NULL && k < bed->wall_count; k++) {
        if (bed->friction[k].section.shape == STI_SECTION_SUPPORT)
            return STI_FAIL(bed->env, STI_ERR_ARGUMENT, k, "wall %d: a support function is no part of a state", k);
    }
    lead head;
    memset(&head, 0, sizeof head);
    put_lead(bed, &head);
    view v;
    head.size = lay_out(NULL, &head, &v);
    char* memory = sti_alloc_array_zero(bed->env, head.size, 1);
    if (memory == NULL) return STI_ERR_MEMORY;
    lay_out(memory, &head, &v);
    memcpy(v.head, &head, sizeof head);
    for (int k = 0; k < bed->wall_count; k++) put_wall(&bed->walls[k], &v.walls[k]);
    double* corner = v.corners;
    for (int k = 0; k < head.friction; k++) {
        const sti_section* s = &bed->friction[k].section;
        const size_t count = s->shape == STI_SECTION_POLYGON ? 2 * (size_t)s->vertex_count : 0;
        put_friction(&bed->friction[k], &v.friction[k]);
        if (count > 0) memcpy(corner, s->vertex, sti_size_mul(count, sizeof *corner));
        corner += count;
    }
    memcpy(v.id, bed->id, sti_size_mul(n, sizeof *v.id));
    memcpy(v.x, bed->x, sti_size_mul(n, 3 * sizeof(double)));
    memcpy(v.radius, bed->radius, sti_size_mul(n, sizeof(double)));
    memcpy(v.mass, bed->mass, sti_size_mul(n, sizeof(double)));
    for (size_t k = 0; k < n; k++) {
        memcpy(v.motion + 7 * k, bed->grain[k].v, 3 * sizeof(double));
        memcpy(v.motion + 7 * k + 3, bed->grain[k].W, 3 * sizeof(double));
        v.motion[7 * k + 6] = bed->grain[k].mu;
    }
    if (bed->listed) {
        memcpy(v.home, bed->home, sti_size_mul(n, 4 * sizeof(double)));
        memcpy(v.slab_first, bed->slab_first, sti_size_mul((size_t)bed->slab_count + 1, sizeof(int)));
        memcpy(v.near_start, bed->near_start, sti_size_mul(n + 1, sizeof(int64_t)));
        save_list(bed, &v);
    }
    *bytes = memory;
    *size = (size_t)head.size;
    return STI_OK;
}

// ---- checking

static sti_status bad(sti_env* env, const char* what) {
    return STI_FAIL(env, STI_ERR_INPUT, -1, "state of a bed: %s", what);
}

static sti_status check_lead(sti_env* env, const lead* head, size_t size) {
    view unused;
    if (size < sizeof *head || head->magic != MAGIC) return bad(env, "not of this version");
    if (head->option_bytes != sizeof(sti_bed_options) || head->wall_bytes != sizeof(sti_wall))
        return bad(env, "not of this version or machine");
    // each count is far below the bytes there are, so the sizes below cannot run over
    const int64_t most = (int64_t)size;
    if (head->n < 1 || head->n > INT32_MAX - 1 || head->n > most || head->wall_count < 0 ||
        head->wall_count > 1000000 || (head->friction != 0 && head->friction != head->wall_count) ||
        head->corners < 0 || head->corners > most || head->wall_count > most ||
        (head->listed != 0 && head->listed != 1) || head->near_count < 0 || head->near_count > most ||
        head->near_count > INT32_MAX || head->memo_count < 0 || head->memo_count > head->near_count ||
        head->slab_count < 0 || head->slab_count > STI_SLAB_MOST || head->step < 0 || head->foreseen < 0 ||
        head->foreseen > sti_tuning_default.foreseen_most || head->size != size || lay_out(NULL, head, &unused) != size)
        return bad(env, "its sizes do not fit together");
    if (!isfinite(head->time) || !(head->weight >= 0) || !(head->largest > 0) || !(head->wall_room >= 0) ||
        !(head->eps_now >= 0) || !isfinite(head->weight + head->largest + head->wall_room + head->eps_now))
        return bad(env, "a number that is not finite");
    return STI_OK;
}

// A bool that is neither 0 nor 1 is none.
static bool is_flag(const bool* flag) {
    unsigned char byte;
    memcpy(&byte, flag, 1);
    return byte <= 1;
}

static sti_status check_flags(sti_env* env, const view* v) {
    bool good = is_flag(&v->head->options.warm);
    for (int64_t k = 0; good && k < v->head->wall_count; k++) good = is_flag(&v->walls[k].rim);
    return good ? STI_OK : bad(env, "its walls or options");
}

// Shapes that a state can have, with their corners; sti_bed_create checks the rest.
static sti_status check_friction(sti_env* env, view* v) {
    double* corner = v->corners;
    int64_t left = v->head->corners;
    for (int64_t k = 0; k < v->head->friction; k++) {
        sti_section* s = &v->friction[k].section;
        int shape;
        memcpy(&shape, &s->shape, sizeof shape);
        s->support = NULL;
        s->user = NULL;
        s->vertex = NULL;
        if (shape < 0 || shape >= STI_SECTION_SUPPORT) return bad(env, "friction of its walls");
        if (shape != STI_SECTION_POLYGON) continue;
        if (s->vertex_count < 3 || s->vertex_count > left / 2) return bad(env, "friction of its walls");
        s->vertex = corner;
        corner += 2 * (size_t)s->vertex_count;
        left -= 2 * (int64_t)s->vertex_count;
    }
    return left == 0 ? STI_OK : bad(env, "friction of its walls");
}

static sti_status check_places(sti_env* env, const view* v, unsigned char* seen) {
    for (int64_t k = 0; k < v->head->n; k++) {
        if (v->id[k] < 0 || v->id[k] >= v->head->n || seen[v->id[k]] != 0) return bad(env, "numbers of grains");
        seen[v->id[k]] = 1;
        if (!(v->radius[k] <= v->head->largest)) return bad(env, "a grain larger than the largest");
        if (v->motion[7 * k + 6] != v->motion[6]) return bad(env, "friction");
    }
    return STI_OK;
}

static bool are_cells(const sti_cells* c, int64_t n) {
    bool seen[3] = {false};
    const uint64_t most = sti_u64_add(sti_u64_mul(4, (uint64_t)n), 64);
    uint64_t cells = 1;
    for (int i = 0; i < 3; i++) {
        if (c->axis[i] < 0 || c->axis[i] > 2 || seen[c->axis[i]] || !isfinite(c->low[i]) || c->count[i] < 1)
            return false;
        seen[c->axis[i]] = true;
        cells = sti_u64_mul(cells, (uint64_t)c->count[i]);
        if (cells > most) return false;
    }
    return c->cells >= 0 && (uint64_t)c->cells == cells && c->width > 0 && isfinite(c->width);
}

// Pairs in order, partners later in the same slab or in the next one; few strays.
static sti_status check_list(sti_env* env, const view* v) {
    const lead* head = v->head;
    if (!head->listed) return STI_OK;
    if (!are_cells(&head->cells, head->n)) return bad(env, "its cells");
    if (head->near_most < head->near_count ||
        (uint64_t)head->near_most > sti_u64_add(sti_u64_mul((uint64_t)head->near_count / 4, 5), 69) ||
        (head->options.eps > 0) != (head->wall_room > 0))
        return bad(env, "its pairs");
    int64_t strays = 0, memos = 0;
    if (head->slab_count < 1 || v->slab_first[0] != 0 || v->slab_first[head->slab_count] != head->n)
        return bad(env, "its slabs");
    for (int s = 0; s < head->slab_count; s++) {  // so none is behind the last place
        if (v->slab_first[s] > v->slab_first[s + 1]) return bad(env, "its slabs");
    }
    if (v->near_start[0] != 0 || v->near_start[head->n] != head->near_count) return bad(env, "its pairs");
    for (int s = 0; s < head->slab_count; s++) {
        const int64_t last = v->slab_first[s + 2 <= head->slab_count ? s + 2 : s + 1];
        for (int64_t a = v->slab_first[s]; a < v->slab_first[s + 1]; a++) {
            if (v->near_start[a] > v->near_start[a + 1] || v->near_start[a + 1] > head->near_count)
                return bad(env, "its pairs");
            for (int64_t k = v->near_start[a]; k < v->near_start[a + 1]; k++) {
                const int b = v->partner[k];
                if (!(b >= 0 ? b > a && b < last : -1 - b < head->wall_count) || v->touches[k] > 1)
                    return bad(env, "a pair");
                memos += v->touches[k];
            }
            const double* y = v->home + 4 * a;
            if (!isfinite(y[0] + y[1] + y[2] + y[3]) || y[3] == 0) return bad(env, "a place");
            strays += y[3] < 0 ? 1 : 0;
        }
    }
    if (memos != head->memo_count) return bad(env, "impulses of its pairs");
    for (int64_t k = 0; k < memos; k++) {
        const sti_memo* m = &v->memo[k];
        if (!isfinite(m->r[0] + m->r[1] + m->r[2]) || !isfinite(m->lead[0] + m->lead[1] + m->lead[2]))
            return bad(env, "an impulse");
    }
    return strays <= sti_bed_stray_most(&sti_tuning_default, (int)head->n) ? STI_OK : bad(env, "grains between cells");
}

// ---- loading

// A bed of the grains by their numbers: sti_bed_create checks them.
static sti_status create(sti_env* env, const view* v, sti_bed** out) {
    const lead* head = v->head;
    const size_t n = (size_t)head->n;
    double* memory = sti_alloc_array(env, n, 11 * sizeof *memory);
    if (memory == NULL) return STI_ERR_MEMORY;
    sti_grains g = {.count = (int)head->n,
                    .x = memory,
                    .v = memory + 3 * n,
                    .w = memory + 6 * n,
                    .radius = memory + 9 * n,
                    .mass = memory + 10 * n,
                    .mu = v->motion[6],
                    .wall_count = (int)head->wall_count,
                    .walls = v->walls,
                    .friction = head->friction > 0 ? v->friction : NULL};
    memcpy(g.gravity, head->gravity, sizeof g.gravity);
    for (size_t k = 0; k < n; k++) {
        const size_t to = (size_t)v->id[k];
        memcpy(g.x + 3 * to, v->x + 3 * k, 3 * sizeof(double));
        memcpy(g.v + 3 * to, v->motion + 7 * k, 3 * sizeof(double));
        memcpy(g.w + 3 * to, v->motion + 7 * k + 3, 3 * sizeof(double));
        g.radius[to] = v->radius[k];
        g.mass[to] = v->mass[k];
    }
    sti_status status = sti_bed_create(env, &g, &head->options, out);
    if (status == STI_ERR_ARGUMENT) status = bad(env, "its grains, walls or options");
    sti_free(env, memory);
    return status;
}

// Grains into their places, bit by bit.
static void restore_grains(sti_bed* bed, const view* v) {
    const size_t n = (size_t)bed->n;
    memcpy(bed->id, v->id, sti_size_mul(n, sizeof *bed->id));
    memcpy(bed->x, v->x, sti_size_mul(n, 3 * sizeof(double)));
    memcpy(bed->radius, v->radius, sti_size_mul(n, sizeof(double)));
    memcpy(bed->mass, v->mass, sti_size_mul(n, sizeof(double)));
    for (size_t k = 0; k < n; k++) {
        bed->place[bed->id[k]] = (int)k;
        bed->grain[k] = (sti_grain){.im = 1 / bed->mass[k], .mu = v->motion[7 * k + 6]};
        memcpy(bed->grain[k].v, v->motion + 7 * k, 3 * sizeof(double));
        memcpy(bed->grain[k].W, v->motion + 7 * k + 3, 3 * sizeof(double));
    }
    bed->step = v->head->step;
    bed->foreseen = (int)v->head->foreseen;
    bed->time = v->head->time;
    bed->weight = v->head->weight;
    bed->largest = bed->smallest = v->head->largest;
    for (int k = 0; k < bed->n; k++) bed->smallest = fmin(bed->smallest, v->radius[k]);
    bed->eps_now = v->head->eps_now;
}

static sti_status restore_list(sti_bed* bed, const view* v) {
    const lead* head = v->head;
    const size_t n = (size_t)bed->n;
    if (!head->listed) return STI_OK;
    bed->near = sti_alloc_array(bed->env, sti_size_add((size_t)head->near_count, 1), sizeof *bed->near);
    if (bed->near == NULL) return STI_ERR_MEMORY;
    bed->near_capacity = head->near_count + 1;
    const sti_status reserved = sti_bed_reserve_memos(bed, head->near_count);
    if (reserved != STI_OK) return reserved;
    sti_bed_take_memos(bed);
    memcpy(bed->near_start, v->near_start, sti_size_mul(n + 1, sizeof *bed->near_start));
    const sti_memo* memo = v->memo;
    for (int64_t k = 0; k < head->near_count; k++) {
        bed->near[k] = (sti_near){.b = v->partner[k], .touch = v->touches[k] != 0 ? (int32_t)k : -1};
        if (v->touches[k] != 0) bed->memo[k] = *memo++;
    }
    bed->near_most = head->near_most;
    bed->wall_room = head->wall_room;
    memcpy(bed->home, v->home, sti_size_mul(n, 4 * sizeof(double)));
    for (int k = 0; k < bed->n; k++) {
        const double room = bed->home[4 * (size_t)k + 3];
        bed->room_most = fmax(bed->room_most, fabs(room));
        if (room < 0) bed->stray[bed->stray_count++] = k;
    }
    bed->cells = head->cells;
    const sti_status status = sti_cells_restore(bed);
    if (status != STI_OK) return status;
    bed->slab_count = (int)head->slab_count;
    memcpy(bed->slab_first, v->slab_first, sti_size_mul((size_t)bed->slab_count + 1, sizeof(int)));
    bed->listed = true;
    return STI_OK;
}

sti_status sti_bed_load_state(sti_env* env, const void* bytes, size_t size, sti_bed** out) {
    lead head = {0};
    view v;
    *out = NULL;
    if (size >= sizeof head) memcpy(&head, bytes, sizeof head);
    sti_status status = check_lead(env, &head, size);
    if (status != STI_OK) return status;
    char* copy = sti_alloc(env, size);  // aligned, whatever the caller's memory is
    unsigned char* seen = sti_alloc_array_zero(env, (size_t)head.n, 1);
    if (copy == NULL || seen == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        memcpy(copy, bytes, size);
        lay_out(copy, &head, &v);
        status = check_flags(env, &v);
        if (status == STI_OK) status = check_friction(env, &v);
        if (status == STI_OK) status = check_places(env, &v, seen);
        if (status == STI_OK) status = check_list(env, &v);
        if (status == STI_OK) status = create(env, &v, out);
    }
    if (status == STI_OK) {
        restore_grains(*out, &v);
        status = restore_list(*out, &v);
    }
    sti_free(env, copy);
    sti_free(env, seen);
    if (status != STI_OK) {
        sti_bed_destroy(*out);
        *out = NULL;
    }
    return status;
}
