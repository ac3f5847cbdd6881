// output.c: error lines, colour, numbers as text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

void cli_say_verdict(const cli* c, bool accepted, const char* text) {
    cli_say(c, "  %s%s%s: %s\n", accepted ? cli_good(c) : cli_bad(c), accepted ? "accepted" : "not accepted",
            cli_plain(c), text);
}

void cli_say_proved(const cli* c, bool accepted, bool exact) {
    if (accepted) cli_say(c, "  proved: the claim, %s\n", exact ? "without rounding" : "up to rounding");
}

const char* cli_good(const cli* c) {
    return c->out_color ? "\033[32m" : "";
}

const char* cli_bad(const cli* c) {
    return c->out_color ? "\033[31m" : "";
}

const char* cli_unsure(const cli* c) {
    return c->out_color ? "\033[33m" : "";
}

const char* cli_strong(const cli* c) {
    return c->out_color ? "\033[1m" : "";
}

const char* cli_plain(const cli* c) {
    return c->out_color ? "\033[0m" : "";
}

static char last_error[1024];

const char* cli_last_error(void) {
    return last_error;
}

void cli_put_line(const char* text) {
    cli_put(stderr, text, false);
    fputc('\n', stderr);
}

static void error_line(const cli* c, const char* text) {
    snprintf(last_error, sizeof last_error, "%s", text);
    fprintf(stderr, "%sstiction%s%s:%s ", c->err_color ? "\033[31m" : "", c->verb != NULL ? " " : "",
            c->verb != NULL ? c->verb->name : "", c->err_color ? "\033[0m" : "");
    cli_put_line(text);
}

int cli_fail_usage(const cli* c, const char* format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_line(c, text);
    return CLI_USAGE;
}

int cli_fail_memory(const cli* c) {
    error_line(c, "out of memory");
    return CLI_INTERNAL;
}

int cli_fail_about(const cli* c, const char* path) {
    const sti_error* error = sti_env_error(c->env);
    const bool late = error->status == STI_ERR_TIME;
    const bool ours = error->status == STI_ERR_MEMORY || error->status == STI_ERR_INTERNAL || error->status == STI_OK;
    const bool name = path != NULL && strncmp(error->text, path, strlen(path)) != 0;
    char text[1024];
    if (late)
        snprintf(text, sizeof text, "%s: %s", sti_status_text(error->status), error->text);
    else if (ours)
        snprintf(text, sizeof text, "%s: %s (%s)", sti_status_text(error->status), error->text, error->function);
    else
        snprintf(text, sizeof text, "%.400s%s%s", name ? path : "", name ? ": " : "", error->text);
    error_line(c, text);
    return late ? CLI_NO : ours ? CLI_INTERNAL : CLI_USAGE;
}

int cli_fail_env(const cli* c) {
    return cli_fail_about(c, NULL);
}

int cli_fail_written(const cli* c, const char* path) {
    char* folder = strdup(path);
    if (folder == NULL) return cli_fail_memory(c);
    char* slash = strrchr(folder, '/');
    if (slash != NULL) slash[slash == folder] = '\0';
    struct stat place, target;
    const bool there = stat(slash != NULL ? folder : ".", &place) == 0 && S_ISDIR(place.st_mode) &&
                       (stat(path, &target) != 0 || S_ISREG(target.st_mode));
    free(folder);
    const int code = cli_fail_about(c, path);
    return there && sti_env_error(c->env)->status == STI_ERR_IO ? CLI_INTERNAL : code;
}

int cli_load_any(const cli* c, const char* path, sti_document** out) {
    const char* from = strcmp(path, "-") == 0 ? "/dev/stdin" : path;
    return sti_document_load(c->env, from, out) == STI_OK ? CLI_DONE : cli_fail_env(c);
}

int cli_check_kind(const cli* c, const char* path, sti_document** document) {
    char takes[300], uses[120];
    const sti_kind kind = sti_document_kind(*document);
    if (c->verb->use == 0 || (c->verb->use & sti_kind_uses(kind)) != 0) return CLI_DONE;
    sti_use_kinds(c->verb->use, takes, sizeof takes);
    sti_kind_uses_text(kind, uses, sizeof uses);
    sti_document_destroy(*document);
    *document = NULL;
    return cli_fail_usage(c, "%.200s: kind: %s: %s takes %s%s%s; this is for stiction %s", path, sti_kind_text(kind),
                          c->verb->name, takes, c->verb->beside != NULL ? ", or " : "",
                          c->verb->beside != NULL ? c->verb->beside : "", uses);
}

int cli_load(const cli* c, const char* path, sti_document** out) {
    const int code = cli_load_any(c, path, out);
    return code == CLI_DONE ? cli_check_kind(c, path, out) : code;
}

// Appends to text (size bytes) at *at, and stays inside.
static void append(char* text, size_t size, size_t* at, const char* piece) {
    const size_t room = size - *at - 1, want = strlen(piece), take = want < room ? want : room;
    memcpy(text + *at, piece, take);
    *at += take;
    text[*at] = '\0';
}

void cli_text_numbers(char* text, size_t size, const double* x, int count, int most) {
    size_t at = 0;
    append(text, size, &at, "(");
    for (int i = 0; i < count && i < most; i++) {
        char piece[48];
        snprintf(piece, sizeof piece, "%s%.7g", i > 0 ? ", " : "", x[i]);
        append(text, size, &at, piece);
    }
    append(text, size, &at, count > most ? ", ...)" : ")");
}

void cli_text_rationals(const cli* c, char* text, size_t size, const sti_rationals* r, size_t first, int count,
                        int most) {
    enum { LONGEST = 16 };
    size_t at = 0;
    append(text, size, &at, "(");
    for (int i = 0; i < count && i < most; i++) {
        char* number = NULL;
        if (i > 0) append(text, size, &at, ", ");
        const bool known = sti_rationals_text(r, first + (size_t)i, &number) == STI_OK;
        if (known && strlen(number) <= LONGEST) {
            append(text, size, &at, number);
        } else {  // a fraction nobody would read
            char piece[32];
            snprintf(piece, sizeof piece, "~%.7g", sti_rationals_double(r, first + (size_t)i));
            append(text, size, &at, piece);
        }
        sti_env_free(c->env, number);
    }
    append(text, size, &at, count > most ? ", ...)" : ")");
}

void cli_text_indices(char* text, size_t size, const int* x, int count, int most) {
    size_t at = 0;
    append(text, size, &at, "{");
    for (int i = 0; i < count && i < most; i++) {
        char piece[24];
        snprintf(piece, sizeof piece, "%s%d", i > 0 ? ", " : "", x[i]);
        append(text, size, &at, piece);
    }
    append(text, size, &at, count > most ? ", ...}" : "}");
}

void cli_say_vector(const cli* c, const char* name, const double* x, int count) {
    enum { SHOWN = 8 };
    char text[400];
    if (count == 0) return;
    cli_text_numbers(text, sizeof text, x, count, SHOWN);
    cli_say(c, "  %s = %s\n", name, text);
}

const char* cli_conic_color(const cli* c, sti_conic_outcome outcome) {
    if (outcome == STI_CONIC_SOLVED) return cli_good(c);
    return outcome == STI_CONIC_INFEASIBLE || outcome == STI_CONIC_UNBOUNDED ? cli_bad(c) : cli_unsure(c);
}
