// diagnose.c: why a contact problem may have resisted: what the tests found, and what can be read off the data.
//
//     where the natural map is largest
//     no motion keeps the contacts closed or opening: there is no solution, with or without friction
//     forces in the cones that move nothing: the friction cone is not pointed, and forces may run away along them
//     the sufficient condition for a solution holds, or fails
//     W singular, indefinite, not symmetric; contacts that move nothing (W_cc = 0)
//     scales that differ by more than 1e6 between contacts, or between masses
//
// Every statement brings the number that supports it (existence.c says how each was found). All but the first two are
// facts, not verdicts: none of them excludes a solution.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "contact/emptiness.h"
#include "contact/existence.h"

enum {
    MOST_EXPLAINED = 2000,  // contacts; beyond, the tests would cost more than many a solution
    MOST_DOUBTED = 300,     // the same for a point that is within the tolerance
};

// Largest difference between W and its transpose, relative to the largest entry. Columns of a row ascend: the
// transposed block is found by bisection.
static double asymmetry(const sti_bsr* W) {
    const int dd = W->d * W->d;
    double size = 0, worst = 0;
    for (int c = 0; c < W->n; c++) {
        for (int64_t k = W->row_start[c]; k < W->row_start[c + 1]; k++) {
            int64_t low = W->row_start[W->col[k]], high = W->row_start[W->col[k] + 1];
            while (high - low > 1) {
                const int64_t middle = low + (high - low) / 2;
                if (W->col[middle] <= c)
                    low = middle;
                else
                    high = middle;
            }
            const bool paired = low < high && W->col[low] == c;
            for (int a = 0; a < W->d; a++) {
                for (int b = 0; b < W->d; b++) {
                    const double x = W->block[k * dd + a * W->d + b],
                                 y = paired ? W->block[low * dd + b * W->d + a] : 0;
                    size = fmax(size, fabs(x));
                    worst = fmax(worst, fabs(x - y));
                }
            }
        }
    }
    return size > 0 ? worst / size : 0;
}

static void add(sti_contact_answer* a, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void add(sti_contact_answer* a, const char* format, ...) {
    const size_t at = strlen(a->diagnosis), size = sizeof a->diagnosis;
    if (at + 3 >= size) return;
    if (at > 0) strcpy(a->diagnosis + at, "; ");
    const size_t from = strlen(a->diagnosis);
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(a->diagnosis + from, size - from, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= size - from) a->diagnosis[at] = '\0';  // a part that does not fit is left out
}

static void say_tests(const sti_contact_existence* x, sti_contact_answer* a) {
    if (x->feasible.finding == STI_FINDING_FAILS)
        add(a,
            "no motion keeps every contact closed or opening: short of it by %.1e of the speeds given, with any "
            "friction",
            x->feasible.margin);
    if (x->pointed.finding == STI_FINDING_FAILS)
        add(a, "the friction cone is not pointed: forces in it move nothing (to %.0e)", x->pointed.defect);
    if (x->strict.finding == STI_FINDING_FAILS && x->feasible.finding != STI_FINDING_FAILS)
        add(a, "the sufficient condition for a solution fails (margin %.1e)", -x->strict.margin);
    if (x->exists) add(a, "a solution exists: strictly feasible, margin %.1e", x->strict.margin);
    if (x->pointed.finding == STI_FINDING_NOT_TESTED) add(a, "solvability was not tested");
}

static void say_matrices(const sti_contact_local* p, const sti_contact_existence* x, sti_contact_answer* a) {
    if (x->kernel_dimension > 0)
        add(a, "W is singular: %d of %d directions of r move nothing", x->kernel_dimension, p->d * p->nc);
    if (x->negative_count > 0) add(a, "W is not semidefinite: %d negative eigenvalues", x->negative_count);
    if (x->still_count > 0) add(a, "%d contacts move nothing (W_cc = 0)", x->still_count);
    if (x->block_ratio > 1e6) add(a, "badly scaled: the blocks W_cc differ by a factor %.1e", x->block_ratio);
    if (x->mass_ratio > 1e6) add(a, "masses differ by a factor %.1e", x->mass_ratio);
    const double skew = p->op == NULL ? asymmetry(&p->W) : 0;
    if (skew > 1e-8) add(a, "W is not symmetric (%.1e of its largest entry)", skew);
    for (int c = 0; c < p->nc; c++) {
        if (!(p->diagonal[(size_t)c * (size_t)(p->d * p->d)] < 0)) continue;
        add(a, "W_nn of contact %d is negative", c);
        break;
    }
}

static void diagnose(const sti_contact_local* p, const sti_contact_existence* x, sti_contact_answer* a) {
    a->diagnosis[0] = '\0';
    if (a->worst_contact >= 0) add(a, "the law is violated most at contact %d", a->worst_contact);
    say_tests(x, a);
    say_matrices(p, x, a);
}

// A certificate up to rounding becomes exact where whole numbers will do: in the local form, whose W is the data.
static sti_status make_exact(sti_env* env, const sti_contact_problem* p, sti_contact_certificate* c) {
    if (p->global || p->bilateral_count > 0 || p->W_op != NULL) return STI_OK;
    bool proved = false;
    sti_contact_local local = {.env = env, .d = p->dimension, .nc = p->contact_count, .q = p->q};
    double* y = sti_alloc_array(env, (size_t)p->contact_count, sizeof *y);
    if (y == NULL) return STI_ERR_MEMORY;
    sti_status status = sti_bsr_from_matrix(env, &p->W, p->dimension, &local.W);
    if (status == STI_OK) status = sti_contact_prove_empty(&local, c->y, y, &proved);
    if (status == STI_OK && proved) {
        memcpy(c->y, y, (size_t)p->contact_count * sizeof *y);
        c->bound = INFINITY;
    }
    sti_bsr_clear(env, &local.W);
    sti_free(env, y);
    return status;
}

static sti_status certify(sti_env* env, const sti_contact_problem* p, const sti_contact_existence* x,
                          sti_contact_answer* a) {
    if (x->feasible.finding != STI_FINDING_FAILS) return STI_OK;
    sti_status status = sti_contact_certify(env, x, &a->certificate);
    if (status != STI_OK) return status;
    a->outcome = STI_NO_SOLUTION;
    status = make_exact(env, p, &a->certificate);
    if (isinf(a->certificate.bound))
        snprintf(a->reason, sizeof a->reason, "no motion keeps every contact closed or opening: Farkas vector, exact");
    else
        snprintf(a->reason, sizeof a->reason,
                 "no motion keeps every contact closed or opening: Farkas vector up to rounding; a solution would need "
                 "%s >= "
                 "%.3g",
                 p->global ? "|v|_1" : "|r|_1 + |l|_1", a->certificate.bound);
    return status;
}

static double time_left(double deadline) {
    return isfinite(deadline) ? fmax(deadline - sti_clock(), 1e-3) : 0;
}

sti_status sti_contact_explain(const sti_contact_reduction* red, double deadline, sti_contact_answer* a) {
    sti_contact_existence x;
    sti_status status = sti_contact_existence_find(red->env, red->problem, red,
                                                   red->local.nc > MOST_EXPLAINED ? -1 : time_left(deadline), &x);
    if (status != STI_OK) return status;
    if (a->outcome != STI_NO_SOLUTION) status = certify(red->env, red->problem, &x, a);
    diagnose(&red->local, &x, a);
    sti_contact_existence_clear(red->env, &x);
    return status;
}

// ---- a point that the residual accepts

// Row of u_n of contact c over the motions, as its length: of H in the global form, of W in units of energy in the
// local one
static double reach_of_row(const sti_contact_problem* p, int c) {
    const int j = p->dimension * c;
    double sum = 0;
    if (!p->global) return sqrt(fmax(sti_matrix_get(&p->W, j, j), 0));
    for (int i = 0; p->H.dense != NULL && i < p->velocity_count; i++) sum = hypot(sum, sti_matrix_get(&p->H, i, j));
    for (int64_t k = p->H.dense == NULL && p->velocity_count > 0 ? p->H.col_start[j] : 0;
         p->H.dense == NULL && p->velocity_count > 0 && k < p->H.col_start[j + 1]; k++)
        sum = hypot(sum, p->H.value[k]);
    return sum;
}

// Does some contact penetrate by more than DOUBT of the smallest velocity in the data? All measured by what moves them.
static bool doubtful(const sti_contact_problem* p, const sti_contact_answer* a) {
    static const double DOUBT = 1e-6;
    double deepest = 0, least = INFINITY;
    for (int c = 0; c < p->contact_count; c++) {
        const int j = p->dimension * c;
        const double unit = reach_of_row(p, c), given = fabs(p->global ? p->w[j] : p->q[j]);
        if (!(unit > 0)) continue;
        if (given > 0) least = fmin(least, given / unit);
        deepest = fmax(deepest, -a->u[j] / unit);
    }
    return isfinite(least) && deepest > DOUBT * least;
}

sti_status sti_contact_doubt(sti_env* env, const sti_contact_problem* p, double deadline, sti_contact_answer* a) {
    if (p->contact_count > MOST_DOUBTED || p->W_op != NULL || !doubtful(p, a)) return STI_OK;
    sti_contact_existence x;
    sti_status status = sti_contact_feasibility_find(env, p, time_left(deadline), &x);
    if (status != STI_OK) return status;
    if (x.feasible.finding == STI_FINDING_FAILS) {
        sti_free(env, a->certificate.y);
        status = certify(env, p, &x, a);
        a->termination = STI_END_STALLED;
    }
    sti_contact_existence_clear(env, &x);
    return status;
}
