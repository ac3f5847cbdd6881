// store.c: named fields, and the file that holds them.
//
// Numbers, integers and texts stand in one part of a checkpoint, "fields", each as a line
//
//     NAME TYPE COUNT
//
// and its data: COUNT times 8 bytes (d: doubles, i: integers) or COUNT bytes (t: text), in the order of bytes of the
// machine, which the first line tells. Bytes (b) are parts of their own, of that name.
#include "run/store.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/recording.h>
#include <string.h>

#include "base/env.h"

enum { NAME = 100 };

typedef struct field {
    char name[NAME];
    char type;     // d, i, t, b
    size_t count;  // of numbers, or of bytes without the 0 behind a text
    void* data;
} field;

struct sti_store {
    sti_env* env;
    field* list;
    int count, room;
    sti_status status;  // of the first put that failed
};

sti_status sti_store_create(sti_env* env, sti_store** out) {
    *out = sti_alloc_array_zero(env, 1, sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    (*out)->env = env;
    return STI_OK;
}

void sti_store_destroy(sti_store* f) {
    if (f == NULL) return;
    for (int k = 0; k < f->count; k++) sti_free(f->env, f->list[k].data);
    sti_free(f->env, f->list);
    sti_free(f->env, f);
}

static size_t width(char type) {
    return type == 'd' || type == 'i' ? 8 : 1;
}

// A field with room for its data and a 0 behind; NULL: memory ran out, and the list knows.
static void* add(sti_store* f, const char* name, char type, size_t count) {
    if (f->status != STI_OK) return NULL;
    if (f->count == f->room) {
        const int room = sti_count_mul(2, f->room + 8);
        field* more = sti_realloc_array(f->env, f->list, (size_t)room, sizeof *more);
        if (more != NULL) f->list = more;
        f->room = more != NULL ? room : f->room;
    }
    char* data = f->count < f->room ? sti_alloc(f->env, sti_size_add(sti_size_mul(count, width(type)), 8)) : NULL;
    if (data == NULL) {
        f->status = STI_ERR_MEMORY;
        return NULL;
    }
    field* added = &f->list[f->count++];
    *added = (field){.type = type, .count = count, .data = data};
    snprintf(added->name, sizeof added->name, "%s", name);
    memset(data + count * width(type), 0, 8);
    return data;
}

static void put(sti_store* f, const char* name, char type, const void* data, size_t count) {
    void* to = add(f, name, type, count);
    if (to != NULL && count > 0) memcpy(to, data, count * width(type));
}

void sti_store_put_numbers(sti_store* f, const char* name, const double* x, size_t count) {
    put(f, name, 'd', x, count);
}

void sti_store_put_integers(sti_store* f, const char* name, const int64_t* x, size_t count) {
    put(f, name, 'i', x, count);
}

void sti_store_put_text(sti_store* f, const char* name, const char* text) {
    put(f, name, 't', text, strlen(text));
}

void sti_store_put_bytes(sti_store* f, const char* name, const void* bytes, size_t size) {
    put(f, name, 'b', bytes, size);
}

static const void* find(const sti_store* f, const char* name, char type, size_t* count) {
    *count = 0;
    for (int k = 0; k < f->count; k++) {
        if (f->list[k].type != type || strcmp(f->list[k].name, name) != 0) continue;
        *count = f->list[k].count;
        return f->list[k].data;
    }
    return NULL;
}

const double* sti_store_numbers(const sti_store* f, const char* name, size_t* count) {
    return find(f, name, 'd', count);
}

const int64_t* sti_store_integers(const sti_store* f, const char* name, size_t* count) {
    return find(f, name, 'i', count);
}

const char* sti_store_text(const sti_store* f, const char* name) {
    size_t count;
    return find(f, name, 't', &count);
}

const void* sti_store_bytes(const sti_store* f, const char* name, size_t* size) {
    return find(f, name, 'b', size);
}

sti_status sti_store_missing(const sti_store* f, const char* name) {
    return STI_FAIL(f->env, STI_ERR_INPUT, -1, "%s: missing, or not of this version", name);
}

// ---- structs

void sti_store_put_long(sti_store* f, const char* name, long value) {
    const int64_t x = value;
    sti_store_put_integers(f, name, &x, 1);
}

bool sti_store_get_long(const sti_store* f, const char* name, long* value) {
    size_t count;
    const int64_t* x = sti_store_integers(f, name, &count);
    if (x == NULL || count != 1) return false;
    *value = (long)x[0];
    return true;
}

void sti_store_put_members(sti_store* f, const char* group, const void* base, const sti_member* members, int count) {
    for (int k = 0; k < count; k++) {
        const sti_member* m = &members[k];
        const char* at = (const char*)base + m->offset;
        char name[NAME];
        snprintf(name, sizeof name, "%s.%s", group, m->name);
        if (m->type == STI_DOUBLE)
            sti_store_put_numbers(f, name, (const double*)(const void*)at, m->size / sizeof(double));
        else if (m->type == STI_CHARS)
            sti_store_put_text(f, name, at);
        else
            sti_store_put_long(f, name,
                               m->type == STI_LONG  ? *(const long*)(const void*)at
                               : m->type == STI_INT ? *(const int*)(const void*)at
                                                    : *(const bool*)(const void*)at);
    }
}

static bool get_member(const sti_store* f, const char* name, const sti_member* m, char* at) {
    size_t count;
    long value = 0;
    if (m->type == STI_DOUBLE) {
        const double* x = sti_store_numbers(f, name, &count);
        if (x == NULL || count != m->size / sizeof *x) return false;
        memcpy(at, x, m->size);
        return true;
    }
    if (m->type == STI_CHARS) {
        const char* text = sti_store_text(f, name);
        if (text == NULL || strlen(text) >= m->size) return false;
        memcpy(at, text, strlen(text) + 1);
        return true;
    }
    if (!sti_store_get_long(f, name, &value)) return false;
    if (m->type == STI_INT && (value < INT_MIN || value > INT_MAX)) return false;
    if (m->type == STI_LONG)
        *(long*)(void*)at = value;
    else if (m->type == STI_INT)
        *(int*)(void*)at = (int)value;
    else
        *(bool*)(void*)at = value != 0;
    return true;
}

sti_status sti_store_get_members(const sti_store* f, const char* group, void* base, const sti_member* members,
                                 int count) {
    for (int k = 0; k < count; k++) {
        char name[NAME];
        snprintf(name, sizeof name, "%s.%s", group, members[k].name);
        if (!get_member(f, name, &members[k], (char*)base + members[k].offset)) return sti_store_missing(f, name);
    }
    return STI_OK;
}

sti_status sti_store_put_column(sti_store* f, const char* group, const void* base, size_t stride, size_t count,
                                const sti_member* m) {
    char name[NAME];
    snprintf(name, sizeof name, "%s.%s", group, m->name);
    const size_t each = m->type == STI_DOUBLE ? m->size / sizeof(double) : 1;
    void* to = add(f, name, m->type == STI_DOUBLE ? 'd' : 'i', sti_size_mul(count, each));
    if (to == NULL) return f->status;
    for (size_t k = 0; k < count; k++) {
        const char* at = (const char*)base + k * stride + m->offset;
        if (m->type == STI_DOUBLE)
            memcpy((double*)to + k * each, at, m->size);
        else
            ((int64_t*)to)[k] = m->type == STI_LONG ? *(const long*)(const void*)at : *(const int*)(const void*)at;
    }
    return STI_OK;
}

sti_status sti_store_get_column(const sti_store* f, const char* group, void* base, size_t stride, size_t count,
                                const sti_member* m) {
    char name[NAME];
    snprintf(name, sizeof name, "%s.%s", group, m->name);
    const size_t each = m->type == STI_DOUBLE ? m->size / sizeof(double) : 1;
    size_t got = 0;
    const void* from = find(f, name, m->type == STI_DOUBLE ? 'd' : 'i', &got);
    if (from == NULL || got != count * each) return sti_store_missing(f, name);
    for (size_t k = 0; k < count; k++) {
        char* at = (char*)base + k * stride + m->offset;
        if (m->type == STI_DOUBLE) {
            memcpy(at, (const double*)from + k * each, m->size);
            continue;
        }
        const int64_t value = ((const int64_t*)from)[k];
        if (m->type == STI_INT && (value < INT_MIN || value > INT_MAX)) return sti_store_missing(f, name);
        if (m->type == STI_LONG)
            *(long*)(void*)at = (long)value;
        else
            *(int*)(void*)at = (int)value;
    }
    return STI_OK;
}

// ---- the file

static const char* first_line(void) {
    const uint16_t one = 1;
    return *(const unsigned char*)&one == 1 ? "fields 1 little\n" : "fields 1 big\n";
}

static size_t packed_size(const field* d) {
    return sti_size_add(NAME + 40, d->type != 'b' ? sti_size_mul(d->count, width(d->type)) : 0);
}

static size_t pack(const sti_store* f, char* bytes) {
    size_t at = (size_t)snprintf(bytes, 40, "%s", first_line());
    for (int k = 0; k < f->count; k++) {
        const field* d = &f->list[k];
        at += (size_t)snprintf(bytes + at, NAME + 40, "%s %c %zu\n", d->name, d->type, d->count);
        if (d->type == 'b') continue;
        if (d->count > 0) memcpy(bytes + at, d->data, d->count * width(d->type));
        at += d->count * width(d->type);
    }
    return at;
}

sti_status sti_store_save(const sti_store* f, const char* path) {
    if (f->status != STI_OK) return f->status;
    size_t size = 40;
    for (int k = 0; k < f->count; k++) size = sti_size_add(size, packed_size(&f->list[k]));
    char* bytes = sti_alloc(f->env, size);
    sti_part* parts = sti_alloc_array(f->env, (size_t)f->count + 1, sizeof *parts);
    sti_status status = STI_OK;
    if (bytes == NULL || parts == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        int count = 0;
        parts[count++] = (sti_part){"fields", bytes, pack(f, bytes)};
        for (int k = 0; k < f->count; k++) {
            if (f->list[k].type == 'b') parts[count++] = (sti_part){f->list[k].name, f->list[k].data, f->list[k].count};
        }
        status = sti_checkpoint_save(f->env, path, parts, count);
    }
    sti_free(f->env, parts);
    sti_free(f->env, bytes);
    return status;
}

static sti_status load_bytes(sti_store* f, const char* path, const char* name) {
    void* bytes;
    size_t size;
    const sti_status status = sti_checkpoint_load(f->env, path, name, &bytes, &size);
    if (status != STI_OK) return status;
    sti_store_put_bytes(f, name, bytes, size);
    sti_free(f->env, bytes);
    return f->status;
}

// "NAME TYPE COUNT\n" at the front of so many bytes; its length, 0: it is none.
static size_t read_line(const char* bytes, size_t size, char* name, char* type, size_t* count) {
    char line[NAME + 40];
    const char* end = memchr(bytes, '\n', size < sizeof line ? size : sizeof line);
    if (end == NULL || end == bytes) return 0;
    const size_t length = (size_t)(end - bytes);
    memcpy(line, bytes, length);
    line[length] = '\0';
    char* first = strchr(line, ' ');
    if (first == NULL || first - line >= NAME || first[1] == '\0' || first[2] != ' ') return 0;
    if (strchr("ditb", first[1]) == NULL || strspn(first + 3, "0123456789") != strlen(first + 3)) return 0;
    if (strlen(first + 3) < 1 || strlen(first + 3) > 18) return 0;
    *first = '\0';
    memcpy(name, line, (size_t)(first - line) + 1);
    *type = first[1];
    *count = (size_t)strtoull(first + 3, NULL, 10);
    return length + 1;
}

static sti_status unpack(sti_store* f, const char* path, const char* bytes, size_t size) {
    const size_t lead = strlen(first_line());
    if (size < lead || memcmp(bytes, first_line(), lead) != 0)
        return STI_FAIL(f->env, STI_ERR_INPUT, -1,
                        "%s: fields: saved by another version, or on a machine with another order of bytes", path);
    sti_status status = STI_OK;
    for (size_t at = lead; status == STI_OK && at < size;) {
        char name[NAME], type = 'b';
        size_t count = 0;
        const size_t line = read_line(bytes + at, size - at, name, &type, &count);
        const size_t data = type == 'b' ? 0 : sti_size_mul(count, width(type));
        if (line == 0 || data > size - at - line)
            return STI_FAIL(f->env, STI_ERR_INPUT, -1, "%s: fields: damaged at byte %zu", path, at);
        if (type == 'b')
            status = load_bytes(f, path, name);
        else
            put(f, name, type, bytes + at + line, count);
        at += line + data;
        if (status == STI_OK) status = f->status;
    }
    return status;
}

// What checkpoints had before there were fields.
static bool is_old(sti_env* env, const char* path) {
    static const char* const parts[] = {"scene", "bodies", "system", "manipulation"};
    for (int k = 0; k < 4; k++) {
        void* bytes;
        size_t size;
        if (sti_checkpoint_load(env, path, parts[k], &bytes, &size) != STI_OK) continue;
        sti_free(env, bytes);
        return true;
    }
    return false;
}

sti_status sti_store_load(sti_env* env, const char* path, sti_store** out) {
    void* bytes;
    size_t size;
    *out = NULL;
    sti_status status = sti_checkpoint_load(env, path, "fields", &bytes, &size);
    if (status == STI_ERR_INPUT && is_old(env, path))
        return STI_FAIL(env, STI_ERR_INPUT, -1,
                        "%s: saved by an earlier version, which wrote no named fields: that version can go on with it",
                        path);
    if (status == STI_ERR_INPUT) status = sti_checkpoint_load(env, path, "fields", &bytes, &size);  // for the message
    if (status != STI_OK) return status;
    status = sti_store_create(env, out);
    if (status == STI_OK) status = unpack(*out, path, bytes, size);
    sti_free(env, bytes);
    if (status == STI_OK) return STI_OK;
    sti_store_destroy(*out);
    *out = NULL;
    return status;
}
