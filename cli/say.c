// say.c: text for people. What comes from files (names of bodies, contacts, files) reaches a terminal only with its
// control characters written out, "\x1b": a name may not move the cursor, nor begin a line of its own.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

// Bytes of our own colours at p, 0: none.
static size_t color_at(const char* p) {
    static const char* const own[] = {"\033[32m", "\033[31m", "\033[33m", "\033[1m", "\033[0m"};
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
        if (strncmp(p, own[k], strlen(own[k])) == 0) return strlen(own[k]);
    }
    return 0;
}

// Bytes of a control character at p, also one of 0x80 to 0x9f in UTF-8; 0: none.
static size_t control_at(const char* p) {
    const unsigned char first = (unsigned char)p[0], second = first == 0 ? 0 : (unsigned char)p[1];
    if (first == 0xc2 && second >= 0x80 && second <= 0x9f) return 2;
    return (first > 0 && first < 0x20) || first == 0x7f;
}

void cli_put(FILE* out, const char* text, bool colors) {
    for (const char* p = text; *p != '\0';) {
        const size_t color = colors ? color_at(p) : 0, control = color > 0 ? 0 : control_at(p);
        if (control == 0) {
            const size_t count = color > 0 ? color : 1;
            fwrite(p, 1, count, out);
            p += count;
            continue;
        }
        for (size_t k = 0; k < control; k++, p++) {
            if (*p == '\n')
                fputs("\\n", out);
            else if (*p == '\t')
                fputs("\\t", out);
            else
                fprintf(out, "\\x%02x", (unsigned char)*p);
        }
    }
}

// A conversion of a format: "%-*.3ld"
typedef struct conversion {
    char text[32];  // without '*', which are read and written as numbers
    size_t size;
    int longs;    // l: 1, ll: 2, z: 3
    char letter;  // 0: the format ends within it
} conversion;

static void add(conversion* v, const char* text) {
    for (; *text != '\0' && v->size + 1 < sizeof v->text; text++) v->text[v->size++] = *text;
    v->text[v->size] = '\0';
}

static const char* read_conversion(const char* p, va_list* args, conversion* v) {
    *v = (conversion){0};
    add(v, "%");
    for (p++; *p != '\0' && strchr("-+ #0123456789.*lz", *p) != NULL; p++) {
        char piece[16] = {*p};
        if (*p == '*') snprintf(piece, sizeof piece, "%d", va_arg(*args, int));
        if (*p == 'l') v->longs++;
        if (*p == 'z') v->longs = 3;
        add(v, piece);
    }
    v->letter = *p;
    add(v, (char[]){*p, '\0'});
    return *p != '\0' ? p + 1 : p;
}

// A text in its width: what is written out takes the room it takes.
static void put_text(const cli* c, const conversion* v, const char* text) {
    const int size = snprintf(NULL, 0, v->text, text);
    char* whole = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (whole == NULL) return;
    snprintf(whole, (size_t)size + 1, v->text, text);
    cli_put(stdout, whole, c->out_color);
    free(whole);
}

static void put_conversion(const cli* c, const conversion* v, va_list* args) {
    switch (v->letter) {
        case '%':
            putchar('%');
            break;
        case 's':
            put_text(c, v, va_arg(*args, const char*));
            break;
        case 'c':
            put_text(c, &(conversion){.text = "%s"}, (char[]){(char)va_arg(*args, int), '\0'});
            break;
        case 'e':
        case 'f':
        case 'g':
            printf(v->text, va_arg(*args, double));
            break;
        default:
            if (v->longs == 0)
                printf(v->text, va_arg(*args, int));
            else if (v->longs == 1)
                printf(v->text, va_arg(*args, long));
            else if (v->longs == 2)
                printf(v->text, va_arg(*args, long long));
            else
                printf(v->text, va_arg(*args, size_t));
    }
}

void cli_say(const cli* c, const char* format, ...) {
    if (c->json || c->quiet) return;
    va_list args;
    va_start(args, format);
    for (const char* p = format; *p != '\0';) {
        if (*p != '%') {
            putchar(*p++);
            continue;
        }
        conversion v;
        p = read_conversion(p, &args, &v);
        if (v.letter != '\0') put_conversion(c, &v, &args);
    }
    va_end(args);
}
