// robot_packages.c: packages of ROS somewhere below folders, as rospack finds them.
//
// A folder is the package NAME when it is called so, or when its package.xml has that <name>. Below a package.xml there
// are no packages, and folders whose names begin with a dot are passed over. Those that the robot does not name do not
// count.
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "robot.h"

enum { DEEPEST = 8, MOST_FOLDERS = 20000 };  // a workspace has some hundred folders, a checkout of all robots thousands

typedef struct crawl {
    const char* text;  // of the robot
    char** folder;     // in the order in which they are looked at: nearest first, then by name
    size_t count, capacity;
} crawl;

static int by_name(const void* a, const void* b) {
    return strcmp(*(char* const*)a, *(char* const*)b);
}

static bool add(crawl* w, const char* folder, const char* name) {
    char path[PATH_MAX];
    struct stat info;
    if (w->count == MOST_FOLDERS ||
        snprintf(path, sizeof path, "%s%s%s", folder, *name != '\0' ? "/" : "", name) >= (int)sizeof path)
        return true;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return true;
    if (w->count == w->capacity) {
        const size_t capacity = w->capacity < 64 ? 64 : 2 * w->capacity;
        char** bigger = realloc(w->folder, capacity * sizeof *bigger);
        if (bigger == NULL) return false;
        w->folder = bigger;
        w->capacity = capacity;
    }
    w->folder[w->count] = strdup(path);
    return w->folder[w->count] != NULL && ++w->count > 0;
}

// Is it named in a text, as in package://NAME/ or $(find NAME)?
static bool is_wanted(const char* text, const char* name, size_t length) {
    if (length == 0) return false;
    for (const char* at = strchr(text, *name); at != NULL; at = strchr(at + 1, *name)) {
        if (strncmp(at, name, length) != 0 || at - text < 5) continue;
        const bool begins = strncmp(at - 3, "://", 3) == 0 || strncmp(at - 5, "find ", 5) == 0;
        if (begins && at[length] != '\0' && strchr("/\\)", at[length]) != NULL) return true;
    }
    return false;
}

// *there: the folder has a package.xml. Is it a package that the robot names?
static bool is_package(const crawl* w, const char* folder, bool* there) {
    char path[PATH_MAX], text[1 << 14];
    const char* slash = strrchr(folder, '/');
    const char* own = slash != NULL ? slash + 1 : folder;
    FILE* file = snprintf(path, sizeof path, "%s/package.xml", folder) < (int)sizeof path ? fopen(path, "r") : NULL;
    *there = file != NULL;
    if (is_wanted(w->text, own, strlen(own))) {
        if (file != NULL) fclose(file);
        return true;
    }
    if (file == NULL) return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char* name = strstr(text, "<name>");
    if (name == NULL) return false;
    name += 6 + strspn(name + 6, " \t\r\n");
    return is_wanted(w->text, name, strcspn(name, " \t\r\n<"));
}

// All folders in the folder, by name.
static bool look_into(crawl* w, size_t index) {
    const size_t before = w->count;
    DIR* dir = opendir(w->folder[index]);
    bool done = true;
    for (const struct dirent* e; done && dir != NULL && (e = readdir(dir)) != NULL;) {
        if (e->d_name[0] != '.') done = add(w, w->folder[index], e->d_name);
    }
    if (dir != NULL) closedir(dir);
    if (w->count > before) qsort(w->folder + before, w->count - before, sizeof *w->folder, by_name);
    return done;
}

static bool look_below(crawl* w, cli_json* j, const char* root) {
    bool there, done = add(w, root, "");
    size_t end = w->count;  // of those that lie as deep
    int depth = 0;
    for (size_t k = 0; done && k < w->count; k++) {
        if (k == end) {
            end = w->count;
            depth++;
        }
        if (is_package(w, w->folder[k], &there)) cli_json_text(j, NULL, w->folder[k]);
        if (!there && depth < DEEPEST) done = look_into(w, k);
    }
    for (size_t k = 0; k < w->count; k++) free(w->folder[k]);
    w->count = 0;
    return done;
}

bool cli_robot_put_packages(cli_json* j, const char* text, const char* list, char between) {
    crawl w = {.text = text};
    char path[PATH_MAX], full[PATH_MAX];
    bool done = true;
    if (strstr(text, "://") == NULL && strstr(text, "$(find ") == NULL) return true;
    while (done && list != NULL && *list != '\0') {
        const size_t length = strcspn(list, (char[]){between, '\0'});
        if (length > 0 && snprintf(path, sizeof path, "%.*s", (int)length, list) < (int)sizeof path &&
            realpath(path, full) != NULL)
            done = look_below(&w, j, full);
        list += length + (list[length] != '\0');
    }
    free(w.folder);
    return done;
}
