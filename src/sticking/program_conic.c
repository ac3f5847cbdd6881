// program_conic.c: a program in floating point: equations eliminated, the rest given to the conic solver.
//
// The equations E x + e = 0 are scaled, rows and unknowns, so that units have no say, and decomposed. Their solutions
// are start + span(basis). Redundant equations thus cost nothing, and "redundant" means: singular values below 1e-11 of
// the largest.
//
// What remains, inequalities and cones over the coordinates s of the family, is scaled row by row, its constants to
// size one, so that the solver's tolerance means the same for grams and for tons.
#include <math.h>
#include <string.h>

#include "sticking/program.h"

#define CONIC_TOL 1e-12

static const double* row_of(const sti_cone_program* p, int r) {
    return p->row + (size_t)r * ((size_t)p->size + 1);
}

// Unknowns in units in which the equations are even, where the caller did not give them. One that is in no equation
// gets the units of the conditions it is in.
static sti_status scale_unknowns(sti_cone_program* p, int m) {
    const size_t n = (size_t)p->size;
    double *E = sti_arena_doubles(p->pool, (size_t)m * n), *row = sti_arena_doubles(p->pool, (size_t)m);
    double *even = sti_arena_doubles(p->pool, n), *given = p->unknown_scale;
    if (p->pool->status != STI_OK) return p->pool->status;
    for (int i = 0; i < m; i++) memcpy(E + (size_t)i * n, row_of(p, p->equation[i]) + 1, n * sizeof *E);
    const sti_status status = sti_small_equilibrate(p->pool, m, p->size, E, row, even);
    p->unknown_scale = even;
    for (size_t j = 0; given != NULL && j < n; j++)
        if (given[j] > 0) even[j] = given[j];
    for (size_t j = 0; j < n; j++) {
        bool held = given != NULL && given[j] > 0;
        for (int i = 0; i < m; i++) held = held || E[(size_t)i * n + j] != 0;
        double least = INFINITY;
        for (int r = 0; !held && r < p->rows; r++) {
            const double* v = row_of(p, r) + 1;
            double most = 0;
            for (size_t k = 0; k < n && v[j] != 0; k++)
                if (k != j) most = fmax(most, fabs(v[k]) * even[k]);
            if (most > 0) least = fmin(least, most / fabs(v[j]));
        }
        if (!held && isfinite(least)) even[j] = least;
    }
    return status;
}

static void scale_equations(sti_cone_program* p, int m, double* E, double* e) {
    const size_t n = (size_t)p->size;
    for (int i = 0; i < m; i++) {
        const double* row = row_of(p, p->equation[i]);
        double size = 0;
        for (size_t j = 0; j < n; j++) size = fmax(size, fabs(row[j + 1] * p->unknown_scale[j]));
        p->row_scale[i] = size > 0 ? 1 / size : 1;
        for (size_t j = 0; j < n; j++) E[(size_t)i * n + j] = p->row_scale[i] * row[j + 1] * p->unknown_scale[j];
        e[i] = -p->row_scale[i] * row[0];
    }
}

// The point of the family with the least sum of (x_j / metric_j)^2.
static sti_status move_start(sti_cone_program* p) {
    const int n = p->size, k = p->freedom;
    double *B = sti_arena_doubles(p->pool, (size_t)n * (size_t)k), *b = sti_arena_doubles(p->pool, (size_t)n);
    double* s = sti_arena_doubles(p->pool, (size_t)k);
    if (p->pool->status != STI_OK || k == 0) return p->pool->status;
    for (int j = 0; j < n; j++) {
        b[j] = -p->start[j] / p->metric[j];
        for (int l = 0; l < k; l++) {
            // basis vectors have unit length in scaled unknowns: what is rounding there must not become large in the
            // metric
            const double entry = p->basis[(size_t)l * n + j];
            B[(size_t)j * k + l] = fabs(entry) > 1e-13 * p->unknown_scale[j] ? entry / p->metric[j] : 0;
        }
    }
    // columns of B to unit length: they are independent, whatever their units
    double* length = sti_arena_doubles(p->pool, (size_t)k);
    if (length == NULL) return p->pool->status;
    for (int l = 0; l < k; l++) {
        for (int j = 0; j < n; j++) length[l] = hypot(length[l], B[(size_t)j * k + l]);
        for (int j = 0; j < n && length[l] > 0; j++) B[(size_t)j * k + l] /= length[l];
    }
    sti_svd f;
    const sti_status status = sti_svd_make(p->pool, n, k, B, 1e-14, &f);
    if (status != STI_OK) return status;
    sti_svd_solve(&f, b, s);
    for (int l = 0; l < k; l++)
        for (int j = 0; j < n && length[l] > 0; j++) p->start[j] += s[l] / length[l] * p->basis[(size_t)l * n + j];
    return STI_OK;
}

// Equations that hang together by their unknowns are a block. The decomposition mixes blocks, and what it rounds in a
// large one shows in a small one; so the solution is refined block by block, and judged so.
static sti_status find_blocks(sti_cone_program* p, int m, const double* E) {
    const size_t n = (size_t)p->size;
    int *mark = p->row_block = sti_arena_ints(p->pool, (size_t)m),
        *seen = p->unknown_block = sti_arena_ints(p->pool, n);
    if (p->pool->status != STI_OK) return p->pool->status;
    for (int i = 0; i < m; i++) {
        mark[i] = i;
        for (size_t j = 0; j < n; j++) {
            if (E[(size_t)i * n + j] == 0) continue;
            const int old = seen[j] == 0 ? mark[i] : seen[j] - 1;
            const int least = old < mark[i] ? old : mark[i], most = old > mark[i] ? old : mark[i];
            for (int h = 0; h <= i && most != least; h++)
                if (mark[h] == most) mark[h] = least;
            for (size_t h = 0; h < n && most != least; h++)
                if (seen[h] == 1 + most) seen[h] = 1 + least;
            seen[j] = 1 + mark[i];
        }
    }
    return STI_OK;
}

// What scaled equation i lacks at x, and the terms that this is summed from.
static double rest_of(const sti_cone_program* p, int i, const double* x, double* size) {
    const double* row = row_of(p, p->equation[i]);
    double rest = -row[0];
    *size = fabs(row[0]);
    for (int j = 0; j < p->size; j++) {
        rest -= row[j + 1] * x[j];
        *size += fabs(row[j + 1] * x[j]);
    }
    *size *= p->row_scale[i];
    return p->row_scale[i] * rest;
}

// x brought back to the equations, block by block.
static sti_status refine(const sti_cone_program* p, double* x) {
    const int m = p->equations.m;
    double *rest = sti_arena_doubles(p->pool, (size_t)m), *dx = sti_arena_doubles(p->pool, (size_t)p->size), size;
    if (p->pool->status != STI_OK) return p->pool->status;
    for (int round = 0; round < 2; round++) {
        for (int block = 0; block < m; block++) {
            if (p->row_block[block] != block) continue;
            for (int i = 0; i < m; i++) rest[i] = p->row_block[i] == block ? rest_of(p, i, x, &size) : 0;
            sti_svd_solve(&p->equations, rest, dx);
            for (int j = 0; j < p->size; j++)
                if (p->unknown_block[j] == 1 + block) x[j] += p->unknown_scale[j] * dx[j];
        }
    }
    return STI_OK;
}

// Constants all zero: so is the least-norm solution of the block.
static void clear_idle_blocks(sti_cone_program* p) {
    for (int block = 0; block < p->equations.m; block++) {
        if (p->row_block[block] != block) continue;
        bool any = false;
        for (int i = block; i < p->equations.m; i++)
            any = any || (p->row_block[i] == block && row_of(p, p->equation[i])[0] != 0);
        for (int j = 0; j < p->size && !any; j++)
            if (p->unknown_block[j] == 1 + block) p->start[j] = 0;
    }
}

// The largest |E x - e|_i at x = start, relative to the terms of its row, or to a thousandth of those of the largest of
// its block: a row in which everything cancels has nothing but rounding to be compared with.
static sti_status find_misfit(sti_cone_program* p) {
    const int m = p->equations.m;
    double* most = sti_arena_doubles(p->pool, (size_t)m);
    if (most == NULL) return p->pool->status;
    p->outside = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m; i++) {
            double size;
            const double rest = rest_of(p, i, p->start, &size), large = most[p->row_block[i]];
            if (pass == 0) most[p->row_block[i]] = fmax(large, size);
            if (pass == 1 && large > 0) p->outside = fmax(p->outside, fabs(rest) / fmax(size, 1e-3 * large));
        }
    }
    return STI_OK;
}

sti_status sti_program_reduce(sti_cone_program* p) {
    const int n = p->size;
    int m = 0;
    p->equation = sti_arena_ints(p->pool, (size_t)p->rows);
    p->row_scale = sti_arena_doubles(p->pool, (size_t)p->rows);
    double* E = sti_arena_doubles(p->pool, (size_t)p->rows * (size_t)n);
    double* e = sti_arena_doubles(p->pool, (size_t)p->rows);
    p->witness = sti_arena_doubles(p->pool, (size_t)p->rows);
    p->start = sti_arena_doubles(p->pool, (size_t)n);
    if (p->pool->status != STI_OK) return p->pool->status;
    for (int r = 0; r < p->rows; r++) {
        if (p->kind[r] == STI_ROW_ZERO) p->equation[m++] = r;
    }
    sti_status status = scale_unknowns(p, m);
    if (status != STI_OK) return status;
    scale_equations(p, m, E, e);
    status = sti_svd_make(p->pool, m, n, E, STI_SMALL_RANK_TOL, &p->equations);
    if (status != STI_OK) return status;
    sti_svd_solve(&p->equations, e, p->start);
    sti_svd_outside(&p->equations, e, p->witness);
    for (int j = 0; j < n; j++) p->start[j] *= p->unknown_scale[j];
    status = find_blocks(p, m, E);
    if (status == STI_OK) status = refine(p, p->start);
    if (status == STI_OK) clear_idle_blocks(p);
    if (status == STI_OK) status = find_misfit(p);
    if (status != STI_OK) return status;
    for (int i = 0; i < m; i++) p->witness[i] *= p->row_scale[i];
    p->freedom = n - p->equations.rank;
    p->basis = sti_arena_doubles(p->pool, (size_t)p->freedom * (size_t)n);
    if (p->pool->status != STI_OK) return p->pool->status;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < p->freedom; k++)
            p->basis[(size_t)k * n + j] = sti_svd_kernel(&p->equations, k)[j] * p->unknown_scale[j];
    }
    return p->metric != NULL ? move_start(p) : STI_OK;
}

static bool same_equations(const sti_cone_program* p, const sti_cone_program* like) {
    if (like == NULL || like->basis == NULL || like->size != p->size || like->pool != p->pool) return false;
    const size_t width = (size_t)p->size + 1;
    int at = 0;
    for (int r = 0; r < p->rows; r++) {
        if (p->kind[r] != STI_ROW_ZERO) continue;
        if (at == like->equations.m ||
            memcmp(row_of(p, r), row_of(like, like->equation[at++]), width * sizeof(double)) != 0)
            return false;
    }
    return at == like->equations.m;
}

sti_status sti_program_reduce_like(sti_cone_program* p, const sti_cone_program* like) {
    if (!same_equations(p, like)) return sti_program_reduce(p);
    int* equation = sti_arena_ints(p->pool, (size_t)p->rows);
    if (equation == NULL) return p->pool->status;
    for (int r = 0, at = 0; r < p->rows; r++)
        if (p->kind[r] == STI_ROW_ZERO) equation[at++] = r;
    p->equation = equation;
    p->freedom = like->freedom;
    p->start = like->start;
    p->basis = like->basis;
    p->unknown_scale = like->unknown_scale;
    p->row_block = like->row_block;
    p->unknown_block = like->unknown_block;
    p->row_scale = like->row_scale;
    p->equations = like->equations;
    p->outside = like->outside;
    p->witness = like->witness;
    return STI_OK;
}

void sti_program_lift(const sti_cone_program* p, double* dual) {
    const int n = p->size, m = p->equations.m;
    double *sum = sti_arena_doubles(p->pool, (size_t)n), *e = sti_arena_doubles(p->pool, (size_t)m);
    if (p->pool->status != STI_OK) return;
    for (int r = 0; r < p->rows; r++) {
        if (p->kind[r] == STI_ROW_ZERO) continue;
        for (int j = 0; j < n; j++) sum[j] -= dual[r] * row_of(p, r)[j + 1] * p->unknown_scale[j];
    }
    sti_svd_solve_transposed(&p->equations, sum, e);
    for (int i = 0; i < m; i++) dual[p->equation[i]] = e[i] * p->row_scale[i];
}

// ---- the conic program over s

typedef struct reduced {
    int k;           // freedom
    int m;           // rows that are not equations
    int* place;      // row of the program -> row of the conic program, -1      (rows)
    double* A;       // (m x k)
    double* b;       // (m)
    double* weight;  // row scale                                               (m)
    double* c;       // (k)
    double* P;       // (k x k)
    int nonnegative, cone_count;
    int* cone_size;
    double unit;  // s = unit times the solver's
} reduced;

// Nonnegative rows first, then the cones, each in the order of the program.
static void place_rows(const sti_cone_program* p, reduced* q) {
    for (int r = 0; r < p->rows; r++) {
        q->place[r] = -1;
        if (p->kind[r] == STI_ROW_NONNEGATIVE) q->place[r] = q->m++;
    }
    q->nonnegative = q->m;
    for (int r = 0; r < p->rows; r++) {
        if (p->kind[r] != STI_ROW_HEAD && p->kind[r] != STI_ROW_TAIL) continue;
        q->place[r] = q->m++;
        if (p->kind[r] == STI_ROW_HEAD)
            q->cone_size[q->cone_count++] = 1;
        else
            q->cone_size[q->cone_count - 1]++;
    }
}

static double row_size(const reduced* q, int i) {
    return sti_small_max((size_t)q->k, q->A + (size_t)i * (size_t)q->k);
}

static void scale_rows(reduced* q) {
    int i = 0;
    for (int block = 0; block < q->nonnegative + q->cone_count; block++) {
        const int size = block < q->nonnegative ? 1 : q->cone_size[block - q->nonnegative];
        double most = 0, constant = 0;
        for (int l = i; l < i + size; l++) {
            most = fmax(most, row_size(q, l));
            constant = fmax(constant, fabs(q->b[l]));
        }
        if (most <= 1e-12 * constant) {  // what is left of it is rounding: not to be blown up, here or in the solver
            most = constant;
            memset(q->A + (size_t)i * (size_t)q->k, 0, (size_t)size * (size_t)q->k * sizeof *q->A);
        }
        const double w = most > 0 ? 1 / most : 1;
        for (int l = i; l < i + size; l++) {
            q->weight[l] = w;
            q->b[l] *= w;
            for (int j = 0; j < q->k; j++) q->A[(size_t)l * q->k + j] *= w;
        }
        i += size;
    }
    q->unit = sti_small_max((size_t)q->m, q->b);
    if (q->unit == 0) q->unit = 1;
    for (int l = 0; l < q->m; l++) q->b[l] /= q->unit;
}

// Row r over s. Entries that are sums of large terms with nothing left but rounding are zero.
static void pose_row(const sti_cone_program* p, reduced* q, int r) {
    const double* row = row_of(p, r);
    const size_t i = (size_t)q->place[r], n = (size_t)p->size;
    double reach = fabs(row[0]), value = row[0];
    for (size_t j = 0; j < n; j++) {
        value += row[j + 1] * p->start[j];
        reach = fmax(reach, fabs(row[j + 1] * p->start[j]));
    }
    q->b[i] = fabs(value) > 1e-13 * reach ? value : 0;
    for (int l = 0; l < q->k; l++) {
        const double* v = p->basis + (size_t)l * n;
        double sum = 0, size = 0;
        for (size_t j = 0; j < n; j++) {
            sum += row[j + 1] * v[j];
            size = fmax(size, fabs(row[j + 1]) * p->unknown_scale[j]);
        }
        q->A[i * (size_t)q->k + (size_t)l] = fabs(sum) > 1e-13 * size ? -sum : 0;
    }
}

static sti_status pose(const sti_cone_program* p, const double* c, const double* weight, reduced* q) {
    sti_arena* pool = p->pool;
    *q = (reduced){.k = p->freedom};
    const size_t k = (size_t)p->freedom, rows = (size_t)p->rows;
    q->place = sti_arena_ints(pool, rows);
    q->cone_size = sti_arena_ints(pool, rows);
    q->A = sti_arena_doubles(pool, rows * k);
    q->b = sti_arena_doubles(pool, rows);
    q->weight = sti_arena_doubles(pool, rows);
    q->c = sti_arena_doubles(pool, k);
    q->P = sti_arena_doubles(pool, k * k);
    if (pool->status != STI_OK) return pool->status;
    place_rows(p, q);
    for (int r = 0; r < p->rows; r++) {
        if (q->place[r] >= 0) pose_row(p, q, r);
    }
    scale_rows(q);
    for (int l = 0; l < q->k; l++) {
        const double* v = p->basis + (size_t)l * (size_t)p->size;
        if (c != NULL) q->c[l] = sti_small_dot(p->size, c, v);
        for (int j = 0; weight != NULL && j < p->size; j++) {
            q->c[l] += weight[j] * p->start[j] * v[j];
            for (int h = 0; h < q->k; h++)
                q->P[(size_t)l * k + (size_t)h] += q->unit * weight[j] * v[j] * p->basis[(size_t)h * p->size + j];
        }
    }
    const double size = fmax(sti_small_max(k, q->c), sti_small_max(k * k, q->P));
    for (size_t l = 0; size > 0 && l < k; l++) q->c[l] /= size;
    for (size_t l = 0; size > 0 && l < k * k; l++) q->P[l] /= size;
    return STI_OK;
}

static double objective(const sti_cone_program* p, const double* c, const double* weight, const double* x) {
    double value = 0;
    for (int j = 0; j < p->size; j++) {
        if (c != NULL) value += c[j] * x[j];
        if (weight != NULL) value += weight[j] * x[j] * x[j] / 2;
    }
    return value;
}

// No freedom: start is the only point. Its worst row, or cone, is the certificate when it fails.
static void judge_point(const sti_cone_program* p, const reduced* q, sti_program_answer* out) {
    out->outcome = STI_CONIC_SOLVED;
    double worst = -1e-12;
    for (int r = 0; r < p->rows; r++) {
        if (p->kind[r] != STI_ROW_NONNEGATIVE && p->kind[r] != STI_ROW_HEAD) continue;
        int end = r + 1;
        double tails = 0;
        while (end < p->rows && p->kind[end] == STI_ROW_TAIL) tails = hypot(tails, q->b[q->place[end++]]);
        const double slack = q->b[q->place[r]] - (p->kind[r] == STI_ROW_HEAD ? tails : 0);
        if (slack >= worst) continue;
        worst = slack;
        out->outcome = STI_CONIC_INFEASIBLE;
        memset(out->dual, 0, (size_t)p->rows * sizeof *out->dual);
        out->dual[r] = q->weight[q->place[r]];
        for (int l = r + 1; p->kind[r] == STI_ROW_HEAD && l < end && tails > 0; l++)
            out->dual[l] = -q->weight[q->place[l]] * q->b[q->place[l]] / tails;
    }
}

// Terms of a row at x.
static double terms_of(const sti_cone_program* p, int r, const double* x) {
    const double* row = row_of(p, r);
    double size = fabs(row[0]);
    for (int j = 0; j < p->size; j++) size += fabs(row[1 + j] * x[j]);
    return size;
}

// Does x keep the inequalities and cones, measured on the rows as they were given?
static bool keeps_rows(const sti_cone_program* p, const double* x) {
    double most = 0;
    for (int r = 0; r < p->rows; r++) most = fmax(most, terms_of(p, r, x));
    for (int r = 0; r < p->rows; r++) {
        if (p->kind[r] != STI_ROW_NONNEGATIVE && p->kind[r] != STI_ROW_HEAD) continue;
        double tails = 0;
        for (int t = r + 1; p->kind[r] == STI_ROW_HEAD && t < p->rows && p->kind[t] == STI_ROW_TAIL; t++)
            tails = hypot(tails, sti_program_row_value(p, t, x));
        if (sti_program_row_value(p, r, x) - tails < -1e-3 * (terms_of(p, r, x) + tails) - 1e-6 * most) return false;
    }
    return true;
}

sti_status sti_program_minimize(const sti_cone_program* p, const double* c, const double* weight,
                                sti_program_answer* out) {
    *out = (sti_program_answer){.value = NAN};
    out->x = sti_arena_copy(p->pool, p->start, (size_t)p->size);
    out->dual = sti_arena_doubles(p->pool, (size_t)p->rows);
    reduced q;
    sti_status status = sti_check_time(p->env, "solving convex programs");
    if (status == STI_OK) status = pose(p, c, weight, &q);
    if (status != STI_OK) return status;
    if (q.k == 0) {
        judge_point(p, &q, out);
        out->value = objective(p, c, weight, out->x);
        return STI_OK;
    }
    const bool quadratic = weight != NULL && sti_small_max((size_t)q.k * (size_t)q.k, q.P) > 0;
    sti_conic program = {.n = q.k,
                         .m = q.m,
                         .A = sti_matrix_dense_view(q.m, q.k, q.A),
                         .c = q.c,
                         .b = q.b,
                         .nonnegative = q.nonnegative,
                         .cone_count = q.cone_count,
                         .cone_size = q.cone_size};
    if (quadratic) program.P = sti_matrix_dense_view(q.k, q.k, q.P);
    sti_conic_options options = sti_conic_options_default();
    options.tol = CONIC_TOL;
    sti_conic_answer answer;
    status = sti_conic_solve(p->env, &program, &options, &answer);
    if (status != STI_OK) return status;
    out->outcome = answer.outcome;
    out->residual = answer.residual;
    if (answer.x != NULL && answer.outcome != STI_CONIC_INFEASIBLE) {
        for (int l = 0; l < q.k; l++) {
            for (int j = 0; j < p->size; j++) out->x[j] += q.unit * answer.x[l] * p->basis[(size_t)l * p->size + j];
        }
        status = refine(p, out->x);
        out->value = objective(p, c, weight, out->x);
        if (out->outcome == STI_CONIC_SOLVED && !keeps_rows(p, out->x)) out->outcome = STI_CONIC_UNKNOWN;
    }
    for (int r = 0; answer.y != NULL && r < p->rows; r++) {
        if (q.place[r] >= 0) out->dual[r] = answer.y[q.place[r]] * q.weight[q.place[r]];
    }
    sti_conic_answer_clear(p->env, &answer);
    return status;
}
