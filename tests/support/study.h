// study.h: the frame of a random study (CONTRIBUTING.md, "Random studies"): its arguments, what is wrong, its last
// line.
#ifndef SUPPORT_STUDY_H
#define SUPPORT_STUDY_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"

typedef struct study {
    const char* name;  // of the program
    unsigned long long seed;
    long count, at, wrong;  // problems, the one that is tried, false answers
    sti_rng rng;
    sti_env* env;
} study;

// Not 0: with this code the program ends.
static inline int study_open(study* s, int argc, char** argv) {
    const char* slash = strrchr(argv[0], '/');
    *s = (study){.name = slash != NULL ? slash + 1 : argv[0]};
    if (argc == 3) s->count = strtol(argv[2], NULL, 10);
    if (s->count < 1) {
        fprintf(stderr, "usage: %s SEED COUNT\n", s->name);
        return 2;
    }
    s->seed = strtoull(argv[1], NULL, 10);
    s->rng = (sti_rng){s->seed};
    return sti_env_create(NULL, &s->env) == STI_OK ? 0 : 3;
}

// why NULL: nothing is wrong.
static inline void study_judge(study* s, const char* why) {
    if (why == NULL) return;
    s->wrong++;
    fprintf(stderr, "seed %llu, %ld: %s\n", s->seed, s->at, why);
}

// What was tried and how the answers are spread; the code of the program.
__attribute__((format(printf, 2, 3))) static inline int study_close(study* s, const char* format, ...) {
    va_list list;
    printf("%s: seed %llu, ", s->name, s->seed);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("; %ld wrong\n", s->wrong);
    sti_env_destroy(s->env);
    return s->wrong > 0;
}

#endif
