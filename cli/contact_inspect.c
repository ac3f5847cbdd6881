// contact_inspect.c: stiction inspect for frictional contact problems: what stands in the data, and what troubles
// solvers.
//
// First what is read off the entries in one pass or two; then what sti_contact_existence_analyze tells: pointedness of
// the friction cone, whether a solution must or can exist, rank of W.
#include <math.h>
#include <stdlib.h>

#include "contact.h"
#include "documents.h"
#include "inspect_instant.h"

// One matrix, in blocks.
typedef struct matrix_facts {
    int rows, cols;
    int block_rows, block_cols;
    int64_t entries;      // stored
    int64_t blocks;       // with at least one entry that is not 0
    double asymmetry;     // |A - A'| / |A|, Frobenius; NAN: not square
    double least, most;   // of the positive traces of diagonal blocks; NAN: none
    int zero_blocks;      // diagonal blocks that are 0
    int negative_blocks;  // diagonal blocks of negative trace
    int pieces;           // parts that no entry joins
} matrix_facts;

typedef struct report {
    const char* path;
    const sti_contact_problem* problem;
    const sti_contact_info* info;
    double mu_least, mu_most;
    int frictionless;
    int shaped;                    // sections that are no discs
    matrix_facts W, M, H, joints;  // joints: V or G
    sti_contact_existence existence;
    bool cone;  // measured; false: too large, or W is no Gram matrix
    sti_friction_cone_margin margin;
    sti_friction_cone_verification check;
} report;

// ---- facts

static int find_root(int* parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// Blocks that are not 0: mark (block rows) holds the last block column that touched a block row.
static int64_t count_blocks(const sti_matrix* A, int block_rows, int block_cols, int* mark) {
    int64_t count = 0;
    for (int i = 0; i < A->rows / block_rows; i++) mark[i] = -1;
    for (int j = 0; j < A->cols; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            if (A->value[k] == 0 || mark[A->row[k] / block_rows] == j / block_cols) continue;
            mark[A->row[k] / block_rows] = j / block_cols;
            count++;
        }
    }
    return count;
}

static int count_pieces(const sti_matrix* A, int d, int* parent) {
    int count = A->rows / d;
    for (int i = 0; i < A->rows / d; i++) parent[i] = i;
    for (int j = 0; j < A->cols; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            if (A->value[k] == 0) continue;
            const int a = find_root(parent, A->row[k] / d), b = find_root(parent, j / d);
            if (a == b) continue;
            parent[a < b ? b : a] = a < b ? a : b;
            count--;
        }
    }
    return count;
}

// An entry without a partner stands for two differences.
static double asymmetry(const sti_matrix* A) {
    double difference = 0, size = 0;
    for (int j = 0; j < A->cols; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            const double x = A->value[k];
            if (x == 0) continue;
            const double y = sti_matrix_get(A, j, A->row[k]);
            difference += (y == 0 ? 2 : 1) * (x - y) * (x - y);
            size += x * x;
        }
    }
    return size > 0 ? sqrt(difference / size) : 0;
}

static void look_at_diagonal(const sti_matrix* A, int d, matrix_facts* f) {
    f->least = INFINITY;
    f->most = -INFINITY;
    for (int c = 0; c < A->rows / d; c++) {
        bool zero = true;
        double trace = 0;
        for (int j = c * d; j < c * d + d; j++) {
            for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
                if (A->row[k] / d == c && A->value[k] != 0) zero = false;
                if (A->row[k] == j) trace += A->value[k];
            }
        }
        f->zero_blocks += zero;
        f->negative_blocks += trace < 0;
        if (trace > 0) {
            f->least = fmin(f->least, trace);
            f->most = fmax(f->most, trace);
        }
    }
    if (f->most < 0) f->least = f->most = NAN;
}

// Files bring their matrices sparse; an empty one has no columns to walk. false: out of memory.
static bool look_at(const sti_matrix* A, int block_rows, int block_cols, bool square, matrix_facts* f) {
    *f = (matrix_facts){.rows = A->rows,
                        .cols = A->cols,
                        .block_rows = block_rows,
                        .block_cols = block_cols,
                        .asymmetry = NAN,
                        .least = NAN,
                        .most = NAN};
    if (!sti_matrix_is_sparse(A)) return true;
    int* work = calloc((size_t)(A->rows / block_rows) + 1, sizeof *work);
    if (work == NULL) return false;
    f->entries = A->col_start[A->cols];
    f->blocks = count_blocks(A, block_rows, block_cols, work);
    if (square) {
        f->asymmetry = asymmetry(A);
        f->pieces = count_pieces(A, block_rows, work);
        look_at_diagonal(A, block_rows, f);
    }
    free(work);
    return true;
}

static bool find_out(report* r) {
    const sti_contact_problem* p = r->problem;
    const int d = p->dimension;
    r->mu_least = p->contact_count > 0 ? INFINITY : NAN;
    r->mu_most = p->contact_count > 0 ? -INFINITY : NAN;
    for (int c = 0; c < p->contact_count; c++) {
        r->mu_least = fmin(r->mu_least, p->mu[c]);
        r->mu_most = fmax(r->mu_most, p->mu[c]);
        r->frictionless += p->mu[c] == 0;
        r->shaped += p->section != NULL && p->section[c].shape != STI_SECTION_DISC;
    }
    if (p->global)
        return look_at(&p->M, 1, 1, true, &r->M) && look_at(&p->H, 1, d, false, &r->H) &&
               look_at(&p->G, 1, 1, false, &r->joints);
    return look_at(&p->W, d, d, true, &r->W) && look_at(&p->V, d, 1, false, &r->joints);
}

// ---- output

// NULL: the form has no such matrix.
static void put_matrix(cli_json* j, const char* key, const matrix_facts* f, bool square) {
    if (f == NULL) {
        cli_json_null(j, key);
        return;
    }
    cli_json_object(j, key);
    cli_json_integer(j, "rows", f->rows);
    cli_json_integer(j, "cols", f->cols);
    cli_json_integer(j, "entries", f->entries);
    cli_json_integer(j, "blocks", f->blocks);
    if (square) {
        cli_json_number(j, "asymmetry", f->asymmetry);
        cli_json_integer(j, "zero_diagonal_blocks", f->zero_blocks);
        cli_json_integer(j, "negative_diagonal_blocks", f->negative_blocks);
        cli_json_number(j, "least_trace", f->least);
        cli_json_number(j, "largest_trace", f->most);
        cli_json_integer(j, "pieces", f->pieces);
    }
    cli_json_end(j);
}

static void put_test(cli_json* j, const char* key, const sti_contact_existence* x, const sti_contact_test* t) {
    cli_json_object(j, key);
    cli_json_text(j, "finding", sti_contact_finding_text(t->finding));
    cli_json_number(j, "margin", t->margin);
    cli_json_number(j, "defect", t->defect);
    const bool holds = t->finding == STI_FINDING_HOLDS, fails = t->finding == STI_FINDING_FAILS;
    cli_json_numbers(j, "motion", holds ? t->motion : NULL, (size_t)x->motion_count);
    cli_json_numbers(j, "r", fails ? t->r : NULL, (size_t)x->dimension * (size_t)x->contact_count);
    cli_json_numbers(j, "lambda", fails ? t->lambda : NULL, (size_t)x->bilateral_count);
    cli_json_end(j);
}

static int cone_dimension(const sti_contact_problem* p) {
    return p->global ? p->velocity_count : p->dimension * p->contact_count + p->bilateral_count;
}

static void put_cone(cli_json* j, const report* r) {
    if (r->cone)
        cli_friction_cone_json(j, &r->margin, cone_dimension(r->problem), r->problem->global ? "euclidean" : "kinetic",
                               r->check.bound_checked);
    else
        cli_json_null(j, "friction_cone");
}

static void put_existence(cli_json* j, const sti_contact_existence* x) {
    cli_json_object(j, "solvability");
    put_test(j, "pointed", x, &x->pointed);
    put_test(j, "strict", x, &x->strict);
    put_test(j, "feasible", x, &x->feasible);
    cli_json_bool(j, "definite", x->definite);
    if (x->exists || x->feasible.finding == STI_FINDING_FAILS)
        cli_json_bool(j, "solution_exists", x->exists);
    else
        cli_json_null(j, "solution_exists");
    cli_json_count(j, "kernel_dimension", x->kernel_dimension);
    cli_json_count(j, "negative_eigenvalues", x->negative_count);
    cli_json_integer(j, "still_contacts", x->still_count);
    cli_json_number(j, "block_ratio", x->block_ratio);
    cli_json_number(j, "mass_ratio", x->mass_ratio);
    cli_json_number(j, "time_s", x->time_s);
    cli_json_end(j);
}

static int print_json(const cli* c, const report* r) {
    const sti_contact_problem* p = r->problem;
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", sti_kind_text(STI_KIND_CONTACT));
    cli_json_text(&j, "form", cli_contact_form(p));
    cli_json_integer(&j, "dimension", p->dimension);
    cli_json_integer(&j, "contact_count", p->contact_count);
    cli_json_integer(&j, "velocity_count", p->global ? p->velocity_count : 0);
    cli_json_integer(&j, "bilateral_count", p->bilateral_count);
    cli_json_object(&j, "mu");
    cli_json_number(&j, "least", r->mu_least);
    cli_json_number(&j, "largest", r->mu_most);
    cli_json_integer(&j, "frictionless", r->frictionless);
    cli_json_integer(&j, "sections", r->shaped);
    cli_json_end(&j);
    const bool joints = p->bilateral_count > 0;
    put_matrix(&j, "M", p->global ? &r->M : NULL, true);
    put_matrix(&j, "H", p->global ? &r->H : NULL, false);
    put_matrix(&j, "G", p->global && joints ? &r->joints : NULL, false);
    put_matrix(&j, "W", p->global ? NULL : &r->W, true);
    put_matrix(&j, "V", !p->global && joints ? &r->joints : NULL, false);
    put_existence(&j, &r->existence);
    put_cone(&j, r);
    cli_json_integer(&j, "guesses", r->info->guess_count);
    cli_json_text(&j, "title", r->info->title);
    cli_json_text(&j, "description", r->info->description);
    cli_json_text(&j, "math_info", r->info->math_info);
    return cli_json_print(&j, c, CLI_DONE);
}

static void say_matrix(const cli* c, const char* name, const matrix_facts* f) {
    const double size = (double)f->rows * f->cols;
    cli_say(c, "  %s: %d x %d, %lld entries stored (%.3g %%), ", name, f->rows, f->cols, (long long)f->entries,
            size > 0 ? 100 * (double)f->entries / size : 0);
    if (f->block_rows * f->block_cols > 1)
        cli_say(c, "%lld blocks of %d x %d not zero\n", (long long)f->blocks, f->block_rows, f->block_cols);
    else
        cli_say(c, "%lld not zero\n", (long long)f->blocks);
}

static void say_square(const cli* c, const char* name, const char* unit, const matrix_facts* f) {
    say_matrix(c, name, f);
    cli_say(c, "    asymmetry |%s - %s'| / |%s| %.2e%s\n", name, name, name, f->asymmetry,
            f->asymmetry > 1e-10 ? ": more than rounding" : "");
    cli_say(c, "    %d piece%s that no entry joins\n", f->pieces, f->pieces == 1 ? "" : "s");
    if (f->least > 0) cli_say(c, "    %s from %.3g to %.3g, ratio %.2e\n", unit, f->least, f->most, f->most / f->least);
    if (f->zero_blocks > 0)
        cli_say(c, "    %s%d of them zero%s: %s is singular or indefinite there\n", cli_unsure(c), f->zero_blocks,
                cli_plain(c), name);
    if (f->negative_blocks > 0)
        cli_say(c, "    %s%d of them negative%s: %s is not positive semidefinite\n", cli_bad(c), f->negative_blocks,
                cli_plain(c), name);
}

// Text from a file, on one line.
static void say_text(const cli* c, const char* name, const char* text) {
    if (text == NULL || text[0] == '\0') return;
    cli_say(c, "  %s: ", name);
    for (const char* p = text; *p != '\0'; p++) {
        const unsigned char byte = (unsigned char)*p;
        cli_say(c, "%c", byte < 0x20 || byte == 0x7f ? ' ' : byte);
    }
    cli_say(c, "\n");
}

static void say_rank(const cli* c, const sti_contact_existence* x) {
    const int n = x->dimension * x->contact_count;
    if (x->kernel_dimension > 0)
        cli_say(c, "  rank of W %d of %d: %d directions of r move nothing\n", n - x->kernel_dimension, n,
                x->kernel_dimension);
    else if (x->kernel_dimension == 0 && n > 0)
        cli_say(c, "  rank of W %d: every direction of r moves something\n", n);
    if (x->negative_count > 0)
        cli_say(c, "    %s%d negative eigenvalue%s%s: W is not positive semidefinite\n", cli_bad(c), x->negative_count,
                x->negative_count == 1 ? "" : "s", cli_plain(c));
}

static void say_finding(const cli* c, const sti_contact_test* t, const char* name, const char* holds,
                        const char* fails) {
    cli_say(c, "    %s: ", name);
    if (t->finding == STI_FINDING_HOLDS && isfinite(t->margin))
        cli_say(c, "%s%s%s, margin %.2e\n", cli_good(c), holds, cli_plain(c), t->margin);
    else if (t->finding == STI_FINDING_HOLDS)
        cli_say(c, "%s%s%s\n", cli_good(c), holds, cli_plain(c));
    else if (t->finding == STI_FINDING_FAILS)
        cli_say(c, "%s%s%s: short by %.2e; the forces that show it are in balance to %.0e\n", cli_bad(c), fails,
                cli_plain(c), t->margin > 0 ? t->margin : 0, t->defect);
    else
        cli_say(c, "%s%s%s\n", cli_unsure(c),
                t->finding == STI_FINDING_NOT_TESTED ? "not tested: too large" : "not settled", cli_plain(c));
}

static void say_existence(const cli* c, const sti_contact_existence* x) {
    if (x->contact_count == 0) return;
    say_rank(c, x);
    cli_say(c, "  solvability\n");
    say_finding(c, &x->pointed, "friction cone", "pointed", "not pointed, forces in it move nothing");
    say_finding(c, &x->strict, "a motion with u inside the dual cones", "exists", "does not exist");
    say_finding(c, &x->feasible, "a motion with u_n >= 0", "exists", "does not exist");
    if (x->exists)
        cli_say(c, "    so there is a solution\n");
    else if (x->feasible.finding == STI_FINDING_FAILS)
        cli_say(c, "    so there is no solution, whatever the friction\n");
    else if (x->strict.finding == STI_FINDING_HOLDS)
        cli_say(c, "    a solution would follow if %s\n",
                x->mass_ratio > 0 ? "M were symmetric and positive definite"
                                  : "W were symmetric and positive semidefinite");
    else
        cli_say(c, "    whether there is a solution stays open\n");
}

static void say_cone(const cli* c, const report* r) {
    const sti_friction_cone_margin* m = &r->margin;
    if (!r->cone || !m->pointed) return;
    if (m->all_faces)
        cli_say(c, "  c_FC = %.9g", m->c);
    else
        cli_say(c, "  c_FC between %.6g and %.6g", m->c, m->bound);
    cli_say(c, ", friction along %d directions, %s metric\n", 2 * (r->problem->dimension - 1),
            r->problem->global ? "Euclidean" : "kinetic");
}

static void say(const cli* c, const report* r) {
    const sti_contact_problem* p = r->problem;
    cli_say(c, "%s: contact, %s form, dimension %d, %d contact%s", r->path, cli_contact_form(p), p->dimension,
            p->contact_count, p->contact_count == 1 ? "" : "s");
    if (p->global) cli_say(c, ", %d velocities", p->velocity_count);
    cli_say(c, ", %d bilateral row%s\n", p->bilateral_count, p->bilateral_count == 1 ? "" : "s");
    say_text(c, "title", r->info->title);
    say_text(c, "description", r->info->description);
    say_text(c, "known", r->info->math_info);
    if (p->contact_count > 0) {
        cli_say(c, "  mu from %.4g to %.4g", r->mu_least, r->mu_most);
        if (r->frictionless > 0) cli_say(c, ", %d without friction", r->frictionless);
        if (r->shaped > 0) cli_say(c, ", %d not in discs but ellipses or polygons", r->shaped);
        cli_say(c, "\n");
    }
    if (p->global) {
        say_square(c, "M", "diagonal entries", &r->M);
        say_matrix(c, "H", &r->H);
        const int unknowns = p->dimension * p->contact_count;
        if (unknowns > p->velocity_count)
            cli_say(c, "    %d numbers in r for %d velocities: at least %d directions of r move nothing\n", unknowns,
                    p->velocity_count, unknowns - p->velocity_count);
    } else {
        say_square(c, "W", "traces of diagonal blocks", &r->W);
    }
    if (p->bilateral_count > 0) say_matrix(c, p->global ? "G" : "V", &r->joints);
    say_existence(c, &r->existence);
    say_cone(c, r);
    cli_say(c, "  %d guess%s in the file\n", r->info->guess_count, r->info->guess_count == 1 ? "" : "es");
}

// Small problems in discs only; a W that is no Gram matrix has no cone.
static int measure_cone(const cli* c, report* r) {
    enum { MOST_CONTACTS = 60, MOST_ROWS = 300, WORK_LIMIT = 200000 };
    const sti_contact_problem* p = r->problem;
    const int rows = cone_dimension(p);
    sti_friction_cone* cone = NULL;
    if (p->contact_count < 1 || p->contact_count > MOST_CONTACTS || rows > MOST_ROWS || p->dimension > 3 ||
        r->shaped > 0)
        return CLI_DONE;  // and the measure is of discs
    sti_status status = sti_friction_cone_create_contact(c->env, p, &cone);
    if (status == STI_ERR_INPUT || status == STI_ERR_SIZE) return CLI_DONE;
    if (status == STI_OK) status = sti_friction_cone_measure(c->env, cone, &r->margin);
    if (status == STI_OK) status = sti_verify_friction_cone(c->env, cone, &r->margin, WORK_LIMIT, &r->check);
    r->cone = status == STI_OK && r->check.accepted;  // what does not pass its check is not told
    sti_friction_cone_destroy(c->env, cone);
    return status == STI_OK || status == STI_ERR_TIME ? CLI_DONE : cli_fail_about(c, r->path);
}

int cli_contact_inspect(const cli* c, const cli_inspect_request* q, const sti_document* document) {
    const sti_contact_problem* p = sti_contact_problem_of(document);
    report r = {.path = q->path, .problem = p, .info = sti_contact_info_of(document)};
    if (!find_out(&r)) return cli_fail_memory(c);
    if (sti_contact_existence_analyze(c->env, p, q->time_limit, &r.existence) != STI_OK)
        return cli_fail_about(c, q->path);
    int code = measure_cone(c, &r);
    if (code == CLI_DONE && c->json)
        code = print_json(c, &r);
    else if (code == CLI_DONE)
        say(c, &r);
    sti_friction_cone_margin_clear(c->env, &r.margin);
    sti_contact_existence_clear(c->env, &r.existence);
    return code;
}
