// closure_object.c: --object: which coordinates of an instant belong to the object that is held.
#include <stdlib.h>
#include <string.h>

#include "closure.h"

enum { MOST_NAMES = 4096 };

// "box" of "box.vx".
static bool is_part(const char* name, const char* body, size_t length) {
    return strncmp(name, body, length) == 0 && name[length] == '.';
}

static bool mark(const sti_instant* in, const char* word, size_t length, bool* chosen) {
    bool any = false;
    for (int j = 0; j < in->n && in->names != NULL; j++) {
        const bool whole = strncmp(in->names[j], word, length) == 0 && in->names[j][length] == '\0';
        if (whole || is_part(in->names[j], word, length)) any = chosen[j] = true;
    }
    char copy[24], *end;
    if (any || length >= sizeof copy || length == 0) return any;
    memcpy(copy, word, length);
    copy[length] = '\0';
    const long number = strtol(copy, &end, 10);
    if (*end != '\0' || number < 0 || number >= in->n) return false;
    return chosen[number] = true;
}

// A name that is near, of a velocity or of a body; NULL: none.
static const char* nearest(const char* word, const sti_instant* in, char* room, size_t size) {
    const char* names[MOST_NAMES];
    char bodies[MOST_NAMES / 16][40];
    int count = 0, body_count = 0;
    for (int j = 0; j < in->n && in->names != NULL && count + 1 < MOST_NAMES; j++) {
        const char* dot = strrchr(in->names[j], '.');
        const size_t length = dot != NULL ? (size_t)(dot - in->names[j]) : 0;
        if (dot == NULL) names[count++] = in->names[j];
        if (dot == NULL || length >= sizeof bodies[0] || body_count == MOST_NAMES / 16) continue;
        if (body_count > 0 && strncmp(bodies[body_count - 1], in->names[j], length) == 0 &&
            bodies[body_count - 1][length] == '\0')
            continue;
        memcpy(bodies[body_count], in->names[j], length);
        bodies[body_count][length] = '\0';
        names[count++] = bodies[body_count++];
    }
    const char* near = count > 0 ? cli_nearest(word, names, count) : NULL;
    if (near == NULL) return NULL;
    snprintf(room, size, "%s", near);
    return room;
}

int cli_closure_object(const cli* c, const char* text, const sti_instant* in, int** out, int* count) {
    *out = NULL;
    *count = 0;
    if (text == NULL) return CLI_DONE;
    bool* chosen = calloc((size_t)in->n, sizeof *chosen);
    *out = calloc((size_t)in->n, sizeof **out);
    int code = chosen != NULL && *out != NULL ? CLI_DONE : cli_fail_memory(c);
    for (const char* p = text; code == CLI_DONE && p != NULL;) {
        const size_t length = strcspn(p, ",");
        if (!mark(in, p, length, chosen)) {
            char word[64], room[64];
            snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), p);
            const char* near = nearest(word, in, room, sizeof room);
            code = cli_fail_usage(c, "--object: %s: no such body or velocity; numbers go from 0 to %d%s%s", word,
                                  in->n - 1, near != NULL ? "; did you mean " : "", near != NULL ? near : "");
        }
        p = p[length] == ',' ? p + length + 1 : NULL;
    }
    for (int j = 0; code == CLI_DONE && j < in->n; j++) {
        if (chosen[j]) (*out)[(*count)++] = j;
    }
    free(chosen);
    return code;
}
