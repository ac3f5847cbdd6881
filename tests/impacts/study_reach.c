// study_reach.c: SEED COUNT: the matrix of restitution that gives a stated velocity after an impact
// (sti_restitution_reaching, S1 proposition 1) at random instants of integers, with joints.
//
// What can be reached is settled in integers: the gradients are independent, and a contact moves before the impact or
// none shall after it. The impact is solved here for v+ and the impulses, from the mass, the gradients and the velocity
// stated, without a matrix of restitution; the matrix must lead there by the library's law and by the kinetic energy of
// this v+. Where it is said to gain no energy, other velocities before the impact must gain none.
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"
#include "support/study.h"

enum { N = 6, P = 4, ROWS = P + 1, SIZE = N + ROWS };

typedef struct problem {
    int n, p, joints;
    double M[N * N], F[N], v[N], row[ROWS][N], u[P];  // u: n_i'v+ stated
    sti_instant_contact contact[ROWS];
    sti_instant in;
} problem;

static double dot(int n, const double* x, const double* y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// ---- problems

static void make_rows(problem* k, sti_rng* rng) {
    const int rows = k->p + k->joints, n = k->n, dependent = sti_rng_int(rng, 0, 5);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++) k->row[i][j] = sti_rng_int(rng, -3, 3);
        if (dot(n, k->row[i], k->row[i]) == 0) k->row[i][i % n] = 1;
    }
    if (k->joints) {  // two velocities are the same
        memset(k->row[k->p], 0, sizeof k->row[k->p]);
        k->row[k->p][0] = 1;
        k->row[k->p][1] = -1;
    }
    if (dependent == 0 && rows > 1) {  // a contact that others, or a joint, determine
        const int other = sti_rng_int(rng, 1, rows - 1), factor = sti_rng_int(rng, 0, 1) ? 3 : -1;
        for (int j = 0; j < n; j++) k->row[0][j] = factor * k->row[other][j];
        for (int i = 1; i < k->p && rows > 2; i++)
            for (int j = 0; i != other && j < n; j++) k->row[0][j] += k->row[i][j];
        if (dot(n, k->row[0], k->row[0]) == 0) k->row[0][0] = 1;
    }
}

static void make_velocity(problem* k, sti_rng* rng) {
    const int kind = sti_rng_int(rng, 0, 7), n = k->n;
    for (int j = 0; j < n; j++) k->v[j] = kind == 0 ? 0 : sti_rng_int(rng, -3, 3);
    if (k->joints) k->v[1] = k->v[0];
    if (kind == 1 && k->p == 1 && !k->joints && n > 1) {  // along the surface
        memset(k->v, 0, sizeof k->v);
        k->v[0] = k->row[0][1];
        k->v[1] = -k->row[0][0];
        if (n > 3) {
            k->v[2] = k->row[0][3];
            k->v[3] = -k->row[0][2];
        }
    }
    const double speed = sti_rng_int(rng, 1, 12);
    const bool nothing = sti_rng_int(rng, 0, 9) == 0;
    for (int i = 0; i < k->p; i++) k->u[i] = nothing ? 0 : speed * sti_rng_u01(rng);
}

static void make(problem* k, sti_rng* rng) {
    double B[N * N];
    *k = (problem){.n = sti_rng_int(rng, 1, N)};
    k->p = sti_rng_int(rng, 1, k->n < P ? k->n : P);
    k->joints = k->n > 2 && sti_rng_int(rng, 0, 3) == 0;
    const int n = k->n;
    for (int i = 0; i < n * n; i++) B[i] = sti_rng_int(rng, -1, 1);
    for (int i = 0; i < n * n; i++) {
        k->M[i] = i % (n + 1) == 0 ? sti_rng_int(rng, 1, 3) : 0;
        for (int l = 0; l < n; l++) k->M[i] += B[i / n * n + l] * B[i % n * n + l];
    }
    make_rows(k, rng);
    make_velocity(k, rng);
    for (int i = 0; i < k->p + k->joints; i++)
        k->contact[i] = (sti_instant_contact){.name = "c", .bilateral = i >= k->p, .n = k->row[i]};
    k->in = (sti_instant){.n = n, .M = k->M, .F = k->F, .v = k->v, .contacts = k->contact};
    k->in.contact_count = k->p + k->joints;
}

// ---- truth

// Rank of the gradients, by elimination in integers without fractions.
static int rank_of(const problem* k) {
    const int rows = k->p + k->joints;
    long long a[ROWS][N], last = 1;
    int rank = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < k->n; j++) a[i][j] = (long long)k->row[i][j];
    for (int c = 0; c < k->n && rank < rows; c++) {
        int at = rank;
        while (at < rows && a[at][c] == 0) at++;
        if (at == rows) continue;
        for (int j = 0; j < k->n; j++) {
            const long long x = a[at][j];
            a[at][j] = a[rank][j];
            a[rank][j] = x;
        }
        for (int i = rank + 1; i < rows; i++) {
            const long long f = a[i][c];
            for (int j = 0; j < k->n; j++) a[i][j] = (a[rank][c] * a[i][j] - f * a[rank][j]) / last;
        }
        last = a[rank++][c];
    }
    return rank;
}

static bool can_be_reached(const problem* k) {
    bool before = false, after = false;
    for (int i = 0; i < k->p; i++) {
        before = before || dot(k->n, k->row[i], k->v) != 0;  // integers
        after = after || k->u[i] != 0;
    }
    return rank_of(k) == k->p + k->joints && (before || !after);
}

// x = A^-1 x by elimination with pivots, m x m.
static void eliminate(int m, long double (*A)[SIZE], long double* x) {
    for (int c = 0; c < m; c++) {
        int best = c;
        for (int i = c; i < m; i++) best = fabsl(A[i][c]) > fabsl(A[best][c]) ? i : best;
        for (int j = 0; j <= m; j++) {
            long double *a = j < m ? &A[c][j] : &x[c], *b = j < m ? &A[best][j] : &x[best], y = *a;
            *a = *b;
            *b = y;
        }
        for (int i = 0; i < m; i++) {
            const long double f = i == c ? 0 : A[i][c] / A[c][c];
            for (int j = c; j < m && f != 0; j++) A[i][j] -= f * A[c][j];
            x[i] -= f * x[c];
        }
    }
    for (int i = 0; i < m; i++) x[i] /= A[i][i];
}

// M (after - before) = sum of impulses along the gradients, n_i'after = u_i at contacts, 0 at joints.
static void strike(const problem* k, const double* before, const double* u, double* after) {
    const int n = k->n, rows = k->p + k->joints;
    long double A[SIZE][SIZE] = {{0}}, x[SIZE] = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i][j] = k->M[i * n + j];
            x[i] += A[i][j] * before[j];
        }
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            A[n + r][j] = k->row[r][j];
            A[j][n + r] = -A[n + r][j];
        }
        x[n + r] = r < k->p ? u[r] : 0;
    }
    eliminate(n + rows, A, x);
    for (int j = 0; j < n; j++) after[j] = (double)x[j];
}

static double kinetic(const problem* k, const double* v) {
    double sum = 0;
    for (int i = 0; i < k->n; i++) sum += v[i] * dot(k->n, k->M + i * k->n, v) / 2;
    return sum;
}

// ---- what the matrix claims

// The energy that E, over n_i'v / norm_i, adds after this velocity, and its size.
static double gained(const problem* k, const double* norm, const double* E, const double* v, double* size) {
    double before[P], u[P], after[N];
    for (int i = 0; i < k->p; i++) before[i] = dot(k->n, k->row[i], v) / norm[i];
    for (int i = 0; i < k->p; i++) u[i] = -norm[i] * dot(k->p, E + i * k->p, before);
    strike(k, v, u, after);
    *size = kinetic(k, v) + kinetic(k, after);
    return kinetic(k, after) - kinetic(k, v);
}

static const char* energy_is_kept(const problem* k, const double* norm, const double* E, sti_rng* rng, bool* keeps) {
    double size;
    *keeps = gained(k, norm, E, k->v, &size) <= 1e-9 * size;
    for (int trial = 0; *keeps && trial < 20; trial++) {
        double v[N] = {0};
        for (int j = 0; j < k->n; j++) v[j] = 2 * sti_rng_u01(rng) - 1;
        if (k->joints) v[1] = v[0];
        if (gained(k, norm, E, v, &size) > 1e-9 * size) return "another velocity gains energy";
    }
    return NULL;
}

static const char* leads_there(sti_env* env, const problem* k, const double* E, bool keeps) {
    sti_impact_options o = sti_impact_options_default();
    sti_impact* made;
    double after[N], worst = 0, size = 1;
    const char* why = NULL;
    o.E = E;
    if (sti_impact_create(env, &k->in, &o, &made) != STI_OK) return sti_env_error(env)->text;
    const sti_impact_answer* a = &made->laws[STI_IMPACT_GENERAL];
    strike(k, k->v, k->u, after);
    for (int j = 0; j < k->n; j++) size = fmax(size, fmax(fabs(after[j]), fabs(k->v[j])));
    for (int j = 0; j < k->n && a->count == 1; j++) worst = fmax(worst, fabs(a->solutions[0].v[j] - after[j]));
    if (a->count != 1)
        why = "the law does not lead to one velocity";
    else if (!(worst <= 1e-9 * size))
        why = "the law leads elsewhere";
    else if (fabs(a->solutions[0].energy.direct - kinetic(k, after) + kinetic(k, k->v)) > 1e-9 * size * size)
        why = "the energy is another";
    else if (made->test == NULL || (made->test->dissipative != keeps && fabs(made->test->sigma_max_B - 1) > 1e-6))
        why = "the judge of matrices says otherwise";
    sti_impact_destroy(env, made);
    return why;
}

// 1: reached, 0: refused
static const char* judge(sti_env* env, const problem* k, sti_rng* rng, bool* reached, bool* keeps) {
    sti_impact* before;
    double E[P * P], after[P];
    if (sti_impact_create(env, &k->in, NULL, &before) != STI_OK) return sti_env_error(env)->text;
    for (int i = 0; i < k->p; i++) after[i] = k->u[i] / before->norm[i];
    const sti_status status = sti_restitution_reaching(env, k->p, before->G, before->qdot_norm, after, E);
    *reached = status == STI_OK;
    const char* why = NULL;
    if (status != STI_OK && status != STI_ERR_INPUT) why = sti_env_error(env)->text;
    if (why == NULL && *reached != can_be_reached(k))
        why = *reached ? "reached what cannot be" : "refused what can be reached";
    bool moves = false;
    for (int i = 0; i < k->p; i++) moves = moves || dot(k->n, k->row[i], k->v) != 0;
    if (why == NULL && *reached && moves) why = energy_is_kept(k, before->norm, E, rng, keeps);
    if (why == NULL && *reached && moves) why = leads_there(env, k, E, *keeps);
    sti_impact_destroy(env, before);
    return why;
}

int main(int argc, char** argv) {
    study s;
    const int bad = study_open(&s, argc, argv);
    if (bad != 0) return bad;
    long matrices = 0, kept = 0;
    for (; s.at < s.count; s.at++) {
        problem k;
        bool reached = false, keeps = false;
        make(&k, &s.rng);
        const char* why = judge(s.env, &k, &s.rng, &reached, &keeps);
        matrices += reached;
        kept += keeps;
        study_judge(&s, why);
    }
    return study_close(&s, "%ld instants: a matrix %ld (%ld without gain of energy), none %ld", s.count, matrices, kept,
                       s.count - matrices);
}
