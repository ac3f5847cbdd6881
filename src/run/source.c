// source.c: the document that a simulation is made from: its text, settings for it, and both in a checkpoint.
#include <string.h>

#include "run/simulation.h"

sti_status sti_source_open(sti_env* env, const sti_run_source* from, sti_kind kind, sti_source* out) {
    *out = (sti_source){.env = env, .size = from->size};
    out->text = sti_alloc(env, sti_size_add(from->size, 1));
    out->settings = from->settings != NULL ? sti_strdup(env, from->settings) : NULL;
    if (out->text == NULL || (from->settings != NULL && out->settings == NULL)) return STI_ERR_MEMORY;
    if (from->size > 0) memcpy(out->text, from->text, from->size);
    out->text[from->size] = '\0';
    const char* name = from->name != NULL ? from->name : "text";
    const sti_status status = sti_document_parse(env, out->text, out->size, name, &out->document);
    if (status != STI_OK) return status;
    if (sti_document_kind(out->document) != kind)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "%s: kind: %s: \"%s\" expected", name,
                        sti_kind_text(sti_document_kind(out->document)), sti_kind_text(kind));
    return out->settings != NULL ? sti_document_set(out->document, out->settings) : STI_OK;
}

sti_status sti_source_embed(sti_source* source) {
    char* text;
    const sti_status status = sti_document_text(source->env, source->document, &text);
    if (status != STI_OK) return status;
    sti_free(source->env, source->text);
    source->text = text;
    source->size = strlen(text);
    return STI_OK;
}

void sti_source_save(const sti_source* source, sti_store* out) {
    sti_store_put_bytes(out, "document", source->text, source->size);
    sti_store_put_text(out, "settings", source->settings != NULL ? source->settings : "");
}

sti_status sti_source_load(sti_env* env, const sti_store* in, sti_kind kind, sti_source* out) {
    sti_run_source from = {.name = "document", .settings = sti_store_text(in, "settings")};
    *out = (sti_source){.env = env};
    from.text = sti_store_bytes(in, "document", &from.size);
    if (from.text == NULL) return sti_store_missing(in, "document");
    if (from.settings == NULL) return sti_store_missing(in, "settings");
    if (from.settings[0] == '\0') from.settings = NULL;
    return sti_source_open(env, &from, kind, out);
}

void sti_source_clear(sti_source* source) {
    sti_document_destroy(source->document);
    sti_free(source->env, source->text);
    sti_free(source->env, source->settings);
}
