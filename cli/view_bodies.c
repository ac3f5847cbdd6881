// view_bodies.c: a recorded run of bodies as data of the page: shapes in the frames of their bodies, poses, contacts,
// curves.
#include <stdlib.h>
#include <string.h>

#include "view.h"

typedef struct recorded {
    const char* path;
    sti_recorded_world w;
    char* names;                                // a line each
    double *mode, *topology, *owner, *surface;  // datasets; free with sti_env_free
    long topology_size, faces, surface_frames, vertices;
} recorded;

static void clear(const cli* c, recorded* r) {
    sti_recorded_world_clear(c->env, &r->w);
    sti_env_free(c->env, r->names);
    sti_env_free(c->env, r->mode);
    sti_env_free(c->env, r->topology);
    sti_env_free(c->env, r->owner);
    sti_env_free(c->env, r->surface);
}

static int load(const cli* c, recorded* r) {
    long columns = 0, rows = r->w.contact_count;
    if (sti_recorded_world_load(c->env, r->path, &r->w) != STI_OK ||
        sti_recorded_text(c->env, r->path, "bodies/name", &r->names) != STI_OK ||
        sti_recorded_numbers(c->env, r->path, "surfaces/topology", &r->topology, &r->topology_size, &columns) !=
            STI_OK ||
        sti_recorded_numbers(c->env, r->path, "surfaces/body", &r->owner, &r->faces, &columns) != STI_OK ||
        sti_recorded_numbers(c->env, r->path, "frames/surface", &r->surface, &r->surface_frames, &columns) != STI_OK)
        return cli_fail_about(c, r->path);
    r->vertices = columns / 3;
    rows = r->w.contact_count;
    if (r->w.frame_count < 1) return cli_fail_usage(c, "%.200s: no frame is recorded", r->path);
    return cli_view_read(c, r->path, "contacts/mode", 1, &rows, &r->mode);
}

// ---- bodies and their shapes

static void put_bodies(cli_page* p, const recorded* r) {
    const char* name = r->names != NULL ? r->names : "";
    cli_json_array(&p->json, "bodies");
    for (int k = 0; k < r->w.body_count; k++) {
        const size_t length = strcspn(name, "\n");
        char* text = calloc(length + 1, 1);
        if (text != NULL) memcpy(text, name, length);
        cli_json_object(&p->json, NULL);
        cli_json_text(&p->json, "name", text != NULL ? text : "");
        cli_json_bool(&p->json, "fixed", r->w.fixed[k] != 0);
        cli_json_end(&p->json);
        name += length + (name[length] == '\n');
        free(text);
    }
    cli_json_end(&p->json);
}

// R(q)' (x - place): from the world into the frame of a body.
static void into_body(const double* place, const double* q, const double* x, double* out) {
    const double w = q[0], a = -q[1], b = -q[2], d = -q[3];
    const double y[3] = {x[0] - place[0], x[1] - place[1], x[2] - place[2]};
    const double t[3] = {2 * (b * y[2] - d * y[1]), 2 * (d * y[0] - a * y[2]), 2 * (a * y[1] - b * y[0])};
    out[0] = y[0] + w * t[0] + b * t[2] - d * t[1];
    out[1] = y[1] + w * t[1] + d * t[0] - a * t[2];
    out[2] = y[2] + w * t[2] + a * t[1] - b * t[0];
}

// Faces one after the other, as "3, number of corners, corners"; those of one body in a row are a shape.
static int put_shapes(const cli* c, cli_page* p, const recorded* r) {
    long at = 0, face = 0;
    double* local = malloc((size_t)(r->vertices + 1) * 3 * sizeof *local);
    if (local == NULL) return cli_fail_memory(c);
    cli_json_array(&p->json, "shapes");
    while (face < r->faces) {
        const int body = (int)r->owner[face];
        const long begin = face;
        long low = r->vertices, high = -1, end = at;
        bool good = body >= 0 && body < r->w.body_count;
        for (; good && face < r->faces && (int)r->owner[face] == body; face++) {
            const long size = end + 1 < r->topology_size ? (long)r->topology[end + 1] : -1;
            good = size >= 0 && end + 2 + size <= r->topology_size;
            for (long i = 0; good && i < size; i++) {
                const long k = (long)r->topology[end + 2 + i];
                good = k >= 0 && k < r->vertices;
                low = k < low ? k : low;
                high = k > high ? k : high;
            }
            end += 2 + size;
        }
        if (!good || r->surface_frames < 1) {
            free(local);
            return cli_fail_usage(c, "%.200s: surfaces: damaged: a face has no such body or corner", r->path);
        }
        for (long k = low; k <= high; k++)
            into_body(r->w.x + 3 * (size_t)body, r->w.q + 4 * (size_t)body, r->surface + 3 * k, local + 3 * (k - low));
        cli_json_object(&p->json, NULL);
        cli_json_integer(&p->json, "body", body);
        cli_json_bool(&p->json, "smooth", r->w.dim == 3 && face - begin > 60);
        cli_page_numbers(p, "vertices", CLI_PAGE_F32, local, high >= low ? 3 * (size_t)(high - low + 1) : 0);
        cli_json_array(&p->json, "faces");
        for (; at < end; at += 2 + (long)r->topology[at + 1]) {
            cli_json_array(&p->json, NULL);
            for (long i = 0; i < (long)r->topology[at + 1]; i++)
                cli_json_integer(&p->json, NULL, (long)r->topology[at + 2 + i] - low);
            cli_json_end(&p->json);
        }
        cli_json_end(&p->json);
        cli_json_end(&p->json);
    }
    cli_json_end(&p->json);
    free(local);
    return CLI_DONE;
}

// ---- frames and contacts

// How long the step that ends with a frame took: impulses of contacts become forces by it.
static double step_time(const sti_recorded_world* w, long frame) {
    const int64_t s = w->frame_step[frame];
    if (s < 1 || s > w->step_count) return 1;
    const double h = w->time[s - 1] - (s > 1 ? w->time[s - 2] : w->frame_time[0]);
    return h > 0 ? h : 1;
}

// Point, normal, force in the world and friction of contact k; the force is on the body that can move.
static void take_contact(const recorded* r, long k, double h, double* data, double* pair) {
    const sti_recorded_world* w = &r->w;
    const int a = (int)w->contact_body[2 * k], b = (int)w->contact_body[2 * k + 1];
    const bool swap = w->fixed[a] != 0 && w->fixed[b] == 0;
    const double sign = swap ? -1 : 1;
    for (int i = 0; i < 3; i++) {
        const long at = 3 * k + i;
        data[i] = w->point[at];
        data[3 + i] = sign * w->n[at];
        data[6 + i] = sign / h * (w->n[at] * w->r[3 * k] + w->t1[at] * w->r[3 * k + 1] + w->t2[at] * w->r[3 * k + 2]);
    }
    data[9] = w->mu[k];
    pair[0] = swap ? b : a;
    pair[1] = swap ? a : b;
}

static int put_frames(const cli* c, cli_page* p, const recorded* r) {
    const sti_recorded_world* w = &r->w;
    const size_t bodies = (size_t)w->body_count, contacts = (size_t)w->contact_count;
    const double bytes = 28.0 * w->body_count + 49.0 * (double)contacts / (double)w->frame_count;
    const long stride = cli_view_stride(p, w->frame_count, bytes);
    const size_t frames = (size_t)((w->frame_count - 1) / stride + 1);
    double* time = malloc(frames * (2 + 7 * bodies) * sizeof *time);
    double* data = malloc((13 * contacts + 1) * sizeof *data);
    if (time == NULL || data == NULL) {
        free(time);
        free(data);
        return cli_fail_memory(c);
    }
    double *end = time + frames, *pose = end + frames, *pair = data + 10 * contacts, *mode = pair + 2 * contacts;
    size_t row = 0;
    for (size_t f = 0; f < frames; f++) {
        const long from = (long)f * stride;
        time[f] = w->frame_time[from];
        for (size_t k = 0; k < bodies; k++) {
            memcpy(pose + 7 * (f * bodies + k), w->x + 3 * ((size_t)from * bodies + k), 3 * sizeof *pose);
            memcpy(pose + 7 * (f * bodies + k) + 3, w->q + 4 * ((size_t)from * bodies + k), 4 * sizeof *pose);
        }
        for (int64_t k = from > 0 ? w->contact_end[from - 1] : 0; k < w->contact_end[from]; k++, row++) {
            take_contact(r, (long)k, step_time(w, from), data + 10 * row, pair + 2 * row);
            mode[row] = r->mode[k] == 1 || r->mode[k] == 2 ? r->mode[k] : 0;
        }
        end[f] = (double)row;
    }
    cli_json_object(&p->json, "frames");
    cli_page_numbers(p, "time", CLI_PAGE_F64, time, frames);
    cli_page_numbers(p, "pose", CLI_PAGE_F32, pose, 7 * frames * bodies);
    cli_page_numbers(p, "contact_end", CLI_PAGE_I32, end, frames);
    cli_json_end(&p->json);
    cli_json_object(&p->json, "contacts");
    cli_page_numbers(p, "data", CLI_PAGE_F32, data, 10 * row);
    cli_page_numbers(p, "pair", CLI_PAGE_I32, pair, 2 * row);
    cli_page_numbers(p, "mode", CLI_PAGE_U8, mode, row);
    cli_json_end(&p->json);
    free(time);
    free(data);
    return CLI_DONE;
}

int cli_view_bodies(const cli* c, cli_page* p, const char* path) {
    recorded r = {.path = path};
    int code = load(c, &r);
    if (code == CLI_DONE) {
        cli_json_text(&p->json, "kind", "bodies");
        cli_json_integer(&p->json, "dim", r.w.dim);
        put_bodies(p, &r);
        code = put_shapes(c, p, &r);
    }
    if (code == CLI_DONE) code = put_frames(c, p, &r);
    clear(c, &r);
    return code;
}
