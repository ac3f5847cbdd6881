// section_solve.c: contact problems whose friction is not a disc.
//
// Discs and ellipses alone: solved as discs in other coordinates (stretch.h), by any solver, with every test that
// belongs to it. The residual is that of the problem as posed; where it asks for more than its image did, the image is
// asked for
//     more.
//
// With polygons or other sections: ellipses become discs all the same, and the methods of facet_methods.h do the rest.
#include "contact/section_solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/existence.h"
#include "contact/facet_methods.h"
#include "contact/judge.h"
#include "contact/posed.h"
#include "contact/reduce.h"
#include "contact/stretch.h"

static bool within(const sti_contact_answer* a, double tol) {
    return sti_contact_safely(a->residual) <= tol;
}

static void conclude(const sti_contact_options* o, sti_contact_answer* a) {
    if (within(a, o->tol)) {
        a->outcome = STI_SOLVED;
        a->termination = STI_END_SOLUTION;
        snprintf(a->reason, sizeof a->reason, "every contact and every row within the tolerance, on the original data");
        return;
    }
    a->outcome = a->termination == STI_END_LIMIT ? STI_LIMIT : STI_UNKNOWN;
    if (a->termination != STI_END_SOLUTION) return;
    a->termination = STI_END_STALLED;
    snprintf(a->reason, sizeof a->reason,
             "solved with sections as discs, but the residual of the problem as posed is %.1e", a->residual);
}

// ---- ellipses

// What the image says, but for what depends on coordinates. Takes its attempts and its certificate.
static void take_image(sti_stretch* s, sti_contact_answer* image, sti_contact_answer* a) {
    sti_contact_stretch_forces(s, image->r, a->r);
    if (a->v != NULL) memcpy(a->v, image->v, (size_t)a->velocity_count * sizeof *a->v);
    memcpy(a->lambda, image->lambda, (size_t)a->bilateral_count * sizeof *a->lambda);
    sti_free(s->env, a->attempts);
    a->attempts = image->attempts;
    a->attempt_count = image->attempt_count;
    image->attempts = NULL;
    image->attempt_count = 0;
    a->certificate = image->certificate;
    image->certificate = (sti_contact_certificate){0};
    a->outcome = image->outcome;
    a->termination = image->termination;
    a->solver = image->solver;
    a->iterations += image->iterations;
    memcpy(a->reason, image->reason, sizeof a->reason);
    memcpy(a->diagnosis, image->diagnosis, sizeof a->diagnosis);
}

static sti_status solve_image(sti_stretch* s, const sti_contact_problem* p, const sti_contact_options* options,
                              sti_contact_answer* a) {
    enum { ROUNDS = 4 };
    sti_contact_options now = *options;
    double* guess = sti_alloc_array(s->env, 3 * (size_t)p->contact_count, sizeof *guess);
    sti_status status = guess != NULL ? STI_OK : STI_ERR_MEMORY;
    for (int round = 0; round < ROUNDS && status == STI_OK; round++) {
        sti_contact_answer image;
        sti_contact_unstretch_forces(s, a->r, guess);
        now.guess_r = guess;
        status = sti_contact_solve(s->env, &s->problem, &now, &image);
        if (status != STI_OK) break;
        take_image(s, &image, a);
        sti_contact_answer_clear(s->env, &image);
        status = sti_contact_measure(s->env, p, a);
        if (a->outcome != STI_SOLVED || within(a, options->tol)) break;
        now.tol = fmax(now.tol * 1e-2, 1e-15);
    }
    if (status == STI_OK && a->outcome == STI_SOLVED) conclude(options, a);
    sti_free(s->env, guess);
    return status;
}

// ---- facets

typedef struct stage {
    sti_contact_solver solver;
    long iterations;
    const char* why;
} stage;

static const stage stages[] = {
    {STI_CONTACT_GS, 20, "a few sweeps settle most contacts"},
    {STI_CONTACT_NEWTON, 60, "sweeps converge slowly: Newton on the sections"},
    {STI_CONTACT_LEMKE, 0, "pivots on the facets"},
    {STI_CONTACT_GS, 3000, "more sweeps"},
    {STI_CONTACT_NEWTON, 200, "Newton again, from a better point"},
    {STI_CONTACT_IPM, 0, "interior points for given slips"},
};

// One method, finer and finer until the residual of the problem agrees; proximal rounds where something is singular
static sti_status run_method(sti_contact_reduction* red, sti_faceted* f, sti_contact_solver solver,
                             const sti_contact_options* options, sti_contact_answer* a) {
    enum { ROUNDS = 30 };
    sti_contact_options now = *options;
    now.tol *= 0.1;
    sti_status status = STI_OK;
    for (int round = 0; round < ROUNDS && status == STI_OK; round++) {
        sti_contact_run run = {.r = a->r, .u = a->u};
        status = sti_faceted_run(f, solver, &now, &run);
        a->iterations += run.iterations;
        a->termination = run.termination;
        a->solver = solver;
        memcpy(a->reason, run.reason, sizeof a->reason);
        if (status == STI_OK) status = sti_contact_expand_and_measure(red, a);
        if (status != STI_OK || within(a, options->tol)) break;
        if (red->proximal) {
            if (sti_contact_recenter(red, a->r) <= 1e-15) break;
        } else {
            if (run.termination != STI_END_SOLUTION || now.tol <= 1e-16) break;
            now.tol = fmax(now.tol * 1e-2, 1e-16);
        }
    }
    return status;
}

static sti_status note_attempt(sti_env* env, const stage* s, double start, long iterations, sti_contact_answer* a) {
    const size_t count = (size_t)a->attempt_count + 1;
    sti_contact_attempt* room = sti_realloc(env, a->attempts, count * sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    a->attempts = room;
    room[a->attempt_count] = (sti_contact_attempt){.solver = s->solver,
                                                   .termination = a->termination,
                                                   .residual = a->residual,
                                                   .iterations = a->iterations - iterations,
                                                   .time_s = sti_clock() - start};
    snprintf(room[a->attempt_count].why, sizeof room->why, "%s", s->why);
    a->attempt_count++;
    return STI_OK;
}

// auto: from method to method, never to a worse point
static sti_status run_stages(sti_contact_reduction* red, sti_faceted* f, const sti_contact_options* options,
                             sti_contact_answer* a) {
    const size_t n = 3 * (size_t)red->local.nc;
    const double start = sti_clock();
    double* best = sti_alloc_array(red->env, n, sizeof *best);
    if (best == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_contact_expand_and_measure(red, a);
    for (size_t k = 0; k < sizeof stages / sizeof *stages && status == STI_OK && !within(a, options->tol); k++) {
        const double before = a->residual, from = sti_clock();
        const long iterations = a->iterations;
        sti_contact_options now = *options;
        now.max_iterations = stages[k].iterations;
        if (options->max_iterations > 0) {
            if (a->iterations >= options->max_iterations) break;
            const long left = options->max_iterations - a->iterations;
            now.max_iterations = now.max_iterations == 0 || left < now.max_iterations ? left : now.max_iterations;
        }
        if (options->time_limit_s > 0) {
            now.time_limit_s = options->time_limit_s - (sti_clock() - start);
            if (now.time_limit_s <= 0) break;
        }
        memcpy(best, a->r, n * sizeof *best);
        status = run_method(red, f, stages[k].solver, &now, a);
        if (status == STI_OK) status = note_attempt(red->env, &stages[k], from, iterations, a);
        if (status != STI_OK || a->residual <= before) continue;
        memcpy(a->r, best, n * sizeof *best);
        status = sti_contact_expand_and_measure(red, a);
    }
    sti_free(red->env, best);
    return status;
}

// Where it fails the feasibility test is a proof whatever the friction
static sti_status look_for_proof(sti_env* env, const sti_contact_problem* p, double left, sti_contact_answer* a) {
    enum { MOST = 2000 };
    if (p->contact_count > MOST) return STI_OK;
    sti_contact_existence x;
    sti_status status = sti_contact_feasibility_find(env, p, left, &x);
    if (status != STI_OK) return status;
    if (x.feasible.finding == STI_FINDING_FAILS) {
        status = sti_contact_certify(env, &x, &a->certificate);
        if (status == STI_OK) {
            a->outcome = STI_NO_SOLUTION;
            snprintf(a->reason, sizeof a->reason, "no motion keeps the contacts closed or opening");
        }
    }
    sti_contact_existence_clear(env, &x);
    return status;
}

static sti_status solve_facets(sti_stretch* s, const sti_contact_problem* p, sti_section* section,
                               const sti_contact_options* options, sti_contact_answer* a) {
    sti_env* env = s->env;
    const size_t n = 3 * (size_t)p->contact_count;
    sti_contact_problem image = s->problem;
    for (int c = 0; c < p->contact_count; c++) {
        section[c] = p->section[c];
        if (section[c].shape == STI_SECTION_ELLIPSE) section[c].shape = STI_SECTION_DISC;
    }
    image.section = section;
    double* r = sti_alloc_array(env, n, sizeof *r);
    if (r == NULL) return STI_ERR_MEMORY;
    sti_contact_unstretch_forces(s, a->r, r);
    memcpy(a->r, r, n * sizeof *r);
    sti_contact_reduction red;
    sti_faceted f = {0};
    sti_status status = sti_contact_reduce_again(env, &image, options->memory, &red);
    if (status == STI_OK) {
        status = sti_faceted_create(&red.local, section, &f);
        if (status == STI_OK)
            status = options->solver == STI_CONTACT_AUTO ? run_stages(&red, &f, options, a)
                                                         : run_method(&red, &f, options->solver, options, a);
        sti_faceted_clear(&f);
        sti_contact_reduction_clear(&red);
    }
    if (status == STI_OK) {
        memcpy(r, a->r, n * sizeof *r);
        sti_contact_stretch_forces(s, r, a->r);
        status = sti_contact_measure(env, p, a);
    }
    if (status == STI_OK) conclude(options, a);
    sti_free(env, r);
    return status;
}

static sti_status check_solver(sti_env* env, const sti_stretch* s, const sti_contact_options* o) {
    if (o->minimum_norm) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "minimum_norm is for friction in discs");
    const sti_contact_solver k = o->solver;
    if (!s->exact && k != STI_CONTACT_AUTO && k != STI_CONTACT_GS && k != STI_CONTACT_NEWTON && k != STI_CONTACT_IPM &&
        k != STI_CONTACT_LEMKE)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1,
                        "%s: sections that are no ellipses are for auto, gs, newton, ipm and lemke",
                        sti_contact_solver_text(k));
    return STI_OK;
}

sti_status sti_contact_solve_sections(sti_env* env, const sti_contact_problem* p, const sti_contact_options* options,
                                      sti_contact_answer* a) {
    sti_stretch s;
    const double start = sti_clock();
    sti_status status = sti_contact_stretch(env, p, STI_STRETCH_ELLIPSES, &s);
    if (status != STI_OK) return status;
    sti_section* section = sti_alloc_array(env, (size_t)p->contact_count, sizeof *section);
    if (section == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = check_solver(env, &s, options);
    if (status == STI_OK) status = s.exact ? solve_image(&s, p, options, a) : solve_facets(&s, p, section, options, a);
    if (status == STI_OK && !s.exact && a->outcome != STI_SOLVED && options->describe)
        status = look_for_proof(env, p, options->time_limit_s, a);
    if (status == STI_OK && options->describe) status = sti_contact_describe(env, p, a);
    a->time_s = sti_clock() - start;
    sti_free(env, section);
    sti_contact_stretch_clear(&s);
    return status;
}
