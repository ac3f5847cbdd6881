// tape.c: building a tape: equal operations once, constants folded; derivatives in time; degrees in the velocities.
#include "system/tape.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

const char* sti_op_name(sti_op op) {
    static const char* const names[] = {
#define STI_X(code, name, arguments) name,
        STI_OP_LIST(STI_X)
#undef STI_X
    };
    return names[op];
}

int sti_op_arguments(sti_op op) {
    static const unsigned char counts[] = {
#define STI_X(code, name, arguments) arguments,
        STI_OP_LIST(STI_X)
#undef STI_X
    };
    return counts[op];
}

void sti_tape_init(sti_tape* tape, sti_env* env, int parameter_count, int n) {
    *tape = (sti_tape){.env = env, .parameter_count = parameter_count, .n = n};
}

void sti_tape_clear(sti_tape* tape) {
    sti_free(tape->env, tape->node);
    sti_free(tape->env, tape->table);
    *tape = (sti_tape){0};
}

// ---- equal entries once

// 0 and -0 are two constants.
static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t hash(const sti_node* x) {
    uint64_t h = (uint64_t)x->op + 1;
    h = (h ^ (uint64_t)(uint32_t)x->a) * 0x9e3779b97f4a7c15u;
    h = (h ^ (uint64_t)(uint32_t)x->b ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ bits_of(x->value) ^ (h >> 32) ^ (uint64_t)(uint8_t)x->off) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

// Where the entry stands in the table, or the free place where it would.
static int find(const sti_tape* tape, const sti_node* x) {
    const int mask = tape->table_size - 1;
    int k = (int)(hash(x) & (uint64_t)mask);
    while (tape->table[k] >= 0) {
        const sti_node* y = &tape->node[tape->table[k]];
        if (y->op == x->op && y->a == x->a && y->b == x->b && bits_of(y->value) == bits_of(x->value) &&
            y->off == x->off)
            break;
        k = (k + 1) & mask;
    }
    return k;
}

static sti_status grow(sti_tape* tape) {
    const int capacity = tape->capacity > 0 ? 2 * tape->capacity : 64, size = 2 * capacity;
    sti_node* node = sti_realloc(tape->env, tape->node, (size_t)capacity * sizeof *node);
    if (node == NULL) return STI_ERR_MEMORY;
    tape->node = node;
    tape->capacity = capacity;
    int* table = sti_alloc_array(tape->env, (size_t)size, sizeof *table);
    if (table == NULL) return STI_ERR_MEMORY;
    sti_free(tape->env, tape->table);
    tape->table = table;
    tape->table_size = size;
    for (int k = 0; k < size; k++) table[k] = -1;
    for (int i = 0; i < tape->count; i++) table[find(tape, &node[i])] = i;
    return STI_OK;
}

static sti_status append(sti_tape* tape, sti_node x, int* out) {
    if (tape->count == tape->capacity) {
        if (tape->count >= STI_TAPE_MOST)
            return STI_FAIL(tape->env, STI_ERR_SIZE, -1, "the formulas have more than %d operations", STI_TAPE_MOST);
        const sti_status status = grow(tape);
        if (status != STI_OK) return status;
    }
    const int k = find(tape, &x);
    if (tape->table[k] < 0) {
        tape->node[tape->count] = x;
        tape->table[k] = tape->count++;
    }
    *out = tape->table[k];
    return STI_OK;
}

sti_status sti_tape_constant(sti_tape* tape, double value, int* out) {
    return append(tape, (sti_node){.op = STI_OP_CONSTANT, .a = -1, .b = -1, .value = value}, out);
}

sti_status sti_tape_constant_off(sti_tape* tape, double value, int off, int* out) {
    return append(tape, (sti_node){.op = STI_OP_CONSTANT, .a = -1, .b = -1, .value = value, .off = (int8_t)off}, out);
}

sti_status sti_tape_input(sti_tape* tape, int input, int* out) {
    return append(tape, (sti_node){.op = STI_OP_INPUT, .a = input, .b = -1}, out);
}

// ---- operations

static bool is(const sti_tape* tape, int entry, double value) {
    return entry >= 0 && tape->node[entry].op == STI_OP_CONSTANT && tape->node[entry].value == value &&
           tape->node[entry].off == 0;
}

// An operation that needs none: *out is the entry that stands for it. Holds for every finite value of the other
// argument.
static bool simplify(sti_tape* tape, sti_op op, int a, int b, int* out) {
    const bool zero_a = is(tape, a, 0), zero_b = is(tape, b, 0), one_b = is(tape, b, 1);
    const int none = -1;
    int r = none;
    switch (op) {
        case STI_OP_ADD:
            r = zero_a ? b : zero_b ? a : none;
            break;
        case STI_OP_SUBTRACT:
            r = zero_b ? a : none;
            break;
        case STI_OP_MULTIPLY:
            // 0 x is 0 where x has a value: on an exact tape that remains to be shown
            r = (zero_a && !tape->exact) || one_b ? a : (zero_b && !tape->exact) || is(tape, a, 1) ? b : none;
            break;
        case STI_OP_DIVIDE:
            r = one_b || (zero_a && !zero_b && !tape->exact) ? a : none;
            break;
        case STI_OP_POW:
            r = one_b ? a : none;
            break;
        case STI_OP_NEGATE:
            r = tape->node[a].op == STI_OP_NEGATE ? tape->node[a].a : none;
            break;
        default:
            break;
    }
    *out = r;
    return r != none;
}

sti_status sti_tape_apply(sti_tape* tape, sti_op op, int a, int b, int* out) {
    const bool constant = tape->node[a].op == STI_OP_CONSTANT && (b < 0 || tape->node[b].op == STI_OP_CONSTANT);
    if (constant && tape->exact && op == STI_OP_NEGATE)
        return sti_tape_constant_off(tape, -tape->node[a].value, -tape->node[a].off, out);
    if (constant && !tape->exact) {
        sti_partials p;
        sti_op_evaluate(op, tape->node[a].value, b >= 0 ? tape->node[b].value : 0, 0, false, &p);
        return sti_tape_constant(tape, p.f, out);
    }
    if (simplify(tape, op, a, b, out)) return STI_OK;
    if (op == STI_OP_SUBTRACT && is(tape, a, 0)) return sti_tape_apply(tape, STI_OP_NEGATE, b, -1, out);
    if ((op == STI_OP_ADD || op == STI_OP_MULTIPLY) && a > b) {  // the same whichever comes first
        const int c = a;
        a = b;
        b = c;
    }
    return append(tape, (sti_node){.op = op, .a = a, .b = b}, out);
}

// ---- derivative in time

// Small steps of a derivative; the first failure sticks.
typedef struct builder {
    sti_tape* tape;
    sti_status status;
} builder;

static int make(builder* k, sti_op op, int a, int b) {
    int out = 0;
    if (k->status == STI_OK) k->status = sti_tape_apply(k->tape, op, a, b, &out);
    return out;
}

static int number(builder* k, double value) {
    int out = 0;
    if (k->status == STI_OK) k->status = sti_tape_constant(k->tape, value, &out);
    return out;
}

static int plus(builder* k, int a, int b) {
    return make(k, STI_OP_ADD, a, b);
}
static int minus(builder* k, int a, int b) {
    return make(k, STI_OP_SUBTRACT, a, b);
}
static int times(builder* k, int a, int b) {
    return make(k, STI_OP_MULTIPLY, a, b);
}
static int over(builder* k, int a, int b) {
    return make(k, STI_OP_DIVIDE, a, b);
}

// d/da of the functions of one argument; c is the entry itself.
static int slope(builder* k, sti_op op, int a, int c) {
    switch (op) {
        case STI_OP_SIN:
            return make(k, STI_OP_COS, a, -1);
        case STI_OP_COS:
            return make(k, STI_OP_NEGATE, make(k, STI_OP_SIN, a, -1), -1);
        case STI_OP_TAN:
            return plus(k, number(k, 1), times(k, c, c));
        case STI_OP_ASIN:
            return over(k, number(k, 1), make(k, STI_OP_SQRT, minus(k, number(k, 1), times(k, a, a)), -1));
        case STI_OP_ACOS:
            return over(k, number(k, -1), make(k, STI_OP_SQRT, minus(k, number(k, 1), times(k, a, a)), -1));
        case STI_OP_ATAN:
            return over(k, number(k, 1), plus(k, number(k, 1), times(k, a, a)));
        case STI_OP_SINH:
            return make(k, STI_OP_COSH, a, -1);
        case STI_OP_COSH:
            return make(k, STI_OP_SINH, a, -1);
        case STI_OP_TANH:
            return minus(k, number(k, 1), times(k, c, c));
        case STI_OP_EXP:
            return c;
        case STI_OP_LOG:
            return over(k, number(k, 1), a);
        case STI_OP_LOG10:
            return over(k, number(k, 1 / log(10)), a);
        case STI_OP_SQRT:
            return over(k, number(k, 0.5), c);
        case STI_OP_ABS:
            return make(k, STI_OP_SIGN, a, -1);
        default:  // sign, floor
            return number(k, 0);
    }
}

// d/dt a^b
static int rate_of_power(builder* k, int a, int b, int c, int ra, int rb) {
    const int less = minus(k, b, number(k, 1));
    const int base = times(k, times(k, b, make(k, STI_OP_POW, a, less)), ra);
    if (k->status != STI_OK || is(k->tape, rb, 0)) return base;
    return plus(k, base, times(k, times(k, c, make(k, STI_OP_LOG, a, -1)), rb));
}

// min(a, b) = (a + b - |a - b|) / 2, max with the other sign
static int rate_of_choice(builder* k, sti_op op, int a, int b, int ra, int rb) {
    const int jump = times(k, make(k, STI_OP_SIGN, minus(k, a, b), -1), minus(k, ra, rb)), sum = plus(k, ra, rb);
    return times(k, number(k, 0.5), op == STI_OP_MIN ? minus(k, sum, jump) : plus(k, sum, jump));
}

static int rate_of(builder* k, int c, const int* rate) {
    const sti_node x = k->tape->node[c];
    const int a = x.a, b = x.b;
    if (x.op == STI_OP_CONSTANT) return number(k, 0);
    if (x.op == STI_OP_INPUT) {
        const int q = a - sti_tape_first_q(k->tape);
        int out = 0;
        if (q < 0) return number(k, 0);
        if (a == sti_tape_time(k->tape)) return number(k, 1);
        if (k->status == STI_OK) k->status = sti_tape_input(k->tape, a + k->tape->n, &out);
        return out;
    }
    const int ra = rate[a], rb = b >= 0 ? rate[b] : -1;
    switch (x.op) {
        case STI_OP_ADD:
        case STI_OP_SUBTRACT:
            return make(k, x.op, ra, rb);
        case STI_OP_NEGATE:
            return make(k, x.op, ra, -1);
        case STI_OP_MULTIPLY:
            return plus(k, times(k, ra, b), times(k, a, rb));
        case STI_OP_DIVIDE:
            return over(k, minus(k, ra, times(k, c, rb)), b);
        case STI_OP_POW:
            return rate_of_power(k, a, b, c, ra, rb);
        case STI_OP_ATAN2:
            return over(k, minus(k, times(k, b, ra), times(k, a, rb)), plus(k, times(k, a, a), times(k, b, b)));
        case STI_OP_HYPOT:
            return over(k, plus(k, times(k, a, ra), times(k, b, rb)), c);
        case STI_OP_MIN:
        case STI_OP_MAX:
            return rate_of_choice(k, x.op, a, b, ra, rb);
        default:
            return times(k, slope(k, x.op, a, c), ra);
    }
}

void sti_tape_reach(const sti_tape* tape, int entry, unsigned char* used) {
    memset(used, 0, (size_t)entry + 1);
    used[entry] = 1;
    for (int i = entry; i >= 0; i--) {
        if (!used[i] || sti_op_arguments(tape->node[i].op) == 0) continue;
        used[tape->node[i].a] = 1;
        if (tape->node[i].b >= 0) used[tape->node[i].b] = 1;
    }
}

sti_status sti_tape_uses_velocity(const sti_tape* tape, int entry, bool* out) {
    *out = false;
    unsigned char* used = sti_alloc_array(tape->env, (size_t)entry + 1, 1);
    if (used == NULL) return STI_ERR_MEMORY;
    sti_tape_reach(tape, entry, used);
    for (int i = 0; i <= entry; i++) {
        const sti_node* x = &tape->node[i];
        if (used[i] && x->op == STI_OP_INPUT && x->a >= sti_tape_first_v(tape) && x->a < sti_tape_time(tape))
            *out = true;
    }
    sti_free(tape->env, used);
    return STI_OK;
}

sti_status sti_tape_rate(sti_tape* tape, int entry, int* out) {
    builder k = {.tape = tape};
    sti_arena memory = sti_arena_make(tape->env);
    int* rate = sti_arena_raw(&memory, (size_t)entry + 1, sizeof *rate);
    unsigned char* used = sti_arena_raw(&memory, (size_t)entry + 1, 1);
    *out = -1;
    if (memory.status != STI_OK) k.status = STI_ERR_MEMORY;
    if (k.status == STI_OK) sti_tape_reach(tape, entry, used);
    for (int i = 0; k.status == STI_OK && i <= entry; i++) {
        if (used[i]) rate[i] = rate_of(&k, i, rate);
    }
    if (k.status == STI_OK) *out = rate[entry];
    sti_arena_clear(&memory);
    return k.status;
}

// ---- degree in the velocities

static int clamp(int degree) {
    return degree > 2 ? STI_DEGREE_OTHER : degree;
}

static sti_degree degree_of(const sti_tape* tape, int i, const sti_degree* d) {
    const sti_node* x = &tape->node[i];
    if (x->op == STI_OP_CONSTANT) return (sti_degree){.degree = 0, .homogeneous = x->value == 0};
    if (x->op == STI_OP_INPUT) {
        const bool v = x->a >= sti_tape_first_v(tape) && x->a < sti_tape_time(tape);
        return (sti_degree){.degree = v, .homogeneous = v};
    }
    const sti_degree a = d[x->a], b = x->b >= 0 ? d[x->b] : (sti_degree){0};
    switch (x->op) {
        case STI_OP_ADD:
        case STI_OP_SUBTRACT:
            return (sti_degree){clamp(a.degree > b.degree ? a.degree : b.degree), a.homogeneous && b.homogeneous};
        case STI_OP_NEGATE:
            return a;
        case STI_OP_MULTIPLY:
            return (sti_degree){clamp(a.degree + b.degree), a.homogeneous || b.homogeneous};
        case STI_OP_DIVIDE:
            return (sti_degree){b.degree > 0 ? STI_DEGREE_OTHER : a.degree, a.homogeneous};
        case STI_OP_POW:
            if (is(tape, x->b, 2)) return (sti_degree){clamp(2 * a.degree), a.homogeneous};
            break;
        default:
            break;
    }
    return (sti_degree){.degree = a.degree > 0 || b.degree > 0 ? STI_DEGREE_OTHER : 0};
}

void sti_tape_degrees(const sti_tape* tape, sti_degree* out) {
    for (int i = 0; i < tape->count; i++) out[i] = degree_of(tape, i, out);
}
