// frozen.c: a scene with its contacts held as they are, as a system by formulas.
//
// For questions that keep a list of contacts (robust controls, S3 2.4): each contact stays between the corner, tip or
// rim and the edge, vertex or rim that it is between now, and its gap is the distance to that line or point however far
// they move. With N the normal out of the outline, P the point and v_A, v_B the velocities of both sides there,
//
//     gap  = N'(P - foot) - radius,        slip = (-N_y, N_x)'(v_A - v_B) at P - radius N,        forces = -E(theta) v
//
// Numbers stand as parameters where a person may doubt them: mu_K of thing K, and of probe K its place dx_K, dy_K, its
// speed_K and the angle turn_K that its push is turned by.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "manipulation/manipulation.h"

enum { TEXT = 2400, SHORT = 700, NAME = 24 };

typedef struct frozen {
    sti_arena memory;
    const sti_manipulation* m;
    sti_env* env;
    int count;                 // contacts
    char (*gap)[TEXT];         // (count)
    char (*slip)[TEXT];        // (count)
    char (*name)[NAME + 100];  // (count)
    char (*force)[TEXT];       // (3 parts)
    char (*coordinate)[NAME];  // (3 parts)
    char (*parameter)[NAME];   // of the system
    char (*start)[NAME + 20];  // (3 parts)
    double* value;
    int parameter_count;
    sti_system_contact_text* contacts;  // (count)
    const char** texts;                 // coordinates, forces, slips, parameters, starts
} frozen;

static void put(char* text, size_t size, const char* format, ...) __attribute__((format(printf, 3, 4)));

static void put(char* text, size_t size, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
}

static void add_parameter(frozen* f, const char* word, int k, double value) {
    put(f->parameter[f->parameter_count], NAME, "%s_%d", word, k + 1);
    f->value[f->parameter_count++] = value;
}

// Two formulas: a place, or a velocity.
typedef struct plane {
    char x[SHORT], y[SHORT];
} plane;

// (a, b) in the frame of part k, as a vector of the world.
static void turned(int k, double a, double b, plane* out) {
    put(out->x, SHORT, "(%.17g*cos(th%d) - %.17g*sin(th%d))", a, k + 1, b, k + 1);
    put(out->y, SHORT, "(%.17g*sin(th%d) + %.17g*cos(th%d))", a, k + 1, b, k + 1);
}

// Velocity of the point at r (formulas) of part k.
static void carried(int k, const plane* r, plane* out) {
    put(out->x, SHORT, "(x%d' - th%d'*%.300s)", k + 1, k + 1, r->y);
    put(out->y, SHORT, "(y%d' + th%d'*%.300s)", k + 1, k + 1, r->x);
}

// One side of a contact: a part, a fixture or a tip.
typedef struct bearer {
    int part;                     // -1: none
    const sti_shape_room* shape;  // NULL: a tip
    double pose[3], radius;
    int tip;
} bearer;

static bearer bearer_of(const sti_manipulation* m, const sti_push_contact* c, bool the_part) {
    if (the_part || c->against == STI_PUSH_PART) {
        const int k = the_part ? c->part : c->other;
        return (bearer){.part = k, .shape = &m->parts[k].shape, .radius = m->parts[k].shape.radius, .tip = -1};
    }
    if (c->against == STI_PUSH_FIXTURE) {
        const sti_fixture* x = &m->fixtures[c->other];
        return (bearer){.part = -1,
                        .shape = &x->shape,
                        .pose = {x->pose[0], x->pose[1], x->pose[2]},
                        .radius = x->shape.radius,
                        .tip = -1};
    }
    return (bearer){.part = -1, .radius = m->probes[m->tips[c->other].probe].radius, .tip = c->other};
}

// The point that touches, before its radius, and its velocity.
static void point_of(const sti_manipulation* m, const bearer* a, int corner, plane* at, plane* v) {
    put(v->x, SHORT, "0");
    put(v->y, SHORT, "0");
    if (a->tip >= 0) {
        const sti_tip* tip = &m->tips[a->tip];
        const sti_probe* p = &m->probes[tip->probe];
        const int k = tip->probe + 1;
        const double angle = atan2(p->velocity[1], p->velocity[0]);
        const bool moves = p->velocity[0] != 0 || p->velocity[1] != 0;
        if (moves) {
            put(v->x, SHORT, "(speed_%d*cos(%.17g + turn_%d))", k, angle, k);
            put(v->y, SHORT, "(speed_%d*sin(%.17g + turn_%d))", k, angle, k);
        }
        put(at->x, SHORT, "(%.17g + dx_%d + (t - %.17g)*%.200s)", tip->at[0], k, p->begin, v->x);
        put(at->y, SHORT, "(%.17g + dy_%d + (t - %.17g)*%.200s)", tip->at[1], k, p->begin, v->y);
        return;
    }
    const double zero[2] = {0, 0}, *local = corner >= 0 ? a->shape->v + 2 * (size_t)corner : zero;
    if (a->part < 0) {
        double world[2];
        sti_put(a->pose, local, world);
        put(at->x, SHORT, "%.17g", world[0]);
        put(at->y, SHORT, "%.17g", world[1]);
        return;
    }
    plane r;
    turned(a->part, local[0], local[1], &r);
    put(at->x, SHORT, "(x%d + %.300s)", a->part + 1, r.x);
    put(at->y, SHORT, "(y%d + %.300s)", a->part + 1, r.y);
    carried(a->part, &r, v);
}

// The normal out of b and the gap, and the velocity of b where the point is.
static void face_of(const bearer* b, int face, const plane* at, double radius, plane* N, char* gap, plane* v) {
    const sti_shape_room* s = b->shape;
    const bool edge = s->vertex_count > 0 && face < s->vertex_count;
    plane r;
    if (b->part >= 0) {
        put(r.x, SHORT, "(%.300s - x%d)", at->x, b->part + 1);
        put(r.y, SHORT, "(%.300s - y%d)", at->y, b->part + 1);
        carried(b->part, &r, v);
    } else {
        put(v->x, SHORT, "0");
        put(v->y, SHORT, "0");
    }
    if (edge) {
        const double *p = s->v + 2 * (size_t)face, *q = s->v + 2 * (size_t)((face + 1) % s->vertex_count);
        const double length = hypot(q[0] - p[0], q[1] - p[1]);
        double n[2] = {(q[1] - p[1]) / length, -(q[0] - p[0]) / length}, d = n[0] * p[0] + n[1] * p[1];
        if (b->part >= 0) {
            turned(b->part, n[0], n[1], N);
        } else {
            double world[2], foot[2];
            sti_turn(b->pose[2], n, world);
            sti_put(b->pose, p, foot);
            d = world[0] * foot[0] + world[1] * foot[1];
            put(N->x, SHORT, "%.17g", world[0]);
            put(N->y, SHORT, "%.17g", world[1]);
            put(r.x, SHORT, "%.300s", at->x);
            put(r.y, SHORT, "%.300s", at->y);
        }
        put(gap, TEXT, "(%.300s)*(%.300s) + (%.300s)*(%.300s) - (%.17g)", N->x, r.x, N->y, r.y, d + radius);
        return;
    }
    const bearer vertex = *b;
    plane foot, unused;
    point_of(NULL, &vertex, s->vertex_count > 0 ? face - s->vertex_count : -1, &foot, &unused);
    put(gap, TEXT, "hypot(%.300s - (%.300s), %.300s - (%.300s)) - (%.17g)", at->x, foot.x, at->y, foot.y,
        radius + s->radius);
    put(N->x, SHORT, "(%.200s - (%.200s))", at->x, foot.x);
    put(N->y, SHORT, "(%.200s - (%.200s))", at->y, foot.y);
}

static void write_contact(frozen* f, int i, const sti_push_contact* c) {
    const sti_manipulation* m = f->m;
    const bearer a = bearer_of(m, c, c->own), b = bearer_of(m, c, !c->own);
    plane at, va, vb, N;
    char other[100];
    point_of(m, &a, a.shape != NULL && a.shape->vertex_count > 0 ? c->corner : -1, &at, &va);
    face_of(&b, c->face, &at, a.radius, &N, f->gap[i], &vb);
    const bool edge = b.shape->vertex_count > 0 && c->face < b.shape->vertex_count;
    put(f->slip[i], TEXT, "(-(%.400s)*(%.200s - (%.300s)) + (%.400s)*(%.200s - (%.300s)))", N.y, va.x, vb.x, N.x, va.y,
        vb.y);
    if (!edge) {
        char whole[TEXT];
        memcpy(whole, f->slip[i], TEXT);
        put(f->slip[i], TEXT, "%.1500s/hypot(%.400s, %.400s)", whole, N.x, N.y);
    }
    // a rim touches a radius before its centre, where parts that turn are faster or slower
    for (int side = 0; side < 2 && a.radius > 0; side++) {
        const int part = side == 0 ? a.part : b.part;
        const size_t used = strlen(f->slip[i]);
        if (part >= 0)
            put(f->slip[i] + used, TEXT - used, " %c %.17g*th%d'", side == 0 ? '-' : '+', a.radius, part + 1);
    }
    sti_manipulation_contact_text(m, c, other, sizeof other);
    put(f->name[i], NAME + 100, "%.60s on %.40s", other, m->parts[c->part].name);
    for (int k = 0, same = 1; k < i; k++) {  // a fixture may touch at many points: "wall on peg 2"
        if (strcmp(f->name[k], f->name[i]) == 0)
            put(f->name[i], NAME + 100, "%.60s on %.40s %d", other, m->parts[c->part].name, ++same);
    }
    const int thing = c->against == STI_PUSH_PART      ? c->other
                      : c->against == STI_PUSH_FIXTURE ? m->part_count + c->other
                                                       : m->part_count + m->fixture_count + m->tips[c->other].probe;
    f->texts[i] = f->slip[i];
    f->contacts[i] = (sti_system_contact_text){
        .name = f->name[i], .gap = f->gap[i], .slip_count = 1, .slip = &f->texts[i], .mu = f->parameter[thing]};
}

static void write_forces(frozen* f, int k) {
    double B[9];
    sti_manipulation_damping(f->m, k, 0, B);
    const double mean = (B[0] + B[4]) / 2, half = (B[0] - B[4]) / 2;
    const bool fixed = f->m->parts[k].support.fixed;
    char E[5][SHORT];  // xx, xy, yy, xt, yt
    const char* angle = fixed ? "(0)" : f->coordinate[3 * k + 2];
    put(E[0], SHORT, "(%.17g + %.17g*cos(2*%s) - %.17g*sin(2*%s))", mean, half, angle, B[1], angle);
    put(E[2], SHORT, "(%.17g - %.17g*cos(2*%s) + %.17g*sin(2*%s))", mean, half, angle, B[1], angle);
    put(E[1], SHORT, "(%.17g*sin(2*%s) + %.17g*cos(2*%s))", half, angle, B[1], angle);
    put(E[3], SHORT, "(%.17g*cos(%s) - %.17g*sin(%s))", B[2], angle, B[5], angle);
    put(E[4], SHORT, "(%.17g*sin(%s) + %.17g*cos(%s))", B[2], angle, B[5], angle);
    const int n = k + 1;
    put(f->force[3 * k], TEXT, "-(%s*x%d' + %s*y%d' + %s*th%d')", E[0], n, E[1], n, E[3], n);
    put(f->force[3 * k + 1], TEXT, "-(%s*x%d' + %s*y%d' + %s*th%d')", E[1], n, E[2], n, E[4], n);
    put(f->force[3 * k + 2], TEXT, "-(%s*x%d' + %s*y%d' + %.17g*th%d')", E[3], n, E[4], n, B[8], n);
}

static void clear(frozen* f) {
    sti_arena_clear(&f->memory);
}

static sti_status reserve(frozen* f) {
    const size_t n = 3 * (size_t)f->m->part_count, nc = (size_t)f->count;
    const size_t parameters = (size_t)sti_manipulation_things(f->m) + 4 * (size_t)f->m->probe_count;
    f->memory = sti_arena_make(f->env);
    f->gap = sti_arena_take(&f->memory, nc, sizeof *f->gap);
    f->slip = sti_arena_take(&f->memory, nc, sizeof *f->slip);
    f->name = sti_arena_take(&f->memory, nc, sizeof *f->name);
    f->force = sti_arena_take(&f->memory, n, sizeof *f->force);
    f->coordinate = sti_arena_take(&f->memory, n, sizeof *f->coordinate);
    f->start = sti_arena_take(&f->memory, n, sizeof *f->start);
    f->parameter = sti_arena_take(&f->memory, parameters, sizeof *f->parameter);
    f->value = sti_arena_take(&f->memory, parameters, sizeof *f->value);
    f->contacts = sti_arena_take(&f->memory, nc, sizeof *f->contacts);
    f->texts = sti_arena_take(&f->memory, sti_size_add(nc, sti_size_add(3 * n, parameters)), sizeof *f->texts);
    return f->memory.status;
}

static void write_parameters(frozen* f) {
    const sti_manipulation* m = f->m;
    for (int k = 0; k < sti_manipulation_things(m); k++) {
        // of the pair with the first part; pairs with others that differ are refused before
        const int part = k == 0 && m->part_count > 1 ? 1 : 0;
        add_parameter(f, "mu", k, m->friction[(size_t)part * (size_t)sti_manipulation_things(m) + (size_t)k]);
    }
    for (int k = 0; k < m->probe_count; k++) {
        const sti_probe* p = &m->probes[k];
        add_parameter(f, "dx", k, 0);
        add_parameter(f, "dy", k, 0);
        add_parameter(f, "turn", k, 0);
        add_parameter(f, "speed", k, hypot(p->velocity[0], p->velocity[1]));
    }
}

static sti_status check_frozen(const sti_manipulation* m, double until) {
    const int things = sti_manipulation_things(m);
    for (int k = 0; k < m->probe_count; k++) {
        const sti_probe* p = &m->probes[k];
        if (!p->passive && (p->path || p->begin > 0 || p->until < until))
            return STI_FAIL(m->env, STI_ERR_INPUT, k,
                            "probes[%d]: a control that is constant over all steps is expected, from 0 to t = %g", k,
                            until);
    }
    for (int k = 0; k < things; k++) {
        for (int i = 1; i < m->part_count; i++) {
            const double *mu = m->friction, first = mu[k == 0 ? (size_t)things : (size_t)k];
            if (k != i && k != 0 && mu[(size_t)i * (size_t)things + (size_t)k] != first)
                return STI_FAIL(m->env, STI_ERR_INPUT, k, "friction: one coefficient for all parts is expected");
        }
    }
    return STI_OK;
}

static sti_status create(frozen* f, const double* q, sti_system** out) {
    const sti_manipulation* m = f->m;
    const int n = 3 * m->part_count, nc = f->count;
    static const char* const word[] = {"x", "y", "th"};
    const char **names = f->texts + nc, **forces = names + n, **starts = forces + n, **parameters = starts + n;
    for (int i = 0; i < n; i++) {
        put(f->coordinate[i], NAME, "%s%d", word[i % 3], i / 3 + 1);
        put(f->start[i], NAME + 20, "%.17g", q[i]);
        names[i] = f->coordinate[i];
        forces[i] = f->force[i];
        starts[i] = f->start[i];
    }
    for (int k = 0; k < m->part_count; k++) write_forces(f, k);
    for (int k = 0; k < f->parameter_count; k++) parameters[k] = f->parameter[k];
    const sti_system_text text = {.parameter_count = f->parameter_count,
                                  .parameter_names = parameters,
                                  .parameters = f->value,
                                  .coordinate_count = n,
                                  .coordinates = names,
                                  .kinetic = "0",
                                  .forces = forces,
                                  .contact_count = nc,
                                  .contacts = f->contacts,
                                  .q = starts};
    return sti_system_create(f->env, &text, out);
}

sti_status sti_manipulation_freeze(const sti_manipulation* m, const double* q, double margin, double until,
                                   sti_system** out) {
    frozen f = {.m = m, .env = m->env};
    sti_push_contact* contacts = NULL;
    *out = NULL;
    sti_status status = check_frozen(m, until);
    if (status == STI_OK) status = sti_manipulation_contacts(m, 0, q, margin, &contacts, &f.count);
    if (status == STI_OK) status = reserve(&f);
    if (status == STI_OK) {
        write_parameters(&f);
        for (int i = 0; i < f.count; i++) write_contact(&f, i, &contacts[i]);
        status = create(&f, q, out);
    }
    clear(&f);
    sti_free(m->env, contacts);
    return status;
}
