// search.c: all roots of a box, or the first that is met, by halving and contraction.
//
// A box is taken from a stack. It is done when it lies where a known root is alone, when contraction empties it, or
// when contraction proves a root in it; otherwise its longer half is cut. Parts that contraction takes off are kept as
// boxes without a root, so that the leaves cover the given box and can be checked one by one. What is still undecided
// at the resolution of the doubles, or when the budget is spent, is open; open boxes that touch are joined, and for one
// equation a change of sign over such an interval proves a root in it, though not how many.
#include <stdio.h>

#include "roots/found.h"

typedef struct search {
    sti_equations* q;
    const sti_root_options* o;
    sti_found* f;
    sti_root_answer* a;
    const double* start;
    bool one;  // the first root is enough
    bool found;
    double deadline;
    int count, capacity;
    sti_interval* stack;  // (capacity x n)
    double least[MOST];   // boxes below this width are not cut
} search;

static sti_status push(search* s, const sti_interval* box) {
    const size_t n = (size_t)s->q->n;
    if (s->count == s->capacity) {
        const int capacity = 2 * s->capacity + 64;
        sti_interval* grown = sti_realloc(s->q->env, s->stack, (size_t)capacity * n * sizeof *grown);
        if (grown == NULL) return STI_ERR_MEMORY;
        s->stack = grown;
        s->capacity = capacity;
    }
    memcpy(s->stack + (size_t)s->count++ * n, box, n * sizeof *box);
    return STI_OK;
}

// ---- one box

static bool in_known_region(const search* s, const sti_interval* X) {
    for (int i = 0; i < s->f->root_count; i++) {
        const sti_proved* r = &s->f->root[i];
        bool inside = r->unique;
        for (int k = 0; inside && k < s->q->n; k++) inside = iv_inside(X[k], r->region[k]);
        if (inside) return true;
    }
    return false;
}

// What contraction from old to X has taken off, as leaves; old ends as X.
static sti_status keep_slabs(const search* s, sti_interval* old, const sti_interval* X) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < s->q->n; k++) {
        const sti_interval whole = old[k];
        if (X[k].low > whole.low) {
            old[k] = iv(whole.low, X[k].low);
            status = sti_found_leaf(s->f, old, STI_ROOT_LEAF_NONE);
        }
        if (status == STI_OK && X[k].high < whole.high) {
            old[k] = iv(X[k].high, whole.high);
            status = sti_found_leaf(s->f, old, STI_ROOT_LEAF_NONE);
        }
        old[k] = X[k];
    }
    return status;
}

static sti_status take_root(search* s, const sti_interval* X, const sti_proved* root) {
    int at;
    s->found = true;
    const sti_status status = sti_found_add(s->f, s->q, root, &at);
    return status == STI_OK ? sti_found_leaf(s->f, X, STI_ROOT_LEAF_ROOT) : status;
}

// A root next to the middle of X, and no other one in X?
static bool prove_in(search* s, const sti_interval* X, sti_proved* root) {
    double c[MOST], f[MOST], J[MOST * MOST];
    for (int k = 0; k < s->q->n; k++) c[k] = iv_mid(X[k]);
    if (sti_equations_at(s->q, c, f, J) && sti_dense_algebra(J, f, s->q->n)) {  // one step of Newton's
        for (int k = 0; k < s->q->n; k++) c[k] = isfinite(c[k] - f[k]) ? c[k] - f[k] : c[k];
    }
    return sti_prove_near(s->q, c, s->o->width, root) && sti_extend_region(s->q, root, X);
}

// Does the root lie in X, or reach over from it? Its enclosure meets X; otherwise it is a neighbour's affair.
static bool belongs(const sti_proved* root, const sti_interval* X, int n) {
    for (int k = 0; k < n; k++) {
        if (!iv_meets(root->x[k], X[k])) return false;
    }
    return true;
}

static bool is_small(const search* s, const sti_interval* X) {
    for (int k = 0; k < s->q->n; k++) {
        if (X[k].high - X[k].low > fmax(s->least[k], 0x1p-40 * iv_mag(X[k]))) return false;
    }
    return true;
}

// The two halves along the side that is longest, measured in sides of the given box; the one with the start on top.
static sti_status cut(search* s, const sti_interval* X) {
    int k = 0;
    double longest = -1;
    sti_interval half[MOST];
    for (int i = 0; i < s->q->n; i++) {
        const double whole = s->q->box[i].high - s->q->box[i].low;
        const double part = whole > 0 ? (X[i].high - X[i].low) / whole : 0;
        if (part > longest) {
            longest = part;
            k = i;
        }
    }
    const double m = X[k].low + 0.5078125 * (X[k].high - X[k].low);  // roots like to sit in the middle
    const bool upper_first = s->one && s->start[k] > m;
    memcpy(half, X, sizeof half);
    half[k] = upper_first ? iv(X[k].low, m) : iv(m, X[k].high);
    const sti_status status = push(s, half);
    if (status != STI_OK) return status;
    half[k] = upper_first ? iv(m, X[k].high) : iv(X[k].low, m);
    return push(s, half);
}

static sti_status look_at(search* s, sti_interval* X) {
    sti_proved root;
    sti_interval old[MOST];
    sti_status status = STI_OK;
    s->a->boxes++;
    if (in_known_region(s, X)) return sti_found_leaf(s->f, X, STI_ROOT_LEAF_ROOT);
    for (int turn = 0; turn < 60; turn++) {
        unsigned trouble;
        memcpy(old, X, sizeof old);
        const sti_contraction got = sti_contract(s->q, X, &trouble);
        if (got == STI_BOX_EMPTY) return sti_found_leaf(s->f, old, STI_ROOT_LEAF_NONE);
        if (got == STI_BOX_ROOT) {
            root = (sti_proved){.proof = STI_ROOT_UNIQUE, .unique = true};
            memcpy(root.region, old, sizeof old);
            memcpy(root.x, X, sizeof root.x);
            sti_refine(s->q, s->o->width, &root);
            return take_root(s, old, &root);
        }
        status = keep_slabs(s, old, X);
        if (got == STI_BOX_SAME || status != STI_OK || is_small(s, X)) break;
    }
    if (status != STI_OK) return status;
    if (!is_small(s, X)) return cut(s, X);
    if (prove_in(s, X, &root)) {
        if (belongs(&root, X, s->q->n)) return take_root(s, X, &root);
        return sti_found_leaf(s->f, X, STI_ROOT_LEAF_NONE);
    }
    if (s->a->reason[0] == '\0') {
        char why[160];
        sti_equations_reason(s->q, why, sizeof why);
        if (strcmp(why, "nothing") == 0)
            snprintf(s->a->reason, sizeof s->a->reason,
                     "near %.10g neither a root nor its absence can be proved: it may be a multiple one", iv_mid(X[0]));
        else
            snprintf(s->a->reason, sizeof s->a->reason, "near %.10g the formula may have no value: %s", iv_mid(X[0]),
                     why);
    }
    return sti_found_leaf(s->f, X, STI_ROOT_LEAF_OPEN);
}

// ---- intervals that are open

// Sign of one equation at a point, 0: not known
static int sign_at(sti_equations* q, double x) {
    const sti_interval X[MOST] = {{x, x}};
    sti_interval F[MOST];
    if ((sti_equations_over(q, X, F, NULL) & ~(unsigned)STI_TROUBLE_KINK) != 0) return 0;
    return F[0].low > 0 ? 1 : F[0].high < 0 ? -1 : 0;
}

// Is the equation continuous over X?
static bool is_continuous(sti_equations* q, sti_interval X) {
    const sti_interval box[MOST] = {X};
    sti_interval F[MOST];
    return (sti_equations_over(q, box, F, NULL) & ~(unsigned)STI_TROUBLE_KINK) == 0;
}

// A change of sign over an open interval: pull its ends together while the signs are sure.
static sti_status find_change(search* s, sti_interval X) {
    for (int i = 0; i < s->f->root_count; i++) {
        if (iv_meets(s->f->root[i].x[0], X)) return STI_OK;  // it may be the same
    }
    const int low = sign_at(s->q, X.low), high = sign_at(s->q, X.high);
    if (low == 0 || high == 0 || low == high || !is_continuous(s->q, X)) return STI_OK;
    for (int side = 0; side < 2; side++) {
        double near = side == 0 ? X.low : X.high, far = iv_mid(X);
        const int sign = side == 0 ? low : high;
        for (int turn = 0; turn < 60; turn++) {  // the sure part is next to the end
            const double m = 0.5 * near + 0.5 * far;
            if (m == near || m == far) break;
            if (sign_at(s->q, m) == sign)
                near = m;
            else
                far = m;
        }
        if (side == 0)
            X.low = near;
        else
            X.high = near;
    }
    sti_proved root = {.proof = STI_ROOT_CHANGE, .x = {X}};
    int at;
    s->found = true;
    return sti_found_add(s->f, s->q, &root, &at);
}

// The double with the fewest bits in [low, high]
static double simplest(sti_interval X) {
    if (iv_has(X, 0)) return 0;
    const double sign = X.low > 0 ? 1 : -1, low = iv_mig(X), high = iv_mag(X);
    int e;
    frexp(high, &e);
    for (double unit = ldexp(1, e); unit > 0; unit /= 2) {
        const double c = ceil(low / unit) * unit;
        if (c >= low && c <= high) return sign * c;
        if (low / unit > 0x1p52) break;
    }
    return iv_mid(X);
}

// A multiple root cannot be enclosed, but where it is a short number the formula may be exactly 0 at it.
static sti_status find_exact(search* s, sti_interval X, bool* found) {
    const double c = simplest(X);
    sti_proved root;
    int at;
    *found = sti_prove_near(s->q, &c, s->o->width, &root);
    if (!*found) return STI_OK;
    s->found = true;
    return sti_found_add(s->f, s->q, &root, &at);
}

// Open leaves of one equation come in order; those that touch are one interval.
static sti_status look_at_open(search* s) {
    sti_status status = STI_OK;
    for (int i = 0; status == STI_OK && i < s->f->leaf_count; i++) {
        if (s->f->leaf[i] != STI_ROOT_LEAF_OPEN) continue;
        sti_interval X = s->f->leaf_box[i];
        for (int j = 0; j < s->f->leaf_count; j++) {
            const sti_interval Y = s->f->leaf_box[j];
            if (s->f->leaf[j] == STI_ROOT_LEAF_OPEN && iv_meets(X, Y) && (Y.low < X.low || Y.high > X.high)) {
                X = iv_hull(X, Y);
                j = -1;  // from the beginning, for neighbours of neighbours
            }
        }
        bool exact;
        status = find_exact(s, X, &exact);
        if (status == STI_OK && !exact) status = find_change(s, X);
    }
    return status;
}

// ---- the search

static bool is_spent(search* s) {
    if (s->a->boxes >= s->o->max_boxes) {
        snprintf(s->a->reason, sizeof s->a->reason, "%ld boxes were looked at, and the rest was not", s->a->boxes);
        return true;
    }
    if (s->deadline < INFINITY && s->a->boxes % 64 == 0 && sti_now(s->q->env) > s->deadline) {
        snprintf(s->a->reason, sizeof s->a->reason, "the time limit came after %ld boxes", s->a->boxes);
        return true;
    }
    return false;
}

static sti_status run(search* s) {
    const int n = s->q->n;
    sti_interval X[MOST] = {0};
    sti_status status = push(s, s->q->box);
    while (status == STI_OK && s->count > 0 && !(s->one && s->found)) {
        if (is_spent(s)) break;
        if (s->a->boxes % 64 == 63) status = sti_check_time(s->q->env, "searching for roots");
        if (status != STI_OK) break;
        memcpy(X, s->stack + (size_t)--s->count * (size_t)n, (size_t)n * sizeof *X);
        status = look_at(s, X);
    }
    for (int i = 0; status == STI_OK && !(s->one && s->found) && i < s->count; i++)
        status = sti_found_leaf(s->f, s->stack + (size_t)i * (size_t)n, STI_ROOT_LEAF_OPEN);
    if (status == STI_OK && n == 1 && !(s->one && s->found) && s->f->leaf_count < 20000) status = look_at_open(s);
    return status;
}

sti_status sti_search_all(sti_equations* q, const sti_root_options* o, const double* start, bool one, sti_found* f,
                          sti_root_answer* a) {
    search s = {.q = q, .o = o, .f = f, .a = a, .start = start, .one = one};
    s.deadline = o->time_limit_s > 0 ? sti_deadline(q->env, o->time_limit_s) : INFINITY;
    for (int k = 0; k < q->n; k++) s.least[k] = 0x1p-52 * (q->box[k].high - q->box[k].low);
    const sti_status status = run(&s);
    sti_free(q->env, s.stack);
    if (status != STI_OK) return status;
    int open = 0;
    for (int i = 0; i < f->leaf_count; i++) open += f->leaf[i] == STI_ROOT_LEAF_OPEN;
    a->complete = !one && open == 0 && !f->unsure;
    a->outcome = f->root_count > 0 ? STI_SOLVED : open == 0 ? STI_NO_SOLUTION : STI_UNKNOWN;
    if (open == 0) a->reason[0] = '\0';
    if (f->unsure) snprintf(a->reason, sizeof a->reason, "two enclosures overlap and may hold the same root");
    return STI_OK;
}
