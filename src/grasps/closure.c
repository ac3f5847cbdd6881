// closure.c: force closure and form closure (S0 remark 6): can the contacts balance every load on the object?
//
//     { C lambda : lambda in the friction cones } = R^n,
//
// C restricted to the object's coordinates. For convex cones this holds exactly when C has rank n and some lambda
// strictly inside all cones balances itself, C lambda = 0: that lambda is the witness of yes. Otherwise there is y != 0
// with y'C lambda <= 0 for all admissible lambda: a load F = y that nothing balances. Form closure (of first order)
// asks the same of the normals alone.
//
// 2D, polygons and normals are decided in integers: "strictly inside" becomes "at least one", since the cones may be
// scaled. Discs in space: the largest margin of a lambda with sum lambda_n = 1; where it is within tol of 0, a y that
// no contact pushes along, up to rounding, or else it is left undecided.
//
// A bilateral contact with friction is two cones. Yes when one choice of signs is closed; no when the contacts do not
// suffice even with unlimited friction there; otherwise undecided: a union of cones may cover the space without any of
// them doing so. Before that is said of discs, the normals alone are asked, in integers: they are inside the cones.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "instants/range.h"
#include "sticking/sticking.h"

sti_closure_options sti_closure_options_default(void) {
    return (sti_closure_options){.tol = 1e-9, .gap_tol = 1e-8};
}

#define NO_PUSH 1e-10  // rounding of y, which the conic solver finds to about 1e-12

typedef struct grasp {
    sti_env* env;
    sti_arena pool;
    sti_instant instant;  // the object alone, at rest, without mass and load
    sti_instant_exact table;
    sti_posed s;
    int* coordinate;  // of the object                     (n)
    int* origin;      // contact in the caller's instant   (contact_count)
    signed char* sign;
    sti_closure* out;
} grasp;

// Does the velocity belong to a bounded force? Such forces balance no large load, so they take no part.
static bool is_pressed(const sti_instant* from, int j) {
    for (int i = 0; i < from->contact_count; i++) {
        if (from->contacts[i].pressed && from->contacts[i].n[j] != 0) return true;
    }
    return false;
}

static sti_status choose_coordinates(grasp* g, const sti_instant* from, const sti_closure_options* options) {
    int n = options->object_count > 0 ? options->object_count : 0;
    g->coordinate = sti_arena_ints(&g->pool, (size_t)(n > 0 ? n : from->n));
    if (g->coordinate == NULL) return g->pool.status;
    for (int j = 0; options->object_count <= 0 && j < from->n; j++) {
        if (!is_pressed(from, j)) g->coordinate[n++] = j;
    }
    for (int j = 0; j < n; j++) {
        if (options->object_count > 0) g->coordinate[j] = options->object[j];
        if (g->coordinate[j] < 0 || g->coordinate[j] >= from->n || (j > 0 && g->coordinate[j] <= g->coordinate[j - 1]))
            return STI_FAIL(g->env, STI_ERR_ARGUMENT, j, "coordinate %d of the object: ascending, from 0 to %d",
                            g->coordinate[j], from->n - 1);
    }
    g->instant.n = n;
    return STI_OK;
}

static sti_status slice(grasp* g, const sti_rationals* from, size_t line, int width, sti_rationals* to, size_t at) {
    sti_status status = STI_OK;
    for (int j = 0; status == STI_OK && j < g->instant.n; j++)
        status = sti_rationals_copy(to, at * (size_t)g->instant.n + (size_t)j, from,
                                    line * (size_t)width + (size_t)g->coordinate[j]);
    return status;
}

// Exact twins of what is left of the contacts; the rest is zero.
static sti_status make_tables(grasp* g, const sti_instant_exact* from, const int* t_first, int width) {
    sti_instant_exact* t = &g->table;
    const size_t n = (size_t)g->instant.n, nc = (size_t)g->instant.contact_count, nt = (size_t)g->instant.tangent_total;
    sti_status status = sti_rationals_create(g->env, n * n, &t->M);
    if (status == STI_OK) status = sti_rationals_create(g->env, n, &t->F);
    if (status == STI_OK) status = sti_rationals_create(g->env, n, &t->v);
    if (status == STI_OK) status = sti_rationals_create(g->env, nc * n, &t->n);
    if (status == STI_OK) status = sti_rationals_create(g->env, nt * n, &t->t);
    if (status == STI_OK) status = sti_rationals_create(g->env, nc, &t->n_rate);
    if (status == STI_OK) status = sti_rationals_create(g->env, nt, &t->t_rate);
    if (status == STI_OK) status = sti_rationals_create(g->env, nc, &t->gap);
    if (status == STI_OK) status = sti_rationals_create(g->env, nc, &t->mu);
    if (status == STI_OK) status = sti_rationals_create(g->env, nc, &t->mu_kinetic);
    size_t line = 0;
    for (size_t i = 0; status == STI_OK && i < nc; i++) {
        status = slice(g, from->n, (size_t)g->origin[i], width, t->n, i);
        if (status == STI_OK) status = sti_rationals_copy(t->mu, i, from->mu, (size_t)g->origin[i]);
        for (int k = 0; status == STI_OK && k < g->instant.contacts[i].tangent_count; k++)
            status = slice(g, from->t, (size_t)(t_first[i] + k), width, t->t, line++);
    }
    g->instant.exact = t;
    return status;
}

static sti_status make_instant(grasp* g, const sti_instant* from, const sti_closure_options* options, bool friction) {
    const size_t n = (size_t)g->instant.n, most = (size_t)from->contact_count;
    sti_instant_contact* list = sti_arena_take(&g->pool, most, sizeof *list);
    int* t_first = sti_arena_ints(&g->pool, most);
    g->origin = sti_arena_ints(&g->pool, most);
    g->instant.M = sti_arena_doubles(&g->pool, n * n);
    g->instant.F = sti_arena_doubles(&g->pool, n);
    g->instant.v = sti_arena_doubles(&g->pool, n);
    if (g->pool.status != STI_OK) return g->pool.status;
    g->instant.contacts = list;
    int tangent = 0;
    for (int i = 0; i < from->contact_count; i++) {
        const sti_instant_contact* c = &from->contacts[i];
        const int at = g->instant.contact_count, first = tangent;
        tangent += c->tangent_count;
        if (c->pressed || (!c->bilateral && c->gap > options->gap_tol)) continue;
        double *normal = sti_arena_doubles(&g->pool, n), *t = sti_arena_doubles(&g->pool, 2 * n);
        double* rate = sti_arena_doubles(&g->pool, 2);
        if (g->pool.status != STI_OK) return g->pool.status;
        double size = 0;
        for (size_t j = 0; j < n; j++) {
            normal[j] = c->n[g->coordinate[j]];
            size = fmax(size, fabs(normal[j]));
            for (int k = 0; k < c->tangent_count; k++) {
                t[(size_t)k * n + j] = c->t[(size_t)k * (size_t)from->n + (size_t)g->coordinate[j]];
                size = fmax(size, fabs(t[(size_t)k * n + j]));
            }
        }
        if (size == 0) continue;  // does not touch the object
        list[at] = (sti_instant_contact){.name = c->name,
                                         .bilateral = c->bilateral,
                                         .state = STI_INSTANT_STICK,
                                         .mu = friction ? c->mu : 0,
                                         .tangent_count = c->tangent_count,
                                         .n = normal,
                                         .t = t,
                                         .t_rate = rate};
        g->origin[at] = i;
        t_first[at] = first;
        g->instant.contact_count++;
        g->instant.tangent_total += c->tangent_count;
    }
    return from->exact != NULL ? make_tables(g, from->exact, t_first, from->n) : STI_OK;
}

static void clear_tables(grasp* g) {
    sti_rationals** const all[] = {&g->table.M,  &g->table.F,         &g->table.v,      &g->table.n,
                                   &g->table.t,  &g->table.n_rate,    &g->table.t_rate, &g->table.gap,
                                   &g->table.mu, &g->table.mu_kinetic};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) sti_rationals_destroy(*all[i]);
}

// Rank of the directions that can carry force; a vector orthogonal to all of them when it is not full.
static sti_status find_rank(grasp* g, double* y) {
    const sti_posed* s = &g->s;
    double* usable = sti_arena_doubles(&g->pool, (size_t)s->p * (size_t)s->n);
    if (usable == NULL) return g->pool.status;
    for (int i = 0; i < s->nc; i++) {
        for (int k = 0; k <= (s->rough[i] ? s->tangents[i] : 0); k++) {
            double* row = usable + (size_t)(s->first[i] + k) * (size_t)s->n;
            for (int j = 0; j < s->n; j++) row[j] = s->C[(size_t)j * (size_t)s->p + (size_t)(s->first[i] + k)];
            const double length = sti_small_norm(s->n, row);  // spans what it spans, however long
            for (int j = 0; length > 0 && j < s->n; j++) row[j] /= length;
        }
    }
    // in even units, so that they have no say
    double *row = sti_arena_doubles(&g->pool, (size_t)s->p), *column = sti_arena_doubles(&g->pool, (size_t)s->n);
    if (g->pool.status != STI_OK) return g->pool.status;
    sti_svd f;
    sti_status status = sti_small_equilibrate(&g->pool, s->p, s->n, usable, row, column);
    for (int k = 0; k < s->p; k++)
        for (int j = 0; j < s->n; j++) usable[(size_t)k * (size_t)s->n + (size_t)j] *= row[k] * column[j];
    if (status == STI_OK) status = sti_svd_make(&g->pool, s->p, s->n, usable, STI_SMALL_RANK_TOL, &f);
    if (status != STI_OK) return status;
    g->out->rank = f.rank;
    for (int j = 0; j < s->n && f.rank < s->n; j++) y[j] = sti_svd_kernel(&f, 0)[j] * column[j];
    return STI_OK;
}

// In integers: every bound at least one. *found: lambda; otherwise y.
static sti_status decide_exactly(grasp* g, bool* found, sti_rationals* lambda, sti_rationals* y) {
    const sti_posed* s = &g->s;
    sti_cone_program p = {0};
    sti_exact_program e = {0};
    sti_rationals* all = NULL;
    sti_status status = sti_posed_program(s, g->sign, 0, 0, -1, true, &p);
    for (int r = 0; status == STI_OK && r < p.rows; r++)
        if (p.kind[r] == STI_ROW_NONNEGATIVE) sti_program_put(&p, r, 0, -1);
    if (status == STI_OK) status = g->pool.status;
    if (status == STI_OK) status = sti_exact_program_open(&e, &p);
    if (status == STI_OK) {
        *found = e.feasible;
        status = sti_rationals_create(g->env, (size_t)(e.feasible ? p.size : p.rows), &all);
    }
    if (status == STI_OK && *found) status = sti_exact_program_point(&e, all);
    if (status == STI_OK && !*found) status = sti_exact_program_farkas(&e, all);
    for (int k = 0; status == STI_OK && *found && k < s->p; k++)
        status = sti_rationals_copy(lambda, (size_t)k, all, (size_t)(s->n + k));
    for (int j = 0; status == STI_OK && !*found && j < s->n; j++) {  // rows are F + M a - C lambda: the sign turns
        status = sti_rationals_copy(y, (size_t)j, all, (size_t)j);
        if (status == STI_OK) sti_int_neg(&y->num[j]);
    }
    sti_rationals_destroy(all);
    sti_exact_program_close(&e);
    sti_program_close(&p);
    return status;
}

static double margin_of(const grasp* g, const double* lambda) {
    double sum = 0, least = INFINITY;
    for (int i = 0; i < g->s.nc; i++) {
        sum += fabs(lambda[g->s.first[i]]);
        const double margin = sti_posed_margin(&g->s, i, lambda);
        if (margin < least) least = margin;
    }
    return sum > 0 ? least / sum : least;
}

// Forces of a solution of the conic program; of contacts without friction only normal ones, without what rounding adds.
static void take_forces(const grasp* g, const double* from, double* lambda) {
    const sti_posed* s = &g->s;
    memcpy(lambda, from, (size_t)s->p * sizeof *lambda);
    for (int i = 0; i < s->nc; i++)
        for (int k = 1; !s->rough[i] && k <= s->tangents[i]; k++) lambda[s->first[i] + k] = 0;
}

// In floating point: the largest margin with sum lambda_n <= 1.
static sti_status decide_conic(grasp* g, double* margin, double* lambda, double* y) {
    const sti_posed* s = &g->s;
    const int d = s->n + s->p;
    sti_cone_program p = {0};
    sti_status status = sti_posed_program(s, g->sign, 1, 1, d, false, &p);
    if (status != STI_OK) return status;
    const int sum = sti_program_add(&p, STI_ROW_NONNEGATIVE, -1);
    sti_program_put(&p, sum, 0, 1);
    bool bounded = false;  // by the sum; joints alone have no margin
    for (int i = 0; i < s->nc; i++) {
        const int side = !s->bilateral[i] ? 1 : s->choice[i] ? g->sign[i] : 0;
        sti_program_put(&p, sum, 1 + s->n + s->first[i], -side);
        bounded |= side != 0;
    }
    status = sti_program_reduce(&p);
    double* c = sti_arena_doubles(&g->pool, (size_t)p.size);
    if (status != STI_OK || c == NULL) return status != STI_OK ? status : g->pool.status;
    c[d] = -1;
    sti_program_answer answer;
    status = sti_program_minimize(&p, c, NULL, &answer);
    *margin = NAN;
    if (status != STI_OK) return status;
    if (answer.outcome == STI_CONIC_UNKNOWN || answer.outcome == STI_CONIC_LIMIT ||
        (answer.outcome == STI_CONIC_UNBOUNDED && bounded)) {  // by rounding: a margin is at most the sum
        // not the largest margin, but forces that balance: if they are inside, they prove as much as the best ones
        take_forces(g, answer.x + s->n, lambda);
        const double reached = margin_of(g, lambda);
        if (reached > s->options.tol) *margin = reached;
        return STI_OK;
    }
    *margin = answer.outcome == STI_CONIC_UNBOUNDED ? INFINITY : answer.x[d];
    take_forces(g, answer.x + s->n, lambda);
    answer.dual[sum] = 0;
    sti_program_lift(&p, answer.dual);
    const double size = sti_small_max((size_t)s->n, answer.dual);
    for (int j = 0; j < s->n; j++) y[j] = size > 0 ? -answer.dual[j] / size : 0;
    return g->pool.status;
}

// How far some contact can push along y: max over contacts and forces with f_n = 1, relative to |y|. Not above 0:
// nothing balances the load -y. Infinite where a force of either sign has a part along y.
static double push_along(const grasp* g, const double* y) {
    const sti_posed* s = &g->s;
    const double size = sti_small_max((size_t)s->n, y);
    double most = -INFINITY;
    for (int i = 0; size > 0 && i < s->nc; i++) {
        double v[3] = {0};
        for (int k = 0; k <= (s->rough[i] ? s->tangents[i] : 0); k++) {
            for (int j = 0; j < s->n; j++) v[k] += s->C[(size_t)j * (size_t)s->p + (size_t)(s->first[i] + k)] * y[j];
        }
        const double slide = s->rough[i] ? g->instant.contacts[s->contact[i]].mu * hypot(v[1], v[2]) : 0;
        const double push = !s->bilateral[i] ? v[0] + slide : fabs(v[0]) + hypot(v[1], v[2]);
        most = fmax(most, push / size);
    }
    return size > 0 ? most : (double)INFINITY;
}

// -C_ik'y of contact i, direction k, times `times`, into row r.
static void put_pull(const grasp* g, sti_cone_program* p, int r, int i, int k, double times) {
    const sti_posed* s = &g->s;
    for (int j = 0; j < s->n; j++)
        sti_program_put(p, r, 1 + j, -times * s->C[(size_t)j * (size_t)s->p + (size_t)(s->first[i] + k)]);
}

// The conditions on a load y that no contact pushes along, by a margin: those of contact i.
static void add_contact(const grasp* g, sti_cone_program* p, int i) {
    const sti_posed* s = &g->s;
    const int tangents = s->rough[i] ? s->tangents[i] : 0;
    if (s->bilateral[i]) {
        for (int k = 0; k <= tangents; k++) put_pull(g, p, sti_program_add(p, STI_ROW_ZERO, i), i, k, 1);
        return;
    }
    const int head = sti_program_add(p, tangents > 0 ? STI_ROW_HEAD : STI_ROW_NONNEGATIVE, i);
    put_pull(g, p, head, i, 0, 1);
    sti_program_put(p, head, 1 + s->n, -1);
    for (int k = 1; k <= tangents; k++)
        put_pull(g, p, sti_program_add(p, STI_ROW_TAIL, i), i, k, g->instant.contacts[s->contact[i]].mu);
}

// The y in the unit box with the largest margin: n'y + mu |t y| <= -margin at all contacts. Away from the border it has
// one, so that rounding does not matter; y of decide_conic lies on the border itself. y stays where there is none.
static sti_status separate(grasp* g, double* y) {
    const sti_posed* s = &g->s;
    sti_cone_program p = {0};
    sti_program_answer answer;
    sti_status status = sti_program_open(&p, &g->pool, s->n + 1, 3 * s->nc + 2 * s->n + 1, false);
    if (status != STI_OK) return status;
    for (int i = 0; i < s->nc; i++) add_contact(g, &p, i);
    for (int j = 0; j < 2 * s->n; j++) {
        const int r = sti_program_add(&p, STI_ROW_NONNEGATIVE, -1);
        sti_program_put(&p, r, 0, 1);
        sti_program_put(&p, r, 1 + j / 2, j % 2 == 0 ? 1 : -1);
    }
    const int bound = sti_program_add(&p, STI_ROW_NONNEGATIVE, -1);  // where joints alone touch the object
    sti_program_put(&p, bound, 0, 1);
    sti_program_put(&p, bound, 1 + s->n, -1);
    status = sti_program_reduce(&p);
    double* c = sti_arena_doubles(&g->pool, (size_t)p.size);
    if (status == STI_OK) status = g->pool.status;
    if (status != STI_OK) return status;
    c[s->n] = -1;
    status = sti_program_minimize(&p, c, NULL, &answer);
    if (status == STI_OK && answer.outcome == STI_CONIC_SOLVED && answer.x[s->n] > 0)
        memcpy(y, answer.x, (size_t)s->n * sizeof *y);
    return status;
}

static sti_status allocate(grasp* g) {
    sti_closure* out = g->out;
    const sti_posed* s = &g->s;
    out->n = s->n;
    out->contact_count = s->nc;
    out->multiplier_count = s->p;
    out->contact = sti_alloc_array(g->env, (size_t)s->nc, sizeof *out->contact);
    out->lambda = sti_alloc_array_zero(g->env, (size_t)s->p, sizeof *out->lambda);
    out->y = sti_alloc_array_zero(g->env, (size_t)s->n, sizeof *out->y);
    if (out->contact == NULL || out->lambda == NULL || out->y == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < s->nc; i++) out->contact[i] = g->origin[s->contact[i]];
    return STI_OK;
}

// One branch: +1 closed, -1 not, 0 not decided.
static sti_status visit(grasp* g, int* verdict) {
    sti_closure* out = g->out;
    const sti_posed* s = &g->s;
    sti_status status = STI_OK;
    if (s->polyhedral && s->exact) {
        bool found = false;
        sti_rationals_destroy(out->lambda_exact);
        sti_rationals_destroy(out->y_exact);
        out->lambda_exact = out->y_exact = NULL;
        status = sti_rationals_create(g->env, (size_t)s->p, &out->lambda_exact);
        if (status == STI_OK) status = sti_rationals_create(g->env, (size_t)s->n, &out->y_exact);
        if (status == STI_OK) status = decide_exactly(g, &found, out->lambda_exact, out->y_exact);
        for (int k = 0; status == STI_OK && k < s->p; k++)
            out->lambda[k] = sti_rationals_double(out->lambda_exact, (size_t)k);
        for (int j = 0; status == STI_OK && j < s->n; j++) out->y[j] = sti_rationals_double(out->y_exact, (size_t)j);
        out->exact = true;
        *verdict = found ? 1 : -1;
        out->margin = found ? margin_of(g, out->lambda) : 0;
        return status;
    }
    double margin = NAN;
    status = decide_conic(g, &margin, out->lambda, out->y);
    out->margin = margin;
    if (isnan(margin))
        *verdict = 0;
    else if (margin > s->options.tol)
        *verdict = 1;
    else  // the largest margin is 0, or too small to tell from it: only y proves that there is none
        *verdict = push_along(g, out->y) <= NO_PUSH ? -1 : 0;
    if (status == STI_OK && *verdict == 0) {
        status = separate(g, out->y);
        if (status == STI_OK && push_along(g, out->y) <= NO_PUSH) *verdict = -1;
    }
    return status;
}

static void finish(grasp* g, sti_verdict closed, const char* reason) {
    sti_closure* out = g->out;
    out->closed = closed;
    snprintf(out->reason, sizeof out->reason, "%s", reason);
    if (closed != STI_YES) {
        sti_free(g->env, out->lambda);
        sti_rationals_destroy(out->lambda_exact);
        out->lambda = NULL;
        out->lambda_exact = NULL;
        out->margin = NAN;
    }
    if (closed != STI_NO) {
        sti_free(g->env, out->y);
        sti_rationals_destroy(out->y_exact);
        out->y = NULL;
        out->y_exact = NULL;
    }
    if (closed == STI_UNDECIDED) out->exact = false;
}

static sti_status decide(grasp* g) {
    const sti_posed* s = &g->s;
    int choices = 0, verdict = 0;
    for (int i = 0; i < s->nc; i++) choices += s->choice[i];
    sti_status status = find_rank(g, g->out->y);
    if (status != STI_OK) return status;
    if (g->out->rank < s->n) {
        finish(g, STI_NO, "the contact directions do not span the loads: no contact force has a part along y");
        return STI_OK;
    }
    status = visit(g, &verdict);  // all signs open: unlimited friction at bilateral contacts
    if (status != STI_OK) return status;
    if (verdict < 0) {
        finish(g, STI_NO, "no contact force pushes along y, so a load along -y is not balanced");
        return STI_OK;
    }
    for (int b = 0; choices > 0 && choices <= 10 && b < 1 << choices; b++) {
        for (int i = 0, bit = 0; i < s->nc; i++) g->sign[i] = s->choice[i] ? (b >> bit++ & 1 ? -1 : 1) : 0;
        status = visit(g, &verdict);
        if (status != STI_OK) return status;
        if (verdict > 0) break;
    }
    if (verdict > 0 && choices <= 10)
        finish(g, STI_YES, "the contact directions span all loads, and forces strictly inside the cones balance");
    else
        finish(g, STI_UNDECIDED,
               choices > 0 ? "no single choice of the signs of bilateral forces balances every load"
                           : "the conic solver did not reach its tolerance");
    return STI_OK;
}

static sti_status analyze(sti_env* env, const sti_instant* instant, const sti_closure_options* options, bool friction,
                          sti_closure* out) {
    *out = (sti_closure){.closed = STI_UNDECIDED, .margin = NAN};
    const sti_closure_options standard = sti_closure_options_default();
    if (options == NULL) options = &standard;
    grasp g = {.env = env, .pool = sti_arena_make(env), .out = out};
    sti_status status = sti_instant_check(env, instant);
    if (status == STI_OK) status = sti_range_check(env, instant);
    if (status == STI_OK) status = sti_instant_needs_discs(env, instant);
    if (status == STI_OK) status = choose_coordinates(&g, instant, options);
    if (status == STI_OK) status = make_instant(&g, instant, options, friction);
    sti_sticking_options sticking = sti_sticking_options_default();
    sticking.tol = options->tol;
    sticking.facets = options->facets;
    sticking.exact_limit = 120;
    if (status == STI_OK) status = sti_posed_make(&g.s, &g.pool, &g.instant, &sticking);
    if (status == STI_OK) {
        g.sign = sti_arena_take(&g.pool, (size_t)g.s.nc, 1);
        status = g.pool.status;
    }
    if (status == STI_OK) status = allocate(&g);
    if (status == STI_OK) status = decide(&g);
    clear_tables(&g);
    sti_arena_clear(&g.pool);
    if (status != STI_OK) sti_closure_clear(env, out);
    return status;
}

// Normals that hold alone are strictly inside the cones; how far, of a sum 1.
static double margin_of_normals(const sti_instant* instant, const sti_closure* form) {
    double least = INFINITY, sum = 0;
    for (int i = 0, at = 0; i < form->contact_count; i++) {
        const sti_instant_contact* c = &instant->contacts[form->contact[i]];
        const double push = fabs(form->lambda[at]);
        sum += push;
        if (c->tangent_count > 0 && c->mu > 0) least = fmin(least, c->mu * push);
        if (!c->bilateral) least = fmin(least, push);
        at += 1 + c->tangent_count;
    }
    return sum > 0 ? least / sum : least;
}

sti_status sti_force_closure_analyze(sti_env* env, const sti_instant* instant, const sti_closure_options* options,
                                     sti_closure* out) {
    sti_closure form;
    sti_status status = analyze(env, instant, options, true, out);
    if (status != STI_OK || out->closed != STI_UNDECIDED) return status;
    status = analyze(env, instant, options, false, &form);  // in integers, where discs are not
    if (status == STI_OK && form.closed != STI_YES) {
        sti_closure_clear(env, &form);
        return STI_OK;
    }
    sti_closure_clear(env, out);
    if (status != STI_OK) return status;
    *out = form;
    out->margin = margin_of_normals(instant, out);
    return STI_OK;
}

sti_status sti_form_closure_analyze(sti_env* env, const sti_instant* instant, const sti_closure_options* options,
                                    sti_closure* out) {
    return analyze(env, instant, options, false, out);
}

void sti_closure_clear(sti_env* env, sti_closure* closure) {
    sti_free(env, closure->contact);
    sti_free(env, closure->lambda);
    sti_free(env, closure->y);
    sti_rationals_destroy(closure->lambda_exact);
    sti_rationals_destroy(closure->y_exact);
    *closure = (sti_closure){0};
}
