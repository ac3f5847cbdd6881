// diagnose.c: why a contact problem may have resisted: facts that can be read off the data.
//
//     where the natural map is largest; contacts that move nothing (W_cc = 0); scales that differ by more than 1e8 between
//     contacts; W not symmetric; the diagonal of W not positive, so that pressing pulls
//
// Facts, not verdicts: none of them excludes a solution.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/contact.h"

// Largest difference between W and its transpose, relative to the largest entry. Columns of a row ascend: the transposed
// block is found by bisection.
static double asymmetry(const sti_bsr* W) {
    const int dd = W->d * W->d;
    double size = 0, worst = 0;
    for (int c = 0; c < W->n; c++) {
        for (int64_t k = W->row_start[c]; k < W->row_start[c + 1]; k++) {
            int64_t low = W->row_start[W->col[k]], high = W->row_start[W->col[k] + 1];
            while (high - low > 1) {
                const int64_t middle = low + (high - low) / 2;
                if (W->col[middle] <= c)
                    low = middle;
                else
                    high = middle;
            }
            const bool paired = low < high && W->col[low] == c;
            for (int a = 0; a < W->d; a++) {
                for (int b = 0; b < W->d; b++) {
                    const double x = W->block[k * dd + a * W->d + b],
                                 y = paired ? W->block[low * dd + b * W->d + a] : 0;
                    size = fmax(size, fabs(x));
                    worst = fmax(worst, fabs(x - y));
                }
            }
        }
    }
    return size > 0 ? worst / size : 0;
}

static void add(char* text, size_t size, const char* part) {
    const size_t at = strlen(text);
    if (at + 3 < size) snprintf(text + at, size - at, "%s%s", at > 0 ? "; " : "", part);
}

void sti_contact_diagnose(const sti_contact_local* p, sti_contact_answer* a) {
    char part[160];
    a->diagnosis[0] = '\0';
    if (a->worst_contact >= 0) {
        snprintf(part, sizeof part, "the law is violated most at contact %d", a->worst_contact);
        add(a->diagnosis, sizeof a->diagnosis, part);
    }
    double least = INFINITY, most = 0;
    int still = 0, pulling = -1;
    for (int c = 0; c < p->nc; c++) {
        const double* W = p->diagonal + (size_t)c * (size_t)(p->d * p->d);
        double trace = 0;
        for (int i = 0; i < p->d; i++) trace += W[i * p->d + i];
        if (W[0] < 0 && pulling < 0) pulling = c;
        if (trace > 0) {
            least = fmin(least, trace);
            most = fmax(most, trace);
        } else {
            still++;
        }
    }
    if (still > 0) {
        snprintf(part, sizeof part, "%d contacts move nothing (W_cc = 0)", still);
        add(a->diagnosis, sizeof a->diagnosis, part);
    }
    if (pulling >= 0) {
        snprintf(part, sizeof part, "W_nn of contact %d is negative: W is not semidefinite", pulling);
        add(a->diagnosis, sizeof a->diagnosis, part);
    }
    if (most > 1e8 * least) {
        snprintf(part, sizeof part, "badly scaled: the blocks W_cc differ by a factor %.1e", most / least);
        add(a->diagnosis, sizeof a->diagnosis, part);
    }
    const double skew = p->op == NULL ? asymmetry(&p->W) : 0;
    if (skew > 1e-8) {
        snprintf(part, sizeof part, "W is not symmetric (%.1e of its largest entry)", skew);
        add(a->diagnosis, sizeof a->diagnosis, part);
    }
}
