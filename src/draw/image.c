// image.c: pictures in memory, and as PNG files.
//
// libpng reports an error by a long jump and takes its memory from us, so nothing ends the process and nothing leaks:
// whatever it had at the time of the jump is freed by png_destroy_write_struct.
#include <png.h>
#include <setjmp.h>
#include <stiction/draw.h>
#include <string.h>

#include "base/env.h"
#include "formats/file.h"

enum { LARGEST = 32768 };

sti_status sti_image_make(sti_env* env, int width, int height, sti_image* out) {
    *out = (sti_image){0};
    if (width < 1 || height < 1 || width > LARGEST || height > LARGEST)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a picture of %d x %d pixels", width, height);
    unsigned char* rgb = sti_alloc_array_zero(env, (size_t)width * (size_t)height, 3);
    if (rgb == NULL) return STI_ERR_MEMORY;
    *out = (sti_image){.width = width, .height = height, .rgb = rgb};
    return STI_OK;
}

void sti_image_clear(sti_env* env, sti_image* image) {
    sti_free(env, image->rgb);
    *image = (sti_image){0};
}

// ---- PNG

typedef struct growing {
    sti_env* env;
    unsigned char* bytes;
    size_t size, room;
    png_structp png;
    png_infop info;
    jmp_buf failed;
} growing;

static void on_error(png_structp png, png_const_charp text) {
    (void)text;
    growing* g = png_get_error_ptr(png);
    longjmp(g->failed, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static png_voidp take(png_structp png, png_alloc_size_t size) {
    growing* g = png_get_mem_ptr(png);
    return sti_alloc(g->env, size);
}

static void give(png_structp png, png_voidp p) {
    growing* g = png_get_mem_ptr(png);
    sti_free(g->env, p);
}

static void write_bytes(png_structp png, png_bytep data, size_t size) {
    growing* g = png_get_io_ptr(png);
    if (size > g->room - g->size) {
        const size_t room = 2 * g->room + size + 65536;
        unsigned char* bytes = sti_realloc(g->env, g->bytes, room);
        if (bytes == NULL) png_error(png, "memory");
        g->bytes = bytes;
        g->room = room;
    }
    memcpy(g->bytes + g->size, data, size);
    g->size += size;
}

static void flush_bytes(png_structp png) {
    (void)png;
}

// What has to be known after a long jump stands in *g, not in registers. False: libpng gave up, for want of memory.
static bool encode(growing* g, const sti_image* image) {
    if (setjmp(g->failed) != 0) {
        png_destroy_write_struct(&g->png, &g->info);
        return false;
    }
    g->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, g, on_error, on_warning, g, take, give);
    if (g->png == NULL) return false;
    g->info = png_create_info_struct(g->png);
    if (g->info == NULL) png_error(g->png, "memory");
    png_set_write_fn(g->png, g, write_bytes, flush_bytes);
    png_set_IHDR(g->png, g->info, (png_uint_32)image->width, (png_uint_32)image->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(g->png, g->info);
    for (int y = 0; y < image->height; y++) png_write_row(g->png, image->rgb + 3 * (size_t)y * (size_t)image->width);
    png_write_end(g->png, g->info);
    png_destroy_write_struct(&g->png, &g->info);
    return true;
}

sti_status sti_image_png(sti_env* env, const sti_image* image, void** bytes, size_t* size) {
    growing g = {.env = env};
    *bytes = NULL;
    *size = 0;
    if (image->width < 1 || image->height < 1 || image->width > LARGEST || image->height > LARGEST)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a picture of %d x %d pixels", image->width, image->height);
    if (!encode(&g, image)) {
        sti_free(env, g.bytes);
        return STI_ERR_MEMORY;
    }
    *bytes = g.bytes;
    *size = g.size;
    return STI_OK;
}

sti_status sti_image_save(sti_env* env, const sti_image* image, const char* path) {
    void* bytes;
    size_t size;
    sti_status status = sti_image_png(env, image, &bytes, &size);
    if (status != STI_OK) return status;
    status = sti_file_write(env, path, bytes, size);
    sti_free(env, bytes);
    return status;
}
