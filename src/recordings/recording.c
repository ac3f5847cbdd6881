// recording.c: recordings: series that grow, data that do not, and going on with a recording that was left.
#include <errno.h>
#include <stdio.h>
#include <stiction/recording.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/file.h"
#include "formats/hdf5_grow.h"

struct sti_recording {
    sti_h5_grow file;
    int* set;  // dataset of each series       (count)
    int count;
};

#define STATE_MAGIC UINT64_C(0x31676e6964726f63)
enum { STATE_LEAD = 7, CHUNK_BYTES = 16384 };

static const uint32_t widths[] = {[STI_RECORD_DOUBLE] = 8, [STI_RECORD_INT] = 4, [STI_RECORD_LONG] = 8};
static const sti_h5_class classes[] = {[STI_RECORD_DOUBLE] = STI_H5_CLASS_DOUBLE,
                                       [STI_RECORD_INT] = STI_H5_CLASS_INT,
                                       [STI_RECORD_LONG] = STI_H5_CLASS_LONG};

static sti_status open_recording(sti_env* env, const char* path, bool fresh, sti_recording** out) {
    *out = NULL;
    sti_recording* r = sti_alloc_array_zero(env, 1, sizeof *r);
    if (r == NULL) return STI_ERR_MEMORY;
    const sti_status status = sti_h5_grow_open(env, path, fresh, &r->file);
    if (status == STI_OK)
        *out = r;
    else
        sti_free(env, r);
    return status;
}

sti_status sti_recording_create(sti_env* env, const char* path, sti_recording** out) {
    return open_recording(env, path, true, out);
}

void sti_recording_destroy(sti_recording* r) {
    if (r == NULL) return;
    sti_env* env = r->file.env;
    sti_h5_grow_close(&r->file);
    sti_free(env, r->set);
    sti_free(env, r);
}

// "group/name" into its parts.
static sti_status split_name(sti_env* env, const char* name, sti_h5_growing* d) {
    const char* slash = strchr(name, '/');
    const size_t group = slash != NULL ? (size_t)(slash - name) : 0;
    const char* rest = slash != NULL ? slash + 1 : name;
    if (group >= sizeof d->group || strlen(rest) >= sizeof d->name || rest[0] == '\0' || strchr(rest, '/') != NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%.80s: a name like \"steps/time\" is expected", name);
    memcpy(d->group, name, group);
    d->group[group] = '\0';
    memcpy(d->name, rest, strlen(rest) + 1);
    return STI_OK;
}

// ---- where a recording stands

static bool take(sti_h5_grow* g, uint64_t* out) {
    if (g->known_at >= g->known_count) return false;
    *out = g->known[g->known_at++];
    return true;
}

static sti_status not_of_this_file(sti_h5_grow* g) {
    return sti_file_fail(g->env, STI_ERR_INPUT, g->path, "not the recording that the checkpoint was made with");
}

static sti_status fetch(sti_h5_grow* g, uint64_t address, void* to, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t step = pread(g->fd, (char*)to + done, size - done, (off_t)(address + done));
        if (step < 0 && errno == EINTR) continue;
        if (step <= 0) return not_of_this_file(g);
        done += (size_t)step;
    }
    return STI_OK;
}

static bool inside(const sti_h5_grow* g, uint64_t address, uint64_t size) {
    return address <= g->end && size <= g->end - address;
}

static sti_status restore_node(sti_h5_grow* g, sti_h5_growing* d, int level) {
    const size_t size = sti_h5_grow_node_bytes(d);
    sti_h5_node* node = &d->spine[level];
    uint64_t used;
    if (!take(g, &node->address) || !take(g, &used) || used < 1 || used > STI_H5_CHILDREN ||
        !inside(g, node->address, size))
        return not_of_this_file(g);
    node->used = (int)used;
    node->bytes = sti_alloc(g->env, size);
    if (node->bytes == NULL) return STI_ERR_MEMORY;
    const sti_status status = fetch(g, node->address, node->bytes, size);
    if (status == STI_OK && (memcmp(node->bytes, "TREE\1", 5) != 0 || node->bytes[5] != level))
        return not_of_this_file(g);
    sti_h5_put(node->bytes + 16, UINT64_MAX, 8);  // it is the last one again
    return status;
}

// The newest dataset as the earlier recording had it; nothing to do in a new one.
static sti_status restore(sti_h5_grow* g, int index, bool* known) {
    sti_h5_growing* d = &g->set[index];
    uint64_t levels;
    *known = g->known_at < g->known_count;
    if (!*known) return STI_OK;
    if (!take(g, &d->rows) || !take(g, &d->address) || !take(g, &levels) || levels > STI_H5_LEVELS ||
        d->rows > INT64_MAX / 2)
        return not_of_this_file(g);
    if (d->chunk_rows == 0)
        return d->row_bytes > 0 && inside(g, d->address, sti_u64_mul(d->rows, d->row_bytes)) ? STI_OK
                                                                                             : not_of_this_file(g);
    if ((d->rows > 0) != (levels > 0) ||
        (d->rows > 0 && !inside(g, d->address, sti_u64_mul(d->chunk_rows, d->row_bytes))))
        return not_of_this_file(g);
    sti_status status = STI_OK;
    for (int level = 0; status == STI_OK && level < (int)levels; level++) {
        status = restore_node(g, d, level);
        if (status == STI_OK) d->levels = level + 1;
    }
    if (status == STI_OK && d->tail != NULL && d->rows > 0)
        status = fetch(g, d->address, d->tail, (size_t)sti_u64_mul((d->rows - 1) % d->chunk_rows + 1, d->row_bytes));
    return status;
}

sti_status sti_recording_save_state(const sti_recording* r, void** bytes, size_t* size) {
    const sti_h5_grow* g = &r->file;
    size_t count = STATE_LEAD;
    *bytes = NULL;
    *size = 0;
    for (int k = 0; k < g->count; k++) count = sti_size_add(count, 3 + 2 * (size_t)g->set[k].levels);
    uint64_t* word = sti_alloc_array(g->env, count, sizeof *word);
    if (word == NULL) return STI_ERR_MEMORY;
    const uint64_t lead[STATE_LEAD] = {
        STATE_MAGIC, g->end, g->slot[0], g->slot[1], g->slot_size, (uint64_t)g->turn, (uint64_t)g->count};
    memcpy(word, lead, sizeof lead);
    size_t at = STATE_LEAD;
    for (int k = 0; k < g->count; k++) {
        const sti_h5_growing* d = &g->set[k];
        word[at++] = d->rows;
        word[at++] = d->address;
        word[at++] = (uint64_t)d->levels;
        for (int level = 0; level < d->levels; level++) {
            word[at++] = d->spine[level].address;
            word[at++] = (uint64_t)d->spine[level].used;
        }
    }
    *bytes = word;
    *size = sti_size_mul(count, sizeof *word);
    return STI_OK;
}

static sti_status take_lead(sti_h5_grow* g) {
    uint64_t magic = 0, turn = 0, count = 0;
    struct stat info;
    const bool good = take(g, &magic) && take(g, &g->end) && take(g, &g->slot[0]) && take(g, &g->slot[1]) &&
                      take(g, &g->slot_size) && take(g, &turn) && take(g, &count);
    g->turn = turn == 1 ? 1 : 0;
    if (!good || magic != STATE_MAGIC || fstat(g->fd, &info) != 0 || g->end > (uint64_t)info.st_size ||
        !inside(g, g->slot[0], g->slot_size) || !inside(g, g->slot[1], g->slot_size))
        return not_of_this_file(g);
    return STI_OK;
}

sti_status sti_recording_resume(sti_env* env, const char* path, const void* bytes, size_t size, sti_recording** out) {
    sti_recording* r;
    sti_status status = open_recording(env, path, false, &r);
    *out = NULL;
    if (status != STI_OK) return status;
    r->file.known = sti_alloc(env, size);
    if (r->file.known == NULL) {
        status = STI_ERR_MEMORY;
    } else {
        memcpy(r->file.known, bytes, size);
        r->file.known_count = size / sizeof(uint64_t);
        status = take_lead(&r->file);
    }
    if (status == STI_OK)
        *out = r;
    else
        sti_recording_destroy(r);
    return status;
}

// ---- series and data

static sti_status add(sti_recording* r, sti_h5_growing* form, const char* name, int* index, bool* known) {
    sti_h5_grow* g = &r->file;
    sti_status status = split_name(g->env, name, form);
    if (status == STI_OK) status = sti_h5_grow_add(g, form, index);
    return status == STI_OK ? restore(g, *index, known) : status;
}

sti_status sti_recording_series(sti_recording* r, const sti_series_def* def, int* series) {
    sti_env* env = r->file.env;
    sti_h5_growing form = {.rank = 1};
    if ((unsigned)def->type > STI_RECORD_LONG || def->items < 0 || def->columns < 0 || def->chunk < 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%.80s: %d items of %d columns", def->name, def->items,
                        def->columns);
    form.class = classes[def->type];
    form.width = widths[def->type];
    if (def->items > 0) form.size[form.rank++ - 1] = (uint64_t)def->items;
    if (def->columns > 0) form.size[form.rank++ - 1] = (uint64_t)def->columns;
    form.row_bytes = form.width;
    for (int k = 1; k < form.rank; k++) form.row_bytes = sti_u64_mul(form.row_bytes, form.size[k - 1]);
    form.chunk_rows = def->chunk > 0 ? (uint64_t)def->chunk : 1 + (CHUNK_BYTES - 1) / form.row_bytes;
    if (form.row_bytes > UINT32_MAX / form.chunk_rows)
        return STI_FAIL(env, STI_ERR_SIZE, -1, "%.80s: rows of %llu bytes", def->name,
                        (unsigned long long)form.row_bytes);
    int* set = sti_realloc_array(env, r->set, (size_t)r->count + 1, sizeof *set);
    if (set == NULL) return STI_ERR_MEMORY;
    r->set = set;
    bool known;
    const sti_status status = add(r, &form, def->name, &set[r->count], &known);
    if (status == STI_OK) *series = r->count++;
    return status;
}

sti_status sti_recording_append(sti_recording* r, int series, long rows, const void* data) {
    if (series < 0 || series >= r->count || rows < 0)
        return STI_FAIL(r->file.env, STI_ERR_ARGUMENT, series, "series %d, %ld rows", series, rows);
    const sti_status status = sti_h5_grow_append(&r->file, r->set[series], (uint64_t)rows, data);
    if (status != STI_OK) r->file.broken = true;  // half a row must not be committed
    return status;
}

long sti_recording_rows(const sti_recording* r, int series) {
    return series >= 0 && series < r->count ? (long)r->file.set[r->set[series]].rows : 0;
}

// The same bytes in the file?
static sti_status compare(sti_h5_grow* g, uint64_t address, const void* bytes, size_t size) {
    char block[4096];
    for (size_t at = 0; at < size; at += sizeof block) {
        const size_t take_now = size - at < sizeof block ? size - at : sizeof block;
        const sti_status status = fetch(g, address + at, block, take_now);
        if (status != STI_OK) return status;
        if (memcmp(block, (const char*)bytes + at, take_now) != 0) return not_of_this_file(g);
    }
    return STI_OK;
}

static sti_status put(sti_recording* r, sti_h5_growing* form, const char* name, const void* data) {
    sti_h5_grow* g = &r->file;
    int index;
    bool known = false;
    const uint64_t rows = form->rows, bytes = sti_u64_mul(rows, form->row_bytes);
    sti_status status = add(r, form, name, &index, &known);
    if (status != STI_OK) return status;
    if (known)
        return g->set[index].rows == rows ? compare(g, g->set[index].address, data, (size_t)bytes)
                                          : not_of_this_file(g);
    g->set[index].address = g->end;
    g->end = sti_u64_add(g->end, sti_u64_padded(bytes));
    return sti_h5_grow_write(g, g->set[index].address, data, (size_t)bytes);
}

sti_status sti_recording_put(sti_recording* r, const char* name, sti_record_type type, long rows, int columns,
                             const void* data) {
    if ((unsigned)type > STI_RECORD_LONG || rows < 0 || columns < 0)
        return STI_FAIL(r->file.env, STI_ERR_ARGUMENT, -1, "%.80s: %ld x %d", name, rows, columns);
    sti_h5_growing form = {.rank = columns > 0 ? 2 : 1, .class = classes[type], .width = widths[type]};
    form.size[0] = (uint64_t)columns;
    form.rows = (uint64_t)rows;
    form.row_bytes = (uint64_t)form.width * (uint64_t)(columns > 0 ? columns : 1);
    return put(r, &form, name, data);
}

sti_status sti_recording_put_text(sti_recording* r, const char* name, const char* text) {
    const size_t length = strlen(text) + 1;
    if (length > UINT32_MAX / 2) return STI_FAIL(r->file.env, STI_ERR_SIZE, -1, "%.80s: a long text", name);
    sti_h5_growing form = {.class = STI_H5_CLASS_TEXT, .width = (uint32_t)length, .rows = 1, .row_bytes = length};
    return put(r, &form, name, text);
}

sti_status sti_recording_commit(sti_recording* r, bool sync) {
    return sti_h5_grow_commit(&r->file, sync);
}
