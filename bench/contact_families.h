// contact_families.h: the generated problems that bench_contact puts beside those of the collection.
//
//     plane    few2, wall2, stacks2, discs2               local form
//     space    few3, wall3, stacks3, spheres3, chains3    local form
//     global   wall, stacks, spheres, elastic             global form, in space
//
// few: few contacts press among many (contact_random.h). A digit at the end: bodies in the plane (contact_plane.h) or
// in space (contact_generate.h), reduced to local form, joints and all, before anybody's time is taken. elastic: a mass
// matrix of finite elements (contact_elastic.h). All speeds and frictions come from the seed.
#ifndef STI_BENCH_CONTACT_FAMILIES_H
#define STI_BENCH_CONTACT_FAMILIES_H

#include "contact/reduce.h"
#include "contact_elastic.h"
#include "contact_generate.h"
#include "contact_plane.h"
#include "contact_random.h"

typedef struct family_problem {
    char family[12];
    int group;  // plane, space, global
    sti_contact_problem problem;
} family_problem;

typedef struct family_kind {
    const char* name;
    int group;
} family_kind;

static const family_kind families[] = {{"few2", 0},   {"wall2", 0},   {"stacks2", 0},  {"discs2", 0},  {"few3", 1},
                                       {"wall3", 1},  {"stacks3", 1}, {"spheres3", 1}, {"chains3", 1}, {"wall", 2},
                                       {"stacks", 2}, {"spheres", 2}, {"elastic", 2}};
enum { FAMILIES = sizeof families / sizeof *families };

// u = W r + q of a problem in global form. What it is made of stays until the program ends.
static inline sti_contact_problem family_local(sti_env* env, const sti_contact_problem* p) {
    sti_contact_reduction* red = bench_memory(1, sizeof *red);
    if (sti_contact_reduce(env, p, red) != STI_OK) {
        fprintf(stderr, "bench: %s\n", sti_env_error(env)->text);
        exit(3);
    }
    const sti_bsr* W = &red->local.W;
    const int d = W->d, n = d * W->n;
    sti_matrix out = {.rows = n, .cols = n};
    out.col_start = bench_memory((size_t)n + 1, sizeof *out.col_start);
    out.row = bench_memory((size_t)(d * d) * (size_t)W->row_start[W->n], sizeof *out.row);
    out.value = bench_memory((size_t)(d * d) * (size_t)W->row_start[W->n], sizeof *out.value);
    for (int c = 0; c < W->n; c++) {  // W is symmetric: its rows are its columns
        for (int a = 0; a < d; a++) {
            int64_t at = out.col_start[d * c + a];
            for (int64_t k = W->row_start[c]; k < W->row_start[c + 1]; k++) {
                for (int e = 0; e < d; e++) {
                    out.row[at] = d * W->col[k] + e;
                    out.value[at++] = W->block[(k * d + a) * d + e];
                }
            }
            out.col_start[d * c + a + 1] = at;
        }
    }
    return (sti_contact_problem){.dimension = d, .contact_count = W->n, .mu = p->mu, .W = out, .q = red->local.q};
}

static inline sti_contact_problem family_few(uint64_t seed, int d, int contacts) {
    static const double parts[3] = {0.05, 0.15, 0.5};
    random_local* few = bench_memory(1, sizeof *few);
    random_few(seed, d, contacts, parts[seed % 3], few);
    return few->problem;
}

static inline sti_contact_problem family_elastic(uint64_t seed, int contacts) {
    elastic* e = bench_memory(1, sizeof *e);
    int cells = 1;
    while ((cells + 1) * (cells + 1) < contacts) cells++;
    elastic_block(seed, 3, cells, e);
    return e->problem;
}

// About so many contacts.
static inline sti_contact_problem family_make(sti_env* env, const char* name, uint64_t seed, int contacts) {
    char word[12] = "";
    const size_t length = strlen(name);
    const bool local = name[length - 1] == '2' || name[length - 1] == '3';
    memcpy(word, name, local ? length - 1 : length);
    if (strcmp(word, "few") == 0) return family_few(seed, name[length - 1] - '0', contacts);
    if (strcmp(word, "elastic") == 0) return family_elastic(seed, contacts);
    if (name[length - 1] == '2') {
        plane* g = bench_memory(1, sizeof *g);
        plane_generate(word, seed, contacts, g);
        return family_local(env, &g->problem);
    }
    generated* g = bench_memory(1, sizeof *g);
    generate(word, contacts, g);
    generate_shake(g, seed);
    return local ? family_local(env, &g->problem) : g->problem;
}

#endif
