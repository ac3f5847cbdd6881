// inspect_bodies.c: stiction inspect with a scene of bodies: what there is, and what touches at the start.
#include "inspect_bodies.h"

#include <math.h>

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

static void say(const cli* c, const facts* f) {
    enum { MOST = 40 };
    const sti_bodies* b = f->scene->bodies;
    const int bodies = sti_bodies_count(b), joints = sti_bodies_joint_count(b);
    cli_say(c, "%s: %d bodies in %s, %d move, mass %.6g; %d shapes, %d joints\n", f->path, bodies,
            sti_bodies_dim(b) == 2 ? "the plane" : "space", f->moving, f->mass, sti_bodies_shape_count(b), joints);
    if (f->scene->description[0] != '\0') cli_say(c, "  %s\n", f->scene->description);
    cli_say(c, "  %d velocities, %d rows of joints; %d contacts touch at the start\n", f->freedoms, f->joint_rows,
            f->contacts);
    for (int k = 0; k < bodies && k < MOST; k++) {
        const sti_body* body = sti_bodies_body(b, k);
        char x[120];
        cli_text_numbers(x, sizeof x, body->pose.x, sti_bodies_dim(b), 3);
        if (body->fixed)
            cli_say(c, "    %-16s fixed, at %s\n", body->name, x);
        else
            cli_say(c, "    %-16s mass %.6g, at %s\n", body->name, body->mass, x);
    }
    if (bodies > MOST) cli_say(c, "    .. and %d more\n", bodies - MOST);
    for (int k = 0; k < joints && k < MOST; k++) {
        const sti_joint* j = sti_bodies_joint(b, k);
        if (j->kind == STI_JOINT_GEAR)
            cli_say(c, "    %-16s gear, %s and %s\n", j->name, sti_bodies_joint(b, j->of[0])->name,
                    sti_bodies_joint(b, j->of[1])->name);
        else
            cli_say(c, "    %-16s %s, %s and %s\n", j->name, sti_joint_kind_text(j->kind), name_of(b, j->a),
                    name_of(b, j->b));
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
    if (f->freedoms > CLI_INSTANT_VELOCITIES) {
        snprintf(f->instant.why, sizeof f->instant.why, "ranks are told of up to %d velocities",
                 CLI_INSTANT_VELOCITIES);
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
int cli_bodies_inspect(const cli* c, const char* path, const sti_world_scene* scene) {
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
