// Pictures of bodies: what hides what, how large it is, views from other sides, and inputs that cannot be drawn.
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "draw/draw_tools.h"
#include "support/failing_env.h"
#include "support/open_env.h"

static const double pi = 3.14159265358979323846;

static long count_hue(const sti_image* image, int which) {
    long sum = 0;
    for (int k = 0; k < image->width * image->height; k++) sum += hue(image->rgb + 3 * (size_t)k) == which;
    return sum;
}

// A body of one shape. The environment may fail; the shape belongs to the bodies then, or was never made.
static sti_status add(sti_env* env, sti_bodies* bodies, bool fixed, double x, double y, double z, sti_shape_kind kind,
                      const double* size) {
    const int dim = sti_bodies_dim(bodies);
    sti_body body = sti_body_default();
    sti_shape* shape;
    int index;
    body.fixed = fixed;
    body.pose.x[0] = x;
    body.pose.x[1] = y;
    body.pose.x[2] = z;
    sti_status status = sti_bodies_add(bodies, &body, &index);
    if (status != STI_OK) return status;
    if (kind == STI_SHAPE_SPHERE)
        status = sti_shape_create_sphere(env, dim, size[0], &shape);
    else if (kind == STI_SHAPE_CAPSULE)
        status = sti_shape_create_capsule(env, dim, size[0], size[1], &shape);
    else if (kind == STI_SHAPE_BOX)
        status = sti_shape_create_box(env, dim, size, &shape);
    else
        status = sti_shape_create_halfspace(env, dim, size, size[dim], &shape);
    return status == STI_OK ? sti_bodies_add_shape(bodies, index, shape, NULL, 0) : status;
}

enum { MOST = 16 };

static void start_poses(const sti_bodies* bodies, sti_pose* poses) {
    assert_true(sti_bodies_count(bodies) <= MOST);
    for (int k = 0; k < sti_bodies_count(bodies); k++) poses[k] = sti_bodies_body(bodies, k)->pose;
}

static void draw(sti_env* env, const sti_bodies* bodies, const unsigned char* color, const sti_world_view* view,
                 sti_image* image) {
    sti_pose poses[MOST];
    start_poses(bodies, poses);
    assert_int_equal(sti_draw_world(env, bodies, poses, color, view, image), STI_OK);
}

static sti_world_view straight(int width, int height) {
    sti_world_view view = sti_world_view_default();
    view.width = width;
    view.height = height;
    view.samples = 1;
    view.turn = view.tilt = 0;
    view.edges = false;
    return view;
}

static const unsigned char rgb[9] = {230, 20, 20, 20, 230, 20, 20, 20, 230};  // red, green, blue

static void a_box_hides_what_is_behind_it(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double half[3] = {1, 0.2, 1};
    const unsigned char color[6] = {230, 20, 20, 20, 20, 230};
    for (int swap = 0; swap < 2; swap++) {
        const double y = swap == 0 ? -1 : 1;
        sti_bodies* bodies;
        assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
        // the blue one is moved to the right by half its width
        assert_int_equal(add(env, bodies, false, 0, y, 0, STI_SHAPE_BOX, half), STI_OK);
        assert_int_equal(add(env, bodies, false, 1, -y, 0, STI_SHAPE_BOX, half), STI_OK);
        const sti_world_view view = straight(300, 200);
        sti_image image;
        draw(env, bodies, color, &view, &image);
        // 3 wide and a margin of 0.07 * 3 on either side; the middle is at x = 0.5
        const double scale = fmin(300 / 3.42, 200 / 2.42);
        for (int k = 0; k < 6; k++) {
            const double x = -0.75 + 0.5 * k;  // boxes from -1 to 1 and from 0 to 2
            const int at = (int)floor(150 + (x - 0.5) * scale), red = x < 0 || (swap == 0 && x < 1);
            assert_int_equal(hue(pixel(&image, at, 100)), red ? 0 : 2);
        }
        assert_int_equal(hue(pixel(&image, 4, 100)), -1);
        assert_int_equal(hue(pixel(&image, 150, 4)), -1);
        sti_image_clear(env, &image);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// Pixels that are red, as an area in units of length; the picture fits a shape of this width and height.
static double red_area(sti_env* env, sti_shape_kind kind, const double* size, double width, double height, bool edges) {
    sti_bodies* bodies;
    assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
    assert_int_equal(add(env, bodies, false, 5, -7, 3, kind, size), STI_OK);
    sti_world_view view = straight(500, 500);
    view.edges = edges;
    sti_image image;
    draw(env, bodies, rgb, &view, &image);
    const double scale = 500 / (1.14 * fmax(width, height));
    const double area = (double)count_hue(&image, 0) / (scale * scale);
    sti_image_clear(env, &image);
    sti_bodies_destroy(bodies);
    return area;
}

static void silhouettes_have_the_area_of_the_shapes(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int edges = 0; edges < 2; edges++) {
        const double ball[1] = {0.3}, capsule[2] = {0.5, 0.2}, box[3] = {0.5, 1, 0.25};
        const double disc = pi * 0.3 * 0.3, stadium = pi * 0.2 * 0.2 + 4 * 0.5 * 0.2;
        assert_true(fabs(red_area(env, STI_SHAPE_SPHERE, ball, 0.6, 0.6, edges) - disc) < 0.01 * disc);
        assert_true(fabs(red_area(env, STI_SHAPE_CAPSULE, capsule, 0.4, 1.4, edges) - stadium) < 0.01 * stadium);
        assert_true(fabs(red_area(env, STI_SHAPE_BOX, box, 1, 0.5, edges) - 0.5) < 0.01 * 0.5);
    }
    sti_env_destroy(env);
}

static sti_bodies* mixed_bodies(sti_env* env, bool floor) {
    const double up[4] = {0, 0, 1, -0.5}, ball[1] = {0.4}, capsule[2] = {0.3, 0.2}, box[3] = {0.6, 0.3, 0.5};
    sti_bodies* bodies;
    assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
    assert_int_equal(add(env, bodies, false, 0.2, 0.3, 0, STI_SHAPE_BOX, box), STI_OK);
    assert_int_equal(add(env, bodies, false, -1.2, 0.4, 0, STI_SHAPE_SPHERE, ball), STI_OK);
    assert_int_equal(add(env, bodies, false, 0.4, -1.1, 0.1, STI_SHAPE_CAPSULE, capsule), STI_OK);
    if (floor) assert_int_equal(add(env, bodies, true, 0, 0, 0, STI_SHAPE_HALFSPACE, up), STI_OK);
    return bodies;
}

static void turn_about_z(sti_pose* poses, int count, double angle) {
    const sti_pose turn = {.q = {cos(angle / 2), 0, 0, sin(angle / 2)}};
    for (int k = 0; k < count; k++) poses[k] = sti_pose_compose(&turn, &poses[k]);
}

// Rays that hit an edge exactly may fall on either side of it: few pixels differ, and the others by a step or two.
static void a_turned_world_seen_by_a_turned_viewer_looks_the_same(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int floor = 0; floor < 2; floor++) {
        sti_bodies* bodies = mixed_bodies(env, floor == 1);
        sti_pose poses[MOST];
        start_poses(bodies, poses);
        sti_world_view view = straight(240, 200);
        view.turn = 0.3;
        view.tilt = 0.4;
        sti_image one, two;
        const unsigned char color[12] = {230, 20, 20, 20, 230, 20, 20, 20, 230, 128, 128, 128};
        assert_int_equal(sti_draw_world(env, bodies, poses, color, &view, &one), STI_OK);
        const double angle = floor == 1 ? pi : pi / 2;  // tiles look the same after half a turn
        turn_about_z(poses, sti_bodies_count(bodies), angle);
        view.turn += angle;
        assert_int_equal(sti_draw_world(env, bodies, poses, color, &view, &two), STI_OK);
        long differ = 0;
        for (int k = 0; k < 240 * 200 * 3; k++) differ += abs(one.rgb[k] - two.rgb[k]) > 3;
        assert_true(differ < 240 * 200 * 3 / 200);
        sti_image_clear(env, &one);
        sti_image_clear(env, &two);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static void edges_are_dark_and_shadows_fall_on_the_floor(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double up[4] = {0, 0, 1, 0}, half[3] = {0.5, 0.5, 0.5};
    sti_bodies* bodies;
    assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
    assert_int_equal(add(env, bodies, true, 0, 0, 0, STI_SHAPE_HALFSPACE, up), STI_OK);
    assert_int_equal(add(env, bodies, false, 0, 0, 0.5, STI_SHAPE_BOX, half), STI_OK);
    const unsigned char color[6] = {200, 200, 200, 255, 120, 120};
    sti_world_view view = straight(400, 400);
    view.turn = 0.5;
    view.tilt = 0.4;
    long dark[2], shadow = 0;
    for (int edges = 0; edges < 2; edges++) {
        sti_image image;
        view.edges = edges == 1;
        draw(env, bodies, color, &view, &image);
        dark[edges] = 0;
        for (int k = 0; k < 400 * 400; k++) {
            const unsigned char* p = image.rgb + 3 * (size_t)k;
            dark[edges] += p[0] < 130 && p[0] > 1.3 * p[1];
            // of the floor: grey
            if (edges == 0) shadow += abs(p[0] - p[2]) < 12 && p[0] < 190;
        }
        sti_image_clear(env, &image);
    }
    assert_true(dark[0] < 50 && dark[1] > 900);  // nine edges, over a hundred pixels each
    assert_true(shadow > 500);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void the_plane_is_seen_straight_on(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double up[3] = {0, 1, 0}, half[2] = {1, 0.5}, disc[1] = {0.5};
    sti_bodies* bodies;
    assert_int_equal(sti_bodies_create(env, 2, &bodies), STI_OK);
    assert_int_equal(add(env, bodies, false, 0, 0.5, 0, STI_SHAPE_BOX, half), STI_OK);
    assert_int_equal(add(env, bodies, false, 1.5, 0.5, 0, STI_SHAPE_SPHERE, disc), STI_OK);
    assert_int_equal(add(env, bodies, true, 0, 0, 0, STI_SHAPE_HALFSPACE, up), STI_OK);
    const sti_world_view view = straight(400, 200);
    sti_image image;
    draw(env, bodies, rgb, &view, &image);
    const double scale = 400 / 3.42;  // from -1 to 2, and the margin
    assert_true(fabs((double)count_hue(&image, 0) / (scale * scale) - 2) < 0.03);
    assert_true(fabs((double)count_hue(&image, 1) / (scale * scale) - pi / 4) < 0.02);
    // the floor begins half a unit below the middle
    const int floor = (int)(100 + 0.5 * scale);
    assert_true(pixel(&image, 200, floor + 3)[0] < 230 && pixel(&image, 3, floor - 3)[0] > 240);
    sti_image_clear(env, &image);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void ghosts_are_pale_and_forces_are_arrows(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double half[3] = {0.5, 0.5, 0.5};
    sti_bodies* bodies;
    assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
    assert_int_equal(add(env, bodies, false, 0, 0, 0, STI_SHAPE_BOX, half), STI_OK);
    assert_int_equal(add(env, bodies, true, 9, 0, 0, STI_SHAPE_BOX, half), STI_OK);
    const unsigned char color[6] = {20, 20, 230, 128, 128, 128};
    sti_world_view view = straight(400, 200);
    sti_pose ghosts[2];
    start_poses(bodies, ghosts);
    ghosts[0].x[0] = 3;
    view.ghost_count = 1;
    view.ghosts = ghosts;
    // from -0.5 to 3.5; the fixed box is too far away
    const double scale = 400 / (4 * 1.14);
    sti_image image;
    draw(env, bodies, color, &view, &image);
    const unsigned char *now = pixel(&image, (int)(200 - 1.5 * scale), 100),
                        *then = pixel(&image, (int)(200 + 1.5 * scale), 100);
    const unsigned char* nothing = pixel(&image, 200, 100);
    assert_int_equal(hue(now), 2);
    assert_true(hue(then) == -1 && then[2] > then[0] + 20 && then[0] + 20 < nothing[0]);
    assert_int_equal(count_hue(&image, 0), 0);
    sti_image_clear(env, &image);
    // a force upward at the middle of the box, seen through it; of two bodies one is fixed
    const sti_world_contact push = {.a = 1, .b = 0, .n = {0, 0, -1}, .t1 = {1, 0, 0}, .t2 = {0, 1, 0}, .r = {2, 0, 0}};
    view.contact_count = 1;
    view.contacts = &push;
    draw(env, bodies, color, &view, &image);
    const double length = sqrt(4 * 4 + 1 + 1) / 7;
    const int x = (int)(200 - 1.5 * scale);
    assert_int_equal(hue(pixel(&image, x, (int)(100 - 0.9 * length * scale))), 0);
    assert_int_equal(hue(pixel(&image, x, (int)(100 - 0.3 * length * scale))), 0);
    assert_int_equal(hue(pixel(&image, x, (int)(100 - 1.1 * length * scale))), -1);
    assert_int_equal(hue(pixel(&image, x, 104)), 2);
    sti_image_clear(env, &image);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// A box on a floor, held at its corners; and a second body that touches the first from the side.
static void impulses_of_a_patch_are_one_arrow_unless_it_is_large(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double half[3] = {0.5, 0.5, 0.5}, up[4] = {0, 0, 1, 0};
    sti_bodies* bodies;
    assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
    assert_int_equal(add(env, bodies, true, 0, 0, 0, STI_SHAPE_HALFSPACE, up), STI_OK);
    assert_int_equal(add(env, bodies, false, 0, 0, 0.5, STI_SHAPE_BOX, half), STI_OK);
    assert_int_equal(add(env, bodies, false, 1, 0, 0.5, STI_SHAPE_BOX, half), STI_OK);
    sti_world_contact contacts[6];
    for (int k = 0; k < 6; k++)
        contacts[k] = (sti_world_contact){.a = 1, .b = 0, .n = {0, 0, 1}, .t1 = {1, 0, 0}, .t2 = {0, 1, 0}, .r = {1}};
    for (int k = 0; k < 4; k++) {
        contacts[k].point[0] = k % 2 == 0 ? -0.5 : 0.5;
        contacts[k].point[1] = k < 2 ? -0.5 : 0.5;
    }
    contacts[1].r[0] = 3;  // pressed to the right, and told the other way round
    contacts[1].a = 0;
    contacts[1].b = 1;
    contacts[1].n[2] = -1;
    contacts[4].a = 2;  // from 1 to 2, downward: drawn on 1, upward
    contacts[4].b = 1;
    contacts[4].n[2] = -1;
    contacts[4].r[0] = 2;
    contacts[5].a = 2;  // too small to be seen
    contacts[5].r[0] = 0.01;
    sti_world_arrow arrows[6];
    int count;
    assert_int_equal(sti_world_arrows(env, bodies, contacts, 6, 1, arrows, &count), STI_OK);
    assert_int_equal(count, 2);
    assert_true(arrows[0].impulse[2] == 6 && arrows[0].impulse[0] == 0);
    assert_true(fabs(arrows[0].at[0] - 1.0 / 6) < 1e-15 && fabs(arrows[0].at[1] + 1.0 / 6) < 1e-15);
    assert_true(arrows[1].impulse[2] == 2);
    // seen from near, each for itself
    assert_int_equal(sti_world_arrows(env, bodies, contacts, 4, 0.2, arrows, &count), STI_OK);
    assert_int_equal(count, 4);
    assert_true(arrows[1].impulse[2] == 3 && arrows[1].at[0] == 0.5 && arrows[1].at[1] == -0.5);
    assert_int_equal(sti_world_arrows(env, bodies, NULL, 0, 1, arrows, &count), STI_OK);
    assert_int_equal(count, 0);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void what_has_gone_astray_does_not_shrink_the_rest(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double ball[1] = {0.5};
    sti_bodies* bodies;
    assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
    for (int k = 0; k < 8; k++) assert_int_equal(add(env, bodies, false, k, 0, 0, STI_SHAPE_SPHERE, ball), STI_OK);
    sti_pose poses[MOST];
    start_poses(bodies, poses);
    poses[3].x[2] = 1e9;
    const sti_world_view view = straight(400, 100);
    unsigned char color[24];
    for (int k = 0; k < 8; k++) memcpy(color + 3 * k, rgb, 3);
    sti_image image;
    assert_int_equal(sti_draw_world(env, bodies, poses, color, &view, &image), STI_OK);
    const double scale = 400 / (8 * 1.14), disc = pi / 4 * scale * scale;
    assert_true(fabs((double)count_hue(&image, 0) - 7 * disc) < 0.05 * 7 * disc);
    sti_image_clear(env, &image);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// A square of two triangles about the origin, facing the viewer or turned away, and a cube from its corners.
static sti_status add_polyhedra(sti_env* env, sti_bodies* bodies, bool away, double cube_at) {
    static const double corners[12] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1};
    static const int facing[6] = {0, 1, 2, 0, 2, 3}, turned[6] = {0, 2, 1, 0, 3, 2};
    double cube[24];
    for (int k = 0; k < 24; k++) cube[k] = k / 3 >> k % 3 & 1 ? 0.5 : -0.5;
    sti_body body = sti_body_default();
    sti_shape* shape;
    int index;
    body.fixed = true;
    sti_status status = sti_bodies_add(bodies, &body, &index);
    if (status == STI_OK) status = sti_shape_create_mesh(env, 4, corners, 2, away ? turned : facing, &shape);
    if (status == STI_OK) status = sti_bodies_add_shape(bodies, index, shape, NULL, 0);
    body.fixed = false;
    body.pose.x[1] = cube_at;
    if (status == STI_OK) status = sti_bodies_add(bodies, &body, &index);
    if (status == STI_OK) status = sti_shape_create_convex(env, 3, 8, cube, &shape);
    return status == STI_OK ? sti_bodies_add_shape(bodies, index, shape, NULL, 0) : status;
}

static void meshes_are_seen_from_both_sides_and_hide_what_is_behind(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int k = 0; k < 4; k++) {
        sti_bodies* bodies;
        assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
        assert_int_equal(add_polyhedra(env, bodies, k % 2 == 1, k < 2 ? -1 : 1), STI_OK);
        const sti_world_view view = straight(200, 200);
        sti_image image;
        draw(env, bodies, rgb, &view, &image);
        const double scale = 200 / 2.28;  // the mesh is not much larger than the cube, so it is seen whole
        const double mesh = (double)count_hue(&image, 0) / (scale * scale);
        const double cube = (double)count_hue(&image, 1) / (scale * scale);
        assert_true(fabs(mesh + cube - 4) < 0.1 && fabs(cube - (k < 2 ? 1 : 0)) < 0.03);
        sti_image_clear(env, &image);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static void links_lead_to_joints_that_are_apart_from_their_bodies(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double ball[1] = {0.2}, point[3] = {0, 0, 2}, axis[3] = {0, 1, 0};
    sti_bodies* bodies;
    long dark[2];
    for (int jointed = 0; jointed < 2; jointed++) {
        assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
        assert_int_equal(add(env, bodies, false, 0, 0, 0, STI_SHAPE_SPHERE, ball), STI_OK);
        assert_int_equal(add(env, bodies, false, 0, 0, 2.4, STI_SHAPE_SPHERE, ball), STI_OK);
        sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, -1, 0);
        if (jointed == 1) {
            assert_int_equal(sti_joint_place(bodies, point, axis, &joint), STI_OK);
            assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
        }
        const sti_world_view view = straight(100, 300);
        sti_image image;
        draw(env, bodies, NULL, &view, &image);
        dark[jointed] = 0;
        for (int y = 100; y < 200; y++) dark[jointed] += pixel(&image, 50, y)[0] < 120;
        sti_image_clear(env, &image);
        sti_bodies_destroy(bodies);
    }
    assert_true(dark[0] == 0 && dark[1] == 100);
    sti_env_destroy(env);
}

static void colours_tell_speed_and_force(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double up[4] = {0, 0, 1, 0}, half[3] = {0.5, 0.5, 0.5};
    sti_bodies* bodies;
    assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
    sti_bodies_set_gravity(bodies, (const double[3]){0, 0, -10});
    assert_int_equal(add(env, bodies, true, 0, 0, 0, STI_SHAPE_HALFSPACE, up), STI_OK);
    assert_int_equal(add(env, bodies, false, 0, 0, 0.5, STI_SHAPE_BOX, half), STI_OK);
    assert_int_equal(add(env, bodies, false, 9, 0, 9, STI_SHAPE_BOX, half), STI_OK);
    sti_world_options options = sti_world_options_default();
    options.h = 0.01;
    sti_world* world;
    assert_int_equal(sti_world_create(env, bodies, &options, &world), STI_OK);
    assert_int_equal(sti_world_step(world, NULL), STI_OK);
    unsigned char by[3][9], least[3], most[3];
    for (int k = 0; k < 3; k++)
        assert_int_equal(sti_world_colors(env, bodies, world, (sti_world_color)k, by[k]), STI_OK);
    sti_color_of_value(0, least);
    sti_color_of_value(1, most);
    assert_memory_equal(by[STI_WORLD_BY_SPEED] + 3, least, 3);  // it stands
    assert_memory_equal(by[STI_WORLD_BY_SPEED] + 6, most, 3);   // it falls
    assert_memory_equal(by[STI_WORLD_BY_FORCE] + 3, most, 3);
    assert_memory_equal(by[STI_WORLD_BY_FORCE] + 6, least, 3);
    assert_true(memcmp(by[STI_WORLD_BY_BODY] + 3, by[STI_WORLD_BY_BODY] + 6, 3) != 0);
    for (int k = 1; k < 3; k++) assert_memory_equal(by[k], by[0], 3);  // the floor is grey
    assert_int_equal(sti_world_colors(env, bodies, NULL, STI_WORLD_BY_BODY, by[1]), STI_OK);
    assert_memory_equal(by[1], by[0], 9);
    assert_int_equal(sti_world_colors(env, bodies, NULL, STI_WORLD_BY_SPEED, by[1]), STI_ERR_ARGUMENT);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void the_same_scene_gives_the_same_bytes_and_libpng_reads_them(void** state) {
    (void)state;
    char path[] = "/tmp/stiction-test-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    sti_env* env = open_env();
    sti_bodies* bodies = mixed_bodies(env, true);
    sti_world_view view = sti_world_view_default();
    view.width = 200;
    sti_image one, two;
    draw(env, bodies, NULL, &view, &one);
    draw(env, bodies, NULL, &view, &two);
    assert_true(one.width == 200 && one.height >= 100 && one.height <= 200 && two.height == one.height);
    assert_memory_equal(one.rgb, two.rgb, 3 * (size_t)one.width * (size_t)one.height);
    assert_int_equal(sti_image_save(env, &one, path), STI_OK);
    png_image read = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&read, path) != 0);
    assert_true((int)read.width == one.width && (int)read.height == one.height);
    read.format = PNG_FORMAT_RGB;
    assert_true(png_image_finish_read(&read, NULL, two.rgb, 0, NULL) != 0);
    assert_memory_equal(one.rgb, two.rgb, 3 * (size_t)one.width * (size_t)one.height);
    assert_int_equal(sti_image_save(env, &one, "/no/such/folder/world.png"), STI_ERR_IO);
    unlink(path);
    sti_image_clear(env, &one);
    sti_image_clear(env, &two);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void worlds_without_anything_to_see_are_drawn(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double up[4] = {0, 0, 1, 0};
    for (int k = 0; k < 6; k++) {
        const int dim = 2 + k % 2;
        sti_bodies* bodies;
        assert_int_equal(sti_bodies_create(env, dim, &bodies), STI_OK);
        if (k / 2 == 1) assert_int_equal(add(env, bodies, true, 0, 0, 0, STI_SHAPE_HALFSPACE, up + 3 - dim), STI_OK);
        if (k / 2 == 2) {  // no shapes, one joint
            sti_body body = sti_body_default();
            body.density = 0;
            body.mass = 1;
            body.inertia[0] = body.inertia[4] = body.inertia[8] = 1;
            assert_int_equal(sti_bodies_add(bodies, &body, NULL), STI_OK);
            const sti_joint joint = sti_joint_default(STI_JOINT_FIXED, -1, 0);
            assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
        }
        const sti_world_view view = straight(60, 0);
        sti_image image;
        draw(env, bodies, NULL, &view, &image);
        assert_int_equal(image.height, 60);
        sti_image_clear(env, &image);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static void what_cannot_be_drawn_is_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = mixed_bodies(env, true);
    sti_pose poses[MOST];
    start_poses(bodies, poses);
    for (int k = 0; k < 8; k++) {
        sti_world_view view = straight(50, 50);
        sti_pose bad[MOST];
        memcpy(bad, poses, sizeof bad);
        if (k == 0) view.width = 0;
        if (k == 1) view.height = 10000;
        if (k == 2) view.samples = 5;
        if (k == 3) view.tilt = NAN;
        if (k == 4) view.turn = INFINITY;
        if (k == 5) view.ghost_count = -1;
        if (k == 6) bad[1].x[2] = NAN;
        if (k == 7) memset(bad[2].q, 0, sizeof bad[2].q);
        sti_image image;
        assert_int_equal(sti_draw_world(env, bodies, bad, NULL, &view, &image), STI_ERR_ARGUMENT);
        assert_null(image.rgb);
    }
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static sti_status draw_all_kinds(sti_env* env, int dim) {
    const double up[4] = {0, 0, 1, 0}, half[3] = {0.5, 0.5, 0.5}, round[2] = {0.4, 0.2};
    static const sti_world_contact push = {.a = 1, .b = 2, .n = {0, 1, 0}, .t1 = {1, 0, 0}, .r = {1, 0, 0}};
    sti_bodies* bodies = NULL;
    sti_image image = {0};
    void* bytes = NULL;
    size_t size;
    sti_pose poses[MOST], ghosts[MOST];
    sti_status status = sti_bodies_create(env, dim, &bodies);
    if (status == STI_OK) status = add(env, bodies, true, 0, 0, 0, STI_SHAPE_HALFSPACE, up + 3 - dim);
    if (status == STI_OK) status = add(env, bodies, false, 0, 1, 0, STI_SHAPE_BOX, half);
    if (status == STI_OK) status = add(env, bodies, false, 2, 1, 0, STI_SHAPE_CAPSULE, round);
    if (status == STI_OK) status = add(env, bodies, false, 4, 1, 0, STI_SHAPE_SPHERE, round);
    if (status == STI_OK && dim == 3) status = add_polyhedra(env, bodies, false, 5);
    if (status == STI_OK) {
        start_poses(bodies, poses);
        start_poses(bodies, ghosts);
        ghosts[1].x[1] = 3;
        sti_world_view view = sti_world_view_default();
        view.width = 20;
        view.ghost_count = 1;
        view.ghosts = ghosts;
        view.contact_count = 1;
        view.contacts = &push;
        status = sti_draw_world(env, bodies, poses, NULL, &view, &image);
    }
    if (status == STI_OK) status = sti_image_png(env, &image, &bytes, &size);
    sti_image_clear(env, &image);
    sti_env_free(env, bytes);
    sti_bodies_destroy(bodies);
    return status;
}

static void pictures_survive_every_failing_allocation(void** state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        for (long k = 0;; k++) {
            failing_env e;
            failing_env_open(&e, k);
            const sti_status status = draw_all_kinds(e.env, dim);
            const bool done = failing_env_close(&e);
            assert_int_equal(status, done ? STI_OK : STI_ERR_MEMORY);
            if (done) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_hides_what_is_behind_it),
        cmocka_unit_test(silhouettes_have_the_area_of_the_shapes),
        cmocka_unit_test(a_turned_world_seen_by_a_turned_viewer_looks_the_same),
        cmocka_unit_test(edges_are_dark_and_shadows_fall_on_the_floor),
        cmocka_unit_test(the_plane_is_seen_straight_on),
        cmocka_unit_test(ghosts_are_pale_and_forces_are_arrows),
        cmocka_unit_test(impulses_of_a_patch_are_one_arrow_unless_it_is_large),
        cmocka_unit_test(what_has_gone_astray_does_not_shrink_the_rest),
        cmocka_unit_test(meshes_are_seen_from_both_sides_and_hide_what_is_behind),
        cmocka_unit_test(links_lead_to_joints_that_are_apart_from_their_bodies),
        cmocka_unit_test(colours_tell_speed_and_force),
        cmocka_unit_test(the_same_scene_gives_the_same_bytes_and_libpng_reads_them),
        cmocka_unit_test(worlds_without_anything_to_see_are_drawn),
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
        cmocka_unit_test(pictures_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
