// fclib_sections.c: sections of friction in FCLIB files (fclib.h).
#include <stdio.h>
#include <string.h>

#include "documents/fclib.h"

typedef struct reader {
    const sti_h5* h;
    uint64_t group;
    char label[40];
} reader;

// A list that has to be there: of integers, or of numbers
static sti_status read_list(const reader* r, const char* name, uint64_t least, uint64_t most, int64_t** integers,
                            double** numbers, uint64_t* count) {
    sti_fclib_list list;
    sti_status status = sti_fclib_list_open(r->h, r->group, r->label, name, &list);
    if (status == STI_OK && !list.found) status = sti_fclib_list_missing(r->h, &list);
    if (status == STI_OK && (list.d.count < least || list.d.count > most))
        status = sti_h5_fail(r->h, list.label, "%llu entries: %llu are expected", (unsigned long long)list.d.count,
                             (unsigned long long)least);
    if (status == STI_OK && integers != NULL) status = sti_h5_dataset_integers(r->h, &list.d, list.label, integers);
    if (status == STI_OK && numbers != NULL) status = sti_h5_dataset_doubles(r->h, &list.d, list.label, numbers);
    *count = status == STI_OK ? list.d.count : 0;
    sti_h5_dataset_clear(r->h, &list.d);
    return status;
}

static sti_status set_section(const reader* r, int c, int64_t shape, const double* value, int64_t count,
                              sti_section* out) {
    *out = (sti_section){.shape = STI_SECTION_DISC};
    if (shape == STI_SECTION_ELLIPSE && count == 3)
        *out = (sti_section){.shape = STI_SECTION_ELLIPSE, .axes = {value[0], value[1]}, .angle = value[2]};
    else if (shape == STI_SECTION_POLYGON && count >= 6 && count % 2 == 0 && count < 1 << 20)
        *out = (sti_section){.shape = STI_SECTION_POLYGON, .vertex_count = (int)(count / 2), .vertex = value};
    else if (!(shape == STI_SECTION_DISC && count == 0))
        return sti_h5_fail(
            r->h, NULL,
            "%s: contact %d: shape %lld with %lld values: 0 with none, 1 with 3 or 2 with x, y of at least 3 "
            "vertices is expected",
            r->label, c, (long long)shape, (long long)count);
    if (sti_section_check(r->h->env, out) == STI_OK) return STI_OK;
    char why[480];
    memcpy(why, sti_env_error(r->h->env)->text, sizeof why);
    return sti_h5_fail(r->h, NULL, "%s: contact %d: %s", r->label, c, why);
}

sti_status sti_fclib_read_sections(const sti_h5* h, uint64_t group, const char* label, sti_fclib* f) {
    sti_contact_problem* p = &f->problem;
    const uint64_t nc = (uint64_t)p->contact_count;
    reader r = {.h = h};
    bool found;
    sti_h5_dataset d;
    snprintf(r.label, sizeof r.label, "%s/sections", label);
    sti_status status = sti_h5_find(h, group, "sections", &found, &r.group);
    if (status != STI_OK || !found) return status;
    status = sti_h5_dataset_open(h, r.group, r.label, INT32_MAX, &d);
    if (status == STI_OK && !d.is_group) status = sti_h5_fail(h, r.label, "not a group");
    sti_h5_dataset_clear(h, &d);
    if (status != STI_OK) return status;
    if (p->dimension != 3) return sti_h5_fail(h, r.label, "contacts in the plane have no sections");
    int64_t *shape = NULL, *first = NULL;
    uint64_t count = 0, values = 0;
    status = read_list(&r, "shape", nc, nc, &shape, NULL, &count);
    if (status == STI_OK) status = read_list(&r, "first", nc + 1, nc + 1, &first, NULL, &count);
    if (status == STI_OK) status = read_list(&r, "value", 0, INT32_MAX, NULL, &f->section_value, &values);
    if (status == STI_OK) {
        f->section = sti_alloc_array_zero(h->env, nc, sizeof *f->section);
        if (f->section == NULL) status = STI_ERR_MEMORY;
    }
    for (int c = 0; status == STI_OK && c < p->contact_count; c++) {
        if (first[c] < 0 || first[c + 1] < first[c] || (uint64_t)first[c + 1] > values)
            status = sti_h5_fail(h, NULL, "%s/first[%d]: %lld: places in value in ascending order are expected",
                                 r.label, c, (long long)first[c]);
        else
            status = set_section(&r, c, shape[c], f->section_value + first[c], first[c + 1] - first[c], &f->section[c]);
    }
    if (status == STI_OK) p->section = f->section;
    sti_free(h->env, shape);
    sti_free(h->env, first);
    return status;
}
