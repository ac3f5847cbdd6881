// answer_write.c: answers and sets of solutions as JSON.
//
//     {"kind": "lcp", "n": 2, "solver": "lemke", "outcome": "solved", "termination": "solution", "residual": 0, ...
//      "z": [..], "w": [..], "alpha": [0], "basis_nonsingular": true, "exact": true, "z_exact": ["4/3", ..],
//      "certificate": {"type": "solution", "exact": true, "bound": null, "leaves": []}, "ray": null, "attempts": [..],
//      "reason": ".."}
//
// An MLCP has u and v wherever an LCP has z: in the point, its exact form, the residuals, the ray and the certificate.
// What is not a finite number or not known is null, so that every answer of a kind has the same fields. docs/json.md
// lists them.
#include <math.h>
#include <stiction/io.h>

#include "documents/json_answer.h"

static void put_set(sti_json* j, const char* key, const unsigned char* in, int count) {
    sti_json_array(j, key);
    for (int i = 0; i < count; i++) {
        if (in[i]) sti_json_integer(j, NULL, i);
    }
    sti_json_end(j);
}

// Pairs of a leaf that are fixed with this sign.
static void put_fixed(sti_json* j, const char* key, const signed char* fixed, int count, int sign) {
    sti_json_array(j, key);
    for (int i = 0; i < count; i++) {
        if (fixed[i] == sign) sti_json_integer(j, NULL, i);
    }
    sti_json_end(j);
}

static void put_multipliers(sti_json* j, const char* key, const sti_certificate* c, size_t first, int count) {
    sti_json_array(j, key);
    for (size_t i = first; i < first + (size_t)count; i++) {
        if (c->y_exact != NULL)
            sti_json_fraction_short(j, NULL, c->y_exact, i);
        else
            sti_json_double(j, NULL, c->y[i]);
    }
    sti_json_end(j);
}

static void put_certificate(sti_json* j, const char* key, const sti_certificate* c, bool mixed) {
    const size_t width = (size_t)c->free_count + (size_t)c->pair_count;
    sti_json_object(j, key);
    sti_json_text(j, "type", sti_proof_text(c->proof));
    sti_json_bool(j, "exact", c->exact);
    sti_json_double(j, "bound", c->leaf_count > 0 ? c->bound : NAN);
    sti_json_array(j, "leaves");
    for (int k = 0; k < c->leaf_count; k++) {
        const signed char* fixed = c->fixed + (size_t)k * (size_t)c->pair_count;
        sti_json_object(j, NULL);
        put_fixed(j, mixed ? "v_zero" : "z_zero", fixed, c->pair_count, 1);
        put_fixed(j, "w_zero", fixed, c->pair_count, -1);
        put_multipliers(j, "x", c, sti_size_mul((size_t)k, width), c->free_count);
        put_multipliers(j, "y", c, sti_size_mul((size_t)k, width) + (size_t)c->free_count, c->pair_count);
        sti_json_end(j);
    }
    sti_json_end(j);
    sti_json_end(j);
}

static void put_attempts(sti_json* j, const sti_lcp_answer* a) {
    sti_json_array(j, "attempts");
    for (int k = 0; k < a->attempt_count; k++)
        sti_json_put_attempt(j, sti_lcp_solver_text(a->attempts[k].solver), &a->attempts[k]);
    sti_json_end(j);
}

static void put_residuals(sti_json* j, const sti_lcp_answer* a, bool mixed) {
    sti_json_double(j, "residual", a->residual);
    sti_json_object(j, "residuals");
    sti_json_double(j, "equation", a->residual_equation);
    sti_json_double(j, mixed ? "v" : "z", a->residual_z);
    sti_json_double(j, "w", a->residual_w);
    sti_json_double(j, "gap", a->residual_gap);
    sti_json_end(j);
}

static void put_exact(sti_json* j, const char* key, const sti_rationals* r, size_t first, int count) {
    if (r == NULL) {
        sti_json_null(j, key);
        return;
    }
    sti_json_array(j, key);
    for (size_t i = first; i < first + (size_t)count; i++) sti_json_fraction(j, NULL, r, i);
    sti_json_end(j);
}

static void put_point(sti_json* j, const sti_lcp_answer* a, bool mixed) {
    if (mixed) sti_json_doubles(j, "u", a->u, (size_t)a->free_count);
    sti_json_doubles(j, mixed ? "v" : "z", a->z, (size_t)a->n);
    sti_json_doubles(j, "w", a->w, (size_t)a->n);
    if (a->alpha != NULL)
        put_set(j, "alpha", a->alpha, a->n);
    else
        sti_json_null(j, "alpha");
    if (a->basis_nonsingular < 0)
        sti_json_null(j, "basis_nonsingular");
    else
        sti_json_bool(j, "basis_nonsingular", a->basis_nonsingular > 0);
    sti_json_bool(j, "exact", a->exact);
    if (mixed) put_exact(j, "u_exact", a->z_exact, 0, a->free_count);
    put_exact(j, mixed ? "v_exact" : "z_exact", a->z_exact, (size_t)a->free_count, a->n);
}

static void put_ray(sti_json* j, const sti_lcp_answer* a, bool mixed) {
    if (a->ray.dz == NULL) {
        sti_json_null(j, "ray");
        return;
    }
    sti_json_object(j, "ray");
    sti_json_doubles(j, mixed ? "v" : "z", a->ray.z, (size_t)a->n);
    sti_json_doubles(j, mixed ? "dv" : "dz", a->ray.dz, (size_t)a->n);
    sti_json_double(j, "z0", a->ray.z0);
    sti_json_double(j, "dz0", a->ray.dz0);
    sti_json_end(j);
}

static sti_status write_answer(sti_env* env, const sti_lcp_answer* a, char** out, size_t* size) {
    const bool mixed = a->mixed || a->free_count > 0;
    sti_json j;
    sti_json_begin(&j, env);
    sti_json_text(&j, "kind", sti_kind_text(mixed ? STI_KIND_MLCP : STI_KIND_LCP));
    sti_json_integer(&j, "n", mixed ? a->free_count : a->n);
    if (mixed) sti_json_integer(&j, "m", a->n);
    sti_json_put_verdict(&j, sti_lcp_solver_text(a->solver), a->outcome, a->termination);
    put_residuals(&j, a, mixed);
    sti_json_integer(&j, "iterations", a->iterations);
    sti_json_double(&j, "time_s", a->time_s);
    put_point(&j, a, mixed);
    put_certificate(&j, "certificate", &a->certificate, mixed);
    put_ray(&j, a, mixed);
    put_attempts(&j, a);
    sti_json_text(&j, "reason", a->reason);
    return sti_json_finish(&j, out, size);
}

sti_status sti_lcp_answer_json(sti_env* env, const sti_lcp_answer* answer, char** out) {
    return write_answer(env, answer, out, NULL);
}

sti_status sti_lcp_answer_save(sti_env* env, const sti_lcp_answer* answer, const char* path) {
    char* text;
    size_t size;
    const sti_status status = write_answer(env, answer, &text, &size);
    return status == STI_OK ? sti_json_save_text(env, text, size, path) : status;
}

// ---- sets of solutions

// (u, z) of a vertex or ray, as doubles and exact.
static void put_extreme(sti_json* j, const sti_lcp_solution_set* s, const double* x, const sti_rationals* exact,
                        int k) {
    const size_t first = sti_size_mul((size_t)k, (size_t)s->free_count + (size_t)s->n),
                 pairs = first + (size_t)s->free_count;
    const bool mixed = s->mixed || s->free_count > 0;
    if (mixed) sti_json_doubles(j, "u", x + first, (size_t)s->free_count);
    sti_json_doubles(j, mixed ? "v" : "z", x + pairs, (size_t)s->n);
    if (mixed) put_exact(j, "u_exact", exact, first, s->free_count);
    put_exact(j, mixed ? "v_exact" : "z_exact", exact, pairs, s->n);
}

// The component each vertex lies in (that of any piece it belongs to), and whether each component is bounded.
typedef struct overview {
    int* component;  // (vertex_count)
    bool* bounded;   // (component_count)
} overview;

static sti_status overview_create(sti_env* env, const sti_lcp_solution_set* s, overview* out) {
    out->component = sti_alloc_array_zero(env, (size_t)s->vertex_count, sizeof *out->component);
    out->bounded = sti_alloc_array(env, (size_t)s->component_count, sizeof *out->bounded);
    if (out->component == NULL || out->bounded == NULL) {
        sti_free(env, out->component);
        sti_free(env, out->bounded);
        return STI_ERR_MEMORY;
    }
    for (int c = 0; c < s->component_count; c++) out->bounded[c] = true;
    for (int p = 0; p < s->piece_count; p++) {
        const sti_lcp_piece* piece = &s->pieces[p];
        for (int k = 0; k < piece->vertex_count; k++) out->component[piece->vertices[k]] = piece->component;
        if (piece->ray_count > 0) out->bounded[piece->component] = false;
    }
    return STI_OK;
}

static void put_components(sti_json* j, const sti_lcp_solution_set* s, const overview* o) {
    sti_json_array(j, "components");
    for (int c = 0; c < s->component_count; c++) {
        sti_json_object(j, NULL);
        sti_json_integer(j, "dimension", s->component_dimension[c]);
        sti_json_bool(j, "isolated", s->component_dimension[c] == 0 && o->bounded[c]);
        sti_json_bool(j, "bounded", o->bounded[c]);
        sti_json_end(j);
    }
    sti_json_end(j);
}

static void put_pieces(sti_json* j, const sti_lcp_solution_set* s) {
    sti_json_array(j, "pieces");
    for (int p = 0; p < s->piece_count; p++) {
        const sti_lcp_piece* piece = &s->pieces[p];
        sti_json_object(j, NULL);
        put_set(j, "alpha", piece->alpha, s->n);
        sti_json_bool(j, "nonsingular", piece->nonsingular);
        sti_json_integer(j, "component", piece->component);
        sti_json_integer(j, "dimension", piece->dimension);
        sti_json_indices(j, "solutions", piece->vertices, (size_t)piece->vertex_count);
        sti_json_indices(j, "rays", piece->rays, (size_t)piece->ray_count);
        sti_json_end(j);
    }
    sti_json_end(j);
}

sti_status sti_lcp_solution_set_json(sti_env* env, const sti_lcp_solution_set* s, char** out) {
    sti_json j;
    overview o;
    *out = NULL;
    const sti_status status = overview_create(env, s, &o);
    if (status != STI_OK) return status;
    sti_json_begin(&j, env);
    sti_json_bool(&j, "complete", s->complete);
    sti_json_array(&j, "solutions");
    for (int k = 0; k < s->vertex_count; k++) {
        sti_json_object(&j, NULL);
        put_extreme(&j, s, s->vertex, s->vertex_exact, k);
        sti_json_bool(&j, "basic", s->vertex_basic[k]);
        sti_json_integer(&j, "component", o.component[k]);
        sti_json_end(&j);
    }
    sti_json_end(&j);
    sti_json_array(&j, "rays");
    for (int k = 0; k < s->ray_count; k++) {
        sti_json_object(&j, NULL);
        put_extreme(&j, s, s->ray, s->ray_exact, k);
        sti_json_end(&j);
    }
    sti_json_end(&j);
    put_components(&j, s, &o);
    put_pieces(&j, s);
    sti_free(env, o.component);
    sti_free(env, o.bounded);
    sti_json_integer(&j, "nodes", s->nodes);
    if (s->certificate.proof != STI_PROOF_NONE)
        put_certificate(&j, "certificate", &s->certificate, s->mixed || s->free_count > 0);
    return sti_json_finish(&j, out, NULL);
}
