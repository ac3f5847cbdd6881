// store.h: the members of a struct as named fields.
#ifndef STI_RUN_STORE_H
#define STI_RUN_STORE_H

#include <stddef.h>
#include <stiction/simulation.h>

typedef enum sti_member_type { STI_DOUBLE, STI_LONG, STI_INT, STI_BOOL, STI_CHARS } sti_member_type;

typedef struct sti_member {
    const char* name;
    sti_member_type type;
    size_t offset, size;
} sti_member;

#define STI_MEMBER(of, type, name) \
    { #name, type, offsetof(of, name), sizeof(((of*)0)->name) }
#define STI_MEMBER_COUNT(members) ((int)(sizeof(members) / sizeof((members)[0])))

// Fields "group.name".
void sti_store_put_members(sti_store* f, const char* group, const void* base, const sti_member* members, int count);
// STI_ERR_INPUT names the field that is missing.
sti_status sti_store_get_members(const sti_store* f, const char* group, void* base, const sti_member* members,
                                 int count);

// One member of `count` structs, `stride` bytes apart, as the field "group.name": a number or an integer each, several
// where it is an array.
sti_status sti_store_put_column(sti_store* f, const char* group, const void* base, size_t stride, size_t count,
                                const sti_member* member);
sti_status sti_store_get_column(const sti_store* f, const char* group, void* base, size_t stride, size_t count,
                                const sti_member* member);

void sti_store_put_long(sti_store* f, const char* name, long value);
bool sti_store_get_long(const sti_store* f, const char* name, long* value);
sti_status sti_store_missing(const sti_store* f, const char* name);  // fails with the name

#endif
