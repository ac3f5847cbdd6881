// model.c: A and b of S3 (2.5.3), with lambda in the rows of R and S~ (errata S3-E10).
//
// Rows: data (N), then lambda times u_x, v_x, u_y, v_y (N each). Columns: u, v row by row. With the border repeated the
// entries of the stencil (1, -8, 0, 8, -1)/12 that fall outside are added to the border pixel; what cancels there is
// left out.
#include "flow/model.h"

#include <math.h>

typedef struct stencil {
    int count;
    int at[4];  // places along the line
    double weight[4];
} stencil;

static int clamp(int i, int size) {
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

// The derivative at place i of a line.
static stencil stencil_at(int i, int size) {
    static const int offset[] = {-2, -1, 1, 2};
    static const double weight[] = {1, -8, 8, -1};
    double sum[5] = {0};  // of the places i - 2 .. i + 2
    stencil s = {0};
    for (int k = 0; k < 4; k++) sum[clamp(i + offset[k], size) - i + 2] += weight[k];
    for (int k = 0; k < 5; k++) {
        if (!(fabs(sum[k]) > 0)) continue;
        s.at[s.count] = i + k - 2;
        s.weight[s.count++] = sum[k] / 12;
    }
    return s;
}

double sti_flow_derivative(const sti_frame* f, int x, int y, bool along_y) {
    const stencil s = along_y ? stencil_at(y, f->height) : stencil_at(x, f->width);
    const size_t width = (size_t)f->width;
    double sum = 0;
    for (int k = 0; k < s.count; k++)
        sum += s.weight[k] * f->value[(size_t)(along_y ? s.at[k] : y) * width + (size_t)(along_y ? x : s.at[k])];
    return sum;
}

void sti_flow_model_destroy(sti_env* env, sti_flow_model* model) {
    if (model == NULL) return;
    sti_matrix_clear(env, &model->problem.A);
    sti_free(env, model->b);
    sti_free(env, model);
}

static sti_status reserve(sti_env* env, int N, sti_flow_model* model) {
    const size_t n = (size_t)N;
    sti_matrix* A = &model->problem.A;
    model->problem.m = 5 * N;
    model->problem.n = 2 * N;
    A->rows = 5 * N;
    A->cols = 2 * N;
    A->col_start = sti_alloc_array_zero(env, 2 * n + 1, sizeof *A->col_start);
    A->row = sti_alloc_array(env, 18 * n, sizeof *A->row);
    A->value = sti_alloc_array_zero(env, 18 * n, sizeof *A->value);
    model->problem.b = model->b = sti_alloc_array_zero(env, 5 * n, sizeof *model->b);
    if (A->col_start != NULL && A->row != NULL && A->value != NULL && model->b != NULL) return STI_OK;
    return STI_ERR_MEMORY;
}

// Column by column: the data entry, then those of the lines through the pixel. Stencils reach two places, so the rows
// that know place i are i - 2 .. i + 2.
static int64_t put_line(sti_matrix* A, int64_t at, int first_row, int i, int size, int stride, int base,
                        double lambda) {
    for (int j = i - 2; j <= i + 2; j++) {
        if (j < 0 || j >= size) continue;
        const stencil s = stencil_at(j, size);
        for (int k = 0; k < s.count; k++) {
            if (s.at[k] != i) continue;
            A->row[at] = first_row + base + j * stride;
            A->value[at++] = lambda * s.weight[k];
        }
    }
    return at;
}

sti_status sti_flow_model_create(sti_env* env, int width, int height, double lambda, sti_flow_model** out) {
    *out = NULL;
    if (width < 5 || height < 5 || width > 20000 || height > 20000 || (int64_t)width * height > 100000000)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "frames of %d x %d: from 5 x 5 on, up to 10^8 pixels", width,
                        height);
    if (!(lambda > 0) || !isfinite(lambda))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "lambda: %g: a positive number is expected", lambda);
    const int N = width * height;
    sti_flow_model* model = sti_alloc_array_zero(env, 1, sizeof *model);
    sti_status status = model != NULL ? reserve(env, N, model) : STI_ERR_MEMORY;
    if (status != STI_OK) {
        sti_flow_model_destroy(env, model);
        return status;
    }
    sti_matrix* A = &model->problem.A;
    int64_t at = 0;
    for (int c = 0; c < 2 * N; c++) {
        const int part = c / N, k = c % N, x = k % width, y = k / width;
        A->row[at++] = k;
        at = put_line(A, at, (1 + part) * N, x, width, 1, y * width, lambda);
        at = put_line(A, at, (3 + part) * N, y, height, width, x, lambda);
        A->col_start[c + 1] = at;
    }
    *out = model;
    return STI_OK;
}

// ---- the data rows

static double sample(const sti_frame* f, double x, double y) {  // bilinear
    const double fx = fmin(fmax(x, 0), f->width - 1), fy = fmin(fmax(y, 0), f->height - 1);
    const int i = clamp((int)fx, f->width - 1), j = clamp((int)fy, f->height - 1);
    const double a = fx - i, b = fy - j;
    const double* p = f->value + (size_t)j * (size_t)f->width + (size_t)i;
    const double top = p[0] + a * (p[1] - p[0]), bottom = p[f->width] + a * (p[f->width + 1] - p[f->width]);
    return top + b * (bottom - top);
}

// The derivative of a frame at a place between pixels, by the formula of the grid.
static double sample_derivative(const sti_frame* f, double x, double y, bool along_y) {
    const double dx = along_y ? 0 : 1, dy = along_y ? 1 : 0;
    return (sample(f, x - 2 * dx, y - 2 * dy) - 8 * sample(f, x - dx, y - dy) + 8 * sample(f, x + dx, y + dy) -
            sample(f, x + 2 * dx, y + 2 * dy)) /
           12;
}

void sti_flow_model_linearize(sti_flow_model* model, const sti_frame* first, const sti_frame* second,
                              const double* x0) {
    sti_matrix* A = &model->problem.A;
    const int width = first->width, N = model->problem.n / 2;
    for (int k = 0; k < N; k++) {
        const int x = k % width, y = k / width;
        double gx = sti_flow_derivative(first, x, y, false), gy = sti_flow_derivative(first, x, y, true);
        double gt = second->value[k] - first->value[k];
        if (x0 != NULL) {
            const double u = x0[k], v = x0[N + k], wx = x + u, wy = y + v;
            const bool inside = wx >= 0 && wy >= 0 && wx <= width - 1 && wy <= first->height - 1;
            gx = inside ? 0.5 * (gx + sample_derivative(second, wx, wy, false)) : 0;
            gy = inside ? 0.5 * (gy + sample_derivative(second, wx, wy, true)) : 0;
            gt = inside ? sample(second, wx, wy) - first->value[k] - gx * u - gy * v : 0;
        }
        A->value[A->col_start[k]] = gx;
        A->value[A->col_start[N + k]] = gy;
        model->b[k] = gt;
    }
}

// ---- the program of S3

static sti_status check_frames(sti_env* env, const sti_frame* first, const sti_frame* second) {
    if (first->width != second->width || first->height != second->height)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the frames have different sizes: %d x %d and %d x %d", first->width,
                        first->height, second->width, second->height);
    for (size_t k = 0; k < (size_t)first->width * (size_t)first->height; k++) {
        if (!isfinite(first->value[k]) || !isfinite(second->value[k]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, (int64_t)k, "pixel %zu of a frame is no finite number", k);
    }
    return STI_OK;
}

sti_status sti_flow_problem(sti_env* env, const sti_frame* first, const sti_frame* second, double lambda,
                            sti_l1** out) {
    sti_flow_model* model;
    *out = NULL;
    sti_status status = check_frames(env, first, second);
    if (status == STI_OK) status = sti_flow_model_create(env, first->width, first->height, lambda, &model);
    if (status != STI_OK) return status;
    sti_flow_model_linearize(model, first, second, NULL);
    *out = &model->problem;
    return STI_OK;
}

void sti_flow_problem_destroy(sti_env* env, sti_l1* problem) {
    sti_flow_model_destroy(env, (sti_flow_model*)problem);
}
