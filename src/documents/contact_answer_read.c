// contact_answer_read.c: answers of contact problems from JSON, as contact_answer_write.c writes them or as a person
// would: {"r": [..]} is enough where the problem is at hand.
//
// An answer without an outcome but with r claims "solved". What is null or missing is NAN, NULL or 0, and names that
// are not known are passed over.
#include <math.h>
#include <string.h>

#include "documents/contact_answer.h"
#include "documents/fclib.h"
#include "documents/json_answer.h"
#include "formats/file.h"

static const char* const solver_names[] = {
#define STI_X(code, name) #name,
    STI_CONTACT_SOLVER_LIST(STI_X)};
#undef STI_X
#define STI_X(code, text) text,
static const char* const mode_names[] = {STI_CONTACT_MODE_LIST(STI_X)};
#undef STI_X
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof(a)[0]))

typedef struct reader {
    sti_json_tree tree;
    sti_contact_answer* a;
} reader;

// ---- sizes

// A size that is said, or follows from a list of `each` numbers for one, or is that of the problem (`known`, -1 when
// there is none). All that is known must agree.
static sti_status read_size(const reader* r, const char* key, const char* list_key, int each, int least, int64_t known,
                            int64_t missing, int* out) {
    const sti_json_value *said = sti_json_field(r->tree.root, key), *list = NULL;
    const sti_place at_size = sti_place_key(NULL, key);
    int64_t size = missing;
    sti_status status = STI_OK;
    if (list_key != NULL) list = sti_json_field(r->tree.root, list_key);
    if (said != NULL)
        status = sti_json_read_integer(&r->tree, &at_size, said, least, STI_FCLIB_MOST / 3, &size);
    else if (sti_json_is_array(list))
        size = sti_json_count(list) / each;
    else if (known >= 0)
        size = known;
    if (status != STI_OK) return status;
    if (size < 0) return sti_json_fail(&r->tree, &at_size, NULL, "needed where the problem is not at hand");
    if (known >= 0 && size != known && said != NULL)
        return sti_json_fail(&r->tree, &at_size, said, "the problem has %lld", (long long)known);
    // a list of a wrong length is found when it is read
    *out = known >= 0 ? (int)known : (int)size;
    return STI_OK;
}

static sti_status read_sizes(reader* r, const sti_contact_problem* p) {
    static const char* const kinds[] = {"contact"};
    sti_contact_answer* a = r->a;
    const bool known = p != NULL;
    int kind = 0;
    sti_status status = sti_json_read_word(&r->tree, NULL, r->tree.root, "kind", kinds, 1, &kind);
    if (status == STI_OK) status = read_size(r, "dimension", NULL, 1, 2, known ? p->dimension : -1, -1, &a->dimension);
    if (status == STI_OK && a->dimension > 3) {
        const sti_place place = sti_place_key(NULL, "dimension");
        status = sti_json_fail(&r->tree, &place, sti_json_field(r->tree.root, "dimension"), "2 or 3 is expected");
    }
    if (status == STI_OK)
        status =
            read_size(r, "contact_count", "r", a->dimension, 0, known ? p->contact_count : -1, -1, &a->contact_count);
    if (status == STI_OK)
        status = read_size(r, "velocity_count", "v", 1, 0, known ? sti_fclib_part_size(p, STI_FCLIB_V) : -1, 0,
                           &a->velocity_count);
    if (status == STI_OK)
        status =
            read_size(r, "bilateral_count", "lambda", 1, 0, known ? p->bilateral_count : -1, 0, &a->bilateral_count);
    return status;
}

// ---- parts of the answer

static sti_status read_modes(reader* r) {
    const sti_json_value* list = sti_json_field(r->tree.root, "modes");
    const sti_place place = sti_place_key(NULL, "modes");
    if (list == NULL) return STI_OK;
    sti_status status = sti_json_check_list(&r->tree, &place, list, r->a->contact_count);
    if (status != STI_OK) return status;
    r->a->mode = sti_alloc_array_zero(r->tree.env, (size_t)r->a->contact_count, 1);
    if (r->a->mode == NULL) return STI_ERR_MEMORY;
    int c = 0;
    for (const sti_json_value* value = list->child; value != NULL; value = value->next, c++) {
        const sti_place at = sti_place_index(&place, c);
        int mode = -1;
        for (int k = 0; sti_json_is_string(value) && k < COUNT_OF(mode_names); k++) {
            if (strcmp(mode_names[k], value->text) == 0) mode = k;
        }
        if (mode < 0) return sti_json_fail(&r->tree, &at, value, "separate, stick or slide is expected");
        r->a->mode[c] = (unsigned char)mode;
    }
    return STI_OK;
}

static sti_status read_point(reader* r) {
    sti_contact_answer* a = r->a;
    const sti_json_tree* t = &r->tree;
    const sti_json_value* root = t->root;
    const int n = sti_count_mul(a->dimension, a->contact_count);
    sti_status status = sti_json_read_doubles(t, NULL, root, "r", n, &a->r);
    if (status == STI_OK) status = sti_json_read_doubles(t, NULL, root, "u", n, &a->u);
    if (status == STI_OK) status = sti_json_read_doubles(t, NULL, root, "v", a->velocity_count, &a->v);
    if (status == STI_OK) status = sti_json_read_doubles(t, NULL, root, "lambda", a->bilateral_count, &a->lambda);
    if (status == STI_OK) status = read_modes(r);
    if (status == STI_OK) status = sti_json_read_doubles(t, NULL, root, "margins", a->contact_count, &a->margin);
    if (status == STI_OK)
        status = sti_json_read_doubles(t, NULL, root, "dissipation", a->contact_count, &a->dissipation);
    return status;
}

static sti_status read_residuals(reader* r) {
    sti_contact_answer* a = r->a;
    const sti_json_tree* t = &r->tree;
    const sti_json_value *root = t->root, *parts = sti_json_field(root, "residuals"),
                         *worst = sti_json_field(root, "worst_contact");
    const sti_place place = sti_place_key(NULL, "residuals"), at_worst = sti_place_key(NULL, "worst_contact");
    int64_t contact = -1;
    sti_status status = sti_json_read_double(t, NULL, root, "residual", NAN, &a->residual);
    if (status == STI_OK) status = sti_json_read_double(t, &place, parts, "contact", NAN, &a->residual_contact);
    if (status == STI_OK) status = sti_json_read_double(t, &place, parts, "equation", NAN, &a->residual_equation);
    if (status == STI_OK && worst != NULL)
        status = sti_json_read_integer(t, &at_worst, worst, 0, (int64_t)a->contact_count - 1, &contact);
    if (status == STI_OK) status = sti_json_read_long(t, NULL, root, "iterations", &a->iterations);
    if (status == STI_OK) status = sti_json_read_double(t, NULL, root, "time_s", NAN, &a->time_s);
    a->worst_contact = (int)contact;
    return status;
}

static sti_status read_attempts(reader* r) {
    sti_contact_answer* a = r->a;
    sti_lcp_attempt* list;
    int count;
    sti_status status = sti_json_read_attempts(&r->tree, solver_names, COUNT_OF(solver_names), &list, &count);
    if (status == STI_OK && list != NULL) {
        a->attempts = sti_alloc_array_zero(r->tree.env, (size_t)count, sizeof *a->attempts);
        if (a->attempts == NULL) status = STI_ERR_MEMORY;
    }
    for (int k = 0; status == STI_OK && k < count; k++) {
        a->attempts[k] = (sti_contact_attempt){.solver = (sti_contact_solver)list[k].solver,
                                               .termination = list[k].termination,
                                               .residual = list[k].residual,
                                               .iterations = list[k].iterations,
                                               .time_s = list[k].time_s};
        memcpy(a->attempts[k].why, list[k].why, sizeof a->attempts[k].why);
        a->attempt_count = k + 1;
    }
    sti_free(r->tree.env, list);
    return status;
}

static sti_status read_words(reader* r) {
    sti_contact_answer* a = r->a;
    sti_json_verdict verdict = {0};
    sti_status status = sti_json_read_verdict(&r->tree, solver_names, COUNT_OF(solver_names),
                                              a->r != NULL ? STI_SOLVED : STI_UNKNOWN, &verdict);
    if (status == STI_OK)
        status = sti_json_read_text(&r->tree, NULL, r->tree.root, "diagnosis", a->diagnosis, sizeof a->diagnosis);
    a->outcome = verdict.outcome;
    a->termination = verdict.termination;
    a->solver = (sti_contact_solver)verdict.solver;
    memcpy(a->reason, verdict.reason, sizeof a->reason);
    return status;
}

// A point that solves needs no more than itself: {"type": "solution"} brings nothing.
static sti_status read_certificate(reader* r) {
    sti_contact_certificate* c = &r->a->certificate;
    const sti_json_tree* t = &r->tree;
    const sti_place place = sti_place_key(NULL, "certificate");
    const sti_json_value* object;
    sti_proof proof;
    sti_status status = sti_json_read_proof(t, &object, &proof);
    if (object == NULL || proof != STI_PROOF_FARKAS) return status;
    c->proof = proof;
    if (status == STI_OK) status = sti_json_read_double(t, &place, object, "bound", INFINITY, &c->bound);
    if (status == STI_OK) status = sti_json_read_doubles(t, &place, object, "y", r->a->contact_count, &c->y);
    if (status == STI_OK)
        status = sti_json_read_doubles(t, &place, object, "lambda", r->a->bilateral_count, &c->lambda);
    return status;
}

static sti_status read_undetermined(reader* r) {
    const sti_json_value* dimension = sti_json_field(r->tree.root, "undetermined_dimension");
    const sti_place place = sti_place_key(NULL, "undetermined_dimension");
    int64_t count = -1;
    sti_status status = sti_json_read_double(&r->tree, NULL, r->tree.root, "undetermined", NAN, &r->a->undetermined);
    if (status == STI_OK && dimension != NULL)
        status = sti_json_read_integer(&r->tree, &place, dimension, 0, STI_FCLIB_MOST, &count);
    r->a->undetermined_dimension = (int)count;
    return status;
}

sti_status sti_contact_answer_read(sti_env* env, const sti_contact_problem* problem, char* text, size_t size,
                                   const char* name, sti_contact_answer* out) {
    reader r = {.a = out};
    *out = (sti_contact_answer){0};
    sti_status status = sti_json_tree_create(env, text, size, name, &r.tree);
    if (status != STI_OK) return status;
    status = read_sizes(&r, problem);
    if (status == STI_OK) status = read_point(&r);
    if (status == STI_OK) status = read_words(&r);
    if (status == STI_OK) status = read_residuals(&r);
    if (status == STI_OK) status = read_undetermined(&r);
    if (status == STI_OK) status = read_certificate(&r);
    if (status == STI_OK) status = read_attempts(&r);
    sti_json_tree_clear(&r.tree);
    if (status != STI_OK) sti_contact_answer_clear(env, out);
    return status;
}

// ---- files

sti_status sti_contact_answer_parse(sti_env* env, const sti_contact_problem* problem, const char* text, size_t size,
                                    const char* name, sti_contact_answer* out) {
    *out = (sti_contact_answer){0};
    char* copy;
    sti_status status = sti_json_copy_text(env, text, size, name, &copy);
    if (status != STI_OK) return status;
    status = sti_contact_answer_read(env, problem, copy, size, name, out);
    sti_free(env, copy);
    return status;
}

sti_status sti_contact_answer_load(sti_env* env, const sti_contact_problem* problem, const char* path,
                                   sti_contact_answer* out) {
    bool hdf5;
    char* text;
    size_t size;
    *out = (sti_contact_answer){0};
    sti_status status = sti_fclib_is_hdf5(env, path, &hdf5);
    if (status != STI_OK) return status;
    if (hdf5) return sti_fclib_answer_read(env, problem, path, out);
    status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    status = sti_contact_answer_read(env, problem, text, size, path, out);
    sti_free(env, text);
    return status;
}
