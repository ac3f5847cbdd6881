// matrix_market.c: matrices in the Matrix Market exchange format.
//
//     %%MatrixMarket matrix FORMAT FIELD SYMMETRY        coordinate | array,  real | integer,
//     % comments                                         general | symmetric | skew-symmetric
//     rows cols [entries]
//     i j value      (coordinate: 1-based, one line each; the same place twice is summed)
//     value          (array: down the columns; of a symmetric matrix the lower triangle)
//
// A coordinate file becomes a sparse matrix, an array file a dense one. Declared sizes are held against the length
// of the text before anything of that size is allocated.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stiction/io.h>
#include <string.h>
#include <strings.h>

#include "formats/fields.h"
#include "formats/file.h"
#include "formats/triplets.h"

typedef enum symmetry { GENERAL, SYMMETRIC, SKEW } symmetry;

typedef struct reader {
    sti_env* env;
    const char* name;
    const char* next;  // start of the next line
    const char* end;   // a 0 stands there
    const char* p;     // inside the current line
    long line;         // number of the current line
    bool coordinate;
    symmetry sym;
    int64_t rows, cols, entries;
} reader;

static sti_status fail(const reader* r, const char* format, ...) __attribute__((format(printf, 2, 3)));
static sti_status fail(const reader* r, const char* format, ...) {
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sti_file_fail(r->env, STI_ERR_INPUT, r->name, "line %ld: %s", r->line, text);
}

static void skip_space(reader* r) {
    while (*r->p == ' ' || *r->p == '\t' || *r->p == '\r') r->p++;
}

static bool at_line_end(reader* r) {
    skip_space(r);
    return r->p == r->end || *r->p == '\n';
}

static bool next_line(reader* r) {
    if (r->next == r->end) return false;
    const char* stop = memchr(r->next, '\n', (size_t)(r->end - r->next));
    r->p = r->next;
    r->next = stop != NULL ? stop + 1 : r->end;
    r->line++;
    return true;
}

// The next line that is neither empty nor a comment.
static bool next_data_line(reader* r) {
    while (next_line(r)) {
        if (!at_line_end(r) && *r->p != '%') return true;
    }
    return false;
}

static size_t word_length(const reader* r) {
    size_t n = 0;
    while (r->p + n < r->end && (unsigned char)r->p[n] > ' ') n++;
    return n;
}

// Take the next word when it is `word`, whatever its case.
static bool take_word(reader* r, const char* word) {
    skip_space(r);
    const size_t n = word_length(r);
    if (n != strlen(word) || strncasecmp(r->p, word, n) != 0) return false;
    r->p += n;
    return true;
}

static sti_status unexpected_word(reader* r, const char* expected) {
    skip_space(r);
    const size_t n = word_length(r);
    return fail(r, "%.*s: %s", (int)(n < 40 ? n : 40), r->p, expected);
}

static sti_status read_banner(reader* r) {
    if (!next_line(r) || !take_word(r, "%%MatrixMarket"))
        return sti_file_fail(r->env, STI_ERR_INPUT, r->name, "line 1: %%%%MatrixMarket is expected at the start");
    if (!take_word(r, "matrix")) return unexpected_word(r, "only \"matrix\" is read");
    r->coordinate = take_word(r, "coordinate");
    if (!r->coordinate && !take_word(r, "array")) return unexpected_word(r, "\"coordinate\" or \"array\" is expected");
    if (take_word(r, "complex")) return fail(r, "complex: a real matrix is expected");
    if (take_word(r, "pattern")) return fail(r, "pattern: a matrix with values is expected");
    if (!take_word(r, "real") && !take_word(r, "integer") && !take_word(r, "double"))
        return unexpected_word(r, "\"real\" or \"integer\" is expected");
    if (take_word(r, "general"))
        r->sym = GENERAL;
    else if (take_word(r, "symmetric"))
        r->sym = SYMMETRIC;
    else if (take_word(r, "skew-symmetric"))
        r->sym = SKEW;
    else
        return unexpected_word(r, "\"general\", \"symmetric\" or \"skew-symmetric\" is expected");
    return at_line_end(r) ? STI_OK : unexpected_word(r, "nothing more is expected on this line");
}

// A whole number from least to most.
static sti_status read_integer(reader* r, const char* what, int64_t least, int64_t most, int64_t* out) {
    skip_space(r);
    const char* p = r->p;
    uint64_t value = 0;
    for (; *p >= '0' && *p <= '9'; p++) value = sti_u64_add(sti_u64_mul(10, value), (uint64_t)(*p - '0'));
    const size_t n = word_length(r);
    if (p == r->p || p != r->p + n || value < (uint64_t)least || value > (uint64_t)most)
        return fail(r, "%s: %.*s: a whole number from %lld to %lld is expected", what, (int)(n < 40 ? n : 40), r->p,
                    (long long)least, (long long)most);
    r->p = p;
    *out = (int64_t)value;
    return STI_OK;
}

static sti_status read_value(reader* r, double* out) {
    const char* end;
    skip_space(r);
    const size_t n = word_length(r);
    *out = sti_text_double(r->p, &end);
    if (n == 0 || end != r->p + n || !isfinite(*out))
        return fail(r, "value: %.*s: a finite number is expected", (int)(n < 40 ? n : 40), r->p);
    r->p = end;
    return STI_OK;
}

static sti_status end_of_line(reader* r) {
    return at_line_end(r) ? STI_OK : unexpected_word(r, "nothing more is expected on this line");
}

// Entries an array file lists: all of them, or the lower triangle with or without the diagonal.
static size_t listed(const reader* r) {
    const size_t n = (size_t)r->rows, all = sti_size_mul(n, (size_t)r->cols);
    if (r->sym == GENERAL) return all;
    return (r->sym == SYMMETRIC ? sti_size_add(all, n) : all - n) / 2;
}

static sti_status read_sizes(reader* r) {
    const int64_t most = STI_FILE_SPARSE_MOST;
    if (!next_data_line(r)) return fail(r, "the sizes are missing");
    sti_status status = read_integer(r, "rows", 0, most, &r->rows);
    if (status == STI_OK) status = read_integer(r, "columns", 0, most, &r->cols);
    if (status == STI_OK && r->coordinate) status = read_integer(r, "entries", 0, INT64_C(1) << 40, &r->entries);
    if (status == STI_OK) status = end_of_line(r);
    if (status != STI_OK) return status;
    if (r->sym != GENERAL && r->rows != r->cols)
        return fail(r, "%lld x %lld: a symmetric matrix is square", (long long)r->rows, (long long)r->cols);
    // a vector may be longer than a side of a matrix that is stored whole
    if (!r->coordinate &&
        sti_size_mul((size_t)r->rows, (size_t)r->cols) > (size_t)STI_FILE_DENSE_MOST * STI_FILE_DENSE_MOST)
        return fail(r, "%lld x %lld: more than %d x %d entries, the most that is read of an array", (long long)r->rows,
                    (long long)r->cols, STI_FILE_DENSE_MOST, STI_FILE_DENSE_MOST);
    if (!r->coordinate) r->entries = (int64_t)listed(r);
    // an entry takes two characters at least, with its place six; the last line may have no end
    const size_t have = (size_t)(r->end - r->next) + 1, need = sti_size_mul(r->coordinate ? 6 : 2, (size_t)r->entries);
    if (need > have) return fail(r, "%lld entries: more than the rest of the file can hold", (long long)r->entries);
    return STI_OK;
}

static sti_status read_coordinates(reader* r, sti_triplets* t) {
    for (int64_t k = 0; k < r->entries; k++) {
        int64_t i = 0, j = 0;
        double v = 0;
        if (!next_data_line(r))
            return fail(r, "the file ends after %lld of %lld entries", (long long)k, (long long)r->entries);
        sti_status status = read_integer(r, "row", 1, r->rows, &i);
        if (status == STI_OK) status = read_integer(r, "column", 1, r->cols, &j);
        if (status == STI_OK) status = read_value(r, &v);
        if (status == STI_OK) status = end_of_line(r);
        if (status != STI_OK) return status;
        if (r->sym != GENERAL && j > i)
            return fail(r, "(%lld, %lld): only the lower triangle of a symmetric matrix is expected", (long long)i,
                        (long long)j);
        if (r->sym == SKEW && i == j && v != 0)
            return fail(r, "(%lld, %lld): the diagonal of a skew-symmetric matrix is zero", (long long)i, (long long)j);
        sti_triplets_add(t, (int)i - 1, (int)j - 1, v);
        if (r->sym != GENERAL && i != j) sti_triplets_add(t, (int)j - 1, (int)i - 1, r->sym == SKEW ? -v : v);
    }
    return STI_OK;
}

static sti_status read_sparse(reader* r, sti_matrix* out) {
    sti_triplets t;
    int i, j;
    sti_status status = sti_triplets_create(r->env, sti_size_mul((size_t)r->entries, r->sym == GENERAL ? 1 : 2), &t);
    if (status != STI_OK) return status;
    status = read_coordinates(r, &t);
    if (status == STI_OK) status = sti_triplets_compress(r->env, &t, (int)r->rows, (int)r->cols, out, &i, &j);
    for (int64_t k = 0; status == STI_OK && k < out->col_start[out->cols]; k++) {
        if (!isfinite(out->value[k])) {
            status = fail(r, "the sum of repeated entries in row %d is not finite", out->row[k] + 1);
            sti_matrix_clear(r->env, out);
            break;
        }
    }
    sti_triplets_clear(&t);
    return status;
}

static sti_status read_array(reader* r, sti_matrix* out) {
    const size_t rows = (size_t)r->rows, cols = (size_t)r->cols;
    double* a = sti_alloc_array_zero(r->env, sti_size_mul(rows, cols), sizeof *a);
    if (a == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    for (size_t j = 0; status == STI_OK && j < cols; j++) {
        const size_t first = r->sym == GENERAL ? 0 : r->sym == SYMMETRIC ? j : j + 1;
        for (size_t i = first; status == STI_OK && i < rows; i++) {
            double v = 0;
            if (!next_data_line(r)) status = fail(r, "the file ends before entry (%zu, %zu)", i + 1, j + 1);
            if (status == STI_OK) status = read_value(r, &v);
            if (status == STI_OK) status = end_of_line(r);
            a[i * cols + j] = v;
            if (r->sym != GENERAL) a[j * cols + i] = r->sym == SKEW && i != j ? -v : v;
        }
    }
    if (status == STI_OK)
        *out = sti_matrix_dense_view((int)rows, (int)cols, a);
    else
        sti_free(r->env, a);
    return status;
}

// text ends with a 0 at text[size].
static sti_status parse(sti_env* env, const char* text, size_t size, const char* name, sti_matrix* out) {
    reader r = {.env = env, .name = name, .next = text, .end = text + size, .p = text};
    *out = (sti_matrix){0};
    if (size == 0) return sti_file_fail(env, STI_ERR_INPUT, name, "empty, a Matrix Market file is expected");
    sti_status status = read_banner(&r);
    if (status == STI_OK) status = read_sizes(&r);
    if (status == STI_OK) status = r.coordinate ? read_sparse(&r, out) : read_array(&r, out);
    if (status == STI_OK && next_data_line(&r)) {
        status = fail(&r, "text after the last entry");
        sti_matrix_clear(env, out);
    }
    return status;
}

sti_status sti_matrix_parse(sti_env* env, const char* text, size_t size, const char* name, sti_matrix* out) {
    *out = (sti_matrix){0};
    char* copy = sti_alloc(env, sti_size_add(size, 1));
    if (copy == NULL) return STI_ERR_MEMORY;
    if (size > 0) memcpy(copy, text, size);
    copy[size] = '\0';
    const sti_status status = parse(env, copy, size, name, out);
    sti_free(env, copy);
    return status;
}

sti_status sti_matrix_load(sti_env* env, const char* path, sti_matrix* out) {
    char* text;
    size_t size;
    *out = (sti_matrix){0};
    sti_status status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    status = parse(env, text, size, path, out);
    sti_free(env, text);
    return status;
}
