// advance.c: what one step consists of.
//
// One step of the alpha scheme with contacts at the level of velocities:
//
//     1. active set: joints and contacts with gap <= gap_tol; rule `held`: of these the ones that do not open (n'v <=
//        0), and all that were closed in the last step
//     2. contacts that touch anew and approach hit at once: impact law at (t, q, v)
//     3. trial step with the active set
//     4. an open contact has crossed: go to the first touching on the cubic (locate.c), impact law there; then either
//        on with what is left of the step, or (S3 after 2.1.22) the rest is dropped and time is (l + 1) h all the same
//     5. otherwise the trial becomes the state; positions are projected (project.c)
//     6. a trial without solution, or whose energy balance fails (energy_balance.c), is made again with half its
//        length; a step then consists of pieces. The next one begins with pieces as long as those, and doubles them as
//        the balance allows
//
// The rule (2.1.11) alone lets go of a contact whose gap has drifted to the open side, and locates it again as a
// collision later on; and it keeps a contact that has just bounced in the problem, so that a landing within the same
// step is not seen as one. Both are errors of the order of h in the velocity. `held` keeps a closed contact in the
// problem, where the complementarity decides, until it opens there (c_n = 0); and one that opens after an impact is out
// of it, and lands by step 4.
//
// A contact that is held has n'u = 0 but with alpha < 1 its v oscillates (v+ = -v): that is no approach, and step 2
// does not look at it.
//
// After collision_limit collisions in one piece of a step restitution is 0 for the rest of it, and every contact that
// took part in one of them stays closed, or opens by the complementarity of the step: accumulations of ever smaller
// bounces, or of a block that rocks from corner to corner, end there. After as many again the rest of the piece is
// dropped, and the report says how much.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/step.h"

static bool locates(const sti_stepper* s) {
    return s->options.scheme == STI_SCHEME_ALPHA && s->options.level == STI_LEVEL_VELOCITY;
}

double sti_step_rate(const sti_stepper* s, int i, const double* v) {
    const sti_instant_contact* c = &s->instant->contacts[i];
    return sti_vector_dot(s->n, c->n, v) + c->n_offset;
}

double sti_step_slow(const sti_stepper* s) {
    return 1e-12 * (1 + sti_vector_largest(s->n, s->v));
}

// Step 1; the instant is the one at (q, v) afterwards. *hits: step 2 has something to do.
static sti_status choose_active(sti_stepper* s, bool* hits) {
    sti_status status = sti_system_gap(s->system, s->time, s->q, s->gap);
    if (status == STI_OK) status = sti_system_instant_update(s->system, s->time, s->q, s->v, s->instant);
    const bool rule = s->options.active == STI_ACTIVE_HELD && locates(s);
    *hits = false;
    for (int i = 0; status == STI_OK && i < s->p; i++) {
        const double rate = sti_step_rate(s, i, s->v);
        s->active[i] = s->gap[i] <= s->options.gap_tol;
        if (rule) s->active[i] = s->held[i] || (s->active[i] && rate <= sti_step_slow(s));
        if (i >= s->p - s->joint_count)
            s->active[i] = true;
        else if (locates(s) && s->active[i] && !s->held[i] && rate < -sti_step_slow(s))
            *hits = true;
    }
    return status;
}

// Work of surfaces that move by themselves in an impact.
static double surface_work(const sti_stepper* s, const sti_collision* k) {
    double work = 0;
    int row = 0;
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        work -= k->p_n[i] * c->n_offset;
        for (int a = 0; a < c->tangent_count; a++, row++) {
            if (c->t_offset != NULL) work -= k->p_t[row] * c->t_offset[a];
        }
    }
    return work;
}

static void note_jump(sti_stepper* s, const double* q, sti_step_report* report) {
    double sum = 0;
    const int k = report->jump_count;
    if (k >= STI_STEP_JUMPS) return;
    const size_t n = (size_t)s->n, at = (size_t)k * n, all = STI_STEP_JUMPS * n;
    memcpy(s->jump + at, q, n * sizeof *q);
    memcpy(s->jump + all + at, s->v_minus, n * sizeof *q);
    memcpy(s->jump + 2 * all + at, s->v_plus, n * sizeof *q);
    for (int i = 0; i < s->n; i++) sum += (s->v_plus[i] - s->v_minus[i]) * (s->v_plus[i] - s->v_minus[i]);
    s->jump_time[k] = s->time;
    s->jump_size[k] = sqrt(sum);
    report->jump_count++;
}

sti_status sti_step_hit(sti_stepper* s, const double* q, const double* v, sti_step_report* report) {
    sti_collision_options o = sti_collision_options_default();
    o.law = s->options.law;
    o.E = s->E;
    o.stiffness = s->stiffness;
    o.exponent = s->options.exponent;
    o.facets = s->impact.facets;
    o.dissipate = s->options.dissipate;
    if (s->bounces >= s->options.collision_limit) o.restitution_scale = 0;
    sti_status status = sti_system_instant_update(s->system, s->time, q, v, s->instant);
    if (status == STI_OK) status = sti_step_collide(&s->impact, s->instant, s->active, v, &o, s->collision);
    if (status == STI_OK && s->collision->outcome != STI_SOLVED && o.restitution_scale > 0) {
        // the law has no solution here; an inelastic impact has one
        o.restitution_scale = 0;
        snprintf(report->why, sizeof report->why, "%s impact has no solution at t = %.9g: taken as inelastic",
                 sti_impact_law_text(o.law), s->time);
        status = sti_step_collide(&s->impact, s->instant, s->active, v, &o, s->collision);
    }
    const sti_collision* c = s->collision;
    report->residual = fmax(report->residual, c->residual);
    if (status != STI_OK || c->outcome != STI_SOLVED) {
        report->outcome = c->outcome;
        if (status == STI_OK) snprintf(report->why, sizeof report->why, "impact at t = %.9g: %.180s", s->time, c->why);
        return status;
    }
    memcpy(s->v_minus, v, (size_t)s->n * sizeof *v);
    memcpy(s->v_plus, c->v, (size_t)s->n * sizeof *v);
    s->bounces++;
    if (report->collisions++ == 0) report->collision_time = s->time;
    note_jump(s, q, report);
    report->v_minus = s->v_minus;
    report->v_plus = s->v_plus;
    const double surfaces = surface_work(s, c);
    report->work += surfaces;
    report->collision_energy += c->energy[2] - c->energy[0] - surfaces;
    if (c->gain > 0) report->gain += c->gain;
    report->relaxed += c->relaxed;
    int a = 0;
    const bool all = s->options.active == STI_ACTIVE_GAP || s->bounces > s->options.collision_limit;
    for (int i = 0; i < s->p; i++) {
        if (c->p_n[i] > 0 && i < s->p - s->joint_count) s->collision_at[i] = s->time;
        s->impulse_n[i] += c->p_n[i];
        for (int k = 0; k < s->tangent_count[i]; k++) s->impulse_t[sti_at(2, i, k)] += c->p_t[a++];
        s->touched[i] = s->touched[i] || s->active[i];
        s->held[i] = all ? s->touched[i] : s->active[i] && sti_step_rate(s, i, c->v) <= sti_step_slow(s);
    }
    memcpy(s->v, c->v, (size_t)s->n * sizeof *s->v);
    return STI_OK;
}

// Where nothing is located: contacts that were open, and that the trial closes.
static void note_closings(sti_stepper* s, double h, sti_step_report* report) {
    const sti_impulses* p = &s->impulses;
    if (locates(s) || s->options.scheme == STI_SCHEME_QUASISTATIC || p->outcome != STI_SOLVED) return;
    for (int j = 0; j < p->count; j++) {
        const int i = p->contacts[j].contact;
        const double rate = sti_step_rate(s, i, s->v);
        if (p->contacts[j].bilateral || !(p->c_n[j] > 0) || s->held[i] || !(rate < -sti_step_slow(s))) continue;
        if (!isnan(s->collision_at[i])) continue;  // another facet
        s->collision_at[i] = s->time + fmin(h, fmax(s->gap[i], 0) / -rate);
        if (report->collisions++ == 0 || s->collision_at[i] < report->collision_time)
            report->collision_time = s->collision_at[i];
    }
}

static sti_status try_step(sti_stepper* s, double h, sti_step_report* report) {
    sti_status status = STI_OK;
    if (s->options.scheme == STI_SCHEME_ALPHA) status = sti_step_alpha(s, h);
    if (s->options.scheme == STI_SCHEME_CONVEX) status = sti_step_convex(s, h, report);
    if (s->options.scheme == STI_SCHEME_QUASISTATIC) status = sti_step_quasistatic(s, h);
    if (status != STI_OK) return status;
    note_closings(s, h, report);
    report->outcome = s->impulses.outcome;
    report->residual = fmax(report->residual, s->impulses.residual);
    if (report->outcome != STI_SOLVED) snprintf(report->why, sizeof report->why, "%s", s->impulses.why);
    return STI_OK;
}

// Modes, slips and openings of the trial.
static void read_trial(sti_stepper* s) {
    const sti_impulses* p = &s->impulses;
    memset(s->mode, STI_MODE_SEPARATE, (size_t)s->p);
    memset(s->slip, 0, 2 * (size_t)s->p * sizeof *s->slip);
    memset(s->opening, 0, (size_t)s->p * sizeof *s->opening);
    for (int j = 0; j < p->count; j++) {
        const int i = p->contacts[j].contact;
        if (s->options.scheme == STI_SCHEME_CONVEX && !p->contacts[j].bilateral) continue;  // a facet
        s->mode[i] = p->mode[j];
        s->opening[i] = p->rho[j];
        for (int a = 0; a < 2; a++) s->slip[sti_at(2, i, a)] = p->slip[sti_at(2, j, a)];
    }
}

// Impulses of the trial, the part of them that was made use of.
static void add_impulses(sti_stepper* s, double share) {
    const sti_impulses* p = &s->impulses;
    for (int j = 0; j < p->count; j++) {
        const int i = p->contacts[j].contact;
        const bool facet = s->options.scheme == STI_SCHEME_CONVEX && !p->contacts[j].bilateral;
        s->impulse_n[i] += share * p->c_n[j];
        for (int a = 0; !facet && a < 2; a++) s->impulse_t[sti_at(2, i, a)] += share * p->c_t[sti_at(2, j, a)];
    }
}

// The trial becomes the state.
static void commit(sti_stepper* s, sti_step_report* report) {
    add_impulses(s, 1);
    if (s->options.scheme == STI_SCHEME_CONVEX) sti_step_convex_read(s);
    report->active = 0;
    for (int i = 0; i < s->p; i++) {
        report->active += s->active[i] && i < s->p - s->joint_count;
        s->held[i] = s->active[i] && s->mode[i] != STI_MODE_SEPARATE;
        if (s->held[i]) s->slides[i] = s->mode[i] == STI_MODE_SLIDE;
    }
    const size_t size = (size_t)s->n * sizeof *s->q;
    memcpy(s->q, s->q_trial, size);
    memcpy(s->v, s->v_trial, size);
    memcpy(s->v_alpha, s->u_trial, size);
}

// Step 5, for a trial of length h. *fine is false, and nothing is changed, where step 6 wants it shorter.
static sti_status accept(sti_stepper* s, double h, bool last, bool* fine, sti_step_report* report) {
    double corrected = 0;
    sti_status status = sti_step_balance_measure(s, h, 1, s->u_trial);
    read_trial(s);
    if (status == STI_OK && s->options.stabilize)
        status = sti_step_project(s, s->time + h, true, s->q_trial, &corrected);
    if (status == STI_OK) status = sti_step_balance_judge(s, h, s->q_trial, s->v_trial, s->u_trial, fine);
    if (status != STI_OK || (!*fine && !last)) return status;
    sti_step_balance_correct(s, s->u_trial, s->v_trial, report);
    if (s->options.settle && s->options.scheme == STI_SCHEME_ALPHA)
        status = sti_step_settle(s, s->time + h, s->q_trial, s->v_trial);
    if (status != STI_OK) return status;
    report->corrected = fmax(report->corrected, corrected);
    commit(s, report);
    s->bounces = 0;
    memset(s->touched, 0, (size_t)s->p);
    return STI_OK;
}

// The position at a collision, moved so that joints, contacts that the trial held and the new one are closed.
static sti_status close_root(sti_stepper* s, double t, int which, double* corrected) {
    read_trial(s);
    s->active[which] = true;
    s->mode[which] = STI_MODE_STICK;
    sti_status status = sti_step_project(s, t, true, s->root_q, corrected);
    s->active[which] = false;
    return status == STI_OK ? sti_system_gap(s->system, t, s->root_q, s->gap_work) : status;
}

// Step 4, after sti_step_locate in a trial of length h; *fine as above.
static sti_status turn(sti_stepper* s, double h, double tau, int which, bool last, bool* fine,
                       sti_step_report* report) {
    double corrected = 0;
    for (int i = 0; i < s->n; i++) s->u_trial[i] = (s->root_q[i] - s->q[i]) / tau;
    sti_status status = sti_step_balance_measure(s, tau, tau / h, s->u_trial);
    if (status == STI_OK && s->options.stabilize) status = close_root(s, s->time + tau, which, &corrected);
    if (status == STI_OK) status = sti_step_balance_judge(s, tau, s->root_q, s->root_v, s->u_trial, fine);
    if (status != STI_OK || (!*fine && !last)) return status;
    sti_step_balance_correct(s, s->u_trial, s->root_v, report);
    report->corrected = fmax(report->corrected, corrected);
    add_impulses(s, tau / h);
    s->time += tau;
    for (int i = 0; i < s->p - s->joint_count; i++)
        s->active[i] = s->gap_work[i] <= s->options.gap_tol || (s->active[i] && s->held[i]) || i == which;
    status = sti_step_hit(s, s->root_q, s->root_v, report);
    if (status != STI_OK || report->outcome != STI_SOLVED) return status;
    memcpy(s->q, s->root_q, (size_t)s->n * sizeof *s->q);
    memcpy(s->v_alpha, s->v, (size_t)s->n * sizeof *s->v);
    return STI_OK;
}

// Steps 1 to 3 with a trial of length h.
static sti_status attempt(sti_stepper* s, double h, sti_step_report* report) {
    bool hits = false;
    sti_status status = choose_active(s, &hits);
    if (status == STI_OK && hits) {
        status = sti_step_hit(s, s->q, s->v, report);
        if (status == STI_OK) status = choose_active(s, &hits);
    }
    if (status == STI_OK && report->outcome == STI_SOLVED) status = sti_step_balance_begin(s, h);
    if (status == STI_OK && report->outcome == STI_SOLVED) status = try_step(s, h, report);
    return status;
}

// A trial of length h from the state; *made is what of it was taken, 0: nothing, as step 6 wants it shorter.
static sti_status make_piece(sti_stepper* s, double h, bool last, double* made, sti_step_report* report) {
    sti_status status = STI_OK;
    *made = 0;
    for (;;) {
        const int before = report->collisions;
        status = attempt(s, h, report);
        if (status != STI_OK) return status;
        if (report->outcome != STI_SOLVED) {
            // an impact without solution does not depend on h
            if (last || report->collisions != before || s->impulses.outcome == STI_SOLVED) return STI_OK;
            report->outcome = STI_SOLVED;
            report->why[0] = '\0';
            return STI_OK;
        }
        int which = -1;
        double tau = 0;
        bool fine = true;
        if (locates(s)) status = sti_step_locate(s, h, &tau, &which);
        if (status != STI_OK) return status;
        if (which >= 0 && tau == 0) {
            // it lifts too little to be seen, and is pressed back: closed
            s->held[which] = 1;
            continue;
        }
        status = which < 0 ? accept(s, h, last, &fine, report) : turn(s, h, tau, which, last, &fine, report);
        if (status == STI_OK && (fine || last)) *made = which < 0 ? h : tau;
        if (which < 0 && *made > 0) s->time += h;
        return status;
    }
}

sti_status sti_step_advance(sti_stepper* s, double length, sti_step_report* report) {
    const double step = s->options.step, least = ldexp(step, -s->options.refine);
    double rest = length, piece = s->piece > 0 ? s->piece : step;
    s->bounces = 0;
    memset(s->touched, 0, (size_t)s->p);
    while (rest > 1e-12 * step) {
        const double h = fmin(piece, rest);
        double made;
        const sti_status status = make_piece(s, h, h <= least || !locates(s), &made, report);
        if (status != STI_OK || report->outcome != STI_SOLVED) return status;
        rest -= made;
        if (made == 0)
            piece = h / 2;
        else if (piece < step && s->balance.ease)
            piece *= 2;
        const bool cut = made > 0 && made < h;
        if (cut && (!s->options.substep || s->bounces >= 2 * s->options.collision_limit)) {
            const double skipped = h - made;
            report->dropped += skipped > 1e-12 * step ? skipped : 0;
            rest -= skipped;
            s->time += skipped;
            s->bounces = 0;
        }
    }
    s->piece = piece < step ? piece : 0;
    return STI_OK;
}
