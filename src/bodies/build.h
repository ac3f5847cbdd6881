// build.h: what the files that fill sti_bodies share: names, growth, checks of numbers.
#ifndef STI_BODIES_BUILD_H
#define STI_BODIES_BUILD_H

#include "bodies/bodies.h"

// Room for one more element in arrays that grow together. They keep their contents whether this succeeds or not.
typedef struct sti_growing {
    void** array;
    size_t size;
} sti_growing;

sti_status sti_bodies_grow(sti_bodies* bodies, const sti_growing* arrays, int array_count, int count, int* capacity);

// names.c. The name that a thing gets: `given`, or "<kind> <number>" with the first number from `number` on that is
// free; refused when it is taken or empty. *out is the caller's.
typedef int (*sti_name_finder)(const sti_bodies* bodies, const char* name);
sti_status sti_bodies_name(const sti_bodies* bodies, const char* kind, const char* given, int number,
                           sti_name_finder find, char** out);
// Room for one more name beside `count`; then, once the thing is there, enter its number.
sti_status sti_body_names_reserve(sti_bodies* bodies);
sti_status sti_joint_names_reserve(sti_bodies* bodies);
void sti_name_enter(sti_name_table* table, const char* name, int number);

// A number of a thing that is called `kind` "name": STI_ERR_INPUT with the name, the field and the value.
typedef enum sti_number_rule {
    STI_ANY,
    STI_POSITIVE,
    STI_NOT_NEGATIVE,
    STI_UP_TO_ONE,
    STI_FRICTION,
    STI_ZERO
} sti_number_rule;

typedef struct sti_body_name {
    sti_env* env;
    const char* kind;
    const char* name;
    int index;
} sti_body_name;

sti_status sti_named_check(const sti_body_name* thing, const char* field, double value, sti_number_rule rule);
sti_status sti_named_check_pose(const sti_body_name* thing, const char* field, int dim, const sti_pose* pose);

#endif
