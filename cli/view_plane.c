// view_plane.c: pushes and vehicles as data of the page: parts, fixtures, tips, cages, walls and obstacles in the
// plane, with trails.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "view.h"

enum { DISC_CORNERS = 40 };

typedef struct plane {
    const char* path;  // trajectory.h5
    sti_document* document;
    const sti_manipulation* push;  // one of the two
    const sti_navigation* nav;
    long steps, contacts;
    double *time, *q;                                                         // (steps), (steps x width)
    double *step, *part, *against, *other, *mode, *point, *normal, *ln, *lt;  // of contacts of a push
    double* shape;                                                            // corners of one outline
    int bodies;
} plane;

// ---- what is in the folder

// The scene that the run began with, its settings made, from the checkpoint beside the trajectory.
static int load_scene(const cli* c, plane* s) {
    sti_store* fields = NULL;
    const size_t length = strlen(s->path) + 16;
    char* path = malloc(length);
    if (path == NULL) return cli_fail_memory(c);
    const char* slash = strrchr(s->path, '/');
    snprintf(path, length, "%.*scheckpoint.h5", slash != NULL ? (int)(slash + 1 - s->path) : 0, s->path);
    sti_status status = sti_store_load(c->env, path, &fields);
    if (status == STI_OK) {
        size_t size = 0;
        const char *text = sti_store_bytes(fields, "document", &size), *set = sti_store_text(fields, "settings");
        if (text == NULL || set == NULL) {
            sti_store_destroy(fields);
            const int code = cli_fail_usage(c, "%.200s: document: missing", path);
            free(path);
            return code;
        }
        status = sti_document_parse(c->env, text, size, path, &s->document);
        if (status == STI_OK && set[0] != '\0') status = sti_document_set(s->document, set);
    }
    sti_store_destroy(fields);
    const int code = status == STI_OK ? CLI_DONE : cli_fail_about(c, path);
    free(path);
    if (code != CLI_DONE) return code;
    s->push = sti_manipulation_of(s->document);
    s->nav = sti_navigation_of(s->document);
    return s->push != NULL || s->nav != NULL ? CLI_DONE
                                             : cli_fail_usage(c, "%.200s: parts or vehicles expected", s->path);
}

static int load_contacts(const cli* c, plane* s) {
    const struct {
        const char* name;
        long columns;
        double** to;
    } list[] = {
        {"contacts/step", 1, &s->step},     {"contacts/part", 1, &s->part},   {"contacts/against", 1, &s->against},
        {"contacts/other", 1, &s->other},   {"contacts/mode", 1, &s->mode},   {"contacts/point", 2, &s->point},
        {"contacts/normal", 2, &s->normal}, {"contacts/lambda_n", 1, &s->ln}, {"contacts/lambda_t", 1, &s->lt}};
    int code = CLI_DONE;
    s->contacts = -1;
    for (size_t i = 0; code == CLI_DONE && i < sizeof list / sizeof list[0]; i++)
        code = cli_view_read(c, s->path, list[i].name, list[i].columns, &s->contacts, list[i].to);
    return code;
}

static int width_of(const plane* s) {
    return s->push != NULL ? 3 * sti_manipulation_part_count(s->push) : 2 * sti_navigation_count(s->nav);
}

static int load(const cli* c, plane* s) {
    int code = load_scene(c, s);
    if (code != CLI_DONE) return code;
    const int width = width_of(s);
    s->steps = -1;
    code = cli_view_read(c, s->path, "steps/time", 1, &s->steps, &s->time);
    if (code == CLI_DONE) code = cli_view_read(c, s->path, "steps/q", width, &s->steps, &s->q);
    if (code == CLI_DONE && s->steps < 1) code = cli_fail_usage(c, "%.200s: no step is recorded", s->path);
    return code == CLI_DONE && s->push != NULL ? load_contacts(c, s) : code;
}

static void clear(const cli* c, plane* s) {
    double* const all[] = {s->time, s->q,     s->step,   s->part, s->against, s->other,
                           s->mode, s->point, s->normal, s->ln,   s->lt};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) sti_env_free(c->env, all[i]);
    sti_document_destroy(s->document);
}

// ---- bodies: parts, fixtures, tips; vehicles, walls, obstacles, goals

static void put_body(cli_page* p, plane* s, const char* name, bool fixed, const char* look) {
    cli_json_object(&p->json, NULL);
    cli_json_text(&p->json, "name", name);
    cli_json_bool(&p->json, "fixed", fixed);
    cli_json_text(&p->json, "look", look);
    cli_json_end(&p->json);
    s->bodies++;
}

static void put_bodies(cli_page* p, plane* s) {
    char name[160];
    cli_json_array(&p->json, "bodies");
    if (s->push != NULL) {
        for (int i = 0; i < sti_manipulation_part_count(s->push); i++)
            put_body(p, s, sti_manipulation_part(s->push, i), false, "body");
        for (int i = 0; i < sti_manipulation_fixture_count(s->push); i++)
            put_body(p, s, sti_manipulation_fixture(s->push, i), true, "body");
        for (int i = 0; i < sti_manipulation_tip_count(s->push); i++) {
            snprintf(name, sizeof name, "%.120s tip %d",
                     sti_manipulation_probe(s->push, sti_manipulation_tip_probe(s->push, i)), i + 1);
            put_body(p, s, name, false, "tip");
        }
    } else {
        for (int i = 0; i < sti_navigation_count(s->nav); i++)
            put_body(p, s, sti_navigation_vehicle(s->nav, i), false, "cage");
        for (int i = 0; i < sti_navigation_wall_count(s->nav) + sti_navigation_obstacle_count(s->nav); i++) {
            sti_navigation_other_text(s->nav, -1 - i, name, sizeof name);
            put_body(p, s, name, true, "body");
        }
    }
    cli_json_end(&p->json);
}

static void put_polygon(cli_page* p, int body, const double* xy, int corners) {
    double* x = malloc(3 * (size_t)corners * sizeof *x);
    if (x == NULL) {
        p->json.broken = true;
        return;
    }
    for (int i = 0; i < corners; i++) {
        x[3 * i] = xy[2 * i];
        x[3 * i + 1] = xy[2 * i + 1];
        x[3 * i + 2] = 0;
    }
    cli_json_object(&p->json, NULL);
    cli_json_integer(&p->json, "body", body);
    cli_json_bool(&p->json, "smooth", false);
    cli_page_numbers(p, "vertices", CLI_PAGE_F32, x, 3 * (size_t)corners);
    cli_json_array(&p->json, "faces");
    cli_json_array(&p->json, NULL);
    for (int i = 0; i < corners; i++) cli_json_integer(&p->json, NULL, i);
    cli_json_end(&p->json);
    cli_json_end(&p->json);
    cli_json_end(&p->json);
    free(x);
}

static void put_disc(cli_page* p, int body, double radius) {
    double xy[2 * DISC_CORNERS];
    for (int i = 0; i < DISC_CORNERS; i++) {
        xy[2 * i] = radius * cos(2 * 3.14159265358979323846 * i / DISC_CORNERS);
        xy[2 * i + 1] = radius * sin(2 * 3.14159265358979323846 * i / DISC_CORNERS);
    }
    put_polygon(p, body, xy, DISC_CORNERS);
}

static void put_outline(cli_page* p, int body, sti_outline o) {
    if (o.vertex_count > 0)
        put_polygon(p, body, o.vertices, o.vertex_count);
    else
        put_disc(p, body, o.radius);
}

// The box of all places that are gone through: x, y low, then high.
static void find_box(const plane* s, double box[4]) {
    const int stride = s->push != NULL ? 3 : 2;
    const long width = s->push != NULL ? 3L * sti_manipulation_part_count(s->push) : 2L * sti_navigation_count(s->nav);
    box[0] = box[1] = INFINITY;
    box[2] = box[3] = -INFINITY;
    for (long r = 0; r < s->steps; r++) {
        for (long k = 0; k < width; k++) {
            if (k % stride > 1) continue;
            box[k % stride] = fmin(box[k % stride], s->q[r * width + k]);
            box[2 + k % stride] = fmax(box[2 + k % stride], s->q[r * width + k]);
        }
    }
}

// How large a scene is that has not moved yet.
static double least_size(const plane* s) {
    double most = 1e-9;
    for (int i = 0; s->nav != NULL && i < sti_navigation_count(s->nav); i++)
        most = fmax(most, 20 * sti_navigation_cage(s->nav, i));
    for (int i = 0; s->push != NULL && i < sti_manipulation_part_count(s->push); i++) {
        const sti_outline o = sti_manipulation_part_outline(s->push, i);
        most = fmax(most, 2 * o.radius);
        for (int k = 0; k < o.vertex_count; k++) most = fmax(most, 2 * hypot(o.vertices[2 * k], o.vertices[2 * k + 1]));
    }
    return most;
}

static void put_shapes(cli_page* p, const plane* s) {
    int body = 0;
    double box[4];
    find_box(s, box);
    const double size = fmax(hypot(box[2] - box[0], box[3] - box[1]), least_size(s));
    cli_json_array(&p->json, "shapes");
    if (s->push != NULL) {
        for (int i = 0; i < sti_manipulation_part_count(s->push); i++)
            put_outline(p, body++, sti_manipulation_part_outline(s->push, i));
        for (int i = 0; i < sti_manipulation_fixture_count(s->push); i++)
            put_outline(p, body++, sti_manipulation_fixture_outline(s->push, i));
        for (int i = 0; i < sti_manipulation_tip_count(s->push); i++)
            put_disc(p, body++, fmax(sti_manipulation_tip_radius(s->push, i), 0.008 * size));
    } else {
        for (int i = 0; i < sti_navigation_count(s->nav); i++) put_disc(p, body++, sti_navigation_cage(s->nav, i));
        for (int i = 0; i < sti_navigation_wall_count(s->nav); i++) {
            const double xy[8] = {-2 * size, -0.06 * size, 2 * size, -0.06 * size, 2 * size, 0, -2 * size, 0};
            put_polygon(p, body++, xy, 4);
        }
        for (int i = 0; i < sti_navigation_obstacle_count(s->nav); i++) {
            double pose[3];
            put_outline(p, body++, sti_navigation_obstacle(s->nav, i, pose));
        }
    }
    cli_json_end(&p->json);
    cli_json_array(&p->json, "goals");
    for (int i = 0; s->nav != NULL && i < sti_navigation_count(s->nav); i++) {
        double goal[2];
        if (!sti_navigation_goal(s->nav, i, goal)) continue;
        cli_json_object(&p->json, NULL);
        cli_json_integer(&p->json, "body", i);
        cli_json_numbers(&p->json, "at", goal, 2);
        cli_json_end(&p->json);
    }
    cli_json_end(&p->json);
}

// ---- places

static void put_pose(double* to, double x, double y, double angle) {
    to[0] = x;
    to[1] = y;
    to[2] = to[4] = to[5] = 0;
    to[3] = cos(angle / 2);
    to[6] = sin(angle / 2);
}

// Of all bodies at a time; q: of parts, or of vehicles.
static void take_poses(const plane* s, double t, const double* q, double* to) {
    if (s->push != NULL) {
        const int parts = sti_manipulation_part_count(s->push);
        for (int i = 0; i < parts; i++, to += 7) put_pose(to, q[3 * i], q[3 * i + 1], q[3 * i + 2]);
        for (int i = 0; i < sti_manipulation_fixture_count(s->push); i++, to += 7) {
            double pose[3];
            sti_manipulation_fixture_pose(s->push, i, pose);
            put_pose(to, pose[0], pose[1], pose[2]);
        }
        for (int i = 0; i < sti_manipulation_tip_count(s->push); i++, to += 7) {
            double at[2], v[2];
            sti_manipulation_tip(s->push, i, t, at, v);
            put_pose(to, at[0], at[1], 0);
        }
        return;
    }
    const int count = sti_navigation_count(s->nav);
    for (int i = 0; i < count; i++, to += 7) put_pose(to, q[2 * i], q[2 * i + 1], 0);
    for (int i = 0; i < sti_navigation_wall_count(s->nav); i++, to += 7) {
        double point[2], n[2];
        sti_navigation_wall(s->nav, i, point, n);
        put_pose(to, point[0], point[1], atan2(n[1], n[0]) - 3.14159265358979323846 / 2);
    }
    for (int i = 0; i < sti_navigation_obstacle_count(s->nav); i++, to += 7) {
        double pose[3];
        sti_navigation_obstacle(s->nav, i, pose);
        put_pose(to, pose[0], pose[1], pose[2]);
    }
}

// Point, normal, force on the part, friction; the two bodies; open, stick, slip.
static void take_contact(const plane* s, long k, double* data, double* pair, double* mode) {
    const double n[2] = {s->normal[2 * k], s->normal[2 * k + 1]}, ln = s->ln[k], lt = s->lt[k];
    const int parts = sti_manipulation_part_count(s->push), fixtures = sti_manipulation_fixture_count(s->push);
    const int against = (int)s->against[k], other = (int)s->other[k];
    const int thing = against == STI_PUSH_TIP       ? parts + fixtures + other
                      : against == STI_PUSH_FIXTURE ? parts + other
                                                    : other;
    const int friction =
        against == STI_PUSH_TIP ? parts + fixtures + sti_manipulation_tip_probe(s->push, other) : thing;
    const double row[10] = {s->point[2 * k],
                            s->point[2 * k + 1],
                            0,
                            n[0],
                            n[1],
                            0,
                            ln * n[0] - lt * n[1],
                            ln * n[1] + lt * n[0],
                            0,
                            sti_manipulation_friction(s->push, (int)s->part[k], friction)};
    memcpy(data, row, sizeof row);
    pair[0] = s->part[k];
    pair[1] = thing;
    *mode = s->mode[k] == STI_PUSH_OPEN ? 0 : s->mode[k] == STI_PUSH_STICK ? 1 : 2;
}

static bool contact_is_whole(const plane* s, long k) {
    const int most[] = {[STI_PUSH_TIP] = sti_manipulation_tip_count(s->push),
                        [STI_PUSH_FIXTURE] = sti_manipulation_fixture_count(s->push),
                        [STI_PUSH_PART] = sti_manipulation_part_count(s->push)};
    return s->part[k] >= 0 && s->part[k] < most[STI_PUSH_PART] && s->against[k] >= 0 &&
           s->against[k] <= STI_PUSH_PART && s->other[k] >= 0 && s->other[k] < most[(int)s->against[k]];
}

static int put_frames(const cli* c, cli_page* p, const plane* s) {
    const size_t bodies = (size_t)s->bodies, room = (size_t)(s->contacts > 0 ? s->contacts : 0);
    const double bytes = 28.0 * s->bodies + 49.0 * (double)room / (double)s->steps;
    const long stride = cli_view_stride(p, s->steps, bytes);
    const size_t frames = (size_t)((s->steps - 1) / stride + 1);
    double *time = calloc(frames * (2 + 7 * bodies), sizeof *time), *data = calloc(13 * room + 1, sizeof *data);
    int code = time != NULL && data != NULL ? CLI_DONE : cli_fail_memory(c);
    double *end = time + frames, *pair = data + 10 * room, *mode = pair + 2 * room;
    size_t row = 0;
    long k = 0;
    for (size_t f = 0; code == CLI_DONE && f < frames; f++) {
        const long at = (long)f * stride;
        time[f] = s->time[at];
        take_poses(s, s->time[at], s->q + at * width_of(s), time + 2 * frames + 7 * f * bodies);
        while (k < s->contacts && s->step[k] < (double)at) k++;
        for (; code == CLI_DONE && k < s->contacts && s->step[k] == (double)at; k++, row++) {
            if (!contact_is_whole(s, k))
                code = cli_fail_usage(c, "%.200s: contacts: row %ld: no such part or other side", s->path, k);
            else
                take_contact(s, k, data + 10 * row, pair + 2 * row, mode + row);
        }
        end[f] = (double)row;
    }
    if (code == CLI_DONE) {
        cli_json_object(&p->json, "frames");
        cli_page_numbers(p, "time", CLI_PAGE_F64, time, frames);
        cli_page_numbers(p, "pose", CLI_PAGE_F32, time + 2 * frames, 7 * frames * bodies);
        cli_page_numbers(p, "contact_end", CLI_PAGE_I32, end, frames);
        cli_json_end(&p->json);
        cli_json_object(&p->json, "contacts");
        cli_page_numbers(p, "data", CLI_PAGE_F32, data, 10 * row);
        cli_page_numbers(p, "pair", CLI_PAGE_I32, pair, 2 * row);
        cli_page_numbers(p, "mode", CLI_PAGE_U8, mode, row);
        cli_json_end(&p->json);
    }
    free(time);
    free(data);
    return code;
}

int cli_view_plane(const cli* c, cli_page* p, const char* path) {
    plane s = {.path = path};
    int code = load(c, &s);
    if (code == CLI_DONE) {
        cli_json_text(&p->json, "kind", "bodies");
        cli_json_integer(&p->json, "dim", 2);
        cli_json_bool(&p->json, "trails", true);
        put_bodies(p, &s);
        put_shapes(p, &s);
        code = put_frames(c, p, &s);
    }
    clear(c, &s);
    return code;
}

// ---- of a live scene

int cli_view_plane_bodies(const sti_manipulation* push, const sti_navigation* nav) {
    return push != NULL
               ? sti_manipulation_part_count(push) + sti_manipulation_fixture_count(push) +
                     sti_manipulation_tip_count(push)
               : sti_navigation_count(nav) + sti_navigation_wall_count(nav) + sti_navigation_obstacle_count(nav);
}

void cli_view_plane_poses(const sti_manipulation* push, const sti_navigation* nav, double t, const double* q,
                          double* pose) {
    take_poses(&(plane){.push = push, .nav = nav}, t, q, pose);
}
