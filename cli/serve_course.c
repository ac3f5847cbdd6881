// serve_course.c: stiction serve of what is no scene of bodies: grains, systems by formulas, pushes, vehicles. They all
// have one life (sti_run), whose recording tells pages what there is to draw; here is what they are told after a step.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"
#include "scenes.h"
#include "serve.h"

enum { MOST_CONTACTS = 3000, MOST_VALUES = 64 };

struct cli_course {
    sti_env* env;
    sti_run* run;
    const char* folder;
    const sti_bed_run* bed;  // one of these is there
    const sti_system_run* system;
    const sti_push_run* push;
    const sti_navigation_run* nav;
    char names[MOST_VALUES][80];  // of the numbers of a frame
    int name_count;
};

// ---- begin and end

static char* read_text(const cli_serve_scene* from, size_t* size) {
    const cli_scene* built_in = from->path == NULL ? cli_scene_find(from->name) : NULL;
    enum { MOST = 1 << 26 };
    char* text = built_in != NULL     ? strdup(built_in->text)
                 : from->path != NULL ? cli_view_text(from->path, MOST)
                                      : NULL;
    *size = text != NULL ? strlen(text) : 0;
    return text;
}

// document: of that scene, with its settings, which tells what it is.
static sti_status make_simulation(sti_env* env, const cli_serve_scene* from, const char* settings,
                                  const sti_document* document, sti_simulation** out) {
    sti_run_source source = {.name = from->path != NULL ? from->path : from->name,
                             .settings = settings[0] != '\0' ? settings : NULL};
    char* text = read_text(from, &source.size);
    sti_status status = STI_ERR_MEMORY;
    source.text = text;
    if (text != NULL && sti_bed_scene_of(document) != NULL)
        status = sti_bed_simulation(env, &source, out);
    else if (text != NULL && sti_system_of(document) != NULL)
        status = sti_system_simulation(env, &source, NULL, out);
    else if (text != NULL && sti_manipulation_of(document) != NULL)
        status = sti_push_simulation(env, &source, 0, out);
    else if (text != NULL)
        status = sti_navigation_simulation(env, &source, out);
    free(text);
    return status;
}

bool cli_course_takes(const sti_document* document) {
    return sti_bed_scene_of(document) != NULL || sti_system_of(document) != NULL ||
           sti_manipulation_of(document) != NULL || sti_navigation_of(document) != NULL;
}

static void add_name(cli_course* s, const char* name) {
    if (s->name_count < MOST_VALUES) snprintf(s->names[s->name_count++], sizeof s->names[0], "%.75s", name);
}

static void find_names(cli_course* s) {
    static const char* const of_bed[] = {"kinetic", "potential", "residual", "contacts", "penetration"};
    static const char* const of_system[] = {"kinetic", "potential", "residual", "penetration"};
    static const char* const of_push[] = {"residual", "penetration", "dissipation", "contacts"};
    static const char* const of_nav[] = {"residual", "least_gap", "contacts"};
    if (s->bed != NULL)
        for (int k = 0; k < 5; k++) add_name(s, of_bed[k]);
    if (s->system != NULL) {
        for (int k = 0; k < 4; k++) add_name(s, of_system[k]);
        for (int k = 0; k < sti_system_coordinate_count(s->system->system); k++)
            add_name(s, sti_system_coordinate(s->system->system, k));
    }
    if (s->push != NULL)
        for (int k = 0; k < 4; k++) add_name(s, of_push[k]);
    if (s->nav != NULL)
        for (int k = 0; k < 3; k++) add_name(s, of_nav[k]);
}

sti_status cli_course_open(sti_env* env, const cli_serve_scene* from, const char* settings,
                           const sti_document* document, const char* folder, cli_course** out) {
    sti_simulation* simulation = NULL;
    sti_run_options o = sti_run_options_default();
    cli_course* s = calloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL) return STI_ERR_MEMORY;
    s->env = env;
    s->folder = o.dir = folder;
    o.checkpoint_s = 1e9;
    sti_status status = make_simulation(env, from, settings, document, &simulation);
    if (status == STI_OK) status = sti_run_create(env, simulation, &o, &s->run);
    if (status != STI_OK) {
        free(s);
        return status;
    }
    s->bed = sti_bed_run_of(s->run);
    s->system = sti_system_run_of(s->run);
    s->push = sti_push_run_of(s->run);
    s->nav = sti_navigation_run_of(s->run);
    find_names(s);
    *out = s;
    return STI_OK;
}

void cli_course_close(cli_course* s) {
    if (s == NULL) return;
    sti_run_destroy(s->run);
    free(s);
}

double cli_course_time(const cli_course* s, double* h, bool* over) {
    sti_run_state now;
    sti_run_now(s->run, &now);
    *h = now.h;
    *over = now.over;
    return now.time;
}

sti_status cli_course_step(cli_course* s) {
    return sti_run_step(s->run);
}

// ---- what there is

static void put_parameters(cli_json* j, const cli_course* s) {
    cli_json_object(j, "parameters");
    if (s->system != NULL) {
        for (int k = 0; k < sti_system_parameter_count(s->system->system); k++)
            cli_json_number(j, sti_system_parameter(s->system->system, k),
                            sti_system_parameter_value(s->system->system, k));
    } else if (s->push != NULL) {
        for (int k = 0; k < sti_manipulation_parameter_count(s->push->scene); k++)
            cli_json_number(j, sti_manipulation_parameter(s->push->scene, k),
                            sti_manipulation_parameter_value(s->push->scene, k));
    } else if (s->bed != NULL) {
        cli_json_number(j, "count", s->bed->grains->count);
        cli_json_number(j, "mu", s->bed->grains->mu);
    }
    cli_json_end(j);
}

int cli_course_put_scene(const cli* c, cli_course* s, cli_page* p, const char* name) {
    sti_run_state now;
    sti_run_now(s->run, &now);
    if (sti_run_checkpoint(s->run) != STI_OK) return cli_fail_env(c);
    cli_json_object(&p->json, "about");
    cli_json_number(&p->json, "h", now.h);
    cli_json_number(&p->json, "end", now.h * (double)now.last);
    cli_json_array(&p->json, "names");
    for (int k = 0; k < s->name_count; k++) cli_json_text(&p->json, NULL, s->names[k]);
    cli_json_end(&p->json);
    put_parameters(&p->json, s);
    if (cli_scene_find(name) != NULL) cli_json_text(&p->json, "description", cli_scene_find(name)->description);
    cli_json_end(&p->json);
    cli_json_array(&p->json, "runs");
    return cli_view_run(c, p, s->folder, name);
}

// ---- after a step

static void put_values(const cli_course* s, cli_page* p) {
    double x[MOST_VALUES] = {0};
    if (s->bed != NULL) {
        const sti_bed_report* r = &s->bed->last;
        const double of[] = {r->kinetic, r->potential, r->residual, r->contacts, r->penetration};
        memcpy(x, of, sizeof of);
    } else if (s->system != NULL) {
        const double of[] = {s->system->last_kinetic, s->system->last_potential, s->system->report.residual,
                             s->system->report.penetration};
        memcpy(x, of, sizeof of);
        memcpy(x + 4, sti_stepper_q(s->system->stepper), (size_t)(s->name_count - 4) * sizeof *x);
    } else if (s->push != NULL) {
        const sti_push_report* r = &s->push->report;
        const double of[] = {r->residual, r->penetration, r->dissipation, r->contact_count};
        memcpy(x, of, sizeof of);
    } else {
        const sti_navigation_report* r = &s->nav->report;
        const double of[] = {r->residual, r->least_gap, r->contact_count};
        memcpy(x, of, sizeof of);
    }
    cli_json_numbers(&p->json, "values", x, (size_t)s->name_count);
}

typedef struct strong {
    double size;
    int row;
} strong;

static int by_size(const void* left, const void* right) {
    const strong *a = left, *b = right;
    return a->size != b->size ? (a->size < b->size) - (a->size > b->size) : (a->row > b->row) - (a->row < b->row);
}

// Point, normal, impulse on a, friction; sticks where friction is inside of its cone.
static void take_grain(const cli_course* s, const sti_bed_contact* k, const double* x, double* data, double* pair,
                       double* mode) {
    const sti_grains* g = s->bed->grains;
    const double mu = k->b < 0 ? g->walls[-1 - k->b].mu : g->mu;
    const double normal = k->n[0] * k->r[0] + k->n[1] * k->r[1] + k->n[2] * k->r[2];
    double along = 0;
    for (int i = 0; i < 3; i++) {
        data[i] = x[3 * k->a + i] - g->radius[k->a] * k->n[i];
        data[3 + i] = k->n[i];
        data[6 + i] = k->r[i];
        along = hypot(along, k->r[i] - normal * k->n[i]);
    }
    data[9] = mu;
    pair[0] = k->a;
    pair[1] = k->b;
    *mode = !(normal > 0) ? 0 : along < (1 - 1e-3) * mu * normal ? 1 : 2;
}

static void put_rows(cli_page* p, const double* data, const double* pair, const double* mode, size_t rows) {
    cli_page_numbers(p, "data", CLI_PAGE_F32, data, 10 * rows);
    cli_page_numbers(p, "pair", CLI_PAGE_I32, pair, 2 * rows);
    cli_page_numbers(p, "mode", CLI_PAGE_U8, mode, rows);
}

static bool put_bed(const cli_course* s, cli_page* p) {
    const size_t n = (size_t)sti_bed_count(s->bed->bed), count = (size_t)sti_bed_contact_count(s->bed->bed);
    const size_t most = count < MOST_CONTACTS ? count : MOST_CONTACTS;
    double *x = malloc(3 * n * sizeof *x + 1), *data = malloc(13 * most * sizeof *data + 1);
    sti_bed_contact* contact = malloc(count * sizeof *contact + 1);
    strong* order = malloc(count * sizeof *order + 1);
    const bool good = x != NULL && data != NULL && contact != NULL && order != NULL;
    if (good) {
        sti_bed_get(s->bed->bed, x, NULL, NULL);
        sti_bed_contacts(s->bed->bed, contact);
        for (size_t k = 0; k < count; k++)
            order[k] = (strong){hypot(hypot(contact[k].r[0], contact[k].r[1]), contact[k].r[2]), (int)k};
        if (count > most) qsort(order, count, sizeof *order, by_size);
        double *pair = data + 10 * most, *mode = pair + 2 * most;
        for (size_t k = 0; k < most; k++)
            take_grain(s, &contact[order[k].row], x, data + 10 * k, pair + 2 * k, mode + k);
        cli_page_numbers(p, "x", CLI_PAGE_F32, x, 3 * n);
        put_rows(p, data, pair, mode, most);
    }
    free(x);
    free(data);
    free(contact);
    free(order);
    return good;
}

static void take_push(const cli_course* s, int k, double* data, double* pair, double* mode) {
    const sti_push_contact* at = &s->push->report.contacts[k];
    const sti_push_force* f = &s->push->report.forces[k];
    const int parts = sti_manipulation_part_count(s->push->scene),
              fixtures = sti_manipulation_fixture_count(s->push->scene);
    const double row[10] = {at->point[0],
                            at->point[1],
                            0,
                            at->n[0],
                            at->n[1],
                            0,
                            f->lambda_n * at->n[0] - f->lambda_t * at->n[1],
                            f->lambda_n * at->n[1] + f->lambda_t * at->n[0],
                            0,
                            at->mu};
    memcpy(data, row, sizeof row);
    pair[0] = at->part;
    pair[1] = at->against == STI_PUSH_TIP       ? parts + fixtures + at->other
              : at->against == STI_PUSH_FIXTURE ? parts + at->other
                                                : at->other;
    *mode = f->mode == STI_PUSH_OPEN ? 0 : f->mode == STI_PUSH_STICK ? 1 : 2;
}

static bool put_plane(const cli_course* s, cli_page* p) {
    const int rows = s->push != NULL && s->push->report.step > 0 ? s->push->report.contact_count : 0;
    const double* q = s->push != NULL ? sti_push_q(s->push->push) : sti_navigation_q(s->nav->nav);
    const double t = s->push != NULL ? sti_push_time(s->push->push) : sti_navigation_time(s->nav->nav);
    const int bodies =
        cli_view_plane_bodies(s->push != NULL ? s->push->scene : NULL, s->nav != NULL ? s->nav->nav : NULL);
    double *pose = malloc(7 * (size_t)bodies * sizeof *pose + 1), *data = malloc(13 * (size_t)rows * sizeof *data + 1);
    const bool good = pose != NULL && data != NULL;
    if (good) {
        double *pair = data + 10 * rows, *mode = pair + 2 * rows;
        cli_view_plane_poses(s->push != NULL ? s->push->scene : NULL, s->nav != NULL ? s->nav->nav : NULL, t, q, pose);
        for (int k = 0; k < rows; k++) take_push(s, k, data + 10 * k, pair + 2 * k, mode + k);
        cli_page_numbers(p, "pose", CLI_PAGE_F32, pose, 7 * (size_t)bodies);
        put_rows(p, data, pair, mode, (size_t)rows);
    }
    free(pose);
    free(data);
    return good;
}

bool cli_course_put_frame(cli_course* s, cli_page* p) {
    sti_run_state now;
    sti_run_now(s->run, &now);
    cli_json_number(&p->json, "time", now.time);
    put_values(s, p);
    if (s->bed != NULL) return put_bed(s, p);
    if (s->system != NULL) {
        put_rows(p, NULL, NULL, NULL, 0);
        return true;
    }
    return put_plane(s, p);
}

// ---- what is asked, and saved

bool cli_course_asked(const cli_course* s, cli_ask_of* of) {
    if (s->system == NULL) return false;
    *of = (cli_ask_of){.env = s->env,
                       .system = s->system->system,
                       .t = sti_stepper_time(s->system->stepper),
                       .q = sti_stepper_q(s->system->stepper),
                       .v = sti_stepper_v(s->system->stepper)};
    return true;
}

static void tell_bed(const cli_course* s, cli_reply* r) {
    const int count = sti_bed_contact_count(s->bed->bed);
    sti_bed_contact* contact = malloc((size_t)count * sizeof *contact + 1);
    long carry = 0, stick = 0;
    double worst = 0;
    if (contact == NULL) return;
    sti_bed_contacts(s->bed->bed, contact);
    for (int k = 0; k < count; k++) {
        const sti_bed_contact* at = &contact[k];
        const double mu = at->b < 0 ? s->bed->grains->walls[-1 - at->b].mu : s->bed->grains->mu;
        const double normal = at->n[0] * at->r[0] + at->n[1] * at->r[1] + at->n[2] * at->r[2];
        double along = 0;
        for (int i = 0; i < 3; i++) along = hypot(along, at->r[i] - normal * at->n[i]);
        if (!(normal > 0)) continue;
        carry++;
        stick += along < (1 - 1e-3) * mu * normal;
        if (mu > 0) worst = fmax(worst, fmin(along / (mu * normal), 1));
    }
    cli_reply_line(r, "%d contacts, %ld carry: %ld stick, %ld slip", count, carry, stick, carry - stick);
    if (carry > 0 && stick == carry)
        cli_reply_line(r, "the one closest to slipping uses %.4g %% of its cone", 100 * worst);
    cli_reply_line(r, "walls carry %.6g of the weight; kinetic energy %.6g", s->bed->last.balance,
                   s->bed->last.kinetic);
    cli_reply_line(r, "residual %.2g (tolerance met: %s), deepest overlap %.2g", s->bed->last.residual,
                   s->bed->last.solved ? "yes" : "no", s->bed->last.penetration);
    free(contact);
}

static void tell_push(const cli_course* s, cli_reply* r) {
    char text[160];
    for (int k = 0; s->push->report.step > 0 && k < s->push->report.contact_count; k++) {
        const sti_push_force* f = &s->push->report.forces[k];
        sti_manipulation_contact_text(s->push->scene, &s->push->report.contacts[k], text, sizeof text);
        cli_reply_line(r, "%s: %s, normal %.5g, friction %.5g", text, sti_push_mode_text(f->mode), f->lambda_n,
                       f->lambda_t);
    }
    if (s->push->jammed) cli_reply_line(r, "stuck: %s", s->push->report.why);
}

static void tell_nav(const cli_course* s, cli_reply* r) {
    const sti_navigation_report* report = &s->nav->report;
    char one[100], other[100];
    for (int k = 0; k < report->contact_count; k++) {
        const sti_cage_contact* at = &report->contacts[k];
        if (!(at->impulse > 0)) continue;
        sti_navigation_other_text(s->nav->nav, at->vehicle, one, sizeof one);
        sti_navigation_other_text(s->nav->nav, at->other, other, sizeof other);
        cli_reply_line(r, "%s gives way to %s, impulse %.4g", one, other, at->impulse);
    }
    if (report->deadlock) cli_reply_line(r, "deadlock: forces are balanced by contacts up to %.2g", report->balance);
}

void cli_course_tell(const cli_course* s, cli_json* j) {
    sti_run_state now;
    sti_run_now(s->run, &now);
    cli_reply r = cli_reply_begin(j, "instant", "what there is", STI_UNDECIDED);
    cli_reply_line(&r, "t = %.6g, after %ld steps of %g", now.time, now.steps, now.h);
    if (s->bed != NULL) tell_bed(s, &r);
    if (s->push != NULL) tell_push(s, &r);
    if (s->nav != NULL) tell_nav(s, &r);
    cli_reply_end(&r);
}

bool cli_course_save(cli_course* s, const char* to) {
    static const char* const names[] = {"trajectory.h5", "checkpoint.h5", "profile.csv"};
    bool good = sti_run_checkpoint(s->run) == STI_OK && mkdir(to, 0777) == 0;
    for (int k = 0; good && k < 3; k++) {
        char *from = cli_run_path(s->folder, names[k]), *inner = cli_run_path(to, names[k]);
        good = from != NULL && inner != NULL && (access(from, F_OK) != 0 || cli_serve_copy(from, inner));
        free(from);
        free(inner);
    }
    return good;
}

sti_status cli_course_save_problem(const cli_course* s, const char* title, const char* to) {
    sti_run_problem problem;
    sti_status status = sti_run_problem_make(s->env, s->run, &problem);
    if (status == STI_OK) status = sti_run_problem_save(s->env, &problem, title, NULL, to);
    sti_run_problem_clear(s->env, &problem);
    return status;
}
