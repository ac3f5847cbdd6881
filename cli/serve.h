// serve.h: stiction serve: the page, live. Three threads: the one that was there first talks to browsers (serve_net.c),
// one owns the scene and steps it (serve_session.c), one answers questions about an instant (serve_ask.c). Between them
// go messages alone.
//
// A message from a page is a line with a word, then lines with its arguments (serve_session.c lists them); one to pages
// is JSON.
#ifndef STICTION_CLI_SERVE_H
#define STICTION_CLI_SERVE_H

#include <pthread.h>

#include "page_answers.h"
#include "robot.h"

enum {
    CLI_SERVE_FOLDERS = 8,
    CLI_SERVE_COMMANDS = 64,   // that wait
    CLI_SERVE_MESSAGES = 256,  // that wait
    CLI_SERVE_PAGES = 4,       // connections
    CLI_SERVE_INPUT = 4096,    // bytes of a message from a page
};

typedef struct cli_serve_settings {
    const char* scene;                      // to begin with; NULL: none
    const char* folder[CLI_SERVE_FOLDERS];  // with scenes, and for what is saved in the first
    int folder_count;
    long port;                // 0: one that is free
    double limit;             // seconds for an answer, a step, the reading of a scene
    double memory;            // bytes for a scene, and again for its analysis
    bool once;                // ends with the last page: for tests
    cli_robot_request robot;  // of scenes that are files of robots
} cli_serve_settings;

// ---- the messages (serve_mail.c)

typedef struct cli_mail cli_mail;

cli_mail* cli_mail_create(void);  // NULL: memory ran out
void cli_mail_destroy(cli_mail* m);
// Called after each message to pages, by the thread that posts it.
void cli_mail_bell(cli_mail* m, void (*ring)(void* user), void* user);

bool cli_mail_command(cli_mail* m, const char* text, size_t size);  // false: too many wait
// The next command, for free(); waits at most so many seconds. NULL: none came.
char* cli_mail_next(cli_mail* m, double seconds);
void cli_mail_end(cli_mail* m);  // both sides are to end
bool cli_mail_ended(cli_mail* m);

// Frames and progress are left out where a later one of the kind waits too.
typedef enum cli_mail_kind { CLI_MAIL_LETTER, CLI_MAIL_FRAME, CLI_MAIL_PROGRESS } cli_mail_kind;

void cli_mail_post(cli_mail* m, cli_json* j, cli_mail_kind kind);  // takes j
// A message after number *at, which moves on, for free(): `lead` bytes, then *size of text. NULL: none. *lost: what
// came next is gone.
unsigned char* cli_mail_read(cli_mail* m, long* at, size_t lead, size_t* size, bool* lost);
long cli_mail_now(cli_mail* m);  // number of the last message

// ---- environments with a bound on memory, that can be called off

typedef struct cli_budget {
    pthread_mutex_t lock;
    double used, most;  // bytes
    bool called_off;    // calls end with STI_ERR_TIME, as soon as they look at the clock
} cli_budget;

sti_status cli_budget_env(cli_budget* b, double most, sti_env** out);
void cli_budget_call_off(cli_budget* b);
void cli_budget_close(cli_budget* b);

// ---- the scene (serve_session.c)

// Until the mail ends.
int cli_session_run(const cli_serve_settings* settings, cli_mail* mail);

// A scene that may be chosen. Names of files come from the folders alone, so no other file can be named.
typedef struct cli_serve_scene {
    char* name;  // for free()
    char* path;  // NULL: built in
} cli_serve_scene;

bool cli_serve_is_robot(const char* path);
int cli_serve_scenes(const cli_serve_settings* settings, cli_serve_scene** out);                  // how many
const cli_serve_scene* cli_serve_find(const cli_serve_scene* list, int count, const char* name);  // NULL: none
void cli_serve_scenes_free(cli_serve_scene* list, int count);
// A new file or folder of that name in the first folder of the settings, for free(). NULL: why says.
char* cli_serve_place(const cli_serve_settings* settings, const char* name, const char* ending, char why[200]);
bool cli_serve_copy(const char* from, const char* to);  // a file that is not there yet

// ---- scenes of grains, formulas, pushes and vehicles (serve_course.c)

typedef struct cli_course cli_course;
typedef struct cli_ask_of cli_ask_of;

bool cli_course_takes(const sti_document* document);
// document: of that scene, with its settings. Its files are in the folder, which is there and stays as long.
sti_status cli_course_open(sti_env* env, const cli_serve_scene* from, const char* settings,
                           const sti_document* document, const char* folder, cli_course** out);
void cli_course_close(cli_course* s);  // accepts NULL
double cli_course_time(const cli_course* s, double* h, bool* over);
sti_status cli_course_step(cli_course* s);
// Fields of a message: what there is to draw; what changes with a step.
int cli_course_put_scene(const cli* c, cli_course* s, cli_page* p, const char* name);
bool cli_course_put_frame(cli_course* s, cli_page* p);
bool cli_course_asked(const cli_course* s,
                      cli_ask_of* of);  // false: there is no instant to analyze, cli_course_tell tells
void cli_course_tell(const cli_course* s, cli_json* j);
bool cli_course_save(cli_course* s, const char* to);
sti_status cli_course_save_problem(const cli_course* s, const char* title, const char* to);

// ---- questions (serve_ask.c)

// An instant of a world, or of a system, made in env; arrays are read at the beginning alone.
struct cli_ask_of {
    sti_env* env;
    const sti_world_scene* scene;
    const sti_world* world;
    const sti_system* system;  // NULL: of the world
    double t;
    const double *q, *v;
};

typedef struct cli_ask cli_ask;

// About body (-1: all); answers are posted as they come. NULL: why says.
cli_ask* cli_ask_begin(const cli_serve_settings* settings, cli_mail* mail, const cli_ask_of* of, int body,
                       char why[240]);
bool cli_ask_done(cli_ask* a);
void cli_ask_end(cli_ask* a);  // called off where it still works; accepts NULL

// ---- browsers (serve_net.c)

bool cli_net_there(void);  // whether this command was built with libwebsockets
int cli_net_run(const cli* c, const cli_serve_settings* settings, cli_mail* mail);

#endif
