// smooth.c: motion between events. The mode of each contact is fixed: open, stuck or sliding along a given direction s.
// Then
//
//     M a = -F + sum n c_n + t'c_t + nu c_nu
//     n'a = -n_rate         closed contacts and joints
//     t a = -t_rate         where it sticks
//     c_t = -mu_k c_n s     where it slides, s = slip / |slip|; in the plane its sign at the start; in a joint |c_n|
//
// is one linear system for accelerations and forces (bordered.c: least norm where forces are redundant), so q' = v, v'
// = a is a smooth differential equation as long as the modes last. It is integrated by the pairs of orders 5 and 4 of
// Dormand and Prince (J. Comput. Appl. Math. 6, 1980), whose difference is the estimate of the error; impulses, work
// and loss are integrated beside. What ends the modes are guards, functions of the state that must not become negative:
//
//     open      gap                          closed    c_n
//     sticks    mu c_n - |c_t|               slides    slip along s; in space less what counts as none
//
// Each is divided by its size. A guard is seen where it is below -`seen` at the end of a step, at one of its stages
// (then a step to that stage tells whether it is so), or, of a gap, at the lowest point of the cubic through both ends.
// The first zero is found on steps of other lengths from the same start, by bisection mixed with the secant method
// (Illinois), so the state there is of order 5, too. Where forces are redundant (rank of the system), those of least
// norm say nothing of the cones, and there are no guards of closed contacts: events.c asks the complementarity problem
// at the end of a piece whether it still has the same accelerations. A guard that is 0 at the start, as of a contact
// that has just begun to slide or to open, counts from where it has become positive; if there is no such place down to
// h / 2^40, it is negative at once.
#include "step/smooth.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ARMING = 40, ROOT_STEPS = 100, SIGN_ROUNDS = 6 };

// of guards, and of gaps, whose sizes are counted so that both are the same
static const double seen = 1e-11, resolved = 2e-13, close = 1e-14, contradicts = 1e-8;

static const double node[STI_SMOOTH_STAGES] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
static const double weight[STI_SMOOTH_STAGES][6] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
// of order 5 less those of order 4
static const double difference[STI_SMOOTH_STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                                     -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

sti_status sti_smooth_create(sti_stepper* s) {
    const size_t n = (size_t)s->n, p = (size_t)s->p, size = 2 * n + 3 * p + 2;
    sti_smooth* m = sti_alloc_array_zero(s->env, 1, sizeof *m);
    s->smooth = m;
    if (m == NULL) return STI_ERR_MEMORY;
    m->size = (int)size;
    const struct {
        double** at;
        size_t length;
    } parts[] = {{&m->y, size},
                 {&m->end, size},
                 {&m->middle, size},
                 {&m->stage, STI_SMOOTH_STAGES * size},
                 {&m->direction, 2 * p},
                 {&m->sign, p},
                 {&m->a, n},
                 {&m->force, n},
                 {&m->c_n, p},
                 {&m->force_size, p},
                 {&m->c_t, 2 * p},
                 {&m->rows, 3 * p * n},
                 {&m->columns, 3 * p * n},
                 {&m->right, 3 * p},
                 {&m->multiplier, 3 * p},
                 {&m->guard, 2 * p},
                 {&m->guard_end, 2 * p},
                 {&m->rate, p},
                 {&m->from, n},
                 {&m->forces[0], 3 * p},
                 {&m->forces[1], 3 * p}};
    const size_t count = sizeof parts / sizeof *parts;
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += parts[i].length;
    m->memory = sti_arena_make(s->env);
    m->numbers = sti_arena_take(&m->memory, total, sizeof *m->numbers);
    m->count = sti_arena_take(&m->memory, p, sizeof *m->count);
    m->mode = sti_arena_take(&m->memory, 4 * p, 1);
    m->closed = sti_arena_take(&m->memory, 2 * p, sizeof *m->closed);
    if (m->memory.status != STI_OK) return m->memory.status;
    m->still = m->closed + p;
    m->before = m->mode + p;
    m->marked = m->before + p;
    double* next = m->numbers;
    for (size_t i = 0; i < count; next += parts[i++].length) *parts[i].at = next;
    for (size_t i = 0; i < p; i++) m->sign[i] = 1;
    return STI_OK;
}

void sti_smooth_destroy(sti_env* env, sti_smooth* m) {
    if (m == NULL) return;
    sti_arena_clear(&m->memory);
    sti_free(env, m);
}

// ---- accelerations

static double slip_at(const sti_stepper* s, const sti_instant_contact* c, int a, const double* v) {
    return sti_vector_dot(s->n, c->t + sti_at(s->n, a, 0), v) + (c->t_offset != NULL ? c->t_offset[a] : 0);
}

static bool rubs(const sti_instant_contact* c) {
    return c->tangent_count > 0 && (c->mu > 0 || c->mu_kinetic > 0);
}

void sti_smooth_direct(const sti_stepper* s, int i, const double* v, double d[2]) {
    const sti_instant_contact* c = &s->instant->contacts[i];
    memcpy(d, s->smooth->direction + 2 * (size_t)i, 2 * sizeof *d);
    if (c->tangent_count < 2) return;
    const double x = slip_at(s, c, 0, v), y = slip_at(s, c, 1, v), length = hypot(x, y);
    if (!(length > 1e-12 * (1 + sti_vector_largest(s->n, v)))) return;
    d[0] = x / length;
    d[1] = y / length;
}

// Rows and columns of the contacts that are closed; how many.
static int fill_rows(sti_stepper* s, const double* v) {
    sti_smooth* m = s->smooth;
    const int n = s->n;
    const size_t bytes = (size_t)n * sizeof(double);
    int k = 0;
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        if (m->mode[i] == STI_MODE_SEPARATE) continue;
        double* column = m->columns + sti_at(n, k, 0);
        memcpy(m->rows + sti_at(n, k, 0), c->n, bytes);
        memcpy(column, c->n, bytes);
        m->right[k++] = -c->n_rate;
        if (!rubs(c)) continue;
        double d[2];
        if (m->mode[i] == STI_MODE_SLIDE) sti_smooth_direct(s, i, v, d);
        for (int a = 0; a < c->tangent_count; a++) {
            const double* t = c->t + sti_at(n, a, 0);
            if (m->mode[i] == STI_MODE_SLIDE) {
                for (int j = 0; j < n; j++) column[j] -= m->sign[i] * c->mu_kinetic * d[a] * t[j];
                continue;
            }
            memcpy(m->rows + sti_at(n, k, 0), t, bytes);
            memcpy(m->columns + sti_at(n, k, 0), t, bytes);
            m->right[k++] = -c->t_rate[a];
        }
    }
    return k;
}

static void read_forces(sti_stepper* s, const double* v) {
    sti_smooth* m = s->smooth;
    memset(m->c_n, 0, (size_t)s->p * sizeof *m->c_n);
    memset(m->c_t, 0, 2 * (size_t)s->p * sizeof *m->c_t);
    for (int i = 0, k = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        if (m->mode[i] == STI_MODE_SEPARATE) continue;
        m->c_n[i] = m->multiplier[k++];
        double d[2] = {0, 0};
        if (m->mode[i] == STI_MODE_SLIDE) sti_smooth_direct(s, i, v, d);
        for (int a = 0; rubs(c) && a < c->tangent_count; a++)
            m->c_t[2 * i + a] =
                m->mode[i] == STI_MODE_SLIDE ? -m->sign[i] * c->mu_kinetic * m->c_n[i] * d[a] : m->multiplier[k++];
    }
}

// Joints that slide and whose force has the other sign than friction was made for.
static bool turn_signs(sti_stepper* s) {
    sti_smooth* m = s->smooth;
    bool any = false;
    for (int i = s->p - s->joint_count; i < s->p; i++) {
        if (m->mode[i] != STI_MODE_SLIDE || !(m->sign[i] * m->c_n[i] < 0)) continue;
        m->sign[i] = -m->sign[i];
        any = true;
    }
    return any;
}

// Where forces balance, what is left of them is no acceleration: a block that sticks does not creep.
static void drop_rounding(sti_stepper* s, int k) {
    sti_smooth* m = s->smooth;
    for (int i = 0; i < s->n; i++) {
        double sum = fabs(m->force[i]);
        for (int j = 0; j < k; j++) sum += fabs(m->columns[sti_at(s->n, j, i)] * m->multiplier[j]);
        if (fabs(m->a[i]) * s->instant->M[sti_at(s->n, i, i)] <= 16 * DBL_EPSILON * sum) m->a[i] = 0;
    }
}

// What the force of each contact is compared with: itself, and its share of the mass, by the diagonal of M, times the
// accelerations along its gap, summed without signs. Coordinates have units of their own; where one has no mass, all
// alike.
static void measure_forces(sti_stepper* s, const double* v) {
    sti_smooth* m = s->smooth;
    const int n = s->n;
    const double press = sti_vector_largest(s->p, m->c_n), *M = s->instant->M;
    const double all =
        sti_vector_largest(n, m->force) + press + sti_vector_largest(n * n, M) * (1 + sti_vector_largest(n, v));
    for (int i = 0; i < s->p; i++) {
        const double* gradient = s->instant->contacts[i].n;
        double lightness = 0, quick = 1;
        bool massive = true;
        for (int j = 0; j < n; j++) {
            const double mass = M[sti_at(n, j, j)], g = fabs(gradient[j]);
            massive = massive && mass > 0;
            if (g == 0 || !(mass > 0)) continue;
            lightness += g * g / mass;
            quick += g * (fabs(m->force[j]) / mass + fabs(v[j]));
        }
        m->force_size[i] = massive && lightness > 0 ? press + quick / lightness : all;
    }
}

static sti_status accelerate(sti_stepper* s, const double* v) {
    sti_smooth* m = s->smooth;
    const int n = s->n;
    for (int i = 0; i < n; i++) m->force[i] = -s->instant->F[i];
    int k = 0;
    for (int round = 0; round <= SIGN_ROUNDS; round++) {
        k = fill_rows(s, v);
        sti_bordered b = {.n = n,
                          .k = k,
                          .M = s->instant->M,
                          .A = m->rows,
                          .W = m->columns,
                          .f = m->force,
                          .g = m->right,
                          .x = m->a,
                          .y = m->multiplier};
        const sti_status status = sti_bordered_solve(s->env, &b);
        if (status != STI_OK) return status;
        if (b.residual <= contradicts)
            m->residual = fmax(m->residual, b.residual);  // others are no motion
        else
            m->possible = false;
        m->redundant = b.rank < n + k;
        read_forces(s, v);
        if (!turn_signs(s)) break;
        m->possible = m->possible && round < SIGN_ROUNDS;
    }
    drop_rounding(s, k);
    measure_forces(s, v);
    return STI_OK;
}

// ---- rates and guards

static void set_guards(const sti_stepper* s, const double* y, double* guard) {
    const sti_smooth* m = s->smooth;
    const double* v = y + s->n;
    const double far = 1 + sti_vector_largest(s->n, y), fast = 1 + sti_vector_largest(s->n, v);
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        guard[2 * i] = guard[2 * i + 1] = INFINITY;
        if (m->mode[i] == STI_MODE_SEPARATE)
            guard[2 * i] = s->gap_work[i] / (far * resolved / seen);
        else if (!m->redundant && !c->bilateral)
            guard[2 * i] = m->c_n[i] / m->force_size[i];
        if (m->mode[i] == STI_MODE_SEPARATE || !rubs(c)) continue;
        const double *c_t = m->c_t + 2 * (size_t)i, *d = m->direction + 2 * (size_t)i;
        if (m->mode[i] == STI_MODE_STICK) {
            if (!m->redundant) guard[2 * i + 1] = (c->mu * fabs(m->c_n[i]) - hypot(c_t[0], c_t[1])) / m->force_size[i];
            continue;
        }
        double along = 0;
        for (int a = 0; a < c->tangent_count; a++) along += d[a] * slip_at(s, c, a, v);
        guard[2 * i + 1] = along / fast - (c->tangent_count == 2 ? STI_SMOOTH_NO_SLIP : 0);
    }
}

// Power of the applied forces on v, and of the surfaces that move; what friction takes.
static sti_status powers(sti_stepper* s, double t, const double* y, double* work, double* loss) {
    sti_smooth* m = s->smooth;
    const int n = s->n;
    const double* v = y + n;
    const sti_status status = sti_system_force(s->system, t, y, v, s->other, NULL, NULL);
    if (status != STI_OK) return status;
    m->pushes = m->pushes || sti_vector_largest(n, s->other) > 0;
    *work = sti_vector_dot(n, s->other, v);
    *loss = 0;
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        *work -= m->c_n[i] * c->n_offset;
        for (int a = 0; a < c->tangent_count; a++) {
            const double c_t = m->c_t[2 * i + a];
            if (c->t_offset != NULL) *work -= c_t * c->t_offset[a];
            if (m->mode[i] == STI_MODE_SLIDE) *loss += c_t * slip_at(s, c, a, v);
        }
    }
    return STI_OK;
}

static sti_status rates_at(sti_stepper* s, double t, const double* y, double* rates, double* guard) {
    sti_smooth* m = s->smooth;
    const size_t n = (size_t)s->n, p = (size_t)s->p;
    sti_status status = sti_system_instant_update(s->system, t, y, y + n, s->instant);
    if (status == STI_OK) status = sti_system_gap(s->system, t, y, s->gap_work);  // the instant's are rounded
    if (status == STI_OK) status = accelerate(s, y + n);
    if (status != STI_OK) return status;
    memcpy(rates, y + n, n * sizeof *y);
    memcpy(rates + n, m->a, n * sizeof *y);
    memcpy(rates + 2 * n, m->c_n, p * sizeof *y);
    memcpy(rates + 2 * n + p, m->c_t, 2 * p * sizeof *y);
    set_guards(s, y, guard);
    return powers(s, t, y, &rates[2 * n + 3 * p], &rates[2 * n + 3 * p + 1]);
}

sti_status sti_smooth_begin(sti_stepper* s) {
    const size_t n = (size_t)s->n;
    sti_smooth* m = s->smooth;
    memset(m->y, 0, (size_t)m->size * sizeof *m->y);
    memcpy(m->y, s->q, n * sizeof *s->q);
    memcpy(m->y + n, s->v, n * sizeof *s->v);
    m->possible = true;
    const sti_status status = rates_at(s, s->time, m->y, m->stage, m->guard);
    for (int i = 0; status == STI_OK && i < s->p; i++) {
        double d[2];
        m->rate[i] = sti_step_rate(s, i, s->v);
        if (m->mode[i] != STI_MODE_SLIDE) continue;
        sti_smooth_direct(s, i, s->v, d);
        memcpy(m->direction + 2 * (size_t)i, d, sizeof d);
    }
    if (status == STI_OK) set_guards(s, m->y, m->guard);
    return status;
}

static double least(const double* x, int count) {
    double low = INFINITY;
    for (int i = 0; i < count; i++) low = fmin(low, x[i]);
    return low;
}

static double error_of(const sti_stepper* s, double h) {
    const sti_smooth* m = s->smooth;
    double worst = 0;
    for (int part = 0; part < 2; part++) {
        const double* x = m->end + (size_t)part * (size_t)s->n;
        const double size = 1 + sti_vector_largest(s->n, x);
        for (int i = 0; i < s->n; i++) {
            double e = 0;
            for (int j = 0; j < STI_SMOOTH_STAGES; j++)
                e += difference[j] * m->stage[sti_at(m->size, j, part * s->n + i)];
            worst = fmax(worst, fabs(h * e) / size);
        }
    }
    return isfinite(worst) ? worst : INFINITY;
}

sti_status sti_smooth_step(sti_stepper* s, double h) {
    sti_smooth* m = s->smooth;
    m->hint = 0;
    for (int j = 1; j < STI_SMOOTH_STAGES; j++) {
        double* at = j == STI_SMOOTH_STAGES - 1 ? m->end : m->middle;
        for (int i = 0; i < m->size; i++) {
            double sum = 0;
            for (int l = 0; l < j; l++) sum += weight[j][l] * m->stage[sti_at(m->size, l, i)];
            at[i] = m->y[i] + h * sum;
        }
        const sti_status status =
            rates_at(s, s->time + node[j] * h, at, m->stage + sti_at(m->size, j, 0), m->guard_end);
        if (status != STI_OK) return status;
        if (node[j] < 1 && m->hint == 0 && least(m->guard_end, 2 * s->p) < -seen) m->hint = node[j] * h;
    }
    m->error = error_of(s, h);
    return STI_OK;
}

// ---- where a guard becomes negative

// A time at which a gap that is open at both ends may not be: the lowest point of the cubic through them; 0: there is
// none. The instant is the one at the end.
static double dip(const sti_stepper* s, double h) {
    const sti_smooth* m = s->smooth;
    double first = 0;
    for (int i = 0; i < s->p - s->joint_count; i++) {
        if (m->mode[i] != STI_MODE_SEPARATE) continue;
        const double g0 = m->guard[2 * i] * (resolved / seen) * (1 + sti_vector_largest(s->n, m->y)),
                     g1 = s->gap_work[i];
        const double r0 = h * m->rate[i], r1 = h * sti_step_rate(s, i, m->end + s->n);
        if (!(r0 < 0 && r1 > 0 && g0 > 0 && g1 > 0)) continue;
        // the zero in (0, 1) of the cubic's derivative a x^2 + b x + r0
        const double a = 3 * (r0 + r1 + 2 * (g0 - g1)), b = 6 * (g1 - g0) - 2 * (2 * r0 + r1);
        const double x = -2 * r0 / (b + sqrt(fmax(b * b - 4 * a * r0, 0))), y = 1 - x;
        if (!(x > 0 && x < 1)) continue;
        const double low = y * y * ((1 + 2 * x) * g0 + x * r0) + x * x * ((3 - 2 * x) * g1 - y * r1);
        if (low < 0.1 * fmin(g0, g1) && (first == 0 || x * h < first)) first = x * h;
    }
    return first;
}

// Marks the guards that are negative at the end; how many.
static int mark(const sti_stepper* s) {
    const sti_smooth* m = s->smooth;
    int count = 0;
    for (int i = 0; i < 2 * s->p; i++) count += m->marked[i] = m->guard_end[i] < -seen;
    return count;
}

// Least of the marked guards; which.
static double least_marked(const sti_stepper* s, const double* guard, int* which) {
    double low = INFINITY;
    *which = -1;
    for (int i = 0; i < 2 * s->p; i++) {
        if (!s->smooth->marked[i] || !(guard[i] < low)) continue;
        low = guard[i];
        *which = i;
    }
    return low;
}

// A length up to h at whose end a guard is negative, the guards marked; 0: none was found, and `end` is that of h.
static sti_status find_negative(sti_stepper* s, double h, double* length) {
    sti_smooth* m = s->smooth;
    const double hints[2] = {m->hint, dip(s, h)};
    *length = mark(s) > 0 ? h : 0;
    bool moved = false;
    for (int k = 0; k < 2; k++) {
        if (!(hints[k] > 0) || (*length > 0 && hints[k] >= *length)) continue;
        const sti_status status = sti_smooth_step(s, hints[k]);
        if (status != STI_OK) return status;
        moved = true;
        if (mark(s) > 0) *length = hints[k];
    }
    if (!moved) return STI_OK;
    const sti_status status = sti_smooth_step(s, *length > 0 ? *length : h);
    mark(s);
    return status;
}

// A length at whose end all marked guards are positive; those that are lower than *b on the way move it. *a 0: there is
// none.
static sti_status arm(sti_stepper* s, double* a, double* low_a, double* b, double* low_b, int* which) {
    sti_smooth* m = s->smooth;
    *a = 0;
    *low_a = least_marked(s, m->guard, which);
    if (*low_a > 0) return STI_OK;
    double at = *b;
    for (int k = 0; k < ARMING; k++) {
        at /= 2;
        const sti_status status = sti_smooth_step(s, at);
        if (status != STI_OK) return status;
        *low_a = least_marked(s, m->guard_end, which);
        *a = at;
        if (*low_a > 0) return STI_OK;
        *b = at;
        *low_b = *low_a;
    }
    *a = 0;
    return STI_OK;
}

sti_status sti_smooth_locate(sti_stepper* s, double h, double* tau, int* which) {
    sti_smooth* m = s->smooth;
    double a, b, low_a, low_b;
    *which = -1;
    *tau = h;
    sti_status status = find_negative(s, h, &b);
    if (status != STI_OK || b == 0) return status;
    low_b = least_marked(s, m->guard_end, which);
    int other;
    status = arm(s, &a, &low_a, &b, &low_b, &other);
    if (status != STI_OK) return status;
    if (!(low_a > 0)) {
        *tau = 0;
        *which = other;
        return STI_OK;
    }
    // low_a > 0 >= low_b throughout
    double weight_a = low_a, weight_b = low_b;
    int side = 0;  // of the last step
    const double fine = s->options.event_tol * s->options.step;
    for (int k = 0; k < ROOT_STEPS && (b - a > fine || low_b < -close) && b - a > 4e-16 * b && low_b < 0; k++) {
        const double secant = a + (b - a) * weight_a / (weight_a - weight_b);
        const double x = k % 8 == 7 || !(secant > a && secant < b) ? a + (b - a) / 2 : secant;
        if (!(x > a && x < b)) break;
        status = sti_smooth_step(s, x);
        if (status != STI_OK) return status;
        const double low = least_marked(s, m->guard_end, &other);
        if (low > 0) {
            a = x;
            weight_a = low;
            if (side > 0) weight_b /= 2;
        } else {
            b = x;
            low_b = weight_b = low;
            if (side < 0) weight_a /= 2;
        }
        side = low > 0 ? 1 : -1;
    }
    *tau = b;
    status = sti_smooth_step(s, b);
    least_marked(s, m->guard_end, which);
    return status;
}
