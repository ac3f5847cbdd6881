// lcp_inspect.c: what an LCP or MLCP is, for stiction inspect: matrix classes with witnesses, solvability tests,
// complementary cones.
#include <math.h>
#include <string.h>

#include "cones.h"
#include "documents.h"

// What was found out about one problem.
typedef struct report {
    const sti_lcp* lcp;  // one of the two
    const sti_mlcp* mlcp;
    const sti_avi* avi;  // of which mlcp is the mixed problem
    sti_kind kind;
    sti_classes* classes;  // of M, or of B
    sti_homogeneous_test* homogeneous;
    sti_mlcp_structure* structure;
    sti_lcp_solution_set* cones;  // NULL: too many pairs
    cli_cones covering;
} report;

enum { MOST_PAIRS = 20, MOST_FREE = 60, SHOWN_ENTRIES = 8, SHOWN_CONES = 24 };

// ---- JSON

static void put_finding(cli_json* j, const cli* c, sti_class which, const sti_class_finding* f, int n) {
    cli_json_object(j, sti_class_text(which));
    cli_json_verdict(j, "verdict", f->verdict);
    cli_json_bool(j, "exact", f->exact);
    cli_json_text(j, "how", f->how);
    const bool no = f->verdict == STI_NO;  // then one of them shows it
    const int entry[2] = {f->row, f->col};
    cli_json_indices(j, "entry", no && f->row >= 0 ? entry : NULL, 2);
    cli_json_indices(j, "index", no ? f->index : NULL, (size_t)f->size);
    cli_json_numbers(j, "x", no ? f->x : NULL, (size_t)n);
    cli_json_rationals(j, c, "x_exact", no ? f->x_exact : NULL, 0, (size_t)n);
    cli_json_number(j, "value", no ? f->value : NAN);
    cli_json_end(j);
}

static void put_classes(cli_json* j, const cli* c, const sti_classes* classes) {
    const size_t n = (size_t)classes->n;
    cli_json_object(j, "classes");
    for (int k = 0; k < STI_CLASS_COUNT; k++)
        cli_json_verdict(j, sti_class_text((sti_class)k), classes->finding[k].verdict);
    cli_json_end(j);
    cli_json_object(j, "findings");
    for (int k = 0; k < STI_CLASS_COUNT; k++) put_finding(j, c, (sti_class)k, &classes->finding[k], classes->n);
    cli_json_end(j);
    cli_json_number(j, "min_eigenvalue", classes->min_eigenvalue);
    cli_json_number(j, "max_eigenvalue", classes->max_eigenvalue);
    if (classes->simplex_argmin == NULL) {
        cli_json_null(j, "simplex_minimum");
        return;
    }
    cli_json_object(j, "simplex_minimum");
    cli_json_number(j, "value", classes->simplex_min);
    cli_json_numbers(j, "x", classes->simplex_argmin, n);
    cli_json_rational(j, c, "value_exact", classes->simplex_min_exact, 0);
    cli_json_rationals(j, c, "x_exact", classes->simplex_argmin_exact, 0, n);
    cli_json_end(j);
}

static void put_homogeneous(cli_json* j, const cli* c, const sti_homogeneous_test* t, int n) {
    cli_json_object(j, "theorem_1_2_8");
    cli_json_verdict(j, "trivial", t->trivial);
    cli_json_verdict(j, "implication", t->implication);
    cli_json_number(j, "min_qv", t->min_qv);
    cli_json_numbers(j, "v", t->v, (size_t)n);
    cli_json_rationals(j, c, "v_exact", t->v_exact, 0, (size_t)n);
    cli_json_verdict(j, "solvable", t->solvable);
    cli_json_text(j, "how", t->how);
    cli_json_end(j);
}

static void put_structure(cli_json* j, const sti_mlcp_structure* t) {
    cli_json_object(j, "theorem_1_2_10");
    cli_json_verdict(j, "matches", t->matches);
    cli_json_indices(j, "x", t->x, (size_t)t->x_count);
    cli_json_indices(j, "y", t->y, (size_t)t->y_count);
    cli_json_verdict(j, "Q_positive_definite", t->Q_positive_definite);
    cli_json_verdict(j, "N_copositive", t->N_copositive);
    cli_json_verdict(j, "b_nonnegative", t->matches != STI_YES ? STI_UNDECIDED : t->b_nonnegative ? STI_YES : STI_NO);
    cli_json_count(j, "rank_F", t->rank_F);
    cli_json_verdict(j, "solvable", t->solvable);
    cli_json_text(j, "how", t->how);
    cli_json_end(j);
}

static sti_verdict in_K(const sti_lcp_solution_set* set) {
    return set->piece_count > 0 ? STI_YES : set->complete ? STI_NO : STI_UNDECIDED;
}

static void put_cones(cli_json* j, const sti_lcp_solution_set* set) {
    if (set == NULL) {
        cli_json_null(j, "complementary_cones");
        return;
    }
    cli_json_object(j, "complementary_cones");
    cli_json_verdict(j, "in_K", in_K(set));
    cli_json_bool(j, "complete", set->complete);
    cli_json_integer(j, "count", set->piece_count);
    cli_json_array(j, "cones");
    for (int i = 0; i < set->piece_count; i++) {
        const sti_lcp_piece* piece = &set->pieces[i];
        cli_json_object(j, NULL);
        cli_json_set(j, "alpha", piece->alpha, set->n);
        cli_json_bool(j, "nonsingular", piece->nonsingular);
        cli_json_integer(j, "dimension", piece->dimension);
        cli_json_integer(j, "component", piece->component);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_integer(j, "component_count", set->component_count);
    cli_json_end(j);
}

// All that was learned: the cones tell, where they were searched; otherwise the theorems.
static sti_verdict is_solvable(const report* r) {
    if (r->cones != NULL && in_K(r->cones) != STI_UNDECIDED) return in_K(r->cones);
    if (r->structure != NULL) return r->structure->solvable;
    return r->homogeneous != NULL ? r->homogeneous->solvable : STI_UNDECIDED;
}

static int print_json(const cli* c, const report* r) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", sti_kind_text(r->kind));
    cli_json_integer(&j, "n", r->avi != NULL ? r->avi->n : r->lcp != NULL ? r->lcp->n : r->mlcp->n);
    if (r->mlcp != NULL) cli_json_integer(&j, "m", r->mlcp->m);
    cli_json_verdict(&j, "solvable", is_solvable(r));
    if (r->structure != NULL) {
        cli_json_count(&j, "rank_A", r->structure->rank_A);
        put_structure(&j, r->structure);
    }
    cli_json_text(&j, "classes_of", r->lcp != NULL || r->avi != NULL ? "M" : "B");
    put_classes(&j, c, r->classes);
    if (r->homogeneous != NULL) put_homogeneous(&j, c, r->homogeneous, r->lcp->n);
    put_cones(&j, r->cones);
    if (r->lcp != NULL) cli_cones_put(&j, c, &r->covering);
    cli_json_bool(&j, "time_limit_reached", cli_limit_reached());
    return cli_json_print(&j, c, cli_limit_reached() ? CLI_NO : CLI_DONE);
}

// ---- summary

static void say_verdict(const cli* c, const char* name, sti_verdict verdict, bool exact) {
    const char* color = verdict == STI_YES ? cli_good(c) : verdict == STI_NO ? cli_bad(c) : cli_unsure(c);
    const char* word = verdict == STI_YES ? (exact ? "yes" : "yes, up to rounding") : verdict == STI_NO ? "no" : "open";
    cli_say(c, "  %-22s %s%-5s%s ", name, color, word, cli_plain(c));
}

// A long vector by its entries other than zero, when these are few: "([3] 1, [17] -2/3, else 0)".
static bool say_few(const cli* c, char* text, size_t size, const double* x, const sti_rationals* exact, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) count += x[i] != 0;
    if (n <= SHOWN_ENTRIES || count > SHOWN_ENTRIES / 2) return false;
    size_t at = 0;
    for (int i = 0; i < n && at < size; i++) {
        char value[40];
        if (x[i] == 0) continue;
        if (exact != NULL)
            cli_text_rationals(c, value, sizeof value, exact, (size_t)i, 1, 1);
        else
            cli_text_numbers(value, sizeof value, x + i, 1, 1);
        value[strlen(value) - 1] = '\0';  // without the parentheses
        at += (size_t)snprintf(text + at, size - at, "%s[%d] %s", at > 0 ? ", " : "(", i, value + 1);
    }
    if (at < size) snprintf(text + at, size - at, ", else 0)");
    return true;
}

static void say_vector(const cli* c, char* text, size_t size, const double* x, const sti_rationals* exact, int n) {
    if (say_few(c, text, size, x, exact, n)) return;
    if (exact != NULL)
        cli_text_rationals(c, text, size, exact, 0, n, SHOWN_ENTRIES);
    else
        cli_text_numbers(text, size, x, n, SHOWN_ENTRIES);
}

static void say_finding(const cli* c, sti_class which, const sti_class_finding* f, int n) {
    char name[40], text[300];
    snprintf(name, sizeof name, "%s", sti_class_text(which));
    for (char* p = name; *p != '\0'; p++) *p = *p == '_' ? ' ' : *p;
    say_verdict(c, name, f->verdict, f->exact);
    if (f->verdict != STI_NO) {
        cli_say(c, "%s\n", f->how);
    } else if (f->row >= 0) {
        cli_say(c, "entry (%d, %d) is %.7g\n", f->row, f->col, f->value);
    } else if (f->index != NULL) {
        cli_text_indices(text, sizeof text, f->index, f->size, 2 * SHOWN_ENTRIES);
        cli_say(c, "the minor of %s is %.7g\n", text, f->value);
    } else {
        say_vector(c, text, sizeof text, f->x, f->x_exact, n);
        cli_say(c, "x = %s has %s%.7g\n", text,
                which == STI_CLASS_COLUMN_SUFFICIENT ? "no x_i(Mx)_i > 0, and x'Mx = " : "x'Mx = ", f->value);
    }
}

static void say_classes(const cli* c, const sti_classes* classes) {
    char text[300], value[80];
    for (int k = 0; k < STI_CLASS_COUNT; k++) say_finding(c, (sti_class)k, &classes->finding[k], classes->n);
    if (!isnan(classes->min_eigenvalue))
        cli_say(c, "  eigenvalues of the symmetric part: %.7g to %.7g\n", classes->min_eigenvalue,
                classes->max_eigenvalue);
    if (classes->simplex_argmin == NULL) return;
    say_vector(c, text, sizeof text, classes->simplex_argmin, classes->simplex_argmin_exact, classes->n);
    cli_text_rationals(c, value, sizeof value, classes->simplex_min_exact, 0, 1, 1);
    value[strlen(value) - 1] = '\0';  // without the parentheses
    cli_say(c, "  min x'Mx on the simplex: %s at x = %s\n", value + 1, text);
}

static void say_homogeneous(const cli* c, const sti_homogeneous_test* t, int n) {
    char text[300];
    cli_say(c, "  %sexistence by S3 theorem 1.2.8%s: %s\n", cli_strong(c), cli_plain(c), t->how);
    if (t->v == NULL) return;
    say_vector(c, text, sizeof text, t->v, t->v_exact, n);
    if (isnan(t->min_qv))
        cli_say(c, "    v = %s\n", text);
    else
        cli_say(c, "    least q'v is %.7g at v = %s\n", t->min_qv, text);
}

static void say_structure(const cli* c, const sti_mlcp_structure* t) {
    char text[200];
    if (t->rank_A >= 0) cli_say(c, "  rank of A: %d\n", t->rank_A);
    cli_say(c, "  %sblocks of S3 theorem 1.2.10%s: %s\n", cli_strong(c), cli_plain(c), t->how);
    if (t->matches != STI_YES) return;
    cli_text_indices(text, sizeof text, t->x, t->x_count, 2 * SHOWN_ENTRIES);
    cli_say(c, "    x = %s", text);
    cli_text_indices(text, sizeof text, t->y, t->y_count, 2 * SHOWN_ENTRIES);
    cli_say(c, ", y = %s", text);
    if (t->rank_F >= 0) cli_say(c, ", rank of F: %d", t->rank_F);
    cli_say(c, "\n");
}

static void say_cones(const cli* c, const sti_lcp_solution_set* set, const char* q) {
    char text[200];
    if (set == NULL) return;
    const sti_verdict verdict = in_K(set);
    const char* color = verdict == STI_YES ? cli_good(c) : verdict == STI_NO ? cli_bad(c) : cli_unsure(c);
    if (verdict == STI_YES)
        cli_say(c, "  %s is in %s%s%d complementary cone%s%s\n", q, color, set->complete ? "" : "at least ",
                set->piece_count, set->piece_count == 1 ? "" : "s", cli_plain(c));
    else if (verdict == STI_NO)
        cli_say(c, "  %s is in %sno complementary cone%s: there is no solution\n", q, color, cli_plain(c));
    else
        cli_say(c, "  %scomplementary cones%s: the search was stopped\n", color, cli_plain(c));
    for (int i = 0; i < set->piece_count && i < SHOWN_CONES; i++) {
        const sti_lcp_piece* piece = &set->pieces[i];
        int in[MOST_PAIRS], count = 0;
        for (int k = 0; k < set->n; k++) {
            if (piece->alpha[k] != 0) in[count++] = k;
        }
        cli_text_indices(text, sizeof text, in, count, MOST_PAIRS);
        cli_say(c, "    alpha = %-12s %s\n", text, piece->nonsingular ? "a basis" : "singular");
    }
    if (set->piece_count > SHOWN_CONES)
        cli_say(c, "    ... and %d more (--json lists all)\n", set->piece_count - SHOWN_CONES);
}

static void say(const cli* c, const cli_inspect_request* q, const report* r) {
    if (r->lcp != NULL)
        cli_say(c, "%s: lcp, %d pairs\n", q->path, r->lcp->n);
    else if (r->avi != NULL)
        cli_say(c, "%s: %s, %d unknowns, %d inequalities, %d equations\n", q->path, sti_kind_text(r->kind), r->avi->n,
                r->mlcp->m, r->avi->k);
    else
        cli_say(c, "%s: mlcp, %d free variables, %d pairs\n", q->path, r->mlcp->n, r->mlcp->m);
    if (r->structure != NULL) say_structure(c, r->structure);
    if (r->mlcp != NULL && r->avi == NULL) cli_say(c, "  the block B, M below:\n");
    say_classes(c, r->classes);
    if (r->homogeneous != NULL) say_homogeneous(c, r->homogeneous, r->lcp->n);
    say_cones(c, r->cones, r->lcp != NULL ? "q" : "(a, b)");
    cli_cones_say(c, &r->covering);
    if (cli_limit_reached())
        cli_say(c, "  %sthe time limit was reached%s: what is open may be decided with more than %g s\n", cli_unsure(c),
                cli_plain(c), c->time_limit);
}

// ---- work

// Exact entries of the block B, row major; *out stays NULL when the problem has none.
static sti_status exact_block(const cli* c, const sti_mlcp* p, sti_rationals** out) {
    *out = NULL;
    if (p->matrix_exact == NULL) return STI_OK;
    const size_t n = (size_t)p->n, m = (size_t)p->m;
    sti_status status = sti_rationals_create(c->env, m * m, out);
    for (size_t k = 0; k < m * m && status == STI_OK; k++) {
        char* text = NULL;
        status = sti_rationals_text(p->matrix_exact, (n + k / m) * (n + m) + n + k % m, &text);
        if (status == STI_OK) status = sti_rationals_set_text(*out, k, text);
        sti_env_free(c->env, text);
    }
    return status;
}

static sti_status inspect_mlcp(const cli* c, const sti_classes_options* options, report* r) {
    sti_rationals* exact;
    sti_status status = sti_mlcp_structure_create(c->env, r->mlcp, options, &r->structure);
    if (status != STI_OK) return status;
    status = exact_block(c, r->mlcp, &exact);
    if (status == STI_OK) status = sti_classes_create(c->env, &r->mlcp->B, exact, options, &r->classes);
    sti_rationals_destroy(exact);
    return status;
}

static sti_status find_out(const cli* c, const cli_inspect_request* q, report* r) {
    sti_classes_options options = sti_classes_options_default();
    if (q->exact_limit > 0) options.exact_limit = q->exact_limit < 1000 ? (int)q->exact_limit : 1000;
    if (q->work_limit > 0) options.work_limit = q->work_limit;
    const bool mixed = r->mlcp != NULL;
    const int pairs = mixed ? r->mlcp->m : r->lcp->n;
    const double start = cli_now();
    sti_status status = STI_OK;
    if (r->avi != NULL) {
        status = sti_classes_create(c->env, &r->avi->M, r->avi->M_exact, &options, &r->classes);
    } else if (mixed) {
        status = inspect_mlcp(c, &options, r);
    } else {
        status = sti_classes_create(c->env, &r->lcp->M, r->lcp->M_exact, &options, &r->classes);
        if (status == STI_OK) status = sti_homogeneous_test_create(c->env, r->lcp, r->classes, &r->homogeneous);
    }
    if (status == STI_OK && pairs <= MOST_PAIRS && (!mixed || r->mlcp->n <= MOST_FREE)) {
        // a little less than is left, so that it ends by itself with what it has found
        const double left = c->time_limit > 0 ? fmax(0.9 * (c->time_limit - (cli_now() - start)), 1e-3) : 0;
        status = mixed ? sti_mlcp_enumerate(c->env, r->mlcp, q->max_cones, left, &r->cones)
                       : sti_lcp_enumerate(c->env, r->lcp, q->max_cones, left, &r->cones);
        if (status == STI_ERR_TIME) status = STI_OK;  // the rest is worth showing
    }
    if (status == STI_OK && r->lcp != NULL && pairs <= CLI_CONES_USUAL)
        status = cli_cones_find(c, r->lcp, &r->covering);
    return status;
}

int cli_lcp_inspect(const cli* c, const cli_inspect_request* q, const sti_document* document) {
    report r = {.lcp = sti_lcp_of(document),
                .mlcp = sti_mlcp_of(document),
                .avi = sti_avi_of(document),
                .kind = sti_document_kind(document)};
    int code = CLI_DONE;
    sti_avi_mlcp posed = {0};
    if (q->picture != NULL && r.lcp->n != 2 && r.lcp->n != 3)
        return cli_fail_usage(c, "--picture: %.200s: cones of order %d: 2 or 3 is expected", q->path, r.lcp->n);
    if (r.avi != NULL && sti_avi_mlcp_make(c->env, r.avi, &posed) != STI_OK) return cli_fail_about(c, q->path);
    if (r.avi != NULL) r.mlcp = &posed.mlcp;
    if (find_out(c, q, &r) != STI_OK)
        code = cli_fail_about(c, q->path);
    else if (c->json)
        code = print_json(c, &r);
    else
        say(c, q, &r);
    if (code == CLI_DONE && q->picture != NULL) code = cli_cones_picture(c, r.lcp, &r.covering, q->picture);
    if (code == CLI_DONE && cli_limit_reached()) code = CLI_NO;
    sti_classes_destroy(c->env, r.classes);
    sti_homogeneous_test_destroy(c->env, r.homogeneous);
    sti_mlcp_structure_destroy(c->env, r.structure);
    sti_lcp_solution_set_destroy(c->env, r.cones);
    sti_avi_mlcp_clear(c->env, &posed);
    cli_cones_drop(c, &r.covering);
    return code;
}
