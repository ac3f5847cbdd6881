// view_bed.c: a recorded bed as data of the page: places as 16-bit parts of the box of the run, the strongest contacts,
// walls.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

enum { MOST_CONTACTS = 3000 };  // of a frame: what the page draws, strongest first

typedef struct bed {
    const char* path;
    long grains, frames, contacts, walls;
    double *radius, *layer, *mu, *time, *x, *end;
    double *a, *b, *n, *r;
    double *kind, *point, *axis, *wall_radius, *slope, *wall_mu;
} bed;

static int load(const cli* c, bed* s) {
    long one = 1;
    const struct {
        const char* name;
        long columns;
        long* rows;
        double** to;
    } list[] = {{"grains/radius", 1, &s->grains, &s->radius},
                {"grains/layer", 1, &s->grains, &s->layer},
                {"grains/mu", 1, &one, &s->mu},
                {"frames/time", 1, &s->frames, &s->time},
                {"frames/contact_end", 1, &s->frames, &s->end},
                {"contacts/a", 1, &s->contacts, &s->a},
                {"contacts/b", 1, &s->contacts, &s->b},
                {"contacts/n", 3, &s->contacts, &s->n},
                {"contacts/r", 3, &s->contacts, &s->r},
                {"walls/kind", 1, &s->walls, &s->kind},
                {"walls/point", 3, &s->walls, &s->point},
                {"walls/axis", 3, &s->walls, &s->axis},
                {"walls/radius", 1, &s->walls, &s->wall_radius},
                {"walls/slope", 1, &s->walls, &s->slope},
                {"walls/mu", 1, &s->walls, &s->wall_mu}};
    int code = CLI_DONE;
    for (size_t i = 0; code == CLI_DONE && i < sizeof list / sizeof list[0]; i++)
        code = cli_view_read(c, s->path, list[i].name, list[i].columns, list[i].rows, list[i].to);
    if (code == CLI_DONE) code = cli_view_read(c, s->path, "frames/x", 3 * s->grains, &s->frames, &s->x);
    if (code == CLI_DONE && (s->frames < 1 || s->grains < 1))
        code = cli_fail_usage(c, "%.200s: no frame is recorded", s->path);
    double before = 0;
    for (long f = 0; code == CLI_DONE && f < s->frames; f++) {
        if (!(s->end[f] >= before && s->end[f] <= (double)s->contacts))
            code = cli_fail_usage(c, "%.200s: frames/contact_end: row %ld: %g: damaged", s->path, f, s->end[f]);
        before = s->end[f];
    }
    for (long k = 0; code == CLI_DONE && k < s->contacts; k++) {
        if (!(s->a[k] >= 0 && s->a[k] < (double)s->grains && s->b[k] < (double)s->grains &&
              s->b[k] >= -(double)s->walls))
            code = cli_fail_usage(c, "%.200s: contacts: row %ld: no such grain or wall", s->path, k);
    }
    return code;
}

static void clear(const cli* c, bed* s) {
    double* const all[] = {s->radius, s->layer, s->mu,   s->time,  s->x,    s->end,         s->a,     s->b,
                           s->n,      s->r,     s->kind, s->point, s->axis, s->wall_radius, s->slope, s->wall_mu};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) sti_env_free(c->env, all[i]);
}

static void put_walls(cli_page* p, const bed* s) {
    cli_json_array(&p->json, "walls");
    for (long k = 0; k < s->walls; k++) {
        cli_json_object(&p->json, NULL);
        cli_json_integer(&p->json, "kind", (long)s->kind[k]);
        cli_json_numbers(&p->json, "point", s->point + 3 * k, 3);
        cli_json_numbers(&p->json, "axis", s->axis + 3 * k, 3);
        cli_json_number(&p->json, "radius", s->wall_radius[k]);
        cli_json_number(&p->json, "slope", s->slope[k]);
        cli_json_end(&p->json);
    }
    cli_json_end(&p->json);
}

static double size_of(const double* r) {
    return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
}

typedef struct strong {
    double size;
    long row;
} strong;

static int by_size(const void* left, const void* right) {
    const strong *a = left, *b = right;
    return a->size != b->size ? (a->size < b->size) - (a->size > b->size) : (a->row > b->row) - (a->row < b->row);
}

// Point, normal, impulse and friction of contact k of a frame; sticks where friction is inside of its cone.
static void take_contact(const bed* s, long frame, long k, double* data, double* pair, double* mode) {
    const long a = (long)s->a[k], b = (long)s->b[k];
    const double *n = s->n + 3 * k, *r = s->r + 3 * k, *x = s->x + 3 * (frame * s->grains + a);
    const double mu = b < 0 ? s->wall_mu[-1 - b] : s->mu[0];
    const double normal = n[0] * r[0] + n[1] * r[1] + n[2] * r[2];
    for (int i = 0; i < 3; i++) {
        data[i] = x[i] - s->radius[a] * n[i];
        data[3 + i] = n[i];
        data[6 + i] = r[i];
    }
    data[9] = mu;
    pair[0] = (double)a;
    pair[1] = (double)b;
    const double t[3] = {r[0] - normal * n[0], r[1] - normal * n[1], r[2] - normal * n[2]};
    *mode = !(normal > 0) ? 0 : size_of(t) < (1 - 1e-3) * mu * normal ? 1 : 2;
}

static int put_frames(const cli* c, cli_page* p, const bed* s) {
    const size_t n = (size_t)s->grains;
    const long stride = cli_view_stride(p, s->frames, 6.0 * (double)n + 49.0 * fmin(MOST_CONTACTS, 5 * (double)n));
    const size_t frames = (size_t)((s->frames - 1) / stride + 1), room = frames * MOST_CONTACTS;
    double low[3] = {INFINITY, INFINITY, INFINITY}, size[3] = {0};
    for (size_t k = 0; k < n * (size_t)s->frames; k++)
        for (int i = 0; i < 3; i++) low[i] = fmin(low[i], s->x[3 * k + (size_t)i]);
    for (size_t k = 0; k < n * (size_t)s->frames; k++)
        for (int i = 0; i < 3; i++) size[i] = fmax(size[i], s->x[3 * k + (size_t)i] - low[i]);
    double *x = malloc(3 * n * frames * sizeof *x), *time = malloc(2 * frames * sizeof *time);
    double* data = malloc(13 * room * sizeof *data);
    strong* order = malloc(((size_t)s->contacts + 1) * sizeof *order);
    int code = x == NULL || time == NULL || data == NULL || order == NULL ? cli_fail_memory(c) : CLI_DONE;
    size_t row = 0;
    bool cut = false;
    for (size_t f = 0; code == CLI_DONE && f < frames; f++) {
        const long from = (long)f * stride, first = from > 0 ? (long)s->end[from - 1] : 0, last = (long)s->end[from];
        for (size_t k = 0; k < 3 * n; k++) {
            const double v = s->x[3 * n * (size_t)from + k] - low[k % 3];
            x[3 * n * f + k] = size[k % 3] > 0 ? floor(65535 * v / size[k % 3] + 0.5) : 0;
        }
        time[f] = s->time[from];
        for (long k = first; k < last; k++) order[k - first] = (strong){size_of(s->r + 3 * k), k};
        long count = last - first;
        if (count > MOST_CONTACTS) {
            qsort(order, (size_t)count, sizeof *order, by_size);
            count = MOST_CONTACTS;
            cut = true;
        }
        for (long k = 0; k < count; k++, row++)
            take_contact(s, from, order[k].row, data + 10 * row, data + 10 * room + 2 * row, data + 12 * room + row);
        time[frames + f] = (double)row;
    }
    if (cut) cli_page_note(p, "Of the contacts of a frame the %d strongest are kept.", MOST_CONTACTS);
    if (code == CLI_DONE) {
        cli_page_note(p, "Places are rounded to 1/65535 of the box of the run; arrows are impulses of a step.");
        cli_json_object(&p->json, "frames");
        cli_page_numbers(p, "time", CLI_PAGE_F64, time, frames);
        cli_json_numbers(&p->json, "low", low, 3);
        cli_json_numbers(&p->json, "size", size, 3);
        cli_page_numbers(p, "x", CLI_PAGE_U16, x, 3 * n * frames);
        cli_page_numbers(p, "contact_end", CLI_PAGE_I32, time + frames, frames);
        cli_json_end(&p->json);
        cli_json_object(&p->json, "contacts");
        cli_page_numbers(p, "data", CLI_PAGE_F32, data, 10 * row);
        cli_page_numbers(p, "pair", CLI_PAGE_I32, data + 10 * room, 2 * row);
        cli_page_numbers(p, "mode", CLI_PAGE_U8, data + 12 * room, row);
        cli_json_end(&p->json);
    }
    free(x);
    free(time);
    free(data);
    free(order);
    return code;
}

int cli_view_bed(const cli* c, cli_page* p, const char* path) {
    bed s = {.path = path, .grains = -1, .frames = -1, .contacts = -1, .walls = -1};
    int code = load(c, &s);
    if (code == CLI_DONE) {
        cli_json_text(&p->json, "kind", "grains");
        cli_json_integer(&p->json, "dim", 3);
        cli_json_object(&p->json, "grains");
        cli_json_integer(&p->json, "count", s.grains);
        cli_page_numbers(p, "radius", CLI_PAGE_F32, s.radius, (size_t)s.grains);
        cli_page_numbers(p, "layer", CLI_PAGE_I32, s.layer, (size_t)s.grains);
        cli_json_end(&p->json);
        put_walls(p, &s);
        code = put_frames(c, p, &s);
    }
    clear(c, &s);
    return code;
}
