// study_energetic.c: SEED COUNT: impacts by the energetic coefficient (stronge, lzb) of random instants, in the plane,
// in space, with joints, against springs integrated in time here: the classical method of Runge and Kutta with fixed
// steps and friction that is made smooth, on matrices of its own. Where the two differ, smaller steps decide. Every
// answer must keep the rules, and its energy must be what its contacts took and gave. Answers that are left open are
// counted.
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"
#include "support/study.h"

enum { N = 6, P = 4, A = 3 * P };

typedef struct problem {
    int n, p, a;  // a: contacts and slips
    double M[N * N], F[N], v[N], rows[(A + 1) * N], rate[3], K[P];
    int first[P + 1];  // slips of a contact, counted from 0
    sti_instant_contact contact[P + 1];
    sti_instant in;
    double exponent;
} problem;

static double symmetric(sti_rng* rng) {
    return 2 * sti_rng_u01(rng) - 1;
}

static void make(problem* k, sti_rng* rng) {
    double B[N * N];
    memset(k, 0, sizeof *k);
    k->n = sti_rng_int(rng, 2, N);
    k->p = sti_rng_int(rng, 1, k->n < P ? k->n : P);
    const int joint = k->n > 3 && k->p < k->n - 1 && sti_rng_int(rng, 0, 3) == 0;
    for (int i = 0; i < k->n * k->n; i++) B[i] = symmetric(rng);
    for (int i = 0; i < k->n; i++) {
        for (int j = 0; j < k->n; j++) {
            k->M[i * k->n + j] = i == j ? 0.3 : 0;
            for (int l = 0; l < k->n; l++) k->M[i * k->n + j] += B[i * k->n + l] * B[j * k->n + l];
        }
        k->v[i] = symmetric(rng);
    }
    double* row = k->rows;
    for (int i = 0; i < k->p + joint; i++) {
        const int slips = i < k->p ? sti_rng_int(rng, 0, 2) : 0;
        for (int j = 0; j < (1 + slips) * k->n; j++) row[j] = symmetric(rng);
        k->contact[i] = (sti_instant_contact){.name = "c",
                                              .bilateral = i == k->p,
                                              .mu = slips > 0 ? sti_rng_u01(rng) : 0,
                                              .restitution = 0.3 + 0.7 * sti_rng_u01(rng),
                                              .tangent_count = slips,
                                              .n = row,
                                              .t = row + k->n,
                                              .t_rate = k->rate};
        if (i < k->p) k->K[i] = exp(symmetric(rng));
        k->in.tangent_total += slips;
        k->first[i + (i < k->p)] = k->in.tangent_total;
        row += (1 + slips) * k->n;
    }
    if (joint) {  // the velocity fits it
        const double* n = k->contact[k->p].n;
        double along = 0, square = 0;
        for (int j = 0; j < k->n; j++) {
            along += n[j] * k->v[j];
            square += n[j] * n[j];
        }
        for (int j = 0; j < k->n; j++) k->v[j] -= along / square * n[j];
    }
    k->a = k->p + k->in.tangent_total;
    k->exponent = sti_rng_int(rng, 0, 1) ? 1.5 : 1;
    k->in.n = k->n;
    k->in.contact_count = k->p + joint;
    k->in.M = k->M;
    k->in.F = k->F;
    k->in.v = k->v;
    k->in.contacts = k->contact;
}

// X = M^-1 over the n columns of B, by elimination with pivots.
static void invert(int n, const double* M, double* X) {
    double A0[N * N];
    memcpy(A0, M, (size_t)(n * n) * sizeof *A0);
    for (int i = 0; i < n * n; i++) X[i] = i % (n + 1) == 0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++) best = fabs(A0[i * n + k]) > fabs(A0[best * n + k]) ? i : best;
        for (int j = 0; j < n; j++) {
            double x = A0[k * n + j];
            A0[k * n + j] = A0[best * n + j];
            A0[best * n + j] = x;
            x = X[k * n + j];
            X[k * n + j] = X[best * n + j];
            X[best * n + j] = x;
        }
        for (int i = 0; i < n; i++) {
            const double f = i == k ? 0 : A0[i * n + k] / A0[k * n + k];
            for (int j = 0; j < n && i != k; j++) {
                A0[i * n + j] -= f * A0[k * n + j];
                X[i * n + j] -= f * X[k * n + j];
            }
        }
        const double pivot = A0[k * n + k];
        for (int j = 0; j < n; j++) {
            A0[k * n + j] /= pivot;
            X[k * n + j] /= pivot;
        }
    }
}

typedef struct spring_system {
    const problem* k;
    double W[A * A], u0[A], smooth;  // rows in the order of the contacts: all normals, then all slips
    double row[A][N], after[N * N];  // M^-1 less what the joint takes
} spring_system;

static void collect(spring_system* s) {
    const problem* k = s->k;
    int slip = k->p;
    for (int i = 0; i < k->p; i++) {
        memcpy(s->row[i], k->contact[i].n, (size_t)k->n * sizeof(double));
        for (int l = 0; l < k->contact[i].tangent_count; l++)
            memcpy(s->row[slip++], k->contact[i].t + l * k->n, (size_t)k->n * sizeof(double));
    }
    invert(k->n, k->M, s->after);
    if (k->in.contact_count > k->p) {
        const double* b = k->contact[k->p].n;
        double x[N] = {0}, square = 0;
        for (int i = 0; i < k->n; i++) {
            for (int j = 0; j < k->n; j++) x[i] += s->after[i * k->n + j] * b[j];
            square += x[i] * b[i];
        }
        for (int i = 0; i < k->n; i++)
            for (int j = 0; j < k->n; j++) s->after[i * k->n + j] -= x[i] * x[j] / square;
    }
    for (int r = 0; r < k->a; r++) {
        s->u0[r] = 0;
        for (int i = 0; i < k->n; i++) s->u0[r] += s->row[r][i] * k->v[i];
        for (int c = 0; c < k->a; c++) {
            double sum = 0;
            for (int i = 0; i < k->n; i++)
                for (int j = 0; j < k->n; j++) sum += s->row[r][i] * s->after[i * k->n + j] * s->row[c][j];
            s->W[r * k->a + c] = sum;
        }
    }
}

// state: impulses (a), compressions (p)
static void rate(const spring_system* s, const double* state, double* out, double* u) {
    const problem* k = s->k;
    double force[A] = {0};
    for (int r = 0; r < k->a; r++) {
        u[r] = s->u0[r];
        for (int c = 0; c < k->a; c++) u[r] += s->W[r * k->a + c] * state[c];
    }
    for (int i = 0; i < k->p; i++) {
        const double y = state[k->a + i], e = k->contact[i].restitution;
        force[i] = y > 0 ? k->K[i] * pow(y, k->exponent) : 0;
        double speed = s->smooth * s->smooth;
        for (int l = k->first[i]; l < k->first[i + 1]; l++) speed += u[k->p + l] * u[k->p + l];
        for (int l = k->first[i]; l < k->first[i + 1]; l++)
            force[k->p + l] = -k->contact[i].mu * force[i] * u[k->p + l] / sqrt(speed);
        out[k->a + i] = u[i] <= 0 ? -u[i] : y > 0 ? -u[i] / (e * e) : 0;
    }
    memcpy(out, force, (size_t)k->a * sizeof *out);
}

static bool integrate(const problem* k, double h, double smooth, double* v) {
    spring_system s = {.k = k, .smooth = smooth};
    double state[A + P] = {0}, next[A + P], slope[4][A + P], u[A];
    const double weight[4] = {1, 2, 2, 1}, ahead[4] = {0, 0.5, 0.5, 1};
    const int size = k->a + k->p;
    collect(&s);
    bool pressed = true;
    for (long step = 0; pressed; step++) {
        if (step > 200 / h) break;  // wedged, or nearly
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < size; i++)
                next[i] = state[i] + (stage > 0 ? h * ahead[stage] * slope[stage - 1][i] : 0);
            rate(&s, next, slope[stage], u);
        }
        pressed = false;
        for (int i = 0; i < size; i++) {
            for (int stage = 0; stage < 4; stage++) state[i] += h * weight[stage] * slope[stage][i] / 6;
        }
        rate(&s, state, slope[0], u);
        for (int i = 0; i < k->p; i++) {
            if (state[k->a + i] < 0) state[k->a + i] = 0;
            pressed = pressed || state[k->a + i] > 1e-7 || u[i] < -1e-6;
        }
    }
    for (int i = 0; i < k->n; i++) {
        v[i] = k->v[i];
        for (int j = 0; j < k->n; j++)
            for (int r = 0; r < k->a; r++) v[i] += s.after[i * k->n + j] * s.row[r][j] * state[r];
    }
    return !pressed;
}

static double difference(const problem* k, const double* v, const double* w) {
    double worst = 0, size = 0;
    for (int i = 0; i < k->n; i++) {
        worst = fmax(worst, fabs(v[i] - w[i]));
        size = fmax(size, fabs(k->v[i]));
    }
    return worst / size;
}

// 1: holds, 0: wrong (why), -1: left open
static int judge(const problem* k, const sti_impact* made, sti_impact_law law, const char** why) {
    const sti_impact_answer* a = &made->laws[law];
    if (a->count == 0) {
        *why = a->why;
        return -1;
    }
    const sti_impact_solution* x = a->solutions;
    double energy = 0, w[N];
    if (a->admissible != 1) *why = "a rule is broken";
    if (x->momentum > 1e-9) *why = "momentum";
    for (int i = 0; i < made->p; i++)
        energy -= (1 - k->contact[i].restitution * k->contact[i].restitution) * x->work_c[i];
    for (int l = 0; l < made->s; l++) energy += x->work_t[l];
    if (law == STI_IMPACT_LZB && a->complete && !(fabs(energy - x->energy.direct) <= 1e-7 * (made->T + 1e-9)))
        *why = "energy";
    double far = 1;
    const double step[5] = {4e-3, 4e-4, 2e-4, 4e-5, 4e-5}, smooth[5] = {4e-3, 8e-4, 3e-6, 8e-5, 1e-6};
    bool ended = true;
    for (int pass = 0; pass < 5 && far > 3e-3; pass++) {
        ended = integrate(k, step[pass], smooth[pass], w) && ended;
        far = fmin(far, difference(k, x->v, w));
    }
    // Near a wedge springs take ever longer, and smooth friction creeps: nothing is known then.
    if (far > 3e-3 && (!a->complete || !ended) && *why == NULL) return -1;
    if (far > 3e-3) *why = "springs in time go elsewhere";
    return *why == NULL;
}

int main(int argc, char** argv) {
    study s;
    const int bad = study_open(&s, argc, argv);
    if (bad != 0) return bad;
    long hit = 0, single = 0, open = 0;
    for (; s.at < s.count; s.at++) {
        problem k;
        make(&k, &s.rng);
        for (int l = 0; l < 2; l++) {
            sti_impact_options o = sti_impact_options_default();
            sti_impact* made;
            const char* why = NULL;
            o.one_law = true;
            o.law = l == 0 ? STI_IMPACT_LZB : STI_IMPACT_STRONGE;
            o.stiffness = k.K;
            o.exponent = k.exponent;
            if (o.law == STI_IMPACT_STRONGE && k.p > 1) continue;
            if (sti_impact_create(s.env, &k.in, &o, &made) != STI_OK) {
                study_judge(&s, sti_env_error(s.env)->text);
                continue;
            }
            const int holds = judge(&k, made, o.law, &why);
            hit += made->impact && l == 0;
            single += l == 1;
            open += holds < 0;
            if (holds < 0 && why != NULL) fprintf(stderr, "open: seed %llu, %ld: %s\n", s.seed, s.at, why);
            if (holds == 0) study_judge(&s, why);
            sti_impact_destroy(s.env, made);
        }
    }
    return study_close(&s, "%ld instants, %ld with an impact, %ld of one contact by both laws: %ld open", s.count, hit,
                       single, open);
}
