// pminors.c: are all principal minors of M positive (class P), or none negative (P0)?
//
// Shortcuts, all of them theorems:
//     - minors of order 1 and 2 are looked at first: most matrices that are not P fail there, with a small witness;
//     - positive definite => P, positive semidefinite => P0, and for symmetric M these are equivalences;
//     - C x > 0 for some x > 0, C the comparison matrix (|M_ii| on the diagonal, -|M_ij| off it), M_ii > 0: M is an
//       H-matrix with positive diagonal, hence P. For M in Z this is the class K;
//     - the minors of a block triangular matrix are products of minors of its diagonal blocks, so each strongly
//       connected part of the graph of M is tested alone; a part in Z is P when its leading minors are positive.
//
// P, part of order r: Tsatsomeros & Li 2000. With a = M_jj > 0 the minors that contain j are a times those of the Schur
// complement of a, so
//
//     P(A)  <=>  for every j:  A_jj > 0  and  P( Schur complement of A_jj in the rows and columns j+1 .. )
//
// one node for every index set, 2^r in all, most of them tiny. Every entry carries a bound on its error
// (D1: the paper has none). A diagonal entry within its error, or a pivot that would spread a large one, sends the node
// to integers: the sign of the minor is decided exactly and the Schur complement is computed again, each entry then
// being the double nearest to the truth.
//
// P0: zero pivots stop the recursion, so the minors are taken one by one, by size (2^r determinant signs). The first
// negative one found is then minimal: all minors inside it are >= 0.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "classes/classes.h"
#include "linalg/lapack.h"

// ---- small minors and structure

static int minor_sign(sti_specimen* s, const int* index, int k) {
    sti_minors minors = {0};
    int sign = 0;
    sti_int* image = sti_int_array(&s->x, (size_t)k * (size_t)k);
    int* all = sti_alloc_array(s->env, (size_t)k, sizeof *all);
    if (all == NULL) s->x.status = STI_ERR_MEMORY;
    if (s->x.status == STI_OK) {
        sti_specimen_row_image(s, index, k, image, NULL, NULL);
        for (int i = 0; i < k; i++) all[i] = i;
        if (s->x.status == STI_OK && sti_minors_init(&minors, &s->x, image, k) == STI_OK)
            sign = sti_minors_sign(&minors, all, k);
    }
    sti_minors_clear(&minors);
    sti_int_array_free(s->env, image, (size_t)k * (size_t)k);
    sti_free(s->env, all);
    return sign;
}

static int pair_sign(sti_specimen* s, int i, int j) {
    const int along = sti_specimen_sign(s, i, i) * sti_specimen_sign(s, j, j);
    const int across = sti_specimen_sign(s, i, j) * sti_specimen_sign(s, j, i);
    if (along != across || along == 0) return (along > across) - (along < across);
    const double a = sti_specimen_at(s, i, i) * sti_specimen_at(s, j, j);
    const double b = sti_specimen_at(s, i, j) * sti_specimen_at(s, j, i);
    const double bound = 8 * 0x1p-53 * (fabs(a) + fabs(b)) + 0x1p-1000;
    if (a - b > bound) return 1;
    if (a - b < -bound) return -1;
    const int pair[2] = {i, j};
    return minor_sign(s, pair, 2);
}

// The first minor of order 1 or 2 that is below `least` (1: P, 0: P0), if any, becomes the witness.
static sti_status look_at_small(sti_specimen* s, sti_class_finding* f, int least) {
    for (int i = 0; i < s->n; i++) {
        if (sti_specimen_sign(s, i, i) >= least) continue;
        sti_finding_say(f, STI_NO, true, "a diagonal entry is %s", least > 0 ? "not positive" : "negative");
        return sti_finding_set_minor(s, f, &i, 1);
    }
    for (int i = 0; i < s->n; i++) {
        for (int j = i + 1; j < s->n; j++) {
            if (pair_sign(s, i, j) >= least) continue;
            if (s->x.status != STI_OK) return s->x.status;
            const int pair[2] = {i, j};
            sti_finding_say(f, STI_NO, true, "a minor of order 2 is %s", least > 0 ? "not positive" : "negative");
            return sti_finding_set_minor(s, f, pair, 2);
        }
    }
    return s->x.status;
}

static bool is_sure(const sti_class_finding* f, sti_verdict verdict) {
    return f->verdict == verdict && f->exact;
}

// C x > 0 with its error bound, C the comparison matrix.
static bool dominates(const sti_specimen* s, const double* x) {
    for (int i = 0; i < s->n; i++) {
        double sum = sti_specimen_at(s, i, i) * x[i], size = fabs(sum);
        for (int j = 0; j < s->n; j++) {
            if (j == i) continue;
            const double t = fabs(sti_specimen_at(s, i, j)) * x[j];
            sum -= t;
            size += t;
        }
        if (!(x[i] > 0) || !(sum > (s->n + 4) * 0x1p-52 * size + 0x1p-1000)) return false;
    }
    return true;
}

static sti_status is_H_plus(const sti_specimen* s, bool* yes) {
    *yes = false;
    const size_t n = (size_t)s->n;
    if (s->n > STI_EIGENVALUE_LIMIT) return STI_OK;
    sti_arena memory = sti_arena_make(s->env);
    double* x = sti_arena_raw(&memory, n + n * n, sizeof *x);
    int* pivot = sti_arena_raw(&memory, n, sizeof *pivot);
    if (memory.status != STI_OK) {
        sti_arena_clear(&memory);
        return STI_ERR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) x[i] = 1;
    *yes = dominates(s, x);  // diagonally dominant by rows
    if (!*yes) {
        double* C = x + n;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) C[i * n + j] = i == j ? s->m[i * n + j] : -fabs(s->m[i * n + j]);
        }
        const bool regular = sti_lapack_lu(s->n, C, pivot) == STI_LAPACK_DONE;
        if (regular) sti_lapack_lu_solve('T', s->n, 1, C, pivot, x, s->n);
        *yes = regular && dominates(s, x);
    }
    sti_arena_clear(&memory);
    return STI_OK;
}

// Strongly connected parts of the graph i -> j when M_ij != 0 (Tarjan 1972, without recursion). Returns how many.
static int strong_parts(const sti_specimen* s, int* part, int* work) {
    const int n = s->n;
    int *number = work, *low = work + n, *stack = work + 2 * n, *path = work + 3 * n, *next = work + 4 * n;
    int counter = 0, parts = 0, top = 0;
    for (int i = 0; i < n; i++) {
        number[i] = part[i] = -1;
        next[i] = 0;
    }
    for (int root = 0; root < n; root++) {
        if (number[root] >= 0) continue;
        int depth = 0;
        path[depth++] = root;
        number[root] = low[root] = counter++;
        stack[top++] = root;
        while (depth > 0) {
            const int v = path[depth - 1];
            if (next[v] < n) {
                const int w = next[v]++;
                if (w == v || part[w] >= 0 || sti_specimen_sign(s, v, w) == 0) continue;
                if (number[w] < 0) {
                    number[w] = low[w] = counter++;
                    stack[top++] = w;
                    path[depth++] = w;
                } else if (number[w] < low[v]) {
                    low[v] = number[w];
                }
                continue;
            }
            depth--;
            if (depth > 0 && low[v] < low[path[depth - 1]]) low[path[depth - 1]] = low[v];
            if (low[v] != number[v]) continue;
            for (int w = -1; w != v;) {
                w = stack[--top];
                part[w] = parts;
            }
            parts++;
        }
    }
    return parts;
}

// ---- one part

typedef struct block {
    sti_arena memory;
    sti_specimen* s;
    int n;
    const int* index;   // into M                                               (n)
    sti_int* image;     // integer rows                                         (n x n)
    sti_minors minors;  // of image
    double** a;         // one Schur complement for each depth, row major       (n)
    double** e;         // bounds on its errors                                 (n)
    int* chosen;        // pivots taken, local indices                          (n)
    int chosen_count;
    int* rest;       // local indices of rows of each depth                  (n x n)
    sti_int* table;  // for refresh                                          (n x n)
    sti_int previous;
    long work, work_limit;
    int witness_count;  // > 0: chosen[0 .. witness_count) is a minor that fails
} block;

static void clear_block(block* b) {
    sti_env* env = b->s->env;
    const size_t n = (size_t)b->n;
    sti_minors_clear(&b->minors);
    sti_int_array_free(env, b->image, n * n);
    sti_int_array_free(env, b->table, n * n);
    sti_int_clear(env, &b->previous);
    for (size_t i = 0; b->a != NULL && i < n; i++) sti_free(env, b->a[i]);
    for (size_t i = 0; b->e != NULL && i < n; i++) sti_free(env, b->e[i]);
    sti_arena_clear(&b->memory);
}

static sti_status make_block(block* b, sti_specimen* s, const int* index, int n) {
    *b = (block){.s = s, .n = n, .index = index, .work_limit = s->options.work_limit};
    const size_t w = (size_t)n;
    b->image = sti_int_array(&s->x, w * w);
    b->table = sti_int_array(&s->x, w * w);
    b->memory = sti_arena_make(s->env);
    b->a = sti_arena_take(&b->memory, w, sizeof *b->a);
    b->e = sti_arena_take(&b->memory, w, sizeof *b->e);
    b->chosen = sti_arena_raw(&b->memory, w, sizeof *b->chosen);
    b->rest = sti_arena_raw(&b->memory, w * w, sizeof *b->rest);
    bool made = b->memory.status == STI_OK && s->x.status == STI_OK;
    for (size_t i = 0; made && i < w; i++) {
        b->a[i] = sti_alloc_array(s->env, (w - i) * (w - i), sizeof(double));
        b->e[i] = sti_alloc_array(s->env, (w - i) * (w - i), sizeof(double));
        made = b->a[i] != NULL && b->e[i] != NULL;
    }
    sti_status status = made ? STI_OK : STI_ERR_MEMORY;
    if (status == STI_OK) {
        sti_specimen_row_image(s, index, n, b->image, NULL, NULL);
        status = s->x.status;
    }
    if (status == STI_OK) status = sti_minors_init(&b->minors, &s->x, b->image, n);
    if (status != STI_OK) {
        clear_block(b);
        return status;
    }
    memcpy(b->a[0], b->minors.mid, w * w * sizeof(double));
    memcpy(b->e[0], b->minors.rad, w * w * sizeof(double));
    for (int i = 0; i < n; i++) b->rest[i] = i;
    return STI_OK;
}

// Sign of the minor of the pivots and one more index.
static int exact_sign(block* b, int local) {
    b->chosen[b->chosen_count] = local;
    return sti_minors_sign(&b->minors, b->chosen, b->chosen_count + 1);
}

// Compute the Schur complement of this depth from the data, without error but for the final rounding. Rows of `image`
// and of a[0] differ by powers of two, so these rows are only right up to a positive factor each: enough for signs.
static void refresh(block* b, int r) {
    sti_exact* x = &b->s->x;
    const int k = b->chosen_count, w = k + r;
    const int* rest = b->rest + (size_t)k * (size_t)b->n;
    sti_int* T = b->table;
    for (int i = 0; i < w; i++) {
        for (int j = 0; j < w; j++) {
            const int row = i < k ? b->chosen[i] : rest[i - k], col = j < k ? b->chosen[j] : rest[j - k];
            sti_int_set(x, &T[i * w + j], &b->image[row * b->n + col]);
        }
    }
    sti_int_set_i64(x, &b->previous, 1);
    for (int c = 0; c < k && x->status == STI_OK; c++) {  // leading minors are positive: pivots in order
        for (int i = c + 1; i < w; i++) {
            for (int j = c + 1; j < w; j++)
                sti_int_pivot(x, &T[i * w + j], &T[c * w + c], &T[i * w + c], &T[c * w + j], &b->previous);
        }
        sti_int_set(x, &b->previous, &T[c * w + c]);
    }
    for (int i = 0; i < r && x->status == STI_OK; i++) {
        for (int j = 0; j < r; j++) {
            const double v = sti_int_ratio(x, &T[(k + i) * w + k + j], &b->previous);
            b->a[k][i * r + j] = v;
            b->e[k][i * r + j] = 0x1p-53 * fabs(v) + 0x1p-1074;
        }
    }
    b->work += 8 * (long)w;
}

// Schur complement of entry (j, j) in rows and columns j+1 .. r-1, with errors.
static void descend(block* b, int r, int j) {
    const int k = b->chosen_count, c = r - 1 - j;
    const double *a = b->a[k], *e = b->e[k];
    double *to = b->a[k + 1], *to_e = b->e[k + 1];
    const double u = 0x1p-53, tiny = 0x1p-1022, more = 1 + 0x1p-48;
    const double p = a[j * r + j], ep = e[j * r + j], low = p - ep;
    for (int i = 0; i < c; i++) {
        const double *ai = a + (i + j + 1) * r, *ei = e + (i + j + 1) * r;
        const double f = ai[j] / p, size = fabs(f);
        const double ef = ((ei[j] + size * ep) / low + u * size) * more + tiny;
        for (int l = 0; l < c; l++) {
            const int col = l + j + 1;
            const double q = a[j * r + col], eq = e[j * r + col], t = f * q, v = ai[col] - t;
            to[i * c + l] = v;
            to_e[i * c + l] = (ei[col] + size * eq + ef * (fabs(q) + eq) + u * (fabs(t) + fabs(v))) * more + tiny;
        }
    }
    const int* rest = b->rest + (size_t)k * (size_t)b->n;
    memcpy(b->rest + (size_t)(k + 1) * (size_t)b->n, rest + j + 1, (size_t)c * sizeof *rest);
}

// True: all minors of chosen + any of the r rows of this depth are positive. False: a witness, the limit, or memory.
static bool all_positive(block* b, int r) {
    const int k = b->chosen_count;
    const int* rest = b->rest + (size_t)k * (size_t)b->n;
    const double *a = b->a[k], *e = b->e[k];
    bool fresh = false;
    for (int j = 0; j < r; j++) {
        if (++b->work > b->work_limit || !sti_specimen_goes_on(&b->s->x, b->work)) return false;
        const double p = a[j * r + j], ep = e[j * r + j];
        int sign = p > ep ? 1 : p < -ep ? -1 : 0;
        if (sign == 0) sign = exact_sign(b, rest[j]);
        if (sign <= 0) {
            b->chosen[k] = rest[j];
            b->witness_count = b->s->x.status == STI_OK ? k + 1 : 0;
            return false;
        }
        if (j == r - 1) break;
        if (!fresh && !(ep < 0x1p-20 * p)) {
            refresh(b, r);
            fresh = true;
        }
        b->chosen[k] = rest[j];
        descend(b, r, j);
        b->chosen_count++;
        const bool good = all_positive(b, r - 1 - j);
        b->chosen_count--;
        if (!good) return false;
    }
    return true;
}

// Leave out what can be left out of a set whose minor is not positive.
static void shrink_witness(block* b) {
    int* set = b->chosen;
    for (int i = 0; i < b->witness_count && b->witness_count > 1;) {
        const int removed = set[i];
        for (int j = i; j + 1 < b->witness_count; j++) set[j] = set[j + 1];
        if (sti_minors_sign(&b->minors, set, b->witness_count - 1) <= 0) {
            b->witness_count--;
            continue;
        }
        for (int j = b->witness_count - 1; j > i; j--) set[j] = set[j - 1];
        set[i++] = removed;
    }
}

// P0 by size. True: none negative.
static bool none_negative(block* b) {
    const int n = b->n;
    int* set = b->chosen;
    for (int k = 1; k <= n; k++) {
        for (int i = 0; i < k; i++) set[i] = i;
        for (;;) {
            if (++b->work > b->work_limit || !sti_specimen_goes_on(&b->s->x, b->work)) return false;
            if (sti_minors_sign(&b->minors, set, k) < 0) {
                b->witness_count = k;
                return false;
            }
            int i = k - 1;  // next set of this size
            while (i >= 0 && set[i] == n - k + i) i--;
            if (i < 0) break;
            set[i]++;
            for (int j = i + 1; j < k; j++) set[j] = set[j - 1] + 1;
        }
    }
    return b->s->x.status == STI_OK;
}

// Leading minors of a part in Z: all positive means P (Fiedler & Ptak 1962).
static bool leading_positive(block* b) {
    for (int k = 1; k <= b->n; k++) {
        b->chosen[k - 1] = k - 1;
        if (sti_minors_sign(&b->minors, b->chosen, k) <= 0) {
            b->witness_count = b->s->x.status == STI_OK ? k : 0;
            return false;
        }
    }
    return true;
}

static bool in_Z(const sti_specimen* s, const int* index, int k) {
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++) {
            if (i != j && sti_specimen_sign(s, index[i], index[j]) > 0) return false;
        }
    }
    return true;
}

static sti_status say_no_block(block* b, sti_class_finding* f, const char* how) {
    int* set = b->chosen;
    for (int i = 0; i < b->witness_count; i++) set[i] = b->index[set[i]];
    sti_finding_say(f, STI_NO, true, "%s", how);
    return sti_finding_set_minor(b->s, f, set, b->witness_count);
}

// One part. least 1: P, 0: P0. Leaves f undecided when the part passes, and sets *open when it could not be decided.
static sti_status decide_block(sti_specimen* s, const int* index, int k, int least, sti_class_finding* f, bool* open) {
    const bool Z = k <= STI_INTEGER_LIMIT && in_Z(s, index, k);
    const bool small = k <= s->options.exact_limit;
    if (k == 1) return STI_OK;  // the diagonal was looked at
    if (!small && !Z) {
        *open = true;
        return STI_OK;
    }
    block b;
    sti_status status = make_block(&b, s, index, k);
    if (status != STI_OK) return status;
    bool good = Z ? leading_positive(&b) : all_positive(&b, k);
    const char* how = Z ? "a leading minor of a part in Z is not positive" : "found by recursive Schur complements";
    if (!good && least == 0) {
        b.work = b.witness_count = 0;
        good = small && none_negative(&b);
        how = "the first negative minor, by size";
    } else if (!good && b.witness_count > 0 && s->x.status == STI_OK) {
        shrink_witness(&b);
    }
    status = s->x.status;
    if (status == STI_OK && !good && b.witness_count > 0)
        status = say_no_block(&b, f, how);
    else if (!good)
        *open = true;
    clear_block(&b);
    return status;
}

static sti_status decide_blocks(sti_specimen* s, int least, sti_class_finding* f) {
    const size_t n = (size_t)s->n;
    int* part = sti_alloc_array(s->env, 6 * n, sizeof *part);
    if (part == NULL) return STI_ERR_MEMORY;
    int* index = part + n;  // the work of strong_parts, free again afterwards
    const int parts = strong_parts(s, part, part + n);
    sti_status status = STI_OK;
    bool open = false;
    int largest = 0;
    for (int c = 0; c < parts && status == STI_OK && f->verdict == STI_UNDECIDED; c++) {
        int k = 0;
        for (int i = 0; i < s->n; i++) {
            if (part[i] == c) index[k++] = i;
        }
        if (k > largest) largest = k;
        bool this_open = false;
        status = decide_block(s, index, k, least, f, &this_open);
        open = open || this_open;
    }
    sti_free(s->env, part);
    if (status != STI_OK || f->verdict != STI_UNDECIDED) return status;
    if (open)
        sti_finding_say(f, STI_UNDECIDED, false, "a strongly connected part of order %d needs more work than allowed",
                        largest);
    else if (largest <= 1)
        sti_finding_say(f, STI_YES, true, "triangular up to order, diagonal %s",
                        least > 0 ? "positive" : "nonnegative");
    else
        sti_finding_say(f, STI_YES, true, "all minors of the strongly connected parts (order %d at most)", largest);
    return STI_OK;
}

// ---- symmetric M that is not positive (semi)definite

// Grow a set with a positive minor as far as it goes; what stops it is the witness.
static sti_status symmetric_witness(sti_specimen* s, int least, sti_class_finding* f) {
    block b;
    int* all = sti_alloc_array(s->env, (size_t)s->n, sizeof *all);
    if (all == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < s->n; i++) all[i] = i;
    sti_status status = make_block(&b, s, all, s->n);
    if (status == STI_OK) {
        int k = 0;
        int* zero = b.rest;
        int zeros = 0;
        for (int i = 0; i < s->n && b.witness_count == 0; i++) {
            b.chosen[k] = i;
            const int sign = sti_minors_sign(&b.minors, b.chosen, k + 1);
            if (sign > 0)
                k++;
            else if (sign < least)
                b.witness_count = k + 1;
            else
                zero[zeros++] = i;
        }
        for (int i = 0; i < zeros && b.witness_count == 0; i++) {
            // the set grew since: its minor with i may be negative by now
            b.chosen[k] = zero[i];
            if (sti_minors_sign(&b.minors, b.chosen, k + 1) < 0) b.witness_count = k + 1;
            for (int j = 0; j < i && b.witness_count == 0; j++) {
                b.chosen[k + 1] = zero[j];
                if (sti_minors_sign(&b.minors, b.chosen, k + 2) < 0) b.witness_count = k + 2;
            }
        }
        status = s->x.status;
        if (status == STI_OK && least > 0 && b.witness_count > 0) shrink_witness(&b);
        if (status == STI_OK) status = say_no_block(&b, f, "symmetric and not positive (semi)definite");
        clear_block(&b);
    }
    sti_free(s->env, all);
    return status;
}

static sti_status decide(sti_specimen* s, sti_class_finding* f, int least, const sti_class_finding* definite,
                         const sti_class_finding* symmetric) {
    if (s->n == 0) {
        sti_finding_say(f, STI_YES, true, "there are no minors");
        return STI_OK;
    }
    sti_status status = look_at_small(s, f, least);
    if (status != STI_OK || f->verdict != STI_UNDECIDED) return status;
    if (is_sure(definite, STI_YES)) {
        sti_finding_say(f, STI_YES, true, "positive %sdefinite", least > 0 ? "" : "semi");
        return STI_OK;
    }
    if (is_sure(symmetric, STI_YES) && is_sure(definite, STI_NO)) {
        if (s->n <= STI_INTEGER_LIMIT) return symmetric_witness(s, least, f);
        sti_finding_say(f, STI_NO, true, "symmetric and not positive %sdefinite", least > 0 ? "" : "semi");
        return sti_finding_copy_vector(s, f, definite);
    }
    bool H;
    status = is_H_plus(s, &H);
    if (status != STI_OK) return status;
    if (H) {
        sti_finding_say(f, STI_YES, true, "diagonally dominant after scaling of columns, with a positive diagonal");
        return STI_OK;
    }
    return decide_blocks(s, least, f);
}

sti_status sti_specimen_P(sti_specimen* s, sti_classes* c) {
    return decide(s, &c->finding[STI_CLASS_P], 1, &c->finding[STI_CLASS_POSITIVE_DEFINITE],
                  &c->finding[STI_CLASS_SYMMETRIC]);
}

sti_status sti_specimen_P0(sti_specimen* s, sti_classes* c) {
    sti_class_finding* f = &c->finding[STI_CLASS_P0];
    const sti_class_finding* P = &c->finding[STI_CLASS_P];
    if (is_sure(P, STI_YES)) {
        sti_finding_say(f, STI_YES, true, "a P-matrix");
        return STI_OK;
    }
    if (is_sure(P, STI_NO) && P->index != NULL && P->value < 0) {
        // the witness against P is one against P0, but perhaps not the smallest: kept when small
        if (P->size <= 2) {
            sti_finding_say(f, STI_NO, true, "%s", P->how);
            return sti_finding_copy_minor(s, f, P);
        }
    }
    return decide(s, f, 0, &c->finding[STI_CLASS_POSITIVE_SEMIDEFINITE], &c->finding[STI_CLASS_SYMMETRIC]);
}
