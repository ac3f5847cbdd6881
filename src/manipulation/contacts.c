// contacts.c: where parts touch, or nearly: tips on parts, parts on fixtures, parts on parts.
//
// A contact is a point with a radius (a tip, a vertex, the centre of a disc) on an outline. Its gap is the distance of
// the point to the line or vertex that it faces, and W_n its exact gradient: (n, r x n) with r from the part's origin
// to the point. Two polygons give the corners of each on the outline of the other, where the face lies in the cone of
// normals of the corner: these are the local minima of their distance. A part that may turn flat on a face in the step
// finds both its corners.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "manipulation/manipulation.h"

// ---- tips

static double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

// Displacement and velocity of a probe.
static void motion_of(const sti_manipulation* m, const sti_probe* p, double t, double d[2], double v[2]) {
    const double own = clamp(t, p->begin, p->until);
    const bool moves = !p->passive && t >= p->begin && t < p->until;
    for (int k = 0; k < 2; k++) {
        d[k] = (own - p->begin) * p->velocity[k];
        v[k] = moves ? p->velocity[k] : 0;
    }
    if (p->passive || !p->path) return;
    // the tape is scratch of the scene, which one thread uses at a time
    sti_numbers* numbers = (sti_numbers*)&m->numbers;
    sti_numbers_at(numbers, m->parameter_at, NULL, own);
    for (int k = 0; k < 2; k++) {
        d[k] = sti_numbers_value(numbers, p->path_number[k]);
        v[k] = moves ? sti_numbers_rate(numbers, p->path_number[k]) : 0;
    }
}

void sti_manipulation_tip(const sti_manipulation* m, int tip, double t, double position[2], double velocity[2]) {
    const sti_tip* at = &m->tips[tip];
    double d[2];
    motion_of(m, &m->probes[at->probe], t, d, velocity);
    for (int k = 0; k < 2; k++) position[k] = at->at[k] + d[k];
}

// ---- lists

typedef struct list {
    const sti_manipulation* m;
    double margin;
    double slack;  // how far parts may turn in the step
    sti_push_contact* at;
    int count, capacity;
    sti_foot* feet;  // (vertices of the largest outline)
    sti_status status;
} list;

static sti_push_contact* more(list* l) {
    if (l->count == l->capacity) {
        const int capacity = l->capacity > 0 ? 2 * l->capacity : 16;
        sti_push_contact* grown = sti_realloc_array(l->m->env, l->at, (size_t)capacity, sizeof *grown);
        if (grown == NULL) {
            l->status = STI_ERR_MEMORY;
            return NULL;
        }
        l->at = grown;
        l->capacity = capacity;
    }
    return &l->at[l->count++];
}

// A point with a radius that belongs to one side, an outline with a pose on the other.
typedef struct meeting {
    double p[2], radius;
    int corner;                       // of the point; -1: none
    const sti_shape_room* corner_of;  // whose corner it is; NULL: no polygon
    double corner_angle;              // of that polygon
    const sti_shape_room* shape;
    const double* pose;
    bool own;   // the point is the part's: normals out of the outline are normals into the part
    bool ends;  // two vertices that face each other are listed from this side
} meeting;

// A corner touches what lies in its cone of normals; of a face that it may come to lie on in the step (slack), both
// ends are wanted. Two vertices have to face each other.
static bool faces(const meeting* k, const sti_foot* f, const double n[2], double slack) {
    if (k->corner_of == NULL) return true;
    const bool vertex = f->face >= k->shape->vertex_count;
    double turned[2];
    const double against[2] = {-n[0], -n[1]};
    sti_turn(-k->corner_angle, against, turned);
    return (k->ends || !vertex) && sti_outline_corner_faces(k->corner_of, k->corner, turned, vertex ? 1e-9 : slack);
}

static void add_feet(list* l, const meeting* k, const sti_push_contact* base) {
    double p[2];
    sti_take(k->pose, k->p, p);
    const int count = sti_outline_feet(k->shape, p, l->margin + k->radius, l->feet);
    for (int i = 0; i < count; i++) {
        const sti_foot* f = &l->feet[i];
        double n[2];
        sti_turn(k->pose[2], f->n, n);
        if (!faces(k, f, n, l->slack)) continue;
        sti_push_contact* c = more(l);
        if (c == NULL) return;
        *c = *base;
        c->corner = k->corner;
        c->own = k->own;
        c->face = f->face;
        c->gap = f->gap - k->radius;
        for (int j = 0; j < 2; j++) {
            c->point[j] = k->p[j] - k->radius * n[j];
            c->n[j] = k->own ? n[j] : -n[j];
        }
    }
}

static void add_corners(list* l, const sti_shape_room* from, const double* pose_from, const sti_shape_room* on,
                        const double* pose_on, bool own, const sti_push_contact* base) {
    meeting k = {
        .corner_of = from, .corner_angle = pose_from[2], .shape = on, .pose = pose_on, .own = own, .ends = own};
    for (int i = 0; i < from->vertex_count && l->status == STI_OK; i++) {
        if (!sti_outline_corner(from, i)) continue;
        k.corner = i;
        sti_put(pose_from, from->v + 2 * (size_t)i, k.p);
        add_feet(l, &k, base);
    }
}

// All contacts of a part with a shape that has a pose.
static void add_pair(list* l, const sti_shape_room* part, const double* pose, const sti_shape_room* other,
                     const double* pose_other, const sti_push_contact* base) {
    const double apart = hypot(pose[0] - pose_other[0], pose[1] - pose_other[1]);
    if (apart - part->reach - other->reach > l->margin) return;
    meeting k = {.corner = -1};
    if (part->vertex_count == 0 || other->vertex_count == 0) {
        k.own = part->vertex_count == 0;
        const sti_shape_room* disc = k.own ? part : other;
        const double* centre = k.own ? pose : pose_other;
        k.shape = k.own ? other : part;
        k.pose = k.own ? pose_other : pose;
        k.radius = disc->radius;
        memcpy(k.p, centre, sizeof k.p);
        add_feet(l, &k, base);
        return;
    }
    add_corners(l, part, pose, other, pose_other, true, base);
    add_corners(l, other, pose_other, part, pose, false, base);
}

static void add_tip(list* l, int part, const double* pose, int tip, double t) {
    const sti_manipulation* m = l->m;
    const int probe = m->tips[tip].probe, things = sti_manipulation_things(m);
    double p[2], v[2];
    sti_manipulation_tip(m, tip, t, p, v);
    const int first = l->count;
    const sti_push_contact base = {
        .part = part,
        .against = STI_PUSH_TIP,
        .other = tip,
        .mu = m->friction[(size_t)part * (size_t)things + (size_t)(m->part_count + m->fixture_count + probe)]};
    const meeting k = {.p = {p[0], p[1]},
                       .radius = m->probes[probe].radius,
                       .corner = -1,
                       .shape = &m->parts[part].shape,
                       .pose = pose};
    add_feet(l, &k, &base);
    for (int i = first; i < l->count; i++) {
        sti_push_contact* c = &l->at[i];
        c->rate_n = -(c->n[0] * v[0] + c->n[1] * v[1]);
        c->rate_t = c->n[1] * v[0] - c->n[0] * v[1];
    }
}

static void add_fixture(list* l, int part, const double* pose, int fixture) {
    const sti_manipulation* m = l->m;
    const size_t things = (size_t)sti_manipulation_things(m);
    const sti_fixture* f = &m->fixtures[fixture];
    const sti_push_contact base = {.part = part,
                                   .against = STI_PUSH_FIXTURE,
                                   .other = fixture,
                                   .mu = m->friction[(size_t)part * things + (size_t)(m->part_count + fixture)]};
    add_pair(l, &m->parts[part].shape, pose, &f->shape, f->pose, &base);
}

static int largest_outline(const sti_manipulation* m) {
    int most = 1;
    for (int i = 0; i < m->part_count; i++)
        most = m->parts[i].shape.vertex_count > most ? m->parts[i].shape.vertex_count : most;
    for (int i = 0; i < m->fixture_count; i++)
        most = m->fixtures[i].shape.vertex_count > most ? m->fixtures[i].shape.vertex_count : most;
    return most;
}

sti_status sti_manipulation_contacts(const sti_manipulation* m, double t, const double* q, double margin,
                                     sti_push_contact** out, int* count) {
    list l = {.m = m, .margin = margin, .slack = clamp(margin / m->size, 1e-9, 0.5)};
    *out = NULL;
    *count = 0;
    l.feet = sti_alloc_array(m->env, 2 * (size_t)largest_outline(m), sizeof *l.feet);
    if (l.feet == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < m->tip_count; i++) {
        for (int k = 0; k < m->part_count && l.status == STI_OK; k++) add_tip(&l, k, q + 3 * (size_t)k, i, t);
    }
    for (int k = 0; k < m->part_count; k++) {
        for (int i = 0; i < m->fixture_count && l.status == STI_OK; i++) add_fixture(&l, k, q + 3 * (size_t)k, i);
    }
    for (int k = 0; k < m->part_count; k++) {
        for (int i = k + 1; i < m->part_count && l.status == STI_OK; i++) {
            const sti_push_contact base = {
                .part = k,
                .against = STI_PUSH_PART,
                .other = i,
                .mu = m->friction[(size_t)k * (size_t)sti_manipulation_things(m) + (size_t)i]};
            add_pair(&l, &m->parts[k].shape, q + 3 * (size_t)k, &m->parts[i].shape, q + 3 * (size_t)i, &base);
        }
    }
    sti_free(m->env, l.feet);
    if (l.status != STI_OK) {
        sti_free(m->env, l.at);
        return l.status;
    }
    *out = l.at;
    *count = l.count;
    return STI_OK;
}

void sti_manipulation_contact_text(const sti_manipulation* m, const sti_push_contact* c, char* text, size_t size) {
    if (c->against == STI_PUSH_FIXTURE) {
        snprintf(text, size, "%s", m->fixtures[c->other].name);
    } else if (c->against == STI_PUSH_PART) {
        snprintf(text, size, "%s", m->parts[c->other].name);
    } else {
        const sti_probe* p = &m->probes[m->tips[c->other].probe];
        if (p->tip_count == 1)
            snprintf(text, size, "%s", p->name);
        else
            snprintf(text, size, "%s tip %d", p->name, c->other - p->first_tip + 1);
    }
}

double sti_manipulation_penetration(const sti_manipulation* m, double t, const double* q, sti_status* status) {
    sti_push_contact* c;
    int count;
    double worst = 0;
    *status = sti_manipulation_contacts(m, t, q, 0, &c, &count);
    for (int i = 0; *status == STI_OK && i < count; i++) worst = fmax(worst, -c[i].gap);
    sti_free(m->env, c);
    return worst;
}

// ---- overlap

static double depth_in(const sti_shape_room* s, const double p[2]) {
    if (s->vertex_count == 0) return s->radius - hypot(p[0], p[1]);
    double least = INFINITY;
    for (int k = 0; k < s->vertex_count; k++) {
        const double *a = s->v + 2 * (size_t)k, *b = s->v + 2 * (size_t)((k + 1) % s->vertex_count);
        const double d[2] = {b[0] - a[0], b[1] - a[1]}, length = d[0] * d[0] + d[1] * d[1];
        const double f = clamp((d[0] * (p[0] - a[0]) + d[1] * (p[1] - a[1])) / length, 0, 1);
        least = fmin(least, hypot(p[0] - a[0] - f * d[0], p[1] - a[1] - f * d[1]));
    }
    return sti_outline_has(s, p) ? least : -least;
}

// Where on the edge uv, both in the frame of b, the edge of b from c to d is crossed; NAN: nowhere.
static double crossing(const double* u, const double* v, const double* c, const double* d) {
    const double e[2] = {v[0] - u[0], v[1] - u[1]}, g[2] = {d[0] - c[0], d[1] - c[1]};
    const double det = e[0] * g[1] - e[1] * g[0], w[2] = {c[0] - u[0], c[1] - u[1]};
    if (det == 0) return NAN;
    const double f = (w[0] * g[1] - w[1] * g[0]) / det, other = (w[0] * e[1] - w[1] * e[0]) / det;
    return f >= 0 && f <= 1 && other >= 0 && other <= 1 ? f : NAN;
}

// The first crossing behind f; 1: the end of the edge.
static double next_crossing(const sti_shape_room* b, const double* u, const double* v, double f) {
    double next = 1;
    for (int k = 0; k < b->vertex_count; k++) {
        const double at = crossing(u, v, b->v + 2 * (size_t)k, b->v + 2 * (size_t)((k + 1) % b->vertex_count));
        if (at > f + 1e-12) next = fmin(next, at);
    }
    return next;
}

// How deep the boundary of a reaches into b: at its vertices, and in the middle of every piece between two crossings.
static double reach_into(const sti_shape_room* a, const double pose_a[3], const sti_shape_room* b,
                         const double pose_b[3]) {
    double worst = -INFINITY, p[2], u[2], v[2];
    if (a->vertex_count == 0) {
        sti_take(pose_b, pose_a, u);
        return depth_in(b, u) + a->radius;
    }
    for (int k = 0; k < a->vertex_count; k++) {
        sti_put(pose_a, a->v + 2 * (size_t)k, p);
        sti_take(pose_b, p, u);
        sti_put(pose_a, a->v + 2 * (size_t)((k + 1) % a->vertex_count), p);
        sti_take(pose_b, p, v);
        worst = fmax(worst, depth_in(b, u));
        for (double f = 0; f < 1;) {
            const double next = next_crossing(b, u, v, f), mid = (f + next) / 2;
            worst = fmax(worst, depth_in(b, (const double[]){u[0] + mid * (v[0] - u[0]), u[1] + mid * (v[1] - u[1])}));
            f = next;
        }
    }
    return worst;
}

double sti_shape_overlap(const sti_shape_room* a, const double pose_a[3], const sti_shape_room* b,
                         const double pose_b[3]) {
    const double deep = a->vertex_count == 0 && b->vertex_count != 0 ? reach_into(a, pose_a, b, pose_b)
                        : b->vertex_count == 0
                            ? reach_into(b, pose_b, a, pose_a)
                            : fmax(reach_into(a, pose_a, b, pose_b), reach_into(b, pose_b, a, pose_a));
    return fmax(deep, 0);
}
