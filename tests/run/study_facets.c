// study_facets.c: SEED COUNT: what friction by facets changed in the steps of random systems (facet_change of a run):
// are they steps with round friction under further impulses of the size told?
//
// Systems are linear: M constant, gaps and slips by constant rows, so that every step can be put into its equations
// here: momentum, gaps, and Coulomb's law with the disc for the tangential impulse with the further one. The first step
// is made anew with these impulses as a load and with the round cone, which other solvers take: it ends with the same
// velocity, but where that has several solutions (counted).
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"
#include "support/study.h"

enum { N = 6, P = 3, STEPS = 4, TEXT = 20000 };

typedef struct problem {
    int n, p, steps;
    double M[N * N], f[N], v[N], normal[P][N], slip[P][2][N], mu[P], mu_kinetic[P];
    sti_stepper_options o;
    char text[TEXT];
} problem;

typedef struct tally {
    double impulse, worst;
    long steps, passed, made;
} tally;

static double symmetric(sti_rng* rng) {
    return 2 * sti_rng_u01(rng) - 1;
}

static double dot(int n, const double* x, const double* y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// ---- problems

static void add(problem* k, const char* format, ...) {
    const size_t at = strlen(k->text);
    va_list rest;
    va_start(rest, format);
    vsnprintf(k->text + at, TEXT - at, format, rest);
    va_end(rest);
}

static void add_row(problem* k, const double* row, const char* mark) {
    add(k, "\"");
    for (int j = 0; j < k->n; j++) add(k, "%s(%.17g)*x%d%s", j > 0 ? " + " : "", row[j], j, mark);
    add(k, "\"");
}

// The system as a file, under the load f.
static void write(problem* k, const double* f) {
    double minus[N];
    k->text[0] = '\0';
    for (int j = 0; j < k->n; j++) minus[j] = -f[j];
    add(k, "{\"kind\": \"system\", \"coordinates\": [");
    for (int j = 0; j < k->n; j++) add(k, "%s\"x%d\"", j > 0 ? ", " : "", j);
    add(k, "], \"kinetic\": \"0");
    for (int i = 0; i < k->n * k->n; i++) add(k, " + (%.17g)*x%d'*x%d'/2", k->M[i], i / k->n, i % k->n);
    add(k, "\", \"potential\": ");
    add_row(k, minus, "");
    add(k, ", \"contacts\": [");
    for (int i = 0; i < k->p; i++) {
        add(k, "%s{\"gap\": ", i > 0 ? ", " : "");
        add_row(k, k->normal[i], "");
        add(k, ", \"mu\": %.17g, \"mu_kinetic\": %.17g, \"slip\": [", k->mu[i], k->mu_kinetic[i]);
        add_row(k, k->slip[i][0], "'");
        add(k, ", ");
        add_row(k, k->slip[i][1], "'");
        add(k, "]}");
    }
    add(k, "], \"state\": {\"q\": [");
    for (int j = 0; j < k->n; j++) add(k, "%s0", j > 0 ? ", " : "");
    add(k, "], \"v\": [");
    for (int j = 0; j < k->n; j++) add(k, "%s%.17g", j > 0 ? ", " : "", k->v[j]);
    add(k, "]}}");
}

// Takes out of x what opens or closes contacts; often enough that rounding remains.
static void keep_contacts(const problem* k, double* x) {
    double base[P][N];
    for (int i = 0; i < k->p; i++) {
        memcpy(base[i], k->normal[i], sizeof base[i]);
        for (int pass = 0; pass < 2; pass++)
            for (int l = 0; l < i; l++) {
                const double part = dot(k->n, base[i], base[l]);
                for (int j = 0; j < k->n; j++) base[i][j] -= part * base[l][j];
            }
        const double length = sqrt(dot(k->n, base[i], base[i]));
        for (int j = 0; j < k->n; j++) base[i][j] /= length;
    }
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < k->p; i++) {
            const double part = dot(k->n, base[i], x);
            for (int j = 0; j < k->n; j++) x[j] -= part * base[i][j];
        }
}

static void make_load(problem* k, sti_rng* rng) {
    const double pull = 3 * sti_rng_u01(rng);
    for (int j = 0; j < k->n; j++) k->f[j] = pull * symmetric(rng);
    for (int i = 0; i < k->p; i++) {
        const double press = sti_rng_int(rng, 0, 5) == 0 ? 0 : 1 + 9 * sti_rng_u01(rng);
        for (int j = 0; j < k->n; j++) k->f[j] -= press * k->normal[i][j];
    }
    const int kind = sti_rng_int(rng, 0, 3);  // 0: at rest, 1: something hits
    for (int j = 0; j < k->n; j++) k->v[j] = kind == 0 ? 0 : (kind == 2 ? 0.05 : 1) * symmetric(rng);
    if (kind != 1 || sti_rng_int(rng, 0, 2) > 0) keep_contacts(k, k->v);
}

static void make(problem* k, sti_rng* rng) {
    static const int facets[] = {4, 6, 8, 8, 12, 20};
    static const double alphas[] = {0.5, 0.5, 0.5, 0.75, 1};
    double B[N * N];
    memset(k, 0, sizeof *k);
    k->n = sti_rng_int(rng, 3, N);
    k->p = sti_rng_int(rng, 1, k->n < 2 * P ? k->n / 2 : P);
    k->steps = sti_rng_int(rng, 1, STEPS);
    for (int i = 0; i < k->n * k->n; i++) B[i] = 0.5 * symmetric(rng);
    for (int i = 0; i < k->n; i++)
        for (int j = 0; j < k->n; j++) {
            k->M[i * k->n + j] = i == j ? 0.5 : 0;
            for (int l = 0; l < k->n; l++) k->M[i * k->n + j] += B[i * k->n + l] * B[j * k->n + l];
        }
    for (int i = 0; i < k->p; i++) {
        k->mu[i] = 0.05 + 0.6 * sti_rng_u01(rng);
        k->mu_kinetic[i] = sti_rng_int(rng, 0, 2) == 0 ? k->mu[i] * sti_rng_u01(rng) : k->mu[i];
        for (int j = 0; j < k->n; j++) {
            k->normal[i][j] = symmetric(rng);
            for (int a = 0; a < 2; a++) k->slip[i][a][j] = symmetric(rng);
        }
    }
    make_load(k, rng);
    k->o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    k->o.facets = facets[sti_rng_int(rng, 0, 5)];
    k->o.alpha = alphas[sti_rng_int(rng, 0, 4)];
    k->o.step = 0.005 * sti_rng_int(rng, 1, 10);
    k->o.refine = 0;  // the equations are those of the step
    k->o.balance = false;
}

// ---- a step put into its equations

// Largest |M (u - v) / alpha - h f - impulses|, with the impulses along the slips that go to x.
static double momentum(const problem* k, const sti_step_report* r, const double* v, const double* u, const double* x) {
    double worst = 0;
    for (int j = 0; j < k->n; j++) {
        double sum = -k->o.step * k->f[j];
        for (int l = 0; l < k->n; l++) sum += k->M[j * k->n + l] * (u[l] - v[l]) / k->o.alpha;
        for (int i = 0; i < k->p; i++)
            sum -= k->normal[i][j] * r->impulse_n[i] + k->slip[i][0][j] * x[2 * i] + k->slip[i][1][j] * x[2 * i + 1];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

// Coulomb's law with the disc asks for the impulse c_t + delta: delta (2), and its length.
static double change(const problem* k, const sti_step_report* r, int i, bool slides, const double* u, double* delta) {
    const double *t = r->impulse_t + 2 * i, room = (slides ? k->mu_kinetic[i] : k->mu[i]) * r->impulse_n[i];
    const double s[2] = {dot(k->n, k->slip[i][0], u), dot(k->n, k->slip[i][1], u)}, speed = hypot(s[0], s[1]);
    delta[0] = delta[1] = 0;
    if (speed > 1e-9 && room > 0)
        for (int a = 0; a < 2; a++) delta[a] = -room * s[a] / speed - t[a];
    return hypot(delta[0], delta[1]);
}

// One step; slides: contacts that slid before it. delta: impulses that make it round (2 P).
static const char* look(const problem* k, const sti_step_report* r, const double* v, const double* u, bool* slides,
                        double* delta, tally* sum) {
    double carried = 0, size = 0, missing = 0;
    for (int i = 0; i < k->p; i++) size = fmax(size, r->impulse_n[i]);
    const double tol = 1e-8 * (size + k->o.step);
    for (int i = 0; i < k->p; i++) {
        const double rate = dot(k->n, k->normal[i], u),
                     room = (slides[i] ? k->mu_kinetic[i] : k->mu[i]) * r->impulse_n[i];
        const double length = change(k, r, i, slides[i], u, delta + 2 * i);
        if (r->impulse_n[i] < 0) return "a contact pulls";
        if (r->impulse_n[i] > tol && fabs(rate) > 1e-8) return "a contact that carries opens or closes";
        if (hypot(r->impulse_t[2 * i], r->impulse_t[2 * i + 1]) > room + tol) return "friction outside the disc";
        if (length > 2 * sin(M_PI / 2 / k->o.facets) * room + tol) return "farther from the disc than facets are";
        missing += length;
        carried += length > 0 ? room : k->mu[i] * r->impulse_n[i];
        if (r->mode[i] != STI_MODE_SEPARATE) slides[i] = r->mode[i] == STI_MODE_SLIDE;
    }
    if (momentum(k, r, v, u, r->impulse_t) > tol) return "momentum";
    sum->impulse += missing;
    sum->steps += carried > 0;
    if (carried > 0) sum->worst = fmax(sum->worst, missing / carried);
    return NULL;
}

static bool has_friction(const problem* k, const sti_step_report* r) {
    for (int i = 0; i < k->p; i++)
        if (r->impulse_n[i] > 0) return true;
    return false;
}

// ---- the first step anew, round

// 1: the same velocity, 0: another one, -1: no answer
static int round_step(sti_env* env, const problem* k, const double* delta, const double* after) {
    problem other = *k;
    double f[N];
    sti_document* document;
    sti_stepper* s;
    sti_step_report r;
    for (int j = 0; j < k->n; j++) {
        f[j] = k->f[j];
        for (int l = 0; l < 2 * k->p; l++) f[j] -= k->slip[l / 2][l % 2][j] * delta[l] / k->o.step;
    }
    write(&other, f);
    other.o.friction = STI_FRICTION_CONE;
    if (sti_document_parse(env, other.text, strlen(other.text), "round", &document) != STI_OK) return -1;
    int same = -1;
    if (sti_stepper_create(env, sti_system_of(document), &other.o, &s) == STI_OK) {
        double worst = 0;
        const bool made = sti_stepper_step(s, &r) == STI_OK && r.outcome == STI_SOLVED;
        for (int j = 0; j < k->n; j++) worst = fmax(worst, fabs(sti_stepper_v(s)[j] - after[j]));
        same = !made ? -1 : worst <= 1e-6;
        sti_stepper_destroy(s);
    }
    sti_document_destroy(document);
    return same;
}

// ---- runs

static const char* step_through(sti_env* env, const problem* k, const sti_system* system, tally* sum, int* same) {
    sti_stepper* s;
    const char* why = NULL;
    bool slides[P];
    if (sti_stepper_create(env, system, &k->o, &s) != STI_OK) return sti_env_error(env)->text;
    for (int i = 0; i < k->p; i++)
        slides[i] = hypot(dot(k->n, k->slip[i][0], k->v), dot(k->n, k->slip[i][1], k->v)) > 1e-9;
    for (int l = 0; why == NULL && l < k->steps; l++) {
        double v[N], delta[2 * P] = {0};
        sti_step_report r;
        memcpy(v, sti_stepper_v(s), (size_t)k->n * sizeof *v);
        if (sti_stepper_step(s, &r) != STI_OK) why = sti_env_error(env)->text;
        if (why != NULL || r.outcome != STI_SOLVED) break;
        sum->made++;
        if (r.collisions > 0 || r.pieces > 1) {
            sum->passed += has_friction(k, &r);
            break;  // what slid before is not followed through collisions
        }
        why = look(k, &r, v, sti_stepper_v_alpha(s), slides, delta, sum);
        if (l == 0 && why == NULL && has_friction(k, &r)) *same = round_step(env, k, delta, sti_stepper_v(s));
    }
    sti_stepper_destroy(s);
    return why;
}

static const char* compare(const sti_system_run* x, const tally* sum) {
    if (x->facet_steps != sum->steps || x->facet_passed != sum->passed) return "other steps were looked at";
    if (fabs(x->facet_impulse - sum->impulse) > 1e-7 * (x->facet_impulse + 1e-3)) return "the impulses differ";
    return fabs(x->worst_facet - sum->worst) > 1e-6 ? "the worst step differs" : NULL;
}

static const char* judge(sti_env* env, problem* k, tally* sum, int* same) {
    sti_document* document;
    sti_simulation* s = NULL;
    sti_run* run = NULL;
    write(k, k->f);
    if (sti_document_parse(env, k->text, strlen(k->text), "system", &document) != STI_OK)
        return sti_env_error(env)->text;
    const char* why = step_through(env, k, sti_system_of(document), sum, same);
    sti_document_destroy(document);
    const sti_run_source source = {.text = k->text, .size = strlen(k->text)};
    sti_run_options o = sti_run_options_default();
    o.time = k->o.step * (double)sum->made;
    if (why != NULL || o.time == 0) return why;
    if (sti_system_simulation(env, &source, &k->o, &s) != STI_OK || sti_run_create(env, s, &o, &run) != STI_OK ||
        sti_run_go(run) != STI_OK)
        return sti_env_error(env)->text;
    why = compare(sti_system_run_of(run), sum);
    sti_run_destroy(run);
    return why;
}

int main(int argc, char** argv) {
    study s;
    const int bad = study_open(&s, argc, argv);
    if (bad != 0) return bad;
    long steps = 0, changed = 0, same = 0, other = 0, open = 0;
    for (; s.at < s.count; s.at++) {
        static problem k;
        tally sum = {0};
        int again = -2;
        make(&k, &s.rng);
        const char* why = judge(s.env, &k, &sum, &again);
        steps += sum.steps;
        changed += sum.impulse > 1e-9;
        same += again == 1;
        other += again == 0;
        open += again == -1;
        study_judge(&s, why);
    }
    return study_close(&s,
                       "%ld systems, %ld steps: changed in %ld systems; made anew with the round cone %ld, another "
                       "solution %ld, open %ld",
                       s.count, steps, changed, same, other, open);
}
