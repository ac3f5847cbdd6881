// emptiness.c: Farkas vectors of contact problems, checked without rounding.
//
// A product of doubles is the sum of two doubles, and a sum of doubles is kept as an expansion: doubles that do not
// overlap, of ascending size, so that the last one has the sign of the sum and the sum is zero exactly when none is
// left (Dekker 1971; Shewchuk 1997, theorem 10). Products near the ends of the range of doubles are refused.
//
// Where W has a null vector that holds contacts apart, it comes from geometry: equal and opposite normals. Then y is a
// vector of small whole numbers up to a factor, and these are tried. A W that was rounded when it was made has no such
// vector: then there is nothing to prove, since forces large enough may still solve the problem as given.
#include "contact/emptiness.h"

#include <math.h>
#include <string.h>

enum { LARGEST_WHOLE = 16 };

static const double NEAR_WHOLE = 1e-6;
static const double TINIEST = 1e-280, HUGEST = 1e280;

typedef struct expansion {
    int count;
    double* part;  // (2 nc + 1)
    bool broken;   // a product left the range
} expansion;

// e += x, by two-sums through the parts; zeros are dropped.
static void grow(expansion* e, double x) {
    int kept = 0;
    double carry = x;
    for (int i = 0; i < e->count; i++) {
        const double a = carry, b = e->part[i], sum = a + b, part = sum - a, low = (a - (sum - part)) + (b - part);
        if (low != 0) e->part[kept++] = low;
        carry = sum;
    }
    if (carry != 0) e->part[kept++] = carry;
    e->count = kept;
}

static void add_product(expansion* e, double a, double b) {
    if (a == 0 || b == 0) return;
    const double high = a * b;
    if (!(fabs(high) > TINIEST && fabs(high) < HUGEST)) {
        e->broken = true;
        return;
    }
    grow(e, fma(a, b, -high));
    grow(e, high);
}

static double sign_of(const expansion* e) {
    return e->count > 0 ? e->part[e->count - 1] : 0;
}

// The three conditions.
static bool holds(const sti_contact_local* p, const double* y, double* parts) {
    expansion e = {.part = parts};
    for (int c = 0; c < p->nc; c++) {
        if (!(y[c] >= 0)) return false;
        add_product(&e, y[c], p->q[(size_t)p->d * (size_t)c]);
    }
    if (e.broken || !(sign_of(&e) < 0)) return false;
    for (int j = 0; j < p->d * p->nc; j++) {
        e.count = 0;
        for (int c = 0; c < p->nc; c++) {
            int64_t low = p->W.row_start[c], high = p->W.row_start[c + 1];
            if (y[c] == 0) continue;
            while (high - low > 1) {
                const int64_t middle = low + (high - low) / 2;
                if (p->W.col[middle] <= j / p->d)
                    low = middle;
                else
                    high = middle;
            }
            if (low < high && p->W.col[low] == j / p->d)
                add_product(&e, y[c], p->W.block[(size_t)low * (size_t)(p->d * p->d) + (size_t)(j % p->d)]);
        }
        if (e.broken || e.count > 0) return false;
    }
    return true;
}

sti_status sti_contact_prove_empty(const sti_contact_local* p, const double* v, double* y, bool* proved) {
    const size_t nc = (size_t)p->nc;
    double most = 0;
    *proved = false;
    for (size_t c = 0; c < nc; c++) most = fmax(most, v[c]);
    if (!(most > 0) || p->op != NULL) return STI_OK;
    double* parts = sti_alloc_array(p->env, 2 * nc + 1, sizeof *parts);
    if (parts == NULL) return STI_ERR_MEMORY;
    for (int whole = 0; whole <= LARGEST_WHOLE && !*proved; whole++) {
        bool near = true;
        for (size_t c = 0; c < nc; c++) {
            const double x = whole * (v[c] / most);
            y[c] = whole == 0 ? v[c] : rint(x);
            near = near && (whole == 0 || fabs(x - y[c]) <= NEAR_WHOLE * whole);
        }
        *proved = near && holds(p, y, parts);
    }
    sti_free(p->env, parts);
    return STI_OK;
}
