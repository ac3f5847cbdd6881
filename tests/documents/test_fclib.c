// test_fclib.c: contact problems in FCLIB files: what is read, what is written, what is refused.
#include <fcntl.h>

#include "support/fclib_file.h"

static sti_env* env;
static io_log said;

static int open_env(void** state) {
    (void)state;
    io_folder_make();
    env = io_env(&said);
    return 0;
}

static int close_env(void** state) {
    (void)state;
    sti_env_destroy(env);
    io_folder_remove();
    return 0;
}

static sti_document* load(const char* path) {
    sti_document* problem;
    const sti_status status = sti_document_load(env, path, &problem);
    if (status != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    assert_int_equal(sti_document_kind(problem), STI_KIND_CONTACT);
    assert_null(sti_lcp_of(problem));
    return problem;
}

// ---- comparison, bit by bit

static void assert_same_doubles(const double* a, const double* b, size_t count) {
    if (count == 0) return;
    assert_non_null(a);
    assert_non_null(b);
    assert_memory_equal(a, b, count * sizeof *a);
}

static void assert_same_matrix(const sti_matrix* A, const sti_matrix* B) {
    assert_int_equal(A->rows, B->rows);
    assert_int_equal(A->cols, B->cols);
    assert_int_equal(sti_matrix_is_sparse(A), sti_matrix_is_sparse(B));
    if (!sti_matrix_is_sparse(A)) return;
    const size_t count = (size_t)A->col_start[A->cols];
    assert_memory_equal(A->col_start, B->col_start, ((size_t)A->cols + 1) * sizeof *A->col_start);
    if (count > 0) assert_memory_equal(A->row, B->row, count * sizeof *A->row);
    assert_same_doubles(A->value, B->value, count);
}

static void assert_same_text(const char* a, const char* b) {
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL) assert_string_equal(a, b);
}

static void assert_same_problem(const sti_contact_problem* a, const sti_contact_problem* b) {
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->contact_count, b->contact_count);
    assert_int_equal(a->global, b->global);
    assert_int_equal(a->bilateral_count, b->bilateral_count);
    assert_int_equal(a->velocity_count, b->velocity_count);
    const size_t n = (size_t)a->dimension * (size_t)a->contact_count, nb = (size_t)a->bilateral_count;
    assert_same_doubles(a->mu, b->mu, (size_t)a->contact_count);
    if (a->global) {
        assert_same_doubles(a->f, b->f, (size_t)a->velocity_count);
        assert_same_doubles(a->w, b->w, n);
        assert_same_doubles(a->b, b->b, nb);
    } else {
        assert_same_doubles(a->q, b->q, n);
        assert_same_doubles(a->s, b->s, nb);
    }
    assert_same_matrix(&a->W, &b->W);
    assert_same_matrix(&a->V, &b->V);
    assert_same_matrix(&a->R, &b->R);
    assert_same_matrix(&a->M, &b->M);
    assert_same_matrix(&a->H, &b->H);
    assert_same_matrix(&a->G, &b->G);
}

static void assert_same_info(const sti_contact_info* a, const sti_contact_info* b) {
    assert_same_text(a->title, b->title);
    assert_same_text(a->description, b->description);
    assert_same_text(a->math_info, b->math_info);
    assert_int_equal(a->guess_count, b->guess_count);
}

// ---- the collection

typedef void visitor(const char* path, const char* family, const char* problem);

static void each_shared_problem(visitor* visit) {
    static const char* const families[] = {"fc2d", "fc3d", "gfc2d", "gfc3d"};
    int count = 0;
    for (int k = 0; k < 4; k++) {
        char folder[256];
        snprintf(folder, sizeof folder, "%s/problems/%s", STI_SHARED_DIR, families[k]);
        DIR* dir = opendir(folder);
        if (dir == NULL) {
            print_message("no %s here: ", folder);
            skip();
        }
        for (struct dirent* e = readdir(dir); e != NULL; e = readdir(dir)) {
            char path[600], name[256];
            const size_t length = strlen(e->d_name);
            if (length < 5 || strcmp(e->d_name + length - 5, ".hdf5") != 0) continue;
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            snprintf(name, sizeof name, "%.*s", (int)(length - 5), e->d_name);
            visit(path, families[k], name);
            count++;
        }
        closedir(dir);
    }
    assert_true(count >= 30);
}

// Sizes in reference.csv: unknowns of the reference (velocities in global form) and contacts. false: not listed.
static bool reference_sizes(const char* family, const char* problem, int* n, int* contacts) {
    char line[512], key[300];
    FILE* file = fopen(STI_SHARED_DIR "/problems/reference.csv", "r");
    assert_non_null(file);
    snprintf(key, sizeof key, "%s,%s,", family, problem);
    bool found = false;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%d,%d", n, contacts) == 2;
    fclose(file);
    return found;
}

static void check_sizes(const char* path, const char* family, const char* name) {
    sti_document* problem = load(path);
    const sti_contact_problem* p = sti_contact_problem_of(problem);
    int n, contacts;
    assert_int_equal(p->dimension, strchr(family, '2') != NULL ? 2 : 3);
    assert_int_equal(p->global, family[0] == 'g');
    if (reference_sizes(family, name, &n, &contacts)) {
        assert_int_equal(p->contact_count, contacts);
        assert_int_equal(p->global ? p->velocity_count : p->dimension * p->contact_count, n);
    }
    if (p->global) {
        assert_int_equal(p->M.rows, p->velocity_count);
        assert_int_equal(p->H.cols, p->dimension * p->contact_count);
    } else {
        assert_int_equal(p->W.rows, p->dimension * p->contact_count);
    }
    assert_non_null(sti_contact_info_of(problem)->title);
    assert_non_null(sti_contact_info_of(problem)->math_info);
    sti_document_destroy(problem);
}

static void every_problem_of_the_collection_loads_with_its_sizes(void** state) {
    (void)state;
    each_shared_problem(check_sizes);
}

static void check_round_trip(const char* path, const char* family, const char* name) {
    char first[256], second[256];
    (void)family;
    (void)name;
    sti_document* a = load(path);
    assert_int_equal(
        sti_contact_save(env, sti_contact_problem_of(a), sti_contact_info_of(a), file_path(first, "first.hdf5")),
        STI_OK);
    sti_document* b = load(first);
    assert_same_problem(sti_contact_problem_of(a), sti_contact_problem_of(b));
    assert_same_info(sti_contact_info_of(a), sti_contact_info_of(b));
    // and the same problem gives the same bytes
    assert_int_equal(
        sti_contact_save(env, sti_contact_problem_of(b), sti_contact_info_of(b), file_path(second, "second.h5")),
        STI_OK);
    size_t size_a, size_b;
    unsigned char *bytes_a = whole_file(first, &size_a), *bytes_b = whole_file(second, &size_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
    sti_document_destroy(a);
    sti_document_destroy(b);
}

static void saving_and_loading_loses_nothing(void** state) {
    (void)state;
    each_shared_problem(check_round_trip);
    folder_empty();
}

// ---- matrices

// W = [2 1; 0 3] in each storage: not symmetric, so that rows and columns cannot be mistaken.
static void check_storage(int nz, size_t p_count, const int* p, size_t count, const int* i, const double* x) {
    char path[256];
    hid_t file;
    make_local(file_path(path, "storage.hdf5"));
    const hid_t top = open_group(path, "fclib_local", &file);
    make_matrix(top, "W", 2, 2, nz, p_count, p, count, i, x);
    close_group(top, file);
    sti_document* problem = load(path);
    const sti_matrix* W = &sti_contact_problem_of(problem)->W;
    assert_true(sti_matrix_is_sparse(W));
    assert_true(sti_matrix_get(W, 0, 0) == 2);
    assert_true(sti_matrix_get(W, 0, 1) == 1);
    assert_true(sti_matrix_get(W, 1, 0) == 0);
    assert_true(sti_matrix_get(W, 1, 1) == 3);
    for (int j = 0; j < 2; j++) {
        for (int64_t k = W->col_start[j] + 1; k < W->col_start[j + 1]; k++) assert_true(W->row[k - 1] < W->row[k]);
    }
    sti_document_destroy(problem);
}

static void all_three_storages_give_the_same_matrix(void** state) {
    (void)state;
    const int columns[3] = {0, 1, 3}, rows_in_columns[3] = {0, 0, 1};
    const int rows[3] = {0, 2, 3}, columns_in_rows[3] = {0, 1, 1};
    const int triplet_column[3] = {1, 1, 0}, triplet_row[3] = {1, 0, 0};
    const double by_column[3] = {2, 1, 3}, by_row[3] = {2, 1, 3}, by_triplet[3] = {3, 1, 2};
    check_storage(-1, 3, columns, 3, rows_in_columns, by_column);
    check_storage(-2, 3, rows, 3, columns_in_rows, by_row);
    check_storage(3, 3, triplet_column, 3, triplet_row, by_triplet);
}

static void entries_in_disorder_are_sorted_and_repeated_ones_summed(void** state) {
    (void)state;
    const int columns[3] = {0, 2, 5}, rows_in_columns[5] = {0, 0, 1, 0, 1};
    const double by_column[5] = {1.5, 0.5, 1, 1, 2};
    const int triplet_column[4] = {1, 0, 1, 1}, triplet_row[4] = {1, 0, 0, 1};
    const double by_triplet[4] = {4, 2, 1, -1};
    check_storage(-1, 3, columns, 5, rows_in_columns, by_column);
    check_storage(4, 4, triplet_column, 4, triplet_row, by_triplet);
}

static void room_behind_the_entries_is_not_read(void** state) {
    (void)state;
    const int columns[3] = {0, 1, 3}, rows_in_columns[6] = {0, 0, 1, 99, -7, 1 << 30};
    const double by_column[6] = {2, 1, 3, NAN, INFINITY, 5};
    check_storage(-1, 3, columns, 6, rows_in_columns, by_column);
}

static void bilateral_rows_of_a_local_problem_are_read(void** state) {
    (void)state;
    char path[256];
    make_local(file_path(path, "local.hdf5"));
    add_local_bilateral(path);
    sti_document* problem = load(path);
    const sti_contact_problem* p = sti_contact_problem_of(problem);
    assert_int_equal(p->bilateral_count, 2);
    assert_true(sti_matrix_get(&p->V, 0, 0) == 1 && sti_matrix_get(&p->V, 1, 1) == 2 &&
                sti_matrix_get(&p->V, 0, 1) == 0);
    assert_true(sti_matrix_get(&p->R, 0, 0) == 4 && sti_matrix_get(&p->R, 1, 0) == 1 &&
                sti_matrix_get(&p->R, 0, 1) == 0 && sti_matrix_get(&p->R, 1, 1) == 5);
    assert_true(p->s[0] == 7 && p->s[1] == 8);
    check_round_trip(path, NULL, NULL);
    sti_document_destroy(problem);
}

static void bilateral_rows_of_a_global_problem_are_read(void** state) {
    (void)state;
    char path[256];
    make_global(file_path(path, "global.hdf5"));
    sti_document* problem = load(path);
    const sti_contact_problem* p = sti_contact_problem_of(problem);
    assert_true(p->global);
    assert_int_equal(p->dimension, 3);
    assert_int_equal(p->velocity_count, 4);
    assert_int_equal(p->bilateral_count, 1);
    assert_true(sti_matrix_get(&p->M, 2, 2) == 3);
    assert_true(sti_matrix_get(&p->H, 3, 0) == 5 && sti_matrix_get(&p->H, 2, 2) == 1);
    assert_true(sti_matrix_get(&p->G, 3, 0) == 1);
    assert_true(p->f[2] == 2 && p->w[1] == 0.2 && p->b[0] == -2 && p->mu[0] == 0.5);
    check_round_trip(path, NULL, NULL);
    sti_document_destroy(problem);
}

static void the_global_form_counts_where_a_file_has_both(void** state) {
    (void)state;
    char path[256], other[256];
    make_global(file_path(path, "both.hdf5"));
    make_local(file_path(other, "local.hdf5"));
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), from = H5Fopen(other, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(H5Ocopy(from, "fclib_local", file, "fclib_local", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    H5Fclose(from);
    sti_document* problem = load(path);
    assert_true(sti_contact_problem_of(problem)->global);
    sti_document_destroy(problem);
}

// ---- what may be missing

static void optional_parts_may_be_missing(void** state) {
    (void)state;
    char path[256];
    hid_t file;
    make_local(file_path(path, "bare.hdf5"));
    const hid_t W = open_group(path, "fclib_local/W", &file);
    H5Ldelete(W, "nzmax", H5P_DEFAULT);
    close_group(W, file);
    sti_document* problem = load(path);
    const sti_contact_info* info = sti_contact_info_of(problem);
    assert_null(info->title);
    assert_null(info->description);
    assert_null(info->math_info);
    assert_int_equal(info->guess_count, 0);
    assert_int_equal(sti_contact_problem_of(problem)->bilateral_count, 0);
    sti_document_destroy(problem);
}

static void texts_of_every_form_are_read(void** state) {
    (void)state;
    char path[256];
    hid_t file;
    make_local(file_path(path, "texts.hdf5"));
    hid_t info = open_group(path, "fclib_local/info", &file);
    make_text(info, "title", "", 1, H5T_STR_NULLPAD);
    make_text(info, "description", "of variable length", 0, H5T_STR_NULLTERM);
    make_text(info, "math_info", "padded", 20, H5T_STR_SPACEPAD);
    close_group(info, file);
    sti_document* problem = load(path);
    assert_string_equal(sti_contact_info_of(problem)->title, "");
    assert_string_equal(sti_contact_info_of(problem)->description, "of variable length");
    assert_string_equal(sti_contact_info_of(problem)->math_info, "padded");
    sti_document_destroy(problem);

    info = open_group(path, "fclib_local/info", &file);
    H5Ldelete(info, "title", H5P_DEFAULT);
    make_text(info, "description", "", 0, H5T_STR_NULLTERM);
    make_text(info, "math_info", "full", 4, H5T_STR_NULLPAD);
    close_group(info, file);
    problem = load(path);
    assert_null(sti_contact_info_of(problem)->title);
    assert_string_equal(sti_contact_info_of(problem)->description, "");
    assert_string_equal(sti_contact_info_of(problem)->math_info, "full");
    check_round_trip(path, NULL, NULL);
    sti_document_destroy(problem);
}

static void a_text_that_is_none_is_passed_over(void** state) {
    (void)state;
    char path[256];
    hid_t file;
    make_local(file_path(path, "number.hdf5"));
    const hid_t info = open_group(path, "fclib_local/info", &file);
    make_int(info, "title", 7);
    close_group(info, file);
    sti_document* problem = load(path);
    assert_null(sti_contact_info_of(problem)->title);
    assert_non_null(strstr(said.last, "number.hdf5: fclib_local/info/title: not a text"));
    sti_document_destroy(problem);
}

static void a_problem_without_contacts_is_a_problem(void** state) {
    (void)state;
    char path[256];
    const sti_contact_problem p = {.dimension = 3};
    assert_int_equal(sti_contact_save(env, &p, NULL, file_path(path, "empty.hdf5")), STI_OK);
    sti_document* problem = load(path);
    assert_int_equal(sti_contact_problem_of(problem)->contact_count, 0);
    assert_int_equal(sti_contact_problem_of(problem)->dimension, 3);
    sti_document_destroy(problem);
}

// ---- guesses

static void add_guesses(const char* path, int count) {
    static const double r[2] = {1, 0.25}, u[2] = {0, -1};
    hid_t file;
    const hid_t group = open_group(path, "guesses", &file);
    make_int(group, "number_of_guesses", count);
    for (int k = 1; k <= count; k++) {
        char name[16];
        snprintf(name, sizeof name, "%d", k);
        const hid_t guess = make_group(group, name);
        make_doubles(guess, "r", 2, r);
        make_doubles(guess, "u", 2, u);
        H5Gclose(guess);
    }
    close_group(group, file);
}

static void guesses_are_read_and_written(void** state) {
    (void)state;
    char path[256];
    make_local(file_path(path, "guesses.hdf5"));
    add_guesses(path, 2);
    sti_document* problem = load(path);
    const sti_contact_info* info = sti_contact_info_of(problem);
    assert_int_equal(info->guess_count, 2);
    assert_true(info->guesses[1].r[0] == 1 && info->guesses[1].r[1] == 0.25 && info->guesses[0].u[1] == -1);
    assert_null(info->guesses[0].v);
    assert_null(info->guesses[0].lambda);

    // a guess that knows r alone comes back with zeros for the rest, as FCLIB needs it
    const sti_contact_guess guess = {.r = info->guesses[0].r};
    const sti_contact_info only_r = {.title = "t", .guess_count = 1, .guesses = &guess};
    char other[256];
    assert_int_equal(sti_contact_save(env, sti_contact_problem_of(problem), &only_r, file_path(other, "r.hdf5")),
                     STI_OK);
    sti_document* again = load(other);
    const sti_contact_info* read = sti_contact_info_of(again);
    assert_int_equal(read->guess_count, 1);
    assert_true(read->guesses[0].r[1] == 0.25 && read->guesses[0].u[0] == 0 && read->guesses[0].u[1] == 0);
    sti_document_destroy(again);
    sti_document_destroy(problem);
}

static void guesses_that_cannot_be_used_are_passed_over(void** state) {
    (void)state;
    char path[256];
    hid_t file;
    const double bad[2] = {NAN, 1}, long_one[3] = {1, 2, 3};
    make_local(file_path(path, "guesses.hdf5"));
    add_guesses(path, 3);
    hid_t guess = open_group(path, "guesses/1", &file);
    make_doubles(guess, "r", 2, bad);
    close_group(guess, file);
    guess = open_group(path, "guesses/3", &file);
    make_doubles(guess, "r", 3, long_one);
    close_group(guess, file);
    sti_document* problem = load(path);
    assert_int_equal(sti_contact_info_of(problem)->guess_count, 1);
    assert_true(sti_contact_info_of(problem)->guesses[0].r[1] == 0.25);
    assert_non_null(strstr(said.last, "guesses/3/r: 3 entries: 2 are expected"));
    sti_document_destroy(problem);

    // more declared than there can be
    const hid_t group = open_group(path, "guesses", &file);
    make_int(group, "number_of_guesses", 2000000000);
    close_group(group, file);
    problem = load(path);
    assert_int_equal(sti_contact_info_of(problem)->guess_count, 0);
    assert_non_null(strstr(said.last, "guesses/number_of_guesses: 2000000000"));
    sti_document_destroy(problem);
}

// ---- bad files

static void assert_refused(const char* path, const char* part) {
    sti_document* problem = (sti_document*)1;
    assert_int_equal(sti_document_load(env, path, &problem), STI_ERR_INPUT);
    assert_null(problem);
    const char* text = sti_env_error(env)->text;
    if (strstr(text, path) == NULL || strstr(text, part) == NULL) fail_msg("'%s' does not say '%s'", text, part);
}

// A change to the local problem with bilateral rows, and what the refusal must say.
typedef struct damage {
    const char* group;
    const char* name;
    char kind;        // i integers, d doubles, 2 a matrix of doubles, t text, x nothing (removed)
    int count;        // of values
    double value[6];  // (count)
    const char* says;
} damage;

static const damage damages[] = {
    {"fclib_local", "spacedim", 'i', 1, {5}, "fclib_local/spacedim: 5: an integer from 2 to 3 is expected"},
    {"fclib_local", "spacedim", 'i', 2, {2, 2}, "fclib_local/spacedim: 2 entries: one integer is expected"},
    {"fclib_local", "spacedim", 'd', 1, {2}, "fclib_local/spacedim: a list of integers is expected"},
    {"fclib_local", "spacedim", 'x', 0, {0}, "fclib_local/spacedim: missing"},
    {"fclib_local", "spacedim", 'i', 1, {3}, "fclib_local/vectors/q: 2 entries: 3 are expected"},
    {"fclib_local", "vectors", 'x', 0, {0}, "fclib_local/vectors: missing: a group is expected"},
    {"fclib_local", "W", 'x', 0, {0}, "fclib_local/W: missing: a group is expected"},
    {"fclib_local", "W", 'd', 4, {1, 0, 0, 1}, "fclib_local/W: not a group"},
    {"fclib_local", "V", 'x', 0, {0}, "V, R: only one of them is there"},
    {"fclib_local/vectors", "mu", 'x', 0, {0}, "fclib_local/vectors/mu: missing"},
    {"fclib_local/vectors", "mu", 'd', 2, {0.1, 0.2}, "fclib_local/vectors/q: 2 entries: 4 are expected"},
    {"fclib_local/vectors", "mu", 'd', 1, {-0.5}, "fclib_local/vectors/mu[0]: -0.5: a coefficient of friction"},
    {"fclib_local/vectors", "mu", 'd', 1, {NAN}, "fclib_local/vectors/mu[0]: nan"},
    {"fclib_local/vectors", "q", 'd', 3, {1, 2, 3}, "fclib_local/vectors/q: 3 entries: 2 are expected"},
    {"fclib_local/vectors", "q", 'd', 2, {1, INFINITY}, "fclib_local/vectors/q[1]: inf: a finite number"},
    {"fclib_local/vectors", "q", '2', 2, {1, 2}, "fclib_local/vectors/q: 2 dimensions: a list is expected"},
    {"fclib_local/vectors", "q", 't', 0, {0}, "fclib_local/vectors/q: not numbers"},
    {"fclib_local/vectors", "s", 'x', 0, {0}, "fclib_local/vectors: s: missing: it goes with V"},
    {"fclib_local/vectors", "s", 'd', 3, {1, 2, 3}, "fclib_local/V: 2 x 2: 2 x 3 is expected"},
    {"fclib_local/W", "m", 'i', 1, {3}, "fclib_local/W: 3 x 2: 2 x 2 is expected"},
    {"fclib_local/W", "n", 'i', 1, {2000000000}, "fclib_local/W/n: 2000000000"},
    {"fclib_local/W", "n", 'i', 1, {-1}, "fclib_local/W/n: -1"},
    {"fclib_local/W", "nz", 'i', 1, {-3}, "fclib_local/W/nz: -3"},
    {"fclib_local/W", "nz", 'i', 1, {2000000000}, "fclib_local/W/nzmax: 4: there are 2000000000 entries"},
    {"fclib_local/W", "nz", 'x', 0, {0}, "fclib_local/W/nz: missing"},
    {"fclib_local/W", "nzmax", 'i', 1, {3}, "fclib_local/W/nzmax: 3: there are 4 entries"},
    {"fclib_local/W", "p", 'i', 4, {0, 1, 2, 4}, "fclib_local/W/p: 4 entries: 3 are expected"},
    {"fclib_local/W", "p", 'i', 3, {1, 2, 4}, "fclib_local/W/p[0]: 1: 0 is expected"},
    {"fclib_local/W", "p", 'i', 3, {0, 3, 2}, "fclib_local/W/p[2]: 2: less than the entry before, 3"},
    {"fclib_local/W", "p", 'i', 3, {0, 2, 5}, "fclib_local/W/p[2]: 5: there are only 4 entries"},
    {"fclib_local/W", "p", 'i', 3, {0, -1, 4}, "fclib_local/W/p[1]: -1"},
    {"fclib_local/W", "i", 'i', 4, {0, 1, 0, 2}, "fclib_local/W/i[3]: 2: an index from 0 to 1 is expected"},
    {"fclib_local/W", "i", 'i', 4, {0, -1, 0, 1}, "fclib_local/W/i[1]: -1: an index from 0 to 1 is expected"},
    {"fclib_local/W", "i", 'i', 3, {0, 1, 0}, "fclib_local/W/p[2]: 4: there are only 3 entries"},
    {"fclib_local/W", "i", 'd', 4, {0, 1, 0, 1}, "fclib_local/W/i: a list of integers is expected"},
    {"fclib_local/W", "x", 'd', 4, {1, NAN, 0, 1}, "fclib_local/W/x[1]: nan: a finite number is expected"},
    {"fclib_local/W", "x", 'x', 0, {0}, "fclib_local/W/x: missing"},
    {"fclib_local/V", "p", 'i', 2, {0, 2}, "fclib_local/V/p[1]: 2: an index from 0 to 1 is expected"},
    {"fclib_local/V", "p", 'i', 1, {0}, "fclib_local/V/p: 1 entries: 2 are expected"},
};

static void apply(const char* path, const damage* c) {
    hid_t file;
    const hid_t group = open_group(path, c->group, &file);
    int integers[6];
    const hsize_t column[2] = {(hsize_t)c->count, 1};
    for (int k = 0; k < 6; k++) integers[k] = c->kind == 'i' ? (int)c->value[k] : 0;
    if (H5Lexists(group, c->name, H5P_DEFAULT) > 0) H5Ldelete(group, c->name, H5P_DEFAULT);
    if (c->kind == 'i') make_ints(group, c->name, (size_t)c->count, integers);
    if (c->kind == 'd') make_doubles(group, c->name, (size_t)c->count, c->value);
    if (c->kind == '2') make_data(group, c->name, H5T_NATIVE_DOUBLE, 2, column, c->value);
    if (c->kind == 't') make_text(group, c->name, "text", 8, H5T_STR_NULLTERM);
    close_group(group, file);
}

static void bad_files_are_refused_by_name_and_value(void** state) {
    (void)state;
    char path[256];
    file_path(path, "bad.hdf5");
    for (size_t k = 0; k < sizeof damages / sizeof damages[0]; k++) {
        make_local(path);
        add_local_bilateral(path);
        apply(path, &damages[k]);
        assert_refused(path, damages[k].says);
    }
}

static void sums_that_overflow_are_refused(void** state) {
    (void)state;
    char path[256];
    hid_t file;
    const int zero[2] = {0, 0};
    const double x[2] = {1e308, 1e308};
    make_local(file_path(path, "sum.hdf5"));
    const hid_t top = open_group(path, "fclib_local", &file);
    make_matrix(top, "W", 2, 2, 2, 2, zero, 2, zero, x);
    close_group(top, file);
    assert_refused(path, "fclib_local/W: row 0, column 0: inf");
}

static void a_vector_without_its_matrix_is_refused(void** state) {
    (void)state;
    char path[256];
    hid_t file;
    const double s[1] = {1};
    make_local(file_path(path, "s.hdf5"));
    const hid_t vectors = open_group(path, "fclib_local/vectors", &file);
    make_doubles(vectors, "s", 1, s);
    close_group(vectors, file);
    assert_refused(path, "fclib_local/vectors: s: 1 entries: the matrix V that goes with it is missing");
}

static void a_file_cut_anywhere_is_refused(void** state) {
    (void)state;
    char path[256];
    size_t size;
    make_local(file_path(path, "cut.hdf5"));
    free(whole_file(path, &size));
    while (size > 0) {
        size -= size > 256 ? 37 : 1;
        assert_int_equal(truncate(path, (off_t)size), 0);
        assert_refused(path, "");
    }
}

// Any one byte of the file changed: refused, or read as some problem; never worse.
static void a_file_with_a_wrong_byte_is_survived(void** state) {
    (void)state;
    char path[256];
    size_t size;
    make_global(file_path(path, "changed.hdf5"));
    unsigned char* bytes = whole_file(path, &size);
    const int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    for (size_t k = 0; k < size; k += 7) {
        const unsigned char wrong = k % 2 == 0 ? 0xff : (unsigned char)(bytes[k] ^ 1);
        assert_int_equal(pwrite(fd, &wrong, 1, (off_t)k), 1);
        sti_document* problem;
        const sti_status status = sti_document_load(env, path, &problem);
        assert_true(status == STI_OK || status == STI_ERR_INPUT);
        sti_document_destroy(problem);
        assert_int_equal(pwrite(fd, &bytes[k], 1, (off_t)k), 1);
    }
    close(fd);
    free(bytes);
}

// ---- saving

static void a_dense_matrix_is_saved_by_its_entries(void** state) {
    (void)state;
    char path[256];
    double W[4] = {2, 1, 0, 3};
    const double q[2] = {1, 2}, mu = 0.1;
    const sti_contact_problem p = {
        .dimension = 2, .contact_count = 1, .mu = &mu, .q = q, .W = sti_matrix_dense_view(2, 2, W)};
    assert_int_equal(sti_contact_save(env, &p, NULL, file_path(path, "dense.hdf5")), STI_OK);
    sti_document* problem = load(path);
    const sti_matrix* A = &sti_contact_problem_of(problem)->W;
    assert_int_equal(A->col_start[2], 3);
    assert_true(sti_matrix_get(A, 0, 1) == 1 && sti_matrix_get(A, 1, 0) == 0);
    sti_document_destroy(problem);
}

static void apply_nothing(void* user, const double* x, double* y) {
    (void)user;
    (void)x;
    (void)y;
}

static void what_cannot_be_saved_leaves_the_file_alone(void** state) {
    (void)state;
    char path[256];
    double W[4] = {2, 1, 0, 3};
    double q[2] = {1, NAN}, mu = 0.1;
    const sti_contact_operator op = {.apply = apply_nothing};
    sti_contact_problem p = {
        .dimension = 2, .contact_count = 1, .mu = &mu, .q = q, .W = sti_matrix_dense_view(2, 2, W)};
    folder_empty();
    io_write(file_path(path, "kept.hdf5"), "kept", 4);
    assert_int_equal(sti_contact_save(env, &p, NULL, path), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(env)->text, "q[1]: nan"));
    q[1] = 0;
    mu = -1;
    assert_int_equal(sti_contact_save(env, &p, NULL, path), STI_ERR_ARGUMENT);
    mu = 0;
    p.dimension = 4;
    assert_int_equal(sti_contact_save(env, &p, NULL, path), STI_ERR_ARGUMENT);
    p.dimension = 3;
    assert_int_equal(sti_contact_save(env, &p, NULL, path), STI_ERR_ARGUMENT);  // W is 2 x 2
    p.dimension = 2;
    p.W_op = &op;
    assert_int_equal(sti_contact_save(env, &p, NULL, path), STI_ERR_ARGUMENT);
    p.W_op = NULL;
    assert_int_equal(sti_contact_save(env, &p, NULL, "problem.json"), STI_ERR_ARGUMENT);
    assert_int_equal(sti_contact_save(env, &p, NULL, "/nowhere/at/all.hdf5"), STI_ERR_IO);
    size_t size;
    unsigned char* bytes = whole_file(path, &size);
    assert_int_equal(size, 4);
    assert_memory_equal(bytes, "kept", 4);
    free(bytes);
    assert_int_equal(io_folder_count(), 1);
    assert_int_equal(sti_contact_save(env, &p, NULL, path), STI_OK);
}

// Types and shapes as FCLIB writes them with H5LT: lists of one 32-bit integer, doubles, texts of fixed length.
static void written_files_have_the_types_of_fclib(void** state) {
    (void)state;
    static const char* const integers[] = {"/fclib_global/spacedim", "/fclib_global/M/m",         "/fclib_global/M/n",
                                           "/fclib_global/M/nz",     "/fclib_global/H/nzmax",     "/fclib_global/G/p",
                                           "/fclib_global/H/i",      "/guesses/number_of_guesses"};
    static const char* const doubles[] = {"/fclib_global/M/x",
                                          "/fclib_global/vectors/f",
                                          "/fclib_global/vectors/w",
                                          "/fclib_global/vectors/b",
                                          "/fclib_global/vectors/mu",
                                          "/guesses/1/v",
                                          "/guesses/1/l",
                                          "/guesses/1/u"};
    char path[256];
    make_global(file_path(path, "g.hdf5"));
    sti_document* problem = load(path);
    const double r[3] = {1, 2, 3};
    const sti_contact_guess guess = {.r = r};
    const sti_contact_info info = {.title = "a title", .math_info = "", .guess_count = 1, .guesses = &guess};
    assert_int_equal(sti_contact_save(env, sti_contact_problem_of(problem), &info, path), STI_OK);
    sti_document_destroy(problem);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (size_t k = 0; k < sizeof integers / sizeof integers[0] + sizeof doubles / sizeof doubles[0]; k++) {
        const bool integer = k < sizeof integers / sizeof integers[0];
        const hid_t set =
            H5Dopen2(file, integer ? integers[k] : doubles[k - sizeof integers / sizeof integers[0]], H5P_DEFAULT);
        assert_true(set >= 0);
        const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
        assert_true(H5Tequal(type, integer ? H5T_STD_I32LE : H5T_IEEE_F64LE) > 0);
        assert_int_equal(H5Sget_simple_extent_ndims(space), 1);
        H5Tclose(type);
        H5Sclose(space);
        H5Dclose(set);
    }
    const hid_t title = H5Dopen2(file, "/fclib_global/info/title", H5P_DEFAULT), type = H5Dget_type(title);
    assert_int_equal(H5Tget_class(type), H5T_STRING);
    assert_int_equal(H5Tget_size(type), strlen("a title") + 1);
    assert_int_equal(H5Lexists(file, "/fclib_global/info/description", H5P_DEFAULT), 0);
    H5Tclose(type);
    H5Dclose(title);
    H5Fclose(file);
}

// ---- memory

static void loading_survives_every_failed_allocation(void** state) {
    (void)state;
    char paths[2][256];
    hid_t file;
    make_local(file_path(paths[0], "a.hdf5"));
    add_local_bilateral(paths[0]);
    add_guesses(paths[0], 2);
    make_global(file_path(paths[1], "b.hdf5"));
    const hid_t info = open_group(paths[1], "fclib_global/info", &file);
    make_text(info, "title", "fixed", 8, H5T_STR_NULLTERM);
    make_text(info, "description", "variable", 0, H5T_STR_NULLTERM);
    close_group(info, file);
    for (int k = 0; k < 2; k++) {
        for (long at = 0;; at++) {
            failing_env f;
            failing_env_open(&f, at);
            sti_document* problem = NULL;
            const sti_status status = sti_document_load(f.env, paths[k], &problem);
            assert_true(status == STI_OK || status == STI_ERR_MEMORY);
            assert_int_equal(problem != NULL, status == STI_OK);
            sti_document_destroy(problem);
            if (failing_env_close(&f)) {
                assert_int_equal(status, STI_OK);
                break;
            }
        }
    }
}

static void saving_survives_every_failed_allocation(void** state) {
    (void)state;
    char path[256], out[256];
    double W[4] = {2, 1, 0, 3};
    const double q[2] = {1, 2}, mu = 0.1;
    const sti_contact_guess guess = {.u = q};
    const sti_contact_info info = {.title = "t", .guess_count = 1, .guesses = &guess};
    const sti_contact_problem p = {
        .dimension = 2, .contact_count = 1, .mu = &mu, .q = q, .W = sti_matrix_dense_view(2, 2, W)};
    folder_empty();
    file_path(path, "in.hdf5");
    for (long at = 0;; at++) {
        failing_env f;
        failing_env_open(&f, at);
        const sti_status status = sti_contact_save(f.env, &p, &info, file_path(out, "out.hdf5"));
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        assert_int_equal(io_folder_count(), status == STI_OK);
        if (failing_env_close(&f)) {
            assert_int_equal(status, STI_OK);
            break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_of_the_collection_loads_with_its_sizes),
        cmocka_unit_test(saving_and_loading_loses_nothing),
        cmocka_unit_test(all_three_storages_give_the_same_matrix),
        cmocka_unit_test(entries_in_disorder_are_sorted_and_repeated_ones_summed),
        cmocka_unit_test(room_behind_the_entries_is_not_read),
        cmocka_unit_test(bilateral_rows_of_a_local_problem_are_read),
        cmocka_unit_test(bilateral_rows_of_a_global_problem_are_read),
        cmocka_unit_test(the_global_form_counts_where_a_file_has_both),
        cmocka_unit_test(optional_parts_may_be_missing),
        cmocka_unit_test(texts_of_every_form_are_read),
        cmocka_unit_test(a_text_that_is_none_is_passed_over),
        cmocka_unit_test(a_problem_without_contacts_is_a_problem),
        cmocka_unit_test(guesses_are_read_and_written),
        cmocka_unit_test(guesses_that_cannot_be_used_are_passed_over),
        cmocka_unit_test(bad_files_are_refused_by_name_and_value),
        cmocka_unit_test(sums_that_overflow_are_refused),
        cmocka_unit_test(a_vector_without_its_matrix_is_refused),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_file_with_a_wrong_byte_is_survived),
        cmocka_unit_test(a_dense_matrix_is_saved_by_its_entries),
        cmocka_unit_test(what_cannot_be_saved_leaves_the_file_alone),
        cmocka_unit_test(written_files_have_the_types_of_fclib),
        cmocka_unit_test(loading_survives_every_failed_allocation),
        cmocka_unit_test(saving_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, open_env, close_env);
}
