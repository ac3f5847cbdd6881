// trial.c: points of active sets, and the best point seen.
#include "solvers/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static sti_status reserve(sti_trial* t) {
    const size_t n = (size_t)t->n;
    t->store = sti_alloc_array_zero(t->env, 5 * n, sizeof *t->store);
    t->alpha = sti_alloc_array_zero(t->env, n, sizeof *t->alpha);
    if (t->store == NULL || t->alpha == NULL) return STI_ERR_MEMORY;
    t->z = t->store;
    t->w = t->store + n;
    t->step = t->store + 2 * n;
    t->z_out = t->store + 3 * n;
    t->w_out = t->store + 4 * n;
    return sti_principal_init(&t->system, t->env, &t->p.M, t->p.symmetric);
}

sti_status sti_trial_init(sti_trial* t, sti_env* env, const char* solver, const sti_lcp* lcp,
                          const sti_lcp_options* options, long default_limit, sti_lcp_answer* answer) {
    *t = (sti_trial){.env = env,
                     .solver = solver,
                     .lcp = lcp,
                     .options = options,
                     .answer = answer,
                     .best_residual = INFINITY,
                     .limit = options->max_iterations > 0 ? options->max_iterations : default_limit,
                     .deadline = sti_deadline(env, options->time_limit_s),
                     .n = lcp->n};
    answer->basis_nonsingular = -1;
    sti_status status = sti_scaled_lcp_init(&t->p, env, lcp);
    if (status == STI_OK && !t->p.applicable) {
        answer->termination = STI_END_NOT_APPLICABLE;
        snprintf(answer->reason, sizeof answer->reason,
                 "M is sparse, not symmetric, and of order %d: general sparse systems are solved dense, up to order %d",
                 t->n, STI_SCALED_DENSE_LIMIT);
        return STI_OK;
    }
    if (status == STI_OK) status = reserve(t);
    if (status != STI_OK) sti_trial_clear(t);
    return status;
}

void sti_trial_clear(sti_trial* t) {
    if (t->env == NULL) return;
    sti_principal_clear(&t->system);
    sti_scaled_lcp_clear(&t->p);
    sti_free(t->env, t->store);
    sti_free(t->env, t->alpha);
    *t = (sti_trial){0};
}

void sti_trial_slack(const sti_trial* t, const double* z, double* w) {
    sti_principal_multiply(&t->system, z, w);
    for (int i = 0; i < t->n; i++) w[i] += t->p.q[i];
}

void sti_trial_choose_set(sti_trial* t, const double* z, const double* w) {
    for (int i = 0; i < t->n; i++) t->alpha[i] = z[i] > w[i];
    t->active = false;
}

// z_a -= (factored block)^-1 w_a. With the block M_aa this is iterative refinement; with M_aa + delta I it is a step of
// the proximal point method for M_aa z_a = -q_a, which converges to a solution near its start.
static void correct(sti_trial* t) {
    for (int i = 0; i < t->n; i++) t->step[i] = t->alpha[i] ? t->w[i] : 0;
    sti_principal_solve(&t->system, t->step);
    for (int i = 0; i < t->n; i++) t->z[i] -= t->step[i];
    sti_trial_slack(t, t->z, t->w);
}

bool sti_trial_solve_active(sti_trial* t, const double* near) {
    sti_principal* s = &t->system;
    t->rcond = sti_principal_factor(s, t->alpha, NULL) ? sti_principal_rcond(s) : 0;
    const bool singular = t->rcond < 1e-13;
    if (singular) {
        for (int i = 0; i < t->n; i++) t->step[i] = 1e-9;
        if (!sti_principal_factor(s, t->alpha, t->step)) return false;
    }
    for (int i = 0; i < t->n; i++) t->z[i] = !t->alpha[i] ? 0 : singular ? near[i] : -t->p.q[i];
    if (!singular) sti_principal_solve(s, t->z);
    sti_trial_slack(t, t->z, t->w);
    for (int round = 0; singular && round < 3; round++) correct(t);
    t->active = true;
    for (int i = 0; i < t->n; i++) {
        if (!isfinite(t->z[i]) || !isfinite(t->w[i])) return false;
    }
    return true;
}

double sti_trial_measure(sti_trial* t, const double* z, const double* w) {
    double natural = 0;
    for (int i = 0; i < t->n; i++) natural = fmax(natural, fabs(fmin(z[i], w[i])));
    const bool far = natural > 1e-3 && isfinite(t->best_residual);
    if (far && t->options->trace == NULL) return INFINITY;
    if (!sti_scaled_lcp_leave(&t->p, z, t->z_out)) return INFINITY;
    const double residual = sti_lcp_point_residual(t->lcp, t->z_out, t->w_out);
    if (t->options->trace != NULL) t->options->trace(t->options->trace_user, t->solver, t->steps, residual);
    if (far || isnan(residual)) return INFINITY;  // with a trace as without
    if (residual < t->best_residual) {
        t->best_residual = residual;
        memcpy(t->answer->z, t->z_out, (size_t)t->n * sizeof *t->z_out);
        memcpy(t->answer->alpha, t->alpha, (size_t)t->n * sizeof *t->alpha);
    }
    return residual;
}

void sti_trial_polish(sti_trial* t) {
    const size_t n = (size_t)t->n;
    unsigned char* alpha = t->answer->alpha;
    if (!t->active || memcmp(t->alpha, alpha, n) != 0) {
        memcpy(t->alpha, alpha, n);
        sti_scaled_lcp_enter(&t->p, t->answer->z, t->z);
        if (!sti_trial_solve_active(t, t->z)) return;
    }
    double residual = sti_trial_measure(t, t->z, t->w);
    for (int round = 0; round < 3 && isfinite(residual); round++) {
        const double before = residual;
        // the measured slack is the more accurate one: for a dense M it was summed in extended precision
        sti_scaled_lcp_enter_slack(&t->p, t->w_out, t->w);
        correct(t);
        residual = sti_trial_measure(t, t->z, t->w);
        if (!(residual < 0.5 * before)) break;
    }
    // the pivot ratio of a sparse factorization bounds nothing, and near 1e-13 the estimate is all there is
    if (!sti_matrix_is_sparse(&t->p.M) && t->rcond > 1e-8) t->answer->basis_nonsingular = 1;
}

bool sti_trial_out_of_budget(const sti_trial* t) {
    return t->steps >= t->limit || (t->deadline < INFINITY && sti_now(t->env) > t->deadline);
}

const char* sti_trial_budget_text(const sti_trial* t) {
    return t->steps >= t->limit ? "iteration limit" : "time limit";
}
