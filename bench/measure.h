// measure.h: clocks, memory, and work in a process of its own.
#ifndef STI_BENCH_MEASURE_H
#define STI_BENCH_MEASURE_H

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline double bench_clock(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// CPU time of the thread: that of the process is told only at ticks while a timer on it runs (bench_apart sets one).
static inline double bench_cpu(void) {
    return bench_clock(CLOCK_THREAD_CPUTIME_ID);
}

static inline double bench_wall(void) {
    return bench_clock(CLOCK_MONOTONIC);
}

static inline double bench_peak_mb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static inline void* bench_memory(size_t count, size_t size) {
    void* p = calloc(count > 0 ? count : 1, size);
    if (p == NULL) {
        fprintf(stderr, "bench: out of memory\n");
        exit(3);
    }
    return p;
}

typedef enum bench_end { BENCH_RETURNED, BENCH_SLOW, BENCH_CRASHED } bench_end;

// work(context, out) in a child that may use limit_s of CPU time, and ten times that of wall time; the size bytes at
// out come back. What it prints is dropped. CPU time, so that other work on the machine stops nobody.
static inline bench_end bench_apart(void (*work)(void* context, void* out), void* context, void* out, size_t size,
                                    double limit_s) {
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) return BENCH_CRASHED;
    const pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) _exit(2);
        const double seconds = floor(limit_s);
        const struct itimerval limit = {
            .it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(1e6 * (limit_s - seconds)) + 1}};
        setitimer(ITIMER_PROF, &limit, NULL);
        alarm((unsigned)ceil(10 * limit_s));
        work(context, out);
        _exit(write(ends[1], out, size) == (ssize_t)size ? 0 : 2);
    }
    close(ends[1]);
    bench_end end = BENCH_CRASHED;
    if (child > 0) {
        size_t got = 0;
        for (ssize_t part = 1; got < size && part > 0; got += part > 0 ? (size_t)part : 0)
            part = read(ends[0], (char*)out + got, size - got);
        int how = 0;
        waitpid(child, &how, 0);
        if (got == size)
            end = BENCH_RETURNED;
        else if (WIFSIGNALED(how) && (WTERMSIG(how) == SIGPROF || WTERMSIG(how) == SIGALRM))
            end = BENCH_SLOW;
    }
    close(ends[0]);
    return end;
}

// Slope of log y over log x by least squares; NAN: fewer than two points.
static inline double bench_exponent(int count, const double* x, const double* y) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < count; k++) {
        const double u = log(x[k]), v = log(y[k]);
        sx += u, sy += v, sxx += u * u, sxy += u * v;
    }
    return count >= 2 ? (count * sxy - sx * sy) / (count * sxx - sx * sx) : NAN;
}

// Is word in the comma separated list?
static inline bool bench_listed(const char* list, const char* word, size_t length) {
    for (const char* at = list; *at != 0;) {
        size_t end = 0;
        while (at[end] != 0 && at[end] != ',') end++;
        size_t same = 0;
        while (same < length && same < end && at[same] == word[same]) same++;
        if (same == length && end == length) return true;
        at += end + (at[end] == ',');
    }
    return false;
}

#endif
