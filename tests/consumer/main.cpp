// The same from C++: a cone in span form, read back in face form.
#include <stiction/stiction.h>

#include <cstdio>

int main() {
    // the friction cone of one planar contact with mu = 1/2: rays (1, 1/2), (1, -1/2) as rows
    const double rays[] = {2, 1, 2, -1};
    sti_rows rows{};
    rows.count = 2;
    rows.dimension = 2;
    rows.value = rays;
    sti_env* env = nullptr;
    if (sti_env_create(nullptr, &env) != STI_OK) return 1;
    const sti_polycone_options options = sti_polycone_options_default();
    sti_polycone* cone = nullptr;
    const sti_status status = sti_polycone_create_span(env, 2, &rows, nullptr, &options, &cone);
    const bool good = status == STI_OK && sti_polycone_is_pointed(cone) && sti_polycone_inequalities(cone).count == 2;
    std::printf("%s, pointed with two facets: %s\n", sti_status_text(status), good ? "yes" : "no");
    sti_polycone_destroy(cone);
    sti_env_destroy(env);
    return good ? 0 : 1;
}
