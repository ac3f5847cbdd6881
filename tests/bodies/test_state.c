// test_state.c: saved worlds go on bit for bit; every allocation may fail.
#include "bodies/bodies.h"
#include "scene_tools.h"

// A bit of everything: a pile, a chain with a motor, a spring, bounces.
static sti_bodies* everything(sti_env* env, int piled, double height) {
    sti_bodies* bodies;
    if (sti_bodies_create(env, 3, &bodies) != STI_OK) return NULL;
    sti_bodies_set_gravity(bodies, (double[3]){0, 0, -GRAVITY});
    add_ground(env, bodies, 0);
    assert_int_equal(sti_bodies_set_pair(bodies, 0, 0, 0.5, 0.4), STI_OK);
    for (int k = 0; k < piled; k++)
        add_box(env, bodies, 0.1, 0.1, 0.1, at(0.03 * k, 0.01 * k, 0.1 + height + 0.22 * k));
    int last = -1;
    for (int k = 0; k < 3; k++) {
        const int link = add_box(env, bodies, 0.1, 0.02, 0.02, at(0.2 * k + 0.1, 1, 0.5));
        sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, last, link);
        joint.axis[0].motor_speed = k;
        joint.axis[0].motor_force = k == 1 ? 2 : 0;
        joint.axis[0].friction = k == 2 ? 0.1 : 0;
        joint.axis[0].mu = k == 2 ? 0.1 : 0;
        joint.axis[0].radius = 0.01;
        joint.axis[0].lower = -1;
        add_joint(bodies, &joint, 0.2 * k, 1, 0.5);
        last = link;
    }
    const sti_spring spring = {.a = -1, .b = last, .at_a = {0, 1, 2}, .stiffness = 100, .damping = 1, .rest = 1};
    assert_int_equal(sti_bodies_add_spring(bodies, &spring), STI_OK);
    return bodies;
}

static void a_saved_world_goes_on_bit_for_bit(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = everything(env, 4, 0.05);
    sti_world *one = open_world(env, bodies, NULL), *two = open_world(env, bodies, NULL);
    void* bytes = NULL;
    size_t size = 0;
    for (int i = 0; i < 60; i++) {
        if (i == 25) assert_int_equal(sti_world_save_state(one, &bytes, &size), STI_OK);
        step(env, one);
    }
    assert_int_equal(sti_world_load_state(two, bytes, size), STI_OK);
    assert_int_equal(sti_world_steps(two), 25);
    for (int i = 25; i < 60; i++) step(env, two);
    for (int b = 0; b < sti_bodies_count(bodies); b++) {
        sti_pose p, q;
        double v[3], w[3], x[3], y[3];
        sti_world_pose(one, b, &p);
        sti_world_pose(two, b, &q);
        sti_world_velocity(one, b, v, w);
        sti_world_velocity(two, b, x, y);
        assert_memory_equal(&p, &q, sizeof p);
        assert_memory_equal(v, x, sizeof v);
        assert_memory_equal(w, y, sizeof w);
    }
    sti_env_free(env, bytes);
    sti_world_destroy(one);
    sti_world_destroy(two);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void bytes_of_something_else_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies *bodies = everything(env, 4, 0.05), *other = open_scene(env, 3);
    add_box(env, other, 1, 1, 1, at(0, 0, 0));
    sti_world *one = open_world(env, bodies, NULL), *two = open_world(env, other, NULL);
    void* bytes;
    size_t size;
    assert_int_equal(sti_world_save_state(one, &bytes, &size), STI_OK);
    assert_int_equal(sti_world_load_state(two, bytes, size), STI_ERR_INPUT);
    for (size_t cut = 0; cut < size; cut += size / 7 + 1)
        assert_int_equal(sti_world_load_state(one, bytes, cut), STI_ERR_INPUT);
    ((char*)bytes)[0] ^= 1;
    assert_int_equal(sti_world_load_state(one, bytes, size), STI_ERR_INPUT);
    sti_env_free(env, bytes);
    sti_world_destroy(one);
    sti_world_destroy(two);
    sti_bodies_destroy(bodies);
    sti_bodies_destroy(other);
    sti_env_destroy(env);
}

// A step that fails for want of memory was not made; the next attempt makes it.
// Contacts and numbers that no world of these bodies could have had. Before anything of it is taken, the state is
// refused.
static void a_damaged_state_is_refused_and_leaves_the_world_alone(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = everything(env, 4, 0.05);
    sti_world* world = open_world(env, bodies, NULL);
    for (int i = 0; i < 40; i++) step(env, world);
    void *bytes, *after;
    size_t size, size_after;
    assert_int_equal(sti_world_save_state(world, &bytes, &size), STI_OK);
    const size_t count = (size_t)world->contact_count, first = size - count * sizeof(sti_touching);
    assert_true(count > 0);
    const int numbers[] = {-2, 1000000, INT32_MAX, INT32_MIN};
    const size_t places[] = {offsetof(sti_touching, at.a),       offsetof(sti_touching, at.b),
                             offsetof(sti_touching, at.shape_a), offsetof(sti_touching, at.shape_b),
                             offsetof(sti_touching, row[0].a),   offsetof(sti_touching, row[1].b),
                             offsetof(sti_touching, row[2].a)};
    char* damaged = malloc(size);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        for (int k = 0; k < 4; k++) {
            memcpy(damaged, bytes, size);
            memcpy(damaged + first + (count - 1) * sizeof(sti_touching) + places[p], &numbers[k], sizeof numbers[k]);
            assert_int_equal(sti_world_load_state(world, damaged, size), STI_ERR_INPUT);
            assert_non_null(strstr(sti_env_error(env)->text, "a contact"));
        }
    }
    // places stand behind 12 words; a flag for each body and the velocities come next
    const size_t head = 12 * sizeof(double), flags = head + (size_t)bodies->count * sizeof(sti_placed),
                 speeds = flags + (size_t)bodies->count, end = speeds + (size_t)(world->moving * 6) * sizeof(double);
    const double nan = NAN;
    for (size_t at = head; at < end; at = at + 8 == flags ? speeds : at + 8) {
        memcpy(damaged, bytes, size);
        memcpy(damaged + at, &nan, sizeof nan);
        assert_int_equal(sti_world_load_state(world, damaged, size), STI_ERR_INPUT);
    }
    assert_int_equal(sti_world_save_state(world, &after, &size_after), STI_OK);
    assert_int_equal(size, size_after);
    assert_memory_equal(bytes, after, size);
    free(damaged);
    sti_env_free(env, bytes);
    sti_env_free(env, after);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void every_allocation_of_worlds_may_fail(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, -1);
        sti_bodies* bodies = everything(f.env, 2, 0.001);
        sti_world* world = NULL;
        f.count = 0;
        f.fail_at = k;
        sti_status status = sti_world_create(f.env, bodies, NULL, &world);
        for (int i = 0; i < 2 && status == STI_OK; i++) {
            status = sti_world_step(world, NULL);
            if (status == STI_ERR_MEMORY) assert_int_equal(sti_world_steps(world), i);
        }
        const bool failed = f.count > k;
        f.fail_at = -1;
        if (failed && world != NULL && status != STI_OK) {
            assert_int_equal(status, STI_ERR_MEMORY);
            assert_int_equal(sti_world_step(world, NULL), STI_OK);
        } else if (failed) {
            assert_true(status == STI_ERR_MEMORY);
        }
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
        sti_env_destroy(f.env);
        assert_int_equal(f.live, 0);
        if (!failed) break;
    }
}

static void saving_may_fail(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, -1);
        sti_bodies* bodies = everything(f.env, 2, 0.001);
        sti_world* world = open_world(f.env, bodies, NULL);
        assert_int_equal(sti_world_step(world, NULL), STI_OK);
        void* bytes;
        size_t size;
        f.count = 0;
        f.fail_at = k;
        const sti_status status = sti_world_save_state(world, &bytes, &size);
        if (status == STI_OK)
            sti_env_free(f.env, bytes);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_world_goes_on_bit_for_bit),
        cmocka_unit_test(bytes_of_something_else_are_refused),
        cmocka_unit_test(a_damaged_state_is_refused_and_leaves_the_world_alone),
        cmocka_unit_test(every_allocation_of_worlds_may_fail),
        cmocka_unit_test(saving_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
