// dual.c: the step with a convex law as a quadratic program (S3 2.3.7 to 2.3.10, with its errata).
//
//     primal   min 1/2 v'Mv + f'v            over v with  e_s'(H'v) >= -Phi/h  for every contact and facet,
//     dual     min 1/2 x'Px + kappa'x        over x >= 0,    P = A M^-1 A',  kappa = A v_0 + Phi/h,
//
// f = -(M v + h k), v_0 = v + h M^-1 k the velocities without contact, A the rows e_s'H'. With the round cone x is r
// itself and the dual runs over the cones. Velocities follow from impulses, so a point of the dual is a step, and
//
//     primal value at v(x) + dual value = x'(P x + kappa) = r'u >= 0          the duality gap, taken in measure.c.
//
// Facets as in the cases of tests/reference: n points from the grain with the larger number to the other, and into a
// wall; d_s = cos(2 pi s/p) t1 + sin(2 pi s/p) t2, t1 = (e_i - n_i n) normalized with i the smallest entry of n, t2 = n
// x t1.
#include "granular/dual.h"

#include <math.h>
#include <string.h>

static const double pi = M_PI;

static const sti_touch* contact(const sti_dual* d, int slab, int k) {
    return &d->bed->touch[d->bed->touch_first[slab] + k];
}

static void make_generators(const sti_dual* d, const sti_touch* t, double* e) {
    const sti_bed* bed = d->bed;
    const bool same = t->b < bed->n && bed->id[t->a] < bed->id[t->b];
    const double sign = same ? 1 : -1, mu = bed->grain[t->b].mu;
    const double n[3] = {sign * t->n[0], sign * t->n[1], sign * t->n[2]};
    double t1[3], t2[3];
    sti_tangents(n, t1, t2);
    for (int s = 0; s < d->width; s++) {
        const double angle = 2 * pi * (s + 1) / d->width;
        for (int j = 0; j < 3; j++) e[3 * s + j] = t->n[j] + sign * mu * (cos(angle) * t1[j] + sin(angle) * t2[j]);
    }
}

// lambda whose generators make r, where r is well inside; otherwise something near it.
static void spread(const sti_dual* d, const sti_touch* t, const double* e, double* x) {
    const double mu = d->bed->grain[t->b].mu, rn = dot3(t->r, t->n);
    for (int s = 0; s < d->width; s++) {
        double dr = 0;  // d_s'r
        for (int j = 0; j < 3; j++) dr += (e[3 * s + j] - t->n[j]) * t->r[j];
        const double value = (rn + (mu > 0 ? 2 * dr / (mu * mu) : 0)) / d->width;
        x[s] = value > 0 ? value : 0;
    }
}

static void fill_contact(sti_dual* d, const sti_touch* t, int k) {
    const sti_grain *a = &d->bed->grain[t->a], *b = &d->bed->grain[t->b];
    double* x = d->x + (size_t)k * (size_t)d->width;
    double* kappa = d->kappa + (size_t)k * (size_t)d->width;
    double* rho = d->rho + (size_t)k * (size_t)d->width;
    double u[3];
    sti_slip(a, b, t->n, u);  // of the velocities without contact
    if (d->e == NULL) {
        for (int i = 0; i < 3; i++) {
            x[i] = t->r[i];
            kappa[i] = u[i] + t->off * t->n[i];
            rho[i] = (2.0 / 7.0) / (a->im + b->im);
        }
        return;
    }
    double* e = d->e + 3 * (size_t)k * (size_t)d->width;
    const double mu = b->mu;
    make_generators(d, t, e);
    spread(d, t, e, x);
    for (int s = 0; s < d->width; s++) {
        kappa[s] = dot3(u, e + 3 * s) + t->off;
        rho[s] = 1 / ((a->im + b->im) * (1 + 3.5 * mu * mu));
    }
}

static void fill_slab(void* context, int slab, int worker) {
    (void)worker;
    sti_dual* d = context;
    for (int k = 0; k < d->bed->touch_count[slab]; k++) fill_contact(d, contact(d, slab, k), d->first[slab] + k);
}

sti_status sti_dual_create(sti_bed* bed, sti_dual* d) {
    sti_env* env = bed->env;
    *d = (sti_dual){.bed = bed, .width = bed->options.law == STI_LAW_FACETS ? bed->options.facets : 3};
    const int64_t m = (int64_t)d->width * bed->touches;
    if (m > INT32_MAX / 8) return STI_FAIL(env, STI_ERR_SIZE, -1, "%lld impulses in one program", (long long)m);
    d->m = (int)m;
    const size_t size = (size_t)m + 1;
    const bool facets = bed->options.law == STI_LAW_FACETS;
    d->x = sti_alloc_array(env, size, (facets ? 6 : 3) * sizeof(double));
    d->grain_memory = sti_alloc_array(env, (size_t)bed->grain_capacity + 1, sizeof(sti_grain));
    if (d->x == NULL || d->grain_memory == NULL) {
        sti_dual_clear(d);
        return STI_ERR_MEMORY;
    }
    d->kappa = d->x + size;
    d->rho = d->kappa + size;
    if (facets) d->e = d->rho + size;
    d->grain = (sti_grain*)((char*)d->grain_memory + (-(uintptr_t)d->grain_memory & 63));
    memset(d->grain, 0, (size_t)bed->grain_capacity * sizeof(sti_grain));
    for (int k = 0; k < bed->n; k++) d->grain[k].im = bed->grain[k].im;
    int first = 0;
    for (int s = 0; s < bed->slab_count; s++) {
        d->first[s] = first;
        first += bed->touch_count[s];
    }
    for (int k = 0; k < bed->n; k++) {  // velocities without contact, for kappa
        const double* begin = bed->begin + 6 * (size_t)k;
        for (int i = 0; i < 3; i++) {
            bed->grain[k].v[i] = begin[i];
            bed->grain[k].W[i] = begin[3 + i];
        }
    }
    sti_tasks_run(bed->tasks, bed->slab_count, fill_slab, d);
    return STI_OK;
}

void sti_dual_clear(sti_dual* d) {
    sti_free(d->bed->env, d->x);
    sti_free(d->bed->env, d->grain_memory);
    d->x = NULL;
    d->grain_memory = NULL;
}

typedef struct product {
    const sti_dual* d;
    const double* x;
    double* y;
} product;

static void impulses_slab(void* context, int slab, int worker) {
    (void)worker;
    const product* p = context;
    const sti_dual* d = p->d;
    for (int k = 0; k < d->bed->touch_count[slab]; k++) {
        sti_touch* t = &d->bed->touch[d->bed->touch_first[slab] + k];
        const size_t at = (size_t)(d->first[slab] + k) * (size_t)d->width;
        if (d->e == NULL) {
            for (int i = 0; i < 3; i++) t->r[i] = p->x[at + (size_t)i];
            continue;
        }
        for (int i = 0; i < 3; i++) t->r[i] = 0;
        for (int s = 0; s < d->width; s++) {
            for (int i = 0; i < 3; i++) t->r[i] += p->x[at + (size_t)s] * d->e[3 * (at + (size_t)s) + (size_t)i];
        }
    }
}

void sti_dual_impulses(const sti_dual* d, const double* x) {
    product p = {d, x, NULL};
    sti_tasks_run(d->bed->tasks, d->bed->slab_count, impulses_slab, &p);
}

static void slips_slab(void* context, int slab, int worker) {
    (void)worker;
    const product* p = context;
    const sti_dual* d = p->d;
    if (d->e == NULL) {
        sti_bed_slips(d->bed, d->grain, slab, p->y + 3 * (size_t)d->first[slab]);
        return;
    }
    for (int k = 0; k < d->bed->touch_count[slab]; k++) {
        const sti_touch* t = contact(d, slab, k);
        const size_t at = (size_t)(d->first[slab] + k) * (size_t)d->width;
        double u[3];
        sti_slip(&d->grain[t->a], &d->grain[t->b], t->n, u);  // walls do not move here: P is what impulses make
        for (size_t s = 0; s < (size_t)d->width; s++) p->y[at + s] = dot3(u, d->e + 3 * (at + s));
    }
}

static void clear_slab(void* context, int slab, int worker) {
    (void)worker;
    const product* p = context;
    const sti_dual* d = p->d;
    for (int k = d->bed->slab_first[slab]; k < d->bed->slab_first[slab + 1]; k++) {
        for (int i = 0; i < 3; i++) d->grain[k].v[i] = d->grain[k].W[i] = 0;
    }
}

// y = A M^-1 A'x: impulses into velocities, velocities into slips.
static void multiply(void* user, const double* x, double* y) {
    const sti_dual* d = user;
    product p = {d, x, y};
    sti_dual_impulses(d, x);
    sti_tasks_run(d->bed->tasks, d->bed->slab_count, clear_slab, &p);
    sti_bed_push(d->bed, d->grain);
    sti_tasks_run(d->bed->tasks, d->bed->slab_count, slips_slab, &p);
}

typedef struct projection {
    const sti_dual* d;
    double* x;
} projection;

static void project_slab(void* context, int slab, int worker) {
    (void)worker;
    const projection* p = context;
    for (int k = 0; k < p->d->bed->touch_count[slab]; k++) {
        const sti_touch* t = contact(p->d, slab, k);
        double* x = p->x + 3 * (size_t)(p->d->first[slab] + k);
        const double mu = p->d->bed->grain[t->b].mu, xn = dot3(x, t->n);
        double xt[3];
        for (int i = 0; i < 3; i++) xt[i] = x[i] - xn * t->n[i];
        const double size = sqrt(dot3(xt, xt));
        if (size <= mu * xn && xn >= 0) continue;
        const double pn = fmax(0, (xn + mu * size) / (1 + mu * mu)), keep = size > 0 ? mu * pn / size : 0;
        for (int i = 0; i < 3; i++) x[i] = pn * t->n[i] + keep * xt[i];
    }
}

static void project(void* user, double* x) {
    projection p = {user, x};
    sti_tasks_run(p.d->bed->tasks, p.d->bed->slab_count, project_slab, &p);
}

sti_quadratic sti_dual_quadratic(sti_dual* d) {
    return (sti_quadratic){.n = d->m,
                           .multiply = multiply,
                           .project = d->e == NULL ? project : NULL,
                           .user = d,
                           .kappa = d->kappa,
                           .rho = d->rho};
}

// Gauss-Seidel over the facets, in the velocities of the grains: one variable after the other.
static void sweep_slab(void* context, int item, int worker) {
    (void)worker;
    const product* p = context;  // y: the parity
    const sti_dual* d = p->d;
    const int slab = 2 * item + (p->y != NULL ? 1 : 0);
    for (int k = 0; k < d->bed->touch_count[slab]; k++) {
        const sti_touch* t = contact(d, slab, k);
        sti_grain *a = &d->bed->grain[t->a], *b = &d->bed->grain[t->b];
        const size_t at = (size_t)(d->first[slab] + k) * (size_t)d->width;
        for (size_t s = 0; s < (size_t)d->width; s++) {
            const double* e = d->e + 3 * (at + s);
            double u[3];
            sti_slip(a, b, t->n, u);
            double next = d->x[at + s] - d->rho[at + s] * (dot3(u, e) + t->off);
            if (next < 0) next = 0;
            const double step = next - d->x[at + s];
            if (step == 0) continue;
            d->x[at + s] = next;
            const double r[3] = {step * e[0], step * e[1], step * e[2]}, *n = t->n;
            const double turn[3] = {n[1] * r[2] - n[2] * r[1], n[2] * r[0] - n[0] * r[2], n[0] * r[1] - n[1] * r[0]};
            for (int i = 0; i < 3; i++) {
                a->v[i] += a->im * r[i];
                a->W[i] -= 2.5 * a->im * turn[i];
            }
            if (b->im == 0) continue;
            for (int i = 0; i < 3; i++) {
                b->v[i] -= b->im * r[i];
                b->W[i] -= 2.5 * b->im * turn[i];
            }
        }
    }
}

static void sweep_facets(sti_dual* d) {
    for (int parity = 0; parity < 2; parity++) {
        product p = {d, d->x, parity == 0 ? NULL : d->x};
        sti_tasks_run(d->bed->tasks, (d->bed->slab_count + 1 - parity) / 2, sweep_slab, &p);
    }
}

static sti_status solve_sweeps(sti_dual* d, const sti_quadratic_goal* goal, long* iterations) {
    sti_env* env = d->bed->env;
    double* g = sti_alloc_array(env, (size_t)d->m + 1, 2 * sizeof *g);
    if (g == NULL) return STI_ERR_MEMORY;
    const sti_quadratic q = sti_dual_quadratic(d);
    while (sti_quadratic_residual(&q, d->x, g, g + d->m, NULL) > goal->tol && *iterations < goal->max_iterations) {
        sti_dual_impulses(d, d->x);
        sti_bed_velocities(d->bed);
        for (int k = 0; k < 10 && *iterations < goal->max_iterations; k++, ++*iterations) sweep_facets(d);
    }
    sti_free(env, g);
    return STI_OK;
}

static sti_status run_method(sti_dual* d, const sti_quadratic_goal* goal, sti_bed_report* report) {
    static sti_quadratic_method* const method[STI_BED_SOLVER_COUNT] = {[STI_BED_APGD] = sti_quadratic_apgd,
                                                                       [STI_BED_BB] = sti_quadratic_bb,
                                                                       [STI_BED_BLMVM] = sti_quadratic_blmvm,
                                                                       [STI_BED_TRON] = sti_quadratic_tron};
    if (d->bed->method.solve != NULL) return sti_dual_method(d, goal, &report->iterations);
    const sti_bed_solver solver = d->bed->options.solver;
    if (solver == STI_BED_GS) return solve_sweeps(d, goal, &report->iterations);
    if (solver == STI_BED_IPM) return sti_dual_interior(d, goal, &report->iterations);
    const sti_quadratic q = sti_dual_quadratic(d);
    sti_quadratic_report done;
    const sti_status status = method[solver](d->bed->env, &q, goal, d->x, &done);
    report->iterations = done.iterations;
    return status;
}

// The residual at x, and the impulses and velocities it makes.
static sti_status judge(sti_dual* d, sti_bed_report* report) {
    sti_env* env = d->bed->env;
    double* g = sti_alloc_array(env, (size_t)d->m + 1, 2 * sizeof *g);
    if (g == NULL) return STI_ERR_MEMORY;
    const sti_quadratic q = sti_dual_quadratic(d);
    report->residual = sti_quadratic_residual(&q, d->x, g, g + d->m, NULL);
    sti_free(env, g);
    sti_dual_impulses(d, d->x);
    sti_bed_velocities(d->bed);
    return STI_OK;
}

sti_status sti_bed_solve_convex(sti_bed* bed, sti_bed_report* report) {
    sti_dual d;
    sti_status status = sti_dual_create(bed, &d);
    if (status != STI_OK) return status;
    const sti_quadratic_goal goal = {
        .tol = bed->options.tol,
        .max_iterations = bed->options.max_iterations > 0 ? bed->options.max_iterations : 100000,
        .stop_at = INFINITY};
    status = run_method(&d, &goal, report);
    if (status == STI_OK) status = judge(&d, report);
    sti_dual_clear(&d);
    return status;
}
