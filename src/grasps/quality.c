// quality.c: the quality of Ferrari and Canny, between two bounds.
//
//     W = conv of 0 and of the discs  D_i = { n_i + t_i' f : |f| <= mu_i },    rows (force, torque / length)
//     quality = min over |u| = 1 of h(u),     h(u) = max_i (n_i'u + mu_i |t_i u|)
//
// Ferrari & Canny 1992, with the sum of normal forces bounded. Finitely many points p of the discs have a hull inside
// W; its faces a'p <= b, by double description of the cone over (p, 1), give the lower bound min b / |a|. Every u gives
// the upper bound h(u). The faces below the best upper bound are where the discs bulge out: their normals u name the
// points of the discs that are added, and the bounds close like those of a cutting plane method. In the plane, and with
// polygons, the first hull is W itself.
//
// The double description is exact, on points rounded to a grid of size g: a hull moves by at most g sqrt(n) / 2, which
// the lower bound gives away. So no face is lost to rounding. Cost: that of the hull; point_limit and facet_limit bound
// it.
#include <math.h>
#include <stdio.h>
#include <stiction/cone.h>
#include <stiction/grasp.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/vector.h"

enum { N_MOST = 6, FIRST_CORNERS = 4, AT_ONCE = 12 };
#define UNIT_TOL 1e-9

typedef struct finger {
    int contact;  // of the instant
    double mu;
    double row[3][N_MOST];  // n, t_1, t_2, torques divided by length
    int tangents;
} finger;

typedef struct work {
    sti_env* env;
    sti_arena pool;
    const sti_instant* instant;
    const sti_grasp_options* o;
    sti_grasp_quality* out;
    int n, d;  // 3, 2 or 6, 3
    int coordinate[N_MOST];
    finger* fingers;
    int count;
    int capacity;   // of points
    double* point;  // (capacity x n)
    double upper, u[N_MOST];
    double lower;
} work;

sti_grasp_options sti_grasp_options_default(void) {
    return (sti_grasp_options){
        .object = sti_closure_options_default(), .gap = 1e-2, .point_limit = 160, .facet_limit = 200000};
}

// ---- reading

static bool refuse(work* w, const char* why) {
    snprintf(w->out->why, sizeof w->out->why, "%s", why);
    return false;
}

static bool choose_object(work* w) {
    const sti_closure_options* o = &w->o->object;
    const int count = o->object_count > 0 ? o->object_count : w->instant->n;
    if (count != 3 && count != 6)
        return refuse(w, "it needs an object of 3 coordinates (plane) or 6 (space), by its name");
    w->n = w->out->n = count;
    w->d = count == 3 ? 2 : 3;
    for (int j = 0; j < count; j++) {
        w->coordinate[j] = o->object_count > 0 ? o->object[j] : j;
        if (w->coordinate[j] < 0 || w->coordinate[j] >= w->instant->n) return refuse(w, "no such coordinate");
    }
    return true;
}

// The rows on the object; false: it is not touched.
static bool read_rows(const work* w, const sti_instant_contact* c, finger* f) {
    double size = 0;
    for (int k = 0; k <= c->tangent_count; k++) {
        const double* from = k == 0 ? c->n : c->t + (size_t)(k - 1) * (size_t)w->instant->n;
        for (int j = 0; j < w->n; j++) {
            f->row[k][j] = from[w->coordinate[j]];
            size = fmax(size, fabs(f->row[k][j]));
        }
    }
    return size > 0;
}

static bool is_frame(const work* w, const finger* f) {
    for (int a = 0; a <= f->tangents; a++) {
        for (int b = 0; b <= a; b++) {
            if (!(fabs(sti_vector_dot((size_t)w->d, f->row[a], f->row[b]) - (a == b)) <= UNIT_TOL)) return false;
        }
    }
    return true;
}

// Distance of the contact from the center: of a frame sum |r x e|^2 is |r|^2 in the plane, 2 |r|^2 in space; of a
// normal alone the arm of its force.
static double arm(const work* w, const finger* f) {
    double sum = 0;
    for (int a = 0; a <= f->tangents; a++)
        sum += sti_vector_dot((size_t)(w->n - w->d), f->row[a] + w->d, f->row[a] + w->d);
    return sqrt(f->tangents == 2 ? sum / 2 : sum);
}

static bool read_fingers(work* w) {
    double far = 0;
    for (int i = 0; i < w->instant->contact_count; i++) {
        const sti_instant_contact* c = &w->instant->contacts[i];
        finger* f = &w->fingers[w->count];
        if (c->pressed || (!c->bilateral && c->gap > w->o->object.gap_tol)) continue;
        *f = (finger){.contact = i, .mu = c->tangent_count > 0 ? c->mu : 0, .tangents = c->tangent_count};
        if (!read_rows(w, c, f)) continue;
        if (c->bilateral) return refuse(w, "a joint holds the object");
        if (!is_frame(w, f))
            return refuse(w, "a contact's normal and tangents are not orthonormal on the first coordinates");
        far = fmax(far, arm(w, f));
        w->count++;
    }
    w->out->length = w->o->length > 0 ? w->o->length : far > 0 ? far : 1;
    for (int i = 0; i < w->count; i++) {
        for (int k = 0; k < 3; k++) {
            for (int j = w->d; j < w->n; j++) w->fingers[i].row[k][j] /= w->out->length;
        }
    }
    return true;
}

// ---- the two bounds

// The tangential force of a finger that reaches farthest along u, and how far that is.
static double reach(const work* w, const finger* f, const double* u, double* t) {
    const double a = f->tangents > 0 ? sti_vector_dot((size_t)w->n, f->row[1], u) : 0,
                 b = f->tangents > 1 ? sti_vector_dot((size_t)w->n, f->row[2], u) : 0;
    const double size = hypot(a, b);
    t[0] = size > 0 ? f->mu * a / size : 0;
    t[1] = size > 0 ? f->mu * b / size : 0;
    const int facets = f->tangents == 2 ? w->o->object.facets : 0;
    double best = -INFINITY;
    for (int k = 0; k < facets; k++) {
        const double angle = 2 * acos(-1.0) * k / facets, x = f->mu * cos(angle), y = f->mu * sin(angle);
        if (x * a + y * b <= best) continue;
        best = x * a + y * b;
        t[0] = x;
        t[1] = y;
    }
    return sti_vector_dot((size_t)w->n, f->row[0], u) + t[0] * a + t[1] * b;
}

// h(u): the finger and its force that reach farthest.
static double support(const work* w, const double* u, int* who, double* t) {
    double most = -INFINITY, own[2];
    for (int i = 0; i < w->count; i++) {
        const double far = reach(w, &w->fingers[i], u, own);
        if (far <= most) continue;
        most = far;
        *who = i;
        memcpy(t, own, sizeof own);
    }
    return most;
}

static void put_point(work* w, int i, const double* t) {
    sti_grasp_quality* out = w->out;
    const finger* f = &w->fingers[i];
    const size_t n = (size_t)w->n, at = (size_t)out->point_count;
    for (size_t p = 0; p < at; p++) {
        if (out->contact[p] == f->contact && out->tangential[2 * p] == t[0] && out->tangential[2 * p + 1] == t[1])
            return;
    }
    if (out->point_count == w->capacity) return;
    for (size_t j = 0; j < n; j++) w->point[at * n + j] = f->row[0][j] + t[0] * f->row[1][j] + t[1] * f->row[2][j];
    out->contact[at] = f->contact;
    out->tangential[2 * at] = t[0];
    out->tangential[2 * at + 1] = t[1];
    out->point_count++;
}

static void first_points(work* w) {
    for (int i = 0; i < w->count; i++) {
        const finger* f = &w->fingers[i];
        const bool rough = f->mu > 0 && f->tangents > 0;
        const int corners = !rough                    ? 1
                            : f->tangents == 1        ? 2
                            : w->o->object.facets > 0 ? w->o->object.facets
                                                      : FIRST_CORNERS;
        for (int k = 0; k < corners; k++) {
            const double angle = 2 * acos(-1.0) * k / corners;
            double t[2] = {rough ? f->mu * cos(angle) : 0, rough && f->tangents == 2 ? f->mu * sin(angle) : 0};
            put_point(w, i, t);
        }
    }
}

static double grid_of(const work* w) {
    return w->n == 3 ? 0x1p-40 : 0x1p-26;
}

// The cone over the points, on a grid.
static sti_status make_hull(work* w, sti_polycone** out) {
    const size_t n = (size_t)w->n, count = (size_t)w->out->point_count, width = n + 1;
    const double grid = grid_of(w);
    sti_rationals* exact = NULL;
    double* value = sti_alloc_array(w->env, count * width, sizeof *value);
    if (value == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_rationals_create(w->env, count * width, &exact);
    for (size_t p = 0; status == STI_OK && p < count * width; p++) {
        value[p] = p % width == n ? 1 : grid * nearbyint(w->point[p / width * n + p % width] / grid);
        status = sti_rationals_set_double(exact, p, value[p]);
    }
    sti_polycone_options o = sti_polycone_options_default();
    o.max_rays = w->o->facet_limit;
    const sti_rows rows = {.count = (int)count, .dimension = (int)width, .value = value, .exact = exact};
    if (status == STI_OK) status = sti_polycone_create_span(w->env, (int)width, &rows, NULL, &o, out);
    sti_rationals_destroy(exact);
    sti_free(w->env, value);
    return status;
}

// A face of the hull: its outward unit normal, and how far it is.
static double read_face(const work* w, const double* row, double* u) {
    const double size = sqrt(sti_vector_dot((size_t)w->n, row, row));
    for (int j = 0; j < w->n; j++) u[j] = size > 0 ? row[j] / size : 0;
    return size > 0 ? -row[w->n] / size : (double)INFINITY;  // the face at infinity
}

static void find_bounds(work* w, const sti_rows* faces) {
    const double give = grid_of(w) * sqrt((double)w->n) / 2;
    double u[N_MOST], t[2];
    int who;
    w->out->face_count = faces->count;
    w->lower = INFINITY;
    for (int f = 0; f < faces->count; f++) {
        const double near = read_face(w, faces->value + (size_t)f * (size_t)faces->dimension, u);
        if (isinf(near)) continue;
        w->lower = fmin(w->lower, near);
        const double far = support(w, u, &who, t);
        if (far >= w->upper) continue;
        w->upper = far;
        memcpy(w->u, u, sizeof u);
    }
    w->lower = fmax(0, w->lower - give);
}

// What reaches beyond the nearest faces becomes a point: a few in each round, the nearest face first.
static void add_beyond(work* w, const sti_rows* faces) {
    double last = -INFINITY, u[N_MOST], t[2];
    int who = 0;
    for (int added = 0, before = w->out->point_count; added < AT_ONCE; added = w->out->point_count - before) {
        double next = INFINITY;
        int face = -1;
        for (int f = 0; f < faces->count; f++) {
            const double near = read_face(w, faces->value + (size_t)f * (size_t)faces->dimension, u);
            if (near <= last || near >= next) continue;
            next = near;
            face = f;
        }
        if (face < 0 || next >= w->upper * (1 - w->o->gap) || w->out->point_count == w->capacity) return;
        read_face(w, faces->value + (size_t)face * (size_t)faces->dimension, u);
        if (support(w, u, &who, t) > next * (1 + 1e-9)) put_point(w, who, t);
        last = next;
    }
}

static sti_status refine(work* w) {
    sti_status status = STI_OK;
    first_points(w);
    w->upper = INFINITY;
    for (int used = -1; status == STI_OK && used < w->out->point_count;) {
        sti_polycone* hull = NULL;
        status = make_hull(w, &hull);
        if (status == STI_ERR_SIZE && used > 0) {  // what the last round proved stands
            w->out->point_count = used;
            return STI_OK;
        }
        if (status != STI_OK) break;
        const sti_rows faces = sti_polycone_inequalities(hull);
        used = w->out->point_count;
        find_bounds(w, &faces);
        add_beyond(w, &faces);
        sti_polycone_destroy(hull);
    }
    return status;
}

// ---- the whole

static sti_status reserve_points(work* w) {
    sti_grasp_quality* out = w->out;
    const int corners = w->o->object.facets > FIRST_CORNERS ? w->o->object.facets : FIRST_CORNERS;
    w->capacity = w->count * corners > w->o->point_limit ? w->count * corners : w->o->point_limit;
    w->point = sti_arena_doubles(&w->pool, (size_t)w->capacity * (size_t)w->n);
    out->contact = sti_alloc_array_zero(w->env, (size_t)w->capacity, sizeof *out->contact);
    out->tangential = sti_alloc_array_zero(w->env, 2 * (size_t)w->capacity, sizeof *out->tangential);
    out->u = sti_alloc_array_zero(w->env, (size_t)w->n, sizeof *out->u);
    if (w->pool.status != STI_OK || out->contact == NULL || out->tangential == NULL || out->u == NULL)
        return STI_ERR_MEMORY;
    return STI_OK;
}

// Not closed: the load that nothing balances is a direction in which W does not reach.
static void settle_open(work* w, const sti_closure* closure) {
    double size = 0;
    for (int j = 0; j < w->n; j++) {
        w->out->u[j] = closure->y[j] * (j < w->d ? 1 : w->out->length);
        size = hypot(size, w->out->u[j]);
    }
    for (int j = 0; j < w->n && size > 0; j++) w->out->u[j] /= size;
    w->out->lower = w->out->upper = 0;
}

static sti_status find(work* w) {
    sti_closure closure = {0};
    sti_status status = sti_force_closure_analyze(w->env, w->instant, &w->o->object, &closure);
    if (status == STI_OK) status = reserve_points(w);
    if (status == STI_OK && closure.closed == STI_NO) {
        settle_open(w, &closure);
    } else if (status == STI_OK && closure.closed == STI_UNDECIDED) {
        w->out->applies = refuse(w, "whether the grasp is closed is not decided");
    } else if (status == STI_OK) {
        status = refine(w);
        w->out->lower = w->lower;
        w->out->upper = w->upper;
        memcpy(w->out->u, w->u, (size_t)w->n * sizeof *w->u);
    }
    sti_closure_clear(w->env, &closure);
    if (status != STI_ERR_SIZE) return status;
    w->out->applies = refuse(w, "too many contacts: the hull of their wrenches has too many faces");
    return STI_OK;
}

sti_status sti_grasp_quality_analyze(sti_env* env, const sti_instant* instant, const sti_grasp_options* options,
                                     sti_grasp_quality* out) {
    const sti_grasp_options standard = sti_grasp_options_default();
    *out = (sti_grasp_quality){.lower = NAN, .upper = NAN};
    sti_status status = sti_instant_check(env, instant);
    if (status == STI_OK) status = sti_instant_needs_discs(env, instant);
    if (status != STI_OK) return status;
    work w = {.env = env,
              .pool = sti_arena_make(env),
              .instant = instant,
              .o = options != NULL ? options : &standard,
              .out = out};
    if (!(w.o->length >= 0 && isfinite(w.o->length)) || !(w.o->gap > 0) || w.o->facet_limit < 1)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "length %g, gap %g, facet_limit %d", w.o->length, w.o->gap,
                        w.o->facet_limit);
    w.fingers = sti_arena_take(&w.pool, (size_t)instant->contact_count + 1, sizeof *w.fingers);
    status = w.pool.status;
    if (status == STI_OK) out->applies = choose_object(&w) && read_fingers(&w);
    if (status == STI_OK && out->applies) status = find(&w);
    sti_arena_clear(&w.pool);
    if (status != STI_OK) sti_grasp_quality_clear(env, out);
    return status;
}

void sti_grasp_quality_clear(sti_env* env, sti_grasp_quality* quality) {
    sti_free(env, quality->u);
    sti_free(env, quality->contact);
    sti_free(env, quality->tangential);
    *quality = (sti_grasp_quality){0};
}
