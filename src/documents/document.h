// document.h: the inside of sti_document: a row of the list of kinds, and what its functions made of the file.
#ifndef STI_DOCUMENTS_DOCUMENT_H
#define STI_DOCUMENTS_DOCUMENT_H

#include <stiction/document.h>

#include "base/env.h"
#include "formats/fields.h"
#include "formats/json_tree.h"

// "name=value,name=value" cut into pieces: values that take the place of those in the file.
typedef struct sti_setting {
    const char* name;
    const char* value;
    bool used;
} sti_setting;

typedef struct sti_settings {
    const char* text;  // before it was cut; borrowed
    char* pieces;      // after
    int count;
    sti_setting* one;  // (count)
} sti_settings;

struct sti_h5;

// What is known of a kind, beside its line in STI_KIND_LIST. "content" is the struct that the readers make, and nobody
// else's business; readers may leave a half-built one behind when they fail, destroy takes it. A kind has a form (its
// fields are then read from JSON and HDF5 alike), or reads JSON (and HDF5) by itself, or (contact) comes from a format
// of its own.
typedef struct sti_kind_row {
    const sti_form* form;
    sti_status (*assemble)(sti_fields* fields, void** content);                    // with a form
    sti_status (*read)(sti_json_tree* tree, void** content);                       // without
    sti_status (*read_hdf5)(const struct sti_h5* h, void** content);               // without; NULL: from JSON alone
    void (*destroy)(sti_env* env, void* content);                                  // accepts NULL
    sti_status (*set)(sti_env* env, void* content, const sti_settings* settings);  // NULL: no parameters
    sti_status (*save)(sti_env* env, const void* content, const char* path);       // NULL: cannot be written
    sti_status (*text)(sti_env* env, const void* content, char** out);             // NULL: has no text of its own
} sti_kind_row;

// The row of each kind stands in the file that reads it: sti_kind_lcp, sti_kind_mlcp, ..
#define STI_X(code, name, uses) extern const sti_kind_row sti_kind_##name;
STI_KIND_LIST(STI_X)
#undef STI_X

struct sti_document {
    sti_env* env;
    sti_kind kind;
    void* content;
};

const sti_kind_row* sti_kind_row_of(sti_kind kind);
// A kind by its word. STI_ERR_INPUT names those that can be read here: with a form, or (json) also those that read
// JSON.
sti_status sti_kind_find(sti_env* env, const char* file, const char* word, bool json, sti_kind* out);
// "lcp", "mlcp" or "qp": the words of those, quoted.
void sti_kind_words(bool json, char* text, size_t size);

// The content is handed over, also when this fails.
sti_status sti_document_create(sti_env* env, sti_kind kind, void* content, sti_document** out);
// What its row made of the file; NULL when of another kind.
void* sti_document_content(const sti_document* document, sti_kind kind);

// text (size bytes and a 0 after them) is altered. directory: of the file, with its slash; NULL: the text came from
// memory.
sti_status sti_document_read_json(sti_env* env, char* text, size_t size, const char* name, const char* directory,
                                  sti_document** out);
bool sti_document_head_is_hdf5(const unsigned char* head, size_t count);  // the first bytes of a file
sti_status sti_document_read_hdf5(sti_env* env, const char* path, sti_document** out);

// ---- settings.c

// Cleared by sti_settings_clear, also on failure.
sti_status sti_settings_cut(sti_env* env, const char* text, sti_settings* out);
void sti_settings_clear(sti_env* env, sti_settings* settings);
// A number as text: 0.4, or 2/5.
sti_status sti_setting_number(sti_env* env, const sti_setting* setting, double* out);
// A name that is given twice is refused. "h" and "step.h" are one name, unless alone (NULL: for none) says that "h" is
// a name of its own.
typedef bool sti_setting_alone(const void* content, const char* name);
sti_status sti_settings_check(sti_env* env, const sti_settings* settings, sti_setting_alone* alone,
                              const void* content);

#endif
