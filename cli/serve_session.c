// serve_session.c: the scene of stiction serve: what pages ask of it, its steps, and what it tells them.
//
//     hello                            what there is: scenes, and the one that is open
//     scene NAME SETTINGS              opens one, at its start
//     run, pause, step                 goes on, stands still, makes one step
//     speed X                          seconds of the scene in a second of ours
//     pull BODY "x y z" "x y z"        a spring from a point of the body (in its frame) to a point of the world;
//                                      release
//     friction MU                      of all pairs of materials, from now on
//     ask BODY                         what can happen now? BODY: the object of closure, -1: all
//     forget                           the questions are called off
//     save WHAT NAME                   scene, run or problem, in the first folder of the command line
//
// Arguments are lines of their own. A command that cannot be followed is told to the pages, and changes nothing.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"
#include "scenes.h"
#include "serve.h"

#define FRAME_S 0.033      // seconds between two frames for pages
#define MOST_RECORDED 1e9  // bytes of a recording
#define PULL_RATE 9.0      // of the spring: 1 / s

typedef struct session {
    const cli_serve_settings* settings;
    cli_mail* mail;
    cli c;  // for what the files of stiction view ask; quiet
    cli_budget budget;
    char* name;  // of the scene; NULL: none is open
    sti_document* document;
    const sti_world_scene* scene;
    sti_world* world;    // of a scene of bodies
    cli_course* course;  // of another
    sti_world_record* record;
    char folder[240];  // of the recording; "": none
    double recorded;   // bytes, about
    sti_world_report report;
    bool running;
    double speed, begin_wall, begin_time, told;
    bool pulling;
    int body;
    double grip[3], goal[3];
    cli_ask* ask;
    long number;  // of the scene that is open
} session;

static bool is_open(const session* s) {
    return s->world != NULL || s->course != NULL;
}

// Time, the length of a step, and whether there are no more.
static double time_of(const session* s, double* h, bool* over) {
    if (s->course != NULL) return cli_course_time(s->course, h, over);
    *h = s->scene->step.h;
    *over = false;
    return sti_world_time(s->world);
}

// ---- what pages are told

static void say(session* s, const char* type, const char* text) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "type", type);
    cli_json_text(&j, "text", text);
    cli_mail_post(s->mail, &j, CLI_MAIL_LETTER);
}

static void say_error(session* s) {
    say(s, "error", sti_env_error(s->c.env)->text);
}

static void tell_state(session* s) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "type", "state");
    cli_json_bool(&j, "running", s->running);
    cli_json_number(&j, "speed", s->speed);
    cli_json_bool(&j, "asking", s->ask != NULL && !cli_ask_done(s->ask));
    cli_mail_post(s->mail, &j, CLI_MAIL_LETTER);
}

static void tell_list(session* s) {
    cli_serve_scene* list;
    cli_json j;
    const int count = cli_serve_scenes(s->settings, &list);
    cli_json_begin(&j);
    cli_json_text(&j, "type", "list");
    cli_json_bool(&j, "saves", s->settings->folder_count > 0);
    cli_json_array(&j, "scenes");
    for (int k = 0; k < count; k++) cli_json_text(&j, NULL, list[k].name);
    cli_json_end(&j);
    cli_serve_scenes_free(list, count);
    cli_mail_post(s->mail, &j, CLI_MAIL_LETTER);
}

static void tell_course(session* s) {
    cli_page p = {0};
    cli_json_begin(&p.json);
    cli_json_text(&p.json, "type", "scene");
    cli_json_integer(&p.json, "number", s->number);
    if (cli_course_put_scene(&s->c, s->course, &p, s->name) == CLI_DONE) {
        cli_mail_post(s->mail, &p.json, CLI_MAIL_LETTER);
        return;
    }
    cli_json_drop(&p.json);
    say_error(s);
}

static void tell_scene(session* s) {
    cli_page p = {0};
    char path[280];
    if (s->course != NULL) return tell_course(s);
    if (s->world == NULL) return;
    snprintf(path, sizeof path, "%s/trajectory.h5", s->folder);
    if (s->record != NULL) sti_world_record_commit(s->record, false);
    cli_json_begin(&p.json);
    cli_json_text(&p.json, "type", "scene");
    cli_json_integer(&p.json, "number", s->number);
    cli_json_object(&p.json, "run");
    cli_json_text(&p.json, "title", s->name);
    cli_json_text(&p.json, "description", s->scene->description);
    cli_json_number(&p.json, "h", s->scene->step.h);
    cli_json_number(&p.json, "end", s->scene->time);
    cli_json_object(&p.json, "parameters");
    for (int k = 0; k < s->scene->parameter_count; k++)
        cli_json_number(&p.json, s->scene->parameter_names[k], s->scene->parameters[k]);
    cli_json_end(&p.json);
    const int code = cli_view_bodies(&s->c, &p, path);
    if (code != CLI_DONE) {
        cli_json_drop(&p.json);
        say_error(s);
        return;
    }
    cli_page_put_notes(&p);
    cli_mail_post(s->mail, &p.json, CLI_MAIL_LETTER);
}

// Impulses on the body that can move, over the step: forces.
static void put_contacts(session* s, cli_page* p) {
    int count = 0;
    const sti_world_contact* at = sti_world_contacts(s->world, &count);
    double* x = malloc(13 * (size_t)count * sizeof *x + 1);
    if (x == NULL) return;
    double *pair = x + 10 * (size_t)count, *mode = pair + 2 * (size_t)count;
    for (int k = 0; k < count; k++, at++) {
        const bool swap =
            sti_bodies_body(s->scene->bodies, at->a)->fixed && !sti_bodies_body(s->scene->bodies, at->b)->fixed;
        const double sign = swap ? -1 : 1, h = s->scene->step.h;
        double* d = x + 10 * (size_t)k;
        for (int i = 0; i < 3; i++) {
            d[i] = at->point[i];
            d[3 + i] = sign * at->n[i];
            d[6 + i] = sign / h * (at->r[0] * at->n[i] + at->r[1] * at->t1[i] + at->r[2] * at->t2[i]);
        }
        d[9] = at->mu;
        pair[2 * k] = swap ? at->b : at->a;
        pair[2 * k + 1] = swap ? at->a : at->b;
        mode[k] = at->mode == 1 || at->mode == 2 ? at->mode : 0;
    }
    cli_page_numbers(p, "data", CLI_PAGE_F32, x, 10 * (size_t)count);
    cli_page_numbers(p, "pair", CLI_PAGE_I32, pair, 2 * (size_t)count);
    cli_page_numbers(p, "mode", CLI_PAGE_U8, mode, (size_t)count);
    free(x);
}

static void tell_course_frame(session* s) {
    cli_page p = {0};
    cli_json_begin(&p.json);
    cli_json_text(&p.json, "type", "frame");
    cli_json_integer(&p.json, "number", s->number);
    s->told = cli_now();
    if (cli_course_put_frame(s->course, &p))
        cli_mail_post(s->mail, &p.json, CLI_MAIL_FRAME);
    else
        cli_json_drop(&p.json);
}

static void tell_frame(session* s) {
    cli_page p = {0};
    if (s->course != NULL) return tell_course_frame(s);
    const int bodies = sti_bodies_count(s->scene->bodies);
    double* pose = malloc(7 * (size_t)bodies * sizeof *pose + 1);
    if (pose == NULL) return;
    for (int k = 0; k < bodies; k++) {
        sti_pose at;
        sti_world_pose(s->world, k, &at);
        memcpy(pose + 7 * (size_t)k, at.x, sizeof at.x);
        memcpy(pose + 7 * (size_t)k + 3, at.q, sizeof at.q);
    }
    double kinetic, potential;
    sti_world_energy(s->world, &kinetic, &potential);
    cli_json_begin(&p.json);
    cli_json_text(&p.json, "type", "frame");
    cli_json_integer(&p.json, "number", s->number);
    cli_json_number(&p.json, "time", sti_world_time(s->world));
    cli_json_number(&p.json, "kinetic", kinetic);
    cli_json_number(&p.json, "potential", potential);
    cli_json_number(&p.json, "residual", s->report.residual);
    cli_json_bool(&p.json, "solved", s->report.step == 0 || s->report.solved);
    cli_page_numbers(&p, "pose", CLI_PAGE_F32, pose, 7 * (size_t)bodies);
    put_contacts(s, &p);
    free(pose);
    s->told = cli_now();
    cli_mail_post(s->mail, &p.json, CLI_MAIL_FRAME);
}

// ---- the scene

static void drop_recording(session* s) {
    char path[280];
    sti_world_record_destroy(s->record);
    s->record = NULL;
    if (s->folder[0] == '\0') return;
    const char* const names[] = {"trajectory.h5", "trajectory.xdmf", "checkpoint.h5", "profile.csv"};
    for (int k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "%s/%s", s->folder, names[k]);
        unlink(path);
    }
    rmdir(s->folder);
    s->folder[0] = '\0';
}

static void close_scene(session* s) {
    cli_ask_end(s->ask);
    s->ask = NULL;
    cli_course_close(s->course);
    s->course = NULL;
    drop_recording(s);
    sti_world_destroy(s->world);
    sti_document_destroy(s->document);
    free(s->name);
    s->world = NULL;
    s->document = NULL;
    s->scene = NULL;
    s->name = NULL;
    s->running = s->pulling = false;
    s->report = (sti_world_report){0};
}

static bool make_folder(session* s) {
    const char* place = getenv("TMPDIR");
    const int length =
        snprintf(s->folder, sizeof s->folder, "%s/stiction-serve-XXXXXX", place != NULL ? place : "/tmp");
    if (length < (int)sizeof s->folder && mkdtemp(s->folder) != NULL) return true;
    s->folder[0] = '\0';
    return false;
}

// The recording of what happens from now on; what can be looked at and saved.
static bool begin_recording(session* s) {
    char path[280], *text = NULL;
    if (!make_folder(s)) return false;
    snprintf(path, sizeof path, "%s/trajectory.h5", s->folder);
    s->recorded = 0;
    sti_status status = sti_document_text(s->c.env, s->document, &text);
    if (status == STI_OK) status = sti_world_record_create(s->c.env, path, s->scene->bodies, text, NULL, 0, &s->record);
    if (status == STI_OK) status = sti_world_record_frame(s->record, s->world);
    if (status == STI_OK) status = sti_world_record_commit(s->record, false);
    sti_env_free(s->c.env, text);
    return status == STI_OK;
}

// NULL: it is read; else what is wrong.
static const char* read_scene(session* s, const cli_serve_scene* from) {
    const cli_scene* built_in = from->path == NULL ? cli_scene_find(from->name) : NULL;
    if (from->path != NULL && cli_serve_is_robot(from->path))
        return cli_robot_load(&s->c, from->path, &s->settings->robot, &s->document) == CLI_DONE ? NULL
                                                                                                : cli_last_error();
    const sti_status status = built_in != NULL ? sti_document_parse(s->c.env, built_in->text, strlen(built_in->text),
                                                                    built_in->name, &s->document)
                                               : sti_document_load(s->c.env, from->path, &s->document);
    return status == STI_OK ? NULL : sti_env_error(s->c.env)->text;
}

static const char* load(session* s, const cli_serve_scene* from, const char* settings) {
    const char* wrong = read_scene(s, from);
    if (wrong != NULL) return wrong;
    sti_status status = settings[0] != '\0' ? sti_document_set(s->document, settings) : STI_OK;
    s->scene = sti_world_scene_of(s->document);
    if (status == STI_OK && s->scene != NULL)
        status = sti_world_create(s->c.env, s->scene->bodies, &s->scene->step, &s->world);
    else if (status == STI_OK && cli_course_takes(s->document) && make_folder(s))
        status = cli_course_open(s->c.env, from, settings, s->document, s->folder, &s->course);
    if (status != STI_OK) return sti_env_error(s->c.env)->text;
    if (!is_open(s)) return "no scene: bodies, grains, a system, parts and probes, or vehicles are expected";
    return s->world == NULL || begin_recording(s) ? NULL : "its recording cannot be written";
}

static void open_scene(session* s, const char* name, const char* settings) {
    cli_serve_scene* list;
    const int count = cli_serve_scenes(s->settings, &list);
    const cli_serve_scene* found = cli_serve_find(list, count, name);
    if (found == NULL) {
        say(s, "error", "there is no scene of that name");
    } else {
        close_scene(s);
        sti_env_limit_time(s->c.env, s->settings->limit);
        const char* wrong = load(s, found, settings);
        if (wrong != NULL)
            say(s, "error", wrong);
        else
            s->name = strdup(name);
        if (s->name == NULL) close_scene(s);
        sti_env_limit_time(s->c.env, 0);
        s->number++;
    }
    cli_serve_scenes_free(list, count);
    if (!is_open(s)) return;
    tell_scene(s);
    tell_frame(s);
    tell_state(s);
}

// The scene of the command line: a file, or a built-in one.
static void open_first(session* s) {
    cli_serve_scene* list;
    char* name = NULL;
    const int count = cli_serve_scenes(s->settings, &list);
    for (int k = 0; k < count && name == NULL; k++) {
        const char* path = list[k].path != NULL ? list[k].path : list[k].name;
        if (strcmp(path, s->settings->scene) == 0) name = strdup(list[k].name);
    }
    cli_serve_scenes_free(list, count);
    if (name != NULL) open_scene(s, name, "");
    free(name);
}

// ---- steps

// A spring from the grip to the goal, damped, as strong as the body is heavy.
static void pull(session* s) {
    const sti_body* body = sti_bodies_body(s->scene->bodies, s->body);
    sti_pose at;
    double v[3], w[3], arm[3], force[3], torque[3], x[3], centre[3];
    sti_world_pose(s->world, s->body, &at);
    sti_world_velocity(s->world, s->body, v, w);
    sti_pose_apply(&at, s->grip, x);
    sti_pose_apply(&at, body->centre, centre);
    for (int i = 0; i < 3; i++) arm[i] = x[i] - centre[i];
    const double rate = fmin(PULL_RATE, 0.25 / s->scene->step.h), most = 400 * body->mass;
    double size = 0;
    for (int i = 0, a = 1, b = 2; i < 3; i++, a = (a + 1) % 3, b = (b + 1) % 3) {
        const double speed = v[i] + w[a] * arm[b] - w[b] * arm[a];
        force[i] = body->mass * rate * (rate * (s->goal[i] - x[i]) - 1.4 * speed);
        size = hypot(size, force[i]);
    }
    for (int i = 0; size > most && i < 3; i++) force[i] *= most / size;
    for (int i = 0, a = 1, b = 2; i < 3; i++, a = (a + 1) % 3, b = (b + 1) % 3)
        torque[i] = arm[a] * force[b] - arm[b] * force[a];
    if (sti_world_push(s->world, s->body, force, torque) != STI_OK) say_error(s);
}

static void release(session* s) {
    const double none[3] = {0, 0, 0};
    if (s->pulling && s->world != NULL) sti_world_push(s->world, s->body, none, none);
    s->pulling = false;
}

static void record_step(session* s) {
    if (s->record == NULL) return;
    const long every = (long)fmax(1, floor(0.01 / s->scene->step.h));
    sti_status status = sti_world_record_step(s->record, &s->report);
    if (status == STI_OK && s->report.step % every == 0) {
        status = sti_world_record_frame(s->record, s->world);
        s->recorded += 2000.0 * sti_bodies_count(s->scene->bodies) + 300.0 * s->report.contacts;
    }
    if (status == STI_OK && s->recorded < MOST_RECORDED) return;
    say(s, "note", "The recording ends here: what comes is not saved.");
    sti_world_record_commit(s->record, false);
    sti_world_record_destroy(s->record);
    s->record = NULL;
}

static bool stand_still(session* s) {
    s->running = false;
    tell_state(s);
    return false;
}

// false: nothing goes on.
static bool make_step(session* s) {
    double h;
    bool over;
    time_of(s, &h, &over);
    if (over) {
        say(s, "note", "The scene is at its end.");
        return stand_still(s);
    }
    if (s->pulling) pull(s);
    sti_env_limit_time(s->c.env, s->settings->limit);
    const sti_status status = s->course != NULL ? cli_course_step(s->course) : sti_world_step(s->world, &s->report);
    sti_env_limit_time(s->c.env, 0);
    if (status != STI_OK) {
        say_error(s);
        return stand_still(s);
    }
    if (s->world != NULL) record_step(s);
    return true;
}

static void begin_clock(session* s) {
    double h;
    bool over;
    s->begin_wall = cli_now();
    s->begin_time = time_of(s, &h, &over);
}

// Steps that are due, as many as fit between two frames. Seconds until there is more to do.
static double go_on(session* s) {
    if (!s->running) return 0.25;
    const double start = cli_now(), due = s->begin_time + s->speed * (start - s->begin_wall);
    double h;
    bool over;
    while (time_of(s, &h, &over) + h <= due + 1e-12 && cli_now() - start < FRAME_S) {
        if (make_step(s)) continue;
        tell_frame(s);
        return 0.25;
    }
    const double behind = due - time_of(s, &h, &over);
    if (behind > 0.1 * s->speed) begin_clock(s);  // slower than asked for
    if (cli_now() - s->told >= FRAME_S) tell_frame(s);
    return behind > h ? 0 : fmin(FRAME_S, fmax(0.001, (h - behind) / s->speed));
}

// ---- commands

enum { ARGUMENTS = 4 };

static bool numbers(const char* text, int count, double* x) {
    for (int k = 0; k < count; k++) {
        char* end;
        x[k] = strtod(text, &end);
        if (end == text || !isfinite(x[k]) || fabs(x[k]) > 1e12) return false;
        text = end;
    }
    return *text == '\0';
}

static void set_running(session* s, bool running) {
    if (running) {
        cli_ask_end(s->ask);
        s->ask = NULL;
        begin_clock(s);
    }
    s->running = running;
    if (!running) tell_frame(s);
    tell_state(s);
}

static void set_pull(session* s, char* const* argument) {
    double body, grip[3], goal[3];
    const int bodies = sti_bodies_count(s->scene->bodies);
    if (!numbers(argument[0], 1, &body) || !numbers(argument[1], 3, grip) || !numbers(argument[2], 3, goal) ||
        body != floor(body) || body < 0 || body >= bodies || sti_bodies_body(s->scene->bodies, (int)body)->fixed)
        return say(s, "error", "pull: a body that moves and two points are expected");
    release(s);
    s->pulling = true;
    s->body = (int)body;
    memcpy(s->grip, grip, sizeof grip);
    memcpy(s->goal, goal, sizeof goal);
}

// The bodies belong to the document, which is ours; the world looks at their friction in every step.
static void set_friction(session* s, const char* text) {
    double mu;
    sti_bodies* bodies = (sti_bodies*)s->scene->bodies;
    const int count = sti_bodies_material_count(bodies);
    if (!numbers(text, 1, &mu) || mu < 0 || mu > 100)
        return say(s, "error", "friction: a number from 0 to 100 is expected");
    for (int a = 0; a < count; a++) {
        for (int b = a; b < count; b++) {
            const double e =
                fmax(sti_bodies_material(bodies, a)->restitution, sti_bodies_material(bodies, b)->restitution);
            if (sti_bodies_set_pair(bodies, a, b, mu, e) != STI_OK) return say_error(s);
        }
    }
    char note[80];
    snprintf(note, sizeof note, "Friction is %g from t = %.4g on.", mu, sti_world_time(s->world));
    say(s, "note", note);
}

static void ask(session* s, const char* text) {
    double body = -1;
    char why[240] = "";
    cli_ask_of of = {.env = s->c.env, .scene = s->scene, .world = s->world};
    const int bodies = s->world != NULL ? sti_bodies_count(s->scene->bodies) : 0;
    if (!numbers(text, 1, &body) || body != floor(body) || body < -1 || body >= fmax(bodies, 1))
        return say(s, "error", "ask: a body is expected, or -1");
    if (body >= 0 && (bodies == 0 || sti_bodies_body(s->scene->bodies, (int)body)->fixed)) body = -1;
    set_running(s, false);
    cli_ask_end(s->ask);
    s->ask = NULL;
    if (s->course == NULL || cli_course_asked(s->course, &of)) {
        s->ask = cli_ask_begin(s->settings, s->mail, &of, (int)body, why);
        if (s->ask == NULL) say(s, "error", why);
    } else {
        cli_json j;
        cli_json_begin(&j);
        cli_json_text(&j, "type", "answer");
        cli_course_tell(s->course, &j);
        cli_mail_post(s->mail, &j, CLI_MAIL_LETTER);
    }
    tell_state(s);
}

static bool save_run(session* s, const char* to) {
    char from[280], inner[4200];
    snprintf(from, sizeof from, "%s/trajectory.h5", s->folder);
    if (s->record != NULL && sti_world_record_commit(s->record, true) != STI_OK) return false;
    snprintf(inner, sizeof inner, "%s/trajectory.h5", to);
    return strlen(to) < 4096 && mkdir(to, 0777) == 0 && cli_serve_copy(from, inner);
}

static bool save_problem(session* s, const char* to) {
    const sti_contact_answer* answer = NULL;
    const sti_contact_problem* problem = sti_world_problem(s->world, &answer);
    if (problem == NULL || answer == NULL) return false;
    const bool claimed = answer->outcome == STI_SOLVED;
    const sti_contact_guess guess = {.r = answer->r, .u = answer->u, .v = answer->v, .lambda = answer->lambda};
    const sti_contact_info info = {.title = s->name,
                                   .description = s->scene->description,
                                   .guess_count = claimed ? 0 : 1,
                                   .guesses = claimed ? NULL : &guess};
    return sti_contact_save(s->c.env, problem, &info, to) == STI_OK &&
           (!claimed || sti_contact_answer_save(s->c.env, problem, answer, to) == STI_OK);
}

static void save(session* s, const char* what, const char* name) {
    char why[200];
    const bool scene = strcmp(what, "scene") == 0, run = strcmp(what, "run") == 0;
    if (!scene && !run && strcmp(what, "problem") != 0) return say(s, "error", "save: scene, run or problem expected");
    char* path = cli_serve_place(s->settings, name, scene ? ".json" : run ? "" : ".hdf5", why);
    if (path == NULL) return say(s, "error", why);
    bool good = false;
    if (scene) {
        good = sti_document_save(s->c.env, s->document, path) == STI_OK;
    } else if (run) {
        good = s->course != NULL ? cli_course_save(s->course, path) : save_run(s, path);
    } else if (s->course != NULL) {
        if (cli_course_save_problem(s->course, s->name, path) != STI_OK) {
            free(path);
            return say_error(s);
        }
        good = true;
    } else if (s->report.step > 0) {
        good = save_problem(s, path);
    } else {
        free(path);
        return say(s, "error", "there is no problem before the first step");
    }
    char note[400];
    snprintf(note, sizeof note, good ? "Saved: %.300s" : "%.300s: cannot be written", path);
    say(s, good ? "saved" : "error", note);
    free(path);
}

static void follow(session* s, const char* word, char* const* argument) {
    if (strcmp(word, "hello") == 0) {
        tell_list(s);
        if (!is_open(s)) return;
        tell_scene(s);
        tell_frame(s);
        tell_state(s);
    } else if (strcmp(word, "scene") == 0) {
        open_scene(s, argument[0], argument[1]);
    } else if (!is_open(s)) {
        say(s, "error", "no scene is open");
    } else if (strcmp(word, "run") == 0) {
        set_running(s, true);
    } else if (strcmp(word, "pause") == 0) {
        set_running(s, false);
    } else if (strcmp(word, "step") == 0) {
        cli_ask_end(s->ask);
        s->ask = NULL;
        set_running(s, false);
        if (make_step(s)) tell_frame(s);
    } else if (strcmp(word, "speed") == 0) {
        double speed;
        if (!numbers(argument[0], 1, &speed) || speed < 1e-3 || speed > 1e3)
            return say(s, "error", "speed: a number from 0.001 to 1000 is expected");
        s->speed = speed;
        begin_clock(s);
        tell_state(s);
    } else if (s->world == NULL && (strcmp(word, "pull") == 0 || strcmp(word, "friction") == 0)) {
        say(s, "error",
            "only bodies are pulled, and their friction changed while they move; open it with other parameters");
    } else if (strcmp(word, "pull") == 0) {
        set_pull(s, argument);
    } else if (strcmp(word, "release") == 0) {
        release(s);
    } else if (strcmp(word, "friction") == 0) {
        set_friction(s, argument[0]);
    } else if (strcmp(word, "ask") == 0) {
        ask(s, argument[0]);
    } else if (strcmp(word, "forget") == 0) {
        cli_ask_end(s->ask);
        s->ask = NULL;
        tell_state(s);
    } else if (strcmp(word, "save") == 0) {
        save(s, argument[0], argument[1]);
    } else {
        say(s, "error", "no such command");
    }
}

static void take(session* s, char* text) {
    char* part[ARGUMENTS + 1];
    char none[] = "";
    int count = 0;
    for (char* at = text; count <= ARGUMENTS; count++) {
        part[count] = at;
        at = at != NULL ? strchr(at, '\n') : NULL;
        if (at != NULL) *at++ = '\0';
        if (at == NULL) {
            while (++count <= ARGUMENTS) part[count] = none;
            break;
        }
    }
    follow(s, part[0], part + 1);
}

int cli_session_run(const cli_serve_settings* settings, cli_mail* mail) {
    session s = {.settings = settings, .mail = mail, .speed = 1, .c = {.quiet = true}};
    if (cli_budget_env(&s.budget, settings->memory, &s.c.env) != STI_OK) {
        cli_budget_close(&s.budget);
        return CLI_INTERNAL;
    }
    if (settings->scene != NULL) open_first(&s);
    double wait = 0.25;
    bool asking = false;
    while (!cli_mail_ended(mail)) {
        char* text = cli_mail_next(mail, wait);
        for (int k = 0; text != NULL && k < CLI_SERVE_COMMANDS; k++) {
            take(&s, text);
            free(text);
            text = cli_mail_next(mail, 0);
        }
        if (text != NULL) take(&s, text);
        free(text);
        wait = is_open(&s) ? go_on(&s) : 0.25;
        const bool still = s.ask != NULL && !cli_ask_done(s.ask);
        if (asking && !still) tell_state(&s);
        asking = still;
    }
    close_scene(&s);
    sti_env_destroy(s.c.env);
    cli_budget_close(&s.budget);
    return CLI_DONE;
}
