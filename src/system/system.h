// system.h: the inside of sti_system: what all kinds share, and the functions each kind brings.
#ifndef STI_SYSTEM_SYSTEM_H
#define STI_SYSTEM_SYSTEM_H

#include <stiction/system.h>

#include "base/arena.h"
#include "system/instant.h"

// Each gets the environment that errors go to. q, v: (n).
typedef struct sti_system_kind {
    void (*destroy)(sti_system* s);
    sti_status (*fill)(const sti_system* s, sti_env* env, double t, const double* q, const double* v,
                       sti_instant_store* out);
    sti_status (*mass)(const sti_system* s, sti_env* env, double t, const double* q, double* M);
    sti_status (*energy)(const sti_system* s, sti_env* env, double t, const double* q, const double* v, double* kinetic,
                         double* potential);
    sti_status (*force)(const sti_system* s, sti_env* env, double t, const double* q, const double* v, double* k,
                        double* k_q, double* k_v);
    sti_status (*gap)(const sti_system* s, sti_env* env, double t, const double* q, double* gap);
    sti_status (*state)(const sti_system* s, sti_env* env, double* t, double* q, double* v);
} sti_system_kind;

struct sti_system {
    sti_arena memory;
    sti_env* env;
    const sti_system_kind* kind;
    int n;
    int contact_count;  // joints included
    int joint_count;
    int parameter_count;
    bool steady;           // forces are known not to depend on t
    int* tangent_count;    // (contact_count)
    int* corner_count;     // (contact_count)
    double* corner;        // of all friction polygons, in order   (corners x 2)
    char** coordinate;     // names                        (n)
    char** contact;        // names                        (contact_count)
    char** parameter;      // names                        (parameter_count)
    double* parameters;    // values                       (parameter_count)
    double* work;          // for the mass matrix          (n x n)
    void* inside;          // of the kind
    sti_arena room;        // of the text
    sti_system_text text;  // of one by formulas, read from a document
};

// Room and names; contact names NULL become "contact 1", ..., "joint 1", ... The kind is set by the caller.
typedef struct sti_system_shape {
    int n, contact_count, joint_count, parameter_count;  // contact_count: without joints
    const char* const* coordinates;
    const char* const*
        contacts;  // contacts, then joints; NULL, or NULL entries: numbered  (contact_count + joint_count)
    const char* const* parameters;
    const int* tangent_count;  // (contact_count + joint_count)
    // Friction polygons; NULL: none           (contact_count + joint_count)
    const int* corner_count;
    const double* const* corner;
} sti_system_shape;

// With what instants of the system have room for.
sti_status sti_system_store(sti_env* env, const sti_system* system, sti_instant_store** out);
// A copy, for who checks.
sti_status sti_system_keep_text(sti_system* s, const sti_system_text* text);

sti_status sti_system_begin(sti_env* env, const sti_system_shape* shape, sti_system** out);

#endif
