// grain.c: friction with a direction: the tangents of contacts whose materials have a grain.
//
// Between mu along the grain and mu_across across it the cone is an ellipse, and stretched tangents make it a disc. Any
// other section S stays what it is, in tangents of length 1: contact problems take it (docs/contact.md).
#include <math.h>
#include <string.h>

#include "bodies/motion.h"
#include "linalg/vec3.h"

// The grain that counts of two materials, in world axes, and mu_across / mu; false: none
static bool grain_of(const sti_world* world, const sti_collider* a, const sti_collider* b, double grain[3],
                     double* ratio) {
    const sti_collider* side[2] = {a, b};
    double most = 0;
    for (int k = 0; k < 2; k++) {
        const sti_material* m = &world->bodies->material[side[k]->material];
        if (!(m->mu_across > 0) || !(fabs(log(m->mu_across / m->mu)) > most)) continue;
        most = fabs(log(m->mu_across / m->mu));
        *ratio = m->mu_across / m->mu;
        mul3(world->placed[side[k]->body].R, m->grain, grain);
    }
    return most > 0;
}

// Whose section counts: 0: a's, 1: b's, -1: neither has one
static int section_side(const sti_world* world, const sti_collider* a, const sti_collider* b) {
    const sti_material* m = world->bodies->material;
    const bool of_a = m[a->material].section != NULL, of_b = m[b->material].section != NULL;
    if (!of_a && !of_b) return -1;
    return of_b && (!of_a || b->material <= a->material) ? 1 : 0;
}

// Of `grain` on the surface, unit; false: it stands upright
static bool lie(const double n[3], double grain[3]) {
    enum { UPRIGHT = 1000 };  // a grain that stands on the surface to one part in this has no direction there
    const double size = norm3(grain);
    axpy3(-dot3(grain, n), n, grain);
    const double length = norm3(grain);
    if (!(UPRIGHT * length > size)) return false;
    for (int k = 0; k < 3; k++) grain[k] /= length;
    return true;
}

// The force r_t on a is that of b's surface; that of a's on b is -r_t, with its normal -n: t1 = -grain, t2 as for b.
static void lay_section(const sti_world* world, int side, int material, int body, sti_world_contact* at) {
    double grain[3];
    mul3(world->placed[body].R, world->bodies->material[material].grain, grain);
    if (!lie(at->n, grain)) return;
    for (int k = 0; k < 3; k++) at->t1[k] = side == 1 ? grain[k] : -grain[k];
    cross3(at->n, grain, at->t2);
    at->section_of = material + 1;
}

// Tangents along the grain and across it, the second as much longer as friction is stronger there: with r = B r', u' =
// B'u for B = diag(1, 1, ratio) an ellipse becomes a disc (docs/contact.md), and every row, force and solver stays what
// it is.
void sti_grain_lay(const sti_world* world, sti_world_contact* at) {
    const sti_collider *a = &world->bodies->collider[at->shape_a], *b = &world->bodies->collider[at->shape_b];
    double grain[3], ratio = 1;
    if (world->dim != 3) return;
    const int side = section_side(world, a, b);
    if (side >= 0) {
        const sti_collider* carrier = side == 1 ? b : a;
        lay_section(world, side, carrier->material, carrier->body, at);
        return;
    }
    if (!grain_of(world, a, b, grain, &ratio) || !lie(at->n, grain)) return;
    memcpy(at->t1, grain, sizeof at->t1);
    cross3(at->n, at->t1, at->t2);
    for (int k = 0; k < 3; k++) at->t2[k] *= ratio;
}

// ---- instants

sti_status sti_grain_of_instant(const sti_world* world, sti_env* env, const sti_world_contact* at, int n,
                                sti_instant_contact* made, double* const value[3]) {
    const sti_section* s = sti_contact_section(world->bodies, at);
    if (s == NULL) return STI_OK;
    if (s->shape == STI_SECTION_POLYGON) {
        made->corner_count = s->vertex_count;
        made->corner = s->vertex;
        return STI_OK;
    }
    if (s->shape != STI_SECTION_ELLIPSE)
        return STI_FAIL(
            env, STI_ERR_INPUT, at->a,
            "contact of \"%s\" and \"%s\": friction by a support function: an instant takes discs, ellipses "
            "and polygons",
            world->bodies->body[at->a].name, world->bodies->body[at->b].name);
    const double cosine = cos(s->angle), sine = sin(s->angle);
    for (int k = 0; k < n + 2; k++) {
        double *x = k < n ? value[0] + k : value[k - n + 1], *y = k < n ? x + n : x + 1;
        const double along = *x, across = *y;
        *x = s->axes[0] * (cosine * along + sine * across);
        *y = s->axes[1] * (cosine * across - sine * along);
    }
    return STI_OK;
}
