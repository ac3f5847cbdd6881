// run_contacts.c: of a recorded run: what contacts do.
//
// With r = (r_n, r_t) the impulse on a, u the relative velocity that the step moves with, R the largest impulse or momentum
// of the frame and U the largest speed of the run, the law of Coulomb with a gap that may close within the step is
//
//     |r_t| <= mu r_n                                     cone, in parts of R
//     0 <= r_n  _|_  u_n + max(gap, 0) / h >= 0           law: min(r_n / R, that / U)
//     mu r_n |u_t| + u_t'r_t = 0                          law: in parts of R U; it is not below 0 in the cone
//
// Momentum. A body without joints and springs gets m (v+ - v) = sum of its impulses + m h g in a step without impacts.
// The gravity g is not in the file: it is the median of what the bodies and steps say, and the worst one of them shows
// how well a single g explains all. A step that mended places pays for that with speed: v+ is then s times what
// follows from the impulses, with 0 <= s <= 1.
#include <stdlib.h>

#include "verify/run.h"

static void check_basis(sti_run_data* k, long frame, long i) {
    const double* e[3] = {k->w->n + 3 * i, k->w->t1 + 3 * i, k->w->t2 + 3 * i};
    const int axes = k->w->dim;
    double worst = 0;
    for (int a = 0; a < axes; a++) {
        for (int b = 0; b <= a; b++) worst = fmax(worst, fabs(sti_run_dot(e[a], e[b]) - (a == b)));
    }
    sti_run_look(k, STI_RUN_BASIS, worst, frame, (int)(i - sti_run_first_contact(k, frame)));
}

static void check_law(sti_run_data* k, long frame, long i, double R, double h) {
    const double *r = k->w->r + 3 * i, *u = k->w->u + 3 * i, mu = k->w->mu[i], U = k->speed;
    const bool space = k->w->dim == 3;
    const int number = (int)(i - sti_run_first_contact(k, frame));
    const double r_t = hypot(r[1], space ? r[2] : 0), u_t = hypot(u[1], space ? u[2] : 0);
    sti_run_look(k, STI_RUN_CONE, fmax(0, fmax(-r[0], r_t - mu * fmax(r[0], 0))) / R, frame, number);
    if (!(h > 0)) return;
    const double open = u[0] + fmax(k->w->gap[i], 0) / h;
    const double power = mu * r[0] * u_t + u[1] * r[1] + (space ? u[2] * r[2] : 0);
    sti_run_look(k, STI_RUN_LAW, fmax(-open / U, fmin(r[0] / R, open / U)), frame, number);
    sti_run_look(k, STI_RUN_LAW, fabs(power) / (R * U), frame, number);
}

static void check_frame(sti_run_data* k, long frame) {
    const double h = sti_run_step_length(k, frame);
    double R = 0;
    for (int b = 0; b < k->w->body_count; b++)
        if (!k->w->fixed[b]) R = fmax(R, k->w->mass[b] * sti_run_norm(sti_run_at(k, k->w->v, 3, frame, b)));
    for (long i = sti_run_first_contact(k, frame); i < k->w->contact_end[frame]; i++)
        for (int a = 0; a < k->w->dim; a++) R = fmax(R, fabs(k->w->r[3 * i + a]));
    for (long i = sti_run_first_contact(k, frame); i < k->w->contact_end[frame]; i++) {
        check_basis(k, frame, i);
        check_law(k, frame, i, R > 0 ? R : 1, h);
    }
}

// ---- momentum

// Velocity of a body after its impulses but before gravity, and as it was recorded.
typedef struct sample {
    double pushed[3], after[3];
    double h;
    bool mended;
    long frame;
    int body;
} sample;

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void add_impulses(const sti_run_data* k, long frame, double* sum) {
    const sti_recorded_world* w = k->w;
    for (int i = 0; i < 3 * w->body_count; i++) sum[i] = 0;
    for (long i = sti_run_first_contact(k, frame); i < w->contact_end[frame]; i++) {
        double* a = sum + 3 * (size_t)w->contact_body[2 * i];
        double* b = sum + 3 * (size_t)w->contact_body[2 * i + 1];
        for (int x = 0; x < 3; x++) {
            const double f = w->r[3 * i] * w->n[3 * i + x] + w->r[3 * i + 1] * w->t1[3 * i + x] +
                             (w->dim == 3 ? w->r[3 * i + 2] * w->t2[3 * i + x] : 0);
            a[x] += f;
            b[x] -= f;
        }
    }
}

static bool has_balance(const sti_run_data* k, long frame) {
    const int64_t step = k->w->frame_step[frame];
    return sti_run_follows(k, frame) && step >= 1 && step <= k->w->step_count && k->w->impacts[step - 1] == 0 &&
           sti_run_step_length(k, frame) > 0;
}

static long take_samples(const sti_run_data* k, double* sum, sample* out) {
    long count = 0;
    for (long f = 1; f < k->w->frame_count; f++) {
        if (!has_balance(k, f)) continue;
        add_impulses(k, f, sum);
        for (int b = 0; b < k->w->body_count; b++) {
            if (k->w->fixed[b] || k->tied[b] || !(k->w->mass[b] > 0)) continue;
            const double *v0 = sti_run_at(k, k->w->v, 3, f - 1, b), *v1 = sti_run_at(k, k->w->v, 3, f, b);
            sample* s = &out[count++];
            *s = (sample){.h = sti_run_step_length(k, f), .frame = f, .body = b};
            s->mended = k->w->corrected[k->w->frame_step[f] - 1] > 0;
            for (int x = 0; x < 3; x++) {
                s->pushed[x] = v0[x] + sum[3 * b + x] / k->w->mass[b];
                s->after[x] = v1[x];
            }
        }
    }
    return count;
}

// The median, by components, of steps that did not mend; of all where every step did: few pay with much speed.
static void find_gravity(const sample* list, long count, double* sorted, double g[3]) {
    long exact = 0;
    for (long i = 0; i < count; i++) exact += !list[i].mended;
    for (int x = 0; x < 3; x++) {
        long n = 0;
        for (long i = 0; i < count; i++) {
            if (!list[i].mended || exact == 0) sorted[n++] = (list[i].after[x] - list[i].pushed[x]) / list[i].h;
        }
        qsort(sorted, (size_t)n, sizeof *sorted, compare);
        g[x] = n > 0 ? sorted[n / 2] : 0;
    }
}

static double unexplained(const sample* s, const double g[3]) {
    double due[3], d[3], part = 1;
    for (int x = 0; x < 3; x++) due[x] = s->pushed[x] + s->h * g[x];
    const double square = sti_run_dot(due, due);
    if (s->mended && square > 0) part = fmin(fmax(sti_run_dot(due, s->after) / square, 0), 1);
    for (int x = 0; x < 3; x++) d[x] = s->after[x] - part * due[x];
    return sti_run_norm(d);
}

static sti_status check_momentum(sti_run_data* k) {
    const size_t most = (size_t)k->w->frame_count * (size_t)k->w->body_count;
    sample* list = sti_alloc_array(k->env, most, sizeof *list);
    double* sum = sti_alloc_array(k->env, (size_t)k->w->body_count, 3 * sizeof *sum);
    double *sorted = sti_alloc_array(k->env, most, sizeof *sorted), g[3];
    sti_status status = STI_OK;
    if (list == NULL || sum == NULL || sorted == NULL)
        status = STI_FAIL(k->env, STI_ERR_MEMORY, -1, "momentum of %zu", most);
    const long count = status == STI_OK ? take_samples(k, sum, list) : 0;
    if (count > 0) find_gravity(list, count, sorted, g);
    for (long i = 0; i < count; i++)
        sti_run_look(k, STI_RUN_MOMENTUM, unexplained(&list[i], g) / k->speed, list[i].frame, list[i].body);
    sti_free(k->env, list);
    sti_free(k->env, sum);
    sti_free(k->env, sorted);
    return status;
}

sti_status sti_run_check_contacts(sti_run_data* k) {
    sti_status status = STI_OK;
    for (long f = 0; status == STI_OK && f < k->w->frame_count; f++) {
        check_frame(k, f);
        status = sti_check_time(k->env, "looking at the contacts of recorded frames");
    }
    if (status != STI_OK) return status;
    return k->options->bodies != NULL && !k->options->springs ? check_momentum(k) : STI_OK;
}
