// painleve_matrix.c: the matrix of the contact LCP and the friction at which it stops being a P-matrix.
//
// With friction mu weight_j everywhere, D(mu) = G - mu N, N = n_q'H_T diag(weight_j xi_j / |n_j|). A principal minor is
//
//     det(G_aa - mu N_aa) = det(G_aa) det(I - mu G_aa^-1 N_aa),
//
// a polynomial of degree |a| in mu that is positive at mu = 0, since G is positive definite. Its least positive root is
// 1 / lambda with lambda the largest positive real eigenvalue of G_aa^-1 N_aa. So D(mu) is a P-matrix exactly up to the
// least of these over all index sets a; and over all directions xi for "whatever the slip". Reversing all directions
// changes the sign of the eigenvalues, which halves the work. Orders 1 and 2 have closed forms. A double root touches
// zero without crossing it: the pair of eigenvalues comes out of rounding with imaginary parts of about the square root
// of the rounding, so pairs with parts below 1e-7 of their modulus count as real.
//
// A minor of a set depends only on the directions of its own contacts: (3^p - 1) / 2 eigenvalue problems in all, when
// all directions are possible.
//
// Lasting contacts (n_i'v = 0, joints too) leave velocities whose slips are tau_i'x; with the tau_i dependent, not all
// signs occur together: the two corners of a block always slide the same way. By Gordan's theorem the signs xi are
// possible exactly when no lambda >= 0 other than 0 has sum lambda_i xi_i tau_i = 0. The lambda with sum lambda_i tau_i
// = 0 are the null space of the Gram matrix  W_tt - W_tn G^-1 W_nt;  it is empty as a rule, one vector is looked at
// directly, and more by double description. Where surfaces move by themselves the slips are tau_i'x + c_i, and xi is
// possible exactly when each such y = (lambda_i xi_i) other than 0 also has y'c > 0.
#include "impacts/painleve_matrix.h"

#include <math.h>
#include <stiction/cone.h>
#include <string.h>

#include "linalg/dense_algebra.h"
#include "linalg/vector.h"

// ---- reading

// Unit direction of slip at contact i (in its own tangents) and the speed along it.
static sti_status find_direction(const sti_space* space, int i, const double* v_t, double speed, double* u,
                                 double* slip) {
    const int first = space->slip[i], count = space->slip[i + 1] - first;
    const sti_instant_contact* c = &space->instant->contacts[space->contact[i]];
    double length = 0;
    for (int l = 0; l < count; l++) length = hypot(length, v_t[first + l]);
    const double* row = space->A + sti_at(space->n, space->p + first, 0);
    const double unit = count > 0 ? sqrt(sti_small_form(space->n, space->Minv, row, row)) : 0;
    const bool rests = c->state == STI_INSTANT_STICK || length <= 1e-12 * unit * speed;
    *slip = rests ? 0 : length;
    if (count == 1) {
        u[0] = 1;
        if (!rests) *slip = v_t[first];
    } else if (count == 2 && !rests) {
        u[0] = v_t[first] / length;
        u[1] = v_t[first + 1] / length;
    } else if (count == 2) {
        // at rest in space: with one contact the worst direction is known
        if (space->p > 1)
            return STI_FAIL(space->env, STI_ERR_INPUT, i,
                            "contact %s touches in space and does not slip: its direction of "
                            "friction is not known",
                            c->name);
        const int a = space->p + space->s;
        const double x = space->W[sti_at(a, 0, 1)], y = space->W[sti_at(a, 0, 2)], both = hypot(x, y);
        u[0] = both > 0 ? x / both : 1;
        u[1] = both > 0 ? y / both : 0;
    }
    return STI_OK;
}

// b_i = (n_rate_i + n_i'a0) / |n_i|, a0 the acceleration without contact forces, joints holding. Where b_i is rounding
// against what a0 and it were summed from, it is zero.
static sti_status fill_load(const sti_space* space, sti_painleve_matrix* k, double* work) {
    const sti_instant* in = space->instant;
    const int n = space->n;
    double *a0 = work, *rate = work + n;
    sti_small_apply(n, n, space->Minv, in->F, a0);
    for (int j = 0; j < n; j++) a0[j] = -a0[j];
    // joints: B a + rate = 0
    for (int i = 0; i < space->m; i++) {
        const double own = in->contacts[space->joint[i]].n_rate / space->joint_norm[i];
        rate[i] = own + sti_vector_dot(n, space->B + sti_at(n, i, 0), a0);
    }
    for (int i = 0; i < space->m; i++) {
        const double y = sti_vector_dot(space->m, space->K + sti_at(space->m, i, 0), rate);
        for (int j = 0; j < n; j++) a0[j] -= y * space->MB[sti_at(n, i, j)];
    }
    for (int i = 0; i < k->p; i++) {
        const double own = in->contacts[space->contact[i]].n_rate / space->norm[i], *row = space->A + sti_at(n, i, 0);
        double terms = fabs(own);
        for (int j = 0; j < n; j++) {
            terms += fabs(row[j] * a0[j]);
            for (int l = 0; l < n; l++) terms += fabs(row[j] * space->Minv[sti_at(n, j, l)] * in->F[l]);
        }
        k->b[i] = own + sti_vector_dot(n, row, a0);
        if (fabs(k->b[i]) <= 1e-14 * terms) k->b[i] = 0;
    }
    return STI_OK;
}

// c: the slips along their directions of one velocity that keeps contacts and joints; 0 unless surfaces move.
// scratch: (p + s + n).
static void own_slips(const sti_space* space, const double* direction, const sti_painleve_matrix* k, double* scratch,
                      double* c) {
    enum { MOST = STI_PAINLEVE_MOST * STI_PAINLEVE_MOST };
    const int p = k->p, a = p + space->s;
    double *u = scratch, *v = scratch + a;
    double inverse[MOST], y[STI_PAINLEVE_MOST], work[2 * MOST + STI_PAINLEVE_MOST];
    memset(v, 0, (size_t)space->n * sizeof *v);
    sti_space_project(space, v, v, NULL);
    sti_space_local(space, v, u);
    sti_dense_pseudo_inverse(p, k->G, STI_SPACE_RANK_TOL, inverse, work);
    sti_small_apply(p, p, inverse, u, y);
    for (int x = 0; x < k->rough_count; x++) {
        const int j = k->rough[x];
        c[x] = 0;
        for (int l = space->slip[j]; l < space->slip[j + 1]; l++)
            c[x] += direction[2 * j + l - space->slip[j]] *
                    (u[p + l] - sti_vector_dot(p, space->W + sti_at(a, p + l, 0), y));
    }
}

// The null space of the Gram matrix of the slips; direction: (2 per contact), c of own_slips.
static void fill_null_space(const sti_space* space, const double* direction, const double* c, sti_painleve_matrix* k) {
    enum { MOST = STI_PAINLEVE_MOST * STI_PAINLEVE_MOST };
    const int p = k->p, r = k->rough_count, a = p + space->s;
    double inverse[MOST], gram[MOST], V[MOST], e[STI_PAINLEVE_MOST], length[STI_PAINLEVE_MOST];
    double work[2 * MOST + STI_PAINLEVE_MOST], column[2][STI_PAINLEVE_MOST];
    sti_dense_pseudo_inverse(p, k->G, STI_SPACE_RANK_TOL, inverse, work);
    for (int x = 0; x < r; x++) {
        for (int y = 0; y <= x; y++) {
            const int contact[2] = {k->rough[x], k->rough[y]};
            double sum = 0;
            for (int i = space->slip[contact[0]]; i < space->slip[contact[0] + 1]; i++) {
                for (int j = space->slip[contact[1]]; j < space->slip[contact[1] + 1]; j++)
                    sum += space->W[sti_at(a, p + i, p + j)] * direction[2 * contact[0] + i - space->slip[contact[0]]] *
                           direction[2 * contact[1] + j - space->slip[contact[1]]];
            }
            if (x == y) length[x] = sum > 0 ? sqrt(sum) : 1;
            for (int i = 0; i < p; i++) {
                column[0][i] = k->n_H[sti_at(p, i, contact[0])];
                column[1][i] = k->n_H[sti_at(p, i, contact[1])];
            }
            gram[sti_at(r, x, y)] = gram[sti_at(r, y, x)] = sum - sti_small_form(p, inverse, column[0], column[1]);
        }
    }
    for (int x = 0; x < r; x++) {
        for (int y = 0; y < r; y++) gram[sti_at(r, x, y)] /= length[x] * length[y];
    }
    for (int x = 0; x < r; x++) {  // a slip that is always zero restricts nobody
        if (gram[sti_at(r, x, x)] > 1e-10) continue;
        k->constant[x] = c[x];
        for (int y = 0; y < r; y++) gram[sti_at(r, x, y)] = gram[sti_at(r, y, x)] = x == y;
    }
    sti_dense_eigen(r, gram, e, V);
    while (k->null_count < r && e[k->null_count] <= 1e-10) {
        double shift = 0, size = 0;
        for (int x = 0; x < r; x++) {
            const double z = V[sti_at(r, k->null_count, x)] / length[x];
            k->null_space[sti_at(r, k->null_count, x)] = z;
            shift += z * c[x];
            size += fabs(z * c[x]);
        }
        k->null_shift[k->null_count++] = fabs(shift) > 1e-9 * size ? shift : 0;
    }
}

sti_status sti_painleve_possible(const sti_painleve_matrix* k, const double* xi, bool* out) {
    const int r = k->rough_count, d = k->null_count;
    const sti_status in_time = sti_check_time(k->env, "trying directions of slip");
    if (in_time != STI_OK) return in_time;
    bool slips = true;  // the slips are these
    for (int x = 0; x < r; x++) slips = slips && k->slip[k->rough[x]] * xi[k->rough[x]] > 0;
    *out = true;
    for (int x = 0; x < r; x++) *out = *out && k->constant[x] * xi[k->rough[x]] >= 0;
    if (d == 0 || slips || !*out) return STI_OK;
    double F[(STI_PAINLEVE_MOST + 1) * STI_PAINLEVE_MOST];  // -xi_x (Z'y)_x <= 0, shift'y <= 0
    const double size = sti_vector_largest(d * r, k->null_space);
    bool up = k->null_shift[0] <= 0, down = k->null_shift[0] >= 0;
    for (int x = 0; x < r; x++) {
        for (int y = 0; y < d; y++) {
            double z = k->null_space[sti_at(r, y, x)];
            if (fabs(z) <= 1e-9 * size) z = 0;
            F[sti_at(d, x, y)] = -xi[k->rough[x]] * z;
        }
        up = up && F[sti_at(d, x, 0)] <= 0;
        down = down && F[sti_at(d, x, 0)] >= 0;
    }
    if (d == 1) {
        *out = !up && !down;
        return STI_OK;
    }
    memcpy(F + sti_at(d, r, 0), k->null_shift, (size_t)d * sizeof *F);
    sti_polycone* cone = NULL;
    const sti_rows rows = {.count = r + 1, .dimension = d, .value = F};
    const sti_status status = sti_polycone_create_face(k->env, d, &rows, NULL, NULL, &cone);
    if (status != STI_OK) return status;
    *out = sti_polycone_dimension(cone) == 0;
    sti_polycone_destroy(cone);
    return STI_OK;
}

sti_status sti_painleve_matrix_read(sti_env* env, const sti_space* space, sti_painleve_matrix* k) {
    const sti_instant* in = space->instant;
    const int p = space->p, n = space->n, a = p + space->s;
    *k = (sti_painleve_matrix){.env = env, .p = p};
    if (p > STI_PAINLEVE_MOST)
        return STI_FAIL(env, STI_ERR_SIZE, p, "%d touching contacts: at most %d are analyzed", p, STI_PAINLEVE_MOST);
    double* work = sti_alloc_array(env, (size_t)a + (size_t)n + (size_t)space->m, sizeof *work);
    if (work == NULL) return STI_ERR_MEMORY;
    double* u = work;
    sti_space_local(space, in->v, u);
    const double speed = sqrt(sti_small_form(n, in->M, in->v, in->v));
    k->approach = sti_vector_largest(p, u);
    sti_space_block(space, 0, p, 0, p, k->G);
    sti_status status = STI_OK;
    double* directions = k->direction;
    for (int j = 0; status == STI_OK && j < p; j++) {
        const sti_instant_contact* c = &in->contacts[space->contact[j]];
        double* direction = directions + (size_t)2 * (size_t)j;
        status = find_direction(space, j, u + p, speed, direction, &k->slip[j]);
        k->mu[j] = k->slip[j] != 0 ? c->mu_kinetic : c->mu;
        if (space->slip[j + 1] > space->slip[j]) k->rough[k->rough_count++] = j;
        for (int i = 0; i < p; i++) {
            for (int l = space->slip[j]; l < space->slip[j + 1]; l++)
                k->n_H[sti_at(p, i, j)] += space->W[sti_at(a, i, p + l)] * direction[l - space->slip[j]];
            k->N[sti_at(p, i, j)] = k->n_H[sti_at(p, i, j)] / space->norm[j];
        }
    }
    if (status == STI_OK) {
        double c[STI_PAINLEVE_MOST];
        own_slips(space, directions, k, work, c);
        fill_null_space(space, directions, c, k);
    }
    if (status == STI_OK) status = fill_load(space, k, work);
    sti_free(env, work);
    return status;
}

bool sti_painleve_directions(const sti_painleve_matrix* k, unsigned pattern, double* xi) {
    bool agrees = true;
    memset(xi, 0, (size_t)k->p * sizeof *xi);
    for (int r = 0; r < k->rough_count; r++) {
        const int j = k->rough[r];
        xi[j] = pattern >> r & 1 ? -1 : 1;
        if (k->slip[j] * xi[j] < 0) agrees = false;
    }
    return agrees;
}

void sti_painleve_matrix_fill(const sti_painleve_matrix* k, const double* mu, const double* xi, double* D) {
    for (int i = 0; i < k->p; i++) {
        for (int j = 0; j < k->p; j++)
            D[sti_at(k->p, i, j)] = k->G[sti_at(k->p, i, j)] - k->N[sti_at(k->p, i, j)] * mu[j] * xi[j];
    }
}

// ---- minors

// The block of A on the set, packed; returns its order.
static int pick(int p, const double* A, unsigned set, double* out) {
    int index[STI_PAINLEVE_MOST], count = 0;
    for (int i = 0; i < p; i++) {
        if (set >> i & 1) index[count++] = i;
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) out[sti_at(count, i, j)] = A[sti_at(p, index[i], index[j])];
    }
    return count;
}

double sti_painleve_minor(int p, const double* D, unsigned set) {
    double block[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST];
    const int order = pick(p, D, set, block);
    return sti_dense_determinant(order, block);
}

double sti_painleve_minor_relative(int p, const double* D, unsigned set) {
    double block[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST], size = 1;
    const int order = pick(p, D, set, block);
    for (int i = 0; i < order; i++) {
        double sum = 0;
        for (int j = 0; j < order; j++) sum += fabs(block[sti_at(order, i, j)]);
        size *= fmax(sum, 1.0);  // G has about unit entries, and a row may vanish
    }
    return sti_dense_determinant(order, block) / size;
}

// ---- critical friction

// Largest positive and most negative real eigenvalue of an order x order matrix C; 0: none.
static sti_status real_extremes(sti_env* env, int order, const double* C, double* high, double* low) {
    double re[STI_PAINLEVE_MOST], im[STI_PAINLEVE_MOST] = {0};
    if (order == 1) {
        re[0] = C[0];
    } else if (order == 2) {
        const double half = 0.5 * (C[0] + C[3]), gap = 0.5 * (C[0] - C[3]), square = gap * gap + C[1] * C[2];
        const double root = sqrt(fabs(square));
        re[0] = half + (square >= 0 ? root : 0);
        re[1] = half - (square >= 0 ? root : 0);
        im[0] = im[1] = square >= 0 ? 0 : root;
    } else {
        const sti_status status = sti_dense_eigenvalues(env, order, C, re, im);
        if (status != STI_OK) return status;
    }
    const double size = sti_vector_largest(order * order, C);
    *high = *low = 0;
    for (int i = 0; i < order; i++) {
        if (fabs(im[i]) > 1e-7 * fabs(re[i])) continue;
        if (re[i] > 1e-14 * size) *high = fmax(*high, re[i]);
        if (re[i] < -1e-14 * size) *low = fmin(*low, re[i]);
    }
    return STI_OK;
}

sti_status sti_painleve_critical_minor(const sti_painleve_matrix* k, const double* weight, const double* xi,
                                       unsigned set, double* mu, double* reversed) {
    double G[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST] = {0}, N[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST] = {0};
    double C[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST],
        work[2 * STI_PAINLEVE_MOST * STI_PAINLEVE_MOST + STI_PAINLEVE_MOST];
    double scaled[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST], high, low;
    const int p = k->p;
    const sti_status in_time = sti_check_time(k->env, "looking for critical minors");
    if (in_time != STI_OK) return in_time;
    for (int i = 0; i < p; i++) {
        for (int j = 0; j < p; j++) scaled[sti_at(p, i, j)] = k->N[sti_at(p, i, j)] * weight[j] * xi[j];
    }
    const int order = pick(p, k->G, set, G);
    pick(p, scaled, set, N);
    if (order == 1) {
        C[0] = N[0] / G[0];
    } else {
        sti_dense_pseudo_inverse(order, G, STI_SPACE_RANK_TOL, G, work);
        sti_small_multiply(order, order, order, G, N, C);
    }
    const sti_status status = real_extremes(k->env, order, C, &high, &low);
    if (status != STI_OK) return status;
    *mu = high > 0 ? 1 / high : INFINITY;
    if (reversed != NULL) *reversed = low < 0 ? -1 / low : INFINITY;
    return STI_OK;
}

// All directions are possible: each set with the directions of its own contacts.
static sti_status critical_free(const sti_painleve_matrix* k, const double* weight, double* mu) {
    for (unsigned set = 1; set < 1U << k->p; set++) {
        int in[STI_PAINLEVE_MOST], count = 0;
        for (int r = 0; r < k->rough_count; r++) {
            if (set >> k->rough[r] & 1) in[count++] = k->rough[r];
        }
        // the first direction is fixed, its reverse comes along
        for (unsigned pattern = 0; count > 0 && pattern < 1U << (count - 1); pattern++) {
            double xi[STI_PAINLEVE_MOST] = {0}, one, other;
            for (int r = 0; r < count; r++) xi[in[r]] = r > 0 && pattern >> (r - 1) & 1 ? -1 : 1;
            const sti_status status = sti_painleve_critical_minor(k, weight, xi, set, &one, &other);
            if (status != STI_OK) return status;
            *mu = fmin(*mu, fmin(one, other));
        }
    }
    return STI_OK;
}

sti_status sti_painleve_critical(const sti_painleve_matrix* k, const double* weight, double* mu) {
    *mu = INFINITY;
    if (k->null_count == 0) return critical_free(k, weight, mu);
    for (unsigned pattern = 0; pattern < 1U << k->rough_count; pattern++) {
        double xi[STI_PAINLEVE_MOST], one;
        bool possible = false;
        sti_painleve_directions(k, pattern, xi);
        sti_status status = sti_painleve_possible(k, xi, &possible);
        for (unsigned set = 1; status == STI_OK && possible && set < 1U << k->p; set++) {
            status = sti_painleve_critical_minor(k, weight, xi, set, &one, NULL);
            if (status == STI_OK) *mu = fmin(*mu, one);
        }
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

// ---- counting solutions

// z_a = -D_aa^-1 b_a. +1: a solution, 0: none, -1: too near a border to say.
static int try_basis(int p, const double* D, const double* b, unsigned set) {
    double block[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST] = {0}, Z[STI_PAINLEVE_MOST * STI_PAINLEVE_MOST];
    double right[STI_PAINLEVE_MOST] = {0}, x[STI_PAINLEVE_MOST], z[STI_PAINLEVE_MOST] = {0};
    double work[STI_PAINLEVE_MOST * (STI_PAINLEVE_MOST + 1)];
    int index[2 * STI_PAINLEVE_MOST];
    const int order = pick(p, D, set, block);
    if (order > 0 && fabs(sti_painleve_minor_relative(p, D, set)) <= 1e-12) return -1;
    for (int i = 0, c = 0; i < p; i++) {
        if (set >> i & 1) right[c++] = -b[i];
    }
    const sti_dense_family f = sti_dense_solve(order, order, block, right, 1e-12, x, Z, work, index);
    if (f.rank < order) return f.consistent ? -1 : 0;
    for (int i = 0, c = 0; i < p; i++) {
        if (set >> i & 1) z[i] = x[c++];
    }
    const double size_z = sti_vector_largest(p, z);
    bool border = false;
    for (int i = 0; i < p; i++) {
        const bool basic = set >> i & 1;
        const double value = basic ? z[i] : b[i] + sti_vector_dot(p, D + sti_at(p, i, 0), z);
        double terms = fabs(b[i]);  // of w_i; z is one of forces that were found together
        for (int j = 0; j < p; j++) terms += fabs(D[sti_at(p, i, j)] * z[j]);
        const double small = 1e-11 * (basic ? size_z : terms);
        if (value < -small) return 0;
        if (value <= small) border = true;
    }
    return border ? -1 : 1;
}

sti_painleve_case sti_painleve_count(int p, const double* D, const double* b) {
    int count = 0;
    bool border = false;
    for (unsigned set = 0; set < 1U << p; set++) {
        const int found = try_basis(p, D, b, set);
        count += found > 0;
        border = border || found < 0;
    }
    if (count >= 2) return STI_PAINLEVE_SEVERAL;
    if (border) return STI_PAINLEVE_UNDECIDED;
    return count == 1 ? STI_PAINLEVE_ONE : STI_PAINLEVE_NONE;
}
