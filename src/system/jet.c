// jet.c: forward differentiation over a tape, to second order.
//
// Every entry c = f(a, b) of the tape carries its value, gradient g and Hessian H in the variables it depends on, and
//
//     g_c = f_a g_a + f_b g_b
//     H_c = f_a H_a + f_b H_b + f_aa g_a g_a' + f_ab (g_a g_b' + g_b g_a') + f_bb g_b g_b'
//
// which is exact up to rounding: no step is chosen anywhere. An entry depends on few variables as a rule, so only those
// are stored: sorted, with the places of its arguments' variables among its own found once, when the tape is complete.
// Cost of an evaluation: the sum of squares of these numbers. A program says which entries are wanted, and to which
// order; nothing is allocated while one runs.
#include "system/jet.h"

#include <string.h>

// ---- set up

enum { MOST_DOUBLES = 20000000 };

static int64_t width(const sti_jets* j, int i) {
    return j->start[i + 1] - j->start[i];
}

static int64_t triangle(int64_t w) {
    return w * (w + 1) / 2;
}

// The variables of entry i: those of its arguments, merged. Returns how many; writes them where out is not NULL.
static int64_t merge(const sti_jets* j, int i, int* out) {
    const sti_node* x = &j->tape->node[i];
    if (x->op == STI_OP_INPUT) {
        const int variable = x->a - sti_tape_first_q(j->tape);
        if (variable >= 0 && out != NULL) out[0] = variable;
        return variable >= 0;
    }
    const bool one = x->a >= 0, two = x->b >= 0;
    int64_t k = one ? j->start[x->a] : 0, l = two ? j->start[x->b] : 0, count = 0;
    const int64_t end_k = one ? j->start[x->a + 1] : 0, end_l = two ? j->start[x->b + 1] : 0;
    while (k < end_k || l < end_l) {
        const int p = k < end_k ? j->support[k] : j->variable_count, q = l < end_l ? j->support[l] : j->variable_count;
        const int least = p < q ? p : q;
        k += p == least;
        l += q == least;
        if (out != NULL) out[count] = least;
        count++;
    }
    return count;
}

// Supports grow with the tape: each entry at most all variables, so the array is extended as needed.
static sti_status find_supports(sti_jets* j) {
    int64_t capacity = 0;
    j->start[0] = 0;
    j->jet[0] = 0;
    for (int i = 0; i < j->tape->count; i++) {
        if (j->start[i] + j->variable_count > capacity) {
            capacity = 2 * capacity + 64 + j->variable_count;
            int* grown =
                capacity > MOST_DOUBLES ? NULL : sti_realloc(j->env, j->support, (size_t)capacity * sizeof *j->support);
            if (grown == NULL) return STI_ERR_MEMORY;
            j->support = grown;
        }
        const int64_t w = merge(j, i, j->support + j->start[i]);
        j->start[i + 1] = j->start[i] + w;
        j->jet[i + 1] = j->jet[i] + w + triangle(w);
        if (j->jet[i + 1] > MOST_DOUBLES)
            return STI_FAIL(j->env, STI_ERR_SIZE, i, "the derivatives of the formulas take more than %d numbers",
                            MOST_DOUBLES);
    }
    return STI_OK;
}

// Places of the argument's variables among those of entry i.
static void find_places(sti_jets* j, int i, int argument, int64_t at) {
    int64_t k = j->start[i];
    for (int64_t l = j->start[argument]; l < j->start[argument + 1]; l++) {
        while (j->support[k] != j->support[l]) k++;
        j->place[at++] = (int)(k - j->start[i]);
    }
}

static sti_status find_maps(sti_jets* j) {
    int64_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (int i = 0; i < j->tape->count; i++) {
            const sti_node* x = &j->tape->node[i];
            const int argument[2] = {sti_op_arguments(x->op) > 0 ? x->a : -1, x->b};
            for (int s = 0; s < 2; s++) {
                j->map[2 * i + s] = -1;
                if (argument[s] < 0 || width(j, argument[s]) == width(j, i)) continue;
                j->map[2 * i + s] = count;
                if (pass == 1) find_places(j, i, argument[s], count);
                count += width(j, argument[s]);
            }
        }
        if (pass == 1) break;
        j->place = sti_alloc_array(j->env, (size_t)count, sizeof *j->place);
        if (j->place == NULL) return STI_ERR_MEMORY;
    }
    return STI_OK;
}

sti_status sti_jets_init(sti_jets* j, sti_env* env, const sti_tape* tape) {
    const size_t count = (size_t)tape->count;
    *j = (sti_jets){.env = env, .tape = tape, .variable_count = 2 * tape->n + 1, .kink = -1};
    j->memory = sti_arena_make(env);
    j->start = sti_arena_raw(&j->memory, count + 1, sizeof *j->start);
    j->jet = sti_arena_raw(&j->memory, count + 1, sizeof *j->jet);
    j->map = sti_arena_raw(&j->memory, 2 * count, sizeof *j->map);
    j->x = sti_arena_take(&j->memory, count, sizeof *j->x);
    j->kinked = sti_arena_take(&j->memory, count, 1);
    sti_status status = STI_OK;
    if (j->memory.status != STI_OK) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = find_supports(j);
    if (status == STI_OK) status = find_maps(j);
    if (status == STI_OK) {
        j->d = sti_arena_take(&j->memory, (size_t)j->jet[count], sizeof *j->d);
        if (j->memory.status != STI_OK) status = STI_ERR_MEMORY;
    }
    if (status != STI_OK) sti_jets_clear(j);
    return status;
}

void sti_jets_clear(sti_jets* j) {
    sti_arena_clear(&j->memory);
    sti_free(j->env, j->support);
    sti_free(j->env, j->place);
    *j = (sti_jets){0};
}

// ---- programs

sti_status sti_program_init(sti_program* program, sti_env* env, const sti_tape* tape) {
    program->order = sti_alloc_array(env, (size_t)tape->count, 1);
    if (program->order == NULL) return STI_ERR_MEMORY;
    memset(program->order, STI_JET_SKIP, (size_t)tape->count);
    return STI_OK;
}

void sti_program_clear(sti_env* env, sti_program* program) {
    sti_free(env, program->order);
    program->order = NULL;
}

void sti_program_want(sti_program* program, int entry, int order) {
    if (program->order[entry] == STI_JET_SKIP || program->order[entry] < order)
        program->order[entry] = (unsigned char)order;
}

void sti_program_finish(sti_program* program, const sti_tape* tape) {
    for (int i = tape->count - 1; i >= 0; i--) {
        if (program->order[i] == STI_JET_SKIP || sti_op_arguments(tape->node[i].op) == 0) continue;
        sti_program_want(program, tape->node[i].a, program->order[i]);
        if (tape->node[i].b >= 0) sti_program_want(program, tape->node[i].b, program->order[i]);
    }
}

// ---- evaluation

// One argument of the entry at work: its jet, and where its variables stand among those of the entry.
typedef struct argument {
    int64_t w;
    const double* g;   // gradient (w), Hessian behind it
    const int* place;  // NULL: the same variables
} argument;

static argument look_at(const sti_jets* j, int i, int s, int entry) {
    const int64_t map = j->map[2 * i + s];
    return (argument){.w = width(j, entry), .g = j->d + j->jet[entry], .place = map < 0 ? NULL : j->place + map};
}

static int64_t place(const argument* a, int64_t k) {
    return a->place == NULL ? k : a->place[k];
}

static void add_gradient(double* g, const argument* a, double f) {
    for (int64_t k = 0; k < a->w; k++) g[place(a, k)] += f * a->g[k];
}

// H += f H_a + s g_a g_a'
static void add_hessian(double* H, const argument* a, double f, double s) {
    const double* Ha = a->g + a->w;
    for (int64_t k = 0; k < a->w; k++) {
        const int64_t row = triangle(place(a, k));
        const double sk = s * a->g[k];
        for (int64_t l = 0; l <= k; l++) H[row + place(a, l)] += f * *Ha++ + sk * a->g[l];
    }
}

// H += f (g_a g_b' + g_b g_a')
static void add_mixed(double* H, const argument* a, const argument* b, double f) {
    for (int64_t k = 0; k < a->w; k++) {
        const int64_t p = place(a, k);
        const double fk = f * a->g[k];
        if (fk == 0) continue;
        for (int64_t l = 0; l < b->w; l++) {
            const int64_t q = place(b, l);
            const double add = fk * b->g[l];
            H[p > q ? triangle(p) + q : triangle(q) + p] += p == q ? 2 * add : add;
        }
    }
}

static void differentiate(sti_jets* j, int i, int order, const sti_partials* p) {
    const sti_node* x = &j->tape->node[i];
    const int64_t w = width(j, i);
    double *g = j->d + j->jet[i], *H = g + w;
    const argument a = look_at(j, i, 0, x->a);
    memset(g, 0, (size_t)(order == 2 ? w + triangle(w) : w) * sizeof *g);
    if (a.w > 0) add_gradient(g, &a, p->a);
    if (a.w > 0 && order == 2) add_hessian(H, &a, p->a, p->aa);
    if (x->b < 0) return;
    const argument b = look_at(j, i, 1, x->b);
    if (b.w == 0) return;
    add_gradient(g, &b, p->b);
    if (order < 2) return;
    add_hessian(H, &b, p->b, p->bb);
    if (a.w > 0 && p->ab != 0) add_mixed(H, &a, &b, p->ab);
}

static void input(sti_jets* j, int i, int order, const double* inputs) {
    j->x[i] = inputs[j->tape->node[i].a];
    if (order == 0 || width(j, i) == 0) return;
    j->d[j->jet[i]] = 1;
    j->d[j->jet[i] + 1] = 0;
}

void sti_jets_evaluate(sti_jets* j, const sti_program* program, const double* inputs) {
    const sti_tape* tape = j->tape;
    j->kink = -1;
    for (int i = 0; i < tape->count; i++) {
        const sti_node* x = &tape->node[i];
        const int order = program->order[i];
        if (order == STI_JET_SKIP) continue;
        if (x->op == STI_OP_CONSTANT) {
            j->x[i] = x->value;
        } else if (x->op == STI_OP_INPUT) {
            input(j, i, order, inputs);
        } else {
            sti_partials p;
            const int wanted = width(j, i) > 0 ? order : 0;
            const bool in_b = x->b >= 0 && width(j, x->b) > 0;
            const bool kink = sti_op_evaluate(x->op, j->x[x->a], x->b >= 0 ? j->x[x->b] : 0, wanted, in_b, &p);
            j->x[i] = p.f;
            if (wanted > 0) differentiate(j, i, wanted, &p);
            if (wanted > 0 && kink && j->kink < 0 && !j->kinked[i]) {
                j->kinked[i] = 1;
                j->kink = i;
            }
        }
    }
}

double sti_jets_gradient(const sti_jets* j, int entry, int variable) {
    for (int64_t k = 0; k < width(j, entry); k++) {
        if (j->support[j->start[entry] + k] == variable) return j->d[j->jet[entry] + k];
    }
    return 0;
}

void sti_jets_add_gradient(const sti_jets* j, int entry, int first, int count, double factor, double* out) {
    for (int64_t k = 0; k < width(j, entry); k++) {
        const int variable = j->support[j->start[entry] + k] - first;
        if (variable >= 0 && variable < count) out[variable] += factor * j->d[j->jet[entry] + k];
    }
}

const double* sti_jets_hessian(const sti_jets* j, int entry, const int** variables, int* count) {
    *variables = j->support + j->start[entry];
    *count = (int)width(j, entry);
    return j->d + j->jet[entry] + width(j, entry);
}
