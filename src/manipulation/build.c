// build.c: a scene from its texts: all numbers on one tape, then shapes, supports, paths and friction from their
// values.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "manipulation/manipulation.h"

enum { FIELD = 120, MOST_VERTICES = 2000, MOST_TIPS = 1000, MOST_DEGREE = 40 };

// ---- numbers

static sti_status add(sti_manipulation* m, const char* text, const char* missing, int* number, const char* format, ...)
    __attribute__((format(printf, 5, 6)));

static sti_status add(sti_manipulation* m, const char* text, const char* missing, int* number, const char* format,
                      ...) {
    char field[FIELD];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(field, sizeof field, format, arguments);
    va_end(arguments);
    return sti_numbers_add(&m->numbers, field, text, missing, false, number);
}

static sti_status copy_name(sti_env* env, const char* name, const char* word, int i, char** out) {
    char text[40];
    snprintf(text, sizeof text, "%s %d", word, i + 1);
    *out = sti_strdup(env, name != NULL ? name : text);
    return *out != NULL ? STI_OK : STI_ERR_MEMORY;
}

static sti_status add_outline(sti_manipulation* m, const sti_outline_text* text, const char* field,
                              sti_shape_room* out) {
    const int n = text->vertex_count;
    if (n == 0 && text->radius == NULL)
        return STI_FAIL(m->env, STI_ERR_INPUT, -1, "%s: a polygon or a disc is expected", field);
    if (n != 0 && (n < 3 || n > MOST_VERTICES))
        return STI_FAIL(m->env, STI_ERR_INPUT, -1, "%s.polygon: %d vertices: 3 to %d are expected", field, n,
                        (int)MOST_VERTICES);
    out->vertex_count = n;
    const size_t count = n > 0 ? 2 * (size_t)n : 1;
    out->number = sti_alloc_array_zero(m->env, count, sizeof *out->number);
    out->v = sti_alloc_array_zero(m->env, count, sizeof *out->v);
    if (out->number == NULL || out->v == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    if (n == 0) return add(m, text->radius, NULL, &out->number[0], "%s.disc", field);
    for (int k = 0; status == STI_OK && k < 2 * n; k++)
        status = add(m, text->vertices[k], NULL, &out->number[k], "%s.polygon[%d][%d]", field, k / 2, k % 2);
    return status;
}

static sti_status add_pressure(sti_manipulation* m, const sti_manipulation_text* text, const char* formula,
                               const char* field, sti_support* out) {
    char name[FIELD + 20];
    snprintf(name, sizeof name, "%s.support.pressure", field);
    sti_status status = sti_numbers_open(&out->pressure, m->env, text, (const char* const[]){"x", "y"}, 2);
    if (status == STI_OK) status = sti_numbers_add(&out->pressure, name, formula, NULL, false, &out->pressure_number);
    if (status == STI_OK) status = sti_numbers_seal(&out->pressure);
    if (status == STI_OK) status = sti_numbers_degree(&out->pressure, out->pressure_number, &out->degree);
    if (status == STI_OK && (out->degree < 0 || out->degree > MOST_DEGREE))
        return STI_FAIL(m->env, STI_ERR_INPUT, -1,
                        "%s: \"%.60s\": a polynomial of x and y is expected, of degree %d at most", name, formula,
                        (int)MOST_DEGREE);
    return status;
}

static sti_status add_support(sti_manipulation* m, const sti_manipulation_text* text, const sti_support_text* from,
                              const char* field, sti_support* out) {
    const int given = (from->E != NULL) + (from->point_count > 0) + (from->pressure != NULL);
    if (given != 1)
        return STI_FAIL(m->env, STI_ERR_INPUT, -1, "%s.support: %s of \"E\", \"points\" and \"pressure\" is expected",
                        field, given == 0 ? "one" : "only one");
    out->fixed = from->fixed;
    if (from->pressure != NULL) return add_pressure(m, text, from->pressure, field, out);
    out->point_count = from->point_count;
    const int count = from->E != NULL ? 9 : 3 * from->point_count;
    const char* const* texts = from->E != NULL ? from->E : from->points;
    out->number = sti_alloc_array_zero(m->env, (size_t)count, sizeof *out->number);
    out->point = sti_alloc_array_zero(m->env, (size_t)count, sizeof *out->point);
    if (out->number == NULL || out->point == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < count; k++)
        status = add(m, texts[k], NULL, &out->number[k], "%s.support.%s[%d][%d]", field,
                     from->E != NULL ? "E" : "points", k / 3, k % 3);
    return status;
}

static sti_status add_part(sti_manipulation* m, const sti_manipulation_text* text, int i) {
    const sti_part_text* from = &text->parts[i];
    sti_pushed_part* p = &m->parts[i];
    char field[FIELD];
    snprintf(field, sizeof field, "parts[%d]", i);
    sti_status status = copy_name(m->env, from->name, "part", i, &p->name);
    if (status == STI_OK) status = add_outline(m, &from->outline, field, &p->shape);
    if (status == STI_OK) status = add_support(m, text, &from->support, field, &p->support);
    for (int k = 0; status == STI_OK && k < 3; k++)
        status = add(m, from->pose[k], "0", &p->pose_number[k], "%s.pose[%d]", field, k);
    return status;
}

static sti_status add_fixture(sti_manipulation* m, const sti_manipulation_text* text, int i) {
    const sti_fixture_text* from = &text->fixtures[i];
    sti_fixture* f = &m->fixtures[i];
    char field[FIELD];
    snprintf(field, sizeof field, "fixtures[%d]", i);
    f->mu_number = -1;
    sti_status status = copy_name(m->env, from->name, "fixture", i, &f->name);
    if (status == STI_OK) status = add_outline(m, &from->outline, field, &f->shape);
    for (int k = 0; status == STI_OK && k < 3; k++)
        status = add(m, from->pose[k], "0", &f->pose_number[k], "%s.pose[%d]", field, k);
    if (status == STI_OK && from->mu != NULL) status = add(m, from->mu, NULL, &f->mu_number, "%s.mu", field);
    return status;
}

// Direction and speed, or a path; nothing of it for a probe that stands still.
static sti_status add_motion(sti_manipulation* m, const sti_probe_text* from, int i, sti_probe* p) {
    const bool vector = from->direction[0] != NULL, path = from->path[0] != NULL;
    p->passive = from->passive;
    p->angled = from->angle != NULL;
    p->path = path;
    if (from->passive && (path || (from->speed != NULL && strcmp(from->speed, "0") != 0)))
        return STI_FAIL(m->env, STI_ERR_INPUT, i, "probes[%d]: not active, and yet it has a %s", i,
                        path ? "path" : "speed");
    if (from->passive) return STI_OK;
    if (path && (from->speed != NULL || vector || p->angled))
        return STI_FAIL(m->env, STI_ERR_INPUT, i, "probes[%d]: \"path\" or \"direction\" and \"speed\", not both", i);
    if (!path && (from->speed == NULL || vector == p->angled))
        return STI_FAIL(m->env, STI_ERR_INPUT, i,
                        "probes[%d]: \"direction\" and \"speed\" are expected, or a \"path\", or \"active\": false", i);
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && path && k < 2; k++) {
        char field[FIELD];
        snprintf(field, sizeof field, "probes[%d].path[%d]", i, k);
        status = sti_numbers_add(&m->numbers, field, from->path[k], "0", true, &p->path_number[k]);
    }
    if (status == STI_OK && p->angled) status = add(m, from->angle, NULL, &p->angle_number, "probes[%d].direction", i);
    for (int k = 0; status == STI_OK && vector && k < 2; k++)
        status = add(m, from->direction[k], "0", &p->direction_number[k], "probes[%d].direction[%d]", i, k);
    if (status == STI_OK && !path) status = add(m, from->speed, NULL, &p->speed_number, "probes[%d].speed", i);
    if (status == STI_OK) status = add(m, from->begin, "0", &p->begin_number, "probes[%d].begin", i);
    p->until_number = -1;
    if (status == STI_OK && from->until != NULL)
        status = add(m, from->until, NULL, &p->until_number, "probes[%d].duration", i);
    return status;
}

static sti_status add_probe(sti_manipulation* m, const sti_manipulation_text* text, int i, int* tip) {
    const sti_probe_text* from = &text->probes[i];
    sti_probe* p = &m->probes[i];
    p->mu_number = -1;
    p->first_tip = *tip;
    p->tip_count = from->tip_count;
    if (from->tip_count < 1)
        return STI_FAIL(m->env, STI_ERR_INPUT, i, "probes[%d].tips: at least one [x, y] is expected", i);
    sti_status status = copy_name(m->env, from->name, "probe", i, &p->name);
    for (int k = 0; status == STI_OK && k < from->tip_count; k++) {
        sti_tip* at = &m->tips[(*tip)++];
        at->probe = i;
        for (int j = 0; status == STI_OK && j < 2; j++)
            status = add(m, from->tips[2 * k + j], NULL, &at->number[j], "probes[%d].tips[%d][%d]", i, k, j);
    }
    if (status == STI_OK) status = add(m, from->radius, "0", &p->radius_number, "probes[%d].radius", i);
    if (status == STI_OK) status = add_motion(m, from, i, p);
    if (status == STI_OK && from->mu != NULL) status = add(m, from->mu, NULL, &p->mu_number, "probes[%d].mu", i);
    return status;
}

// ---- names

static const char* thing_name(const sti_manipulation* m, int k) {
    if (k < m->part_count) return m->parts[k].name;
    k -= m->part_count;
    return k < m->fixture_count ? m->fixtures[k].name : m->probes[k - m->fixture_count].name;
}

static int find_thing(const sti_manipulation* m, const char* name) {
    for (int k = 0; k < sti_manipulation_things(m); k++) {
        if (strcmp(thing_name(m, k), name) == 0) return k;
    }
    return -1;
}

static sti_status check_names(sti_manipulation* m) {
    for (int k = 0; k < sti_manipulation_things(m); k++) {
        if (find_thing(m, thing_name(m, k)) != k)
            return STI_FAIL(m->env, STI_ERR_INPUT, -1, "name: \"%.60s\": two things have it", thing_name(m, k));
    }
    return STI_OK;
}

static sti_status add_pair(sti_manipulation* m, const sti_pair_text* from, int i) {
    const char* const names[2] = {from->a, from->b};
    int at[2];
    for (int k = 0; k < 2; k++) {
        at[k] = find_thing(m, names[k]);
        if (at[k] < 0)
            return STI_FAIL(m->env, STI_ERR_INPUT, i,
                            "friction[%d].between[%d]: \"%.60s\": no such part, fixture or probe", i, k, names[k]);
    }
    m->pairs[i].a = at[0];
    m->pairs[i].b = at[1];
    return add(m, from->mu, NULL, &m->pairs[i].number, "friction[%d].mu", i);
}

// ---- values

static double value(const sti_manipulation* m, int number) {
    return sti_numbers_value(&m->numbers, number);
}

static sti_status read_shape(sti_manipulation* m, sti_shape_room* s, const char* field, int i) {
    for (int k = 0; k < 2 * s->vertex_count; k++) s->v[k] = value(m, s->number[k]);
    if (s->vertex_count == 0) s->radius = value(m, s->number[0]);
    const char* wrong = sti_outline_settle(s);
    if (wrong == NULL) return STI_OK;
    return STI_FAIL(m->env, STI_ERR_INPUT, i, "%s[%d].%s: %s", field, i, s->vertex_count > 0 ? "polygon" : "disc",
                    wrong);
}

static sti_status read_pose(sti_manipulation* m, const int number[3], double pose[3], const char* field, int i) {
    for (int k = 0; k < 3; k++) {
        pose[k] = value(m, number[k]);
        if (!isfinite(pose[k])) return STI_FAIL(m->env, STI_ERR_INPUT, i, "%s[%d].pose[%d]: not finite", field, i, k);
    }
    return STI_OK;
}

static sti_status read_parts(sti_manipulation* m) {
    sti_status status = STI_OK;
    m->size = 0;
    for (int i = 0; status == STI_OK && i < m->part_count; i++) {
        sti_pushed_part* p = &m->parts[i];
        status = read_shape(m, &p->shape, "parts", i);
        if (status == STI_OK) status = read_pose(m, p->pose_number, p->pose, "parts", i);
        if (status != STI_OK) break;
        m->size = fmax(m->size, p->shape.reach);
        sti_support_measure(&p->support, &m->numbers, m->parameter_at, &p->shape);
        const char* wrong = sti_support_wrong(&p->support);
        if (wrong != NULL) status = STI_FAIL(m->env, STI_ERR_INPUT, i, "parts[%d].support: %s", i, wrong);
    }
    for (int i = 0; status == STI_OK && i < m->fixture_count; i++) {
        status = read_shape(m, &m->fixtures[i].shape, "fixtures", i);
        if (status == STI_OK) status = read_pose(m, m->fixtures[i].pose_number, m->fixtures[i].pose, "fixtures", i);
    }
    return status;
}

static sti_status read_motion(sti_manipulation* m, sti_probe* p, int i) {
    p->velocity[0] = p->velocity[1] = 0;
    p->begin = 0;
    p->until = INFINITY;
    if (p->passive) return STI_OK;
    p->begin = value(m, p->begin_number);
    if (p->until_number >= 0) p->until = p->begin + value(m, p->until_number);
    if (!isfinite(p->begin) || !(p->until >= p->begin))
        return STI_FAIL(m->env, STI_ERR_INPUT, i, "probes[%d].duration: not below 0 is expected", i);
    if (p->path) return STI_OK;
    double d[2], length = 1;
    if (p->angled) {
        d[0] = cos(value(m, p->angle_number));
        d[1] = sin(value(m, p->angle_number));
    } else {
        for (int k = 0; k < 2; k++) d[k] = value(m, p->direction_number[k]);
        length = hypot(d[0], d[1]);
    }
    const double speed = value(m, p->speed_number);
    if (!isfinite(d[0]) || !isfinite(d[1]) || !(length > 0))
        return STI_FAIL(m->env, STI_ERR_INPUT, i, "probes[%d].direction: a vector other than 0 is expected", i);
    if (!isfinite(speed)) return STI_FAIL(m->env, STI_ERR_INPUT, i, "probes[%d].speed: not finite", i);
    for (int k = 0; k < 2; k++) p->velocity[k] = speed * d[k] / length;
    return STI_OK;
}

static sti_status read_probes(sti_manipulation* m) {
    sti_status status = STI_OK;
    for (int i = 0; status == STI_OK && i < m->probe_count; i++) {
        sti_probe* p = &m->probes[i];
        p->radius = value(m, p->radius_number);
        if (!(p->radius >= 0) || !isfinite(p->radius))
            return STI_FAIL(m->env, STI_ERR_INPUT, i, "probes[%d].radius: %g: not below 0 is expected", i, p->radius);
        status = read_motion(m, p, i);
    }
    for (int i = 0; status == STI_OK && i < m->tip_count; i++) {
        for (int k = 0; k < 2; k++) m->tips[i].at[k] = value(m, m->tips[i].number[k]);
        if (!isfinite(m->tips[i].at[0]) || !isfinite(m->tips[i].at[1]))
            status = STI_FAIL(m->env, STI_ERR_INPUT, i, "probes[%d].tips[%d]: not finite", m->tips[i].probe,
                              i - m->probes[m->tips[i].probe].first_tip);
    }
    return status;
}

// The pair's own coefficient, else that of the probe or fixture, else the scene's.
static double friction_of(const sti_manipulation* m, int a, int b) {
    for (int k = m->pair_count - 1; k >= 0; k--) {
        const sti_pair_mu* p = &m->pairs[k];
        if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) return value(m, p->number);
    }
    const int high = a > b ? a : b;
    int number = -1;
    if (high >= m->part_count + m->fixture_count)
        number = m->probes[high - m->part_count - m->fixture_count].mu_number;
    else if (high >= m->part_count)
        number = m->fixtures[high - m->part_count].mu_number;
    return value(m, number >= 0 ? number : m->mu_number);
}

static sti_status read_friction(sti_manipulation* m) {
    const int things = sti_manipulation_things(m);
    for (int a = 0; a < m->part_count; a++) {
        for (int b = 0; b < things; b++) {
            const double mu = friction_of(m, a, b);
            if (a != b && (!(mu >= 0) || !isfinite(mu)))
                return STI_FAIL(m->env, STI_ERR_INPUT, -1,
                                "mu: %g between \"%.60s\" and \"%.60s\": not below 0 is expected", mu, thing_name(m, a),
                                thing_name(m, b));
            m->friction[(size_t)a * (size_t)things + (size_t)b] = mu;
            m->friction[(size_t)b * (size_t)things + (size_t)a] = mu;
        }
    }
    return STI_OK;
}

static sti_status read_steps(sti_manipulation* m) {
    const double h = value(m, m->step_number), steps = value(m, m->steps_number);
    if (!(h > 0) || !isfinite(h)) return STI_FAIL(m->env, STI_ERR_INPUT, -1, "h: %g: above 0 is expected", h);
    if (!(steps >= 1 && steps <= 1e12) || steps != floor(steps))
        return STI_FAIL(m->env, STI_ERR_INPUT, -1, "steps: %g: a whole number from 1 on is expected", steps);
    m->step = h;
    m->steps = (long)steps;
    return STI_OK;
}

// ---- nothing may overlap at the start

static sti_status check_start(const sti_manipulation* m) {
    const double allowed = 1e-6 * m->size;
    for (int i = 0; i < m->part_count; i++) {
        const sti_pushed_part* p = &m->parts[i];
        for (int j = 0; j < m->fixture_count; j++) {
            const double depth = sti_shape_overlap(&p->shape, p->pose, &m->fixtures[j].shape, m->fixtures[j].pose);
            if (depth > allowed)
                return STI_FAIL(m->env, STI_ERR_INPUT, i,
                                "parts[%d].pose: \"%.60s\" overlaps fixture \"%.60s\" by %.4g", i, p->name,
                                m->fixtures[j].name, depth);
        }
        for (int j = 0; j < i; j++) {
            const double depth = sti_shape_overlap(&p->shape, p->pose, &m->parts[j].shape, m->parts[j].pose);
            if (depth > allowed)
                return STI_FAIL(m->env, STI_ERR_INPUT, i, "parts[%d].pose: \"%.60s\" overlaps \"%.60s\" by %.4g", i,
                                p->name, m->parts[j].name, depth);
        }
        for (int j = 0; j < m->tip_count; j++) {
            const int probe = m->tips[j].probe, tip = j - m->probes[probe].first_tip;
            const sti_shape_room point = {.radius = m->probes[probe].radius};
            const double pose[3] = {m->tips[j].at[0], m->tips[j].at[1], 0};
            const double depth = sti_shape_overlap(&p->shape, p->pose, &point, pose);
            if (depth > allowed)
                return STI_FAIL(m->env, STI_ERR_INPUT, j,
                                "probes[%d].tips[%d]: [%.6g, %.6g]: inside \"%.60s\", by %.4g", probe, tip, pose[0],
                                pose[1], p->name, depth);
        }
    }
    return STI_OK;
}

sti_status sti_manipulation_evaluate(sti_manipulation* m) {
    sti_numbers_at(&m->numbers, m->parameter_at, NULL, 0);
    sti_status status = read_parts(m);
    if (status == STI_OK) status = read_probes(m);
    if (status == STI_OK) status = read_friction(m);
    if (status == STI_OK) status = read_steps(m);
    return status == STI_OK ? check_start(m) : status;
}

// ---- life

static sti_status reserve(sti_manipulation* m, const sti_manipulation_text* text) {
    sti_env* env = m->env;
    size_t tips = 0;
    m->part_count = text->part_count;
    m->fixture_count = text->fixture_count;
    m->probe_count = text->probe_count;
    m->pair_count = text->pair_count;
    m->parameter_count = text->parameter_count;
    if (text->part_count < 1) return STI_FAIL(env, STI_ERR_INPUT, -1, "parts: at least one is expected");
    for (int i = 0; i < text->probe_count; i++)
        tips += (size_t)(text->probes[i].tip_count > 0 ? text->probes[i].tip_count : 0);
    if (tips > MOST_TIPS)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "probes: %zu tips: at most %d are expected", tips, (int)MOST_TIPS);
    m->tip_count = (int)tips;
    const size_t things = (size_t)sti_manipulation_things(m);
    m->memory = sti_arena_make(env);
    m->parts = sti_arena_take(&m->memory, (size_t)m->part_count, sizeof *m->parts);
    m->fixtures = sti_arena_take(&m->memory, (size_t)m->fixture_count, sizeof *m->fixtures);
    m->probes = sti_arena_take(&m->memory, (size_t)m->probe_count, sizeof *m->probes);
    m->tips = sti_arena_take(&m->memory, tips, sizeof *m->tips);
    m->pairs = sti_arena_take(&m->memory, (size_t)m->pair_count, sizeof *m->pairs);
    m->friction = sti_arena_take(&m->memory, sti_size_mul(things, things), sizeof *m->friction);
    m->parameter = sti_arena_take(&m->memory, (size_t)m->parameter_count, sizeof *m->parameter);
    m->parameter_at = sti_arena_take(&m->memory, (size_t)m->parameter_count, sizeof *m->parameter_at);
    if (m->memory.status != STI_OK) return m->memory.status;
    for (int i = 0; i < m->parameter_count; i++) {
        m->parameter[i] = sti_strdup(env, text->parameter_names[i]);
        m->parameter_at[i] = text->parameters[i];
        if (m->parameter[i] == NULL) return STI_ERR_MEMORY;
    }
    return STI_OK;
}

static sti_status add_all(sti_manipulation* m, const sti_manipulation_text* text) {
    int tip = 0;
    sti_status status = sti_numbers_open(&m->numbers, m->env, text, NULL, 0);
    for (int i = 0; status == STI_OK && i < m->part_count; i++) status = add_part(m, text, i);
    for (int i = 0; status == STI_OK && i < m->fixture_count; i++) status = add_fixture(m, text, i);
    for (int i = 0; status == STI_OK && i < m->probe_count; i++) status = add_probe(m, text, i, &tip);
    if (status == STI_OK) status = check_names(m);
    for (int i = 0; status == STI_OK && i < m->pair_count; i++) status = add_pair(m, &text->pairs[i], i);
    if (status == STI_OK) status = add(m, text->mu, "0", &m->mu_number, "mu");
    if (status == STI_OK) status = add(m, text->step, "0.01", &m->step_number, "h");
    if (status == STI_OK) status = add(m, text->steps, "100", &m->steps_number, "steps");
    return status == STI_OK ? sti_numbers_seal(&m->numbers) : status;
}

sti_status sti_manipulation_create(sti_env* env, const sti_manipulation_text* text, sti_manipulation** out) {
    *out = NULL;
    sti_manipulation* m = sti_alloc_array_zero(env, 1, sizeof *m);
    if (m == NULL) return STI_ERR_MEMORY;
    m->env = env;
    sti_status status = reserve(m, text);
    if (status == STI_OK) status = add_all(m, text);
    if (status == STI_OK) status = sti_manipulation_evaluate(m);
    if (status == STI_OK)
        *out = m;
    else
        sti_manipulation_destroy(m);
    return status;
}

static void clear_shape(sti_env* env, sti_shape_room* s) {
    sti_free(env, s->v);
    sti_free(env, s->number);
}

void sti_manipulation_destroy(sti_manipulation* m) {
    if (m == NULL) return;
    sti_env* env = m->env;
    for (int i = 0; m->parts != NULL && i < m->part_count; i++) {
        sti_free(env, m->parts[i].name);
        clear_shape(env, &m->parts[i].shape);
        sti_free(env, m->parts[i].support.number);
        sti_free(env, m->parts[i].support.point);
        sti_numbers_close(&m->parts[i].support.pressure);
    }
    for (int i = 0; m->fixtures != NULL && i < m->fixture_count; i++) {
        sti_free(env, m->fixtures[i].name);
        clear_shape(env, &m->fixtures[i].shape);
    }
    for (int i = 0; m->probes != NULL && i < m->probe_count; i++) sti_free(env, m->probes[i].name);
    for (int i = 0; m->parameter != NULL && i < m->parameter_count; i++) sti_free(env, m->parameter[i]);
    sti_numbers_close(&m->numbers);
    sti_arena_clear(&m->memory);
    sti_free(env, m);
}

static int find_parameter(const sti_manipulation* m, const char* name) {
    for (int k = 0; k < m->parameter_count; k++) {
        if (strcmp(m->parameter[k], name) == 0) return k;
    }
    return -1;
}

sti_status sti_manipulation_set(sti_manipulation* m, int count, const char* const* parameters, const double* values) {
    double* old = sti_alloc_array_zero(m->env, (size_t)m->parameter_count, sizeof *old);
    if (old == NULL) return STI_ERR_MEMORY;
    memcpy(old, m->parameter_at, (size_t)m->parameter_count * sizeof *old);
    sti_status status = STI_OK;
    for (int i = 0; status == STI_OK && i < count; i++) {
        const int k = find_parameter(m, parameters[i]);
        if (k < 0)
            status = STI_FAIL(m->env, STI_ERR_INPUT, -1, "%.60s: no such parameter", parameters[i]);
        else if (!isfinite(values[i]))
            status = STI_FAIL(m->env, STI_ERR_INPUT, -1, "%.60s: not finite", parameters[i]);
        else
            m->parameter_at[k] = values[i];
    }
    if (status == STI_OK) status = sti_manipulation_evaluate(m);
    if (status != STI_OK) {
        const sti_error why = m->env->error;
        memcpy(m->parameter_at, old, (size_t)m->parameter_count * sizeof *old);
        sti_manipulation_evaluate(m);  // it held before
        m->env->error = why;
    }
    sti_free(m->env, old);
    return status;
}

// ---- what it consists of

int sti_manipulation_parameter_count(const sti_manipulation* m) {
    return m->parameter_count;
}
const char* sti_manipulation_parameter(const sti_manipulation* m, int k) {
    return m->parameter[k];
}
double sti_manipulation_parameter_value(const sti_manipulation* m, int k) {
    return m->parameter_at[k];
}
int sti_manipulation_part_count(const sti_manipulation* m) {
    return m->part_count;
}
const char* sti_manipulation_part(const sti_manipulation* m, int i) {
    return m->parts[i].name;
}
sti_outline sti_manipulation_part_outline(const sti_manipulation* m, int i) {
    const sti_shape_room* s = &m->parts[i].shape;
    return (sti_outline){s->vertex_count, s->v, s->radius};
}
int sti_manipulation_fixture_count(const sti_manipulation* m) {
    return m->fixture_count;
}
const char* sti_manipulation_fixture(const sti_manipulation* m, int i) {
    return m->fixtures[i].name;
}
sti_outline sti_manipulation_fixture_outline(const sti_manipulation* m, int i) {
    const sti_shape_room* s = &m->fixtures[i].shape;
    return (sti_outline){s->vertex_count, s->v, s->radius};
}
void sti_manipulation_fixture_pose(const sti_manipulation* m, int i, double pose[3]) {
    memcpy(pose, m->fixtures[i].pose, sizeof m->fixtures[i].pose);
}
int sti_manipulation_probe_count(const sti_manipulation* m) {
    return m->probe_count;
}
const char* sti_manipulation_probe(const sti_manipulation* m, int i) {
    return m->probes[i].name;
}
int sti_manipulation_tip_count(const sti_manipulation* m) {
    return m->tip_count;
}
int sti_manipulation_tip_probe(const sti_manipulation* m, int tip) {
    return m->tips[tip].probe;
}
double sti_manipulation_tip_radius(const sti_manipulation* m, int tip) {
    return m->probes[m->tips[tip].probe].radius;
}
void sti_manipulation_start(const sti_manipulation* m, double* q) {
    for (int i = 0; i < m->part_count; i++) memcpy(q + 3 * (size_t)i, m->parts[i].pose, sizeof m->parts[i].pose);
}
double sti_manipulation_friction(const sti_manipulation* m, int part, int thing) {
    return m->friction[(size_t)part * (size_t)sti_manipulation_things(m) + (size_t)thing];
}
double sti_manipulation_step(const sti_manipulation* m) {
    return m->step;
}
long sti_manipulation_steps(const sti_manipulation* m) {
    return m->steps;
}
