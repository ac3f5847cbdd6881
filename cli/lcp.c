// lcp.c: linear complementarity problems, mixed ones and affine variational inequalities too: solve, one answer or with
// --all every solution, and verify.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cross_check.h"
#include "documents.h"

// What was read: an LCP, an MLCP, or an affine inequality with the MLCP it is.
typedef struct posed {
    const sti_lcp* lcp;
    const sti_mlcp* mlcp;
    const sti_avi* avi;
    sti_kind kind;
    int free_count, pairs;
    sti_avi_mlcp made;  // of an inequality
} posed;

static sti_status pose(const cli* c, const sti_document* document, posed* p) {
    *p = (posed){.lcp = sti_lcp_of(document),
                 .mlcp = sti_mlcp_of(document),
                 .avi = sti_avi_of(document),
                 .kind = sti_document_kind(document)};
    if (p->avi != NULL) {
        const sti_status status = sti_avi_mlcp_make(c->env, p->avi, &p->made);
        if (status != STI_OK) return status;
        p->mlcp = &p->made.mlcp;
    }
    p->free_count = p->lcp != NULL ? 0 : p->mlcp->n;
    p->pairs = p->lcp != NULL ? p->lcp->n : p->mlcp->m;
    return STI_OK;
}

static void drop_posed(const cli* c, posed* p) {
    sti_avi_mlcp_clear(c->env, &p->made);
}

// ---- reading the request

static int choose_solver(const cli* c, const cli_solve_request* r, sti_lcp_solver* out) {
    const char* names[STI_LCP_SOLVER_COUNT];
    if (r->all && r->cross_check)
        return cli_fail_usage(c,
                              "--cross-check: compares two solutions, --all lists every one: one of the two options");
    for (int k = 0; k < STI_LCP_SOLVER_COUNT; k++) names[k] = sti_lcp_solver_text((sti_lcp_solver)k);
    if (r->solver == NULL) {
        *out = r->all ? STI_LCP_ENUM : STI_LCP_AUTO;
        return CLI_DONE;
    }
    if (!sti_lcp_solver_parse(r->solver, out)) {
        const char* near = cli_nearest(r->solver, names, STI_LCP_SOLVER_COUNT);
        return cli_fail_usage(c, "--solver: %.60s: no such solver%s%s; there are " CLI_LCP_SOLVERS, r->solver,
                              near != NULL ? ", did you mean " : "", near != NULL ? near : "");
    }
    if (r->all && *out != STI_LCP_ENUM)
        return cli_fail_usage(c, "--all: lists every solution by enumeration, --solver %s does not", r->solver);
    return CLI_DONE;
}

static int make_options(const cli* c, const cli_solve_request* r, const posed* p, sti_lcp_options* o) {
    *o = sti_lcp_options_default();
    const int code = choose_solver(c, r, &o->solver);
    if (code != CLI_DONE) return code;
    if (r->tol > 0) o->tol = r->tol;
    if (r->time_limit > 0) o->time_limit_s = r->time_limit;
    if (r->max_iterations > 0) o->max_iterations = r->max_iterations;
    if (r->omega >= 2) return cli_fail_usage(c, "--omega: %g: a number between 0 and 2 expected", r->omega);
    if (r->omega > 0) o->relaxation = r->omega;
    if (r->covering.count > 0) {
        if (r->covering.count != p->pairs)
            return cli_fail_usage(c, "--covering: %d numbers: %s has %d complementary pairs", r->covering.count,
                                  r->path, p->pairs);
        for (int i = 0; i < p->pairs; i++) {
            if (r->covering.value[i] <= 0)
                return cli_fail_usage(c, "--covering: %g: numbers greater than 0 expected", r->covering.value[i]);
        }
        o->covering = r->covering.value;
    }
    return CLI_DONE;
}

// ---- one answer

static void say_size(const cli* c, const char* path, const posed* p) {
    if (p->lcp != NULL)
        cli_say(c, "%s: lcp, n = %d\n", path, p->pairs);
    else if (p->avi != NULL)
        cli_say(c, "%s: %s, n = %d, %d inequalities, %d equations\n", path, sti_kind_text(p->kind), p->avi->n, p->pairs,
                p->avi->k);
    else
        cli_say(c, "%s: mlcp, n = %d free, m = %d pairs\n", path, p->free_count, p->pairs);
}

static const char* outcome_color(const cli* c, sti_outcome outcome) {
    if (outcome == STI_SOLVED) return cli_good(c);
    return outcome == STI_NO_SOLUTION ? cli_bad(c) : cli_unsure(c);
}

static void say_point(const cli* c, const sti_lcp_answer* a) {
    enum { SHOWN = 8 };
    char text[400];
    if (a->z_exact != NULL) {
        if (a->free_count > 0) {
            cli_text_rationals(c, text, sizeof text, a->z_exact, 0, a->free_count, SHOWN);
            cli_say(c, "  u = %s\n", text);
        }
        cli_text_rationals(c, text, sizeof text, a->z_exact, (size_t)a->free_count, a->n, SHOWN);
    } else {
        if (a->free_count > 0 && a->u != NULL) {
            cli_text_numbers(text, sizeof text, a->u, a->free_count, SHOWN);
            cli_say(c, "  u = %s\n", text);
        }
        cli_text_numbers(text, sizeof text, a->z, a->n, SHOWN);
    }
    cli_say(c, "  %s = %s\n", a->free_count > 0 ? "v" : "z", text);
}

// What may be relied on after this answer, in a sentence.
static void say_proof(const cli* c, const sti_lcp_answer* a) {
    const sti_certificate* k = &a->certificate;
    if (a->outcome == STI_SOLVED && a->exact) {
        cli_say(c, "  proved: a solution, confirmed without rounding\n");
    } else if (a->outcome == STI_SOLVED) {
        cli_say(c, "  shown: a point with residual %.2e on the original data\n", a->residual);
    } else if (a->outcome == STI_NO_SOLUTION && k->exact) {
        if (k->proof == STI_PROOF_FARKAS)
            cli_say(c, "  proved: not even a feasible point, by one Farkas vector, exactly\n");
        else
            cli_say(c, "  proved: no solution, by %d cases, each closed exactly by a Farkas vector\n", k->leaf_count);
    } else if (a->outcome == STI_NO_SOLUTION) {
        cli_say(c, "  proved: no solution smaller than %.3g, by %d Farkas vector%s checked with rounding\n", k->bound,
                k->leaf_count, k->leaf_count == 1 ? "" : "s");
    } else {
        cli_say(c, "  proved: nothing\n");
    }
    if (a->reason[0] != '\0') cli_say(c, "  reason: %s\n", a->reason);
}

// x of an inequality, and F = M x + q.
static void say_inequality(const cli* c, const posed* p, const sti_lcp_answer* a) {
    enum { SHOWN = 8 };
    char text[400];
    const int n = p->avi->n;
    if (a->z_exact != NULL)
        cli_text_rationals(c, text, sizeof text, a->z_exact, 0, n, SHOWN);
    else
        cli_text_numbers(text, sizeof text, a->u, n, SHOWN);
    cli_say(c, "  x = %s\n", text);
    int held = 0, *which = calloc((size_t)a->n + 1, sizeof *which);
    for (int i = 0; which != NULL && i < a->n; i++) {
        if (a->z[i] > 0) which[held++] = i;
    }
    int bounds = 0;
    for (int i = 0; i < held; i++) bounds += p->made.pair_of[which[i]] >= p->avi->m;
    cli_say(c, "  pressed against: %d row%s of A, %d bound%s\n", held - bounds, held - bounds == 1 ? "" : "s", bounds,
            bounds == 1 ? "" : "s");
    free(which);
}

static void say_answer(const cli* c, const char* path, const posed* p, const sti_lcp_answer* a) {
    say_size(c, path, p);
    cli_say(c, "  %s%s%s by %s, %ld iteration%s, %.3g s\n", outcome_color(c, a->outcome),
            a->outcome == STI_NO_SOLUTION ? "no solution" : sti_outcome_text(a->outcome), cli_plain(c),
            sti_lcp_solver_text(a->solver), a->iterations, a->iterations == 1 ? "" : "s", a->time_s);
    if (a->outcome == STI_SOLVED) {
        if (p->avi != NULL)
            say_inequality(c, p, a);
        else
            say_point(c, a);
        cli_say(c, "  residual %.2e\n", a->residual);
    } else if (a->outcome != STI_NO_SOLUTION && a->z != NULL && !isnan(a->residual)) {
        cli_say(c, "  best residual %.2e\n", a->residual);
    }
    say_proof(c, a);
    if (!c->verbose) return;
    for (int k = 0; k < a->attempt_count; k++) {
        const sti_lcp_attempt* t = &a->attempts[k];
        cli_say(c, "  tried %s: %s after %ld iterations, residual %.2e: %s\n", sti_lcp_solver_text(t->solver),
                sti_termination_text(t->termination), t->iterations, t->residual, t->why);
    }
}

static sti_status answer_json(const cli* c, const posed* p, const sti_lcp_answer* a, char** json) {
    return p->avi != NULL ? sti_avi_answer_json(c->env, p->avi, a, p->kind, json)
                          : sti_lcp_answer_json(c->env, a, json);
}

static int finish(const cli* c, const cli_solve_request* r, const posed* p, const sti_lcp_answer* a, const char* json) {
    const sti_status status = r->output == NULL ? STI_OK
                              : p->avi != NULL  ? sti_avi_answer_save(c->env, p->avi, a, p->kind, r->output)
                                                : sti_lcp_answer_save(c->env, a, r->output);
    if (status != STI_OK) return cli_fail_written(c, r->output);
    if (c->json) printf("%s\n", json);
    return a->outcome == STI_SOLVED ? CLI_DONE : CLI_NO;
}

static int solve_one(const cli* c, const cli_solve_request* r, const posed* p, sti_lcp_options* o) {
    cli_progress bar = cli_progress_begin();
    if (c->err_terminal && !c->quiet) {
        o->trace = cli_progress_show;
        o->trace_user = &bar;
    }
    sti_lcp_answer a;
    const sti_status status = p->lcp != NULL   ? sti_lcp_solve(c->env, p->lcp, o, &a)
                              : p->avi != NULL ? sti_avi_solve(c->env, p->avi, o, &a)
                                               : sti_mlcp_solve(c->env, p->mlcp, o, &a);
    cli_progress_clear(&bar);
    if (status != STI_OK) return cli_fail_about(c, r->path);
    char *json = NULL, *checked = NULL;
    cli_cross cross = {0};
    int code;
    if (r->cross_check && cli_cross_lcp(c, p->lcp, p->mlcp, p->avi, o, &a, &cross) != STI_OK) {
        code = cli_fail_about(c, r->path);
    } else if (c->json && answer_json(c, p, &a, &json) != STI_OK) {
        code = cli_fail_about(c, r->path);
    } else if (c->json && r->cross_check && (checked = cli_cross_join(json, &cross)) == NULL) {
        code = cli_fail_memory(c);
    } else {
        code = finish(c, r, p, &a, checked != NULL ? checked : json);
        if (code == CLI_DONE || code == CLI_NO) {
            say_answer(c, r->path, p, &a);
            if (r->cross_check) {
                cli_cross_say(c, &cross);
                code = cli_cross_code(&cross, code);
            }
        }
    }
    free(checked);
    sti_env_free(c->env, json);
    sti_lcp_answer_clear(c->env, &a);
    return code;
}

// ---- all solutions

// The first solution of a set as an answer, so that --all carries the same names. What it points to is the set's, but
// for w, alpha and z_exact.
static sti_status first_answer(const cli* c, const posed* p, const sti_lcp_solution_set* s, sti_lcp_answer* a) {
    const size_t width = (size_t)s->free_count + (size_t)s->n;
    *a = (sti_lcp_answer){.solver = STI_LCP_ENUM,
                          .mixed = s->mixed,
                          .free_count = s->free_count,
                          .n = s->n,
                          .basis_nonsingular = -1,
                          .residual = NAN,
                          .residual_equation = NAN,
                          .residual_z = NAN,
                          .residual_w = NAN,
                          .residual_gap = NAN,
                          .iterations = s->nodes,
                          .time_s = s->time_s,
                          .certificate = s->certificate};
    a->termination = s->complete ? STI_END_EXHAUSTED : STI_END_LIMIT;
    a->outcome = s->vertex_count > 0 ? STI_SOLVED : s->complete ? STI_NO_SOLUTION : STI_LIMIT;
    if (s->vertex_count == 0) return STI_OK;
    a->certificate = (sti_certificate){
        .proof = STI_PROOF_SOLUTION, .free_count = s->free_count, .pair_count = s->n, .exact = true, .bound = INFINITY};
    a->exact = true;
    a->u = s->vertex;
    a->z = s->vertex + s->free_count;
    a->w = calloc(width + 1, sizeof *a->w);
    a->alpha = calloc(width + 1, 1);
    if (a->w == NULL || a->alpha == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < s->piece_count; k++) {
        const sti_lcp_piece* piece = &s->pieces[k];
        bool here = false;
        for (int v = 0; v < piece->vertex_count; v++) here = here || piece->vertices[v] == 0;
        if (!here || (a->basis_nonsingular >= 0 && !piece->nonsingular)) continue;
        a->basis_nonsingular = piece->nonsingular;
        memcpy(a->alpha, piece->alpha, (size_t)s->n);
        if (piece->nonsingular) break;
    }
    sti_status status = sti_rationals_create(c->env, width, &a->z_exact);
    for (size_t i = 0; status == STI_OK && i < width; i++) {
        char* text;
        status = sti_rationals_text(s->vertex_exact, i, &text);
        if (status == STI_OK) status = sti_rationals_set_text(a->z_exact, i, text);
        sti_env_free(c->env, text);
    }
    if (status != STI_OK) return status;
    return p->lcp != NULL ? sti_lcp_residual(c->env, p->lcp, a) : sti_mlcp_residual(c->env, p->mlcp, a);
}

static void drop_first(sti_lcp_answer* a) {
    free(a->w);
    free(a->alpha);
    sti_rationals_destroy(a->z_exact);
}

// "{answer}" and "{set}" as one object.
static char* join(const char* answer, const char* set) {
    const size_t a = strlen(answer), b = strlen(set);
    char* text = malloc(a + b + 2);
    if (text != NULL) snprintf(text, a + b + 2, "%.*s, %s", (int)(a - 1), answer, set + 1);
    return text;
}

static void say_set(const cli* c, const cli_solve_request* r, const posed* p, const sti_lcp_solution_set* s) {
    enum { SHOWN = 20, ENTRIES = 8 };
    char text[400];
    const size_t width = (size_t)s->free_count + (size_t)s->n;
    say_size(c, r->path, p);
    cli_say(c, "  %s%d extreme solution%s%s in %d component%s, %d piece%s%s; %ld nodes, %.3g s\n",
            s->vertex_count > 0 ? cli_good(c) : cli_bad(c), s->vertex_count, s->vertex_count == 1 ? "" : "s",
            cli_plain(c), s->component_count, s->component_count == 1 ? "" : "s", s->piece_count,
            s->piece_count == 1 ? "" : "s", s->complete ? "" : " so far", s->nodes, s->time_s);
    for (int k = 0; k < s->vertex_count && k < SHOWN; k++) {
        cli_text_rationals(c, text, sizeof text, s->vertex_exact, (size_t)k * width, (int)width, ENTRIES);
        cli_say(c, "  solution %d: %s = %s\n", k, s->free_count > 0 ? "(u, v)" : "z", text);
    }
    if (s->vertex_count > SHOWN) cli_say(c, "  ... %d more, see --json\n", s->vertex_count - SHOWN);
    for (int k = 0; k < s->ray_count && k < SHOWN; k++) {
        cli_text_rationals(c, text, sizeof text, s->ray_exact, (size_t)k * width, (int)width, ENTRIES);
        cli_say(c, "  direction %d: %s\n", k, text);
    }
    if (s->complete && s->vertex_count > 0)
        cli_say(c, "  proved: these are all, in exact arithmetic\n");
    else if (s->complete)
        cli_say(c, "  proved: no solution, by %d case%s closed by a Farkas vector each\n", s->certificate.leaf_count,
                s->certificate.leaf_count == 1 ? "" : "s");
    else
        cli_say(c, "  proved: those listed are solutions; there may be more\n");
}

static int report_all(const cli* c, const cli_solve_request* r, const posed* p, const sti_lcp_solution_set* s) {
    sti_lcp_answer a;
    char *text = NULL, *set_json = NULL, *json = NULL;
    int code = CLI_DONE;
    // the certificate goes with the answer, not a second time with the set
    sti_lcp_solution_set bare = *s;
    bare.certificate = (sti_certificate){0};
    if (first_answer(c, p, s, &a) != STI_OK) code = cli_fail_memory(c);
    if (code == CLI_DONE && c->json) {
        if (answer_json(c, p, &a, &text) == STI_OK && sti_lcp_solution_set_json(c->env, &bare, &set_json) == STI_OK)
            json = join(text, set_json);
        if (json == NULL) code = cli_fail_memory(c);
    }
    if (code == CLI_DONE) {
        code = finish(c, r, p, &a, json);
        if (code == CLI_DONE || code == CLI_NO) say_set(c, r, p, s);
    }
    sti_env_free(c->env, text);
    sti_env_free(c->env, set_json);
    free(json);
    drop_first(&a);
    return code;
}

static int solve_all(const cli* c, const cli_solve_request* r, const posed* p) {
    sti_lcp_solution_set* s = NULL;
    const sti_status status = p->lcp != NULL
                                  ? sti_lcp_enumerate(c->env, p->lcp, r->max_iterations, r->time_limit, &s)
                                  : sti_mlcp_enumerate(c->env, p->mlcp, r->max_iterations, r->time_limit, &s);
    if (status != STI_OK) return cli_fail_about(c, r->path);
    const int code = report_all(c, r, p, s);
    sti_lcp_solution_set_destroy(c->env, s);
    return code;
}

int cli_lcp_solve(const cli* c, const cli_solve_request* r, const sti_document* document) {
    posed p;
    sti_lcp_options o;
    if (pose(c, document, &p) != STI_OK) return cli_fail_about(c, r->path);
    int code = make_options(c, r, &p, &o);
    if (code == CLI_DONE) code = r->all ? solve_all(c, r, &p) : solve_one(c, r, &p, &o);
    drop_posed(c, &p);
    return code;
}

// ---- verify

static void put_verification(cli_json* j, const sti_verification* v, sti_kind kind) {
    cli_json_begin(j);
    cli_json_text(j, "kind", sti_kind_text(kind));
    cli_json_bool(j, "accepted", v->accepted);
    cli_json_bool(j, "exact", v->exact);
    cli_json_text(j, "claim", sti_outcome_text(v->claim));
    cli_json_number(j, "residual", v->residual);
    cli_json_object(j, "residuals");
    cli_json_number(j, "equation", v->residual_equation);
    cli_json_number(j, kind == STI_KIND_LCP ? "z" : "v", v->residual_z);
    cli_json_number(j, "w", v->residual_w);
    cli_json_number(j, "gap", v->residual_gap);
    cli_json_end(j);
    cli_json_number(j, "natural", v->natural);
    cli_json_integer(j, "leaves_checked", v->leaves_checked);
    cli_json_number(j, "margin", v->margin);
    cli_json_text(j, "text", v->text);
}

static void say_verification(const cli* c, const char* path, const sti_verification* v) {
    cli_say(c, "%s: claims \"%s\"\n", path, sti_outcome_text(v->claim));
    cli_say_verdict(c, v->accepted, v->text);
    if (!isnan(v->residual)) cli_say(c, "  residual %.2e, natural map %.2e\n", v->residual, v->natural);
    if (v->leaves_checked > 0)
        cli_say(c, "  %d Farkas vector%s checked, margin %.2e\n", v->leaves_checked, v->leaves_checked == 1 ? "" : "s",
                v->margin);
    cli_say_proved(c, v->accepted, v->exact);
}

int cli_lcp_verify(const cli* c, const cli_verify_request* r, const sti_document* document) {
    const sti_lcp* lcp = sti_lcp_of(document);
    const sti_avi* avi = sti_avi_of(document);
    const double tol = r->tol > 0 ? r->tol : sti_lcp_options_default().tol;
    sti_lcp_answer answer = {0};
    sti_verification v = {0};
    int code = CLI_DONE;
    sti_status status = sti_lcp_answer_load(c->env, r->answer, &answer);
    if (status == STI_OK)
        status = lcp != NULL   ? sti_verify_lcp(c->env, lcp, &answer, tol, &v)
                 : avi != NULL ? sti_verify_avi(c->env, avi, &answer, tol, &v)
                               : sti_verify_mlcp(c->env, sti_mlcp_of(document), &answer, tol, &v);
    if (status != STI_OK) {
        code = cli_fail_about(c, r->answer);
    } else {
        code = v.accepted ? CLI_DONE : CLI_NO;
        if (c->json) {
            cli_json j;
            put_verification(&j, &v, sti_document_kind(document));
            code = cli_json_print(&j, c, code);
        } else {
            say_verification(c, r->answer, &v);
        }
    }
    sti_lcp_answer_clear(c->env, &answer);
    return code;
}
