// load.c: pictures from files: PNG of any kind, and PGM and PPM (P5, P6, P2, P3), as red, green and blue of 8 bits.
#include <png.h>
#include <setjmp.h>
#include <stiction/draw.h>
#include <string.h>

#include "base/env.h"
#include "formats/file.h"

enum { LARGEST = 32768 };
static const size_t MOST_PIXELS = 100000000;

// ---- PNG

typedef struct decoder {
    sti_env* env;
    const unsigned char* bytes;
    size_t size, at;
    png_structp png;
    png_infop info;
    jmp_buf failed;
    char why[80];
    sti_image image;
} decoder;

static void on_error(png_structp png, png_const_charp text) {
    decoder* d = png_get_error_ptr(png);
    size_t k = 0;
    for (; text[k] != '\0' && k + 1 < sizeof d->why; k++) d->why[k] = text[k];
    d->why[k] = '\0';
    longjmp(d->failed, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static png_voidp take(png_structp png, png_alloc_size_t size) {
    decoder* d = png_get_mem_ptr(png);
    return sti_alloc(d->env, size);
}

static void give(png_structp png, png_voidp p) {
    decoder* d = png_get_mem_ptr(png);
    sti_free(d->env, p);
}

static void read_bytes(png_structp png, png_bytep data, size_t size) {
    decoder* d = png_get_io_ptr(png);
    if (size > d->size - d->at) png_error(png, "it ends too early");
    memcpy(data, d->bytes + d->at, size);
    d->at += size;
}

static void read_rows(decoder* d) {
    const png_uint_32 width = png_get_image_width(d->png, d->info), height = png_get_image_height(d->png, d->info);
    if (width > LARGEST || height > LARGEST || (size_t)width * height > MOST_PIXELS)
        png_error(d->png, "too many pixels");
    png_set_expand(d->png);
    png_set_strip_16(d->png);
    png_set_strip_alpha(d->png);
    png_set_gray_to_rgb(d->png);
    const int passes = png_set_interlace_handling(d->png);
    png_read_update_info(d->png, d->info);
    if (png_get_rowbytes(d->png, d->info) != 3 * (size_t)width) png_error(d->png, "of an unusual kind");
    if (sti_image_make(d->env, (int)width, (int)height, &d->image) != STI_OK) png_error(d->png, "memory");
    for (int p = 0; p < passes; p++) {
        for (png_uint_32 y = 0; y < height; y++)
            png_read_row(d->png, d->image.rgb + 3 * (size_t)y * (size_t)width, NULL);
    }
}

// What has to be known after a long jump stands in *d, not in registers.
static bool decode(decoder* d) {
    if (setjmp(d->failed) != 0) {
        png_destroy_read_struct(&d->png, &d->info, NULL);
        return false;
    }
    d->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, d, on_error, on_warning, d, take, give);
    if (d->png == NULL) return false;
    d->info = png_create_info_struct(d->png);
    if (d->info == NULL) png_error(d->png, "memory");
    png_set_read_fn(d->png, d, read_bytes);
    png_read_info(d->png, d->info);
    read_rows(d);
    png_destroy_read_struct(&d->png, &d->info, NULL);
    return true;
}

static sti_status load_png(sti_env* env, const unsigned char* bytes, size_t size, const char* path, sti_image* out) {
    decoder d = {.env = env, .bytes = bytes, .size = size};
    if (decode(&d)) {
        *out = d.image;
        return STI_OK;
    }
    sti_image_clear(env, &d.image);
    // libpng says of memory what it likes; that of ours is remembered
    if (d.why[0] == '\0' || strstr(d.why, "memory") != NULL)
        return STI_FAIL(env, STI_ERR_MEMORY, -1, "the picture %.200s", path);
    return sti_file_fail(env, STI_ERR_INPUT, path, "a PNG file that cannot be read: %s", d.why);
}

// ---- PGM and PPM

typedef struct scanner {
    const unsigned char* at;
    const unsigned char* end;
} scanner;

// The next whole number of the header, or of a plain file; -1: there is none.
static long number(scanner* s) {
    for (; s->at < s->end; s->at++) {
        const unsigned char c = *s->at;
        if (c == '#') {
            while (s->at < s->end && *s->at != '\n') s->at++;
            if (s->at == s->end) return -1;
        } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
            break;
        }
    }
    long value = -1;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9' && value < 1000000; s->at++)
        value = (value < 0 ? 0 : 10 * value) + (*s->at - '0');
    return value;
}

// One sample as 8 bits; -1: the file ends.
static int next_sample(scanner* s, bool plain, long most) {
    long value = -1;
    if (plain) {
        value = number(s);
    } else if (most < 256) {
        if (s->at < s->end) value = *s->at++;
    } else if (s->end - s->at >= 2) {
        value = 256L * s->at[0] + s->at[1];
        s->at += 2;
    }
    if (value < 0 || value > most) return -1;
    return (int)((2 * 255 * value + most) / (2 * most));
}

static sti_status load_pnm(sti_env* env, const unsigned char* bytes, size_t size, const char* path, sti_image* out) {
    const char kind = (char)bytes[1];
    const bool plain = kind == '2' || kind == '3', color = kind == '3' || kind == '6';
    scanner s = {bytes + 2, bytes + size};
    const long width = number(&s), height = number(&s), most = number(&s);
    if (width < 1 || height < 1 || width > LARGEST || height > LARGEST ||
        (size_t)width * (size_t)height > MOST_PIXELS || most < 1 || most > 65535)
        return sti_file_fail(env, STI_ERR_INPUT, path,
                             "%ld x %ld pixels up to %ld: not what a PGM or PPM file may have", width, height, most);
    if (!plain && s.at < s.end) s.at++;  // one blank after the header
    const sti_status status = sti_image_make(env, (int)width, (int)height, out);
    for (size_t k = 0; status == STI_OK && k < (size_t)width * (size_t)height; k++) {
        for (int c = 0; c < 3; c++) {
            const int value = c == 0 || color ? next_sample(&s, plain, most) : out->rgb[3 * k];
            if (value < 0) {
                sti_image_clear(env, out);
                return sti_file_fail(env, STI_ERR_INPUT, path, "pixel %zu: missing, or above %ld", k, most);
            }
            out->rgb[3 * k + (size_t)c] = (unsigned char)value;
        }
    }
    return status;
}

sti_status sti_image_load(sti_env* env, const char* path, sti_image* out) {
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    char* text;
    size_t size;
    *out = (sti_image){0};
    sti_status status = sti_file_read(env, path, (size_t)1 << 31, &text, &size);
    if (status != STI_OK) return status;
    const unsigned char* bytes = (const unsigned char*)text;
    if (size >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0)
        status = load_png(env, bytes, size, path, out);
    else if (size >= 2 && bytes[0] == 'P' && strchr("2356", bytes[1]) != NULL && bytes[1] != '\0')
        status = load_pnm(env, bytes, size, path, out);
    else
        status = sti_file_fail(env, STI_ERR_INPUT, path, "neither a PNG nor a PGM or PPM picture");
    sti_free(env, text);
    return status;
}
