// serve_files.c: which scenes may be chosen, and where things are saved: in the folders of the command line, and
// nowhere else.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"
#include "scenes.h"
#include "serve.h"

enum { MOST_SCENES = 2000 };

static bool ends_with(const char* text, const char* end) {
    const size_t a = strlen(text), b = strlen(end);
    return a > b && strcmp(text + a - b, end) == 0;
}

bool cli_serve_is_robot(const char* path) {
    return ends_with(path, ".urdf");
}

static bool add(cli_serve_scene* list, int* count, const char* name, char* path) {
    if (*count >= MOST_SCENES) return false;
    list[*count] = (cli_serve_scene){.name = strdup(name), .path = path};
    if (list[*count].name == NULL) return false;
    ++*count;
    return true;
}

// A regular file of the folder itself: no way leads out of it by a link.
static bool is_inside(const char* path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static int by_name(const void* a, const void* b) {
    return strcmp(((const cli_serve_scene*)a)->name, ((const cli_serve_scene*)b)->name);
}

// Scenes that move, by the word of their kind.
static bool is_served(const char* text) {
    static const char* const kinds[] = {"\"scene\"", "\"system\"", "\"manipulation\"", "\"navigation\""};
    const char* at = strstr(text, "\"kind\":");
    for (int k = 0; at != NULL && k < 4; k++) {
        if (strncmp(at + 7 + strspn(at + 7, " "), kinds[k], strlen(kinds[k])) == 0) return true;
    }
    return false;
}

const cli_serve_scene* cli_serve_find(const cli_serve_scene* list, int count, const char* name) {
    for (int k = 0; k < count; k++) {
        if (strcmp(list[k].name, name) == 0) return &list[k];
    }
    return NULL;
}

int cli_serve_scenes(const cli_serve_settings* settings, cli_serve_scene** out) {
    int count = 0;
    *out = calloc(MOST_SCENES, sizeof **out);
    if (*out == NULL) return 0;
    for (int i = 0; i < cli_scene_count; i++) {
        if (is_served(cli_scene_list[i].text)) add(*out, &count, cli_scene_list[i].name, NULL);
    }
    for (int k = 0; k < settings->folder_count; k++) {
        DIR* folder = opendir(settings->folder[k]);
        const int first = count;
        for (const struct dirent* e; folder != NULL && (e = readdir(folder)) != NULL;) {
            if (e->d_name[0] == '.' || !(ends_with(e->d_name, ".json") || ends_with(e->d_name, ".urdf"))) continue;
            char* path = cli_run_path(settings->folder[k], e->d_name);
            if (path == NULL || !is_inside(path) || !add(*out, &count, e->d_name, path)) free(path);
        }
        if (folder != NULL) closedir(folder);
        qsort(*out + first, (size_t)(count - first), sizeof **out, by_name);
    }
    bool there = false;
    for (int k = 0; settings->scene != NULL && k < count; k++)
        there |= (*out)[k].path != NULL && strcmp((*out)[k].path, settings->scene) == 0;
    if (settings->scene != NULL && !there && cli_scene_instead(settings->scene) == NULL) {
        const char* slash = strrchr(settings->scene, '/');
        const char* name =
            slash != NULL && cli_serve_find(*out, count, slash + 1) == NULL ? slash + 1 : settings->scene;
        add(*out, &count, name, strdup(settings->scene));
    }
    return count;
}

void cli_serve_scenes_free(cli_serve_scene* list, int count) {
    for (int k = 0; k < count; k++) {
        free(list[k].name);
        free(list[k].path);
    }
    free(list);
}

char* cli_serve_place(const cli_serve_settings* settings, const char* name, const char* ending, char why[200]) {
    static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    char whole[160];
    struct stat info;
    if (settings->folder_count == 0) {
        snprintf(why, 200, "nowhere to save: stiction serve --folder DIR names a place");
        return NULL;
    }
    if (name[0] == '\0' || name[0] == '.' || strlen(name) > 100 || strspn(name, good) != strlen(name)) {
        snprintf(why, 200, "a name of letters, digits, - and _ is expected");
        return NULL;
    }
    snprintf(whole, sizeof whole, "%s%s", name, ends_with(name, ending) ? "" : ending);
    char* path = cli_run_path(settings->folder[0], whole);
    if (path == NULL) {
        snprintf(why, 200, "out of memory");
    } else if (lstat(path, &info) == 0) {
        snprintf(why, 200, "%.120s: is there already", whole);
        free(path);
        path = NULL;
    }
    return path;
}

bool cli_serve_copy(const char* from, const char* to) {
    char bytes[1 << 16];
    const int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool good = in >= 0 && out >= 0;
    for (ssize_t n = 1; good && n > 0;) {
        n = read(in, bytes, sizeof bytes);
        good = n >= 0 && write(out, bytes, (size_t)n) == n;
    }
    if (in >= 0) close(in);
    if (out >= 0 && close(out) != 0) good = false;
    if (!good && out >= 0) unlink(to);
    return good;
}
