// responses.c: what the bodies of an island do when a force acts along a row of one of its acts.
//
//     z_j = A^-1 H_j,        W_ij = H_i' z_j
//
// A row acts on two bodies at most, and of an answer only what the bodies do counts that acts of the island move: the
// others lie in no H_i. So each z is kept on these, on their seats, assembly by assembly. On a free body it is six
// numbers. On an assembly it takes a solve with the factors of its joints (sti_links_respond), and z is linear in the
// row: where more rows act on a body than it has velocities, it is asked for the answers to a unit force on each of
// these, and all its rows are combinations,
//
//     A^-1 H_j = sum_e (H_j)_e A^-1 1_e        of 6 solves for a foot, whether it stands on 3 points or on 32.
//
// Both are the same up to rounding of the size of A^-1 |H_j|, which is that of the direct solve too.
#include <string.h>

#include "bodies/motion.h"

typedef struct answers {
    sti_world* world;
    const sti_acts* acts;
    sti_island_room* room;
    int d, nv;
    int count;  // acts in room->list
} answers;

static void slots_of(const answers* k, int i, int slot[2]) {
    sti_act_slots(k->world, &k->acts->act[k->room->list[i]], slot);
}

static size_t node_size(const answers* k, int node) {
    return (size_t)k->nv * (size_t)k->room->seats[node];
}

// Seats for the bodies that the acts move, and how many rows act on each.
static void seat_bodies(const answers* k) {
    sti_island_room* room = k->room;
    const int* assembly_of = k->world->solve->links.assembly_of;
    int slot[2];
    for (int i = 0; i < k->count; i++) {
        slots_of(k, i, slot);
        for (int side = 0; side < 2; side++) {
            if (slot[side] < 0) continue;
            room->rows_on[slot[side]] = 0;
            room->seats[assembly_of[slot[side]]] = 0;
            room->seated[assembly_of[slot[side]]] = -1;
        }
    }
    for (int i = 0; i < k->count; i++) {
        const sti_act* act = &k->acts->act[room->list[i]];
        int rows = 0;
        for (int a = 0; a < k->d; a++) rows += act->row[a] != NULL;
        slots_of(k, i, slot);
        for (int side = 0; side < 2; side++) {
            const int at = slot[side];
            if (at < 0) continue;
            if (room->rows_on[at] == 0) {
                const int node = assembly_of[at];
                room->seat[at] = room->seats[node]++;
                room->seat_next[at] = room->seated[node];
                room->seated[node] = at;
            }
            room->rows_on[at] += rows;
        }
    }
}

// z on the bodies that have a seat.
static void respond_to(const answers* k, int node, const sti_row* row, double* z) {
    const sti_island_room* room = k->room;
    const size_t nv = (size_t)k->nv;
    double* whole = k->world->solve->response;
    sti_links_respond(k->world, node, row, whole);
    for (int slot = room->seated[node]; slot >= 0; slot = room->seat_next[slot]) {
        const int place = k->world->solve->links.place_in[slot];
        memcpy(z + nv * (size_t)room->seat[slot], whole + nv * (size_t)place, nv * sizeof *z);
    }
}

static bool asks_units(const answers* k, int slot) {
    const sti_links* links = &k->world->solve->links;
    return links->assembly[links->assembly_of[slot]].row_count > 0 && k->room->rows_on[slot] > k->nv;
}

// Answers to unit forces, for bodies on which many rows act.
static sti_status respond_to_units(const answers* k) {
    sti_island_room* room = k->room;
    const sti_links* links = &k->world->solve->links;
    int slot[2];
    for (int i = 0; i < k->count; i++) {
        slots_of(k, i, slot);
        for (int side = 0; side < 2; side++) {
            if (slot[side] >= 0) room->unit[slot[side]] = NULL;
        }
    }
    for (int i = 0; i < k->count; i++) {
        slots_of(k, i, slot);
        for (int side = 0; side < 2; side++) {
            const int at = slot[side];
            if (at < 0 || room->unit[at] != NULL || !asks_units(k, at)) continue;
            const int node = links->assembly_of[at];
            room->unit[at] = sti_arena_raw(&room->local, (size_t)k->nv * node_size(k, node), sizeof(double));
            if (room->unit[at] == NULL) return room->local.status;
            for (int e = 0; e < k->nv; e++) {
                sti_row row = {.a = k->world->solve->body[at], .b = -1};
                row.ja[e] = 1;
                respond_to(k, node, &row, room->unit[at] + (size_t)e * node_size(k, node));
            }
        }
    }
    return STI_OK;
}

// z as a combination of answers to unit forces; false: one of the bodies has none.
static bool combine(const answers* k, int node, const sti_row* row, double* z) {
    const sti_links* links = &k->world->solve->links;
    const size_t size = node_size(k, node);
    const double* unit[2] = {NULL, NULL};
    for (int side = 0; side < 2; side++) {
        const int slot = sti_slot_of(k->world, side == 0 ? row->a : row->b);
        if (slot < 0 || links->assembly_of[slot] != node) continue;
        unit[side] = k->room->unit[slot];
        if (unit[side] == NULL) return false;
    }
    memset(z, 0, size * sizeof *z);
    for (int side = 0; side < 2; side++) {
        const double* j = side == 0 ? row->ja : row->jb;
        for (int e = 0; e < k->nv && unit[side] != NULL; e++) {
            const double* to = unit[side] + (size_t)e * size;
            for (size_t i = 0; i < size && j[e] != 0; i++) z[i] += j[e] * to[i];
        }
    }
    return true;
}

sti_status sti_island_respond(sti_world* world, const sti_acts* acts, int count) {
    sti_island_room* room = &world->solve->room;
    const answers k = {.world = world, .acts = acts, .room = room, .d = world->dim, .nv = world->nv, .count = count};
    seat_bodies(&k);
    size_t need = 0;
    for (int i = 0; i < 2 * count; i++) {
        room->z_at[i] = need;
        if (room->node[i] >= 0) need += (size_t)k.d * node_size(&k, room->node[i]);
    }
    room->z = sti_arena_raw(&room->local, need, sizeof *room->z);
    if (room->z == NULL) return room->local.status;
    const sti_status status = respond_to_units(&k);
    if (status != STI_OK) return status;
    for (int i = 0; i < 2 * count; i++) {
        const int node = room->node[i];
        const sti_act* act = &acts->act[room->list[i / 2]];
        for (int a = 0; a < k.d && node >= 0; a++) {
            double* z = room->z + room->z_at[i] + (size_t)a * node_size(&k, node);
            if (act->row[a] == NULL)
                memset(z, 0, node_size(&k, node) * sizeof *z);
            else if (!combine(&k, node, act->row[a], z))
                respond_to(&k, node, act->row[a], z);
        }
    }
    return STI_OK;
}

void sti_island_block(const sti_world* world, const sti_acts* acts, int i, int j, double* B) {
    const sti_island_room* room = &world->solve->room;
    const sti_links* links = &world->solve->links;
    const int d = world->dim, nv = world->nv;
    const sti_act* act = &acts->act[room->list[i]];
    for (int e = 0; e < d * d; e++) B[e] = 0;
    for (int side = 0; side < 2; side++) {
        const int node = room->node[2 * j + side];
        if (node < 0 || (room->node[2 * i] != node && room->node[2 * i + 1] != node)) continue;
        const double* z = room->z + room->z_at[2 * j + side];
        const size_t size = (size_t)nv * (size_t)room->seats[node];
        for (int a = 0; a < d; a++) {
            const sti_row* row = act->row[a];
            if (row == NULL) continue;
            for (int end = 0; end < 2; end++) {
                const int slot = sti_slot_of(world, end == 0 ? row->a : row->b);
                if (slot < 0 || links->assembly_of[slot] != node) continue;
                const double* h = end == 0 ? row->ja : row->jb;
                const double* at = z + (size_t)nv * (size_t)room->seat[slot];
                for (int b = 0; b < d; b++, at += size) {
                    double s = 0;
                    for (int e = 0; e < nv; e++) s += h[e] * at[e];
                    B[a * d + b] += s;
                }
            }
        }
    }
    if (i == j && act->pressed) {
        B[0] = 1 / act->mass;
        if (d == 3 && act->row[2] == NULL) B[8] = 1 / act->mass;
    }
}
