// fuzz_command.c: any line of words given to the command, whose main() is called here (StictionFuzz.cmake names it
// stiction_main). It may answer with exit code 0, 1 or 2 and with nothing else.
//
// A byte is a word: a verb, an option, the name of a file that lies there, or, from 240 on, a text of the bytes behind
// it made of digits and letters. No word has a slash or is "..", and the command runs in a folder of its own in TMPDIR
// (or /tmp), so it writes nowhere else; whatever it made is removed before the next line. cli/limit.c, which ends the
// process by an alarm, is replaced by limits of a third of a second.
#include <dirent.h>
#include <sys/stat.h>
#include <time.h>

#include "cli.h"
#include "fuzz.h"

int stiction_main(int argc, char** argv);

// ---- limits, instead of cli/limit.c

#define LIMIT_S 0.3
static double begun;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_limit_begin(const cli* c) {
    begun = now();
    sti_env_limit_time(c->env, LIMIT_S);
}

bool cli_limit_reached(void) {
    return now() - begun > LIMIT_S;
}

double cli_limit_soft(const cli* c) {
    sti_env_limit_time(c->env, LIMIT_S);
    return LIMIT_S;
}

void cli_limit_none(const cli* c) {
    (void)c;
}

// ---- the folder

enum { FILES_MOST = 150, NAME = 64 };
static char folder[256], files[FILES_MOST][NAME];
static int file_count;

// A file, or a folder with all that is in it. Links are removed, not followed.
static void remove_tree(const char* path) {
    if (remove(path) == 0) return;
    DIR* dir = opendir(path);
    if (dir == NULL) return;
    for (struct dirent* e = readdir(dir); e != NULL; e = readdir(dir)) {
        char inside[1000];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(inside, sizeof inside, "%.700s/%.255s", path, e->d_name);
        remove_tree(inside);
    }
    closedir(dir);
    remove(path);
}

static void remove_folder(void) {
    remove_tree(folder);
}

static bool is_ours(const char* name) {
    for (int k = 0; k < file_count; k++) {
        if (strcmp(files[k], name) == 0) return true;
    }
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void remove_what_was_made(void) {
    DIR* dir = opendir(".");
    if (dir == NULL) abort();
    for (struct dirent* e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (!is_ours(e->d_name)) remove_tree(e->d_name);
    }
    closedir(dir);
}

static int by_name(const void* a, const void* b) {
    return strcmp(a, b);
}

// The seeds of the other targets, and the smaller problems and scenes, under their names.
static void copy_files(const char* from) {
    char path[700];
    DIR* dir = opendir(from);
    if (dir == NULL) abort();
    for (struct dirent* e = readdir(dir); e != NULL; e = readdir(dir)) {
        struct stat info;
        snprintf(path, sizeof path, "%.400s/%.200s", from, e->d_name);
        if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > 20000 || file_count == FILES_MOST)
            continue;
        if (strlen(e->d_name) >= NAME || is_ours(e->d_name)) continue;
        size_t size;
        char* bytes = fuzz_read(path, &size);
        snprintf(files[file_count], NAME, "%.*s", NAME - 1, e->d_name);
        fuzz_write(files[file_count++], bytes, size);
        free(bytes);
    }
    closedir(dir);
}

static void make_folder(void) {
    static const char* const from[] = {"fuzz/corpus/json",  "fuzz/corpus/answer", "fuzz/corpus/hdf5",
                                       "fuzz/corpus/fclib", "fuzz/corpus/urdf",   "problems"};
    fuzz_name(folder, "-command");
    if (mkdir(folder, 0700) != 0 || chdir(folder) != 0) abort();
    atexit(remove_folder);
    for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
        char path[500];
        snprintf(path, sizeof path, "%s/%s", STI_SOURCE_DIR, from[k]);
        copy_files(path);
    }
    qsort(files, (size_t)file_count, sizeof files[0], by_name);
}

// ---- words

static const char* const words[] = {"solve",
                                    "verify",
                                    "inspect",
                                    "cone",
                                    "analyze",
                                    "run",
                                    "scenes",
                                    "bench",
                                    "help",
                                    "version",
                                    "modes",
                                    "sticking",
                                    "closure",
                                    "velocities",
                                    "impact",
                                    "painleve",
                                    "--json",
                                    "--quiet",
                                    "--verbose",
                                    "--help",
                                    "--solver",
                                    "auto",
                                    "lemke",
                                    "enum",
                                    "newton",
                                    "pgs",
                                    "ipm",
                                    "gs",
                                    "apgd",
                                    "bb",
                                    "admm",
                                    "--all",
                                    "--tol",
                                    "--time-limit",
                                    "--max-iterations",
                                    "--covering",
                                    "--omega",
                                    "--minimum-norm",
                                    "--output",
                                    "o.json",
                                    "o.hdf5",
                                    "--work-limit",
                                    "--polar",
                                    "--project",
                                    "--contains",
                                    "--max-rays",
                                    "--max-cones",
                                    "--exact-limit",
                                    "--set",
                                    "--time",
                                    "--step",
                                    "--out",
                                    "out",
                                    "--force",
                                    "--resume",
                                    "--picture",
                                    "--frame",
                                    "--threads",
                                    "--checkpoint",
                                    "--problem",
                                    "--csv",
                                    "o.csv",
                                    "--printed",
                                    "--law",
                                    "--impact",
                                    "--scheme",
                                    "--facets",
                                    "--alpha",
                                    "--colour",
                                    "--geometry",
                                    "--jamming",
                                    "--settle",
                                    "0.01",
                                    "0",
                                    "1",
                                    "-1",
                                    "1e-9",
                                    "1e300",
                                    "nan",
                                    "2/3",
                                    "mu=0.5",
                                    "box-stack",
                                    "bouncing-ball",
                                    "painleve-rod",
                                    "arch",
                                    "--",
                                    "-h"};
enum { WORDS = sizeof words / sizeof *words, WORDS_MOST = 12, FREE = 240, FREE_MOST = 12 };

static const char* word_of(const uint8_t** data, const uint8_t* end, char* room) {
    static const char letters[] = "0123456789.eE+-,=xyzmuinfa_kd:{}";
    const int first = *(*data)++;
    if (first < FREE) {
        const int k = first % (WORDS + file_count);
        return k < WORDS ? words[k] : files[k - WORDS];
    }
    int length = 0;
    for (; length < first - FREE + 1 && length < FREE_MOST && *data < end; length++)
        room[length] = letters[*(*data)++ % (sizeof letters - 1)];
    room[length] = '\0';
    return strcmp(room, "..") == 0 ? "0" : room;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static FILE* sink;
    static char room[WORDS_MOST][FREE_MOST + 1];
    char* line[WORDS_MOST + 3] = {"stiction"};
    int count = 1;
    if (sink == NULL) {
        make_folder();
        sink = fopen("/dev/null", "w");
    }
    for (const uint8_t* end = data + size; data < end && count <= WORDS_MOST;) {
        line[count] = (char*)word_of(&data, end, room[count - 1]);
        count++;
    }
    // runs are short, however long the scene is
    if (count > 1 && strcmp(line[1], "run") == 0) line[count++] = "--time=0.02";
    FILE *out = stdout, *err = stderr;
    stdout = stderr = sink;
    const int code = stiction_main(count, line);
    stdout = out;
    stderr = err;
    if (code < 0 || code > 2) {
        for (int k = 0; k < count; k++) fprintf(stderr, "%s ", line[k]);
        fprintf(stderr, ": exit code %d\n", code);
        abort();
    }
    remove_what_was_made();
    return 0;
}
