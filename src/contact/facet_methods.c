// facet_methods.c: gs, newton, ipm and lemke where sections are polygons or any convex set.
//
// gs       sweeps of sti_section_solve_one. Any W with rows; nothing is proved with friction, as for discs.
// newton   Newton's method on the equations F = 0 of all contacts (facet_one.h), piecewise linear on polygons, W +
//          alpha / rho
//          in its matrix with alpha like the error, so that redundant contacts do no harm. Halved steps; a few sweeps
//          where these do not help. Dense.
// lemke    with r_t = sum beta_j v_j over the vertices v_j of S,
//
//              0 <= r_n _|_ u_n >= 0,   0 <= beta_j _|_ v_j.u_t + l >= 0,   0 <= l _|_ mu r_n - sum beta_j >= 0
//
//          is the law of a polygon itself (l = sigma(-u_t)), copositive for semidefinite W, and Lemke's method ends at
//          a solution when K* contains W r + q for some r (facets.c). Exact for polygons; Newton's steps follow for the
//          others.
// ipm      for given l the contact is r in K, u_n + mu l and u_t in its dual: 0 <= beta_j _|_ u_n + mu l + mu v_j.u_t
//          >= 0, a
//          monotone problem in the rays (1, mu v_j), solved by interior points. l = sigma(-u_t) again until it stays;
//          then Newton's steps.
#include "contact/facet_methods.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/facet_one.h"
#include "linalg/dense.h"

enum {
    CORNERS = 32,   // of a polygon inside a curved section
    ROWS = 1800,    // of the dense matrix of Newton's method
    PAIRS = 1600,   // of an LCP
    SWEEPS = 5000,  // of gs
    STEPS = 200,    // of newton
    OUTER = 60,     // rounds of ipm
    REPAIR = 10,    // sweeps where Newton's steps do not help
    LOOK = 5,       // sweeps between two looks
};

void sti_faceted_clear(sti_faceted* k) {
    if (k->p == NULL) return;
    sti_free(k->p->env, k->facets);
    sti_free(k->p->env, k->vertex);
    *k = (sti_faceted){0};
}

// Border points where the normal has the angles of a regular polygon; those of one place once
static void inscribe(const sti_section* s, double* vertex, sti_section* out) {
    int count = 0;
    for (int j = 0; j < CORNERS; j++) {
        const double angle = 2 * M_PI * j / CORNERS, n[2] = {cos(angle), sin(angle)};
        double* x = vertex + 2 * (size_t)count;
        const double size = sti_section_support(s, n, x);
        if (count > 0 && hypot(x[0] - x[-2], x[1] - x[-1]) <= 1e-9 * size) continue;
        if (j > CORNERS / 2 && hypot(x[0] - vertex[0], x[1] - vertex[1]) <= 1e-9 * size) continue;
        count++;
    }
    *out = (sti_section){.shape = STI_SECTION_POLYGON, .vertex_count = count, .vertex = vertex};
}

sti_status sti_faceted_create(const sti_contact_local* p, const sti_section* section, sti_faceted* k) {
    const size_t nc = (size_t)p->nc;
    *k = (sti_faceted){.p = p, .section = section};
    k->facets = sti_alloc_array(p->env, nc, sizeof *k->facets);
    k->vertex = sti_alloc_array(p->env, 2 * CORNERS * nc, sizeof *k->vertex);
    if (k->facets == NULL || k->vertex == NULL) {
        sti_faceted_clear(k);
        return STI_ERR_MEMORY;
    }
    for (size_t c = 0; c < nc; c++) {
        if (section[c].shape == STI_SECTION_POLYGON)
            k->facets[c] = section[c];
        else
            inscribe(&section[c], k->vertex + 2 * CORNERS * c, &k->facets[c]);
    }
    return STI_OK;
}

// ---- the point

// |F| over max(|r|, scale), u = W r + q afresh
static double look(sti_faceted* k, const double* r, double* u) {
    const sti_contact_local* p = k->p;
    double sum = 0, size = 0;
    sti_contact_local_apply(p, r, u);
    for (int c = 0; c < p->nc; c++) {
        double F[3];
        sti_section_equation(&k->section[c], p->mu[c], p->rho[c], r + 3 * c, u + 3 * c, F, NULL);
        for (int i = 0; i < 3; i++) {
            sum += F[i] * F[i];
            size += r[3 * c + i] * r[3 * c + i];
        }
    }
    const double unit = fmax(sqrt(size), p->scale);
    return unit > 0 ? sqrt(sum) / unit : sqrt(sum);
}

static bool late(const sti_contact_options* o, double start) {
    return o->time_limit_s > 0 && sti_clock() - start > o->time_limit_s;
}

// ---- gs

static void sweep(sti_faceted* k, double* r) {
    const sti_contact_local* p = k->p;
    for (int c = 0; c < p->nc; c++) {
        const double* A = p->diagonal + 9 * (size_t)c;
        double *rc = r + 3 * (size_t)c, b[3];
        sti_bsr_row_multiply(&p->W, c, r, b);
        for (int i = 0; i < 3; i++) {
            b[i] += p->q[3 * c + i];
            for (int j = 0; j < 3; j++) b[i] -= A[3 * i + j] * rc[j];
        }
        const sti_section* facets = k->section[c].shape == STI_SECTION_POLYGON ? &k->section[c] : &k->facets[c];
        sti_section_solve_one(&k->section[c], facets, p->mu[c], p->rho[c], A, b, rc);
    }
}

static void run_gs(sti_faceted* k, const sti_contact_options* o, double start, sti_contact_run* run) {
    const long limit = o->max_iterations > 0 ? o->max_iterations : SWEEPS;
    while (run->residual > o->tol && run->iterations < limit && !late(o, start)) {
        for (int i = 0; i < LOOK && run->iterations < limit; i++, run->iterations++) sweep(k, run->r);
        run->residual = look(k, run->r, run->u);
        if (o->trace != NULL) o->trace(o->trace_user, "gs", run->iterations, run->residual);
    }
}

// ---- newton

typedef struct newton {
    sti_faceted* k;
    sti_contact_run* run;
    int n;
    double *W, *dG, *step, *r, *u;  // W row major (n x n); dG (nc x 9); (n) each
    sti_dense_factor J;
} newton;

static sti_status open_newton(sti_faceted* k, sti_contact_run* run, newton* t) {
    const sti_contact_local* p = k->p;
    const size_t n = 3 * (size_t)p->nc;
    *t = (newton){.k = k, .run = run, .n = (int)n};
    t->W = sti_alloc_array_zero(p->env, n * n + 6 * n, sizeof *t->W);
    if (t->W == NULL) return STI_ERR_MEMORY;
    t->step = t->W + n * n;
    t->r = t->step + n;
    t->u = t->r + n;
    t->dG = t->u + n;  // 3 n
    for (int c = 0; c < p->nc; c++) {
        for (int64_t e = p->W.row_start[c]; e < p->W.row_start[c + 1]; e++) {
            for (int i = 0; i < 3; i++)
                memcpy(t->W + (size_t)(3 * c + i) * n + (size_t)(3 * p->W.col[e]), p->W.block + e * 9 + 3 * i,
                       3 * sizeof *t->W);
        }
    }
    return sti_dense_factor_init(&t->J, p->env, (int)n);
}

// J = 1 - dG + dG rho (W + alpha / rho), step = J^-1 F; false: singular
static bool direction(newton* t) {
    const sti_contact_local* p = t->k->p;
    const size_t n = (size_t)t->n;
    const double alpha = fmin(fmax(10 * t->run->residual, 1e-12), 1e-2);
    double* J = sti_dense_factor_load(&t->J, t->n);
    for (int c = 0; c < p->nc; c++) {
        double* dG = t->dG + 9 * (size_t)c;
        sti_section_equation(&t->k->section[c], p->mu[c], p->rho[c], t->run->r + 3 * c, t->run->u + 3 * c,
                             t->step + 3 * c, dG);
        for (int i = 0; i < 3; i++) {
            double* row = J + (size_t)(3 * c + i) * n;
            const double* W = t->W + (size_t)(3 * c) * n;
            for (size_t j = 0; j < n; j++)
                row[j] = p->rho[c] * (dG[3 * i] * W[j] + dG[3 * i + 1] * W[n + j] + dG[3 * i + 2] * W[2 * n + j]);
            for (int j = 0; j < 3; j++) row[3 * c + j] += (i == j) - (1 - alpha) * dG[3 * i + j];
        }
    }
    if (!sti_dense_factor_lu(&t->J)) return false;
    sti_dense_factor_solve(&t->J, t->step);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(t->step[i])) return false;
    }
    return true;
}

// A shorter and shorter step until the error falls
static bool advance(newton* t) {
    const size_t bytes = (size_t)t->n * sizeof *t->r;
    double share = 1;
    for (int half = 0; half < 12; half++, share *= 0.5) {
        for (int i = 0; i < t->n; i++) t->r[i] = t->run->r[i] - share * t->step[i];
        const double error = look(t->k, t->r, t->u);
        if (!(error < (1 - 1e-4 * share) * t->run->residual)) continue;
        t->run->residual = error;
        memcpy(t->run->r, t->r, bytes);
        memcpy(t->run->u, t->u, bytes);
        return true;
    }
    return false;
}

static sti_status run_newton(sti_faceted* k, const sti_contact_options* o, double start, sti_contact_run* run) {
    const long limit = o->max_iterations > 0 ? o->max_iterations : STEPS;
    newton t;
    if (3 * k->p->nc > ROWS) {
        run->termination = STI_END_NOT_APPLICABLE;
        return STI_OK;
    }
    sti_status status = open_newton(k, run, &t);
    int failures = 0;
    double least = run->residual;
    while (status == STI_OK && run->residual > o->tol && run->iterations < limit && !late(o, start)) {
        run->iterations++;
        if (!direction(&t) || !advance(&t)) {
            for (int i = 0; i < REPAIR; i++) sweep(k, run->r);
            run->residual = look(k, run->r, run->u);
            if (run->residual < 0.9 * least)
                failures = 0;
            else if (++failures > 10)
                break;
        }
        least = fmin(least, run->residual);
        if (o->trace != NULL) o->trace(o->trace_user, "newton", run->iterations, run->residual);
    }
    if (t.W != NULL) sti_dense_factor_clear(&t.J);
    sti_free(k->p->env, t.W);
    return status;
}

// ---- one LCP of all contacts: lemke and ipm

typedef struct posed {
    sti_faceted* k;
    bool rays;   // the pairs are beta_j of (1, mu v_j) for given slips; otherwise r_n, beta, l
    int N;       // pairs
    int* first;  // pair of each contact, and their number        (nc+1)
    double *M, *b, *slip, *z;
    double* row;  // the vector e (n) of every pair: r = sum z_a e_a    (N x 3), all in the contact of the pair
    int* contact;
} posed;

static int pairs_of(const posed* k, int c) {
    const bool rubs = k->k->p->mu[c] > 0;
    if (k->rays) return rubs ? k->k->facets[c].vertex_count : 1;
    return rubs ? 2 + k->k->facets[c].vertex_count : 1;
}

static void close_posed(posed* k) {
    sti_free(k->k->p->env, k->first);
    sti_free(k->k->p->env, k->M);
}

static sti_status open_posed(sti_faceted* f, bool rays, posed* k, bool* fits) {
    const sti_contact_local* p = f->p;
    const size_t nc = (size_t)p->nc;
    int64_t pairs = 0;
    *k = (posed){.k = f, .rays = rays};
    for (int c = 0; c < p->nc; c++) pairs += pairs_of(k, c);
    *fits = pairs <= PAIRS;
    if (!*fits) return STI_OK;
    const size_t N = (size_t)pairs;
    k->N = (int)N;
    k->first = sti_alloc_array_zero(p->env, nc + 1 + N, sizeof *k->first);
    k->M = sti_alloc_array_zero(p->env, N * N + 5 * N + nc, sizeof *k->M);
    if (k->first == NULL || k->M == NULL) {
        close_posed(k);
        return STI_ERR_MEMORY;
    }
    k->contact = k->first + nc + 1;
    k->b = k->M + N * N;
    k->z = k->b + N;
    k->row = k->z + N;
    k->slip = k->row + 3 * N;
    for (int c = 0; c < p->nc; c++) k->first[c + 1] = k->first[c] + pairs_of(k, c);
    return STI_OK;
}

// The directions of force of the pairs
static void set_rows(posed* k) {
    const sti_contact_local* p = k->k->p;
    for (int c = 0; c < p->nc; c++) {
        const sti_section* f = &k->k->facets[c];
        const int from = k->first[c], count = k->first[c + 1] - from;
        for (int a = 0; a < count; a++) {
            double* e = k->row + 3 * (size_t)(from + a);
            k->contact[from + a] = c;
            const bool vertex = p->mu[c] > 0 && (k->rays || (a > 0 && a < count - 1));
            if (!vertex) {
                e[0] = a == 0;
                continue;
            }
            const double *v = f->vertex + 2 * (size_t)(k->rays ? a : a - 1), scale = k->rays ? p->mu[c] : 1;
            e[0] = k->rays;
            e[1] = scale * v[0];
            e[2] = scale * v[1];
        }
    }
}

static void set_matrix(posed* k) {
    const sti_contact_local* p = k->k->p;
    const size_t N = (size_t)k->N;
    for (int c = 0; c < p->nc; c++) {
        for (int64_t t = p->W.row_start[c]; t < p->W.row_start[c + 1]; t++) {
            const double* W = p->W.block + 9 * t;
            const int d = p->W.col[t];
            for (int a = k->first[c]; a < k->first[c + 1]; a++) {
                const double* e = k->row + 3 * (size_t)a;
                double eW[3];
                for (int j = 0; j < 3; j++) eW[j] = e[0] * W[j] + e[1] * W[3 + j] + e[2] * W[6 + j];
                for (int b = k->first[d]; b < k->first[d + 1]; b++) {
                    const double* g = k->row + 3 * (size_t)b;
                    k->M[(size_t)a * N + (size_t)b] = eW[0] * g[0] + eW[1] * g[1] + eW[2] * g[2];
                }
            }
        }
        const size_t n = (size_t)k->first[c], last = (size_t)k->first[c + 1] - 1;
        if (k->rays || p->mu[c] == 0) continue;
        for (size_t a = n + 1; a < last; a++) {
            k->M[a * N + last] = 1;
            k->M[last * N + a] = -1;
        }
        k->M[last * N + n] = p->mu[c];
    }
}

static void set_vector(posed* k) {
    const sti_contact_local* p = k->k->p;
    for (int a = 0; a < k->N; a++) {
        const double *e = k->row + 3 * (size_t)a, *q = p->q + 3 * (size_t)k->contact[a];
        k->b[a] = e[0] * q[0] + e[1] * q[1] + e[2] * q[2];
        if (k->rays) k->b[a] += p->mu[k->contact[a]] * k->slip[k->contact[a]];
    }
}

static void read_forces(const posed* k, const double* z, double* r) {
    memset(r, 0, 3 * (size_t)k->k->p->nc * sizeof *r);
    for (int a = 0; a < k->N; a++) {
        for (int i = 0; i < 3; i++) r[3 * k->contact[a] + i] += z[a] * k->row[3 * (size_t)a + (size_t)i];
    }
}

static sti_status solve_posed(posed* k, sti_lcp_solver solver, const sti_contact_options* o, double start, double* r,
                              long* iterations) {
    const sti_lcp lcp = {.n = k->N, .M = sti_matrix_dense_view(k->N, k->N, k->M), .q = k->b};
    sti_lcp_options options = sti_lcp_options_default();
    options.solver = solver;
    if (solver == STI_LCP_IPM) options.tol = 1e-13;
    if (o->time_limit_s > 0) options.time_limit_s = fmax(o->time_limit_s - (sti_clock() - start), 1e-6);
    sti_lcp_answer a;
    const sti_status status = sti_lcp_solve(k->k->p->env, &lcp, &options, &a);
    if (status != STI_OK) return status;
    *iterations += a.iterations;
    if (a.z != NULL) read_forces(k, a.z, r);
    sti_lcp_answer_clear(k->k->p->env, &a);
    return STI_OK;
}

// sigma(-u_t) of every contact; returns the largest change, over the largest of them
static double take_slips(posed* k, const double* u) {
    double change = 0, size = 0;
    for (int c = 0; c < k->k->p->nc; c++) {
        const double slip = sti_section_support(&k->k->facets[c], (double[2]){-u[3 * c + 1], -u[3 * c + 2]}, NULL);
        change = fmax(change, fabs(slip - k->slip[c]));
        size = fmax(size, slip);
        k->slip[c] = slip;
    }
    return size > 0 ? change / size : 0;
}

static sti_status run_facets(sti_faceted* f, sti_contact_solver solver, const sti_contact_options* o, double start,
                             sti_contact_run* run) {
    posed k;
    bool fits;
    sti_status status = open_posed(f, solver == STI_CONTACT_IPM, &k, &fits);
    if (status != STI_OK) return status;
    if (!fits) {
        run->termination = STI_END_NOT_APPLICABLE;
        return STI_OK;
    }
    set_rows(&k);
    set_matrix(&k);
    if (solver == STI_CONTACT_IPM) take_slips(&k, run->u);
    for (int round = 0; round < (solver == STI_CONTACT_IPM ? OUTER : 1) && status == STI_OK && !late(o, start);
         round++) {
        set_vector(&k);
        status = solve_posed(&k, solver == STI_CONTACT_IPM ? STI_LCP_IPM : STI_LCP_LEMKE, o, start, run->r,
                             &run->iterations);
        run->residual = look(f, run->r, run->u);
        if (run->residual <= o->tol || (solver == STI_CONTACT_IPM && take_slips(&k, run->u) < 1e-6)) break;
    }
    close_posed(&k);
    if (status != STI_OK || run->residual <= o->tol) return status;
    sti_contact_options few = *o;
    few.max_iterations = run->iterations + 50;
    return run_newton(f, &few, start, run);
}

sti_status sti_faceted_run(sti_faceted* k, sti_contact_solver solver, const sti_contact_options* options,
                           sti_contact_run* run) {
    const double start = sti_clock();
    sti_status status = STI_OK;
    run->residual = look(k, run->r, run->u);
    run->iterations = 0;
    run->termination = STI_END_NONE;
    if (!(run->residual <= options->tol)) {
        if (solver == STI_CONTACT_GS)
            run_gs(k, options, start, run);
        else if (solver == STI_CONTACT_NEWTON)
            status = run_newton(k, options, start, run);
        else
            status = run_facets(k, solver, options, start, run);
    }
    if (run->termination != STI_END_NOT_APPLICABLE)
        run->termination = run->residual <= options->tol ? STI_END_SOLUTION
                           : late(options, start)        ? STI_END_LIMIT
                                                         : STI_END_STALLED;
    snprintf(run->reason, sizeof run->reason,
             run->termination == STI_END_NOT_APPLICABLE ? "too many contacts with facets for %s"
                                                        : "the law within tol, by %s",
             sti_contact_solver_text(solver));
    if (run->termination == STI_END_STALLED)
        snprintf(run->reason, sizeof run->reason, "the law is missed by %.2e after %ld iterations", run->residual,
                 run->iterations);
    return status;
}
