// peg_scene.h: the pegs of the reference cases as files of kind "manipulation": walls become boxes behind their face.
#ifndef TESTS_MANIPULATION_PEG_SCENE_H
#define TESTS_MANIPULATION_PEG_SCENE_H

#include <math.h>
#include <stdlib.h>
#include <stiction/stiction.h>

#include "support/near.h"
#include "support/oracle.h"

enum { PEG_TEXT = 8000 };

typedef struct peg_text {
    char text[PEG_TEXT];
    size_t size;
} peg_text;

static inline void must(sti_env* env, sti_status status) {
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
}

__attribute__((format(printf, 2, 3))) static inline void peg_put(peg_text* p, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    p->size += (size_t)vsnprintf(p->text + p->size, PEG_TEXT - p->size, format, arguments);
    va_end(arguments);
    assert_true(p->size < PEG_TEXT);
}

static inline double peg_number(const cJSON* list, int i) {
    return cJSON_GetNumberValue(cJSON_GetArrayItem(list, i));
}

static inline double peg_field(const cJSON* object, const char* key) {
    return cJSON_GetNumberValue(cJSON_GetObjectItem(object, key));
}

static inline void peg_put_support(peg_text* p, const cJSON* item) {
    const cJSON *points = oracle_get(item, "inputs", "support_points_body"),
                *c = oracle_get(item, "inputs", "support_coefficients");
    if (points == NULL) {
        peg_put(p, "[[0.4, 0, 1], [-0.2, \"0.2*sqrt(3)\", 1], [-0.2, \"-0.2*sqrt(3)\", 1]]");
        return;
    }
    for (int i = 0; i < cJSON_GetArraySize(points); i++) {
        const cJSON* at = cJSON_GetArrayItem(points, i);
        peg_put(p, "%s[%.17g, %.17g, %.17g]", i == 0 ? "[" : ", ", peg_number(at, 0), peg_number(at, 1),
                peg_number(c, i));
    }
    peg_put(p, "]");
}

static inline bool peg_is_probe(const cJSON* contact) {
    return strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(contact, "type")), "probe") == 0;
}

static inline void peg_put_probe(peg_text* p, const cJSON* c, bool first) {
    const cJSON* p0 = cJSON_GetObjectItem(c, "p0");
    peg_put(p, "%s{\"tips\": [[%.17g, %.17g]], \"direction\": %.17g, \"speed\": %.17g, \"mu\": %.17g}",
            first ? "" : ", ", peg_number(p0, 0), peg_number(p0, 1), peg_field(c, "direction_rad"),
            peg_field(c, "speed"), peg_field(c, "mu"));
}

// N x >= o is free: a box of 4 by 20 behind that line.
static inline void peg_put_wall(peg_text* p, const cJSON* c, bool first) {
    const cJSON* N = cJSON_GetObjectItem(c, "N");
    const double x = peg_number(N, 0), y = peg_number(N, 1), o = peg_field(c, "o");
    static const double corner[4][2] = {{0, -10}, {0, 10}, {-4, 10}, {-4, -10}};
    peg_put(p, "%s{\"polygon\": [", first ? "" : ", ");
    for (int k = 0; k < 4; k++)
        peg_put(p, "%s[%.17g, %.17g]", k == 0 ? "" : ", ", x * (o + corner[k][0]) - y * corner[k][1],
                y * (o + corner[k][0]) + x * corner[k][1]);
    peg_put(p, "], \"mu\": %.17g}", peg_field(c, "mu"));
}

static inline bool peg_same_wall(const cJSON* a, const cJSON* b) {
    const cJSON *N = cJSON_GetObjectItem(a, "N"), *M = cJSON_GetObjectItem(b, "N");
    return peg_number(N, 0) == peg_number(M, 0) && peg_number(N, 1) == peg_number(M, 1) &&
           peg_field(a, "o") == peg_field(b, "o");
}

static inline sti_document* peg_problem(sti_env* env, const cJSON* item, peg_text* p) {
    const cJSON *contacts = oracle_get(item, "inputs", "contacts"), *q0 = oracle_get(item, "inputs", "q0"), *c;
    const double h = oracle_number(item, "inputs", "h");
    p->size = 0;
    peg_put(p, "{\"kind\": \"manipulation\", \"h\": %.17g, \"steps\": 100, \"parts\": [{\"name\": \"peg\", ", h);
    peg_put(p, "\"polygon\": [[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]], \"pose\": [%.17g, %.17g, %.17g], ",
            peg_number(q0, 0), peg_number(q0, 1), peg_number(q0, 2));
    peg_put(p, "\"support\": {\"points\": ");
    peg_put_support(p, item);
    peg_put(p, "}}], \"probes\": [");
    bool first = true;
    cJSON_ArrayForEach(c, contacts) {
        if (!peg_is_probe(c)) continue;
        peg_put_probe(p, c, first);
        first = false;
    }
    peg_put(p, "], \"fixtures\": [");
    const cJSON* last = NULL;
    cJSON_ArrayForEach(c, contacts) {
        if (peg_is_probe(c) || (last != NULL && peg_same_wall(last, c))) continue;
        peg_put_wall(p, c, last == NULL);
        last = c;
    }
    peg_put(p, "]}");
    sti_document* problem;
    must(env, sti_document_parse(env, p->text, p->size, oracle_id(item), &problem));
    assert_int_equal(sti_document_kind(problem), STI_KIND_MANIPULATION);
    return problem;
}

#endif
