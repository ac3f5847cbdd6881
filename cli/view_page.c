// view_page.c: a page of HTML around the bundle of web/: data as JSON in which no "<" stands, so that no name can end
// it.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "view.h"

// ---- numbers: little-endian bytes in base64

static size_t put_number(cli_page_type type, double x, unsigned char* to) {
    static const size_t width[] = {8, 4, 4, 2, 1};
    uint64_t bits = 0;
    const float narrow = (float)x;
    uint32_t half;
    if (type == CLI_PAGE_F64) {
        memcpy(&bits, &x, sizeof bits);
    } else if (type == CLI_PAGE_F32) {
        memcpy(&half, &narrow, sizeof half);
        bits = half;
    } else {
        const double most = type == CLI_PAGE_I32 ? 2147483647 : type == CLI_PAGE_U16 ? 65535 : 255;
        const double least = type == CLI_PAGE_I32 ? -2147483648.0 : 0;
        bits = (uint64_t)(int64_t)(x < least ? least : x > most ? most : x);
    }
    for (size_t i = 0; i < width[type]; i++) to[i] = (unsigned char)(bits >> (8 * i));
    return width[type];
}

void cli_page_numbers(cli_page* p, const char* key, cli_page_type type, const double* x, size_t count) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char* const names[] = {"f64", "f32", "i32", "u16", "u8"};
    unsigned char* bytes = malloc(8 * count + 3);
    char* text = bytes != NULL ? malloc(8 * count / 3 * 4 + 16) : NULL;
    if (text == NULL) {
        free(bytes);
        p->json.broken = true;
        return;
    }
    size_t size = 0, length = 0;
    for (size_t i = 0; i < count; i++) size += put_number(type, x[i], bytes + size);
    bytes[size] = bytes[size + 1] = 0;
    for (size_t i = 0; i < size; i += 3) {
        const unsigned group = (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
        for (int k = 0; k < 4; k++) text[length++] = i + (size_t)k > size ? '=' : digit[group >> (18 - 6 * k) & 63];
    }
    text[length] = '\0';
    cli_json_object(&p->json, key);
    cli_json_text(&p->json, "type", names[type]);
    cli_json_text(&p->json, "base64", text);
    cli_json_end(&p->json);
    free(bytes);
    free(text);
}

void cli_page_note(cli_page* p, const char* format, ...) {
    va_list list;
    if (p->notes >= 4) return;
    va_start(list, format);
    vsnprintf(p->note[p->notes++], sizeof p->note[0], format, list);
    va_end(list);
}

void cli_page_put_notes(cli_page* p) {
    cli_json_array(&p->json, "notes");
    for (int k = 0; k < p->notes; k++) cli_json_text(&p->json, NULL, p->note[k]);
    cli_json_end(&p->json);
    p->notes = 0;
}

// ---- the file

static bool put_data(FILE* f, const char* text, size_t size) {
    bool good = true;
    for (size_t i = 0; good && i < size;) {
        const char* end = memchr(text + i, '<', size - i);
        const size_t length = end != NULL ? (size_t)(end - (text + i)) : size - i;
        good = fwrite(text + i, 1, length, f) == length && (end == NULL || fputs("\\u003c", f) >= 0);
        i += length + (end != NULL);
    }
    return good;
}

static bool put_page(FILE* f, const char* data, size_t size, const char* connect) {
    bool good =
        fprintf(
            f,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
            "style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; connect-src %s\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<title>Stiction</title>\n<style>\n",
            connect) >= 0;
    good = good && fwrite(cli_page_style, 1, cli_page_style_size, f) == cli_page_style_size;
    good = good && fputs("</style>\n</head>\n<body>\n<script id=\"run\" type=\"application/json\">", f) >= 0;
    good = good && put_data(f, data, size);
    good = good && fputs("</script>\n<script>\n", f) >= 0;
    good = good && fwrite(cli_page_script, 1, cli_page_script_size, f) == cli_page_script_size;
    return good && fputs("</script>\n</body>\n</html>\n", f) >= 0;
}

int cli_page_check(const cli* c) {
    if (cli_page_script_size > 0) return CLI_DONE;
    cli_fail_usage(c, "built without its page: node and npm were missing, or the packages of web/ (docs/page.md)");
    return CLI_INTERNAL;
}

bool cli_page_put(FILE* f, cli_page* p, const char* connect) {
    size_t size = 0;
    const char* data = cli_json_close(&p->json, &size);
    const bool good = data != NULL && put_page(f, data, size, connect);
    cli_json_drop(&p->json);
    return good;
}

int cli_page_save(const cli* c, cli_page* p, const char* path) {
    size_t size = 0;
    const char* data = cli_json_close(&p->json, &size);
    cli_file f;
    int code = data != NULL ? cli_file_open(c, path, &f) : cli_fail_memory(c);
    if (code == CLI_DONE) code = cli_file_close(c, &f, put_page(f.out, data, size, "'none'"));
    cli_json_drop(&p->json);
    return code;
}
