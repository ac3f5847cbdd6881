// jam.c: why a step has no solution, S3 figure 2.8.
//
// By theorem 2.4.1 the cone of friction of the step's contacts is not pointed then: there are forces in the friction
// cones, not all zero, whose wrenches add up to nothing. Such forces grow without bound when what exerts them keeps
// moving. Which ones are found decides what the step is called:
//
//     damage   the tips that move are enough by themselves: they press the parts between each other, figure 2.8 (b)
//     stuck    they are not, and what stands still (a fixture, a passive probe, a probe that has stopped) takes part,
//              (a)
//
// Contacts are taken in the order of their gap at the end of the step were the parts to stay, so that few and near ones
// are blamed. Lack of pointedness alone proves nothing (errata S3-E16: a probe at rest may hold a part); that the step
// has no solution is what the certificate of its problem proves.
#include <math.h>
#include <stdio.h>
#include <stiction/pointed.h>
#include <string.h>

#include "manipulation/manipulation.h"

void sti_push_jam_clear(sti_env* env, sti_push_jam* jam) {
    sti_free(env, jam->contact);
    sti_free(env, jam->normal);
    *jam = (sti_push_jam){0};
}

typedef struct search {
    sti_push* p;
    int n, count;
    int* order;       // contacts that may take part, nearest first            (count)
    int* direction;   // (count + 1)
    double* normals;  // (count x n)
    double* sides;    // t and -t of each                                       (2 count x n)
    double* mu;       // (count)
} search;

static double gap_ahead(const sti_push* p, int i) {
    return p->contacts[i].gap + p->h * p->contacts[i].rate_n;
}

static bool moves(const sti_push* p, const sti_push_contact* c) {
    double x[2], v[2];
    if (c->against != STI_PUSH_TIP) return false;
    sti_manipulation_tip(p->m, c->other, sti_push_time(p), x, v);
    return v[0] != 0 || v[1] != 0;
}

static void gather(search* s, bool moving) {
    sti_push* p = s->p;
    s->count = 0;
    for (int i = 0; i < p->contact_count; i++) {
        const sti_push_contact* c = &p->contacts[i];
        if (moving && !moves(p, c) && c->against != STI_PUSH_PART) continue;
        int at = s->count++;
        for (; at > 0 && gap_ahead(p, s->order[at - 1]) > gap_ahead(p, i); at--) s->order[at] = s->order[at - 1];
        s->order[at] = i;
    }
    for (int k = 0; k < s->count; k++) {
        const size_t n = (size_t)s->n, row = (size_t)k * n;
        const sti_push_contact* c = &p->contacts[s->order[k]];
        sti_push_wrench(c, p->q, s->n, s->normals + row, s->sides + 2 * row);
        for (size_t j = 0; j < n; j++) s->sides[2 * row + n + j] = -s->sides[2 * row + j];
        s->mu[k] = c->mu;
        s->direction[k] = 2 * k;
    }
    s->direction[s->count] = 2 * s->count;
}

static sti_status keep(search* s, int count, const double* x) {
    sti_push_jam* jam = &s->p->jam;
    double sum = 0;
    for (int k = 0; k < count; k++) sum += x[k];
    jam->contact = sti_alloc_array_zero(s->p->env, (size_t)count, sizeof *jam->contact);
    jam->normal = sti_alloc_array_zero(s->p->env, 3 * (size_t)count, sizeof *jam->normal);
    if (jam->contact == NULL || jam->normal == NULL) return STI_ERR_MEMORY;
    jam->left = jam->normal + count;
    jam->right = jam->left + count;
    for (int k = 0; k < count; k++) {
        if (!(x[k] > 1e-9 * sum)) continue;
        const int at = jam->count++;
        const double both = fmin(x[count + 2 * k], x[count + 2 * k + 1]);  // friction against itself says nothing
        jam->contact[at] = s->order[k];
        jam->normal[at] = x[k] / sum;
        jam->left[at] = (x[count + 2 * k] - both) / sum;
        jam->right[at] = (x[count + 2 * k + 1] - both) / sum;
    }
    s->p->jammed = true;
    return STI_OK;
}

// The first contacts whose cone is not pointed, and the combination.
static sti_status find(search* s, bool moving, bool* found) {
    sti_status status = STI_OK;
    gather(s, moving);
    *found = false;
    for (int count = 2; status == STI_OK && !*found && count <= s->count; count++) {
        const sti_friction_cone cone = {.dimension = s->n,
                                        .contact_count = count,
                                        .normals = s->normals,
                                        .mu = s->mu,
                                        .direction = s->direction,
                                        .directions = s->sides};
        sti_friction_cone_margin margin;
        status = sti_friction_cone_measure(s->p->env, &cone, &margin);
        if (status != STI_OK) break;
        *found = !margin.pointed;
        if (*found) status = keep(s, count, margin.x);
        sti_friction_cone_margin_clear(s->p->env, &margin);
    }
    return status;
}

// Names of all that take part, each once.
static void say(const sti_push* p, sti_push_end end, char* why, size_t size) {
    size_t at = (size_t)snprintf(why, size, "%s: ", sti_push_end_text(end));
    const size_t first = at;
    for (int k = 0; k < p->jam.count; k++) {
        char name[100], before[100];
        bool told = false;
        sti_manipulation_contact_text(p->m, &p->contacts[p->jam.contact[k]], name, sizeof name);
        for (int i = 0; i < k && !told; i++) {
            sti_manipulation_contact_text(p->m, &p->contacts[p->jam.contact[i]], before, sizeof before);
            told = strcmp(name, before) == 0;
        }
        if (!told && at < size) at += (size_t)snprintf(why + at, size - at, "%s%.60s", at > first ? " and " : "", name);
    }
    if (at < size) snprintf(why + at, size - at, " press against each other, and their wrenches add up to zero");
}

sti_status sti_push_explain(sti_push* p, sti_push_end* end, char* why, size_t size) {
    const size_t nc = (size_t)p->contact_count, n = 3 * (size_t)p->m->part_count;
    search s = {.p = p, .n = (int)n};
    bool found = false;
    s.order = sti_alloc_array_zero(p->env, 2 * nc + 1, sizeof *s.order);
    s.normals = sti_alloc_array_zero(p->env, sti_size_add(sti_size_mul(3 * nc, n), nc), sizeof *s.normals);
    sti_status status = s.order != NULL && s.normals != NULL ? STI_OK : STI_ERR_MEMORY;
    if (status == STI_OK) {
        s.direction = s.order + nc;
        s.sides = s.normals + nc * n;
        s.mu = s.sides + 2 * nc * n;
        status = find(&s, true, &found);
    }
    *end = STI_PUSH_DAMAGE;
    if (status == STI_OK && !found) {
        *end = STI_PUSH_STUCK;
        status = find(&s, false, &found);
    }
    if (status == STI_OK && found) say(p, *end, why, size);
    if (status == STI_OK && !found) {
        *end = STI_PUSH_UNKNOWN;
        snprintf(why, size, "the step has no solution, and no wrenches were found that add up to zero");
    }
    sti_free(p->env, s.order);
    sti_free(p->env, s.normals);
    return status;
}
