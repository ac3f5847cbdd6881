// existence.c: can the problem have a solution? Three tests, each a convex program with a witness or a dual vector.
//
// Motions x and their velocities u = C_u x + w, 0 = C_b x + b are those of motion.h. The program
//
//     max t    subject to    u - t e n in K*,   0 = C_b x + b,   t <= 1
//         (P)
//
// (e > 0 the unit of each contact, see sti_motion) has t > 0 at its optimum exactly when some motion has u in the
// interior of K*. Its dual vectors are forces r in K, lambda with
//
//     C_u'r + C_b'lambda = 0,     sum e r_n = 1,     r'w + lambda'b = t
//         (D)
//
// and t <= 0 there proves the contrary: r'u = t <= 0 for every motion, while r'u > 0 for u inside K* and r != 0.
//
//     pointed    (P) with w = 0, b = 0. Holds: no r in K but 0 moves nothing, for r'u = 0 would contradict r'u > 0
//                (Gordan's
//                alternative for cones). Otherwise (D) is such an r: the contacts can be wedged. A pointed problem
//                passes the next test for every w.
//     strict     (P). w in the image of H' plus the interior of K*: with M positive definite a solution exists. Acary,
//                Cadoux,
//                Lemarechal & Malick, "A formulation of the linear discrete Coulomb friction problem via convex
//                optimization", ZAMM 2011: with the slips s_c given, u + mu s n in K* makes a strictly convex program
//                in v whose feasible set contains that of s = 0, so that v depends continuously on s and stays bounded,
//                and s -> |u_t| has a fixed point (Brouwer). Bilateral rows that can be obeyed restrict v to an affine
//                subspace and change nothing. In the local form W = B'B, M = I, H = B: any symmetric semidefinite W
//                will do, and the image of H' is that of W.
//     feasible   (P) with mu = 0: a motion with u_n >= 0. A solution is one. K* of the friction cone is not asked for:
//                the
//                term mu |u_t| n lifts every u with u_n >= 0 into it. A dual vector with t < 0 proves that there is
//                none.
//
// "Strict" is sufficient, "feasible" necessary, and neither is both: a wedge with mu beyond its angle and w that pushes
// it fails the first and passes the second. What lies between is left open.
//
// Every finding is checked on the original data with a bound on rounding; (P) only proposes. So the tolerances of the
// program cannot make a finding wrong, only leave one `unknown`. Cost: one to three conic programs of nx + 1 variables
// and n + nb rows, and for the rank of W one symbolic and two numerical factorizations. Problems with more than
// MOST_CONTACTS contacts, or more than MOST_ENTRIES entries in C, are not tested.
#include "contact/existence.h"

#include <math.h>
#include <stiction/conic.h>
#include <string.h>

#include "base/arena.h"
#include "contact/entries.h"
#include "contact/inertia.h"
#include "contact/motion.h"
#include "contact/posed.h"
#include "contact/stretch.h"

enum { MOST_CONTACTS = 10000, MOST_ENTRIES = 4000000 };

static const double clear_margin = 1e-8;  // of u, relative: less is not told apart from the border
static const double obeyed = 1e-9;        // defects, relative
static const double far_beyond = 1e7;     // a bound this many times the motions in the data excludes a solution

// PART: pointed without friction, a motion that opens every contact. Then one with u_n >= 0 exists for any w.
typedef enum question { POINTED, STRICT, FEASIBLE, PART } question;

static bool with_data(question ask) {
    return ask == STRICT || ask == FEASIBLE;
}

static bool with_friction(question ask) {
    return ask == POINTED || ask == STRICT;
}

const char* sti_contact_finding_text(sti_contact_finding finding) {
    switch (finding) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_CONTACT_FINDING_LIST(STI_X)
#undef STI_X
        default:
            return "?";
    }
}

static void clear_test(sti_env* env, sti_contact_test* t) {
    sti_free(env, t->motion);
    sti_free(env, t->r);
    sti_free(env, t->lambda);
    *t = (sti_contact_test){0};
}

void sti_contact_existence_clear(sti_env* env, sti_contact_existence* x) {
    clear_test(env, &x->pointed);
    clear_test(env, &x->strict);
    clear_test(env, &x->feasible);
    *x = (sti_contact_existence){0};
}

// --- the program ---------------------------------------------------------------------------------------------------

typedef struct program {
    sti_arena memory;
    const sti_motion* m;
    question ask;
    sti_conic conic;
    int* place;       // first row of each contact in A                        (nc)
    int* cone_size;   // (cone_count)
    double* c;        // (nx + 1)
    double* b;        // (rows)
    double* stretch;  // of the rows of a contact: 1 / max(1, mu)               (nc)
} program;

static void drop_program(sti_env* env, program* k) {
    sti_arena_clear(&k->memory);
    sti_matrix_clear(env, &k->conic.A);
}

static bool rubs(const program* k, int c) {
    return with_friction(k->ask) && k->m->mu[c] > 0;
}

// Rows: bilateral, t <= 1, contacts without friction, contacts with it.
static void place_rows(program* k) {
    const sti_motion* m = k->m;
    int row = m->nb + 1, cones = 0;
    for (int c = 0; c < m->nc; c++) {
        k->stretch[c] = rubs(k, c) ? 1 / fmax(1, m->mu[c]) : 1;
        if (!rubs(k, c)) k->place[c] = row++;
    }
    k->conic.nonnegative = row - m->nb;
    for (int c = 0; c < m->nc; c++) {
        if (!rubs(k, c)) continue;
        k->place[c] = row;
        row += m->d;
        k->cone_size[cones++] = m->d;
    }
    k->conic.zero = m->nb;
    k->conic.cone_count = cones;
    k->conic.cone_size = k->cone_size;
    k->conic.m = row;
    k->conic.n = m->nx + 1;
}

// Row of A for row i of C, and its factor; -1: the row does not take part.
static int row_of(const program* k, int i, double* factor) {
    const sti_motion* m = k->m;
    *factor = m->weight[i];
    if (i >= m->n) return i - m->n;
    const int c = i / m->d, t = i % m->d;
    if (!rubs(k, c)) return t == 0 ? k->place[c] : -1;
    *factor *= k->stretch[c] * (t == 0 ? 1 : m->mu[c]);
    return k->place[c] + t;
}

static sti_status build(sti_env* env, const sti_motion* m, question ask, program* k) {
    *k = (program){.m = m, .ask = ask};
    k->memory = sti_arena_make(env);
    k->place = sti_arena_raw(&k->memory, (size_t)m->nc, sizeof *k->place);
    k->cone_size = sti_arena_raw(&k->memory, (size_t)m->nc, sizeof *k->cone_size);
    k->stretch = sti_arena_raw(&k->memory, (size_t)m->nc, sizeof *k->stretch);
    k->c = sti_arena_take(&k->memory, (size_t)m->nx + 1, sizeof *k->c);
    k->b = sti_arena_take(&k->memory, (size_t)(m->n + m->nb) + 1, sizeof *k->b);
    if (k->memory.status != STI_OK) return k->memory.status;
    place_rows(k);
    sti_entries e = {.env = env};
    double factor;
    for (int j = 0; j < m->nx; j++) {
        for (int64_t at = m->C.col_start[j]; at < m->C.col_start[j + 1]; at++) {
            const int row = row_of(k, m->C.row[at], &factor);
            // s = u - t e n, so A has -u; a bilateral row keeps its sign
            const double sign = m->C.row[at] < m->n ? -1 : 1;
            if (row >= 0) sti_entries_add(&e, row, j, sign * factor * m->C.value[at] * m->step[j]);
        }
    }
    sti_entries_add(&e, m->nb, m->nx, 1);
    for (int c = 0; c < m->nc; c++) sti_entries_add(&e, k->place[c], m->nx, k->stretch[c]);
    for (int i = 0; i < m->n + m->nb && with_data(ask); i++) {
        const int row = row_of(k, i, &factor);
        if (row >= 0) k->b[row] = factor * (i < m->n ? m->w[i] : -m->b[i - m->n]) / m->unit;
    }
    k->b[m->nb] = 1;
    k->c[m->nx] = -1;
    k->conic.c = k->c;
    k->conic.b = k->b;
    return sti_entries_finish(&e, k->conic.m, k->conic.n, &k->conic.A);
}

// --- judging what it proposes --------------------------------------------------------------------------------------

// x (nx), in the units of the problem: is it a witness? test->motion then takes a copy.
static sti_status try_motion(sti_env* env, const sti_motion* m, question ask, const double* x, sti_contact_test* test) {
    double* sum = sti_alloc_array(env, 2 * (size_t)(m->n + m->nb), sizeof *sum);
    if (sum == NULL) return STI_ERR_MEMORY;
    const sti_motion_check check = sti_motion_judge(m, x, with_data(ask), with_friction(ask), sum);
    sti_free(env, sum);
    const double size = fmax(check.size, with_data(ask) ? m->unit : 0);
    // u_n >= 0 is asked up to rounding and a part of the least velocity given, the interior of K* clearly
    const bool inside =
        ask == FEASIBLE ? check.normal >= -obeyed * m->least : check.margin > clear_margin * size + check.rounding;
    const bool joined = check.defect <= obeyed * size + check.rounding &&
                        (ask == FEASIBLE || m->nb == 0 || check.defect <= 1e-3 * check.margin);
    if (m->nc > 0 && !(size > 0 || ask == FEASIBLE)) return STI_OK;
    if (!inside || !joined) return STI_OK;
    test->motion = sti_alloc_array(env, (size_t)m->nx, sizeof *test->motion);
    if (test->motion == NULL) return STI_ERR_MEMORY;
    if (m->nx > 0) memcpy(test->motion, x, (size_t)m->nx * sizeof *x);
    test->finding = STI_FINDING_HOLDS;
    test->margin = m->nc == 0 ? INFINITY : size > 0 ? check.margin / size : 0;
    test->defect = size > 0 ? check.defect / size : 0;
    return STI_OK;
}

// Multiples of 1/grid instead of the numbers themselves: what was an integer ratio before rounding becomes one again.
static void snap(double* to, const double* from, int n, double unit, double grid) {
    for (int i = 0; i < n; i++) to[i] = round(from[i] / unit * grid) / grid;
}

// Farkas vectors are often small integers in disguise: of several roundings the one with the farthest bound.
static sti_status sharpen(sti_env* env, const sti_motion* m, sti_contact_test* test) {
    double* trial = sti_alloc_array_zero(env, (size_t)(m->n + m->nb), sizeof *trial);
    if (trial == NULL) return STI_ERR_MEMORY;
    double largest = 0, best = sti_motion_judge_force(m, test->r, test->lambda).bound;
    for (int i = 0; i < m->n; i++) largest = fmax(largest, fabs(test->r[i]));
    for (int k = 0; k < m->nb; k++) largest = fmax(largest, fabs(test->lambda[k]));
    for (int grid = 1; grid <= 1 << 20 && largest > 0; grid = grid < 16 ? grid + 1 : 2 * grid) {
        snap(trial, test->r, m->n, largest, grid);
        snap(trial + m->n, test->lambda, m->nb, largest, grid);
        const double bound = sti_motion_judge_force(m, trial, trial + m->n).bound;
        if (!(bound > best)) continue;
        best = bound;
        memcpy(test->r, trial, (size_t)m->n * sizeof *trial);
        if (m->nb > 0) memcpy(test->lambda, trial + m->n, (size_t)m->nb * sizeof *trial);
        largest = 1;
    }
    sti_free(env, trial);
    return STI_OK;
}

// Dual vectors y of (P) as forces (r, lambda); do they prove the contrary?
static sti_status try_force(sti_env* env, const program* k, const double* y, sti_contact_test* test) {
    const sti_motion* m = k->m;
    test->r = sti_alloc_array_zero(env, (size_t)m->n, sizeof *test->r);
    test->lambda = sti_alloc_array_zero(env, (size_t)m->nb, sizeof *test->lambda);
    if (test->r == NULL || test->lambda == NULL) return STI_ERR_MEMORY;
    double largest = 0;  // in the units of the program, where contacts are alike
    for (int j = 0; j < k->conic.m; j++) largest = fmax(largest, j == m->nb ? 0 : fabs(y[j]));
    for (int i = 0; i < m->n; i++) {
        double factor;
        const int row = row_of(k, i, &factor);
        if (row >= 0) test->r[i] = factor * y[row];
    }
    for (int j = 0; j < m->nb; j++) test->lambda[j] = -m->weight[m->n + j] * y[j];
    // into K, which rounding may have left, and what is nothing but rounding to 0
    for (int c = 0; c < m->nc; c++) {
        double* r = test->r + (size_t)m->d * (size_t)c;
        if (y[k->place[c]] <= 1e-12 * largest) r[0] = 0;
        sti_coulomb_project(m->d, with_friction(k->ask) ? m->mu[c] : 0, r, r);
    }
    if (k->ask == FEASIBLE) {
        const sti_status status = sharpen(env, m, test);
        if (status != STI_OK) return status;
    }
    const sti_force_check check = sti_motion_judge_force(m, test->r, test->lambda);
    double e = 0;  // sum of r_n over the weights: the unit of work
    for (int i = 0; i < m->n; i += m->d) e += test->r[i] / m->weight[i];
    for (int j = 0; j < m->nb; j++) e += fabs(test->lambda[j]) / m->weight[m->n + j];
    if (!(e > 0)) return STI_OK;
    test->defect = check.defect / fmax(check.size, e);
    test->margin = !with_data(k->ask) ? 0 : -check.work / (e * m->unit);
    test->bound = k->ask == FEASIBLE ? check.bound : NAN;
    bool proved = test->defect <= 10 * obeyed;
    if (k->ask == STRICT) proved = proved && check.work <= 10 * clear_margin * e * m->unit;
    if (k->ask == FEASIBLE) proved = check.bound > far_beyond * m->reach || check.paces > far_beyond * m->pace;
    if (proved) test->finding = STI_FINDING_FAILS;
    return STI_OK;
}

static void keep_what_counts(sti_env* env, sti_contact_test* test) {
    if (test->finding == STI_FINDING_FAILS) return;
    sti_free(env, test->r);
    sti_free(env, test->lambda);
    test->r = test->lambda = NULL;
    test->bound = NAN;
    if (test->finding != STI_FINDING_HOLDS) test->margin = test->defect = NAN;
}

static sti_status ask_program(sti_env* env, const sti_motion* m, question ask, double time_limit_s,
                              sti_contact_test* test) {
    program k;
    sti_conic_answer a = {0};
    sti_conic_options options = sti_conic_options_default();
    options.tol = 1e-10;
    options.time_limit_s = time_limit_s;
    sti_status status = build(env, m, ask, &k);
    if (status == STI_OK) status = sti_conic_solve(env, &k.conic, &options, &a);
    if (status == STI_OK && a.outcome != STI_CONIC_INFEASIBLE) {
        for (int j = 0; j < m->nx; j++) a.x[j] *= m->step[j] * m->unit;
        status = try_motion(env, m, ask, a.x, test);
    }
    if (status == STI_OK && test->finding != STI_FINDING_HOLDS) status = try_force(env, &k, a.y, test);
    if (status == STI_OK) keep_what_counts(env, test);
    sti_conic_answer_clear(env, &a);
    drop_program(env, &k);
    return status;
}

// --- the three tests -----------------------------------------------------------------------------------------------

// At rest nothing has to be computed: x = 0. For a pointed problem without bilateral rows the pointed motion, fast
// enough, is strict as well.
static sti_status try_easy(sti_env* env, const sti_motion* m, const sti_contact_test* pointed, question ask,
                           sti_contact_test* test) {
    double* x = sti_alloc_array_zero(env, (size_t)m->nx, sizeof *x);
    if (x == NULL) return STI_ERR_MEMORY;
    sti_status status = try_motion(env, m, ask, x, test);
    if (status == STI_OK && test->finding != STI_FINDING_HOLDS && m->nb == 0 && pointed->finding == STI_FINDING_HOLDS) {
        double* sum = sti_alloc_array(env, 2 * (size_t)m->n, sizeof *sum);
        if (sum == NULL) {
            status = STI_ERR_MEMORY;
        } else {
            const sti_motion_check rest = sti_motion_judge(m, x, true, true, sum);
            const sti_motion_check part = sti_motion_judge(m, pointed->motion, false, true, sum);
            const double pace = (m->unit - rest.margin) / part.margin;
            for (int j = 0; j < m->nx; j++) x[j] = pace * pointed->motion[j];
            status = try_motion(env, m, ask, x, test);
        }
        sti_free(env, sum);
    }
    sti_free(env, x);
    return status;
}

static sti_status run_tests(sti_env* env, const sti_motion* m, double deadline, sti_contact_existence* out) {
    sti_contact_test* const tests[] = {&out->pointed, &out->strict, &out->feasible};
    sti_status status = STI_OK;
    for (int ask = POINTED; ask <= FEASIBLE && status == STI_OK; ask++) {
        const double left = isfinite(deadline) ? deadline - sti_clock() : 0;
        if (isfinite(deadline) && left <= 0) break;
        if (ask == FEASIBLE && out->strict.finding == STI_FINDING_HOLDS) {
            status = try_motion(env, m, FEASIBLE, out->strict.motion, &out->feasible);
            if (status != STI_OK || out->feasible.finding == STI_FINDING_HOLDS) break;
        }
        if (ask != POINTED) status = try_easy(env, m, &out->pointed, (question)ask, tests[ask]);
        if (status == STI_OK && tests[ask]->finding != STI_FINDING_HOLDS)
            status = ask_program(env, m, (question)ask, left, tests[ask]);
    }
    return status;
}

// --- facts about the matrices --------------------------------------------------------------------------------------

static bool is_symmetric(const sti_matrix* A) {
    double worst = 0, size = 0;
    for (int j = 0; j < A->cols; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            size = fmax(size, fabs(A->value[k]));
            worst = fmax(worst, fabs(A->value[k] - sti_matrix_get(A, j, A->row[k])));
        }
    }
    return worst <= 1e-10 * size;
}

static sti_status look_at_definiteness(sti_env* env, const sti_contact_problem* p, const sti_motion* m,
                                       sti_contact_existence* out) {
    int negative, zero;
    sti_matrix M = {0};
    sti_status status = STI_OK;
    if (p->global) {
        sti_entries e = {.env = env};
        sti_entries_add_matrix(&e, &p->M, false, 0, 0, 1);
        status = sti_entries_finish(&e, p->velocity_count, p->velocity_count, &M);
    }
    const sti_matrix* A = p->global ? &M : &m->C;
    if (status == STI_OK) status = sti_inertia_count(env, A, &negative, &zero);
    if (status == STI_OK) out->definite = is_symmetric(A) && negative == 0 && (!p->global || zero == 0);
    sti_matrix_clear(env, &M);
    return status;
}

static void look_at_scales(const sti_contact_problem* p, const double* trace, sti_contact_existence* out) {
    double least = INFINITY, most = 0, light = INFINITY, heavy = 0;
    for (int c = 0; c < p->contact_count; c++) {
        if (trace[c] > 0) {
            least = fmin(least, trace[c]);
            most = fmax(most, trace[c]);
        } else {
            out->still_count++;
        }
    }
    for (int i = 0; p->global && i < p->velocity_count; i++) {
        const double mass = sti_matrix_get(&p->M, i, i);
        if (!(mass > 0)) continue;
        light = fmin(light, mass);
        heavy = fmax(heavy, mass);
    }
    out->block_ratio = most > 0 ? most / least : NAN;
    out->mass_ratio = heavy > 0 ? heavy / light : NAN;
}

static sti_status look_at_matrices(sti_env* env, const sti_contact_problem* p, const sti_contact_reduction* red,
                                   sti_contact_existence* out) {
    double* trace = sti_alloc_array(env, (size_t)p->contact_count, sizeof *trace);
    if (trace == NULL) return STI_ERR_MEMORY;
    sti_contact_traces(p, trace);
    look_at_scales(p, trace, out);
    sti_free(env, trace);
    if (red == NULL || red->local.op != NULL || p->contact_count > MOST_CONTACTS) return STI_OK;
    sti_matrix W;
    sti_status status = sti_bsr_restrict(env, &red->local.W, NULL, NULL, &W);
    if (status == STI_OK) status = sti_inertia_count(env, &W, &out->negative_count, &out->kernel_dimension);
    sti_matrix_clear(env, &W);
    return status;
}

static const sti_contact_test not_asked = {
    .finding = STI_FINDING_NOT_TESTED, .margin = NAN, .defect = NAN, .bound = NAN};

static sti_contact_existence start_findings(const sti_contact_problem* p) {
    return (sti_contact_existence){.dimension = p->dimension,
                                   .contact_count = p->contact_count,
                                   .bilateral_count = p->bilateral_count,
                                   .kernel_dimension = -1,
                                   .negative_count = -1,
                                   .pointed = not_asked,
                                   .strict = not_asked,
                                   .feasible = not_asked};
}

sti_status sti_contact_feasibility_find(sti_env* env, const sti_contact_problem* p, double time_limit_s,
                                        sti_contact_existence* out) {
    *out = start_findings(p);
    sti_motion m = {0};
    sti_status status = sti_motion_create(env, p, &m);
    if (status == STI_OK) {
        out->motion_count = m.nx;
        out->feasible.finding = STI_FINDING_UNKNOWN;
        status = try_easy(env, &m, &out->pointed, FEASIBLE, &out->feasible);
    }
    if (status == STI_OK && out->feasible.finding != STI_FINDING_HOLDS && m.nb == 0) {
        sti_contact_test part = not_asked;
        status = ask_program(env, &m, PART, time_limit_s, &part);
        if (status == STI_OK && part.finding == STI_FINDING_HOLDS) out->feasible.finding = STI_FINDING_HOLDS;
        clear_test(env, &part);
    }
    if (status == STI_OK && out->feasible.finding != STI_FINDING_HOLDS)
        status = ask_program(env, &m, FEASIBLE, time_limit_s, &out->feasible);
    sti_motion_clear(&m);
    if (status != STI_OK) sti_contact_existence_clear(env, out);
    return status;
}

sti_status sti_contact_existence_find(sti_env* env, const sti_contact_problem* p, const sti_contact_reduction* red,
                                      double time_limit_s, sti_contact_existence* out) {
    *out = start_findings(p);
    const double start = sti_clock(), deadline = time_limit_s > 0 ? start + time_limit_s : INFINITY;
    sti_motion m = {0};
    sti_status status = look_at_matrices(env, p, time_limit_s >= 0 ? red : NULL, out);
    bool tested = time_limit_s >= 0 && p->contact_count <= MOST_CONTACTS && (p->global || p->W_op == NULL);
    if (status == STI_OK && tested) status = sti_motion_create(env, p, &m);
    tested = tested && status == STI_OK && m.C.col_start[m.nx] <= MOST_ENTRIES;
    if (tested) {
        out->pointed.finding = out->strict.finding = out->feasible.finding = STI_FINDING_UNKNOWN;
        out->motion_count = m.nx;
        status = look_at_definiteness(env, p, &m, out);
        if (status == STI_OK) status = run_tests(env, &m, deadline, out);
    }
    out->exists = out->strict.finding == STI_FINDING_HOLDS && out->definite;
    out->time_s = sti_clock() - start;
    sti_motion_clear(&m);
    if (status != STI_OK) sti_contact_existence_clear(env, out);
    return status;
}

static void forget(sti_env* env, sti_contact_test* t) {
    sti_free(env, t->motion);
    sti_free(env, t->r);
    sti_free(env, t->lambda);
    *t = (sti_contact_test){.finding = STI_FINDING_UNKNOWN, .margin = NAN, .defect = NAN, .bound = NAN};
}

// With sections: discs around those that are no ellipses. A motion inside the dual of the larger cone is inside that of
// the smaller one; a force of the larger one shows nothing.
static sti_status test_sections(sti_env* env, const sti_contact_problem* p, double time_limit_s,
                                sti_contact_existence* out) {
    sti_stretch s;
    sti_status status = sti_contact_stretch(env, p, STI_STRETCH_AROUND, &s);
    if (status != STI_OK) return status;
    status = sti_contact_existence_analyze(env, &s.problem, time_limit_s, out);
    sti_contact_test* const tests[] = {&out->pointed, &out->strict, &out->feasible};
    double* r = sti_alloc_array(env, 3 * (size_t)p->contact_count, sizeof *r);
    if (status == STI_OK && r == NULL) {
        sti_contact_existence_clear(env, out);
        status = STI_ERR_MEMORY;
    }
    for (int k = 0; k < 3 && status == STI_OK; k++) {
        if (k < 2 && !s.exact && tests[k]->finding == STI_FINDING_FAILS) forget(env, tests[k]);
        double* const forces[] = {tests[k]->r, p->global ? NULL : tests[k]->motion};
        for (int j = 0; j < 2; j++) {
            if (forces[j] == NULL) continue;
            memcpy(r, forces[j], 3 * (size_t)p->contact_count * sizeof *r);
            sti_contact_stretch_forces(&s, r, forces[j]);
        }
    }
    sti_free(env, r);
    sti_contact_stretch_clear(&s);
    return status;
}

sti_status sti_contact_existence_analyze(sti_env* env, const sti_contact_problem* p, double time_limit_s,
                                         sti_contact_existence* out) {
    *out = (sti_contact_existence){0};
    sti_contact_reduction red = {0};
    sti_status status = sti_contact_check(env, p);
    if (status != STI_OK) return status;
    if (sti_contact_has_sections(p)) return test_sections(env, p, time_limit_s, out);
    status = sti_contact_reduce(env, p, &red);
    if (status != STI_OK && status != STI_ERR_SIZE) return status;
    status = sti_contact_existence_find(env, p, status == STI_OK ? &red : NULL, fmax(time_limit_s, 0), out);
    sti_contact_reduction_clear(&red);
    return status;
}

// --- no solution ---------------------------------------------------------------------------------------------------

sti_status sti_contact_certify(sti_env* env, const sti_contact_existence* x, sti_contact_certificate* out) {
    const sti_contact_test* t = &x->feasible;
    const size_t nc = (size_t)x->contact_count, nb = (size_t)x->bilateral_count;
    *out = (sti_contact_certificate){.proof = STI_PROOF_FARKAS, .bound = t->bound};
    out->y = sti_alloc_array(env, nc, sizeof *out->y);
    out->lambda = sti_alloc_array(env, nb, sizeof *out->lambda);
    if (out->y == NULL || out->lambda == NULL) {
        sti_free(env, out->y);
        sti_free(env, out->lambda);
        *out = (sti_contact_certificate){0};
        return STI_ERR_MEMORY;
    }
    for (size_t c = 0; c < nc; c++) out->y[c] = t->r[(size_t)x->dimension * c];
    if (nb > 0) memcpy(out->lambda, t->lambda, nb * sizeof *out->lambda);
    return STI_OK;
}
