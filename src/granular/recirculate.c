// recirculate.c: a bed that flows: what leaves through the opening comes in again at the top (S3 2.3).
//
// Grains are moved between steps. A grain that comes in gets a place drawn at random in a disc at the height where the
// bed began, or as little above it as it takes to be clear of all that is there, so no step begins with a penetration
// of our making.
#include <math.h>
#include <stiction/recording.h>
#include <string.h>

#include "base/rng.h"
#include "granular/bed.h"

enum { LAYERS = 40, RINGS = 10, TRIALS = 64 };

struct sti_recirculation {
    sti_env* env;
    double out, radius;
    sti_rng rng;
    int count;
    double* entered;  // when each grain came in at the top; NAN: it was there from the beginning   (count)
    double* x;        // (count x 3)
    double* v;        // (count x 3)
    double* w;        // (count x 3)
    sti_outflow flow;
    long timed;  // grains whose residence is known
    double total;
    double top;  // of the profile
    double speed[LAYERS * RINGS];
    long counted[LAYERS * RINGS];
};

sti_status sti_recirculation_create(sti_env* env, const sti_bed* bed, double out, double radius, uint64_t seed,
                                    sti_recirculation** result) {
    *result = NULL;
    if (!(radius > 0) || !isfinite(out))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "radius %g, out %g: a positive and a finite number", radius, out);
    const size_t n = (size_t)bed->n;
    sti_recirculation* r = sti_alloc_array_zero(env, 1, sizeof *r);
    double* memory = sti_alloc_array(env, 10 * n, sizeof *memory);
    if (r == NULL || memory == NULL) {
        sti_free(env, r);
        sti_free(env, memory);
        return STI_ERR_MEMORY;
    }
    r->env = env;
    r->out = out;
    r->radius = radius;
    r->rng.state = seed;
    r->count = bed->n;
    r->entered = memory;
    r->x = memory + n;
    r->v = r->x + 3 * n;
    r->w = r->v + 3 * n;
    for (size_t k = 0; k < n; k++) r->entered[k] = NAN;
    sti_bed_get(bed, r->x, NULL, NULL);
    r->top = r->x[2];
    for (size_t k = 1; k < n; k++) r->top = fmax(r->top, r->x[3 * k + 2]);
    if (!(r->top > out)) {
        sti_free(env, memory);
        sti_free(env, r);
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "out: %g, all grains are below", out);
    }
    r->flow.residence = r->flow.residence_min = r->flow.residence_max = NAN;
    *result = r;
    return STI_OK;
}

void sti_recirculation_destroy(sti_env* env, sti_recirculation* r) {
    if (r == NULL) return;
    sti_free(env, r->entered);
    sti_free(env, r);
}

static void note_exit(sti_recirculation* r, int k, double time) {
    r->flow.left++;
    r->flow.last_time = time;
    if (!isnan(r->entered[k])) {
        const double stay = time - r->entered[k];
        r->total += stay;
        r->timed++;
        r->flow.residence = r->total / (double)r->timed;
        r->flow.residence_min = fmin(r->flow.residence_min, stay);  // of a number and NAN: the number
        r->flow.residence_max = fmax(r->flow.residence_max, stay);
    }
    r->entered[k] = time;
}

// A place in the disc at height z that is clear of the grains in `near`; false: none was found.
static bool draw(sti_recirculation* r, double z, double clear, const int* near, int near_count, double* x) {
    const double pi = M_PI;
    for (int trial = 0; trial < TRIALS; trial++) {
        const double rho = r->radius * sqrt(sti_rng_u01(&r->rng)), angle = 2 * pi * sti_rng_u01(&r->rng);
        x[0] = rho * cos(angle);
        x[1] = rho * sin(angle);
        x[2] = z;
        bool good = true;
        for (int k = 0; k < near_count && good; k++) {
            const double* y = r->x + 3 * (size_t)near[k];
            good = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) >= clear;
        }
        if (good) return true;
    }
    return false;
}

// Layers from `out` to the top; the last ring reaches to the wall.
static void gather_profile(sti_recirculation* r) {
    for (int k = 0; k < r->count; k++) {
        const double* x = r->x + 3 * (size_t)k;
        const double layer = floor((x[2] - r->out) / (r->top - r->out) * LAYERS);
        const double ring = floor(hypot(x[0], x[1]) / r->radius * RINGS);
        if (!(layer >= 0 && layer < LAYERS) || !(ring >= 0)) continue;
        const int cell = (int)layer * RINGS + (ring < RINGS ? (int)ring : RINGS - 1);
        r->speed[cell] -= r->v[3 * (size_t)k + 2];
        r->counted[cell]++;
    }
}

sti_status sti_recirculation_apply(sti_recirculation* r, sti_bed* bed, int* moved) {
    if (moved != NULL) *moved = 0;
    int* near = sti_alloc_array(r->env, 2 * (size_t)r->count, sizeof *near);
    if (near == NULL) return STI_ERR_MEMORY;
    sti_bed_get(bed, r->x, r->v, r->w);
    gather_profile(r);
    int* fresh = near + r->count;
    const double clear = 2.02 * bed->largest;
    int near_count = 0, count = 0;
    for (int k = 0; k < r->count; k++) {
        if (r->x[3 * (size_t)k + 2] > r->top) near[near_count++] = k;
    }
    double z = r->top + clear;
    for (int k = 0; k < r->count; k++) {
        double* x = r->x + 3 * (size_t)k;
        if (x[2] >= r->out) continue;
        note_exit(r, k, bed->time);
        double at[3];
        while (!draw(r, z, clear, near, near_count, at)) z += clear;
        memcpy(x, at, sizeof at);
        for (size_t i = 0; i < 3; i++) r->v[3 * (size_t)k + i] = r->w[3 * (size_t)k + i] = 0;
        fresh[count++] = k;
        near[near_count++] = k;
    }
    sti_status status = STI_OK;
    if (count > 0) status = sti_bed_replace(bed, r->x, r->v, r->w, fresh, count);
    sti_free(r->env, near);
    if (moved != NULL) *moved = count;
    return status;
}

sti_outflow sti_recirculation_outflow(const sti_recirculation* r) {
    return r->flow;
}

void sti_recirculation_extent(const sti_recirculation* r, double* low, double* high, double* radius) {
    *low = r->out;
    *high = r->top;
    *radius = r->radius;
}

void sti_recirculation_profile(const sti_recirculation* r, int* layers, int* rings, const double** speed,
                               const long** count) {
    *layers = LAYERS;
    *rings = RINGS;
    *speed = r->speed;
    *count = r->counted;
}

// ---- as bytes and back

#define MAGIC UINT64_C(0x32306f6c66697473)  // "stiflo02"

typedef struct lead {
    uint64_t magic, rng;
    int64_t count, timed;
    double out, radius, total, top;
    sti_outflow flow;
} lead;

static size_t state_size(size_t count) {
    return sizeof(lead) + count * sizeof(double) + LAYERS * RINGS * (sizeof(double) + sizeof(long));
}

sti_status sti_recirculation_save_state(const sti_recirculation* r, void** bytes, size_t* size) {
    const size_t n = (size_t)r->count;
    *size = state_size(n);
    char* to = *bytes = sti_alloc(r->env, *size);
    if (to == NULL) return STI_ERR_MEMORY;
    const lead head = {.magic = MAGIC,
                       .rng = r->rng.state,
                       .count = r->count,
                       .timed = r->timed,
                       .out = r->out,
                       .radius = r->radius,
                       .total = r->total,
                       .top = r->top,
                       .flow = r->flow};
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, r->entered, n * sizeof(double));
    memcpy(to + sizeof head + n * sizeof(double), r->speed, sizeof r->speed);
    memcpy(to + sizeof head + n * sizeof(double) + sizeof r->speed, r->counted, sizeof r->counted);
    return STI_OK;
}

sti_status sti_recirculation_load_state(sti_env* env, const sti_bed* bed, const void* bytes, size_t size,
                                        sti_recirculation** result) {
    lead head = {0};
    const size_t n = (size_t)bed->n;
    const char* from = bytes;
    *result = NULL;
    if (size >= sizeof head) memcpy(&head, bytes, sizeof head);
    if (head.magic != MAGIC || head.count != bed->n || size != state_size(n) || !(head.radius > 0) ||
        !isfinite(head.out + head.radius + head.top + head.total) || !(head.top > head.out) || head.timed < 0)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "state of grains that flow: not of this version, or of another bed");
    const sti_status status = sti_recirculation_create(env, bed, head.out, head.radius, head.rng, result);
    if (status != STI_OK) return status;
    sti_recirculation* r = *result;
    r->timed = head.timed;
    r->total = head.total;
    r->top = head.top;
    r->flow = head.flow;
    memcpy(r->entered, from + sizeof head, n * sizeof(double));
    memcpy(r->speed, from + sizeof head + n * sizeof(double), sizeof r->speed);
    memcpy(r->counted, from + sizeof head + n * sizeof(double) + sizeof r->speed, sizeof r->counted);
    return STI_OK;
}
