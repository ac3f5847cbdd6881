// serve_ask.c: what can happen at this very instant? The analyses of one instant, one after the other, on a thread of
// their own with an environment, a memory and a time of their own. What they claim is checked by code that shares
// nothing with them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page_answers.h"
#include "serve.h"

#define TOUCH 1e-7  // a gap that counts as closed: steps end with gaps of their tolerance

enum {
    QUESTIONS = 5,
    MODES_TOLD = 20,
    EXACT_MOST = 30
};  // velocities up to which sticking is settled without rounding

struct cli_ask {
    cli_mail* mail;
    cli_budget budget;
    sti_env* env;
    sti_instant* instant;
    cli_shown shown;            // the instant with its places
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

// ---- answers

static void begin(cli_json* j) {
    cli_json_begin(j);
    cli_json_text(j, "type", "answer");
}

static void fail(cli_ask* a, const char* question) {
    const sti_error* e = sti_env_error(a->env);
    cli_json j;
    if (called_off(a)) return;
    begin(&j);
    cli_reply r = cli_reply_begin(&j, question, e->status == STI_ERR_TIME ? "not answered in time" : "not answered",
                                  STI_UNDECIDED);
    cli_reply_line(&r, "%s", e->text);
    cli_reply_end(&r);
    cli_mail_post(a->mail, &j, CLI_MAIL_LETTER);
}

static sti_status ask_sticking(cli_ask* a) {
    sti_sticking_options o = sti_sticking_options_default();
    sti_sticking* s = NULL;
    sti_sticking_verification v = {0};
    cli_json j;
    o.gap_tol = TOUCH;
    o.exact = a->instant->n <= EXACT_MOST;
    o.time_limit_s = 0.5 * a->limit;
    sti_status status = sti_sticking_create(a->env, a->instant, &o, &s);
    if (status == STI_ERR_TIME && !called_off(a)) {  // then the decision alone
        o.propositions = o.family = false;
        sti_env_limit_time(a->env, a->limit);
        status = sti_sticking_create(a->env, a->instant, &o, &s);
    }
    if (status != STI_OK) return status;
    // only what is shown is checked: the decision, with its forces or its motion
    s->answer.proposition_count = 0;
    s->answer.opening.asked = false;
    status = sti_verify_sticking(a->env, a->instant, &s->answer, o.tol, &v);
    if (status == STI_OK) {
        begin(&j);
        cli_answer_sticking(&j, &a->shown, s, &v);
        cli_mail_post(a->mail, &j, CLI_MAIL_LETTER);
    }
    sti_sticking_destroy(s);
    return status;
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
    cli_json j;
    o.gap_tol = TOUCH;
    o.want = STI_MODES_CONSISTENT;
    o.time_limit_s = 0.4 * a->limit;
    o.trace = show_part;
    o.trace_user = a;
    sti_status status = sti_modes_create(a->env, a->instant, &o, &m);
    if (status != STI_OK) return status;
    status = sti_verify_modes(a->env, a->instant, &o, m, &v);
    if (status == STI_OK) {
        begin(&j);
        cli_answer_modes(&j, &a->shown, m, &v, NULL, MODES_TOLD);
        cli_mail_post(a->mail, &j, CLI_MAIL_LETTER);
    }
    sti_modes_destroy(m);
    return status;
}

static sti_status ask_closure(cli_ask* a) {
    sti_closure_options o = sti_closure_options_default();
    sti_closure force, form;
    sti_grasp_friction least;
    bool checked = false;
    cli_json j;
    o.gap_tol = TOUCH;
    o.object = a->object;
    o.object_count = a->object_count;
    sti_status status = sti_force_closure_analyze(a->env, &a->grip, &o, &force);
    if (status != STI_OK) return status;
    status = sti_form_closure_analyze(a->env, &a->grip, &o, &form);
    if (status == STI_OK) {
        status = sti_grasp_friction_analyze(a->env, &a->grip, &o, STI_GRASP_COMMON, &least);
        if (status == STI_OK && force.closed != STI_UNDECIDED)
            status = sti_verify_closure(a->env, &a->grip, &o, true, &force, 1e-8, &checked);
        if (status == STI_OK) {
            for (int i = 0; i < force.contact_count; i++) force.contact[i] = a->which[force.contact[i]];
            begin(&j);
            cli_answer_closure(&j, &a->shown,
                               &(cli_answer_of_closure){a->object_name, &force, &form, &least, NULL, checked});
            cli_mail_post(a->mail, &j, CLI_MAIL_LETTER);
        }
        if (status == STI_OK) sti_grasp_friction_clear(a->env, &least);
        sti_closure_clear(a->env, &form);
    }
    sti_closure_clear(a->env, &force);
    return status;
}

// How it goes on by each law.
static void put_laws(cli_json* j, const cli_shown* s, const sti_impact* k) {
    cli_json_array(j, "laws");
    for (int l = 0; k->impact && l < STI_IMPACT_LAW_COUNT; l++) {
        if (!k->laws[l].applies || k->laws[l].count == 0) continue;
        cli_json_object(j, NULL);
        cli_json_text(j, "name", sti_impact_law_text((sti_impact_law)l));
        cli_answer_motion(j, s, k->laws[l].solutions[0].v, 1);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static sti_status ask_impact(cli_ask* a) {
    sti_impact_options o = sti_impact_options_default();
    sti_impact* k = NULL;
    cli_json j;
    o.gap_tol = TOUCH;
    o.skip_unique = true;
    const sti_status status = sti_impact_create(a->env, a->instant, &o, &k);
    if (status != STI_OK) return status;
    begin(&j);
    cli_reply r = cli_reply_begin(
        &j, "impact", k->impact ? "bodies hit each other at this instant" : "nothing hits anything at this instant",
        STI_UNDECIDED);
    cli_reply_line(&r, "%d contact%s; kinetic energy %.6g", k->p, k->p == 1 ? " touches" : "s touch", k->T);
    for (int l = 0; k->impact && l < STI_IMPACT_LAW_COUNT; l++) {
        const sti_impact_answer* answer = &k->laws[l];
        const char* name = sti_impact_law_text((sti_impact_law)l);
        if (!answer->applies) continue;
        if (answer->count == 0)
            cli_reply_line(&r, "%s: no solution", name);
        else
            cli_reply_line(&r, "%s: energy changes by %.4g, %s", name, answer->solutions[0].energy.direct,
                           answer->admissible > 0 ? "admissible" : "not admissible");
    }
    cli_reply_end(&r);
    put_laws(&j, &a->shown, k);
    cli_mail_post(a->mail, &j, CLI_MAIL_LETTER);
    sti_impact_destroy(a->env, k);
    return STI_OK;
}

static sti_status ask_facts(cli_ask* a) {
    sti_instant_facts f;
    cli_json j;
    const sti_status status = sti_instant_describe(a->env, a->instant, TOUCH, &f);
    if (status != STI_OK) return status;
    begin(&j);
    cli_reply r = cli_reply_begin(&j, "instant", "what there is", STI_UNDECIDED);
    cli_reply_line(&r, "t = %.6g: %d velocities, %d contact%s, %d slide%s, %d close%s", a->instant->time, f.n,
                   f.touching, f.touching == 1 ? " touches" : "s touch", f.sliding, f.sliding == 1 ? "s" : "",
                   f.approaching, f.approaching == 1 ? "s" : "");
    cli_reply_line(&r, "%d joint equations, %d of them independent; redundancy with friction: %d", f.joint_count,
                   f.joint_rank, f.redundancy);
    if (a->note[0] != '\0') cli_reply_line(&r, "%.380s", a->note);
    cli_reply_end(&r);
    cli_mail_post(a->mail, &j, CLI_MAIL_LETTER);
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
    show_part(a, called_off(a) ? "cancelled" : "done", 1, 0);
    return NULL;
}

// ---- begin and end

static sti_status take_world(cli_ask* a, const cli_ask_of* of) {
    sti_instant_settled told = {0};
    const sti_status status = sti_world_instant_settled(a->env, of->world, TOUCH, &told, &a->instant);
    if (status == STI_OK) cli_instant_note(of->world, &told, a->note, sizeof a->note);
    return status;
}

static sti_status take_system(cli_ask* a, const cli_ask_of* of) {
    const sti_settle_options o = {.gap_tol = TOUCH, .rate_tol = 1e-6, .floor = 1e-10};
    sti_instant* as_it_is = NULL;
    sti_status status = sti_system_instant(a->env, of->system, of->t, of->q, of->v, &as_it_is);
    if (status == STI_OK) status = sti_instant_settle(a->env, as_it_is, &o, NULL, &a->instant);
    sti_instant_destroy(a->env, as_it_is);
    return status;
}

// The one body that moves and hangs on no joint, where others do: what a hand holds. -1: there is no such one.
static int find_held(const sti_bodies* bodies) {
    int found = -1, count = 0;
    for (int k = 0; k < sti_bodies_count(bodies); k++) {
        bool free = !sti_bodies_body(bodies, k)->fixed;
        for (int i = 0; free && i < sti_bodies_joint_count(bodies); i++) {
            const sti_joint* joint = sti_bodies_joint(bodies, i);
            free = joint->a != k && joint->b != k;
        }
        if (free) found = k;
        count += free;
    }
    return count == 1 && sti_bodies_joint_count(bodies) > 0 ? found : -1;
}

static void choose_all(cli_ask* a) {
    snprintf(a->object_name, sizeof a->object_name, "%s", "all that moves, together");
    a->object_count = a->instant->n;
    a->object = malloc(((size_t)a->object_count + 1) * sizeof *a->object);
    for (int k = 0; a->object != NULL && k < a->object_count; k++) a->object[k] = k;
}

static void choose_object(cli_ask* a, const sti_bodies* bodies, int body) {
    const int size = sti_bodies_dim(bodies) == 2 ? 3 : 6;
    int first = 0;
    snprintf(a->object_name, sizeof a->object_name, "%s", "all bodies that move, together");
    const int last = body < 0 ? sti_bodies_count(bodies) : body;
    for (int k = 0; k < last; k++) first += sti_bodies_body(bodies, k)->fixed ? 0 : size;
    const int count = body < 0 ? first : size;
    a->object = malloc(((size_t)count + 1) * sizeof *a->object);
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
    cli_shown_clear(&a->shown);
    free(a->object);
    free(a);
}

// What is held, and where that is.
static sti_status choose(cli_ask* a, const cli_ask_of* of, int body) {
    const sti_bodies* bodies = of->system == NULL ? of->scene->bodies : NULL;
    if (bodies != NULL)
        choose_object(a, bodies, body >= 0 ? body : find_held(bodies));
    else
        choose_all(a);
    if (a->object == NULL) return STI_ERR_MEMORY;
    const int held = a->object_count > 0 ? a->object[0] : -1;
    const bool made = bodies != NULL ? cli_shown_world(&a->shown, a->instant, bodies, of->world, held)
                                     : cli_shown_object(&a->shown, a->instant, NULL, 0);
    a->shown.object = a->object;
    a->shown.object_count = a->object_count;
    return made ? STI_OK : STI_ERR_MEMORY;
}

cli_ask* cli_ask_begin(const cli_serve_settings* settings, cli_mail* mail, const cli_ask_of* of, int body,
                       char why[240]) {
    cli_ask* a = calloc(1, sizeof *a);
    if (a == NULL) {
        snprintf(why, 240, "out of memory");
        return NULL;
    }
    a->mail = mail;
    a->limit = settings->limit;
    pthread_mutex_init(&a->lock, NULL);
    sti_status status = cli_budget_env(&a->budget, settings->memory, &a->env);
    if (status == STI_OK) {
        sti_env_limit_time(a->env, settings->limit);
        status = of->system != NULL ? take_system(a, of) : take_world(a, of);
    }
    if (status == STI_OK) status = choose_contacts(a);
    if (status == STI_OK) status = choose(a, of, body);
    if (status == STI_OK && pthread_create(&a->thread, NULL, work, a) == 0) return a;
    snprintf(why, 240, "%.230s", status != STI_OK && a->env != NULL ? sti_env_error(a->env)->text : "out of memory");
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
