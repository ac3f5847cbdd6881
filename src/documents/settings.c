// settings.c: values for parameters given as text, "name=value,name=value".
#include <math.h>
#include <string.h>

#include "documents/document.h"
#include "exact/rationals.h"

static int count_pieces(const char* text) {
    int count = text[0] != '\0';
    for (const char* p = text; *p != '\0'; p++) count += *p == ',';
    return count;
}

sti_status sti_settings_cut(sti_env* env, const char* text, sti_settings* out) {
    const size_t room = (size_t)count_pieces(text) + 1;
    *out = (sti_settings){.text = text};
    out->pieces = sti_strdup(env, text);
    out->one = sti_alloc_array_zero(env, room, sizeof *out->one);
    if (out->pieces == NULL || out->one == NULL) return STI_ERR_MEMORY;
    for (char* item = text[0] != '\0' ? out->pieces : NULL; item != NULL;) {
        char *comma = strchr(item, ','), *equals = strchr(item, '=');
        if (comma != NULL) *comma = '\0';
        if (equals == NULL || equals == item || (comma != NULL && equals > comma) || equals[1] == '\0')
            return STI_FAIL(env, STI_ERR_INPUT, -1, "%.60s: name=value expected, like mu=0.5", item);
        *equals = '\0';
        out->one[out->count++] = (sti_setting){.name = item, .value = equals + 1};
        item = comma != NULL ? comma + 1 : NULL;
    }
    return STI_OK;
}

void sti_settings_clear(sti_env* env, sti_settings* settings) {
    sti_free(env, settings->pieces);
    sti_free(env, settings->one);
    *settings = (sti_settings){0};
}

sti_status sti_setting_number(sti_env* env, const sti_setting* setting, double* out) {
    sti_rationals* r = NULL;
    sti_status status = sti_rationals_create(env, 1, &r);
    if (status == STI_OK) status = sti_rationals_set_text(r, 0, setting->value);
    *out = status == STI_OK ? sti_rationals_double(r, 0) : 0;
    if (status == STI_ERR_INPUT || !isfinite(*out))
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "%.60s: %.60s: a number is expected", setting->name, setting->value);
    sti_rationals_destroy(r);
    return status;
}

static bool same(const char* a, const char* b, sti_setting_alone* alone, const void* content) {
    const char *dot_a = strrchr(a, '.'), *dot_b = strrchr(b, '.');
    if (strcmp(a, b) == 0) return true;
    if ((dot_a == NULL) == (dot_b == NULL)) return false;
    const char *brief = dot_a == NULL ? a : b, *tail = (dot_a == NULL ? dot_b : dot_a) + 1;
    return strcmp(brief, tail) == 0 && (alone == NULL || !alone(content, brief));
}

// Which of two values for one name is meant?
sti_status sti_settings_check(sti_env* env, const sti_settings* settings, sti_setting_alone* alone,
                              const void* content) {
    const sti_setting* s = settings->one;
    for (int k = 1; k < settings->count; k++) {
        for (int i = 0; i < k; i++) {
            if (same(s[i].name, s[k].name, alone, content))
                return STI_FAIL(env, STI_ERR_INPUT, -1, "%.60s: given twice, %.60s and %.60s", s[k].name, s[i].value,
                                s[k].value);
        }
    }
    return STI_OK;
}
