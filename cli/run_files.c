// run_files.c: files that runs share: the text of a scene, parts of a checkpoint, where files may go, CSV tables,
// summaries, contact problems.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "run.h"
#include "scenes.h"

int cli_run_read_text(const cli* c, const char* name, char** text, size_t* size) {
    const cli_scene* scene = cli_scene_instead(name);
    FILE* f = scene == NULL ? fopen(name, "rb") : NULL;
    *text = NULL;
    *size = 0;
    if (f == NULL && scene == NULL) return cli_fail_usage(c, "%.200s: cannot be read: %s", name, strerror(errno));
    if (scene != NULL) {
        *text = strdup(scene->text);
        *size = strlen(scene->text);
        return *text != NULL ? CLI_DONE : cli_fail_memory(c);
    }
    size_t room = 1 << 16, got = 0;
    char* all = malloc(room);
    while (all != NULL) {
        got += fread(all + got, 1, room - got - 1, f);
        if (got < room - 1) break;
        char* more = realloc(all, 2 * room);
        if (more == NULL) free(all);
        all = more;
        room *= 2;
    }
    const bool bad = ferror(f) != 0;
    fclose(f);
    if (all == NULL) return cli_fail_memory(c);
    all[got] = '\0';
    *text = all;
    *size = got;
    return bad ? cli_fail_usage(c, "%.200s: cannot be read: %s", name, strerror(errno)) : CLI_DONE;
}

bool cli_run_has_part(const cli* c, const char* dir, const char* name) {
    char* path = cli_run_path(dir, "checkpoint.h5");
    void* bytes = NULL;
    size_t size;
    const bool yes = path != NULL && sti_checkpoint_load(c->env, path, name, &bytes, &size) == STI_OK;
    if (yes) sti_env_free(c->env, bytes);
    free(path);
    return yes;
}

// ---- where files may go

// "a/b" of ".//a//b/", for free(); NULL: memory ran out.
static char* clean_path(const char* path) {
    char* out = malloc(strlen(path) + 2);
    size_t size = 0;
    if (out == NULL) return NULL;
    while (strncmp(path, "./", 2) == 0) path += 2 + strspn(path + 2, "/");
    for (; *path != '\0'; path++) {
        if (*path != '/' || size == 0 || out[size - 1] != '/') out[size++] = *path;
    }
    if (size > 1 && out[size - 1] == '/') size--;
    if (size == 0) out[size++] = '.';
    out[size] = '\0';
    return out;
}

// The folder of a file, in the same way.
static char* folder_of(const char* path) {
    char* out = clean_path(path);
    char* slash = out != NULL ? strrchr(out, '/') : NULL;
    if (out != NULL && slash == NULL)
        memcpy(out, ".", 2);
    else if (slash != NULL)
        slash[slash == out ? 1 : 0] = '\0';
    return out;
}

// 0, or why a file cannot be made there: errno. A folder that is still to be made, `out`, will do.
static int why_not_made(const char* path, const char* out) {
    char *folder = folder_of(path), *later = out != NULL ? clean_path(out) : NULL;
    int why = ENOMEM;
    if (folder != NULL && (out == NULL || later != NULL)) {
        const bool made_later = later != NULL && strcmp(folder, later) == 0 && access(out, F_OK) != 0;
        why = made_later || access(folder, W_OK | X_OK) == 0 ? 0 : errno;
    }
    free(folder);
    free(later);
    return why;
}

int cli_run_check_output(const cli* c, const char* option, const char* path, const char* out, bool whole) {
    struct stat info;
    if (path == NULL) return CLI_DONE;
    const bool there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        return cli_fail_usage(c, "%s: %.200s: cannot be written: it is a folder", option, path);
    int why;
    if (there && !whole)
        why = access(path, W_OK) == 0 ? 0 : errno;
    else
        why = why_not_made(path, out);
    return why == 0 ? CLI_DONE : cli_fail_usage(c, "%s: %.200s: cannot be written: %s", option, path, strerror(why));
}

// ---- CSV tables

void cli_run_csv_number(FILE* csv, double x) {
    if (isnan(x))
        fputc(',', csv);
    else
        fprintf(csv, ",%.17g", x);
}

void cli_run_csv_name(FILE* csv, const char* name) {
    for (; *name != '\0'; name++) fputc(*name == ',' || *name == '"' || (unsigned char)*name < ' ' ? '_' : *name, csv);
}

// ---- at the end

static int save_summary(const cli* c, const char* dir, const cli_json* j) {
    char* path = cli_run_path(dir, "summary.json");
    int code = path == NULL || j->broken ? cli_fail_memory(c) : cli_write_file(c, path, j->text, j->size);
    if (code == CLI_USAGE) code = CLI_INTERNAL;
    free(path);
    return code;
}

int cli_run_summary(const cli* c, const char* dir, cli_json* j) {
    while (j->depth > 0) cli_json_end(j);
    const int code = dir != NULL ? save_summary(c, dir, j) : CLI_DONE;
    if (code == CLI_DONE && c->json) return cli_json_print(j, c, CLI_DONE);
    cli_json_drop(j);
    return code;
}
