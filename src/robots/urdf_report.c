// urdf_report.c: what was not taken from a URDF file as it stands there.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robots/urdf.h"

const char* sti_urdf_what_text(sti_urdf_what what) {
    switch (what) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_URDF_WHAT_LIST(STI_X)
#undef STI_X
        default:
            return "?";
    }
}

void sti_urdf_report_clear(sti_env* env, sti_urdf_report* report) {
    for (int k = 0; k < report->remark_count; k++) {
        sti_free(env, report->remarks[k].element);
        sti_free(env, report->remarks[k].text);
    }
    for (int k = 0; k < report->look_count; k++) sti_surface_clear(env, &report->looks[k].surface);
    sti_free(env, report->looks);
    sti_free(env, report->remarks);
    sti_free(env, report->robot);
    sti_free(env, report->file);
    *report = (sti_urdf_report){0};
}

// Kinds are told apart by a hash of what they are and their text: FNV-1a. Two that fell together would be shown
// together.
static uint64_t group_of(sti_urdf_what what, const char* kind) {
    uint64_t hash = 14695981039346656037u ^ (uint64_t)what;
    for (; *kind != '\0'; kind++) hash = sti_u64_mul_wrapping(hash ^ (unsigned char)*kind, 1099511628211u);
    return hash;
}

static bool merge(sti_urdf_report* report, const sti_urdf_remark* one) {
    for (int k = 0; k < report->remark_count; k++) {
        sti_urdf_remark* r = &report->remarks[k];
        if (r->what != one->what || strcmp(r->element, one->element) != 0 || strcmp(r->text, one->text) != 0) continue;
        r->count++;
        if (one->line < r->line) r->line = one->line;
        return true;
    }
    return false;
}

static sti_status append(sti_env* env, sti_urdf_report* report, const sti_urdf_remark* one) {
    if (report->remark_count == report->remark_capacity) {
        const int bigger = report->remark_capacity < 8 ? 8 : sti_count_mul(2, report->remark_capacity);
        sti_urdf_remark* longer = sti_realloc_array(env, report->remarks, (size_t)bigger, sizeof *longer);
        if (longer == NULL) return STI_ERR_MEMORY;
        report->remarks = longer;
        report->remark_capacity = bigger;
    }
    sti_urdf_remark copy = *one;
    copy.element = sti_strdup(env, one->element);
    copy.text = sti_strdup(env, one->text);
    if (copy.element == NULL || copy.text == NULL) {
        sti_free(env, copy.element);
        sti_free(env, copy.text);
        return STI_ERR_MEMORY;
    }
    report->remarks[report->remark_count++] = copy;
    return STI_OK;
}

// Names in remarks come from the file: on one line, like error texts.
static void one_line(char* text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) *text = '?';
    }
}

sti_status sti_urdf_remark_kind(sti_urdf_model* model, sti_urdf_what what, const sti_xml_node* node,
                                const char* element, const char* kind, const char* said) {
    enum { MOST_REMARKS = 10000 };  // a file that needs more is no robot, and merging looks at all of them
    char where[240], text[400];
    if (element != NULL)
        snprintf(where, sizeof where, "%s", element);
    else
        sti_urdf_describe(node, where, sizeof where);
    snprintf(text, sizeof text, "%s", said);
    one_line(where);
    one_line(text);
    const sti_urdf_remark one = {what, node->line, 1, group_of(what, kind), where, text};
    if (merge(model->report, &one)) return STI_OK;
    if (model->report->remark_count >= MOST_REMARKS)
        return sti_urdf_fail(model, node, NULL, "more than %d remarks on this file", MOST_REMARKS);
    return append(model->env, model->report, &one);
}

sti_status sti_urdf_remark_add(sti_urdf_model* model, sti_urdf_what what, const sti_xml_node* node, const char* element,
                               const char* format, ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sti_urdf_remark_kind(model, what, node, element, format, text);
}

static int compare(const void* a, const void* b) {
    const sti_urdf_remark *s = a, *t = b;
    if (s->line != t->line) return s->line < t->line ? -1 : 1;
    if (s->what != t->what) return s->what < t->what ? -1 : 1;
    const int element = strcmp(s->element, t->element);
    return element != 0 ? element : strcmp(s->text, t->text);
}

void sti_urdf_report_sort(sti_urdf_report* report) {
    if (report->remark_count > 1)
        qsort(report->remarks, (size_t)report->remark_count, sizeof *report->remarks, compare);
}
