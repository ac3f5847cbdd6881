// pieces.c: a box of doubts in pieces that wait on a stack; one that fails is cut in two, until too many were cut, or
// one is a counterexample.
#include "verify/pieces.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say(sti_pieces* p, const char* format, va_list arguments) {
    vsnprintf(p->text, sizeof p->text, format, arguments);
}

bool sti_pieces_fail(sti_pieces* p, const sti_affine* form, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(p, format, arguments);
    va_end(arguments);
    p->failed = form != NULL ? *form : sti_affine_number(0);
    p->definite = false;
    return false;
}

bool sti_pieces_positive(sti_pieces* p, const sti_affine_room* k, const sti_affine* x, const char* format, ...) {
    const double low = sti_affine_low(k, x);
    p->margin = fmin(p->margin, low);
    if (low > 0) return true;
    va_list arguments;
    va_start(arguments, format);
    say(p, format, arguments);
    va_end(arguments);
    p->failed = *x;
    p->definite = sti_affine_high(k, x) < 0;
    return false;
}

// The doubt to cut across: that of the failed form, or the one that is the largest part of its box.
static int cut_of(const sti_pieces* p, const double* low, const double* high) {
    int k = -1;
    double most = 0;
    for (int i = 0; i < p->doubts; i++) {
        if (high[i] > low[i] && fabs(p->failed.a[i]) > most) most = fabs(p->failed.a[i]), k = i;
    }
    for (int i = 0; k < 0 && i < p->doubts; i++) {
        const double share = p->high[i] > p->low[i] ? (high[i] - low[i]) / (p->high[i] - p->low[i]) : 0;
        if (share > most) most = share, k = i;
    }
    return k;
}

// Pieces that are open stand on a stack, lows then highs of each; a cut adds one.
sti_status sti_pieces_prove(sti_pieces* p, long most, sti_box_verification* out) {
    enum { STACK = 64 };
    const size_t nd = (size_t)p->doubts;
    double* stack = sti_alloc_array_zero(p->env, sti_size_mul(2 * (nd + 1), STACK), sizeof *stack);
    if (stack == NULL) return STI_ERR_MEMORY;
    if (nd > 0) memcpy(stack, p->low, nd * sizeof *stack);
    if (nd > 0) memcpy(stack + nd, p->high, nd * sizeof *stack);
    int depth = 1;
    out->pieces = 1;
    bool good = true;
    p->margin = INFINITY;
    while (depth > 0 && good) {
        double* piece = stack + 2 * nd * (size_t)(depth - 1);
        const double margin = p->margin;
        p->definite = false;
        if (p->prove(p->user, piece, piece + nd)) {
            depth--;
            continue;
        }
        const int cut = cut_of(p, piece, piece + nd);
        out->tight = cut;
        out->refuted = p->definite;
        good = !p->definite && cut >= 0 && depth < STACK && out->pieces < most && !sti_late(p->env);
        if (!good) break;
        const double middle = 0.5 * piece[cut] + 0.5 * piece[nd + (size_t)cut];
        memcpy(piece + 2 * nd, piece, 2 * nd * sizeof *piece);
        piece[nd + (size_t)cut] = middle;
        piece[2 * nd + (size_t)cut] = middle;
        depth++;
        out->pieces++;
        p->margin = margin;
    }
    out->accepted = good;
    out->margin = p->margin;
    if (good) out->tight = -1;
    const char* why = sti_late(p->env) ? "there was no time to prove it" : p->text;
    snprintf(out->text, sizeof out->text, "%s", good ? "every start in the box keeps its modes" : why);
    sti_free(p->env, stack);
    return STI_OK;
}
