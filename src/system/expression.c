// expression.c: formulas as text, by recursive descent, straight onto a tape.
//
//     sum      =  product  { ("+" | "-") product }
//     product  =  signed   { ("*" | "/") signed }
//     signed   =  ("+" | "-") signed  |  power
//     power    =  primary [ "^" signed ]                    right associative, tighter than a sign to its left
//     primary  =  number | name | name "'" | function "(" sum { "," sum } ")" | "(" sum ")"
//
// A name is letters, digits and _, not starting with a digit; letters beyond ASCII are allowed. Every mistake is
// answered with the column it stands at, counted in characters from 1.
#include "system/expression.h"

#include <math.h>
#include <stdio.h>
#include <stiction/linalg.h>
#include <string.h>

#include "exact/rationals.h"

enum { LONGEST = 20000, DEEPEST = 100, LONGEST_NAME = 60, MOST_SYMBOLS = 5000 };

typedef struct parser {
    sti_scope* scope;
    const char* field;
    const char* text;  // the whole formula
    const char* p;     // what is still to be read
    int depth;
} parser;

// ---- errors

static int column_of(const parser* k, const char* at) {
    int column = 1;
    for (const char* s = k->text; s < at; s++) column += (*s & 0xc0) != 0x80;  // one for each UTF-8 character
    return column;
}

// what: with the rest of the line, from `at`, in quotes behind it where `show`
static sti_status wrong(const parser* k, const char* at, bool show, const char* what) {
    const int column = column_of(k, at);
    if (!show) return STI_FAIL(k->scope->tape->env, STI_ERR_INPUT, column, "%s: column %d: %s", k->field, column, what);
    if (*at == '\0')
        return STI_FAIL(k->scope->tape->env, STI_ERR_INPUT, column, "%s: column %d: %s, not the end of the formula",
                        k->field, column, what);
    return STI_FAIL(k->scope->tape->env, STI_ERR_INPUT, column, "%s: column %d: %s, not \"%.24s\"", k->field, column,
                    what, at);
}

// ---- characters

static void skip_blanks(parser* k) {
    while (*k->p == ' ' || *k->p == '\t' || *k->p == '\n' || *k->p == '\r') k->p++;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

static size_t name_length(const char* s) {
    size_t length = 0;
    if (!is_letter(*s)) return 0;
    while (is_letter(s[length]) || is_digit(s[length])) length++;
    return length;
}

static bool take(parser* k, char c) {
    skip_blanks(k);
    if (*k->p != c) return false;
    k->p++;
    return true;
}

// ---- names

static sti_op find_function(const char* name, size_t length) {
    for (int op = 0; op < STI_OP_COUNT; op++) {
        const char* text = sti_op_name((sti_op)op);
        if (*text != '\0' && strlen(text) == length && memcmp(text, name, length) == 0) return (sti_op)op;
    }
    return STI_OP_COUNT;
}

static sti_symbol* find_symbol(const sti_scope* scope, const char* name, size_t length) {
    for (int i = 0; i < scope->count; i++) {
        if (strlen(scope->symbol[i].name) == length && memcmp(scope->symbol[i].name, name, length) == 0)
            return &scope->symbol[i];
    }
    return NULL;
}

// One letter more, less, other, or two exchanged.
static bool is_near(const char* a, size_t n, const char* b) {
    const size_t m = strlen(b);
    size_t head = 0, tail = 0;
    while (head < n && head < m && a[head] == b[head]) head++;
    while (tail < n - head && tail < m - head && a[n - 1 - tail] == b[m - 1 - tail]) tail++;
    const size_t rest_a = n - head - tail, rest_b = m - head - tail;
    if (rest_a == 2 && rest_b == 2) return a[head] == b[head + 1] && a[head + 1] == b[head];
    return n > 1 && rest_a <= 1 && rest_b <= 1;
}

static sti_status unknown_name(const parser* k, const char* at, size_t length) {
    char what[160];
    const int shown = (int)(length < LONGEST_NAME ? length : LONGEST_NAME);
    const char* near = NULL;
    for (int i = 0; near == NULL && i < k->scope->count; i++) {
        if (is_near(at, length, k->scope->symbol[i].name)) near = k->scope->symbol[i].name;
    }
    for (int op = 0; near == NULL && op < STI_OP_COUNT; op++) {
        if (*sti_op_name((sti_op)op) != '\0' && is_near(at, length, sti_op_name((sti_op)op)))
            near = sti_op_name((sti_op)op);
    }
    snprintf(what, sizeof what, "\"%.*s\": no such name%s%.40s%s", shown, at, near != NULL ? "; did you mean " : "",
             near != NULL ? near : "", near != NULL ? "?" : "");
    return wrong(k, at, false, what);
}

void sti_scope_clear(sti_scope* scope) {
    if (scope->tape != NULL) sti_free(scope->tape->env, scope->symbol);
    *scope = (sti_scope){0};
}

static sti_status add_symbol(sti_scope* scope, const char* field, const char* name, sti_symbol** out) {
    sti_env* env = scope->tape->env;
    const size_t length = strlen(name);
    *out = NULL;
    if (length == 0 || length > LONGEST_NAME || name_length(name) != length)
        return STI_FAIL(
            env, STI_ERR_INPUT, -1,
            "%s: \"%.60s\": a name is expected: letters, digits and _, at most %d, not starting with a digit", field,
            name, LONGEST_NAME);
    if (strcmp(name, "t") == 0 || strcmp(name, "pi") == 0 || find_function(name, length) != STI_OP_COUNT)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: \"%s\": this name has a meaning already", field, name);
    if (find_symbol(scope, name, length) != NULL)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: \"%s\": given twice", field, name);
    if (scope->count >= MOST_SYMBOLS)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: more than %d names", field, MOST_SYMBOLS);
    if (scope->count == scope->capacity) {
        const int capacity = 2 * scope->capacity + 16;
        sti_symbol* grown = sti_realloc(env, scope->symbol, (size_t)capacity * sizeof *grown);
        if (grown == NULL) return STI_ERR_MEMORY;
        scope->symbol = grown;
        scope->capacity = capacity;
    }
    *out = &scope->symbol[scope->count];
    **out = (sti_symbol){.name = name, .rate = -1};
    return STI_OK;
}

sti_status sti_scope_parameter(sti_scope* scope, const char* field, const char* name, int k) {
    sti_symbol* s;
    sti_status status = add_symbol(scope, field, name, &s);
    if (status == STI_OK) status = sti_tape_input(scope->tape, k, &s->entry);
    if (status != STI_OK) return status;
    s->parameter = true;
    scope->count++;
    return STI_OK;
}

sti_status sti_scope_coordinate(sti_scope* scope, const char* field, const char* name, int k) {
    sti_symbol* s;
    sti_status status = add_symbol(scope, field, name, &s);
    if (status == STI_OK) status = sti_tape_input(scope->tape, sti_tape_first_q(scope->tape) + k, &s->entry);
    if (status == STI_OK) status = sti_tape_input(scope->tape, sti_tape_first_v(scope->tape) + k, &s->rate);
    if (status != STI_OK) return status;
    s->coordinate = true;
    scope->count++;
    return STI_OK;
}

sti_status sti_scope_definition(sti_scope* scope, const char* field, const char* name, const char* formula) {
    sti_symbol* s;
    int entry = 0;
    sti_status status = add_symbol(scope, field, name, &s);
    if (status == STI_OK) status = sti_expression_compile(scope, field, formula, &entry);
    if (status != STI_OK) return status;
    s->entry = entry;
    scope->count++;
    return STI_OK;
}

// ---- grammar

static sti_status sum(parser* k, int* out);
static sti_status signed_power(parser* k, int* out);

// An operation; a constant that is not finite is a mistake at `at`.
static sti_status apply(const parser* k, const char* at, sti_op op, int a, int b, int* out) {
    const sti_tape* tape = k->scope->tape;
    const sti_status status = sti_tape_apply(k->scope->tape, op, a, b, out);
    if (status == STI_OK && tape->node[*out].op == STI_OP_CONSTANT && !isfinite(tape->node[*out].value))
        return wrong(k, at, false, "this has no finite value");
    return status;
}

// digits [. digits] [e [+-] digits], read without regard to the locale
static sti_status number(parser* k, int* out) {
    sti_env* env = k->scope->tape->env;
    const char* const first = k->p;
    char text[64];
    while (is_digit(*k->p)) k->p++;
    if (*k->p == '.') k->p++;
    while (is_digit(*k->p)) k->p++;
    if (*k->p == 'e' || *k->p == 'E') {
        const char* q = k->p + 1;
        if (*q == '+' || *q == '-') q++;
        if (is_digit(*q)) {
            while (is_digit(*q)) q++;
            k->p = q;
        }
    }
    const size_t length = (size_t)(k->p - first);
    if (length >= sizeof text) return wrong(k, first, false, "a number of more than 63 characters");
    if (is_letter(*k->p)) return wrong(k, k->p, true, "an operator is expected after a number");
    memcpy(text, first, length);
    text[length] = '\0';
    sti_rationals* r;
    sti_status status = sti_rationals_create(env, 1, &r);
    if (status != STI_OK) return status;
    status = sti_rationals_set_text(r, 0, text);
    const double value = status == STI_OK ? sti_rationals_double(r, 0) : NAN;
    int off = 0;
    if (status == STI_OK && k->scope->tape->exact && isfinite(value)) status = sti_rationals_off(r, 0, value, &off);
    sti_rationals_destroy(r);
    if (status == STI_ERR_INPUT) return wrong(k, first, true, "a number is expected");
    if (status == STI_OK && isnan(value)) status = STI_ERR_MEMORY;
    if (status == STI_OK && isinf(value)) return wrong(k, first, false, "this number is too large");
    return status == STI_OK ? sti_tape_constant_off(k->scope->tape, value, off, out) : status;
}

static sti_status call(parser* k, const char* at, sti_op op, int* out) {
    const int wanted = sti_op_arguments(op);
    int argument[2] = {-1, -1}, count = 0;
    char what[80];
    if (!take(k, '(')) return wrong(k, k->p, true, "\"(\" is expected after a function");
    sti_status status = STI_OK;
    do {
        int entry = 0;
        status = sum(k, &entry);
        if (count < 2) argument[count] = entry;
        count++;
    } while (status == STI_OK && count < 3 && take(k, ','));
    if (status != STI_OK) return status;
    if (!take(k, ')')) return wrong(k, k->p, true, "\")\" is expected");
    if (count != wanted) {
        snprintf(what, sizeof what, "%s takes %d argument%s, %d given", sti_op_name(op), wanted, wanted == 1 ? "" : "s",
                 count);
        return wrong(k, at, false, what);
    }
    return apply(k, at, op, argument[0], argument[1], out);
}

// x': the velocity of a coordinate, or the derivative in time of a definition, which is made when first asked for.
static sti_status rate(const parser* k, const char* at, sti_symbol* s, int* out) {
    if (s->parameter) return wrong(k, at, false, "a parameter has no velocity");
    if (s->rate < 0) {
        bool moves = false;
        const sti_status checked = sti_tape_uses_velocity(k->scope->tape, s->entry, &moves);
        if (checked != STI_OK) return checked;
        if (moves) return wrong(k, at, false, "the derivative of this definition would need accelerations");
        const sti_status status = sti_tape_rate(k->scope->tape, s->entry, &s->rate);
        if (status != STI_OK) return status;
    }
    *out = s->rate;
    return STI_OK;
}

static sti_status name(parser* k, int* out) {
    const char* const at = k->p;
    const size_t length = name_length(at);
    k->p += length;
    const sti_op op = find_function(at, length);
    if (op != STI_OP_COUNT) return call(k, at, op, out);
    const bool time = length == 1 && *at == 't', pi = length == 2 && memcmp(at, "pi", 2) == 0;
    sti_symbol* s = time || pi ? NULL : find_symbol(k->scope, at, length);
    if (s == NULL && !time && !pi) return unknown_name(k, at, length);
    sti_status status = STI_OK;
    if (*k->p == '\'') {
        k->p++;
        if (s == NULL) return wrong(k, at, false, time ? "t' is 1: time has no velocity" : "a number has no velocity");
        if (*k->p == '\'') return wrong(k, k->p, false, "accelerations cannot stand in a formula");
        status = rate(k, at, s, out);
    } else if (s != NULL) {
        *out = s->entry;
    } else if (time) {
        status = sti_tape_input(k->scope->tape, sti_tape_time(k->scope->tape), out);
    } else {
        status = sti_tape_constant_off(k->scope->tape, M_PI, k->scope->tape->exact ? 1 : 0, out);
    }
    if (status != STI_OK) return status;
    skip_blanks(k);
    if (*k->p == '(') return wrong(k, k->p, false, "this name is no function; * is needed for a product");
    return STI_OK;
}

static sti_status primary(parser* k, int* out) {
    skip_blanks(k);
    if (is_digit(*k->p) || (*k->p == '.' && is_digit(k->p[1]))) return number(k, out);
    if (is_letter(*k->p)) return name(k, out);
    if (*k->p != '(') return wrong(k, k->p, true, "a number, a name or \"(\" is expected");
    k->p++;
    const sti_status status = sum(k, out);
    if (status != STI_OK) return status;
    return take(k, ')') ? STI_OK : wrong(k, k->p, true, "\")\" is expected");
}

static sti_status power(parser* k, int* out) {
    int base = 0, exponent = 0;
    sti_status status = primary(k, &base);
    *out = base;
    skip_blanks(k);
    const char* const at = k->p;
    if (status != STI_OK || !take(k, '^')) return status;
    status = signed_power(k, &exponent);
    return status == STI_OK ? apply(k, at, STI_OP_POW, base, exponent, out) : status;
}

static sti_status signed_power(parser* k, int* out) {
    if (k->depth >= DEEPEST) return wrong(k, k->p, false, "nested too deeply");
    k->depth++;
    skip_blanks(k);
    const char* const at = k->p;
    sti_status status;
    int entry = 0;
    if (take(k, '-')) {
        status = signed_power(k, &entry);
        if (status == STI_OK) status = apply(k, at, STI_OP_NEGATE, entry, -1, out);
    } else if (take(k, '+')) {
        status = signed_power(k, out);
    } else {
        status = power(k, out);
    }
    k->depth--;
    return status;
}

static sti_status product(parser* k, int* out) {
    sti_status status = signed_power(k, out);
    while (status == STI_OK) {
        skip_blanks(k);
        const char* const at = k->p;
        if (*at != '*' && *at != '/') break;
        if (at[0] == '*' && at[1] == '*') return wrong(k, at, false, "powers are written with ^");
        k->p++;
        int b = 0;
        status = signed_power(k, &b);
        if (status == STI_OK) status = apply(k, at, *at == '*' ? STI_OP_MULTIPLY : STI_OP_DIVIDE, *out, b, out);
    }
    return status;
}

static sti_status sum(parser* k, int* out) {
    sti_status status = product(k, out);
    while (status == STI_OK) {
        skip_blanks(k);
        const char* const at = k->p;
        if (*at != '+' && *at != '-') break;
        k->p++;
        int b = 0;
        status = product(k, &b);
        if (status == STI_OK) status = apply(k, at, *at == '+' ? STI_OP_ADD : STI_OP_SUBTRACT, *out, b, out);
    }
    return status;
}

sti_status sti_expression_compile(sti_scope* scope, const char* field, const char* formula, int* entry) {
    parser k = {.scope = scope, .field = field, .text = formula, .p = formula};
    *entry = -1;
    if (strlen(formula) > LONGEST)
        return STI_FAIL(scope->tape->env, STI_ERR_INPUT, -1, "%s: a formula of more than %d characters", field,
                        LONGEST);
    const sti_status status = sum(&k, entry);
    if (status != STI_OK) return status;
    skip_blanks(&k);
    return *k.p == '\0' ? STI_OK : wrong(&k, k.p, true, "an operator or the end of the formula is expected");
}
