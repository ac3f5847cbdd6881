// server.c: the command as a fork server: one process that has loaded everything forks for each request, so that a
// request costs no start of a sanitized program.
//
// A request is a line on stdin, fields between tabs:
//
//     SOFT  HARD  WALL  MEMORY  FOLDER  ARGUMENT  ..
//
// The child works in FOLDER with its output in the files out and err there, runs `stiction ARGUMENT ..`, and exits as a
// program does: the sanitizer then looks for leaks. After SOFT seconds of CPU time it gets SIGINT, which ends a run
// with its step; after HARD seconds of CPU time or WALL seconds by the clock it is killed, and when it holds more than
// MEMORY
// MiB. The answer is a line on stdout:
//
//     exit|signal  NUMBER  CPU-SECONDS  PEAK-MIB  none|soft|hard|wall|memory
//
// The last word is the first limit that was met. Only tools/attack talks to it.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#undef main  // the command's main is built as stiction_main
int stiction_main(int argc, char** argv);

enum { MOST_ARGUMENTS = 64, LINE = 1 << 16 };

typedef enum limit { LIMIT_NONE, LIMIT_SOFT, LIMIT_HARD, LIMIT_WALL, LIMIT_MEMORY } limit;
static const char* const limit_text[] = {"none", "soft", "hard", "wall", "memory"};

typedef struct request {
    double soft, hard, wall, memory;
    const char* folder;
    int argc;
    char* argv[MOST_ARGUMENTS + 2];
} request;

static char* next_field(char** rest) {
    char* field = *rest;
    if (field == NULL) return NULL;
    char* tab = strchr(field, '\t');
    if (tab != NULL) *tab = '\0';
    *rest = tab != NULL ? tab + 1 : NULL;
    return field;
}

static int read_request(char* line, request* r) {
    static char name[] = "stiction";
    double* const limits[] = {&r->soft, &r->hard, &r->wall, &r->memory};
    line[strcspn(line, "\n")] = '\0';
    for (int k = 0; k < 4; k++) {
        const char* field = next_field(&line);
        if (field == NULL) return 0;
        *limits[k] = atof(field);
    }
    r->folder = next_field(&line);
    r->argc = 1;
    r->argv[0] = name;
    for (char* field = next_field(&line); field != NULL && r->argc <= MOST_ARGUMENTS; field = next_field(&line))
        r->argv[r->argc++] = field;
    r->argv[r->argc] = NULL;
    return r->folder != NULL && r->argc > 1;
}

static void redirect(const char* path, int flags, int to) {
    const int fd = open(path, flags, 0644);
    if (fd < 0 || dup2(fd, to) < 0) _exit(99);
    if (fd != to) close(fd);
}

static void become_command(const request* r) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir(r->folder) != 0) _exit(99);
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect("out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect("err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    const struct rlimit files = {(rlim_t)1 << 28, (rlim_t)1 << 28}, core = {0, 0};
    setrlimit(RLIMIT_FSIZE, &files);
    setrlimit(RLIMIT_CORE, &core);
    exit(stiction_main(r->argc, (char**)r->argv));
}

static double seconds_of(clockid_t clock) {
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

static double cpu_of(pid_t child) {
    clockid_t clock;
    return clock_getcpuclockid(child, &clock) == 0 ? seconds_of(clock) : 0;
}

static double memory_of(pid_t child) {
    char path[64];
    long pages = 0, resident = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)child);
    FILE* f = fopen(path, "r");
    if (f == NULL) return 0;
    if (fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
    fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

static limit passed_limit(const request* r, pid_t child, double start) {
    const double cpu = cpu_of(child);
    if (memory_of(child) > r->memory) return LIMIT_MEMORY;
    if (cpu > r->hard) return LIMIT_HARD;
    if (seconds_of(CLOCK_MONOTONIC) - start > r->wall) return LIMIT_WALL;
    return cpu > r->soft ? LIMIT_SOFT : LIMIT_NONE;
}

static void serve(const request* r, const sigset_t* child_ends) {
    const double start = seconds_of(CLOCK_MONOTONIC);
    const struct timespec look = {.tv_nsec = 20000000};
    limit first = LIMIT_NONE;
    int status = 0;
    struct rusage used = {0};
    const pid_t child = fork();
    if (child == 0) become_command(r);
    while (child > 0 && wait4(child, &status, WNOHANG, &used) == 0) {
        const limit passed = passed_limit(r, child, start);
        if (passed > LIMIT_SOFT)
            kill(child, SIGKILL);
        else if (passed == LIMIT_SOFT && first == LIMIT_NONE)
            kill(child, SIGINT);
        if (first == LIMIT_NONE || passed > LIMIT_SOFT) first = passed;
        sigtimedwait(child_ends, NULL, &look);
    }
    const double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    if (child < 0)
        printf("signal 0 0 0 none\n");
    else
        printf("%s %d %.3f %ld %s\n", WIFEXITED(status) ? "exit" : "signal",
               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), cpu, used.ru_maxrss / 1024,
               limit_text[first]);
    fflush(stdout);
}

int main(void) {
    static char line[LINE];
    sigset_t child_ends;
    request r;
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ends, NULL);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (!read_request(line, &r)) return 2;
        serve(&r, &child_ends);
    }
    return 0;
}
