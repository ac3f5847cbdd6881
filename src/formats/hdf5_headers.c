// hdf5_headers.c: headers of an HDF5 file that grows: superblock, groups, datasets, as the format of HDF5 1.6 has them
// (object headers 1, symbol tables, layout 3), which every version since reads.
#include <string.h>

#include "formats/hdf5_grow.h"

#define NOWHERE UINT64_MAX
#define UNLIMITED UINT64_MAX
enum { SPACE = 0x01, TYPE = 0x03, FILL = 0x05, LAYOUT = 0x08, ATTRIBUTE = 0x0c, SYMBOL_TABLE = 0x11 };
enum { GROUP_CHILDREN = 32, SYMBOL = 40 };

// A place in the block; nothing is written where bytes is NULL.
typedef struct block {
    unsigned char* bytes;
    uint64_t base;
    size_t at;
} block;

static void put(block* b, uint64_t value, int size) {
    if (b->bytes != NULL) sti_h5_put(b->bytes + b->at, value, size);
    b->at += (size_t)size;
}

static void put_bytes(block* b, const void* from, size_t size) {
    if (b->bytes != NULL) memcpy(b->bytes + b->at, from, size);
    b->at += size;
}

static void fill_to(block* b, size_t at) {
    if (b->bytes != NULL) memset(b->bytes + b->at, 0, at - b->at);
    b->at = at;
}

static void align(block* b) {
    fill_to(b, (size_t)sti_u64_padded(b->at));
}

static uint64_t here(const block* b) {
    return b->base + b->at;
}

// ---- object headers (IV.A.1.a)

typedef struct header {
    size_t start;
    int messages;
} header;

static header begin_header(block* b) {
    align(b);
    const header h = {.start = b->at};
    fill_to(b, b->at + 16);
    return h;
}

static size_t begin_message(block* b, header* h, int type) {
    h->messages++;
    put(b, (uint64_t)type, 2);
    fill_to(b, b->at + 6);  // size, later; flags
    return b->at;
}

static void end_message(block* b, size_t start) {
    fill_to(b, start + (size_t)sti_u64_padded(b->at - start));
    if (b->bytes != NULL) sti_h5_put(b->bytes + start - 6, b->at - start, 2);
}

static void end_header(block* b, const header* h) {
    if (b->bytes == NULL) return;
    unsigned char* p = b->bytes + h->start;
    p[0] = 1;
    sti_h5_put(p + 2, (uint64_t)h->messages, 2);
    sti_h5_put(p + 4, 1, 4);
    sti_h5_put(p + 8, b->at - h->start - 16, 4);
}

// ---- datasets (IV.A.2.b, d, f, i)

static void put_type(block* b, const sti_h5_growing* d) {
    static const unsigned char real[16] = {0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52};
    static const unsigned char bias[4] = {0xff, 3, 0, 0};
    if (d->class == STI_H5_CLASS_DOUBLE) {
        put_bytes(b, real, sizeof real);
        put_bytes(b, bias, sizeof bias);
    } else if (d->class == STI_H5_CLASS_TEXT) {
        put(b, 0x13 | 0x10 << 8, 4);  // ended by a 0, UTF-8
        put(b, d->width, 4);
    } else {
        put(b, 0x10 | 0x08 << 8, 4);  // signed, low byte first
        put(b, d->width, 4);
        put(b, 0, 2);
        put(b, 8 * (uint64_t)d->width, 2);
    }
}

static void put_space(block* b, const sti_h5_growing* d) {
    put(b, 1, 1);
    put(b, (uint64_t)d->rank, 1);
    put(b, d->rank > 0 ? 1 : 0, 6);  // the largest sizes follow
    for (int part = 0; part < 2; part++) {
        for (int k = 0; k < d->rank; k++) {
            const uint64_t first = part == 1 && d->chunk_rows > 0 ? UNLIMITED : d->rows;
            put(b, k == 0 ? first : d->size[k - 1], 8);
        }
    }
}

static void put_layout(block* b, const sti_h5_growing* d) {
    put(b, 3, 1);
    if (d->chunk_rows == 0) {
        const uint64_t bytes = sti_u64_mul(d->rows, d->row_bytes);
        put(b, 1, 1);
        put(b, bytes > 0 ? d->address : NOWHERE, 8);
        put(b, bytes, 8);
        return;
    }
    put(b, 2, 1);
    put(b, (uint64_t)d->rank + 1, 1);
    put(b, d->levels > 0 ? d->spine[d->levels - 1].address : NOWHERE, 8);
    put(b, d->chunk_rows, 4);
    for (int k = 1; k < d->rank; k++) put(b, d->size[k - 1], 4);
    put(b, d->width, 4);
}

static uint64_t put_dataset(block* b, const sti_h5_growing* d) {
    header h = begin_header(b);
    size_t m = begin_message(b, &h, SPACE);
    put_space(b, d);
    end_message(b, m);
    m = begin_message(b, &h, TYPE);
    put_type(b, d);
    end_message(b, m);
    m = begin_message(b, &h, FILL);
    put(b, 2, 1);
    put(b, d->chunk_rows > 0 ? 3 : 2, 1);  // room is made as it is needed, or late
    put(b, 2, 1);
    put(b, 0, 1);
    end_message(b, m);
    m = begin_message(b, &h, LAYOUT);
    put_layout(b, d);
    end_message(b, m);
    end_header(b, &h);
    return b->base + h.start;
}

// ---- groups (III.A, III.B, III.D)

typedef struct member {
    const char* name;
    uint64_t header;
    size_t at;  // of the name in the heap
} member;

// Symbol tables are searched, so names stand in their order.
static void sort_members(member* list, int count) {
    for (int i = 1; i < count; i++) {
        const member m = list[i];
        int j = i;
        for (; j > 0 && strcmp(list[j - 1].name, m.name) > 0; j--) list[j] = list[j - 1];
        list[j] = m;
    }
}

static uint64_t put_heap(block* b, member* list, int count) {
    align(b);
    const uint64_t data = here(b);
    const size_t start = b->at;
    fill_to(b, b->at + 8);  // the empty name
    for (int k = 0; k < count; k++) {
        list[k].at = b->at - start;
        put_bytes(b, list[k].name, strlen(list[k].name) + 1);
        align(b);
    }
    const size_t size = b->at - start;
    const uint64_t address = here(b);
    put_bytes(b, "HEAP", 4);
    put(b, 0, 4);
    put(b, size, 8);
    put(b, 1, 8);  // nothing is free
    put(b, data, 8);
    return address;
}

static uint64_t put_symbols(block* b, const member* list, int count) {
    align(b);
    const uint64_t address = here(b);
    const size_t end = b->at + 8 + (size_t)STI_H5_NAMES * SYMBOL;
    put_bytes(b, "SNOD", 4);
    put(b, 1, 2);
    put(b, (uint64_t)count, 2);
    for (int k = 0; k < count; k++) {
        put(b, list[k].at, 8);
        put(b, list[k].header, 8);
        fill_to(b, b->at + 24);
    }
    fill_to(b, end);
    return address;
}

static uint64_t put_group_tree(block* b, const member* list, int count, uint64_t symbols) {
    align(b);
    const uint64_t address = here(b);
    const size_t end = b->at + 24 + 8 * (2 * (size_t)GROUP_CHILDREN + 1);
    put_bytes(b, "TREE", 4);
    put(b, 0, 2);
    put(b, count > 0 ? 1 : 0, 2);
    put(b, NOWHERE, 8);
    put(b, NOWHERE, 8);
    if (count > 0) {
        put(b, 0, 8);
        put(b, symbols, 8);
        put(b, list[count - 1].at, 8);
    }
    fill_to(b, end);
    return address;
}

static void put_kind(block* b, header* h) {
    static const char name[] = "kind", value[] = "run";
    const size_t m = begin_message(b, h, ATTRIBUTE);
    put(b, 1, 2);
    put(b, sizeof name, 2);
    put(b, 8, 2);
    put(b, 8, 2);
    put_bytes(b, name, sizeof name);
    align(b);
    put(b, 0x13, 4);  // a text ended by a 0
    put(b, sizeof value, 4);
    put(b, 1, 8);  // of no dimension
    put_bytes(b, value, sizeof value);
    end_message(b, m);
}

static uint64_t put_group(block* b, member* list, int count, bool root) {
    sort_members(list, count);
    const uint64_t heap = put_heap(b, list, count), symbols = put_symbols(b, list, count);
    const uint64_t tree = put_group_tree(b, list, count, symbols);
    header h = begin_header(b);
    const size_t m = begin_message(b, &h, SYMBOL_TABLE);
    put(b, tree, 8);
    put(b, heap, 8);
    end_message(b, m);
    if (root) put_kind(b, &h);
    end_header(b, &h);
    return b->base + h.start;
}

size_t sti_h5_headers(const sti_h5_grow* g, uint64_t base, unsigned char* bytes, uint64_t* root) {
    block b = {.bytes = bytes, .base = base};
    const char* groups[STI_H5_GROUPS + 1] = {""};  // the root first
    member list[STI_H5_GROUPS + 1][STI_H5_NAMES];
    int group_count = 1, counts[STI_H5_GROUPS + 1] = {0};
    for (int k = 0; k < g->count; k++) {
        int at = 0;
        while (at < group_count && strcmp(groups[at], g->set[k].group) != 0) at++;
        if (at == group_count) groups[group_count++] = g->set[k].group;
        list[at][counts[at]++] = (member){.name = g->set[k].name, .header = put_dataset(&b, &g->set[k])};
    }
    for (int at = 1; at < group_count; at++) {
        const uint64_t address = put_group(&b, list[at], counts[at], false);
        list[0][counts[0]++] = (member){.name = groups[at], .header = address};
    }
    *root = put_group(&b, list[0], counts[0], true);
    align(&b);
    return b.at;
}

void sti_h5_superblock(unsigned char bytes[96], uint64_t end, uint64_t root) {
    static const unsigned char lead[16] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 0, 0, 0, 0, 0, 8, 8, 0};
    memset(bytes, 0, 96);
    memcpy(bytes, lead, sizeof lead);
    sti_h5_put(bytes + 16, STI_H5_NAMES / 2, 2);
    sti_h5_put(bytes + 18, GROUP_CHILDREN / 2, 2);
    sti_h5_put(bytes + 32, NOWHERE, 8);  // after the base address, 0: no record of free room
    sti_h5_put(bytes + 40, end, 8);
    sti_h5_put(bytes + 48, NOWHERE, 8);  // no driver
    sti_h5_put(bytes + 64, root, 8);     // symbol of the root: name at 56, header here
}
