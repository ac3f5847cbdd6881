// state.c: worlds made, dropped, read and changed from outside. saved.c saves and loads them.
#include <math.h>
#include <string.h>

#include "bodies/motion.h"
#include "linalg/vec3.h"
#include "linalg/vector.h"

sti_world_options sti_world_options_default(void) {
    return (sti_world_options){.h = 0.01,
                               .alpha = 1,
                               .tol = 1e-8,
                               .solver = STI_CONTACT_AUTO,
                               .law = STI_IMPACT_NEWTON,
                               .exponent = 1.5,
                               .dissipate = true,
                               .index = 2,
                               .stabilize = true,
                               .stabilize_tol = 1e-10};
}

// ---- life

static sti_status check_options(sti_env* env, const sti_world_options* o) {
    if (!(o->h > 0 && isfinite(o->h))) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "h is %g, must be positive", o->h);
    if (!(o->alpha >= 0.5 && o->alpha <= 1))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "alpha is %g, must lie in [0.5, 1]", o->alpha);
    if (!(o->tol > 0)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol is %g, must be positive", o->tol);
    if (o->index != 2 && o->index != 3)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "index is %d, must be 2 or 3", o->index);
    if (!(o->stabilize_tol > 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "stabilize_tol is %g, must be positive", o->stabilize_tol);
    if (!(o->rest_speed >= 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "rest_speed is %g, must not be negative", o->rest_speed);
    if (o->solver < 0 || o->solver >= STI_CONTACT_SOLVER_COUNT)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "no such solver: %d", (int)o->solver);
    if (o->law != STI_IMPACT_NEWTON && o->law != STI_IMPACT_POISSON && o->law != STI_IMPACT_STRONGE &&
        o->law != STI_IMPACT_LZB)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "law: bodies strike by newton, poisson, stronge or lzb, not by %s",
                        sti_impact_law_text(o->law));
    if (!(o->exponent >= 1 && isfinite(o->exponent)))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "exponent is %g, must be 1 or more", o->exponent);
    return STI_OK;
}

// Laws that follow the contact through the impact know the disc alone.
static sti_status check_sections(sti_env* env, const sti_bodies* bodies, const sti_world_options* o) {
    if (o->law != STI_IMPACT_STRONGE && o->law != STI_IMPACT_LZB) return STI_OK;
    for (int i = 0; i < bodies->collider_count; i++) {
        const sti_material* m = &bodies->material[bodies->collider[i].material];
        if (m->section != NULL)
            return STI_FAIL(env, STI_ERR_INPUT, bodies->collider[i].material,
                            "material \"%.60s\": section: law %s takes friction in discs; newton and poisson take any",
                            m->name, sti_impact_law_text(o->law));
    }
    return STI_OK;
}

// A length of the scene: the largest moving shape, or the longest arm of a joint.
static double scene_size(const sti_world* world) {
    const sti_bodies* bodies = world->bodies;
    double size = 0;
    for (int i = 0; i < bodies->collider_count; i++) {
        const double reach = sti_shape_reach(bodies->collider[i].shape);
        if (world->slot[bodies->collider[i].body] >= 0 && isfinite(reach)) size = fmax(size, reach);
    }
    for (int j = 0; j < bodies->joint_count && !(size > 0); j++)
        size = fmax(size, fmax(norm3(bodies->joint[j].at_a.x), norm3(bodies->joint[j].at_b.x)));
    return size > 0 ? size : 1;
}

static sti_status reserve_solve(sti_world* world) {
    sti_arena* a = &world->arena;
    struct sti_world_solve* s = sti_arena_take(a, 1, sizeof *s);
    world->solve = s;
    if (s == NULL) return a->status;
    s->posed.arena = s->room.found = s->room.local = s->balancing = s->searching = sti_arena_make(world->env);
    const size_t moving = (size_t)world->moving, n = moving * (size_t)world->nv,
                 axes = 2 * (size_t)world->bodies->joint_count;
    s->axis_row = sti_arena_take(a, 2 * axes, sizeof *s->axis_row);
    s->coordinate = sti_arena_doubles(a, axes);
    s->axis_r = sti_arena_doubles(a, 4 * axes);
    s->bound = sti_arena_doubles(a, axes);
    s->bound_before = sti_arena_doubles(a, axes);
    s->reaction = sti_arena_doubles(a, 3 * axes);
    s->kept_turned = sti_arena_doubles(a, axes);
    s->kept = sti_arena_take(a, (size_t)world->bodies->count, sizeof *s->kept);
    s->unmended = sti_arena_take(a, (size_t)world->bodies->count, sizeof *s->unmended);
    s->by_body = sti_arena_doubles(a, 5 * (size_t)world->bodies->count);
    s->rest = sti_arena_take(a, moving, 1);
    s->skip = sti_arena_take(a, moving, 1);
    s->left_out = sti_arena_take(a, moving, 1);
    s->body = sti_arena_ints(a, moving);
    s->group = sti_arena_ints(a, moving);
    s->merged = sti_arena_ints(a, moving);
    s->part = sti_arena_doubles(a, moving);
    s->was_open = sti_arena_take(a, moving, 1);
    s->deeper = sti_arena_take(a, moving, 1);
    s->depth = sti_arena_doubles(a, 2 * moving);
    s->stiff = sti_arena_take(a, (size_t)(2 * world->dim - 3) * moving + (size_t)(world->dim - 1) * (axes / 2),
                              sizeof *s->stiff);
    s->work_of = sti_arena_doubles(a, 2 * moving);
    s->room.slot_after = sti_arena_ints(a, moving);
    s->room.of_island = sti_arena_ints(a, moving);
    s->tested = sti_arena_doubles(a, 2 * n + 2 * moving);
    s->energies = sti_arena_doubles(a, 2 * moving);
    s->turning = sti_arena_doubles(a, n + 3 * moving);
    s->struck = sti_arena_doubles(a, n + 3 * moving);
    s->room.parent = sti_arena_ints(a, moving);
    s->room.first = sti_arena_ints(a, moving);
    s->room.node_first = sti_arena_ints(a, moving);
    s->room.node_fill = sti_arena_ints(a, moving);
    int** seats[] = {&s->room.seats, &s->room.seated, &s->room.seat, &s->room.seat_next, &s->room.rows_on};
    for (size_t i = 0; i < sizeof seats / sizeof *seats; i++) *seats[i] = sti_arena_ints(a, moving);
    s->room.unit = sti_arena_take(a, moving, sizeof *s->room.unit);
    s->room.v = sti_arena_doubles(a, n);
    s->room.body_first = sti_arena_ints(a, moving);
    s->room.body_next = sti_arena_ints(a, moving);
    double** vectors[] = {&s->v_star,  &s->f,        &s->u,        &s->v_free, &s->v_end,  &s->g,         &s->v_before,
                          &s->v_after, &s->u_impact, &s->response, &s->mended, &s->kept_v, &s->unmended_v};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = sti_arena_doubles(a, n);
    if (a->status != STI_OK) return a->status;
    for (int i = 0; i < world->bodies->count; i++) {
        if (world->slot[i] >= 0) s->body[world->slot[i]] = i;
    }
    return sti_links_create(world);
}

static void drop_solve(sti_world* world) {
    struct sti_world_solve* s = world->solve;
    if (s == NULL) return;
    sti_links_destroy(world);
    sti_world_posed_clear(world);
    sti_contact_velocities_clear(&world->solve->velocities, world->env);
    sti_blocks_clear(&world->solve->pattern, world->env);
    sti_free(world->env, world->solve->attempt);
    sti_arena_clear(&s->room.found);
    sti_arena_clear(&s->room.local);
    sti_arena_clear(&s->balancing);
    sti_arena_clear(&s->searching);
    void* grown[] = {s->settled_r, s->warm_r,  s->acts.act, s->acts.r,     s->acts.u,
                     s->extra.act, s->extra.r, s->extra.u,  s->kept_state, s->kept_contact};
    for (size_t i = 0; i < sizeof grown / sizeof *grown; i++) sti_free(world->env, grown[i]);
    world->solve = NULL;
}

static sti_status reserve_world(sti_world* world) {
    sti_arena* a = &world->arena;
    const size_t count = (size_t)world->bodies->count, axes = 2 * (size_t)world->bodies->joint_count;
    world->slot = sti_arena_ints(a, count);
    if (a->status != STI_OK) return a->status;
    for (size_t i = 0; i < count; i++) world->slot[i] = world->bodies->body[i].fixed ? -1 : world->moving++;
    world->placed = sti_arena_take(a, count, sizeof *world->placed);
    world->given = sti_arena_take(a, count, sizeof *world->given);
    world->v = sti_arena_doubles(a, (size_t)(world->nv * world->moving));
    world->push = sti_arena_doubles(a, 6 * (size_t)world->moving);
    world->axis = sti_arena_take(a, axes, sizeof *world->axis);
    world->turned = sti_arena_doubles(a, axes);
    world->gear_value = sti_arena_doubles(a, axes / 2);
    return a->status;
}

static void set_velocity(sti_world* world, int body, const double* v, const double* w) {
    double* u = world->v + (size_t)(world->nv * world->slot[body]);
    if (v != NULL) memcpy(u, v, (size_t)world->dim * sizeof *u);
    if (w == NULL) return;
    if (world->dim == 2)
        u[2] = w[2];
    else
        mul3_transposed(world->placed[body].R, w, u + 3);
}

static void place_bodies(sti_world* world) {
    const sti_bodies* bodies = world->bodies;
    for (int i = 0; i < bodies->count; i++) {
        sti_placed_from_pose(&bodies->mass[i], &bodies->body[i].pose, &world->placed[i]);
        world->given[i] = 1;
        if (world->slot[i] >= 0) set_velocity(world, i, bodies->body[i].v, bodies->body[i].w);
    }
    for (int j = 0; j < bodies->joint_count; j++) {
        for (int k = 0; k < 2; k++) world->axis[2 * j + k] = bodies->joint[j].axis[k];
    }
}

// c_1 + ratio c_2 of every gear, by the places there are.
static void set_gears(sti_world* world) {
    sti_world_turned_update(world);
    for (int j = 0; j < world->bodies->joint_count; j++) {
        const sti_joint* joint = &world->bodies->joint[j];
        if (joint->kind != STI_JOINT_GEAR) continue;
        const double c1 = sti_joint_coordinate(world, joint->of[0], joint->of_axis[0], NULL),
                     c2 = sti_joint_coordinate(world, joint->of[1], joint->of_axis[1], NULL);
        world->gear_value[j] = c1 + joint->ratio * c2;
    }
}

int sti_world_lost(const sti_world* world, const double* v, double* way) {
    const double most = STI_FAR * world->size;
    for (int i = 0; i < world->bodies->count; i++) {
        if (world->slot[i] < 0) continue;
        const double* u = v + (size_t)(world->nv * world->slot[i]);
        *way = 0;
        for (int k = 0; k < world->dim; k++)
            *way = fmax(*way, fmax(fabs(world->placed[i].x[k]), world->options.h * fabs(u[k])));
        if (!(*way <= most)) return i;
    }
    return -1;
}

static sti_status check_lost(const sti_world* world) {
    double way;
    const int body = sti_world_lost(world, world->v, &way);
    if (body < 0) return STI_OK;
    return STI_FAIL(world->env, STI_ERR_INPUT, body,
                    "body \"%.60s\": is %.3g from the origin, or moves so far in a step of %g; with bodies of "
                    "size %.3g doubles resolve this scene up to %.3g",
                    world->bodies->body[body].name, way, world->options.h, world->size, STI_FAR * world->size);
}

sti_status sti_world_create(sti_env* env, const sti_bodies* bodies, const sti_world_options* options, sti_world** out) {
    *out = NULL;
    const sti_world_options o = options != NULL ? *options : sti_world_options_default();
    sti_status status = check_options(env, &o);
    if (status == STI_OK) status = sti_bodies_check(bodies);
    if (status == STI_OK) status = check_sections(env, bodies, &o);
    if (status != STI_OK) return status;
    sti_world* world = sti_alloc_array_zero(env, 1, sizeof *world);
    if (world == NULL) return STI_ERR_MEMORY;
    *world = (sti_world){.env = env,
                         .arena = sti_arena_make(env),
                         .bodies = bodies,
                         .options = o,
                         .dim = bodies->dim,
                         .nv = bodies->dim == 2 ? 3 : 6};
    status = reserve_world(world);
    if (status == STI_OK) {
        place_bodies(world);
        world->size = scene_size(world);
        set_gears(world);
        status = check_lost(world);
    }
    if (status == STI_OK) status = reserve_solve(world);
    if (status == STI_OK) status = sti_world_detect_create(world);
    if (status == STI_OK) status = o.start_as_given ? sti_links_collect(world, world->v) : sti_world_start(world);
    if (status != STI_OK) {
        sti_world_destroy(world);
        return status;
    }
    sti_world_turned_update(world);
    *out = world;
    return STI_OK;
}

void sti_world_destroy(sti_world* world) {
    if (world == NULL) return;
    if (world->detect != NULL) sti_world_detect_destroy(world);
    drop_solve(world);
    sti_free(world->env, world->contact);
    sti_free(world->env, world->shown);
    sti_arena_clear(&world->arena);
    sti_free(world->env, world);
}

// ---- reading

sti_world_fit sti_world_start_fit(const sti_world* world) {
    return world->fit;
}

long sti_world_steps(const sti_world* world) {
    return world->step;
}

double sti_world_time(const sti_world* world) {
    return world->time;
}

void sti_world_pose(const sti_world* world, int body, sti_pose* pose) {
    sti_placed_to_pose(&world->bodies->mass[body], &world->placed[body], pose);
}

void sti_world_velocity(const sti_world* world, int body, double v[3], double w[3]) {
    for (int k = 0; k < 3; k++) v[k] = w[k] = 0;
    if (world->slot[body] < 0) {
        memcpy(v, world->bodies->body[body].v, 3 * sizeof *v);
        memcpy(w, world->bodies->body[body].w, 3 * sizeof *w);
        return;
    }
    const double* u = world->v + (size_t)(world->nv * world->slot[body]);
    memcpy(v, u, (size_t)world->dim * sizeof *v);
    if (world->dim == 2)
        w[2] = u[2];
    else
        mul3(world->placed[body].R, u + 3, w);
}

void sti_world_energy(const sti_world* world, double* kinetic, double* potential) {
    *kinetic = sti_world_kinetic(world, world->v);
    *potential = sti_world_potential(world, NULL);
}

const sti_world_attempt* sti_world_attempts(const sti_world* world, int* count) {
    *count = world->solve->attempt_count;
    return world->solve->attempt;
}

const sti_world_contact* sti_world_contacts(const sti_world* world, int* count) {
    *count = world->solve->shown_count;
    return world->shown;
}

void sti_world_joint_state(const sti_world* world, int joint, sti_world_joint* out) {
    const struct sti_world_solve* s = world->solve;
    *out = (sti_world_joint){.defect = 0};
    sti_row rows[6];
    double defect[6];
    const int count = sti_joint_rows(world, joint, rows, defect);
    for (int i = 0; i < count; i++) out->defect = fmax(out->defect, fabs(defect[i]));
    memcpy(out->force, s->reaction + 6 * (size_t)joint, sizeof out->force);
    memcpy(out->torque, s->reaction + 6 * (size_t)joint + 3, sizeof out->torque);
    const int axes = sti_joint_axis_count(world->dim, world->bodies->joint[joint].kind);
    for (int k = 0; k < axes && k < 2; k++) {
        const double* r = s->axis_r + 4 * (size_t)(2 * joint + k);
        sti_row row;
        out->coordinate[k] = sti_joint_coordinate(world, joint, k, &row);
        out->speed[k] = sti_row_apply(world, &row, world->v);
        out->limit[k] = r[0] - r[1];
        out->friction[k] = r[2];
        out->motor[k] = r[3];
    }
}

const sti_contact_problem* sti_world_problem(const sti_world* world, const sti_contact_answer** answer) {
    *answer = &world->solve->posed.answer;
    return &world->solve->posed.problem;
}

// ---- changing

static sti_status check_moving(sti_world* world, int body) {
    const sti_status status = sti_bodies_check_index(world->bodies, body, "body");
    if (status != STI_OK) return status;
    if (world->slot[body] < 0)
        return STI_FAIL(world->env, STI_ERR_ARGUMENT, body, "body \"%s\" is fixed", world->bodies->body[body].name);
    return STI_OK;
}

sti_status sti_world_set(sti_world* world, int body, const sti_pose* pose, const double v[3], const double w[3]) {
    const sti_status status = check_moving(world, body);
    if (status != STI_OK) return status;
    const bool fits = (pose == NULL || (sti_vector_is_finite(3, pose->x) && sti_vector_is_finite(4, pose->q) &&
                                        dot3(pose->q, pose->q) + pose->q[3] * pose->q[3] > 0)) &&
                      (v == NULL || sti_vector_is_finite(3, v)) && (w == NULL || sti_vector_is_finite(3, w));
    if (!fits)
        return STI_FAIL(world->env, STI_ERR_ARGUMENT, body, "body \"%s\": place or velocity is not finite",
                        world->bodies->body[body].name);
    double old_v[3], old_w[3];
    sti_world_velocity(world, body, old_v, old_w);
    if (pose != NULL) {
        sti_placed_from_pose(&world->bodies->mass[body], pose, &world->placed[body]);
        world->given[body] = 1;
        set_velocity(world, body, NULL, old_w);  // the same in world axes
        sti_world_turned_update(world);
    }
    set_velocity(world, body, v, w);
    world->solve->detected = false;
    return STI_OK;
}

sti_status sti_world_push(sti_world* world, int body, const double force[3], const double torque[3]) {
    const sti_status status = check_moving(world, body);
    if (status != STI_OK) return status;
    if ((force != NULL && !sti_vector_is_finite(3, force)) || (torque != NULL && !sti_vector_is_finite(3, torque)))
        return STI_FAIL(world->env, STI_ERR_ARGUMENT, body, "body \"%s\": push is not finite",
                        world->bodies->body[body].name);
    double* push = world->push + 6 * (size_t)world->slot[body];
    if (force != NULL) memcpy(push, force, 3 * sizeof *push);
    if (torque != NULL) memcpy(push + 3, torque, 3 * sizeof *push);
    return STI_OK;
}

sti_status sti_world_drive(sti_world* world, int joint, int axis, double motor_speed, double motor_force, double rest) {
    if (joint < 0 || joint >= world->bodies->joint_count)
        return STI_FAIL(world->env, STI_ERR_ARGUMENT, joint, "there is no joint %d", joint);
    const sti_joint* j = &world->bodies->joint[joint];
    if (axis < 0 || axis >= sti_joint_axis_count(world->dim, j->kind))
        return STI_FAIL(world->env, STI_ERR_ARGUMENT, joint, "joint \"%s\" has no axis %d", j->name, axis);
    if (!isfinite(motor_speed) || !(motor_force >= 0 && isfinite(motor_force)) || !isfinite(rest))
        return STI_FAIL(world->env, STI_ERR_ARGUMENT, joint, "joint \"%s\": speed %g, force %g, rest %g", j->name,
                        motor_speed, motor_force, rest);
    sti_joint_axis* at = &world->axis[2 * joint + axis];
    at->motor_speed = motor_speed;
    at->motor_force = motor_force;
    at->rest = rest;
    return STI_OK;
}
