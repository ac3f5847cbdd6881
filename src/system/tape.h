// tape.h: formulas as a flat list of operations, each on earlier entries. Equal operations stand there once, so what
// formulas share is computed once.
#ifndef STI_SYSTEM_TAPE_H
#define STI_SYSTEM_TAPE_H

#include "base/env.h"

// One list yields codes, names in formulas, and arguments. The first ones are no functions of the language.
#define STI_OP_LIST(X)          \
    X(STI_OP_CONSTANT, "", 0)   \
    X(STI_OP_INPUT, "", 0)      \
    X(STI_OP_ADD, "", 2)        \
    X(STI_OP_SUBTRACT, "", 2)   \
    X(STI_OP_MULTIPLY, "", 2)   \
    X(STI_OP_DIVIDE, "", 2)     \
    X(STI_OP_NEGATE, "", 1)     \
    X(STI_OP_POW, "pow", 2)     \
    X(STI_OP_ATAN2, "atan2", 2) \
    X(STI_OP_HYPOT, "hypot", 2) \
    X(STI_OP_MIN, "min", 2)     \
    X(STI_OP_MAX, "max", 2)     \
    X(STI_OP_SIN, "sin", 1)     \
    X(STI_OP_COS, "cos", 1)     \
    X(STI_OP_TAN, "tan", 1)     \
    X(STI_OP_ASIN, "asin", 1)   \
    X(STI_OP_ACOS, "acos", 1)   \
    X(STI_OP_ATAN, "atan", 1)   \
    X(STI_OP_SINH, "sinh", 1)   \
    X(STI_OP_COSH, "cosh", 1)   \
    X(STI_OP_TANH, "tanh", 1)   \
    X(STI_OP_EXP, "exp", 1)     \
    X(STI_OP_LOG, "log", 1)     \
    X(STI_OP_LOG10, "log10", 1) \
    X(STI_OP_SQRT, "sqrt", 1)   \
    X(STI_OP_ABS, "abs", 1)     \
    X(STI_OP_SIGN, "sign", 1)   \
    X(STI_OP_FLOOR, "floor", 1)

typedef enum sti_op {
#define STI_X(code, name, arguments) code,
    STI_OP_LIST(STI_X)
#undef STI_X
        STI_OP_COUNT
} sti_op;

const char* sti_op_name(sti_op op);  // "" for those without one
int sti_op_arguments(sti_op op);

typedef struct sti_node {
    sti_op op;
    int a, b;      // entries it works on; of an input: a is its number
    double value;  // of a constant
    int8_t off;    // of a constant on an exact tape: the sign of what the number it stands for is more than value
} sti_node;

// Inputs are numbered: parameters, then q, v (n each), then t. They come into the tape as they are used.
typedef struct sti_tape {
    sti_env* env;
    int parameter_count, n;
    int count, capacity;
    sti_node* node;  // (capacity)
    int* table;      // hash table of entries, -1: free      (table_size, a power of two)
    int table_size;
    bool exact;  // constants stand for real numbers, 0.1 for a tenth: nothing is folded in doubles. For enclosures
} sti_tape;

enum { STI_TAPE_MOST = 200000 };

void sti_tape_init(sti_tape* tape, sti_env* env, int parameter_count, int n);
void sti_tape_clear(sti_tape* tape);  // accepts a zero struct

// Each appends an entry, or finds it: constants are folded, x + 0, x * 1 and their like taken out.
sti_status sti_tape_constant(sti_tape* tape, double value, int* out);
sti_status sti_tape_constant_off(sti_tape* tape, double value, int off, int* out);  // of an exact tape; see sti_node
sti_status sti_tape_input(sti_tape* tape, int input, int* out);
sti_status sti_tape_apply(sti_tape* tape, sti_op op, int a, int b, int* out);  // b -1 for one argument

// The derivative in time of an entry that uses no velocities, as an entry: q_k becomes v_k, t becomes 1.
sti_status sti_tape_rate(sti_tape* tape, int entry, int* out);
sti_status sti_tape_uses_velocity(const sti_tape* tape, int entry, bool* out);

// Entries that entry i needs, itself among them: used[0..entry] is set to 0 or 1.
void sti_tape_reach(const sti_tape* tape, int entry, unsigned char* used);

static inline int sti_tape_first_q(const sti_tape* tape) {
    return tape->parameter_count;
}
static inline int sti_tape_first_v(const sti_tape* tape) {
    return tape->parameter_count + tape->n;
}
static inline int sti_tape_time(const sti_tape* tape) {
    return tape->parameter_count + 2 * tape->n;
}

// How an entry depends on the velocities, judged by its operations alone.
typedef struct sti_degree {
    int degree;        // 0: not at all, 1: affine, 2: quadratic, STI_DEGREE_OTHER: no such polynomial
    bool homogeneous;  // vanishes with the velocities: no part of a lower degree than 1
} sti_degree;
enum { STI_DEGREE_OTHER = 100 };

void sti_tape_degrees(const sti_tape* tape, sti_degree* out);  // (count)

// f of one entry and its partial derivatives in its arguments. `order` 0, 1 or 2 says which are wanted; `in_b`: whether
// derivatives in the second argument are. Returns whether f has a kink or a jump there (order > 0).
typedef struct sti_partials {
    double f, a, b, aa, ab, bb;
} sti_partials;

bool sti_op_evaluate(sti_op op, double a, double b, int order, bool in_b, sti_partials* out);

#endif
