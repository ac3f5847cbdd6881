// hdf5_data.c: datasets of numbers in an HDF5 file: type, size, storage, filters.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "formats/hdf5_file.h"

enum {
    SPACE = 0x01,
    TYPE = 0x03,
    EXTERNAL = 0x07,
    LAYOUT = 0x08,
    GROUP_INFO = 0x0a,
    FILTERS = 0x0b,
    LINK_INFO = 0x02,
    SYMBOL_TABLE = 0x11
};
enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER = 3 };
enum { MOST_NODES = 1 << 20, DEEPEST_TREE = 8 };

// Deflate makes at most about 1030 bytes out of one.
#define MOST_EXPANSION 1100
#define MOST_CHUNK_BYTES ((uint64_t)1 << 31)

typedef struct opening {
    const sti_h5* h;
    const char* field;
    uint64_t most;
    sti_h5_dataset* d;
    bool deep;            // three dimensions are taken
    uint64_t deep_chunk;  // of the third
} opening;

static sti_status damaged(const opening* o, const char* what) {
    return sti_h5_fail(o->h, o->field, "damaged HDF5: %s", what);
}

// ---- messages of the header (IV.A.2.b, d, i, l)

static sti_status read_space(opening* o, const unsigned char* p, size_t size) {
    sti_h5_dataset* d = o->d;
    if (size < 4 || (p[0] != 1 && p[0] != 2)) return damaged(o, "its size");
    const size_t lead = p[0] == 1 ? 8 : 4;
    const int rank = p[1];
    d->has_space = true;
    d->rank = rank;
    d->count = 1;
    const int most_rank = STI_H5_RANK + o->deep;
    if (rank > most_rank) return sti_h5_fail(o->h, o->field, "%d dimensions: a vector or a matrix is expected", rank);
    if (lead + 8 * (size_t)rank > size) return damaged(o, "its size");
    for (int k = 0; k < rank; k++) {
        const uint64_t size_k = sti_h5_number(p + lead + 8 * (size_t)k, 8);
        if (k < STI_H5_RANK)
            d->size[k] = size_k;
        else
            d->size[1] = sti_u64_mul(d->size[1], d->depth = size_k);
        if (size_k > o->most || d->size[k < STI_H5_RANK ? k : 1] > o->most)
            return sti_h5_fail(o->h, o->field, "%llu along a side: more than %llu, the most that is read",
                               (unsigned long long)size_k, (unsigned long long)o->most);
        d->count = sti_u64_mul(d->count, size_k);
    }
    if (rank > STI_H5_RANK) d->rank = STI_H5_RANK;
    if (p[0] == 2 && p[3] == 2) {  // a dataspace that holds nothing
        d->rank = 1;
        d->size[0] = d->count = 0;
    }
    return STI_OK;
}

static sti_status read_type(opening* o, const unsigned char* p, size_t size) {
    sti_h5_dataset* d = o->d;
    if (size < 8) return damaged(o, "its type");
    const int class = p[0] & 15;
    if (class > 1) return sti_h5_fail(o->h, o->field, "not numbers: floating point or integers are expected");
    if (size < 12) return damaged(o, "its type");
    const uint64_t width = sti_h5_number(p + 4, 4), offset = sti_h5_number(p + 8, 2),
                   precision = sti_h5_number(p + 10, 2);
    d->integer = class == 0;
    d->is_signed = (p[1] & 8) != 0;
    d->big_endian = (p[1] & 1) != 0;
    bool good = (width == 1 || width == 2 || width == 4 || width == 8) && offset == 0 && precision / 8 == width &&
                precision % 8 == 0;
    if (!d->integer) {
        const unsigned char single[8] = {23, 8, 0, 23, 127, 0, 0, 0}, twice[8] = {52, 11, 0, 52, 0xff, 3, 0, 0};
        good = good && size >= 20 && (p[1] & 0x40) == 0;
        good =
            good && ((width == 4 && memcmp(p + 12, single, 8) == 0) || (width == 8 && memcmp(p + 12, twice, 8) == 0));
    }
    if (!good)
        return sti_h5_fail(o->h, o->field,
                           "numbers of an unusual form: IEEE of 4 or 8 bytes or integers of up to 8 are expected");
    d->width = (int)width;
    d->has_type = true;
    return STI_OK;
}

static sti_status read_chunked(opening* o, const unsigned char* p, size_t size) {
    sti_h5_dataset* d = o->d;
    const int dimensions = size >= 3 ? p[2] : 0;  // those of the dataset, and the bytes of an entry
    if (dimensions < 2 || dimensions > STI_H5_RANK + 1 + o->deep || size < 11 + 4 * (size_t)dimensions)
        return damaged(o, "its chunks");
    d->layout = STI_H5_CHUNKED;
    d->address = sti_h5_number(p + 3, 8);
    for (int k = 0; k + 1 < dimensions; k++) {
        const uint64_t chunk_k = sti_h5_number(p + 11 + 4 * (size_t)k, 4);
        if (k < STI_H5_RANK)
            d->chunk[k] = chunk_k;
        else
            o->deep_chunk = chunk_k;
    }
    d->bytes = (uint64_t)dimensions - 1;  // rank of the chunks, held against that of the dataset later
    return STI_OK;
}

static sti_status read_layout(opening* o, const unsigned char* p, size_t size) {
    sti_h5_dataset* d = o->d;
    d->is_dataset = true;
    if (d->layout != STI_H5_NONE) return damaged(o, "two layouts");
    const int version = size >= 4 ? p[0] : 0, class = size >= 4 ? p[1] : 0;
    if (version < 3 || version > 4 || class > 2 || (version == 4 && class == 2))
        return sti_h5_fail(o->h, o->field, "storage of layout version %d, class %d, which is not read: try h5repack",
                           version, class);
    if (class == 2) return read_chunked(o, p, size);
    if (class == 1) {
        if (size < 18) return damaged(o, "its storage");
        d->layout = STI_H5_CONTIGUOUS;
        d->address = sti_h5_number(p + 2, 8);
        d->bytes = sti_h5_number(p + 10, 8);
        return STI_OK;
    }
    d->layout = STI_H5_COMPACT;
    d->bytes = sti_h5_number(p + 2, 2);
    if (d->bytes > size - 4) return damaged(o, "its storage");
    d->compact = sti_alloc_array(o->h->env, (size_t)d->bytes, 1);
    if (d->compact == NULL) return STI_ERR_MEMORY;
    memcpy(d->compact, p + 4, (size_t)d->bytes);
    return STI_OK;
}

static sti_status read_filters(opening* o, const unsigned char* p, size_t size) {
    sti_h5_dataset* d = o->d;
    if (size < 2 || (p[0] != 1 && p[0] != 2)) return damaged(o, "its filters");
    const bool old = p[0] == 1;
    const int count = p[1];
    size_t at = old ? 8 : 2;
    for (int k = 0; k < count; k++) {
        if (size < at + (old ? 8 : 6)) return damaged(o, "its filters");
        const int id = (int)sti_h5_number(p + at, 2);
        if (k == STI_H5_FILTERS || (id != DEFLATE && id != SHUFFLE && id != FLETCHER))
            return sti_h5_fail(o->h, o->field, "filter %d, which is not read: deflate, shuffle and fletcher32 are", id);
        const size_t name = old ? (size_t)sti_h5_number(p + at + 2, 2) : 0;
        const size_t values = (size_t)sti_h5_number(p + at + (old ? 6 : 4), 2);
        at += (old ? 8 : 6) + (size_t)sti_u64_padded(name);
        if (values > 0 && size < at + 4) return damaged(o, "its filters");
        d->filter[k] = id;
        d->filter_value[k] = values > 0 ? (int)sti_h5_number(p + at, 4) : 0;
        at += sti_size_mul(4, values + (old ? values % 2 : 0));
        if (at > size) return damaged(o, "its filters");
    }
    d->filter_count = count;
    return STI_OK;
}

static sti_status visit(void* user, int type, bool shared, const unsigned char* data, size_t size) {
    opening* o = user;
    if (type == SYMBOL_TABLE || type == LINK_INFO || type == GROUP_INFO) o->d->is_group = true;
    const bool needed = type == SPACE || type == TYPE || type == LAYOUT || type == FILTERS;
    if (needed && shared) return sti_h5_fail(o->h, o->field, "of a shared type or size, which is not read");
    switch (type) {
        case SPACE:
            return read_space(o, data, size);
        case TYPE:
            return read_type(o, data, size);
        case LAYOUT:
            return read_layout(o, data, size);
        case FILTERS:
            return read_filters(o, data, size);
        case EXTERNAL:
            return sti_h5_fail(o->h, o->field, "stored outside the file, which is not read");
        default:
            return STI_OK;
    }
}

// ---- chunks (III.A.1)

// Bytes of one chunk before the filters; room for them with the filters, which may lengthen what they cannot shorten;
// and how many chunks make the dataset.
static uint64_t chunk_bytes(const sti_h5_dataset* d) {
    return sti_u64_mul(sti_u64_mul(d->chunk[0], d->rank > 1 ? d->chunk[1] : 1), (uint64_t)d->width);
}

static uint64_t chunk_room(const sti_h5_dataset* d) {
    return sti_u64_add(sti_u64_mul(2, chunk_bytes(d)), 4096);
}

static uint64_t chunks_along(const sti_h5_dataset* d, int k) {
    return d->size[k] / d->chunk[k] + (d->size[k] % d->chunk[k] > 0);
}

typedef struct chunk {
    uint64_t address;
    uint64_t bytes;    // stored
    uint32_t skipped;  // filters not applied to this chunk, one bit each
    uint64_t first[STI_H5_RANK];
} chunk;

typedef struct chunk_walk {
    const sti_h5* h;
    const sti_h5_dataset* d;
    const char* field;
    unsigned char* seen;  // one per chunk of the dataset
    uint64_t found;
    int nodes;
    sti_status (*use)(struct chunk_walk* w, const chunk* c);  // NULL: only count
    unsigned char* raw;                                       // bytes of one chunk, unfiltered            (raw_size)
    unsigned char* spare;                                     // room for the filters                      (raw_size)
    uint64_t raw_size;
    uint64_t from, to;   // rows that are wanted
    unsigned char* out;  // their entries, row major
} chunk_walk;

static sti_status bad_chunks(const chunk_walk* w) {
    return sti_h5_fail(w->h, w->field, "damaged HDF5: its chunks");
}

static sti_status visit_chunk(chunk_walk* w, const chunk* c) {
    const sti_h5_dataset* d = w->d;
    uint64_t index = 0;
    for (int k = 0; k < d->rank; k++) {
        if (c->first[k] % d->chunk[k] != 0 || c->first[k] >= d->size[k]) return bad_chunks(w);
        index = sti_u64_mul(index, chunks_along(d, k)) + c->first[k] / d->chunk[k];
    }
    if (w->seen[index] != 0) return bad_chunks(w);
    w->seen[index] = 1;
    w->found++;
    const uint64_t raw = chunk_bytes(d);
    const bool packed = d->filter_count > 0;
    if (packed ? c->bytes < raw / MOST_EXPANSION || c->bytes > chunk_room(d) : c->bytes != raw) return bad_chunks(w);
    if (c->address > w->h->size || c->bytes > w->h->size - c->address) return bad_chunks(w);
    return w->use != NULL ? w->use(w, c) : STI_OK;
}

static sti_status walk_chunks(chunk_walk* w, uint64_t address, int depth) {
    unsigned char lead[24], entry[48];
    const bool deep = w->d->depth > 0;
    const size_t key = 16 + 8 * (size_t)(w->d->rank + deep);
    sti_status status = sti_h5_fetch(w->h, address, sizeof lead, lead);
    if (status != STI_OK) return status;
    if (memcmp(lead, "TREE", 4) != 0 || lead[4] != 1 || depth > DEEPEST_TREE || ++w->nodes > MOST_NODES)
        return bad_chunks(w);
    const int level = lead[5], count = (int)sti_h5_number(lead + 6, 2);
    for (int i = 0; status == STI_OK && i < count; i++) {
        status = sti_h5_fetch(w->h, sti_u64_add(address, 24 + sti_u64_mul((uint64_t)i, key + 8)), key + 8, entry);
        if (status != STI_OK) break;
        chunk c = {.bytes = sti_h5_number(entry, 4), .skipped = (uint32_t)sti_h5_number(entry + 4, 4)};
        for (int k = 0; k < w->d->rank; k++) c.first[k] = sti_h5_number(entry + 8 + 8 * (size_t)k, 8);
        if (deep && level == 0) {  // in one piece along the third dimension
            if (sti_h5_number(entry + 24, 8) != 0 || c.first[1] >= w->d->size[1]) return bad_chunks(w);
            c.first[1] = sti_u64_mul(c.first[1], w->d->depth);
        }
        c.address = sti_h5_number(entry + key, 8);
        status = level > 0 ? walk_chunks(w, c.address, depth + 1) : visit_chunk(w, &c);
    }
    return status;
}

// Walk all chunks of the dataset: each once, and none missing.
static sti_status all_chunks(chunk_walk* w) {
    const sti_h5_dataset* d = w->d;
    const uint64_t expected = sti_u64_mul(chunks_along(d, 0), d->rank > 1 ? chunks_along(d, 1) : 1);
    // a chunk takes some bytes of the tree: more chunks than bytes is a lie
    if (expected > w->h->size) return bad_chunks(w);
    w->seen = sti_alloc_array_zero(w->h->env, (size_t)expected, 1);
    if (w->seen == NULL) return STI_ERR_MEMORY;
    sti_status status = walk_chunks(w, d->address, 0);
    sti_free(w->h->env, w->seen);
    w->seen = NULL;
    if (status == STI_OK && w->found != expected)
        status = sti_h5_fail(w->h, w->field, "the file does not hold as many entries as it declares");
    return status;
}

static sti_status unpack(const chunk_walk* w, unsigned char* to, uint64_t room, const unsigned char* from,
                         uint64_t size, uint64_t* got) {
    uLongf length = (uLongf)room;
    const int result = uncompress(to, &length, from, (uLong)size);
    *got = length;
    if (result == Z_MEM_ERROR) return STI_FAIL(w->h->env, STI_ERR_MEMORY, -1, "unpacking %s", w->field);
    return result == Z_OK ? STI_OK : bad_chunks(w);
}

// Bytes were sorted by their place in an entry; put them together again.
static void unshuffle(unsigned char* to, const unsigned char* from, uint64_t size, uint64_t width) {
    if (width > size) width = 0;
    const uint64_t entries = width > 0 ? size / width : 0;
    for (uint64_t k = 0; k < width; k++) {
        for (uint64_t i = 0; i < entries; i++) to[i * width + k] = from[k * entries + i];
    }
    for (uint64_t i = size - (width > 0 ? size % width : size); i < size; i++) to[i] = from[i];
}

// Undo the filters of a chunk, last one first. Afterwards w->raw holds its bytes.
static sti_status unfilter(chunk_walk* w, const chunk* c) {
    const sti_h5_dataset* d = w->d;
    uint64_t size = c->bytes;
    sti_status status = sti_h5_fetch(w->h, c->address, (size_t)size, w->raw);
    for (int k = d->filter_count - 1; status == STI_OK && k >= 0; k--) {
        if (c->skipped >> k & 1) continue;
        if (d->filter[k] == FLETCHER) {
            if (size < 4) return bad_chunks(w);
            size -= 4;
            continue;
        }
        if (d->filter[k] == DEFLATE)
            status = unpack(w, w->spare, w->raw_size, w->raw, size, &size);
        else
            unshuffle(w->spare, w->raw, size,
                      d->filter_value[k] > 0 ? (uint64_t)d->filter_value[k] : (uint64_t)d->width);
        unsigned char* swap = w->raw;
        w->raw = w->spare;
        w->spare = swap;
    }
    if (status == STI_OK && size != chunk_bytes(d)) status = bad_chunks(w);
    return status;
}

static sti_status scatter(chunk_walk* w, const chunk* c) {
    const sti_h5_dataset* d = w->d;
    if (c->first[0] >= w->to || d->chunk[0] <= w->from - (c->first[0] < w->from ? c->first[0] : w->from)) return STI_OK;
    const sti_status status = unfilter(w, c);
    if (status != STI_OK) return status;
    const uint64_t width = (uint64_t)d->width, cols = d->rank > 1 ? d->size[1] : 1,
                   wide = d->rank > 1 ? d->chunk[1] : 1;
    const uint64_t first = d->rank > 1 ? c->first[1] : 0, take = wide < cols - first ? wide : cols - first;
    const uint64_t bytes = sti_u64_mul(take, width);
    if (bytes > MOST_CHUNK_BYTES) return bad_chunks(w);
    for (uint64_t i = 0; i < d->chunk[0] && c->first[0] + i < w->to; i++) {
        const uint64_t row = c->first[0] + i;
        if (row < w->from) continue;
        memcpy(w->out + ((row - w->from) * cols + first) * width, w->raw + i * wide * width, (size_t)bytes);
    }
    return STI_OK;
}

// ---- opening

static sti_status too_many(const opening* o) {
    return sti_h5_fail(o->h, o->field, "the file does not hold as many entries as it declares");
}

static sti_status check_storage(opening* o) {
    sti_h5_dataset* d = o->d;
    const uint64_t need = sti_u64_mul(d->count, (uint64_t)d->width);
    if (d->count == 0) return STI_OK;
    if (d->layout == STI_H5_CHUNKED) {
        chunk_walk w = {.h = o->h, .d = d, .field = o->field};
        if (d->depth > 0 && (o->deep_chunk != d->depth || d->chunk[1] > d->size[1])) return damaged(o, "its chunks");
        if (d->depth > 0) d->chunk[1] = sti_u64_mul(d->chunk[1], d->depth);
        if (d->bytes != (uint64_t)d->rank + (d->depth > 0) || d->rank == 0 || d->chunk[0] == 0 ||
            (d->rank > 1 && d->chunk[1] == 0))
            return damaged(o, "its chunks");
        const uint64_t raw = chunk_bytes(d);
        // the edge of a dataset cuts its chunks, but not below a packed chunk's least size
        if (raw > MOST_CHUNK_BYTES || raw / MOST_EXPANSION > o->h->size) return damaged(o, "its chunks");
        if (need / (d->filter_count > 0 ? MOST_EXPANSION : 1) > o->h->size) return too_many(o);
        return all_chunks(&w);
    }
    if (d->filter_count > 0) return damaged(o, "filters without chunks");
    const bool here = d->layout == STI_H5_COMPACT ||
                      (d->address != STI_H5_NOWHERE && d->address <= o->h->size && d->bytes <= o->h->size - d->address);
    return here && d->bytes >= need ? STI_OK : too_many(o);
}

static sti_status open_dataset(const sti_h5* h, uint64_t header, const char* field, uint64_t most, bool deep,
                               sti_h5_dataset* out) {
    opening o = {.h = h, .field = field, .most = most, .d = out, .deep = deep};
    *out = (sti_h5_dataset){0};
    sti_status status = sti_h5_walk(h, header, visit, &o);
    if (status == STI_OK && out->is_dataset) {
        if (!out->has_type || !out->has_space)
            status = damaged(&o, "no type or size");
        else
            status = check_storage(&o);
    }
    if (status != STI_OK) sti_h5_dataset_clear(h, out);
    return status;
}

sti_status sti_h5_dataset_open(const sti_h5* h, uint64_t header, const char* field, uint64_t most,
                               sti_h5_dataset* out) {
    return open_dataset(h, header, field, most, false, out);
}

sti_status sti_h5_dataset_open_deep(const sti_h5* h, uint64_t header, const char* field, uint64_t most,
                                    sti_h5_dataset* out) {
    return open_dataset(h, header, field, most, true, out);
}

void sti_h5_dataset_clear(const sti_h5* h, sti_h5_dataset* d) {
    sti_free(h->env, d->compact);
    *d = (sti_h5_dataset){0};
}

// ---- entries

static sti_status read_chunks(const sti_h5* h, const sti_h5_dataset* d, const char* field, uint64_t first,
                              uint64_t rows, unsigned char* out) {
    const uint64_t raw = chunk_room(d);
    chunk_walk w = {
        .h = h, .d = d, .field = field, .use = scatter, .raw_size = raw, .from = first, .to = first + rows, .out = out};
    w.raw = sti_alloc_array(h->env, (size_t)raw, 1);
    w.spare = sti_alloc_array(h->env, (size_t)raw, 1);
    sti_status status = STI_OK;
    if (w.raw == NULL || w.spare == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = all_chunks(&w);
    sti_free(h->env, w.raw);
    sti_free(h->env, w.spare);
    return status;
}

// Entries of one row, and how many rows there are; one number is a row.
static uint64_t row_length(const sti_h5_dataset* d) {
    return d->rank > 1 ? d->size[1] : 1;
}
static uint64_t row_count(const sti_h5_dataset* d) {
    return d->rank > 0 ? d->size[0] : 1;
}

// The bytes of some rows, into memory for 8 bytes an entry, at its end: so that they can be widened in place.
static sti_status read_bytes(const sti_h5* h, const sti_h5_dataset* d, const char* field, uint64_t first, uint64_t rows,
                             void** out, unsigned char** bytes) {
    const size_t count = sti_size_mul((size_t)rows, (size_t)row_length(d));
    *out = sti_alloc_array(h->env, count, 8);
    if (*out == NULL) return STI_ERR_MEMORY;
    const size_t size = sti_size_mul(count, (size_t)d->width);
    const uint64_t skip = sti_u64_mul(sti_u64_mul(first, row_length(d)), (uint64_t)d->width);
    *bytes = (unsigned char*)*out + (sti_size_mul(count, 8) - size);
    if (size == 0) return STI_OK;
    if (d->layout == STI_H5_COMPACT)
        memcpy(*bytes, d->compact + skip, size);
    else if (d->layout == STI_H5_CONTIGUOUS)
        return sti_h5_fetch(h, sti_u64_add(d->address, skip), size, *bytes);
    else
        return read_chunks(h, d, field, first, rows, *bytes);
    return STI_OK;
}

static uint64_t entry_bits(const sti_h5_dataset* d, const unsigned char* p) {
    uint64_t value = 0;
    if (!d->big_endian) return sti_h5_number(p, d->width);
    for (int k = 0; k < d->width; k++) value = value << 8 | p[k];
    return value;
}

static int64_t entry_integer(const sti_h5_dataset* d, const unsigned char* p) {
    const uint64_t bits = entry_bits(d, p);
    if (!d->is_signed || d->width == 8) return bits > INT64_MAX && !d->is_signed ? INT64_MAX : (int64_t)bits;
    const uint64_t spare = 64 - 8 * (uint64_t)d->width;
    return (int64_t)(bits << spare) >> spare;
}

static double entry_double(const sti_h5_dataset* d, const unsigned char* p) {
    const uint64_t bits = entry_bits(d, p);
    if (d->integer) return (double)entry_integer(d, p);
    double wide;
    float narrow;
    const uint32_t low = (uint32_t)bits;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return d->width == 8 ? wide : (double)narrow;
}

sti_status sti_h5_dataset_doubles(const sti_h5* h, const sti_h5_dataset* d, const char* field, double** out) {
    return sti_h5_dataset_rows(h, d, field, 0, row_count(d), out);
}

sti_status sti_h5_dataset_rows(const sti_h5* h, const sti_h5_dataset* d, const char* field, uint64_t first,
                               uint64_t rows, double** out) {
    void* room = NULL;
    unsigned char* bytes = NULL;
    *out = NULL;
    sti_status status = read_bytes(h, d, field, first, rows, &room, &bytes);
    double* x = room;
    const uint64_t cols = row_length(d), count = sti_u64_mul(rows, cols);
    for (uint64_t k = 0; status == STI_OK && k < count; k++) {
        const double value = entry_double(d, bytes + k * (uint64_t)d->width);
        x[k] = value;
        if (isfinite(value) && !(d->integer && fabs(value) > 0x1p53)) continue;
        char place[64];
        if (d->rank > 1)
            snprintf(place, sizeof place, "[%llu][%llu]", (unsigned long long)(first + k / cols),
                     (unsigned long long)(k % cols));
        else
            snprintf(place, sizeof place, "[%llu]", (unsigned long long)(first + k));
        status = sti_h5_fail(h, NULL, "%s%s: %.17g: %s", field, place, value,
                             d->integer ? "an integer beyond 2^53" : "a finite number is expected");
    }
    if (status == STI_OK)
        *out = x;
    else
        sti_free(h->env, room);
    return status;
}

sti_status sti_h5_dataset_integers(const sti_h5* h, const sti_h5_dataset* d, const char* field, int64_t** out) {
    void* room = NULL;
    unsigned char* bytes = NULL;
    *out = NULL;
    if (!d->integer || d->rank > 1) return sti_h5_fail(h, field, "a list of integers is expected");
    const sti_status status = read_bytes(h, d, field, 0, row_count(d), &room, &bytes);
    int64_t* x = room;
    for (uint64_t k = 0; status == STI_OK && k < d->count; k++) x[k] = entry_integer(d, bytes + k * (uint64_t)d->width);
    if (status == STI_OK)
        *out = x;
    else
        sti_free(h->env, room);
    return status;
}
