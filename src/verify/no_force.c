// no_force.c: no force of a box makes all contacts stick: the check of its witness.
//
// With y and z as in a leaf of "does not stick", y'(F + B f) + z'c is affine in f: least at a corner of the box, taken
// by the signs of B'y. There the leaf is judged by the checker of sticking, for F + B f. Nothing but that term depends
// on f.
#include <math.h>
#include <stiction/sticking.h>

#include "base/env.h"

// The corner of the box that is worst for y, and F + B f there (n); false: the box is open on that side
static bool worst_load(const sti_instant* in, const sti_force_choice* c, const double* y, double* load) {
    for (int j = 0; j < in->n; j++) load[j] = in->F[j];
    for (int l = 0; l < c->count; l++) {
        double pull = 0, size = 0;
        for (int j = 0; j < in->n; j++) {
            const double b = c->B != NULL ? c->B[(size_t)j * (size_t)c->count + (size_t)l] : j == l;
            pull += b * y[j];
            size += fabs(b * y[j]);
        }
        const double f =
            pull > 0 ? (c->low != NULL ? c->low[l] : -INFINITY) : (c->high != NULL ? c->high[l] : INFINITY);
        if (pull == 0 || (!isfinite(f) && fabs(pull) <= 1e-9 * size)) continue;
        if (!isfinite(f)) return false;
        for (int j = 0; j < in->n; j++)
            load[j] += (c->B != NULL ? c->B[(size_t)j * (size_t)c->count + (size_t)l] : j == l) * f;
    }
    return true;
}

sti_status sti_verify_no_force(sti_env* env, const sti_instant* in, const sti_sticking_options* options,
                               const sti_force_choice* c, const sti_force_answer* a, double tol, bool* accepted) {
    const sti_sticking_options o = options != NULL ? *options : sti_sticking_options_default();
    *accepted = false;
    if (a->outcome != STI_CONIC_INFEASIBLE || a->y == NULL || a->z == NULL || o.facets > 0) return STI_OK;
    if (c->count < 0 || (c->B == NULL && c->count != in->n))
        return STI_FAIL(env, STI_ERR_ARGUMENT, c->count, "%d force directions", c->count);
    const size_t contacts = (size_t)in->contact_count;
    double* load = sti_alloc_array(env, (size_t)in->n, sizeof *load);
    int* list = sti_alloc_array(env, contacts, sizeof *list);
    signed char* sign = sti_alloc_array_zero(env, contacts, 1);
    sti_status status = STI_OK;
    if (load == NULL || list == NULL || sign == NULL) {
        status = STI_ERR_MEMORY;
    } else if (worst_load(in, c, a->y, load)) {
        sti_sticking_leaf leaf = {.sign = sign, .y = a->y, .z = a->z};
        sti_sticking_answer claim = {.outcome = STI_STICKING_NO, .n = in->n, .leaf_count = 1, .leaves = &leaf};
        claim.acceleration_count = a->acceleration_count;
        claim.contact = list;
        for (int i = 0; i < in->contact_count; i++) {
            const sti_instant_contact* k = &in->contacts[i];
            if (k->gap > o.gap_tol && !k->bilateral) continue;
            list[claim.contact_count++] = i;
            claim.multiplier_count += 1 + k->tangent_count;
        }
        sti_instant loaded = *in;
        loaded.F = load;
        loaded.exact = NULL;
        sti_sticking_verification v;
        status = sti_verify_sticking(env, &loaded, &claim, tol, &v);
        *accepted = status == STI_OK && v.accepted;
    }
    sti_free(env, load);
    sti_free(env, list);
    sti_free(env, sign);
    return status;
}
