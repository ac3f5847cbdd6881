// json_read.c: documents from JSON: those with a form field by field, the others by their own reader.
//
// As soon as one entry of a form is not exactly a double, every entry is read a second time without rounding; for a
// cone as soon as all entries are whole numbers or text.
#include <string.h>

#include "documents/bodies_json.h"
#include "documents/document.h"
#include "formats/json_matrix.h"

static sti_status read_kind(const sti_json_tree* tree, sti_kind* out) {
    const sti_json_value* kind = sti_json_get(tree->root, "kind");
    const sti_place place = sti_place_key(NULL, "kind");
    char words[300];
    if (sti_json_is_string(kind)) return sti_kind_find(tree->env, tree->name, kind->text, true, out);
    sti_kind_words(true, words, sizeof words);
    return sti_json_fail(tree, &place, kind, "%s is expected", words);
}

static sti_status read_sizes(const sti_json_tree* tree, sti_fields* fields) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < fields->form->size_count; k++) {
        const sti_json_value* value = sti_json_get(tree->root, fields->form->size[k]);
        const sti_place place = sti_place_key(NULL, fields->form->size[k]);
        if (value != NULL)
            status = sti_json_read_integer(tree, &place, value, 0, STI_FILE_SPARSE_MOST, &fields->size[k]);
    }
    return status;
}

static sti_status read_field(const sti_json_tree* tree, const sti_form* form, int k, sti_field* f) {
    const sti_field_name* name = &form->field[k];
    const sti_json_value* value = sti_json_get(tree->root, name->name);
    const sti_place place = sti_place_key(NULL, name->name);
    if ((value == NULL || (name->open && sti_json_is_null(value))) && name->optional) return STI_OK;
    if (value == NULL) return sti_json_fail(tree, &place, NULL, "needed for kind \"%s\"", form->kind);
    f->given = true;
    return name->matrix ? sti_json_read_matrix(tree, &place, value, f) : sti_json_read_vector(tree, &place, value, f);
}

static sti_status read_fields(const sti_json_tree* tree, sti_fields* fields) {
    const sti_form* form = fields->form;
    sti_status status = read_sizes(tree, fields);
    for (int k = 0; status == STI_OK && k < form->field_count; k++)
        status = read_field(tree, form, k, &fields->field[k]);
    if (status != STI_OK || !sti_fields_want_exact(fields)) return status;
    for (int k = 0; status == STI_OK && k < form->field_count; k++) {
        const sti_place place = sti_place_key(NULL, form->field[k].name);
        const sti_json_value* value = sti_json_get(tree->root, form->field[k].name);
        if (fields->field[k].given) status = sti_json_read_field_exact(tree, &place, value, &fields->field[k]);
    }
    return status;
}

static void warn_unknown(const sti_json_tree* tree, const sti_form* form) {
    for (const sti_json_value* value = tree->root->child; value != NULL; value = value->next) {
        if (!sti_form_knows(form, value->key))
            sti_log(tree->env, STI_LOG_WARNING, "%.200s: %.60s: not a field of kind \"%s\", ignored", tree->name,
                    value->key, form->kind);
    }
}

static sti_status read_form(const sti_json_tree* tree, const sti_kind_row* row, void** content) {
    sti_fields fields;
    sti_fields_begin(tree->env, tree->name, row->form, &fields);
    sti_status status = read_fields(tree, &fields);
    if (status == STI_OK) warn_unknown(tree, row->form);
    if (status == STI_OK) status = row->assemble(&fields, content);
    sti_fields_clear(&fields);
    return status;
}

static sti_status read_tree(sti_json_tree* tree, sti_document** out) {
    sti_kind kind;
    void* content = NULL;
    sti_status status = read_kind(tree, &kind);
    if (status != STI_OK) return status;
    const sti_kind_row* row = sti_kind_row_of(kind);
    status = row->form != NULL ? read_form(tree, row, &content) : row->read(tree, &content);
    if (status == STI_OK) return sti_document_create(tree->env, kind, content, out);
    row->destroy(tree->env, content);
    return status;
}

// A robot is a scene of its own.
static sti_status read_urdf(sti_env* env, const char* text, const char* name, const char* directory,
                            sti_document** out) {
    char* scene;
    sti_status status = sti_urdf_scene(env, text, name, &scene);
    if (status == STI_OK) status = sti_document_read_json(env, scene, strlen(scene), name, directory, out);
    sti_free(env, scene);
    return status;
}

sti_status sti_document_read_json(sti_env* env, char* text, size_t size, const char* name, const char* directory,
                                  sti_document** out) {
    sti_json_tree tree;
    *out = NULL;
    if (sti_urdf_begins(text)) return read_urdf(env, text, name, directory, out);
    sti_status status = sti_json_tree_create(env, text, size, name, &tree);
    if (status != STI_OK) return status;
    tree.source = text;
    tree.directory = directory;
    status = read_tree(&tree, out);
    sti_json_tree_clear(&tree);
    return status;
}
