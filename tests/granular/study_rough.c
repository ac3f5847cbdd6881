// study_rough.c: SEED COUNT: steps of beds whose walls have friction that is no disc, against two other ways.
//
// Grains in a wedge of walls that stand or turn, or in a cylinder, with an ellipse, a polygon or a support function on
// each wall. Every step made to 1e-9 is posed and judged by the verifier of contact problems, which shares no code with
// the steps. Of one grain on one wall the impulse is held against an enumeration: with the normal impulse given, the
// tangential one minimizes 7/4 |r_t|^2 / m + u_t.r_t over mu r_n S, and no point of a fine net of S may be better.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"

enum { GRAINS = 4, WALLS = 3, CORNERS = 12, STEPS = 25, NET = 720, RINGS = 24 };

typedef struct problem {
    double x[3 * GRAINS], v[3 * GRAINS], w[3 * GRAINS], radius[GRAINS], mass[GRAINS];
    double corner[WALLS][CORNERS][2], axes[WALLS][2];
    sti_wall wall[WALLS];
    sti_wall_friction friction[WALLS];
    sti_grains g;
} problem;

typedef struct tally {
    long steps, solved, alone, rough;  // rough: contacts that carry, whose friction is no disc
    double worst;
} tally;

static double between(sti_rng* rng, double low, double high) {
    return low + (high - low) * sti_rng_u01(rng);
}

static void direction(sti_rng* rng, double* n) {
    double size = 0;
    do {
        size = 0;
        for (int i = 0; i < 3; i++) {
            n[i] = between(rng, -1, 1);
            size += n[i] * n[i];
        }
    } while (!(size > 0.01 && size <= 1));
    for (int i = 0; i < 3; i++) n[i] /= sqrt(size);
}

// |y|_4/3 of stretched y: S is the ball of the 4-norm, stretched. Smooth, and no ellipse.
static double rounded(void* user, const double* y, double* x) {
    const double* a = user;
    const double p = a[0] * y[0], q = a[1] * y[1], sum = pow(fabs(p), 4.0 / 3) + pow(fabs(q), 4.0 / 3);
    const double h = pow(sum, 0.75);
    x[0] = a[0] * copysign(pow(fabs(p) / h, 1.0 / 3), p);
    x[1] = a[1] * copysign(pow(fabs(q) / h, 1.0 / 3), q);
    return h;
}

static void make_friction(sti_rng* rng, problem* k, int wall) {
    sti_wall_friction* f = &k->friction[wall];
    const int shape = (int)between(rng, 0, 4);
    *f = (sti_wall_friction){.section = {.shape = (sti_section_shape)shape}};
    for (int i = 0; i < 2; i++) f->section.axes[i] = k->axes[wall][i] = exp(between(rng, -2, 1));
    f->section.angle = between(rng, -4, 4);
    if (shape == STI_SECTION_POLYGON) {
        const int count = 3 + (int)between(rng, 0, CORNERS - 2);
        const double turn = between(rng, 0, 7);
        for (int j = 0; j < count; j++) {
            const double at = turn + 2 * M_PI * j / count;
            k->corner[wall][j][0] = k->axes[wall][0] * cos(at);
            k->corner[wall][j][1] = k->axes[wall][1] * sin(at);
        }
        f->section.vertex_count = count;
        f->section.vertex = k->corner[wall][0];
    }
    f->section.support = rounded;
    f->section.user = k->axes[wall];
    direction(rng, f->along);
}

static void make(sti_rng* rng, problem* k) {
    const int count = 1 + (int)between(rng, 0, GRAINS), walls = 1 + (int)between(rng, 0, WALLS);
    memset(k, 0, sizeof *k);
    for (int j = 0; j < walls; j++) {
        sti_wall* w = &k->wall[j];
        direction(rng, w->axis);
        w->kind = j == 0 && between(rng, 0, 1) < 0.3 ? STI_WALL_CYLINDER : STI_WALL_PLANE;
        w->radius = 2;
        for (int i = 0; i < 3; i++) w->point[i] = w->kind == STI_WALL_PLANE ? -1.2 * w->axis[i] : 0;
        w->spin = between(rng, 0, 1) < 0.3 ? between(rng, -3, 3) : 0;
        w->mu = between(rng, 0, 1.2);
        make_friction(rng, k, j);
    }
    for (int a = 0; a < count; a++) {
        for (int i = 0; i < 3; i++) {
            k->x[3 * a + i] = 0.55 * (i == 0 ? (a % 2) * 2 - 1 : i == 1 ? (a / 2) * 2 - 1 : between(rng, -1, 1));
            k->v[3 * a + i] = between(rng, -2, 2);
            k->w[3 * a + i] = between(rng, -2, 2);
        }
        k->radius[a] = between(rng, 0.3, 0.5);
        k->mass[a] = between(rng, 0.5, 2);
    }
    k->g = (sti_grains){.count = count,
                        .x = k->x,
                        .v = k->v,
                        .w = k->w,
                        .radius = k->radius,
                        .mass = k->mass,
                        .mu = between(rng, 0, 0.8),
                        .wall_count = walls,
                        .walls = k->wall,
                        .friction = k->friction};
    for (int i = 0; i < 3; i++) k->g.gravity[i] = -30 * k->wall[walls - 1].axis[i] + between(rng, -10, 10);
}

// 7/4 |p|^2 / m + u.p of one contact of one grain; u the slip before it acts
static double cost(const double* p, const double* u, double mass) {
    return 1.75 * (p[0] * p[0] + p[1] * p[1]) / mass + u[0] * p[0] + u[1] * p[1];
}

// Is there a better point of mu r_n S in the net?
static bool best(const problem* k, const sti_bed_problem* p, tally* t) {
    const sti_contact_problem* q = &p->problem;
    const double *r = p->answer.r, *u = p->answer.u, m = k->mass[0], size = q->mu[0] * r[0];
    const double before[2] = {u[1] - 3.5 * r[1] / m, u[2] - 3.5 * r[2] / m};
    const double own = cost(r + 1, before, m), scale = fabs(own) + m * (before[0] * before[0] + before[1] * before[1]);
    double least = own;
    for (int j = 0; j < NET; j++) {
        const double angle = 2 * M_PI * j / NET, y[2] = {cos(angle), sin(angle)};
        double x[2];
        sti_section_support(&q->section[0], y, x);
        for (int ring = 1; ring <= RINGS; ring++) {
            const double part = size * ring / RINGS, z[2] = {part * x[0], part * x[1]};
            least = fmin(least, cost(z, before, m));
        }
    }
    t->alone++;
    t->worst = fmax(t->worst, scale > 0 ? (own - least) / scale : 0);
    return own - least <= 1e-7 * scale;
}

static bool judge(sti_env* env, const problem* k, sti_bed* bed, const sti_bed_options* o, long number, tally* t) {
    for (int step = 0; step < STEPS; step++) {
        sti_bed_report report;
        sti_bed_problem p;
        sti_contact_verification v;
        if (sti_bed_step(bed, &report) != STI_OK) return false;
        t->steps++;
        if (!(report.residual <= o->tol)) continue;
        t->solved++;
        if (sti_bed_problem_make(env, bed, &p) != STI_OK) return false;
        p.answer.outcome = STI_SOLVED;  // also what the bed does not claim, as its norm is another one, is looked at
        if (sti_verify_contact(env, &p.problem, &p.answer, 1e-6, &v) != STI_OK) return false;
        for (int c = 0; p.problem.section != NULL && c < report.contacts; c++)
            t->rough += p.answer.r[3 * c] > 0 && p.problem.section[c].shape != STI_SECTION_DISC ? 1 : 0;
        bool good = report.cone_violation <= 1e-9 && v.residual <= 1e-6;
        if (good && k->g.count == 1 && report.contacts == 1 && p.problem.section != NULL) good = best(k, &p, t);
        if (!good) fprintf(stderr, "problem %ld, step %d: %.3e, %s\n", number, step, v.residual, v.text);
        sti_bed_problem_clear(env, &p);
        if (!good) return false;
    }
    return true;
}

int main(int argc, char** argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: study_rough SEED COUNT\n");
        return 2;
    }
    const long seed = strtol(argv[1], NULL, 10), count = strtol(argv[2], NULL, 10);
    sti_rng rng = {(uint64_t)seed};
    sti_env* env = NULL;
    tally t = {0};
    long wrong = 0;
    if (sti_env_create(NULL, &env) != STI_OK) return 2;
    for (long number = 0; number < count; number++) {
        problem k;
        sti_bed* bed = NULL;
        sti_bed_options o = sti_bed_options_default();
        o.tol = 1e-9;
        o.h = 0.02;
        make(&rng, &k);
        bool good = sti_bed_create(env, &k.g, &o, &bed) == STI_OK;
        if (!good) fprintf(stderr, "problem %ld: %s\n", number, sti_env_error(env)->text);
        if (good) good = judge(env, &k, bed, &o, number, &t);
        wrong += good ? 0 : 1;
        sti_bed_destroy(bed);
    }
    printf(
        "study_rough: seed %ld, %ld problems: %ld of %ld steps solved, %ld contacts with sections, %ld alone, excess "
        "%.1e; %ld wrong\n",
        seed, count, t.solved, t.steps, t.rough, t.alone, t.worst, wrong);
    sti_env_destroy(env);
    return wrong > 0;
}
