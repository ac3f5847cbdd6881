// Conversion compared with cddlib, run in its own process (package libcdd-tools); skipped where it is not installed.
#include <unistd.h>

#include "support/cone_tools.h"

// One description as cddlib's tool reads and writes it: rows 0 | vector, the first `linearity` of them lines.
typedef struct table {
    int count, lines;
    double value[4096];
    unsigned char is_line[512];
} table;

static bool tool_present(void) {
    return system("command -v cddexec_gmp > /dev/null 2>&1") == 0;
}

static void write_input(const char* path, bool span, int d, int n, const double* first, int m, const double* second) {
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%s-representation\n", span ? "V" : "H");
    if (m > 0) {
        fprintf(f, "linearity %d", m);
        for (int i = 0; i < m; i++) fprintf(f, " %d", i + 1);
        fprintf(f, "\n");
    }
    fprintf(f, "begin\n%d %d integer\n", m + n + span, d + 1);
    for (int i = 0; i < m + n; i++) {
        const double* row = i < m ? second + (size_t)(i * d) : first + (size_t)((i - m) * d);
        fprintf(f, "0");
        // face form: its convention is b + A x >= 0, ours F x <= 0
        for (int j = 0; j < d; j++) fprintf(f, " %.0f", span ? row[j] : -row[j]);
        fprintf(f, "\n");
    }
    if (span) {  // the vertex of the cone
        fprintf(f, "1");
        for (int j = 0; j < d; j++) fprintf(f, " 0");
        fprintf(f, "\n");
    }
    fprintf(f, "end\n");
    fclose(f);
}

// One row of fractions "-3/7" as integers, by a common denominator. Returns the leading entry.
static double read_row(FILE* f, int d, double* out) {
    long num[8], den[8], common = 1;
    for (int j = 0; j <= d; j++) {
        char word[256], *end;
        assert_int_equal(fscanf(f, "%255s", word), 1);
        num[j] = strtol(word, &end, 10);
        den[j] = *end == '/' ? strtol(end + 1, NULL, 10) : 1;
        long a = common, b = den[j];
        while (b != 0) {
            const long t = a % b;
            a = b;
            b = t;
        }
        common = common / a * den[j];
    }
    for (int j = 0; j < d; j++) out[j] = (double)(num[j + 1] * (common / den[j + 1]));
    return (double)num[0];
}

static void read_output(FILE* f, int d, table* t) {
    char word[256];
    int linear[512], rows = 0, cols = 0;
    t->count = t->lines = 0;
    memset(t->is_line, 0, sizeof t->is_line);
    while (fscanf(f, "%255s", word) == 1 && strcmp(word, "begin") != 0) {
        if (strcmp(word, "linearity") != 0) continue;
        assert_int_equal(fscanf(f, "%d", &t->lines), 1);
        for (int i = 0; i < t->lines; i++) assert_int_equal(fscanf(f, "%d", &linear[i]), 1);
    }
    assert_int_equal(fscanf(f, "%d %d %255s", &rows, &cols, word), 3);
    assert_int_equal(cols, d + 1);
    for (int i = 0; i < t->lines; i++) t->is_line[linear[i] - 1] = 1;
    for (int i = 0; i < rows; i++) {
        double* row = t->value + (size_t)(t->count * d);
        const double lead = read_row(f, d, row);
        if (row_dot(row, row, d) == 0) continue;  // the vertex, or 1 >= 0
        assert_true(lead == 0);
        t->is_line[t->count] = t->is_line[i];
        t->count++;
    }
}

static void ask_cdd(bool span, int d, int n, const double* first, int m, const double* second, table* t) {
    char path[] = "/tmp/stiction_cdd_XXXXXX", command[128];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_input(path, span, d, n, first, m, second);
    snprintf(command, sizeof command, "cddexec_gmp --rep < %s 2> /dev/null", path);
    FILE* f = popen(command, "r");
    assert_non_null(f);
    read_output(f, d, t);
    pclose(f);
    unlink(path);
}

// Our cone and the other form from cddlib describe the same set with the same numbers of rows.
static void compare(sti_env* env, bool span, int d, int n, const double* first, int m, const double* second) {
    static table t;
    ask_cdd(span, d, n, first, m, second, &t);
    double rays[4096], lines[4096];
    int ray_count = 0, line_count = 0;
    for (int i = 0; i < t.count; i++) {
        double* to = t.is_line[i] ? lines + (size_t)(line_count++ * d) : rays + (size_t)(ray_count++ * d);
        for (int j = 0; j < d; j++) to[j] = span ? -t.value[i * d + j] : t.value[i * d + j];
    }
    sti_polycone* ours = make_cone(env, true, span, d, n, first, m, second);
    sti_polycone* theirs = make_cone(env, true, !span, d, ray_count, rays, line_count, lines);
    assert_cones_equal(ours, theirs);
    const sti_rows found = span ? sti_polycone_inequalities(ours) : sti_polycone_rays(ours);
    const sti_rows found_lines = span ? sti_polycone_equations(ours) : sti_polycone_lines(ours);
    assert_int_equal(found.count, ray_count);
    assert_int_equal(found_lines.count, line_count);
    sti_polycone_destroy(ours);
    sti_polycone_destroy(theirs);
}

static void both_conversions_agree_with_cddlib(void** state) {
    (void)state;
    if (!tool_present()) {
        print_message("skipped: cddexec_gmp is not installed\n");
        skip();
    }
    sti_env* env = open_env();
    sti_rng rng = {61};
    for (int trial = 0; trial < 120; trial++) {
        const int d = sti_rng_int(&rng, 2, 6), n = sti_rng_int(&rng, 1, 2 * d), m = sti_rng_int(&rng, 0, 1);
        const int size = sti_rng_int(&rng, 1, 5);
        double first[12 * 6], second[6];
        random_integers(&rng, n * d, size, first);
        if (sti_rng_int(&rng, 0, 1) != 0) {
            for (int i = 0; i < n; i++) first[i * d] = 1 + fabs(first[i * d]);
        }
        random_integers(&rng, m * d, size, second);
        for (int i = 0; i < n; i++) {  // its reader takes zero rows badly
            if (row_dot(first + (size_t)(i * d), first + (size_t)(i * d), d) == 0) first[i * d] = 1;
        }
        if (m > 0) second[0] = second[0] == 0 ? 1 : second[0];
        compare(env, trial % 2 == 0, d, n, first, m, second);
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_conversions_agree_with_cddlib)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
