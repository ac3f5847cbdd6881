// contact_answer_write.c: answers of contact problems as JSON.
//
//     {"kind": "contact", "dimension": 3, "contact_count": 2, "velocity_count": 0, "bilateral_count": 0,
//      "solver": "gs", "outcome": "solved", "termination": "solution", "residual": 3e-9,
//      "residuals": {"contact": 3e-9, "equation": 0}, "worst_contact": 1, "iterations": 12, "time_s": 1e-5,
//      "r": [..], "u": [..], "v": null, "lambda": null, "modes": ["stick", "slide"], "margins": [..],
//      "dissipation": [..], "undetermined": null, "undetermined_dimension": null,
//      "certificate": {"type": "solution", "bound": null, "y": null, "lambda": null}, "attempts": [..], "reason": "..",
//      "diagnosis": ""}
//
// The certificate of a solution is the point: its residual follows from the data. That of no solution is a Farkas
// vector: {"type": "farkas", "bound": 1e17, "y": [..], "lambda": [..]}. What is not a finite number or not known is
// null.
#include <math.h>
#include <string.h>

#include "documents/contact_answer.h"
#include "documents/json_answer.h"
#include "formats/file.h"

static void put_modes(sti_json* j, const sti_contact_answer* a) {
    if (a->mode == NULL) {
        sti_json_null(j, "modes");
        return;
    }
    sti_json_array(j, "modes");
    for (int c = 0; c < a->contact_count; c++)
        sti_json_text(j, NULL, sti_contact_mode_text((sti_contact_mode)a->mode[c]));
    sti_json_end(j);
}

static void put_attempts(sti_json* j, const sti_contact_answer* a) {
    sti_json_array(j, "attempts");
    for (int k = 0; k < a->attempt_count; k++) {
        const sti_contact_attempt* t = &a->attempts[k];
        sti_lcp_attempt same = {
            .termination = t->termination, .residual = t->residual, .iterations = t->iterations, .time_s = t->time_s};
        memcpy(same.why, t->why, sizeof same.why);
        sti_json_put_attempt(j, sti_contact_solver_text(t->solver), &same);
    }
    sti_json_end(j);
}

static void put_certificate(sti_json* j, const sti_contact_answer* a) {
    const sti_contact_certificate* c = &a->certificate;
    const bool farkas = a->outcome != STI_SOLVED && c->proof == STI_PROOF_FARKAS;
    sti_json_object(j, "certificate");
    sti_json_text(j, "type", sti_proof_text(a->outcome == STI_SOLVED ? STI_PROOF_SOLUTION : c->proof));
    sti_json_double(j, "bound", farkas ? c->bound : NAN);
    sti_json_doubles(j, "y", farkas ? c->y : NULL, (size_t)a->contact_count);
    sti_json_doubles(j, "lambda", farkas ? c->lambda : NULL, (size_t)a->bilateral_count);
    sti_json_end(j);
}

static void put_undetermined(sti_json* j, const sti_contact_answer* a) {
    sti_json_double(j, "undetermined", a->undetermined);
    if (a->undetermined_dimension < 0)
        sti_json_null(j, "undetermined_dimension");
    else
        sti_json_integer(j, "undetermined_dimension", a->undetermined_dimension);
}

static void put_summary(sti_json* j, const sti_contact_answer* a) {
    sti_json_text(j, "kind", sti_kind_text(STI_KIND_CONTACT));
    sti_json_integer(j, "dimension", a->dimension);
    sti_json_integer(j, "contact_count", a->contact_count);
    sti_json_integer(j, "velocity_count", a->velocity_count);
    sti_json_integer(j, "bilateral_count", a->bilateral_count);
    sti_json_put_verdict(j, sti_contact_solver_text(a->solver), a->outcome, a->termination);
    sti_json_double(j, "residual", a->residual);
    sti_json_object(j, "residuals");
    sti_json_double(j, "contact", a->residual_contact);
    sti_json_double(j, "equation", a->residual_equation);
    sti_json_end(j);
    if (a->worst_contact < 0)
        sti_json_null(j, "worst_contact");
    else
        sti_json_integer(j, "worst_contact", a->worst_contact);
    sti_json_integer(j, "iterations", a->iterations);
    sti_json_double(j, "time_s", a->time_s);
}

static void put_point(sti_json* j, const sti_contact_answer* a) {
    const size_t n = (size_t)a->dimension * (size_t)a->contact_count;
    sti_json_doubles(j, "r", a->r, n);
    sti_json_doubles(j, "u", a->u, n);
    sti_json_doubles(j, "v", a->v, (size_t)a->velocity_count);
    sti_json_doubles(j, "lambda", a->lambda, (size_t)a->bilateral_count);
}

sti_status sti_contact_answer_write(sti_env* env, const sti_contact_answer* a, bool point, char** text, size_t* size) {
    sti_json j;
    const size_t contacts = (size_t)a->contact_count;
    sti_json_begin(&j, env);
    put_summary(&j, a);
    if (point) put_point(&j, a);
    put_modes(&j, a);
    sti_json_doubles(&j, "margins", a->margin, contacts);
    sti_json_doubles(&j, "dissipation", a->dissipation, contacts);
    put_undetermined(&j, a);
    put_certificate(&j, a);
    put_attempts(&j, a);
    sti_json_text(&j, "reason", a->reason);
    sti_json_text(&j, "diagnosis", a->diagnosis);
    return sti_json_finish(&j, text, size);
}

sti_status sti_contact_answer_json(sti_env* env, const sti_contact_answer* answer, char** out) {
    return sti_contact_answer_write(env, answer, true, out, NULL);
}

static sti_status save_json(sti_env* env, const sti_contact_answer* answer, const char* path) {
    char* text;
    size_t size;
    const sti_status status = sti_contact_answer_write(env, answer, true, &text, &size);
    return status == STI_OK ? sti_json_save_text(env, text, size, path) : status;
}

sti_status sti_contact_answer_save(sti_env* env, const sti_contact_problem* problem, const sti_contact_answer* answer,
                                   const char* path) {
    if (answer->dimension != problem->dimension || answer->contact_count != problem->contact_count ||
        answer->velocity_count != (problem->global ? problem->velocity_count : 0) ||
        answer->bilateral_count != problem->bilateral_count)
        return sti_file_fail(env, STI_ERR_ARGUMENT, path, "an answer of other sizes than the problem");
    if (sti_file_has_suffix(path, ".json")) return save_json(env, answer, path);
    if (sti_file_has_suffix(path, ".hdf5") || sti_file_has_suffix(path, ".h5"))
        return sti_fclib_answer_write(env, problem, answer, path);
    return sti_file_fail(env, STI_ERR_ARGUMENT, path, "a name that ends in .json, .hdf5 or .h5 is expected");
}
