// Systems by formulas from JSON: fields and their defaults, and every mistake with file, field and column.
#include "support/io_tools.h"

static sti_document* parse(sti_env* env, const char* text) {
    sti_document* p;
    const sti_status status = sti_document_parse(env, text, strlen(text), "t.json", &p);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    assert_int_equal(sti_document_kind(p), STI_KIND_SYSTEM);
    return p;
}

static const char full[] =
    "{\"kind\": \"system\", \"name\": \"n\", \"description\": \"d\", \"comment\": \"c\",\n"
    " \"parameters\": {\"m\": 2, \"k\": \"1/4\", \"mu\": 0.3}, // two kinds of numbers\n"
    " \"definitions\": {\"w\": \"k*m\", \"two\": 2, \"z\": \"x*y\"},\n"
    " \"coordinates\": [\"x\", \"y\"],\n"
    " \"kinetic\": \"m/two*(x'^2 + y'^2)\", \"potential\": \"w*x^2/2\", \"forces\": {\"y\": \"-9.81*m\", \"x\": 0.5},\n"
    " \"contacts\": [{\"name\": \"floor\", \"gap\": \"y\", \"slip\": [\"x'\"], \"mu\": \"2*mu\", \"mu_kinetic\": "
    "\"mu\",\n"
    "                 \"restitution\": 0.5, \"restitution_t\": \"k\"}, {\"gap\": \"z\", \"slip\": \"z'\"}],\n"
    " \"joints\": [{\"constraint\": \"x - 0.5\"}],\n"
    " \"state\": {\"t\": 1.5, \"q\": [0.5, \"m\"], \"v\": [0, -1]}}";

static void every_field_of_a_system_is_read(void** state) {
    (void)state;
    io_log log;
    sti_env* env = io_env(&log);
    sti_document* p = parse(env, full);
    sti_system* s = sti_system_of(p);
    assert_null(sti_instant_of(p));
    assert_int_equal(log.count, 0);
    assert_int_equal(sti_system_coordinate_count(s), 2);
    assert_string_equal(sti_system_coordinate(s, 1), "y");
    assert_int_equal(sti_system_contact_count(s), 3);
    assert_int_equal(sti_system_joint_count(s), 1);
    assert_string_equal(sti_system_contact(s, 0), "floor");
    assert_string_equal(sti_system_contact(s, 1), "contact 2");
    assert_string_equal(sti_system_contact(s, 2), "joint 1");
    assert_int_equal(sti_system_parameter_count(s), 3);
    assert_string_equal(sti_system_parameter(s, 1), "k");
    assert_true(sti_system_parameter_value(s, 1) == 0.25);
    double t, q[2], v[2];
    assert_int_equal(sti_system_state(s, &t, q, v), STI_OK);
    assert_true(t == 1.5 && q[0] == 0.5 && q[1] == 2 && v[0] == 0 && v[1] == -1);
    sti_instant* a;
    assert_int_equal(sti_system_instant(env, s, t, q, v, &a), STI_OK);
    io_expect_equal(a->M, (double[]){2, 0, 0, 2}, 4);
    assert_true(a->F[0] == 0.5 * 0.5 - 0.5 && a->F[1] == 9.81 * 2);
    const sti_instant_contact* c = a->contacts;
    assert_true(c[0].mu == 0.6 && c[0].mu_kinetic == 0.3 && c[0].restitution == 0.5 && c[0].restitution_t == 0.25);
    assert_true(c[0].gap == 2 && c[1].tangent_count == 1 && c[1].t[1] == 0.5 && c[2].bilateral);
    assert_true(a->time == 1.5 && a->exact == NULL);
    sti_instant_destroy(env, a);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void unknown_fields_of_a_system_are_warned_of(void** state) {
    (void)state;
    io_log log;
    sti_env* env = io_env(&log);
    sti_document* p = parse(env,
                            "{\"kind\":\"system\",\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"colour\":1,"
                            "\"contacts\":[{\"gap\":\"x\",\"size\":2}],\"state\":{\"w\":3}}");
    assert_int_equal(log.count, 3);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static const struct {
    const char* text;  // in place of the dots of {"kind":"system",...}
    const char* words;
} mistakes[] = {
    {"\"kinetic\":\"0\"", "t.json: coordinates: missing: a list of names"},
    {"\"coordinates\":\"x\"", "coordinates: \"x\": a list"},
    {"\"coordinates\":[],\"kinetic\":0", "coordinates: 0: from 1 to"},
    {"\"coordinates\":[3],\"kinetic\":0", "coordinates[0]: 3: a name"},
    {"\"coordinates\":[\"x\",\"x\"],\"kinetic\":0", "coordinates[1]: \"x\": given twice"},
    {"\"coordinates\":[\"2x\"],\"kinetic\":0", "coordinates[0]: \"2x\": a name is expected"},
    {"\"coordinates\":[\"x\"]", "kinetic: missing: a formula"},
    {"\"coordinates\":[\"x\"],\"kinetic\":[1]", "kinetic: a list of 1: a formula in quotes"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2/\"", "t.json: kinetic: column 6: "},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"potential\":true", "potential: true: a formula"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"parameters\":[1]", "parameters: a list of 1: an object"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"parameters\":{\"m\":\"x\"}", "parameters.m: \"x\": not a number"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"parameters\":{\"x\":1}", "coordinates[0]: \"x\": given twice"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"definitions\":3", "definitions: 3: an object"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"definitions\":{\"d\":\"1+\"}", "definitions.d: column 3: "},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"definitions\":{\"d\":null}", "definitions.d: null: a formula"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"forces\":[1]", "forces: a list of 1: an object"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"forces\":{\"y\":1}", "forces.y: 1: no such coordinate"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"contacts\":{}", "contacts: an object: a list"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"contacts\":[1]", "contacts[0]: 1: an object"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"contacts\":[{}]", "contacts[0].gap: missing: a formula"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"joints\":[{\"gap\":\"x\"}]", "joints[0].constraint: missing"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"contacts\":[{\"gap\":\"x\",\"name\":\"\"}]",
     "contacts[0].name: \"\""},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"contacts\":[{\"gap\":\"x\",\"slip\":[\"x'\",\"x'\",\"x'\"]}]",
     "contacts[0].slip: a list of 3: at most 2"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"contacts\":[{\"gap\":\"x\",\"slip\":{}}]",
     "contacts[0].slip: an object"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"contacts\":[{\"gap\":\"x\",\"slip\":[\"y'\"]}]",
     "contacts[0].slip[0]: column 1: \"y\": no such name"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"contacts\":[{\"gap\":\"x\",\"slip\":[null]}]",
     "contacts[0].slip[0]: null"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"state\":3", "state: 3: an object"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"state\":{\"q\":[1,2]}", "state.q: a list of 2: 1 entries"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"state\":{\"q\":[\"x\"]}", "state.q[0]: no finite value"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"state\":{\"v\":[\"1/(x-x)\"]}", "state.v[0]: no finite value"},
    {"\"coordinates\":[\"x\"],\"kinetic\":\"x'^2\",\"state\":{\"t\":\"t\"}", "state.t: only parameters"},
};

static void every_mistake_in_a_system_is_named(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        char text[400];
        sti_document* p;
        snprintf(text, sizeof text, "{\"kind\":\"system\",%s}", mistakes[k].text);
        const sti_status status = sti_document_parse(env, text, strlen(text), "t.json", &p);
        if (status != STI_ERR_INPUT) print_error("%s\n", text);
        assert_int_equal(status, STI_ERR_INPUT);
        assert_null(p);
        io_expect_error(env, STI_ERR_INPUT, mistakes[k].words);
        io_expect_error(env, STI_ERR_INPUT, "t.json: ");
    }
    sti_env_destroy(env);
}

static void every_failed_allocation_of_a_system_file_is_survived(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        sti_document* p;
        failing_env_open(&f, k);
        const sti_status status = sti_document_parse(f.env, full, strlen(full), "t.json", &p);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        sti_document_destroy(p);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_system_is_read),
        cmocka_unit_test(unknown_fields_of_a_system_are_warned_of),
        cmocka_unit_test(every_mistake_in_a_system_is_named),
        cmocka_unit_test(every_failed_allocation_of_a_system_file_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
