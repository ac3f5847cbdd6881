// Scenes from JSON: fields and their defaults, settings as text, and every mistake with file, field and value.
#include <math.h>

#include "support/io_tools.h"

static const char full[] =
    "{\"kind\": \"scene\", \"name\": \"n\", \"description\": \"a \\\"bed\\\"\", // with a comment\n"
    " \"bed\": {\"layout\": \"pebble-bed\", \"count\": 70, \"seed\": 9, \"mu\": 0.25, \"cylinder\": 4, \"opening\": "
    "1.5, \"radius\": 0.375, \"gravity\": 3.5, \"recirculate\": true},\n"
    " \"step\": {\"h\": 0.02, \"law\": \"facets\", \"facets\": 5, \"solver\": \"tron\", \"tol\": 1e-6, "
    "\"max_iterations\": 77,\n"
    "          \"recover\": 0.5, \"eps\": 0.05, \"eps_speed\": 2, \"warm\": false},\n"
    " \"time\": 3.5, \"until\": {\"kinetic\": 0.125, \"kinetic_mean\": 1e-3}}";

static sti_bed_scene parse(sti_env* env, const char* text) {
    sti_document* p;
    const sti_status status = sti_document_parse(env, text, strlen(text), "t.json", &p);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    assert_int_equal(sti_document_kind(p), STI_KIND_SCENE);
    assert_null(sti_system_of(p));
    const sti_bed_scene scene = *sti_bed_scene_of(p);
    sti_document_destroy(p);
    return scene;
}

static void expect_full(const sti_bed_scene* s) {
    assert_string_equal(s->description, "a \"bed\"");
    assert_int_equal(s->bed.layout, STI_LAYOUT_PEBBLE_BED);
    assert_true(s->bed.count == 70 && s->bed.seed == 9 && s->bed.mu == 0.25);
    assert_true(s->bed.cylinder == 4 && s->bed.opening == 1.5 && s->bed.recirculate);
    assert_true(s->bed.radius == 0.375 && s->bed.gravity == 3.5);
    assert_true(s->step.h == 0.02 && s->step.law == STI_LAW_FACETS && s->step.facets == 5);
    assert_true(s->step.solver == STI_BED_TRON && s->step.tol == 1e-6 && s->step.max_iterations == 77);
    assert_true(s->step.recover == 0.5 && s->step.eps == 0.05 && s->step.eps_speed == 2 && !s->step.warm);
    assert_true(s->time == 3.5 && s->until_kinetic == 0.125 && s->until_mean == 1e-3);
}

static void every_field_of_a_scene_is_read_and_written_back(void** state) {
    (void)state;
    io_log log;
    sti_env* env = io_env(&log);
    const sti_bed_scene s = parse(env, full);
    expect_full(&s);
    assert_int_equal(log.count, 0);
    char* text;
    assert_int_equal(sti_bed_scene_json(env, &s, &text), STI_OK);
    const sti_bed_scene again = parse(env, text);
    expect_full(&again);
    sti_env_free(env, text);
    sti_env_destroy(env);
}

#define WITH_WALLS(walls) "{\"kind\":\"scene\",\"bed\":{\"layout\":\"box\",\"count\":5},\"walls\":" walls ",\"time\":1}"

static void friction_of_walls_is_read_written_back_and_set(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    static const char* const texts[] = {
        WITH_WALLS("{\"along\":[1,2,3],\"ellipse\":{\"axes\":[1,\"2/5\"],\"angle\":0.5}}"),
        WITH_WALLS("{\"along\":[1,2,3],\"polygon\":[[1,0],[0,0.5],[-1,-0.25]],\"which\":[0,3]}")};
    for (int k = 0; k < 2; k++) {
        sti_bed_scene s = parse(env, texts[k]);
        for (int round = 0; round < 2; round++) {
            char* text;
            sti_grains g;
            assert_true(s.walls.along[0] == 1 && s.walls.along[1] == 2 && s.walls.along[2] == 3);
            assert_int_equal(s.walls.shape, k == 0 ? STI_SECTION_ELLIPSE : STI_SECTION_POLYGON);
            assert_true(k == 1 || (s.walls.axes[0] == 1 && s.walls.axes[1] == 0.4 && s.walls.angle == 0.5));
            assert_true(k == 0 || (s.walls.corner_count == 3 && s.walls.corner[1][1] == 0.5 &&
                                   s.walls.corner[2][1] == -0.25 && s.walls.wall_count == 2 && s.walls.wall[1] == 3));
            assert_int_equal(sti_bed_scene_grains(env, &s, &g), STI_OK);
            for (int wall = 0; wall < g.wall_count; wall++) {
                const bool said = k == 0 || wall == 0 || wall == 3;
                assert_int_equal(g.friction[wall].section.shape, said ? s.walls.shape : STI_SECTION_DISC);
            }
            sti_grains_clear(env, &g);
            assert_int_equal(sti_bed_scene_json(env, &s, &text), STI_OK);
            s = parse(env, text);
            sti_env_free(env, text);
        }
    }
    sti_env_destroy(env);
}

static void what_is_no_friction_of_walls_is_refused_by_its_place(void** state) {
    (void)state;
    static const char* const bad[][2] = {
        {WITH_WALLS("3"), "t.json: walls: 3: an object"},
        {WITH_WALLS("{\"along\":[1,0,0]}"), "t.json: walls: an object: \"ellipse\" or \"polygon\" is expected"},
        {WITH_WALLS("{\"ellipse\":{\"axes\":[1,2]}}"), "t.json: walls.along: missing"},
        {WITH_WALLS("{\"along\":[1,0],\"ellipse\":{\"axes\":[1,2]}}"), "t.json: walls.along: "},
        {WITH_WALLS("{\"along\":[1,0,null],\"ellipse\":{\"axes\":[1,2]}}"), "t.json: walls.along[2]: null"},
        {WITH_WALLS("{\"along\":[1,0,0],\"ellipse\":[1,2]}"), "t.json: walls.ellipse: "},
        {WITH_WALLS("{\"along\":[1,0,0],\"ellipse\":{\"axis\":[1,2]}}"), "t.json: walls.ellipse.axis: "},
        {WITH_WALLS("{\"along\":[1,0,0],\"ellipse\":{}}"), "t.json: walls.ellipse.axes: missing"},
        {WITH_WALLS("{\"along\":[1,0,0],\"polygon\":[[1,0],[0,1]]}"), "t.json: walls.polygon: "},
        {WITH_WALLS("{\"along\":[1,0,0],\"polygon\":[[1,0],[0,1],[1]]}"), "t.json: walls.polygon[2]: "},
        {WITH_WALLS("{\"along\":[1,0,0],\"polygon\":[[1,0],[0,1],[1,true]]}"), "t.json: walls.polygon[2][1]: "},
        {WITH_WALLS("{\"along\":[1,0,0],\"ellipse\":{\"axes\":[1,2]},\"which\":[]}"), "t.json: walls.which: "},
        {WITH_WALLS("{\"along\":[1,0,0],\"ellipse\":{\"axes\":[1,2]},\"which\":[0,-1]}"), "t.json: walls.which[1]: -1"},
        {WITH_WALLS("{\"along\":[1,0,0],\"ellipse\":{\"axes\":[1,2]},\"on\":[0]}"), "t.json: walls.on: "},
    };
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        sti_document* p;
        assert_int_equal(sti_document_parse(env, bad[k][0], strlen(bad[k][0]), "t.json", &p), STI_ERR_INPUT);
        assert_null(p);
        io_expect_error(env, STI_ERR_INPUT, bad[k][1]);
    }
    // whether a set is a section of these walls is known with the walls
    sti_grains g;
    const sti_bed_scene none = parse(env, WITH_WALLS("{\"along\":[1,1,1],\"ellipse\":{\"axes\":[1,0]}}"));
    assert_int_equal(sti_bed_scene_grains(env, &none, &g), STI_ERR_ARGUMENT);
    io_expect_error(env, STI_ERR_ARGUMENT, "wall 0: ellipse of half axes 1 and 0");
    const sti_bed_scene beyond =
        parse(env, WITH_WALLS("{\"along\":[1,1,1],\"ellipse\":{\"axes\":[1,2]},\"which\":[5]}"));
    assert_int_equal(sti_bed_scene_grains(env, &beyond, &g), STI_ERR_ARGUMENT);
    io_expect_error(env, STI_ERR_ARGUMENT, "wall 5: there are 5");
    sti_env_destroy(env);
}

static void what_a_scene_leaves_out_has_the_default_of_the_library(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    const sti_bed_scene s = parse(env, "{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":12},\"time\":1}");
    const sti_bed_options o = sti_bed_options_default();
    assert_true(s.bed.seed == 1 && s.bed.mu == 0.3 && s.step.tol == o.tol && s.step.warm == o.warm);
    assert_true(s.step.h == o.h * sqrt(0.03 / 0.5));  // the step follows the radius
    assert_true(s.step.law == o.law && s.step.solver == o.solver && s.until_kinetic == 0);
    sti_grains g;
    assert_int_equal(sti_bed_scene_grains(env, &s, &g), STI_OK);
    assert_int_equal(g.count, 12);
    assert_true(g.mu == 0.3 && g.walls[2].mu == 0.3);
    sti_grains_clear(env, &g);
    sti_env_destroy(env);
}

static void settings_go_by_short_or_full_name(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_bed_scene s = sti_bed_scene_default(STI_LAYOUT_PEBBLE_BED, 100);
    static const char* const good[][2] = {
        {"bed.count", "70"},      {"seed", "9"},           {"mu", "0.25"},
        {"bed.cylinder", "4"},    {"opening", "1.5"},      {"h", "0.02"},
        {"step.law", "facets"},   {"facets", "5"},         {"solver", "tron"},
        {"tol", "1e-6"},          {"recover", ".5"},       {"eps", "0.05"},
        {"eps_speed", "2"},       {"step.warm", "false"},  {"time", "3.5"},
        {"recirculate", "true"},  {"kinetic", "0.125"},    {"until.kinetic_mean", "1e-3"},
        {"max_iterations", "77"}, {"bed.radius", "0.375"}, {"gravity", "3.5"}};
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
        assert_int_equal(sti_bed_scene_set(env, &s, good[k][0], good[k][1]), STI_OK);
    snprintf(s.description, sizeof s.description, "a \"bed\"");
    expect_full(&s);
    static const char* const bad[][3] = {
        {"counts", "3", "counts: no such parameter of pebble-bed; there are layout, count"},
        {"step.count", "3", "step.count: no such parameter"},
        {"count", "0", "count: 0: a whole number from 1"},
        {"count", "2.5", "count: 2.5: a whole number"},
        {"count", "many", "count: many: a whole number"},
        {"count", "1e99", "count: 1e99: "},
        {"mu", "-0.1", "mu: -0.1: a number from 0"},
        {"mu", "nan", "mu: nan: a number"},
        {"h", "0", "h: 0: a number greater than 0"},
        {"law", "wet", "law: wet: one of coulomb, cone, facets"},
        {"solver", "3", "solver: 3: one of gs, apgd"},
        {"warm", "2", "warm: 2: true or false"},
        {"warm", "yes", "warm: yes: true or false"},
        {"", "1", ": no such parameter"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        const sti_bed_scene before = s;
        assert_int_equal(sti_bed_scene_set(env, &s, bad[k][0], bad[k][1]), STI_ERR_INPUT);
        io_expect_error(env, STI_ERR_INPUT, bad[k][2]);
        assert_memory_equal(&before, &s, sizeof s);
    }
    sti_bed_scene settle = sti_bed_scene_default(STI_LAYOUT_SETTLE, 10);
    assert_int_equal(sti_bed_scene_set(env, &settle, "cylinder", "3"), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "cylinder: no such parameter of settle");
    sti_env_destroy(env);
}

static void mistakes_name_file_field_and_value(void** state) {
    (void)state;
    static const char* const bad[][2] = {
        {"{\"kind\":\"scene\",\"time\":1}", "t.json: bed: missing"},
        {"{\"kind\":\"scene\",\"bed\":[],\"time\":1}", "t.json: bed: "},
        {"{\"kind\":\"scene\",\"bed\":{\"count\":5},\"time\":1}",
         "t.json: bed.layout: missing: one of pebble-bed, settle"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"mud\",\"count\":5},\"time\":1}",
         "bed.layout: \"mud\": one of pebble-bed"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":3,\"count\":5},\"time\":1}", "bed.layout: 3: one of"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\"},\"time\":1}", "bed.count: missing"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":0},\"time\":1}",
         "bed.count: 0: a whole number from 1"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":\"5\"},\"time\":1}",
         "bed.count: \"5\": a whole number"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":true},\"time\":1}",
         "bed.count: true: a whole number"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":5,\"cylinder\":2},\"time\":1}",
         "bed.cylinder: 2: the layout settle has no such parameter"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":5}}", "t.json: time: missing"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":5},\"time\":-1}",
         "time: -1: a number greater than 0"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":5},\"time\":1,\"step\":{\"h\":1e999}}",
         "step.h: "},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":5},\"time\":1,\"step\":{\"warm\":1}}",
         "step.warm: 1: true or false"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":5},\"time\":1,\"step\":{\"law\":\"ice\"}}",
         "step.law: \"ice\": one of coulomb, cone, facets"},
        {"{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":5},\"time\":1,\"until\":3}",
         "until: 3: an object"},
        {"{\"kind\":\"scene\",\"description\":4,\"bed\":{\"layout\":\"settle\",\"count\":5},\"time\":1}",
         "description: 4: text"},
    };
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        sti_document* p;
        assert_int_equal(sti_document_parse(env, bad[k][0], strlen(bad[k][0]), "t.json", &p), STI_ERR_INPUT);
        assert_null(p);
        io_expect_error(env, STI_ERR_INPUT, bad[k][1]);
    }
    sti_env_destroy(env);
}

static void unknown_fields_of_a_scene_are_refused(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    const char* const texts[] = {
        "{\"kind\":\"scene\",\"colour\":1,\"bed\":{\"layout\":\"settle\",\"count\":5},\"time\":1}",
        "{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":5,\"size\":2},\"time\":1}",
        "{\"kind\":\"scene\",\"bed\":{\"layout\":\"settle\",\"count\":5},\"step\":{\"hh\":2},\"time\":1}"};
    const char* const names[] = {"t.json: colour: ", "t.json: bed.size: ", "t.json: step.hh: "};
    for (int k = 0; k < 3; k++) {
        sti_document* p;
        assert_int_equal(sti_document_parse(env, texts[k], strlen(texts[k]), "t.json", &p), STI_ERR_INPUT);
        assert_null(p);
        assert_non_null(strstr(sti_env_error(env)->text, names[k]));
    }
    const sti_bed_scene s =
        parse(env, "{\"kind\":\"scene\",\"comment\":1,\"bed\":{\"layout\":\"settle\",\"count\":5},\"time\":1}");
    assert_int_equal(s.bed.count, 5);
    sti_env_destroy(env);
}

static void a_long_description_is_cut_at_a_character(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    char text[2000] = "{\"kind\":\"scene\",\"description\":\"a";
    for (int k = 0; k < 300; k++) strcat(text, "\xc3\xa4");
    strcat(text, "\",\"bed\":{\"layout\":\"settle\",\"count\":5},\"time\":1}");
    const sti_bed_scene s = parse(env, text);
    assert_int_equal(strlen(s.description) % 2, 1);
    char* json;
    assert_int_equal(sti_bed_scene_json(env, &s, &json), STI_OK);
    const sti_bed_scene again = parse(env, json);
    assert_string_equal(again.description, s.description);
    sti_env_free(env, json);
    sti_env_destroy(env);
}

static void scenes_survive_every_failing_allocation(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_document* p = NULL;
        char* text = NULL;
        sti_grains g = {0};
        sti_status status = sti_document_parse(f.env, full, strlen(full), "t.json", &p);
        if (status == STI_OK) status = sti_bed_scene_json(f.env, sti_bed_scene_of(p), &text);
        if (status == STI_OK) status = sti_bed_scene_grains(f.env, sti_bed_scene_of(p), &g);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_grains_clear(f.env, &g);
        sti_env_free(f.env, text);
        sti_document_destroy(p);
        p = NULL;
        text = NULL;
        const char* walls = WITH_WALLS("{\"along\":[1,2,3],\"polygon\":[[1,0],[0,0.5],[-1,-0.25]],\"which\":[0,3]}");
        status = sti_document_parse(f.env, walls, strlen(walls), "t.json", &p);
        if (status == STI_OK) status = sti_bed_scene_json(f.env, sti_bed_scene_of(p), &text);
        if (status == STI_OK) status = sti_bed_scene_grains(f.env, sti_bed_scene_of(p), &g);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_grains_clear(f.env, &g);
        sti_env_free(f.env, text);
        sti_document_destroy(p);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_scene_is_read_and_written_back),
        cmocka_unit_test(friction_of_walls_is_read_written_back_and_set),
        cmocka_unit_test(what_is_no_friction_of_walls_is_refused_by_its_place),
        cmocka_unit_test(what_a_scene_leaves_out_has_the_default_of_the_library),
        cmocka_unit_test(settings_go_by_short_or_full_name),
        cmocka_unit_test(mistakes_name_file_field_and_value),
        cmocka_unit_test(unknown_fields_of_a_scene_are_refused),
        cmocka_unit_test(a_long_description_is_cut_at_a_character),
        cmocka_unit_test(scenes_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
