// detect.c: which shapes touch, or may touch before the step is over.
//
// 1. A box around every shape, widened by what its body can travel, and the tree of boxes: pairs sorted by number.
// 2. Pairs that never touch are left out: of one body, of two fixed ones, joined without `collide`, or set apart.
// 3. For the others the contacts with gap <= margin,
//
//        margin = 0.01 min(size_a, size_b) + h (|v_a - v_b| + |w_a| reach_a + |w_b| reach_b) + h^2 |g|
//
//    with size the radius of a shape and reach that of a shape about the centre of mass of its body (of a sphere the
//    distance of the two centres alone: turning does not change it). The distance shrinks by no more than that within
//    h, as long as both bodies keep their velocities up to what gravity adds. The first term is for what forces and
//    impulses of the step add; what exceeds it is found one step later, as an overlap.
// 4. Each contact continues one of the last step: the same features, or else the nearest place. It inherits the impulse
//    as the solver's guess: the normal part as it was, the tangential one as a vector of the world laid on the new
//    tangents.
//
// Two shapes whose bodies are, bit for bit, where they were when their contacts were found, with the same margin, touch
// in the same points: these are taken over. So what rests costs its boxes and no more.
//
// Contacts are ordered by pair, then by feature, so their order does not depend on where bodies are. A contact acts at
// the two points where its surfaces are: with a gap these are different points, and the row of n is the derivative of
// the gap.
#include <stdlib.h>

#include "bodies/bodies.h"
#include "linalg/vec3.h"

typedef struct sti_world_detect {
    sti_broadphase* broad;
    int count;        // shapes
    sti_aabb* box;    // (count)
    bool* still;      // of a fixed body                       (count)
    sti_pose* pose;   // in the world                          (count)
    double* size;     // radius about its own origin           (count)
    double* reach;    // how far turns of its body reach       (count)
    double* turning;  // reach times |w|                       (count)
    sti_placed* at;   // of fixed bodies: where the box is for (count)
    bool* known;      // and whether it is                     (count)
    int apart_count;  // pairs of bodies that never touch, a < b, sorted
    sti_box_pair* apart;
    int next_capacity;  // contacts of this step, until they replace those of the last
    sti_touching* next;
} detect;

// What counts as near.
typedef struct nearness {
    double h;
    const double* v;  // NULL: `margin` for all
    double margin;
    double g;  // |gravity|
} nearness;

// ---- pairs that never touch

static int compare_pairs(const void* x, const void* y) {
    const sti_box_pair *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static bool joins(const sti_joint* joint) {
    return joint->kind != STI_JOINT_GEAR && !joint->collide && joint->a >= 0 && joint->b >= 0;
}

static sti_status collect_apart(const sti_world* world, detect* d) {
    const sti_bodies* bodies = world->bodies;
    const size_t room = (size_t)bodies->ignore_count + (size_t)bodies->joint_count;
    d->apart = sti_alloc_array(world->env, room, sizeof *d->apart);
    if (d->apart == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < bodies->ignore_count; i++) d->apart[d->apart_count++] = bodies->ignore[i];
    for (int i = 0; i < bodies->joint_count; i++) {
        const sti_joint* j = &bodies->joint[i];
        if (joins(j))
            d->apart[d->apart_count++] = j->a < j->b ? (sti_box_pair){j->a, j->b} : (sti_box_pair){j->b, j->a};
    }
    if (d->apart_count > 1) qsort(d->apart, (size_t)d->apart_count, sizeof *d->apart, compare_pairs);
    return STI_OK;
}

static bool may_touch(const sti_world* world, const detect* d, int body_a, int body_b) {
    if (body_a == body_b || (world->slot[body_a] < 0 && world->slot[body_b] < 0)) return false;
    const sti_box_pair pair = body_a < body_b ? (sti_box_pair){body_a, body_b} : (sti_box_pair){body_b, body_a};
    return d->apart_count == 0 || bsearch(&pair, d->apart, (size_t)d->apart_count, sizeof pair, compare_pairs) == NULL;
}

bool sti_world_may_touch(const sti_world* world, int body_a, int body_b) {
    return may_touch(world, world->detect, body_a, body_b);
}

// ---- life

sti_status sti_world_detect_create(sti_world* world) {
    sti_env* env = world->env;
    const sti_bodies* bodies = world->bodies;
    const size_t n = (size_t)bodies->collider_count;
    detect* d = sti_alloc_array_zero(env, 1, sizeof *d);
    world->detect = d;
    if (d == NULL) return STI_ERR_MEMORY;
    d->count = bodies->collider_count;
    d->box = sti_alloc_array(env, n, sizeof *d->box);
    d->still = sti_alloc_array_zero(env, n, sizeof *d->still);
    d->pose = sti_alloc_array(env, n, sizeof *d->pose);
    d->size = sti_alloc_array(env, n, sizeof *d->size);
    d->reach = sti_alloc_array(env, n, sizeof *d->reach);
    d->turning = sti_alloc_array_zero(env, n, sizeof *d->turning);
    d->at = sti_alloc_array_zero(env, n, sizeof *d->at);
    d->known = sti_alloc_array_zero(env, n, sizeof *d->known);
    const bool all = d->box && d->still && d->pose && d->size && d->reach && d->turning && d->at && d->known;
    sti_status status = all ? STI_OK : STI_ERR_MEMORY;
    if (status == STI_OK) status = sti_broadphase_create(env, &d->broad);
    if (status == STI_OK) status = collect_apart(world, d);
    if (status != STI_OK) {
        sti_world_detect_destroy(world);
        return status;
    }
    for (int i = 0; i < d->count; i++) {
        const sti_collider* collider = &bodies->collider[i];
        double arm[3];
        sub3(collider->place.x, bodies->mass[collider->body].centre, arm);
        d->still[i] = world->slot[collider->body] < 0;
        d->size[i] = sti_shape_reach(collider->shape);
        d->reach[i] = norm3(arm) + (sti_shape_kind_of(collider->shape) == STI_SHAPE_SPHERE ? 0 : d->size[i]);
    }
    return STI_OK;
}

void sti_world_detect_destroy(sti_world* world) {
    detect* d = world->detect;
    if (d == NULL) return;
    sti_broadphase_destroy(d->broad);
    sti_free(world->env, d->box);
    sti_free(world->env, d->still);
    sti_free(world->env, d->pose);
    sti_free(world->env, d->size);
    sti_free(world->env, d->reach);
    sti_free(world->env, d->turning);
    sti_free(world->env, d->at);
    sti_free(world->env, d->known);
    sti_free(world->env, d->apart);
    sti_free(world->env, d->next);
    sti_free(world->env, d);
    world->detect = NULL;
}

// ---- boxes and margins

void sti_world_collider_pose(const sti_world* world, int collider, sti_pose* pose) {
    const sti_collider* c = &world->bodies->collider[collider];
    const sti_placed* placed = &world->placed[c->body];
    double arm[3];
    sub3(c->place.x, world->bodies->mass[c->body].centre, arm);
    mul3(placed->R, arm, pose->x);
    for (int k = 0; k < 3; k++) pose->x[k] += placed->x[k];
    quaternion_product(placed->q, c->place.q, pose->q);
}

static const double* velocity_of(const sti_world* world, int body, const double* v) {
    const int slot = world->slot[body];
    return slot < 0 ? NULL : v + (size_t)world->nv * (size_t)slot;
}

// How fast the shape's points move beside the centre of mass of its body.
static double turning_speed(const sti_world* world, int body, double reach, const double* v) {
    const double* u = velocity_of(world, body, v);
    if (u == NULL) return 0;
    return (world->dim == 2 ? fabs(u[2]) : norm3(u + 3)) * reach;
}

static double relative_speed(const sti_world* world, int body_a, int body_b, const double* v) {
    const double *a = velocity_of(world, body_a, v), *b = body_b < 0 ? NULL : velocity_of(world, body_b, v);
    double d[3] = {0, 0, 0};
    for (int k = 0; k < world->dim; k++) d[k] = (a != NULL ? a[k] : 0) - (b != NULL ? b[k] : 0);
    return norm3(d);
}

#define NEAR_PART 0.01

// By what the box of a shape is widened: fixed ones by nothing, moving ones by all that their margins may ask.
static double box_margin(const sti_world* world, const detect* d, int i, const nearness* near) {
    if (d->still[i]) return 0;
    if (near->v == NULL) return near->margin;
    const int body = world->bodies->collider[i].body;
    const double speed = relative_speed(world, body, -1, near->v) + d->turning[i];
    return NEAR_PART * d->size[i] + near->h * (speed + near->h * near->g);
}

static double pair_margin(const sti_world* world, const detect* d, int i, int j, const nearness* near) {
    if (near->v == NULL) return near->margin;
    const int a = world->bodies->collider[i].body, b = world->bodies->collider[j].body;
    const double speed = relative_speed(world, a, b, near->v) + d->turning[i] + d->turning[j];
    return NEAR_PART * fmin(d->size[i], d->size[j]) + near->h * (speed + near->h * near->g);
}

static bool same_place(const sti_placed* a, const sti_placed* b) {
    bool same = true;
    for (int k = 0; k < 3; k++) same = same && a->x[k] == b->x[k];
    for (int k = 0; k < 4; k++) same = same && a->q[k] == b->q[k];
    return same;
}

static sti_status place_boxes(const sti_world* world, detect* d, const nearness* near) {
    for (int i = 0; i < d->count; i++) {
        const sti_collider* c = &world->bodies->collider[i];
        const sti_placed* placed = &world->placed[c->body];
        if (d->known[i] && same_place(&d->at[i], placed)) continue;
        sti_world_collider_pose(world, i, &d->pose[i]);
        if (near->v != NULL) d->turning[i] = turning_speed(world, c->body, d->reach[i], near->v);
        const double margin = box_margin(world, d, i, near);
        if (sti_shape_bounds(c->shape, &d->pose[i], margin, &d->box[i]) != STI_OK)
            return STI_FAIL(world->env, STI_ERR_INPUT, c->body,
                            "body \"%s\": at (%g, %g, %g) with margin %g: not finite any more",
                            world->bodies->body[c->body].name, placed->x[0], placed->x[1], placed->x[2], margin);
        d->at[i] = *placed;
        d->known[i] = d->still[i];
    }
    return STI_OK;
}

// ---- contacts

static void set_rows(const sti_world* world, const sti_shape_contact* c, sti_touching* out) {
    const sti_world_contact* at = &out->at;
    const double* axis[3] = {at->n, at->t1, at->t2};
    double surface_a[3], surface_b[3], moving[3];
    sti_world_surface(world, at->a, c->point_a, surface_a);
    sti_world_surface(world, at->b, c->point_b, surface_b);
    sub3(surface_a, surface_b, moving);
    for (int k = 0; k < 3; k++) {
        out->row[k] = (sti_row){.a = -1, .b = -1};
        out->offset[k] = 0;
        if (k >= world->dim) continue;
        sti_row_point(world, at->a, at->b, c->point_a, c->point_b, axis[k], &out->row[k]);
        out->offset[k] = dot3(axis[k], moving);
    }
}

// 1 / |t2|^2, exactly 1 without a grain
static double across_unit(const double t2[3]) {
    const double square = dot3(t2, t2);
    return fabs(square - 1) < 1e-12 ? 1 : 1 / square;
}

static void set_contact(const sti_world* world, int i, int j, const sti_shape_contact* c, sti_touching* out) {
    const sti_collider *a = &world->bodies->collider[i], *b = &world->bodies->collider[j];
    *out = (sti_touching){.at = {.a = a->body, .b = b->body, .shape_a = i, .shape_b = j, .id = c->id, .gap = c->gap}};
    sti_world_contact* at = &out->at;
    memcpy(at->n, c->normal, sizeof at->n);
    memcpy(at->t1, c->t1, sizeof at->t1);
    memcpy(at->t2, c->t2, sizeof at->t2);
    for (int k = 0; k < 3; k++) at->point[k] = 0.5 * (c->point_a[k] + c->point_b[k]);
    at->mode = STI_MODE_SEPARATE;
    sti_bodies_pair(world->bodies, a->material, b->material, &at->mu, &at->restitution);
    sti_grain_lay(world, at);
    set_rows(world, c, out);
}

static void inherit(const sti_world* world, const sti_world_contact* old, sti_touching* now) {
    double t[3] = {0, 0, 0};
    axpy3(old->r[1], old->t1, t);
    if (world->dim == 3) axpy3(old->r[2], old->t2, t);
    now->r_last[0] = old->r[0];
    now->r_last[1] = dot3(now->at.t1, t);
    now->r_last[2] = world->dim == 3 ? dot3(now->at.t2, t) * across_unit(now->at.t2) : 0;
}

// The contacts of the last step of the same two shapes: world->contact[first, end), found by going on from *first.
static int same_pair(const sti_world* world, int i, int j, int* first) {
    const sti_touching* old = world->contact;
    while (*first < world->contact_count &&
           (old[*first].at.shape_a < i || (old[*first].at.shape_a == i && old[*first].at.shape_b < j)))
        (*first)++;
    int end = *first;
    while (end < world->contact_count && old[end].at.shape_a == i && old[end].at.shape_b == j) end++;
    return end;
}

// Points that turn up elsewhere within `distance` continue what was there.
static void continue_pair(const sti_world* world, int i, int j, double distance, int count,
                          const sti_shape_contact* found, int* cursor, sti_touching* now) {
    sti_shape_contact old[STI_SHAPE_MAX_POINTS];
    int match[STI_SHAPE_MAX_POINTS];
    const int end = same_pair(world, i, j, cursor), first = *cursor;
    int old_count = end - first < STI_SHAPE_MAX_POINTS ? end - first : STI_SHAPE_MAX_POINTS;
    for (int k = 0; k < old_count; k++) {
        const sti_world_contact* at = &world->contact[first + k].at;
        old[k] = (sti_shape_contact){.id = at->id};
        memcpy(old[k].point_b, at->point, sizeof at->point);
        axpy3(-0.5 * at->gap, at->n, old[k].point_b);
    }
    sti_shape_contacts_match(old_count, old, count, found, distance, match);
    for (int k = 0; k < count; k++) {
        if (match[k] >= 0) inherit(world, &world->contact[first + match[k]].at, &now[k]);
    }
    *cursor = end;
}

// Where the two bodies are, and the margin: what the contacts of a pair depend on.
static void found_at(const sti_world* world, int a, int b, double margin, double found[15]) {
    const sti_placed* at[2] = {&world->placed[a], &world->placed[b]};
    for (int side = 0; side < 2; side++) {
        memcpy(found + 7 * side, at[side]->x, sizeof at[side]->x);
        memcpy(found + 7 * side + 3, at[side]->q, sizeof at[side]->q);
    }
    found[14] = margin;
}

static bool same_numbers(const double* a, const double* b, int count) {
    for (int k = 0; k < count; k++) {
        if (a[k] != b[k]) return false;
    }
    return true;
}

// May the contacts first .. end of the last step stand for what would be found now? Each must continue itself: by its
// name.
static bool may_take_over(const sti_world* world, int first, int end, const double found[15]) {
    const sti_touching* old = world->contact;
    for (int i = first; i < end; i++) {
        if (!same_numbers(old[i].found, found, 15)) return false;
        for (int j = first; j < i; j++) {
            if (old[i].at.id == old[j].at.id) return false;
        }
    }
    return end > first;
}

static void take_over(const sti_world* world, const sti_touching* old, sti_touching* now) {
    *now = *old;
    memset(now->at.r, 0, sizeof now->at.r);
    memset(now->at.u, 0, sizeof now->at.u);
    now->at.mode = STI_MODE_SEPARATE;
    sti_bodies_pair(world->bodies, world->bodies->collider[old->at.shape_a].material,
                    world->bodies->collider[old->at.shape_b].material, &now->at.mu, &now->at.restitution);
    inherit(world, &old->at, now);
}

static sti_status reserve(const sti_world* world, detect* d, int count) {
    if (count <= d->next_capacity) return STI_OK;
    if (count > INT32_MAX / 4) return STI_FAIL(world->env, STI_ERR_SIZE, count, "%d contacts", count);
    const int room = count + count / 2 + 16;
    sti_touching* next = sti_realloc(world->env, d->next, (size_t)room * sizeof *next);
    if (next == NULL) return STI_ERR_MEMORY;
    d->next = next;
    d->next_capacity = room;
    return STI_OK;
}

static int most_points(const sti_world* world) {
    const int most = world->dim == 2 ? 2 : STI_SHAPE_MAX_POINTS, asked = world->options.points;
    if (asked < 1) return world->dim == 2 ? 2 : 0;
    return asked < most ? asked : most;
}

// Spheres about the two shapes that are farther apart than the margin, and than any rounding of it.
static bool far_apart(const detect* d, int i, int j, double margin) {
    double between[3];
    sub3(d->pose[i].x, d->pose[j].x, between);
    const double reach = (d->size[i] + d->size[j]) * (1 + 1e-9) + margin;
    return dot3(between, between) > reach * reach;
}

static sti_status try_pair(sti_world* world, detect* d, int i, int j, const nearness* near, int* cursor, int* count) {
    const sti_collider *a = &world->bodies->collider[i], *b = &world->bodies->collider[j];
    sti_shape_contact found[STI_SHAPE_MAX_POINTS];
    int found_count;
    const double margin = pair_margin(world, d, i, j, near);
    if (far_apart(d, i, j, margin)) return STI_OK;
    double where[15];
    found_at(world, a->body, b->body, margin, where);
    const int end = same_pair(world, i, j, cursor), first = *cursor;
    if (may_take_over(world, first, end, where)) {
        const sti_status status = reserve(world, d, *count + end - first);
        if (status != STI_OK) return status;
        for (int k = first; k < end; k++) take_over(world, &world->contact[k], &d->next[(*count)++]);
        *cursor = end;
        return STI_OK;
    }
    if (sti_shape_contacts(a->shape, &d->pose[i], b->shape, &d->pose[j], margin, most_points(world), found,
                           &found_count) != STI_OK)
        return STI_FAIL(world->env, STI_ERR_INPUT, a->body,
                        "bodies \"%s\" and \"%s\": their contacts within %g cannot be computed",
                        world->bodies->body[a->body].name, world->bodies->body[b->body].name, margin);
    const sti_status status = reserve(world, d, *count + found_count);
    if (status != STI_OK) return status;
    for (int k = 0; k < found_count; k++) {
        set_contact(world, i, j, &found[k], &d->next[*count + k]);
        memcpy(d->next[*count + k].found, where, sizeof where);
    }
    if (found_count > 0) continue_pair(world, i, j, margin, found_count, found, cursor, d->next + *count);
    *count += found_count;
    return STI_OK;
}

static sti_status search(sti_world* world, const nearness* near) {
    detect* d = world->detect;
    const sti_box_pair* pairs = NULL;
    int pair_count = 0, count = 0, cursor = 0;
    sti_status status = place_boxes(world, d, near);
    if (status == STI_OK) status = sti_broadphase_update(d->broad, d->count, d->box, d->still, &pairs, &pair_count);
    for (int k = 0; status == STI_OK && k < pair_count; k++) {
        const int i = pairs[k].a, j = pairs[k].b;
        if (may_touch(world, d, world->bodies->collider[i].body, world->bodies->collider[j].body))
            status = try_pair(world, d, i, j, near, &cursor, &count);
    }
    if (status != STI_OK) return status;
    sti_touching* last = world->contact;
    const int last_capacity = world->contact_capacity;
    world->contact = d->next;
    world->contact_capacity = d->next_capacity;
    world->contact_count = count;
    d->next = last;
    d->next_capacity = last_capacity;
    return STI_OK;
}

sti_status sti_world_detect_contacts(sti_world* world, double h, const double* v) {
    const nearness near = {.h = h, .v = v, .g = norm3(world->bodies->gravity)};
    return search(world, &near);
}

sti_status sti_world_detect_within(sti_world* world, double margin) {
    const nearness near = {.margin = margin};
    return search(world, &near);
}
