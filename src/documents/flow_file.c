// flow_file.c: fields of flow as Middlebury's .flo files.
#include <math.h>
#include <stiction/flow.h>
#include <string.h>

#include "formats/file.h"

static const float MAGIC = 202021.25F, UNKNOWN = 1e9F, UNKNOWN_OUT = 1e10F;

enum { HEAD = 12, MOST_SIDE = 20000 };

static uint32_t get_word(const unsigned char* p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_word(unsigned char* p, uint32_t word) {
    for (int k = 0; k < 4; k++, word >>= 8) p[k] = (unsigned char)word;
}

static float get_float(const unsigned char* p) {
    const uint32_t word = get_word(p);
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

static void put_float(unsigned char* p, double value) {
    const float f = isfinite(value) ? (float)value : UNKNOWN_OUT;
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    put_word(p, word);
}

sti_status sti_flow_save(sti_env* env, const sti_flow_field* field, const char* path) {
    const size_t count = sti_size_mul((size_t)field->width, (size_t)field->height);
    const size_t size = sti_size_add(HEAD, sti_size_mul(count, 8));
    unsigned char* bytes = sti_alloc(env, size);
    if (bytes == NULL) return STI_ERR_MEMORY;
    put_float(bytes, MAGIC);
    put_word(bytes + 4, (uint32_t)field->width);
    put_word(bytes + 8, (uint32_t)field->height);
    unsigned char* at = bytes + HEAD;
    for (size_t k = 0; k < count; k++, at += 8) {
        put_float(at, field->u[k]);
        put_float(at + 4, field->v[k]);
    }
    const sti_status status = sti_file_write(env, path, (const char*)bytes, size);
    sti_free(env, bytes);
    return status;
}

static sti_status read_field(sti_env* env, const unsigned char* bytes, size_t size, const char* path,
                             sti_flow_field* out) {
    if (size < HEAD || get_float(bytes) < MAGIC || get_float(bytes) > MAGIC)
        return sti_file_fail(env, STI_ERR_INPUT, path, "not a .flo file: it does not begin with 202021.25");
    const uint32_t width = get_word(bytes + 4), height = get_word(bytes + 8);
    if (width < 1 || height < 1 || width > MOST_SIDE || height > MOST_SIDE)
        return sti_file_fail(env, STI_ERR_INPUT, path, "%u x %u pixels: sides from 1 to %d are expected", width, height,
                             MOST_SIDE);
    const size_t count = sti_size_mul(width, height), expected = sti_size_add(HEAD, sti_size_mul(count, 8));
    if (size != expected)
        return sti_file_fail(env, STI_ERR_INPUT, path, "%zu bytes: %u x %u pixels are %zu", size, width, height,
                             expected);
    *out = (sti_flow_field){.width = (int)width, .height = (int)height};
    out->u = sti_alloc_array(env, count, sizeof *out->u);
    out->v = sti_alloc_array(env, count, sizeof *out->v);
    if (out->u == NULL || out->v == NULL) return STI_ERR_MEMORY;
    const unsigned char* at = bytes + HEAD;
    for (size_t k = 0; k < count; k++, at += 8) {
        const float u = get_float(at), v = get_float(at + 4);
        const bool known = fabsf(u) <= UNKNOWN && fabsf(v) <= UNKNOWN;
        out->u[k] = known ? u : NAN;
        out->v[k] = known ? v : NAN;
    }
    return STI_OK;
}

sti_status sti_flow_load(sti_env* env, const char* path, sti_flow_field* out) {
    char* text;
    size_t size;
    *out = (sti_flow_field){0};
    sti_status status = sti_file_read(env, path, (size_t)1 << 32, &text, &size);
    if (status != STI_OK) return status;
    status = read_field(env, (const unsigned char*)text, size, path, out);
    sti_free(env, text);
    if (status != STI_OK) sti_flow_field_clear(env, out);
    return status;
}
