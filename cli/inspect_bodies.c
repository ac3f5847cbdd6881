// inspect_bodies.c: stiction inspect with a scene of bodies: what there is, and what touches at the start.
#include "inspect_bodies.h"

#include <math.h>
#include <string.h>

#include "documents.h"
#include "inspect_instant.h"
#include "run_world.h"
#include "tables.h"

typedef struct facts {
    const char* path;
    const sti_world_scene* scene;
    int moving, freedoms, joint_rows;
    double mass;
    const sti_world_contact* list;  // contacts that the first step looks at    (count)
    int count, contacts;            // and how many of them are closed
    cli_instant_facts instant;      // at the start
} facts;

static bool touches(const sti_world_contact* contact) {
    return contact->gap <= 1e-8;
}

static void count(facts* f) {
    const sti_bodies* b = f->scene->bodies;
    const int dim = sti_bodies_dim(b);
    for (int k = 0; k < sti_bodies_count(b); k++) {
        if (sti_bodies_body(b, k)->fixed) continue;
        f->moving++;
        f->mass += sti_bodies_body(b, k)->mass;
    }
    f->freedoms = f->moving * (dim == 2 ? 3 : 6);
    for (int k = 0; k < sti_bodies_joint_count(b); k++)
        f->joint_rows += sti_joint_row_count(dim, sti_bodies_joint(b, k)->kind);
    for (int i = 0; i < f->count; i++) f->contacts += touches(&f->list[i]);
}

static const char* name_of(const sti_bodies* b, int body) {
    return body >= 0 ? sti_bodies_body(b, body)->name : "world";
}

// ---- text

// "2 shapes (box, convex)", kinds in the order of their numbers
static void describe_shapes(const sti_bodies* b, int body, char* text, size_t size) {
    int count = 0;
    unsigned kinds = 0;
    for (int k = 0; k < sti_bodies_shape_count(b); k++) {
        int owner;
        const sti_shape* shape = sti_bodies_shape(b, k, &owner, NULL, NULL);
        if (owner != body) continue;
        count++;
        kinds |= 1u << sti_shape_kind_of(shape);
    }
    if (count == 0) {
        snprintf(text, size, "no shape");
        return;
    }
    size_t at = (size_t)snprintf(text, size, "%d %s", count, count == 1 ? "shape" : "shapes");
    const char* lead = " (";
    for (int kind = 0; kind < STI_SHAPE_KIND_COUNT && at < size; kind++) {
        if ((kinds >> kind & 1) == 0) continue;
        at += (size_t)snprintf(text + at, size - at, "%s%s", lead, sti_shape_kind_text((sti_shape_kind)kind));
        lead = ", ";
    }
    if (at < size) snprintf(text + at, size - at, ")");
}

static void say_limits(const cli* c, const sti_bodies* b, const sti_joint* j) {
    const bool moves = sti_joint_axis_count(sti_bodies_dim(b), j->kind) == 1;
    if (moves && isfinite(j->axis[0].lower) && isfinite(j->axis[0].upper))
        cli_say(c, ", %.4g to %.4g", j->axis[0].lower, j->axis[0].upper);
    cli_say(c, "\n");
}

static int widest(const sti_bodies* b, int most) {
    int width = 16;
    for (int k = 0; k < sti_bodies_count(b) && k < most; k++) {
        const int length = (int)strlen(sti_bodies_body(b, k)->name);
        if (length > width && length <= 40) width = length;
    }
    return width;
}

static void say(const cli* c, const facts* f) {
    const int MOST = f->scene->robot_count > 0 ? 200 : 40;
    const sti_bodies* b = f->scene->bodies;
    const int bodies = sti_bodies_count(b), joints = sti_bodies_joint_count(b);
    cli_say(c, "%s: %d bodies in %s, %d move, mass %.6g; %d shapes, %d joints\n", f->path, bodies,
            sti_bodies_dim(b) == 2 ? "the plane" : "space", f->moving, f->mass, sti_bodies_shape_count(b), joints);
    if (f->scene->description[0] != '\0') cli_say(c, "  %s\n", f->scene->description);
    cli_say(c, "  %d velocities, %d rows of joints; %d contacts touch at the start\n", f->freedoms, f->joint_rows,
            f->contacts);
    if (f->scene->robot_count > 0)  // joints of a tree do not depend on each other
        cli_say(c, "  %d degrees of freedom\n", f->freedoms - f->joint_rows);
    for (int k = 0; k < f->scene->robot_count; k++) {
        const sti_urdf_report* robot = &f->scene->robots[k];
        cli_say(c, "  robot \"%s\": %d links, mass %.6g\n", robot->robot, robot->link_count, robot->mass);
    }
    const int width = widest(b, MOST);
    for (int k = 0; k < bodies && k < MOST; k++) {
        const sti_body* body = sti_bodies_body(b, k);
        char x[120], shapes[120];
        cli_text_numbers(x, sizeof x, body->pose.x, sti_bodies_dim(b), 3);
        describe_shapes(b, k, shapes, sizeof shapes);
        if (body->fixed)
            cli_say(c, "    %-*s fixed, %s, at %s\n", width, body->name, shapes, x);
        else if (sti_bodies_dim(b) == 2)
            cli_say(c, "    %-*s mass %.6g, moment %.3g, %s, at %s\n", width, body->name, body->mass, body->inertia[8],
                    shapes, x);
        else
            cli_say(c, "    %-*s mass %.6g, moments %.3g %.3g %.3g, %s, at %s\n", width, body->name, body->mass,
                    body->inertia[0], body->inertia[4], body->inertia[8], shapes, x);
    }
    if (bodies > MOST) cli_say(c, "    .. and %d more\n", bodies - MOST);
    for (int k = 0; k < joints && k < MOST; k++) {
        const sti_joint* j = sti_bodies_joint(b, k);
        if (j->kind == STI_JOINT_GEAR)
            cli_say(c, "    %-*s gear, %s and %s, ratio %.4g\n", width, j->name, sti_bodies_joint(b, j->of[0])->name,
                    sti_bodies_joint(b, j->of[1])->name, -j->ratio);
        else
            cli_say(c, "    %-*s %s, %s and %s", width, j->name, sti_joint_kind_text(j->kind), name_of(b, j->a),
                    name_of(b, j->b));
        if (j->kind != STI_JOINT_GEAR) say_limits(c, b, j);
    }
    if (joints > MOST) cli_say(c, "    .. and %d more\n", joints - MOST);
    cli_instant_facts_say(c, &f->instant);
    cli_say(c, "  steps of %g to t = %g; stiction analyze looks at the start, stiction run moves it\n",
            f->scene->step.h, f->scene->time);
}

// ---- JSON

static void put_bodies(cli_json* j, const sti_bodies* b) {
    cli_json_array(j, "bodies");
    for (int k = 0; k < sti_bodies_count(b); k++) {
        const sti_body* body = sti_bodies_body(b, k);
        cli_json_object(j, NULL);
        cli_json_text(j, "name", body->name);
        cli_json_bool(j, "fixed", body->fixed);
        cli_json_number(j, "mass", body->fixed ? (double)INFINITY : body->mass);
        cli_json_numbers(j, "centre", body->centre, (size_t)sti_bodies_dim(b));
        const int side = sti_bodies_dim(b) == 2 ? 1 : 3;
        cli_json_matrix(j, "inertia", side == 1 ? body->inertia + 8 : body->inertia, side, side);
        cli_json_numbers(j, "position", body->pose.x, (size_t)sti_bodies_dim(b));
        cli_json_numbers(j, "rotation", body->pose.q, 4);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_joints(cli_json* j, const sti_bodies* b) {
    cli_json_array(j, "joints");
    for (int k = 0; k < sti_bodies_joint_count(b); k++) {
        const sti_joint* joint = sti_bodies_joint(b, k);
        cli_json_object(j, NULL);
        cli_json_text(j, "name", joint->name);
        cli_json_text(j, "type", sti_joint_kind_text(joint->kind));
        cli_json_text(j, "a", name_of(b, joint->a));
        cli_json_text(j, "b", name_of(b, joint->b));
        cli_json_integer(j, "rows", sti_joint_row_count(sti_bodies_dim(b), joint->kind));
        cli_json_end(j);
    }
    cli_json_end(j);
}

static int print_json(const cli* c, const facts* f) {
    const sti_bodies* b = f->scene->bodies;
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "scene");
    cli_json_text(&j, "of", "bodies");
    cli_json_text(&j, "description", f->scene->description);
    cli_json_integer(&j, "dimension", sti_bodies_dim(b));
    cli_json_integer(&j, "moving", f->moving);
    cli_json_number(&j, "mass", f->mass);
    cli_json_integer(&j, "velocity_count", f->freedoms);
    cli_json_integer(&j, "joint_rows", f->joint_rows);
    cli_json_integer(&j, "shape_count", sti_bodies_shape_count(b));
    put_bodies(&j, b);
    put_joints(&j, b);
    cli_json_array(&j, "contacts");
    for (int i = 0; i < f->count; i++) {
        if (!touches(&f->list[i])) continue;
        cli_json_object(&j, NULL);
        cli_json_text(&j, "a", name_of(b, f->list[i].a));
        cli_json_text(&j, "b", name_of(b, f->list[i].b));
        cli_json_number(&j, "mu", f->list[i].mu);
        cli_json_numbers(&j, "point", f->list[i].point, (size_t)sti_bodies_dim(b));
        cli_json_numbers(&j, "normal", f->list[i].n, (size_t)sti_bodies_dim(b));
        cli_json_end(&j);
    }
    cli_json_end(&j);
    cli_world_robots_json(&j, f->scene);
    cli_instant_facts_json(&j, &f->instant);
    return cli_json_print(&j, c, CLI_DONE);
}

// The instant at the start, where it is not too large to be told.
static int find_instant(const cli* c, facts* f) {
    sti_world* world = NULL;
    sti_instant* instant = NULL;
    const int most = f->scene->robot_count > 0 ? CLI_ROBOT_VELOCITIES : CLI_INSTANT_VELOCITIES;
    if (f->freedoms > most) {
        snprintf(f->instant.why, sizeof f->instant.why, "ranks are told of up to %d velocities", most);
        return CLI_DONE;
    }
    sti_status status = sti_world_create(c->env, f->scene->bodies, &f->scene->step, &world);
    if (status == STI_OK) status = sti_world_instant(c->env, world, CLI_INSTANT_TOUCH, &instant);
    int code = CLI_DONE;
    if (status == STI_ERR_MEMORY)
        code = cli_fail_about(c, f->path);
    else if (status != STI_OK)  // what the bodies do may have no instant
        snprintf(f->instant.why, sizeof f->instant.why, "no instant: %.180s", sti_env_error(c->env)->text);
    else
        code = cli_instant_facts_find(c, f->path, instant, &f->instant);
    sti_instant_destroy(c->env, instant);
    sti_world_destroy(world);
    return code;
}

// What touches at the start is what the first step begins with.
static int inspect_bodies(const cli* c, const char* path, const sti_world_scene* scene) {
    facts f = {.path = path, .scene = scene};
    sti_world* world = NULL;
    sti_status status = sti_world_create(c->env, scene->bodies, &scene->step, &world);
    if (status == STI_OK) status = sti_world_step(world, NULL);
    int code = CLI_DONE;
    if (status != STI_OK) {
        code = cli_fail_about(c, path);
    } else {
        f.list = sti_world_contacts(world, &f.count);
        count(&f);
        code = find_instant(c, &f);
    }
    if (code == CLI_DONE) {
        cli_world_robots_say(c, scene);
        if (c->json)
            code = print_json(c, &f);
        else
            say(c, &f);
    }
    cli_instant_facts_clear(c, &f.instant);
    sti_world_destroy(world);
    return code;
}

int cli_scene_inspect(const cli* c, const cli_inspect_request* q, const sti_document* document) {
    const sti_world_scene* bodies = sti_world_scene_of(document);
    return bodies != NULL ? inspect_bodies(c, q->path, bodies)
                          : cli_bed_inspect(c, q->path, sti_bed_scene_of(document));
}
