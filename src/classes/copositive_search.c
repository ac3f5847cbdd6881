// copositive_search.c: the least of x'Bx over x >= 0 below, at or above zero, for a symmetric integer matrix B.
//
// A set a is a violator when some x > 0 on a, zero elsewhere, has x'Bx < 0. For a minimal one (no violator inside):
//
//   (1) every proper principal submatrix of B_aa is positive semidefinite.      Hadeler 1983, Vaeliaho 1986
//       (Let v'Bv < 0 with a zero in v. Then v has both signs, or there were a violator inside. Walk from x along v
//       both ways to the border of the orthant: the form is concave on that line and nonnegative at both ends, so it
//       could not be negative at x.)
//   (2) a is connected in the graph of negative entries: parts joined by entries >= 0 cannot help each other.
//   (3) write a = T + v, A = B_TT, b = B_Tv, c = B_vv, s = c - b'A^-1 b. If A is positive definite then s < 0 and
//       -A^-1 b > 0, and x = (-A^-1 b, 1) has x'Bx = s.  If A is singular, its kernel is one line, spanned by some
//       p > 0 with b'p < 0. So no set with a singular principal submatrix can be extended by more than one index.
//   (4) likewise the support a of a minimal zero (x'Bx = 0) of a copositive matrix is connected, all its proper
//       principal submatrices are positive definite, and it is met as s = 0 with x = (-A^-1 b, 1) > 0.
//
// So it is enough to walk through the connected sets T with B_TT positive definite, each once (extend by a neighbour or
// forbid it for good), and to look at every index v beside T:
//
//     s > 0                       extend T by v
//     s < 0, -A^-1 b >= 0         violator
//     s = 0, -A^-1 b >= 0         a zero p of the form; violator with any w that has (Bp)_w < 0
//     otherwise                   nothing; and v is of no use in any set that contains T
//
// Floating point carries L of A = L L', L^-1, and y_w = L^-1 B_Tw, s_w for the indices left; B is scaled by powers of
// two to a diagonal in [1/2, 2). A computed factor is that of a matrix off by |dA_ij| <= (k+1) u sqrt(A_ii A_jj) or
// so, hence
//
//     T + v positive definite    when  trace((A+v)^-1) = |L^-1|_F^2  is below 1 / (8 k g),  g = 2 (k+4) u
//     s < 0                      when  s + 2 g (1.5 |x|_1 + y)^2 < 0,  x = -A^-1 b as computed, y^2 = c + |y_v|^2
//     x_i < 0                    when  x_i < -err,  err = 12 g sqrt(k) trace(A^-1) (1.5 |x|_1 + y)
//
// Anything else is decided in integers, by the fraction-free Gauss-Jordan table of T, which shows s, -A^-1 b and
// (Bp)_w at once. Tables are made one from the other on the way down, only where needed and only in the columns of the
// indices left. A set known to be positive definite only from integers is marked, and so is everything below it.
//
// Cost: at most 2^n nodes of about k^2 + k r operations, r the indices left; far fewer when B has large positive
// entries, or few negative ones.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "classes/classes.h"

typedef uint64_t mask;

typedef struct level {
    mask alive;        // indices that may still join
    mask beside;       // indices with a negative entry towards T
    double trace;      // of A^-1, scaled
    bool in_integers;  // floating point does not know T to be positive definite
    double* s;         // Schur complement of each index                     (n)
    double* x;         // -A^-1 b of each index, row w                       (n x n)
    sti_int* table;    // Gauss-Jordan table of T, columns that were alive   (n x n)
    sti_int d;         // its common pivot
    bool have_table;
} level;

typedef struct search {
    sti_arena memory;
    sti_exact* ctx;
    int n;
    const sti_int* B;  // (n x n)
    double* F;         // B scaled                                            (n x n)
    mask* negative;    // neighbours in the graph of negative entries         (n)
    int* T;            // the set, in order of joining                        (n)
    double* inverse;   // rows of L^-1                                        (n x n)
    double* y;         // L^-1 B_Tw, row w; once w is in T, its row of L      (n x n)
    level* levels;     //                                                     (n+1)
    sti_copositive_search* out;
    long work_limit;
} search;

static inline mask bit(int i) {
    return (mask)1 << i;
}

// ---- integers

// Table of T + v from that of T: column v is eliminated, and of the others those in `columns` are carried on.
static void step_table(search* k, const level* old, level* to, int v, mask columns) {
    sti_exact* ctx = k->ctx;
    const size_t n = (size_t)k->n;
    const sti_int* row_v = old->table + (size_t)v * n;
    const sti_int* p = &row_v[v];
    for (mask rest = columns; rest != 0; rest &= rest - 1) {
        const size_t j = (size_t)__builtin_ctzll(rest);
        for (size_t i = 0; i < n; i++) {
            sti_int* t = &to->table[i * n + j];
            sti_int_set(ctx, t, &old->table[i * n + j]);
            if (i != (size_t)v) sti_int_pivot(ctx, t, p, &old->table[i * n + (size_t)v], &row_v[j], &old->d);
        }
    }
    sti_int_set(ctx, &to->d, p);
}

static void make_table(search* k, int depth) {
    int from = depth;
    while (!k->levels[from].have_table) from--;
    for (; from < depth; from++) {
        level* to = &k->levels[from + 1];
        step_table(k, &k->levels[from], to, k->T[from], to->alive);
        to->have_table = true;
        // a node of the search takes some tenths of a microsecond; long integers are weighed in at one each
        const double limbs = to->d.size, entries = (double)k->n * __builtin_popcountll(to->alive);
        k->out->work += 1 + (long)(entries * (25 + 3 * limbs * limbs) / 1000);
    }
}

static inline const sti_int* entry(const search* k, int depth, int i, int j) {
    return &k->levels[depth].table[(size_t)i * (size_t)k->n + (size_t)j];
}

// x = (-A^-1 b_v, 1) times d, from the table.
static void read_vector(search* k, int depth, int v, sti_int* x) {
    for (int i = 0; i < k->n; i++) sti_int_set_i64(k->ctx, &x[i], 0);
    for (int i = 0; i < depth; i++) {
        const int t = k->T[i];
        sti_int_set(k->ctx, &x[t], entry(k, depth, t, v));
        sti_int_neg(&x[t]);
    }
    sti_int_set(k->ctx, &x[v], &k->levels[depth].d);
}

// Is -A^-1 b_v >= 0?
static bool vector_nonnegative(const search* k, int depth, int v) {
    for (int i = 0; i < depth; i++) {
        if (sti_int_sign(entry(k, depth, k->T[i], v)) > 0) return false;
    }
    return true;
}

// p'Bp = 0 and (Bp)_w < 0: with p in integers (Bp)_w is an integer too, the entry (w, v) of the table, at most -1, so
// that x = t p + e_w with t = |B_ww| + 1 has x'Bx = B_ww + 2 t (Bp)_w < 0.
static void violator_beyond_zero(search* k, int depth, int v, int w) {
    sti_exact* ctx = k->ctx;
    sti_int* x = k->out->violator;
    read_vector(k, depth, v, x);
    sti_int t = {0}, one = {0};
    sti_int_set(ctx, &t, &k->B[(size_t)w * (size_t)k->n + (size_t)w]);
    if (sti_int_sign(&t) < 0) sti_int_neg(&t);
    sti_int_set_i64(ctx, &one, 1);
    sti_int_add(ctx, &t, &t, &one);
    for (int i = 0; i < k->n; i++) sti_int_mul(ctx, &x[i], &x[i], &t);
    sti_int_add(ctx, &x[w], &x[w], &one);
    sti_int_clear(ctx->env, &t);
    sti_int_clear(ctx->env, &one);
}

typedef enum outcome { EXTEND, EXTEND_IN_INTEGERS, DROP, VIOLATOR } outcome;

static outcome decide_in_integers(search* k, int depth, int v) {
    make_table(k, depth);
    if (k->ctx->status != STI_OK) return DROP;
    const int sign = sti_int_sign(entry(k, depth, v, v));
    if (sign > 0) return EXTEND_IN_INTEGERS;
    if (!vector_nonnegative(k, depth, v)) return DROP;
    if (sign < 0) {
        read_vector(k, depth, v, k->out->violator);
        return VIOLATOR;
    }
    if (!k->out->has_zero) {
        k->out->has_zero = true;
        read_vector(k, depth, v, k->out->zero);
    }
    for (int w = 0; w < k->n; w++) {
        bool inside = w == v;
        for (int i = 0; i < depth; i++) inside = inside || k->T[i] == w;
        if (inside || sti_int_sign(entry(k, depth, w, v)) >= 0) continue;
        violator_beyond_zero(k, depth, v, w);
        return VIOLATOR;
    }
    return DROP;
}

// ---- floating point

// An index beside T: what floating point can settle, and integers for the rest.
static outcome decide(search* k, int depth, int v) {
    level* here = &k->levels[depth];
    if (here->in_integers) return decide_in_integers(k, depth, v);
    const size_t n = (size_t)k->n;
    const double* y = k->y + (size_t)v * n;
    double* x = here->x + (size_t)v * n;
    double sum = 0, square = 0, length = 0, least = 0;
    for (int j = 0; j < depth; j++) x[j] = 0;
    for (int i = 0; i < depth; i++) {
        const double* row = k->inverse + (size_t)i * n;
        for (int j = 0; j <= i; j++) x[j] -= row[j] * y[i];
        length += y[i] * y[i];
    }
    for (int j = 0; j < depth; j++) {
        sum += fabs(x[j]);
        square += x[j] * x[j];
        least = fmin(least, x[j]);
    }
    const double s = here->s[v], order = depth + 1, g = 2 * (order + 4) * 0x1p-53;
    const double weight = 1.5 * sum + sqrt(k->F[(size_t)v * n + (size_t)v] + length);
    const double trace = here->trace + (square + 1) / s;
    if (s > 0 && trace * 8 * order * g < 1) return EXTEND;
    const bool certainly_negative = s + 2 * g * weight * weight < 0;
    const bool negative_entry = least < -12 * g * sqrt(order) * here->trace * weight;
    return certainly_negative && negative_entry ? DROP : decide_in_integers(k, depth, v);
}

// T := T + v. The indices left get one more entry of y and a smaller s.
static void join(search* k, int depth, int v, mask alive, bool in_integers) {
    const size_t n = (size_t)k->n;
    level *here = &k->levels[depth], *next = &k->levels[depth + 1];
    k->T[depth] = v;
    next->alive = alive;
    next->beside = here->beside | k->negative[v];
    next->in_integers = in_integers;
    next->have_table = false;
    if (in_integers) return;
    const double root = sqrt(here->s[v]);
    const double *y = k->y + (size_t)v * n, *x = here->x + (size_t)v * n;
    double* row = k->inverse + (size_t)depth * n;
    double square = 0;
    for (int j = 0; j < depth; j++) {
        row[j] = x[j] / root;
        square += x[j] * x[j];
    }
    row[depth] = 1 / root;
    next->trace = here->trace + (square + 1) / here->s[v];
    for (mask rest = alive; rest != 0; rest &= rest - 1) {
        const int w = __builtin_ctzll(rest);
        double* yw = k->y + (size_t)w * n;
        double t = k->F[(size_t)v * n + (size_t)w];
        for (int j = 0; j < depth; j++) t -= y[j] * yw[j];
        t /= root;
        yw[depth] = t;
        next->s[w] = here->s[w] - t * t;
    }
}

// Look at all indices beside T, then extend. True: a violator was found; or out of work, or out of memory.
static bool visit(search* k, int depth) {
    level* here = &k->levels[depth];
    if (++k->out->work > k->work_limit || !sti_specimen_goes_on(k->ctx, k->out->work)) return true;
    mask in_integers = 0;
    for (mask rest = here->alive & here->beside; rest != 0; rest &= rest - 1) {
        const int v = __builtin_ctzll(rest);
        const outcome result = decide(k, depth, v);
        if (result == VIOLATOR) {
            k->out->copositive = STI_NO;
            return true;
        }
        if (result == DROP) here->alive &= ~bit(v);
        if (result == EXTEND_IN_INTEGERS) in_integers |= bit(v);
    }
    mask left = here->alive;
    for (mask rest = here->alive & here->beside; rest != 0; rest &= rest - 1) {
        const int v = __builtin_ctzll(rest);
        left &= ~bit(v);
        join(k, depth, v, left, here->in_integers || (in_integers & bit(v)) != 0);
        if (visit(k, depth + 1)) return true;
    }
    return false;
}

// Sets by their first index. A zero on the diagonal is a set of its own with kernel e_v.
static void run(search* k) {
    const int n = k->n;
    level* root = &k->levels[0];
    for (int v = 0; v < n; v++) {
        const outcome result = decide_in_integers(k, 0, v);
        if (k->ctx->status != STI_OK) return;
        if (result == VIOLATOR) {
            k->out->copositive = STI_NO;
            return;
        }
        if (result == EXTEND_IN_INTEGERS) root->alive |= bit(v);
    }
    mask left = root->alive;
    for (int v = 0; v < n; v++) {
        if ((root->alive & bit(v)) == 0) continue;
        left &= ~bit(v);
        join(k, 0, v, left, false);
        if (visit(k, 1)) return;
    }
    if (k->ctx->status == STI_OK) k->out->copositive = STI_YES;
}

// ---- life

// F_ij = B_ij 2^-(e_i + e_j), e_i such that a positive diagonal lands in [1/2, 2).
static void scale(search* k) {
    const size_t n = (size_t)k->n;
    sti_int power = {0};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            const size_t e = sti_int_bits(&k->B[i * n + i]) / 2 + sti_int_bits(&k->B[j * n + j]) / 2;
            sti_int_set_i64(k->ctx, &power, 1);
            sti_int_shl(k->ctx, &power, &power, e);
            const double value = k->ctx->status == STI_OK ? sti_int_ratio(k->ctx, &k->B[i * n + j], &power) : 0;
            k->F[i * n + j] = k->F[j * n + i] = value;
        }
    }
    sti_int_clear(k->ctx->env, &power);
    for (size_t i = 0; i < n; i++) {
        k->levels[0].s[i] = k->F[i * n + i];
        for (size_t j = 0; j < n; j++) {
            if (i != j && sti_int_sign(&k->B[i * n + j]) < 0) k->negative[i] |= bit((int)j);
        }
    }
}

static void clear(search* k) {
    sti_env* env = k->ctx->env;
    const size_t n = (size_t)k->n;
    for (size_t i = 0; k->levels != NULL && i <= n; i++) {
        sti_free(env, k->levels[i].s);
        sti_free(env, k->levels[i].x);
        sti_int_array_free(env, k->levels[i].table, n * n);
        sti_int_clear(env, &k->levels[i].d);
    }
    sti_arena_clear(&k->memory);
}

static sti_status make(search* k) {
    sti_env* env = k->ctx->env;
    const size_t n = (size_t)k->n;
    k->memory = sti_arena_make(env);
    k->F = sti_arena_raw(&k->memory, n * n, sizeof *k->F);
    k->negative = sti_arena_take(&k->memory, n, sizeof *k->negative);
    k->T = sti_arena_raw(&k->memory, n + 1, sizeof *k->T);
    k->inverse = sti_arena_raw(&k->memory, n * n, sizeof *k->inverse);
    k->y = sti_arena_raw(&k->memory, n * n, sizeof *k->y);
    k->levels = sti_arena_take(&k->memory, n + 1, sizeof *k->levels);
    k->out->violator = sti_int_array(k->ctx, n);
    k->out->zero = sti_int_array(k->ctx, n);
    bool made = k->memory.status == STI_OK && k->ctx->status == STI_OK;
    for (size_t i = 0; made && i <= n; i++) {
        level* l = &k->levels[i];
        l->s = sti_alloc_array(env, n, sizeof *l->s);
        l->x = sti_alloc_array(env, n * n, sizeof *l->x);
        l->table = sti_int_array(k->ctx, n * n);
        made = l->s != NULL && l->x != NULL && l->table != NULL;
    }
    if (!made) return STI_ERR_MEMORY;
    scale(k);
    for (size_t i = 0; i < n * n; i++) sti_int_set(k->ctx, &k->levels[0].table[i], &k->B[i]);
    sti_int_set_i64(k->ctx, &k->levels[0].d, 1);
    k->levels[0].have_table = true;
    return k->ctx->status;
}

sti_status sti_copositive_search_run(sti_exact* x, const sti_int* B, int n, long work_limit,
                                     sti_copositive_search* out) {
    *out = (sti_copositive_search){.copositive = STI_UNDECIDED};
    search k = {.ctx = x, .n = n, .B = B, .out = out, .work_limit = work_limit};
    if (n > 62) return STI_FAIL(x->env, STI_ERR_SIZE, n, "copositivity search of order %d", n);
    sti_status status = make(&k);
    if (status == STI_OK) {
        run(&k);
        status = x->status;
    }
    clear(&k);
    if (status != STI_OK) sti_copositive_search_clear(x->env, out, n);
    return status;
}

void sti_copositive_search_clear(sti_env* env, sti_copositive_search* search_out, int n) {
    sti_int_array_free(env, search_out->violator, (size_t)n);
    sti_int_array_free(env, search_out->zero, (size_t)n);
    search_out->violator = search_out->zero = NULL;
}
