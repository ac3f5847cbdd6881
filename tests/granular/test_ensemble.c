// test_ensemble.c: large beds at rest, against the reference simulation: early energies, and what every run shares at
// the end.
#include "granular/bed_tools.h"
#include "support/oracle.h"
#include "support/sanitized.h"

// "in [0.54,0.59]" or "5.28 +- 0.15"; without either everything is within.
static void assert_within(const cJSON* item, const char* name, double value) {
    const cJSON* text = oracle_get(item, "tolerance", name);
    double low, high;
    assert_true(isfinite(value));
    if (!cJSON_IsString(text)) return;
    if (sscanf(text->valuestring, "in [%lf,%lf]", &low, &high) == 2) {
        assert_true(value >= low && value <= high);
    } else {
        assert_int_equal(sscanf(text->valuestring, "%lf +- %lf", &low, &high), 2);
        assert_true(fabs(value - low) <= high);
    }
}

typedef struct fall {
    double peak, slow, deepest, depth, balance;
    double energy[32];  // at the times of the reference
    sti_packing packing;
} fall;

// S3's step, until the mean energy has been below 1e-4 for 20 steps.
static void simulate(sti_env* env, int count, uint64_t seed, double h, const cJSON* times, fall* f) {
    sti_grains g = pebbles(env, count, seed);
    sti_bed_options o = reference_options(STI_BED_APGD, 1e-5);
    o.h = h;
    sti_bed* bed;
    assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
    *f = (fall){.slow = NAN};
    sti_bed_report report = {0};
    int calm = 0, next = 0;
    while (calm < 20 && report.time < 10) {
        assert_int_equal(sti_bed_step(bed, &report), STI_OK);
        assert_true(report.solved);
        const double mean = report.kinetic / count;
        if (next < cJSON_GetArraySize(times) && next < 32 && report.time > oracle_entry(times, next) - 0.5 * h)
            f->energy[next++] = report.kinetic;
        if (isnan(f->slow) && report.time > 1 && mean <= 1e-2) f->slow = report.time;
        f->peak = fmax(f->peak, report.kinetic);
        f->deepest = fmax(f->deepest, report.penetration);
        if (calm == 0) f->balance = f->depth = 0;
        calm = report.time > 1 && mean <= 1e-4 ? calm + 1 : 0;
        f->balance += report.balance / 20;
        f->depth = fmax(f->depth, report.penetration);
    }
    assert_int_equal(calm, 20);
    sti_bed_get(bed, g.x, NULL, NULL);
    assert_int_equal(sti_grains_packing(env, &g, g.x, &f->packing), STI_OK);
    sti_bed_destroy(bed);
    sti_grains_clear(env, &g);
}

// Until t = 1 the energy is determined; then it is chaotic, and the solver's tolerance decides the digits.
static void check_energies(const cJSON* item, const fall* f) {
    const cJSON *times = oracle_get(item, "expected", "E_at_t"), *expected = NULL;
    expected = cJSON_GetObjectItem(times, "E");
    times = cJSON_GetObjectItem(times, "t");
    for (int k = 0; k < cJSON_GetArraySize(times); k++) {
        const double t = oracle_entry(times, k);
        const double E = oracle_entry(expected, k);
        const double tol = t <= 0.5 ? 1e-11 : t <= 1 ? 1e-2 : t <= 1.5 ? 0.1 : 1;
        assert_true(fabs(f->energy[k] - E) <= tol * E);
    }
}

static void large_beds_come_to_rest_as_the_reference_does(void** state) {
    (void)state;
    if (SANITIZED) {
        print_message("skipped: a bed of 800 to rest is for the release tree\n");
        skip();
    }
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    sti_env* env = open_env();
    int checked = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const double count = oracle_number(item, "inputs", "N"), h = oracle_number(item, "inputs", "h");
        if (strncmp(oracle_id(item), "PBR-", 4) != 0 || oracle_get(item, "expected", "final") == NULL) continue;
        if (!(count > 200 && count <= 1000 && h > 0)) continue;
        fall f;
        const cJSON* times = cJSON_GetObjectItem(oracle_get(item, "expected", "E_at_t"), "t");
        simulate(env, (int)count, (uint64_t)oracle_number(item, "inputs", "seed"), h, times, &f);
        assert_within(item, "packing_below_80pct", f.packing.bottom);
        assert_within(item, "mean_z", f.packing.mean_height);
        assert_true(fabs(f.peak - oracle_number(item, "expected", "peak_E")) <= 1e-3 * f.peak);
        assert_true(fabs(f.slow - oracle_number(item, "expected", "t_E/N<=1e-2")) <= 1);
        assert_true(f.deepest <= 2 * oracle_number(item, "expected", "max_penetration"));
        // what the project promises of a bed at rest
        assert_true(fabs(f.balance - 1) <= 1e-3);
        assert_true(f.depth <= 1e-4 * 0.5);
        check_energies(item, &f);
        checked++;
    }
    assert_true(checked >= 1);
    cJSON_Delete(root);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_beds_come_to_rest_as_the_reference_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
