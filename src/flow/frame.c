// frame.c: grey frames, fields of flow, and how far a field is from the truth.
#include "flow/frame.h"

#include <math.h>

sti_status sti_frame_create(sti_env* env, int width, int height, sti_frame* out) {
    *out = (sti_frame){.width = width, .height = height};
    out->value = sti_alloc_array_zero(env, sti_size_mul((size_t)width, (size_t)height), sizeof *out->value);
    return out->value != NULL ? STI_OK : STI_ERR_MEMORY;
}

void sti_frame_clear(sti_env* env, sti_frame* frame) {
    sti_free(env, frame->value);
    *frame = (sti_frame){0};
}

void sti_flow_field_clear(sti_env* env, sti_flow_field* field) {
    sti_free(env, field->u);
    sti_free(env, field->v);
    *field = (sti_flow_field){0};
}

sti_status sti_frame_from_image(sti_env* env, const sti_image* image, sti_frame* out) {
    const sti_status status = sti_frame_create(env, image->width, image->height, out);
    for (size_t k = 0; status == STI_OK && k < (size_t)image->width * (size_t)image->height; k++) {
        const unsigned char* p = image->rgb + 3 * k;
        out->value[k] = floor(0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2] + 0.5) / 255;
    }
    return status;
}

sti_status sti_frame_halve(sti_env* env, const sti_frame* f, sti_frame* out) {
    const int width = (f->width + 1) / 2, height = (f->height + 1) / 2;
    const sti_status status = sti_frame_create(env, width, height, out);
    for (int y = 0; status == STI_OK && y < height; y++) {
        for (int x = 0; x < width; x++) {
            const int x1 = 2 * x + 1 < f->width ? 2 * x + 1 : 2 * x, y1 = 2 * y + 1 < f->height ? 2 * y + 1 : 2 * y;
            const size_t top = (size_t)(2 * y) * (size_t)f->width, bottom = (size_t)y1 * (size_t)f->width;
            out->value[(size_t)y * (size_t)width + (size_t)x] =
                0.25 * (f->value[top + (size_t)(2 * x)] + f->value[top + (size_t)x1] +
                        f->value[bottom + (size_t)(2 * x)] + f->value[bottom + (size_t)x1]);
        }
    }
    return status;
}

sti_status sti_flow_compare(sti_env* env, const sti_flow_field* field, const sti_flow_field* truth,
                            sti_flow_error* out) {
    *out = (sti_flow_error){0};
    if (field->width != truth->width || field->height != truth->height)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the flow has %d x %d pixels, the truth %d x %d", field->width,
                        field->height, truth->width, truth->height);
    for (size_t k = 0; k < (size_t)field->width * (size_t)field->height; k++) {
        if (!isfinite(truth->u[k]) || !isfinite(truth->v[k])) continue;
        const double e = hypot(field->u[k] - truth->u[k], field->v[k] - truth->v[k]);
        out->count++;
        out->mean += e;
        out->mean_of_zero += hypot(truth->u[k], truth->v[k]);
        out->beyond_half += e > 0.5;
        out->beyond_one += e > 1;
    }
    if (out->count == 0) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the truth is known at no pixel");
    out->mean /= (double)out->count;
    out->mean_of_zero /= (double)out->count;
    out->beyond_half /= (double)out->count;
    out->beyond_one /= (double)out->count;
    return STI_OK;
}
