// test_env.c: the environment a caller lends the library, and the one generator of random numbers.
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/rng.h"
#include "support/oracle.h"

// An allocator that keeps count of blocks and refuses every request above `limit` bytes.
typedef struct meter {
    long live;
    long reallocations;
    size_t limit;
} meter;

static void* meter_alloc(void* user, size_t size) {
    meter* m = user;
    assert_true(size > 0);
    if (size == 0 || size > m->limit) return NULL;
    m->live++;
    return malloc(size);
}

static void* meter_realloc(void* user, void* p, size_t size) {
    meter* m = user;
    assert_non_null(p);
    assert_true(size > 0);
    m->reallocations++;
    return size == 0 || size > m->limit ? NULL : realloc(p, size);
}

static void meter_free(void* user, void* p) {
    meter* m = user;
    assert_non_null(p);
    m->live--;
    free(p);
}

static sti_env_def metered(meter* m) {
    sti_env_def def = sti_env_def_default();
    def.alloc = meter_alloc;
    def.realloc = meter_realloc;
    def.free = meter_free;
    def.alloc_user = m;
    return def;
}

static void defaults_are_complete_and_silent(void** state) {
    (void)state;
    const sti_env_def def = sti_env_def_default();
    assert_non_null(def.alloc);
    assert_non_null(def.realloc);
    assert_non_null(def.free);
    assert_null(def.log);
    assert_int_equal(def.workers, 1);
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(sti_env_workers(env), 1);
    assert_int_equal(sti_env_error(env)->status, STI_OK);
    assert_int_equal(sti_env_error(env)->index, -1);
    assert_string_equal(sti_env_error(env)->function, "");
    assert_string_equal(sti_env_error(env)->text, "");
    sti_log(env, STI_LOG_WARNING, "nobody listens to %d", 1);
    sti_env_destroy(env);
    sti_env_destroy(NULL);
}

static void an_all_zero_definition_means_the_defaults(void** state) {
    (void)state;
    const sti_env_def def = {0};
    sti_env* env;
    assert_int_equal(sti_env_create(&def, &env), STI_OK);
    assert_int_equal(sti_env_workers(env), 1);
    void* p = sti_alloc(env, 10);
    assert_non_null(p);
    sti_env_free(env, p);
    sti_env_destroy(env);
}

static void allocators_come_all_three_or_not_at_all(void** state) {
    (void)state;
    meter m = {.limit = SIZE_MAX};
    for (int given = 0; given < 8; given++) {
        sti_env_def def = metered(&m);
        if ((given & 1) == 0) def.alloc = NULL;
        if ((given & 2) == 0) def.realloc = NULL;
        if ((given & 4) == 0) def.free = NULL;
        sti_env* env = (sti_env*)&m;
        const sti_status status = sti_env_create(&def, &env);
        if (given == 0 || given == 7) {
            assert_int_equal(status, STI_OK);
            sti_env_destroy(env);
        } else {
            assert_int_equal(status, STI_ERR_ARGUMENT);
            assert_null(env);
        }
    }
    assert_int_equal(m.live, 0);
}

static void an_environment_that_cannot_be_made_is_a_memory_error(void** state) {
    (void)state;
    meter m = {.limit = 0};
    const sti_env_def def = metered(&m);
    sti_env* env = (sti_env*)&m;
    assert_int_equal(sti_env_create(&def, &env), STI_ERR_MEMORY);
    assert_null(env);
}

static void workers_are_kept_and_at_least_one(void** state) {
    (void)state;
    static const int asked[] = {-3, 0, 1, 16}, given[] = {1, 1, 1, 16};
    for (int k = 0; k < 4; k++) {
        sti_env_def def = sti_env_def_default();
        def.workers = asked[k];
        sti_env* env;
        assert_int_equal(sti_env_create(&def, &env), STI_OK);
        assert_int_equal(sti_env_workers(env), given[k]);
        sti_env_destroy(env);
    }
}

static void memory_goes_through_the_callers_allocator(void** state) {
    (void)state;
    meter m = {.limit = 4096};
    const sti_env_def def = metered(&m);
    sti_env* env;
    assert_int_equal(sti_env_create(&def, &env), STI_OK);
    const long before = m.live;
    void* nothing = sti_alloc(env, 0);  // one byte, so that NULL always means failure
    assert_non_null(nothing);
    int* zeros = sti_alloc_array_zero(env, 100, sizeof *zeros);
    assert_non_null(zeros);
    for (int i = 0; i < 100; i++) assert_int_equal(zeros[i], 0);
    zeros[99] = 7;
    zeros = sti_realloc(env, zeros, 200 * sizeof *zeros);
    assert_non_null(zeros);
    assert_int_equal(zeros[99], 7);
    assert_int_equal(m.reallocations, 1);
    void* fresh = sti_realloc(env, NULL, 8);  // an allocation like any other
    assert_non_null(fresh);
    assert_int_equal(m.reallocations, 1);
    char* copy = sti_strdup(env, "text");
    assert_string_equal(copy, "text");
    assert_int_equal(m.live, before + 4);
    sti_free(env, nothing);
    sti_free(env, zeros);
    sti_free(env, fresh);
    sti_env_free(env, copy);
    sti_free(env, NULL);
    sti_env_free(env, NULL);
    assert_int_equal(m.live, before);
    sti_env_destroy(env);
    assert_int_equal(m.live, 0);
}

static void requests_beyond_reason_fail_without_being_asked(void** state) {
    (void)state;
    meter m = {.limit = 4096};
    static char long_text[6000];
    const sti_env_def def = metered(&m);
    sti_env* env;
    assert_int_equal(sti_env_create(&def, &env), STI_OK);
    const long before = m.live;
    assert_null(sti_alloc_array(env, SIZE_MAX / 2, 4));  // the product overflows
    assert_null(sti_alloc_array(env, SIZE_MAX, 1));      // beyond PTRDIFF_MAX
    assert_null(sti_alloc_array_zero(env, SIZE_MAX / 8 + 1, 8));
    assert_null(sti_alloc(env, 5000));
    const sti_error* error = sti_env_error(env);
    assert_int_equal(error->status, STI_ERR_MEMORY);  // who asked, and for how much
    assert_string_equal(error->text, "5000 bytes");
    assert_string_equal(error->function, __func__);
    assert_null(sti_strdup(env, memset(long_text, 'x', sizeof long_text - 1)));
    assert_string_equal(error->text, "6000 bytes");
    void* p = sti_alloc(env, 16);
    assert_null(sti_realloc(env, p, 5000));  // p is still ours
    assert_int_equal(m.live, before + 1);
    sti_free(env, p);
    sti_env_destroy(env);
    assert_int_equal(m.live, 0);
}

static sti_status fail_here(sti_env* env) {
    return STI_FAIL(env, STI_ERR_INPUT, 42, "entry %d is %s", 42, "bad");
}

static void the_last_failure_is_recorded_in_full(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(fail_here(env), STI_ERR_INPUT);
    const sti_error* error = sti_env_error(env);
    assert_int_equal(error->status, STI_ERR_INPUT);
    assert_string_equal(error->function, "fail_here");
    assert_int_equal(error->index, 42);
    assert_string_equal(error->text, "entry 42 is bad");
    // a text longer than the record is cut, not spilled
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(STI_FAIL(env, STI_ERR_IO, -1, "%s", text), STI_ERR_IO);
    assert_int_equal(strlen(error->text), sizeof error->text - 1);
    assert_int_equal(error->index, -1);
    sti_env_destroy(env);
}

typedef struct listener {
    int heard;
    sti_log_level level;
    char text[600];
} listener;

static void listen(void* user, sti_log_level level, const char* text) {
    listener* l = user;
    l->heard++;
    l->level = level;
    snprintf(l->text, sizeof l->text, "%s", text);
}

static void the_log_reaches_the_caller(void** state) {
    (void)state;
    listener l = {0};
    sti_env_def def = sti_env_def_default();
    def.log = listen;
    def.log_user = &l;
    sti_env* env;
    assert_int_equal(sti_env_create(&def, &env), STI_OK);
    sti_log(env, STI_LOG_DEBUG, "pivot %d of %s", 3, "lemke");
    assert_int_equal(l.heard, 1);
    assert_int_equal(l.level, STI_LOG_DEBUG);
    assert_string_equal(l.text, "pivot 3 of lemke");
    assert_int_equal(STI_FAIL(env, STI_ERR_SIZE, 0, "failures are not logged"), STI_ERR_SIZE);
    assert_int_equal(l.heard, 1);
    sti_env_destroy(env);
}

static void every_status_has_its_own_text(void** state) {
    (void)state;
#define STI_X(code, text) code,
    static const sti_status codes[] = {STI_STATUS_LIST(STI_X)};
#undef STI_X
    const int count = (int)(sizeof codes / sizeof *codes);
    for (int i = 0; i < count; i++) {
        assert_int_equal(codes[i], i);
        assert_true(strlen(sti_status_text(codes[i])) > 0);
        for (int j = 0; j < i; j++) assert_string_not_equal(sti_status_text(codes[i]), sti_status_text(codes[j]));
    }
    assert_string_equal(sti_status_text(STI_OK), "ok");
    sti_status none;
    memcpy(&none, &(int){999}, sizeof none);
    assert_string_equal(sti_status_text(none), "unknown status");
}

static void the_version_is_the_one_of_the_header(void** state) {
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", STI_VERSION_MAJOR, STI_VERSION_MINOR, STI_VERSION_PATCH);
    assert_string_equal(sti_version(), text);
}

static void the_clock_does_not_run_backwards(void** state) {
    (void)state;
    double last = sti_clock();
    for (int k = 0; k < 1000; k++) {
        const double now = sti_clock();
        assert_true(now >= last);
        last = now;
    }
}

// The published vector of splitmix64 for the seed 1234567.
static void the_generator_is_splitmix64(void** state) {
    (void)state;
    sti_rng rng = {1234567};
    assert_true(sti_rng_next(&rng) == 6457827717110365317u);
    assert_true(sti_rng_next(&rng) == 3203168211198807973u);
    assert_true(sti_rng_next(&rng) == 9817491932198370423u);
}

static void the_generator_agrees_with_reference_case_RNG_01(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON *item, *rng_case = NULL;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strcmp(oracle_id(item), "RNG-01") == 0) rng_case = item;
    }
    assert_non_null(rng_case);
    const cJSON* u01 = oracle_get(rng_case, "expected", "u01_first");
    const cJSON* seed;
    int k = 0;
    cJSON_ArrayForEach(seed, oracle_get(rng_case, "inputs", "seeds")) {
        char name[32];
        snprintf(name, sizeof name, "seed%.0f", cJSON_GetNumberValue(seed));
        sti_rng rng = {(uint64_t)cJSON_GetNumberValue(seed)}, again = rng;
        const cJSON* output;
        cJSON_ArrayForEach(output, oracle_get(rng_case, "expected", name)) {
            assert_true(sti_rng_next(&rng) == strtoull(cJSON_GetStringValue(output), NULL, 10));
        }
        assert_true(sti_rng_u01(&again) == oracle_entry(u01, k));
        k++;
    }
    assert_int_equal(k, 3);
    cJSON_Delete(root);
}

static void random_integers_stay_in_their_range_and_fill_it(void** state) {
    (void)state;
    sti_rng rng = {5};
    int seen[7] = {0};
    for (int k = 0; k < 10000; k++) {
        const int value = sti_rng_int(&rng, -3, 3);
        assert_in_range(value + 3, 0, 6);
        seen[value + 3]++;
        const double u = sti_rng_u01(&rng);
        assert_true(u >= 0 && u < 1);
    }
    for (int i = 0; i < 7; i++) assert_true(seen[i] > 1200);
}

static void sizes_that_do_not_fit_stay_the_largest_and_are_never_granted(void** state) {
    (void)state;
    assert_true(sti_size_mul(0, SIZE_MAX) == 0 && sti_size_mul(SIZE_MAX, 1) == SIZE_MAX);
    assert_true(sti_size_mul((size_t)1 << 32, (size_t)1 << 31) == (size_t)1 << 63);
    assert_true(sti_size_mul((size_t)1 << 32, (size_t)1 << 32) == SIZE_MAX);
    assert_true(sti_size_add(SIZE_MAX, 0) == SIZE_MAX && sti_size_add(SIZE_MAX, 1) == SIZE_MAX);
    assert_true(sti_size_add(sti_size_mul(SIZE_MAX, 2), 4096) == SIZE_MAX);
    assert_true(sti_u64_mul((uint64_t)1 << 30, (uint64_t)1 << 34) == UINT64_MAX);
    assert_true(sti_u64_mul(3, 7) == 21 && sti_u64_add(UINT64_MAX - 6, 7) == UINT64_MAX);
    assert_true(sti_u64_padded(0) == 0 && sti_u64_padded(1) == 8 && sti_u64_padded(8) == 8);
    assert_true(sti_u64_padded(UINT64_MAX) >= UINT64_MAX - 7);
    assert_int_equal(sti_count_mul(1 << 16, 1 << 15), INT_MAX);
    assert_int_equal(sti_count_mul(3, 7), 21);
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    char* p = sti_alloc(env, 8);
    assert_non_null(p);
    assert_null(sti_alloc(env, sti_size_mul(SIZE_MAX, 2)));
    assert_null(sti_alloc_array_zero(env, (size_t)1 << 32, (size_t)1 << 32));
    assert_null(sti_realloc_array(env, p, (size_t)1 << 32, (size_t)1 << 32));
    p[7] = 1;  // it is still there
    sti_free(env, p);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_complete_and_silent),
        cmocka_unit_test(an_all_zero_definition_means_the_defaults),
        cmocka_unit_test(allocators_come_all_three_or_not_at_all),
        cmocka_unit_test(an_environment_that_cannot_be_made_is_a_memory_error),
        cmocka_unit_test(workers_are_kept_and_at_least_one),
        cmocka_unit_test(memory_goes_through_the_callers_allocator),
        cmocka_unit_test(requests_beyond_reason_fail_without_being_asked),
        cmocka_unit_test(the_last_failure_is_recorded_in_full),
        cmocka_unit_test(the_log_reaches_the_caller),
        cmocka_unit_test(every_status_has_its_own_text),
        cmocka_unit_test(the_version_is_the_one_of_the_header),
        cmocka_unit_test(the_clock_does_not_run_backwards),
        cmocka_unit_test(the_generator_is_splitmix64),
        cmocka_unit_test(the_generator_agrees_with_reference_case_RNG_01),
        cmocka_unit_test(random_integers_stay_in_their_range_and_fill_it),
        cmocka_unit_test(sizes_that_do_not_fit_stay_the_largest_and_are_never_granted),
    };
    return cmocka_run_group_tests_name("env", tests, NULL, NULL);
}
