// events.c: a step by events: smooth motion (smooth.c) from one event to the next.
//
//     1. contacts that touch and approach hit: impact law of the options at (t, q, v)
//     2. modes of the contacts that are closed, from the complementarity problem of the instant: impulses.h with Q = M,
//        f = -F, so its u is the acceleration,
//
//            M a = -F + nu c_nu + n c_n + D beta,    0 <= n'a + n_rate _|_ c_n >= 0,    Coulomb's law for t a + t_rate
//
//        for contacts without slip; those that slip have c_n along n - mu_k t's, s = slip / |slip|. Its answer counts
//        when the forces of these modes (no facets there) agree: c_n >= 0, |c_t| <= mu c_n, gaps do not close, and what
//        begins to slide goes along s
//     3. a smooth piece of a step, of length h at most, halved until its error is below event_tol; the first guard that
//        becomes negative ends it; positions and velocities are then projected on joints and closed contacts
//        (project.c), whose accelerations alone are integrated: index 1
//     4. the event: a gap closes: 1 if it approaches, else 2. c_n vanishes: the contact opens. Friction at its bound:
//        it slides against the force. Slip vanishes: 2 decides whether it sticks or turns. The mode that the event
//        names is tried first, and 2 decides where it does not agree.
//
// Accumulation. A contact with more than collision_limit events, in one step or since the scheme made a piece of it,
// has them accumulate, as a ball that bounces ever lower does, or a block that rocks from corner to corner. The scheme
// then makes h / 64, whose own rule (advance.c) ends such motion in rest, and what is left of the step goes on by
// events. Velocities against the contact are at most of the size of h times its acceleration there, so the scheme adds
// O(h^2) to positions. The same way (with alpha 1) is taken where no modes agree (Painleve's paradox), where
// accelerations have no solution, and where pieces of h / 2^30 are still too long. `stepped` counts the time.
//
// A step depends on q, v, held and slides alone: it begins with 1 and 2, so a run that is saved goes on bit for bit.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "step/smooth.h"

enum { HALVINGS = 30, SIGN_ROUNDS = 6, SHARE = 64, CHANGES = INT_MAX };

static const double agrees = 1e-8, sharp = 1e-10;  // sharp: of a step, where no guard says how well an event is located

static int contacts_of(const sti_stepper* s) {
    return s->p - s->joint_count;
}

static void note(sti_stepper* s, sti_event_kind kind, int contact, sti_step_report* report) {
    if (report->events < STI_STEP_EVENTS)
        s->event[report->events] = (sti_event){.time = s->time, .kind = kind, .contact = contact};
    report->events++;
    s->smooth->count[contact]++;
}

static bool accumulates(const sti_stepper* s) {
    bool any = false;
    for (int i = 0; i < s->p; i++) any = any || s->smooth->count[i] > s->options.collision_limit;
    return any;
}

// ---- modes

// Modes as the rest of the stepper knows them.
static void show_modes(sti_stepper* s) {
    const sti_smooth* m = s->smooth;
    for (int i = 0; i < s->p; i++) {
        const bool joint = i >= contacts_of(s);
        s->mode[i] = m->mode[i];
        s->active[i] = joint || m->mode[i] != STI_MODE_SEPARATE;
        s->held[i] = s->active[i];
        if (s->held[i]) s->slides[i] = m->mode[i] == STI_MODE_SLIDE;
    }
}

static double slip_of(const sti_stepper* s, int i, double slip[2]) {
    const sti_instant_contact* c = &s->instant->contacts[i];
    slip[0] = slip[1] = 0;
    for (int a = 0; a < c->tangent_count; a++)
        slip[a] = sti_vector_dot(s->n, c->t + sti_at(s->n, a, 0), s->v) + (c->t_offset != NULL ? c->t_offset[a] : 0);
    return hypot(slip[0], slip[1]);
}

static double touching(const sti_stepper* s) {
    return fmax(s->options.gap_tol, 1e-11 * (1 + sti_vector_largest(s->n, s->q)));
}

// What is closed, and what of it has no slip; the instant is the one at (q, v) afterwards. *hits: something touches and
// approaches.
static sti_status look(sti_stepper* s, bool* hits) {
    sti_smooth* m = s->smooth;
    sti_status status = sti_system_instant_update(s->system, s->time, s->q, s->v, s->instant);
    if (status == STI_OK) status = sti_system_gap(s->system, s->time, s->q, s->gap);
    const double slow = sti_step_slow(s),
                 still = fmax(1e3 * slow, 10 * STI_SMOOTH_NO_SLIP * (1 + sti_vector_largest(s->n, s->v)));
    *hits = false;
    for (int i = 0; status == STI_OK && i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        const double rate = sti_step_rate(s, i, s->v);
        double slip[2];
        const double speed = slip_of(s, i, slip);
        s->active[i] = m->closed[i] = i >= contacts_of(s) || s->held[i] || (s->gap[i] <= touching(s) && rate <= slow);
        m->still[i] = !s->slides[i] || speed <= (c->tangent_count == 2 ? still : 1e3 * slow);
        *hits = *hits || (i < contacts_of(s) && m->closed[i] && !s->held[i] && rate < -slow);
        if (!m->still[i]) {
            m->direction[2 * i] = slip[0] / speed;
            m->direction[2 * i + 1] = slip[1] / speed;
        }
    }
    return status;
}

// Step 1: impacts until nothing approaches.
static sti_status hit(sti_stepper* s, sti_step_report* report, bool* done) {
    bool hits = true;
    *done = true;
    sti_status status = look(s, &hits);
    while (status == STI_OK && hits && *done) {
        s->bounces = 0;
        for (int i = 0; i < contacts_of(s); i++) {
            if (s->active[i] && !s->held[i]) note(s, STI_EVENT_IMPACT, i, report);
            s->active[i] = s->held[i] || s->gap[i] <= touching(s);
        }
        status = sti_step_hit(s, s->q, s->v, report);
        *done = report->outcome == STI_SOLVED && !accumulates(s);
        for (int i = 0; i < s->p; i++) s->slides[i] = 1;  // by what is left of its slip
        if (status == STI_OK) status = look(s, &hits);
    }
    return status;
}

// Whether something begins to slide whose friction drops: then modes have other accelerations than the problem of step
// 2.
static bool drops(const sti_stepper* s) {
    const sti_smooth* m = s->smooth;
    bool any = false;
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        any = any || (m->mode[i] == STI_MODE_SLIDE && m->still[i] && c->mu != c->mu_kinetic);
    }
    return any;
}

// Whether the accelerations of the modes are those of step 2.
static bool same_motion(const sti_stepper* s) {
    const sti_smooth* m = s->smooth;
    const double quick = agrees * (1 + sti_vector_largest(s->n, m->a));
    bool same = true;
    for (int i = 0; i < s->n; i++) same = same && fabs(m->a[i] - s->impulses.u[i]) <= quick;
    return same || drops(s);
}

// Do the accelerations of the modes agree with them? The instant is the one at (q, v), before and after.
static sti_status judge(sti_stepper* s, bool* fine) {
    sti_smooth* m = s->smooth;
    sti_status status = sti_smooth_begin(s);
    *fine = status == STI_OK && m->possible;
    if (!*fine) return status;
    if (m->redundant) {
        *fine = same_motion(s);
        return STI_OK;
    }
    const double quick = agrees * (1 + sti_vector_largest(s->n, m->a));
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        if (!m->closed[i]) continue;
        if (m->mode[i] == STI_MODE_SEPARATE) {
            *fine = *fine && sti_vector_dot(s->n, c->n, m->a) + c->n_rate >= -quick;
            continue;
        }
        *fine = *fine && m->guard[2 * i] >= -agrees;
        if (m->mode[i] == STI_MODE_STICK) *fine = *fine && m->guard[2 * i + 1] >= -agrees;
        if (m->mode[i] != STI_MODE_SLIDE || !m->still[i]) continue;
        double along = 0;
        for (int a = 0; a < c->tangent_count; a++)
            along += m->direction[2 * i + a] * (sti_vector_dot(s->n, c->t + sti_at(s->n, a, 0), m->a) + c->t_rate[a]);
        *fine = *fine && along >= -quick;
    }
    return status;
}

// The problem of step 2.
static void pose(sti_stepper* s) {
    sti_impulses* p = &s->impulses;
    const sti_smooth* m = s->smooth;
    p->alpha = 1;
    p->count = 0;
    memcpy(p->Q, s->instant->M, (size_t)s->n * (size_t)s->n * sizeof *p->Q);
    for (int i = 0; i < s->n; i++) p->f[i] = -s->instant->F[i];
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* from = &s->instant->contacts[i];
        if (!m->closed[i]) continue;
        sti_impulse_contact* c = sti_impulses_add(p, s->instant, i, from->mu);
        c->b_n = from->n_rate;
        for (int a = 0; a < from->tangent_count; a++) c->b_t[a] = from->t_rate[a];
        if (m->still[i]) continue;
        double* push = m->columns + sti_at(s->n, i, 0);
        for (int j = 0; j < s->n; j++) {
            push[j] = from->n[j];
            for (int a = 0; a < from->tangent_count; a++)
                push[j] -= m->sign[i] * from->mu_kinetic * m->direction[2 * i + a] * from->t[sti_at(s->n, a, j)];
        }
        c->push = push;
        c->tangent_count = 0;
    }
}

// Friction of a joint that slides is made for a sign of its force: turned until it has it.
static sti_status solve(sti_stepper* s) {
    const sti_impulses* p = &s->impulses;
    bool turned = true;
    for (int round = 0; turned && round < SIGN_ROUNDS; round++) {
        pose(s);
        const sti_status status = sti_impulses_solve(&s->impulses);
        if (status != STI_OK || p->outcome != STI_SOLVED) return status;
        turned = false;
        for (int j = 0; j < p->count; j++) {
            double* sign = &s->smooth->sign[p->contacts[j].contact];
            if (!p->contacts[j].bilateral || p->contacts[j].push == NULL || !(*sign * p->c_n[j] < 0)) continue;
            *sign = -*sign;
            turned = true;
        }
    }
    return STI_OK;
}

// Modes from its answer; a contact without friction slides or sticks all the same.
static void read_modes(sti_stepper* s) {
    const sti_impulses* p = &s->impulses;
    sti_smooth* m = s->smooth;
    memset(m->mode, STI_MODE_SEPARATE, (size_t)s->p);
    for (int j = 0; j < p->count; j++) {
        const int i = p->contacts[j].contact;
        const double* c_t = p->c_t + 2 * (size_t)j;
        m->mode[i] = p->mode[j];
        if (m->mode[i] == STI_MODE_SEPARATE) continue;
        if (!m->still[i]) m->mode[i] = STI_MODE_SLIDE;
        if (!m->still[i] || m->mode[i] != STI_MODE_SLIDE) continue;
        const double size = hypot(c_t[0], c_t[1]);
        for (int a = 0; a < 2; a++) m->direction[2 * i + a] = size > 0 ? -c_t[a] / size : 0;
    }
}

// Forces of its answer: those on the start of a piece (0), or on its end (1).
static void read_forces(sti_stepper* s, int end) {
    const sti_impulses* p = &s->impulses;
    const sti_smooth* m = s->smooth;
    double* to = m->forces[end];
    memset(to, 0, 3 * (size_t)s->p * sizeof *to);
    for (int j = 0; j < p->count; j++) {
        const int i = p->contacts[j].contact;
        to[i] = p->c_n[j];
        for (int a = 0; a < s->tangent_count[i]; a++)
            to[s->p + 2 * i + a] = p->contacts[j].push != NULL ? -m->sign[i] * s->instant->contacts[i].mu_kinetic *
                                                                     p->c_n[j] * m->direction[2 * i + a]
                                                               : p->c_t[2 * j + a];
    }
}

// Where friction has facets, what they let slide may stick in the round cone.
static sti_status try_sticking(sti_stepper* s, bool* fine) {
    sti_smooth* m = s->smooth;
    bool other = false;
    for (int i = 0; i < s->p; i++) {
        if (m->mode[i] != STI_MODE_SLIDE || !m->still[i] || s->tangent_count[i] < 2) continue;
        m->mode[i] = STI_MODE_STICK;
        other = true;
    }
    *fine = false;
    return other ? judge(s, fine) : STI_OK;
}

// Where forces are redundant the answer leaves some at 0 though their gaps stay closed (three corners of a box carry
// it). Such a contact is closed all the same if it has a part in the forces of least norm.
static sti_status try_closed(sti_stepper* s, bool* fine) {
    const sti_impulses* p = &s->impulses;
    sti_smooth* m = s->smooth;
    const double quick = agrees * (1 + sti_vector_largest(s->n, p->u));
    bool other = false;
    memset(m->marked, 0, (size_t)s->p);
    for (int j = 0; j < p->count; j++) {
        const int i = p->contacts[j].contact;
        const double* slip = p->slip + 2 * (size_t)j;
        if (m->mode[i] != STI_MODE_SEPARATE || p->contacts[j].bilateral || p->rho[j] > quick) continue;
        const double speed = s->tangent_count[i] > 0 && m->still[i] ? hypot(slip[0], slip[1]) : 0;
        m->mode[i] = !m->still[i] || speed > quick ? STI_MODE_SLIDE : STI_MODE_STICK;
        for (int a = 0; speed > quick && a < 2; a++) m->direction[2 * i + a] = slip[a] / speed;
        m->marked[i] = 1;
        other = true;
    }
    *fine = false;
    if (!other) return STI_OK;
    const sti_status status = judge(s, fine);
    *fine = *fine && m->redundant;
    for (int i = 0; i < s->p; i++)
        *fine = *fine && (!m->marked[i] || m->c_n[i] > agrees * sti_vector_largest(s->p, m->c_n));
    return status;
}

// Step 2.
static sti_status choose(sti_stepper* s, bool* fine) {
    sti_status status = solve(s);
    *fine = false;
    if (status != STI_OK || s->impulses.outcome != STI_SOLVED) return status;
    s->smooth->residual = fmax(s->smooth->residual, s->impulses.residual);
    read_modes(s);
    read_forces(s, 0);
    status = try_closed(s, fine);
    if (status != STI_OK || *fine) return status;
    read_modes(s);
    status = try_sticking(s, fine);
    if (status != STI_OK || *fine) return status;
    read_modes(s);
    return judge(s, fine);
}

// ---- events

// The direction against the force, for a contact that begins to slide.
static void start_sliding(sti_smooth* m, int i) {
    const double size = hypot(m->c_t[2 * i], m->c_t[2 * i + 1]);
    for (int a = 0; a < 2; a++) m->direction[2 * i + a] = size > 0 ? -m->c_t[2 * i + a] / size : 0;
    m->mode[i] = STI_MODE_SLIDE;
}

// What the guard says of contact i; *kind what happens if the modes then agree. False: step 2 has to decide.
static bool name_modes(sti_stepper* s, int which, sti_event_kind* kind) {
    sti_smooth* m = s->smooth;
    const int i = which / 2;
    if (which % 2 == 0) {
        m->mode[i] = STI_MODE_SEPARATE;
        *kind = STI_EVENT_OPENS;
        return true;
    }
    if (m->mode[i] == STI_MODE_STICK) {
        start_sliding(m, i);
        *kind = STI_EVENT_SLIPS;
        return true;
    }
    s->slides[i] = 0;
    return false;
}

static sti_event_kind change_of(unsigned char before, unsigned char after) {
    return after == STI_MODE_SEPARATE    ? STI_EVENT_OPENS
           : before == STI_MODE_SEPARATE ? STI_EVENT_CLOSES
           : after == STI_MODE_STICK     ? STI_EVENT_STICKS
           : before == STI_MODE_STICK    ? STI_EVENT_SLIPS
                                         : STI_EVENT_TURNS;
}

// In space: the slip went round, and did not vanish.
static bool only_turned(sti_stepper* s, int which) {
    double slip[2];
    const int i = which / 2;
    if (which % 2 == 0 || s->tangent_count[i] < 2 || s->smooth->mode[i] != STI_MODE_SLIDE) return false;
    return slip_of(s, i, slip) > 10 * STI_SMOOTH_NO_SLIP * (1 + sti_vector_largest(s->n, s->v));
}

// Forces are redundant, and other modes are due.
static sti_status change(sti_stepper* s, bool* decided, sti_step_report* report) {
    sti_smooth* m = s->smooth;
    bool hits;
    memcpy(m->before, m->mode, (size_t)s->p);
    sti_status status = look(s, &hits);
    if (status == STI_OK) status = choose(s, decided);
    bool any = false;
    for (int i = 0; status == STI_OK && i < s->p; i++) {
        if (m->mode[i] == m->before[i]) continue;
        any = true;
        note(s, change_of(m->before[i], m->mode[i]), i, report);
    }
    for (int i = 0; !any && i < s->p; i++) m->count[i]++;
    return status;
}

// The event of that guard at the state; *decided: modes are known, and the smooth state begun with them.
static sti_status happen(sti_stepper* s, int which, bool* decided, sti_step_report* report) {
    sti_smooth* m = s->smooth;
    if (which == CHANGES) return change(s, decided, report);
    const int i = which / 2;
    const unsigned char before = m->mode[i];
    bool hits;
    sti_event_kind kind = STI_EVENT_IMPACT;
    *decided = false;
    if (before == STI_MODE_SEPARATE) {  // touches
        sti_status status = sti_system_instant_update(s->system, s->time, s->q, s->v, s->instant);
        if (status != STI_OK || sti_step_rate(s, i, s->v) < -sti_step_slow(s)) return status;
        note(s, STI_EVENT_CLOSES, i, report);
        s->held[i] = 1;
        return STI_OK;
    }
    if (only_turned(s, which)) {
        m->count[i]++;
        return STI_OK;
    }
    const bool named = name_modes(s, which, &kind);
    sti_status status = look(s, &hits);
    if (status == STI_OK && named) {
        if (kind == STI_EVENT_SLIPS) m->still[i] = true;
        status = judge(s, decided);
    }
    if (status == STI_OK && !*decided) {
        status = choose(s, decided);
        kind = change_of(before, m->mode[i]);
    }
    if (status == STI_OK) note(s, kind, i, report);
    return status;
}

// ---- pieces

// The energy of a piece that began with T, V = before.
static sti_status account(sti_stepper* s, const double before[2], sti_step_report* report) {
    const sti_smooth* m = s->smooth;
    double T, V;
    const sti_status status = sti_system_energy(s->system, s->time, s->q, s->v, &T, &V);
    const double loss = m->end[m->size - 1], change = V - before[1];
    const double rounding = 1e-13 * (fabs(V) + fabs(before[1]) + T + before[0]);
    const double work = m->pushes || fabs(change) <= rounding ? m->end[m->size - 2] + change : NAN;
    report->work += work;
    report->loss += loss;
    report->defect += fabs(T - before[0] + change - work - loss);
    return status;
}

// Of a smooth piece; where forces are redundant, means of those that the complementarity problem has at both ends, in
// the cones.
static void add_impulses(sti_stepper* s, double tau) {
    sti_smooth* m = s->smooth;
    double* sums = m->end + 2 * s->n;
    for (int k = 0; m->redundant && k < 3 * s->p; k++) sums[k] = tau * (m->forces[0][k] + m->forces[1][k]) / 2;
    for (int i = 0; i < s->p; i++) {
        s->impulse_n[i] += sums[i];
        for (int a = 0; a < 2; a++) s->impulse_t[2 * i + a] += sums[s->p + 2 * i + a];
    }
    memcpy(m->forces[0], m->forces[1], 3 * (size_t)s->p * sizeof *m->forces[0]);
}

// The end of the smooth piece becomes the state; contact `touched` (-1: none) is closed there.
static sti_status commit(sti_stepper* s, double tau, int touched, sti_step_report* report) {
    const sti_smooth* m = s->smooth;
    const size_t n = (size_t)s->n;
    double moved, before[2];
    sti_status status = sti_system_energy(s->system, s->time, s->q, s->v, &before[0], &before[1]);
    if (status != STI_OK) return status;
    memcpy(s->q, m->end, n * sizeof *s->q);
    memcpy(s->v, m->end + n, n * sizeof *s->v);
    s->time += tau;
    report->pieces++;
    add_impulses(s, tau);
    if (touched >= 0) {
        s->active[touched] = true;
        s->mode[touched] = STI_MODE_SLIDE;
    }
    if (s->options.stabilize) status = sti_step_project(s, s->time, true, s->q, &moved);
    if (status == STI_OK && s->options.stabilize) report->corrected = fmax(report->corrected, moved);
    if (touched >= 0) {
        s->active[touched] = false;
        s->mode[touched] = STI_MODE_SEPARATE;
    }
    if (status == STI_OK) status = sti_step_settle(s, s->time, s->q, s->v);
    return status == STI_OK ? account(s, before, report) : status;
}

// Whether step 2 at the end of a smooth piece has the accelerations of its modes; forces of the end are read.
static sti_status ask(sti_stepper* s, bool* same) {
    sti_smooth* m = s->smooth;
    const double* v = m->end + s->n;
    for (int i = 0; i < s->p; i++) {
        m->closed[i] = m->mode[i] != STI_MODE_SEPARATE;
        m->still[i] = m->mode[i] == STI_MODE_STICK;
        if (m->mode[i] == STI_MODE_SLIDE) sti_smooth_direct(s, i, v, m->direction + 2 * (size_t)i);
    }
    const sti_status status = solve(s);
    *same = status == STI_OK && s->impulses.outcome == STI_SOLVED && same_motion(s);
    if (status == STI_OK) read_forces(s, 1);
    return status;
}

// Forces are redundant: the first end of a piece, up to *made, at which the modes do not last; *which CHANGES there.
static sti_status locate_change(sti_stepper* s, double* made, int* which) {
    const double fine = fmin(s->options.event_tol, sharp) * s->options.step;
    double low = 0, high = *made;
    bool same;
    if (high == 0) return STI_OK;
    sti_status status = ask(s, &same);
    if (status != STI_OK || same) return status;
    *which = CHANGES;
    while (status == STI_OK && high - low > fine && high - low > 4e-16 * high) {
        const double at = low + (high - low) / 2;
        status = sti_smooth_step(s, at);
        if (status == STI_OK) status = ask(s, &same);
        *(same ? &low : &high) = at;
    }
    *made = high;
    if (status == STI_OK) status = sti_smooth_step(s, high);
    return status == STI_OK ? ask(s, &same) : status;
}

// A smooth piece of length *h at most; *made 0: none down to h / 2^HALVINGS. *which: the guard that ended it, -1: none.
static sti_status make_piece(sti_stepper* s, double* h, double* made, double* error, int* which) {
    sti_smooth* m = s->smooth;
    const double least = ldexp(s->options.step, -HALVINGS);
    *made = *error = 0;
    *which = -1;
    for (; *h >= least; *h /= 2) {
        m->possible = true;
        sti_status status = sti_smooth_step(s, *h);
        if (status == STI_ERR_INPUT) continue;  // a formula has no value there
        if (status != STI_OK) return status;
        if (!m->possible || !(m->error <= s->options.event_tol)) continue;
        *error = m->error;
        status = sti_smooth_locate(s, *h, made, which);
        return status == STI_OK && m->redundant ? locate_change(s, made, which) : status;
    }
    return STI_OK;
}

// The scheme for a while; with alpha 1 where it may have to jam, since its velocities do not alternate then.
static sti_status go_over(sti_stepper* s, double rest, sti_step_report* report) {
    const double piece = s->piece, alpha = s->alpha;
    s->piece = 0;
    if (!accumulates(s)) s->alpha = 1;
    for (int i = 0; i < s->p; i++) s->held[i] = s->held[i] && i < contacts_of(s);
    const sti_status status = sti_step_advance(s, rest, report);
    s->piece = piece;
    s->alpha = alpha;
    report->stepped += rest;
    if (status != STI_OK || report->outcome != STI_SOLVED) return status;
    return sti_step_settle(s, s->time, s->q, s->v);
}

static void begin_step(sti_stepper* s) {
    sti_smooth* m = s->smooth;
    memset(m->count, 0, (size_t)s->p * sizeof *m->count);
    memset(s->touched, 0, (size_t)s->p);
    for (int i = 0; i < s->p; i++) m->sign[i] = 1;
    m->residual = 0;
    m->pushes = false;
    memcpy(m->from, s->q, (size_t)s->n * sizeof *s->q);
}

// Weighted velocity, slips and openings at the end.
static sti_status end_step(sti_stepper* s, sti_step_report* report) {
    const sti_smooth* m = s->smooth;
    const sti_status status = sti_system_instant_update(s->system, s->time, s->q, s->v, s->instant);
    if (status != STI_OK) return status;
    report->residual = fmax(report->residual, m->residual);
    report->active = 0;
    for (int i = 0; i < s->p; i++) {
        const bool open = i < contacts_of(s) && !s->held[i];
        report->active += i < contacts_of(s) && s->held[i];
        s->opening[i] = open ? sti_step_rate(s, i, s->v) : 0;
        slip_of(s, i, s->slip + 2 * (size_t)i);
    }
    for (int i = 0; i < s->n; i++) s->v_alpha[i] = (s->q[i] - m->from[i]) / s->options.step;
    return STI_OK;
}

// Steps 1 and 2. *decided false: they do not end, or no modes agree.
static sti_status begin_piece(sti_stepper* s, bool* decided, sti_step_report* report) {
    bool done;
    *decided = false;
    sti_status status = hit(s, report, &done);
    if (status == STI_OK && report->outcome == STI_SOLVED && done) status = choose(s, decided);
    if (status == STI_OK && *decided) show_modes(s);
    return status;
}

// One piece of at most `rest`, and what ends it. *made: its length; *over: the scheme has to go on.
static sti_status advance(sti_stepper* s, double rest, double* piece, bool* decided, double* made, bool* over,
                          sti_step_report* report) {
    sti_smooth* m = s->smooth;
    const double wanted = fmin(*piece, rest);
    double length = wanted, error;
    int which;
    sti_status status = make_piece(s, &length, made, &error, &which);
    *over = *made == 0 && which < 0;
    if (status != STI_OK || *over) return status;
    if (length < wanted)
        *piece = length;
    else if (error <= s->options.event_tol / 64)
        *piece = fmin(2 * *piece, s->options.step);
    if (*made > 0)
        status =
            commit(s, *made, which >= 0 && which != CHANGES && m->mode[which / 2] == STI_MODE_SEPARATE ? which / 2 : -1,
                   report);
    if (status == STI_OK && which < 0) {
        status = sti_smooth_begin(s);
        *decided = m->possible;  // modes that contradict each other by now are chosen anew
        return status;
    }
    if (status == STI_OK) status = happen(s, which, decided, report);
    if (status == STI_OK && *decided) show_modes(s);
    *over = accumulates(s);
    return status;
}

sti_status sti_step_by_events(sti_stepper* s, sti_step_report* report) {
    const double step = s->options.step;
    double rest = step, piece = s->piece > 0 ? s->piece : step;
    bool decided = false;
    begin_step(s);
    while (rest > 1e-12 * step) {
        sti_status status = decided ? STI_OK : begin_piece(s, &decided, report);
        if (status != STI_OK || report->outcome != STI_SOLVED) return status;
        double made = 0;
        bool over = !decided;
        if (!over) status = advance(s, rest, &piece, &decided, &made, &over, report);
        if (status != STI_OK) return status;
        rest -= made;
        if (!over || !(rest > 1e-12 * step)) continue;
        made = fmin(rest, step / SHARE);
        status = go_over(s, made, report);
        memset(s->smooth->count, 0, (size_t)s->p * sizeof *s->smooth->count);
        if (status != STI_OK || report->outcome != STI_SOLVED) return status;
        rest -= made;
        decided = false;
    }
    s->piece = piece < step ? piece : 0;
    return end_step(s, report);
}
