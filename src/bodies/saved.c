// saved.c: worlds saved and loaded.
//
// Saved is all that later steps depend on: places and whether a caller gave them, velocities, pushes, drives, angles
// beyond a turn, time, and the contacts and impulses from which the next step starts its search. Everything else
// follows from these, so a loaded world goes on with the same bits. The bytes are those of this machine: not for
// exchange. They are looked at whole before anything of the world is changed: numbers are finite, and bodies and shapes
// are those that there are.
#include <math.h>
#include <string.h>

#include "bodies/motion.h"
#include "linalg/vector.h"

typedef struct header {
    char magic[8];
    uint64_t size;
    int64_t dim, bodies, moving, joints, rows, contacts;
    int64_t step, detected;
    double start, time;
} header;

static const char magic[8] = "STIWLD3";

// Every array that is saved, in order. What the entries are matters where they are checked.
typedef enum content { PLACES, FLAGS, NUMBERS, AXES } content;
typedef void visitor(void* user, content what, void* data, size_t count, size_t size);

static void visit_state(sti_world* world, visitor* visit, void* user) {
    struct sti_world_solve* s = world->solve;
    const size_t bodies = (size_t)world->bodies->count, moving = (size_t)world->moving,
                 joints = (size_t)world->bodies->joint_count;
    visit(user, PLACES, world->placed, bodies, sizeof *world->placed);
    visit(user, FLAGS, world->given, bodies, sizeof *world->given);
    visit(user, NUMBERS, world->v, moving, (size_t)world->nv * sizeof *world->v);
    visit(user, NUMBERS, world->push, moving, 6 * sizeof *world->push);
    visit(user, AXES, world->axis, joints, 2 * sizeof *world->axis);
    visit(user, NUMBERS, world->turned, joints, 2 * sizeof *world->turned);
    visit(user, NUMBERS, world->gear_value, joints, sizeof *world->gear_value);
    visit(user, NUMBERS, s->axis_r, joints, 2 * 4 * sizeof *s->axis_r);
    visit(user, NUMBERS, s->bound, joints, 2 * sizeof *s->bound);
    visit(user, NUMBERS, s->reaction, joints, 6 * sizeof *s->reaction);
    visit(user, NUMBERS, s->links.l, (size_t)s->links.row_count, sizeof *s->links.l);
}

static void count_bytes(void* user, content what, void* data, size_t count, size_t size) {
    size_t* total = user;
    (void)what;
    (void)data;
    *total = sti_size_add(*total, sti_size_mul(count, size));
}

static void write_bytes(void* user, content what, void* data, size_t count, size_t size) {
    char** at = user;
    (void)what;
    for (size_t k = 0; k < count; k++, *at += size) memcpy(*at, (const char*)data + k * size, size);
}

static void read_bytes(void* user, content what, void* data, size_t count, size_t size) {
    const char** at = user;
    (void)what;
    for (size_t k = 0; k < count; k++, *at += size) memcpy((char*)data + k * size, *at, size);
}

static header make_header(const sti_world* world) {
    header h = {.dim = world->dim,
                .bodies = world->bodies->count,
                .moving = world->moving,
                .joints = world->bodies->joint_count,
                .rows = world->solve->links.row_count,
                .contacts = world->contact_count,
                .step = world->step,
                .detected = world->solve->detected,
                .start = world->start,
                .time = world->time};
    memcpy(h.magic, magic, sizeof magic);
    return h;
}

sti_status sti_world_save_state(const sti_world* world, void** bytes, size_t* size) {
    sti_world* w = (sti_world*)world;  // visited, not changed
    header h = make_header(world);
    size_t total = sizeof h;
    *bytes = NULL;
    *size = 0;
    visit_state(w, count_bytes, &total);
    count_bytes(&total, FLAGS, NULL, (size_t)world->contact_count, sizeof *world->contact);
    char* out = sti_alloc(world->env, total);
    if (out == NULL) return STI_ERR_MEMORY;
    h.size = total;
    char* at = out;
    write_bytes(&at, FLAGS, &h, 1, sizeof h);
    visit_state(w, write_bytes, &at);
    write_bytes(&at, FLAGS, world->contact, (size_t)world->contact_count, sizeof *world->contact);
    *bytes = out;
    *size = total;
    return STI_OK;
}

// ---- kept while a step is made

sti_status sti_world_keep(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    size_t total = 0;
    visit_state(world, count_bytes, &total);
    sti_status status = sti_room(world->env, &s->kept_state, &s->kept_room, total, 1);
    if (status == STI_OK)
        status = sti_room(world->env, (void**)&s->kept_contact, &s->kept_contacts, (size_t)world->contact_count,
                          sizeof *s->kept_contact);
    if (status != STI_OK) return status;
    char* at = s->kept_state;
    visit_state(world, write_bytes, &at);
    s->kept_rows = s->links.row_count;
    s->kept_count = world->contact_count;
    s->kept_detected = s->detected;
    if (world->contact_count > 0)
        memcpy(s->kept_contact, world->contact, (size_t)world->contact_count * sizeof *world->contact);
    return STI_OK;
}

void sti_world_take_back(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    const char* at = s->kept_state;
    s->links.row_count = s->kept_rows;
    visit_state(world, read_bytes, &at);
    sti_touching* others = world->contact;
    const int room = world->contact_capacity;
    world->contact = s->kept_contact;
    world->contact_capacity = (int)s->kept_contacts;
    world->contact_count = s->kept_count;
    s->kept_contact = others;
    s->kept_contacts = (size_t)room;
    s->detected = s->kept_detected;
    s->shown_count = 0;
}

// ---- loading

static bool is_place(const sti_placed* p) {
    const double norm = p->q[0] * p->q[0] + p->q[1] * p->q[1] + p->q[2] * p->q[2] + p->q[3] * p->q[3];
    if (!sti_vector_is_finite(3, p->x) || !sti_vector_is_finite(9, p->R) || !(fabs(norm - 1) <= 1e-6)) return false;
    for (int k = 0; k < 9; k++) {
        if (fabs(p->R[k]) > 1 + 1e-6) return false;
    }
    return true;
}

static bool is_axis(const sti_joint_axis* a) {
    const double others[] = {a->friction, a->mu,   a->radius,      a->stiffness,
                             a->damping,  a->rest, a->motor_speed, a->motor_force};
    return a->lower <= a->upper && sti_vector_is_finite(sizeof others / sizeof others[0], others) &&
           a->motor_force >= 0;
}

typedef struct checking {
    const char* at;
    const char* wrong;  // what; NULL: nothing so far
} checking;

static void check(void* user, content what, void* data, size_t count, size_t size) {
    checking* c = user;
    (void)data;
    for (size_t k = 0; k < count; k++, c->at += size) {
        sti_placed place;
        sti_joint_axis axis[2];
        double x[16];
        if (what == PLACES) {
            memcpy(&place, c->at, sizeof place);
            if (!is_place(&place)) c->wrong = "the place of a body";
        } else if (what == AXES) {
            memcpy(axis, c->at, sizeof axis);
            if (!is_axis(&axis[0]) || !is_axis(&axis[1])) c->wrong = "the drive of a joint";
        } else if (what == NUMBERS) {
            STI_ASSERT(size <= sizeof x);
            memcpy(x, c->at, size);
            if (!sti_vector_is_finite(size / sizeof *x, x)) c->wrong = "a number that is not finite";
        }
    }
}

static bool is_row(const sti_world* world, const sti_row* row, const sti_world_contact* at) {
    const bool a = row->a == (sti_body_moves(world, at->a) ? at->a : -1);
    const bool b = row->b == (sti_body_moves(world, at->b) ? at->b : -1);
    return a && b && !row->wide && sti_vector_is_finite(6, row->ja) && sti_vector_is_finite(6, row->jb);
}

// Between shapes of these bodies, with rows that act on them.
static bool is_contact(const sti_world* world, const sti_touching* c) {
    const sti_bodies* bodies = world->bodies;
    const sti_world_contact* at = &c->at;
    if (at->shape_a < 0 || at->shape_a >= bodies->collider_count || at->shape_b < 0 ||
        at->shape_b >= bodies->collider_count || at->a != bodies->collider[at->shape_a].body ||
        at->b != bodies->collider[at->shape_b].body || at->mode > STI_MODE_SLIDE || at->section_of < 0 ||
        at->section_of > bodies->material_count || (at->section_of > 0 && sti_contact_section(bodies, at) == NULL))
        return false;
    for (int k = 0; k < world->dim; k++) {
        if (!is_row(world, &c->row[k], at)) return false;
    }
    const double others[] = {at->gap, at->mu, at->restitution};
    return sti_vector_is_finite(3, others) && at->mu >= 0 && sti_vector_is_finite(3, at->n) &&
           sti_vector_is_finite(3, at->t1) && sti_vector_is_finite(3, at->t2) && sti_vector_is_finite(3, at->point) &&
           sti_vector_is_finite(3, at->r) && sti_vector_is_finite(3, at->u) && sti_vector_is_finite(3, c->offset) &&
           sti_vector_is_finite(3, c->r_last) && sti_vector_is_finite(15, c->found);
}

static sti_status check_bytes(sti_world* world, const header* h, const void* bytes, size_t size) {
    const header own = make_header(world);
    size_t total = sizeof *h;
    visit_state(world, count_bytes, &total);
    if (h->dim != own.dim || h->bodies != own.bodies || h->moving != own.moving || h->joints != own.joints ||
        h->rows != own.rows || h->contacts < 0 || h->contacts > INT32_MAX ||
        sti_size_add(total, sti_size_mul((size_t)h->contacts, sizeof *world->contact)) != size)
        return STI_FAIL(world->env, STI_ERR_INPUT, -1, "a world of other bodies");
    checking c = {.at = (const char*)bytes + sizeof *h};
    visit_state(world, check, &c);
    for (int64_t k = 0; k < h->contacts; k++, c.at += sizeof *world->contact) {
        sti_touching contact;
        memcpy(&contact, c.at, sizeof contact);
        if (!is_contact(world, &contact)) c.wrong = "a contact";
    }
    if (!isfinite(h->start) || !isfinite(h->time) || h->step < 0) c.wrong = "its time";
    if (c.wrong != NULL) return STI_FAIL(world->env, STI_ERR_INPUT, -1, "damaged state of a world: %s", c.wrong);
    return STI_OK;
}

static sti_status make_room(sti_world* world, int contacts) {
    if (contacts <= world->contact_capacity) return STI_OK;
    sti_touching* grown = sti_realloc_array(world->env, world->contact, (size_t)contacts, sizeof *grown);
    if (grown == NULL) return STI_ERR_MEMORY;
    world->contact = grown;
    world->contact_capacity = contacts;
    return STI_OK;
}

sti_status sti_world_load_state(sti_world* world, const void* bytes, size_t size) {
    header h;
    if (size < sizeof h) return STI_FAIL(world->env, STI_ERR_INPUT, -1, "%zu bytes are not a saved world", size);
    memcpy(&h, bytes, sizeof h);
    if (memcmp(h.magic, magic, sizeof magic) != 0 || h.size != size)
        return STI_FAIL(world->env, STI_ERR_INPUT, -1, "not a saved world, or cut short");
    sti_status status = check_bytes(world, &h, bytes, size);
    if (status == STI_OK) status = make_room(world, (int)h.contacts);
    if (status != STI_OK) return status;
    const char* at = (const char*)bytes + sizeof h;
    visit_state(world, read_bytes, &at);
    read_bytes(&at, FLAGS, world->contact, (size_t)h.contacts, sizeof *world->contact);
    world->contact_count = (int)h.contacts;
    world->step = (long)h.step;
    world->start = h.start;
    world->time = h.time;
    world->solve->detected = h.detected != 0;
    world->solve->shown_count = 0;
    return STI_OK;
}
