// serve_ask.c: what can happen at this very instant? The analyses of one instant, one after the other, on a thread of their own
// with an environment, a memory and a time of their own. What they claim is checked by code that shares nothing with them.
//
// Answers go to pages as words and numbers, and where they are about forces, with the places of the contacts. An instant knows no
// places; they are read from its rows: the force e of a row on a body turns it by arm x e.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serve.h"

#define TOUCH 1e-7  // a gap that counts as closed: steps end with gaps of their tolerance

enum { QUESTIONS = 5, LINES = 24, MODES_TOLD = 20 };

// Where a contact acts, and along what: e_k of the row k (normal first) on the body.
typedef struct place {
    bool known;
    int body;
    double x[3], e[3][3];
} place;

struct cli_ask {
    cli_mail* mail;
    cli_budget budget;
    sti_env* env;
    sti_instant* instant;
    place* places;              // of the contacts of the instant
    sti_instant_contact* held;  // those of surfaces and joints, for closure; bounded forces of motors stand apart
    sti_instant grip;           // with these
    int* which;                 // of the instant
    int* object;                // velocities of the body that is asked about; NULL: all
    int object_count;
    char object_name[120], note[600];
    double limit, begun;
    pthread_t thread;
    pthread_mutex_t lock;
    bool done;
};

// An answer that is being written: lines, then it is posted.
typedef struct reply {
    cli_json j;
    int lines;
} reply;

static bool is_done(cli_ask* a) {
    pthread_mutex_lock(&a->lock);
    const bool done = a->done;
    pthread_mutex_unlock(&a->lock);
    return done;
}

static bool called_off(cli_ask* a) {
    pthread_mutex_lock(&a->budget.lock);
    const bool off = a->budget.called_off;
    pthread_mutex_unlock(&a->budget.lock);
    return off;
}

// ---- places

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// Row k of a contact on the velocities of one body: e, and the turning it does in world axes.
static bool row_of(const sti_instant_contact* c, int n, int k, int dim, int first, const double R[9], double e[3],
                   double turn[3]) {
    const double* row = (k == 0 ? c->n : c->t + (size_t)(k - 1) * (size_t)n) + first;
    for (int i = 0; i < 3; i++) e[i] = turn[i] = 0;
    for (int i = 0; i < dim; i++) e[i] = row[i];
    if (dim == 2) turn[2] = row[2];
    for (int i = 0; dim == 3 && i < 3; i++) {
        for (int l = 0; l < 3; l++) turn[i] += R[3 * i + l] * row[3 + l];
    }
    return fabs(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] - 1) < 1e-9;
}

// The sum of e x (arm x e) over an orthonormal frame is twice the arm; in the plane over two of its axes it is the arm, once.
static void find_place(const sti_instant* in, int i, int dim, const sti_bodies* bodies, const sti_world* world,
                       place* out) {
    const sti_instant_contact* c = &in->contacts[i];
    const int size = dim == 2 ? 3 : 6;
    *out = (place){.body = -1};
    if (c->bilateral || c->pressed) return;
    for (int body = 0, first = 0; body < sti_bodies_count(bodies); body++) {
        if (sti_bodies_body(bodies, body)->fixed) continue;
        if (first + size > in->n) return;
        sti_pose pose;
        double R[9], e[3], turn[3], part[3], arm[3] = {0, 0, 0}, centre[3];
        sti_world_pose(world, body, &pose);
        sti_pose_rotation(&pose, R);
        bool whole = true;
        for (int k = 0; whole && k <= c->tangent_count; k++) {
            whole = row_of(c, in->n, k, dim, first, R, e, turn);
            cross(e, turn, part);
            const double weight = dim == 3 && c->tangent_count == 2 ? 0.5 : 1;
            for (int l = 0; l < 3; l++) {
                arm[l] += weight * part[l];
                out->e[k][l] = e[l];
            }
        }
        first += size;
        if (!whole) continue;
        sti_pose_apply(&pose, sti_bodies_body(bodies, body)->centre, centre);
        for (int l = 0; l < 3; l++) out->x[l] = centre[l] + arm[l];
        out->known = true;
        out->body = body;
        return;
    }
}

// ---- answers

static void begin(reply* r, const char* question, const char* verdict, sti_verdict good) {
    *r = (reply){0};
    cli_json_begin(&r->j);
    cli_json_text(&r->j, "type", "answer");
    cli_json_text(&r->j, "question", question);
    cli_json_text(&r->j, "verdict", verdict);
    cli_json_verdict(&r->j, "good", good);
    cli_json_array(&r->j, "lines");
}

static void line(reply* r, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void line(reply* r, const char* format, ...) {
    char text[400];
    va_list list;
    if (r->lines++ >= LINES) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cli_json_text(&r->j, NULL, text);
}

static void post(cli_ask* a, reply* r, const char* proof) {
    cli_json_text(&r->j, "proof", proof);
    cli_mail_post(a->mail, &r->j, CLI_MAIL_LETTER);
}

// Ends the lines, and adds a force for each contact of a list: place, force on the body, friction, margin.
static void put_forces(const cli_ask* a, reply* r, const int* contact, int count, const double* lambda,
                       const double* margin) {
    int at = 0;
    cli_json_end(&r->j);
    cli_json_array(&r->j, "forces");
    for (int i = 0; lambda != NULL && i < count; i++) {
        const sti_instant_contact* c = &a->instant->contacts[contact[i]];
        const place* p = &a->places[contact[i]];
        double f[3] = {0, 0, 0}, size = 0;
        for (int k = 0; k <= c->tangent_count; k++, at++) {
            for (int l = 0; l < 3; l++) f[l] += p->e[k][l] * lambda[at];
        }
        for (int l = 0; l < 3; l++) size = fmax(size, fabs(f[l]));
        if (!p->known || !(size > 0)) continue;
        cli_json_object(&r->j, NULL);
        cli_json_text(&r->j, "name", c->name);
        cli_json_numbers(&r->j, "at", p->x, 3);
        cli_json_numbers(&r->j, "force", f, 3);
        cli_json_number(&r->j, "mu", c->mu);
        cli_json_number(&r->j, "margin", margin != NULL ? margin[i] : (double)NAN);
        cli_json_end(&r->j);
    }
    cli_json_end(&r->j);
}

static void fail(cli_ask* a, const char* question) {
    const sti_error* e = sti_env_error(a->env);
    reply r;
    if (called_off(a)) return;
    begin(&r, question, e->status == STI_ERR_TIME ? "not answered in time" : "not answered", STI_UNDECIDED);
    line(&r, "%s", e->text);
    cli_json_end(&r.j);
    post(a, &r, NULL);
}

static void say_friction(reply* r, const char* what, const sti_least_friction* f) {
    if (f->exists == STI_YES)
        line(r, "%s: %.6g%s", what, f->mu, f->attained ? "" : ", approached and not reached");
    else if (f->exists == STI_NO)
        line(r, "%s: none, however large", what);
}

static sti_status ask_sticking(cli_ask* a) {
    sti_sticking_options o = sti_sticking_options_default();
    sti_sticking* s = NULL;
    sti_sticking_verification v = {0};
    reply r;
    o.gap_tol = TOUCH;
    o.time_limit_s = 0.5 * a->limit;
    sti_status status = sti_sticking_analyze(a->env, a->instant, &o, &s);
    if (status != STI_OK) return status;
    status = sti_verify_sticking(a->env, a->instant, &s->answer, o.tol, &v);
    if (status == STI_OK) {
        const sti_sticking_outcome outcome = s->answer.outcome;
        const bool told = v.accepted && outcome != STI_STICKING_UNKNOWN;
        begin(&r, "sticking",
              !told                         ? "not decided"
              : outcome == STI_STICKING_YES ? "all contacts can stick"
              : outcome == STI_STICKING_NO  ? "they cannot all stick"
                                            : "a limit case",
              !told                         ? STI_UNDECIDED
              : outcome == STI_STICKING_YES ? STI_YES
              : outcome == STI_STICKING_NO  ? STI_NO
                                            : STI_UNDECIDED);
        line(&r, "%d contacts touch. %s", s->answer.contact_count, s->reason);
        if (isfinite(s->margin)) line(&r, "largest least margin: %.6g in units of force", s->margin);
        say_friction(&r, "least friction, the same everywhere", &s->least_common);
        say_friction(&r, "least factor on all friction", &s->least_factor);
        if (s->family_dimension > 0)
            line(&r, "the forces are not determined: a family of dimension %d", s->family_dimension);
        put_forces(a, &r, s->answer.contact, s->answer.contact_count, s->answer.lambda, s->margins);
        post(a, &r, told ? v.text : NULL);
    }
    sti_sticking_destroy(s);
    return status;
}

// Every contact in words, "n" and the like, for the first modes.
static void put_modes(const cli_ask* a, reply* r, const sti_modes* m) {
    cli_json_end(&r->j);
    cli_json_array(&r->j, "modes");
    for (int pass = 0, told = 0; pass < 2; pass++) {
        for (int k = 0; k < m->mode_count && told < MODES_TOLD; k++) {
            const sti_mode* mode = &m->modes[k];
            if (mode->fit != (pass == 0 ? STI_MODE_STRICT : STI_MODE_LIMIT)) continue;
            told++;
            cli_json_object(&r->j, NULL);
            cli_json_text(&r->j, "fit", sti_mode_fit_text(mode->fit));
            cli_json_array(&r->j, "contacts");
            for (int i = 0; i < m->contact_count; i++) {
                if (!a->places[i].known) continue;
                cli_json_object(&r->j, NULL);
                cli_json_text(&r->j, "name", a->instant->contacts[i].name);
                cli_json_text(&r->j, "word", m->contacts[i].word[mode->choice[i]]);
                cli_json_numbers(&r->j, "at", a->places[i].x, 3);
                cli_json_end(&r->j);
            }
            cli_json_end(&r->j);
            cli_json_end(&r->j);
        }
    }
    cli_json_end(&r->j);
}

static void show_part(void* user, const char* phase, double part, long found) {
    cli_ask* a = user;
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "type", "asking");
    cli_json_text(&j, "phase", phase);
    cli_json_number(&j, "part", part);
    cli_json_integer(&j, "found", found);
    cli_mail_post(a->mail, &j, CLI_MAIL_PROGRESS);
}

static sti_status ask_modes(cli_ask* a) {
    sti_modes_options o = sti_modes_options_default();
    sti_modes* m = NULL;
    sti_modes_verification v = {0};
    reply r;
    o.gap_tol = TOUCH;
    o.want = STI_MODES_CONSISTENT;
    o.time_limit_s = 0.4 * a->limit;
    o.trace = show_part;
    o.trace_user = a;
    sti_status status = sti_modes_create(a->env, a->instant, &o, &m);
    if (status != STI_OK) return status;
    status = sti_verify_modes(a->env, a->instant, &o, m, &v);
    if (status == STI_OK) {
        char verdict[120];
        if (!v.accepted || (!m->decided && m->strict_count + m->limit_count == 0))
            snprintf(verdict, sizeof verdict, "not decided");
        else if (m->decided && !m->exists)
            snprintf(verdict, sizeof verdict, "no motion is possible");
        else
            snprintf(verdict, sizeof verdict, "%s%d mode%s%s can happen", m->all_consistent ? "" : "at least ",
                     m->strict_count, m->strict_count == 1 ? "" : "s", m->limit_count > 0 ? ", and limit cases," : "");
        begin(&r, "modes", verdict, !v.accepted || !m->decided ? STI_UNDECIDED : m->exists ? STI_YES : STI_NO);
        line(&r, "%.6g combinations; %d strictly consistent, %d at a limit%s", m->potential, m->strict_count,
             m->limit_count, m->all_consistent ? "; these are all" : "; the search was cut short");
        if (m->asked && m->all_consistent && m->exists)
            line(&r, "acceleration: %s; forces: %s", m->acceleration_unique ? "the same in all" : "several",
                 m->forces_unique ? "the same in all" : "several");
        put_modes(a, &r, m);
        post(a, &r, v.accepted && m->decided ? v.text : NULL);
    }
    sti_modes_destroy(m);
    return status;
}

static sti_status ask_closure(cli_ask* a) {
    sti_closure_options o = sti_closure_options_default();
    sti_closure force, form;
    sti_grasp_friction least;
    bool checked = false;
    reply r;
    o.gap_tol = TOUCH;
    o.object = a->object;
    o.object_count = a->object_count;
    sti_status status = sti_force_closure(a->env, &a->grip, &o, &force);
    if (status != STI_OK) return status;
    status = sti_form_closure(a->env, &a->grip, &o, &form);
    if (status == STI_OK) {
        status = sti_grasp_friction_find(a->env, &a->grip, &o, STI_GRASP_COMMON, &least);
        if (status == STI_OK && force.closed != STI_UNDECIDED)
            status = sti_verify_closure(a->env, &a->grip, &o, true, &force, 1e-8, &checked);
        if (status == STI_OK) {
            const sti_verdict closed = checked ? force.closed : STI_UNDECIDED;
            begin(&r, "closure",
                  closed == STI_YES  ? "the contacts balance every load"
                  : closed == STI_NO ? "some load is not balanced"
                                     : "not decided",
                  closed);
            line(&r, "held: %s", a->object_name);
            line(&r, "force closure: %s", force.reason);
            line(&r, "form closure: %s",
                 form.closed == STI_YES  ? "yes, without any friction"
                 : form.closed == STI_NO ? "no"
                                         : "not decided");
            if (least.closes == STI_YES)
                line(&r, "least friction for force closure: %.6g", least.high);
            else if (least.closes == STI_NO)
                line(&r, "no friction is enough for force closure");
            for (int i = 0; i < force.contact_count; i++) force.contact[i] = a->which[force.contact[i]];
            put_forces(a, &r, force.contact, force.contact_count, closed == STI_YES ? force.lambda : NULL, NULL);
            post(a, &r, checked ? "checked against the rules of closure by code of its own" : NULL);
        }
        if (status == STI_OK) sti_grasp_friction_clear(a->env, &least);
        sti_closure_clear(a->env, &form);
    }
    sti_closure_clear(a->env, &force);
    return status;
}

static sti_status ask_impact(cli_ask* a) {
    sti_impact_options o = sti_impact_options_default();
    sti_impact* k = NULL;
    reply r;
    o.gap_tol = TOUCH;
    o.skip_unique = true;
    const sti_status status = sti_impact_create(a->env, a->instant, &o, &k);
    if (status != STI_OK) return status;
    begin(&r, "impact", k->impact ? "bodies hit each other at this instant" : "nothing hits anything at this instant",
          STI_UNDECIDED);
    line(&r, "%d contacts touch; kinetic energy %.6g", k->p, k->T);
    for (int l = 0; k->impact && l < STI_IMPACT_LAW_COUNT; l++) {
        const sti_impact_answer* answer = &k->laws[l];
        const char* name = sti_impact_law_text((sti_impact_law)l);
        if (!answer->applies) continue;
        if (answer->count == 0)
            line(&r, "%s: no solution", name);
        else
            line(&r, "%s: energy changes by %.4g, %s", name, answer->solutions[0].energy.direct,
                 answer->admissible > 0 ? "keeps the three rules" : "breaks a rule");
    }
    cli_json_end(&r.j);
    post(a, &r, NULL);
    sti_impact_destroy(a->env, k);
    return STI_OK;
}

static sti_status ask_facts(cli_ask* a) {
    sti_instant_facts f;
    reply r;
    const sti_status status = sti_instant_describe(a->env, a->instant, TOUCH, &f);
    if (status != STI_OK) return status;
    begin(&r, "instant", "what there is", STI_UNDECIDED);
    line(&r, "t = %.6g: %d velocities, %d contacts touch, %d slide, %d close", a->instant->time, f.n, f.touching,
         f.sliding, f.approaching);
    line(&r, "%d joint equations, %d of them independent; redundancy with friction: %d", f.joint_count, f.joint_rank,
         f.redundancy);
    if (a->note[0] != '\0') line(&r, "%.380s", a->note);
    cli_json_end(&r.j);
    post(a, &r, NULL);
    return STI_OK;
}

static void* work(void* user) {
    cli_ask* a = user;
    static const struct {
        const char* name;
        sti_status (*ask)(cli_ask*);
    } question[QUESTIONS] = {{"instant", ask_facts},
                             {"sticking", ask_sticking},
                             {"modes", ask_modes},
                             {"closure", ask_closure},
                             {"impact", ask_impact}};
    for (int k = 0; k < QUESTIONS && !called_off(a); k++) {
        show_part(a, question[k].name, (double)k / QUESTIONS, 0);
        sti_env_limit_time(a->env, a->limit);
        if (question[k].ask(a) != STI_OK) fail(a, question[k].name);
    }
    pthread_mutex_lock(&a->lock);
    a->done = true;
    pthread_mutex_unlock(&a->lock);
    show_part(a, called_off(a) ? "called off" : "done", 1, 0);
    return NULL;
}

// ---- begin and end

// Velocities that are 0 up to the tolerance of steps are 0: a closed contact would look like an impact otherwise.
static sti_status calm(cli_ask* a) {
    const sti_instant* in = a->instant;
    double *v = malloc(((size_t)in->n + 1) * sizeof *v), most = 0;
    sti_instant* quiet = NULL;
    if (v == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < in->n; k++) most = fmax(most, fabs(in->v[k]));
    for (int k = 0; k < in->n; k++) v[k] = fabs(in->v[k]) > 1e-6 * most && fabs(in->v[k]) > 1e-9 ? in->v[k] : 0;
    const sti_status status = sti_instant_copy(a->env, in, v, &quiet);
    free(v);
    if (status != STI_OK) return status;
    sti_instant_destroy(a->env, a->instant);
    a->instant = quiet;
    return STI_OK;
}

static void choose_object(cli_ask* a, const sti_bodies* bodies, int body) {
    const int size = sti_bodies_dim(bodies) == 2 ? 3 : 6;
    int first = 0;
    snprintf(a->object_name, sizeof a->object_name, "%s", "all bodies that move, together");
    const int last = body < 0 ? sti_bodies_count(bodies) : body;
    for (int k = 0; k < last; k++) first += sti_bodies_body(bodies, k)->fixed ? 0 : size;
    const int count = body < 0 ? first : size;
    a->object = malloc((size_t)count * sizeof *a->object + 1);
    if (a->object == NULL) return;
    for (int k = 0; k < count; k++) a->object[k] = body < 0 ? k : first + k;
    a->object_count = count;
    if (body < 0) return;
    snprintf(a->object_name, sizeof a->object_name, "%.100s", sti_bodies_body(bodies, body)->name);
}

// The instant without bounded forces, which are no contacts of what is held.
static sti_status choose_contacts(cli_ask* a) {
    const size_t room = (size_t)a->instant->contact_count + 1;
    a->held = malloc(room * sizeof *a->held);
    a->which = malloc(room * sizeof *a->which);
    if (a->held == NULL || a->which == NULL) return STI_ERR_MEMORY;
    a->grip = *a->instant;
    a->grip.contacts = a->held;
    a->grip.contact_count = a->grip.tangent_total = 0;
    a->grip.restitution = NULL;
    a->grip.exact = NULL;
    for (int i = 0; i < a->instant->contact_count; i++) {
        if (a->instant->contacts[i].pressed) continue;
        a->which[a->grip.contact_count] = i;
        a->held[a->grip.contact_count++] = a->instant->contacts[i];
        a->grip.tangent_total += a->instant->contacts[i].tangent_count;
    }
    return STI_OK;
}

static void clear(cli_ask* a) {
    free(a->held);
    free(a->which);
    sti_instant_destroy(a->env, a->instant);
    sti_env_destroy(a->env);
    cli_budget_close(&a->budget);
    pthread_mutex_destroy(&a->lock);
    free(a->places);
    free(a->object);
    free(a);
}

cli_ask* cli_ask_begin(const cli_serve_settings* settings, cli_mail* mail, const sti_bodies* bodies,
                       const sti_world* world, int body, char why[240]) {
    cli_ask* a = calloc(1, sizeof *a);
    if (a == NULL) {
        snprintf(why, 240, "memory ran out");
        return NULL;
    }
    a->mail = mail;
    a->limit = settings->limit;
    pthread_mutex_init(&a->lock, NULL);
    sti_status status = cli_budget_env(&a->budget, settings->memory, &a->env);
    if (status == STI_OK) {
        sti_env_limit_time(a->env, settings->limit);
        status = sti_world_instant(a->env, world, TOUCH, &a->instant);
    }
    if (status == STI_OK) sti_world_instant_note(world, a->note, sizeof a->note);
    if (status == STI_OK) status = calm(a);
    if (status == STI_OK) {
        a->places = calloc((size_t)a->instant->contact_count + 1, sizeof *a->places);
        if (a->places == NULL) status = STI_ERR_MEMORY;
    }
    for (int i = 0; status == STI_OK && i < a->instant->contact_count; i++)
        find_place(a->instant, i, sti_bodies_dim(bodies), bodies, world, &a->places[i]);
    if (status == STI_OK) status = choose_contacts(a);
    if (status == STI_OK) choose_object(a, bodies, body);
    if (status == STI_OK && pthread_create(&a->thread, NULL, work, a) == 0) return a;
    snprintf(why, 240, "%.230s", status != STI_OK && a->env != NULL ? sti_env_error(a->env)->text : "memory ran out");
    clear(a);
    return NULL;
}

bool cli_ask_done(cli_ask* a) {
    return is_done(a);
}

void cli_ask_end(cli_ask* a) {
    if (a == NULL) return;
    cli_budget_call_off(&a->budget);
    pthread_join(a->thread, NULL);
    clear(a);
}
