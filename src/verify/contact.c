// contact.c: the independent check of an answer to a frictional contact problem.
//
// A point is accepted when its residual (contact_residual.c) is at most the tolerance. What the answer says of itself
// (u, residuals, modes) is not used. The claim that there is no solution is checked by contact_farkas.c.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stiction/contact.h>

#include "base/env.h"
#include "verify/contact_farkas.h"
#include "verify/contact_residual.h"
#include "verify/data.h"
#include "verify/section.h"

#define TRUSTED 10  // of contact_residual.c, for the words

// --- the problem as data -------------------------------------------------------------------------------------------

static sti_status check_problem(sti_env* env, const sti_contact_problem* p) {
    if (p->dimension != 2 && p->dimension != 3)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the dimension is %d", p->dimension);
    if (p->contact_count < 0 || p->bilateral_count < 0 || (p->global && p->velocity_count < 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a count is negative");
    if (p->contact_count > INT_MAX / 9) return STI_FAIL(env, STI_ERR_SIZE, -1, "%d contacts", p->contact_count);
    const int n = p->dimension * p->contact_count, nb = p->bilateral_count, nv = p->velocity_count;
    sti_status status = sti_check_data_vector(env, "mu", p->mu, p->contact_count);
    for (int c = 0; status == STI_OK && c < p->contact_count; c++) {
        if (p->mu[c] < 0) status = STI_FAIL(env, STI_ERR_ARGUMENT, c, "mu[%d] is %g", c, p->mu[c]);
    }
    for (int c = 0; status == STI_OK && p->section != NULL && c < p->contact_count; c++) {
        status = sti_check_section(env, &p->section[c], c);
        if (status == STI_OK && p->dimension != 3 && p->section[c].shape != STI_SECTION_DISC)
            status = STI_FAIL(env, STI_ERR_ARGUMENT, c, "section[%d] of a contact in the plane", c);
    }
    if (status != STI_OK) return status;
    if (p->global) {
        if ((status = sti_check_data_matrix(env, "M", &p->M, nv, nv, false)) == STI_OK &&
            (status = sti_check_data_matrix(env, "H", &p->H, nv, n, false)) == STI_OK &&
            (status = sti_check_data_matrix(env, "G", &p->G, nv, nb, false)) == STI_OK &&
            (status = sti_check_data_vector(env, "f", p->f, nv)) == STI_OK &&
            (status = sti_check_data_vector(env, "w", p->w, n)) == STI_OK)
            status = sti_check_data_vector(env, "b", p->b, nb);
        return status;
    }
    if (p->W_op == NULL)
        status = sti_check_data_matrix(env, "W", &p->W, n, n, false);
    else if (p->W_op->apply == NULL)
        status = STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the operator W has no apply");
    else
        status = sti_check_data_vector(env, "diagonal of W", p->W_op->diagonal, n * p->dimension);
    if (status == STI_OK && (status = sti_check_data_vector(env, "q", p->q, n)) == STI_OK &&
        (status = sti_check_data_matrix(env, "V", &p->V, n, nb, false)) == STI_OK &&
        (status = sti_check_data_matrix(env, "R", &p->R, nb, nb, false)) == STI_OK)
        status = sti_check_data_vector(env, "s", p->s, nb);
    return status;
}

// --- the answer ----------------------------------------------------------------------------------------------------

// Is x (n) there and finite? If not, the verdict says so.
static bool sound(const char* name, const double* x, int n, sti_contact_verification* out) {
    if (n > 0 && x == NULL) {
        STI_REJECT(out, "the answer has no %s", name);
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            STI_REJECT(out, "%s[%d] is %g, not a finite number", name, i, x[i]);
            return false;
        }
    }
    return true;
}

// Does the answer claim something that can be computed with?
static bool fits(const sti_contact_problem* p, const sti_contact_answer* a, sti_contact_verification* out) {
    const int n = p->dimension * p->contact_count, nv = p->global ? p->velocity_count : 0;
    if (a->outcome == STI_UNKNOWN || a->outcome == STI_LIMIT)
        STI_REJECT(out, "claims nothing");
    else if (a->outcome != STI_SOLVED && a->outcome != STI_NO_SOLUTION)
        STI_REJECT(out, "there is no outcome %d", (int)a->outcome);
    else if (a->dimension != p->dimension || a->contact_count != p->contact_count)
        STI_REJECT(out, "the answer has %d contacts in dimension %d, the problem %d in dimension %d", a->contact_count,
                   a->dimension, p->contact_count, p->dimension);
    else if (a->bilateral_count != p->bilateral_count)
        STI_REJECT(out, "the answer has %d bilateral rows, the problem %d", a->bilateral_count, p->bilateral_count);
    else if (a->outcome == STI_NO_SOLUTION)
        return true;  // the point is of no importance
    else if (p->global && nv > 0 && a->v == NULL)
        STI_REJECT(out, "the answer to a global problem must bring v, and has none");
    else if (p->global && a->velocity_count != nv)
        STI_REJECT(out, "the answer has %d velocities, the problem %d", a->velocity_count, nv);
    else
        return sound("r", a->r, n, out) && sound("v", a->v, nv, out) &&
               sound("lambda", a->lambda, p->bilateral_count, out);
    return false;
}

sti_status sti_verify_contact(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a, double tol,
                              sti_contact_verification* out) {
    if (out == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the verdict is NULL, and a place for it is expected");
    *out = (sti_contact_verification){.residual = NAN,
                                      .residual_contact = NAN,
                                      .residual_equation = NAN,
                                      .worst_contact = -1,
                                      .worst_cone_violation = NAN,
                                      .worst_penetration = NAN,
                                      .worst_complementarity = NAN,
                                      .bound = NAN};
    STI_REJECT(out, "nothing was checked");
    if (p == NULL || a == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "there is no %s", p == NULL ? "problem" : "answer");
    if (!(tol >= 0) || isinf(tol)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the tolerance is %g", tol);
    sti_status status = check_problem(env, p);
    if (status != STI_OK) return status;
    out->claim = a->outcome;
    if (!fits(p, a, out)) return STI_OK;
    if (a->outcome == STI_NO_SOLUTION) return sti_contact_check_farkas(env, p, a, out);
    double runaway;
    status = sti_check_contact_residual(env, p, a, out, &runaway);
    if (status != STI_OK) return status;
    out->accepted = out->residual <= tol;
    if (!out->accepted && runaway > 1 && out->residual <= runaway * tol)
        snprintf(out->text, sizeof out->text,
                 "not solved: residual %.3g, and small only against forces that are %.3g times what they do together",
                 out->residual, TRUSTED * runaway);
    else
        snprintf(out->text, sizeof out->text,
                 out->accepted
                     ? "solved: residual %.3g (contact %.3g, equations %.3g), at most %.3g; worst contact %d"
                     : "not solved: residual %.3g (contact %.3g, equations %.3g), above %.3g; worst contact %d",
                 out->residual, out->residual_contact, out->residual_equation, tol, out->worst_contact);
    return STI_OK;
}
