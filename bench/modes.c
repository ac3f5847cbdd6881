// modes.c: how long it takes to list contact modes.
//
// One body with contacts at random points (seed fixed), doubles as they are, three families:
//
//     floor    all normals up: a body on a plane, every contact redundant beyond the third
//     bowl     normals tilted by up to 30 degrees or so: most modes
//     around   normals in all directions: the body is caged, few modes
//
//     touching     touching or separating only, all kinematically feasible modes
//     kinematic    stick and slide (in space: the box), all kinematically feasible modes
//     consistent   the modes consistent with one wrench, with their solutions
//
// CSV to stdout, a table to stderr. CPU seconds of one thread, best of REPEATS.
#include <stiction/modes.h>
#include <string.h>

#include "base/rng.h"
#include "measure.h"

enum { MOST = 40, REPEATS = 3, FAMILIES = 3, QUESTIONS = 3 };

static const char* const families[FAMILIES] = {"floor", "bowl", "around"};
static const char* const questions[QUESTIONS] = {"touching", "kinematic", "consistent"};

typedef struct scene {
    sti_instant instant;
    double M[36], F[6], v[6], rate[2];
    double n[MOST][6], t[MOST][12];
    char name[MOST][8];
    sti_instant_contact contact[MOST];
} scene;

static double uniform(sti_rng* rng) {  // in [-1, 1)
    return 2 * sti_rng_u01(rng) - 1;
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void normalize(double a[3]) {
    const double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++) a[k] /= size;
}

// Row of a contact at r in direction d: (d, r x d), in the plane (d_x, d_y, torque).
static void set_row(int dimension, const double r[3], const double d[3], double* row) {
    double torque[3];
    cross(r, d, torque);
    memcpy(row, d, (size_t)dimension * sizeof *row);
    if (dimension == 3)
        memcpy(row + 3, torque, sizeof torque);
    else
        row[2] = torque[2];
}

static void make(scene* s, int dimension, int contacts, int family) {
    sti_rng rng = {17 + (uint64_t)(100 * dimension + family)};
    const int dof = dimension == 2 ? 3 : 6, up = dimension - 1;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < dof; i++) {
        s->M[i * dof + i] = 1 + i % 3;
        s->F[i] = 3 * uniform(&rng);
    }
    s->F[up] = 10;
    for (int i = 0; i < contacts; i++) {
        double n[3] = {0, 0, 0}, t[3] = {0, 0, 0}, o[3], r[3] = {0, 0, 0};
        for (int k = 0; k < dimension; k++) {
            n[k] = (family == 0 ? 0 : family == 1 ? 0.5 : 1) * uniform(&rng);
            r[k] = uniform(&rng);
        }
        if (family < 2) n[up] = 1;
        if (family == 0) r[up] = -1;
        normalize(n);
        if (dimension == 2) {
            t[0] = -n[1];
            t[1] = n[0];
        } else {
            const double axis[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0};
            cross(axis, n, t);
            normalize(t);
        }
        cross(n, t, o);
        set_row(dimension, r, n, s->n[i]);
        set_row(dimension, r, t, s->t[i]);
        if (dimension == 3) set_row(dimension, r, o, s->t[i] + 6);
        snprintf(s->name[i], sizeof s->name[i], "c%d", i % 1000);
        s->contact[i] = (sti_instant_contact){.name = s->name[i],
                                              .mu = 0.5,
                                              .mu_kinetic = 0.5,
                                              .tangent_count = dimension - 1,
                                              .n = s->n[i],
                                              .t = s->t[i],
                                              .t_rate = s->rate};
    }
    s->instant = (sti_instant){.n = dof,
                               .contact_count = contacts,
                               .tangent_total = contacts * (dimension - 1),
                               .M = s->M,
                               .F = s->F,
                               .v = s->v,
                               .contacts = s->contact};
}

int main(void) {
    static const struct {
        int dimension, contacts;
        bool all;  // also list slip in space, where modes are many
    } sizes[] = {{2, 5, true}, {2, 10, true}, {2, 20, true}, {2, 40, true}, {3, 4, true}, {3, 8, true}, {3, 20, false}};
    sti_env* env;
    if (sti_env_create(NULL, &env) != STI_OK) return 3;
    static scene s;
    printf("family,dimension,contacts,question,modes,strict,limit,complete,time_s\n");
    fprintf(stderr, "%-8s %3s %9s %-11s %9s %10s\n", "family", "dim", "contacts", "question", "modes", "s");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int family = 0; family < FAMILIES; family++) {
            for (int q = 0; q < QUESTIONS; q++) {
                if (q > 0 && !sizes[i].all) continue;
                make(&s, sizes[i].dimension, sizes[i].contacts, family);
                sti_modes_options o = sti_modes_options_default();
                o.contacts_only = q == 0;
                o.want = q == 2 ? STI_MODES_CONSISTENT : STI_MODES_KINEMATIC;
                o.max_modes = 1000000;
                double best = INFINITY;
                sti_modes* m = NULL;
                for (int k = 0; k < REPEATS; k++) {
                    sti_modes_destroy(m);
                    const double start = bench_cpu();
                    if (sti_modes_create(env, &s.instant, &o, &m) != STI_OK) {
                        fprintf(stderr, "bench: %s\n", sti_env_error(env)->text);
                        return 3;
                    }
                    best = fmin(best, bench_cpu() - start);
                }
                printf("%s,%d,%d,%s,%d,%d,%d,%d,%.6g\n", families[family], sizes[i].dimension, sizes[i].contacts,
                       questions[q], m->mode_count, m->strict_count, m->limit_count, m->complete, best);
                fprintf(stderr, "%-8s %3d %9d %-11s %9d %10.4f\n", families[family], sizes[i].dimension,
                        sizes[i].contacts, questions[q], m->mode_count, best);
                sti_modes_destroy(m);
            }
        }
    }
    sti_env_destroy(env);
    return 0;
}
