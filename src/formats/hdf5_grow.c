// hdf5_grow.c: an HDF5 file whose datasets grow by rows, whole on the disk at every moment.
//
// libhdf5 changes a file in place while it grows, so a process that is killed leaves a file that nobody can open, and
// version 1.10 crashes after a write that failed. Here the order of writing makes the file safe:
//
//     rows          into chunks past the length that the file shows
//     chunk trees   new children first, then the node's count; the length shown never leads to the new ones
//     headers       of all datasets and groups, in one block, in the one of two slots that is not in use
//     superblock    96 bytes: the root group of the new headers, and the new end of the file
//
// Until the last write the file is the one of the last commit; after it, the new one. Bytes that were written for a
// commit that did not come are lost room, no more.
//
// A dataset is split into chunks along its first dimension only. Their B-tree (III.A.1 of the format) grows at its
// right edge, so the last node of each level is all that is kept in memory: O(log rows) nodes are written in a commit.
#include "formats/hdf5_grow.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/file.h"

#define NOWHERE UINT64_MAX
enum { SUPERBLOCK = 96, NODE_LEAD = 24 };

static sti_status broken(sti_h5_grow* g, int why) {
    g->broken = true;
    return sti_file_fail(g->env, STI_ERR_IO, g->path, "cannot be written: %s", strerror(why));
}

sti_status sti_h5_grow_write(sti_h5_grow* g, uint64_t address, const void* bytes, size_t size) {
    if (g->broken) return sti_file_fail(g->env, STI_ERR_IO, g->path, "cannot be written: an earlier write failed");
    for (size_t done = 0; done < size;) {
        const ssize_t step = pwrite(g->fd, (const char*)bytes + done, size - done, (off_t)(address + done));
        if (step < 0 && errno == EINTR) continue;
        if (step <= 0) return broken(g, step < 0 ? errno : ENOSPC);
        done += (size_t)step;
    }
    return STI_OK;
}

static uint64_t reserve(sti_h5_grow* g, uint64_t size) {
    const uint64_t at = g->end;
    g->end = sti_u64_add(g->end, sti_u64_padded(size));
    return at;
}

sti_status sti_h5_grow_open(sti_env* env, const char* path, bool fresh, sti_h5_grow* g) {
    struct stat info;
    *g = (sti_h5_grow){.env = env, .fd = -1, .end = SUPERBLOCK};
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return sti_file_fail(env, STI_ERR_IO, path, "exists and is not a regular file");
    g->path = sti_strdup(env, path);
    if (g->path == NULL) return STI_ERR_MEMORY;
    g->fd = open(path, O_RDWR | O_CLOEXEC | (fresh ? O_CREAT | O_TRUNC : 0), 0666);
    if (g->fd >= 0) return STI_OK;
    const sti_status status =
        sti_file_fail(env, STI_ERR_IO, path, "cannot be %s: %s", fresh ? "written" : "opened", strerror(errno));
    sti_h5_grow_close(g);
    return status;
}

void sti_h5_grow_close(sti_h5_grow* g) {
    for (int k = 0; k < g->count; k++) {
        sti_free(g->env, g->set[k].tail);
        for (int level = 0; level < STI_H5_LEVELS; level++) sti_free(g->env, g->set[k].spine[level].bytes);
    }
    sti_free(g->env, g->set);
    sti_free(g->env, g->known);
    sti_free(g->env, g->path);
    if (g->fd >= 0) close(g->fd);
    *g = (sti_h5_grow){.fd = -1};
}

sti_status sti_h5_grow_add(sti_h5_grow* g, const sti_h5_growing* form, int* index) {
    int in_group = 0, groups = 0;
    for (int k = 0; k < g->count; k++) {
        const sti_h5_growing* d = &g->set[k];
        if (strcmp(d->group, form->group) == 0 && strcmp(d->name, form->name) == 0)
            return STI_FAIL(g->env, STI_ERR_ARGUMENT, k, "%s/%s: twice", d->group, d->name);
        in_group += strcmp(d->group, form->group) == 0;
        bool first = d->group[0] != '\0';
        for (int j = 0; j < k && first; j++) first = strcmp(g->set[j].group, d->group) != 0;
        groups += first;
    }
    if (in_group >= STI_H5_NAMES - STI_H5_GROUPS || groups > STI_H5_GROUPS - 1)
        return STI_FAIL(g->env, STI_ERR_SIZE, -1, "%s/%s: too many names in one group", form->group, form->name);
    sti_h5_growing* set = sti_realloc_array(g->env, g->set, (size_t)g->count + 1, sizeof *set);
    if (set == NULL) return STI_ERR_MEMORY;
    g->set = set;
    sti_h5_growing* d = &set[g->count];
    *d = *form;
    d->tail = NULL;
    if (form->chunk_rows > 1) {
        d->tail = sti_alloc_array_zero(g->env, (size_t)form->chunk_rows, (size_t)form->row_bytes);
        if (d->tail == NULL) return STI_ERR_MEMORY;
    }
    *index = g->count++;
    return STI_OK;
}

// ---- the tree of chunks (III.A.1): key 0, child 0, key 1, child 1, ..., key n

static uint64_t chunk_bytes(const sti_h5_growing* d) {
    return sti_u64_mul(d->chunk_rows, d->row_bytes);
}

static size_t key_bytes(const sti_h5_growing* d) {
    return 16 + 8 * (size_t)d->rank;
}

size_t sti_h5_grow_node_bytes(const sti_h5_growing* d) {
    return NODE_LEAD + sti_size_mul(STI_H5_CHILDREN + 1, key_bytes(d)) + 8 * (size_t)STI_H5_CHILDREN;
}

static void put_key(const sti_h5_growing* d, unsigned char* node, int k, uint64_t row) {
    unsigned char* key = node + NODE_LEAD + (size_t)k * (key_bytes(d) + 8);
    memset(key, 0, key_bytes(d));
    sti_h5_put(key, chunk_bytes(d), 4);
    sti_h5_put(key + 8, row, 8);
}

static void put_child(const sti_h5_growing* d, sti_h5_node* node, uint64_t row, uint64_t child) {
    put_key(d, node->bytes, node->used, row);
    sti_h5_put(node->bytes + NODE_LEAD + (size_t)node->used * (key_bytes(d) + 8) + key_bytes(d), child, 8);
    node->used++;
}

static sti_status begin_node(sti_h5_grow* g, sti_h5_growing* d, int level, uint64_t left) {
    const size_t size = sti_h5_grow_node_bytes(d);
    sti_h5_node* node = &d->spine[level];
    if (node->bytes == NULL) node->bytes = sti_alloc(g->env, size);
    if (node->bytes == NULL) return STI_ERR_MEMORY;
    memset(node->bytes, 0, size);
    memcpy(node->bytes, "TREE", 4);
    node->bytes[4] = 1;
    node->bytes[5] = (unsigned char)level;
    sti_h5_put(node->bytes + 8, left, 8);
    sti_h5_put(node->bytes + 16, NOWHERE, 8);
    node->address = reserve(g, size);
    node->used = 0;
    return STI_OK;
}

// Children before the count that makes them seen. `end`: the first row after the node.
static sti_status write_node(sti_h5_grow* g, const sti_h5_growing* d, const sti_h5_node* node, uint64_t end) {
    put_key(d, node->bytes, node->used, end);
    sti_h5_put(node->bytes + 6, (uint64_t)node->used, 2);
    const sti_status status =
        sti_h5_grow_write(g, node->address + NODE_LEAD, node->bytes + NODE_LEAD, sti_h5_grow_node_bytes(d) - NODE_LEAD);
    return status == STI_OK ? sti_h5_grow_write(g, node->address, node->bytes, NODE_LEAD) : status;
}

// The chunk, or node of the level below, that begins at `row`.
static sti_status grow_tree(sti_h5_grow* g, sti_h5_growing* d, int level, uint64_t row, uint64_t child) {
    sti_status status = STI_OK;
    for (uint64_t old = NOWHERE;; level++) {
        if (level == STI_H5_LEVELS) return STI_FAIL(g->env, STI_ERR_SIZE, -1, "%s: too many rows", d->name);
        sti_h5_node* node = &d->spine[level];
        if (level == d->levels) {  // a new root, over the old one
            status = begin_node(g, d, level, NOWHERE);
            if (status != STI_OK) return status;
            if (level > 0) put_child(d, node, 0, old);
            d->levels++;
        }
        if (node->used < STI_H5_CHILDREN) {
            put_child(d, node, row, child);
            return STI_OK;
        }
        // full: the next node begins, and the level above hears of it
        old = node->address;
        sti_h5_put(node->bytes + 16, g->end, 8);  // where the next one will be
        status = write_node(g, d, node, row);
        if (status == STI_OK) status = begin_node(g, d, level, old);
        if (status != STI_OK) return status;
        put_child(d, node, row, child);
        child = node->address;
    }
}

// ---- rows

static sti_status begin_chunk(sti_h5_grow* g, sti_h5_growing* d) {
    const uint64_t address = reserve(g, chunk_bytes(d));
    const sti_status status = grow_tree(g, d, 0, d->rows, address);
    d->address = address;
    return status;
}

sti_status sti_h5_grow_append(sti_h5_grow* g, int index, uint64_t rows, const void* data) {
    sti_h5_growing* d = &g->set[index];
    const char* from = data;
    sti_status status = STI_OK;
    while (status == STI_OK && rows > 0) {
        const uint64_t at = d->rows % d->chunk_rows;
        uint64_t take = d->chunk_rows - at < rows ? d->chunk_rows - at : rows;
        if (at == 0) status = begin_chunk(g, d);
        if (status != STI_OK) return status;
        const size_t bytes = (size_t)sti_u64_mul(take, d->row_bytes);
        if (d->tail == NULL) {
            status = sti_h5_grow_write(g, d->address, from, bytes);
        } else {
            memcpy(d->tail + at * d->row_bytes, from, bytes);
            if (at + take == d->chunk_rows) status = sti_h5_grow_write(g, d->address, d->tail, (size_t)chunk_bytes(d));
        }
        d->rows += take;
        rows -= take;
        from += bytes;
    }
    return status;
}

// ---- commit

static sti_status write_rows(sti_h5_grow* g, const sti_h5_growing* d) {
    if (d->chunk_rows == 0) return STI_OK;
    const uint64_t at = d->rows % d->chunk_rows, first = d->rows > 0 ? (d->rows - 1) / d->chunk_rows : 0;
    sti_status status = STI_OK;
    if (d->tail != NULL && at > 0)
        status = sti_h5_grow_write(g, d->address, d->tail, (size_t)sti_u64_mul(at, d->row_bytes));
    for (int level = 0; status == STI_OK && level < d->levels; level++)
        status = write_node(g, d, &d->spine[level], sti_u64_mul(first + 1, d->chunk_rows));
    return status;
}

static sti_status write_headers(sti_h5_grow* g, uint64_t* root) {
    const size_t size = sti_h5_headers(g, 0, NULL, root);
    if (size > g->slot_size) {
        g->slot_size = size;
        g->slot[0] = reserve(g, size);
        g->slot[1] = reserve(g, size);
        g->turn = 0;
    }
    unsigned char* bytes = sti_alloc(g->env, size);
    if (bytes == NULL) return STI_ERR_MEMORY;
    sti_h5_headers(g, g->slot[g->turn], bytes, root);
    const sti_status status = sti_h5_grow_write(g, g->slot[g->turn], bytes, size);
    sti_free(g->env, bytes);
    return status;
}

// The file is as long as its end says, also where chunks are not full yet.
static sti_status stretch(sti_h5_grow* g, bool sync) {
    struct stat info;
    if (fstat(g->fd, &info) != 0) return broken(g, errno);
    if ((uint64_t)info.st_size < g->end && ftruncate(g->fd, (off_t)g->end) != 0) return broken(g, errno);
    return sync && fdatasync(g->fd) != 0 ? broken(g, errno) : STI_OK;
}

sti_status sti_h5_grow_commit(sti_h5_grow* g, bool sync) {
    sti_status status = STI_OK;
    uint64_t root = 0;
    for (int k = 0; status == STI_OK && k < g->count; k++) status = write_rows(g, &g->set[k]);
    if (status == STI_OK) status = write_headers(g, &root);
    if (status == STI_OK) status = stretch(g, sync);
    if (status != STI_OK) return status;
    unsigned char superblock[SUPERBLOCK];
    sti_h5_superblock(superblock, g->end, root);
    status = sti_h5_grow_write(g, 0, superblock, sizeof superblock);
    if (status == STI_OK && sync && fdatasync(g->fd) != 0) status = broken(g, errno);
    g->turn = 1 - g->turn;
    return status;
}
