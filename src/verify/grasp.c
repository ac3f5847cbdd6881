// grasp.c: the check of least friction and of grasp quality, from the instant and the claims alone.
//
// Least friction: the closure claims at both ends, on the instant with that friction; where none closes, n_i'y <= 0 and
// t_i y = 0 at all contacts.
//
// Quality: h(u) is computed anew, every point must be a force of its contact, and the hull of the points is wrapped
// anew (hull.c), which leaves 2e-5 of lower open. Plain doubles, 1e-9 for rounding.
#include <math.h>
#include <stdio.h>
#include <stiction/grasp.h>
#include <string.h>

#include "base/env.h"
#include "verify/hull.h"

#define ROUNDING 1e-9

// ---- least friction

// A copy of the contacts with another friction, and of the exact table of it.
typedef struct changed {
    sti_instant instant;
    sti_instant_contact* contacts;
    sti_instant_exact exact;
} changed;

static sti_status change_friction(sti_env* env, const sti_instant* from, sti_grasp_friction_kind kind, double x,
                                  changed* to) {
    const size_t count = (size_t)from->contact_count;
    *to = (changed){.instant = *from};
    to->contacts = sti_alloc_array(env, count, sizeof *to->contacts);
    if (to->contacts == NULL) return STI_ERR_MEMORY;
    to->instant.contacts = to->contacts;
    sti_status status = STI_OK;
    if (from->exact != NULL) {
        to->exact = *from->exact;
        to->exact.mu = NULL;
        to->instant.exact = &to->exact;
        status = sti_rationals_create(env, count, &to->exact.mu);
    }
    for (size_t i = 0; status == STI_OK && i < count; i++) {
        to->contacts[i] = from->contacts[i];
        if (from->contacts[i].tangent_count > 0)
            to->contacts[i].mu = kind == STI_GRASP_COMMON ? x : x * from->contacts[i].mu;
        if (from->exact != NULL) status = sti_rationals_set_double(to->exact.mu, i, to->contacts[i].mu);
    }
    return status;
}

static void forget(sti_env* env, changed* c) {
    sti_free(env, c->contacts);
    sti_rationals_destroy(c->exact.mu);
}

static sti_status check_end(sti_env* env, const sti_instant* instant, const sti_closure_options* options,
                            const sti_grasp_friction* f, double x, const sti_closure* claim, sti_verdict expected,
                            double tol, bool* accepted) {
    changed c;
    *accepted = false;
    sti_status status = change_friction(env, instant, f->kind, x, &c);
    if (status == STI_OK && claim->closed == expected)
        status = sti_verify_closure(env, &c.instant, options, true, claim, tol, accepted);
    forget(env, &c);
    return status;
}

// Is velocity j one of a bounded force's own?
static bool is_own(const sti_instant* instant, int j) {
    for (int i = 0; i < instant->contact_count; i++) {
        if (instant->contacts[i].pressed && instant->contacts[i].n[j] != 0) return true;
    }
    return false;
}

// sum over the object's coordinates of row and y, and of the sizes of its terms.
static double pull(const sti_instant* instant, const sti_closure_options* o, const double* row, const double* y,
                   double* size) {
    double sum = 0;
    *size = 0;
    for (int j = 0, k = 0; j < (o->object_count > 0 ? o->object_count : instant->n); j++) {
        const int at = o->object_count > 0 ? o->object[j] : j;
        if (o->object_count <= 0 && is_own(instant, j)) continue;
        sum += row[at] * y[k];
        *size += fabs(row[at] * y[k]);
        k++;
    }
    return sum;
}

static bool check_never(const sti_instant* instant, const sti_closure_options* o, const sti_grasp_friction* f,
                        double tol) {
    double most = 0, size;
    int expected = 0;
    for (int j = 0; j < instant->n; j++) expected += !is_own(instant, j);
    if (o->object_count > 0) expected = o->object_count;
    if (f->y == NULL || f->n != expected) return false;
    for (int j = 0; j < f->n; j++) most = fmax(most, fabs(f->y[j]));
    if (!(most > 0) || !isfinite(most)) return false;
    for (int i = 0; i < instant->contact_count; i++) {
        const sti_instant_contact* c = &instant->contacts[i];
        if (c->pressed || (!c->bilateral && c->gap > o->gap_tol)) continue;
        const double n = pull(instant, o, c->n, f->y, &size);
        if (n > tol * fmax(size, most) || (c->bilateral && n < -tol * fmax(size, most))) return false;
        const bool rough = f->kind == STI_GRASP_COMMON || c->mu > 0;
        for (int k = 0; rough && k < c->tangent_count; k++) {
            const double t = pull(instant, o, c->t + (size_t)k * (size_t)instant->n, f->y, &size);
            if (fabs(t) > tol * fmax(size, most)) return false;
        }
    }
    return true;
}

sti_status sti_verify_grasp_friction(sti_env* env, const sti_instant* instant, const sti_closure_options* options,
                                     const sti_grasp_friction* f, double tol, bool* accepted) {
    const sti_closure_options standard = sti_closure_options_default();
    if (options == NULL) options = &standard;
    *accepted = f->closes == STI_UNDECIDED;
    if (f->closes == STI_NO) *accepted = check_never(instant, options, f, tol);
    if (f->closes != STI_YES) return STI_OK;
    if (!(f->low >= 0 && f->low <= f->high && isfinite(f->high))) return STI_OK;
    sti_status status = check_end(env, instant, options, f, f->high, &f->at_high, STI_YES, tol, accepted);
    if (status != STI_OK || !*accepted || f->high == 0) return status;
    return check_end(env, instant, options, f, f->low, &f->at_low, STI_NO, tol, accepted);
}

// ---- quality

typedef struct hand {
    const sti_instant* instant;
    const sti_grasp_options* o;
    const sti_grasp_quality* q;
    int n, d;
    double* point;  // (point_count x n)
} hand;

static double entry(const hand* h, const double* row, int j) {
    const sti_closure_options* o = &h->o->object;
    return row[o->object_count > 0 ? o->object[j] : j] / (j < h->d ? 1 : h->q->length);
}

static double along(const hand* h, const double* row, const double* u) {
    double sum = 0;
    for (int j = 0; j < h->n; j++) sum += entry(h, row, j) * u[j];
    return sum;
}

static bool touches(const hand* h, int i) {
    const sti_instant_contact* c = &h->instant->contacts[i];
    return !c->pressed && !c->bilateral && !(c->gap > h->o->object.gap_tol);
}

// Farthest along u, with all forces of the contacts.
static double farthest(const hand* h, const double* u) {
    double most = 0;
    for (int i = 0; i < h->instant->contact_count; i++) {
        const sti_instant_contact* c = &h->instant->contacts[i];
        if (!touches(h, i)) continue;
        const double x = c->tangent_count > 0 ? along(h, c->t, u) : 0;
        const double y = c->tangent_count > 1 ? along(h, c->t + h->instant->n, u) : 0;
        double t = hypot(x, y);
        if (h->o->object.facets > 0 && c->tangent_count == 2) {
            t = 0;
            for (int k = 0; k < h->o->object.facets; k++) {
                const double angle = 2 * M_PI * k / h->o->object.facets;
                t = fmax(t, cos(angle) * x + sin(angle) * y);
            }
        }
        most = fmax(most, along(h, c->n, u) + (c->tangent_count > 0 ? c->mu : 0) * t);
    }
    return most;
}

// The points, each a force that its contact can give.
static bool take_points(hand* h) {
    for (int p = 0; p < h->q->point_count; p++) {
        const int i = h->q->contact[p];
        if (i < 0 || i >= h->instant->contact_count || !touches(h, i)) return false;
        const sti_instant_contact* c = &h->instant->contacts[i];
        const double* f = h->q->tangential + 2 * (size_t)p;
        if (c->tangent_count < 2 && f[1] != 0) return false;
        if (c->tangent_count < 1 && f[0] != 0) return false;
        if (!(hypot(f[0], f[1]) <= c->mu * (1 + 1e-12))) return false;
        for (int j = 0; j < h->n; j++) {
            double x = entry(h, c->n, j);
            for (int k = 0; k < c->tangent_count; k++)
                x += f[k] * entry(h, c->t + (size_t)k * (size_t)h->instant->n, j);
            h->point[p * h->n + j] = x;
        }
    }
    return true;
}

static sti_status judge(sti_env* env, hand* h, int face_limit, sti_grasp_verification* out, const char** why) {
    const sti_grasp_quality* q = h->q;
    double size = 0, radius;
    *why = NULL;
    for (int j = 0; q->u != NULL && j < h->n; j++) size = hypot(size, q->u[j]);
    if (!(fabs(size - 1) <= 1e-12) || !(q->length > 0))
        *why = "u is not of length one";
    else if (!(farthest(h, q->u) <= q->upper + ROUNDING * (1 + q->upper)))
        *why = "the contacts reach farther along u than upper";
    else if (!(q->lower >= 0 && q->lower <= q->upper + ROUNDING))
        *why = "lower is not between 0 and upper";
    else if (q->lower > 0 && !take_points(h))
        *why = "a point is no force of its contact";
    out->lower_checked = q->lower == 0;
    if (*why != NULL || q->lower == 0) return STI_OK;
    const sti_status status =
        sti_hull_radius(env, h->n, q->point_count, h->point, face_limit, &radius, &out->lower_checked);
    if (out->lower_checked && !(radius >= q->lower * (1 - 2 * STI_HULL_PULL) - ROUNDING))
        *why = "a face of the hull is nearer than lower";
    return status;
}

sti_status sti_verify_grasp_quality(sti_env* env, const sti_instant* instant, const sti_grasp_options* options,
                                    const sti_grasp_quality* quality, int face_limit, sti_grasp_verification* out) {
    const sti_grasp_options standard = sti_grasp_options_default();
    *out = (sti_grasp_verification){0};
    hand h = {.instant = instant,
              .o = options != NULL ? options : &standard,
              .q = quality,
              .n = quality->n,
              .d = quality->n == 3 ? 2 : 3};
    if (!quality->applies || (h.n != 3 && h.n != 6) ||
        (h.o->object.object_count > 0 ? h.o->object.object_count : instant->n) != h.n) {
        snprintf(out->text, sizeof out->text, "nothing is claimed");
        return STI_OK;
    }
    h.point = sti_alloc_array_zero(env, (size_t)quality->point_count * (size_t)h.n + 1, sizeof *h.point);
    if (h.point == NULL) return STI_ERR_MEMORY;
    const char* why;
    const sti_status status = judge(env, &h, face_limit, out, &why);
    out->accepted = status == STI_OK && why == NULL;
    snprintf(out->text, sizeof out->text, "%s",
             why != NULL          ? why
             : out->lower_checked ? "both bounds hold"
                                  : "upper holds, lower was not checked: too many faces");
    sti_free(env, h.point);
    return status;
}
