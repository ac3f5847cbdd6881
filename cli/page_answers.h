// page_answers.h: answers about an instant as the page shows them (web/src/answers.js): words, the contacts with their
// forces and margins, and, where places are known, where all that is. stiction serve and --page of the analyses write
// the same.
//
// An instant knows no places. They are read from its rows: the force e of a row on a body turns it by arm x e.
#ifndef STICTION_CLI_PAGE_ANSWERS_H
#define STICTION_CLI_PAGE_ANSWERS_H

#include "analyze_modes.h"
#include "closure.h"
#include "view.h"

// Where a contact acts, and along what: the direction of row k (normal first) on the body.
typedef struct cli_place {
    bool known;
    int body;  // 0 where there is but one
    double x[3], e[3][3];
} cli_place;

// A body that moves: six velocities of it in space, three in the plane, one body after the other.
typedef struct cli_mover {
    int body;
    double R[9];       // from its axes into those of the world
    double offset[3];  // from its centre, whose velocity an instant has, to the origin of its frame
} cli_mover;

// An instant with its places: of bodies, of one body whose velocities it has, or of neither (dim 0). It needs nothing
// but the instant to live on.
typedef struct cli_shown {
    const sti_instant* instant;
    int dim;
    int mover_count;
    cli_mover* movers;  // (mover_count)
    cli_place* places;  // (contact_count)
    const int* object;  // coordinates of what is held; NULL: all
    int object_count;
} cli_shown;

// Of bodies; of a contact between two that move it is told how it acts on the one with the velocity `first` (-1: any).
bool cli_shown_world(cli_shown* s, const sti_instant* in, const sti_bodies* bodies, const sti_world* world, int first);
// Of one body with these coordinates, where its rows are such that it may be one; else of nothing.
bool cli_shown_object(cli_shown* s, const sti_instant* in, const int* object, int count);
void cli_shown_clear(cli_shown* s);
// What is drawn where no shapes are known: the points, as "points".
void cli_shown_put_points(cli_json* j, const cli_shown* s);

// ---- answers, as fields of an object that is open

typedef struct cli_reply {
    cli_json* j;
    int lines;
} cli_reply;

// Question, verdict, and lines until they are ended by cli_reply_end.
cli_reply cli_reply_begin(cli_json* j, const char* question, const char* verdict, sti_verdict good);
void cli_reply_line(cli_reply* r, const char* format, ...) __attribute__((format(printf, 2, 3)));
void cli_reply_end(cli_reply* r);

// A velocity or an acceleration (n), times sign, as "motion": of each body. NULL, or nothing known of bodies: null.
void cli_answer_motion(cli_json* j, const cli_shown* s, const double* y, double sign);

void cli_answer_sticking(cli_json* j, const cli_shown* s, const sti_sticking* k, const sti_sticking_verification* v);

// The plane through the wrench along two of its components in which the wrenches of modes are cut.
typedef struct cli_modes_plane {
    int i, j;
    double reach;
    double* w;  // (n)
} cli_modes_plane;

// At most `most` modes: those that are consistent first. plane NULL: without the wrenches of modes.
void cli_answer_modes(cli_json* j, const cli_shown* s, const sti_modes* m, const sti_modes_verification* v,
                      const cli_modes_plane* plane, int most);
// force.contact: contacts of the instant of s. least NULL, quality NULL: not known.
typedef struct cli_answer_of_closure {
    const char* held;
    const sti_closure *force, *form;
    const sti_grasp_friction* least;
    const sti_grasp_quality* quality;
    bool checked;
} cli_answer_of_closure;

void cli_answer_closure(cli_json* j, const cli_shown* s, const cli_answer_of_closure* a);

// ---- a page of one instant

// Begins a page with what the instant is of; answers follow as objects of the array "answers", then cli_page_save.
int cli_instant_page_begin(const cli* c, cli_page* p, const char* title, const cli_instant* in, const cli_shown* s);
// Of an instant however it came about; object NULL: all.
int cli_instant_shown(const cli* c, const cli_instant* in, const int* object, int count, cli_shown* out);

#endif
