// reduce.c: global problems, and bilateral rows, brought to local form.
//
//     M v = H r + G l + f,   u = H'v + w,   G'v + b = 0        ->        u = W r + q
//
//     W = H'M^-1 H - Y'S^-1 Y,    Y = G'M^-1 H,    S = G'M^-1 G,        q = H'M^-1 (f + G l_0) + w ...
//
// M couples only velocities of one body (or of an assembly), so it falls into connected pieces; each is factored alone
// and W has a block (i, j) only where contacts i and j touch a common piece. Its cost is that of the contact graph.
//
// Singular M (a massless body) or S (redundant joints) are met by the proximal method of multipliers: delta I is added
// to the singular piece and delta times the last v (or l) to its right side, so that
//
//     (M + delta) v = H r + G l + f + delta v_k,         v_{k+1} = v:        M v = H r + G l + f  in the limit,
//
// with a factor of about delta over the smallest stiffness that the contacts give the singular direction.
#include "contact/reduce.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/sets.h"
#include "contact/local.h"
#include "linalg/matrix.h"

static const double singular = 1e-13;       // rcond below which a piece counts as singular
static const double shift = 1e-9;           // delta, relative to the mean diagonal
static const double UNEVEN = 1e6;           // masses of a piece over each other, from which on they are scaled
static const double massless_shift = 1e-4;  // the same for a piece without mass, relative to the diagonal of all of M

void sti_contact_reduction_clear(sti_contact_reduction* red) {
    sti_contact_gauge_close(red->env, &red->gauge);
    sti_env* env = red->env;
    if (env == NULL) return;
    sti_contact_local_clear(&red->local);
    for (int b = 0; b < red->piece_count && red->pieces != NULL; b++)
        sti_contact_memory_keep(red->keeps, red->pieces[b].large);
    sti_arena_clear(&red->memory);
    for (int k = 0; k < 3; k++) sti_matrix_clear(env, &red->copy[k]);
    sti_dense_factor_clear(&red->S);
    *red = (sti_contact_reduction){0};
}

// --- pieces of M ---------------------------------------------------------------------------------------------------

// piece_of and place_in from the pattern of M.
static void find_pieces(const sti_matrix* M, sti_contact_reduction* red) {
    int* parent = red->piece_of;
    for (int i = 0; i < M->rows; i++) parent[i] = i;
    for (int j = 0; j < M->cols; j++) {
        for (int64_t k = M->col_start[j]; k < M->col_start[j + 1]; k++) {
            if (M->value[k] != 0) sti_sets_join(parent, M->row[k], j);
        }
    }
    // a root is the smallest of its piece: number pieces as they come, members after their root
    for (int i = 0; i < M->rows; i++) {
        const int root = sti_sets_root(parent, i);
        red->place_in[i] = root == i ? red->piece_count++ : red->place_in[root];
    }
    for (int i = 0; i < M->rows; i++) red->piece_of[i] = red->place_in[i];
}

static sti_status make_pieces(sti_contact_reduction* red) {
    const int nv = red->problem->velocity_count;
    size_t room = 0;
    red->pieces = sti_arena_take(&red->memory, (size_t)red->piece_count, sizeof *red->pieces);
    if (red->memory.status != STI_OK) return red->memory.status;
    for (int i = 0; i < nv; i++) red->pieces[red->piece_of[i]].size++;
    for (int b = 0; b < red->piece_count; b++) {
        const int size = red->pieces[b].size;
        room += size <= STI_TINY ? (size_t)(size * size) : 0;
    }
    red->lu_room = sti_arena_raw(&red->memory, room, sizeof *red->lu_room);
    if (red->memory.status != STI_OK) return red->memory.status;
    double* lu = red->lu_room;
    for (int b = 0, first = 0; b < red->piece_count; b++) {
        sti_mass_piece* piece = &red->pieces[b];
        piece->index = red->index_room + first;
        piece->pivot = red->pivot_room + first;
        first += piece->size;
        if (piece->size <= STI_TINY) {
            piece->lu = lu;
            lu += piece->size * piece->size;
        }
        piece->size = 0;
    }
    for (int i = 0; i < nv; i++) {
        sti_mass_piece* piece = &red->pieces[red->piece_of[i]];
        red->place_in[i] = piece->size;
        piece->index[piece->size++] = i;
    }
    return STI_OK;
}

// Masses that differ by more than UNEVEN are brought near 1 by powers of two before they are factored: whether M is
// singular is no question of units.
static void scale_piece(sti_contact_reduction* red, sti_mass_piece* piece, const double* mass) {
    double least = INFINITY, most = 0;
    for (int i = 0; i < piece->size; i++) {
        const double m = mass[piece->index[i]];
        least = m < least ? m : least;
        most = m > most ? m : most;
    }
    piece->scaled = least > 0 && most > UNEVEN * least;
    for (int i = 0; piece->scaled && i < piece->size; i++) {
        int exponent;
        frexp(mass[piece->index[i]], &exponent);
        red->scale[piece->index[i]] = ldexp(1, -exponent / 2);
    }
}

static sti_status factor_pieces(sti_contact_reduction* red) {
    const sti_matrix* M = &red->M;
    double* mass = red->next_v;  // the diagonal of M; free until the first proximal step
    double typical = 0;          // its mean: the unit of a piece without any mass of its own
    for (int i = 0; i < M->rows; i++) {
        mass[i] = sti_matrix_get(M, i, i);
        typical += fabs(mass[i]) / M->rows;
    }
    for (int b = 0; b < red->piece_count; b++) {
        sti_mass_piece* piece = &red->pieces[b];
        double rcond, mean = 0;
        bool finite;
        if (piece->size == 1 && mass[piece->index[0]] > 0 && isfinite(mass[piece->index[0]])) {  // most of a diagonal M
            piece->lu[0] = mass[piece->index[0]];
            piece->pivot[0] = 0;
            continue;
        }
        scale_piece(red, piece, mass);
        sti_status status = sti_mass_factor(piece, M, red->place_in, red->scale, &rcond, &finite);
        if (status != STI_OK) return status;
        if (finite && rcond > singular) continue;
        for (int i = 0; i < piece->size; i++) mean += fabs(mass[piece->index[i]]) / piece->size;
        piece->delta = mean > 0 ? shift * mean : typical > 0 ? massless_shift * typical : 1;
        red->proximal = true;
        status = sti_mass_factor(piece, M, red->place_in, red->scale, &rcond, &finite);
        if (status != STI_OK) return status;
        if (!finite)
            return STI_FAIL(
                red->env, STI_ERR_INPUT, -1,
                "M: its numbers are too large or too small: computing with them leaves the range of doubles, "
                "1e-308 to 1.8e308");
    }
    return STI_OK;
}

// y = (M + delta)^-1 y, y (nv)
static void solve_mass(sti_contact_reduction* red, double* y) {
    for (int b = 0; b < red->piece_count; b++) {
        const sti_mass_piece* piece = &red->pieces[b];
        double* x = red->work;
        for (int i = 0; i < piece->size; i++) x[i] = y[piece->index[i]];
        sti_mass_solve(piece, red->scale, x);
        for (int i = 0; i < piece->size; i++) y[piece->index[i]] = x[i];
    }
}

// --- contacts of a piece, and W ------------------------------------------------------------------------------------

// Touches of contact c, counted from `touch` on; `seen`: the last contact that met a piece
static int64_t find_touches(sti_contact_reduction* red, int c, int* seen, sti_mass_touch* touch) {
    const int d = red->problem->dimension;
    int64_t count = 0;
    for (int64_t k = red->H.col_start[d * c]; k < red->H.col_start[d * c + d]; k++) {
        const int b = red->piece_of[red->H.row[k]];
        if (seen[b] == c) continue;
        seen[b] = c;
        if (touch != NULL) touch[count] = (sti_mass_touch){b, red->pieces[b].contact_count};
        red->pieces[b].contact_count++;
        count++;
    }
    return count;
}

// Rooms for contacts, H and X of the pieces, once their contacts are counted
static sti_status share_rooms(sti_contact_reduction* red) {
    const size_t d = (size_t)red->problem->dimension, touches = (size_t)red->touch_start[red->problem->contact_count];
    size_t room = 0;
    for (int b = 0; b < red->piece_count; b++) {
        const sti_mass_piece* piece = &red->pieces[b];
        room += piece->size <= STI_TINY ? (size_t)piece->size * d * (size_t)piece->contact_count : 0;
    }
    red->touch = sti_arena_raw(&red->memory, touches, sizeof *red->touch);
    red->contact_room = sti_arena_raw(&red->memory, touches, sizeof *red->contact_room);
    red->H_room = sti_arena_take(&red->memory, 2 * room, sizeof *red->H_room);
    if (red->memory.status != STI_OK) return red->memory.status;
    int* contact = red->contact_room;
    double* H = red->H_room;
    for (int b = 0; b < red->piece_count; b++) {
        sti_mass_piece* piece = &red->pieces[b];
        piece->contact = contact;
        contact += piece->contact_count;
        if (piece->size <= STI_TINY) {
            piece->H = H;
            piece->X = H + room;
            H += (size_t)piece->size * d * (size_t)piece->contact_count;
        }
        piece->contact_count = 0;
    }
    return STI_OK;
}

// Contacts that touch each piece, pieces that each contact touches. Two passes: count, then fill.
static sti_status list_contacts(sti_contact_reduction* red, int* seen) {
    const int nc = red->problem->contact_count;
    for (int b = 0; b < red->piece_count; b++) seen[b] = -1;
    red->touch_start[0] = 0;
    for (int c = 0; c < nc; c++) red->touch_start[c + 1] = red->touch_start[c] + find_touches(red, c, seen, NULL);
    const sti_status status = share_rooms(red);
    if (status != STI_OK) return status;
    for (int b = 0; b < red->piece_count; b++) seen[b] = -1;
    for (int c = 0; c < nc; c++) {
        sti_mass_touch* touch = red->touch + red->touch_start[c];
        const int64_t count = find_touches(red, c, seen, touch);
        for (int64_t t = 0; t < count; t++) red->pieces[touch[t].piece].contact[touch[t].place] = c;
    }
    return STI_OK;
}

// H of each piece, and X = (M + delta)^-1 H. `place`: of the contact at hand, by pieces
static void solve_contacts(sti_contact_reduction* red, int* place) {
    const int d = red->problem->dimension;
    for (int c = 0; c < red->problem->contact_count; c++) {
        for (int64_t t = red->touch_start[c]; t < red->touch_start[c + 1]; t++)
            place[red->touch[t].piece] = red->touch[t].place;
        for (int i = 0; i < d; i++) {
            for (int64_t k = red->H.col_start[d * c + i]; k < red->H.col_start[d * c + i + 1]; k++) {
                const int row = red->H.row[k], b = red->piece_of[row];
                sti_mass_piece* piece = &red->pieces[b];
                if (piece->large != NULL) continue;
                piece->H[(size_t)(d * place[b] + i) * (size_t)piece->size + (size_t)red->place_in[row]] +=
                    red->H.value[k];
            }
        }
    }
    for (int b = 0; b < red->piece_count; b++) {
        sti_mass_piece* piece = &red->pieces[b];
        const int size = piece->size, columns = d * piece->contact_count;
        if (columns == 0) continue;
        if (piece->large != NULL) {
            sti_mass_solve_contacts(piece, red->scale, &red->H, d);
            continue;
        }
        memcpy(piece->X, piece->H, (size_t)(size * columns) * sizeof *piece->X);
        for (int j = 0; j < columns; j++) sti_mass_solve(piece, red->scale, piece->X + (size_t)j * (size_t)size);
    }
}

// Block (c, j) of W += H_c' X_j over a piece; H and X (size x d).
static inline void add_block(int d, int size, const double* H, const double* X, double* block) {
    for (int a = 0; a < d; a++) {
        for (int i = 0; i < size; i++) {
            const double h = H[a * size + i];
            for (int e = 0; e < d; e++) block[a * d + e] += h * X[e * size + i];
        }
    }
}

// The same for all contacts of a large piece at once: H_c is sparse, and X at hand row by row.
static inline void add_row(const sti_contact_reduction* red, const int d, int c, const sti_mass_piece* piece,
                           const int64_t* place) {
    for (int a = 0; a < d; a++) {
        for (int64_t k = red->H.col_start[d * c + a]; k < red->H.col_start[d * c + a + 1]; k++) {
            const double* x = sti_mass_line(piece, red->H.row[k]);
            if (x == NULL) continue;
            for (int j = 0; j < piece->contact_count; j++, x += d) {
                double* block = red->local.W.block + place[piece->contact[j]] * d * d;
                for (int e = 0; e < d; e++) block[a * d + e] += red->H.value[k] * x[e];
            }
        }
    }
}

// Row c of W. `place`: the block of each column in it. d is a constant where this is called.
static inline void fill_row(const sti_contact_reduction* red, const int d, int c, int64_t* place) {
    const sti_bsr* W = &red->local.W;
    for (int64_t k = W->row_start[c]; k < W->row_start[c + 1]; k++) place[W->col[k]] = k;
    for (int64_t t = red->touch_start[c]; t < red->touch_start[c + 1]; t++) {
        const sti_mass_piece* piece = &red->pieces[red->touch[t].piece];
        if (piece->large != NULL) {
            add_row(red, d, c, piece, place);
            continue;
        }
        const size_t step = (size_t)piece->size * (size_t)d;
        const double* H = piece->H + (size_t)red->touch[t].place * step;
        for (int j = 0; j < piece->contact_count; j++) {
            double* block = W->block + place[piece->contact[j]] * d * d;
            add_block(d, piece->size, H, piece->X + (size_t)j * step, block);
        }
    }
}

// Neighbours of contact c, c first, in `list`: contacts that touch a piece with it.
static int64_t neighbours(const sti_contact_reduction* red, int c, int* seen, int* list) {
    int64_t count = 0;
    seen[c] = c;
    list[count++] = c;
    for (int64_t t = red->touch_start[c]; t < red->touch_start[c + 1]; t++) {
        const sti_mass_piece* piece = &red->pieces[red->touch[t].piece];
        for (int j = 0; j < piece->contact_count; j++) {
            const int e = piece->contact[j];
            if (seen[e] == c) continue;
            seen[e] = c;
            list[count++] = e;
        }
    }
    return count;
}

// The pattern of W is the contact graph. It is symmetric: rows that go through their neighbours in order leave columns
// in order.
static sti_status find_pattern(sti_contact_reduction* red, int* seen, int* list, int64_t* place) {
    sti_bsr* W = &red->local.W;
    const int nc = W->n;
    for (int c = 0; c < nc; c++) seen[c] = -1;
    for (int c = 0; c < nc; c++) {
        place[c] = W->row_start[c];
        W->row_start[c + 1] = W->row_start[c] + neighbours(red, c, seen, list);
    }
    const size_t blocks = (size_t)W->row_start[nc];
    W->col = sti_alloc_array(red->env, blocks, sizeof *W->col);
    W->block = sti_alloc_array_zero(red->env, blocks * (size_t)(W->d * W->d), sizeof *W->block);
    if (W->col == NULL || W->block == NULL) return STI_ERR_MEMORY;
    for (int c = 0; c < nc; c++) seen[c] = -1;
    for (int c = 0; c < nc; c++) {
        const int64_t count = neighbours(red, c, seen, list);
        for (int64_t k = 0; k < count; k++) W->col[place[list[k]]++] = c;
        W->diagonal[c] = place[c] - 1;
    }
    return STI_OK;
}

static sti_status assemble(sti_contact_reduction* red) {
    sti_env* env = red->env;
    const int d = red->problem->dimension, nc = red->problem->contact_count;
    sti_bsr* W = &red->local.W;
    *W = (sti_bsr){.d = d, .n = nc};
    sti_arena memory = sti_arena_make(env);
    int64_t* place = sti_arena_raw(&memory, (size_t)nc, sizeof *place);
    int* seen = sti_arena_raw(&memory, 2 * (size_t)nc, sizeof *seen);
    W->row_start = sti_alloc_array_zero(env, (size_t)nc + 1, sizeof *W->row_start);
    W->diagonal = sti_alloc_array(env, (size_t)nc, sizeof *W->diagonal);
    sti_status status = memory.status == STI_OK && W->row_start != NULL && W->diagonal != NULL
                            ? find_pattern(red, seen, seen + nc, place)
                            : STI_ERR_MEMORY;
    for (int c = 0; c < nc && status == STI_OK; c++) {
        if (d == 3)
            fill_row(red, 3, c, place);
        else
            fill_row(red, 2, c, place);
    }
    sti_arena_clear(&memory);
    return status;
}

// --- right sides ---------------------------------------------------------------------------------------------------

// q of the local problem for the present centres: velocities at r = 0 with the bilateral rows kept.
static void set_q(sti_contact_reduction* red) {
    const sti_contact_problem* p = red->problem;
    double *v = red->rhs, *l = red->rhs;  // one after the other
    const size_t n = (size_t)(p->dimension * p->contact_count);
    if (p->global) {
        for (int i = 0; i < p->velocity_count; i++) v[i] = p->f[i] + red->pieces[red->piece_of[i]].delta * red->v[i];
        solve_mass(red, v);
        if (n > 0) memcpy(red->q, p->w, n * sizeof *red->q);
        sti_matrix_multiply_transposed_add(&red->H, v, red->q);
        for (int k = 0; k < red->nb; k++) red->t[k] = p->b[k];
        sti_matrix_multiply_transposed_add(&red->G, v, red->t);
    } else {
        if (n > 0) memcpy(red->q, p->q, n * sizeof *red->q);
        for (int k = 0; k < red->nb; k++) red->t[k] = p->s[k];
    }
    // l at r = 0, and what it does to u: Y' l
    if (red->nb == 0) return;
    for (int k = 0; k < red->nb; k++) l[k] = red->delta_l * red->l[k] - red->t[k];
    sti_dense_factor_solve(&red->S, l);
    for (int k = 0; k < red->nb; k++) {
        for (size_t j = 0; j < n; j++) red->q[j] += red->Y[(size_t)k * n + j] * l[k];
    }
}

// --- bilateral rows ------------------------------------------------------------------------------------------------

// Y and S; then W - Y'(S + delta)^-1 Y, which fills W.
static sti_status eliminate_bilateral(sti_contact_reduction* red) {
    sti_env* env = red->env;
    const sti_contact_problem* p = red->problem;
    const int nb = red->nb, nv = p->velocity_count, d = p->dimension;
    const size_t n = (size_t)(d * p->contact_count);
    sti_arena memory = sti_arena_make(env);
    double* column = sti_arena_raw(&memory, (size_t)(nv > nb ? nv : nb), sizeof *column);
    double* S = sti_arena_take(&memory, (size_t)nb * (size_t)nb, sizeof *S);
    double* W = sti_arena_take(&memory, n * n, sizeof *W);
    sti_status status = memory.status == STI_OK ? sti_dense_factor_init(&red->S, env, nb) : STI_ERR_MEMORY;
    for (int k = 0; k < nb && status == STI_OK; k++) {
        if (p->global) {
            memset(column, 0, (size_t)nv * sizeof *column);
            for (int64_t e = red->G.col_start[k]; e < red->G.col_start[k + 1]; e++)
                column[red->G.row[e]] = red->G.value[e];
            solve_mass(red, column);
            sti_matrix_multiply_transposed_add(&red->H, column, red->Y + (size_t)k * n);
            sti_matrix_multiply_transposed_add(&red->G, column, S + (size_t)k * (size_t)nb);
        } else {
            for (size_t j = 0; j < n; j++) red->Y[(size_t)k * n + j] = sti_matrix_get(&p->V, (int)j, k);
            for (int j = 0; j < nb; j++) S[(size_t)k * (size_t)nb + (size_t)j] = sti_matrix_get(&p->R, k, j);
        }
    }
    if (status == STI_OK) {
        double mean = 0;
        for (int k = 0; k < nb; k++) mean += fabs(S[(size_t)k * (size_t)nb + (size_t)k]) / nb;
        memcpy(sti_dense_factor_load(&red->S, nb), S, (size_t)nb * (size_t)nb * sizeof *S);
        if (!sti_dense_factor_lu(&red->S) || !(sti_dense_factor_rcond(&red->S) > singular)) {
            red->delta_l = mean > 0 ? shift * mean : 1;
            red->proximal = true;
            double* A = sti_dense_factor_load(&red->S, nb);
            memcpy(A, S, (size_t)nb * (size_t)nb * sizeof *S);
            for (int k = 0; k < nb; k++) A[(size_t)k * (size_t)nb + (size_t)k] += red->delta_l;
            sti_dense_factor_lu(&red->S);
        }
        for (size_t j = 0; j < n; j++) {
            for (int k = 0; k < nb; k++) column[k] = red->Y[(size_t)k * n + j];
            sti_dense_factor_solve(&red->S, column);
            for (int k = 0; k < nb; k++) red->X[(size_t)k * n + j] = column[k];
        }
        // W - Y'X as a dense matrix, back to blocks
        sti_bsr* B = &red->local.W;
        for (int c = 0; c < B->n; c++) {
            for (int64_t k = B->row_start[c]; k < B->row_start[c + 1]; k++) {
                for (int a = 0; a < d; a++) {
                    for (int e = 0; e < d; e++)
                        W[(size_t)(d * c + a) * n + (size_t)(d * B->col[k] + e)] = B->block[(k * d + a) * d + e];
                }
            }
        }
        for (int k = 0; k < nb; k++) {
            for (size_t i = 0; i < n; i++) {
                const double y = red->Y[(size_t)k * n + i];
                for (size_t j = 0; y != 0 && j < n; j++) W[i * n + j] -= y * red->X[(size_t)k * n + j];
            }
        }
        sti_bsr_clear(env, B);
        const sti_matrix dense = sti_matrix_dense_view((int)n, (int)n, W);
        status = sti_bsr_from_matrix(env, &dense, d, B);
    }
    sti_arena_clear(&memory);
    return status;
}

// --- the whole -----------------------------------------------------------------------------------------------------

static sti_status reserve(sti_contact_reduction* red) {
    sti_env* env = red->env;
    const sti_contact_problem* p = red->problem;
    const size_t n = (size_t)(p->dimension * p->contact_count), nv = (size_t)p->velocity_count, nb = (size_t)red->nb;
    red->memory = sti_arena_make(env);
    red->q = sti_arena_raw(&red->memory, n, sizeof *red->q);
    red->v = sti_arena_take(&red->memory, nv, sizeof *red->v);
    red->work = sti_arena_raw(&red->memory, nv, sizeof *red->work);
    red->scale = sti_arena_raw(&red->memory, nv, sizeof *red->scale);
    red->rhs = sti_arena_raw(&red->memory, nv > nb ? nv : nb, sizeof *red->rhs);
    red->next_v = sti_arena_raw(&red->memory, nv, sizeof *red->next_v);
    red->next_l = sti_arena_raw(&red->memory, nb, sizeof *red->next_l);
    red->piece_of = sti_arena_raw(&red->memory, nv, sizeof *red->piece_of);
    red->place_in = sti_arena_raw(&red->memory, nv, sizeof *red->place_in);
    red->index_room = sti_arena_raw(&red->memory, nv, sizeof *red->index_room);
    red->pivot_room = sti_arena_raw(&red->memory, nv, sizeof *red->pivot_room);
    red->touch_start = sti_arena_take(&red->memory, (size_t)p->contact_count + 1, sizeof *red->touch_start);
    red->Y = sti_arena_take(&red->memory, nb * n, sizeof *red->Y);
    red->X = sti_arena_take(&red->memory, nb * n, sizeof *red->X);
    red->t = sti_arena_take(&red->memory, nb, sizeof *red->t);
    red->l = sti_arena_take(&red->memory, nb, sizeof *red->l);
    return red->memory.status;
}

// `view`: A by columns, in `copy` where it is dense
static sti_status by_columns(sti_env* env, const sti_matrix* A, sti_matrix* copy, sti_matrix* view) {
    const bool there = A->col_start != NULL;
    const sti_status status = there ? STI_OK : sti_matrix_to_sparse(env, A, copy);
    *view = there ? *A : *copy;
    return status;
}

// Pieces that are no bodies, once their contacts are known
static sti_status make_large_pieces(sti_contact_reduction* red) {
    bool some = false;
    for (int b = 0; b < red->piece_count; b++) some |= red->pieces[b].size > STI_TINY;
    if (!some) return STI_OK;
    unsigned char* touched = sti_alloc_array_zero(red->env, (size_t)red->problem->velocity_count, sizeof *touched);
    if (touched == NULL) return STI_ERR_MEMORY;
    for (int64_t k = 0; k < red->H.col_start[red->H.cols]; k++) touched[red->H.row[k]] = 1;
    sti_status status = STI_OK;
    for (int b = 0; b < red->piece_count && status == STI_OK; b++) {
        sti_mass_piece* piece = &red->pieces[b];
        if (piece->size > STI_TINY)
            status = sti_mass_large_create(red->env, &red->M, piece, red->place_in, touched,
                                           red->problem->dimension * piece->contact_count, red->keeps, &piece->large);
    }
    sti_contact_memory_forget(red->keeps);
    sti_free(red->env, touched);
    return status;
}

static sti_status reduce_global(sti_contact_reduction* red) {
    const sti_contact_problem* p = red->problem;
    sti_status status = by_columns(red->env, &p->M, &red->copy[0], &red->M);
    if (status == STI_OK) status = by_columns(red->env, &p->H, &red->copy[1], &red->H);
    if (status == STI_OK && red->nb > 0) status = by_columns(red->env, &p->G, &red->copy[2], &red->G);
    if (status != STI_OK) return status;
    find_pieces(&red->M, red);
    status = make_pieces(red);
    if (status != STI_OK) return status;
    int* by_piece = sti_alloc_array(red->env, (size_t)red->piece_count, sizeof *by_piece);
    if (by_piece == NULL) return STI_ERR_MEMORY;
    status = list_contacts(red, by_piece);
    if (status == STI_OK) status = make_large_pieces(red);
    if (status == STI_OK) status = factor_pieces(red);
    if (status == STI_OK) solve_contacts(red, by_piece);
    sti_free(red->env, by_piece);
    return status == STI_OK ? assemble(red) : status;
}

sti_status sti_contact_reduce(sti_env* env, const sti_contact_problem* problem, sti_contact_reduction* out) {
    return sti_contact_reduce_again(env, problem, NULL, out);
}

sti_status sti_contact_reduce_again(sti_env* env, const sti_contact_problem* problem, sti_contact_memory* memory,
                                    sti_contact_reduction* out) {
    *out = (sti_contact_reduction){.env = env, .problem = problem, .nb = problem->bilateral_count, .keeps = memory};
    sti_contact_local* local = &out->local;
    *local = (sti_contact_local){.env = env, .d = problem->dimension, .nc = problem->contact_count, .mu = problem->mu};
    sti_status status = reserve(out);
    if (status == STI_OK) {
        if (problem->global)
            status = reduce_global(out);
        else if (problem->W_op != NULL)
            local->op = problem->W_op;
        else
            status = sti_bsr_from_matrix(env, &problem->W, problem->dimension, &local->W);
    }
    if (status == STI_OK && out->nb > 0) {
        if (local->op != NULL)
            status = STI_FAIL(env, STI_ERR_ARGUMENT, -1, "an operator W does not go with bilateral rows");
        else
            status = eliminate_bilateral(out);
    }
    if (status == STI_OK) {
        set_q(out);
        local->q = out->q;
        status = sti_contact_local_finish(local);
    }
    if (status != STI_OK) sti_contact_reduction_clear(out);
    return status;
}

// v = (M + delta)^-1 (H r + G l + f + delta v_k), refined once.
static void velocities(sti_contact_reduction* red, const double* r, const double* l, double* v) {
    const sti_contact_problem* p = red->problem;
    double* y = red->rhs;
    for (int i = 0; i < p->velocity_count; i++) v[i] = 0;
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < p->velocity_count; i++) y[i] = 0;
        if (step > 0) {
            sti_matrix_multiply_add(&p->M, v, y);
            for (int i = 0; i < p->velocity_count; i++) y[i] = -y[i] - red->pieces[red->piece_of[i]].delta * v[i];
        }
        for (int i = 0; i < p->velocity_count; i++) y[i] += p->f[i] + red->pieces[red->piece_of[i]].delta * red->v[i];
        sti_matrix_multiply_add(&red->H, r, y);
        if (red->nb > 0) sti_matrix_multiply_add(&red->G, l, y);
        solve_mass(red, y);
        for (int i = 0; i < p->velocity_count; i++) v[i] += y[i];
    }
}

void sti_contact_expand(sti_contact_reduction* red, const double* r, double* v, double* lambda) {
    const sti_contact_problem* p = red->problem;
    const size_t n = (size_t)(p->dimension * p->contact_count);
    for (int k = 0; k < red->nb; k++) {
        double s = red->delta_l * red->l[k] - red->t[k];
        for (size_t j = 0; j < n; j++) s -= red->Y[(size_t)k * n + j] * r[j];
        lambda[k] = s;
    }
    if (red->nb > 0) sti_dense_factor_solve(&red->S, lambda);
    if (p->global) velocities(red, r, lambda, v);
}

sti_status sti_contact_expand_and_measure(sti_contact_reduction* red, sti_contact_answer* a) {
    sti_contact_expand(red, a->r, a->v, a->lambda);
    if (red->gauge.p == NULL) {
        const sti_status status = sti_contact_gauge_open(red->env, red->problem, &red->gauge);
        if (status != STI_OK) return status;
    }
    sti_contact_gauge_read(&red->gauge, a);
    return STI_OK;
}

// Largest change from `from` to `to`, and the largest entry of `to`; `from` becomes `to`.
static void advance(double* from, const double* to, int n, double* moved, double* size) {
    for (int i = 0; i < n; i++) {
        *moved = fmax(*moved, fabs(to[i] - from[i]));
        *size = fmax(*size, fabs(to[i]));
        from[i] = to[i];
    }
}

double sti_contact_recenter(sti_contact_reduction* red, const double* r) {
    double moved = 0, size = 0;
    sti_contact_expand(red, r, red->next_v, red->next_l);
    advance(red->l, red->next_l, red->nb, &moved, &size);
    if (red->problem->global) advance(red->v, red->next_v, red->problem->velocity_count, &moved, &size);
    set_q(red);
    return size > 0 ? moved / size : 0;
}
