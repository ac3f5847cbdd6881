// friction.c: Newton's law with Coulomb's friction, S1 (67)-(68), by enumeration of all modes.
//
//     qdot_norm+ = -E qdot_norm-,     p_t,i in -mu_i p_n,i Sgn(sigma_i),     sigma_i = v_t,i+ + e_t,i v_t,i-
//
// The normal law is an equality, so impulses of either sign can come out; those with p_n < 0 are returned and marked
// inadmissible. A mode fixes, for every rough contact, the sign of sigma ('+', '-') or sigma = 0 ('k'). In a mode the
// unknowns are pbar_n and p_t of the contacts with 'k', and the equations are linear, as many as unknowns:
//
//     (G - n_q'H_T [mu xi / |n|]) pbar + n_q'H_k p_k = -E qdot_norm- - qdot_norm0           at every contact
//     W_tn pbar + W_tt p_t = -e_t v_t- - v_t0                                               at every contact with 'k'
//
// It is a solution when xi sigma > 0 where a contact slides and |p_t| <= mu p_n where it does not. Read to the letter,
// (67) also lets a contact stick with p_n < 0 and |p_t| <= mu |p_n|; the option stick_negative adds those. A singular
// system (two corners of one block always slide together) leaves a family x0 + Z y, or nothing; whether the family
// meets the inequalities is decided by double description of the cone { (y, t) : inequalities }, and a point of its
// relative interior is reported. So a mode is missed only when its inequalities hold by less than rounding.
//
// Which modes are tried: velocities after the impact have their normal part fixed, so sigma is an affine function of
// qdot_tan+, sigma_i = a_i + tau_i'x, with Gram matrix tau'tau = W_tt - W_tn G^+ W_nt. When tau_i = 0 the sign of
// sigma_i is known beforehand; when tau_i and tau_j are parallel, one sign restricts the other. The tree of 3^p modes
// is pruned with both; this is exact, and brings the block from 9 modes to 3. Cost: one small linear system per mode
// left.
//
// Slips are measured in units of their kinetic length, so that one tolerance serves all numbers.
#include <math.h>
#include <stdio.h>
#include <stiction/cone.h>
#include <string.h>

#include "impacts/work.h"
#include "linalg/dense_algebra.h"

typedef struct friction {
    sti_impact_work* w;
    sti_impact_answer* answer;
    int p, s;
    int rough_count;
    int* rough;       // contacts with mu > 0 and one slip                    (rough_count)
    signed char* xi;  // chosen for each rough contact: +1, -1, 0             (rough_count)
    double* W;        // with slips in units of their kinetic length          ((p+s) x (p+s))
    double* mubar;    // mu_i |t_i| / |n_i|                                   (p)
    double* right;    // -E qdot_norm- - qdot_norm0                           (p)
    double* sigma0;   // v_t0 + e_t v_t-                                      (s)
    double* a;        // sigma = a + tau'x                                    (s)
    double* gram;     // tau'tau                                              (s x s)
    double tol;
    // one mode
    int unknowns;
    int* column;  // of p_t of each contact among the unknowns, -1        (p)
    double* A;    // (unknowns x unknowns), room for p+s
    double* b;
    double* x0;
    double* Z;
    double* map;  // x -> sigma of each contact                           (p x unknowns)
    double* work;
    int* index;
    double* z;  // (pbar; p_t)                                          (p+s)
    sti_arena* scratch;
} friction;

// ---- what is known before

static int slip_of(const friction* k, int contact) {
    return k->w->out->slip[contact];
}

static sti_status reserve(friction* k) {
    sti_arena* pool = k->scratch;
    const size_t p = (size_t)k->p, s = (size_t)k->s, u = p + s;
    k->rough = sti_arena_ints(pool, p);
    k->xi = sti_arena_take(pool, p, sizeof *k->xi);
    k->W = sti_arena_doubles(pool, u * u);
    k->mubar = sti_arena_doubles(pool, p);
    k->right = sti_arena_doubles(pool, p);
    k->sigma0 = sti_arena_doubles(pool, s);
    k->a = sti_arena_doubles(pool, s);
    k->gram = sti_arena_doubles(pool, s * s);
    k->column = sti_arena_ints(pool, p);
    k->A = sti_arena_doubles(pool, u * u);
    k->b = sti_arena_doubles(pool, u);
    k->x0 = sti_arena_doubles(pool, u);
    k->Z = sti_arena_doubles(pool, u * u);
    k->map = sti_arena_doubles(pool, p * u);
    k->work = sti_arena_doubles(pool, u * (u + 1) + u);
    k->index = sti_arena_ints(pool, 2 * u);
    k->z = sti_arena_doubles(pool, u);
    return pool->status;
}

static void prepare(friction* k) {
    const sti_impact_work* w = k->w;
    const int p = k->p, s = k->s, u = p + s;
    for (int i = 0; i < u; i++) {
        for (int j = 0; j < u; j++)
            k->W[sti_at(u, i, j)] =
                w->space->W[sti_at(u, i, j)] / (i < p ? 1 : w->tan[i - p]) / (j < p ? 1 : w->tan[j - p]);
    }
    for (int i = 0; i < p; i++) {
        k->right[i] = -w->u0[i] - sti_vector_dot(p, w->out->E + sti_at(p, i, 0), w->u);
        for (int l = w->out->slip[i]; l < w->out->slip[i + 1]; l++)
            k->sigma0[l] = (w->u0[p + l] + w->out->e_t[i] * w->u[p + l]) / w->tan[l];
        if (w->out->slip[i + 1] > w->out->slip[i] && w->out->mu[i] > 0) {
            k->mubar[i] = w->out->mu[i] * w->tan[slip_of(k, i)] / w->space->norm[i];
            k->rough[k->rough_count++] = i;
        }
    }
    // sigma = sigma0 + W_tn G^+ right + what tangential impulses add through the Gram matrix
    double *y = k->work, *h = y + p;
    sti_small_apply(p, p, w->G_inv, k->right, y);
    for (int i = 0; i < s; i++) {
        k->a[i] = k->sigma0[i];
        for (int j = 0; j < p; j++) k->a[i] += k->W[sti_at(u, p + i, j)] * y[j];
        for (int j = 0; j < s; j++) {
            for (int l = 0; l < p; l++) h[l] = k->W[sti_at(u, l, p + j)];
            double sum = k->W[sti_at(u, p + i, p + j)];
            for (int l = 0; l < p; l++)
                sum -= k->W[sti_at(u, p + i, l)] * sti_vector_dot(p, w->G_inv + sti_at(p, l, 0), h);
            k->gram[sti_at(s, i, j)] = sum;
        }
    }
}

static int sign_of(double x, double tol) {
    return (x > tol) - (x < -tol);
}

// Can sigma of the contacts behind slips i and j have these signs together?
static bool signs_fit(const friction* k, int i, int sign_i, int j, int sign_j) {
    const int s = k->s;
    const double ii = k->gram[sti_at(s, i, i)], jj = k->gram[sti_at(s, j, j)];
    const double ij = k->gram[sti_at(s, i, j)];
    if (ii <= STI_IMPACT_RANK_TOL || jj <= STI_IMPACT_RANK_TOL) return true;  // judged alone
    if (ii * jj - ij * ij > STI_IMPACT_RANK_TOL * ii * jj) return true;       // independent
    // sigma_i = rho sigma_j + shift
    const double rho = ij / jj, shift = k->a[i] - rho * k->a[j];
    const int kappa = sign_of(shift, 10 * k->tol), along = (rho > 0 ? 1 : -1) * sign_j;
    if (along == 0) return sign_i == kappa;
    if (kappa == 0) return sign_i == along;
    return kappa != along || sign_i == along;  // opposite pushes leave the sign open
}

static bool mode_fits(const friction* k, int depth) {
    const int i = slip_of(k, k->rough[depth]), sign = k->xi[depth];
    if (k->gram[sti_at(k->s, i, i)] <= STI_IMPACT_RANK_TOL && sign != sign_of(k->a[i], 10 * k->tol)) return false;
    for (int d = 0; d < depth; d++) {
        if (!signs_fit(k, i, sign, slip_of(k, k->rough[d]), k->xi[d])) return false;
    }
    return true;
}

// ---- one mode

// z = (pbar; p_t) from the unknowns of the mode.
static void expand(const friction* k, const double* x, double* z) {
    const int p = k->p;
    memset(z, 0, (size_t)(p + k->s) * sizeof *z);
    memcpy(z, x, (size_t)p * sizeof *z);
    for (int r = 0; r < k->rough_count; r++) {
        const int i = k->rough[r], slip = p + slip_of(k, i);
        z[slip] = k->column[i] >= 0 ? x[k->column[i]] : -k->xi[r] * k->mubar[i] * x[i];
    }
}

static void pose(friction* k) {
    const int p = k->p, u = p + k->s;
    k->unknowns = p;
    for (int i = 0; i < p; i++) k->column[i] = -1;
    for (int r = 0; r < k->rough_count; r++) {
        if (k->xi[r] == 0) k->column[k->rough[r]] = k->unknowns++;
    }
    const int n = k->unknowns;
    double* unit = k->work;
    for (int col = 0; col < n; col++) {
        memset(unit, 0, (size_t)n * sizeof *unit);
        unit[col] = 1;
        expand(k, unit, k->z);
        for (int i = 0; i < p; i++) {
            k->A[sti_at(n, i, col)] = sti_vector_dot(u, k->W + sti_at(u, i, 0), k->z);
            const bool slips = k->w->out->slip[i + 1] > k->w->out->slip[i];
            const double sigma = slips ? sti_vector_dot(u, k->W + sti_at(u, p + slip_of(k, i), 0), k->z) : 0;
            k->map[sti_at(n, i, col)] = sigma;
            if (k->column[i] >= 0) k->A[sti_at(n, k->column[i], col)] = sigma;
        }
    }
    for (int i = 0; i < p; i++) {
        k->b[i] = k->right[i];
        if (k->column[i] >= 0) k->b[k->column[i]] = -k->sigma0[slip_of(k, i)];
    }
}

// Do the unknowns x satisfy the inequalities of the mode?
static bool inequalities_hold(const friction* k, const double* x) {
    const int n = k->unknowns;
    const double size = fmax(k->w->speed, sti_vector_largest(n, x)), slack = k->w->options.tol * size;
    for (int r = 0; r < k->rough_count; r++) {
        const int i = k->rough[r];
        if (k->xi[r] == 0) {
            const double radius = k->w->options.stick_negative ? fabs(x[i]) : x[i];
            if (fabs(x[k->column[i]]) > k->mubar[i] * radius + slack) return false;
        } else {
            const double sigma = k->sigma0[slip_of(k, i)] + sti_vector_dot(n, k->map + sti_at(n, i, 0), x);
            if (!(k->xi[r] * sigma > slack)) return false;
        }
    }
    return true;
}

// Inequalities on (y, t) of the family x = x0 t + Z y, rows of F in F (y, t) <= 0; signs of p_n as given for contacts
// with 'k'. Returns the count.
static int family_rows(const friction* k, int dimension, const signed char* sign, double* F) {
    const int n = k->unknowns, cols = dimension + 1;
    int count = 0;
    for (int r = 0; r < k->rough_count; r++) {
        const int i = k->rough[r];
        const double* map = k->map + sti_at(n, i, 0);
        for (int side = 0; side < (k->xi[r] == 0 ? 2 : 1); side++, count++) {
            double* row = F + sti_at(cols, count, 0);
            for (int y = 0; y < cols; y++) {
                const double* x = y < dimension ? k->Z + sti_at(n, y, 0) : k->x0;
                if (k->xi[r] == 0)
                    row[y] = (side == 0 ? 1 : -1) * x[k->column[i]] - k->mubar[i] * sign[r] * x[i];
                else
                    row[y] = -k->xi[r] * (sti_vector_dot(n, map, x) + (y < dimension ? 0 : k->sigma0[slip_of(k, i)]));
            }
        }
    }
    double* row = F + sti_at(cols, count++, 0);
    memset(row, 0, (size_t)cols * sizeof *row);
    row[dimension] = -1;  // t >= 0
    return count;
}

// A point in the relative interior of the family under the inequalities: x (unknowns). *found false: empty.
static sti_status family_point(friction* k, int dimension, const signed char* sign, double* F, double* x, bool* found) {
    const int n = k->unknowns, cols = dimension + 1;
    *found = false;
    const sti_rows rows = {.count = family_rows(k, dimension, sign, F), .dimension = cols, .value = F};
    sti_polycone* cone = NULL;
    const sti_status status = sti_polycone_create_face(k->w->env, cols, &rows, NULL, NULL, &cone);
    if (status != STI_OK) return status;
    const sti_rows rays = sti_polycone_rays(cone);
    double t = 0;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = 0; i < rays.count; i++) {
        const double* ray = rays.value + sti_at(cols, i, 0);
        t += ray[dimension];
        for (int j = 0; j < n; j++) {
            x[j] += ray[dimension] * k->x0[j];
            for (int y = 0; y < dimension; y++) x[j] += ray[y] * k->Z[sti_at(n, y, j)];
        }
    }
    sti_polycone_destroy(cone);
    if (t <= 1e-12) return STI_OK;
    for (int j = 0; j < n; j++) x[j] /= t;
    *found = inequalities_hold(k, x);
    return STI_OK;
}

// All sign choices for p_n of the contacts with 'k', the physical one (all >= 0) first.
static sti_status search_family(friction* k, int dimension, bool* found) {
    const int n = k->unknowns;
    int stick = 0;
    for (int r = 0; k->w->options.stick_negative && r < k->rough_count; r++) stick += k->xi[r] == 0;
    double* F = sti_arena_doubles(k->scratch, (2 * (size_t)k->rough_count + 1) * (size_t)(dimension + 1));
    double* x = sti_arena_doubles(k->scratch, (size_t)n);
    signed char* sign = sti_arena_take(k->scratch, (size_t)k->rough_count, 1);
    if (k->scratch->status != STI_OK) return k->scratch->status;
    sti_status status = STI_OK;
    for (long choice = 0; status == STI_OK && !*found && choice < 1L << stick; choice++) {
        for (int r = 0, bit = 0; r < k->rough_count; r++) {
            sign[r] = 1;
            if (k->xi[r] == 0 && bit < stick) sign[r] = choice >> bit++ & 1 ? -1 : 1;
        }
        status = family_point(k, dimension, sign, F, x, found);
    }
    if (*found) memcpy(k->x0, x, (size_t)n * sizeof *x);
    return status;
}

static sti_status record(friction* k, int dimension) {
    const sti_impact_work* w = k->w;
    const int p = k->p;
    sti_impact_solution* x = NULL;
    expand(k, k->x0, k->z);
    for (int l = 0; l < k->s; l++) k->z[p + l] /= w->tan[l];
    sti_status status = sti_impact_add(k->w, k->answer, k->z, &x);
    char* mode = sti_arena_take(w->pool, (size_t)p + 1, 1);
    if (status == STI_OK) status = w->pool->status;
    if (status != STI_OK) return status;
    for (int i = 0; i < p; i++) {
        mode[i] = '.';
        x->law = fmax(x->law, fabs(x->qdot_norm[i] + sti_vector_dot(p, w->out->E + sti_at(p, i, 0), w->u)) /
                                  fmax(w->speed, 1e-300));
        if (w->out->slip[i + 1] - w->out->slip[i] != 1) continue;
        const double sigma = (x->v_t[slip_of(k, i)] + w->out->e_t[i] * w->u[p + slip_of(k, i)]) / w->tan[slip_of(k, i)];
        const int sign = sign_of(sigma, w->options.tol * w->speed);
        mode[i] = sign > 0 ? '+' : sign < 0 ? '-' : 'k';
    }
    for (int r = 0; r < k->rough_count; r++) mode[k->rough[r]] = "-k+"[k->xi[r] + 1];
    x->mode = mode;
    x->dimension = dimension;
    return sti_impact_energy_friction(k->w, x);
}

static sti_status try_mode(friction* k) {
    pose(k);
    const int n = k->unknowns;
    const sti_dense_family f = sti_dense_solve(n, n, k->A, k->b, STI_IMPACT_RANK_TOL, k->x0, k->Z, k->work, k->index);
    if (!f.consistent) return STI_OK;
    bool found = inequalities_hold(k, k->x0);
    if (!found && f.rank < n) {
        const sti_status status = search_family(k, n - f.rank, &found);
        if (status != STI_OK) return status;
    }
    return found ? record(k, n - f.rank) : STI_OK;
}

static sti_status enumerate(friction* k) {
    static const signed char order[] = {1, -1, 0};
    int depth = 0;
    int* next = sti_arena_ints(k->scratch, (size_t)k->rough_count + 1);
    if (next == NULL) return k->scratch->status;
    while (depth >= 0) {
        if (depth == k->rough_count) {
            sti_status status = sti_check_time(k->w->env, "trying modes of friction");
            if (status == STI_OK) status = try_mode(k);
            if (status != STI_OK) return status;
            depth--;
        } else if (next[depth] == 3) {
            next[depth--] = 0;
        } else {
            k->xi[depth] = order[next[depth]++];
            if (mode_fits(k, depth)) depth++;
        }
    }
    return STI_OK;
}

sti_status sti_impact_friction(sti_impact_work* w) {
    sti_impact_answer* a = &w->out->laws[STI_IMPACT_FRICTION];
    int rough = 0;
    for (int i = 0; i < w->out->p; i++) {
        const int slips = w->out->slip[i + 1] - w->out->slip[i];
        if (w->out->mu[i] > 0 && slips > 0) rough++;
        if (w->out->mu[i] > 0 && slips > 1 && w->out->p == 1) return sti_impact_friction_spatial(w, a);
        if (w->out->mu[i] > 0 && slips > 1) {
            snprintf(a->why, sizeof a->why, "%.60s is rough in space: with other contacts its modes are not enumerated",
                     w->instant->contacts[w->out->contact[i]].name);
            return STI_OK;
        }
    }
    if (rough > w->options.mode_limit) {
        snprintf(a->why, sizeof a->why, "%d rough contacts are beyond the limit of %d", rough, w->options.mode_limit);
        return STI_OK;
    }
    a->applies = a->complete = true;
    sti_arena scratch = sti_arena_make(w->env);
    friction k = {
        .w = w, .answer = a, .p = w->out->p, .s = w->out->s, .tol = w->options.tol * w->speed, .scratch = &scratch};
    sti_status status = reserve(&k);
    if (status == STI_OK) {
        prepare(&k);
        status = enumerate(&k);
    }
    sti_arena_clear(&scratch);
    if (status == STI_OK && a->count == 0) snprintf(a->why, sizeof a->why, "no mode satisfies the law");
    return status;
}
