// Pictures: what stands where, PNG files read back by libpng, and inputs that cannot be drawn.
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "draw/draw_tools.h"
#include "support/failing_env.h"
#include "support/open_env.h"

// Three grains beside each other, and a fourth before the middle one that the cut takes away.
typedef struct four {
    double x[12], v[12], radius[4], mass[4];
    unsigned char color[12];
    sti_grains g;
} four;

static void put_four(four* f) {
    *f = (four){.x = {-2, 0.5, 0, 0, 0.5, 0, 2, 0.5, 0, 0, -2, 0},
                .radius = {0.9, 0.9, 0.9, 0.9},
                .mass = {1, 1, 1, 1},
                .color = {220, 20, 20, 20, 220, 20, 20, 20, 220, 220, 20, 20}};
    f->g = (sti_grains){.count = 4, .x = f->x, .v = f->v, .w = f->v, .radius = f->radius, .mass = f->mass};
}

static void grains_stand_where_they_are_and_the_cut_opens_the_view(void** state) {
    (void)state;
    sti_env* env = open_env();
    four f;
    put_four(&f);
    for (int cut = 0; cut < 2; cut++) {
        const sti_bed_view view = {.width = 300, .height = 150, .cut = cut == 1, .samples = 2};
        sti_image image;
        assert_int_equal(sti_draw_bed(env, &f.g, f.x, f.color, &view, &image), STI_OK);
        assert_true(image.width == 300 && image.height == 150);
        // the middle of the picture is the middle of the box; find grains by looking along its middle row
        int seen[300], runs = 0, order[8];
        for (int x = 0; x < 300; x++) {
            seen[x] = hue(pixel(&image, x, 95));
            if (seen[x] >= 0 && (x == 0 || seen[x] != seen[x - 1]) && runs < 8) order[runs++] = seen[x];
        }
        assert_int_equal(runs, 3);
        assert_int_equal(order[0], 0);
        assert_int_equal(order[1], cut == 1 ? 1 : 0);
        assert_int_equal(order[2], 2);
        assert_int_equal(hue(pixel(&image, 2, 2)), -1);  // nothing but background in the corner
        sti_image_clear(env, &image);
    }
    sti_env_destroy(env);
}

static void light_comes_from_above_and_pictures_have_the_height_that_fits(void** state) {
    (void)state;
    sti_env* env = open_env();
    double x[3] = {0, 0, 0}, v[3] = {0}, radius = 1, mass = 1;
    const unsigned char color[3] = {200, 20, 20};
    const sti_grains g = {.count = 1, .x = x, .v = v, .w = v, .radius = &radius, .mass = &mass};
    const sti_bed_view view = {.width = 200, .samples = 2};
    sti_image image;
    assert_int_equal(sti_draw_bed(env, &g, x, color, &view, &image), STI_OK);
    assert_true(image.height > 200 && image.height < 400);
    int first = -1, last = -1;
    for (int y = 0; y < image.height; y++) {
        if (hue(pixel(&image, 100, y)) != 0) continue;
        if (first < 0) first = y;
        last = y;
    }
    const int size = last - first;
    assert_true(first > 0 && last < image.height - 1 && size > 150);
    assert_true(pixel(&image, 100, first + size / 4)[0] > 1.2 * pixel(&image, 100, last - size / 4)[0]);
    sti_image_clear(env, &image);
    sti_env_destroy(env);
}

static void the_vessel_is_drawn_with_its_cut(void** state) {
    (void)state;
    sti_env* env = open_env();
    const sti_pebble_bed def = sti_pebble_bed_default(100);
    sti_grains g;
    assert_int_equal(sti_grains_pebble_bed(env, &def, &g), STI_OK);
    unsigned char color[300];
    memset(color, 0, sizeof color);
    for (int k = 0; k < 100; k++) color[3 * k] = 255;
    sti_bed_view view = sti_bed_view_default();
    view.width = 300;
    sti_image image;
    assert_int_equal(sti_draw_bed(env, &g, g.x, color, &view, &image), STI_OK);
    long grains = 0, dark = 0;
    for (int y = 0; y < image.height; y++) {
        for (int x = 0; x < image.width; x++) {
            const unsigned char* p = pixel(&image, x, y);
            grains += hue(p) == 0;
            dark += p[0] < 110 && abs(p[0] - p[2]) < 20 && abs(p[0] - p[1]) < 20;
        }
    }
    const long all = (long)image.width * image.height;
    assert_true(grains > all / 5 && grains < all * 4 / 5);
    assert_true(dark > 2L * image.height && dark < all / 10);  // two walls at least two pixels thick
    sti_image_clear(env, &image);
    sti_grains_clear(env, &g);
    sti_env_destroy(env);
}

static void libpng_reads_what_was_saved(void** state) {
    (void)state;
    char path[] = "/tmp/stiction-test-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    sti_env* env = open_env();
    sti_image image;
    assert_int_equal(sti_image_make(env, 37, 23, &image), STI_OK);
    for (int k = 0; k < 37 * 23 * 3; k++) image.rgb[k] = (unsigned char)(k * k / 7);
    assert_int_equal(sti_image_save(env, &image, path), STI_OK);
    png_image read = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&read, path) != 0);
    assert_true(read.width == 37 && read.height == 23);
    read.format = PNG_FORMAT_RGB;
    unsigned char back[37 * 23 * 3];
    assert_true(png_image_finish_read(&read, NULL, back, 0, NULL) != 0);
    assert_memory_equal(back, image.rgb, sizeof back);
    assert_int_equal(sti_image_save(env, &image, "/no/such/folder/a.png"), STI_ERR_IO);
    sti_image_clear(env, &image);
    assert_int_equal(sti_image_make(env, 0, 5, &image), STI_ERR_ARGUMENT);
    assert_int_equal(sti_image_make(env, 5, 1 << 20, &image), STI_ERR_ARGUMENT);
    unlink(path);
    sti_env_destroy(env);
}

static void colours_stay_in_their_range(void** state) {
    (void)state;
    unsigned char a[3], b[3];
    sti_color_of_class(-3, a);
    sti_color_of_class(5, b);
    assert_memory_equal(a, b, 3);
    sti_color_of_value(-1, a);
    sti_color_of_value(0, b);
    assert_memory_equal(a, b, 3);
    sti_color_of_value(INFINITY, a);
    sti_color_of_value(1, b);
    assert_memory_equal(a, b, 3);
    sti_color_of_value(NAN, a);
    double before = 1e9;
    for (int k = 0; k <= 100; k++) {  // darker and darker
        sti_color_of_value(k / 100.0, a);
        const double light = 0.3 * a[0] + 0.59 * a[1] + 0.11 * a[2];
        assert_true(light <= before + 1);
        before = light;
    }
}

static void what_cannot_be_drawn_is_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    four f;
    put_four(&f);
    sti_image image;
    sti_bed_view view = {.width = 100, .samples = 5};
    assert_int_equal(sti_draw_bed(env, &f.g, f.x, f.color, &view, &image), STI_ERR_ARGUMENT);
    view = (sti_bed_view){.width = 0, .samples = 1};
    assert_int_equal(sti_draw_bed(env, &f.g, f.x, f.color, &view, &image), STI_ERR_ARGUMENT);
    view = (sti_bed_view){.width = 100, .samples = 1, .tilt = NAN};
    assert_int_equal(sti_draw_bed(env, &f.g, f.x, f.color, &view, &image), STI_ERR_ARGUMENT);
    view.tilt = 0;
    f.x[4] = NAN;
    assert_int_equal(sti_draw_bed(env, &f.g, f.x, f.color, &view, &image), STI_ERR_ARGUMENT);
    f.x[4] = 0;
    f.g.count = 0;
    assert_int_equal(sti_draw_bed(env, &f.g, f.x, f.color, &view, &image), STI_ERR_ARGUMENT);
    assert_null(image.rgb);
    sti_env_destroy(env);
}

static void pictures_survive_every_failing_allocation(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env e;
        failing_env_open(&e, k);
        four f;
        put_four(&f);
        const sti_bed_view view = {.width = 20, .height = 20, .samples = 1};
        sti_image image;
        void* bytes = NULL;
        size_t size;
        sti_status status = sti_draw_bed(e.env, &f.g, f.x, f.color, &view, &image);
        if (status == STI_OK) status = sti_image_png(e.env, &image, &bytes, &size);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_image_clear(e.env, &image);
        sti_env_free(e.env, bytes);
        if (failing_env_close(&e)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_stand_where_they_are_and_the_cut_opens_the_view),
        cmocka_unit_test(light_comes_from_above_and_pictures_have_the_height_that_fits),
        cmocka_unit_test(the_vessel_is_drawn_with_its_cut),
        cmocka_unit_test(libpng_reads_what_was_saved),
        cmocka_unit_test(colours_stay_in_their_range),
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
        cmocka_unit_test(pictures_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
