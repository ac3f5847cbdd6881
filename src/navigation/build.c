// build.c: vehicles, walls and obstacles from their texts.
//
// Every vehicle is a system by formulas of its own, with i, n, gx and gy among its names; what is a constant of it
// (cage, goal) is read as a gap. Numbers of walls and obstacles are gaps of one more such system.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "navigation/navigation.h"

enum { MOST_VEHICLES = 1000000, FIELD = 80 };

// ---- constants

// What is wrong names a gap of a system made here; the field in the file is another.
static sti_status rename_field(sti_env* env, sti_status status, const char* field) {
    if (status != STI_ERR_INPUT) return status;
    char message[sizeof env->error.text];
    const char* colon = strstr(env->error.text, ": ");
    memcpy(message, env->error.text, sizeof message);
    return STI_FAIL(env, STI_ERR_INPUT, -1, "%s%s", field,
                    colon != NULL ? message + (colon - env->error.text) : message);
}

static sti_status constant(sti_env* env, const sti_navigation_text* text, const char* formula, const char* missing,
                           const char* field, double* out) {
    const sti_system_contact_text gap = {.gap = formula != NULL ? formula : missing};
    const sti_system_text one = {.parameter_count = text->parameter_count,
                                 .parameter_names = text->parameter_names,
                                 .parameters = text->parameters,
                                 .definition_count = text->definition_count,
                                 .definitions = text->definitions,
                                 .coordinate_count = 1,
                                 .coordinates = (const char* const[]){"_"},
                                 .kinetic = "0",
                                 .contact_count = 1,
                                 .contacts = &gap};
    sti_system* system = NULL;
    const double zero[1] = {0};
    sti_status status = sti_system_create(env, &one, &system);
    if (status == STI_OK) status = sti_system_gap(system, 0, zero, out);
    sti_system_destroy(system);
    status = rename_field(env, status, field);
    if (status == STI_OK && !isfinite(*out)) return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: not finite", field);
    return status;
}

static sti_status copy_name(sti_env* env, const char* name, const char* word, int number, bool numbered, char** out) {
    char text[100];
    if (name != NULL && !numbered)
        snprintf(text, sizeof text, "%.80s", name);
    else
        snprintf(text, sizeof text, "%.80s %d", name != NULL ? name : word, number);
    *out = sti_strdup(env, text);
    return *out != NULL ? STI_OK : STI_ERR_MEMORY;
}

// ---- vehicles

static sti_status make_system(const sti_navigation* nav, const sti_navigation_text* text, const sti_vehicle_text* from,
                              int i, sti_system** out) {
    const int count = text->parameter_count;
    sti_arena memory = sti_arena_make(nav->env);
    const char** names = sti_arena_take(&memory, (size_t)count + 2, sizeof *names);
    double* values = sti_arena_take(&memory, (size_t)count + 2, sizeof *values);
    sti_system_named* named = sti_arena_take(&memory, (size_t)text->definition_count + 3, sizeof *named);
    if (memory.status != STI_OK) {
        sti_arena_clear(&memory);
        return STI_ERR_MEMORY;
    }
    for (int k = 0; k < count; k++) {
        names[k] = text->parameter_names[k];
        values[k] = text->parameters[k];
    }
    names[count] = "i";
    values[count] = i;
    names[count + 1] = "n";
    values[count + 1] = from->count > 0 ? from->count : 1;
    for (int k = 0; k < text->definition_count; k++) named[k] = text->definitions[k];
    const char* const zero = "0";
    named[text->definition_count] = (sti_system_named){"gx", from->goal[0] != NULL ? from->goal[0] : zero};
    named[text->definition_count + 1] = (sti_system_named){"gy", from->goal[1] != NULL ? from->goal[1] : zero};
    named[text->definition_count + 2] = (sti_system_named){"mass_of_it", from->mass != NULL ? from->mass : "1"};
    const sti_system_contact_text gaps[] = {{.name = "cage", .gap = from->cage != NULL ? from->cage : zero},
                                            {.name = "gx", .gap = "gx"},
                                            {.name = "gy", .gap = "gy"}};
    const sti_system_text one = {.parameter_count = count + 2,
                                 .parameter_names = names,
                                 .parameters = values,
                                 .definition_count = text->definition_count + 3,
                                 .definitions = named,
                                 .coordinate_count = 2,
                                 .coordinates = (const char* const[]){"x", "y"},
                                 .kinetic = "mass_of_it/2*(x'^2 + y'^2)",
                                 .forces = from->force,
                                 .contact_count = 3,
                                 .contacts = gaps,
                                 .q = from->q,
                                 .v = from->v};
    const sti_status status = sti_system_create(nav->env, &one, out);
    sti_arena_clear(&memory);
    return status;
}

// What is kept free is the hull of the polygon (cages.c).
static sti_status add_corners(sti_navigation* nav, const sti_navigation_text* text, int from_at, sti_vehicle* it) {
    const sti_vehicle_text* from = &text->vehicles[from_at];
    const int n = from->corner_count;
    char field[FIELD];
    sti_status status = STI_OK;
    if (n < 3)
        return STI_FAIL(nav->env, STI_ERR_INPUT, from_at, "vehicles[%d].cage: at least 3 vertices are expected",
                        from_at);
    sti_shape_room room = {.vertex_count = n, .v = sti_alloc_array_zero(nav->env, 2 * (size_t)n, sizeof(double))};
    if (room.v == NULL) return STI_ERR_MEMORY;
    it->corners = room.v;
    it->corner_count = n;
    for (int k = 0; status == STI_OK && k < 2 * n; k++) {
        snprintf(field, sizeof field, "vehicles[%d].cage[%d][%d]", from_at, k / 2, k % 2);
        status = constant(nav->env, text, from->corners[k], NULL, field, &room.v[k]);
    }
    if (status != STI_OK) return status;
    const char* wrong = sti_outline_settle(&room);
    it->cage = room.reach;
    if (wrong != NULL) return STI_FAIL(nav->env, STI_ERR_INPUT, from_at, "vehicles[%d].cage: %s", from_at, wrong);
    return STI_OK;
}

static sti_status add_vehicle(sti_navigation* nav, const sti_navigation_text* text, int from_at, int i, int* at) {
    const sti_vehicle_text* from = &text->vehicles[from_at];
    sti_vehicle* it = &nav->vehicles[*at];
    char field[FIELD];
    double gap[3], M[4], t;
    int rank;
    snprintf(field, sizeof field, "vehicles[%d]", from_at);
    if (from->cage == NULL && from->corner_count == 0)
        return STI_FAIL(nav->env, STI_ERR_INPUT, from_at, "%s.cage: a radius or a polygon is expected", field);
    sti_status status = copy_name(nav->env, from->name, "vehicle",
                                  from->count > 0 && from->name != NULL ? i + 1 : *at + 1, from->count > 0, &it->name);
    if (status == STI_OK) status = make_system(nav, text, from, i, &it->system);
    double *q = nav->q + 2 * (size_t)*at, *v = nav->v + 2 * (size_t)*at;
    if (status == STI_OK) status = sti_system_state(it->system, &t, q, v);
    if (status == STI_OK) status = sti_system_gap(it->system, 0, q, gap);
    if (status == STI_OK) status = sti_system_mass(it->system, 0, q, M, &rank);
    if (status == STI_ERR_INPUT) {
        char message[sizeof nav->env->error.text];
        memcpy(message, nav->env->error.text, sizeof message);
        return STI_FAIL(nav->env, STI_ERR_INPUT, from_at, "%s: %s", field, message);
    }
    if (status != STI_OK) return status;
    it->cage = gap[0];
    if (from->corner_count > 0) status = add_corners(nav, text, from_at, it);
    if (status != STI_OK) return status;
    if (!(it->cage > 0) || !isfinite(it->cage))
        return STI_FAIL(nav->env, STI_ERR_INPUT, from_at, "%s.cage: %g: above 0 is expected", field, it->cage);
    if (!(M[0] > 0) || !isfinite(M[0]))
        return STI_FAIL(nav->env, STI_ERR_INPUT, from_at, "%s.mass: %g: above 0 is expected", field, M[0]);
    it->mass = M[0];
    it->has_goal = from->goal[0] != NULL;
    memcpy(it->goal, gap + 1, sizeof it->goal);
    (*at)++;
    return STI_OK;
}

// ---- walls and obstacles

static sti_status add_wall(sti_navigation* nav, const sti_navigation_text* text, int i) {
    const sti_wall_text* from = &text->walls[i];
    sti_nav_wall* w = &nav->walls[i];
    char field[FIELD];
    sti_status status = copy_name(nav->env, from->name, "wall", i + 1, false, &w->name);
    for (int k = 0; status == STI_OK && k < 2; k++) {
        snprintf(field, sizeof field, "walls[%d].point[%d]", i, k);
        status = constant(nav->env, text, from->point[k], "0", field, &w->point[k]);
        snprintf(field, sizeof field, "walls[%d].normal[%d]", i, k);
        if (status == STI_OK) status = constant(nav->env, text, from->normal[k], "0", field, &w->normal[k]);
    }
    if (status != STI_OK) return status;
    const double length = hypot(w->normal[0], w->normal[1]);
    if (!(length > 0))
        return STI_FAIL(nav->env, STI_ERR_INPUT, i, "walls[%d].normal: a vector other than 0 is expected", i);
    for (int k = 0; k < 2; k++) w->normal[k] /= length;
    return STI_OK;
}

static sti_status add_obstacle(sti_navigation* nav, const sti_navigation_text* text, int i) {
    const sti_obstacle_text* from = &text->obstacles[i];
    sti_obstacle* o = &nav->obstacles[i];
    const int n = from->outline.vertex_count;
    char field[FIELD];
    sti_status status = copy_name(nav->env, from->name, "obstacle", i + 1, false, &o->name);
    if (status == STI_OK) o->shape.v = sti_alloc_array_zero(nav->env, 2 * (size_t)n, sizeof *o->shape.v);
    if (status == STI_OK && o->shape.v == NULL) status = STI_ERR_MEMORY;
    o->shape.vertex_count = n;
    for (int k = 0; status == STI_OK && k < 2 * n; k++) {
        snprintf(field, sizeof field, "obstacles[%d].polygon[%d][%d]", i, k / 2, k % 2);
        status = constant(nav->env, text, from->outline.vertices[k], NULL, field, &o->shape.v[k]);
    }
    snprintf(field, sizeof field, "obstacles[%d].disc", i);
    if (status == STI_OK && n == 0)
        status = constant(nav->env, text, from->outline.radius, NULL, field, &o->shape.radius);
    for (int k = 0; status == STI_OK && k < 3; k++) {
        snprintf(field, sizeof field, "obstacles[%d].pose[%d]", i, k);
        status = constant(nav->env, text, from->pose[k], "0", field, &o->pose[k]);
    }
    if (status != STI_OK) return status;
    const char* wrong = n == 1 || n == 2 ? "at least 3 vertices are expected" : sti_outline_settle(&o->shape);
    if (wrong == NULL) return STI_OK;
    return STI_FAIL(nav->env, STI_ERR_INPUT, i, "obstacles[%d].%s: %s", i, n > 0 ? "polygon" : "disc", wrong);
}

// ---- the whole

static sti_status reserve(sti_navigation* nav, const sti_navigation_text* text) {
    sti_env* env = nav->env;
    size_t count = 0, most = 1;
    for (int i = 0; i < text->vehicle_count; i++)
        count += text->vehicles[i].count > 0 ? (size_t)text->vehicles[i].count : 1;
    if (count < 1 || count > MOST_VEHICLES)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "vehicles: %zu: 1 to %d are expected", count, (int)MOST_VEHICLES);
    for (int i = 0; i < text->obstacle_count; i++)
        most = (size_t)text->obstacles[i].outline.vertex_count > most ? (size_t)text->obstacles[i].outline.vertex_count
                                                                      : most;
    nav->count = (int)count;
    nav->wall_count = text->wall_count;
    nav->obstacle_count = text->obstacle_count;
    nav->memory = sti_arena_make(env);
    nav->vehicles = sti_arena_take(&nav->memory, count, sizeof *nav->vehicles);
    nav->walls = sti_arena_take(&nav->memory, (size_t)text->wall_count, sizeof *nav->walls);
    nav->obstacles = sti_arena_take(&nav->memory, (size_t)text->obstacle_count, sizeof *nav->obstacles);
    nav->q = sti_arena_take(&nav->memory, sti_size_mul(19, count), sizeof *nav->q);
    nav->local = sti_arena_take(&nav->memory, count, sizeof *nav->local);
    nav->island = sti_arena_take(&nav->memory, count, sizeof *nav->island);
    nav->boxes = sti_arena_take(&nav->memory, count, sizeof *nav->boxes);
    nav->feet = sti_arena_take(&nav->memory, 2 * most, sizeof *nav->feet);
    if (nav->memory.status != STI_OK) return nav->memory.status;
    nav->v = nav->q + 2 * count;
    nav->k = nav->v + 2 * count;
    nav->A = nav->k + 2 * count;
    nav->free_v = nav->A + 4 * count;
    nav->v_new = nav->free_v + 2 * count;
    nav->reach = nav->v_new + 2 * count;
    nav->B = nav->reach + count;
    for (size_t i = 0; i < count; i++) nav->local[i] = -1;
    return sti_broadphase_create(env, &nav->broad);
}

static sti_status check_start(sti_navigation* nav) {
    for (int i = 0; i < nav->count; i++) nav->reach[i] = 0;
    const sti_status status = sti_navigation_find(nav);
    if (status != STI_OK) return status;
    for (int i = 0; i < nav->contact_count; i++) {
        const sti_cage_contact* c = &nav->contacts[i];
        char other[100];
        if (c->gap >= -1e-9 * nav->vehicles[c->vehicle].cage) continue;
        sti_navigation_other_text(nav, c->other, other, sizeof other);
        return STI_FAIL(nav->env, STI_ERR_INPUT, i, "\"%.60s\" starts inside of \"%.60s\", by %.4g",
                        nav->vehicles[c->vehicle].name, other, -c->gap);
    }
    return STI_OK;
}

static sti_status build(sti_navigation* nav, const sti_navigation_text* text) {
    int at = 0;
    sti_status status = constant(nav->env, text, text->step, "0.02", "h", &nav->h);
    if (status == STI_OK) status = constant(nav->env, text, text->time, "10", "time", &nav->end);
    if (status == STI_OK && !(nav->h > 0))
        return STI_FAIL(nav->env, STI_ERR_INPUT, -1, "h: %g: above 0 is expected", nav->h);
    if (status == STI_OK && !(nav->end > 0))
        return STI_FAIL(nav->env, STI_ERR_INPUT, -1, "time: %g: above 0 is expected", nav->end);
    for (int i = 0; status == STI_OK && i < text->vehicle_count; i++) {
        const int count = text->vehicles[i].count > 0 ? text->vehicles[i].count : 1;
        for (int k = 0; status == STI_OK && k < count; k++) status = add_vehicle(nav, text, i, k, &at);
    }
    for (int i = 0; status == STI_OK && i < text->wall_count; i++) status = add_wall(nav, text, i);
    for (int i = 0; status == STI_OK && i < text->obstacle_count; i++) status = add_obstacle(nav, text, i);
    if (status == STI_OK) status = sti_cages_create(nav);
    return status == STI_OK ? check_start(nav) : status;
}

sti_status sti_navigation_create(sti_env* env, const sti_navigation_text* text, sti_navigation** out) {
    *out = NULL;
    sti_navigation* nav = sti_alloc_array_zero(env, 1, sizeof *nav);
    if (nav == NULL) return STI_ERR_MEMORY;
    nav->env = env;
    sti_status status = reserve(nav, text);
    if (status == STI_OK) status = build(nav, text);
    if (status == STI_OK)
        *out = nav;
    else
        sti_navigation_destroy(nav);
    return status;
}

void sti_navigation_destroy(sti_navigation* nav) {
    if (nav == NULL) return;
    sti_env* env = nav->env;
    sti_cages_destroy(nav);
    sti_crowd_clear(nav);
    for (int i = 0; nav->vehicles != NULL && i < nav->count; i++) {
        sti_free(env, nav->vehicles[i].name);
        sti_system_destroy(nav->vehicles[i].system);
    }
    for (int i = 0; nav->walls != NULL && i < nav->wall_count; i++) sti_free(env, nav->walls[i].name);
    for (int i = 0; nav->obstacles != NULL && i < nav->obstacle_count; i++) {
        sti_free(env, nav->obstacles[i].name);
        sti_free(env, nav->obstacles[i].shape.v);
    }
    sti_broadphase_destroy(nav->broad);
    sti_arena_clear(&nav->memory);
    sti_free(env, nav->order);
    sti_free(env, nav->pressing);
    sti_free(env, nav->contacts);
    sti_free(env, nav);
}

int sti_navigation_count(const sti_navigation* nav) {
    return nav->count;
}
const char* sti_navigation_vehicle(const sti_navigation* nav, int i) {
    return nav->vehicles[i].name;
}
double sti_navigation_cage(const sti_navigation* nav, int i) {
    return nav->vehicles[i].cage;
}
sti_outline sti_navigation_cage_outline(const sti_navigation* nav, int i) {
    const sti_vehicle* it = &nav->vehicles[i];
    return (sti_outline){it->corner_count, it->corners, it->cage};
}
bool sti_navigation_goal(const sti_navigation* nav, int i, double goal[2]) {
    memcpy(goal, nav->vehicles[i].goal, sizeof nav->vehicles[i].goal);
    return nav->vehicles[i].has_goal;
}
double sti_navigation_step_length(const sti_navigation* nav) {
    return nav->h;
}
double sti_navigation_end(const sti_navigation* nav) {
    return nav->end;
}
int sti_navigation_wall_count(const sti_navigation* nav) {
    return nav->wall_count;
}
void sti_navigation_wall(const sti_navigation* nav, int i, double point[2], double normal[2]) {
    memcpy(point, nav->walls[i].point, sizeof nav->walls[i].point);
    memcpy(normal, nav->walls[i].normal, sizeof nav->walls[i].normal);
}
int sti_navigation_obstacle_count(const sti_navigation* nav) {
    return nav->obstacle_count;
}
sti_outline sti_navigation_obstacle(const sti_navigation* nav, int i, double pose[3]) {
    const sti_obstacle* o = &nav->obstacles[i];
    memcpy(pose, o->pose, sizeof o->pose);
    return (sti_outline){o->shape.vertex_count, o->shape.v, o->shape.radius};
}
double sti_navigation_time(const sti_navigation* nav) {
    return (double)nav->step * nav->h;
}

void sti_navigation_set(sti_navigation* nav, long step, const double* q, const double* v) {
    nav->step = step;
    nav->pressing_count = 0;
    for (int i = 0; i < 2 * nav->count; i++) {
        nav->q[i] = q[i];
        nav->v[i] = v[i];
    }
}

sti_status sti_navigation_press(sti_navigation* nav, int count, const sti_cage_contact* pressing) {
    sti_cage_contact* list = sti_alloc_array(nav->env, (size_t)count + 1, sizeof *list);
    if (list == NULL) return STI_ERR_MEMORY;
    if (count > 0) memcpy(list, pressing, (size_t)count * sizeof *list);
    sti_free(nav->env, nav->pressing);
    nav->pressing = list;
    nav->pressing_count = nav->pressing_room = count;
    return STI_OK;
}

const double* sti_navigation_q(const sti_navigation* nav) {
    return nav->q;
}
const double* sti_navigation_v(const sti_navigation* nav) {
    return nav->v;
}

sti_status sti_navigation_force(const sti_navigation* nav, int vehicle, double t, const double q[2], const double v[2],
                                double k[2], double k_v[4], double* mass) {
    *mass = nav->vehicles[vehicle].mass;
    return sti_system_force(nav->vehicles[vehicle].system, t, q, v, k, NULL, k_v);
}

void sti_navigation_other_text(const sti_navigation* nav, int other, char* text, size_t size) {
    const char* name = other >= 0                     ? nav->vehicles[other].name
                       : -1 - other < nav->wall_count ? nav->walls[-1 - other].name
                                                      : nav->obstacles[-1 - other - nav->wall_count].name;
    snprintf(text, size, "%s", name);
}
