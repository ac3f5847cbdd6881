// study_no_force.c: SEED COUNT: is there a force within bounds under which all contacts of a random instant stick
// (sti_sticking_force), and the witness where there is none, against linear programs in rationals.
//
// Signs of bilateral friction are enumerated. Discs in space lie between two polygons with rational corners: who finds
// a force where the outer one has none is wrong, and who finds none where the inner one has one. Forces found are put
// into the equations; of a witness all that it is to show is computed anew, and forces changed by as much as it says
// must be enough.
#include <stiction/stiction.h>

#include "support/random_instants.h"
#include "support/rational_lp.h"
#include "support/study.h"

enum { MOST = 4, CORNERS = 12 };

typedef enum section { INNER, OUTER } section;

typedef struct question {
    const sti_instant* in;
    int count;
    double B[TOOL_N * MOST], low[MOST], high[MOST];
    sti_force_choice choice;
} question;

// Loads pull, and bounds are narrow, so often that half of the instants have no force.
static void pose(question* k, random_instant* s, sti_rng* rng) {
    const int n = s->t.instant.n, most = sti_rng_int(rng, 0, 3);
    for (int pull = sti_rng_int(rng, 0, 3); pull > 0; pull--)
        s->t.F[sti_rng_int(rng, 0, n - 1)] += sti_rng_int(rng, -6, 6);
    const bool all = sti_rng_int(rng, 0, 1) == 0;
    *k = (question){.in = &s->t.instant, .count = all ? n : sti_rng_int(rng, 1, 3)};
    for (int j = 0; j < n; j++)
        for (int l = 0; l < k->count; l++) k->B[j * k->count + l] = all ? j == l : sti_rng_int(rng, -2, 2);
    for (int l = 0; l < k->count; l++) {
        k->low[l] = sti_rng_int(rng, 0, 14) == 0 ? -INFINITY : -0.5 * sti_rng_int(rng, 0, most);
        k->high[l] = sti_rng_int(rng, 0, 14) == 0 ? INFINITY : 0.5 * sti_rng_int(rng, 0, most);
    }
    k->choice = (sti_force_choice){.count = k->count, .B = all ? NULL : k->B, .low = k->low, .high = k->high};
}

static bool slides(const sti_instant_contact* c) {
    return c->state == STI_INSTANT_SLIDE;
}

static double slip_sign(const sti_instant* in, const sti_instant_contact* c) {
    double slip = 0;
    for (int j = 0; j < in->n; j++) slip += c->t[j] * in->v[j];
    return slip > 0 ? 1 : -1;
}

// ---- the same as a program

// Corner k of a polygon in the unit circle, at angles that grow.
static void corner(int k, mpq_t x[2]) {
    static const int over_17[4][2] = {{17, 0}, {15, 8}, {8, 15}, {0, 17}};
    const int quarter = k / 3 % 4, *c = over_17[k % 3];
    const int turned[4][2] = {{c[0], c[1]}, {-c[1], c[0]}, {-c[0], -c[1]}, {c[1], -c[0]}};
    for (int i = 0; i < 2; i++) {
        mpq_set_si(x[i], turned[quarter][i], 17);
        mpq_canonicalize(x[i]);
    }
}

// m with m'x <= 1 in the polygon: its edge k, or the tangent at corner k.
static void edge(section which, int k, mpq_t m[2]) {
    mpq_t a[2], b[2], area, part;
    mpq_inits(a[0], a[1], b[0], b[1], area, part, NULL);
    corner(k, a);
    corner(k + 1, b);
    if (which == OUTER) {
        mpq_set(m[0], a[0]);
        mpq_set(m[1], a[1]);
    } else {
        mpq_mul(area, a[0], b[1]);
        mpq_mul(part, a[1], b[0]);
        mpq_sub(area, area, part);
        mpq_sub(m[0], b[1], a[1]);
        mpq_sub(m[1], a[0], b[0]);
        for (int i = 0; i < 2; i++) mpq_div(m[i], m[i], area);
    }
    mpq_clears(a[0], a[1], b[0], b[1], area, part, NULL);
}

// Contact with its first multiplier in column `at`; sign: of its normal force where that may be either.
static void add_cone(rational_lp* lp, const sti_instant* in, const sti_instant_contact* c, int at, int sign,
                     section which) {
    if (!c->bilateral || sign != 0) mpq_set_si(rational_lp_add(lp, false)[at], sign < 0 ? -1 : 1, 1);
    const double mu = (sign < 0 ? -1 : 1) * (slides(c) ? c->mu_kinetic : c->mu);
    mpq_t m[2];
    mpq_inits(m[0], m[1], NULL);
    for (int k = 0; k < (c->tangent_count == 2 ? CORNERS : c->tangent_count == 1 ? 2 : 0); k++) {
        const bool equation = slides(c);
        if (equation && k > 0) break;
        mpq_t* row = rational_lp_add(lp, equation);
        mpq_set_d(row[at], mu);
        if (c->tangent_count == 1) {
            mpq_set_d(row[at + 1], equation ? slip_sign(in, c) : k == 0 ? 1 : -1);
            continue;
        }
        edge(which, k, m);
        for (int i = 0; i < 2; i++) mpq_neg(row[at + 1 + i], m[i]);
    }
    mpq_clears(m[0], m[1], NULL);
}

static void add_held(rational_lp* lp, const sti_instant* in) {
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        for (int k = 0; k <= (slides(c) ? 0 : c->tangent_count); k++) {
            mpq_t* row = rational_lp_add(lp, true);
            mpq_set_d(row[0], k == 0 ? c->n_rate : c->t_rate[k - 1]);
            for (int j = 0; j < in->n; j++) mpq_set_d(row[1 + j], k == 0 ? c->n[j] : c->t[(k - 1) * in->n + j]);
        }
    }
}

// M a + F + B f + e = C lambda, with e within `room` of `more` (n; NULL: 0)
static void add_balance(rational_lp* lp, const question* k, const double* more) {
    const sti_instant* in = k->in;
    const int n = in->n, f = 1 + n + in->contact_count + in->tangent_total;
    for (int j = 0; j < n; j++) {
        mpq_t* row = rational_lp_add(lp, true);
        mpq_set_d(row[0], in->F[j]);
        for (int l = 0; l < n; l++) mpq_set_d(row[1 + l], in->M[j * n + l]);
        for (int i = 0, at = 1 + n; i < in->contact_count; i++) {
            const sti_instant_contact* c = &in->contacts[i];
            mpq_set_d(row[at++], -c->n[j]);
            for (int t = 0; t < c->tangent_count; t++) mpq_set_d(row[at++], -c->t[t * n + j]);
        }
        for (int l = 0; l < k->count; l++) mpq_set_d(row[f + l], k->B[j * k->count + l]);
        if (more != NULL) mpq_set_si(row[f + k->count + j], 1, 1);
    }
}

static void add_range(rational_lp* lp, int column, double low, double high) {
    for (int side = 0; side < 2; side++) {
        const double limit = side == 0 ? low : high;
        if (!isfinite(limit)) continue;
        mpq_t* row = rational_lp_add(lp, false);
        mpq_set_d(row[0], side == 0 ? -limit : limit);
        mpq_set_si(row[column], side == 0 ? 1 : -1, 1);
    }
}

// Some force of the box, changed by `more` and by less than `room` beyond, with these signs (bits of branch)?
static bool branch_sticks(const question* k, int branch, section which, const double* more, double room) {
    const sti_instant* in = k->in;
    const int n = in->n, p = in->contact_count + in->tangent_total, f = 1 + n + p;
    rational_lp lp;
    rational_lp_open(&lp, n + p + k->count + n, 4 * n + p + 2 * k->count + (CORNERS + 1) * in->contact_count);
    add_balance(&lp, k, more);
    add_held(&lp, in);
    for (int i = 0, at = 1 + n; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        const bool either = c->bilateral && c->mu > 0 && c->tangent_count > 0;
        add_cone(&lp, in, c, at, either ? (branch & 1 ? -1 : 1) : 0, which);
        if (either) branch >>= 1;
        at += 1 + c->tangent_count;
    }
    for (int l = 0; l < k->count; l++) add_range(&lp, f + l, k->low[l], k->high[l]);
    for (int j = 0; more != NULL && j < n; j++) add_range(&lp, f + k->count + j, more[j] - room, more[j] + room);
    const bool feasible = rational_lp_feasible(&lp);
    rational_lp_close(&lp);
    return feasible;
}

static bool some_sticks(const question* k, section which, const double* more, double room) {
    int choices = 0;
    for (int i = 0; i < k->in->contact_count; i++) {
        const sti_instant_contact* c = &k->in->contacts[i];
        choices += c->bilateral && c->mu > 0 && c->tangent_count > 0;
    }
    for (int b = 0; b < 1 << choices; b++)
        if (branch_sticks(k, b, which, more, room)) return true;
    return false;
}

// ---- what the answer claims

static double along(int n, const double* x, const double* y) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += x[j] * y[j];
    return sum;
}

static double friction_off(const sti_instant* in, const sti_instant_contact* c, const double* lambda) {
    const double room = (slides(c) ? c->mu_kinetic : c->mu) * (c->bilateral ? fabs(lambda[0]) : lambda[0]);
    if (slides(c) && c->tangent_count == 1) return fabs(lambda[1] + room * slip_sign(in, c));
    return (c->tangent_count == 0 ? 0 : hypot(lambda[1], c->tangent_count == 2 ? lambda[2] : 0)) - room;
}

static const char* force_holds(const question* k, const sti_force_answer* x) {
    const sti_instant* in = k->in;
    const int n = in->n;
    double load[TOOL_N], size = 1;
    for (int j = 0; j < n; j++) {
        load[j] = in->F[j] + along(n, in->M + j * n, x->a) + along(k->count, k->B + j * k->count, x->f);
        size = fmax(size, fabs(in->F[j]));
    }
    for (int l = 0; l < k->count; l++)
        if (x->f[l] < k->low[l] - 1e-9 || x->f[l] > k->high[l] + 1e-9) return "a force outside its bounds";
    for (int i = 0, at = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        const double* lambda = x->lambda + at;
        for (int l = 0; l <= c->tangent_count; l++) {
            const double *row = l == 0 ? c->n : c->t + (l - 1) * n, rate = l == 0 ? c->n_rate : c->t_rate[l - 1];
            for (int j = 0; j < n; j++) load[j] -= row[j] * lambda[l];
            size = fmax(size, fabs(lambda[l]));
            if ((l == 0 || !slides(c)) && fabs(along(n, row, x->a) + rate) > 1e-7 * size) return "a contact moves";
        }
        if (!c->bilateral && lambda[0] < -1e-7 * size) return "a contact pulls";
        if (friction_off(in, c, lambda) > 1e-7 * size) return "friction beyond its bound";
        at += 1 + c->tangent_count;
    }
    for (int j = 0; j < n; j++)
        if (fabs(load[j]) > 1e-7 * size) return "forces do not balance";
    return NULL;
}

// How far -C'y is outside the dual cone of the contact.
static double drives(const sti_instant* in, const sti_instant_contact* c, const double* y) {
    const double normal = -along(in->n, c->n, y), mu = slides(c) ? c->mu_kinetic : c->mu;
    if (c->bilateral) return fabs(normal);  // without friction: others have no witness
    double t[2] = {0};
    for (int l = 0; l < c->tangent_count; l++) t[l] = -along(in->n, c->t + l * in->n, y);
    if (slides(c) && c->tangent_count == 1) return -(normal - mu * slip_sign(in, c) * t[0]);
    return mu * hypot(t[0], t[1]) - normal;
}

static const char* witness_holds(const question* k, const sti_force_answer* x) {
    const sti_instant* in = k->in;
    const int n = in->n;
    double pull[TOOL_N], least = along(n, x->y, in->F), square = along(n, x->y, x->y), size = sqrt(square);
    for (int j = 0; j < n; j++) pull[j] = along(n, in->M + j * n, x->y);
    for (int i = 0, row = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        if (drives(in, c, x->y) > 1e-6 * size) return "a contact drives the motion of the witness";
        for (int l = 0; l <= (slides(c) ? 0 : c->tangent_count); l++, row++) {
            for (int j = 0; j < n; j++) pull[j] += (l == 0 ? c->n[j] : c->t[(l - 1) * n + j]) * x->z[row];
            least += (l == 0 ? c->n_rate : c->t_rate[l - 1]) * x->z[row];
        }
    }
    for (int j = 0; j < n; j++)
        if (fabs(pull[j]) > 1e-6 * size) return "M y + A z is not 0";
    double told = least;
    for (int l = 0; l < k->count; l++) {
        double b = 0;
        for (int j = 0; j < n; j++) b += k->B[j * k->count + l] * x->y[j];
        const double limit = b > 0 ? k->low[l] : k->high[l];
        told += b * x->worst[l];
        if (fabs(b) > 1e-6 * size || isfinite(limit)) least += b * limit;
    }
    if (!(least > 0)) return "a force of the box passes the witness";
    if (fabs(least - square) > 1e-5 * (square + size)) return "the gap is not that of the least force";
    if (fabs(told - least) > 1e-5 * (square + size) || fabs(x->gap - square) > 1e-9 * square) return "numbers differ";
    return NULL;
}

static const char* judge(const question* k, const sti_force_answer* x) {
    if (x->outcome == STI_CONIC_SOLVED) {
        const char* why = force_holds(k, x);
        if (why != NULL) return why;
        return some_sticks(k, OUTER, NULL, 0) ? NULL : "a force where there is none";
    }
    if (x->outcome != STI_CONIC_INFEASIBLE) return NULL;
    if (some_sticks(k, INNER, NULL, 0)) return "no force, and there is one";
    if (x->y == NULL) return NULL;
    const char* why = witness_holds(k, x);
    double more[TOOL_N], size = 1;
    for (int j = 0; j < k->in->n; j++) {
        more[j] = -x->y[j];
        size = fmax(size, fabs(k->in->F[j]));
    }
    if (why == NULL && !some_sticks(k, OUTER, more, 1e-5 * size)) return "more is needed than the witness says";
    return why;
}

// Bilateral friction, or accelerations that contradict each other: no witness is promised.
static bool promises_witness(const sti_instant* in) {
    rational_lp lp;
    rational_lp_open(&lp, in->n, in->contact_count + in->tangent_total);
    add_held(&lp, in);
    bool promised = rational_lp_feasible(&lp);
    rational_lp_close(&lp);
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        promised = promised && !(c->bilateral && c->mu > 0 && c->tangent_count > 0);
    }
    return promised;
}

static bool has_disc(const sti_instant* in) {
    for (int i = 0; i < in->contact_count; i++)
        if (in->contacts[i].tangent_count == 2 && in->contacts[i].mu > 0) return true;
    return false;
}

int main(int argc, char** argv) {
    study y;
    const int bad = study_open(&y, argc, argv);
    if (bad != 0) return bad;
    long forces = 0, none = 0, witnesses = 0, missing = 0, discs = 0;
    for (; y.at < y.count; y.at++) {
        random_instant s;
        question k;
        sti_force_answer x = {0};
        random_instant_make(&s, &y.rng);
        pose(&k, &s, &y.rng);
        const bool asked = sti_sticking_force(y.env, k.in, NULL, &k.choice, &x) == STI_OK;
        const char* why = asked ? judge(&k, &x) : sti_env_error(y.env)->text;
        forces += asked && x.outcome == STI_CONIC_SOLVED;
        none += asked && x.outcome == STI_CONIC_INFEASIBLE;
        witnesses += asked && x.y != NULL;
        missing += asked && x.outcome == STI_CONIC_INFEASIBLE && x.y == NULL && promises_witness(k.in);
        discs += has_disc(k.in);
        study_judge(&y, why);
        sti_force_answer_clear(y.env, &x);
    }
    return study_close(
        &y, "%ld instants, %ld with discs: a force %ld, none %ld (%ld with a witness, not found %ld), open %ld",
        y.count, discs, forces, none, witnesses, missing, y.count - forces - none);
}
