// rough.c: friction of grains on walls that is no disc: r_t in mu r_n S, S any section (section.h).
//
// The block of a contact between a sphere and a wall is w diag(1, 7/2, 7/2): no direction of the tangent plane is
// different from another, and normal and tangential parts do not meet. So with the other impulses held
//
//     r_n = max(0, y_n - (u_n + off) / w),      r_t = the point of mu r_n S nearest to y_t - 2/7 u_t / w
//
// u the slip with y acting, whatever S is: r_t - z_t = -2/7 (u_t at the end) / w, and what separates a point from the
// nearest one of a convex set is in the normal cone there. For the disc this is the update of lanes.h. Contacts between
// grains, and with other walls, stay in the lanes, which go from one rough contact to the next.
//
// The residual of such a contact is |r - r'| with r' as above from r and the step rho = 2/7 / w for both parts: zero
// exactly where the law holds.
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "granular/dual.h"

static const double parallel = 1e-9;  // of |along|: a projection shorter than this has no direction

// ---- of grains

static size_t corners_of(const sti_section* s) {
    return s->shape == STI_SECTION_POLYGON ? 2 * (size_t)s->vertex_count : 0;
}

// Copies with their corners in `room`; from and to may be the same.
void sti_rough_copy(const sti_wall_friction* from, int count, sti_wall_friction* to, double* room) {
    for (int k = 0; k < count; k++) {
        const size_t size = corners_of(&from[k].section);
        const double* corner = from[k].section.vertex;
        to[k] = from[k];
        to[k].section.vertex = size > 0 ? room : NULL;
        if (size > 0) memcpy(room, corner, size * sizeof *room);
        room += size;
    }
}

size_t sti_rough_corners(const sti_wall_friction* f, int count) {
    size_t all = 0;
    for (int k = 0; k < count; k++) all += corners_of(&f[k].section);
    return all;
}

static sti_status blame(sti_env* env, int wall) {
    char why[480];
    memcpy(why, sti_env_error(env)->text, sizeof why);
    why[sizeof why - 1] = '\0';
    return STI_FAIL(env, STI_ERR_ARGUMENT, wall, "wall %d: %s", wall, why);
}

static sti_status check_wall(sti_env* env, const sti_wall* wall, const sti_wall_friction* f, int k) {
    const double *a = f->along, size = norm3(a);
    if (f->section.shape == STI_SECTION_DISC) return STI_OK;
    if (sti_section_check(env, &f->section) != STI_OK) return blame(env, k);
    if (!(size > 0) || !isfinite(size))
        return STI_FAIL(env, STI_ERR_ARGUMENT, k, "wall %d: along: (%g, %g, %g): a direction is expected", k, a[0],
                        a[1], a[2]);
    double across[3];
    cross3(wall->axis, a, across);
    if (wall->kind == STI_WALL_PLANE && !(norm3(across) > 1e-6 * size))
        return STI_FAIL(env, STI_ERR_ARGUMENT, k,
                        "wall %d: along: (%g, %g, %g) is normal to the wall: a direction in it is expected", k, a[0],
                        a[1], a[2]);
    return STI_OK;
}

sti_status sti_rough_check(sti_env* env, const sti_grains* g, sti_law law) {
    bool any = false;
    for (int k = 0; k < g->wall_count; k++) {
        const sti_status status = check_wall(env, &g->walls[k], &g->friction[k], k);
        if (status != STI_OK) return status;
        any = any || g->friction[k].section.shape != STI_SECTION_DISC;
    }
    if (any && law != STI_LAW_COULOMB)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "law: %s: friction of walls that is no disc is for the law coulomb",
                        sti_law_text(law));
    return STI_OK;
}

sti_status sti_grains_set_section(sti_env* env, sti_grains* g, int wall, const sti_section* section,
                                  const double along[3]) {
    if (wall < 0 || wall >= g->wall_count)
        return STI_FAIL(env, STI_ERR_ARGUMENT, wall, "wall %d: there are %d", wall, g->wall_count);
    sti_wall_friction now = {.section = *section};
    memcpy(now.along, along, sizeof now.along);
    const sti_status status = check_wall(env, &g->walls[wall], &now, wall);
    if (status != STI_OK) return status;
    const size_t count = (size_t)g->wall_count;
    sti_wall_friction* list = sti_alloc_array_zero(env, count, sizeof *list);
    if (list == NULL) return STI_ERR_MEMORY;
    if (g->friction != NULL) memcpy(list, g->friction, count * sizeof *list);
    list[wall] = now;
    double* corners = sti_alloc_array(env, sti_rough_corners(list, g->wall_count) + 1, sizeof *corners);
    if (corners == NULL) {
        sti_free(env, list);
        return STI_ERR_MEMORY;
    }
    sti_rough_copy(list, g->wall_count, list, corners);
    sti_free(env, g->friction);
    sti_free(env, g->corners);
    g->friction = list;
    g->corners = corners;
    return STI_OK;
}

// ---- of a bed

static double reach_of(const sti_section* s) {
    enum { DIRECTIONS = 64 };
    double most = 0;
    for (int k = 0; k < DIRECTIONS; k++) {
        const double angle = 2 * M_PI * k / DIRECTIONS, y[2] = {cos(angle), sin(angle)};
        most = fmax(most, sti_section_support(s, y, NULL));
    }
    return s->shape == STI_SECTION_DISC ? 1 : most / cos(M_PI / DIRECTIONS);  // S lies in the polygon of its supports
}

sti_status sti_rough_create(sti_bed* bed, const sti_grains* g) {
    bool any = false;
    for (int k = 0; g->friction != NULL && k < g->wall_count; k++)
        any = any || g->friction[k].section.shape != STI_SECTION_DISC;
    if (!any) return STI_OK;
    double* room = sti_arena_raw(&bed->memory, sti_rough_corners(g->friction, g->wall_count) + 1, sizeof *room);
    bed->reach = sti_arena_raw(&bed->memory, (size_t)g->wall_count, sizeof *bed->reach);
    bed->friction = sti_arena_raw(&bed->memory, (size_t)g->wall_count, sizeof *bed->friction);
    if (bed->memory.status != STI_OK) return bed->memory.status;
    sti_rough_copy(g->friction, g->wall_count, bed->friction, room);
    for (int k = 0; k < g->wall_count; k++) bed->reach[k] = reach_of(&bed->friction[k].section);
    return STI_OK;
}

// ---- contacts of the step

// `along` where the spin of the wall has brought it
static void turned(const sti_wall* wall, const double along[3], double time, double out[3]) {
    const double *a = wall->axis, angle = wall->spin * time, c = cos(angle), s = sin(angle);
    double across[3];
    cross3(a, along, across);
    const double with = (1 - c) * dot3(a, along);
    for (int i = 0; i < 3; i++) out[i] = c * along[i] + s * across[i] + with * a[i];
}

static void put_axes(const sti_bed* bed, const double n[3], sti_rough* out) {
    const sti_wall_friction* f = &bed->friction[out->wall];
    double along[3];
    if (bed->walls[out->wall].spin != 0)
        turned(&bed->walls[out->wall], f->along, bed->time, along);
    else
        memcpy(along, f->along, sizeof along);
    const double size = norm3(along), up = dot3(along, n);
    for (int i = 0; i < 3; i++) out->t1[i] = along[i] - up * n[i];
    const double length = norm3(out->t1);
    if (!(length > parallel * size)) {
        sti_tangents(n, out->t1, out->t2);
        return;
    }
    for (int i = 0; i < 3; i++) out->t1[i] /= length;
    cross3(n, out->t1, out->t2);
}

// sti_section_project without the depth, which takes most of its time where z is inside an ellipse
static void nearest(const sti_section* s, const double z[2], double p[2]) {
    if (s->shape == STI_SECTION_ELLIPSE && sti_section_gauge(s, z) <= 1)
        memcpy(p, z, 2 * sizeof *p);
    else
        sti_section_project(s, z, p, NULL);
}

// r = r_n n and the point of mu r_n S nearest to z (in the axes of the section)
static void put_impulse(const sti_bed* bed, const sti_rough* c, const sti_touch* t, double rn, const double z[2],
                        double r[3]) {
    const double mu = bed->walls[c->wall].mu, size = mu * rn;
    const sti_section* s = &bed->friction[c->wall].section;
    double p[2] = {0, 0};
    // a bound beyond 1e-150 of what it bounds is none: r_t is zero then, as far as numbers go
    if (size > 1e-150 * (fabs(z[0]) + fabs(z[1])) && size > DBL_MIN)
        nearest(s, (double[2]){z[0] / size, z[1] / size}, p);
    for (int i = 0; i < 3; i++) r[i] = rn * t->n[i] + size * (p[0] * c->t1[i] + p[1] * c->t2[i]);
}

static sti_status reserve(sti_bed* bed, int64_t count) {
    if (count <= bed->rough_capacity) return STI_OK;
    const int64_t capacity = count + count / 8 + 16;
    sti_rough* memory = sti_alloc_array(bed->env, (size_t)capacity, sizeof *memory);
    if (memory == NULL) return STI_ERR_MEMORY;
    sti_free(bed->env, bed->rough);
    bed->rough = memory;
    bed->rough_capacity = capacity;
    return STI_OK;
}

static bool is_rough(const sti_bed* bed, const sti_touch* t) {
    return t->b >= bed->n && bed->friction[t->b - bed->n].section.shape != STI_SECTION_DISC;
}

// The lanes have put starts into discs: here into sections, from what the last step handed on.
sti_status sti_rough_gather(sti_bed* bed) {
    int64_t count = 0;
    for (int s = 0; s < bed->slab_count; s++) {
        const sti_touch* touch = bed->touch + bed->touch_first[s];
        for (int k = 0; k < bed->touch_count[s]; k++) count += is_rough(bed, &touch[k]) ? 1 : 0;
    }
    const sti_status status = reserve(bed, count);
    if (status != STI_OK) return status;
    count = 0;
    for (int s = 0; s < bed->slab_count; s++) {
        bed->rough_first[s] = count;
        for (int k = 0; k < bed->touch_count[s]; k++) {
            sti_touch* t = &bed->touch[bed->touch_first[s] + k];
            if (!is_rough(bed, t)) continue;
            sti_rough* c = &bed->rough[count++];
            *c = (sti_rough){.at = k, .wall = t->b - bed->n};
            put_axes(bed, t->n, c);
            static const sti_memo none;
            const double* start = bed->options.warm ? bed->memo[bed->touch_first[s] + k].r : none.r;
            put_impulse(bed, c, t, fmax(0, dot3(start, t->n)), (double[2]){dot3(start, c->t1), dot3(start, c->t2)},
                        t->r);
        }
    }
    bed->rough_first[bed->slab_count] = count;
    return STI_OK;
}

static int compare_places(const void* key, const void* element) {
    const int at = *(const int*)key, other = ((const sti_rough*)element)->at;
    return at < other ? -1 : at > other;
}

const sti_rough* sti_rough_of(const sti_bed* bed, int slab, int at) {
    if (bed->friction == NULL) return NULL;
    const int64_t first = bed->rough_first[slab], count = bed->rough_first[slab + 1] - first;
    return count > 0 ? bsearch(&at, bed->rough + first, (size_t)count, sizeof *bed->rough, compare_places) : NULL;
}

// ---- passes

// What the law answers to y where the slip is u, by the step of the normal part and that of the tangential one
static void answer(const sti_bed* bed, const sti_rough* c, const sti_touch* t, const double y[3], const double u[3],
                   double step_n, double step_t, double r[3]) {
    const double rn = dot3(y, t->n) - step_n * (dot3(u, t->n) + t->off);
    const double z[2] = {dot3(y, c->t1) - step_t * dot3(u, c->t1), dot3(y, c->t2) - step_t * dot3(u, c->t2)};
    put_impulse(bed, c, t, rn > 0 ? rn : 0, z, r);
}

static void update(sti_bed* bed, const sti_rough* c, sti_touch* t, sti_trail* trail, double beta) {
    sti_grain* g = &bed->grain[t->a];
    double u[3], y[3], r[3], d[3], spin[3];
    for (int i = 0; i < 3; i++) {
        y[i] = t->r[i];
        if (trail == NULL) continue;
        y[i] += beta * (y[i] - trail->r[i]);
        trail->r[i] = t->r[i];
    }
    sti_slip(g, &bed->grain[t->b], t->n, u);
    answer(bed, c, t, y, u, 1 / g->im, 2.0 / 7.0 / g->im, r);
    for (int i = 0; i < 3; i++) {
        d[i] = r[i] - y[i];
        t->r[i] = r[i];
    }
    cross3(t->n, d, spin);
    for (int i = 0; i < 3; i++) {
        g->v[i] += g->im * d[i];
        g->W[i] -= 2.5 * g->im * spin[i];
    }
}

static void sweep_lanes(sti_bed* bed, sti_touch* touch, const sti_loops* loops, sti_trail* trail, double beta,
                        int count) {
    if (count <= 0) return;
    if (trail != NULL)
        loops->glide_coulomb(bed->grain, touch, trail, beta, count);
    else
        loops->sweep_coulomb(bed->grain, touch, count);
}

void sti_rough_sweep(sti_bed* bed, int slab, const sti_loops* loops, sti_trail* trail, double beta) {
    sti_touch* touch = bed->touch + bed->touch_first[slab];
    int from = 0;
    for (int64_t k = bed->rough_first[slab]; k < bed->rough_first[slab + 1]; k++) {
        const sti_rough* c = &bed->rough[k];
        sweep_lanes(bed, touch + from, loops, trail == NULL ? NULL : trail + from, beta, c->at - from);
        update(bed, c, touch + c->at, trail == NULL ? NULL : trail + c->at, beta);
        from = c->at + 1;
    }
    sweep_lanes(bed, touch + from, loops, trail == NULL ? NULL : trail + from, beta, bed->touch_count[slab] - from);
}

static void map_lanes(const sti_bed* bed, const sti_touch* touch, const sti_loops* loops, int count, double out[2]) {
    double part[2] = {0, 0};
    if (count > 0) loops->map(bed->grain, touch, count, true, part);
    out[0] += part[0];
    out[1] += part[1];
}

void sti_rough_map(sti_bed* bed, int slab, const sti_loops* loops, double out[2]) {
    const sti_touch* touch = bed->touch + bed->touch_first[slab];
    int from = 0;
    out[0] = out[1] = 0;
    for (int64_t k = bed->rough_first[slab]; k < bed->rough_first[slab + 1]; k++) {
        const sti_rough* c = &bed->rough[k];
        const sti_touch* t = touch + c->at;
        const double rho = 2.0 / 7.0 / bed->grain[t->a].im;
        double u[3], r[3];
        map_lanes(bed, touch + from, loops, c->at - from, out);
        sti_slip(&bed->grain[t->a], &bed->grain[t->b], t->n, u);
        answer(bed, c, t, t->r, u, rho, rho, r);
        for (int i = 0; i < 3; i++) out[0] += (t->r[i] - r[i]) * (t->r[i] - r[i]);
        out[1] += dot3(t->r, t->r);
        from = c->at + 1;
    }
    map_lanes(bed, touch + from, loops, bed->touch_count[slab] - from, out);
}

double sti_rough_violation(const sti_bed* bed, int slab) {
    double most = 0;
    for (int64_t k = bed->rough_first[slab]; k < bed->rough_first[slab + 1]; k++) {
        const sti_rough* c = &bed->rough[k];
        const sti_touch* t = &bed->touch[bed->touch_first[slab] + c->at];
        const double rn = dot3(t->r, t->n), z[2] = {dot3(t->r, c->t1), dot3(t->r, c->t2)};
        double p[3], off = 0;
        put_impulse(bed, c, t, rn > 0 ? rn : 0, z, p);
        for (int i = 0; i < 3; i++) off += (t->r[i] - p[i]) * (t->r[i] - p[i]);
        most = fmax(most, sqrt(off));
    }
    return most;
}
