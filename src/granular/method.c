// method.c: the convex step handed to a method of the caller: products with P, and the rows of its factor.
//
// Variable i is the facet s of contact k. With the generator e = n + mu d_s an impulse x e changes velocities by
//
//     v_a += x e / m_a,   v_b -= x e / m_b,   W -= 5/2 x (n x e) / m  for both,
//
// so with M = diag(m, 2/5 m) over (v, W) the row of A is (e, -(n x e); -e, -(n x e)) and that of B = A M^-1/2 has each
// part times sqrt(1/m) or sqrt(5/2 / m). A wall has no columns: its velocity does not follow from impulses.
#include <math.h>

#include "granular/dual.h"

static void multiply(const sti_bed_program* program, const double* x, double* y) {
    const sti_quadratic q = sti_dual_quadratic(program->inside);
    q.multiply(q.user, x, y);
}

// The last slab whose first contact is not after k and that has any.
static const sti_touch* find(const sti_dual* d, int k) {
    int low = 0, high = d->bed->slab_count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (d->first[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return &d->bed->touch[d->bed->touch_first[low] + (k - d->first[low])];
}

static int factor(const sti_bed_program* program, int row, int column[12], double value[12]) {
    const sti_dual* d = program->inside;
    const sti_touch* t = find(d, row / d->width);
    const double *e = d->e + 3 * (size_t)row, *n = t->n;
    const double turn[3] = {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]};
    const int grain[2] = {t->a, t->b};
    int count = 0;
    for (int side = 0; side < 2; side++) {
        if (grain[side] >= d->bed->n) continue;
        const double im = d->bed->grain[grain[side]].im, v = side == 0 ? sqrt(im) : -sqrt(im), W = -sqrt(2.5 * im);
        for (int i = 0; i < 6; i++, count++) {
            column[count] = 6 * grain[side] + i;
            value[count] = i < 3 ? v * e[i] : W * turn[i - 3];
        }
    }
    return count;
}

sti_status sti_dual_method(sti_dual* d, const sti_quadratic_goal* goal, long* iterations) {
    const sti_bed_method* method = &d->bed->method;
    if (d->bed->n > INT32_MAX / 6) return STI_FAIL(d->bed->env, STI_ERR_SIZE, -1, "%d grains", d->bed->n);
    const sti_bed_program program = {.n = d->m,
                                     .columns = 6 * d->bed->n,
                                     .kappa = d->kappa,
                                     .rho = d->rho,
                                     .tol = goal->tol,
                                     .max_iterations = goal->max_iterations,
                                     .multiply = multiply,
                                     .factor = factor,
                                     .inside = d};
    char text[160] = "";
    const sti_status status = method->solve(method->user, &program, d->x, iterations, text);
    text[sizeof text - 1] = '\0';
    if (status != STI_OK) return STI_FAIL(d->bed->env, status, -1, "%s: %s", method->name, text);
    // whatever came back, the step goes on from a point that is finite and feasible
    for (int i = 0; i < d->m; i++) {
        if (!isfinite(d->x[i]))
            return STI_FAIL(d->bed->env, STI_ERR_INTERNAL, i, "%s: its answer is not finite", method->name);
        if (d->x[i] < 0) d->x[i] = 0;
    }
    return STI_OK;
}

sti_status sti_bed_use(sti_bed* bed, const sti_bed_method* method) {
    if (method != NULL && bed->options.law != STI_LAW_FACETS)
        return STI_FAIL(bed->env, STI_ERR_ARGUMENT, -1, "solver: %s does not take the law %s", method->name,
                        sti_law_text(bed->options.law));
    bed->method = method != NULL ? *method : (sti_bed_method){0};
    return STI_OK;
}
