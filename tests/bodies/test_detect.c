// test_detect.c: contacts of a world: how many, their rows, what they continue.
#include "world_tools.h"

static void look(sti_world* world, double h) {
    if (world->detect == NULL) assert_int_equal(sti_world_detect_create(world), STI_OK);
    assert_int_equal(sti_world_detect_contacts(world, h, world->v), STI_OK);
}

// ---- what is found

static void a_box_rests_on_as_many_points_as_it_needs(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_bodies(env, dim);
        add_body(bodies, "floor", true, sti_pose_identity(), ground(env, dim));
        add_body(bodies, "box", false, dim == 2 ? at(0, 0.5, 0) : at(0, 0, 0.5), box(env, dim, 1, 0.5, 0.5));
        sti_world world;
        world_open(&world, env, bodies);
        look(&world, 0.01);
        assert_int_equal(world.contact_count, dim == 2 ? 2 : 4);
        for (int i = 0; i < world.contact_count; i++) {
            const sti_touching* c = &world.contact[i];
            assert_int_equal(c->at.a, 0);
            assert_int_equal(c->at.b, 1);
            assert_near(c->at.gap, 0, 1e-15);
            assert_near(c->at.n[dim - 1], -1, 1e-15);  // from the box to the floor
            assert_near(c->at.mu, 0.5, 0);
            assert_int_equal(c->row[0].a, -1);
            assert_int_equal(c->row[0].b, 1);
            assert_int_equal(c->at.mode, STI_MODE_SEPARATE);
        }
        world_close(&world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static void the_margin_covers_what_a_body_travels(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    add_body(bodies, "floor", true, sti_pose_identity(), ground(env, 3));
    add_body(bodies, "ball", false, at(0, 0, 0.2), sphere(env, 3, 0.1));
    sti_world world;
    world_open(&world, env, bodies);
    look(&world, 0.01);
    assert_int_equal(world.contact_count, 0);
    world.v[2] = -9;  // 0.09 + 0.001 do not reach
    look(&world, 0.01);
    assert_int_equal(world.contact_count, 0);
    world.v[2] = -10.5;
    look(&world, 0.01);
    assert_int_equal(world.contact_count, 1);
    assert_near(world.contact[0].at.gap, 0.1, 1e-15);
    assert_int_equal(sti_world_detect_within(&world, 0.09), STI_OK);
    assert_int_equal(world.contact_count, 0);
    assert_int_equal(sti_world_detect_within(&world, 0.11), STI_OK);
    assert_int_equal(world.contact_count, 1);
    world_close(&world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void pairs_that_never_touch_are_left_out(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int variant = 0; variant < 6; variant++) {
        sti_bodies* bodies = open_bodies(env, 3);
        const bool both_fixed = variant == 4;
        const int a = add_body(bodies, "a", both_fixed, at(0, 0, 0), sphere(env, 3, 1));
        const int b = add_body(bodies, "b", both_fixed, at(1.9, 0, 0), sphere(env, 3, 1));
        sti_joint joint = sti_joint_default(STI_JOINT_DISTANCE, a, b);
        joint.length = 1.9;
        joint.collide = variant == 2;
        if (variant == 1 || variant == 2) assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
        if (variant == 3) assert_int_equal(sti_bodies_ignore(bodies, b, a), STI_OK);
        const sti_pose aside = at(0.5, 0, 0);
        if (variant == 5) {  // two shapes of one body
            assert_int_equal(sti_bodies_ignore(bodies, a, b), STI_OK);
            assert_int_equal(sti_bodies_add_shape(bodies, a, sphere(env, 3, 1), &aside, 0), STI_OK);
        }
        sti_world world;
        world_open(&world, env, bodies);
        look(&world, 0.01);
        assert_int_equal(world.contact_count, variant == 0 || variant == 2 ? 1 : 0);
        world_close(&world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static void surfaces_that_move_enter_as_offsets(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    sti_body belt = sti_body_default();
    belt.fixed = true;
    belt.v[0] = 2;
    belt.w[2] = 3;
    assert_int_equal(sti_bodies_add(bodies, &belt, NULL), STI_OK);
    assert_int_equal(sti_bodies_add_shape(bodies, 0, ground(env, 3), NULL, 0), STI_OK);
    add_body(bodies, "ball", false, at(0, 4, 1), sphere(env, 3, 1));
    sti_world world;
    world_open(&world, env, bodies);
    look(&world, 0.01);
    assert_int_equal(world.contact_count, 1);
    const sti_touching* c = &world.contact[0];
    // the point (0, 4, 0) moves with (2 - 12, 0, 0); the ball, b, is at rest
    const double u[3] = {-10, 0, 0};
    const double* axis[3] = {c->at.n, c->at.t1, c->at.t2};
    for (int k = 0; k < 3; k++)
        assert_near(c->offset[k], axis[k][0] * u[0] + axis[k][1] * u[1] + axis[k][2] * u[2], 1e-14);
    world_close(&world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void pairs_of_materials_follow_the_rule_or_what_was_set(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    const sti_material ice = {.name = "ice", .mu = 0.02, .restitution = 0.3};
    int number;
    assert_int_equal(sti_bodies_add_material(bodies, &ice, &number), STI_OK);
    add_body(bodies, "a", false, at(0, 0, 0), sphere(env, 3, 1));
    add_body(bodies, "b", false, at(2, 0, 0), NULL);
    assert_int_equal(sti_bodies_add_shape(bodies, 1, sphere(env, 3, 1), NULL, number), STI_OK);
    sti_world world;
    world_open(&world, env, bodies);
    look(&world, 0.01);
    assert_near(world.contact[0].at.mu, 0.1, 1e-16);
    assert_near(world.contact[0].at.restitution, 0.3, 0);
    assert_int_equal(sti_bodies_set_pair(bodies, number, 0, 0.7, 0.1), STI_OK);
    look(&world, 0.01);
    assert_near(world.contact[0].at.mu, 0.7, 0);
    assert_near(world.contact[0].at.restitution, 0.1, 0);
    world_close(&world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// ---- rows

static const sti_touching* find(const sti_world* world, const sti_touching* like) {
    for (int i = 0; i < world->contact_count; i++) {
        const sti_world_contact* at_i = &world->contact[i].at;
        if (at_i->shape_a == like->at.shape_a && at_i->shape_b == like->at.shape_b && at_i->id == like->at.id)
            return &world->contact[i];
    }
    return NULL;
}

static sti_shape* random_shape(sti_env* env, sti_rng* rng, int dim) {
    sti_shape* shape;
    double points[60];
    switch (sti_rng_int(rng, 0, 3)) {
        case 0:
            return sphere(env, dim, between(rng, 0.3, 1));
        case 1:
            assert_int_equal(sti_shape_create_capsule(env, dim, between(rng, 0.2, 1), between(rng, 0.1, 0.5), &shape),
                             STI_OK);
            return shape;
        case 2:
            return box(env, dim, between(rng, 0.3, 1), between(rng, 0.3, 1), between(rng, 0.3, 1));
        default:
            for (int k = 0; k < 60; k++) points[k] = between(rng, -1, 1);
            assert_int_equal(sti_shape_create_convex(env, dim, 15, points, &shape), STI_OK);
            return shape;
    }
}

// The least gap, a little before and a little after, where it is between the same features. (Corners of two overlapping
// faces slide along both when bodies turn; their gaps change by more than their rows say.)
static void normal_rows_are_derivatives_of_gaps(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {23};
    int compared = 0;
    for (int repeat = 0; repeat < 600; repeat++) {
        const int dim = 2 + repeat % 2;
        sti_bodies* bodies = open_bodies(env, dim);
        if (repeat % 5 == 0) {
            add_body(bodies, NULL, true, random_pose(&rng, dim, 0.3), ground(env, dim));
        } else {
            add_body(bodies, NULL, false, random_pose(&rng, dim, 0.9), random_shape(env, &rng, dim));
        }
        add_body(bodies, NULL, false, random_pose(&rng, dim, 0.9), random_shape(env, &rng, dim));
        sti_world now, ahead, behind;
        double v[12];
        world_open(&now, env, bodies);
        world_open(&ahead, env, bodies);
        world_open(&behind, env, bodies);
        random_velocity(&rng, &now, v);
        const double eps = 1e-6;
        world_move(&ahead, eps, v);
        world_move(&behind, -eps, v);
        sti_world* all[3] = {&now, &ahead, &behind};
        for (int k = 0; k < 3; k++) {
            all[k]->options.points = 1;
            assert_int_equal(sti_world_detect_create(all[k]), STI_OK);
            assert_int_equal(sti_world_detect_within(all[k], 0.5), STI_OK);
        }
        for (int i = 0; i < now.contact_count; i++) {
            const sti_touching* c = &now.contact[i];
            const sti_touching *p = find(&ahead, c), *m = find(&behind, c);
            if (p == NULL || m == NULL) continue;
            // another face became the reference: another normal, and a kink in the gap
            double turned = 0;
            for (int k = 0; k < 3; k++) turned = fmax(turned, fabs(p->at.n[k] - m->at.n[k]));
            if (turned > 1e-3) continue;
            assert_near((p->at.gap - m->at.gap) / (2 * eps), sti_row_apply(&now, &c->row[0], v), 1e-7);
            compared++;
        }
        for (int k = 0; k < 3; k++) world_close(all[k]);
        sti_bodies_destroy(bodies);
    }
    assert_true(compared > 200);
    sti_env_destroy(env);
}

// ---- invariance

static sti_bodies* heap(sti_env* env, int dim, const sti_pose* moved, bool backwards) {
    sti_bodies* bodies = open_bodies(env, dim);
    sti_rng rng = {99};
    sti_pose pose[8];
    for (int i = 0; i < 8; i++) {
        const sti_pose inner = random_pose(&rng, dim, 1.2);
        pose[i] = sti_pose_compose(moved, &inner);
    }
    for (int k = 0; k < 8; k++) {
        const int i = backwards ? 7 - k : k;
        add_body(bodies, NULL, false, pose[i],
                 i % 2 == 0 ? box(env, dim, 0.3 + 0.05 * i, 0.4, 0.5) : sphere(env, dim, 0.2 + 0.05 * i));
    }
    return bodies;
}

static int compare_doubles(const void* x, const void* y) {
    const double *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

static int sorted_gaps(sti_world* world, double gaps[200]) {
    assert_int_equal(sti_world_detect_create(world), STI_OK);
    assert_int_equal(sti_world_detect_within(world, 0.2), STI_OK);
    assert_true(world->contact_count <= 200);
    for (int i = 0; i < world->contact_count; i++) gaps[i] = world->contact[i].at.gap;
    qsort(gaps, (size_t)world->contact_count, sizeof *gaps, compare_doubles);
    return world->contact_count;
}

static void moved_and_reordered_scenes_have_the_same_gaps(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {3};
    for (int dim = 2; dim <= 3; dim++) {
        const sti_pose none = sti_pose_identity(), moved = random_pose(&rng, dim, 5);
        for (int backwards = 0; backwards < 2; backwards++) {
            sti_bodies* first = heap(env, dim, &none, false);
            sti_bodies* second = heap(env, dim, &moved, backwards == 1);
            sti_world one, two;
            double gaps_1[200], gaps_2[200];
            world_open(&one, env, first);
            world_open(&two, env, second);
            const int count = sorted_gaps(&one, gaps_1);
            assert_true(count >= 5);
            assert_int_equal(sorted_gaps(&two, gaps_2), count);
            for (int i = 0; i < count; i++) assert_near(gaps_1[i], gaps_2[i], 1e-12);
            world_close(&one);
            world_close(&two);
            sti_bodies_destroy(first);
            sti_bodies_destroy(second);
        }
    }
    sti_env_destroy(env);
}

// ---- nothing is lost

static void every_pair_of_shapes_is_looked_at(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        const sti_pose none = sti_pose_identity();
        sti_bodies* bodies = heap(env, dim, &none, false);
        add_body(bodies, "floor", true, sti_pose_identity(), ground(env, dim));
        sti_world world;
        world_open(&world, env, bodies);
        assert_int_equal(sti_world_detect_create(&world), STI_OK);
        for (int k = 0; k < 4; k++) {
            const double margin = 0.1 * k;
            int count = 0;
            assert_int_equal(sti_world_detect_within(&world, margin), STI_OK);
            for (int i = 0; i < bodies->collider_count; i++) {
                for (int j = i + 1; j < bodies->collider_count; j++) {
                    sti_shape_contact found[4];
                    sti_pose a, b;
                    int here;
                    sti_world_collider_pose(&world, i, &a);
                    sti_world_collider_pose(&world, j, &b);
                    assert_int_equal(sti_shape_contacts(bodies->collider[i].shape, &a, bodies->collider[j].shape, &b,
                                                        margin, dim == 2 ? 2 : 4, found, &here),
                                     STI_OK);
                    for (int m = 0; m < here; m++, count++) {
                        assert_true(count < world.contact_count);
                        assert_true(world.contact[count].at.id == found[m].id);
                        assert_true(world.contact[count].at.gap == found[m].gap);
                    }
                }
            }
            assert_int_equal(count, world.contact_count);
        }
        world_close(&world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// Two shapes that overlap after a step of free motion were a contact before it.
static void what_meets_within_a_step_was_found_before_it(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {41};
    int met = 0;
    for (int repeat = 0; repeat < 400; repeat++) {
        const int dim = 2 + repeat % 2;
        sti_bodies* bodies = open_bodies(env, dim);
        add_body(bodies, NULL, repeat % 7 == 0, random_pose(&rng, dim, 2), random_shape(env, &rng, dim));
        add_body(bodies, NULL, false, random_pose(&rng, dim, 2), random_shape(env, &rng, dim));
        sti_world world;
        world_open(&world, env, bodies);
        for (int k = 0; k < world.moving * world.nv; k++) world.v[k] = between(&rng, -10, 10);
        look(&world, 0.1);
        const bool found = world.contact_count > 0;
        world_move(&world, 0.1, world.v);
        assert_int_equal(sti_world_detect_within(&world, 0), STI_OK);
        if (world.contact_count > 0) {
            assert_true(found);
            met++;
        }
        world_close(&world);
        sti_bodies_destroy(bodies);
    }
    assert_true(met > 50);
    sti_env_destroy(env);
}

// ---- from step to step

static void contacts_continue_those_of_the_last_step(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    add_body(bodies, "floor", true, sti_pose_identity(), ground(env, 3));
    add_body(bodies, "box", false, at(0, 0, 0.5), box(env, 3, 1, 0.7, 0.5));
    add_body(bodies, "ball", false, at(3, 0, 0.5), sphere(env, 3, 0.5));
    sti_world world;
    world_open(&world, env, bodies);
    look(&world, 0.01);
    assert_int_equal(world.contact_count, 5);
    uint64_t id[5];
    for (int i = 0; i < 5; i++) {
        sti_world_contact* c = &world.contact[i].at;
        for (int k = 0; k < 3; k++) assert_true(world.contact[i].r_last[k] == 0);
        c->r[0] = i + 1;
        c->r[1] = 0.1 * i;
        c->r[2] = -0.2;
        id[i] = c->id;
    }
    double v[12] = {0.1, 0, 0, 0, 0, 0.3};
    world_move(&world, 0.01, v);
    look(&world, 0.01);
    assert_int_equal(world.contact_count, 5);
    for (int i = 0; i < 5; i++) {
        const sti_touching* c = &world.contact[i];
        assert_true(c->at.id == id[i]);
        assert_near(c->r_last[0], i + 1, 0);
        assert_near(c->r_last[1], 0.1 * i, 1e-15);  // the floor does not turn, nor do its tangents
        assert_near(c->r_last[2], -0.2, 1e-15);
        assert_true(c->at.r[0] == 0);
    }
    // what is gone and back has forgotten
    for (int i = 0; i < 5; i++) world.contact[i].at.r[0] = 1;
    world.placed[1].x[2] += 1;
    look(&world, 0.01);
    assert_int_equal(world.contact_count, 1);
    assert_near(world.contact[0].r_last[0], 1, 0);
    world.placed[1].x[2] -= 1;
    look(&world, 0.01);
    assert_int_equal(world.contact_count, 5);
    assert_true(world.contact[0].r_last[0] == 0);
    world_close(&world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// ---- memory

static void looking_again_asks_for_no_memory(void** state) {
    (void)state;
    sti_env* maker = open_env();
    const sti_pose none = sti_pose_identity();
    sti_bodies* bodies = heap(maker, 3, &none, false);
    failing_env f;
    failing_env_open(&f, -1);
    sti_world world;
    world_open(&world, f.env, bodies);
    look(&world, 0.01);
    look(&world, 0.01);
    const long before = f.count;
    for (int i = 0; i < 5; i++) look(&world, 0.01);
    assert_int_equal(f.count, before);
    world_close(&world);
    failing_env_close(&f);
    sti_bodies_destroy(bodies);
    sti_env_destroy(maker);
}

static void a_search_survives_every_failed_allocation(void** state) {
    (void)state;
    sti_env* maker = open_env();
    const sti_pose none = sti_pose_identity();
    sti_bodies* bodies = heap(maker, 3, &none, false);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_world world;
        world_open(&world, f.env, bodies);
        sti_status status = sti_world_detect_create(&world);
        for (int i = 0; status == STI_OK && i < 2; i++) status = sti_world_detect_within(&world, 0.2);
        if (status != STI_OK) {
            assert_int_equal(status, STI_ERR_MEMORY);
            // the failure left things as they were: the next call works
            if (world.detect != NULL) assert_int_equal(sti_world_detect_within(&world, 0.2), STI_OK);
        }
        world_close(&world);
        if (failing_env_close(&f)) break;
    }
    sti_bodies_destroy(bodies);
    sti_env_destroy(maker);
}

static void a_body_that_is_nowhere_is_named(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    add_body(bodies, "lost", false, sti_pose_identity(), sphere(env, 3, 1));
    sti_world world;
    world_open(&world, env, bodies);
    assert_int_equal(sti_world_detect_create(&world), STI_OK);
    world.placed[0].x[1] = (double)NAN;
    assert_int_equal(sti_world_detect_contacts(&world, 0.01, world.v), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "lost"));
    world_close(&world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_rests_on_as_many_points_as_it_needs),
        cmocka_unit_test(the_margin_covers_what_a_body_travels),
        cmocka_unit_test(pairs_that_never_touch_are_left_out),
        cmocka_unit_test(surfaces_that_move_enter_as_offsets),
        cmocka_unit_test(pairs_of_materials_follow_the_rule_or_what_was_set),
        cmocka_unit_test(normal_rows_are_derivatives_of_gaps),
        cmocka_unit_test(moved_and_reordered_scenes_have_the_same_gaps),
        cmocka_unit_test(every_pair_of_shapes_is_looked_at),
        cmocka_unit_test(what_meets_within_a_step_was_found_before_it),
        cmocka_unit_test(contacts_continue_those_of_the_last_step),
        cmocka_unit_test(looking_again_asks_for_no_memory),
        cmocka_unit_test(a_search_survives_every_failed_allocation),
        cmocka_unit_test(a_body_that_is_nowhere_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
