// names.c: names of bodies and joints, found by hash.
#include <stdio.h>
#include <string.h>

#include "bodies/build.h"

// FNV-1a, 64 bits
static uint64_t hash(const char* name) {
    uint64_t h = 0xCBF29CE484222325u;
    for (const char* p = name; *p != '\0'; p++) h = (h ^ (unsigned char)*p) * 0x100000001B3u;
    return h;
}

static const char* body_name(const sti_bodies* bodies, int i) {
    return bodies->body[i].name;
}

static const char* joint_name(const sti_bodies* bodies, int i) {
    return bodies->joint[i].name;
}

typedef const char* (*name_of)(const sti_bodies* bodies, int i);

static int find(const sti_bodies* bodies, const sti_name_table* table, name_of of, const char* name) {
    if (name == NULL || table->capacity == 0) return -1;
    const size_t mask = (size_t)table->capacity - 1;
    for (size_t k = (size_t)hash(name) & mask; table->number[k] >= 0; k = (k + 1) & mask) {
        if (strcmp(of(bodies, table->number[k]), name) == 0) return table->number[k];
    }
    return -1;
}

void sti_name_enter(sti_name_table* table, const char* name, int number) {
    const size_t mask = (size_t)table->capacity - 1;
    size_t k = (size_t)hash(name) & mask;
    while (table->number[k] >= 0) k = (k + 1) & mask;
    table->number[k] = number;
}

static sti_status reserve(const sti_bodies* bodies, int count, name_of of, sti_name_table* table) {
    if (2 * (count + 1) <= table->capacity) return STI_OK;
    sti_name_table wider = {.capacity = table->capacity > 0 ? 2 * table->capacity : 16};
    wider.number = sti_alloc_array(bodies->env, (size_t)wider.capacity, sizeof *wider.number);
    if (wider.number == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < wider.capacity; k++) wider.number[k] = -1;
    for (int i = 0; i < count; i++) sti_name_enter(&wider, of(bodies, i), i);
    sti_free(bodies->env, table->number);
    *table = wider;
    return STI_OK;
}

sti_status sti_body_names_reserve(sti_bodies* bodies) {
    return reserve(bodies, bodies->count, body_name, &bodies->body_names);
}

sti_status sti_joint_names_reserve(sti_bodies* bodies) {
    return reserve(bodies, bodies->joint_count, joint_name, &bodies->joint_names);
}

int sti_bodies_find(const sti_bodies* bodies, const char* name) {
    return find(bodies, &bodies->body_names, body_name, name);
}

int sti_bodies_find_joint(const sti_bodies* bodies, const char* name) {
    return find(bodies, &bodies->joint_names, joint_name, name);
}

sti_status sti_bodies_name(const sti_bodies* bodies, const char* kind, const char* given, int number,
                           sti_name_finder finder, char** out) {
    char text[40];
    *out = NULL;
    if (given == NULL) {
        do {
            snprintf(text, sizeof text, "%s %d", kind, number++);
        } while (finder(bodies, text) >= 0);
    } else if (given[0] == '\0') {
        return STI_FAIL(bodies->env, STI_ERR_INPUT, number, "%s %d: its name is empty", kind, number);
    } else if (finder(bodies, given) >= 0) {
        return STI_FAIL(bodies->env, STI_ERR_INPUT, number, "%s \"%s\": there is another of that name", kind, given);
    }
    *out = sti_strdup(bodies->env, given != NULL ? given : text);
    if (*out == NULL) return STI_ERR_MEMORY;
    return STI_OK;
}
