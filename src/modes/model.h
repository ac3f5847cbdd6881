// model.h: an instant as the mode analysis sees it: integer images of the data, and each contact's own modes.
//
// Contact values are ordered normal first for each contact: K = contact_count + tangent_total of them. A form is an
// affine function of the acceleration, f(a) = f'a + f_n, as n + 1 integers under a positive scale.
#ifndef STI_MODES_MODEL_H
#define STI_MODES_MODEL_H

#include <stiction/modes.h>

#include "exact/rationals.h"

enum { MODES_MAX_SIDES = 64, MODES_CONSTRAINTS = 3 };

typedef struct modes_constraint {
    int form;
    int sign;  // +1: form > 0, -1: form < 0, 0: form = 0
} modes_constraint;

typedef enum modes_kind {
    MODES_SEPARATE,  // also: approaches, leaves
    MODES_STICK,
    MODES_CORNER,  // friction at one corner of the polygon, or in the known direction of a sliding contact
    MODES_SIDE,    // between two corners
    MODES_JOINT,   // bilateral without friction
    MODES_TOUCH,   // contacts_only: touches, friction left out
} modes_kind;

// One of a contact's own modes: closed accelerations by constraints, closed forces by generators.
typedef struct modes_choice {
    char word[16];
    modes_kind kind;
    int constraint_count;
    modes_constraint constraint[MODES_CONSTRAINTS];
    int base, first, count;  // generators base + (first + i) % corners, i < count
    bool never_strict;       // mu = 0: the inequalities of friction cannot be strict
} modes_choice;

typedef struct modes_contact {
    sti_contact_status status;
    bool bilateral;
    int tangents;
    int value;    // first contact value
    int corners;  // of the friction polygon; 1: known direction; joint: 2 (both signs)
    int generator_count;
    sti_int* generators;  // forces (c_n, c_t), integers                (generator_count x (1 + tangents))
    int choice_count;
    modes_choice* choices;
} modes_contact;

typedef struct modes_form {
    int contact;
    sti_int weight[3];  // over the contact's values, in the scale of their images
} modes_form;

// The clock and the ears of a search.
typedef struct modes_watch {
    double start, limit_s;  // limit_s 0: none
    double deadline;        // of the present phase; INFINITY: none
    const char* phase;
    void (*trace)(void* user, const char* phase, double part, long found);
    void* user;
} modes_watch;

typedef struct modes_model {
    sti_env* env;
    modes_watch watch;
    const sti_instant* instant;  // borrowed
    sti_exact x;
    int n, contact_count, K;
    bool homogeneous;
    modes_contact* contacts;
    int form_count, form_capacity;
    sti_int* forms;          // images; the first K are the contact values     (form_capacity x (n+1))
    modes_form* meaning;     //                                               (form_capacity)
    sti_int* scale_num;      // image of contact value k = value * num / den   (K)
    sti_int* scale_den;      //                                               (K)
    sti_int* dynamics;       // rows M | J | w, each under a positive scale    (n x (n + K + 1))
    sti_int* row_num;        // that scale: num / den                          (n)
    sti_int* row_den;        //                                               (n)
    sti_rationals* wrench;   //                                             (n)
    sti_int* power;          // w under a positive scale; NULL: there are rates, or a contact slides   (n)
    sti_rationals* corners;  // of the friction polygon in space           (corner_count x 2)
    int corner_count;
    bool own;  // the polygon is that of the contacts, not a regular one
} modes_model;

sti_status sti_modes_model_create(sti_env* env, const sti_instant* instant, const sti_modes_options* options,
                                  modes_model** out);
void sti_modes_model_destroy(modes_model* m);

static inline sti_int* modes_form_at(const modes_model* m, int form) {
    return m->forms + (size_t)form * (size_t)(m->n + 1);
}
static inline sti_int* modes_dynamics_at(const modes_model* m, int row) {
    return m->dynamics + (size_t)row * (size_t)(m->n + m->K + 1);
}
static inline const sti_int* modes_generator_at(const modes_contact* c, const modes_choice* choice, int i) {
    const int index = choice->base + (choice->first + i) % c->corners;
    return c->generators + (size_t)index * (size_t)(1 + c->tangents);
}

// Nearest double; a failure of memory is remembered in x, where sti_rationals_double has no way to tell.
static inline double modes_double(sti_exact* x, const sti_rationals* r, size_t i) {
    return sti_int_ratio(x, &r->num[i], &r->den[i]);
}

// num / den += a b / c
void sti_modes_add_fraction(sti_exact* x, sti_int* num, sti_int* den, const sti_int* a, const sti_int* b,
                            const sti_int* c);

// Corners of the friction polygon of a model, counterclockwise, as exact numbers (count x 2).
sti_status sti_modes_polygon(sti_env* env, sti_friction_model model, int sides, sti_rationals** out, int* count);

// The mode as text; freed by the caller. NULL on failure of memory.
char* sti_modes_text(const modes_model* m, const short* choice);

// A phase that may last until `share` of the time limit has passed.
void sti_modes_phase(modes_model* m, const char* phase, double share);
bool sti_modes_late(const modes_model* m, double part, long found);  // and tells the listener
// Did exact arithmetic give up at the deadline of the phase? Then *status is STI_OK again.
bool sti_modes_gave_up(modes_model* m, sti_status* status);

sti_status sti_modes_options_check(sti_env* env, const sti_modes_options* options);

#endif
