// impulses.c: posing and solving the MLCP of impulses.h with polyhedral friction.
//
// Free variables are (u, c_nu), pairs stand in the order of S3 (2.1.8): c_n of all contacts, beta of all, lambda of
// all.
//
//     [ Q   -alpha nu ] (u   )     [ -alpha n   -alpha D   0 ] (c_n   )     [ -f ]
//     [ nu'      0    ] (c_nu)  +  [     0          0      0 ] (beta  )  +  [  b ]  =  0
//                                                              (lambda)
//
// The free variables are eliminated and the LCP that remains is solved by Lemke's method with the covering vector e,
// which fixes the choice where impulses are not unique. Where the block of free variables is singular (a mass matrix
// that only contacts complete), and for whatever Lemke's method does not solve, the MLCP itself goes to the solvers,
// `auto` at last, which may prove that there is no solution.
//
// A contact in the plane has the directions +t, -t. In space `facets` directions at equal angles, the first along t_1;
// so the friction polygon has its corners on the circle: friction of length mu c_n along a corner, mu c_n cos(pi /
// facets) across an edge.
//
// D1. Friction in a joint is bounded by mu |c_nu|, which no MLCP with these variables expresses. The bound is a
//     constant inside, and iterated from outside until it agrees. For mu large there may be no fixed point: STI_LIMIT
//     then.
// D2. Redundant joints: a gradient within 1e-7 (the sine of the angle) of the span of those before is left out, with
//     multiplier 0, and its rate is looked at afterwards.
#include "step/impulses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = M_PI;

enum { JOINT_ROUNDS = 200 };

static const double dependent = 1e-7;

int sti_impulse_directions(int tangent_count, int facets) {
    return tangent_count == 2 ? facets : 2 * tangent_count;
}

static double clean(double x) {
    return fabs(x) < 1e-15 ? 0 : x;
}

// Direction s in the tangent rows. Opposite ones are exact opposites.
void sti_impulse_direction(int tangent_count, int facets, int s, double d[2]) {
    d[1] = 0;
    if (tangent_count == 1) {
        d[0] = s == 0 ? 1 : -1;
        return;
    }
    const int half = facets / 2;
    const bool turned = facets % 2 == 0 && s >= half;
    const double angle = 2 * pi * (turned ? s - half : s) / facets, sign = turned ? -1 : 1;
    d[0] = sign * clean(cos(angle));
    d[1] = sign * clean(sin(angle));
}

int sti_impulses_columns(const sti_impulses* p, const sti_impulse_contact* c) {
    return c->corner_count > 0 ? c->corner_count : sti_impulse_directions(c->tangent_count, p->facets);
}

int sti_impulses_most(const sti_instant* instant, int facets) {
    for (int i = 0; i < instant->contact_count; i++) {
        if (instant->contacts[i].corner_count > facets) facets = instant->contacts[i].corner_count;
    }
    return facets;
}

static void column(const sti_impulses* p, const sti_impulse_contact* c, int s, double d[2]) {
    if (c->corner_count > 0) {
        d[0] = c->corner[2 * s];
        d[1] = c->corner[2 * s + 1];
    } else {
        sti_impulse_direction(c->tangent_count, p->facets, s, d);
    }
}

sti_status sti_impulses_init(sti_impulses* p, sti_env* env, int n, int contact_count, const int* tangent_count,
                             int facets) {
    *p = (sti_impulses){.env = env, .n = n, .capacity = contact_count, .facets = facets, .alpha = 1};
    size_t pairs = 0;
    for (int i = 0; i < contact_count; i++) pairs += 2 + (size_t)sti_impulse_directions(tangent_count[i], facets);
    const size_t c = (size_t)contact_count, m = (size_t)n, free_count = m + c;
    const struct {
        double** at;
        size_t length;
    } parts[] = {{&p->u, m},
                 {&p->f, m},
                 {&p->Q, m * m},
                 {&p->c_n, c},
                 {&p->c_t, 2 * c},
                 {&p->rho, c},
                 {&p->slip, 2 * c},
                 {&p->A, free_count * free_count},
                 {&p->C, free_count * pairs},
                 {&p->D, free_count * pairs},
                 {&p->B, pairs * pairs},
                 {&p->a, free_count},
                 {&p->b, pairs},
                 {&p->M, pairs * pairs},
                 {&p->q, pairs},
                 {&p->slack, pairs},
                 {&p->X, free_count * (pairs + 1)},
                 {&p->free_variables, free_count},
                 {&p->remainder, free_count},
                 {&p->span, m * m}};
    const size_t count = sizeof parts / sizeof *parts;
    size_t size = 0;
    for (size_t i = 0; i < count; i++) size += parts[i].length;
    p->memory = sti_arena_make(env);
    p->numbers = sti_arena_take(&p->memory, size, sizeof *p->numbers);
    p->contacts = sti_arena_take(&p->memory, c, sizeof *p->contacts);
    p->first_beta = sti_arena_take(&p->memory, 3 * c, sizeof *p->first_beta);
    p->mode = sti_arena_take(&p->memory, c + pairs, 1);
    const bool room = p->memory.status == STI_OK;
    if (!room || sti_dense_factor_init(&p->factor, env, n + contact_count) != STI_OK) {
        sti_impulses_clear(p);
        return STI_ERR_MEMORY;
    }
    p->lambda_index = p->first_beta + c;
    p->row = p->lambda_index + c;
    p->basis = p->mode + c;
    double* next = p->numbers;
    for (size_t i = 0; i < count; i++) {
        *parts[i].at = next;
        next += parts[i].length;
    }
    return STI_OK;
}

void sti_impulses_clear(sti_impulses* p) {
    if (p->env == NULL) return;
    sti_contact_memory_destroy(p->keeps);
    sti_arena_clear(&p->memory);
    sti_dense_factor_clear(&p->factor);
    *p = (sti_impulses){0};
}

sti_impulse_contact* sti_impulses_add(sti_impulses* p, const sti_instant* instant, int i, double mu) {
    const sti_instant_contact* from = &instant->contacts[i];
    sti_impulse_contact* c = &p->contacts[p->count++];
    *c = (sti_impulse_contact){.contact = i,
                               .bilateral = from->bilateral,
                               .tangent_count = from->tangent_count,
                               .corner_count = from->corner_count,
                               .corner = from->corner,
                               .n = from->n,
                               .t = from->t,
                               .mu = mu,
                               .b_n = from->n_offset};
    for (int a = 0; from->t_offset != NULL && a < from->tangent_count; a++) c->b_t[a] = from->t_offset[a];
    return c;
}

// D2: is the gradient of this joint dependent on those of the joints before? `basis` holds what they span, orthonormal.
static bool is_redundant(const sti_impulses* p, int j, double* basis, int* rank) {
    const int n = p->n;
    const double* from = p->contacts[j].n;
    double* row = basis + sti_at(n, *rank, 0);
    const double length = sqrt(sti_vector_dot(n, from, from));
    if (*rank == n || !(length > 0)) return true;
    for (int i = 0; i < n; i++) row[i] = from[i] / length;
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < *rank; k++) {
            const double* other = basis + sti_at(n, k, 0);
            const double part = sti_vector_dot(n, other, row);
            for (int i = 0; i < n; i++) row[i] -= part * other[i];
        }
    }
    const double rest = sqrt(sti_vector_dot(n, row, row));
    if (rest <= dependent) return true;
    for (int i = 0; i < n; i++) row[i] /= rest;
    ++*rank;
    return false;
}

// Places of all variables; -1 for the multiplier of a redundant joint.
static void count_pairs(sti_impulses* p) {
    int rank = 0;
    p->joints = p->pairs = 0;
    for (int j = 0; j < p->count; j++) {
        if (!p->contacts[j].bilateral)
            p->row[j] = p->pairs++;
        else if (is_redundant(p, j, p->span, &rank))
            p->row[j] = -1;
        else
            p->row[j] = p->n + p->joints++;
        p->first_beta[j] = p->lambda_index[j] = -1;
    }
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* c = &p->contacts[j];
        if (c->tangent_count == 0 || !(c->mu > 0)) continue;
        p->first_beta[j] = p->pairs;
        p->pairs += sti_impulses_columns(p, c);
    }
    for (int j = 0; j < p->count; j++) {
        if (p->first_beta[j] >= 0) p->lambda_index[j] = p->pairs++;
    }
}

static void pose_friction(sti_impulses* p, int j) {
    const sti_impulse_contact* c = &p->contacts[j];
    const int n = p->n, N = n + p->joints, m = p->pairs, lambda = p->lambda_index[j];
    const int count = sti_impulses_columns(p, c);
    for (int s = 0; s < count; s++) {
        const int beta = p->first_beta[j] + s;
        double d[2];
        column(p, c, s, d);
        for (int k = 0; k < n; k++) {
            double e = d[0] * c->t[k];
            if (c->tangent_count == 2) e += d[1] * c->t[n + k];
            p->C[sti_at(m, k, beta)] = -p->alpha * e;
            p->D[sti_at(N, beta, k)] = e;
        }
        p->b[beta] = d[0] * c->b_t[0] + d[1] * c->b_t[1];
        p->B[sti_at(m, beta, lambda)] = 1;
        p->B[sti_at(m, lambda, beta)] = -1;
    }
    if (!c->bilateral) p->B[sti_at(m, lambda, p->row[j])] = c->mu;
    p->b[lambda] = c->bound;
}

void sti_impulses_pose(sti_impulses* p) {
    count_pairs(p);
    const int n = p->n, N = n + p->joints, m = p->pairs;
    memset(p->A, 0, (size_t)N * (size_t)N * sizeof *p->A);
    memset(p->C, 0, (size_t)N * (size_t)m * sizeof *p->C);
    memset(p->D, 0, (size_t)N * (size_t)m * sizeof *p->D);
    memset(p->B, 0, (size_t)m * (size_t)m * sizeof *p->B);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) p->A[sti_at(N, i, k)] = p->Q[sti_at(n, i, k)];
        p->a[i] = -p->f[i];
    }
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* c = &p->contacts[j];
        const int r = p->row[j];
        const double* push = c->push != NULL ? c->push : c->n;
        for (int k = 0; r >= 0 && k < n; k++) {
            if (c->bilateral) {
                p->A[sti_at(N, k, r)] = -p->alpha * push[k];
                p->A[sti_at(N, r, k)] = c->n[k];
            } else {
                p->C[sti_at(m, k, r)] = -p->alpha * push[k];
                p->D[sti_at(N, r, k)] = c->n[k];
            }
        }
        if (c->bilateral && r >= 0) p->a[r] = c->b_n;
        if (!c->bilateral) p->b[r] = c->b_n;
        if (p->first_beta[j] >= 0) pose_friction(p, j);
    }
}

sti_mlcp sti_impulses_mlcp(const sti_impulses* p) {
    const int N = p->n + p->joints, m = p->pairs;
    return (sti_mlcp){.n = N,
                      .m = m,
                      .A = sti_matrix_dense_view(N, N, p->A),
                      .C = sti_matrix_dense_view(N, m, p->C),
                      .D = sti_matrix_dense_view(m, N, p->D),
                      .B = sti_matrix_dense_view(m, m, p->B),
                      .a = p->a,
                      .b = p->b};
}

// Impulses, velocities at the contacts and modes from the variables of the MLCP.
void sti_impulses_read(sti_impulses* p, const double* free_variables, const double* z) {
    memcpy(p->u, free_variables, (size_t)p->n * sizeof *p->u);
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* c = &p->contacts[j];
        double *c_t = p->c_t + sti_at(2, j, 0), *slip = p->slip + sti_at(2, j, 0);
        p->c_n[j] = 0;
        if (p->row[j] >= 0) p->c_n[j] = c->bilateral ? free_variables[p->row[j]] : z[p->row[j]];
        p->rho[j] = sti_vector_dot(p->n, c->n, p->u) + c->b_n;
        c_t[0] = c_t[1] = slip[0] = slip[1] = 0;
        for (int a = 0; a < c->tangent_count; a++)
            slip[a] = sti_vector_dot(p->n, c->t + sti_at(p->n, a, 0), p->u) + c->b_t[a];
        const int count = p->first_beta[j] < 0 ? 0 : sti_impulses_columns(p, c);
        for (int s = 0; s < count; s++) {
            double d[2];
            column(p, c, s, d);
            const double beta = z[p->first_beta[j] + s];
            c_t[0] += d[0] * beta;
            c_t[1] += d[1] * beta;
        }
        // lambda is exactly 0 where it is not basic: the contact sticks
        const bool carries = c->bilateral || p->c_n[j] > 0 || c->bound > 0;
        const bool slides = count > 0 ? z[p->lambda_index[j]] > 0 : slip[0] != 0 || slip[1] != 0;
        if (!carries)
            p->mode[j] = STI_MODE_SEPARATE;
        else
            p->mode[j] = slides ? STI_MODE_SLIDE : STI_MODE_STICK;
    }
}

// The answer of a solver for the MLCP, or a proof that there is none.
static void take_answer(sti_impulses* p, const sti_lcp_answer* answer) {
    p->outcome = answer->outcome;
    p->residual = answer->residual;
    snprintf(p->why, sizeof p->why, "%s", answer->reason);
    if (answer->outcome != STI_SOLVED) return;
    memcpy(p->basis, answer->alpha, (size_t)p->pairs);
    sti_impulses_read(p, answer->u, answer->z);
}

// Pivots of Lemke's method: problems of steps take about as many as pairs, and one that takes hundreds times that
// cycles.
static long most_pivots(const sti_impulses* p) {
    return 200 + 50L * p->pairs;
}

static sti_status solve_mixed(sti_impulses* p) {
    sti_lcp_options options = sti_lcp_options_default();
    sti_lcp_answer answer;
    const sti_mlcp mlcp = sti_impulses_mlcp(p);
    options.solver = STI_LCP_LEMKE;
    options.max_iterations = most_pivots(p);
    sti_status status = sti_mlcp_solve(p->env, &mlcp, &options, &answer);
    if (status != STI_OK) return status;
    if (answer.outcome != STI_SOLVED && answer.outcome != STI_NO_SOLUTION) {
        sti_lcp_answer_clear(p->env, &answer);
        options.solver = STI_LCP_AUTO;
        options.max_iterations = 20 * most_pivots(p);
        status = sti_mlcp_solve(p->env, &mlcp, &options, &answer);
        if (status != STI_OK) return status;
    }
    take_answer(p, &answer);
    sti_lcp_answer_clear(p->env, &answer);
    return STI_OK;
}

// M = B - D A^-1 C, q = b - D A^-1 a, with X = A^-1 [C a] kept for the way back. False: A is too close to singular.
static bool reduce(sti_impulses* p) {
    const int N = p->n + p->joints, m = p->pairs;
    memcpy(sti_dense_factor_load(&p->factor, N), p->A, (size_t)N * (size_t)N * sizeof *p->A);
    if (!sti_dense_factor_lu(&p->factor) || !(sti_dense_factor_rcond(&p->factor) > 1e-13)) return false;
    for (int j = 0; j <= m; j++) {
        double* x = p->X + sti_at(N, j, 0);
        for (int i = 0; i < N; i++) x[i] = j < m ? p->C[sti_at(m, i, j)] : p->a[i];
        sti_dense_factor_solve(&p->factor, x);
    }
    for (int i = 0; i < m; i++) {
        const double* row = p->D + sti_at(N, i, 0);
        for (int j = 0; j < m; j++)
            p->M[sti_at(m, i, j)] = p->B[sti_at(m, i, j)] - sti_vector_dot(N, row, p->X + sti_at(N, j, 0));
        p->q[i] = p->b[i] - sti_vector_dot(N, row, p->X + sti_at(N, m, 0));
    }
    return true;
}

// Free variables from z: u = -A^-1 (C z + a), with one step of refinement; residual on the MLCP as posed.
static sti_status recover(sti_impulses* p, double* z) {
    const int N = p->n + p->joints, m = p->pairs;
    double *u = p->free_variables, *r = p->remainder;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            r[i] = -p->a[i] - sti_vector_dot(m, p->C + sti_at(m, i, 0), z);
            if (round > 0) r[i] -= sti_vector_dot(N, p->A + sti_at(N, i, 0), u);
        }
        sti_dense_factor_solve(&p->factor, r);
        for (int i = 0; i < N; i++) u[i] = round == 0 ? r[i] : u[i] + r[i];
    }
    const sti_mlcp mlcp = sti_impulses_mlcp(p);
    sti_lcp_answer point = {.free_count = N, .n = m, .u = u, .z = z, .w = p->slack};
    const sti_status status = sti_mlcp_residual(p->env, &mlcp, &point);
    p->residual = point.residual;
    return status;
}

static sti_status solve_once(sti_impulses* p) {
    if (!reduce(p)) return solve_mixed(p);
    sti_lcp_options options = sti_lcp_options_default();
    options.solver = STI_LCP_LEMKE;
    options.max_iterations = most_pivots(p);
    sti_lcp_answer answer = {0};
    const sti_lcp lcp = {.n = p->pairs, .M = sti_matrix_dense_view(p->pairs, p->pairs, p->M), .q = p->q};
    sti_status status = p->pairs > 0 ? sti_lcp_solve(p->env, &lcp, &options, &answer) : STI_OK;
    if (status != STI_OK) return status;
    const bool solved = p->pairs == 0 || answer.outcome == STI_SOLVED;
    if (solved) {
        if (p->pairs > 0) memcpy(p->basis, answer.alpha, (size_t)p->pairs);
        status = recover(p, answer.z);
    }
    if (solved && status == STI_OK) {
        p->outcome = STI_SOLVED;
        p->why[0] = '\0';
        sti_impulses_read(p, p->free_variables, answer.z);
    }
    sti_lcp_answer_clear(p->env, &answer);
    if (status != STI_OK) return status;
    return solved && p->residual <= 1e-9 ? STI_OK : solve_mixed(p);
}

// D1: bound := mu |c_nu|; how much it changed, relative.
static double renew_bounds(sti_impulses* p) {
    double change = 0, size = 0;
    for (int j = 0; j < p->count; j++) {
        sti_impulse_contact* c = &p->contacts[j];
        if (!c->bilateral || p->first_beta[j] < 0) continue;
        const double bound = c->mu * fabs(p->c_n[j]);
        change = fmax(change, fabs(bound - c->bound));
        size = fmax(size, bound);
        c->bound = p->b[p->lambda_index[j]] = bound;
    }
    return size > 0 ? change / size : 0;
}

// D2: joints that were left out hold by themselves, or contradict the others.
static void judge_joints(sti_impulses* p) {
    const double speed = 1 + sti_vector_largest(p->n, p->u);
    for (int j = 0; !p->nearing && j < p->count; j++) {
        const double* n = p->contacts[j].n;
        if (p->row[j] >= 0 || fabs(p->rho[j]) <= 1e-7 * (speed * sqrt(sti_vector_dot(p->n, n, n)) + 1e-300)) continue;
        p->outcome = STI_UNKNOWN;
        snprintf(p->why, sizeof p->why, "joint %d contradicts the others: its rate is %.3g, and it cannot be changed",
                 p->contacts[j].contact, p->rho[j]);
    }
}

sti_status sti_impulses_solve(sti_impulses* p) {
    sti_impulses_pose(p);
    for (int round = 0; round < JOINT_ROUNDS; round++) {
        const sti_status status = solve_once(p);
        if (status != STI_OK || p->outcome != STI_SOLVED) return status;
        if (!(p->residual <= 1e-6)) {
            p->outcome = STI_UNKNOWN;
            snprintf(p->why, sizeof p->why, "the best point has a residual of %.3g", p->residual);
            return STI_OK;
        }
        const double change = renew_bounds(p);
        if (change <= 1e-12) {
            judge_joints(p);
            return STI_OK;
        }
        p->residual = fmax(p->residual, change);
    }
    if (p->residual > 1e-8) {
        p->outcome = STI_LIMIT;
        snprintf(p->why, sizeof p->why, "friction of the joints: the bounds mu |c| did not settle in %d rounds",
                 JOINT_ROUNDS);
    }
    return STI_OK;
}
