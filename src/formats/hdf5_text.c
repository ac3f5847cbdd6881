// hdf5_text.c: datasets of one text: type, size and storage of the dataset, then the characters. Text of fixed length
// stands in the dataset itself; of variable length, in a heap of the file that the dataset points into.
#include "formats/hdf5_text.h"

#include <string.h>

enum { SPACE = 0x01, TYPE = 0x03, EXTERNAL = 0x07, LAYOUT = 0x08, FILTERS = 0x0b };
enum { STRING = 3, VARIABLE = 9, SPACE_PADDED = 2, REFERENCE_BYTES = 16 };

typedef struct opening {
    const sti_h5* h;
    const char* field;
    uint64_t most;
    bool has_space, has_type, has_layout;
    bool variable;     // of length
    bool blank_ended;  // padded by blanks
    uint64_t width;    // bytes of the entry
    uint64_t address;  // of the entry, or
    unsigned char compact[REFERENCE_BYTES];
    char* text;  // what stood in the header itself
    uint64_t bytes;
} opening;

static sti_status damaged(const opening* o, const char* what) {
    return sti_h5_fail(o->h, o->field, "damaged HDF5: %s", what);
}

// ---- messages of the header (IV.A.2.b, d, i)

// One entry: no dimension, or all of size 1.
static sti_status read_space(opening* o, const unsigned char* p, size_t size) {
    if (size < 4 || (p[0] != 1 && p[0] != 2)) return damaged(o, "its size");
    const size_t lead = p[0] == 1 ? 8 : 4, rank = p[1];
    if (size < lead || rank > (size - lead) / 8) return damaged(o, "its size");
    bool one = !(p[0] == 2 && p[3] == 2);
    for (size_t k = 0; k < rank; k++) one = one && sti_h5_number(p + lead + 8 * k, 8) == 1;
    o->has_space = true;
    return one ? STI_OK : sti_h5_fail(o->h, o->field, "not one text");
}

static sti_status read_type(opening* o, const unsigned char* p, size_t size) {
    if (size < 8) return damaged(o, "its type");
    const int class = p[0] & 15;
    o->has_type = true;
    o->width = sti_h5_number(p + 4, 4);
    o->blank_ended = class == STRING && (p[1] & 15) == SPACE_PADDED;
    o->variable = class == VARIABLE && (p[1] & 15) == 1 && o->width == REFERENCE_BYTES;
    if (class != STRING && !o->variable) return sti_h5_fail(o->h, o->field, "not a text");
    return STI_OK;
}

static sti_status read_layout(opening* o, const unsigned char* p, size_t size) {
    const int version = size >= 4 ? p[0] : 0, class = size >= 4 ? p[1] : 0;
    if (version < 3 || version > 4 || class > 1 || o->has_layout)
        return sti_h5_fail(o->h, o->field, "storage of layout version %d, class %d, which is not read for a text",
                           version, class);
    o->has_layout = true;
    if (class == 1) {
        if (size < 18) return damaged(o, "its storage");
        o->address = sti_h5_number(p + 2, 8);
        o->bytes = sti_h5_number(p + 10, 8);
        return STI_OK;
    }
    o->bytes = sti_h5_number(p + 2, 2);
    if (o->bytes > size - 4) return damaged(o, "its storage");
    o->text = sti_alloc_array(o->h->env, sti_size_add((size_t)o->bytes, 1), 1);
    if (o->text == NULL) return STI_ERR_MEMORY;
    memcpy(o->text, p + 4, (size_t)o->bytes);
    memcpy(o->compact, p + 4, o->bytes < REFERENCE_BYTES ? (size_t)o->bytes : REFERENCE_BYTES);
    return STI_OK;
}

static sti_status visit(void* user, int type, bool shared, const unsigned char* data, size_t size) {
    opening* o = user;
    if ((type == SPACE || type == TYPE || type == LAYOUT) && shared)
        return sti_h5_fail(o->h, o->field, "of a shared type or size, which is not read");
    switch (type) {
        case SPACE:
            return read_space(o, data, size);
        case TYPE:
            return read_type(o, data, size);
        case LAYOUT:
            return read_layout(o, data, size);
        case FILTERS:
        case EXTERNAL:
            return sti_h5_fail(o->h, o->field, "filtered or stored outside the file, which is not read for a text");
        default:
            return STI_OK;
    }
}

// ---- characters

static sti_status fetch_text(const opening* o, uint64_t address, uint64_t length, char** out) {
    *out = NULL;
    if (length > o->most)
        return sti_h5_fail(o->h, o->field, "%llu characters: more than %llu, the most that is read",
                           (unsigned long long)length, (unsigned long long)o->most);
    if (address > o->h->size || length > o->h->size - address) return damaged(o, "its text");
    char* text = sti_alloc_array(o->h->env, sti_size_add((size_t)length, 1), 1);
    if (text == NULL) return STI_ERR_MEMORY;
    const sti_status status = sti_h5_fetch(o->h, address, (size_t)length, text);
    text[length] = '\0';
    if (status == STI_OK)
        *out = text;
    else
        sti_free(o->h->env, text);
    return status;
}

// Object `index` of the heap collection at an address (III.E). A text of no length has no object.
static sti_status fetch_heap_text(const opening* o, const unsigned char* reference, char** out) {
    const uint64_t length = sti_h5_number(reference, 4), address = sti_h5_number(reference + 4, 8),
                   index = sti_h5_number(reference + 12, 4);
    unsigned char lead[16];
    if (length == 0) return fetch_text(o, 0, 0, out);
    sti_status status = sti_h5_fetch(o->h, address, sizeof lead, lead);
    if (status != STI_OK) return status;
    const uint64_t end = sti_h5_number(lead + 8, 8);
    if (memcmp(lead, "GCOL", 4) != 0 || end > o->h->size) return damaged(o, "its heap");
    for (uint64_t at = 16; at + 16 <= end;) {
        status = sti_h5_fetch(o->h, address + at, sizeof lead, lead);
        if (status != STI_OK) return status;
        const uint64_t size = sti_h5_number(lead + 8, 8), id = sti_h5_number(lead, 2);
        if (id == 0 || size > end - at - 16) break;
        if (id == index) return length > size ? damaged(o, "its heap") : fetch_text(o, address + at + 16, length, out);
        at += 16 + sti_u64_padded(size);
    }
    return damaged(o, "its heap");
}

static sti_status fetch(opening* o, char** out) {
    unsigned char reference[REFERENCE_BYTES];
    const bool compact = o->text != NULL;
    if (o->bytes < o->width || (!compact && o->address == STI_H5_NOWHERE))
        return sti_h5_fail(o->h, o->field, "the file does not hold its text");
    if (!o->variable && !compact) return fetch_text(o, o->address, o->width, out);
    if (!o->variable) {
        *out = o->text;
        (*out)[o->width] = '\0';
        o->text = NULL;
        return STI_OK;
    }
    memcpy(reference, o->compact, sizeof reference);
    const sti_status status = compact ? STI_OK : sti_h5_fetch(o->h, o->address, sizeof reference, reference);
    return status == STI_OK ? fetch_heap_text(o, reference, out) : status;
}

sti_status sti_h5_text(const sti_h5* h, uint64_t header, const char* field, uint64_t most, char** out) {
    opening o = {.h = h, .field = field, .most = most};
    *out = NULL;
    sti_status status = sti_h5_walk(h, header, visit, &o);
    if (status == STI_OK && !(o.has_space && o.has_type && o.has_layout)) status = sti_h5_fail(h, field, "not a text");
    if (status == STI_OK) status = fetch(&o, out);
    if (status == STI_OK && o.blank_ended) {
        for (size_t k = strlen(*out); k > 0 && (*out)[k - 1] == ' '; k--) (*out)[k - 1] = '\0';
    }
    sti_free(h->env, o.text);
    return status;
}
