// lift.c: assemblies that a caller put inside something are moved out of it as they are, before the first step.
//
// Mending bends joints, links pass each other on the way, and its rows are those of small displacements: a robot that
// starts a metre deep in the ground costs minutes there, or stays in it. Here nothing turns. Bodies that joints and
// springs connect, and that no joint holds to what stands still, are shifted by one vector t, the same for all:
//
//     min sum m |t|^2      subject to      n'(t_a - t_b) + gap >= 0   at every contact of two that may move apart
//
// by Hildreth's method, one contact after the other: l += (what is open) / (1/m_a + 1/m_b), l >= 0, t = sum n l / m. It
// converges to the one answer where there is any. Contacts are looked for again at the new places, as long as shifts
// make new ones.
//
// What overlaps in the end though it could be shifted (between two walls, say) is an answer of none: all places are put
// back, and mending does what it can. Free bodies alone are left to mending, which turns them as well.
#include <math.h>
#include <string.h>

#include "bodies/motion.h"
#include "linalg/vec3.h"

enum { LOOKS = 10, SWEEPS = 1000 };
#define CLOSE 1e-12  // lengths of the scene: a contact is open to rounding
#define SAME 1e-14   // 1 - cosine of normals that count as one

// The assembly that shifts with this body; -1: it stays.
static int party_of(const sti_world* world, int body) {
    const sti_links* links = &world->solve->links;
    const int slot = world->slot[body], node = slot < 0 ? -1 : links->assembly_of[slot];
    return node < 0 || links->assembly[node].held ? -1 : node;
}

// Does a contact that shifts can open overlap by more than `most`, of a linked body where `asked`?
static bool overlaps(const sti_world* world, double most, bool asked) {
    const sti_links* links = &world->solve->links;
    for (int c = 0; c < world->contact_count; c++) {
        const sti_world_contact* at = &world->contact[c].at;
        const int a = party_of(world, at->a), b = party_of(world, at->b);
        if (a == b || !(-at->gap > most)) continue;
        const bool linked = (a >= 0 && links->assembly[a].row_count > 0 && world->given[at->a]) ||
                            (b >= 0 && links->assembly[b].row_count > 0 && world->given[at->b]);
        if (linked || !asked) return true;
    }
    return false;
}

// What two that may move apart ask of each other along n; a, b: assemblies, -1: what stays.
typedef struct demand {
    int a, b;
    double n[3], gap, l;
} demand;

// Of contacts with one normal the deepest asks all that the others ask. How many demands.
static int list_demands(const sti_world* world, demand* list) {
    int count = 0;
    for (int c = 0; c < world->contact_count; c++) {
        const sti_world_contact* at = &world->contact[c].at;
        const int a = party_of(world, at->a), b = party_of(world, at->b);
        if (a == b) continue;
        int i = 0;
        while (i < count && (list[i].a != a || list[i].b != b || !(dot3(list[i].n, at->n) > 1 - SAME))) i++;
        if (i == count) {
            list[count++] = (demand){.a = a, .b = b, .n = {at->n[0], at->n[1], at->n[2]}, .gap = at->gap};
        } else {
            list[i].gap = fmin(list[i].gap, at->gap);
        }
    }
    return count;
}

// t (moving x 3) of each assembly; mass of each. True: all gaps are open.
static bool shifts(const sti_world* world, int count, demand* list, const double* mass, double* t) {
    memset(t, 0, 3 * (size_t)world->moving * sizeof *t);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double worst = 0;
        for (demand* e = list; e < list + count; e++) {
            double open = e->gap;
            if (e->a >= 0) open += dot3(e->n, t + 3 * e->a);
            if (e->b >= 0) open -= dot3(e->n, t + 3 * e->b);
            worst = fmax(worst, -open);
            const double give = (e->a >= 0 ? 1 / mass[e->a] : 0) + (e->b >= 0 ? 1 / mass[e->b] : 0);
            const double more = fmax(-e->l, -open / give);
            e->l += more;
            for (int k = 0; k < 3; k++) {
                if (e->a >= 0) t[3 * e->a + k] += more * e->n[k] / mass[e->a];
                if (e->b >= 0) t[3 * e->b + k] -= more * e->n[k] / mass[e->b];
            }
        }
        if (worst <= CLOSE * world->size) return true;
    }
    return false;
}

static void shift(sti_world* world, const double* t) {
    for (int i = 0; i < world->bodies->count; i++) {
        const int node = party_of(world, i);
        for (int k = 0; k < 3 && node >= 0; k++) world->placed[i].x[k] += t[3 * node + k];
    }
    world->solve->detected = false;
}

static sti_status raise(sti_world* world, sti_arena* arena) {
    const size_t moving = (size_t)world->moving;
    double *mass = sti_arena_doubles(arena, moving), *t = sti_arena_doubles(arena, 3 * moving);
    if (arena->status != STI_OK) return arena->status;
    for (int i = 0; i < world->bodies->count; i++) {
        const int node = party_of(world, i);
        if (node >= 0) mass[node] += world->bodies->mass[i].mass;
    }
    for (int look = 0; look < LOOKS && overlaps(world, STI_OVERLAP * world->size, false); look++) {
        demand* list = sti_arena_take(arena, (size_t)world->contact_count, sizeof *list);
        if (list == NULL) return arena->status;
        if (!shifts(world, list_demands(world, list), list, mass, t)) return STI_OK;
        shift(world, t);
        const sti_status status = sti_world_look(world);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

// The two that overlap most where somebody gave their places.
static void note(const sti_world* world, sti_lift* lift) {
    for (int c = 0; c < world->contact_count; c++) {
        const sti_world_contact* at = &world->contact[c].at;
        const bool given =
            (world->slot[at->a] >= 0 && world->given[at->a]) || (world->slot[at->b] >= 0 && world->given[at->b]);
        if (!given) continue;
        if (party_of(world, at->a) == party_of(world, at->b) || !(-at->gap > lift->depth)) continue;
        lift->depth = -at->gap;
        lift->a = at->a;
        lift->b = at->b;
    }
}

sti_status sti_world_lift(sti_world* world, sti_lift* lift) {
    struct sti_world_solve* s = world->solve;
    *lift = (sti_lift){0};
    bool given = false;
    for (int i = 0; i < world->bodies->count; i++) given = given || (world->slot[i] >= 0 && world->given[i]);
    if (!given || world->bodies->joint_count == 0 || !world->options.stabilize) return STI_OK;
    sti_status status = sti_links_collect(world, world->v);
    if (status == STI_OK) status = sti_world_look(world);
    if (status != STI_OK || !overlaps(world, STI_OVERLAP * world->size, true)) return status;
    const double before = sti_world_potential(world, NULL);
    note(world, lift);
    sti_arena arena = sti_arena_make(world->env);
    status = raise(world, &arena);
    sti_arena_clear(&arena);
    if (status != STI_OK) return status;
    if (overlaps(world, STI_OVERLAP * world->size, false)) {
        memcpy(world->placed, s->kept, (size_t)world->bodies->count * sizeof *s->kept);
        s->detected = false;
        *lift = (sti_lift){0};
        return STI_OK;
    }
    for (int i = 0; i < world->bodies->count; i++) {
        double way[3];
        sub3(world->placed[i].x, s->kept[i].x, way);
        lift->way = fmax(lift->way, norm3(way));
    }
    memcpy(s->kept, world->placed, (size_t)world->bodies->count * sizeof *s->kept);
    lift->energy = sti_world_potential(world, NULL) - before;
    return STI_OK;
}
