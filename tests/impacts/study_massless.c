// study_massless.c: SEED COUNT: random instants with a singular M, their impacts and quasi-velocities, against
//
//     the limit           Newton's law with M + eps 1 for four small eps, solved here in long doubles, extrapolated
//     other units         Newton's and Poisson's law in coordinates that are multiplied by powers of ten, up to 1e8
//     fewer coordinates   every law at the instant in coordinates that the joints allow, found here by elimination;
//                         there M is regular
//
// Masses are 1, 2, .. or none in coordinates A q; joints hold some of the directions without, and no row sees the
// others. Every solution goes to the verifier too. Where a contact moves what has no mass, there is to be no answer.
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"
#include "support/study.h"

enum { N = 7, P = 3, ROWS = 12, MOST = 16 };

typedef long double wide;

typedef struct random_case {
    int n, massive, held, idle, joints, p;
    bool moves;  // a contact moves what has no mass
    double A[N * N], mass[N], M[N * N], F[N], v[N];
    double row[ROWS][N];  // in q
    wide exact[ROWS][N];  // the same without rounding, which would see what is idle
    sti_instant_contact contact[P + N];
    sti_instant instant;
} random_case;

static double number(sti_rng* rng) {
    return 2 * sti_rng_u01(rng) - 1;
}

static void make_mass(random_case* k) {
    for (int i = 0; i < k->n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int l = 0; l < k->n; l++) sum += k->mass[l] * k->A[l * k->n + i] * k->A[l * k->n + j];
            k->M[i * k->n + j] = k->M[j * k->n + i] = sum;
        }
    }
}

// A row in y: directions up to `last` take part.
static void make_row(random_case* k, sti_rng* rng, int last, int row) {
    for (int j = 0; j < k->n; j++) k->exact[row][j] = 0;
    for (int l = 0; l < last; l++) {
        const double part = number(rng);
        for (int j = 0; j < k->n; j++) k->exact[row][j] += (wide)part * k->A[l * k->n + j];
    }
    for (int j = 0; j < k->n; j++) k->row[row][j] = (double)k->exact[row][j];
}

// The velocity nearest to a random one that the joints allow.
static void make_velocity(random_case* k, sti_rng* rng) {
    double basis[N][N];
    int count = 0;
    for (int j = 0; j < k->n; j++) k->v[j] = number(rng);
    for (int i = 0; i < k->joints; i++) {
        double size = 0;
        memcpy(basis[count], k->contact[i].n, (size_t)k->n * sizeof(double));
        for (int pass = 0; pass < 2 * count; pass++) {
            double part = 0;
            for (int j = 0; j < k->n; j++) part += basis[count][j] * basis[pass % count][j];
            for (int j = 0; j < k->n; j++) basis[count][j] -= part * basis[pass % count][j];
        }
        for (int j = 0; j < k->n; j++) size += basis[count][j] * basis[count][j];
        for (int j = 0; j < k->n; j++) basis[count][j] /= sqrt(size);
        count++;
    }
    for (int i = 0; i < 2 * count; i++) {
        double part = 0;
        for (int j = 0; j < k->n; j++) part += basis[i % count][j] * k->v[j];
        for (int j = 0; j < k->n; j++) k->v[j] -= part * basis[i % count][j];
    }
}

static void make_case(random_case* k, sti_rng* rng) {
    *k = (random_case){
        .massive = sti_rng_int(rng, 2, 4), .held = sti_rng_int(rng, 0, 2), .idle = sti_rng_int(rng, 0, 1)};
    if (k->held + k->idle == 0) k->held = 1;
    k->n = k->massive + k->held + k->idle;
    k->joints = k->held + (k->massive > 2 ? sti_rng_int(rng, 0, 1) : 0);
    k->p = sti_rng_int(rng, 1, k->massive - (k->joints - k->held) > 2 ? 2 : 1);
    k->moves = k->idle > 0 && sti_rng_int(rng, 0, 7) == 0;
    for (int i = 0; i < k->n; i++) {
        k->mass[i] = i < k->massive ? 1 + i : 0;
        for (int j = 0; j < k->n; j++) k->A[i * k->n + j] = (i == j ? 2 : 0) + number(rng);
    }
    int row = 0;
    for (int i = 0; i < k->joints; i++, row++) {
        make_row(k, rng, k->massive + k->held, row);
        k->contact[i] = (sti_instant_contact){.name = "joint", .bilateral = true, .n = k->row[row]};
    }
    make_velocity(k, rng);
    for (int i = k->joints; i < k->joints + k->p; i++, row += 2) {
        make_row(k, rng, k->moves ? k->n : k->massive + k->held, row);
        make_row(k, rng, k->massive + k->held, row + 1);
        double rate = 0;
        for (int j = 0; j < k->n; j++) rate += k->row[row][j] * k->v[j];
        for (int j = 0; rate > 0 && j < k->n; j++) {
            k->row[row][j] = -k->row[row][j];
            k->exact[row][j] = -k->exact[row][j];
        }
        k->contact[i] = (sti_instant_contact){.name = "contact",
                                              .n = k->row[row],
                                              .t = k->row[row + 1],
                                              .tangent_count = 1,
                                              .mu = 0.2 * sti_rng_u01(rng),
                                              .restitution = sti_rng_u01(rng)};
        k->contact[i].mu_kinetic = k->contact[i].mu;
    }
    static const double none[1];
    for (int i = 0; i < k->joints + k->p; i++) k->contact[i].t_rate = none;
    make_mass(k);
    k->instant = (sti_instant){.n = k->n,
                               .contact_count = k->joints + k->p,
                               .tangent_total = k->p,
                               .M = k->M,
                               .F = k->F,
                               .v = k->v,
                               .contacts = k->contact};
}

// ---- linear equations in long doubles: complete pivoting; what has no pivot is 0. Returns the rank.

static int solve(int rows, int cols, wide* a, wide* x) {  // a: rows x (cols + 1)
    int place[MOST], rank = 0;
    wide largest = 0;
    for (int j = 0; j < cols; j++) place[j] = -1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) largest = fmaxl(largest, fabsl(a[i * (cols + 1) + j]));
    for (;; rank++) {
        int row = -1, col = -1;
        wide best = 1e-14L * largest;
        for (int i = rank; i < rows; i++) {
            for (int j = 0; j < cols; j++) {
                if (place[j] >= 0 || !(fabsl(a[i * (cols + 1) + j]) > best)) continue;
                best = fabsl(a[i * (cols + 1) + j]);
                row = i;
                col = j;
            }
        }
        if (row < 0) break;
        place[col] = rank;
        for (int j = 0; j <= cols; j++) {
            const wide swap = a[row * (cols + 1) + j];
            a[row * (cols + 1) + j] = a[rank * (cols + 1) + j];
            a[rank * (cols + 1) + j] = swap;
        }
        for (int i = 0; i < rows; i++) {
            const wide f = i == rank ? 0 : a[i * (cols + 1) + col] / a[rank * (cols + 1) + col];
            for (int j = 0; j <= cols && f != 0; j++) a[i * (cols + 1) + j] -= f * a[rank * (cols + 1) + j];
        }
    }
    for (int j = 0; j < cols; j++)
        x[j] = place[j] < 0 ? 0 : a[place[j] * (cols + 1) + cols] / a[place[j] * (cols + 1) + j];
    return rank;
}

// Against the largest: a free direction that contacts nearly hold makes all of them large, with rounding as large.
static bool near(int n, const double* x, const wide* y, double tol) {
    wide size = 1;
    for (int i = 0; i < n; i++) size = fmaxl(size, fabsl(y[i]));
    for (int i = 0; i < n; i++) {
        if (!(fabsl(x[i] - y[i]) <= tol * size)) return false;
    }
    return true;
}

// ---- the limit: (M + eps 1) (v+ - v-) = B'l + N'p, B v+ = 0, N v+ = -e N v-, from eps, eps / 2, eps / 4

static void with_masses(const random_case* k, wide eps, wide* x) {  // v+ - v-, l, p
    const int rows = k->joints + k->p, all = k->n + rows, width = all + 1;
    wide K[MOST * (MOST + 1)] = {0};
    for (int i = 0; i < k->n; i++) {
        for (int j = 0; j < k->n; j++) {
            for (int l = 0; l < k->n; l++)  // M without its rounding, which would be a mass beside eps
                K[i * width + j] += (wide)k->mass[l] * k->A[l * k->n + i] * k->A[l * k->n + j];
            K[i * width + j] += i == j ? eps : 0;
        }
        for (int r = 0; r < rows; r++) {
            const wide n = k->exact[r < k->joints ? r : 2 * r - k->joints][i];
            const wide e = r < k->joints ? 0 : k->contact[r].restitution;
            K[i * width + k->n + r] = -n;
            K[(k->n + r) * width + i] = n;
            K[(k->n + r) * width + all] -= (1 + e) * n * k->v[i];
        }
    }
    solve(all, all, K, x);
}

static const char* compare_limit(const random_case* k, const sti_impact* a) {
    enum { TIMES = 4 };
    wide at[TIMES][MOST], v[N], *x = at[0];
    for (int t = 0; t < TIMES; t++) with_masses(k, 1e-9L / (1 << t), at[t]);
    for (int power = 2; power < 1 << TIMES; power *= 2) {  // each time one more power of eps is gone
        for (int t = 0; t + 1 < TIMES; t++)
            for (int i = 0; i < k->n + k->joints + k->p; i++)
                at[t][i] = (power * at[t + 1][i] - at[t][i]) / (power - 1);
    }
    for (int i = 0; i < k->n; i++) v[i] = k->v[i] + x[i];
    const sti_impact_solution* s = &a->laws[STI_IMPACT_NEWTON].solutions[0];
    if (a->laws[STI_IMPACT_NEWTON].count != 1 || s->dimension != 0) return "Newton's law has one solution";
    if (!near(k->n, s->v, v, 1e-6)) return "Newton's law: another limit";
    return near(k->p, s->p_n, x + k->n + k->joints, 1e-6) ? NULL : "Newton's law: other impulses in the limit";
}

// ---- other units: q_j = unit_j times another number. What is idle keeps its velocity in one of them alone.

static const char* compare_units(sti_env* env, const random_case* k, sti_rng* rng, const sti_impact* a, long* refused) {
    random_case other = *k;
    double unit[N];
    const char* why = NULL;
    for (int j = 0; j < k->n; j++) unit[j] = pow(10, sti_rng_int(rng, -8, 8));
    for (int j = 0; j < k->n; j++) {
        other.v[j] = k->v[j] / unit[j];
        for (int i = 0; i < k->n; i++) other.M[i * k->n + j] = k->M[i * k->n + j] * (unit[i] * unit[j]);
        for (int i = 0; i < k->joints + 2 * k->p; i++) other.row[i][j] = k->row[i][j] * unit[j];
    }
    for (int i = 0, row = 0; i < k->joints + k->p; i++, row++) {
        other.contact[i].n = other.row[row];
        if (i >= k->joints) other.contact[i].t = other.row[++row];
    }
    other.instant.M = other.M;
    other.instant.F = other.F;
    other.instant.v = other.v;
    other.instant.contacts = other.contact;
    sti_impact* b;
    if (sti_impact_create(env, &other.instant, NULL, &b) != STI_OK) {
        (*refused)++;
        return NULL;
    }
    for (int l = STI_IMPACT_NEWTON; l <= STI_IMPACT_MOREAU && why == NULL; l++) {
        const sti_impact_solution *x = &a->laws[l].solutions[0], *y = &b->laws[l].solutions[0];
        sti_impact_verification check;
        double size = 0;
        for (int i = 0; i < k->p; i++) size = fmax(size, fabs(x->p_n[i]));
        for (int i = 0; i < k->p && x->dimension == 0; i++)
            if (!(fabs(x->p_n[i] - y->p_n[i]) <= 1e-6 * (1 + size))) why = "other units: other impulses";
        if (!(fabs(x->energy.direct - y->energy.direct) <= 1e-6 * (1 + fabs(x->energy.direct))))
            why = "other units: another energy";
        for (int j = 0; j < k->n && k->idle == 0; j++)
            if (!(fabs(x->v[j] - unit[j] * y->v[j]) <= 1e-6 * (1 + fabs(x->v[j]))))
                why = "other units: another velocity";
        if (sti_verify_impact(env, &other.instant, b, (sti_impact_law)l, 0, 1e-6, &check) != STI_OK || !check.accepted)
            why = "other units: the checker declines";
    }
    sti_impact_destroy(env, b);
    return why;
}

// ---- fewer coordinates

typedef struct fewer {
    int n;
    wide C[N][N];  // columns: q' = C y; the last one may be the idle direction, which is left out of y
    wide idle[N];
    double M[N * N], F[N], v[N], row[ROWS][N];
    sti_instant_contact contact[P];
    sti_instant instant;
} fewer;

// Null vectors of the joint rows, one for each free column, by elimination.
static void find_null(const random_case* k, fewer* f) {
    wide a[ROWS * (N + 1)], x[N];
    f->n = 0;
    for (int c = 0; c < k->n; c++) {
        // B x = 0 with x_c = 1: move it to the right, and leave out columns found before
        wide norm = 0;
        for (int i = 0; i < k->joints; i++) {
            for (int j = 0; j < k->n; j++) a[i * (k->n + 1) + j] = j < c ? k->contact[i].n[j] : 0;
            a[i * (k->n + 1) + k->n] = -(wide)k->contact[i].n[c];
        }
        for (int j = 0; j < k->n; j++) x[j] = 0;
        if (k->joints > 0) solve(k->joints, k->n, a, x);
        x[c] = 1;
        for (int i = 0; i < k->joints; i++) {
            wide sum = 0;
            for (int j = 0; j < k->n; j++) sum += k->contact[i].n[j] * x[j];
            norm = fmaxl(norm, fabsl(sum));
        }
        if (norm > 1e-12L) continue;
        for (int j = 0; j < k->n; j++) f->C[j][f->n] = x[j];
        f->n++;
    }
}

// The column that no row of contacts sees and that has no mass: A x = e_n, and it takes the place of a column.
static void find_idle(const random_case* k, fewer* f) {
    wide a[N * (N + 1)], part[N], size = 0;
    if (k->idle == 0) return;
    for (int i = 0; i < k->n; i++) {
        for (int j = 0; j < k->n; j++) a[i * (k->n + 1) + j] = k->A[i * k->n + j];
        a[i * (k->n + 1) + k->n] = i == k->n - 1;
    }
    solve(k->n, k->n, a, f->idle);
    for (int i = 0; i < k->n; i++) size += f->idle[i] * f->idle[i];
    for (int i = 0; i < k->n; i++) f->idle[i] /= sqrtl(size);
    wide b[N * (N + 1)];
    for (int i = 0; i < k->n; i++) {  // idle = C part: leave out the column of the largest part
        for (int j = 0; j < f->n; j++) b[i * (f->n + 1) + j] = f->C[i][j];
        b[i * (f->n + 1) + f->n] = f->idle[i];
    }
    solve(k->n, f->n, b, part);
    int out = 0;
    for (int j = 1; j < f->n; j++) out = fabsl(part[j]) > fabsl(part[out]) ? j : out;
    f->n--;
    for (int i = 0; i < k->n; i++) f->C[i][out] = f->C[i][f->n];
}

static void reduce(const random_case* k, fewer* f) {
    static const double none[1];
    wide a[N * (N + 2)], y[N + 1];
    find_null(k, f);
    find_idle(k, f);
    const int cols = f->n + (k->idle > 0);
    for (int i = 0; i < k->n; i++) {  // v = C y + idle s
        for (int j = 0; j < f->n; j++) a[i * (cols + 1) + j] = f->C[i][j];
        if (k->idle > 0) a[i * (cols + 1) + f->n] = f->idle[i];
        a[i * (cols + 1) + cols] = k->v[i];
    }
    solve(k->n, cols, a, y);
    for (int j = 0; j < f->n; j++) f->v[j] = (double)y[j];
    for (int i = 0; i < f->n; i++) {
        for (int j = 0; j <= i; j++) {
            wide sum = 0;
            for (int l = 0; l < k->n; l++)
                for (int m = 0; m < k->n; m++) sum += f->C[l][i] * k->M[l * k->n + m] * f->C[m][j];
            f->M[i * f->n + j] = f->M[j * f->n + i] = (double)sum;
        }
    }
    for (int i = 0; i < k->p; i++) {
        f->contact[i] = k->contact[k->joints + i];
        for (int l = 0; l < 2; l++) {
            const double* from = l == 0 ? f->contact[i].n : f->contact[i].t;
            for (int j = 0; j < f->n; j++) {
                wide sum = 0;
                for (int m = 0; m < k->n; m++) sum += from[m] * f->C[m][j];
                f->row[2 * i + l][j] = (double)sum;
            }
        }
        f->contact[i].n = f->row[2 * i];
        f->contact[i].t = f->row[2 * i + 1];
        f->contact[i].t_rate = none;
    }
    f->instant = (sti_instant){.n = f->n,
                               .contact_count = k->p,
                               .tangent_total = k->p,
                               .M = f->M,
                               .F = f->F,
                               .v = f->v,
                               .contacts = f->contact};
}

// C y+, and along the idle direction as before.
static void carry_back(const random_case* k, const fewer* f, const double* y, wide* v) {
    wide part = 0;
    for (int i = 0; i < k->n; i++) {
        v[i] = 0;
        for (int j = 0; j < f->n; j++) v[i] += f->C[i][j] * y[j];
        part += f->idle[i] * (k->v[i] - v[i]);
    }
    for (int i = 0; i < k->n; i++) v[i] += part * f->idle[i];
}

// Do the answers x, and y in fewer coordinates, agree? NULL: yes.
static const char* compare_answers(const random_case* k, const fewer* f, const sti_impact* a, const sti_impact* b,
                                   bool strict) {
    for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) {
        const sti_impact_answer *x = &a->laws[l], *y = &b->laws[l];
        if (x->count != y->count || x->admissible != y->admissible) return "another number of solutions";
        if (!x->complete && (l == STI_IMPACT_POISSON || l == STI_IMPACT_POISSON_PRINTED)) continue;  // one of several
        // integrated; or slips held, by products of their rows
        const bool coarse = l == STI_IMPACT_STRONGE || l == STI_IMPACT_LZB || l == STI_IMPACT_IMPLICIT_ROUGH;
        const double tol = coarse && !strict ? 1e-5 : 1e-7;
        for (int i = 0; i < x->count; i++) {
            const sti_impact_solution *s = &x->solutions[i], *t = &y->solutions[i];
            wide v[N], p[P];
            if (a->n == k->n)
                carry_back(k, f, t->v, v);
            else
                for (int c = 0; c < f->n; c++) v[c] = t->v[c];
            for (int c = 0; c < k->p; c++) p[c] = t->p_n[c];
            if (!near(a->n, s->v, v, tol)) return "another velocity";
            if (s->dimension == 0 && !near(k->p, s->p_n, p, 10 * tol)) return "other impulses";
        }
    }
    return NULL;
}

// Where they differ and rows that are changed by 1e-10 do as much, the instant is at a border: *border.
static const char* compare_fewer(sti_env* env, const random_case* k, const sti_impact* a, bool* border) {
    fewer f = {0};
    sti_impact *b, *c;
    reduce(k, &f);
    if (sti_impact_create(env, &f.instant, NULL, &b) != STI_OK) return "no answer in fewer coordinates";
    const char* why = compare_answers(k, &f, a, b, false);
    if (why != NULL) {
        for (int i = 0; i < 2 * k->p; i++)
            for (int j = 0; j < f.n; j++) f.row[i][j] *= 1 + 1e-10 * ((i + 2 * j) % 5 - 2);
        if (sti_impact_create(env, &f.instant, NULL, &c) != STI_OK) return "no answer in fewer coordinates";
        *border = f.n < k->n && compare_answers(k, &f, b, c, true) != NULL;
        sti_impact_destroy(env, c);
    }
    sti_impact_destroy(env, b);
    return *border ? NULL : why;
}

static const char* verify(sti_env* env, const random_case* k, const sti_impact* a, long* accepted) {
    for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) {
        for (int i = 0; i < a->laws[l].count; i++) {
            sti_impact_verification out;
            if (sti_verify_impact(env, &k->instant, a, (sti_impact_law)l, i, 1e-7, &out) != STI_OK) return "no check";
            if (out.law_checked && !out.accepted) return "the checker declines";
            if (out.momentum > 1e-9 || out.joints > 1e-9) return "momentum or joints";
            *accepted += out.accepted;
        }
    }
    return NULL;
}

static const char* velocities(sti_env* env, const random_case* k) {
    sti_velocities* q;
    const char* why = NULL;
    if (sti_velocities_create(env, &k->instant, NULL, &q) != STI_OK) return "no quasi-velocities";
    double T = 0;
    for (int i = 0; i < k->n; i++)
        for (int j = 0; j < k->n; j++) T += k->v[i] * k->M[i * k->n + j] * k->v[j] / 2;
    if (!q->singular || q->idle != k->idle || q->held != k->joints) why = "other directions";
    if (!(fabs(q->T_quasi - T) <= 1e-9 * (1 + T)) || !(fabs(q->T - T) <= 1e-9 * (1 + T))) why = "another energy";
    for (int i = 0; i < k->n && why == NULL; i++) {
        if (!(fabs(q->back[i] - k->v[i]) <= 1e-9)) why = "qdot does not come back";
    }
    double v[2 * N];
    sti_velocities_to_quasi(q, k->v, v);
    for (int i = 0; i < q->count && why == NULL; i++) {  // n'v / |n|
        double rate = 0;
        for (int j = 0; j < k->n; j++) rate += k->contact[k->joints + i].n[j] * k->v[j];
        if (!(fabs(v[i] * q->norm[i] - rate) <= 1e-9 * (1 + sqrt(2 * T) * q->norm[i]))) why = "another normal velocity";
    }
    sti_velocities_destroy(env, q);
    return why;
}

int main(int argc, char** argv) {
    study s;
    const int bad = study_open(&s, argc, argv);
    if (bad != 0) return bad;
    long none = 0, accepted = 0, borders = 0, refused = 0;
    for (; s.at < s.count; s.at++) {
        random_case k;
        make_case(&k, &s.rng);
        sti_impact* a;
        const sti_status status = sti_impact_create(s.env, &k.instant, NULL, &a);
        const char* why = NULL;
        bool border = false;
        if (k.moves) {
            why = status == STI_ERR_INPUT ? NULL : "an answer without a limit";
            none++;
        } else if (status != STI_OK) {
            refused++;
        } else {
            why = velocities(s.env, &k);
            if (why == NULL) why = verify(s.env, &k, a, &accepted);
            if (why == NULL) why = compare_limit(&k, a);
            if (why == NULL) why = compare_units(s.env, &k, &s.rng, a, &refused);
            if (why == NULL) why = compare_fewer(s.env, &k, a, &border);
            borders += border;
        }
        if (status == STI_OK) sti_impact_destroy(s.env, a);
        study_judge(&s, why);
    }
    return study_close(&s, "%ld instants: without a limit %ld, solutions accepted %ld, at a border %ld, refused %ld",
                       s.count, none, accepted, borders, refused);
}
