// operations.c: the operations of a tape as numbers: value and partial derivatives up to the second.
//
//     f(a, b),   f_a, f_b,   f_aa, f_ab, f_bb
//
// A derivative that belongs to a factor of 0 is 0 and never 0 * inf, so x^2 has a second derivative at 0. Where a
// function has a kink or a jump the derivative of one side, or 0, is given and the caller is told.
#include <math.h>

#include "system/tape.h"

// a^b. The derivatives in b need log a, and are computed only where b varies.
static void power(double a, double b, int order, bool in_b, sti_partials* p) {
    p->f = pow(a, b);
    if (order == 0) return;
    p->a = b == 0 ? 0 : b * pow(a, b - 1);
    p->aa = b * (b - 1) == 0 ? 0 : b * (b - 1) * pow(a, b - 2);
    if (!in_b) return;
    const double l = log(a), less = pow(a, b - 1);
    p->b = p->f * l;
    p->bb = p->f * l * l;
    p->ab = less + b * less * l;
}

static void arctangent(double y, double x, sti_partials* p) {
    const double r2 = x * x + y * y;
    p->f = atan2(y, x);
    p->a = x / r2;
    p->b = -y / r2;
    p->aa = -2 * x * y / (r2 * r2);
    p->bb = -p->aa;
    p->ab = (y * y - x * x) / (r2 * r2);
}

static void hypotenuse(double a, double b, sti_partials* p) {
    const double h = hypot(a, b), u = a / h, v = b / h;
    p->f = h;
    p->a = u;
    p->b = v;
    p->aa = v * v / h;
    p->bb = u * u / h;
    p->ab = -u * v / h;
}

static void divide(double a, double b, sti_partials* p) {
    p->f = a / b;
    p->a = 1 / b;
    p->b = -p->f / b;
    p->ab = -1 / (b * b);
    p->bb = 2 * p->f / (b * b);
}

static bool two_arguments(sti_op op, double a, double b, int order, bool in_b, sti_partials* p) {
    switch (op) {
        case STI_OP_ADD:
            *p = (sti_partials){.f = a + b, .a = 1, .b = 1};
            return false;
        case STI_OP_SUBTRACT:
            *p = (sti_partials){.f = a - b, .a = 1, .b = -1};
            return false;
        case STI_OP_MULTIPLY:
            *p = (sti_partials){.f = a * b, .a = b, .b = a, .ab = 1};
            return false;
        case STI_OP_DIVIDE:
            divide(a, b, p);
            return false;
        case STI_OP_POW:
            power(a, b, order, in_b, p);
            return false;
        case STI_OP_ATAN2:
            arctangent(a, b, p);
            return false;
        case STI_OP_HYPOT:
            hypotenuse(a, b, p);
            return false;
        default: {  // min, max: of two equal ones the first
            const bool first = op == STI_OP_MIN ? a <= b : a >= b;
            *p = (sti_partials){.f = first ? a : b, .a = first, .b = !first};
            if (isnan(a) || isnan(b)) p->f = NAN;
            return a == b;
        }
    }
}

static double sign(double a) {
    return a > 0 ? 1 : a < 0 ? -1 : 0 * a;
}

bool sti_op_evaluate(sti_op op, double a, double b, int order, bool in_b, sti_partials* p) {
    *p = (sti_partials){0};
    if (sti_op_arguments(op) == 2) return two_arguments(op, a, b, order, in_b, p);
    switch (op) {
        case STI_OP_NEGATE:
            *p = (sti_partials){.f = -a, .a = -1};
            return false;
        case STI_OP_SIN:
            p->f = sin(a);
            if (order > 0) p->a = cos(a);
            p->aa = -p->f;
            return false;
        case STI_OP_COS:
            p->f = cos(a);
            if (order > 0) p->a = -sin(a);
            p->aa = -p->f;
            return false;
        case STI_OP_TAN:
            p->f = tan(a);
            p->a = 1 + p->f * p->f;
            p->aa = 2 * p->f * p->a;
            return false;
        case STI_OP_ASIN:
        case STI_OP_ACOS: {
            const double s = op == STI_OP_ASIN ? 1 : -1, r2 = (1 - a) * (1 + a), r = sqrt(r2);
            p->f = op == STI_OP_ASIN ? asin(a) : acos(a);
            p->a = s / r;
            p->aa = s * a / (r2 * r);
            return false;
        }
        case STI_OP_ATAN:
            p->f = atan(a);
            p->a = 1 / (1 + a * a);
            p->aa = -2 * a * p->a * p->a;
            return false;
        case STI_OP_SINH:
            p->f = p->aa = sinh(a);
            if (order > 0) p->a = cosh(a);
            return false;
        case STI_OP_COSH:
            p->f = p->aa = cosh(a);
            if (order > 0) p->a = sinh(a);
            return false;
        case STI_OP_TANH:
            p->f = tanh(a);
            p->a = 1 - p->f * p->f;
            p->aa = -2 * p->f * p->a;
            return false;
        case STI_OP_EXP:
            p->f = p->a = p->aa = exp(a);
            return false;
        case STI_OP_LOG:
        case STI_OP_LOG10: {
            const double c = op == STI_OP_LOG ? 1 : 1 / log(10);
            p->f = op == STI_OP_LOG ? log(a) : log10(a);
            p->a = c / a;
            p->aa = -c / (a * a);
            return false;
        }
        case STI_OP_SQRT:
            p->f = sqrt(a);
            p->a = 0.5 / p->f;
            p->aa = -0.5 * p->a / a;
            return false;
        case STI_OP_ABS:
            p->f = fabs(a);
            p->a = sign(a);
            return a == 0;
        case STI_OP_SIGN:
            p->f = sign(a);
            return a == 0;
        case STI_OP_FLOOR:
            p->f = floor(a);
            return p->f == a;
        default:
            return false;
    }
}
