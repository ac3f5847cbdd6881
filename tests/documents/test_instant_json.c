// Instants from JSON: every number as it is written, defaults, the way back to a file, and every mistake named.
#include "support/io_tools.h"
#include "system/instant.h"

static sti_document* parse(sti_env* env, const char* text) {
    sti_document* p;
    const sti_status status = sti_document_parse(env, text, strlen(text), "t.json", &p);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    assert_int_equal(sti_document_kind(p), STI_KIND_INSTANT);
    assert_int_equal(sti_instant_check(env, sti_instant_of(p)), STI_OK);
    return p;
}

static void expect_exact(sti_env* env, const sti_rationals* r, size_t i, const char* expected) {
    char* text;
    assert_int_equal(sti_rationals_text(r, i, &text), STI_OK);
    assert_string_equal(text, expected);
    sti_env_free(env, text);
}

static const char full[] =
    "{\"kind\":\"instant\",\"name\":\"a rod\",\"coordinates\":[\"x\",\"y\",\"a\"],\"time\":0.25,\n"
    " \"M\":[[2,0,0.01],[0,\"2/3\",0],[0.01,0,1e-3]],\"F\":[0,-9.81,0.4],\"v\":[1,0.30,-2],\n"
    " \"contacts\":[{\"name\":\"tip\",\"type\":\"unilateral\",\"mu\":0.4,\"mu_kinetic\":\"1/3\",\"n\":[0,1,-0.2],\n"
    "   \"t\":[[1,0,0.6],[0,0,1]],\"n_rate\":0.7,\"t_rate\":[-1,0.9],\"restitution\":0.5,\"restitution_t\":0.25,\n"
    "   \"gap\":0.01,\"mode\":\"slide\"}, // the other end is held\n"
    "  {\"type\":\"bilateral\",\"n\":[1,0,0.10000000000000000555],\"t\":[0,1,0],\"mu\":1,\"t_rate\":3}],\n"
    " \"restitution\":[[0.1,0.2],[0.3,0.4]]}";

static void every_field_is_read(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env, full);
    const sti_instant* a = sti_instant_of(p);
    assert_null(sti_lcp_of(p));
    assert_null(sti_contact_problem_of(p));
    assert_int_equal(a->n, 3);
    assert_int_equal(a->contact_count, 2);
    assert_int_equal(a->tangent_total, 3);
    assert_true(a->time == 0.25);
    assert_string_equal(a->names[2], "a");
    io_expect_equal(a->M, (double[]){2, 0, 0.01, 0, 2.0 / 3, 0, 0.01, 0, 1e-3}, 9);
    io_expect_equal(a->F, (double[]){0, -9.81, 0.4}, 3);
    io_expect_equal(a->v, (double[]){1, 0.3, -2}, 3);
    io_expect_equal(a->restitution, (double[]){0.1, 0.2, 0.3, 0.4}, 4);
    const sti_instant_contact *c = &a->contacts[0], *d = &a->contacts[1];
    assert_string_equal(c->name, "tip");
    assert_string_equal(d->name, "contact 2");
    assert_true(!c->bilateral && d->bilateral);
    assert_true(c->state == STI_INSTANT_SLIDE && d->state == STI_INSTANT_BY_VELOCITY);
    assert_true(c->gap == 0.01 && c->mu == 0.4 && c->mu_kinetic == 1.0 / 3 && c->restitution == 0.5);
    assert_true(c->restitution_t == 0.25 && c->n_rate == 0.7 && d->n_rate == 0 && d->mu_kinetic == 1);
    io_expect_equal(c->n, (double[]){0, 1, -0.2}, 3);
    io_expect_equal(c->t, (double[]){1, 0, 0.6, 0, 0, 1}, 6);
    io_expect_equal(c->t_rate, (double[]){-1, 0.9}, 2);
    io_expect_equal(d->t, (double[]){0, 1, 0}, 3);
    assert_true(d->t_rate[0] == 3);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void numbers_are_kept_by_their_digits(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env, full);
    const sti_instant_exact* e = sti_instant_of(p)->exact;
    expect_exact(env, e->M, 2, "1/100");
    expect_exact(env, e->M, 4, "2/3");
    expect_exact(env, e->M, 8, "1/1000");
    expect_exact(env, e->F, 1, "-981/100");
    expect_exact(env, e->v, 1, "3/10");
    expect_exact(env, e->n, 2, "-1/5");
    expect_exact(env, e->n, 5, "2000000000000000111/20000000000000000000");
    expect_exact(env, e->t, 2, "3/5");
    expect_exact(env, e->t, 7, "1");
    expect_exact(env, e->n_rate, 0, "7/10");
    expect_exact(env, e->t_rate, 1, "9/10");
    expect_exact(env, e->t_rate, 2, "3");
    expect_exact(env, e->gap, 0, "1/100");
    expect_exact(env, e->mu, 0, "2/5");
    expect_exact(env, e->mu_kinetic, 0, "1/3");
    expect_exact(env, e->mu_kinetic, 1, "1");
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void what_is_not_given_has_its_default(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p =
        parse(env, "{\"kind\":\"instant\",\"M_diag\":[1,\"1/3\"],\"contacts\":[{\"n\":[0,1]},{\"n\":[1,0],\"t\":[]}]}");
    const sti_instant* a = sti_instant_of(p);
    io_expect_equal(a->M, (double[]){1, 0, 0, 1.0 / 3}, 4);
    expect_exact(env, a->exact->M, 3, "1/3");
    io_expect_equal(a->F, (double[]){0, 0}, 2);
    io_expect_equal(a->v, (double[]){0, 0}, 2);
    assert_null(a->names);
    assert_null(a->restitution);
    const sti_instant_contact* c = &a->contacts[0];
    assert_string_equal(c->name, "contact 1");
    assert_true(c->gap == 0 && c->mu == 0 && c->mu_kinetic == 0 && c->restitution == 0 && c->tangent_count == 0);
    sti_document_destroy(p);
    p = parse(env, "{\"kind\":\"instant\",\"M\":[[0]]}");  // no contacts, no mass
    assert_int_equal(sti_instant_of(p)->contact_count, 0);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void surfaces_may_move(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    io_folder_make();
    sti_document* p = parse(env,
                            "{\"kind\":\"instant\",\"M\":[[1]],\"contacts\":[{\"n\":[1],\"n_offset\":0.5},{\"n\":[1],"
                            "\"t\":[1],\"t_offset\":-0.25}]}");
    const sti_instant* a = sti_instant_of(p);
    assert_non_null(a->exact);  // speeds of surfaces are doubles beside it
    assert_true(a->contacts[0].n_offset == 0.5 && a->contacts[1].t_offset[0] == -0.25);
    assert_int_equal(sti_instant_save(env, a, io_path("a.json")), STI_OK);
    sti_document* q;
    assert_int_equal(sti_document_load(env, io_path("a.json"), &q), STI_OK);
    a = sti_instant_of(q);
    assert_true(a->contacts[0].n_offset == 0.5 && a->contacts[1].t_offset[0] == -0.25);
    sti_document_destroy(q);
    sti_document_destroy(p);
    io_folder_remove();
    sti_env_destroy(env);
}

static void unknown_fields_are_warned_of(void** state) {
    (void)state;
    io_log log;
    sti_env* env = io_env(&log);
    sti_document* p =
        parse(env, "{\"kind\":\"instant\",\"M\":[[1]],\"contacts\":[{\"n\":[1],\"colour\":3}],\"comment\":1}");
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.last, "t.json: contacts[0].colour: no such field"));
    sti_document_destroy(p);
    p = parse(env, "{\"kind\":\"instant\",\"M\":[[1]],\"f\":[2]}");
    assert_int_equal(log.count, 2);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void rounding_in_a_symmetric_matrix_is_taken_out(void** state) {
    (void)state;
    io_log log;
    sti_env* env = io_env(&log);
    sti_document* p = parse(env, "{\"kind\":\"instant\",\"M\":[[1,0.30000000000000004],[0.3,1]]}");
    const sti_instant* a = sti_instant_of(p);
    assert_int_equal(log.count, 1);
    assert_true(a->M[1] == a->M[2] && a->M[1] == 0.30000000000000004);
    expect_exact(env, a->exact->M, 2, "7500000000000001/25000000000000000");
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static const struct {
    const char* text;  // in place of the dots of {"kind":"instant",...}
    const char* words;
} mistakes[] = {
    {"\"F\":[1]", "t.json: M: missing: a list of rows"},
    {"\"M\":[[1]],\"M_diag\":[1]", "M_diag: a list of 1: M is given too"},
    {"\"M\":3", "M: 3: a list of rows"},
    {"\"M\":[]", "M: a list of 0: from 1 to"},
    {"\"M\":[1,2]", "M[0]: 1: a list of 2"},
    {"\"M\":[[1,0],[0]]", "M[1]: a list of 1: 2 entries"},
    {"\"M\":[[1,2],[0,1]]", "M[1][0]: 0: M[0][1] is 2, a symmetric matrix"},
    {"\"M\":[[1,2],[2,1]]", "M: not positive semidefinite"},
    {"\"M\":[[0,1],[1,0]]", "M: not positive semidefinite"},
    {"\"M\":[[-1]]", "M: not positive semidefinite"},
    {"\"M\":[[\"a\"]]", "M[0][0]: \"a\": not a number"},
    {"\"M\":[[1e999]]", "M[0][0]: inf: too large"},
    {"\"M\":[[1e-999]]", "M[0][0]: 0: not zero, and too small"},
    {"\"M\":[[true]]", "M[0][0]: true: a number"},
    {"\"M\":[[1]],\"F\":[1,2]", "F: a list of 2: 1 entries"},
    {"\"M\":[[1]],\"v\":{}", "v: an object: a list of numbers, or {\"file\"}"},
    {"\"M\":[[1]],\"time\":\"now\"", "time: \"now\": not a number"},
    {"\"M\":[[1]],\"coordinates\":[\"x\",\"y\"]", "coordinates: a list of 2: 1 entries"},
    {"\"M\":[[1]],\"coordinates\":[1]", "coordinates[0]: 1: a name"},
    {"\"M\":[[1]],\"contacts\":{}", "contacts: an object: a list"},
    {"\"M\":[[1]],\"contacts\":[1]", "contacts[0]: 1: an object"},
    {"\"M\":[[1]],\"contacts\":[{}]", "contacts[0].n: missing: the gradient"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[0]}]", "contacts[0].n: 0: the gradient of a gap does not vanish"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1,2]}]", "contacts[0].n: a list of 2: 1 entries"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"mu\":-0.5,\"t\":[1]}]",
     "contacts[0].mu: -0.5: a finite number not below 0"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"mu_kinetic\":-1}]", "contacts[0].mu_kinetic: -1: "},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"mu\":0.5}]", "contacts[0].mu: 0.5: friction needs t"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"t\":3}]", "contacts[0].t: 3: a list of rows"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"t\":[1,2]}]", "contacts[0].t: a list of 2: 1 entries"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"t\":[[1],[1],[1]]}]", "contacts[0].t: a list of 3: at most 2 rows"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"t\":[[1],2]}]", "contacts[0].t[1]: 2: a list of 1"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"t\":[1],\"t_rate\":[1,2]}]", "contacts[0].t_rate: a list of 2: 1 entries"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"t_rate\":1}]", "contacts[0].t_rate: 1: a list of 0"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"type\":\"glued\"}]",
     "contacts[0].type: \"glued\": one of unilateral, bilateral"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"mode\":\"open\"}]", "contacts[0].mode: \"open\": one of"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"name\":7}]", "contacts[0].name: 7: a name"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1],\"name\":\"a\"},{\"n\":[1],\"name\":\"a\"}]",
     "contacts[1].name: \"a\": contacts[0] has the name \"a\" already"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1]}],\"restitution\":0.5", "restitution: 0.5: a list of 1"},
    {"\"M\":[[1]],\"contacts\":[{\"n\":[1]}],\"restitution\":[[1,2]]", "restitution[0]: a list of 2: 1 entries"},
};

static void every_mistake_in_an_instant_is_named(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        char text[400];
        sti_document* p;
        snprintf(text, sizeof text, "{\"kind\":\"instant\",%s}", mistakes[k].text);
        assert_int_equal(sti_document_parse(env, text, strlen(text), "t.json", &p), STI_ERR_INPUT);
        assert_null(p);
        io_expect_error(env, STI_ERR_INPUT, mistakes[k].words);
        io_expect_error(env, STI_ERR_INPUT, "t.json: ");
    }
    sti_env_destroy(env);
}

static void same_table(const sti_rationals* a, const sti_rationals* b, sti_env* env) {
    assert_int_equal(sti_rationals_count(a), sti_rationals_count(b));
    for (size_t i = 0; i < sti_rationals_count(a); i++) {
        char* text;
        assert_int_equal(sti_rationals_text(a, i, &text), STI_OK);
        expect_exact(env, b, i, text);
        sti_env_free(env, text);
    }
}

static void same_instant(sti_env* env, const sti_instant* a, const sti_instant* b) {
    const size_t n = (size_t)a->n, p = (size_t)a->contact_count;
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->contact_count, b->contact_count);
    assert_int_equal(a->tangent_total, b->tangent_total);
    assert_true(a->time == b->time);
    io_expect_equal(a->M, b->M, n * n);
    io_expect_equal(a->F, b->F, n);
    io_expect_equal(a->restitution, b->restitution, p * p);
    for (size_t k = 0; k < n && a->names != NULL; k++) assert_string_equal(a->names[k], b->names[k]);
    for (size_t i = 0; i < p; i++) {
        const sti_instant_contact *c = &a->contacts[i], *d = &b->contacts[i];
        assert_string_equal(c->name, d->name);
        assert_true(c->bilateral == d->bilateral && c->state == d->state && c->mu == d->mu && c->gap == d->gap);
        assert_true(c->mu_kinetic == d->mu_kinetic && c->n_rate == d->n_rate && c->restitution == d->restitution);
        assert_true(c->restitution_t == d->restitution_t && c->tangent_count == d->tangent_count);
        io_expect_equal(c->n, d->n, n);
        if (c->tangent_count > 0) io_expect_equal(c->t, d->t, n * (size_t)c->tangent_count);
        if (c->tangent_count > 0) io_expect_equal(c->t_rate, d->t_rate, (size_t)c->tangent_count);
    }
    assert_int_equal(a->exact == NULL, b->exact == NULL);
    if (a->exact == NULL) return;
    sti_instant_exact e = *a->exact, f = *b->exact;
    for (int k = 0; k < STI_INSTANT_TABLES; k++) {
        if (k != 2) same_table(*sti_instant_exact_table(&e, k), *sti_instant_exact_table(&f, k), env);
    }
}

static void a_saved_instant_reads_back_the_same(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    io_folder_make();
    sti_document *p = parse(env, full), *q;
    const sti_instant* a = sti_instant_of(p);
    assert_int_equal(sti_instant_save(env, a, io_path("a.json")), STI_OK);
    assert_int_equal(sti_document_load(env, io_path("a.json"), &q), STI_OK);
    same_instant(env, a, sti_instant_of(q));
    io_expect_equal(a->v, sti_instant_of(q)->v, 3);
    same_table(a->exact->v, sti_instant_of(q)->exact->v, env);
    sti_document_destroy(q);
    sti_instant plain = *a;  // without exact data the doubles come back
    plain.exact = NULL;
    assert_int_equal(sti_instant_save(env, &plain, io_path("b.json")), STI_OK);
    assert_int_equal(sti_document_load(env, io_path("b.json"), &q), STI_OK);
    io_expect_equal(a->M, sti_instant_of(q)->M, 9);
    sti_document_destroy(q);
    assert_int_equal(sti_instant_save(env, a, io_path("c.h5")), STI_ERR_ARGUMENT);
    assert_int_equal(io_folder_count(), 2);
    io_folder_remove();
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void a_bounded_force_reads_back_the_same(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    io_folder_make();
    sti_document *p =
                     parse(env,
                           "{\"kind\":\"instant\",\"M\":[[1,0],[0,1]],\"F\":[-1,2],\"contacts\":[{\"type\":\"bounded\","
                           "\"mu\":1,\"n\":[0,1],\"t\":[[1,0]]}]}"),
                 *q;
    assert_true(sti_instant_of(p)->contacts[0].pressed);
    assert_int_equal(sti_instant_save(env, sti_instant_of(p), io_path("a.json")), STI_OK);
    assert_int_equal(sti_document_load(env, io_path("a.json"), &q), STI_OK);
    assert_true(sti_instant_of(q)->contacts[0].pressed);
    same_instant(env, sti_instant_of(p), sti_instant_of(q));
    sti_document_destroy(q);
    sti_document_destroy(p);
    io_folder_remove();
    sti_env_destroy(env);
}

static void a_copy_has_its_own_velocity(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env, full);
    const sti_instant* a = sti_instant_of(p);
    sti_instant* b;
    assert_int_equal(sti_instant_copy(env, a, (double[]){0.1, -1e-7, 3}, &b), STI_OK);
    same_instant(env, a, b);
    io_expect_equal(b->v, (double[]){0.1, -1e-7, 3}, 3);
    expect_exact(env, b->exact->v, 0, "1/10");
    expect_exact(env, b->exact->v, 1, "-1/10000000");
    assert_int_equal(sti_instant_check(env, b), STI_OK);
    sti_instant_destroy(env, b);
    assert_int_equal(sti_instant_copy(env, a, (double[]){0.1, INFINITY, 3}, &b), STI_ERR_ARGUMENT);
    assert_null(b);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void check_names_the_field_of_a_filled_struct(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    double M[1] = {1}, F[1] = {0}, v[1] = {0}, n[1] = {1}, t[1] = {1}, rate[1] = {0};
    sti_instant_contact c = {.name = "c", .tangent_count = 1, .n = n, .t = t, .t_rate = rate};
    sti_instant a = {.n = 1, .contact_count = 1, .tangent_total = 1, .M = M, .F = F, .v = v, .contacts = &c};
    assert_int_equal(sti_instant_check(env, &a), STI_OK);
    a.tangent_total = 2;
    assert_int_equal(sti_instant_check(env, &a), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "tangent_total: 2: the contacts have 1");
    a.tangent_total = 1;
    F[0] = NAN;
    assert_int_equal(sti_instant_check(env, &a), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "F[0]: ");
    F[0] = 0;
    c.name = NULL;
    assert_int_equal(sti_instant_check(env, &a), STI_ERR_INPUT);
    c.name = "c";
    c.restitution = INFINITY;
    assert_int_equal(sti_instant_check(env, &a), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "contacts[0].restitution: inf");
    a.n = 0;
    assert_int_equal(sti_instant_check(env, &a), STI_ERR_INPUT);
    sti_env_destroy(env);
}

static void every_failed_allocation_of_an_instant_is_survived(void** state) {
    (void)state;
    io_folder_make();
    for (long k = 0;; k++) {
        failing_env f;
        sti_document* p;
        sti_instant* copy = NULL;
        failing_env_open(&f, k);
        sti_status status = sti_document_parse(f.env, full, strlen(full), "t.json", &p);
        if (status == STI_OK) status = sti_instant_copy(f.env, sti_instant_of(p), (double[]){1, 2, 3}, &copy);
        if (status == STI_OK) status = sti_instant_save(f.env, copy, io_path("a.json"));
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        sti_instant_destroy(f.env, copy);
        sti_document_destroy(p);
        if (failing_env_close(&f)) break;
    }
    io_folder_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(numbers_are_kept_by_their_digits),
        cmocka_unit_test(what_is_not_given_has_its_default),
        cmocka_unit_test(surfaces_may_move),
        cmocka_unit_test(unknown_fields_are_warned_of),
        cmocka_unit_test(rounding_in_a_symmetric_matrix_is_taken_out),
        cmocka_unit_test(every_mistake_in_an_instant_is_named),
        cmocka_unit_test(a_saved_instant_reads_back_the_same),
        cmocka_unit_test(a_bounded_force_reads_back_the_same),
        cmocka_unit_test(a_copy_has_its_own_velocity),
        cmocka_unit_test(check_names_the_field_of_a_filled_struct),
        cmocka_unit_test(every_failed_allocation_of_an_instant_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
