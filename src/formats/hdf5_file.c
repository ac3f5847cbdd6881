// hdf5_file.c: superblock, object headers, groups and attributes of an HDF5 file.
#include "formats/hdf5_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "formats/file.h"

// No object of ours comes near these; a file that does is damaged, and its loops end here.
enum { MOST_BLOCKS = 64, MOST_NODES = 4096, MOST_LINKS = 100000, DEEPEST_TREE = 8 };
#define MOST_BLOCK_BYTES ((uint64_t)1 << 24)

sti_status sti_h5_fail(const sti_h5* h, const char* field, const char* format, ...) {
    char text[240];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sti_file_fail(h->env, STI_ERR_INPUT, h->name, "%.60s%s%s", field != NULL ? field : "",
                         field != NULL ? ": " : "", text);
}

static sti_status damaged(const sti_h5* h, const char* what, uint64_t address) {
    return sti_h5_fail(h, NULL, "damaged HDF5: %s at byte %llu", what, (unsigned long long)address);
}

sti_status sti_h5_fetch(const sti_h5* h, uint64_t address, size_t size, void* to) {
    if (address > h->size || size > h->size - address) return damaged(h, "data beyond the end of the file", address);
    size_t got = 0;
    while (got < size) {
        const ssize_t step = pread(h->fd, (char*)to + got, size - got, (off_t)(address + got));
        if (step < 0 && errno == EINTR) continue;
        if (step < 0) return sti_file_fail(h->env, STI_ERR_IO, h->name, "%s", strerror(errno));
        if (step == 0) return damaged(h, "data beyond the end of the file", address);
        got += (size_t)step;
    }
    return STI_OK;
}

sti_status sti_h5_fetch_new(const sti_h5* h, uint64_t address, uint64_t size, unsigned char** out) {
    *out = NULL;
    if (address > h->size || size > h->size - address) return damaged(h, "data beyond the end of the file", address);
    unsigned char* bytes = sti_alloc_array(h->env, (size_t)size, 1);
    if (bytes == NULL) return STI_ERR_MEMORY;
    const sti_status status = sti_h5_fetch(h, address, (size_t)size, bytes);
    if (status == STI_OK)
        *out = bytes;
    else
        sti_free(h->env, bytes);
    return status;
}

// ---- superblock (II.A)

static sti_status read_superblock(sti_h5* h) {
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char b[96] = {0};
    sti_status status = sti_h5_fetch(h, 0, h->size < sizeof b ? (size_t)h->size : sizeof b, b);
    if (status != STI_OK) return status;
    if (memcmp(b, signature, sizeof signature) != 0)
        return sti_h5_fail(h, NULL, "not an HDF5 file: its signature is missing");
    const int version = b[8];
    const bool old = version < 2;
    if (version > 3) return sti_h5_fail(h, NULL, "HDF5 superblock of version %d, at most 3 is read", version);
    const size_t base = version == 0 ? 24 : version == 1 ? 28 : 12;  // where the addresses begin
    const int offsets = b[old ? 13 : 9], lengths = b[old ? 14 : 10];
    if (offsets != 8 || lengths != 8) return sti_h5_fail(h, NULL, "HDF5 addresses of %d bytes, 8 are read", offsets);
    if (sti_h5_number(b + base, 8) != 0) return damaged(h, "a base address", base);
    const uint64_t end = sti_h5_number(b + base + 16, 8);
    if (end > h->size)
        return sti_h5_fail(h, NULL, "truncated HDF5: %llu bytes of %llu", (unsigned long long)h->size,
                           (unsigned long long)end);
    h->root = sti_h5_number(b + base + (old ? 40 : 24), 8);
    return STI_OK;
}

sti_status sti_h5_open(sti_env* env, const char* path, sti_h5* out) {
    bool regular;
    *out = (sti_h5){.env = env, .name = path};
    sti_status status = sti_file_open(env, path, &out->fd, &regular, &out->size);
    if (status == STI_OK)
        status = regular ? read_superblock(out) : sti_h5_fail(out, NULL, "a pipe, a file is expected");
    if (status != STI_OK) sti_h5_close(out);
    return status;
}

void sti_h5_close(sti_h5* h) {
    if (h->fd >= 0) close(h->fd);
    h->fd = -1;
}

// ---- object headers (IV.A.1)

enum { CONTINUATION = 0x10 };

typedef struct block {
    uint64_t address, size;  // of the messages alone
} block;

typedef struct header {
    bool old;      // version 1
    bool ordered;  // messages carry a creation order
    block blocks[MOST_BLOCKS];
    int count;
} header;

static sti_status add_block(const sti_h5* h, header* o, uint64_t address, uint64_t size) {
    // a block of version 2 has a signature before and a checksum after its messages
    const uint64_t before = o->old || o->count == 0 ? 0 : 4, around = o->old || o->count == 0 ? 0 : 8;
    if (o->count == MOST_BLOCKS || size < around || size > MOST_BLOCK_BYTES)
        return damaged(h, "an object header", address);
    o->blocks[o->count++] = (block){.address = address + before, .size = size - around};
    return STI_OK;
}

static sti_status begin_header(const sti_h5* h, uint64_t address, header* o) {
    unsigned char b[16] = {0};
    *o = (header){0};
    sti_status status = sti_h5_fetch(h, address, sizeof b, b);
    if (status != STI_OK) return status;
    if (memcmp(b, "OHDR", 4) != 0) {
        o->old = true;
        if (b[0] != 1) return damaged(h, "an object header", address);
        return add_block(h, o, address + 16, sti_h5_number(b + 8, 4));
    }
    const int flags = b[5], width = 1 << (flags & 3);
    if (b[4] != 2) return damaged(h, "an object header", address);
    o->ordered = (flags & 4) != 0;
    const uint64_t at = address + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);  // times, limits on attributes
    status = sti_h5_fetch(h, at, (size_t)width, b);
    return status == STI_OK ? add_block(h, o, at + (uint64_t)width, sti_h5_number(b, width)) : status;
}

static sti_status walk_block(const sti_h5* h, header* o, int k, sti_h5_visitor* visit, void* user) {
    unsigned char* bytes;
    const block here = o->blocks[k];
    sti_status status = sti_h5_fetch_new(h, here.address, here.size, &bytes);
    if (status != STI_OK) return status;
    const size_t lead = o->old ? 8 : o->ordered ? 6 : 4;
    size_t at = 0, end = (size_t)here.size;
    while (status == STI_OK && end - at >= lead) {
        const unsigned char* p = bytes + at;
        const int type = o->old ? (int)sti_h5_number(p, 2) : p[0];
        const size_t size = (size_t)sti_h5_number(p + (o->old ? 2 : 1), 2);
        const int flags = o->old ? p[4] : p[3];
        if (size > end - at - lead) {
            status = damaged(h, "a message of an object header", here.address + at);
        } else if (type == CONTINUATION && size >= 16) {
            status = add_block(h, o, sti_h5_number(p + lead, 8), sti_h5_number(p + lead + 8, 8));
        } else if (type != 0) {
            status = visit(user, type, (flags & 2) != 0, p + lead, size);
        }
        at += lead + size;
    }
    sti_free(h->env, bytes);
    return status;
}

sti_status sti_h5_walk(const sti_h5* h, uint64_t address, sti_h5_visitor* visit, void* user) {
    header o;
    sti_status status = begin_header(h, address, &o);
    for (int k = 0; status == STI_OK && k < o.count; k++) status = walk_block(h, &o, k, visit, user);
    return status;
}

// ---- groups (III.A, III.B, III.C, IV.A.2.g)

enum { LINK_INFO = 0x02, LINK = 0x06, SYMBOL_TABLE = 0x11 };

typedef struct links {
    const sti_h5* h;
    sti_h5_link* visit;
    void* user;
    unsigned char* names;  // data of the local heap   (names_size)
    uint64_t names_size;
    int nodes;  // visited so far
    int count;  // of links so far
} links;

// One leaf of the tree of an old group: a symbol table node.
static sti_status walk_symbols(links* l, uint64_t address) {
    enum { ENTRY = 40 };
    unsigned char lead[8], entry[ENTRY];
    sti_status status = sti_h5_fetch(l->h, address, sizeof lead, lead);
    if (status != STI_OK) return status;
    if (memcmp(lead, "SNOD", 4) != 0 || ++l->nodes > MOST_NODES) return damaged(l->h, "a symbol table", address);
    const int count = (int)sti_h5_number(lead + 6, 2);
    l->count += count;
    if (l->count > MOST_LINKS) return damaged(l->h, "a symbol table", address);
    for (int k = 0; status == STI_OK && k < count; k++) {
        status = sti_h5_fetch(l->h, address + 8 + ENTRY * (uint64_t)k, ENTRY, entry);
        if (status != STI_OK) break;
        const uint64_t name = sti_h5_number(entry, 8), cache = sti_h5_number(entry + 16, 4);
        const char* text = name < l->names_size ? (const char*)l->names + name : NULL;
        const char* end = text != NULL ? memchr(text, '\0', (size_t)(l->names_size - name)) : NULL;
        if (end == NULL)
            status = damaged(l->h, "a name in a symbol table", address);
        else if (cache != 2)
            status = l->visit(l->user, text, (size_t)(end - text), sti_h5_number(entry + 8, 8));
    }
    return status;
}

static sti_status walk_tree(links* l, uint64_t address, int depth) {
    unsigned char lead[24], child[8];
    sti_status status = sti_h5_fetch(l->h, address, sizeof lead, lead);
    if (status != STI_OK) return status;
    if (memcmp(lead, "TREE", 4) != 0 || lead[4] != 0 || depth > DEEPEST_TREE || ++l->nodes > MOST_NODES)
        return damaged(l->h, "the tree of a group", address);
    const int level = lead[5], count = (int)sti_h5_number(lead + 6, 2);
    for (int k = 0; status == STI_OK && k < count; k++) {
        status = sti_h5_fetch(l->h, address + 24 + 8 + 16 * (uint64_t)k, 8, child);
        if (status != STI_OK) break;
        const uint64_t next = sti_h5_number(child, 8);
        status = level > 0 ? walk_tree(l, next, depth + 1) : walk_symbols(l, next);
    }
    return status;
}

static sti_status walk_old_group(links* l, const unsigned char* data) {
    unsigned char heap[32];
    const uint64_t tree = sti_h5_number(data, 8), address = sti_h5_number(data + 8, 8);
    sti_status status = sti_h5_fetch(l->h, address, sizeof heap, heap);
    if (status != STI_OK) return status;
    l->names_size = sti_h5_number(heap + 8, 8);
    if (memcmp(heap, "HEAP", 4) != 0 || l->names_size > MOST_BLOCK_BYTES || l->names != NULL)
        return damaged(l->h, "the names of a group", address);
    status = sti_h5_fetch_new(l->h, sti_h5_number(heap + 24, 8), l->names_size, &l->names);
    return status == STI_OK ? walk_tree(l, tree, 0) : status;
}

static sti_status visit_link_message(links* l, const unsigned char* data, size_t size) {
    size_t at = 2;
    if (size < 2 || data[0] != 1) return damaged(l->h, "a link", 0);
    const int flags = data[1], width = 1 << (flags & 3);
    int type = 0;
    if (flags & 8) type = at < size ? data[at++] : 255;
    if (flags & 4) at += 8;   // creation order
    if (flags & 16) at += 1;  // character set
    if (at + (size_t)width > size) return damaged(l->h, "a link", 0);
    const uint64_t length = sti_h5_number(data + at, width);
    at += (size_t)width;
    if (type != 0) return STI_OK;
    if (length > size - at || size - at - length < 8) return damaged(l->h, "a link", 0);
    return l->visit(l->user, (const char*)data + at, (size_t)length, sti_h5_number(data + at + length, 8));
}

static sti_status visit_group_message(void* user, int type, bool shared, const unsigned char* data, size_t size) {
    links* l = user;
    (void)shared;
    if (type == SYMBOL_TABLE) return size < 16 ? damaged(l->h, "a group", 0) : walk_old_group(l, data);
    if (type == LINK) return visit_link_message(l, data, size);
    if (type == LINK_INFO) {
        const size_t at = size > 1 && (data[1] & 1) ? 10 : 2;
        if (size < at + 8) return damaged(l->h, "a group", 0);
        if (sti_h5_number(data + at, 8) != STI_H5_NOWHERE)
            return sti_h5_fail(l->h, NULL, "a group with indexed links, which is not read: try h5repack");
    }
    return STI_OK;
}

sti_status sti_h5_each_link(const sti_h5* h, uint64_t group, sti_h5_link* visit, void* user) {
    links l = {.h = h, .visit = visit, .user = user};
    const sti_status status = sti_h5_walk(h, group, visit_group_message, &l);
    sti_free(h->env, l.names);
    return status;
}

typedef struct search {
    const char* name;
    bool found;
    uint64_t header;
} search;

static sti_status compare_name(void* user, const char* name, size_t length, uint64_t address) {
    search* s = user;
    if (!s->found && length == strlen(s->name) && memcmp(name, s->name, length) == 0) {
        s->found = true;
        s->header = address;
    }
    return STI_OK;
}

sti_status sti_h5_find(const sti_h5* h, uint64_t group, const char* name, bool* found, uint64_t* address) {
    search s = {.name = name};
    const sti_status status = sti_h5_each_link(h, group, compare_name, &s);
    *found = status == STI_OK && s.found;
    *address = s.header;
    return status;
}

// ---- attributes (IV.A.2.m), and text in the global heap (III.E)

enum { ATTRIBUTE = 0x0c, ATTRIBUTE_INFO = 0x15, STRING = 3, VARIABLE = 9 };

typedef struct attribute {
    const sti_h5* h;
    const char* name;
    char* text;  // (size)
    size_t size;
    bool found;
} attribute;

// Object `index` of the heap collection at an address, cut to what the text holds.
static sti_status read_heap_text(attribute* a, uint64_t address, uint64_t index, uint64_t length) {
    unsigned char lead[16];
    sti_status status = sti_h5_fetch(a->h, address, sizeof lead, lead);
    if (status != STI_OK) return status;
    const uint64_t end = sti_h5_number(lead + 8, 8);
    if (memcmp(lead, "GCOL", 4) != 0 || end > MOST_BLOCK_BYTES) return damaged(a->h, "a heap", address);
    for (uint64_t at = 16; at + 16 <= end;) {
        status = sti_h5_fetch(a->h, address + at, sizeof lead, lead);
        if (status != STI_OK) return status;
        const uint64_t size = sti_h5_number(lead + 8, 8), id = sti_h5_number(lead, 2);
        if (id == 0 || size > end - at - 16) break;
        if (id == index) {
            if (length > size) break;
            const size_t take = length < a->size - 1 ? (size_t)length : a->size - 1;
            memset(a->text, 0, a->size);
            return sti_h5_fetch(a->h, address + at + 16, take, a->text);
        }
        at += 16 + sti_u64_padded(size);
    }
    return damaged(a->h, "a text in a heap", address);
}

static sti_status read_text(attribute* a, const unsigned char* type, size_t type_size, const unsigned char* data,
                            size_t size) {
    if (type_size < 8) return damaged(a->h, "the type of an attribute", 0);
    const int class = type[0] & 15;
    const uint64_t width = sti_h5_number(type + 4, 4);
    if (class == STRING && width <= size) {
        const size_t take = width < a->size - 1 ? (size_t)width : a->size - 1;
        memset(a->text, 0, a->size);
        memcpy(a->text, data, take);
        for (size_t k = take; k > 0 && a->text[k - 1] == ' '; k--) a->text[k - 1] = '\0';
        return STI_OK;
    }
    if (class == VARIABLE && (type[1] & 15) == 1 && width == 16 && size >= 16)
        return read_heap_text(a, sti_h5_number(data + 4, 8), sti_h5_number(data + 12, 4), sti_h5_number(data, 4));
    return sti_h5_fail(a->h, a->name, "not a text");
}

static size_t padded(size_t size, int version) {
    return version == 1 ? (size_t)sti_u64_padded(size) : size;
}

static sti_status visit_attribute(void* user, int type, bool shared, const unsigned char* data, size_t size) {
    attribute* a = user;
    if (type == ATTRIBUTE_INFO && size >= 2) {
        const size_t at = data[1] & 1 ? 4 : 2;
        if (size >= at + 8 && sti_h5_number(data + at, 8) != STI_H5_NOWHERE)
            return sti_h5_fail(a->h, NULL, "indexed attributes, which are not read: try h5repack");
    }
    if (type != ATTRIBUTE || shared || a->found) return STI_OK;
    const int version = size >= 8 ? data[0] : 0;
    if (version < 1 || version > 3) return damaged(a->h, "an attribute", 0);
    const size_t lead = version == 3 ? 9 : 8;
    const size_t name = (size_t)sti_h5_number(data + 2, 2), kind = (size_t)sti_h5_number(data + 4, 2),
                 space = (size_t)sti_h5_number(data + 6, 2);
    const size_t at_kind = lead + padded(name, version), at_space = at_kind + padded(kind, version);
    const size_t at_data = at_space + padded(space, version);
    if (at_data > size) return damaged(a->h, "an attribute", 0);
    const size_t length = strnlen((const char*)data + lead, name);
    if (length != strlen(a->name) || memcmp(data + lead, a->name, length) != 0) return STI_OK;
    if (version > 1 && data[1] != 0) return sti_h5_fail(a->h, a->name, "of a shared type, which is not read");
    // one entry: no dimension, or all of size 1
    for (size_t k = 0; space >= 2 && k < data[at_space + 1]; k++) {
        const size_t at = (data[at_space] == 1 ? 8 : 4) + sti_size_mul(8, k);
        if (at + 8 > space || sti_h5_number(data + at_space + at, 8) != 1)
            return sti_h5_fail(a->h, a->name, "not one text");
    }
    a->found = true;
    return read_text(a, data + at_kind, kind, data + at_data, size - at_data);
}

sti_status sti_h5_attribute(const sti_h5* h, uint64_t address, const char* name, char* text, size_t size, bool* found) {
    attribute a = {.h = h, .name = name, .text = text, .size = size};
    const sti_status status = sti_h5_walk(h, address, visit_attribute, &a);
    *found = status == STI_OK && a.found;
    return status;
}

sti_status sti_h5_find_path(const sti_h5* h, const char* path, bool* found, uint64_t* address) {
    const char* slash = strchr(path, '/');
    char group[64];
    *found = false;
    if (slash == NULL) return sti_h5_find(h, h->root, path, found, address);
    snprintf(group, sizeof group, "%.*s", (int)(slash - path), path);
    const sti_status status = sti_h5_find(h, h->root, group, found, address);
    return status == STI_OK && *found ? sti_h5_find(h, *address, slash + 1, found, address) : status;
}
