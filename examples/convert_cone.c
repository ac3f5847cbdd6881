// The friction pyramid of one contact, mu = 2/3, from its edges to its faces and back, without rounding.
#include <stdio.h>
#include <stiction/stiction.h>

#define CHECK(condition)                                          \
    do {                                                          \
        if (!(condition)) {                                       \
            fprintf(stderr, "not as expected: %s\n", #condition); \
            return 1;                                             \
        }                                                         \
    } while (0)

static void print_rows(const char* title, sti_rows rows) {
    printf("%s\n", title);
    for (int i = 0; i < rows.count; i++) {
        for (int j = 0; j < rows.dimension; j++) printf(" %4g", rows.value[i * rows.dimension + j]);
        printf("\n");
    }
}

int main(void) {
    // rows (normal, tangent 1, tangent 2); the fifth lies inside and will be dropped
    const char* text[5][3] = {
        {"1", "2/3", "0"}, {"1", "-2/3", "0"}, {"1", "0", "2/3"}, {"1", "0", "-2/3"}, {"1", "1/5", "0"}};
    double value[5 * 3];
    sti_env* env;
    sti_rationals* exact;
    sti_polycone *cone, *back;
    bool equal;

    CHECK(sti_env_create(NULL, &env) == STI_OK);
    CHECK(sti_rationals_create(env, 15, &exact) == STI_OK);
    for (size_t k = 0; k < 15; k++) {
        CHECK(sti_rationals_set_text(exact, k, text[k / 3][k % 3]) == STI_OK);
        value[k] = sti_rationals_double(exact, k);
    }
    sti_rows edges = {.count = 5, .dimension = 3, .value = value, .exact = exact};
    sti_polycone_options options = sti_polycone_options_default();
    CHECK(sti_polycone_create_span(env, 3, &edges, NULL, &options, &cone) == STI_OK);
    print_rows("extreme rays:", sti_polycone_rays(cone));
    print_rows("faces, F x <= 0:", sti_polycone_inequalities(cone));
    CHECK(sti_polycone_rays(cone).count == 4);
    CHECK(sti_polycone_inequalities(cone).count == 4);
    CHECK(sti_polycone_is_pointed(cone) && sti_polycone_is_exact(cone));

    // the faces alone give the same cone again
    sti_rows faces = sti_polycone_inequalities(cone);
    CHECK(sti_polycone_create_face(env, 3, &faces, NULL, &options, &back) == STI_OK);
    CHECK(sti_polycone_equal(cone, back, &equal) == STI_OK && equal);
    printf("and back: the same cone\n");

    sti_polycone_destroy(back);
    sti_polycone_destroy(cone);
    sti_rationals_destroy(exact);
    sti_env_destroy(env);
    return 0;
}
