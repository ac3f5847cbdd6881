// page_answers.c: what is known of an instant, for the page: sticking, modes, closure.
#include "page_answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 24 };
#define LITTLE 1e-5  // friction that may be an error of a step

// ---- words

cli_reply cli_reply_begin(cli_json* j, const char* question, const char* verdict, sti_verdict good) {
    cli_json_text(j, "question", question);
    cli_json_text(j, "verdict", verdict);
    cli_json_verdict(j, "good", good);
    cli_json_array(j, "lines");
    return (cli_reply){.j = j};
}

void cli_reply_line(cli_reply* r, const char* format, ...) {
    char text[400];
    va_list list;
    if (r->lines++ >= MOST_LINES) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cli_json_text(r->j, NULL, text);
}

void cli_reply_end(cli_reply* r) {
    cli_json_end(r->j);
}

// ---- contacts and motions

// An object that stays open: name, place, friction, and the force on the body where lambda is given.
static void begin_contact(cli_json* j, const cli_shown* s, int i, const double* lambda, double mu) {
    const sti_instant_contact* c = &s->instant->contacts[i];
    const cli_place* p = &s->places[i];
    double f[3] = {0, 0, 0};
    for (int k = 0; lambda != NULL && k <= c->tangent_count; k++) {
        for (int l = 0; l < 3; l++) f[l] += p->e[k][l] * lambda[k];
    }
    cli_json_object(j, NULL);
    cli_json_text(j, "name", c->name);
    cli_json_numbers(j, "at", p->known ? p->x : NULL, 3);
    cli_json_numbers(j, "normal", p->known ? p->e[0] : NULL, 3);
    cli_json_integer(j, "body", p->known ? p->body : -1);
    cli_json_number(j, "mu", c->tangent_count > 0 ? mu : 0);
    cli_json_bool(j, "bilateral", c->bilateral);
    cli_json_bool(j, "bounded", c->pressed);
    cli_json_numbers(j, "lambda", lambda, 1 + (size_t)c->tangent_count);
    cli_json_numbers(j, "force", p->known && lambda != NULL ? f : NULL, 3);
}

static void put_twist(cli_json* j, const cli_mover* m, int dim, const double* y) {
    double v[3] = {0, 0, 0}, w[3] = {0, 0, 0};
    for (int i = 0; i < dim; i++) v[i] = y[i];
    if (dim == 2) w[2] = y[2];
    for (int i = 0; dim == 3 && i < 3; i++) {
        for (int l = 0; l < 3; l++) w[i] += m->R[3 * i + l] * y[3 + l];
    }
    for (int i = 0, a = 1, b = 2; i < 3; i++, a = (a + 1) % 3, b = (b + 1) % 3)
        v[i] += w[a] * m->offset[b] - w[b] * m->offset[a];
    cli_json_object(j, NULL);
    cli_json_integer(j, "body", m->body);
    cli_json_numbers(j, "v", v, 3);
    cli_json_numbers(j, "w", w, 3);
    cli_json_end(j);
}

// A velocity or an acceleration sign y (n) as one of each body: of the origin of its frame, and how it turns, along the
// axes of the world.
void cli_answer_motion(cli_json* j, const cli_shown* s, const double* y, double sign) {
    const int size = s->dim == 2 ? 3 : 6;
    if (s->mover_count == 0 || y == NULL) {
        cli_json_null(j, "motion");
        return;
    }
    cli_json_array(j, "motion");
    for (int b = 0; b < s->mover_count; b++) {
        double own[6];
        const bool listed = s->mover_count == 1 && s->object != NULL && s->object_count == size;
        for (int k = 0; k < size; k++) own[k] = sign * y[listed ? s->object[k] : size * b + k];
        put_twist(j, &s->movers[b], s->dim, own);
    }
    cli_json_end(j);
}

// ---- sticking

static void say_friction(cli_reply* r, const char* what, const sti_least_friction* f) {
    if (f->exists == STI_YES && f->mu < LITTLE)
        cli_reply_line(r, "%s: next to nothing, less than %g", what, LITTLE);
    else if (f->exists == STI_YES)
        cli_reply_line(r, "%s: %.6g%s", what, f->mu, f->attained ? "" : ", approached and not reached");
    else if (f->exists == STI_NO)
        cli_reply_line(r, "%s: none, however large", what);
}

static void put_sticking_contacts(cli_json* j, const cli_shown* s, const sti_sticking* k) {
    const sti_sticking_answer* a = &k->answer;
    cli_json_array(j, "contacts");
    for (int i = 0, at = 0; i < a->contact_count; i++) {
        const sti_instant_contact* c = &s->instant->contacts[a->contact[i]];
        const bool slides = k->slides != NULL && k->slides[i];
        begin_contact(j, s, a->contact[i], a->lambda != NULL ? a->lambda + at : NULL, slides ? c->mu_kinetic : c->mu);
        cli_json_bool(j, "slides", slides);
        cli_json_number(j, "margin", k->margins != NULL ? k->margins[i] : (double)NAN);
        cli_json_number(j, "required_mu", k->required_mu != NULL ? k->required_mu[i] : (double)NAN);
        cli_json_end(j);
        at += 1 + c->tangent_count;
    }
    cli_json_end(j);
}

static int count_slides(const sti_sticking* k) {
    int count = 0;
    for (int i = 0; k->slides != NULL && i < k->answer.contact_count; i++) count += k->slides[i] != 0;
    return count;
}

// Of the contacts that were asked those that are no rows of joints, nor their friction.
static int count_surfaces(const sti_instant* in, const sti_sticking_answer* a) {
    int count = 0;
    for (int i = 0; i < a->contact_count; i++)
        count += !in->contacts[a->contact[i]].bilateral && !in->contacts[a->contact[i]].pressed;
    return count;
}

void cli_answer_sticking(cli_json* j, const cli_shown* s, const sti_sticking* k, const sti_sticking_verification* v) {
    const sti_sticking_outcome outcome = k->answer.outcome;
    const bool told = v->accepted && outcome != STI_STICKING_UNKNOWN;
    const int touching = count_surfaces(s->instant, &k->answer), rows = k->answer.contact_count - touching;
    const char* yes = count_slides(k) == 0                         ? "all contacts can stick"
                      : count_slides(k) == k->answer.contact_count ? "all contacts go on sliding"
                                                                   : "what slides goes on, and all others can stick";
    cli_reply r = cli_reply_begin(j, "sticking",
                                  !told                         ? "not decided"
                                  : outcome == STI_STICKING_YES ? touching > 0 ? yes : "nothing touches"
                                  : outcome == STI_STICKING_NO  ? "they cannot all stick"
                                                                : "a limit case",
                                  !told                         ? STI_UNDECIDED
                                  : outcome == STI_STICKING_YES ? STI_YES
                                  : outcome == STI_STICKING_NO  ? STI_NO
                                                                : STI_UNDECIDED);
    char joints[40] = "";
    if (rows > 0) snprintf(joints, sizeof joints, ", %d row%s of joints", rows, rows == 1 ? "" : "s");
    cli_reply_line(&r, "%d contact%s touch%s%s. %s", touching, touching == 1 ? "" : "s", touching == 1 ? "es" : "",
                   joints, k->reason);
    if (!v->accepted) cli_reply_line(&r, "the check does not accept it: %s", v->text);
    if (isfinite(k->margin)) cli_reply_line(&r, "largest least margin: %.6g in units of force", k->margin);
    say_friction(&r, "least friction, the same everywhere", &k->least_common);
    say_friction(&r, "least factor on all friction", &k->least_factor);
    if (k->family_dimension > 0)
        cli_reply_line(&r, "the forces are not determined: a family of dimension %d", k->family_dimension);
    cli_reply_end(&r);
    put_sticking_contacts(j, s, k);
    // contact forces do no work above 0 along y, and F needs some: along -y the loads drive, and nothing opposes
    cli_answer_motion(
        j, s, told && outcome == STI_STICKING_NO && k->answer.leaf_count > 0 ? k->answer.leaves[0].y : NULL, -1);
    cli_json_text(j, "moves", "how it gives way: no admissible contact force opposes this motion");
    cli_json_text(j, "proof", told ? v->text : NULL);
}

// ---- modes

static void put_cut(cli_json* j, const sti_modes* m, const sti_mode* mode, const cli_modes_plane* plane) {
    static cli_modes_cut p;
    cli_json_array(j, "cut");
    if (cli_modes_cut_through(mode->wrenches, plane->w, m->n, plane->i, plane->j, plane->reach, &p)) {
        for (int k = 0; k < p.count; k++) cli_json_numbers(j, NULL, (double[]){p.x[k], p.y[k]}, 2);
    }
    cli_json_end(j);
}

// The cone of wrenches of a mode: its size, how far the wrench is from its nearest face, and which that is.
static void put_cone(cli_json* j, const sti_modes* m, const sti_mode* mode, const cli_modes_plane* plane) {
    const sti_mode_wrenches* set = mode->wrenches;
    cli_json_number(j, "margin", set != NULL ? set->margin : (double)NAN);
    cli_json_text(j, "face",
                  set != NULL && set->face >= 0 && set->face < set->face_count ? set->face_text[set->face] : NULL);
    cli_json_count(j, "rays", set != NULL ? sti_polycone_rays(set->cone).count : -1);
    cli_json_count(j, "faces", set != NULL ? sti_polycone_inequalities(set->cone).count : -1);
    put_cut(j, m, mode, plane);
}

static void put_mode(cli_json* j, const cli_shown* s, const sti_modes* m, const sti_mode* mode,
                     const cli_modes_plane* plane, double* y) {
    const sti_rationals* from = mode->solution != NULL ? mode->solution->point : mode->witness;
    cli_json_object(j, NULL);
    cli_json_text(j, "text", mode->text);
    cli_json_text(j, "fit", sti_mode_fit_text(mode->fit));
    cli_json_array(j, "contacts");
    for (int i = 0; i < m->contact_count; i++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "name", s->instant->contacts[i].name);
        cli_json_text(j, "word", m->contacts[i].word[mode->choice[i]]);
        cli_json_numbers(j, "at", s->places[i].known ? s->places[i].x : NULL, 3);
        cli_json_end(j);
    }
    cli_json_end(j);
    for (int k = 0; k < m->n && from != NULL; k++) y[k] = sti_rationals_double(from, (size_t)k);
    cli_answer_motion(j, s, from != NULL ? y : NULL, 1);
    if (plane != NULL) put_cone(j, m, mode, plane);
    cli_json_end(j);
}

static void put_modes(cli_json* j, const cli_shown* s, const sti_modes* m, const cli_modes_plane* plane, int most) {
    static const sti_mode_fit order[] = {STI_MODE_STRICT, STI_MODE_LIMIT, STI_MODE_UNTRIED, STI_MODE_INCONSISTENT};
    double* y = malloc((size_t)(m->n + 1) * sizeof *y);
    if (y == NULL) {
        j->broken = true;
        return;
    }
    cli_json_array(j, "modes");
    for (int pass = 0, told = 0; pass < 4; pass++) {
        for (int k = 0; k < m->mode_count && told < most; k++) {
            if (m->modes[k].fit != order[pass]) continue;
            put_mode(j, s, m, &m->modes[k], plane, y);
            told++;
        }
    }
    cli_json_end(j);
    free(y);
}

static void put_plane(cli_json* j, const cli_shown* s, const cli_modes_plane* plane) {
    char label[64];
    cli_json_object(j, "plane");
    cli_modes_component(s->instant, plane->i, label, sizeof label);
    cli_json_text(j, "x", label);
    cli_modes_component(s->instant, plane->j, label, sizeof label);
    cli_json_text(j, "y", label);
    cli_json_number(j, "reach", plane->reach);
    cli_json_numbers(j, "at", (double[]){plane->w[plane->i], plane->w[plane->j]}, 2);
    cli_json_end(j);
}

static void modes_verdict(const sti_modes* m, const sti_modes_verification* v, char* text, size_t size) {
    if (!m->asked)
        snprintf(text, size, "%d modes are feasible", m->mode_count);
    else if (!v->accepted || (!m->decided && m->strict_count + m->limit_count == 0))
        snprintf(text, size, "not decided");
    else if (m->decided && !m->exists)
        snprintf(text, size, "no motion is possible");
    else
        snprintf(text, size, "%s%d mode%s%s can happen", m->all_consistent ? "" : "at least ", m->strict_count,
                 m->strict_count == 1 ? "" : "s", m->limit_count > 0 ? ", and limit cases," : "");
}

void cli_answer_modes(cli_json* j, const cli_shown* s, const sti_modes* m, const sti_modes_verification* v,
                      const cli_modes_plane* plane, int most) {
    char verdict[120];
    modes_verdict(m, v, verdict, sizeof verdict);
    const bool decided = v->accepted && m->decided;
    cli_reply r = cli_reply_begin(j, "modes", verdict, !decided ? STI_UNDECIDED : m->exists ? STI_YES : STI_NO);
    if (m->asked)
        cli_reply_line(&r, "%.6g combinations; %d strictly consistent, %d at a limit%s", m->potential, m->strict_count,
                       m->limit_count, m->all_consistent ? "; these are all" : "; the search was cut short");
    if (m->mode_count > most) cli_reply_line(&r, "%d modes of %d are shown", most, m->mode_count);
    if (m->asked && m->all_consistent && m->exists)
        cli_reply_line(&r, "acceleration: %s; forces: %s", m->acceleration_unique ? "the same in all" : "several",
                       m->forces_unique ? "the same in all" : "several");
    if (plane != NULL && isfinite(m->change_size))
        cli_reply_line(&r, "least change of the wrench that %s: %.6g%s%s",
                       m->change_from >= 0 ? "ends the mode" : "makes a mode consistent", m->change_size,
                       m->change_face != NULL ? "; " : "", m->change_face != NULL ? m->change_face : "");
    cli_reply_end(&r);
    if (plane != NULL)
        put_plane(j, s, plane);
    else
        cli_json_null(j, "plane");
    put_modes(j, s, m, plane, most);
    cli_json_text(j, "moves", "the accelerations of this mode");
    cli_json_text(j, "proof", decided ? v->text : NULL);
}

// ---- closure

static void put_load(cli_json* j, const cli_shown* s, const sti_closure* force) {
    double* y = calloc((size_t)s->instant->n + 1, sizeof *y);
    if (y == NULL) {
        j->broken = true;
        return;
    }
    for (int k = 0; force->y != NULL && k < force->n; k++) y[s->object != NULL ? s->object[k] : k] = force->y[k];
    cli_answer_motion(j, s, force->closed == STI_NO && force->y != NULL ? y : NULL, -1);
    free(y);
}

void cli_answer_closure(cli_json* j, const cli_shown* s, const cli_answer_of_closure* a) {
    const sti_verdict closed = a->checked ? a->force->closed : STI_UNDECIDED;
    cli_reply r = cli_reply_begin(j, "closure",
                                  closed == STI_YES  ? "the contacts balance every load"
                                  : closed == STI_NO ? "some load is not balanced"
                                                     : "not decided",
                                  closed);
    cli_reply_line(&r, "held: %s", a->held);
    cli_reply_line(&r, "force closure: %s", a->force->reason);
    cli_reply_line(&r, "form closure: %s",
                   a->form->closed == STI_YES  ? "yes, without any friction"
                   : a->form->closed == STI_NO ? "no"
                                               : "not decided");
    if (a->least != NULL && a->least->closes == STI_YES)
        cli_reply_line(&r, "least friction for force closure: %.6g", a->least->high);
    else if (a->least != NULL && a->least->closes == STI_NO)
        cli_reply_line(&r, "no friction is enough for force closure");
    if (a->quality != NULL && a->quality->applies)
        cli_reply_line(&r, "quality (Ferrari and Canny): %.6g to %.6g, torques divided by %.6g", a->quality->lower,
                       a->quality->upper, a->quality->length);
    cli_reply_end(&r);
    cli_json_array(j, "contacts");
    for (int i = 0, at = 0; i < a->force->contact_count; i++) {
        const sti_instant_contact* c = &s->instant->contacts[a->force->contact[i]];
        begin_contact(j, s, a->force->contact[i],
                      closed == STI_YES && a->force->lambda != NULL ? a->force->lambda + at : NULL, c->mu);
        cli_json_end(j);
        at += 1 + c->tangent_count;
    }
    cli_json_end(j);
    put_load(j, s, a->force);
    cli_json_text(j, "moves", "a load that nothing balances: the motion along it that nothing opposes");
    cli_json_text(j, "proof", a->checked ? "the rules of closure, by code of its own" : NULL);
}
