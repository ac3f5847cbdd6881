// run.c: stiction run: a scene in time, with files to look at, to check and to go on from.

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan.h"
#include "robot.h"
#include "run_nav.h"
#include "run_push.h"
#include "run_sweep.h"
#include "run_system.h"
#include "run_world.h"
#include "scenes.h"

// ---- the folder

char* cli_run_path(const char* dir, const char* name) {
    const size_t size = strlen(dir) + strlen(name) + 2;
    char* path = malloc(size);
    if (path != NULL) snprintf(path, size, "%s/%s", dir, name);
    return path;
}

// What a run leaves in its folder.
static const char* const run_files[] = {"trajectory.h5", "trajectory.xdmf", "summary.json",  "checkpoint.h5",
                                        "page.html",     "bed.png",         "scene.png",     "scene.svg",
                                        "energy.svg",    "profile.csv",     "positions.svg", "velocities.svg"};

enum { RUN_FILES = sizeof run_files / sizeof run_files[0] };

// Whether it is not there any more; why not: errno.
static bool remove_file(const char* dir, const char* name) {
    char* path = cli_run_path(dir, name);
    const bool gone = path != NULL && (remove(path) == 0 || errno == ENOENT);
    const int why = path != NULL ? errno : ENOMEM;
    free(path);
    errno = why;
    return gone;
}

// NAME.tmp or NAME.PID.K.tmp: what a process that was killed while it wrote a file of ours left beside it. name: "":
// any that ends in .h5 or .hdf5.
static bool is_leftover(const char* entry, const char* name) {
    const size_t size = strlen(entry);
    const char* tail = entry;
    if (size < 5 || strcmp(entry + size - 4, ".tmp") != 0) return false;
    if (name[0] != '\0') {
        tail += strlen(name);
        return strncmp(entry, name, strlen(name)) == 0 && strspn(tail, ".0123456789") == strlen(tail) - 3 &&
               *tail == '.';
    }
    const char* end = entry + size - 4;
    while (end > entry && strchr(".0123456789", end[-1]) != NULL) end--;
    for (; *end != '\0' && *end != '.'; end++) continue;  // "h5.1234.0": the 5 belongs to the name
    const size_t lead = (size_t)(end - entry);
    const bool known = (lead > 3 && strncmp(end - 3, ".h5", 3) == 0) || (lead > 5 && strncmp(end - 5, ".hdf5", 5) == 0);
    return known && strlen(end) > 4;
}

static void drop_leftovers(const char* dir) {
    DIR* folder = opendir(dir);
    if (folder == NULL) return;
    for (const struct dirent* entry; (entry = readdir(folder)) != NULL;) {
        bool ours = is_leftover(entry->d_name, "");
        for (int k = 0; k < RUN_FILES && !ours; k++) ours = is_leftover(entry->d_name, run_files[k]);
        if (ours) remove_file(dir, entry->d_name);
    }
    closedir(folder);
}

// So that nothing of the old run is taken for one of the new.
static int drop_old_run(const cli* c, const char* dir) {
    for (int k = 0; k < RUN_FILES; k++) {
        const bool gone = remove_file(dir, run_files[k]);
        const int why = errno;
        if (!gone) {
            cli_fail_usage(c, "--out: %.200s/%s: cannot be removed: %s", dir, run_files[k], strerror(why));
            return CLI_INTERNAL;
        }
    }
    return CLI_DONE;
}

// ---- a run that is being born: until its first checkpoint an empty file trajectory.h5.PID.0.tmp stands in the folder

static bool has_file(const char* dir, const char* name) {
    char* path = cli_run_path(dir, name);
    const bool there = path != NULL && access(path, F_OK) == 0;
    free(path);
    return there;
}

static void marker_name(char* text, size_t size) {
    snprintf(text, size, "trajectory.h5.%ld.0.tmp", (long)getpid());
}

static void make_marker(const char* dir) {
    char name[64];
    marker_name(name, sizeof name);
    char* path = cli_run_path(dir, name);
    FILE* f = path != NULL ? fopen(path, "wbx") : NULL;
    if (f != NULL) fclose(f);  // a run that is killed at once needs --force without it, and that is all
    free(path);
}

static bool has_marker(const char* dir) {
    DIR* folder = opendir(dir);
    bool found = false;
    if (folder == NULL) return false;
    for (const struct dirent* entry; !found && (entry = readdir(folder)) != NULL;)
        found = is_leftover(entry->d_name, "trajectory.h5");
    closedir(folder);
    return found;
}

// No file of HDF5 yet: empty, or without its first bytes, which are written last.
static bool has_blank_trajectory(const char* dir) {
    char *path = cli_run_path(dir, "trajectory.h5"), lead[8] = {0};
    FILE* f = path != NULL ? fopen(path, "rb") : NULL;
    const size_t got = f != NULL ? fread(lead, 1, sizeof lead, f) : 0;
    bool blank = f != NULL;
    for (size_t i = 0; i < got; i++) blank = blank && lead[i] == 0;
    if (f != NULL) fclose(f);
    free(path);
    return blank;
}

// The folder, as long as it holds no run that can be gone on with.
static const char* opened;
static bool made;

static void drop_marker(void) {
    char name[64];
    marker_name(name, sizeof name);
    if (opened != NULL) remove_file(opened, name);
}

void cli_run_folder_keep(void) {
    drop_marker();
    opened = NULL;
}

void cli_run_folder_undo(void) {
    for (int k = 0; opened != NULL && k < RUN_FILES; k++) remove_file(opened, run_files[k]);
    drop_marker();
    if (opened != NULL && made) rmdir(opened);
    opened = NULL;
}

// What a new run would replace there and must not; NULL: nothing. A run that was killed before its first checkpoint is
// none.
static const char* in_the_way(const char* dir) {
    const bool trajectory = has_file(dir, "trajectory.h5"), checkpoint = has_file(dir, "checkpoint.h5");
    if (trajectory && checkpoint) return "trajectory.h5";
    if (has_marker(dir)) return NULL;
    for (int k = 0; k < RUN_FILES; k++) {
        if (has_file(dir, run_files[k]) && !(k == 0 && has_blank_trajectory(dir))) return run_files[k];
    }
    return NULL;
}

int cli_run_folder(const cli* c, const char* dir, bool force) {
    struct stat info;
    made = mkdir(dir, 0777) == 0;
    if (!made && errno != EEXIST) return cli_fail_usage(c, "--out: %.200s: cannot be made: %s", dir, strerror(errno));
    if (stat(dir, &info) != 0 || !S_ISDIR(info.st_mode))
        return cli_fail_usage(c, "--out: %.200s: is not a folder", dir);
    const char* old = force ? NULL : in_the_way(dir);
    if (old != NULL && strcmp(old, "trajectory.h5") == 0)
        return cli_fail_usage(c, "--out: %.200s: holds a run; --resume goes on with it, --force replaces it", dir);
    if (old != NULL)
        return cli_fail_usage(c, "--out: %.200s: holds %s, which is not of a run there; --force replaces it", dir, old);
    make_marker(dir);
    const int code = drop_old_run(c, dir);
    if (code != CLI_DONE) return code;
    drop_leftovers(dir);
    make_marker(dir);
    opened = dir;
    return CLI_DONE;
}

int cli_run_fail_output(const cli* c) {
    const int code = cli_fail_env(c);
    return code == CLI_USAGE && sti_env_error(c->env)->status == STI_ERR_IO ? CLI_INTERNAL : code;
}

int cli_run_fail_step(const cli* c, const char* name, long step, double time) {
    char about[300];
    snprintf(about, sizeof about, "%.200s: step %ld, t = %g", name, step, time);
    return cli_fail_about(c, about);
}

int cli_run_steps(const cli* c, const char* name, double time, double h, long* steps) {
    const double count = floor(time / h + 0.5);
    if (!(count <= 1e12))
        return cli_fail_usage(c, "%.200s: step %g: time %g would take %.3g steps, 1e12 at most are taken", name, h,
                              time, count);
    *steps = count < 1 ? 1 : (long)count;
    return CLI_DONE;
}

const char* cli_run_ended(sti_run_end end, const char* itself) {
    switch (end) {
        case STI_RUN_END_TIME:
            return "finished";
        case STI_RUN_END_STOPPED:
            return "stopped early";
        case STI_RUN_END_ITSELF:
            break;
    }
    return itself;
}

void cli_run_say_idle(const cli* c, const cli_run_request* r, long steps, double time) {
    if (r->resume == NULL || steps > 0) return;
    cli_say(c, "%s: already at t = %g: no step was made%s\n", r->resume, time,
            r->time > 0 ? "" : "; --time T goes on to T");
}

// ---- signals

static volatile sig_atomic_t stopped;

static void stop(int number) {
    (void)number;
    stopped = 1;
}

void cli_run_catch_signals(void) {
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hang_up;
    if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN)  // nohup: let it be
        sigaction(SIGHUP, &action, NULL);
}

bool cli_run_stopped(void) {
    return stopped != 0 || cli_limit_reached();
}

// ---- time

double cli_run_peak_memory(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
}

cli_run_progress cli_run_progress_begin(double from) {
    return (cli_run_progress){.start = cli_now(), .from = from};
}

void cli_run_progress_show(const cli* c, cli_run_progress* p, double part, const char* text) {
    enum { WIDTH = 24 };
    const double now = cli_now();
    if (!c->err_terminal || c->quiet || now - p->last < 0.2) return;
    p->last = now;
    p->shown = true;
    char bar[WIDTH + 1];
    for (int k = 0; k < WIDTH; k++) bar[k] = (k + 0.5) / WIDTH < part ? '#' : '.';
    bar[WIDTH] = '\0';
    const double done = part - p->from, left = done > 0 ? (1 - part) / done * (now - p->start) : 0;
    const long s = left < 1e8 ? (long)left : 0;
    fprintf(stderr, "\r[%s] %3.0f %%  %s  %ld:%02ld left \033[K", bar, 100 * part, text, s / 60, s % 60);
}

void cli_run_progress_clear(const cli_run_progress* p) {
    if (p->shown) fprintf(stderr, "\r\033[K");
}

// ---- the verb

static int processors(void) {
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 64 ? 64 : (int)count;
}

// One that says how a picture of bodies looks, and that was given; NULL: none.
static const char* view_option(const cli_run_request* r) {
    return r->view != NULL ? "--view" : r->at != NULL ? "--at" : NULL;
}

static int check_request(const cli* c, const cli_run_request* r) {
    if (r->colour != NULL && strcmp(r->colour, "layer") != 0 && strcmp(r->colour, "force") != 0 &&
        strcmp(r->colour, "speed") != 0)
        return cli_fail_usage(c, "--colour: %.60s: layer, force or speed expected", r->colour);
    if (r->resume != NULL) {
        const char* alien = r->scene != NULL      ? r->scene
                            : r->out != NULL      ? "--out"
                            : r->settings != NULL ? "--set"
                            : r->law != NULL      ? "--law"
                            : r->solver != NULL   ? "--solver"
                            : r->step > 0         ? "--step"
                            : r->tol > 0          ? "--tol"
                            : r->frame > 0        ? "--frame"
                                                  : NULL;
        if (alien != NULL)
            return cli_fail_usage(c, "%.200s: not together with --resume, which goes on with the run as it is", alien);
    } else {
        if (r->scene == NULL)
            return cli_fail_usage(c, "a scene is missing; usage: stiction run %s", c->verb->arguments);
        if (r->out == NULL && r->picture) return cli_fail_usage(c, "--picture: needs --out, where pictures go");
    }
    if (view_option(r) != NULL && !r->picture) return cli_fail_usage(c, "%s: needs --picture", view_option(r));
    if (r->size != NULL && !r->picture) return cli_fail_usage(c, "--size: needs --picture");
    int width, height;
    if (cli_run_size(c, r, &width, &height) != CLI_DONE) return CLI_USAGE;
    if (r->jamming_limit > 0 && !r->jamming) return cli_fail_usage(c, "--jamming-limit: needs --jamming");
    if (r->jamming_every > 0 && !r->jamming) return cli_fail_usage(c, "--jamming-every: needs --jamming");
    if (r->check && r->no_check) return cli_fail_usage(c, "--check: not together with --no-check");
    if (r->threads > 1024) return cli_fail_usage(c, "--threads: %ld: at most 1024 expected", r->threads);
    return CLI_DONE;
}

static bool has_suffix(const char* text, const char* end) {
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

int cli_run_problem_name(const cli* c, const cli_run_request* r, bool json) {
    if (r->problem == NULL || has_suffix(r->problem, ".hdf5") || has_suffix(r->problem, ".h5") ||
        (json && has_suffix(r->problem, ".json")))
        return CLI_DONE;
    return cli_fail_usage(c, "--problem: %.200s: a name that ends in %s.hdf5 or .h5 is expected", r->problem,
                          json ? ".json, " : "");
}

// Before the first step, and before an old run is replaced.
static int check_outputs(const cli* c, const cli_run_request* r) {
    int code = cli_run_check_output(c, "--csv", r->csv, r->out, false);
    if (code == CLI_DONE) code = cli_run_check_output(c, "--contacts", r->contacts, r->out, false);
    if (code == CLI_DONE) code = cli_run_check_output(c, "--attempts", r->attempts, r->out, false);
    return code == CLI_DONE ? cli_run_check_output(c, "--problem", r->problem, r->out, true) : code;
}

// An option that only systems know, and that was given; NULL: none.
static const char* system_option(const cli_system_request* own) {
    return own->scheme != NULL        ? "--scheme"
           : own->alpha > 0           ? "--alpha"
           : own->geometry != NULL    ? "--geometry"
           : own->impact != NULL      ? "--impact"
           : own->stiffness.count > 0 ? "--stiffness"
           : own->exponent > 0        ? "--exponent"
           : own->facets > 0          ? "--facets"
           : own->printed             ? "--printed"
           : own->settle              ? "--settle"
           : own->events != NULL      ? "--events"
           : own->index > 0           ? "--index"
                                      : NULL;
}

// The same of bodies.
static const char* body_option(const cli_run_request* r) {
    return r->attempts != NULL ? "--attempts" : r->check ? "--check" : r->no_check ? "--no-check" : NULL;
}

// What a system has not.
static const char* not_of_systems(const cli_run_request* r) {
    return r->jamming ? "--jamming" : r->accept > 0 ? "--accept" : r->contacts != NULL ? "--contacts" : body_option(r);
}

// Bodies as a system.
static int run_by_events(cli* c, const cli_run_request* r, const cli_system_request* own, sti_document* problem) {
    const char* foreign = r->problem != NULL          ? "--problem"
                          : not_of_systems(r) != NULL ? not_of_systems(r)
                          : view_option(r) != NULL    ? view_option(r)
                          : r->size != NULL           ? "--size"
                                                      : NULL;
    if (foreign == NULL) return cli_run_system(c, r, own, problem);
    sti_document_destroy(problem);
    return cli_fail_usage(c, "%s: not together with --events %.20s, which runs bodies as a system of coordinates",
                          foreign, own->events);
}

int cli_run_scene(cli* c, const cli_run_request* r, const cli_system_request* own, const cli_robot_request* robot) {
    sti_document* problem = NULL;
    int code = cli_robot_load(c, r->scene, robot, &problem);
    if (code != CLI_DONE) return code;
    const bool located = own->events != NULL && strcmp(own->events, "off") != 0;
    if (sti_world_scene_of(problem) != NULL && !located) return cli_run_world(c, r, own, problem);
    if (sti_world_scene_of(problem) != NULL) return run_by_events(c, r, own, problem);
    const sti_bed_scene* scene = sti_bed_scene_of(problem);
    const char* looks = view_option(r) != NULL ? view_option(r) : r->size != NULL && scene == NULL ? "--size" : NULL;
    if (looks != NULL) {
        sti_document_destroy(problem);
        return cli_fail_usage(c, "%s: of bodies in space, and %.200s has none", looks, r->scene);
    }
    if (sti_document_kind(problem) == STI_KIND_NAVIGATION) {
        if (system_option(own) == NULL) return cli_run_nav(c, r, problem);
        sti_document_destroy(problem);
        return cli_fail_usage(c, "%s: not for vehicles, and %.200s has some", system_option(own), r->scene);
    }
    if (sti_document_kind(problem) == STI_KIND_PLAN) {
        code = system_option(own) == NULL
                   ? cli_run_plan(c, r, problem)
                   : cli_fail_usage(c, "%s: not for plans, and %.200s is one", system_option(own), r->scene);
        sti_document_destroy(problem);
        return code;
    }
    if (r->noise != NULL || r->repeat > 0 || r->seed > 0) {
        sti_document_destroy(problem);
        return cli_fail_usage(c, "%s: of a plan, and %.200s is none",
                              r->noise != NULL ? "--noise"
                              : r->repeat > 0  ? "--repeat"
                                               : "--seed",
                              r->scene);
    }
    if (sti_document_kind(problem) == STI_KIND_MANIPULATION) {
        if (system_option(own) == NULL) return cli_run_push(c, r, problem);
        sti_document_destroy(problem);
        return cli_fail_usage(c, "%s: not for pushes, and %.200s has parts and probes", system_option(own), r->scene);
    }
    const bool system = sti_document_kind(problem) == STI_KIND_SYSTEM;
    const char* alien = system_option(own);
    if (scene != NULL && alien == NULL) alien = body_option(r);
    if (scene != NULL && alien != NULL)
        code = cli_fail_usage(c, "%s: not for grains, and %.200s is a bed of grains", alien, r->scene);
    else if (scene != NULL && r->settings != NULL && sti_document_set(problem, r->settings) != STI_OK)
        code = cli_fail_about(c, "--set");
    else if (scene != NULL)
        code = cli_run_bed(c, r, sti_bed_scene_of(problem));
    const char* foreign = not_of_systems(r);
    if (system && foreign != NULL)
        code = cli_fail_usage(c, "%s: not for systems, and %.200s is one", foreign, r->scene);
    else if (system)
        return cli_run_system(c, r, own, problem);
    sti_document_destroy(problem);
    return code;
}

// Whether there is a run to go on with.
static int check_folder(const cli* c, const char* dir) {
    static const char* const needed[] = {"checkpoint.h5", "trajectory.h5"};
    struct stat info;
    if (stat(dir, &info) != 0) return cli_fail_usage(c, "--resume: %.200s: %s", dir, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return cli_fail_usage(c, "--resume: %.200s: a file; the folder of a run is expected", dir);
    for (int k = 0; k < 2; k++) {
        char* path = cli_run_path(dir, needed[k]);
        if (path == NULL) return cli_fail_memory(c);
        const bool there = access(path, F_OK) == 0;
        free(path);
        if (!there)
            return cli_fail_usage(
                c,
                "--resume: %.200s: no %s there; the folder of a run is expected (one that ended before "
                "its first checkpoint begins again with --out)",
                dir, needed[k]);
    }
    return CLI_DONE;
}

// Whose run is it?
static int go_on(cli* c, const cli_run_request* r, const cli_system_request* own, const cli_robot_request* robot) {
    if (cli_robot_option(robot) != NULL)
        return cli_fail_usage(c, "%s: not together with --resume, which goes on with the run as it is",
                              cli_robot_option(robot));
    if (system_option(own) != NULL)
        return cli_fail_usage(c, "%s: not together with --resume, which goes on with the run as it is",
                              system_option(own));
    const int code = check_folder(c, r->resume);
    if (code != CLI_DONE) return code;
    drop_leftovers(r->resume);
    char kind[40];
    cli_run_field(c, r->resume, "kind", kind, sizeof kind);
    const bool as_system = strcmp(kind, "bodies_system") == 0;
    if (!as_system && (strcmp(kind, "bodies") == 0 || cli_run_has_part(c, r->resume, "bodies")))
        return cli_run_world(c, r, own, NULL);
    if (view_option(r) != NULL)
        return cli_fail_usage(c, "%s: of bodies in space, and %.200s has none", view_option(r), r->resume);
    if (as_system || strcmp(kind, "system") == 0 || cli_run_has_part(c, r->resume, "system"))
        return cli_run_system(c, r, own, NULL);
    if (strcmp(kind, "navigation") == 0) return cli_run_nav(c, r, NULL);
    if (strcmp(kind, "manipulation") == 0 || cli_run_has_part(c, r->resume, "manipulation"))
        return cli_run_push(c, r, NULL);
    return cli_run_bed(c, r, NULL);
}

typedef struct swept {
    const cli_system_request* own;
    const cli_robot_request* robot;
} swept;

static int run_swept(cli* c, const cli_run_request* r, void* user) {
    const swept* with = user;
    const int code = cli_env_open(c, 1);
    return code == CLI_DONE ? cli_run_scene(c, r, with->own, with->robot) : code;
}

static int begin(cli* c, cli_run_request* r, cli_system_request* own, cli_robot_request* robot, cli_run_sweep* sweep) {
    robot->pictured = r->picture;
    int code = check_request(c, r);
    if (code == CLI_DONE && robot->show != NULL && !r->picture) code = cli_fail_usage(c, "--show: needs --picture");
    if (code == CLI_DONE && robot->show != NULL && strcmp(robot->show, "collision") != 0 &&
        strcmp(robot->show, "visual") != 0)
        code = cli_fail_usage(c, "--show: %.60s: collision or visual expected", robot->show);
    if (code == CLI_DONE) code = check_outputs(c, r);
    if (code == CLI_DONE) code = cli_env_open(c, r->threads > 0 ? (int)r->threads : processors());
    if (code != CLI_DONE) return code;
    cli_run_catch_signals();
    cli_limit_none(c);
    if (sweep->values != NULL) {
        swept with = {own, robot};
        sweep->csv = r->csv;
        sweep->title = r->scene;
        return cli_run_swept(c, sweep, r, run_swept, &with);
    }
    if (sweep->plot != NULL) return cli_fail_usage(c, "--plot: needs --sweep");
    code = r->resume != NULL ? go_on(c, r, own, robot) : cli_run_scene(c, r, own, robot);
    cli_run_folder_undo();
    return code;
}

static int run(cli* c, int argc, char** argv) {
    cli_run_request r = {.checkpoint = 60};
    cli_run_sweep sweep = {.jobs = 1, .of = "residual"};
    cli_system_request own = {0};
    cli_robot_request robot = {0};
    const cli_option options[] = {
        {"--out", CLI_TEXT, "DIR", "folder for trajectory.h5, trajectory.xdmf, summary.json and checkpoints", &r.out},
        {"--time", CLI_POSITIVE, "T", "where the run ends, instead of the scene's time", &r.time},
        {"--step", CLI_POSITIVE, "H", "length of a step", &r.step},
        {"--law", CLI_TEXT, "LAW", "of grains: coulomb, cone or facets; of a system: facets or cone", &r.law},
        {"--solver", CLI_TEXT, "NAME",
         "of grains: " STI_BED_SOLVER_LIST(CLI_WORD) "tao:blmvm, ..; of bodies: auto, gs, newton, ..", &r.solver},
        {"--scheme", CLI_TEXT, "NAME", "of a system: alpha, convex or quasistatic (alpha)", &own.scheme},
        {"--alpha", CLI_POSITIVE, "A",
         "weight of the new velocity: of a system in (0, 1] (1/2), of bodies in [1/2, 1] (1)", &own.alpha},
        {"--geometry", CLI_TEXT, "WHERE", "of a system: gradients ahead (second order) or old (ahead)", &own.geometry},
        {"--impact", CLI_TEXT, "LAW",
         "of a system: poisson, poisson_printed, moreau, newton, general, or a matrix (poisson); of bodies: newton, "
         "poisson (newton); of both: stronge, lzb",
         &own.impact},
        {"--stiffness", CLI_LIST, "K,..", "of a system, with --impact lzb: of every contact; their ratios count (1)",
         &own.stiffness},
        {"--exponent", CLI_POSITIVE, "ETA", "with --impact lzb: force = K compression^ETA, 1 or more (1.5, Hertz)",
         &own.exponent},
        {"--facets", CLI_COUNT, "N", "of a system: directions of friction in space (8)", &own.facets},
        {"--settle", CLI_FLAG, NULL, "of a system: velocities do not alternate where contacts stick", &own.settle},
        {"--events", CLI_TEXT, "HOW",
         "of a system or bodies: auto: impacts, stick and slip are located, to --tol (1e-10); stepping where they "
         "accumulate (off); bodies are run as a system of coordinates then (docs/steppers.md)",
         &own.events},
        {"--index", CLI_COUNT, "I",
         "of a system or bodies: joints at the level of velocities (2) or of positions (3) (2)", &own.index},
        {"--printed", CLI_FLAG, NULL, "of a system: every choice as S3 has it (docs/steppers.md)", &own.printed},
        {"--tol", CLI_POSITIVE, "TOL", "residual that a step is solved to", &r.tol},
        {"--threads", CLI_COUNT, "N", "threads (all processors); results do not depend on it", &r.threads},
        {"--set", CLI_JOINED, "NAME=X,..", "parameters of the scene, like count=3200,mu=0.5 or step.h=0.002",
         &r.settings},
        {"--frame", CLI_POSITIVE, "T",
         "time between two frames of the trajectory (grains: 100 in all; bodies: every step)", &r.frame},
        {"--csv", CLI_TEXT, "FILE",
         "one line a step: t, coordinates (of small beds only), velocities, energies, residual, ..", &r.csv},
        {"--contacts", CLI_TEXT, "FILE",
         "of bodies, grains, parts and vehicles: one line a contact and step: impulse or force, slip, lift, its impact",
         &r.contacts},
        {"--attempts", CLI_TEXT, "FILE",
         "of bodies: which solver ran on which island of a step, how it ended, and why it was taken", &r.attempts},
        {"--accept", CLI_POSITIVE, "TOL",
         "of grains and bodies: steps above their tolerance and within TOL are counted, but no reason for exit code 1",
         &r.accept},
        {"--check", CLI_FLAG, NULL, "of bodies and parts: every step by code of its own (the default)", &r.check},
        {"--no-check", CLI_FLAG, NULL, "of bodies and parts: without that", &r.no_check},
        {"--checkpoint", CLI_POSITIVE, "S", "seconds between two checkpoints (60)", &r.checkpoint},
        {"--resume", CLI_TEXT, "DIR", "go on with the run in DIR, bit by bit; --time may be later", &r.resume},
        {"--picture", CLI_FLAG, NULL, "pictures at the end: bed.png, scene.svg, energy.svg, ..", &r.picture},
        {"--colour", CLI_TEXT, "BY", "colour by force or speed; grains also by layer (layer)", &r.colour},
        {"--view", CLI_TEXT, "SIDE", "of bodies in space: front, back, left, right, top, or degrees TURN,TILT",
         &r.view},
        {"--size", CLI_TEXT, "WxH",
         "of bodies in space and of grains: pixels of the picture; W: as high as fits (1200, 900)", &r.size},
        {"--at", CLI_TEXT, "T", "of bodies in space: the picture shows this time (the end)", &r.at},
        {"--problem", CLI_TEXT, "FILE",
         "the last step: of grains, bodies and round cones as a contact problem (.hdf5, FCLIB), else as MLCP (.json)",
         &r.problem},
        {"--jamming", CLI_FLAG, NULL, "of a bed: can its contacts press on each other without load, at the end?",
         &r.jamming},
        {"--jamming-every", CLI_POSITIVE, "T",
         "and every T units of time on the way, into the trajectory and the summary", &r.jamming_every},
        {"--jamming-limit", CLI_POSITIVE, "S", "seconds for such a test (no limit)", &r.jamming_limit},
        {"--noise", CLI_TEXT, "pose=X,..",
         "of a plan: half widths that runs are off by: pose, angle, mu, tip (the plan's)", &r.noise},
        {"--repeat", CLI_COUNT, "N", "of a plan: runs with noise, to count successes", &r.repeat},
        {"--seed", CLI_COUNT, "S", "of a plan: of the noise (1)", &r.seed},
        {"--force", CLI_FLAG, NULL, "replace the run that is in the folder", &r.force},
        {"--sweep", CLI_TEXT, "NAME=A:B:N", "N runs with a parameter from A to B; --csv is then a line a run",
         &sweep.values},
        {"--jobs", CLI_COUNT, "N", "of a sweep: runs at a time (1)", &sweep.jobs},
        {"--plot", CLI_TEXT, "SVG", "of a sweep: a picture of numbers of the summaries", &sweep.plot},
        {"--of", CLI_TEXT, "NAME,..", "which: residual, energy.end, .. (residual)", &sweep.of},
        CLI_ROBOT_OPTIONS(robot),
        {"--show", CLI_TEXT, "WHAT", "of a robot: pictures show its collision shapes or its visual ones (collision)",
         &robot.show},
    };
    char* positional[1];
    int code;
    const int count =
        cli_parse(c, options, (int)(sizeof options / sizeof options[0]), argc, argv, positional, 0, 1, &code);
    if (count > 0) r.scene = positional[0];
    if (count >= 0) code = begin(c, &r, &own, &robot, &sweep);
    free(own.stiffness.value);
    return code;
}

const cli_verb cli_verb_run = {
    .name = "run",
    .arguments = "SCENE [options]",
    .summary = "a scene in time, every step with its residual",
    .details =
        "SCENE is a file, a robot (URDF), or a built-in one (stiction scenes). The run of a scene ends at its\n"
        "time, or when its kinetic energy stays below the scene's \"until\"; a system runs for 10 units of time.\n"
        "Ctrl-C ends a run with the step that it came in, one of bodies before it; the files are whole then, and\n"
        "--resume goes on. A process that is killed, or a full disk, loses what came after the last checkpoint.\n"
        "A robot on the ground: stiction run robot.urdf --ground --floating --height auto --mu 0.8 --joint elbow=0.5\n"
        "A run of bodies is checked as it goes by the rules of stiction verify (docs/runs.md), one of parts and\n"
        "probes step by step too (docs/manipulation.md): a step without a solution ends it as stuck or damage,\n"
        "exit code 1.\n"
        "Exit code 0: done, every step solved to its tolerance, nothing overlaps; 1: stopped, or some step was\n"
        "not solved, or a check fails; 2: bad usage or input; 3: internal failure, or the files could not be\n"
        "written.\n\n"
        "example:\n"
        "    stiction run pebble-bed --set count=200 --time 2 --out bed --picture\n"
        "    stiction run --resume bed --time 3\n"
        "    stiction run pebble-bed --set count=100 --time 3 --jamming --problem step.hdf5\n"
        "    stiction run stick-slip --csv stick-slip.csv\n"
        "    stiction run bouncing-ball --events auto --time 5\n"
        "    stiction run box-on-belt --events auto\n"
        "    stiction run arch --set mu=0.2 --out arch --picture\n"
        "    stiction run peg-in-hole --out peg --picture\n"
        "    stiction run arch --sweep mu=0.2:0.4:21 --jobs 2 --csv arch.csv --plot arch.svg --of "
        "energy.end,steps_at_rest\n",
    .use = STI_USE_RUN,
    .run = run,
};
